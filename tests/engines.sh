#!/usr/bin/env bash
# engines.sh BIN -- matches against external engines, good and bad: every vice of bad_engine under every kind of
# limit ends as it should, and no process is left.
set -euo pipefail
bin=$(cd "${1:?folder of the built programs}" && pwd)
folder=$(mktemp -d)
# A path of its own, by which its processes are found.
bad=$folder/bad
cp "$bin/bad_engine" "$bad"
ln -s "$bin/huff" "$folder/huff"

# The processes whose program was started by a path in our folder.
left() {
    local file first
    for file in /proc/[0-9]*/cmdline; do
        { IFS= read -r -d '' first <"$file" || true; } 2>/dev/null
        case ${first-} in
        "$folder"/*) file=${file%/cmdline} && echo "${file#/proc/}" ;;
        esac
    done
}

clean_up() {
    local pid
    for pid in $(left); do kill -KILL "$pid" 2>/dev/null || true; done
    rm -rf "$folder"
}
trap clean_up EXIT

fail() {
    echo "engines.sh: $*" >&2
    exit 1
}

nothing_left() {
    local pids
    pids=$(left)
    [ -z "$pids" ] || fail "$1: processes are left: $(for pid in $pids; do tr '\0' ' ' <"/proc/$pid/cmdline" || true; done)"
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

# ends NAME GAMES TERMINATION: huff has won all games, in this way.
ends() {
    local count
    count=$(grep -c "\"termination\":\"$3\"" "$folder/$1.out" || true)
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

# vice VICE WITHOUT_CLOCK WITH_CLOCK
vice() {
    local i limit how
    for i in "${!limits[@]}"; do
        limit=${limits[$i]}
        how=$2
        [[ $limit == --nodes* || $limit == --depth* ]] || how=$3
        (
            # shellcheck disable=SC2086
            play "$1-$i" 0 --variant spanish --engine name=huff --engine "$(against "$1")" --games 2 --stall 1 $limit
            ends "$1-$i" 2 "$how"
        ) &
        jobs+=($!)
    done
    join
    nothing_left "$1"
}

echo "vices in mid-game"
vice crash crash crash
vice close crash crash
vice illegal 'illegal move' 'illegal move'
vice no-move 'illegal move' 'illegal move'
vice hang stall time
vice half stall time
vice garbage stall time
vice flood stall time

echo "too late, but sane: not started again"
play late 0 --variant spanish --engine name=huff --engine "$(against late)" --games 2 --movetime 0.05 --recover 1
ends late 2 time
play late-stall 0 --variant spanish --engine name=huff --engine "$(against late)" --games 2 --depth 1 --stall 1 --recover 1
ends late-stall 2 stall
nothing_left late

echo "what is no failure"
play errors 0 --variant spanish --engine name=huff --engine "$(against flood-errors)" --games 2 --nodes 50
clean errors
play child 0 --variant spanish --engine name=huff --engine "$(against child)" --games 2 --nodes 50
clean child
play stay 0 --variant spanish --engine name=huff --engine "$(against stay)" --games 2 --nodes 50
clean stay
nothing_left 'no failure'

echo "failures in a row"
play row 1 --variant spanish --engine name=huff --engine "$(against crash)" --games 20 --nodes 50 --recover 4
says row 'engine bad: failed 4 times in a row, at last: gone instead of an answer to "go" (signal 6'
says row 'its standard error: "first line | bad_engine: about to crash"'
[ "$(grep -c '"type":"game"' "$folder/row.out")" -eq 4 ] || fail "not 4 games before the end: $(cat "$folder/row.out")"
play exit 1 --variant spanish --engine name=huff --engine "$(against exit)" --games 20 --nodes 50
says exit 'engine bad: failed 3 times in a row, at last: gone instead of an answer to "hub" (exit code 4); its standard error: "bad_engine: cannot find my book"'
play silent 1 --variant spanish --engine name=huff --engine "$(against silent)" --games 20 --tc 1 --startup 0.2 --recover 2
says silent 'engine bad: failed 2 times in a row, at last: no answer to "hub" within 0.2 s'
play protocol 1 --variant spanish --engine "$(against protocol)" --engine name=huff --games 20 --nodes 50 --startup 1 --recover 1
says protocol 'no answer to "hub" within 1 s; its last line: "Unknown command. Type help."'
play variant 1 --variant italian --engine "$(against none)" --engine name=huff --games 2 --nodes 50
says variant 'it does not play italian'
play option 1 --variant frisian --engine "$(against none),option.book=none" --engine name=huff --games 2 --nodes 50
says option 'it has no parameter for option.book=none'
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
    --tc 20/1+0.01 --games 2 --threads 2
clean hubs
for variant in international russian; do
    play text 0 --variant $variant --engine "name=a,cmd=$bad text,proto=text" --engine name=b --nodes 100 --games 6
    clean text
done
nothing_left 'good engines'

echo "what an engine is told"
printf 'variant: frisian\ntc: 2/10+0.5\ngames: 2\nengines:\n  - name: huff\n    nodes: 50\n  - name: told\n    cmd: sh -c "tee -a %s/told | %s none"\n    options: ["mood=very good"]\n' \
    "$folder" "$bad" >"$folder/match.yaml"
play told 0 "$folder/match.yaml"
clean told
grep -qx 'set-param name=variant value=frisian' "$folder/told" || fail "no variant: $(head "$folder/told")"
grep -qx 'set-param name=mood value="very good"' "$folder/told" || fail "no option: $(head "$folder/told")"
# The increment of the move to come is not in "time"; two moves bring ten seconds more.
awk '
    /^new-game/ { move = 0 }
    /^level/ {
        levels++
        split($2, moves, "="); split($3, time, "=")
        if ($4 != "inc=0.500" || moves[1] != "moves" || time[1] != "time") bad = $0
        if (moves[2] != 2 - move % 2) bad = $0
        least = move == 0 ? 9.5 : before + (move % 2 == 0 ? 9 : -0.9)
        most = move == 0 ? 9.5 : before + (move % 2 == 0 ? 10.5 : 0.5)
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
    for ((i = 0; i < 200; i++)); do
        [ -z "$(left)" ] || break
        sleep 0.05
    done
    [ -n "$(left)" ] || fail "no engine was started"
    sleep 0.3
    kill -$signal $pid
    code=0
    wait $pid 2>/dev/null || code=$?
    for ((i = 0; i < 200; i++)); do
        [ -n "$(left)" ] || break
        sleep 0.05
    done
    nothing_left "SIG$signal"
    if [ $signal = INT ]; then
        [ $code -eq 1 ] || fail "SIGINT: exit $code: $(cat "$folder/signal.err")"
        grep -q '"finished":false' "$folder/signal.out" || fail "SIGINT: no report: $(cat "$folder/signal.out")"
    fi
done
echo "done"
