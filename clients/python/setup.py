"""Installs the client, and with it the library libmbs, which runs models in Python's own process. The library is that
of ./run --build-only. Without it, or without Python's headers, only the client is installed."""

import os
import re
import shutil
import sys
import sysconfig

from setuptools import setup
from setuptools.command.build_ext import build_ext

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.environ.get("MBSD_SOURCE", os.path.join(HERE, "..", ".."))
BUILD = os.environ.get("MBSD_BUILD", os.path.join(SOURCE, "build", "release"))
LIBRARY = os.path.join(BUILD, "libmbs.so.0")
HEADER = os.path.join(sysconfig.get_path("include"), "Python.h")  # of Debian's python3-dev


def version():
    """Returns the version of the source; a copy of this folder alone has none."""
    try:
        with open(os.path.join(SOURCE, "solver", "mbs.h"), encoding="utf-8") as header:
            return re.findall(r'#define MBS_VERSION "(.*)"', header.read())[0]
    except FileNotFoundError:
        return "0"


class build_with_library(build_ext):
    """Builds the extension and copies the library to it."""

    def run(self):
        super().run()
        folder = os.path.dirname(self.get_ext_fullpath("_mbsd._library"))
        shutil.copyfile(LIBRARY, os.path.join(folder, os.path.basename(LIBRARY)))


missing = [path for path in (LIBRARY, HEADER) if not os.path.exists(path)]
if not missing:
    setup(version=version(), cffi_modules=["build_library.py:builder"], cmdclass={"build_ext": build_with_library},
          install_requires=["numpy>=1.21", "cffi>=1.15"], options={"bdist_wheel": {"py_limited_api": "cp311"}})
else:
    print(f"{os.path.normpath(missing[0])} is missing: only the client is installed", file=sys.stderr)
    setup(version=version(), install_requires=["numpy>=1.21"])
