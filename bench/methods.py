#!/usr/bin/env python3
"""Compares dopri5 and dop853 over the dynamics of all models of a folder: evaluations, processor time, errors.

    bench/methods.py [--mbs build/release/mbs] [--models models] [--tolerances 1e-4 1e-6 1e-8]
    bench/methods.py --picture docs/work-precision.svg      draws errors over evaluations for four models

An error is the largest difference of a coordinate or velocity at a reporting time from a run of dop853 at 1e-12. Models
that switch differently within the tolerance, or that are chaotic, have large errors with both methods. Needs Debian's
python3-numpy, the picture also python3-matplotlib."""
import argparse
import io
import json
import os
import pathlib
import statistics
import subprocess
import tempfile

import numpy

METHODS = ("dopri5", "dop853")
DRAWN = ("FourBar", "SliderCrank3D_free", "PistonEngine", "TP")


def run(program, document, folder):
    """Returns evaluations, processor seconds and results of a run, or None if it fails."""
    path = os.path.join(folder, "model.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(document, file)
    with subprocess.Popen([program, "run", path, "--npz", "--out", folder], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True) as process:
        report = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        return None
    words = report[report.index("Computation:"):].split()
    with numpy.load(os.path.join(folder, "results.npz")) as arrays:
        states = arrays["uT"]
    return int(words[words.index("evaluations,") - 1]), usage.ru_utime + usage.ru_stime, states


def integrated(document, method, tolerance):
    analysis = {**document["analysis"], "integrator": {"method": method, "rtol": tolerance, "atol": tolerance}}
    return {**document, "analysis": analysis}


def compared(program, path, tolerances):
    """Returns evaluations, seconds and errors of both methods, a line for each tolerance: lists of METHODS' length."""
    document = json.loads(path.read_text())
    analysis = document.get("analysis", {})
    if analysis.get("type") != "dynamics" or analysis.get("integrator", {}).get("method") == "bdf":
        return []
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        exact = run(program, integrated(document, "dop853", 1e-12), folder)
        for tolerance in tolerances if exact else ():
            runs = [run(program, integrated(document, method, tolerance), folder) for method in METHODS]
            if all(one and one[2].shape == exact[2].shape for one in runs):
                errors = [float(numpy.abs(states - exact[2]).max()) for _, _, states in runs]
                lines.append((tolerance, [one[0] for one in runs], [one[1] for one in runs], errors))
    return lines


def table(options):
    print("| tolerance | models | evaluations, median ratio | all evaluations | all processor time | error, median ratio |")
    print("| --- | --- | --- | --- | --- | --- |")
    lines = [line for path in sorted(options.models.glob("*.json"))
             for line in compared(options.mbs, path, options.tolerances)]
    for tolerance in options.tolerances:
        mine = [line for line in lines if line[0] == tolerance]
        evaluations, seconds = ([sum(line[k][method] for line in mine) for method in (0, 1)] for k in (1, 2))
        work = statistics.median(line[1][1] / line[1][0] for line in mine)
        gain = statistics.median(line[3][0] / line[3][1] for line in mine if min(line[3]) > 0)
        print(f"| {tolerance:.0e} | {len(mine)} | {work:.2f} | {evaluations[1] / evaluations[0]:.2f} "
              f"| {seconds[1] / seconds[0]:.2f} | {1 / gain:.2g} |")


def draw(options):
    import matplotlib
    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "methods", "svg.fonttype": "none", "font.size": 9})
    from matplotlib import pyplot
    figure, all_axes = pyplot.subplots(1, len(DRAWN), figsize=(12, 3.4), sharey=True)
    for axes, name in zip(all_axes, DRAWN):
        lines = compared(options.mbs, options.models / f"{name}.json", [10.0 ** -k for k in range(3, 12)])
        for method, marker in zip((0, 1), "os"):
            axes.loglog([line[1][method] for line in lines], [line[3][method] for line in lines], label=METHODS[method],
                        marker=marker, markersize=4, linewidth=1.2)
        axes.set_title(name, fontsize=10)
        axes.set_xlabel("evaluations")
        axes.grid(True, which="major", linewidth=0.4)
    all_axes[0].set_ylabel("largest error")
    all_axes[0].legend()
    figure.tight_layout()
    drawn = io.StringIO()
    figure.savefig(drawn, format="svg", metadata={"Date": None})
    with open(options.picture, "w", encoding="utf-8") as file:
        file.writelines(line.rstrip() + "\n" for line in drawn.getvalue().splitlines())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mbs", default="build/release/mbs")
    parser.add_argument("--models", type=pathlib.Path, default=pathlib.Path("models"))
    parser.add_argument("--tolerances", type=float, nargs="+", default=[1e-4, 1e-6, 1e-8])
    parser.add_argument("--picture")
    options = parser.parse_args()
    if options.picture:
        draw(options)
    else:
        table(options)


if __name__ == "__main__":
    main()
