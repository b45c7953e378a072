"""Studies as jobs: arrays and report, single runs, rows while they are computed, and the results of a cancelled
study."""

import json
import unittest

from support import DaemonTest, until

PENDULUM = {
    "space": "planar",
    "parameters": {"L": 1.0, "a": 1.0, "m": 1.0},
    "gravity": [0, -9.81],
    "ground": {"points": {"O": [0, 0]}},
    "bodies": [{"name": "bob", "mass": "m", "inertia": 0, "points": {"A": [0, "L"]}}],
    "joints": [{"name": "pin", "type": "revolute", "points": ["ground.O", "bob.A"], "initial": {"position": "a"}}],
}
ANALYSIS = {"type": "dynamics", "t_end": 2, "dt": 0.1, "integrator": {"rtol": 1e-9, "atol": 1e-11}}


def study(vary, outputs=None, analysis=None, **more):
    return {"model": PENDULUM, "analysis": {**ANALYSIS, **(analysis or {})},
            "study": {"vary": vary, "outputs": outputs or [{"name": "phi", "of": "bob.phi"}], **more}}


def long_study(runs=200000):
    """Takes minutes."""
    return study([{"parameter": "a", "uniform": [0.1, 3]}], design="random", runs=runs,
                 analysis={"t_end": 20, "integrator": {"rtol": 1e-12, "atol": 1e-14}})


class Studies(DaemonTest):
    def data(self, daemon, job, array, query=""):
        answer = daemon.get(f"/jobs/{job}/results/{array}{query}")
        self.assertEqual(answer.status, 200, answer.body)
        return answer.json()["data"]

    def test_arrays_and_report(self):
        with self.daemon("--workers=1") as daemon:
            job = daemon.submit(study([{"parameter": "a", "values": [0.5, 1]}, {"parameter": "m", "values": [1, -1, 2]}],
                                      [{"name": "phi", "of": "bob.phi"},
                                       {"name": "fastest", "of": "bob.omega", "take": "max"}]), wait=True)
            self.assertEqual(job["status"], "succeeded", job["error"])
            self.assertEqual(self.data(daemon, job["id"], "parameters"),
                             [[0.5, 1], [0.5, -1], [0.5, 2], [1, 1], [1, -1], [1, 2]])
            outputs, status = self.data(daemon, job["id"], "outputs"), self.data(daemon, job["id"], "status")
            self.assertEqual(status, [0, 1, 0, 0, 1, 0])
            self.assertEqual(outputs[1], [None, None])
            self.assertEqual(outputs[0], outputs[2])  # the mass of a pendulum has no influence
            found = job["report"]["study"]
            self.assertEqual((found["runs"], found["done"], found["failed"]), (6, 6, 2))
            failure = found["failures"][0]
            self.assertEqual((failure["code"], failure["pointer"], failure["count"], failure["first"]),
                             ("out_of_range", "/model/bodies/0/mass", 2, 1))
            statistics = found["statistics"][1]
            self.assertEqual(statistics["output"], "fastest")
            self.assertEqual(statistics["max"], outputs[statistics["argmax"]][1])
            self.assertEqual(self.data(daemon, job["id"], "status", "?rows=1:3"), [1, 0])
            self.assertEqual(self.data(daemon, job["id"], "outputs", "?rows=4:&columns=phi"), [[None], [outputs[5][0]]])
            for query in ("rows=3", "rows=a:b", "rows=1:2&from=0", "from=0"):
                self.assertEqual(daemon.get(f"/jobs/{job['id']}/results/outputs?{query}").status, 400, query)

    def test_gradient(self):
        outputs = [{"name": "phi", "of": "bob.phi"}, {"name": "far", "of": "abs(bob.phi) + abs(L - 1)", "take": "max"}]
        with self.daemon("--workers=1") as daemon:
            job = daemon.submit(study([{"parameter": "a"}, {"parameter": "L", "values": [0.9, 1, 1.1, -1]}], outputs,
                                      gradient=True), wait=True)
            self.assertEqual(job["status"], "succeeded", job["error"])
            gradient = self.data(daemon, job["id"], "gradient")
            self.assertEqual([len(run) for run in gradient], [2] * 4)
            listed = {array["name"]: array for array in daemon.get(f"/jobs/{job['id']}/results").json()["arrays"]}
            self.assertEqual(listed["gradient"]["shape"], [4, 2, 2])
            self.assertEqual(self.data(daemon, job["id"], "gradient", "?rows=0:1&columns=phi%20by%20L"),
                             [[gradient[0][0][1]]])
            # The derivative of the largest |phi| by a is 1; at L = 1 the second output has a corner, and still a value.
            self.assertAlmostEqual(gradient[0][1][0], 1, 8)
            self.assertAlmostEqual(gradient[0][1][1], -1, 8)
            self.assertAlmostEqual(gradient[2][1][1], 1, 8)
            self.assertEqual(gradient[1][1], [None, None])
            self.assertIsNotNone(gradient[1][0][1])
            self.assertNotIn(None, self.data(daemon, job["id"], "outputs")[1])
            self.assertEqual(self.data(daemon, job["id"], "status"), [0, 1, 0, 0])
            failure = job["report"]["study"]["failures"][0]
            self.assertEqual((failure["code"], failure["first"]), ("no_derivative", 1))
            self.assertIn("-1 from below and 1 from above", failure["detail"])
            run = daemon.get(f"/jobs/{job['id']}/runs/0").json()
            self.assertEqual(run["gradient"], {"phi": dict(zip("aL", gradient[0][0])),
                                               "far": dict(zip("aL", gradient[0][1]))})
            # The approximate slope of the neighbouring values.
            values = [row[0] for row in self.data(daemon, job["id"], "outputs")]
            self.assertLess(abs((values[2] - values[0]) / 0.2 - gradient[1][0][1]), 0.1)
            # If no run has a derivative, the values are still there; if none has a value, the study fails.
            job = daemon.submit(study([{"parameter": "L"}], outputs[1:], gradient=True), wait=True)
            self.assertEqual(job["status"], "succeeded", job["error"])
            self.assertEqual(self.data(daemon, job["id"], "gradient"), [[[None]]])

    def test_single_runs(self):
        with self.daemon("--workers=1") as daemon:
            job = daemon.submit(study([{"parameter": "a", "uniform": [0.1, 2]}, {"parameter": "L", "normal": [1, 0.1]}],
                                      design="latin-hypercube", runs=20), wait=True)["id"]
            outputs = self.data(daemon, job, "outputs")
            run = daemon.get(f"/jobs/{job}/runs/17").json()
            self.assertEqual((run["run"], run["status"], run["failure"]), (17, 0, None))
            self.assertEqual(run["outputs"], {"phi": outputs[17][0]})
            document = daemon.get(f"/jobs/{job}/runs/17/model").json()
            self.assertNotIn("study", document)
            self.assertEqual({name: document["model"]["parameters"][name] for name in ("a", "L")}, run["parameters"])
            single = daemon.submit(document, wait=True)
            last = self.data(daemon, single["id"], "uT")[-1][0]
            self.assertEqual(last, outputs[17][0])  # the angle of the pin equals that of the bob bit for bit
            for wrong in ("20", "-1", "x", "1.5"):
                self.assertEqual(daemon.get(f"/jobs/{job}/runs/{wrong}").status, 404, wrong)
            self.assertEqual(daemon.get(f"/jobs/{single['id']}/runs/0").status, 404)
            self.assertEqual(daemon.get(f"/jobs/{single['id']}/runs/0/model").status, 404)

    def test_parameters_with_units(self):
        with self.daemon("--workers=1") as daemon:
            request = study([{"parameter": "L", "values": ["900 mm", 1.1]}, {"parameter": "a"}])
            request["model"] = {**PENDULUM, "parameters": {"L": "1000 mm", "a": 1.0, "m": "2*k", "k": "500 g"}}
            job = daemon.submit(request, wait=True)
            self.assertEqual(job["status"], "succeeded", job["error"])
            array = daemon.get(f"/jobs/{job['id']}/results/parameters").json()
            self.assertEqual((array["units"], array["data"]), (["m", ""], [[0.9, 1], [1.1, 1]]))
            document = daemon.get(f"/jobs/{job['id']}/runs/0/model").json()
            self.assertEqual(document["model"]["parameters"], {"L": 0.9, "a": 1, "m": "2*k", "k": "500 g"})
            single = daemon.submit(document, wait=True)
            self.assertEqual(self.data(daemon, single["id"], "uT")[-1][0], self.data(daemon, job["id"], "outputs")[0][0])
            request["model"]["parameters"]["m"] = "2*L"
            answer = daemon.request("POST", "/jobs", json.dumps(request))
            self.assertEqual(answer.status, 422, answer.body)
            mistake = answer.json()["errors"][0]
            self.assertEqual((mistake["pointer"], mistake["detail"]),
                             ("/model/bodies/0/mass", "'m' is m, but mass needs kg"))

    def await_rows(self, daemon, job):
        def rows():
            answer = daemon.get(f"/jobs/{job}/results/outputs")
            return answer.status == 200 and answer
        return until(rows)

    def test_rows_while_it_runs_and_cancel(self):
        with self.daemon("--workers=1") as daemon:
            job = daemon.submit(long_study())["id"]
            answer = self.await_rows(daemon, job)
            early = answer.json()["data"]
            self.assertEqual(int(answer.headers["X-Rows-Complete"]), len(early))
            self.assertEqual(answer.headers["Mbsd-Complete"], "false")
            until(lambda: 0 < daemon.job(job)["progress"]["fraction"] < 1)
            self.assertNotIn("t", daemon.job(job)["progress"])  # each run has its own time
            daemon.request("POST", f"/jobs/{job}/cancel")
            done = daemon.await_job(job)
            self.assertEqual((done["status"], done["error"]["code"]), ("cancelled", "cancelled"))
            self.assertNotIn("t", done["progress"])
            status = self.data(daemon, job, "status")
            made = done["report"]["study"]["done"]
            self.assertEqual(len(status), 200000)
            self.assertTrue(len(early) <= made < 200000)
            # a block that was stopped may leave a gap before rows of a later block
            self.assertEqual((status.count(0), status.count(-1)), (made, 200000 - made))
            self.assertEqual(status[:len(early)], [0] * len(early))
            self.assertEqual(self.data(daemon, job, "outputs", f"?rows=0:{len(early)}"), early)

    def test_why_runs_go_alone(self):
        with self.daemon() as daemon:
            for method, reason in (("dopri5", None), ("bdf", "a method other than dopri5 and dop853")):
                job = daemon.submit(study([{"parameter": "a", "values": [0.5, 1]}],
                                          [{"name": "phi", "of": "bob.phi"}],
                                          analysis={"integrator": {"method": method}}), wait=True)
                self.assertEqual(job["report"]["study"].get("alone"), reason)

    def test_out_of_time(self):
        with self.daemon("--workers=1", "--job-seconds=4") as daemon:
            done = daemon.await_job(daemon.submit(long_study())["id"])
            self.assertEqual((done["status"], done["error"]["code"]), ("failed", "time_limit"))
            self.assertIn("job-seconds", done["error"]["detail"])
            made, runs = done["report"]["study"]["done"], done["report"]["study"]["runs"]
            status = self.data(daemon, done["id"], "status")
            self.assertGreater(made, 0)
            self.assertEqual((status.count(0), status.count(-1)), (made, runs - made))

    def test_all_fail(self):
        with self.daemon("--workers=1") as daemon:
            done = daemon.submit(study([{"parameter": "m", "values": [-1, -2]}]), wait=True)
            self.assertEqual((done["status"], done["error"]["code"]), ("failed", "all_runs_failed"))
            self.assertIn("mass must be", done["error"]["detail"])

    def test_too_large(self):
        """A study with too many runs is refused before it is queued, with the option that allows it."""
        def drawn(runs):
            return study([{"parameter": "a", "uniform": [0.1, 3]}], design="random", runs=runs)

        def mistakes(daemon, asked):
            answer = daemon.request("POST", "/jobs", asked)
            self.assertEqual(answer.status, 422, answer.body)
            return [(error["pointer"], error["code"], error["detail"]) for error in answer.json()["errors"]]

        with self.daemon("--workers=1", "--study-runs=100") as daemon:
            (pointer, code, detail), = mistakes(daemon, drawn(101))
            self.assertEqual((pointer, code), ("/study/runs", "too_large"))
            self.assertIn("--study-runs", detail)
            sought = study([{"parameter": "a", "bounds": [0.1, 3]}], optimize={"minimize": "phi"})
            (pointer, code, detail), = mistakes(daemon, sought)  # makes 500 trials without 'runs'
            self.assertEqual((pointer, code), ("/study", "too_large"))
            self.assertIn("--study-runs", detail)
        with self.daemon("--workers=1", "--result=2K") as daemon:
            (pointer, code, detail), = mistakes(daemon, drawn(100))
            self.assertEqual((pointer, code), ("/study/runs", "too_large"))
            self.assertIn("--result", detail)

    def test_equal_studies(self):
        """Other values make a different document, for which the earlier job is no answer."""
        with self.daemon("--workers=1") as daemon:
            one = study([{"parameter": "a", "values": [0.5]}])
            two = study([{"parameter": "a", "values": [0.6]}])
            first = daemon.submit(one, wait=True)["id"]
            self.assertEqual(daemon.submit({**json.loads(json.dumps(one)), "reuse": True}, wait=True)["id"], first)
            self.assertNotEqual(daemon.submit({**two, "reuse": True}, wait=True)["id"], first)


if __name__ == "__main__":
    unittest.main()
