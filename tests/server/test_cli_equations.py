"""The program mbs with equations: output, errors and exit codes of mbs equations and mbs check."""

import json
import pathlib
import tempfile
import unittest

from support import chain
from test_cli import MODELS, mbs


class CliEquations(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def write(self, document, name="file.json"):
        path = self.folder / name
        path.write_text(document if isinstance(document, str) else json.dumps(document))
        return path

    def equations(self, *arguments, code=0):
        done = mbs("equations", *arguments)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout if code == 0 else done.stderr

    def test_formats(self):
        self.assertIn("\nB\n", self.equations(MODELS / "SC.json"))
        large = self.write(chain(links=30))
        rows = self.equations(large, "--only", "B,Bdot_thetad", "--format", "latex")
        self.assertTrue(rows.startswith("\\documentclass"))
        self.assertIn("\n\\item \\texttt{phi\\_2}: [\\texttt{theta\\_1}] $1$; [\\texttt{theta\\_2}] $1$", rows)
        self.assertIn("\n\\item \\texttt{phi\\_1}: $0$ same form: phi\\_2, ", rows)
        self.assertIn("\n  phi_2: [theta_1] 1, [theta_2] 1\n", self.equations(large, "--only", "B", "--sparse"))
        self.assertIn("<math", self.equations(MODELS / "SC.json", "--format", "mathml"))
        shown = json.loads(self.equations(MODELS / "SC.json", "--format", "json", "--formulation", "body", "--sparse"))
        self.assertEqual(shown["formulation"], "body")
        blocks = [(block["row"], block["column"]) for block in shown["B"]["blocks"]]
        self.assertEqual(blocks, [(k, k) for k in range(6)])

    def test_states(self):
        at = self.write({"t": 0, "q": {"rail.q": -0.524071}, "v": [0.1, 0.2]})
        shown = json.loads(self.equations(MODELS / "SP.json", "--at", at, "--format", "json"))
        self.assertEqual((shown["q"]["rail.q"], shown["v"]), (-0.524071, {"rail.qd": 0.1, "pin.qd": 0.2}))
        document = {"model": json.loads((MODELS / "SCd.json").read_text()),
                    "analysis": {"type": "inverse-dynamics", "t_end": 1, "dt": 0.1}}
        driven = json.loads(self.equations(self.write(document), "--t", "0.2", "--format", "json"))
        self.assertAlmostEqual(driven["q"]["O.q"], 2.3038346126325147, places=9)
        # A driver that leaves the range of the mechanism before the requested time.
        rod = next(joint for joint in document["model"]["joints"] if joint["name"] == "O")
        self.assertEqual(rod["type"], "revolute")
        document["model"]["bodies"][1]["points"] = {"A": [0, 0], "B": [0.1, 0]}
        self.assertIn("/at/t", self.equations(self.write(document), "--t", "0.9", code=2))

    def test_refusals(self):
        model = MODELS / "SC.json"
        self.assertIn("Unknown matrix 'K'", self.equations(model, "--only", "B,K", code=1))
        self.assertIn("--t must be a time in seconds, got 'soon'", self.equations(model, "--t", "soon", code=1))
        self.assertIn("--format must be text, json, latex or mathml, got 'xml'", self.equations(model, "--format", "xml", code=1))
        self.assertIn("usage: ", self.equations(code=1))
        self.assertIn("No such file", self.equations(model, "--at", self.folder / "none", code=1))
        self.assertIn("file.json:1:8: /q/x.q: ", self.equations(model, "--at", self.write({"q": {"x.q": 1}}), code=2))
        self.assertIn("/at/t: ", self.equations(model, "--t", "0.5", code=2))
        self.assertIn("--only ", self.equations(self.write(chain(links=200)), code=2))
        self.assertIn(":1:5: ", self.equations(self.write("hello"), code=2))


class CliCheck(unittest.TestCase):
    write = CliEquations.write

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def check(self, claim, *arguments, model=None, code=0):
        done = mbs("check", model or MODELS / "SC.json", self.write(claim), *arguments)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout if code in (0, 3) else done.stderr

    def test_right_and_wrong(self):
        right = [["~d_{*,1}", "~d_{*,2}", "-u_3"]]
        self.assertTrue(self.check({"C": right}).endswith("All blocks are right.\n"))
        wrong = self.check({"C": [right[0][:2] + ["u_3"]]}, code=3)
        self.assertIn("\nC[B.xy, theta_3]: wrong; the correct block is -u_3\n  sign: ", wrong)
        self.assertTrue(wrong.endswith("Not all blocks are right.\n"))
        self.assertTrue(self.check({}, code=3).endswith("There are no blocks to check.\n"))
        self.assertFalse(json.loads(self.check({"C": [right[0][:2] + ["u_3"]]}, "--json", code=3))["right"])

    def test_misfits(self):
        """Too many blocks, too few, or values that are not blocks, each error at its place, and unreadable text."""
        right = ["~d_{*,1}", "~d_{*,2}", "-u_3"]
        self.assertIn("C: size: C has 1 rows of blocks, not 2", self.check({"C": [right, right]}, code=3))
        self.assertIn("C: size: this row has 3 blocks, not 1", self.check({"C": [right[:1]]}, code=3))
        blocks = self.check({"C": [[{}, True, "-u_3"]]}, code=3)
        self.assertEqual(blocks.count("unreadable: a block must be a string, a number, or rows of numbers"), 2)
        self.assertIn("[B.xy, theta_2]: unreadable at line 1, column 11: ",
                      self.check({"C": [["~d_{*,1}", "~d_{*,2} +", "-u_3"]]}, code=3))
        self.assertIn('a matrix of numbers needs the state that it is for: give "at"', self.check({"C": [[1, 2, 3], [4, 5, 6]]}, code=3))
        numbers = self.check({"claim": {"C": [[1, 2, 3], [4, 5, 6]]}, "at": {}}, code=3)
        self.assertEqual(numbers.count("wrong; the correct block is"), 3)
        self.assertIn("the model has no constraints, so it has no C",
                      self.check({"C": [["0"]]}, model=self.write(chain(), "m.json"), code=3))

    def test_refusals(self):
        self.assertIn("/at", self.check({"claim": {"C": [[1]]}, "at": 3}, code=2))
        self.assertIn("/at/t", self.check({"claim": {"C": [[1, 2, 3]]}, "at": {"t": "x"}}, code=2))
        self.assertEqual(mbs("check", MODELS / "SC.json").returncode, 1)


if __name__ == "__main__":
    unittest.main()
