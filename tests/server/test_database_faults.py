"""Faults of the PostgreSQL server, or of the network to it; run by tests/private_postgres.

No test measures times: what must not wait for the database is asked while the database cannot respond."""

import contextlib
import os
import signal
import subprocess
import sys
import unittest

import support
from relay import Relay
from support import DaemonTest, endless, in_threads, quick, until

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


class DatabaseFaults(DaemonTest):
    def setUp(self):
        super().setUp()
        self.url = support.database_of(self.folder)
        self.name = self.url.split("/")[3].split("?")[0]

    def another(self, *options, url=None):
        return support.Daemon(self.folder, f"--store={url or self.url}", "--workers=1", *options)

    def psql(self, command, url=None):
        return subprocess.check_output(["psql", "--quiet", "--no-psqlrc", "--tuples-only", "--dbname", url or self.url,
                                        "--command", command], text=True).strip()

    def check_silence(self, url, silence):
        """Checks a daemon while its database does not respond, and after that."""
        with self.another(url=url) as daemon:
            done = daemon.submit(quick(), wait=True)["id"]
            running = daemon.submit(endless())["id"]
            until(lambda: daemon.metrics()['mbsd_jobs{status="running"}'] == 1)
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
                self.assertEqual(values['mbsd_jobs{status="running"}'], 1)
                self.assertEqual(daemon.get("/healthz").status, 200)
            until(lambda: daemon.get("/readyz").status == 200)
            self.assertEqual(daemon.job(running)["attempt"], 1)
            self.assertIn(daemon.get(f"/jobs/{done}").status, (200, 404))  # it may have been deleted
            self.assertEqual(daemon.submit(quick())["status"], "queued")
            self.assertEqual(len(daemon.events("storage_fault")), 1)
            self.assertEqual(len(daemon.events("storage_fault_over")), 1)
            with silence():
                daemon.process.send_signal(signal.SIGTERM)
                self.assertEqual(daemon.stop(signal.SIGINT), 0)

    def test_a_server_that_is_stopped(self):
        self.check_silence(self.url, lambda: frozen(server_process()))

    def test_a_network_that_drops_everything(self):
        relay = Relay(FOLDER)
        self.addCleanup(relay.cut)
        self.check_silence(f"postgresql://mbsd@127.0.0.1:{relay.port}/{self.name}", relay.silence)


if __name__ == "__main__":
    if not SERVER:
        sys.exit(77)
    unittest.main()
