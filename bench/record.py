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

# Of each program: how many characters a name has, the unit, and where in the columns after it the value, its spread,
# the hand-written side, the ratio to that and its spread are.
PROGRAMS = {
    "evaluate": (20, "ns", [2, 3, 5, 6, 7]),
    "rows": (32, "ns", [1, None, 0, 2, None]),
    "simulate": (34, "ms", [1, 2, None, None, None]),
    "study": (44, "us", [1, None, 0, 2, None]),
    "gradients": (34, "runs", [3, None, 4, 5, None]),
}

HEAD = """# How fast it is

Medians along a motion or of rounds, in thread CPU time, of one thread in one run (`bench/record.py` on {processor}, {date},
commit {commit}; earlier ones are in `bench/history.csv`). Times depend on the machine, ratios hardly. ± is half the distance of
the quartiles. Whoever changes the solver measures both sides in one run before and after.
"""

PARTS = [
    ("evaluate", "One evaluation", """`bench/evaluate`: the accelerations at 64 states along a motion in turn, against the same mechanism's written out by
hand (`bench/specialized/`), which must agree to 1e-9 before it is timed.""",
     ["mechanism", "ns", "±", "by hand, ns", "ratio", "±"]),
    ("rows", "A row of results", """`bench/rows`: what another reporting time costs, all arrays kept, against an evaluation of the same model.""",
     ["model and method", "ns", "", "evaluation, ns", "ratio", ""]),
    ("simulate", "Whole runs", """`bench/simulate`: integrating and computing every result; of the sweep also building each model from its text, which
differs from run to run.""", ["simulation, method, tolerance", "ms", "±"]),
    ("study", "Runs of a study", """`bench/study`: a run that is made together with others (four or eight lanes, as the processor has them) and one that is
made alone, for its final value and for a maximum and an rms, too; gravity differs from run to run.""",
     ["study", "together, us", "", "alone, us", "ratio", ""]),
    ("gradients", "Derivatives", """`bench/gradients`: what the derivatives of a study's three outputs cost, in runs of the study, along tangents and by
differences of whole runs, and how far the two are apart.""",
     ["study", "tangents", "", "whole runs", "apart"]),
]


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return "unknown"


def figures(build, program):
    """The lines of a program's table as fields."""
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
    with HISTORY.open(newline="") as file:
        lines = list(csv.DictReader(file))
    newest = [line for line in lines if line["commit"] == lines[-1]["commit"]]
    text = HEAD.format(**newest[-1])
    for program, title, words, columns in PARTS:
        text += f"\n## {title}\n\n{words}\n\n| {' | '.join(columns)} |\n|{' --- |' * len(columns)}\n"
        for line in newest:
            if line["program"] == program:
                cells = [line[name] for name in ("figure", "value", "spread", "by_hand", "ratio", "ratio_spread")]
                text += f"| {' | '.join(cells[:len(columns)])} |\n"
    PAGE.write_text(text)


if __name__ == "__main__":
    if sys.argv[1:] in (["--help"], ["-h"]):
        print(__doc__.strip())
        sys.exit()
    if sys.argv[1:] != ["--page"]:
        record(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build/release"))
    write_page()
