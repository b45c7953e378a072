"""Options: command line, environment, configuration file; --help lists all of them."""

import os
import re
import signal
import socket
import subprocess
import unittest

from support import MBSD, PATIENCE, DaemonTest, endless, in_threads, until


def run(*arguments, **environment):
    clean = {key: value for key, value in os.environ.items() if not key.startswith("MBSD_")}
    return subprocess.run([MBSD, *arguments], env={**clean, **environment}, capture_output=True, text=True, timeout=PATIENCE)


class Options(DaemonTest):
    def test_help_and_version(self):
        shown = run("--help")
        self.assertEqual((shown.returncode, shown.stderr), (0, ""))
        with open("server/base/options.def") as file:
            names = re.findall(r'^OPTION\(\w+, \w+, "([a-z-]+)"', file.read(), re.MULTILINE)
        self.assertGreater(len(names), 10)
        for name in names:
            self.assertIn(f"--{name}=", shown.stdout)
            self.assertIn(f"[MBSD_{name.upper().replace('-', '_')}]", shown.stdout)
        for verb in ("--check", "--backup=DIR", "--ready"):
            self.assertIn(f"\n  {verb}\n", shown.stdout)
        self.assertRegex(run("--version").stdout, r"^mbsd \d+\.\d+\.\d+\n$")

    def test_mistakes(self):
        path = os.path.join(self.folder, "mbsd.conf")
        for arguments, environment, text, why in (
            (["--port=70000"], {}, "", "port"),
            (["--port=8.5"], {}, "", "expected an integer"),
            (["--nonsense=1"], {}, "", "nonsense"),
            (["here"], {}, "", "here"),
            (["--log-format=xml"], {}, "", "log-format is 'xml'; expected one of text, json\n"),
            (["--log-level=foo"], {}, "", "log-level is 'foo'; expected one of debug, info, warning, error\n"),
            (["--body=12Q"], {}, "", "12Q"),
            (["--keep-days=-1"], {}, "", "keep-days is '-1'"),
            (["--keep-bytes=many"], {}, "", "keep-bytes is 'many'"),
            (["--backup"], {}, "", "backup"),
            (["--check", "--prot=1"], {}, "", "prot"),
            ([], {"MBSD_WORKERS": "many"}, "", "MBSD_WORKERS"),
            (["--config=" + path], {}, "port = 1\nworker = 2\n",
             "mbsd.conf:2: unknown setting 'worker'; did you mean workers"),
            (["--config=" + path], {}, "port\n", "mbsd.conf:1"),
            (["--config=/no/such/file"], {}, "", "/no/such/file"),
            (["--host-name="], {}, "", "host-name is '', which contains an empty name"),
            (["--host-name=a.example,,b.example"], {}, "", "empty name"),
            (["--host-name=a.example, "], {}, "", "empty name"),
            (["--insecure=maybe"], {}, "", "insecure is 'maybe'; expected yes or no"),
            ([], {"MBSD_HOST_NAME": ""}, "", "MBSD_HOST_NAME: host-name"),
            (["--config=" + path], {}, "host-name =\n", "mbsd.conf:1: host-name"),
            (["--grace=-1", "--wait=1000"], {}, "", "wait"),
        ):
            with self.subTest(arguments=arguments, text=text):
                with open(path, "w") as file:
                    file.write(text)
                answer = run(*arguments, **environment)
                self.assertEqual(answer.returncode, 2)
                self.assertEqual(answer.stdout, "")
                self.assertIn(why, answer.stderr)

    def test_health(self):
        """Checks without another program: exit code 0 if the service responds, or is ready, else 1 with a reason."""
        with self.daemon("--host=0.0.0.0", "--insecure") as daemon:
            for how in [f"--port={daemon.port}"], [f"--port={daemon.port}", "--host=0.0.0.0"]:
                answer = run("--health", *how)
                self.assertEqual((answer.returncode, answer.stdout, answer.stderr), (0, "", ""))
            self.assertEqual(run("--health", MBSD_PORT=str(daemon.port)).returncode, 0)
            self.assertEqual(run("--ready", f"--port={daemon.port}").returncode, 0)
            # A daemon that ends is alive, but not ready.
            daemon.submit(endless())
            daemon.process.send_signal(signal.SIGTERM)
            until(lambda: daemon.get("/readyz").status == 503)
            self.assertEqual(run("--health", f"--port={daemon.port}").returncode, 0)
            answer = run("--ready", f"--port={daemon.port}")
            self.assertEqual((answer.returncode, answer.stdout), (1, ""))
            self.assertEqual(answer.stderr, "mbsd: the service is not ready: it responded with 'HTTP/1.1 503 Service "
                                            "Unavailable': the service is shutting down\n")
            port = daemon.port
        answer = run("--health", f"--port={port}")
        self.assertEqual(answer.returncode, 1)
        self.assertIn(f"cannot connect to 127.0.0.1 port {port}", answer.stderr)
        with socket.create_server(("127.0.0.1", 0)) as other:
            def refuse(_):
                client = other.accept()[0]
                with client:
                    client.recv(1000)
                    client.sendall(b"HTTP/1.1 503 Busy\r\n\r\n")

            asked, _ = in_threads(2, lambda i: refuse(i) if i else run("--health", f"--port={other.getsockname()[1]}"))
        self.assertEqual(asked.returncode, 1)
        self.assertIn("'HTTP/1.1 503 Busy'", asked.stderr)
        self.assertEqual(run("--health", "--nonsense=1").returncode, 2)

    def test_the_later_counts(self):
        """Precedence of file, environment and command line, increasing; observed by the largest accepted body."""
        path = os.path.join(self.folder, "mbsd.conf")
        with open(path, "w") as file:
            file.write("# a comment\n\n body = 2K \nworkers=1\n")

        def limit(*options, **environment):
            os.environ.update(environment)
            try:
                # Daemon() removes MBSD_ variables, so the environment is that of a preceding shell.
                with self.daemon(f"--config={path}", *options) as daemon:
                    self.assertEqual(daemon.metrics()["mbsd_workers"], 1)
                    for size in (2048, 4096, 8192):
                        if daemon.request("POST", "/jobs", b" " * (size + 1)).status == 413:
                            return size
            finally:
                for name in environment:
                    del os.environ[name]
            return None

        self.assertEqual(limit(), 2048)
        self.assertEqual(limit("--body=8K"), 8192)

    def test_environment(self):
        answer = run("--port=0", MBSD_HOST="no.such.host.invalid")
        self.assertEqual(answer.returncode, 1)
        self.assertIn("no.such.host.invalid", answer.stderr)
        # The command line takes precedence.
        answer = run("--host=other.invalid", MBSD_HOST="no.such.host.invalid")
        self.assertIn("other.invalid", answer.stderr)

    def test_port_taken(self):
        with self.daemon() as daemon:
            answer = run(f"--port={daemon.port}", f"--data={self.folder}/other")
            self.assertEqual(answer.returncode, 1)
            self.assertIn("in use", answer.stderr)

    def test_host_names(self):
        """Checks the host names that the service accepts: its own, and those that each source adds."""
        path = os.path.join(self.folder, "mbsd.conf")
        with open(path, "w") as file:
            file.write("host-name = one.example\nhost-name = two.example, three.example\n")

        def statuses(*options):
            names = ("localhost", "127.0.0.1", "one.example", "three.example", "four.example", "five.example", "evil")
            with self.daemon(*options) as daemon:
                return [daemon.get("/healthz", Host=f"{name}:80").status for name in names]

        self.assertEqual(statuses(), [200] * 2 + [403] * 5)
        self.assertEqual(statuses(f"--config={path}", "--host-name=four.example", "--host-name=five.example"),
                         [200] * 6 + [403])
        self.assertEqual(statuses("--host-name=*"), [200] * 7)

    @unittest.skipUnless(os.path.exists("/proc/net/if_inet6"), "this machine has no IPv6")
    def test_ipv6(self):
        with self.daemon("--host=::1") as daemon:
            self.assertEqual(daemon.get("/healthz").status, 200)


if __name__ == "__main__":
    unittest.main()
