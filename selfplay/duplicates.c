// duplicates.c -- finds equal games by sorting their keys.

#include "selfplay/duplicates.h"

#include <stdlib.h>

#include "core/support/memory.h"
#include "core/support/progress.h"
#include "selfplay/game_reader.h"

struct entry {
    uint64_t key, game;
};

static uint64_t mix(uint64_t key, uint64_t value) {
    key = (key ^ value) * 0x9E3779B97F4A7C15u;
    return key ^ key >> 32;
}

static uint64_t key_of(const struct read_game *game) {
    uint64_t key = position_key(&game->start);
    for (size_t i = 0; i < game->row.count[0]; i++) key = mix(key, game->rows.move[i] + 1u);
    return key;
}

static int compare(const void *a, const void *b) {
    const struct entry *one = a, *other = b;
    if (one->key != other->key) return one->key < other->key ? -1 : 1;
    return one->game < other->game ? -1 : one->game > other->game;
}

bool duplicates_find(struct dataset *dataset, bool quiet, bool **repeated, uint64_t *count,
                     struct error *error) {
    const uint64_t games = dataset_games(dataset);
    struct entry *entries = memory_new(games > 0 ? games : 1, sizeof *entries);
    struct game_reader *reader = game_reader_new(dataset, READ_MOVES);
    struct progress *progress = progress_start("comparing", "games", games, quiet);
    bool done = true;
    for (uint64_t i = 0; i < games && done; i++) {
        struct read_game game;
        done = game_reader_next(reader, &game, error);
        if (done) entries[i] = (struct entry){key_of(&game), i};
        progress_step(progress, 1);
    }
    progress_end(progress);
    game_reader_free(reader);
    *count = 0;
    *repeated = done ? memory_new(games > 0 ? games : 1, sizeof **repeated) : NULL;
    if (done) qsort(entries, games, sizeof *entries, compare);
    for (uint64_t i = 1; i < games && done; i++) {
        if (entries[i].key != entries[i - 1].key) continue;
        (*repeated)[entries[i].game] = true;
        ++*count;
    }
    free(entries);
    return done;
}
