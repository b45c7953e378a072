#!/usr/bin/env python3
"""Waiting time of a short job behind many long ones, submitted by the same client, and by another one.

    python3 bench/fair_queue.py [--jobs 199] [--seconds 5] [--workers 2] [--patience 60] [--daemon build/release/mbsd]

The long jobs differ in their numbers and take about --seconds each; the short ones take about a millisecond.
"""

import argparse
import http.client
import json
import shutil
import subprocess
import tempfile
import time


def chain(links, t_end, dt, position=0.1):
    bodies, joints, last = [], [], "ground.O"
    for i in range(1, links + 1):
        bodies.append({"name": f"b{i}", "mass": 1, "inertia": 0.1, "points": {"a": [-0.5, 0], "b": [0.5, 0]}})
        joints.append({"name": f"p{i}", "type": "revolute", "points": [last, f"b{i}.a"],
                       "initial": {"position": position * i}})
        last = f"b{i}.b"
    return {"name": "chain", "space": "planar", "gravity": [0, -9.81], "ground": {"points": {"O": [0, 0]}},
            "bodies": bodies, "joints": joints, "analysis": {"type": "dynamics", "t_end": t_end, "dt": dt}}


def post(port, address, model, wait=0):
    """Returns the job, and the duration of the request."""
    client = http.client.HTTPConnection("127.0.0.1", port, source_address=(address, 0))
    begin = time.monotonic()
    client.request("POST", "/api/v1/jobs", json.dumps(model), {"Prefer": f"wait={wait}"} if wait else {})
    answer = client.getresponse()
    job = json.loads(answer.read())
    client.close()
    if answer.status not in (200, 202):
        raise AssertionError(job)
    return job, time.monotonic() - begin


def calibrate(port, seconds):
    """Returns the simulated time of a job that takes this number of seconds."""
    job, _ = post(port, "127.0.0.3", chain(10, 20, 1), 60)
    return 20 * seconds / job["report"]["wall_seconds"]


def run(port, options):
    t_end = calibrate(port, options.seconds)
    for i in range(options.jobs):
        post(port, "127.0.0.1", chain(10, t_end, t_end / 5000, 0.1 + 1e-4 * i))
    time.sleep(1)
    for name, address in (("another client", "127.0.0.2"), ("the same client", "127.0.0.1")):
        for i in range(3):
            job, took = post(port, address, chain(1, 0.1 * (i + 1), 0.01), options.patience)
            ended = job["status"] == "succeeded"
            print(f"{name}: a short job {'took' if ended else 'waits after'} {took * 1e3:.1f} ms")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--jobs", type=int, default=199)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--patience", type=float, default=60)
    parser.add_argument("--daemon", default="build/release/mbsd")
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="mbsd-bench-")
    process = subprocess.Popen([options.daemon, "--port=0", f"--data={folder}/data", "--log-level=error", "--grace=0",
                                f"--wait={options.patience:g}", f"--workers={options.workers}"],
                               stdout=subprocess.PIPE)
    try:
        run(int(process.stdout.readline().decode().rsplit(":", 1)[1]), options)
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
