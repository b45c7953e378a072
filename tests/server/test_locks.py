"""Another program that locks a database or the folder is reported, and nothing is lost."""

import fcntl
import os
import time
import unittest

from data_folder import FILES, FaultTest
from support import chain, quick, until


class Locks(FaultTest):
    def test_locked(self):
        """Another program locks a database: this is detected even without a write, and ends with the lock."""
        for name in FILES:
            with self.subTest(name), self.daemon() as daemon:
                job = daemon.submit(quick(), wait=True)["id"]
                with self.database(name) as database:
                    database.execute("BEGIN EXCLUSIVE")
                    self.expect_fault(daemon, name, "is locked by another program")
                    self.assertEqual(daemon.get(f"/jobs/{job}/results/T").status, 200)
                    answer = daemon.request("DELETE", f"/jobs/{job}")
                    self.assertEqual((answer.status, "Retry-After" in answer.headers), (503, True))
                self.expect_recovery(daemon)

    def test_job_that_ends_meanwhile(self):
        """A job that ends while a database is locked is saved when the lock ends."""
        with self.daemon("--workers=1") as daemon:
            job = daemon.submit(chain(links=3, t_end=20, dt=0.01, integrator={"rtol": 1e-9}))["id"]
            daemon.worker_of(job)
            with self.database("results.db") as database:
                database.execute("BEGIN EXCLUSIVE")
                until(lambda: daemon.get("/readyz").status == 503)
                time.sleep(1)
            self.assertIn(daemon.await_job(job)["status"], ("succeeded",))
            self.assertEqual(len(daemon.get(f"/jobs/{job}/results/T").json()["data"]), 2001)

    def test_lock_that_goes(self):
        """The daemon takes the deleted lock again, so that no second daemon can start; if one did, that is a fault."""
        with self.daemon() as daemon:
            os.unlink(self.path("lock"))
            until(lambda: daemon.events("lock_taken_anew"))
            self.refused("another daemon is using the folder")
            self.assertEqual(daemon.get("/readyz").status, 200)
            with open(self.path("taken"), "wb") as taken:
                fcntl.flock(taken, fcntl.LOCK_EX)
                os.rename(self.path("taken"), self.path("lock"))
                self.expect_fault(daemon, "another process holds the lock of the data folder")
            self.expect_recovery(daemon)


if __name__ == "__main__":
    unittest.main()
