// show_command.c -- huff-tune show: the terms of a file of weights, those of squares drawn as boards.

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/support/memory.h"
#include "core/support/options.h"
#include "selfplay/summary.h"
#include "tuner/support.h"
#include "tuner/tune.h"

enum { OPTION_VERSUS = 0x200, OPTION_SUPPORT };

struct arguments {
    struct common_options common;
    const char *path, *versus, *support;
};

static const struct argp_option option_list[] = {
    {"versus", OPTION_VERSUS, "OLD", 0,
     "Before and after of the largest changes from these weights instead (default, material or a file)", 0},
    {"support", OPTION_SUPPORT, "FILE", 0,
     "How often the fit saw each weight: its output by --json, or gen-NNN/support.json of a loop", 0},
    {0},
};

static error_t parse(int key, char *text, struct argp_state *state) {
    struct arguments *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &a->common; return 0;
    case OPTION_VERSUS: a->versus = text; return 0;
    case OPTION_SUPPORT: a->support = text; return 0;
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
    .options = option_list,
    .parser = parse,
    .args_doc = "FILE",
    .doc = "Prints the terms of a file of weights in centipawns; FILE may be default or material, with "
           "--variant."
           "\vBoards are the common one, seen by the owner of the piece: he sits at the bottom, a playing "
           "square at his left. A view of a window is written row by row, its top row first: o a man of the "
           "side that looks, x one of the opponent.",
    .children = children,
};

// What is shown: weights, and where it is known how often the fit saw each.
struct shown {
    const struct weights *weights;
    const uint64_t *support;  // [TERM_COUNT], or NULL
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

// The same board of how often each square was seen.
static void print_seen(const struct shown *shown, int first) {
    const int width = shown->weights->variant->rules->width;
    for (int row = 0; row < width; row++) {
        printf("%4d ", width - row);
        for (int i = 0; i < width / 2; i++)
            printf("%*" PRIu64, i == 0 && row % 2 == 1 ? 8 : 16,
                   shown->support[first + row * (width / 2) + i]);
        printf("\n");
    }
    printf("     ");
    for (int file = 0; file < width; file++) printf("%8c", 'a' + file);
    printf("\n");
}

static void print_squares(const struct shown *shown, const struct term_group_info *info) {
    const struct weights *weights = shown->weights;
    for (int knot = 0; knot < KNOTS; knot++) {
        printf("\n%s: %s, with %d pieces on the board\n", info->name, info->text, pieces_at(weights, knot));
        print_board(weights, info->first, knot);
    }
    if (shown->support == NULL) return;
    printf("\n%s: how often the fit saw one there\n", info->name);
    print_seen(shown, info->first);
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

// "a5-d8": the corners of a window.
struct weight_name {
    char text[64];
};
static struct weight_name name_of_window(int width, int window) {
    struct weight_name name;
    const int top = window_first_row(width, window), left = 2 * window_first_column(width, window);
    snprintf(name.text, sizeof name.text, "%c%d-%c%d", 'a' + left, width - top - WINDOW_ROWS + 1,
             'a' + left + 3, width - top);
    return name;
}

// What is seen in a window, its top row first: o a man of the side that looks, x one of the opponent.
static void print_views(const struct shown *shown, const int32_t (*const *views)[KNOTS], int count) {
    const int width = shown->weights->variant->rules->width;
    for (int i = 0; i < count; i++) {
        const int t = (int)(*views[i] - *shown->weights->value) / KNOTS - TERM_PATTERN;
        printf("\n  %s ", name_of_window(width, t / WINDOW_VIEWS).text);
        for (int k = 0; k < KNOTS; k++) printf("%8.1f", centipawns((*views[i])[k]));
        if (shown->support != NULL) printf("   seen %" PRIu64 " times", shown->support[TERM_PATTERN + t]);
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

// How much of the views that have a weight the fit saw rarely.
static void print_rare(const struct shown *shown, const int32_t (*const *views)[KNOTS], int count) {
    enum { RARE = 5 };
    int rare = 0;
    for (int i = 0; i < count; i++)
        rare += shown->support[(int)(*views[i] - *shown->weights->value) / KNOTS] < RARE;
    printf(" (%d of them were seen less than %d times)", rare, RARE);
}

static void print_patterns(const struct shown *shown_weights, const struct term_group_info *info) {
    enum { SHOWN = 8 };
    const struct weights *weights = shown_weights->weights;
    const int32_t(**views)[KNOTS] = memory_new((size_t)info->count, sizeof *views);
    int count = 0;
    for (int t = info->first; t < info->first + info->count; t++)
        if (largest_of(weights->value[t]) != 0)
            views[count++] = (const int32_t(*)[KNOTS]) & weights->value[t];
    printf("\n%s: %s; %d weights are not 0", info->name, info->text, count);
    if (shown_weights->support != NULL) print_rare(shown_weights, views, count);
    qsort(views, (size_t)count, sizeof *views, by_size);
    const int shown = count < SHOWN ? count : SHOWN;
    if (shown > 0) printf(", the largest:\n");
    print_views(shown_weights, views, shown);
    if (shown == 0) printf("\n");
    free(views);
}

static void print_weights(const struct shown *shown, const char *path) {
    const struct weights *weights = shown->weights;
    printf("%s: weights of %s, in centipawns\n\n%-14s", path, weights->variant->name, "pieces");
    for (int knot = 0; knot < KNOTS; knot++) printf("%8d", pieces_at(weights, knot));
    printf("%s\n", shown->support != NULL ? "        seen" : "");
    for (int group = 0; group < GROUP_COUNT; group++) {
        const struct term_group_info *info = &term_groups[group];
        if (info->count == 1) {
            printf("%-14s", info->name);
            for (int knot = 0; knot < KNOTS; knot++)
                printf("%8.1f", centipawns(weights->value[info->first][knot]));
            if (shown->support != NULL) printf("%12" PRIu64, shown->support[info->first]);
            printf("  %s\n", info->text);
        } else if (group == GROUP_PATTERN) {
            print_patterns(shown, info);
        } else {
            print_squares(shown, info);
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

static void print_json(const struct shown *shown) {
    const struct weights *weights = shown->weights;
    json_t *root = json_object(), *terms = json_object(), *pieces = json_array();
    for (int group = 0; group < GROUP_COUNT; group++)
        json_object_set_new(terms, term_groups[group].name, group_to_json(weights, (enum term_group)group));
    for (int knot = 0; knot < KNOTS; knot++)
        json_array_append_new(pieces, json_integer(pieces_at(weights, knot)));
    json_object_set_new(root, "variant", json_string(weights->variant->name));
    json_object_set_new(root, "sha256", json_string(weights->sha256));
    json_object_set_new(root, "pieces", pieces);
    json_object_set_new(root, "centipawns", terms);
    if (shown->support != NULL)
        json_object_set_new(root, "support", support_to_json(weights->variant, shown->support));
    json_print(root);
}

// ---- Changes ----

struct change {
    int term, size;  // size: the largest change at a knot, in weight units
};

static int by_change(const void *a, const void *b) {
    const struct change *x = a, *y = b;
    return x->size != y->size ? y->size - x->size : x->term - y->term;
}

// All that changed, the largest first; freed by the caller.
static struct change *find_changes(const struct weights *now, const struct weights *old, int *count) {
    struct change *changes = memory_new(TERM_COUNT, sizeof *changes);
    *count = 0;
    for (int t = 0; t < TERM_COUNT; t++) {
        int size = 0;
        for (int k = 0; k < KNOTS; k++) {
            const int step = abs(now->value[t][k] - old->value[t][k]);
            if (step > size) size = step;
        }
        if (size > 0) changes[(*count)++] = (struct change){t, size};
    }
    qsort(changes, (size_t)*count, sizeof *changes, by_change);
    return changes;
}

static const struct term_group_info *group_of(int term) {
    int group = 0;
    while (term >= term_groups[group].first + term_groups[group].count) group++;
    return &term_groups[group];
}

// "MAN", "MAN_SQUARE c3", "PATTERN a5-d8 o./xo/../.x".
static struct weight_name name_of(const struct variant *variant, int term) {
    const struct term_group_info *info = group_of(term);
    const int width = variant->rules->width, in_group = term - info->first, row = in_group / (width / 2);
    struct weight_name name;
    if (info->count == 1) {
        snprintf(name.text, sizeof name.text, "%s", info->name);
    } else if (info->first != TERM_PATTERN) {
        const int file = 2 * (in_group % (width / 2)) + (row + 1) % 2;
        snprintf(name.text, sizeof name.text, "%s %c%d", info->name, 'a' + file, width - row);
    } else {
        int length = snprintf(name.text, sizeof name.text, "%s %s ", info->name,
                              name_of_window(width, in_group / WINDOW_VIEWS).text);
        for (int i = 0, rest = in_group % WINDOW_VIEWS; i < WINDOW_ROWS; i++, rest /= 9)
            length += snprintf(name.text + length, sizeof name.text - (size_t)length, "%s%c%c",
                               i > 0 ? "/" : "", ".ox"[rest % 3], ".ox"[rest / 3 % 3]);
    }
    return name;
}

static void print_knots(const int32_t value[static KNOTS]) {
    for (int k = 0; k < KNOTS; k++) printf("%8.1f", centipawns(value[k]));
}

static void print_change(const struct shown *now, const struct weights *old, int term) {
    printf("%-32s", name_of(old->variant, term).text);
    print_knots(old->value[term]);
    printf("   ->");
    print_knots(now->weights->value[term]);
    if (now->support != NULL) printf("%12" PRIu64, now->support[term]);
    printf("\n");
}

// Those of one group, the largest first.
static void print_group_changes(const struct shown *now, const struct weights *old,
                                const struct term_group_info *info, const struct change *changes, int count) {
    enum { SHOWN = 8 };
    int changed = 0;
    double sum = 0;
    for (int i = 0; i < count; i++) {
        if (group_of(changes[i].term) != info) continue;
        changed++;
        sum += changes[i].size;
    }
    if (changed == 0) return;
    if (info->count > 1)
        printf("\n%s: %d changed, by %.1f on average%s\n", info->name, changed, sum / changed / WEIGHT_UNIT,
               changed > SHOWN ? "; the largest:" : "");
    int shown = 0;
    for (int i = 0; i < count && shown < SHOWN; i++) {
        if (group_of(changes[i].term) != info) continue;
        print_change(now, old, changes[i].term);
        shown++;
    }
}

static void print_changes(const struct shown *now, const struct weights *old, const struct arguments *a) {
    const struct weights *weights = now->weights;
    int count;
    struct change *changes = find_changes(weights, old, &count);
    printf("%s: weights of %s against %s, in centipawns: %d changed\n\n", a->path, weights->variant->name,
           a->versus, count);
    printf("%-32s%24s     %24s%s\n%-32s", "", "before", "after", now->support != NULL ? "        seen" : "",
           "pieces");
    for (int k = 0; k < 2 * KNOTS; k++)
        printf("%s%8d", k == KNOTS ? "     " : "", pieces_at(weights, k % KNOTS));
    printf("\n");
    for (int group = 0; group < GROUP_COUNT; group++)
        print_group_changes(now, old, &term_groups[group], changes, count);
    free(changes);
}

static void print_changes_json(const struct shown *now, const struct weights *old,
                               const struct arguments *a) {
    int count;
    struct change *changes = find_changes(now->weights, old, &count);
    json_t *array = json_array();
    for (int i = 0; i < count; i++) {
        const int term = changes[i].term;
        const struct term_group_info *info = group_of(term);
        json_t *one =
            json_pack("{s:s, s:i, s:s, s:o, s:o}", "group", info->name, "weight", term - info->first, "name",
                      name_of(old->variant, term).text, "before", knots_to_json(old->value[term]), "after",
                      knots_to_json(now->weights->value[term]));
        if (now->support != NULL)
            json_object_set_new(one, "support", json_integer((json_int_t)now->support[term]));
        json_array_append_new(array, one);
    }
    free(changes);
    json_print(json_pack("{s:s, s:s, s:s, s:o}", "variant", now->weights->variant->name, "weights", a->path,
                         "versus", a->versus, "changes", array));
}

// ---- The command ----

static bool show_changes(const struct shown *shown, const struct arguments *a, struct error *error) {
    struct weights old;
    if (!weights_get(a->versus, shown->weights->variant, &old, error)) return false;
    (a->common.json ? print_changes_json : print_changes)(shown, &old, a);
    weights_free(&old);
    return true;
}

static bool show(const struct weights *weights, const struct arguments *a, struct error *error) {
    uint64_t *support = a->support != NULL ? memory_new(TERM_COUNT, sizeof *support) : NULL;
    const struct shown shown = {weights, support};
    bool done = support == NULL || support_read(a->support, weights, support, error);
    if (done && a->versus != NULL)
        done = show_changes(&shown, a, error);
    else if (done && a->common.json)
        print_json(&shown);
    else if (done)
        print_weights(&shown, a->path);
    free(support);
    return done;
}

// Those that come with the program are of some variant.
static bool read_weights(const char *name, const struct variant *variant, struct weights *weights,
                         struct error *error) {
    if (weights_in_file(name)) return weights_read(name, variant, weights, error);
    if (variant == NULL) return error_set(error, "%s: of which variant? (--variant)", name);
    return weights_get(name, variant, weights, error);
}

int tune_show_run(int argc, char **argv) {
    struct arguments a = {0};
    struct error error;
    struct weights weights;
    if (argp_parse(&show_argp, argc, argv, 0, NULL, &a) != 0) return EXIT_USAGE;
    const struct variant *variant = NULL;
    if (a.common.variant != NULL && (variant = variant_find(a.common.variant, &error)) == NULL)
        return options_fail(argv[0], EXIT_USAGE, &error);
    if (!read_weights(a.path, variant, &weights, &error)) return options_fail(argv[0], EXIT_FAILED, &error);
    const bool done = show(&weights, &a, &error);
    weights_free(&weights);
    return done ? EXIT_DONE : options_fail(argv[0], EXIT_FAILED, &error);
}
