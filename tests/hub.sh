#!/usr/bin/env bash
# hub.sh BIN_FOLDER -- conversations with huff hub: every command, bad lines, stop, ponder, quit and end of input.
set -euo pipefail
huff=$(cd "${1:?folder of the built programs}" && pwd)/huff
folder=$(mktemp -d)
pid=
trap '[ -z "$pid" ] || kill "$pid" 2>/dev/null || true; rm -rf "$folder"' EXIT
mkfifo "$folder/in" "$folder/out"

fail() {
    echo "hub.sh: $*" >&2
    exit 1
}

start() {
    "$huff" hub "$@" <"$folder/in" >"$folder/out" 2>"$folder/err" &
    pid=$!
    exec 3>"$folder/in" 4<"$folder/out"
}

send() {
    printf '%s\n' "$@" >&3
}

# The next line; nothing that is asked here takes long, but a machine may have much else to do.
hear() {
    IFS= read -r -t 300 line <&4 || fail "no answer, expected $*"
}

says() {
    hear "$1"
    [[ $line =~ $1 ]] || fail "expected $1, got $line"
}

# The next line that is not an info. Infos are kept in $folder/infos.
answers() {
    : >"$folder/infos"
    hear "$1"
    while [[ $line == info* ]]; do
        printf '%s\n' "$line" >>"$folder/infos"
        hear "$1"
    done
    [[ $line =~ $1 ]] || fail "expected $1, got $line"
}

infos() {
    grep -qE -- "$1" "$folder/infos" || fail "no info is $1: $(tail -3 "$folder/infos")"
}

alive() {
    send ping
    answers '^pong$'
}

ends() {
    exec 3>&-
    local code=0
    wait "$pid" || code=$?
    pid=
    exec 4<&-
    [ $code -eq 0 ] || fail "exit code $code: $(cat "$folder/err")"
    [ ! -s "$folder/err" ] || fail "on standard error: $(cat "$folder/err")"
}

move='[0-9]+(-|x)[0-9]+(x[0-9]+)*'
done_line="^done move=$move( ponder=$move)?\$"

# The handshake, parameters, and what is refused before it.
start
send ping 'go think' 'pos start' new-game
says '^pong$'
says '^error message="not initialised: '
says '^error message="not initialised: '
says '^error message="not initialised: '
send '   hub  '
says '^id name=huff version=[0-9.]+ author="The huff authors"$'
says '^param name=variant value=international type=enum values="spanish .* international .*american\+free.*"$'
says '^param name=hash value=64 type=int min=1 max=1048576$'
says '^param name=threads value=1 type=int min=1 max=1024$'
says '^param name=weights value="" type=string$'
says '^param name=ponder value=false type=bool$'
says '^wait$'
send 'set-param name=hash value=0' 'set-param name=hash value=2x' 'set-param name=threads value=1025' 'set-param name=ponder value=maybe' \
    'set-param name=book value=true' 'set-param name=variant value=chess' 'set-param name=variant' 'set-param'
says '^error message="hash: expected 1\.\.1048576'
says '^error message="hash: expected'
says '^error message="threads: expected 1\.\.1024'
says '^error message="ponder: expected true or false'
says "^error message=\"set-param: no parameter 'book'\"$"
says "^error message=\"variant: no 'chess'"
says '^error message="set-param: expected name= and value="$'
says '^error message="set-param: expected name= and value="$'
send "set-param name=weights value=\"$folder/no weights\"" init
says '^error message="init: .*/no weights: No such file'
send 'set-param name=weights value=""' 'set-param name=hash value=2' 'set-param name=variant value=normal' \
    'set-param name=ponder value=true' init
says '^ready$'

# What is set after "init" acts at the next position or game, at the latest; what cannot be had is an error there,
# until it is put right. "init" again makes the engine go on as it was.
send 'set-param name=variant value=frisian' 'pos start' 'level depth=1' 'go think'
answers "$done_line"
send "pos pos=W$(printf 'e%.0s' {1..27})b$(printf 'e%.0s' {1..9})w$(printf 'e%.0s' {1..12})" 'level depth=1' 'go think'
answers '^done move=38x18x28$'
send "set-param name=weights value=\"$folder/no weights\"" 'pos start' 'level depth=1' 'go think' new-game
says '^error message="set-param: .*/no weights: No such file'
says '^error message="go: expected a position first'
says '^error message="set-param: .*/no weights: No such file'
send 'set-param name=weights value=""' 'set-param name=variant value=normal' 'set-param name=threads value=1' new-game \
    'level depth=2' 'go think'
answers "$done_line"

# A hash that memory cannot hold is refused at "init", and the one before goes on.
if [ "$(awk '/^(Mem|Swap)Total:/ { sum += $2 } END { print sum }' /proc/meminfo)" -lt $((64 << 20)) ] &&
    [ "$(cat /proc/sys/vm/overcommit_memory)" -ne 1 ]; then
    send 'set-param name=hash value=65536' init
    says '^error message="init: hash: no memory for 65536 megabytes"$'
    send 'pos start' 'level depth=3' 'go think'
    answers "$done_line"
    send 'set-param name=hash value=2' init
    says '^ready$'
    code=0
    "$huff" analyse --variant spanish --depth 1 --hash 65536 >"$folder/text" 2>&1 || code=$?
    [ $code -eq 1 ] && [ "$(cat "$folder/text")" = 'huff analyse: --hash: no memory for 65536 megabytes' ] ||
        fail "analyse with too large a hash: exit code $code: $(cat "$folder/text")"
fi

# Every kind of level.
info="^info depth=[0-9]+ score=-?[0-9]+\.[0-9][0-9] nodes=[0-9]+ time=[0-9.]+ nps=[0-9.]+ pv=(\"$move( $move)+\"|$move)\$"
send 'pos pos=Wbbbbbbbbbbbbbbbbbbbbeeeeeeeeeewwwwwwwwwwwwwwwwwwww' 'level depth=5' 'go think'
answers "$done_line"
infos "$info"
[ "$(grep -cvE "$info" "$folder/infos")" -eq 0 ] || fail "an info is no info: $(cat "$folder/infos")"
infos '^info depth=5 '
if grep -q '^info depth=6 ' "$folder/infos"; then fail "deeper than it was told"; fi
for level in 'nodes=1234' 'move-time=0.05' 'time=2' 'moves=3 time=1' 'time=1 inc=0.1' 'time=0.001' 'time=-1' 'depth=4 time=60' \
    'nodes=1234 depth=90 infinite'; do
    send 'pos start' "level $level" 'go think'
    answers "$done_line"
done
infos ' nodes=1234 '
send 'pos start' 'level depth=90' 'level nodes=700' 'go think'
answers "$done_line"
infos ' nodes=700 '

# The same search again after new-game.
for run in 1 2; do
    send new-game 'pos start moves="32-28 19-23"' 'level depth=7' 'go think'
    answers "$done_line"
    sed 's/time=.* pv/pv/' "$folder/infos" >"$folder/infos-$run"
done
cmp "$folder/infos-1" "$folder/infos-2" || fail "another search of the same game"

# A search that only stop ends; meanwhile pings are answered and other commands are refused.
send 'pos start' 'level infinite' 'go think' ping 'pos start' 'level depth=1' 'go think' hub nonsense '"' stop
answers '^pong$'
answers '^error message="pos: not during a search'
answers '^error message="level: not during a search'
answers '^error message="go: not during a search'
answers '^error message="hub: not during a search'
answers '^error message="expected a name'
answers "$done_line"
send stop ponder-hit
alive
send 'pos start' 'go analyze' ping
answers '^pong$'
send stop stop
answers "$done_line"

# Pondering: nothing is said before ponder-hit or stop, even when the search is at its end.
send 'pos start moves="32-28 19-23"' 'level depth=3' 'go ponder' ping
answers '^pong$'
alive
send ponder-hit
answers "$done_line"
send 'pos start' 'level time=1 inc=0.01' 'go ponder' ping
answers '^pong$'
send ponder-hit
answers "$done_line"
send 'pos start' 'level move-time=0.1' 'go ponder'
alive
send stop
answers "$done_line"

# Several threads: the moves are legal, and stop is obeyed as by one.
send 'set-param name=threads value=2' init
says '^ready$'
send 'pos start' 'level nodes=20000' 'go think'
answers "$done_line"
send 'pos start' 'level infinite' 'go think' ping
answers '^pong$'
send stop
answers "$done_line"
send 'set-param name=threads value=1' init
says '^ready$'

# A single legal move is answered at once, but analysed when that is asked for.
send 'pos start moves="32-28 17-22"' 'level infinite' 'go think'
answers '^done move=28x17x22'
send 'pos start moves="32-28 17-22"' 'level depth=6' 'go analyze'
answers '^done move=28x17x22'
infos '^info depth=6 '

# Bad lines: an error each, and on it goes.
bad() { # LINE TEXT
    send "$1"
    says "^error message=\".*$2"
    alive
}
bad 'a b=c=d' 'unexpected'
bad 'a b="c' 'not closed'
bad "$(printf 'go\001')" 'unexpected'
bad 'level' 'level: expected depth='
send 'frobnicate x=1' book
alive
bad 'level depth=two' 'level: depth: expected 0\.\.'
bad 'level time=nan' 'level: time: expected'
bad 'pos pos=Wbb' 'pos: expected the side to move and 50 squares'
bad 'go think' 'go: expected a position first'
send 'pos start'
bad 'go' 'go: expected think, ponder or analyze'
bad 'go think' "go: expected 'level' first"
bad 'pos start moves="32-28 32-28"' 'moves: move 2: '
bad 'go analyze' 'go: expected a position first'

# A game that is over has no move, which is an answer all the same, and the only one.
for go in 'go think' 'go ponder' 'go analyze'; do
    send "pos pos=W$(printf 'e%.0s' {1..49})B" 'level depth=1' "$go"
    says '^done$'
    send stop ponder-hit
    alive
done
send "pos pos=W$(printf 'e%.0s' {1..49})B" 'level depth=1' 'go think'
says '^done$'
bad 'go think' "go: expected 'level' first"
bad "$(head -c 1100000 /dev/zero | tr '\0' x)" 'more than 1048576 bytes'
printf 'pi\0ng\n' >&3
says '^error message="a zero byte'
printf '\r\n\n  \nping\r\n' >&3
says '^pong$'
send quit
ends

# Other boards and variants, by option or parameter; init again changes the variant.
start --variant spanish --hash 1 --threads 3
send hub init 'pos pos=Wbbbbbbbbbbbbeeeeeeeewwwwwwwwwwww' 'level depth=4' 'go think'
says '^id '
says 'name=variant value=spanish '
says 'name=hash value=1 '
says 'name=threads value=3 '
says 'name=weights'
says 'name=ponder'
says '^wait$'
says '^ready$'
answers '^done move=2[1-4]-(1[789]|20) '
for variant in frisian american+free Russian english killer italian; do
    send "set-param name=variant value=$variant" init 'pos start' 'level depth=3' 'go think'
    says '^ready$'
    answers "$done_line"
done
# The end of the input ends a search, too.
send 'pos start' 'level infinite' 'go think'
says '^info '
ends
start
ends
start
send init 'pos start' 'level infinite' 'go think' quit
ends

# Refusals of the command line.
for arguments in '--variant chess' '--hash 0' '--hash x' 'extra' '--nonsense'; do
    code=0
    # shellcheck disable=SC2086
    "$huff" hub $arguments </dev/null >"$folder/text" 2>&1 || code=$?
    [ $code -eq 2 ] || fail "$arguments: exit code $code: $(cat "$folder/text")"
done
echo "done"
