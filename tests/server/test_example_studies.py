"""The shipped studies succeed, and find the known results."""

import math
import unittest

from support import MBSD, DaemonTest


class ExampleStudies(DaemonTest):
    def study_of(self, name):
        with self.daemon("--workers=1") as daemon:
            listed = [study["name"] for study in daemon.get("/examples").json()["studies"]]
            self.assertIn(name, listed)
            job = daemon.submit(daemon.get(f"/examples/{name}").json(), wait=True)
        self.assertEqual(job["status"], "succeeded", job["error"])
        return job["report"]["study"]

    def assert_near(self, best, expected, part):
        for name, value in expected.items():
            self.assertAlmostEqual(best["parameters"][name], value, delta=part * value)

    def test_path_through_points(self):
        """The points, which have four decimals, are on the path of a coupler."""
        said = self.study_of("FourBar_path")
        self.assertEqual(said["stopped"], "converged")
        self.assertLess(math.sqrt(said["best"]["objective"]), 1e-3)
        self.assert_near(said["best"], {"a": 0.3, "b": 0.8, "c": 0.7, "d": 0.9, "px": 0.45, "py": 0.2}, 0.03)

    def test_counterweight(self):
        """The counterweight balances the first harmonic, in which the rod and the slider contribute mainly to x."""
        said = self.study_of("SC_balance")
        self.assertEqual(said["stopped"], "converged")
        r, rc, rod, slider, place = 0.06, 0.05, 0.6, 0.8, 0.3
        moment = 1 * r / 2 + rod * r * (1 - place / 2) + slider * r / 2
        self.assert_near(said["best"], {"mc": moment / rc}, 1e-5)

    @unittest.skipIf("/dev/" in MBSD, "half a minute with sanitizers, which the others see, too")
    def test_absorber(self):
        """A sweep is nearly, but not exactly, a steady sine; both peaks are equal."""
        said = self.study_of("Absorber")
        self.assertEqual(said["stopped"], "converged")
        mu = 0.05
        self.assert_near(said["best"], {"f": 1 / (1 + mu), "zeta": math.sqrt(3 * mu / (8 * (1 + mu) ** 3))}, 0.03)
        self.assertAlmostEqual(said["best"]["outputs"]["low"], said["best"]["outputs"]["high"], 4)

    def test_lengths(self):
        said = self.study_of("FourBar_lengths")
        self.assertEqual(said["stopped"], "converged")
        for i, (name, value) in enumerate({"a": 0.3, "b": 0.8, "c": 0.7, "d": 0.9}.items()):
            deviation = math.sqrt(said["covariance"][i][i])
            self.assertLess(deviation, 0.002)
            self.assertLess(abs(said["best"]["parameters"][name] - value), 3 * deviation)


if __name__ == "__main__":
    unittest.main()
