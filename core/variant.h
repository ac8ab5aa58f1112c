// variant.h -- the door to the rules: a variant by name, and what can be done with its positions.
#ifndef HUFF_CORE_VARIANT_H
#define HUFF_CORE_VARIANT_H

#include <stddef.h>

#include "core/position.h"
#include "core/rules.h"
#include "core/support/error.h"

struct variant {
    const char *name;  // "american", "american+free"
    const struct rules *rules;
    bool captures_optional;  // house rule: a quiet move may be played instead of a capture

    // All legal moves, captures first, in an order that is part of the dataset format.
    void (*generate)(const struct position *, struct move_list *);
    // Only the captures (none is obligatory to look for when there are none).
    void (*captures)(const struct position *, struct move_list *);
    // As generate, but every order of capturing is a move of its own (the `paths` convention of perft
    // tables).
    void (*generate_paths)(const struct position *, struct move_list *);
    // Can the side to move capture?
    bool (*can_capture)(const struct position *);
    // Has it a quiet move, were none of its captures obligatory?
    bool (*can_step)(const struct position *);
    // Plays a legal move.
    void (*play)(struct position *, struct move);
    // Leaves of the tree of legal moves of this depth >= 1, its last ply counted without building its moves;
    // `paths`: by generate_paths. `lists` are `depth` lists to work in, or NULL. Ends the program when a
    // position has more captures than a list holds.
    uint64_t (*perft)(const struct position *, int depth, bool paths, struct move_list *lists);
};

static inline bool variant_can_move(const struct variant *variant, const struct position *p) {
    return variant->can_step(p) || variant->can_capture(p);
}

// Do they differ in name, notation and draws at most? House rules do not count.
bool variant_same_moves(const struct variant *, const struct variant *);

// Canonical names in a fixed order, without and then with "+free".
extern const struct variant variants[];
extern const int variant_count;

// A variant by canonical name or alias, whatever the case of its letters; NULL and the list of names in
// `error` when there is none.
const struct variant *variant_find(const char *name, struct error *error);

// Where the game starts.
struct position variant_initial(const struct variant *);

// A position that the rules can have: false and one clear line in `error` otherwise. Refused: pieces off the
// board, overlap, more pieces than a side starts with, a man on its crowning row, kings that are no pieces,
// a position with more captures than MAX_CAPTURES.
bool variant_check(const struct variant *, const struct position *, struct error *error)
    __attribute__((warn_unused_result));

// Ends the program with a message: a position has more captures than a list holds, where that cannot be
// reported in another way. Positions read from outside are refused before (variant_check).
_Noreturn void variant_too_many_captures(const char *name, const struct position *);

#endif
