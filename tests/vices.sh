#!/usr/bin/env bash
# vices.sh BIN [GAMES [THREADS [STALL [hub|dxp]]]] -- every vice of bad_engine under every kind of limit, over Hub and DXP: the
# match ends, the verdicts are right, and no process is left.
#
# 100 games each, 8 at a time (they mostly wait), in half an hour or so; a stall is to be noticed after 0.3 seconds.
set -euo pipefail
bin=$(cd "${1:?folder of the built programs}" && pwd)
games=${2:-100}
threads=${3:-8}
stall=${4:-0.3}
only=${5:-}
folder=$(mktemp -d)
# shellcheck source=tests/processes.sh
. "$(dirname "${BASH_SOURCE[0]}")/processes.sh"
trap clean_up EXIT
bad=$folder/bad
ln -s "$bin/bad_engine" "$bad"
faults=0

fail() {
    echo "vices.sh: $*" | cut -c 1-1000 >&2
    faults=$((faults + 1))
}

# play CODE ARGUMENT...: output in $folder/out and err. Our own engine must not be late on a machine that has much
# to do, hence the margin.
play() {
    local wanted=$1 code=0
    shift
    timeout 3600 "$bin/huff-match" --json -q --threads "$threads" --games "$games" --openings random:2 --max-plies 16 --hash 1 \
        --time-margin 0.5 --startup 20 --stall "$stall" "$@" >"$folder/out" 2>"$folder/err" || code=$?
    [ $code -eq "$wanted" ] || fail "$name: exit $code instead of $wanted: $(tail -n 3 "$folder/out" "$folder/err")"
    nothing_left "$name"
}

# Our own engine has won all games, in one of these ways ("stall|time").
lost() {
    local count
    count=$(grep -cE "\"result\":\"(1-0|0-1)\",\"termination\":\"($1)\"" "$folder/out" || true)
    [ "$count" -eq "$games" ] || fail "$name: $count games instead of $games ended by $1: $(grep -vE "\"termination\":\"($1)\"" "$folder/out" | head -n 3)"
    grep -qE "\"games\":$games,\"wins\":$games,.*\"finished\":true" "$folder/out" || fail "$name: not all won: $(tail -n 1 "$folder/out")"
}

# No game ended by a failure.
clean() {
    if grep -qE '"termination":"(time|illegal move|crash|stall)"' "$folder/out"; then
        fail "$name: a failure: $(grep -E '"termination":"(time|illegal move|crash|stall)"' "$folder/out" | head -n 3)"
    fi
    grep -q "\"games\":$games,.*\"finished\":true" "$folder/out" || fail "$name: not finished: $(tail -n 1 "$folder/out")"
}

# The match ended before all games, and says why.
ended() {
    grep -qE "engine bad: failed 3 times in a row, at last: .*$1" "$folder/err" || fail "$name: no reason: $(cat "$folder/err")"
    if grep -q '"finished":true' "$folder/out"; then fail "$name: finished"; fi
}

began=$SECONDS
# each WHAT CODE CHECK VICE...: of all vices under all limits, the engines reached by the protocol at hand.
each() {
    local how=$1 code=$2 check=$3 vice limit
    shift 3
    for vice in "$@"; do
        for limit in "${limits[@]}"; do
            name="$protocol $vice $limit"
            # shellcheck disable=SC2086
            play "$code" --variant international --engine "name=huff$ours" --engine "name=bad,$(reach "$vice")" $limit "${more[@]}"
            "$check" "$how"
            echo "$((SECONDS - began)) s: $name"
        done
    done
}

over_hub() {
    protocol=hub ours=
    reach() { echo "cmd=$bad $1"; }
    limits=('--nodes 50' '--depth 2' '--movetime 0.05' '--tc 0.5' '--tc 0.5+0.01' '--tc 10/0.5' '--tc 10/0.5+0.01')
    more=(--recover 1000000)
    each crash 0 lost crash close orphan
    each 'illegal move' 0 lost illegal no-move zero
    each 'stall|time' 0 lost hang half garbage complain late flood
    more=(--stall 30 --time-margin 30)
    each '' 0 clean none flood-errors child detach stay
    more=(--threads 1)
    each 'gone instead of an answer' 1 ended exit crash
    more=(--threads 1 --startup 0.5)
    each 'no answer to "hub"' 1 ended silent protocol
}

over_dxp() {
    # Clocks have whole minutes, of which our engine is not to make use.
    protocol=dxp ours=,nodes=50
    reach() { echo "proto=dxp,cmd=$bad $1 3 {port}"; }
    more=(--recover 1000000)
    limits=('--nodes 50' '--depth 2' '--movetime 0.05' '--tc 60' '--tc 60+0.1')
    each crash 0 lost crash close orphan no-move zero garbage flood
    each 'illegal move' 0 lost illegal
    more=(--stall 30 --time-margin 30)
    each '' 0 clean none flood-errors child detach stay
    more=(--threads 1)
    each 'gone instead of a connection' 1 ended exit
    more=(--threads 1 --startup 0.5)
    each 'connect' 1 ended silent
    more=(--threads 1 --ready 0.5)
    each 'no answer to a request' 1 ended protocol
    # By a clock of a whole minute that takes too long.
    more=(--recover 1000000)
    limits=('--nodes 50' '--depth 2' '--movetime 0.05')
    each 'stall|time' 0 lost hang half complain late
}

[ "$only" = dxp ] || over_hub
[ "$only" = hub ] || over_dxp
[ $faults -eq 0 ] || exit 1
echo "done: all verdicts right, nothing left"
