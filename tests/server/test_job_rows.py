"""Damaged rows of jobs: they are reported as damaged, and do not block other jobs."""

import http.client
import os
import struct
import unittest

from data_folder import QUEUE_OF_BEFORE, OperationTest, run
from support import endless, quick, sqlite_only, until

LEAF = 13  # type of a page with rows of a table
PAGE = 4096
DAMAGED = (500, "urn:mbsd:problem:results-damaged")


def varint(data, at):
    """Reads an integer in the format of SQLite. Returns it with the position after it."""
    value = 0
    for i in range(8):
        value = value << 7 | data[at + i] & 0x7F
        if data[at + i] < 0x80:
            return value, at + i + 1
    return value << 8 | data[at + 8], at + 9


def cells(data):
    """Yields the begin and end of the row in each cell of a table on one page, in a whole file."""
    for page in range(PAGE, len(data), PAGE):
        if data[page] != LEAF:
            continue
        count, = struct.unpack_from(">H", data, page + 3)
        for i in range(count):
            cell, = struct.unpack_from(">H", data, page + 8 + 2 * i)
            size, at = varint(data, page + cell)
            _, at = varint(data, at)
            if at + size <= page + PAGE:
                yield at, at + size


@sqlite_only
class JobRows(OperationTest):
    def read_file(self):
        with self.database("queue.db") as database:
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        with open(self.path("queue.db"), "rb") as file:
            return bytearray(file.read())

    def write_file(self, data, name="queue.db", folder="data"):
        with open(self.path(name, folder), "wb") as file:
            file.write(data)

    def rows(self, data, jobs):
        """Returns the begin and end of the row of each job."""
        found = {}
        for begin, end in cells(data):
            head = data[begin:begin + 160]
            found |= {job: (begin, end) for job in jobs if job.encode() in head}
        self.assertEqual(set(found), set(jobs))
        return found

    def flip(self, jobs_and_texts):
        """Flips the last bit of a text in the row of each job only: indexes are unchanged."""
        data = self.read_file()
        rows = self.rows(data, [job for job, _ in jobs_and_texts])
        for job, text in jobs_and_texts:
            data[data.index(text, *rows[job]) + len(text) - 1] ^= 1
        self.write_file(data)

    def places(self, data, jobs):
        """Returns for each job the places of the bytes of its row, except those of the report, which has its own
        checksum."""
        with self.database("queue.db") as database:
            reports = dict(database.execute("SELECT id, report FROM jobs").fetchall())
        found = {}
        for job, (begin, end) in self.rows(data, jobs).items():
            report = data.index(reports[job].encode(), begin, end)
            found[job] = [*range(begin, report), *range(report + len(reports[job]), end)]
        return found

    def is_refused(self, data):
        """Returns true if the file as a whole is damaged: SQLite itself finds the error when it opens the file."""
        self.write_file(data, "flipped.db", ".")
        with self.database("flipped.db", ".") as database:
            return database.execute("PRAGMA quick_check(1)").fetchone() != ("ok",)

    def flip_each_byte(self, jobs):
        """Flips a bit of one byte in each job's row, a different byte for each job. Returns the jobs whose row was
        changed."""
        data = self.read_file()
        places = self.places(data, jobs)
        flipped = []
        for i, job in enumerate(jobs):
            at = places[job][i % len(places[job])]
            data[at] ^= 1 << i % 8
            if self.is_refused(data):
                data[at] ^= 1 << i % 8
            else:
                flipped.append(job)
        self.write_file(data)
        self.assertGreaterEqual(len(jobs), max(len(of) for of in places.values()))  # covers each byte
        return flipped

    def look(self, daemon, job):
        """Returns the responses for a job and its results."""
        answers = [daemon.get(f"/jobs/{job}{path}") for path in ("", "/results", "/results/uT")]
        return [(answer.status, answer.json()) for answer in answers]

    def expect_damaged(self, daemon, job):
        answer = daemon.get(f"/jobs/{job}")
        self.assertEqual((answer.status, answer.json()["type"]), DAMAGED)
        self.assertIn((job, "row"), [(event["id"], event["text"]) for event in daemon.events("job_damaged")])

    def expect_listed_as_damaged(self, told):
        self.assertEqual((told["status"], told["error"]["code"]), ("failed", "damaged"))
        self.assertEqual([told[key] for key in ("name", "tags", "model_name", "analysis", "content_hash", "created",
                                                "started", "finished", "attempt")],
                         [None, [], None, None, None, None, None, None, 0])

    def runs_of(self, job):
        with self.database("results.db") as database:
            return database.execute("SELECT count(*) FROM runs WHERE job = ?", (job,)).fetchone()[0]

    def submit_many(self, daemon, count):
        for i in range(count):
            answer = daemon.request("POST", "/jobs", {"model": quick(), "name": f"flipped {i:03}",
                                                      "tags": ["one", "two"]})
            self.assertEqual(answer.status, 202)
        until(lambda: all(job["status"] == "succeeded" for job in daemon.jobs()), 120)
        return [job["id"] for job in daemon.jobs()]

    def test_each_byte(self):
        """The responses are the original ones for every changed byte, or they report damage: single jobs, lists,
        results. Damaged jobs can be deleted."""
        with self.daemon() as daemon:
            jobs = self.submit_many(daemon, 420)
            right = {job: self.look(daemon, job) for job in jobs}
            listed = {job["id"]: job for job in daemon.jobs()}
            daemon.stop()
        flipped = self.flip_each_byte(jobs)
        self.assertGreater(len(flipped), len(jobs) / 2)
        found = self.check()
        self.assertEqual(found.returncode, 1)
        with self.daemon() as daemon:
            now = {job["id"]: job for job in daemon.jobs()}
            self.assertEqual(set(now), set(jobs))
            damaged = [job for job in jobs if now[job] != listed[job]]
            for job in damaged:
                self.expect_listed_as_damaged(now[job])
            for job in jobs:
                answers = self.look(daemon, job)
                if job in damaged:
                    self.assertEqual([(status, body.get("type")) for status, body in answers], 3 * [DAMAGED])
                else:
                    self.assertEqual(answers, right[job])
            self.assertGreater(len(damaged), 0.9 * len(flipped))
            self.assertIn(f"the row of job {damaged[-1]} does not match its checksum", found.stdout)
            self.assertGreaterEqual(daemon.metrics()["mbsd_checksum_failures_total"], len(damaged))
            for job in jobs:
                self.assertEqual(daemon.request("DELETE", f"/jobs/{job}").status, 204, job)
            self.assertEqual(daemon.jobs(), [])
            self.assertEqual(daemon.submit(quick(), wait=True)["status"], "succeeded")
            self.assertEqual(daemon.get("/readyz").status, 200)
            daemon.stop()
        os.unlink(self.path("flipped.db", "."))
        found = self.check()
        self.assertEqual((found.returncode, found.stdout.count("\n")), (0, 1), found.stdout)

    def test_damaged_jobs_are_not_run(self):
        """Damaged jobs do not prevent others from running, of the same or of another client, for any content of the
        indexes."""
        with self.daemon("--workers=1") as daemon:
            running = daemon.submit(endless())["id"]
            daemon.worker_of(running)
            queued = [daemon.submit(endless())["id"] for _ in range(5)]
            other = http.client.HTTPConnection(daemon.host, daemon.port, source_address=("127.0.0.2", 0))
            whole = daemon.request("POST", "/jobs", quick(), connection=other).json()["id"]
            other.close()
            daemon.kill()
        damaged = [running, *queued]
        with self.database("queue.db") as database:
            created, = database.execute("SELECT created FROM jobs WHERE id = ?", queued[2:3]).fetchone()
        texts = (b"endless chain", b"endless chain", b"127.0.0.1", struct.pack(">d", created), b"\"dynamics\"",
                 queued[4].encode())
        self.flip(list(zip(damaged, texts)))
        with self.daemon("--workers=1") as daemon:
            self.assertEqual(daemon.await_job(whole)["status"], "succeeded")
            self.assertEqual(daemon.submit(quick(), wait=True)["status"], "succeeded")
            self.assertEqual(daemon.metrics()["mbsd_workers_busy"], 0)
            now = {job["id"]: job for job in daemon.jobs()}
            for job in damaged:
                self.expect_listed_as_damaged(now[job])
            for job in damaged:
                self.expect_damaged(daemon, job)
            for method, path, body in (("PATCH", "", {"name": "new"}), ("POST", "/cancel", None)):
                answer = daemon.request(method, f"/jobs/{running}{path}", body,
                                        {"Content-Type": "application/merge-patch+json"} if body else None)
                self.assertEqual((answer.status, answer.json()["type"]), DAMAGED)
            found = self.check()
            for job in damaged:
                self.assertIn(f"the row of job {job} does not match its checksum", found.stdout)
                self.assertEqual(daemon.request("DELETE", f"/jobs/{job}").status, 204)
            self.assertEqual(daemon.submit(quick(), wait=True)["status"], "succeeded")
            self.assertEqual([daemon.get("/readyz").status, daemon.metrics()["mbsd_queue_length"]], [200, 0])
            daemon.stop()
        found = self.check()
        self.assertEqual(found.returncode, 0, found.stdout)

    def test_damaged_while_it_runs(self):
        """The end of a job with a damaged row does not change the row; its results remain until the job is deleted."""
        with self.daemon("--workers=1") as daemon:
            job = daemon.submit(quick(t_end=200, dt=1e-3))["id"]
            daemon.worker_of(job)
            with self.database("queue.db") as database:
                database.execute("UPDATE jobs SET name = 'another' WHERE id = ?", (job,))
            until(lambda: daemon.events("job_end_refused"))
            self.expect_damaged(daemon, job)
            self.assertEqual(daemon.submit(quick(), wait=True)["status"], "succeeded")
            daemon.stop()
        with self.daemon() as daemon:
            self.assertEqual(self.runs_of(job), 1)
            self.assertEqual(daemon.request("DELETE", f"/jobs/{job}").status, 204)
            self.assertEqual(daemon.get(f"/jobs/{job}").status, 404)
            until(lambda: self.runs_of(job) == 0)

    def test_damaged_jobs_are_not_given_again(self):
        """A damaged job answers neither a repeated key nor an equal document."""
        key = {"Idempotency-Key": "1"}
        with self.daemon() as daemon:
            body = {"model": quick(), "reuse": True}
            job = daemon.request("POST", "/jobs", body, key).json()["id"]
            daemon.await_job(job)
            with self.database("queue.db") as database:
                database.execute("UPDATE jobs SET name = 'another' WHERE id = ?", (job,))
            answer = daemon.request("POST", "/jobs", body, key)
            self.assertEqual((answer.status, answer.json()["type"]), DAMAGED)
            other = daemon.request("POST", "/jobs", body).json()
            self.assertNotEqual(other["id"], job)
            daemon.await_job(other["id"])
            self.assertEqual(daemon.request("POST", "/jobs", body).json()["id"], other["id"])

    def test_damaged_jobs_are_not_retired(self):
        """Damaged jobs do not prevent the removal of others either."""
        with self.daemon() as daemon:
            jobs = [daemon.submit(quick(), wait=True)["id"] for _ in range(3)]
            daemon.stop()
        with self.database("queue.db") as database:
            database.execute("UPDATE jobs SET finished = finished - 20 * 86400, row_checksum = 0")
            database.execute("UPDATE jobs SET name = 'another', row_checksum = 1 WHERE id = ?", jobs[:1])
        with self.daemon("--keep-days=10") as daemon:
            until(lambda: [job["id"] for job in daemon.jobs()] == jobs[:1])
            self.expect_damaged(daemon, jobs[0])

    def test_rows_of_before(self):
        """Rows of an older version get checksums at the first start. Damaged rows are not backed up."""
        job = self.made()
        with self.database("queue.db") as database:
            database.executescript(QUEUE_OF_BEFORE)
        with self.daemon() as daemon:
            self.assertEqual(daemon.job(job)["status"], "succeeded")
            daemon.stop()
        self.assertEqual(self.check().returncode, 0)
        self.flip([(job, b"chain of 1")])
        with self.daemon() as daemon:
            self.expect_damaged(daemon, job)
            copy = run("--backup", self.path("", "copy"), f"--data={self.path('')}")
            self.assertEqual(copy.returncode, 1)
            self.assertIn(f"the row of job {job} does not match its checksum", copy.stdout)
            self.assertEqual(daemon.request("DELETE", f"/jobs/{job}").status, 204)
            self.assertEqual(run("--backup", self.path("", "copy"), f"--data={self.path('')}").returncode, 0)


if __name__ == "__main__":
    unittest.main()
