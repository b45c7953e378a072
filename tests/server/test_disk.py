"""A small disk: results count against its reserve as they arrive, and deletions make a full disk usable again."""

import contextlib
import errno
import os
import sqlite3
import subprocess
import time
import unittest

from support import Daemon, DaemonTest, endless, quick, until

DISK, RESERVE = 40 << 20, 16 << 20


class SmallDisk(DaemonTest):
    """Tests with the data folder on its own file system, in memory."""

    def setUp(self):
        super().setUp()
        self.data = os.path.join(self.folder, "data")
        os.mkdir(self.data)
        mount = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK}", "tmpfs", self.data],
                               stderr=subprocess.PIPE, text=True, check=False)
        if mount.returncode != 0:
            self.skipTest(f"no separate file system: {mount.stderr.strip()}")
        self.addCleanup(subprocess.run, ["umount", self.data], check=True)

    def daemon(self, *options):
        return Daemon(self.folder, f"--disk-reserve={RESERVE}", *options)

    def free(self):
        disk = os.statvfs(self.data)
        return disk.f_bavail * disk.f_frsize

    def size(self, name):
        return os.path.getsize(os.path.join(self.data, name))

    def ours(self):
        """Returns the free space plus the reserved space that the daemon can release."""
        return self.free() + self.size("room")

    def fill(self):
        """Fills the disk with foreign data."""
        with open(os.path.join(self.data, "foreign"), "ab") as file, contextlib.suppress(OSError):
            try:
                while (left := self.free()) > 0:
                    file.write(b"\1" * min(left, 1 << 20))
                    file.flush()
            except OSError as error:
                if error.errno != errno.ENOSPC:
                    raise

    def large(self):
        """Returns a job with about 60 MB of results that runs quickly."""
        return quick(t_end=100, dt=0.0005)

    def test_job_that_does_not_fit(self):
        with self.daemon("--workers=2", "--result=1G") as daemon:
            kept = daemon.submit(quick(), wait=True)["id"]
            before = self.free()
            neighbour = daemon.submit(endless())["id"]
            daemon.worker_of(neighbour)
            job = daemon.submit(self.large())["id"]
            least = before
            while (found := daemon.job(job))["status"] in ("queued", "running"):
                least = min(least, self.free())
                time.sleep(0.002)
            self.assertEqual((found["status"], found["error"]["code"]), ("failed", "results_not_kept"))
            self.assertGreater(least, RESERVE / 4, "bytes that stayed free")
            self.assertEqual(daemon.get(f"/jobs/{job}/results").json()["arrays"], [])
            # The whole space is released, and other jobs continue. The journal has a bounded size, which it keeps and
            # reuses.
            until(lambda: self.free() + self.size("results.db-wal") > before - (8 << 20))
            until(lambda: daemon.get("/readyz").status == 200)
            self.assertEqual(daemon.job(neighbour)["status"], "running", daemon.events("results_not_kept"))
            daemon.request("POST", f"/jobs/{neighbour}/cancel")
            self.assertEqual(daemon.await_job(neighbour)["error"]["code"], "cancelled")
            self.assertGreater(len(daemon.get(f"/jobs/{neighbour}/results").json()["arrays"]), 0)
            self.assertEqual(daemon.submit(quick(), wait=True)["status"], "succeeded")
            self.assertEqual(daemon.get(f"/jobs/{kept}/results/T").status, 200)
            lines = [line for line in daemon.text().splitlines() if job in line and '"level":"debug"' not in line]
            self.assertEqual(len([line for line in lines if "results_not_kept" in line]), 1, lines)
            self.assertEqual(daemon.events("database_error"), [])
            self.assertLess(len(lines), 5, lines)

    def test_full_disk(self):
        with self.daemon("--workers=1") as daemon:
            jobs = [daemon.submit(quick(t_end=14, dt=0.001), wait=True)["id"] for _ in range(3)]
            self.fill()
            self.assertLess(self.free(), 4096)
            until(lambda: daemon.get("/readyz").status == 503)  # the daemon checks the disk twice a second
            self.assertEqual(daemon.request("POST", "/jobs", quick()).status, 507)
            self.assertEqual(daemon.get(f"/jobs/{jobs[2]}/results/T").status, 200)
            before = self.ours()
            self.assertEqual(daemon.request("DELETE", f"/jobs/{jobs[0]}").status, 204)
            until(lambda: self.ours() > before + (1 << 20))
            until(lambda: self.size("room") > 1 << 20)
            self.fill()
            daemon.kill()
        # The daemon starts and serves although no space is free, and deletions make space.
        with self.daemon("--workers=1") as daemon:
            self.assertEqual(daemon.get(f"/jobs/{jobs[2]}/results/T").status, 200)
            self.assertEqual(daemon.job(jobs[1])["status"], "succeeded")
            before = self.ours()
            self.assertEqual(daemon.request("DELETE", f"/jobs/{jobs[1]}").status, 204)
            until(lambda: self.ours() > before + (1 << 20))
            os.unlink(os.path.join(self.data, "foreign"))
            until(lambda: daemon.get("/readyz").status == 200)
            self.assertEqual(daemon.submit(quick(), wait=True)["status"], "succeeded")
            self.assertEqual(daemon.stop(), 0)
        for name in ("queue.db", "results.db"):
            database = sqlite3.connect(os.path.join(self.data, name))
            self.assertEqual(database.execute("PRAGMA integrity_check").fetchone(), ("ok",))
            database.close()

    def test_reserved_space_lasts(self):
        """However often another program takes the space that a deletion left, the next deletion has what it needs."""
        with self.daemon("--workers=1") as daemon:
            for job in [daemon.submit(quick(), wait=True)["id"] for _ in range(8)]:
                self.fill()
                self.assertEqual(daemon.request("DELETE", f"/jobs/{job}").status, 204)
                until(lambda: self.size("room") > 1 << 19)

    def test_full_disk_is_left_by_deleting_after_a_restart(self):
        """Large results, whose removal must not write as much as it frees."""
        subprocess.run(["mount", "-o", f"remount,size={2 * DISK}", self.data], check=True)
        with self.daemon("--workers=1") as daemon:
            jobs = [daemon.submit(quick(t_end=t, dt=0.001), wait=True)["id"] for t in (40, 40)]
            self.assertEqual([daemon.job(job).get("error") for job in jobs], [None] * 2)
            large = self.size("results.db")
            self.assertGreater(large, 10 << 20)
            self.fill()
            self.assertEqual(daemon.stop(), 0)
        with self.daemon("--workers=1") as daemon:
            for job in jobs:
                self.assertEqual(daemon.request("DELETE", f"/jobs/{job}").status, 204)
            until(lambda: self.size("results.db") < 1 << 20)
            self.assertGreater(self.ours(), large / 2)
            self.assertEqual(daemon.stop(), 0)


if __name__ == "__main__":
    unittest.main()
