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
refuses 2 '--threads: expected 1..256, got "257"' --variant spanish --depth 3 --threads 257
refuses 2 '--variant is missing' --depth 3
refuses 1 'nothing to search, the game is over: blocked' --variant russian --depth 3 --fen 'W:Wa3:Bb4,c5'
refuses 1 'none.weights: No such file' --variant spanish --depth 3 --weights none.weights
echo "done"
