// sample.c -- chooses positions of a dataset and writes them to a file.

#include "selfplay/sample.h"

#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/support/memory.h"
#include "core/support/progress.h"
#include "core/support/random.h"
#include "selfplay/duplicates.h"
#include "selfplay/game_reader.h"
#include "selfplay/origin.h"
#include "selfplay/output.h"
#include "selfplay/position_set.h"

enum { MAX_PIECES = 63, SPLITS = SPLIT_TEST + 1, STREAM_PIECES = 1 };

struct sample_settings sample_settings_all(void) {
    return (struct sample_settings){
        .ply = {0, INT_MAX},
        .pieces = {0, MAX_PIECES},
        .clock = {0, INT_MAX},
        .score = {0, INT_MAX},
        .unscored = true,
        .results = {true, true, true},
        .share = 1,
    };
}

// Equal positions, together.
struct group {
    double points;  // of White
    int64_t score;
    uint32_t seen, scored;
    bool written;
};

struct sampling {
    struct dataset *dataset;
    const struct sample_settings *settings;
    struct sample_counts *counts;
    bool *repeated;
    struct origin origin;
    char *text;  // origin.info.sample
    // Step 4, when it is asked for.
    struct position_set positions[SPLITS];
    struct group *groups[SPLITS];
    size_t group_room[SPLITS];
    // Step 5: how many are there, and how many are still to come and to be taken.
    uint64_t there[MAX_PIECES + 1], to_come[MAX_PIECES + 1], to_take[MAX_PIECES + 1];
    struct random pieces_random;
    // Of one game.
    bool *keep;
    uint32_t *order;
    size_t room;
    struct dataset_writer *writer;
};

// ---- steps 1 to 3: within a game ----

static bool in_range(int value, const struct sample_range *range) {
    return value >= range->least && value <= range->most;
}

static int count_pieces(const struct position_columns *rows, size_t row) {
    return bits_count(rows->white_men[row] | rows->white_kings[row] | rows->black_men[row] |
                      rows->black_kings[row]);
}

bool sample_wants(const struct sample_settings *settings, const struct position_columns *rows, size_t row) {
    const unsigned flags = rows->flags[row];
    const int score = rows->score[row];
    if (score == NO_SCORE ? !settings->unscored : !in_range(abs(score), &settings->score)) return false;
    if (settings->quiet && flags & (POSITION_CAN_CAPTURE | POSITION_OPPONENT_CAN_CAPTURE)) return false;
    if (settings->skip_random && flags & POSITION_RANDOM_MOVE) return false;
    return in_range(rows->ply[row], &settings->ply) && in_range(rows->clock[row], &settings->clock) &&
           in_range(count_pieces(rows, row), &settings->pieces);
}

// Leaves `limit` of those kept, each as likely as the others.
static void keep_at_most(struct sampling *s, size_t count, size_t limit, struct random *random) {
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (s->keep[i]) s->order[kept++] = (uint32_t)i;
    }
    for (; kept > limit; kept--) {
        const size_t out = (size_t)random_below(random, kept);
        s->keep[s->order[out]] = false;
        s->order[out] = s->order[kept - 1];
    }
}

// Fills s->keep; draws from a stream of the game's own.
static void choose_in_game(struct sampling *s, const struct read_game *game) {
    const struct sample_settings *settings = s->settings;
    const size_t count = game->row.count[0];
    struct random random = random_stream(settings->seed, game->number);
    if (count > s->room) {
        s->room = 2 * count;
        s->keep = memory_grow(s->keep, s->room, sizeof *s->keep);
        s->order = memory_grow(s->order, s->room, sizeof *s->order);
    }
    const bool take =
        settings->results[game->row.result[0] + 1] && (s->repeated == NULL || !s->repeated[game->number]);
    for (size_t i = 0; i < count; i++) {
        s->keep[i] = take && sample_wants(settings, &game->rows, i) &&
                     (settings->share >= 1 || random_unit(&random) < settings->share);
    }
    if (settings->per_game > 0) keep_at_most(s, count, (size_t)settings->per_game, &random);
}

// ---- step 4: equal positions ----

static struct group *group_of(struct sampling *s, const struct read_game *game, size_t row) {
    const int split = game->row.split[0];
    const struct position position = position_from_columns(dataset_variant(s->dataset), &game->rows, row);
    const size_t number = position_set_add(&s->positions[split], &position);
    if (number >= s->group_room[split]) {
        const size_t old = s->group_room[split];
        s->group_room[split] = old == 0 ? DATASET_BLOCK : 2 * old;
        s->groups[split] = memory_grow(s->groups[split], s->group_room[split], sizeof *s->groups[split]);
        memset(s->groups[split] + old, 0, (s->group_room[split] - old) * sizeof *s->groups[split]);
    }
    return &s->groups[split][number];
}

// Returns whether it is the first of its kind.
static bool join_group(struct sampling *s, const struct read_game *game, size_t row) {
    struct group *group = group_of(s, game, row);
    const uint32_t seen = game->labels.seen[row];
    const bool first = group->seen == 0;
    group->points += (double)game->labels.expected[row] * seen;
    group->seen += seen;
    if (game->rows.score[row] != NO_SCORE) {
        group->score += (int64_t)game->rows.score[row] * seen;
        group->scored += seen;
    }
    return first;
}

static int16_t mean_score(const struct group *group) {
    if (group->scored == 0) return NO_SCORE;
    const int64_t twice = 2 * group->score, n = group->scored;
    return (int16_t)((twice + (twice < 0 ? -n : n)) / (2 * n));  // rounded
}

// Leaves the first of each kind, with the labels of all.
static void keep_unique(struct sampling *s, const struct read_game *game) {
    for (size_t i = 0; i < game->row.count[0]; i++) {
        if (!s->keep[i]) continue;
        struct group *group = group_of(s, game, i);
        s->keep[i] = !group->written;
        group->written = true;
        game->labels.expected[i] = (float)(group->points / group->seen);
        game->labels.seen[i] = group->seen;
        game->rows.score[i] = mean_score(group);
    }
}

// ---- step 5: counts of pieces ----

static void plan_pieces(struct sampling *s) {
    s->pieces_random = random_stream(s->settings->seed ^ UINT64_C(0x9D1CE5), STREAM_PIECES);
    for (int i = 0; i <= MAX_PIECES; i++) {
        s->to_come[i] = s->there[i];
        s->to_take[i] = s->there[i] < s->settings->per_pieces ? s->there[i] : s->settings->per_pieces;
    }
}

// Of those to come, each is as likely as the others to be among those to take.
static void keep_by_pieces(struct sampling *s, const struct read_game *game) {
    for (size_t i = 0; i < game->row.count[0]; i++) {
        if (!s->keep[i]) continue;
        const int pieces = count_pieces(&game->rows, i);
        s->keep[i] = random_below(&s->pieces_random, s->to_come[pieces]--) < s->to_take[pieces];
        s->to_take[pieces] -= s->keep[i];
    }
}

// ---- passes ----

typedef bool game_action(struct sampling *, struct read_game *, struct error *);

static bool each_game(struct sampling *s, const char *title, game_action *act, struct error *error) {
    const uint64_t games = dataset_games(s->dataset);
    struct game_reader *reader = game_reader_new(s->dataset, READ_LABELS);
    struct progress *progress = progress_start(title, "games", games, s->settings->quiet_output);
    bool done = true;
    for (uint64_t i = 0; i < games && done; i++) {
        struct read_game game;
        done = game_reader_next(reader, &game, error);
        if (done && game.row.split[0] >= SPLITS)
            done = error_set(error, "game %llu: unknown split %u", (unsigned long long)game.row.id[0],
                             game.row.split[0]);
        if (done) choose_in_game(s, &game);
        done = done && act(s, &game, error);
        progress_step(progress, 1);
    }
    progress_end(progress);
    game_reader_free(reader);
    return done;
}

static bool count_game(struct sampling *s, struct read_game *game, struct error *error) {
    (void)error;
    for (size_t i = 0; i < game->row.count[0]; i++) {
        if (!s->keep[i] || (s->settings->unique && !join_group(s, game, i))) continue;
        s->there[count_pieces(&game->rows, i)]++;
    }
    return true;
}

static size_t count_kept(const struct sampling *s, size_t count) {
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) kept += s->keep[i];
    return kept;
}

static bool write_rows(struct sampling *s, struct read_game *game, size_t kept, struct error *error) {
    const uint8_t *engine = s->origin.engine[game->file];
    const struct game_columns *row = &game->row;
    position_columns_keep(&game->rows, row->count[0], s->keep);
    label_columns_keep(&game->labels, row->count[0], s->keep);
    for (size_t i = 0; i < kept; i++) {
        game->rows.game[i] = (uint32_t)s->counts->games;
        s->counts->by_pieces[count_pieces(&game->rows, i)]++;
    }
    row->count[0] = (uint32_t)kept;
    row->white_engine[0] = engine[row->white_engine[0]];
    row->black_engine[0] = engine[row->black_engine[0]];
    row->id[0] = game->number;
    s->counts->games++;
    s->counts->positions += kept;
    return dataset_add_opening(s->writer, &game->start, &row->opening[0], error) &&
           dataset_add_games(s->writer, row, 1, error) &&
           dataset_add_positions(s->writer, &game->rows, kept, error) &&
           dataset_add_labels(s->writer, &game->labels, kept, error);
}

static bool write_game(struct sampling *s, struct read_game *game, struct error *error) {
    const size_t count = game->row.count[0];
    s->counts->read += count;
    s->counts->chosen += count_kept(s, count);
    if (s->settings->unique) keep_unique(s, game);
    s->counts->unique += count_kept(s, count);
    if (s->settings->per_pieces > 0) keep_by_pieces(s, game);
    const size_t kept = count_kept(s, count);
    return kept == 0 || write_rows(s, game, kept, error);
}

// ---- the file ----

static json_t *range_to_json(const struct sample_range *range) {
    return range->most == INT_MAX ? json_pack("[i, n]", range->least)
                                  : json_pack("[i, i]", range->least, range->most);
}

static char *settings_to_json(const struct sample_settings *settings) {
    json_t *root =
        json_pack("{s:b, s:o, s:o, s:o, s:o, s:b, s:b, s:b, s:{s:b, s:b, s:b}, s:f, s:i, s:b, s:I, s:I}",
                  "drop_duplicates", settings->drop_duplicates, "ply", range_to_json(&settings->ply),
                  "pieces", range_to_json(&settings->pieces), "clock", range_to_json(&settings->clock),
                  "score", range_to_json(&settings->score), "unscored", settings->unscored, "quiet_only",
                  settings->quiet, "skip_random", settings->skip_random, "results", "black",
                  settings->results[0], "draw", settings->results[1], "white", settings->results[2], "share",
                  settings->share, "per_game", settings->per_game, "unique", settings->unique, "per_pieces",
                  (json_int_t)settings->per_pieces, "seed", (json_int_t)settings->seed);
    char *text = json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(9));
    json_decref(root);
    return text;
}

static bool write_file(struct sampling *s, const char *path, struct error *error) {
    s->origin.info.sample = s->text;
    s->origin.info.first_game = 0;
    s->writer = dataset_create_file(path, &s->origin.info, error);
    if (s->writer == NULL) return false;
    bool done = each_game(s, "writing", write_game, error);
    if (done && s->counts->positions == 0)
        done = error_set(error, "none of %llu positions is left by this choice",
                         (unsigned long long)s->counts->read);
    if (done) return dataset_publish(s->writer, error);
    dataset_discard(s->writer);
    return false;
}

bool sample_write(struct dataset *dataset, const char *path, const struct sample_settings *settings,
                  struct sample_counts *counts, struct error *error) {
    struct sampling s = {.dataset = dataset, .settings = settings, .counts = counts};
    uint64_t duplicates;
    *counts = (struct sample_counts){0};
    if (!output_check(path, dataset, error) || !origin_init(&s.origin, dataset, error)) return false;
    s.text = settings_to_json(settings);
    bool done = !settings->drop_duplicates ||
                duplicates_find(dataset, settings->quiet_output, &s.repeated, &duplicates, error);
    if (done && (settings->unique || settings->per_pieces > 0))
        done = each_game(&s, "counting", count_game, error);
    plan_pieces(&s);
    done = done && write_file(&s, path, error);
    for (int i = 0; i < SPLITS; i++) {
        position_set_free(&s.positions[i]);
        free(s.groups[i]);
    }
    free(s.keep);
    free(s.order);
    free(s.repeated);
    free(s.text);
    origin_free(&s.origin);
    return done;
}
