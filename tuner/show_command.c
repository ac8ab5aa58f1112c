// show_command.c -- huff-tune show: the terms of a file of weights, those of squares drawn as boards.

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/support/memory.h"
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

// Pieces on the board at a knot.
static int pieces_at(const struct weights *weights, int knot) {
    const struct rules *rules = weights->variant->rules;
    return rules->rows_of_men * rules->width * (KNOTS - 1 - knot) / (KNOTS - 1);
}

// The square table that begins at weight `first`, at one knot; row and file count from the top left.
static void print_board(const struct weights *weights, int first, int knot) {
    const int width = weights->variant->rules->width;
    for (int row = 0; row < width; row++) {
        printf("%4d ", width - row);
        const int last = row % 2 == 0 ? width - 1 : width - 2;  // that is played on
        for (int file = 0; file <= last; file++) {
            const bool playing = (row + file) % 2 == 1;
            const int32_t weight = playing ? weights->value[first + row * (width / 2) + file / 2][knot] : 0;
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

static void print_squares(const struct weights *weights, const struct term_group_info *info) {
    for (int knot = 0; knot < KNOTS; knot++) {
        printf("\n%s: %s, with %d pieces on the board\n", info->name, info->text, pieces_at(weights, knot));
        print_board(weights, info->first, knot);
    }
}

static int largest_of(const int32_t value[static KNOTS]) {
    int largest = 0;
    for (int k = 0; k < KNOTS; k++)
        if (abs(value[k]) > abs(largest)) largest = value[k];
    return largest;
}

static int by_size(const void *a, const void *b) {
    const int32_t(*const *x)[KNOTS] = a, (*const *y)[KNOTS] = b;
    const int size_x = abs(largest_of(**x)), size_y = abs(largest_of(**y));
    return size_x != size_y ? size_y - size_x : **x < **y ? -1 : 1;
}

// What is seen in a window, its top row first: o a man of the side that looks, x one of the opponent.
static void print_views(const struct weights *weights, const int32_t (*const *views)[KNOTS], int count) {
    const int width = weights->variant->rules->width;
    for (int i = 0; i < count; i++) {
        const int t = (int)(*views[i] - *weights->value) / KNOTS - TERM_PATTERN;
        const int window = t / WINDOW_VIEWS, top = window_first_row(width, window);
        const int left = 2 * window_first_column(width, window);
        printf("\n  %c%d-%c%d ", 'a' + left, width - top - WINDOW_ROWS + 1, 'a' + left + 3, width - top);
        for (int k = 0; k < KNOTS; k++) printf("%8.1f", centipawns((*views[i])[k]));
        printf("\n");
        for (int row = 0, rest = t % WINDOW_VIEWS; row < WINDOW_ROWS; row++, rest /= 9) {
            const char left_man = ".ox"[rest % 3], right_man = ".ox"[rest / 3 % 3];
            if (row % 2 == 0)
                printf("        %c   %c\n", left_man, right_man);
            else
                printf("      %c   %c\n", left_man, right_man);
        }
    }
}

static void print_patterns(const struct weights *weights, const struct term_group_info *info) {
    enum { SHOWN = 8 };
    const int32_t(**views)[KNOTS] = memory_new((size_t)info->count, sizeof *views);
    int count = 0;
    for (int t = info->first; t < info->first + info->count; t++)
        if (largest_of(weights->value[t]) != 0)
            views[count++] = (const int32_t(*)[KNOTS]) & weights->value[t];
    printf("\n%s: %s; %d weights are not 0", info->name, info->text, count);
    qsort(views, (size_t)count, sizeof *views, by_size);
    const int shown = count < SHOWN ? count : SHOWN;
    if (shown > 0) printf(", the largest:\n");
    print_views(weights, views, shown);
    if (shown == 0) printf("\n");
    free(views);
}

static void print_weights(const struct weights *weights, const char *path) {
    printf("%s: weights of %s, in centipawns\n\n%-14s", path, weights->variant->name, "pieces");
    for (int knot = 0; knot < KNOTS; knot++) printf("%8d", pieces_at(weights, knot));
    printf("\n");
    for (int group = 0; group < GROUP_COUNT; group++) {
        const struct term_group_info *info = &term_groups[group];
        if (info->count == 1) {
            printf("%-14s", info->name);
            for (int knot = 0; knot < KNOTS; knot++)
                printf("%8.1f", centipawns(weights->value[info->first][knot]));
            printf("  %s\n", info->text);
        } else if (group == GROUP_PATTERN) {
            print_patterns(weights, info);
        } else {
            print_squares(weights, info);
        }
    }
}

static json_t *knots_to_json(const int32_t value[static KNOTS]) {
    json_t *knots = json_array();
    for (int k = 0; k < KNOTS; k++) json_array_append_new(knots, json_real(centipawns(value[k])));
    return knots;
}

// A weight as an array by knot; a group of many as an array of such, views of windows as an object of those
// that are not 0 by their number.
static json_t *group_to_json(const struct weights *weights, enum term_group group) {
    const struct term_group_info *info = &term_groups[group];
    if (info->count == 1) return knots_to_json(weights->value[info->first]);
    if (group != GROUP_PATTERN) {
        json_t *values = json_array();
        for (int i = 0; i < board_squares(weights->variant->rules->width); i++)
            json_array_append_new(values, knots_to_json(weights->value[info->first + i]));
        return values;
    }
    json_t *views = json_object();
    for (int i = 0; i < info->count; i++) {
        char number[16];
        snprintf(number, sizeof number, "%d", i);
        if (largest_of(weights->value[info->first + i]) != 0)
            json_object_set_new(views, number, knots_to_json(weights->value[info->first + i]));
    }
    return views;
}

static void print_json(const struct weights *weights) {
    json_t *root = json_object(), *terms = json_object(), *pieces = json_array();
    for (int group = 0; group < GROUP_COUNT; group++)
        json_object_set_new(terms, term_groups[group].name, group_to_json(weights, (enum term_group)group));
    for (int knot = 0; knot < KNOTS; knot++)
        json_array_append_new(pieces, json_integer(pieces_at(weights, knot)));
    json_object_set_new(root, "variant", json_string(weights->variant->name));
    json_object_set_new(root, "sha256", json_string(weights->sha256));
    json_object_set_new(root, "pieces", pieces);
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
    weights_free(&weights);
    return EXIT_DONE;
}
