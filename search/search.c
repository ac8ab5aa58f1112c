// search.c -- a search from outside: its memory, its threads, and one depth after another.
//
// Threads search the same position, each for itself, and meet in the table, where each finds what the others
// have found ("lazy SMP"; D. Homan's Exchess and later Stockfish). The caller's thread decides when to stop,
// and its result counts.
#include "search/search.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "core/support/clock.h"
#include "core/support/memory.h"
#include "search/table.h"
#include "search/tree.h"

enum { FEW_PIECES = 6 };
#define LONG_ENOUGH 1.0  // seconds

struct search {
    struct evaluator *evaluator;
    struct table table;
    const struct endings *endings;  // NULL before they are needed
    int threads;
    struct tree **trees;  // of each thread, the caller's first
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
    s->table = table;
    s->evaluator = evaluator_new(weights);
    s->threads = 1;
    s->trees = memory_new(1, sizeof *s->trees);
    s->trees[0] = tree_new(variant, s->evaluator, &s->table);
    return s;
}

static void free_helpers(struct search *s) {
    for (int i = 1; i < s->threads; i++) tree_free(s->trees[i]);
    s->threads = 1;
}

void search_free(struct search *s) {
    if (!s) return;
    free_helpers(s);
    tree_free(s->trees[0]);
    free(s->trees);
    evaluator_free(s->evaluator);
    table_free(&s->table);
    free(s);
}

void search_set_threads(struct search *s, int threads) {
    assert(threads >= 1 && threads <= MAX_SEARCH_THREADS);
    free_helpers(s);
    s->trees = memory_grow(s->trees, (size_t)threads, sizeof *s->trees);
    for (int i = 1; i < threads; i++) s->trees[i] = tree_new(s->trees[0]->variant, s->evaluator, &s->table);
    s->threads = threads;
}

void search_clear(struct search *s) {
    table_clear(&s->table);
    for (int i = 0; i < s->threads; i++) tree_clear(s->trees[i]);
}

// ---- depth by depth ----

// A search under way, as its first thread sees it.
struct thinking {
    struct search *search;
    const struct search_limits *limits;
    struct tree *tree;
    int lines;
    struct search_result *results;  // of each line, the best first
    double start;
};

static void swap_lines(struct thinking *th, int i) {
    const struct search_result result = th->results[i];
    th->results[i] = th->results[i - 1];
    th->results[i - 1] = result;
    tree_swap_root_moves(th->tree, i - 1, i);
}

// The best lines of one depth: in results[0..lines-1] and at the front of the root moves. A later line may
// turn out better than an earlier one, since the table knows more by then.
static void search_lines(struct thinking *th, int depth) {
    for (int line = 0; line < th->lines; line++) {
        struct search_result *result = &th->results[line];
        const struct search_result before = *result;
        tree_search_root(th->tree, line, depth, -SCORE_NONE, SCORE_NONE, result);
        // A loss by the first moves of a depth is none: one of those that were left out may save the game.
        if (th->tree->stopped && result->score <= -SCORE_WIN_FROM) *result = before;
        if (th->tree->stopped) return;
        result->depth = depth;
        for (int i = line; i > 0 && th->results[i].score > th->results[i - 1].score; i--) swap_lines(th, i);
    }
}

static uint64_t nodes_of(const struct search *s) {
    uint64_t nodes = s->trees[0]->nodes;
    for (int i = 1; i < s->threads; i++)
        nodes += atomic_load_explicit(&s->trees[i]->counted, memory_order_relaxed);
    return nodes;
}

static void number_lines(struct thinking *th) {
    for (int line = 0; line < th->lines; line++) {
        th->results[line].line = line;
        th->results[line].nodes = nodes_of(th->search);
        th->results[line].seconds = clock_seconds() - th->start;
    }
}

static bool is_end(int score) { return score >= SCORE_WIN_FROM || score <= -SCORE_WIN_FROM; }

// A win or loss within the depth searched stays what it is.
static bool is_settled(const struct search_result *result) {
    const int size = result->score < 0 ? -result->score : result->score;
    return is_end(result->score) && SCORE_WIN - size <= result->depth;
}

static int deepest_of(const struct thinking *th) {
    if (th->tree->root_count == 1 && !th->limits->analysis) return 1;
    return th->limits->depth > 0 && th->limits->depth < MAX_DEPTH ? th->limits->depth : MAX_DEPTH;
}

// A line ends where the solved endings take over: here is the rest of it.
static void follow_ending(const struct thinking *th, struct search_result *result) {
    struct position p = *game_position(th->tree->game);
    for (int i = 0; i < result->pv_length; i++) th->tree->variant->play(&p, result->pv[i]);
    struct move move;
    while (result->pv_length < MAX_SEARCH_PLY && endings_move(th->tree->endings, &p, &move)) {
        result->pv[result->pv_length++] = move;
        th->tree->variant->play(&p, move);
    }
}

static void report_lines(struct thinking *th, search_report *report, void *context) {
    number_lines(th);
    for (int line = 0; report && th->tree->endings && line < th->lines; line++)
        if (is_end(th->results[line].score)) follow_ending(th, &th->results[line]);
    if (!report || (th->lines > 1 && !th->results[0].depth)) return;
    for (int line = 0; line < th->lines; line++) report(context, &th->results[line]);
}

// Of a depth that was not completed one line may be better than that of the depth before; several would not
// go together.
static void deepen(struct thinking *th, search_report *report, void *context) {
    const int deepest = deepest_of(th);
    const size_t size = (size_t)th->lines * sizeof *th->results;
    struct search_result *complete = th->lines > 1 ? memory_new((size_t)th->lines, sizeof *complete) : NULL;
    for (int depth = 1; depth <= deepest; depth++) {
        if (complete) memcpy(complete, th->results, size);
        search_lines(th, depth);
        th->tree->may_stop = true;
        if (th->tree->stopped && complete && depth > 1) memcpy(th->results, complete, size);
        report_lines(th, report, context);
        if (th->tree->stopped || tree_must_stop(th->tree)) break;
        if (th->lines == 1 && is_settled(&th->results[0])) break;
    }
    free(complete);
}

// What the other threads do until the first one is done: the same with every second depth left out by every
// second of them, so that they do not all walk side by side.
static void help(struct tree *tree, int number, const struct game *game, const struct search_limits *limits,
                 const atomic_bool *done) {
    struct game own;
    struct search_result result;
    game_copy(&own, game);
    tree_begin(tree, &own, limits, 0, done);
    tree->may_stop = true;
    const int step = 1 + number % 2;
    for (int depth = 1; depth <= MAX_DEPTH && !tree->stopped; depth += step)
        tree_search_root(tree, 0, depth, -SCORE_NONE, SCORE_NONE, &result);
    game_free(&own);
}

static void think_alone(struct thinking *th, struct game *game, const struct search_limits *limits,
                        const atomic_bool *stop, search_report *report, void *context) {
    tree_begin(th->tree, game, limits, limits->seconds > 0 ? th->start + limits->seconds : 0, stop);
    const int count = th->tree->root_count;
    th->lines = limits->lines < 1 ? 1 : limits->lines < count ? limits->lines : count;
    th->results = memory_new((size_t)th->lines, sizeof *th->results);
    th->results[0] = tree_first_result(th->tree);
    deepen(th, report, context);
}

// A limit on nodes is shared out evenly, so that the threads need not count together.
static void think_together(struct thinking *th, struct game *game, struct search_limits limits,
                           const atomic_bool *stop, search_report *report, void *context) {
    struct search *s = th->search;
    const int threads = s->threads;
    if (limits.nodes) limits.nodes = limits.nodes > (uint64_t)threads ? limits.nodes / (uint64_t)threads : 1;
    for (int i = 1; i < threads; i++) atomic_store_explicit(&s->trees[i]->counted, 0, memory_order_relaxed);
    struct game start;
    game_copy(&start, game);
    atomic_bool done = false;
#pragma omp parallel for num_threads(threads) schedule(static, 1)
    for (int i = 0; i < threads; i++) {
        if (i > 0) {
            help(s->trees[i], i, &start, &limits, &done);
        } else {
            think_alone(th, game, &limits, stop, report, context);
            atomic_store_explicit(&done, true, memory_order_relaxed);
        }
    }
    game_free(&start);
    number_lines(th);
}

// The solved endings are looked at from a position with few pieces on, whatever was searched before, so that
// a search repeats itself. They take a moment to solve, which a short move has not.
static void use_endings(struct search *s, const struct game *game, const struct search_limits *limits,
                        const atomic_bool *stop) {
    const struct position *p = game_position(game);
    const bool wanted = endings_exist(game->variant) && !limits->exact &&
                        bits_count(p->pieces[WHITE] | p->pieces[BLACK]) <= FEW_PIECES;
    if (wanted && !s->endings && (limits->seconds <= 0 || limits->seconds >= LONG_ENOUGH))
        s->endings = endings_get(game->variant, stop);
    for (int i = 0; i < s->threads; i++) s->trees[i]->endings = wanted ? s->endings : NULL;
}

void search_think(struct search *s, struct game *game, const struct search_limits *limits,
                  const atomic_bool *stop, search_report *report, void *context,
                  struct search_result *result) {
    assert(limits->nodes || limits->depth > 0 || limits->seconds > 0 || stop);
    struct thinking th = {.search = s, .limits = limits, .tree = s->trees[0], .start = clock_seconds()};
    table_begin_search(&s->table);
    use_endings(s, game, limits, stop);
    if (s->threads == 1)
        think_alone(&th, game, limits, stop, report, context);
    else
        think_together(&th, game, *limits, stop, report, context);
    *result = th.results[0];
    free(th.results);
}
