"""POST /api/v1/import: conversions in a worker and its sandbox."""

import io
import json
import tarfile
import unittest
import zipfile

from support import DaemonTest

ROBOT = b'''<robot name="r">
  <link name="g"/>
  <link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="j" type="continuous"><parent link="g"/><child link="a"/></joint>
</robot>'''


def zipped(files):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


def tarred(files):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        for name, data in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return out.getvalue()


class Imports(DaemonTest):
    def post(self, daemon, body, query=""):
        return daemon.request("POST", f"/import{query}", body)

    def test_sources(self):
        with self.daemon() as daemon:
            for body in (ROBOT, zipped({"a/r.urdf": ROBOT, "d/\u00e9.txt": b""}),
                         tarred({"r.urdf": ROBOT, "\u00e9": b""})):
                answer = self.post(daemon, body)
                self.assertEqual(answer.status, 200, answer.body)
                found = answer.json()
                self.assertEqual((found["format"], found["summary"]["degrees_of_freedom"]), ("urdf", 1))
                self.assertEqual(daemon.request("POST", "/validate", json.dumps(found["model"])).status, 200)
            self.assertEqual(self.post(daemon, ROBOT, "?format=urdf&floating=true&partial=false").status, 422)

    def test_refusals(self):
        with self.daemon() as daemon:
            for body, query, status, code in (
                    (b"<!DOCTYPE robot><robot/>", "?format=urdf", 400, "entity_refused"),
                    (b"<robot>\n<link", "?format=urdf", 400, "not_well_formed"),
                    (zipped({"../r.urdf": ROBOT}), "", 422, "path_refused"),
                    (zipped({"r.urdf": bytes(32 << 20)}), "", 413, "too_large"),
                    (b"PK\x03\x04 no archive", "", 400, "damaged_archive"),
                    (b"text", "", 422, "unknown_format"),
                    (ROBOT, "?format=x", 422, "unknown_format"),
                    (ROBOT.replace(b"continuous", b"magic"), "", 422, "not_mapped"),
                    (zipped({"a.urdf": ROBOT, "b.urdf": ROBOT}), "", 422, "several_files")):
                answer = self.post(daemon, body, query)
                problem = answer.json()
                self.assertEqual((answer.status, problem["code"]), (status, code), problem)
                self.assertEqual(problem["errors"][0]["code"], code)
            self.assertEqual(self.post(daemon, b"<robot>\n<link", "?format=urdf").json()["line"], 2)
            self.assertIn("with the query parameter format", self.post(daemon, b"text").json()["detail"])
            self.assertEqual(self.post(daemon, ROBOT, "?partial=yes").status, 400)
            self.assertEqual(self.post(daemon, ROBOT.replace(b"continuous", b"magic"), "?partial=true").status, 200)


if __name__ == "__main__":
    unittest.main()
