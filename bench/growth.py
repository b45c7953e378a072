#!/usr/bin/env python3
"""Growth of the time and memory of `mbs run` with the size of a mechanism.

    python3 bench/growth.py [--mbs build/release/mbs] [--case NAME ...] [--times 3] [--out docs/growth.csv]
    python3 bench/growth.py --picture [--out docs/growth.csv]
    python3 bench/growth.py --document net 20

The first form measures the whole process, from the text of the model to the report, with a small output. It records the
median processor time of --times processes, and the largest memory (at least that of Python). It keeps earlier
measurements of cases that are not named. The second form draws the file as NAME.svg next to it; only this requires
Debian's python3-matplotlib. The third form writes a model for other tools.

The output gives the growth of a case between its last two sizes: time like bodies^p.
"""

import argparse
import csv
import io
import json
import math
import os
import subprocess
import sys
import tempfile

TURN = 0.5
COS, SIN = math.cos(TURN), math.sin(TURN)


def model(name, space, points, bodies, joints, forces=(), vectors=None, **analysis):
    gravity = [0, -9.81] if space == "planar" else [0, 0, -9.81]
    return {"name": name, "space": space, "gravity": gravity, "ground": {"points": points, "vectors": vectors or {}},
            "bodies": bodies, "joints": joints, "forces": list(forces),
            "analysis": {"type": "dynamics", "t_end": 0.01, "dt": 0.005, "outputs": ["r"], **analysis}}


def rod(name, centre, angle, half=0.5, **points):
    return {"name": name, "mass": 1, "inertia": half * half / 3,
            "points": {"A": [-half, 0], "B": [half, 0], **points}, "initial": {"position": centre, "angle": angle}}


def pin(name, one, other, kind="revolute"):
    return {"name": name, "type": kind, "points": [one, other]}


# ---- mechanisms ----------------------------------------------------------------------------------------------------


def scissors(n):
    """Returns a lift of n stages on a single slider: each loop touches the next."""
    bodies, joints = [], [pin("foot", "ground.O", "p0.A")]
    for i in range(n):
        centre = [COS, (2 * i + 1) * SIN]
        bodies += [rod(f"p{i}", centre, TURN, 1, M=[0, 0]), rod(f"q{i}", centre, math.pi - TURN, 1, M=[0, 0])]
        joints.append(pin(f"m{i}", f"p{i}.M", f"q{i}.M"))
        if i:
            joints += [pin(f"l{i}", f"q{i - 1}.B", f"p{i}.A"), pin(f"r{i}", f"p{i - 1}.B", f"q{i}.A")]
    joints.append({"name": "slide", "type": "revolute-translational", "points": ["ground.O", "q0.A"],
                   "vectors": ["ground.e"]})
    return model("scissor lift", "planar", {"O": [0, 0]}, bodies, joints, vectors={"e": [1, 0]})


def knots(n, end, joints, kind):
    """Returns joints that connect all rod ends at a place of a net to the first of them."""
    for i in range(n + 1):
        for j in range(n + 1):
            ends = [f"ground.{end}{j}"] if i == 0 and j in (0, n) else []
            ends += [f"h{i}_{j}.A"] * (j < n) + [f"h{i}_{j - 1}.B"] * (j > 0)
            ends += [f"v{i}_{j}.A"] * (i < n) + [f"v{i - 1}_{j}.B"] * (i > 0)
            joints += [pin(f"k{len(joints) + k}", ends[0], other, kind) for k, other in enumerate(ends[1:])]


def net(n):
    """Returns rods around n x n meshes, suspended at two corners."""
    bodies, joints = [], []
    for i in range(n + 1):
        for j in range(n + 1):
            x, y, down = j * COS, -float(i), j % 2
            if j < n:
                bodies.append(rod(f"h{i}_{j}", [x + COS / 2, y + SIN / 2], -TURN if down else TURN))
            if i < n:
                bodies.append(rod(f"v{i}_{j}", [x, y + SIN * down - 0.5], -math.pi / 2))
    knots(n, "P", joints, "revolute")
    return model("net", "planar", {"P0": [0, 0], f"P{n}": [n * COS, SIN * (n % 2)]}, bodies, joints)


def spatial_net(n):
    """Returns a net in space with ball joints, which is a zigzag out of its plane in one direction."""
    bodies, joints = [], []
    for i in range(n + 1):
        for j in range(n + 1):
            lift = SIN * (j % 2)
            common = {"mass": 1, "inertia": [0.01, 0.1, 0.1], "points": {"A": [-0.5, 0, 0], "B": [0.5, 0, 0]}}
            if j < n:
                tilt = (-1) ** j * -TURN / 2
                bodies.append({"name": f"h{i}_{j}", **common,
                               "initial": {"position": [(j + 0.5) * COS, -i, SIN / 2],
                                           "orientation": {"axis": [0, 1, 0], "angle": 2 * tilt}}})
            if i < n:
                bodies.append({"name": f"v{i}_{j}", **common,
                               "initial": {"position": [j * COS, -i - 0.5, lift],
                                           "orientation": {"axis": [0, 0, 1], "angle": -math.pi / 2}}})
    knots(n, "P", joints, "spherical")
    return model("spatial net", "spatial", {"P0": [0, 0, 0], f"P{n}": [n * COS, 0, SIN * (n % 2)]}, bodies, joints)


def truss(n):
    """Returns a tower of n storeys: three nodes each, and all but one of the rods that would stiffen it."""
    points, bodies, joints = {}, [], []

    def place(i, k):
        turn = 2 * math.pi * k / 3 + 0.1 * i
        return [math.cos(turn), math.sin(turn), float(i)]

    def node(i, k):
        return f"n{i}_{k}.O" if i else f"ground.P{k}"

    for i in range(n + 1):
        for k in range(3):
            if i == 0:
                points[f"P{k}"] = place(0, k)
                continue
            bodies.append({"name": f"n{i}_{k}", "mass": 1, "inertia": [0.1, 0.1, 0.1], "points": {"O": [0, 0, 0]},
                           "initial": {"position": place(i, k)}})
            ties = [(i, (k + 1) % 3), (i - 1, k)] + [(i - 1, (k + 1) % 3)] * (k > 0)
            joints += [pin(f"t{i}_{k}_{t}", node(i, k), node(*to), "rod") for t, to in enumerate(ties)]
    return model("truss", "spatial", points, bodies, joints)


def spatial_four_bars(n):
    """Returns n four-bars in space side by side, with parallel hinges: three rows of each are redundant."""
    points, bodies, joints = {}, [], []

    def hinge(name, one, other, line, line2):
        return {**pin(name, one, other), "vectors": [line, line2]}

    for k in range(n):
        points.update({f"O{k}": [2.0 * k, 0, 0], f"C{k}": [2.0 * k + 1, 0, 0]})
        for name, centre, angle in (("a", [2 * k, 0.5, 0], 90), ("b", [2 * k + 0.5, 1, 0], 0),
                                    ("c", [2 * k + 1, 0.5, 0], 90)):
            bodies.append({"name": f"{name}{k}", "mass": 1, "inertia": [0.01, 0.1, 0.1],
                           "points": {"A": [-0.5, 0, 0], "B": [0.5, 0, 0]}, "vectors": {"w": [0, 0, 1]},
                           "initial": {"position": centre,
                                       "orientation": {"axis": [0, 0, 1], "angle": math.radians(angle)}}})
        joints += [hinge(f"O{k}", f"ground.O{k}", f"a{k}.A", "ground.w", f"a{k}.w"),
                   hinge(f"A{k}", f"a{k}.B", f"b{k}.A", f"a{k}.w", f"b{k}.w"),
                   hinge(f"B{k}", f"b{k}.B", f"c{k}.B", f"b{k}.w", f"c{k}.w"),
                   hinge(f"C{k}", f"ground.C{k}", f"c{k}.A", "ground.w", f"c{k}.w")]
        if k:
            joints.append({"name": f"T{k}", "type": "rod", "points": [f"a{k - 1}.B", f"a{k}.B"]})
    document = model("spatial four-bars", "spatial", points, bodies, joints, vectors={"w": [0, 0, 1]},
                     formulation="body")
    document["gravity"] = [1, -9.81, 0]
    return document


def four_bars(n):
    """Returns n independent loops."""
    points, bodies, joints = {}, [], []
    for k in range(n):
        points.update({f"O{k}": [2.0 * k, 0], f"C{k}": [2.0 * k + 0.9, 0]})
        for name, length in (("a", 0.3), ("b", 0.8), ("c", 0.7)):
            bodies.append({"name": f"{name}{k}", "mass": 1, "inertia": length * length / 12,
                           "points": {"A": [-length / 2, 0], "B": [length / 2, 0]}})
        for name, one, other, start in (("O", f"ground.O{k}", f"a{k}.A", 1), ("A", f"a{k}.B", f"b{k}.A", -0.4),
                                        ("B", f"b{k}.B", f"c{k}.A", -2.05)):
            joints.append({**pin(f"{name}{k}", one, other), "initial": {"position": start}})
        joints.append({**pin(f"C{k}", f"c{k}.B", f"ground.C{k}"), "cut": True})
    return model("four-bars", "planar", points, bodies, joints)


def spatial_chain(n, **analysis):
    """Returns a chain of n links on hinges with alternating axes."""
    bodies = [{"name": f"b{i}", "mass": 1, "inertia": [0.01, 0.1, 0.1], "points": {"A": [0, 0, 0], "B": [1, 0, 0]},
               "vectors": {"u": [0, 1, 0] if i % 2 else [0, 0, 1], "w": [0, 0, 1] if i % 2 else [0, 1, 0]}}
              for i in range(n)]
    joints = [{**pin(f"j{i}", f"b{i - 1}.B" if i else "ground.O", f"b{i}.A"),
               "vectors": [f"b{i - 1}.w" if i else "ground.u", f"b{i}.u"]} for i in range(n)]
    return model("spatial chain", "spatial", {"O": [0, 0, 0]}, bodies, joints, vectors={"u": [0, 0, 1]}, **analysis)


def springs(n):
    """Returns n masses in a row between stiff springs with dampers, integrated by bdf."""
    bodies = [{"name": f"m{i}", "mass": 1, "inertia": 0.1, "points": {"O": [0, 0]},
               "initial": {"position": [float(i + 1), 0]}} for i in range(n)]
    forces = [{"name": f"s{i}", "type": "spring-damper", "points": [f"m{i - 1}.O" if i else "ground.O", f"m{i}.O"],
               "stiffness": 1e6, "damping": 1e3, "free_length": 1} for i in range(n)]
    return model("springs", "planar", {"O": [0, 0]}, bodies, [], forces, integrator={"method": "bdf", "rtol": 1e-5})


def contacts(n):
    """Returns n discs that fall onto a line."""
    bodies = [{"name": f"b{k}", "mass": 1, "inertia": 0.004, "points": {"C": [0, 0]},
               "initial": {"position": [0.5 * k, 0.11 + 0.001 * (k % 7)], "velocity": [0.1, 0]}} for k in range(n)]
    forces = [{"name": f"c{k}", "type": "contact", "point": f"b{k}.C", "line": ["ground.O", "ground.u"],
               "radius": 0.1, "stiffness": 1e5, "restitution": 0.5} for k in range(n)]
    return model("contacts", "planar", {"O": [0, 0]}, bodies, [], forces, vectors={"u": [1, 0]}, t_end=0.05, dt=0.05)


def asked(document, **analysis):
    """Returns the document with further members of its analysis."""
    return {**document, "analysis": {**document["analysis"], **analysis}}


def at_rest(document, kind):
    """Returns the document with an analysis at one instant."""
    return {**document, "analysis": {"type": kind, "outputs": ["r"]}}


CASES = {
    "scissors": (scissors, (20, 50, 100, 200, 500, 1000)),
    "net": (net, (5, 10, 20, 30, 50)),
    "spatial net": (spatial_net, (3, 6, 10, 15, 22)),
    "truss": (truss, (10, 30, 100, 333, 1000)),
    "spatial four-bars, redundant": (spatial_four_bars, (10, 30, 100, 300)),
    "four-bars": (four_bars, (10, 100, 500, 1000, 2000)),
    "four-bars, partitioning":
        (lambda n: asked(four_bars(n), constraints="partitioning"), (10, 100, 300, 1000, 3000)),
    "four-bars, equilibrium": (lambda n: at_rest(four_bars(n), "equilibrium"), (10, 100, 300, 1000)),
    "four-bars, linearization": (lambda n: at_rest(four_bars(n), "linearization"), (10, 100, 300, 1000)),
    "scissors, bdf": (lambda n: asked(scissors(n), integrator={"method": "bdf"}), (20, 50, 100, 200)),
    "spatial chain": (spatial_chain, (10, 100, 300, 1000)),
    "spatial chain, body": (lambda n: spatial_chain(n, formulation="body"), (10, 100, 300, 1000)),
    "springs, bdf": (springs, (10, 30, 100, 300)),
    "contacts": (contacts, (10, 100, 300, 1000)),
}


# ---- measuring and drawing -----------------------------------------------------------------------------------------


def run(program, document, out):
    """Returns processor seconds and megabytes of a process, and whether it succeeded."""
    with open(os.devnull, "wb") as nothing:
        process = subprocess.Popen([program, "run", document, "--npz", "--out", out], stdout=nothing)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, process.returncode == 0


def measure(program, case, times):
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for n in CASES[case][1]:
            document = os.path.join(folder, "model.json")
            with open(document, "w", encoding="utf-8") as file:
                # in another process, because the memory of this one would count in those that it starts
                subprocess.run([sys.executable, __file__, "--document", case, str(n)], stdout=file, check=True)
            runs = [run(program, document, folder) for _ in range(times)]
            if not all(ended for _, _, ended in runs):
                sys.exit(f"{case} of {n}: the run failed")
            with open(document, encoding="utf-8") as file:
                bodies = file.read().count('"mass"')
            row = {"case": case, "n": n, "bodies": bodies,
                   "seconds": round(sorted(seconds for seconds, _, _ in runs)[times // 2], 4),
                   "megabytes": round(max(megabytes for _, megabytes, _ in runs), 1)}
            rows.append(row)
            print("{case:22} {n:6} {bodies:6} bodies {seconds:9.3f} s {megabytes:8.1f} MB".format(**row), flush=True)
    before, last = rows[-2:]
    power = math.log(last["seconds"] / before["seconds"]) / math.log(last["bodies"] / before["bodies"])
    print(f"{case:22} like bodies^{power:.2f}")
    return rows


def draw(rows, picture):
    import matplotlib
    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "growth", "svg.fonttype": "none", "font.size": 9})
    from matplotlib import pyplot
    figure, (time, memory) = pyplot.subplots(1, 2, figsize=(11, 4.6))
    for number, case in enumerate(dict.fromkeys(row["case"] for row in rows)):
        mine = [row for row in rows if row["case"] == case]
        for axes, key in ((time, "seconds"), (memory, "megabytes")):
            axes.loglog([float(row["bodies"]) for row in mine], [float(row[key]) for row in mine], label=case,
                        marker="os^vD"[number % 5], markersize=4, linewidth=1.2)
    for axes, name in ((time, "processor time of mbs run [s]"), (memory, "most memory [MB]")):
        axes.set_xlabel("bodies")
        axes.set_title(name, fontsize=10)
        axes.grid(True, which="major", linewidth=0.4)
    time.plot([10, 1e4], [0.001, 1], color="grey", linestyle=":", linewidth=1, label="linear")
    memory.legend(loc="center left", bbox_to_anchor=(1.02, 0.5))
    figure.tight_layout()
    drawn = io.StringIO()
    figure.savefig(drawn, format="svg", metadata={"Date": None})
    with open(picture, "w", encoding="utf-8") as file:
        file.writelines(line.rstrip() + "\n" for line in drawn.getvalue().splitlines())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mbs", default="build/release/mbs")
    parser.add_argument("--case", nargs="+", choices=CASES, default=list(CASES))
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--out", default="docs/growth.csv")
    parser.add_argument("--picture", action="store_true")
    parser.add_argument("--document", nargs=2, metavar=("CASE", "N"))
    options = parser.parse_args()
    if options.document:
        json.dump(CASES[options.document[0]][0](int(options.document[1])), sys.stdout)
        return
    rows = []
    if os.path.exists(options.out):
        with open(options.out, newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
    if options.picture:
        draw(rows, os.path.splitext(options.out)[0] + ".svg")
        return
    measured = {case: measure(options.mbs, case, options.times) for case in options.case}
    kept = {case: [row for row in rows if row["case"] == case] for case in CASES}
    with open(options.out, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, ["case", "n", "bodies", "seconds", "megabytes"], lineterminator="\n")
        writer.writeheader()
        writer.writerows(row for case in CASES for row in measured.get(case, kept[case]))


if __name__ == "__main__":
    main()
