#!/usr/bin/env bash
# import.sh BIN_FOLDER -- games of PDN become a dataset: all that is good in them, and what is not is named.
set -euo pipefail
bin=$(cd "${1:?folder of the built programs}" && pwd)
collection=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/data/pdn/collection
work=$(mktemp -d)
# shellcheck source=tests/jobs.sh
. "$(dirname "${BASH_SOURCE[0]}")/jobs.sh"
trap 'end_jobs; rm -rf "$work"' EXIT
cd "$work"
data=$bin/huff-data

fail() {
    echo "import.sh: $*" >&2
    exit 1
}

# expect CODE TEXT COMMAND...: it ends with that code and says so on standard error.
expect() {
    local code=$1 text=$2 got=0
    shift 2
    "$@" > out 2> err || got=$?
    [ "$got" = "$code" ] || fail "$*: exit code $got, expected $code: $(cat err)"
    grep -qF -- "$text" err || fail "$*: no \"$text\" in: $(cat err)"
}

# says TEXT COMMAND...: it succeeds, and standard output has that text.
says() {
    local text=$1
    shift
    "$@" > out 2> err || fail "$*: exit code $?: $(cat err)"
    grep -qF -- "$text" out || fail "$*: no \"$text\" in: $(cat out)"
}

# The moves of each game of a PDN file of ours on a line, after its outcome in words.
moves_of() { # FILE
    awk '/^\[/ { if ($1 == "[Termination") { outcome = tolower($0); gsub(/\[termination|[":\]]/, "", outcome) } next }
         { text = text " " $0 }
         / \*$|^\*$/ {
             gsub(/\{[^}]*\}|[0-9]+\.(\.\.)?|\*/, "", text)
             $0 = outcome text; $1 = $1; print; text = "" }' "$1"
}

# ---- a collection with faults ----

# Compares what was written and said with the table, for one variant and column (5: plain, 6: keep).
check_collection() { # VARIANT COLUMN
    awk -F '\t' -v variant="$1" -v column="$2" '
        !/^#/ && $1 ~ /^[0-9]/ { total += $4; if ($3 == variant && $column > 0) { games++; moves += $column } }
        END { printf "dataset: %d games, %d moves of %s\nlost: %d games, %d moves\n",
                     games, moves, variant, 30 - games, total - moves }' "$collection.txt" > expected
    sed -n '1p; s/^\(lost: [0-9]* games, [0-9]* moves\).*/\1/p' out > found
    cmp -s found expected || fail "$1: $(cat found), expected $(cat expected)"
    awk -F '\t' -v variant="$1" -v column="$2" '
        !/^#/ && $3 == variant && $column > 0 { print $7, $9 }' "$collection.txt" > expected
    "$data" pdn dataset -q > games.pdn
    moves_of games.pdn | sed 's/^\(draw\|white\|black\)[a-z ]* \([a-h0-9]*[0-9]\)/\1 \2/' > found
    cmp -s found expected || fail "$1: games are others: $(diff found expected)"
    awk -F '\t' -v variant="$1" -v column="$2" '
        /^#/ || $1 == "game" { next }
        { why = $8; sub(/^[@?]/, "", why); cut = $8 ~ /^@/ && $6 > 0 && column == 6 }
        $3 != variant { print "game " $1 " skipped: "; next }
        $column == 0 { print (cut ? "game " $1 " is read up to here: " : "game " $1 " skipped: ") why; next }
        $8 ~ /^\?/ { print "warning: game " $1 ": " why }
        cut { print "warning: game " $1 " is read up to here: " why }' "$collection.txt" > expected
    awk 'NR == FNR { said = said $0 "\n"; next } !index(said, $0) { print }' err expected > unsaid
    [ ! -s unsaid ] || fail "$1: no \"$(head -1 unsaid)\" in: $(cat err)"
    [ "$(wc -l < expected)" = "$(wc -l < err)" ] || fail "$1: more is said than expected: $(cat err)"
    # The line is in the game: not before its first, nor behind that of the next.
    sed -n 's/^[^ ]*collection\.pdn:\([0-9]*\): \(warning: \)*game \([0-9]*\)[: ].*/\1 \3/p' err > lines
    [ "$(wc -l < lines)" = "$(wc -l < err)" ] || fail "$1: a line without file, line and game: $(cat err)"
    awk -F '\t' '!/^#/ && $1 ~ /^[0-9]/ { print $2 }' "$collection.txt" > begins
    awk 'NR == FNR { begin[NR] = $1; next }
         $1 < begin[$2] || ($2 < 30 && $1 >= begin[$2 + 1]) { exit 1 }' begins lines ||
        fail "$1: a line that is not in its game: $(cat err)"
    says "0 faults" "$data" verify dataset -q
}

for variant in international american italian spanish russian brazilian frisian pool; do
    echo "a collection: $variant"
    for mode in 5 6; do
        rm -rf dataset
        # shellcheck disable=SC2046
        "$data" import "$collection.pdn" --variant $variant -o dataset $([ $mode = 5 ] || echo --keep-broken) \
            > out 2> err || fail "$variant: $(cat err)"
        check_collection $variant $mode
    done
done
# Without --variant the first game says what it is; a list of files is one dataset.
says "one.h5: 3 games" "$data" import "$collection.pdn" -o one.h5 -q
says "two.h5: 6 games" "$data" import "$collection.pdn" "$collection.pdn" -o two.h5 -q
[ ! -s err ] || fail "-q: $(cat err)"
says '"lost_games": 27' "$data" import "$collection.pdn" -o json.h5 -q --json
says '"name": "Ève Müller"' "$data" info one.h5 -q --json

# ---- there and back ----

play() { # RUN VARIANT
    cat > run.yaml <<END
variant: $2
games: ${HUFF_TEST_GAMES:-12}
seed: 7
nodes: ${HUFF_TEST_NODES:-30}
shard_games: 5
opening:
  random_plies: 3
adjudication:
  resign: moves=3,score=900
END
    "$bin/huff-selfplay" run.yaml -o "$1" -q > /dev/null
}

# What both datasets hold, column by column; what PDN has no room for apart.
cat > columns.py <<'END'
import sys
import h5py
files = [h5py.File(path) for path in sys.argv[1:]]
for group in "positions", "games", "openings":
    for name in files[0][group]:
        values = [file[group][name][:] for file in files]
        if not name.startswith("called") and not (values[0].shape == values[1].shape and (values[0] == values[1]).all()):
            sys.exit(f"{group}/{name} differs")
END
for variant in spanish italian brazilian russian czech american pool thai portuguese international frisian killer \
    american+free; do
    echo "there and back: $variant"
    play run $variant
    "$data" merge run -o run.h5 -q > out
    "$data" pdn run.h5 -q > run.pdn
    says "lost: 0 games, 0 moves" "$data" import run.pdn -o again.h5 --seed 7 --variant $variant
    [ ! -s err ] || fail "$variant: $(cat err)"
    "$data" pdn again.h5 -q > again.pdn
    cmp run.pdn again.pdn || fail "$variant: games are others: $(diff run.pdn again.pdn | head -20)"
    # Without --variant and GameType the moves tell which game it is, or which it may be.
    if [ $variant != american+free ]; then
        grep -v '^\[\(GameType\|Variant\) ' run.pdn > untold.pdn
        "$data" import untold.pdn -o untold.h5 > out 2> err || fail "$variant: $(cat err)"
        grep '^untold.pdn: no GameType; read as .*, whose rules allow \([0-9]*\) of \1 moves' err | grep -qw $variant ||
            fail "$variant is not told by its moves: $(cat err)"
    fi
    says "0 faults" "$data" verify again.h5 -q
    if /usr/bin/python3 -c "import h5py" 2> err; then
        /usr/bin/python3 columns.py run.h5 again.h5 || fail "$variant: other columns"
    fi
    rm -r run run.h5 again.h5
done

echo "shards"
play run russian
"$data" pdn run -q > run.pdn
says "shards/: ${HUFF_TEST_GAMES:-12} games" "$data" import - -o shards/ --shard-games 5 -q < run.pdn
says "0 faults" "$data" verify shards -q
(cd shards && sha256sum --quiet -c shards.sha256) || fail "checksums"
"$data" pdn shards -q > again.pdn
cmp run.pdn again.pdn || fail "shards: games are others"
"$data" import run.pdn -o same --shard-games 5 -q > out
! cmp -s shards/shard-000001.h5 same/shard-000001.h5 || fail "the configuration names the files that were read"
mkdir elsewhere
(cd elsewhere && cp ../run.pdn . && "$data" import run.pdn -o same --shard-games 5 -q > ../out)
cmp same/shard-000001.h5 elsewhere/same/shard-000001.h5 || fail "the same games gave other bytes"
rm same/shard-000001.h5
says "is missing" "$data" info same -q
says "$((2 * ${HUFF_TEST_GAMES:-12})) games" "$data" merge run shards -o merged.h5 -q
says "0 faults" "$data" verify merged.h5 -q
echo "epochs: 1" > fit.yaml
"$bin/huff-tune" fit fit.yaml merged.h5 -o fitted.weights -q > out 2> err || fail "huff-tune: $(cat err)"

# ---- draws and results ----

echo "draws"
shuffle="46-41 2-7 41-46 7-2"  # and the position is there again
{
    printf '[Event "no one claims"]\n[GameType "20"]\n[Result "2-0"]\n[FEN "W:WK46,31:BK2,20"]\n\n'
    printf '%s %s 31-26 20-25 *\n' "$shuffle" "$shuffle"
    printf '[Event "he claims"]\n[GameType "20"]\n[Result "1-1"]\n[FEN "W:WK46,31:BK2,20"]\n\n'
    printf '%s %s *\n' "$shuffle" "$shuffle"
    printf '[Event "late"]\n[GameType "20"]\n[Result "1-1"]\n[FEN "W:WK46,31:BK2,20"]\n\n'
    printf '%s %s 31-26 *\n' "$shuffle" "$shuffle"
    printf '[Event "in time trouble"]\n[GameType "20"]\n[Result "0-2"]\n[Termination "time"]\n\n32-28 *\n'
} > draws.pdn
says "draws.h5: 2 games, 9 moves" "$data" import draws.pdn -o draws.h5
grep -qF "draws.pdn:1: game 1 skipped: it goes on for 2 plies after a draw by the rules (repetition); see --draw" err ||
    fail "draws: $(cat err)"
"$data" pdn draws.h5 -q > games.pdn
moves_of games.pdn > found
grep -qx "draw repetition $shuffle $shuffle" found || fail "draws: $(cat found)"
grep -qx "black wins time 32-28" found || fail "draws: $(cat found)"
says "draws.h5: 3 games, 17 moves" "$data" import draws.pdn -o draws.h5 --keep-broken
grep -qF "game 3 is read up to ply 8, when it is a draw by the rules (repetition)" err || fail "draws: $(cat err)"
grep -qF "game 1 skipped: by the rules it is a draw (repetition), by its tags White wins" err || fail "draws: $(cat err)"
says "draws.h5: 4 games, 28 moves" "$data" import draws.pdn -o draws.h5 --draw none
says "0 faults" "$data" verify draws.h5 -q
"$data" pdn draws.h5 -q --termination "adjudicated win" > games.pdn
moves_of games.pdn > found
grep -qx "white wins adjudicated win $shuffle $shuffle 31-26 20-25" found || fail "draws: $(cat found)"
expect 1 "other draw rules" "$data" merge draws.h5 one.h5 -o x.h5 -q

echo "who has won"
printf '[GameType "21"]\n[Result "1-0"]\n11-15 *\n' > black.pdn
for left in first white; do
    "$data" import black.pdn -o left.h5 --pdn-result $left -q > out
    "$data" pdn left.h5 -q | grep Termination >> left.txt
done
printf '[Termination "Black wins: adjudicated win"]\n[Termination "White wins: adjudicated win"]\n' | cmp - left.txt ||
    fail "results: $(cat left.txt)"
printf '[GameType "24"]\n[Result "1-0"]\nc3-d4 {[%%eval 999.99]} f6-g5 {[%%eval -1.5] fine} *\n' > type.pdn
expect 1 "type.pdn: no game could be taken" "$data" import type.pdn -o x.h5 -q --variant russian
says "1 games, 2 moves" "$data" import type.pdn -o type.h5 -q --variant russian --any-game-type
says "1. c3-d4 {[%eval 300.00]} f6-g5 {[%eval -1.50]} *" "$data" pdn type.h5 -q

# ---- lists of positions ----

echo "positions"
"$data" fen run --games 3 -q > three.fen
"$data" pdn run --games 3 -q > three.pdn
[ "$(wc -l < three.fen)" = "$(sed -n 's/.*PlyCount "\(.*\)".*/\1/p' three.pdn)" ] || fail "positions of one game"
[ "$(sed -n 2p three.fen | cut -c1)" = B ] || fail "the side to move: $(sed -n 2p three.fen)"
"$data" fen run --ply 6 -q > six.fen
says '"positions": 5' "$data" fen run --limit 5 -o five.fen -q --json
expect 2 "--json goes with -o" "$data" fen run --limit 5 -q --json
[ "$(wc -l < six.fen)" = "${HUFF_TEST_GAMES:-12}" ] || fail "one position of each game"
says "unique.fen: $(sort -u six.fen | wc -l) positions" "$data" fen run --ply 6 --unique -o unique.fen -q
[ "$("$data" fen run --pieces 10 --limit 4 -q | tr -cd ',\n' | awk '{ print length($0) + 2 }' | sort -u)" = 10 ] || fail "pieces"
"$data" sample run -o sample.h5 --ply 9-20 --per-game 2 -q > out
says "sample.fen: $(sed -n 's/^sample.h5: \([0-9]*\) .*/\1/p' out) positions" "$data" fen sample.h5 -o sample.fen -q
"$bin/huff-match" --variant russian --engine name=a --engine name=b --depth 1 --games 4 --openings unique.fen -q > out 2> err ||
    fail "a list of positions for huff-match: $(cat err)"
"$bin/huff-selfplay" run.yaml -o from-list -q --set opening.book=unique.fen --set opening.random_plies=0 > out 2> err ||
    fail "a list of positions for huff-selfplay: $(cat err)"
"$data" fen from-list --ply 0 -q | sort -u | comm -13 <(sort unique.fen) - > others
[ ! -s others ] || fail "games from a list began elsewhere: $(cat others)"

# ---- what goes wrong ----

echo "what goes wrong"
expect 1 "none.pdn: No such file or directory" "$data" import none.pdn -o x -q
expect 1 "shards: exists already" "$data" import run.pdn -o shards -q
expect 1 "/dev/null: no game could be taken" "$data" import /dev/null -o x -q
expect 1 "cannot read: Is a directory" "$data" import shards -o x -q
printf '[Event "a"]\n[GameType "20"]\n[Result "2-0"]\n\n1. 32-28 19-23 2-0\n' > good.pdn
for encoding in UTF-16 UTF-16LE UTF-16BE UTF-32; do
    iconv -t $encoding good.pdn > wide.pdn
    expect 1 "wide.pdn: UTF-16 and UTF-32 are not read" "$data" import good.pdn wide.pdn -o x -q
    expect 1 "wide.pdn: UTF-16 and UTF-32 are not read" "$bin/huff" moves --pdn wide.pdn
    expect 1 "wide.pdn: UTF-16 and UTF-32 are not read" "$bin/huff-match" --variant international --engine name=a \
        --engine name=b --depth 1 --openings wide.pdn -q
done
: > empty.pdn
expect 1 "empty.pdn: no game could be taken" "$data" import empty.pdn -o x -q
printf '[Event "a"]\n[GameType "20"]\n[Result "2-0"]\n' > tags.pdn
expect 1 "tags.pdn:1: game 1 skipped: it has no moves" "$data" import tags.pdn -o x
grep -v GameType good.pdn | "$bin/huff" analyse --pdn - --depth 2 -q > out 2> err || fail "$(cat err)"
grep -q "^standard input: no GameType; read as international, whose rules allow 2 of 2 moves" err || fail "$(cat err)"
expect 1 "russian, not thai" "$data" import run.pdn --variant thai -o x
expect 2 "expected -o RUN" "$data" import run.pdn
expect 2 "expected a file of PDN" "$data" import -o x
expect 2 "--draw: expected federation, simple or none" "$data" import run.pdn -o x --draw never
expect 2 "--pdn-result: " "$data" import run.pdn -o x --pdn-result black
expect 2 "goes with --variant" "$data" import run.pdn -o x --any-game-type
expect 1 "standard input: cannot read: Bad file descriptor" "$data" import - -o x -q <&-
expect 1 "cannot make the file: No such file" "$data" import run.pdn -o no/x.h5 -q
cp run.pdn mine.h5
ln -s run.pdn link.h5
expect 1 "mine.h5: is read from" "$data" import mine.h5 -o mine.h5 -q
expect 1 "link.h5: is read from" "$data" import run.pdn -o link.h5 -q
"$data" import run.pdn -o whole.h5 -q > out 2> err || fail "$(cat err)"
expect 1 "whole.h5: is read from" "$data" fen whole.h5 -o whole.h5
"$data" info whole.h5 > out || fail "a dataset was written over"
cmp mine.h5 run.pdn || fail "games were written over"
rm mine.h5 link.h5 whole.h5
if mkdir small 2> err && mount -t tmpfs -o size=16k tmpfs small 2> err; then
    echo "a full disk"
    trap 'end_jobs; umount "$work/small"; rm -rf "$work"' EXIT
    expect 1 "No space left on device" "$data" import run.pdn -o small/x -q
    expect 1 "No space left on device" "$data" import run.pdn -o small/x.h5 -q
    [ -z "$(ls small)" ] || fail "a full disk: $(ls small) is left over"
fi

echo "interrupted while it reads"
mkfifo pipe
for output in x x.h5; do
    "$data" import pipe -o $output --shard-games 100 -q > out 2> err & pid=$!
    exec 3<> pipe  # also when nobody reads
    timeout 600 head -c 3000000 < <(yes "$(cat run.pdn)") >&3 || fail "it does not read: $(cat err)"  # more than is read ahead
    kill -INT $pid
    got=0
    wait $pid || got=$?
    exec 3>&-
    { [ "$got" = 1 ] && grep -q "huff-data: interrupted" err; } || fail "interrupted: exit code $got: $(cat err)"
done

echo "interrupted while no one reads"
"$data" import <(yes "$(cat run.pdn)" | head -c 1000000) -o many.h5 -q > out
exec 3<> pipe  # takes 65536 bytes
"$data" pdn many.h5 -q > pipe 2> err & pid=$!
IFS= read -r -N 1 -t 600 -u 3 _ || fail "it does not write: $(cat err)"  # from now on it hears signals
kill -INT $pid
got=0
wait $pid || got=$?
exec 3>&-
{ [ "$got" = 1 ] && grep -q "huff-data: interrupted" err; } || fail "interrupted: exit code $got: $(cat err)"

[ ! -e x ] && [ ! -e x.h5 ] || fail "a command that failed left its output"
[ -z "$(find . -name '*.tmp-*')" ] || fail "$(find . -name '*.tmp-*') is left over"
echo "done"
