#!/usr/bin/env bash
# run.sh BUILD [SECONDS [NAME...]] -- runs libFuzzer's programs, each for so many seconds (20), as many at a time as
# there are processors, and lists what they did. Exit code 1 when one found something.
#
#     cmake -B build-fuzz -DHUFF_FUZZ=ON -DCMAKE_C_COMPILER=clang-14
#     cmake --build build-fuzz --target fuzzers
#     tests/fuzz/run.sh build-fuzz 1200            # all of them, 20 minutes each
#     tests/fuzz/run.sh build-fuzz 3600 pdn fen    # these two, for an hour
#
# NAME is a folder of tests/fuzz/corpus. A program begins with tests/fuzz/corpus/NAME and what earlier runs left in
# BUILD/fuzz/NAME/corpus, where it adds the inputs that reach something new. An input that ends it (crash-*,
# leak-*, timeout-*, oom-*) is kept in BUILD/fuzz/NAME and shown; BUILD/bin/libfuzz_NAME FILE tries it again. Once
# the fault is mended, the input belongs into tests/fuzz/corpus/NAME, which is tried by ctest, too.
#
# Inputs are drawn anew in each run; with HUFF_FUZZ_SEED=N they are those of the last run with N, as far as it came.
#
# Some inputs that together reach what all of a corpus reaches:
#
#     BUILD/bin/libfuzz_NAME -merge=1 -use_counters=0 EMPTY_FOLDER tests/fuzz/corpus/NAME BUILD/fuzz/NAME/corpus
set -uo pipefail

if [ $# -lt 1 ] || [ "$1" = --help ]; then
    sed -n '2,/^set /s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
    exit $(($# < 1 ? 2 : 0))
fi
build=$1
seconds=${2:-20}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../../.ci/packages.sh"
names=("${@:3}")
if [ ${#names[@]} -eq 0 ]; then
    for corpus in "$here"/corpus/*; do names+=("${corpus##*/}"); done
fi
for name in "${names[@]}"; do
    if [ ! -x "$build/bin/libfuzz_$name" ]; then
        echo "run.sh: there is no $build/bin/libfuzz_$name: build the target fuzzers with -DHUFF_FUZZ=ON" >&2
        exit 2
    fi
done
if ! [[ $seconds =~ ^[1-9][0-9]*$ ]]; then
    echo "run.sh: expected a number of seconds, got \"$seconds\"" >&2
    exit 2
fi

export LSAN_OPTIONS=suppressions=$here/lsan.supp:print_suppressions=0

fuzz() {
    local name=$1 folder=$build/fuzz/$1
    mkdir -p "$folder/corpus"
    rm -f "$folder/status"
    "$build/bin/libfuzz_$name" -max_total_time="$seconds" -timeout=120 \
        -seed="${HUFF_FUZZ_SEED:-0}" \
        -print_final_stats=1 -artifact_prefix="$folder/" "$folder/corpus" "$here/corpus/$name" >"$folder/log" 2>&1
    echo $? >"$folder/status"
}
export -f fuzz
export build seconds here
# shellcheck disable=SC2016  # expanded by the shells that xargs starts
printf '%s\0' "${names[@]}" | xargs -0 -n 1 -P "$(processors)" bash -c 'fuzz "$1"' fuzz

# What libFuzzer says of itself: "#123 NEW cov: 45 ft: 67 ...", "stat::number_of_executed_units: 123".
printf '%-10s %8s %12s %8s %8s  %s\n' target seconds executions edges features outcome
failed=()
for name in "${names[@]}"; do
    folder=$build/fuzz/$name
    outcome="nothing found"
    if [ "$(cat "$folder/status")" != 0 ]; then
        outcome="FAILED, see below"
        failed+=("$name")
    fi
    awk -v name="$name" -v outcome="$outcome" '
        BEGIN { seconds = executions = edges = features = "-" }
        /^#[0-9]/ {
            executions = substr($1, 2)
            for (i = 2; i < NF; i++) {
                if ($i == "cov:") edges = $(i + 1)
                if ($i == "ft:") features = $(i + 1)
            }
        }
        /^stat::number_of_executed_units:/ { executions = $2 }
        /^Done / { seconds = $5 }
        END { printf "%-10s %8s %12s %8s %8s  %s\n", name, seconds, executions, edges, features, outcome }
    ' "$folder/log"
done

for name in ${failed[@]+"${failed[@]}"}; do
    folder=$build/fuzz/$name
    printf '\n%s found:\n' "$name"
    grep -v '^#[0-9]' "$folder/log" | grep -v '^NEW_FUNC\|^INFO:\|^stat::' | tail -n 60
    input=$(sed -n 's/^.*Test unit written to //p' "$folder/log" | tail -n 1)
    if [ -n "$input" ]; then
        printf 'The input is %s' "$input"
        if [ "$(wc -c <"$input")" -le 100000 ]; then printf ', in base64:\n%s' "$(base64 "$input")"; fi
        printf '\n'
    fi
done
[ ${#failed[@]} -eq 0 ]
