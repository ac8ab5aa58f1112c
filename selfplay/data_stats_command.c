// data_stats_command.c -- huff-data stats: what games of variants are like, side by side.

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/support/memory.h"
#include "selfplay/data_command.h"
#include "selfplay/stats.h"
#include "selfplay/summary.h"

enum { OPTION_OPENINGS = 0x200, OPTION_OPENING_PLIES, OPTION_TOGETHER, OPENINGS_SHOWN = 10 };

struct arguments {
    struct data_paths paths;
    bool together;
    int64_t openings, opening_plies;
};

static error_t parse(int key, char *argument, struct argp_state *state) {
    struct arguments *a = state->input;
    struct error error;
    bool good = true;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &a->paths; return 0;
    case OPTION_TOGETHER: a->together = true; break;
    case OPTION_OPENINGS:
        good = options_number("--openings", argument, 0, 1000000, &a->openings, &error);
        break;
    case OPTION_OPENING_PLIES:
        good = options_number("--opening-plies", argument, 0, 100, &a->opening_plies, &error);
        break;
    default: return ARGP_ERR_UNKNOWN;
    }
    if (good) return 0;
    argp_failure(state, EXIT_USAGE, 0, "%s", error.text);
    return EINVAL;
}

// One column: paths `from` .. `from + count - 1`.
static bool read_column(const struct arguments *a, int from, int count, struct stats *stats,
                        struct error *error) {
    struct data_paths paths = a->paths;
    paths.paths = a->paths.paths + from;
    paths.count = count;
    struct dataset *dataset = data_open(&paths, error);
    const bool done =
        dataset != NULL && stats_read(dataset, (int)a->opening_plies, a->paths.common.quiet, stats, error);
    dataset_close(dataset);
    return done;
}

// The variant, and its path where another column is of the same one.
static const char *column_name(const struct arguments *a, const struct stats *stats, int count, int index) {
    for (int i = 0; i < count; i++) {
        if (i != index && stats[i].variant == stats[index].variant) {
            const char *slash = strrchr(a->paths.paths[index], '/');
            return slash != NULL && slash[1] != '\0' ? slash + 1 : a->paths.paths[index];
        }
    }
    return stats[index].variant->name;
}

static void print(const struct arguments *a, const struct stats *stats, int count) {
    const char **names = memory_new((size_t)count, sizeof *names);
    for (int i = 0; i < count; i++) names[i] = column_name(a, stats, count, i);
    stats_print(stats, names, count, (int)a->openings);
    free(names);
}

static void print_json(const struct arguments *a, const struct stats *stats, int count) {
    json_t *all = json_array();
    for (int i = 0; i < count; i++) {
        json_t *one = stats_to_json(&stats[i], (int)a->openings), *paths = json_array();
        for (int j = 0; j < a->paths.count; j++) {
            if (a->together || i == j) json_array_append_new(paths, json_string(a->paths.paths[j]));
        }
        json_object_set_new(one, "paths", paths);
        json_array_append_new(all, one);
    }
    json_print(all);
}

static bool compare(const struct arguments *a, struct error *error) {
    const int columns = a->together ? 1 : a->paths.count;
    struct stats *stats = memory_new((size_t)columns, sizeof *stats);
    int read = 0;
    while (read < columns && read_column(a, read, a->together ? a->paths.count : 1, &stats[read], error))
        read++;
    const bool done = read == columns;
    if (done && a->paths.common.json)
        print_json(a, stats, columns);
    else if (done)
        print(a, stats, columns);
    for (int i = 0; i < read; i++) stats_free(&stats[i]);
    free(stats);
    return done;
}

int data_stats_run(int argc, char **argv) {
    static const struct argp_option options[] = {
        {"together", OPTION_TOGETHER, NULL, 0, "All paths are one dataset, instead of one column each", 0},
        {"openings", OPTION_OPENINGS, "N", 0, "Show N openings of each, the most frequent ones (default: 10)",
         0},
        {"opening-plies", OPTION_OPENING_PLIES, "N", 0,
         "Openings are the positions after N plies (default: where games started; 2 if all started in one "
         "position)",
         0},
        {0},
    };
    static const struct argp_child children[] = {{&data_paths_argp, 0, NULL, 0}, {0}};
    static const struct argp argp = {
        .options = options,
        .parser = parse,
        .args_doc = "PATH...",
        .doc = "Compares datasets, one a column: results, the advantage of moving first, lengths, numbers of "
               "legal moves, pieces, endings, openings. Errors are those of 95 %, of independent games.",
        .children = children};
    struct arguments a = {.openings = OPENINGS_SHOWN, .opening_plies = -1};
    struct error error;
    if (argp_parse(&argp, argc, argv, 0, NULL, &a) != 0) return EXIT_USAGE;
    return data_end(&a.paths, compare(&a, &error), &error);
}
