// ending.c -- solved endings: kings against one king.
//
// Retrograde analysis (R. Bellman, 1965; T. Ströhlein, 1970): positions where the lone king is captured or
// blocked are decided; level by level, each position from which the stronger side can move to a decided one
// is won, and each from which the lone king can move to no other is lost. Kings move back as they move forth,
// so the moves into a position are found like those out of it. A capture by the lone king leads to the table
// with a king less.
//
// The stronger side is called White here; kings know no colours.
#include "search/ending.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/support/memory.h"

enum {
    MOST_KINGS = 3,
    UNKNOWN = 0,  // otherwise a table holds plies + 1
    LONGEST = 250,
    NAP_NANOSECONDS = 1000000,
    ESCAPES = 255,  // moves of a lone king that need not be counted: one leads to safety
};

// A board as the tables see it: its squares have numbers from 0, of so many bits.
struct board {
    int width;
    int bits;
};

// By the squares of the kings, in ascending order, and of the lone king.
struct ending {
    struct board board;
    int kings;
    size_t size;
    uint8_t *plies[2];  // by who is to move
};

struct endings {
    const struct variant *variant;
    struct endings *next;  // in the list of those that are solved
    struct board board;
    int most_kings;
    struct ending ending[MOST_KINGS + 1];  // by number of kings, from 1
};

// ---- positions and their places in a table ----

static size_t number_of(struct board board, bitboard king) {
    return (size_t)board_number(board.width, bits_first(king)) - 1;
}

static size_t place_of(struct board board, bitboard kings, bitboard lone) {
    size_t place = 0;
    for (; kings; kings = bits_without_lowest(kings)) place = place << board.bits | number_of(board, kings);
    return place << board.bits | number_of(board, lone);
}

// The position of a place, false when there is none: no squares, or they coincide or are not in order.
static bool position_of(const struct ending *e, size_t place, enum side turn, struct position *p) {
    const struct board board = e->board;
    const int squares = board_squares(board.width), mask = (1 << board.bits) - 1;
    *p = (struct position){.turn = (uint8_t)turn};
    const int lone = (int)place & mask;
    if (lone >= squares) return false;
    p->pieces[BLACK] = square_bit(board_square(board.width, lone + 1));
    int next = squares;
    for (int i = 0; i < e->kings; i++) {
        place >>= board.bits;
        const int number = (int)place & mask;
        if (number >= next || number == lone) return false;
        p->pieces[WHITE] |= square_bit(board_square(board.width, number + 1));
        next = number;
    }
    p->kings = p->pieces[WHITE] | p->pieces[BLACK];
    return true;
}

// Where a king may go without capturing.
static bitboard king_reach(const struct rules *r, bitboard empty, square from) {
    const int sw = board_step_sw(r->width), se = board_step_se(r->width);
    const int steps[] = {sw, se, -sw, -se};
    bitboard reach = 0;
    for (int d = 0; d < 4; d++)
        for (bitboard b = bits_shift(square_bit(from), steps[d]) & empty; b;
             b = r->king_range == FLYING_KING ? bits_shift(b, steps[d]) & empty : 0)
            reach |= b;
    return reach;
}

static bitboard empty_squares(const struct rules *r, const struct position *p) {
    return board_all(r->width) & ~p->kings;
}

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
        const uint8_t plies =
            fewer->plies[WHITE][place_of(fewer->board, next.pieces[WHITE], next.pieces[BLACK])];
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
    const struct rules *r = s->variant->rules;
    if (!captures || s->variant->captures_optional)
        s->left[place] =
            (uint8_t)bits_count(king_reach(r, empty_squares(r, &p), bits_first(p.pieces[BLACK])));
    if (captures && !captures_lose(s, &p, place)) s->left[place] = ESCAPES;
    if (!s->left[place]) set(s, BLACK, place, s->after[place] ? s->after[place] : 0 + 1);
}

// White can move to the lost position p, known to take plies - 1 more.
static void win_before(struct solving *s, const struct position *p, uint8_t plies) {
    const struct rules *r = s->variant->rules;
    const bitboard empty = empty_squares(r, p);
    for (bitboard kings = p->pieces[WHITE]; kings; kings = bits_without_lowest(kings)) {
        const bitboard others = p->pieces[WHITE] ^ bits_lowest(kings);
        for (bitboard from = king_reach(r, empty, bits_first(kings)); from;
             from = bits_without_lowest(from)) {
            const size_t place = place_of(s->ending->board, others | bits_lowest(from), p->pieces[BLACK]);
            if (s->ending->plies[WHITE][place] == UNKNOWN) set(s, WHITE, place, plies);
        }
    }
}

// The lone king's moves to the won position p are of no use to it.
static void lose_before(struct solving *s, const struct position *p, uint8_t plies) {
    const struct rules *r = s->variant->rules;
    for (bitboard from = king_reach(r, empty_squares(r, p), bits_first(p->pieces[BLACK])); from;
         from = bits_without_lowest(from)) {
        const size_t place = place_of(s->ending->board, p->pieces[WHITE], bits_lowest(from));
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

static void solve(struct solving *s, struct ending *e, struct board board, int kings) {
    e->board = board;
    e->kings = kings;
    e->size = (size_t)1 << board.bits * (kings + 1);
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
    return r->goal == NO_MOVE_LOSES && r->king_moves == DIAGONAL;
}

static void free_endings(struct endings *e) {
    for (int kings = 1; kings <= MOST_KINGS; kings++)
        for (int side = WHITE; side <= BLACK; side++) free(e->ending[kings].plies[side]);
    free(e);
}

static struct endings *solve_endings(const struct variant *variant, const atomic_bool *stop) {
    struct endings *e = memory_new(1, sizeof *e);
    const int width = variant->rules->width;
    e->variant = variant;
    e->board = (struct board){.width = width, .bits = width == 8 ? 5 : 6};
    e->most_kings = width == 8 ? MOST_KINGS : MOST_KINGS - 1;
    struct solving s = {
        .variant = variant,
        .fewer = e->ending,
        .list = memory_new(1, sizeof *s.list),
        .stop = stop,
    };
    for (int kings = 1; kings <= e->most_kings; kings++) solve(&s, &e->ending[kings], e->board, kings);
    free(s.list);
    if (!is_stopped(&s)) return e;
    free_endings(e);
    return NULL;
}

// Whoever comes first solves, the others wait.
const struct endings *endings_get(const struct variant *variant, const atomic_bool *stop) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct endings *solved;
    while (pthread_mutex_trylock(&lock)) {
        if (stop && atomic_load_explicit(stop, memory_order_relaxed)) return NULL;
        nanosleep(&(struct timespec){.tv_nsec = NAP_NANOSECONDS}, NULL);
    }
    struct endings *e = solved;
    while (e && e->variant != variant) e = e->next;
    if (!e && (e = solve_endings(variant, stop))) {
        e->next = solved;
        solved = e;
    }
    pthread_mutex_unlock(&lock);
    return e;
}

// As far as `strong` wins.
static bool find_win(const struct endings *e, const struct position *p, enum side strong, int *plies,
                     bool *won) {
    const int kings = bits_count(p->pieces[strong]);
    const bool strong_to_move = p->turn == strong;
    if (kings > e->most_kings) return false;
    const size_t place = place_of(e->board, p->pieces[strong], p->pieces[other_side(strong)]);
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

// Is this what a move leads to when the side that made it has so many plies left to win, or to lose?
static bool is_after(const struct endings *e, const struct position *p, int plies_before, bool won_before) {
    int plies;
    bool won;
    if (plies_before == 1) return !variant_can_move(e->variant, p);
    return endings_find(e, p, &plies, &won) && plies == plies_before - 1 && won != won_before;
}

bool endings_move(const struct endings *e, const struct position *p, struct move *move) {
    int plies;
    bool won, found = false;
    if (!endings_find(e, p, &plies, &won) || plies == 0) return false;
    struct move_list *list = memory_new(1, sizeof *list);
    e->variant->generate(p, list);
    for (int i = 0; i < list->count && !found; i++) {
        struct position after = *p;
        *move = list->moves[i];
        e->variant->play(&after, *move);
        found = is_after(e, &after, plies, won);
    }
    free(list);
    return found;
}
