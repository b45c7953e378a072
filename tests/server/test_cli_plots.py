"""The program mbs with gnuplot and ffmpeg: pictures and videos, and scripts that execute nothing of a document."""

import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import tempfile
import unittest

import support
from test_cli import MBS, MODELS, mbs

HOSTILE = ['x" ; system("touch pwned")', "'; system('touch pwned'); #", "`touch pwned`", "$(touch pwned)", "END",
           "<b>&_{x}^2 @\\n", "\\\"; !touch pwned"]


class Folder(unittest.TestCase):
    def need(self, *programs):
        for program in programs:
            if not shutil.which(program):
                support.lacks(program)

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def run_mbs(self, *arguments, code=0):
        done = mbs(*arguments)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout if code == 0 else done.stderr

    def without_programs(self, *arguments):
        done = subprocess.run([os.path.abspath(MBS), *map(str, arguments)], capture_output=True, text=True, timeout=600,
                              env=os.environ | {"PATH": str(self.folder)})
        self.assertEqual(done.returncode, 1)
        return done.stderr


class Plots(Folder):
    def data(self, script):
        """Returns the rows of numbers of a script."""
        rows = re.search(r"\$data << END\n(.*?)END\n", script, re.DOTALL).group(1).splitlines()
        return [[float(number) for number in row.split()] for row in rows]

    def test_script(self):
        columns = ("--columns", "O.q,slider.x,A.fx,slider x")
        script = self.run_mbs("plot", MODELS / "SC.json", *columns, "--script")
        rows = self.data(script)
        self.run_mbs("run", MODELS / "SC.json", "--csv", self.folder / "all.csv", *columns)
        expected = [[float(number) for number in line.split(",")]
                    for line in (self.folder / "all.csv").read_text().splitlines()[1:]]
        self.assertEqual(len(rows), len(expected))
        for row, right in zip(rows, expected):
            for value, number in zip(row, right, strict=True):
                self.assertAlmostEqual(value, number, delta=1e-8 * max(1, abs(number)))
        self.assertIn("layout 3,1", script)  # rad, m, N
        for text in ('set ylabel "O.q [rad]"', 'set ylabel "A.fx [N]"', 'title "slider x"', 'set xlabel "t [s]"'):
            self.assertIn(text, script)

    def test_against(self):
        script = self.run_mbs("plot", "FourBar", "--against", "coupler.B.x", "--columns", "coupler.B.y", "--script")
        self.assertIn('set xlabel "coupler.B.x [m]"', script)
        self.assertEqual(len(self.data(script)[0]), 2)
        script = self.run_mbs("plot", "SC", "--against", "O.q", "--script")
        self.assertEqual(self.data(script)[0][0], self.data(script)[0][1])  # O.q is one of the usual columns

    def test_results_of_an_earlier_run(self):
        columns = ("--columns", "O.fx,crank.phi,coupler.B.x", "--script")
        model = self.data(self.run_mbs("plot", "FourBar", *columns))
        for name, options in (("csv", ()), ("json", ("--json",))):
            self.run_mbs("run", "FourBar", "--out", self.folder / name, *options)
            script = self.run_mbs("plot", self.folder / name, *columns)
            self.assertEqual(self.data(script), model)
            self.assertEqual('"O.fx [N]"' in script, name == "json")
        self.run_mbs("run", "FourBar", "--csv", self.folder / "all.csv")
        usual = self.data(self.run_mbs("plot", self.folder / "all.csv", "--script"))
        self.assertEqual(usual, self.data(self.run_mbs("plot", "FourBar", "--script")))
        one = self.data(self.run_mbs("plot", self.folder / "csv" / "p.csv", "--columns", "crank.phi", "--script"))
        self.assertEqual([row[1] for row in one], [row[2] for row in model])

    def test_labels_of_csv_files(self):
        model = json.loads((MODELS / "SC.json").read_text())
        names = ["a,b", 'say "x"', "=1+1", "-y", "'z"]
        model["sensors"] = [{"name": name, "value": str(i)} for i, name in enumerate(names)]
        file = self.folder / "model.json"
        file.write_text(json.dumps(model))
        self.run_mbs("run", file, "--csv", self.folder / "all.csv", "--columns", ",".join(names))
        rows = self.data(self.run_mbs("plot", self.folder / "all.csv", "--columns", ",".join(names), "--script"))
        self.assertEqual(rows[0], [0, *range(len(names))])

    def test_errors(self):
        out = self.folder / "x.svg"
        self.assertIn("did you mean 'O.q'?", self.run_mbs("plot", "SC", "--columns", "O.p", "-o", out, code=1))
        self.assertIn("did you mean 'O.q'?", self.run_mbs("plot", "SC", "--against", "O.p", "-o", out, code=1))
        self.assertIn("must end with .svg, .png, .pdf; got 'x.gif'", self.run_mbs("plot", "SC", "-o", "x.gif", code=1))
        self.assertIn("-o FILE is missing", self.run_mbs("plot", "SC", code=1))
        for size in ("800", "800x", "800x600x", "0x600", "-800x600", "99999x600"):
            self.assertIn("--size must be", self.run_mbs("plot", "SC", "-o", out, "--size", size, code=1))
        self.assertIn("is a study", self.run_mbs("plot", "studies/FourBar_path.json", "-o", out, code=1))
        self.assertIn("no results of mbs run", self.run_mbs("plot", self.folder, "-o", out, code=1))
        self.run_mbs("run", "SC", "--out", self.folder / "npz", "--npz")
        self.assertIn("has no labels", self.run_mbs("plot", self.folder / "npz", "-o", out, code=1))
        self.run_mbs("run", "SC", "--out", self.folder / "json", "--json")
        self.assertIn("has no times", self.run_mbs("plot", self.folder / "json" / "uT.json", "-o", out, code=1))
        (self.folder / "bad.csv").write_text("t,a\n0,1\n1\n")
        self.assertIn("bad.csv:3: not a row of 2 numbers",
                      self.run_mbs("plot", self.folder / "bad.csv", "-o", out, code=1))
        (self.folder / "bad.json").write_text((MODELS / "SC.json").read_text().replace("revolute", "revolt"))
        self.assertIn("did you mean 'revolute'?", self.run_mbs("plot", self.folder / "bad.json", "-o", out, code=2))
        self.assertIn("gnuplot is not installed; install the package gnuplot-nox",
                      self.without_programs("plot", MODELS / "SC.json", "-o", out))
        self.assertFalse(out.exists())

    def test_pictures(self):
        self.need("gnuplot")
        for kind, magic in (("svg", b"<?xml"), ("png", b"\x89PNG\r\n"), ("pdf", b"%PDF-")):
            file = self.folder / f"x.{kind}"
            self.run_mbs("plot", "FourBar", "-o", file, "--size", "640x480")
            self.assertTrue(file.read_bytes().startswith(magic))
        self.assertEqual((self.folder / "x.png").read_bytes()[16:24], bytes((0, 0, 2, 128, 0, 0, 1, 224)))
        self.assertIn("Four-bar", (self.folder / "x.svg").read_text())
        done = mbs("plot", "FourBar", "-o", self.folder / "none" / "x.png")
        self.assertEqual(done.returncode, 1)
        self.assertIn("No such file or directory", done.stderr)

    def test_nothing_of_a_document_is_executed(self):
        self.need("gnuplot")
        model = json.loads((MODELS / "SC.json").read_text())
        model["name"] = " ".join(HOSTILE)
        model["sensors"] = [{"name": name, "value": "t"} for name in HOSTILE]
        (self.folder / "model.json").write_text(json.dumps(model))
        for command in (["plot", "model.json", "-o", "|touch pwned.svg"], ["plot", "model.json", "-o", "-x.svg"]):
            done = subprocess.run([os.path.abspath(MBS), *command], cwd=self.folder, capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            shown = (self.folder / command[-1]).read_text()
            for name in HOSTILE[:5]:
                self.assertIn(name, shown)
        self.assertEqual({path.name for path in self.folder.iterdir()}, {"model.json", "|touch pwned.svg", "-x.svg"})


class Glb(Folder):
    def test_file(self):
        file = self.folder / "x.glb"
        self.assertIn(f"glTF: {file}", self.run_mbs("run", "FourBar", "--glb", file))
        data = file.read_bytes()
        self.assertEqual(struct.unpack_from("<4sII", data), (b"glTF", 2, len(data)))
        length, kind = struct.unpack_from("<I4s", data, 12)
        self.assertEqual(kind, b"JSON")
        root = json.loads(data[20 : 20 + length])
        self.assertEqual([node["name"] for node in root["nodes"] if "name" in node],
                         ["mechanism", "ground", "crank", "coupler", "rocker"])
        self.assertEqual(root["buffers"], [{"byteLength": len(data) - 28 - length}])

    def test_errors(self):
        done = mbs("run", "FourBar", "--glb", self.folder / "none" / "x.glb")
        self.assertEqual(done.returncode, 1)
        self.assertIn("No such file or directory", done.stderr)
        done = mbs("study", "studies/FourBar_lengths.json", "--glb", self.folder / "x.glb")
        self.assertEqual(done.returncode, 1)
        self.assertIn("has no motion of bodies", done.stderr)


if __name__ == "__main__":
    unittest.main()
