"""The data folder: one daemon per folder, no newer or foreign database, and recovery after a daemon died."""

import os
import shutil
import sqlite3
import unittest

from support import PATIENCE, DaemonTest, endless, quick, until


class Store(DaemonTest):
    def path(self, name):
        return os.path.join(self.folder, "data", name)

    def refused(self, why):
        with self.assertRaises(AssertionError) as caught:
            self.daemon()
        self.assertIn(why, str(caught.exception))

    def test_second_daemon(self):
        with self.daemon() as daemon:
            self.refused("another daemon is using the folder")
            self.assertEqual(daemon.get("/healthz").status, 200)
            daemon.kill()
        with self.daemon() as daemon:
            self.assertEqual(daemon.get("/healthz").status, 200)

    def test_newer_database(self):
        with self.daemon() as daemon:
            daemon.stop()
        for name in ("queue.db", "results.db"):
            with self.subTest(name):
                database = sqlite3.connect(self.path(name))
                version = database.execute("PRAGMA user_version").fetchone()[0]
                database.execute("PRAGMA user_version = 1000")
                self.refused("of a newer mbsd")
                database.execute(f"PRAGMA user_version = {version}")
                database.close()
        with self.daemon() as daemon:
            self.assertEqual(daemon.get("/healthz").status, 200)

    def test_foreign_database(self):
        os.mkdir(os.path.join(self.folder, "data"))
        database = sqlite3.connect(self.path("queue.db"))
        database.execute("CREATE TABLE mine (a)")
        database.commit()
        shutil.copyfile(self.path("queue.db"), self.path("results.db"))
        self.refused("is not a database of mbsd")
        self.assertEqual(database.execute("PRAGMA journal_mode").fetchone()[0], "delete")
        database.close()

    def test_results_that_cannot_be_written(self):
        """A job waits until the database has saved its end, and the service reports this meanwhile."""
        with self.daemon() as daemon:
            daemon.submit(quick(), wait=True)
            database = sqlite3.connect(self.path("results.db"), isolation_level=None)
            database.execute("ALTER TABLE runs RENAME TO hidden")
            job = daemon.submit(quick())["id"]
            until(lambda: daemon.get("/readyz").status == 503)
            self.assertIn("cannot be written", daemon.get("/readyz").json()["detail"])
            self.assertEqual(daemon.job(job)["status"], "running")
            database.execute("ALTER TABLE hidden RENAME TO runs")
            database.close()
            self.assertEqual(daemon.await_job(job)["status"], "succeeded")
            self.assertEqual(daemon.get(f"/jobs/{job}/results/T").status, 200)
            self.assertEqual(daemon.get("/readyz").status, 200)

    def test_end_that_the_database_refuses(self):
        """A violated constraint is permanent: the job fails, also over a restart, and the service stops immediately."""
        with self.daemon() as daemon:
            daemon.stop()
        database = sqlite3.connect(self.path("queue.db"))
        database.execute("CREATE TRIGGER refuse BEFORE UPDATE OF status ON jobs WHEN new.status = 'succeeded'"
                         " BEGIN SELECT raise(ABORT, 'no success here'); END")
        database.commit()
        database.close()
        with self.daemon() as daemon:
            job = daemon.submit(quick(), wait=True)
            self.assertEqual((job["status"], job["error"]["code"]), ("failed", "end_not_kept"))
            self.assertIn("'succeeded'", job["error"]["detail"])
            self.assertGreater(len(daemon.get(f"/jobs/{job['id']}/results").json()["arrays"]), 0)
            self.assertEqual(daemon.get("/readyz").status, 200)
            self.assertEqual(daemon.stop(), 0)

    def test_settings_of_the_files(self):
        with self.daemon() as daemon:
            daemon.submit(quick(), wait=True)
            for name in ("queue.db", "results.db"):
                database = sqlite3.connect(self.path(name))
                self.assertEqual(database.execute("PRAGMA journal_mode").fetchone()[0], "wal")
                self.assertEqual(database.execute("PRAGMA application_id").fetchone()[0],
                                 int.from_bytes(b"mbsd", "big"))
                self.assertEqual(database.execute("PRAGMA integrity_check").fetchone()[0], "ok")
                tables = [row for row in database.execute("PRAGMA table_list")
                          if row[0] == "main" and row[2] == "table" and not row[1].startswith("sqlite_")]
                self.assertTrue(tables and all(row[5] for row in tables), "STRICT")
                database.close()

    def test_leftovers_are_dropped(self):
        """Results of an attempt that did not end the job are not visible and are removed; those of the last attempt
        when the next one ends."""
        with self.daemon("--workers=1") as daemon:
            done = daemon.submit(quick(), wait=True)["id"]
            running = daemon.submit(endless())["id"]
            daemon.worker_of(running)
            daemon.kill()
        database = sqlite3.connect(self.path("results.db"))
        database.execute("DELETE FROM runs WHERE job = ?", (running,))
        for attempt in (0, 1):
            database.execute("INSERT INTO runs (job, attempt) VALUES (?, ?)", (running, attempt))
            database.execute("INSERT INTO arrays (run, position, name, rank, shape0, shape1, shape2, shape3, timeless,"
                             " columns, tile_rows) SELECT id, 0, 't', 1, 2, 1, 1, 1, 0, 1, 2 FROM runs"
                             " WHERE job = ? AND attempt = ?", (running, attempt))
        # Imitates a daemon that died just after the job's end.
        database.execute("UPDATE runs SET settled = 0 WHERE job = ?", (done,))
        database.commit()
        database.close()
        with self.daemon("--workers=1") as daemon:
            daemon.worker_of(running)
            self.assertGreater(len(daemon.get(f"/jobs/{done}/results").json()["arrays"]), 0)
            database = sqlite3.connect(self.path("results.db"))
            runs = "SELECT job, attempt, settled FROM runs WHERE attempt < 2"
            self.assertEqual(database.execute(runs).fetchall(), [(done, 1, 1), (running, 1, 0)])
            daemon.request("POST", f"/jobs/{running}/cancel")
            daemon.await_job(running)
            until(lambda: database.execute(runs).fetchall() == [(done, 1, 1)])
            database.close()

    def test_lease(self):
        """A running job whose lease expired is claimed again; the older run is notified, and cannot end the job."""
        with self.daemon("--workers=2") as daemon:
            job = daemon.submit(endless())["id"]
            daemon.worker_of(job)
            database = sqlite3.connect(self.path("queue.db"), timeout=PATIENCE)
            database.execute("UPDATE jobs SET lease_until = 1")
            database.commit()
            database.close()
            # The next claim, by the other worker, finds it.
            self.assertEqual(daemon.submit(quick(), wait=True)["status"], "succeeded")
            until(lambda: daemon.job(job)["attempt"] == 2)
            until(lambda: daemon.events("job_end_refused"))
            self.assertEqual([event["attempt"] for event in daemon.events("job_end_refused")], [1])
            self.assertEqual(daemon.job(job)["status"], "running")
            daemon.request("POST", f"/jobs/{job}/cancel")
            self.assertEqual(daemon.await_job(job)["attempt"], 2)

    def test_heartbeat(self):
        """Changes by other programs to running jobs reach their workers with the next heartbeat."""
        with self.daemon("--workers=2") as daemon:
            cancelled, lost = (daemon.submit(endless())["id"] for _ in range(2))
            daemon.worker_of(cancelled)
            daemon.worker_of(lost)
            database = sqlite3.connect(self.path("queue.db"), timeout=PATIENCE)
            database.execute("UPDATE jobs SET cancel_requested = 1, row_checksum = 0 WHERE id = ?", (cancelled,))
            database.execute("UPDATE jobs SET attempt = 7, row_checksum = 0 WHERE id = ?", (lost,))
            database.commit()
            database.close()
            self.assertEqual(daemon.await_job(cancelled)["status"], "cancelled")
            until(lambda: daemon.metrics()["mbsd_workers_busy"] == 0)
            until(lambda: daemon.events("job_end_refused"))
            self.assertEqual([event["attempt"] for event in daemon.events("job_end_refused")], [1])
            self.assertEqual((daemon.job(lost)["status"], daemon.job(lost)["attempt"]), ("running", 7))

    def test_removed_results_leave_the_file(self):
        with self.daemon() as daemon:
            ids = [daemon.submit(quick(t_end=50, dt=0.001), wait=True)["id"] for _ in range(2)]
            size = os.path.getsize(self.path("results.db")) + os.path.getsize(self.path("results.db-wal"))
            self.assertGreater(size, 1 << 20)
            for job in ids:
                daemon.request("DELETE", f"/jobs/{job}")

            def empty():
                database = sqlite3.connect(self.path("results.db"))
                count = database.execute("SELECT (SELECT count(*) FROM parts) + (SELECT count(*) FROM runs)").fetchone()
                database.close()
                return count[0] == 0

            until(empty)
            self.assertEqual(daemon.stop(), 0)
        self.assertLess(os.path.getsize(self.path("results.db")), 256 << 10)

    def test_gives_up_a_job_that_kills_the_service(self):
        with self.daemon("--workers=1") as daemon:
            job = daemon.submit(endless())["id"]
            daemon.worker_of(job)
            daemon.kill()
        database = sqlite3.connect(self.path("queue.db"))
        database.execute("UPDATE jobs SET interruptions = 9, row_checksum = 0")
        database.commit()
        database.close()
        with self.daemon("--workers=1") as daemon:
            done = daemon.job(job)
            self.assertEqual((done["status"], done["error"]["code"]), ("failed", "interrupted"))


if __name__ == "__main__":
    unittest.main()
