"""Documents that take long to check: who waits for them, and for how long."""

import json
import time
import unittest

from support import DaemonTest, in_threads, quick, until


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


if __name__ == "__main__":
    unittest.main()
