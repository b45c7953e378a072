"""The manual: every block of code in it is run, its links are valid, and the daemon serves it. The links of all other
texts of the source are checked, too."""

import contextlib
import glob
import html.parser
import importlib.util
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import unittest
import urllib.parse

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "server")]

from installation import install_client  # noqa: E402
from support import MBSD, Answer, DaemonTest, chain, lacks  # noqa: E402

TOP = os.path.abspath(os.path.join(HERE, "..", ".."))
MANUAL = os.path.join(TOP, "docs", "manual")
MBS = os.path.abspath(os.environ.get("MBS", "build/release/mbs"))
ADDRESS = "http://127.0.0.1:8080"
PAGES = {name: os.path.join(MANUAL, name) for name in os.listdir(MANUAL) if name.endswith(".md")}
PAGES |= {name: os.path.join(TOP, "docs", name) for name in ("operations.md", "page.md")}
FUNCTIONS = ("polynomial", "step", "ramp", "harmonic", "spline", "piecewise")
INSTALLATION = "pip install"  # in a separate block
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def fetch(daemon, path, **headers):
    """Requests a path outside /api/v1."""
    with contextlib.closing(daemon.connection()) as connection:
        connection.request("GET", path, headers=headers)
        return Answer(connection.getresponse())


def blocks(text):
    """(language, code) of each block between fences."""
    return re.findall(r"^```(\S*)\n(.*?)^```$", text, re.M | re.S)


def same_text(printed, came):
    """Returns true if the texts are equal: a model gives equal bits on each x86-64 processor. Others may round
    differently."""
    if platform.machine() == "x86_64":
        return printed == came
    numbers = [[float(number) for number in NUMBER.findall(text)] for text in (printed, came)]
    return (NUMBER.sub("#", printed) == NUMBER.sub("#", came)
            and all(abs(one - two) <= 1e-6 * max(1, abs(two)) for one, two in zip(*numbers)))


def commands(block):
    """Returns (command, output) of a block in which commands begin with $."""
    return [tuple(part.split("\n", 1)) for part in re.split(r"^\$ ", block, flags=re.M)[1:]]


class Blocks(DaemonTest):
    """Runs the blocks of a page in one folder in sequence; those of the shell in one shell."""

    def setUp(self):
        super().setUp()
        self.work = os.path.join(self.folder, "work")
        bin_folder = os.path.join(self.folder, "bin")
        os.mkdir(bin_folder)
        for name, program in (("mbs", MBS), ("mbsd", os.path.abspath(MBSD)), ("python3", sys.executable)):
            os.symlink(program, os.path.join(bin_folder, name))
        clients = os.path.join(TOP, "clients")
        self.environment = {**os.environ, "PATH": f"{bin_folder}:{os.environ['PATH']}",
                            "PYTHONPATH": os.path.join(clients, "python"),
                            "OCTAVE_PATH": os.path.join(clients, "matlab")}

    def install(self):
        """Makes `python3` that of an environment with the module and its library."""
        os.remove(os.path.join(self.folder, "bin", "python3"))
        self.environment["PATH"] = f"{os.path.dirname(install_client(self.folder))}:{self.environment['PATH']}"
        del self.environment["PYTHONPATH"]

    def begin_folder(self):
        shutil.rmtree(self.work, ignore_errors=True)
        os.mkdir(self.work)
        os.symlink(os.path.join(self.folder, "data"), os.path.join(self.work, "DATA"))
        shutil.copy(os.path.join(TOP, "models", "SP.json"), self.work)

    def run_program(self, *command, code):
        done = subprocess.run(command, input=code, cwd=self.work, env=self.environment, text=True, timeout=600,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode, 0, f"{code}\n{done.stdout}")
        return done.stdout

    def run_shell(self, steps):
        """Runs (code, expected output or None) in one shell."""
        mark = "-- end of a step --"
        # Steps without expected output must at least succeed.
        script = "".join(f"{'' if wanted is not None else 'set -e'}\n{code}\nset +e; echo '{mark}'\n"
                         for code, wanted in steps)
        printed = self.run_program("bash", code=script).split(f"{mark}\n")
        for (code, wanted), came in zip(steps, printed):
            self.assertTrue(wanted is None or same_text(wanted, came), f"{code}\nprints\n{came}\nnot\n{wanted}")

    def fields_of(self, schema):
        """Returns (fields, required, properties) of each kind of object in a document."""
        return [(set(kind["properties"]), set(kind["required"]), kind["properties"])
                for kind in schema["$defs"].values() if "properties" in kind and "required" in kind
                and isinstance(kind["required"], list) and "additionalProperties" in kind]

    def check_json(self, daemon, code):
        """Checks that a document is valid, or that a piece of one has the fields of an object in the schema."""
        value = json.loads(code)
        if isinstance(value, str):
            return
        if "space" in value:
            answer = daemon.request("POST", "/validate", json.dumps(value))
            self.assertEqual(answer.status, 200, answer.body)
            return
        if not hasattr(self, "kinds"):
            self.kinds = self.fields_of(daemon.get("/schemas/model.schema.json").json())
        if set(value) == {"functions"}:  # named tables and functions
            for function in value["functions"].values():
                self.check_json(daemon, json.dumps(function))
            return
        if len(value) == 1 and next(iter(value)) in FUNCTIONS:
            value = next(iter(value.values()))
            if isinstance(value, list):  # from its first field
                return
        fits = [kind for kind in self.kinds if set(value) <= kind[0] and kind[1] <= set(value)
                and kind[2].get("type", {}).get("const", value.get("type")) == value.get("type")]
        self.assertTrue(fits, f"no object has the fields of {code}")

    def test_blocks(self):
        self.check_pages(name for name in PAGES if name != "python.md")

    def test_blocks_of_python(self):
        self.install()
        self.check_pages(["python.md"])

    def check_pages(self, names):
        for name, path in sorted((name, PAGES[name]) for name in names):
            with self.subTest(page=name), self.daemon() as daemon:
                address = f"http://127.0.0.1:{daemon.port}"
                self.begin_folder()
                found = [(language, code.replace(ADDRESS, address)) for language, code in blocks(read(path))
                         if INSTALLATION not in code]
                steps = [step for language, code in found if language in ("sh", "console")
                         for step in (commands(code) if language == "console" else [(code, None)])]
                if steps:
                    self.run_shell(steps)
                for language, code in found:
                    if language == "json":
                        self.check_json(daemon, code)
                    elif language == "python":
                        self.run_program("python3", "-", code=code)
                    elif language == "matlab" and shutil.which("octave-cli"):
                        self.run_program("octave-cli", "--no-window-system", "--quiet", code=code)
                    else:
                        self.assertIn(language, ("sh", "console", "matlab", "text"), code)

    def test_installation_of_the_client(self):
        """Installs as in the manual, but without a network: dependencies come from the system."""
        if not importlib.util.find_spec("ensurepip") or not importlib.util.find_spec("numpy"):
            lacks("python3-venv or NumPy")
        self.begin_folder()
        shutil.copytree(os.path.join(TOP, "clients"), os.path.join(self.work, "clients"),
                        ignore=shutil.ignore_patterns("__pycache__", "build", "*.egg-info"))
        del self.environment["PYTHONPATH"]
        # pip uses the installed setuptools with NO_BUILD_ISOLATION=0.
        self.environment |= {"PIP_NO_INDEX": "1", "PIP_NO_BUILD_ISOLATION": "0", "HOME": self.work}
        found = [code for _, code in blocks(read(PAGES["first-model.md"])) if INSTALLATION in code]
        self.assertEqual(len(found), 1)
        self.run_program("bash", "-e", code=found[0])
        python = re.search(r"(\S+)/bin/pip ", found[0]).group(1) + "/bin/python3"
        self.assertIn(f"with `{python}`", read(PAGES["first-model.md"]))
        told = self.run_program(python, "-c", "import mbsd; print(mbsd.__file__)", code="")
        self.assertIn("/site-packages/mbsd.py", told)
        self.assertIn("usage: ", self.run_program(python, "-m", "mbsd", "--help", code=""))

    def test_examples_of_the_reference(self):
        subprocess.run([MBS, "reference", "--out", self.folder], check=True)
        with self.daemon() as daemon:
            for name in sorted(os.listdir(self.folder)):
                for language, code in blocks(read(os.path.join(self.folder, name))) if name.endswith(".md") else []:
                    with self.subTest(page=name):
                        self.assertIn(language, ("json", "text"))
                        if language == "json":
                            self.check_json(daemon, code)

    def test_every_block_has_a_language(self):
        for name, path in PAGES.items():
            text = read(path)
            self.assertEqual(len(re.findall(r"^```", text, re.M)), 2 * len(blocks(text)), name)
            outside = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
            self.assertNotRegex(outside, r"(?m)^\n    \S", f"{name} has an indented block")


class Reference(unittest.TestCase):
    """Compares the output of mbs about classes."""

    def reference(self, *arguments):
        return subprocess.run([MBS, "reference", *arguments], capture_output=True, text=True)

    def test_a_page(self):
        page = self.reference("revolute").stdout
        self.assertTrue(page.startswith("# revolute\n"))
        self.assertIn("| `points` | 2 of: `body.point` |  | *required* | P1 on the first body, P2 on the second |", page)
        self.assertIn("theta = phi2 - phi1", page)
        self.assertIn('"type": "revolute"', page)
        self.assertRegex(page, r"\| `theta` \| `\w+\.q` \[rad\] \| coordinates \|")
        self.assertEqual(self.reference("joint-revolute").stdout, page)

    def test_every_element_has_a_page(self):
        listed = [line.split()[0] for line in self.reference().stdout.splitlines()]
        table = read(os.path.join(TOP, "solver", "core", "model", "elements.def"))
        for family, name in re.findall(r"^MBS_(\w+)\((\w+)\)", table, re.M):
            self.assertIn(f"{family.lower()}-{name.replace('_', '-')}", listed)
        self.assertLessEqual({"model", "analysis", "arrays", "expressions", "joints", "curve"}, set(listed))

    def test_every_function_has_its_derivative(self):
        page = self.reference("expressions").stdout
        table = read(os.path.join(TOP, "solver", "core", "expression", "functions.def"))
        functions = re.findall(r"^MBS_(?:FUNCTION|SWITCH|COMPOSED)\w*\((\w+),\s", table, re.M)
        self.assertGreater(len(functions), 20)
        for function in functions:
            self.assertRegex(page, rf"(?m)^\| `{function}\(a[^`]*\)` \| `[^`]+` \|$")
        self.assertIn("| `sin(a)` | `cos(a)*da` |", page)
        self.assertIn("| `min(a, b, ...)` | `if(a <= b, da, db)` |", page)

    def test_unknown(self):
        answer = self.reference("revolt")
        self.assertEqual((answer.returncode, answer.stdout), (1, ""))
        self.assertIn("no page 'revolt'", answer.stderr)


class Source(unittest.TestCase):
    """Checks the texts in the source, where a code host shows them."""

    def texts(self):
        skipped = {"build", "data", "node_modules", "dist", ".git"}
        for folder, folders, files in os.walk(TOP):
            folders[:] = [name for name in folders if name not in skipped and not name.startswith(".")]
            yield from (os.path.join(folder, name) for name in files if name.endswith(".md"))

    def headings(self, text):
        """Returns the anchors that code hosts give to headings."""
        anchors = []
        for heading in re.findall(r"^#+ +(.*?)\s*$", re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S), re.M):
            words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
            anchor = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
            same = sum(re.fullmatch(rf"{re.escape(anchor)}(-\d+)?", each) is not None for each in anchors)
            anchors.append(f"{anchor}-{same}" if anchor in anchors else anchor)
        return anchors

    def test_links(self):
        """Each link leads to an existing file or folder, and to one of its headings."""
        followed, wrong = 0, []
        for path in self.texts():
            text = re.sub(r"^```.*?^```$|`[^`\n]*`", "", read(path), flags=re.M | re.S)
            for link in re.findall(r"\]\(([^)\s]+)\)", text):
                if re.match(r"[a-z]+:", link):
                    continue
                target, _, heading = link.partition("#")
                target = os.path.normpath(os.path.join(os.path.dirname(path), target)) if target else path
                if not os.path.exists(target) or heading and heading not in self.headings(read(target)):
                    wrong.append(f"{os.path.relpath(path, TOP)}: {link}")
                followed += 1
        self.assertEqual(wrong, [])
        self.assertGreater(followed, 100)

    def test_list_of_the_reference(self):
        listed = subprocess.run([os.path.join(MANUAL, "list_reference.sh"), MBS], capture_output=True, text=True,
                                check=True).stdout
        self.assertEqual(read(os.path.join(MANUAL, "reference.md")), listed,
                         "docs/manual/list_reference.sh build/release/mbs > docs/manual/reference.md")


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.links, self.ids = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.links += [attributes[key] for key in ("href", "src") if key in attributes]
        self.ids += [attributes["id"]] if "id" in attributes else []


class Site(DaemonTest):
    def start(self):
        """A daemon with a manual; a build without lowdown has none."""
        daemon = self.enterContext(self.daemon())
        if fetch(daemon, "/docs/").status != 200:
            lacks("lowdown, which makes the manual,")
        return daemon

    def page(self, daemon, name):
        answer = fetch(daemon, f"/docs/{name}")
        self.assertEqual(answer.status, 200, name)
        return answer

    def test_links(self):
        """Each page can be reached from the first, and each link leads to a page, and to one of its headings."""
        daemon = self.start()

        def target_of(name, link):
            """Returns the page of the manual that a link leads to; for other links the path, from /."""
            path = urllib.parse.urljoin(f"/docs/{name}", link.split("#")[0].split("?")[0])
            return path.removeprefix("/docs/")

        pages, waiting = {}, ["index.html"]
        while waiting:
            name = waiting.pop()
            if name in pages:
                continue
            answer = self.page(daemon, name)
            if not name.endswith(".html"):
                pages[name] = None
                continue
            pages[name] = page = Page(answer.body.decode())
            targets = [target_of(name, link) for link in page.links if not link.startswith("http")]
            waiting += [target for target in targets if not target.startswith("/")]
        for name, page in pages.items():
            for link in page.links if page else []:
                if link.startswith("http"):
                    continue
                target, heading = target_of(name, link), link.partition("#")[2]
                if target.startswith("/"):
                    self.assertEqual(fetch(daemon, target).status, 200, f"{name}: {link}")
                elif heading:
                    self.assertIn(heading, pages[target].ids, f"{name}: {link}")
        listed = subprocess.run([MBS, "reference"], capture_output=True, text=True, check=True).stdout.splitlines()
        for line in listed:
            self.assertIn(f"{line.split()[0]}.html", pages)
        for name in subprocess.run([MBS, "examples"], capture_output=True, text=True, check=True).stdout.splitlines():
            self.assertIn(f"models/{name.split()[0]}.html", pages)

    def test_folder(self):
        daemon = self.start()
        answer = fetch(daemon, "/docs")
        self.assertEqual((answer.status, answer.headers["Location"]), (308, "/docs/"))
        behind = fetch(daemon, "/docs", **{"X-Forwarded-Prefix": "/mbs"})
        self.assertEqual(behind.headers["Location"], "/mbs/docs/")
        self.assertEqual(fetch(daemon, "/docs/nothing.html").status, 404)

    def test_nothing_runs(self):
        answer = self.page(self.start(), "index.html")
        policy = answer.headers["Content-Security-Policy"]
        self.assertIn("default-src 'none'", policy)
        self.assertNotIn("script", policy + answer.body.decode())

    def test_every_element_is_drawn(self):
        """The page of an element has a frame with a model that contains it; the part of the page for frames shows
        it."""
        daemon = self.start()
        listed = subprocess.run([MBS, "reference"], capture_output=True, text=True, check=True).stdout.split()
        elements = [name for name in listed if name.startswith(("joint-", "driver-", "force-", "shape-"))]
        self.assertGreater(len(elements), 30)
        for name in elements:
            text = self.page(daemon, f"{name}.html").body.decode()
            frames = re.findall(r'<iframe src="\.\./\?embed#example=(\w+)(&amp;element=[^"]*)?" title="[^"]+"', text)
            self.assertEqual(len(frames), 1, name)
            kinds = {"joint": "joints", "driver": "drivers", "force": "forces"}
            kind, _, type_name = name.partition("-")
            model = json.loads(fetch(daemon, f"/api/v1/examples/{frames[0][0]}").body)
            if kind in kinds:
                chosen = urllib.parse.unquote(frames[0][1]).removeprefix(f"&amp;element={kinds[kind]}/")
                self.assertIn((chosen, type_name), [(each.get("name"), each["type"]) for each in model[kinds[kind]]])
        policy = self.page(daemon, "joint-revolute.html").headers["Content-Security-Policy"]
        self.assertIn("frame-src 'self'", policy)

    def test_help_of_mistakes(self):
        """Each error names the page of the element that contains it."""
        daemon = self.start()
        model = chain(2)
        model["joints"][0]["points"][1] = "link1.nothing"
        model["joints"][1]["type"] = "revolt"
        model["bodies"][0]["mass"] = -1
        model["drivers"] = [{"name": "d", "type": "joint", "joint": "pin1", "function": {"ramp": {"t0": 0}}}]
        for path, document, prefix in (("/validate", model, ""), ("/jobs", {"model": model}, "/model")):
            answer = daemon.request("POST", path, json.dumps(document)).json()
            help_of = {error["pointer"][len(prefix):]: error["help"] for error in answer["errors"]}
            self.assertEqual(help_of["/joints/0/points/1"], "../../docs/joint-revolute.html")
            self.assertEqual(help_of["/joints/1/type"], "../../docs/joints.html")
            self.assertEqual(help_of["/bodies/0/mass"], "../../docs/model.html")
            self.assertIn("../../docs/function-ramp.html", help_of.values())
            for link in help_of.values():
                self.page(daemon, link.rsplit("/", 1)[1])

    def test_failures(self):
        """The page on failures describes every code."""
        codes = re.findall(r'^MBS_STATUS\(\w+, "(\w+)"', read(os.path.join(TOP, "solver/mbs/status.def")), re.M)
        for path in glob.glob(os.path.join(TOP, "server/**/*.c"), recursive=True):
            codes += re.findall(r'(?:job_end_error\(\s*"|\\"code\\":\\"|fail\(self, "(?=\w+",))(\w+)', read(path))
        told = re.findall(r"^### (\w+)$", read(PAGES["failures.md"]), re.M)
        self.assertEqual(set(codes) - {"ok"} - set(told), set())


if __name__ == "__main__":
    unittest.main()
