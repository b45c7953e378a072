"""`--check` finds faults in a data folder; `--backup` copies one while jobs are added and removed."""

import os
import shutil
import threading
import time
import unittest

from data_folder import FILES, OperationTest, run
from support import chain, endless, in_threads, quick, until


class Check(OperationTest):
    def test_beside_a_daemon(self):
        with self.daemon() as daemon:
            for _ in range(3):
                daemon.submit(quick(), wait=True)
            daemon.submit(endless())
            answer = self.check()
            self.assertEqual((answer.returncode, answer.stderr), (0, ""))
            self.assertRegex(answer.stdout, r"^4 jobs, [34] runs with \d+ arrays of \d+ bytes.*: no errors found\n$")

    def test_what_is_wrong(self):
        lost = self.made()
        with self.daemon() as daemon:
            bare = daemon.submit(quick(), wait=True)["id"]
            daemon.stop()
        with self.database("results.db") as database:
            database.execute("PRAGMA foreign_keys = ON")
            database.execute("DELETE FROM runs WHERE job = ?", (lost,))
        with self.database("queue.db") as database:
            database.execute("DELETE FROM documents WHERE job = (SELECT seq FROM jobs WHERE id = ?)", (bare,))
            database.execute("UPDATE counts SET jobs = 7 WHERE status = 'failed'")
            database.execute("INSERT INTO documents (job, text) VALUES (1000, x'00')")
        answer = self.check()
        self.assertEqual(answer.returncode, 1)
        for line in (f"results.db: job {lost} succeeded, but its results are missing",
                     f"queue.db: job {bare} has no document",
                     "queue.db: job failed are counted as 7, but there are 0",
                     "queue.db: row 1000 of documents refers to a missing row of jobs"):
            self.assertIn(line, answer.stdout.splitlines())
        self.assertIn("4 errors found", answer.stdout)

    def test_nothing_there(self):
        answer = run("--check", f"--data={self.folder}/none")
        self.assertEqual(answer.returncode, 1)
        self.assertIn("the folder has no databases", answer.stdout)
        self.assertFalse(os.path.exists(f"{self.folder}/none"))


class Backup(OperationTest):
    def backup(self, name):
        return run(f"--backup={self.path('', name)}", f"--data={self.path('')}")

    def test_refusals(self):
        self.made()
        os.mkdir(self.path("", "full"))
        open(self.path("mine", "full"), "wb").close()
        answer = self.backup("full")
        self.assertEqual(answer.returncode, 1)
        self.assertIn("is not empty", answer.stderr)
        self.assertEqual(os.listdir(self.path("", "full")), ["mine"])
        answer = run(f"--backup={self.folder}/copy", f"--data={self.folder}/none")
        self.assertEqual(answer.returncode, 1)
        self.assertIn("the folder has no databases", answer.stderr)
        self.assertFalse(os.path.exists(f"{self.folder}/copy"))
        with self.database("results.db") as database:
            database.execute("DELETE FROM runs")
        answer = self.backup("copy")
        self.assertEqual(answer.returncode, 1)
        self.assertIn("results are missing", answer.stdout)
        self.assertFalse(os.path.exists(f"{self.folder}/copy"))

    def test_under_load(self):
        """Makes copies while jobs are added, end and are deleted. A daemon over each copy has every job that was
        acknowledged before and not deleted, finished ones with all their results."""
        done, removed, copies, end = [], set(), [], threading.Event()

        def client(i):
            mine = []
            while not end.is_set():
                job = daemon.submit(chain(links=1 + i, t_end=1, dt=0.01), wait=i > 0)["id"]
                done.append(job)
                mine.append(job)
                if i and len(mine) > 3:
                    job = mine.pop(0)
                    removed.add(job)
                    daemon.request("DELETE", f"/jobs/{job}")

        def copier(_):
            for k in range(3):
                before = set(done) - removed
                answer = self.backup(f"copy{k}")
                self.assertEqual((answer.returncode, answer.stderr), (0, ""), answer.stdout)
                copies.append((before, removed.copy()))
                time.sleep(0.1)
            end.set()

        with self.daemon("--workers=2") as daemon:
            def work(i):
                try:
                    return copier(i) if i == 3 else client(i)
                finally:
                    end.set()

            in_threads(4, work)
            self.assertGreater(daemon.metrics()["mbsd_last_backup_timestamp_seconds"], time.time() - 60)
            daemon.kill()
        for k, (before, gone) in enumerate(copies):
            self.assertEqual(sorted(os.listdir(self.path("", f"copy{k}"))), sorted(FILES))
            for name in ("", *FILES):
                self.assertEqual(os.stat(self.path(name, f"copy{k}")).st_mode & 0o77, 0)
            shutil.rmtree(self.path(""))
            os.rename(self.path("", f"copy{k}"), self.path(""))
            with self.daemon("--workers=2") as daemon:
                until(lambda: daemon.metrics()['mbsd_queue_length'] == 0)
                with self.database("queue.db") as database:
                    jobs = {row[0] for row in database.execute("SELECT id FROM jobs")}
                self.assertLessEqual(before - gone, jobs)
                for job in jobs:
                    self.assertEqual(daemon.await_job(job)["status"], "succeeded")
                    self.assertEqual(len(daemon.get(f"/jobs/{job}/results/T").json()["data"]), 101)
                with self.database("results.db") as database:
                    until(lambda: {row[0] for row in database.execute("SELECT job FROM runs")} == jobs)
                self.assertEqual(self.check().returncode, 0)


if __name__ == "__main__":
    unittest.main()
