#!/usr/bin/env bash
# check_layers.sh -- fails when an #include breaks the one-way dependencies between the folders:
#
#     core/support <- core <- search <- selfplay <- tuner,  search <- bench;  tests may include all
#
# It also keeps hdf5.h and mpi.h to one file each, and omp.h to the folders that share out work.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# shellcheck disable=SC2016
find core search selfplay tuner bench tests -name '*.[ch]' -print0 | sort -z | xargs -0 awk '
    BEGIN {
        below["core/support"] = " core/support "
        below["core"] = below["core/support"] "core "
        below["search"] = below["core"] "search "
        below["selfplay"] = below["search"] "selfplay "
        below["tuner"] = below["selfplay"] "tuner "
        below["bench"] = below["search"] "bench "
        below["tests"] = below["tuner"] "bench tests "
    }
    function folder(path) {
        if (path ~ /^core\/support\//) return "core/support"
        return path ~ /\// ? substr(path, 1, index(path, "/") - 1) : ""
    }
    function complain(text) {
        printf "%s:%d: %s\n", FILENAME, FNR, text
        failed = 1
    }
    /^[ \t]*#[ \t]*include[ \t]*["<]/ {
        includes++
        name = $0
        sub(/^[^"<]*["<]/, "", name)
        sub(/[">].*/, "", name)
        from = folder(FILENAME)
        if ($0 ~ /include[ \t]*"/ && (folder(name) == "" || index(below[from], " " folder(name) " ") == 0))
            complain(from " must not include \"" name "\"")
        if (name == "hdf5.h" || name == "hdf5_hl.h" || name == "mpi.h") {
            if (name in owner && owner[name] != FILENAME) complain(name " is included by " owner[name] " already")
            else owner[name] = FILENAME
        }
        if (name == "omp.h" && from !~ /^(selfplay|bench|tuner)$/) complain(from " must not include omp.h")
    }
    END {
        if (includes == 0) { print "no #include found at all: the check is broken"; failed = 1 }
        exit failed
    }'
