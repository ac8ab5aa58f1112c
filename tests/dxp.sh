#!/usr/bin/env bash
# dxp.sh BIN_FOLDER -- games between two huff dxp over the loopback, in every role, and what goes wrong with them.
set -euo pipefail
huff=$(cd "${1:?folder of the built programs}" && pwd)/huff
folder=$(mktemp -d)
pid=
trap '[ -z "$pid" ] || kill "$pid" 2>/dev/null || true; rm -rf "$folder"' EXIT

fail() {
    echo "dxp.sh: $*" >&2
    exit 1
}

# Starts the program that listens, and finds out where.
listen() {
    rm -f "$folder/listener.err"
    "$huff" dxp --listen 0 --wait 60 "$@" >"$folder/listener" 2>"$folder/listener.err" &
    pid=$!
    port='' runs=
    while [ -z "$port" ]; do
        runs=yes
        kill -0 $pid 2>/dev/null || runs=no
        [ ! -e "$folder/listener.err" ] ||
            port=$(sed -n 's/^huff dxp: listening on 127\.0\.0\.1:\([0-9]*\)$/\1/p' "$folder/listener.err")
        [ -n "$port" ] || [ $runs = yes ] || fail "does not listen: $(cat "$folder/listener.err")"
        [ -n "$port" ] || sleep 0.02
    done
}

call() {
    local code=0
    "$huff" dxp --connect "127.0.0.1:$port" --wait 60 "$@" >"$folder/caller" 2>"$folder/caller.err" || code=$?
    [ $code -eq 0 ] || fail "the caller ended with $code: $(cat "$folder/caller.err")"
}

listener_ends() { # CODE
    local code=0
    wait $pid || code=$?
    pid=
    [ $code -eq "$1" ] || fail "the listener ended with $code: $(cat "$folder/listener.err")"
}

# Both sides tell the same story.
agree() {
    grep '^game' "$folder/caller" >"$folder/caller.games"
    grep '^game' "$folder/listener" >"$folder/listener.games"
    sed 's/, .*, /, /' "$folder/caller.games" >"$folder/a"
    sed 's/, .*, /, /' "$folder/listener.games" >"$folder/b"
    cmp "$folder/a" "$folder/b" || fail "two stories: $(cat "$folder/caller" "$folder/listener")"
    [ "$(wc -l <"$folder/a")" -eq "$1" ] || fail "expected $1 games: $(cat "$folder/a")"
}

for variant in international frisian killer; do
    # The caller asks ...
    listen --variant $variant --name second --nodes 300
    call --variant $variant --name first --nodes 300 --games 3 --minutes 60
    listener_ends 0
    agree 3
    grep -qE '^game 1: first - second (2-0|0-2|1-1), ' "$folder/a" || fail "game 1: $(cat "$folder/a")"
    grep -qE '^game 2: second - first (2-0|0-2|1-1), ' "$folder/a" || fail "game 2: $(cat "$folder/a")"
    # ... or is asked.
    listen --variant $variant --name first --depth 2 --games 2 --minutes 0 --moves 40
    call --variant $variant --name second --depth 2
    listener_ends 0
    agree 2
done
# Thinking while the other does, on one thread and on two.
listen --nodes 2000 --ponder
call --nodes 500 --games 2 --minutes 5 --ponder --threads 2 --hash 1
listener_ends 0
agree 2
grep -q '^2 games: ' "$folder/caller" || fail "no total: $(cat "$folder/caller")"

# A clock, a limit of moves, another position; JSON.
listen --time 0.01 --json
call --nodes 500 --games 2 --minutes 1 --moves 5 --fen 'B:W31-50:B1-20' --json -q
listener_ends 0
[ ! -s "$folder/caller.err" ] || fail "not quiet: $(cat "$folder/caller.err")"
python3 - "$folder/caller" "$folder/listener" <<'PY' || fail "the JSON lines are wrong"
import json, sys
mine, yours = [[json.loads(line) for line in open(name)] for name in sys.argv[1:]]
assert [game["moves"] for game in mine] == [game["moves"] for game in yours]
for number, game in enumerate(mine, 1):
    assert game["game"] == number and game["variant"] == "international" and game["result"] == "*"
    # Black moves first and is to move after five moves each: it ends the game.
    assert game["black"] == game["white"] == "huff"
    assert game["termination"] == ("ended by the opponent" if number == 1 else "all moves played")
    assert len(game["moves"]) == 10 and int(game["moves"][0].split("-")[0]) <= 20
PY

# A listener whom nobody calls, one who hears nonsense, a caller whom nobody hears.
listen --wait 0.1
listener_ends 1
grep -q 'nobody connected' "$folder/listener.err" || fail "$(cat "$folder/listener.err")"
# Who goes at once, talks nonsense or wants another version does not keep others from being served.
listen --wait 60 --depth 2
python3 - "$port" <<'PY' || fail "nonsense is not answered"
import socket, sys

def connect():
    s = socket.create_connection(("127.0.0.1", int(sys.argv[1])), 20)
    s.settimeout(20)
    return s

connect().close()
with connect() as s:
    s.sendall(b"GET / HTTP/1.0\r\n\r\n")
with connect() as s:
    s.sendall(bytes(range(1, 128)) * 50 + b"\0")
    answer = s.recv(200)
    assert answer.startswith(b"Cerror: "), answer
with connect() as s:
    s.sendall(b"R02" + b"later".ljust(32) + b"W005000A\0")
    answer = s.recv(200)
    assert answer.startswith(b"A") and answer.rstrip(b"\0").endswith(b"1"), answer
PY
call --depth 2 --games 1
listener_ends 0
agree 1
# Where no game is played at all that is a failure, which is said.
for seconds in 3 30; do  # a machine that has much to do may need the second
    listen --wait $seconds
    # In a shell of its own, since one that cannot connect ends.
    (exec 5<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || true
    listener_ends 1
    ! grep -q 'with 1 that connected' "$folder/listener.err" || break
done
grep -q 'no game was played with 1 that connected: nobody connected' "$folder/listener.err" || fail "$(cat "$folder/listener.err")"
[ ! -s "$folder/listener" ] || fail "$(cat "$folder/listener")"

refuses() { # CODE TEXT ARGUMENT...
    local code=0 expected=$1 text=$2
    shift 2
    "$huff" dxp "$@" >"$folder/out" 2>"$folder/err" </dev/null || code=$?
    [ $code -eq "$expected" ] || fail "$*: exit code $code: $(cat "$folder/err")"
    grep -qF -- "$text" "$folder/err" || fail "$*: no \"$text\" in: $(cat "$folder/err")"
    [ ! -s "$folder/out" ] || fail "output beside an error: $*"
}
refuses 1 "cannot connect" --connect "127.0.0.1:$port" --wait 0.1
refuses 2 "--connect: nowhere: expected HOST:PORT or PORT" --connect nowhere --wait 0.1
refuses 2 '--listen: 99999: expected HOST:PORT or PORT: port: expected 0..65535, got "99999"' --listen 99999
refuses 2 "--hash: expected 1..1048576" --listen 0 --hash 1048577
refuses 2 "expected either --listen or --connect"
refuses 2 "expected either --listen or --connect" --listen 0 --connect 1
refuses 2 "DXP is for 10x10 boards, spanish has 8x8" --listen 0 --variant spanish
refuses 2 "chess" --listen 0 --variant chess
refuses 2 "--minutes, --moves and --fen go with --games only" --listen 0 --moves 3
refuses 2 "--minutes: expected 0..999" --listen 0 --games 1 --minutes 1000
refuses 2 "--name: expected" --listen 0 --name "$(printf 'x%.0s' {1..33})"
refuses 2 "--threads: expected 1..1024" --listen 0 --threads 1025
refuses 2 "--fen" --listen 0 --games 1 --fen nonsense
refuses 1 "none.weights: No such file" --listen 0 --weights "$folder/none.weights"
echo "done"
