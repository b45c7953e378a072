"""Documents that take much memory or time, and workers that die of them: they end a worker, never the daemon."""

import json
import os
import signal
import unittest
from unittest.mock import patch

from support import DaemonTest, chain, in_threads, is_alive, quick, until


def tiny(count):
    """Returns a list of `count` empty objects, whose tree takes 80 times the memory of its text."""
    return "[" + ",".join(["{}"] * count) + "]"


def within(model, count, place):
    """Returns a valid model with a list of `count` empty objects, in itself or in its analysis."""
    (model if place == "model" else model["analysis"])["x-list"] = []
    return json.dumps(model).replace('"x-list": []', f'"x-list": {tiny(count)}')


class Hostile(DaemonTest):
    """Tests that a document can end a worker, but not the daemon."""

    @staticmethod
    def peak(daemon):
        """Returns the peak memory of the daemon [MiB]."""
        with open(f"/proc/{daemon.process.pid}/status") as file:
            return next(int(line.split()[1]) / 1024 for line in file if line.startswith("VmHWM"))

    def checker(self, daemon, number):
        """Returns the process of check number `number`, from 1."""
        return until(lambda: (found := daemon.events("check_started"))[number - 1:] and found[number - 1]["worker"])

    def test_memory(self):
        """8 MiB that would take more than 600 MiB in the daemon; a sanitized daemon keeps little of what it freed."""
        count = (8 << 20) // 3
        deep = "[" * 2000 + "]" * 2000
        small = {"ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=64"}
        with patch.dict(os.environ, small), self.daemon("--workers=1", "--check-seconds=600") as daemon:
            for path, body, status in (("/jobs", tiny(count), 413), # an array of documents, too many
                                       ("/jobs", "[" + ",".join([deep] * 2000) + "]", 413),
                                       ("/jobs", '{"x":' + tiny(count) + "}", 422),
                                       ("/jobs", '{"x":[' + ",".join([deep] * 2000) + "]}", 422),
                                       ("/jobs", "[" * (8 << 20), 400),
                                       ("/jobs", within(quick(), count, "analysis"), 202),
                                       ("/validate", within(quick(), count, "model"), 200)):
                with self.subTest(path=path, body=body[:30]):
                    self.assertEqual(daemon.request("POST", path, body).status, status)
            for job in daemon.jobs():
                self.assertEqual(daemon.await_job(job["id"])["status"], "succeeded")
            self.assertLess(self.peak(daemon), 400)

    def test_killed_once(self):
        """Another worker checks the document, and the client sees nothing of it."""
        with self.daemon("--workers=1") as daemon:
            def work(i):
                if i == 0:
                    return daemon.request("POST", "/validate", within(quick(), 1 << 20, "model"))
                first = self.checker(daemon, 1)
                os.kill(first, signal.SIGKILL)
                self.assertNotEqual(self.checker(daemon, 2), first)
                return None

            self.assertEqual(in_threads(2, work)[0].status, 200)

    def test_killed_twice(self):
        """The request gets its response; waiting and running jobs, and the next document, are not affected."""
        with self.daemon("--workers=1") as daemon:
            running, queued = (daemon.submit(chain(links=8, t_end=30, dt=0.1))["id"] for _ in range(2))

            def work(i):
                if i == 0:
                    return daemon.request("POST", "/jobs", f'{{"x":{tiny(1 << 21)}}}')
                for number in (3, 4):
                    os.kill(self.checker(daemon, number), signal.SIGKILL)
                return None

            answer = in_threads(2, work)[0]
            self.assertEqual((answer.status, answer.json()["instance"]), (500, "/api/v1/jobs"))
            self.assertIn("worker process", answer.json()["detail"])
            self.assertEqual(daemon.submit(quick(), wait=True)["status"], "succeeded")
            for job in (running, queued):
                done = daemon.await_job(job)
                self.assertEqual((done["status"], done["attempt"]), ("succeeded", 1))
            self.assertTrue(is_alive(daemon.process.pid))

    def test_too_long(self):
        with self.daemon("--check-seconds=0.2", "--workers=1") as daemon:
            for path in ("/jobs", "/validate"):
                answer = daemon.request("POST", path, f'{{"x":{tiny(1 << 21)}}}')
                self.assertEqual(answer.status, 422)
                error = answer.json()["errors"][0]
                self.assertEqual((error["code"], error["pointer"]), ("timed_out", ""))
                self.assertIn("validation stopped after 0.2 s (limit --check-seconds", error["detail"])
            self.assertEqual(daemon.submit(quick(), wait=True)["status"], "succeeded")


if __name__ == "__main__":
    unittest.main()
