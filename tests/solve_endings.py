#!/usr/bin/env python3
"""solve_endings.py -- the values in data/endings.tsv once more, by other means than the engine's.

    solve_endings.py [BIN_FOLDER] [PIECES]

Solves all positions of a king against as many pieces as a row has, men among them or not, backwards from those
that are lost at once, with the slow generator of reference.py; draw rules are not looked at. Rows with more than
PIECES pieces (3) are left out: 4 take minutes. BIN_FOLDER is not used.
"""
import os
import sys
from itertools import combinations, product

sys.dont_write_bytecode = True
from reference import Generator, Position  # noqa: E402

TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'data', 'endings.tsv')

# ---- positions -----------------------------------------------------------------------------------------------


def common_square(variant, width, text):
    """The common number of a square as the variant writes it (PDN 3.0 GameType)."""
    if text[0].isalpha():
        return (width - int(text[1])) * width // 2 + (ord(text[0]) - ord('a')) // 2 + 1
    row, place = divmod(int(text) - 1, width // 2)
    if variant == 'italian':  # the board is mirrored
        place = width // 2 - 1 - place
    elif variant in ('spanish', 'portuguese'):  # mirrored, from the bottom right
        row = width - 1 - row
    elif variant == 'thai':  # seen by Black
        row, place = width - 1 - row, width // 2 - 1 - place
    return row * width // 2 + place + 1


def position_of(generator, fen):
    """A position whose only white piece is a king, or None: the board is turned when Black has the lone one."""
    turn, *sides = fen.split(':')
    width = generator.rules.width
    pieces = {}
    for side in sides:
        for item in side[1:].split(','):
            square = common_square(generator.name, width, item.lstrip('K'))
            pieces[square] = side[0] if item[0] == 'K' else side[0].lower()
    white_to_move = turn == 'W'
    if sum(piece in 'wW' for piece in pieces.values()) > 1:
        pieces = {generator.rules.squares + 1 - square: {'w': 'b', 'W': 'B', 'b': 'w', 'B': 'W'}[piece]
                  for square, piece in pieces.items()}
        white_to_move = not white_to_move
    if [piece for piece in pieces.values() if piece in 'wW'] != ['W']:
        return None
    return Position(pieces, white_to_move)


def key_of(position):
    return tuple(sorted(position.pieces.items())), position.white_to_move


def placements(generator, others, men):
    """Every position of a white king against 1..others black pieces, either side to move."""
    squares = range(1, generator.rules.squares + 1)
    for count in range(1, others + 1):
        for lone in squares:
            for taken in combinations([square for square in squares if square != lone], count):
                for kinds in product('Bb' if men else 'B', repeat=count):
                    if any(kind == 'b' and generator.crowns(square, False) for kind, square in zip(kinds, taken)):
                        continue
                    pieces = dict(zip(taken, kinds))
                    pieces[lone] = 'W'
                    yield Position(pieces, True)
                    yield Position(pieces, False)


# ---- solving -------------------------------------------------------------------------------------------------


def is_beaten(position):
    """Has the side to move no piece left?"""
    return not any((piece in 'wW') == position.white_to_move for piece in position.pieces.values())


def solve(generator, others, men):
    """The plies in which the side to move wins (odd) or loses (even), by key; absent: neither is forced."""
    value, left, before, levels = {}, {}, {}, {}
    for position in placements(generator, others, men):
        key = key_of(position)
        after = {key_of(following) if not is_beaten(following) else None
                 for following in (generator.play(position, move) for move in generator.moves(position))}
        if not after or None in after:
            value[key] = 1 if after else 0
            levels.setdefault(value[key], []).append(key)
            continue
        left[key] = len(after)
        for following in after:
            before.setdefault(following, []).append(key)
    plies = 0
    while plies in levels or plies + 1 in levels:
        for key in levels.get(plies, ()):
            for earlier in before.get(key, ()):
                if earlier in value:
                    continue
                left[earlier] -= 1
                if plies % 2 == 0 or left[earlier] == 0:
                    value[earlier] = plies + 1
                    levels.setdefault(plies + 1, []).append(earlier)
        plies += 1
    return value


# ---- the table -----------------------------------------------------------------------------------------------


def rows():
    with open(TABLE, encoding='utf-8') as table:
        lines = [line.rstrip('\n').split('\t') for line in table if not line.startswith('#')]
    return [dict(zip(lines[0], line)) for line in lines[1:]]


def main(arguments):
    most = int(arguments[1]) if len(arguments) > 1 else 3
    wanted = {}
    for row in rows():
        if row['position'].startswith('every') or row['solved'] == '-':
            continue
        generator = Generator(row['variant'])
        position = position_of(generator, row['position'])
        if position is None or len(position.pieces) > most:
            continue
        men = 'b' in position.pieces.values()
        wanted.setdefault((row['variant'], len(position.pieces) - 1, men), []).append((row, position))
    checked = wrong = 0
    for (variant, others, men), positions in sorted(wanted.items()):
        value = solve(Generator(variant), others, men)
        for row, position in positions:
            plies = value.get(key_of(position))
            found = 0 if plies is None else plies if plies % 2 else -plies
            checked += 1
            if found != int(row['solved']):
                wrong += 1
                print(f"{variant} {row['position']}: {found} instead of {row['solved']}")
        print(f'{variant}: {len(positions)} rows of a king against {others} {"pieces" if men else "kings"}', flush=True)
    print(f'{checked} values, {wrong} wrong')
    return 1 if wrong or not checked else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
