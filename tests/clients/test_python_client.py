"""The Python client, clients/python/mbsd.py: with the real daemon, and with a service that fails from time to time."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import zipfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.join(HERE, "..", "..")
CLIENT = os.path.abspath(os.path.join(TOP, "clients", "python"))
sys.path[:0] = [CLIENT, os.path.join(HERE, "..", "server")]

import mbsd  # noqa: E402
from failing_service import FailingService  # noqa: E402
from support import MBSD, Daemon, endless, in_threads, quick  # noqa: E402


class AgainstTheDaemon(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="mbsd-test-")
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.daemon = cls.enterClassContext(Daemon(cls.folder, "--workers=2"))
        cls.client = mbsd.Client(f"http://{cls.daemon.host}:{cls.daemon.port}")
        cls.job = cls.client.run(quick(name="seen by all tests"))

    def test_arrays_have_the_bits_of_the_service(self):
        times, motion = self.job["T"], self.job.array("uT")
        self.assertEqual((times.shape, motion.shape, motion.dtype), ((11,), (11, 2), np.float64))
        for name in ("T", "uT", "r", "energy"):
            sent = np.array(self.daemon.get(f"/jobs/{self.job.id}/results/{name}").json()["data"])
            np.testing.assert_array_equal(self.job[name], sent)

    def test_slices(self):
        label = self.job.labels["uT"][1]
        part = self.job.array("uT", columns=[label], from_=0.15, to=0.75, stride=2)
        np.testing.assert_array_equal(part, self.job["uT"][2:8:2, 1:])
        np.testing.assert_array_equal(self.job.array("uT", columns=label), self.job["uT"][:, 1:])

    def test_all_arrays_have_their_own_names(self):
        model = quick(name="sensors with odd names")
        model["sensors"] = [{"name": "a/b", "value": "t"}, {"name": "a_b", "value": "2*t"}]
        job = self.client.run(model)
        arrays = job.arrays()
        self.assertEqual(list(arrays), list(job))
        self.assertEqual(len(arrays), len(job))
        self.assertIn("a/b", job)
        for name, array in arrays.items():
            np.testing.assert_array_equal(array, job[name])
        np.testing.assert_array_equal(arrays["a_b"], 2 * arrays["a/b"])

    def test_all_arrays_in_a_file(self):
        saved = {}
        for kind in mbsd.FILES:
            path = os.path.join(self.folder, f"saved{kind}")
            self.job.save(path)
            with open(path, "rb") as file:
                saved[kind] = file.read()
        with np.load(os.path.join(self.folder, "saved.npz")) as arrays:
            np.testing.assert_array_equal(arrays["uT"], self.job["uT"])
        self.assertTrue(saved[".mat"].startswith(b"MATLAB 5.0 MAT-file"))
        self.assertTrue(saved[".h5"].startswith(b"\x89HDF\r\n"))
        with zipfile.ZipFile(os.path.join(self.folder, "saved.csv.zip")) as archive:
            self.assertEqual(len(archive.namelist()), len(self.job))
        with self.assertRaisesRegex(ValueError, "none of .npz, .mat, .h5, .csv.zip"):
            self.job.save(os.path.join(self.folder, "saved.txt"))

    def test_answers_that_are_lost_leave_one_job(self):
        """The first responses of the daemon are lost; the client finds the job by its key."""
        service = self.enterContext(FailingService("drop", "refuse", "drop", behind=(self.daemon.host, self.daemon.port)))
        job = mbsd.Client(service.url).run(quick(name="told at last"))
        self.assertEqual(job.status, "succeeded")
        self.assertEqual([found.id for found in self.client.jobs(model_name="told at last")], [job.id])
        sent = [headers["Idempotency-Key"] for _, method, _, headers, _ in service.seen if method == "POST"]
        self.assertEqual((len(sent), len(set(sent))), (4, 1))

    def test_one_key_is_one_job(self):
        first = self.client.submit(quick(), key="of this test")
        self.assertEqual(self.client.submit(quick(), key="of this test").id, first.id)
        with self.assertRaises(mbsd.ServiceError) as raised:
            self.client.submit(quick(t_end=0.5), key="of this test")
        self.assertEqual(raised.exception.status, 422)

    def test_an_unknown_array_is_a_key_error_that_helps(self):
        with self.assertRaisesRegex(KeyError, "no array 'uTT'"):
            self.job["uTT"]
        with self.assertRaises(mbsd.ServiceError) as raised:
            self.job.array("uT", columns=["nothing"])
        self.assertEqual(raised.exception.status, 400)

    def test_columns_of_any_arrays(self):
        np.testing.assert_array_equal(self.job.column("pin1.qd"), self.job["uT"][:, 1])
        np.testing.assert_array_equal(self.job.column("pin1.fy"), self.job["reactions"][:, 0, 1])
        np.testing.assert_array_equal(self.job.T, self.job["T"])
        with self.assertRaisesRegex(KeyError, "nothing"):
            self.job.column("nothing")
        with self.assertRaisesRegex(AttributeError, "nothing"):
            self.job.nothing

    def test_a_batch(self):
        model = quick()
        model["parameters"] = {"m": 1}
        model["bodies"][0]["mass"] = "m"
        outputs = [{"name": "low", "of": "link1.y", "take": "min"}]
        batch = self.client.batch(model, {"m": [1, -1, 2]}, outputs, gradient=True)
        self.assertEqual((batch.outputs.shape, batch.gradient.shape, batch.status.tolist()), ((3, 1), (3, 1, 1), [0, 1, 0]))
        self.assertEqual(batch.failures[0]["pointer"], "/bodies/0/mass")
        with self.assertRaises(mbsd.InvalidModel):
            self.client.batch(model, {"k": [1]}, outputs)

    def test_an_import(self):
        robot = ('<robot name="arm"><link name="base"/><link name="rod"><inertial><mass value="2"/><inertia ixx="1" '
                 'iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="pin" type="{}"><parent '
                 'link="base"/><child link="rod"/><axis xyz="0 0 1"/></joint></robot>')
        folder = os.path.join(self.folder, "robot")
        os.mkdir(folder)
        path = os.path.join(folder, "arm.urdf")
        with open(path, "w", encoding="ascii") as file:
            file.write(robot.format("continuous"))
        for source in (path, folder):
            model, notes = self.client.import_(source)
            self.assertEqual([joint["name"] for joint in model["joints"]], ["pin"])
            self.assertTrue(notes)
        with open(path, "w", encoding="ascii") as file:
            file.write(robot.format("elastic"))
        with self.assertRaisesRegex(mbsd.InvalidModel, "elastic"):
            self.client.import_(path, format="urdf")

    def test_an_export(self):
        path = os.path.join(self.folder, "SP.fmu")
        self.client.export_fmu("models/SP.json", path, fmi="3.0", outputs=["pin.q"])
        with zipfile.ZipFile(path) as archive:
            self.assertIn(b'fmiVersion="3.0"', archive.read("modelDescription.xml"))
        with self.assertRaisesRegex(mbsd.InvalidModel, "pin.w"):
            self.client.export_fmu("models/SP.json", path, outputs=["pin.w"])

    def test_a_job_tells_its_report(self):
        self.assertEqual((self.job.status, self.job.ended, self.job.error), ("succeeded", True, None))
        self.assertEqual(self.job.report["degrees_of_freedom"], 1)
        self.assertEqual(self.job.model_name, "seen by all tests")
        self.assertEqual(len(self.job.units["uT"]), 2)
        self.assertEqual(self.job.model()["name"], "seen by all tests")

    def test_models_of_every_kind(self):
        model = quick(name="one of many")
        path = os.path.join(self.folder, "model.json")
        with open(path, "w", encoding="ascii") as file:
            json.dump(model, file)
        with_numbers = {**model, "gravity": np.array([0, -9.81])}
        for given in (path, json.dumps(model), json.dumps(model).encode(), with_numbers):
            np.testing.assert_array_equal(self.client.run(given)["uT"], self.job["uT"])

    def test_another_analysis(self):
        job = self.client.run(quick(), analysis={"type": "dynamics", "t_end": 0.2, "dt": 0.1})
        self.assertEqual(job["T"].shape, (3,))

    def test_every_error_at_its_pointer(self):
        model = quick()
        model["bodies"][0]["mass"] = -1
        model["joints"][0]["points"][1] = "link.a"
        for call in (self.client.run, self.client.submit, self.client.validate):
            with self.assertRaises(mbsd.InvalidModel) as raised:
                call(model)
            pointers = [mistake.pointer for mistake in raised.exception.errors]
            self.assertEqual(pointers, ["/bodies/0/mass", "/joints/0/points/1"])
            self.assertIn("\n  /bodies/0/mass: mass must be at least 0", str(raised.exception))

    def test_a_text_that_is_no_json(self):
        with self.assertRaises(mbsd.InvalidModel) as raised:
            self.client.run('{"name": "x",\n oops}')
        self.assertEqual(raised.exception.line, 2)
        self.assertIn("(line 2, column ", str(raised.exception))

    def test_a_number_that_json_does_not_have_is_not_sent(self):
        with self.assertRaises(ValueError):
            self.client.run({**quick(), "gravity": [0, float("nan")]})

    def test_a_job_that_fails(self):
        model = quick(name="divided by nothing")
        model["forces"] = [{"name": "wind", "type": "force", "point": "link1.b", "value": ["1/(t - 0.5)", 0]}]
        with self.assertRaises(mbsd.JobFailed) as raised:
            self.client.run(model)
        failed = raised.exception
        self.assertEqual(failed.job.status, "failed")
        self.assertEqual(failed.code, failed.job.error["code"])
        self.assertIn(failed.code, str(failed))
        self.assertLess(failed.t, 0.6)
        self.assertEqual(self.client.run(model, check=False).id > failed.job.id, True)
        self.assertGreater(len(failed.job["T"]), 1)  # finished rows are available

    def test_waiting_with_progress_and_cancelling(self):
        job = self.client.submit(endless())
        seen = []
        with self.assertRaisesRegex(TimeoutError, job.id):
            job.wait(timeout=1.5, progress=seen.append)
        self.assertEqual(seen[-1].status, "running")
        self.assertIn("running", str(seen[-1]))
        job.cancel()
        with self.assertRaises(mbsd.JobFailed) as raised:
            job.wait()
        self.assertEqual(raised.exception.code, "cancelled")
        self.assertEqual(job.wait(check=False).status, "cancelled")

    def test_waiting_polls_rarely(self):
        job = self.client.submit(endless())
        before = self.answers()
        with self.assertRaises(TimeoutError):
            job.wait(timeout=1.2)
        asked = self.answers() - before
        job.cancel()
        self.assertIn(asked, (2, 3))  # one request waited all the time; this check is a second

    def answers(self):
        return sum(value for name, value in self.daemon.metrics().items() if "http_answers_total" in name)

    def test_one_connection_carries_many_requests(self):
        with mbsd.Client(self.client._transport.url) as client:
            client.job(self.job.id)
            idle = list(client._transport._idle)
            for _ in range(5):
                client.job(self.job.id)
            self.assertEqual(client._transport._idle, idle)
            self.assertEqual(len(idle), 1)

    def test_lists(self):
        ids = [job.id for job in self.client.jobs()]
        self.assertIn(self.job.id, ids)
        self.assertEqual(ids, sorted(ids, reverse=True))
        self.assertEqual(len(list(self.client.jobs(limit=1))), 1)
        listed = next(job for job in self.client.jobs(status="succeeded") if job.id == self.job.id)
        self.assertEqual(listed.report, self.job.report)  # the list contains none: it is fetched

    def test_deleting(self):
        job = self.client.run(quick())
        job.delete()
        with self.assertRaises(mbsd.ServiceError) as raised:
            job.refresh()
        self.assertEqual(raised.exception.status, 404)
        with self.assertRaises(mbsd.ServiceError):
            job.delete()

    def test_examples_and_validation(self):
        names = [example["name"] for example in self.client.examples()]
        self.assertIn("SC", names)
        self.assertTrue(self.client.validate(self.client.example("SC"))["assembled"])

    def test_threads_share_a_client(self):
        jobs = in_threads(4, lambda i: self.client.run(quick(name=f"thread {i}")))
        self.assertEqual([job.model_name for job in jobs], [f"thread {i}" for i in range(4)])

    def test_the_lines_of_readme(self):
        with open(os.path.join(TOP, "README.md"), encoding="utf-8") as file:
            readme = file.read()
        lines = re.search(r"```python\n(.*?)```", readme, re.DOTALL)[1]
        lines = lines.replace("http://127.0.0.1:8080", self.client._transport.url)
        with open(os.path.join(self.folder, "four-bar.json"), "w", encoding="utf-8") as file:
            file.write(re.search(r"```json\n(.*?)```", readme, re.DOTALL)[1])
        run = subprocess.run([sys.executable, "-c", lines], cwd=self.folder, capture_output=True, text=True, check=False,
                             env={**os.environ, "PYTHONPATH": CLIENT})
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertRegex(run.stdout, r"succeeded 100 %, t = \S+ s\n1\.0 1\.478\d*\n"
                                     r"\(201, 4, 3\) \['A\.fx', 'A\.fy', 'A\.torque'\]\n$")
        self.assertTrue(os.path.exists(os.path.join(self.folder, "results.mat")))

    def test_the_command(self):
        path, out = os.path.join(self.folder, "command.json"), os.path.join(self.folder, "out.npz")
        with open(path, "w", encoding="ascii") as file:
            json.dump(quick(), file)
        run = subprocess.run([sys.executable, "-m", "mbsd", "run", path, "--out", out, "--url",
                              f"http://{self.daemon.host}:{self.daemon.port}"], cwd=CLIENT, capture_output=True,
                             text=True, check=False)
        self.assertEqual((run.returncode, run.stdout), (0, f"succeeded, arrays in {out}\n"), run.stderr)
        with np.load(out) as arrays:
            np.testing.assert_array_equal(arrays["uT"], self.job["uT"])


class OfTheirOwn(unittest.TestCase):
    """Daemons with options that the other tests do not use."""

    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory(prefix="mbsd-test-"))

    def daemon(self, *options):
        daemon = self.enterContext(Daemon(self.folder, "--workers=1", *options))
        return daemon, f"http://{daemon.host}:{daemon.port}"

    def test_tokens(self):
        path, tokens = os.path.join(self.folder, "tokens"), {}
        with open(path, "w", encoding="ascii") as file:
            for right in ("read", "run"):
                made = subprocess.run([MBSD, "--new-token", right, right], capture_output=True, text=True, check=True)
                tokens[right] = re.search(r"mbsd_[0-9a-f]{64}", made.stderr)[0]
                file.write(made.stdout)
        os.chmod(path, 0o600)
        _, url = self.daemon(f"--token-file={path}")
        for token, status in ((None, 401), ("nonsense", 401), (tokens["read"], 403)):
            with self.assertRaises(mbsd.ServiceError) as raised:
                mbsd.Client(url, token).submit(quick())
            self.assertEqual(raised.exception.status, status)
            self.assertIn("token", str(raised.exception))
        job = mbsd.Client(url, tokens["run"]).run(quick())
        seen = mbsd.Client(url, tokens["read"]).job(job.id)
        np.testing.assert_array_equal(seen["uT"], job["uT"])

    def test_a_client_with_too_many_jobs_retries(self):
        _, url = self.daemon("--client-queue=1")
        impatient = mbsd.Client(url, retries=0)
        jobs = [impatient.submit(endless())]
        while jobs[0].refresh().status == "queued":
            time.sleep(0.02)
        jobs.append(impatient.submit(endless()))
        with self.assertRaises(mbsd.ServiceError) as raised:
            impatient.submit(endless())
        self.assertEqual(raised.exception.status, 429)
        timer = threading.Timer(1, jobs[1].cancel)
        timer.start()
        self.addCleanup(timer.join)
        begun = time.monotonic()
        job = mbsd.Client(url).submit(endless())
        self.assertGreaterEqual(time.monotonic() - begun, 5)  # Retry-After header of the service
        self.assertNotIn(job.id, [other.id for other in jobs])


# ---- a service that fails -----------------------------------------------------------------------------------------


class AgainstAFailingService(unittest.TestCase):
    def serve(self, *script):
        return self.enterContext(FailingService(*script))

    def test_a_dropped_connection_leaves_one_job(self):
        for act in ("drop", "refuse", "cut"):
            service = self.serve(act, act)
            job = mbsd.Client(service.url).submit({})
            self.assertEqual((job.id, len(service.jobs), len(service.seen)), ("job0", 1, 3))
            keys = {headers["Idempotency-Key"] for *_, headers, _ in service.seen}
            self.assertEqual(len(keys), 1)

    def test_two_submissions_are_two_jobs(self):
        service = self.serve()
        client = mbsd.Client(service.url)
        self.assertNotEqual(client.submit({}).id, client.submit({}).id)
        self.assertEqual(client.submit({}, key="mine").id, client.submit({}, key="mine").id)

    def test_a_busy_service_is_retried_when_it_asks(self):
        for status in (503, 429):
            service = self.serve(status)
            self.assertEqual(mbsd.Client(service.url).submit({}).id, "job0")
            first, second = (moment for moment, *_ in service.seen)
            self.assertGreaterEqual(second - first, 1)

    def test_the_service_is_not_asked_for_ever(self):
        service = self.serve(*[503] * 50)
        with self.assertRaises(mbsd.ServiceError) as raised:
            mbsd.Client(service.url, retries=1).submit({})
        self.assertEqual((raised.exception.status, len(service.seen)), (503, 2))
        with self.assertRaises(mbsd.ServiceError):
            mbsd.Client(service.url, retry_seconds=0.5).submit({})
        self.assertEqual(len(service.seen), 3)  # a pause of 1 s would be too long
        service = self.serve((429, 3600))
        with self.assertRaises(mbsd.ServiceError) as raised:
            mbsd.Client(service.url).submit({})
        self.assertEqual((raised.exception.status, len(service.seen)), (429, 1))

    def test_other_refusals_are_immediate(self):
        for act, message in ((500, "500 Not now: try later"), (302, "302 Not now"), ("page", "no JSON")):
            service = self.serve(act)
            with self.assertRaisesRegex(mbsd.ServiceError, message):
                mbsd.Client(service.url).submit({})
            self.assertEqual(len(service.seen), 1)

    def test_a_deletion_whose_answer_was_lost_is_one(self):
        service = self.serve()
        job = mbsd.Client(service.url).submit({})
        service.script.append("drop")
        job.delete()
        self.assertEqual(len(service.jobs), 0)
        with self.assertRaises(mbsd.ServiceError):
            job.delete()

    def test_nobody_there(self):
        with self.assertRaisesRegex(mbsd.ServiceError, "is mbsd running there") as raised:
            mbsd.Client("http://127.0.0.1:1", retries=1).examples()
        self.assertIsNone(raised.exception.status)
        for url in ("127.0.0.1:8080", "ftp://there"):
            with self.assertRaisesRegex(ValueError, "no address"):
                mbsd.Client(url)

    def test_the_token_and_a_path_before_the_calls(self):
        service = self.serve()
        mbsd.Client(service.url, token="secret").submit({})
        _, _, path, headers, _ = service.seen[0]
        self.assertEqual((path, headers["Authorization"]), ("/below/api/v1/jobs", "Bearer secret"))

    def test_a_unix_socket(self):
        folder = self.enterContext(tempfile.TemporaryDirectory(prefix="mbsd-test-"))
        path = os.path.join(folder, "socket")
        service = self.enterContext(FailingService("drop", unix=path))
        self.assertEqual(mbsd.Client(f"unix:{path}").submit({}).id, "job0")
        self.assertEqual(service.seen[0][2], "/api/v1/jobs")


if __name__ == "__main__":
    unittest.main()
