"""Common parts of the tests of the data folder: its files, and mbsd as a command that ends."""

import contextlib
import os
import sqlite3
import subprocess

from support import MBSD, PATIENCE, DaemonTest, quick, until

FILES = ("queue.db", "results.db")


def run(*arguments):
    """Runs mbsd as a command that ends."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith("MBSD_")}
    return subprocess.run([MBSD, *arguments], env=clean, capture_output=True, text=True, timeout=PATIENCE)


# SQL that converts queue.db back to version 2.
QUEUE_OF_BEFORE = ("DROP TRIGGER job_bytes_in; DROP TRIGGER job_bytes_over; DROP TRIGGER job_bytes_out;"
                   "DROP TABLE client_use; DROP INDEX jobs_unmeasured; ALTER TABLE jobs DROP COLUMN bytes;"
                   "DROP TABLE identity; DROP INDEX jobs_by_end; ALTER TABLE documents DROP COLUMN checksum;"
                   "ALTER TABLE jobs DROP COLUMN report_checksum; ALTER TABLE jobs DROP COLUMN row_checksum; ALTER TABLE jobs DROP COLUMN runs;"
                   "PRAGMA user_version = 2;")


class OperationTest(DaemonTest):
    def path(self, name, folder="data"):
        return os.path.join(self.folder, folder, name)

    def database(self, name, folder="data"):
        return contextlib.closing(sqlite3.connect(self.path(name, folder), timeout=PATIENCE, isolation_level=None))

    def refused(self, *why, folder="data"):
        with self.assertRaises(AssertionError) as caught:
            self.daemon(f"--data={self.path('', folder)}")
        for words in why:
            self.assertIn(words, str(caught.exception))

    def check(self, folder="data"):
        return run("--check", f"--data={self.path('', folder)}")

    def made(self):
        """Makes a folder with a finished job, without a daemon. Returns the job's id."""
        with self.daemon() as daemon:
            job = daemon.submit(quick(), wait=True)["id"]
            self.assertEqual(daemon.stop(), 0)
        return job


class FaultTest(OperationTest):
    def expect_fault(self, daemon, *words):
        """Expects that new jobs are refused, with the reason at /readyz; the reason is logged once."""
        until(lambda: daemon.get("/readyz").status == 503)
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
        until(lambda: daemon.get("/readyz").status == 200)
        self.assertEqual(daemon.submit(quick(), wait=True)["status"], "succeeded")
        until(lambda: daemon.events("storage_fault_over"))
        self.assertEqual(daemon.metrics()["mbsd_storage_fault"], 0)
