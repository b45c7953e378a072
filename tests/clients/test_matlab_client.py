"""The function for MATLAB and Octave, clients/matlab/mbsd_run.m, run by Octave: with the real daemon, and with a
service that fails from time to time. MATLAB itself is not tested."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "server")]

from failing_service import FailingService  # noqa: E402
from support import Daemon, lacks, quick  # noqa: E402

TOP = os.path.join(HERE, "..", "..")
FUNCTION = os.path.join(TOP, "clients", "matlab")


def octave(code, folder, place=None):
    """Runs lines of Octave, which report failures by error(). Returns the output."""
    prelude = f"addpath('{os.path.abspath(FUNCTION)}'); "
    run = subprocess.run(["octave-cli", "--norc", "--no-history", "--quiet", "--eval", prelude + code], cwd=place or folder,
                         capture_output=True, text=True, check=False, env={**os.environ, "TMPDIR": folder})
    if run.returncode != 0:
        raise AssertionError(f"{run.stderr}\n{run.stdout}")
    return run.stdout


def caught(call):
    """Returns Octave code that prints the identifier and the message of the error of a call."""
    return f"try, {call}; disp('no error'), catch e, printf('%s\\n%s', e.identifier, e.message), end; "


class MatlabClient(unittest.TestCase):
    def setUp(self):
        if not shutil.which("octave-cli"):
            lacks("octave-cli")
        self.folder = self.enterContext(tempfile.TemporaryDirectory(prefix="mbsd-test-"))

    def daemon(self):
        daemon = self.enterContext(Daemon(self.folder, "--workers=2"))
        return daemon, f"'url', 'http://{daemon.host}:{daemon.port}'"

    def write(self, name, model):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            json.dump(model, file, ensure_ascii=False)

    def test_results(self):
        daemon, url = self.daemon()
        model = quick(name="Pendel für alle")
        model["sensors"] = [{"name": "a/b ü", "value": "2*t"}, {"name": "labels", "value": "3*t"}]
        self.write("model.json", model)
        said = octave(f"""
          [result, job] = mbsd_run('model.json', {url}, 'progress', true);
          [part, again] = mbsd_run(job, {url}, 'arrays', {{'T'}});
          model = rmfield(jsondecode(fileread('model.json')), 'sensors');
          other = mbsd_run(model, {url}, 'analysis', struct('type', 'dynamics', 't_end', 0.2, 'dt', 0.1));
          printf('--\\n%s\\n--\\n', jsonencode(struct('id', job.id, 'same', isequal(again, job), ...
            'part', {{fieldnames(part)}}, 'fields', {{fieldnames(result)}}, 'other', numel(other.T), ...
            'report', job.report.degrees_of_freedom, 'labels', {{result.labels.uT}}, 'units', {{result.units.uT}})));
          printf('%.17g ', result.T, result.uT, result.rP);""", self.folder)
        progress, told, numbers = said.split("--\n")
        self.assertRegex(progress, "(^|\n)succeeded 100 %\n$")
        told = json.loads(told)
        sent = {name: daemon.get(f"/jobs/{told['id']}/results/{name}").json() for name in ("T", "uT", "rP")}
        self.assertEqual(len(sent["rP"]["shape"]), 3)
        columns = [np.array(array["data"]).flatten("F") for array in sent.values()]
        self.assertEqual([float(x) for x in numbers.split()], np.concatenate(columns).tolist())
        self.assertEqual((told["labels"], told["units"]), (sent["uT"]["labels"], sent["uT"]["units"]))
        self.assertEqual((told["same"], told["other"], told["report"]), (True, 3, 1))
        self.assertEqual(told["part"], ["labels", "units", "T"])
        self.assertIn("labels_1", told["fields"])
        self.assertEqual(len(told["fields"]), 2 + len(daemon.get(f"/jobs/{told['id']}/results").json()["arrays"]))
        self.assertEqual(daemon.job(told["id"])["model_name"], "Pendel für alle")
        self.assertEqual([name for name in os.listdir(self.folder) if name.startswith("oct-")], [])

    def test_the_lines_of_the_manual(self):
        daemon, _ = self.daemon()
        with open(os.path.join(TOP, "docs", "manual", "api.md"), encoding="utf-8") as file:
            lines = re.search(r"```matlab\n(.*?)```", file.read(), re.DOTALL)[1]
        lines = lines.replace("http://127.0.0.1:8080", f"http://{daemon.host}:{daemon.port}")
        lines = lines.replace("SC.json", "models/SC.json")
        self.assertIn("[1,1] = B.lambda1", octave(lines, self.folder, TOP))

    def test_errors(self):
        _, url = self.daemon()
        wrong = quick()
        wrong["bodies"][0]["mass"] = -1
        wrong["joints"][0]["points"][1] = "link.a"
        self.write("wrong.json", wrong)
        failing = quick()
        failing["forces"] = [{"name": "wind", "type": "force", "point": "link1.b", "value": ["1/(t - 0.5)", 0]}]
        self.write("failing.json", failing)
        with open(os.path.join(self.folder, "text.json"), "w", encoding="ascii") as file:
            file.write('{"name": \n oops}')
        said = octave(
            caught(f"mbsd_run('wrong.json', {url})") + "disp('--');"
            + caught(f"mbsd_run('text.json', {url})") + "disp('--');"
            + caught(f"mbsd_run('failing.json', {url})") + "disp('--');"
            + f"[r, j] = mbsd_run('failing.json', {url}, 'check', false); disp([numel(r.T) > 1, isstruct(j.error)]);"
            + "disp('--');"
            + caught(f"mbsd_run('failing.json', {url}, 'check', false, 'arrays', {{'uTT'}})") + "disp('--');"
            + caught(f"mbsd_run('failing.json', {url}, 'whait', 1)") + "disp('--');"
            + caught("mbsd_run('failing.json', 'url', 'http://127.0.0.1:1', 'retries', 0)"), self.folder).split("--\n")
        self.assertIn("mbsd:invalid\n", said[0])
        self.assertIn("\n  /bodies/0/mass: mass must be at least 0", said[0])
        self.assertIn("\n  /joints/0/points/1: ", said[0])
        self.assertIn("mbsd:invalid\n", said[1])
        self.assertIn("(line 2, column ", said[1])
        self.assertRegex(said[2], r"^mbsd:failed\n\w+ at t = 0\.[45]\d* s")
        self.assertEqual(said[3].split(), ["1", "1"])
        self.assertRegex(said[4], "^mbsd:service\nThe job has no array 'uTT', but T, ")
        self.assertRegex(said[5], "^mbsd:option\n")
        self.assertRegex(said[6], "^mbsd:unreachable\n.*is mbsd running there")

    def test_waiting_no_longer_than_asked(self):
        daemon, url = self.daemon()
        endless = quick(name="endless", t_end=1e5, dt=1, integrator={"rtol": 1e-12, "atol": 1e-12})
        self.write("endless.json", endless)
        said = octave(f"tic; [r, j] = mbsd_run('endless.json', {url}, 'wait', 1); "
                      "printf('%d %d %s', isempty(r), toc < 10, j.status)", self.folder)
        self.assertEqual(said, "1 1 running")
        self.assertEqual(len(daemon.jobs()), 1)

    def test_a_failing_service_keeps_one_job(self):
        with FailingService("drop", 503, "refuse") as service:
            said = octave(caught(f"mbsd_run(struct(), 'url', '{service.url}', 'token', 'secret \"x\"')"), self.folder)
        posts = [seen for seen in service.seen if seen[1] == "POST"]
        self.assertEqual((len(posts), len(service.jobs)), (4, 1), said)
        self.assertEqual(len({headers["Idempotency-Key"] for *_, headers, _ in posts}), 1)
        self.assertGreaterEqual(posts[2][0] - posts[1][0], 1)  # Retry-After header
        self.assertEqual((posts[0][2], posts[0][3]["Authorization"]), ("/below/api/v1/jobs", 'Bearer secret "x"'))
        self.assertIn("mbsd:service\n404 Not found: no such job", said)  # the job has no results

    def test_no_wait_for_tomorrow(self):
        with FailingService((429, 3600)) as service:
            said = octave(caught(f"mbsd_run(struct(), 'url', '{service.url}')"), self.folder)
        self.assertEqual((said, len(service.seen)), ("mbsd:service\n429 Not now: try later", 1))

    def test_a_unix_socket(self):
        path = os.path.join(self.folder, "socket")
        with FailingService(500, unix=path) as service:
            said = octave(caught(f"mbsd_run(struct(), 'url', 'unix:{path}')"), self.folder)
        self.assertEqual(said, "mbsd:service\n500 Not now: try later")
        self.assertEqual([seen[2] for seen in service.seen], ["/api/v1/jobs"])


if __name__ == "__main__":
    unittest.main()
