#!/usr/bin/env python3
"""Documents of `mbs equations --format latex` compile: in the plane, in space, with curves, in body coordinates.

MBS is the program. Exit code 77 if there is no pdflatex (Debian: texlive-latex-base)."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

MBS = os.environ.get("MBS", "build/release/mbs")
MODELS = ["SC", "McPherson", "Cam", "Cart_C", "Bricard", "Gears", "Excavator"]


class Latex(unittest.TestCase):
    def compile(self, model, *options):
        text = subprocess.run([MBS, "equations", f"models/{model}.json", "--format", "latex", *options],
                              check=True, capture_output=True, text=True).stdout
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "equations.tex").write_text(text)
            done = subprocess.run(["pdflatex", "-interaction=batchmode", "-halt-on-error", "equations.tex"],
                                  cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL)
            log = pathlib.Path(folder, "equations.log").read_text(errors="replace")
            self.assertEqual(done.returncode, 0, log[-2000:])
            self.assertIn("Output written", log)

    def test_documents_compile(self):
        for model in MODELS:
            with self.subTest(model=model):
                self.compile(model)

    def test_the_other_formulation(self):
        self.compile("SC", "--formulation", "body")


if __name__ == "__main__":
    if not shutil.which("pdflatex"):
        print("pdflatex is not installed (Debian: texlive-latex-base)")
        sys.exit(77)
    unittest.main()
