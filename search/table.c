// table.c -- the transposition table: what a search remembers of positions it has seen.
#include "search/table.h"

#include <limits.h>
#include <string.h>
#include <sys/mman.h>

enum {
    CLUSTER = 4,  // slots that one key may use: a cache line
    // How many plies of depth an entry loses in worth with every search since it was stored.
    AGE_WORTH = 8,
    GENERATION_BITS = 22,
    LAST_GENERATION = (1 << GENERATION_BITS) - 1,
    // Searches between two table_clear that are told apart.
    MOST_SEARCHES = 1 << 16,
};
_Static_assert(CLUSTER * sizeof(struct table_slot) == 64, "a cluster is a cache line");

// ---- an entry in one word ----

enum { MOVE_SHIFT = 16, DEPTH_SHIFT = 32, BOUND_SHIFT = 40, GENERATION_SHIFT = 42 };

static uint64_t packed(struct table_entry entry, uint32_t generation) {
    return (uint16_t)entry.score | (uint64_t)(uint16_t)entry.move << MOVE_SHIFT |
           (uint64_t)(uint8_t)entry.depth << DEPTH_SHIFT | (uint64_t)entry.bound << BOUND_SHIFT |
           (uint64_t)generation << GENERATION_SHIFT;
}

static struct table_entry unpacked(uint64_t data) {
    return (struct table_entry){
        .score = (int16_t)data,
        .depth = (uint8_t)(data >> DEPTH_SHIFT),
        .move = (uint16_t)(data >> MOVE_SHIFT),
        .bound = (enum bound)(data >> BOUND_SHIFT & 3),
    };
}

static int depth_of(uint64_t data) { return (uint8_t)(data >> DEPTH_SHIFT); }
static uint32_t generation_of(uint64_t data) { return (uint32_t)(data >> GENERATION_SHIFT); }

// Slots that were never written are of generation 0, before any first one.
static bool is_empty(const struct table *table, uint64_t data) { return generation_of(data) < table->first; }

// ---- the table ----

static size_t clusters_of(size_t megabytes) {
    size_t clusters = (megabytes << 20) / (CLUSTER * sizeof(struct table_slot));
    while (clusters & (clusters - 1)) clusters &= clusters - 1;
    return clusters;
}

size_t table_bytes(size_t megabytes) { return clusters_of(megabytes) * CLUSTER * sizeof(struct table_slot); }

// Mapped rather than allocated: at a page's start, so that no cluster straddles two cache lines, and zeroed
// by the system when it is first touched.
bool table_init(struct table *table, size_t megabytes) {
    *table = (struct table){.first = 1, .now = 1};
    const size_t bytes = table_bytes(megabytes);
    if (!bytes) return true;
    void *const memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return false;
    table->slots = memory;
    table->mask = clusters_of(megabytes) - 1;
    return true;
}

void table_free(struct table *table) {
    if (table->slots) munmap(table->slots, (table->mask + 1) * CLUSTER * sizeof *table->slots);
    *table = (struct table){0};
}

void table_clear(struct table *table) {
    table->first = ++table->now;
    if (table->first <= LAST_GENERATION - MOST_SEARCHES) return;
    table->first = table->now = 1;
    if (table->slots) memset(table->slots, 0, (table->mask + 1) * CLUSTER * sizeof *table->slots);
}

// Counted from the last clearing, so that what is forgotten does not depend on how many there were.
void table_begin_search(struct table *table) {
    if (table->now - table->first < MOST_SEARCHES - 1) table->now++;
}

static struct table_slot *cluster_of(const struct table *table, uint64_t key) {
    return &table->slots[(key & table->mask) * CLUSTER];
}

static uint64_t load(_Atomic uint64_t *word) { return atomic_load_explicit(word, memory_order_relaxed); }

static void store(_Atomic uint64_t *word, uint64_t value) {
    atomic_store_explicit(word, value, memory_order_relaxed);
}

bool table_find(const struct table *table, uint64_t key, struct table_entry *entry) {
    if (!table->slots) return false;
    struct table_slot *slot = cluster_of(table, key);
    for (int i = 0; i < CLUSTER; i++) {
        const uint64_t data = load(&slot[i].data);
        if ((load(&slot[i].check) ^ data) != key || is_empty(table, data)) continue;
        *entry = unpacked(data);
        return true;
    }
    return false;
}

// Empty slots are taken first, then shallow and old entries.
void table_store(struct table *table, uint64_t key, struct table_entry entry) {
    if (!table->slots) return;
    struct table_slot *slot = cluster_of(table, key), *target = slot;
    int least = INT_MAX;
    for (int i = 0; i < CLUSTER; i++) {
        const uint64_t data = load(&slot[i].data);
        const bool empty = is_empty(table, data);
        if (!empty && (load(&slot[i].check) ^ data) == key) {
            target = &slot[i];
            break;
        }
        const int worth =
            empty ? INT_MIN : depth_of(data) - AGE_WORTH * (int)(table->now - generation_of(data));
        if (worth < least) {
            least = worth;
            target = &slot[i];
        }
    }
    const uint64_t data = packed(entry, table->now);
    store(&target->data, data);
    store(&target->check, key ^ data);
}
