"""Documents that take long to check, or much memory, or their worker's life: who waits for them, for how long, and that
it costs a worker, never the daemon."""

import json
import os
import signal
import time
import unittest

from support import DaemonTest, chain, endless, in_threads, is_alive, quick, until


def redundant(count):
    """Parallelograms in a row, each pinned twice: to assemble them, the rank of all their rows has to be found."""
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
                job = daemon.submit(quick(), wait=60)
                ended.append("job")
                return job

            *answers, job = in_threads(4, work)
            self.assertEqual(job["status"], "succeeded")
            # The last of them may have waited for too long, on a slow machine.
            self.assertLessEqual({answer.status for answer in answers}, {200, 503})
            self.assertLess(ended.index("job"), 2, ended)

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
                    except OSError:  # the one that ran at the end
                        return 0
                time.sleep(0.5)
                begin = time.monotonic()
                self.assertEqual(daemon.stop(), 0)
                return time.monotonic() - begin

            *answers, seconds = in_threads(9, work)
            self.assertLess(seconds, 8)
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


def tiny(count):
    """A list of `count` empty objects, whose tree takes 80 times the memory of its text."""
    return "[" + ",".join(["{}"] * count) + "]"


def within(model, count, place):
    """A model without mistakes that has a list of so many empty objects, in itself or in its analysis."""
    (model if place == "model" else model["analysis"])["x-list"] = []
    return json.dumps(model).replace('"x-list": []', f'"x-list": {tiny(count)}')


class Hostile(DaemonTest):
    """A document costs a worker, not the daemon."""

    @staticmethod
    def peak(daemon):
        """Most memory that the daemon ever had [MiB]."""
        with open(f"/proc/{daemon.process.pid}/status") as file:
            return next(int(line.split()[1]) / 1024 for line in file if line.startswith("VmHWM"))

    def checker(self, daemon, number):
        """The process that was the `number`th to check a document, from 1."""
        return until(lambda: (found := daemon.events("check_started"))[number - 1:] and found[number - 1]["worker"])

    def test_memory(self):
        """8 MiB that would take more than 600 MiB here; a sanitized daemon keeps what it frees for a while."""
        count = (8 << 20) // 3
        deep = "[" * 2000 + "]" * 2000
        with self.daemon("--workers=1") as daemon:
            for path, body, status in (("/jobs", tiny(count), 422),
                                       ("/jobs", "[" + ",".join([deep] * 2000) + "]", 422),
                                       ("/jobs", "[" * (8 << 20), 400),
                                       ("/jobs", within(quick(), count, "analysis"), 202),
                                       ("/validate", within(quick(), count, "model"), 200)):
                with self.subTest(path=path, body=body[:30]):
                    self.assertEqual(daemon.request("POST", path, body).status, status)
            for job in daemon.jobs():
                self.assertEqual(daemon.await_job(job["id"])["status"], "succeeded")
            self.assertLess(self.peak(daemon), 400)

    def test_killed_once(self):
        """The document is checked by another worker, and nobody sees it."""
        with self.daemon("--workers=1") as daemon:
            def work(i):
                if i == 0:
                    return daemon.request("POST", "/validate", redundant(300))
                first = self.checker(daemon, 1)
                os.kill(first, signal.SIGKILL)
                self.assertNotEqual(self.checker(daemon, 2), first)
                return None

            self.assertEqual(in_threads(2, work)[0].status, 200)

    def test_killed_twice(self):
        """The request gets its answer; jobs that wait or run, and the next document, are not touched by it."""
        with self.daemon("--workers=1") as daemon:
            running, queued = (daemon.submit(chain(links=8, t_end=30, dt=0.1))["id"] for _ in range(2))

            def work(i):
                if i == 0:
                    return daemon.request("POST", "/jobs", tiny(1 << 21))
                for number in (3, 4):
                    os.kill(self.checker(daemon, number), signal.SIGKILL)
                return None

            answer = in_threads(2, work)[0]
            self.assertEqual((answer.status, answer.json()["instance"]), (500, "/api/v1/jobs"))
            self.assertIn("worker process", answer.json()["detail"])
            self.assertEqual(daemon.submit(quick(), wait=60)["status"], "succeeded")
            for job in (running, queued):
                done = daemon.await_job(job)
                self.assertEqual((done["status"], done["attempt"]), ("succeeded", 1))
            self.assertTrue(is_alive(daemon.process.pid))

    def test_too_long(self):
        with self.daemon("--check-seconds=0.2", "--workers=1") as daemon:
            for path in ("/jobs", "/validate"):
                answer = daemon.request("POST", path, tiny(1 << 21))
                self.assertEqual(answer.status, 422)
                error = answer.json()["errors"][0]
                self.assertEqual((error["code"], error["pointer"]), ("timed_out", ""))
                self.assertIn("0.2 s, the service's --check-seconds", error["detail"])
            self.assertEqual(daemon.submit(quick(), wait=60)["status"], "succeeded")


class BuiltOnce(DaemonTest):
    def test_the_checker_runs_the_job(self):
        """Its model is built where it is checked, and the same results come of it as of one that is built anew."""
        with self.daemon("--workers=1") as daemon:
            first = daemon.submit(chain(links=3), wait=60)["id"]
            self.assertEqual([event["built"] for event in daemon.events("job_started")], [1])
            # Later documents take its place while it waits: the same job, built anew.
            blocking = daemon.submit(endless())["id"]
            daemon.worker_of(blocking)
            second = daemon.submit(chain(links=3))["id"]
            for i in range(8):
                daemon.submit(chain(links=2, name=f"later {i}"))
            daemon.request("POST", f"/jobs/{blocking}/cancel")
            daemon.await_job(second)
            started = {event["id"]: event["built"] for event in daemon.events("job_started")}
            self.assertEqual(started[second], 0)
            for array in daemon.get(f"/jobs/{first}/results").json()["arrays"]:
                name = array["name"]
                self.assertEqual(daemon.get(f"/jobs/{first}/results/{name}").body,
                                 daemon.get(f"/jobs/{second}/results/{name}").body)

    def test_limits_of_the_job(self):
        """A model that was built at the check has the limits of a job, in their names as in their size."""
        with self.daemon("--job-seconds=1", "--workers=1") as daemon:
            job = daemon.submit(endless(), wait=60)
            self.assertEqual(daemon.events("job_started")[0]["built"], 1)
            self.assertIn("the limit of 1 s (the service's --job-seconds)", job["error"]["detail"])


if __name__ == "__main__":
    unittest.main()
