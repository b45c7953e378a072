#!/usr/bin/env python3
"""Scaling of several daemons on one PostgreSQL database.

    MBSD_TEST_FSYNC=on tests/private_postgres python3 bench/scale.py efficiency [--servers 4] [--workers 4]
    MBSD_TEST_FSYNC=on tests/private_postgres python3 bench/scale.py long [--runs 10000000] [--share 0.5]
    MBSD_TEST_FSYNC=on tests/private_postgres python3 bench/scale.py claims [--jobs 1000000]

efficiency: blocks of a study per second, by one daemon on files, one on the database, and several. Of the workers'
time, it prints the share of sleep (efficiency), the additional time per block (overhead), and the time between the end
of a block and the start of the worker's next one (gap); also the processor time per block of all daemons and of the
database.
long: starts a study of many blocks, observes and cancels it (--share 1: observes it to its end), and prints the memory
of daemons and database meanwhile.
claims: jobs added, claimed and ended in the database per second, with many finished jobs present: with the table
`queue`, and with partial indexes of the table `jobs` instead.

Runs sleep (bench/sleeping_runs.c), so that there can be more workers than cores, and everything except the computing is
measured."""

import argparse
import collections
import contextlib
import datetime
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "server"))
import support  # noqa: E402
from support import Daemon, chain, children_of, database_of, until  # noqa: E402

support.MBSD = os.path.join(os.environ.get("MBS_BUILD", "build/release"), "bench", "mbsd_sleeping")


def study(runs, seconds):
    """Returns a study whose runs sleep for about `seconds` each."""
    model = {**chain(links=1), "parameters": {"nap": 1}}
    analysis = model.pop("analysis")
    model["bodies"][0]["mass"] = "nap"
    return {"model": model, "analysis": analysis,
            "study": {"vary": [{"parameter": "nap", "uniform": [0.9 * seconds, 1.1 * seconds]}],
                      "design": "random", "runs": runs,
                      "outputs": [{"name": "number", "of": "link1.b.y"}]}}


# ---- processes -----------------------------------------------------------------------------------------------------


def tree(pid):
    return [pid] + [other for child in children_of(pid) for other in tree(child)]


def postgres():
    with open(os.path.join(os.environ["MBSD_TEST_POSTGRES_FOLDER"], "data", "postmaster.pid"), encoding="ascii") as file:
        return tree(int(file.readline()))


def processor_seconds(pids):
    total = 0
    for pid in pids:
        with contextlib.suppress(OSError), open(f"/proc/{pid}/stat", encoding="ascii") as file:
            fields = file.read().rsplit(")", 1)[1].split()
            total += sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")
    return total


def megabytes(pids):
    """Returns the proportional memory (PSS) of processes in MiB: private memory, and their share of common memory."""
    total = 0
    for pid in pids:
        with contextlib.suppress(OSError), open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as file:
            total += next(int(line.split()[1]) for line in file if line.startswith("Pss:"))
    return total / 1024


@contextlib.contextmanager
def daemons(count, workers, *options, shared=True):
    with contextlib.ExitStack() as stack:
        top = stack.enter_context(tempfile.TemporaryDirectory())
        address = [f"--store={database_of(top)}"] if shared else []
        started = []
        for number in range(count):
            folder = os.path.join(top, str(number))
            os.mkdir(folder)
            started.append(stack.enter_context(Daemon(folder, *address, f"--workers={workers}", *options)))
        until(lambda: all(daemon.metrics()["mbsd_workers"] == workers for daemon in started))
        yield started


def psql(url, command):
    return subprocess.run(["psql", "--quiet", "--no-psqlrc", "--tuples-only", "--no-align", "--dbname", url, "--command",
                           command], check=True, capture_output=True, text=True).stdout.strip()


# ---- efficiency ----------------------------------------------------------------------------------------------------


def moment(event):
    return datetime.datetime.fromisoformat(event["time"].replace("Z", "+00:00")).timestamp()


def gaps(daemon):
    """Returns the times between a worker's blocks [s]."""
    ended, found = {}, []
    with open(daemon.log_path, encoding="ascii") as file:
        for event in (json.loads(line) for line in file if '"event":"block_' in line):
            if event["event"] == "block_finished":
                ended[event["worker"]] = moment(event)
            elif event["event"] == "block_started" and event["worker"] in ended:
                found.append(moment(event) - ended.pop(event["worker"]))
    return found


def measure(name, count, workers, seconds, nap, shared):
    runs = int(count * workers * seconds / nap)
    with daemons(count, workers, f"--study-runs={runs}", shared=shared) as started:
        pids = [pid for daemon in started for pid in tree(daemon.process.pid)]
        used, used_there = processor_seconds(pids), processor_seconds(postgres())
        begin = time.monotonic()
        job = started[0].submit(study(runs, nap))["id"]
        until(lambda: started[0].job(job)["finished"], 20 * seconds, 0.01)
        took = time.monotonic() - begin
        used, used_there = processor_seconds(pids) - used, processor_seconds(postgres()) - used_there
        blocks = [block for daemon in started for block in daemon.events("block_finished")]
        slept = sum(block["seconds"] for block in blocks)
        between = [gap for daemon in started for gap in gaps(daemon)]
        done = started[0].job(job)
        again = sum(block["runs"] for block in blocks) - runs
        assert done["status"] == "succeeded", done["error"]
        print(f"{name:28}{runs / took:9.1f}{len(blocks):8}{slept / len(blocks):8.3f}"
              f"{100 * runs * nap / (took * count * workers):8.1f} %"
              f"{1e3 * (took * count * workers - slept) / len(blocks):9.2f}{1e3 * statistics.median(between):7.2f}"
              f"{1e3 * used / len(blocks):9.2f}{1e3 * used_there / len(blocks):9.2f}"
              f"{f'   {again} runs made twice' if again else ''}", flush=True)
        return runs / took


def efficiency(options):
    print(f"load {os.getloadavg()[0]:.2f}; runs of {options.nap} s, {options.workers} workers a daemon; times in ms")
    print(f"{'':28}{'runs/s':>9}{'blocks':>8}{'s each':>8}{'efficiency':>10}{'overhead':>9}{'gap':>7}"
          f"{'daemons':>9}{'database':>9}")
    rates = collections.defaultdict(list)
    for _ in range(options.repeat):
        for name, count, shared in (("files, one daemon", 1, False), ("database, one daemon", 1, True),
                                    (f"database, {options.servers} daemons", options.servers, True)):
            rates[name].append(measure(name, count, options.workers, options.seconds, options.nap, shared))
    one, many = (statistics.median(rates[name]) for name in list(rates)[1:])
    print(f"{options.servers} daemons against one: {100 * many / (options.servers * one):.1f} %")


# ---- a long study --------------------------------------------------------------------------------------------------


def watch(started, job, end):
    """Prints a line about every second until this fraction is done."""
    fraction, begin, last = 0, time.monotonic(), 0
    seen = []
    while fraction < end:
        state = started[-1].job(job)
        fraction = 1 if state["finished"] else state["progress"]["fraction"]
        seen.append([fraction, *(megabytes([daemon.process.pid]) for daemon in started), megabytes(postgres())])
        if time.monotonic() - last >= 10:
            last = time.monotonic()
            print(f"{last - begin:6.0f} s {100 * fraction:6.1f} %   daemons "
                  f"{' '.join(f'{size:5.1f}' for size in seen[-1][1:-1])} MB, database {seen[-1][-1]:5.1f} MB", flush=True)
        time.sleep(0.5)
    third = len(seen) // 3
    for name, column in [*((f"daemon {i}", i + 1) for i in range(len(started))), ("database", -1)]:
        first, rest = ([row[column] for row in part] for part in (seen[third:2 * third], seen[2 * third:]))
        print(f"{name}: {statistics.median(first):.1f} MB in the middle third, {statistics.median(rest):.1f} MB in the "
              f"last, at most {max(first + rest):.1f} MB")
    return time.monotonic() - begin


def long(options):
    print(f"load {os.getloadavg()[0]:.2f}")
    with daemons(options.servers, options.workers, f"--study-runs={options.runs}", "--job-seconds=100000") as started:
        job = started[0].submit(study(options.runs, 0.2 * options.blocks / options.runs))["id"]
        took = watch(started, job, options.share)
        blocks = sum(len(daemon.events("block_finished")) for daemon in started)
        begin = time.monotonic()
        if options.share < 1:
            started[1 % options.servers].request("POST", f"/jobs/{job}/cancel")
        until(lambda: started[0].metrics()["mbsd_workers_busy"] == 0)
        stopped = time.monotonic() - begin
        done = started[0].await_job(job, seconds=600)
        ended = time.monotonic() - begin
        print(f"{blocks} blocks in {took:.0f} s; {'cancelled: ' if options.share < 1 else ''}workers idle after {stopped:.1f} s, ended after {ended:.1f} s "
              f"as {done['status']}, {done['report']['study']['done']} of {options.runs} runs made; "
              f"its coordinator had {max(megabytes([daemon.process.pid]) for daemon in started):.1f} MB then")
        status = started[-1].get(f"/jobs/{job}/results/status?format=npy").body
        print(f"status of {len(status) / 8e6:.1f} million runs read on another daemon")


# ---- claims of jobs ------------------------------------------------------------------------------------------------

# The alternative without a queue table: the state of waiting and running jobs is in their row, found by partial
# indexes.
ALTERNATIVE = """
CREATE SCHEMA alone; SET search_path = alone, mbsd;
CREATE TABLE jobs (LIKE mbsd.jobs INCLUDING DEFAULTS INCLUDING IDENTITY INCLUDING STORAGE, running boolean NOT NULL DEFAULT false,
  lease_until float8 NOT NULL DEFAULT 0, waits boolean NOT NULL DEFAULT true, PRIMARY KEY (seq), UNIQUE (id))
  WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
INSERT INTO jobs OVERRIDING SYSTEM VALUE SELECT *, false, 0, false FROM mbsd.jobs;
SELECT setval(pg_get_serial_sequence('alone.jobs', 'seq'), (SELECT max(seq) FROM jobs));
CREATE INDEX jobs_by_status ON jobs (status, seq) WHERE status IS NOT NULL;
CREATE INDEX jobs_by_content ON jobs (content_hash, seq) WHERE status = 'succeeded' AND content_hash IS NOT NULL;
CREATE INDEX jobs_by_model ON jobs (model_name, seq) WHERE model_name IS NOT NULL;
CREATE INDEX jobs_by_created ON jobs (created);
CREATE INDEX jobs_by_end ON jobs (finished) WHERE finished > 0 AND NOT keep;
CREATE INDEX queue_waiting ON jobs (client, seq) WHERE waits AND NOT running;
CREATE INDEX queue_running ON jobs (client) WHERE waits AND running;
CREATE INDEX queue_leases ON jobs (lease_until) WHERE waits AND running;
"""

KEPT = """INSERT INTO jobs (id, status, attempt, shown, created, started, finished, model_name, client, content_hash,
  analysis, report, report_checksum, bytes) SELECT 'kept-' || i, 'succeeded', 1, 1, 1e9 + i, 1e9 + i, 1e9 + i + 1,
  'model ' || i % 100, 'client ' || i % 20, md5(i::text), '{{"type":"dynamics"}}', repeat('{{"evaluations":1000}}', 60), 0,
  3000 FROM generate_series(1, {jobs}) AS i"""

# Adds a job, claims the oldest unclaimed job of some client, renews its lease, and ends it.
SETTINGS = "SET search_path = {schema}; SET enable_seqscan = off; SET jit = off;"
BY_QUEUE = """
\\set client random(1, 20)
\\set other random(1, 20)
BEGIN;
WITH job AS (INSERT INTO mbsd.jobs (id, created, model_name, client) VALUES (gen_random_uuid(), mbsd.clock(), 'model',
 'client ' || :client) RETURNING seq, id, client) INSERT INTO mbsd.queue (id, seq, client, short, kind, span, runs, bytes)
 SELECT id, seq, client, true, 0, 0, 0, 0 FROM job;
COMMIT;
BEGIN;
WITH picked AS (SELECT id FROM mbsd.queue WHERE NOT running AND client = 'client ' || :other ORDER BY seq LIMIT 1
 FOR UPDATE SKIP LOCKED) UPDATE mbsd.queue SET running = true, attempt = attempt + 1, started = mbsd.clock(),
 lease_until = mbsd.clock() + 60 FROM picked WHERE queue.id = picked.id RETURNING queue.id AS claimed \\gset
COMMIT;
BEGIN;
UPDATE mbsd.queue SET lease_until = mbsd.clock() + 60 WHERE id = :claimed AND running;
COMMIT;
BEGIN;
WITH gone AS (DELETE FROM mbsd.queue WHERE id = :claimed RETURNING *) UPDATE mbsd.jobs SET status = 'succeeded',
 attempt = gone.attempt, started = gone.started, finished = mbsd.clock(), report = repeat('report ', 150) FROM gone
 WHERE jobs.seq = gone.seq;
COMMIT;
"""
BY_INDEXES = """
\\set client random(1, 20)
\\set other random(1, 20)
BEGIN;
INSERT INTO alone.jobs (id, created, model_name, client) VALUES (gen_random_uuid(), mbsd.clock(), 'model',
 'client ' || :client);
COMMIT;
BEGIN;
WITH picked AS (SELECT seq FROM alone.jobs WHERE waits AND NOT running AND client = 'client ' || :other ORDER BY seq
 LIMIT 1 FOR UPDATE SKIP LOCKED) UPDATE alone.jobs SET running = true, attempt = attempt + 1, started = mbsd.clock(),
 lease_until = mbsd.clock() + 60 FROM picked WHERE jobs.seq = picked.seq RETURNING jobs.seq AS claimed \\gset
COMMIT;
BEGIN;
UPDATE alone.jobs SET lease_until = mbsd.clock() + 60 WHERE seq = :claimed AND waits AND running;
COMMIT;
BEGIN;
UPDATE alone.jobs SET status = 'succeeded', waits = false, running = false, finished = mbsd.clock(),
 report = repeat('report ', 150) WHERE seq = :claimed;
COMMIT;
"""


def pgbench(url, script, seconds, clients):
    programs = sorted(os.scandir("/usr/lib/postgresql"), key=lambda entry: int(entry.name))[-1].path
    with tempfile.NamedTemporaryFile("w", suffix=".sql") as file:
        file.write(script)
        file.flush()
        printed = subprocess.run([f"{programs}/bin/pgbench", "--no-vacuum", f"--time={round(seconds)}", f"--client={clients}",
                                  "--protocol=prepared", f"--file={file.name}", url], check=True, capture_output=True,
                                 text=True, env={**os.environ, "PGOPTIONS": "-c enable_seqscan=off -c jit=off"}).stdout
    return float(next(line for line in printed.splitlines() if line.startswith("tps")).split()[2])


def fill_queue(url, waiting):
    """Adds jobs so that claims always find one."""
    psql(url, "SET search_path = mbsd; WITH job AS (INSERT INTO jobs (id, created, model_name, client) SELECT 'wait-' || i,"
              f" 2e9, 'model', 'client ' || 1 + i % 20 FROM generate_series(1, {waiting}) AS i RETURNING seq, id, client)"
              " INSERT INTO queue (id, seq, client, short, kind, span, runs, bytes) SELECT id, seq, client, true, 0, 0, 0,"
              " 0 FROM job")
    psql(url, "SET search_path = alone, mbsd; INSERT INTO jobs (id, created, model_name, client) SELECT 'wait-' || i, 2e9,"
              f" 'model', 'client ' || 1 + i % 20 FROM generate_series(1, {waiting}) AS i")


def claims(options):
    with tempfile.TemporaryDirectory() as folder:
        url = database_of(folder)
        with Daemon(folder, f"--store={url}"):
            pass  # creates the tables
        for jobs in (0, options.jobs):
            if jobs:
                psql(url, "SET search_path = mbsd; " + KEPT.format(jobs=jobs))
            psql(url, "DROP SCHEMA IF EXISTS alone CASCADE; DELETE FROM mbsd.jobs WHERE id NOT LIKE 'kept-%';" + ALTERNATIVE)
            fill_queue(url, 2000)
            psql(url, "VACUUM ANALYZE")
            psql(url, "CHECKPOINT")
            for turn in range(options.repeat):
                # alternating, so that disturbances affect both
                scripts = (BY_QUEUE, BY_INDEXES)[::1 if turn % 2 == 0 else -1]
                rates = [pgbench(url, script, options.seconds, options.clients) for script in scripts]
                rates = rates[::1 if turn % 2 == 0 else -1]
                sizes = psql(url, "SELECT pg_size_pretty(pg_total_relation_size('mbsd.queue')),"
                                  " pg_size_pretty(pg_relation_size('alone.queue_waiting'))")
                print(f"{jobs:8} kept jobs, load {os.getloadavg()[0]:.1f}: {rates[0]:7.1f} jobs/s by the queue,"
                      f" {rates[1]:7.1f} by partial indexes (sizes {sizes})", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["efficiency", "long", "claims"])
    parser.add_argument("--servers", type=int, default=4)
    parser.add_argument("--workers", type=int, default=4, help="of each daemon")
    parser.add_argument("--seconds", type=float, default=20, help="about how long a measurement takes")
    parser.add_argument("--nap", type=float, default=0.025, help="how long a run sleeps [s]")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--runs", type=int, default=10_000_000, help="of the long study")
    parser.add_argument("--blocks", type=int, default=10_000, help="about as many the long study would have")
    parser.add_argument("--share", type=float, default=0.5, help="of the long study that is done before it is cancelled")
    parser.add_argument("--jobs", type=int, default=1_000_000, help="that are kept while others are claimed")
    parser.add_argument("--clients", type=int, default=8, help="that claim at once")
    options = parser.parse_args()
    {"efficiency": efficiency, "long": long, "claims": claims}[options.what](options)


if __name__ == "__main__":
    main()
