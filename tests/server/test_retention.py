"""Old jobs are removed, and their space is returned to the disk."""

import os
import time
import unittest

from data_folder import FILES, OperationTest
from support import endless, quick, sqlite_only, until


@sqlite_only
class Retention(OperationTest):
    def test_by_age(self):
        """Jobs that ended too long ago are removed, except those marked to keep; waiting and running jobs remain."""
        with self.daemon("--workers=1") as daemon:
            jobs = [daemon.submit(quick(), wait=True)["id"] for _ in range(4)]
            running, queued = (daemon.submit(endless())["id"] for _ in range(2))
            daemon.worker_of(running)
            daemon.kill()
        with self.database("queue.db") as database:
            database.execute("UPDATE jobs SET finished = finished - 20 * 86400 WHERE id IN (?, ?)", jobs[:2])
            database.execute("UPDATE jobs SET keep = 1 WHERE id = ?", jobs[:1])
            database.execute("UPDATE jobs SET created = created - 20 * 86400, row_checksum = 0")
        with self.daemon("--workers=1", "--keep-days=10") as daemon:
            until(lambda: daemon.events("jobs_retired"))
            self.assertEqual([(event["by_age"], event["by_size"]) for event in daemon.events("jobs_retired")], [(1, 0)])
            self.assertEqual({job["id"] for job in daemon.jobs()}, {jobs[0], *jobs[2:], running, queued})
            self.assertEqual(daemon.get(f"/jobs/{jobs[1]}").status, 404)
            with self.database("results.db") as database:
                until(lambda: not database.execute("SELECT 1 FROM runs WHERE job = ?", jobs[1:2]).fetchone())
            metrics = daemon.metrics()
            self.assertEqual(metrics["mbsd_jobs_retired_total"], 1)
            self.assertAlmostEqual(metrics["mbsd_oldest_job_age_seconds"], 20 * 86400, delta=600)
            self.assertEqual(self.check().returncode, 0)

    def test_by_size(self):
        """The oldest finished jobs are removed until the rest is small enough, and the files shrink; clients waiting
        for a removed job get an event."""
        limit = 1 << 20
        with self.daemon() as daemon:
            jobs = [daemon.submit(quick(t_end=20, dt=0.001), wait=True)["id"] for _ in range(4)]
            until(lambda: daemon.metrics()["mbsd_database_used_bytes"] > 4 * limit)
            self.assertEqual(daemon.stop(), 0)
        with self.daemon(f"--keep-bytes={limit}") as daemon:
            until(lambda: daemon.metrics()["mbsd_database_used_bytes"] <= limit)
            left = [job["id"] for job in daemon.jobs()]
            self.assertEqual(left, jobs[::-1][:len(left)])
            self.assertEqual(len(left) + sum(event["by_size"] for event in daemon.events("jobs_retired")), 4)
            until(lambda: sum(os.path.getsize(self.path(name)) for name in FILES) < limit + (2 << 20))
        # Jobs to keep exceed the limit: this is logged once.
        with self.daemon() as daemon:
            kept = daemon.submit(quick(t_end=20, dt=0.001), wait=True)["id"]
            self.assertEqual(daemon.stop(), 0)
        with self.database("queue.db") as database:
            database.execute("UPDATE jobs SET keep = 1, row_checksum = 0 WHERE id = ?", (kept,))
        with self.daemon(f"--keep-bytes={limit >> 1}") as daemon:
            until(lambda: daemon.events("more_is_kept_than_allowed"))
            time.sleep(1.5)
            self.assertEqual(len(daemon.events("more_is_kept_than_allowed")), 1)
            self.assertEqual([job["id"] for job in daemon.jobs()], [kept])

    def test_documents_leave_the_file(self):
        """A deleted job's document releases its space, too."""
        model = quick()
        model["description"] = "x" * (4 << 20)
        with self.daemon() as daemon:
            jobs = [daemon.submit(model, wait=True)["id"] for _ in range(3)]
            with self.database("queue.db") as database:
                database.execute("PRAGMA wal_checkpoint")
            self.assertGreater(os.path.getsize(self.path("queue.db")), 12 << 20)
            for job in jobs:
                daemon.request("DELETE", f"/jobs/{job}")
            until(lambda: os.path.getsize(self.path("queue.db")) < 2 << 20)


if __name__ == "__main__":
    unittest.main()
