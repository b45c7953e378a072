#!/usr/bin/env python3
"""Jobs and requests per second over HTTP, with a separate daemon in a temporary folder.

    python3 bench/http_load.py [--seconds 5] [--clients 16] [--daemon build/release/mbsd]

Every client keeps one connection and sends its next request after the last response. The clients take processor time as
well: with few cores the figures are lower bounds. Use job_cost.py to measure the cost of a job, or to compare two
programs, on a busy machine.
"""

import argparse
import json
import os
import shutil
import socket
import subprocess
import tempfile
import threading
import time

PENDULUM = {
    "name": "pendulum",
    "space": "planar",
    "gravity": [0, -9.81],
    "ground": {"points": {"O": [0, 0]}},
    "bodies": [{"name": "bob", "mass": 1, "inertia": 0.1, "points": {"a": [-0.5, 0]}}],
    "joints": [{"name": "pin", "type": "revolute", "points": ["ground.O", "bob.a"]}],
    "analysis": {"type": "dynamics", "t_end": 1, "dt": 0.01},
}


def message(method, path, body=b"", *headers):
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost", f"Content-Length: {len(body)}", *headers, "", ""]
    return "\r\n".join(lines).encode() + body


def exchange(client, request):
    """Sends a request and reads its response; returns the status."""
    client.sendall(request)
    data = b""
    while b"\r\n\r\n" not in data:
        part = client.recv(65536)
        if not part:
            raise ConnectionError("closed")
        data += part
    head, body = data.split(b"\r\n\r\n", 1)
    length = next((int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")), 0)
    while len(body) < length:
        body += client.recv(65536)
    return int(head.split(b" ", 2)[1])


def measure(port, name, clients, seconds, request):
    """Returns the requests per second, and their durations."""
    times = []
    end = time.monotonic() + seconds

    def work():
        with socket.create_connection(("127.0.0.1", port)) as client:
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            while time.monotonic() < end:
                begin = time.monotonic()
                status = exchange(client, request)
                if status not in (200, 202):
                    raise RuntimeError(f"{name}: status {status}")
                times.append(time.monotonic() - begin)

    threads = [threading.Thread(target=work) for _ in range(clients)]
    begin = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    total = time.monotonic() - begin
    times.sort()
    median, slow = (1e3 * times[int(q * (len(times) - 1))] for q in (0.5, 0.99))
    print(f"{name:42} {clients:4} clients {len(times) / total:9.0f} /s   median {median:7.2f} ms   99 % {slow:7.2f} ms",
          flush=True)


def wait_until_empty(port):
    while True:
        with socket.create_connection(("127.0.0.1", port)) as client:
            client.sendall(message("GET", "/metrics", b"", "Connection: close"))
            text = b""
            while part := client.recv(65536):
                text += part
        if b"\nmbsd_queue_length 0" in text and b"\nmbsd_workers_busy 0" in text:
            return
        time.sleep(0.02)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--clients", type=int, default=16)
    parser.add_argument("--daemon", default=os.environ.get("MBSD", "build/release/mbsd"))
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="mbsd-load-")
    daemon = subprocess.Popen([options.daemon, "--port=0", f"--data={folder}", "--log-level=error", "--queue=1000000"],
                              stdout=subprocess.PIPE, text=True,
                              env=dict(os.environ, MBSD_CLIENT_QUEUE="1000000"))
    try:
        port = int(daemon.stdout.readline().rsplit(":", 1)[1])
        body = json.dumps(PENDULUM).encode()
        post = message("POST", "/api/v1/jobs", body)
        wait = message("POST", "/api/v1/jobs", body, "Prefer: wait=30")
        look = message("GET", "/healthz")
        for clients in (1, options.clients):
            measure(port, "POST, wait for the result", clients, options.seconds, wait)
        for clients in (1, options.clients):
            measure(port, "POST, acknowledged when durable", clients, options.seconds, post)
            begin = time.monotonic()
            wait_until_empty(port)
            print(f"{'':42} the queue was empty {time.monotonic() - begin:.2f} s later", flush=True)
        for clients in (options.clients, 128):
            measure(port, "GET /healthz", clients, options.seconds, look)
    finally:
        daemon.terminate()
        daemon.wait()
        daemon.stdout.close()
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
