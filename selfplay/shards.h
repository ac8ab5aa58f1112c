// shards.h -- the finished shards of a run: files that are whole or noticed not to be.
//
// RUN/shards.sha256 holds a line a shard as sha256sum writes it ("sha256sum -c shards.sha256" checks them
// all). The line is on disk before the shard appears, so that a shard without one is never a finished one.
#ifndef HUFF_SELFPLAY_SHARDS_H
#define HUFF_SELFPLAY_SHARDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/support/error.h"

enum shard_state {
    SHARD_ABSENT,
    SHARD_WHOLE,
    SHARD_DAMAGED,
    SHARD_UNKNOWN,  // it is there, its checksum is not: the file of them was deleted or damaged
};

struct shard_sum {
    enum shard_state state;
    char sha256[65];  // that is known, or of a SHARD_UNKNOWN; else ""
};

// "FOLDER/shard-000012.SUFFIX", freed by the caller.
char *shard_path(const char *folder, uint64_t number, const char *suffix);

// Is `name` that of a finished shard?
bool shard_name(const char *name, uint64_t *number);

// Is there a file of checksums? Shards that were copied elsewhere may have come without.
bool shards_have_sums(const char *folder);

// Reads the checksums and compares them with the files of shards first .. first+count-1.
bool shards_examine(const char *folder, uint64_t first, uint64_t count, struct shard_sum *, struct error *)
    __attribute__((warn_unused_result));

// Writes the file of checksums anew, with those of whole shards 0 .. count-1 only.
bool shards_rewrite_sums(const char *folder, uint64_t count, const struct shard_sum *, struct error *)
    __attribute__((warn_unused_result));

// Puts the lines of shards 0 .. count-1 in order, one for each, whatever order they were finished in.
bool shards_sort_sums(const char *folder, uint64_t count, struct error *) __attribute__((warn_unused_result));

// Adds a checksum. Several processes may.
bool shard_add_sum(const char *folder, uint64_t number, const char *sha256, struct error *)
    __attribute__((warn_unused_result));

// Adds the checksum, then puts the file in place; it may replace a damaged one.
bool shard_publish(const char *folder, uint64_t number, const void *bytes, size_t size, struct error *)
    __attribute__((warn_unused_result));

#endif
