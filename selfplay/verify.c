// verify.c -- replays the games of a dataset.

#include "selfplay/verify.h"

#include <dirent.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/support/file.h"
#include "core/support/memory.h"
#include "core/support/progress.h"
#include "selfplay/rules_json.h"
#include "selfplay/run_facts.h"
#include "selfplay/shards.h"

// BATCH_POSITIONS: read in one go; more when a single game has more.
enum { BATCH_POSITIONS = 2 * DATASET_BLOCK, MOST_RANGES = 8 };

#define MOST_SHARDS ((uint64_t)1 << 32)

struct verifier {
    struct dataset *dataset;
    const struct dataset_file *file;
    const struct variant *variant;
    struct draw_rules draws;
    struct opening_columns openings;  // of the file
    struct game_columns games;        // a block of them
    struct position_columns rows;     // a batch of them
    struct label_columns labels;
    size_t room;
    struct move_list list;
    struct progress *progress;
    uint64_t last_id;  // of the game before
    size_t engines;    // that the file names; 0: it does not say who played
    verify_fault *fault;
    void *context;
};

static bool report(struct verifier *v, uint64_t id, int ply, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static bool report(struct verifier *v, uint64_t id, int ply, const char *format, ...) {
    char cause[256], text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(cause, sizeof cause, format, arguments);
    va_end(arguments);
    if (ply < 0)
        snprintf(text, sizeof text, "%s: game %" PRIu64 ": %s", v->file->path, id, cause);
    else
        snprintf(text, sizeof text, "%s: game %" PRIu64 ", ply %d: %s", v->file->path, id, ply, cause);
    v->fault(v->context, text);
    return false;
}

// ---- one game ----

static unsigned capture_flags(const struct variant *variant, const struct position *position) {
    struct position turned = *position;
    turned.turn = (uint8_t)other_side(position_turn(position));
    return (variant->can_capture(position) ? POSITION_CAN_CAPTURE : 0u) |
           (variant->can_capture(&turned) ? POSITION_OPPONENT_CAN_CAPTURE : 0u);
}

// The position now against row `row` of the batch; the legal moves are left in v->list.
static bool check_row(struct verifier *v, const struct game *game, size_t game_row, uint64_t number,
                      size_t row) {
    const uint64_t id = v->games.id[game_row];
    const struct position_columns *rows = &v->rows;
    const struct position *now = game_position(game);
    const struct position written = position_from_columns(v->variant, rows, row);
    const int clock = game->plies[game->ply].no_progress;
    const unsigned captures = POSITION_CAN_CAPTURE | POSITION_OPPONENT_CAN_CAPTURE;
    const bool random = game->ply < v->games.random_plies[game_row];
    if (written.pieces[WHITE] != now->pieces[WHITE] || written.pieces[BLACK] != now->pieces[BLACK] ||
        written.kings != now->kings || written.turn != now->turn) {
        return report(v, id, game->ply, "not the position that the moves lead to");
    }
    if (rows->game[row] != number) return report(v, id, game->ply, "the row belongs to another game");
    if (rows->ply[row] != game->ply) return report(v, id, game->ply, "ply is %u", rows->ply[row]);
    if (rows->result[row] != v->games.result[game_row]) return report(v, id, game->ply, "another result");
    if (rows->clock[row] != (clock < 255 ? clock : 255)) {
        return report(v, id, game->ply, "clock is %u, expected %d", rows->clock[row], clock);
    }
    if ((rows->flags[row] & captures) != capture_flags(v->variant, now)) {
        return report(v, id, game->ply, "wrong capture flags");
    }
    if (((rows->flags[row] & POSITION_RANDOM_MOVE) != 0) != random) {
        return report(v, id, game->ply, "wrong random flag");
    }
    if (rows->score[row] != NO_SCORE && abs(rows->score[row]) > SCORE_WIN) {
        return report(v, id, game->ply, "score is %d", rows->score[row]);
    }
    v->variant->generate(now, &v->list);
    if (rows->move[row] >= v->list.count || v->list.truncated) {
        return report(v, id, game->ply, "move %u of %d legal ones", rows->move[row], v->list.count);
    }
    return true;
}

static bool check_end(struct verifier *v, const struct game *game, size_t game_row) {
    const uint64_t id = v->games.id[game_row];
    const unsigned termination = v->games.termination[game_row];
    const int result = v->games.result[game_row];
    const bool by_rule = termination < GAME_ADJUDICATED_DRAW;
    if (termination == GAME_GOES_ON || termination >= TERMINATION_COUNT) {
        return report(v, id, -1, "termination is %u", termination);
    }
    int expected = result;
    const enum termination ended = game_over(game, &expected);
    if (ended != (by_rule ? (enum termination)termination : GAME_GOES_ON)) {
        return report(v, id, -1, "ended by \"%s\", but the rules say \"%s\"", termination_names[termination],
                      termination_names[ended]);
    }
    if (termination == GAME_LENGTH || termination == GAME_ADJUDICATED_DRAW) expected = 0;
    return result == expected || report(v, id, -1, "result is %d, expected %d", result, expected);
}

static bool replay(struct verifier *v, struct game *game, size_t game_row, uint64_t number,
                   size_t first_row) {
    for (unsigned i = 0; i < v->games.count[game_row]; i++) {
        if (!check_row(v, game, game_row, number, first_row + i)) return false;
        int result;
        if (game_over(game, &result) != GAME_GOES_ON) {
            return report(v, v->games.id[game_row], game->ply, "the game was over before");
        }
        game_play(game, v->list.moves[v->rows.move[first_row + i]]);
    }
    return check_end(v, game, game_row);
}

static bool opening_position(struct verifier *v, size_t game_row, struct position *start) {
    const uint32_t opening = v->games.opening[game_row];
    if (opening >= v->file->openings) {
        return report(v, v->games.id[game_row], -1, "opening %u of %" PRIu64, opening, v->file->openings);
    }
    struct error error;
    *start = opening_from_columns(v->variant, &v->openings, opening);
    return variant_check(v->variant, start, &error) ||
           report(v, v->games.id[game_row], -1, "opening: %s", error.text);
}

static void check_game(struct verifier *v, size_t game_row, uint64_t number, size_t first_row) {
    struct position start;
    if (!opening_position(v, game_row, &start)) return;
    struct game game;
    game_init(&game, v->variant, &v->draws, &start);
    replay(v, &game, game_row, number, first_row);
    game_free(&game);
}

// ---- one game of which some positions were chosen ----

static bool check_chosen(struct verifier *v, size_t game_row, uint64_t number, size_t row, int last_ply) {
    const uint64_t id = v->games.id[game_row];
    const struct position_columns *rows = &v->rows;
    const struct position position = position_from_columns(v->variant, rows, row);
    const unsigned captures = POSITION_CAN_CAPTURE | POSITION_OPPONENT_CAN_CAPTURE;
    const int ply = rows->ply[row];
    struct error error;
    if (!variant_check(v->variant, &position, &error)) return report(v, id, ply, "%s", error.text);
    if (rows->game[row] != number) return report(v, id, ply, "the row belongs to another game");
    if (ply <= last_ply || ply >= v->games.plies[game_row]) return report(v, id, ply, "out of order");
    if (rows->result[row] != v->games.result[game_row]) return report(v, id, ply, "another result");
    if ((rows->flags[row] & captures) != capture_flags(v->variant, &position)) {
        return report(v, id, ply, "wrong capture flags");
    }
    // Without the moves before, a limit on moves of one king is not known: there may be fewer.
    v->variant->generate(&position, &v->list);
    if (rows->move[row] >= v->list.count || v->list.truncated) {
        return report(v, id, ply, "move %u of %d legal ones", rows->move[row], v->list.count);
    }
    const float expected = v->labels.expected[row];
    return (v->labels.seen[row] > 0 && expected >= 0 && expected <= 1) ||
           report(v, id, ply, "label %g of %u positions", (double)expected, v->labels.seen[row]);
}

static void check_choice(struct verifier *v, size_t game_row, uint64_t number, size_t first_row) {
    int last_ply = -1;
    for (unsigned i = 0; i < v->games.count[game_row]; i++) {
        if (!check_chosen(v, game_row, number, first_row + i, last_ply)) return;
        last_ply = v->rows.ply[first_row + i];
    }
}

// ---- any game ----

static bool check_facts(struct verifier *v, size_t game_row) {
    const uint64_t id = v->games.id[game_row];
    const unsigned split = v->games.split[game_row];
    const unsigned engines[2] = {v->games.white_engine[game_row], v->games.black_engine[game_row]};
    if (split > SPLIT_TEST) return report(v, id, -1, "unknown split %u", split);
    for (int i = 0; i < 2; i++) {
        if (v->engines > 0 && engines[i] >= v->engines)
            return report(v, id, -1, "played by engine %u of %zu", engines[i], v->engines);
    }
    return true;
}

// ---- one file ----

// Do the games of the block follow one another without gap? `*end` is the row after the last of them.
static bool check_chain(struct verifier *v, uint64_t first_number, size_t count, uint64_t *end) {
    for (size_t i = 0; i < count; i++) {
        const uint64_t in_file = first_number + i - v->file->first_game;
        const uint64_t id = v->games.id[i], expected = v->file->info.first_game + in_file;
        const bool chosen = v->file->info.origin != NULL;  // some games may have been left out
        if (chosen ? in_file > 0 && id <= v->last_id : id != expected) {
            return report(v, id, -1, "expected game %" PRIu64 " in this row", expected);
        }
        v->last_id = id;
        if (v->games.first[i] != *end ||
            (v->file->info.sample == NULL && v->games.count[i] != v->games.plies[i])) {
            return report(v, id, -1, "its rows do not follow those of the game before");
        }
        *end += v->games.count[i];
        if (*end > v->file->first_position + v->file->positions) {
            return report(v, id, -1, "its rows lie beyond the end of /positions");
        }
    }
    return true;
}

static bool read_batch(struct verifier *v, uint64_t first, size_t count, struct error *error) {
    if (count > v->room) {
        position_columns_free(&v->rows);
        label_columns_free(&v->labels);
        v->room = count;
        v->rows = position_columns_new(count);
        v->labels = label_columns_new(count);
    }
    return dataset_read_positions(v->dataset, first, count, &v->rows, error) &&
           (v->file->info.sample == NULL || dataset_read_labels(v->dataset, first, count, &v->labels, error));
}

// The games of a block whose chain is good.
static bool check_block(struct verifier *v, uint64_t first_number, size_t count, struct error *error) {
    for (size_t from = 0, to; from < count; from = to) {
        size_t rows = 0;
        for (to = from; to < count && (to == from || rows + v->games.count[to] <= BATCH_POSITIONS); to++) {
            rows += v->games.count[to];
        }
        const uint64_t first = v->games.first[from];
        if (interrupted()) return error_set(error, "interrupted");
        if (!read_batch(v, first, rows, error)) return false;
        for (size_t i = from; i < to; i++) {
            const size_t row = (size_t)(v->games.first[i] - first);
            if (!check_facts(v, i)) continue;
            if (v->file->info.sample != NULL)
                check_choice(v, i, first_number + i, row);
            else
                check_game(v, i, first_number + i, row);
        }
        progress_step(v->progress, to - from);
    }
    return true;
}

static bool check_games(struct verifier *v, struct error *error) {
    uint64_t end = v->file->first_position;
    for (uint64_t done = 0; done < v->file->games; done += DATASET_BLOCK) {
        const uint64_t left = v->file->games - done, first_number = v->file->first_game + done;
        const size_t count = left < DATASET_BLOCK ? (size_t)left : DATASET_BLOCK;
        if (!dataset_read_games(v->dataset, first_number, count, &v->games, error)) return false;
        if (!check_chain(v, first_number, count, &end)) return true;
        if (!check_block(v, first_number, count, error)) return false;
    }
    if (end != v->file->first_position + v->file->positions) {
        report(v, v->file->info.first_game + v->file->games, -1, "positions follow that belong to no game");
    }
    return true;
}

static size_t count_engines(const char *list) {
    json_t *engines = list != NULL ? json_loads(list, 0, NULL) : NULL;
    const size_t count = json_array_size(engines);
    json_decref(engines);
    return count;
}

static bool verify_file(struct verifier *v, int index, struct error *error) {
    v->file = dataset_file(v->dataset, index);
    v->engines = count_engines(v->file->info.engines);
    if (!draws_from_json(v->file->info.rules, &v->draws, error))
        return error_prefix(error, "%s", v->file->path);
    v->openings = opening_columns_new((size_t)v->file->openings);
    const bool done = dataset_read_openings(v->dataset, index, &v->openings, error) && check_games(v, error);
    opening_columns_free(&v->openings);
    return done;
}

bool verify_dataset(struct dataset *dataset, bool quiet, verify_fault *fault, void *context,
                    struct error *error) {
    struct verifier *v = memory_new(1, sizeof *v);
    v->dataset = dataset;
    v->variant = dataset_variant(dataset);
    v->fault = fault;
    v->context = context;
    v->games = game_columns_new(DATASET_BLOCK);
    v->room = BATCH_POSITIONS;
    v->rows = position_columns_new(v->room);
    v->labels = label_columns_new(v->room);
    v->progress = progress_start("verifying", "games", dataset_games(dataset), quiet);
    for (int i = 0; i < dataset_file_count(dataset) && !interrupted(); i++) {
        struct error cause;
        if (!verify_file(v, i, &cause) && !interrupted()) fault(context, cause.text);
    }
    progress_end(v->progress);
    position_columns_free(&v->rows);
    label_columns_free(&v->labels);
    game_columns_free(&v->games);
    free(v);
    return !interrupted() || error_set(error, "interrupted: not all games were checked");
}

// ---- the folder of a run ----

// The shards that a folder holds: present[number] for numbers below the count. NULL when it has none.
static bool *list_shards(const char *folder, uint64_t *count) {
    bool *present = NULL;
    uint64_t number;
    DIR *entries = opendir(folder);
    *count = 0;
    for (struct dirent *entry; entries != NULL && (entry = readdir(entries)) != NULL;) {
        if (!shard_name(entry->d_name, &number) || number >= MOST_SHARDS) continue;
        if (number >= *count) {
            present = memory_grow(present, number + 1, sizeof *present);
            memset(present + *count, 0, number + 1 - *count);
            *count = number + 1;
        }
        present[number] = true;
    }
    if (entries != NULL) closedir(entries);
    return present;
}

// "3, 7-9"; at most MOST_RANGES of them, and then "...". Freed by the caller.
static char *ranges_text(const bool *present, uint64_t count, uint64_t all) {
    char *text = memory_text("%s", "");
    int ranges = 0;
    for (uint64_t i = 0, end; i < all; i = end) {
        const bool here = i < count && present[i];
        for (end = i + 1; end < all && (end < count && present[end]) == here; end++) {
        }
        if (here || ranges > MOST_RANGES) continue;
        const char *comma = ranges > 0 ? ", " : "";
        char *longer = ranges++ == MOST_RANGES ? memory_text("%s, ...", text)
                       : end == i + 1          ? memory_text("%s%s%" PRIu64, text, comma, i)
                                      : memory_text("%s%s%" PRIu64 "-%" PRIu64, text, comma, i, end - 1);
        free(text);
        text = longer;
    }
    return text;
}

enum verify_gap verify_missing_shards(const char *folder, verify_fault *fault, void *context) {
    uint64_t count, missing = 0;
    bool *present = list_shards(folder, &count);
    struct run_facts *facts = run_facts_read(folder);
    const uint64_t planned = run_facts_shards(facts), all = planned > count ? planned : count;
    const bool finished = run_facts_finished(facts);
    run_facts_free(facts);
    for (uint64_t i = 0; i < all; i++) missing += i >= count || !present[i];
    if (missing > 0) {
        char *which = ranges_text(present, count, all);
        char *text = memory_text("%s: %" PRIu64 " of %" PRIu64 " shards %s missing%s: %s", folder, missing,
                                 all, missing == 1 ? "is" : "are",
                                 planned > 0 && !finished ? " (the run is not finished)" : "", which);
        fault(context, text);
        free(text);
        free(which);
    }
    free(present);
    return missing == 0 ? VERIFY_WHOLE : finished ? VERIFY_GAPS : VERIFY_UNFINISHED;
}

struct place {
    dev_t device;
    ino_t number;
    const char *path;
};

static int compare_places(const void *a, const void *b) {
    const struct place *one = a, *other = b;
    if (one->device != other->device) return one->device < other->device ? -1 : 1;
    return one->number < other->number ? -1 : one->number > other->number;
}

void verify_repeated_files(const struct dataset *dataset, verify_fault *fault, void *context) {
    const int count = dataset_file_count(dataset);
    struct place *places = memory_new((size_t)count, sizeof *places);
    int found = 0;
    for (int i = 0; i < count; i++) {
        struct stat status;
        const char *path = dataset_file(dataset, i)->path;
        if (stat(path, &status) == 0) places[found++] = (struct place){status.st_dev, status.st_ino, path};
    }
    qsort(places, (size_t)found, sizeof *places, compare_places);
    for (int i = 1; i < found; i++) {
        if (compare_places(&places[i - 1], &places[i]) != 0) continue;
        char *text = memory_text("%s and %s: are the same file, and its games count twice",
                                 places[i - 1].path, places[i].path);
        fault(context, text);
        free(text);
    }
    free(places);
}

bool verify_shard_sums(const char *folder, verify_damaged *damaged, void *context, struct error *error) {
    uint64_t count;
    free(list_shards(folder, &count));
    if (!shards_have_sums(folder)) count = 0;
    struct shard_sum *sums = memory_new(count > 0 ? count : 1, sizeof *sums);
    const bool done = shards_examine(folder, 0, count, sums, error);
    for (uint64_t i = 0; i < count && done; i++) {
        if (sums[i].state == SHARD_WHOLE || sums[i].state == SHARD_ABSENT) continue;
        char *path = shard_path(folder, i, "h5");
        char *text = memory_text("%s: does not have its checksum", path);
        damaged(context, path, text);
        free(text);
        free(path);
    }
    free(sums);
    return done;
}
