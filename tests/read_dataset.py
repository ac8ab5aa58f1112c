#!/usr/bin/python3
"""read_dataset.py BIN_FOLDER -- plain h5py reads a dataset, finds the promised schema in it, and agrees with huff-data.

Exit code 77 (skipped) without h5py and numpy.
"""
import json
import pathlib
import shutil
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
import reference  # noqa: E402  (beside this file)

RESULT = {"LOSS": -1, "DRAW": 0, "WIN": 1}
SIDE = {"WHITE": 0, "BLACK": 1}
POSITIONS = {
    "white_men": "uint64", "white_kings": "uint64", "black_men": "uint64", "black_kings": "uint64",
    "stm": "uint8", "ply": "uint16", "score": "int16", "result": "int8", "move": "uint8", "flags": "uint16",
    "clock": "uint8", "game": "uint32",
}
GAMES = {
    "id": "uint64", "first": "uint64", "count": "uint32", "plies": "uint16", "result": "int8",
    "termination": "uint8", "opening": "uint32", "random_plies": "uint8", "split": "uint8",
    "white_engine": "uint8", "black_engine": "uint8", "called_ply": "uint16", "called_result": "int8",
}
ATTRIBUTES = {
    "format": "huff-positions", "format_version": 1, "variant": "spanish", "engine": str, "limit": "nodes=100",
    "weights_sha256": str, "seed": 9, "complete": 1, "rules": str,
    "square_order": "bit i = square i+1 of the common board: 8x8 b8=1..g1=32, 10x10 b10=1..i1=50, White at the "
                    "bottom; mirrored official boards are mirrored onto it",
}
CONFIG = """variant: spanish
games: 50
seed: 9
nodes: 100
shard_games: 30
opening:
  random_plies: 6
"""


def check(condition, text):
    if not condition:
        sys.exit(f"read_dataset.py: {text}")


def check_columns(group, expected):
    check(set(group) == set(expected), f"{group.name} has {sorted(group)}")
    rows = {group[name].shape for name in expected}
    check(len(rows) == 1 and len(next(iter(rows))) == 1, f"{group.name} has columns of shapes {rows}")
    for name, dtype in expected.items():
        column = group[name]
        check(column.dtype == numpy.dtype(dtype), f"{column.name} is {column.dtype}, expected {dtype}")
        check((column.chunks, column.shuffle, column.compression, column.compression_opts, column.fletcher32)
              == ((65536 if group.name == "/positions" else 4096,), True, "gzip", 6, True), f"{column.name} has other filters")


def check_schema(file):
    for name, expected in ATTRIBUTES.items():
        value = file.attrs[name]
        good = isinstance(value, str) if expected is str else value == expected
        check(good, f"attribute {name} is {value!r}")
    check(json.loads(file.attrs["rules"])["draws"]["no_progress_plies"] == 40, "rules: draw rules")
    check("can capture" in file["positions/flags"].attrs["meaning"], "flags: meaning")
    check("proven" in file["positions/score"].attrs["meaning"], "score: meaning")
    check("games/called_ply" in file["meta"].attrs["contents"].split(), "meta: contents")
    check(json.loads(file["meta"].attrs["config"])["opening"]["random_plies"] == 6, "meta: config")
    check_columns(file["positions"], POSITIONS)
    check_columns(file["games"], GAMES)
    for name in ("stm",):
        check(h5py.check_enum_dtype(file["positions"][name].dtype) == SIDE, f"enum of {name}")
    for group in ("positions", "games"):
        check(h5py.check_enum_dtype(file[group]["result"].dtype) == RESULT, f"enum of {group}/result")
    names = h5py.check_enum_dtype(file["games"]["termination"].dtype)
    check(names["repetition"] == 3 and names["length limit"] == 8, "enum of termination")


def check_rows(file):
    """What any reader may rely on, without the rules."""
    p = {name: column[()] for name, column in file["positions"].items()}
    g = {name: column[()] for name, column in file["games"].items()}
    first, count = g["first"].astype(int), g["count"].astype(int)
    check((g["id"] == file.attrs["first_game"] + numpy.arange(len(count))).all(), "games are not in order")
    check((first == numpy.cumsum(count) - count).all() and first[-1] + count[-1] == len(p["ply"]), "the chain")
    check((p["game"] == numpy.repeat(numpy.arange(len(count)), count)).all(), "positions/game")
    check((p["ply"] == numpy.arange(len(p["ply"])) - numpy.repeat(first, count)).all(), "positions/ply")
    check((p["result"] == numpy.repeat(g["result"], count)).all(), "positions/result")
    boards = [p[name] for name in ("white_men", "white_kings", "black_men", "black_kings")]
    together = boards[0] | boards[1] | boards[2] | boards[3]
    check((sum(boards) == together).all() and (together < 2**32).all(), "boards overlap or leave the board")
    check((boards[0] & numpy.uint64(0xF) == 0).all() and (boards[2] >> numpy.uint64(28) == 0).all(),
          "a man stands on its crowning row")
    start = p["ply"] == 0
    check((boards[0][start] == 0xFFF00000).all() and (boards[2][start] == 0xFFF).all(), "the start position")
    # White begins and sides alternate.
    check((p["stm"] == p["ply"] % 2).all(), "positions/stm")
    # Only the side that moves changes its pieces' places; it never loses any, and takes only the other's.
    same_game = ~start[1:]
    for mine, theirs, side in ((0, 2, 0), (2, 0, 1)):
        moved = same_game & (p["stm"][:-1] == side)
        own = boards[mine] | boards[mine + 1]
        other = boards[theirs] | boards[theirs + 1]
        gained, lost = own[1:] & ~own[:-1], own[:-1] & ~own[1:]
        bits = numpy.vectorize(lambda word: bin(int(word)).count("1"))
        check((bits(gained[moved]) <= 1).all() and (bits(gained[moved]) == bits(lost[moved])).all(), "a move")
        check((other[1:] & ~other[:-1] == 0)[moved].all(), "the other side gained a piece")
        capture = (other[1:] != other[:-1])[moved]
        # Captures are obligatory in this game.
        check((capture == ((p["flags"][:-1] & 1) != 0)[moved]).all(), "captures and flags")
    random = (p["flags"] & 4) != 0
    check((random == (p["ply"] < numpy.repeat(g["random_plies"], count))).all(), "random plies")
    check(((p["score"] == -32768) == random).all(), "scores")
    return p, g


def position_of(p, row):
    """Row `row` as reference.py knows positions."""
    pieces = {}
    for name, piece in (("white_men", "w"), ("white_kings", "W"), ("black_men", "b"), ("black_kings", "B")):
        pieces.update((square + 1, piece) for square in range(64) if int(p[name][row]) >> square & 1)
    return reference.Position(pieces, p["stm"][row] == 0)


def check_legality(variant, p, g):
    """Each position follows from the one before by a legal move, by a generator written from the rule books, and
    a game that is over has no legal move left. The move's number is one of the legal moves'."""
    generator = reference.Generator(variant)
    positions = [position_of(p, row) for row in range(len(p["ply"]))]
    for game, (first, count) in enumerate(zip(g["first"].astype(int).tolist(), g["count"].astype(int).tolist())):
        check(positions[first] == generator.initial(), f"game {game} begins elsewhere")
        for row in range(first, first + count):
            moves = generator.moves(positions[row])
            check(p["move"][row] < len(moves), f"row {row}: move {p['move'][row]} of {len(moves)} legal ones")
            check(any(move.captured for move in moves) == bool(p["flags"][row] & 1), f"row {row}: capture flag")
            after = [generator.play(positions[row], move) for move in moves]
            if row + 1 < first + count:
                check(positions[row + 1] in after, f"row {row}: no legal move leads to the next position")
            elif g["termination"][game] in (1, 2):  # no pieces, blocked
                check(any(not generator.moves(position) for position in after), f"game {game} is not over")


def run(*command, code=0):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    check(done.returncode == code, f"{command}: exit code {done.returncode}: {done.stderr}")
    return done.stdout if code == 0 else done.stderr + done.stdout


def check_refusals(huff_data, shard, folder):
    """Files changed by h5py are refused, each with one line that says why."""
    def version(file):
        file.attrs["format_version"] = numpy.uint32(2)

    def incomplete(file):
        file.attrs["complete"] = numpy.uint8(0)

    def kind(file):
        values = file["positions/score"][()]
        del file["positions/score"]
        file["positions/score"] = values.astype("float32")

    def length(file):
        file["positions/ply"].resize((len(file["positions/ply"]) - 1,))

    def attribute(file):
        file.attrs["variant"] = 3

    for change, text in ((version, "format version 2"), (incomplete, "not completed"),
                         (kind, "positions/score has another type"), (length, "positions/ply has"),
                         (attribute, "attribute variant")):
        path = folder / f"{change.__name__}.h5"
        shutil.copy(shard, path)
        with h5py.File(path, "r+") as file:
            change(file)
        said = run(huff_data, "info", path, code=1)
        check(text in said and said.count("\n") == 1 and str(path) in said, f"{change.__name__}: {said}")


def check_other_names(huff_data, shard, folder):
    """A file whose program knew fewer ways to end a game, or more, is read all the same."""
    path = folder / "names.h5"
    shutil.copy(shard, path)
    with h5py.File(path, "r+") as file:
        values = file["games/termination"][()]
        del file["games/termination"]
        names = {f"ending {i}": i for i in range(40)}
        file.create_dataset("games/termination", data=values, dtype=h5py.enum_dtype(names, "uint8"))
    check("0 faults" in run(huff_data, "verify", path), "other names of terminations")


def check_damage(huff_data, shard, folder):
    """One bit of compressed data turned over, and one value changed: both are noticed."""
    path = folder / "bit.h5"
    shutil.copy(shard, path)
    with h5py.File(path) as file:
        offset = file["positions/white_men"].id.get_chunk_info(0).byte_offset
    with open(path, "r+b") as file:
        file.seek(offset + 100)
        byte = file.read(1)[0]
        file.seek(offset + 100)
        file.write(bytes([byte ^ 1]))
    check("bit.h5: column white_men: cannot read" in run(huff_data, "verify", path, code=1), "a damaged chunk")
    path = folder / "value.h5"
    shutil.copy(shard, path)
    with h5py.File(path, "r+") as file:
        file["positions/black_men"][77] ^= numpy.uint64(1 << 9)
    check("1 fault\n" in run(huff_data, "verify", path, code=1), "a changed board")
    for name, value, fault in ("split", 3, "unknown split 3"), ("white_engine", 99, "played by engine 99 of "):
        path = folder / (name + ".h5")
        shutil.copy(shard, path)
        with h5py.File(path, "r+") as file:
            file["games"][name][1] = value
        said = run(huff_data, "verify", path, code=1)
        check("game 1: " + fault in said and "1 fault\n" in said, fault)


def main():
    programs = pathlib.Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "config.yaml").write_text(CONFIG)
        run(programs / "huff-selfplay", folder / "config.yaml", "-o", folder / "run", "-q")
        info = json.loads(run(programs / "huff-data", "info", "--json", folder / "run"))
        shards = sorted((folder / "run").glob("shard-*.h5"))
        check([shard.name for shard in shards] == ["shard-000000.h5", "shard-000001.h5"], f"shards: {shards}")
        games, positions, results = 0, 0, numpy.zeros(3, int)
        for shard, content in zip(shards, info["contents"]):
            with h5py.File(shard) as file:
                check_schema(file)
                p, g = check_rows(file)
            check_legality("spanish", p, g)
            check((content["games"], content["positions"], content["bytes"])
                  == (len(g["id"]), len(p["ply"]), shard.stat().st_size), f"info of {shard}")
            check(content["first_game"] == games, "first_game")
            games += len(g["id"])
            positions += len(p["ply"])
            results += numpy.bincount(g["result"].astype(int) + 1, minlength=3)
        check((info["games"], info["positions"]) == (games, positions) and games == 50, "counts")
        check([info["results"][who] for who in ("black", "draw", "white")] == results.tolist(), "results")
        check_refusals(programs / "huff-data", shards[0], folder)
        check_other_names(programs / "huff-data", shards[0], folder)
        check_damage(programs / "huff-data", shards[0], folder)
    print(f"{games} games and {positions} positions agree")


main()
