// position_set.c -- a table of positions by their keys.

#include "selfplay/position_set.h"

#include <stdlib.h>

#include "core/support/memory.h"

enum { FIRST_ROOM = 32 };

static size_t *find_slot(const struct position_set *set, const struct position *position) {
    for (size_t at = (size_t)position_key(position);; at++) {
        size_t *slot = &set->slots[at & (set->slot_count - 1)];
        if (*slot == 0 || position_equal(position, &set->positions[*slot - 1])) return slot;
    }
}

// At most half of the slots are taken; their count is a power of two.
static void grow(struct position_set *set) {
    set->room = set->room == 0 ? FIRST_ROOM : 2 * set->room;
    set->positions = memory_grow(set->positions, set->room, sizeof *set->positions);
    free(set->slots);
    set->slot_count = 2 * set->room;
    set->slots = memory_new(set->slot_count, sizeof *set->slots);
    for (size_t i = 0; i < set->count; i++) *find_slot(set, &set->positions[i]) = i + 1;
}

size_t position_set_add(struct position_set *set, const struct position *position) {
    if (set->count == set->room) grow(set);
    size_t *slot = find_slot(set, position);
    if (*slot == 0) {
        set->positions[set->count++] = *position;
        *slot = set->count;
    }
    return *slot - 1;
}

void position_set_free(struct position_set *set) {
    free(set->positions);
    free(set->slots);
    *set = (struct position_set){0};
}
