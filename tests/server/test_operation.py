"""What an operator relies on: the data folder is whole or refused, faults are named, old jobs go, copies are good."""

import contextlib
import fcntl
import os
import shutil
import sqlite3
import stat
import subprocess
import threading
import time
import unittest

from support import MBSD, DaemonTest, chain, endless, in_threads, quick, until

FILES = ("queue.db", "results.db")


def run(*arguments):
    """mbsd as a command that ends."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith("MBSD_")}
    return subprocess.run([MBSD, *arguments], env=clean, capture_output=True, text=True, timeout=120)


class OperationTest(DaemonTest):
    def path(self, name, folder="data"):
        return os.path.join(self.folder, folder, name)

    def database(self, name, folder="data"):
        return contextlib.closing(sqlite3.connect(self.path(name, folder), timeout=10, isolation_level=None))

    def refused(self, *why):
        with self.assertRaises(AssertionError) as caught:
            self.daemon()
        for words in why:
            self.assertIn(words, str(caught.exception))

    def check(self, folder="data"):
        return run("--check", f"--data={self.path('', folder)}")

    def made(self):
        """A folder with a finished job, and no daemon; returns the job's id."""
        with self.daemon() as daemon:
            job = daemon.submit(quick(), wait=60)["id"]
            self.assertEqual(daemon.stop(), 0)
        return job


class Start(OperationTest):
    def test_one_of_two(self):
        """A folder without one of its databases is refused, and not touched; without both it is a fresh one."""
        self.made()
        shutil.copytree(self.path(""), self.path("", "kept"))
        for lost, kept in (FILES, FILES[::-1]):
            for state in ("missing", "empty"):
                with self.subTest(lost=lost, state=state):
                    os.unlink(self.path(lost))
                    if state == "empty":
                        open(self.path(lost), "wb").close()
                    size = os.path.getsize(self.path(kept))
                    self.refused(f"{lost} is {state}, but {kept} is there", "restore both from a backup")
                    self.assertEqual(os.path.exists(self.path(lost)), state == "empty")
                    self.assertEqual(os.path.getsize(self.path(kept)), size)
                    shutil.copyfile(self.path(lost, "kept"), self.path(lost))
        with self.daemon() as daemon:
            self.assertEqual(len(daemon.jobs()), 1)
            daemon.stop()
        for name in FILES:
            os.unlink(self.path(name))
        with self.daemon() as daemon:
            self.assertEqual(daemon.jobs(), [])

    def test_without_tables(self):
        """A database without anything in it is as good as none."""
        self.made()
        os.unlink(self.path("results.db"))
        with self.database("results.db") as database:
            database.execute("PRAGMA user_version = 0")
            database.execute("VACUUM")
        self.refused("results.db is empty")

    def test_first_start_that_broke_off(self):
        """Before the first start has come to its end, nothing can be missing."""
        with self.daemon() as daemon:
            daemon.stop()
        os.unlink(self.path("results.db"))
        open(self.path("beginning"), "wb").close()
        with self.daemon() as daemon:
            self.assertFalse(os.path.exists(self.path("beginning")))
            self.assertEqual(daemon.submit(quick(), wait=60)["status"], "succeeded")

    def test_pairs(self):
        """results.db of another folder is refused; files of before there were identities get one, if they are a pair."""
        self.made()
        os.rename(self.path(""), self.path("", "other"))
        self.made()
        shutil.copytree(self.path(""), self.path("", "mine"))

        def swap():
            shutil.copyfile(self.path("results.db", "other"), self.path("results.db"))

        def forget():
            for name, version in (("queue.db", 2), ("results.db", 3)):
                with self.database(name) as database:
                    database.executescript("DROP TABLE identity; DROP INDEX IF EXISTS jobs_by_end;"
                                           f" PRAGMA user_version = {version}; PRAGMA wal_checkpoint(TRUNCATE)")

        swap()
        self.refused("results.db does not belong to queue.db", "restore both from a backup")
        self.assertIn("does not belong to queue.db", self.check().stdout)
        forget()
        self.refused("results.db does not belong to queue.db")
        shutil.rmtree(self.path(""))
        shutil.copytree(self.path("", "mine"), self.path(""))
        forget()
        with self.daemon() as daemon:
            self.assertEqual(len(daemon.jobs()), 1)
            ids = set()
            for name in FILES:
                with self.database(name) as database:
                    ids.add(database.execute("SELECT id FROM identity").fetchone()[0])
            self.assertEqual(len(ids), 1)

    def test_damaged(self):
        """A file whose pages are not what they were is refused before anything is written to it."""
        self.made()
        for name in FILES:
            with self.subTest(name):
                with open(self.path(name), "r+b") as file:
                    whole = file.read()
                    file.seek(3 * 8192)
                    file.write(b"\x55" * 8192)
                self.refused(f"{name} is damaged", "restore the folder from a backup")
                answer = self.check()
                self.assertEqual(answer.returncode, 1)
                self.assertRegex(answer.stdout, rf"(?m)^{name}: ")
                self.assertRegex(answer.stdout, r"\d+ things? (is|are) wrong; restore the folder from a backup\n$")
                with open(self.path(name), "wb") as file:
                    file.write(whole)
        self.assertEqual(self.check().returncode, 0)

    def test_permissions(self):
        """What others may do in the folder is taken from them, and what is made is its owner's alone."""
        self.made()
        os.chmod(self.path(""), 0o755)
        os.chmod(self.path("results.db"), 0o664)
        with open(self.path("mine.txt"), "wb"):
            os.chmod(self.path("mine.txt"), 0o644)
        with self.daemon() as daemon:
            daemon.submit(quick(), wait=60)
            self.assertEqual(len(daemon.events("permissions_tightened")), 2)
            self.assertEqual(stat.S_IMODE(os.stat(self.path("")).st_mode), 0o700)
            names = os.listdir(self.path(""))
            self.assertLessEqual({"lock", "queue.db", "queue.db-wal", "queue.db-shm", "results.db-wal"}, set(names))
            for name in names:
                mode = stat.S_IMODE(os.stat(self.path(name)).st_mode)
                self.assertEqual(mode, 0o644 if name == "mine.txt" else 0o600, name)


class Check(OperationTest):
    def test_beside_a_daemon(self):
        with self.daemon() as daemon:
            for _ in range(3):
                daemon.submit(quick(), wait=60)
            daemon.submit(endless())
            answer = self.check()
            self.assertEqual((answer.returncode, answer.stderr), (0, ""))
            self.assertRegex(answer.stdout, r"^4 jobs, [34] runs with \d+ arrays of \d+ bytes.*: all is well\n$")

    def test_what_is_wrong(self):
        lost = self.made()
        with self.daemon() as daemon:
            bare = daemon.submit(quick(), wait=60)["id"]
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
                     "queue.db: row 1000 of documents refers to a row of jobs that is not there"):
            self.assertIn(line, answer.stdout.splitlines())
        self.assertIn("4 things are wrong", answer.stdout)

    def test_nothing_there(self):
        answer = run("--check", f"--data={self.folder}/none")
        self.assertEqual(answer.returncode, 1)
        self.assertIn("there are no databases", answer.stdout)
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
        self.assertIn("there are no databases", answer.stderr)
        self.assertFalse(os.path.exists(f"{self.folder}/copy"))
        with self.database("results.db") as database:
            database.execute("DELETE FROM runs")
        answer = self.backup("copy")
        self.assertEqual(answer.returncode, 1)
        self.assertIn("results are missing", answer.stdout)
        self.assertFalse(os.path.exists(f"{self.folder}/copy"))

    def test_under_load(self):
        """Copies that are made while jobs come, end and are deleted: over each of them a daemon has every job that was
        acknowledged before and not deleted, finished ones with all their results."""
        done, removed, copies, end = [], set(), [], threading.Event()

        def client(i):
            mine = []
            while not end.is_set():
                job = daemon.submit(chain(links=1 + i, t_end=1, dt=0.01), wait=30 if i else None)["id"]
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


class Retention(OperationTest):
    def test_by_age(self):
        """What ended too long ago goes, unless it is to be kept; what waits or runs stays."""
        with self.daemon("--workers=1") as daemon:
            jobs = [daemon.submit(quick(), wait=60)["id"] for _ in range(4)]
            running, queued = (daemon.submit(endless())["id"] for _ in range(2))
            daemon.worker_of(running)
            daemon.kill()
        with self.database("queue.db") as database:
            database.execute("UPDATE jobs SET finished = finished - 20 * 86400 WHERE id IN (?, ?)", jobs[:2])
            database.execute("UPDATE jobs SET keep = 1 WHERE id = ?", jobs[:1])
            database.execute("UPDATE jobs SET created = created - 20 * 86400")
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
        """The jobs that ended first go until the rest is small enough, and the files shrink with them; who waits for one
        of them is told."""
        limit = 1 << 20
        with self.daemon() as daemon:
            jobs = [daemon.submit(quick(t_end=20, dt=0.001), wait=60)["id"] for _ in range(4)]
            until(lambda: daemon.metrics()["mbsd_database_used_bytes"] > 4 * limit)
            self.assertEqual(daemon.stop(), 0)
        with self.daemon(f"--keep-bytes={limit}") as daemon:
            until(lambda: daemon.metrics()["mbsd_database_used_bytes"] <= limit)
            left = [job["id"] for job in daemon.jobs()]
            self.assertEqual(left, jobs[::-1][:len(left)])
            self.assertEqual(len(left) + sum(event["by_size"] for event in daemon.events("jobs_retired")), 4)
            until(lambda: sum(os.path.getsize(self.path(name)) for name in FILES) < limit + (2 << 20))
        # What is to be kept is more than that: it is said, once.
        with self.daemon() as daemon:
            kept = daemon.submit(quick(t_end=20, dt=0.001), wait=60)["id"]
            self.assertEqual(daemon.stop(), 0)
        with self.database("queue.db") as database:
            database.execute("UPDATE jobs SET keep = 1 WHERE id = ?", (kept,))
        with self.daemon(f"--keep-bytes={limit >> 1}") as daemon:
            until(lambda: daemon.events("more_is_kept_than_allowed"))
            time.sleep(2.5)
            self.assertEqual(len(daemon.events("more_is_kept_than_allowed")), 1)
            self.assertEqual([job["id"] for job in daemon.jobs()], [kept])

    def test_documents_leave_the_file(self):
        """A deleted job's document gives its space back, too."""
        model = quick()
        model["description"] = "x" * (4 << 20)
        with self.daemon() as daemon:
            jobs = [daemon.submit(model, wait=60)["id"] for _ in range(3)]
            with self.database("queue.db") as database:
                database.execute("PRAGMA wal_checkpoint")
            self.assertGreater(os.path.getsize(self.path("queue.db")), 12 << 20)
            for job in jobs:
                daemon.request("DELETE", f"/jobs/{job}")
            until(lambda: os.path.getsize(self.path("queue.db")) < 2 << 20)


class Faults(OperationTest):
    def expect_fault(self, daemon, *words):
        """New jobs are refused, with the reason at /readyz; the reason is logged once."""
        until(lambda: daemon.get("/readyz").status == 503, 10)
        until(lambda: daemon.events("storage_fault"))
        for word in words:
            self.assertIn(word, daemon.get("/readyz").json()["detail"])
            self.assertIn(word, daemon.events("storage_fault")[-1]["fault"])
        for _ in range(20):
            answer = daemon.request("POST", "/jobs", quick())
            self.assertEqual(answer.status, 503)
            self.assertGreater(int(answer.headers["Retry-After"]), 0)
        self.assertEqual(daemon.get("/healthz").status, 200)
        self.assertEqual(daemon.metrics()["mbsd_storage_fault"], 1)
        self.assertEqual(len(daemon.events("storage_fault")), 1)
        self.assertEqual(daemon.events("database_error"), [])

    def expect_recovery(self, daemon):
        until(lambda: daemon.get("/readyz").status == 200, 10)
        self.assertEqual(daemon.submit(quick(), wait=60)["status"], "succeeded")
        until(lambda: daemon.events("storage_fault_over"))
        self.assertEqual(daemon.metrics()["mbsd_storage_fault"], 0)

    def test_locked(self):
        """Another program holds a database: noticed although nobody writes, and over when it is."""
        for name in FILES:
            with self.subTest(name), self.daemon() as daemon:
                job = daemon.submit(quick(), wait=60)["id"]
                with self.database(name) as database:
                    database.execute("BEGIN EXCLUSIVE")
                    self.expect_fault(daemon, name, "is locked by another program")
                    self.assertEqual(daemon.get(f"/jobs/{job}/results/T").status, 200)
                    answer = daemon.request("DELETE", f"/jobs/{job}")
                    self.assertEqual((answer.status, "Retry-After" in answer.headers), (503, True))
                self.expect_recovery(daemon)

    def test_job_that_ends_meanwhile(self):
        """A job that ends while a database is locked is kept when it is free again."""
        with self.daemon("--workers=1") as daemon:
            job = daemon.submit(chain(links=3, t_end=20, dt=0.01, integrator={"rtol": 1e-9}))["id"]
            daemon.worker_of(job)
            with self.database("results.db") as database:
                database.execute("BEGIN EXCLUSIVE")
                until(lambda: daemon.get("/readyz").status == 503)
                time.sleep(1)
            self.assertIn(daemon.await_job(job)["status"], ("succeeded",))
            self.assertEqual(len(daemon.get(f"/jobs/{job}/results/T").json()["data"]), 2001)

    def test_folder_that_goes(self):
        with self.daemon() as daemon:
            job = daemon.submit(quick(), wait=60)["id"]
            os.rename(self.path(""), self.path("", "away"))
            self.expect_fault(daemon, "the data folder", "was deleted")
            self.assertEqual(daemon.get(f"/jobs/{job}/results/T").status, 200)
            os.rename(self.path("", "away"), self.path(""))
            self.expect_recovery(daemon)
            shutil.rmtree(self.path(""))
            until(lambda: daemon.get("/readyz").status == 503)
            self.assertEqual(daemon.request("POST", "/jobs", quick()).status, 503)
            self.assertEqual(daemon.job(job)["status"], "succeeded")
            self.assertEqual(daemon.stop(), 0)

    def test_file_that_goes(self):
        """Nothing is acknowledged that was written to a deleted file."""
        for name in (*FILES, "queue.db-wal"):
            with self.subTest(name), self.daemon() as daemon:
                job = daemon.submit(quick(), wait=60)["id"]
                os.rename(self.path(name), self.path("away"))
                if name == "queue.db":
                    # At once: before anybody has looked.
                    self.assertEqual(daemon.request("POST", "/jobs", quick()).status, 503)
                self.expect_fault(daemon, name.replace("-wal", ""), "was deleted or replaced")
                self.assertEqual(daemon.job(job)["status"], "succeeded")
                os.rename(self.path("away"), self.path(name))
                self.expect_recovery(daemon)

    def test_lock_that_goes(self):
        """The lock is taken anew, so that no second daemon comes in; if one did, that is a fault."""
        with self.daemon() as daemon:
            os.unlink(self.path("lock"))
            until(lambda: daemon.events("lock_taken_anew"))
            self.refused("another daemon uses the folder")
            self.assertEqual(daemon.get("/readyz").status, 200)
            with open(self.path("taken"), "wb") as taken:
                fcntl.flock(taken, fcntl.LOCK_EX)
                os.rename(self.path("taken"), self.path("lock"))
                self.expect_fault(daemon, "another process has the lock of the data folder")
            self.expect_recovery(daemon)

    def test_free_space_that_cannot_be_read(self):
        shim = os.path.join(self.folder, "shim")
        with open(shim + ".c", "w") as file:
            file.write("#include <errno.h>\n#include <stdlib.h>\n#include <string.h>\n#include <sys/statvfs.h>\n"
                       "#include <unistd.h>\n#include <sys/vfs.h>\n"
                       "int statvfs(const char *path, struct statvfs *out) {\n"
                       "  struct statfs disk;\n"
                       "  if (access(getenv(\"BROKEN\"), F_OK) == 0) return errno = EIO, -1;\n"
                       "  if (statfs(path, &disk) != 0) return -1;\n"
                       "  memset(out, 0, sizeof *out);\n"
                       "  out->f_bavail = disk.f_bavail; out->f_frsize = (unsigned long)disk.f_bsize;\n"
                       "  return 0;\n}\n")
        subprocess.run(["cc", "-shared", "-fPIC", "-o", shim, shim + ".c"], check=True)
        broken = os.path.join(self.folder, "broken")
        settings = {"LD_PRELOAD": shim, "BROKEN": broken,
                    "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"}
        before = {name: os.environ.get(name) for name in settings}
        os.environ.update(settings)
        try:
            with self.daemon() as daemon:
                self.assertEqual(daemon.get("/readyz").status, 200)
                open(broken, "wb").close()
                self.expect_fault(daemon, "the free space of the disk", "Input/output error")
                os.unlink(broken)
                self.expect_recovery(daemon)
        finally:
            for name, value in before.items():
                if value is None:
                    del os.environ[name]
                else:
                    os.environ[name] = value


if __name__ == "__main__":
    unittest.main()
