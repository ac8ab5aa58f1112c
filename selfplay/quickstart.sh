#!/usr/bin/env bash
# quickstart.sh [VARIANT] -- the whole loop once, for spanish or another variant: installs what is missing, builds,
# plays 2,000 games, fits weights to them, and plays the fitted weights against those the games were played with.
#
# Everything goes to a new folder runs/VARIANT-N. A run takes 1 to 2 minutes on two idle cores after the installation.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. .ci/packages.sh

games=2000
nodes=1000 # a move, in self-play and in the match
match_games=400
programs=(huff huff-selfplay huff-data huff-tune huff-match)

stop() {
    echo "quickstart.sh: $*" >&2
    exit 1
}
usage() {
    echo "quickstart.sh: expected at most one argument, the name of a variant (spanish, american+free, ...)" >&2
    exit 2
}

[ $# -le 1 ] || usage
variant=${1-spanish}
case $variant in -h | --help) sed -n '2,5s/^# \{0,1\}//p' selfplay/quickstart.sh && exit 0 ;; -* | '') usage ;; esac
variant=${variant,,}

# check_variant: ends the script with the program's one line when there is no such variant.
check_variant() {
    local cause
    cause=$(build/bin/huff variants "$variant" 2>&1 >/dev/null) && return
    echo "quickstart.sh: ${cause#huff variants: }" >&2
    exit 2
}

build() {
    local log=build/quickstart.log options=(-DCMAKE_BUILD_TYPE=Release)
    [ -e build/CMakeCache.txt ] || options+=(-DHUFF_TESTS=OFF)
    mkdir -p build
    if ! { cmake -B build -S . "${options[@]}" && cmake --build build --parallel "$(nproc)" --target "${programs[@]}"; } \
        >"$log" 2>&1; then
        tail -n 30 "$log" >&2
        stop "the build failed; all of its output is in $log"
    fi
}

new_folder() {
    local n=1
    mkdir -p runs
    until mkdir "runs/$variant-$n" 2>/dev/null; do
        [ -e "runs/$variant-$n" ] || stop "cannot make the folder runs/$variant-$n"
        n=$((n + 1))
    done
    run=runs/$variant-$n
}

self_play() {
    local config=configs/selfplay-${variant%+free}.yaml
    [ -e "$config" ] || config=configs/selfplay-spanish.yaml
    build/bin/huff-selfplay "$config" --variant "$variant" --set games=$games --set nodes=$nodes \
        --set weights=material -o "$run/games"
}

# So few games of a player that knows material alone say nothing about patterns (configs/fit-default.yaml).
fit() {
    build/bin/huff-tune fit configs/fit-default.yaml --set l2.PATTERN=1e9 "$run/games" -o "$run/fitted.weights" |
        tee -i "$run/fit.txt"
}

play_match() {
    build/bin/huff-match --variant "$variant" --engine name=fitted,weights="$run/fitted.weights" \
        --engine name=material,weights=material --nodes $nodes --games $match_games --openings random:8 -o "$run/match"
}

# step TEXT COMMAND: a step of the loop, with its time.
step() {
    local start=$SECONDS
    printf '\n== %s\n' "$1"
    "$2" || stop "stopped at this step: $1; what there is so far is in $run"
    printf -- '-- %d s\n' $((SECONDS - start))
}

if [ -x build/bin/huff ]; then check_variant; fi
packages_install "${PACKAGES_TO_BUILD[@]}" || stop "run it again when they are installed"
echo "== building in build/"
build
check_variant
new_folder

step "self-play: $games games of $variant, $nodes nodes a move, material alone" self_play
step "fitting weights to their positions" fit
step "match: fitted weights against material alone, $match_games games" play_match

cat <<END

== done in $SECONDS s; in $run:
games/           the games and their positions   build/bin/huff-data info $run/games
fitted.weights   the weights                     build/bin/huff-tune show $run/fitted.weights
fit.txt          what the fit said
match/           the report of the match
END
