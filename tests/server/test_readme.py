"""What README prints is what comes, up to the last digits, which depend on the processor's libraries."""

import json
import os
import re
import unittest

from support import DaemonTest

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


def numbers(text):
    return [float(word) for word in re.findall(r"-?\d+(?:\.\d+)?(?:e-?\d+)?", text)]


class Readme(DaemonTest):
    def setUp(self):
        super().setUp()
        with open(os.path.join(TOP, "README.md"), encoding="utf-8") as file:
            self.readme = file.read()

    def assert_same(self, printed, came):
        self.assertEqual(len(printed), len(came))
        for one, two in zip(printed, came):
            self.assertLessEqual(abs(one - two), 1e-12 * max(1, abs(two)))

    def test_first_model(self):
        with open(os.path.join(TOP, "models", "SC.json"), encoding="utf-8") as file:
            model = json.load(file)
        with self.daemon() as daemon:
            job = daemon.submit(model, wait=60)
            after = re.search(r'"after": \[([^]]*)\]', self.readme).group(1)
            conditions = job["report"]["initial_conditions"]
            self.assert_same(numbers(after), conditions["after"]["coordinates"])
            self.assertIn(f'"iterations": {conditions["iterations"]}', self.readme)
            printed = re.search(r"(t,B\.lambda1,B\.lambda2\n)((?:[-\d.,e]+\n)+)", self.readme)
            csv = daemon.get(f"/jobs/{job['id']}/results/Lam?format=csv").body.decode()
            lines = csv.splitlines()[:1 + printed.group(2).count("\n")]
            self.assertEqual(lines[0], printed.group(1).strip())
            self.assert_same(numbers(printed.group(2)), numbers("\n".join(lines[1:])))

    def test_table_of_calls(self):
        """It names each call once."""
        table = self.readme.split("| call | answer |\n", 1)[1].split("\n\n", 1)[0].splitlines()[1:]
        named = []
        for row in table:
            method = path = ""
            for code in re.findall(r"`([^`]+)`", re.split(r"(?<!\\)\|", row)[1]):
                if " " in code:
                    method, code = code.split()
                # `.mat` after `/results.npz` is `/results.mat`.
                path = path[:path.rindex(".")] + code if code.startswith(".") else code.split("?")[0]
                named.append(f"{method} {path}".replace("/ID", "/{id}").replace("/NAME", "/{name}")
                             .replace("model.schema.json", "{name}"))
        with self.daemon() as daemon:
            calls = daemon.get("").json()["calls"]
        self.assertEqual(sorted(named), sorted(f"{call['method']} {call['path']}" for call in calls))


if __name__ == "__main__":
    unittest.main()
