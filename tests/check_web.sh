#!/usr/bin/env bash
# The web interface's types.
set -euo pipefail
cd "$(dirname "$0")/.."
npm --prefix web run --silent check
