#!/usr/bin/env bash
# data.sh BIN_FOLDER -- huff-data makes other files of datasets, and what goes wrong is said in one line.
set -euo pipefail
bin=$(cd "${1:?folder of the built programs}" && pwd)
work=$(mktemp -d)
# shellcheck source=tests/jobs.sh
. "$(dirname "${BASH_SOURCE[0]}")/jobs.sh"
trap 'end_jobs; rm -rf "$work"' EXIT
cd "$work"

fail() {
    echo "data.sh: $*" >&2
    exit 1
}

# expect CODE TEXT COMMAND...: it ends with that code and says one line, with that text, on standard error.
expect() {
    local code=$1 text=$2 got=0
    shift 2
    "$@" > out 2> err || got=$?
    [ "$got" = "$code" ] || fail "$*: exit code $got, expected $code: $(cat err)"
    grep -qF -- "$text" err || fail "$*: no \"$text\" in: $(cat err)"
    [ "$(grep -vcE '^(Try |information)' err)" = 1 ] || fail "$*: more than one line: $(cat err)"
}

# says TEXT COMMAND...: it succeeds, and standard output has that text.
says() {
    local text=$1
    shift
    "$@" > out 2> err || fail "$*: exit code $?: $(cat err)"
    grep -qF -- "$text" out || fail "$*: no \"$text\" in: $(cat out)"
}

faulty() { # TEXT PATH...: verify finds that fault
    local text=$1
    shift
    ! "$data" verify "$@" -q > out || fail "no fault in $*: $(cat out)"
    grep -qF -- "$text" out || fail "verify $*: no \"$text\" in: $(cat out)"
}

nothing_left() {
    [ -z "$(find . -name '*.tmp-*')" ] || fail "$1: $(find . -name '*.tmp-*') is left over"
}

data=$bin/huff-data

play() { # RUN VARIANT SEED GAMES
    cat > run.yaml <<END
variant: $2
games: $4
seed: $3
nodes: 60
shard_games: 20
opening:
  random_plies: 4
END
    "$bin/huff-selfplay" run.yaml -o "$1" -q > /dev/null
}
play run russian 5 70
play other russian 6 20
play italian italian 5 20

count() { # KEY: a number at the top of the JSON of "info run"
    "$data" info run -q --json | sed -n "s/^  \"$1\": \([0-9]*\),.*/\1/p"
}
positions=$(count positions)
repeated=$(count duplicates)
[ "$repeated" -gt 0 ] || fail "expected a run in which a few games come twice"

echo "merge"
says "one.h5: 70 games, $positions positions" "$data" merge run -o one.h5 -q
says "70 games and $positions positions checked, 0 faults" "$data" verify one.h5 -q
"$data" merge run/shard-00000[01].h5 -o first.h5 -q > out
"$data" merge run/shard-00000[23].h5 -o second.h5 -q > out
"$data" merge run -o again.h5 -q > out
cmp one.h5 again.h5 || fail "the same games merged twice gave other bytes"
says "games 0..69" "$data" info one.h5 -q
says "games 40..69" "$data" info second.h5 -q
says "0 faults" "$data" verify second.h5 first.h5 -q
says "90 games" "$data" merge run other -o two.h5 -q
grep -q "numbered anew" out || fail "two runs have overlapping numbers: $(cat out)"
says "0 faults" "$data" verify two.h5 -q
says "duplicates: $((70 + repeated)) games" "$data" info one.h5 run -q
says "140 games" "$data" merge one.h5 run -o doubled.h5 -q
says "\"dropped\": $((70 + repeated))" "$data" merge doubled.h5 -o single.h5 --drop-duplicates -q --json
says "duplicates: 0 games" "$data" info single.h5 -q
says "0 faults" "$data" verify single.h5 -q
says ", $repeated duplicate games left out" "$data" merge run -o different.h5 --drop-duplicates -q
"$data" pdn different.h5 -q > different.pdn
"$data" pdn single.h5 -q > single.pdn
cmp different.pdn single.pdn || fail "games are others after duplicates were left out"
"$data" pdn one.h5 -q > one.pdn

echo "views"
says "run/dataset.h5: 70 games, $positions positions" "$data" vds run -q
says "0 faults" "$data" verify run/dataset.h5 -q
[ "$(stat -c %s run/dataset.h5)" -lt "$(stat -c %s one.h5)" ] || fail "views are larger than a copy"
mv run moved
says "0 faults" "$data" verify moved/dataset.h5 -q
mv moved run
"$data" pdn run/dataset.h5 -q > views.pdn
cmp one.pdn views.pdn || fail "games are others through views"
mkdir -p a/b
says "70 games" "$data" vds run -o a/b/views.h5 -q
says "0 faults" "$data" verify a/b/views.h5 -q
mv run/shard-000001.h5 away
for command in info "merge -o x.h5" pdn stats "sample -o x.h5"; do
    # shellcheck disable=SC2086
    expect 1 "run/dataset.h5: its source: run/shard-000001.h5: No such file" "$data" $command run/dataset.h5 -q
done
faulty "run/dataset.h5: its source: run/shard-000001.h5: No such file" run/dataset.h5
says "warning: run: 1 of 4 shards is missing: 1" "$data" info run -q
for command in "merge -o missing.h5" "sample -o missing.h5" "vds -o missing.h5" pdn stats; do
    # shellcheck disable=SC2086
    expect 0 "warning: run: 1 of 4 shards is missing: 1" "$data" $command run -q
done
expect 0 "warning: run: 1 of 4 shards is missing: 1" "$bin/huff-tune" eval default run -q
faulty "run: 1 of 4 shards is missing: 1" other run
grep -q "^70 games and .* checked, 1 fault$" out || fail "the rest was not checked: $(cat out)"
cp run/shard-000003.h5 run/shard-000001.h5
expect 1 "has changed" "$data" info run/dataset.h5 -q
mv away run/shard-000001.h5
expect 1 "is a file of views itself" "$data" vds run/dataset.h5 -o x.h5 -q

echo "shards that are not what their names say"
cp -r run swapped
mv swapped/shard-000001.h5 keep
mv swapped/shard-000002.h5 swapped/shard-000001.h5
mv keep swapped/shard-000002.h5
(cd swapped && sha256sum shard-*.h5 > shards.sha256)
for command in info "merge -o x.h5" "sample -o x.h5" "vds -o x.h5" pdn stats; do
    # shellcheck disable=SC2086
    expect 1 "swapped/shard-000001.h5: is not this shard: its games begin with number 40" "$data" $command swapped -q
done
faulty "swapped/shard-000001.h5: is not this shard" swapped
grep -q "^30 games and .* checked, 2 faults$" out || fail "the rest was not checked: $(cat out)"
cp -r run mixed
"$bin/huff-selfplay" run.yaml -o strange -q --set variant=russian --set seed=9 --set games=70 > out
cp strange/shard-000002.h5 mixed
(cd mixed && sha256sum shard-*.h5 > shards.sha256)
expect 1 "mixed/shard-000002.h5: is of another run: its seed differs from that of manifest.json" "$data" merge mixed -o x.h5 -q
faulty "mixed/shard-000002.h5: is of another run" mixed
rm mixed/manifest.json
expect 1 "is of another run: its seed differs from that of shard-000000.h5" "$data" merge mixed -o x.h5 -q
expect 1 "mixed/shard-000002.h5: is of another run" "$bin/huff-tune" eval default mixed -q

echo "damaged shards do not hide the others"
cp -r run hurt
printf 'X' | dd of=hurt/shard-000001.h5 bs=1 seek=3000 conv=notrunc status=none
truncate -s 1000 hurt/shard-000003.h5
faulty "hurt/shard-000001.h5: does not have its checksum" hurt
grep -q "^40 games and .* checked, 2 faults$" out || fail "the rest was not checked: $(cat out)"
rm hurt/shards.sha256
faulty "hurt/shard-000003.h5: damaged or truncated" hurt
faulty "nowhere: No such file" nowhere run
grep -q "^70 games" out || fail "the rest was not checked: $(cat out)"

echo "order and repetition"
says "; files are in the order of their games" "$data" merge run/shard-00000[3].h5 run/shard-000000.h5 -o sorted.h5 -q
! grep -q "numbered anew" out || fail "numbered anew: $(cat out)"
"$data" merge run/shard-00000[03].h5 -o rising.h5 -q > out
cmp sorted.h5 rising.h5 || fail "another order of files gave other bytes"
says "; files are in the order" "$data" vds run/shard-000002.h5 run/shard-000001.h5 -o sorted-views.h5 -q
says "0 faults" "$data" verify sorted-views.h5 sorted.h5 -q
expect 0 "are the same file" "$data" merge run run/shard-000001.h5 -o twice.h5 -q
grep -q "numbered anew" out || fail "a file twice: $(cat out)"

echo "PDN"
[ "$(grep -c '^\[Event ' one.pdn)" = 70 ] || fail "expected 70 games in PDN"
"$data" pdn run --games 10-19 -o ten.pdn -q > out
[ "$(grep -c '^\[Event ' ten.pdn)" = 10 ] || fail "expected 10 games"
[ "$(grep -m 1 '^\[Round ' ten.pdn)" = '[Round "10"]' ] || fail "expected game 10 first"
"$data" pdn run --result draw -q > out
[ "$(grep -c '^\[Result "1/2-1/2"' out)" = "$("$data" info run -q --json | sed -n 's/^    "draw": \([0-9]*\),*/\1/p')" ] ||
    fail "drawn games"
drawn=$(grep -c '^\[Result ' out)
"$data" pdn run --result white,black -q > out
[ "$(grep -c '^\[Result ' out)" = $((70 - drawn)) ] || fail "games that were won"
says '"games": 1' "$data" pdn run --limit 1 -o first.pdn -q --json
says "first.pdn: 1 game" "$data" pdn run --limit 1 -o first.pdn -q
"$data" pdn run --limit 3 --plies 20- -q > out
[ "$(grep -c '^\[Event ' out)" = 3 ] || fail "expected 3 games"
# They are read back, move by move; games that ended by a limit can be gone on with.
"$bin/huff-selfplay" run.yaml -o short -q --set adjudication.max_plies=12 > out
"$data" pdn short -o short.pdn -q > out
"$bin/huff-match" --variant italian --engine name=a --engine name=b --depth 1 --games 40 --openings short.pdn -q > out 2> err ||
    fail "PDN is not read: $(cat err)"
grep -q "^Games: 40" out || fail "PDN is not read: $(cat out)"

echo "sample"
says "0 faults" "$data" verify one.h5 -q
"$data" sample run -o all.h5 -q --json > all.json
grep -q "\"positions\": $positions," all.json || fail "all positions: $(cat all.json)"
says "0 faults" "$data" verify all.h5 -q
"$data" sample run -o some.h5 --ply 10-40 --quiet-only --skip-random --per-game 5 --unique --per-pieces 15 -q > out
says "0 faults" "$data" verify some.h5 -q
"$data" sample run -o same.h5 --ply 10-40 --quiet-only --skip-random --per-game 5 --unique --per-pieces 15 -q > out
cmp some.h5 same.h5 || fail "the same choice gave other positions"
"$data" sample run -o seed.h5 --ply 10-40 --quiet-only --skip-random --per-game 5 --unique --per-pieces 15 --seed 2 -q > out
! cmp -s some.h5 seed.h5 || fail "another seed gave the same positions"
says '"quiet_only":true' "$data" info some.h5 -q
"$data" sample doubled.h5 -o once.h5 --drop-duplicates -q --json | grep '"chosen"' > out
"$data" sample different.h5 -o different-all.h5 -q --json | grep '"chosen"' > expected
cmp out expected || fail "duplicates left out by sample and by merge: $(cat out expected)"
echo "epochs: 1" > fit.yaml
"$bin/huff-tune" fit fit.yaml all.h5 -o all.weights -q > out 2> err || fail "huff-tune: $(cat err)"
expect 1 "holds chosen positions" "$data" pdn all.h5 -q
expect 1 "holds chosen positions" "$data" stats all.h5 -q
expect 1 "one holds whole games, the other chosen positions" "$data" merge all.h5 one.h5 -o x.h5 -q
expect 1 "is left by this choice" "$data" sample run -o x.h5 --ply 5000- -q

echo "stats"
"$data" stats run italian -q > stats.txt
grep -Eq "^games +70 +20$" stats.txt || fail "stats: $(cat stats.txt)"
grep -q "openings, after 2 plies" stats.txt || fail "stats: $(cat stats.txt)"
says '"variant": "russian"' "$data" stats run other --together --json -q
grep -q '"games": 90' out || fail "together: $(cat out)"

echo "what goes wrong"
expect 1 "holds games of italian, but" "$data" merge run italian -o x.h5 -q
expect 1 "holds games of russian, not of thai" "$data" stats run --variant thai -q
expect 2 "expected -o FILE" "$data" merge run
expect 2 "expected a dataset" "$data" merge -o x.h5
expect 2 "--ply: expected 0..65535" "$data" sample run -o x.h5 --ply 3-x
expect 2 "--ply: 9 is more than 4" "$data" sample run -o x.h5 --ply 9-4
expect 2 "--ply: expected a range" "$data" sample run -o x.h5 --ply -
expect 2 "--share: expected 0..1" "$data" sample run -o x.h5 --share 2
expect 2 "--result: expected" "$data" pdn run --result won
expect 2 "--json goes with -o" "$data" pdn run --json
expect 1 "none of 70 games is left by this choice" "$data" pdn run --plies 3-4 -q
expect 1 "none of 70 games is left by this choice" "$data" pdn run --plies 3-4 -o x.pdn -q
expect 2 "--termination: no" "$data" pdn run --termination never
expect 1 "No such file or directory" "$data" merge run -o no/folder/x.h5 -q
expect 1 "No such file or directory" "$data" pdn run -o no/folder/x.pdn -q
got=0
"$data" info run -q > /dev/full 2> err || got=$?
{ [ "$got" = 1 ] && grep -q "cannot write standard output" err; } || fail "full disk: exit code $got: $(cat err)"
# No file that is opened becomes a standard output that is closed.
got=0
"$data" merge run -o closed.h5 -q >&- 2> err || got=$?
{ [ "$got" = 1 ] && grep -q "cannot write standard output" err; } || fail "closed output: exit code $got: $(cat err)"
cmp one.h5 closed.h5 || fail "what was printed went into the dataset"
if mkdir small 2> err && mount -t tmpfs -o size=16k tmpfs small 2> err; then
    echo "a full disk"
    trap 'end_jobs; umount "$work/small"; rm -rf "$work"' EXIT
    expect 1 "small/x.h5: " "$data" merge run -o small/x.h5 -q
    grep -q "No space left on device" err || fail "full disk: $(cat err)"
    expect 1 "small/x.pdn: cannot write: No space left on device" "$data" pdn run other -o small/x.pdn -q
    [ -z "$(ls small)" ] || fail "a full disk: $(ls small) is left over"
fi

echo "what is there and must stay"
mkfifo pipe
ln -s pipe to-pipe
mkdir folder
for output in pipe to-pipe folder; do
    for command in "merge run" "vds run" "sample run" "pdn run"; do
        # shellcheck disable=SC2086
        expect 1 "$output: is not a regular file" "$data" $command -o $output -q
    done
done
{ [ -p pipe ] && [ -L to-pipe ] && [ -d folder ]; } || fail "a pipe, a link or a folder was replaced"
for command in "merge run" "vds run" "sample run" "pdn run"; do
    # shellcheck disable=SC2086
    expect 1 "expected the name of a file" "$data" $command -o "" -q
    # shellcheck disable=SC2086
    expect 1 "no/folder/x.h5: " "$data" $command -o no/folder/x.h5 -q
    ! grep -q "tmp-" err || fail "names a file that the user did not: $(cat err)"
done
(cd run && sha256sum ./* > ../run.sums)
sha256sum one.h5 > one.sum
ln -s one.h5 link.h5
ln one.h5 hard.h5
ln -s run other-run
"$data" vds one.h5 -o view.h5 -q > out
for command in merge sample pdn; do
    for output in one.h5 link.h5 ./hard.h5; do
        expect 1 "$output: is read from" "$data" $command one.h5 -o $output -q
    done
    expect 1 "one.h5: is read from (by way of view.h5)" "$data" $command view.h5 -o one.h5 -q
    expect 1 "run/shard-000001.h5: is read from" "$data" $command run -o run/shard-000001.h5 -q
    for name in shard-000009.h5 manifest.json shards.sha256 start.weights status.json shard-000000.journal; do
        expect 1 "is a file of the run in that folder" "$data" $command run -o run/$name -q
        expect 1 "is a file of the run in that folder" "$data" $command one.h5 -o other-run/$name -q
    done
done
expect 1 "run/shard-000000.h5: is read from" "$data" vds run -o run/shard-000000.h5 -q
expect 1 "run/start.weights: is a file of the run" "$bin/huff-tune" fit fit.yaml run -o run/start.weights -q
expect 1 "one.h5: is read from" "$bin/huff-tune" fit fit.yaml one.h5 -o one.h5 -q
expect 1 "fit.yaml: is read from" "$bin/huff-tune" fit fit.yaml one.h5 -o fit.yaml -q
expect 1 "is a file of the run" "$bin/huff-selfplay" book --variant russian --plies 1 -o run/start.book -q
# Matches and loops are runs, too.
"$bin/huff-match" --variant russian --engine name=a --engine name=b --depth 1 --games 2 -o match -q > out
mkdir -p loop/gen-001 && cp match/manifest.json loop
for name in match/games.journal match/report.txt match/a.stderr loop/config.yaml loop/accepted.weights.gz \
    loop/gen-001/record.json loop/gen-001/new.weights.gz; do
    expect 1 "$name: is a file of the run in that folder" "$data" fen one.h5 -o $name -q
done
expect 2 "is a file of the run" "$bin/huff-match" --variant russian --engine name=a --engine name=b --depth 1 --games 2 \
    --pdn match/games.journal -q
"$bin/huff-match" --resume match -q > out || fail "a match was changed"
"$data" fen one.h5 -o match/mine.fen -q > out 2> err || fail "a file of our own beside those of a match: $(cat err)"
(cd run && sha256sum --check --quiet ../run.sums) || fail "a run was changed"
sha256sum --check --quiet one.sum || fail "an input was changed"
# A link stays one; another name in a run's folder is free.
touch real.h5
ln -s real.h5 to-real.h5
"$data" merge run -o to-real.h5 -q > out
{ [ -L to-real.h5 ] && cmp real.h5 one.h5; } || fail "a link was replaced"
"$data" pdn run -o run/games.pdn -q > out

echo "interrupted while it writes"
"$data" pdn doubled.h5 doubled.h5 > pipe 2> err & pid=$!
exec 3< pipe
head -c 100 <&3 > out
kill -INT $pid
cat <&3 > out
got=0
wait $pid || got=$?
{ [ "$got" = 1 ] && grep -q "huff-data: interrupted" err; } || fail "interrupted: exit code $got: $(cat err)"

{ [ ! -e x.h5 ] && [ ! -e x.pdn ]; } || fail "a refused command left a file"
nothing_left "all of it"

echo "done"
