#!/usr/bin/python3
"""torch_dataset.py FILE.h5... -- positions of huff as a PyTorch dataset that keeps up with training.

    data = Positions(["train.h5"], split=0, quiet_only=True)
    loader = torch.utils.data.DataLoader(data, batch_size=None, num_workers=2)
    for epoch in range(10):
        data.epoch = epoch                  # another order
        for planes, target in loader: ...   # float32 [batch, 4, squares] and [batch]

What makes it fast, and right:
- Files are opened by the worker that reads them, after it was started: an open HDF5 file does not survive a fork.
- Whole chunks of 65,536 rows are read, in random order, and shared out among the workers; one row at a time is a
  thousand times slower. Rows are shuffled in a buffer of many chunks: neighbours in a file are of one game.
- Columns of 64 bits are unpacked to planes by numpy; what torch gets is float32.

Without PyTorch, batches are numpy arrays: `for planes, target in Positions([...])` works all the same.
"""
import sys

import h5py
import numpy

try:
    import torch
    from torch.utils.data import IterableDataset, get_worker_info
except ImportError:
    torch, IterableDataset = None, object

    def get_worker_info():
        return None

CHUNK = 65536
NO_SCORE = -32768
BOARDS = ("white_men", "white_kings", "black_men", "black_kings")
CAN_CAPTURE, OPPONENT_CAN_CAPTURE, RANDOM_MOVE = 1, 2, 4


class Positions(IterableDataset):
    """Batches of (planes, target), seen by the side to move, its own men below.

    planes: its men, its kings, the other's men, the other's kings. target: its expected points, 0..1: the mean of
    labels in files of "huff-data sample", else the result of the game; with `blend` > 0, mixed with the score of
    the search. split: 0 train, 1 validation, 2 test, None all: games, never positions, are held out.
    """

    def __init__(self, paths, split=0, batch=4096, buffer=1 << 20, quiet_only=False, blend=0.0, scale=200.0, seed=0):
        super().__init__()
        self.paths, self.split, self.batch, self.buffer = list(paths), split, batch, buffer
        self.quiet_only, self.blend, self.scale, self.seed, self.epoch = quiet_only, blend, scale, seed, 0
        self.chunks = []  # (file, first row); which files there are is known before workers start
        for number, path in enumerate(self.paths):
            with h5py.File(path) as file:
                width = 10 if file.attrs["variant"] in ("international", "frisian", "killer") else 8
                self.squares = width * width // 2
                rows = len(file["positions/stm"])
            self.chunks += [(number, first) for first in range(0, rows, CHUNK)]

    def __iter__(self):
        worker = get_worker_info()
        number, workers = (worker.id, worker.num_workers) if worker else (0, 1)
        order = numpy.random.default_rng((self.seed, self.epoch)).permutation(len(self.chunks))
        random = numpy.random.default_rng((self.seed, self.epoch, number))
        files = {}
        try:
            yield from self._batches(self._shuffled(self._read(order[number::workers], files), random))
        finally:
            for file in files.values():
                file.close()

    def _read(self, order, files):
        """The wanted rows of one chunk after the other."""
        for index in order:
            number, first = self.chunks[index]
            if number not in files:
                files[number] = h5py.File(self.paths[number])
            rows = self._read_chunk(files[number], slice(first, first + CHUNK))
            if len(rows[1]):
                yield rows

    def _read_chunk(self, file, part):
        column = {name: file["positions"][name][part] for name in BOARDS + ("stm", "score", "result", "flags")}
        if (column["stm"] > 1).any():
            raise OSError(f"{file.filename}: views of a file that is missing")
        unwanted = RANDOM_MOVE | (CAN_CAPTURE | OPPONENT_CAN_CAPTURE if self.quiet_only else 0)
        keep = (column["flags"] & unwanted) == 0
        if self.split is not None:
            game = file["positions/game"][part]
            first, last = int(game[0]), int(game[-1]) + 1  # rows are in game order
            keep &= (file["games/split"][first:last] == self.split)[game - first]
        white = column["stm"] == 0
        score = column["score"].astype(numpy.float32)
        points = file["labels/expected"][part] if "labels" in file else (column["result"] + numpy.float32(1)) / 2
        if self.blend > 0:
            expected = 1 / (1 + numpy.exp(-score / self.scale))
            points = numpy.where(score == NO_SCORE, points, (1 - self.blend) * points + self.blend * expected)
        boards = numpy.stack([column[name] for name in BOARDS], axis=1)
        return boards[keep], numpy.where(white, points, 1 - points)[keep].astype(numpy.float32), white[keep]

    def _shuffled(self, chunks, random):
        """Rows in a random order within a buffer: when it is full, half of it is let go."""
        held, count = [], 0
        for rows in chunks:
            held.append(rows)
            count += len(rows[1])
            if count >= self.buffer:
                out, keep = self._shuffle(held, random, count // 2)
                yield out
                held, count = [keep], len(keep[1])
        if held:
            yield self._shuffle(held, random, count)[0]

    @staticmethod
    def _shuffle(held, random, count):
        columns = [numpy.concatenate(column) for column in zip(*held)]
        order = random.permutation(len(columns[1]))
        return [column[order[:count]] for column in columns], [column[order[count:]] for column in columns]

    def _batches(self, blocks):
        rest = None
        for block in blocks:
            rest = block if rest is None else [numpy.concatenate(pair) for pair in zip(rest, block)]
            whole = len(rest[1]) // self.batch * self.batch
            for first in range(0, whole, self.batch):
                yield self._batch([column[first:first + self.batch] for column in rest])
            rest = [column[whole:] for column in rest]
        if rest is not None and len(rest[1]):
            yield self._batch(rest)

    def _batch(self, rows):
        boards, target, white = rows
        bits = numpy.unpackbits(boards.astype("<u8").view(numpy.uint8).reshape(len(boards), 4, 8), axis=2,
                                bitorder="little")[:, :, :self.squares]
        # For Black the board is turned round and the sides change places.
        bits = numpy.where(white[:, None, None], bits, bits[:, [2, 3, 0, 1], ::-1])
        planes = numpy.ascontiguousarray(bits, dtype=numpy.float32)
        target = numpy.ascontiguousarray(target)
        return (torch.from_numpy(planes), torch.from_numpy(target)) if torch else (planes, target)


def main(paths):
    data = Positions(paths)
    count, points = 0, 0.0
    for planes, target in data:
        count += len(target)
        points += float(target.sum())
    print(f"{count} positions for training, {tuple(planes.shape[1:])} each; the side to move scores {points / count:.3f}")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1:])
