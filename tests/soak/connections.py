#!/usr/bin/env python3
"""Many clients, slow clients, no descriptors left, a clock that jumps: the service continues.

usage: tests/soak/connections.py [SCENARIO...]     one or more of: crowd, slowloris, descriptors, clock; default: all

  crowd        128, 256, 512 and 2 000 connections send requests repeatedly: all get a response
  slowloris    500 clients send a byte at a time, heads and bodies: they are cut off in time, others are not affected
  descriptors  the daemon has no descriptor left: it stays alive, and serves again when some are free
  clock        the wall clock jumps by a day and a year and back while jobs run: each ends once, by elapsed seconds

Prints the measurements; exit code 1 if a check failed. MBSD is the program (build/release/mbsd)."""

import contextlib
import http.client
import os
import resource
import shutil
import socket
import statistics
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "server"))
from clock import Clock  # noqa: E402
from support import Daemon, chain, endless, quick, until  # noqa: E402

faults = []


def check(holds, text):
    print(("ok     " if holds else "FAULT  ") + text, flush=True)
    if not holds:
        faults.append(text)


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def ask(daemon, path="/healthz"):
    """Returns the seconds of one request on a separate connection."""
    begin = time.monotonic()
    status = daemon.get(path).status
    if status != 200:
        raise AssertionError(f"{path}: {status}")
    return time.monotonic() - begin


def connect(daemon):
    return socket.create_connection((daemon.host, daemon.port), timeout=60)


# ---- scenarios ----------------------------------------------------------------------------------------------------


def crowd(folder):
    with Daemon(folder, "--connections=2500", "--log-level=warning") as daemon:
        for count in (128, 256, 512, 2000):
            clients = [connect(daemon) for _ in range(count)]
            request = f"GET /healthz HTTP/1.1\r\nHost: {daemon.host}:{daemon.port}\r\n\r\n".encode()
            rounds = []
            for _ in range(5):
                begin = time.monotonic()
                for client in clients:
                    client.sendall(request)
                answered = 0
                for client in clients:
                    answered += client.recv(4096).startswith(b"HTTP/1.1 200")
                rounds.append(time.monotonic() - begin)
                if answered != count:
                    check(False, f"{count} connections: {answered} answers")
            check(True, f"{count} simultaneous connections: {count / statistics.median(rounds):.0f} requests a second")
            for client in clients:
                client.close()


def drip(daemon, text, seconds):
    """Sends a byte at a time. Returns how long the daemon accepted it, or None."""
    begin = time.monotonic()
    with contextlib.closing(connect(daemon)) as client:
        client.settimeout(0.25)
        for byte in text * 1000:
            with contextlib.suppress(TimeoutError):
                try:
                    client.sendall(bytes([byte]))
                    if client.recv(4096) == b"":
                        return time.monotonic() - begin
                except (ConnectionError, BrokenPipeError):
                    return time.monotonic() - begin
            if time.monotonic() - begin > seconds:
                return None
    return None


def slowloris(folder):
    texts = (b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 1000,
             b"POST /api/v1/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n" + b" " * 1000)
    with Daemon(folder, "--request-seconds=3", "--log-level=warning") as daemon:
        lives = []
        threads = [threading.Thread(target=lambda i=i: lives.append(drip(daemon, texts[i % 2], 30)))
                   for i in range(500)]
        for thread in threads:
            thread.start()
        times = [ask(daemon) for _ in range(200) if not time.sleep(0.01)]
        job = daemon.submit(quick(), wait=30)
        for thread in threads:
            thread.join()
        check(None not in lives, f"500 slow clients are cut off after {max(l or 99 for l in lives):.1f} s at most")
        check(percentile(times, 0.99) < 0.5, f"others meanwhile: p99 {1e3 * percentile(times, 0.99):.0f} ms (with 500 "
                                             "threads of clients on the same cores)")
        check(job["status"] == "succeeded", "a job meanwhile ends")


def descriptors(folder):
    with Daemon(folder, "--connections=2000", "--log-level=warning") as daemon:
        pid = daemon.process.pid
        job = daemon.submit(chain(links=3, t_end=20, dt=0.1))["id"]
        usual = resource.prlimit(pid, resource.RLIMIT_NOFILE)
        used = len(os.listdir(f"/proc/{pid}/fd"))
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (used + 20, usual[1]))
        clients = [connect(daemon) for _ in range(200)]
        request = f"GET /healthz HTTP/1.1\r\nHost: {daemon.host}:{daemon.port}\r\n\r\n".encode()
        answered = 0
        for client in clients:
            client.settimeout(0.02)
            with contextlib.suppress(TimeoutError, ConnectionError):
                client.sendall(request)
                answered += client.recv(4096).startswith(b"HTTP/1.1 200")
        begin = time.process_time(), os.times()
        ticks = cpu_of(pid)
        time.sleep(1)
        check(cpu_of(pid) - ticks < 0.7, f"without descriptors: {answered} of 200 clients answered, "
                                         f"{cpu_of(pid) - ticks:.2f} s of processor time in a second")
        for client in clients:
            client.close()
        del begin
        resource.prlimit(pid, resource.RLIMIT_NOFILE, usual)
        seconds = until(lambda: ask(daemon), 10)
        check(seconds < 5, "with descriptors again: it answers")
        check(daemon.await_job(job)["status"] == "succeeded", "the job of before ends")
        check(daemon.submit(quick(), wait=30)["status"] == "succeeded", "a new job ends")


def cpu_of(pid):
    """Returns the processor time of a process [s]."""
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def clock(folder):
    wall = Clock(folder)
    # the idle worker claims jobs without an owner
    daemon = wall.daemon(folder, "--workers=3", "--log-level=info")
    with daemon:
        jobs = [daemon.submit(endless(limits={"wall_seconds": 8}))["id"] for _ in range(2)]
        queued = [daemon.submit(quick())["id"] for _ in range(4)]
        for job in jobs:
            daemon.worker_of(job)
        day = 86400
        for seconds in (day, -day, 365 * day, 0):
            wall.jump(seconds)
            time.sleep(0.5)
            check(ask(daemon) < 1, f"the clock is {seconds / day:+.0f} days off: it answers")
            created = daemon.submit(quick())["created"]
            check(created[:4] == str(time.gmtime(time.time() + seconds).tm_year), f"and takes a job: {created}")
        ends = [daemon.await_job(job) for job in jobs]
        check([end["error"]["code"] for end in ends] == ["timed_out"] * 2, "jobs that ran meanwhile had their time")
        check([end["attempt"] for end in ends] == [1, 1], f"and were begun once: {[end['attempt'] for end in ends]}")
        check(all(daemon.await_job(job)["status"] == "succeeded" for job in queued), "those that waited ended")
        waited = http.client.HTTPConnection(daemon.host, daemon.port, timeout=30)
        begin = time.monotonic()
        answer = daemon.request("POST", "/jobs", endless(limits={"wall_seconds": 5}), {"Prefer": "wait=2"}, waited)
        check(answer.status == 202 and 1.5 < time.monotonic() - begin < 4, "Prefer: wait counts seconds that pass")
        waited.close()


SCENARIOS = {"crowd": crowd, "slowloris": slowloris, "descriptors": descriptors, "clock": clock}


def main():
    names = sys.argv[1:] or list(SCENARIOS)
    if any(name not in SCENARIOS for name in names):
        print(__doc__)
        return 2
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 8192), hard))
    for name in names:
        print(f"-- {name}", flush=True)
        folder = tempfile.mkdtemp(prefix=f"mbsd-{name}-")
        try:
            SCENARIOS[name](folder)
        finally:
            shutil.rmtree(folder)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    print(f"faults: {len(faults)}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
