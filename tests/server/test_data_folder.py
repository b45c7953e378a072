"""The data folder is complete and belongs to its owner, or it is refused with a remedy."""

import os
import shutil
import stat
import unittest

from data_folder import FILES, QUEUE_OF_BEFORE, OperationTest
from support import quick, until


class Start(OperationTest):
    def test_one_of_two(self):
        """A folder without one of its databases is refused and not changed; a folder without both is a fresh one."""
        self.made()
        shutil.copytree(self.path(""), self.path("", "kept"))
        for lost, kept in (FILES, FILES[::-1]):
            for state in ("missing", "empty"):
                with self.subTest(lost=lost, state=state):
                    os.unlink(self.path(lost))
                    if state == "empty":
                        open(self.path(lost), "wb").close()
                    size = os.path.getsize(self.path(kept))
                    self.refused(f"{lost} is {state}, but {kept} exists", "restore both from a backup")
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

    def test_older_queue(self):
        """Acknowledged jobs that are missing are reported, except deleted ones."""
        with self.daemon() as daemon:
            daemon.submit(quick(), wait=True)
            daemon.stop()
        shutil.copy(self.path("queue.db"), self.path("older.db", "."))
        with self.daemon() as daemon:
            for _ in range(3):
                job = daemon.submit(quick(), wait=True)["id"]
            self.assertEqual(daemon.request("DELETE", f"/jobs/{job}").status, 204)
            self.assertEqual(daemon.events("jobs_missing"), [])
            daemon.stop()
        self.assertEqual(self.check().returncode, 0)
        shutil.copy(self.path("older.db", "."), self.path("queue.db"))
        found = self.check()
        self.assertEqual(found.returncode, 1)
        self.assertIn("has results of 2 runs without a job", found.stdout)
        with self.daemon() as daemon:
            until(lambda: daemon.events("jobs_missing"))
            self.assertEqual([event["runs"] for event in daemon.events("jobs_missing")], [2])

    def test_without_tables(self):
        """An empty database counts as missing."""
        self.made()
        os.unlink(self.path("results.db"))
        with self.database("results.db") as database:
            database.execute("PRAGMA user_version = 0")
            database.execute("VACUUM")
        self.refused("results.db is empty")

    def test_first_start_that_broke_off(self):
        """Nothing can be missing until the first start has finished."""
        with self.daemon() as daemon:
            daemon.stop()
        os.unlink(self.path("results.db"))
        open(self.path("beginning"), "wb").close()
        with self.daemon() as daemon:
            self.assertFalse(os.path.exists(self.path("beginning")))
            self.assertEqual(daemon.submit(quick(), wait=True)["status"], "succeeded")

    def test_pairs(self):
        """A results.db of another folder is refused; files from versions without identities get one if they match."""
        self.made()
        os.rename(self.path(""), self.path("", "other"))
        self.made()
        shutil.copytree(self.path(""), self.path("", "mine"))

        def swap():
            shutil.copyfile(self.path("results.db", "other"), self.path("results.db"))

        def forget():
            for name, sql in (("queue.db", QUEUE_OF_BEFORE),
                              ("results.db", "DROP TABLE identity; DROP TABLE blocks; PRAGMA user_version = 3;")):
                with self.database(name) as database:
                    database.executescript(sql + "PRAGMA wal_checkpoint(TRUNCATE)")

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
        """A file with changed pages is refused before anything is written to it."""
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
                self.assertRegex(answer.stdout, r"\d+ errors? found; restore the folder from a backup\n$")
                with open(self.path(name), "wb") as file:
                    file.write(whole)
        self.assertEqual(self.check().returncode, 0)

    def test_damaged_and_large(self):
        """A large file is checked while the service runs; damage is then reported as a fault."""
        job = self.made()
        with self.database("results.db") as database:
            database.execute("PRAGMA synchronous = OFF")
            database.execute("PRAGMA wal_autocheckpoint = 100000")
            database.execute("CREATE TABLE filling (data BLOB) STRICT")
            database.execute("INSERT INTO filling VALUES (zeroblob(?))", (257 << 20,))
        with self.daemon() as daemon:
            until(lambda: len(daemon.events("database_looked_through")) == 2)
            self.assertEqual({event["found"] for event in daemon.events("database_looked_through")}, {"ok"})
            until(lambda: daemon.get("/readyz").body == b'{"status":"ready"}\n')
            self.assertEqual(daemon.stop(), 0)
        with open(self.path("results.db"), "r+b") as file:
            file.seek(100 << 20)
            file.write(b"\x55" * 8192)
        with self.daemon() as daemon:
            until(lambda: daemon.get("/readyz").status == 503)
            self.assertIn("results.db is damaged", daemon.get("/readyz").json()["detail"])
            self.assertEqual(daemon.request("POST", "/jobs", quick()).status, 503)
            self.assertEqual(daemon.get(f"/jobs/{job}/results/T").status, 200)
            until(lambda: daemon.events("storage_fault"))

    def test_schema(self):
        """A trigger or an index with a changed definition is found, although the pages are intact."""
        self.made()
        for name, kind, text, other in (("queue.db", "trigger jobs_of_clients_in", "queued + (new", "queued - (new"),
                                        ("queue.db", "index jobs_by_model", "model_name, seq", "model_name"),
                                        ("results.db", "table parts", "-- of data", "-- of date")):
            shutil.copytree(self.path(""), self.path("", "other"))
            with self.database(name, "other") as database:
                database.execute("PRAGMA writable_schema = ON")
                changed = database.execute("UPDATE sqlite_schema SET sql = replace(sql, ?, ?)"
                                           " WHERE name = ? AND instr(sql, ?)", (text, other, kind.split()[1], text))
                self.assertEqual(changed.rowcount, 1)
            wrong = f"the {kind} is different from that of mbsd"
            self.assertIn(f"{name}: {wrong}", self.check("other").stdout)
            self.refused(wrong, "restore the folder from a backup", folder="other")
            shutil.rmtree(self.path("", "other"))
        with self.database("queue.db") as database:  # an operator may add something
            database.execute("CREATE INDEX more ON jobs (name)")
        self.assertEqual(self.check().returncode, 0)

    def test_swapped_or_cut(self):
        """Each refusal names a remedy."""
        self.made()
        shutil.copytree(self.path(""), self.path("", "swapped"))
        for name, other in (FILES, FILES[::-1]):
            shutil.copy(self.path(name), self.path(other, "swapped"))
        self.refused("queue.db: the names of queue.db and results.db were swapped", "rename the files back", folder="swapped")
        self.assertIn("results.db: the names of queue.db and results.db were swapped", self.check("swapped").stdout)
        for name in FILES:
            for size in (10, 4096, 40000):
                shutil.rmtree(self.path("", "cut"), ignore_errors=True)
                shutil.copytree(self.path(""), self.path("", "cut"))
                os.truncate(self.path(name, "cut"), size)
                self.refused(name, "restore the folder from a backup", folder="cut")
                self.assertIn("restore the folder from a backup", self.check("cut").stdout)

    def test_left_temporary_files(self):
        """Temporary files that a killed daemon left are removed, and no others."""
        self.made()
        for name in (".mbsd-scratch-Ab12cD", ".mbsd-scratch-left", "mine.txt", ".mbsd-mine"):
            with open(self.path(name), "wb") as file:
                file.write(b"left")
        with self.daemon() as daemon:
            names = set(os.listdir(self.path("")))
            self.assertEqual([name for name in names if name.startswith(".mbsd-scratch-")], [])
            self.assertLessEqual({"mine.txt", ".mbsd-mine"}, names)
            self.assertEqual(daemon.get("/readyz").status, 200)

    def test_permissions(self):
        """The daemon removes other users' access to the folder, and makes new files accessible to the owner only."""
        self.made()
        os.chmod(self.path(""), 0o755)
        os.chmod(self.path("results.db"), 0o664)
        with open(self.path("mine.txt"), "wb"):
            os.chmod(self.path("mine.txt"), 0o644)
        with self.daemon() as daemon:
            daemon.submit(quick(), wait=True)
            self.assertEqual(len(daemon.events("permissions_tightened")), 2)
            self.assertEqual(stat.S_IMODE(os.stat(self.path("")).st_mode), 0o700)
            names = os.listdir(self.path(""))
            self.assertLessEqual({"lock", "queue.db", "queue.db-wal", "queue.db-shm", "results.db-wal"}, set(names))
            for name in names:
                mode = stat.S_IMODE(os.stat(self.path(name)).st_mode)
                self.assertEqual(mode, 0o644 if name == "mine.txt" else 0o600, name)


if __name__ == "__main__":
    unittest.main()
