#!/usr/bin/env bash
# held_up.sh BIN -- no engine loses on time because the referee, or all of the match, was stopped for a while.
set -euo pipefail
bin=$(cd "${1:?folder of the built programs}" && pwd)
folder=$(mktemp -d)
# shellcheck source=tests/processes.sh
. "$(dirname "${BASH_SOURCE[0]}")/processes.sh"
match=
trap '[ -z "$match" ] || kill -KILL "$match" 2>/dev/null || true; clean_up' EXIT
ln -s "$bin/huff" "$folder/huff"

fail() {
    echo "held_up.sh: $*: $(cat "$folder/out" "$folder/err")" >&2
    exit 1
}

# What was played again, and for how many seconds the program was held up.
find_again() {
    again=$(sed -n 's/.*"played_again":\([0-9]*\),"held_up":\([0-9]\)\..*/\1 \2/p' "$folder/out")
    [ -n "$again" ] && [ "${again% *}" -ge 1 ] && [ "${again#* }" -ge 1 ]
}

# try NAME WHOM ARGUMENT...: stops the match, or the "engines" too, three times for longer than any margin. Three
# times, since a game counts that was void three times before. Then it is interrupted. `why` says what went wrong.
try() {
    local name=$1 whom=$2 stopped code=0
    shift 2
    why=
    rm -rf "${folder:?}/$name"
    "$bin/huff-match" --json -q --threads 2 --time-margin 0.8 --openings random:2 --hash 1 --games 10000 -o "$folder/$name" "$@" \
        >"$folder/out" 2>"$folder/err" &
    match=$!
    for ((i = 0; i < 3; i++)); do
        sleep 0.7
        stopped=$match
        [ "$whom" != engines ] || stopped="$match $(left | tr '\n' ' ')"
        # shellcheck disable=SC2086
        kill -STOP $stopped 2>/dev/null || true  # an engine may have ended
        sleep 1.6
        # shellcheck disable=SC2086
        kill -CONT $stopped 2>/dev/null || true
    done
    sleep 0.3
    kill -INT "$match" 2>/dev/null || true
    wait "$match" || code=$?
    match=
    [ $code -eq 1 ] && grep -q '"type":"match"' "$folder/out" || why="exit $code"
    if grep -qE '"termination":"(time|stall|crash)"' "$folder/out"; then why="a failure"; fi
    [ "$name" != movetime ] || [ -n "$why" ] || find_again || why="nothing was played again"
}

# stop NAME WHOM ARGUMENT...: other programs, too, may keep an engine from its move for too long: one of three tries.
stop() {
    for _ in 1 2 3; do
        try "$@"
        if [ -z "$why" ]; then return 0; fi
    done
    fail "$1: $why"
}

hub="name=hub,cmd=$folder/huff hub --hash 1"
stop movetime match --variant spanish --engine name=a --engine "$hub" --movetime 0.03
grep -qE "^Played again: ${again% *} games lost on time after this program was held up for [1-9]\.[0-9] s" \
    "$folder/movetime/report.txt" || fail "the report does not say so: $(cat "$folder/movetime/report.txt")"
stop all engines --variant spanish --engine name=a --engine "$hub" --movetime 0.03
stop clock match --variant spanish --engine name=a --engine "$hub" --tc 0.5+0.03
# A wait goes on for as long as the match was held up.
stop stall engines --variant spanish --engine "$hub" --engine "name=slow,cmd=$folder/huff hub --hash 1" --depth 8 --stall 1.5
echo "done"
