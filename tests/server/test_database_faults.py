"""Faults of the PostgreSQL server, or of the network to it; run by tests/private_postgres.

No test measures times: what must not wait for the database is asked while the database cannot respond."""

import contextlib
import glob
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

import support
from relay import Relay
from support import PATIENCE, DaemonTest, endless, in_threads, quick, until
from test_blocks import some_study

SERVER = os.environ.get("MBSD_TEST_POSTGRES")
FOLDER = os.environ.get("MBSD_TEST_POSTGRES_FOLDER", "")


def server_process(folder=FOLDER):
    """Returns the first process of the database server."""
    with open(os.path.join(folder, "data", "postmaster.pid"), encoding="ascii") as file:
        return int(file.readline())


@contextlib.contextmanager
def frozen(process):
    """Stops a database server, first the process that starts the others."""
    stopped = []
    try:
        for each in [process, *support.children_of(process)]:
            os.kill(each, signal.SIGSTOP)
            stopped.append(each)
        yield
    finally:
        for each in stopped:
            os.kill(each, signal.SIGCONT)


class Standby:
    """A copy of the database server that follows it, in a folder of its own."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="mbsd-postgres-")
        self.owner = os.stat(f"/proc/{server_process()}")
        os.chown(self.folder, self.owner.st_uid, self.owner.st_gid)
        self.data = os.path.join(self.folder, "data")
        self.run("pg_basebackup", f"--pgdata={self.data}", f"--host={FOLDER}", "--username=mbsd", "--no-sync",
                 "--checkpoint=fast", "--write-recovery-conf")
        with open(os.path.join(self.data, "postgresql.conf"), "a", encoding="ascii") as file:
            file.write(f"unix_socket_directories = '{self.folder}'\n")
        self.control("start")

    def run(self, program, *arguments):
        path = glob.glob(f"/usr/lib/postgresql/*/bin/{program}")[-1]
        subprocess.run([path, *arguments], check=True, stdout=subprocess.DEVNULL, cwd=self.folder,
                       user=self.owner.st_uid, group=self.owner.st_gid, extra_groups=[])

    def control(self, *command):
        self.run("pg_ctl", *command, f"--pgdata={self.data}", "--silent", "--wait", f"--timeout={PATIENCE}",
                 f"--log={self.folder}/server.log")

    def close(self):
        self.control("stop", "--mode=immediate")
        shutil.rmtree(self.folder)


class DatabaseFaults(DaemonTest):
    def setUp(self):
        super().setUp()
        self.url = support.database_of(self.folder)
        self.name = self.url.split("/")[3].split("?")[0]

    def another(self, *options, url=None):
        folder = tempfile.mkdtemp(prefix="mbsd-test-", dir=self.folder)
        return support.Daemon(folder, f"--store={url or self.url}", "--workers=1", *options)

    def commit_with(self, standby):
        """Commits wait for a standby from now on; "": for none."""
        self.psql(f"ALTER SYSTEM SET synchronous_standby_names = '{standby}'")
        self.psql("SELECT pg_reload_conf()")

    def relay(self):
        """Returns a network to the server, and the address of the database behind it."""
        relay = Relay(FOLDER)
        self.addCleanup(relay.cut)
        return relay, f"postgresql://mbsd@127.0.0.1:{relay.port}/{self.name}"

    def psql(self, command, url=None):
        return subprocess.check_output(["psql", "--quiet", "--no-psqlrc", "--tuples-only", "--dbname", url or self.url,
                                        "--command", command], text=True).strip()

    def check_silence(self, url, silence, ends=False):
        """Checks a daemon while its database does not respond, and after that; `ends`: also that it can end then."""
        with self.another(url=url) as daemon:
            done = daemon.submit(quick(), wait=True)["id"]
            running = daemon.submit(endless())["id"] if ends else None  # the other daemon has nothing to do
            jobs = 1 if ends else 0
            until(lambda: daemon.metrics()['mbsd_jobs{status="succeeded"}'] == 1)
            until(lambda: daemon.metrics()['mbsd_jobs{status="running"}'] == jobs)
            calls = [("POST", "/jobs", quick()), ("GET", "/jobs"), ("GET", f"/jobs/{done}"),
                     ("DELETE", f"/jobs/{done}"), ("GET", f"/jobs/{done}/results/q")]
            calls *= 6  # more than threads that wait for the store
            probes = [("GET", "/healthz"), ("GET", "/readyz"), ("GET", "/metrics")]
            with silence():
                answers = in_threads(len(calls) + 3, lambda i: daemon.request(*(calls + probes)[i]))
                for answer in answers[:len(calls)]:
                    self.assertEqual(answer.status, 503, answer.body)
                    self.assertIn("Retry-After", answer.headers)
                until(lambda: daemon.get("/readyz").status == 503)
                self.assertIn("the database", daemon.get("/readyz").json()["detail"])
                values = daemon.metrics()
                self.assertEqual((values["mbsd_storage_fault"], values["mbsd_accepting"]), (1, 0))
                self.assertEqual(values['mbsd_jobs{status="running"}'], jobs)
                self.assertEqual(daemon.get("/healthz").status, 200)
                if not ends:  # also threads that have nothing to do notice it
                    until(lambda: "cannot connect to the database" in daemon.get("/readyz").json()["detail"])
            until(lambda: daemon.get("/readyz").status == 200)
            if ends:
                self.assertEqual(daemon.job(running)["attempt"], 1)
            self.assertIn(daemon.get(f"/jobs/{done}").status, (200, 404))  # it may have been deleted
            self.assertEqual(daemon.submit(quick())["status"], "queued")
            self.assertEqual(len(daemon.events("storage_fault")), 1)
            self.assertEqual(len(daemon.events("storage_fault_over")), 1)
            if ends:
                with silence():
                    daemon.process.send_signal(signal.SIGTERM)
                    self.assertEqual(daemon.stop(signal.SIGINT), 0)

    def test_a_server_that_is_stopped(self):
        self.check_silence(self.url, lambda: frozen(server_process()), ends=True)

    def test_a_network_that_drops_everything(self):
        relay, url = self.relay()
        self.check_silence(url, relay.silence)

    def test_a_server_that_commits_nothing(self):
        """As with a disk that stalls: reads work, and changes fail."""
        self.addCleanup(self.commit_with, "")
        with self.another() as daemon:
            job = daemon.submit(quick(), wait=True)["id"]
            self.commit_with("nowhere")
            until(lambda: daemon.request("POST", "/jobs", quick()).status == 503)
            until(lambda: "commits no changes" in daemon.get("/readyz").json().get("detail", ""))
            self.assertEqual(daemon.get(f"/jobs/{job}").status, 200)
            self.assertEqual(daemon.request("DELETE", f"/jobs/{job}").status, 503)
            self.commit_with("")
            until(lambda: daemon.get("/readyz").status == 200)
            self.assertEqual(daemon.submit(quick(), wait=True)["status"], "succeeded")
            self.assertEqual(len(daemon.events("storage_fault")), 1)

    def test_a_server_that_comes_later(self):
        relay, url = self.relay()
        relay.cut()

        def waiting():
            return any("database_awaited" in pathlib.Path(path).read_text(encoding="ascii")
                       for path in glob.glob(f"{self.folder}/*/log-*"))

        def mend(_):
            until(waiting)
            relay.mend()
        daemon, _ = in_threads(2, lambda i: mend(i) if i else self.another(url=url))
        with daemon:
            said = daemon.events("database_awaited")
            self.assertEqual(len(said), 1)
            self.assertIn("cannot connect to the database", said[0]["why"])
            self.assertEqual(daemon.submit(quick(), wait=True)["status"], "succeeded")
        relay.cut()
        with subprocess.Popen([support.MBSD, "--port=0", f"--data={self.folder}/data", f"--store={url}"], text=True,
                              stderr=subprocess.PIPE) as process:
            until(lambda: "database_awaited" in process.stderr.readline())
            process.terminate()
            self.assertIn("stopped while it waited for the database", process.communicate()[1])

    def test_a_standby_takes_over(self):
        standby = Standby()
        self.addCleanup(standby.close)
        self.commit_with("*")
        self.addCleanup(self.commit_with, "")
        place = f"postgresql://mbsd@/{self.name}?host="
        with self.another(url=f"{place}{FOLDER},{standby.folder}&target_session_attrs=read-write") as daemon:
            done = daemon.submit(quick(), wait=True)["id"]
            running = daemon.submit(endless())["id"]
            daemon.await_job(running, "running")
            with frozen(server_process()):
                standby.control("promote")
                job = until(lambda: (sent := daemon.request("POST", "/jobs", quick())).status == 202 and sent.json())
                self.assertEqual(daemon.job(done)["status"], "succeeded")
                self.assertEqual(daemon.job(running)["attempt"], 1)
                # A crash of the new primary server: the daemon continues after its recovery.
                standby.control("restart", "--mode=immediate")
                until(lambda: daemon.get("/readyz").status == 200)
                self.assertEqual(daemon.job(running)["attempt"], 1)
            # The daemon does not return to the old primary server, which believes that it still is one.
            daemon.request("POST", f"/jobs/{running}/cancel")
            self.assertEqual(daemon.await_job(running)["status"], "cancelled")
            self.assertEqual(daemon.await_job(job["id"])["status"], "succeeded")
            copied = "SELECT count(*) FROM mbsd.jobs WHERE status = 'succeeded'"
            self.assertEqual((self.psql(copied), self.psql(copied, place + standby.folder)), ("1", "2"))

    def test_a_daemon_that_is_stopped(self):
        """A study divided over two daemons, of which one stops: the coordinator, or the other one."""
        model = some_study(400)
        results = []
        for stop_coordinator in (False, True):
            with self.another("--lease=2") as one, self.another("--lease=2") as two:
                job = one.submit({**model, "reuse": False})["id"]
                until(lambda: all(daemon.events("block_started") for daemon in (one, two)))
                one_coordinates = any(event["id"] == job for event in one.events("job_started"))
                stopped, free = (one, two) if one_coordinates == stop_coordinator else (two, one)
                stopped.process.send_signal(signal.SIGSTOP)
                self.assertEqual(free.request("POST", "/jobs", quick()).status, 202)
                self.assertEqual(free.get("/jobs").status, 200)
                free.await_job(job)
                stopped.process.send_signal(signal.SIGCONT)
                for daemon in (one, two):
                    self.assertEqual(daemon.await_job(job)["status"], "succeeded")
                    results.append([daemon.get(f"/jobs/{job}/results/{name}?format=npy").body
                                    for name in ("parameters", "outputs", "status")])
        for other in results:
            self.assertEqual(other, results[0])


if __name__ == "__main__":
    if not SERVER:
        sys.exit(77)
    unittest.main()
