// huff_selfplay.c -- the program huff-selfplay: plays thousands of games into a dataset.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/support/file.h"
#include "core/support/memory.h"
#include "core/support/options.h"
#include "core/support/progress.h"
#include "selfplay/dataset.h"
#include "selfplay/run.h"
#include "selfplay/selfplay_commands.h"
#include "selfplay/summary.h"

#define PROGRAM "huff-selfplay"

enum { OPTION_SET = 0x200, OPTION_RESUME, OPTION_SHARDS };

#define MOST_SHARD INT64_C(999999)

struct arguments {
    struct common_options common;
    const char *config, *folder, *resume;
    char **sets;  // owned, and so are the texts
    int set_count;
    struct run_share_out out;
};

static const struct argp_option option_list[] = {
    {"output", 'o', "RUN", 0, "The folder to make and write to", 0},
    {"set", OPTION_SET, "KEY=VALUE", 0,
     "Overrides a key of the configuration (opening.random_plies=4); repeatable", 0},
    {"resume", OPTION_RESUME, "RUN", 0, "Goes on where a stopped or killed run ended", 0},
    {"shards", OPTION_SHARDS, "A-B", 0,
     "Plays these shards only, of a run that others play too: for job arrays. The first of them makes the "
     "run",
     0},
    {0},
};

static void take_shards(struct arguments *arguments, const char *text, struct argp_state *state) {
    char *first = memory_text("%s", text), *dash = strchr(first, '-');
    const char *last = first;
    int64_t from = 0, to = 0;
    struct error error;
    if (dash != NULL) {
        *dash = '\0';
        last = dash + 1;
    }
    if (!options_number("--shards", first, 0, MOST_SHARD, &from, &error) ||
        !options_number("--shards", last, from, MOST_SHARD, &to, &error))
        argp_error(state, "%s", error.text);
    free(first);
    arguments->out.some = true;
    arguments->out.first = (uint64_t)from;
    arguments->out.last = (uint64_t)to;
}

static void add_set(struct arguments *arguments, char *set) {
    arguments->sets = memory_grow(arguments->sets, (size_t)arguments->set_count + 1, sizeof *arguments->sets);
    arguments->sets[arguments->set_count++] = set;
}

static void check_arguments(const struct arguments *arguments, struct argp_state *state) {
    const struct common_options *common = &arguments->common;
    if (arguments->resume != NULL) {
        if (arguments->config != NULL || arguments->folder != NULL || arguments->set_count > 0 ||
            common->seed_given || common->variant != NULL) {
            argp_error(
                state,
                "--resume takes its configuration from the run: only --shards, --threads, --json and -q go "
                "with it");
        }
    } else if (arguments->config == NULL) {
        argp_error(state, "expected a configuration file, or --resume RUN");
    } else if (arguments->folder == NULL) {
        argp_error(state, "expected -o RUN, the folder to write to");
    }
}

static error_t parse(int key, char *argument, struct argp_state *state) {
    struct arguments *arguments = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &arguments->common; return 0;
    case 'o': arguments->folder = argument; return 0;
    case OPTION_SET: add_set(arguments, memory_text("%s", argument)); return 0;
    case OPTION_RESUME: arguments->resume = argument; return 0;
    case OPTION_SHARDS: take_shards(arguments, argument, state); return 0;
    case ARGP_KEY_ARG:
        if (arguments->config != NULL) return ARGP_ERR_UNKNOWN;
        arguments->config = argument;
        return 0;
    case ARGP_KEY_END: check_arguments(arguments, state); return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&options_common, 0, "Common options:", 0}, {0}};
static const struct argp argp = {
    .options = option_list,
    .parser = parse,
    .args_doc = "CONFIG.yaml -o RUN\n--resume RUN\nbook --variant NAME --plies N",
    .doc =
        "Plays games of an engine against itself and writes every position to RUN/shard-NNNNNN.h5."
        "\vThe same configuration gives the same files, whatever the number of threads and of processes "
        "(mpirun -n N huff-selfplay ..., where it was built with MPI). Ctrl-C finishes the games in flight "
        "and stops; --resume goes on.",
    .children = children,
};

// Options that stand for keys come last: they are more particular than --set.
static void add_common_sets(struct arguments *arguments) {
    const struct common_options *common = &arguments->common;
    if (common->variant != NULL) add_set(arguments, memory_text("variant=%s", common->variant));
    if (common->seed_given) add_set(arguments, memory_text("seed=%llu", (unsigned long long)common->seed));
    if (common->threads > 0) add_set(arguments, memory_text("threads=%d", common->threads));
}

// NULL: *code says whether the configuration is wrong or a run of it cannot begin.
static struct run *begin_run(struct arguments *arguments, int *code, struct error *error) {
    *code = EXIT_FAILED;
    if (arguments->resume != NULL) return run_resume(arguments->resume, &arguments->out, error);
    add_common_sets(arguments);
    struct settings settings;
    if (!settings_read(arguments->config, (const char *const *)arguments->sets, arguments->set_count,
                       &settings, error)) {
        *code = EXIT_USAGE;
        return NULL;
    }
    struct run *run = run_create(arguments->folder, &settings, &arguments->out, error);
    settings_free(&settings);
    return run;
}

static const char *folder_of(const struct arguments *arguments) {
    return arguments->resume != NULL ? arguments->resume : arguments->folder;
}

// The first rank begins or finds the run, then the others come to it. An empty error: another rank failed.
static struct run *open_run(struct arguments *arguments, int *code, struct error *error) {
    struct ranks *ranks = arguments->out.ranks;
    struct run *run = NULL;
    const bool leads = ranks_number(ranks) == 0;
    error->text[0] = '\0';
    *code = EXIT_FAILED;
    if (leads) run = begin_run(arguments, code, error);
    if (ranks_agree(ranks, !leads || run != NULL) && !leads)
        run = run_resume(folder_of(arguments), &arguments->out, error);
    if (ranks_agree(ranks, run != NULL)) return run;
    run_close(run);
    return NULL;
}

static int fail(int code, const struct error *error) {
    return *error->text != '\0' ? options_fail(PROGRAM, code, error) : code;
}

static bool report(const char *folder, bool as_json, struct error *error) {
    struct dataset *dataset = dataset_open(&folder, 1, error);
    struct summary summary;
    const bool done = dataset != NULL && summary_read(dataset, &summary, error);
    dataset_close(dataset);
    if (done && as_json) {
        json_t *root = summary_to_json(&summary);
        json_object_set_new(root, "run", json_string(folder));
        json_print(root);
    } else if (done) {
        summary_print(&summary);
        printf("written to %s\n", folder);
    }
    return done;
}

static int play(struct run *run, const struct arguments *arguments) {
    const char *folder = folder_of(arguments);
    const struct run_share_out *out = &arguments->out;
    struct error error;
    const enum run_end end = run_play(run, arguments->common.threads, &error);
    if (end == RUN_FAILED) fail(EXIT_FAILED, &error);
    if (ranks_number(out->ranks) > 0) return end >= RUN_PLAYED ? EXIT_DONE : EXIT_FAILED;
    if (end == RUN_DONE) {
        return report(folder, arguments->common.json, &error) ? EXIT_DONE : fail(EXIT_FAILED, &error);
    }
    if (end == RUN_PLAYED) {
        if (!arguments->common.quiet)
            fprintf(stderr, PROGRAM ": these shards of %s are finished, others are not\n", folder);
        return EXIT_DONE;
    }
    char part[64] = "";
    if (out->some)
        snprintf(part, sizeof part, " --shards %llu-%llu", (unsigned long long)out->first,
                 (unsigned long long)out->last);
    fprintf(stderr, PROGRAM ": stopped with %llu games kept; to go on: " PROGRAM " --resume %s%s\n",
            (unsigned long long)run_games_kept(run), folder, part);
    return EXIT_FAILED;
}

// What only all ranks together know.
static bool check_ranks(const struct arguments *arguments, bool parsed) {
    struct ranks *ranks = arguments->out.ranks;
    struct error error;
    if (!ranks_agree(ranks, parsed)) return false;
    if (!arguments->out.some || ranks_count(ranks) == 1) return true;
    error_set(&error, "--shards is for processes that mpirun did not start: those share out all shards");
    if (ranks_number(ranks) == 0) options_fail(PROGRAM, EXIT_USAGE, &error);
    return false;
}

static int run_all(struct arguments *arguments) {
    struct error error;
    int code;
    struct run *run = open_run(arguments, &code, &error);
    code = run != NULL ? play(run, arguments) : fail(code, &error);
    run_close(run);
    return code;
}

int main(int argc, char **argv) {
    file_keep_standard();
    if (argc > 1 && strcmp(argv[1], "book") == 0) {
        argv[1] = PROGRAM " book";
        return selfplay_book_command(argc - 1, argv + 1);
    }
    struct arguments arguments = {0};
    const bool leads = ranks_expect();
    const bool parsed = argp_parse(&argp, argc, argv, leads ? 0 : ARGP_SILENT, NULL, &arguments) == 0;
    if (leads && !parsed) return EXIT_USAGE;
    arguments.out.ranks = ranks_join();
    arguments.out.quiet = arguments.common.quiet || !leads;
    interrupt_install();
    const int code = check_ranks(&arguments, parsed) ? run_all(&arguments) : EXIT_USAGE;
    ranks_leave(arguments.out.ranks);
    for (int i = 0; i < arguments.set_count; i++) free(arguments.sets[i]);
    free(arguments.sets);
    return code;
}
