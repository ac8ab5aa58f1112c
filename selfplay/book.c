// book.c -- makes books of openings.

#include "selfplay/book.h"

#include <stdlib.h>

#include "core/support/memory.h"
#include "core/support/progress.h"

enum { TABLE_MEGABYTES = 2 };

static bool is_level(struct search *search, const struct position *position, const struct draw_rules *draws,
                     const struct variant *variant, const struct book_settings *settings) {
    const struct search_limits limits = {.depth = settings->depth, .analysis = true};
    struct search_result result;
    struct game game;
    game_init(&game, variant, draws, position);
    search_clear(search);  // so that a book does not depend on the order of its lines
    search_think(search, &game, &limits, NULL, NULL, NULL, &result);
    game_free(&game);
    return abs(result.score) <= settings->margin;
}

static void keep_level(struct opening_list *list, struct search *search, const struct draw_rules *draws,
                       const struct variant *variant, const struct book_settings *settings, bool quiet) {
    const int count = opening_list_count(list);
    bool *kept = memory_new((size_t)count, sizeof *kept);
    struct progress *progress = progress_start(variant->name, "openings", (uint64_t)count, quiet);
    for (int i = 0; i < count && !interrupted(); i++) {
        const struct position end = opening_list_end(list, i);
        kept[i] = is_level(search, &end, draws, variant, settings);
        progress_step(progress, 1);
    }
    progress_end(progress);
    opening_list_keep(list, kept);
    free(kept);
}

static bool filter(struct opening_list *list, const struct draw_rules *draws, const struct variant *variant,
                   const struct weights *weights, const struct book_settings *settings, bool quiet,
                   struct error *error) {
    if (settings->margin == 0) return true;
    struct search *search = search_new(variant, weights, TABLE_MEGABYTES);
    if (search == NULL) return error_set(error, "no memory for a search");
    keep_level(list, search, draws, variant, settings, quiet);
    search_free(search);
    if (interrupted()) return error_set(error, "interrupted while the openings were searched");
    return opening_list_count(list) > 0 || error_set(error, "no opening of %d plies is within %d centipawns",
                                                     settings->plies, settings->margin);
}

struct opening_list *book_make(const struct book_settings *settings, const struct variant *variant,
                               const struct draw_rules *draws, const struct weights *weights, bool quiet,
                               struct error *error) {
    struct opening_list *list = opening_list_all(settings->plies, variant, draws, error);
    if (list == NULL || filter(list, draws, variant, weights, settings, quiet, error)) return list;
    opening_list_free(list);
    return NULL;
}

bool book_write(const struct opening_list *list, const struct book_settings *settings,
                const struct weights *weights, const char *path, struct error *error) {
    const int count = opening_list_count(list);
    char *about = settings->margin == 0
                      ? memory_text("%d plies: %d positions, all of them", settings->plies, count)
                      : memory_text("%d plies: %d positions within %d centipawns at depth %d, weights %.16s",
                                    settings->plies, count, settings->margin, settings->depth,
                                    *weights->sha256 ? weights->sha256 : "material");
    const bool done = opening_list_write(list, path, about, error);
    free(about);
    return done;
}
