#!/usr/bin/env python3
"""Clients that request a large result and do not read it, while others poll the service.

usage: tests/soak/hanging_readers.py [--clients 1000] [--rows 180000] [--seconds 20] [--mbsd build/release/mbsd]

Prints the time of a poll of the service and of a job while clients hang, and the daemon's memory. Then some of them
continue to read, and must receive the same as a fast reader. Exit code 1 if a poll takes longer than --bound
milliseconds (99th percentile), or the memory exceeds --memory megabytes.
"""

import argparse
import os
import sys
import tempfile
import threading

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "server"))
import support  # noqa: E402

from hanging import Hanging, memory_of, percentile  # noqa: E402


def show(when, looks):
    for path, times in looks.items():
        print(f"{when}{path}: {len(times)} looks, p50 {percentile(times, 50):.1f} ms, "
              f"p99 {percentile(times, 99):.1f} ms, longest {max(times):.1f} ms")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clients", type=int, default=1000)
    parser.add_argument("--rows", type=int, default=180000, help="of the result; 576 bytes each")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--bound", type=float, default=50)
    parser.add_argument("--memory", type=float, default=300)
    parser.add_argument("--mbsd", default=support.MBSD)
    arguments = parser.parse_args()
    support.MBSD = arguments.mbsd
    with tempfile.TemporaryDirectory(prefix="mbsd-soak-") as folder, \
            support.Daemon(folder, "--log-level=info") as daemon:
        job = daemon.submit(support.chain(links=2, t_end=arguments.rows * 1e-3, dt=1e-3), wait=60)
        job = daemon.await_job(job["id"], seconds=600)
        print(f"job: {job['status']}; memory {memory_of(daemon):.0f} MB")
        with Hanging(daemon, job["id"]) as hanging:
            print(f"quick readers: {hanging.sizes}")
            show("before, ", hanging.look(arguments.seconds / 2))
            asking = threading.Thread(target=hanging.ask, args=(arguments.clients,))
            asking.start()
            looks = hanging.look(arguments.seconds)
            asking.join()
            most = memory_of(daemon)
            show("", looks)
            print(f"memory with {arguments.clients} hanging: {most:.0f} MB (peak {memory_of(daemon, 'VmHWM'):.0f} MB)")
            print(f"read on: {hanging.read_on(6)} answers whole and equal")
        worst = max(percentile(times, 99) for times in looks.values())
    return 0 if worst <= arguments.bound and most <= arguments.memory else 1


if __name__ == "__main__":
    sys.exit(main())
