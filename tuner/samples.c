// samples.c -- reads a dataset block by block and keeps the positions to fit to.

#include "tuner/samples.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "core/support/memory.h"
#include "core/support/progress.h"
#include "core/support/random.h"
#include "selfplay/open_shard.h"
#include "selfplay/verify.h"

enum { LEAST_BLOCKS = LEAST_BUFFER / DATASET_BLOCK };  // of a load
// Streams of random numbers of their own for each game, and each opening.
enum { SHARE_SEED = 8, HELD_OUT_SEED = 9, OPENING_SEED = 10 };

const char *const part_names[PART_COUNT] = {"train", "validation", "test"};
const char *const split_by_names[SPLIT_BY_COUNT] = {"game", "opening"};

struct sample_choice sample_choice_usual(void) {
    return (struct sample_choice){.quiet_only = true, .max_score = SCORE_LIMIT, .max_clock = 0, .share = 1};
}

// ---- Weighing ----

// How much a position counts follows from how many there are of its game and of its number of pieces. So all
// are counted first; those of a game come one after the other.
struct weighing {
    double game_balance, piece_balance;
    uint64_t count;
    uint32_t *of_game;  // by row; NULL: games are not balanced
    uint32_t game;      // the one that is being counted, and its positions by pieces
    uint32_t of_pieces[2 * MAX_CAPTURED + 1];
    double pieces[2 * MAX_CAPTURED + 1];  // of all games: the sum of weights, and later the factor
};

static struct weighing *weighing_new(const struct sample_choice *choice, uint64_t games) {
    struct weighing *weighing = memory_new(1, sizeof *weighing);
    weighing->game_balance = choice->game_balance;
    weighing->piece_balance = choice->piece_balance;
    if (choice->game_balance > 0) weighing->of_game = memory_new((size_t)games, sizeof *weighing->of_game);
    return weighing;
}

static void weighing_free(struct weighing *weighing) {
    if (weighing != NULL) free(weighing->of_game);
    free(weighing);
}

static double game_factor(const struct weighing *weighing, uint32_t game) {
    return weighing->of_game != NULL ? pow(weighing->of_game[game], -weighing->game_balance) : 1;
}

static void close_game(struct weighing *weighing) {
    if (weighing->count == 0) return;
    const double factor = game_factor(weighing, weighing->game);
    for (int i = 0; i <= 2 * MAX_CAPTURED; i++) {
        weighing->pieces[i] += factor * weighing->of_pieces[i];
        weighing->of_pieces[i] = 0;
    }
}

static int pieces_of(const struct sample *sample) {
    return bits_count(sample->position.pieces[WHITE] | sample->position.pieces[BLACK]);
}

static void weighing_count(struct weighing *weighing, const struct sample *sample) {
    if (weighing->game != sample->game) close_game(weighing);
    weighing->game = sample->game;
    weighing->count++;
    weighing->of_pieces[pieces_of(sample)]++;
    if (weighing->of_game != NULL) weighing->of_game[sample->game]++;
}

// All are counted: weights are 1 on average.
static void weighing_finish(struct weighing *weighing) {
    double sum = 0;
    close_game(weighing);
    for (int i = 0; i <= 2 * MAX_CAPTURED; i++) {
        if (weighing->pieces[i] == 0) continue;
        const double factor = pow(weighing->pieces[i], -weighing->piece_balance);
        sum += weighing->pieces[i] * factor;
        weighing->pieces[i] = factor;
    }
    for (int i = 0; i <= 2 * MAX_CAPTURED; i++) weighing->pieces[i] *= (double)weighing->count / sum;
}

static float weight_of(const struct weighing *weighing, const struct sample *sample) {
    return (float)(game_factor(weighing, sample->game) * weighing->pieces[pieces_of(sample)]);
}

// Of samples that are all in memory.
static void weigh(struct samples *samples, const struct sample_choice *choice, uint64_t games) {
    if (samples->count == 0 || (choice->game_balance == 0 && choice->piece_balance == 0)) return;
    struct weighing *weighing = weighing_new(choice, games);
    for (size_t i = 0; i < samples->count; i++) weighing_count(weighing, &samples->sample[i]);
    weighing_finish(weighing);
    for (size_t i = 0; i < samples->count; i++)
        samples->sample[i].weight = weight_of(weighing, &samples->sample[i]);
    weighing_free(weighing);
}

// What reading the dataset needs.
struct reading {
    struct dataset *dataset;
    const struct sample_choice *choice;
    struct game_columns games;
    struct position_columns rows;  // of the block
    struct label_columns labels;
    size_t block;  // rows that are read together
    struct sample_sets *sets;
    struct weighing *weighing;  // of the training positions
    struct error *error;
};

struct sample_stream {
    struct reading reading;
    struct sample_choice choice;  // of the reading
    uint64_t *block;              // [blocks]: its first row
    uint32_t *order;              // of the blocks
    size_t blocks, next;
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

// A mean of as many results as were seen, its own among them.
static bool label_is_sound(const struct reading *reading, size_t row) {
    const double expected = (double)reading->labels.expected[row], seen = reading->labels.seen[row];
    const double points = (reading->rows.result[row] + 1) / 2.0;
    return expected >= 0 && expected <= 1 && seen >= 1 && fabs(expected - points) <= 1 - 1 / seen + 1e-4;
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
    if (rows->result[row] != reading->games.result[rows->game[row]])
        return error_set(reading->error, "position %" PRIu64 ": result %d, but its game has %d", number,
                         rows->result[row], reading->games.result[rows->game[row]]);
    return label_is_sound(reading, row) ||
           error_set(
               reading->error,
               "position %" PRIu64 ": its label, %g points a game in %u games, contradicts its result %d",
               number, (double)reading->labels.expected[row], reading->labels.seen[row], rows->result[row]);
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

static void append(struct samples *samples, const struct sample *sample) {
    if (samples->count == samples->capacity) {
        samples->capacity = samples->capacity == 0 ? DATASET_BLOCK : 2 * samples->capacity;
        samples->sample = memory_grow(samples->sample, samples->capacity, sizeof *samples->sample);
    }
    samples->sample[samples->count++] = *sample;
}

// A game's samples come one after the other.
static void count_sample(struct samples *samples, const struct sample *sample) {
    if (samples->chosen++ > 0 && samples->last_game == sample->game) return;
    samples->last_game = sample->game;
    samples->games++;
    samples->results[sample->result + 1]++;
}

// A number of each game, 0..1.
static double lot(uint64_t seed, uint32_t game) {
    struct random random = random_stream(seed, game);
    return random_unit(&random);
}

// Held-out games are all looked at, whatever the share.
static bool is_in_share(const struct reading *reading, uint32_t game) {
    if (reading->games.split[game] != SPLIT_TRAIN)
        return reading->sets->held_out >= 1 || lot(HELD_OUT_SEED, game) < reading->sets->held_out;
    return reading->choice->share >= 1 || lot(SHARE_SEED, game) < reading->choice->share;
}

static struct sample sample_of_row(const struct reading *reading, size_t row) {
    const struct position_columns *rows = &reading->rows;
    return (struct sample){
        .position = position_from_columns(reading->sets->variant, rows, row),
        .shift = reading->labels.expected[row] - (float)(rows->result[row] + 1) / 2,
        .target = reading->labels.expected[row],
        .weight = 1,
        .score = rows->score[row],
        .result = rows->result[row],
        .game = rows->game[row],
    };
}

// ---- Reading ----

static bool split_file_by_opening(struct reading *reading, const struct dataset_file *file,
                                  const struct opening_columns *openings) {
    for (uint64_t game = file->first_game; game < file->first_game + file->games; game++) {
        const uint32_t opening = reading->games.opening[game];
        if (opening >= file->openings)
            return error_set(reading->error, "%s: game %" PRIu64 ": opening %u of %" PRIu64, file->path, game,
                             opening, file->openings);
        const struct position position = opening_from_columns(reading->sets->variant, openings, opening);
        struct random random = random_stream(OPENING_SEED, position_key(&position));
        reading->games.split[game] = (uint8_t)draw_split(&random);
    }
    return true;
}

static bool split_by_opening(struct reading *reading) {
    bool done = true;
    for (int i = 0; done && i < dataset_file_count(reading->dataset); i++) {
        const struct dataset_file *file = dataset_file(reading->dataset, i);
        struct opening_columns openings = opening_columns_new((size_t)file->openings);
        done = dataset_read_openings(reading->dataset, i, &openings, reading->error) &&
               split_file_by_opening(reading, file, &openings);
        opening_columns_free(&openings);
    }
    return done;
}

static bool read_games(struct reading *reading) {
    const bool by_opening = reading->choice->split_by == SPLIT_BY_OPENING;
    struct game_columns wanted = {.result = reading->games.result,
                                  .split = reading->games.split,
                                  .opening = by_opening ? reading->games.opening : NULL};
    if (!dataset_read_games(reading->dataset, 0, (size_t)reading->sets->games, &wanted, reading->error))
        return false;
    for (uint64_t game = 0; game < reading->sets->games; game++) {
        if (!game_is_sound(reading, game)) return false;
    }
    return !by_opening || split_by_opening(reading);
}

static bool read_rows(struct reading *reading, uint64_t first, size_t count) {
    return dataset_read_positions(reading->dataset, first, count, &reading->rows, reading->error) &&
           dataset_read_labels(reading->dataset, first, count, &reading->labels, reading->error);
}

// The number of a block's rows from `first` on. Blocks begin where chunks of files do.
static size_t block_rows(const struct reading *reading, uint64_t first) {
    int index = 0;
    const struct dataset_file *file;
    do file = dataset_file(reading->dataset, index++);
    while (first >= file->first_position + file->positions);
    const uint64_t left = file->first_position + file->positions - first;
    return left < reading->block ? (size_t)left : reading->block;
}

// ---- The first time: all is checked and counted ----

// Leaves out games until a held-out part is small enough.
static void thin_out(struct reading *reading) {
    const size_t most = reading->choice->buffer / HELD_OUT_PARTS;
    struct samples *parts = reading->sets->part;
    while (parts[SPLIT_VALIDATION].count > most || parts[SPLIT_TEST].count > most) {
        reading->sets->held_out *= 0.9;
        for (int part = SPLIT_VALIDATION; part <= SPLIT_TEST; part++) {
            const struct samples all = parts[part];
            parts[part] = (struct samples){.sample = all.sample, .capacity = all.capacity};
            for (size_t i = 0; i < all.count; i++) {
                if (!is_in_share(reading, all.sample[i].game)) continue;
                count_sample(&parts[part], &all.sample[i]);
                append(&parts[part], &all.sample[i]);
            }
        }
    }
}

static void take_row(struct reading *reading, size_t row) {
    const uint32_t game = reading->rows.game[row];
    const enum split split = reading->games.split[game];
    if (!is_in_share(reading, game)) return;
    const struct sample sample = sample_of_row(reading, row);
    struct samples *part = &reading->sets->part[split];
    count_sample(part, &sample);
    if (split == SPLIT_TRAIN) weighing_count(reading->weighing, &sample);
    if (split != SPLIT_TRAIN || reading->sets->stream == NULL) append(part, &sample);
}

// More than the buffer holds: from now on training positions are only counted.
static void begin_stream(struct reading *reading) {
    struct samples *train = &reading->sets->part[SPLIT_TRAIN];
    free(train->sample);
    train->sample = NULL;
    train->count = train->capacity = 0;
    reading->sets->stream = memory_new(1, sizeof *reading->sets->stream);
}

static bool read_block(struct reading *reading, uint64_t first, size_t count) {
    struct sample_sets *sets = reading->sets;
    const size_t buffer = reading->choice->buffer;
    if (!read_rows(reading, first, count)) return false;
    for (size_t row = 0; row < count; row++) {
        if (!row_is_sound(reading, first, row)) return false;
        if (is_chosen(reading->choice, &reading->rows, row)) take_row(reading, row);
    }
    if (buffer > 0 && sets->stream == NULL && sets->part[SPLIT_TRAIN].count > buffer) begin_stream(reading);
    if (buffer > 0) thin_out(reading);
    return true;
}

static bool read_positions(struct reading *reading, struct progress *progress) {
    const uint64_t total = reading->sets->positions;
    size_t rows;
    for (uint64_t first = 0; first < total; first += rows) {
        rows = block_rows(reading, first);
        if (interrupted()) return error_set(reading->error, "interrupted while reading: nothing written");
        if (!read_block(reading, first, rows)) return false;
        progress_step(progress, rows);
    }
    return true;
}

static bool have_any(const struct sample_sets *sets, double share, const char *path, struct error *error) {
    if (sets->positions == 0) return error_set(error, "%s: no positions in it", path);
    for (int part = 0; part < PART_COUNT; part++) {
        if (sets->part[part].chosen > 0) return true;
    }
    return error_set(error, "%s: none of %" PRIu64 " positions is left by the choice of samples%s", path,
                     sets->positions, share < 1 ? " and the share of games" : "");
}

static bool read_all(struct reading *reading, bool quiet) {
    struct progress *progress = progress_start("reading", "positions", reading->sets->positions, quiet);
    const bool done = read_games(reading) && read_positions(reading, progress);
    progress_end(progress);
    return done;
}

static struct reading reading_new(struct dataset *dataset, const struct sample_choice *choice,
                                  struct sample_sets *sets, struct error *error) {
    // A load has several blocks, so that it is not all of a kind.
    const size_t some = choice->buffer / LEAST_BLOCKS;
    const size_t block = choice->buffer == 0 || some > DATASET_BLOCK ? DATASET_BLOCK : some > 0 ? some : 1;
    return (struct reading){
        .dataset = dataset,
        .choice = choice,
        .games = game_columns_new((size_t)sets->games),
        .rows = position_columns_new(block),
        .labels = label_columns_new(block),
        .block = block,
        .sets = sets,
        .weighing = weighing_new(choice, sets->games),
        .error = error,
    };
}

static void reading_free(struct reading *reading) {
    game_columns_free(&reading->games);
    position_columns_free(&reading->rows);
    label_columns_free(&reading->labels);
    weighing_free(reading->weighing);
    dataset_close(reading->dataset);
}

// ---- Load by load ----

static void stream_free(struct sample_stream *stream) {
    if (stream == NULL) return;
    free(stream->block);
    free(stream->order);
    reading_free(&stream->reading);
    free(stream);
}

void samples_order(uint32_t *order, size_t count, struct random *random) {
    for (size_t i = 0; i < count; i++) order[i] = (uint32_t)i;
    for (size_t i = count; random != NULL && i > 1; i--) {
        const size_t j = (size_t)random_below(random, i);
        const uint32_t other = order[j];
        order[j] = order[i - 1];
        order[i - 1] = other;
    }
}

void samples_rewind(struct sample_sets *sets, uint64_t seed, uint64_t stream) {
    struct sample_stream *s = sets->stream;
    sets->rewound = true;
    if (s == NULL) return;
    struct random random = random_stream(seed, stream);
    samples_order(s->order, s->blocks, stream == SAMPLES_AS_THEY_LIE ? NULL : &random);
    s->next = 0;
}

static void load_row(struct reading *reading, size_t row) {
    const uint32_t game = reading->rows.game[row];
    if (!is_chosen(reading->choice, &reading->rows, row)) return;
    if (reading->games.split[game] != SPLIT_TRAIN || !is_in_share(reading, game)) return;
    struct sample sample = sample_of_row(reading, row);
    sample.weight = weight_of(reading->weighing, &sample);
    append(&reading->sets->part[SPLIT_TRAIN], &sample);
}

static bool load_block(struct reading *reading, uint64_t first, size_t count) {
    if (!read_rows(reading, first, count)) return false;
    for (size_t row = 0; row < count; row++) load_row(reading, row);
    return true;
}

bool samples_next(struct sample_sets *sets, bool *more, struct error *error) {
    struct sample_stream *stream = sets->stream;
    struct samples *train = &sets->part[SPLIT_TRAIN];
    *more = sets->rewound;
    if (stream == NULL) {
        sets->rewound = false;
        return true;
    }
    struct reading *reading = &stream->reading;
    reading->sets = sets;
    reading->error = error;
    train->count = 0;
    // Every block has room for all of its rows.
    while (stream->next < stream->blocks &&
           (train->count == 0 || train->count + reading->block <= stream->choice.buffer)) {
        if (interrupted()) break;
        const uint64_t first = stream->block[stream->order[stream->next++]];
        if (!load_block(reading, first, block_rows(reading, first))) return false;
    }
    *more = train->count > 0 && !interrupted();
    return true;
}

// ---- All of it ----

// The reading goes on to belong to the stream.
static bool keep_reading(struct sample_sets *sets, const struct reading *reading, struct error *error) {
    struct sample_stream *stream = sets->stream;
    stream->reading = *reading;
    stream->choice = *reading->choice;
    stream->reading.choice = &stream->choice;
    for (uint64_t first = 0; first < sets->positions; first += block_rows(reading, first)) {
        stream->block = memory_grow(stream->block, stream->blocks + 1, sizeof *stream->block);
        stream->block[stream->blocks++] = first;
    }
    stream->order = memory_new(stream->blocks, sizeof *stream->order);
    weighing_finish(stream->reading.weighing);
    bool more;
    samples_rewind(sets, 0, 0);
    return samples_next(sets, &more, error);
}

static bool check_and_read(struct reading *reading, const char *path, const struct variant *wanted,
                           bool quiet, struct error *error) {
    const struct sample_sets *sets = reading->sets;
    if (wanted != NULL && wanted != sets->variant)
        return error_set(error, "%s: holds games of %s, not of %s", path, sets->variant->name, wanted->name);
    return read_all(reading, quiet) && have_any(sets, reading->choice->share, path, error);
}

static void warn(void *context, const char *text) {
    (void)context;
    fprintf(stderr, "%s: warning: %s\n", program_invocation_short_name, text);
}

static void warn_of_missing(const char *const *paths, int count) {
    for (int i = 0; i < count; i++) {
        struct stat status;
        if (stat(paths[i], &status) == 0 && S_ISDIR(status.st_mode))
            verify_missing_shards(paths[i], warn, NULL);
    }
}

bool samples_read(const char *const *paths, int count, const struct variant *wanted,
                  const struct sample_choice *choice, bool quiet, struct sample_sets *sets,
                  struct error *error) {
    *sets = (struct sample_sets){.split_by = choice->split_by, .held_out = 1};
    struct dataset *dataset = dataset_open(paths, count, error);
    if (dataset == NULL) return false;
    warn_of_missing(paths, count);
    verify_repeated_files(dataset, warn, NULL);
    sets->variant = dataset_variant(dataset);
    sets->games = dataset_games(dataset);
    sets->positions = dataset_positions(dataset);

    struct reading reading = reading_new(dataset, choice, sets, error);
    bool done = check_and_read(&reading, paths[0], wanted, quiet, error);
    for (int part = 0; done && part < PART_COUNT; part++) weigh(&sets->part[part], choice, sets->games);
    if (done && sets->stream != NULL) {
        done = keep_reading(sets, &reading, error);
    } else {
        reading_free(&reading);
        free(sets->stream);
        sets->stream = NULL;
    }
    if (!done) samples_free(sets);
    return done;
}

void samples_join(struct sample_sets *sets) {
    for (int part = 1; part < PART_COUNT; part++) {
        struct samples *other = &sets->part[part];
        for (size_t i = 0; i < other->count; i++) {
            count_sample(&sets->part[0], &other->sample[i]);
            append(&sets->part[0], &other->sample[i]);
        }
        free(other->sample);
        *other = (struct samples){0};
    }
}

void samples_free(struct sample_sets *sets) {
    stream_free(sets->stream);
    for (int part = 0; part < PART_COUNT; part++) free(sets->part[part].sample);
    *sets = (struct sample_sets){0};
}
