// openings.c -- draws the moves before the engines take over.

#include "selfplay/openings.h"

#include <stdlib.h>
#include <string.h>

#include "core/support/memory.h"
#include "core/support/options.h"

enum {
    ATTEMPTS = 1000,   // so unlikely to be needed that a source which fails them has no such opening
    MOST_INDEX = 255,  // of a move in a dataset
};

bool openings_parse(const char *text, const struct variant *variant, struct opening_source *source,
                    struct error *error) {
    int plies = 0;
    if (strncmp(text, "random:", 7) == 0) {
        if (!options_int("openings random", text + 7, 0, MAX_RANDOM_PLIES, &plies, error)) return false;
    } else if (strcmp(text, "start") != 0) {
        return error_set(error, "openings: expected start or random:PLIES, got \"%s\"", text);
    }
    *source = (struct opening_source){.start = variant_initial(variant), .random_plies = plies};
    return true;
}

// One more ply of `opening`; false when there is none to be had.
static bool draw_ply(struct game *game, struct random *random, struct move_list *list,
                     struct opening *opening) {
    if (opening->plies == MAX_OPENING_PLIES) return false;
    game->variant->generate(game_position(game), list);
    if (list->count == 0 || list->truncated) return false;
    const uint64_t index = random_below(random, (uint64_t)list->count);
    if (index > MOST_INDEX) return false;
    opening->index[opening->plies] = (uint8_t)index;
    opening->moves[opening->plies++] = list->moves[index];
    game_play(game, list->moves[index]);
    int result;
    return game_over(game, &result) == GAME_GOES_ON;
}

static bool draw_once(const struct opening_source *source, struct game *game, struct random *random,
                      struct move_list *list, struct opening *opening) {
    opening->plies = 0;
    while (opening->plies < source->random_plies ||
           (opening->plies > 0 && game->variant->can_capture(game_position(game)))) {
        if (!draw_ply(game, random, list, opening)) return false;
    }
    return true;
}

bool opening_draw(const struct opening_source *source, const struct variant *variant,
                  const struct draw_rules *draws, struct random *random, struct opening *opening,
                  struct error *error) {
    struct move_list *list = memory_new(1, sizeof *list);  // too big for the stack of a thread
    memset(opening, 0, sizeof *opening);
    opening->start = source->start;
    bool found = false;
    for (int attempt = 0; attempt < ATTEMPTS && !found; attempt++) {
        struct game game;
        game_init(&game, variant, draws, &source->start);
        int result;
        found = game_over(&game, &result) == GAME_GOES_ON && draw_once(source, &game, random, list, opening);
        game_free(&game);
    }
    free(list);
    if (!found) {
        return error_set(error, "openings: no game that goes on after %d random plies found",
                         source->random_plies);
    }
    return true;
}
