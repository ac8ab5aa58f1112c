// loop_match.h -- a match of two sets of weights in a folder of its own, begun or gone on with.
#ifndef HUFF_TUNER_LOOP_MATCH_H
#define HUFF_TUNER_LOOP_MATCH_H

#include "selfplay/match.h"

// Takes the settings over, which are not loaded yet; where the match was begun already they are replaced by
// those that it was begun with. False when it failed or was interrupted; the result is to be freed after
// true. Leaves the match's journal and report in the folder.
bool loop_match_play(const char *folder, struct match_settings *, int threads, bool quiet,
                     struct match_result *, struct error *) __attribute__((warn_unused_result));

#endif
