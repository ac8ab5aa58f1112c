#!/usr/bin/python3
"""read_games.py FILE.h5 -- what a dataset of huff holds, with nothing but h5py and numpy.

FILE.h5 is a shard of a run, a merged file, views ("huff-data vds") or a sample ("huff-data sample").
"""
import sys

import h5py
import numpy


def missing_sources(file):
    """Sources of views that are not there. HDF5 would read impossible values in their place (boards of all
    ones, stm 255) and say nothing."""
    column = file["positions/stm"]
    if not column.is_virtual:
        return []
    folder = file.filename.rpartition("/")[0] or "."
    sources = [source.file_name for source in column.virtual_sources()]
    return [name for name in sources if not h5py.is_hdf5(name if name.startswith("/") else f"{folder}/{name}")]


def board(positions, row, width):
    """A position as text: bit i is square i+1 of the common board, from the top left with White at the bottom."""
    lines, squares = [], width * width // 2
    columns = {"w": "white_men", "W": "white_kings", "b": "black_men", "B": "black_kings"}
    pieces = {piece: int(positions[name][row]) for piece, name in columns.items()}
    for square in range(squares):
        line, column = divmod(square, width // 2)
        if column == 0:
            lines.append([" "] * width)
        at = 2 * column + (line + 1) % 2
        lines[line][at] = next((piece for piece, bits in pieces.items() if bits >> square & 1), ".")
    return "\n".join("".join(line) for line in lines)


def main(path):
    with h5py.File(path) as file:
        gone = missing_sources(file)
        if gone:
            sys.exit(f"{path}: missing: {', '.join(gone)}")
        positions, games = file["positions"], file["games"]
        width = 10 if file.attrs["variant"] in ("international", "frisian", "killer") else 8
        print(f"{file.attrs['variant']}: {len(games['id'])} games, {len(positions['ply'])} positions")

        # A column is an array. Read what you need, in slices.
        result = games["result"][:]
        print("White won, drew, lost:", [(result == points).sum() for points in (1, 0, -1)])

        # Names of numbers come along.
        names = {number: name for name, number in h5py.check_enum_dtype(games["termination"].dtype).items()}
        endings, counts = numpy.unique(games["termination"][:], return_counts=True)
        print("ended by:", {names[ending]: count for ending, count in zip(endings.tolist(), counts.tolist())})

        # Scores of quiet positions, for the side that moves: score and result are White's view.
        score, flags = positions["score"][:].astype(int), positions["flags"][:]
        white = positions["stm"][:] == 0
        # Proven wins are 30000 less the plies to it: no centipawns, so they stay out of a mean.
        quiet = ((flags & 3) == 0) & (score != -32768) & (abs(score) < 29000)
        print("mean score of the side to move, centipawns:", numpy.where(white, score, -score)[quiet].mean())

        # A game: its positions are rows first .. first + count - 1.
        longest = int(numpy.argmax(games["plies"][:]))
        last = int(games["first"][longest] + games["count"][longest]) - 1
        print(f"the last move of the longest game, number {games['id'][longest]}, was played here:")
        print(board(positions, last, width))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
