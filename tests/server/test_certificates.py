"""Certificates over HTTP: jobs without one and the reason; what is examined and what is not; formats."""

import json
import pathlib
import unittest

from support import DaemonTest

MODELS = pathlib.Path(__file__).parents[2] / "models"


def model(name, **analysis):
    document = json.loads((MODELS / f"{name}.json").read_text())
    document["analysis"].update(analysis)
    return document


class Certificates(DaemonTest):
    def level(self, daemon, job):
        return daemon.request("GET", f"/jobs/{job['id']}/certificate").json()["verdict"]["level"]

    def test_jobs_without_one(self):
        with self.daemon("--workers=1") as daemon:
            unknown = daemon.request("GET", "/jobs/nothing/certificate")
            self.assertEqual(unknown.status, 404)
            self.assertIn("nothing", unknown.json()["detail"])
            # a job that runs until it is cancelled
            running = daemon.submit(model("SC", t_end=1e6, dt=10))
            early = daemon.request("GET", f"/jobs/{running['id']}/certificate")
            self.assertEqual(early.status, 409)
            self.assertIn("certificate of job", early.json()["detail"])
            daemon.request("DELETE", f"/jobs/{running['id']}")
            document = model("FourBar", t_end=0.1)
            study = daemon.submit({"model": document, "study": {
                "vary": [{"parameter": "a"}], "outputs": [{"name": "t", "of": "t"}]}}, wait=True)
            self.assertEqual(study["status"], "succeeded")
            refused = daemon.request("GET", f"/jobs/{study['id']}/certificate")
            self.assertEqual(refused.status, 404)
            self.assertIn("is a study", refused.json()["detail"])

    def test_levels_and_forms(self):
        with self.daemon("--workers=1") as daemon:
            plain = daemon.submit(model("SC", t_end=0.2), wait=True)
            self.assertEqual(self.level(daemon, plain), "unexamined")
            asked = {"t_end": 0.2, "certify": True}
            self.assertEqual(self.level(daemon, daemon.submit(model("SC", **asked), wait=True)), "trusted")
            # The remaining limit suffices for none, one, or both of the other runs.
            levels = []
            for share in (1.2, 1.6, 2, 2.5, 3, 4, 6):
                most = int(share * plain["report"]["evaluations"])
                job = daemon.submit(model("SC", **asked, limits={"max_evaluations": most}), wait=True)
                level = self.level(daemon, job)
                levels += [level] if levels[-1:] != [level] else []
            self.assertEqual(levels, ["unexamined", "partly_examined", "trusted"])
            for form, kind in [("html", "text/html"), ("text", "text/plain"), ("json", "application/json")]:
                answer = daemon.request("GET", f"/jobs/{plain['id']}/certificate?format={form}")
                self.assertTrue(answer.headers["Content-Type"].startswith(kind))
            self.assertEqual(daemon.request("GET", f"/jobs/{plain['id']}/certificate?format=pdf").status, 400)
            tag = answer.headers["ETag"]
            address = f"/jobs/{plain['id']}/certificate?format=json"
            again = daemon.request("GET", address, headers={"If-None-Match": tag})
            self.assertEqual(again.status, 304)


if __name__ == "__main__":
    unittest.main()
