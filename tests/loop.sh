#!/usr/bin/env bash
# loop.sh BIN -- huff-tune loop from nothing to weights: stopped and killed on the way it ends as when left alone;
# what it says, what it refuses. And huff-tune show and curve on what it made.
set -euo pipefail
bin=$(cd "${1:?folder of the built programs}" && pwd)
tune=$bin/huff-tune
configs=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)/configs
work=$(mktemp -d)
# shellcheck source=tests/jobs.sh
. "$(dirname "${BASH_SOURCE[0]}")/jobs.sh"
trap 'end_jobs; rm -rf "$work"' EXIT
cd "$work"

fail() {
    echo "loop.sh: $*" >&2
    exit 1
}

# run CODE ARGUMENT...: huff-tune loop with standard output in `out`, standard error in `err`.
run() {
    local wanted=$1 code=0
    shift
    "$tune" loop "$@" >out 2>err || code=$?
    [ "$code" -eq "$wanted" ] || fail "exit $code instead of $wanted: $* -- $(cat out err)"
}

says() { grep -qE -- "$1" out || fail "no line \"$1\" in: $(cat out)"; }
tells() { grep -qF -- "$1" err || fail "no \"$1\" in: $(cat err)"; }

# refuses CODE "text" ARGUMENT...: one line on standard error that has the text, and no folder is made.
refuses() {
    local code=$1 text=$2
    shift 2
    run "$code" "$@"
    tells "$text"
    [ "$(grep -vc '^Try ' err)" = 1 ] || fail "more than one line: $* -- $(cat err)"
    [ ! -e bad ] || fail "a folder was made: $*"
}

cat >loop.yaml <<'END'
variant: spanish
generations: 2
threads: 1
selfplay:
  games: 120
  nodes: 60
  shard_games: 20
  opening: {random_plies: 6}
fit:
  epochs: 12
  patience: 12
gate:
  games: 120
  nodes: 60
final:
  games: 20
  nodes: 60
END

# ---- left alone
run 0 loop.yaml -o whole
says '^gen +games +positions .* weights +seconds$'
says '^  1 +120 +[0-9]+ .* no +[+-]?[0-9.]+ \+/- [0-9.]+ +[0-9.]+% (accepted|kept) +[0-9]+$'
says '^  2 +120 +[0-9]+ .* yes +[+-]?[0-9.]+ \+/- [0-9.]+ +[0-9.]+% (accepted|kept) +[0-9]+$'
says '^Elo against material: [+-]?[0-9.]+ \+/- [0-9.]+ in 20 games'
says '^accepted weights: whole/accepted\.weights\.gz$'
tells 'generation 1 of 2: games by start'
tells 'generation 1 of 2: fit to the games of generation 1, without patterns'
tells 'generation 2 of 2: fit to the games of generation 2, with patterns'
"$bin/huff-data" verify -q whole/gen-001/games >verified || fail "$(cat verified)"
grep -q '^120 games' verified || fail "$(cat verified)"
grep -q '^Games: 120,' whole/gen-002/gate/report.txt || fail "$(cat whole/gen-002/gate/report.txt)"
[ "$(wc -l <whole/generations.tsv)" = 3 ] || fail "$(cat whole/generations.tsv)"
last=start.weights.gz
for generation in 001 002; do
    ! grep -q '"accepted": true' whole/gen-$generation/record.json || last=gen-$generation/new.weights.gz
done
cmp whole/$last whole/accepted.weights.gz || fail "the accepted weights are not those of whole/$last"
for generation in 001 002; do
    zcat whole/gen-$generation/new.weights.gz >$generation.weights
done
! grep -q '^PATTERN' 001.weights || fail "generation 1 has patterns"
grep -q '^PATTERN' 002.weights || fail "generation 2 has no patterns"
"$tune" show whole/gen-002/new.weights.gz --support whole/gen-002/support.json >out || fail "$(cat out)"
says '^PATTERN: .* were seen less than 5 times\), the largest:$'
"$tune" show whole/gen-002/new.weights.gz --versus whole/gen-001/new.weights.gz \
    --support whole/gen-002/support.json >out || fail "$(cat out)"
says ': [0-9]+ changed$'
says '^MAN +[0-9]+\.[0-9] .* -> .* +[0-9]+$'
says '^MAN_SQUARE: [0-9]+ changed, by [0-9]+\.[0-9] on average; the largest:$'
says '^PATTERN [a-h][1-8]-[a-h][1-8] ([.ox]{2}/){3}[.ox]{2} +0\.0 +0\.0 +0\.0   -> +[-0-9.]+ +[-0-9.]+ +[-0-9.]+ +[1-9][0-9]*$'
if "$tune" show whole/gen-002/new.weights.gz --support whole/gen-001/support.json 2>err; then
    fail "the support of other weights was taken"
fi
tells 'whole/gen-001/support.json: is about other weights'

# ---- stopped and killed on the way: games, a fit, games again, a match
# send SIGNAL PATH ARGUMENT...: starts a loop and sends the signal as soon as there is something in the file; `code` is
# its exit code. False: it ended before.
send() {
    local signal=$1 path=$2 pid sent=yes
    shift 2
    "$tune" loop "$@" >out 2>err &
    pid=$!
    until [ -s "$path" ] || ! kill -0 $pid 2>/dev/null; do sleep 0.02; done
    kill -"$signal" $pid 2>/dev/null || sent=no
    code=0
    wait $pid 2>/dev/null || code=$?
    [ $sent = yes ]
}
# disturb SIGNAL PATH LATE ARGUMENT...: so, and begins anew when it comes too late on a busy machine, with LATE there.
disturb() {
    local signal=$1 path=$2 late=$3
    shift 3
    rm -rf before
    [ ! -e disturbed ] || cp -r disturbed before
    for _ in {1..20}; do
        if send "$signal" "$path" "$@" && [ ! -e "$late" ]; then return; fi
        rm -rf disturbed
        [ ! -e before ] || cp -r before disturbed
    done
    fail "20 times it could not be stopped between $path and $late: $(cat out err)"
}
disturb KILL disturbed/gen-001/games/shard-000001.h5 disturbed/gen-001/games/shard-000005.h5 loop.yaml -o disturbed -q
[ "$code" = 137 ] || fail "exit $code after SIGKILL"
refuses 1 'disturbed: exists already; to go on with a loop: --resume disturbed' loop.yaml -o disturbed
disturb KILL disturbed/gen-001/new.weights.gz.state disturbed/gen-001/new.weights.gz --resume disturbed -q
disturb INT disturbed/gen-002/games/shard-000000.h5 disturbed/gen-002/games/shard-000005.h5 --resume disturbed --threads 2
[ "$code" = 1 ] || fail "exit $code after SIGINT"
tells 'stopped in generation 2; to go on: huff-tune loop --resume disturbed'
disturb KILL disturbed/gen-002/gate/games.journal disturbed/gen-002/gate/report.txt --resume disturbed -q --threads 2
echo "damaged" >disturbed/accepted.weights.gz
echo "half written" >disturbed/gen-001/new.weights.gz.state.tmp-1-0
run 0 --resume disturbed --threads 2
says '^  1 +120 '
says '^  2 +120 '
for file in accepted.weights.gz gen-002/support.json gen-001/new.weights.gz gen-002/new.weights.gz gen-001/gate/report.txt \
    gen-002/gate/report.txt gen-002/final/report.txt gen-002/games/shard-000005.h5; do
    cmp whole/$file disturbed/$file || fail "$file is another one after the kills"
done
cut -f 17 --complement whole/generations.tsv >one
cut -f 17 --complement disturbed/generations.tsv >other
cmp one other || fail "another table after the kills: $(cat one other)"
[ -z "$(find disturbed -name '*.state*')" ] || fail "a complete fit left its state behind"

# ---- what was changed by hand is noticed
cp -r disturbed changed
echo "lambda: 0.3" >>changed/config.yaml
refuses 1 'changed/config.yaml: was changed after the loop began' --resume changed
rm changed/config.yaml
cp changed/gen-001/new.weights.gz changed/gen-002/new.weights.gz
cp changed/gen-001/new.weights.gz changed/accepted.weights.gz
refuses 1 'changed/gen-002/new.weights.gz: not the weights that this loop made' --resume changed
cmp disturbed/config.yaml changed/config.yaml || fail "another configuration was put back"

# ---- the last weights are mended from the accepted ones, which no fault of other files touches; moved, it goes on
cp -r disturbed mended
echo damaged >mended/gen-002/new.weights.gz
echo damaged >mended/gen-001/new.weights.gz
run 0 --resume mended -q
cmp disturbed/gen-002/new.weights.gz mended/gen-002/new.weights.gz || fail "damaged weights were not mended"
refuses 1 'mended: 2 generations are done already, more than 1' --resume mended --set generations=1
cmp disturbed/accepted.weights.gz mended/accepted.weights.gz || fail "other weights are accepted"
cmp disturbed/generations.tsv mended/generations.tsv || fail "another table"
sed -i 's/"generation"/"generatio"/' mended/gen-001/record.json
refuses 1 'mended/gen-001/record.json: is not the record of generation 1' --resume mended
cmp disturbed/accepted.weights.gz mended/accepted.weights.gz || fail "other weights are accepted"
mv before moved  # stopped in the match of generation 2
run 0 --resume moved -q
cmp disturbed/accepted.weights.gz moved/accepted.weights.gz || fail "other weights after a move"

# ---- one that is done says so again, and goes on when it is to have more generations
run 0 --resume whole -q
says '^  2 +120 '
[ ! -s err ] || fail "-q is not quiet: $(cat err)"
run 0 --resume whole --set generations=3 --json -q
says '"generation": 3'
says '"accepted": (true|false)'
says '"against": "material"'
[ "$(wc -l <whole/generations.tsv)" = 4 ] || fail "$(cat whole/generations.tsv)"

# ---- weights that must be better than they can be are not taken, and no final match is played
run 0 loop.yaml -o kept -q --set accept_los=1 --set gate.games=4 --set selfplay.games=60 --set final_match=no \
    --set generations=1 --seed 5 --variant american+free
says '^  1 +60 .* kept '
grep -qx '# --set selfplay.games=60' kept/config.yaml || fail "the configuration does not say all: $(cat kept/config.yaml)"
cmp kept/start.weights.gz kept/accepted.weights.gz || fail "weights were accepted against accept_los"
[ ! -e kept/gen-001/final ] || fail "a final match was played"
run 0 loop.yaml -o even --set accept_los=1 --set gate.games=4 --set selfplay.games=60 --set generations=1 --seed 5 \
    --variant american+free
tells 'no match against material: nothing better was found'
echo '{"generation": 2}' >even/gen-001/record.json
refuses 1 'even/gen-001/record.json: is not the record of generation 1' --resume even
run 0 loop.yaml -o tested -q --set gate.sprt.elo0=-1000 --set gate.sprt.elo1=-900 --set selfplay.games=60 \
    --set final_match=no --set generations=1
says '^  1 +60 .* accepted '
grep -q '"verdict": "H1"' tested/gen-001/record.json || fail "$(cat tested/gen-001/record.json)"

# ---- curve
"$tune" curve "$configs/fit-default.yaml" whole/gen-00?/games --set epochs=2 >out 2>err || fail "$(cat out err)"
says '^share +games +positions'
says '^ +1/8 +[0-9]+ +[0-9]+ +[0-9]+ +2 +0\.[0-9]{5} *$'
says '^ +1/4 +[0-9]+ +[0-9]+ +[0-9]+ +2 +0\.[0-9]{5} +[+-]0\.[0-9]{5} \+/- 0\.[0-9]{5}$'
says '^ +all +[0-9]+ +[0-9]+ +[0-9]+ +2 +0\.[0-9]{5} +[+-]0\.[0-9]{5} \+/- 0\.[0-9]{5}$'
says '^of material alone: 0\.[0-9]{5}$'
says '^(More games would help|More games would hardly help|Whether more games would help is unclear): the last doubling'
tells 'fit to 1/8 of the training games'
awk '$1 == "1/8" { eighth = $2 } $1 == "1/2" { half = $2 } $1 == "all" { all = $2 }
    END { exit !(eighth > 0 && eighth * 2 < half && half < all) }' out || fail "not shares of the games: $(cat out)"
"$tune" curve "$configs/fit-default.yaml" whole/gen-00?/games --set epochs=2 --threads 2 -q >other 2>err ||
    fail "$(cat err)"
cmp out other || fail "another curve by two threads"
[ ! -s err ] || fail "-q is not quiet: $(cat err)"
"$tune" curve "$configs/fit-default.yaml" whole/gen-00?/games --set epochs=1 --json -q >out || fail "$(cat out)"
says '"share": 0\.125'
says '"verdict": "(more would help|enough|unclear)"'
code=0
"$tune" curve "$configs/fit-default.yaml" --set lambda=7 nowhere >out 2>err || code=$?
[ "$code" = 2 ] || fail "exit $code"
tells '--set lambda: expected 0..1, got "7"'
code=0
"$tune" curve "$configs/fit-default.yaml" nowhere >out 2>err || code=$?
[ "$code" = 1 ] || fail "exit $code"
tells 'nowhere: No such file'

# ---- refusals
refuses 2 'expected a configuration file, or --resume RUN' -o bad
refuses 2 'expected -o RUN, the folder to make' loop.yaml
refuses 2 'nowhere.yaml: No such file' nowhere.yaml -o bad
refuses 2 'expected a regular file' /dev/null -o bad
refuses 2 'of the 3 games of generation 1 none would be left to validate with' loop.yaml -o bad --set selfplay.games=3
refuses 2 '--set gamse: unknown key, expected one of variant, generations' loop.yaml -o bad --set gamse=1
refuses 2 '--set selfplay.gamse: unknown key' loop.yaml -o bad --set selfplay.gamse=1
refuses 2 '--set accept_los: expected 0..1, got "2"' loop.yaml -o bad --set accept_los=2
refuses 2 '--set window: expected 1..999, got "0"' loop.yaml -o bad --set window=0
refuses 2 '--set variant: no "italic"' loop.yaml -o bad --set variant=italic
refuses 2 '--set fit.lambda: expected 0..1, got "2"' loop.yaml -o bad --set fit.lambda=2
refuses 2 '--set gate.games: expected an even number' loop.yaml -o bad --set gate.games=3
refuses 2 '--set gate.openings: expected start, random:PLIES' loop.yaml -o bad --set gate.openings=nowhere
refuses 2 '--set selfplay.seed: is said for all steps' loop.yaml -o bad --set selfplay.seed=3
refuses 2 'nowhere.weights: No such file' loop.yaml -o bad --set start=nowhere.weights
refuses 2 'nowhere.book: No such file' loop.yaml -o bad --set selfplay.opening.book=nowhere.book
refuses 2 'whole/accepted.weights.gz:2: these are weights of spanish, not of italian' \
    loop.yaml -o bad --set start=whole/accepted.weights.gz --variant italian
refuses 1 '/dev/full: is there and is not a folder' loop.yaml -o /dev/full/bad

# bad_config "text" LINE: a configuration with one more line is refused with this text.
bad_config() {
    { cat loop.yaml && printf '%b\n' "$2"; } >bad.yaml
    refuses 2 "$1" bad.yaml -o bad
}
bad_config 'bad.yaml:19: start: given twice' 'start: material\nstart: default'
bad_config 'bad.yaml:18: widnow: unknown key' 'widnow: 3'
bad_config 'bad.yaml:18: accept_los: expected a number, got "high"' 'accept_los: high'
bad_config 'bad.yaml:18: final.engines: is said for all steps' '  engines: [{name: a}, {name: b}]'
bad_config 'bad.yaml:18: final.nodse: unknown key' '  nodse: 3'
sed '/^  nodes: 60/d' loop.yaml >bad.yaml
refuses 2 'bad.yaml:5: selfplay.nodes: expected one of nodes, depth and movetime' bad.yaml -o bad
sed 's/^  games: 120/  games: 12o/' loop.yaml >bad.yaml
refuses 2 'bad.yaml:5: selfplay.games: expected a whole number, got "12o"' bad.yaml -o bad
sed '/^selfplay/,/^fit/d' loop.yaml >bad.yaml
run 2 bad.yaml -o bad
tells 'bad.yaml:'

refuses 1 'nowhere: No such file' --resume nowhere
refuses 2 'of a loop that has begun, only generations can change' --resume whole --set fit.lambda=1
refuses 2 'goes with --set generations=N' --resume whole --variant italian
sed -i 's/random_plies: 6/random_plies: 5/' disturbed/manifest.json
refuses 1 'disturbed/manifest.json: the configuration was changed' --resume disturbed
cp whole/gen-001/new.weights.gz kept/start.weights.gz
refuses 1 'kept/start.weights.gz' --resume kept
