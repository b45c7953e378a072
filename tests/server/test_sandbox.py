"""Restrictions of workers: they can only compute, for every document."""

import glob
import io
import os
import pwd
import signal
import subprocess
import sys
import unittest
import zipfile
from unittest import mock

import support
from support import MBSD, PATIENCE, DaemonTest, endless, is_alive, quick, until

# Imitates an older container engine, then becomes the daemon: no process may filter its system calls.
REFUSING = """#!{python}
import ctypes, os, sys

class Comparison(ctypes.Structure):
    _fields_ = [("argument", ctypes.c_uint), ("operator", ctypes.c_int), ("a", ctypes.c_uint64), ("b", ctypes.c_uint64)]

library = ctypes.CDLL("libseccomp.so.2")
library.seccomp_init.restype = ctypes.c_void_p
rules = ctypes.c_void_p(library.seccomp_init(0x7fff0000))  # allow
refuse, equal, set_filter = ctypes.c_uint32(0x00050001), 4, 22
failed = library.seccomp_rule_add_array(rules, refuse, library.seccomp_syscall_resolve_name(b"seccomp"), 0, None)
failed = failed or library.seccomp_rule_add_array(rules, refuse, library.seccomp_syscall_resolve_name(b"prctl"), 1,
                                                  ctypes.byref(Comparison(0, equal, set_filter, 0)))
if failed or library.seccomp_load(rules):
    sys.exit("the filter against filters is not taken")
os.execv({mbsd!r}, [{mbsd!r}, *sys.argv[1:]])
"""


def status_of(pid):
    with open(f"/proc/{pid}/status") as file:
        return dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)


def limits_of(pid):
    """Returns soft and hard limits by name."""
    with open(f"/proc/{pid}/limits") as file:
        return {line[:26].strip(): tuple(line[26:].split()[:2]) for line in file.readlines()[1:]}


def results_of(daemon, path):
    """Returns the final status of a model's job, and the bytes of all its arrays."""
    with open(path) as file:
        job = daemon.await_job(daemon.submit(file.read())["id"])
    answer = daemon.request("GET", f"/api/v1/jobs/{job['id']}/results.npz")
    with zipfile.ZipFile(io.BytesIO(answer.body)) as file:
        return job["status"], {name: file.read(name) for name in file.namelist()}


class SandboxTest(DaemonTest):
    def confined(self, *options):
        """Starts a daemon with confined workers. If they cannot be confined, skips the test with the daemon's
        reason."""
        daemon = self.daemon(*options)
        refusals = daemon.events("no_sandbox")
        if refusals:
            with daemon:
                self.skipTest(refusals[0]["why"])
        return daemon

    def refused(self, *options, program=MBSD):
        """Starts a daemon that must fail to start. Returns its output."""
        ended = subprocess.run([program, "--port=0", f"--data={self.folder}/data", *options], capture_output=True,
                               text=True, timeout=PATIENCE)
        self.assertEqual((ended.returncode, ended.stdout), (1, ""))
        self.assertIn("start_failed", ended.stderr)
        return ended.stderr

    def refusing_program(self):
        path = os.path.join(self.folder, "refusing")
        with open(path, "w") as file:
            file.write(REFUSING.format(python=sys.executable, mbsd=os.path.abspath(MBSD)))
        os.chmod(path, 0o755)
        return path


class Workers(SandboxTest):
    def test_what_they_have(self):
        """Workers cannot gain privileges, have a filter, their socket and their own size; also after a job."""
        with self.confined("--workers=2", "--job-seconds=7", "--check-seconds=3") as daemon:
            self.assertEqual(daemon.submit(quick(), wait=True)["status"], "succeeded")
            workers = until(lambda: len(daemon.workers()) == 7 and daemon.workers())
            until(lambda: daemon.metrics()["mbsd_workers"] == 2)
            for pid in workers:
                until(lambda pid=pid: status_of(pid)["Seccomp"] == "2")
                self.assertEqual(status_of(pid)["NoNewPrivs"], "1")
                open_files = {int(n): os.readlink(f"/proc/{pid}/fd/{n}") for n in os.listdir(f"/proc/{pid}/fd")}
                self.assertEqual(open_files.pop(0), "/dev/null")
                self.assertRegex(open_files.pop(3), r"^socket:")
                self.assertRegex(open_files.pop(4), rf"^/proc/{pid}/statm$")
                self.assertEqual(set(open_files), {1, 2})  # standard output and the log
                self.assertEqual(open_files[1], open_files[2])
                limits = limits_of(pid)
                for name, most in ("file size", "0"), ("core file size", "0"), ("processes", "0"), ("open files", "5"):
                    self.assertEqual(limits[f"Max {name}"], (most, most), name)
            soft = [limits_of(pid)["Max cpu time"][0] for pid in workers]
            self.assertTrue(any(text != "unlimited" and 67 <= int(text) <= 75 for text in soft), soft)

    def test_same_bits(self):
        """All models give the same results in a sandbox and without one: mechanisms of all kinds, stiff, linearized, in
        contact, in space."""
        paths = sorted(glob.glob("models/*.json"))
        self.assertGreater(len(paths), 40)
        with self.confined("--workers=2") as daemon:
            inside = {path: results_of(daemon, path) for path in paths}
            self.assertEqual(daemon.events("worker_ended"), [])
        with self.daemon("--workers=2", "--sandbox=off") as daemon:
            for path in paths:
                self.assertEqual(results_of(daemon, path), inside[path], path)
        for status, arrays in inside.values():
            self.assertEqual(status, "succeeded")
            self.assertGreater(len(arrays), 0)

    def test_memory_that_runs_out(self):
        """A job that is refused memory ends like one outside the sandbox: with its own error."""
        with self.confined("--workers=1", "--job-memory=64M", "--rows=100000000") as daemon:
            job = daemon.submit(support.chain(links=20, t_end=1000, dt=0.0001), wait=True)
            job = daemon.await_job(job["id"])
            self.assertEqual((job["status"], job["error"]["code"]), ("failed", "too_large"))
            self.assertEqual(daemon.events("worker_ended"), [])

    def test_who_breaks_out(self):
        """The signal of the filter is an error of the job with its name, and a line of the log."""
        with self.daemon("--workers=1") as daemon:
            job = daemon.submit(endless())["id"]
            first = daemon.worker_of(job)
            os.kill(first, signal.SIGSYS)
            until(lambda: daemon.worker_of(job) != first)
            os.kill(daemon.worker_of(job), signal.SIGSYS)
            done = daemon.await_job(job)
            self.assertEqual((done["status"], done["error"]["code"]), ("failed", "worker_crashed"))
            self.assertIn("violated the sandbox", done["error"]["detail"])
            self.assertEqual([e["job"] for e in daemon.events("worker_ended") if "violated the sandbox" in e["how"]],
                             [job, job])
            self.assertEqual(daemon.submit(quick(), wait=True)["status"], "succeeded")


class Modes(SandboxTest):
    def test_off(self):
        with self.daemon("--workers=1", "--sandbox=off") as daemon:
            self.assertEqual(daemon.submit(quick(), wait=True)["status"], "succeeded")
            self.assertIn("--sandbox", daemon.events("no_sandbox")[0]["why"])
            self.assertEqual({status_of(pid)["Seccomp"] for pid in daemon.workers()}, {"0"})

    def test_required(self):
        with self.daemon() as daemon:
            refusals = daemon.events("no_sandbox")
        if refusals:
            self.assertIn(refusals[0]["why"], self.refused("--sandbox=required"))
        else:
            with self.daemon("--sandbox=required") as daemon:
                self.assertEqual(daemon.submit(quick(), wait=True)["status"], "succeeded")

    def test_system_that_refuses(self):
        """Imitates an older container: a single warning, or no start."""
        with self.confined():
            pass
        program = self.refusing_program()
        with mock.patch("support.MBSD", program), self.daemon("--workers=2") as daemon:
            self.assertEqual(daemon.submit(quick(), wait=True)["status"], "succeeded")
            warnings = daemon.events("no_sandbox")
            self.assertEqual([(line["level"], "seccomp" in line["why"]) for line in warnings], [("warning", True)])
        self.assertIn("seccomp", self.refused("--sandbox=required", program=program))


class Users(SandboxTest):
    @unittest.skipIf(support.COUNTS_LINES, "another user cannot write down which lines ran, and says so in the log")
    def test_own_user(self):
        if os.geteuid() != 0:
            self.assertIn("as root", self.refused("--worker-user=nobody"))
            return
        with self.daemon("--workers=2", "--worker-user=nobody") as daemon:
            self.assertEqual(daemon.submit(quick(), wait=True)["status"], "succeeded")
            workers = until(lambda: len(daemon.workers()) == 7 and daemon.workers())
            entry = pwd.getpwnam("nobody")
            for pid in workers:
                status = until(lambda pid=pid: (s := status_of(pid))["Uid"].split()[0] != "0" and s)
                self.assertEqual(set(status["Uid"].split()), {str(entry.pw_uid)})
                self.assertEqual(set(status["Gid"].split()), {str(entry.pw_gid)})
                self.assertEqual(status["Groups"].strip(), "")
            # A change of user would have reset the setting that workers end with their supervisor.
            os.kill(daemon.supervisors()[0], signal.SIGKILL)
            until(lambda: not any(is_alive(pid) for pid in workers))
            self.assertEqual(daemon.submit(quick(), wait=True)["status"], "succeeded")

    def test_no_such_user(self):
        self.assertIn("unknown user 'no-such-user'", self.refused("--worker-user=no-such-user"))


if __name__ == "__main__":
    unittest.main()
