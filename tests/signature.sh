#!/bin/sh
# signature.sh BIN -- the search does what it did: `huff-bench signature` against the recorded node counts.
#
# A change of behaviour is a change of these numbers. One that is meant is recorded by
#     build/bin/huff-bench signature > tests/data/signature.txt
# in the commit that makes it.
set -u
bin=$1
recorded=$(dirname "$0")/data/signature.txt

if ! found=$("$bin/huff-bench" signature); then
    echo "huff-bench signature failed" >&2
    exit 1
fi
if ! printf '%s\n' "$found" | diff "$recorded" -; then
    echo "the search changed: < is recorded in tests/data/signature.txt, > is found" >&2
    exit 1
fi
