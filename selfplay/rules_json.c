// rules_json.c -- rules to JSON, and draw rules back.

#include "selfplay/rules_json.h"

#include <jansson.h>
#include <string.h>

#include "core/support/memory.h"

// Names by value; the order is that of the enums in core/rules.h.
static const char *const side_names[] = {[WHITE] = "white", [BLACK] = "black"};
static const char *const goal_names[] = {
    [NO_MOVE_LOSES] = "no-move-loses",
    [NO_MOVE_WINS] = "no-move-wins",
};
static const char *const range_names[] = {[SHORT_KING] = "short", [FLYING_KING] = "flying"};
static const char *const landing_names[] = {
    [LANDS_ANYWHERE] = "anywhere",
    [LANDS_BEHIND_LAST_KING] = "right-behind-last-king",
    [LANDS_RIGHT_BEHIND] = "right-behind",
};
static const char *const priority_names[] = {
    [PRIORITY_NONE] = "none",
    [PRIORITY_QUANTITY] = "quantity",
    [PRIORITY_QUANTITY_KINGS] = "quantity-then-kings",
    [PRIORITY_ITALIAN] = "italian",
    [PRIORITY_KING_FIRST] = "king-first",
    [PRIORITY_VALUE] = "value",
};
static const char *const crowning_names[] = {
    [CROWNING_STOPS] = "stops",
    [CROWNING_PASSES] = "passes",
    [CROWNING_CONTINUES] = "continues",
};
static const char *const removal_names[] = {
    [REMOVED_AT_END] = "at-end",
    [REMOVED_AT_ONCE] = "at-once",
};
static const char *const progress_names[] = {
    [PROGRESS_CAPTURE_OR_MAN_MOVE] = "capture-or-man-move",
    [PROGRESS_CAPTURE_OR_CROWNING] = "capture-or-crowning",
};
static const char *const balance_names[] = {
    [BALANCE_LONE_KING] = "lone-king",
    [BALANCE_KINGS_BOTH] = "kings-both",
};

static json_t *directions_to_json(unsigned directions) {
    static const struct {
        unsigned bit;
        const char *name;
    } names[] = {
        {DIAGONAL_FORWARD, "diagonal-forward"},
        {DIAGONAL_BACKWARD, "diagonal-backward"},
        {STRAIGHT_FORWARD, "straight-forward"},
        {STRAIGHT_BACKWARD, "straight-backward"},
        {SIDEWAYS, "sideways"},
    };
    json_t *list = json_array();
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (directions & names[i].bit) json_array_append_new(list, json_string(names[i].name));
    }
    return list;
}

static json_t *limit_to_json(const struct balance_limit *limit) {
    return json_pack("{s:s, s:i, s:i, s:i, s:i, s:b, s:b, s:i}", "balance", balance_names[limit->balance],
                     "min_pieces", limit->min_pieces, "max_pieces", limit->max_pieces, "min_kings",
                     limit->min_kings, "max_men", limit->max_men, "on_main_road", limit->on_main_road,
                     "restarts", limit->restarts, "plies", limit->plies);
}

static json_t *draws_to_json(const struct draw_rules *draws) {
    json_t *limits = json_array();
    for (int i = 0; i < MAX_BALANCE_LIMITS && draws->limits[i].plies > 0; i++) {
        json_array_append_new(limits, limit_to_json(&draws->limits[i]));
    }
    return json_pack("{s:s, s:i, s:i, s:s, s:o}", "name", draws->name, "repetitions", draws->repetitions,
                     "no_progress_plies", draws->no_progress_plies, "progress",
                     progress_names[draws->progress], "limits", limits);
}

char *rules_to_json(const struct variant *variant, const struct draw_rules *draws) {
    const struct rules *r = variant->rules;
    json_t *root = json_pack("{s:s, s:b, s:i, s:i, s:s, s:s}", "variant", variant->name, "captures_optional",
                             variant->captures_optional, "width", r->width, "rows_of_men", r->rows_of_men,
                             "starts", side_names[r->starts], "goal", goal_names[r->goal]);
    json_object_set_new(root, "man_moves", directions_to_json(r->man_moves));
    json_object_set_new(root, "man_captures", directions_to_json(r->man_captures));
    json_object_set_new(root, "king_moves", directions_to_json(r->king_moves));
    json_object_set_new(root, "king_captures", directions_to_json(r->king_captures));
    json_object_set_new(root, "men_capture_kings", json_boolean(r->men_capture_kings));
    json_object_set_new(root, "king_range", json_string(range_names[r->king_range]));
    json_object_set_new(root, "king_landing", json_string(landing_names[r->king_landing]));
    json_object_set_new(root, "priority", json_string(priority_names[r->priority]));
    json_object_set_new(root, "crowning", json_string(crowning_names[r->crowning]));
    json_object_set_new(root, "removal", json_string(removal_names[r->removal]));
    json_object_set_new(root, "king_move_limit", json_integer(r->king_move_limit));
    json_object_set_new(root, "draws", draws_to_json(draws));
    char *dumped = json_dumps(root, JSON_COMPACT);
    json_decref(root);
    char *text = memory_text("%s", dumped);
    free(dumped);
    return text;
}

// The value of a name, -1 when there is none.
static int find_name(const char *name, const char *const *names, int count) {
    for (int i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0) return i;
    }
    return -1;
}
#define FIND_NAME(name, names) find_name(name, names, (int)(sizeof(names) / sizeof(names)[0]))

static bool limit_from_json(json_t *value, struct balance_limit *limit) {
    const char *name;
    int min_pieces, max_pieces, min_kings, max_men, on_main_road, restarts, plies;
    if (json_unpack(value, "{s:s, s:i, s:i, s:i, s:i, s:b, s:b, s:i}", "balance", &name, "min_pieces",
                    &min_pieces, "max_pieces", &max_pieces, "min_kings", &min_kings, "max_men", &max_men,
                    "on_main_road", &on_main_road, "restarts", &restarts, "plies", &plies) != 0) {
        return false;
    }
    const int balance = FIND_NAME(name, balance_names);
    *limit = (struct balance_limit){
        .balance = (enum balance)balance,
        .min_pieces = (uint8_t)min_pieces,
        .max_pieces = (uint8_t)max_pieces,
        .min_kings = (uint8_t)min_kings,
        .max_men = (uint8_t)max_men,
        .on_main_road = on_main_road,
        .restarts = restarts,
        .plies = (uint16_t)plies,
    };
    return balance >= 0 && plies > 0 && plies <= UINT16_MAX;
}

static bool draws_unpack(json_t *root, struct draw_rules *draws) {
    const char *name, *progress_name;
    int repetitions, plies;
    json_t *limits;
    if (json_unpack(root, "{s:{s:s, s:i, s:i, s:s, s:o}}", "draws", "name", &name, "repetitions",
                    &repetitions, "no_progress_plies", &plies, "progress", &progress_name, "limits",
                    &limits) != 0) {
        return false;
    }
    const int progress = FIND_NAME(progress_name, progress_names);
    if (progress < 0 || repetitions < 0 || repetitions > UINT8_MAX || plies < 0 || plies > UINT16_MAX ||
        !json_is_array(limits) || json_array_size(limits) > MAX_BALANCE_LIMITS) {
        return false;
    }
    *draws = (struct draw_rules){
        .name = strcmp(name, "simple") == 0 ? "simple"
                : strcmp(name, "none") == 0 ? "none"
                                            : "federation",
        .repetitions = (uint8_t)repetitions,
        .no_progress_plies = (uint16_t)plies,
        .progress = (enum progress_reading)progress,
    };
    for (size_t i = 0; i < json_array_size(limits); i++) {
        if (!limit_from_json(json_array_get(limits, i), &draws->limits[i])) return false;
    }
    return true;
}

bool draws_from_json(const char *text, struct draw_rules *draws, struct error *error) {
    json_error_t cause;
    json_t *root = json_loads(text, 0, &cause);
    if (root == NULL) return error_set(error, "rules: not JSON: %s", cause.text);
    const bool done = draws_unpack(root, draws);
    json_decref(root);
    return done || error_set(error, "rules: no draw rules that this program knows");
}
