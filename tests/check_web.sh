#!/usr/bin/env bash
# Checks the web interface's types.
set -euo pipefail
cd "$(dirname "$0")/.."
npm --prefix web run --silent check
