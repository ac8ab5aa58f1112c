#!/usr/bin/env bash
# quickstart.sh [VARIANT] -- weights from nothing, for spanish or another variant: installs what is missing, builds, and
# runs a loop of two generations: 2,000 games, weights fitted to them, a match against those that played them.
#
# Everything goes to a new folder runs/VARIANT-N. A run takes 1 to 2 minutes on two idle cores after the installation;
# configs/loop-default.yaml, with more games and patterns, takes some ten.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. .ci/packages.sh
# Threads of a fit sleep while they wait for each other: on cores that have other work, too, it is fast then.
export OMP_WAIT_POLICY=${OMP_WAIT_POLICY:-passive}

# Small beside configs/loop-default.yaml; so few games say little about patterns, which are left out.
small=(generations=2 patterns_from=3 selfplay.games=2000 gate.games=200 gate.nodes=500 final.games=400 final.nodes=1000)
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
case $variant in -h | --help) sed -n '2,6s/^# \{0,1\}//p' selfplay/quickstart.sh && exit 0 ;; -* | '') usage ;; esac
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

run_loop() {
    local settings=()
    for setting in "${small[@]}"; do settings+=(--set "$setting"); done
    build/bin/huff-tune loop configs/loop-default.yaml --variant "$variant" "${settings[@]}" -o "$run" ||
        stop "stopped; to go on: build/bin/huff-tune loop --resume $run"
}

if [ -x build/bin/huff ]; then check_variant; fi
packages_install "${PACKAGES_TO_BUILD[@]}" || stop "run it again when they are installed"
echo "== building in build/"
build
check_variant
new_folder

printf '\n== two generations of 2000 games of %s, beginning with material alone\n' "$variant"
run_loop

cat <<END

== done in $SECONDS s; in $run:
accepted.weights.gz  the weights                     build/bin/huff-tune show $run/accepted.weights.gz
gen-002/games/       games and their positions       build/bin/huff-data info $run/gen-002/games
gen-002/gate/        the report of a match           cat $run/gen-002/gate/report.txt
                     two generations more            build/bin/huff-tune loop --resume $run --set generations=4
                     to play against                 build/bin/huff play --variant $variant --weights $run/accepted.weights.gz
END
