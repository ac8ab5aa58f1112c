// tree.c -- the alpha-beta search of one thread: what is tried, how deep, and what it is worth.
//
// Principal variation search over whole positions: every rule is behind struct variant, every draw behind
// struct game. What draughts adds to the textbook:
//
//   - A capture may be obligatory, so quiescence stands pat only where captures are optional, and a position
//     with one legal move is searched without taking a ply from the depth.
//   - Draw counters are part of the position's value when a limit is within reach of the depth, so they are
//     part of its key then (history_key). A position seen before in this search is a draw, as its next
//     repetition would be.
//   - A move is stored in the table as its index in the list of legal moves: 2 bytes, and never illegal.
//
// Scores are exact integers and tables are made of integers: a search repeats itself on every machine.
#include "search/tree.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/support/clock.h"
#include "core/support/memory.h"

enum {
    POLL_NODES = 1024,  // between two looks at clock and stop flag
    // Which count from the start only after so many nodes: there is a move by then, or the first ply alone
    // leads into captures without end, as between two armies of kings.
    PATIENCE_NODES = 16 * POLL_NODES,
    LIMIT_SLACK = 8,        // plies that forced moves and quiescence may go beyond the depth
    REDUCE_FROM_DEPTH = 2,  // late move reductions
    REDUCE_FROM_MOVE = 1,
    REDUCE_FROM_MOVE_OPEN = 3,  // where the window is open
    REDUCE_MORE_FROM_MOVE = 4,
    REDUCE_MORE_FROM_DEPTH = 6,
    REDUCE_MORE_FROM_MOVE_OPEN = 8,
    REDUCE_MORE_FROM_DEPTH_OPEN = 8,
    PROBCUT_FROM_DEPTH = 3,
    PROBCUT_MARGIN = 10,  // centipawns for each ply of depth
    PROBCUT_DEPTH = 40,   // percent of the depth
};

#define UNLIKELY(x) __builtin_expect(!!(x), 0)

// ---- memory ----

struct tree *tree_new(const struct variant *variant, const struct evaluator *evaluator, struct table *table) {
    struct tree *t = memory_new(1, sizeof *t);
    t->variant = variant;
    t->evaluator = evaluator;
    t->table = table;
    // Room for the longest list at every ply, so that nothing has to grow; untouched pages cost nothing.
    t->frames = memory_new(MAX_SEARCH_PLY, sizeof *t->frames);
    t->root_moves = memory_new(MAX_MOVES, sizeof *t->root_moves);
    return t;
}

void tree_free(struct tree *t) {
    if (!t) return;
    free(t->frames);
    free(t->root_moves);
    free(t);
}

void tree_clear(struct tree *t) {
    memset(&t->history, 0, sizeof t->history);
    for (int ply = 0; ply < MAX_SEARCH_PLY; ply++)
        memset(t->frames[ply].killers, 0, sizeof t->frames[ply].killers);
}

// ---- limits ----

bool tree_must_stop(const struct tree *t) {
    return (t->may_stop || t->nodes >= PATIENCE_NODES) &&
           ((t->stop && atomic_load_explicit(t->stop, memory_order_relaxed)) ||
            (t->deadline > 0 && clock_seconds() >= t->deadline));
}

static void look(struct tree *t) {
    atomic_store_explicit(&t->counted, t->nodes, memory_order_relaxed);
    if (t->nodes == t->node_limit || tree_must_stop(t)) t->stopped = true;
    t->next_look = t->node_limit - t->nodes < POLL_NODES ? t->node_limit : t->nodes + POLL_NODES;
}

// Plays a move and counts it, unless the search has to end: then every caller returns at once.
static bool enter(struct tree *t, struct move move) {
    if (UNLIKELY(t->nodes == t->next_look)) look(t);
    if (UNLIKELY(t->stopped)) return false;
    t->nodes++;
    game_play(t->game, move);
    return true;
}

static void leave(struct tree *t) { game_undo(t->game); }

static int ply_of(const struct tree *t) { return t->game->ply - t->root; }

// ---- what a position is worth without a search ----

static int evaluate(const struct tree *t) { return evaluator_score(t->evaluator, game_position(t->game)); }

// The side to move has no move.
static int score_without_move(const struct tree *t) {
    const int win = SCORE_WIN - ply_of(t);
    return t->variant->rules->goal == NO_MOVE_WINS ? win : -win;
}

static int score_of_draw(const struct tree *t) {
    return variant_can_move(t->variant, game_position(t->game)) ? 0 : score_without_move(t);
}

// Asked at every node, so the history is looked through once, and only where it can matter.
static bool is_drawn(const struct tree *t) {
    const struct game *game = t->game;
    const struct game_ply *now = &game->plies[game->ply];
    if (now->plies_to_limit <= 0) return true;
    if (now->irreversible || !game->draws.repetitions) return false;
    const int before = game_previous(game);
    return before >= t->root || (before >= 0 && game_drawn(game) != GAME_GOES_ON);
}

// ---- lines ----

static void extend_line(struct tree *t, int ply, struct move move) {
    struct line *line = &t->frames[ply].line;
    const struct line *rest = &t->frames[ply + 1].line;
    line->moves[0] = move;
    memcpy(line->moves + 1, rest->moves, (size_t)rest->length * sizeof *rest->moves);
    line->length = rest->length + 1;
}

static bool is_open(int alpha, int beta) { return beta - alpha > 1; }

// ---- solved endings ----

// Is the position's value known? A win that takes longer than a draw limit allows is none.
static bool is_solved(const struct tree *t, int *score) {
    const struct game_ply *now = &t->game->plies[t->game->ply];
    int plies;
    bool won;
    if (!t->endings || !endings_find(t->endings, &now->position, &plies, &won) || plies > now->plies_to_limit)
        return false;
    const int win = SCORE_WIN - ply_of(t) - plies;
    *score = won ? win : -win;
    return true;
}

// ---- quiescence ----

static void check_list(const struct tree *t, const struct move_list *list) {
    if (UNLIKELY(list->truncated)) variant_too_many_captures(t->variant->name, game_position(t->game));
}

static struct order order_of(const struct tree *t, struct frame *frame, int first) {
    return (struct order){
        .history = &t->history,
        .position = game_position(t->game),
        .killers = frame->killers,
        .list = &frame->list,
        .rank = frame->rank,
        .first = first,
    };
}

// Could the other side capture if it were its turn?
static bool is_threatened(const struct tree *t) {
    struct position p = *game_position(t->game);
    p.turn = (uint8_t)other_side(position_turn(&p));
    return t->variant->can_capture(&p);
}

// Captures until none is left. Where they are optional, not capturing is worth the evaluation at least. At
// the leaves of the search proper an evaluation under the threat of a capture is not believed: every move is
// tried (so does Scan, F. Letouzey).
static int quiesce(struct tree *t, int alpha, int beta, bool leaf) {
    const struct variant *variant = t->variant;
    const struct position *p = game_position(t->game);
    const int ply = ply_of(t);
    struct frame *frame = &t->frames[ply];
    if (is_open(alpha, beta)) frame->line.length = 0;
    if (is_drawn(t)) return score_of_draw(t);
    if (ply == MAX_SEARCH_PLY - 1) return evaluate(t);

    int solved;
    if (is_solved(t, &solved)) return solved;

    struct move_list *list = &frame->list;
    variant->captures(p, list);
    check_list(t, list);
    const bool captures = list->count > 0;
    if (!captures) {
        if (!variant->can_step(p)) return score_without_move(t);
        if (!leaf || !is_threatened(t)) return evaluate(t);
        variant->generate(p, list);
    }

    int best = -SCORE_NONE;
    if (captures && variant->captures_optional) {
        best = evaluate(t);
        if (best >= beta) return best;
        if (best > alpha) alpha = best;
    }
    const int count = list->count;
    struct order order = order_of(t, frame, count == 1 ? 0 : -1);
    for (int i = 0; i < count; i++) {
        const struct move move = list->moves[order_next(&order)];
        if (!enter(t, move)) return best;
        const int score = -quiesce(t, -beta, -alpha, false);
        leave(t);
        if (t->stopped) return best;
        if (score <= best) continue;
        best = score;
        if (score <= alpha) continue;
        if (is_open(alpha, beta)) extend_line(t, ply, move);
        alpha = score;
        if (score >= beta) break;
    }
    return best;
}

// ---- the table ----

// What the history of the game adds to the value of the position now: the counters of draw limits.
static uint64_t history_key(const struct game *game) {
    const struct game_ply *now = &game->plies[game->ply];
    uint64_t key = game->draws.no_progress_plies ? now->no_progress + 1u : 0;
    for (int i = 0; i < game->limit_count; i++)
        if (now->under[i])
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

// A win that takes longer than a draw limit allows from here is none here.
static bool is_in_time(int score, int plies_to_limit) {
    const int size = score < 0 ? -score : score;
    return size < SCORE_WIN_FROM || SCORE_WIN - size <= plies_to_limit;
}

// A deeper search than this may meet a draw limit, and what it is worth depends on the counters.
static int sound_depth(const struct tree *t) { return game_plies_to_limit(t->game) - LIMIT_SLACK; }

static uint64_t key_of(const struct tree *t, int depth) {
    const uint64_t key = t->game->plies[t->game->ply].key;
    return depth <= sound_depth(t) ? key : key ^ history_key(t->game);
}

// Does an entry under key_of this depth say all that the window asks? In an exact search only one of the same
// depth does.
static bool is_answer(const struct tree *t, const struct table_entry *entry, int depth, int alpha, int beta) {
    if (t->exact ? entry->depth != depth : entry->depth < depth) return false;
    if (depth <= sound_depth(t) && entry->depth > sound_depth(t)) return false;
    if (!is_in_time(entry->score, game_plies_to_limit(t->game))) return false;
    const int score = score_from_table(entry->score, ply_of(t));
    return (score >= beta && entry->bound != BOUND_UPPER) || (score <= alpha && entry->bound != BOUND_LOWER);
}

// ---- the search ----

// Plies that the i-th move is searched less at first: late move reductions, in steps like Scan's.
static int reduction(const struct tree *t, const struct move *move, int i, int depth, bool open) {
    if (depth < REDUCE_FROM_DEPTH || i < (open ? REDUCE_FROM_MOVE_OPEN : REDUCE_FROM_MOVE) ||
        move->captured || move->crowned || t->exact)
        return 0;
    if (open) return i >= REDUCE_MORE_FROM_MOVE_OPEN && depth >= REDUCE_MORE_FROM_DEPTH_OPEN ? 2 : 1;
    return (i < REDUCE_MORE_FROM_MOVE ? 1 : depth / 3) + (depth >= REDUCE_MORE_FROM_DEPTH);
}

static int search_node(struct tree *t, int alpha, int beta, int depth, bool prune);

// The score of the move just entered for the side that made it. The first of a node is searched in earnest;
// the others are asked first whether they are better at all, some of them `less` deep.
static int search_move(struct tree *t, bool first, int less, int alpha, int beta, int depth) {
    if (first) return -search_node(t, -beta, -alpha, depth - 1, true);
    int score = -search_node(t, -alpha - 1, -alpha, depth - 1 - less, true);
    if (less && score > alpha && !t->stopped) score = -search_node(t, -alpha - 1, -alpha, depth - 1, true);
    if (score > alpha && score < beta && !t->stopped) score = -search_node(t, -beta, -alpha, depth - 1, true);
    return score;
}

// Is the score so far above beta at a smaller depth that it will be at this one? (M. Buro, "ProbCut: an
// effective selective extension of the alpha-beta algorithm", ICCA Journal 18(2), 1995.) In captures a
// shallow score says too little. A win claimed is a win, since no win or loss is ever guessed.
static bool is_probably_above(struct tree *t, int beta, int depth) {
    if (depth < PROBCUT_FROM_DEPTH || t->exact || beta >= SCORE_WIN_FROM || beta <= -SCORE_WIN_FROM ||
        t->variant->can_capture(game_position(t->game)))
        return false;
    const int high = beta + PROBCUT_MARGIN * depth;
    const int score = search_node(t, high - 1, high, depth * PROBCUT_DEPTH / 100, false);
    return score >= high && !t->stopped;
}

// `prune`: the score may be guessed.
static int search_node(struct tree *t, int alpha, int beta, int depth, bool prune) {
    if (depth <= 0) return quiesce(t, alpha, beta, true);

    const bool open = is_open(alpha, beta);
    const int ply = ply_of(t);
    struct frame *frame = &t->frames[ply];
    if (open) frame->line.length = 0;
    if (is_drawn(t)) return score_of_draw(t);
    if (ply == MAX_SEARCH_PLY - 1) return evaluate(t);

    int solved;
    if (is_solved(t, &solved)) return solved;

    const uint64_t key = key_of(t, depth);
    struct table_entry entry;
    const bool known = table_find(t->table, key, &entry);
    if (known && !open && is_answer(t, &entry, depth, alpha, beta)) return score_from_table(entry.score, ply);
    if (prune && !open && is_probably_above(t, beta, depth)) return beta;
    if (t->stopped) return alpha;

    struct move_list *list = &frame->list;
    t->variant->generate(game_position(t->game), list);
    check_list(t, list);
    const int count = list->count;
    if (count == 0) return score_without_move(t);
    const int next_depth = count == 1 ? depth + 1 : depth;  // a forced move takes nothing from the depth

    struct order order = order_of(t, frame, known ? entry.move : count == 1 ? 0 : -1);
    int best = -SCORE_NONE, best_index = 0;
    enum bound bound = BOUND_UPPER;
    for (int i = 0; i < count; i++) {
        const int index = order_next(&order);
        const struct move move = list->moves[index];
        if (!enter(t, move)) return best;
        const int less = reduction(t, &move, i, depth, open);
        const int score = search_move(t, i == 0, less, alpha, beta, next_depth);
        leave(t);
        if (t->stopped) return best;
        if (score <= best) continue;
        best = score;
        best_index = index;
        if (score <= alpha) continue;
        alpha = score;
        bound = BOUND_EXACT;
        if (open) extend_line(t, ply, move);
        if (score < beta) continue;
        bound = BOUND_LOWER;
        order_learn(&order, &t->history, frame->killers, index, depth);
        break;
    }
    table_store(t->table, key,
                (struct table_entry){
                    .score = score_to_table(best, ply),
                    .depth = depth,
                    .move = best_index,
                    .bound = bound,
                });
    return best;
}

// ---- the root ----

static void list_root_moves(struct tree *t) {
    struct frame *frame = &t->frames[0];
    t->variant->generate(game_position(t->game), &frame->list);
    check_list(t, &frame->list);
    t->root_count = frame->list.count;
    assert(t->root_count > 0);
    struct table_entry entry;
    const bool known = table_find(t->table, t->game->plies[t->root].key, &entry);
    struct order order = order_of(t, frame, known ? entry.move : -1);
    for (int i = 0; i < t->root_count; i++) {
        const int index = order_next(&order);
        t->root_moves[i] = (struct root_move){.move = frame->list.moves[index], .index = index};
    }
}

void tree_begin(struct tree *t, struct game *game, const struct search_limits *limits, double deadline,
                const atomic_bool *stop) {
    game_reserve(game, MAX_SEARCH_PLY);  // pointers to positions are held on the way
    t->game = game;
    t->root = game->ply;
    t->exact = limits->exact;
    t->nodes = t->next_look = 0;
    t->node_limit = limits->nodes ? limits->nodes : UINT64_MAX;
    t->deadline = deadline;
    t->stop = stop;
    t->may_stop = t->stopped = false;
    list_root_moves(t);
}

struct search_result tree_first_result(const struct tree *t) {
    const struct root_move *first = &t->root_moves[0];
    return (struct search_result){.best = first->move,
                                  .index = first->index,
                                  .score = evaluate(t),
                                  .pv = {first->move},
                                  .pv_length = 1};
}

// Moves the i-th to the place `front`, and those between one further.
static void to_front(struct root_move *moves, int front, int i) {
    const struct root_move chosen = moves[i];
    memmove(moves + front + 1, moves + front, (size_t)(i - front) * sizeof *moves);
    moves[front] = chosen;
}

void tree_swap_root_moves(struct tree *t, int i, int j) {
    const struct root_move move = t->root_moves[i];
    t->root_moves[i] = t->root_moves[j];
    t->root_moves[j] = move;
}

static void keep(const struct tree *t, const struct root_move *best, int score,
                 struct search_result *result) {
    const struct line *line = &t->frames[0].line;
    result->best = best->move;
    result->index = best->index;
    result->score = score;
    result->pv_length = line->length;
    memcpy(result->pv, line->moves, (size_t)line->length * sizeof *result->pv);
}

int tree_search_root(struct tree *t, int from, int depth, int alpha, int beta, struct search_result *result) {
    struct root_move *moves = t->root_moves;
    int best = -SCORE_NONE;
    for (int i = from; i < t->root_count; i++) {
        if (!enter(t, moves[i].move)) return best;
        const int score = search_move(t, i == from, 0, alpha, beta, depth);
        leave(t);
        if (t->stopped) return best;
        if (score <= best) continue;
        best = score;
        if (score <= alpha) continue;
        alpha = score;
        extend_line(t, 0, moves[i].move);
        keep(t, &moves[i], score, result);
        to_front(moves, from, i);
        if (score >= beta) break;
    }
    return best;
}
