"""Files and disks that disappear while the service runs are reported at /readyz, and recover if possible."""

import fcntl
import os
import shutil
import subprocess
import unittest

from data_folder import FILES, FaultTest
from support import quick, sqlite_only, until


@sqlite_only
class Faults(FaultTest):
    def test_folder_that_goes(self):
        with self.daemon() as daemon:
            job = daemon.submit(quick(), wait=True)["id"]
            os.rename(self.path(""), self.path("", "away"))
            self.expect_fault(daemon, "the data folder", "was deleted")
            self.assertEqual(daemon.get(f"/jobs/{job}/results/T").status, 200)
            # An empty folder in its place is not accepted, and the missing one stays locked.
            os.mkdir(self.path(""))
            until(lambda: "was deleted or replaced" in daemon.get("/readyz").json()["detail"])
            self.assertEqual(os.listdir(self.path("")), [])
            with open(self.path("lock", "away"), "wb") as lock, self.assertRaises(BlockingIOError):
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.rmdir(self.path(""))
            os.rename(self.path("", "away"), self.path(""))
            self.expect_recovery(daemon)
            shutil.rmtree(self.path(""))
            until(lambda: daemon.get("/readyz").status == 503)
            self.assertEqual(daemon.request("POST", "/jobs", quick()).status, 503)
            self.assertEqual(daemon.job(job)["status"], "succeeded")
            self.assertEqual(daemon.stop(), 0)

    def test_file_that_goes(self):
        """Nothing that was written to a deleted file is acknowledged."""
        for name in (*FILES, "queue.db-wal"):
            with self.subTest(name), self.daemon() as daemon:
                job = daemon.submit(quick(), wait=True)["id"]
                os.rename(self.path(name), self.path("away"))
                if name == "queue.db":
                    # Immediately, before the next check of the folder.
                    self.assertEqual(daemon.request("POST", "/jobs", quick()).status, 503)
                self.expect_fault(daemon, name.replace("-wal", ""), "was deleted or replaced")
                self.assertEqual(daemon.job(job)["status"], "succeeded")
                os.rename(self.path("away"), self.path(name))
                self.expect_recovery(daemon)

    def test_free_space_that_cannot_be_read(self):
        shim = os.path.join(self.folder, "shim")
        with open(shim + ".c", "w") as file:
            file.write("#include <errno.h>\n#include <stdlib.h>\n#include <string.h>\n#include <sys/statvfs.h>\n"
                       "#include <unistd.h>\n#include <sys/vfs.h>\n"
                       "int statvfs(const char *path, struct statvfs *out) {\n"
                       "  struct statfs disk;\n"
                       "  if (access(getenv(\"BROKEN\"), F_OK) == 0) return errno = EIO, -1;\n"
                       "  if (statfs(path, &disk) != 0) return -1;\n"
                       "  memset(out, 0, sizeof *out);\n"
                       "  out->f_bavail = disk.f_bavail; out->f_frsize = (unsigned long)disk.f_bsize;\n"
                       "  return 0;\n}\n")
        subprocess.run(["cc", "-shared", "-fPIC", "-o", shim, shim + ".c"], check=True)
        broken = os.path.join(self.folder, "broken")
        settings = {"LD_PRELOAD": shim, "BROKEN": broken,
                    "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"}
        before = {name: os.environ.get(name) for name in settings}
        os.environ.update(settings)
        try:
            with self.daemon() as daemon:
                self.assertEqual(daemon.get("/readyz").status, 200)
                open(broken, "wb").close()
                self.expect_fault(daemon, "the free disk space", "Input/output error")
                os.unlink(broken)
                self.expect_recovery(daemon)
        finally:
            for name, value in before.items():
                if value is None:
                    del os.environ[name]
                else:
                    os.environ[name] = value


if __name__ == "__main__":
    unittest.main()
