#!/bin/sh
# huff_moves.sh BIN -- lists of legal moves and analyses as users see them.
set -eu
huff=$1/huff
failed=0

# expect WHAT EXPECTED GOT
expect() {
    [ "$2" = "$3" ] && return
    printf 'FAILED: %s\n--- expected\n%s\n--- got\n%s\n' "$1" "$2" "$3"
    failed=1
}

# code COMMAND... -- its exit code, its output dropped
code() {
    set +e
    "$@" >/dev/null 2>&1
    echo $?
    set -e
}

sorted() { LC_ALL=C sort; }

expect 'start of Spanish' '10-13
10-14
11-14
11-15
12-15
12-16
7 moves
9-13' "$("$huff" moves --variant spanish | sorted)"

expect 'one capture' '28x19 {23}
1 moves' "$("$huff" moves --variant international --fen 'W:W28:B23')"

# github.com/miskibin/py-draughts/pull/25
expect 'crowned on the way' 'f6:a5 {c7,e7} =K
f6:b6 {c7,e7} =K' "$("$huff" moves --variant russian --fen 'W:Wf6:Be7,c7' | sorted | sed '1d')"

expect 'long forms' '47x38x20x9x36 {14,29,31,42}
47x38x24x13x36 {19,29,31,42}' "$("$huff" moves --variant international --fen 'W:WK47:B14,19,29,31,42' | sorted | sed '1d')"

expect 'paths' '38x24x13x27x38 {33,19,18,32}
38x24x13x27x43 {33,19,18,32}
38x24x13x27x49 {33,19,18,32}
38x27x13x24x38 {32,18,19,33}
38x27x13x24x42 {32,18,19,33}
38x27x13x24x47 {32,18,19,33}
6 paths' "$("$huff" moves --variant international --fen 'W:WK38:B18,19,32,33' --paths | sorted)"

expect 'captures optional' '2 moves
22-17
22x15 {18}' "$("$huff" moves --variant american+free --fen 'W:W22:B18' | sorted)"

expect 'JSON' '{"variant":"thai","fen":"W:WK20:BK24","moves":[{"move":"20-27","captures":["24"],"crowned":false}],"count":1}' \
    "$("$huff" moves --variant thai --fen 'W:WK20:BK24' --json)"

expect 'a bad position' 'huff moves: --fen: "51": no such square; there are 1..50, or the playing squares of a1..j10' \
    "$("$huff" moves --variant international --fen W:W51:B1 2>&1 || true)"
expect 'exit code of a bad position' 2 "$(code "$huff" moves --variant international --fen W:W51:B1)"
expect 'exit code without a variant' 2 "$(code "$huff" moves)"
expect 'exit code of an unknown variant' 2 "$(code "$huff" moves --variant chess)"
expect 'exit code of an unknown option' 2 "$(code "$huff" moves --variant thai --nonsense)"
expect 'exit code of an unknown command' 2 "$(code "$huff" nonsense)"
expect 'exit code of help' 0 "$(code "$huff" moves --help)"
if [ -w /dev/full ]; then
    set +e
    "$huff" moves --variant thai >/dev/full 2>/dev/null
    full=$?
    set -e
    expect 'a full disk' 1 "$full"
fi

games=$(mktemp)
printf '1. a3-b4 b6-a5 2. b2-a3 *\n' >"$games"
expect 'a game without GameType' '7 moves' "$("$huff" moves --pdn "$games" 2>/dev/null | tail -n 1)"
expect 'what it was taken for' 1 "$("$huff" moves --pdn "$games" 2>&1 | grep -c 'no GameType; read as brazilian')"
printf '1. 1-99 *\n' >"$games"
expect 'a game of nothing known' 1 "$(code "$huff" moves --pdn "$games")"
expect 'one line on it' 1 "$("$huff" moves --pdn "$games" 2>&1 | wc -l)"
rm "$games"

expect 'a win' 'bestmove 28x19' "$("$huff" analyse --variant international --fen 'W:W28:B23' --depth 3 | tail -n 1)"
expect 'a proven win' 1 "$("$huff" analyse --variant international --fen 'W:W28:B23' --depth 3 | grep -c 'score win in 1 ply')"
expect 'the same analysis twice' "$("$huff" analyse --variant russian --nodes 20000 | sed 's/ time .* pv//')" \
    "$("$huff" analyse --variant russian --nodes 20000 | sed 's/ time .* pv//')"
expect 'JSON analysis' '{"bestmove":"28x19"}' \
    "$("$huff" analyse --variant international --fen 'W:W28:B23' --depth 3 --json | tail -n 1)"
expect 'a game that is over' 'huff analyse: nothing to search, the game is over: no pieces' \
    "$("$huff" analyse --variant international --fen 'W:W:B1' --depth 3 2>&1 || true)"
expect 'exit code of a game that is over' 1 "$(code "$huff" analyse --variant international --fen 'W:W:B1' --depth 3)"
expect 'exit code without a limit' 2 "$(code "$huff" analyse --variant international)"
expect 'exit code of a bad limit' 2 "$(code "$huff" analyse --variant international --depth 1o)"
expect 'exit code of missing weights' 1 "$(code "$huff" analyse --variant thai --depth 1 --weights /nonexistent)"

exit $failed
