#!/bin/bash
# slurm-array.sh -- a run by a job array, without MPI: sbatch configs/slurm-array.sh, in the folder of this checkout.
#
# Each task plays a range of shards of one run, whichever comes first makes it, and a task that is lost or runs out of
# time is submitted again: it goes on where it ended. RUN lies on a file system that all nodes share.
#SBATCH --job-name=huff
#SBATCH --array=0-9
#SBATCH --cpus-per-task=16
#SBATCH --time=04:00:00
#SBATCH --signal=TERM@60
# (A minute before the time is over huff-selfplay is told: it finishes its games, and loses none.)
set -euo pipefail

config=configs/selfplay-international.yaml run=runs/international
shards=100 # games / shard_games: 100000 games in files of 1000
tasks=$SLURM_ARRAY_TASK_COUNT task=$SLURM_ARRAY_TASK_ID

first=$((shards * task / tasks))
last=$((shards * (task + 1) / tasks - 1))
exec srun build/bin/huff-selfplay "$config" -o "$run" --set games=100000 --shards $first-$last \
    --threads "$SLURM_CPUS_PER_TASK"
