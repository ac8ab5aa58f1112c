#!/usr/bin/env python3
"""reference.py -- a plain, slow draughts move generator that the fast one is checked against.

Written from the rule books without looking at the C code: lists instead of bitboards, one square at a time,
every rule asked while the program runs. `VARIANT+free` is the house rule that a quiet move may be played
instead of a capture.

    reference.py VARIANT [POSITION [DEPTH]]     legal moves, or the leaf counts of depth 1..DEPTH

Squares have their common numbers: row by row from the top left with White at the bottom, 8x8 b8 = 1 ...
g1 = 32, 10x10 b10 = 1 ... i1 = 50, whatever the numbering of the variant's own notation. A position is
"W:W31,K32:B1,2" in these numbers.
"""
import sys
from collections import namedtuple

# A move as the program knows it: two captures that agree in all of this are the same move.
Move = namedtuple('Move', 'start end captured crowned')  # captured: squares in ascending order

# A capture as it is walked: `victims` in the order of jumping, with what was needed to rank it.
Walk = namedtuple('Walk', 'start end victims kings_taken by_king crowned')

Position = namedtuple('Position', 'pieces white_to_move')  # pieces: square -> 'w', 'W', 'b' or 'B'


class TooMuchWork(Exception):
    """The captures of a position take more jumps to walk than the caller allows."""


# ---- priorities: of the captures that are possible, those with the greatest rank are legal -------------------

def rank_none(walk):
    return 0


def rank_quantity(walk):
    return len(walk.victims)


def rank_spanish(walk):
    """Law of quantity, then law of quality."""
    return len(walk.victims), sum(walk.kings_taken)


def rank_italian(walk):
    """FID 6.6 most pieces, 6.7 with a king, 6.8 most kings, 6.9 kings as early as possible."""
    return len(walk.victims), walk.by_king, sum(walk.kings_taken), walk.kings_taken


def rank_king_first(walk):
    return walk.by_king


def rank_frisian(walk):
    """A king is worth less than two men, k kings more than 2k-1 men; then with a king (FRIS 11, 12)."""
    kings = sum(walk.kings_taken)
    men = len(walk.victims) - kings
    return 100 * men + 199 * kings, walk.by_king


# ---- variants ------------------------------------------------------------------------------------------------

class Rules:
    """What the variants differ in; the defaults are those of international draughts on 8x8."""

    def __init__(self, width=8, rows_of_men=3, white_starts=True, men_capture_backward=True, straight=False,
                 men_capture_kings=True, flying=True, landing='anywhere', crowning='passes', at_once=False,
                 rank=rank_quantity, free=False):
        self.width = width
        self.rows_of_men = rows_of_men
        self.white_starts = white_starts
        self.men_capture_backward = men_capture_backward
        self.straight = straight                    # captures along rows and files too
        self.men_capture_kings = men_capture_kings
        self.flying = flying
        self.landing = landing                      # anywhere, behind (the victim), behind last king
        self.crowning = crowning                    # in mid-capture: stops, passes, continues (as a king)
        self.at_once = at_once                      # victims leave the board during the move
        self.rank = rank
        self.free = free

    @property
    def squares(self):
        return self.width * self.width // 2

    @property
    def pieces_per_side(self):
        return self.rows_of_men * self.width // 2


VARIANTS = {
    'spanish': dict(men_capture_backward=False, crowning='stops', rank=rank_spanish),
    'italian': dict(men_capture_backward=False, men_capture_kings=False, flying=False, crowning='stops',
                    rank=rank_italian),
    'brazilian': dict(),
    'russian': dict(crowning='continues', rank=rank_none),
    'czech': dict(men_capture_backward=False, crowning='stops', rank=rank_king_first),
    'american': dict(white_starts=False, men_capture_backward=False, flying=False, crowning='stops',
                     rank=rank_none),
    'pool': dict(white_starts=False, rank=rank_none),
    'portuguese': dict(men_capture_backward=False, crowning='stops', rank=rank_spanish),
    'thai': dict(rows_of_men=2, white_starts=False, men_capture_backward=False, landing='behind',
                 crowning='stops', at_once=True, rank=rank_none),
    'international': dict(width=10, rows_of_men=4),
    'frisian': dict(width=10, rows_of_men=4, straight=True, rank=rank_frisian),
    'killer': dict(width=10, rows_of_men=4, landing='behind last king'),
}


def rules_of(name):
    base, plus, option = name.partition('+')
    if base not in VARIANTS or (plus and (option != 'free' or VARIANTS[base].get('width', 8) != 8)):
        raise ValueError('unknown variant ' + name)
    return Rules(free=bool(plus), **VARIANTS[base])


# ---- the board -----------------------------------------------------------------------------------------------

DIAGONALS = [(-1, -1), (-1, 1), (1, -1), (1, 1)]
STRAIGHTS = [(-2, 0), (2, 0), (0, -2), (0, 2)]  # two squares of the board, so as to stay on the colour


def square_at(width, row, column):
    """The common number of a square, None off the board."""
    if not (0 <= row < width and 0 <= column < width):
        return None
    return row * width // 2 + column // 2 + 1


def row_of(width, square):
    return (square - 1) // (width // 2)


def column_of(width, square):
    return (square - 1) % (width // 2) * 2 + (1 - row_of(width, square) % 2)


def lines_of(width):
    """lines[direction][square]: the squares met when going on and on in a direction, nearest first."""
    lines = {}
    for down, right in DIAGONALS + STRAIGHTS:
        lines[down, right] = {}
        for square in range(1, width * width // 2 + 1):
            row, column = row_of(width, square), column_of(width, square)
            line = []
            while True:
                row, column = row + down, column + right
                following = square_at(width, row, column)
                if following is None:
                    break
                line.append(following)
            lines[down, right][square] = line
    return lines


# ---- moves ---------------------------------------------------------------------------------------------------

class Generator:
    def __init__(self, name, work_limit=None):
        self.name = name
        self.rules = rules_of(name)
        self.lines = lines_of(self.rules.width)
        self.work_limit = work_limit  # on the jumps tried for one position
        self.work = 0

    def initial(self):
        rules = self.rules
        pieces = {}
        for number in range(1, rules.pieces_per_side + 1):
            pieces[number] = 'b'
            pieces[rules.squares + 1 - number] = 'w'
        return Position(pieces, rules.white_starts)

    def crowns(self, square, white):
        return row_of(self.rules.width, square) == (0 if white else self.rules.width - 1)

    @staticmethod
    def forward(direction, white):
        return direction[0] < 0 if white else direction[0] > 0

    def quiet_moves(self, position):
        moves = []
        for square, piece in position.pieces.items():
            if (piece in 'wW') != position.white_to_move:
                continue
            king = piece.isupper()
            for direction in DIAGONALS:
                if not king and not self.forward(direction, position.white_to_move):
                    continue
                for end in self.lines[direction][square]:
                    if end in position.pieces:
                        break
                    moves.append(Move(square, end, (), not king and self.crowns(end, position.white_to_move)))
                    if not (king and self.rules.flying):
                        break
        return moves

    def capture_directions(self, king, white):
        directions = DIAGONALS + (STRAIGHTS if self.rules.straight else [])
        if king or self.rules.men_capture_backward:
            return directions
        return [direction for direction in directions if self.forward(direction, white)]

    def jumps(self, occupied, white, king, square, victims):
        """Single jumps from `square`: (victim, squares it can land on)."""
        rules = self.rules
        for direction in self.capture_directions(king, white):
            line = self.lines[direction][square]
            reach = len(line) if king and rules.flying else 1
            place = next((i for i, s in enumerate(line[:reach]) if s in occupied), None)
            if place is None:
                continue
            victim = line[place]
            piece = occupied[victim]
            if (piece in 'wW') == white or victim in victims:
                continue
            if piece.isupper() and not king and not rules.men_capture_kings:
                continue
            landings = []
            for landing in line[place + 1:]:
                if landing in occupied:
                    break
                landings.append(landing)
                if not (king and rules.flying) or rules.landing == 'behind':
                    break
            if landings:
                yield victim, landings

    def finishes(self, occupied, white, king, square, victims):
        """All ways to finish a capture from `square`: (end, is a king, victims in order). Empty: none goes on."""
        found = []
        for victim, landings in self.jumps(occupied, white, king, square, victims):
            self.work += 1
            if self.work_limit is not None and self.work > self.work_limit:
                raise TooMuchWork
            taken = victims + (victim,)
            left = occupied
            if self.rules.at_once:
                left = {s: p for s, p in occupied.items() if s != victim}
            going_on, ending = [], []
            for landing in landings:
                king_now, stops = king, False
                if not king and self.crowns(landing, white):
                    king_now = self.rules.crowning == 'continues'
                    stops = self.rules.crowning == 'stops'
                further = [] if stops else self.finishes(left, white, king_now, landing, taken)
                going_on += further
                if not further:
                    ending.append((landing, king_now, taken))
            if not going_on:  # a capture is finished only where no landing square lets it go on
                if self.rules.landing == 'behind last king' and king and occupied[victim].isupper():
                    ending = ending[:1]
                going_on = ending
            found += going_on
        return found

    def capture_walks(self, position):
        """Every complete capture, whatever its priority, one for each way of walking it."""
        walks = []
        white = position.white_to_move
        self.work = 0
        for start, piece in position.pieces.items():
            if (piece in 'wW') != white:
                continue
            others = {s: p for s, p in position.pieces.items() if s != start}  # its own square is empty now
            for end, is_king, victims in self.finishes(others, white, piece.isupper(), start, ()):
                kings_taken = tuple(position.pieces[victim].isupper() for victim in victims)
                crowned = piece.islower() and (is_king or self.crowns(end, white))
                walks.append(Walk(start, end, victims, kings_taken, piece.isupper(), crowned))
        return walks

    def legal_walks(self, position):
        walks = self.capture_walks(position)
        best = max(map(self.rules.rank, walks), default=0)
        return [walk for walk in walks if self.rules.rank(walk) == best]

    def captures(self, position):
        return sorted({Move(walk.start, walk.end, tuple(sorted(walk.victims)), walk.crowned)
                       for walk in self.legal_walks(position)}, key=move_order)

    def paths(self, position):
        """Captures told apart by the order of capturing too; not by where the piece stopped on one line."""
        return sorted({(walk.start, walk.end, walk.victims, walk.crowned) for walk in self.legal_walks(position)})

    def moves(self, position):
        """All legal moves in move_order."""
        return self.legal(self.captures(position), self.quiet_moves(position), self.rules.free)

    @staticmethod
    def legal(captures, quiet, free):
        if captures and not free:
            return captures
        return sorted(captures + quiet, key=move_order)

    @staticmethod
    def play(position, move):
        pieces = dict(position.pieces)
        piece = pieces.pop(move.start)
        for victim in move.captured:
            del pieces[victim]
        pieces[move.end] = piece.upper() if move.crowned else piece
        return Position(pieces, not position.white_to_move)

    def perft(self, position, depth):
        moves = self.moves(position)
        if depth == 1:
            return len(moves)
        return sum(self.perft(self.play(position, move), depth - 1) for move in moves)


def move_order(move):
    """By start, end, and the captured squares as a number in which square n is bit n-1."""
    return move.start, move.end, sum(1 << square - 1 for square in move.captured), move.crowned


# ---- text ----------------------------------------------------------------------------------------------------

def move_text(move):
    """ "12-16", "12x19{15}", "8x1{5}=K": common numbers, captured squares ascending."""
    text = f"{move.start}{'x' if move.captured else '-'}{move.end}"
    if move.captured:
        text += '{' + ','.join(map(str, move.captured)) + '}'
    return text + ('=K' if move.crowned else '')


def position_text(position):
    sides = []
    for side in 'WB':
        squares = sorted(s for s, p in position.pieces.items() if p.upper() == side)
        sides.append(side + ','.join(('K' if position.pieces[s].isupper() else '') + str(s) for s in squares))
    return ('W:' if position.white_to_move else 'B:') + ':'.join(sides)


def position_from_text(text):
    turn, *sides = text.split(':')
    pieces = {}
    for side in sides:
        for item in filter(None, side[1:].split(',')):
            man = side[0].lower()
            pieces[int(item.lstrip('K'))] = man.upper() if item.startswith('K') else man
    return Position(pieces, turn == 'W')


def main(arguments):
    if not 1 <= len(arguments) <= 3:
        print(__doc__)
        return 2
    generator = Generator(arguments[0])
    position = generator.initial()
    if len(arguments) > 1 and arguments[1] != 'start':
        position = position_from_text(arguments[1])
    if len(arguments) == 3:
        for depth in range(1, int(arguments[2]) + 1):
            print(f'perft {depth} = {generator.perft(position, depth)}', flush=True)
        return 0
    moves = generator.moves(position)
    for move in moves:
        print(move_text(move))
    print(len(moves), 'moves')
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
