#!/usr/bin/env bash
# play.sh BIN_FOLDER -- huff play, typed into a pipe and on a terminal: moves, commands, and whatever else people type.
set -euo pipefail
huff=$(cd "${1:?folder of the built programs}" && pwd)/huff
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export LC_ALL=C.UTF-8
cd "$folder"

fail() {
    echo "play.sh: $*" >&2
    exit 1
}

# Types a text, to its last byte.
types() {
    local text=$1 code=0
    shift
    printf '%s' "$text" >in
    "$huff" play "$@" <in >out 2>err || code=$?
    [ $code -eq 0 ] || fail "$*: exit code $code: $(cat err)"
    [ ! -s err ] || fail "$*: on standard error: $(cat err)"
}

# How a game that is not saved says good-bye.
goodbye() { # VARIANT FEN OPTIONS
    echo "To go on from here: huff play --variant $1 --fen $2 $3"
    echo '("save FILE" keeps the moves, too, for "huff play --pdn FILE".)'
}

# The output is these lines.
says() {
    printf '%s\n' "$@" | diff - out >difference || fail "expected (<) and got (>): $(cat difference)"
}

has() {
    local text
    for text; do grep -qF -- "$text" out || fail "no \"$text\" in: $(cat out)"; done
}

lacks() {
    if grep -qF -- "$1" out; then fail "\"$1\" in: $(cat out)"; fi
}

persons() { # VARIANT FIRST SECOND
    echo "$1. $2: a person, $3: a person. $2 begins."
}
next='"new" begins another game, "save FILE" keeps this one, "undo" goes back, "quit" ends.'

# ---- moves, and why they are refused ----

types '9 18
9

   20
22-18
10-
9-99
i4-h5
9-13 now
K
10 14
3-6
14x21
moves
23 19
moves
12-15
14-18
12-16 ' --variant spanish --side both
says "$(persons spanish White Black)" \
    'the piece on 9 may play: 9-13' 'the piece on 9 may play: 9-13' 'there is no piece on 20' \
    'the piece on 22 is not yours' 'the piece on 10 may play: 10-13, 10-14' \
    '"9-99": no such square; there are 1..32, or the playing squares of a1..h8' \
    '"i4-h5": no such square; there are 1..32, or the playing squares of a1..h8' \
    '"9-13 now": expected a square after the sign' \
    '"K" is neither a move nor a command; "help" lists what there is' \
    'the piece on 3 is not yours' 'the piece on 14 is not yours' \
    '21-18, 22-19, 23-20, 21-17, 22-18, 23-19, 24-20' '14x23 {19}' \
    'you must capture: 14x23' 'you must capture: 14x23' 'you must capture: 14x23' \
    "$(goodbye spanish W:W1,2,3,4,5,6,7,8,9,11,12,14:B19,21,22,24,25,26,27,28,29,30,31,32 '--side both')"

# A capture that comes second, and one that can be made in two ways.
types '33x22
33-22
33x33
fen' --variant international --side both --fen 'W:W33,50:B28,29,19,18,8,9,20'
says "$(persons international White Black)" 'you must capture as many as you can: 33x15, 33x33' \
    'you must capture: 33x15, 33x33' 'B:W33,50:B8,9,20' \
    "$(goodbye international B:W33,50:B8,9,20 '--side both')"
types '47x36
47 38 24 13 36
fen' --variant international --side both --fen 'W:WK47:B14,19,29,31,42'
says "$(persons international White Black)" '"47x36" is ambiguous: 47x38x24x13x36, 47x38x20x9x36' 'B:WK36:B14' \
    "$(goodbye international B:WK36:B14 '--side both')"

# Letters; a king that has made its moves in a row; captures that oblige nobody.
types 'moves
9-13
c5d4
c3xe5
C3 d4
e5:c3
fen' --variant russian --side both --fen 'W:Wc3,a1:Be5,Kh8'
says "$(persons russian White Black)" 'c3-b4, c3-d4, a1-b2' \
    '"9-13": squares of russian are written as letter and number, as in c3' 'there is no piece on c5' \
    'the piece on c3 may play: c3-b4, c3-d4' 'W:Wa1:Bc3,Kh8' \
    "$(goodbye russian W:Wa1:Bc3,Kh8 '--side both')"
types '49-43
1-6
43-49
6-11
49-43
11-16
43-49' --variant frisian --side both --fen 'W:WK49,35:B1,5'
has 'the king on 43 has made its 3 moves in a row'
types '9-14
18-15
fen' --variant american+free --side both --fen 'B:B9:W22,18'
has 'B:W15,22:B14'

# ---- how games end, and begin again ----

types '1x10
1-10
hint
undo
1x10
new
fen' --variant american --side both --fen 'B:B1:W6'
over='"new" begins another game, "save FILE" keeps this one, "undo" goes back, "quit" ends.'
says "$(persons american Black White)" 'Black wins: White has no pieces left.' "$over" \
    'the game is over; "new" begins another' 'the game is over; "new" begins another' 'Black is to move again.' \
    'Black wins: White has no pieces left.' "$over" "$(persons american Black White)" \
    'B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12'
types '5-1
18-22
1-5
22-18
5-1
18-22
1-5
22-18
undo' --variant american --side both --fen 'B:BK5:WK18'
has 'The game is a draw: the same position for the 3rd time.' 'White is to move again.'
types 'moves
undo' --variant russian --side both --fen 'W:Wa3:Bb4,c5'
says "$(persons russian White Black)" 'Black wins: White cannot move.' "$over" 'the game is over; "new" begins another' \
    'there is no move of yours to take back'
types 'draw
n
draw
 Yes
undo
resign
resign
undo
level easy' --variant czech --side both
says "$(persons czech White Black)" 'Black, do you take the draw? [y/N] ' 'The draw is declined.' \
    'Black, do you take the draw? [y/N] ' 'Agreed. The game is a draw.' "$over" 'The game goes on.' \
    'White resigns. Black wins.' "$over" 'the game is over; "new" begins another' 'The game goes on.' \
    'two people play, the engine does not'

# ---- the engine ----

types 'undo
9 13
hint
level none
level hard
undo
undo
fen
help' --variant american --seed 1
[ "$(head -1 out)" = 'american. Black: you, White: huff (medium). Black begins.' ] || fail "$(head -1 out)"
has 'huff plays 2' 'I would play ' 'level: expected easy, medium or hard, got "none"' 'huff plays hard from now on' \
    'Black is to move again.' 'there is no move of yours to take back' '  save FILE    s   write the game' \
    'B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12'
types 'draw
1-6
resign' --variant italian --side black --level hard --time 0.01
has 'White: huff (hard, 0.01 s a move), Black: you. White begins.' 'huff plays 2' 'The draw is declined.' \
    'Black resigns. White wins.'
# Sides can be changed in the middle of a game.
types '10-14
swap
undo
swap
resign' --variant portuguese --board common --seed 3
has 'Black: you, White: huff (medium). Black begins.' 'You are White now.' 'You are Black now.' 'Black resigns. White wins.'
[ "$(grep -c '^huff plays' out)" -eq 3 ] || fail "$(cat out)"
# An answer that is none declines, and is obeyed.
types 'draw
9-13
draw' --variant spanish --side both
says "$(persons spanish White Black)" 'Black, do you take the draw? [y/N] ' 'The draw is declined.' \
    'White, do you take the draw? [y/N] ' \
    "$(goodbye spanish B:W1,2,3,4,5,6,7,8,10,11,12,13:B21,22,23,24,25,26,27,28,29,30,31,32 '--side both')"
# A dead draw is taken at every level, however short the game was.
for level in easy medium hard; do
    types '46-41
draw' --variant international --fen 'W:WK46:BK1' --level $level --seed 1
    has 'Agreed. The game is a draw.'
done
# Two flying kings do not catch one of them.
types draw --variant international --side black --fen 'B:WK26,K47:BK5'
has 'Agreed. The game is a draw.'
types draw --variant international --level easy --seed 1 --weights material
has 'The draw is declined.'
# A board full of kings, whose captures no search sees to their end: it plays all the same, and a hint that knows
# nothing invents no score.
kings='W:WK1-20:BK31-50'
for level in easy medium; do
    types '' --variant international --side black --level $level --seed 1 --fen $kings
    has 'huff plays '
done
types hint --variant international --side both --fen $kings
has 'I would play '
lacks '(+0.00'
# It takes a draw where it would lose, not where it would win.
types draw --variant spanish --fen 'W:WK1,K5:B20'
has 'Agreed. The game is a draw.'
types draw --variant spanish --side black --level easy --fen 'B:WK1,K5:B20'
has 'The draw is declined.'
types hint --variant spanish --fen 'W:WK1,K5:B20'
has '(win in 5 plies)'

# With a seed the levels that choose at random play the same; they answer in every variant.
for variant in italian thai frisian killer pool; do
    for level in easy medium; do
        for run in 1 2; do
            types fen --variant $variant --level $level --side black --seed 7
            types fen --variant $variant --level $level --side white --seed 7
            mv out out-$run
        done
        cmp out-1 out-2 || fail "$variant, $level: another game"
    done
done

# ---- the board ----

types board --variant spanish --fen 'W:WK1,2:BK32,20'
has '│░░░░░│     │░░░░░│     │░░░░░│  ○  │░░░░░│  ♔  │' '┌32───┬─────┬31───┬'
types 'board
flip' --variant spanish --board common --side black --fen 'W:WK1,2:BK32,20'
has 'Black: you, White: huff (medium). Black begins.' '│  ♚  │░░░░░│  ●  │' '┌─────┬29───┬' '┌─────┬4────┬'
printf 'board' >in
LC_ALL=C "$huff" play --variant russian --side black --level easy --seed 1 <in >out
has '    +-----+-----+' '  1 |:::::|  w  |:::::|  w  |' '       h     g     f     e     d     c     b     a' ' [w] ' '[ ]'

# ---- files ----

# In a pipe nobody is asked, and nothing is lost: neither a file nor the game that is going on.
types 'save
9-13
21-17
save game.pdn
save game.pdn
new
10-14
new
save none/game.pdn
save .
list
save longer.pdn
quit' --variant spanish --side both
says "$(persons spanish White Black)" 'save where? "save FILE" writes the game to FILE as PDN' 'saved to game.pdn' \
    'not saved: there is a game.pdn already' "$(persons spanish White Black)" \
    'The game goes on: "save FILE" or "resign" comes before "new".' \
    'none/game.pdn: cannot write: No such file or directory' 'not saved: there is a . already' '1. 10-14' 'saved to longer.pdn'
grep -q '^1\. 9-13 21-17 \*$' game.pdn || fail "$(cat game.pdn)"
# It goes on, names and all; another seat, another level.
types 'moves
undo
resign
save  with blanks.pdn  ' --pdn game.pdn
has 'White: a person, Black: a person. White is to move.' 'Black is to move again.' 'Black resigns. White wins.' \
    'saved to with blanks.pdn'
grep -q '^1\. 9-13 {resigned} \*$' 'with blanks.pdn' || fail "$(cat 'with blanks.pdn')"
grep -qF '[Termination "White wins"]' 'with blanks.pdn' || fail "$(cat 'with blanks.pdn')"
# Who resigned has to go back first.
types '21-17
undo
resign' --pdn 'with blanks.pdn' --variant spanish
says 'spanish. Black: a person, White: a person. The game is over.' 'White wins: resigned.' "$over" \
    'the game is over; "new" begins another' 'The game goes on.' 'Black resigns. White wins.' "$over"
types 'undo' --pdn 'with blanks.pdn' --variant spanish --side white --level easy --seed 1
has 'Black: huff (easy), White: you. The game is over.' 'White wins: resigned.' 'The game goes on.' 'huff plays '
for row in '1/2-1/2|Draw: agreed|The game is a draw: agreed.' '0-1|Black wins: time|Black wins: time.' \
    '0-1|Black wins: he went home|Black wins: he went home.' '1-0||White wins.' '0-0||Both sides lose.'; do
    IFS='|' read -r result termination text <<<"$row"
    printf '[Result "%s"]\n[GameType "24"]\n' "$result" >over.pdn
    [ -z "$termination" ] || printf '[Termination "%s"]\n' "$termination" >>over.pdn
    printf '1. 9-13 21-17 *\n' >>over.pdn
    types 'hint
undo
moves' --pdn over.pdn --side white
    has 'The game is over.' "$text" 'the game is over; "new" begins another' 'The game goes on.' '10-14'
done
types '' --variant russian --fen 'W:Wa3:Bb4,c5' --side both
has 'Black wins: White cannot move.'

# A game against the engine keeps its seats, whichever they are, unless options say otherwise.
for side in white black; do
    for board in official common; do
        rm -f seats.pdn
        types "$([ $side = white ] && [ $board = official ] || [ $side = black ] && [ $board = common ] && echo 9-13)
save seats.pdn" --variant spanish --side $side --level easy --board $board --seed 2
        has 'saved to seats.pdn'
        types fen --pdn seats.pdn --board $board
        name=$([ $side = white ] && echo White || echo Black)
        other=$([ $side = white ] && echo Black || echo White)
        has "$name: you" "$other: huff (easy)"
        lacks 'huff plays'
    done
done
types '' --pdn seats.pdn --level hard --time 0.01
has 'White: you' 'Black: huff (hard, 0.01 s a move)'
types '' --pdn seats.pdn --side black --level medium --seed 1
has 'White: huff (medium), Black: you.'
types 'save swapped.pdn' --pdn seats.pdn --side black --seed 1
types '' --pdn swapped.pdn --seed 1
has 'Black: you, White: huff (easy). Black is to move.'
types 'save timed.pdn' --pdn swapped.pdn --side black --time 0.02
types 'save timed-too.pdn' --pdn timed.pdn --side white
mv timed-too.pdn timed.pdn
types '' --pdn timed.pdn
has 'White: you, Black: huff (hard, 0.02 s a move)'
# Names that tell nothing: the side that begins.
printf '[White "Tinsley"]\n[Black "huff"]\n[GameType "24"]\n1. 9-13 *\n' >strangers.pdn
types '' --pdn strangers.pdn --seed 1
has 'Black: huff (medium), White: you. Black is to move.'

# The command that goes on seats the same players.
types '9-13' --variant spanish --side white --level easy --weights material --hash 2 --threads 2 -q --seed 1
grep -qE "^To go on from here: huff play --variant spanish --fen W:W\S+ --side white --level easy --weights material --hash 2 --threads 2 -q$" out ||
    fail "$(cat out)"
types '9-13' --variant spanish --side black --time 0.01 --board common
command=$(sed -n 's/^To go on from here: huff //p' out)
[[ $command == *' --side black --level hard --time 0.01 --board common' ]] || fail "$command"
# shellcheck disable=SC2086
"$huff" $command <<<fen >out
has 'Black: you, White: huff (hard, 0.01 s a move). Black begins.' 'in FEN and PDN it is White'

# ---- looking back and forward ----

types 'list
9-13
21-17
undo
redo
undo
undo
redo
redo
redo
list
undo
21-18
redo' --variant spanish --side both
says "$(persons spanish White Black)" 'no move has been played' 'Black is to move again.' 'Black plays 21-17 again' \
    'Black is to move again.' 'White is to move again.' 'White plays 9-13 again' 'Black plays 21-17 again' \
    'there is no move to play again' '1. 9-13 21-17' 'Black is to move again.' 'there is no move to play again' \
    "$(goodbye spanish W:W1,2,3,4,5,6,7,8,10,11,12,13:B18,22,23,24,25,26,27,28,29,30,31,32 '--side both')"
types 'list' --variant spanish --side both --fen 'B:W1:B32'
has 'no move has been played'
types '32-28
1-5
list' --variant spanish --side both --fen 'B:W1:B32'
has '1... 32-28 2. 1-5'
types '9-13
undo
redo' --variant spanish --level easy --seed 1
[ "$(grep -c '^huff plays' out)" -eq 1 ] && grep -q '^Black plays .* again$' out || fail "$(cat out)"

# ---- what people type besides ----

long=$(head -c 5000 /dev/zero | tr '\0' 9)
types "$long
$long$long
   $(printf '\t') 
$(printf '\377\376')-9
$(printf '9-1\001\033[2J3')
fen fen fen
quit now
9-13" --variant spanish --side both
says "$(persons spanish White Black)" 'a line of more than 4096 bytes is no move' \
    'a line of more than 4096 bytes is no move' '"??-9" is neither a move nor a command; "help" lists what there is' \
    '"9-1??[2J3": unexpected "??[2J3" after the move' \
    'W:W1,2,3,4,5,6,7,8,9,10,11,12:B21,22,23,24,25,26,27,28,29,30,31,32'
printf '9-13\r\n21-17\r\nfe\0n\nfen' >in
"$huff" play --variant spanish --side both <in >out
has '"fe?n" is neither a move' 'W:W1,2,3,4,5,6,7,8,10,11,12,13:B17,22,23,24,25,26,27,28,29,30,31,32'
# Input that ends in a question is no consent.
types 'save game.pdn' --variant spanish --side both
lacks 'saved to'
types 'draw' --variant spanish --side both
lacks 'agreed'
"$huff" play --variant spanish --side both <&- >out || fail "closed input"
if [ -w /dev/full ] && "$huff" play --variant spanish </dev/null >/dev/full 2>err; then fail "a full disk passes for success"; fi

refuses() { # CODE TEXT ARGUMENT...
    local code=0 expected=$1 text=$2
    shift 2
    "$huff" play "$@" >out 2>err </dev/null || code=$?
    [ $code -eq "$expected" ] || fail "$*: exit code $code: $(cat err)"
    grep -qF -- "$text" err || fail "$*: no \"$text\" in: $(cat err)"
    [ ! -s out ] || fail "output beside an error: $*"
}
refuses 2 '--variant is missing'
refuses 2 'chess' --variant chess
refuses 2 '--level: expected easy, medium or hard, got "x"' --variant thai --level x
refuses 2 '--side: expected white, black or both, got "red"' --variant thai --side red
refuses 2 '--board: expected official or common, got "round"' --variant thai --board round
refuses 2 '--time: expected 0.01..1000000, got "0"' --variant thai --time 0
refuses 2 '--time is for --level hard' --variant thai --time 1 --level easy
refuses 2 '--fen and --pdn exclude each other' --variant thai --fen start --pdn game.pdn
refuses 2 '--json' --variant thai --json
refuses 2 '--fen' --variant thai --fen nonsense
refuses 1 'none.pdn: No such file' --pdn none.pdn
refuses 1 'none.weights: No such file' --variant thai --weights none.weights
: >empty.pdn
refuses 1 'empty.pdn: no game in it' --pdn empty.pdn
sed 's/9-13/9-14x/' game.pdn >bad.pdn
refuses 1 'bad.pdn:' --pdn bad.pdn

# ---- on a terminal ----

cat >terminal.py <<'PY'
import fcntl, os, pty, re, select, signal, struct, sys, termios

class Terminal:
    """A program on a terminal of its own: what it shows is looked at from where the last look ended."""

    def __init__(self, *arguments, **environment):
        self.shown, self.at = "", 0
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ.pop("NO_COLOR", None)
            os.environ.pop("COLORTERM", None)
            os.environ.update({"TERM": "xterm-256color"}, **environment)
            os.execv(sys.argv[1], [sys.argv[1], "play", *arguments])

    def read(self):
        try:
            data = os.read(self.fd, 65536)
        except OSError:
            return False
        self.shown += data.decode("utf-8", "replace")
        return bool(data)

    def sees(self, pattern):
        while not (found := re.search(pattern, self.shown[self.at:])):
            ready = select.select([self.fd], [], [], 300)[0]
            assert ready and self.read(), f"no {pattern!r} in {self.shown[self.at:]!r}"
        start = self.at
        self.at += found.end()
        return self.shown[start:self.at]

    def types(self, text):
        os.write(self.fd, text.encode())

    def ends(self, code=0):
        while self.read():
            pass
        status = os.waitpid(self.pid, 0)[1]
        assert os.waitstatus_to_exitcode(status) == code, (status, self.shown)

signal.alarm(1200)  # whatever is waited for in vain

# Boards in colours are drawn by themselves, numbers on the squares of games that have them.
t = Terminal("--variant", "spanish", "--side", "both")
first = t.sees("White> ")
assert "\x1b[48;5;65m" in first and " 9" in first and "▟" in first, first
t.types("9 13\n")
assert "\x1b[48;5;137m" in t.sees("Black> "), "the last move is not marked"
t.types("save once.pdn\n")
t.sees("saved to once.pdn\r\n")
t.types("save once.pdn\n")
t.sees(r"There is a once.pdn: replace it\? \[y/N\] ")
t.types("y\n")
t.sees("saved to once.pdn\r\n")
t.types("21-17\nnew\n")
t.sees(r"Drop the game that is going on\? \[y/N\] ")
t.types("n\n")
t.sees("The game goes on.\r\n")
t.types("save twice.pdn\n")
t.sees("saved to twice.pdn\r\n")
t.types("\x04")
assert "To go on" not in t.sees("> \r\n"), "it is saved"
t.ends()

# No colours when they are not wanted, and then the signs are explained.
for environment in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
    t = Terminal("--variant", "russian", "--side", "both", **environment)
    text = t.sees("White> ")
    assert "\x1b" not in text and "┼" in text and "○ White, ● Black; kings ♔, ♚." in text, text
    t.types("quit\n")
    t.ends()
t = Terminal("--variant", "russian", "--side", "both", LC_ALL="C", TERM="xterm")
text = t.sees("White> ")
assert "\x1b[42m" in text and text.isascii(), text
t.types("quit\n")
t.ends()

# A window that is too narrow for the board gets a small one, or is told so; it may be made wider.
t = Terminal("--variant", "spanish", "--side", "both", LC_ALL="C")
t.sees("White> ")
for columns, text in (20, r"  b   b   b   b\s+b   b   b   b"), (10, "no room for a board: 10 columns, it needs 16"), (80, "\x1b"):
    fcntl.ioctl(t.fd, termios.TIOCSWINSZ, struct.pack("4H", 24, columns, 0, 0))
    t.types("board\n")
    t.sees(text)
    t.sees("White> ")
t.types("quit\n")
t.ends()

# Ctrl-C: once makes the engine move at once, or says how to save; twice at the prompt ends.
t = Terminal("--variant", "american", "--side", "white", "--time", "1000")
t.sees("huff thinks")
t.types("\x03")
t.sees("huff plays [0-9]+-[0-9]+\r\n")
t.sees("White> ")
t.types("22-1\x03")
t.sees('Ctrl-C again, or "quit", ends; "save FILE" keeps the game\r\n')
t.sees("White> ")
t.types("fen\n")
t.sees("W:W21,")
t.sees("White> ")
t.types("\x03")
t.sees("White> ")
t.types("\x03")
t.sees("To go on from here: huff play --variant american --fen W:W21,.* --side white --level hard --time 1000\r\n")
t.ends()

# Told to end, it ends, be it while it thinks.
t = Terminal("--variant", "american", "--side", "white", "--time", "1000")
t.sees("huff thinks")
os.kill(t.pid, signal.SIGTERM)
t.ends()
t = Terminal("--variant", "american", "--side", "black", "--level", "hard", "--time", "1000")
t.sees("Black> ")
t.types("9-14\n")
t.sees("huff thinks")
os.kill(t.pid, signal.SIGTERM)
t.sees("To go on from here: huff play --variant american --fen W:W.* --side black --level hard --time 1000\r\n")
t.ends()

# A whole game against itself, as far as a hint is a move: it comes to an end by the rules.
t = Terminal("--variant", "pool", "--level", "easy", "--seed", "5", "-q", "--fen", "B:BK1,K5:WK32")
while True:
    text = t.sees("Black> |huff> ")
    if "huff> " in text:
        break
    t.types("hint\n")
    t.types(re.search("I would play ([0-9x-]+)", t.sees("I would play .*\r\n"))[1] + "\n")
    t.sees("Black> ")
assert "begins another game" in text, text
t.types("quit\n")
t.ends()
PY
if python3 -c 'import os; os.openpty()' 2>/dev/null; then
    python3 terminal.py "$huff" || fail "on a terminal"
else
    echo "this system has no pseudo-terminals (/dev/pts): what needs one was left out"
fi
echo "done"
