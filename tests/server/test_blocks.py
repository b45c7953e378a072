"""Blocks of studies: equal bits for all workers, even if processes die, and capacity for other jobs meanwhile."""

import contextlib
import os
import signal
import sqlite3
import time
import unittest

from support import DaemonTest, quick, until
from test_studies import long_study, study


def some_study(runs=3000, t_end=10):
    """Returns a study of some seconds whose last quarter fails."""
    return study([{"parameter": "a", "uniform": [0.1, 3]}, {"parameter": "m", "uniform": [-1, 3]}],
                 [{"name": "phi", "of": "bob.phi"}, {"name": "most", "of": "bob.omega", "take": "max"}],
                 design="random", runs=runs, analysis={"t_end": t_end})


class Blocks(DaemonTest):
    def results(self, daemon, job):
        """Returns the parts that must not depend on the distribution of the work: arrays, and the report on the
        runs."""
        arrays = {name: daemon.get(f"/jobs/{job['id']}/results/{name}").json()["data"]
                  for name in ("parameters", "outputs", "status")}
        return arrays, job["report"]["study"], job["report"]["evaluations"]

    def run_study(self, *options, runs=600):
        with self.daemon(*options) as daemon:
            job = daemon.await_job(daemon.submit({**some_study(runs), "reuse": False})["id"])
            self.assertEqual(job["status"], "succeeded", job["error"])
            blocks = {event["worker"] for event in daemon.events("block_started")}
            return self.results(daemon, job), len(blocks)

    def test_same_bits_however_it_is_divided(self):
        alone, workers = self.run_study("--workers=1")
        self.assertGreater(alone[1]["failed"], 0)
        many, more = self.run_study("--workers=4")
        self.assertEqual(alone, many)
        self.assertGreater(more, 1)

    def test_workers_die(self):
        expected, _ = self.run_study("--workers=2")
        with self.daemon("--workers=2") as daemon:
            job = daemon.submit(some_study(600))["id"]
            # No block is killed whose first run was killed before: two deaths of a single run would blame that run.
            killed = set()
            while len(killed) < 4:
                begun = until(lambda: [event for event in daemon.events("block_started")[-1:]
                                       if event["first"] not in killed] or daemon.job(job)["finished"])
                self.assertIsInstance(begun, list, "the study ended before four workers died")
                with contextlib.suppress(ProcessLookupError):
                    os.kill(begun[0]["worker"], signal.SIGKILL)
                killed.add(begun[0]["first"])
            done = daemon.await_job(job)
            self.assertEqual(done["status"], "succeeded", done["error"])
            self.assertEqual(self.results(daemon, done), expected)
            self.assertEqual(done["attempt"], 1)  # the job was not restarted

    def check_claimed_ahead(self, daemon, job):
        """Each prefetched block was computed or returned, exactly once."""
        ahead = [event["attempt"] for event in daemon.events("block_claimed_ahead") if event["id"] == job]
        began = [event["attempt"] for event in daemon.events("block_started") if event["id"] == job]
        back = {event["attempt"] for event in daemon.events("job_requeued") if event["id"] == job}
        self.assertEqual(len(set(began)), len(began))
        self.assertEqual(set(ahead) - set(began) - back, set())
        return len(ahead)

    def test_claimed_ahead(self):
        """Workers do not wait for the store between two blocks, and no prefetched block is lost."""
        with self.daemon("--workers=2") as daemon:
            first = daemon.submit(long_study())["id"]
            until(lambda: len(daemon.events("block_claimed_ahead")) > 3)
            os.kill(daemon.events("block_started")[-1]["worker"], signal.SIGKILL)
            count = len(daemon.events("block_claimed_ahead"))
            until(lambda: len(daemon.events("block_claimed_ahead")) > count + 3)
            daemon.request("POST", f"/jobs/{first}/cancel")
            self.assertEqual(daemon.await_job(first)["status"], "cancelled")
            until(lambda: daemon.metrics()["mbsd_workers_busy"] == 0)
            second = daemon.submit({**long_study(), "reuse": False})["id"]
            until(lambda: len([event for event in daemon.events("block_claimed_ahead") if event["id"] == second]) > 3)
            self.assertEqual(daemon.stop(), 0)
            for job in (first, second):
                self.assertGreater(self.check_claimed_ahead(daemon, job), 3)

    def test_daemons_die(self):
        """Finished blocks are not computed again."""
        expected, _ = self.run_study("--workers=2")
        with self.daemon("--workers=2") as daemon:
            job = daemon.submit(some_study(600))["id"]
            until(lambda: daemon.get(f"/jobs/{job}/results/status").status == 200)
            daemon.kill()
        with self.daemon("--workers=2") as daemon:
            done = daemon.await_job(job)
            self.assertEqual(self.results(daemon, done), expected)
            self.assertEqual(done["attempt"], 2)
            first = min(event["first"] for event in daemon.events("block_started"))
            self.assertGreater(first, 0)

    def test_progress_between_deaths(self):
        """A study that makes progress is not blamed, however often the service dies."""
        path = os.path.join(self.folder, "data", "queue.db")
        with self.daemon("--workers=2") as daemon:
            job = daemon.submit(long_study())["id"]
            until(lambda: daemon.job(job)["progress"]["fraction"] > 0)
            daemon.kill()
        database = sqlite3.connect(path)
        database.execute("UPDATE jobs SET interruptions = 8, row_checksum = 0")
        database.commit()
        database.close()
        for _ in range(3):  # a second one would reach the limit of ten
            with self.daemon("--workers=2") as daemon:
                before = daemon.job(job)["progress"]["fraction"]
                until(lambda: daemon.job(job)["progress"]["fraction"] > before + 1e-3)
                self.assertEqual(daemon.job(job)["status"], "running")
                daemon.kill()

    def test_daemons_end(self):
        """A SIGTERM returns blocks to the queue; finished blocks remain."""
        expected, _ = self.run_study("--workers=2")
        with self.daemon("--workers=2") as daemon:
            job = daemon.submit(some_study(600))["id"]
            until(lambda: daemon.get(f"/jobs/{job}/results/status").status == 200)
            self.assertEqual(daemon.stop(), 0)
        with self.daemon("--workers=2") as daemon:
            done = daemon.await_job(job)
            self.assertEqual(self.results(daemon, done), expected)

    def test_other_jobs_run_meanwhile(self):
        with self.daemon("--workers=1") as daemon:
            long = daemon.submit(long_study())["id"]
            until(lambda: daemon.get(f"/jobs/{long}/results/status").status == 200)
            self.assertEqual(daemon.submit(quick(), wait=True)["status"], "succeeded")
            other = daemon.submit(some_study(20))["id"]
            self.assertEqual(daemon.job(long)["status"], "running")
            self.assertEqual(daemon.job(other)["status"], "queued")  # studies of a client run one after another
            daemon.request("POST", f"/jobs/{long}/cancel")
            self.assertEqual(daemon.await_job(other)["status"], "succeeded")

    def test_cancelled_and_removed(self):
        """Cancelled and deleted studies stop, and leave nothing behind."""
        with self.daemon("--workers=2") as daemon:
            jobs = [daemon.submit(long_study())["id"] for _ in range(2)]
            until(lambda: daemon.get(f"/jobs/{jobs[0]}/results/status").status == 200)
            self.assertEqual(daemon.request("DELETE", f"/jobs/{jobs[0]}").status, 204)
            until(lambda: daemon.get(f"/jobs/{jobs[1]}/results/status").status == 200)
            daemon.request("POST", f"/jobs/{jobs[1]}/cancel")
            done = daemon.await_job(jobs[1])
            self.assertEqual(done["status"], "cancelled")
            status = daemon.get(f"/jobs/{jobs[1]}/results/status").json()["data"]
            self.assertEqual(len(status), 200000)
            self.assertEqual(status.count(0), done["report"]["study"]["done"])
            made = status.index(-1)
            self.assertEqual(daemon.get(f"/jobs/{jobs[1]}/results/parameters?rows={made}:{made + 1}").json()["data"],
                             [[None]])
            until(lambda: "mbsd_workers_busy 0" in daemon.get("/metrics").body.decode())

    def test_a_run_that_kills_its_worker(self):
        """The run that kills its worker is identified, independent of the other runs in its block, and counts as a
        failed run."""
        runs = study([{"parameter": "end", "values": [1, 1, 200000, 1, 1]}], design="list", analysis={"t_end": "end", "dt": "end"})
        runs["model"] = {**runs["model"], "parameters": {**runs["model"]["parameters"], "end": 1}}
        with self.daemon("--workers=1") as daemon:
            job = daemon.submit(runs)["id"]
            killed = set()

            def kill_what_takes_long():
                """Kills the worker of the only run that takes longer than a moment. Returns the job's end."""
                last = daemon.events("block_started")[-1:]
                if last and last[0]["attempt"] not in killed:
                    time.sleep(0.5)
                    again = daemon.events("block_started")[-1]
                    if again["attempt"] == last[0]["attempt"] and not daemon.job(job)["finished"]:
                        killed.add(again["attempt"])
                        os.kill(again["worker"], signal.SIGKILL)
                return daemon.job(job)["finished"]

            until(kill_what_takes_long)
            done = daemon.job(job)
            self.assertEqual(done["status"], "succeeded", done["error"])
            self.assertEqual(daemon.get(f"/jobs/{job}/results/status").json()["data"], [0, 0, 1, 0, 0])
            failure = done["report"]["study"]["failures"][0]
            self.assertEqual((failure["code"], failure["count"], failure["first"]), ("worker_crashed", 1, 2))
            self.assertEqual(daemon.get(f"/jobs/{job}/runs/2").json()["parameters"], {"end": 200000})
            self.assertLess(len(killed), 8)


if __name__ == "__main__":
    unittest.main()
