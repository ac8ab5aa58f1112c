#!/usr/bin/env bash
# tuner.sh BIN -- huff-tune from self-play games to weights: same bytes for any threads, what it says, refusals.
set -euo pipefail
bin=$(cd "${1:?folder of the built programs}" && pwd)
tune=$bin/huff-tune
config=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)/configs/fit-default.yaml
work=$(mktemp -d)
# shellcheck source=tests/jobs.sh
. "$(dirname "${BASH_SOURCE[0]}")/jobs.sh"
trap 'end_jobs; rm -rf "$work"' EXIT
cd "$work"

fail() {
    echo "tuner.sh: $*" >&2
    exit 1
}

# run CODE ARGUMENT...: huff-tune with standard output in `out`, standard error in `err`.
run() {
    local wanted=$1 code=0
    shift
    "$tune" "$@" >out 2>err || code=$?
    [ "$code" -eq "$wanted" ] || fail "exit $code instead of $wanted: $* -- $(cat out err)"
}

says() { grep -qE -- "$1" out || fail "no line \"$1\" in: $(cat out)"; }
warns() { grep -qE -- "warning: $1" err || fail "no warning \"$1\" in: $(cat err)"; }

# refuses CODE "text" ARGUMENT...: one line on standard error that has the text, and no file is written.
refuses() {
    local code=$1 text=$2
    shift 2
    run "$code" "$@" -q
    grep -qF -- "$text" err || fail "no \"$text\": $* -- $(cat err)"
    [ "$(grep -vc '^Try ' err)" = 1 ] || fail "more than one line: $* -- $(cat err)"
    [ ! -e bad.weights ] || fail "a file was written: $*"
}

play() {
    printf 'variant: %s\nweights: material\ngames: %d\nseed: 3\nnodes: 100\nshard_games: 100\nopening:\n  random_plies: 6\n' \
        "$2" "$3" >"$1.yaml"
    "$bin/huff-selfplay" "$1.yaml" -o "$1" -q >/dev/null
}
play games spanish 400
play other italian 20
play few american+free 60

# ---- fit: the same bytes for any number of threads, and from the files as from their folder
run 0 fit "$config" games -o one.weights --threads 1
says '^spanish: 400 games, [0-9]+ positions; starting from material alone$'
says '^  train +[0-9]+ games +[0-9]+ positions chosen; White won [0-9]+, drew [0-9]+, lost [0-9]+$'
says '^    1 +[0-9]+ +0\.[0-9]{5} +0\.[0-9]{5} +[0-9]{2}\.[0-9]{2}% \*$'
says '^ended with epoch [0-9]+; epoch [1-9][0-9]* is kept$'
says '^validation loss 0\.[0-9]{5}, with material 0\.[0-9]{5}: [0-9.]+% lower$'
says '^weights written to one\.weights$'
warns '[0-9]+ training games with [0-9]+ positions are few for [0-9]+ weights'
warns '[0-9]+ validation games are few'
run 0 fit "$config" games -o two.weights --threads 2 -q
cmp one.weights two.weights || fail "two threads gave other weights than one"
[ ! -s err ] || fail "-q is not quiet: $(cat err)"
run 0 fit "$config" games/shard-*.h5 -o files.weights -q
cmp one.weights files.weights || fail "the files gave other weights than their folder"
run 0 fit "$config" games -o seed.weights -q --seed 9 --set batch=512
! cmp -s one.weights seed.weights || fail "another order of positions gave the same weights"
grep -qx 'variant spanish' one.weights || fail "not weights of spanish: $(head -2 one.weights)"
awk '$1 == "MAN" && $2 == 0 { for (k = 3; k <= 5; k++) if ($k < 500 || $k > 2000) exit 1; found = 1 }
    END { exit !found }' one.weights || fail "a man is not worth about 100 centipawns: $(grep '^MAN ' one.weights)"

run 0 fit "$config" games -o json.weights --json -q
cmp one.weights json.weights || fail "--json gave other weights"
says '"variant": "spanish"'
says "\"sha256\": \"$(sha256sum <one.weights | cut -d' ' -f1)\""
says '"validation_loss": 0\.[0-9]+'
says '[0-9]+ validation games are few'

# Fitted weights to start from, under their house rule as well.
run 0 fit "$config" games -o next.weights -q --set start=one.weights
says '^validation loss 0\.[0-9]{5}, with one\.weights 0\.[0-9]{5}'
run 0 fit "$config" few -o free.weights -q --variant american+free
grep -qx 'variant american' free.weights || fail "weights of american+free are not those of american"

# Full batches; draws apart.
run 0 fit "$config" games -o full.weights --set method=lbfgs --set epochs=300 --set patience=300 --set l2.PATTERN=1e9
says '^converged with epoch [0-9]+; epoch [1-9][0-9]* is kept$'
run 0 fit "$config" games -o short.weights --set method=lbfgs --set epochs=3
warns 'not converged after 3 iterations'
run 0 fit "$config" games -o ordered.weights --set draws=ordered
says '^with a lead of [0-9]+ centipawns half of the games are won$'
# All of these games begin from one opening; with a book, parts differ from those by game.
refuses 1 'no validation positions in 400 games: more openings are needed' fit "$config" games -o bad.weights --set split=opening
printf 'variant: spanish\ngames: 200\nseed: 3\nnodes: 20\nopening:\n  book: all:3\n  random_plies: 4\n' >booked.yaml
"$bin/huff-selfplay" booked.yaml -o booked -q >/dev/null
run 0 fit "$config" booked -o bygame.weights --set epochs=2
sed -n 's/^  \([a-z]* *[0-9]* games\).*/\1/p' out >bygame
run 0 fit "$config" booked -o byopening.weights --set epochs=2 --set split=opening
sed -n 's/^  \([a-z]* *[0-9]* games\).*/\1/p' out >byopening
! cmp -s bygame byopening || fail "the same parts by opening as by game: $(cat bygame)"
run 0 eval byopening.weights booked --part test --split opening
says "positions of $(sed -n 's/^test *\([0-9]* games\)$/\1/p' byopening) \(test\)$"

# What the user is warned of.
run 0 fit "$config" games -o heart.weights --set rate=0.2 --set l2.PATTERN=0 --set lambda=0
warns 'the validation loss has risen from 0\.[0-9]+ in epoch [0-9]+ to 0\.[0-9]+'
"$bin/huff-data" sample games --score 400- -o ahead.h5 -q >/dev/null
run 0 fit "$config" ahead.h5 -o decided.weights
warns '[0-9]+% of the training positions are decided, with scores beyond 600'

# ---- show and eval
run 0 show one.weights
says '^pieces +24 +12 +0$'
says '^MAN +[0-9]+\.[0-9] +[0-9]+\.[0-9] +[0-9]+\.[0-9]  a man$'
says '^MAN_SQUARE: a man on a square, on top of its value, with 12 pieces on the board$'
says '^PATTERN: .*; [0-9]+ weights are not 0, the largest:$'
[ "$(grep -cE '^ +[1-8] ' out)" = 48 ] || fail "not six boards of eight rows: $(cat out)"
[ "$(grep -cE '^ +8( +\.){4} *$' out)" -ge 3 ] || fail "men stand on their crowning row: $(cat out)"
run 0 show one.weights --json
says '"MAN": \['
run 1 show default
grep -q 'default: of which variant?' err || fail "$(cat err)"
run 0 show default --variant russian
says '^KING '
# Whatever the part, its scale is that of the training games.
for part in train validation all test; do
    run 0 eval one.weights games --part $part --json
    sed -n 's/.*"centipawns_per_logit": \([0-9.]*\).*/\1/p' out
done >scales
[ "$(sort -u scales | wc -l)" = 1 ] && [ "$(wc -l <scales)" = 4 ] || fail "scales: $(cat scales)"
run 0 eval one.weights games --part test
says '^one\.weights on spanish: [0-9]+ positions of [0-9]+ games \(test\)$'
says '^loss 0\.[0-9]{5}, of material alone 0\.[0-9]{5}; [0-9]+ centipawns make a logit$'
says '^0\.\.24 +[0-9]+ +[0-9.]+% +[0-9.]+% +[0-9.]+% +0\.[0-9]{5}$'
run 0 eval one.weights games --json -q
says '"by_pieces": \['
says '"games": 400'

# ---- Ctrl-C keeps the best weights so far
"$tune" fit "$config" games -o stopped.weights --set epochs=100000 --set patience=100000 >out 2>err &
pid=$!
until grep -qE '^ +2 ' out; do
    kill -0 $pid 2>/dev/null || fail "the fit ended by itself: $(cat out err)"
    sleep 0.05
done
kill -INT $pid
code=0
wait $pid || code=$?
[ "$code" -eq 1 ] || fail "exit $code instead of 1 after an interrupt"
cp out out.stopped
grep -qE '^interrupted after epoch [0-9]+; epoch [0-9]+ is kept$' out || fail "$(cat out)"
grep -qF 'interrupted: stopped.weights holds the best weights so far' err || fail "$(cat err)"
run 0 show stopped.weights
refuses 1 'stopped.weights.state: a fit was stopped here; --resume goes on with it' \
    fit "$config" games -o stopped.weights
echo half >stopped.weights.state.tmp-1-0  # what a kill leaves
epochs=$(($(sed -n 's/^interrupted after epoch \([0-9]*\);.*/\1/p' out.stopped) + 2))
run 0 fit "$config" games -o stopped.weights --resume --set epochs=$epochs --set patience=100000 -q
run 0 fit "$config" games -o straight.weights --set epochs=$epochs --set patience=100000 -q
cmp stopped.weights straight.weights || fail "a fit that was stopped and went on found other weights"
[ -z "$(find . -name 'stopped.weights.state*')" ] || fail "a complete fit left its state behind: $(ls)"
refuses 1 'stopped.weights.state: No such file' fit "$config" games -o stopped.weights --resume

# ---- refusals
refuses 2 'expected -o FILE' fit "$config" games
refuses 2 'expected datasets' fit "$config" -o bad.weights
refuses 2 'expected train, validation, test or all, got "all of it"' eval one.weights games --part 'all of it'
refuses 1 'games: holds games of spanish, not of italian' fit "$config" games -o bad.weights --variant italian
refuses 1 'games: holds games of spanish, not of italian' eval one.weights games --variant italian
refuses 2 'no "italic"' fit "$config" games -o bad.weights --variant italic
refuses 2 'no "italic"' eval one.weights games --variant italic
refuses 1 'holds games of italian, but games/shard-000000.h5 holds games of spanish' \
    fit "$config" games other -o bad.weights
refuses 1 'nowhere: No such file' fit "$config" nowhere -o bad.weights
mkdir empty
refuses 1 'empty: no shards' fit "$config" empty -o bad.weights
head -c 20000 games/shard-000000.h5 >cut.h5
refuses 1 'cut.h5: ' fit "$config" cut.h5 -o bad.weights
"$bin/huff-data" sample games --result draw -o draws.h5 -q >/dev/null
refuses 1 'training games are draws: there is nothing to learn from them' fit "$config" draws.h5 -o bad.weights
"$bin/huff-data" sample games --result white -o white.h5 -q >/dev/null
refuses 1 'White wins all ' fit "$config" white.h5 -o bad.weights
run 0 fit "$config" games games -o doubled.weights
warns 'games/shard-000000.h5 and games/shard-000000.h5: are the same file, and its games count twice'
sed 's/^terms .*/terms 0123456789abcdef/' one.weights >terms.weights
sed 's/$/\r/' one.weights >crlf.weights
refuses 1 'crlf.weights:1: lines end with CR LF' show crlf.weights
refuses 1 'terms.weights:3: ' fit "$config" games -o bad.weights --set start=terms.weights
refuses 1 'terms.weights:3: ' eval terms.weights games

# Damage that needs a hand in the files: VERSION, a NAN or contradicting label, a result that the game has not.
"$bin/huff-data" sample games --unique -o unique.h5 -q >/dev/null
if /usr/bin/python3 - <<'PY'; then
import sys
try:
    import h5py, shutil
except ImportError:
    sys.exit(1)
def damage(name, source, change):
    shutil.copyfile(source, name)
    with h5py.File(name, "r+") as file:
        change(file)
def label(value, row=None):
    def change(file):
        seen = file["labels/seen"][:]
        at = row if row is not None else int((seen == 1).argmax())
        file["labels/expected"][at] = value(file["positions/result"][at])
    return change
def result(file):
    file["positions/result"][5] = (file["positions/result"][5] + 2) % 3 - 1
def nothing(file):
    for group in ("positions", "labels", "games"):
        for column in file[group].values():
            column.resize((0,))
damage("none.h5", "unique.h5", nothing)
damage("version.h5", "unique.h5", lambda file: file.attrs.modify("format_version", 99))
damage("nan.h5", "unique.h5", label(lambda result: float("nan"), 7))
damage("contrary.h5", "unique.h5", label(lambda result: 0 if result == 1 else 1))
damage("result.h5", "unique.h5", result)
PY
    run 0 fit "$config" unique.h5 -o unique.weights -q
    refuses 1 'none.h5: no positions in it' fit "$config" none.h5 -o bad.weights
    refuses 1 'version.h5: ' fit "$config" version.h5 -o bad.weights
    grep -q 'version 99' err || fail "$(cat err)"
    refuses 1 'position 7: its label, nan points a game' fit "$config" nan.h5 -o bad.weights
    refuses 1 'contradicts its result' fit "$config" contrary.h5 -o bad.weights
    refuses 1 'position 5: result ' fit "$config" result.h5 -o bad.weights
else
    echo "tuner.sh: without python3-h5py nothing is damaged by hand" >&2
fi
echo "not a dataset" >text.h5
refuses 1 'text.h5: ' fit "$config" text.h5 -o bad.weights
refuses 1 'is left by the choice of samples' fit "$config" games -o bad.weights --set sample.skip_plies=9999
refuses 2 '--set lambda: expected 0..1, got "2"' fit "$config" games -o bad.weights --set lambda=2
refuses 2 '--set epochs: expected 1..100000, got "-1"' fit "$config" games -o bad.weights --set epochs=-1
refuses 2 '--set l2.KING: expected 0..1000000000, got "-1"' fit "$config" games -o bad.weights --set l2.KING=-1
refuses 2 '--set buffer: expected 524288..1073741824, got "1000"' fit "$config" games -o bad.weights --set buffer=1000
refuses 2 '--set lamda: unknown key' fit "$config" games -o bad.weights --set lamda=1
refuses 1 'free.weights:2: these are weights of american, not of spanish' \
    fit "$config" games -o bad.weights --set start=free.weights
refuses 1 'free.weights:2: these are weights of american, not of spanish' eval free.weights games
refuses 1 'nowhere/bad.weights' fit "$config" games -o nowhere/bad.weights
refuses 1 'text.h5:1: not a file of weights' show text.h5
refuses 1 'one.weights:2: these are weights of spanish, not of russian' show one.weights --variant russian
if "$tune" show one.weights >/dev/full 2>err; then fail "a full disk went unnoticed"; fi
grep -q 'cannot write standard output' err || fail "$(cat err)"
