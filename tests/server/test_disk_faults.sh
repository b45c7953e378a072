#!/usr/bin/env bash
# Runs the daemon on a disk that fails at some writes; tests/soak/disk_faults.py tests each write.
set -euo pipefail
exec tests/soak/disk_faults.py --every 149 fail short sync power torn
