"""Common parts of the tests of the real daemon: starting it, sending requests, and models."""

import contextlib
import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest

MBSD = os.environ.get("MBSD", "build/release/mbsd")
ENDED = ("succeeded", "failed", "cancelled")
# Time limit of every wait [s]. Tests wait for events; the limit only ends a test whose event never comes. It allows for
# sanitizers on a machine with several times more load than processors.
PATIENCE = 300
# A killed process does not write its line counts.
COUNTS_LINES = os.environ.get("MBS_COVERAGE") == "1"


# Each data folder has a database of the PostgreSQL server with MBSD_TEST_STORE=postgres (set by
# tests/private_postgres).
POSTGRES = os.environ.get("MBSD_TEST_POSTGRES") if os.environ.get("MBSD_TEST_STORE") == "postgres" else None


sqlite_only = unittest.skipIf(POSTGRES, "it looks into the files of the data folder")


def database_of(folder):
    """Returns the address of the database for a data folder. Creates the database on the first call."""
    server_url = os.environ["MBSD_TEST_POSTGRES"]
    name = "d" + re.sub(r"[^a-z0-9]", "_", os.path.abspath(folder).lower())[-50:]
    server = ["psql", "--quiet", "--no-psqlrc", "--tuples-only", "--dbname", server_url, "--command"]
    if not subprocess.check_output([*server, f"SELECT 1 FROM pg_database WHERE datname = '{name}'"]).strip():
        subprocess.check_call([*server, f"CREATE DATABASE {name}"])
    return server_url.replace("/postgres?", f"/{name}?")


# ---- models -------------------------------------------------------------------------------------------------------


def chain(links=1, t_end=1.0, dt=0.1, name=None, **analysis):
    """Returns an open chain of planar links of 1 m and 1 kg that starts horizontally and falls."""
    bodies, joints, last = [], [], "ground.O"
    for i in range(1, links + 1):
        body = f"link{i}"
        bodies.append({"name": body, "mass": 1, "inertia": 0.1, "points": {"a": [-0.5, 0], "b": [0.5, 0]}})
        joints.append({"name": f"pin{i}", "type": "revolute", "points": [last, f"{body}.a"],
                       "initial": {"position": 0.1 * i}})
        last = f"{body}.b"
    return {
        "name": name or f"chain of {links}",
        "space": "planar",
        "gravity": [0, -9.81],
        "ground": {"points": {"O": [0, 0]}},
        "bodies": bodies,
        "joints": joints,
        "analysis": {"type": "dynamics", "t_end": t_end, "dt": dt, **analysis},
    }


def quick(**analysis):
    return chain(**analysis)


def endless(dt=1, **analysis):
    """Returns a job that takes longer than any test waits."""
    return chain(links=12, t_end=1e5, dt=dt, name="endless chain",
                 integrator={"rtol": 1e-12, "atol": 1e-12}, **analysis)


# ---- the daemon ---------------------------------------------------------------------------------------------------


class Answer:
    def __init__(self, response):
        self.status = response.status
        self.headers = response.headers
        self.body = response.read()

    def json(self):
        return json.loads(self.body)


def children_of(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            alive = file.read().rsplit(")", 1)[1].split()[0] != "Z"
        tasks = os.listdir(f"/proc/{pid}/task") if alive else []
    except (FileNotFoundError, ProcessLookupError):
        return []
    found = []
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        for task in tasks:
            with open(f"/proc/{pid}/task/{task}/children") as file:
                found += [int(child) for child in file.read().split()]
    return found


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def lacks(program):
    """Skips a test because a program is missing that ./test installs. In CI each test must run, so the test fails
    there."""
    if os.environ.get("CI"):
        raise AssertionError(f"{program} is not installed")
    raise unittest.SkipTest(f"{program} is not installed")


def until(condition, seconds=PATIENCE, step=0.02):
    """Waits for a condition and returns its value. Raises an AssertionError if it remains false."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"did not happen in {seconds} s")
        time.sleep(step)


class UnixConnection(http.client.HTTPConnection):
    """An HTTP connection over a unix socket."""

    def __init__(self, path, seconds):
        super().__init__("localhost", timeout=seconds)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class Daemon:
    """A running mbsd over a data folder; `with Daemon(...)` cleans up at the end."""

    def __init__(self, folder, *options):
        environment = {key: value for key, value in os.environ.items() if not key.startswith("MBSD_")}
        if POSTGRES:
            environment["MBSD_STORE"] = database_of(folder)
        self.log_path = os.path.join(folder, f"log-{time.monotonic_ns()}")
        self.log = open(self.log_path, "wb")
        self.process = subprocess.Popen(
            [MBSD, "--port=0", f"--data={os.path.join(folder, 'data')}", "--log-format=json", "--log-level=debug",
             "--disk-reserve=1M", *options],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.log, env=environment)
        line = self.process.stdout.readline().decode()
        address = re.fullmatch(r"mbsd listening on (?:http://\[?([^]]*)\]?:(\d+)|unix:(.+))\n", line)
        if not address:
            self.kill()
            self.close()
            raise AssertionError(f"no daemon: {line!r}, {self.text()}")
        self.host, self.port, self.path = address[1], int(address[2] or 0), address[3]

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        processes = [self.process.pid, *self.supervisors(), *self.workers()]
        if COUNTS_LINES:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.send_signal(signal.SIGTERM)
                self.stop(signal.SIGINT, 5)  # the second signal skips the grace time of jobs
        self.kill()
        self.close()
        until(lambda: not any(is_alive(pid) for pid in processes))
        if not kind:
            self.events("")  # a line that is not JSON would come from a sanitizer

    def close(self):
        self.process.stdout.close()
        self.log.close()

    # Processes.

    def supervisors(self):
        return children_of(self.process.pid)

    def workers(self):
        return [pid for supervisor in self.supervisors() for pid in children_of(supervisor)]

    def kill(self):
        """Kills the daemon with SIGKILL."""
        if self.process.poll() is None:
            self.process.kill()
        return self.process.wait()

    def stop(self, sign=signal.SIGTERM, seconds=PATIENCE):
        """Ends the daemon like a service manager; returns its exit code."""
        self.process.send_signal(sign)
        return self.process.wait(seconds)

    # The log.

    def text(self):
        with open(self.log_path, encoding="ascii") as file:
            return file.read()

    def events(self, event):
        """Returns all events of a name. Every line of the log is JSON."""
        with open(self.log_path, encoding="ascii") as file:
            try:
                lines = [json.loads(line) for line in file if line.endswith("\n")]
            except ValueError:
                raise AssertionError(f"not a log of JSON lines:\n{self.text()}") from None
        return [line for line in lines if line["event"] == event]

    def worker_of(self, job):
        """Returns the process that runs a job."""
        started = until(lambda: [e for e in self.events("job_started") if e["id"] == job])
        return started[-1]["worker"]

    # HTTP.

    def connection(self, seconds=PATIENCE):
        if self.path:
            return UnixConnection(self.path, seconds)
        return http.client.HTTPConnection(self.host, self.port, timeout=seconds)

    def request(self, method, path, body=None, headers=None, connection=None):
        if not path.startswith("/api") and not path.startswith("/metrics") and not path.endswith("z"):
            path = "/api/v1" + path
        if isinstance(body, (dict, list)):
            body = json.dumps(body)
        own = connection or self.connection()
        try:
            own.request(method, path, body, headers or {})
            return Answer(own.getresponse())
        finally:
            if not connection:
                own.close()

    def get(self, path, **headers):
        return self.request("GET", path, headers=headers)

    def submit(self, model, wait=False):
        """Posts a model and returns its job. `wait`: returns the job after it has ended."""
        answer = self.request("POST", "/jobs", model, {"Prefer": "wait=60"} if wait else {})
        if answer.status not in (200, 202):
            raise AssertionError(f"{answer.status}: {answer.body}")
        job = answer.json()
        return self.await_job(job["id"]) if wait and job["status"] not in ENDED else job

    def job(self, job):
        return self.get(f"/jobs/{job}").json()

    def await_job(self, job, *states, seconds=PATIENCE):
        """Waits until a job is in one of the given states (by default: has ended) and returns it."""
        return until(lambda: (found := self.job(job))["status"] in (states or ENDED) and found, seconds)

    def jobs(self):
        """Returns all jobs, newest first, read page by page."""
        found, cursor = [], ""
        while cursor is not None:
            page = self.get("/jobs?limit=100" + (f"&cursor={cursor}" if cursor else "")).json()
            found += page["jobs"]
            cursor = page["next"]
        return found

    def metrics(self):
        """Returns the values by name and labels, in the notation of the response."""
        values = {}
        for line in self.get("/metrics").body.decode().splitlines():
            if not line.startswith("#"):
                name, value = line.rsplit(" ", 1)
                values[name] = float(value)
        return values

    def raw(self, data, seconds=PATIENCE):
        """Sends bytes unchanged and returns everything received until the server closes."""
        with socket.create_connection((self.host, self.port), timeout=seconds) as client:
            client.sendall(data)
            received = b""
            with contextlib.suppress(ConnectionResetError):
                while part := client.recv(65536):
                    received += part
            return received


class DaemonTest(unittest.TestCase):
    """A test with its own folder."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="mbsd-test-")
        self.addCleanup(shutil.rmtree, self.folder)

    def daemon(self, *options):
        return Daemon(self.folder, *options)


def in_threads(count, work):
    """Runs work(0), work(1), ... in separate threads. Returns the results, or raises what one of them raised."""
    results, errors = [None] * count, []

    def run(i):
        try:
            results[i] = work(i)
        except Exception as error:  # the first one is raised below
            errors.append(error)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return results
