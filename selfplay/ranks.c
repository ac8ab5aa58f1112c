// ranks.c -- the processes of a run, by MPI where that is there: the only file that knows it.

#include "selfplay/ranks.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#ifdef HUFF_MPI
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#endif

#include "core/support/memory.h"

// A question is what to add to each of these, an answer what they are then; of TAKEN, what it was.
enum { TAKEN, FIRST_SUM, SLOTS = FIRST_SUM + RANKS_SUMS };

struct ranks {
    int number, count;
    uint64_t slots[SLOTS];  // of rank 0: what all count together
#ifdef HUFF_MPI
    bool together;         // MPI was begun
    pthread_mutex_t lock;  // of MPI and the slots
    pthread_t server;      // of rank 0: answers the others, however long its games are
    atomic_bool leaving;
    MPI_Request arriving;
#endif
};

int ranks_number(const struct ranks *ranks) { return ranks->number; }
int ranks_count(const struct ranks *ranks) { return ranks->count; }

void ranks_count_anew(struct ranks *ranks) {
    assert(ranks->count == 1);
    memset(ranks->slots, 0, sizeof ranks->slots);
}

static void answer_question(struct ranks *ranks, const uint64_t question[static SLOTS],
                            uint64_t answer[static SLOTS]) {
    const uint64_t taken = ranks->slots[TAKEN];
    for (int i = 0; i < SLOTS; i++) answer[i] = ranks->slots[i] += question[i];
    answer[TAKEN] = taken;
}

#ifdef HUFF_MPI

enum { TAG_QUESTION = 1, TAG_ANSWER, NAP_NANOSECONDS = 2000000 };

static void nap(void) { nanosleep(&(struct timespec){.tv_nsec = NAP_NANOSECONDS}, NULL); }

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

// Answers one question, if there is any.
static bool serve_one(struct ranks *ranks) {
    uint64_t question[SLOTS], answer[SLOTS];
    MPI_Status from;
    int asked;
    pthread_mutex_lock(&ranks->lock);
    MPI_Iprobe(MPI_ANY_SOURCE, TAG_QUESTION, MPI_COMM_WORLD, &asked, &from);
    if (asked) {
        MPI_Recv(question, SLOTS, MPI_UINT64_T, from.MPI_SOURCE, TAG_QUESTION, MPI_COMM_WORLD, &from);
        answer_question(ranks, question, answer);
        MPI_Send(answer, SLOTS, MPI_UINT64_T, from.MPI_SOURCE, TAG_ANSWER, MPI_COMM_WORLD);
    }
    pthread_mutex_unlock(&ranks->lock);
    return asked;
}

static void *serve(void *context) {
    struct ranks *ranks = context;
    while (!atomic_load(&ranks->leaving)) {
        if (!serve_one(ranks)) nap();
    }
    return NULL;
}

static bool has_server(const struct ranks *ranks) { return ranks->number == 0 && ranks->count > 1; }

enum { GOES_ON = -1 };

// Rank 0 tells the others to go on, or with which code to end. Returns the level of threads.
static int begin(int code) {
    int level;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level);
    MPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (code == GOES_ON) return level;
    MPI_Finalize();
    exit(code);
}

// A process that ended without a word would have mpirun kill the others, rank 0 and its message among them.
static void end_others(int code, void *context) {
    (void)context;
    int begun;
    MPI_Initialized(&begun);
    if (begun) return;
    MPI_Init(NULL, NULL);
    MPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
}

bool ranks_expect(void) {
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"};
    const char *rank = NULL;
    if (!is_launched()) return true;
    for (size_t i = 0; i < sizeof names / sizeof *names && rank == NULL; i++) rank = getenv(names[i]);
    const bool leads = rank == NULL || atoi(rank) == 0;
    if (leads) on_exit(end_others, NULL);
    return leads;
}

static void join(struct ranks *ranks) {
    const int level = begin(GOES_ON);
    atexit(finalize);
    MPI_Comm_rank(MPI_COMM_WORLD, &ranks->number);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks->count);
    ranks->together = true;
    ranks->arriving = MPI_REQUEST_NULL;
    pthread_mutex_init(&ranks->lock, NULL);
    if (level < MPI_THREAD_SERIALIZED ||
        (has_server(ranks) && pthread_create(&ranks->server, NULL, serve, ranks) != 0))
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
}

struct ranks *ranks_join(void) {
    struct ranks *ranks = memory_new(1, sizeof *ranks);
    ranks->count = 1;
    if (is_launched()) join(ranks);
    return ranks;
}

void ranks_leave(struct ranks *ranks) {
    if (ranks->together) {
        while (!ranks_arrived(ranks)) nap();  // the server is needed until then
        atomic_store(&ranks->leaving, true);
        if (has_server(ranks)) pthread_join(ranks->server, NULL);
        pthread_mutex_destroy(&ranks->lock);
        finalize();
    }
    free(ranks);
}

bool ranks_agree(struct ranks *ranks, bool mine) {
    int all = mine;
    if (ranks->count == 1) return mine;
    // The lock is free again when all are there: the others may have come from questions.
    while (!ranks_arrived(ranks)) nap();
    pthread_mutex_lock(&ranks->lock);
    MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    pthread_mutex_unlock(&ranks->lock);
    return all;
}

void ranks_share(struct ranks *ranks, void *data, size_t size) {
    if (ranks->count == 1) return;
    pthread_mutex_lock(&ranks->lock);
    MPI_Bcast(data, (int)size, MPI_BYTE, 0, MPI_COMM_WORLD);
    pthread_mutex_unlock(&ranks->lock);
}

static void ask(struct ranks *ranks, const uint64_t question[static SLOTS], uint64_t answer[static SLOTS]) {
    if (!ranks->together) {
        answer_question(ranks, question, answer);
        return;
    }
    pthread_mutex_lock(&ranks->lock);
    if (ranks->number == 0) {
        answer_question(ranks, question, answer);
    } else {
        MPI_Send(question, SLOTS, MPI_UINT64_T, 0, TAG_QUESTION, MPI_COMM_WORLD);
        MPI_Recv(answer, SLOTS, MPI_UINT64_T, 0, TAG_ANSWER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    pthread_mutex_unlock(&ranks->lock);
}

bool ranks_arrived(struct ranks *ranks) {
    int all = true;
    if (ranks->count == 1) return all;
    pthread_mutex_lock(&ranks->lock);
    if (ranks->arriving == MPI_REQUEST_NULL) MPI_Ibarrier(MPI_COMM_WORLD, &ranks->arriving);
    MPI_Test(&ranks->arriving, &all, MPI_STATUS_IGNORE);
    pthread_mutex_unlock(&ranks->lock);
    return all;
}

#else

bool ranks_expect(void) { return true; }

struct ranks *ranks_join(void) {
    struct ranks *ranks = memory_new(1, sizeof *ranks);
    ranks->count = 1;
    return ranks;
}

void ranks_leave(struct ranks *ranks) { free(ranks); }
bool ranks_agree(struct ranks *ranks, bool mine) { return ranks->count == 1 && mine; }
void ranks_share(struct ranks *ranks, void *data, size_t size) {
    (void)ranks, (void)data, (void)size;  // they are there already
}
bool ranks_arrived(struct ranks *ranks) { return ranks->count == 1; }
static void ask(struct ranks *ranks, const uint64_t question[static SLOTS], uint64_t answer[static SLOTS]) {
    answer_question(ranks, question, answer);
}

#endif

uint64_t ranks_take(struct ranks *ranks) {
    const uint64_t question[SLOTS] = {[TAKEN] = 1};
    uint64_t answer[SLOTS];
    ask(ranks, question, answer);
    return answer[TAKEN];
}

void ranks_add(struct ranks *ranks, const uint64_t more[static RANKS_SUMS],
               uint64_t sums[static RANKS_SUMS]) {
    uint64_t question[SLOTS] = {0}, answer[SLOTS];
    memcpy(&question[FIRST_SUM], more, RANKS_SUMS * sizeof *more);
    ask(ranks, question, answer);
    memcpy(sums, &answer[FIRST_SUM], RANKS_SUMS * sizeof *sums);
}
