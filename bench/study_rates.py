#!/usr/bin/env python3
"""Runs per second of studies: by mbs study, as a job of the service, and as one job per run with eight connections.

    python3 bench/study_rates.py [--mbs build/release/mbs] [--daemon build/release/mbsd] [--runs 2000] [--seconds 5]

The kinds represent typical studies: dynamics with final values and with extremes, kinematics with many runs that lock
up, equilibria, linearizations. The ratio compares the service's study with one job per run.

The share is the processor time of the bare loop (bench/study_loop.c) divided by that of the daemon with its workers,
which depends less on other load on the machine.
"""

import argparse
import concurrent.futures
import http.client
import json
import os
import re
import subprocess
import tempfile
import time

FOUR_BAR = json.load(open("models/FourBar.json"))
FINAL = [{"name": "end", "of": "crank angle"}]
DYNAMICS = {"type": "dynamics", "t_end": 2, "dt": 0.01, "integrator": {"rtol": 1e-8, "atol": 1e-10}}
DRIVEN = {**{key: value for key, value in FOUR_BAR.items() if key != "analysis"},
          "drivers": [{"name": "motor", "type": "joint", "joint": "O", "function": "1 + 6.28*t"}]}
KINDS = {
    "dynamics, final": (FOUR_BAR, DYNAMICS, FINAL, (0.25, 0.35)),
    "dynamics, extremes": (FOUR_BAR, DYNAMICS, [{"name": "most", "of": "crank angle", "take": "max"},
                                                {"name": "rms", "of": "rocker angle", "take": "rms"}], (0.25, 0.35)),
    "kinematics, some lock": (DRIVEN, {"type": "kinematics", "t_end": 1, "dt": 0.01}, FINAL, (0.25, 0.8)),
    "equilibrium": (FOUR_BAR, {"type": "equilibrium"}, FINAL, (0.25, 0.35)),
    "linearization": (FOUR_BAR, {"type": "linearization"}, [{"name": "f", "of": "frequencies[1]"}], (0.25, 0.35)),
}


def request_of(kind, runs):
    model, analysis, outputs, (low, high) = KINDS[kind]
    model = {key: value for key, value in model.items() if key != "analysis"}
    return {"model": model, "analysis": analysis,
            "study": {"vary": [{"parameter": "a", "uniform": [low, high]}], "design": "random", "runs": runs,
                      "outputs": outputs}}


def processor_seconds(pid):
    """Returns the processor time of a process and all its descendants, including those that have ended and were waited
    for."""
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    own = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    children = [int(child) for task in os.listdir(f"/proc/{pid}/task")
                for child in open(f"/proc/{pid}/task/{task}/children").read().split()]
    return own + sum(map(processor_seconds, children))


def by_loop(program, kind, runs):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(request_of(kind, runs), file)
        file.flush()
        return float(subprocess.run([program, file.name], capture_output=True, text=True).stdout.split()[1])


def by_program(mbs, kind, runs):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(request_of(kind, runs), file)
        file.flush()
        printed = subprocess.run([mbs, "study", file.name], capture_output=True, text=True).stdout
    found = re.search(r"Study: .*\(([^ ]+) per second\), (\d+) failed", printed)
    return float(found.group(1)), int(found.group(2))


def post(connection, body):
    connection.request("POST", "/api/v1/jobs", json.dumps(body),
                       {"Content-Type": "application/json", "Prefer": "wait=60"})
    answer = connection.getresponse()
    text = answer.read()
    if answer.status != 200:
        raise SystemExit(text.decode())
    return json.loads(text)


def by_service(daemon, port, kind, runs):
    """Returns runs per second, and processor seconds per run."""
    start, used = time.monotonic(), processor_seconds(daemon)
    post(http.client.HTTPConnection("127.0.0.1", port), request_of(kind, runs))
    return runs / (time.monotonic() - start), (processor_seconds(daemon) - used) / runs


def by_jobs(port, kind, seconds):
    """Submits one job per run, from eight connections."""
    request = request_of(kind, 1)
    low, high = KINDS[kind][3]
    end = time.monotonic() + seconds

    def work(number):
        connection, done = http.client.HTTPConnection("127.0.0.1", port), 0
        while time.monotonic() < end:
            value = low + (high - low) * ((number * 0.618 + done * 0.7548776662) % 1)
            model = {**request["model"], "parameters": {**request["model"]["parameters"], "a": value}}
            post(connection, {"model": model, "analysis": request["analysis"]})
            done += 1
        return done

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        return sum(pool.map(work, range(8))) / seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mbs", default="build/release/mbs")
    parser.add_argument("--daemon", default="build/release/mbsd")
    parser.add_argument("--loop", default="build/release/bench/study_loop")
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--seconds", type=float, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        daemon = subprocess.Popen([options.daemon, "--port", "0", "--data", os.path.join(folder, "data")],
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            port = int(re.search(r":(\d+)", daemon.stdout.readline()).group(1))
            print(f"{'':24}{'mbs':>10}{'service':>10}{'jobs':>10}{'ratio':>8}{'share':>8}   runs a second")
            for kind in KINDS:
                program, failed = by_program(options.mbs, kind, options.runs)
                loop = by_loop(options.loop, kind, options.runs)
                service, used = by_service(daemon.pid, port, kind, options.runs)
                jobs = by_jobs(port, kind, options.seconds)
                print(f"{kind:24}{program:10.0f}{service:10.0f}{jobs:10.0f}{service / jobs:8.1f}{loop / used:8.2f}"
                      f"   {failed} failed", flush=True)
        finally:
            daemon.terminate()
            daemon.wait()


if __name__ == "__main__":
    main()
