#!/usr/bin/env bash
# match.sh BIN -- huff-match from its options to its exit code: pairs, threads, tests, files, refusals.
set -euo pipefail
match=$1/huff-match
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fail() {
    echo "match.sh: $*" >&2
    exit 1
}

# run CODE ARGUMENT...: standard output in $folder/out, standard error in $folder/err.
run() {
    local wanted=$1 code=0
    shift
    "$match" "$@" -q >"$folder/out" 2>"$folder/err" || code=$?
    [ "$code" -eq "$wanted" ] || fail "exit $code instead of $wanted: $* -- $(cat "$folder/out" "$folder/err")"
}

says() { grep -qE -- "$1" "$folder/out" || fail "no line \"$1\" in: $(cat "$folder/out")"; }

# refuses CODE "text" ARGUMENT...: one line on standard error that has the text, nothing on standard output.
refuses() {
    local code=$1 text=$2
    shift 2
    run "$code" "$@"
    [ "$(wc -l <"$folder/err")" -eq 1 ] && grep -qF -- "$text" "$folder/err" ||
        fail "expected one line with \"$text\": $* -- $(cat "$folder/err")"
    [ ! -s "$folder/out" ] || fail "output beside an error: $*"
}

strong_and_weak=(--engine name=strong,nodes=400 --engine name=weak,nodes=40)
even=(--engine name=a --engine name=b)

# An engine against itself: the games of a pair are one game seen from both sides.
for variant in spanish italian+free international frisian; do
    run 0 --variant $variant "${even[@]}" --nodes 150 --games 20
    says '^Ptnml\(0-2\): \[0, 0, 10, 0, 0\], WL/DD Ratio: [0-9.inf-]+$'
    says '^Games: 20, Wins: ([0-9]+), Losses: \1, Draws: [0-9]+, Points: 10\.0 \(50\.00 %\)$'
    says '^Elo: 0\.00 \+/- 0\.00, nElo: - \+/- -$'
done

# The report, line by line.
run 0 --variant spanish "${strong_and_weak[@]}" --games 20
lines='^-{50}
^Results of strong vs weak \(nodes 400 - nodes 40, 2MB, spanish, random:8, seed 1\):$
^Elo: (inf|-?[0-9.]+) \+/- (inf|[0-9.]+), nElo: (-|-?[0-9.]+) \+/- (-|[0-9.]+)$
^LOS: (-|[0-9.]+) %, DrawRatio: [0-9.]+ %, PairsRatio: (-|inf|[0-9.]+)$
^Games: 20, Wins: [0-9]+, Losses: [0-9]+, Draws: [0-9]+, Points: [0-9.]+ \([0-9.]+ %\)$
^Ptnml\(0-2\): \[[0-9]+, [0-9]+, [0-9]+, [0-9]+, [0-9]+\], WL/DD Ratio: (-|inf|[0-9.]+)$
^-{50}
^Ends: [a-z0-9 ,]+$'
number=0
while read -r line; do
    number=$((number + 1))
    sed -n "${number}p" "$folder/out" | grep -qE -- "$line" || fail "line $number is not $line: $(cat "$folder/out")"
done <<<"$lines"
[ "$(wc -l <"$folder/out")" -eq $number ] || fail "more than $number lines: $(cat "$folder/out")"

# The same games and the same verdict for any number of threads, with games as JSON in the order of pairs.
for threads in 1 2 3; do
    run 10 --variant spanish "${strong_and_weak[@]}" --games 2000 --sprt elo0=0,elo1=50 --threads $threads --json
    sed 's/"seconds":[^,}]*//' "$folder/out" >"$folder/threads-$threads"
    cmp "$folder/threads-1" "$folder/threads-$threads" || fail "$threads threads play another match than one"
done
awk '
    # The value of a key, which no other text of the line looks like.
    function value(key,    at) {
        at = index($0, "\"" key "\":")
        if (at == 0) return "missing"
        rest = substr($0, at + length(key) + 3)
        return match(rest, /^"[^"]*"/) ? substr(rest, 2, RLENGTH - 2) : \
               match(rest, /^\[[^]]*\]/) ? substr(rest, 1, RLENGTH) : \
               match(rest, /^[^,}]*/) ? substr(rest, 1, RLENGTH) : ""
    }
    function expect(good, text) { if (!good) { print "line " NR ": " text; failed = 1 } }
    BEGIN { points["1-0"] = 2; points["1/2-1/2"] = 1; points["0-1"] = 0 }
    value("type") == "game" {
        expect(value("pair") == int(games / 2) && value("game") == games % 2, "out of order")
        expect(value("white") == (games % 2 ? "weak" : "strong") && value("black") == (games % 2 ? "strong" : "weak"), "colours")
        mine = games % 2 ? 2 - points[value("result")] : points[value("result")]
        results[mine]++
        if (games % 2) pairs[before + mine]++
        if (games % 2 && before + mine == 2) middle[mine == 1 ? "dd" : "wl"]++
        split(substr(value("nodes"), 2), nodes, ",")
        expect(nodes[1] + 0 > 2 * nodes[2] && nodes[2] > 0, "nodes of the strong engine and of the weak one")
        if (games % 2) expect(value("opening") == opening, "another opening in a pair")
        before = mine
        opening = value("opening")
        if (!(opening in seen)) different++
        seen[opening] = 1
        games++
    }
    value("type") == "match" {
        summaries++
        expect(value("games") == games && value("finished") == "true", "number of games")
        expect(value("wins") == results[2] + 0 && value("draws") == results[1] + 0 && value("losses") == results[0] + 0, "results")
        expect(value("ptnml") == sprintf("[%d,%d,%d,%d,%d]", pairs[0], pairs[1], pairs[2], pairs[3], pairs[4]), "pairs")
        expect(value("win_loss_pairs") == middle["wl"] + 0 && value("draw_draw_pairs") == middle["dd"] + 0, "even pairs")
        expect(value("verdict") == "H1" && value("model") == "normalized" && value("llr") + 0 >= value("upper") + 0, "test")
    }
    END {
        expect(games >= 10 && summaries == 1, "too few lines")
        expect(different > games / 4, "openings do not vary")
        exit failed
    }' "$folder/out" || fail "the JSON lines do not add up"

# Exit codes of the test.
run 10 --variant russian "${strong_and_weak[@]}" --games 2000 --sprt elo0=0,elo1=50
says '^LLR: [0-9.]+ \(1[0-9][0-9]\.[0-9]%\) \(-2\.94, 2\.94\) \[0\.00, 50\.00\]$'
says '^H1 accepted: 50 nElo or more$'
run 11 --variant russian --engine name=weak,nodes=40 --engine name=strong,nodes=400 --games 2000 --sprt elo0=0,elo1=50,model=logistic
says '^H0 accepted: 0 Elo or less$'
run 12 --variant spanish "${even[@]}" --nodes 50 --games 20 --sprt elo0=0,elo1=5,alpha=0.01,beta=0.1
says '^LLR: -?[0-9.]+ \([0-9.]+%\) \(-2\.29, 4\.50\) \[0\.00, 5\.00\]$'
says '^Undecided between 0 and 5 nElo$'

# A configuration file, options on top of it, and a folder with the result.
run 10 "$here/../configs/match-spanish.yaml" -o "$folder/run"
cmp "$folder/out" "$folder/run/report.txt" || fail "report.txt is not what was printed"
grep -q '"verdict": "H1"' "$folder/run/summary.json" || fail "no verdict in summary.json"
run 12 "$here/../configs/match-spanish.yaml" --depth 2 --games 2 --openings start --variant pool --seed 7
says '^Results of deep vs shallow \(nodes 2000 - depth 2, 2MB, pool, start, seed 7\):$'
refuses 1 "$folder/run: exists already" "$here/../configs/match-spanish.yaml" -o "$folder/run"

# Draw rules and the length of games.
run 0 --variant spanish "${even[@]}" --depth 1 --games 2 --max-plies 20
says '^Ends: length limit 2$'
run 0 --variant spanish "${even[@]}" --depth 1 --games 2 --openings start --draw simple --draw-moves 1 --draw-progress capture-or-crowning
says '^Ends: no progress 2$'

# A match that is stopped reports the pairs that are finished.
code=0
rm "$folder/out"
"$match" --variant spanish "${even[@]}" --nodes 200 --games 1000000 --json >"$folder/out" 2>"$folder/err" &
process=$!
for ((i = 0; i < 600; i++)); do
    [ ! -s "$folder/out" ] || break
    sleep 0.1
done
kill -INT $process
wait $process || code=$?
[ $code -eq 1 ] || fail "stopped with exit $code"
grep -q 'stopped before the end' "$folder/err" || fail "does not say that it was stopped: $(cat "$folder/err")"
games=$(grep -c '"type":"game"' "$folder/out") || fail "stopped without a game"
tail -n 1 "$folder/out" | grep -q "\"games\":$games,.*\"finished\":false" || fail "not $games games: $(tail -n 1 "$folder/out")"

# Refusals.
spanish=(--variant spanish "${even[@]}")
refuses 2 '--variant: no "draughts"' --variant draughts "${even[@]}" --nodes 9
refuses 2 'expected two engines' --variant spanish --engine name=a --nodes 9
refuses 2 'expected two engines, got more' "${spanish[@]}" --engine name=c --nodes 9
refuses 2 'both engines are called "a"' --variant spanish --engine name=a --engine name=a --nodes 9
refuses 2 'expected a limit a move' "${spanish[@]}"
refuses 2 '--depth: expected one of nodes, depth, movetime and tc only' "${spanish[@]}" --nodes 9 --depth 3
refuses 2 '--nodes: expected 1..1000000000000, got "1e3"' "${spanish[@]}" --nodes 1e3
refuses 2 '--games: expected an even number' "${spanish[@]}" --nodes 9 --games 7
refuses 2 '--engine: unknown key "book"' --variant spanish --engine name=a,book=x --engine name=b --nodes 9
refuses 2 '--engine: weights: goes with the engine of this program' --variant spanish --engine cmd=x,weights=w --engine name=b --nodes 9
refuses 2 '--engine: dir: goes with cmd only' --variant spanish --engine dir=x --engine name=b --nodes 9
refuses 2 '--engine: option: goes with cmd only' --variant spanish --engine option.x=y --engine name=b --nodes 9
refuses 2 '--engine: proto: expected one of hub, text' --variant spanish --engine cmd=x,proto=uci --engine name=b --nodes 9
refuses 2 '--engine: tc: expected SECONDS' --variant spanish --engine tc=1/0 --engine name=b --nodes 9
refuses 1 'engine A: cannot start "/no/such program": No such file' --variant spanish --engine 'cmd="/no/such program" hub' --engine name=b --nodes 9
refuses 2 '--engine: depth: expected 1..99, got "x"' --variant spanish --engine depth=x --engine name=b --nodes 9
refuses 2 '--sprt: elo1: expected -1000..1000' "${spanish[@]}" --nodes 9 --sprt elo1=5000
refuses 2 'elo0 (7) must be less than elo1 (5)' "${spanish[@]}" --nodes 9 --sprt elo0=7
refuses 2 '--sprt: model: expected one of normalized, logistic' "${spanish[@]}" --nodes 9 --sprt model=x
refuses 2 '--openings: expected start or random:PLIES' "${spanish[@]}" --nodes 9 --openings book.pdn
refuses 2 '--draw-moves: goes with simple draw rules only' "${spanish[@]}" --nodes 9 --draw-moves 30
refuses 1 "$folder/none.weights: No such file" --variant spanish --engine weights="$folder/none.weights" --engine name=b --nodes 9
run 2 "${spanish[@]}" --nodes 9 --tc 10+0.1
grep -qF -- "--tc" "$folder/err" || fail "does not name --tc"
printf 'variant: spanish\nnodes: 9\nengines:\n  - name: a\n  - name: b\n    hash: -1\n' >"$folder/match.yaml"
refuses 2 "match.yaml:6: engines[1].hash: expected 0..65536, got \"-1\"" "$folder/match.yaml"
printf 'variant: spanish\ngame: 9\n' >"$folder/match.yaml"
refuses 2 "match.yaml:2: game: unknown key" "$folder/match.yaml"
