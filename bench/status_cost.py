#!/usr/bin/env python3
"""Processor time of a daemon for a job's status and for a list of 50 jobs, by its own accounting.

    python3 bench/status_cost.py [--requests 20000] [--daemon build/release/mbsd]

A client keeps one connection. The time is that of the daemon's process (user and system) without its workers, minus its
time without requests.
"""

import argparse
import json
import os
import shutil
import socket
import subprocess
import tempfile

from http_load import exchange, message

MODEL = "models/SC.json"
JOBS = 60


def processor_seconds(pid):
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure(client, pid, request, count):
    """Microseconds of processor time a request."""
    exchange(client, request)
    begin = processor_seconds(pid)
    for _ in range(count):
        if exchange(client, request) != 200:
            raise AssertionError("not answered")
    return (processor_seconds(pid) - begin) / count * 1e6


def run(port, pid, count):
    with open(MODEL, "rb") as file:
        document = file.read()
    with socket.create_connection(("127.0.0.1", port)) as client:
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for _ in range(JOBS):
            if exchange(client, message("POST", "/api/v1/jobs", document, "Prefer: wait=30")) != 200:
                raise AssertionError("no job")
        client.sendall(message("GET", "/api/v1/jobs?limit=1"))
        job = json.loads(client.recv(65536).split(b"\r\n\r\n", 1)[1])["jobs"][0]["id"]
        cases = {"healthz": "/healthz", "status": f"/api/v1/jobs/{job}", "list of 50": "/api/v1/jobs?limit=50"}
        for name, path in cases.items():
            print(f"{name:12} {measure(client, pid, message('GET', path), count):8.1f} us of processor time a request")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--requests", type=int, default=20000)
    parser.add_argument("--daemon", default="build/release/mbsd")
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="mbsd-bench-")
    process = subprocess.Popen([options.daemon, "--port=0", f"--data={folder}/data", "--log-level=error"],
                               stdout=subprocess.PIPE)
    try:
        run(int(process.stdout.readline().decode().rsplit(":", 1)[1]), process.pid, options.requests)
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
