"""Outputs of studies against SciPy: manually derived equations of motion of five mechanisms, integrated by another
program, with extremes, instants and means determined from that motion; 200 points of each. Exit code 77 without SciPy
(Debian: python3-scipy).

usage: MBSD=build/release/mbsd python3 tests/peers/study_outputs.py    takes a minute; not part of ./test"""

import os
import sys
import tempfile
import unittest

try:
    import numpy as np
    from scipy.integrate import solve_ivp
    from scipy.optimize import brentq
except ImportError:
    sys.exit(77)

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "server"))
from support import Daemon, until  # noqa: E402

RUNS, GRID, G = 200, 1500, 9.81
TOLERANCE = {"rtol": 1e-11, "atol": 1e-13}


# ---- motions: states of all runs, and of one ------------------------------------------------------------------------


class Smooth:
    """y' = f(t, y) of all runs in one system, with y of the shape (states, runs)."""

    def __init__(self, f, start, end, integrands):
        self.f, self.end, self.start = f, end, np.array(start, dtype=float)
        self.states, self.runs = self.start.shape

        def flat(t, y):
            y = y.reshape(-1, self.runs)[:self.states]
            dy = f(t, y)
            return np.vstack([dy, *(integrand(t, y, dy) for integrand in integrands)]).ravel()

        first = np.vstack([self.start, np.zeros((len(integrands), self.runs))]).ravel()
        self.solution = solve_ivp(flat, (0, end), first, "DOP853", rtol=1e-12, atol=1e-14, max_step=end / 150,
                                  dense_output=True).sol

    def all_at(self, t):
        y = self.solution(t).reshape(-1, self.runs)
        return y[:self.states], self.f(t, y[:self.states])

    def of_run(self, t, run):
        y, dy = self.all_at(t)
        return y[:, run], dy[:, run]

    def samples(self, times):
        return [self.all_at(t) for t in times]

    def integrals(self):
        return self.solution(self.end).reshape(-1, self.runs)[self.states:]


class Pieces:
    """Like Smooth, with each run integrated separately from one change of branch to the next: branch(run, y) > 0 where
    the first of f(run, first, t, y) holds."""

    def __init__(self, f, branch, start, end, integrands):
        self.f, self.branch, self.end, self.start = f, branch, end, np.array(start, dtype=float)
        self.states, self.runs = self.start.shape
        self.pieces = [self.follow(run, integrands) for run in range(self.runs)]

    def follow(self, run, integrands):
        t, y, pieces = 0.0, self.start[:, run], []
        total = np.zeros(len(integrands))
        first = self.branch(run, y) > 0
        while t < self.end:
            def flat(t, y, first=first):
                return self.f(run, first, t, y)

            def change(_, y):
                return self.branch(run, y)
            change.terminal, change.direction = True, -1 if first else 1
            found = solve_ivp(flat, (t, self.end), y, "DOP853", rtol=1e-12, atol=1e-14, events=change,
                              dense_output=True, max_step=self.end / 100)
            pieces.append((t, found.sol, first))
            total += self.integrate(flat, found.sol, t, found.t[-1], integrands)
            t, y, first = found.t[-1], found.y[:, -1], not first
        return pieces, total

    @staticmethod
    def integrate(f, solution, begin, end, integrands):
        """Integrates between the zeros of the first state, at which integrands may have a kink."""
        times = np.linspace(begin, end, 200)
        values = solution(times)[0]
        zero = [brentq(lambda t: solution(t)[0], times[i], times[i + 1], xtol=1e-15, rtol=1e-14)
                for i in np.nonzero(values[:-1] * values[1:] < 0)[0]]
        edges = np.unique([*np.linspace(begin, end, 20), *zero])
        nodes, weights = np.polynomial.legendre.leggauss(10)
        total = np.zeros(len(integrands))
        for low, high in zip(edges[:-1], edges[1:]):
            for node, weight in zip(nodes, weights):
                t = low + (node + 1) / 2 * (high - low)
                y = solution(t)
                dy = f(t, y)
                total += weight / 2 * (high - low) * np.array([integrand(t, y, dy) for integrand in integrands])
        return total

    def of_run(self, t, run):
        piece = max((piece for piece in self.pieces[run][0] if piece[0] <= t), key=lambda piece: piece[0])
        y = piece[1](t)[:self.states]
        return y, np.array(self.f(run, piece[2], t, y))

    def samples(self, times):
        both = np.empty((2, len(times), self.states, self.runs))
        for run, (pieces, _) in enumerate(self.pieces):
            for (begin, solution, first), (end, *_) in zip(pieces, [*pieces[1:], (np.inf,)]):
                for i in np.nonzero((times >= begin) & (times < end))[0]:
                    both[0, i, :, run] = y = solution(times[i])
                    both[1, i, :, run] = self.f(run, first, times[i], y)
        return list(zip(*both))

    def integrals(self):
        return np.array([rest for _, rest in self.pieces]).T


class Known:
    """States that are a function of time."""

    def __init__(self, states, runs, end, integrands):
        self.states_at, self.runs, self.end, self.integrands = states, runs, end, integrands

    def of_run(self, t, run):
        y, dy = self.states_at(t)
        return y[:, run], dy[:, run]

    def samples(self, times):
        return [self.states_at(t) for t in times]

    def integrals(self):
        nodes, weights = np.polynomial.legendre.leggauss(12)
        parts, total = 100, np.zeros((len(self.integrands), self.runs))
        width = self.end / parts
        for part in range(parts):
            for node, weight in zip(nodes, weights):
                t = (part + (node + 1) / 2) * width
                y, dy = self.states_at(t)
                total += weight * width / 2 * np.array([integrand(t, y, dy) for integrand in self.integrands])
        return total


# ---- outputs -------------------------------------------------------------------------------------------------------


class Output:
    """`of` for the service; value(t, y, dy) and rate(t, y, dy) for the motion."""

    def __init__(self, of, take, value, rate=None, at=None, when=None, direction=None, count=1):
        self.of, self.take, self.value, self.rate = of, take, value, rate
        self.at, self.when, self.direction, self.count = at, when, direction, count

    def document(self, name):
        more = {"at": self.at} if self.at is not None else {}
        if self.when:
            more = {"when": self.when[0], "direction": self.direction, "count": self.count}
        return {"name": name, "of": self.of, "take": self.take, **more}

    def integrands(self):
        power = {"mean": 1, "integral": 1, "rms": 2}.get(self.take)
        return [lambda t, y, dy: self.value(t, y, dy) ** power] if power else []


def zeros(motion, signal, run, values, times, sign):
    """Returns the instants at which a signal passes zero, upwards (1), downwards (-1) or either way (0)."""
    found = []
    for i in np.nonzero(np.sign(values[:-1]) * np.sign(values[1:]) < 0)[0]:
        if sign in (0, np.sign(values[i + 1])):
            found.append(brentq(lambda t: signal(t, *motion.of_run(t, run)), times[i], times[i + 1], xtol=1e-15,
                                rtol=1e-14))
    return found


def take(motion, output, values, times, total, run):
    """Returns an output of a run; `values`: at all times, of the signal whose zeros are required."""
    end = motion.end
    if output.take in ("final", "initial", "at") and not output.when:
        t = {"final": end, "initial": 0.0, "at": output.at}[output.take]
        return output.value(t, *motion.of_run(t, run))
    if output.take in ("mean", "integral"):
        return total / end if output.take == "mean" else total
    if output.take == "rms":
        return np.sqrt(total / end)
    if output.when:
        sign = {"rising": 1, "falling": -1, "either": 0}[output.direction]
        found = zeros(motion, output.when[1], run, values, times, sign)
        if len(found) < output.count:
            return np.nan
        t = found[output.count - 1]
        return output.value(t, *motion.of_run(t, run))
    instants = [0.0, *zeros(motion, output.rate, run, values, times, 0), end]
    found = np.array([output.value(t, *motion.of_run(t, run)) for t in instants])
    sign = 1 if output.take.endswith("max") else -1
    best = int(np.argmax(sign * found >= (sign * found).max() - 1e-9 * abs(found).max()))  # the first of equal ones
    return instants[best] if output.take.startswith("time") else found[best]


def expected(motion, outputs):
    times = np.linspace(0, motion.end, GRID + 1)
    samples = motion.samples(times)
    table, place, totals = np.empty((motion.runs, len(outputs))), 0, motion.integrals()
    for column, output in enumerate(outputs):
        count = len(output.integrands())
        signal = output.when[1] if output.when else output.rate
        values = np.array([signal(t, y, dy) for t, (y, dy) in zip(times, samples)]) if signal else None
        for run in range(motion.runs):
            total = totals[place, run] if count else None
            table[run, column] = take(motion, output, None if values is None else values[:, run], times, total, run)
        place += count
    return table


def integrands_of(outputs):
    return [integrand for output in outputs for integrand in output.integrands()]


def state(i):
    return lambda t, y, dy: y[i]


def rate(i):
    return lambda t, y, dy: dy[i]


def instant(t, y, dy):
    return t


# ---- the service ---------------------------------------------------------------------------------------------------


class StudyOutputs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="mbsd-test-")
        cls.daemon = Daemon(cls.folder.name, "--job-seconds=1000")

    @classmethod
    def tearDownClass(cls):
        cls.daemon.__exit__(None)
        cls.folder.cleanup()

    def run_study(self, model, analysis, vary, outputs):
        """Returns the parameters of the runs by name, and their outputs."""
        analysis = {"dt": analysis["t_end"], "integrator": TOLERANCE, **analysis}
        document = {"model": {"space": "planar", "gravity": [0, -G], **model}, "analysis": analysis,
                    "study": {"vary": [{"parameter": name, "uniform": bounds} for name, bounds in vary.items()],
                              "design": "sobol", "runs": RUNS,
                              "outputs": [output.document(f"o{i}") for i, output in enumerate(outputs)]}}
        job = self.daemon.submit(document)["id"]
        done = until(lambda: (found := self.daemon.job(job))["finished"] and found, 280)
        self.assertEqual(done["status"], "succeeded", done["error"])
        parameters, found = (np.array(self.daemon.get(f"/jobs/{job}/results/{name}").json()["data"], dtype=float)
                             for name in ("parameters", "outputs"))
        return dict(zip(vary, parameters.T)), found

    def compare(self, found, motion, outputs, near=2e-8):
        wanted = expected(motion, outputs)
        worst = []
        for i, output in enumerate(outputs):
            scale = np.nanmax(np.abs(wanted[:, i])) or 1
            both_fail = np.isnan(wanted[:, i]) | np.isnan(found).any(axis=1)
            self.assertLess(both_fail.sum(), RUNS / 4, f"{output.of} {output.take}")
            error = np.where(both_fail, 0, np.abs(found[:, i] - wanted[:, i]) / scale)
            worst.append(error.max())
            with self.subTest(of=output.of, take=output.take):
                run = int(error.argmax())
                self.assertLess(error.max(), near, f"run {run}: {found[run, i]!r}, SciPy {wanted[run, i]!r}")
        # Expects that runs without an instant in SciPy have failed, and no other run.
        self.assertTrue(np.array_equal(np.isnan(wanted).any(axis=1), np.isnan(found).any(axis=1)))
        print(f"{self.id().split('.')[-1]}: {RUNS} runs, {len(outputs)} outputs, largest difference {max(worst):.1e}")

    # ---- mechanisms -------------------------------------------------------------------------------------------------

    def test_pendulum(self):
        """(m L^2 + I) phi'' = -m g L sin(phi) - c phi'"""
        model = {"parameters": {"L": 1, "a": 1, "w": 0, "c": 0.1}, "ground": {"points": {"O": [0, 0]}},
                 "bodies": [{"name": "bob", "mass": 1.5, "inertia": 0.2, "points": {"A": [0, "L"]}}],
                 "joints": [{"name": "pin", "type": "revolute", "points": ["ground.O", "bob.A"],
                             "initial": {"position": "a", "velocity": "w"}}],
                 "forces": [{"name": "drag", "type": "torque", "body": "bob", "value": "-c*bob.omega"}]}
        outputs = [Output("bob.phi", "final", state(0)), Output("bob.omega", "initial", state(1)),
                   Output("bob.y", "at", lambda t, y, dy: -y[2] * np.cos(y[0]), at=1.7),
                   Output("bob.omega", "max", state(1), rate(1)), Output("bob.omega", "min", state(1), rate(1)),
                   Output("bob.omega", "time_of_max", state(1), rate(1)),
                   Output("bob.phi", "time_of_min", state(0), rate(0)),
                   Output("bob.x", "mean", lambda t, y, dy: y[2] * np.sin(y[0])), Output("bob.omega", "rms", state(1)),
                   Output("bob.phi", "integral", state(0)), Output("bob.phi", "rms", state(0)),
                   Output("t", "at", instant, when=("bob.phi", state(0)), direction="falling"),
                   Output("bob.omega", "at", state(1), when=("bob.phi", state(0)), direction="either", count=2)]
        p, found = self.run_study(model, {"type": "dynamics", "t_end": 5},
                                  {"L": [0.5, 1.5], "a": [0.3, 2], "w": [-1, 1], "c": [0.05, 0.3]}, outputs)

        def motion(_, y):
            inertia = 1.5 * p["L"] ** 2 + 0.2
            return np.vstack([y[1], (-1.5 * G * p["L"] * np.sin(y[0]) - p["c"] * y[1]) / inertia, 0 * p["L"]])
        self.compare(found, Smooth(motion, [p["a"], p["w"], p["L"]], 5, integrands_of(outputs)), outputs)

    def test_mass_between_a_spring_and_a_stop(self):
        """m x'' = -k x - c x', and additionally -K (x - s) where x > s"""
        law = "-k*block.x - 0.4*block.vx + if(block.x > s, -400*(block.x - s), 0)"
        model = {"parameters": {"k": 20, "s": 0.3, "v": 2},
                 "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
                 "bodies": [{"name": "block", "mass": 2, "inertia": 1, "points": {"B": [0, 0]},
                             "vectors": {"u": [1, 0]}}],
                 "joints": [{"name": "rail", "type": "translational", "points": ["ground.O", "block.B"],
                             "vectors": ["ground.u", "block.u"], "initial": {"position": 0.1, "velocity": "v"}}],
                 "forces": [{"name": "spring", "type": "force", "body": "block", "value": [law, 0]}]}
        outputs = [Output("block.x", "final", state(0)), Output("block.x", "max", state(0), rate(0)),
                   Output("block.x", "time_of_max", state(0), rate(0)),
                   Output("block.vx", "min", state(1), rate(1)), Output("block.x", "rms", state(0)),
                   Output("abs(block.x)", "integral", lambda t, y, dy: abs(y[0])),
                   Output("max(block.x, s)", "mean", lambda t, y, dy: max(y[0], y[2])),
                   Output("block.vx", "at", state(1), when=("block.x", state(0)), direction="falling"),
                   Output("t", "at", instant, when=("block.x - s", lambda t, y, dy: y[0] - y[2]), direction="rising"),
                   Output("t", "at", instant, when=("block.x", state(0)), direction="either", count=2)]
        p, found = self.run_study(model, {"type": "dynamics", "t_end": 3},
                                  {"k": [15, 30], "s": [0.2, 0.4], "v": [1.8, 3]}, outputs)

        def motion(run, beyond, _, y):
            force = -p["k"][run] * y[0] - 0.4 * y[1] - beyond * 400 * (y[0] - p["s"][run])
            return [y[1], force / 2, 0]
        pieces = Pieces(motion, lambda run, y: y[0] - p["s"][run], [0 * p["k"] + 0.1, p["v"], p["s"]], 3,
                        integrands_of(outputs))
        self.compare(found, pieces, outputs)

    def test_slider_crank(self):
        """M(q) q'' + M'(q) q'^2/2 + V'(q) = T - c q', q the angle of the crank and M the inertia seen from it"""
        model = {"parameters": {"r": 0.3, "l": 1, "a": 0.5, "T": 6},
                 "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
                 "bodies": [{"name": "crank", "mass": 1, "inertia": "r^2/12", "points": {"O": ["-r/2", 0], "A": ["r/2", 0]}},
                            {"name": "rod", "mass": 2, "inertia": "l^2/6", "points": {"A": ["-l/2", 0], "B": ["l/2", 0]}},
                            {"name": "slider", "mass": 3, "inertia": 1, "points": {"B": [0, 0]}, "vectors": {"u": [1, 0]}}],
                 "joints": [{"name": "O", "type": "revolute", "points": ["ground.O", "crank.O"], "initial": {"position": "a"}},
                            {"name": "A", "type": "revolute", "points": ["crank.A", "rod.A"],
                             "initial": {"position": "-asin(r*sin(a)/l) - a"}},
                            {"name": "B", "type": "revolute", "points": ["rod.B", "slider.B"], "cut": True},
                            {"name": "rail", "type": "translational", "points": ["ground.O", "slider.B"],
                             "vectors": ["ground.u", "slider.u"], "initial": {"position": "r*cos(a) + sqrt(l^2 - (r*sin(a))^2)"}}],
                 "forces": [{"name": "motor", "type": "torque", "body": "crank", "value": "T - 0.3*crank.omega"}]}

        def place(y, p):
            q, r, l = y[0], p["r"], p["l"]
            b = -np.arcsin(r * np.sin(q) / l)
            b1 = -r * np.cos(q) / (l * np.cos(b))
            b2 = (r * np.sin(q) + l * np.sin(b) * b1 ** 2) / (l * np.cos(b))
            x1 = -r * np.sin(q) - l * np.sin(b) * b1
            x2 = -r * np.cos(q) - l * (np.cos(b) * b1 ** 2 + np.sin(b) * b2)
            return q, r, l, b, b1, b2, x1, x2

        def slider(t, y, dy):
            return y[2] * np.cos(y[0]) + np.sqrt(y[3] ** 2 - (y[2] * np.sin(y[0])) ** 2)

        def slider_rate(t, y, dy):
            return place(y, {"r": y[2], "l": y[3]})[6] * y[1]
        outputs = [Output("crank.phi", "final", state(0)), Output("crank.omega", "max", state(1), rate(1)),
                   Output("crank.omega", "time_of_max", state(1), rate(1)),
                   Output("slider.x", "min", slider, slider_rate), Output("slider.x", "time_of_min", slider, slider_rate),
                   Output("slider.x", "at", slider, at=0.77), Output("slider.x", "mean", slider),
                   Output("slider.vx", "rms", slider_rate), Output("crank.omega", "integral", state(1)),
                   Output("t", "at", instant, when=("crank.phi - pi", lambda t, y, dy: y[0] - np.pi), direction="rising"),
                   Output("crank.omega", "at", state(1), when=("crank.phi - pi", lambda t, y, dy: y[0] - np.pi),
                          direction="rising")]
        p, found = self.run_study(model, {"type": "dynamics", "t_end": 1.5},
                                  {"r": [0.2, 0.35], "l": [0.8, 1.2], "a": [0.3, 1.2], "T": [8, 14]}, outputs)

        def motion(_, y):
            q, r, l, b, b1, b2, x1, x2 = place(y, p)
            cx, cy = -r * np.sin(q) - l / 2 * b1 * np.sin(b), r * np.cos(q) + l / 2 * b1 * np.cos(b)
            dx = -r * np.cos(q) - l / 2 * (b2 * np.sin(b) + b1 ** 2 * np.cos(b))
            dy = -r * np.sin(q) + l / 2 * (b2 * np.cos(b) - b1 ** 2 * np.sin(b))
            inertia = r ** 2 / 4 + r ** 2 / 12 + 2 * (cx ** 2 + cy ** 2) + l ** 2 / 6 * b1 ** 2 + 3 * x1 ** 2
            slope = 2 * (2 * (cx * dx + cy * dy) + l ** 2 / 6 * b1 * b2 + 3 * x1 * x2)
            weight = G * (r / 2 * np.cos(q) + 2 * cy)
            push = p["T"] - 0.3 * y[1] - weight - slope * y[1] ** 2 / 2
            return np.vstack([y[1], push / inertia, 0 * r, 0 * r])
        start = [p["a"], 0 * p["a"], p["r"], p["l"]]
        self.compare(found, Smooth(motion, start, 1.5, integrands_of(outputs)), outputs)

    def test_four_bar_that_is_driven(self):
        """The pin between coupler and rocker is at the intersection of two circles about the ends of crank and
        ground."""
        model = {"parameters": {"a": 0.3, "b": 0.8, "c": 0.7, "n": 6}, "ground": {"points": {"O": [0, 0], "C": [0.9, 0]}},
                 "bodies": [{"name": "crank", "mass": 1, "inertia": 1, "points": {"A": ["-a/2", 0], "B": ["a/2", 0]},
                             "initial": {"position": [0.081, 0.1262], "angle": 1}},
                            {"name": "coupler", "mass": 1, "inertia": 1, "points": {"A": ["-b/2", 0], "B": ["b/2", 0]},
                             "initial": {"position": [0.4949, 0.4743], "angle": 0.5881}},
                            {"name": "rocker", "mass": 1, "inertia": 1, "points": {"A": ["-c/2", 0], "B": ["c/2", 0]},
                             "initial": {"position": [0.8638, 0.3481], "angle": -1.4673}}],
                 "joints": [{"name": name, "type": "revolute", "points": points} for name, points in
                            (("O", ["ground.O", "crank.A"]), ("A", ["crank.B", "coupler.A"]),
                             ("B", ["coupler.B", "rocker.A"]), ("C", ["rocker.B", "ground.C"]))],
                 "drivers": [{"name": "motor", "type": "joint", "joint": "O", "function": "1 + n*t + 0.3*sin(5*t)"}]}
        outputs = [Output("rocker.phi", "final", state(0)), Output("rocker.phi", "initial", state(0)),
                   Output("rocker.phi", "max", state(0), rate(0)), Output("rocker.phi", "min", state(0), rate(0)),
                   Output("rocker.phi", "time_of_max", state(0), rate(0)),
                   Output("rocker.phi", "time_of_min", state(0), rate(0)), Output("rocker.phi", "at", state(0), at=0.4),
                   Output("rocker.omega", "rms", rate(0)), Output("coupler.x", "mean", state(1)),
                   Output("coupler.x", "max", state(1), rate(1)), Output("rocker.phi", "integral", state(0)),
                   Output("t", "at", instant, when=("rocker.omega", rate(0)), direction="either"),
                   Output("coupler.x", "at", state(1), when=("crank.phi - 4", state(2)), direction="rising")]
        p, found = self.run_study(model, {"type": "kinematics", "t_end": 1},
                                  {"a": [0.2, 0.35], "b": [0.75, 0.85], "c": [0.66, 0.75], "n": [5.5, 6.5]}, outputs)

        def places(t):
            a, b, c, d = p["a"], p["b"], p["c"], 0.9
            q, q1 = 1 + p["n"] * t + 0.3 * np.sin(5 * t), p["n"] + 1.5 * np.cos(5 * t)
            bx, by = a * np.cos(q), a * np.sin(q)
            ex, ey = d - bx, -by
            f = np.hypot(ex, ey)
            along = (b ** 2 - c ** 2 + f ** 2) / (2 * f)
            across = np.sqrt(b ** 2 - along ** 2)
            px, py = bx + (along * ex - across * ey) / f, by + (along * ey + across * ex) / f
            rocker, coupler = np.arctan2(-py, d - px), np.arctan2(py - by, px - bx)
            # Velocity of the pin, by coupler and by rocker.
            matrix = np.array([[-b * np.sin(coupler), c * -np.sin(rocker)], [b * np.cos(coupler), c * np.cos(rocker)]])
            right = np.array([a * np.sin(q) * q1, -a * np.cos(q) * q1])
            speeds = np.linalg.solve(np.moveaxis(matrix, 2, 0), right.T[..., None])[..., 0].T
            middle = bx + b / 2 * np.cos(coupler)
            middle1 = -a * np.sin(q) * q1 - b / 2 * np.sin(coupler) * speeds[0]
            return np.vstack([rocker, middle, q - 4]), np.vstack([speeds[1], middle1, q1])
        self.compare(found, Known(places, RUNS, 1, integrands_of(outputs)), outputs)

    def test_double_pendulum(self):
        """Lagrange's two equations for the angles of both rods."""
        model = {"parameters": {"l": 1, "k": 1, "m": 1, "a": 1, "b": 1}, "ground": {"points": {"O": [0, 0]}},
                 "bodies": [{"name": "one", "mass": 1, "inertia": "l^2/12", "points": {"A": [0, "l/2"], "B": [0, "-l/2"]}},
                            {"name": "two", "mass": "m", "inertia": "m*k^2/12", "points": {"A": [0, "k/2"]}}],
                 "joints": [{"name": "A", "type": "revolute", "points": ["ground.O", "one.A"], "initial": {"position": "a"}},
                            {"name": "B", "type": "revolute", "points": ["one.B", "two.A"], "initial": {"position": "b - a"}}]}
        outputs = [Output("one.phi", "final", state(0)), Output("two.omega", "final", state(3)),
                   Output("two.omega", "max", state(3), rate(3)), Output("two.omega", "time_of_max", state(3), rate(3)),
                   Output("one.phi", "min", state(0), rate(0)), Output("one.phi", "time_of_min", state(0), rate(0)),
                   Output("one.omega", "rms", state(2)), Output("two.phi", "mean", state(1)),
                   Output("one.phi*two.phi", "integral", lambda t, y, dy: y[0] * y[1]),
                   Output("two.phi", "at", state(1), at=1.234),
                   Output("two.phi", "at", state(1), when=("one.phi", state(0)), direction="falling")]
        p, found = self.run_study(model, {"type": "dynamics", "t_end": 2},
                                  {"l": [0.7, 1.3], "k": [0.7, 1.3], "m": [0.5, 2], "a": [0.5, 1.4], "b": [0.2, 1.4]},
                                  outputs)

        def motion(_, y):
            l, k, m, turn = p["l"], p["k"], p["m"], y[0] - y[1]
            a11, a22 = l ** 2 / 4 + l ** 2 / 12 + m * l ** 2, m * k ** 2 / 3
            a12 = m * l * k / 2 * np.cos(turn)
            r1 = -m * l * k / 2 * np.sin(turn) * y[3] ** 2 - (0.5 + m) * G * l * np.sin(y[0])
            r2 = m * l * k / 2 * np.sin(turn) * y[2] ** 2 - m * G * k / 2 * np.sin(y[1])
            determinant = a11 * a22 - a12 ** 2
            return np.vstack([y[2], y[3], (a22 * r1 - a12 * r2) / determinant, (a11 * r2 - a12 * r1) / determinant])
        zero = 0 * p["a"]
        self.compare(found, Smooth(motion, [p["a"], p["b"], zero, zero], 2, integrands_of(outputs)), outputs)


if __name__ == "__main__":
    unittest.main()
