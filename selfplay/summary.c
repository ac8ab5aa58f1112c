// summary.c -- counts what a dataset holds.

#include "selfplay/summary.h"

#include <stdio.h>

static void count_game(struct summary *summary, int result, unsigned termination, uint64_t plies) {
    if (result > 0)
        summary->wins++;
    else if (result < 0)
        summary->losses++;
    else
        summary->draws++;
    if (termination < TERMINATION_COUNT) summary->endings[termination]++;
    if (summary->games == 0 || plies < summary->shortest) summary->shortest = plies;
    if (plies > summary->longest) summary->longest = plies;
    summary->plies += plies;
    summary->games++;
}

static void count_call(struct summary *summary, const struct game_columns *rows, size_t row) {
    if (rows->called_ply[row] == 0) return;
    summary->called++;
    if (rows->called_ply[row] >= rows->plies[row]) return;
    summary->checked++;
    summary->wrong += rows->called_result[row] != rows->result[row];
}

bool summary_read(struct dataset *dataset, struct summary *summary, struct error *error) {
    *summary = (struct summary){
        .variant = dataset_variant(dataset),
        .positions = dataset_positions(dataset),
        .files = dataset_file_count(dataset),
    };
    for (int i = 0; i < summary->files; i++) summary->bytes += dataset_file(dataset, i)->bytes;
    struct game_columns rows = game_columns_new(DATASET_BLOCK);
    const uint64_t games = dataset_games(dataset);
    bool done = true;
    for (uint64_t first = 0; first < games && done; first += DATASET_BLOCK) {
        const size_t count = games - first < DATASET_BLOCK ? (size_t)(games - first) : DATASET_BLOCK;
        done = dataset_read_games(dataset, first, count, &rows, error);
        for (size_t i = 0; i < count && done; i++) {
            count_game(summary, rows.result[i], rows.termination[i], rows.plies[i]);
            count_call(summary, &rows, i);
        }
    }
    game_columns_free(&rows);
    return done;
}

static double share(double part, double whole) { return whole > 0 ? part / whole : 0; }

static json_t *integer(uint64_t value) { return json_integer((json_int_t)value); }

json_t *summary_to_json(const struct summary *summary) {
    json_t *endings = json_object();
    for (int i = 0; i < TERMINATION_COUNT; i++) {
        if (summary->endings[i] > 0) {
            json_object_set_new(endings, termination_names[i], integer(summary->endings[i]));
        }
    }
    const double games = (double)summary->games, positions = (double)summary->positions;
    return json_pack(
        "{s:s, s:i, s:o, s:o, s:{s:o, s:o, s:o}, s:f, s:{s:o, s:f, s:o}, s:o, s:{s:o, s:o, s:o}, s:o, s:f}",
        "variant", summary->variant->name, "files", summary->files, "games", integer(summary->games),
        "positions", integer(summary->positions), "results", "white", integer(summary->wins), "draw",
        integer(summary->draws), "black", integer(summary->losses), "draw_rate",
        share((double)summary->draws, games), "plies", "least", integer(summary->shortest), "mean",
        share((double)summary->plies, games), "most", integer(summary->longest), "endings", endings,
        "adjudication", "called", integer(summary->called), "checked", integer(summary->checked), "wrong",
        integer(summary->wrong), "bytes", integer(summary->bytes), "bytes_per_position",
        share((double)summary->bytes, positions));
}

static void print_share(const char *name, uint64_t count, uint64_t games) {
    printf("  %-18s %10llu  %5.1f %%\n", name, (unsigned long long)count,
           100 * share((double)count, (double)games));
}

void summary_print(const struct summary *summary) {
    const uint64_t games = summary->games;
    printf("%s: %llu game%s, %llu position%s in %d file%s, %llu bytes (%.2f a position)\n",
           summary->variant->name, (unsigned long long)games, games == 1 ? "" : "s",
           (unsigned long long)summary->positions, summary->positions == 1 ? "" : "s", summary->files,
           summary->files == 1 ? "" : "s", (unsigned long long)summary->bytes,
           share((double)summary->bytes, (double)summary->positions));
    printf("results\n");
    print_share("White wins", summary->wins, games);
    print_share("draw", summary->draws, games);
    print_share("Black wins", summary->losses, games);
    printf("endings\n");
    for (int i = 0; i < TERMINATION_COUNT; i++) {
        if (summary->endings[i] > 0) print_share(termination_names[i], summary->endings[i], games);
    }
    if (summary->called > 0) {
        printf("adjudication\n");
        print_share("called", summary->called, games);
        printf("  played on, to check %7llu\n", (unsigned long long)summary->checked);
        print_share("of these wrong", summary->wrong, summary->checked);
    }
    printf("plies a game: %llu..%llu, mean %.1f\n", (unsigned long long)summary->shortest,
           (unsigned long long)summary->longest, share((double)summary->plies, (double)games));
}

void json_print(json_t *root) {
    json_dumpf(root, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    printf("\n");
    json_decref(root);
}
