#!/bin/bash
# slurm-mpi.sh -- a run by MPI on several nodes: sbatch configs/slurm-mpi.sh, in the folder of this checkout.
#
# One rank a node, a thread a core; ranks draw shards from a shared counter, so that fast nodes play more of them. The
# run lies on a file system that all nodes share. Submitted again it goes on where it ended.
#SBATCH --job-name=huff
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=16
#SBATCH --time=04:00:00
#SBATCH --signal=TERM@60
set -euo pipefail

config=configs/selfplay-international.yaml run=runs/international
if [ -e "$run/manifest.json" ]; then
    what=(--resume "$run")
else
    what=("$config" -o "$run" --set games=100000)
fi
exec mpirun --map-by ppr:1:node:pe="$SLURM_CPUS_PER_TASK" build/bin/huff-selfplay "${what[@]}" \
    --threads "$SLURM_CPUS_PER_TASK"
