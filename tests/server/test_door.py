"""Access control: hosts, unix sockets, tokens."""

import hashlib
import json
import os
import re
import signal
import socket
import stat
import subprocess
import unittest

from support import MBSD, PATIENCE, DaemonTest, endless, is_alive, quick, until


def run(*arguments):
    clean = {key: value for key, value in os.environ.items() if not key.startswith("MBSD_")}
    return subprocess.run([MBSD, *arguments], env=clean, capture_output=True, text=True, timeout=PATIENCE)


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


class Hosts(DaemonTest):
    def test_every_address_and_agent(self):
        """Listens on all addresses, as in a container with a published port."""
        with self.daemon("--host=0.0.0.0", "--insecure", "--host-name=mbsd.example") as daemon:
            daemon.host = "127.0.0.1"
            for host, status in (("localhost:8080", 200), ("192.168.7.7", 200), ("mbsd.example", 200),
                                 ("evil.example", 403), ("127.0.0.1.evil.example", 403)):
                for agent in ("Mozilla/5.0", "curl/8", ""):
                    answer = daemon.get("/api/v1/jobs", Host=host, **{"User-Agent": agent})
                    self.assertEqual(answer.status, status, (host, agent))
            self.assertIn("--host-name=evil.example", daemon.get("/readyz", Host="evil.example").json()["detail"])

    def test_the_host_that_it_listens_on_is_a_name(self):
        with self.daemon("--host=localhost") as daemon:
            self.assertEqual(daemon.get("/healthz", Host="localhost").status, 200)
        name = socket.gethostname()
        try:
            socket.getaddrinfo(name, 0)
        except OSError:
            self.skipTest("this machine's name has no address")
        with self.daemon(f"--host={name}", "--insecure") as daemon:
            self.assertEqual(daemon.get("/healthz", Host=name).status, 200)
            self.assertEqual(daemon.get("/healthz", Host="other.example").status, 403)

    def test_no_host(self):
        with self.daemon() as daemon:
            self.assertRegex(daemon.raw(b"GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n"), rb"^HTTP/1.1 400 ")
            self.assertRegex(daemon.raw(b"GET /healthz HTTP/1.0\r\n\r\n"), rb"^HTTP/1.[01] 200 ")


class UnixSocket(DaemonTest):
    def setUp(self):
        super().setUp()
        self.path = os.path.join(self.folder, "mbsd.socket")

    def test_requests(self):
        with self.daemon(f"--listen=unix:{self.path}") as daemon:
            self.assertEqual(daemon.path, self.path)
            self.assertEqual(stat.S_IMODE(os.stat(self.path).st_mode), 0o660)
            self.assertEqual(daemon.submit(quick(), wait=True)["status"], "succeeded")
            # Requests through a unix socket have no address that a host name could redirect to.
            self.assertEqual(daemon.get("/api/v1/jobs", Host="any.name.example:99").status, 200)
            self.assertEqual(daemon.get("/api/v1/jobs", Host="no host").status, 400)
            self.assertEqual(daemon.get("/api/v1/jobs", Host=":").status, 400)
            shown = subprocess.run(["curl", "-sS", "--unix-socket", self.path, "http://mbsd/healthz"],
                                   capture_output=True, timeout=PATIENCE)
            self.assertIn(b'"ok"', shown.stdout)
            self.assertEqual(daemon.stop(), 0)
            self.assertFalse(os.path.exists(self.path))

    def test_mode(self):
        with self.daemon(f"--listen=unix:{self.path}", "--socket-mode=0600"):
            self.assertEqual(stat.S_IMODE(os.stat(self.path).st_mode), 0o600)

    def test_a_socket_that_was_left_is_replaced(self):
        with self.daemon(f"--listen=unix:{self.path}") as daemon:
            daemon.kill()
        self.assertTrue(os.path.exists(self.path))
        with self.daemon(f"--listen=unix:{self.path}") as daemon:
            self.assertEqual(daemon.get("/healthz").status, 200)
            # ... but not the file of a socket on which a process is listening.
            answer = run(f"--listen=unix:{self.path}", f"--data={self.folder}/other")
            self.assertEqual(answer.returncode, 1)
            self.assertIn("another process is listening there", answer.stderr)
            self.assertEqual(daemon.get("/healthz").status, 200)

    def test_a_file_of_another_is_left_alone(self):
        with open(self.path, "w") as file:
            file.write("precious")
        answer = run(f"--listen=unix:{self.path}", f"--data={self.folder}/data")
        self.assertEqual(answer.returncode, 1)
        self.assertIn("a file that is not a socket", answer.stderr)
        with open(self.path) as file:
            self.assertEqual(file.read(), "precious")
        os.remove(self.path)
        with self.daemon(f"--listen=unix:{self.path}") as daemon:
            os.remove(self.path)
            with open(self.path, "w") as file:
                file.write("precious")
            self.assertEqual(daemon.stop(), 0)
        self.assertTrue(os.path.exists(self.path))

    def test_places_that_are_none(self):
        for where, why in (("unix:", "path must have 1 to"), ("unix:" + "x" * 200, "path must have 1 to"),
                           (f"unix:{self.folder}/no/such/place", "No such file"), ("8080", "expected unix:PATH"),
                           ("localhost:http", "expected unix:PATH"), ("::1:80", "expected unix:PATH"), ("localhost:70000", "expected unix:PATH"),
                           (":80", "expected unix:PATH"), ("nowhere.invalid:80", "nowhere.invalid")):
            with self.subTest(where=where):
                answer = run(f"--listen={where}", f"--data={self.folder}/data")
                self.assertEqual(answer.returncode, 1)
                self.assertIn(why, answer.stderr)

    def test_host_and_port(self):
        with self.daemon("--port=1", "--host=no.such.invalid", "--listen=127.0.0.1:0") as daemon:
            self.assertEqual(daemon.get("/healthz").status, 200)


class Tokens(DaemonTest):
    def setUp(self):
        super().setUp()
        self.file = os.path.join(self.folder, "tokens")
        self.write("")

    def write(self, text, mode=0o640):
        with open(self.file, "w") as file:
            file.write(text)
        os.chmod(self.file, mode)

    def new(self, name, right):
        """Returns a new token, and its line in the token file."""
        made = run("--new-token", name, right)
        self.assertEqual(made.returncode, 0)
        return re.search(r"mbsd_[0-9a-f]{64}", made.stderr)[0], made.stdout

    def test_a_new_token(self):
        token, line = self.new("anna", "run")
        self.assertEqual(line, f"anna run {hashlib.sha256(token.encode()).hexdigest()}\n")
        self.assertNotEqual(token, self.new("anna", "run")[0])
        for arguments in ([], ["anna"], ["anna", "all"], ["an na", "run"], ["x" * 64, "run"], ["anna", "run", "more"]):
            answer = run("--new-token", *arguments)
            self.assertEqual((answer.returncode, answer.stdout), (2, ""))
            self.assertIn("--new-token NAME PERMISSION", answer.stderr)

    def test_rights(self):
        (reader, first), (runner, second) = self.new("reader", "read"), self.new("runner", "run")
        self.write(f"# who may come in\n\n{first}  {second}")
        with self.daemon(f"--token-file={self.file}") as daemon:
            for path in ("/healthz", "/readyz", "/api/v1/openapi.json"):
                self.assertEqual(daemon.get(path).status, 200)
            answer = daemon.get("/jobs")
            self.assertEqual((answer.status, answer.headers["WWW-Authenticate"]), (401, 'Bearer realm="mbsd"'))
            for wrong in ("x", reader[:-1], reader + "0", first.split()[2]):
                self.assertEqual(daemon.get("/jobs", **bearer(wrong)).status, 401)
            self.assertEqual(daemon.get("/jobs", **bearer(reader)).status, 200)
            answer = daemon.request("POST", "/jobs", quick(), bearer(reader))
            self.assertEqual(answer.status, 403)
            self.assertIn("permission 'run'", answer.json()["detail"])
            answer = daemon.request("POST", "/jobs", quick(), {"Prefer": "wait=30", **bearer(runner)})
            self.assertEqual(answer.json()["status"], "succeeded")

    def test_own_jobs_only(self):
        """The right `own` shows no job of another token; every job tells its owner."""
        (anna, first), (bert, second) = self.new("anna", "own"), self.new("bert", "own")
        reader, third = self.new("reader", "read")
        self.write(first + second + third)
        with self.daemon(f"--token-file={self.file}") as daemon:
            post = lambda token: daemon.request("POST", "/jobs", {"model": quick(), "reuse": True},
                                                {"Prefer": "wait=30", **bearer(token)}).json()
            job = post(anna)
            self.assertEqual((job["status"], job["owner"]), ("succeeded", "anna"))
            place = f"/jobs/{job['id']}"
            for path in (place, place + "/model", place + "/results", place + "/events", place + "/certificate"):
                self.assertEqual(daemon.get(path, **bearer(bert)).status, 404, path)
                self.assertEqual(daemon.get(path, **bearer(anna)).status, 200, path)
            for method, path in (("DELETE", place), ("POST", place + "/cancel"), ("PATCH", place)):
                self.assertEqual(daemon.request(method, path, headers=bearer(bert)).status, 404)
            listed = [daemon.get(path, **bearer(token)).json()["jobs"] for path, token in
                      (("/jobs", anna), ("/jobs", bert), ("/jobs?owner=anna", bert), ("/jobs?owner=anna", reader),
                       ("/jobs?owner=bert", reader))]
            self.assertEqual([len(jobs) for jobs in listed], [1, 0, 0, 1, 0])
            self.assertEqual([daemon.get("/metrics", **bearer(token)).status for token in (anna, reader)], [403, 200])
            # An equal job of another client is not returned.
            again = post(bert)
            self.assertEqual((again["owner"], again["id"] == job["id"]), ("bert", False))
            self.assertEqual(post(anna)["id"], job["id"])
            # The events of all jobs begin behind those of before; `retry` comes first.
            events = daemon.connection()
            self.addCleanup(events.close)
            events.request("GET", "/api/v1/events", headers=bearer(bert))
            stream = events.getresponse()
            self.addCleanup(stream.close)
            for token in (anna, bert):
                daemon.request("POST", "/jobs", quick(), {"Prefer": "wait=30", **bearer(token)})
            seen = set()
            while not seen:
                line = stream.readline()
                if line.startswith(b"data: {"):
                    event = json.loads(line[6:])
                    seen.add(daemon.get(f"/jobs/{event['id']}", **bearer(reader)).json()["owner"])
            self.assertEqual(seen, {"bert"})
            self.assertEqual(daemon.request("DELETE", place, headers=bearer(anna)).status, 204)

    def test_no_secret_is_logged(self):
        token, line = self.new("anna", "run")
        self.write(line)
        with self.daemon(f"--token-file={self.file}") as daemon:
            daemon.get("/jobs", **bearer(token))
            daemon.get("/jobs", **bearer(token[:-1] + "x"))
            self.assertEqual(daemon.stop(), 0)
            self.assertNotIn(token[:-1], daemon.text())
            self.assertNotIn(line.split()[2], daemon.text())

    def test_reload(self):
        """SIGHUP ends nothing: jobs continue, tokens are read again, and an invalid file leaves the old tokens."""
        (old, old_line), (new, new_line) = self.new("old", "admin"), self.new("new", "admin")
        self.write(old_line)
        with self.daemon(f"--token-file={self.file}", "--workers=1") as daemon:
            job = daemon.request("POST", "/jobs", endless(), bearer(old)).json()["id"]
            until(lambda: daemon.get(f"/jobs/{job}", **bearer(old)).json()["status"] == "running")
            self.write(new_line + "somebody may whatever\n")
            daemon.process.send_signal(signal.SIGHUP)
            kept = until(lambda: daemon.events("tokens_kept"))
            self.assertIn(f"{self.file}:2: ", kept[0]["error"])
            self.assertEqual(daemon.get("/jobs", **bearer(old)).status, 200)
            self.assertEqual(daemon.get("/jobs", **bearer(new)).status, 401)
            self.write(new_line)
            daemon.process.send_signal(signal.SIGHUP)
            self.assertEqual(until(lambda: daemon.events("tokens_read"))[0]["tokens"], 1)
            self.assertEqual(daemon.get("/jobs", **bearer(old)).status, 401)
            self.assertEqual(daemon.get(f"/jobs/{job}", **bearer(new)).json()["status"], "running")
            self.assertTrue(is_alive(daemon.process.pid))
            self.assertEqual(daemon.events("draining"), [])

    def test_streams_end_with_their_tokens(self):
        (old, old_line), (new, new_line) = self.new("old", "admin"), self.new("new", "admin")
        self.write(old_line + new_line)
        with self.daemon(f"--token-file={self.file}", "--workers=1", "--heartbeat=60") as daemon:
            job = daemon.request("POST", "/jobs", endless(), bearer(old)).json()["id"]
            streams = []
            for path in ("/events", f"/jobs/{job}/events"):
                connection = daemon.connection()
                connection.request("GET", f"/api/v1{path}", headers=bearer(old))
                streams.append(connection.getresponse())
                self.assertEqual(streams[-1].status, 200)
            self.write(new_line)
            daemon.process.send_signal(signal.SIGHUP)
            until(lambda: daemon.events("tokens_read"))
            for stream in streams:
                stream.read()  # until the end
            self.assertEqual(daemon.get("/events", **bearer(old)).status, 401)

    def test_jobs_of_others(self):
        (anna, first), (berta, second), (admin, third) = (
            self.new("anna", "run"), self.new("berta", "run"), self.new("admin", "admin"))
        self.write(first + second + third)
        with self.daemon(f"--token-file={self.file}", "--workers=1") as daemon:
            job, other = (daemon.request("POST", "/jobs", endless(), bearer(anna)).json()["id"] for _ in range(2))
            for method, path in (("POST", f"/jobs/{job}/cancel"), ("DELETE", f"/jobs/{job}")):
                answer = daemon.request(method, path, headers=bearer(berta))
                self.assertEqual(answer.status, 403)
                self.assertIn("'admin'", answer.json()["detail"])
            self.assertEqual(daemon.get(f"/jobs/{job}", **bearer(berta)).status, 200)
            self.assertIn(daemon.request("POST", f"/jobs/{job}/cancel", headers=bearer(anna)).status, (200, 202))
            self.assertEqual(daemon.request("DELETE", f"/jobs/{job}", headers=bearer(anna)).status, 204)
            self.assertEqual(daemon.request("DELETE", f"/jobs/{other}", headers=bearer(admin)).status, 204)

    def test_health_of_a_socket(self):
        path = os.path.join(self.folder, "socket")
        ask = [MBSD, f"--listen=unix:{path}", "--health"]
        self.assertEqual(subprocess.run(ask, capture_output=True).returncode, 1)
        with self.daemon(f"--listen=unix:{path}"):
            self.assertEqual(subprocess.run(ask, capture_output=True).returncode, 0)

    def test_hang_up_without_a_file(self):
        with self.daemon() as daemon:
            daemon.process.send_signal(signal.SIGHUP)
            until(lambda: daemon.events("nothing_to_reload"))
            self.assertEqual(daemon.get("/readyz").status, 200)

    def test_files_with_mistakes(self):
        line = self.new("anna", "run")[1]
        hashed = line.split()[2]
        for text, mode, why in (
            (line, 0o644, "is accessible to other users"),
            (line, 0o660, "is accessible to other users"),
            ("anna run\n", 0o600, "tokens:1: expected `name permission hash`"),
            (f"\n{line[:-1]} more\n", 0o600, "tokens:2: expected only limits"),
            (f"{line[:-1]} cpu-seconds=0\n", 0o600, "tokens:1: expected only limits"),
            (f"{line[:-1]} cpu-seconds=1K\n", 0o600, "tokens:1: expected only limits"),
            (f"{line[:-1]} client-queue=1.5\n", 0o600, "tokens:1: expected only limits"),
            (f"{line[:-1]} stored-bytes=10X\n", 0o600, "tokens:1: expected only limits"),
            (f"{line[:-1]} stored-bytes=inf\n", 0o600, "tokens:1: expected only limits"),
            (f"{line[:-1]} stored-bytes=1G stored-bytes=2G\n", 0o600, "tokens:1: expected only limits"),
            (f"anna write {hashed}\n", 0o600, "tokens:1: the permission must be"),
            (f"anna none {hashed}\n", 0o600, "tokens:1: the permission must be"),
            (f"an/na run {hashed}\n", 0o600, "tokens:1: the name must"),
            (f"anna run {hashed[:-1]}\n", 0o600, "tokens:1: the hash must"),
            (f"anna run {hashed[:-1]}g\n", 0o600, "tokens:1: the hash must"),
            (f"{line}berta admin {hashed}\n", 0o600, "tokens:2: duplicate hash"),
        ):
            with self.subTest(why=why, text=text):
                self.write(text, mode)
                answer = run("--port=0", f"--data={self.folder}/data", f"--token-file={self.file}")
                self.assertEqual((answer.returncode, answer.stdout), (1, ""))
                self.assertIn(why, answer.stderr)
        for path, why in ((self.folder, "is not a regular file"), ("/no/such/file", "No such file")):
            answer = run("--port=0", f"--data={self.folder}/data", f"--token-file={path}")
            self.assertEqual(answer.returncode, 1)
            self.assertIn(why, answer.stderr)

    def test_other_machines_need_one(self):
        for where in ("--host=0.0.0.0", "--listen=0.0.0.0:0"):
            answer = run("--port=0", where, f"--data={self.folder}/data")
            self.assertEqual((answer.returncode, answer.stdout), (1, ""))
            self.assertIn("--token-file", answer.stderr)
            self.assertIn("--insecure", answer.stderr)
        token, line = self.new("anna", "read")
        self.write(line)
        with self.daemon("--host=0.0.0.0", f"--token-file={self.file}") as daemon:
            self.assertEqual(daemon.get("/jobs").status, 401)
            self.assertEqual(daemon.get("/jobs", **bearer(token)).status, 200)
        with self.daemon("--host=0.0.0.0", "--insecure") as daemon:
            self.assertEqual(daemon.get("/jobs").status, 200)


if __name__ == "__main__":
    unittest.main()
