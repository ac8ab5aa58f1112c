// variants_command.c -- huff variants: the rules of every variant, told from their descriptors.
#include <assert.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/notation.h"
#include "core/support/memory.h"
#include "core/support/options.h"
#include "search/commands.h"

struct arguments {
    struct common_options common;
    const char *versus;
    const char **names;
    int count;
};

enum { KEY_VERSUS = 0x200 };

static const struct argp_option option_list[] = {
    {"versus", KEY_VERSUS, "NAME", 0, "Only the rules in which the variants differ from this one", 0},
    {0},
};

static error_t parse(int key, char *text, struct argp_state *state) {
    struct arguments *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &a->common; break;
    case KEY_VERSUS: a->versus = text; break;
    case ARGP_KEY_ARG: a->names[a->count++] = text; break;
    default: return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp_child children[] = {{&options_common, 0, NULL, 0}, {0}};
static const struct argp variants_argp = {
    .options = option_list,
    .parser = parse,
    .args_doc = "[VARIANT...]",
    .doc = "Prints the rules of the variants named, or of all. VARIANT+free is a variant on 8x8 with "
           "captures optional.",
    .children = children,
};

// ---- one rule of one variant ----

// What a rule says, as text. "yes" and "no" are truth values and digits are numbers in JSON.
struct value {
    char text[120];
};

static struct value text_value(const char *format, ...) __attribute__((format(printf, 1, 2)));
static struct value text_value(const char *format, ...) {
    struct value value;
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(value.text, sizeof value.text, format, arguments);
    va_end(arguments);
    assert(length >= 0 && (size_t)length < sizeof value.text);
    (void)length;
    return value;
}

static struct value yes_no(bool yes) { return text_value("%s", yes ? "yes" : "no"); }

static const char *const colours[] = {[WHITE] = "White", [BLACK] = "Black"};

// PDN 3.0: type, colour that starts, width, height, notation and corner, whether the bottom left is no
// playing square.
static struct value game_type(const struct variant *v) {
    const struct rules *r = v->rules;
    if (!r->game_type) return text_value("none");
    return text_value("%d,%c,%d,%d,%c%d,%d", r->game_type, r->starts == WHITE ? 'W' : 'B', r->width, r->width,
                      r->names == ALGEBRAIC ? 'A' : 'N', r->first_square, r->mirrored);
}

static struct value board(const struct variant *v) {
    return text_value("%dx%d", v->rules->width, v->rules->width);
}

static struct value squares(const struct variant *v) {
    const int width = v->rules->width, last = board_squares(width);
    if (v->rules->names == ALGEBRAIC) return text_value("a1-%c%d", 'a' + width - 1, width);
    int file, rank;
    square_on_official_board(v, square_from_pdn_number(v, 1), &file, &rank);
    return text_value("1-%d from %c%d", last, 'a' + file, rank + 1);
}

static struct value near_left_corner(const struct variant *v) {
    return text_value(v->rules->mirrored ? "not played on" : "a playing square");
}
static struct value capture_sign(const struct variant *v) { return text_value("%c", v->rules->capture_sign); }
static struct value results(const struct variant *v) {
    return text_value(v->rules->two_points ? "2-0, 1-1, 0-2" : "1-0, 1/2-1/2, 0-1");
}
static struct value pieces(const struct variant *v) {
    return text_value("%d", v->rules->rows_of_men * v->rules->width / 2);
}
static struct value first_move(const struct variant *v) {
    return text_value("%s", colours[v->rules->starts]);
}
static struct value without_a_move(const struct variant *v) {
    return text_value(v->rules->goal == NO_MOVE_LOSES ? "loses" : "wins");
}

static struct value directions(unsigned set) {
    static const struct {
        unsigned all, forward, backward;
        const char *name;
    } kinds[] = {{DIAGONAL, DIAGONAL_FORWARD, DIAGONAL_BACKWARD, "diagonally"},
                 {STRAIGHT, STRAIGHT_FORWARD | SIDEWAYS, STRAIGHT_BACKWARD | SIDEWAYS, "straight"}};
    struct value value = {""};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const unsigned of_kind = set & kinds[i].all;
        if (!of_kind) continue;
        const char *way = of_kind == kinds[i].all           ? ""
                          : of_kind == SIDEWAYS             ? " sideways"
                          : !(of_kind & ~kinds[i].forward)  ? " forward"
                          : !(of_kind & ~kinds[i].backward) ? " backward"
                                                            : " forward and backward";
        value = text_value("%s%s%s%s", value.text, *value.text ? " and " : "", kinds[i].name, way);
    }
    return value;
}

static struct value man_moves(const struct variant *v) { return directions(v->rules->man_moves); }
static struct value man_captures(const struct variant *v) { return directions(v->rules->man_captures); }
static struct value king_moves(const struct variant *v) { return directions(v->rules->king_moves); }
static struct value king_captures(const struct variant *v) { return directions(v->rules->king_captures); }

static struct value compulsory(const struct variant *v) { return yes_no(!v->captures_optional); }
// A rule of every variant here: a capture is one move.
static struct value completed(const struct variant *v) { return (void)v, yes_no(true); }
static struct value captures_backward(const struct variant *v) {
    return yes_no(v->rules->man_captures & (DIAGONAL_BACKWARD | STRAIGHT_BACKWARD));
}
static struct value kings_fly(const struct variant *v) { return yes_no(v->rules->king_range == FLYING_KING); }

static struct value king_landing(const struct variant *v) {
    static const char *const names[] = {
        [LANDS_ANYWHERE] = "on any free square behind",
        [LANDS_BEHIND_LAST_KING] = "on any free square behind, but right behind a king taken last",
        [LANDS_RIGHT_BEHIND] = "right behind",
    };
    return text_value(
        "%s", names[v->rules->king_range == SHORT_KING ? LANDS_RIGHT_BEHIND : v->rules->king_landing]);
}

static struct value takes_kings(const struct variant *v) { return yes_no(v->rules->men_capture_kings); }

static struct value most_pieces(const struct variant *v) {
    switch (v->rules->priority) {
    case PRIORITY_NONE:
    case PRIORITY_KING_FIRST: return yes_no(false);
    case PRIORITY_QUANTITY:
    case PRIORITY_QUANTITY_KINGS:
    case PRIORITY_ITALIAN: return yes_no(true);
    case PRIORITY_VALUE: return text_value("most value: a king is just under two men");
    }
    return text_value("?");
}

static struct value further_priority(const struct variant *v) {
    static const char *const names[] = {
        [PRIORITY_NONE] = "free choice",
        [PRIORITY_QUANTITY] = "free choice",
        [PRIORITY_QUANTITY_KINGS] = "most kings",
        [PRIORITY_ITALIAN] = "king captures first, then most kings, then earliest king",
        [PRIORITY_KING_FIRST] = "king captures first",
        [PRIORITY_VALUE] = "king captures first",
    };
    return text_value("%s", names[v->rules->priority]);
}

static struct value crowning(const struct variant *v) {
    static const char *const names[] = {
        [CROWNING_STOPS] = "crowned, move ends",
        [CROWNING_PASSES] = "crowned only if the capture ends there",
        [CROWNING_CONTINUES] = "crowned, goes on as a king",
    };
    return text_value("%s", names[v->rules->crowning]);
}

static struct value removal(const struct variant *v) {
    if (v->rules->removal == REMOVED_AT_END) return text_value("at the end");
    return text_value("at once%s",
                      v->rules->king_range == SHORT_KING ? " (immaterial with short kings)" : "");
}

static struct value king_move_limit(const struct variant *v) {
    if (!v->rules->king_move_limit) return text_value("no limit");
    return text_value("%d by one king of a side that has men", v->rules->king_move_limit);
}

static struct value in_moves(int plies) {
    return plies % 2 ? text_value("%d plies", plies) : text_value("%d moves each", plies / 2);
}

static struct value repetition(const struct variant *v) {
    static const char *const ordinals[] = {"first", "second", "third", "fourth", "fifth"};
    const int times = v->rules->draws.repetitions;
    if (!times) return text_value("never");
    if (times <= 5) return text_value("%s occurrence", ordinals[times - 1]);
    return text_value("occurrence %d", times);
}

static struct value no_progress(const struct variant *v) {
    const struct draw_rules *draws = &v->rules->draws;
    if (!draws->no_progress_plies) return text_value("never");
    return text_value("%s, no capture or %s", in_moves(draws->no_progress_plies).text,
                      draws->progress == PROGRESS_CAPTURE_OR_MAN_MOVE ? "man move" : "crowning");
}

static struct value pieces_of_limit(const struct balance_limit *limit, int most) {
    if (limit->min_pieces == limit->max_pieces) return text_value("%d", limit->min_pieces);
    if (limit->max_pieces >= most) return text_value("%d or more", limit->min_pieces);
    return text_value("%d-%d", limit->min_pieces, limit->max_pieces);
}

// What the stronger side of a limit on a lone king has: "3 or more kings", "3 pieces with a king".
static struct value stronger_side(const struct balance_limit *limit, int most) {
    const struct value count = pieces_of_limit(limit, most);
    const int kings = limit->min_kings;
    if (!limit->max_men && kings == limit->max_pieces)
        return text_value("%s king%s", count.text, kings == 1 ? "" : "s");
    const char *some = limit->max_pieces == 1 ? "piece" : "pieces";
    if (!kings) return text_value("%s %s", count.text, some);
    return kings == 1 ? text_value("%s %s with a king", count.text, some)
                      : text_value("%s %s with %d kings", count.text, some, kings);
}

static struct value ending(const struct variant *v, int i) {
    const struct balance_limit *limit = &v->rules->draws.limits[i];
    if (!limit->plies) return text_value("none");
    const int most = v->rules->rows_of_men * v->rules->width / 2;
    const struct value moves = in_moves(limit->plies);
    const char *again = limit->restarts ? ", counted again after a capture or crowning" : "";
    if (limit->balance == BALANCE_KINGS_BOTH)
        return text_value("%s pieces in all, kings on both sides: %s%s",
                          pieces_of_limit(limit, 2 * most).text, moves.text, again);
    return text_value("%s against a king%s: %s%s", stronger_side(limit, most).text,
                      limit->on_main_road ? " on the main road" : "", moves.text, again);
}

static struct value ending_1(const struct variant *v) { return ending(v, 0); }
static struct value ending_2(const struct variant *v) { return ending(v, 1); }
static struct value ending_3(const struct variant *v) { return ending(v, 2); }
static struct value ending_4(const struct variant *v) { return ending(v, 3); }
static struct value ending_5(const struct variant *v) { return ending(v, 4); }
static struct value ending_6(const struct variant *v) { return ending(v, 5); }
_Static_assert(MAX_BALANCE_LIMITS == 6, "a row for each limit");

// ---- all rules ----

struct row {
    const char *label, *key;
    struct value (*value)(const struct variant *);
};

static const struct row rows[] = {
    {"GameType", "game_type", game_type},
    {"Board", "board", board},
    {"Pieces per side", "pieces", pieces},
    {"First move", "starts", first_move},
    {"A player without a move", "without_a_move", without_a_move},
    {"Men move", "man_moves", man_moves},
    {"Men capture", "man_captures", man_captures},
    {"Kings move", "king_moves", king_moves},
    {"Kings capture", "king_captures", king_captures},
    {"Capturing is compulsory", "captures_compulsory", compulsory},
    {"A started capture must be completed", "captures_completed", completed},
    {"Men capture backward", "men_capture_backward", captures_backward},
    {"Kings fly", "kings_fly", kings_fly},
    {"A capturing king lands", "king_landing", king_landing},
    {"Men may capture kings", "men_capture_kings", takes_kings},
    {"Must capture the most pieces", "most_pieces", most_pieces},
    {"Further capture priority", "further_priority", further_priority},
    {"Man reaches the far row during a capture", "crowning", crowning},
    {"Captured pieces are removed", "removal", removal},
    {"Quiet king moves in a row", "king_move_limit", king_move_limit},
    {"Draw by repetition", "draw_repetition", repetition},
    {"Draw without progress", "draw_no_progress", no_progress},
    {"Draw in an ending", "draw_ending_1", ending_1},
    {"Draw in an ending (2)", "draw_ending_2", ending_2},
    {"Draw in an ending (3)", "draw_ending_3", ending_3},
    {"Draw in an ending (4)", "draw_ending_4", ending_4},
    {"Draw in an ending (5)", "draw_ending_5", ending_5},
    {"Draw in an ending (6)", "draw_ending_6", ending_6},
    {"Near left corner", "near_left_corner", near_left_corner},
    {"Squares", "squares", squares},
    {"Capture sign", "capture_sign", capture_sign},
    {"Results", "results", results},
};
enum { ROWS = sizeof rows / sizeof *rows };

// ---- tables ----

enum { MOST_COLUMNS = 4 };

struct table {
    const struct variant *variants[MOST_COLUMNS];
    int columns;
    bool differences_only;
};

static bool is_shown(const struct table *table, const struct row *row) {
    bool differs = false, any = false;
    const struct value first = row->value(table->variants[0]);
    for (int i = 0; i < table->columns; i++) {
        const struct value value = row->value(table->variants[i]);
        differs |= strcmp(value.text, first.text) != 0;
        any |= strcmp(value.text, "none") != 0;
    }
    return table->differences_only ? differs : any;
}

static int column_width(const struct table *table, int column) {
    const struct variant *v = table->variants[column];
    size_t width = strlen(v->name);
    for (const struct row *row = rows; row < rows + ROWS; row++) {
        if (!is_shown(table, row)) continue;
        const size_t length = strlen(row->value(v).text);
        if (length > width) width = length;
    }
    return (int)width;
}

static int label_width(void) {
    size_t width = 0;
    for (const struct row *row = rows; row < rows + ROWS; row++)
        if (strlen(row->label) > width) width = strlen(row->label);
    return (int)width;
}

static void print_table(const struct table *table) {
    int widths[MOST_COLUMNS] = {0};
    for (int i = 0; i + 1 < table->columns; i++)
        widths[i] = column_width(table, i);  // the last one is not padded
    const int labels = label_width();
    printf("%-*s", labels, "Rule");
    for (int i = 0; i < table->columns; i++) printf("  %-*s", widths[i], table->variants[i]->name);
    putchar('\n');
    bool any = false;
    for (const struct row *row = rows; row < rows + ROWS; row++) {
        if (!is_shown(table, row)) continue;
        any = true;
        printf("%-*s", labels, row->label);
        for (int i = 0; i < table->columns; i++)
            printf("  %-*s", widths[i], row->value(table->variants[i]).text);
        putchar('\n');
    }
    if (!any) printf("(no difference)\n");
}

static void print_tables(const struct variant *const *list, int count, const struct variant *versus) {
    const int first = versus ? 1 : 0;  // column of the first variant of the list
    for (int done = 0; done < count;) {
        struct table table = {.variants = {versus}, .columns = first, .differences_only = versus};
        if (done) putchar('\n');
        while (table.columns < MOST_COLUMNS && done < count) table.variants[table.columns++] = list[done++];
        print_table(&table);
        for (int i = 0; i < table.columns && !versus; i++)
            printf("Rules of %s: %s\n", table.variants[i]->name, table.variants[i]->rules->source);
    }
}

// ---- JSON ----

static json_t *value_to_json(struct value value) {
    if (!strcmp(value.text, "none")) return json_null();
    if (!strcmp(value.text, "yes") || !strcmp(value.text, "no")) return json_boolean(*value.text == 'y');
    if (value.text[strspn(value.text, "0123456789")] == '\0')
        return json_integer(strtol(value.text, NULL, 10));
    return json_string(value.text);
}

static json_t *rules_of(const struct variant *v) {
    json_t *root = json_pack("{s:s}", "name", v->name);
    for (const struct row *row = rows; row < rows + ROWS; row++)
        json_object_set_new(root, row->key, value_to_json(row->value(v)));
    json_object_set_new(root, "source", json_string(v->rules->source));
    return root;
}

static json_t *differences_of(const struct variant *v, const struct variant *versus) {
    json_t *differences = json_object();
    const struct table table = {.variants = {v, versus}, .columns = 2, .differences_only = true};
    for (const struct row *row = rows; row < rows + ROWS; row++)
        if (is_shown(&table, row))
            json_object_set_new(
                differences, row->key,
                json_pack("[o, o]", value_to_json(row->value(v)), value_to_json(row->value(versus))));
    return json_pack("{s:s, s:s, s:o}", "name", v->name, "versus", versus->name, "differences", differences);
}

static void print_json(const struct variant *const *list, int count, const struct variant *versus) {
    json_t *root = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(root, versus ? differences_of(list[i], versus) : rules_of(list[i]));
    json_dumpf(root, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(root);
}

// ---- the command ----

// The variants named, or all but those with a house rule and `versus`. False when a name is unknown.
static bool choose(const struct arguments *a, const struct variant *versus, const struct variant **list,
                   int *count, struct error *error) {
    for (int i = 0; i < a->count; i++)
        if (!(list[(*count)++] = variant_find(a->names[i], error))) return false;
    if (a->common.variant && !(list[(*count)++] = variant_find(a->common.variant, error))) return false;
    if (*count) return true;
    for (int i = 0; i < variant_count; i++)
        if (!variants[i].captures_optional && &variants[i] != versus) list[(*count)++] = &variants[i];
    return true;
}

static bool print_variants(const struct arguments *a, struct error *error) {
    const struct variant *versus = NULL;
    if (a->versus && !(versus = variant_find(a->versus, error))) return false;
    const struct variant **list = memory_new((size_t)(a->count + 1 + variant_count), sizeof *list);
    int count = 0;
    const bool good = choose(a, versus, list, &count, error);
    if (good && a->common.json) print_json(list, count, versus);
    if (good && !a->common.json) print_tables(list, count, versus);
    free(list);
    return good;
}

int variants_run(int argc, char **argv) {
    struct arguments a = {.names = memory_new((size_t)argc, sizeof *a.names)};
    struct error error;
    argp_parse(&variants_argp, argc, argv, 0, NULL, &a);
    const bool good = print_variants(&a, &error);
    free(a.names);
    return good ? EXIT_DONE : options_fail(argv[0], EXIT_USAGE, &error);
}
