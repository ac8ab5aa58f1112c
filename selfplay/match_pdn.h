// match_pdn.h -- the games of a match as a file of PDN, in the order of pairs.
#ifndef HUFF_SELFPLAY_MATCH_PDN_H
#define HUFF_SELFPLAY_MATCH_PDN_H

#include "selfplay/match.h"

struct match_pdn;

// Begins the file anew with the first game, until when what was there stays: a match that is resumed writes
// the games it finds once more. Whatever ends the
// program, the file holds whole games and at most one that is cut off.
struct match_pdn *match_pdn_open(const char *path, const struct match_settings *, struct error *);
bool match_pdn_add(struct match_pdn *, const struct match_pair *, struct error *)
    __attribute__((warn_unused_result));
bool match_pdn_close(struct match_pdn *, struct error *) __attribute__((warn_unused_result));  // NULL: done

#endif
