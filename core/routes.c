// routes.c -- a walk over everything that one capture may jump, until a way is found that ends as the move
// does.
//
// The walk keeps to the pieces that the move takes. Walks that have come to the same square the same way with
// the same pieces taken go on alike, so that it is enough to fail there once: such states are remembered.
#include "core/routes.h"

#include <assert.h>
#include <stdlib.h>

#include "core/support/memory.h"

enum {
    DIRECTIONS = 8,
    NOWHERE = DIRECTIONS,       // the direction of a walk that has not begun
    MAX_DEAD_STATES = 1 << 20,  // a search that remembers more is given up
};

// Directions in the order of generation; d ^ 3 is the opposite of d.
static const unsigned direction_sets[DIRECTIONS] = {
    DIAGONAL_FORWARD, DIAGONAL_FORWARD, DIAGONAL_BACKWARD, DIAGONAL_BACKWARD,
    STRAIGHT_FORWARD, SIDEWAYS,         SIDEWAYS,          STRAIGHT_BACKWARD,
};

struct dead_states {
    size_t count, capacity;  // capacity: 0 or a power of two
    uint64_t *keys;          // 0 = free
};

struct walk {
    const struct rules *rules;
    enum side us;
    int steps[DIRECTIONS];
    bitboard empty;  // the start square included
    bitboard enemies, kings;
    struct move move;
    const square *via;
    int via_count;
    bool stops_only;  // `via` are stops of the route
    // Italian: whether the n-th piece taken is a king, for the first `ordered` pieces.
    uint32_t king_order;
    int ordered;
    struct route route;
    route_visit *visit;
    void *context;
    struct dead_states dead;
    bool over, gave_up;
};

// Where a walk stands. After a jump, `at` is the square right behind the piece.
struct state {
    bitboard taken;
    square at;
    uint8_t came;  // direction of the last jump
    uint8_t via;   // squares of `via` passed
    bool king;     // moves as a king from here on
    bool slides;   // may have landed further on than `at`
};

static struct walk walk_new(const struct variant *variant, const struct position *p, struct move move) {
    const struct rules *r = variant->rules;
    const enum side us = position_turn(p);
    const int forward = us == WHITE ? -1 : 1;
    const int sw = board_step_sw(r->width), se = board_step_se(r->width), south = board_step_s(r->width);
    const int east = board_step_e();
    return (struct walk){
        .rules = r,
        .us = us,
        .steps = {forward * se, forward * sw, -forward * sw, -forward * se, forward * south, -east, east,
                  -forward * south},
        .empty = (board_all(r->width) & ~(p->pieces[WHITE] | p->pieces[BLACK])) | square_bit(move.from),
        .enemies = p->pieces[other_side(us)],
        .kings = p->kings,
        .move = move,
    };
}

static struct state walk_start(const struct walk *w) {
    return (struct state){.at = w->move.from, .came = NOWHERE, .king = w->kings & square_bit(w->move.from)};
}

// ---- one jump ----

static bitboard empty_now(const struct walk *w, bitboard taken) {
    return w->rules->removal == REMOVED_AT_ONCE ? w->empty | taken : w->empty;
}

// The piece that can be jumped from a square in a direction, 0 if there is none.
static bitboard jump(const struct walk *w, const struct state *s, bitboard from, int direction) {
    const struct rules *r = w->rules;
    if (!((s->king ? r->king_captures : r->man_captures) & direction_sets[direction])) return 0;
    const int step = w->steps[direction];
    const bitboard empty = empty_now(w, s->taken);
    bitboard prey = w->enemies & ~s->taken;
    if (!s->king && !r->men_capture_kings) prey &= ~w->kings;
    bitboard over = bits_shift(from, step);
    if (s->king && r->king_range == FLYING_KING)
        while (over & empty) over = bits_shift(over, step);
    return over & prey & bits_shift(empty, -step);
}

// The next square on which the piece may have landed instead of `landing`, 0 if there is none.
static bitboard landing_after(const struct walk *w, const struct state *s, bitboard landing) {
    if (!s->slides || w->rules->king_landing == LANDS_RIGHT_BEHIND) return 0;
    return bits_shift(landing, w->steps[s->came]) & empty_now(w, s->taken);
}

static bool on_crown_row(const struct walk *w, square s) {
    return square_bit(s) & board_crown_row(w->rules->width, w->us);
}

static struct state after_jump(const struct walk *w, const struct state *s, bitboard over, int direction) {
    struct state next = *s;
    next.taken |= over;
    next.at = bits_first(bits_shift(over, w->steps[direction]));
    next.came = (uint8_t)direction;
    next.slides = s->king && w->rules->king_range == FLYING_KING;
    if (!s->king && w->rules->crowning == CROWNING_CONTINUES && on_crown_row(w, next.at)) next.king = true;
    return next;
}

static void pass_square(const struct walk *w, struct state *s, bitboard passed) {
    if (s->via < w->via_count && passed & square_bit(w->via[s->via])) s->via++;
}

// Counts the squares of `via` passed on the line of the last jump, which stops at `stop`: those up to `last`,
// or up to the next piece.
static void pass(const struct walk *w, struct state *s, square stop, bitboard last) {
    if (w->stops_only) {
        pass_square(w, s, square_bit(stop));
        return;
    }
    for (bitboard landing = square_bit(s->at); landing; landing = landing_after(w, s, landing)) {
        pass_square(w, s, landing);
        if (landing == last) return;
    }
}

// ---- dead ends ----

static uint64_t state_key(const struct walk *w, const struct state *s) {
    uint64_t key = 1;
    for (bitboard all = w->move.captured; all; all = bits_without_lowest(all))
        key = key << 1 | !!(s->taken & bits_lowest(all));
    key = key << 6 | s->at;
    key = key << 4 | s->came;
    key = key << 6 | s->via;
    return key << 2 | (uint64_t)s->king << 1 | s->slides;
}

static uint64_t *dead_slot(const struct dead_states *dead, uint64_t key) {
    size_t i = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (dead->capacity - 1);
    while (dead->keys[i] && dead->keys[i] != key) i = (i + 1) & (dead->capacity - 1);
    return &dead->keys[i];
}

static bool is_dead(const struct walk *w, uint64_t key) {
    return w->dead.capacity && *dead_slot(&w->dead, key) == key;
}

static void remember_dead(struct walk *w, uint64_t key) {
    struct dead_states *dead = &w->dead;
    if (dead->count == MAX_DEAD_STATES) {
        w->over = w->gave_up = true;
        return;
    }
    if (2 * dead->count >= dead->capacity) {
        const struct dead_states old = *dead;
        dead->capacity = old.capacity ? 4 * old.capacity : 256;
        dead->keys = memory_new(dead->capacity, sizeof *dead->keys);
        for (size_t i = 0; i < old.capacity; i++)
            if (old.keys[i]) *dead_slot(dead, old.keys[i]) = old.keys[i];
        free(old.keys);
    }
    *dead_slot(dead, key) = key;
    dead->count++;
}

// ---- the walk ----

static bool crowned_and_done(const struct walk *w, const struct state *s) {
    return !s->king && w->rules->crowning == CROWNING_STOPS && on_crown_row(w, s->at);
}

// Can the capture go on from any square where the piece may have landed?
static bool must_go_on(const struct walk *w, const struct state *s) {
    if (crowned_and_done(w, s)) return false;
    for (bitboard landing = square_bit(s->at); landing; landing = landing_after(w, s, landing))
        for (int d = 0; d < DIRECTIONS; d++)
            if (jump(w, s, landing, d)) return true;
    return false;
}

// All pieces are taken: is this the end of the move?
static bool ends(struct walk *w, struct state s) {
    const bitboard to = square_bit(w->move.to);
    bitboard landing = square_bit(s.at);
    const bool right_behind = w->rules->king_landing == LANDS_BEHIND_LAST_KING && s.king &&
                              w->kings & square_bit(w->route.taken[w->route.count - 1]);
    if (!right_behind)
        while (landing && landing != to) landing = landing_after(w, &s, landing);
    if (landing != to || must_go_on(w, &s)) return false;
    pass(w, &s, w->move.to, to);
    if (s.via < w->via_count) return false;
    w->route.stops[w->route.count - 1] = w->move.to;
    if (!w->visit(w->context, &w->route)) w->over = true;
    return true;
}

static bool extend(struct walk *w, struct state s);

// Jumps on from a landing square in a direction. True when that led to an end.
static bool jump_on(struct walk *w, struct state s, bitboard landing, int direction) {
    const bitboard over = jump(w, &s, landing, direction) & w->move.captured;
    if (!over) return false;
    struct route *route = &w->route;
    const int taken = route->count;
    const bool wanted_king = w->king_order >> taken & 1;
    if (taken < w->ordered && wanted_king != !!(over & w->kings)) return false;
    const bool straight_on = direction == s.came;
    if (taken) {
        route->stops[taken - 1] = straight_on ? s.at : bits_first(landing);
        pass(w, &s, route->stops[taken - 1], straight_on ? 0 : landing);
    }
    route->taken[route->count++] = bits_first(over);
    const bool found = extend(w, after_jump(w, &s, over, direction));
    route->count--;
    return found;
}

static bool jump_everywhere(struct walk *w, const struct state *s) {
    bool found = false;
    const bitboard first = square_bit(s->at);
    for (bitboard landing = first; landing; landing = s->came == NOWHERE ? 0 : landing_after(w, s, landing))
        for (int d = 0; d < DIRECTIONS && !w->over; d++)
            // On the line of the last jump every landing square leads to the same piece.
            if (landing == first || (d != s->came && d != (s->came ^ 3))) found |= jump_on(w, *s, landing, d);
    return found;
}

// Walks on from a state. True when that led to an end.
static bool extend(struct walk *w, struct state s) {
    if (s.taken == w->move.captured) return ends(w, s);
    if (crowned_and_done(w, &s)) return false;
    const uint64_t key = state_key(w, &s);
    if (is_dead(w, key)) return false;
    const bool found = jump_everywhere(w, &s);
    if (!found && !w->over) remember_dead(w, key);
    return found;
}

static bool walk_from_start(struct walk *w) {
    const struct state start = walk_start(w);
    const bool found = jump_everywhere(w, &start);
    free(w->dead.keys);
    w->dead = (struct dead_states){0};
    return found;
}

// ---- what callers ask ----

static bool keep_first(void *context, const struct route *route) {
    struct route *first = context;
    *first = *route;
    return false;
}

static bool find(struct walk *w, struct route *first) {
    w->visit = keep_first;
    w->context = first;
    w->over = w->gave_up = false;
    return walk_from_start(w);
}

// FID 6.9: of the routes of one capture only those count that meet kings as early as possible. The pieces are
// settled one after the other, each time for a king if that can be.
static void order_kings(struct walk *w) {
    if (w->rules->priority != PRIORITY_ITALIAN) return;
    struct route ignored;
    for (int i = 0; i < bits_count(w->move.captured); i++) {
        w->ordered = i + 1;
        w->king_order |= UINT32_C(1) << i;
        if (!find(w, &ignored)) w->king_order &= ~(UINT32_C(1) << i);
    }
}

static bool find_via(const struct variant *variant, const struct position *p, struct move move,
                     const square *via, int via_count, bool stops_only, struct route *route) {
    assert(move.captured && via_count <= MAX_CAPTURED);
    struct walk w = walk_new(variant, p, move);
    order_kings(&w);
    w.via = via;
    w.via_count = via_count;
    w.stops_only = stops_only;
    return find(&w, route);
}

bool route_find(const struct variant *variant, const struct position *p, struct move move,
                struct route *route) {
    return find_via(variant, p, move, NULL, 0, false, route);
}

bool route_stops_at(const struct variant *variant, const struct position *p, struct move move,
                    const square *squares, int count) {
    struct route ignored;
    return find_via(variant, p, move, squares, count, true, &ignored);
}

bool route_passes(const struct variant *variant, const struct position *p, struct move move,
                  const square *squares, int count) {
    struct route ignored;
    return find_via(variant, p, move, squares, count, false, &ignored);
}

bool routes_visit(const struct variant *variant, const struct position *p, struct move move,
                  route_visit *visit, void *context) {
    assert(move.captured);
    struct walk w = walk_new(variant, p, move);
    order_kings(&w);
    w.visit = visit;
    w.context = context;
    w.over = w.gave_up = false;
    (void)walk_from_start(&w);
    return !w.gave_up;
}

// The piece between two squares on one line with nothing else between them, 0 otherwise.
static bitboard piece_between(const struct walk *w, bitboard taken, square from, square to) {
    const bitboard empty = empty_now(w, taken), end = square_bit(to);
    if (!(end & empty)) return 0;
    const unsigned sets = w->rules->man_captures | w->rules->king_captures;
    for (int d = 0; d < DIRECTIONS; d++) {
        if (!(sets & direction_sets[d])) continue;
        bitboard piece = 0, at = bits_shift(square_bit(from), w->steps[d]);
        for (; at && at != end; at = bits_shift(at, w->steps[d])) {
            if (at & empty) continue;
            if (piece || !(at & w->enemies & ~taken)) break;
            piece = at;
        }
        if (at == end && piece) return piece;
    }
    return 0;
}

bitboard route_captures(const struct variant *variant, const struct position *p, const square *squares,
                        int count) {
    if (count < 2) return 0;
    const struct walk w = walk_new(variant, p, (struct move){.from = squares[0]});
    bitboard taken = 0;
    for (int i = 0; i + 1 < count; i++) {
        const bitboard piece = piece_between(&w, taken, squares[i], squares[i + 1]);
        if (!piece) return 0;
        taken |= piece;
    }
    return taken;
}
