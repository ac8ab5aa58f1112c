// show_command.c -- huff-tune show: the terms of a file of weights, those of squares drawn as boards.

#include <jansson.h>
#include <math.h>
#include <stdio.h>

#include "core/support/options.h"
#include "tuner/fit.h"
#include "tuner/tune.h"

struct arguments {
    struct common_options common;
    const char *path;
};

static error_t parse(int key, char *text, struct argp_state *state) {
    struct arguments *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &a->common; return 0;
    case ARGP_KEY_ARG:
        if (a->path != NULL) argp_error(state, "unexpected \"%s\"", text);
        a->path = text;
        return 0;
    case ARGP_KEY_END:
        if (a->path == NULL) argp_error(state, "expected a file of weights");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&options_common, 0, "Common options:", 0}, {0}};
static const struct argp show_argp = {
    .parser = parse,
    .args_doc = "FILE",
    .doc = "Prints the terms of a file of weights in centipawns."
           "\vBoards are the common one, seen by the owner of the piece: he sits at the bottom, a playing "
           "square at his left.",
    .children = children,
};

static double centipawns(int32_t weight) { return weight / (double)WEIGHT_UNIT; }

// The square table that begins at weight `first`; row and file count from the top left.
static void print_board(const struct weights *weights, int first) {
    const int width = weights->variant->rules->width;
    for (int row = 0; row < width; row++) {
        printf("%4d ", width - row);
        const int last = row % 2 == 0 ? width - 1 : width - 2;  // that is played on
        for (int file = 0; file <= last; file++) {
            const bool playing = (row + file) % 2 == 1;
            const int32_t weight = playing ? weights->value[first + row * (width / 2) + file / 2] : 0;
            if (weight != 0)
                printf("%5.0f", rint(centipawns(weight)) + 0.0);
            else
                printf("%5s", playing ? "." : "");
        }
        printf("\n");
    }
    printf("     ");
    for (int file = 0; file < width; file++) printf("%5c", 'a' + file);
    printf("\n");
}

static void print_weights(const struct weights *weights, const char *path) {
    printf("%s: weights of %s, in centipawns\n", path, weights->variant->name);
    for (int group = 0; group < GROUP_COUNT; group++) {
        const struct term_group_info *info = &term_groups[group];
        if (info->count == 1) {
            printf("%-6s %6.1f  %s\n", info->name, centipawns(weights->value[info->first]), info->text);
        } else {
            printf("\n%s: %s\n", info->name, info->text);
            print_board(weights, info->first);
        }
    }
}

static json_t *group_to_json(const struct weights *weights, const struct term_group_info *info) {
    if (info->count == 1) return json_real(centipawns(weights->value[info->first]));
    json_t *values = json_array();
    for (int i = 0; i < board_squares(weights->variant->rules->width); i++)
        json_array_append_new(values, json_real(centipawns(weights->value[info->first + i])));
    return values;
}

static void print_json(const struct weights *weights) {
    json_t *root = json_object(), *terms = json_object();
    for (int group = 0; group < GROUP_COUNT; group++)
        json_object_set_new(terms, term_groups[group].name, group_to_json(weights, &term_groups[group]));
    json_object_set_new(root, "variant", json_string(weights->variant->name));
    json_object_set_new(root, "sha256", json_string(weights->sha256));
    json_object_set_new(root, "centipawns", terms);
    json_dumpf(root, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    printf("\n");
    json_decref(root);
}

int tune_show_run(int argc, char **argv) {
    struct arguments a = {0};
    struct error error;
    struct weights weights;
    if (argp_parse(&show_argp, argc, argv, 0, NULL, &a) != 0) return EXIT_USAGE;
    const struct variant *variant = NULL;
    if (a.common.variant != NULL && (variant = variant_find(a.common.variant, &error)) == NULL)
        return options_fail(argv[0], EXIT_USAGE, &error);
    if (!weights_read(a.path, variant, &weights, &error)) return options_fail(argv[0], EXIT_FAILED, &error);
    if (a.common.json)
        print_json(&weights);
    else
        print_weights(&weights, a.path);
    return EXIT_DONE;
}
