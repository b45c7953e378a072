#!/usr/bin/env python3
"""A disk that fails under a working daemon, at every write in turn: nothing acknowledged is lost or duplicated.

usage: tests/soak/disk_faults.py [--every N] [--from N] [KIND...]
       kinds: fail short sync full power torn; default: all

For each kind of fault (fault_vfs.c describes them) and each write or sync k = 1, 1 + N, ... of a small load (all of
them with N = 1, the default), the script starts the daemon on a fresh folder with the load, and the fault happens. If
the daemon stays alive, it must recover. Then it is killed and started on a good disk. Every acknowledged job must exist
once and end with the same bits as without faults, both databases must be intact (integrity_check), and deleted jobs
must be gone. Exit code 1 otherwise. MBSD is the program (build/release/mbsd).

First, a disk that only pretends to sync shows that a loss is detected."""

import argparse
import collections
import contextlib
import glob
import hashlib
import http.client
import io
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "server"))
from support import ENDED, Daemon, chain, is_alive, until  # noqa: E402

POWER = ("power", "torn", "lie")
KINDS = ("fail", "short", "sync", "full", "power", "torn")
MODELS = [chain(links=1, t_end=0.5, dt=0.1), chain(links=2, t_end=2, dt=0.01)]


def digest(daemon, job):
    answer = daemon.get(f"/api/v1/jobs/{job}/results.npz")
    return hashlib.sha256(answer.body).hexdigest() if answer.status == 200 else f"{answer.status} {answer.body[:200]}"


class Trial:
    """A single fault in the life of a daemon."""

    def __init__(self, library, reference, kind, at):
        self.library, self.reference, self.kind, self.at = library, reference, kind, at
        self.folder = tempfile.mkdtemp(prefix="mbsd-fault-")
        self.count_file = os.path.join(self.folder, "count")
        self.acknowledged = {}  # id: number of the model
        self.deleted, self.cancelled, self.faults = set(), set(), []

    def fault(self, text):
        self.faults.append(text)
        print(f"FAULT {self.kind} at {self.at}: {text}", flush=True)

    @contextlib.contextmanager
    def on_a_bad_disk(self):
        settings = {"LD_PRELOAD": self.library, "FAULT_KIND": self.kind, "FAULT_AT": str(self.at),
                    "FAULT_COUNT": self.count_file, "ASAN_OPTIONS": "verify_asan_link_order=0:detect_leaks=0"}
        os.environ.update(settings)
        try:
            daemon = Daemon(self.folder, "--workers=1", "--log-level=warning")
        except AssertionError:
            daemon = None  # the fault came before the daemon was listening
        finally:
            for name in settings:
                del os.environ[name]
        try:
            yield daemon
        finally:
            if daemon:
                processes = [daemon.process.pid, *daemon.supervisors(), *daemon.workers()]
                daemon.kill()
                daemon.close()
                until(lambda: not any(is_alive(pid) for pid in processes), 30)

    def load(self, daemon):
        """Sends some requests of each kind, and records acknowledged ones."""
        for number in (0, 1, 0, 1):
            answer = self.ask(daemon, "POST", "/jobs", MODELS[number], {"Prefer": "wait=10"})
            if answer and answer.status in (200, 202):
                self.acknowledged[answer.json()["id"]] = number
        jobs = list(self.acknowledged)
        if len(jobs) > 1:
            answer = self.ask(daemon, "DELETE", f"/jobs/{jobs[0]}")
            if answer is None or answer.status != 204:
                self.acknowledged.pop(jobs[0])  # may exist or not
            else:
                self.deleted.add(jobs[0])
                self.acknowledged.pop(jobs[0])
            self.ask(daemon, "POST", f"/jobs/{jobs[1]}/cancel")

    def ask(self, daemon, method, path, body=None, headers=None):
        """Sends a request. Returns None if the power failed before a response."""
        try:
            answer = daemon.request(method, path, body, headers)
        except (OSError, http.client.HTTPException):
            if daemon.process.poll() is None and self.kind not in POWER:
                self.fault(f"{method} {path}: no answer")
            return None
        if answer.status >= 500 and answer.status not in (500, 503, 507):
            self.fault(f"{method} {path}: {answer.status}")
        return answer

    def serves_again(self, daemon):
        """The daemon recovers from a temporary fault without help."""
        def posts():
            answer = self.ask(daemon, "POST", "/jobs", MODELS[0], {"Prefer": "wait=10"})
            if answer and answer.status in (200, 202):
                self.acknowledged[answer.json()["id"]] = 0
                return answer.json()["status"] == "succeeded"
            return False

        try:
            until(posts, 20, 0.1)
        except AssertionError:
            self.fault("does not serve again")

    def look_after(self):
        with Daemon(self.folder, "--workers=1", "--log-level=warning") as daemon:
            listed = collections.Counter(job["id"] for job in daemon.jobs())
            for job, number in self.acknowledged.items():
                if listed[job] != 1:
                    self.fault(f"job {job} is there {listed[job]} times")
                    continue
                end = daemon.await_job(job, seconds=30)
                if end["status"] not in ("succeeded", "cancelled"):
                    # A full disk may end a job without its results, which the job reports.
                    if (end["error"] or {}).get("code") != "results_not_kept":
                        self.fault(f"job {job} ended as {end['status']}: {end['error']}")
                elif end["status"] == "succeeded" and digest(daemon, job) != self.reference[number]:
                    self.fault(f"job {job} has other results: {digest(daemon, job)}")
            for job in self.deleted & set(listed):
                self.fault(f"deleted job {job} is there again")
            for job in set(listed) - set(self.acknowledged):
                with contextlib.suppress(AssertionError):
                    if daemon.await_job(job, seconds=30)["status"] in ENDED:
                        continue
                self.fault(f"unanswered job {job} does not end")
            daemon.stop()
        for path in glob.glob(os.path.join(self.folder, "data", "*.db")):
            with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
                found = [row[0] for row in db.execute("PRAGMA integrity_check")]
                if found != ["ok"] or list(db.execute("PRAGMA foreign_key_check")):
                    self.fault(f"{os.path.basename(path)}: {found[:3]}")

    def run(self):
        """Returns the number of writes and syncs."""
        try:
            with self.on_a_bad_disk() as daemon:
                if daemon:
                    self.load(daemon)
                    if self.kind not in POWER:
                        self.serves_again(daemon)
                    if self.at == 0:
                        daemon.stop()
            self.look_after()
            with contextlib.suppress(FileNotFoundError), open(self.count_file, encoding="ascii") as file:
                return int(file.read())
            return 0
        finally:
            shutil.rmtree(self.folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--from", dest="first", type=int, default=1)
    parser.add_argument("kinds", nargs="*", metavar="KIND")
    options = parser.parse_args()
    if set(options.kinds) - set(KINDS):
        parser.error(f"kinds are {', '.join(KINDS)}")
    folder = tempfile.mkdtemp(prefix="mbsd-faults-")
    faults = 0
    try:
        library = os.path.join(folder, "fault_vfs.so")
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", os.path.join(HERE, "fault_vfs.c"), "-o", library, "-lsqlite3"],
                       check=True)
        with Daemon(folder, "--workers=1") as daemon:
            reference = [digest(daemon, daemon.submit(model, wait=55)["id"]) for model in MODELS]
        with contextlib.redirect_stdout(io.StringIO()):
            liar = Trial(library, reference, "lie", 400)
            liar.run()
        if not any("there 0 times" in text for text in liar.faults):
            print("FAULT: what a lying disk loses is not seen")
            faults += 1
        for kind in options.kinds or KINDS:
            total = Trial(library, reference, kind, 0).run()
            begin, trials = time.monotonic(), 0
            for at in range(options.first, total + 1, options.every):
                trial = Trial(library, reference, kind, at)
                trial.run()
                trials += 1
                faults += len(trial.faults)
            print(f"{kind}: {trials} of {total} writes and syncs failed in turn, {time.monotonic() - begin:.0f} s; "
                  f"faults so far {faults}", flush=True)
    finally:
        shutil.rmtree(folder)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
