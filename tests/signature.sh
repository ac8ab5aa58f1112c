#!/bin/sh
# signature.sh BIN -- the search does what it did: `huff-bench signature` against the recorded node counts.
#
# A change of behaviour is a change of these numbers. One that is meant is recorded by
#     build/bin/huff-bench signature > tests/data/signature.txt
# in the commit that makes it.
set -u
bin=$1
recorded=$(dirname "$0")/data/signature.txt

if ! found=$("$bin/huff-bench" signature --variant all); then
    echo "huff-bench signature failed" >&2
    exit 1
fi
if ! printf '%s\n' "$found" | diff "$recorded" -; then
    echo "the search changed: < is recorded in tests/data/signature.txt, > is found" >&2
    exit 1
fi

# "all" is every variant, for all commands that print more than one; a thread that would not be used is refused.
for command in 'signature --variant all --threads 2' 'nps --threads 2' 'verify --variant chess' 'signature --variant chess'; do
    # shellcheck disable=SC2086
    if "$bin/huff-bench" $command >/dev/null 2>&1; then
        echo "huff-bench $command is no usage error" >&2
        exit 1
    fi
done
for command in 'verify --max-leaves 9' 'nps --nodes 1 --json'; do
    # shellcheck disable=SC2086
    all=$("$bin/huff-bench" $command --variant all | wc -l)
    # shellcheck disable=SC2086
    if [ "$all" -ne "$("$bin/huff-bench" $command | wc -l)" ] || [ "$all" -lt 12 ]; then
        echo "huff-bench $command --variant all prints $all lines" >&2
        exit 1
    fi
done
found=$("$bin/huff-bench" signature --variant spanish) || exit 1
if [ "$found" != "$(grep '^spanish ' "$recorded")" ]; then
    echo "huff-bench signature --variant spanish prints $found" >&2
    exit 1
fi
