// conditions.c -- understands limits of a move and draw rules.

#include "selfplay/conditions.h"

#include <stdio.h>
#include <string.h>

#include "core/support/options.h"

#define MOST_NODES     INT64_C(1000000000000)
#define LEAST_MOVETIME 0.001
#define MOST_MOVETIME  3600

enum { USUAL_SIMPLE_MOVES = 40 };

bool word_choose(const char *text, const char *const *names, int count, int *value, struct error *cause) {
    size_t length = (size_t)snprintf(cause->text, sizeof cause->text, "expected one of");
    for (int i = 0; i < count; i++) {
        *value = i;
        if (strcmp(text, names[i]) == 0) return true;
        length += (size_t)snprintf(cause->text + length, sizeof cause->text - length, "%s %s",
                                   i > 0 ? "," : "", names[i]);
    }
    snprintf(cause->text + length, sizeof cause->text - length, ", got \"%.80s\"", text);
    return false;
}

static bool refuse(struct refusal *refusal, const char *key, const char *cause) {
    refusal->key = key;
    return error_set(&refusal->cause, "%s", cause);
}

// From an error that begins with a name of its own, "".
static bool refuse_number(struct refusal *refusal, const char *key) {
    const struct error whole = refusal->cause;
    return refuse(refusal, key, whole.text + strlen(": "));
}

static bool read_int(const char *key, const char *text, int most, int *value, struct refusal *refusal) {
    int64_t number = *value;
    if (text != NULL && !options_number("", text, 1, most, &number, &refusal->cause))
        return refuse_number(refusal, key);
    *value = (int)number;
    return true;
}

// ---- limits

// Of the last word that is said, of so many.
static const char *last_said(const struct limit_words *words, int *said) {
    const struct {
        const char *key, *text;
    } all[] = {
        {"nodes", words->nodes}, {"depth", words->depth}, {"movetime", words->movetime}, {"tc", words->tc}};
    const char *last = NULL;
    *said = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (all[i].text == NULL) continue;
        last = all[i].key;
        ++*said;
    }
    return last;
}

bool limit_read(const struct limit_words *words, struct move_limit *limit, struct refusal *refusal) {
    int said;
    int64_t nodes = 0;
    const char *const key = last_said(words, &said);
    *limit = (struct move_limit){.given = said > 0};
    if (said > 1) return refuse(refusal, key, "expected one limit of a move only");
    if (words->nodes != NULL && !options_number("", words->nodes, 1, MOST_NODES, &nodes, &refusal->cause))
        return refuse_number(refusal, key);
    limit->search.nodes = (uint64_t)nodes;
    if (words->movetime != NULL && !options_real("", words->movetime, LEAST_MOVETIME, MOST_MOVETIME,
                                                 &limit->search.seconds, &refusal->cause))
        return refuse_number(refusal, key);
    refusal->key = key;
    return read_int("depth", words->depth, MAX_DEPTH, &limit->search.depth, refusal) &&
           (words->tc == NULL || time_control_parse(words->tc, &limit->clock, &refusal->cause));
}

// ---- draw rules

enum { FEDERATION, SIMPLE, RULES };
static const char *const rule_names[RULES] = {[FEDERATION] = "federation", [SIMPLE] = "simple"};
static const char *const progress_names[] = {
    [PROGRESS_CAPTURE_OR_MAN_MOVE] = "capture-or-man-move",
    [PROGRESS_CAPTURE_OR_CROWNING] = "capture-or-crowning",
};
enum { READINGS = sizeof progress_names / sizeof *progress_names };

bool draws_read(const struct draw_words *words, const struct variant *variant, struct draw_rules *draws,
                struct refusal *refusal) {
    int rules = FEDERATION, moves = USUAL_SIMPLE_MOVES, progress = PROGRESS_CAPTURE_OR_MAN_MOVE;
    refusal->key = "draw";
    if (words->draw != NULL && !word_choose(words->draw, rule_names, RULES, &rules, &refusal->cause))
        return false;
    if (rules == FEDERATION && (words->moves != NULL || words->progress != NULL))
        return refuse(refusal, words->moves != NULL ? "draw_moves" : "draw_progress",
                      "goes with simple draw rules only");
    if (!read_int("draw_moves", words->moves, MAX_SIMPLE_MOVES, &moves, refusal)) return false;
    refusal->key = "draw_progress";
    if (words->progress != NULL &&
        !word_choose(words->progress, progress_names, READINGS, &progress, &refusal->cause))
        return false;
    *draws = rules == SIMPLE ? draws_simple(moves, (enum progress_reading)progress) : variant->rules->draws;
    return true;
}

const char *draws_progress(const struct draw_rules *draws) {
    return strcmp(draws->name, rule_names[SIMPLE]) == 0 ? progress_names[draws->progress] : NULL;
}
