// table.h -- the transposition table: what a search remembers of positions it has seen.
//
// Threads may share one table without locks. An entry is two words that are read and written one by one, so a
// reader may see halves of two entries; the first word is the key xor the second, and halves that do not
// belong together are taken for another position (R. Hyatt and T. Mann, "A lock-less transposition table
// implementation for parallel search chess engines", ICGA Journal 25(1), 2002).
#ifndef HUFF_SEARCH_TABLE_H
#define HUFF_SEARCH_TABLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum bound { BOUND_NONE, BOUND_UPPER, BOUND_LOWER, BOUND_EXACT };

struct table_entry {
    int score;  // within 16 bits
    int depth;  // 0..255
    int move;   // index in the list of legal moves
    enum bound bound;
};

struct table_slot {
    _Atomic uint64_t check;  // key ^ data
    _Atomic uint64_t data;
};

// Entries are of the generation, that is the search, that stored them. Those of generations before `first`
// count as empty, so that forgetting them all takes no time.
struct table {
    struct table_slot *slots;  // NULL: remembers nothing
    size_t mask;               // clusters - 1
    uint32_t first, now;       // generations
};

// What a table takes: the largest power of two that fits.
size_t table_bytes(size_t megabytes);

// 0 megabytes: a table that remembers nothing. False when there is no memory for it.
bool table_init(struct table *, size_t megabytes) __attribute__((warn_unused_result));
void table_free(struct table *);
void table_clear(struct table *);         // forgets everything
void table_begin_search(struct table *);  // what is stored before is older than what follows

bool table_find(const struct table *, uint64_t key, struct table_entry *) __attribute__((warn_unused_result));
void table_store(struct table *, uint64_t key, struct table_entry);

#endif
