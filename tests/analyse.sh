#!/usr/bin/env bash
# analyse.sh BIN_FOLDER -- huff analyse: its lines, one and several, as text and as JSON, threads, and how it ends.
set -euo pipefail
huff=$(cd "${1:?folder of the built programs}" && pwd)/huff
folder=$(mktemp -d)
pid=
trap '[ -z "$pid" ] || kill -KILL "$pid" 2>/dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"

fail() {
    echo "analyse.sh: $*" >&2
    exit 1
}

analyse() {
    "$huff" analyse "$@" >out 2>err || fail "$*: exit code $?: $(cat err)"
    [ ! -s err ] || fail "$*: on standard error: $(cat err)"
}

# Every line of the output is one of these.
only() {
    if grep -vE -- "$1" out >others; then fail "unexpected: $(cat others)"; fi
}

score='(-?[0-9]+|(win|loss) in [0-9]+ pl(y|ies))'
rest=" score $score nodes [0-9]+ time [0-9]+\.[0-9]{3} nps [0-9]+ pv( [0-9]+[-x][0-9]+)+"

analyse --variant spanish --depth 6
only "^(info depth [1-6]$rest|bestmove [0-9]+-[0-9]+)\$"
[ "$(wc -l <out)" -eq 7 ] || fail "not a line a depth: $(cat out)"
analyse --variant spanish --depth 6 -q
only '^bestmove [0-9]+-[0-9]+$'
[ "$(wc -l <out)" -eq 1 ] || fail "not quiet: $(cat out)"

# As many lines as were asked for, or as there are moves, the best first, each with another move.
analyse --variant international --depth 5 --lines 4
only "^(info depth [1-5] line [1-4]$rest|bestmove [0-9]+-[0-9]+)\$"
grep '^info depth 5 ' out >deepest
[ "$(wc -l <deepest)" -eq 4 ] || fail "not four lines: $(cat out)"
[ "$(sed 's/.* pv \([^ ]*\).*/\1/' deepest | sort -u | wc -l)" -eq 4 ] || fail "a move twice: $(cat deepest)"
sed 's/.* score \(-\?[0-9]*\) .*/\1/' deepest >scores
sort -nrs scores | cmp -s - scores || fail "not the best first: $(cat deepest)"
analyse --variant spanish --fen 'W:WK1,K5:B20' --depth 9 --lines 100
grep -q '^info depth 9 line 2 score win in 5 plies ' out || fail "no win in 5: $(cat out)"
grep -q '^bestmove 5-1[49]$' out || fail "no winning move: $(cat out)"

# The same as JSON.
analyse --variant spanish --fen 'W:WK1,K5:B20' --depth 7 --lines 3 --json
python3 - out 3 <<'PY' || fail "JSON of several lines: $(cat out)"
import json, sys
*depths, last = [json.loads(line) for line in open(sys.argv[1])]
assert [d["depth"] for d in depths] == list(range(1, 8))
for d in depths:
    assert len(d["lines"]) == int(sys.argv[2])
    assert d["score"] == d["lines"][0]["score"] and d["pv"] == d["lines"][0]["pv"]
    assert [l["score"] for l in d["lines"]] == sorted((l["score"] for l in d["lines"]), reverse=True)
    assert {"nodes", "time", "nps"} < set(d)
assert depths[-1]["win_in"] == depths[-1]["lines"][1]["win_in"] == 5
assert last == {"bestmove": depths[-1]["pv"][0]}
PY
analyse --variant russian --depth 4 --json
python3 - out <<'PY' || fail "JSON of one line: $(cat out)"
import json, sys
*depths, last = [json.loads(line) for line in open(sys.argv[1])]
assert len(depths) == 4 and all("lines" not in d for d in depths) and list(last) == ["bestmove"]
assert all(list(d) == ["depth", "score", "nodes", "time", "nps", "pv"] for d in depths)
PY

# Several threads; Ctrl-C and SIGTERM end a search with the best so far.
analyse --variant frisian --depth 8 --threads 2 --hash 1
grep -q '^bestmove ' out || fail "$(cat out)"
for signal in INT TERM; do
    : >out
    "$huff" analyse --variant american --depth 99 --threads 2 >out 2>err &
    pid=$!
    until grep -q '^info depth 3 ' out; do
        kill -0 $pid 2>/dev/null || fail "it ended by itself: $(cat out err)"
        sleep 0.02
    done
    kill -$signal $pid
    code=0
    wait $pid || code=$?
    pid=
    [ $code -eq 0 ] && tail -1 out | grep -q '^bestmove [0-9]' || fail "SIG$signal: exit code $code: $(tail -1 out)"
done

# A pipe from which no other game comes does not keep it from ending.
mkfifo pipe
"$huff" analyse --pdn pipe --depth 1 -q >out 2>err &
pid=$!
exec 3<>pipe
timeout 300 head -c 3000000 < <(yes '[GameType "20"] 1. 32-28 *') >&3 || fail "it does not read: $(cat err)"
until [ -s out ]; do
    kill -0 $pid 2>/dev/null || fail "it ended by itself: $(cat err)"
    sleep 0.02
done
sleep 0.5  # until it waits, most likely
kill -TERM $pid
code=0
wait $pid || code=$?
pid=
exec 3>&-
[ $code -eq 143 ] || { [ $code -eq 1 ] && grep -q interrupted err; } || fail "SIGTERM at a pipe: exit code $code: $(cat err)"

# Games of a file: each move with its score, and what was given away.
cat >games.pdn <<'PDN'
[GameType "24"]
[FEN "W:WK1,K5:B20"]
1. 5-32 {first} 20-16 2. 32-28 16-12 3. 28-32 *

[GameType "24"]
1. 1-10 *

[GameType "20"]
1. 32-28 19-23 2. 28x19 14x23 3. 33-28 23x32 4. 37x28 20-24 5. 28-23 *
PDN
"$huff" analyse --pdn games.pdn --depth 7 -q >notes.pdn 2>err || fail "games: $(cat err)"
[ "$(cat err)" = 'games.pdn:6: game 2 skipped: move 1.: "1-10" is not legal; legal: 10-13, 11-14, 12-15, 9-13, 10-14, 11-15, 12-16' ] ||
    fail "the illegal game: $(cat err)"
tr '\n' ' ' <notes.pdn >flat
[ "$(grep -o '%eval' flat | wc -l)" -eq 14 ] || fail "not a score a move: $(cat notes.pdn)"
grep -q '{White: inaccuracies 0, mistakes 0, blunders 1, lost 1.6[0-9] a move; Black: inaccuracies 0,' flat || fail "$(cat notes.pdn)"
grep -qE '1\. 5-32 \{\[%eval 299.94\] d=[0-9]+ n=[0-9]+ first\}' flat || fail "a comment is lost: $(cat notes.pdn)"
grep -qE '3\. 28-32 \{\[%eval [01].[0-9]*\] d=7 n=[0-9]+ blunder: best [-0-9]+ \(White wins in 3\)\}' flat ||
    fail "a win given away: $(cat notes.pdn)"
[ "$(grep -oE 'inaccuracy:|mistake:|blunder:' flat | wc -l)" -eq 2 ] || fail "marks: $(cat notes.pdn)"
"$huff" analyse --pdn games.pdn --depth 7 -q --game 3 >third.pdn 2>err
tail -n "$(wc -l <third.pdn)" notes.pdn | cmp - third.pdn || fail "a game alone is judged otherwise"
"$huff" analyse --pdn games.pdn --depth 7 -q --game 3 --json >out 2>err
python3 - out <<'PY' || fail "JSON of a game: $(cat out)"
import json, sys
moves = [json.loads(line) for line in open(sys.argv[1])]
assert [m["move"] for m in moves] == "32-28 19-23 28x19 14x23 33-28 23x32 37x28 20-24 28-23".split()
assert [m["ply"] for m in moves] == list(range(1, 10)) and {m["game"] for m in moves} == {3}
assert [m["ply"] for m in moves if "mark" in m] == [9] and moves[8]["loss"] >= 25, moves[8]
PY
analyse --pdn games.pdn --game 3 --ply 8 --depth 3
grep -q '^bestmove 41-37$\|^bestmove [0-9]*-[0-9]*$' out && ! grep -q '^bestmove 28-23$' out || fail "a ply of a game: $(cat out)"
[ "$("$huff" moves --pdn games.pdn --game 3 --ply 2)" = '28x19 {23}
1 moves' ] || fail "moves of a position in a game"
[ "$("$huff" moves --pdn games.pdn | tail -n 1)" = '2 moves' ] || fail "moves at the end of a game"

refuses() { # CODE TEXT ARGUMENT...
    local code=0 expected=$1 text=$2
    shift 2
    "$huff" analyse "$@" >out 2>err || code=$?
    [ $code -eq "$expected" ] || fail "$*: exit code $code: $(cat err)"
    grep -qF -- "$text" err || fail "$*: no \"$text\" in: $(cat err)"
    [ ! -s out ] || fail "output beside an error: $*"
}
refuses 2 'one of --depth, --nodes and --time is needed' --variant spanish
refuses 2 '--lines: expected 1..100, got "0"' --variant spanish --depth 3 --lines 0
refuses 2 '--threads: expected 1..1024, got "1025"' --variant spanish --depth 3 --threads 1025
refuses 2 '--variant is missing' --depth 3
refuses 2 '--lines is for one position: --ply is missing' --pdn games.pdn --depth 3 --lines 2
refuses 2 '--fen and --pdn exclude each other' --pdn games.pdn --fen start --depth 3
refuses 2 '--pdn is missing' --variant spanish --depth 3 --game 2
refuses 1 'games.pdn: no game 4 that can be read' --pdn games.pdn --game 4 --depth 3
refuses 1 '--game 4: the file has 3' --pdn games.pdn --game 4 --ply 0 --depth 3
refuses 1 'game 2 skipped: move 1.: "1-10" is not legal' --pdn games.pdn --game 2 --ply 0 --depth 3
refuses 1 '--ply 6: the game has 5 moves that can be read' --pdn games.pdn --ply 6 --depth 3
refuses 1 'none.pdn: No such file' --pdn none.pdn --depth 3
refuses 1 'nothing to search, the game is over: blocked' --variant russian --depth 3 --fen 'W:Wa3:Bb4,c5'
refuses 1 'none.weights: No such file' --variant spanish --depth 3 --weights none.weights
echo "done"
