#!/usr/bin/env bash
# tsan.sh BIN_FOLDER -- threads that search together, play a run or fit weights do not race: huff analyse, huff-selfplay
# and huff-tune fit with --threads 2 under the thread sanitizer, in a build of its own (BIN_FOLDER is not looked at).
# Exit code 77 (skipped) without clang, its runtime and libomp.
#
# The sanitizer knows nothing of OpenMP's own locks; libarcher, a part of libomp, tells it about them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

clang= archer=
for name in clang-14 clang; do
    if command -v "$name" >/dev/null; then clang=$name && break; fi
done
[ -n "$clang" ] && archer=$(dirname "$(readlink -f "$(command -v "$clang")")")/../lib/libarcher.so
# shellcheck source=tests/jobs.sh
. tests/jobs.sh
folder=$(new_folder "${1:-.}")
trap 'rm -rf "$folder"' EXIT
if [ ! -e "$archer" ] || ! "$clang" -fsanitize=thread -x c - -o "$folder/empty" <<<'int main(void) { return 0; }' 2>"$folder/log"; then
    echo "skipped: clang, its runtime or libomp is not installed" \
        "(Debian 12: apt-get install clang-14 libclang-rt-14-dev libomp-14-dev)"
    exit 77
fi

if ! { cmake -B "$folder" -S . -DCMAKE_C_COMPILER="$clang" -DCMAKE_BUILD_TYPE=RelWithDebInfo -DHUFF_SANITIZE=thread \
    -DHUFF_TESTS=OFF -DHUFF_MPI=OFF && cmake --build "$folder" --target huff --target huff-selfplay --target huff-tune; } >"$folder/log" 2>&1; then
    cat "$folder/log"
    exit 1
fi

# Addresses with more random bits than clang 14 knows of are none that its sanitizers can live with.
if setarch -R true 2>/dev/null; then fixed=(setarch -R); else fixed=(); fi
export OMP_TOOL_LIBRARIES=$archer
export TSAN_OPTIONS=ignore_noninstrumented_modules=1:halt_on_error=1
for variant in spanish international frisian; do
    "${fixed[@]}" "$folder/bin/huff" analyse --variant "$variant" --threads 2 --nodes 300000 --hash 1 --lines 2 >"$folder/out" 2>&1 &&
        grep -q '^bestmove' "$folder/out" && continue
    cat "$folder/out"
    echo "tsan.sh: see above: $variant" >&2
    exit 1
done

configs=$PWD/configs
cd "$folder"
cat >run.yaml <<END
variant: spanish
games: 40
nodes: 100
shard_games: 7
opening:
  book: all:2
  random_plies: 2
END
# must NAME COMMAND...
must() {
    local name=$1
    shift
    "${fixed[@]}" "$@" >out 2>&1 && return
    cat out
    echo "tsan.sh: see above: $name" >&2
    exit 1
}
must huff-selfplay bin/huff-selfplay run.yaml -o run --threads 2 --set black_weights=material
rm run/shard-000003.h5
must huff-selfplay bin/huff-selfplay --resume run --threads 2
grep -q '^spanish: 40 games' out
for method in adagrad lbfgs; do
    must "huff-tune fit" bin/huff-tune fit "$configs/fit-default.yaml" run -o new.weights --threads 2 --set sample.max_clock=255 \
        --set batch=256 --set epochs=3 --set method=$method
done
