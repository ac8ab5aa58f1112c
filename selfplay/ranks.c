// ranks.c -- the processes of a run, by MPI where that is there: the only file that knows it.

#include "selfplay/ranks.h"

#include <stdlib.h>

#ifdef HUFF_MPI
#include <mpi.h>
#endif

#include "core/support/memory.h"

// What all count together lies in the memory of rank 0.
enum { TAKEN, FIRST_SUM, SLOTS = FIRST_SUM + RANKS_SUMS };

struct ranks {
    int number, count;
    uint64_t slots[SLOTS];
#ifdef HUFF_MPI
    MPI_Win window;
    MPI_Request arriving;
#endif
};

int ranks_number(const struct ranks *ranks) { return ranks->number; }
int ranks_count(const struct ranks *ranks) { return ranks->count; }

#ifdef HUFF_MPI

// Without a launcher MPI would start servers of its own for a single process.
static bool is_launched(void) {
    static const char *const signs[] = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK"};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        if (getenv(signs[i]) != NULL) return true;
    }
    return false;
}

// A program may end by itself (--help): then, too, MPI wants to hear of it.
static void finalize(void) {
    int ended;
    MPI_Finalized(&ended);
    if (!ended) MPI_Finalize();
}

static void join(struct ranks *ranks) {
    int level;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level);
    atexit(finalize);
    MPI_Comm_rank(MPI_COMM_WORLD, &ranks->number);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks->count);
    MPI_Win_create(ranks->slots, ranks->number == 0 ? (MPI_Aint)sizeof ranks->slots : 0, sizeof *ranks->slots,
                   MPI_INFO_NULL, MPI_COMM_WORLD, &ranks->window);
    MPI_Win_lock_all(0, ranks->window);
    ranks->arriving = MPI_REQUEST_NULL;
}

struct ranks *ranks_join(void) {
    struct ranks *ranks = memory_new(1, sizeof *ranks);
    ranks->count = 1;
    if (is_launched()) join(ranks);
    return ranks;
}

static bool is_alone(const struct ranks *ranks) {
    int begun;
    MPI_Initialized(&begun);
    return !begun || ranks->count == 1;
}

void ranks_leave(struct ranks *ranks) {
    int begun;
    MPI_Initialized(&begun);
    if (begun) {
        MPI_Win_unlock_all(ranks->window);
        MPI_Win_free(&ranks->window);
        finalize();
    }
    free(ranks);
}

bool ranks_agree(struct ranks *ranks, bool mine) {
    int all = mine;
    if (!is_alone(ranks)) MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    return all;
}

void ranks_share(struct ranks *ranks, void *data, size_t size) {
    if (!is_alone(ranks)) MPI_Bcast(data, (int)size, MPI_BYTE, 0, MPI_COMM_WORLD);
}

// Returns what was there before.
static void add(struct ranks *ranks, int slot, int count, const uint64_t *more, uint64_t *before) {
    MPI_Get_accumulate(more, count, MPI_UINT64_T, before, count, MPI_UINT64_T, 0, slot, count, MPI_UINT64_T,
                       MPI_SUM, ranks->window);
    MPI_Win_flush(0, ranks->window);
}

bool ranks_arrived(struct ranks *ranks) {
    int all = true;
    if (is_alone(ranks)) return all;
    if (ranks->arriving == MPI_REQUEST_NULL) MPI_Ibarrier(MPI_COMM_WORLD, &ranks->arriving);
    MPI_Test(&ranks->arriving, &all, MPI_STATUS_IGNORE);
    return all;
}

#else

struct ranks *ranks_join(void) {
    struct ranks *ranks = memory_new(1, sizeof *ranks);
    ranks->count = 1;
    return ranks;
}

static bool is_alone(const struct ranks *ranks) { return ranks->count == 1; }
void ranks_leave(struct ranks *ranks) { free(ranks); }
bool ranks_agree(struct ranks *ranks, bool mine) { return is_alone(ranks) && mine; }
void ranks_share(struct ranks *ranks, void *data, size_t size) {
    (void)ranks, (void)data, (void)size;  // they are there already
}
bool ranks_arrived(struct ranks *ranks) { return is_alone(ranks); }
static void add(struct ranks *ranks, int slot, int count, const uint64_t *more, uint64_t *before) {
    (void)ranks, (void)slot, (void)count, (void)more, (void)before;
}

#endif

uint64_t ranks_take(struct ranks *ranks) {
    const uint64_t one = 1;
    uint64_t number = 0;
    if (is_alone(ranks)) return ranks->slots[TAKEN]++;
    add(ranks, TAKEN, 1, &one, &number);
    return number;
}

void ranks_add(struct ranks *ranks, const uint64_t more[static RANKS_SUMS],
               uint64_t sums[static RANKS_SUMS]) {
    uint64_t *own = &ranks->slots[FIRST_SUM];
    if (!is_alone(ranks)) add(ranks, FIRST_SUM, RANKS_SUMS, more, sums);
    for (int i = 0; i < RANKS_SUMS; i++) sums[i] = is_alone(ranks) ? own[i] += more[i] : sums[i] + more[i];
}
