#!/usr/bin/env bash
# A disk that fails under the daemon, at some writes; tests/soak/disk_faults.py takes each of them.
set -euo pipefail
exec tests/soak/disk_faults.py --every 149 fail short sync power torn
