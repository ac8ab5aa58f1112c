#!/usr/bin/env bash
# mpi.sh BIN_FOLDER -- runs shared by MPI ranks: the same files, also when a rank is lost. Exit code 77 (skipped) when
# the program was built without MPI, or mpirun is not there.
set -euo pipefail
bin=$(cd "${1:?folder of the built programs}" && pwd)
if ! command -v mpirun > /dev/null || [[ $(ldd "$bin/huff-selfplay") != *libmpi* ]]; then
    echo "skipped: not built with MPI (Debian 12: apt-get install libopenmpi-dev openmpi-bin)"
    exit 77
fi
program=$bin/huff-selfplay
work=$(mktemp -d)
# shellcheck source=tests/jobs.sh
. "$(dirname "${BASH_SOURCE[0]}")/jobs.sh"
trap 'end_jobs; rm -rf "$work"' EXIT
cd "$work"

fail() {
    echo "mpi.sh: $*" >&2
    exit 1
}

cat > run.yaml <<END
variant: brazilian
games: 120
seed: 3
nodes: 200
shard_games: 10
opening:
  random_plies: 6
END

# The youngest child of a process: the last rank of mpirun.
last_child() { # PID
    local file line fields last='' begun=0
    for file in /proc/[0-9]*/stat; do
        { IFS= read -r line <"$file"; } 2> /dev/null || continue
        read -ra fields <<< "${line##*) }"  # from the state on: behind a name with blanks
        if [ "${fields[1]}" = "$1" ] && [ "${fields[19]}" -ge "$begun" ]; then last=${line%% *} begun=${fields[19]}; fi
    done
    echo "$last"
}

# On this machine alone, over loopback: "${ranks[@]}" N "$program" OPTION...
ranks=(mpirun --allow-run-as-root --oversubscribe --mca btl self,tcp --mca btl_tcp_if_include lo --bind-to none -n)
same() {
    (cd "$1" && sha256sum --check --quiet shards.sha256) && sort -k 2 "$1/shards.sha256" | cmp - reference.sums ||
        fail "$2: other shards than those of one process"
}

"$program" run.yaml -o alone -q --threads 1 > alone.txt
sort -k 2 alone/shards.sha256 > reference.sums

echo "the same files for any number of ranks"
for count in 1 2 3; do
    "${ranks[@]}" $count "$program" run.yaml -o ranks$count --threads 1 > out 2> err || fail "$count ranks: $(cat err)"
    same ranks$count "$count ranks"
    grep -q "\"processes\": $count" ranks$count/status.json || fail "status: $(cat ranks$count/status.json)"
    grep -q '"games": 120' ranks$count/status.json || fail "status: $(cat ranks$count/status.json)"
    [ "$(grep -c 'brazilian: 120 games' out)" = 1 ] || fail "$count ranks do not report once: $(cat out)"
    [ "$(grep -c '120/120' err)" -le 1 ] || fail "more than one line: $(cat err)"
done

echo "a rank is lost"
"${ranks[@]}" 2 "$program" run.yaml -o lost --set games=100000 --threads 1 > out 2> err & pid=$!
await $pid [ -e lost/shard-000001.h5 ] || fail "it ended by itself: $(cat err)"
kill -9 "$(last_child $pid)"
code=0
wait $pid || code=$?
[ $code != 0 ] || fail "the loss of a rank went unnoticed"
kept=$(find lost -name 'shard-*.h5' | wc -l)
"$program" --resume lost -q --threads 1 > out 2> err & pid=$!
more() { [ "$(find lost -name 'shard-*.h5' | wc -l)" -gt $((kept + 2)) ]; }
await $pid more || fail "it ended by itself: $(cat err)"
kill -TERM $pid
wait $pid && fail "a run of 100000 games is done"
for shard in 00 01 02; do cmp "lost/shard-0000$shard.h5" "alone/shard-0000$shard.h5"; done
"$bin/huff-data" verify lost > verify.txt || grep -q "missing" verify.txt || fail "$(cat verify.txt)"

echo "stopped and resumed by more ranks"
"${ranks[@]}" 2 "$program" run.yaml -o stopped --threads 1 --set nodes=2000 > out 2> err & pid=$!
await $pid [ -e stopped/shard-000000.h5 ] || fail "it ended by itself: $(cat err)"
kill -TERM "$(last_child $pid)" 2> /dev/null || true
wait $pid || true
"${ranks[@]}" 3 "$program" --resume stopped -q --threads 1 > out 2> err || fail "resuming: $(cat err)"
"$bin/huff-data" verify stopped > verify.txt || fail "$(cat verify.txt)"
grep -q '120 games' verify.txt || fail "$(cat verify.txt)"

echo "refused once"
code=0
"${ranks[@]}" 2 "$program" run.yaml -o alone > out 2> err || code=$?
[ $code = 1 ] && [ "$(grep -c 'alone: exists already' err)" = 1 ] || fail "code $code: $(cat err)"
code=0
"${ranks[@]}" 2 "$program" run.yaml -o bad --set games=0 > out 2> err || code=$?
[ $code != 0 ] && [ "$(grep -c 'games: expected 1..' err)" = 1 ] || fail "code $code: $(cat err)"
[ ! -e bad ] || fail "a refused configuration left a folder"

echo "mistakes in the command line end every rank"
# ends CODE TEXT OPTION...: two ranks end so, and say so once.
ends() {
    local expected=$1 text=$2 code=0
    shift 2
    timeout 600 "${ranks[@]}" 2 "$program" "$@" > out 2> err || code=$?
    [ $code = "$expected" ] || fail "$*: code $code, expected $expected: $(cat err)"
    [ "$(cat out err | grep -cF -- "$text")" = 1 ] || fail "$*: not once \"$text\": $(cat out err)"
}
ends 2 "--shards is for processes" run.yaml -o wrong --shards 0-1 -q
ends 2 "expected a configuration file"
ends 2 "expected -o RUN" run.yaml
ends 2 "--shards: expected 0..999999" run.yaml -o wrong --shards x
ends 2 "--resume takes its configuration" --resume alone --set games=3
ends 2 "unrecognized option '--bad'" --bad
ends 2 "--threads: expected" run.yaml -o wrong --threads -1
ends 0 "huff-selfplay " --version
ends 0 "Common options:" --help
[ ! -e wrong ] || fail "a refused command line left a folder"
echo "done"
