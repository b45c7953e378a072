#!/usr/bin/env python3
"""Times runs with many contacts: bench/stacks.py [--mbs PROGRAM] [--limit SECONDS] [--end TIME] [--peer] [NAME...]

stack-N: N boxes on the ground; discs-N: N discs that fall into a box of three lines, slippery-N the same without
friction, soft-N with compliant contacts; chain-N: a hinged chain of N links that falls on a floor. Each has one contact
with all its shapes, restitution 0 and friction 0.5, and takes 5 s of motion, or `--end`. Prints processor time, steps,
evaluations, events; the limit is one of processor time. `--write DIRECTORY` only writes the documents. `--peer` also
runs the same pile in MuJoCo (build/release/bench/peers/piles) with a step of 1 ms; its contacts are soft."""
import argparse
import json
import math
import os
import re
import resource
import subprocess
import sys
import tempfile

NAMES = ["stack-2", "stack-5", "stack-10", "discs-5", "discs-12", "discs-25", "discs-50", "discs-100", "slippery-25",
         "soft-12", "soft-25", "chain-10", "chain-30"]
CONTACT = {"name": "c", "type": "contact", "law": "rigid", "restitution": 0,
           "friction": {"law": "coulomb", "mu_dynamic": 0.5}}


def line(name, start, end):
    return {"type": "line", "name": name, "from": start, "to": end}


def document(name, bodies, ground, t_end, joints=()):
    shapes = [f"ground.{s['name']}" for s in ground]
    shapes += [f"{b['name']}.{s['name']}" for b in bodies for s in b["shapes"]]
    model = {"name": name, "space": "planar", "gravity": [0, -9.81], "ground": {"shapes": ground}, "bodies": bodies,
             "joints": list(joints), "forces": [{**CONTACT, "shapes": shapes}]}
    return {"model": model, "analysis": {"type": "dynamics", "t_end": t_end, "dt": t_end / 50,
                                         "integrator": {"rtol": 1e-6, "atol": 1e-8}}}


def stack(n):
    bodies = [{"name": f"b{i}", "mass": 1, "inertia": 1 / 6,
               "shapes": [{"type": "rectangle", "name": "s", "width": 1, "height": 1}],
               "initial": {"position": [0, i + 0.5]}} for i in range(n)]
    return document(f"stack of {n}", bodies, [line("floor", [-20, 0], [20, 0])], 5)


def discs(n):
    """Discs of radius 0.1 in rows, in a box as wide as about sqrt(n) of them, shifted so that nothing is symmetric."""
    across = max(2, math.isqrt(n))
    half = 0.13 * across
    bodies = []
    for i in range(n):
        row, column = divmod(i, across)
        x = -half + 0.13 + 0.26 * column + 0.015 * math.sin(7.3 * i + 1)
        bodies.append({"name": f"d{i}", "mass": 1, "inertia": 0.005,
                       "shapes": [{"type": "circle", "name": "s", "radius": 0.1}],
                       "initial": {"position": [x, 0.15 + 0.26 * row]}})
    high = 0.26 * (n // across + 2)
    ground = [line("floor", [-half, 0], [half, 0]), line("left", [-half, 0], [-half, high]),
              line("right", [half, 0], [half, high])]
    return document(f"{n} discs", bodies, ground, 5)


def chain(n):
    """Links of length 0.2, hinged, which fall from a slope; discs at their centres touch the floor and each other."""
    a, length, r = 0.3, 0.2, 0.05
    bodies, joints = [], []
    for i in range(n):
        x, y = (i + 0.5) * length * math.cos(a), 0.2 + (i + 0.5) * length * math.sin(a)
        bodies.append({"name": f"l{i}", "mass": 0.1, "inertia": 0.1 * length ** 2 / 12,
                       "points": {"A": [-length / 2, 0], "B": [length / 2, 0]},
                       "shapes": [{"type": "circle", "name": "s", "radius": r}],
                       "initial": {"position": [x, y], "angle": a}})
        if i:
            joints.append({"name": f"j{i}", "type": "revolute", "points": [f"l{i - 1}.B", f"l{i}.A"]})
    return document(f"chain of {n}", bodies, [line("floor", [-50, 0], [50, 0])], 5, joints)


def slippery(n):
    model = discs(n)
    del model["model"]["forces"][0]["friction"]
    return model


def soft(n):
    model = discs(n)
    contact = model["model"]["forces"][0]
    for field in ("restitution", "friction"):
        del contact[field]
    contact.update(law="kelvin-voigt", stiffness=1e5, damping=100,
                   friction={"law": "tanh", "mu_dynamic": 0.5, "transition_velocity": 0.01})
    return model


PEER = "build/release/bench/peers/piles"
MAKERS = {"stack": stack, "discs": discs, "slippery": slippery, "soft": soft, "chain": chain}


def mjcf(document):
    """Returns the same pile for MuJoCo: each body slides and turns in the x-z plane."""
    model = document["model"]
    friction = model["forces"][0].get("friction", {}).get("mu_dynamic", 0)
    chained = {joint["points"][1].split(".")[0]: joint for joint in model["joints"]}
    out = [f'<mujoco><default><geom friction="{friction} 0 0" condim="3"/></default><worldbody>']
    for shape in model["ground"]["shapes"]:
        (x1, z1), (x2, z2) = shape["from"], shape["to"]
        normal = [0, 0, 1] if z1 == z2 else [-1 if x1 > 0 else 1, 0, 0]
        out.append(f'<geom type="plane" size="0 0 1" pos="{x1} 0 {z1}" zaxis="{" ".join(map(str, normal))}"/>')
    open_bodies, angle, place = 0, 0, (0, 0)
    for body in model["bodies"]:
        shape, (x, z) = body["shapes"][0], body["initial"]["position"]
        hinged = body["name"] in chained
        if not hinged:
            out.append("</body>" * open_bodies)
            open_bodies, angle, place = 0, body["initial"].get("angle", 0), (0, 0)
        open_bodies += 1
        if hinged:
            length = 2 * body["points"]["B"][0]
            out.append(f'<body pos="{length} 0 0"><joint type="hinge" axis="0 -1 0" pos="{-length / 2} 0 0"/>')
        else:
            out.append(f'<body pos="{x - place[0]} 0 {z - place[1]}" euler="0 {-math.degrees(angle)} 0">')
            for axis in ("1 0 0", "0 0 1"):
                out.append(f'<joint type="slide" axis="{axis}"/>')
            out.append('<joint type="hinge" axis="0 -1 0"/>')
        inertia = body["inertia"]
        out.append(f'<inertial pos="0 0 0" mass="{body["mass"]}" diaginertia="{inertia} {inertia} {inertia}"/>')
        if shape["type"] == "circle":
            out.append(f'<geom type="sphere" size="{shape["radius"]}"/>')
        else:
            out.append(f'<geom type="box" size="{shape["width"] / 2} 0.5 {shape["height"] / 2}"/>')
    out.append("</body>" * open_bodies + "</worldbody></mujoco>")
    return "\n".join(out)


def run_peer(name, end, folder):
    path = os.path.join(folder, name + ".xml")
    document = make(name, end)
    seconds = document["analysis"]["t_end"]
    with open(path, "w", encoding="utf-8") as file:
        file.write(mjcf(document))
    done = subprocess.run([PEER, path, str(seconds), "0.001"], capture_output=True, text=True, check=False)
    return f"{'  MuJoCo':12} {last_line(done.stdout + done.stderr)}"


def make(name, end=None):
    kind, n = name.rsplit("-", 1)
    model = MAKERS[kind](int(n))
    if end:
        model["analysis"].update(t_end=end, dt=end / 50)
    return model


def last_line(text):
    lines = text.strip().splitlines()
    return lines[-1][:150] if lines else ""


def run(program, name, given, folder):
    path = os.path.join(folder, name + ".json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(make(name, given.end), file)

    def bound():
        resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(given.limit), math.ceil(given.limit) + 1))

    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run([program, "run", path, "--out", folder + "/out"], capture_output=True, text=True,
                          check=False, preexec_fn=bound)
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    if done.returncode < 0:
        return f"{name:12} ended by signal {-done.returncode} after {seconds:.1f} s"
    work = re.search(r"(\d+) evaluations, (\d+) steps", done.stdout)
    more = re.search(r"and (\d+) more, see the array events", done.stdout)
    events = len(re.findall(r"^  t = ", done.stdout, re.M)) + (int(more[1]) if more else 0)
    words = "" if done.returncode == 0 else last_line(done.stdout + done.stderr)
    counts = f"{work[2]:>8} steps {work[1]:>9} evaluations" if work else ""
    return f"{name:12} {seconds:8.2f} s {counts} {events:>6}{'+' if events >= 10000 else ''} events  {words}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=NAMES)
    parser.add_argument("--mbs", default="build/release/mbs")
    parser.add_argument("--limit", type=float, default=120)
    parser.add_argument("--end", type=float)
    parser.add_argument("--write")
    parser.add_argument("--peer", action="store_true")
    given = parser.parse_args()
    if given.write:
        for name in given.names:
            with open(os.path.join(given.write, name + ".json"), "w", encoding="utf-8") as file:
                json.dump(make(name, given.end), file, indent=1)
        return
    with tempfile.TemporaryDirectory() as folder:
        for name in given.names:
            print(run(given.mbs, name, given, folder), flush=True)
            if given.peer:
                print(run_peer(name, given.end, folder), flush=True)


if __name__ == "__main__":
    sys.exit(main())
