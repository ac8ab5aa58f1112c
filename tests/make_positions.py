#!/usr/bin/env python3
"""make_positions.py -- records what the legal moves of 20,000 positions of each variant are.

    make_positions.py [VARIANT...]      writes positions/VARIANT.moves and VARIANT+free.moves (default: all)

The moves come from reference.py. test_movegen.c makes the same positions again and compares the moves of
core/movegen.c with what is recorded here. portuguese is spanish by another name and has no file of its own.

Random numbers. splitmix64 (Steele, Lea, Flood 2014); below(n) is the upper half of a number times n, shifted
down by 32. Unit u of a variant starts from the state FNV-1a-64(variant name) xor u * 0xd1342543de82ef95, so
that every unit can be made on its own.

Positions. Unit u = 0, 1, 2, ... is
    u % 64 == 0     a game from the start position, at most 100 plies of random legal moves
    u % 64 == 32    a game from a random placement, at most 40 plies
    else            a random placement alone
A placement draws: the side to move (0 = White); a pattern below(3), where 1 and 2 put the pieces of the side
that does not move on rows of even or odd index alone, so that long captures abound; then for White and for
Black: how many pieces to try, 1 + below(most a side can have), which the pattern replaces by the most a side can
have; the share of kings, below(9) eighths; and for each piece its square, 1 + below(squares), then below(8),
which makes it a king when it is less than that share. A piece whose square is taken or against the pattern is
left out; a man on its crowning row is a king. A game plays moves[below(len(moves))] of the list in move_order
of reference.py.

Records, 6 bytes each, little-endian, one for each position in the order in which they arise:
    uint16 number of legal moves
    uint32 FNV-1a-64 of the list, folded (lower half xor upper half)
where the list is the text of every move in move_order, each followed by a line feed:
    12-16   12x19{15}   8x1{5}=K        (common numbers, captured squares ascending)
A position whose captures take more than 20,000 jumps to walk has 65535 and 0: nothing is recorded, and a game
ends there. A game ends as well when there is no move. Rules that depend on the moves before (the Frisian
limit on king moves) are not part of it. The file ends with the unit that brings the number of different
positions recorded to 20,000. VARIANT+free.moves has the lists of the same positions when captures are optional.
"""
import os
import struct
import sys

from reference import VARIANTS, Generator, Position, TooMuchWork, move_text, row_of

POSITIONS = 20000
WORK_LIMIT = 20000
NOT_RECORDED = 65535
PLIES_FROM_START, PLIES_FROM_PLACEMENT = 100, 40
MASK = (1 << 64) - 1


class Random:
    def __init__(self, variant, unit):
        self.state = fnv(variant.encode()) ^ (unit * 0xd1342543de82ef95 & MASK)

    def bits(self):
        self.state = (self.state + 0x9e3779b97f4a7c15) & MASK
        z = self.state
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9 & MASK
        z = (z ^ z >> 27) * 0x94d049bb133111eb & MASK
        return z ^ z >> 31

    def below(self, limit):
        return (self.bits() >> 32) * limit >> 32


def fnv(data):
    h = 0xcbf29ce484222325
    for byte in data:
        h = (h ^ byte) * 0x100000001b3 & MASK
    return h


def placement(random, rules):
    pieces = {}
    white_to_move = random.below(2) == 0
    pattern = random.below(3)
    for side in 'wb':
        count = 1 + random.below(rules.pieces_per_side)
        share = random.below(9)
        patterned = pattern >= 1 and (side == 'w') != white_to_move
        for _ in range(rules.pieces_per_side if patterned else count):
            square = 1 + random.below(rules.squares)
            king = random.below(8) < share
            row = row_of(rules.width, square)
            if square in pieces or (patterned and row % 2 != pattern - 1):
                continue
            king = king or row == (0 if side == 'w' else rules.width - 1)
            pieces[square] = side.upper() if king else side
    return Position(pieces, white_to_move)


class Recorder:
    """Collects the records of a variant, and of its +free form if there is one."""

    def __init__(self, variant):
        self.generator = Generator(variant, WORK_LIMIT)
        self.variant = variant
        self.records = {variant: []}
        if self.generator.rules.width == 8:
            self.records[variant + '+free'] = []
        self.seen = set()

    def record(self, position):
        """The legal moves, None when there are too many captures to record them."""
        try:
            captures = self.generator.captures(position)
        except TooMuchWork:
            for records in self.records.values():
                records.append((NOT_RECORDED, 0))
            return None
        quiet = self.generator.quiet_moves(position)
        moves = self.generator.legal(captures, quiet, free=False)
        for name, records in self.records.items():
            listed = self.generator.legal(captures, quiet, free=name.endswith('+free'))
            h = fnv(''.join(move_text(move) + '\n' for move in listed).encode())
            records.append((len(listed), (h ^ h >> 32) & 0xffffffff))
        self.seen.add((frozenset(position.pieces.items()), position.white_to_move))
        return moves

    def unit(self, number):
        random = Random(self.variant, number)
        plies = {0: PLIES_FROM_START, 32: PLIES_FROM_PLACEMENT}.get(number % 64, 0)
        position = self.generator.initial() if number % 64 == 0 else placement(random, self.generator.rules)
        moves = self.record(position)
        for _ in range(plies):
            if not moves:
                break
            position = self.generator.play(position, moves[random.below(len(moves))])
            moves = self.record(position)

    def run(self):
        number = 0
        while len(self.seen) < POSITIONS:
            self.unit(number)
            number += 1

    def write(self, folder):
        for name, records in self.records.items():
            with open(os.path.join(folder, name + '.moves'), 'wb') as file:
                for record in records:
                    file.write(struct.pack('<HI', *record))
            left_out = sum(count == NOT_RECORDED for count, _ in records)
            print(f'{name}: {len(records)} records, {len(self.seen)} different positions, {left_out} left out')


def main(variants):
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'data', 'positions')
    os.makedirs(folder, exist_ok=True)
    for variant in variants or [name for name in VARIANTS if name != 'portuguese']:
        recorder = Recorder(variant)
        recorder.run()
        recorder.write(folder)


if __name__ == '__main__':
    main(sys.argv[1:])
