"""Downloads: their length, ranges, gzip, HEAD; and clients that do not read do not delay others."""

import contextlib
import gzip
import http.client
import json
import os
import socket
import struct
import threading
import time
import unittest
import zlib

from hanging import SMALL_BUFFER, Hanging, memory_of
from support import PATIENCE, DaemonTest, chain, in_threads, until


class Downloads(DaemonTest):
    def job_of(self, daemon, rows=2000):
        return daemon.submit(chain(links=2, t_end=(rows - 1) * 1e-3, dt=1e-3), wait=True)["id"]

    def test_head_then_get(self):
        """HEAD has no body: the next bytes on the connection belong to the next response."""
        with self.daemon() as daemon:
            job = self.job_of(daemon)
            unknown = [f"/api/v1/jobs/{job}/{part}" for part in ("results/rP?format=csv", "results/rP",
                                                                 "results.csv.zip")]
            for path in ("/healthz", "/", "/api/v1/openapi.json", f"/api/v1/jobs/{job}", f"/api/v1/jobs/{job}/results",
                         f"/api/v1/jobs/{job}/results/rP?format=npy", f"/api/v1/jobs/{job}/results.npz", "/nothing",
                         *unknown):
                with self.subTest(path), socket.create_connection((daemon.host, daemon.port), timeout=PATIENCE) as client:
                    head = f"HEAD {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
                    client.sendall(head)
                    with client.makefile("rb") as file:
                        lines = [line.lower() for line in iter(file.readline, b"\r\n")]
                        self.assertEqual(b"connection: close\r\n" in lines, path in unknown, lines)
                        if path in unknown:
                            # libmicrohttpd would send a final chunk.
                            self.assertFalse([line for line in lines if line.startswith((b"content-l", b"transfer-"))])
                            self.assertEqual(file.read(), b"")
                            continue
                        self.assertTrue(any(line.startswith(b"content-length: ") for line in lines), lines)
                        client.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                        self.assertEqual(file.readline(), b"HTTP/1.1 200 OK\r\n")
                        self.assertTrue(file.read().endswith(b'"}\n'))

    def test_length_and_ranges(self):
        with self.daemon() as daemon:
            job = self.job_of(daemon)
            path = f"/jobs/{job}/results/rP?format=npy"
            whole = daemon.get(path)
            size = len(whole.body)
            self.assertEqual(whole.headers["Content-Length"], str(size))
            self.assertEqual(whole.headers["Accept-Ranges"], "bytes")
            self.assertEqual(size, 10 + struct.unpack("<H", whole.body[8:10])[0] + 2000 * 10 * 8)
            head = daemon.request("HEAD", path)
            self.assertEqual((head.headers["Content-Length"], head.body), (str(size), b""))
            for text, first, last in (("0-0", 0, 0), ("0-", 0, size - 1), ("5-127", 5, 127), ("100-300", 100, 300),
                                      ("127-128", 127, 128), (f"70001-{size}", 70001, size - 1),
                                      ("-1", size - 1, size - 1), (f"-{10 * size}", 0, size - 1),
                                      (f"{size - 1}-", size - 1, size - 1)):
                with self.subTest(text):
                    part = daemon.get(path, Range=f"bytes={text}", **{"Accept-Encoding": "gzip"})
                    self.assertEqual((part.status, part.headers["Content-Range"]),
                                     (206, f"bytes {first}-{last}/{size}"))
                    self.assertEqual(part.body, whole.body[first:last + 1])
            for text in (f"{size}-", "-0", f"{10 * size}-{11 * size}"):
                part = daemon.get(path, Range=f"bytes={text}")
                self.assertEqual((part.status, part.headers["Content-Range"]), (416, f"bytes */{size}"))
            for text in ("bytes=5-4", "bytes=a-", "lines=1-2", "bytes=1-2,5-6", "bytes=-"):
                self.assertEqual(daemon.get(path, Range=text).body, whole.body)
            tag = whole.headers["ETag"]
            self.assertEqual(daemon.get(path, Range="bytes=5-9", **{"If-Range": tag}).status, 206)
            self.assertEqual(daemon.get(path, Range="bytes=5-9", **{"If-Range": '"else"'}).status, 200)
            page = daemon.request("GET", "/api/v1/openapi.json").body
            part = daemon.request("GET", "/api/v1/openapi.json", headers={"Range": "bytes=10-19"})
            if part.status == 206:  # if it has an ETag
                self.assertEqual(part.body, page[10:20])
            self.assertEqual(daemon.request("GET", f"/api/v1/jobs/{job}/results.csv.zip").headers["Accept-Ranges"],
                             "none")

    def test_parts_of_archives(self):
        """An interrupted download of results.npz resumes where it stopped; other requests are served meanwhile."""
        with self.daemon("--send-memory=1M") as daemon:
            job = self.job_of(daemon, rows=20000)
            path = f"/api/v1/jobs/{job}/results.npz"
            whole = daemon.get(path)
            size = len(whole.body)
            self.assertGreater(size, 8 << 20)
            self.assertEqual((whole.headers["Content-Length"], whole.headers["Accept-Ranges"]), (str(size), "bytes"))
            self.assertEqual(daemon.request("HEAD", path).headers["Content-Length"], str(size))

            def part(number):
                first = size * number // 6
                answer = daemon.get(path, Range=f"bytes={first}-", **{"If-Range": whole.headers["ETag"]})
                return answer.status, answer.body == whole.body[first:]

            self.assertEqual(in_threads(6, part), [(206, True)] * 6)
            self.assertEqual(daemon.get(path, Range="bytes=-22").body, whole.body[-22:])

    def test_gzip(self):
        with self.daemon() as daemon:
            job = self.job_of(daemon, rows=20000)
            for path in ("/api/v1/openapi.json", "/api/v1/examples", f"/api/v1/jobs/{job}/results",
                         f"/api/v1/jobs/{job}/results/rP", f"/api/v1/jobs/{job}/results/rP?format=csv"):
                with self.subTest(path):
                    plain = daemon.request("GET", path)
                    packed = daemon.request("GET", path, headers={"Accept-Encoding": "br, gzip;q=0.8"})
                    self.assertEqual(packed.headers["Content-Encoding"], "gzip")
                    self.assertIn("Accept-Encoding", ", ".join(packed.headers.get_all("Vary")))
                    self.assertLess(len(packed.body), 0.8 * len(plain.body))
                    # A single gzip stream, with nothing after it.
                    unpacker = zlib.decompressobj(31)
                    self.assertEqual(unpacker.decompress(packed.body), plain.body)
                    self.assertTrue(unpacker.eof and not unpacker.unused_data)
                    if tag := plain.headers["ETag"]:
                        self.assertEqual(packed.headers["ETag"], f"W/{tag}")
                        for known in (tag, f"W/{tag}"):
                            again = daemon.request("GET", path, headers={"If-None-Match": known,
                                                                         "Accept-Encoding": "gzip"})
                            self.assertEqual((again.status, again.body), (304, b""))
            for liking in ("identity", "gzip;q=0", "br", "gzip;q=0.1, identity;q=0.5", "*;q=0.5, gzip;q=0"):
                answer = daemon.request("GET", "/api/v1/openapi.json", headers={"Accept-Encoding": liking})
                self.assertNotIn("Content-Encoding", answer.headers, liking)
            for liking in ("gzip", "GZIP", "*", "x-gzip", "gzip;q=0.001", "identity;q=0, *"):
                answer = daemon.request("GET", "/api/v1/openapi.json", headers={"Accept-Encoding": liking})
                self.assertEqual(answer.headers["Content-Encoding"], "gzip", liking)
            # Binary files and short texts are not compressed, unless the client refuses uncompressed ones.
            npy = f"/api/v1/jobs/{job}/results/T?format=npy"
            for path in (npy, "/healthz"):
                answer = daemon.request("GET", path, headers={"Accept-Encoding": "gzip"})
                self.assertNotIn("Content-Encoding", answer.headers)
                forced = daemon.request("GET", path, headers={"Accept-Encoding": "gzip, identity;q=0"})
                self.assertEqual(gzip.decompress(forced.body), answer.body)
                self.assertEqual(daemon.request("GET", path, headers={"Accept-Encoding": "br, *;q=0"}).status, 406)

    def test_packed_bodies_are_refused(self):
        with self.daemon() as daemon:
            for encoding, status in (("gzip", 415), ("identity", 202)):
                body = json.dumps(chain()).encode()
                answer = daemon.request("POST", "/jobs", gzip.compress(body) if status == 415 else body,
                                        {"Content-Encoding": encoding})
                self.assertEqual(answer.status, status)
                self.assertEqual(answer.headers["Accept-Encoding"], "identity" if status == 415 else None)

    def test_clients_that_do_not_read(self):
        """Hanging clients request more than sockets buffer, with memory for two at a time: others do not wait for
        them."""
        with self.daemon("--send-memory=1M") as daemon:
            job = self.job_of(daemon, rows=20000)
            with Hanging(daemon, job) as hanging:
                before = memory_of(daemon)
                hanging.ask(100)
                looks = hanging.look(2)
                # All requested data would be 450 MB. (A sanitizer keeps freed memory for a while.)
                self.assertLess(memory_of(daemon) - before, 200, "megabytes")
                for path, times in looks.items():
                    self.assertGreater(len(times), 0, path)  # responses while the clients hang
                # Other downloads continue, and so does each hanging client that reads after all.
                self.assertEqual(in_threads(4, lambda _: len(daemon.get(f"/jobs/{job}/results/rP").body)),
                                 [hanging.sizes["results/rP?format=json"]] * 4)
                self.assertEqual(hanging.read_on(4), 4)

    def test_clients_that_leave(self):
        """An abandoned download releases its slot."""
        with self.daemon("--send-memory=1M") as daemon:
            job = self.job_of(daemon, rows=20000)
            for _ in range(3):
                with Hanging(daemon, job) as hanging:
                    hanging.ask(10)
            client = http.client.HTTPConnection(daemon.host, daemon.port, timeout=PATIENCE)
            client.request("GET", f"/api/v1/jobs/{job}/results/rP?format=csv")
            self.assertGreater(len(client.getresponse().read()), 1 << 20)
            client.close()
            self.assertEqual(daemon.stop(), 0)

    def ask_and_hang(self, daemon, path, count, address="127.0.0.1"):
        """Opens connections of one client that requests files in quick succession and does not read them."""
        clients = []
        for _ in range(count):
            client = socket.socket()
            self.addCleanup(client.close)
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SMALL_BUFFER)
            client.settimeout(PATIENCE)
            client.bind((address, 0))
            client.connect((daemon.host, daemon.port))
            clients.append(client)
        for client in clients:
            client.sendall(f"GET /api/v1{path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        return clients

    @staticmethod
    def heads(clients):
        return [client.recv(1000).decode("latin-1") for client in clients]

    @staticmethod
    def files_of(daemon):
        """Counts the unnamed files that the daemon has open."""
        folder, count = f"/proc/{daemon.process.pid}/fd", 0
        for name in os.listdir(folder):
            with contextlib.suppress(OSError):
                count += ".mbsd-scratch-" in os.readlink(f"{folder}/{name}")
        return count

    def test_files_that_are_made(self):
        """Limits concurrent .h5 and .mat downloads, per client and in total. Further requests are refused immediately
        with a time to retry."""
        with self.daemon() as daemon:
            job = self.job_of(daemon, rows=20000)  # 10 MB
            path = f"/jobs/{job}/results.h5"
            self.assertGreater(int(daemon.request("HEAD", f"/api/v1{path}").headers["Content-Length"]), 8_000_000)
            clients = self.ask_and_hang(daemon, path, 12)
            # Other requests do not wait for them.
            self.assertEqual(daemon.get(f"/jobs/{job}/results/T?format=npy&stride=1000").status, 200)
            heads = self.heads(clients)
            made = [head for head in heads if head.startswith("HTTP/1.1 200 ")]
            refused = [head for head in heads if head.startswith("HTTP/1.1 429 ")]
            self.assertEqual(len(made) + len(refused), 12)
            self.assertTrue(1 <= len(made) <= 4, len(made))
            for head in refused:
                self.assertIn("\r\nRetry-After: ", head)
            # Requests in sequence: at most four files are open, and four of another client.
            clients += [self.ask_one(daemon, path) for _ in range(4 - len(made))]
            self.expect_refused(daemon, job, 429, "127.0.0.1")
            clients += [self.ask_one(daemon, path, "127.0.0.2") for _ in range(4)]
            self.assertEqual(self.files_of(daemon), 8)
            self.expect_refused(daemon, job, 429, "127.0.0.2")
            self.expect_refused(daemon, job, 503, "127.0.0.3")
            self.assertEqual(daemon.get(f"/api/v1/jobs/{job}/results.npz").status, 200)
            for client in clients:
                client.close()
            until(lambda: self.files_of(daemon) == 0)
            for kind in ("h5", "mat"):
                self.assertEqual(daemon.get(f"/jobs/{job}/results.{kind}").status, 200)

    def expect_refused(self, daemon, job, status, address):
        for kind, method in (("h5", "GET"), ("mat", "GET"), ("h5", "HEAD")):
            client = http.client.HTTPConnection(daemon.host, daemon.port, timeout=PATIENCE, source_address=(address, 0))
            self.addCleanup(client.close)
            answer = daemon.request(method, f"/api/v1/jobs/{job}/results.{kind}", connection=client)
            self.assertEqual(answer.status, status)
            self.assertGreater(int(answer.headers["Retry-After"]), 0)

    def ask_one(self, daemon, path, address="127.0.0.1"):
        client = self.ask_and_hang(daemon, path, 1, address)[0]
        self.assertTrue(self.heads([client])[0].startswith("HTTP/1.1 200 "))
        return client

    def test_stop_while_files_are_made(self):
        with self.daemon() as daemon:
            job = self.job_of(daemon, rows=20000)
            for kind in ("h5", "mat"):
                self.ask_and_hang(daemon, f"/jobs/{job}/results.{kind}", 30)
            self.assertEqual(daemon.stop(), 0)

    def test_stop_while_results_are_sent(self):
        """Clients that read slowly, or not at all, do not delay the shutdown of the service."""
        with self.daemon("--send-memory=1M") as daemon:
            job = self.job_of(daemon, rows=40000)
            with Hanging(daemon, job) as hanging:
                hanging.ask(20)
                reader = hanging.open("results/rP")

                def read_slowly():
                    with contextlib.suppress(OSError):
                        while reader.recv(1000):
                            time.sleep(0.01)

                thread = threading.Thread(target=read_slowly)
                thread.start()
                self.assertEqual(daemon.stop(), 0)
                thread.join()
                reader.close()


if __name__ == "__main__":
    unittest.main()
