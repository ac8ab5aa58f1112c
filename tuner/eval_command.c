// eval_command.c -- huff-tune eval: how well a file of weights predicts the results of games.

#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/support/options.h"
#include "tuner/calibration.h"
#include "tuner/tune.h"

enum { OPTION_PART = 0x200, OPTION_SPLIT, ALL_PARTS = PART_COUNT };

struct arguments {
    struct common_options common;
    const char *weights;
    const char **data;
    int data_count;
    int part;  // enum split, or ALL_PARTS
    enum split_by split_by;
};

// ---- The command line ----

static const struct argp_option option_list[] = {
    {"part", OPTION_PART, "PART", 0, "Games to look at: train, validation, test or all (default)", 0},
    {"split", OPTION_SPLIT, "game|opening", 0, "What parts are drawn by, as the fit was told (default: game)",
     0},
    {0},
};

static void set_part(struct arguments *a, const char *name, struct argp_state *state) {
    a->part = 0;
    while (a->part < PART_COUNT && strcmp(name, part_names[a->part]) != 0) a->part++;
    if (a->part == PART_COUNT && strcmp(name, "all") != 0)
        argp_error(state, "--part: expected train, validation, test or all, got \"%s\"", name);
}

static void set_split(struct arguments *a, const char *name, struct argp_state *state) {
    int by = 0;
    while (by < SPLIT_BY_COUNT && strcmp(name, split_by_names[by]) != 0) by++;
    if (by == SPLIT_BY_COUNT) argp_error(state, "--split: expected game or opening, got \"%s\"", name);
    a->split_by = (enum split_by)by;
}

static error_t parse(int key, char *text, struct argp_state *state) {
    struct arguments *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &a->common; return 0;
    case OPTION_PART: set_part(a, text, state); return 0;
    case OPTION_SPLIT: set_split(a, text, state); return 0;
    case ARGP_KEY_ARG:
        if (a->weights == NULL) {
            a->weights = text;
            return 0;
        }
        options_append(&a->data, &a->data_count, text);
        return 0;
    case ARGP_KEY_END:
        if (a->data_count == 0) argp_error(state, "expected a file of weights and datasets");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&options_common, 0, "Common options:", 0}, {0}};
static const struct argp eval_argp = {
    .options = option_list,
    .parser = parse,
    .args_doc = "FILE DATA...",
    .doc =
        "Says how well a file of weights predicts the results of games: its loss on their quiet "
        "positions, and what was scored where it promised what."
        "\vTo judge weights fitted to the same data, look at games that were held out: --part test. How many "
        "centipawns make a logit is fitted to the training games, whatever the part.",
    .children = children,
};

// ---- What is told ----

static void print_rows(const struct calibration_row *rows, int count) {
    for (int i = 0; i < count; i++) {
        const struct calibration_row *row = &rows[i];
        if (row->positions == 0) continue;
        char bin[32];
        if (row->to == INT_MAX)
            snprintf(bin, sizeof bin, "%d or more", row->from);
        else
            snprintf(bin, sizeof bin, "%d..%d", row->from, row->to);
        printf("%-12s %10" PRIu64 " %8.1f%% %8.1f%% %8.1f%% %9.5f\n", bin, row->positions,
               100 * row->expected, 100 * row->scored, 100 * (double)row->draws / (double)row->positions,
               row->loss);
    }
}

static void print_calibration(const struct calibration *c, const struct arguments *a,
                              const struct sample_sets *sets, const struct samples *samples) {
    printf("%s on %s: %zu positions of %" PRIu64 " games (%s)\n", a->weights, sets->variant->name,
           samples->count, samples->games, a->part == ALL_PARTS ? "all parts" : part_names[a->part]);
    printf("loss %.5f, of material alone %.5f; %.0f centipawns make a logit\n\n", c->loss, c->material_loss,
           c->centipawns_per_logit);
    printf("%-12s  positions  expected   scored    draws      loss\n", "ahead by");
    print_rows(c->by_score, SCORE_ROWS);
    printf("\n%-12s  positions  expected   scored    draws      loss\n", "pieces");
    print_rows(c->by_pieces, PIECE_ROWS);
}

static json_t *rows_to_json(const struct calibration_row *rows, int count) {
    json_t *array = json_array();
    for (int i = 0; i < count; i++) {
        if (rows[i].positions == 0) continue;
        json_t *row = json_object();
        json_object_set_new(row, "from", json_integer(rows[i].from));
        json_object_set_new(row, "to", rows[i].to == INT_MAX ? json_null() : json_integer(rows[i].to));
        json_object_set_new(row, "positions", json_integer((json_int_t)rows[i].positions));
        json_object_set_new(row, "draws", json_integer((json_int_t)rows[i].draws));
        json_object_set_new(row, "expected", json_real(rows[i].expected));
        json_object_set_new(row, "scored", json_real(rows[i].scored));
        json_object_set_new(row, "loss", json_real(rows[i].loss));
        json_array_append_new(array, row);
    }
    return array;
}

static void print_json(const struct calibration *c, const struct arguments *a, const struct sample_sets *sets,
                       const struct samples *samples) {
    json_t *root = json_object();
    json_object_set_new(root, "weights", json_string(a->weights));
    json_object_set_new(root, "variant", json_string(sets->variant->name));
    json_object_set_new(root, "part", json_string(a->part == ALL_PARTS ? "all" : part_names[a->part]));
    json_object_set_new(root, "games", json_integer((json_int_t)samples->games));
    json_object_set_new(root, "positions", json_integer((json_int_t)samples->count));
    json_object_set_new(root, "loss", json_real(c->loss));
    json_object_set_new(root, "material_loss", json_real(c->material_loss));
    json_object_set_new(root, "centipawns_per_logit", json_real(c->centipawns_per_logit));
    json_object_set_new(root, "by_score", rows_to_json(c->by_score, SCORE_ROWS));
    json_object_set_new(root, "by_pieces", rows_to_json(c->by_pieces, PIECE_ROWS));
    json_dumpf(root, stdout, JSON_INDENT(2));
    printf("\n");
    json_decref(root);
}

// ---- The command ----

static bool look(const struct arguments *a, struct sample_sets *sets, struct error *error) {
    struct weights weights;
    struct calibration calibration;
    const size_t trained = sets->part[SPLIT_TRAIN].count;
    if (a->part == ALL_PARTS) samples_join(sets);  // training positions first
    const struct samples *samples = &sets->part[a->part == ALL_PARTS ? SPLIT_TRAIN : a->part];
    struct samples train = trained > 0 ? sets->part[SPLIT_TRAIN] : *samples;
    if (trained > 0) train.count = trained;
    if (samples->count == 0)
        return error_set(error, "%s: no game of the part %s has a position to look at", a->data[0],
                         part_names[a->part]);
    if (!weights_get(a->weights, sets->variant, &weights, error)) return false;
    const bool done =
        calibrate(&weights, sets->variant, &train, samples, options_threads(&a->common), &calibration, error);
    weights_free(&weights);
    if (!done) return false;
    if (a->common.json)
        print_json(&calibration, a, sets, samples);
    else
        print_calibration(&calibration, a, sets, samples);
    return true;
}

static bool run(const struct arguments *a, const struct variant *wanted, struct error *error) {
    struct sample_choice choice = sample_choice_usual();
    choice.split_by = a->split_by;
    struct sample_sets sets;
    if (!samples_read(a->data, a->data_count, wanted, &choice, a->common.quiet, &sets, error)) return false;
    const bool done = look(a, &sets, error);
    samples_free(&sets);
    return done;
}

int tune_eval_run(int argc, char **argv) {
    struct arguments a = {.part = ALL_PARTS};
    struct error error;
    if (argp_parse(&eval_argp, argc, argv, 0, NULL, &a) != 0) return EXIT_USAGE;
    const struct variant *wanted = NULL;
    int code = EXIT_DONE;
    if (a.common.variant != NULL && (wanted = variant_find(a.common.variant, &error)) == NULL)
        code = options_fail(argv[0], EXIT_USAGE, &error);
    else if (!run(&a, wanted, &error))
        code = options_fail(argv[0], EXIT_FAILED, &error);
    free(a.data);
    return code;
}
