// perft.c -- the tree is cut into thousands of subtrees, which threads take one by one; a table remembers
// subtrees.
#include "bench/perft.h"

#include <omp.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core/support/memory.h"
#include "core/support/progress.h"

enum {
    TABLE_DEPTH = 3,          // subtrees below this are counted faster than looked up
    COUNTED_DEPTH = 5,        // subtrees of this depth are counted at one go by the variant's own code
    SUBTREES_A_THREAD = 512,  // enough that no thread waits long for the last one
};

// ---- the table ----
//
// Exact: an entry holds the whole position and depth, not a part of a key, and a bucket is locked while it is
// read or written, so no other position and no half-written entry can answer.

struct entry {
    struct position position;
    int depth;  // 0: free
    uint64_t leaves;
};

enum { BUCKET_ENTRIES = 3 };

struct bucket {
    atomic_flag lock;
    struct entry entries[BUCKET_ENTRIES];
};

struct perft {
    const struct variant *variant;
    struct perft_options options;
    struct bucket *buckets;
    uint64_t bucket_count;
};

static struct bucket *bucket_lock(const struct perft *perft, const struct position *p, int depth) {
    const uint64_t key = position_key(p) + (uint64_t)depth * UINT64_C(0x9e3779b97f4a7c15);
    struct bucket *bucket = &perft->buckets[(uint64_t)((unsigned __int128)key * perft->bucket_count >> 64)];
    while (atomic_flag_test_and_set_explicit(&bucket->lock, memory_order_acquire)) {
    }
    return bucket;
}

static void bucket_unlock(struct bucket *bucket) {
    atomic_flag_clear_explicit(&bucket->lock, memory_order_release);
}

static bool table_find(const struct perft *perft, const struct position *p, int depth, wide_count *leaves) {
    struct bucket *bucket = bucket_lock(perft, p, depth);
    bool found = false;
    for (int i = 0; i < BUCKET_ENTRIES && !found; i++) {
        const struct entry *e = &bucket->entries[i];
        found = e->depth == depth && position_equal(&e->position, p);
        if (found) *leaves = e->leaves;
    }
    bucket_unlock(bucket);
    return found;
}

static void table_store(const struct perft *perft, const struct position *p, int depth, wide_count leaves) {
    if (leaves > UINT64_MAX) return;
    struct bucket *bucket = bucket_lock(perft, p, depth);
    // The smallest subtree makes room.
    struct entry *worst = bucket->entries;
    for (int i = 1; i < BUCKET_ENTRIES; i++)
        if (bucket->entries[i].leaves < worst->leaves) worst = &bucket->entries[i];
    *worst = (struct entry){.position = *p, .depth = depth, .leaves = (uint64_t)leaves};
    bucket_unlock(bucket);
}

struct perft *perft_new(const struct variant *variant, const struct perft_options *options,
                        struct error *error) {
    struct perft *perft = memory_new(1, sizeof *perft);
    perft->variant = variant;
    perft->options = *options;
    if (!options->hash_megabytes) return perft;
    perft->bucket_count = ((uint64_t)options->hash_megabytes << 20) / sizeof *perft->buckets;
    perft->buckets = calloc(perft->bucket_count, sizeof *perft->buckets);
    if (perft->buckets) return perft;
    error_set(error, "--hash: there are no %d MB of memory", options->hash_megabytes);
    free(perft);
    return NULL;
}

void perft_free(struct perft *perft) {
    if (!perft) return;
    free(perft->buckets);
    free(perft);
}

// ---- one subtree ----

static void list_moves(const struct perft *perft, const struct position *p, struct move_list *list) {
    (perft->options.paths ? perft->variant->generate_paths : perft->variant->generate)(p, list);
    if (list->truncated) variant_too_many_captures(perft->variant->name, p);
}

// Each leaf move is played, and what it leads to is looked at so that no compiler can leave it out.
static wide_count count_made(const struct perft *perft, const struct position *p,
                             const struct move_list *list) {
    wide_count leaves = 0;
    for (int i = 0; i < list->count; i++) {
        struct position next = *p;
        perft->variant->play(&next, list->moves[i]);
        leaves += next.turn != p->turn;
    }
    return leaves;
}

// `lists` holds one list for each ply.
static wide_count subtree(const struct perft *perft, const struct position *p, int depth,
                          struct move_list *lists) {
    if (!perft->options.made && depth <= (perft->buckets ? TABLE_DEPTH - 1 : COUNTED_DEPTH))
        return perft->variant->perft(p, depth, perft->options.paths, lists);
    if (interrupted()) return 0;
    const bool looked_up = perft->buckets && depth >= TABLE_DEPTH;
    wide_count leaves = 0;
    if (looked_up && table_find(perft, p, depth, &leaves)) return leaves;
    struct move_list *list = &lists[depth - 1];
    list_moves(perft, p, list);
    if (depth == 1) return count_made(perft, p, list);
    for (int i = 0; i < list->count; i++) {
        struct position next = *p;
        perft->variant->play(&next, list->moves[i]);
        leaves += subtree(perft, &next, depth - 1, lists);
    }
    if (looked_up && !interrupted()) table_store(perft, p, depth, leaves);
    return leaves;
}

// ---- the tree, cut into subtrees ----

struct front {
    struct position *positions;
    size_t count, capacity;
};

static void front_add(struct front *front, const struct position *p) {
    if (front->count == front->capacity) {
        front->capacity = front->capacity ? 2 * front->capacity : 256;
        front->positions = memory_grow(front->positions, front->capacity, sizeof *front->positions);
    }
    front->positions[front->count++] = *p;
}

static struct front front_next_ply(const struct perft *perft, const struct front *front) {
    struct front next = {0};
    struct move_list *list = memory_new(1, sizeof *list);
    for (size_t i = 0; i < front->count; i++) {
        list_moves(perft, &front->positions[i], list);
        for (int m = 0; m < list->count; m++) {
            struct position p = front->positions[i];
            perft->variant->play(&p, list->moves[m]);
            front_add(&next, &p);
        }
    }
    free(list);
    return next;
}

static wide_count front_count(const struct perft *perft, const struct front *front, int depth) {
    wide_count leaves = 0;
    struct progress *progress = progress_start("perft", "subtrees", front->count, perft->options.quiet);
    const long count = (long)front->count;
#pragma omp parallel num_threads(perft->options.threads)
    {
        struct move_list *lists = memory_new((size_t)depth, sizeof *lists);
        wide_count mine = 0;
#pragma omp for schedule(dynamic, 1) nowait
        for (long i = 0; i < count; i++) {
            if (interrupted()) continue;
            mine += subtree(perft, &front->positions[i], depth, lists);
            progress_step(progress, 1);
        }
#pragma omp critical(perft_sum)
        leaves += mine;
        free(lists);
    }
    progress_end(progress);
    return leaves;
}

bool perft_count(struct perft *perft, const struct position *position, int depth, wide_count *leaves) {
    const size_t enough =
        perft->options.threads == 1 ? 1 : SUBTREES_A_THREAD * (size_t)perft->options.threads;
    struct front front = {0};
    front_add(&front, position);
    while (depth > 1 && front.count && front.count < enough) {
        struct front next = front_next_ply(perft, &front);
        free(front.positions);
        front = next;
        depth--;
    }
    *leaves = front.count ? front_count(perft, &front, depth) : 0;
    free(front.positions);
    return !interrupted();
}

void wide_to_text(wide_count count, char text[static WIDE_TEXT_SIZE]) {
    char digits[WIDE_TEXT_SIZE];
    int n = 0;
    do digits[n++] = (char)('0' + (int)(count % 10));
    while (count /= 10);
    for (int i = 0; i < n; i++) text[i] = digits[n - 1 - i];
    text[n] = 0;
}
