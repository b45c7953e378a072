#!/usr/bin/env python3
"""Streams of events: memory per stream, processor time of all while nothing happens and when a job ends, and the delay
of the event of a job's end. usage: bench/event_streams.py [STREAMS [SECONDS]]"""

import os
import resource
import selectors
import socket
import statistics
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "server"))
from support import Daemon, quick, until  # noqa: E402


def memory(pid):
    with open(f"/proc/{pid}/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS"))


def processor_seconds(pid):
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def open_stream(daemon, path):
    client = socket.create_connection((daemon.host, daemon.port))
    client.sendall(f"GET /api/v1{path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    text = b""
    while b"\n\n" not in text:
        text += client.recv(4096)
    return client


def hear(clients, needle):
    """Reads from all clients until each has received the event."""
    rest = {client: b"" for client in clients}
    selector = selectors.DefaultSelector()
    for client in clients:
        selector.register(client, selectors.EVENT_READ)
    while rest:
        for key, _ in selector.select():
            client = key.fileobj
            rest[client] += client.recv(65536)
            if needle in rest[client]:
                selector.unregister(client)
                del rest[client]


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 30
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, count + 256), hard))
    with tempfile.TemporaryDirectory() as folder, Daemon(folder, "--log-level=info") as daemon:
        pid = daemon.process.pid
        daemon.submit(quick(), wait=30)
        before = memory(pid)
        idle = processor_seconds(pid)
        time.sleep(seconds)
        idle = processor_seconds(pid) - idle
        clients = [open_stream(daemon, "/events") for _ in range(count)]
        print(f"{count} streams: {(memory(pid) - before) / count:.1f} KiB each")
        used = processor_seconds(pid)
        time.sleep(seconds)
        used = processor_seconds(pid) - used
        print(f"nothing happens: {100 * used / seconds:.2f} % of a core, {100 * idle / seconds:.2f} % without them")
        used = processor_seconds(pid)
        daemon.submit(quick(), wait=30)
        hear(clients, b"event: done")
        print(f"a job is queued, starts and ends: {1e3 * (processor_seconds(pid) - used):.0f} ms for all streams")
        for client in clients:
            client.close()
        until(lambda: daemon.metrics()["mbsd_http_connections"] <= 1)
        delays = []
        for _ in range(100):
            began = time.perf_counter()
            job = daemon.submit(quick())["id"]
            stream = socket.create_connection((daemon.host, daemon.port))
            stream.sendall(f"GET /api/v1/jobs/{job}/events HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            text = b""
            while b"event: done" not in text:
                text += stream.recv(65536)
            delays.append(1e3 * (time.perf_counter() - began))
            stream.close()
        waits = []
        for _ in range(100):
            began = time.perf_counter()
            daemon.submit(quick(), wait=30)
            waits.append(1e3 * (time.perf_counter() - began))
        print(f"from the POST to `done`: {statistics.median(delays):.1f} ms; by Prefer: wait {statistics.median(waits):.1f} ms")


if __name__ == "__main__":
    main()
