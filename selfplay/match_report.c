// match_report.c -- the result of a match as text and as JSON.

#include "selfplay/match_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/notation.h"
#include "core/support/memory.h"
#include "selfplay/ratings.h"

#define RULE "--------------------------------------------------\n"

enum { NUMBER_SIZE = 32, SHOWN_OPENINGS = 30 };

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

static uint64_t games_of(const struct match_score *score) {
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
    if (settings->engine_count > 2) {
        fprintf(out, "Results of %d engines (%s, %" PRIu64 " games of each two", settings->engine_count,
                settings->gauntlet ? "gauntlet" : "round robin", settings->games);
    } else {
        fprintf(out, "Results of %s vs %s (", a->name, b->name);
        print_both(out, name_limit(a).text, name_limit(b).text);
        char hash[2][NUMBER_SIZE];
        for (int i = 0; i < 2; i++) snprintf(hash[i], NUMBER_SIZE, "%dMB", settings->engines[i].hash);
        fprintf(out, ", ");
        print_both(out, hash[0], hash[1]);
    }
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
            games_of(score), games[2], games[0], games[1], points(score),
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

static void print_endings(FILE *out, const char *title, const uint64_t count[static TERMINATION_COUNT]) {
    fprintf(out, "%s", title);
    const char *separator = "";
    for (int i = 0; i < TERMINATION_COUNT; i++) {
        if (count[i] == 0) continue;
        fprintf(out, "%s %s %" PRIu64, separator, termination_names[i], count[i]);
        separator = ",";
    }
    if (*separator == '\0') fprintf(out, " -");
}

// How games ended; each has two engines.
static void sum_endings(const struct match_settings *settings, const struct match_result *result,
                        uint64_t sum[static TERMINATION_COUNT]) {
    for (int i = 0; i < TERMINATION_COUNT; i++) {
        sum[i] = 0;
        for (int e = 0; e < settings->engine_count; e++) {
            for (int kind = 0; kind < GAME_KINDS; kind++) sum[i] += result->ends[e].count[kind][i];
        }
        sum[i] /= 2;
    }
}

static void print_ends(FILE *out, const struct match_settings *settings, const struct match_result *result) {
    uint64_t sum[TERMINATION_COUNT];
    sum_endings(settings, result, sum);
    print_endings(out, "Ends:", sum);
    fprintf(out, "\n");
    for (int e = 0; e < settings->engine_count; e++) {
        const struct match_ends *ends = &result->ends[e];
        fprintf(out, "  %s", settings->engines[e].name);
        print_endings(out, " won:", ends->count[2]);
        print_endings(out, "; lost:", ends->count[0]);
        print_endings(out, "; drew:", ends->count[1]);
        fprintf(out, "\n");
        if (*ends->reason.text != '\0') fprintf(out, "    last failure: %s\n", ends->reason.text);
    }
}

// Those of a list that were played, by line.
struct tally {
    int index, line;
    uint64_t games;
};

static int compare_tallies(const void *a, const void *b) {
    const struct tally *x = a, *y = b;
    return x->line < y->line ? -1 : x->line > y->line;
}

// The played openings of a list by line, *count of them; freed by the caller.
static struct tally *find_tallies(const struct match_settings *settings, const struct match_result *result,
                                  int *count) {
    const int all = opening_list_count(settings->list);
    struct tally *tallies = memory_new((size_t)all, sizeof *tallies);
    *count = 0;
    for (int i = 0; i < all; i++) {
        const uint64_t *white = result->openings[i].white;
        const uint64_t games = white[0] + white[1] + white[2];
        if (games > 0) tallies[(*count)++] = (struct tally){i, opening_list_line(settings->list, i), games};
    }
    qsort(tallies, (size_t)*count, sizeof *tallies, compare_tallies);
    return tallies;
}

static void print_openings(FILE *out, const struct match_settings *settings,
                           const struct match_result *result) {
    if (result->openings == NULL) return;
    int count;
    struct tally *tallies = find_tallies(settings, result, &count);
    fprintf(out, "Openings of %s:\n", settings->openings_text);
    for (int i = 0; i < count && i < SHOWN_OPENINGS; i++) {
        const struct match_opening *opening = &result->openings[tallies[i].index];
        const uint64_t *white = opening->white, *first = opening->first;
        fprintf(out, "  %d: %" PRIu64 " games, White +%" PRIu64 " =%" PRIu64 " -%" PRIu64, tallies[i].line,
                tallies[i].games, white[2], white[1], white[0]);
        if (settings->engine_count == 2)
            fprintf(out, ", %s +%" PRIu64 " =%" PRIu64 " -%" PRIu64, settings->engines[0].name, first[2],
                    first[1], first[0]);
        fprintf(out, "\n");
    }
    if (count > SHOWN_OPENINGS) fprintf(out, "  and %d more\n", count - SHOWN_OPENINGS);
    free(tallies);
}

static void print_remarks(FILE *out, const struct match_result *result) {
    if (result->odd > 0)
        fprintf(out, "Odd: %" PRIu64 " finished games of pairs that are not, which do not count\n",
                result->odd);
    if (result->replays > 0)
        fprintf(out,
                "Played again: %" PRIu64 " games lost on time after this program was held up for %.1f s\n",
                result->replays, result->held_up);
    if (result->duplicates > 0)
        fprintf(out,
                "Duplicates: %" PRIu64 " games that were played before, move for move: they say nothing new, "
                "but count above\n",
                result->duplicates);
}

static void print_match(FILE *out, const struct match_settings *settings, const struct match_result *result) {
    print_estimates(out, &result->scores[0]);
    print_counts(out, &result->scores[0]);
    if (settings->has_sprt) print_test(out, &settings->sprt, result->llr);
}

// ---- tournaments

// An engine's results against all others.
struct standing {
    int engine;
    uint64_t games[GAME_KINDS];
    struct rating rating;
};

static uint64_t standing_games(const struct standing *s) { return s->games[0] + s->games[1] + s->games[2]; }

static double points_of(const struct standing *s) { return (double)s->games[2] + (double)s->games[1] / 2; }

// By rating, those without games last, then in the order in which they were given.
static int compare_standings(const void *a, const void *b) {
    const struct standing *x = a, *y = b;
    if (isnan(x->rating.elo) != isnan(y->rating.elo)) return isnan(x->rating.elo) ? 1 : -1;
    if (x->rating.elo != y->rating.elo && !isnan(x->rating.elo))
        return x->rating.elo < y->rating.elo ? 1 : -1;
    return x->engine < y->engine ? -1 : 1;
}

// One entry an engine, the best first; freed by the caller.
static struct standing *find_standings(const struct match_settings *settings,
                                       const struct match_result *result) {
    const size_t engines = (size_t)settings->engine_count, scores = (size_t)result->score_count;
    struct meeting *meetings = memory_new(scores, sizeof *meetings);
    struct rating *ratings = memory_new(engines, sizeof *ratings);
    struct standing *standings = memory_new(engines, sizeof *standings);
    for (size_t i = 0; i < scores; i++) {
        const struct match_score *score = &result->scores[i];
        meetings[i] = (struct meeting){{score->engines[0], score->engines[1]}, score->pairs};
        for (int kind = 0; kind < GAME_KINDS; kind++) {
            standings[score->engines[0]].games[kind] += score->games.count[kind];
            standings[score->engines[1]].games[GAME_KINDS - 1 - kind] += score->games.count[kind];
        }
    }
    ratings_fit(meetings, result->score_count, settings->engine_count, ratings);
    for (size_t i = 0; i < engines; i++) {
        standings[i].engine = (int)i;
        standings[i].rating = ratings[i];
    }
    qsort(standings, engines, sizeof *standings, compare_standings);
    free(ratings);
    free(meetings);
    return standings;
}

static int name_width(const struct match_settings *settings) {
    size_t width = strlen("Engine");
    for (int i = 0; i < settings->engine_count; i++) {
        const size_t length = strlen(settings->engines[i].name);
        if (length > width) width = length;
    }
    return (int)width;
}

static void print_standings(FILE *out, const struct match_settings *settings,
                            const struct match_result *result) {
    const int width = name_width(settings);
    struct standing *standings = find_standings(settings, result);
    fprintf(out, "Rank  %-*s %8s %8s %8s %8s %8s %8s %10s %8s\n", width, "Engine", "Elo", "+/-", "Games",
            "Wins", "Losses", "Draws", "Points", "Score");
    for (int i = 0; i < settings->engine_count; i++) {
        const struct standing *s = &standings[i];
        const double games = (double)standing_games(s);
        fprintf(out, "%4d  %-*s %8s %8s %8" PRIu64 " %8" PRIu64 " %8" PRIu64 " %8" PRIu64 " %10.1f %7s%%\n",
                i + 1, width, settings->engines[s->engine].name, number(s->rating.elo, 1).text,
                number(s->rating.error, 1).text, standing_games(s), s->games[2], s->games[0], s->games[1],
                points_of(s), number(100 * points_of(s) / games, 1).text);
    }
    free(standings);
}

static void print_meetings(FILE *out, const struct match_settings *settings,
                           const struct match_result *result) {
    for (int i = 0; i < result->score_count; i++) {
        const struct match_score *score = &result->scores[i];
        const uint64_t *games = score->games.count, *pairs = score->pairs.count;
        fprintf(out,
                "  %s vs %s: +%" PRIu64 " =%" PRIu64 " -%" PRIu64 ", Ptnml(0-2): [%" PRIu64 ", %" PRIu64
                ", %" PRIu64 ", %" PRIu64 ", %" PRIu64 "]\n",
                settings->engines[score->engines[0]].name, settings->engines[score->engines[1]].name,
                games[2], games[1], games[0], pairs[0], pairs[1], pairs[2], pairs[3], pairs[4]);
    }
}

char *match_report_text(const struct match_settings *settings, const struct match_result *result) {
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL) abort();  // out of memory
    const bool tournament = settings->engine_count > 2;
    fprintf(out, RULE);
    print_conditions(out, settings);
    if (tournament)
        print_standings(out, settings, result);
    else
        print_match(out, settings, result);
    fprintf(out, RULE);
    if (settings->has_sprt) print_verdict(out, &settings->sprt, result->verdict);
    if (tournament) print_meetings(out, settings, result);
    print_ends(out, settings, result);
    print_openings(out, settings, result);
    print_remarks(out, result);
    fclose(out);
    return text;
}

void match_note(const struct match_settings *settings, const struct match_result *result,
                char text[static MATCH_NOTE_SIZE]) {
    if (settings->engine_count > 2) {
        struct standing *standings = find_standings(settings, result);
        snprintf(text, MATCH_NOTE_SIZE, "%.40s leads, %s Elo", settings->engines[standings[0].engine].name,
                 number(standings[0].rating.elo, 0).text);
        free(standings);
        return;
    }
    const struct outcomes *outcomes = &result->scores[0].games;
    const uint64_t *games = outcomes->count;
    const int length = snprintf(
        text, MATCH_NOTE_SIZE, "%.40s +%" PRIu64 " =%" PRIu64 " -%" PRIu64 " (%.1f%%)",
        settings->engines[0].name, games[2], games[1], games[0], 100 * outcomes_estimate(outcomes).score);
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

// Bytes of the first character of a text, 0 when it is none of UTF-8.
static size_t character_size(const char *text, size_t left) {
    for (size_t size = 1; size <= 4 && size <= left; size++) {
        json_t *character = json_stringn(text, size);
        json_decref(character);
        if (character != NULL) return size;
    }
    return 0;
}

// What a program said, which JSON has to hold whatever it is: "?" for each byte that is not UTF-8.
static json_t *said(const char *text) {
    char *repaired = memory_text("%s", text);
    const size_t length = strlen(repaired);
    for (size_t at = 0; at < length;) {
        const size_t size = character_size(repaired + at, length - at);
        if (size == 0) repaired[at] = '?';
        at += size > 0 ? size : 1;
    }
    json_t *string = json_string(repaired);
    free(repaired);
    return string;
}

json_t *match_game_json(const struct match_settings *settings, const struct match_pair *pair, int game) {
    static const char *const results[] = {"0-1", "1/2-1/2", "1-0"};
    const struct match_game *match_game = &pair->games[game];
    const struct played_game *played = &match_game->played;
    const int *engines = match_game->engines;
    const bool first_is_white = engines[WHITE] == pair->engines[0];
    const uint64_t nodes[] = {played->nodes[first_is_white ? WHITE : BLACK],
                              played->nodes[first_is_white ? BLACK : WHITE]};
    const struct position opening = match_game_opening(settings, match_game);
    char fen[FEN_TEXT_SIZE];
    position_to_fen(settings->variant, &opening, fen);
    json_t *root = json_object();
    set(root, "type", json_string("game"));
    set(root, "pair", whole(pair->number));
    set(root, "game", json_integer(game));
    set(root, "white", json_string(settings->engines[engines[WHITE]].name));
    set(root, "black", json_string(settings->engines[engines[BLACK]].name));
    set(root, "result", json_string(results[1 + played->result]));
    set(root, "termination", json_string(termination_names[played->termination]));
    if (*played->reason.text != '\0') set(root, "reason", said(played->reason.text));
    set(root, "opening", json_string(fen));
    set(root, "opening_plies", json_integer(played->random_plies));
    set(root, "plies", json_integer(played->plies));
    set(root, "nodes", wholes(nodes, 2));
    if (match_game->replays > 0) set(root, "played_again", json_integer(match_game->replays));
    if (match_game->duplicate) set(root, "duplicate", json_true());
    return root;
}

static json_t *engines_json(const struct match_settings *settings) {
    json_t *array = json_array();
    for (int i = 0; i < settings->engine_count; i++) {
        const struct match_engine *engine = &settings->engines[i];
        json_t *root = json_object();
        set(root, "name", json_string(engine->name));
        if (engine->command != NULL)
            set(root, "command", json_string(engine->command));
        else if (engine->external)
            set(root, "address", json_string(engine->address));
        else
            set(root, "weights",
                json_string(engine->weights_path != NULL ? engine->weights_path : "default"));
        if (!engine->external) set(root, "weights_sha256", json_string(engine->weights.sha256));
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

static json_t *endings_json(const uint64_t count[static TERMINATION_COUNT]) {
    json_t *root = json_object();
    for (int i = 0; i < TERMINATION_COUNT; i++) {
        if (count[i] > 0) set(root, termination_names[i], whole(count[i]));
    }
    return root;
}

static json_t *ends_json(const struct match_settings *settings, const struct match_result *result) {
    json_t *array = json_array();
    for (int i = 0; i < settings->engine_count; i++) {
        const struct match_ends *ends = &result->ends[i];
        json_t *root = json_object();
        set(root, "name", json_string(settings->engines[i].name));
        set(root, "won", endings_json(ends->count[2]));
        set(root, "lost", endings_json(ends->count[0]));
        set(root, "drew", endings_json(ends->count[1]));
        if (*ends->reason.text != '\0') set(root, "last_failure", said(ends->reason.text));
        json_array_append_new(array, root);
    }
    return array;
}

static json_t *nodes_json(const struct match_settings *settings, const struct match_result *result) {
    json_t *array = json_array();
    for (int i = 0; i < settings->engine_count; i++)
        json_array_append_new(array, whole(result->ends[i].nodes));
    return array;
}

static void add_score(json_t *root, const struct match_score *score) {
    set(root, "wins", whole(score->games.count[2]));
    set(root, "losses", whole(score->games.count[0]));
    set(root, "draws", whole(score->games.count[1]));
    add_estimates(root, score);
    set(root, "ptnml", wholes(score->pairs.count, PAIR_KINDS));
    set(root, "win_loss_pairs", whole(score->win_loss));
    set(root, "draw_draw_pairs", whole(score->draw_draw));
}

static json_t *meetings_json(const struct match_settings *settings, const struct match_result *result) {
    json_t *array = json_array();
    for (int i = 0; i < result->score_count; i++) {
        const struct match_score *score = &result->scores[i];
        json_t *root = json_object();
        set(root, "first", json_string(settings->engines[score->engines[0]].name));
        set(root, "second", json_string(settings->engines[score->engines[1]].name));
        set(root, "games", whole(games_of(score)));
        add_score(root, score);
        json_array_append_new(array, root);
    }
    return array;
}

static json_t *standings_json(const struct match_settings *settings, const struct match_result *result) {
    json_t *array = json_array();
    struct standing *standings = find_standings(settings, result);
    for (int i = 0; i < settings->engine_count; i++) {
        const struct standing *s = &standings[i];
        json_t *root = json_object();
        set(root, "name", json_string(settings->engines[s->engine].name));
        set(root, "elo", real(s->rating.elo));
        set(root, "elo_error", real(s->rating.error));
        set(root, "games", whole(standing_games(s)));
        set(root, "wins", whole(s->games[2]));
        set(root, "losses", whole(s->games[0]));
        set(root, "draws", whole(s->games[1]));
        json_array_append_new(array, root);
    }
    free(standings);
    return array;
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
    json_t *root = settings_json(settings);
    uint64_t endings[TERMINATION_COUNT];
    sum_endings(settings, result, endings);
    set(root, "games", whole(result->games));
    if (settings->engine_count == 2) {
        add_score(root, &result->scores[0]);
    } else {
        set(root, "ratings", standings_json(settings, result));
        set(root, "meetings", meetings_json(settings, result));
    }
    set(root, "odd_games", whole(result->odd));
    set(root, "duplicates", whole(result->duplicates));
    set(root, "played_again", whole(result->replays));
    set(root, "held_up", real(result->held_up));
    set(root, "terminations", endings_json(endings));
    set(root, "ends", ends_json(settings, result));
    set(root, "plies", whole(result->plies));
    set(root, "nodes", nodes_json(settings, result));
    if (settings->has_sprt) set(root, "sprt", test_json(&settings->sprt, result));
    set(root, "finished", json_boolean(result->end == MATCH_AT_LIMIT || result->end == MATCH_DECIDED));
    set(root, "seconds", real(result->seconds));
    return root;
}
