"""Documents that take long to check: which requests wait for them, and for how long; and the model that a check has
built."""

import json
import time
import unittest

from support import DaemonTest, chain, endless, in_threads, quick, until


def redundant(count):
    """Returns parallelograms in a row, each pinned twice: their assembly requires the rank of all rows."""
    points = {f"G{i}": [i, 0] for i in range(count)}
    bodies, joints = [], []
    for i in range(count):
        bodies += [{"name": f"L{i}", "mass": 1, "inertia": 1, "points": {"A": [0, 0], "B": [0, 1]},
                    "initial": {"position": [i, 0]}},
                   {"name": f"C{i}", "mass": 1, "inertia": 1, "points": {"A": [0, 0], "B": [1, 0]},
                    "initial": {"position": [i, 1]}}]
        joints += [{"name": f"p{i}", "type": "revolute", "points": [f"ground.G{i}", f"L{i}.A"]},
                   {"name": f"q{i}", "type": "revolute", "points": [f"L{i}.B", f"C{i}.A"]},
                   {"name": f"z{i}", "type": "revolute", "points": [f"ground.G{i}", f"L{i}.A"]}]
        if i + 1 < count:
            joints.append({"name": f"r{i}", "type": "revolute", "points": [f"C{i}.B", f"L{i + 1}.B"]})
    return json.dumps({"space": "planar", "ground": {"points": points}, "bodies": bodies, "joints": joints})


class Checks(DaemonTest):
    def test_jobs_do_not_wait_for_validations(self):
        with self.daemon() as daemon:
            body, ended = redundant(400), []

            def work(i):
                if i < 3:
                    answer = daemon.request("POST", "/validate", body)
                    ended.append("validation")
                    return answer
                until(lambda: daemon.metrics()["mbsd_http_connections"] >= 4)
                job = daemon.submit(quick(), wait=True)
                ended.append("job")
                return job

            *answers, job = in_threads(4, work)
            self.assertEqual(job["status"], "succeeded")
            # The last of them may exceed the waiting time on a slow machine.
            self.assertLessEqual({answer.status for answer in answers}, {200, 503})
            self.assertLess(ended.index("job"), 2, ended)

    def test_wrong_documents_take_no_longer_than_right_ones(self):
        # The names begin alike, and each wrong one could be compared with all others.
        names = [f"parameter_{i:08}" for i in range(62500)]
        sensors = [{"name": f"s{i}", "value": f"parametre_{i:08}"} for i in range(2000)]
        wrong = json.dumps({**quick(), "parameters": dict.fromkeys(names, 1.0), "sensors": sensors})
        unknown = json.dumps({**quick(), **{f"key{i}": 1 for i in range(300000)}})
        with self.daemon() as daemon:
            bodies = [wrong, unknown, quick()]
            answers = in_threads(3, lambda i: daemon.request("POST", "/validate", bodies[i]))
            self.assertEqual([answer.status for answer in answers], [422, 422, 200])
            for answer, total in ((answers[0], 2000), (answers[1], 300000)):
                problem = answer.json()
                self.assertEqual((len(problem["errors"]), problem["dropped"]), (200, total - 200))
                suggestions = [i for i, error in enumerate(problem["errors"]) if "did you mean" in error["detail"]]
                self.assertLess(max(suggestions, default=0), 50)

    def test_few_validations_wait(self):
        with self.daemon() as daemon:
            body = redundant(300)
            answers = in_threads(40, lambda i: daemon.request("POST", "/validate", body))
            refused = [answer for answer in answers if answer.status != 200]
            self.assertLess(len(refused), 40)
            self.assertGreaterEqual(len(refused), 40 - 16 - 10)
            for answer in refused:
                self.assertEqual(answer.status, 503)
                self.assertGreater(int(answer.headers["Retry-After"]), 0)
                self.assertEqual(answer.json()["instance"], "/api/v1/validate")

    def test_stop_does_not_wait_for_validations(self):
        with self.daemon("--grace=0.2") as daemon:
            body = redundant(400)

            def work(i):
                if i < 8:
                    try:
                        return daemon.request("POST", "/validate", body).status
                    except OSError:  # the check that was running at the end
                        return 0
                until(lambda: daemon.metrics()["mbsd_http_connections"] > 8)
                time.sleep(0.5)
                return daemon.stop()

            *answers, code = in_threads(9, work)
            self.assertEqual(code, 0)
            self.assertGreaterEqual(answers.count(503), 5, answers)

    def test_checks_do_not_wait_for_jobs(self):
        with self.daemon("--workers=1") as daemon:
            daemon.worker_of(daemon.submit(endless())["id"])
            wrong = dict(quick(), gravty=1)
            self.assertEqual(daemon.request("POST", "/validate", quick()).status, 200)
            self.assertEqual(daemon.request("POST", "/validate", wrong).status, 422)
            self.assertEqual(daemon.request("POST", "/jobs", wrong).status, 422)
            self.assertEqual(daemon.request("POST", "/jobs", quick()).status, 202)
            self.assertEqual(daemon.metrics()["mbsd_workers"], 1)


class BuiltOnce(DaemonTest):
    def test_the_checker_runs_the_job(self):
        """The worker that checked a job keeps its model; the results equal those of a rebuilt model."""
        with self.daemon("--workers=1") as daemon:
            first = daemon.submit(chain(links=3), wait=True)["id"]
            self.assertEqual([event["built"] for event in daemon.events("job_started")], [1])
            # Workers keep the models of the next jobs in the queue; those of later jobs are rebuilt. One job is
            # estimated as short because it has one row, so it also occupies the worker reserved for short jobs.
            blocking = [daemon.submit(model)["id"] for model in (endless(), endless(dt=1e5))]
            for job in blocking:
                daemon.worker_of(job)
            second = daemon.submit(chain(links=3))["id"]
            later = [daemon.submit(chain(links=3 if i == 5 else 2, name=f"later {i}"))["id"] for i in range(8)]
            for job in blocking:
                daemon.request("POST", f"/jobs/{job}/cancel")
            daemon.await_job(second)
            daemon.await_job(later[5])
            started = {event["id"]: event["built"] for event in daemon.events("job_started")}
            self.assertEqual([started[second], started[later[5]]], [1, 0])
            for array in daemon.get(f"/jobs/{first}/results").json()["arrays"]:
                name = array["name"]
                self.assertEqual(daemon.get(f"/jobs/{first}/results/{name}").body,
                                 daemon.get(f"/jobs/{later[5]}/results/{name}").body)

    def test_limits_of_the_job(self):
        """A model built in the check has the limits of a job, in their names and in their size."""
        with self.daemon("--job-seconds=1", "--workers=1") as daemon:
            job = daemon.submit(endless(), wait=True)
            self.assertEqual(daemon.events("job_started")[0]["built"], 1)
            self.assertIn("the limit of 1 s (the service's --job-seconds)", job["error"]["detail"])


if __name__ == "__main__":
    unittest.main()
