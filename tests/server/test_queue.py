"""Repeated submissions, jobs that are found again and renamed, and clients that share a queue."""

import contextlib
import json
import os
import sqlite3
import unittest

from support import DaemonTest, chain, endless, in_threads, quick, sqlite_only


class Submissions(DaemonTest):
    def test_a_key_makes_one_job(self):
        with self.daemon() as daemon:
            def work(_):
                answer = daemon.request("POST", "/jobs", quick(), {"Idempotency-Key": "k", "Prefer": "wait=60"})
                return answer.status, answer.json()["id"], answer.headers["Idempotency-Replayed"]

            answers = in_threads(8, work)
            self.assertEqual({status for status, _, _ in answers}, {200})
            self.assertEqual(len({job for _, job, _ in answers}), 1)
            self.assertEqual(sorted(str(replayed) for _, _, replayed in answers), ["None"] + 7 * ["true"])
            self.assertEqual(len(daemon.jobs()), 1)
            answer = daemon.request("POST", "/jobs", quick(t_end=2.0), {"Idempotency-Key": "k"})
            self.assertEqual((answer.status, answer.headers["Content-Type"]), (422, "application/problem+json"))
            self.assertEqual(daemon.request("POST", "/jobs", quick(), {"Idempotency-Key": ""}).status, 400)
            daemon.kill()
        with self.daemon() as daemon:
            answer = daemon.request("POST", "/jobs", quick(), {"Idempotency-Key": "k"})
            self.assertEqual((answer.json()["id"], answer.headers["Idempotency-Replayed"]), (answers[0][1], "true"))
            self.assertEqual(len(daemon.jobs()), 1)

    @sqlite_only
    def test_a_key_is_forgotten_after_a_day(self):
        with self.daemon() as daemon:
            first = daemon.request("POST", "/jobs", quick(), {"Idempotency-Key": "k"}).json()["id"]
            daemon.await_job(first)
            self.assertEqual(daemon.stop(), 0)
        for age, same in ((86000, True), (500, False)):
            with contextlib.closing(sqlite3.connect(os.path.join(self.folder, "data", "queue.db"))) as database:
                database.execute("UPDATE keys SET created = created - ?", (age,))
                database.commit()
            with self.daemon() as daemon:
                answer = daemon.request("POST", "/jobs", quick(), {"Idempotency-Key": "k"})
                self.assertEqual(answer.json()["id"] == first, same)
                self.assertEqual(daemon.stop(), 0)

    def test_a_refused_submission_can_be_sent_again(self):
        """A key whose job was not accepted is free."""
        with self.daemon("--workers=1", "--client-queue=1") as daemon:
            jobs = [daemon.submit(endless())["id"]]
            daemon.worker_of(jobs[0])
            jobs.append(daemon.submit(endless())["id"])
            for headers in ({}, {"Idempotency-Key": "k"}):
                answer = daemon.request("POST", "/jobs", endless(), headers)
                self.assertEqual(answer.status, 429)
                self.assertGreater(int(answer.headers["Retry-After"]), 0)
                self.assertEqual(answer.json()["type"], "urn:mbsd:problem:too-many-requests")
            self.assertEqual(len(daemon.jobs()), 2)
            for job in jobs:
                daemon.request("DELETE", f"/jobs/{job}")
            answer = daemon.request("POST", "/jobs", endless(), {"Idempotency-Key": "k"})
            self.assertEqual((answer.status, answer.headers["Idempotency-Replayed"]), (202, None))

    def test_a_replay_is_answered_as_the_first(self):
        with self.daemon() as daemon:
            body = {"reuse": True, "model": quick()}

            def post(key):
                answer = daemon.request("POST", "/jobs", body, {"Idempotency-Key": key})
                return (answer.status, answer.headers["Location"], answer.headers["Idempotency-Replayed"],
                        answer.json().get("reused"))

            job = daemon.submit(quick(), wait=True)["id"]
            self.assertEqual(post("k"), (200, f"/api/v1/jobs/{job}", None, True))
            self.assertEqual(post("k"), (200, f"/api/v1/jobs/{job}", "true", True))
            # A key that added a job gets the same response after the job has succeeded.
            daemon.request("DELETE", f"/jobs/{job}")
            status, location, replayed, reused = post("added")
            self.assertEqual((status, replayed, reused), (202, None, None))
            daemon.await_job(location.rpartition("/")[2], "succeeded")
            self.assertEqual(post("added"), (202, location, "true", None))

    def test_equal_jobs_are_reused(self):
        with self.daemon() as daemon:
            first = daemon.submit({"model": quick(), "name": "first", "tags": ["a"]}, wait=True)
            again = daemon.request("POST", "/jobs", {"reuse": True, "model": quick()})
            self.assertEqual((again.status, again.json()["id"]), (200, first["id"]))
            self.assertTrue(again.json()["reused"])
            self.assertEqual(again.json()["report"], first["report"])
            named = {"reuse": True, "name": "second", "model": quick()}
            second = daemon.submit(named, wait=True)
            self.assertEqual((second["name"], second["tags"], "reused" in second), ("second", [], False))
            self.assertEqual(daemon.submit(named)["id"], second["id"])
            self.assertEqual(daemon.submit({"reuse": True, "tags": ["a"], "model": quick()})["id"], first["id"])
            self.assertEqual(daemon.job(first["id"])["name"], "first")
            other = daemon.request("POST", "/jobs", {"reuse": True, "model": quick(t_end=2.0)})
            self.assertEqual(other.status, 202)
            self.assertNotEqual(other.json()["content_hash"], first["content_hash"])
            wrong = daemon.request("POST", "/jobs", {"reuse": 1, "name": "", "model": quick()})
            self.assertEqual([error["pointer"] for error in wrong.json()["errors"]], ["/name", "/reuse"])

    def test_jobs_are_renamed_and_found(self):
        with self.daemon() as daemon:
            job = daemon.submit(quick(), wait=True)["id"]
            kind = {"Content-Type": "application/merge-patch+json"}
            change = {"name": "Nr. 1 ü", "tags": ["Übung", "b"], "keep": True}
            answer = daemon.request("PATCH", f"/jobs/{job}", change, kind)
            self.assertEqual(answer.status, 200)
            self.assertLessEqual(change.items(), answer.json().items())
            other = daemon.submit(chain(links=2), wait=True)
            self.assertEqual(daemon.stop(), 0)
        with self.daemon() as daemon:
            self.assertLessEqual(change.items(), daemon.job(job).items())

            def found(query):
                return [item["id"] for item in daemon.get(f"/jobs?{query}").json()["jobs"]]

            self.assertEqual(found("tag=b"), [job])
            self.assertEqual(found("q=NR."), [job])
            self.assertEqual(found("model_name=chain+of+2"), [other["id"]])
            self.assertEqual(found(f"since={other['created']}"), [other["id"]])
            self.assertEqual(found("q=chain&limit=1"), [other["id"]])
            self.assertEqual(daemon.get("/jobs?since=soon").status, 400)
            self.assertEqual(daemon.request("PATCH", f"/jobs/{job}", "name=x").status, 415)
            answer = daemon.request("PATCH", f"/jobs/{job}", {"name": 5, "id": "x"}, kind)
            self.assertEqual([error["pointer"] for error in answer.json()["errors"]], ["/id", "/name"])
            self.assertEqual(daemon.request("PATCH", "/jobs/none", change, kind).status, 404)


@sqlite_only
class OldDatabase(DaemonTest):
    def test_jobs_of_the_first_version_are_run(self):
        data = os.path.join(self.folder, "data")
        os.mkdir(data, 0o700)
        for name, script in (("queue", "queue-0001-jobs.sql"), ("results", "results-0001-arrays.sql")):
            with contextlib.closing(sqlite3.connect(os.path.join(data, f"{name}.db"))) as database:
                with open(os.path.join("migrations", script), encoding="utf-8") as file:
                    database.executescript(file.read())
                database.executescript(f"PRAGMA application_id = {0x6d627364}; PRAGMA user_version = 1")
                if name == "queue":
                    for i, status in enumerate(("queued", "running", "cancelled")):
                        database.execute("INSERT INTO jobs (id, status, created, attempt) VALUES (?, ?, 1, ?)",
                                         (f"old-{i}", status, i))
                        database.execute("INSERT INTO documents VALUES (?, ?)", (i + 1, json.dumps(quick()).encode()))
                database.commit()
        with self.daemon() as daemon:
            for i, status in enumerate(("succeeded", "succeeded", "cancelled")):
                job = daemon.await_job(f"old-{i}")
                self.assertEqual((job["status"], job["tags"], job["content_hash"]), (status, [], None))
            self.assertEqual(daemon.submit(quick(), wait=True)["status"], "succeeded")


class Turns(DaemonTest):
    def test_a_short_job_does_not_wait(self):
        """Keeps all workers busy for longer than the test, with many jobs waiting."""
        with self.daemon("--workers=1") as daemon:
            daemon.worker_of(daemon.submit(endless())["id"])
            waiting = [daemon.submit(endless())["id"] for _ in range(5)]
            job = daemon.submit(quick(), wait=True)
            self.assertEqual(job["status"], "succeeded")
            self.assertEqual({daemon.job(other)["status"] for other in waiting}, {"queued"})

    def test_wrong_estimates_are_corrected(self):
        """A job with one row that takes long: further jobs of its kind then wait like all long ones."""
        with self.daemon("--workers=1", "--job-seconds=1") as daemon:
            self.assertEqual(daemon.submit(endless(dt=1e5), wait=True)["error"]["code"], "timed_out")
        with self.daemon("--workers=1") as daemon:
            daemon.worker_of(daemon.submit(endless())["id"])
            second = daemon.submit(endless(dt=1e5))["id"]
            self.assertEqual(daemon.submit(quick(), wait=True)["status"], "succeeded")
            self.assertEqual(daemon.job(second)["status"], "queued")

    def test_clients_take_turns(self):
        """A client with another address does not wait for the whole queue of the first."""
        with self.daemon("--workers=1") as daemon:
            # The second one is estimated as short: it occupies the worker reserved for short jobs.
            blocking = [daemon.submit(endless(dt=dt))["id"] for dt in (1, 1e5)]
            for job in blocking:
                daemon.worker_of(job)
            first = [daemon.submit(quick())["id"] for _ in range(4)]
            own = daemon.connection()
            own.source_address = ("127.0.0.2", 0)
            second = daemon.request("POST", "/jobs", quick(), connection=own).json()["id"]
            own.close()
            for job in blocking:
                daemon.request("POST", f"/jobs/{job}/cancel")
            daemon.await_job(first[-1])
            started = [event["id"] for event in daemon.events("job_started")]
            self.assertLess(started.index(second), started.index(first[1]))


if __name__ == "__main__":
    unittest.main()
