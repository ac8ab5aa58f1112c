#!/bin/bash
# instructions.sh -- instructions a leaf of perft: the marginal cost of the last ply, counted by valgrind.
#
#   bench/instructions.sh [BIN_FOLDER [VARIANT DEPTH]...]
#
# (instructions of perft N - instructions of perft N-1) / leaves of perft N, on one thread from the start
# position. Unlike a time the number repeats to the last digit for the same binary.
set -eu
bin=${1:-build/bin}
shift $(($# > 0))
[ $# -gt 0 ] || set -- spanish 9 italian 9 brazilian 9 russian 9 czech 9 american 9 pool 9 thai 8 \
    international 7 killer 7 frisian 7
command -v valgrind > /dev/null || { echo "instructions.sh: valgrind is not installed" >&2; exit 1; }

# DEPTH of VARIANT -> instructions executed
instructions() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null \
        "$bin/huff-bench" perft --variant "$1" --depth "$2" --threads 1 -q 2>&1 | awk '/Collected/ { print $4 }'
}

printf '%-14s %5s %14s %18s\n' variant depth leaves "instructions/leaf"
while [ $# -ge 2 ]; do
    leaves=$("$bin/huff-bench" perft --variant "$1" --depth "$2" -q | awk '/^perft/ { print $4 }')
    more=$(instructions "$1" "$2")
    less=$(instructions "$1" $(($2 - 1)))
    awk -v v="$1" -v d="$2" -v n="$leaves" -v m="$more" -v l="$less" \
        'BEGIN { printf "%-14s %5d %14d %18.1f\n", v, d, n, (m - l) / n }'
    shift 2
done
