"""The program mbs with studies: its output for runs, an optimization and a fit, and the files it writes."""

import csv
import json
import pathlib
import re
import tempfile
import unittest

from test_cli import MODELS, mbs
from test_studies import PENDULUM, study


class CliStudies(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def write(self, document, name="study.json"):
        path = self.folder / name
        path.write_text(json.dumps(document))
        return path

    def rows(self, name):
        with (self.folder / "out" / f"{name}.csv").open() as file:
            return list(csv.reader(file))

    def test_runs(self):
        """Statistics, failures with the first run of each, and the arrays."""
        path = self.write(study([{"parameter": "a", "values": [0.5, 1]}, {"parameter": "m", "values": [1, -1, 2]}],
                                [{"name": "phi", "of": "bob.phi"},
                                 {"name": "fastest", "of": "bob.omega", "take": "max"}]))
        done = mbs("run", path, "--out", self.folder / "out")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"\nStudy: 6 of 6 runs in \S+ s \(\S+ per second\), 2 failed\n")
        self.assertRegex(done.stdout, r"\n2 failed, first in run 1: out_of_range: ")
        header, *outputs = self.rows("outputs")
        self.assertEqual(header[-2:], ["phi", "fastest"])
        self.assertEqual([row[-1] for row in self.rows("status")[1:]], ["0", "1", "0", "0", "1", "0"])
        fastest = [float(row[-1]) for k, row in enumerate(outputs) if k not in (1, 4)]
        printed = re.search(r"\n *fastest +(\S+) +(\S+) +(\S+) +(\S+) +(\S+) +(\S+)\n", done.stdout).groups()
        self.assertAlmostEqual(float(printed[0]), sum(fastest) / 4, 6)
        self.assertAlmostEqual(float(printed[2]), min(fastest), 6)
        self.assertAlmostEqual(float(printed[4]), max(fastest), 6)
        self.assertIn(int(printed[5]), (3, 5))

    def test_why_runs_go_alone(self):
        """The report gives the reason why runs are not batched, on every processor."""
        vary, phi = [{"parameter": "a", "values": [0.5, 1]}], [{"name": "phi", "of": "bob.phi"}]
        for analysis, reason in (({}, None), ({"integrator": {"method": "bdf"}}, "a method other than dopri5 and dop853"),
                                 ({"type": "equilibrium"}, "an analysis other than dynamics")):
            path = self.write(study(vary, phi, analysis=analysis))
            done = mbs("run", path)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            said = re.search(r"\nRuns were computed one by one, not several at a time, because of (.*)\n", done.stdout)
            self.assertEqual(said and said[1], reason)

    def test_one_run(self):
        """A single value has no standard deviation."""
        done = mbs("run", self.write(study([{"parameter": "a", "values": [0.5]}], [{"name": "phi", "of": "bob.phi"}])))
        self.assertRegex(done.stdout, r"\n *phi +\S+ +- +\S+ +0 +\S+ +0\n")
        self.assertNotIn("nan", done.stdout)

    def test_all_fail(self):
        path = self.write(study([{"parameter": "m", "values": [-1, -2]}]))
        done = mbs("run", path)
        self.assertIn("2 of 2 runs", done.stdout)
        self.assertIn("2 failed, first in run 0", done.stdout)

    def test_modes_about_a_motion(self):
        """A pendulum for which only the hanging position is an equilibrium: a note gives the number of other runs, and
        the first of them."""
        modes = {"type": "linearization", "about": "state"}
        outputs = [{"name": "f", "of": "frequencies[1]"}]
        means = []
        for formulation in ("joint", "body"):
            path = self.write({"model": PENDULUM, "analysis": {**modes, "formulation": formulation},
                               "study": {"vary": [{"parameter": "a", "values": [0, 0.5, 1]}], "outputs": outputs}})
            done = mbs("study", path)
            self.assertEqual(done.returncode, 0)
            self.assertRegex(done.stdout, r"\nNote: in 2 of 3 runs, first in run 1: not_steady: the forces .* not balanced .*")
            means.append(float(re.search(r"\n *f +(\S+)", done.stdout)[1]))
        self.assertAlmostEqual(*means, delta=1e-6)

    def test_optimization(self):
        """Finds the length of a pendulum that is horizontal at t = 2."""
        path = self.write(study([{"parameter": "L", "bounds": [0.5, 0.8]}, {"parameter": "m", "bounds": [1, 2]}],
                                optimize={"minimize": "phi^2"}))
        done = mbs("study", path, "--json", "--out", self.folder / "out")
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.assertRegex(done.stdout, r"\nStopped: converged \(\S.*: \S.*\)\n")
        self.assertRegex(done.stdout, r"\nBest: trial \d+, objective \S+, constraint violation 0\n")
        best = float(re.search(r"\n  parameters +L = (\S+), m = ", done.stdout).group(1))
        self.assertTrue(0.5 <= best <= 0.8)
        self.assertIn("\n  outputs ", done.stdout)
        parameters = json.loads((self.folder / "out" / "parameters.json").read_text())
        self.assertIn(best, [round(row[0], 10) for row in parameters["data"]])

    def test_fit(self):
        done = mbs("run", "FourBar_lengths")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        values = dict(re.findall(r"(\w) = ([\d.]+)", re.search(r"\n  parameters (.*)\n", done.stdout).group(1)))
        deviations = dict(re.findall(r"(\w): ([\d.]+)", re.search(r"\n  std. dev.  (.*)\n", done.stdout).group(1)))
        for name, value in {"a": 0.3, "b": 0.8, "c": 0.7, "d": 0.9}.items():
            self.assertLess(abs(float(values[name]) - value), 3 * float(deviations[name]))
        self.assertRegex(done.stdout, r"\n\d+ failed, first in run \d+: lock_up: ")

    def test_report_of_a_job(self):
        """The report of a service is printed like the program's own."""
        ran = mbs("run", self.write(study([{"parameter": "a", "values": [0.5, 1]}])))
        report = {"analysis": "dynamics", "space": "planar", "formulation": "joint", "version": "0", "tree": [],
                  "wall_seconds": 1, "study": {"runs": 2, "done": 2, "failed": 0, "failures": [], "statistics": [],
                                               "stopped": "converged", "algorithm": "lmder", "why": "it is a fit",
                                               "best": {"index": 3, "objective": 1.5, "violation": 0,
                                                        "parameters": {"a": 0.5, "b": 2}, "outputs": {}},
                                               "covariance": [[0.25, 0], [0, 0]], "without_influence": ["c"],
                                               "not_identifiable": {"detail": "a and b go together",
                                                                    "combination": {"a": 1, "b": -1}}}}
        said = mbs("report", self.write(report, "report.json"))
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertIn("\n  std. dev.  a: 0.5, b: at its bound\n", said.stdout)
        self.assertIn("\n  without influence: c\n", said.stdout)
        report["study"]["covariance"] = [[0.25, None], [None, None]]
        few = mbs("report", self.write(report, "report.json"))
        self.assertIn("\n  std. dev.  a: 0.5, b: not determined, too few data\n", few.stdout)
        self.assertIn("\n  not identifiable: a and b go together\n", said.stdout)
        self.assertRegex(said.stdout, r"\n  direction +a = 1, b = -1\n")
        self.assertIn("2 of 2 runs", ran.stdout)

    def test_no_study(self):
        done = mbs("study", MODELS / "SC.json")
        self.assertEqual(done.returncode, 1)
        self.assertIn('is not a study: a study has "model" and "study"', done.stderr)
        wrong = mbs("run", self.write(study([{"parameter": "nobody", "values": [1]}])))
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("/study/vary/0/parameter", wrong.stderr)


if __name__ == "__main__":
    unittest.main()
