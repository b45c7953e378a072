"""The life of jobs over HTTP: submit, poll, wait, list, slice, cancel, remove."""

import json
import struct
import time
import unittest

from support import ENDED, DaemonTest, chain, endless, in_threads, quick, until


def read_npy(data):
    """Returns the shape and values of an array of doubles in NumPy's format."""
    assert data[:6] == b"\x93NUMPY"
    size = struct.unpack("<H", data[8:10])[0]
    header = eval(data[10:10 + size], {}, {})
    assert header["descr"] == "<f8" and not header["fortran_order"]
    values = data[10 + size:]
    return header["shape"], struct.unpack(f"<{len(values) // 8}d", values)


class Jobs(DaemonTest):
    def test_submit_and_poll(self):
        with self.daemon() as daemon:
            answer = daemon.request("POST", "/jobs", quick())
            self.assertEqual(answer.status, 202)
            job = answer.json()
            self.assertEqual(answer.headers["Location"], f"/api/v1/jobs/{job['id']}")
            # a worker may have claimed it since, and on a slow machine run it
            self.assertIn(job["status"], ("queued", "running", "succeeded"))
            done = daemon.await_job(job["id"])
            self.assertEqual(done["status"], "succeeded", done["error"])
            self.assertEqual(done["progress"]["fraction"], 1)
            self.assertEqual(done["progress"]["t"], done["analysis"]["t_end"])
            self.assertLessEqual(done["created"], done["started"])
            self.assertLessEqual(done["started"], done["finished"])
            self.assertEqual(json.loads(daemon.get(f"/jobs/{job['id']}/model").body), quick())
            self.assertEqual(daemon.get("/jobs/no-such-job").status, 404)
            self.assertEqual(daemon.stop(), 0)

    def test_wait(self):
        with self.daemon("--wait=2") as daemon:
            answer = daemon.request("POST", "/jobs", quick(), {"Prefer": "wait=20"})
            self.assertEqual((answer.status, answer.json()["status"]), (200, "succeeded"))
            begin = time.monotonic()
            answer = daemon.request("POST", "/jobs", endless(), {"Prefer": "wait=1"})
            self.assertEqual(answer.status, 202)
            self.assertIn(answer.json()["status"], ("queued", "running"))
            self.assertGreater(time.monotonic() - begin, 0.9)
            # Waits longer than the server allows, and than the client waits for a response.
            answer = daemon.get(f"/jobs/{answer.json()['id']}", Prefer="wait=1000")
            self.assertEqual(answer.json()["status"], "running")

    def test_many_clients(self):
        with self.daemon() as daemon:
            def client(i):
                found = []
                for k in range(5):
                    job = daemon.submit(quick(t_end=0.1 * (i + 1)), wait=True)
                    self.assertEqual(job["status"], "succeeded")
                    found.append(job["id"])
                return found

            ids = sum(in_threads(12, client), [])
            self.assertEqual(len(set(ids)), 60)
            listed = daemon.jobs()
            self.assertEqual({job["id"] for job in listed}, set(ids))
            self.assertEqual(len(listed), 60)

    def test_same_bits(self):
        with self.daemon() as daemon:
            answers = []
            for _ in range(3):
                job = daemon.submit(quick(t_end=3), wait=True)
                names = [array["name"] for array in daemon.get(f"/jobs/{job['id']}/results").json()["arrays"]]
                answers.append([daemon.get(f"/jobs/{job['id']}/results/{name}?format=npy").body for name in names])
            self.assertGreater(len(answers[0]), 3)
            self.assertEqual(answers[0], answers[1])
            self.assertEqual(answers[0], answers[2])

    def test_slices(self):
        with self.daemon() as daemon:
            # Has enough rows for several tiles.
            job = daemon.submit(chain(links=3, t_end=20, dt=0.001), wait=True)
            base = f"/jobs/{job['id']}/results"
            arrays = daemon.get(base).json()["arrays"]
            array = max(arrays, key=lambda a: a["shape"][0] * (a["shape"][1:] or [1])[0] * (len(a["shape"]) == 2))
            rows, columns = array["shape"]
            self.assertEqual(rows, 20001)
            self.assertGreater(rows * columns * 8, 256 << 10)
            shape, whole = read_npy(daemon.get(f"{base}/{array['name']}?format=npy").body)
            self.assertEqual(shape, (rows, columns))
            self.assertTrue(all(len(each["units"]) == len(each["labels"]) for each in arrays))
            self.assertTrue(set(array["units"]) <= {"rad", "rad/s", "m", "m/s", "N", "N m"} and "" not in array["units"])
            last = array["labels"][-1]
            query = f"?format=npy&from=3&to=17&stride=7&columns={last},{array['labels'][0]}"
            shape, part = read_npy(daemon.get(f"{base}/{array['name']}{query}").body)
            wanted = range(3000, 17001, 7)
            self.assertEqual(shape, (len(wanted), 2))
            for k, row in enumerate(wanted):
                self.assertEqual(part[2 * k], whole[row * columns + columns - 1])
                self.assertEqual(part[2 * k + 1], whole[row * columns])

    def test_list(self):
        with self.daemon() as daemon:
            ids = [daemon.submit(quick(), wait=True)["id"] for _ in range(5)]
            running = daemon.submit(endless())["id"]
            daemon.worker_of(running)
            page = daemon.get("/jobs?limit=4").json()
            self.assertEqual([job["id"] for job in page["jobs"]], [running, *ids[:1:-1]])
            # A new job does not shift the pages.
            daemon.submit(quick(), wait=True)
            page = daemon.get(f"/jobs?limit=4&cursor={page['next']}").json()
            self.assertEqual([job["id"] for job in page["jobs"]], [ids[1], ids[0]])
            self.assertIsNone(page["next"])
            found = daemon.get("/jobs?status=running").json()["jobs"]
            self.assertEqual([job["id"] for job in found], [running])
            self.assertEqual(daemon.get("/jobs?cursor=nonsense").status, 400)

    def test_progress_and_cancel(self):
        with self.daemon() as daemon:
            job = daemon.submit(endless())["id"]
            until(lambda: daemon.job(job)["progress"]["evaluations"] > 0)
            answer = daemon.request("POST", f"/jobs/{job}/cancel")
            self.assertIn(answer.status, (200, 202))
            done = daemon.await_job(job)
            self.assertEqual((done["status"], done["error"]["code"]), ("cancelled", "cancelled"))
            # A second cancel is not an error, and changes nothing.
            self.assertEqual(daemon.request("POST", f"/jobs/{job}/cancel").json()["finished"], done["finished"])
            self.assertEqual(daemon.request("POST", "/jobs/none/cancel").status, 404)
            # The worker can run the next job.
            self.assertEqual(daemon.submit(quick(), wait=True)["status"], "succeeded")

    def test_cancel_queued(self):
        with self.daemon("--workers=1") as daemon:
            first, second = daemon.submit(endless())["id"], daemon.submit(endless())["id"]
            daemon.await_job(first, "running")
            self.assertEqual(daemon.get(f"/jobs/{second}/results").status, 409)
            answer = daemon.request("POST", f"/jobs/{second}/cancel")
            self.assertEqual((answer.status, answer.json()["status"]), (200, "cancelled"))
            self.assertEqual(daemon.job(first)["status"], "running")

    def test_remove(self):
        with self.daemon() as daemon:
            done, running = daemon.submit(quick(), wait=True)["id"], daemon.submit(endless())["id"]
            daemon.worker_of(running)
            for job in (done, running):
                self.assertEqual(daemon.request("DELETE", f"/jobs/{job}").status, 204)
                for path in ("", "/model", "/results"):
                    self.assertEqual(daemon.get(f"/jobs/{job}{path}").status, 404)
                self.assertEqual(daemon.request("DELETE", f"/jobs/{job}").status, 404)
            self.assertEqual(daemon.jobs(), [])
            until(lambda: daemon.metrics()["mbsd_workers_busy"] == 0)
            self.assertEqual(daemon.submit(quick(), wait=True)["status"], "succeeded")

    def test_metrics(self):
        with self.daemon() as daemon:
            daemon.submit(quick(), wait=True)
            job = daemon.submit(endless())["id"]
            daemon.worker_of(job)
            daemon.get("/nothing/here")
            before = daemon.metrics()
            values = until(lambda: (found := daemon.metrics())['mbsd_jobs{status="running"}'] == 1 and found)
            self.assertEqual(values['mbsd_jobs{status="succeeded"}'], 1)
            self.assertEqual(values['mbsd_jobs{status="running"}'], 1)
            self.assertEqual(values["mbsd_queue_length"], 0)
            self.assertEqual(values['mbsd_jobs_finished_total{status="succeeded"}'], 1)
            self.assertEqual(values["mbsd_job_duration_seconds_count"], 1)
            self.assertEqual(values['mbsd_job_duration_seconds_bucket{le="+Inf"}'], 1)
            self.assertGreater(values["mbsd_job_duration_seconds_sum"], 0)
            self.assertGreater(values["mbsd_function_evaluations_total"], 10)
            self.assertEqual(values["mbsd_workers_busy"], 1)
            self.assertEqual(before['mbsd_http_answers_total{code="404"}'], 1)
            self.assertEqual(before['mbsd_http_answers_total{code="200"}'], 1)
            self.assertEqual(before['mbsd_http_answers_total{code="202"}'], 1)
            self.assertEqual(values["mbsd_accepting"], 1)

    def test_failed_job_keeps_its_results(self):
        with self.daemon() as daemon:
            job = daemon.submit(endless(limits={"max_evaluations": 20000}), wait=True)
            self.assertEqual(job["status"], "failed")
            self.assertEqual(job["error"]["code"], "too_many_evaluations")
            arrays = daemon.get(f"/jobs/{job['id']}/results").json()["arrays"]
            self.assertIn("T", [array["name"] for array in arrays])
            self.assertIn(daemon.job(job["id"])["status"], ENDED)


if __name__ == "__main__":
    unittest.main()
