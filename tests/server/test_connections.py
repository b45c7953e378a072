"""Connections: many at a time, slow ones, and headers that two servers could read differently."""

import http.client
import json
import re
import socket
import time
import unittest

from hanging import Hanging, memory_of
from support import MBSD, PATIENCE, DaemonTest, chain, endless, in_threads, quick, until


class Connections(DaemonTest):
    def test_many_at_once(self):
        """A multiple of 128 ready connections used to stall libmicrohttpd's own epoll thread."""
        with self.daemon() as daemon:
            for count in (128, 256, 512):
                clients = [daemon.connection() for _ in range(count)]
                for _ in range(4):
                    for client in clients:
                        client.request("GET", "/healthz")
                    for client in clients:
                        response = client.getresponse()
                        response.read()
                        self.assertEqual(response.status, 200)
                self.assertGreaterEqual(daemon.metrics()["mbsd_http_connections"], count)
                for client in clients:
                    client.close()

    @unittest.skipIf("/dev/" in MBSD or "/tsan/" in MBSD, "a sanitizer keeps freed memory")
    def test_memory_returns(self):
        """Clients that request a large result and do not read it leave no memory behind."""
        with self.daemon() as daemon:
            job = daemon.submit(chain(links=2, t_end=20, dt=0.001), wait=True)["id"]
            with Hanging(daemon, job) as hanging:
                before = memory_of(daemon)
                hanging.ask(600)
                until(lambda: daemon.metrics()["mbsd_http_connections"] > 600)
                most = until(lambda: memory_of(daemon) > before + 40 and memory_of(daemon))
            until(lambda: memory_of(daemon) < before + (most - before) / 2)

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
        """A byte from time to time is activity, but not a request."""
        with self.daemon("--request-seconds=1") as daemon:
            def drip(begin_with, byte):
                """Sends bytes one by one until the server closes. Returns the time that took."""
                begin = time.monotonic()
                with socket.create_connection(("127.0.0.1", daemon.port)) as client:
                    client.settimeout(0.1)
                    client.sendall(begin_with)
                    while time.monotonic() - begin < PATIENCE:
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
                    self.assertTrue(0.8 < drip(begin_with, b"a") < PATIENCE)
            # An idle connection is closed as well, and other clients are not affected.
            with socket.create_connection(("127.0.0.1", daemon.port), timeout=PATIENCE) as client:
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
                # Data after the body must not be treated as a request. (The library's own responses repeat their head,
                # so heads are not counted.)
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
            # A body that is only announced is refused before it is sent.
            answer = daemon.raw(b"POST /api/v1/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000000\r\n\r\n")
            self.assertTrue(answer.startswith(b"HTTP/1.1 413 "), answer)
            # The client sends the whole body before it reads the response, far more than sockets buffer, with a length
            # or chunked.
            head = b"POST /api/v1/jobs HTTP/1.1\r\nHost: localhost\r\n"
            pieces = (b"2710\r\n" + b" " * 10000 + b"\r\n") * 2000 + b"0\r\n\r\n"
            for body in (b"Content-Length: 20000000\r\n\r\n" + b" " * 20000000,
                         b"Transfer-Encoding: chunked\r\n\r\n" + pieces):
                answer = daemon.raw(head + body)
                self.assertTrue(answer.startswith(b"HTTP/1.1 413 "), answer)
                self.assertEqual(json.loads(answer.partition(b"\r\n\r\n")[2])["instance"], "/api/v1/jobs")
            # A client with `Expect: 100-continue` is refused before it sends the body.
            answer = daemon.raw(head + b"Expect: 100-continue\r\nContent-Length: 100000000\r\n\r\n")
            self.assertTrue(answer.startswith(b"HTTP/1.1 413 "), answer)
            answer = daemon.raw(head + b"Expect: 100-continue\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}")
            self.assertTrue(answer.startswith(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 4"), answer)
            answer = daemon.raw(head + b"Expect: wonders\r\nContent-Length: 2\r\n\r\n{}")
            self.assertTrue(answer.startswith(b"HTTP/1.1 417 "), answer)
            # A chunked body that is small enough.
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

    def test_lines_of_the_head(self):
        """Every header line must end with CR LF, and no line may continue in the next: other servers would read another
        request."""
        with self.daemon() as daemon:
            good = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Empty:\r\nX-Tabs:\t a\t \r\nConnection: close\r\n\r\n"
            self.assertTrue(daemon.raw(good).startswith(b"HTTP/1.1 200 "))
            self.assertTrue(daemon.raw(b"\r\n" + good).startswith(b"HTTP/1.1 200 "))
            self.assertTrue(daemon.raw(b"GET /healthz HTTP/1.0\r\n\r\n").startswith(b"HTTP/1.1 200 "))
            ends = [i for i in range(len(good)) if good[i:i + 2] == b"\r\n"]
            bad = [good[:end] + good[end + 1:] for end in ends]
            bad += [good[:end] + b"\r\n" + blank + b"folded" + good[end:] for end in ends[1:-1] for blank in (b" ", b"\t")]
            for head in bad:
                answer = daemon.raw(head)
                self.assertTrue(answer.startswith(b"HTTP/1.1 400 "), (head, answer))
                self.assertIn(b"application/problem+json", answer, head)
            # Tests a connection that has already served a request.
            answer = daemon.raw(good.replace(b"close", b"keep-alive") + bad[1])
            self.assertEqual(re.findall(rb"HTTP/1.1 (\d+)", answer), [b"200", b"400"])

    def test_the_library_writes_no_pages(self):
        """Requests that libmicrohttpd itself refuses get a problem document, too, or the connection ends."""
        host = b"Host: localhost\r\n"
        cases = {
            "first line": (b"GET /" + b"a" * 200000 + b" HTTP/1.1\r\n" + host + b"\r\n", 414),
            "address": (b"GET /" + b"a" * 10000 + b" HTTP/1.1\r\n" + host + b"\r\n", 414),
            "header": (b"GET / HTTP/1.1\r\nX-A: " + b"a" * 200000 + b"\r\n" + host + b"\r\n", 431),
            "headers": (b"GET / HTTP/1.1\r\n" + b"X-A: b\r\n" * 3000 + host + b"\r\n", 431),
            "no host": (b"GET / HTTP/1.1\r\n\r\n", 400),
            "no colon": (b"GET / HTTP/1.1\r\nabc\r\n" + host + b"\r\n", 400),
            "length": (b"POST /api/v1/jobs HTTP/1.1\r\n" + host + b"Content-Length: +5\r\n\r\nabcde", 400),
            "long length": (b"POST /api/v1/jobs HTTP/1.1\r\n" + host + b"Content-Length: 1" + b"0" * 30 + b"\r\n\r\n", 413),
            "chunk": (b"POST /api/v1/jobs HTTP/1.1\r\n" + host + b"Transfer-Encoding: chunked\r\n\r\nzz\r\nab", 400),
            "version": (b"GET / HTTP/2.0\r\n" + host + b"\r\n", 505),
            "nonsense": (b"nonsense\r\n\r\n", None),
        }
        with self.daemon() as daemon:
            others = [daemon.connection() for _ in range(20)]
            for client in others:  # idle connections, which must not be mistaken for the tested one
                self.assertEqual(daemon.request("GET", "/healthz", connection=client).status, 200)
            for name, (request, status) in cases.items():
                with self.subTest(name):
                    answer = daemon.raw(request)
                    self.assertNotIn(b"<html", answer)
                    if not answer:
                        self.assertIn(status, (None, 414, 431))  # unread data may reset the connection
                        continue
                    head, _, body = answer.partition(b"\r\n\r\n")
                    self.assertTrue(head.startswith(f"HTTP/1.1 {status} ".encode()), head)
                    self.assertIn(b"Content-Type: application/problem+json", head)
                    self.assertEqual(json.loads(body)["status"], status)
            for client in others:
                self.assertEqual(daemon.request("GET", "/healthz", connection=client).status, 200)
                client.close()

    def test_absolute_form(self):
        with self.daemon() as daemon:
            def get(target, host="localhost"):
                answer = daemon.raw(f"GET {target} HTTP/1.1\r\nHost: {host}\r\nUser-Agent: Mozilla/5.0\r\n"
                                    "Connection: close\r\n\r\n".encode())
                return int(answer.split(b" ", 2)[1])

            for target in ("http://localhost/healthz", "HTTP://localhost:8080/healthz", "http://localhost",
                           "http://127.0.0.1/api/v1/jobs?limit=1", "https://localhost/healthz"):
                self.assertEqual(get(target), 200, target)
            # The host of the target takes precedence over that of the header.
            self.assertEqual(get("http://elsewhere.example/healthz"), 403)
            self.assertEqual(get("http://localhost/healthz", host="elsewhere.example"), 200)
            for target in ("http:///healthz", "http://user@localhost/healthz", "ftp://localhost/healthz"):
                self.assertEqual(get(target), 400, target)

    def test_connections_of_one_address(self):
        """Too many connections of a client get status 429; closing some admits new ones."""
        with self.daemon("--client-connections=8") as daemon:
            clients = [daemon.connection() for _ in range(10)]
            codes = []
            for client in clients:
                client.request("GET", "/healthz")
                response = client.getresponse()
                response.read()
                codes.append(response.status)
                if response.status == 429:
                    self.assertGreater(int(response.headers["Retry-After"]), 0)
                    self.assertEqual(response.headers["Content-Type"], "application/problem+json")
            self.assertEqual(codes, [200] * 8 + [429] * 2)
            # Many more connections end simultaneously.
            many = [socket.create_connection((daemon.host, daemon.port), timeout=PATIENCE) for _ in range(60)]
            self.assertTrue(many[-1].makefile("rb").read(13).startswith(b"HTTP/1.1 429 "))
            for client in many + clients:
                client.close()
            until(lambda: daemon.get("/healthz").status == 200)

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
        """Posts are processed outside the HTTP loop: polling the service never waits for them."""
        with self.daemon("--body=16M") as daemon:
            text = json.dumps({"bodies": [{"name": f"b{i}"} for i in range(200000)]})

            answered = []

            def post(_):
                """Repeats a validation that the service refuses because it waited too long for those before it."""
                answer = daemon.request("POST", "/validate", text)
                while answer.status == 503 and b"busy with other documents" in answer.body:
                    time.sleep(int(answer.headers["Retry-After"]))
                    answer = daemon.request("POST", "/validate", text)
                answered.append(answer.status)

            def look(_):
                looks = 0
                while len(answered) < 3:
                    self.assertEqual(daemon.get("/healthz").status, 200)
                    looks += 1
                return looks

            *_, looks = in_threads(4, lambda i: post(i) if i < 3 else look(i))
            self.assertEqual(answered, [422] * 3)
            # A poll that waited for a post would occur only once per post.
            self.assertGreater(looks, 10)


if __name__ == "__main__":
    unittest.main()
