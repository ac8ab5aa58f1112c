#!/usr/bin/env bash
# selfplay.sh BIN_FOLDER -- runs end to end: same files for any number of threads and after any interruption.
set -euo pipefail
bin=$(cd "${1:?folder of the built programs}" && pwd)
work=$(mktemp -d)
# shellcheck source=tests/jobs.sh
. "$(dirname "${BASH_SOURCE[0]}")/jobs.sh"
trap 'end_jobs; rm -rf "$work"' EXIT
cd "$work"

fail() {
    echo "selfplay.sh: $*" >&2
    exit 1
}

cat > run.yaml <<END
variant: russian
games: 90
seed: 5
nodes: 200
shard_games: 16
opening:
  random_plies: 6
weights: material
END

# The checksums in order of shards, so that two runs can be compared; sha256sum says whether they are true.
sums() {
    (cd "$1" && sha256sum --check --quiet shards.sha256 && sort -k 2 shards.sha256)
}

same_as_reference() {
    [ "$(sums "$1")" = "$reference" ] || fail "$2: other shards than those of an undisturbed run"
    [ -z "$(find "$1" -name '*.journal' -o -name '*.tmp-*')" ] || fail "$2: something is left over in $1"
}

# expect CODE TEXT COMMAND...: it ends with that code and says one line, with that text, on standard error.
expect() {
    local code=$1 text=$2 got=0
    shift 2
    "$@" > out 2> err || got=$?
    [ "$got" = "$code" ] || fail "$*: exit code $got, expected $code: $(cat err)"
    grep -qF -- "$text" err || fail "$*: no \"$text\" in: $(cat err)"
    [ "$(grep -vc '^Try ' err)" = 1 ] || fail "$*: more than one line: $(cat err)"
}

echo "the same files for any number of threads"
"$bin/huff-selfplay" run.yaml -o one --threads 1 -q > one.txt
"$bin/huff-selfplay" run.yaml -o two --threads 2 -q > two.txt
grep -q "^russian: 90 games" one.txt || fail "no summary: $(cat one.txt)"
reference=$(sums one)
[ "$(wc -l <<< "$reference")" = 6 ] || fail "expected 6 shards"
same_as_reference two "two threads"
"$bin/huff-data" verify one two > verify.txt || fail "$(cat verify.txt)"
grep -q "180 games and .* 0 faults" verify.txt || fail "$(cat verify.txt)"
"$bin/huff-data" info --json one > info.json
grep -q '"games": 90' info.json || fail "info --json: $(cat info.json)"
"$bin/huff-selfplay" run.yaml -o three -q --seed 6 --threads 2 > /dev/null
[ "$(sums three)" != "$reference" ] || fail "another seed gave the same games"

echo "killed with SIGKILL while each shard was being played"
"$bin/huff-selfplay" run.yaml -o killed --threads 2 -q > /dev/null & pid=$!
for shard in 0 1 2 3 4; do
    while [ ! -e killed/shard-00000$shard.h5 ] && kill -0 $pid 2> /dev/null; do sleep 0.02; done
    kill -9 $pid 2> /dev/null || true
    wait $pid 2> /dev/null || true
    "$bin/huff-selfplay" --resume killed --threads 2 -q > /dev/null & pid=$!
done
wait $pid
same_as_reference killed "killed"
"$bin/huff-selfplay" --resume killed -q > /dev/null || fail "resuming a finished run"
same_as_reference killed "finished and resumed"

echo "stopped with SIGTERM"
"$bin/huff-selfplay" run.yaml -o stopped --set games=100000 --threads 2 -q > /dev/null 2> err & pid=$!
await $pid [ -e stopped/shard-000000.h5 ] || fail "it ended by itself: $(cat err)"
kill -TERM $pid
code=0
wait $pid || code=$?
[ $code = 1 ] || fail "exit code $code after SIGTERM"
grep -q "huff-selfplay --resume stopped" err || fail "does not say how to resume: $(cat err)"
cmp stopped/shard-000000.h5 one/shard-000000.h5
"$bin/huff-data" verify stopped > verify.txt || fail "$(cat verify.txt)"

echo "damaged shard, journal and leftovers"
cp -r one damaged
printf 'X' | dd of=damaged/shard-000002.h5 bs=1 seek=3000 conv=notrunc status=none
truncate -s 1000 damaged/shard-000004.h5
echo "torn" > damaged/shard-000004.journal
echo "half" > damaged/shard-000005.h5.tmp-1-0
rm damaged/shard-000003.h5
"$bin/huff-data" verify damaged/shard-000000.h5 damaged/shard-000001.h5 > /dev/null
expect 1 "damaged/shard-000004.h5: damaged or truncated" "$bin/huff-data" info damaged
"$bin/huff-selfplay" --resume damaged --threads 2 > /dev/null 2> err
grep -q "shard 2 is damaged" err || fail "the damage went unnoticed: $(cat err)"
grep -q "journal of shard 4" err || fail "the damaged journal went unnoticed: $(cat err)"
same_as_reference damaged "damaged"
cp -r one gap
rm gap/shard-000001.h5
printf 'X' | dd of=gap/shard-000002.h5 bs=1 seek="$(($(stat -c %s gap/shard-000002.h5) - 1))" conv=notrunc status=none
code=0
"$bin/huff-data" verify gap > verify.txt || code=$?
[ $code = 1 ] && grep -q "shards is missing: 1$" verify.txt && grep -q "shard-000002.h5: does not have its checksum" verify.txt ||
    fail "gap: $(cat verify.txt)"
mkdir copied
cp one/shard-00000[34].h5 copied
"$bin/huff-data" verify copied > verify.txt || fail "copied: $(cat verify.txt)"

echo "a disk that fills up"
code=0
(trap '' XFSZ && ulimit -f 16 && exec "$bin/huff-selfplay" run.yaml -o full --threads 2 -q) > out 2> err || code=$?
[ $code = 1 ] && grep -q "full/shard-.*cannot write" err || fail "full disk: code $code: $(cat err)"
"$bin/huff-selfplay" --resume full -q > /dev/null
same_as_reference full "after a full disk"
code=0
"$bin/huff-data" info one > /dev/full 2> err || code=$?
[ $code = 1 ] || fail "standard output on a full disk: code $code"

echo "a folder in which a process was killed before the run began"
mkdir early
touch early/start.weights early/manifest.json.tmp-1-1
"$bin/huff-selfplay" run.yaml -o early -q > /dev/null
same_as_reference early "in a folder left from the beginning"
[ ! -e early/manifest.json.tmp-1-1 ] || fail "a temporary file was left"

echo "refused"
expect 1 "one: exists already" "$bin/huff-selfplay" run.yaml -o one
expect 1 "none: No such file" "$bin/huff-selfplay" --resume none
expect 1 "another process" flock one "$bin/huff-selfplay" --resume one
cp -r one changed
sed -i 's/"nodes": 200/"nodes": 201/' changed/manifest.json
expect 1 "changed/manifest.json: the configuration was changed" "$bin/huff-selfplay" --resume changed
rm changed/manifest.json
expect 1 "changed: no run has begun in this folder" "$bin/huff-selfplay" --resume changed
cp -r one weights
"$bin/huff-selfplay" run.yaml -o other --set variant=thai --set games=1 -q > /dev/null
cp other/start.weights weights/start.weights
expect 1 "weights/start.weights" "$bin/huff-selfplay" --resume weights
expect 1 "variants/" "$bin/huff-data" info one variants/
expect 1 "holds games of thai" "$bin/huff-data" info one other
expect 1 "one: holds games of russian, not of thai" "$bin/huff-data" info one --variant thai
expect 2 "expected a configuration file" "$bin/huff-selfplay"
expect 2 "expected -o RUN" "$bin/huff-selfplay" run.yaml
expect 2 "--resume takes" "$bin/huff-selfplay" --resume one --seed 3
expect 2 "expected a dataset" "$bin/huff-data" info
expect 2 "unknown command" "$bin/huff-data" frobnicate
expect 2 "nothing.yaml: No such file" "$bin/huff-selfplay" nothing.yaml -o bad
bad() { # KEY=VALUE TEXT
    expect 2 "$2" "$bin/huff-selfplay" run.yaml -o bad --set "$1"
}
bad gmes=3 "gmes: unknown key"
bad opening.plies=3 "opening.plies: unknown key"
bad games=0 "games: expected 1..1000000000"
bad games=2o0 "games"
bad games=-1 "games: expected 1..1000000000"
bad games=99999999999999999999 "games: out of range"
bad seed=-1 "seed: expected 0..9223372036854775807"
bad opening.random_plies=-1 "opening.random_plies: expected 0..60"
bad adjudication.max_plies=3 "adjudication.max_plies: a game cannot have more random plies"
bad opening.depth=5 "opening.depth: goes with opening.margin only"
bad variant=chess 'no "chess"'
bad depth=0 "depth: expected 1.."
bad movetime=-1 "movetime: expected"
bad draw=never "draw: expected one of federation, simple"
bad draw_moves=30 "draw_moves: goes with simple draw rules only"
bad opening.random_plies=61 "opening.random_plies: expected 0..60"
bad adjudication.max_plies=0 "adjudication.max_plies: expected 1.."
bad hash=99999999 "hash: expected"
bad opening.book=all:9 "opening.book: all: expected 1..8"
bad opening.margin=50 "opening.margin: goes with opening.book=all:PLIES only"
bad adjudication.draw=plies=1 "adjudication.draw: plies: expected 2.."
bad adjudication.resign=9 "adjudication.resign: expected moves=N,score=N"
bad adjudication.check=5 "adjudication.check: goes with adjudication.draw or adjudication.resign only"
bad swap_sides=yes "swap_sides: goes with white_weights and black_weights only"
bad opening.book=none.book "--set opening.book: none.book: No such file"
bad white_weights=none.weights "--set white_weights: none.weights: No such file"
expect 2 "--shards: expected 5..999999" "$bin/huff-selfplay" run.yaml -o bad --shards 5-4
code=0
"$bin/huff-selfplay" book --plies 3 2> err || code=$?
[ $code = 2 ] && grep -q "expected --variant NAME and --plies N" err || fail "book: code $code: $(cat err)"
bad shard_games=0 "shard_games: expected 1.."
sed 's/^nodes: 200/nodes: many/' run.yaml > bad.yaml
expect 2 "bad.yaml:4: nodes" "$bin/huff-selfplay" bad.yaml -o bad
sed '/^nodes: 200/d' run.yaml > bad.yaml
expect 2 "nodes: expected one of nodes, depth and movetime" "$bin/huff-selfplay" bad.yaml -o bad
sed 's/^nodes: 200/depth: 3\nmovetime: 1/' run.yaml > bad.yaml
expect 2 "bad.yaml:5: movetime: expected one limit of a move only" "$bin/huff-selfplay" bad.yaml -o bad
bad weights=none.weights "--set weights: none.weights: No such file"
sed 's/^weights: .*/weights: none.weights/' run.yaml > bad.yaml
expect 2 "bad.yaml:8: weights: none.weights: No such file" "$bin/huff-selfplay" bad.yaml -o bad
code=0
"$bin/huff-selfplay" book --variant thai --plies 1 --depth 3 -o bad 2> err || code=$?
[ $code = 2 ] && grep -q -- "--depth goes with --margin only" err || fail "book: code $code: $(cat err)"
# Where more memory may be asked for than there is, it is there until it is used.
if [ "$(cat /proc/sys/vm/overcommit_memory)" != 1 ]; then
    expect 1 "hash: no memory for tables of 65536 MB for each of 1024 threads" \
        "$bin/huff-selfplay" run.yaml -o bad --set hash=65536 --threads 1024
fi
[ ! -e bad ] || fail "a refused configuration left a folder"

echo "checksums are in order, a section may be empty"
sort -k 2 one/shards.sha256 | cmp - one/shards.sha256 || fail "checksums are not in order: $(cat one/shards.sha256)"
printf 'variant: russian\ngames: 1\nnodes: 20\nopening:\n  # random_plies: 3\n' > empty.yaml
"$bin/huff-selfplay" empty.yaml -o empty -q > out
grep -q "^russian: 1 game, " out || fail "one game: $(cat out)"
"$bin/huff-data" verify empty -q > verify.txt || fail "$(cat verify.txt)"
grep -q "^1 game and .* checked, 0 faults$" verify.txt || fail "one game is not verified: $(cat verify.txt)"

echo "every way to say how long to think, and how games are drawn"
"$bin/huff-selfplay" run.yaml -o depth -q --set depth=2 --set games=20 --set draw=simple --set draw_moves=10 \
    --set draw_progress=capture-or-crowning > /dev/null
"$bin/huff-selfplay" run.yaml -o time -q --set movetime=0.001 --set games=2 --set adjudication.max_plies=20 > /dev/null
"$bin/huff-selfplay" run.yaml -o fit -q --set weights=depth/start.weights --set games=3 > /dev/null
for run in depth time fit; do
    "$bin/huff-data" verify $run > verify.txt || fail "$(cat verify.txt)"
done
"$bin/huff-data" info --json depth > info.json
grep -q '"no_progress_plies": 20' info.json || fail "the draw rules are not in the dataset"
"$bin/huff-data" info time > info.txt
grep -q "length limit  *2" info.txt || fail "games of 20 plies: $(cat info.txt)"

echo "games begin where a file says"
printf 'W:Wa1,c3:Bf6,h8\n# a comment\nB:Wa1,e3:Bf6,g7\n' > start.fen
printf '[Event "a"]\n\n1. c3-d4 d6-c5 *\n\n[Event "b"]\n\n1. g3-f4 *\n' > start.pdn
for book in start.fen start.pdn; do
    "$bin/huff-selfplay" run.yaml -o $book.run -q --set games=4 --set opening.book=$book --set opening.random_plies=0 \
        > /dev/null 2> err || fail "$(cat err)"
    "$bin/huff-data" verify $book.run > verify.txt || fail "$(cat verify.txt)"
    [ "$(grep -vc '^#' $book.run/start.book)" = 2 ] || fail "$(cat $book.run/start.book)"
done
"$bin/huff-selfplay" run.yaml -o copies --set games=4 --set opening.book=start.pdn --set opening.random_plies=0 \
    > /dev/null 2> err
grep -q "4 games on 2 openings: many will be copies of others" err || fail "copies are not warned of: $(cat err)"

echo "two engines, games called before their end, a book"
"$bin/huff-selfplay" book --variant russian --plies 3 --margin 100 --depth 3 -q > book.txt
grep -q "^russian-3.book: [0-9]* positions after 3 plies of russian" book.txt || fail "$(cat book.txt)"
sed '3s/a1/b2/' russian-3.book > changed.book
expect 1 "changed.book: the book is damaged or was changed" \
    "$bin/huff-selfplay" run.yaml -o bad --set opening.book=changed.book
for threads in 1 2; do
    "$bin/huff-selfplay" run.yaml -o mixed$threads -q --threads $threads --set opening.book=russian-3.book \
        --set white_weights=depth/start.weights --set black_weights=material --set swap_sides=yes \
        --set adjudication.draw=move=10,plies=4,score=20 --set adjudication.resign=moves=2,score=200 \
        --set adjudication.check=50 > mixed$threads.txt
    "$bin/huff-data" verify mixed$threads > verify.txt || fail "$(cat verify.txt)"
done
[ "$(sums mixed1)" = "$(sums mixed2)" ] || fail "other games with 2 threads"
rm -r russian-3.book depth
rm mixed1/shard-000002.h5
"$bin/huff-selfplay" --resume mixed1 -q > /dev/null
[ "$(sums mixed1)" = "$(sums mixed2)" ] || fail "resuming needs the files that the run began with"
"$bin/huff-data" info --json mixed1 > info.json
python3 - <<'END' || fail "mixed: $(cat info.json mixed1/status.json)"
import json
info, status = json.load(open("info.json")), json.load(open("mixed1/status.json"))
called = info["adjudication"]
ended = info["endings"].get("adjudicated draw", 0) + info["endings"].get("adjudicated win", 0)
assert 0 < called["checked"] < called["called"] and called["wrong"] <= called["checked"]
assert ended == called["called"] - called["checked"]
assert status["state"] == "done" and status["games"] == status["total"] == 90
assert status["wins"] + status["draws"] + status["losses"] == 16  # of the session
END
grep -q "of these wrong" mixed2.txt || fail "no report of adjudication: $(cat mixed2.txt)"
if python3 -c 'import h5py' 2> /dev/null; then
    python3 - <<'END' || fail "engines of the games of mixed1"
import glob, json, h5py
pairs, names = set(), set()
for path in glob.glob("mixed1/shard-*.h5"):
    with h5py.File(path) as file:
        pairs |= set(zip(file["games/white_engine"][:].tolist(), file["games/black_engine"][:].tolist()))
        names.add(tuple(engine["name"] for engine in json.loads(file["meta"].attrs["engines"])))
assert pairs == {(0, 1), (1, 0)} and names == {("start.weights", "material")}, (pairs, names)
END
fi
echo "done"
