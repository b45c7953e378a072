"""README: its length, its model and its statements; the manual's table of calls."""

import json
import os
import re
import unittest

from support import DaemonTest

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
BYTES_MOST = 8192


def read(*path):
    with open(os.path.join(TOP, *path), encoding="utf-8") as file:
        return file.read()


class Readme(DaemonTest):
    def test_length(self):
        self.assertLessEqual(len(read("README.md").encode()), BYTES_MOST)

    def test_first_model(self):
        """The model runs without a note, and its loop is closed as precisely as README says."""
        readme = read("README.md")
        model = json.loads(re.search(r"```json\n(.*?)```", readme, re.DOTALL)[1])
        closed = float(re.search(r"the gap in the first model of this page never exceeds (\S+) m", readme)[1])
        with self.daemon() as daemon:
            job = daemon.submit(model, wait=True)
            self.assertEqual((job["status"], job["report"]["notes"]), ("succeeded", []))
            self.assertLess(job["report"]["residuals"]["position"], closed)
            torque = daemon.get(f"/jobs/{job['id']}/results/torque").json()["data"]
        self.assertAlmostEqual(max(torque), 1.478, places=3)

    def test_table_of_calls(self):
        """The manual's table contains each call once."""
        table = read("docs", "manual", "calls.md").split("| call | answer |\n", 1)[1].split("\n\n", 1)[0]
        named = []
        for row in table.splitlines()[1:]:
            method = path = ""
            for code in re.findall(r"`([^`]+)`", re.split(r"(?<!\\)\|", row)[1]):
                if " " in code:
                    method, code = code.split()
                # `.mat` after `/results.npz` stands for `/results.mat`.
                path = path[:path.rindex(".")] + code if code.startswith(".") else code.split("?")[0]
                named.append(f"{method} {path}".replace("/ID", "/{id}").replace("/NAME", "/{name}")
                             .replace("model.schema.json", "{name}"))
        with self.daemon() as daemon:
            calls = daemon.get("").json()["calls"]
        self.assertEqual(sorted(named), sorted(f"{call['method']} {call['path']}" for call in calls))


if __name__ == "__main__":
    unittest.main()
