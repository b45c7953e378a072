#!/usr/bin/env python3
"""SIGKILL of daemons on one PostgreSQL database, of their workers and of the database, with a record as in kills.py.

usage: tests/private_postgres tests/soak/servers.py [--servers N] [--cycles N] [--clients N] [--seed N]

Each daemon has its own folder; killed daemons are restarted. Some daemons are not killed but stopped until others have
claimed their jobs, and then continued, like machines that were disconnected. For the database, one of its processes is
killed, which makes it end all connections and recover, or all of them are.

Clients post jobs and studies, each with a key, to any running daemon, and repeat until one acknowledges it. In the end
exactly the acknowledged jobs must exist, each once; they must have ended; and must have the same bits as the document
run without kills by one daemon on files. MBSD is the program; leave MBSD_TEST_STORE unset."""

import argparse
import collections
import contextlib
import glob
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import kills  # noqa: E402
from support import Daemon, children_of, database_of, is_alive, until  # noqa: E402

LEASE = 5  # [s]


class Database:
    """The server that tests/private_postgres has started."""

    def __init__(self):
        self.folder = os.environ["MBSD_TEST_POSTGRES_FOLDER"]
        self.successor = None
        first = self.process()
        self.owner = os.stat(f"/proc/{first}")
        with open(f"/proc/{first}/cmdline", "rb") as file:
            self.command = file.read().rstrip(b"\0").split(b"\0")

    def process(self):
        """Returns the server's process; 0 if it is about to start, or has ended."""
        try:
            with open(os.path.join(self.folder, "data", "postmaster.pid"), encoding="ascii") as file:
                return int(file.readline() or 0)
        except FileNotFoundError:
            return 0

    def start(self):
        with open(os.path.join(self.folder, "server.log"), "ab") as log:
            self.successor = subprocess.Popen([b"setpriv", b"--pdeathsig", b"INT", *self.command], cwd=self.folder,
                                              stdout=log, stderr=log, user=self.owner.st_uid, group=self.owner.st_gid,
                                              extra_groups=[])
        until(lambda: self.process() == self.successor.pid)

    def kill_part(self):
        """Kills one of its processes that serve a connection or work in the background. The first process then restarts
        all of them, or ends if it was just doing that."""
        victims = children_of(self.process())
        if victims:
            kills.kill(random.choice(victims))

    def kill_whole(self):
        """Kills the whole server, which is restarted."""
        first = self.process()
        parts = children_of(first)
        if first:
            kills.kill(first)
        if self.successor:
            self.successor.wait()
        until(lambda: not is_alive(first) and not any(is_alive(part) for part in parts))
        self.start()

    def look(self):
        """Starts the server if it has ended."""
        if not is_alive(self.process()):
            self.kill_whole()

    def stop(self):
        if self.successor:
            self.successor.send_signal(signal.SIGINT)
            self.successor.wait()


class Servers(kills.Soak):
    def __init__(self, options, folder):
        super().__init__(options, folder)
        self.url = database_of(os.path.join(folder, "soak"))
        self.daemons = [None] * options.servers
        self.database = Database()
        self.kinds = collections.Counter()
        self.halted = []  # (time at which it continues, number)
        self.began = time.monotonic()

    def start(self, number):
        folder = os.path.join(self.folder, f"server{number}")
        os.makedirs(folder, exist_ok=True)
        self.daemons[number] = Daemon(folder, f"--store={self.url}", "--workers=1", f"--lease={LEASE}", "--queue=1000",
                                      "--job-seconds=120")

    def whole(self, number):
        """Starts a daemon; retries if the database is just recovering."""
        def started():
            try:
                self.start(number)
                return True
            except AssertionError:
                return False
        until(started, 60, 0.5)

    # Clients.

    def post(self, chance, document, key):
        """Posts a document until a running daemon acknowledges it. Returns the id, or None if none did."""
        for _ in range(600):
            daemon = chance.choice(self.daemons)
            connection = daemon.connection(seconds=2 * LEASE)
            try:
                answer = daemon.request("POST", "/jobs", document, {"Idempotency-Key": key}, connection)
                if answer.status == 202:
                    return answer.json()["id"]
                if answer.status < 500:
                    self.ledger.fault("refused", key, f"{answer.status} {answer.body[:300]}")
                    return None
            except (OSError, kills.http.client.HTTPException):
                self.ledger.unanswered += 1
            finally:
                connection.close()
            time.sleep(0.1)
        self.ledger.fault("refused", key, "no response acknowledged it")
        return None

    def client(self, name, stop):
        chance = random.Random(self.chance.random())
        number = 0
        while not stop.is_set():
            model = chance.randrange(len(kills.MODELS))
            number += 1
            job = self.post(chance, kills.MODELS[model], f"{name}-{number}")
            if job:
                self.ledger.add(job, model)
            time.sleep(chance.random() * self.options.pause)

    # Kills.

    def halt(self, number):
        """Stops a daemon for longer than its leases."""
        self.halted.append((time.monotonic() + (1.2 + self.chance.random()) * LEASE, number))
        self.daemons[number].process.send_signal(signal.SIGSTOP)

    def let_go_on(self, all_of_them=False):
        for when, number in list(self.halted):
            if all_of_them or time.monotonic() >= when:
                self.daemons[number].process.send_signal(signal.SIGCONT)
                self.halted.remove((when, number))

    def kill_one(self):
        self.cycles += 1
        number = self.chance.randrange(len(self.daemons))
        kind = self.chance.choices(["daemon", "worker", "halt", "database process", "database"],
                                   [self.options.daemons, self.options.workers, self.options.halts,
                                    0.8 * self.options.database, 0.2 * self.options.database])[0]
        daemon = self.daemons[number]
        if kind == "halt" and self.halted or any(number == other for _, other in self.halted):
            kind = "worker"  # a single process at a time
        self.kinds[kind] += 1
        if kind == "daemon":
            daemon.kill()
            daemon.close()
            self.whole(number)
        elif kind == "halt":
            self.halt(number)
        elif kind == "database process":
            self.database.kill_part()
        elif kind == "database":
            self.database.kill_whole()
        elif daemon.workers():
            kills.kill(self.chance.choice(daemon.workers()))

    # Summary.

    def blocks(self):
        """Returns how many blocks were begun and delivered."""
        counts = collections.Counter()
        for path in glob.glob(os.path.join(self.folder, "server*", "log-*")):
            with open(path, "rb") as file:
                for line in file:
                    for event in (b"block_started", b"block_finished", b"block_damaged"):
                        counts[event.decode()] += b'"' + event + b'"' in line
        return counts

    def tell(self):
        blocks, ledger = self.blocks(), self.ledger
        print(f"{self.cycles} kills in {time.monotonic() - self.began:.0f} s {dict(self.kinds)}: "
              f"{ledger.acknowledged} jobs, of them ended {dict(ledger.ends)}, studies {dict(ledger.studies)}, "
              f"blocks {blocks['block_started']} begun, {blocks['block_finished']} handed in; "
              f"{ledger.unanswered} POSTs unanswered and repeated; lost {ledger.faults['lost']}, doubled "
              f"{ledger.faults['doubled']}, different {ledger.faults['different']}, faults {dict(ledger.faults)}",
              flush=True)

    def balance(self, last):
        """Checks jobs that have ended, with a healthy daemon."""
        daemon = self.daemons[0]
        with contextlib.suppress(OSError, json.JSONDecodeError, kills.http.client.HTTPException, KeyError):
            until(lambda: daemon.get("/readyz").status == 200)
            self.settle(daemon, last)
            return
        if last:
            raise AssertionError("the daemons do not answer any more")

    def run(self):
        for number in range(len(self.daemons)):
            self.whole(number)
        stop = threading.Event()
        clients = [threading.Thread(target=self.client, args=(f"client{i}", stop), daemon=True)
                   for i in range(self.options.clients)]
        for client in clients:
            client.start()
        while self.cycles < self.options.cycles:
            time.sleep(self.chance.random() * self.options.gap)
            self.let_go_on()
            self.database.look()
            self.kill_one()
            if self.cycles % 100 == 0:
                self.tell()
        self.let_go_on(all_of_them=True)
        self.database.look()
        stop.set()
        for client in clients:
            client.join()
        self.balance(last=True)
        for job in self.daemons[1].jobs():
            self.ledger.fault("doubled", job["id"], "no subscriber received it")
        self.tell()
        return 1 if self.ledger.faults else 0

    def close(self):
        self.let_go_on(all_of_them=True)
        for daemon in self.daemons:
            if daemon:
                daemon.kill()
                daemon.close()
        self.database.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--servers", type=int, default=4)
    parser.add_argument("--cycles", type=int, default=1000)
    parser.add_argument("--clients", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--daemons", type=float, default=0.25, help="share of kills that hit a daemon")
    parser.add_argument("--workers", type=float, default=0.55, help="share of kills that hit a worker")
    parser.add_argument("--halts", type=float, default=0.1, help="share that are no kills: a daemon is stopped")
    parser.add_argument("--database", type=float, default=0.1, help="share of kills that hit the database")
    parser.add_argument("--gap", type=float, default=0.5, help="longest pause between two kills [s]")
    parser.add_argument("--pause", type=float, default=2, help="longest pause of a client between two jobs [s]")
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="mbsd-soak-")
    os.mkdir(os.path.join(folder, "peace"))
    soak = Servers(options, folder)
    code = 1
    try:
        code = soak.run()
    finally:
        soak.close()
        if code == 0:
            shutil.rmtree(folder)
        else:
            print(f"kept, with the logs: {folder}")
    return code


if __name__ == "__main__":
    sys.exit(main())
