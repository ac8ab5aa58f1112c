// run.c -- plays the games of a run on all cores and keeps what is finished.

#include "selfplay/run.h"

#include <assert.h>
#include <inttypes.h>
#include <malloc.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/support/clock.h"
#include "core/support/file.h"
#include "core/support/memory.h"
#include "core/support/progress.h"
#include "selfplay/open_shard.h"
#include "selfplay/playing.h"
#include "selfplay/run_survey.h"
#include "selfplay/shards.h"
#include "selfplay/status.h"

#define TELL_SECONDS 0.5  // between two times that ranks say how far they are

enum { WAIT_NANOSECONDS = 20000000 };

static_assert((int)COUNTS == (int)RANKS_SUMS, "ranks add up the counts");

struct run {
    struct run_folder folder;
    struct run_share_out out;
    uint64_t first, end;   // its shards
    bool *published;       // by shard
    uint64_t kept, whole;  // games and shards found finished

    omp_lock_t state;          // guards what follows
    struct open_shard *open;   // at most as many as threads, and one
    struct open_shard *drawn;  // the one of them whose games are handed out; NULL: another is to be drawn
    size_t next;               // game of it, from 0; none below remains to be handed out
    uint64_t counts[COUNTS], told[COUNTS], sums[COUNTS];  // by this process; told to the others; by all
    double tell;                                          // when
    struct status *status;
    bool failed;
    struct error failure;  // the first one

    omp_lock_t writing;  // one thread at a time makes a shard
};

static const struct settings *settings_of(const struct run *run) { return &run->folder.settings; }

static bool leads(const struct run *run) { return ranks_number(run->out.ranks) == 0; }

// ---- with the state locked ----

static void note_failure(struct run *run, const struct error *error) {
    if (!run->failed) run->failure = *error;
    run->failed = true;
}

static void tell_others(struct run *run) {
    uint64_t more[COUNTS];
    for (int i = 0; i < COUNTS; i++) more[i] = run->counts[i] - run->told[i];
    ranks_add(run->out.ranks, more, run->sums);
    memcpy(run->told, run->counts, sizeof run->told);
    run->tell = clock_seconds() + TELL_SECONDS;
}

static void count_game(struct run *run, const struct played_game *game) {
    run->counts[game->result > 0 ? COUNT_WINS : game->result < 0 ? COUNT_LOSSES : COUNT_DRAWS]++;
    run->counts[COUNT_POSITIONS] += (uint64_t)game->plies;
    if (ranks_count(run->out.ranks) == 1 || clock_seconds() >= run->tell) tell_others(run);
    if (run->status != NULL) status_show(run->status, run->sums);
}

static struct open_shard *find_shard(struct run *run, uint64_t number) {
    struct open_shard *shard = run->open;
    while (shard != NULL && shard->number != number) shard = shard->next;
    return shard;
}

static void take_from_list(struct run *run, struct open_shard *shard) {
    struct open_shard **at = &run->open;
    while (*at != shard) at = &(*at)->next;
    *at = shard->next;
    if (run->drawn == shard) run->drawn = NULL;
}

// Another process may have published it meanwhile.
static bool came_from_others(const struct run *run, uint64_t number) {
    struct shard_sum sum;
    struct error ignored;
    return run->out.some && shards_examine(run->folder.path, number, 1, &sum, &ignored) &&
           sum.state == SHARD_WHOLE;
}

// The next shard that nobody plays; NULL when there is none, or with an error.
static struct open_shard *draw_shard(struct run *run, struct error *error) {
    error->text[0] = '\0';
    for (;;) {
        const uint64_t number = run->first + ranks_take(run->out.ranks);
        if (number >= run->end) return NULL;
        uint64_t cut;
        if (run->published[number]) continue;
        struct open_shard *shard = open_shard_new(&run->folder, number, &cut, error);
        if (shard == NULL || !came_from_others(run, number)) return shard;
        run->published[number] = true;
        open_shard_free(shard);
    }
}

// Something to do: a game to play, or a shard to publish whose last game was found in the journal.
struct task {
    uint64_t game;
    struct open_shard *full;
};

static bool find_task(struct run *run, struct task *task) {
    struct error error;
    *task = (struct task){0};
    for (;;) {
        struct open_shard *shard = run->drawn;
        while (shard != NULL && run->next < shard->size) {
            const size_t index = run->next++;
            task->game = shard->first + index;
            if (!shard->have[index]) return true;
        }
        run->drawn = shard = draw_shard(run, &error);
        run->next = 0;
        if (shard == NULL) break;
        if (shard->done == shard->size) {
            run->drawn = NULL;
            task->full = shard;
            return true;
        }
        shard->next = run->open;
        run->open = shard;
    }
    if (*error.text != '\0') note_failure(run, &error);
    return false;
}

// ---- the threads ----

static void fail(struct run *run, const struct error *error) {
    omp_set_lock(&run->state);
    note_failure(run, error);
    omp_unset_lock(&run->state);
}

static bool next_task(struct run *run, struct task *task) {
    omp_set_lock(&run->state);
    const bool goes_on = !run->failed && run->sums[COUNT_STOPS] == 0 && !interrupted();
    const bool found = goes_on && find_task(run, task);
    omp_unset_lock(&run->state);
    return found;
}

// Keeps a game. The thread that finishes a shard gets it to publish, off the list and out of others' sight.
static struct open_shard *record(struct run *run, uint64_t id, const struct played_game *game) {
    struct error error;
    omp_set_lock(&run->state);
    struct open_shard *shard = find_shard(run, id / (uint64_t)settings_of(run)->shard_games);
    bool full = false;
    if (open_shard_keep(shard, id, game, &error)) {
        count_game(run, game);
        full = shard->done == shard->size;
    } else {
        note_failure(run, &error);
    }
    if (full) take_from_list(run, shard);
    omp_unset_lock(&run->state);
    return full ? shard : NULL;
}

static void finish_shard(struct run *run, struct open_shard *shard) {
    struct error error;
    omp_set_lock(&run->writing);
    const bool done = open_shard_publish(shard, &run->folder, &error);
    omp_unset_lock(&run->writing);
    if (!done) fail(run, &error);
    omp_set_lock(&run->state);
    run->published[shard->number] = done;
    run->counts[COUNT_SHARDS] += done;
    omp_unset_lock(&run->state);
    open_shard_free(shard);
    malloc_trim(0);  // the file was made in memory, and glibc would keep the room for each thread
}

// What a thread plays with.
struct table {
    struct search *search[2];    // of each engine
    struct playing *playing[2];  // of games that may be called, and of those that are played out
    struct played_game game;
};

static bool table_set(struct table *table, const struct run *run, struct error *error) {
    const struct settings *settings = settings_of(run);
    *table = (struct table){0};
    for (int i = 0; i < run->folder.engine_count; i++) {
        table->search[i] = search_new(settings->variant, &run->folder.weights[i], (size_t)settings->hash);
        if (table->search[i] == NULL)
            return error_set(error, "hash: no memory for another table of %d MB", settings->hash);
    }
    struct playing_settings rules = {.variant = settings->variant,
                                     .draws = settings->draws,
                                     .max_plies = settings->max_plies,
                                     .adjudication = settings->adjudication};
    table->playing[false] = playing_new(&rules);
    rules.adjudication = (struct adjudication){0};
    table->playing[true] = playing_new(&rules);
    return true;
}

static void table_clear(struct table *table) {
    for (int i = 0; i < 2; i++) {
        if (table->search[i] != NULL) search_free(table->search[i]);
        if (table->playing[i] != NULL) playing_free(table->playing[i]);
    }
    played_game_free(&table->game);
}

// Openings of a book come in turn, so that none comes back before all were played.
static struct position start_of(const struct run *run, uint64_t id) {
    const struct opening_list *book = run->folder.book;
    if (book == NULL) return variant_initial(settings_of(run)->variant);
    return opening_list_end(book, (int)(id % (uint64_t)opening_list_count(book)));
}

static bool play_game(const struct run *run, uint64_t id, struct table *table, struct error *error) {
    const struct settings *settings = settings_of(run);
    struct game_plan plan = game_plan(&run->folder, id);
    const struct opening_source source = {.start = start_of(run, id), .random_plies = settings->random_plies};
    struct opening opening;
    if (!opening_draw(&source, settings->variant, &settings->draws, &plan.random, &opening, error))
        return error_prefix(error, "game %" PRIu64, id);
    struct player players[2];
    for (enum side side = WHITE; side <= BLACK; side++)
        players[side] =
            (struct player){.search = table->search[plan.engine[side]], .limits = settings->limits};
    playing_game(table->playing[plan.played_out], &opening, players, &table->game);
    return true;
}

// What one thread does.
static void work(struct run *run) {
    struct table table;
    struct error error;
    struct task task;
    bool good = table_set(&table, run, &error);
    while (good && next_task(run, &task)) {
        struct open_shard *full = task.full;
        if (full == NULL) {
            good = play_game(run, task.game, &table, &error);
            if (good) full = record(run, task.game, &table.game);
        }
        if (full != NULL) finish_shard(run, full);
    }
    if (!good) fail(run, &error);
    table_clear(&table);
}

// ---- playing ----

uint64_t run_games_kept(const struct run *run) { return run->kept + counted_games(run->sums); }

static bool sync_journals(struct run *run, struct error *error) {
    bool done = true;
    for (struct open_shard *shard = run->open; shard != NULL; shard = shard->next) {
        done = open_shard_sync(shard, done ? error : NULL) && done;
    }
    return done;
}

// threads 0: as the configuration says.
static int count_threads(const struct settings *settings, int threads) {
    if (threads == 0) threads = settings->threads;
    return threads > 0 ? threads : omp_get_num_procs();
}

static bool check_memory(const struct settings *settings, int threads, struct error *error) {
    const size_t tables = (size_t)threads * (size_t)settings_weights_count(settings);
    return search_room(tables * search_table_bytes((size_t)settings->hash)) ||
           error_set(error, "hash: no memory for tables of %d MB for each of %d threads", settings->hash,
                     threads);
}

static uint64_t games_in_part(const struct run *run) {
    const uint64_t end = run_folder_first_game(&run->folder, run->end);
    const uint64_t all = settings_of(run)->games;
    return (end < all ? end : all) - run_folder_first_game(&run->folder, run->first);
}

// Games that differ in nothing would be played several times.
static void warn_of_copies(const struct run *run) {
    const struct settings *settings = settings_of(run);
    const struct opening_list *book = run->folder.book;
    const uint64_t openings = book != NULL ? (uint64_t)opening_list_count(book) : 1;
    if (settings->random_plies > 0 || settings->limits.seconds > 0 || settings->games <= openings) return;
    fprintf(stderr,
            "%s: %" PRIu64 " games on %" PRIu64
            " openings: many will be copies of others; opening.random_plies makes them differ\n",
            run->folder.path, settings->games, openings);
}

static void begin_status(struct run *run) {
    char *name = run->out.some ? memory_text("status-%" PRIu64 "-%" PRIu64 ".json", run->first, run->end - 1)
                               : memory_text("status.json");
    char *path = run_folder_file(&run->folder, name);
    const struct status_settings settings = {
        .title = settings_of(run)->variant->name,
        .path = path,
        .total = games_in_part(run),
        .kept = run->kept,
        .processes = ranks_count(run->out.ranks),
        .quiet = run->out.quiet,
    };
    if (leads(run)) run->status = status_start(&settings);
    free(path);
    free(name);
}

// Until every rank is here, whose line goes on.
static void wait_for_others(struct run *run) {
    run->counts[COUNT_STOPS] = run->failed || interrupted();
    tell_others(run);
    static const uint64_t nothing[COUNTS];
    while (!ranks_arrived(run->out.ranks)) {
        nanosleep(&(struct timespec){.tv_nsec = WAIT_NANOSECONDS}, NULL);
        if (clock_seconds() < run->tell || run->status == NULL) continue;
        ranks_add(run->out.ranks, nothing, run->sums);
        run->tell = clock_seconds() + TELL_SECONDS;
        status_show(run->status, run->sums);
    }
    ranks_add(run->out.ranks, nothing, run->sums);
}

static bool all_exist(const struct run *run) {
    bool exist = true;
    for (uint64_t i = 0; i < run->folder.shard_count && exist; i++) {
        char *path = shard_path(run->folder.path, i, "h5");
        exist = file_exists(path);
        free(path);
    }
    return exist;
}

static enum run_end end_of(struct run *run, struct error *error) {
    if (!run->failed && !sync_journals(run, &run->failure)) run->failed = true;
    *error = run->failure;
    if (run->failed) return RUN_FAILED;
    if (run->whole + run->sums[COUNT_SHARDS] < run->end - run->first) {
        for (uint64_t i = run->first; i < run->end; i++) {  // unless others made what is missing
            if (!run->published[i])
                return run->sums[COUNT_STOPS] > 0 && !interrupted() ? RUN_FAILED : RUN_STOPPED;
        }
    }
    if (run->out.some && !all_exist(run)) return RUN_PLAYED;
    if (!leads(run)) return RUN_DONE;
    if (!shards_sort_sums(run->folder.path, run->folder.shard_count, error)) return RUN_FAILED;
    return manifest_note_finished(run->folder.path, &run->folder.manifest, error) ? RUN_DONE : RUN_FAILED;
}

enum run_end run_play(struct run *run, int threads, struct error *error) {
    static const char *const states[] = {"failed", "stopped", "done", "done"};
    threads = count_threads(settings_of(run), threads);
    bool good = check_memory(settings_of(run), threads, error);
    if (!ranks_agree(run->out.ranks, good)) {
        if (good) error->text[0] = '\0';
        return RUN_FAILED;
    }
    ranks_share(run->out.ranks, run->published, run->folder.shard_count * sizeof *run->published);
    ranks_share(run->out.ranks, &run->whole, sizeof run->whole);
    if (leads(run) && !run->out.quiet) warn_of_copies(run);
    begin_status(run);
#pragma omp parallel num_threads(threads)
    work(run);
    wait_for_others(run);
    const enum run_end end = end_of(run, error);
    if (run->status != NULL) status_end(run->status, states[end], run->sums);
    run->status = NULL;
    return end;
}

// ---- beginning and resuming ----

static struct run *run_new(const struct run_share_out *out) {
    struct run *run = memory_new(1, sizeof *run);
    run->out = *out;
    run->folder.lock = -1;
    omp_init_lock(&run->state);
    omp_init_lock(&run->writing);
    return run;
}

void run_close(struct run *run) {
    if (run == NULL) return;
    while (run->open != NULL) {
        struct open_shard *shard = run->open;
        run->open = shard->next;
        open_shard_free(shard);
    }
    run_folder_close(&run->folder);
    free(run->published);
    omp_destroy_lock(&run->state);
    omp_destroy_lock(&run->writing);
    free(run);
}

// Which shards are its own.
static bool take_part(struct run *run, struct error *error) {
    const uint64_t count = run->folder.shard_count;
    run->published = memory_new(count, sizeof *run->published);
    run->first = run->out.some ? run->out.first : 0;
    run->end = run->out.some && run->out.last < count ? run->out.last + 1 : count;
    return run->first < count || error_set(error, "--shards: the run has shards 0-%" PRIu64 ", not %" PRIu64,
                                           count - 1, run->first);
}

static bool survey(struct run *run, struct error *error) {
    struct run_survey found = {
        .first = run->first, .end = run->end, .shared = run->out.some, .published = run->published};
    const bool done = run_survey(&run->folder, &found, run->out.quiet, error);
    run->kept = found.games;
    run->whole = found.shards;
    return done;
}

static struct run *close_failed(struct run *run) {
    run_close(run);
    return NULL;
}

struct run *run_create(const char *path, struct settings *settings, const struct run_share_out *out,
                       struct error *error) {
    if (!check_memory(settings, count_threads(settings, 0), error)) return NULL;
    struct run *run = run_new(out);
    const enum run_share share = out->some ? RUN_SHARED : RUN_ALONE;
    if (!run_folder_begin(&run->folder, path, settings, share, out->quiet, error) || !take_part(run, error))
        return close_failed(run);
    if (out->some && !survey(run, error)) return close_failed(run);
    return run;
}

struct run *run_resume(const char *path, const struct run_share_out *out, struct error *error) {
    struct run *run = run_new(out);
    const enum run_share share = !leads(run) ? RUN_LED : out->some ? RUN_SHARED : RUN_ALONE;
    if (!run_folder_find(&run->folder, path, share, error) || !take_part(run, error))
        return close_failed(run);
    if (share == RUN_LED) return run;
    if (survey(run, error) &&
        (share == RUN_SHARED || manifest_note_resumed(path, &run->folder.manifest, error)))
        return run;
    return close_failed(run);
}
