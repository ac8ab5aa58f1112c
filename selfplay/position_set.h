// position_set.h -- positions without repetition, numbered in the order in which they came.
#ifndef HUFF_SELFPLAY_POSITION_SET_H
#define HUFF_SELFPLAY_POSITION_SET_H

#include <stddef.h>

#include "core/position.h"

// All zero: empty.
struct position_set {
    size_t count, room;
    struct position *positions;
    size_t *slots;  // number + 1 in the first free place from the key of the position on; 0 = free
    size_t slot_count;
};

// The number of a position, from 0; it is added when it is new, and then that is the count before.
size_t position_set_add(struct position_set *, const struct position *);
void position_set_free(struct position_set *);  // leaves an empty one

#endif
