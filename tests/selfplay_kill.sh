#!/usr/bin/env bash
# selfplay_kill.sh BIN_FOLDER [KILLS] -- a run is killed (SIGKILL) at random moments and resumed, 20 times unless told
# otherwise, by 1 and by 2 threads in turn: no finished game is lost, and its files are those of a run nobody touched.
# Its last line says how many finished games were lost.
set -euo pipefail
bin=$(cd "${1:?folder of the built programs}" && pwd)
kills=${2:-20}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
# shellcheck source=tests/jobs.sh
. "$(dirname "${BASH_SOURCE[0]}")/jobs.sh"
trap 'end_jobs; rm -rf "$work"' EXIT
cd "$work"

fail() {
    echo "selfplay_kill.sh: $*" >&2
    exit 1
}

cat > run.yaml <<END
variant: spanish
games: 600
seed: 11
nodes: 300
shard_games: 40
opening:
  book: all:2
  random_plies: 2
END
"$bin/huff-selfplay" run.yaml -o reference -q --threads 2 > /dev/null
sort -k 2 reference/shards.sha256 > reference.sums

finished=0 killed=0 lost=0 runs=0 threads=1
while [ $killed -lt "$kills" ]; do
    if [ ! -e run/manifest.json ]; then
        command=("$bin/huff-selfplay" run.yaml -o run) && : > before && runs=$((runs + 1))
    else
        command=("$bin/huff-selfplay" --resume run) && "$here/journal_games.py" run > before
    fi
    threads=$((3 - threads))
    "${command[@]}" -q --threads $threads > out 2> err & pid=$!
    sleep "0.$(printf '%03d' $((RANDOM % 400 + 20)))"
    if kill -9 $pid 2> /dev/null; then killed=$((killed + 1)); fi
    code=0
    wait $pid 2> /dev/null || code=$?
    [ $code = 137 ] || [ $code = 0 ] || fail "exit code $code: $(cat err)"
    [ -e run/manifest.json ] || continue
    "$here/journal_games.py" run > after
    lost=$((lost + $(comm -23 <(sort before) <(sort after) | wc -l)))
    if [ $code = 0 ]; then
        (cd run && sha256sum --check --quiet shards.sha256) && sort -k 2 run/shards.sha256 | cmp - reference.sums ||
            fail "other shards than those of a run that nobody touched"
        finished=$((finished + 1))
        rm -r run
    fi
done
if [ -e run/manifest.json ]; then
    "$bin/huff-selfplay" --resume run -q --threads 2 > /dev/null
    sort -k 2 run/shards.sha256 | cmp - reference.sums || fail "other shards than those of a run that nobody touched"
    [ -z "$(find run -name '*.journal' -o -name '*.tmp-*')" ] || fail "something is left over: $(ls run)"
fi
"$bin/huff-data" verify reference > verify.txt || fail "$(cat verify.txt)"
echo "$killed kills in $runs runs of 600 games, all with the same shards: $lost finished games lost"
[ $lost = 0 ]
