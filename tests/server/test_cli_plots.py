"""The program mbs with gnuplot and ffmpeg: pictures and videos, and scripts that execute nothing of a document."""

import json
import math
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


class Animations(Folder):
    """Frames: a floor(T fps / speed) + 1, at the times of the titles."""

    def frames(self, script):
        """Returns the title and the polygons, lists of (x, y, colour), of each frame."""
        parts = re.findall(r'\$f << END\n(.*?)END\nset title "(.*?)"\nplot \$f', script, re.DOTALL)
        return [(title, [[tuple(float(number) for number in line.split()) for line in polygon.splitlines()]
                         for polygon in text.split("\n\n") if polygon.strip()]) for text, title in parts]

    def animate(self, *arguments):
        return self.frames(self.run_mbs("animate", *arguments, "--script"))

    def middle(self, polygons, colour):
        """Returns the middle of the polygons of a colour, whatever their brightness."""
        def share(number):
            parts = [int(number) >> shift & 255 for shift in (16, 8, 0)]
            return [part / max(parts) for part in parts]
        wanted = share(colour)
        places = [corner[:2] for polygon in polygons for corner in polygon
                  if max(abs(a - b) for a, b in zip(share(corner[2]), wanted)) < 0.03]
        self.assertTrue(places)
        return [(min(numbers) + max(numbers)) / 2 for numbers in zip(*places)]

    def test_planar_places(self):
        """The middle of the slider's rectangle is its mass centre; the results of an interpolated row are linear."""
        self.run_mbs("run", "SC", "--csv", self.folder / "all.csv", "--columns", "slider.x")
        rows = [[float(number) for number in line.split(",")]
                for line in (self.folder / "all.csv").read_text().splitlines()[1:]]
        model = json.loads((MODELS / "SC.json").read_text())
        for body in model["bodies"]:
            for shape in body.get("shapes", []):
                shape["color"] = "#00ff00" if body["name"] == "slider" else "#0000ff"
        (self.folder / "model.json").write_text(json.dumps(model))
        frames = self.animate(self.folder / "model.json", "--fps", "7", "-o", "x.mp4")
        self.assertEqual(len(frames), int(rows[-1][0] * 7) + 1)
        for i, (title, polygons) in enumerate(frames):
            t = i / 7
            self.assertEqual(title, f"Slider-crank   t = {t:.3f} s")
            after = next(k for k in range(1, len(rows)) if rows[k][0] >= t - 1e-12)
            (t0, x0), (t1, x1) = rows[after - 1], rows[after]
            x, y = self.middle(polygons, 0x00FF00)
            self.assertAlmostEqual(x, x0 + (x1 - x0) * (t - t0) / (t1 - t0), delta=1e-5)
            self.assertAlmostEqual(y, 0, delta=1e-6)

    def test_speed_and_frames(self):
        for name, end in (("FourBar", 4), ("SliderCrank3D", 2)):
            for fps, speed in ((10, 1), (20, 0.5), (5, 2)):
                frames = self.animate(name, "--fps", fps, "--speed", speed, "-o", "x.webm")
                self.assertEqual(len(frames), round(end * fps / speed) + 1)
                self.assertTrue(frames[-1][0].endswith(f"t = {end:.3f} s"))
        self.assertEqual(len(self.animate("FourBar_equilibrium")), 1)
        self.assertIn("use a larger --speed", self.run_mbs("animate", "FourBar", "--speed", "1e-6", "--script", code=1))

    def test_all_is_in_the_fixed_view(self):
        script = self.run_mbs("animate", "SliderCrank3D", "--script", "--fps", "5")
        (x0, x1), (y0, y1) = [map(float, re.search(rf"set {axis}range \[(.*):(.*)\]", script).groups())
                              for axis in "xy"]
        places = [corner for _, polygons in self.frames(script) for polygon in polygons for corner in polygon]
        self.assertTrue(all(x0 <= x <= x1 and y0 <= y <= y1 for x, y, _ in places))
        self.assertIn("set size ratio -1", script)
        script = self.run_mbs("animate", "FourBar", "--script", "--fps", "1")
        for text in ('set xlabel "x [m]"', 'set ylabel "y [m]"'):
            self.assertIn(text, script)

    def test_belt(self):
        """A belt about pulleys at M = (-0.2, 0.15), r = 0.02, and S = (0, 0.05), R = 0.06: no part is inside of them, and
        its straight pieces have the length sqrt(d^2 - (R - r)^2), all wraps at the distance of the radius."""
        (_, polygons), *_ = self.animate("LinearStage", "--fps", "1")
        colour = int("7a869a", 16)
        pieces = []
        for polygon in polygons:
            if len(polygon) != 4:
                continue
            (x0, y0, shade), (x1, y1, _), (x2, y2, _), (x3, y3, _) = polygon
            if shade == colour:
                pieces.append((((x0 + x1) / 2, (y0 + y1) / 2), ((x2 + x3) / 2, (y2 + y3) / 2)))
        pulleys = (((-0.2, 0.15), 0.02), ((0, 0.05), 0.06))
        near = [(a, b) for a, b in pieces
                if all(any(abs(math.dist(end, centre) - radius) < 1e-4 for centre, radius in pulleys)
                       for end in (a, b))]
        strands = [(a, b) for a, b in near if math.dist(a, b) > 0.1]
        self.assertEqual(len(strands), 2)
        for a, b in strands:
            self.assertAlmostEqual(math.dist(a, b), math.sqrt(0.2**2 + 0.1**2 - 0.04**2), delta=1e-4)
        for a, b in near:
            middle = [(a[k] + b[k]) / 2 for k in (0, 1)]
            for centre, radius in pulleys:
                self.assertGreater(math.dist(middle, centre), radius * math.cos(0.1) - 1e-4)
        self.assertGreater(len(near), 2 * math.pi / 0.2)

    def test_results_of_an_earlier_run(self):
        for name, bodies in (("FourBar", 3), ("SliderCrank3D", 3)):
            out = self.folder / name
            self.run_mbs("run", name, "--out", out, "--json")
            whole = self.animate(name, "--fps", "3")
            self.assertEqual([polygons for _, polygons in self.animate(out, "--model", name, "--fps", "3")],
                             [polygons for _, polygons in whole])
            bare = self.animate(out, "--fps", "3")
            self.assertEqual(len(bare), len(whole))
            self.run_mbs("run", name, "--out", out)
            for (_, one), (_, other) in zip(self.animate(out, "--fps", "3"), bare, strict=True):
                self.assertEqual(one, other)
                colours = {int(corner[2]) for polygon in one for corner in polygon}
                self.assertGreaterEqual(len(colours), bodies)

    def test_errors(self):
        out = self.folder / "x.gif"
        self.assertIn("must end with .gif, .mp4, .webm", self.run_mbs("animate", "SC", "-o", "x.png", code=1))
        self.assertIn("-o FILE is missing", self.run_mbs("animate", "SC", code=1))
        for option, value in (("fps", "0"), ("fps", "x"), ("fps", "1000"), ("speed", "0"), ("speed", "nan")):
            self.assertIn(f"--{option} must be a number from",
                          self.run_mbs("animate", "SC", "-o", out, f"--{option}", value, code=1))
        self.run_mbs("run", "SC", "--csv", self.folder / "all.csv")
        self.assertIn("no motion of bodies", self.run_mbs("animate", self.folder / "all.csv", "-o", out, code=1))
        self.run_mbs("run", "SC", "--out", self.folder / "out")
        self.assertIn("the results are not those of the model",
                      self.run_mbs("animate", self.folder / "out", "--model", "FourBar", "-o", out, code=1))
        shutil.rmtree(self.folder / "out")
        self.assertIn("gnuplot is not installed; install the package gnuplot-nox",
                      self.without_programs("animate", MODELS / "SC.json", "-o", out))
        self.assertIn("ffmpeg is not installed; install the package ffmpeg",
                      self.without_programs("animate", MODELS / "SC.json", "-o", self.folder / "x.mp4"))
        self.assertEqual({path.name for path in self.folder.iterdir()}, {"all.csv"})

    def test_gif(self):
        self.need("gnuplot")
        file = self.folder / "x.gif"
        self.run_mbs("animate", "FourBar", "-o", file, "--size", "320x240", "--fps", "5")
        data = file.read_bytes()
        self.assertEqual((data[:6], struct.unpack_from("<HH", data, 6)), (b"GIF89a", (320, 240)))
        self.assertEqual(data.count(b"\x21\xf9\x04"), 21)  # graphic control extensions
        self.assertEqual(struct.unpack_from("<H", data, data.index(b"\x21\xf9\x04") + 4)[0], 20)  # 1/100 s

    def test_videos(self):
        self.need("gnuplot", "ffmpeg")
        for kind, place, magic in (("mp4", 4, b"ftyp"), ("webm", 0, b"\x1aE\xdf\xa3")):
            file = self.folder / f"-x.{kind}"
            self.run_mbs("animate", "SliderCrank3D", "-o", file, "--size", "161x121", "--fps", "5")
            self.assertEqual(file.read_bytes()[place : place + 4], magic)
            shown = subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-of", "json", "-show_entries",
                                    "stream=nb_read_frames,width,height,avg_frame_rate", file],
                                   capture_output=True, check=True)
            self.assertEqual(json.loads(shown.stdout)["streams"], [
                {"width": 162, "height": 122, "avg_frame_rate": "5/1", "nb_read_frames": "11"}])

    def test_nothing_of_a_document_is_executed(self):
        self.need("gnuplot")
        model = json.loads((MODELS / "FourBar.json").read_text())
        model["name"] = " ".join(HOSTILE)
        (self.folder / "model.json").write_text(json.dumps(model))
        for name in ("|touch pwned.gif", "-x.gif"):
            done = subprocess.run([os.path.abspath(MBS), "animate", "model.json", "-o", name, "--fps", "1"],
                                  cwd=self.folder, capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual({path.name for path in self.folder.iterdir()}, {"model.json", "|touch pwned.gif", "-x.gif"})


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
        self.assertIn("is a study, but --glb contains the motion of a single run", done.stderr)


if __name__ == "__main__":
    unittest.main()
