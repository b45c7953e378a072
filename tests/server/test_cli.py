"""The program mbs: its commands, exit codes and files. The variable MBS names the program."""

import fcntl
import json
import os
import pathlib
import re
import resource
import struct
import subprocess
import sys
import tempfile
import unittest
import zipfile

MBS = os.environ.get("MBS", "build/dev/mbs")
MODELS = pathlib.Path("models")


def mbs(*arguments, text=None):
    return subprocess.run([MBS, *map(str, arguments)], input=text, capture_output=True, text=True, timeout=600)


def chain(links):
    """Returns a document of `links` rods that hang in a row, for linearization."""
    rods = [{"name": f"rod{i}", "mass": 1, "inertia": 0.08, "points": {"A": [0, 0.5], "B": [0, -0.5]}}
            for i in range(links)]
    hinges = [{"name": f"hinge{i}", "type": "revolute",
               "points": [f"rod{i - 1}.B" if i else "ground.O", f"rod{i}.A"]} for i in range(links)]
    return {"name": "chain", "space": "planar", "gravity": [0, -9.81], "ground": {"points": {"O": [0, 0]}},
            "bodies": rods, "joints": hinges, "analysis": {"type": "linearization"}}


class LateLibraries(unittest.TestCase):
    """Libraries with many dependencies are loaded only by the runs that need them."""

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        listed = subprocess.run([MBS], env=os.environ | {"LD_TRACE_LOADED_OBJECTS": "1"}, capture_output=True,
                                text=True)
        self.linked = listed.stdout
        if "san.so" in self.linked:
            self.skipTest("sanitizers' programs link them")

    def test_small_runs_go_without(self):
        self.assertIn("libjansson", self.linked)
        for name in ("libopenblas", "libgfortran", "libarchive", "libxml2", "libhdf5"):
            self.assertNotIn(name, self.linked)

    def test_large_matrices_and_archives_have_them(self):
        document = self.folder / "chain.json"
        document.write_text(json.dumps(chain(40)))
        done = mbs("run", document, "--out", self.folder, "--npz")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        with zipfile.ZipFile(self.folder / "results.npz") as archive:
            self.assertIn("frequencies.npy", archive.namelist())

    def test_one_that_is_missing_is_named(self):
        (self.folder / "libarchive.so.13").touch()
        done = subprocess.run([MBS, "run", "models/SC.json", "--out", self.folder, "--npz"], capture_output=True,
                              text=True, env=os.environ | {"LD_LIBRARY_PATH": str(self.folder)})
        self.assertEqual(done.returncode, 127)
        self.assertIn("error while loading shared libraries: ", done.stderr)
        self.assertIn("libarchive.so.13", done.stderr)


class LargeDocuments(unittest.TestCase):
    """The storage of values differs, but the output is the same."""

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def printed(self, command, name, text, *options):
        document = self.folder / name
        document.write_text(text)
        done = mbs(command, document, *options)
        lines = [line for line in done.stdout.splitlines() if "Computation: " not in line and "wall_seconds" not in line]
        return done.returncode, lines, done.stderr.replace(str(document), "")

    def same(self, command, text, large, *options):
        small = self.printed(command, "small.json", text, *options)
        self.assertEqual(self.printed(command, "large.json", large, *options), small)
        return small[0]

    def test_the_same_with_white_space(self):
        space = " " * 2**19
        text = (MODELS / "FourBar.json").read_text()
        analysis = self.folder / "analysis.json"
        analysis.write_text(json.dumps(json.loads(text)["analysis"]))
        for arguments in (("validate",), ("validate", "--json"), ("equations",), ("run",), ("run", "--analysis", analysis)):
            self.assertEqual(self.same(arguments[0], text, text + space, *arguments[1:]), 0)
        self.assertEqual(self.same("validate", text.replace("revolute", "revolt"),
                                   text.replace("revolute", "revolt") + space), 2)
        self.assertEqual(self.same("validate", text.rstrip() + "}", text.rstrip() + "}" + space), 2)

    def test_more_values_than_fit(self):
        model = json.loads((MODELS / "FourBar.json").read_text())
        large = model | {"x-values": [[{}] * 200000]}
        self.assertEqual(self.same("validate", json.dumps(model), json.dumps(large, separators=(",", ":"))), 0)
        self.assertEqual(self.same("run", json.dumps(model), json.dumps(large, separators=(",", ":"))), 0)


class Run(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def test_report_and_csv(self):
        out = self.folder / "a" / "b"
        done = mbs("run", MODELS / "SC.json", "--out", out)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for words in ("Cut joints: 1", "Degrees of freedom: 1", "corrected in", "Energy balance", str(out)):
            self.assertIn(words, done.stdout)
        times = (out / "T.csv").read_text().splitlines()
        rows = (out / "Lam.csv").read_text().splitlines()
        self.assertEqual(times[0], "t")
        self.assertEqual(rows[0].split(",")[0], "t")
        self.assertEqual([row.split(",")[0] for row in rows[1:]], times[1:])

    def test_npz_holds_the_numbers_of_csv(self):
        self.assertEqual(mbs("run", MODELS / "SP.json", "--out", self.folder / "csv").returncode, 0)
        self.assertEqual(mbs("run", MODELS / "SP.json", "--out", self.folder / "npz", "--npz").returncode, 0)
        with zipfile.ZipFile(self.folder / "npz" / "results.npz") as archive:
            self.assertIsNone(archive.testzip())
            npy = archive.read("uT.npy")
        start = 10 + struct.unpack_from("<H", npy, 8)[0]
        numbers = struct.unpack(f"<{(len(npy) - start) // 8}d", npy[start:])
        rows = (self.folder / "csv" / "uT.csv").read_text().splitlines()[1:]
        self.assertEqual([float(x) for row in rows for x in row.split(",")[1:]], list(numbers))

    def test_json_says_units_beside_the_numbers_of_csv(self):
        for options in ((), ("--json",)):
            out = self.folder / ("json" if options else "csv")
            self.assertEqual(mbs("run", MODELS / "SP.json", "--out", out, *options).returncode, 0)
        uT = json.loads((self.folder / "json" / "uT.json").read_text())
        self.assertEqual(uT["labels"], ["rail.q", "pin.q", "rail.qd", "pin.qd"])
        self.assertEqual(uT["units"], ["m", "rad", "m/s", "rad/s"])
        rows = (self.folder / "csv" / "uT.csv").read_text().splitlines()[1:]
        self.assertEqual([[float(x) for x in row.split(",")[1:]] for row in rows], uT["data"])

    def test_one_csv(self):
        file = self.folder / "all.csv"
        done = mbs("run", MODELS / "SC.json", "--out", self.folder / "out", "--csv", file)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        rows = file.read_text().splitlines()
        self.assertEqual(rows[0], "t,O.q,A.q,rail.q,O.qd,A.qd,rail.qd,slider x")
        coordinates = (self.folder / "out" / "uT.csv").read_text().splitlines()
        sensor = (self.folder / "out" / "slider x.csv").read_text().splitlines()
        self.assertEqual(rows[1:], [row + "," + value.split(",")[1] for row, value in zip(coordinates[1:], sensor[1:])])
        some = self.folder / "some.csv"
        done = mbs("run", MODELS / "SC.json", "--csv", some, "--columns", "slider.x,O.q,slider x")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn(f"Columns: {some}", done.stdout)
        places = (self.folder / "out" / "r.csv").read_text().splitlines()
        at = places[0].split(",").index("slider.x")
        expected = [[row.split(",")[0], place.split(",")[at], row.split(",")[1], row.split(",")[7]]
                    for row, place in zip(rows[1:], places[1:])]
        self.assertEqual([row.split(",") for row in some.read_text().splitlines()], [["t", "slider.x", "O.q", "slider x"], *expected])
        some.unlink()
        done = mbs("run", MODELS / "SC.json", "--csv", some, "--columns", "O.q,slider.y,A.qq")
        self.assertEqual((done.returncode, some.exists()), (1, False))
        self.assertIn("some.csv is not written: ", done.stderr)
        self.assertIn("no column 'A.qq'; did you mean 'A.q'?", done.stderr)
        done = mbs("run", MODELS / "SC.json", "--csv", self.folder / "none" / "all.csv")
        self.assertEqual(done.returncode, 1)
        self.assertIn("all.csv: No such file or directory", done.stderr)
        for option in ("--csv", "--glb"):
            done = mbs("study", "studies/SC_balance.json", option, some)
            self.assertEqual((done.returncode, some.exists()), (1, False))
            self.assertIn(f"is a study, but {option} contains the motion of a single run; use --out", done.stderr)
        file.unlink()
        (self.folder / "mine").mkdir()
        (self.folder / "mine" / "slider x.csv").write_text("mine")
        done = mbs("run", MODELS / "SC.json", "--out", self.folder / "mine", "--csv", file)
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"Coordinates, rates and sensors: {file}", done.stdout)
        self.assertEqual(file.read_text().splitlines(), rows)

    def test_sensors_whose_names_are_no_file_names(self):
        model = json.loads((MODELS / "SC.json").read_text())
        model["sensors"] = [{"name": "a/b", "value": "1"}, {"name": "a_b", "value": "2"},
                            {"name": "../up", "value": "3"}]
        for options in ((), ("--npz",)):
            out = self.folder / "x" / ("npz" if options else "csv")
            done = mbs("run", "-", "--out", out, *options, text=json.dumps(model))
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual([path.name for path in (self.folder / "x").iterdir() if not path.is_dir()], [])
            for file, value in (("a_b_2", 1), ("a_b", 2), ("___up", 3)):
                if options:
                    with zipfile.ZipFile(out / "results.npz") as archive:
                        self.assertIn("uT.npy", archive.namelist())
                        last = struct.unpack("<d", archive.read(f"{file}.npy")[-8:])[0]
                else:
                    last = float((out / f"{file}.csv").read_text().split(",")[-1])
                self.assertEqual(last, value)

    def test_analysis_next_to_the_model(self):
        analysis = self.folder / "analysis.json"
        analysis.write_text('{"type": "assembly"}')
        done = mbs("run", MODELS / "SC.json", "--analysis", analysis, "--out", self.folder / "out")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(len((self.folder / "out" / "T.csv").read_text().splitlines()), 2)

    def test_all_errors_have_pointers(self):
        model = json.loads((MODELS / "SC.json").read_text())
        model["joints"][0]["points"][0] = "ground.nowhere"
        model["bodies"][0]["mas"] = model["bodies"][0].pop("mass")
        done = mbs("run", "-", text=json.dumps(model))
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, r"(?m)^-:1:\d+: /joints/0/points/0: ")
        self.assertIn("/bodies/0/mas: unknown field 'mas' of body; did you mean 'mass'?", done.stderr)
        self.assertIn("/bodies/0: missing field 'mass'", done.stderr)

    def test_errors_that_are_not_listed_are_counted(self):
        model = json.loads((MODELS / "SC.json").read_text()) | {f"wrong{i}": 0 for i in range(230)}
        lines = mbs("validate", "-", text=json.dumps(model)).stderr.splitlines()
        self.assertEqual((len(lines), lines[-1]), (201, "mbs: the document has 30 more errors"))

    def test_errors_have_their_places(self):
        """Errors have line and column, in characters, of an item or of a member's name in the file."""
        model = self.folder / "model.json"
        model.write_text("""{
  "name": "Körper", "space": "planar",
  "ground": {"points": {"O": [0, 0], "a/b~c \\" }{": [0, "x"]}},
  "bodies": [
    {"x-ä": "ä\\\\", "näme": 1, "name": "rod", "inertia": 1,
     "points": {"A": [0, 0]}}],
  "joints": [{"name": "pin", "type": "revolute", "points": ["ground.O",
    "rod.B"]}],
  "analysis": {"type": "dynamics", "t_end": -1, "dt": 0.01}
}""")
        analysis = self.folder / "analysis.json"
        analysis.write_text('{"type": "dynamics",\n "t_end": -2, "dt": 0.1}')
        wrapped = self.folder / "wrapped.json"
        wrapped.write_text(f'{{\n"model":\n{model.read_text()}\n, "more": 1}}')
        mistakes = [(5, 5, "/bodies/0", "missing field 'mass'"), (5, 20, "/bodies/0/näme", "unknown field"),
                    (3, 38, '/ground/points/a~1b~0c " }{', "the name"), (8, 5, "/joints/0/points/1", "no point 'B'"),
                    (9, 36, "/analysis/t_end", "t_end must not")]

        def expect(wanted, *arguments):
            done = mbs(*arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            for file, (line, column, pointer, words) in wanted:
                self.assertRegex(done.stderr, rf"(?m)^{re.escape(f'{file}:{line}:{column}: {pointer}: ')}{words}")
            self.assertEqual(len(done.stderr.splitlines()), len(wanted), done.stderr)

        for command in ("run", "validate", "inspect", "equations"):
            expect([(model, each) for each in mistakes], command, model)
        lines = [(wrapped, (line + 2, column, f"/model{pointer}", words)) for line, column, pointer, words in mistakes]
        more = [(wrapped, (13, 3, "/more", "unknown field 'more'"))]
        for command in ("run", "validate", "inspect", "equations"):
            expect(lines + more, command, wrapped)
        beside = [(analysis, (2, 2, "/t_end", "t_end must not"))]
        for command in ("run", "inspect"):
            expect([(model, each) for each in mistakes[:4]] + beside, command, model, "--analysis", analysis)
            expect(lines[:4] + beside, command, wrapped, "--analysis", analysis)

    def test_malformed_json_has_its_place(self):
        done = mbs("run", "-", text='{\n  "name": 1e400\n}')
        self.assertEqual(done.returncode, 2)
        self.assertIn("-:2:", done.stderr)

    def test_failed_run(self):
        model = json.loads((MODELS / "SC.json").read_text())
        model["joints"].append({"name": "far", "type": "rod", "points": model["joints"][0]["points"], "length": 1e3})
        done = mbs("run", "-", text=json.dumps(model))
        self.assertEqual(done.returncode, 3)
        self.assertIn("not_assembled", done.stderr)
        self.assertIn("Tree", done.stdout)
        self.assertIn("No results: ", done.stdout)
        residual = re.search(r"the largest residual is that of 'far': (\S+) m;", done.stderr)[1]
        self.assertRegex(done.stdout, "Initial conditions, not found: 'far' .*residuals: position "
                         + re.escape(residual) + ";")
        for words in ("corrected in", "Degrees of freedom", "Redundant", "Largest residuals", "Energy balance", "nan"):
            self.assertNotIn(words, done.stdout)


class CsvTables(unittest.TestCase):
    """Tables of functions from CSV files, which only mbs reads."""

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.folder / "data").mkdir()
        self.model = self.folder / "model.json"
        self.table = self.folder / "data" / "F.csv"
        self.describe({"csv": "data/F.csv", "interpolation": "linear", "outside": "hold"})

    def describe(self, function):
        self.model.write_text(json.dumps({
            "name": "table", "space": "planar", "functions": {"F": function}, "ground": {"points": {"O": [0, 0]}},
            "bodies": [{"name": "b", "mass": 1, "inertia": 1, "points": {"O": [0, 0]}}],
            "joints": [{"name": "pin", "type": "revolute", "points": ["ground.O", "b.O"]}],
            "drivers": [{"name": "turn", "type": "joint", "joint": "pin", "function": "0"}],
            "sensors": [{"name": "s", "value": "F(t)"}],
            "analysis": {"type": "kinematics", "t_end": 4, "dt": 1}}))

    def sensor(self, *more):
        done = mbs("run", self.model, "--out", self.folder / "out", *more)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = (self.folder / "out" / "s.csv").read_text().split()[1:]
        return [float(row.split(",")[1]) for row in rows]

    def test_the_columns_become_x_and_y(self):
        wanted = [1, 2, 3, 3, 3]
        for text in ("0,1\n2,3\n", "time; value\r\n0;1\r\n# a remark\r\n\r\n2;3", "\ufeff0 1\n\t2\t3 \n"):
            self.table.write_text(text, encoding="utf-8")
            self.assertEqual(self.sensor(), wanted, text)
        analysis = self.folder / "analysis.json"
        analysis.write_text(json.dumps({"type": "kinematics", "t_end": 1, "dt": 0.5}))
        self.assertEqual(self.sensor("--analysis", analysis), [1, 1.5, 2])
        for command in ("validate", "inspect", "equations"):
            self.assertEqual(mbs(command, self.model).returncode, 0, command)

    def test_a_certificate_is_of_the_numbers(self):
        self.table.write_text("0,1\n2,3\n")
        certificate = self.folder / "c.json"
        self.sensor("--certificate", certificate)
        done = mbs("verify", certificate, "--model", self.model)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.table.write_text("0,1\n2,4\n")
        self.assertNotEqual(mbs("verify", certificate, "--model", self.model).returncode, 0)

    def test_errors_have_lines(self):
        for text, words in (("x,y\n0,1\n1,two\n", ":3: 'two' is not a number"), ("0,1\n1,\n", ":2: '' is not a number"),
                            ("0,1\n1,2,3\n", ":2: a table has two columns, x and y"),
                            ("0,1\n\n2,2\n1,3\n", ":4: x = 1 after 2; x must not fall"),
                            ("x,y\n0,1\n", ": a table needs at least two rows of numbers")):
            self.table.write_text(text)
            done = mbs("run", self.model)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", f"{self.table}{words}\n"))
        self.table.unlink()
        done = mbs("validate", self.model)
        self.assertEqual((done.returncode, done.stderr), (2, f"mbs: {self.table}: No such file or directory\n"))
        self.describe({"csv": "F.csv", "x": [0, 1]})
        self.assertIn("the function 'F' has csv and x or y", mbs("validate", self.model).stderr)

    def test_errors_in_the_document_have_their_places(self):
        self.table.write_text("0,1\n2,3\n")
        self.describe({"csv": "data/F.csv", "outside": "never"})
        done = mbs("validate", self.model)
        self.assertEqual(done.returncode, 2)
        self.assertIn("model.json:1:", done.stderr)
        self.assertIn("/functions/F/outside", done.stderr)


class Answers(unittest.TestCase):
    """The requested quantities are the first part of a report."""

    def part(self, name, analysis, document=None):
        """Returns the lines of the report before its tree."""
        document = document or json.loads((MODELS / f"{name}.json").read_text())
        done = mbs("run", "-", text=json.dumps(document | {"analysis": document.get("analysis", {}) | analysis}))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("\nTree\n", done.stdout)
        return done.stdout[:done.stdout.index("\nTree\n")].splitlines()[2:], done.stdout

    def values(self, name, analysis, *arrays):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "analysis.json"
            document = json.loads((MODELS / f"{name}.json").read_text())
            path.write_text(json.dumps(document["analysis"] | analysis))
            self.assertEqual(mbs("run", MODELS / f"{name}.json", "--analysis", path, "--out", folder).returncode, 0)
            return [[[float(x) for x in row.split(",")] for row in
                     (pathlib.Path(folder) / f"{array}.csv").read_text().splitlines()[1:]] for array in arrays]

    def test_equilibrium(self):
        lines, _ = self.part("FourBar_equilibrium", {})
        state, energy = self.values("FourBar_equilibrium", {}, "uT", "energy")
        self.assertRegex(lines[0], "^Equilibrium position, stable; potential energy ")
        self.assertAlmostEqual(float(lines[0].split()[-2]), energy[0][2], 6)
        for line, value in zip(lines[2:], state[0][1:4]):
            self.assertAlmostEqual(float(line.split()[-1]), value, 8)
            self.assertNotEqual(line.split()[-1], line.split()[-2])

    def test_linearization(self):
        lines, _ = self.part("SP_modes", {})
        frequencies, ratios, eigenvalues = self.values("SP_modes", {}, "frequencies", "damping_ratios", "eigenvalues")
        self.assertRegex(lines[0], "^Modes")
        for k, line in enumerate(lines[2:2 + len(frequencies)]):
            numbers = [float(number) for number in line.replace("+-", " ").replace("i", " ").split()]
            self.assertAlmostEqual(numbers[0], frequencies[k][-1], 8)
            self.assertAlmostEqual(numbers[1], ratios[k][-1], 8)
            self.assertAlmostEqual(numbers[2], eigenvalues[k][-2], 7)
            if eigenvalues[k][-1]:
                self.assertAlmostEqual(numbers[3], abs(eigenvalues[k][-1]), 7)

    def test_inverse_dynamics(self):
        lines, _ = self.part("FourBar_inverse", {})
        (rows,) = self.values("FourBar_inverse", {}, "Lam")
        largest = max(rows, key=lambda row: abs(row[-1]))
        self.assertRegex(lines[0], "^Drivers: largest efforts over ")
        self.assertAlmostEqual(float(lines[2].split()[-2]), largest[-1], 6)
        self.assertEqual(float(lines[2].split()[-1]), largest[0])

    def test_motions(self):
        for name, analysis in (("SC", {}), ("Excavator", {})):
            lines, whole = self.part(name, analysis)
            (state,) = self.values(name, analysis, "uT")
            self.assertEqual(lines[0], f"State at t = {state[-1][0]:.10g} (last of {len(state)} rows)")
            self.assertAlmostEqual(float(re.split("  +", lines[2].strip())[1]), state[-1][1], 8)
            self.assertEqual("Energy balance: " in whole, name == "SC") # kinematics computes no forces
        self.assertRegex(self.part("SC", {})[1], r"changes by at most \S+ J, which is \S+ times the \S+ J exchanged\n")

    def test_extremes_of_sensors(self):
        document = json.loads((MODELS / "SC.json").read_text())
        document["sensors"] = [{"name": "wave", "value": "sin(t)", "unit": "m"}, {"name": "none", "value": "log(1e-300 - t)"}]
        lines, _ = self.part("SC", {"t_end": 2, "dt": 0.5}, document)
        at = lines.index("Sensors: extremes over 5 rows")
        self.assertEqual(lines[at + 2].split(), ["wave", "m", "0", "0", "0.9974949866", "1.5"])
        self.assertEqual(lines[at + 3].split(), ["none", "-690.7755279", "0", "-690.7755279", "0"])

    def test_assembly(self):
        lines, _ = self.part("SC", {"type": "assembly"})
        (state,) = self.values("SC", {"type": "assembly"}, "uT")
        self.assertRegex(lines[0], "^Assembled state; residuals: position ")
        self.assertAlmostEqual(float(re.split("  +", lines[2].strip())[1]), state[0][1], 8)

    def test_tables_of_long_models_are_cut(self):
        for analysis in ("linearization", "equilibrium", "assembly"):
            document = chain(60)
            document["sensors"] = [{"name": f"s{i}", "value": str(i)} for i in range(30)]
            lines, whole = self.part(None, {"type": analysis}, document)
            self.assertLess(len(lines), 60)
            self.assertIn("  ... and 48 more, see the results", lines)
            self.assertIn("  ... and 18 more, see the results", lines)
            self.assertIn("  ... and 20 more, see the report as JSON\n", whole)

    def test_validation_claims_no_results(self):
        done = mbs("validate", MODELS / "SC.json")
        self.assertNotIn("State at", done.stdout)
        understood = json.loads(mbs("validate", MODELS / "SC.json", "--json").stdout)
        self.assertNotIn("final_state", understood)


MANIFEST = ".mbs-files.json"


class Folders(unittest.TestCase):
    """A folder of results never contains files of two runs."""

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.out = self.folder / "out"

    def run_to(self, name, *options, code=0, **more):
        done = mbs("run", name, "--out", self.out, *options, **more)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def files(self):
        """Returns all files except the manifest, which must list them."""
        files = {path.name for path in self.out.iterdir()} - {MANIFEST}
        manifest = json.loads((self.out / MANIFEST).read_text())
        self.assertEqual((manifest["program"], manifest["complete"]), ("mbs", True))
        self.assertEqual(len(manifest["files"]), len(set(manifest["files"])))
        return files, set(manifest["files"])

    def check_whole(self, *others):
        files, listed = self.files()
        self.assertEqual(files, listed | set(others))
        return listed

    def test_an_older_run_is_replaced(self):
        self.run_to("SC")
        self.assertIn("slider x.csv", self.check_whole())
        self.run_to("FourBar")
        listed = self.check_whole()
        self.assertNotIn("slider x.csv", listed)
        self.run_to("SP", "--npz")
        self.assertEqual(self.check_whole(), {"results.npz"})
        model = json.loads((MODELS / "SC.json").read_text()) | {"parameters": {"k": 1}}
        model["bodies"][0]["mass"] = "k"
        study = self.folder / "study.json"
        study.write_text(json.dumps({"model": model, "study": {
            "vary": [{"parameter": "k", "values": [1, 2]}],
            "outputs": [{"name": "w", "of": "slider x", "take": "max"}]}}))
        self.run_to(study, "--json")
        self.assertEqual(self.check_whole(), {"parameters.json", "outputs.json", "status.json"})
        self.run_to("SC")
        self.assertNotIn("outputs.json", self.check_whole())

    def test_what_others_put_there_stays(self):
        self.out.mkdir()
        (self.out / "notes.csv").write_text("mine")
        (self.out / "T.json").write_text("mine")
        self.run_to("SC")
        self.check_whole("notes.csv", "T.json")
        self.assertEqual((self.out / "notes.csv").read_text(), "mine")
        for name, option, foreign in (("SC", "--json", "T.json"), ("SC", "--npz", "results.npz")):
            (self.out / foreign).write_text("mine")
            done = self.run_to(name, option, code=1)
            self.assertIn(f"{self.out / foreign} exists and is not from an earlier run of mbs", done.stderr)
            self.assertEqual((self.out / foreign).read_text(), "mine")
            (self.out / foreign).unlink()
            self.check_whole(*({"notes.csv", "T.json"} & {path.name for path in self.out.iterdir()}))

    def test_a_file_that_is_in_the_way_late(self):
        """A conflicting name that is only known when the run ends."""
        self.run_to("FourBar")
        before = self.check_whole()
        (self.out / "slider x.csv").write_text("mine")
        done = self.run_to("SC", code=1)
        self.assertIn("slider x.csv exists", done.stderr)
        self.assertEqual(self.check_whole("slider x.csv"), before)

    def test_what_is_no_manifest(self):
        self.out.mkdir()
        victim = self.folder / "victim"
        victim.write_text("mine")
        for text in ("", "[]", '{"program": "other", "files": []}', '{"program": "mbs", "files": [1]}',
                     '{"program": "mbs", "files": ["../victim"]}', json.dumps({"program": "mbs", "files": [str(victim)]})):
            (self.out / MANIFEST).write_text(text)
            self.assertIn(f"{MANIFEST} is not a file list of mbs", self.run_to("SC", code=1).stderr)
            self.assertEqual([path.name for path in self.out.iterdir()], [MANIFEST])
        self.assertEqual(victim.read_text(), "mine")

    def test_errors_leave_an_older_run(self):
        self.run_to("SC")
        before = {path.name: path.read_bytes() for path in self.out.iterdir()}
        model = (MODELS / "FourBar.json").read_text().replace("revolute", "revolt")
        done = self.run_to("-", text=model, code=2)
        self.assertNotIn("Results:", done.stdout)
        self.assertEqual({path.name: path.read_bytes() for path in self.out.iterdir()}, before)

    def test_a_failed_run_replaces_an_older_one(self):
        self.run_to("SC")
        model = json.loads((MODELS / "FourBar.json").read_text())
        model["joints"].append({"name": "far", "type": "rod", "points": model["joints"][0]["points"], "length": 1e3})
        self.run_to("-", text=json.dumps(model), code=3)
        self.assertNotIn("slider x.csv", self.check_whole())

    def limited(self, *arguments, size=3000):
        """Runs with a limit of `size` bytes per file."""
        done = subprocess.run([MBS, *map(str, arguments)], capture_output=True, text=True, timeout=600,
                              restore_signals=False,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(": File too large\n", done.stderr)
        self.assertNotIn("Results:", done.stdout)

    def test_what_cannot_be_written(self):
        """The exit code is 1, with the reason from the system; the manifest marks the files as incomplete."""
        self.run_to("FourBar")
        for option in ((), ("--json",), ("--npz",)):
            self.limited("run", "SC", "--out", self.out, *option)
            self.assertIs(json.loads((self.out / MANIFEST).read_text())["complete"], False)
            self.run_to("SC", *option)
            self.check_whole()
        before = self.check_whole()
        self.limited("run", "SC", "--out", self.out, size=50)
        self.assertEqual(self.check_whole(), before)
        self.limited("reference", "--out", self.folder / "reference")
        self.limited("run", "SC", "--certificate", self.folder / "c.json", size=500)
        for path, reason in ((self.folder / "file" / "x", "Not a directory"), (self.folder / "file", "Not a directory"),
                             ("/proc/x", "No such file or directory"), ("", "No such file or directory")):
            (self.folder / "file").touch()
            for arguments in (("run", "SC"), ("study", "studies/FourBar_path.json"), ("reference",)):
                done = mbs(*arguments, "--out", path)
                self.assertEqual((done.returncode, done.stdout, done.stderr), (1, "", f"mbs: {path}: {reason}\n"))
        for path, reason in (("/dev/full", "No space left on device"), (self.folder / "none" / "x", "No such file")):
            done = mbs("run", "SC", "--certificate", path)
            self.assertEqual(done.returncode, 1)
            self.assertIn(f"mbs: {path}: {reason}", done.stderr)

    def test_a_kill_leaves_nothing_that_is_not_known(self):
        """The older results are complete or absent; incomplete results are marked, and the next run replaces them."""
        for delay in range(8):
            self.run_to("FourBar", "--json")
            older = self.check_whole()
            process = subprocess.Popen([MBS, "run", "SC", "--out", self.out], stdout=subprocess.DEVNULL)
            while process.poll() is None and json.loads((self.out / MANIFEST).read_text())["complete"]:
                pass
            for _ in range(100 * delay):
                pass
            process.kill()
            process.wait()
            manifest = json.loads((self.out / MANIFEST).read_text())
            left = {path.name for path in self.out.glob("[!.]*")}
            self.assertLessEqual(left, set(manifest["files"]))
            if manifest["complete"]:
                self.assertIn(left, (older, set(manifest["files"])))
            self.run_to("SP")
            self.check_whole()

    def test_two_at_once(self):
        self.out.mkdir()
        folder = os.open(self.out, os.O_RDONLY)
        fcntl.flock(folder, fcntl.LOCK_EX)
        try:
            self.assertIn("another mbs process is writing to this folder", self.run_to("SC", code=1).stderr)
        finally:
            os.close(folder)
        self.run_to("SC")

    def test_the_reference(self):
        for _ in range(2):
            self.assertEqual(mbs("reference", "--out", self.out).returncode, 0)
        self.assertIn("joint-revolute.md", self.check_whole())
        manifest = json.loads((self.out / MANIFEST).read_text())
        (self.out / "joint-of-old.md").touch()
        (self.out / MANIFEST).write_text(json.dumps(manifest | {"files": manifest["files"] + ["joint-of-old.md"]}))
        self.assertEqual(mbs("reference", "--out", self.out).returncode, 0)
        self.assertNotIn("joint-of-old.md", self.check_whole())


class Others(unittest.TestCase):
    def test_validate(self):
        for model in sorted(MODELS.glob("*.json")):
            done = mbs("validate", model)
            self.assertEqual((done.returncode, done.stderr), (0, ""), model)
            self.assertIn("Constraint rows", done.stdout)
        understood = json.loads(mbs("validate", MODELS / "FourBar.json", "--json").stdout)
        self.assertEqual((len(understood["rows"]), understood["degrees_of_freedom"]), (8, 1))

    def test_information_about_a_model(self):
        model = json.loads((MODELS / "Gears.json").read_text())
        model["forces"] = [{"name": "push", "type": "force", "body": "ground", "value": [1, 0]}]
        model["bodies"].append({"name": "lost", "mass": 1, "inertia": 1})
        model["sensors"] = []
        model["drivers"] = []
        model["analysis"] = {"type": "kinematics", "t_end": 1, "dt": 0.1}
        done = mbs("validate", "-", text=json.dumps(model))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for words in ("Note: 'push' acts on the fixed ground only", "(3 of body 'lost', which no joint connects, and "):
            self.assertIn(words, done.stdout)
        done = mbs("run", "-", text=json.dumps(model))
        self.assertEqual(done.returncode, 3)
        self.assertIn("not_driven: kinematics needs a driver for every degree of freedom, but ", done.stderr)
        self.assertIn("Note: 'push' acts on the fixed ground only", done.stdout)

    def test_names_of_expressions_are_in_the_reference(self):
        done = mbs("reference", "expressions")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for row in ("| body or body.point | `vx` |", "| joint | `q, q1, q2, ...` |", "| driver | `effort` |",
                    "| energy | `dissipated` |", "sensors only; not in kinematics"):
            self.assertIn(row, done.stdout)

    def test_inspect(self):
        done = mbs("inspect", MODELS / "FourBar.json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for words in ("9 coordinates, 9 velocities, 8 rows (8 of joints, 0 of drivers)", "1 by count, 1 by rank",
                      "in joint coordinates: 3 coordinates, 3 velocities, 2 rows", "36 numbers stored (50 %)",
                      "  A.x  xxxxxx...\n", "  B.y  xxxx\n", "Memory: ", "% of an evaluation"):
            self.assertIn(words, done.stdout)
        self.assertNotRegex(done.stdout, r"(?m) $")

    def test_inspect_abbreviates(self):
        rods = range(100)
        model = {"space": "planar", "ground": {"points": {"O": [0, 0]}},
                 "bodies": [{"name": f"b{i}", "mass": 1, "inertia": 1, "points": {"A": [0, 1], "B": [0, -1]},
                             "initial": {"position": [0, -1 - 2 * i]}} for i in rods],
                 "joints": [{"name": f"j{i}", "type": "revolute",
                             "points": [f"b{i - 1}.B" if i else "ground.O", f"b{i}.A"]} for i in rods],
                 "analysis": {"type": "dynamics", "formulation": "body", "t_end": 1, "dt": 0.1}}
        short = mbs("inspect", "-", text=json.dumps(model))
        whole = mbs("inspect", "-", "--all", text=json.dumps(model))
        self.assertEqual((short.returncode, whole.returncode), (0, 0))
        self.assertIn("  ... 76 more; use --all to print them", short.stdout)
        self.assertIn("(each character covers up to 4 rows and 3 columns; --all shows every entry)", short.stdout)
        self.assertLess(max(map(len, short.stdout.splitlines())), 140)
        self.assertNotIn("--all", whole.stdout)
        self.assertIn("b99.phi", whole.stdout)
        del model["analysis"]["formulation"]
        self.assertIn("recursive method", mbs("inspect", "-", text=json.dumps(model)).stdout)

    def test_inspect_for_programs(self):
        for path in sorted(MODELS.glob("*.json")):
            done = mbs("inspect", path, "--json")
            self.assertEqual((done.returncode, done.stderr), (0, ""), path)
            told = json.loads(done.stdout)
            rows = told["joint_rows"] + told["driver_rows"]
            self.assertEqual(len(told["tree"]), told["bodies"], path)
            self.assertEqual(sum(len(body["coordinates"]) for body in told["tree"]), told["coordinates"], path)
            self.assertEqual(len(told["velocity_labels"]), told["velocities"], path)
            self.assertEqual(len(told["M"]["before"]), told["velocities"], path)
            self.assertEqual(sum(element["rows"] for element in told["elements"]), rows, path)
            self.assertEqual(sum(row["redundant"] for row in told["rows"]), told["redundant_rows"], path)
            self.assertEqual(sorted(told["S"]["position"]), list(range(rows)), path)
            blocks = told["C"]["blocks"]
            self.assertEqual(sum(b["rows"] * len(b["velocities"]) for b in blocks), told["C"]["packed"], path)
            self.assertEqual(sum(i - first + 1 for i, first in enumerate(told["S"]["first"])), told["S"]["packed"], path)
            self.assertNotEqual(told["other_formulation"]["formulation"], told["formulation"], path)
            self.assertEqual(len(told["costs"]), 7, path)
            for part, cost in told["costs"].items():
                self.assertIsNone(cost["error"], (path, part))
                self.assertGreaterEqual(cost["microseconds"], 0, (path, part))
                self.assertGreater(cost["calls"], 0, (path, part))

    def test_inspect_what_cannot_be_assembled(self):
        model = json.loads((MODELS / "SC.json").read_text())
        model["joints"].append({"name": "far", "type": "rod", "points": model["joints"][0]["points"], "length": 1e3})
        done = mbs("inspect", "-", text=json.dumps(model))
        self.assertEqual(done.returncode, 3)
        self.assertIn("not_assembled", done.stderr)
        self.assertIn("rank unknown: no initial state was found", done.stdout)
        self.assertIn("not measured", done.stdout)
        told = json.loads(mbs("inspect", "-", "--json", text=json.dumps(model)).stdout)
        self.assertEqual((told["error"]["code"], told["redundant_rows"]), ("not_assembled", None))
        self.assertIsNone(told["costs"]["evaluation"]["microseconds"])
        model["bodies"][0]["mas"] = 1
        done = mbs("inspect", "-", text=json.dumps(model))
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("/bodies/0/mas: ", done.stderr)

    def test_examples_are_listed_printed_and_run_by_name(self):
        names = sorted(path.stem for path in MODELS.glob("*.json"))
        listed = mbs("examples")
        self.assertEqual((listed.returncode, [line.split()[0] for line in listed.stdout.splitlines()]), (0, names))
        self.assertIn(json.loads((MODELS / "FourBar.json").read_text())["name"], listed.stdout)
        self.assertEqual(mbs("examples", "FourBar").stdout, (MODELS / "FourBar.json").read_text())
        for command in "run", "validate", "inspect":
            self.assertEqual(mbs(command, "SC").returncode, 0, command)
        for arguments in (("run", "Fourbar"), ("examples", "Fourbar")):
            done = mbs(*arguments)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertIn("did you mean 'FourBar'?", done.stderr)
        self.assertEqual(mbs("run", "SC.json").stderr, "mbs: SC.json: No such file or directory\n")
        self.assertEqual(mbs("examples", "SC", "SP").returncode, 1)

    def test_schema_is_the_one_in_the_tree(self):
        self.assertEqual(mbs("schema").stdout, pathlib.Path("schemas/model.schema.json").read_text())

    def test_report_of_a_job(self):
        job = {"id": "7", "status": "failed", "report": None,
               "error": {"code": "lock_up", "detail": "it does not go on", "t": 1.5, "element": "pin"}}
        done = mbs("report", "-", text=json.dumps(job))
        self.assertEqual(done.returncode, 3)
        self.assertIn("lock_up: it does not go on (pin) at t = 1.5", done.stdout)

    def test_report_of_what_else_the_service_answers(self):
        job = {"id": "7", "status": "queued", "created": "2026-01-02T03:04:05Z", "model_name": "SC", "analysis": None}
        done = mbs("report", "-", text=json.dumps({"jobs": [job, {**job, "id": "8"}], "next": None}))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("2026-01-02T03:04:05Z", done.stdout)
        problem = {"type": "urn:mbsd:problem:invalid-document", "title": "Mistakes", "status": 422, "detail": "two",
                   "errors": [{"pointer": "/a", "detail": "wrong"}, {"pointer": "/b", "detail": "wrong, too"}]}
        done = mbs("report", "-", text=json.dumps(problem))
        self.assertEqual((done.returncode, done.stdout), (2, "Mistakes: two\n/a: wrong\n/b: wrong, too\n"))
        del problem["errors"]
        self.assertEqual(mbs("report", "-", text=json.dumps(problem)).returncode, 3)

    def test_report_of_something_else(self):
        for text in ("{}", "[]", '[{"id": 1}]', '{"status": 5}', (MODELS / "SC.json").read_text(),
                     '{"report": {}}', '{"tree": [], "analysis": "dynamics"}'):
            done = mbs("report", "-", text=text)
            self.assertEqual((done.returncode, done.stdout), (1, ""), text)
            self.assertIn("expected a job, a list of jobs, a report", done.stderr)

    def test_output_that_cannot_be_written(self):
        report = json.dumps({"id": "7", "status": "queued"})
        for arguments in (("run", MODELS / "SC.json"), ("validate", MODELS / "SC.json"), ("schema",), ("--help",),
                          ("report", "-"), ("inspect", MODELS / "SC.json", "--json"), ("equations", "SC"),
                          ("equations", "SC", "--format", "latex"), ("examples",), ("examples", "FourBar"),
                          ("reference",), ("reference", "revolute"), ("reference", "expressions"),
                          ("run", "SC", "--certificate", "-")):
            with open("/dev/full", "w") as full:
                done = subprocess.run([MBS, *map(str, arguments)], input=report, stdout=full, stderr=subprocess.PIPE,
                                      text=True, timeout=600)
            self.assertEqual(done.returncode, 1, arguments)
            self.assertIn("cannot write to standard output: No space left on device\n", done.stderr)

    def test_help_of_a_command(self):
        for name, words in (("run", "--analysis FILE"), ("validate", "MODEL"), ("report", "FILE"), ("inspect", "--all"),
                            ("examples", "mine.json"), ("schema", "")):
            for arguments in ((name, "--help"), (name, "-h"), (name, "x", "--help")):
                done = mbs(*arguments)
                self.assertEqual((done.returncode, done.stderr), (0, ""), arguments)
                self.assertTrue(done.stdout.startswith(f"usage: mbs {name}"))
                self.assertIn(words, done.stdout)
                self.assertIn("Exit codes", done.stdout)

    def test_usage_is_the_same_everywhere(self):
        lists = mbs("--help").stdout
        for name, words in (("run", "[--glb FILE] [--certificate FILE]"), ("study", "[--jobs N]"), ("check", "MODEL CLAIM"),
                            ("import", "SOURCE"), ("export", "MODEL --fmu FILE"), ("verify", "CERTIFICATE"),
                            ("validate", "MODEL"), ("report", "FILE"),
                            ("inspect", "MODEL"), ("equations", "MODEL"), ("examples", "[NAME | --studies]"),
                            ("reference", "[NAME | --out DIR]"), ("schema", "")):
            usage = mbs(name, "--help").stdout.splitlines()[0]
            self.assertIn(words, usage)
            self.assertIn(usage.removeprefix("usage: "), lists)
            self.assertEqual(mbs(name, "a", "b", "c").stderr.splitlines()[-1], usage)
        self.assertIn("-o", mbs("run", "--help").stdout)
        self.assertNotIn("MODEL", mbs("import", "--help").stdout)
        self.assertIn("MODEL is a file", mbs("study", "--help").stdout)

    def test_wrong_arguments_are_named(self):
        base = MODELS / "SC.json"
        for arguments, words in ((("run", base, "b.json"), "mbs run: takes only MODEL, got also 'b.json'\n"),
                                 (("run",), "mbs run: MODEL is missing\n"), (("run", "--colour", base), "mbs run: "),
                                 (("study", base), 'SC.json is not a study: a study has "model" and "study"; for a single run use mbs run\n'),
                                 (("check", base), "mbs check: CLAIM is missing\n"), (("schema", "x"), "mbs schema: takes no argument, got 'x'\n"),
                                 (("import", base, "format=urdf"), "mbs import: takes only SOURCE, got also 'format=urdf'\n"),
                                 (("run", MODELS), f"mbs: {MODELS} is a folder; a file is expected\n"),
                                 (("run", "fourbr"), "no such example; did you mean 'FourBar'? mbs examples lists all names\n"),
                                 (("examples", "Foo"), "mbs: unknown example 'Foo'; mbs examples lists all names\n")):
            done = mbs(*arguments)
            self.assertEqual((done.returncode, done.stdout), (1, ""), arguments)
            self.assertIn(words, done.stderr)

    def test_usage(self):
        self.assertEqual(mbs("--version").stdout.split()[0], "mbs")
        self.assertIn("Exit codes", mbs("--help").stdout)
        for name, hint in (("rum", "did you mean 'run'?"), ("valdate", "did you mean 'validate'?"), ("bogus", "available: run, ")):
            done = mbs(name)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertTrue(done.stderr.startswith(f"mbs: unknown command '{name}'; {hint}"), done.stderr)
        for arguments, words in ((("run", "SC", "--out", "x", "--npz", "--json"), "--npz and --json cannot be combined"),
                                 (("study", "a", "--json", "--out", "x", "--npz"), "--npz and --json cannot be combined"),
                                 (("run", "SC", "--npz"), "--npz requires --out DIR"), (("run", "SC", "--columns", "O.q"), "--columns requires --csv FILE"), (("run", "SC", "--json"), "--json requires --out DIR"),
                                 (("examples", "SC", "--studies"), "NAME and --studies cannot be combined"),
                                 (("reference", "revolute", "--out", "x"), "NAME and --out cannot be combined"),
                                 (("verify", "x", "--run"), "--run requires --model FILE"),
                                 (("reference", "revolut"), "no page 'revolut'; did you mean 'revolute'?"),
                                 (("reference", "joint-revolut"), "no page 'joint-revolut'; did you mean 'joint-revolute'?")):
            done = mbs(*arguments)
            self.assertEqual((done.returncode, done.stdout), (1, ""), arguments)
            self.assertIn(words, done.stderr)
        self.assertFalse(os.path.exists("x"))
        for arguments in (("--json", "SC"), ("SC", "--json")):
            self.assertEqual(mbs("validate", *arguments).stdout[:1], "{")
        for arguments in ((), ("rum",), ("run",), ("run", "a", "b"), ("run", "a", "--npz"), ("run", "a", "--json"), ("run", "--colour", "a"),
                          ("run", "/no/such/file"), ("validate",), ("validate", "a", "--npz"), ("schema", "x"), ("report",), ("inspect",),
                          ("inspect", "a", "b"), ("inspect", "--npz", "a")):
            done = mbs(*arguments)
            self.assertEqual((done.returncode, done.stdout), (1, ""), arguments)
            self.assertNotEqual(done.stderr, "", arguments)


if __name__ == "__main__":
    sys.exit(not unittest.main(exit=False).result.wasSuccessful())
