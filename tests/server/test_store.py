"""The data folder: one daemon a folder, no newer or foreign database, and what a dead daemon left."""

import os
import sqlite3
import unittest

from support import DaemonTest, endless, quick, until


class Store(DaemonTest):
    def path(self, name):
        return os.path.join(self.folder, "data", name)

    def refused(self, why):
        with self.assertRaises(AssertionError) as caught:
            self.daemon()
        self.assertIn(why, str(caught.exception))

    def test_second_daemon(self):
        with self.daemon() as daemon:
            self.refused("another daemon uses the folder")
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
                self.refused("made by a newer mbsd")
                database.execute(f"PRAGMA user_version = {version}")
                database.close()
        with self.daemon() as daemon:
            self.assertEqual(daemon.get("/healthz").status, 200)

    def test_foreign_database(self):
        os.mkdir(os.path.join(self.folder, "data"))
        database = sqlite3.connect(self.path("queue.db"))
        database.execute("CREATE TABLE mine (a)")
        database.commit()
        self.refused("is not a database of mbsd")
        self.assertEqual(database.execute("PRAGMA journal_mode").fetchone()[0], "delete")
        database.close()

    def test_settings_of_the_files(self):
        with self.daemon() as daemon:
            daemon.submit(quick(), wait=60)
            for name in ("queue.db", "results.db"):
                database = sqlite3.connect(self.path(name))
                self.assertEqual(database.execute("PRAGMA journal_mode").fetchone()[0], "wal")
                self.assertEqual(database.execute("PRAGMA application_id").fetchone()[0],
                                 int.from_bytes(b"mbsd", "big"))
                self.assertEqual(database.execute("PRAGMA integrity_check").fetchone()[0], "ok")
                for table, kind, _, _, _, strict in database.execute("PRAGMA table_list").fetchall():
                    pass
                tables = [row for row in database.execute("PRAGMA table_list")
                          if row[0] == "main" and row[2] == "table" and not row[1].startswith("sqlite_")]
                self.assertTrue(tables and all(row[5] for row in tables), "STRICT")
                database.close()

    def test_leftovers_are_dropped(self):
        """Results of an attempt that did not end the job are seen by nobody, and go."""
        with self.daemon("--workers=1") as daemon:
            done = daemon.submit(quick(), wait=60)["id"]
            running = daemon.submit(endless())["id"]
            daemon.await_job(running, "running")
            daemon.kill()
        database = sqlite3.connect(self.path("results.db"))
        database.execute("INSERT INTO runs (job, attempt) VALUES (?, 1)", (running,))
        run = database.execute("SELECT id FROM runs WHERE job = ?", (running,)).fetchone()[0]
        database.execute("INSERT INTO arrays (run, position, name, rank, shape0, shape1, shape2, shape3, timeless,"
                         " columns, tile_rows) VALUES (?, 0, 't', 1, 2, 1, 1, 1, 0, 1, 2)", (run,))
        # As if the daemon had died just after the job's end.
        database.execute("UPDATE runs SET settled = 0 WHERE job = ?", (done,))
        database.commit()
        database.close()
        with self.daemon("--workers=1") as daemon:
            daemon.await_job(running, "running")
            self.assertGreater(len(daemon.get(f"/jobs/{done}/results").json()["arrays"]), 0)
            database = sqlite3.connect(self.path("results.db"))
            self.assertEqual(database.execute("SELECT job, settled FROM runs").fetchall(), [(done, 1)])
            database.close()

    def test_removed_results_leave_the_file(self):
        with self.daemon() as daemon:
            ids = [daemon.submit(quick(t_end=50, dt=0.001), wait=60)["id"] for _ in range(2)]
            size = os.path.getsize(self.path("results.db")) + os.path.getsize(self.path("results.db-wal"))
            self.assertGreater(size, 1 << 20)
            for job in ids:
                daemon.request("DELETE", f"/jobs/{job}")

            def empty():
                database = sqlite3.connect(self.path("results.db"))
                count = database.execute("SELECT (SELECT count(*) FROM tiles) + (SELECT count(*) FROM runs)").fetchone()
                database.close()
                return count[0] == 0

            until(empty)
            self.assertEqual(daemon.stop(), 0)
        self.assertLess(os.path.getsize(self.path("results.db")), 256 << 10)

    def test_gives_up_a_job_that_kills_the_service(self):
        with self.daemon("--workers=1") as daemon:
            job = daemon.submit(endless())["id"]
            daemon.await_job(job, "running")
            daemon.kill()
        database = sqlite3.connect(self.path("queue.db"))
        database.execute("UPDATE jobs SET interruptions = 9")
        database.commit()
        database.close()
        with self.daemon("--workers=1") as daemon:
            done = daemon.job(job)
            self.assertEqual((done["status"], done["error"]["code"]), ("failed", "interrupted"))


if __name__ == "__main__":
    unittest.main()
