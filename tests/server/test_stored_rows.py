"""Finished rows of a job are saved however it ends, and are those of its last attempt."""

import os
import signal
import sqlite3
import subprocess
import unittest

from support import PATIENCE, DaemonTest, chain, endless, until

MBS = os.environ.get("MBS", "build/dev/mbs")


def kill(pid, sign=signal.SIGKILL):
    os.kill(pid, sign)


class KeptRows(DaemonTest):
    def database(self, query, *values):
        database = sqlite3.connect(os.path.join(self.folder, "data", "results.db"), timeout=PATIENCE)
        try:
            return database.execute(query, values).fetchall()
        finally:
            database.close()

    def await_rows(self, daemon, job, attempt=1, least=2):
        """Waits until an attempt has this number of rows in all arrays."""
        def rows():
            if daemon.job(job)["attempt"] != attempt:
                return False
            answer = daemon.get(f"/jobs/{job}/results")
            return answer.status == 200 and {a["name"]: a for a in answer.json()["arrays"]}["T"]["shape"][0] >= least
        until(rows)

    def check_rows(self, daemon, job, attempt=1, least=2):
        """Checks that all arrays of an ended job exist, have equal length, and are readable. Returns the times."""
        arrays = {array["name"]: array for array in daemon.get(f"/jobs/{job}/results").json()["arrays"]}
        for name in ("T", "uT", "theta_dd", "r", "rP", "reactions", "Lam", "energy", "residuals"):
            self.assertIn(name, arrays)
        rows = arrays["T"]["shape"][0]
        self.assertGreaterEqual(rows, least)
        for name, array in arrays.items():
            if array["timeless"]:
                continue
            self.assertEqual(array["shape"][0], rows, name)
            self.assertEqual(len(daemon.get(f"/jobs/{job}/results/{name}").json()["data"]), rows, name)
        times = daemon.get(f"/jobs/{job}/results/T").json()["data"]
        self.assertEqual(times, [float(i) for i in range(rows)])
        self.assertEqual(daemon.get(f"/jobs/{job}/results/uT?from={times[-1]}").json()["shape"][0], 1)
        self.assertEqual(daemon.get(f"/api/v1/jobs/{job}/results.npz").status, 200)
        if daemon.job(job)["error"]:
            ended = daemon.job(job)
            self.assertGreaterEqual(ended["error"]["t"], times[-1])
            if ended["report"] is None:  # the worker could not report its final time: that of its last row
                self.assertEqual(ended["error"]["t"], times[-1])
            self.assertEqual(daemon.job(job)["progress"]["t"], daemon.job(job)["error"]["t"])
        until(lambda: self.database("SELECT attempt FROM runs WHERE job = ?", job) == [(attempt,)])
        return times

    def state(self, daemon, job, row):
        return daemon.get(f"/jobs/{job}/results/uT?from={row}&to={row}").json()["data"]

    def test_cancel_that_had_to_kill(self):
        with self.daemon("--workers=1") as daemon:
            job = daemon.submit(endless())["id"]
            self.await_rows(daemon, job)
            kill(daemon.worker_of(job), signal.SIGSTOP)
            daemon.request("POST", f"/jobs/{job}/cancel")
            done = daemon.await_job(job)
            self.assertEqual((done["status"], done["error"]["code"]), ("cancelled", "cancelled"))
            self.check_rows(daemon, job)
            # The rows equal those of a run that was cancelled and reported so itself.
            other = daemon.submit(endless())["id"]
            self.await_rows(daemon, other)
            daemon.request("POST", f"/jobs/{other}/cancel")
            self.assertIsNotNone(daemon.await_job(other)["report"])
            self.check_rows(daemon, other)
            self.assertEqual(self.state(daemon, job, 1), self.state(daemon, other, 1))

    def test_crashed_twice(self):
        with self.daemon("--workers=1") as daemon:
            job = daemon.submit(endless())["id"]
            self.await_rows(daemon, job, 1)
            first = daemon.worker_of(job)
            kill(first, signal.SIGABRT)  # a sanitized build logs messages for other signals
            until(lambda: daemon.worker_of(job) != first)
            self.await_rows(daemon, job, 2)
            kill(daemon.worker_of(job))
            done = daemon.await_job(job)
            self.assertEqual((done["status"], done["error"]["code"], done["attempt"]), ("failed", "worker_crashed", 2))
            self.check_rows(daemon, job, attempt=2)

    def test_rows_of_the_last_attempt_only(self):
        """A second attempt that dies before its first row has none: those of the first attempt do not count."""
        with self.daemon("--workers=1") as daemon:
            job = daemon.submit(endless())["id"]
            self.await_rows(daemon, job)
            first = daemon.worker_of(job)
            kill(first)
            until(lambda: daemon.worker_of(job) != first)
            kill(daemon.worker_of(job))
            self.assertEqual(daemon.await_job(job)["error"]["code"], "worker_crashed")
            # Deleted just after the end, so that they are no longer visible.
            until(lambda: (1,) not in self.database("SELECT attempt FROM runs WHERE job = ?", job))

    def test_time_is_up(self):
        """A worker that hangs after it has sent rows gets no additional time."""
        with self.daemon("--workers=1", "--job-seconds=3") as daemon:
            job = daemon.submit(endless())["id"]
            self.await_rows(daemon, job)
            kill(daemon.worker_of(job), signal.SIGSTOP)
            done = daemon.await_job(job)
            self.assertEqual((done["status"], done["error"]["code"]), ("failed", "timed_out"))
            self.check_rows(daemon, job)

    def test_supervisor_dies(self):
        with self.daemon("--workers=1") as daemon:
            job = daemon.submit(endless())["id"]
            self.await_rows(daemon, job, 1)
            kill(daemon.supervisors()[0])
            self.await_rows(daemon, job, 2)
            daemon.request("POST", f"/jobs/{job}/cancel")
            self.assertEqual(daemon.await_job(job)["status"], "cancelled")
            self.check_rows(daemon, job, attempt=2)

    def test_daemon_dies(self):
        with self.daemon("--workers=1") as daemon:
            job = daemon.submit(endless())["id"]
            self.await_rows(daemon, job, 1)
            daemon.kill()
        with self.daemon("--workers=1") as daemon:
            self.await_rows(daemon, job, 2)
            kill(daemon.worker_of(job), signal.SIGSTOP)
            daemon.request("POST", f"/jobs/{job}/cancel")
            self.assertEqual(daemon.await_job(job)["status"], "cancelled")
            self.check_rows(daemon, job, attempt=2)

    def test_daemon_dies_with_a_cancel_under_way(self):
        with self.daemon("--workers=1") as daemon:
            job = daemon.submit(endless())["id"]
            self.await_rows(daemon, job)
            kill(daemon.worker_of(job), signal.SIGSTOP)
            daemon.request("POST", f"/jobs/{job}/cancel")
            daemon.kill()
        with self.daemon("--workers=1") as daemon:
            done = daemon.job(job)
            self.assertEqual((done["status"], done["attempt"]), ("cancelled", 1))
            times = self.check_rows(daemon, job)
            self.assertEqual(done["error"]["t"], times[-1])

    def test_cancelled_while_it_waits_for_another_attempt(self):
        with self.daemon("--workers=2", "--grace=0.1") as daemon:
            jobs = [daemon.submit(endless())["id"] for _ in range(2)]
            for job in jobs:
                self.await_rows(daemon, job)
            self.assertEqual(daemon.stop(), 0)
        with self.daemon("--workers=1") as daemon:
            daemon.worker_of(jobs[0])
            self.assertEqual(daemon.job(jobs[1])["status"], "queued")
            answer = daemon.request("POST", f"/jobs/{jobs[1]}/cancel").json()
            self.assertEqual((answer["status"], answer["attempt"]), ("cancelled", 1))
            arrays = daemon.get(f"/jobs/{jobs[1]}/results").json()["arrays"]
            rows = {array["shape"][0] for array in arrays if not array["timeless"]}
            self.assertEqual(len(rows), 1)
            self.assertGreaterEqual(rows.pop(), 2)

    def test_removed_while_it_runs(self):
        """Nothing remains of a job that still sends rows after its deletion."""
        with self.daemon("--workers=1") as daemon:
            job = daemon.submit(endless())["id"]
            self.await_rows(daemon, job)
            self.assertEqual(daemon.request("DELETE", f"/jobs/{job}").status, 204)
            until(lambda: self.database("SELECT (SELECT count(*) FROM runs) + (SELECT count(*) FROM parts)") == [(0,)])
            self.assertEqual([line for line in daemon.text().splitlines() if '"level":"error"' in line], [])

    def test_limit(self):
        """A running job does not send more than its limit."""
        limit = 40 << 20  # not all arrays of 100001 rows fit
        with self.daemon("--workers=1", f"--result={limit}") as daemon:
            job = daemon.submit(endless())["id"]
            self.await_rows(daemon, job, 1, 1)
            first = daemon.worker_of(job)
            kill(first)
            until(lambda: daemon.worker_of(job) != first)
            self.await_rows(daemon, job, 2, 1)
            kill(daemon.worker_of(job))
            daemon.await_job(job)
            arrays = daemon.get(f"/jobs/{job}/results").json()["arrays"]
            self.assertEqual([array["name"] for array in arrays[:3]], ["T", "uT", "theta"])
            whole = sum(8 * 100001 * len(array["labels"]) for array in arrays)
            self.assertLessEqual(whole, limit)
            self.assertEqual(len({array["shape"][0] for array in arrays}), 1)

    def test_in_parts_as_in_one(self):
        """Results sent in many parts equal those of a run that sends nothing before its end."""
        model = chain(links=6, t_end=20, dt=0.0005, integrator={"rtol": 1e-10, "atol": 1e-10})
        path, out = os.path.join(self.folder, "model.json"), os.path.join(self.folder, "out")
        with self.daemon("--workers=1") as daemon:
            job = daemon.submit(model, wait=True)["id"]
            self.assertEqual(daemon.await_job(job)["status"], "succeeded")
            parts = self.database("SELECT count(*) FROM parts")[0][0]
            self.assertGreater(parts, 1)
            with open(path, "wb") as file:
                file.write(daemon.get(f"/jobs/{job}/model").body)
            subprocess.run([MBS, "run", path, "--out", out], check=True, stdout=subprocess.DEVNULL)
            for name in ("T", "uT", "rP", "Lam", "energy"):
                with open(os.path.join(out, name + ".csv"), "rb") as file:
                    self.assertEqual(daemon.get(f"/jobs/{job}/results/{name}?format=csv").body, file.read(), name)
            # Reads slices across the parts, by distant rows.
            coarse = daemon.get(f"/jobs/{job}/results/uT?stride=977").json()["data"]
            whole = daemon.get(f"/jobs/{job}/results/uT").json()["data"]
            self.assertEqual(coarse, whole[::977])


if __name__ == "__main__":
    unittest.main()
