"""Stored results: checksums of all of them, results from before checksums, and results of a running job."""

import glob
import http.client
import io
import os
import re
import sqlite3
import struct
import subprocess
import unittest
import zipfile

from data_folder import QUEUE_OF_BEFORE
from support import MBSD, PATIENCE, DaemonTest, chain, endless, quick, sqlite_only, until


class Results(DaemonTest):
    def database(self, name="results"):
        return sqlite3.connect(os.path.join(self.folder, "data", f"{name}.db"), timeout=PATIENCE)

    def change(self, sql, *values):
        database = self.database()
        self.assertEqual(database.execute(sql, values).rowcount, 1)
        database.commit()
        database.close()

    def flip(self, column, job, at, bit=3):
        """Flips a bit of a blob in the job's only part."""
        database = self.database()
        (part, blob), = database.execute(f"SELECT p.id, p.{column} FROM parts p JOIN runs r ON r.id = run"
                                         " WHERE job = ?", (job,))
        database.close()
        changed = bytearray(blob)
        changed[at] ^= 1 << bit
        self.change(f"UPDATE parts SET {column} = ? WHERE id = ?", bytes(changed), part)

    def place_of(self, job, numbers):
        """Returns the position of these numbers in the data of a job's only part."""
        database = self.database()
        (blob,), = database.execute("SELECT p.data FROM parts p JOIN runs r ON r.id = run WHERE job = ?", (job,))
        database.close()
        at = blob.find(struct.pack(f"<{len(numbers)}d", *numbers))
        self.assertGreaterEqual(at, 0)
        return at

    def refused(self, daemon, path, detail):
        """Expects a problem document, and an event in the log."""
        told = len(daemon.events("results_damaged"))
        answer = daemon.get(path)
        self.assertEqual((answer.status, answer.headers["Content-Type"]), (500, "application/problem+json"))
        self.assertEqual(answer.json()["type"], "urn:mbsd:problem:results-damaged")
        self.assertIn(detail, answer.json()["detail"])
        self.assertGreater(len(daemon.events("results_damaged")), told)

    @sqlite_only
    def test_flipped_bit_of_an_array(self):
        with self.daemon() as daemon:
            job = daemon.submit(quick(t_end=2, dt=0.01), wait=True)["id"]
            right = daemon.get(f"/jobs/{job}/results/uT").json()
            daemon.stop()
        at = self.place_of(job, [row[0] for row in right["data"]])
        self.flip("data", job, at + 8 * 150 + 6)
        with self.daemon() as daemon:
            for what in ("uT", "uT?format=csv", "uT?format=npy", "uT?from=1.4&to=1.6"):
                self.refused(daemon, f"/jobs/{job}/results/{what}", f"array 'uT' of job '{job}'")
            self.refused(daemon, f"/api/v1/jobs/{job}/results.npz", "array 'uT'")
            self.assertEqual(daemon.get(f"/jobs/{job}/results/theta_dd").status, 200)  # has separate numbers
            self.assertEqual({event["array"] for event in daemon.events("results_damaged")}, {"uT"})
            daemon.stop()
        self.flip("data", job, at + 8 * 150 + 6)
        with self.daemon() as daemon:
            self.assertEqual(daemon.get(f"/jobs/{job}/results/uT").json(), right)

    @sqlite_only
    def test_slices_of_whole_pages(self):
        """A slice is checked only as far as it is read; the beginning of a large one is checked before the response
        begins."""
        with self.daemon() as daemon:
            job = daemon.submit(chain(links=4, t_end=80, dt=0.001), wait=True)["id"]
            daemon.await_job(job)
            rows = daemon.get(f"/jobs/{job}/results/uT?from=79.9").json()["data"]
            daemon.stop()
        database = self.database()
        parts = database.execute("SELECT id, data FROM parts ORDER BY id").fetchall()
        # Only the last number, because a slow run hands its rows over in pieces of any length. theta, the next array,
        # has equal numbers.
        packed = struct.pack("<d", rows[-1][-1])
        part, blob = [(part, blob) for part, blob in parts if packed in blob][0]
        changed = bytearray(blob)
        changed[blob.find(packed) + 1] ^= 1
        database.execute("UPDATE parts SET data = ? WHERE id = ?", (bytes(changed), part))
        database.commit()
        database.close()
        with self.daemon() as daemon:
            self.assertEqual(daemon.get(f"/jobs/{job}/results/uT?to=1").status, 200)
            self.refused(daemon, f"/jobs/{job}/results/uT?from=79.99", "array 'uT'")
            # The damage is found while the response is sent, which then breaks off.
            with self.assertRaises(http.client.IncompleteRead):
                daemon.get(f"/jobs/{job}/results/uT")

    @sqlite_only
    def test_flipped_bits_of_what_describes_arrays(self):
        with self.daemon() as daemon:
            jobs = [daemon.submit(quick(), wait=True)["id"] for _ in range(3)]
            daemon.stop()
        database = self.database()
        (layout,), = database.execute("SELECT layout FROM parts p JOIN runs r ON r.id = run WHERE job = ?", (jobs[0],))
        database.close()
        self.flip("layout", jobs[0], layout.find(b"theta"))
        self.change("UPDATE parts SET checksum = checksum + 1 WHERE run = (SELECT id FROM runs WHERE job = ?)", jobs[1])
        self.change("UPDATE runs SET checksum = checksum + 1 WHERE job = ?", jobs[2])
        with self.daemon() as daemon:
            for job in jobs:
                self.refused(daemon, f"/jobs/{job}/results", f"list of arrays of job '{job}'")
                self.refused(daemon, f"/jobs/{job}/results/T", "does not match its checksum")
                self.refused(daemon, f"/api/v1/jobs/{job}/results.npz", "does not match its checksum")
                self.assertEqual(daemon.request("DELETE", f"/jobs/{job}").status, 204)

    def test_job_says_its_checksum(self):
        with self.daemon() as daemon:
            first, second = (daemon.submit(quick(), wait=True) for _ in range(2))
            other = daemon.submit(quick(t_end=2), wait=True)
            said = first["report"]["results_checksum"]
            self.assertRegex(said, "^xxh3-[0-9a-f]{16}$")
            self.assertNotEqual(other["report"]["results_checksum"], said)
            self.assertEqual(second["report"]["results_checksum"], said)  # equal numbers
            for path in ("results", "results/T", "results/T?format=csv", "results.npz"):
                answer = daemon.get(f"/api/v1/jobs/{first['id']}/{path}")
                self.assertEqual(answer.headers["Mbsd-Results-Checksum"], said)
                self.assertEqual(answer.headers["Mbsd-Complete"], "true")
            self.assertEqual(daemon.get(f"/jobs/{first['id']}/results").json()["checksum"], said)

    @sqlite_only
    def test_few_rows(self):
        """A small job takes one row for all its arrays, and arrays without columns take no space."""
        with self.daemon() as daemon:
            job = daemon.submit(quick(), wait=True)["id"]
            arrays = daemon.get(f"/jobs/{job}/results").json()["arrays"]
            empty = [array["name"] for array in arrays if not array["labels"]]
            self.assertTrue(empty)
            for name in empty:
                self.assertEqual(daemon.get(f"/jobs/{job}/results/{name}").json()["shape"][:2], [11, 0])
            numbers = sum(len(array["labels"]) * array["shape"][0] for array in arrays)
            database = self.database()
            self.assertEqual(database.execute("SELECT (SELECT count(*) FROM parts), (SELECT count(*) FROM arrays),"
                                              " (SELECT count(*) FROM tiles)").fetchone(), (1, 0, 0))
            self.assertEqual(database.execute("SELECT length(data), bytes, arrays FROM parts").fetchone(),
                             (8 * numbers, 8 * numbers, len(arrays)))
            database.close()

    def change_queue(self, sql, *values):
        database = self.database("queue")
        self.assertEqual(database.execute(sql, values).rowcount, 1)
        database.commit()
        database.close()

    @sqlite_only
    def test_damaged_texts(self):
        """Changed data is neither shown nor run: a report, an error, a document, an analysis."""
        with self.daemon("--workers=1") as daemon:
            good, other, failed = (daemon.submit(model, wait=True)["id"] for model in
                                   (quick(), quick(), quick(limits={"max_evaluations": 2})))
            self.assertEqual(daemon.job(failed)["status"], "failed")
            daemon.submit(endless())
            daemon.submit(endless())
            queued = daemon.submit(endless())["id"]
            daemon.kill()
        self.change_queue("UPDATE jobs SET report = replace(report, 'wall_seconds', 'wall_Seconds') WHERE id = ?",
                          good)
        self.change_queue("UPDATE jobs SET error = replace(error, 'code', 'c0de') WHERE id = ?", failed)
        self.change_queue("UPDATE documents SET text = CAST(replace(text, '\"mass\": 1', '\"mass\": 2') AS BLOB)"
                          " WHERE job = (SELECT seq FROM jobs WHERE id = ?)", queued)
        self.change_queue("UPDATE jobs SET analysis = replace(analysis, '1', '2') WHERE id = ?", other)
        found = subprocess.run([MBSD, "--check", f"--data={self.folder}/data"], capture_output=True, text=True)
        self.assertEqual(found.returncode, 1)
        for what, job in (("report", good), ("row", failed), ("document", queued), ("row", other)):
            self.assertIn(f"the {what} of job {job}", found.stdout)
        with self.daemon("--workers=4") as daemon:
            for job in (good, other, failed):
                answer = daemon.get(f"/jobs/{job}")
                self.assertEqual((answer.status, answer.json()["type"]), (500, "urn:mbsd:problem:results-damaged"))
            self.assertEqual(daemon.get(f"/jobs/{queued}/model").status, 500)
            listed = {job["id"]: job for job in daemon.jobs()}
            self.assertEqual((listed[good]["analysis"]["t_end"], listed[good]["error"]), (1, None))
            for job in (other, failed):
                self.assertEqual((listed[job]["analysis"], listed[job]["error"]["code"]), (None, "damaged"))
            self.assertEqual({(event["id"], event["text"]) for event in daemon.events("job_damaged")} - {
                (queued, "document")}, {(good, "report"), (other, "row"), (failed, "row")})
            self.assertEqual(daemon.await_job(queued)["error"]["code"], "document_damaged")
            self.assertGreater(len(daemon.events("job_damaged")), 3)
            self.assertEqual(daemon.submit(quick(), wait=True)["status"], "succeeded")

    def make_old(self, job, arrays):
        """Rewrites the results of a job as version 2 stored them: a row per array, and a tile per few rows of an
        array."""
        database = self.database()
        (run,), = database.execute("SELECT id FROM runs WHERE job = ?", (job,))
        database.executescript("DROP TABLE parts; ALTER TABLE runs DROP COLUMN checksum; DROP TABLE identity;"
                               "DROP TABLE blocks;"
                               "PRAGMA user_version = 2")
        queue = self.database("queue")
        queue.executescript(QUEUE_OF_BEFORE)
        queue.close()
        for position, (array, data) in enumerate(arrays):
            shape = (array["shape"] + [1, 1, 1])[:4]
            columns = len(array["labels"])
            labels, units = (str(array[key]).replace("'", '"') for key in ("labels", "units"))
            database.execute("INSERT INTO arrays VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?)",
                             (run, position, array["name"], array["unit"], array["description"], labels,
                              len(array["shape"]), *shape, array["timeless"], columns, units))
            for first in range(0, shape[0], 4):
                rows = data[first * columns:(first + 4) * columns]
                count = len(rows) // max(columns, 1)
                tile = [rows[i * columns + j] for j in range(columns) for i in range(count)]
                database.execute("INSERT INTO tiles (run, position, tile, data) VALUES (?, ?, ?, ?)",
                                 (run, position, first, struct.pack(f"<{len(tile)}d", *tile)))
        database.commit()
        database.close()

    def numbers(self, archive, name):
        with zipfile.ZipFile(io.BytesIO(archive)) as file:
            npy = file.read(name + ".npy")
        start = 10 + struct.unpack("<H", npy[8:10])[0]
        self.assertIsNone(re.search(rb"'fortran_order': True", npy[:start]))
        return list(struct.unpack(f"<{(len(npy) - start) // 8}d", npy[start:]))

    @sqlite_only
    def test_results_of_before(self):
        with self.daemon() as daemon:
            job = daemon.submit(quick(), wait=True)["id"]
            heads = daemon.get(f"/jobs/{job}/results").json()["arrays"]
            archive = daemon.get(f"/api/v1/jobs/{job}/results.npz").body
            slices = {f"{head['name']}{query}": daemon.get(f"/jobs/{job}/results/{head['name']}{query}").body
                      for head in heads for query in ("", "?stride=3", "?format=csv")}
            daemon.stop()
        self.make_old(job, [(head, self.numbers(archive, head["name"])) for head in heads])
        with self.daemon() as daemon:
            self.assertEqual(daemon.get(f"/jobs/{job}/results").json(),
                             {"arrays": heads, "complete": True, "checksum": None})
            for path, body in slices.items():
                self.assertEqual(daemon.get(f"/jobs/{job}/results/{path}").body, body, path)
            self.assertEqual(daemon.get(f"/api/v1/jobs/{job}/results.npz").status, 200)
            self.assertEqual(daemon.submit(quick(), wait=True)["status"], "succeeded")
            self.assertEqual(daemon.request("DELETE", f"/jobs/{job}").status, 204)
            database = self.database()
            until(lambda: database.execute("SELECT count(*) FROM tiles").fetchone() == (0,))
            self.assertEqual(database.execute("PRAGMA user_version").fetchone()[0],
                             len(glob.glob("migrations/results-*.sql")))
            database.close()

    def test_while_it_runs(self):
        """The results so far have equally many rows in all arrays, and are marked as incomplete."""
        with self.daemon("--workers=1") as daemon:
            job = daemon.submit(endless())["id"]
            waiting = daemon.submit(endless())["id"]
            self.assertEqual(daemon.get(f"/jobs/{waiting}/results").status, 409)
            until(lambda: daemon.get(f"/jobs/{job}/results").status == 200)
            first = daemon.get(f"/jobs/{job}/results").json()
            self.assertEqual((first["complete"], first["checksum"]), (False, None))
            rows = {array["shape"][0] for array in first["arrays"] if not array["timeless"]}
            self.assertEqual(len(rows), 1)
            rows = rows.pop()
            until(lambda: len(daemon.get(f"/jobs/{job}/results/T").json()["data"]) > rows)
            answer = daemon.get(f"/jobs/{job}/results/uT?from={rows}")  # new rows
            self.assertGreaterEqual(len(answer.json()["data"]), 1)
            self.assertFalse(answer.json()["complete"])
            self.assertEqual((answer.headers["Mbsd-Complete"], answer.headers["Cache-Control"], answer.headers["ETag"]),
                             ("false", "no-store", None))
            archive = daemon.get(f"/api/v1/jobs/{job}/results.npz")
            self.assertEqual((archive.status, archive.headers["Mbsd-Complete"]), (200, "false"))
            self.assertGreater(len(self.numbers(archive.body, "T")), rows)
            daemon.request("POST", f"/jobs/{job}/cancel")
            daemon.await_job(job)
            ended = daemon.get(f"/jobs/{job}/results/T")
            self.assertEqual(ended.headers["Mbsd-Complete"], "true")
            self.assertGreater(len(ended.json()["data"]), rows)


if __name__ == "__main__":
    unittest.main()
