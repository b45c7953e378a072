#!/usr/bin/env bash
# The Python client's types.
set -euo pipefail
cd "$(dirname "$0")/.."
# What mypy knows of NumPy is kept beside the build: reading it anew takes longer than the check.
mypy --strict --no-error-summary --cache-dir "$(dirname "${MBSD:-build/release/mbsd}")/mypy" clients/python/mbsd.py
