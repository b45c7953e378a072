#!/usr/bin/env bash
# Checks the Python client's types.
set -euo pipefail
cd "$(dirname "$0")/.."
# The cache of mypy about NumPy is next to the build: recreating it takes longer than the check.
mypy --strict --no-error-summary --cache-dir "$(dirname "${MBSD:-build/release/mbsd}")/mypy" clients/python/mbsd.py \
  clients/python/_mbsd/*.py
