"""The program mbs with a study whose runs are distributed over processes: equal bits for every number of processes,
even if some die, and no process is left behind."""

import contextlib
import json
import os
import pathlib
import pty
import re
import resource
import signal
import subprocess
import tempfile
import time
import unittest

from support import children_of, is_alive, until
from test_blocks import some_study
from test_cli import MBS, MODELS, mbs
from test_studies import PENDULUM, long_study, study


def four_bar(runs):
    model = json.loads((MODELS / "FourBar.json").read_text())
    del model["analysis"]
    return {"model": model, "analysis": {"type": "dynamics", "t_end": 2, "dt": 0.1},
            "study": {"vary": [{"parameter": "a", "uniform": [0.25, 0.35]}, {"parameter": "b", "uniform": [0.75, 0.85]}],
                      "design": "random", "runs": runs, "outputs": [{"name": "end", "of": "crank angle"}]}}


def with_notes(runs):
    """Returns linearizations about a motion, each with a note."""
    return {"model": PENDULUM, "analysis": {"type": "linearization", "about": "state"},
            "study": {"vary": [{"parameter": "a", "uniform": [0.1, 3]}], "design": "random", "runs": runs,
                      "outputs": [{"name": "f", "of": "frequencies[1]"}]}}


def ends_at(times):
    """Returns runs that end at these times."""
    request = study([{"parameter": "end", "values": times}], design="list", analysis={"t_end": "end", "dt": "end"})
    return {**request, "model": {**request["model"], "parameters": {**PENDULUM["parameters"], "end": 1}}}


GRADIENT = study([{"parameter": "a", "uniform": [0.1, 2]}, {"parameter": "m", "uniform": [-0.3, 2]}],
                 [{"name": "phi", "of": "bob.phi"}, {"name": "far", "of": "abs(bob.phi)", "take": "max"}],
                 design="sobol", runs=20, gradient=True, seed=3)


def helpers_of(process):
    """Returns the running helpers; a sanitizer has its own child processes."""
    found = []
    for child in children_of(process.pid):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            if pathlib.Path(f"/proc/{child}/comm").read_text() == "mbs-helper\n":
                found.append(child)
    return found


def is_running(pid):
    """Returns True if a process is computing rather than waiting."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "R"
    except (FileNotFoundError, ProcessLookupError):
        return False


def kill(pid):
    """Kills a process. Returns False if it has ended since it was listed."""
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


class Jobs(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def write(self, document):
        path = self.folder / "study.json"
        path.write_text(json.dumps(document))
        return path

    def begin(self, document, *options, **more):
        process = subprocess.Popen([MBS, "study", self.write(document), *map(str, options)], stdout=subprocess.PIPE,
                                   **{"stderr": subprocess.PIPE, "text": True, **more})
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def came_to(self, name, process):
        """Returns everything that must not depend on the distribution of runs: the output except times, and all
        files."""
        printed = re.sub(r" in \S+ s \(\S+ per second\)", "", process[0]).split("\nResults: ")[0]
        return printed, process[1], {path.name: path.read_bytes() for path in (self.folder / name).glob("[!.]*")}

    def run_all(self, document, jobs, *options):
        done = mbs("study", self.write(document), "--out", self.folder / str(jobs), "--jobs", jobs, *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.came_to(str(jobs), (done.stdout, done.stderr))

    def expected(self, document, *options):
        return self.run_all(document, 1, *options)

    def check_same(self, document, arrays, *options):
        alone = self.expected(document, *options)
        self.assertEqual(len(alone[2]), arrays)
        for jobs in (2, 5):
            self.assertEqual(self.run_all(document, jobs, *options), alone)
        return alone

    def test_failing_runs(self):
        alone = self.check_same(some_study(4000, 2), 3)
        self.assertRegex(alone[0], r"\n\d+ failed, first in run \d+: out_of_range: ")

    def test_batched_runs(self):
        self.check_same(four_bar(2000), 1, "--npz")

    def test_gradients(self):
        alone = self.check_same(GRADIENT, 4, "--json")
        self.assertIn(" failed, first in run ", alone[0])

    def test_notes(self):
        alone = self.check_same(with_notes(15000), 3)
        self.assertRegex(alone[0], r"\nNote: in 15000 of 15000 runs, first in run 0: ")

    def test_few_runs(self):
        for runs in (1, 9):
            self.check_same(four_bar(runs), 3)

    def test_all_fail(self):
        path = self.write(study([{"parameter": "a", "uniform": [1, 2]}, {"parameter": "m", "uniform": [-2, -1]}],
                                design="random", runs=20000))
        alone, many = (mbs("study", path, "--jobs", jobs) for jobs in (1, 3))
        self.assertEqual((many.returncode, many.stderr), (alone.returncode, alone.stderr))
        self.assertEqual(alone.returncode, 3)

    def test_options(self):
        path = self.write(four_bar(1))
        for wrong in ("0", "-1", "", "two", "2x", "1e3", "5000", "99999999999999999999"):
            done = mbs("study", path, "--jobs", wrong)
            self.assertEqual(done.returncode, 1, wrong)
            self.assertIn("--jobs must be an integer", done.stderr)
        self.assertIn("--jobs N", mbs("study", "--help").stdout)

    def await_helpers(self, process, count):
        """Returns the helpers of a process that computes until it has `count` of them."""
        def found():
            self.assertIsNone(process.poll(), "the study ended before all helpers began")
            helpers = helpers_of(process)
            return len(helpers) >= count and helpers

        return until(found)

    def test_as_many_as_there_are_processors(self):
        process = self.begin(long_study())
        count = len(os.sched_getaffinity(0))
        if count == 1:
            self.assertIsNone(process.poll())
            return
        self.assertEqual(len(self.await_helpers(process, count)), count)

    def test_helpers_die(self):
        document = some_study(8000)
        expected = self.expected(document)
        process = self.begin(document, "--out", self.folder / "3", "--jobs", 3)
        killed = set()
        while len(killed) < 5 and process.poll() is None:
            killed.update(filter(kill, set(helpers_of(process)) - killed))
            time.sleep(0.05)
        self.assertEqual(self.came_to("3", process.communicate(timeout=600)), expected)
        self.assertEqual(process.returncode, 0)
        self.assertGreaterEqual(len(killed), 5)

    def test_a_run_that_kills_its_helper(self):
        """The run that kills its helper is identified, independent of the other runs in its block, and counts as a
        failed run."""
        times = [5] * 4000
        times[3900] = 200000
        process = self.begin(ends_at(times), "--out", self.folder / "2", "--jobs", 2)
        last, since, killed = None, 0, 0
        while process.poll() is None:
            running = [child for child in helpers_of(process) if is_running(child)]
            if last not in running:
                last, since = running[0] if running else None, time.monotonic()
            elif time.monotonic() - since > 0.5:
                killed += kill(last)
            time.sleep(0.02)
        self.assertEqual(process.returncode, 0, process.communicate())
        status = [row.split(",")[-1] for row in (self.folder / "2" / "status.csv").read_text().split()[1:]]
        self.assertEqual([k for k, number in enumerate(status) if number != "0"], [3900])
        self.assertIn("\n1 failed, first in run 3900: worker_crashed: ", process.communicate()[0])
        self.assertGreaterEqual(killed, 2)

    def test_without_processes(self):
        """If no helper process can be started, the program computes the runs itself, from the start or from that point
        on."""
        document = some_study(30000, 2)
        expected = self.expected(document)
        process = self.begin(document, "--out", self.folder / "a", "--jobs", 2,
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (5, 5)))
        found = until(lambda: process.poll() is not None or helpers_of(process))
        self.assertIs(found, True)
        self.assertEqual(self.came_to("a", process.communicate(timeout=600)), expected)
        process = self.begin(document, "--out", self.folder / "b", "--jobs", 2)
        helpers = self.await_helpers(process, 2)
        resource.prlimit(process.pid, resource.RLIMIT_NOFILE, (5, 5))
        for child in helpers:
            kill(child)
        until(lambda: process.poll() is not None or not any(map(is_alive, helpers)))
        self.assertEqual(self.came_to("b", process.communicate(timeout=600)), expected)

    def test_nothing_is_left(self):
        """No helper remains after any signal at any time: also in the first run of the program, while others
        continue."""
        for document in (long_study(), ends_at([200000] * 50)):
            for sign in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
                process = self.begin(document, "--jobs", 3)
                helpers = self.await_helpers(process, 3)
                process.send_signal(sign)
                self.assertEqual(process.wait(), -sign)
                until(lambda: not any(map(is_alive, helpers)))

    def test_progress(self):
        """The progress advances while helpers compute the runs, and never decreases."""
        try:
            ours, theirs = pty.openpty()
        except OSError as error:
            self.skipTest(f"this machine has no pseudo-terminals: {error}")
        process = self.begin(long_study(), "--jobs", 2, stderr=theirs)
        os.close(theirs)
        shown, said = [0.0], b""
        while len(shown) < 5:
            said += os.read(ours, 4096)
            found = re.findall(rb"\] (\d+) of 200000 runs, ", said)
            shown = [0] + sorted(set(map(int, found)))
            self.assertEqual(list(map(int, found)), sorted(map(int, found)))
        process.kill()
        os.close(ours)


if __name__ == "__main__":
    unittest.main()
