#!/usr/bin/env python3
"""kill -9 of daemons on one PostgreSQL database, of their workers and of the database, with a ledger as kills.py has.

usage: tests/private_postgres tests/soak/servers.py [--servers N] [--cycles N] [--clients N] [--seed N]

Each daemon has a folder of its own; who is killed is started again. Clients post jobs and studies to whichever daemon
lives. In the end every acknowledged job must be there once, must have ended, and must have the very bits of the same
document run in peace by one daemon on files. A killed process of the database makes it end all connections and recover.
MBSD is the program; leave MBSD_TEST_STORE unset."""

import argparse
import os
import random
import shutil
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import kills  # noqa: E402
from support import Daemon, chain, children_of, database_of, until  # noqa: E402

STUDY = {"model": {**chain(links=2, t_end=2), "parameters": {"m": 1}},
         "study": {"vary": [{"parameter": "m", "from": 0.5, "to": 2, "count": 1500}],
                   "outputs": [{"name": "last", "of": "link2.b.y"},
                               {"name": "most", "of": "link1.b.x", "take": "max"}]}}
STUDY["analysis"] = STUDY["model"].pop("analysis")
STUDY["model"]["bodies"][0]["mass"] = "m"
kills.MODELS.append(STUDY)


def server_processes():
    """Those of the database that serve a connection or work beside; the first one starts them anew."""
    folder = os.environ["MBSD_TEST_POSTGRES_FOLDER"]
    with open(os.path.join(folder, "data", "postmaster.pid"), encoding="ascii") as file:
        return children_of(int(file.readline()))


class Servers(kills.Soak):
    def __init__(self, options, folder):
        super().__init__(options, folder)
        self.url = database_of(os.path.join(folder, "soak"))
        self.daemons = [None] * options.servers

    def start(self, number):
        folder = os.path.join(self.folder, f"server{number}")
        os.makedirs(folder, exist_ok=True)
        self.daemons[number] = Daemon(folder, f"--store={self.url}", "--workers=1", "--log-level=warning",
                                      "--queue=1000")

    def whole(self, number):
        """Starts a daemon; where the database recovers just now it is tried again."""
        def started():
            try:
                self.start(number)
                return True
            except AssertionError:
                return False
        until(started, 60, 0.5)

    def client(self, _, stop):
        chance = random.Random(self.chance.random())
        while not stop.is_set():
            number, daemon = chance.randrange(len(kills.MODELS)), chance.choice(self.daemons)
            try:
                self.ledger.add(daemon.submit(kills.MODELS[number])["id"], number)
            except (OSError, kills.http.client.HTTPException):
                self.ledger.unanswered += 1
            except AssertionError:  # an honest 503
                time.sleep(0.05)
            time.sleep(chance.random() * self.options.pause)

    def kill_one(self):
        self.cycles += 1
        what, number = self.chance.random(), self.chance.randrange(len(self.daemons))
        daemon = self.daemons[number]
        if what < self.options.daemons:
            daemon.kill()
            daemon.close()
            self.whole(number)
        elif what < self.options.daemons + self.options.database:
            victims = server_processes()
            if victims:
                kills.kill(self.chance.choice(victims))
        elif daemon.workers():
            kills.kill(self.chance.choice(daemon.workers()))

    def run(self):
        for number in range(len(self.daemons)):
            self.whole(number)
        stop = threading.Event()
        clients = [threading.Thread(target=self.client, args=(None, stop)) for _ in range(self.options.clients)]
        for client in clients:
            client.start()
        while self.cycles < self.options.cycles:
            time.sleep(self.chance.random() * self.options.gap)
            self.kill_one()
            if self.cycles % 100 == 0:
                self.tell()
        stop.set()
        for client in clients:
            client.join()
        until(lambda: self.daemons[0].get("/readyz").status == 200)
        self.settle(self.daemons[0], last=True)
        self.tell()
        for daemon in self.daemons:
            daemon.kill()
            daemon.close()
        return 1 if self.ledger.faults else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--servers", type=int, default=4)
    parser.add_argument("--cycles", type=int, default=1000)
    parser.add_argument("--clients", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--daemons", type=float, default=0.25, help="share of kills that hit a daemon")
    parser.add_argument("--database", type=float, default=0.05, help="share of kills that hit the database")
    parser.add_argument("--gap", type=float, default=0.5, help="longest pause between two kills [s]")
    parser.add_argument("--pause", type=float, default=2, help="longest pause of a client between two jobs [s]")
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="mbsd-soak-")
    os.mkdir(os.path.join(folder, "peace"))
    try:
        return Servers(options, folder).run()
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    sys.exit(main())
