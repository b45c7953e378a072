"""SIGKILL of every process: each acknowledged job ends exactly once."""

import os
import random
import signal
import time
import unittest

from support import ENDED, PATIENCE, DaemonTest, chain, endless, in_threads, is_alive, quick, until


def kill(pid):
    os.kill(pid, signal.SIGKILL)


class Workers(DaemonTest):
    def test_retried_once(self):
        with self.daemon("--workers=1") as daemon:
            job = daemon.submit(endless())["id"]
            first = daemon.worker_of(job)
            kill(first)
            until(lambda: daemon.worker_of(job) != first)
            self.assertEqual(daemon.await_job(job, "running")["attempt"], 2)
            kill(daemon.worker_of(job))
            done = daemon.await_job(job)
            self.assertEqual((done["status"], done["error"]["code"]), ("failed", "worker_crashed"))
            self.assertIn("signal 9", done["error"]["detail"])
            self.assertEqual(daemon.submit(quick(), wait=True)["status"], "succeeded")
            self.assertEqual(daemon.metrics()["mbsd_worker_deaths_total"], 2)

    def test_retry_succeeds(self):
        with self.daemon("--workers=2") as daemon:
            # Runs long enough to be found running.
            job = daemon.submit(chain(links=6, t_end=100, dt=0.1, integrator={"rtol": 1e-10}))["id"]
            kill(daemon.worker_of(job))
            done = daemon.await_job(job)
            self.assertEqual((done["status"], done["attempt"]), ("succeeded", 2))
            arrays = daemon.get(f"/jobs/{job}/results").json()["arrays"]
            names = [array["name"] for array in arrays]
            self.assertEqual(len(names), len(set(names)))
            self.assertEqual({array["shape"][0] for array in arrays if array["name"] == "T"}, {1001})

    def test_cancel_after_a_crash(self):
        """A cancel finds its job in every state after a crash, and the next job gets the worker."""
        with self.daemon("--workers=1") as daemon:
            job, other = (daemon.submit(endless())["id"] for _ in range(2))
            kill(daemon.worker_of(job))
            daemon.request("POST", f"/jobs/{job}/cancel")
            self.assertEqual(daemon.await_job(job)["status"], "cancelled")
            for array in daemon.get(f"/jobs/{job}/results").json()["arrays"]:
                self.assertEqual(daemon.get(f"/jobs/{job}/results/{array['name']}").status, 200)
            self.assertEqual(daemon.await_job(other, "running")["attempt"], 1)

    def test_idle_worker(self):
        with self.daemon("--workers=2") as daemon:
            killed = set(until(lambda: len(daemon.workers()) == 7 and daemon.workers()))
            for pid in killed:
                kill(pid)
            until(lambda: len(daemon.workers()) == 7 and not killed & set(daemon.workers()))
            until(lambda: daemon.metrics()["mbsd_workers"] == 2)
            self.assertEqual(daemon.submit(quick(), wait=True)["status"], "succeeded")

    def test_supervisor(self):
        with self.daemon("--workers=2") as daemon:
            job = daemon.submit(endless())["id"]
            daemon.worker_of(job)
            until(lambda: len(daemon.workers()) >= 2)
            workers = daemon.workers()
            kill(daemon.supervisors()[0])
            until(lambda: not any(is_alive(pid) for pid in workers))
            # The job is not at fault: it may be retried more than once.
            until(lambda: len(daemon.events("job_started")) == 2)
            kill(daemon.supervisors()[0])
            until(lambda: len(daemon.events("job_started")) == 3)
            self.assertEqual((daemon.job(job)["status"], daemon.job(job)["attempt"]), ("running", 3))
            self.assertEqual(daemon.submit(quick(), wait=True)["status"], "succeeded")
            self.assertIn(daemon.request("POST", f"/jobs/{job}/cancel").status, (200, 202))
            self.assertEqual(daemon.await_job(job)["status"], "cancelled")

    def test_stopped_worker_is_killed_when_cancelled(self):
        """Cancelling works even if a worker does not respond."""
        with self.daemon("--workers=1") as daemon:
            job = daemon.submit(endless())["id"]
            os.kill(daemon.worker_of(job), signal.SIGSTOP)
            daemon.request("POST", f"/jobs/{job}/cancel")
            self.assertEqual(daemon.await_job(job)["status"], "cancelled")
            self.assertEqual(daemon.submit(quick(), wait=True)["status"], "succeeded")


class Restarts(DaemonTest):
    def test_everything_reaches_an_end(self):
        """Clients submit while the daemon is killed repeatedly."""
        acknowledged = []
        chance = random.Random(1)
        for life in range(4):
            with self.daemon("--workers=2") as daemon:
                def client(i):
                    for k in range(10):
                        try:
                            acknowledged.append(daemon.submit(chain(links=2, t_end=1 + i, dt=0.01))["id"])
                        except OSError:
                            return

                in_threads(4, client)
                workers = daemon.workers()
                time.sleep(chance.random() * 0.2)
                daemon.kill()
                until(lambda: not any(is_alive(pid) for pid in workers))
        with self.daemon("--workers=2") as daemon:
            for job in acknowledged:
                done = daemon.await_job(job)
                self.assertEqual(done["status"], "succeeded", done["error"])
                arrays = daemon.get(f"/jobs/{job}/results").json()["arrays"]
                names = [array["name"] for array in arrays]
                self.assertEqual(len(names), len(set(names)))
                times = daemon.get(f"/jobs/{job}/results/T").json()["data"]
                self.assertEqual(len(times), round(100 * times[-1]) + 1)
            listed = [job["id"] for job in daemon.jobs()]
            self.assertEqual(len(listed), len(set(listed)))
            self.assertLessEqual(set(acknowledged), set(listed))
            self.assertEqual(daemon.stop(), 0)

    def test_kill_while_clients_post(self):
        """Everything acknowledged before the kill exists after it."""
        acknowledged = []
        with self.daemon("--workers=1") as daemon:
            def client(i):
                while True:
                    try:
                        acknowledged.append(daemon.submit(quick())["id"])
                    except (OSError, AssertionError):
                        return
                    except Exception:  # an interrupted response
                        return

            def killer(_):
                until(lambda: len(acknowledged) > 20, step=0.001)
                daemon.kill()

            in_threads(9, lambda i: client(i) if i < 8 else killer(i))
        self.assertGreater(len(acknowledged), 5)
        with self.daemon("--workers=2") as daemon:
            listed = {job["id"] for job in daemon.jobs()}
            self.assertLessEqual(set(acknowledged), listed)
            until(lambda: all(job["status"] in ENDED for job in daemon.jobs()), step=0.5)
            self.assertEqual({job["status"] for job in daemon.jobs()}, {"succeeded"})

    def test_cancel_survives(self):
        with self.daemon("--workers=1") as daemon:
            running, queued = daemon.submit(endless())["id"], daemon.submit(endless())["id"]
            os.kill(daemon.worker_of(running), signal.SIGSTOP)
            daemon.request("POST", f"/jobs/{running}/cancel")
            daemon.request("POST", f"/jobs/{queued}/cancel")
            daemon.kill()
        with self.daemon("--workers=1") as daemon:
            for job in (running, queued):  # if daemons share a database: when the lease of the dead one expires
                daemon.await_job(job, "cancelled")


class Drains(DaemonTest):
    def test_grace(self):
        """A job that ends within the grace time is finished; a longer one is queued again."""
        with self.daemon("--workers=2", "--grace=10") as daemon:
            # Runs for a moment.
            short = daemon.submit(endless(limits={"wall_seconds": 1}))["id"]
            long = daemon.submit(endless())["id"]
            queued = daemon.submit(endless())["id"]
            daemon.worker_of(short)
            daemon.worker_of(long)
            daemon.process.send_signal(signal.SIGTERM)
            until(lambda: daemon.get("/readyz").status == 503)
            answer = daemon.request("POST", "/jobs", quick())
            self.assertEqual(answer.status, 503)
            self.assertGreater(int(answer.headers["Retry-After"]), 0)
            self.assertEqual(daemon.get("/healthz").status, 200)
            self.assertEqual(daemon.process.wait(PATIENCE), 0)
        with self.daemon("--workers=1") as daemon:
            self.assertEqual((daemon.job(short)["status"], daemon.job(short)["error"]["code"]), ("failed", "timed_out"))
            self.assertEqual(daemon.job(short)["attempt"], 1)
            self.assertEqual(daemon.await_job(long, "running")["attempt"], 2)
            self.assertEqual(daemon.job(queued)["status"], "queued")

    def test_waiting_client_gets_an_answer(self):
        with self.daemon("--grace=0.5") as daemon:
            def wait(_):
                return daemon.request("POST", "/jobs", endless(), {"Prefer": "wait=60"})

            def stop(_):
                until(lambda: len(daemon.jobs()) == 3)
                return daemon.stop()

            *answers, code = in_threads(4, lambda i: wait(i) if i < 3 else stop(i))
            self.assertEqual(code, 0)
            self.assertEqual([answer.status for answer in answers], [202] * 3)

    def test_second_signal_ends_the_grace(self):
        with self.daemon("--grace=600") as daemon:
            daemon.worker_of(daemon.submit(endless())["id"])
            daemon.process.send_signal(signal.SIGTERM)
            until(lambda: daemon.events("draining"))
            self.assertEqual(daemon.stop(signal.SIGINT), 0)
            workers = daemon.workers()
            self.assertFalse(any(is_alive(pid) for pid in workers))


if __name__ == "__main__":
    unittest.main()
