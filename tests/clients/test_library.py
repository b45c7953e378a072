"""The installed libmbs: its symbols, its headers, and the examples, built as users build them."""

import math
import os
import re
import shutil
import subprocess
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.join(HERE, "..", "..")
BUILD = os.path.dirname(os.environ["MBSD"])
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]


def run(*command, **options):
    """Returns the output of a command; fails with the output if the command fails."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(command)}\n{done.stdout}")
    return done.stdout


@unittest.skipUnless(os.path.exists(os.path.join(BUILD, "libmbs.so")), "this build has no shared library")
class Library(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="mbsd-test-")
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.prefix = os.path.join(cls.folder, "prefix")
        run("cmake", "--install", BUILD, "--prefix", cls.prefix)
        cls.include = os.path.join(cls.prefix, "include")
        cls.library, = [os.path.join(folder, "libmbs.so") for folder, _, names in os.walk(cls.prefix)
                        if "libmbs.so" in names]
        cls.environment = os.environ | {"PKG_CONFIG_PATH": os.path.join(os.path.dirname(cls.library), "pkgconfig")}
        cls.headers = ["mbs.h"] + sorted("mbs/" + name for name in os.listdir(os.path.join(cls.include, "mbs"))
                                         if name.endswith(".h"))

    def flags(self, *options):
        return run("pkg-config", *options, "mbs", env=self.environment).split()

    def text(self, header):
        with open(os.path.join(self.include, header), encoding="utf-8") as file:
            return file.read()

    def test_exports_are_the_functions_of_the_headers(self):
        declared = [name for header in self.headers
                    for name in re.findall(r"^MBS_API [^;]*?\b(mbsd?_\w+)\(", self.text(header), re.M)]
        listed = run("nm", "-D", "--defined-only", self.library).splitlines()
        self.assertGreater(len(declared), 90)
        self.assertEqual(sorted(declared), sorted(line.split()[2] for line in listed))
        for header in self.headers:  # and every function has the mark
            self.assertNotRegex(self.text(header), r"(?m)^(?!MBS_API|typedef|#|struct|enum| |/)[a-z].*\(", header)

    def test_names_and_versions(self):
        version = re.search(r'#define MBS_VERSION "(.*)"', self.text("mbs.h")).group(1)
        self.assertRegex(run("objdump", "-p", self.library), r"SONAME +libmbs\.so\.0\n")
        self.assertEqual(self.flags("--modversion"), [version])
        self.assertTrue(os.path.exists(f"{self.library}.{version}"))

    def test_each_header_compiles_alone(self):
        for header in self.headers:
            for compiler, language in (("cc", "c"), ("c++", "c++")):
                run(compiler, "-x", language, *STRICT, *self.flags("--cflags"), "-fsyntax-only", "-",
                    input=f"#include <{header}>\nextern int unused;\n")

    def check_pendulum(self, rows):
        self.assertEqual(len(rows), 11)
        for _, angle, rate in rows:
            self.assertAlmostEqual(rate**2, -3 * 9.81 * math.sin(angle), delta=1e-7)

    def check_controller(self, rows):
        x, v = 1.0, 0.0
        self.assertEqual(len(rows), 201)
        for _, position, velocity in rows:
            self.assertAlmostEqual(position, x, delta=1e-12)
            self.assertAlmostEqual(velocity, v, delta=1e-12)
            u = -50 * x - 20 * v
            x, v = x + 0.01 * v + 0.01**2 * u / 4, v + 0.01 * u / 2

    check_simulation = check_controller  # the same motion, with an input in place of the parameter

    def check_document(self, rows):
        """Compares with `mbs run`, and checks what is said about a document with errors."""
        folder = os.path.join(self.folder, "rows")
        run(os.environ["MBS"], "run", os.path.join(TOP, "models", "SC.json"), "--out", folder)
        with open(os.path.join(folder, "theta.csv"), encoding="utf-8") as file:
            self.assertEqual(rows, [[float(cell) for cell in line.split(",")] for line in file.readlines()[1:]])
        wrong = os.path.join(self.folder, "wrong.json")
        for text, said in (('{"bodies": [{"mass": -1}]}', '"pointer":"/bodies/0/mass"'), ("{", '"line":1,"column":1')):
            with open(wrong, "w", encoding="ascii") as file:
                file.write(text)
            done = subprocess.run([os.path.join(self.folder, "document"), wrong], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertIn(said, done.stderr.replace(" ", ""))

    def test_examples(self):
        examples, build = os.path.join(TOP, "examples"), os.path.join(self.folder, "build")
        run("cmake", "-S", examples, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}")
        run("cmake", "--build", build)
        for name, *arguments in (("pendulum",), ("controller",), ("simulation",),
                                 ("document", os.path.join(TOP, "models", "SC.json"))):
            with self.subTest(example=name):
                program = os.path.join(self.folder, name)
                run("cc", *STRICT, os.path.join(examples, name + ".c"), *self.flags("--cflags", "--libs"),
                    f"-Wl,-rpath,{os.path.dirname(self.library)}", "-o", program)
                printed = run(program, *arguments)
                self.assertEqual(run(os.path.join(build, name), *arguments), printed)
                lines = [line for line in printed.splitlines() if not line.startswith("#")]
                getattr(self, "check_" + name)([[float(word) for word in line.split()] for line in lines])


if __name__ == "__main__":
    unittest.main()
