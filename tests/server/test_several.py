"""Several daemons on one PostgreSQL database; run by tests/private_postgres."""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

import support
from relay import Relay
from support import PATIENCE, DaemonTest, chain, endless, in_threads, quick, until
from test_studies import long_study

SERVER = os.environ.get("MBSD_TEST_POSTGRES")
FOLDER = os.environ.get("MBSD_TEST_POSTGRES_FOLDER", "")
PGBOUNCER = shutil.which("pgbouncer", path=os.environ["PATH"] + ":/usr/sbin")


def server_process():
    """Returns the process of the database server."""
    with open(os.path.join(FOLDER, "data", "postmaster.pid"), encoding="ascii") as file:
        return int(file.readline())


def accepts(port):
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
        return True
    return False


def lines_of(text):
    """Returns the number of lines, except those that only a build with sanitizers logs."""
    return sum("no_sandbox" not in line for line in text.splitlines())


class Several(DaemonTest):
    """Daemons with separate folders and a common database."""

    def setUp(self):
        super().setUp()
        self.url = support.database_of(self.folder)

    def another(self, *options):
        folder = tempfile.mkdtemp(prefix="mbsd-test-")
        self.addCleanup(shutil.rmtree, folder)
        return support.Daemon(folder, f"--store={self.url}", "--lease=5", *options)

    def psql(self, command):
        subprocess.check_call(["psql", "--quiet", "--no-psqlrc", "--output=/dev/null", "--dbname", self.url, "--command",
                               command])

    def refused(self, *options, environment=None):
        """Returns the output of mbsd when it must not start."""
        done = subprocess.run([support.MBSD, "--port=0", f"--data={self.folder}/data", "--wait-database=0", *options],
                              timeout=PATIENCE, env={**os.environ, **(environment or {})}, capture_output=True,
                              text=True, check=False)
        self.assertNotEqual(done.returncode, 0)
        return done.stderr

    def test_each_serves_all_jobs_and_runs_for_all(self):
        with self.another("--workers=1") as one, self.another("--workers=1") as two:
            jobs = [job["id"] for job in in_threads(8, lambda i: (one, two)[i % 2].submit(chain(links=2, t_end=5)))]
            for job in jobs:
                self.assertEqual(one.await_job(job)["status"], "succeeded")
                self.assertEqual(two.job(job), one.job(job))
                rows = [daemon.get(f"/jobs/{job}/results/q?format=npy").body for daemon in (one, two)]
                self.assertEqual(rows[0], rows[1])
            self.assertEqual(sorted(job["id"] for job in two.jobs()), sorted(jobs))
            ran = [len(daemon.events("job_finished")) for daemon in (one, two)]
            self.assertEqual(sum(ran), len(jobs))
            self.assertTrue(all(ran), ran)
            self.assertEqual(one.get(f"/jobs/{jobs[0]}?").status, 200)

    def test_requests_reach_the_other_daemon(self):
        with self.another("--workers=1") as one, self.another("--workers=1") as two:
            blockers = [one.submit(endless())["id"] for _ in range(2)]
            for job in blockers:
                one.await_job(job, "running")
            waits = one.submit(quick())["id"]
            for job in blockers:
                self.assertIn(two.request("POST", f"/jobs/{job}/cancel").status, (200, 202))
            for job in blockers:
                self.assertEqual(two.await_job(job)["status"], "cancelled")
            self.assertEqual(two.await_job(waits)["status"], "succeeded")
            self.assertEqual(one.request("DELETE", f"/jobs/{waits}").status, 204)
            self.assertEqual(two.get(f"/jobs/{waits}").status, 404)
            answered = two.submit(quick(), wait=True)  # either daemon may run it
            self.assertEqual(answered["status"], "succeeded")

    def test_workers_only(self):
        self.assertIn("--store", self.refused("--workers-only"))
        with self.another("--workers=1") as front:
            first = front.submit(endless())["id"]
            front.await_job(first, "running")
            with self.another("--workers-only", "--workers=1", "--grace=0.1") as back:
                job = front.submit(endless())["id"]
                until(lambda: [e for e in back.events("job_started") if e["id"] == job])
                self.assertEqual(back.get("/jobs").status, 404)
                self.assertEqual(back.request("POST", "/jobs", quick()).status, 404)
                self.assertEqual(back.get("/healthz").status, 200)
                self.assertEqual(back.get("/readyz").status, 200)
                until(lambda: back.metrics()['mbsd_jobs{status="running"}'] == 2)
                until(lambda: back.metrics()['mbsd_database_bytes{tables="jobs"}'] > 0)
                self.assertNotIn("mbsd_disk_free_bytes", back.metrics())  # the disk belongs to the database
                self.assertNotIn("mbsd_disk_reserve_bytes", back.metrics())
                self.assertEqual(back.stop(), 0)
                self.assertEqual(front.job(job)["status"], "queued")  # returned to the queue immediately
            front.request("POST", f"/jobs/{first}/cancel")
            self.assertEqual(front.await_job(job, "running")["attempt"], 2)
            front.request("POST", f"/jobs/{job}/cancel")

    def test_a_study_is_done_by_both(self):
        model = chain(links=2, t_end=1, name="study")
        model["parameters"] = {"m": 1}
        model["bodies"][0]["mass"] = "m"
        analysis = model.pop("analysis")
        study = {"vary": [{"parameter": "m", "from": 1, "to": 2, "count": 2000}],
                 "outputs": [{"name": "last", "of": "link2.b.y"}]}
        with self.another("--workers=1") as one, self.another("--workers=1") as two:
            job = one.submit({"model": model, "analysis": analysis, "study": study})["id"]
            self.assertEqual(two.await_job(job)["status"], "succeeded")
            self.assertEqual(two.job(job)["report"]["study"]["runs"], 2000)
            for daemon in (one, two):
                self.assertEqual(set(daemon.job(job)["progress"]), {"fraction", "evaluations"})
                self.assertNotIn("t", daemon.jobs()[0]["progress"])

    def test_a_study_that_makes_progress(self):
        """A study that makes progress is not blamed for the deaths of its hosts: progress resets the count."""
        def interruptions():
            return int(subprocess.check_output(["psql", "--no-psqlrc", "--tuples-only", "--dbname", self.url, "--command",
                                                "SELECT interruptions FROM mbsd.queue WHERE runs > 0"]))

        with self.another("--workers=1") as daemon:
            job = daemon.submit(long_study())["id"]
            until(lambda: daemon.job(job)["progress"]["fraction"] > 0)
            self.psql("UPDATE mbsd.queue SET interruptions = 9")
            until(lambda: interruptions() == 0)
            daemon.request("POST", f"/jobs/{job}/cancel")
            self.assertEqual(daemon.await_job(job)["status"], "cancelled")

    def test_nothing_is_lost_with_the_database(self):
        with self.another("--workers=1") as daemon:
            running = daemon.submit(chain(links=8, t_end=20))["id"]
            daemon.await_job(running, "running", "succeeded")
            process = server_process()
            # Crashes one of the server's processes: it ends all connections, and recovers.
            children = support.children_of(process)
            os.kill(children[0], signal.SIGKILL)
            accepted = []
            deadline = time.monotonic() + PATIENCE
            while len(accepted) < 5 and time.monotonic() < deadline:
                answer = daemon.request("POST", "/jobs", quick())
                self.assertIn(answer.status, (202, 503, 500))
                if answer.status == 202:
                    accepted.append(answer.json()["id"])
                time.sleep(0.05)
            self.assertEqual(len(accepted), 5)
            for job in [running, *accepted]:
                self.assertEqual(daemon.await_job(job)["status"], "succeeded")
            until(lambda: daemon.get("/readyz").status == 200)

    def test_a_daemon_that_dies_is_replaced(self):
        with self.another("--workers=1") as one:
            with self.another("--workers=1") as two:
                one.submit(endless())
                jobs = [job["id"] for job in in_threads(6, lambda _: two.submit(chain(links=3, t_end=3)))]
                two.kill()
            first = [job for job in one.jobs() if job["id"] not in jobs][0]["id"]
            one.request("POST", f"/jobs/{first}/cancel")
            for job in jobs:  # the leases of its running jobs expire first
                self.assertEqual(one.await_job(job)["status"], "succeeded")

    def test_old_and_excess_jobs_are_removed(self):
        with self.another() as daemon:
            jobs = [daemon.submit(quick(t_end=20, dt=0.001), wait=True)["id"] for _ in range(4)]
            self.assertEqual(daemon.request("PATCH", f"/jobs/{jobs[0]}", {"keep": True},
                                            {"Content-Type": "application/merge-patch+json"}).status, 200)
            self.psql("UPDATE mbsd.jobs SET finished = finished - 20 * 86400"
                      f" WHERE id IN ('{jobs[0]}', '{jobs[1]}')")
        with self.another("--keep-days=10") as one, self.another("--keep-days=10") as two:
            until(lambda: {job["id"] for job in one.jobs()} == {jobs[0], *jobs[2:]})
            self.assertEqual(sum(e["by_age"] for d in (one, two) for e in d.events("jobs_retired")), 1)
            used = until(lambda: one.metrics()["mbsd_database_used_bytes"])
        self.assertGreater(used, 3 << 20)
        with self.another(f"--keep-bytes={int(used / 2)}") as daemon:
            until(lambda: [job["id"] for job in daemon.jobs()] == jobs[:1])  # the job marked to keep
            until(lambda: daemon.metrics()["mbsd_database_used_bytes"] <= used / 2)
            until(lambda: daemon.metrics()['mbsd_jobs{status="succeeded"}'] == 1)

    def test_one_daemon_at_a_time_removes_old_jobs(self):
        """A daemon that finds another one removing jobs removes none: it would not count and report them."""
        with self.another() as daemon:
            jobs = [daemon.submit(quick(), wait=True)["id"] for _ in range(2)]
            self.psql(f"UPDATE mbsd.jobs SET finished = finished - 20 * 86400 WHERE id = '{jobs[0]}'")
        other = subprocess.Popen(["psql", "--quiet", "--no-psqlrc", "--dbname", self.url], stdin=subprocess.PIPE,
                                 stdout=subprocess.PIPE, text=True)
        self.addCleanup(other.stdout.close)
        self.addCleanup(other.kill)
        other.stdin.write("SELECT pg_advisory_lock(1835168613);\n\\echo locked\n")
        other.stdin.flush()
        until(lambda: other.stdout.readline() == "locked\n")
        with self.another("--keep-days=10") as daemon:
            until(lambda: daemon.get("/metrics").status == 200)
            until(lambda: daemon.metrics()["mbsd_database_used_bytes"])  # measured after an attempt
            self.assertEqual({job["id"] for job in daemon.jobs()}, set(jobs))
            other.stdin.close()
            other.wait(PATIENCE)
            until(lambda: [job["id"] for job in daemon.jobs()] == jobs[1:])
            until(lambda: daemon.events("jobs_retired"))
            until(lambda: daemon.metrics()['mbsd_jobs{status="succeeded"}'] == 1)

    def through_the_network(self):
        """Returns a relay, and the address of the database behind it."""
        relay = Relay(FOLDER)
        self.addCleanup(relay.cut)
        name = self.url.split("/")[3].split("?")[0]
        return relay, name, f"postgresql://mbsd@127.0.0.1:{relay.port}/{name}"

    def test_an_address_beside_the_name(self):
        """With `hostaddr` no name server is asked."""
        relay, name, _ = self.through_the_network()
        url = f"postgresql://mbsd@no.such.invalid:{relay.port}/{name}?hostaddr=127.0.0.1"
        with self.another(f"--store={url}") as daemon:
            self.assertEqual(daemon.submit(quick(), wait=True)["status"], "succeeded")

    def test_a_wrong_password(self):
        relay, name, _ = self.through_the_network()
        hba = os.path.join(FOLDER, "data", "pg_hba.conf")
        with open(hba, encoding="ascii") as file:
            rules = file.read()

        def rule(text):
            with open(hba, "w", encoding="ascii") as file:
                file.write(text)
            self.psql("SELECT pg_reload_conf()")
        self.psql(f"CREATE ROLE other LOGIN PASSWORD 's3cret'; GRANT ALL ON DATABASE {name} TO other")
        self.addCleanup(rule, rules)
        rule("local all other scram-sha-256\n" + rules)
        place = f"127.0.0.1:{relay.port}/{name}"
        nobody = {"HOME": self.folder, "PGPASSFILE": os.path.join(self.folder, "none")}

        def one_line(password, words):
            def said():
                text = self.refused(f"--store=postgresql://other{password}@{place}", "--log-level=warning",
                                    environment=nobody)
                return words in text and text  # the rule takes effect a moment later
            text = until(said)
            self.assertEqual(lines_of(text), 1, text)
            self.assertIn("start_failed", text)
            self.assertNotIn("s3cre", text)
        one_line(":s3cre7", "the user or the password is wrong")
        one_line("", "it requires a password: set it in ~/.pgpass")
        secret = os.path.join(self.folder, "secret")
        with open(secret, "w", encoding="ascii") as file:
            file.write("s3cret\n")
        said = self.refused(f"--store=postgresql://other@{place}", f"--store-password-file={secret}.not")
        self.assertIn("cannot read the password", said)
        with support.Daemon(self.folder, f"--store=postgresql://other@{place}",
                            f"--store-password-file={secret}") as daemon:
            self.assertEqual(daemon.submit(quick(), wait=True)["status"], "succeeded")
            self.assertNotIn("s3cret", daemon.text())

    def test_the_database_is_away(self):
        relay, name, url = self.through_the_network()
        relay.cut()
        said = self.refused(f"--store={url}", "--log-level=warning")
        self.assertEqual(lines_of(said), 1, said)
        self.assertIn(f"cannot connect to the database {name} at 127.0.0.1:{relay.port} as mbsd", said)
        self.assertIn("check that it is running and accepts connections from this machine", said)
        relay.mend()
        with support.Daemon(self.folder, f"--store={url}", "--workers=1", "--lease=60", "--log-level=info") as daemon:
            job = daemon.submit(endless())["id"]
            daemon.await_job(job, "running")
            for times in (1, 2):
                relay.cut()
                problem = until(lambda: "cannot connect to the database" in (said := daemon.get("/readyz").json())
                                .get("detail", "") and said)
                self.assertEqual(problem["status"], 503)
                self.assertEqual(daemon.request("POST", "/jobs", quick()).status, 503)
                answer = daemon.get(f"/jobs/{job}")
                self.assertEqual((answer.status, answer.json()["title"]), (503, problem["title"]))
                relay.mend()
                until(lambda: daemon.get("/readyz").status == 200)
                self.assertEqual(daemon.job(job)["status"], "running")
                self.assertEqual(daemon.job(job)["attempt"], 1)
                # Exactly one line for the beginning and one for the end, whichever connection failed.
                self.assertEqual(len(daemon.events("storage_fault")), times)
                self.assertEqual(len(daemon.events("storage_fault_over")), times)
                self.assertLessEqual(len(daemon.events("database_lost")), times)
            daemon.request("POST", f"/jobs/{job}/cancel")
            self.assertEqual(daemon.await_job(job)["status"], "cancelled")

    @contextlib.contextmanager
    def pooler(self, mode):
        """Returns the address of the database behind pgbouncer."""
        name = self.url.split("/")[3].split("?")[0]
        with socket.create_server(("127.0.0.1", 0)) as first:
            port = first.getsockname()[1]
        folder = tempfile.mkdtemp(prefix="mbsd-test-")
        self.addCleanup(shutil.rmtree, folder)
        settings = os.path.join(folder, "pgbouncer.ini")
        with open(settings, "w", encoding="ascii") as file:
            file.write(f"[databases]\n{name} = host={FOLDER} user=mbsd\n[pgbouncer]\nlisten_addr = 127.0.0.1\n"
                       f"listen_port = {port}\nunix_socket_dir =\nauth_type = any\npool_mode = {mode}\n")
        os.chmod(folder, 0o755)
        owner = os.stat(f"/proc/{server_process()}")
        with subprocess.Popen([PGBOUNCER, settings], user=owner.st_uid, group=owner.st_gid, extra_groups=[],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            try:
                until(lambda: accepts(port))
                yield f"postgresql://mbsd@127.0.0.1:{port}/{name}"
            finally:
                process.terminate()

    def test_poolers(self):
        if not PGBOUNCER:
            support.lacks("pgbouncer")
        for mode in ("transaction", "statement"):
            with self.pooler(mode) as url:
                said = self.refused(f"--store={url}", "--log-level=warning")
                self.assertIn("pool_mode = session", said)
                self.assertEqual(lines_of(said), 1, said)
        with self.pooler("session") as url, support.Daemon(self.folder, f"--store={url}") as daemon, \
                self.another("--workers=1") as other:
            self.assertEqual(other.submit(quick(), wait=True)["status"], "succeeded")
            job = daemon.submit(quick())["id"]
            self.assertEqual(other.await_job(job)["status"], "succeeded")

    def test_why_it_does_not_start(self):
        database = self.url.split("/")[3].split("?")[0]
        self.assertIn("createdb", self.refused(f"--store={self.url.replace(database, 'nothing')}"))
        secret = "postgresql://mbsd:s3cret@/nothing?host=/nowhere"
        said = self.refused(f"--store={secret}")
        self.assertIn("cannot connect to the database", said)
        self.assertNotIn("s3cret", said)
        self.assertNotIn("s3cret", self.refused("--store=postgresql://mbsd:s3cret@[/x"))
        self.assertIn("must be sqlite: or postgresql:", self.refused("--store=mysql://x"))
        with self.another():
            pass
        self.psql("UPDATE mbsd.version SET version = version + 1")
        self.assertIn("newer", self.refused(f"--store={self.url}"))
        self.psql("UPDATE mbsd.version SET version = version - 1")
        self.psql(f"ALTER DATABASE {database} SET default_transaction_read_only = on")
        self.assertIn("read-only", self.refused(f"--store={self.url}"))


if __name__ == "__main__":
    if not SERVER:
        sys.exit(77)
    unittest.main()
