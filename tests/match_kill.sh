#!/usr/bin/env bash
# match_kill.sh BIN [KILLS] -- a match that is killed at random 50 times and resumed plays the same games and
# says the same as one that is left alone.
set -euo pipefail
match=$1/huff-match
kills=${2:-50}
folder=$(mktemp -d)
# shellcheck source=tests/jobs.sh
. "$(dirname "${BASH_SOURCE[0]}")/jobs.sh"
trap 'end_jobs; rm -rf "$folder"' EXIT

fail() {
    echo "match_kill.sh: $*" >&2
    exit 1
}

settings=(--variant spanish --engine name=a,nodes=300 --engine name=b,nodes=200 --games $((16 * kills)))
"$match" "${settings[@]}" -q --json -o "$folder/whole" >"$folder/undisturbed"

size() { stat -c %s "$folder/killed/games.journal" 2>/dev/null || echo 0; }
# The kills come in the first three quarters of the match, about as far from each other: one that comes late, on a
# busy machine, is followed by some that come at once.
total=$(stat -c %s "$folder/whole/games.journal")
RANDOM=1
start=("${settings[@]}" -o "$folder/killed")
killed=0
for ((kill = 0; kill < kills; kill++)); do
    enough=$(((kill * 100 + RANDOM % 100) * (total / 4 * 3 / 100) / kills))
    "$match" "${start[@]}" -q >/dev/null 2>&1 &
    process=$!
    while [ ! -e "$folder/killed/manifest.json" ] || [ "$(size)" -lt $enough ]; do
        kill -0 $process 2>/dev/null || break
        sleep 0.01
    done
    if kill -9 $process 2>/dev/null; then killed=$((killed + 1)); fi
    wait $process 2>/dev/null || true
    start=(--resume "$folder/killed")
done
[ $killed -eq "$kills" ] || fail "only $killed of $kills kills came before the end of the match"

"$match" --resume "$folder/killed" -q --json >"$folder/resumed"
for file in undisturbed resumed; do sed 's/"seconds":[^,}]*//' "$folder/$file" >"$folder/$file.games"; done
cmp "$folder/undisturbed.games" "$folder/resumed.games" || fail "another match after $killed kills"
cmp "$folder/whole/report.txt" "$folder/killed/report.txt" || fail "another report after $killed kills"
echo "$killed kills, $(grep -c '"type":"game"' "$folder/resumed") games: the same match"
