#!/usr/bin/env python3
"""Every shipped model with a single error: the service reports the error at its place, or runs the remaining model.

usage: tests/soak/mutations.py [--each N] [--seed N] [MODEL...]

Each of N (30) mutations per model drops, renames, retypes, repeats or enlarges one value anywhere in the document. The
result is posted for validation, every tenth also as a job. A response must be 200, or a problem document whose errors
have pointers to existing (or possible) places of the document. No response may take longer than --seconds, no worker
may die, and the memory of daemon and workers must stay below --memory [MiB]. Exit code 1 otherwise. MBSD is the
program."""

import argparse
import collections
import copy
import glob
import json
import os
import random
import shutil
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "server"))
from support import Daemon  # noqa: E402

MODELS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "models")
WORDS = ["", "ground", "x", "nowhere.A", "sin(t)", "1/0", "((((", "\u2603", "a" * 5000, "t", "ground.O", "pi", "NaN"]
NUMBERS = [0, -1, 1e308, -1e308, 5e-324, 1e-9, 1e9, 2**53, -0.0, 3]


def places(value, at=()):
    """Yields all places in a document, as tuples of keys."""
    yield at
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in entries:
        yield from places(part, (*at, key))


def parent_of(document, at):
    for key in at[:-1]:
        document = document[key]
    return document


def other_value(chance, value):
    kinds = [None, True, [], {}, [1, 2], {"a": 1}, chance.choice(WORDS), chance.choice(NUMBERS)]
    return chance.choice([kind for kind in kinds if type(kind) is not type(value)] + [chance.choice(kinds)])


def mutate(chance, document):
    """Returns a copy with a single change, and a description of it."""
    document = copy.deepcopy(document)
    at = chance.choice([place for place in places(document) if place])
    parent, key = parent_of(document, at), at[-1]
    verb = chance.choice(["drop", "rename", "retype", "number", "repeat", "word"])
    if verb == "drop":
        del parent[key]
    elif verb == "rename" and isinstance(parent, dict):
        parent[chance.choice(WORDS) or key + "s"] = parent.pop(key)
    elif verb == "repeat" and isinstance(parent, list):
        parent[key:key] = [parent[key]] * chance.choice([1, 2, 50])
    elif verb == "number":
        parent[key] = chance.choice(NUMBERS)
    elif verb == "word":
        parent[key] = chance.choice(WORDS)
    else:
        parent[key] = other_value(chance, parent[key])
    return document, f"{verb} {'/'.join(map(str, at))}"


def resolves(document, pointer):
    """Returns True if a JSON pointer leads to an existing or possible member or item of the document."""
    value = document
    parts = [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]
    for number, part in enumerate(parts):
        last = number == len(parts) - 1
        if isinstance(value, dict):
            if part not in value:
                return last
            value = value[part]
        elif isinstance(value, list):
            if not part.isdigit() or int(part) >= len(value):
                return last and part.isdigit()
            value = value[int(part)]
        else:
            return False
    return True


def memory_of(pid):
    """Returns the largest resident memory of a process [MiB]."""
    try:
        with open(f"/proc/{pid}/status") as file:
            return next((int(line.split()[1]) / 1024 for line in file if line.startswith("VmHWM")), 0)
    except (FileNotFoundError, ProcessLookupError):
        return 0


class Run:
    def __init__(self, daemon, options):
        self.daemon, self.options = daemon, options
        self.statuses, self.ends, self.faults, self.slowest = collections.Counter(), collections.Counter(), [], 0

    def fault(self, name, what, text):
        self.faults.append(f"{name}: {what}: {text}")
        print(self.faults[-1], flush=True)

    def post(self, path, document, headers=None):
        begin = time.monotonic()
        answer = self.daemon.request("POST", path, document, headers)
        seconds = time.monotonic() - begin
        self.slowest = max(self.slowest, seconds)
        return answer, seconds

    def validate(self, name, what, document):
        answer, seconds = self.post("/validate", document)
        self.statuses[answer.status] += 1
        if seconds > self.options.seconds:
            self.fault(name, what, f"took {seconds:.1f} s")
        if answer.status not in (200, 422):
            self.fault(name, what, f"{answer.status} {answer.body[:300]}")
        elif answer.status == 422:
            for error in answer.json()["errors"]:
                if not resolves(document, error["pointer"]) or not error["detail"]:
                    self.fault(name, what, f"error at no place of the document: {error}")

    def run(self, name, what, document):
        # Limits the time to a second after every mutation.
        analysis = document.get("analysis") if isinstance(document, dict) else None
        if isinstance(analysis, dict):
            analysis["limits"] = {"wall_seconds": 1}
        answer, _ = self.post("/jobs", document, {"Prefer": "wait=30"})
        job = answer.json()
        end = job.get("status") if answer.status == 200 else answer.status
        code = (job.get("error") or {}).get("code") if answer.status == 200 else None
        self.ends[f"{end} {code}" if code else end] += 1
        if answer.status not in (200, 422) or code in ("worker_crashed", "internal"):
            self.fault(name, what, f"{answer.status} {answer.body[:300]}")
        if answer.status == 200:
            self.daemon.request("DELETE", f"/jobs/{job['id']}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--each", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--memory", type=float, default=1500)
    parser.add_argument("models", nargs="*")
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="mbsd-mutations-")
    chance = random.Random(options.seed)
    paths = options.models or sorted(glob.glob(os.path.join(MODELS, "*.json")))
    try:
        with Daemon(folder, "--workers=2", "--log-level=warning") as daemon:
            run, count = Run(daemon, options), 0
            for path in paths:
                name = os.path.basename(path)
                with open(path, encoding="utf-8") as file:
                    original = json.load(file)
                for _ in range(options.each):
                    document, what = mutate(chance, original)
                    run.validate(name, what, document)
                    if count % 10 == 0:
                        run.run(name, what, document)
                    count += 1
            deaths = int(daemon.metrics()["mbsd_worker_deaths_total"]) + len(daemon.events("worker_ended"))
            if deaths:
                run.fault("workers", "died", str(deaths))
            peak = max(memory_of(pid) for pid in [daemon.process.pid, *daemon.workers()])
            if peak > options.memory:
                run.fault("memory", "most", f"{peak:.0f} MiB")
    finally:
        shutil.rmtree(folder)
    print(f"{count} mutations of {len(paths)} models: answers {dict(run.statuses)}, runs {dict(run.ends)}, slowest "
          f"{run.slowest:.2f} s, largest process {peak:.0f} MiB, workers that died {deaths}, faults {len(run.faults)}")
    return 1 if run.faults else 0


if __name__ == "__main__":
    sys.exit(main())
