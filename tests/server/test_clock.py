"""A wall clock that jumps: running jobs continue, and waiting jobs do not wait longer."""

import time
import unittest

from clock import Clock
from data_folder import run
from support import DaemonTest, chain, endless, quick


class Jumps(DaemonTest):
    def test_running_jobs(self):
        """A lease is measured with the monotonic clock: a changed date expires no lease."""
        clock = Clock(self.folder)
        with clock.daemon(self.folder, "--workers=2") as daemon:
            job = daemon.submit(endless(limits={"wall_seconds": 3}))["id"]
            daemon.worker_of(job)
            for days in (1, -1, 365, 0):
                clock.jump(days * 86400)
                created = daemon.submit(quick(), wait=True)
                self.assertEqual(created["status"], "succeeded")
                self.assertEqual(created["created"][:4], str(time.gmtime(time.time() + days * 86400).tm_year))
            done = daemon.await_job(job)
            self.assertEqual((done["error"]["code"], done["attempt"]), ("timed_out", 1))

    def test_before_1970(self):
        clock = Clock(self.folder)
        with clock.daemon(self.folder, "--workers=1") as daemon:
            clock.jump(-int(time.time()) - 100000)
            job = daemon.submit(quick(), wait=True)
            self.assertEqual([job[key][:4] for key in ("created", "started", "finished")], 3 * ["1969"])
            self.assertEqual([listed["finished"] for listed in daemon.jobs()], [job["finished"]])
            self.assertEqual(daemon.stop(), 0)
        self.assertIn("no errors found", run("--check", f"--data={self.folder}/data").stdout)

    def test_waits(self):
        clock = Clock(self.folder)
        with clock.daemon(self.folder, "--workers=1") as daemon:
            clock.jump(-86400)
            job = daemon.submit(chain(links=6, t_end=1e5, dt=1, integrator={"rtol": 1e-12, "atol": 1e-12}))
            job = daemon.get(f"/jobs/{job['id']}", Prefer="wait=1").json()
            self.assertEqual(job["status"], "running")
            clock.jump(86400)
            self.assertIn(daemon.request("POST", f"/jobs/{job['id']}/cancel").status, (200, 202))
            self.assertEqual(daemon.await_job(job["id"])["status"], "cancelled")


if __name__ == "__main__":
    unittest.main()
