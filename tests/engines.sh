#!/usr/bin/env bash
# engines.sh BIN -- matches against external engines, good and bad: every vice of bad_engine under every kind of
# limit ends as it should, and no process is left.
set -euo pipefail
bin=$(cd "${1:?folder of the built programs}" && pwd)
folder=$(mktemp -d)
# A path of its own, by which its processes are found.
bad=$folder/bad
ln -s "$bin/bad_engine" "$bad"
ln -s "$bin/huff" "$folder/huff"

# shellcheck source=tests/processes.sh
. "$(dirname "${BASH_SOURCE[0]}")/processes.sh"
# shellcheck source=tests/jobs.sh
. "$(dirname "${BASH_SOURCE[0]}")/jobs.sh"
trap 'end_jobs; clean_up' EXIT

fail() {
    echo "engines.sh: $*" >&2
    exit 1
}

# The margin is large so that our own engine is not late on a machine that has much to do.
match=("$bin/huff-match" --json -q --threads 1 --openings random:2 --time-margin 1 --startup 20 --ready 20 --hash 1)

# play NAME CODE ARGUMENT...: output in $folder/NAME.out and .err.
play() {
    local name=$1 wanted=$2 code=0
    shift 2
    "${match[@]}" "$@" >"$folder/$name.out" 2>"$folder/$name.err" || code=$?
    [ $code -eq "$wanted" ] || fail "$name: exit $code instead of $wanted: $(cat "$folder/$name.out" "$folder/$name.err")"
}

# ends NAME GAMES TERMINATION: huff has won all games, in this way, or one of several ("time|stall").
ends() {
    local count
    count=$(grep -cE "\"termination\":\"($3)\"" "$folder/$1.out" || true)
    [ "$count" -eq "$2" ] || fail "$1: $count games instead of $2 ended by \"$3\": $(cat "$folder/$1.out")"
    grep -q "\"games\":$2,\"wins\":$2,.*\"finished\":true" "$folder/$1.out" || fail "$1: not all won: $(cat "$folder/$1.out")"
}

# says NAME TEXT: in one line on standard error.
says() {
    [ "$(wc -l <"$folder/$1.err")" -eq 1 ] && grep -qF -- "$2" "$folder/$1.err" ||
        fail "$1: expected one line with \"$2\": $(cat "$folder/$1.err")"
}

# clean NAME: no game ended by a failure.
clean() {
    if grep -qE '"termination":"(time|illegal move|crash|stall)"' "$folder/$1.out"; then
        fail "$1: a failure: $(cat "$folder/$1.out")"
    fi
    grep -q '"finished":true' "$folder/$1.out" || fail "$1: not finished"
}

against() { # VICE: the engines of a match
    echo "name=bad,cmd=$bad $1"
}

# Waits for all background jobs, of which none may have failed.
join() {
    local job
    for job in "${jobs[@]}"; do wait "$job" || fail "see above"; done
    jobs=()
}
jobs=()

limits=('--nodes 50' '--depth 2' '--movetime 0.05' '--tc 0.5+0.01' '--tc 10/0.5')
# Vices that show by waiting for them, and those that show at once, however long that takes on a busy machine.
brief=(--stall 1)
patient=(--stall 600 --time-margin 600)

# vice VICE WITHOUT_CLOCK WITH_CLOCK ARGUMENT...
vice() {
    local i limit how
    for i in "${!limits[@]}"; do
        limit=${limits[$i]}
        how=$2
        [[ $limit == --nodes* || $limit == --depth* ]] || how=$3
        (
            # shellcheck disable=SC2086
            play "$1-$i" 0 --variant spanish --engine name=huff --engine "$(against "$1")" --games 2 "${@:4}" $limit
            ends "$1-$i" 2 "$how"
        ) &
        jobs+=($!)
    done
    join
    nothing_left "$1"
}

echo "vices in mid-game"
vice crash crash crash "${patient[@]}"
vice close crash crash "${patient[@]}"
vice illegal 'illegal move' 'illegal move' "${patient[@]}"
vice no-move 'illegal move' 'illegal move' "${patient[@]}"
vice hang stall time "${brief[@]}"
vice half stall time "${brief[@]}"
vice garbage stall time "${brief[@]}"
vice flood 'stall' 'time|stall' "${brief[@]}"  # whichever shows first

# An engine that is to do something within a second may be kept from it by other programs: one of some tries will do.
one_of_five() {
    for _ in {1..5}; do
        if ("$@") 2>"$folder/try"; then return 0; fi
    done
    cat "$folder/try" >&2
    exit 1
}

echo "what it said is kept"
# reason NAME TEXT: of both games.
reason() {
    [ "$(grep -cF -- "$2" "$folder/$1.out")" -ge 2 ] || fail "$1: expected \"$2\": $(cat "$folder/$1.out")"
}
half() {
    play half 0 --variant spanish --engine name=huff --engine "$(against half)" --games 2 --nodes 50 --stall 1
    reason half 'no answer to \"go\" within 1 s; its unfinished line: \"done mo\"'
}
one_of_five half
play zero 0 --variant spanish --engine name=huff --engine "$(against zero)" --games 2 --nodes 50 --stall 600
ends zero 2 'illegal move'
reason zero 'no legal move in \"done move=32-28?\": a zero byte in the line'
complain() {
    play complain 0 --variant spanish --engine name=huff --engine "$(against complain)" --games 2 --nodes 50 --stall 1
    ends complain 2 stall
    reason complain 'it reported an error: \"no mood for this\"; its last line: \"info depth=1\"'
}
one_of_five complain
play orphan 0 --variant spanish --engine name=huff --engine "$(against orphan)" --games 2 --nodes 50 --stall 600
ends orphan 2 crash
reason orphan 'gone instead of an answer to \"go\" (exit code 3)'
nothing_left 'what it said'

echo "too late, but sane: not started again"
late() { # NAME TERMINATION LIMIT...
    play "$1" 0 --variant spanish --engine name=huff --engine "$(against late)" --games 2 --recover 1 "${@:3}"
    ends "$1" 2 "$2"
}
one_of_five late late time --movetime 0.05
one_of_five late late-stall stall --depth 1 --stall 1
nothing_left late

echo "what is no failure"
play errors 0 --variant spanish --engine name=huff --engine "$(against flood-errors)" --games 2 --nodes 50
clean errors
play child 0 --variant spanish --engine name=huff --engine "$(against child)" --games 2 --nodes 50
clean child
play detach 0 --variant spanish --engine name=huff --engine "$(against detach)" --games 2 --nodes 50
clean detach
play stay 0 --variant spanish --engine name=huff --engine "$(against stay)" --games 2 --nodes 50
clean stay
nothing_left 'no failure'

echo "failures in a row"
play row 1 --variant spanish --engine name=huff --engine "$(against crash)" --games 20 --nodes 50 --recover 4
says row 'engine bad: failed 4 times in a row, at last: gone instead of an answer to "go" (signal 6'
says row 'its standard error: "first line | bad_engine: about to crash"'
[ "$(grep -c '"type":"game"' "$folder/row.out")" -eq 4 ] || fail "not 4 games before the end: $(cat "$folder/row.out")"
play kept 1 --variant spanish --engine name=huff --engine "$(against crash)" --games 20 --nodes 50 -o "$folder/kept"
says kept "engine bad: failed 3 times in a row (its standard error is in $folder/kept/bad.stderr), at last: gone"
cmp "$folder/kept/bad.stderr" <(printf '[%s]\n' 1.1 1.1 1.2 1.2 2.1 2.1 | sed 'n; s/$/ bad_engine: about to crash/' | sed 's/\]$/] first line/') ||
    fail "not what it wrote: $(cat "$folder/kept/bad.stderr")"
# In a file that stays small, of whatever name.
play much 0 --variant spanish --engine name=huff --engine "name=b/ad,cmd=$bad flood-errors" --games 8 --nodes 50 -o "$folder/much" --threads 2
[ "$(tail -n 1 "$folder/much/b_ad-2.stderr")" = 'more than 16 MB: the rest is not kept' ] || fail "much: $(tail "$folder/much/b_ad-2.stderr")"
[ "$(stat -c %s "$folder/much/b_ad-2.stderr")" -le $((16 << 20)) ] || fail "more than 16 MB are kept"
if grep -avE '^\[[1-4]\.[12]\] complaint number [0-9]+ of a great many that nobody reads$' "$folder/much/b_ad-2.stderr" | grep -v '^more than'; then
    fail "lines are mixed up"
fi
play exit 1 --variant spanish --engine name=huff --engine "$(against exit)" --games 20 --nodes 50
says exit 'engine bad: failed 3 times in a row, at last: gone instead of an answer to "hub" (exit code 4); its standard error: "bad_engine: cannot find my book"'
play silent 1 --variant spanish --engine name=huff --engine "$(against silent)" --games 20 --tc 1 --startup 0.2 --recover 2
says silent 'engine bad: failed 2 times in a row, at last: no answer to "hub" within 0.2 s'
protocol() {
    play protocol 1 --variant spanish --engine "$(against protocol)" --engine name=huff --games 20 --nodes 50 --startup 1 --recover 1
    says protocol 'no answer to "hub" within 1 s; its last line: "Unknown command. Type help."'
}
one_of_five protocol
play variant 1 --variant italian --engine "$(against none)" --engine name=huff --games 2 --nodes 50
says variant 'it does not play italian'
play option 1 --variant frisian --engine "$(against none),option.book=none" --engine name=huff --games 2 --nodes 50
says option 'it has no parameter for option.book=none'
play refused 1 --variant frisian --engine "$(against none),option.mood=bad" --engine name=huff --games 2 --nodes 50
says refused 'engine bad: failed 3 times in a row, at last: it refuses to start: "mood: not bad, please"'
play folder 1 --variant frisian --engine "name=bad,cmd=/bin/cat,dir=/nodir" --engine name=huff --games 2 --nodes 50
says folder 'engine bad: cannot enter the folder "/nodir": No such file or directory'
nothing_left 'failures in a row'
# Games without a failure in between end the row.
play two 0 --variant spanish --engine "name=one,cmd=$bad crash 40" --engine "name=two,cmd=$bad none" --games 40 --nodes 50 --recover 30
grep -q '"games":40,' "$folder/two.out" || fail "two: $(cat "$folder/two.out")"
nothing_left 'two bad engines'

echo "good engines"
play hub 0 --variant spanish --engine "name=a,cmd=$folder/huff hub,option.hash=1" --engine name=b --nodes 300 --games 10
clean hub
grep -q '"ptnml":\[0,0,5,0,0\]' "$folder/hub.out" || fail "huff is not the same over Hub: $(cat "$folder/hub.out")"
play hubs 0 --variant frisian --engine "name=a,cmd=\"$folder/huff\" hub --hash 1,dir=/" --engine "name=b,cmd=\"$folder/huff hub\"" \
    --tc 20/1+0.01 --games 2 --threads 2 --time-margin 60
clean hubs
for variant in international russian; do
    play text 0 --variant $variant --engine "name=a,cmd=$bad text,proto=text" --engine name=b --nodes 100 --games 6
    clean text
done
nothing_left 'good engines'

echo "the last failure is in the report"
"${match[@]:0:1}" -q --threads 1 --variant spanish --engine name=huff --engine "$(against illegal)" --games 2 --nodes 50 >"$folder/report.out" ||
    fail "report: $(cat "$folder/report.out")"
grep -q '^    last failure: engine bad: no legal move in "done' "$folder/report.out" || fail "no failure: $(cat "$folder/report.out")"
play illegal 0 --variant spanish --engine name=huff --engine "$(against illegal)" --games 2 --nodes 50 --pdn "$folder/report.pdn"
grep -q '"last_failure":"engine bad: no legal move in ' "$folder/illegal.out" || fail "no failure: $(cat "$folder/illegal.out")"
grep -qE '^\[Termination "(White|Black) wins: illegal move"\]' "$folder/report.pdn" || fail "no kind of failure: $(cat "$folder/report.pdn")"
grep -q 'no legal move in' "$folder/report.pdn" || fail "no failure: $(cat "$folder/report.pdn")"

echo "cores"
# The engine has the one core of the thread that plays.
play pin 0 --variant spanish --engine name=huff --engine "name=b,cmd=sh -c 'grep Cpus_allowed_list /proc/self/status >>$folder/cores; exec $bad none'" \
    --games 4 --nodes 50 --pin --threads 1
clean pin
grep -qE '^Cpus_allowed_list:[[:space:]]*[0-9]+$' "$folder/cores" || fail "not one core: $(cat "$folder/cores")"
code=0
taskset -c "$(sed -E 's/[^0-9]*([0-9]+).*/\1/' "$folder/cores")" "${match[@]:0:1}" -q --variant spanish --engine name=a --engine name=b --games 4 --nodes 50 --pin \
    --threads 2 >"$folder/pin-few.out" 2>"$folder/pin-few.err" || code=$?
[ $code -eq 1 ] || fail "two games on one core: exit $code"
says pin-few '--pin: 2 games at a time need as many cores, and 1 are allowed: --threads 1'

echo "over DXP"
dxp=$folder/huff\ dxp\ --nodes\ 200\ --hash\ 1
for variant in international frisian; do
    # It listens at a free port, it calls us, and both, two games at a time.
    play dxp-listens 0 --variant $variant --engine "name=a,cmd=$dxp --variant $variant --listen {port},proto=dxp" \
        --engine name=b --nodes 200 --games 6
    play dxp-calls 0 --variant $variant --engine "name=a,cmd=$dxp --variant $variant --connect {port},proto=dxp,listen=0" \
        --engine name=b --nodes 200 --games 6
    play dxp-both 0 --variant $variant --engine "name=a,cmd=$dxp --variant $variant --listen {port},proto=dxp" \
        --engine "name=b,cmd=$dxp --variant $variant --connect {port},proto=dxp,listen=0" --nodes 200 --games 6 --threads 2
    for name in dxp-listens dxp-calls dxp-both; do
        clean $name
        grep -q '"ptnml":\[0,0,3,0,0\]' "$folder/$name.out" || fail "huff is not the same over DXP: $(cat "$folder/$name.out")"
        if grep -q '"reason"' "$folder/$name.out"; then fail "$name: two opinions: $(cat "$folder/$name.out")"; fi
    done
    nothing_left "DXP, $variant"
done
# One that runs already, from the start position, at a fixed port, by a clock.
"$folder/huff" dxp --listen 0 --nodes 200 --hash 1 >"$folder/runs.out" 2>"$folder/runs.err" &
pid=$!
find_port() { port=$(sed -n 's/^huff dxp: listening on 127\.0\.0\.1:\([0-9]*\)$/\1/p' "$folder/runs.err") && [ -n "$port" ]; }
await $pid find_port || fail "it does not listen: $(cat "$folder/runs.err")"
play dxp-runs 0 --variant international --openings start --engine "name=a,proto=dxp,connect=127.0.0.1:$port" --engine name=b,nodes=200 \
    --tc 60+1 --games 2
clean dxp-runs
wait $pid || fail "the engine that ran already failed: $(cat "$folder/runs.err")"
grep -q '^2 games: ' "$folder/runs.out" || fail "not 2 games: $(cat "$folder/runs.out")"
# A killed engine has lost the game and is started again.
"${match[@]}" --variant international --engine name=huff --nodes 2000 --games 200 --recover 30 \
    --engine "name=a,cmd=$dxp --listen {port},proto=dxp,nodes=2000" >"$folder/killed.out" 2>"$folder/killed.err" &
pid=$!
# Ever later, so that one is in a game by then.
for ((i = 1; i <= 25; i++)); do
    ! grep -qs '"termination":"crash"' "$folder/killed.out" || break
    for engine in $(left); do kill -KILL "$engine" 2>/dev/null || true; done
    sleep $((i / 5)).$((i % 5 * 2))
done
wait $pid || fail "killed: $(cat "$folder/killed.err")"
grep -q '"termination":"crash".*"reason":"engine a: gone instead of a move (signal 9' "$folder/killed.out" || fail "no crash: $(cat "$folder/killed.out")"
grep -q '"games":200,.*"finished":true' "$folder/killed.out" || fail "killed: not finished: $(cat "$folder/killed.out")"
play dxp-exit 1 --variant international --engine "name=a,cmd=$bad exit {port},proto=dxp" --engine name=b --nodes 50 --games 2
says dxp-exit 'engine a: failed 3 times in a row, at last: gone instead of a connection (exit code 4); its standard error: "bad_engine: cannot find my book"'
# The child of one that ends holds the connection open.
play dxp-orphan 0 --variant international --engine "name=a,cmd=sh -c '$folder/huff dxp --listen {port} --time 600 & sleep 2; exit 3',proto=dxp" \
    --engine name=b --nodes 50 --games 2 --stall 600 --recover 30
[ "$(grep -c '"termination":"crash","reason":"engine a: gone instead of a move (exit code 3)' "$folder/dxp-orphan.out")" -eq 2 ] ||
    fail "dxp-orphan: $(cat "$folder/dxp-orphan.out")"
play dxp-silent 1 --variant international --engine "name=a,cmd=sleep 600,proto=dxp,listen=0" --engine name=b --nodes 50 --games 2 --startup 0.3 --recover 2
says dxp-silent 'engine a: failed 2 times in a row, at last: it does not connect to 127.0.0.1:'
play dxp-small 2 --variant spanish --engine "name=a,cmd=x {port},proto=dxp" --engine name=b --nodes 50
says dxp-small 'DXP is for boards of 10x10, spanish has 8x8'
play dxp-clock 2 --variant frisian --engine "name=a,cmd=x {port},proto=dxp" --engine name=b --tc 30
says dxp-clock 'DXP knows clocks of 1 to 999 whole minutes for all of the game only'
play dxp-port 2 --variant frisian --engine "name=a,cmd=x,proto=dxp" --engine name=b --nodes 50
says dxp-port '--engine: cmd: expected {port} in it, or a key port or listen'
# Without a clock it is told minutes all the same, of which it need not make use.
told() { # MINUTES OPTION KEY...
    local minutes=$1 limit=$2
    shift 2
    rm -rf "$folder/dxp-told"
    play dxp-told 0 --variant international --engine "name=a,cmd=$dxp --listen {port},proto=dxp$*" \
        --engine name=b,nodes=50 $limit --games 2 -o "$folder/dxp-told"
    clean dxp-told
    grep -q "game 1 against huff-match: white, $minutes minutes, 0 moves" "$folder/dxp-told/a.stderr" ||
        fail "$limit$*: not $minutes minutes: $(cat "$folder/dxp-told/a.stderr")"
}
told 5 '--nodes 50'
told 1 '--movetime 0.5'
told 7 '--movetime 7.9'
told 30 '--depth 3' ,minutes=30
play dxp-minutes 2 --variant frisian --engine "name=a,cmd=x {port},proto=dxp,minutes=0" --engine name=b --nodes 50
says dxp-minutes '--engine: minutes: expected 1..999'
play dxp-minutes 2 --variant frisian --engine "name=a,cmd=x {port},proto=dxp,minutes=2" --engine name=b --tc 60
says dxp-minutes '--engine: minutes: the engine has a clock, which is what it is told'
play dxp-minutes 2 --variant frisian --engine "name=a,cmd=x,minutes=2" --engine name=b --nodes 50
says dxp-minutes '--engine: minutes: goes with proto=dxp only'
play dxp-minutes 2 --variant frisian --engine "name=a,minutes=2" --engine name=b --nodes 50
says dxp-minutes '--engine: minutes: goes with cmd only'
play dxp-hub 2 --variant frisian --engine "name=a,cmd=x,port=7" --engine name=b --nodes 50
says dxp-hub '--engine: port: goes with proto=dxp only'
play dxp-threads 2 --variant frisian --engine "name=a,proto=dxp,connect=7" --engine name=b --nodes 50 --threads 2
says dxp-threads '--threads: an engine at a fixed port plays one game at a time: expected 1'
# refused_port KEYS LEAST GOT: nothing is started for an address that cannot be.
refused_port() {
    play dxp-address 2 --variant frisian --engine "name=a,proto=dxp,$1" --engine name=b --nodes 50
    says dxp-address "--engine: ${1%%=*}: expected PORT or HOST:PORT, a port being $2..65535, got \"$3\""
}
refused_port 'port=70000,cmd=x' 1 70000
refused_port 'port=0,cmd=x' 1 0
refused_port 'connect=127.0.0.1:99999' 1 127.0.0.1:99999
refused_port 'connect=host' 1 host
refused_port 'listen=auto,cmd=x' 0 auto
refused_port 'listen=0' 1 0
nothing_left 'DXP'

echo "what an engine is told"
printf 'variant: frisian\ntc: 2/1000+50\ngames: 2\nengines:\n  - name: huff\n    nodes: 50\n  - name: told\n    cmd: sh -c "tee -a %s/told | %s none"\n    options: ["mood=very good"]\n' \
    "$folder" "$bad" >"$folder/match.yaml"
play told 0 "$folder/match.yaml"
clean told
grep -qx 'set-param name=variant value=frisian' "$folder/told" || fail "no variant: $(head "$folder/told")"
grep -qx 'set-param name=mood value="very good"' "$folder/told" || fail "no option: $(head "$folder/told")"
# The increment of the move to come is not in "time"; two moves bring a thousand seconds more.
awk '
    /^new-game/ { move = 0 }
    /^level/ {
        levels++
        split($2, moves, "="); split($3, time, "=")
        if ($4 != "inc=50.000" || moves[1] != "moves" || time[1] != "time") bad = $0
        if (moves[2] != 2 - move % 2) bad = $0
        least = move == 0 ? 950 : before + (move % 2 == 0 ? 1010 : 10)  # 40 seconds for a move at most
        most = move == 0 ? 950 : before + (move % 2 == 0 ? 1050.01 : 50.01)  # rounded
        if (time[2] < least || time[2] > most) bad = $0 " after " before
        before = time[2]; move++
    }
    END { if (levels < 10 || bad != "") { print "level: " levels " " bad; exit 1 } }' "$folder/told" || fail "the clock is wrong"
nothing_left told

echo "the end of the match by a signal"
for signal in INT KILL; do
    rm -f "$folder/told"
    "${match[@]}" --variant spanish --engine name=huff --nodes 50 --engine "name=bad,cmd=$bad hang 2" --games 20 --stall 600 \
        >"$folder/signal.out" 2>"$folder/signal.err" &
    pid=$!
    an_engine() { [ -n "$(left)" ]; }
    await $pid an_engine || fail "no engine was started: $(cat "$folder/signal.err")"
    sleep 0.3
    kill -$signal $pid
    code=0
    wait $pid 2>/dev/null || code=$?
    nothing_left "SIG$signal"
    if [ $signal = INT ]; then
        [ $code -eq 1 ] || fail "SIGINT: exit $code: $(cat "$folder/signal.err")"
        grep -q '"finished":false' "$folder/signal.out" || fail "SIGINT: no report: $(cat "$folder/signal.out")"
    fi
done
echo "done"
