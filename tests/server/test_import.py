"""mbs import: models of other programs. tests/reference/imports/NAME/in/ has a source, expect.json what must come of
it: summary, masses, states, motions, and notes, each of which must be among those of the import."""

import itertools
import json
import os
import pathlib
import subprocess
import tarfile
import tempfile
import time
import unittest
import zipfile

MBS = os.environ.get("MBS", "build/dev/mbs")
REFERENCE = pathlib.Path("tests/reference/imports")


def mbs(*arguments, **options):
    return subprocess.run([MBS, *map(str, arguments)], capture_output=True, text=True, timeout=600, **options)


def flat(rows):
    return [value for row in rows for value in flat(row)] if isinstance(rows, list) else [rows]


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def write(self, path, text):
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def convert(self, source, *options):
        """Returns the document and the notes."""
        done = mbs("import", source, *options)
        self.assertIn(done.returncode, (0, 3), done.stderr)  # 3: the model cannot be assembled
        return json.loads(done.stdout), done.stderr

    def refused(self, source, *options):
        """Returns the messages of a source that is refused."""
        done = mbs("import", source, *options)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stdout, "")
        return done.stderr

    def run_model(self, model, analysis):
        """Returns the last row of all arrays by label, and the arrays."""
        out = self.folder / "out"
        document = self.write("run.json", json.dumps({"model": model, "analysis": analysis}))
        done = mbs("run", document, "--out", out, "--json")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        arrays = [json.loads(file.read_text()) for file in out.glob("[!.]*.json")]
        values = {}
        for array in arrays:
            last = flat(array["data"][-1:])
            if len(array.get("labels") or []) == len(last):
                values.update({label: value for label, value in zip(array["labels"], last) if label not in values})
        return values, {array["name"]: array for array in arrays}


class References(Folder):
    def near(self, value, expected, tolerance, what):
        self.assertLessEqual(abs(value - expected), tolerance * max(1, abs(expected)), (what, value, expected))

    def check_values(self, values, state):
        for label, expected in state["labels"].items():
            self.near(values[label], expected, state["tol"], label)
        for body, expected in state.get("orientation", {}).items():
            p = [values[f"{body}.e{k}"] for k in range(4)]
            sign = 1 if sum(a * b for a, b in zip(p, expected)) > 0 else -1
            for a, b in zip(p, expected):
                self.near(a * sign, b, state["tol"], body)

    def check_state(self, model, state):
        model = json.loads(json.dumps(model))
        for joint in model["joints"]:
            if joint["name"] in state.get("set", {}):
                joint.setdefault("initial", {})["position"] = state["set"][joint["name"]]
        analysis = {**model.pop("analysis", {}), **state["analysis"]}
        self.check_values(self.run_model(model, analysis)[0], state)

    def check(self, folder):
        expected = json.loads((folder / "expect.json").read_text())
        files = list((folder / "in").iterdir())
        source = files[0] if len(files) == 1 else folder / "in"
        model, _ = self.convert(source, *expected.get("options", []))
        self.near(sum(body["mass"] for body in model["bodies"]), expected["total_mass"], 1e-9, "mass")
        for state in expected.get("states", []):
            with self.subTest(folder=folder.name, state=state["name"]):
                self.check_state(model, state)
        if "motion" in expected:
            values = self.run_model(model, expected["motion"]["analysis"])[0]
            self.check_values(values, expected["motion"])
        for kind, names in expected.get("must_name", {}).items():
            places = [f"{body['name']}.{point}" for body in [{"name": "ground", **model["ground"]}, *model["bodies"]]
                      for point in body.get("points", {})]
            self.assertLessEqual(set(names), set(places if kind == "points" else [e["name"] for e in model[kind]]))
        # The same by the interface of the service, which also gives notes and summary.
        report = json.loads(mbs("import", source, "--report", *expected.get("options", [])).stdout)
        self.assertEqual(report["format"], expected["format"])
        self.assertEqual(report["model"], model)
        self.assertLessEqual(expected["summary"].items(), report["summary"].items())
        for note in expected.get("notes", []):
            self.assertTrue(any(note.items() <= other.items() for other in report["notes"]), (note, report["notes"]))

    def test_all(self):
        folders = sorted(REFERENCE.iterdir())
        self.assertTrue(folders)
        for folder in folders:
            with self.subTest(folder=folder.name):
                self.check(folder)


LINK = '<link name="{0}"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>' \
       '</inertial></link>'


class Archives(Folder):
    URDF = f'<robot name="r"><link name="g"/>{LINK.format("a")}<joint name="j" type="continuous"><parent link="g"/>' \
           '<child link="a"/></joint></robot>'

    def zipped(self, files):
        path = self.folder / "source.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, text in files.items():
                archive.writestr(name, text)
        return path

    def test_folder_zip_and_tar_give_the_same(self):
        self.write("robot/a/robot.urdf", self.URDF)
        self.write("robot/readme.txt", "no model")
        tar = self.folder / "robot.tar.gz"
        with tarfile.open(tar, "w:gz") as archive:
            archive.add(self.folder / "robot", "robot")
        sources = (self.folder / "robot" / "a" / "robot.urdf", self.folder / "robot", tar,
                   self.zipped({"robot/a/robot.urdf": self.URDF, "robot/readme.txt": "no model"}))
        self.assertEqual(len({json.dumps(self.convert(source)[0]) for source in sources}), 1)

    def test_main_file(self):
        source = self.zipped({"one.urdf": self.URDF, "two.urdf": self.URDF.replace('"r"', '"s"')})
        self.assertIn("choose one as main", self.refused(source))
        self.assertEqual(self.convert(source, "--main", "two.urdf")[0]["name"], "s")
        self.assertIn("no file 'three.urdf'", self.refused(source, "--main", "three.urdf"))
        self.assertIn("leaves the source", self.refused(source, "--main", "../two.urdf"))

    def test_paths_that_leave(self):
        for path in ("../robot.urdf", "/robot.urdf", "a/../../robot.urdf", "a\\..\\robot.urdf", "c:/robot.urdf"):
            with self.subTest(path=path):
                self.assertIn("leaves the archive", self.refused(self.zipped({path: self.URDF})))

    def test_links(self):
        tar = self.folder / "links.tar.gz"
        with tarfile.open(tar, "w:gz") as archive:
            for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE):
                link = tarfile.TarInfo("robot.urdf")
                link.type, link.linkname = kind, "/etc/passwd"
                archive.addfile(link)
        self.assertIn("is a link", self.refused(tar))
        self.write("folder/other.urdf", self.URDF)
        (self.folder / "folder" / "robot.urdf").symlink_to("/etc/passwd")
        self.assertIn("is a link", self.refused(self.folder / "folder"))

    def test_too_large(self):
        zeros = bytes(64 << 20)
        self.assertIn("times as large as the archive", self.refused(self.zipped({"robot.urdf": zeros})))
        self.assertIn("more than 5000 files", self.refused(self.zipped({f"{i}.txt": "" for i in range(5001)})))

    def test_damaged(self):
        whole = self.zipped({"robot.urdf": self.URDF * 100}).read_bytes()
        for name, data in (("cut.zip", whole[:200]), ("changed.zip", whole[:60] + b"\xff" * 40 + whole[100:]),
                           ("empty.zip", b"PK\x05\x06" + bytes(18))):
            with self.subTest(name=name):
                (self.folder / name).write_bytes(data)
                self.refused(self.folder / name)

    def test_unknown(self):
        for name, text in (("a.txt", "text"), ("b.xml", "<other/>"), ("c.json", "{}")):
            self.assertIn("choose adm, dap, mjcf, robotran, sdf or urdf with --format\n",
                          self.refused(self.write(name, text)))
        self.assertIn("the source is empty", self.refused(self.write("d", "")))
        self.assertIn("no format 'x'", self.refused(self.write("robot.urdf", self.URDF), "--format", "x"))
        self.assertEqual(mbs("import", self.folder / "missing").returncode, 1)
        self.assertEqual(mbs("import").returncode, 1)

    def test_output_file(self):
        source, out = self.write("robot.urdf", self.URDF), self.folder / "model.json"
        self.assertEqual(mbs("import", source, "-o", out).returncode, 0)
        self.assertEqual(json.loads(out.read_text()), self.convert(source)[0])
        self.assertEqual(mbs("import", source, "-o", self.folder / "missing" / "model.json").returncode, 1)
        before = sorted(self.folder.iterdir())
        bad = self.write("bad.urdf", "<robot>")
        self.assertEqual(mbs("import", bad, "-o", out).returncode, 2)
        self.assertEqual(json.loads(out.read_text())["name"], "r")
        self.assertEqual(sorted(self.folder.iterdir()), sorted([*before, bad]))

    def test_output_that_is_no_file(self):
        """Links, pipes and devices are written to; a file takes the place of files only."""
        source, link = self.write("robot.urdf", self.URDF), self.folder / "link.json"
        link.symlink_to("model.json")
        self.assertEqual(mbs("import", source, "-o", link).returncode, 0)
        self.assertTrue(link.is_symlink())
        self.assertEqual(json.loads((self.folder / "model.json").read_text())["name"], "r")
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE, text=True) as reader:
            self.assertEqual(mbs("import", source, "-o", pipe).returncode, 0)
            self.assertEqual(json.loads(reader.communicate()[0])["name"], "r")


class Xml(Folder):
    def test_entities(self):
        laughs = '<!DOCTYPE robot [<!ENTITY a "ha">' + "".join(
            f'<!ENTITY {chr(98 + i)} "{f"&{chr(97 + i)};" * 10}">' for i in range(9)) + ']><robot name="&j;"/>'
        for name, text in (("laughs", laughs), ("type", '<!DOCTYPE robot><robot name="r"/>'),
                           ("file", '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><robot name="&x;"/>'),
                           ("external", '<!DOCTYPE robot SYSTEM "http://127.0.0.1:9/x.dtd"><robot name="r"/>'),
                           ("xinclude", '<robot name="r" xmlns:xi="http://www.w3.org/2001/XInclude">'
                                        '<xi:include href="file:///etc/passwd"/></robot>'),
                           ("unknown", '<robot name="&x;"/>')):
            with self.subTest(name=name):
                start = time.monotonic()
                self.assertIn("not accepted", self.refused(self.write(f"{name}.urdf", text), "--format", "urdf"))
                self.assertLess(time.monotonic() - start, 5)

    def test_not_well_formed(self):
        bad = '<robot name="r">\n  <link name="a"/>\n  <link name="b" name="c"/>'
        error = self.refused(self.write("bad.urdf", bad))
        self.assertRegex(error, r"bad.urdf:3:\d+: error: .*Attribute name redefined")
        self.assertIn("not well-formed", self.refused(self.write("cut.urdf", '<robot name="r"><link')))
        self.assertIn("not well-formed", self.refused(self.write("bytes.urdf", '<robot name="\x01"/>')))

    def test_depth(self):
        deep = '<robot name="r">' + "<a>" * 100000 + "</a>" * 100000 + "</robot>"
        self.assertIn("256 deep", self.refused(self.write("deep.urdf", deep)))

    def test_line_of_the_start_tag(self):
        text = f'<robot name="r"><link name="g"/>{LINK.format("a")}\n<joint name="j" type="continuous">' \
               '<parent link="g"/><child link="a"/>\n\n<limit\n lower="-1"\n upper="1"/></joint></robot>'
        self.assertIn('robot.urdf:4: dropped: the model does not contain: <limit lower="-1" upper="1"/>',
                      self.convert(self.write("robot.urdf", text))[1])


    def test_errors_of_the_document_are_at_their_lines(self):
        text = '<mujoco><worldbody>\n<body>\n<joint armature="-1"/><geom size="1"/></body></worldbody></mujoco>'
        self.assertIn("model.xml:3: error: armature must be at least 0", self.refused(self.write("model.xml", text)))
        text = '<sdf version="1.9"><model name="m"><link name="a"/>\n' \
               '<joint name="j" type="fixed"><parent>a</parent><child>a</child></joint></model></sdf>'
        self.assertIn("m.sdf:2: error: both points are on 'a'", self.refused(self.write("m.sdf", text)))

    def test_encodings(self):
        text = f'<robot name="r">\n<link name="g"/>{LINK.format("a")}\n<joint name="j" type="continuous">' \
               '<parent link="g"/><child link="a"/><limit effort="1"/></joint></robot>'
        for encoding in ("UTF-8", "UTF-16", "UTF-16LE", "UTF-16BE", "ISO-8859-1"):
            with self.subTest(encoding=encoding):
                source = self.folder / "robot.urdf"
                source.write_bytes(f'<?xml version="1.0" encoding="{encoding[:6] if "16" in encoding else encoding}"?>\n{text}'
                                   .encode(encoding))
                model, notes = self.convert(source)
                self.assertEqual(model["bodies"][0]["name"], "a")
                self.assertIn("robot.urdf:4: dropped: the model does not contain: <limit", notes)


class Urdf(Folder):
    def robot(self, *parts):
        return self.write("robot.urdf", '<robot name="r">' + "\n".join(parts) + "</robot>")

    @staticmethod
    def joint(name, kind, parent, child, more=""):
        return f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{more}</joint>'

    def test_all_errors_at_once(self):
        errors = self.refused(self.robot(
            LINK.format("a"), LINK.format("b"), LINK.format("c"), LINK.format("d"), '<link name="a"/>',
            self.joint("j1", "ball", "a", "b"), self.joint("j2", "revolute", "a", "x"),
            self.joint("j3", "revolute", "a", "c", '<axis xyz="0 0 0"/>'),
            self.joint("j4", "revolute", "a", "d", '<axis xyz="0 one 0"/>')))
        for words in ("already a link 'a'", "unknown type 'ball'", "no link 'x'", "length 0",
                      "3 numbers, not '0 one 0'"):
            self.assertIn(words, errors)

    def test_repeated_names(self):
        """The error is at the second element."""
        link, joint = LINK.format("a"), self.joint("j", "continuous", "g", "a")
        self.assertIn("robot.urdf:3: error: there is already a link 'a'",
                      self.refused(self.robot('<link name="g"/>', link, link, joint)))
        self.assertIn("robot.urdf:5: error: there is already a joint 'j'",
                      self.refused(self.robot('<link name="g"/>', link, LINK.format("b"), joint,
                                              self.joint("j", "continuous", "g", "b"))))

    def test_partial_and_strict(self):
        source = self.robot(LINK.format("a"), LINK.format("b"), LINK.format("c"), self.joint("j1", "ball", "a", "b"),
                            self.joint("j2", "prismatic", "a", "c"))
        self.assertIn("unknown type 'ball'", self.refused(source))
        model, notes = self.convert(source, "--partial")
        self.assertEqual([joint["name"] for joint in model["joints"]], ["a_fixed", "j2"])
        self.assertIn("dropped: joint 'j1' has the unknown type", notes)
        self.assertIn("--strict refuses", self.refused(source, "--partial", "--strict"))
        whole = self.robot('<link name="g"/>', LINK.format("a"), self.joint("j", "continuous", "g", "a"))
        self.convert(whole, "--strict")

    def test_root(self):
        source = self.robot(LINK.format("a"), LINK.format("b"), self.joint("j", "continuous", "a", "b"))
        self.assertEqual(self.convert(source)[0]["joints"][0]["type"], "fixed")
        self.assertEqual(self.convert(source, "--floating")[0]["joints"][0]["type"], "floating")
        massless = self.robot('<link name="g"/>', LINK.format("b"), self.joint("j", "continuous", "g", "b"))
        self.assertIn("cannot float", self.refused(massless, "--floating"))
        two = self.robot(LINK.format("a"), LINK.format("b"))
        self.assertIn("both without a parent", self.refused(two))

    def test_massless_links(self):
        fixed = self.robot('<link name="g"/>', LINK.format("a"), '<link name="tip"/>',
                           self.joint("j", "continuous", "g", "a"), self.joint("k", "fixed", "a", "tip"))
        self.assertEqual(self.convert(fixed)[0]["bodies"][1]["mass"], 0)
        between = self.robot('<link name="g"/>', '<link name="m"/>', LINK.format("a"),
                             self.joint("j", "continuous", "g", "m"),
                             self.joint("k", "continuous", "m", "a", '<axis xyz="0 1 0"/>'))
        self.run_model(self.convert(between)[0], {"type": "dynamics", "t_end": 0.1, "dt": 0.1})
        free = self.robot('<link name="g"/>', LINK.format("a"), '<link name="tip"/>',
                          self.joint("j", "continuous", "g", "a"), self.joint("k", "continuous", "a", "tip"))
        self.assertIn("'tip' moves", self.refused(free))

    def test_incomplete_inertia(self):
        robot = ('<link name="g"/>', '<link name="a"><inertial>{}</inertial></link>', self.joint("j", "continuous", "g", "a"))
        for inertial, words in (("", "<inertial> of 'a' has no <mass> with a value"),
                                ('<mass value=""/>', "<mass> expects 1 number, not ''")):
            self.assertIn(words, self.refused(self.robot(robot[0], robot[1].format(inertial), robot[2])))
        notes = self.convert(self.robot(robot[0], robot[1].format('<mass value="1"/><inertia ixx="1" iyy="1" izz="1"/>'),
                                        robot[2]))[1]
        self.assertIn("robot.urdf:2: changed: 'a' has no ixy, which is 0", notes)

    def test_impossible_inertia(self):
        link = '<link name="a"><inertial><mass value="1"/><inertia ixx="0" ixy="0" ixz="0" iyy="1" iyz="0" izz="0"/>' \
               '</inertial></link>'
        model, notes = self.convert(self.robot('<link name="g"/>', link,
                                               self.joint("j", "continuous", "g", "a", '<axis xyz="0 1 0"/>')))
        self.assertIs(model["bodies"][0]["inertia_check"], False)
        self.assertIn("changed: no rigid body has this inertia", notes)
        self.run_model(model, {"type": "assembly"})

    def test_mimic(self):
        model, _ = self.convert(self.robot(
            '<link name="g"/>', LINK.format("a"), LINK.format("b"), self.joint("left-joint", "continuous", "g", "a"),
            self.joint("j2", "continuous", "g", "b", '<mimic joint="left-joint" multiplier="-2" offset="0.5"/>')))
        self.assertEqual(model["joints"][0]["name"], "left_joint")
        self.assertEqual(model["joints"][2], {"name": "j2_mimic", "type": "expression",
                                              "value": "j2.q - (-2)*left_joint.q - 0.5"})
        model["joints"][0]["initial"] = {"position": 0.3}
        values, _ = self.run_model(model, {"type": "assembly", "hold": ["left_joint"]})
        self.assertAlmostEqual(values["j2.q"], -0.1, 12)

    def test_fixed_joints(self):
        """Their axis has no meaning, and may be 0; a mimic of one changes nothing, one of a joint that follows it does."""
        model, notes = self.convert(self.robot(
            '<link name="g"/>', LINK.format("a"), LINK.format("b"),
            self.joint("f", "fixed", "g", "a", '<axis xyz="0 0 0"/><origin rpy="1 0 0"/><mimic joint="j"/>'),
            self.joint("j", "continuous", "a", "b", '<mimic joint="f" offset="0.2"/>')))
        self.assertIn("robot.urdf:4: dropped: the model does not contain: <mimic> of the fixed joint 'f'", notes)
        self.assertEqual(self.run_model(model, {"type": "assembly"})[0]["j.q"], 0.2)

    def loop(self, closing):
        """A square of four bars of 1 m in the x-z plane: the left bar a, the top bar b, the right bar c."""
        bar = LINK.replace("<inertial>", '<inertial><origin xyz="{1}"/>')
        axis = '<axis xyz="0 1 0"/><origin xyz="{0}"/>'
        return self.robot('<link name="g"/>', bar.format("a", "0 0 0.5"), bar.format("b", "0.5 0 0"),
                          bar.format("c", "0 0 0.5"), self.joint("j1", "continuous", "g", "a", axis.format("0 0 0")),
                          self.joint("j2", "continuous", "a", "b", axis.format("0 0 1")),
                          self.joint("j3", "continuous", "g", "c", axis.format("1 0 0")), closing)

    def test_loops(self):
        dialects = {
            "isaac": '<loop_joint name="j4" type="spherical"><link1 link="b" rpy="0 0 0" xyz="1 0 0"/>'
                     '<link2 link="c" rpy="0 0 0" xyz="0 0 1"/></loop_joint>',
            "gazebo": '<gazebo><joint name="j4" type="revolute"><parent>b</parent><child>c</child>'
                      '<pose>0 0 1 0 0 0</pose><axis><xyz>0 1 0</xyz></axis></joint></gazebo>',
            "yaml": LINK.format("bt") + LINK.format("ct")
                    + self.joint("f1", "fixed", "b", "bt", '<origin xyz="1 0 0"/>')
                    + self.joint("f2", "fixed", "c", "ct", '<origin xyz="0 0 1"/>')}
        for name, closing in dialects.items():
            if name == "yaml":
                self.write("loops.yaml", "# loops\nclosed_loop: [[bt, ct]]\ntype: [3d]\n")
            with self.subTest(dialect=name):
                model, _ = self.convert(self.loop(closing))
                self.assertTrue(model["joints"][-1]["cut"])
                model["joints"][0]["initial"] = {"position": 0.3}
                values, _ = self.run_model(model, {"type": "assembly", "hold": ["j1"]})
                self.assertAlmostEqual(values["j3.q"], 0.3, 9)
                self.assertAlmostEqual(values["j2.q"], -0.3, 9)
        self.write("loops.yaml", "closed_loop:\n  - [xt, c]\ntype:\n  - 6d\n")
        self.assertIn("no link or joint 'xt'", self.refused(self.loop(dialects["isaac"])))

    def test_xacro(self):
        source = self.write("r.urdf", '<robot name="r" xmlns:xacro="http://x"><xacro:macro name="m"/></robot>')
        self.assertIn("xacro", self.refused(source))

    def test_names(self):
        model, notes = self.convert(self.robot('<link name="g"/>', LINK.format("a/b.c"), LINK.format("ground"),
                                               self.joint("ground", "continuous", "g", "a/b.c"),
                                               self.joint("a_b_c", "continuous", "a/b.c", "ground")))
        self.assertEqual([body["name"] for body in model["bodies"]], ["a_b_c", "ground_2"])
        self.assertEqual([joint["name"] for joint in model["joints"]], ["ground_3", "a_b_c_2"])
        self.assertIn("changed: 'a/b.c' is called 'a_b_c'", notes)


class Mjcf(Folder):
    def model(self, body, more=""):
        return self.write("model.xml", f'<mujoco><worldbody>{body}</worldbody>{more}</mujoco>')

    def test_masses_of_geoms(self):
        """Closed forms; r = 0.1, h the half length, density 1000."""
        pi, r, h = 3.141592653589793, 0.1, 0.3
        ball, rod = 1000 * 4 / 3 * pi * r**3, 1000 * 2 * pi * r**2 * h
        cases = {
            'type="sphere" size="0.1"': (ball, 0.4 * ball * r**2, 0.4 * ball * r**2),
            'type="box" size="0.1 0.2 0.3"': (48, 48 * (0.04 + 0.09) / 3, 48 * (0.01 + 0.04) / 3),
            'type="ellipsoid" size="0.1 0.2 0.3"': (8 * pi, 8 * pi * (0.04 + 0.09) / 5, 8 * pi * (0.01 + 0.04) / 5),
            'type="cylinder" size="0.1 0.3"': (rod, rod * (3 * r**2 + 4 * h**2) / 12, rod * r**2 / 2),
            'type="capsule" size="0.1 0.3"': (
                ball + rod, rod * (3 * r**2 + 4 * h**2) / 12 + ball * (0.4 * r**2 + h**2 + 0.75 * h * r),
                rod * r**2 / 2 + 0.4 * ball * r**2)}
        for geom, (mass, across, axial) in cases.items():
            with self.subTest(geom=geom):
                model, _ = self.convert(self.model(f'<body><freejoint/><geom {geom}/></body>'))
                body = model["bodies"][0]
                self.assertAlmostEqual(body["mass"], mass, 9)
                self.assertAlmostEqual(body["inertia"][0], across, 9)
                self.assertAlmostEqual(body["inertia"][2], axial, 9)

    def test_mesh(self):
        """A box of 2 x 4 x 6 from the origin, as OBJ with squares: mass 48 in the scale 1, 6 in the scale 0.5."""
        corners = [(x, y, z) for x in (0, 2) for y in (0, 4) for z in (0, 6)]
        faces = ("1 2 4 3", "5 7 8 6", "1 5 6 2", "3 4 8 7", "1 3 7 5", "2 6 8 4")
        self.write("meshes/box.obj", "".join(f"v {x} {y} {z}\n" for x, y, z in corners)
                   + "".join(f"f {face}\n" for face in faces))
        more = '<compiler meshdir="meshes"/><asset><mesh file="box.obj" scale="0.5 0.5 0.5"/></asset>'
        body = '<body><freejoint/><geom type="mesh" mesh="box" density="1"/></body>'
        model, _ = self.convert(self.model(body, more))
        self.assertAlmostEqual(model["bodies"][0]["mass"], 6, 12)
        self.assertAlmostEqual(model["bodies"][0]["inertia"][0], 6 * (4 + 9) / 12, 12)
        self.assertEqual(model["bodies"][0]["points"]["origin"], [-0.5, -1, -1.5])
        # One face turned inside out: volumes of triangles count as positive, unless they are to be exact.
        file = self.folder / "meshes" / "box.obj"
        file.write_text(file.read_text().replace("f 1 2 4 3", "f 3 4 2 1"))
        self.assertAlmostEqual(self.convert(self.model(body, more))[0]["bodies"][0]["mass"], 6, 12)
        for exact in (more.replace("<mesh ", '<mesh inertia="exact" '),
                      more.replace("<compiler ", '<compiler exactmeshinertia="true" ')):
            self.assertNotAlmostEqual(self.convert(self.model(body, exact))[0]["bodies"][0]["mass"], 6, 1)
        self.assertIn("only the inertias", self.refused(self.model(body, more.replace("<mesh ", '<mesh inertia="shell" '))))
        turned = more.replace("<mesh ", '<mesh refpos="1 0 0" refquat="1 0 0 1" ')  # by 90 degrees about z
        point = self.convert(self.model(body, turned))[0]["bodies"][0]["points"]["origin"]
        for value, expected in zip(point, (-1, 0, -1.5)):
            self.assertAlmostEqual(value, expected, 12)
        (self.folder / "meshes" / "box.obj").unlink()
        self.assertIn("has no file 'box.obj'", self.refused(self.model(body, more)))

    def test_include(self):
        self.write("sub/options.xml", '<mujocoinclude><option gravity="0 0 -1"/></mujocoinclude>')
        body = '<body><freejoint/><geom size="0.1"/></body>'
        model, _ = self.convert(self.model(body, '<include file="sub/options.xml"/>'))
        self.assertEqual(model["gravity"], [0, 0, -1])
        self.assertIn("is not in the source", self.refused(self.model(body, '<include file="other.xml"/>')))
        for path in ("../options.xml", "/etc/passwd"):
            self.assertIn("leaves the source", self.refused(self.model(body, f'<include file="{path}"/>')))
        self.write("loop.xml", '<mujocoinclude><include file="loop.xml"/></mujocoinclude>')
        self.assertIn("more than 30 deep", self.refused(self.model(body, '<include file="loop.xml"/>')))

    def test_equalities(self):
        bodies = ('<body name="a" pos="0 0 1"><joint name="j1" axis="0 1 0" ref="10"/>'
                  '<geom type="capsule" fromto="0 0 0 1 0 0" size="0.02"/></body>'
                  '<body name="b" pos="0 1 1"><joint name="j2" axis="0 1 0"/>'
                  '<geom type="capsule" fromto="0 0 0 1 0 0" size="0.02"/></body>')
        model, notes = self.convert(self.model(
            bodies, '<equality><joint joint1="j1" joint2="j2" polycoef="0.1 2 0 0 1"/></equality>'))
        model["joints"][1]["initial"] = {"position": 0.3}
        values, _ = self.run_model(model, {"type": "assembly", "hold": ["j2"]})
        self.assertAlmostEqual(values["j1.q"], 3.141592653589793 / 18 + 0.1 + 0.6 + 0.3**4, 9)
        self.assertIn("changed: the soft constraint <joint> is the exact constraint", notes)
        for kind, more, rows in (("connect", 'anchor="1 0 0"', 3), ("weld", "", 6)):
            with self.subTest(kind=kind):
                report = json.loads(mbs("import", self.model(
                    bodies, f'<equality><{kind} body1="a" body2="b" {more}/></equality>'), "--report").stdout)
                self.assertEqual(report["summary"]["cuts"], 1)
                values, arrays = self.run_model(report["model"], {"type": "assembly"})
                self.assertAlmostEqual(values["j1.q"], 3.141592653589793 / 18, 9)
                self.assertEqual(arrays["Lam"]["shape"][1], rows)

    def test_named_refusals(self):
        body = '<body name="a" mocap="true"><geom size="0.1"/><replicate count="2"><geom size="1"/></replicate></body>'
        errors = self.refused(self.model(body, '<equality><tendon tendon1="t"/></equality>'))
        for words in ("mocap", "<replicate>", "<tendon>"):
            self.assertIn(words, errors)

    def test_unknown_joint_type_is_reported_once(self):
        errors = self.refused(self.model('<body><joint type="hing"/><geom size="1"/></body>'))
        self.assertIn("the joint type 'hing' is unknown; types are hinge, slide, ball and free\n", errors)

    def test_sizes_of_geoms(self):
        for kind, count, ends in (("sphere", 1, ""), ("capsule", 2, ""), ("cylinder", 2, ""), ("ellipsoid", 3, ""),
                                  ("box", 3, ""), ("cylinder", 1, 'fromto="0 0 0 0 0 1"'), ("box", 1, 'fromto="0 0 0 0 0 1"')):
            for given in range(count + 1):
                body = self.model(f'<body><joint/><geom type="{kind}" size="{" ".join(["0.1"] * given)}" {ends}/></body>')
                if given == count:
                    self.convert(body)
                else:
                    self.assertIn(f"a geom of type {kind} needs {count} number{'s' * (count > 1)} in 'size', got {given}\n",
                                  self.refused(body))

    def test_wrong_words_and_numbers(self):
        geom = '<body><joint/><geom {}/></body>'
        for compiler, body, words in (
                ("", 'type="cubical" size="1"', "model.xml:1: error: the geom type 'cubical' is unknown; types are plane"),
                ("", 'size="0.1 x"', "size of <geom> expects at most 3 numbers, not '0.1 x'"),
                ("", 'size="1 1 1 1"', "size of <geom> expects at most 3 numbers, not '1 1 1 1'"),
                ("", 'size="-1"', "a geom of type sphere needs positive sizes, not -1"),
                ("", 'size="1" density="-1"', "the density -1 is negative"),
                ("", 'size="1" shellinertia="yes"', "shellinertia of <geom> is true or false, not 'yes'"),
                ('angle="grad"', 'size="1"', "angle of <compiler> is degree or radian, not 'grad'"),
                ('inertiafromgeom="maybe"', 'size="1"', "inertiafromgeom of <compiler> is true, false or auto, not 'maybe'")):
            with self.subTest(words=words):
                self.assertIn(words, self.refused(self.model(geom.format(body), f"<compiler {compiler}/>")))
        inertial = '<body><joint/><inertial pos="0 0 0" {}/></body>'
        self.assertIn("<inertial> has no mass", self.refused(self.model(inertial.format('diaginertia="1 1 1"'))))
        self.assertIn("neither diaginertia nor fullinertia", self.refused(self.model(inertial.format('mass="1"'))))

    def test_what_only_acts_or_looks_is_a_note_each(self):
        _, notes = self.convert(self.model(
            '<body><joint name="j"/><geom size="1" rgba="1 0 0 1"/><geom name="g" size="1" mass="0"/></body>',
            '\n<actuator>\n<motor joint="j"/>\n<motor joint="j" gear="2"/>\n</actuator>'))
        for note in ('model.xml:1: dropped: the model does not contain: <geom size="1" rgba="1 0 0 1"/>',
                     'model.xml:1: dropped: the model does not contain: <geom name="g" size="1" mass="0"/>',
                     'model.xml:3: dropped: the model does not contain: <motor joint="j"/>',
                     'model.xml:4: dropped: the model does not contain: <motor joint="j" gear="2"/>'):
            self.assertIn(note, notes)

    def test_flags_that_disable(self):
        text = self.model('<body><joint name="j" stiffness="2" damping="3" frictionloss="4"/><geom size="1"/></body>',
                          '<equality><joint joint1="j"/></equality><option><flag {}/></option>')
        whole = text.read_text()
        for flag, forces, joints in (('', 2, 2), ('passive="disable"', 1, 2), ('frictionloss="disable"', 1, 2),
                                     ('constraint="disable"', 1, 1), ('equality="disable"', 2, 1), ('equality="enable"', 2, 2)):
            text.write_text(whole.format(flag))
            model, notes = self.convert(text)
            self.assertEqual((len(model["forces"]), len(model["joints"])), (forces, joints), flag)
            self.assertEqual("is honoured" in notes, "disable" in flag)

    def test_total_mass(self):
        model, notes = self.convert(self.model('<body><joint/><geom size="1" mass="2"/></body>',
                                               '\n<compiler settotalmass="6"/>'))
        self.assertEqual(model["bodies"][0]["mass"], 6)
        self.assertIn("model.xml:2: changed: all masses are multiplied by 3, so that their sum is 6 kg", notes)

    def test_laws_of_free_joints(self):
        defaults = '<default><joint armature="1" damping="2"/></default>'
        _, notes = self.convert(self.model('<body><joint type="free"/><geom size="1"/></body>', defaults))
        self.assertIn("dropped: the model does not contain: armature 1 of the free joint 'joint1'", notes)
        self.assertNotIn("armature 1 of", self.convert(self.model(
            '<body><freejoint/><geom size="1"/></body>', defaults))[1])

    def test_orientations_of_free_bodies(self):
        for largest in range(4):
            for signs in itertools.product((-1, 1), repeat=4):
                q = [sign * (0.7 if k == largest else 0.4 - 0.02 * k) for k, sign in enumerate(signs)]
                size = sum(c * c for c in q)**0.5 * (1 if q[0] > 0 else -1)
                quat = " ".join(map(str, q))
                model, _ = self.convert(self.model(f'<body quat="{quat}"><freejoint/><geom size="1"/></body>'))
                for c, p in zip(q, model["bodies"][0]["initial"]["orientation"]["euler_parameters"]):
                    self.assertAlmostEqual(p, c / size, 12)

    def test_fixed_children_of_free_bodies(self):
        """They turn with the free body."""
        ball = '<geom size="0.1"/>'
        model, _ = self.convert(self.model(
            f'<body name="a" euler="90 0 0"><freejoint/>{ball}<body name="b" pos="0 1 0">{ball}</body>'
            f'<body name="c" pos="0 2 0"><joint type="slide" axis="1 0 0"/>{ball}</body></body>'))
        values, _ = self.run_model(model, {"type": "assembly"})
        for body, z in (("a", 0), ("b", 1), ("c", 2)):
            self.assertAlmostEqual(values[f"{body}.z"], z, 12)
            self.assertAlmostEqual(values[f"{body}.e1"], 0.5**0.5, 12)

    def test_names_of_the_source_come_first(self):
        model, notes = self.convert(self.model('<body><geom size="1"/></body><body name="body1"><geom size="1"/></body>'))
        self.assertEqual([b["name"] for b in model["bodies"]], ["body1_2", "body1"])
        self.assertNotIn("is called", notes)
        self.assertIn("the source has no body", self.refused(self.model("")))

    def test_key_frames_without_names_have_numbers(self):
        source = self.model('<body><joint name="j"/><geom size="1"/></body>',
                            '<keyframe><key name="a" qpos="1"/><key qpos="2"/></keyframe>')
        for name, position in (("a", 1), ("key2", 2)):
            self.assertEqual(self.convert(source, "--keyframe", name)[0]["joints"][0]["initial"]["position"], position)

    def test_springs_of_balls_in_key_frames(self):
        source = self.model('<body><joint name="b" type="ball" stiffness="2"/><geom size="1"/></body>',
                            '<keyframe><key qpos="1 0 0 0"/><key qpos="0.6 0.8 0 0"/></keyframe>')
        self.assertNotIn("the spring of the ball joint", self.convert(source, "--keyframe", "key1")[1])
        self.assertIn("the spring of the ball joint 'b' has no torque", self.convert(source, "--keyframe", "key2")[1])

    def test_keyframe_is_named(self):
        self.assertIn("no key frame 'x'", self.refused(self.model('<body><geom size="1"/></body>'), "--keyframe", "x"))


class Planar(Folder):
    """DAP and simEngine2D."""

    def dap(self, **files):
        base = {"inBodies": "B1 = Body_struct; B1.theta = 0.5;\nBodies = [B1];",
                "inPoints": "P0 = Point_struct;\nP1 = Point_struct; P1.Bindex = 1; P1.sPlocal = [0; 1];\n"
                            "P2 = Point_struct; P2.Bindex = 1; P2.sPlocal = [0; -1];\n"
                            "P3 = Point_struct; P3.sPlocal = [1; -2];\nPoints = [P0; P1; P2; P3];",
                "inForces": "F1 = Force_struct; F1.type = 'weight'; Forces = [F1];",
                "inUvectors": "U0 = Unit_struct; Uvectors = [U0];", "inConst": "nConst = 0;",
                "ChainOpen": "if check <= 2\nCoord_Rev(1, 2, theta(1));\nend"}
        for name, text in {**base, **files}.items():
            self.write(f"model/{name}.m", f"function {name}\ninclude_global\n{text}\n")
        return self.folder / "model"

    def test_cuts(self):
        for phi, kind, field, value in (
                ("d'*d - 4", "rod", "length", 2), ("(d'*d - 9)/2", "rod", "length", 3),
                ("norm(d) - 1.5", "rod", "length", 1.5),
                ("s_rot(Uvectors(1).u)'*d - 0.25", "revolute-translational", "offset", 0.25)):
            with self.subTest(phi=phi):
                source = self.dap(inConst="nConst = 1;", CutJoint=f"d = Points(3).rP - Points(4).rP;\nPhi = {phi};")
                model, _ = self.convert(source)
                cut = model["joints"][-1]
                self.assertEqual((cut["name"], cut["type"], cut["cut"]), ("cut1", kind, True))
                self.assertAlmostEqual(cut[field], value, 12)

    def test_cut_slot_has_its_sign(self):
        phi = "s_rot(Uvectors(1).u)'*(Points(3).rP - Points(1).rP) + 1.9"
        source = self.dap(inConst="nConst = 1;", CutJoint=f"Phi = {phi};")
        values, _ = self.run_model(self.convert(source)[0], {"type": "assembly"})
        self.assertAlmostEqual(values["B1.P2.y"], -1.9, 9)

    def test_errors(self):
        source = self.dap(inConst="nConst = 2;", CutJoint="Phi = Points(3).rP(1)^3;",
                          inForces="F1 = Force_struct; F1.type = 'magnet';\nfor i = 1:3\nx = i;\nend\nForces = [F1];",
                          ChainOpen="Coord_Rev(1, 2, theta(1));\nCoord_Magic(3);")
        errors = self.refused(source)
        for words in ("CutJoint.m:3: error: Phi has 1 rows, but nConst is 2", "row 1 of Phi is none of the textbook's",
                      "inForces.m:4: error: this statement cannot be read: loops", "force type 'magnet'",
                      "ChainOpen.m:4: error: this statement cannot be read: 'Coord_Magic' is not known"):
            self.assertIn(words, errors)

    def test_sizes_that_no_vector_has(self):
        for start, words in (("x = zeros(-1, -2)';", "Phi cannot be read: 'zeros' is not known"),
                             ("v = [1 2];\nx = v(0/0);", "Phi cannot be read: an index is outside of its vector"),
                             ("x = 1;\nCoord_Float(1, []);", "the last argument must be theta(i:i+2)"),
                             (f"a = [{'1 ' * 256}];\nb = [{'a ' * 256}];\nx = b'*b;", "error: out of memory"),
                             ("x = t;\n" + "x = x + t;\n" * 300000, "an expression has more than 20000 parts"),
                             ("x = t;\n" + "x = x + x;\n" * 100, "an expression has more than 20000 parts")):
            with self.subTest(start=start[:40]):
                done = mbs("import", self.dap(CutJoint=f"{start}\nPhi = x;", ChainOpen=start, inConst="nConst = 1;"))
                self.assertIn(done.returncode, (1, 2))
                self.assertIn(words, done.stderr)

    def test_wrong_lengths_are_zero(self):
        bodies = "B1 = Body_struct; B1.theta = [1 2 3]; B1.p = 1;\nBodies = [B1];"
        model, notes = self.convert(self.dap(inBodies=bodies))
        self.assertEqual(model["joints"][0]["initial"]["position"], 0)
        self.assertIn("so it is 0 as in DAP", notes)
        self.assertIn("dropped: the model does not contain: B1.p = 1", notes)

    def test_body_coordinates(self):
        files = {"inJoints": "J1 = Joint_struct; J1.type = 'rev'; J1.iPindex = 2; J1.jPindex = 1; J1.fix = 1;\n"
                             "J2 = Joint_struct; J2.type = 'rel-tran'; J2.iPindex = 3; J2.jPindex = 4; J2.iFunct = 1;\n"
                             "Joints = [J1; J2];",
                 "inFuncts": "f1 = Funct_struct; f1.type = 'b'; f1.f_start = 1; f1.f_end = 2; Functs = [f1];",
                 "inBodies": "B1 = Body_struct; B1.r = [0; -1]; B1.p = 0.1; Bodies = [B1];"}
        source = self.dap(**files)
        (source / "ChainOpen.m").unlink()
        model, notes = self.convert(source)
        self.assertEqual(model["analysis"]["formulation"], "body")
        self.assertEqual(model["joints"][1]["value"], "B1.phi - 0 - 0.1")
        self.assertEqual(model["drivers"][0]["type"], "distance")
        self.assertEqual(model["drivers"][0]["function"], {"step": {"t0": 0, "t1": 1, "f0": 1, "f1": 2}})
        self.assertIn("changed: after t_end", notes)

    def adm(self, **members):
        document = {"name": "m", "bodies": [{"name": "bar", "id": 1, "mass": 3, "jbar": 0.25, "q0": [0.5, 0, 0],
                                             "qd0": [0, 0, 0]}], **members}
        return self.write("m.adm", json.dumps(document))

    def test_adm(self):
        kinds = [("AbsoluteAngle", {"fun": "t"}), ("AbsoluteDistance", {"sP1": [0, 0], "Pground": [0, 0], "fun": "1"}),
                 ("AbsoluteX", {"sP1": [0, 0], "fun": "t"}),
                 ("RelativeX", {"sP1": [0, 0], "body2": 0, "sP2": [1, 0], "fun": 2})]
        source = self.adm(constraints=[{"name": "c", "type": kind, "body1": 1, **more} for kind, more in kinds])
        self.write("m.acf", json.dumps({"simulation": "dynamics", "tend": 2, "outputSteps": 50}))
        model, notes = self.convert(source)
        self.assertEqual([d["type"] for d in model["drivers"]], ["angle", "distance", "x"])
        self.assertEqual([d["name"] for d in model["drivers"]], ["c", "c_2", "c_3"])
        self.assertEqual(model["joints"][0]["value"], "ground.P4.x - bar.P4.x - 2")
        self.assertEqual(model["analysis"], {"type": "dynamics", "t_end": 2, "dt": 0.04})
        self.assertIn("m.adm:/constraints/1: changed: 'c' is called 'c_2'", notes)
        self.assertIn("/constraints/0: error: the type 'Magic'",
                      self.refused(self.adm(constraints=[{"name": "c", "type": "Magic"}])))
        self.assertRegex(self.refused(self.write("m.adm", '{"bodies": [}')), r"m.adm:1:\d+: error: the JSON is not")


    def test_free_bodies_have_a_range_of_theta(self):
        bodies = "B1 = Body_struct; B1.theta = [0.5; 0.25; pi/6]; B1.theta_d = [1 2 3]';\nBodies = [B1];"
        model, _ = self.convert(self.dap(inBodies=bodies, ChainOpen="Coord_Float(1, theta(1:3));\nUpdate_P(1);"))
        values, _ = self.run_model(model, {"type": "assembly"})
        for label, value in {"x": 0.5, "y": 0.25, "phi": 3.141592653589793 / 6, "vx": 1, "vy": 2, "omega": 3}.items():
            self.assertAlmostEqual(values[f"B1.{label}"], value, 12)
        computed = "Bodies(1).r = [-theta(1); 1];\nBodies(1).p = theta(1);\nBodies(1).A = Matrix_A(theta(1));"
        self.assertIn("ChainOpen.m:3: error: the position of B1 is computed here",
                      self.refused(self.dap(ChainOpen=computed)))

    def test_user_forces_may_use_matrices_and_rates(self):
        """A force of 2 along the y axis of the body, at P1; and a torque by the rate of P1."""
        laws = "f = Bodies(1).A*[0; 2];\nBodies(1).f = Bodies(1).f + f;\n" \
               "Bodies(1).n = Bodies(1).n + s_rot(Points(2).sP)'*f - 5*Points(2).sP_d(1);"
        model, notes = self.convert(self.dap(
            inBodies="B1 = Body_struct; B1.theta = [0; 0; pi/6]; B1.theta_d = [0; 0; 2];\nBodies = [B1];",
            ChainOpen="Coord_Float(1, theta(1:3));", user_force=laws,
            inForces="F1 = Force_struct; F1.type = 'user'; Forces = [F1];"))
        values, _ = self.run_model(model, {"type": "assembly"})
        self.assertAlmostEqual(values["B1.ax"], -2 * 0.5, 12)
        self.assertAlmostEqual(values["B1.ay"], 2 * 0.75**0.5, 12)
        self.assertAlmostEqual(values["B1.alpha"], 5 * 2 * 0.75**0.5, 12)
        self.assertIn("user_force.m:4: mapped: Bodies(1).f", notes)

    def test_texts_of_other_editors(self):
        """Byte order marks, and ends of lines of Windows."""
        source = self.dap(inConst="nConst = 1;", CutJoint="d = Points(3).rP - ...\n Points(4).rP; % d\nPhi = [d'*d - 4\n];")
        model = self.convert(source)[0]
        for file in source.iterdir():
            file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes().replace(b"\n", b"\r\n"))
        self.assertEqual(self.convert(source)[0], model)
        adm = self.adm(gravity=[0, -1])
        adm.write_bytes(b"\xef\xbb\xbf" + adm.read_bytes())
        self.assertEqual(self.convert(adm)[0]["gravity"], [0, -1])
        twice = "F1 = Force_struct; F1.type = 'user'; F2 = Force_struct; F2.type = 'user'; Forces = [F1; F2];"
        self.assertIn("a second force of type user", self.refused(self.dap(inForces=twice, user_force="x = 1;")))

    def test_animation_gives_shapes(self):
        model, notes = self.convert(self.dap(inAnimate="Points_anim = [];\nBodies(1).shape = 'rect';\nBodies(1).W = 0.9;\n"
                                                       "Bodies(1).H = 0.2;\nBodies(1).color = 'r';\nxmin = -0.3;\nplot(1)"))
        self.assertEqual(model["bodies"][0]["shapes"], [{"type": "rectangle", "width": 0.9, "height": 0.2}])
        self.assertIn("inAnimate.m:8: dropped: the model does not contain: xmin of the animation = (-0.3)", notes)
        self.assertIn("inAnimate.m:9: dropped: this statement cannot be read: 'plot' is not known", notes)

    def test_defaults_of_discs(self):
        """x0 and p0 are 0: (x - x0) + R (phi - p0) = 0."""
        source = self.dap(inJoints="J1 = Joint_struct; J1.type = 'disc'; J1.iBindex = 1; J1.R = 0.5; J1.x0 = 0.2; Joints = [J1];",
                          inBodies="B1 = Body_struct; B1.r = [0.1; 0.5]; B1.p = 0.2; Bodies = [B1];")
        (source / "ChainOpen.m").unlink()
        self.assertEqual(self.convert(source)[0]["joints"][1]["value"], "B1.x - 0.2 + 0.5*(B1.phi - 0)")

    def test_adm_forces(self):
        forces = [{"name": "f", "type": "PointForce", "body1": 1, "sP1": [1, 0], "frame": "LRF", "funX": "t", "funY": 2},
                  {"name": "m", "type": "Torque", "body1": 1, "fun": "2.5"},
                  {"name": "s", "type": "RSDA1", "body1": 1, "theta0": 1, "k": 25, "c": 5, "fun": "0"}]
        model, notes = self.convert(self.adm(forces=forces, constraints=[]))
        self.assertEqual(model["forces"], [
            {"name": "f", "type": "force", "point": "bar.f", "value": ["t", 2], "frame": "body"},
            {"name": "m", "type": "torque", "body": "bar", "value": 2.5},
            {"name": "s", "type": "rotational-spring-damper", "bodies": ["ground", "bar"], "stiffness": 25, "damping": 5,
             "actuator": 0, "free_angle": 1}])
        self.assertNotIn("dropped", notes)
        values, _ = self.run_model(model, {"type": "assembly"})
        self.assertAlmostEqual(values["bar.alpha"], (2 + 2.5 + 25) / 0.25, 9)

    def test_adm_rack_and_pinion(self):
        """A pinion of radius 0.2 at the origin under a rack along x, which moves by -R times its angle."""
        rack = {"name": "rack", "id": 1, "mass": 1, "jbar": 1, "q0": [1, 0.2, 0], "qd0": [0, 0, 0]}
        pinion = {"name": "pinion", "id": 2, "mass": 1, "jbar": 1, "q0": [0, 0, 0], "qd0": [0, 0, 0]}
        pi = 3.141592653589793
        pair = {"name": "rp", "type": "RackPinion", "body1": 1, "body2": 2, "sP1": [0, 0], "sQ1": [-1, 0], "sP2": [0, 0],
                "theta1": -pi, "theta2": pi / 2, "R2": 0.2}
        pin = [{"name": k, "type": f"Absolute{k}", "body1": 2, "sP1": [0, 0], "fun": 0} for k in "XY"]
        angles = [{"name": "turn", "type": "AbsoluteAngle", "body1": 2, "fun": "0.1 + t"},
                  {"name": "level", "type": "AbsoluteAngle", "body1": 1, "fun": 0}]
        model, _ = self.convert(self.adm(bodies=[rack, pinion], constraints=[*pin, pair, *angles]))
        values, _ = self.run_model(model, {"type": "kinematics", "t_end": 0.5, "dt": 0.5})
        self.assertAlmostEqual(values["rack.x"], 1 - 0.2 * 0.6, 9)
        self.assertAlmostEqual(values["rack.y"], 0.2, 9)

    def test_adm_values_are_checked(self):
        """Each wrong or missing value is an error at its place in the source."""
        bar = {"name": "bar", "id": 1, "mass": 3, "jbar": 0.25, "q0": [0.5, 0, 0], "qd0": [0, 0, 0]}
        x = {"name": "x", "type": "AbsoluteX", "body1": 1, "sP1": [0, 0], "fun": "t"}
        torque = {"name": "m", "type": "Torque", "body1": 1, "fun": 1}

        def without(element, key):
            return {k: v for k, v in element.items() if k != key}
        cases = [({"gravity": [0]}, "/gravity", "must be a list of 2 numbers"),
                 ({"gravity": ["a", 1]}, "/gravity", "must be a list of 2 numbers"),
                 ({"bodies": {}}, "/bodies", "must be a list"), ({"bodies": [1]}, "/bodies/0", "must be an object"),
                 ({"bodies": [bar, bar]}, "/bodies/1", "already a body with the id 1"),
                 ({"constraints": [7]}, "/constraints/0", "must be an object"),
                 ({"constraints": [without(x, "type")]}, "/constraints/0", "the member 'type' is missing"),
                 ({"constraints": [{**x, "sP1": [0, "0"]}]}, "/constraints/0/sP1", "must be a list of 2 numbers"),
                 ({"constraints": [{**x, "sP1": [0, 0, 0]}]}, "/constraints/0/sP1", "must be a list of 2 numbers"),
                 ({"constraints": [{**x, "body1": 2}]}, "/constraints/0/body1", "there is no body 2"),
                 ({"constraints": [{**x, "body1": "1"}]}, "/constraints/0/body1", "must be the id of a body"),
                 ({"constraints": [{**x, "fun": ""}]}, "/constraints/0/fun", "must be a number or a function of t"),
                 ({"constraints": [{**x, "fun": [1]}]}, "/constraints/0/fun", "must be a number or a function of t"),
                 ({"constraints": [{**x, "fun": "NONE"}]}, "/constraints/0", "the function 'fun' is missing"),
                 ({"constraints": [{**x, "fun": "2*tt"}]}, "/constraints/0/fun", "no parameter or quantity 'tt'"),
                 ({"forces": [{**torque, "fun": "sin("}]}, "/forces/0/fun", "in 'sin('"),
                 ({"forces": [without(torque, "fun")]}, "/forces/0", "the function 'fun' is missing")]
        cases += [({"bodies": [{**bar, key: wrong}]}, f"/bodies/0/{key}", words)
                  for key, wrong, words in (("mass", "3", "must be a number"), ("jbar", None, "must be a number"),
                                            ("q0", [1, 2], "must be a list of 3 numbers"), ("mass", -1, "at least 0"),
                                            ("qd0", 1, "must be a list of 3 numbers"))]
        cases += [({"bodies": [without(bar, key)]}, "/bodies/0", f"the member '{key}' is missing")
                  for key in ("mass", "jbar", "q0")]
        cases += [({"constraints": [without(x, key)]}, "/constraints/0", f"'{key}' is missing")
                  for key in ("sP1", "body1", "fun")]
        for change, source, words in cases:
            with self.subTest(change=change):
                errors = self.refused(self.adm(**change))
                self.assertIn(f"m.adm:{source}: error: ", errors)
                self.assertIn(words, errors)
        self.assertIn("it starts at rest", self.convert(self.adm(bodies=[without(bar, "qd0")]))[1])

    def test_adm_analysis(self):
        """That with the name of the model, or the only one of a folder."""
        source = self.adm(gravity=[0, -9.81])
        acf = self.write("kinematics.acf", '{"simulation": "Kinematics", "tend": 5, "stepSize": 0.01}')
        self.assertEqual(self.convert(self.folder)[0]["analysis"], {"type": "kinematics", "t_end": 5, "dt": 0.01})
        for text, words in (('{"tend": 5, "stepSize": 0.01}', "kinematics.acf: error: the member 'simulation' is missing"),
                            ('{"simulation": "x", "tend": 5, "stepSize": 1}', "/simulation: error: the simulation 'x'"),
                            ('{"simulation": "Dynamics", "tend": "5"}', "/tend: error: 'tend' must be a number")):
            acf.write_text(text)
            self.assertIn(words, self.refused(self.folder))
        self.assertNotIn("analysis", self.convert(source)[0])


class Robotran(Folder):
    def test_chain_and_cuts(self):
        point = "<coordinates><x>{}</x></coordinates>"
        joints = "".join(f"<joint><jointname>{t}_b</jointname><type>{t}</type><nature>{n}</nature>"
                         f"<initialvalue><q>{q}</q></initialvalue></joint>"
                         for t, n, q in (("T3", "driven", 0.1), ("R2", "independent", 0.2)))
        text = (f"<mbsDescR7><base><point><pointname>P</pointname>{point.format(1)}</point></base><bodytree><body>"
                f"<bodyname>b</bodyname><parent><bodyname>base</bodyname><pointname>P</pointname></parent>{joints}"
                f"<point><pointname>E</pointname>{point.format(2)}</point><mass>2</mass><com>{point.format(0.5)}</com>"
                "<inertia><Iyy>0.3</Iyy></inertia></body></bodytree><cuts><rod><name>r</name><endpoint1><bodyname>base"
                "</bodyname></endpoint1><endpoint2><bodyname>b</bodyname><pointname>E</pointname></endpoint2>"
                "<length>3</length></rod></cuts><links><link><name>l</name></link></links></mbsDescR7>")
        model, notes = self.convert(self.write("m.mbs", text))
        self.assertEqual([body["name"] for body in model["bodies"]], ["b_T3_b", "b"])
        self.assertEqual(model["analysis"], {"type": "assembly", "hold": ["R2_b"]})
        self.assertEqual(model["drivers"][0]["function"], 0.1)
        self.assertEqual(model["joints"][2],
                         {"name": "r", "type": "rod", "points": ["ground.origin", "b.E"], "length": 3})
        self.assertEqual(model["bodies"][1]["points"]["E"], [1.5, 0, 0])
        self.assertIn("dropped: the model does not contain: <link>", notes)
        self.assertIn("joint type 'R4'", self.refused(self.write("m.mbs", text.replace("<type>R2", "<type>R4"))))
        self.assertIn("the cut <cam> is not one of rod, ball, solid",
                      self.refused(self.write("m.mbs", text.replace("rod>", "cam>"))))
        self.assertIn("the rod 'r' has no positive <length>", self.refused(self.write("m.mbs", text.replace("length", "L"))))
        self.assertIn("m.mbs:2: error: <mass> expects 1 number, not 'two'",
                      self.refused(self.write("m.mbs", text.replace("<mass>2", "\n<mass>two"))))
        self.assertIn("the nature 'locked'", self.refused(self.write("m.mbs", text.replace("independent", "locked"))))
        named = text.replace("<base>", "<base><baseBodyName>Body_0</baseBodyName>")
        self.assertEqual(self.convert(self.write("m.mbs", named))[0], model)  # "base" is the base all the same
        self.assertEqual(self.convert(self.write("m.mbs", named.replace("<bodyname>base<", "<bodyname>Body_0<")))[0], model)

    def test_names_of_the_source_come_first(self):
        body = "<body>{}<parent><bodyname>base</bodyname></parent><mass>1</mass></body>"
        text = "<mbsDescR7><base/><bodytree>" + body.format("") + body.format("<bodyname>body1</bodyname>") \
               + "</bodytree></mbsDescR7>"
        model, notes = self.convert(self.write("m.mbs", text))
        self.assertEqual([b["name"] for b in model["bodies"]], ["body1_2", "body1"])
        self.assertNotIn("is called", notes)


class Sdf(Folder):
    def test_roots_and_loops(self):
        link = '<link name="{}"><pose>{} 0 0 0 0 0</pose></link>'
        joint = '<joint name="{0}{1}" type="{2}"><parent>{0}</parent><child>{1}</child>{3}</joint>'
        axes = "<axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz></axis2>"
        text = (f'<sdf version="1.9"><model name="m"><static>false</static>{link.format("a", 0)}{link.format("b", 1)}'
                f'{link.format("c", 2)}{joint.format("a", "b", "universal", axes)}{joint.format("b", "c", "fixed", "")}'
                f'{joint.format("a", "c", "ball", "")}<model name="A">{link.format("d", 3)}</model></model></sdf>')
        report = json.loads(mbs("import", self.write("m.sdf", text), "--report").stdout)
        model = report["model"]
        self.assertEqual([body["name"] for body in model["bodies"]], ["a", "b", "c", "A::d"])
        self.assertEqual(report["summary"]["cuts"], 1)
        self.assertEqual([j["type"] for j in model["joints"]],
                         ["universal", "fixed", "spherical", "floating", "floating"])
        static, _ = self.convert(self.write("m.sdf", text.replace("<static>false", "<static>true")))
        self.assertEqual([j["type"] for j in static["joints"]][3:], ["fixed", "fixed"])
        wrong = text.replace("<parent>a</parent>", "<parent>x</parent>").replace('type="fixed"', 'type="gearbox"')
        errors = self.refused(self.write("m.sdf", wrong))
        self.assertIn("no link 'x'", errors)
        self.assertIn("joint type 'gearbox'", errors)

    def test_what_is_absent_is_named(self):
        text = '<sdf version="1.6"><model name="m"><link name="l">{}</link>{}</model></sdf>'
        notes = self.convert(self.write("m.sdf", text.format("", "")))[1]
        self.assertIn("'l' has no <inertial>: it gets SDFormat's default, 1 kg and 1 kg m^2\n", notes)
        notes = self.convert(self.write("m.sdf", text.format("<inertial><mass>2</mass></inertial>", "")))[1]
        self.assertIn("'l' has no <inertia>: it gets SDFormat's default, 1 kg m^2\n", notes)
        notes = self.convert(self.write("m.sdf", text.format("<inertial><inertia><ixx>2</ixx></inertia></inertial>", "")))[1]
        self.assertIn("'l' has no <iyy>: it gets SDFormat's default, 1 kg m^2\n", notes)
        self.assertIn("'l' has no <mass>: it gets SDFormat's default, 1 kg\n", notes)
        for names, role in (("<parent>l</parent>", "child"), ("<child>l</child>", "parent")):
            joint = f'<joint name="j" type="fixed">{names}</joint>'
            self.assertIn(f"joint 'j' has no <{role}>\n", self.refused(self.write("m.sdf", text.format("", joint))))

    def test_versions(self):
        text = '<sdf{}>\n<model name="m"><link name="a"/>\n<link name="a"/></model></sdf>'
        single = text.replace('\n<link name="a"/></model>', "</model>")
        for version in ("2.0", "1.3", "1.12", "1.x", "11"):
            self.assertIn(f"m.sdf:1: error: the version '{version}' of SDFormat is not one of 1.4 to 1.11",
                          self.refused(self.write("m.sdf", single.format(f' version="{version}"'))))
        self.assertIn("it is read as 1.11", self.convert(self.write("m.sdf", single.format("")))[1])
        for version in ("1.4", "1.10", "1.11"):
            self.convert(self.write("m.sdf", single.format(f' version="{version}"')))
        self.assertIn("m.sdf:3: error: there is already a link, joint or frame 'm::a'",
                      self.refused(self.write("m.sdf", text.format(' version="1.9"'))))

    def test_names_of_frames_and_models(self):
        """A joint may name a frame, a model (its canonical link), __model__, or another joint (its child)."""
        text = '<sdf version="1.9"><model name="m" canonical_link="b"><link name="a"><pose>1 0 0 0 0 0</pose></link>' \
               '<link name="b"><pose>0 2 0 0 0 0</pose></link><link name="c"/><frame name="f" attached_to="g"/>' \
               '<frame name="g" attached_to="a"/><model name="n"><link name="d"/></model>' \
               '<joint name="j" type="fixed"><parent>{}</parent><child>c</child></joint></model></sdf>'
        for parent, body in (("f", "a"), ("__model__", "b"), ("n", "n::d"), ("n::__model__", "n::d"), ("world", "ground")):
            joint = self.convert(self.write("m.sdf", text.format(parent)))[0]["joints"][0]
            self.assertEqual(joint["points"][0].split(".")[0], body)
        for version in ("1.6", "1.7"):  # a link and a joint of one name
            source = self.write("m.sdf", text.format("b").replace("1.9", version).replace('"j"', '"c"'))
            if version == "1.6":
                self.assertEqual(self.convert(source)[0]["joints"][0]["name"], "c_2")
            else:
                self.assertIn("there is already a link, joint or frame 'm::c'", self.refused(source))

    def test_what_changes_the_mechanics_is_refused(self):
        text = '<sdf version="1.11"><model name="m"{}><link name="a">{}</link><joint name="j" type="revolute">' \
               '<parent>world</parent><child>a</child><axis><xyz>0 0 1</xyz>{}</axis></joint></model></sdf>'
        for place, frame, words in ((0, ' placement_frame="a"', "placement_frame"), (1, '<inertial auto="true"/>', "(auto)"),
                                    (2, '<mimic joint="k"/>', "<mimic>")):
            parts = ["", "", ""]
            parts[place] = frame
            self.assertIn(words, self.refused(self.write("m.sdf", text.format(*parts))))

    def test_gravity_is_that_of_the_format(self):
        text = '<sdf version="1.9"><model name="m"><link name="a"/></model></sdf>'
        self.assertEqual(self.convert(self.write("m.sdf", text))[0]["gravity"], [0, 0, -9.8])


if __name__ == "__main__":
    unittest.main()
