#!/usr/bin/env bash
# match.sh BIN -- huff-match from its options to its exit code: pairs, threads, tests, files, refusals.
set -euo pipefail
match=$1/huff-match
huff=$(realpath "$1/huff")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/jobs.sh
. "$(dirname "${BASH_SOURCE[0]}")/jobs.sh"
folder=$(new_folder "$1")
trap 'end_jobs; rm -rf "$folder"' EXIT

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
^Ends: [a-z0-9 ,]+$
^  strong won:( [a-z ]+ [0-9]+,?| -)+; lost:( [a-z ]+ [0-9]+,?| -)+; drew:( [a-z ]+ [0-9]+,?| -)+$
^  weak won:( [a-z ]+ [0-9]+,?| -)+; lost:( [a-z ]+ [0-9]+,?| -)+; drew:( [a-z ]+ [0-9]+,?| -)+$'
number=0
while IFS= read -r line; do
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

run 0 --variant spanish "${even[@]}" --depth 1 --games 2 --openings start --adjudicate-draw move=5,plies=4,score=1000
says '^Ends: adjudicated draw 2$'
run 0 --variant spanish "${strong_and_weak[@]}" --games 10 --adjudicate-resign moves=2,score=150
says '^  weak won:.*; lost:.*adjudicated win [0-9]+'

# Two deterministic engines play the same games over and over, which is said.
run 0 --variant spanish "${even[@]}" --depth 1 --games 6 --openings start --json
[ "$(grep -c '"duplicate":true' "$folder/out")" -eq 4 ] || fail "not 4 duplicates: $(cat "$folder/out")"
run 0 --variant spanish "${even[@]}" --depth 1 --games 6 --openings start
says '^Duplicates: 4 games'

# All games as PDN, in order, with what the engines said.
run 0 --variant spanish "${strong_and_weak[@]}" --games 20 --threads 2 --pdn "$folder/games.pdn" --json
sed -n 's/^\[Round "\(.*\)"\]$/\1/p' "$folder/games.pdn" >"$folder/rounds"
for ((i = 1; i <= 10; i++)); do printf '%d.1\n%d.2\n' $i $i; done | cmp - "$folder/rounds" || fail "PDN out of order"
[ "$(grep -c '^\[Termination "' "$folder/games.pdn")" -eq 20 ] || fail "not 20 terminations"
grep -q '^\[White "strong"\]$' "$folder/games.pdn" && grep -q 'n=400' "$folder/games.pdn" &&
    grep -q '%eval' "$folder/games.pdn" && grep -q '%emt' "$folder/games.pdn" || fail "no names or notes in PDN"
awk -F'"' '/"type":"game"/ { if (match($0, /"plies":[0-9]+/)) print substr($0, RSTART + 8, RLENGTH - 8) }' "$folder/out" >"$folder/plies"
sed -n 's/^\[PlyCount "\(.*\)"\]$/\1/p' "$folder/games.pdn" | cmp - "$folder/plies" || fail "PDN has other games"
refuses 1 "$folder/none/games.pdn: No such file" --variant spanish "${even[@]}" --nodes 9 --pdn "$folder/none/games.pdn"
exec 9>"$folder/locked.pdn"
flock 9
refuses 1 "$folder/locked.pdn: another match is writing to it" --variant spanish "${even[@]}" --nodes 9 --pdn "$folder/locked.pdn"
exec 9>&-

# Openings of a file: each once for each colour, then again; a table of them; refused with their lines.
printf '# three\nW:W1-12:B21-32\nB:W1-12:B21-32\nW:W1-11:B22-32\n' >"$folder/openings.fen"
run 0 --variant spanish "${even[@]}" --depth 1 --games 6 --openings "$folder/openings.fen"
for line in 2 3 4; do says "^  $line: 2 games, White \\+[0-2] =[0-2] -[0-2], a \\+[0-2] =[0-2] -[0-2]\$"; done
"$match" --variant spanish "${even[@]}" --depth 1 --games 8 --openings "$folder/openings.fen" >"$folder/out" 2>"$folder/err"
grep -q '4 pairs on 3 openings' "$folder/err" || fail "no warning of copies: $(cat "$folder/err")"
run 0 --variant spanish "${even[@]}" --depth 1 --games 12 --openings "$folder/openings.fen" --json
[ "$(grep -c '"duplicate":true' "$folder/out")" -eq 6 ] || fail "the second round is not marked as duplicate"
run 0 --variant spanish "${even[@]}" --depth 1 --games 80 --openings all:2
says '^  and 10 more$'
printf 'W:W1-12:B21-32\nW:W1-12:B33\n' >"$folder/bad.fen"
refuses 1 "$folder/bad.fen:2: " --variant spanish "${even[@]}" --depth 1 --openings "$folder/bad.fen"
run 0 --variant spanish "${even[@]}" --depth 1 --games 4 --openings "$folder/openings.fen" -o "$folder/openings"
printf 'W:W1-10:B21-32\n' >>"$folder/openings.fen"
refuses 1 'the openings are not those that the match began with' --resume "$folder/openings"

# Tournaments: all meet on the same openings, and are rated together.
four=(--engine name=a,nodes=400 --engine name=b,nodes=100 --engine name=c,nodes=40 --engine name=d,depth=1)
run 0 --variant spanish "${four[@]}" --games 10
says '^Results of 4 engines \(round robin, 10 games of each two, spanish, random:8, seed 1\):$'
says '^   1  a +[0-9.]+ +[0-9.inf]+ +30 +[0-9]+ +[0-9]+ +[0-9]+ +[0-9.]+ +[0-9.]+%$'
for two in 'a vs b' 'a vs c' 'a vs d' 'b vs c' 'b vs d' 'c vs d'; do says "^  $two: \+[0-9]+ =[0-9]+ -[0-9]+, Ptnml"; done
run 0 --variant spanish "${four[@]}" --games 10 --tournament gauntlet --threads 2 --json
awk '
    function value(key) {
        return match($0, "\"" key "\":\"[^\"]*") ? substr($0, RSTART, RLENGTH) : "missing"
    }
    /"type":"game"/ {
        games++
        if ($0 !~ /"(white|black)":"a"/) failed = "a game without the first engine"
        n = int((games - 1) / 6)  # three pairs on each opening
        if ((games - 1) % 6 == 0) opening = value("opening")
        if (value("opening") != opening) failed = "other openings for other engines in round " n
        seen[opening] = 1
    }
    END {
        for (o in seen) openings++
        if (games != 30 || openings != 5) failed = games " games, " openings " openings"
        if (failed != "") { print failed; exit 1 }
    }' "$folder/out" || fail "the gauntlet is wrong"
tail -n 1 "$folder/out" | grep -q '"ratings":\[{"name":' || fail "no ratings"

# Killed or stopped at any time and resumed: the same games, in the same order, and the same report.
killed=(--variant spanish "${strong_and_weak[@]}" --games 60 --sprt elo0=0,elo1=500,alpha=1e-9,beta=1e-9 --threads 2)
run 10 "${killed[@]}" --json -o "$folder/whole" --pdn "$folder/whole.pdn"
sed 's/"seconds":[^,}]*//' "$folder/out" >"$folder/undisturbed"
journal=$folder/killed/games.journal
size() { stat -c %s "$journal" 2>/dev/null || echo 0; }
start=("${killed[@]}" -o "$folder/killed")
for ((kill = 0; kill < 4; kill++)); do
    before=$(size)
    "$match" "${start[@]}" -q --pdn "$folder/killed.pdn" >/dev/null 2>&1 &
    process=$!
    while [ "$(size)" -lt $((before + 2000)) ] && kill -0 $process 2>/dev/null; do sleep 0.01; done
    signal=KILL
    [ $kill -ne 2 ] || signal=INT  # which finishes the games in flight, and reports
    kill -$signal $process 2>/dev/null || true
    wait $process 2>/dev/null || true
    start=(--resume "$folder/killed")
done
run 10 --resume "$folder/killed" --json --pdn "$folder/killed.pdn" --threads 1
sed 's/"seconds":[^,}]*//' "$folder/out" | cmp - "$folder/undisturbed" || fail "another match after kills"
games_of() { tr '\n' ' ' <"$1" | sed 's/\[%emt [0-9:.]*\]//g; s/  */ /g'; }
[ "$(games_of "$folder/whole.pdn")" = "$(games_of "$folder/killed.pdn")" ] || fail "another PDN after kills"
cmp "$folder/whole/report.txt" "$folder/killed/report.txt" || fail "another report after kills"
run 10 --resume "$folder/killed"
cmp "$folder/out" "$folder/whole/report.txt" || fail "a finished match that is resumed is another one"
refuses 2 '--resume: goes with --pdn' --resume "$folder/killed" --nodes 5
refuses 1 "$folder/none: No such file" --resume "$folder/none"
refuses 1 "exists already; to go on with a match: --resume" "${killed[@]}" -o "$folder/killed"
sed -i 's/"games": "60"/"games": "62"/' "$folder/killed/manifest.json"
refuses 1 'manifest.json: the configuration was changed' --resume "$folder/killed"

# More games at a time than cores.
"$match" --variant spanish "${even[@]}" --nodes 9 --games 2 --threads 999 >"$folder/out" 2>"$folder/err"
grep -q '999 games at a time share' "$folder/err" || fail "no warning of too many games at a time"

# A match that is stopped reports the pairs that are finished.
code=0
rm "$folder/out"
"$match" --variant spanish "${even[@]}" --nodes 200 --games 1000000 --json -q -o "$folder/stopped" >"$folder/out" 2>"$folder/err" &
process=$!
await $process [ -s "$folder/out" ] || fail "it ended by itself: $(cat "$folder/err")"
kill -INT $process
wait $process || code=$?
[ $code -eq 1 ] || fail "stopped with exit $code"
grep -qF "stopped before the end of the match; to go on: huff-match --resume $folder/stopped" "$folder/err" || fail "does not say that it was stopped: $(cat "$folder/err")"
games=$(grep -c '"type":"game"' "$folder/out") || fail "stopped without a game"
tail -n 1 "$folder/out" | grep -q "\"games\":$games,.*\"finished\":false" || fail "not $games games: $(tail -n 1 "$folder/out")"

# Refusals.
spanish=(--variant spanish "${even[@]}")
refuses 2 '--variant: no "draughts"' --variant draughts "${even[@]}" --nodes 9
refuses 2 'expected two engines or more' --variant spanish --engine name=a --nodes 9
refuses 2 '--sprt: tests two engines only, got 3' "${spanish[@]}" --engine name=c --nodes 9 --sprt elo1=5
refuses 2 '--tournament: expected one of roundrobin, gauntlet, got "swiss"' "${spanish[@]}" --nodes 9 --tournament swiss
refuses 2 '--adjudicate-draw: plies: expected 2..' "${spanish[@]}" --nodes 9 --adjudicate-draw plies=1
refuses 2 'two engines are called "a"' --variant spanish --engine name=a --engine name=a --nodes 9
refuses 2 'expected a limit a move' "${spanish[@]}"
refuses 2 '--depth: expected one limit of a move only' "${spanish[@]}" --nodes 9 --depth 3
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
refuses 2 '--openings: expected start, random:PLIES, all:PLIES or a file that is there, got "book.pdn"' "${spanish[@]}" --nodes 9 --openings book.pdn
refuses 2 '--draw-moves: goes with simple draw rules only' "${spanish[@]}" --nodes 9 --draw-moves 30
refuses 1 "$folder/none.weights: No such file" --variant spanish --engine weights="$folder/none.weights" --engine name=b --nodes 9
run 2 "${spanish[@]}" --nodes 9 --tc 10+0.1
grep -qF -- "--tc" "$folder/err" || fail "does not name --tc"
printf 'variant: spanish\nnodes: 9\nengines:\n  - name: a\n  - name: b\n    hash: -1\n' >"$folder/match.yaml"
refuses 2 "match.yaml:6: engines[1].hash: expected 0..65536, got \"-1\"" "$folder/match.yaml"
printf 'variant: spanish\ngame: 9\n' >"$folder/match.yaml"
refuses 2 "match.yaml:2: game: unknown key" "$folder/match.yaml"

refuses 2 '--pdn: expected a name, got ""' "${spanish[@]}" --nodes 9 --pdn ''
refuses 2 '--output: expected a name, got ""' "${spanish[@]}" --nodes 9 -o ''
refuses 2 '--resume: expected a name, got ""' --resume ''

# A quote that is not closed does not swallow the keys behind it; names and options are part of a line.
refuses 2 '--engine: a quote (") is not closed in "name=x"y,cmd=z"' --variant spanish --engine 'name=x"y,cmd=z' --engine name=b --nodes 9
refuses 2 '--engine: a quote (") is not closed in "option.book="x"' --variant spanish --engine 'cmd=z,option.book="x' --engine name=b --nodes 9
refuses 2 '--engine: name: expected no control characters' --variant spanish --engine $'name=a\nb' --engine name=b --nodes 9
refuses 2 '--engine: name: expected no control characters' --variant spanish --engine $'name=a\e[31m' --engine name=b --nodes 9
refuses 2 '--engine: option: expected no control characters' --variant spanish --engine $'cmd=x,option.book=y\nquit' --engine name=b --nodes 9
refuses 2 '--engine: option: expected NAME=VALUE' --variant spanish --engine 'cmd=x,option.=y' --engine name=b --nodes 9
printf 'variant: spanish\nnodes: 9\nengines:\n  - name: "a\\nb"\n  - name: b\n' >"$folder/match.yaml"
refuses 2 'match.yaml:4: engines[0].name: expected no control characters' "$folder/match.yaml"

# What is not UTF-8 has no place in a manifest.
refuses 2 '--engine: name: expected UTF-8' --variant spanish --engine $'name=\377' --engine name=b --nodes 9
refuses 2 '--engine: cmd: expected UTF-8' --variant spanish --engine $'cmd=\303( hub' --engine name=b --nodes 9
refuses 2 '--engine: option: expected UTF-8' --variant spanish --engine $'cmd=x,option.book=\377' --engine name=b --nodes 9
refuses 2 '--openings: expected UTF-8' "${spanish[@]}" --nodes 9 --openings $'\377.pdn'
printf 'variant: spanish\nnodes: 9\nengines:\n  - name: "\377"\n  - name: b\n' >"$folder/match.yaml"
refuses 2 'match.yaml' "$folder/match.yaml"

# What cannot begin leaves nothing behind and nothing harmed.
refuses 1 '--hash: no memory for tables of 131072 MB for each of 1024 games at a time' "${spanish[@]}" --nodes 9 \
    --games 4000 --threads 1024 --hash 65536 -o "$folder/unbegun"
refuses 1 "$folder/none/games.pdn: No such file" "${spanish[@]}" --nodes 9 -o "$folder/unbegun" --pdn "$folder/none/games.pdn"
[ ! -e "$folder/unbegun" ] || fail "a match that did not begin left its folder"
echo 'old games' >"$folder/old.pdn"
unstartable=(--variant spanish --engine 'cmd=/no/such/program' --engine name=b --nodes 9)
refuses 1 'cannot start' "${unstartable[@]}" --pdn "$folder/old.pdn"
[ "$(cat "$folder/old.pdn")" = 'old games' ] || fail "a match that did not begin emptied the file of games"
refuses 1 'cannot start' "${unstartable[@]}" --pdn "$folder/new.pdn"
[ ! -e "$folder/new.pdn" ] || fail "a match that did not begin left a file of games"
run 0 "${spanish[@]}" --nodes 9 --games 2 --pdn "$folder/old.pdn"
! grep -q 'old games' "$folder/old.pdn" || fail "the file of games was not begun anew"
[ "$(grep -c '^\[Round ' "$folder/old.pdn")" -eq 2 ] || fail "not two games: $(cat "$folder/old.pdn")"

# Games are not written over what the match needs.
printf 'W:W1-12:B21-32\n' >"$folder/needed.fen"
cp "$folder/needed.fen" "$folder/needed"
refuses 2 "--pdn: $folder/needed.fen is a file that the match needs" "${spanish[@]}" --nodes 9 --games 2 \
    --openings "$folder/needed.fen" --pdn "$folder/needed.fen"
cmp "$folder/needed.fen" "$folder/needed" || fail "games were written over their openings"
for name in games.journal report.txt; do
    refuses 2 "/$name is a file that the match needs" "${spanish[@]}" --nodes 9 --games 2 -o "$folder/unbegun" --pdn "$folder/unbegun/$name"
    [ ! -e "$folder/unbegun" ] || fail "a match that did not begin left its folder"
done
cp -r "$folder/whole" "$folder/needed-run"
refuses 2 'games.journal is a file that the match needs' --resume "$folder/needed-run" --pdn "$folder/needed-run/games.journal"
cmp "$folder/needed-run/games.journal" "$folder/whole/games.journal" || fail "games were written over their journal"

mkdir "$folder/played"
echo '0 shard-000000.h5' >"$folder/played/shards.sha256"
for name in shards.sha256 shard-000000.h5; do
    refuses 2 "--pdn: $folder/played/$name: is a file of the run in that folder" "${spanish[@]}" --nodes 9 --games 2 --pdn "$folder/played/$name"
done
[ "$(cat "$folder/played/"*)" = '0 shard-000000.h5' ] || fail "games were written over a run"

# A match that fails reports what was counted, and says why it failed.
run 1 "${spanish[@]}" --nodes 9 --games 8 --threads 1 --pdn /dev/full
grep -qF '/dev/full: cannot write: No space left' "$folder/err" || fail "no reason: $(cat "$folder/err")"
says '^Games: 2, Wins'
run 1 "${spanish[@]}" --nodes 9 --games 8 --threads 1 --pdn /dev/full --json
tail -n 1 "$folder/out" | grep -q '"games":2,.*"finished":false' || fail "no summary: $(cat "$folder/out")"
# A full disk, which is a limit on the size of files, leaves no half of a game and no folder without a manifest.
code=0
(trap '' XFSZ && ulimit -f 20 && exec "$match" "${spanish[@]}" --nodes 9 --games 100 --threads 1 -q --pdn "$folder/full.pdn") \
    >"$folder/out" 2>"$folder/err" || code=$?
[ $code -eq 1 ] && grep -qF 'full.pdn: cannot write' "$folder/err" || fail "code $code on a full disk: $(cat "$folder/err")"
begun=$(grep -c '^\[Event "' "$folder/full.pdn") || fail "no game in full.pdn"
[ "$begun" -eq "$(grep -cE '(^| )\*$' "$folder/full.pdn")" ] || fail "half a game: $(tail -n 3 "$folder/full.pdn")"
code=0
(trap '' XFSZ && ulimit -f 0 && exec "$match" "${spanish[@]}" --nodes 9 --games 2 -q -o "$folder/unbegun") >/dev/null 2>&1 || code=$?
[ $code -eq 1 ] && [ ! -e "$folder/unbegun" ] || fail "code $code, and a folder without a manifest is left"
cat >"$folder/mortal" <<END
#!/bin/sh
# A Hub engine that dies when it is asked for its tenth move, and never lives again.
[ ! -e "$folder/died" ] || exit 3
touch "$folder/died"
moves=0
while IFS= read -r line; do
    case \$line in
    go*) moves=\$((moves + 1)) ;;
    esac
    [ \$moves -lt 10 ] || { printf 'm\303\251 \377 \303\n' >&2; exit; }
    printf '%s\n' "\$line"
done | "$huff" hub
END
chmod +x "$folder/mortal"
run 1 --variant spanish --engine "name=mortal,cmd=$folder/mortal" --engine name=b --nodes 9 --games 20 --threads 1 \
    --openings start --max-plies 6 --recover 2 --json -o "$folder/mortal-run"
grep -q 'engine mortal: failed 2 times in a row' "$folder/err" || fail "no reason: $(cat "$folder/err")"
[ "$(grep -c '"type":"game"' "$folder/out")" -eq 4 ] || fail "not four games: $(cat "$folder/out")"
grep -q '"type":"game".*"reason":".*mé ? ?' "$folder/out" || fail "no reason of a lost game: $(cat "$folder/out")"
tail -n 1 "$folder/out" | grep -q '"games":4,.*"last_failure":".*mé ? ?.*"finished":false' || fail "no summary: $(cat "$folder/out")"
grep -q '"games": 4' "$folder/mortal-run/summary.json" || fail "no summary.json"
run 1 --resume "$folder/mortal-run"
says '^Games: 4, Wins'
cmp "$folder/out" "$folder/mortal-run/report.txt" || fail "report.txt of a match that failed is not what was printed"

# Paths are relative to where a match began, and one that is lost is named with its run.
match=$(realpath "$match")
mkdir "$folder/begun-here"
cp "$folder/bad.fen" "$folder/begun-here/list.fen"
sed -i 2d "$folder/begun-here/list.fen"
cd "$folder/begun-here"
run 0 "${spanish[@]}" --nodes 9 --games 2 --openings list.fen -o run
mkdir elsewhere bin
ln -s "$folder/mortal" bin/mortal
rm "$folder/died"
run 1 --variant spanish --engine "cmd=bin/mortal" --engine name=b --nodes 9 --games 20 --recover 1 -o run2
cd elsewhere
refuses 1 '../run: openings: list.fen is not to be found from this folder' --resume ../run
refuses 1 '../run2: cmd: bin/mortal is not to be found from this folder' --resume ../run2
cd "$folder"
