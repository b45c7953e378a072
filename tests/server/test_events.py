"""Server-sent events of the real daemon: their order, resuming after an interruption, and streams without cost."""

import json
import signal
import socket
import threading
import unittest

from support import PATIENCE, DaemonTest, endless, in_threads, quick, until


class Stream:
    """A stream of events, read by a thread as they arrive; the request is sent by start() if `start` is False."""

    def __init__(self, daemon, path, last=None, start=True, **headers):
        self.connection = daemon.connection()
        self.connection.request("GET", "/api/v1" + path, headers={**headers, **({"Last-Event-ID": last} if last else {})})
        self.response = self.connection.getresponse()
        self.status = self.response.status
        self.events, self.comments, self.retry, self.last, self.ended = [], 0, None, None, None
        self.thread = threading.Thread(target=self.read, daemon=True)
        if start:
            self.start()

    def start(self):
        self.thread.start()

    def read(self):
        event, data = None, None
        try:
            for line in self.response:
                field, _, value = line.decode().rstrip("\n").partition(": ")
                if field == "":
                    self.comments += bool(value)
                    if data is not None:
                        self.events.append((event, json.loads(data), self.last))
                    event = data = None
                elif field == "event":
                    event = value
                elif field == "data":
                    data = value
                elif field == "id":
                    self.last = value
                elif field == "retry":
                    self.retry = int(value)
                else:
                    raise AssertionError(f"no field of an event: {line}")
            self.ended = "cleanly"  # http.client finds a missing last chunk
        except Exception as error:
            self.ended = repr(error)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        if self.connection.sock:
            self.connection.sock.shutdown(socket.SHUT_RDWR)
        self.thread.join(PATIENCE)
        self.connection.close()

    def names(self, but=()):
        return [name for name, _, _ in list(self.events) if name not in but]

    def data(self, name):
        return [data for kind, data, _ in list(self.events) if kind == name]

    def ids(self):
        return [number for _, _, number in list(self.events)]

    def await_event(self, name, count=1):
        return until(lambda: len(found := self.data(name)) >= count and found)

    def await_end(self):
        until(lambda: self.ended)
        return self.ended


class Events(DaemonTest):
    def test_a_job_from_its_queue_to_its_end(self):
        with self.daemon("--workers=1") as daemon:
            first = daemon.submit(endless())["id"]
            job = daemon.submit(endless())["id"]
            with Stream(daemon, f"/jobs/{job}/events", **{"Accept-Encoding": "gzip"}) as stream:
                self.assertEqual(stream.status, 200)
                headers = stream.response.headers
                self.assertEqual(headers["Content-Type"], "text/event-stream")
                self.assertEqual(headers["X-Accel-Buffering"], "no")
                self.assertIsNone(headers["Content-Encoding"])
                stream.await_event("queued")
                daemon.request("POST", f"/jobs/{first}/cancel")
                stream.await_event("started")
                stream.await_event("progress", 2)
                daemon.request("POST", f"/jobs/{job}/cancel")
                done = stream.await_event("done")
                self.assertEqual(stream.await_end(), "cleanly")
                self.assertEqual(stream.retry, 2000)
                self.assertEqual(stream.names(but=("progress", "rows")), ["queued", "started", "done"])
                self.assertEqual(stream.names(but=("rows",))[:3], ["queued", "started", "progress"])
                self.assertEqual(stream.names()[-1], "done")
                self.assertEqual(done, [daemon.job(job)])
                times = [data["t"] for data in stream.data("progress")]
                self.assertEqual(times, sorted(set(times)))
                self.assertTrue(all(data["id"] == job and data["evaluations"] > 0 for data in stream.data("progress")))
                numbers = [int(number.split("-")[1]) for number in stream.ids()]
                self.assertEqual(numbers, sorted(set(numbers)))

    def test_rows_can_be_read_when_they_are_told(self):
        with self.daemon("--workers=1") as daemon:
            job = daemon.submit(endless())["id"]
            with Stream(daemon, f"/jobs/{job}/events") as stream:
                rows = stream.await_event("rows", 3)
                counts = [data["rows"] for data in rows]
                self.assertEqual(counts, sorted(set(counts)))
                shapes = [array["shape"][0] for array in daemon.get(f"/jobs/{job}/results").json()["arrays"]
                          if not array["timeless"]]
                self.assertGreaterEqual(min(shapes), counts[-1])
            daemon.request("POST", f"/jobs/{job}/cancel")

    def test_it_resumes_without_loss_or_duplicates(self):
        with self.daemon("--workers=1") as daemon, Stream(daemon, "/events") as whole:
            last, parts = None, []
            stream = Stream(daemon, "/events")
            until(lambda: stream.last and whole.last)
            for _ in range(4):
                jobs = [daemon.submit(quick())["id"] for _ in range(3)]
                until(lambda: stream.events)
                stream.close()
                parts += stream.events
                stream = Stream(daemon, "/events", parts[-1][2])
            until(lambda: [e for e in parts + stream.events if e[0] == "done" and e[1]["id"] == jobs[-1]])
            stream.close()
            parts += stream.events
            until(lambda: jobs[-1] in [data["id"] for data in whole.data("done")])
            told = [event for event in parts if event[0] in ("queued", "started", "done")]
            self.assertEqual(told, [event for event in whole.events if event[0] in ("queued", "started", "done")])
            self.assertEqual(len(told), 36)
            for job in [data["id"] for data in whole.data("queued")]:
                names = [name for name, data, _ in told if data["id"] == job]
                self.assertEqual(names, ["queued", "started", "done"])
            for done in whole.data("done"):
                self.assertEqual(done, {"id": done["id"], "status": "succeeded", "model_name": "chain of 1",
                                        "error": None})

    def test_jobs_that_have_ended_are_removed_or_unknown(self):
        with self.daemon("--workers=1") as daemon:
            job = daemon.submit(quick(), wait=True)
            stream = Stream(daemon, f"/jobs/{job['id']}/events")
            self.assertEqual(stream.await_end(), "cleanly")
            self.assertEqual([(name, data) for name, data, _ in stream.events], [("done", daemon.job(job["id"]))])
            stream.close()
            with Stream(daemon, f"/jobs/{job['id']}/events", stream.last) as again:
                self.assertEqual(again.status, 204)
            with Stream(daemon, f"/jobs/{job['id']}/events", "1-1") as other:
                self.assertEqual(other.await_end(), "cleanly")
                self.assertEqual(other.names(), ["missed", "done"])
            running = daemon.submit(endless())["id"]
            with Stream(daemon, f"/jobs/{running}/events") as stream, Stream(daemon, "/events") as whole:
                stream.await_event("progress")
                until(lambda: whole.last)
                self.assertEqual(daemon.request("DELETE", f"/jobs/{running}").status, 204)
                self.assertEqual(stream.await_end(), "cleanly")
                self.assertEqual(stream.events[-1][:2], ("removed", {"id": running}))
                self.assertEqual(whole.await_event("removed"), [{"id": running}])
            for path in (f"/jobs/{running}/events", "/jobs/nobody/events"):
                answer = daemon.get(path)
                self.assertEqual(answer.status, 404)
                self.assertEqual(answer.headers["Content-Type"], "application/problem+json")
            head = daemon.request("HEAD", "/events")
            self.assertEqual((head.status, head.body, head.headers["Content-Type"]), (200, b"", "text/event-stream"))

    def test_a_restart_is_missed(self):
        with self.daemon("--workers=1") as daemon, Stream(daemon, "/events") as stream:
            daemon.submit(quick(), wait=True)
            stream.await_event("done")
            last = stream.last
            daemon.kill()
        with self.daemon("--workers=1") as daemon, Stream(daemon, "/events", last) as stream:
            self.assertEqual(stream.await_event("missed"), [{}])
            job = daemon.submit(quick(), wait=True)
            self.assertEqual([data["id"] for data in stream.await_event("done")], [job["id"]])

    def test_quiet_streams_live_and_their_clients_may_leave(self):
        with self.daemon("--workers=1", "--heartbeat=0.3", "--request-seconds=1") as daemon:
            streams = [Stream(daemon, "/events") for _ in range(20)]
            until(lambda: all(stream.comments >= 4 for stream in streams))  # longer than the limit for requests
            self.assertTrue(all(not stream.ended and not stream.events for stream in streams))
            connections = lambda: daemon.metrics()["mbsd_http_connections"]
            self.assertGreater(connections(), 20)
            for stream in streams:
                stream.close()
            until(lambda: connections() <= 1)

    def test_a_closed_stream_is_noticed_early(self):
        with self.daemon("--workers=1", "--heartbeat=60") as daemon, Stream(daemon, "/events") as other:
            streams = [Stream(daemon, "/events") for _ in range(5)]
            until(lambda: other.last and all(stream.last for stream in streams))
            signs = other.comments
            for stream in streams:
                stream.close()
            until(lambda: daemon.metrics()["mbsd_http_connections"] <= 2)
            self.assertEqual(other.comments, signs)  # no stream has had a keep-alive comment meanwhile

    def test_a_drain_ends_streams_cleanly(self):
        with self.daemon("--workers=1", "--grace=3") as daemon:
            job = daemon.submit(endless())["id"]
            with Stream(daemon, f"/jobs/{job}/events") as one, Stream(daemon, "/events") as whole:
                one.await_event("progress")
                until(lambda: whole.last)
                raw = socket.create_connection((daemon.host, daemon.port), timeout=PATIENCE)
                raw.sendall(b"GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
                text = raw.recv(65536)
                daemon.process.send_signal(signal.SIGTERM)
                while not text.endswith(b"\r\n0\r\n\r\n"):  # until the last chunk
                    part = raw.recv(65536)
                    self.assertTrue(part, text)
                    text += part
                raw.close()
                self.assertEqual([one.await_end(), whole.await_end()], ["cleanly", "cleanly"])
                # the service continues for the grace time of the job
                self.assertEqual(daemon.get("/events").status, 503)
                self.assertNotIn("done", one.names())
            self.assertEqual(daemon.process.wait(PATIENCE), 0)

    def test_unread_streams_block_no_request(self):
        with self.daemon("--workers=2") as daemon:
            # The receive window of all other streams is small: the kernel is slow to widen it again for a client that
            # reads late.
            late = Stream(daemon, "/events", start=False)
            sockets = []
            for _ in range(50):
                client = socket.socket()
                client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
                client.connect((daemon.host, daemon.port))
                client.sendall(b"GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
                sockets.append(client)
            with Stream(daemon, "/events") as stream:
                until(lambda: stream.last)
                jobs = in_threads(4, lambda i: [daemon.submit(quick(), wait=True)["id"] for _ in range(8)])
                until(lambda: len(stream.data("done")) == 32)
                self.assertEqual({data["id"] for data in stream.data("done")}, {job for part in jobs for job in part})
                self.assertEqual(daemon.get("/healthz").status, 200)
                late.start()  # receives all events
                self.assertEqual(late.await_event("done", 32), stream.data("done"))
            late.close()
            for client in sockets:
                client.close()


if __name__ == "__main__":
    unittest.main()
