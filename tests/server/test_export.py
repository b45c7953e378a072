"""FMUs of the program mbs and of the service. tests/api/test_fmu.c imports and runs them."""

import io
import json
import os
import pathlib
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as ET
import zipfile

from support import DaemonTest

MBS = os.environ.get("MBS", "build/release/mbs")


def mbs(*arguments):
    return subprocess.run([MBS, *map(str, arguments)], capture_output=True, text=True, timeout=600)


def description(data):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return ET.fromstring(archive.read("modelDescription.xml"))


class Program(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def test_file(self):
        for version, platform in (("2.0", "linux64"), ("3.0", "x86_64-linux")):
            path = self.folder / "SP.fmu"
            done = mbs("export", "SP", "--fmu", path, "--fmi", version)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
            first = path.read_bytes()
            with zipfile.ZipFile(path) as archive:
                self.assertEqual(archive.namelist(), ["modelDescription.xml", f"binaries/{platform}/mbsd.so",
                                                      "resources/model.json", "documentation/licenses/license.txt"])
                self.assertIsNone(archive.testzip())
                document = json.loads(archive.read("resources/model.json"))
            self.assertEqual(document["parameters"], {"k": 20, "L": 1})
            self.assertEqual(description(first).get("fmiVersion"), version)
            (self.folder / "model.json").write_text(json.dumps(document))
            self.assertEqual(mbs("run", self.folder / "model.json").returncode, 0)
            mbs("export", "SP", "--fmu", path, "--fmi", version)
            self.assertEqual(path.read_bytes(), first)

    def test_library(self):
        """It depends on the C library only, and exports the functions of FMI only."""
        path = self.folder / "SP.fmu"
        mbs("export", "SP", "--fmu", path)
        with zipfile.ZipFile(path) as archive:
            library = archive.extract("binaries/linux64/mbsd.so", self.folder)
        needed = subprocess.run(["readelf", "-d", library], capture_output=True, text=True, check=True).stdout
        if "san.so" in needed or os.environ.get("MBS_COVERAGE") == "1":
            self.skipTest("the build adds libraries")
        names = {line.split("[")[1].rstrip("]") for line in needed.splitlines() if "(NEEDED)" in line}
        self.assertLessEqual(names, {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2"})
        symbols = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True,
                                 check=True).stdout
        exported = [line.split()[-1] for line in symbols.splitlines()]
        self.assertEqual([name for name in exported if not name.startswith(("fmi2", "fmi3"))], [])
        for name in ("fmi2DoStep", "fmi3DoStep", "fmi2SerializeFMUstate", "fmi3DeserializeFMUState", "fmi3GetBinary"):
            self.assertIn(name, exported)

    def test_outputs_and_parameters(self):
        path = self.folder / "SP.fmu"
        mbs("export", "SP", "--fmu", path, "--outputs", "pin.q,tip height")
        variables = description(path.read_bytes()).find("ModelVariables")
        found = {v.get("name"): (v.get("causality"), dict(v.find("Real").attrib)) for v in variables}
        self.assertEqual(found, {"time": ("independent", {"unit": "s"}), "k": ("parameter", {"start": "20"}),
                                 "L": ("parameter", {"start": "1"}), "pin.q": ("output", {"unit": "rad"}),
                                 "tip height": ("output", {"unit": "m"})})

    def test_names_are_unique(self):
        """A sensor may be called as a parameter or an input, in an FMU no two variables."""
        document, path = json.loads(pathlib.Path("models/SP.json").read_text()), self.folder / "SP.fmu"
        document["sensors"] = [{"name": name, "value": "pin.q"} for name in ("k", "time", "u", "L_2", "L")]
        document["inputs"] = {"u": 0}
        (self.folder / "model.json").write_text(json.dumps(document))
        for version, tag in (("2.0", "ScalarVariable"), ("3.0", None)):
            self.assertEqual(mbs("export", self.folder / "model.json", "--fmu", path, "--fmi", version).returncode, 0)
            names = [v.get("name") for v in description(path.read_bytes()).find("ModelVariables").iter(tag)
                     if v.get("valueReference")]
            self.assertEqual(len(names), len(set(names)))
            self.assertLessEqual({"time", "k", "k_2", "L", "L_2", "L_3", "u", "u_2", "time_2"}, set(names))

    def test_units_of_parameters(self):
        document, path = json.loads(pathlib.Path("models/SP.json").read_text()), self.folder / "SP.fmu"
        document["parameters"] |= {"k": "20 N/mm", "a": "90 deg", "half": "L/2"}
        (self.folder / "model.json").write_text(json.dumps(document))
        self.assertEqual(mbs("export", self.folder / "model.json", "--fmu", path, "--outputs", "pin.q").returncode, 0)
        variables = description(path.read_bytes()).find("ModelVariables")
        found = {v.get("name"): dict(v.find("Real").attrib) for v in variables if v.get("causality") == "parameter"}
        self.assertEqual(found, {"k": {"unit": "N/m", "start": "20000"}, "L": {"start": "1"},
                                 "a": {"unit": "rad", "start": "1.5707963267948966"}})

    def test_refusals(self):
        path = self.folder / "x.fmu"
        done = mbs("export", "SP", "--fmu", path, "--outputs", "pin.q,pin.w")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("/outputs/1: ", done.stderr)
        self.assertEqual(mbs("export", "SC", "--fmu", path, "--fmi", "1.0").returncode, 2)
        self.assertEqual(mbs("export", "SC").returncode, 1)
        self.assertFalse(path.exists())
        self.assertEqual(mbs("export", "SC", "--fmu", self.folder / "missing" / "x.fmu").returncode, 1)


class Service(DaemonTest):
    def test_of_a_document(self):
        model = json.loads(pathlib.Path("models/SP.json").read_text())
        with tempfile.TemporaryDirectory() as folder, self.daemon() as daemon:
            for version in ("2.0", "3.0"):
                body = json.dumps({"model": model, "fmi": version})
                answer = daemon.request("POST", "/export/fmu", body)
                self.assertEqual((answer.status, answer.headers["Content-Type"]), (200, "application/zip"))
                self.assertIn('filename="Sliding pendulum.fmu"', answer.headers["Content-Disposition"])
                self.assertEqual(description(answer.body).get("fmiVersion"), version)
                document = pathlib.Path(folder) / "request.json"
                document.write_text(json.dumps({"model": model}))
                mbs("export", document, "--fmu", f"{folder}/x.fmu", "--fmi", version)
                self.assertEqual(answer.body, pathlib.Path(f"{folder}/x.fmu").read_bytes())

    def test_of_a_job(self):
        model = json.loads(pathlib.Path("models/SP.json").read_text())
        with self.daemon() as daemon:
            job = daemon.submit(model)["id"]
            answer = daemon.request("GET", f"/jobs/{job}/model.fmu?fmi=3.0")
            self.assertEqual(answer.status, 200)
            self.assertEqual(description(answer.body).get("fmiVersion"), "3.0")
            self.assertEqual(description(daemon.request("GET", f"/jobs/{job}/model.fmu").body).get("fmiVersion"), "2.0")
            self.assertEqual(daemon.request("GET", f"/jobs/{job}/model.fmu?fmi=4").status, 422)
            self.assertEqual(daemon.request("GET", "/jobs/missing/model.fmu").status, 404)

    def test_refusals(self):
        model = json.loads(pathlib.Path("models/SP.json").read_text())
        with self.daemon() as daemon:
            for members, pointers in (({"outputs": ["pin.w", 1]}, ["/outputs/0", "/outputs/1"]),
                                      ({"fmi": 2.0}, ["/fmi"]),
                                      ({"analysis": {"type": "equilibrium"}}, ["/analysis/type"]),
                                      ({"model": {**model, "bodies": []}}, None)):
                answer = daemon.request("POST", "/export/fmu", json.dumps({"model": model, **members}))
                self.assertEqual(answer.status, 422)
                found = [error["pointer"] for error in answer.json()["errors"]]
                self.assertTrue(found)
                if pointers:
                    self.assertEqual(found, pointers)
            self.assertEqual(daemon.request("POST", "/export/fmu", "{").status, 400)


if __name__ == "__main__":
    unittest.main()
