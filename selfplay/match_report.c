// match_report.c -- the result of a match as text and as JSON.

#include "selfplay/match_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/notation.h"

#define RULE "--------------------------------------------------\n"

enum { NUMBER_SIZE = 32 };

// ---- text

// What is not determined is "-".
struct number {
    char text[NUMBER_SIZE];
};

static struct number number(double value, int decimals) {
    struct number number;
    if (isnan(value))
        snprintf(number.text, sizeof number.text, "-");
    else if (isinf(value))
        snprintf(number.text, sizeof number.text, value > 0 ? "inf" : "-inf");
    else
        snprintf(number.text, sizeof number.text, "%.*f", decimals,
                 fabs(value) < 0.5 * pow(10, -decimals) ? 0 : value);  // not "-0.00"
    return number;
}

struct limit {
    char text[2 * NUMBER_SIZE];
};

static struct limit name_limit(const struct match_engine *engine) {
    const struct search_limits *limits = &engine->limits;
    const struct time_control *clock = &engine->clock;
    struct limit limit;
    if (clock->seconds > 0 && clock->moves > 0)
        snprintf(limit.text, sizeof limit.text, "%d/%g+%g", clock->moves, clock->seconds, clock->increment);
    else if (clock->seconds > 0)
        snprintf(limit.text, sizeof limit.text, "%g+%g", clock->seconds, clock->increment);
    else if (limits->nodes > 0)
        snprintf(limit.text, sizeof limit.text, "nodes %" PRIu64, limits->nodes);
    else if (limits->depth > 0)
        snprintf(limit.text, sizeof limit.text, "depth %d", limits->depth);
    else
        snprintf(limit.text, sizeof limit.text, "movetime %g", limits->seconds);
    return limit;
}

static uint64_t count_games(const struct match_score *score) {
    return score->games.count[0] + score->games.count[1] + score->games.count[2];
}

static double points(const struct match_score *score) {
    return (double)score->games.count[2] + (double)score->games.count[1] / 2;
}

// "nodes 500" or "nodes 400 - nodes 100", when the engines differ.
static void print_both(FILE *out, const char *first, const char *second) {
    fprintf(out, "%s", first);
    if (strcmp(first, second) != 0) fprintf(out, " - %s", second);
}

static void print_conditions(FILE *out, const struct match_settings *settings) {
    const struct match_engine *a = &settings->engines[0], *b = &settings->engines[1];
    fprintf(out, "Results of %s vs %s (", a->name, b->name);
    print_both(out, name_limit(a).text, name_limit(b).text);
    fprintf(out, ", ");
    char hash[MATCH_ENGINES][NUMBER_SIZE];
    for (int i = 0; i < MATCH_ENGINES; i++) snprintf(hash[i], NUMBER_SIZE, "%dMB", settings->engines[i].hash);
    print_both(out, hash[0], hash[1]);
    fprintf(out, ", %s, %s, seed %" PRIu64 "):\n", settings->variant->name, settings->openings_text,
            settings->seed);
}

static void print_estimates(FILE *out, const struct match_score *score) {
    const struct estimate e = outcomes_estimate(&score->pairs);
    fprintf(out, "Elo: %s +/- %s, nElo: %s +/- %s\n", number(e.elo, 2).text, number(e.elo_error, 2).text,
            number(e.nelo, 2).text, number(e.nelo_error, 2).text);
    fprintf(out, "LOS: %s %%, DrawRatio: %s %%, PairsRatio: %s\n", number(100 * e.los, 2).text,
            number(100 * e.draw_ratio, 2).text, number(e.pairs_ratio, 2).text);
}

static void print_counts(FILE *out, const struct match_score *score) {
    const uint64_t *games = score->games.count, *pairs = score->pairs.count;
    fprintf(out,
            "Games: %" PRIu64 ", Wins: %" PRIu64 ", Losses: %" PRIu64 ", Draws: %" PRIu64
            ", Points: %.1f (%s %%)\n",
            count_games(score), games[2], games[0], games[1], points(score),
            number(100 * outcomes_estimate(&score->games).score, 2).text);
    fprintf(out,
            "Ptnml(0-2): [%" PRIu64 ", %" PRIu64 ", %" PRIu64 ", %" PRIu64 ", %" PRIu64
            "], WL/DD Ratio: %s\n",
            pairs[0], pairs[1], pairs[2], pairs[3], pairs[4],
            number(count_ratio(score->win_loss, score->draw_draw), 2).text);
}

static void print_test(FILE *out, const struct sprt *test, double llr) {
    double lower, upper;
    sprt_bounds(test, &lower, &upper);
    fprintf(out, "LLR: %s (%.1f%%) (%.2f, %.2f) [%.2f, %.2f]\n", number(llr, 2).text,
            100 * llr / (llr < 0 ? lower : upper), lower, upper, test->elo0, test->elo1);
}

static void print_verdict(FILE *out, const struct sprt *test, enum sprt_verdict verdict) {
    const char *unit = sprt_model_units[test->model];
    if (verdict == SPRT_H1)
        fprintf(out, "H1 accepted: %g %s or more\n", test->elo1, unit);
    else if (verdict == SPRT_H0)
        fprintf(out, "H0 accepted: %g %s or less\n", test->elo0, unit);
    else
        fprintf(out, "Undecided between %g and %g %s\n", test->elo0, test->elo1, unit);
}

static void print_ends(FILE *out, const struct match_score *score) {
    fprintf(out, "Ends:");
    const char *separator = "";
    for (int i = 0; i < TERMINATION_COUNT; i++) {
        if (score->terminations[i] == 0) continue;
        fprintf(out, "%s %s %" PRIu64, separator, termination_names[i], score->terminations[i]);
        separator = ",";
    }
    fprintf(out, "%s\n", *separator == '\0' ? " -" : "");
}

char *match_report_text(const struct match_settings *settings, const struct match_result *result) {
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL) abort();  // out of memory
    fprintf(out, RULE);
    print_conditions(out, settings);
    print_estimates(out, &result->score);
    print_counts(out, &result->score);
    if (settings->has_sprt) print_test(out, &settings->sprt, result->llr);
    fprintf(out, RULE);
    if (settings->has_sprt) print_verdict(out, &settings->sprt, result->verdict);
    print_ends(out, &result->score);
    fclose(out);
    return text;
}

void match_note(const struct match_settings *settings, const struct match_result *result,
                char text[static MATCH_NOTE_SIZE]) {
    const uint64_t *games = result->score.games.count;
    const int length =
        snprintf(text, MATCH_NOTE_SIZE, "%.40s +%" PRIu64 " =%" PRIu64 " -%" PRIu64 " (%.1f%%)",
                 settings->engines[0].name, games[2], games[1], games[0],
                 100 * outcomes_estimate(&result->score.games).score);
    if (settings->has_sprt && length < MATCH_NOTE_SIZE)
        snprintf(text + length, (size_t)(MATCH_NOTE_SIZE - length), ", LLR %.2f", result->llr);
}

// ---- JSON

static json_t *real(double value) { return isfinite(value) ? json_real(value) : json_null(); }
static json_t *whole(uint64_t value) { return json_integer((json_int_t)value); }
static void set(json_t *object, const char *key, json_t *value) { json_object_set_new(object, key, value); }

static json_t *wholes(const uint64_t *values, int count) {
    json_t *array = json_array();
    for (int i = 0; i < count; i++) json_array_append_new(array, whole(values[i]));
    return array;
}

json_t *match_game_json(const struct match_settings *settings, const struct match_pair *pair, int game) {
    static const char *const results[] = {"0-1", "1/2-1/2", "1-0"};
    const struct match_game *played = &pair->games[game];
    char fen[FEN_TEXT_SIZE];
    position_to_fen(settings->variant, &pair->opening, fen);
    json_t *root = json_object();
    set(root, "type", json_string("game"));
    set(root, "pair", whole(pair->number));
    set(root, "game", json_integer(game));
    set(root, "white", json_string(settings->engines[played->white].name));
    set(root, "black", json_string(settings->engines[1 - played->white].name));
    set(root, "result", json_string(results[1 + played->result]));
    set(root, "termination", json_string(termination_names[played->termination]));
    set(root, "opening", json_string(fen));
    set(root, "opening_plies", json_integer(pair->opening_plies));
    set(root, "plies", json_integer(played->plies));
    set(root, "nodes", wholes(played->nodes, MATCH_ENGINES));
    return root;
}

static json_t *engines_json(const struct match_settings *settings) {
    json_t *array = json_array();
    for (int i = 0; i < MATCH_ENGINES; i++) {
        const struct match_engine *engine = &settings->engines[i];
        json_t *root = json_object();
        set(root, "name", json_string(engine->name));
        if (engine->command != NULL)
            set(root, "command", json_string(engine->command));
        else
            set(root, "weights",
                json_string(engine->weights_path != NULL ? engine->weights_path : "material"));
        if (engine->weights_path != NULL) set(root, "weights_sha256", json_string(engine->weights.sha256));
        set(root, "limit", json_string(name_limit(engine).text));
        set(root, "hash", json_integer(engine->hash));
        json_array_append_new(array, root);
    }
    return array;
}

static json_t *settings_json(const struct match_settings *settings) {
    json_t *root = json_object();
    set(root, "type", json_string("match"));
    set(root, "variant", json_string(settings->variant->name));
    set(root, "draw", json_string(settings->draws.name));
    set(root, "openings", json_string(settings->openings_text));
    set(root, "seed", whole(settings->seed));
    set(root, "games_limit", whole(settings->games));
    set(root, "engines", engines_json(settings));
    return root;
}

static void add_estimates(json_t *root, const struct match_score *score) {
    const struct estimate e = outcomes_estimate(&score->pairs);
    set(root, "score", real(e.score));
    set(root, "elo", real(e.elo));
    set(root, "elo_error", real(e.elo_error));
    set(root, "nelo", real(e.nelo));
    set(root, "nelo_error", real(e.nelo_error));
    set(root, "los", real(e.los));
    set(root, "draw_ratio", real(e.draw_ratio));
    set(root, "pairs_ratio", real(e.pairs_ratio));
}

static json_t *terminations_json(const struct match_score *score) {
    json_t *root = json_object();
    for (int i = 0; i < TERMINATION_COUNT; i++) {
        if (score->terminations[i] > 0) set(root, termination_names[i], whole(score->terminations[i]));
    }
    return root;
}

static json_t *test_json(const struct sprt *test, const struct match_result *result) {
    static const char *const verdicts[] = {
        [SPRT_UNDECIDED] = "undecided", [SPRT_H0] = "H0", [SPRT_H1] = "H1"};
    double lower, upper;
    sprt_bounds(test, &lower, &upper);
    json_t *root = json_object();
    set(root, "model", json_string(sprt_model_names[test->model]));
    set(root, "elo0", real(test->elo0));
    set(root, "elo1", real(test->elo1));
    set(root, "alpha", real(test->alpha));
    set(root, "beta", real(test->beta));
    set(root, "llr", real(result->llr));
    set(root, "lower", real(lower));
    set(root, "upper", real(upper));
    set(root, "verdict", json_string(verdicts[result->verdict]));
    return root;
}

json_t *match_summary_json(const struct match_settings *settings, const struct match_result *result) {
    const struct match_score *score = &result->score;
    json_t *root = settings_json(settings);
    set(root, "games", whole(count_games(score)));
    set(root, "wins", whole(score->games.count[2]));
    set(root, "losses", whole(score->games.count[0]));
    set(root, "draws", whole(score->games.count[1]));
    add_estimates(root, score);
    set(root, "ptnml", wholes(score->pairs.count, PAIR_KINDS));
    set(root, "win_loss_pairs", whole(score->win_loss));
    set(root, "draw_draw_pairs", whole(score->draw_draw));
    set(root, "terminations", terminations_json(score));
    set(root, "plies", whole(score->plies));
    set(root, "nodes", wholes(score->nodes, MATCH_ENGINES));
    if (settings->has_sprt) set(root, "sprt", test_json(&settings->sprt, result));
    set(root, "finished", json_boolean(result->end == MATCH_AT_LIMIT || result->end == MATCH_DECIDED));
    set(root, "seconds", real(result->seconds));
    return root;
}
