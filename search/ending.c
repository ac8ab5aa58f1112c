// ending.c -- solved endings of the 8x8 board: up to three kings against one.
//
// Retrograde analysis (R. Bellman, 1965; T. Ströhlein, 1970): positions where the lone king is captured or
// blocked are decided; level by level, each position from which the stronger side can move to a decided one
// is won, and each from which the lone king can move to no other is lost. Kings move back as they move forth,
// so the moves into a position are found like those out of it. A capture by the lone king leads to the table
// with a king less.
//
// The stronger side is called White here; kings know no colours.
#include "search/ending.h"

#include <stdlib.h>
#include <string.h>

#include "core/support/memory.h"

enum {
    SQUARES = 32,
    WIDTH = 8,
    MOST_KINGS = 3,
    UNKNOWN = 0,  // otherwise a table holds plies + 1
    LONGEST = 250,
    ESCAPES = 255,  // moves of a lone king that need not be counted: one leads to safety
};

// By the squares of the kings, 0..31 in ascending order, and of the lone king.
struct ending {
    int kings;
    size_t size;
    uint8_t *plies[2];  // by who is to move
};

struct endings {
    struct ending ending[MOST_KINGS + 1];  // by number of kings, from 1
};

// ---- positions and their places in a table ----

static square bit_of(int number) { return board_square(WIDTH, number + 1); }

static size_t number_of(bitboard king) { return (size_t)board_number(WIDTH, bits_first(king)) - 1; }

static size_t place_of(bitboard kings, bitboard lone) {
    size_t place = 0;
    for (; kings; kings = bits_without_lowest(kings)) place = place * SQUARES + number_of(kings);
    return place * SQUARES + number_of(lone);
}

// The position of a place, false when there is none: squares that coincide or are not in order.
static bool position_of(const struct ending *e, size_t place, enum side turn, struct position *p) {
    *p = (struct position){.turn = (uint8_t)turn};
    const int lone = (int)(place % SQUARES);
    p->pieces[BLACK] = square_bit(bit_of(lone));
    int next = SQUARES;
    for (int i = 0; i < e->kings; i++) {
        place /= SQUARES;
        const int number = (int)(place % SQUARES);
        if (number >= next || number == lone) return false;
        p->pieces[WHITE] |= square_bit(bit_of(number));
        next = number;
    }
    p->kings = p->pieces[WHITE] | p->pieces[BLACK];
    return true;
}

// Where a king may go without capturing.
static bitboard king_reach(const struct rules *r, bitboard empty, square from) {
    const int steps[] = {board_step_sw(WIDTH), board_step_se(WIDTH), -board_step_sw(WIDTH),
                         -board_step_se(WIDTH)};
    bitboard reach = 0;
    for (int d = 0; d < 4; d++)
        for (bitboard b = bits_shift(square_bit(from), steps[d]) & empty; b;
             b = r->king_range == FLYING_KING ? bits_shift(b, steps[d]) & empty : 0)
            reach |= b;
    return reach;
}

static bitboard empty_squares(const struct position *p) { return board_all(WIDTH) & ~p->kings; }

// ---- solving ----

struct solving {
    const struct variant *variant;
    const struct ending *fewer;  // the tables with fewer kings, by their number
    struct ending *ending;
    uint8_t *left;   // moves of the lone king not known to lose
    uint8_t *after;  // plies + 1 that the longest of its losing captures takes
    struct move_list *list;
    int last;  // the most plies in the table
    const atomic_bool *stop;
};

// The lone king's captures: false when one of them is not known to lose.
static bool captures_lose(struct solving *s, const struct position *p, size_t place) {
    s->variant->captures(p, s->list);
    for (int i = 0; i < s->list->count; i++) {
        struct position next = *p;
        s->variant->play(&next, s->list->moves[i]);
        if (!next.pieces[WHITE]) return false;
        const struct ending *fewer = &s->fewer[bits_count(next.pieces[WHITE])];
        const uint8_t plies = fewer->plies[WHITE][place_of(next.pieces[WHITE], next.pieces[BLACK])];
        if (plies == UNKNOWN) return false;
        if (plies + 1 > s->after[place]) s->after[place] = (uint8_t)(plies + 1);
    }
    return true;
}

static void set(struct solving *s, enum side turn, size_t place, uint8_t value) {
    s->ending->plies[turn][place] = value;
    if (value - 1 > s->last) s->last = value - 1;
}

// What is known of a placement without looking at others of this table.
static void begin_place(struct solving *s, size_t place) {
    struct position p;
    if (!position_of(s->ending, place, WHITE, &p)) return;
    if (s->variant->can_capture(&p)) set(s, WHITE, place, 1 + 1);
    p.turn = BLACK;
    const bool captures = s->variant->can_capture(&p);
    if (!captures || s->variant->captures_optional)
        s->left[place] = (uint8_t)bits_count(
            king_reach(s->variant->rules, empty_squares(&p), bits_first(p.pieces[BLACK])));
    if (captures && !captures_lose(s, &p, place)) s->left[place] = ESCAPES;
    if (!s->left[place]) set(s, BLACK, place, s->after[place] ? s->after[place] : 0 + 1);
}

// White can move to the lost position p, known to take plies - 1 more.
static void win_before(struct solving *s, const struct position *p, uint8_t plies) {
    const bitboard empty = empty_squares(p);
    for (bitboard kings = p->pieces[WHITE]; kings; kings = bits_without_lowest(kings)) {
        const bitboard others = p->pieces[WHITE] ^ bits_lowest(kings);
        for (bitboard from = king_reach(s->variant->rules, empty, bits_first(kings)); from;
             from = bits_without_lowest(from)) {
            const size_t place = place_of(others | bits_lowest(from), p->pieces[BLACK]);
            if (s->ending->plies[WHITE][place] == UNKNOWN) set(s, WHITE, place, plies);
        }
    }
}

// The lone king's moves to the won position p are of no use to it.
static void lose_before(struct solving *s, const struct position *p, uint8_t plies) {
    for (bitboard from = king_reach(s->variant->rules, empty_squares(p), bits_first(p->pieces[BLACK])); from;
         from = bits_without_lowest(from)) {
        const size_t place = place_of(p->pieces[WHITE], bits_lowest(from));
        if (s->left[place] == ESCAPES || s->left[place] == 0 || --s->left[place]) continue;
        set(s, BLACK, place, plies > s->after[place] ? plies : s->after[place]);
    }
}

static bool is_stopped(const struct solving *s) {
    return s->stop && atomic_load_explicit(s->stop, memory_order_relaxed);
}

// Lost positions take an even number of plies, won ones an odd number; each level follows from those before.
static void solve_level(struct solving *s, int plies) {
    const struct ending *e = s->ending;
    const enum side turn = plies % 2 ? WHITE : BLACK;
    struct position p;
    const uint8_t *const first = e->plies[turn], *const end = first + e->size, *at = first;
    for (; (at = memchr(at, plies + 1, (size_t)(end - at))) && !is_stopped(s); at++) {
        if (!position_of(e, (size_t)(at - first), turn, &p)) continue;
        if (turn == BLACK)
            win_before(s, &p, (uint8_t)(plies + 1 + 1));
        else
            lose_before(s, &p, (uint8_t)(plies + 1 + 1));
    }
}

static void solve(struct solving *s, struct ending *e, int kings) {
    e->kings = kings;
    e->size = SQUARES;
    for (int i = 0; i < kings; i++) e->size *= SQUARES;
    e->plies[WHITE] = memory_new(e->size, 1);
    e->plies[BLACK] = memory_new(e->size, 1);
    s->ending = e;
    s->left = memory_new(e->size, 1);
    s->after = memory_new(e->size, 1);
    s->last = 0;
    for (size_t place = 0; place < e->size && !is_stopped(s); place++) begin_place(s, place);
    for (int plies = 0; plies <= s->last && plies < LONGEST; plies++) solve_level(s, plies);
    free(s->left);
    free(s->after);
}

// ---- the tables ----

bool endings_exist(const struct variant *variant) {
    const struct rules *r = variant->rules;
    return r->width == WIDTH && r->goal == NO_MOVE_LOSES && r->king_moves == DIAGONAL;
}

struct endings *endings_new(const struct variant *variant, const atomic_bool *stop) {
    struct endings *e = memory_new(1, sizeof *e);
    struct solving s = {
        .variant = variant,
        .fewer = e->ending,
        .list = memory_new(1, sizeof *s.list),
        .stop = stop,
    };
    for (int kings = 1; kings <= MOST_KINGS; kings++) solve(&s, &e->ending[kings], kings);
    free(s.list);
    if (!is_stopped(&s)) return e;
    endings_free(e);
    return NULL;
}

void endings_free(struct endings *e) {
    if (!e) return;
    for (int kings = 1; kings <= MOST_KINGS; kings++)
        for (int side = WHITE; side <= BLACK; side++) free(e->ending[kings].plies[side]);
    free(e);
}

// As far as `strong` wins.
static bool find_win(const struct endings *e, const struct position *p, enum side strong, int *plies,
                     bool *won) {
    const int kings = bits_count(p->pieces[strong]);
    const bool strong_to_move = p->turn == strong;
    if (kings > MOST_KINGS) return false;
    const size_t place = place_of(p->pieces[strong], p->pieces[other_side(strong)]);
    const uint8_t found = e->ending[kings].plies[strong_to_move ? WHITE : BLACK][place];
    *plies = found - 1;
    *won = strong_to_move;
    return found != UNKNOWN;
}

bool endings_find(const struct endings *e, const struct position *p, int *plies, bool *won) {
    if ((p->pieces[WHITE] | p->pieces[BLACK]) & ~p->kings) return false;
    // One against one, either may be the side that wins.
    return (bits_count(p->pieces[BLACK]) == 1 && p->pieces[WHITE] && find_win(e, p, WHITE, plies, won)) ||
           (bits_count(p->pieces[WHITE]) == 1 && p->pieces[BLACK] && find_win(e, p, BLACK, plies, won));
}
