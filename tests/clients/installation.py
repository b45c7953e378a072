"""Installs clients/python with the library of the tested build into a virtual environment, without a network."""

import importlib.util
import os
import shutil
import subprocess
import sys
import unittest

from support import lacks

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.abspath(os.path.join(HERE, "..", ".."))
BUILD = os.path.abspath(os.path.dirname(os.environ.get("MBSD", "build/release/mbsd")))


def install_client(folder):
    """Returns the Python of a new environment in `folder`. Skips the test if this build has no library."""
    if not os.path.exists(os.path.join(BUILD, "libmbs.so.0")):
        raise unittest.SkipTest("this build has no shared library")
    for module, package in (("ensurepip", "python3-venv"), ("numpy", "python3-numpy"), ("cffi", "python3-cffi"),
                            ("wheel", "python3-wheel")):
        if not importlib.util.find_spec(module):
            lacks(package)
    source, environment = os.path.join(folder, "clients"), os.path.join(folder, "environment")
    shutil.copytree(os.path.join(TOP, "clients", "python"), source,
                    ignore=shutil.ignore_patterns("__pycache__", "build", "*.egg-info"))
    python = os.path.join(environment, "bin", "python3")
    subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", environment], check=True)
    done = subprocess.run([python, "-m", "pip", "install", "--no-index", "--no-build-isolation", source],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env={**os.environ, "MBSD_SOURCE": TOP, "MBSD_BUILD": BUILD, "HOME": folder})
    if done.returncode != 0:
        raise AssertionError(done.stdout)
    shutil.rmtree(source)  # the installed module needs nothing of it
    return python


def packages_of(python):
    """Returns the folder of an environment's packages."""
    done = subprocess.run([python, "-c", "import sysconfig; print(sysconfig.get_path('platlib'))"], check=True,
                          stdout=subprocess.PIPE, text=True)
    return done.stdout.strip()
