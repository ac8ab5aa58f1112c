// merge.c -- copies games from many files into one.

#include "selfplay/merge.h"

#include <stdlib.h>

#include "core/support/memory.h"
#include "core/support/progress.h"
#include "selfplay/duplicates.h"
#include "selfplay/game_reader.h"
#include "selfplay/origin.h"
#include "selfplay/output.h"

struct merging {
    struct dataset *dataset;
    const struct merge_settings *settings;
    struct merge_counts *counts;
    struct origin origin;
    bool sampled;    // there are labels
    bool *repeated;  // NULL: all games stay
    struct dataset_writer *writer;
    uint32_t *numbers;  // the number of the game now, for each of its positions
    size_t room;
};

// Whole games and chosen positions do not go together: who reads the file could not tell which is which.
static bool check_kinds(struct merging *m, struct error *error) {
    const struct dataset_file *first = dataset_file(m->dataset, 0);
    m->sampled = first->info.sample != NULL;
    for (int i = 1; i < dataset_file_count(m->dataset); i++) {
        const struct dataset_file *file = dataset_file(m->dataset, i);
        if ((file->info.sample != NULL) != m->sampled)
            return error_set(error, "%s and %s: one holds whole games, the other chosen positions",
                             first->path, file->path);
    }
    if (m->sampled && m->settings->drop_duplicates)
        return error_set(error, "%s: holds chosen positions; only whole games can be told to be equal",
                         first->path);
    return !m->sampled || !m->settings->views ||
           error_set(error, "%s: holds chosen positions; views are of whole games", first->path);
}

// Which numbers do the games get, and which is the first?
static bool look_at_numbers(struct merging *m, struct error *error) {
    struct game_columns rows = {.id = memory_new(DATASET_BLOCK, sizeof *rows.id)};
    const uint64_t games = dataset_games(m->dataset);
    uint64_t last = 0;
    bool done = true, any = false;
    for (uint64_t first = 0; first < games && done; first += DATASET_BLOCK) {
        const size_t count = games - first < DATASET_BLOCK ? (size_t)(games - first) : DATASET_BLOCK;
        done = dataset_read_games(m->dataset, first, count, &rows, error);
        for (size_t i = 0; i < count && done; i++) {
            if (m->repeated != NULL && m->repeated[first + i]) continue;
            if (!any) m->origin.info.first_game = rows.id[i];
            if (any && rows.id[i] <= last) m->counts->renumbered = true;
            last = rows.id[i];
            any = true;
        }
    }
    if (m->counts->renumbered || !any) m->origin.info.first_game = 0;
    free(rows.id);
    return done;
}

static bool add_game(struct merging *m, const struct read_game *game, struct error *error) {
    const size_t count = game->row.count[0];
    const uint8_t *engine = m->origin.engine[game->file];
    if (!dataset_add_opening(m->writer, &game->start, &game->row.opening[0], error)) return false;
    if (m->counts->renumbered) game->row.id[0] = m->counts->games;
    game->row.white_engine[0] = engine[game->row.white_engine[0]];
    game->row.black_engine[0] = engine[game->row.black_engine[0]];
    if (count > m->room) m->numbers = memory_grow(m->numbers, m->room = 2 * count, sizeof *m->numbers);
    for (size_t i = 0; i < count; i++) m->numbers[i] = (uint32_t)m->counts->games;
    struct position_columns rows = game->rows;
    rows.game = m->numbers;
    if (!dataset_add_games(m->writer, &game->row, 1, error) ||
        !dataset_add_positions(m->writer, &rows, count, error) ||
        (m->sampled && !dataset_add_labels(m->writer, &game->labels, count, error)))
        return false;
    m->counts->games++;
    m->counts->positions += count;
    return true;
}

static bool copy_games(struct merging *m, struct error *error) {
    const uint64_t games = dataset_games(m->dataset);
    struct game_reader *reader = game_reader_new(m->dataset, m->settings->views ? READ_GAMES
                                                             : m->sampled       ? READ_LABELS
                                                                                : READ_POSITIONS);
    struct progress *progress = progress_start("writing", "games", games, m->settings->quiet);
    bool done = games <= UINT32_MAX || error_set(error, "more than %u games in all", UINT32_MAX);
    for (uint64_t i = 0; i < games && done; i++) {
        struct read_game game;
        done = game_reader_next(reader, &game, error);
        if (done && (m->repeated == NULL || !m->repeated[i])) done = add_game(m, &game, error);
        progress_step(progress, 1);
    }
    progress_end(progress);
    game_reader_free(reader);
    return done;
}

static bool write_file(struct merging *m, const char *path, struct error *error) {
    m->writer = m->settings->views ? dataset_create_views(path, &m->origin.info, m->dataset, error)
                                   : dataset_create_file(path, &m->origin.info, error);
    if (m->writer == NULL) return false;
    if (copy_games(m, error)) return dataset_publish(m->writer, error);
    dataset_discard(m->writer);
    return false;
}

bool merge_write(struct dataset *dataset, const char *path, const struct merge_settings *settings,
                 struct merge_counts *counts, struct error *error) {
    struct merging m = {.dataset = dataset, .settings = settings, .counts = counts};
    *counts = (struct merge_counts){0};
    counts->sorted = dataset_sort(dataset);
    bool done = output_check(path, dataset, error) && check_kinds(&m, error) &&
                origin_init(&m.origin, dataset, error);
    if (!done) return false;
    if (m.sampled) m.origin.info.sample = dataset_file(dataset, 0)->info.sample;
    if (settings->drop_duplicates)
        done = duplicates_find(dataset, settings->quiet, &m.repeated, &counts->dropped, error);
    done = done && look_at_numbers(&m, error) && write_file(&m, path, error);
    free(m.numbers);
    free(m.repeated);
    origin_free(&m.origin);
    return done;
}
