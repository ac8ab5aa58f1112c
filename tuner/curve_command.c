// curve_command.c -- huff-tune curve: fits to an eighth, a quarter, a half and all of the training games, and
// whether more of them would help.
//
// All fits are judged on the same games, those held out for validation and test, by the cross entropy with
// their results. Positions of one game are alike, so the error of a difference comes from its sums by games.

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/support/memory.h"
#include "core/support/options.h"
#include "core/support/progress.h"
#include "selfplay/summary.h"
#include "tuner/fit_config.h"
#include "tuner/tune.h"

enum { OPTION_SET = 0x200, POINTS = 4 };
static const double shares[POINTS] = {0.125, 0.25, 0.5, 1};
static const char *const share_names[POINTS] = {"1/8", "1/4", "1/2", "all"};
enum { LEAST_HELD_OUT = 50 };  // games, with fewer of which nothing is concluded
// Doublings that gain less than this part of what all games gained over the start are not worth while.
#define WORTH_WHILE 0.03

struct arguments {
    struct common_options common;
    const char *config;
    const char **data, **sets;
    int data_count, set_count;
};

// One point of the curve.
struct point {
    uint64_t games, positions;
    int epochs, weights;  // weights: that these games have something to say about
    double loss;          // on the held-out games
    double *by_game;      // the sum over the positions of each game of the data
};

struct curve {
    struct point points[POINTS];
    int count;  // of them that are done
    double start_loss;
    double *weight;  // the sum of the positions' weights by game
    double whole;    // of all games
    uint64_t games;  // of the data
    uint64_t held_out;
};

// ---- The command line ----

static const struct argp_option option_list[] = {
    {"set", OPTION_SET, "KEY=VALUE", 0, "Overrides a key of the configuration (l2.KING=5); repeatable", 0},
    {0},
};

static error_t parse(int key, char *text, struct argp_state *state) {
    struct arguments *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &a->common; return 0;
    case OPTION_SET: options_append(&a->sets, &a->set_count, text); return 0;
    case ARGP_KEY_ARG:
        if (a->config == NULL)
            a->config = text;
        else
            options_append(&a->data, &a->data_count, text);
        return 0;
    case ARGP_KEY_END:
        if (a->config == NULL) argp_error(state, "expected a configuration file and datasets");
        if (a->data_count == 0) argp_error(state, "expected datasets: files or folders of runs");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&options_common, 0, "Common options:", 0}, {0}};
static const struct argp curve_argp = {
    .options = option_list,
    .parser = parse,
    .args_doc = "CONFIG.yaml DATA...",
    .doc = "Says whether more games would help: fits to 1/8, 1/4, 1/2 and all of the training games, judged "
           "on the same games that were held out."
           "\vThe configuration is one of huff-tune fit. Losses are cross entropies with the results of the "
           "held-out games (validation and test). Nothing is written.",
    .children = children,
};

// ---- Judging ----

// Of the result and what a score promises.
static double cross_entropy(double points, double z) { return softplus(z) - points * z; }

// Adds to by_game what weights lose on one part; by_game may be NULL. Returns the sum.
static double add_losses(const struct weights *weights, double centipawns_per_logit,
                         const struct samples *samples, double *by_game) {
    double sum = 0;
    for (size_t i = 0; i < samples->count; i++) {
        const struct sample *sample = &samples->sample[i];
        const int score = eval_score(weights, &sample->position);
        const double white = position_turn(&sample->position) == WHITE ? score : -score;
        const double loss =
            (double)sample->weight * cross_entropy(sample_points(sample), white / centipawns_per_logit);
        if (by_game != NULL) by_game[sample->game] += loss;
        sum += loss;
    }
    return sum;
}

static double held_out_loss(const struct curve *curve, const struct weights *weights,
                            double centipawns_per_logit, const struct sample_sets *sets, double *by_game) {
    return (add_losses(weights, centipawns_per_logit, &sets->part[SPLIT_VALIDATION], by_game) +
            add_losses(weights, centipawns_per_logit, &sets->part[SPLIT_TEST], by_game)) /
           curve->whole;
}

// The held-out games are the same for every share.
static void count_held_out(struct curve *curve, const struct sample_sets *sets) {
    curve->games = sets->games;
    curve->held_out = sets->part[SPLIT_VALIDATION].games + sets->part[SPLIT_TEST].games;
    curve->weight = memory_new(sets->games, sizeof *curve->weight);
    for (int part = SPLIT_VALIDATION; part <= SPLIT_TEST; part++) {
        const struct samples *samples = &sets->part[part];
        for (size_t i = 0; i < samples->count; i++) {
            curve->weight[samples->sample[i].game] += (double)samples->sample[i].weight;
            curve->whole += (double)samples->sample[i].weight;
        }
    }
}

// By how much the loss of point `to` is lower than that of `from`, and the standard error of that.
static double gain(const struct curve *curve, int from, int to, double *error) {
    const struct point *a = &curve->points[from], *b = &curve->points[to];
    const double mean = a->loss - b->loss;
    double squares = 0;
    for (uint64_t game = 0; game < curve->games; game++) {
        const double off = a->by_game[game] - b->by_game[game] - mean * curve->weight[game];
        squares += off * off;
    }
    *error = sqrt(squares) / curve->whole;
    return mean;
}

// ---- One point ----

// Held-out loss of weights at the scale that suits the training games best, however draws were counted.
static bool judge(const struct curve *curve, const struct weights *weights, struct sample_sets *sets,
                  double *by_game, double *loss, struct error *error) {
    double scale;
    bool more;
    samples_rewind(sets, 0, 0);  // a fit has passed over the last load
    if (!samples_next(sets, &more, error)) return false;
    if (!fit_scale_of_weights(weights, &sets->part[SPLIT_TRAIN], &scale))
        return error_set(error, "the side that the weights prefer does not win more of the training games");
    *loss = held_out_loss(curve, weights, scale, sets, by_game);
    return true;
}

static bool fit_point(struct curve *curve, const struct fit_config *config, const struct weights *start,
                      struct sample_sets *sets, struct error *error) {
    struct fit_result result;
    if (curve->count == 0) {
        count_held_out(curve, sets);
        if (!judge(curve, start, sets, NULL, &curve->start_loss, error)) return false;
    }
    if (!fit_weights(sets, start, &config->settings, NULL, NULL, &result, error)) return false;
    struct point point = {.games = sets->part[SPLIT_TRAIN].games,
                          .positions = sets->part[SPLIT_TRAIN].chosen,
                          .epochs = result.epochs,
                          .weights = result.weights_seen + result.views_seen,
                          .by_game = memory_new(curve->games, sizeof *point.by_game)};
    const bool done = result.interrupted
                          ? error_set(error, "interrupted")
                          : judge(curve, &result.weights, sets, point.by_game, &point.loss, error);
    if (done)
        curve->points[curve->count++] = point;
    else
        free(point.by_game);
    fit_result_free(&result);
    return done;
}

static bool run_point(struct curve *curve, const struct arguments *a, const struct variant *wanted,
                      const struct fit_config *config, struct error *error) {
    struct sample_choice choice = config->settings.choice;
    choice.share *= shares[curve->count];
    struct sample_sets sets;
    struct weights start;
    if (!samples_read(a->data, a->data_count, wanted, &choice, a->common.quiet, &sets, error)) return false;
    bool done = fit_config_read_start(config, sets.variant, &start, error);
    if (done) {
        done = fit_point(curve, config, &start, &sets, error);
        weights_free(&start);
    }
    samples_free(&sets);
    return done;
}

// ---- What is told ----

enum verdict { MORE_HELP, ENOUGH, UNCLEAR };
static const char *const verdict_names[] = {"more would help", "enough", "unclear"};

struct finding {
    enum verdict verdict;
    double gain, error;  // of the last doubling, with its standard error
    char text[512];
};

static struct finding finding_of(const struct curve *curve) {
    struct finding finding;
    double before_error;
    finding.gain = gain(curve, POINTS - 2, POINTS - 1, &finding.error);
    const double before = gain(curve, POINTS - 3, POINTS - 2, &before_error);
    const double all = curve->start_loss - curve->points[POINTS - 1].loss;
    const double most = finding.gain + 2 * finding.error;
    finding.verdict = curve->held_out < LEAST_HELD_OUT                                       ? UNCLEAR
                      : finding.gain > 2 * finding.error && finding.gain > WORTH_WHILE * all ? MORE_HELP
                      : most < WORTH_WHILE * all                                             ? ENOUGH
                                                                                             : UNCLEAR;
    const char *claim = finding.verdict == MORE_HELP ? "More games would help"
                        : finding.verdict == ENOUGH  ? "More games would hardly help"
                                                     : "Whether more games would help is unclear";
    int length = snprintf(finding.text, sizeof finding.text,
                          "%s: the last doubling changed the loss on %" PRIu64
                          " held-out games by %+.5f +/- %.5f, the one before by %+.5f",
                          claim, curve->held_out, -finding.gain, 2 * finding.error, -before);
    if (finding.verdict == MORE_HELP && before > finding.gain)
        length +=
            snprintf(finding.text + length, sizeof finding.text - (size_t)length,
                     "; at this rate the next would by about %+.5f", -finding.gain * finding.gain / before);
    if (finding.verdict == UNCLEAR)
        length += snprintf(finding.text + length, sizeof finding.text - (size_t)length,
                           ", which so few held-out games cannot tell from nothing");
    snprintf(finding.text + length, sizeof finding.text - (size_t)length, ".");
    return finding;
}

static void print_head(void) {
    printf("%5s %9s %11s %8s %7s %14s %18s\n", "share", "games", "positions", "weights", "epochs",
           "held-out loss", "against half of it");
}

static void print_point(const struct curve *curve) {
    const int last = curve->count - 1;
    const struct point *point = &curve->points[last];
    char change[64] = "";
    if (last > 0) {
        double error;
        const double lower = gain(curve, last - 1, last, &error);
        snprintf(change, sizeof change, "%+.5f +/- %.5f", -lower, 2 * error);
    }
    printf("%5s %9" PRIu64 " %11" PRIu64 " %8d %7d %14.5f %22s\n", share_names[last], point->games,
           point->positions, point->weights, point->epochs, point->loss, change);
    fflush(stdout);
}

static void print_json(const struct curve *curve, const struct finding *finding) {
    json_t *points = json_array();
    for (int i = 0; i < curve->count; i++) {
        const struct point *point = &curve->points[i];
        json_array_append_new(points, json_pack("{s:f, s:I, s:I, s:i, s:i, s:f}", "share", shares[i], "games",
                                                (json_int_t)point->games, "positions",
                                                (json_int_t)point->positions, "weights", point->weights,
                                                "epochs", point->epochs, "held_out_loss", point->loss));
    }
    json_print(json_pack("{s:o, s:I, s:f, s:f, s:f, s:s, s:s}", "points", points, "held_out_games",
                         (json_int_t)curve->held_out, "start_loss", curve->start_loss, "last_gain",
                         finding->gain, "last_gain_error", 2 * finding->error, "verdict",
                         verdict_names[finding->verdict], "text", finding->text));
}

// ---- The command ----

static bool run(const struct arguments *a, const struct variant *wanted, const struct fit_config *config,
                struct curve *curve, struct error *error) {
    if (!a->common.json) print_head();
    while (curve->count < POINTS) {
        if (!a->common.quiet) fprintf(stderr, "fit to %s of the training games\n", share_names[curve->count]);
        if (!run_point(curve, a, wanted, config, error))
            return interrupted() ? error_set(error, "interrupted") : false;
        if (!a->common.json) print_point(curve);
    }
    const struct finding finding = finding_of(curve);
    if (a->common.json)
        print_json(curve, &finding);
    else
        printf("of %s alone: %.5f\n%s\n", config->start != NULL ? config->start : "material",
               curve->start_loss, finding.text);
    return true;
}

static bool read_config(const struct arguments *a, struct fit_config *config, struct error *error) {
    if (!fit_config_read(a->config, a->sets, a->set_count, config, error)) return false;
    fit_config_override(config, &a->common);
    return true;
}

int tune_curve_run(int argc, char **argv) {
    struct arguments a = {0};
    struct error error;
    if (argp_parse(&curve_argp, argc, argv, 0, NULL, &a) != 0) return EXIT_USAGE;
    const struct variant *wanted = NULL;
    struct fit_config config;
    struct curve curve = {.count = 0};
    int code = EXIT_DONE;
    if ((a.common.variant != NULL && (wanted = variant_find(a.common.variant, &error)) == NULL) ||
        !read_config(&a, &config, &error)) {
        code = options_fail(argv[0], EXIT_USAGE, &error);
    } else {
        if (!run(&a, wanted, &config, &curve, &error)) code = options_fail(argv[0], EXIT_FAILED, &error);
        fit_config_free(&config);
    }
    for (int i = 0; i < curve.count; i++) free(curve.points[i].by_game);
    free(curve.weight);
    free(a.data);
    free(a.sets);
    return code;
}
