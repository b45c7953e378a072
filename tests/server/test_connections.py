"""Connections: many at once, slow ones, and heads that two servers could read differently."""

import http.client
import json
import socket
import time
import unittest

from support import DaemonTest, endless, in_threads, quick, until


class Connections(DaemonTest):
    def test_many_at_once(self):
        """A multiple of 128 ready connections once stalled libmicrohttpd's own epoll thread."""
        with self.daemon() as daemon:
            for count in (128, 256, 512):
                clients = [daemon.connection() for _ in range(count)]
                begin = time.monotonic()
                for _ in range(4):
                    for client in clients:
                        client.request("GET", "/healthz")
                    for client in clients:
                        response = client.getresponse()
                        response.read()
                        self.assertEqual(response.status, 200)
                self.assertGreater(4 * count / (time.monotonic() - begin), 200, "requests a second")
                self.assertGreaterEqual(daemon.metrics()["mbsd_http_connections"], count)
                for client in clients:
                    client.close()

    def test_many_posts_at_once(self):
        with self.daemon("--wait=60") as daemon:
            clients = [daemon.connection() for _ in range(128)]
            body = json.dumps(quick())
            for client in clients:
                client.request("POST", "/api/v1/jobs", body, {"Prefer": "wait=60"})
            ids = set()
            for client in clients:
                response = client.getresponse()
                job = json.loads(response.read())
                self.assertEqual((response.status, job["status"]), (200, "succeeded"))
                ids.add(job["id"])
                client.close()
            self.assertEqual(len(ids), 128)

    def test_slow_clients_are_cut_off(self):
        """One byte now and then is activity, but no request."""
        with self.daemon("--request-seconds=1") as daemon:
            def drip(begin_with, byte):
                """Sends bytes one by one until the server closes; returns how long that took."""
                begin = time.monotonic()
                with socket.create_connection(("127.0.0.1", daemon.port)) as client:
                    client.settimeout(0.1)
                    client.sendall(begin_with)
                    while time.monotonic() - begin < 20:
                        try:
                            client.sendall(byte)
                            if client.recv(1000) == b"":
                                break
                        except TimeoutError:
                            continue
                        except (BrokenPipeError, ConnectionResetError):
                            break
                return time.monotonic() - begin

            head = b"POST /api/v1/jobs HTTP/1.1\r\nHost: localhost\r\n"
            for name, begin_with in (("head", head + b"X-Slow: "), ("body", head + b"Content-Length: 1000\r\n\r\n")):
                with self.subTest(name):
                    self.assertTrue(0.8 < drip(begin_with, b"a") < 10)
            # An idle connection goes as well, and nobody else is disturbed.
            with socket.create_connection(("127.0.0.1", daemon.port), timeout=10) as client:
                self.assertEqual(client.recv(10), b"")
            self.assertEqual(daemon.get("/healthz").status, 200)

    def test_waiting_outlives_the_deadline_of_requests(self):
        with self.daemon("--request-seconds=0.5") as daemon:
            answer = daemon.request("POST", "/jobs", endless(), {"Prefer": "wait=2"})
            self.assertEqual(answer.status, 202)

    def test_client_leaves_while_it_waits(self):
        with self.daemon("--wait=2") as daemon:
            for _ in range(20):
                client = daemon.connection()
                client.request("POST", "/api/v1/jobs", json.dumps(endless()), {"Prefer": "wait=60"})
                client.close()
            self.assertEqual(daemon.get("/healthz").status, 200)
            until(lambda: daemon.metrics()["mbsd_http_connections"] == 1)

    def test_ambiguous_heads(self):
        with self.daemon() as daemon:
            def status(*lines, body=b""):
                text = "\r\n".join(["POST /api/v1/validate HTTP/1.1", *lines, "", ""]).encode("latin-1")
                answer = daemon.raw(text + body)
                # What follows in the body must not have been taken for a request. (The library's own answers repeat
                # their head, so heads are not counted.)
                self.assertNotIn(b"HTTP/1.1 404 ", answer)
                return int(answer.split(b" ", 2)[1]), answer

            hidden = b"0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n"
            cases = {
                "both": ("Host: localhost", "Content-Length: 5", "Transfer-Encoding: chunked"),
                "both, other order": ("Host: localhost", "Transfer-Encoding: chunked", "Content-Length: 5"),
                "two lengths": ("Host: localhost", "Content-Length: 5", "Content-Length: 6"),
                "the same length twice": ("Host: localhost", "Content-Length: 5", "Content-Length: 5"),
                "list of lengths": ("Host: localhost", "Content-Length: 5, 5"),
                "space before the colon": ("Host: localhost", "Content-Length : 5"),
                "signed length": ("Host: localhost", "Content-Length: +5"),
                "hexadecimal length": ("Host: localhost", "Content-Length: 0x5"),
                "unknown encoding": ("Host: localhost", "Transfer-Encoding: gzip, chunked"),
                "two encodings": ("Host: localhost", "Transfer-Encoding: chunked", "Transfer-Encoding: identity"),
                "two hosts": ("Host: localhost", "Host: localhost", "Content-Length: 5"),
                "no host": ("Content-Length: 5",),
                "bad name": ("Host: localhost", "Bad(name: 1", "Content-Length: 5"),
            }
            for name, lines in cases.items():
                with self.subTest(name):
                    code, answer = status(*lines, body=hidden)
                    self.assertEqual(code, 400, answer)
                    if name.startswith("both"):
                        self.assertIn(b'"instance":"/api/v1/validate"', answer)
                    self.assertIn(b"connection: close", answer.lower())
            self.assertEqual(daemon.get("/healthz").status, 200)

    def test_too_large(self):
        with self.daemon("--body=64K") as daemon:
            answer = daemon.request("POST", "/jobs", b" " * (65 << 10))
            self.assertEqual(answer.status, 413)
            self.assertEqual(answer.headers["Content-Type"], "application/problem+json")
            self.assertEqual(answer.json()["instance"], "/api/v1/jobs")
            # Announced only: it is refused before it is sent.
            answer = daemon.raw(b"POST /api/v1/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000000\r\n\r\n")
            self.assertTrue(answer.startswith(b"HTTP/1.1 413 "), answer)
            # In pieces, without a length: it can only be dropped.
            client = daemon.connection()
            with self.assertRaises((http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError)):
                client.request("POST", "/api/v1/jobs", iter([b" " * 1000] * 100), encode_chunked=True,
                               headers={"Transfer-Encoding": "chunked"})
                client.getresponse()
            client.close()
            # In pieces and small enough.
            client = daemon.connection()
            text = json.dumps(quick()).encode()
            client.request("POST", "/api/v1/jobs", iter([text[:100], text[100:]]), encode_chunked=True,
                           headers={"Transfer-Encoding": "chunked"})
            response = client.getresponse()
            self.assertEqual(response.status, 202)
            response.read()
            client.close()

    def test_odd_targets(self):
        with self.daemon() as daemon:
            for target in ("/%00", "/api/v1/jobs%00", "/api/v1/jobs/%2e%2e", "/%ff", "//", "/" + "a" * 5000):
                code = int(daemon.raw(f"GET {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
                           .split(b" ", 2)[1])
                self.assertIn(code, (400, 404), target)
            for junk in (b"\r\n\r\n", b"nonsense\r\n\r\n", b"\x16\x03\x01\x00\xa5\x01\x00", b"GET / HTTP/9.9\r\n\r\n",
                         b"GET /" + b"a" * 200000 + b" HTTP/1.1\r\n\r\n"):
                with socket.create_connection(("127.0.0.1", daemon.port)) as client:
                    client.sendall(junk)
            self.assertEqual(daemon.get("/healthz").status, 200)

    def test_keep_alive_and_head(self):
        with self.daemon() as daemon:
            client = daemon.connection()
            for _ in range(3):
                self.assertEqual(daemon.request("GET", "/jobs", connection=client).status, 200)
                self.assertEqual(daemon.request("POST", "/jobs", quick(), connection=client).status, 202)
                answer = daemon.request("HEAD", "/jobs", connection=client)
                self.assertEqual((answer.status, answer.body), (200, b""))
                self.assertEqual(daemon.request("PUT", "/jobs", b"{}", connection=client).status, 405)
            client.close()

    def test_reads_go_on_beside_slow_posts(self):
        """Posts are worked on beside the loop: looking at the service never waits for them."""
        with self.daemon("--body=16M") as daemon:
            text = json.dumps({"bodies": [{"name": f"b{i}"} for i in range(200000)]})

            def post(_):
                return daemon.request("POST", "/validate", text).status

            def look(_):
                slowest = 0
                for _ in range(30):
                    begin = time.monotonic()
                    self.assertEqual(daemon.get("/healthz").status, 200)
                    slowest = max(slowest, time.monotonic() - begin)
                    time.sleep(0.02)
                return slowest

            found = in_threads(4, lambda i: post(i) if i < 3 else look(i))
            self.assertEqual(found[:3], [422] * 3)
            self.assertLess(found[3], 1)


if __name__ == "__main__":
    unittest.main()
