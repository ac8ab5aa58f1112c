// huff_match.c -- the program huff-match: which of two engines is stronger, and how sure that is.

#include <errno.h>
#include <inttypes.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "core/support/file.h"
#include "core/support/memory.h"
#include "core/support/options.h"
#include "core/support/progress.h"
#include "selfplay/match_folder.h"
#include "selfplay/match_pdn.h"
#include "selfplay/match_report.h"
#include "selfplay/output.h"

#define PROGRAM "huff-match"

// Beside those of all programs.
enum { EXIT_H1 = 10, EXIT_H0 = 11, EXIT_UNDECIDED = 12 };

// ---- options

enum {
    OPTION_ENGINE = 0x200,
    OPTION_SPRT,
    OPTION_RESUME,
    OPTION_PDN,
    OPTION_PIN,
#define X(key, ...) OPTION_##key,
    FOR_EACH_MATCH_KEY(X)
#undef X
};

struct arguments {
    struct common_options common;
    const char *folder, *resume, *pdn;
    char *config;
    bool pin;
    bool told;  // something that a match to be resumed was told before
    struct match_words words;
    struct engine_words engines[MATCH_ENGINES];
    struct sprt_words sprt;
    char *threads, *seed;  // owned: words for the numbers of the common options
};

#define ENGINE_TEXT                                                                                         \
    "An engine, given twice or more often: name; weights (default, material or a file) and hash for "       \
    "the engine of "                                                                                        \
    "this program; cmd (its words in quotes), proto (hub, the default, text or dxp), dir and option.NAME "  \
    "for another; over DXP port (where it listens) or listen (where it connects to), each a free port in "  \
    "place of {port} in cmd when not said, or connect (where one listens that runs already) instead of "    \
    "cmd, and minutes, which it is told as its clock where it has none (default 5, with movetime a minute " \
    "for every second); and nodes, depth, movetime or tc of its own"
#define SPRT_TEXT                                                                                           \
    "Stop as soon as it is clear whether the first engine is elo0 (default 0) or elo1 (5) stronger, wrong " \
    "in a part alpha or beta (0.05) of all tests; model: normalized (default), logistic, quadratic, "       \
    "bayesian, wald or cutechess"

static const struct argp_option option_list[] = {
    {"engine", OPTION_ENGINE, "KEY=VALUE,...", 0, ENGINE_TEXT, 0},
    {"sprt", OPTION_SPRT, "KEY=VALUE,...", 0, SPRT_TEXT, 0},
    {"output", 'o', "RUN", 0, "The folder to make for the journal of games, report.txt and summary.json", 0},
    {"resume", OPTION_RESUME, "RUN", 0,
     "Go on with a match that was stopped or killed: its games are counted again and the missing ones played",
     0},
    {"pdn", OPTION_PDN, "FILE", 0, "Write all games to this file, in the order of pairs", 0},
    {"pin", OPTION_PIN, NULL, 0, "Keep each game to a core of its own, and the engines that play it", 0},
#define X(key, option, argument, text) {option, OPTION_##key, argument, 0, text, 0},
    FOR_EACH_MATCH_KEY(X)
#undef X
        {0},
};

static bool add_engine(struct arguments *arguments, char *text, struct error *error) {
    struct match_words *words = &arguments->words;
    if (words->engines_count == MATCH_ENGINES)
        return error_set(error, "expected at most %d engines", MATCH_ENGINES);
    words->engines = arguments->engines;
    return engine_words_parse(text, &arguments->engines[words->engines_count++], error);
}

static bool take_path(const char **path, const char *argument, struct error *error) {
    *path = argument;
    return *argument != '\0' || error_set(error, "expected a name, got \"\"");
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
        arguments->told = true;
        if (arguments->config != NULL) return ARGP_ERR_UNKNOWN;
        arguments->config = argument;
        return 0;
    case ARGP_KEY_END: take_common(arguments); return 0;
    case 'o':
        if (!take_path(&arguments->folder, argument, &error)) option = "--output";
        break;
    case OPTION_RESUME:
        if (!take_path(&arguments->resume, argument, &error)) option = "--resume";
        break;
    case OPTION_PDN:
        if (!take_path(&arguments->pdn, argument, &error)) option = "--pdn";
        break;
    case OPTION_PIN: arguments->pin = true; return 0;
    case OPTION_ENGINE:
        arguments->told = true;
        if (!add_engine(arguments, argument, &error)) option = "--engine";
        break;
    case OPTION_SPRT:
        arguments->told = true;
        arguments->words.sprt = &arguments->sprt;
        if (!sprt_words_parse(argument, &arguments->sprt, &error)) option = "--sprt";
        break;
#define X(name, ...)                      \
    case OPTION_##name:                   \
        arguments->told = true;           \
        arguments->words.name = argument; \
        return 0;
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
        "Plays engines against each other and says which is stronger."
        "\vGames are played in pairs, both colours on one opening. Ctrl-C finishes the games in flight and "
        "reports; with -o the match can be resumed. Options come before the same keys of the configuration "
        "file.\n\n"
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
    struct match_pdn *pdn;  // NULL: none
    bool json;
};

static void print_json(json_t *root) {
    json_dumpf(root, stdout, JSON_COMPACT);
    putchar('\n');
    json_decref(root);
}

static void show_progress(const struct output *output, const struct match_pair *pair,
                          const struct match_result *result) {
    char note[MATCH_NOTE_SIZE];
    match_note(output->settings, result, note);
    progress_note(output->progress, "%s", note);
    if (pair->found)
        progress_skip(output->progress, PAIR_GAMES);
    else
        progress_step(output->progress, PAIR_GAMES);
}

static bool show(void *context, const struct match_pair *pair, const struct match_result *result,
                 struct error *error) {
    const struct output *output = context;
    const bool whole = pair->games[0].finished && pair->games[1].finished;
    for (int i = 0; output->json && whole && i < PAIR_GAMES; i++) {
        print_json(match_game_json(output->settings, pair, i));
    }
    fflush(stdout);  // for whoever reads along; a failure is noticed at exit
    if (whole) show_progress(output, pair, result);
    return output->pdn == NULL || match_pdn_add(output->pdn, pair, error);
}

static void report(const struct arguments *arguments, const struct match_settings *settings,
                   const struct match_result *result) {
    if (arguments->common.json) {
        print_json(match_summary_json(settings, result));
        return;
    }
    char *text = match_report_text(settings, result);
    fputs(text, stdout);
    free(text);
}

static int exit_code(const struct match_settings *settings, const struct match_result *result) {
    if (result->end == MATCH_STOPPED) return EXIT_FAILED;
    if (!settings->has_sprt) return EXIT_DONE;
    return result->verdict == SPRT_H1 ? EXIT_H1 : result->verdict == SPRT_H0 ? EXIT_H0 : EXIT_UNDECIDED;
}

// Engines that think by nodes or depth play the same game whenever they begin at the same position.
static void warn_of_copies(const struct match_settings *settings) {
    const uint64_t pairs = settings->games / PAIR_GAMES;
    const uint64_t openings = settings->list != NULL ? (uint64_t)opening_list_count(settings->list)
                              : settings->openings.random_plies > 0 ? pairs
                                                                    : 1;
    if (pairs <= openings) return;
    for (int i = 0; i < settings->engine_count; i++) {
        const struct match_engine *engine = &settings->engines[i];
        if (engine->external || engine->limits.seconds > 0 || engine->clock.seconds > 0) return;
    }
    fprintf(stderr,
            PROGRAM ": %" PRIu64 " pairs on %" PRIu64
                    " openings: all but the first on each will be copies of "
                    "it: --openings random:PLIES makes them differ\n",
            pairs, openings);
}

static void warn_of_load(const struct match_settings *settings) {
    const int cores = omp_get_num_procs();
    if (settings->threads <= cores) return;
    fprintf(stderr,
            PROGRAM ": %d games at a time share %d cores: engines that think by time get less of it\n",
            settings->threads, cores);
}

static void tell_of_journal(const struct match_folder *folder, const struct match_result *result) {
    if (result->cut > 0)
        fprintf(stderr, "%s: %" PRIu64 " damaged bytes at the end: what was there is played again\n",
                folder->journal_path, result->cut);
}

static void tell_how_to_go_on(const struct match_folder *folder) {
    fprintf(stderr, PROGRAM ": stopped before the end of the match");
    if (folder->path != NULL) fprintf(stderr, "; to go on: " PROGRAM " --resume %s", folder->path);
    fprintf(stderr, "\n");
}

static uint64_t all_games(const struct match_settings *settings) {
    const uint64_t engines = (uint64_t)settings->engine_count;
    return settings->games * (settings->gauntlet ? engines - 1 : engines * (engines - 1) / 2);
}

static void play_all(struct output *output, const struct match_folder *folder, bool quiet,
                     struct match_result *result, struct error *error) {
    const struct match_settings *settings = output->settings;
    const struct match_journal journal = match_folder_journal(folder);
    output->progress = progress_start(settings->variant->name, "games", all_games(settings), quiet);
    enum match_end end =
        match_play(settings, folder->path != NULL ? &journal : NULL, show, output, result, error);
    progress_end(output->progress);
    if (!match_pdn_close(output->pdn, end == MATCH_FAILED ? NULL : error)) end = MATCH_FAILED;
    result->end = end;
}

// What was counted is told however the match ended; an error is that of the match first.
static bool finish(const struct arguments *arguments, const struct match_settings *settings,
                   struct match_folder *folder, const struct match_result *result, struct error *error) {
    const bool failed = result->end == MATCH_FAILED;
    if (failed && result->games == 0 && result->odd == 0) return false;
    report(arguments, settings, result);
    return (folder->path == NULL || match_folder_finish(folder, settings, result, failed ? NULL : error)) &&
           !failed;
}

static bool same_file(const char *path, const char *other) {
    struct stat one, two;
    return path != NULL && other != NULL && stat(path, &one) == 0 && stat(other, &two) == 0 &&
           one.st_dev == two.st_dev && one.st_ino == two.st_ino;
}

// Whether a file is one of the match's own folder, which it may be given before that file is written.
static bool in_folder(const struct match_folder *folder, const char *path) {
    bool found = false;
    for (size_t i = 0; folder->path != NULL && !found && i < MATCH_FILES; i++) {
        char *own = memory_text("%s/%s", folder->path, match_files[i]);
        found = same_file(path, own);
        free(own);
    }
    return found;
}

// Games would overwrite what the match is played from, or be overwritten.
static bool check_pdn(const struct arguments *arguments, const struct match_settings *settings,
                      const struct match_folder *folder, struct error *error) {
    const char *const pdn = arguments->pdn;
    bool needed = in_folder(folder, pdn) || same_file(pdn, arguments->config) ||
                  (settings->openings_in_file && same_file(pdn, settings->openings_text));
    for (int i = 0; i < settings->engine_count; i++)
        needed = needed || same_file(pdn, settings->engines[i].weights_path);
    if (needed) return error_set(error, "--pdn: %s is a file that the match needs", pdn);
    struct stat there;
    return stat(pdn, &there) != 0 || !S_ISREG(there.st_mode) || output_check(pdn, NULL, error) ||
           error_prefix(error, "--pdn");
}

static int play(const struct arguments *arguments, const struct match_settings *settings,
                struct match_folder *folder, struct error *error) {
    const bool quiet = arguments->common.quiet;
    struct output output = {.settings = settings, .json = arguments->common.json};
    if (arguments->pdn != NULL && (output.pdn = match_pdn_open(arguments->pdn, settings, error)) == NULL) {
        if (arguments->resume == NULL) match_folder_discard(folder);
        return options_fail(PROGRAM, EXIT_FAILED, error);
    }
    if (output.pdn != NULL && !check_pdn(arguments, settings, folder, error)) {
        struct error ignored;
        (void)!match_pdn_close(output.pdn, &ignored);
        if (arguments->resume == NULL) match_folder_discard(folder);
        return options_fail(PROGRAM, EXIT_USAGE, error);
    }
    if (!quiet) warn_of_copies(settings);
    if (!quiet) warn_of_load(settings);
    struct match_result result;
    play_all(&output, folder, quiet, &result, error);
    if (!quiet) tell_of_journal(folder, &result);
    const bool done = finish(arguments, settings, folder, &result, error);
    if (done && result.end == MATCH_STOPPED) tell_how_to_go_on(folder);
    const int code = done ? exit_code(settings, &result) : options_fail(PROGRAM, EXIT_FAILED, error);
    match_result_free(&result);
    return code;
}

static int begin(struct arguments *arguments, struct error *error) {
    struct match_settings settings;
    if (!match_settings_read(arguments->config, NULL, 0, &arguments->words, &settings, error))
        return options_fail(PROGRAM, EXIT_USAGE, error);
    settings.pin = arguments->pin;
    struct match_folder folder = {.lock = -1};
    const bool ready =
        match_settings_load(&settings, error) && match_check_memory(&settings, error) &&
        (arguments->folder == NULL || match_folder_create(arguments->folder, &settings, &folder, error));
    const int code =
        ready ? play(arguments, &settings, &folder, error) : options_fail(PROGRAM, EXIT_FAILED, error);
    match_folder_close(&folder);
    match_settings_free(&settings);
    return code;
}

static int resume(struct arguments *arguments, struct error *error) {
    const struct common_options *common = &arguments->common;
    if (arguments->told || arguments->folder != NULL || common->variant != NULL || common->seed_given) {
        error_set(error, "--resume: goes with --pdn, --pin, --threads, --json and -q only");
        return options_fail(PROGRAM, EXIT_USAGE, error);
    }
    struct match_settings settings;
    struct match_folder folder;
    if (!match_folder_open(arguments->resume, &settings, &folder, error))
        return options_fail(PROGRAM, EXIT_FAILED, error);
    settings.threads = common->threads;
    settings.pin = arguments->pin;
    const int code = match_check_memory(&settings, error) ? play(arguments, &settings, &folder, error)
                                                          : options_fail(PROGRAM, EXIT_FAILED, error);
    match_folder_close(&folder);
    match_settings_free(&settings);
    return code;
}

int main(int argc, char **argv) {
    file_keep_standard();
    struct arguments arguments = {0};
    if (argp_parse(&argp, argc, argv, 0, NULL, &arguments) != 0) return EXIT_USAGE;
    interrupt_install();
    struct error error;
    const int code = arguments.resume != NULL ? resume(&arguments, &error) : begin(&arguments, &error);
    free(arguments.threads);
    free(arguments.seed);
    return code;
}
