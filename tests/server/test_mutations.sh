#!/usr/bin/env bash
# Tests every shipped model with a single error, a few times; tests/soak/mutations.py tests more of them.
set -euo pipefail
exec tests/soak/mutations.py --each 6 --seconds 30
