#!/usr/bin/env bash
# clock.sh [BIN_FOLDER] -- the longest of about 1,000 moves at 0.1 s each, by the referee's clock.
#
# Two games at a time, so that on two cores an engine thinks on each, as programs of their own over Hub: what the
# referee measures includes both pipes. Other load on the machine counts as well: leave it idle.
set -euo pipefail
bin=${1:-build/bin}
games=$(mktemp)
trap 'rm -f "$games"' EXIT

"$bin/huff-match" --variant international --engine "name=a,cmd=$bin/huff hub" --engine "name=b,cmd=$bin/huff hub" \
    --movetime 0.1 --time-margin 10 --games 10 --max-plies 125 --openings random:4 --threads 2 --pdn "$games" -q >/dev/null
tr '\n' ' ' <"$games" | grep -o '%emt 0:00:[0-9.]*' | sort -t: -k3 -n | awk -F: '
    { time[NR] = $3; over += $3 > 0.1 }
    END {
        if (!NR) exit 1
        printf "%d moves: median %d ms, 99 %% within %d ms, worst %d ms, %d over 100 ms\n", NR,
            1000 * time[int((NR + 1) / 2)], 1000 * time[int(0.99 * NR)], 1000 * time[NR], over
        exit over > 0
    }'
