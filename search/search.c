// search.c -- iterative deepening alpha-beta with a transposition table, the same for every variant.
//
// Principal variation search over whole positions: every rule is behind struct variant, every draw behind
// struct game. What draughts adds to the textbook:
//
//   - A capture may be obligatory, so quiescence stands pat only where captures are optional, and a position
//     with one legal move is searched without taking a ply from the depth.
//   - Draw counters are part of the position's value when a limit is near, so they are part of its key then
//     (history_key). A position seen before in this search is a draw, as its next repetition would be.
//   - A move is stored in the table as its index in the list of legal moves: 2 bytes, and never illegal.
#include "search/search.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "core/support/clock.h"
#include "core/support/memory.h"
#include "search/table.h"

enum {
    SCORE_NONE = SCORE_WIN + 1,
    POLL_NODES = 1024,      // between two looks at clock and stop flag
    LIMIT_HORIZON = 24,     // plies to a draw limit below which the counters join the key
    REDUCE_FROM_DEPTH = 4,  // late move reductions
    REDUCE_FROM_MOVE = 4,
    REDUCE_MORE_FROM_DEPTH = 6,
    REDUCE_MORE_FROM_MOVE = 12,
    HISTORY_LIMIT = 16384,
    KILLERS = 2,
};

// A move of a list in the arena, with what orders it.
struct ranked {
    struct move move;
    int32_t rank;
    uint16_t index;  // in the list of legal moves
};

struct line {
    int length;
    struct move moves[MAX_SEARCH_PLY];
};

struct search {
    const struct variant *variant;
    struct evaluator *evaluator;

    struct table table;
    int threads;

    int16_t history[2][64][64];  // [side][from][to]: how often a quiet move refuted something
    struct move killers[MAX_SEARCH_PLY][KILLERS];

    struct move_list *list;  // where moves are generated, before they are copied to the arena
    struct ranked *arena;    // lists of the plies on the way to the node now, one behind the other
    struct line *lines;      // best line from each ply

    // The search under way.
    struct game *game;
    int root;    // game ply it began at
    bool exact;  // see struct search_limits
    uint64_t nodes, node_limit;
    double deadline;          // 0 = none
    const atomic_bool *stop;  // may be NULL
    bool may_stop;            // a first depth is complete
    bool stopped;
};

// ---- memory ----

size_t search_table_bytes(size_t table_megabytes) { return table_bytes(table_megabytes); }

// By a mapping that is never touched; compilers leave out an allocation that is freed unused.
bool search_room(size_t bytes) {
    if (!bytes) return true;
    void *const room = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return room != MAP_FAILED && munmap(room, bytes) == 0;
}

struct search *search_new(const struct variant *variant, const struct weights *weights,
                          size_t table_megabytes) {
    struct table table;
    if (!table_init(&table, table_megabytes)) return NULL;
    struct search *s = memory_new(1, sizeof *s);
    s->variant = variant;
    s->evaluator = evaluator_new(weights);
    s->table = table;
    s->threads = 1;
    s->list = memory_new(1, sizeof *s->list);
    // Room for the longest list at every ply, so that nothing has to grow; untouched pages cost nothing.
    s->arena = memory_new((size_t)MAX_SEARCH_PLY * MAX_MOVES, sizeof *s->arena);
    s->lines = memory_new(MAX_SEARCH_PLY, sizeof *s->lines);
    return s;
}

void search_free(struct search *s) {
    if (!s) return;
    evaluator_free(s->evaluator);
    table_free(&s->table);
    free(s->list);
    free(s->arena);
    free(s->lines);
    free(s);
}

void search_set_threads(struct search *s, int threads) {
    assert(threads >= 1 && threads <= MAX_SEARCH_THREADS);
    s->threads = threads;
}

void search_clear(struct search *s) {
    table_clear(&s->table);
    memset(s->history, 0, sizeof s->history);
    memset(s->killers, 0, sizeof s->killers);
}

// ---- transposition table ----

// What the history of the game adds to the value of the position now: the counters of draw limits that are
// near.
static uint64_t history_key(const struct game *game) {
    const struct game_ply *now = &game->plies[game->ply];
    const struct draw_rules *draws = &game->draws;
    uint64_t key = 0;
    if (draws->no_progress_plies && draws->no_progress_plies - now->no_progress <= LIMIT_HORIZON)
        key = now->no_progress + 1u;
    for (int i = 0; i < game->limit_count; i++)
        if (now->under[i] && draws->limits[i].plies - now->balance[i] <= LIMIT_HORIZON)
            key = key * UINT64_C(0x9e3779b97f4a7c15) + now->balance[i] + 1u + (uint64_t)(unsigned)i * 0x10000;
    return key * UINT64_C(0xd1342543de82ef95);
}

// The table counts a win from the position, the search from the root.
static int score_to_table(int score, int ply) {
    return score >= SCORE_WIN_FROM ? score + ply : score <= -SCORE_WIN_FROM ? score - ply : score;
}
static int score_from_table(int score, int ply) {
    return score >= SCORE_WIN_FROM ? score - ply : score <= -SCORE_WIN_FROM ? score + ply : score;
}

// ---- limits ----

static bool must_stop(const struct search *s) {
    return s->may_stop && ((s->stop && atomic_load_explicit(s->stop, memory_order_relaxed)) ||
                           (s->deadline > 0 && clock_seconds() >= s->deadline));
}

// Plays a move and counts it, unless the search has to end: then every caller returns at once.
static bool enter(struct search *s, struct move move) {
    if (s->nodes == s->node_limit || (s->nodes % POLL_NODES == 0 && must_stop(s))) s->stopped = true;
    if (s->stopped) return false;
    s->nodes++;
    game_play(s->game, move);
    return true;
}

static void leave(struct search *s) { game_undo(s->game); }

static int ply_of(const struct search *s) { return s->game->ply - s->root; }

// ---- moves in a good order ----

static void check_list(const struct search *s) {
    if (s->list->truncated) variant_too_many_captures(s->variant->name, game_position(s->game));
}

// Table move, captures, killers, then by history.
static int rank_of(const struct search *s, const struct position *p, const struct move *move, int ply) {
    if (move->captured)
        return (1 << 24) + 2 * bits_count(move->captured) + bits_count(move->captured & p->kings) +
               move->crowned;
    for (int k = 0; k < KILLERS; k++)
        if (move_equal(*move, s->killers[ply][k])) return (1 << 20) - k;
    return s->history[p->turn][move->from][move->to] + move->crowned * HISTORY_LIMIT;
}

// The moves of the list, ranked, from `moves` on. `first` is the index of the move to try first, or -1.
static void rank_moves(const struct search *s, struct ranked *moves, int first) {
    const struct position *p = game_position(s->game);
    const int ply = ply_of(s);
    for (int i = 0; i < s->list->count; i++) {
        const struct move *move = &s->list->moves[i];
        moves[i] = (struct ranked){
            .move = *move,
            .rank = i == first ? INT_MAX : rank_of(s, p, move, ply),
            .index = (uint16_t)i,
        };
    }
}

// Brings the best of moves[i..count-1] to moves[i]; equals keep the order of generation apart from swaps.
static void pick(struct ranked *moves, int i, int count) {
    int best = i;
    for (int j = i + 1; j < count; j++)
        if (moves[j].rank > moves[best].rank) best = j;
    const struct ranked chosen = moves[best];
    moves[best] = moves[i];
    moves[i] = chosen;
}

static void add_history(int16_t *entry, int bonus) {
    const int size = bonus < 0 ? -bonus : bonus;
    *entry = (int16_t)(*entry + bonus - *entry * size / HISTORY_LIMIT);
}

// moves[at] refuted the move before; the quiet moves tried in vain lose standing.
static void learn(struct search *s, const struct ranked *moves, int at, int depth) {
    const struct move move = moves[at].move;
    if (move.captured) return;
    struct move *killers = s->killers[ply_of(s)];
    if (!move_equal(move, killers[0])) {
        killers[1] = killers[0];
        killers[0] = move;
    }
    int16_t(*history)[64] = s->history[game_position(s->game)->turn];
    const int bonus = depth * depth < HISTORY_LIMIT / 8 ? depth * depth : HISTORY_LIMIT / 8;
    add_history(&history[move.from][move.to], bonus);
    for (int i = 0; i < at; i++)
        if (!moves[i].move.captured) add_history(&history[moves[i].move.from][moves[i].move.to], -bonus);
}

// ---- the search ----

static int evaluate(const struct search *s) { return evaluator_score(s->evaluator, game_position(s->game)); }

// The side to move has no move.
static int score_without_move(const struct search *s) {
    const int win = SCORE_WIN - ply_of(s);
    return s->variant->rules->goal == NO_MOVE_WINS ? win : -win;
}

static bool has_move(const struct search *s) { return variant_can_move(s->variant, game_position(s->game)); }

// Asked at every node, so the history is looked through once.
static bool is_drawn(const struct search *s) {
    const struct game *game = s->game;
    const int before = game->draws.repetitions ? game_previous(game) : -1;
    if (before < 0) return game_plies_to_limit(game) <= 0;
    return before >= s->root || game_drawn(game) != GAME_GOES_ON;
}

static void extend_line(struct search *s, int ply, struct move move) {
    struct line *line = &s->lines[ply];
    const struct line *rest = &s->lines[ply + 1];
    line->moves[0] = move;
    memcpy(line->moves + 1, rest->moves, (size_t)rest->length * sizeof *rest->moves);
    line->length = rest->length + 1;
}

// Captures until none is left. Where they are optional, not capturing is worth the evaluation at least.
static int quiesce(struct search *s, int alpha, int beta, struct ranked *moves) {
    const struct position *p = game_position(s->game);
    const int ply = ply_of(s);
    s->lines[ply].length = 0;
    if (is_drawn(s)) return has_move(s) ? 0 : score_without_move(s);
    if (ply == MAX_SEARCH_PLY - 1) return evaluate(s);
    if (!s->variant->can_capture(p)) return s->variant->can_step(p) ? evaluate(s) : score_without_move(s);

    int best = -SCORE_NONE;
    if (s->variant->captures_optional) {
        best = evaluate(s);
        if (best >= beta) return best;
        if (best > alpha) alpha = best;
    }
    s->variant->captures(p, s->list);
    check_list(s);
    const int count = s->list->count;
    rank_moves(s, moves, -1);
    for (int i = 0; i < count; i++) {
        pick(moves, i, count);
        if (!enter(s, moves[i].move)) return best;
        const int score = -quiesce(s, -beta, -alpha, moves + count);
        leave(s);
        if (s->stopped) return best;
        if (score <= best) continue;
        best = score;
        if (score <= alpha) continue;
        alpha = score;
        extend_line(s, ply, moves[i].move);
        if (score >= beta) break;
    }
    return best;
}

// Plies that the i-th move is searched less at first.
static int reduction(const struct move *move, int i, int depth) {
    if (depth < REDUCE_FROM_DEPTH || i < REDUCE_FROM_MOVE || move->captured || move->crowned) return 0;
    return depth >= REDUCE_MORE_FROM_DEPTH && i >= REDUCE_MORE_FROM_MOVE ? 2 : 1;
}

static int search_node(struct search *s, int alpha, int beta, int depth, struct ranked *moves);

// The score of the move just entered for the side that made it. The first of a node is searched in earnest;
// the others are asked first whether they are better at all, some of them `less` deep.
static int search_move(struct search *s, bool first, int less, int alpha, int beta, int depth,
                       struct ranked *room) {
    if (first) return -search_node(s, -beta, -alpha, depth - 1, room);
    int score = -search_node(s, -alpha - 1, -alpha, depth - 1 - less, room);
    if (less && score > alpha && !s->stopped) score = -search_node(s, -alpha - 1, -alpha, depth - 1, room);
    if (score > alpha && score < beta && !s->stopped) score = -search_node(s, -beta, -alpha, depth - 1, room);
    return score;
}

// `moves` is the free end of the arena.
static int search_node(struct search *s, int alpha, int beta, int depth, struct ranked *moves) {
    if (depth <= 0) return quiesce(s, alpha, beta, moves);

    const struct position *p = game_position(s->game);
    const int ply = ply_of(s);
    s->lines[ply].length = 0;
    if (is_drawn(s)) return has_move(s) ? 0 : score_without_move(s);
    if (ply == MAX_SEARCH_PLY - 1) return evaluate(s);

    const uint64_t from_history = history_key(s->game);
    const uint64_t key = s->game->plies[s->game->ply].key ^ from_history;
    // A deeper search than this could have met a draw limit whose counter is not in the key.
    const int sound_depth = from_history ? MAX_DEPTH : game_plies_to_limit(s->game) - 1;
    struct table_entry entry;
    const bool known = table_find(&s->table, key, &entry);
    const int first = known ? entry.move : -1;
    if (known && beta - alpha == 1 && entry.depth >= depth && entry.depth <= sound_depth) {
        const int score = score_from_table(entry.score, ply);
        if ((score >= beta && entry.bound != BOUND_UPPER) || (score <= alpha && entry.bound != BOUND_LOWER))
            return score;
    }

    s->variant->generate(p, s->list);
    check_list(s);
    const int count = s->list->count;
    if (count == 0) return score_without_move(s);
    const int next_depth = count == 1 ? depth + 1 : depth;  // a forced move takes nothing from the depth
    rank_moves(s, moves, first);

    int best = -SCORE_NONE, best_index = 0;
    enum bound bound = BOUND_UPPER;
    for (int i = 0; i < count; i++) {
        pick(moves, i, count);
        if (!enter(s, moves[i].move)) return best;
        const int less = s->exact ? 0 : reduction(&moves[i].move, i, depth);
        const int score = search_move(s, i == 0, less, alpha, beta, next_depth, moves + count);
        leave(s);
        if (s->stopped) return best;
        if (score <= best) continue;
        best = score;
        best_index = moves[i].index;
        if (score <= alpha) continue;
        alpha = score;
        bound = BOUND_EXACT;
        extend_line(s, ply, moves[i].move);
        if (score < beta) continue;
        bound = BOUND_LOWER;
        learn(s, moves, i, depth);
        break;
    }
    if (depth <= sound_depth)
        table_store(&s->table, key,
                    (struct table_entry){
                        .score = score_to_table(best, ply),
                        .depth = depth,
                        .move = best_index,
                        .bound = bound,
                    });
    return best;
}

// ---- the root ----

// Moves the i-th to the place `front`, and those between one further.
static void to_front(struct ranked *moves, int front, int i) {
    const struct ranked chosen = moves[i];
    memmove(moves + front + 1, moves + front, (size_t)(i - front) * sizeof *moves);
    moves[front] = chosen;
}

// One iteration over the root moves from `line` on, those before being the best of lines before. The best is
// at the front of them afterwards and *result says what is known, even when the iteration was stopped in the
// middle.
static void search_root(struct search *s, struct ranked *moves, int line, int count, int depth,
                        struct search_result *result) {
    int alpha = -SCORE_NONE;
    for (int i = line; i < count; i++) {
        if (!enter(s, moves[i].move)) return;
        const int score = search_move(s, i == line, 0, alpha, SCORE_NONE, depth, moves + count);
        leave(s);
        if (s->stopped) return;
        if (score <= alpha) continue;
        alpha = score;
        extend_line(s, 0, moves[i].move);
        result->best = moves[i].move;
        result->index = moves[i].index;
        result->score = score;
        result->pv_length = s->lines[0].length;
        memcpy(result->pv, s->lines[0].moves, (size_t)s->lines[0].length * sizeof *result->pv);
        to_front(moves, line, i);
    }
    result->depth = depth;
}

// The best lines of one depth, the best first: in results[0..lines-1] and at the front of the moves. A later
// line may turn out better than an earlier one, since the table knows more by then.
static void search_lines(struct search *s, struct ranked *moves, int count, int depth, int lines,
                         struct search_result *results) {
    for (int line = 0; line < lines && !s->stopped; line++) {
        search_root(s, moves, line, count, depth, &results[line]);
        if (s->stopped) return;
        for (int i = line; i > 0 && results[i].score > results[i - 1].score; i--) {
            const struct search_result better = results[i];
            results[i] = results[i - 1];
            results[i - 1] = better;
            to_front(moves, i - 1, i);
        }
    }
}

// A win or loss within the depth searched stays what it is.
static bool is_settled(const struct search_result *result) {
    const int size = result->score < 0 ? -result->score : result->score;
    return size >= SCORE_WIN_FROM && SCORE_WIN - size <= result->depth;
}

void search_think(struct search *s, struct game *game, const struct search_limits *limits,
                  const atomic_bool *stop, search_report *report, void *context,
                  struct search_result *result) {
    assert(limits->nodes || limits->depth > 0 || limits->seconds > 0 || stop);
    const double start = clock_seconds();
    s->game = game;
    s->root = game->ply;
    s->exact = limits->exact;
    s->nodes = 0;
    s->node_limit = limits->nodes ? limits->nodes : UINT64_MAX;
    s->deadline = limits->seconds > 0 ? start + limits->seconds : 0;
    s->stop = stop;
    s->may_stop = s->stopped = false;
    table_begin_search(&s->table);

    s->variant->generate(game_position(game), s->list);
    check_list(s);
    const int count = s->list->count;
    assert(count > 0);
    struct ranked *moves = s->arena;
    rank_moves(s, moves, -1);
    for (int i = 0; i < count; i++) pick(moves, i, count);

    const int lines = limits->lines < 1 ? 1 : limits->lines < count ? limits->lines : count;
    struct search_result *results = memory_new((size_t)lines, sizeof *results);
    results[0] = (struct search_result){.best = moves[0].move, .index = moves[0].index};
    const int deepest = count == 1 && !limits->analysis                  ? 1
                        : limits->depth > 0 && limits->depth < MAX_DEPTH ? limits->depth
                                                                         : MAX_DEPTH;
    for (int depth = 1; depth <= deepest; depth++) {
        search_lines(s, moves, count, depth, lines, results);
        s->may_stop = true;
        for (int line = 0; line < lines; line++) {
            results[line].line = line;
            results[line].nodes = s->nodes;
            results[line].seconds = clock_seconds() - start;
        }
        if (s->stopped || must_stop(s)) break;
        for (int line = 0; report && line < lines; line++) report(context, &results[line]);
        if (is_settled(&results[0]) && lines == 1) break;
    }
    *result = results[0];
    free(results);
}
