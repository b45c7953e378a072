"""Limits of a token: stored bytes and processor time; what a client uses of them."""

import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import time
import unittest

from clock import Clock
from data_folder import run
from support import PATIENCE, POSTGRES, DaemonTest, database_of, endless, quick, sqlite_only, until
from test_blocks import some_study


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


def size_of(document):
    return len(json.dumps(document))


class QuotaTest(DaemonTest):
    def setUp(self):
        super().setUp()
        self.file = os.path.join(self.folder, "tokens")
        self.options = (f"--token-file={self.file}", "--workers=1")

    def token(self, name, right="run"):
        """Returns a new token, and its line in the token file without limits."""
        made = run("--new-token", name, right)
        return made.stderr.split()[-1], made.stdout.strip()

    def write(self, *lines):
        with open(self.file, "w") as file:
            file.write("".join(line + "\n" for line in lines))
        os.chmod(self.file, 0o600)

    def used(self, daemon, token):
        """Returns what the client uses of its limits, by their names."""
        answer = daemon.get("/usage", **bearer(token))
        self.assertEqual(answer.status, 200)
        return {limit["name"]: limit["used"] for limit in answer.json()["limits"]}

    def post(self, daemon, token, document, **headers):
        return daemon.request("POST", "/jobs", document, {**bearer(token), **headers})

    def finished(self, daemon, token, document):
        """Posts a document, and returns the id of the job after its end."""
        job = self.post(daemon, token, document).json()["id"]
        until(lambda: daemon.get(f"/jobs/{job}", **bearer(token)).json()["finished"])
        return job

    def expect_refusal(self, answer, limit, maximum, used):
        self.assertEqual((answer.status, answer.headers["Content-Type"]), (429, "application/problem+json"))
        problem = answer.json()
        self.assertEqual((problem["limit"], problem["maximum"], problem["used"]), (limit, maximum, used))
        self.assertIn(limit, problem["detail"])
        self.assertGreater(int(answer.headers["Retry-After"]), 0)
        self.assertLessEqual(int(answer.headers["Retry-After"]), 86400)


class StoredBytes(QuotaTest):
    def test_limit(self):
        anna, line = self.token("anna")
        bert, other = self.token("bert")
        self.write(line, other)
        with self.daemon(*self.options) as daemon:
            job = self.finished(daemon, anna, quick())
            used = self.used(daemon, anna)["stored-bytes"]
            report = daemon.get(f"/jobs/{job}", **bearer(anna)).json()["report"]
            self.assertGreater(used, size_of(quick()) + len(json.dumps(report, separators=(",", ":"))) / 2)
            maximum = used + size_of(quick()) - 1
            self.write(f"{line} stored-bytes={maximum}", other)
            daemon.process.send_signal(signal.SIGHUP)
            until(lambda: daemon.events("tokens_read"))
            # A submission that may find a job takes another way than one that cannot, and an array a third one.
            for headers in ({}, {"Idempotency-Key": "k"}):
                self.expect_refusal(self.post(daemon, anna, quick(), **headers), "stored-bytes", maximum, used)
            parts = self.post(daemon, anna, [quick()]).json()["jobs"]
            self.assertEqual((parts[0]["status"], parts[0]["problem"]["limit"]), (429, "stored-bytes"))
            self.finished(daemon, bert, quick())
            self.assertEqual(self.used(daemon, anna)["stored-bytes"], used)
            self.assertEqual(daemon.stop(), 0)
        with self.daemon(*self.options) as daemon:
            self.expect_refusal(self.post(daemon, anna, quick()), "stored-bytes", maximum, used)
            self.assertEqual(daemon.request("DELETE", f"/jobs/{job}", headers=bearer(anna)).status, 204)
            self.assertEqual(self.used(daemon, anna)["stored-bytes"], 0)
            self.finished(daemon, anna, quick())
            self.assertGreater(self.used(daemon, bert)["stored-bytes"], 0)

    @sqlite_only
    def test_jobs_of_older_versions_count(self):
        anna, line = self.token("anna")
        self.write(line)
        with self.daemon(*self.options) as daemon:
            for _ in range(2):
                self.finished(daemon, anna, quick(t_end=20))
            used = self.used(daemon, anna)
            self.assertEqual(daemon.stop(), 0)
        with contextlib.closing(sqlite3.connect(os.path.join(self.folder, "data", "queue.db"))) as database:
            database.executescript("DROP TRIGGER job_bytes_in; DROP TRIGGER job_bytes_over; DROP TRIGGER job_bytes_out;"
                                   "DROP TABLE client_use; DROP INDEX jobs_unmeasured;"
                                   "ALTER TABLE jobs DROP COLUMN bytes; PRAGMA user_version = 8")
        with self.daemon(*self.options) as daemon:
            self.assertEqual(self.used(daemon, anna), {**used, "cpu-seconds": 0})
            self.assertEqual(daemon.stop(), 0)
        self.assertIn("no errors found", run("--check", f"--data={self.folder}/data").stdout)

    @unittest.skipUnless(POSTGRES, "the tables of older versions in PostgreSQL")
    def test_older_tables(self):
        anna, line = self.token("anna")
        self.write(line)
        made = ["CREATE SCHEMA mbsd; SET search_path = mbsd; CREATE TABLE version (version int NOT NULL);"
                "INSERT INTO version VALUES (2);"]
        for name in ("postgres-0001-jobs.sql", "postgres-0002-runs.sql"):
            with open(os.path.join("migrations", name), encoding="utf-8") as file:
                made.append(file.read())
        made.append("INSERT INTO jobs (id, status, created, finished, bytes, client) VALUES"
                    " ('one', 'succeeded', 1, 2, 1000, 'anna'), ('two', 'failed', 1, 2, 234, 'anna');"
                    "UPDATE counts SET succeeded = 1, failed = 1, bytes = 1234 WHERE part = 0")
        subprocess.run(["psql", "--quiet", "--no-psqlrc", "--set=ON_ERROR_STOP=1", "--dbname",
                        database_of(self.folder)], input="\n".join(made), text=True, check=True)
        with self.daemon(*self.options) as daemon:
            self.assertEqual(self.used(daemon, anna)["stored-bytes"], 1234)
            self.assertEqual(daemon.request("DELETE", "/jobs/one", headers=bearer(anna)).status, 204)
            self.assertEqual(self.used(daemon, anna)["stored-bytes"], 234)

    @sqlite_only
    def test_a_wrong_sum_is_reported(self):
        anna, line = self.token("anna")
        self.write(line)
        with self.daemon(*self.options) as daemon:
            self.finished(daemon, anna, quick())
            self.assertEqual(daemon.stop(), 0)
        with contextlib.closing(sqlite3.connect(os.path.join(self.folder, "data", "queue.db"))) as database:
            database.execute("UPDATE client_use SET bytes = bytes + 1")
            database.commit()
        self.assertIn("client anna", run("--check", f"--data={self.folder}/data").stdout)


class ProcessorTime(QuotaTest):
    def setUp(self):
        super().setUp()
        # The day in which time is counted must not end during a test.
        until(lambda: 86400 - time.time() % 86400 > PATIENCE, seconds=2 * PATIENCE)

    def test_limit(self):
        anna, line = self.token("anna")
        bert, other = self.token("bert")
        self.write(f"{line} cpu-seconds=1e-6", other)
        with self.daemon(*self.options) as daemon:
            body = {"reuse": True, "model": quick()}
            job = self.finished(daemon, anna, body)
            used = self.used(daemon, anna)["cpu-seconds"]
            self.assertGreater(used, 1e-6)
            for headers in ({}, {"Idempotency-Key": "k"}):
                self.expect_refusal(self.post(daemon, anna, quick(), **headers), "cpu-seconds", 1e-6, used)
            again = self.post(daemon, anna, body)
            self.assertEqual((again.status, again.json()["id"]), (200, job))
            self.assertEqual(self.used(daemon, bert)["cpu-seconds"], 0)
            self.finished(daemon, bert, quick())
            # A removed job gives its time not back, and neither does a restart.
            self.assertEqual(daemon.request("DELETE", f"/jobs/{job}", headers=bearer(anna)).status, 204)
            daemon.kill()
        with self.daemon(*self.options) as daemon:
            self.expect_refusal(self.post(daemon, anna, quick()), "cpu-seconds", 1e-6, used)

    def test_what_counts(self):
        """Jobs that are stopped or whose worker is killed, and the runs of a study."""
        anna, line = self.token("anna")
        self.write(line)
        with self.daemon(*self.options) as daemon:
            def used():
                return self.used(daemon, anna)["cpu-seconds"]

            job = self.post(daemon, anna, endless()).json()["id"]
            daemon.worker_of(job)
            daemon.request("POST", f"/jobs/{job}/cancel", headers=bearer(anna))
            until(lambda: daemon.get(f"/jobs/{job}", **bearer(anna)).json()["finished"])
            stopped = until(used)
            job = self.post(daemon, anna, endless()).json()["id"]
            until(lambda: daemon.get(f"/jobs/{job}", **bearer(anna)).json()["progress"]["evaluations"])
            os.kill(daemon.worker_of(job), signal.SIGKILL)
            killed = until(lambda: used() > stopped and used())
            daemon.request("DELETE", f"/jobs/{job}", headers=bearer(anna))
            self.finished(daemon, anna, some_study(50))
            self.assertGreater(until(lambda: used() > killed and used()), killed)

    @sqlite_only
    def test_a_new_day(self):
        anna, line = self.token("anna")
        self.write(f"{line} cpu-seconds=1e-6")
        clock = Clock(self.folder)
        with clock.daemon(self.folder, *self.options) as daemon:
            self.finished(daemon, anna, quick())
            refused = self.post(daemon, anna, quick())
            self.assertEqual(refused.json()["limit"], "cpu-seconds")
            clock.jump(int(refused.headers["Retry-After"]))
            self.assertEqual(self.used(daemon, anna)["cpu-seconds"], 0)
            self.finished(daemon, anna, quick())
            self.assertEqual(self.post(daemon, anna, quick()).status, 429)


if __name__ == "__main__":
    unittest.main()
