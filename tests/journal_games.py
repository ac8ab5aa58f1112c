#!/usr/bin/python3
"""journal_games.py RUN -- how many finished games a run has on disk, counted without the program that wrote them.

Games of shards that are published, by the manifest; and whole records of journals, by their checksums. Prints the
numbers of the games, one a line.
"""
import json
import pathlib
import re
import struct
import sys
import zlib


def journal(data):
    """Numbers of the games in a journal, up to the first record that is not whole."""
    at = data.find(b"\n") + 1
    while at > 0 and len(data) - at >= 8:
        length, checksum = struct.unpack_from("<II", data, at)
        record = data[at + 8:at + 8 + length]
        if len(record) < length or zlib.crc32(record) != checksum:
            return
        yield struct.unpack_from("<Q", record)[0]
        at += 8 + length


def games(run):
    config = json.loads((run / "manifest.json").read_text())["config"]
    size = config["shard_games"]
    for path in run.glob("shard-*"):
        number = int(re.match(r"shard-(\d+)", path.name).group(1))
        if path.suffix == ".h5":
            yield from range(number * size, min((number + 1) * size, config["games"]))
        elif path.suffix == ".journal":
            yield from journal(path.read_bytes())


if __name__ == "__main__":
    for game in sorted(set(games(pathlib.Path(sys.argv[1])))):
        print(game)
