"""POST /api/v1/import: conversions in a worker, with its sandbox."""

import io
import json
import tarfile
import unittest
import zipfile

from support import Daemon, DaemonTest

