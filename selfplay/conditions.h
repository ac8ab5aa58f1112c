// conditions.h -- how long to think about a move and how games are drawn, in the words of configurations and
// options: one place for what they mean, whichever program is told.
#ifndef HUFF_SELFPLAY_CONDITIONS_H
#define HUFF_SELFPLAY_CONDITIONS_H

#include "core/game.h"
#include "selfplay/player.h"

// Which word is wrong, by its key in a configuration, and why.
struct refusal {
    const char *key;
    struct error cause;
};

// NULL: not said.
struct limit_words {
    const char *nodes, *depth, *movetime, *tc;
};
struct move_limit {
    bool given;
    struct search_limits search;
    struct time_control clock;
};
// At most one of the words.
bool limit_read(const struct limit_words *, struct move_limit *, struct refusal *)
    __attribute__((warn_unused_result));

// "federation" (when not said: the variant's own) or "simple" (game.h), to which alone the others belong.
struct draw_words {
    const char *draw, *moves, *progress;
};
bool draws_read(const struct draw_words *, const struct variant *, struct draw_rules *, struct refusal *)
    __attribute__((warn_unused_result));

// What is progress, in words; NULL for other rules than simple ones.
const char *draws_progress(const struct draw_rules *);

// `text` is the one of `names` with the index *value; the error lists them.
bool word_choose(const char *text, const char *const *names, int count, int *value, struct error *cause)
    __attribute__((warn_unused_result));

#endif
