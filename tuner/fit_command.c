// fit_command.c -- huff-tune fit: datasets in, a file of weights out, and what the fit was like.

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/support/file.h"
#include "core/support/memory.h"
#include "core/support/options.h"
#include "core/support/progress.h"
#include "selfplay/output.h"
#include "tuner/fit_config.h"
#include "tuner/support.h"
#include "tuner/tune.h"

enum {
    OPTION_SET = 0x200,
    OPTION_RESUME,
    // Below these a warning is given. Positions of one game are alike: games are what counts.
    GAMES_A_WEIGHT = 10,
    GAMES_FOR_PATTERNS = 4000,  // with fewer, square tables alone predicted held-out games as well or better
    POSITIONS_A_WEIGHT = 100,
    VALIDATION_GAMES = 50,
};
#define MOST_DRAWS 0.9
// A position is decided when its score is beyond so many centipawns; more than this share of them says that
// games were played on for long.
enum { DECIDED = 600 };
#define MOST_DECIDED 0.2
// Of what the best epoch gained on the validation games, lost again by the last one.
#define MOST_LOST 0.1

struct arguments {
    struct common_options common;
    const char *config, *output;
    bool resume;
    const char **data, **sets;
    int data_count, set_count;
};

// What is told at the end.
struct account {
    const struct arguments *arguments;
    json_t *epochs, *warnings;
    double last_loss;  // validation, of the last epoch
};

// ---- The command line ----

static const struct argp_option option_list[] = {
    {"output", 'o', "FILE", 0, "The file of weights to write", 0},
    {"resume", OPTION_RESUME, NULL, 0, "Go on with a fit that was stopped or killed, from FILE.state", 0},
    {"set", OPTION_SET, "KEY=VALUE", 0, "Overrides a key of the configuration (l2.KING=5); repeatable", 0},
    {0},
};

static void check_arguments(const struct arguments *a, struct argp_state *state) {
    if (a->config == NULL) argp_error(state, "expected a configuration file and datasets");
    if (a->data_count == 0) argp_error(state, "expected datasets: files or folders of runs");
    if (a->output == NULL) argp_error(state, "expected -o FILE, the weights to write");
}

static error_t parse(int key, char *text, struct argp_state *state) {
    struct arguments *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &a->common; return 0;
    case 'o': a->output = text; return 0;
    case OPTION_RESUME: a->resume = true; return 0;
    case OPTION_SET: options_append(&a->sets, &a->set_count, text); return 0;
    case ARGP_KEY_ARG:
        if (a->config == NULL)
            a->config = text;
        else
            options_append(&a->data, &a->data_count, text);
        return 0;
    case ARGP_KEY_END: check_arguments(a, state); return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&options_common, 0, "Common options:", 0}, {0}};
static const struct argp fit_argp = {
    .options = option_list,
    .parser = parse,
    .args_doc = "CONFIG.yaml DATA... -o FILE",
    .doc =
        "Fits the weights of the evaluation to the results of games by logistic regression."
        "\vDATA are files of positions or folders of runs, of one variant. The same configuration and data, "
        "in the same order, give the same weights, whatever the number of threads. Ctrl-C ends the fit and "
        "keeps the best "
        "weights so far; the same command with --resume goes on to the weights that it would have found.",
    .children = children,
};

// ---- What the user is told ----

static void warn(const struct account *account, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void warn(const struct account *account, const char *format, ...) {
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    json_array_append_new(account->warnings, json_string(text));
    if (!account->arguments->common.quiet) fprintf(stderr, "huff-tune fit: warning: %s\n", text);
}

static void warn_of_results(const struct account *account, const struct samples *train) {
    const uint64_t draws = train->results[1], decided = train->games - draws;
    if (decided == 0 || train->games == 0) return;  // that is an error
    if (train->results[0] == 0 || train->results[2] == 0)
        warn(account, "%s wins none of the training games: the weights will be lopsided",
             train->results[2] == 0 ? "White" : "Black");
    if ((double)draws > MOST_DRAWS * (double)train->games)
        warn(account,
             "%.0f%% of the training games are draws: more random plies or fewer nodes a move decide more",
             100 * (double)draws / (double)train->games);
}

static void warn_of_scores(const struct account *account, const struct samples *train) {
    size_t scored = 0, decided = 0;
    for (size_t i = 0; i < train->count; i++) {
        scored += train->sample[i].score != NO_SCORE;
        decided += train->sample[i].score != NO_SCORE && abs(train->sample[i].score) > DECIDED;
    }
    if ((double)decided > MOST_DECIDED * (double)scored)
        warn(account,
             "%.0f%% of the training positions are decided, with scores beyond %d: they teach little (--set "
             "sample.max_score=%d leaves them out)",
             100 * (double)decided / (double)scored, DECIDED, DECIDED);
}

static void warn_of_descent(const struct account *account, const struct fit_settings *settings,
                            const struct fit_result *result) {
    const double start = result->start_loss[SPLIT_VALIDATION], best = result->loss[SPLIT_VALIDATION];
    if (result->best == 0) warn(account, "no epoch was better than the starting weights, which are kept");
    if (result->best > 0 && result->epochs > result->best &&
        account->last_loss - best > MOST_LOST * (start - best))
        warn(
            account,
            "the validation loss has risen from %.5f in epoch %d to %.5f: these weights learn games by heart "
            "(more games, a larger l2 or a smaller rate help)",
            best, result->best, account->last_loss);
    if (settings->method == METHOD_LBFGS && !result->converged && !result->interrupted)
        warn(account, "not converged after %d iterations: more epochs or patience would go on",
             result->epochs);
}

static void warn_of_few(const struct account *account, const struct fit_config *config,
                        const struct sample_sets *sets, const struct fit_result *result) {
    const struct samples *train = &sets->part[SPLIT_TRAIN], *validation = &sets->part[SPLIT_VALIDATION];
    const uint64_t weights = (uint64_t)result->weights_seen;
    if (train->games < GAMES_A_WEIGHT * weights || train->chosen < POSITIONS_A_WEIGHT * weights)
        warn(account,
             "%" PRIu64 " training games with %" PRIu64 " positions are few for %" PRIu64
             " weights: from %" PRIu64 " games on the weights are worth something",
             train->games, train->chosen, weights, GAMES_A_WEIGHT * weights);
    if (config->settings.l2[GROUP_PATTERN] < HELD && train->games < GAMES_FOR_PATTERNS)
        warn(account,
             "%" PRIu64
             " training games are few for patterns of men: from %d on they help (--set l2.PATTERN=1e9 "
             "leaves them out)",
             train->games, GAMES_FOR_PATTERNS);
    if (sets->held_out < 1)
        warn(account,
             "the buffer has room for %.0f%% of the held-out games: a larger one (--set buffer=N) judges by "
             "all of them",
             100 * sets->held_out);
    if (validation->games < VALIDATION_GAMES)
        warn(account, "%" PRIu64 " validation games are few: which epoch is best is left to chance",
             validation->games);
}

static void print_head(const struct sample_sets *sets, const char *start) {
    printf("%s: %" PRIu64 " games, %" PRIu64 " positions; starting from %s\n", sets->variant->name,
           sets->games, sets->positions, start != NULL ? start : "material alone");
    for (int part = 0; part < PART_COUNT; part++) {
        const struct samples *samples = &sets->part[part];
        printf("  %-10s %8" PRIu64 " games %10" PRIu64 " positions chosen; White won %" PRIu64
               ", drew %" PRIu64 ", lost %" PRIu64 "\n",
               part_names[part], samples->games, samples->chosen, samples->results[2], samples->results[1],
               samples->results[0]);
    }
    if (sets->stream != NULL) printf("  more than the buffer holds: they are read anew in each epoch\n");
    printf("epoch  positions/s  train loss  validation loss  accuracy\n");
    fflush(stdout);
}

static json_t *json_number(double value) { return isfinite(value) ? json_real(value) : json_null(); }

static void tell_epoch(void *context, const struct fit_epoch *epoch) {
    struct account *account = context;
    json_t *line = json_object();
    account->last_loss = epoch->loss[SPLIT_VALIDATION];
    json_object_set_new(line, "epoch", json_integer(epoch->epoch));
    json_object_set_new(line, "positions_per_second", json_number(epoch->positions_per_second));
    json_object_set_new(line, "train_loss", json_number(epoch->loss[SPLIT_TRAIN]));
    json_object_set_new(line, "validation_loss", json_number(epoch->loss[SPLIT_VALIDATION]));
    json_object_set_new(line, "accuracy", json_number(epoch->accuracy));
    json_object_set_new(line, "best", json_boolean(epoch->best));
    json_array_append_new(account->epochs, line);
    if (account->arguments->common.json || account->arguments->common.quiet) return;
    printf("%5d %12.0f %11.5f %16.5f %8.2f%%%s\n", epoch->epoch, epoch->positions_per_second,
           epoch->loss[SPLIT_TRAIN], epoch->loss[SPLIT_VALIDATION], 100 * epoch->accuracy,
           epoch->best ? " *" : "");
    fflush(stdout);
}

static void print_end(const struct account *account, const struct sample_sets *sets, const char *start,
                      const struct fit_result *result) {
    const char *from = start != NULL ? start : "material";
    printf("%s epoch %d; epoch %d is kept\n",
           result->interrupted ? "interrupted after"
           : result->converged ? "converged with"
                               : "ended with",
           result->epochs, result->best);
    for (int part = SPLIT_VALIDATION; part < PART_COUNT; part++) {
        if (sets->part[part].chosen == 0) continue;
        printf("%s loss %.5f, with %s %.5f: %.2f%% %s\n", part_names[part], result->loss[part], from,
               result->start_loss[part], fabs(100 * (1 - result->loss[part] / result->start_loss[part])),
               result->loss[part] <= result->start_loss[part] ? "lower" : "higher");
    }
    printf("a king is worth %.2f men; %.0f centipawns make a logit\n",
           result->weights.value[TERM_KING][1] / (100.0 * WEIGHT_UNIT), result->centipawns_per_logit);
    if (result->draw_margin > 0)
        printf("with a lead of %.0f centipawns half of the games are won\n", result->draw_margin);
    printf("weights written to %s\n", account->arguments->output);
}

static json_t *parts_to_json(const struct sample_sets *sets, const struct fit_result *result) {
    json_t *parts = json_object();
    for (int part = 0; part < PART_COUNT; part++) {
        const struct samples *samples = &sets->part[part];
        json_t *one = json_object();
        json_object_set_new(one, "games", json_integer((json_int_t)samples->games));
        json_object_set_new(one, "positions", json_integer((json_int_t)samples->chosen));
        json_object_set_new(one, "start_loss", json_number(result->start_loss[part]));
        json_object_set_new(one, "loss", json_number(result->loss[part]));
        json_object_set_new(parts, part_names[part], one);
    }
    return parts;
}

static void print_json(const struct account *account, const struct sample_sets *sets, const char *start,
                       const struct fit_result *result) {
    json_t *root = json_object();
    json_object_set_new(root, "variant", json_string(sets->variant->name));
    json_object_set_new(root, "start", start != NULL ? json_string(start) : json_null());
    json_object_set_new(root, "parts", parts_to_json(sets, result));
    json_object_set(root, "epochs", account->epochs);
    json_object_set_new(root, "best_epoch", json_integer(result->best));
    json_object_set_new(root, "interrupted", json_boolean(result->interrupted));
    json_object_set_new(root, "converged", json_boolean(result->converged));
    json_object_set_new(root, "draw_margin", json_number(result->draw_margin));
    json_object_set_new(root, "centipawns_per_logit", json_number(result->centipawns_per_logit));
    json_object_set(root, "warnings", account->warnings);
    json_object_set_new(root, "weights", json_string(account->arguments->output));
    json_object_set_new(root, "sha256", json_string(result->weights.sha256));
    json_object_set_new(root, "support", support_to_json(sets->variant, result->support));
    json_dumpf(root, stdout, JSON_INDENT(2));
    printf("\n");
    json_decref(root);
}

// ---- The fit ----

// What a fit had half written when it was killed.
static void remove_half_written(const char *state) {
    const char *slash = strrchr(state, '/'), *name = slash != NULL ? slash + 1 : state;
    char *folder = slash != NULL ? memory_text("%.*s", (int)(name - state), state) : memory_text(".");
    file_remove_temporaries(folder, name);
    free(folder);
}

// What a fit that was stopped has left is not lost by mistake.
static bool check_state(const struct arguments *a, const char *state, struct error *error) {
    if (a->resume) remove_half_written(state);
    return a->resume || !file_exists(state) ||
           error_set(error, "%s: a fit was stopped here; --resume goes on with it, or remove this file",
                     state);
}

static bool read_config(const struct arguments *a, struct fit_config *config, struct error *error) {
    if (!fit_config_read(a->config, a->sets, a->set_count, config, error)) return false;
    fit_config_override(config, &a->common);
    config->settings.resume = a->resume;
    return true;
}

static bool write_and_tell(const struct account *account, const struct fit_config *config,
                           const struct sample_sets *sets, struct fit_result *result, struct error *error) {
    const struct arguments *a = account->arguments;
    if (!weights_write(a->output, &result->weights, error)) return false;
    warn_of_few(account, config, sets, result);
    warn_of_descent(account, &config->settings, result);
    if (a->common.json)
        print_json(account, sets, config->start, result);
    else
        print_end(account, sets, config->start, result);
    return !result->interrupted ||
           error_set(error, "interrupted: %s holds the best weights so far, of epoch %d; --resume goes on",
                     a->output, result->best);
}

static bool fit_and_write(struct account *account, const struct fit_config *config, struct sample_sets *sets,
                          const char *state, struct error *error) {
    const struct arguments *a = account->arguments;
    struct weights start;
    struct fit_result result;
    if (!fit_config_read_start(config, sets->variant, &start, error)) return false;
    if (!a->common.json && !a->common.quiet) print_head(sets, config->start);
    warn_of_results(account, &sets->part[SPLIT_TRAIN]);
    warn_of_scores(account, &sets->part[SPLIT_TRAIN]);
    struct fit_settings settings = config->settings;
    settings.state = state;
    settings.show_progress = !a->common.quiet;
    bool done = fit_weights(sets, &start, &settings, tell_epoch, account, &result, error);
    if (done) {
        done = write_and_tell(account, config, sets, &result, error);
        fit_result_free(&result);
    }
    weights_free(&start);
    return done;
}

static bool run(const struct arguments *a, const struct variant *wanted, const struct fit_config *config,
                struct error *error) {
    struct account account = {.arguments = a, .epochs = json_array(), .warnings = json_array()};
    struct sample_sets sets;
    const char *const read[] = {a->config, config->start};
    char *state = memory_text("%s.state", a->output);
    bool done =
        check_state(a, state, error) && output_check_paths(a->output, a->data, a->data_count, error) &&
        output_check_paths(a->output, read, config->start != NULL ? 2 : 1, error) &&
        samples_read(a->data, a->data_count, wanted, &config->settings.choice, a->common.quiet, &sets, error);
    if (done) {
        done = fit_and_write(&account, config, &sets, state, error);
        samples_free(&sets);
    }
    free(state);
    json_decref(account.epochs);
    json_decref(account.warnings);
    return done;
}

int tune_fit_run(int argc, char **argv) {
    struct arguments a = {0};
    struct error error;
    if (argp_parse(&fit_argp, argc, argv, 0, NULL, &a) != 0) return EXIT_USAGE;
    const struct variant *wanted = NULL;
    struct fit_config config;
    int code = EXIT_DONE;
    if ((a.common.variant != NULL && (wanted = variant_find(a.common.variant, &error)) == NULL) ||
        !read_config(&a, &config, &error)) {
        code = options_fail(argv[0], EXIT_USAGE, &error);
    } else {
        if (!run(&a, wanted, &config, &error)) code = options_fail(argv[0], EXIT_FAILED, &error);
        fit_config_free(&config);
    }
    free(a.data);
    free(a.sets);
    return code;
}
