#!/usr/bin/env python3
"""Cost of a small job from its POST to its result: wall time, processor time of each kind of process, context switches.

    python3 bench/job_cost.py [--model models/FourBar.json] [--clients 1 16] [--seconds 3] [--rounds 3]
                              [--daemon build/release/mbsd] [--daemon OTHER]

Each client keeps one connection and uses `Prefer: wait`; its next job follows the response. Several --daemon take
turns, so that other load on the machine affects all of them equally. Processor time is that of the kernel's accounting
for the daemon and for its workers, including the supervisor. If it is the limit, the number of jobs per second on idle
cores is the number of cores divided by it, without this program's own share, which is printed too. "solver" is the
median of the computation times that the reports of the jobs tell, "beside it" what daemon and workers take in addition.
On a machine whose disk is busy, set TMPDIR to a folder in memory: that leaves out the cost of flushes.
"""

import argparse
import json
import os
import selectors
import shutil
import socket
import statistics
import subprocess
import tempfile
import time

from http_load import message

TICK = os.sysconf("SC_CLK_TCK")


def children_of(pid):
    found = []
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/children") as file:
            for child in file.read().split():
                found += [int(child), *children_of(int(child))]
    return found


def switches_of(pid):
    count = 0
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/status") as file:
            count += sum(int(line.split()[1]) for line in file if "ctxt_switches" in line)
    return count


def nanoseconds_of(pid):
    """Returns the time on a processor by the scheduler's accounting, which is exact."""
    total = 0
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/schedstat") as file:
            total += int(file.read().split()[0])
    return total


class Account:
    """Returns microseconds and switches of the daemon and of its workers since their start."""

    def __init__(self, pid):
        self.pids = {"daemon": [pid], "workers": children_of(pid)}
        self.before = self.now()

    def now(self):
        return {name: (sum(map(nanoseconds_of, pids)) / 1e3, sum(map(switches_of, pids)))
                for name, pids in self.pids.items()}

    def a_job(self, jobs):
        after = self.now()
        return {name: tuple((b - a) / jobs for a, b in zip(self.before[name], after[name])) for name in after}


class Client:
    def __init__(self, port, request):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.request = request
        self.solver = []  # computation times [s]

    def send(self):
        self.begin = time.monotonic()
        self.data = b""
        self.size = None
        self.socket.sendall(self.request)

    def receive(self):
        """Returns the seconds of the response once it is complete."""
        part = self.socket.recv(65536)
        if not part:
            raise ConnectionError("closed")
        self.data += part
        end = self.data.find(b"\r\n\r\n")
        if self.size is None and end >= 0:
            if not self.data.startswith(b"HTTP/1.1 200"):
                raise RuntimeError(self.data.decode())
            head = self.data[:end].lower()
            at = head.index(b"content-length:") + 15
            self.size = end + 4 + int(head[at:].split(b"\r\n", 1)[0])
        if self.size != len(self.data):
            return None
        took = time.monotonic() - self.begin
        report = json.loads(self.data[end + 4:])["report"] or {}
        self.solver.append(report.get("wall_seconds", 0))
        return took


def measure(port, pid, request, clients, seconds):
    selector = selectors.DefaultSelector()
    all_clients = [Client(port, request) for _ in range(clients)]
    for client in all_clients:
        selector.register(client.socket, selectors.EVENT_READ, client)
    account, times, mine = Account(pid), [], time.process_time()
    begin = time.monotonic()
    for client in all_clients:
        client.send()
    while time.monotonic() < begin + seconds:
        for key, _ in selector.select(1):
            took = key.data.receive()
            if took is not None:
                times.append(took)
                key.data.send()
    total = time.monotonic() - begin
    cost = account.a_job(len(times))
    mine = (time.process_time() - mine) / len(times) * 1e6
    for client in all_clients:
        client.socket.close()
    times.sort()
    solver = 1e6 * statistics.median(seconds for client in all_clients for seconds in client.solver)
    return {"jobs a second": len(times) / total,
            "median ms": 1e3 * times[len(times) // 2],
            "99 % ms": 1e3 * times[int(0.99 * (len(times) - 1))],
            "daemon us": cost["daemon"][0], "workers us": cost["workers"][0], "clients us": mine, "solver us": solver,
            "beside it us": cost["daemon"][0] + cost["workers"][0] - solver,
            "daemon switches": cost["daemon"][1], "workers switches": cost["workers"][1]}


class Daemon:
    def __init__(self, path, arguments):
        self.path = path
        self.folder = tempfile.mkdtemp(prefix="mbsd-cost-")
        self.process = subprocess.Popen([path, "--port=0", f"--data={self.folder}/data", *arguments],
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.port = int(self.process.stdout.readline().rsplit(":", 1)[1])

    def stop(self):
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()
        shutil.rmtree(self.folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default="models/FourBar.json")
    parser.add_argument("--clients", type=int, nargs="+", default=[1, 16])
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--daemon", action="append")
    parser.add_argument("--option", action="append", default=[], help="of the daemons, as --option=--workers=2")
    options = parser.parse_args()
    with open(options.model, "rb") as file:
        request = message("POST", "/api/v1/jobs", file.read(), "Prefer: wait=30")
    daemons = [Daemon(path, options.option) for path in options.daemon or ["build/release/mbsd"]]
    try:
        for clients in options.clients:
            rows = {daemon.path: [] for daemon in daemons}
            for _ in range(options.rounds):
                for daemon in daemons:
                    rows[daemon.path].append(
                        measure(daemon.port, daemon.process.pid, request, clients, options.seconds))
            for path, runs in rows.items():
                middle = {name: statistics.median(run[name] for run in runs) for name in runs[0]}
                print(f"{clients:4} clients  {path}")
                print("     " + "   ".join(f"{name} {value:.4g}" for name, value in middle.items()), flush=True)
    finally:
        for daemon in daemons:
            daemon.stop()


if __name__ == "__main__":
    main()
