// data_merge_commands.c -- huff-data merge and vds: many files as one, copied or seen.

#include <stdio.h>
#include <stdlib.h>

#include "core/support/memory.h"
#include "selfplay/data_command.h"
#include "selfplay/merge.h"
#include "selfplay/summary.h"

struct arguments {
    struct data_paths paths;
    const char *output;
    struct merge_settings settings;
};

enum { OPTION_DROP = 0x200 };

static error_t parse(int key, char *argument, struct argp_state *state) {
    struct arguments *arguments = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &arguments->paths; return 0;
    case 'o': arguments->output = argument; return 0;
    case OPTION_DROP: arguments->settings.drop_duplicates = true; return 0;
    case ARGP_KEY_END:
        if (arguments->output == NULL && !arguments->settings.views) argp_error(state, "expected -o FILE");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static void report(const struct arguments *arguments, const char *output, const struct merge_counts *counts) {
    if (arguments->paths.common.json) {
        json_print(json_pack("{s:s, s:I, s:I, s:I, s:b, s:b}", "path", output, "games",
                             (json_int_t)counts->games, "positions", (json_int_t)counts->positions, "dropped",
                             (json_int_t)counts->dropped, "sorted", counts->sorted, "renumbered",
                             counts->renumbered));
        return;
    }
    printf("%s: %llu %s, %llu %s", output, (unsigned long long)counts->games,
           counts->games == 1 ? "game" : "games", (unsigned long long)counts->positions,
           counts->positions == 1 ? "position" : "positions");
    if (arguments->settings.drop_duplicates)
        printf(", %llu duplicate games left out", (unsigned long long)counts->dropped);
    if (counts->sorted) printf("; files are in the order of their games");
    if (counts->renumbered) printf("; games are numbered anew (their numbers do not rise from file to file)");
    printf("\n");
}

static bool merge(struct arguments *arguments, const char *output, struct error *error) {
    struct data_paths *paths = &arguments->paths;
    arguments->settings.quiet = paths->common.quiet;
    struct dataset *dataset = data_open(paths, error);
    struct merge_counts counts;
    const bool done = dataset != NULL && merge_write(dataset, output, &arguments->settings, &counts, error);
    if (done) report(arguments, output, &counts);
    dataset_close(dataset);
    return done;
}

static const struct argp_child children[] = {{&data_paths_argp, 0, NULL, 0}, {0}};

int data_merge_run(int argc, char **argv) {
    static const struct argp_option options[] = {
        {"output", 'o', "FILE", 0, "The file to write", 0},
        {"drop-duplicates", OPTION_DROP, NULL, 0,
         "Leave out games that were played before: same start, same moves", 0},
        {0},
    };
    static const struct argp argp = {
        .options = options,
        .parser = parse,
        .args_doc = "PATH... -o FILE",
        .doc =
            "Writes the games of all files into one. They keep their order, and their numbers where those of "
            "different runs do not overlap.",
        .children = children};
    struct arguments arguments = {0};
    struct error error;
    if (argp_parse(&argp, argc, argv, 0, NULL, &arguments) != 0) return EXIT_USAGE;
    return data_end(&arguments.paths, merge(&arguments, arguments.output, &error), &error);
}

int data_vds_run(int argc, char **argv) {
    static const struct argp_option options[] = {
        {"output", 'o', "FILE", 0, "The file to write (default: dataset.h5 in the first folder)", 0},
        {0},
    };
    static const struct argp argp = {
        .options = options,
        .parser = parse,
        .args_doc = "RUN...",
        .doc =
            "Writes a small file that shows all positions of a run as one, and reads them from its shards: "
            "these must stay where they are, seen from it. Programs of huff refuse it when one is missing; "
            "other readers are not told and read impossible values (boards of all ones).",
        .children = children};
    struct arguments arguments = {.settings.views = true};
    struct error error;
    if (argp_parse(&argp, argc, argv, 0, NULL, &arguments) != 0) return EXIT_USAGE;
    char *output = arguments.output != NULL ? memory_text("%s", arguments.output)
                                            : memory_text("%s/dataset.h5", arguments.paths.paths[0]);
    const bool done = merge(&arguments, output, &error);
    free(output);
    return data_end(&arguments.paths, done, &error);
}
