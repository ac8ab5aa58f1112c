// samples.c -- reads a dataset block by block and keeps the positions to fit to.

#include "tuner/samples.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "core/support/memory.h"
#include "core/support/progress.h"
#include "core/support/random.h"

enum { SHARE_SEED = 8 };  // a stream of its own for each game

const char *const part_names[PART_COUNT] = {"train", "validation", "test"};

struct sample_choice sample_choice_usual(void) {
    return (struct sample_choice){.quiet_only = true, .max_score = SCORE_LIMIT, .max_clock = 0, .share = 1};
}

// What one pass over the dataset needs.
struct reading {
    struct dataset *dataset;
    const struct sample_choice *choice;
    struct game_columns games;
    struct position_columns rows;  // of the block
    struct label_columns labels;
    struct sample_sets *sets;
    struct error *error;
};

// ---- Rows are checked: a damaged one must not become a weight ----

static bool game_is_sound(const struct reading *reading, uint64_t game) {
    const int result = reading->games.result[game];
    if (reading->games.split[game] >= PART_COUNT)
        return error_set(reading->error, "game %" PRIu64 ": unknown split %d", game,
                         reading->games.split[game]);
    return (result >= -1 && result <= 1) ||
           error_set(reading->error, "game %" PRIu64 ": expected a result of -1..1, got %d", game, result);
}

static bool board_is_sound(const struct reading *reading, size_t row) {
    const struct position_columns *rows = &reading->rows;
    const uint64_t white = rows->white_men[row] | rows->white_kings[row];
    const uint64_t black = rows->black_men[row] | rows->black_kings[row];
    const uint64_t kings = rows->white_kings[row] | rows->black_kings[row];
    const uint64_t men = rows->white_men[row] | rows->black_men[row];
    const int squares = board_squares(reading->sets->variant->rules->width);
    return (white & black) == 0 && (kings & men) == 0 && (white | black) >> squares == 0 &&
           bits_count(white) <= MAX_CAPTURED && bits_count(black) <= MAX_CAPTURED && rows->stm[row] <= BLACK;
}

static bool row_is_sound(const struct reading *reading, uint64_t first, size_t row) {
    const struct position_columns *rows = &reading->rows;
    const uint64_t number = first + row;
    if (!board_is_sound(reading, row))
        return error_set(reading->error, "position %" PRIu64 ": not a board of %s", number,
                         reading->sets->variant->name);
    if (rows->game[row] >= reading->sets->games)
        return error_set(reading->error, "position %" PRIu64 ": there is no game %u", number,
                         rows->game[row]);
    const float expected = reading->labels.expected[row];
    if (!(expected >= 0 && expected <= 1))
        return error_set(reading->error, "position %" PRIu64 ": label %g", number, (double)expected);
    return rows->result[row] == reading->games.result[rows->game[row]] ||
           error_set(reading->error, "position %" PRIu64 ": result %d, but its game has %d", number,
                     rows->result[row], reading->games.result[rows->game[row]]);
}

// ---- Choosing ----

static bool is_chosen(const struct sample_choice *choice, const struct position_columns *rows, size_t row) {
    const unsigned flags = rows->flags[row];
    const int score = rows->score[row];
    if (flags & POSITION_RANDOM_MOVE || rows->ply[row] < choice->skip_plies) return false;
    if (rows->clock[row] > choice->max_clock) return false;
    if (choice->quiet_only && flags & (POSITION_CAN_CAPTURE | POSITION_OPPONENT_CAN_CAPTURE)) return false;
    return score == NO_SCORE || abs(score) <= choice->max_score;
}

// A game's samples come one after the other.
static void add_sample(struct samples *samples, struct sample sample) {
    if (samples->count == samples->capacity) {
        samples->capacity = samples->capacity == 0 ? DATASET_BLOCK : 2 * samples->capacity;
        samples->sample = memory_grow(samples->sample, samples->capacity, sizeof *samples->sample);
    }
    if (samples->count == 0 || samples->sample[samples->count - 1].game != sample.game) {
        samples->games++;
        samples->results[sample.result + 1]++;
    }
    samples->sample[samples->count++] = sample;
}

// Held-out games are all looked at, whatever the share.
static bool is_in_share(const struct reading *reading, uint32_t game) {
    if (reading->games.split[game] != SPLIT_TRAIN || reading->choice->share >= 1) return true;
    struct random random = random_stream(SHARE_SEED, game);
    return random_unit(&random) < reading->choice->share;
}

static void take_row(struct reading *reading, size_t row) {
    const struct position_columns *rows = &reading->rows;
    const uint32_t game = rows->game[row];
    if (!is_in_share(reading, game)) return;
    add_sample(&reading->sets->part[reading->games.split[game]],
               (struct sample){
                   .position = position_from_columns(reading->sets->variant, rows, row),
                   .shift = reading->labels.expected[row] - (float)(rows->result[row] + 1) / 2,
                   .target = reading->labels.expected[row],
                   .weight = 1,
                   .score = rows->score[row],
                   .result = rows->result[row],
                   .game = game,
               });
}

// ---- Weighing ----

static int pieces_of(const struct sample *sample) {
    return bits_count(sample->position.pieces[WHITE] | sample->position.pieces[BLACK]);
}

// A game's samples come one after the other.
static void balance_games(struct samples *samples, double balance) {
    for (size_t first = 0, next; first < samples->count; first = next) {
        next = first + 1;
        while (next < samples->count && samples->sample[next].game == samples->sample[first].game) next++;
        const float weight = (float)pow((double)(next - first), -balance);
        for (size_t i = first; i < next; i++) samples->sample[i].weight *= weight;
    }
}

static void balance_pieces(struct samples *samples, double balance) {
    double weight[2 * MAX_CAPTURED + 1] = {0};
    for (size_t i = 0; i < samples->count; i++)
        weight[pieces_of(&samples->sample[i])] += samples->sample[i].weight;
    for (size_t i = 0; i < samples->count; i++)
        samples->sample[i].weight *= (float)pow(weight[pieces_of(&samples->sample[i])], -balance);
}

static void average_one(struct samples *samples) {
    double sum = 0;
    for (size_t i = 0; i < samples->count; i++) sum += samples->sample[i].weight;
    for (size_t i = 0; i < samples->count; i++)
        samples->sample[i].weight *= (float)((double)samples->count / sum);
}

static void weigh(struct samples *samples, const struct sample_choice *choice) {
    if (choice->game_balance > 0) balance_games(samples, choice->game_balance);
    if (choice->piece_balance > 0) balance_pieces(samples, choice->piece_balance);
    average_one(samples);
}

// ---- Reading ----

static bool read_games(struct reading *reading) {
    struct game_columns wanted = {.result = reading->games.result, .split = reading->games.split};
    if (!dataset_read_games(reading->dataset, 0, (size_t)reading->sets->games, &wanted, reading->error))
        return false;
    for (uint64_t game = 0; game < reading->sets->games; game++) {
        if (!game_is_sound(reading, game)) return false;
    }
    return true;
}

static bool read_block(struct reading *reading, uint64_t first, size_t count) {
    if (!dataset_read_positions(reading->dataset, first, count, &reading->rows, reading->error) ||
        !dataset_read_labels(reading->dataset, first, count, &reading->labels, reading->error))
        return false;
    for (size_t row = 0; row < count; row++) {
        if (!row_is_sound(reading, first, row)) return false;
        if (is_chosen(reading->choice, &reading->rows, row)) take_row(reading, row);
    }
    return true;
}

static bool read_positions(struct reading *reading, struct progress *progress) {
    const uint64_t total = reading->sets->positions;
    for (uint64_t first = 0; first < total; first += DATASET_BLOCK) {
        const size_t count = (size_t)(total - first < DATASET_BLOCK ? total - first : DATASET_BLOCK);
        if (interrupted()) return error_set(reading->error, "interrupted while reading: nothing written");
        if (!read_block(reading, first, count)) return false;
        progress_step(progress, count);
    }
    return true;
}

static bool have_any(const struct sample_sets *sets, const char *path, struct error *error) {
    if (sets->positions == 0) return error_set(error, "%s: no positions in it", path);
    for (int part = 0; part < PART_COUNT; part++) {
        if (sets->part[part].count > 0) return true;
    }
    return error_set(error, "%s: none of %" PRIu64 " positions is left by the choice of samples", path,
                     sets->positions);
}

static bool read_all(struct dataset *dataset, const struct sample_choice *choice, bool quiet,
                     struct sample_sets *sets, struct error *error) {
    struct reading reading = {
        .dataset = dataset,
        .choice = choice,
        .games = game_columns_new((size_t)sets->games),
        .rows = position_columns_new(DATASET_BLOCK),
        .labels = label_columns_new(DATASET_BLOCK),
        .sets = sets,
        .error = error,
    };
    struct progress *progress = progress_start("reading", "positions", sets->positions, quiet);
    const bool done = read_games(&reading) && read_positions(&reading, progress);
    progress_end(progress);
    game_columns_free(&reading.games);
    position_columns_free(&reading.rows);
    label_columns_free(&reading.labels);
    return done;
}

bool samples_read(const char *const *paths, int count, const struct variant *wanted,
                  const struct sample_choice *choice, bool quiet, struct sample_sets *sets,
                  struct error *error) {
    *sets = (struct sample_sets){0};
    struct dataset *dataset = dataset_open(paths, count, error);
    if (dataset == NULL) return false;
    sets->variant = dataset_variant(dataset);
    sets->games = dataset_games(dataset);
    sets->positions = dataset_positions(dataset);

    bool done = true;
    if (wanted != NULL && wanted != sets->variant)
        done =
            error_set(error, "%s: holds games of %s, not of %s", paths[0], sets->variant->name, wanted->name);
    done = done && read_all(dataset, choice, quiet, sets, error) && have_any(sets, paths[0], error);
    for (int part = 0; done && part < PART_COUNT; part++) weigh(&sets->part[part], choice);
    dataset_close(dataset);
    if (!done) samples_free(sets);
    return done;
}

void samples_join(struct sample_sets *sets) {
    for (int part = 1; part < PART_COUNT; part++) {
        struct samples *other = &sets->part[part];
        for (size_t i = 0; i < other->count; i++) add_sample(&sets->part[0], other->sample[i]);
        free(other->sample);
        *other = (struct samples){0};
    }
}

void samples_free(struct sample_sets *sets) {
    for (int part = 0; part < PART_COUNT; part++) free(sets->part[part].sample);
    *sets = (struct sample_sets){0};
}
