#!/usr/bin/env bash
# Every shipped model with one thing wrong, a few times; tests/soak/mutations.py does more of them.
set -euo pipefail
exec tests/soak/mutations.py --each 6 --seconds 30
