// huff_match.c -- the program huff-match: which of two engines is stronger, and how sure that is.

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/support/file.h"
#include "core/support/memory.h"
#include "core/support/options.h"
#include "core/support/progress.h"
#include "selfplay/match.h"
#include "selfplay/match_report.h"

#define PROGRAM "huff-match"

// Beside those of all programs.
enum { EXIT_H1 = 10, EXIT_H0 = 11, EXIT_UNDECIDED = 12 };

// ---- options

enum {
    OPTION_ENGINE = 0x200,
    OPTION_SPRT,
#define X(key, ...) OPTION_##key,
    FOR_EACH_MATCH_KEY(X)
#undef X
};

struct arguments {
    struct common_options common;
    const char *folder;
    char *config;
    struct match_words words;
    struct engine_words engines[MATCH_ENGINES];
    struct sprt_words sprt;
    char *threads, *seed;  // owned: words for the numbers of the common options
};

#define ENGINE_TEXT                                                                                        \
    "An engine, given twice: name; weights (a file, or material, the default) and hash for the engine of " \
    "this program; cmd (its words in quotes), proto (hub, the default, or text), dir and option.NAME for " \
    "another; and nodes, depth, movetime or tc of its own"
#define SPRT_TEXT                                                                                           \
    "Stop as soon as it is clear whether the first engine is elo0 (default 0) or elo1 (5) stronger, wrong " \
    "in a part alpha or beta (0.05) of all tests; model: normalized (default), logistic, quadratic, "       \
    "bayesian, wald or cutechess"

static const struct argp_option option_list[] = {
    {"engine", OPTION_ENGINE, "KEY=VALUE,...", 0, ENGINE_TEXT, 0},
    {"sprt", OPTION_SPRT, "KEY=VALUE,...", 0, SPRT_TEXT, 0},
    {"output", 'o', "RUN", 0, "The folder to make for report.txt and summary.json", 0},
#define X(key, option, argument, text) {option, OPTION_##key, argument, 0, text, 0},
    FOR_EACH_MATCH_KEY(X)
#undef X
        {0},
};

static bool add_engine(struct arguments *arguments, char *text, struct error *error) {
    struct match_words *words = &arguments->words;
    if (words->engines_count == MATCH_ENGINES) return error_set(error, "expected two engines, got more");
    words->engines = arguments->engines;
    return engine_words_parse(text, &arguments->engines[words->engines_count++], error);
}

static void take_common(struct arguments *arguments) {
    const struct common_options *common = &arguments->common;
    if (common->threads > 0) arguments->threads = memory_text("%d", common->threads);
    if (common->seed_given) arguments->seed = memory_text("%" PRIu64, common->seed);
    arguments->words.variant = (char *)common->variant;
    arguments->words.threads = arguments->threads;
    arguments->words.seed = arguments->seed;
}

static error_t parse(int key, char *argument, struct argp_state *state) {
    struct arguments *arguments = state->input;
    struct error error;
    const char *option = NULL;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &arguments->common; return 0;
    case ARGP_KEY_ARG:
        if (arguments->config != NULL) return ARGP_ERR_UNKNOWN;
        arguments->config = argument;
        return 0;
    case ARGP_KEY_END: take_common(arguments); return 0;
    case 'o': arguments->folder = argument; return 0;
    case OPTION_ENGINE:
        if (!add_engine(arguments, argument, &error)) option = "--engine";
        break;
    case OPTION_SPRT:
        arguments->words.sprt = &arguments->sprt;
        if (!sprt_words_parse(argument, &arguments->sprt, &error)) option = "--sprt";
        break;
#define X(name, ...) \
    case OPTION_##name: arguments->words.name = argument; return 0;
        FOR_EACH_MATCH_KEY(X)
#undef X
    default: return ARGP_ERR_UNKNOWN;
    }
    if (option == NULL) return 0;
    argp_failure(state, EXIT_USAGE, 0, "%s: %s", option, error.text);
    return EINVAL;
}

static const struct argp_child children[] = {{&options_common, 0, "Common options:", 0}, {0}};
static const struct argp argp = {
    .options = option_list,
    .parser = parse,
    .args_doc = "[CONFIG.yaml]",
    .doc =
        "Plays two engines against each other and says which is stronger."
        "\vGames are played in pairs, both colours on one opening. Ctrl-C finishes the games in flight and "
        "reports. Options come before the same keys of the configuration file.\n\n"
        "Exit: 0 all games played, 10 H1 accepted, 11 H0 accepted, 12 the test is undecided at the limit of "
        "games, 1 failed or stopped, 2 usage.\n\n"
        "  huff-match --variant spanish --engine name=new,weights=new.weights --engine name=old "
        "--nodes 1000 --sprt elo0=0,elo1=10",
    .children = children,
};

// ---- the match

struct output {
    const struct match_settings *settings;
    struct progress *progress;
    bool json;
};

static void print_json(json_t *root) {
    json_dumpf(root, stdout, JSON_COMPACT);
    putchar('\n');
    json_decref(root);
}

static void show(void *context, const struct match_pair *pair, const struct match_result *result) {
    const struct output *output = context;
    for (int i = 0; output->json && i < PAIR_GAMES; i++) {
        print_json(match_game_json(output->settings, pair, i));
    }
    fflush(stdout);  // for whoever reads along; a failure is noticed at exit
    char note[MATCH_NOTE_SIZE];
    match_note(output->settings, result, note);
    progress_note(output->progress, "%s", note);
    progress_step(output->progress, PAIR_GAMES);
}

static bool write_file(const char *folder, const char *name, const char *text, struct error *error) {
    char *path = memory_text("%s/%s", folder, name);
    const bool done = file_replace(path, text, strlen(text), error);
    free(path);
    return done;
}

static bool write_run(const char *folder, const char *report, json_t *summary, struct error *error) {
    char *dumped = json_dumps(summary, JSON_INDENT(2));
    char *text = memory_text("%s\n", dumped);
    const bool done =
        write_file(folder, "report.txt", report, error) && write_file(folder, "summary.json", text, error);
    free(text);
    free(dumped);
    return done;
}

static bool report(const struct arguments *arguments, const struct match_settings *settings,
                   const struct match_result *result, struct error *error) {
    char *text = match_report_text(settings, result);
    json_t *summary = match_summary_json(settings, result);
    if (arguments->common.json)
        print_json(json_incref(summary));
    else
        fputs(text, stdout);
    const bool done = arguments->folder == NULL || write_run(arguments->folder, text, summary, error);
    json_decref(summary);
    free(text);
    return done;
}

static int exit_code(const struct match_settings *settings, const struct match_result *result) {
    if (result->end == MATCH_STOPPED) return EXIT_FAILED;
    if (!settings->has_sprt) return EXIT_DONE;
    return result->verdict == SPRT_H1 ? EXIT_H1 : result->verdict == SPRT_H0 ? EXIT_H0 : EXIT_UNDECIDED;
}

// Engines that think by nodes or depth play the same game whenever they begin at the same position.
static void warn_of_copies(const struct match_settings *settings) {
    if (settings->openings.random_plies > 0 || settings->games == PAIR_GAMES) return;
    for (int i = 0; i < MATCH_ENGINES; i++) {
        const struct match_engine *engine = &settings->engines[i];
        if (engine->command != NULL || engine->limits.seconds > 0 || engine->clock.seconds > 0) return;
    }
    fprintf(stderr, PROGRAM ": all pairs begin at one position and will be copies of the first: "
                            "--openings random:PLIES makes them differ\n");
}

static int play(const struct arguments *arguments, struct match_settings *settings, struct error *error) {
    const bool quiet = arguments->common.quiet;
    if (!quiet) warn_of_copies(settings);
    struct output output = {.settings = settings, .json = arguments->common.json};
    output.progress = progress_start(settings->variant->name, "games", settings->games, quiet);
    struct match_result result;
    const enum match_end end = match_play(settings, show, &output, &result, error);
    progress_end(output.progress);
    if (end == MATCH_FAILED || !report(arguments, settings, &result, error))
        return options_fail(PROGRAM, EXIT_FAILED, error);
    if (end == MATCH_STOPPED && !quiet) fprintf(stderr, PROGRAM ": stopped before the end of the match\n");
    return exit_code(settings, &result);
}

// Whatever can be found wrong before the first game.
static bool prepare(const struct arguments *arguments, struct match_settings *settings, struct error *error) {
    if (!match_settings_load(settings, error)) return false;
    if (arguments->folder == NULL) return true;
    if (file_exists(arguments->folder)) return error_set(error, "%s: exists already", arguments->folder);
    return file_make_folder(arguments->folder, error);
}

int main(int argc, char **argv) {
    struct arguments arguments = {0};
    if (argp_parse(&argp, argc, argv, 0, NULL, &arguments) != 0) return EXIT_USAGE;
    interrupt_install();
    struct error error;
    struct match_settings settings;
    int code;
    if (!match_settings_read(arguments.config, &arguments.words, &settings, &error)) {
        code = options_fail(PROGRAM, EXIT_USAGE, &error);
    } else {
        code = prepare(&arguments, &settings, &error) ? play(&arguments, &settings, &error)
                                                      : options_fail(PROGRAM, EXIT_FAILED, &error);
        match_settings_free(&settings);
    }
    free(arguments.threads);
    free(arguments.seed);
    return code;
}
