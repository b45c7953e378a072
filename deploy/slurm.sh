#!/usr/bin/env bash
# Lends nodes of a Slurm cluster to a service for a while: sbatch --nodes=10 deploy/slurm.sh
# The service runs elsewhere (docs/scale.md); here each node gets one daemon that only computes. Before the time is up
# Slurm sends SIGTERM, and what runs then is given back to the queue.
#SBATCH --job-name=mbsd
#SBATCH --nodes=1
#SBATCH --ntasks-per-node=1
#SBATCH --exclusive
#SBATCH --time=08:00:00
#SBATCH --signal=TERM@60
set -euo pipefail

# The address without its password, which is in ~/.pgpass, a file that all nodes see and nobody else may read.
export MBSD_STORE=${MBSD_STORE:?give the address of the database, as postgresql://mbsd@db/mbsd}

# One worker for each physical core of the node, because two threads of a core share its arithmetic units: mbsd starts
# one for each processor that it may use, here the first threads of the cores, if its control group has enough memory.
# The folder has only temporary files.
# shellcheck disable=SC2016 # what is in quotes is the node's
srun --kill-on-bad-exit=0 --cpu-bind=none bash -c '
  folder=$(mktemp -d)
  trap "rm -rf \"$folder\"" EXIT
  threads=$(lscpu --online --parse=core,socket,cpu | grep -v "^#" | sort --unique --field-separator=, --key=1,2 |
    cut --delimiter=, --fields=3 | paste --serial --delimiters=,)
  taskset --cpu-list "$threads" mbsd --workers-only --port=0 --data="$folder" --grace=30 &
  daemon=$!
  trap "kill -TERM $daemon; wait $daemon" TERM
  wait $daemon
'
