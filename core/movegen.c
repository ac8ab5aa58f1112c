// movegen.c -- the moves of every variant: one body, compiled once per variant for exactly its rules.
//
// The bodies are always-inline functions that take `const struct rules *r`. Each variant has instances (the
// foot of this file) that pass the address of its constant descriptor, so every test of a rule and every step
// of the board folds to an immediate, and what does not apply disappears. ASSERT_FOLDED makes the build fail
// if that is ever lost. A function that recurses cannot be always-inline: such a body takes the instance that
// it recurses into as an argument, which folds to a direct call.
//
// A capture is walked with the moving piece's start square counted as empty and the pieces jumped so far
// still standing (unless the variant lifts them at once). Walks that come to the same square with the same
// pieces taken go on alike; positions where that happens a great many times, which would take for ever
// otherwise, are walked with a memory of the states seen (`walk_is_repeated`).
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/support/memory.h"
#include "core/variant.h"
#include "core/variants.h"

#if defined(__OPTIMIZE__) && defined(__GNUC__) && !defined(__clang__)
__attribute__((error("the rules must be constants here"))) void rules_are_not_constant(void);
#define ASSERT_FOLDED(r)                                                 \
    do {                                                                 \
        if (!__builtin_constant_p((r)->width)) rules_are_not_constant(); \
    } while (0)
#else
#define ASSERT_FOLDED(r) ((void)(r))
#endif

#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define NOINLINE    __attribute__((noinline))

// ---- steps ----

ALWAYS_INLINE int forward(enum side us) { return us == WHITE ? -1 : 1; }
ALWAYS_INLINE bitboard crown_row(const struct rules *r, enum side us) {
    return board_crown_row(r->width, us);
}

// DO(step) for each direction of a set, as `us` sees them, in the fixed order in which moves are generated.
#define FOR_EACH_STEP(r, us, set, DO)                                           \
    do {                                                                        \
        if ((set)&DIAGONAL_FORWARD) {                                           \
            DO(forward(us) * board_step_se(r->width));                          \
            DO(forward(us) * board_step_sw(r->width));                          \
        }                                                                       \
        if ((set)&DIAGONAL_BACKWARD) {                                          \
            DO(-forward(us) * board_step_sw(r->width));                         \
            DO(-forward(us) * board_step_se(r->width));                         \
        }                                                                       \
        if ((set)&STRAIGHT_FORWARD) DO(forward(us) * board_step_s(r->width));   \
        if ((set)&SIDEWAYS) {                                                   \
            DO(-board_step_e());                                                \
            DO(+board_step_e());                                                \
        }                                                                       \
        if ((set)&STRAIGHT_BACKWARD) DO(-forward(us) * board_step_s(r->width)); \
    } while (0)

// Bits step, 2 step, 3 step ...: a line of the board from bit 0, long enough for the longest.
ALWAYS_INLINE bitboard line_pattern(int step) {
    bitboard line = UINT64_C(1) << step;
    if (2 * step < 64) line |= line << step;
    if (3 * step < 64) line |= line << 2 * step;
    if (5 * step < 64) line |= line << 4 * step;
    if (9 * step < 64) line |= line << 8 * step;
    return line;
}

ALWAYS_INLINE bitboard line_pattern_down(int step) {
    bitboard line = UINT64_C(1) << (63 - step);
    if (2 * step < 64) line |= line >> step;
    if (3 * step < 64) line |= line >> 2 * step;
    if (5 * step < 64) line |= line >> 4 * step;
    if (9 * step < 64) line |= line >> 8 * step;
    return line;
}

// The squares in a direction from `at`, up to and including the first that is not empty (which may be a
// ghost). A line is a constant pattern shifted into place; off the board it is stopped by the ghost bits,
// which are never empty, or it leaves the word.
ALWAYS_INLINE bitboard reach(bitboard empty, square at, int step) {
    if (step > 0) {
        const bitboard line = line_pattern(step) << at;
        const bitboard blockers = line & ~empty;
        return line & (blockers ^ (blockers - 1));
    }
    // The same from the top bit downwards.
    const bitboard line = line_pattern_down(-step) >> (63 - at);
    const bitboard blockers = (line & ~empty) | 1;
    return line & (~UINT64_C(0) << (63 ^ __builtin_clzll(blockers)));
}

// What a king that stands on `at` may jump over in a direction, if it is prey and the square behind is free;
// 0 otherwise.
ALWAYS_INLINE bitboard king_target(const struct rules *r, bitboard empty, bitboard prey, square at,
                                   int step) {
    const bitboard behind_free = prey & bits_shift(empty, -step);
    if (r->king_range == SHORT_KING) return bits_shift(square_bit(at), step) & behind_free;
    return reach(empty, at, step) & behind_free;
}

// ---- the walk of one capture ----

struct walk {
    bitboard empty;  // free to pass and to land on
    bitboard prey;   // enemies not jumped yet
    bitboard kings;  // enemy kings
    bitboard captured;
    int best;        // the value of the captures in the list
    int depth;       // pieces captured so far
    unsigned order;  // Italian: which of the pieces captured are kings, the first in the highest bit
    square from;
    bool as_king;  // the piece was a king when the move began
    bool crowned;  // a man that became a king on the way
    bool paths;    // every order of capturing is a move of its own
    struct move_list *list;
    long jumps;           // tried so far
    struct states *seen;  // once there were many
};

// From this many jumps on a walk remembers its states; positions of play stay far below.
enum { MANY_JUMPS = 2000 };
// A list of paths cannot be shortened by a memory. Beyond this many jumps it is given up as too long.
enum { TOO_MANY_JUMPS = 20000000 };

struct state {
    bitboard captured;  // 0: the slot is free
    uint64_t place;
};

// Open addressing, half full at most.
struct states {
    size_t capacity, count;
    struct state *slots;
};

static struct state *states_slot(const struct states *s, struct state key) {
    const uint64_t hash =
        (key.captured ^ key.place * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xd1342543de82ef95);
    size_t i = (size_t)(hash >> 20) & (s->capacity - 1);
    while (s->slots[i].captured && (s->slots[i].captured != key.captured || s->slots[i].place != key.place))
        i = (i + 1) & (s->capacity - 1);
    return &s->slots[i];
}

// Has this walk been in this state before, so that all that follows is in the list already?
__attribute__((noinline, cold)) static bool walk_is_repeated(struct walk *w, square at, int came) {
    if (w->list->truncated && w->jumps > TOO_MANY_JUMPS) return true;
    if (w->paths) {
        if (w->jumps > TOO_MANY_JUMPS) w->list->truncated = true;
        return w->list->truncated;
    }
    struct states *s = w->seen;
    if (!s) {
        s = w->seen = memory_new(1, sizeof *s);
        s->capacity = 4096;
        s->slots = memory_new(s->capacity, sizeof *s->slots);
    }
    if (2 * s->count >= s->capacity) {
        const struct states old = *s;
        s->capacity *= 4;
        s->slots = memory_new(s->capacity, sizeof *s->slots);
        for (size_t i = 0; i < old.capacity; i++)
            if (old.slots[i].captured) *states_slot(s, old.slots[i]) = old.slots[i];
        free(old.slots);
    }
    const struct state key = {.captured = w->captured,
                              .place = (uint64_t)w->from | (uint64_t)at << 8 | (uint64_t)(came & 0xff) << 16 |
                                       (uint64_t)w->order << 24 | (uint64_t)w->crowned << 48};
    struct state *slot = states_slot(s, key);
    if (slot->captured) return true;
    *slot = key;
    s->count++;
    return false;
}

static void walk_forget(struct walk *w) {
    if (!w->seen) return;
    free(w->seen->slots);
    free(w->seen);
}

enum { ORDER_FIRST = 1 << 11 };  // a short king takes at most 12 pieces

// What a complete capture is worth when only the best may be played.
ALWAYS_INLINE int capture_value(const struct rules *r, const struct walk *w) {
    const int kings = bits_count(w->captured & w->kings);
    switch (r->priority) {
    case PRIORITY_NONE: return 0;
    case PRIORITY_QUANTITY: return w->depth;
    case PRIORITY_QUANTITY_KINGS: return w->depth << 5 | kings;
    case PRIORITY_ITALIAN:  // compared in the order of FID 6.6-6.9
        return (w->depth << 17) | (w->as_king << 16) | (kings << 12) | (int)w->order;
    case PRIORITY_KING_FIRST: return w->as_king;
    case PRIORITY_VALUE:  // FRIS 11: k kings lie between 2k-1 and 2k men; 12: equal value, then with the king
        return ((w->depth + kings) * 32 - kings) << 1 | w->as_king;
    }
    __builtin_unreachable();
}

ALWAYS_INLINE void add_capture(const struct rules *r, struct walk *w, square to, bool crowned) {
    struct move_list *list = w->list;
    if (r->priority != PRIORITY_NONE) {
        const int value = capture_value(r, w);
        if (value < w->best) return;
        if (value > w->best) {
            w->best = value;
            list->count = 0;
            list->truncated = false;
        }
    }
    // Two routes to one capture take three pieces at least: with two, each would have to lie on a line from
    // the start square and on a line from the landing behind the other, which no pair of directions allows.
    if (w->depth >= 3 && !w->paths)
        for (int i = 0; i < list->count; i++) {
            const struct move *m = &list->moves[i];
            if (m->captured == w->captured && m->to == to && m->from == w->from && m->crowned == crowned)
                return;
        }
    if (UNLIKELY(list->count == MAX_CAPTURES)) {
        list->truncated = true;
        return;
    }
    list->moves[list->count++] =
        (struct move){.captured = w->captured, .from = w->from, .to = to, .crowned = crowned};
}

ALWAYS_INLINE void take(const struct rules *r, struct walk *w, bitboard piece) {
    w->prey ^= piece;
    w->captured ^= piece;
    if (r->removal == REMOVED_AT_ONCE) w->empty ^= piece;
    if (r->priority == PRIORITY_ITALIAN && piece & w->kings) w->order |= (unsigned)ORDER_FIRST >> w->depth;
    w->depth++;
    w->jumps++;
}

ALWAYS_INLINE void give_back(const struct rules *r, struct walk *w, bitboard piece) {
    w->depth--;
    if (r->priority == PRIORITY_ITALIAN && piece & w->kings) w->order &= ~((unsigned)ORDER_FIRST >> w->depth);
    if (r->removal == REMOVED_AT_ONCE) w->empty ^= piece;
    w->captured ^= piece;
    w->prey ^= piece;
}

// The instances that the bodies recurse into: the walk goes on from `at` (a king: the first square behind the
// piece it has just jumped, coming by the step `came`).
typedef void man_walk(struct walk *w, square at);
typedef void king_walk(struct walk *w, square at, int came);

ALWAYS_INLINE bool king_jump(const struct rules *r, struct walk *w, square at, int step, king_walk *jumped) {
    const bitboard over = king_target(r, w->empty, w->prey, at, step);
    if (!over) return false;
    take(r, w, over);
    jumped(w, (square)(bits_first(over) + step), step);
    give_back(r, w, over);
    return true;
}

// Jumps in every direction but straight back, where the piece just jumped stands (unless it is lifted at
// once), and, if asked, but straight on.
ALWAYS_INLINE bool king_jumps(const struct rules *r, struct walk *w, square at, int came, bool turns_only,
                              king_walk *jumped) {
    bool found = false;
#define JUMP(step)                                                                             \
    if ((r->removal == REMOVED_AT_ONCE || (step) != -came) && !(turns_only && (step) == came)) \
    found |= king_jump(r, w, at, step, jumped)
    FOR_EACH_STEP(r, WHITE, r->king_captures, JUMP);
#undef JUMP
    return found;
}

ALWAYS_INLINE void king_jumped(const struct rules *r, struct walk *w, square at, int came, king_walk *again) {
    if (UNLIKELY(w->jumps > MANY_JUMPS) && walk_is_repeated(w, at, came)) return;
    bool found = king_jumps(r, w, at, came, false, again);
    if (r->king_range == SHORT_KING || r->king_landing == LANDS_RIGHT_BEHIND) {
        if (!found) add_capture(r, w, at, w->crowned);
        return;
    }
    // From the squares further on the line only a turn is new. The landing is free only if no landing square
    // lets the capture go on.
    for (bitboard sq = bits_shift(square_bit(at), came); sq & w->empty; sq = bits_shift(sq, came))
        found |= king_jumps(r, w, bits_first(sq), came, true, again);
    if (found) return;
    if (r->king_landing == LANDS_BEHIND_LAST_KING && bits_shift(square_bit(at), -came) & w->kings) {
        add_capture(r, w, at, w->crowned);
        return;
    }
    for (bitboard sq = square_bit(at); sq & w->empty; sq = bits_shift(sq, came))
        add_capture(r, w, bits_first(sq), w->crowned);
}

ALWAYS_INLINE bool man_jump(const struct rules *r, enum side us, struct walk *w, square at, int step,
                            man_walk *jumped, king_walk *crowned) {
    const bitboard prey = r->men_capture_kings ? w->prey : w->prey & ~w->kings;
    const bitboard over = bits_shift(square_bit(at), step) & prey & bits_shift(w->empty, -step);
    if (!over) return false;
    const square to = (square)(at + 2 * step);
    take(r, w, over);
    const bool reaches = square_bit(to) & crown_row(r, us);
    if (r->crowning == CROWNING_CONTINUES && reaches) {
        w->crowned = true;
        if (!king_jumps(r, w, to, step, false, crowned)) add_capture(r, w, to, true);
        w->crowned = false;
    } else if (r->crowning == CROWNING_STOPS && reaches) {
        add_capture(r, w, to, true);
    } else {
        jumped(w, to);
    }
    give_back(r, w, over);
    return true;
}

ALWAYS_INLINE bool man_jumps(const struct rules *r, enum side us, struct walk *w, square at, man_walk *jumped,
                             king_walk *crowned) {
    bool found = false;
#define JUMP(step) found |= man_jump(r, us, w, at, step, jumped, crowned)
    FOR_EACH_STEP(r, us, r->man_captures, JUMP);
#undef JUMP
    return found;
}

ALWAYS_INLINE void man_jumped(const struct rules *r, enum side us, struct walk *w, square at, man_walk *again,
                              king_walk *crowned) {
    if (UNLIKELY(w->jumps > MANY_JUMPS) && walk_is_repeated(w, at, 0)) return;
    if (!man_jumps(r, us, w, at, again, crowned)) add_capture(r, w, at, square_bit(at) & crown_row(r, us));
}

// ---- what each side has and can do, for the whole board at once ----

struct board {
    bitboard men, kings;         // ours
    bitboard prey, enemy_kings;  // theirs
    bitboard empty;
};

ALWAYS_INLINE struct board board_of(const struct rules *r, bitboard ours, bitboard theirs, bitboard kings) {
    return (struct board){.men = ours & ~kings,
                          .kings = ours & kings,
                          .prey = theirs,
                          .enemy_kings = theirs & kings,
                          .empty = board_all(r->width) & ~(ours | theirs)};
}

ALWAYS_INLINE struct board board_seen_by(const struct rules *r, enum side us, const struct position *p) {
    return board_of(r, p->pieces[us], p->pieces[other_side(us)], p->kings);
}

ALWAYS_INLINE bitboard men_prey(const struct rules *r, const struct board *b) {
    return r->men_capture_kings ? b->prey : b->prey & ~b->enemy_kings;
}

// Squares from which a man of ours could jump in a direction.
ALWAYS_INLINE bitboard jumps_from(bitboard prey, bitboard empty, int step) {
    return bits_shift(prey & bits_shift(empty, -step), -step);
}

ALWAYS_INLINE bitboard men_that_jump(const struct rules *r, enum side us, const struct board *b) {
    const bitboard prey = men_prey(r, b);
    bitboard who = 0;
#define WHO(step) who |= jumps_from(prey, b->empty, step)
    FOR_EACH_STEP(r, us, r->man_captures, WHO);
#undef WHO
    return who & b->men;
}

ALWAYS_INLINE bool king_can_jump(const struct rules *r, const struct board *b, square at) {
    bitboard over = 0;
#define OVER(step) over |= king_target(r, b->empty, b->prey, at, step)
    FOR_EACH_STEP(r, WHITE, r->king_captures, OVER);
#undef OVER
    return over;
}

ALWAYS_INLINE bool can_capture(const struct rules *r, enum side us, const struct position *p) {
    ASSERT_FOLDED(r);
    const struct board b = board_seen_by(r, us, p);
    if (men_that_jump(r, us, &b)) return true;
    for (bitboard kings = b.kings; kings; kings = bits_without_lowest(kings))
        if (king_can_jump(r, &b, bits_first(kings))) return true;
    return false;
}

// ---- lists of moves ----

ALWAYS_INLINE void add_captures(const struct rules *r, enum side us, const struct board *b,
                                struct move_list *list, bool paths, man_walk *man, king_walk *king) {
    list->count = 0;
    list->truncated = false;
    struct walk w = {.prey = b->prey, .kings = b->enemy_kings, .list = list, .paths = paths};
    for (bitboard men = men_that_jump(r, us, b); men; men = bits_without_lowest(men)) {
        w.from = bits_first(men);
        w.empty = b->empty | square_bit(w.from);
        man_jumps(r, us, &w, w.from, man, king);
    }
    w.as_king = true;
    for (bitboard kings = b->kings; kings; kings = bits_without_lowest(kings)) {
        w.from = bits_first(kings);
        w.empty = b->empty | square_bit(w.from);
        king_jumps(r, &w, w.from, 0, false, king);
    }
    list->captures = list->count;
    walk_forget(&w);
}

// Men of ours that may step one square in a direction.
ALWAYS_INLINE bitboard men_that_step(const struct board *b, int step) {
    return b->men & bits_shift(b->empty, -step);
}

ALWAYS_INLINE bitboard king_steps(const struct rules *r, const struct board *b, square at, int step) {
    if (r->king_range == SHORT_KING) return bits_shift(square_bit(at), step) & b->empty;
    return reach(b->empty, at, step) & b->empty;
}

// Kings that may make a quiet move (FRIS 17: not a fourth in a row by one king while its side has men).
ALWAYS_INLINE bitboard kings_free(const struct rules *r, enum side us, const struct position *p,
                                  const struct board *b) {
    if (r->king_move_limit && p->run[us].moves >= r->king_move_limit)
        return b->kings & ~square_bit(p->run[us].king);
    return b->kings;
}

ALWAYS_INLINE void add_quiet_moves(const struct rules *r, enum side us, const struct position *p,
                                   const struct board *b, struct move_list *list) {
    struct move *m = &list->moves[list->count];
#define MEN(step)                                                                                \
    for (bitboard from = men_that_step(b, step); from; from = bits_without_lowest(from)) {       \
        const square s = bits_first(from), to = (square)(s + (step));                            \
        *m++ = (struct move){.from = s, .to = to, .crowned = square_bit(to) & crown_row(r, us)}; \
    }
    FOR_EACH_STEP(r, us, r->man_moves, MEN);
#undef MEN
    for (bitboard kings = kings_free(r, us, p, b); kings; kings = bits_without_lowest(kings)) {
        const square s = bits_first(kings);
        bitboard to = 0;
#define KING(step) to |= king_steps(r, b, s, step)
        FOR_EACH_STEP(r, WHITE, r->king_moves, KING);
#undef KING
        for (; to; to = bits_without_lowest(to)) *m++ = (struct move){.from = s, .to = bits_first(to)};
    }
    list->count = (int)(m - list->moves);
    assert(list->count <= MAX_MOVES);
}

// The instances that list the captures and the quiet moves of a board.
typedef void captures_of(const struct board *b, struct move_list *list, bool paths);
typedef void quiet_moves_of(const struct position *p, const struct board *b, struct move_list *list);

ALWAYS_INLINE void generate(const struct rules *r, bool optional, enum side us, const struct position *p,
                            struct move_list *list, bool paths, captures_of *captures,
                            quiet_moves_of *quiet) {
    ASSERT_FOLDED(r);
    const struct board b = board_seen_by(r, us, p);
    captures(&b, list, paths);
    if (!list->count || optional) quiet(p, &b, list);
}

// ---- playing a move ----

// FRIS 17: a run counts the quiet moves in a row of one king, while its side has men.
ALWAYS_INLINE void count_king_run(struct position *p, enum side us, struct move m, bool king_moved) {
    const enum side them = other_side(us);
    struct king_run *run = &p->run[us];
    if (king_moved && !m.captured && position_men(p, us))
        *run = (struct king_run){.king = m.to,
                                 .moves = (uint8_t)(run->moves && run->king == m.from ? run->moves + 1 : 1)};
    else
        *run = (struct king_run){0};
    if (p->run[them].moves && (!(square_bit(p->run[them].king) & p->pieces[them]) || !position_men(p, them)))
        p->run[them] = (struct king_run){0};
}

ALWAYS_INLINE void play(const struct rules *r, enum side us, struct position *p, struct move m) {
    const enum side them = other_side(us);
    const bitboard from = square_bit(m.from), to = square_bit(m.to);
    const bool king = p->kings & from;
    p->pieces[us] = (p->pieces[us] & ~from) | to;
    p->pieces[them] &= ~m.captured;
    p->kings = (p->kings & ~(from | m.captured)) | (king || m.crowned ? to : 0);
    p->turn = (uint8_t)them;
    if (r->king_move_limit) count_king_run(p, us, m, king);
}

// ---- can the side to move step? ----

ALWAYS_INLINE bool can_step(const struct rules *r, enum side us, const struct position *p) {
    ASSERT_FOLDED(r);
    const struct board b = board_seen_by(r, us, p);
    bitboard steps = 0;
#define MEN(step) steps |= men_that_step(&b, step)
    FOR_EACH_STEP(r, us, r->man_moves, MEN);
#undef MEN
    if (steps || !b.kings) return steps;
    for (bitboard kings = kings_free(r, us, p, &b); kings; kings = bits_without_lowest(kings)) {
#define KING(step) steps |= king_steps(r, &b, bits_first(kings), step)
        FOR_EACH_STEP(r, WHITE, r->king_moves, KING);
#undef KING
    }
    return steps;
}

// ---- counting without building ----

// What a count needs besides the board.
struct counting {
    bool paths;
    struct move_list *lists;  // one for each ply
};

// Legal moves, or captures, of the side whose pieces are `ours`. The board comes in registers; `p` is asked
// only for what is not on the board. The common cases are counted by small functions that call the next,
// rarer one last, so that they need no stack.
typedef uint64_t count_of(const struct position *p, bitboard ours, bitboard theirs, bitboard kings,
                          const struct counting *c);

// Captures of men for the whole board at once. Men that jump the same way from different squares land on
// different squares, so one word holds all of them, and one set of landings for each sequence of directions
// holds every capture. Up to three pieces this is exact: a piece just jumped is straight back, which is left
// out, and not before the fourth jump can a man come to its start or to a piece that it took earlier.
struct men_jumps {
    bitboard prey;
    bitboard from[4];  // squares from which a man can jump, by direction
    uint64_t ends[4];  // captures that end after so many jumps
    bitboard beyond;   // landings where one goes on that this way of counting does not cover
};

// Diagonal directions 0 and 1 are forward, 2 and 3 backward; the opposite of d is 3 - d.
ALWAYS_INLINE int diagonal_step(const struct rules *r, enum side us, int d) {
    const int step = d == 0 || d == 3 ? board_step_se(r->width) : board_step_sw(r->width);
    return d < 2 ? forward(us) * step : -forward(us) * step;
}
ALWAYS_INLINE int man_directions(const struct rules *r) {
    return r->man_captures & DIAGONAL_BACKWARD ? 4 : 2;
}

#define FOR_EACH_MAN_DIRECTION(r, d) \
    _Pragma("GCC unroll 4") for (int d = 0; d < 4; d++) if (d < man_directions(r))

ALWAYS_INLINE bitboard land(const struct rules *r, enum side us, bitboard from, int d) {
    return bits_shift(from, 2 * diagonal_step(r, us, d));
}

// From where men that came by direction `came` can jump on.
ALWAYS_INLINE bitboard jumps_on(const struct rules *r, const struct men_jumps *j, int came) {
    bitboard on = 0;
    FOR_EACH_MAN_DIRECTION(r, d) if (d != 3 - came) on |= j->from[d];
    return on;
}

// Where a man in mid-capture becomes a king, whose jumps are not those of a man.
ALWAYS_INLINE bitboard goes_on_as_king(const struct rules *r, enum side us) {
    return r->crowning == CROWNING_CONTINUES ? crown_row(r, us) : 0;
}

ALWAYS_INLINE void after_three_jumps(const struct rules *r, enum side us, struct men_jumps *j,
                                     bitboard landed, int first, int second, int third) {
    j->ends[3] += (uint64_t)bits_count(landed);
    j->beyond |= landed & (jumps_on(r, j, third) | goes_on_as_king(r, us));
    // Round the square: the fourth jump may end where the first began, a square `from` takes for occupied.
    if (third == 3 - first) j->beyond |= landed & bits_shift(j->prey, -diagonal_step(r, us, 3 - second));
}

ALWAYS_INLINE void after_two_jumps(const struct rules *r, enum side us, struct men_jumps *j, bitboard landed,
                                   int first, int second) {
    if (!landed) return;
    j->beyond |= landed & goes_on_as_king(r, us);
    const bitboard on = landed & jumps_on(r, j, second);
    j->ends[2] += (uint64_t)bits_count(landed & ~on);
    if (!on) return;
    FOR_EACH_MAN_DIRECTION(r, d)
    if (d != 3 - second) after_three_jumps(r, us, j, land(r, us, on & j->from[d], d), first, second, d);
}

ALWAYS_INLINE void after_one_jump(const struct rules *r, enum side us, struct men_jumps *j, bitboard landed,
                                  int first) {
    if (!landed) return;
    j->beyond |= landed & goes_on_as_king(r, us);
    const bitboard on = landed & jumps_on(r, j, first);
    j->ends[1] += (uint64_t)bits_count(landed & ~on);
    if (!on) return;
    FOR_EACH_MAN_DIRECTION(r, d)
    if (d != 3 - first) after_two_jumps(r, us, j, land(r, us, on & j->from[d], d), first, d);
}

// Every capture, walked and listed.
ALWAYS_INLINE uint64_t count_by_list(const struct rules *r, enum side us, bitboard ours, bitboard theirs,
                                     bitboard kings, const struct counting *c, captures_of *captures) {
    const struct board b = board_of(r, ours, theirs, kings);
    struct move_list *list = c->lists;
    captures(&b, list, c->paths);
    if (UNLIKELY(list->truncated)) {
        struct position p = {.kings = kings, .turn = (uint8_t)us};
        p.pieces[us] = ours;
        p.pieces[other_side(us)] = theirs;
        variant_too_many_captures(r->name, &p);
    }
    return (uint64_t)list->count;
}

// Captures of a side without kings, some of them perhaps of several pieces.
ALWAYS_INLINE uint64_t count_long_captures(const struct rules *r, enum side us, const struct position *p,
                                           bitboard ours, bitboard theirs, bitboard kings,
                                           const struct counting *c, count_of *by_list) {
    const struct board b = board_of(r, ours, theirs, kings);
    struct men_jumps j = {.prey = men_prey(r, &b)};
    FOR_EACH_MAN_DIRECTION(r, d) j.from[d] = jumps_from(j.prey, b.empty, diagonal_step(r, us, d));
    FOR_EACH_MAN_DIRECTION(r, d) after_one_jump(r, us, &j, land(r, us, ours & j.from[d], d), d);
    if (j.beyond) return by_list(p, ours, theirs, kings, c);
    if (r->priority == PRIORITY_NONE || r->priority == PRIORITY_KING_FIRST)
        return j.ends[1] + j.ends[2] + j.ends[3];
    return j.ends[3] ? j.ends[3] : j.ends[2] ? j.ends[2] : j.ends[1];
}

// Captures of a side without kings, where there is one.
ALWAYS_INLINE uint64_t count_captures_of_men(const struct rules *r, enum side us, const struct position *p,
                                             bitboard ours, bitboard theirs, bitboard kings,
                                             const struct counting *c, count_of *longer, count_of *by_list) {
    // A tie-break looks at what is captured.
    if ((r->priority == PRIORITY_QUANTITY_KINGS || r->priority == PRIORITY_VALUE) && theirs & kings)
        return by_list(p, ours, theirs, kings, c);
    const struct board b = board_of(r, ours, theirs, kings);
    const bitboard prey = men_prey(r, &b);
    bitboard landed = 0, on = 0;
    uint64_t count = 0;
    FOR_EACH_MAN_DIRECTION(r, d) {
        const bitboard from = jumps_from(prey, b.empty, diagonal_step(r, us, d));
        const bitboard to = land(r, us, ours & from, d);
        count += (uint64_t)bits_count(to);
        landed |= to;
        on |= from;
    }
    // No man can jump straight back at once: its start is not free in `from`.
    if (landed & (on | goes_on_as_king(r, us))) return longer(p, ours, theirs, kings, c);
    return count;
}

ALWAYS_INLINE uint64_t count_steps(const struct rules *r, enum side us, const struct board *b) {
    uint64_t count = 0;
#define MEN(step) count += (uint64_t)bits_count(men_that_step(b, step))
    FOR_EACH_STEP(r, us, r->man_moves, MEN);
#undef MEN
    return count;
}

// Moves where kings or straight captures ask for a closer look.
ALWAYS_INLINE uint64_t count_with_kings(const struct rules *r, bool optional, enum side us,
                                        const struct position *p, bitboard ours, bitboard theirs,
                                        bitboard kings, const struct counting *c, count_of *by_list) {
    const struct board b = board_of(r, ours, theirs, kings);
    uint64_t count = 0;
    bool any = men_that_jump(r, us, &b);
    for (bitboard k = b.kings; !any && k; k = bits_without_lowest(k))
        any = king_can_jump(r, &b, bits_first(k));
    if (any) {
        count = by_list(p, ours, theirs, kings, c);
        if (!optional) return count;
    }
    count += count_steps(r, us, &b);
    for (bitboard k = kings_free(r, us, p, &b); k; k = bits_without_lowest(k)) {
        bitboard to = 0;
#define KING(step) to |= king_steps(r, &b, bits_first(k), step)
        FOR_EACH_STEP(r, WHITE, r->king_moves, KING);
#undef KING
        count += (uint64_t)bits_count(to);
    }
    return count;
}

ALWAYS_INLINE uint64_t count_moves(const struct rules *r, bool optional, enum side us,
                                   const struct position *p, bitboard ours, bitboard theirs, bitboard kings,
                                   const struct counting *c, count_of *captures_of_men,
                                   count_of *with_kings) {
    ASSERT_FOLDED(r);
    if (r->man_captures & STRAIGHT || ours & kings) return with_kings(p, ours, theirs, kings, c);
    const struct board b = board_of(r, ours, theirs, kings);
    if (!men_that_jump(r, us, &b)) return count_steps(r, us, &b);
    if (!optional) return captures_of_men(p, ours, theirs, kings, c);
    return captures_of_men(p, ours, theirs, kings, c) + count_steps(r, us, &b);
}

// ---- perft ----

typedef uint64_t perft_of(const struct position *p, int depth, const struct counting *c);

// Two plies: quiet moves of men are not listed, each is counted on from the board it leads to.
ALWAYS_INLINE uint64_t perft_2(const struct rules *r, bool optional, enum side us, const struct position *p,
                               const struct counting *c, captures_of *captures, quiet_moves_of *quiet,
                               count_of *count) {
    const enum side them = other_side(us);
    struct move_list *list = &c->lists[1];
    struct board b = board_seen_by(r, us, p);
    uint64_t leaves = 0;
    captures(&b, list, c->paths);
    if (!list->count || optional) {
        const bitboard ours = p->pieces[us], theirs = p->pieces[them];
#define MEN(step)                                                                            \
    for (bitboard men = men_that_step(&b, step); men; men = bits_without_lowest(men)) {      \
        const bitboard from = bits_lowest(men), to = bits_shift(from, step);                 \
        leaves += count(p, theirs, ours ^ from ^ to, p->kings | (to & crown_row(r, us)), c); \
    }
        FOR_EACH_STEP(r, us, r->man_moves, MEN);
#undef MEN
        b.men = 0;
        if (b.kings) quiet(p, &b, list);
    }
    for (int i = 0; i < list->count; i++) {
        struct position next = *p;
        play(r, us, &next, list->moves[i]);
        leaves += count(&next, next.pieces[them], next.pieces[us], next.kings, c);
    }
    return leaves;
}

ALWAYS_INLINE uint64_t perft(const struct rules *r, bool optional, enum side us, const struct position *p,
                             int depth, const struct counting *c, captures_of *captures,
                             quiet_moves_of *quiet, perft_of *two_plies, perft_of *again) {
    struct move_list *list = &c->lists[depth - 1];
    generate(r, optional, us, p, list, c->paths, captures, quiet);
    if (UNLIKELY(list->truncated)) variant_too_many_captures(r->name, p);
    uint64_t leaves = 0;
    for (int i = 0; i < list->count; i++) {
        struct position next = *p;
        play(r, us, &next, list->moves[i]);
        leaves += depth == 3 ? two_plies(&next, 2, c) : again(&next, depth - 1, c);
    }
    return leaves;
}

// ---- instances: one set of functions for each game, and for its "+free" form ----

#define COUNT_ARGUMENTS \
    const struct position *p, bitboard ours, bitboard theirs, bitboard kings, const struct counting *c

// What captures optional or not does not touch.
#define DEFINE_GAME(id, R)                                                                              \
    static void id##_king_jumped(struct walk *w, square at, int came) {                                 \
        king_jumped(&R, w, at, came, id##_king_jumped);                                                 \
    }                                                                                                   \
    DEFINE_GAME_OF(id, R, white, WHITE)                                                                 \
    DEFINE_GAME_OF(id, R, black, BLACK)                                                                 \
    static bool id##_can_capture(const struct position *p) {                                            \
        return p->turn == WHITE ? can_capture(&R, WHITE, p) : can_capture(&R, BLACK, p);                \
    }                                                                                                   \
    static bool id##_can_step(const struct position *p) {                                               \
        return p->turn == WHITE ? can_step(&R, WHITE, p) : can_step(&R, BLACK, p);                      \
    }                                                                                                   \
    static void id##_captures(const struct position *p, struct move_list *list) {                       \
        const struct board b = board_seen_by(&R, (enum side)p->turn, p);                                \
        p->turn == WHITE ? id##_white_captures(&b, list, false) : id##_black_captures(&b, list, false); \
    }                                                                                                   \
    static void id##_play(struct position *p, struct move m) { play(&R, (enum side)p->turn, p, m); }

#define DEFINE_GAME_OF(id, R, colour, US)                                                              \
    static void id##_##colour##_man_jumped(struct walk *w, square at) {                                \
        man_jumped(&R, US, w, at, id##_##colour##_man_jumped, id##_king_jumped);                       \
    }                                                                                                  \
    NOINLINE static void id##_##colour##_captures(const struct board *b, struct move_list *list,       \
                                                  bool paths) {                                        \
        add_captures(&R, US, b, list, paths, id##_##colour##_man_jumped, id##_king_jumped);            \
    }                                                                                                  \
    NOINLINE static void id##_##colour##_quiet_moves(const struct position *p, const struct board *b,  \
                                                     struct move_list *list) {                         \
        add_quiet_moves(&R, US, p, b, list);                                                           \
    }                                                                                                  \
    NOINLINE static uint64_t id##_##colour##_by_list(COUNT_ARGUMENTS) {                                \
        (void)p;                                                                                       \
        return count_by_list(&R, US, ours, theirs, kings, c, id##_##colour##_captures);                \
    }                                                                                                  \
    NOINLINE static uint64_t id##_##colour##_long_captures(COUNT_ARGUMENTS) {                          \
        return count_long_captures(&R, US, p, ours, theirs, kings, c, id##_##colour##_by_list);        \
    }                                                                                                  \
    NOINLINE static uint64_t id##_##colour##_captures_of_men(COUNT_ARGUMENTS) {                        \
        return count_captures_of_men(&R, US, p, ours, theirs, kings, c, id##_##colour##_long_captures, \
                                     id##_##colour##_by_list);                                         \
    }

// What lists or counts all legal moves, in the plain or the free form of a game.
#define DEFINE_FORM(form, id, R, optional)                                                                   \
    DEFINE_COUNT_OF(form, id, R, optional, white, WHITE)                                                     \
    DEFINE_COUNT_OF(form, id, R, optional, black, BLACK)                                                     \
    DEFINE_PERFT_OF(form, id, R, optional, white, WHITE, black)                                              \
    DEFINE_PERFT_OF(form, id, R, optional, black, BLACK, white)                                              \
    static void form##_generate(const struct position *p, struct move_list *list) {                          \
        p->turn == WHITE ? form##_white_generate(p, list, false) : form##_black_generate(p, list, false);    \
    }                                                                                                        \
    static void form##_generate_paths(const struct position *p, struct move_list *list) {                    \
        p->turn == WHITE ? form##_white_generate(p, list, true) : form##_black_generate(p, list, true);      \
    }                                                                                                        \
    static uint64_t form##_perft(const struct position *p, int depth, bool paths, struct move_list *lists) { \
        return perft_from(p, depth, paths, lists,                                                            \
                          p->turn == WHITE ? form##_white_perft : form##_black_perft);                       \
    }

#define DEFINE_COUNT_OF(form, id, R, optional, colour, US)                                                 \
    static void form##_##colour##_generate(const struct position *p, struct move_list *list, bool paths) { \
        generate(&R, optional, US, p, list, paths, id##_##colour##_captures, id##_##colour##_quiet_moves); \
    }                                                                                                      \
    NOINLINE static uint64_t form##_##colour##_with_kings(COUNT_ARGUMENTS) {                               \
        return count_with_kings(&R, optional, US, p, ours, theirs, kings, c, id##_##colour##_by_list);     \
    }                                                                                                      \
    NOINLINE static uint64_t form##_##colour##_count(COUNT_ARGUMENTS) {                                    \
        return count_moves(&R, optional, US, p, ours, theirs, kings, c, id##_##colour##_captures_of_men,   \
                           form##_##colour##_with_kings);                                                  \
    }                                                                                                      \
    static perft_of form##_##colour##_perft, form##_##colour##_perft_2;

#define DEFINE_PERFT_OF(form, id, R, optional, colour, US, other)                                            \
    static uint64_t form##_##colour##_perft_2(const struct position *p, int depth,                           \
                                              const struct counting *c) {                                    \
        (void)depth;                                                                                         \
        return perft_2(&R, optional, US, p, c, id##_##colour##_captures, id##_##colour##_quiet_moves,        \
                       form##_##other##_count);                                                              \
    }                                                                                                        \
    static uint64_t form##_##colour##_perft(const struct position *p, int depth, const struct counting *c) { \
        if (depth == 1)                                                                                      \
            return form##_##colour##_count(p, p->pieces[US], p->pieces[other_side(US)], p->kings, c);        \
        if (depth == 2) return form##_##colour##_perft_2(p, depth, c);                                       \
        return perft(&R, optional, US, p, depth, c, id##_##colour##_captures, id##_##colour##_quiet_moves,   \
                     form##_##other##_perft_2, form##_##other##_perft);                                      \
    }

static uint64_t perft_from(const struct position *p, int depth, bool paths, struct move_list *lists,
                           perft_of *tree) {
    assert(depth >= 1);
    struct move_list *own = lists ? NULL : memory_new((size_t)depth, sizeof *own);
    const struct counting c = {.paths = paths, .lists = lists ? lists : own};
    const uint64_t leaves = tree(p, depth, &c);
    free(own);
    return leaves;
}

#define DEFINE_10X10(id, R) DEFINE_GAME(id, R) DEFINE_FORM(id, id, R, false)
#define DEFINE_8X8(id, R)   DEFINE_10X10(id, R) DEFINE_FORM(id##_free, id, R, true)

FOR_EACH_8X8_GAME(DEFINE_8X8)
FOR_EACH_10X10_GAME(DEFINE_10X10)

#define ROW(form, id, text, R, optional)      \
    {.name = text,                            \
     .rules = &R,                             \
     .captures_optional = optional,           \
     .generate = form##_generate,             \
     .captures = id##_captures,               \
     .generate_paths = form##_generate_paths, \
     .can_capture = id##_can_capture,         \
     .can_step = id##_can_step,               \
     .play = id##_play,                       \
     .perft = form##_perft},
#define PLAIN(id, R)                ROW(id, id, #id, R, false)
#define FREE(id, R)                 ROW(id##_free, id, #id "+free", R, true)
#define SAME_GAME(name, R, id)      ROW(id, id, #name, R, false)
#define SAME_GAME_FREE(name, R, id) ROW(id##_free, id, #name "+free", R, true)

const struct variant variants[] = {
    // clang-format off
    FOR_EACH_8X8_GAME(PLAIN)
    FOR_EACH_8X8_NAMESAKE(SAME_GAME)
    FOR_EACH_10X10_GAME(PLAIN)
    FOR_EACH_8X8_GAME(FREE)
    FOR_EACH_8X8_NAMESAKE(SAME_GAME_FREE)
    // clang-format on
};
const int variant_count = sizeof variants / sizeof *variants;
