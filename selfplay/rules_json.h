// rules_json.h -- the rules a game was played by, as JSON that travels with its dataset.
#ifndef HUFF_SELFPLAY_RULES_JSON_H
#define HUFF_SELFPLAY_RULES_JSON_H

#include "core/variant.h"

// Every rule of the variant and the draw rules in force, in a fixed order; freed by the caller.
char *rules_to_json(const struct variant *, const struct draw_rules *);

// The draw rules back out of that text.
bool draws_from_json(const char *text, struct draw_rules *, struct error *)
    __attribute__((warn_unused_result));

#endif
