"""Files in deploy/: nginx and Caddy in front of the service, with TLS, on a separate host and below a path; systemd's
unit."""

import http.client
import json
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import unittest
from urllib.parse import quote, urljoin, urlsplit

from support import MBSD, PATIENCE, Answer, DaemonTest, lacks, quick, until

NAMES = ("mbsd.example", "www.example")


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as place:
        return place.getsockname()[1]


class Proxy(DaemonTest):
    """The service at a unix socket with a token, and a proxy that reads a file of deploy/ with the paths of this
    test."""

    def start(self, program, command, configuration):
        if not shutil.which(program, path=os.environ["PATH"] + ":/usr/sbin"):
            lacks(program)
        if not shutil.which("openssl"):
            lacks("openssl")
        self.port = free_port()
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=mbsd.example",
             "-addext", f"subjectAltName={','.join('DNS:' + name for name in NAMES)}",
             "-keyout", f"{self.folder}/key.pem", "-out", f"{self.folder}/certificate.pem"],
            check=True, capture_output=True)
        made = subprocess.run([MBSD, "--new-token", "anna", "run"], capture_output=True, text=True, check=True)
        self.token = re.search(r"mbsd_\w+", made.stderr)[0]
        with open(f"{self.folder}/tokens", "w", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
            file.write(made.stdout)
        self.service = self.daemon(f"--listen=unix:{self.folder}/socket", f"--token-file={self.folder}/tokens")
        self.service.__enter__()
        self.addCleanup(self.service.__exit__, None)
        path = f"{self.folder}/configuration"
        with open(path, "w") as file:
            file.write(configuration())
        with open(f"{self.folder}/proxy.log", "wb") as log:
            process = subprocess.Popen(command(path), stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                       env={**os.environ, "HOME": self.folder, "XDG_DATA_HOME": self.folder,
                                            "XDG_CONFIG_HOME": self.folder})
        self.addCleanup(process.wait, PATIENCE)
        self.addCleanup(process.send_signal, signal.SIGQUIT)

        def is_up():
            if process.poll() is not None:
                with open(f"{self.folder}/proxy.log") as file:
                    raise AssertionError(file.read())
            try:
                return self.ask("GET", "https://mbsd.example/healthz").status == 200
            except OSError:
                return False
        until(is_up)

    def ask(self, method, address, body=None, **headers):
        """Sends a request over TLS and checks the certificate for the requested name."""
        parts = urlsplit(address)
        context = ssl.create_default_context(cafile=f"{self.folder}/certificate.pem")
        plain = socket.create_connection(("127.0.0.1", self.port), PATIENCE)
        connection = http.client.HTTPConnection(parts.hostname)
        try:
            connection.sock = plain
            connection.sock = context.wrap_socket(plain, server_hostname=parts.hostname)
            connection.request(method, f"{parts.path}?{parts.query}" if parts.query else parts.path, body,
                               {"Host": f"{parts.hostname}:{self.port}", **headers})
            return Answer(connection.getresponse())
        finally:
            connection.close()

    def use(self, base):
        """Makes the requests of a browser and of a client, at an address that ends with a slash."""
        page = self.ask("GET", base)
        self.assertEqual(page.status, 200)
        for address in re.findall(r'(?:src|href)="([^"#]+)"', page.body.decode()):
            found = urljoin(base, address)
            self.assertTrue(found.startswith(base), address)
            self.assertEqual(self.ask("GET", found).status, 200, found)
        jobs = urljoin(base, "api/v1/jobs")
        answer = self.ask("GET", jobs)
        self.assertEqual((answer.status, answer.headers["WWW-Authenticate"]), (401, 'Bearer realm="mbsd"'))
        token = {"Authorization": f"Bearer {self.token}"}
        # A script of the page; an older browser only sends the origin of the page.
        own = f"https://{urlsplit(base).hostname}:{self.port}"
        answer = self.ask("POST", jobs, json.dumps(quick()), Prefer="wait=30", Origin=own, **token)
        self.assertEqual(answer.status, 200, answer.body)
        answer = self.ask("POST", jobs, json.dumps(quick()), Origin="https://evil.example", **token)
        self.assertEqual(answer.status, 403)
        # The job is at the Location, and so are the links in it.
        answer = self.ask("POST", jobs, json.dumps(quick()), Prefer="wait=30", **token)
        job = urljoin(jobs, answer.headers["Location"])
        found = self.ask("GET", job, **token).json()
        self.assertEqual(found["status"], "succeeded")
        self.assertEqual(urljoin(jobs, found["links"]["self"]), job)
        self.assertTrue(urlsplit(job).path.startswith(urlsplit(base).path))
        arrays = self.ask("GET", f"{job}/results", **token).json()["arrays"]
        self.assertEqual(self.ask("GET", f"{job}/results/{quote(arrays[0]['name'], safe='')}?format=npy", **token).status,
                         200)
        # The proxy must not decode a slash in a name.
        answer = self.ask("GET", f"{job}/results/no%2Fsuch", **token)
        self.assertEqual(answer.status, 404)
        self.assertIn("no/such", answer.json()["detail"])
        # A body that the service accepts but a proxy by default does not, and a larger one.
        large = json.dumps({**quick(), "name": "x" * (2 << 20)})
        self.assertEqual(self.ask("POST", urljoin(base, "api/v1/validate"), large, **token).status, 200)
        try:
            self.assertEqual(self.ask("POST", jobs, b" " * (17 << 20), **token).status, 413)
        except (BrokenPipeError, ConnectionResetError, ssl.SSLError):
            pass  # refused before the client sent it
        self.assertEqual(self.ask("DELETE", f"{job}", Origin="https://evil.example", **token).status, 403)


class Nginx(Proxy):
    def configuration(self):
        with open("deploy/nginx.conf") as file:
            site = file.read()
        site, places = re.subn("listen 443 ssl", f"listen 127.0.0.1:{self.port} ssl", site)
        site, certificates = re.subn(r"ssl_certificate /\S+;", f"ssl_certificate {self.folder}/certificate.pem;", site)
        site, keys = re.subn(r"ssl_certificate_key /\S+;", f"ssl_certificate_key {self.folder}/key.pem;", site)
        site, sockets = re.subn("/run/mbsd/socket;", f"{self.folder}/socket;", site)
        self.assertEqual((places, certificates, keys, sockets), (2, 2, 2, 1))
        folders = "".join(f"{kind}_temp_path {self.folder}/nginx-{kind};\n"
                          for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        user = "user root;" if os.geteuid() == 0 else ""
        return f"""{user} daemon off; worker_processes 1; pid {self.folder}/nginx.pid; error_log stderr;
            events {{}}
            http {{ access_log off;
            {folders}
            {site} }}"""

    def test_a_host_and_a_path(self):
        self.start("nginx", lambda path: [shutil.which("nginx") or "/usr/sbin/nginx", "-e", "stderr", "-c", path],
                   self.configuration)
        self.use("https://mbsd.example/")
        self.use("https://www.example/mbs/")
        answer = self.ask("GET", "https://www.example/mbs")
        self.assertEqual((answer.status, answer.headers["Location"]), (308, "/mbs/"))


class Caddy(Proxy):
    def configuration(self):
        with open("deploy/Caddyfile") as file:
            site = file.read()
        site, sockets = re.subn("unix//run/mbsd/socket", f"unix/{self.folder}/socket", site)
        site, names = re.subn(r"(?m)^(\w+\.example) \{$", f"\\1:{self.port} {{\n\tbind 127.0.0.1\n"
                              f"\ttls {self.folder}/certificate.pem {self.folder}/key.pem", site)
        self.assertEqual((sockets, names), (1, 2))
        return "{\n\tadmin off\n\tauto_https off\n}\n" + site

    def test_a_host_and_a_path(self):
        self.start("caddy", lambda path: ["caddy", "run", "--config", path, "--adapter", "caddyfile"],
                   self.configuration)
        self.use("https://mbsd.example/")
        self.use("https://www.example/mbs/")
        answer = self.ask("GET", "https://www.example/mbs")
        self.assertEqual((answer.status, answer.headers["Location"]), (308, "/mbs/"))


class Systemd(DaemonTest):
    def copy(self, source, name):
        """Copies a file of deploy/, with the path of the tested program."""
        with open(f"deploy/{source}") as file:
            text, places = re.subn("ExecStart=mbsd ", f"ExecStart={os.path.abspath(MBSD)} ", file.read())
        self.assertEqual(places, 1)
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text)
        return path, text

    def test_the_unit(self):
        """The unit on the loopback interface, then with the file that puts it behind a proxy."""
        if not shutil.which("systemd-analyze"):
            self.skipTest("systemd-analyze is not installed")
        path, unit = self.copy("mbsd.service", "mbsd.service")
        self.verify(path, unit)
        _, changes = self.copy("socket.conf", "mbsd.service.d/socket.conf")
        self.verify(path, changes)

    def verify(self, path, unit):
        said = subprocess.run(["systemd-analyze", "verify", "--man=no", path], capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual((said.returncode, [line for line in said.stderr.splitlines() if "mbsd.service" in line]), (0, []))
        said = subprocess.run(["systemd-analyze", "security", "--offline=true", "--threshold=10", path],
                              capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(said.returncode, 0, said.stdout[-2000:])  # an exposure of 1.0 of 10
        # The unit uses options of the program.
        line = re.search(r"(?m)^ExecStart=\S+ (.*)$", unit)[1].split()
        shown = subprocess.run([MBSD, *line, "--help"], capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual((shown.returncode, shown.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main(verbosity=2)  # lists skipped tests, with reasons
