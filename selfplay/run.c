// run.c -- plays the games of a run on all cores and keeps what is finished.

#include "selfplay/run.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <malloc.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/support/clock.h"
#include "core/support/file.h"
#include "core/support/memory.h"
#include "core/support/options.h"
#include "core/support/progress.h"
#include "selfplay/dataset.h"
#include "selfplay/journal.h"
#include "selfplay/manifest.h"
#include "selfplay/openings.h"
#include "selfplay/playing.h"
#include "selfplay/rules_json.h"
#include "selfplay/shards.h"

static const struct manifest_kind kind = {"huff-run", "huff-selfplay " HUFF_VERSION};

// A shard some of whose games are finished. There are never more of these than threads, and one.
struct open_shard {
    uint64_t number, first;  // shard and its first game
    size_t size, done;       // games
    struct played_game *games;
    bool *have;
    struct journal *journal;
    struct open_shard *next;
};

// Of the games that this process played.
struct tally {
    uint64_t wins, draws, losses, positions;
};

struct run {
    char *folder;
    int lock;  // the folder, held while the run is open
    struct manifest manifest;
    struct settings settings;
    struct weights weights;
    char *rules, *config, *limit;  // texts for the shards
    uint64_t shard_count;
    bool *published;  // by shard

    omp_lock_t state;  // guards what follows
    struct open_shard *open;
    uint64_t next;  // no game below it remains to be handed out
    struct tally tally;
    double started;
    struct progress *progress;
    bool failed;
    struct error failure;  // the first one

    omp_lock_t writing;  // one thread at a time makes a shard
};

static const struct settings *settings_of(const struct run *run) { return &run->settings; }

static uint64_t first_game(const struct run *run, uint64_t shard) {
    return shard * (uint64_t)settings_of(run)->shard_games;
}

static size_t shard_size(const struct run *run, uint64_t shard) {
    const uint64_t left = settings_of(run)->games - first_game(run, shard);
    const uint64_t full = (uint64_t)settings_of(run)->shard_games;
    return (size_t)(left < full ? left : full);
}

static char *file_in(const char *folder, const char *name) { return memory_text("%s/%s", folder, name); }

// ---- open shards ----

static void free_shard(struct open_shard *shard) {
    for (size_t i = 0; i < shard->size; i++) played_game_free(&shard->games[i]);
    free(shard->games);
    free(shard->have);
    if (shard->done == 0)
        journal_delete(shard->journal);
    else
        journal_close(shard->journal);
    free(shard);
}

static void keep_game(struct open_shard *shard, uint64_t id, struct played_game *game) {
    shard->games[id - shard->first] = *game;
    shard->have[id - shard->first] = true;
    shard->done++;
    *game = (struct played_game){0};
}

static void count_game(struct tally *tally, const struct played_game *game) {
    if (game->result > 0)
        tally->wins++;
    else if (game->result < 0)
        tally->losses++;
    else
        tally->draws++;
    tally->positions += (uint64_t)game->plies;
}

static void found_in_journal(void *context, uint64_t id, struct played_game *game) {
    struct open_shard *shard = context;
    if (id >= shard->first && id - shard->first < shard->size && !shard->have[id - shard->first]) {
        keep_game(shard, id, game);
    }
}

// Opens a shard and takes what its journal holds. *cut: damaged bytes that were cut off there.
static struct open_shard *open_shard(struct run *run, uint64_t number, uint64_t *cut, struct error *error) {
    struct open_shard *shard = memory_new(1, sizeof *shard);
    shard->number = number;
    shard->first = first_game(run, number);
    shard->size = shard_size(run, number);
    shard->games = memory_new(shard->size, sizeof *shard->games);
    shard->have = memory_new(shard->size, sizeof *shard->have);
    char *path = shard_path(run->folder, number, "journal");
    char *owner = memory_text("%s shard %" PRIu64, run->manifest.config_sha256, number);
    shard->journal =
        journal_open(path, owner, settings_of(run)->variant, found_in_journal, shard, cut, error);
    free(owner);
    free(path);
    if (shard->journal == NULL) {
        free_shard(shard);
        return NULL;
    }
    shard->next = run->open;
    run->open = shard;
    return shard;
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
}

// ---- publishing ----

// Trainers hold back whole games: 90 % training, 5 % validation, 5 % test. It is the first thing a game
// draws.
static enum split draw_split(struct random *random) {
    const uint64_t percent = random_below(random, 100);
    return percent < 90 ? SPLIT_TRAIN : percent < 95 ? SPLIT_VALIDATION : SPLIT_TEST;
}

static bool add_games(const struct run *run, const struct open_shard *shard, struct dataset_writer *writer,
                      struct error *error) {
    for (size_t i = 0; i < shard->size; i++) {
        struct random random = random_stream(settings_of(run)->seed, shard->first + i);
        if (!dataset_add(writer, &shard->games[i], shard->first + i, draw_split(&random), error))
            return false;
    }
    return true;
}

// A full shard becomes a file and its journal goes.
static bool publish(struct run *run, struct open_shard *shard, struct error *error) {
    const struct dataset_info info = {
        .variant = settings_of(run)->variant,
        .rules = run->rules,
        .engine = "huff " HUFF_VERSION,
        .weights_sha256 = run->weights.sha256,
        .limit = run->limit,
        .config = run->config,
        .seed = settings_of(run)->seed,
        .first_game = shard->first,
    };
    struct dataset_writer *writer = dataset_create(&info, error);
    if (writer == NULL) return false;
    if (!add_games(run, shard, writer, error)) {
        dataset_discard(writer);
        return false;
    }
    void *bytes;
    size_t size;
    if (!dataset_finish(writer, &bytes, &size, error)) return false;
    const bool done = shard_publish(run->folder, shard->number, bytes, size, error);
    free(bytes);
    if (!done) return false;
    journal_delete(shard->journal);
    shard->journal = NULL;
    return true;
}

// ---- the threads ----

static void fail(struct run *run, const struct error *error) {
    omp_set_lock(&run->state);
    if (!run->failed) run->failure = *error;
    run->failed = true;
    omp_unset_lock(&run->state);
}

// With the state locked. The lowest game that is missing and nobody plays.
static bool find_next_game(struct run *run, uint64_t *game, struct error *error) {
    const struct settings *settings = settings_of(run);
    while (run->next < settings->games) {
        const uint64_t number = run->next / (uint64_t)settings->shard_games;
        if (run->published[number]) {
            run->next = first_game(run, number + 1);
            continue;
        }
        struct open_shard *shard = find_shard(run, number);
        uint64_t cut;
        if (shard == NULL && (shard = open_shard(run, number, &cut, error)) == NULL) {
            run->failed = true;
            run->failure = *error;
            return false;
        }
        *game = run->next++;
        if (!shard->have[*game - shard->first]) return true;
    }
    return false;
}

static bool next_game(struct run *run, uint64_t *game) {
    struct error error;
    omp_set_lock(&run->state);
    const bool found = !run->failed && !interrupted() && find_next_game(run, game, &error);
    omp_unset_lock(&run->state);
    return found;
}

static void show(struct run *run) {
    const struct tally *tally = &run->tally;
    const double games = (double)(tally->wins + tally->draws + tally->losses) / 100;
    progress_note(run->progress, "W %.0f%% D %.0f%% L %.0f%%, %.0f positions/s", (double)tally->wins / games,
                  (double)tally->draws / games, (double)tally->losses / games,
                  (double)tally->positions / (clock_seconds() - run->started + 1e-9));
    progress_step(run->progress, 1);
}

// Keeps a game. The thread that finishes a shard gets it to publish, off the list and out of others' sight.
static struct open_shard *record(struct run *run, uint64_t id, struct played_game *game) {
    struct error error;
    omp_set_lock(&run->state);
    struct open_shard *shard = find_shard(run, id / (uint64_t)settings_of(run)->shard_games);
    bool full = false;
    if (journal_append(shard->journal, id, game, &error)) {
        count_game(&run->tally, game);
        keep_game(shard, id, game);
        full = shard->done == shard->size;
        show(run);
    } else if (!run->failed) {
        run->failed = true;
        run->failure = error;
    }
    if (full) take_from_list(run, shard);
    omp_unset_lock(&run->state);
    return full ? shard : NULL;
}

static void finish_shard(struct run *run, struct open_shard *shard) {
    struct error error;
    omp_set_lock(&run->writing);
    const bool done = publish(run, shard, &error);
    omp_unset_lock(&run->writing);
    if (!done) fail(run, &error);
    omp_set_lock(&run->state);
    run->published[shard->number] = done;
    omp_unset_lock(&run->state);
    free_shard(shard);
    malloc_trim(
        0);  // the games were allocated by all threads, and glibc would keep the room for each of them
}

static bool play_game(const struct run *run, uint64_t id, struct playing *playing,
                      const struct player players[static 2], struct played_game *game, struct error *error) {
    const struct settings *settings = settings_of(run);
    const struct opening_source source = {
        .start = variant_initial(settings->variant),
        .random_plies = settings->random_plies,
    };
    struct random random = random_stream(settings->seed, id);
    draw_split(&random);
    struct opening opening;
    if (!opening_draw(&source, settings->variant, &settings->draws, &random, &opening, error)) {
        return error_prefix(error, "game %" PRIu64, id);
    }
    playing_game(playing, &opening, players, game);
    return true;
}

// What one thread does.
static void work(struct run *run) {
    const struct settings *settings = settings_of(run);
    const struct playing_settings rules = {
        .variant = settings->variant, .draws = settings->draws, .max_plies = settings->max_plies};
    struct search *search = search_new(settings->variant, &run->weights, (size_t)settings->hash);
    if (search == NULL) {
        struct error error;
        error_set(&error, "hash: no memory for another table of %d MB", settings->hash);
        fail(run, &error);
        return;
    }
    struct playing *playing = playing_new(&rules);
    const struct player players[2] = {{.search = search, .limits = settings->limits},
                                      {.search = search, .limits = settings->limits}};
    struct played_game game = {0};
    uint64_t id;
    while (next_game(run, &id)) {
        struct error error;
        if (!play_game(run, id, playing, players, &game, &error)) {
            fail(run, &error);
            break;
        }
        struct open_shard *full = record(run, id, &game);
        if (full != NULL) finish_shard(run, full);
    }
    played_game_free(&game);
    search_free(search);
    playing_free(playing);
}

static bool all_published(const struct run *run) {
    for (uint64_t i = 0; i < run->shard_count; i++) {
        if (!run->published[i]) return false;
    }
    return true;
}

uint64_t run_games_kept(const struct run *run) {
    uint64_t games = 0;
    for (uint64_t i = 0; i < run->shard_count; i++) {
        if (run->published[i]) games += shard_size(run, i);
    }
    for (const struct open_shard *shard = run->open; shard != NULL; shard = shard->next) games += shard->done;
    return games;
}

// Shards whose last game is in the journal, because the run was killed before it was published.
static void finish_full_shards(struct run *run) {
    for (struct open_shard *shard = run->open, *next; shard != NULL; shard = next) {
        next = shard->next;
        if (shard->done < shard->size) continue;
        take_from_list(run, shard);
        finish_shard(run, shard);
    }
}

static bool sync_journals(struct run *run, struct error *error) {
    bool done = true;
    for (struct open_shard *shard = run->open; shard != NULL; shard = shard->next) {
        done = journal_sync(shard->journal, done ? error : NULL) && done;
    }
    return done;
}

// threads 0: as the configuration says.
static int count_threads(const struct settings *settings, int threads) {
    if (threads == 0) threads = settings->threads;
    return threads > 0 ? threads : omp_get_num_procs();
}

static bool check_memory(const struct settings *settings, int threads, struct error *error) {
    return search_room((size_t)threads * search_table_bytes((size_t)settings->hash)) ||
           error_set(error, "hash: no memory for tables of %d MB for each of %d threads", settings->hash,
                     threads);
}

enum run_end run_play(struct run *run, int threads, bool quiet, struct error *error) {
    threads = count_threads(settings_of(run), threads);
    if (!check_memory(settings_of(run), threads, error)) return RUN_FAILED;
    run->progress = progress_start(settings_of(run)->variant->name, "games", settings_of(run)->games, quiet);
    progress_skip(run->progress, run_games_kept(run));
    run->started = clock_seconds();
    finish_full_shards(run);
#pragma omp parallel num_threads(threads)
    work(run);
    progress_end(run->progress);
    if (!run->failed && !sync_journals(run, &run->failure)) run->failed = true;
    if (run->failed) {
        *error = run->failure;
        return RUN_FAILED;
    }
    if (!all_published(run)) return RUN_STOPPED;
    return manifest_note_finished(run->folder, &run->manifest, error) ? RUN_DONE : RUN_FAILED;
}

// ---- beginning and resuming ----

static struct run *run_new(const char *folder) {
    struct run *run = memory_new(1, sizeof *run);
    run->folder = memory_text("%s", folder);
    run->lock = -1;
    omp_init_lock(&run->state);
    omp_init_lock(&run->writing);
    return run;
}

void run_close(struct run *run) {
    if (run == NULL) return;
    while (run->open != NULL) {
        struct open_shard *shard = run->open;
        run->open = shard->next;
        free_shard(shard);
    }
    manifest_free(&run->manifest);
    settings_free(&run->settings);
    weights_free(&run->weights);
    free(run->rules);
    free(run->config);
    free(run->limit);
    free(run->published);
    free(run->folder);
    omp_destroy_lock(&run->state);
    omp_destroy_lock(&run->writing);
    if (run->lock >= 0) close(run->lock);
    free(run);
}

static bool lock_folder(struct run *run, struct error *error) {
    run->lock = manifest_lock(run->folder, error);
    return run->lock >= 0;
}

static json_t *checksums(const struct run *run) { return json_pack("{s:s}", "weights", run->weights.sha256); }

// Everything that follows from the manifest.
static void prepare(struct run *run) {
    const struct settings *settings = settings_of(run);
    run->rules = rules_to_json(settings->variant, &settings->draws);
    run->config = settings_game_json(settings);
    run->limit = settings_limit_text(settings);
    run->shard_count = (settings->games - 1) / (uint64_t)settings->shard_games + 1;
    run->published = memory_new(run->shard_count, sizeof *run->published);
}

// The run owns a copy of its weights, so that resuming does not depend on what becomes of the file.
static bool store_weights(struct run *run, struct error *error) {
    char *path = file_in(run->folder, "start.weights");
    const bool done = weights_write(path, &run->weights, error);
    free(path);
    return done;
}

// What file_replace had not renamed yet when the process was killed.
static void remove_temporaries(const struct run *run) {
    DIR *folder = opendir(run->folder);
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        if (strstr(entry->d_name, ".tmp-") == NULL) continue;
        char *path = file_in(run->folder, entry->d_name);
        unlink(path);
        free(path);
    }
    if (folder != NULL) closedir(folder);
}

static void remove_beginnings(const struct run *run) {
    static const char *const names[] = {"manifest.json", "start.weights"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char *path = file_in(run->folder, names[i]);
        unlink(path);
        free(path);
    }
    rmdir(run->folder);
}

static bool begin(struct run *run, struct settings *settings, struct error *error) {
    if (!file_make_folder(run->folder, error) || !lock_folder(run, error)) return false;
    if (manifest_exists(run->folder)) {  // by a process that was faster
        return error_set(error, "%s: exists already", run->folder);
    }
    remove_temporaries(run);
    if (store_weights(run, error) && manifest_create(run->folder, &kind, settings_to_json(settings),
                                                     checksums(run), &run->manifest, error)) {
        run->settings = *settings;
        *settings = (struct settings){0};
        return true;
    }
    remove_beginnings(run);
    return false;
}

// A folder that holds nothing but what a process killed at its very beginning leaves: no run has begun there.
static bool is_unused_folder(const char *folder) {
    DIR *entries = opendir(folder);
    if (entries == NULL) return false;
    bool unused = true;
    for (const struct dirent *entry; unused && (entry = readdir(entries)) != NULL;) {
        const char *name = entry->d_name;
        unused = strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || strcmp(name, "start.weights") == 0 ||
                 strstr(name, ".tmp-") != NULL;
    }
    closedir(entries);
    return unused;
}

struct run *run_create(const char *folder, struct settings *settings, struct error *error) {
    if (file_exists(folder) && !is_unused_folder(folder)) {
        error_set(error, "%s: exists already; to go on with a run: --resume %s", folder, folder);
        return NULL;
    }
    if (!check_memory(settings, count_threads(settings, 0), error)) return NULL;
    struct run *run = run_new(folder);
    if (!weights_get(settings->weights, settings->variant, &run->weights, error) ||
        !begin(run, settings, error)) {
        run_close(run);
        return NULL;
    }
    prepare(run);
    return run;
}

static bool read_weights(struct run *run, struct error *error) {
    char *path = file_in(run->folder, "start.weights");
    bool done = weights_read(path, settings_of(run)->variant, &run->weights, error);
    if (done && !manifest_agrees(&run->manifest, checksums(run))) {
        done = error_set(error, "%s: not the weights that the run began with (the checksum differs)", path);
    }
    free(path);
    return done;
}

static bool find_shards(struct run *run, bool quiet, struct error *error) {
    struct shard_sum *sums = memory_new(run->shard_count, sizeof *sums);
    bool done = shards_examine(run->folder, run->shard_count, sums, error);
    for (uint64_t i = 0; i < run->shard_count && done; i++) {
        run->published[i] = sums[i].state == SHARD_WHOLE;
        if (sums[i].state != SHARD_DAMAGED || quiet) continue;
        fprintf(stderr, "%s: shard %" PRIu64 " is damaged: its games are played again\n", run->folder, i);
    }
    done = done && shards_rewrite_sums(run->folder, run->shard_count, sums, error);
    free(sums);
    return done;
}

static bool load_journal(struct run *run, uint64_t number, bool quiet, struct error *error) {
    uint64_t cut;
    const struct open_shard *shard = open_shard(run, number, &cut, error);
    if (shard == NULL) return false;
    if (cut > 0 && !quiet) {
        fprintf(stderr,
                "%s: %" PRIu64 " damaged bytes at the end of the journal of shard %" PRIu64
                ": %zu games kept\n",
                run->folder, cut, number, shard->done);
    }
    return true;
}

static bool load_journals(struct run *run, bool quiet, struct error *error) {
    bool done = true;
    for (uint64_t i = 0; i < run->shard_count && done; i++) {
        char *path = shard_path(run->folder, i, "journal");
        if (run->published[i])
            unlink(path);
        else if (file_exists(path))
            done = load_journal(run, i, quiet, error);
        free(path);
    }
    return done;
}

struct run *run_resume(const char *folder, bool quiet, struct error *error) {
    struct run *run = run_new(folder);
    bool done = lock_folder(run, error) && manifest_read(folder, &kind, &run->manifest, error) &&
                (settings_from_json(manifest_config(&run->manifest), &run->settings, error) ||
                 error_prefix(error, "%s/manifest.json", folder));
    if (done) prepare(run);
    done = done && read_weights(run, error);
    if (done) remove_temporaries(run);
    if (done && find_shards(run, quiet, error) && load_journals(run, quiet, error) &&
        manifest_note_resumed(folder, &run->manifest, error)) {
        return run;
    }
    run_close(run);
    return NULL;
}
