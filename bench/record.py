#!/usr/bin/env python3
"""Runs the benchmarks of one thread, adds their figures to bench/history.csv, a line a figure and commit, and writes the
newest of them as docs/performance.md. Run from the top folder of the source, on a machine with nothing else to do.

usage: bench/record.py [BUILD]      the folder of the programs, build/release if it is not given
       bench/record.py --page       writes the page alone, from what is recorded
"""
import csv
import datetime
import pathlib
import subprocess
import sys

HISTORY = pathlib.Path("bench/history.csv")
PAGE = pathlib.Path("docs/performance.md")
FIELDS = ["commit", "date", "processor", "program", "figure", "value", "unit", "spread", "by_hand", "ratio", "ratio_spread"]

# Table of each program: width of a name, unit, and the columns after it that contain the value, its spread, the
# hand-written side, the ratio to that and its spread.
PROGRAMS = {
    "evaluate": (20, "ns", [2, 3, 5, 6, 7]),
    "rows": (32, "ns", [1, None, 0, 2, None]),
    "simulate": (34, "ms", [1, 2, None, None, None]),
    "study": (44, "us", [1, None, 0, 2, None]),
    "gradients": (34, "runs in lanes", [5, 4, 6, 8, 9]),
}

HEAD = """# Performance

Run `bench/record.py` to measure these figures and to write this page. The figures are from {processor}, {date}, commit {commit};
`bench/history.csv` has earlier ones. They are medians along a motion or of rounds, in thread CPU time, of one thread in one run. Times
depend on the machine, ratios hardly do. ± is half the interquartile range. If you change the solver, measure before and after
the change in one run.
"""

PARTS = [
    ("evaluate", "One evaluation", """`bench/evaluate` computes the accelerations at 64 states along a motion in turn. It compares the time with manual code for the
same mechanism (`bench/specialized/`). Both must agree to 1e-9 before they are timed.""",
     ["mechanism", "ns", "±", "manual code, ns", "ratio", "±"]),
    ("rows", "A row of results", """`bench/rows` measures the cost of one more reporting time with all arrays kept, relative to an evaluation of the same model. Until 2026-11-29
rows were made in lanes, in half the time; whole runs gained 0.7 % from it ([decision 29](decisions/29-lanes.md)).""",
     ["model and method", "ns", "", "evaluation, ns", "ratio", ""]),
    ("simulate", "Whole runs", """`bench/simulate` integrates a motion and computes every result. The sweep also builds each model from its text, because the text differs
from run to run.

Compare counts before you compare times. The squeezer takes 197 steps and 1394 evaluations. Commits 33d309c1c5 and 40f80b0c execute the
same number of instructions for it (`valgrind --tool=callgrind`, to 0.02 %) by the same code but for one file, at other addresses. Yet the second
takes 11 % longer, 2 to 21 % in nine pairs of runs in turn. Aligned functions (`-falign-functions=64`) shorten no run. A run that keeps
51 rows of all arrays also has some 30 page faults in new memory. They take a twentieth of its time on a quiet machine, and more on a loaded
virtual machine, where runs 30 to 60 % longer than these were seen. Commit d5ea2b69 executes 3.7 % more instructions
than 33d309c1c5.""", ["simulation, method, tolerance", "ms", "±"]),
    ("study", "Runs of a study", """`bench/study` compares a run in a batch (four or eight lanes, depending on the processor) with a run alone. *final* computes the final value
only, *three* also a maximum and an rms. Gravity differs from run to run.""",
     ["study", "together, us", "", "alone, us", "ratio", ""]),
    ("gradients", "Derivatives", """`bench/gradients` computes the derivatives of a study's outputs. *In lanes* is the cost of the derivatives by one parameter, as a study
computes them, in runs that are made in a batch. *Alone* is that of the derivatives by all parameters, in runs that are made separately; *by
differences* the same for differences of whole runs. The errors of the derivatives are shares of the largest derivative of the output, for changes of
parameters by their sizes; those of the outputs are relative. They come from a comparison with the tolerance 1e-12.

Derivatives of the kinked outputs (`integral` of an `abs`, `rms` of a `max`) were made by differences until 2026-11-30. The
[record of tangents](decisions/28-tangents.md) has what was tried to make one parameter cheaper.""",
     ["study", "in lanes", "alone", "by differences", "error of outputs", "error of derivatives"]),
]


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return "unknown"


def figures(build, program):
    """Returns the lines of a program's table as fields."""
    width, unit, places = PROGRAMS[program]
    printed = subprocess.run([build / "bench" / program], check=True, capture_output=True, text=True).stdout
    for line in printed.splitlines()[1:]:
        columns = line[width:].split()
        value, spread, by_hand, ratio, ratio_spread = (
            columns[place] if place is not None and place < len(columns) else "" for place in places)
        name = " ".join(line[:width].split()) + (f" {float(columns[0]):.0e}" if program == "simulate" else "")
        yield {"program": program, "figure": name, "value": value, "unit": unit, "spread": spread, "by_hand": by_hand,
               "ratio": ratio, "ratio_spread": ratio_spread}


def record(build):
    def git(*arguments):
        return subprocess.run(["git", *arguments], check=True, capture_output=True, text=True).stdout.strip()
    about = {"commit": git("rev-parse", "--short=10", "HEAD") + ("+" if git("status", "--porcelain", "solver") else ""),
             "date": datetime.date.today().isoformat(), "processor": processor()}
    lines = [about | line for program in PROGRAMS for line in figures(build, program)]
    fresh = not HISTORY.exists()
    with HISTORY.open("a", newline="") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        if fresh:
            writer.writeheader()
        writer.writerows(lines)


def write_page():
    """Writes the parts of the page that are measured here. Other parts stay as and where they are."""
    with HISTORY.open(newline="") as file:
        lines = list(csv.DictReader(file))
    newest = [line for line in lines if line["commit"] == lines[-1]["commit"]]
    before = {part.split("\n", 1)[0]: part for part in PAGE.read_text().split("\n## ")[1:]}
    measured = {}
    for program, title, words, columns in PARTS:
        measured[title] = f"{title}\n\n{words}\n\n| {' | '.join(columns)} |\n|{' --- |' * len(columns)}\n"
        for line in newest:
            if line["program"] == program:
                cells = [line[name] for name in ("figure", "value", "spread", "by_hand", "ratio", "ratio_spread")]
                measured[title] += f"| {' | '.join(cells[:len(columns)])} |\n"
    parts = {**before, **measured}  # in the order of the page, new ones at its end
    PAGE.write_text("\n## ".join([HEAD.format(**newest[-1]), *parts.values()]))


if __name__ == "__main__":
    if sys.argv[1:] in (["--help"], ["-h"]):
        print(__doc__.strip())
        sys.exit()
    if sys.argv[1:] != ["--page"]:
        record(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build/release"))
    write_page()
