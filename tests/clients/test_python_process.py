"""The Python module with the library: models run in this process."""

import gc
import glob
import importlib.util
import json
import locale
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
import unittest.mock
import zipfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "server")]

from installation import TOP, install_client, packages_of  # noqa: E402
from support import endless, in_threads, lacks, quick  # noqa: E402

MBS = os.path.abspath(os.environ.get("MBS", "build/release/mbs"))
MODELS = os.path.join(TOP, "models")


def setUpModule():
    global folder, python, mbsd
    folder = tempfile.mkdtemp(prefix="mbsd-test-")
    unittest.addModuleCleanup(shutil.rmtree, folder)
    python = install_client(folder)
    sys.path.insert(0, packages_of(python))
    import mbsd


def path_of(name):
    return os.path.join(folder, name)


def write(name, text):
    with open(path_of(name), "w", encoding="utf-8") as file:
        file.write(text)
    return path_of(name)


def run_mbs(path, name, *options):
    """Returns the folder into which `mbs run` wrote the arrays."""
    out = path_of(name)
    subprocess.run([MBS, "run", path, "--out", out, *options], check=True, stdout=subprocess.DEVNULL)
    return out


def falling(value):
    """Returns a document whose run fails at t = 0.5."""
    document = quick(name="divided by nothing")
    document["forces"] = [{"name": "wind", "type": "force", "point": "link1.b", "value": [value, 0]}]
    return document


class Results(unittest.TestCase):
    def test_the_version_is_that_of_the_program(self):
        shown = subprocess.run([MBS, "--version"], check=True, stdout=subprocess.PIPE, text=True).stdout
        self.assertEqual(shown, f"mbs {mbsd.__version__}\n")

    def test_arrays_have_the_bits_of_the_program(self):
        models = [os.path.join(MODELS, name + ".json") for name in
                  ("SC", "FourBar_inverse", "SP_modes", "SliderCrank3D", "BouncingBall")]
        for path in models + [os.path.join(TOP, "studies", "FourBar_lengths.json")]:
            with self.subTest(model=os.path.basename(path)):
                result = mbsd.run(path)
                out = run_mbs(path, os.path.basename(path), "--npz")
                with np.load(os.path.join(out, "results.npz")) as arrays:
                    self.assertEqual(result.names, arrays.files)
                    for name, array in arrays.items():
                        self.assertEqual((result[name].shape, result[name].dtype), (array.shape, np.float64), name)
                        self.assertEqual(result[name].tobytes(), array.tobytes(), name)

    def test_a_program_with_decimal_commas(self):
        made = subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", path_of("de_DE.UTF-8")], capture_output=True)
        if not os.path.isdir(path_of("de_DE.UTF-8")):
            self.skipTest(f"no such locale can be made here: {made.stderr}")
        document = falling("0.25*1.5")
        document["parameters"] = {**document.get("parameters", {}), "half": "1.5/3"}
        wanted = [mbsd.run(document), mbsd.run(falling("1/(t - 0.5)"), check=False)]
        before = locale.setlocale(locale.LC_ALL)
        self.addCleanup(locale.setlocale, locale.LC_ALL, before)
        with unittest.mock.patch.dict(os.environ, {"LOCPATH": folder}):
            locale.setlocale(locale.LC_ALL, "de_DE.UTF-8")
        self.assertEqual(locale.localeconv()["decimal_point"], ",")
        found = [mbsd.run(document), mbsd.run(falling("1/(t - 0.5)"), check=False)]
        self.assertEqual([one["uT"].tobytes() for one in found], [one["uT"].tobytes() for one in wanted])
        self.assertEqual(found[1].error, wanted[1].error)
        self.assertEqual(locale.localeconv()["decimal_point"], ",")

    def test_labels_units_and_the_report(self):
        result = mbsd.run(quick(name="a chain"))
        self.assertEqual(result.labels["uT"], ["pin1.q", "pin1.qd"])
        self.assertEqual(result.units["uT"], ["rad", "rad/s"])
        self.assertEqual((result.status, result.error, result.notes), ("succeeded", None, []))
        self.assertEqual((result.report["model_name"], result.report["degrees_of_freedom"]), ("a chain", 1))
        np.testing.assert_array_equal(result.T, result["T"])
        self.assertEqual(len(result), len(list(result)))
        self.assertIn("energy", result)
        for call, kind in ((lambda: result["uTT"], KeyError), (lambda: result.column("pin1.p"), KeyError)):
            with self.assertRaisesRegex(kind, "did you mean"):
                call()
        with self.assertRaisesRegex(AttributeError, "no array 'theta_ddd'"):
            result.theta_ddd

    def test_arrays_are_read_only_and_outlive_the_result(self):
        result = mbsd.run(quick())
        kept, copy = result["uT"], result["uT"].copy()
        with self.assertRaisesRegex(ValueError, "read-only"):
            kept[0] = 1
        del result
        gc.collect()
        [mbsd.run(quick()) for _ in range(3)]
        np.testing.assert_array_equal(kept, copy)

    def test_columns_and_files(self):
        document = quick()
        document["sensors"] = [{"name": "a/b", "value": "t"}, {"name": "a_b", "value": "2*t"}]
        result = mbsd.run(document)
        path = write("columns.json", json.dumps(document))
        table = np.genfromtxt(os.path.join(run_mbs(path, "columns", "--csv", path_of("own.csv")), "uT.csv"),
                              delimiter=",", skip_header=1)
        np.testing.assert_array_equal(result.column("pin1.qd"), table[:, 2])
        np.testing.assert_array_equal(result.column("a_b"), 2 * result.T)
        result.save(path_of("all.csv"))
        with open(path_of("own.csv"), encoding="utf-8") as own, open(path_of("all.csv"), encoding="utf-8") as saved:
            self.assertEqual(own.readline(), saved.readline())
            np.testing.assert_array_equal(np.loadtxt(own, delimiter=","), np.loadtxt(saved, delimiter=","))
        result.save(path_of("all.npz"))
        run_mbs(path, "npz", "--npz")
        with np.load(path_of("all.npz")) as saved, np.load(path_of("npz/results.npz")) as own:
            self.assertEqual(saved.files, own.files)
            np.testing.assert_array_equal(saved["uT"], result["uT"])
        with self.assertRaisesRegex(ValueError, "neither .npz nor .csv"):
            result.save(path_of("all.txt"))

    def test_a_data_frame(self):
        if not importlib.util.find_spec("pandas"):
            lacks("python3-pandas")
        result = mbsd.run(os.path.join(MODELS, "SC.json"))
        frame = result.to_dataframe()
        self.assertEqual(list(frame.columns), result.labels["uT"] + ["slider x"])
        self.assertEqual(frame.index.name, "t")
        np.testing.assert_array_equal(frame["A.qd"], result["uT"][:, 4])
        self.assertEqual(list(result.to_dataframe(["B.fx", "O.q"]).columns), ["B.fx", "O.q"])

    def test_a_plot(self):
        if not importlib.util.find_spec("matplotlib"):
            lacks("python3-matplotlib")
        import matplotlib
        matplotlib.use("Agg")
        result = mbsd.run(os.path.join(MODELS, "SC.json"))
        axes = result.plot("A.q", "slider x")
        self.assertEqual([line.get_label() for line in axes.lines], ["A.q [rad]", "slider x [m]"])
        np.testing.assert_array_equal(axes.lines[0].get_ydata(), result["uT"][:, 1])
        self.assertIs(result.plot("B.fx", ax=axes), axes)


class Documents(unittest.TestCase):
    def test_models_of_every_kind(self):
        document = quick()
        path = write("model.json", json.dumps(document))
        for given in (path, json.dumps(document), json.dumps(document).encode(),
                      {**document, "gravity": np.array([0, -9.81])}):
            np.testing.assert_array_equal(mbsd.run(given)["uT"], mbsd.run(document)["uT"])
        with self.assertRaises(FileNotFoundError):
            mbsd.run(path_of("nothing.json"))

    def test_another_analysis(self):
        document = quick(t_end=1, dt=0.1)
        for given in (document, {"model": document}, {"model": document, "analysis": document["analysis"]}):
            self.assertEqual(mbsd.run(given, analysis={"t_end": 0.5})["T"].tolist()[-1], 0.5)
            self.assertEqual(len(mbsd.run(given, analysis={"type": "assembly"})["uT"]), 1)

    def test_every_error_at_its_pointer(self):
        document = quick()
        document["bodies"][0]["mass"] = -1
        document["joints"][0]["points"][1] = "link.a"
        wanted = ["/bodies/0/mass", "/joints/0/points/1"]
        for model, analysis, pointers in (
                (document, None, wanted), (document, {"dt": 0}, ["/analysis/dt", *wanted]),
                ({"model": document}, None, ["/model" + pointer for pointer in wanted])):
            with self.assertRaises(mbsd.InvalidModel) as raised:
                mbsd.run(model, analysis=analysis)
            self.assertEqual(sorted(mistake.pointer for mistake in raised.exception.errors), sorted(pointers))
            self.assertIn("/bodies/0/mass: mass must be at least 0", str(raised.exception))

    def test_a_text_that_is_no_json(self):
        for analysis in (None, {"dt": 0.1}):
            with self.assertRaises(mbsd.InvalidModel) as raised:
                mbsd.run('{"name": "x",\n oops}', analysis=analysis)
            self.assertEqual(raised.exception.line, 2)

    def test_a_run_that_fails(self):
        with self.assertRaises(mbsd.JobFailed) as raised:
            mbsd.run(falling("1/(t - 0.5)"))
        failed = raised.exception
        self.assertEqual((failed.result.status, failed.code), ("failed", failed.result.error["code"]))
        self.assertLess(failed.t, 0.6)
        self.assertGreater(len(failed.result["T"]), 1)  # finished rows are available
        self.assertEqual(mbsd.run(falling("1/(t - 0.5)"), check=False).error["code"], failed.code)

    def test_an_import(self):
        path = write("arm.urdf", '<robot name="arm"><link name="base"/><link name="rod"><inertial><mass value="2"/>'
                     '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="pin" '
                     'type="revolute"><parent link="base"/><child link="rod"/><axis xyz="0 0 1"/>'
                     '<limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>')
        model, notes = mbsd.import_(path)
        self.assertEqual([joint["name"] for joint in model["joints"]], ["pin"])
        self.assertIn("dropped", {note["level"] for note in notes})
        self.assertEqual(mbsd.run(model, analysis={"t_end": 1, "dt": 0.1})["T"].shape, (11,))
        with self.assertRaisesRegex(mbsd.InvalidModel, "arm.urdf:1: the root 'base' has no inertia"):
            mbsd.import_(path, floating=True, format="urdf")
        with self.assertRaises(FileNotFoundError):
            mbsd.import_(path_of("nothing.urdf"))
        with self.assertRaises(mbsd.InvalidModel) as raised:
            mbsd.import_(write("arm.xml", "<robot><link></robot>"))
        self.assertEqual((raised.exception.problem["code"], raised.exception.line), ("not_well_formed", 1))
        with self.assertRaises(mbsd.InvalidModel) as raised:
            mbsd.import_(write("arm.mjcf", "<mujoco><worldbody><body><composite/></body></worldbody></mujoco>"))
        self.assertTrue(raised.exception.errors)

    def test_an_export(self):
        path = path_of("SP.fmu")
        mbsd.export_fmu("models/SP.json", path, fmi="3.0", outputs=["pin.q"])
        with zipfile.ZipFile(path) as archive:
            self.assertIn(b'fmiVersion="3.0"', archive.read("modelDescription.xml"))
        with self.assertRaisesRegex(mbsd.InvalidModel, "pin.w"):
            mbsd.export_fmu("models/SP.json", path, outputs=["pin.q", "pin.w"])
        with self.assertRaises(mbsd.InvalidModel) as raised:
            mbsd.export_fmu("{", path)
        self.assertEqual(raised.exception.problem["code"], "malformed_json")


class Batches(unittest.TestCase):
    def model(self, **analysis):
        document = quick(**analysis)
        document["parameters"] = {"L": 1, "k": 2, "m": 2}
        document["bodies"][0]["mass"] = "m"
        document["sensors"] = [{"name": "height", "value": "L*link1.y"}]
        return document

    outputs = [{"name": "h", "of": "height", "take": "max"}, {"name": "end", "of": "k*L*link1.y"}]

    def test_values_outputs_and_derivatives(self):
        model = self.model(integrator={"rtol": 1e-12, "atol": 1e-12})
        batch = mbsd.batch(model, {"L": [1, 2, 3], "k": 2}, outputs=self.outputs, gradient=True)
        self.assertEqual((batch.parameter_names, batch.output_names), (["L", "k"], ["h", "end"]))
        np.testing.assert_array_equal(batch.parameters, [[1, 2], [2, 2], [3, 2]])
        self.assertEqual((batch.status.tolist(), batch.failures), ([0, 0, 0], []))
        heights = batch.outputs / batch.parameters[:, :1]
        np.testing.assert_allclose(heights, heights[:1].repeat(3, 0), rtol=1e-14)
        self.assertEqual(batch.gradient.shape, (3, 2, 2))
        np.testing.assert_allclose(batch.gradient[:, :, 0], heights, rtol=1e-9)
        np.testing.assert_allclose(batch.gradient[:, 1, 1], batch.outputs[:, 1] / 2, rtol=1e-9)

    def test_threads_do_not_change_bits(self):
        values = {"m": np.linspace(1, 2, 1000)}
        model = self.model(t_end=5)
        path = write("study.json", json.dumps({"model": model, "study": {
            "vary": [{"parameter": "m", "values": values["m"].tolist()}], "design": "list", "outputs": self.outputs}}))
        with np.load(os.path.join(run_mbs(path, "study", "--npz"), "results.npz")) as arrays:
            for workers in (1, 2, 5, None):
                batch = mbsd.batch(model, values, outputs=self.outputs, workers=workers)
                for name in ("parameters", "outputs", "status"):
                    self.assertEqual(batch.result[name].tobytes(), arrays[name].tobytes(), (name, workers))

    def test_failures_and_errors(self):
        batch = mbsd.batch(self.model(), {"m": [2, -1]}, outputs=self.outputs)
        self.assertEqual(batch.status.tolist(), [0, 1])
        self.assertTrue(np.isnan(batch.outputs[1]).all())
        self.assertEqual((batch.failures[0]["pointer"], batch.failures[0]["count"]), ("/bodies/0/mass", 1))
        self.assertEqual(mbsd.batch(self.model(), {"m": -1}, outputs=self.outputs).status.tolist(), [1])
        with self.assertRaises(mbsd.InvalidModel) as raised:
            mbsd.batch(self.model(), {"K": [1]}, outputs=[{"name": "h", "of": "heigth"}])
        self.assertEqual(sorted(mistake.pointer for mistake in raised.exception.errors),
                         ["/study/outputs/0/of", "/study/vary/0/parameter"])

    def test_cancelling(self):
        def stop(progress):
            if progress.fraction > 0.01:
                raise LookupError("enough")

        with self.assertRaisesRegex(LookupError, "enough"):
            mbsd.batch(self.model(t_end=1000), {"m": np.linspace(1, 2, 10000)}, outputs=self.outputs, progress=stop)


class Builder(unittest.TestCase):
    def pendulum(self):
        m = mbsd.Model("pendulum", gravity=[0, -9.81])
        length = m.parameter("L", 1.0)
        origin = m.ground.point("O", [0, 0])
        bob = m.body("bob", mass=2, inertia=0.2, points={"B": [0, length / 2]})
        m.sensor("height", bob.y)
        m.joint("revolute", "pin", [origin, bob["B"]], initial={"position": 0.5})
        return m

    document = {
        "name": "pendulum", "space": "planar", "gravity": [0, -9.81], "parameters": {"L": 1.0},
        "ground": {"points": {"O": [0, 0]}},
        "bodies": [{"name": "bob", "mass": 2, "inertia": 0.2, "points": {"B": [0, "L/2"]}}],
        "sensors": [{"name": "height", "value": "bob.y"}],
        "joints": [{"type": "revolute", "name": "pin", "points": ["ground.O", "bob.B"], "initial": {"position": 0.5}}]}

    def test_a_document(self):
        m = self.pendulum()
        self.assertEqual(m.document, self.document)
        analysis = {"type": "dynamics", "t_end": 1, "dt": 0.1}
        wanted = mbsd.run(self.document, analysis=analysis)["uT"]
        np.testing.assert_array_equal(mbsd.run(m, analysis=analysis)["uT"], wanted)
        m.analysis(**analysis)
        np.testing.assert_array_equal(mbsd.run(m)["uT"], wanted)
        self.assertEqual(mbsd.run(m, analysis={"t_end": 0.5})["T"][-1], 0.5)
        batch = mbsd.batch(m, {"L": [1, 2, 3]}, outputs=[{"name": "h", "of": "height", "take": "max"}])
        self.assertEqual(batch.outputs.shape, (3, 1))

    def test_a_document_that_exists(self):
        m = mbsd.Model.from_document(self.document)
        self.assertEqual(m.document, self.document)
        m.driver("joint", "motor", joint=m["pin"], function=f"{m['L']}*t")
        m.sensor("angle", m["pin"].q - m["bob"].phi)
        m["bob"].point("C", np.array([0.0, 1.0]))
        self.assertEqual(m.document["bodies"][0]["points"]["C"], [0, 1])
        self.assertEqual(m.document["sensors"][1]["value"], "pin.q - bob.phi")
        self.assertEqual(len(self.document["sensors"]), 1)
        with self.assertRaisesRegex(KeyError, "did you mean 'bob'"):
            m["bop"]

    def test_expressions(self):
        m = self.pendulum()
        L, bob = m["L"], m["bob"]
        for expression, text in ((L + 1, "L + 1"), (2 * (L + 1), "2*(L + 1)"), (1 - L / 2, "1 - (L/2)"),
                                 (-bob.y ** 2, "-(bob.y^2)"), (np.float64(0.5) * L, "0.5*L"), (1e-9 * L, "1e-09*L"),
                                 ((L > 1) & (bob.y < -0.5), "(L > 1) && (bob.y < (-0.5))")):
            self.assertEqual(expression, text)
        square = m.function("square", {"arguments": ["x"], "value": "x^2"})
        m.sensor("squared", square(bob.y) / 2)
        result = mbsd.run(m, analysis={"t_end": 1, "dt": 0.1})
        np.testing.assert_allclose(result.squared, result.height ** 2 / 2, rtol=1e-15)
        with self.assertRaisesRegex(TypeError, "known only during a run"):
            0 < L < 3

    def test_a_mistake_is_raised_where_it_was_typed(self):
        m = self.pendulum()
        before, bob = m.document, m["bob"]
        for call, pointer in ((lambda: m.sensor("h", bob.yy), "/sensors/1/value"),
                              (lambda: m.body("rod", mass=-1, inertia=1), "/bodies/1/mass"),
                              (lambda: m.body("bob", mass=1, inertia=1), "/bodies/1/name"),
                              (lambda: m.joint("revolute", "p", ["ground.O", "bob.Q"]), "/joints/1/points/1"),
                              (lambda: m.joint("revolute", "p", m["pin"]), "/joints/1/points"),
                              (lambda: bob.point("C", [0, 0, 0]), "/bodies/0/points/C"),
                              (lambda: bob.shape("circle", radios=1), "/bodies/0/shapes/0/radios"),
                              (lambda: m.parameter("k", "2*q"), "/parameters/k"),
                              (lambda: m.analysis(t_ende=1), "/analysis/t_ende"),
                              (lambda: mbsd.Model(gravitation=[0, 1]), "/gravitation")):
            with self.assertRaises(mbsd.InvalidModel) as raised:
                call()
            self.assertIn(pointer, [mistake.pointer for mistake in raised.exception.errors])
        for call, kind in ((lambda: m.joint("revolut", "p"), ValueError), (lambda: bob["C"], KeyError),
                           (lambda: m.sensor("a", "1", "m", 4), TypeError),
                           (lambda: m.sensor("a", name="b"), TypeError),
                           (lambda: m.body("rod", mass=object(), inertia=1), TypeError)):
            with self.assertRaises(kind):
                call()
        left = {key: value for key, value in m.document.items() if value}
        left["bodies"][0] = {key: value for key, value in left["bodies"][0].items() if value != []}
        self.assertEqual(left, before)

    def test_models_of_the_gallery(self):
        """A builder makes each model from its parts, if an element comes before those that name it."""
        for name in ("SC", "QuarterCar", "SliderCrank3D", "DcMotor", "BouncingBall", "InvertedPendulumPid"):
            with open(os.path.join(MODELS, name + ".json"), encoding="utf-8") as file:
                wanted = json.load(file)
            m = mbsd.Model(wanted["name"], **{key: wanted[key] for key in ("space", "description", "gravity", "view")
                                              if key in wanted}, check=False)
            for key, value in wanted.items():
                singular = {"bodies": "body", "sampled": "sampled"}.get(key, key[:-1])
                if key == "ground":
                    m._document["ground"] = value
                elif key == "analysis":
                    m.analysis(**value)
                elif isinstance(value, dict) and key != "view":
                    for entry in value.items():
                        getattr(m, singular)(*entry)
                elif isinstance(value, list) and key != "gravity":
                    for fields in value:
                        getattr(m, singular)(**fields)
            self.assertEqual(m.document, wanted)

    def test_methods_come_from_the_schema(self):
        with open(os.path.join(TOP, "schemas", "model.schema.json"), encoding="utf-8") as file:
            schema = json.load(file)["$defs"]
        for type in schema["joint"]["properties"]["type"]["enum"]:
            self.assertIn(f"\n{type}: {schema['joint-' + type]['description'][:20]}", mbsd.Model.joint.__doc__)
        for name in ("body", "joint", "force", "driver", "state", "signal", "event", "sampled", "sensor", "parameter",
                     "function", "variable", "analysis", "view"):
            self.assertTrue(callable(getattr(mbsd.Model, name)), name)


class Running(unittest.TestCase):
    def test_progress_and_cancelling(self):
        seen = []

        def stop(progress):
            seen.append(progress)
            if len(seen) == 3:
                raise LookupError("enough")

        with self.assertRaisesRegex(LookupError, "enough"):
            mbsd.run(endless(), progress=stop)
        self.assertEqual({progress.status for progress in seen}, {"running"})
        self.assertLess(seen[0].t, seen[-1].t)

    def test_an_interrupt_ends_a_run(self):
        script = f"import mbsd\nprint('begins', flush=True)\nmbsd.run({path_of('endless.json')!r})"
        write("endless.json", json.dumps(endless()))
        with subprocess.Popen([python, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True) as process:
            self.assertEqual(process.stdout.readline(), "begins\n")
            process.send_signal(signal.SIGINT)
            error = process.communicate()[1]
        self.assertTrue(error.rstrip().endswith("KeyboardInterrupt"), error)
        self.assertEqual(process.returncode, -signal.SIGINT)

    def test_threads(self):
        wanted = mbsd.run(quick())["uT"].tobytes()
        begun = threading.Barrier(4)

        def run(_):
            begun.wait()
            return [mbsd.run(quick())["uT"].tobytes() for _ in range(20)]

        self.assertEqual(in_threads(4, run), [[wanted] * 20] * 4)

    def test_the_client_alone(self):
        """Without the library the client can be imported, and a run says what is missing."""
        shutil.copy(os.path.join(TOP, "clients", "python", "mbsd.py"), os.path.join(folder, "mbsd.py"))
        script = "from mbsd import *; import mbsd; Client(); assert 'run' in dir(mbsd); mbsd.run"
        done = subprocess.run([sys.executable, "-c", script], cwd=folder, capture_output=True, text=True)
        os.remove(path_of("mbsd.py"))
        self.assertRegex(done.stderr, r"ImportError: mbsd was installed without its library.*run --build-only")


def cart(**fields):
    """Returns a cart of 2 kg on a rail, pushed by the input u."""
    return {"space": "planar", "gravity": [0, 0], "parameters": {"m": 2}, "inputs": {"u": 0},
            "ground": {"points": {"O": [0, 0]}, "vectors": {"e": [1, 0]}},
            "bodies": [{"name": "cart", "mass": "m", "inertia": 1, "points": {"C": [0, 0]}, "vectors": {"e": [1, 0]}}],
            "joints": [{"name": "rail", "type": "translational", "points": ["ground.O", "cart.C"],
                        "vectors": ["ground.e", "cart.e"]}],
            "forces": [{"name": "push", "type": "force", "body": "cart", "value": ["u", 0]}], **fields}


class Steps(unittest.TestCase):
    def test_inputs_hold_during_a_step(self):
        simulation = mbsd.Simulation(cart(), inputs=["u"], dt=0.1)
        self.assertEqual(simulation.outputs, ["rail.q", "rail.qd"])
        x = v = 0.0
        for force in (4, -2, 0, 7.5):
            x, v = x + 0.1 * v + 0.01 * force / 4, v + 0.1 * force / 2
            np.testing.assert_allclose(simulation.step([force]), [x, v], atol=1e-13)
        np.testing.assert_allclose(simulation.step(), [x + 0.1 * v + 0.01 * 7.5 / 4, v + 0.1 * 7.5 / 2], atol=1e-13)
        self.assertAlmostEqual(simulation.t, 0.5, delta=1e-15)
        self.assertEqual(simulation["push.fx"], 7.5)
        self.assertEqual(simulation.units["rail.qd"], "m/s")

    def test_reset(self):
        simulation = mbsd.Simulation(cart(sensors=[{"name": "force", "value": "u"}]), dt=0.1)
        self.assertEqual((simulation.inputs, simulation.outputs, simulation.parameters), (["u"], ["force"], {"m": 2}))
        simulation.step([3])
        np.testing.assert_array_equal(simulation.reset({"m": 4}, {"rail": 0.5}), [0])
        simulation.step([4])
        self.assertAlmostEqual(simulation["rail.q"], 0.505, delta=1e-15)
        self.assertAlmostEqual(simulation["rail.qd"], 0.1, delta=1e-15)
        simulation.reset(initial={"rail": {"velocity": 2}})
        self.assertEqual((simulation.t, simulation["rail.q"], simulation["rail.qd"]), (0, 0, 2))
        for wrong, pointer in ((dict(parameters={"M": 1}), "/parameters/M"),
                               (dict(initial={"rial": 1}), "/initial/rial"),
                               (dict(initial={"rail": [1, 2]}), "/joints/0/initial/position")):
            with self.assertRaises(mbsd.InvalidModel) as raised:
                simulation.reset(**wrong)
            self.assertEqual([mistake.pointer for mistake in raised.exception.errors], [pointer])
        self.assertEqual(simulation["rail.qd"], 2)

    def test_states_have_the_same_bits(self):
        path = os.path.join(MODELS, "NewtonsCradle.json")
        one, two = mbsd.Simulation(path, dt=0.03), mbsd.Simulation(path, dt=0.03)
        for _ in range(10):
            one.step()
        state = one.state
        rows = [one.step() for _ in range(10)]
        one.state = two.state = state
        np.testing.assert_array_equal([one.step() for _ in range(10)], rows)
        np.testing.assert_array_equal([two.step() for _ in range(10)], rows)
        with self.assertRaisesRegex(mbsd.StepFailed, "damaged"):
            two.state = state[:-20] + bytes([state[-20] ^ 1]) + state[-19:]
        two.reset(initial={"A": 0.1})
        with self.assertRaisesRegex(mbsd.StepFailed, "another document, or to other changes"):
            two.state = state

    def test_inputs_are_part_of_the_state(self):
        simulation = mbsd.Simulation(cart(), dt=0.1)
        simulation.step([4])
        state = simulation.state
        simulation.step([-1])
        simulation.state = state
        self.assertEqual(simulation["push.fx"], 4)
        np.testing.assert_allclose(simulation.step(), [0.04, 0.4], atol=1e-15)

    def test_names_of_inputs(self):
        document = cart(parameters={"m": 2, "k": 3})
        document["forces"][0]["value"] = ["k + u", 0]
        simulation = mbsd.Simulation(document, inputs=["k", "w"], dt=0.1)
        self.assertEqual(simulation["push.fx"], 3)
        np.testing.assert_allclose(simulation.step([4, 0]), [0.01, 0.2], atol=1e-15)
        with self.assertRaisesRegex(mbsd.InvalidModel, "'m' is an input"):
            mbsd.Simulation(cart(), inputs=["m"])

    def test_failures_change_nothing(self):
        simulation = mbsd.Simulation(cart(), dt=0.1)
        simulation.step([4])
        state = simulation.state
        for call, kind, said in ((lambda: simulation.step([1, 2]), ValueError, "1 numbers: u"),
                                 (lambda: simulation.step([np.nan]), mbsd.StepFailed, "'u' must be a finite number"),
                                 (lambda: simulation.step([1], dt=0), mbsd.StepFailed, "must be greater than 0"),
                                 (lambda: simulation["rail.p"], KeyError, "did you mean 'rail.q'")):
            with self.assertRaisesRegex(kind, said):
                call()
        self.assertEqual(simulation.state, state)
        walled = mbsd.Simulation(falling("sqrt(0.5 - t)"), dt=0.1)
        with self.assertRaises(mbsd.StepFailed) as raised:
            for _ in range(10):
                walled.step()
        self.assertEqual(raised.exception.element, "wind")
        self.assertAlmostEqual(raised.exception.t, 0.5, delta=1e-3)
        self.assertAlmostEqual(walled.t, 0.5, delta=1e-12)

    def test_builder(self):
        model = mbsd.Model.from_document(cart(inputs={}, forces=[]))
        u = model.input("u", 1)
        model.force("force", "push", body="cart", value=[2 * u, 0])
        np.testing.assert_allclose(mbsd.Simulation(model, dt=1).step(), [0.5, 1])

    def test_vector(self):
        masses, forces = np.arange(1.0, 9.0), np.linspace(-1, 1, 8)[:, np.newaxis]
        rows = {}
        for workers in (1, 3):
            vector = mbsd.VectorSimulation(cart(), len(masses), inputs=["u"], dt=0.1, workers=workers)
            vector.reset(parameters={"m": masses}, initial={"rail": 0.25})
            rows[workers] = [vector.step(forces * k) for k in range(5)]
            self.assertFalse(vector.failed.any())
            np.testing.assert_allclose(vector.t, 0.5)
        np.testing.assert_array_equal(rows[1], rows[3])
        np.testing.assert_allclose(rows[1][1][:, 1], 0.1 * forces[:, 0] / masses, atol=1e-15)

    def test_members_that_fail(self):
        document = falling("sqrt(stop - t)")
        document["parameters"] = {**document.get("parameters", {}), "stop": 9}
        vector = mbsd.VectorSimulation(document, 3, dt=0.1)
        vector.reset(parameters={"stop": [9, 0.25, 9]})
        for _ in range(4):
            values = vector.step()
        self.assertEqual(vector.failed.tolist(), [False, True, False])
        self.assertEqual(np.isnan(values).any(axis=1).tolist(), [False, True, False])
        self.assertEqual(vector.errors[1].element, "wind")
        self.assertFalse(np.isnan(vector.reset(members=[1])).any())
        self.assertFalse(vector.failed.any())


class StandIn:
    """The parts of the package gymnasium that mbsd.gym uses, for systems without it."""

    class Env:
        def reset(self, *, seed=None, options=None):
            if seed is not None or not hasattr(self, "np_random"):
                self.np_random = np.random.default_rng(seed)

    class spaces:
        class Box:
            def __init__(self, low, high, shape=None, dtype=np.float32):
                self.low, self.high = np.broadcast_to(low, shape or np.shape(low)), np.broadcast_to(high, shape or
                                                                                                      np.shape(high))
                self.shape, self.dtype = self.low.shape, dtype


class Environments(unittest.TestCase):
    def setUp(self):
        if not importlib.util.find_spec("gymnasium"):
            sys.modules["gymnasium"] = StandIn
            self.addCleanup(sys.modules.pop, "gymnasium")

    def test_episode(self):
        env = mbsd.gym.Env(cart(), ["u"], ["rail.q", "rail.qd"], "-rail.q^2 - 0.1*u^2", "abs(rail.q) > 0.5", 0.5,
                           limits=(-5, 5), steps=6, start=lambda random: {"initial": {"rail": random.uniform(0, 0.5)}})
        self.assertEqual((env.action_space.shape, env.observation_space.shape), ((1,), (2,)))
        self.assertEqual(float(env.action_space.high[0]), 5)
        first, info = env.reset(seed=3)
        np.testing.assert_array_equal(env.reset(seed=3)[0], first)
        self.assertEqual(info, {"t": 0})
        observation, reward, terminated, truncated, info = env.step(np.array([1], dtype=np.float32))
        np.testing.assert_allclose(observation, [first[0] + 0.0625, 0.25], atol=1e-14)
        self.assertAlmostEqual(reward, -observation[0]**2 - 0.1, delta=1e-14)
        self.assertEqual((terminated, truncated, info), (False, False, {"t": 0.5}))
        self.assertTrue(env.step([5])[2])
        self.assertEqual([env.step([0])[3] for _ in range(4)], [False, False, False, True])
        np.testing.assert_allclose(env.reset(options={"initial": {"rail": 0.125}})[0], [0.125, 0])

    def test_functions_and_failures(self):
        env = mbsd.gym.Env(falling("sqrt(0.5 - t)"), [], ["pin1.q"], lambda simulation: simulation.t, None, 0.2)
        env.reset()
        made = [env.step([]) for _ in range(3)]
        self.assertEqual([row[2] for row in made], [False, False, True])
        self.assertAlmostEqual(made[1][1], 0.4, delta=1e-12)
        self.assertEqual(made[2][1], 0)
        self.assertIn("wind", made[2][4]["error"])
        self.assertTrue(np.isfinite(made[2][0]).all())



class Notebooks(unittest.TestCase):
    def test_cells_run_in_order(self):
        if not importlib.util.find_spec("matplotlib"):
            lacks("python3-matplotlib")
        paths = glob.glob(os.path.join(TOP, "examples", "*.ipynb"))
        self.assertTrue(paths)
        for path in paths:
            with self.subTest(notebook=os.path.basename(path)):
                with open(path, encoding="utf-8") as file:
                    cells = json.load(file)["cells"]
                program = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
                done = subprocess.run([python, "-c", program], capture_output=True, text=True,
                                      env={**os.environ, "MPLBACKEND": "Agg"})
                self.assertEqual((done.returncode, done.stderr), (0, ""))



if __name__ == "__main__":
    unittest.main()
