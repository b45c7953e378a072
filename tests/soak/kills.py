#!/usr/bin/env python3
"""SIGKILL of daemon, supervisor and workers under load, with a record of all acknowledged jobs.

usage: tests/soak/kills.py [--cycles N] [--clients N] [--seed N] [--keep-folder]

A cycle kills one process. At the end of each life of the daemon, and at the end of the script, every acknowledged job
must exist once, must have ended, and must have the same bits as the model run without kills. Prints a line per hundred
cycles and a summary; exit code 1 if a job was lost, duplicated or different. MBSD is the program (build/release/mbsd).
"""

import argparse
import collections
import contextlib
import hashlib
import http.client
import os
import random
import shutil
import signal
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "server"))
from support import ENDED, Daemon, chain, children_of, is_alive, until  # noqa: E402



def study(runs):
    """Returns a study of several blocks."""
    model = {**chain(links=2, t_end=2), "parameters": {"m": 1}}
    analysis = model.pop("analysis")
    model["bodies"][0]["mass"] = "m"
    return {"model": model, "analysis": analysis,
            "study": {"vary": [{"parameter": "m", "from": 0.5, "to": 2, "count": runs}],
                      "outputs": [{"name": "last", "of": "link2.b.y"},
                                  {"name": "most", "of": "link1.b.x", "take": "max"}]}}


# Quick ones and some that are found running, with results of several sizes.
MODELS = [chain(links=1, t_end=0.5, dt=0.1), chain(links=2, t_end=2, dt=0.01), chain(links=3, t_end=5, dt=0.005),
          chain(links=5, t_end=20, dt=0.02, integrator={"rtol": 1e-9, "atol": 1e-9}), study(1500)]


def kill(pid):
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def digest(daemon, job):
    """Returns the hash of all arrays of a job, as served."""
    answer = daemon.get(f"/api/v1/jobs/{job}/results.npz")
    if answer.status != 200:
        raise AssertionError(f"results of {job}: {answer.status} {answer.body[:300]}")
    return hashlib.sha256(answer.body).hexdigest()


class Ledger:
    """Record of acknowledged jobs and their state."""

    def __init__(self):
        self.lock = threading.Lock()
        self.open = {}  # id: number of the model
        self.acknowledged = self.unanswered = 0
        self.ends, self.studies = collections.Counter(), collections.Counter()
        self.faults = collections.Counter()

    def add(self, job, model):
        with self.lock:
            if job in self.open:
                self.fault("doubled", job)
            self.open[job] = model
            self.acknowledged += 1

    def fault(self, kind, job, text=""):
        self.faults[kind] += 1
        print(f"{kind.upper()}: {job} {text}", flush=True)


class Soak:
    def __init__(self, options, folder):
        self.options, self.folder, self.ledger = options, folder, Ledger()
        self.chance = random.Random(options.seed)
        self.cycles = 0
        self.reference = self.run_in_peace()

    def run_in_peace(self):
        with Daemon(os.path.join(self.folder, "peace"), "--workers=2") as daemon:
            jobs = [daemon.submit(model, wait=55) for model in MODELS]
            return [digest(daemon, job["id"]) for job in jobs]

    # Runs clients and kills during one life of the daemon.

    def client(self, daemon, stop):
        chance = random.Random(self.chance.random())
        while not stop.is_set():
            number = chance.randrange(len(MODELS))
            try:
                self.ledger.add(daemon.submit(MODELS[number])["id"], number)
            except (OSError, http.client.HTTPException):
                self.ledger.unanswered += 1  # may exist or not, as there was no response
                if not is_alive(daemon.process.pid):
                    return
            except AssertionError:  # a legitimate 503: no worker, or shutting down
                time.sleep(0.02)
            time.sleep(chance.random() * self.options.pause)

    def kill_something(self, daemon):
        """Kills one process. Returns True if the daemon stays alive."""
        self.cycles += 1
        what = self.chance.random()
        if what < self.options.daemons:
            daemon.kill()
            return False
        supervisors = daemon.supervisors()
        workers = [pid for supervisor in supervisors for pid in children_of(supervisor)]
        victims = supervisors if what < self.options.daemons + 0.1 else workers
        if victims:
            kill(self.chance.choice(victims))
        return True

    def life(self, number):
        with Daemon(os.path.join(self.folder, "soak"), "--workers=2", "--log-level=warning", "--queue=1000") as daemon:
            self.settle(daemon)
            stop = threading.Event()
            clients = [threading.Thread(target=self.client, args=(daemon, stop)) for _ in range(self.options.clients)]
            for client in clients:
                client.start()
            alive = True
            while alive and self.cycles < self.options.cycles:
                time.sleep(self.chance.random() * self.options.gap)
                alive = self.kill_something(daemon)
                if self.cycles % 100 == 0:
                    self.tell()
            stop.set()
            for client in clients:
                client.join()
            workers = daemon.workers()
            daemon.kill()
            until(lambda: not any(is_alive(pid) for pid in workers), 30)

    # Summary of the record.

    def settle(self, daemon, last=False):
        """Checks jobs that have ended (at the end: waits for all) and removes them from the record and the daemon."""
        deadline = time.monotonic() + (600 if last else 0)
        while True:
            listed = collections.Counter(job["id"] for job in daemon.jobs())
            for job, count in listed.items():
                if count > 1:
                    self.ledger.fault("doubled", job, f"listed {count} times")
            for job, model in list(self.ledger.open.items()):
                if job not in listed:
                    self.ledger.fault("lost", job)
                    del self.ledger.open[job]
                else:
                    self.look_at(daemon, job, model)
            if not self.ledger.open or time.monotonic() >= deadline:
                break
            time.sleep(0.5)
        if last:
            for job in self.ledger.open:
                self.ledger.fault("unfinished", job)

    def look_at(self, daemon, job, model):
        found = daemon.job(job)
        if found["status"] not in ENDED:
            return
        code = (found["error"] or {}).get("code")
        self.ledger.ends[code or found["status"]] += 1
        if "study" in MODELS[model]:
            self.ledger.studies[code or found["status"]] += 1
        if found["status"] == "succeeded" and digest(daemon, job) != self.reference[model]:
            self.ledger.fault("different", job)
        if found["status"] != "succeeded" and code not in ("worker_crashed", "interrupted"):
            self.ledger.fault("failed", job, str(found["error"]))
        if daemon.request("DELETE", f"/jobs/{job}").status != 204:
            self.ledger.fault("undeletable", job)
        del self.ledger.open[job]

    def tell(self):
        ledger = self.ledger
        print(f"{self.cycles} kills: {ledger.acknowledged} acknowledged, {ledger.unanswered} unanswered, "
              f"ends {dict(ledger.ends)}, of studies {dict(ledger.studies)}, faults {dict(ledger.faults)}", flush=True)

    def run(self):
        life = 0
        while self.cycles < self.options.cycles:
            self.life(life)
            life += 1
        with Daemon(os.path.join(self.folder, "soak"), "--workers=2", "--log-level=warning") as daemon:
            self.settle(daemon, last=True)
        self.tell()
        ledger = self.ledger
        print(f"lives {life}, lost {ledger.faults['lost']}, doubled {ledger.faults['doubled']}, "
              f"different {ledger.faults['different']}, other faults "
              f"{sum(ledger.faults.values()) - sum(ledger.faults[k] for k in ('lost', 'doubled', 'different'))}")
        return 1 if ledger.faults else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cycles", type=int, default=10000)
    parser.add_argument("--clients", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--daemons", type=float, default=0.15, help="share of kills that hit the daemon itself")
    parser.add_argument("--gap", type=float, default=0.1, help="longest pause between two kills [s]")
    parser.add_argument("--pause", type=float, default=0.2, help="longest pause of a client between two jobs [s]")
    parser.add_argument("--keep-folder", action="store_true")
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="mbsd-soak-")
    for name in ("peace", "soak"):
        os.mkdir(os.path.join(folder, name))
    try:
        return Soak(options, folder).run()
    finally:
        if options.keep_folder:
            print(f"kept: {folder}")
        else:
            shutil.rmtree(folder)


if __name__ == "__main__":
    sys.exit(main())
