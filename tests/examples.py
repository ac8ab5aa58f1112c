#!/usr/bin/python3
"""examples.py BIN_FOLDER -- what the examples for trainers read is what is in the files: shards, a merged file, views
and samples. PyTorch is not needed.

Exit code 77 (skipped) without h5py and numpy.
"""
import collections
import pathlib
import subprocess
import sys
import tempfile

try:
    import h5py
    import numpy
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

sys.dont_write_bytecode = True
EXAMPLES = pathlib.Path(__file__).resolve().parent.parent / "selfplay" / "examples"
sys.path.insert(0, str(EXAMPLES))
import read_games  # noqa: E402
import torch_dataset  # noqa: E402

CONFIG = """variant: {variant}
games: 60
seed: 9
nodes: 30
shard_games: 20
opening:
  random_plies: 6
"""


def check(condition, text):
    if not condition:
        sys.exit(f"examples.py: {text}")


def run(*command, code=0):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    check(done.returncode == code, f"{command}: exit code {done.returncode}: {done.stderr}")
    return done.stdout


def sample_of(boards, white, points, squares):
    """One row as the model should see it, by Python integers."""
    if not white:
        boards = [int(f"{word:0{squares}b}"[::-1], 2) for word in (boards[2], boards[3], boards[0], boards[1])]
    planes = bytes(board >> square & 1 for board in boards for square in range(squares))
    return planes, round(float(points if white else 1 - points), 6)


def expected_of(paths, split, squares):
    rows = collections.Counter()
    for path in paths:
        with h5py.File(path) as file:
            p = {name: column[()] for name, column in file["positions"].items()}
            splits = file["games/split"][()]
            points = file["labels/expected"][()] if "labels" in file else (p["result"] + 1) / 2
        for row in range(len(p["ply"])):
            if splits[p["game"][row]] == split and not p["flags"][row] & 4:
                boards = [int(p[name][row]) for name in ("white_men", "white_kings", "black_men", "black_kings")]
                rows[sample_of(boards, p["stm"][row] == 0, points[row], squares)] += 1
    return rows


def read(data):
    rows = []
    for planes, target in data:
        check(planes.dtype == numpy.float32 and target.dtype == numpy.float32, "batches are not float32")
        check(planes.shape == (len(target), 4, data.squares), f"planes of shape {planes.shape}")
        rows += [(plane.astype(numpy.uint8).tobytes(), round(float(value), 6)) for plane, value in zip(planes, target)]
    return rows


def check_dataset(paths, squares):
    for split in (0, 1):
        data = torch_dataset.Positions(paths, split=split, batch=100, buffer=1000)
        check(data.squares == squares, "squares")
        rows = read(data)
        check(collections.Counter(rows) == expected_of(paths, split, squares), f"{paths}: other rows, split {split}")
    data = torch_dataset.Positions(paths, batch=100, buffer=1000)
    first, again = read(data), read(data)
    data.epoch = 1
    other = read(data)
    check(first == again and first != other and sorted(first) == sorted(other), "the order of an epoch")
    return first


def check_workers(paths):
    """Two workers share the rows out: none twice, none lost."""
    Worker = collections.namedtuple("Worker", "id num_workers")
    together = []
    for number in range(2):
        torch_dataset.get_worker_info = lambda number=number: Worker(number, 2)
        together += read(torch_dataset.Positions(paths, batch=100, buffer=1000))
    torch_dataset.get_worker_info = lambda: None
    alone = read(torch_dataset.Positions(paths, batch=100, buffer=1000))
    check(sorted(together) == sorted(alone), "two workers read other rows than one")


def main():
    programs = pathlib.Path(sys.argv[1])
    huff_data = programs / "huff-data"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for variant, squares in (("russian", 32), ("international", 50)):
            (folder / "config.yaml").write_text(CONFIG.format(variant=variant))
            runs = folder / variant
            run(programs / "huff-selfplay", folder / "config.yaml", "-o", runs, "-q")
            shards = sorted(runs.glob("shard-*.h5"))
            run(huff_data, "merge", runs, "-o", folder / "merged.h5", "-q")
            run(huff_data, "vds", runs, "-q")
            run(huff_data, "sample", runs, "-o", folder / "sample.h5", "--unique", "--quiet-only", "-q")
            for paths in (shards, [folder / "merged.h5"], [runs / "dataset.h5"], [folder / "sample.h5"]):
                rows = check_dataset(paths, squares)
                said = run("/usr/bin/python3", EXAMPLES / "torch_dataset.py", *paths)
                check(said.startswith(f"{len(rows)} positions for training"), said)
                check(variant in run("/usr/bin/python3", EXAMPLES / "read_games.py", paths[0]), "read_games.py")
            check_workers(shards)
        with h5py.File(runs / "dataset.h5") as file:
            check(read_games.missing_sources(file) == [], "sources are there")
        shards[1].unlink()
        with h5py.File(runs / "dataset.h5") as file:
            check(read_games.missing_sources(file) == [shards[1].name], "a source is missing")
        try:
            read(torch_dataset.Positions([runs / "dataset.h5"]))
            check(False, "a missing source is read")
        except OSError as error:
            check("views of a file that is missing" in str(error), str(error))
    print("examples read what is in the files")


main()
