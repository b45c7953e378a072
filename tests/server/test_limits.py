"""Limits of a job's time, memory and results, of the queue, and of the disk."""

import os
import signal
import unittest

from support import DaemonTest, chain, endless, quick, sqlite_only, until


class Limits(DaemonTest):
    def test_wall_clock(self):
        """The solver itself stops, and its results so far remain."""
        with self.daemon("--job-seconds=1") as daemon:
            job = daemon.submit(endless(), wait=True)
            self.assertEqual((job["status"], job["error"]["code"]), ("failed", "timed_out"))
            self.assertGreater(len(daemon.get(f"/jobs/{job['id']}/results").json()["arrays"]), 0)
            self.assertIn("the limit of 1 s (the service's --job-seconds)", job["error"]["detail"])
            for seconds, name in ((0.5, "the limit of 0.5 s (limits.wall_seconds)"), (5, "--job-seconds")):
                model = endless()
                model["analysis"]["limits"] = {"wall_seconds": seconds}
                self.assertIn(name, daemon.submit(model, wait=True)["error"]["detail"])

    def test_watchdog(self):
        """A worker that hangs is killed."""
        with self.daemon("--job-seconds=1", "--workers=1") as daemon:
            job = daemon.submit(endless())["id"]
            os.kill(daemon.worker_of(job), signal.SIGSTOP)
            done = daemon.await_job(job)
            self.assertEqual((done["status"], done["error"]["code"]), ("failed", "timed_out"))
            self.assertIn("the limit of 1 s (--job-seconds)", done["error"]["detail"])
            self.assertEqual(daemon.get(f"/jobs/{job}/results").json()["arrays"], [])
            self.assertEqual(daemon.submit(quick(), wait=True)["status"], "succeeded")

    def test_memory(self):
        """A job that exceeds its memory limit fails; the service does not."""
        with self.daemon("--job-memory=64M", "--rows=100000000", "--workers=1") as daemon:
            job = daemon.submit(chain(links=20, t_end=1000, dt=0.0001), wait=True)
            job = daemon.await_job(job["id"])
            self.assertEqual(job["status"], "failed")
            self.assertIn(job["error"]["code"], ("no_memory", "too_large", "worker_crashed"))
            self.assertEqual(daemon.submit(quick(), wait=True)["status"], "succeeded")

    def test_memory_by_its_name(self):
        """The message about the memory contains the value of the option."""
        with self.daemon("--job-memory=200M", "--rows=100000000", "--workers=1") as daemon:
            job = daemon.submit(chain(links=4, t_end=1000, dt=0.0001), wait=True)
            self.assertEqual((job["status"], job["error"]["code"]), ("failed", "too_large"))
            for words in (r"memory limit of 100 MiB", r"--job-memory \(now 200 MiB; .* half each\)"):
                self.assertRegex(job["error"]["detail"], words)

    def test_memory_of_checks(self):
        """A document that takes too much memory to check is refused with the name of the option."""
        model = chain(links=3000)
        with self.daemon("--check-memory=1M") as daemon:
            for path in ("/jobs", "/validate"):
                answer = daemon.request("POST", path, model)
                self.assertEqual(answer.status, 422)
                self.assertIn("--check-memory", answer.json()["errors"][0]["detail"])
            self.assertEqual(daemon.submit(quick(), wait=True)["status"], "succeeded")
        with self.daemon() as daemon:
            self.assertEqual(daemon.request("POST", "/jobs", model).status, 202)

    def test_result_size(self):
        with self.daemon("--result=100K") as daemon:
            job = daemon.submit(chain(links=4, t_end=1, dt=0.0005), wait=True)
            self.assertEqual((job["status"], job["error"]["code"]), ("failed", "results_not_kept"))
            # The message contains the required size, the limit, and a remedy.
            for words in (r"have \d{6,} bytes", r"limit of a job \(--result\) is 102400", "fewer rows .*dt", "fewer columns"):
                self.assertRegex(job["error"]["detail"], words)
            self.assertEqual(job["error"]["t"], 1)
            kept = daemon.get(f"/jobs/{job['id']}/results").json()["arrays"]
            self.assertEqual([array["name"] for array in kept][0], "T")
            self.assertNotIn(f"array '{kept[-1]['name']}'", job["error"]["detail"])
            self.assertEqual(daemon.submit(quick(), wait=True)["status"], "succeeded")

    def test_queue(self):
        with self.daemon("--workers=1", "--queue=3") as daemon:
            running = daemon.submit(endless())["id"]
            daemon.worker_of(running)
            for _ in range(3):
                last = daemon.submit(endless())["id"]
            answer = daemon.request("POST", "/jobs", endless())
            self.assertEqual(answer.status, 503)
            self.assertGreater(int(answer.headers["Retry-After"]), 0)
            self.assertEqual(daemon.get("/readyz").status, 503)
            self.assertEqual(daemon.metrics()["mbsd_queue_length"], 3)
            daemon.request("DELETE", f"/jobs/{last}")
            daemon.submit(endless())

    @sqlite_only
    def test_disk(self):
        """Below the reserve new jobs are refused, and everything can be read."""
        with self.daemon() as daemon:
            job = daemon.submit(quick(), wait=True)["id"]
            self.assertEqual(daemon.stop(), 0)
        with self.daemon("--disk-reserve=900T") as daemon:
            self.assertEqual(daemon.request("POST", "/jobs", quick()).status, 507)
            self.assertEqual(daemon.get("/readyz").status, 503)
            self.assertEqual(daemon.get("/healthz").status, 200)
            self.assertEqual(daemon.job(job)["status"], "succeeded")
            self.assertEqual(daemon.get(f"/jobs/{job}/results/T").status, 200)
            self.assertEqual(daemon.request("DELETE", f"/jobs/{job}").status, 204)
            self.assertEqual(daemon.metrics()["mbsd_accepting"], 0)

    def test_no_workers(self):
        """No request waits forever without workers; a supervisor that hangs is replaced."""
        with self.daemon("--workers=1") as daemon:
            supervisor = daemon.supervisors()[0]
            os.kill(supervisor, signal.SIGSTOP)
            for pid in daemon.workers():
                os.kill(pid, signal.SIGKILL)
            until(lambda: daemon.metrics()["mbsd_workers"] == 0)
            until(lambda: daemon.get("/readyz").status == 503)
            answer = daemon.request("POST", "/jobs", quick())
            self.assertEqual(answer.status, 503)
            self.assertIn("Retry-After", answer.headers)
            until(lambda: daemon.get("/readyz").status == 200)
            self.assertNotEqual(daemon.supervisors(), [supervisor])
            self.assertEqual(daemon.submit(quick(), wait=True)["status"], "succeeded")


if __name__ == "__main__":
    unittest.main()
