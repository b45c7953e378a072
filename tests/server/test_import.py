"""mbs import: models of other programs. tests/reference/imports/NAME/in/ has a source, expect.json what must come of it:
summary, masses, states, motions, and notes, each of which must be among those of the import."""

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
        """Returns the document and the notes (level, text)."""
        done = mbs("import", source, *options)
        self.assertEqual(done.returncode, 0, done.stderr)
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
        for name, text in (("a.txt", "text"), ("b.xml", "<other/>"), ("c.json", "{}"), ("d", "")):
            self.assertIn("format", self.refused(self.write(name, text)))
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


class Xml(Folder):
    def test_entities(self):
        laughs = '<!DOCTYPE robot [<!ENTITY a "ha">' + "".join(
            f'<!ENTITY {chr(98 + i)} "{f"&{chr(97 + i)};" * 10}">' for i in range(9)) + ']><robot name="&j;"/>'
        for name, text in (("laughs", laughs), ("type", '<!DOCTYPE robot><robot name="r"/>'),
                           ("file", '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><robot name="&x;"/>'),
                           ("external", '<!DOCTYPE robot SYSTEM "http://127.0.0.1:9/x.dtd"><robot name="r"/>'),
                           ("unknown", '<robot name="&x;"/>')):
            with self.subTest(name=name):
                start = time.monotonic()
                self.assertIn("not accepted", self.refused(self.write(f"{name}.urdf", text), "--format", "urdf"))
                self.assertLess(time.monotonic() - start, 5)

    def test_not_well_formed(self):
        error = self.refused(self.write("bad.urdf", '<robot name="r">\n  <link name="a"/>\n  <link name="b" name="c"/>'))
        self.assertRegex(error, r"bad.urdf:3:\d+: error: .*Attribute name redefined")
        self.assertIn("not well-formed", self.refused(self.write("cut.urdf", '<robot name="r"><link')))
        self.assertIn("not well-formed", self.refused(self.write("bytes.urdf", '<robot name="\x01"/>')))

    def test_depth(self):
        deep = '<robot name="r">' + "<a>" * 100000 + "</a>" * 100000 + "</robot>"
        self.assertIn("256 deep", self.refused(self.write("deep.urdf", deep)))

    def test_line_of_the_start_tag(self):
        text = f'<robot name="r"><link name="g"/>{LINK.format("a")}\n<joint name="j" type="continuous"><parent link="g"/>' \
               '<child link="a"/>\n\n<limit\n lower="-1"\n upper="1"/></joint></robot>'
        self.assertIn('robot.urdf:4: dropped: not in the document: <limit lower="-1" upper="1"/>',
                      self.convert(self.write("robot.urdf", text))[1])


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
        for words in ("already a link 'a'", "unknown type 'ball'", "no link 'x'", "length 0", "3 numbers, not '0 one 0'"):
            self.assertIn(words, errors)

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
            "yaml": LINK.format("bt") + LINK.format("ct") + self.joint("f1", "fixed", "b", "bt", '<origin xyz="1 0 0"/>')
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


if __name__ == "__main__":
    unittest.main()
