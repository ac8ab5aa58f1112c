// stats.c -- counts what games are like.

#include "selfplay/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/notation.h"
#include "core/support/memory.h"
#include "core/support/progress.h"
#include "selfplay/duplicates.h"
#include "selfplay/game_reader.h"

#define DEVIATIONS 1.959963984540054  // of a normal distribution, for 95 %

// ---- reading ----

static struct stats_opening *opening_of(struct stats *stats, const struct position *position, bool *is_new) {
    const size_t known = stats->positions_of_openings.count;
    const size_t number = position_set_add(&stats->positions_of_openings, position);
    *is_new = number == known;
    if (number >= stats->opening_room) {
        stats->opening_room = stats->opening_room == 0 ? 64 : 2 * stats->opening_room;
        stats->openings = memory_grow(stats->openings, stats->opening_room, sizeof *stats->openings);
    }
    if (*is_new) memset(&stats->openings[number], 0, sizeof *stats->openings);
    return &stats->openings[number];
}

// Adds a move to the text, if it fits.
static void add_move(const struct variant *variant, const struct position *position,
                     const struct move_list *list, struct move move, char line[static STATS_LINE]) {
    char text[MOVE_TEXT_SIZE];
    move_to_text(variant, position, list, move, text);
    const size_t length = strlen(line), more = strlen(text);
    if (length + more + 2 > STATS_LINE) return;
    if (length > 0) strcat(line, " ");
    strcat(line, text);
}

static void count_position(struct stats *stats, const struct position *position, const struct move_list *list,
                           size_t ply) {
    struct stats_step *step = &stats->steps[ply / STATS_STEP];
    const int pieces = bits_count(position->pieces[WHITE] | position->pieces[BLACK]);
    stats->moves[list->count < STATS_MOVES ? list->count : STATS_MOVES - 1]++;
    stats->captures += list->captures > 0;
    stats->pieces[pieces]++;
    step->positions++;
    step->moves += (uint64_t)list->count;
    step->pieces += (uint64_t)pieces;
    step->kings += (uint64_t)bits_count(position->kings);
    step->captures += list->captures > 0;
}

static void count_opening(struct stats *stats, const struct read_game *game, const struct position *position,
                          const char *line) {
    bool is_new;
    struct stats_opening *opening = opening_of(stats, position, &is_new);
    if (is_new) {
        memcpy(opening->moves, line, STATS_LINE);
        opening->begins = game->start.turn;
    }
    opening->results[game->row.result[0] + 1]++;
}

static bool count_game(struct stats *stats, const struct read_game *game, struct move_list *list,
                       struct error *error) {
    const int result = game->row.result[0];
    struct position position = game->start;
    char line[STATS_LINE] = "";
    stats->games++;
    stats->positions += game->row.count[0];
    stats->plies[game->row.plies[0]]++;
    stats->results[result + 1]++;
    stats->first[(position_turn(&game->start) == WHITE ? result : -result) + 1]++;
    if (game->row.termination[0] < TERMINATION_COUNT) stats->endings[game->row.termination[0]]++;
    for (size_t i = 0; i < game->row.count[0]; i++) {
        struct move move;
        if (!read_game_move(game, stats->variant, &position, i, list, &move, error)) return false;
        count_position(stats, &position, list, i);
        if ((int)i == stats->opening_plies) count_opening(stats, game, &position, line);
        if ((int)i < stats->opening_plies) add_move(stats->variant, &position, list, move, line);
        stats->variant->play(&position, move);
    }
    if ((int)game->row.count[0] <= stats->opening_plies) count_opening(stats, game, &position, line);
    return true;
}

// Where games start in several positions these are their openings.
static int usual_opening_plies(const struct dataset *dataset) {
    for (int i = 0; i < dataset_file_count(dataset); i++) {
        if (dataset_file(dataset, i)->openings > 1) return 0;
    }
    return 2;
}

static bool count_games(struct dataset *dataset, bool quiet, struct stats *stats, struct error *error) {
    const uint64_t games = dataset_games(dataset);
    struct game_reader *reader = game_reader_new(dataset, READ_MOVES);
    struct move_list *list = memory_new(1, sizeof *list);
    struct progress *progress = progress_start("replaying", "games", games, quiet);
    bool done = true;
    for (uint64_t i = 0; i < games && done; i++) {
        struct read_game game;
        done = game_reader_next(reader, &game, error) && count_game(stats, &game, list, error);
        progress_step(progress, 1);
    }
    progress_end(progress);
    free(list);
    game_reader_free(reader);
    return done;
}

bool stats_read(struct dataset *dataset, int opening_plies, bool quiet, struct stats *stats,
                struct error *error) {
    *stats = (struct stats){
        .variant = dataset_variant(dataset),
        .plies = memory_new(PLAYING_MAX_PLIES + 1, sizeof *stats->plies),
        .steps = memory_new(STATS_STEPS, sizeof *stats->steps),
        .opening_plies = opening_plies >= 0 ? opening_plies : usual_opening_plies(dataset),
    };
    bool *repeated = NULL;
    const bool done = game_reader_check(dataset, error) && count_games(dataset, quiet, stats, error) &&
                      duplicates_find(dataset, quiet, &repeated, &stats->duplicates, error);
    free(repeated);
    if (!done) stats_free(stats);
    return done;
}

void stats_free(struct stats *stats) {
    free(stats->plies);
    free(stats->steps);
    free(stats->openings);
    position_set_free(&stats->positions_of_openings);
    *stats = (struct stats){0};
}

// ---- what follows ----

static double share(uint64_t part, uint64_t whole) { return whole > 0 ? (double)part / (double)whole : 0; }

static struct stats_estimate estimate(double mean, double mean_of_squares, uint64_t count) {
    const double variance = fmax(mean_of_squares - mean * mean, 0);
    return (struct stats_estimate){mean, count > 0 ? DEVIATIONS * sqrt(variance / (double)count) : 0};
}

struct stats_estimate stats_draw_rate(const struct stats *stats) {
    const double rate = share(stats->results[1], stats->games);
    return estimate(rate, rate, stats->games);
}

static struct stats_estimate score_of(const uint64_t results[static 3]) {
    const uint64_t games = results[0] + results[1] + results[2];
    const double draws = share(results[1], games), wins = share(results[2], games);
    return estimate(wins + draws / 2, wins + draws / 4, games);
}

struct stats_estimate stats_first_score(const struct stats *stats) {
    return score_of(stats->first);
}

double stats_first_elo(const struct stats *stats) {
    const double score = stats_first_score(stats).value;
    return stats->games > 0 ? 400 * log10(score / (1 - score)) : 0;
}

int stats_length(const struct stats *stats, double part) {
    const double wanted = part * (double)stats->games;
    uint64_t games = 0;
    for (int plies = 0; plies <= PLAYING_MAX_PLIES; plies++) {
        games += stats->plies[plies];
        if (games > 0 && (double)games >= wanted) return plies;
    }
    return 0;
}

double stats_mean_length(const struct stats *stats) {
    double sum = 0;
    for (int plies = 0; plies <= PLAYING_MAX_PLIES; plies++)
        sum += (double)plies * (double)stats->plies[plies];
    return stats->games > 0 ? sum / (double)stats->games : 0;
}

static double mean_moves(const struct stats *stats, int least) {
    double sum = 0, positions = 0;
    for (int moves = least; moves < STATS_MOVES; moves++) {
        sum += (double)moves * (double)stats->moves[moves];
        positions += (double)stats->moves[moves];
    }
    return positions > 0 ? sum / positions : 0;
}

double stats_mean_moves(const struct stats *stats) { return mean_moves(stats, 0); }
double stats_mean_choice(const struct stats *stats) { return mean_moves(stats, 2); }

// ---- openings, the most frequent first ----

static uint64_t games_of(const struct stats_opening *opening) {
    return opening->results[0] + opening->results[1] + opening->results[2];
}

static int compare_openings(const void *a, const void *b, void *openings) {
    const size_t one = *(const size_t *)a, other = *(const size_t *)b;
    const struct stats_opening *list = openings;
    const uint64_t games = games_of(&list[one]), others = games_of(&list[other]);
    if (games != others) return games > others ? -1 : 1;
    return one < other ? -1 : one > other;
}

static size_t *sort_openings(const struct stats *stats) {
    const size_t count = stats->positions_of_openings.count;
    size_t *order = memory_new(count > 0 ? count : 1, sizeof *order);
    for (size_t i = 0; i < count; i++) order[i] = i;
    qsort_r(order, count, sizeof *order, compare_openings, stats->openings);
    return order;
}

static struct stats_estimate opening_score(const struct stats_opening *opening) {
    const uint64_t turned[3] = {opening->results[2], opening->results[1], opening->results[0]};
    return score_of(opening->begins == WHITE ? opening->results : turned);
}

static const char *opening_name(const struct stats *stats, size_t number, char text[static FEN_TEXT_SIZE]) {
    if (stats->openings[number].moves[0] != '\0') return stats->openings[number].moves;
    position_to_fen(stats->variant, &stats->positions_of_openings.positions[number], text);
    return text;
}

// ---- JSON ----

static json_t *integer(uint64_t value) { return json_integer((json_int_t)value); }
static json_t *real(double value) { return isfinite(value) ? json_real(value) : json_null(); }

static json_t *results_to_json(const uint64_t results[static 3]) {
    return json_pack("{s:o, s:o, s:o}", "white", integer(results[2]), "draw", integer(results[1]), "black",
                     integer(results[0]));
}

static json_t *estimate_to_json(struct stats_estimate value) {
    return json_pack("{s:o, s:o}", "value", real(value.value), "error", real(value.error));
}

static json_t *counts_to_json(const uint64_t *counts, int count) {
    json_t *object = json_object();
    for (int i = 0; i < count; i++) {
        char name[16];
        snprintf(name, sizeof name, "%d", i);
        if (counts[i] > 0) json_object_set_new(object, name, integer(counts[i]));
    }
    return object;
}

static json_t *endings_to_json(const struct stats *stats) {
    json_t *endings = json_object();
    for (int i = 0; i < TERMINATION_COUNT; i++) {
        if (stats->endings[i] > 0)
            json_object_set_new(endings, termination_names[i], integer(stats->endings[i]));
    }
    return endings;
}

static json_t *steps_to_json(const struct stats *stats) {
    json_t *steps = json_array();
    for (int i = 0; i < STATS_STEPS; i++) {
        const struct stats_step *step = &stats->steps[i];
        if (step->positions == 0) continue;
        json_array_append_new(steps, json_pack("{s:i, s:o, s:f, s:f, s:f, s:f}", "ply", i * STATS_STEP,
                                               "positions", integer(step->positions), "moves",
                                               share(step->moves, step->positions), "pieces",
                                               share(step->pieces, step->positions), "kings",
                                               share(step->kings, step->positions), "capture_share",
                                               share(step->captures, step->positions)));
    }
    return steps;
}

static json_t *openings_to_json(const struct stats *stats, int most) {
    json_t *openings = json_array();
    size_t *order = sort_openings(stats);
    for (size_t i = 0; i < stats->positions_of_openings.count && i < (size_t)most; i++) {
        const struct stats_opening *opening = &stats->openings[order[i]];
        char fen[FEN_TEXT_SIZE];
        position_to_fen(stats->variant, &stats->positions_of_openings.positions[order[i]], fen);
        json_array_append_new(openings, json_pack("{s:s, s:s, s:o, s:o, s:o}", "moves", opening->moves, "fen",
                                                  fen, "games", integer(games_of(opening)), "results",
                                                  results_to_json(opening->results), "first_score",
                                                  estimate_to_json(opening_score(opening))));
    }
    free(order);
    return openings;
}

static json_t *lengths_to_json(const struct stats *stats) {
    return json_pack(
        "{s:f, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:o}", "mean", stats_mean_length(stats), "least",
        stats_length(stats, 0), "p5", stats_length(stats, 0.05), "p25", stats_length(stats, 0.25), "median",
        stats_length(stats, 0.5), "p75", stats_length(stats, 0.75), "p95", stats_length(stats, 0.95), "most",
        stats_length(stats, 1), "games_by_plies", counts_to_json(stats->plies, PLAYING_MAX_PLIES + 1));
}

json_t *stats_to_json(const struct stats *stats, int openings) {
    json_t *moves =
        json_pack("{s:f, s:f, s:f, s:f, s:o}", "mean", stats_mean_moves(stats), "mean_of_choices",
                  stats_mean_choice(stats), "forced_share", share(stats->moves[1], stats->positions),
                  "capture_share", share(stats->captures, stats->positions), "positions_by_moves",
                  counts_to_json(stats->moves, STATS_MOVES));
    return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:i, s:o, s:o}",
                     "variant", stats->variant->name, "games", integer(stats->games), "positions",
                     integer(stats->positions), "duplicates", integer(stats->duplicates), "results",
                     results_to_json(stats->results), "draw_rate", estimate_to_json(stats_draw_rate(stats)),
                     "first_score", estimate_to_json(stats_first_score(stats)), "first_elo",
                     real(stats_first_elo(stats)), "plies", lengths_to_json(stats), "moves", moves, "endings",
                     endings_to_json(stats), "by_ply", steps_to_json(stats), "positions_by_pieces",
                     counts_to_json(stats->pieces, STATS_PIECES), "opening_plies", stats->opening_plies,
                     "different_openings", integer(stats->positions_of_openings.count), "openings",
                     openings_to_json(stats, openings));
}

// ---- tables ----

enum { NAME_WIDTH = 30, CELL_WIDTH = 16, STEPS_SHOWN = 15 };

static void print_name(const char *name) { printf("%-*s", NAME_WIDTH, name); }

static void print_cells(const struct stats *stats, int count, const char *name,
                        void cell(const struct stats *, int row, char *text, size_t size), int row) {
    print_name(name);
    for (int i = 0; i < count; i++) {
        char text[32] = "-";
        if (stats[i].games > 0) cell(&stats[i], row, text, sizeof text);
        printf("%*s", CELL_WIDTH, text);
    }
    printf("\n");
}

#define CELL(name, ...)                                                             \
    static void name(const struct stats *stats, int row, char *text, size_t size) { \
        (void)row;                                                                  \
        snprintf(text, size, __VA_ARGS__);                                          \
    }
CELL(cell_games, "%llu", (unsigned long long)stats->games)
CELL(cell_positions, "%llu", (unsigned long long)stats->positions)
CELL(cell_duplicates, "%llu", (unsigned long long)stats->duplicates)
CELL(cell_result, "%.1f%%", 100 * share(stats->results[row], stats->games))
CELL(cell_draws, "%.1f +/- %.1f%%", 100 * stats_draw_rate(stats).value, 100 * stats_draw_rate(stats).error)
CELL(cell_first, "%.1f +/- %.1f%%", 100 * stats_first_score(stats).value,
     100 * stats_first_score(stats).error)
CELL(cell_elo, "%+.1f", stats_first_elo(stats))
CELL(cell_length, "%d", stats_length(stats, row / 100.0))
CELL(cell_mean_length, "%.1f", stats_mean_length(stats))
CELL(cell_moves, "%.2f", stats_mean_moves(stats))
CELL(cell_choice, "%.2f", stats_mean_choice(stats))
CELL(cell_forced, "%.1f%%", 100 * share(stats->moves[1], stats->positions))
CELL(cell_captures, "%.1f%%", 100 * share(stats->captures, stats->positions))
CELL(cell_ending, "%.1f%%", 100 * share(stats->endings[row], stats->games))
#undef CELL

static void step_cell(const struct stats *stats, int row, uint64_t sum, char *text, size_t size) {
    const uint64_t positions = stats->steps[row].positions;
    if (positions > 0) snprintf(text, size, "%.2f", share(sum, positions));
}
static void cell_step_pieces(const struct stats *stats, int row, char *text, size_t size) {
    step_cell(stats, row, stats->steps[row].pieces, text, size);
}
static void cell_step_moves(const struct stats *stats, int row, char *text, size_t size) {
    step_cell(stats, row, stats->steps[row].moves, text, size);
}

static bool any_ending(const struct stats *stats, int count, int ending) {
    for (int i = 0; i < count; i++) {
        if (stats[i].endings[ending] > 0) return true;
    }
    return false;
}

static bool any_step(const struct stats *stats, int count, int step) {
    for (int i = 0; i < count; i++) {
        if (stats[i].steps[step].positions > 0) return true;
    }
    return false;
}

static void print_steps(const struct stats *stats, int count, const char *title,
                        void cell(const struct stats *, int, char *, size_t)) {
    printf("%s\n", title);
    for (int step = 0; step < STEPS_SHOWN && any_step(stats, count, step); step++) {
        char name[40];
        snprintf(name, sizeof name, "  plies %d..%d", step * STATS_STEP, step * STATS_STEP + STATS_STEP - 1);
        print_cells(stats, count, name, cell, step);
    }
}

static void print_summary(const struct stats *stats, int count) {
    print_cells(stats, count, "games", cell_games, 0);
    print_cells(stats, count, "positions", cell_positions, 0);
    print_cells(stats, count, "games played before", cell_duplicates, 0);
    print_cells(stats, count, "White wins", cell_result, 2);
    print_cells(stats, count, "Black wins", cell_result, 0);
    print_cells(stats, count, "drawn", cell_draws, 0);
    print_cells(stats, count, "who moves first scores", cell_first, 0);
    print_cells(stats, count, "  in Elo", cell_elo, 0);
    print_cells(stats, count, "plies a game, mean", cell_mean_length, 0);
    print_cells(stats, count, "  shortest", cell_length, 0);
    print_cells(stats, count, "  25 % at most", cell_length, 25);
    print_cells(stats, count, "  50 % at most", cell_length, 50);
    print_cells(stats, count, "  75 % at most", cell_length, 75);
    print_cells(stats, count, "  95 % at most", cell_length, 95);
    print_cells(stats, count, "  longest", cell_length, 100);
    print_cells(stats, count, "moves a position, mean", cell_moves, 0);
    print_cells(stats, count, "  where there is a choice", cell_choice, 0);
    print_cells(stats, count, "positions with one move", cell_forced, 0);
    print_cells(stats, count, "positions with a capture", cell_captures, 0);
    printf("endings\n");
    for (int i = 0; i < TERMINATION_COUNT; i++) {
        char name[40];
        snprintf(name, sizeof name, "  %s", termination_names[i]);
        if (any_ending(stats, count, i)) print_cells(stats, count, name, cell_ending, i);
    }
    print_steps(stats, count, "pieces on the board", cell_step_pieces);
    print_steps(stats, count, "moves a position", cell_step_moves);
}

static void print_openings(const struct stats *stats, const char *name, int most) {
    size_t *order = sort_openings(stats);
    const size_t count = stats->positions_of_openings.count;
    printf("%s: %zu openings, ", name, count);
    if (stats->opening_plies == 0)
        printf("where games started\n");
    else
        printf("after %d plies\n", stats->opening_plies);
    printf("    games   White    drawn    Black  who moves first scores\n");
    for (size_t i = 0; i < count && i < (size_t)most; i++) {
        const struct stats_opening *opening = &stats->openings[order[i]];
        const uint64_t games = games_of(opening);
        const struct stats_estimate score = opening_score(opening);
        char fen[FEN_TEXT_SIZE];
        printf("%9llu %6.1f%% %7.1f%% %7.1f%%  %5.1f +/- %4.1f%%  %s\n", (unsigned long long)games,
               100 * share(opening->results[2], games), 100 * share(opening->results[1], games),
               100 * share(opening->results[0], games), 100 * score.value, 100 * score.error,
               opening_name(stats, order[i], fen));
    }
    free(order);
}

void stats_print(const struct stats *stats, const char *const *names, int count, int openings) {
    print_name("");
    for (int i = 0; i < count; i++) printf("%*s", CELL_WIDTH, names[i]);
    printf("\n");
    print_summary(stats, count);
    for (int i = 0; i < count && openings > 0; i++) print_openings(&stats[i], names[i], openings);
}
