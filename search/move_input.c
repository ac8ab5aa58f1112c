// move_input.c -- takes what people type for a move and explains what is wrong with it.
#include "search/move_input.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/notation.h"
#include "core/support/memory.h"

enum { MOST_LISTED = 8, NO_SQUARE = MOVE_INPUT_ANY };

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The files of a 10x10 board; "x" is a sign.
static bool is_file(char c) { return (c >= 'a' && c <= 'j') || (c >= 'A' && c <= 'J'); }

bool move_input_meant(const char *text) { return is_digit(*text) || (is_file(*text) && is_digit(text[1])); }

// ---- squares ----

// The square of a file and a rank of the official board, or NO_SQUARE.
static int square_at(const struct variant *variant, int file, int rank) {
    const int width = variant->rules->width;
    for (int number = 1; number <= board_squares(width); number++) {
        const square s = board_square(width, number);
        int f, r;
        square_on_official_board(variant, s, &f, &r);
        if (f == file && r == rank) return s;
    }
    return NO_SQUARE;
}

// The next square of a text, after which *text stands then; NO_SQUARE when that is none of the variant's.
static int next_square(const struct variant *variant, const char **text) {
    const char letter = is_file(**text) ? (char)tolower((unsigned char)**text) : '\0';
    if (letter) ++*text;
    char *end;
    const long number = strtol(*text, &end, 10);
    *text = end;
    if (number < 1 || number > board_squares(variant->rules->width)) return NO_SQUARE;
    if (letter) return square_at(variant, letter - 'a', (int)number - 1);
    return variant->rules->names == NUMERIC ? square_from_pdn_number(variant, (int)number) : NO_SQUARE;
}

struct ends {
    int first, last;
    bool good;  // there are some, and all that look like squares are
};

static struct ends ends_of(const struct variant *variant, const char *text) {
    struct ends ends = {.first = NO_SQUARE, .last = NO_SQUARE};
    while (*text) {
        if (!move_input_meant(text)) {
            text++;
            continue;
        }
        ends.last = next_square(variant, &text);
        if (ends.first == NO_SQUARE) ends.first = ends.last;
        if (ends.last == NO_SQUARE) break;
    }
    ends.good = ends.last != NO_SQUARE;
    return ends;
}

// ---- why not ----

void move_input_list(const struct variant *variant, const struct position *p, const struct move_list *legal,
                     int from, char text[static MOVE_INPUT_LIST_SIZE]) {
    int count = 0;
    char *to = text;
    *to = '\0';
    for (int i = 0; i < legal->count; i++) {
        if (from != MOVE_INPUT_ANY && legal->moves[i].from != from) continue;
        if (++count > MOST_LISTED) continue;
        if (to > text) to = stpcpy(to, ", ");
        move_to_text(variant, p, legal, legal->moves[i], to);
        to += strlen(to);
    }
    if (count > MOST_LISTED) sprintf(to, " and %d more", count - MOST_LISTED);
}

static bool goes(const struct move_list *legal, int from, int to) {
    for (int i = 0; i < legal->count; i++)
        if (legal->moves[i].from == from && legal->moves[i].to == to) return true;
    return false;
}

static bool obliged(const struct variant *variant, const struct move_list *legal) {
    return legal->captures && !variant->captures_optional;
}

static const char *const priority_words[] = {
    [PRIORITY_NONE] = "you must capture",
    [PRIORITY_QUANTITY] = "you must capture as many as you can",
    [PRIORITY_QUANTITY_KINGS] = "you must capture as many as you can, kings first",
    [PRIORITY_ITALIAN] = "you must capture as many as you can, with a king and kings first",
    [PRIORITY_KING_FIRST] = "you must capture, with a king if one can",
    [PRIORITY_VALUE] = "you must capture as much value as you can, with a king if it is equal",
};

// Would it be a capture, were there no better one? A man or king that can capture by the rules is not in the
// list when another capture comes first, so the sign that was typed has to tell.
static bool meant_as_capture(const char *text) { return strpbrk(text, "xX:") != NULL; }

static bool king_is_tired(const struct variant *variant, const struct position *p, int from) {
    const struct king_run *run = &p->run[p->turn];
    const int limit = variant->rules->king_move_limit;
    return limit && run->moves >= limit && run->king == from;
}

static bool explain(const struct variant *variant, const struct position *p, const struct move_list *legal,
                    const char *text, int from, struct error *error) {
    char name[SQUARE_TEXT_SIZE], list[MOVE_INPUT_LIST_SIZE];
    square_to_text(variant, (square)from, name);
    const bitboard bit = square_bit((square)from);
    if (!((p->pieces[WHITE] | p->pieces[BLACK]) & bit))
        return error_set(error, "there is no piece on %s", name);
    if (!(p->pieces[p->turn] & bit)) return error_set(error, "the piece on %s is not yours", name);
    if (obliged(variant, legal)) {
        move_input_list(variant, p, legal, MOVE_INPUT_ANY, list);
        const enum priority priority = meant_as_capture(text) ? variant->rules->priority : PRIORITY_NONE;
        return error_set(error, "%s: %s", priority_words[priority], list);
    }
    move_input_list(variant, p, legal, from, list);
    if (*list) return error_set(error, "the piece on %s may play: %s", name, list);
    if (king_is_tired(variant, p, from))
        return error_set(error, "the king on %s has made its %d moves in a row", name,
                         variant->rules->king_move_limit);
    return error_set(error, "the piece on %s cannot move", name);
}

// ---- reading ----

// A copy with a hyphen for the blanks between two digits.
static char *with_hyphens(const char *text) {
    char *copy = memory_text("%s", text);
    for (char *c = copy; *c; c++) {
        if (!isblank((unsigned char)*c) || c == copy || !is_digit(c[-1])) continue;
        if (is_digit(c[strspn(c, " \t")])) *c = '-';
    }
    return copy;
}

bool move_input_read(const struct variant *variant, const struct position *p, const struct move_list *legal,
                     const char *text, struct move *move, struct error *error) {
    char *copy = with_hyphens(text);
    const bool good = move_from_text(variant, p, legal, copy, move, error);
    free(copy);
    if (good) return true;
    // What notation says is best where squares are misspelt, or a legal move has these ends.
    const struct ends ends = ends_of(variant, text);
    if (!ends.good || (ends.first != ends.last && goes(legal, ends.first, ends.last))) return false;
    return explain(variant, p, legal, text, ends.first, error);
}
