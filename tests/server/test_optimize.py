"""Optimizations and fits as jobs: arrays with a row per trial, the report, the best trial as a document, rows while
they are computed, and reasons to stop."""

import json
import math
import pathlib
import unittest

from support import DaemonTest, until

SPRING = {
    "space": "planar",
    "parameters": {"k": 20.0, "m": 1.0},
    "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
    "bodies": [{"name": "slider", "mass": "m", "inertia": 1, "points": {"B": [0, 0]}, "vectors": {"u": [1, 0]}}],
    "joints": [{"name": "rail", "type": "translational", "points": ["ground.O", "slider.B"],
                "vectors": ["ground.u", "slider.u"], "initial": {"position": 0.3, "velocity": 0}}],
    "forces": [{"name": "spring", "type": "force", "body": "slider", "value": ["-k*slider.x", 0]}],
}
DYNAMICS = {"type": "dynamics", "t_end": 1, "dt": 0.1}
K = {"parameter": "k", "bounds": [10, 30], "start": 28}
X = {"name": "x", "of": "slider.x"}


def request(study, analysis=None):
    return {"model": SPRING, "analysis": {**DYNAMICS, **(analysis or {})}, "study": study}


def long_search(t_end=200):
    """Takes minutes."""
    return request({"vary": [K, {"parameter": "m", "bounds": [0.5, 3]}], "outputs": [{**X, "take": "rms"}],
                    "runs": 1000000, "optimize": {"minimize": "x", "method": "global"}},
                   {"t_end": t_end, "integrator": {"rtol": 1e-12, "atol": 1e-14}})


class Optimization(DaemonTest):
    def data(self, daemon, job, array):
        answer = daemon.get(f"/jobs/{job}/results/{array}")
        self.assertEqual(answer.status, 200, answer.body)
        return answer.json()["data"]

    def test_optimization(self):
        with self.daemon("--workers=1") as daemon:
            job = daemon.submit(request({"vary": [K], "outputs": [X], "optimize": {"minimize": "x^2"}}), wait=True)
            self.assertEqual(job["status"], "succeeded", job["error"])
            said = job["report"]["study"]
            best = said["best"]
            self.assertEqual((said["stopped"], said["algorithm"], said["without_influence"]), ("converged", "SLSQP", []))
            self.assertAlmostEqual(best["parameters"]["k"], (1.5 * math.pi) ** 2, 7)
            arrays = {name: self.data(daemon, job["id"], name)
                      for name in ("parameters", "outputs", "objective", "violation", "status")}
            self.assertEqual({len(rows) for rows in arrays.values()}, {said["evaluations"]})
            self.assertEqual(said["runs"], said["evaluations"])
            row = best["index"]
            self.assertEqual(arrays["parameters"][row], [best["parameters"]["k"]])
            self.assertEqual(arrays["outputs"][row], [best["outputs"]["x"]])
            self.assertEqual(arrays["objective"][row], best["objective"])
            self.assertTrue(all(10 <= values[0] <= 30 for values in arrays["parameters"]))
            # The document of the best trial can be posted: it gives the same motion.
            document = daemon.get(f"/jobs/{job['id']}/runs/{row}/model").json()
            self.assertNotIn("study", document)
            self.assertEqual(document["model"]["parameters"], {"k": best["parameters"]["k"], "m": 1})
            single = daemon.submit(document, wait=True)
            self.assertLess(abs(self.data(daemon, single["id"], "uT")[-1][0]), 1e-5)
            self.assertEqual(daemon.get(f"/jobs/{job['id']}/certificate").status, 404)

    def test_failures(self):
        cases = [("infeasible", "infeasible", {"vary": [K], "outputs": [X],
                                               "optimize": {"minimize": "k", "subject_to": ["x >= 0.4"]}}),
                 ("start_failed", None, {"vary": [{"parameter": "m", "bounds": [-2, -1]}], "outputs": [X],
                                         "optimize": {"minimize": "x"}})]
        with self.daemon("--workers=1") as daemon:
            for code, stopped, study in cases:
                job = daemon.submit(request(study), wait=True)
                self.assertEqual((job["status"], job["error"]["code"]), ("failed", code))
                said = job["report"]["study"]
                self.assertEqual(said["stopped"], stopped)
                self.assertEqual(said["best"] is None, stopped is None)
                self.assertEqual(len(self.data(daemon, job["id"], "objective")), said["evaluations"])
            self.assertEqual(said["failed"], said["evaluations"])
            self.assertEqual(said["failures"][0]["pointer"], "/model/bodies/0/mass")

    def test_fit_of_reference(self):
        folder = pathlib.Path(__file__).resolve().parent / "fits"
        for path in sorted(folder.glob("*.json")):
            case = json.loads(path.read_text())
            with self.subTest(path.name), self.daemon("--workers=1") as daemon:
                job = daemon.submit(case["request"], wait=True)
                self.assertEqual(job["status"], "succeeded", job["error"])
                said, expected = job["report"]["study"], case["expect"]
                for name, value in expected["best"]["parameters"].items():
                    self.assertAlmostEqual(said["best"]["parameters"][name], value, delta=1e-9)
                self.assertAlmostEqual(said["best"]["objective"], expected["best"]["objective"], delta=1e-8)
                for row, values in enumerate(expected["covariance"]):
                    for column, value in enumerate(values):
                        self.assertAlmostEqual(said["covariance"][row][column] / value, 1, delta=1e-6)
                residuals = self.data(daemon, job["id"], "residuals")
                self.assertAlmostEqual(sum(row[3] ** 2 for row in residuals), said["best"]["objective"], delta=1e-9)

    def test_undetermined_parameters(self):
        data = [{"of": "slider.x", "t": [0.2, 0.4, 0.6], "values": [0.2, -0.1, -0.25]}]
        with self.daemon("--workers=1") as daemon:
            job = daemon.submit(request({"vary": [K, {"parameter": "m", "bounds": [0.5, 3]}], "fit": {"data": data}}),
                                wait=True)
            self.assertEqual(job["status"], "succeeded", job["error"])
            said = job["report"]["study"]
            self.assertIsNone(said["covariance"])
            self.assertEqual(said["not_identifiable"]["code"], "not_identifiable")
            self.assertEqual(set(said["not_identifiable"]["combination"]), {"k", "m"})

    def test_rows_while_it_runs_and_cancel(self):
        with self.daemon("--workers=1") as daemon:
            job = daemon.submit(long_search())["id"]

            def rows():
                answer = daemon.get(f"/jobs/{job}/results/objective")
                return answer.status == 200 and answer
            early = until(rows).json()["data"]
            self.assertGreater(len(early), 0)
            until(lambda: daemon.job(job)["progress"]["fraction"] > 0)
            daemon.request("POST", f"/jobs/{job}/cancel")
            done = daemon.await_job(job)
            self.assertEqual((done["status"], done["error"]["code"]), ("cancelled", "cancelled"))
            made = done["report"]["study"]["evaluations"]
            self.assertGreaterEqual(made, len(early))
            self.assertEqual(self.data(daemon, job, "objective")[:len(early)], early)
            self.assertEqual(len(self.data(daemon, job, "parameters")), made)

    def test_out_of_time(self):
        with self.daemon("--workers=1", "--job-seconds=2") as daemon:
            done = daemon.submit(long_search(t_end=40), wait=True)
            self.assertEqual((done["status"], done["error"]["code"]), ("failed", "time_limit"))
            self.assertEqual(len(self.data(daemon, done["id"], "objective")), done["report"]["study"]["evaluations"])

    def test_refusals(self):
        fit = {"of": "slider.x", "t": [0, 0.5], "values": [0.3, 0.1]}
        wrong = [("/study/optimize", {"optimize": {}}),
                 ("/study/optimize", {"optimize": {"minimize": "x", "maximize": "x"}}),
                 ("/study/optimize/minimize", {"optimize": {"minimize": "2*pi"}}),
                 ("/study/optimize/subject_to/1", {"optimize": {"minimize": "x", "subject_to": ["x <= 1", "0 <= x <= 1"]}}),
                 ("/study/vary/0", {"optimize": {"minimize": "x"}, "vary": [{"parameter": "k", "values": [1, 2]}]}),
                 ("/study/vary/0", {"optimize": {"minimize": "x", "method": "global"}, "vary": [{"parameter": "k"}]}),
                 ("/study/vary/0/bounds", {"optimize": {"minimize": "x"}, "vary": [{"parameter": "k", "bounds": [3, 3]}]}),
                 ("/study/design", {"optimize": {"minimize": "x"}, "design": "sobol"}),
                 ("/study/fit", {"optimize": {"minimize": "x"}, "fit": {"data": [fit]}}),
                 ("/study/fit/data/0", {"fit": {"data": [{"of": "slider.x", "values": [1]}]}}),
                 ("/study/fit/data/0/t/1", {"fit": {"data": [{**fit, "t": [0, 3]}]}}),
                 ("/study/fit/data/0/sigma", {"fit": {"data": [{**fit, "sigma": [1, 2, 3]}]}}),
                 ("/study/fit/data/0/sigma/1", {"fit": {"data": [{**fit, "sigma": [1, -1]}]}})]
        with self.daemon("--workers=1") as daemon:
            for pointer, study in wrong:
                answer = daemon.request("POST", "/jobs", request({"vary": [K], "outputs": [X], **study}))
                self.assertEqual(answer.status, 422, (pointer, answer.body))
                self.assertEqual([error["pointer"] for error in answer.json()["errors"]], [pointer])


if __name__ == "__main__":
    unittest.main()
