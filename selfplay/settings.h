// settings.h -- what a self-play run is told: its configuration, from YAML and to JSON.
#ifndef HUFF_SELFPLAY_SETTINGS_H
#define HUFF_SELFPLAY_SETTINGS_H

#include <jansson.h>

#include "selfplay/adjudication.h"
#include "selfplay/book.h"

struct settings {
    const struct variant *variant;
    struct draw_rules draws;
    uint64_t games, seed;
    struct search_limits limits;
    int threads;       // 0 = all cores
    char *weights[2];  // of each side, as for weights_get; owned; NULL = default
    bool swap_sides;   // a coin a game says which of them is White's
    int hash;          // megabytes of table for each engine of a thread
    int shard_games;
    char *book;                // a file of openings; owned; NULL = none, unless
    struct book_settings all;  // .plies > 0: every position so deep
    int random_plies;          // after the opening
    int max_plies;
    struct adjudication adjudication;
    int played_out;  // percent of the games that are played to the end although they could be called
};

// Weights by their own names, without folders: "default".
const char *settings_weights_name(const struct settings *, enum side);

// Different ones: 1 or 2.
int settings_weights_count(const struct settings *);

// Is any game ever called?
bool settings_adjudicate(const struct settings *);

// Reads a configuration file with --set on top (config.h).
bool settings_read(const char *path, const char *const *sets, int set_count, struct settings *,
                   struct error *) __attribute__((warn_unused_result));
void settings_free(struct settings *);

// The effective configuration, with the keys of the YAML file.
json_t *settings_to_json(const struct settings *);
// And back, through the same checks.
bool settings_from_json(json_t *, struct settings *, struct error *) __attribute__((warn_unused_result));

// Are they those of one run? How many threads play it does not matter.
bool settings_equal(const struct settings *, const struct settings *);

// The part of it that decides what a game is like: neither how many games, nor by how many threads, nor where
// the weights were. Freed by the caller.
char *settings_game_json(const struct settings *);

// "nodes=1000"; freed by the caller.
char *settings_limit_text(const struct settings *);

#endif
