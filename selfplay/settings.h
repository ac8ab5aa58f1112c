// settings.h -- what a self-play run is told: its configuration, from YAML and to JSON.
#ifndef HUFF_SELFPLAY_SETTINGS_H
#define HUFF_SELFPLAY_SETTINGS_H

#include <jansson.h>

#include "core/game.h"
#include "search/search.h"

struct settings {
    const struct variant *variant;
    struct draw_rules draws;
    uint64_t games, seed;
    struct search_limits limits;
    int threads;    // 0 = all cores
    char *weights;  // as for weights_get; owned; NULL = default
    int hash;       // megabytes of table a thread
    int shard_games;
    int random_plies;
    int max_plies;
};

// Reads a configuration file with --set on top (config.h).
bool settings_read(const char *path, const char *const *sets, int set_count, struct settings *,
                   struct error *) __attribute__((warn_unused_result));
void settings_free(struct settings *);

// The effective configuration, with the keys of the YAML file.
json_t *settings_to_json(const struct settings *);
// And back, through the same checks.
bool settings_from_json(json_t *, struct settings *, struct error *) __attribute__((warn_unused_result));

// The part of it that decides what a game is like: neither how many games, nor by how many threads, nor where
// the weights were. Freed by the caller.
char *settings_game_json(const struct settings *);

// "nodes=1000"; freed by the caller.
char *settings_limit_text(const struct settings *);

#endif
