// loop_record.c -- records of generations to JSON and back, and as lines of tables.

#include "tuner/loop_record.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/support/file.h"
#include "core/support/memory.h"

enum { MOST_BYTES = 1 << 20 };

// ---- The file ----

// The parts that are there are objects, and a fit says what it led to.
static bool check(json_t *record, int generation, const char *path, struct error *error) {
    static const char *const parts[] = {STEP_GAMES, STEP_FIT, STEP_GATE, STEP_FINAL, "seconds"};
    const json_t *number = json_object_get(record, "generation");
    if (!json_is_integer(number) || json_integer_value(number) != generation)
        return error_set(error, "%s: is not the record of generation %d", path, generation);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const json_t *part = json_object_get(record, parts[i]);
        if (part != NULL && !json_is_object(part))
            return error_set(error, "%s: %s: expected an object", path, parts[i]);
    }
    return (!loop_record_has(record, STEP_FIT) || loop_record_weights_sha256(record) != NULL) ||
           error_set(error, "%s: fit: expected weights_sha256", path);
}

json_t *loop_record_read(const char *path, int generation, struct error *error) {
    if (!file_exists(path)) return json_pack("{s:i}", "generation", generation);
    char *text;
    size_t size;
    if (!file_read(path, MOST_BYTES, &text, &size, error)) return NULL;
    json_error_t cause;
    json_t *record = json_loadb(text, size, JSON_REJECT_DUPLICATES, &cause);
    free(text);
    if (record == NULL) {
        error_set(error, "%s:%d: %s", path, cause.line, cause.text);
    } else if (!check(record, generation, path, error)) {
        json_decref(record);
        record = NULL;
    }
    return record;
}

bool loop_record_write(const char *path, const json_t *record, struct error *error) {
    char *dumped = json_dumps(record, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    char *text = memory_text("%s\n", dumped);
    const bool done = file_replace(path, text, strlen(text), error);
    free(text);
    free(dumped);
    return done;
}

// ---- Parts ----

static json_t *whole(uint64_t value) { return json_integer((json_int_t)value); }
static json_t *real(double value) { return isfinite(value) ? json_real(value) : json_null(); }

bool loop_record_has(const json_t *record, const char *step) { return json_object_get(record, step) != NULL; }

void loop_record_add_seconds(json_t *record, const char *step, double seconds) {
    json_t *all = json_object_get(record, "seconds");
    if (all == NULL) json_object_set_new(record, "seconds", all = json_object());
    const double before = json_number_value(json_object_get(all, step));
    json_object_set_new(all, step, json_real(before + seconds));
}

void loop_record_games(json_t *record, const struct summary *summary, uint64_t copies) {
    json_object_set_new(record, STEP_GAMES,
                        json_pack("{s:o, s:o, s:o, s:o}", "games", whole(summary->games), "positions",
                                  whole(summary->positions), "draws", whole(summary->draws), "copies",
                                  whole(copies)));
}

static json_t *by_part(const double loss[PART_COUNT]) {
    json_t *root = json_object();
    for (int part = 0; part < PART_COUNT; part++)
        json_object_set_new(root, part_names[part], real(loss[part]));
    return root;
}

void loop_record_fit(json_t *record, const struct sample_sets *sets, const struct fit_result *result,
                     bool patterns) {
    const struct samples *train = &sets->part[SPLIT_TRAIN];
    json_object_set_new(record, STEP_FIT,
                        json_pack("{s:o, s:o, s:b, s:i, s:i, s:o, s:o, s:f, s:s}", "games",
                                  whole(train->games), "positions", whole(train->chosen), "patterns",
                                  patterns, "epochs", result->epochs, "best", result->best, "loss",
                                  by_part(result->loss), "start_loss", by_part(result->start_loss),
                                  "centipawns_per_logit", result->centipawns_per_logit, "weights_sha256",
                                  result->weights.sha256));
}

void loop_record_match(json_t *record, const char *step, const struct match_settings *settings,
                       const struct match_result *result, const char *against) {
    static const char *const verdicts[] = {
        [SPRT_UNDECIDED] = "undecided", [SPRT_H0] = "H0", [SPRT_H1] = "H1"};
    const struct match_score *score = &result->scores[0];
    const struct estimate estimate = outcomes_estimate(&score->pairs);
    json_t *pairs = json_array();
    for (int i = 0; i < PAIR_KINDS; i++) json_array_append_new(pairs, whole(score->pairs.count[i]));
    json_t *root = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "games", whole(result->games), "pairs", pairs,
                             "score", real(estimate.score), "elo", real(estimate.elo), "elo_error",
                             real(estimate.elo_error), "los", real(estimate.los));
    if (settings->has_sprt) json_object_set_new(root, "verdict", json_string(verdicts[result->verdict]));
    if (against != NULL) json_object_set_new(root, "against", json_string(against));
    json_object_set_new(record, step, root);
}

static double number(const json_t *root, const char *key) {
    const json_t *value = json_object_get(root, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

bool loop_record_judge(json_t *record, double accept_los) {
    json_t *gate = json_object_get(record, STEP_GATE);
    const char *verdict = json_string_value(json_object_get(gate, "verdict"));
    const double score = number(gate, "score"), los = number(gate, "los");
    bool accepted;
    if (verdict != NULL && strcmp(verdict, "undecided") != 0)
        accepted = strcmp(verdict, "H1") == 0;
    else  // without any variance there is no such likelihood
        accepted = score > 0.5 && (isnan(los) || los >= accept_los);
    json_object_set_new(gate, "accepted", json_boolean(accepted));
    return accepted;
}

bool loop_record_accepted(const json_t *record) {
    return json_is_true(json_object_get(json_object_get(record, STEP_GATE), "accepted"));
}

const char *loop_record_weights_sha256(const json_t *record) {
    return json_string_value(json_object_get(json_object_get(record, STEP_FIT), "weights_sha256"));
}

// ---- Tables ----

static double seconds_of(const json_t *record) {
    double sum = 0;
    const char *step;
    json_t *value;
    json_object_foreach(json_object_get((json_t *)record, "seconds"), step, value) {
        if (strcmp(step, STEP_FINAL) != 0) sum += json_number_value(value);
    }
    return sum;
}

struct elo_text {
    char text[48];
};
static struct elo_text elo_text(const json_t *match) {
    struct elo_text elo;
    const double value = number(match, "elo"), error = number(match, "elo_error");
    if (isnan(value))
        snprintf(elo.text, sizeof elo.text, "%.1f %% scored", 100 * number(match, "score"));
    else if (isnan(error))
        snprintf(elo.text, sizeof elo.text, "%+.1f", value);
    else
        snprintf(elo.text, sizeof elo.text, "%+.1f +/- %.1f", value, error);
    return elo;
}

const char loop_table_head[] =
    "gen    games  positions  drawn copies  fitted to  train loss    valid     test patterns"
    "    Elo, over the last      LOS weights    seconds";

char *loop_table_line(const json_t *record) {
    const json_t *games = json_object_get(record, STEP_GAMES), *fit = json_object_get(record, STEP_FIT),
                 *gate = json_object_get(record, STEP_GATE), *loss = json_object_get(fit, "loss");
    const double played = number(games, "games");
    char los[16] = "-";
    if (!isnan(number(gate, "los"))) snprintf(los, sizeof los, "%.1f%%", 100 * number(gate, "los"));
    return memory_text(
        "%3.0f %8.0f %10.0f %5.1f%% %5.1f%% %10.0f %11.5f %8.5f %8.5f %-8s %21s %8s %-8s %9.0f",
        number(record, "generation"), played, number(games, "positions"),
        100 * number(games, "draws") / played, 100 * number(games, "copies") / played, number(fit, "games"),
        number(loss, part_names[SPLIT_TRAIN]), number(loss, part_names[SPLIT_VALIDATION]),
        number(loss, part_names[SPLIT_TEST]), json_is_true(json_object_get(fit, "patterns")) ? "yes" : "no",
        elo_text(gate).text, los, loop_record_accepted(record) ? "accepted" : "kept", seconds_of(record));
}

char *loop_final_text(const json_t *record) {
    const json_t *last = json_object_get(record, STEP_FINAL);
    return memory_text("Elo against %s: %s in %.0f games (%.0f s)",
                       json_string_value(json_object_get(last, "against")), elo_text(last).text,
                       number(last, "games"),
                       json_number_value(json_object_get(json_object_get(record, "seconds"), STEP_FINAL)));
}

const char loop_tsv_head[] =
    "generation\tgames\tpositions\tdraws\tcopies\tfitted_games\tfitted_positions\tpatterns\ttrain_loss\t"
    "validation_loss\ttest_loss\tgate_games\telo\telo_error\tlos\taccepted\tseconds\tweights_sha256\n";

char *loop_tsv_line(const json_t *record) {
    const json_t *games = json_object_get(record, STEP_GAMES), *fit = json_object_get(record, STEP_FIT),
                 *gate = json_object_get(record, STEP_GATE), *loss = json_object_get(fit, "loss");
    return memory_text("%.0f\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f\t%d\t%.6f\t%.6f\t%.6f\t%.0f\t%.2f\t%.2f\t%."
                       "4f\t%d\t%.1f\t%s\n",
                       number(record, "generation"), number(games, "games"), number(games, "positions"),
                       number(games, "draws"), number(games, "copies"), number(fit, "games"),
                       number(fit, "positions"), json_is_true(json_object_get(fit, "patterns")),
                       number(loss, part_names[SPLIT_TRAIN]), number(loss, part_names[SPLIT_VALIDATION]),
                       number(loss, part_names[SPLIT_TEST]), number(gate, "games"), number(gate, "elo"),
                       number(gate, "elo_error"), number(gate, "los"), loop_record_accepted(record),
                       seconds_of(record), loop_record_weights_sha256(record));
}
