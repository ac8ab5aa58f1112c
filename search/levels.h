// levels.h -- how strong the engine plays against people.
#ifndef HUFF_SEARCH_LEVELS_H
#define HUFF_SEARCH_LEVELS_H

#include "core/support/random.h"
#include "search/search.h"

// Easy sees its move and the captures that follow at once, so that it does not give a man away for nothing,
// and no threat beyond; it is content with any move that is not much worse than the best. Medium looks
// further and is harder to please. Both choose among such moves at random and play the same with the same
// random numbers on every
// machine. Hard plays the best move it finds.
enum level { LEVEL_EASY, LEVEL_MEDIUM, LEVEL_HARD, LEVEL_COUNT };
extern const char *const level_names[LEVEL_COUNT];

// False, with the names in `error`, when there is no such level.
bool level_find(const char *name, enum level *, struct error *) __attribute__((warn_unused_result));

// `seconds` is what a move of Hard takes. As search_think: `game` must not be over, and *stop ends the
// search.
void level_think(enum level, struct search *, struct game *game, double seconds, struct random *,
                 const atomic_bool *stop, struct search_result *);

#endif
