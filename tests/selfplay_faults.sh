#!/usr/bin/env bash
# selfplay_faults.sh BIN_FOLDER -- what a run says and keeps when disks, files, clocks and other processes are against it.
set -euo pipefail
bin=$(cd "${1:?folder of the built programs}" && pwd)
work=$(mktemp -d)
mounted=
umask 022  # nobody is to read what is made here
# shellcheck source=tests/jobs.sh
. "$(dirname "${BASH_SOURCE[0]}")/jobs.sh"
clean_up() {
    end_jobs
    [ -z "$mounted" ] || umount "$mounted"
    rm -rf "$work"
}
trap clean_up EXIT
chmod 755 "$work"
cd "$work"

fail() {
    echo "selfplay_faults.sh: $*" >&2
    exit 1
}

cat > run.yaml <<END
variant: italian
games: 80
seed: 2
nodes: 200
shard_games: 10
opening:
  book: all:3
  margin: 100
  depth: 4
  random_plies: 2
END
"$bin/huff-selfplay" run.yaml -o good -q --threads 2 > /dev/null
sort -k 2 good/shards.sha256 > good.sums
same() {
    (cd "$1" && sha256sum --check --quiet shards.sha256) && sort -k 2 "$1/shards.sha256" | cmp - good.sums ||
        fail "$2: other shards than those of an undisturbed run"
}
# refused TEXT COMMAND...: exit code 1 and one line with that text.
refused() {
    local text=$1 code=0
    shift
    "$@" > out 2> err || code=$?
    [ $code = 1 ] && grep -qF -- "$text" err && [ "$(wc -l < err)" = 1 ] || fail "$*: code $code: $(cat err)"
}

echo "a small disk"
mkdir small
# Room for what a run begins with, and for about half of its shards.
begun=$(du -ck good/start.* good/manifest.json | tail -n 1 | cut -f 1)
shards=$(du -ck good/shard-* | tail -n 1 | cut -f 1)
if mount -t tmpfs -o size=$((begun + shards / 2 + 8))k none small 2> /dev/null; then
    mounted=$work/small
    code=0
    "$bin/huff-selfplay" run.yaml -o small/run -q --threads 2 > out 2> err || code=$?
    [ $code = 1 ] && grep -q "cannot write: No space left on device" err && grep -q "to go on: .*--resume small/run" err ||
        fail "code $code: $(cat err)"
    mount -o remount,size=100m small
    "$bin/huff-selfplay" --resume small/run -q > /dev/null
    same small/run "after a full disk"
else
    echo "  left out: a disk can only be mounted by root"
fi

echo "a folder that cannot be written"
cp -r good locked
rm locked/shard-000003.h5
chmod 555 locked
if [ "$(id -u)" = 0 ]; then
    nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)
else
    nobody=()
fi
if "${nobody[@]}" test -x "$bin/huff-selfplay" 2> /dev/null; then
    refused "locked/" "${nobody[@]}" "$bin/huff-selfplay" --resume locked -q
    grep -q "Permission denied" err || fail "$(cat err)"
    [ ! -e locked/shard-000003.h5 ] || fail "it was written"
    refused "Permission denied" "${nobody[@]}" "$bin/huff-selfplay" run.yaml -o locked/new -q
else
    echo "  left out: nobody cannot start the program"
fi
chmod 755 locked

echo "checksums that are lost"
cp -r good forgotten
rm forgotten/shards.sha256
before=$(stat -c %i.%Y forgotten/shard-000005.h5)
"$bin/huff-selfplay" --resume forgotten > out 2> err
[ "$(grep -c 'had lost its checksum: it was checked move by move and is kept' err)" = 8 ] || fail "$(cat err)"
same forgotten "without checksums"
[ "$before" = "$(stat -c %i.%Y forgotten/shard-000005.h5)" ] || fail "an intact shard was written anew"
sed -i '/shard-000002/d' forgotten/shards.sha256
cp good/shard-000001.h5 forgotten/shard-000002.h5  # good, but other games
"$bin/huff-selfplay" --resume forgotten > out 2> err
grep -q "shard 2 is damaged: its games are played again" err || fail "$(cat err)"
same forgotten "with the games of another shard"

echo "shards of another run"
"$bin/huff-selfplay" run.yaml -o foreign -q --threads 2 --set seed=3 > /dev/null
cp good/manifest.json foreign
before=$(sha256sum foreign/*.h5)
refused "foreign/shard-000000.h5: is of another run (its seed differs)" "$bin/huff-selfplay" --resume foreign
refused "foreign/shard-000002.h5: is of another run" "$bin/huff-selfplay" --resume foreign --shards 2-3
[ "$before" = "$(sha256sum foreign/*.h5)" ] || fail "games of another run were lost"
cp -r good swapped
cp good/shard-000001.h5 swapped/shard-000002.h5
cp good/shard-000002.h5 swapped/shard-000001.h5
(cd swapped && sha256sum shard-*.h5 > shards.sha256)
"$bin/huff-selfplay" --resume swapped > out 2> err
[ "$(grep -c 'is damaged: its games are played again' err)" = 2 ] || fail "exchanged shards: $(cat err)"
same swapped "of which two were exchanged"

echo "no run has begun"
mkdir unbegun
touch unbegun/start.weights
refused "unbegun: no run has begun in this folder (it has no manifest.json): start it with its configuration" \
    "$bin/huff-selfplay" --resume unbegun

echo "damaged weights and book"
cp -r good other
"$bin/huff-selfplay" book --variant italian --plies 2 -o other.book -q > /dev/null
cp other.book other/start.book
refused "not what the run began with" "$bin/huff-selfplay" --resume other
cp -r good torn
printf 'X' | dd of=torn/start.book bs=1 seek=400 conv=notrunc status=none
refused "torn/start.book: the book is damaged" "$bin/huff-selfplay" --resume torn
sed -e '/margin:\|depth:/d' -e 's/all:3/good\/start.book/' run.yaml > book.yaml
refused "start.book: a book of italian, not of russian" "$bin/huff-selfplay" book.yaml -o none --variant russian
[ ! -e none ] || fail "a refused book left a folder"

echo "two processes on one run"
"$bin/huff-selfplay" run.yaml -o busy --set games=100000 --threads 1 -q > /dev/null 2> busy.txt & pid=$!
await $pid compgen -G 'busy/shard-*' > /dev/null || fail "it ended by itself: $(cat busy.txt)"
kill -STOP $pid  # so that it is there for as long as it takes
refused "busy: another process is working on this run" "$bin/huff-selfplay" --resume busy
refused "busy: another process is working on this run" "$bin/huff-selfplay" --resume busy --shards 7-7
kill -INT $pid
kill -CONT $pid
code=0
wait $pid || code=$?
[ $code = 1 ] || fail "code $code after SIGINT"
"$bin/huff-selfplay" run.yaml -o parts --shards 0-3 --set nodes=50000 --threads 1 -q > /dev/null 2> err & pid=$!
await $pid [ -e parts/shard-000000.journal ] || fail "it ended by itself: $(cat err)"
kill -STOP $pid
[ -e parts/shard-000000.journal ] || fail "the first shard was done before the program could be stopped"
refused "shard-000000.journal: another process is writing to it" \
    "$bin/huff-selfplay" run.yaml -o parts --shards 0-0 --set nodes=50000
refused "parts: another process is working on this run" "$bin/huff-selfplay" --resume parts
refused "parts: a run with another configuration" "$bin/huff-selfplay" run.yaml -o parts --shards 5-5
kill -TERM $pid
kill -CONT $pid
wait $pid || true
grep -q "to go on: huff-selfplay --resume parts --shards 0-3" err || fail "-q hides how to go on: $(cat err)"

echo "parts that begin together"
pids=()
for part in 0-2 3-5 6-99; do
    "$bin/huff-selfplay" run.yaml -o array --shards $part --threads 1 -q > "$part.txt" & pids+=($!)
done
for pid in "${pids[@]}"; do wait "$pid" || fail "a part failed"; done
same array "parts"
grep -q '"finished": "' array/manifest.json || fail "the last part did not finish the run"
refused "--shards: the run has shards 0-7, not 8" "$bin/huff-selfplay" --resume array --shards 8-9
cp -r good piece
rm piece/shard-00000[246].h5
"$bin/huff-selfplay" --resume piece --shards 4-5 -q > /dev/null
[ -e piece/shard-000004.h5 ] && [ ! -e piece/shard-000002.h5 ] || fail "--shards 4-5 played $(ls piece)"

echo "a clock that jumps"
cat > jump.c <<'END'
// The time of day goes an hour forward, then two back, at every look.
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
static long looks;
int clock_gettime(clockid_t clock, struct timespec *now) {
    const int result = (int)syscall(SYS_clock_gettime, clock, now);
    if (clock == CLOCK_REALTIME) now->tv_sec += ++looks % 2 ? 3600 : -7200;
    return result;
}
time_t time(time_t *seconds) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return seconds ? *seconds = now.tv_sec : now.tv_sec;
}
END
if ldd "$bin/huff-selfplay" | grep asan > /dev/null || ! cc -shared -fPIC -o jump.so jump.c 2> /dev/null; then
    echo "  left out: nothing can be loaded before the program, or there is no compiler"
else
    LD_PRELOAD=$work/jump.so "$bin/huff-selfplay" run.yaml -o jumps --threads 2 > out 2> err || fail "$(cat err)"
    same jumps "while the clock jumped"
    /usr/bin/python3 - <<'END' || fail "rates from a clock that jumps: $(cat jumps/status.json)"
import json
status = json.load(open("jumps/status.json"))
assert status["state"] == "done" and status["games"] == status["total"] == 80
assert 0 < status["seconds"] < 3000 and status["games_per_second"] > 0
END
fi
echo "done"
