// match.c -- plays the pairs of a match on all cores and counts them in order.
//
// Threads take pair numbers from a counter and play into a ring; whoever completes the lowest number that is
// missing counts it and those behind it. A thread that would run ahead of the ring waits, so memory does not
// grow with the match. Games of a journal enter the ring in the order in which they were finished, which
// never left the ring either.

#include "selfplay/match.h"

#include <errno.h>
#include <inttypes.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/support/clock.h"
#include "core/support/memory.h"
#include "core/support/progress.h"
#include "selfplay/journal.h"

enum {
    RING = 256,            // pairs that may be finished ahead of one that is not
    REMEMBERED = 1 << 22,  // games in which a later one is sought; a power of two
    REMEMBER = REMEMBERED / 4 * 3,
    MOST_REPLAYS = 3,  // of one game
};

enum slot_state { SLOT_EMPTY, SLOT_PLAYED, SLOT_GIVEN_UP };

struct slot {
    enum slot_state state;
    struct match_pair pair;
};

// Keys of games, in a table of open addressing; 0 = free.
struct known_games {
    uint64_t *keys, room, count;
};

struct match {
    const struct match_settings *settings;
    uint64_t pairs;
    double started;
    match_listener *listener;
    void *context;
    struct watch *watch;
    struct error_log **logs;  // of each engine; NULL: none

    pthread_mutex_t lock;  // of what follows
    pthread_cond_t moved;  // signalled when `counted` grows
    uint64_t taken, counted;
    struct slot *ring;  // pair p in slot p % RING
    struct known_games known;
    struct journal *journal;  // NULL: none
    struct match_result *result;
    bool incomplete;  // a pair was given up
    bool failed;
    struct error failure;
};

// What one thread plays with.
struct worker {
    struct match *match;
    struct playing *playing;
    struct player *players;  // of each engine, made when it is needed
};

// ---- the schedule

// Two engines, each with each, or the first with each.
static int count_meetings(const struct match_settings *settings) {
    const int engines = settings->engine_count;
    return settings->gauntlet ? engines - 1 : engines * (engines - 1) / 2;
}

static void find_meeting(const struct match_settings *settings, int number, int engines[2]) {
    engines[0] = 0;
    for (int others = settings->engine_count - 1; number >= others && !settings->gauntlet; others--) {
        number -= others;
        engines[0]++;
    }
    engines[1] = engines[0] + 1 + number;
}

static void begin_pair(const struct match *match, uint64_t number, struct match_pair *pair) {
    const uint64_t meetings = (uint64_t)match->result->score_count;
    pair->number = number;
    pair->opening = number / meetings;
    pair->found = false;
    find_meeting(match->settings, (int)(number % meetings), pair->engines);
    for (int i = 0; i < PAIR_GAMES; i++) {
        struct match_game *game = &pair->games[i];
        game->engines[WHITE] = pair->engines[i];
        game->engines[BLACK] = pair->engines[1 - i];
        game->finished = game->duplicate = false;
        game->replays = 0;
    }
}

// ---- games that were played before

static uint64_t mix(uint64_t key, uint64_t value) {
    key = (key ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return key ^ key >> 29;
}

static uint64_t game_key(const struct match_game *game) {
    uint64_t key = mix(mix(position_key(&game->played.start), (uint64_t)game->engines[WHITE]),
                       (uint64_t)game->engines[BLACK]);
    for (int i = 0; i < game->played.plies; i++) key = mix(key, game->played.ply[i].index);
    key = mix(key, (uint64_t)game->played.plies);
    return key != 0 ? key : 1;
}

static uint64_t *find_key(const struct known_games *known, uint64_t key) {
    uint64_t at = key & (known->room - 1);
    while (known->keys[at] != 0 && known->keys[at] != key) at = (at + 1) & (known->room - 1);
    return &known->keys[at];
}

static void make_room(struct known_games *known) {
    const struct known_games old = *known;
    known->room = old.room == 0 ? 1024 : 2 * old.room;
    known->keys = memory_new(known->room, sizeof *known->keys);
    for (uint64_t i = 0; i < old.room; i++) {
        if (old.keys[i] != 0) *find_key(known, old.keys[i]) = old.keys[i];
    }
    free(old.keys);
}

// Was this game played before? Remembers it; of a very long match only the first games.
static bool is_known(struct known_games *known, uint64_t key) {
    if (known->count >= known->room / 4 * 3 && known->room < REMEMBERED) make_room(known);
    uint64_t *place = find_key(known, key);
    if (*place == key) return true;
    if (known->count == REMEMBER) return false;
    *place = key;
    known->count++;
    return false;
}

// ---- counting

// Of the first engine of the pair.
static int half_points(const struct match_pair *pair, int game) {
    const struct match_game *played = &pair->games[game];
    return 1 + (played->engines[WHITE] == pair->engines[0] ? played->played.result : -played->played.result);
}

static void count_ends(struct match_result *result, const struct match_game *game) {
    for (int side = 0; side < 2; side++) {
        struct match_ends *ends = &result->ends[game->engines[side]];
        const int kind = 1 + (side == WHITE ? game->played.result : -game->played.result);
        ends->count[kind][game->played.termination]++;
        ends->nodes += game->played.nodes[side];
        ends->seconds += game->played.seconds[side];
        const enum termination end = game->played.termination;
        if (kind == 0 && end != GAME_NO_PIECES && end != GAME_BLOCKED && *game->played.reason.text != '\0')
            ends->reason = game->played.reason;
    }
    const int first_ply = game->played.random_plies;
    for (int i = first_ply; i < game->played.plies; i++) {
        const enum side first = position_turn(&game->played.start);
        result->ends[game->engines[i % 2 == 0 ? first : other_side(first)]].moves++;
    }
}

// Lists are gone through again and again.
static int index_in_list(const struct match_settings *settings, const struct match_pair *pair) {
    return (int)(pair->opening % (uint64_t)opening_list_count(settings->list));
}

static void count_opening(const struct match_settings *settings, struct match_result *result,
                          const struct match_pair *pair) {
    if (settings->list == NULL) return;
    struct match_opening *opening = &result->openings[index_in_list(settings, pair)];
    for (int i = 0; i < PAIR_GAMES; i++) {
        opening->white[1 + pair->games[i].played.result]++;
        opening->first[half_points(pair, i)]++;
    }
}

static void count_pair(struct match *match, struct match_pair *pair) {
    struct match_result *result = match->result;
    struct match_score *score = &result->scores[pair->number % (uint64_t)result->score_count];
    int points = 0;
    for (int i = 0; i < PAIR_GAMES; i++) {
        struct match_game *game = &pair->games[i];
        game->duplicate = is_known(&match->known, game_key(game));
        result->duplicates += game->duplicate;
        result->plies += (uint64_t)game->played.plies;
        points += half_points(pair, i);
        score->games.count[half_points(pair, i)]++;
        count_ends(result, game);
    }
    count_opening(match->settings, result, pair);
    score->pairs.count[points]++;
    result->pairs++;
    result->games += PAIR_GAMES;
    if (points != 2) return;
    if (pair->games[0].played.result == 0)
        score->draw_draw++;
    else
        score->win_loss++;
}

// A pair that is missing may have been the deciding one, so there is no verdict beyond it.
static void judge(const struct match_settings *settings, bool incomplete, struct match_result *result) {
    if (!settings->has_sprt) return;
    const struct match_score *score = &result->scores[0];
    result->llr =
        sprt_llr(&settings->sprt, sprt_counts_pairs(settings->sprt.model) ? &score->pairs : &score->games);
    if (!incomplete) result->verdict = sprt_judge(&settings->sprt, result->llr);
}

// With the lock held.
static void fail_locked(struct match *match, const struct error *error) {
    if (!match->failed) match->failure = *error;
    match->failed = true;
    pthread_cond_broadcast(&match->moved);
}

// With the lock held. A pair that was given up between its games counts as an odd game.
static void count_slot(struct match *match, struct slot *slot) {
    struct match_result *result = match->result;
    const bool whole = slot->state == SLOT_PLAYED;
    match->incomplete = match->incomplete || !whole;
    if (whole)
        count_pair(match, &slot->pair);
    else if (slot->pair.games[0].finished || slot->pair.games[1].finished)
        result->odd++;
    else
        return;
    result->seconds = clock_seconds() - match->started;
    if (whole) judge(match->settings, match->incomplete, result);
    struct error error;
    if (!match->listener(match->context, &slot->pair, result, &error)) fail_locked(match, &error);
}

// With the lock held: counts what is ready. Pairs that were finished beyond the deciding one do not count.
static void count_ready(struct match *match) {
    for (;;) {
        struct slot *slot = &match->ring[match->counted % RING];
        if (slot->state == SLOT_EMPTY) return;
        if (match->result->verdict == SPRT_UNDECIDED && !match->failed) count_slot(match, slot);
        slot->state = SLOT_EMPTY;
        match->counted++;
        if (match->counted + RING - 1 < match->pairs)
            begin_pair(match, match->counted + RING - 1, &slot->pair);
        pthread_cond_broadcast(&match->moved);
    }
}

static void hand_in(struct match *match, struct slot *slot, enum slot_state state) {
    pthread_mutex_lock(&match->lock);
    slot->state = state;
    count_ready(match);
    pthread_mutex_unlock(&match->lock);
}

static void fail(struct match *match, const struct error *error) {
    pthread_mutex_lock(&match->lock);
    fail_locked(match, error);
    pthread_mutex_unlock(&match->lock);
}

// ---- the journal

static struct slot *slot_of(struct match *match, uint64_t pair) { return &match->ring[pair % RING]; }

static void found_in_journal(void *context, uint64_t id, struct played_game *played) {
    struct match *match = context;
    const uint64_t number = id / PAIR_GAMES;
    if (number < match->counted || number >= match->counted + RING || number >= match->pairs) return;
    struct slot *slot = slot_of(match, number);
    struct match_game *game = &slot->pair.games[id % PAIR_GAMES];
    if (game->finished) return;
    free(game->played.ply);
    game->played = *played;
    *played = (struct played_game){0};
    game->finished = true;
    if (!slot->pair.games[0].finished || !slot->pair.games[1].finished) return;
    slot->pair.found = true;
    match->result->found += PAIR_GAMES;
    slot->state = SLOT_PLAYED;
    count_ready(match);
}

static bool open_journal(struct match *match, const struct match_journal *journal) {
    if (journal == NULL) return true;
    match->journal = journal_open(journal->path, journal->owner, match->settings->variant, found_in_journal,
                                  match, &match->result->cut, &match->failure);
    match->failed = match->failed || match->journal == NULL;
    return !match->failed;
}

static bool keep_game(struct match *match, const struct match_pair *pair, int game) {
    struct error error;
    pthread_mutex_lock(&match->lock);
    const bool kept =
        match->journal == NULL || journal_append(match->journal, PAIR_GAMES * pair->number + (uint64_t)game,
                                                 &pair->games[game].played, &error);
    if (!kept) fail_locked(match, &error);
    pthread_mutex_unlock(&match->lock);
    return kept;
}

// ---- what engines write to their standard error

// A name that is no name of a file is made one.
static struct error_log *new_log(const char *folder, const char *engine, int number) {
    char *name = memory_text("%s", engine);
    for (char *at = name; *at != '\0'; at++) {
        if ((unsigned char)*at < ' ' || *at == '/' || *at == '\x7f') *at = '_';
    }
    char *path = strcmp(name, engine) == 0 ? memory_text("%s/%s.stderr", folder, name)
                                           : memory_text("%s/%s-%d.stderr", folder, name, number + 1);
    struct error_log *log = error_log_new(path);
    free(path);
    free(name);
    return log;
}

static void open_logs(struct match *match, const struct match_journal *journal) {
    const struct match_settings *settings = match->settings;
    match->logs = memory_new((size_t)settings->engine_count, sizeof *match->logs);
    for (int i = 0; i < settings->engine_count && journal != NULL; i++) {
        const struct match_engine *engine = &settings->engines[i];
        if (engine->command != NULL) match->logs[i] = new_log(journal->folder, engine->name, i);
    }
}

static void close_logs(struct match *match) {
    for (int i = 0; i < match->settings->engine_count; i++) error_log_free(match->logs[i]);
    free(match->logs);
}

// ---- playing

// With the lock held.
static bool stopping(const struct match *match) {
    return match->failed || interrupted() || match->result->verdict != SPRT_UNDECIDED;
}

static bool is_stopping(struct match *match) {
    pthread_mutex_lock(&match->lock);
    const bool stop = stopping(match);
    pthread_mutex_unlock(&match->lock);
    return stop;
}

// With the lock held. Pairs of the journal are played already.
static void skip_found(struct match *match) {
    if (match->taken < match->counted) match->taken = match->counted;
    while (match->taken < match->pairs && match->taken < match->counted + RING &&
           slot_of(match, match->taken)->state == SLOT_PLAYED) {
        match->taken++;
    }
}

static struct slot *take_pair(struct match *match) {
    pthread_mutex_lock(&match->lock);
    skip_found(match);
    while (!stopping(match) && match->taken == match->counted + RING) {
        pthread_cond_wait(&match->moved, &match->lock);
        skip_found(match);
    }
    const bool taken = !stopping(match) && match->taken < match->pairs;
    struct slot *slot = taken ? slot_of(match, match->taken++) : NULL;
    pthread_mutex_unlock(&match->lock);
    return slot;
}

struct position match_game_opening(const struct match_settings *settings, const struct match_game *game) {
    struct position position = game->played.start;
    for (int i = 0; i < game->played.random_plies; i++) {
        settings->variant->play(&position, game->played.ply[i].move);
    }
    return position;
}

static bool make_player(const struct match *match, int number, struct player *player, struct error *error) {
    const struct match_settings *settings = match->settings;
    const struct match_engine *engine = &settings->engines[number];
    *player = (struct player){.limits = engine->limits, .clock = engine->clock};
    if (!engine->external) {
        player->search = search_new(settings->variant, &engine->weights, (size_t)engine->hash);
        return player->search != NULL || error_set(error, "--hash: engine %s: no memory for a table of %d MB",
                                                   engine->name, engine->hash);
    }
    const struct engine_settings program = {
        .name = engine->name,
        .command = engine->command,
        .folder = engine->folder,
        .protocol = engine->protocol,
        .address = engine->address,
        .calls = engine->calls,
        .minutes = engine->minutes,
        .variant = settings->variant,
        .options = engine->options,
        .option_count = engine->option_count,
        .startup = settings->startup,
        .ready = settings->ready,
        .stall = settings->stall,
        .most_failures = settings->recover,
        .log = match->logs[number],
        .watch = match->watch,
    };
    player->engine = engine_new(&program);
    return true;
}

static void free_player(struct player *player) {
    engine_free(player->engine);
    search_free(player->search);
    *player = (struct player){0};
}

void match_round(const struct match_pair *pair, int game, char text[static MATCH_ROUND_SIZE]) {
    snprintf(text, MATCH_ROUND_SIZE, "%" PRIu64 ".%d", pair->number + 1, game + 1);
}

// NULL: the match has failed.
static const struct player *player_of(struct worker *worker, int engine) {
    struct player *player = &worker->players[engine];
    struct error error;
    if (player->search != NULL || player->engine != NULL ||
        make_player(worker->match, engine, player, &error)) {
        return player;
    }
    fail(worker->match, &error);
    return NULL;
}

// Of a game that was lost on time while this program was held up. When that happens again and again, it
// counts.
static bool is_void(struct match *match, struct match_game *game) {
    struct played_game *played = &game->played;
    if (!played->doubtful) return false;
    if (game->replays == MOST_REPLAYS) {
        struct error reason = played->reason;
        error_set(&played->reason, "%s (for the %dth time while this program was held up)", reason.text,
                  MOST_REPLAYS + 1);
        return false;
    }
    game->replays++;
    pthread_mutex_lock(&match->lock);
    match->result->replays++;
    match->result->held_up = watch_held_up(match->watch);
    pthread_mutex_unlock(&match->lock);
    return true;
}

// False when the game was given up.
static bool play_game(struct worker *worker, const struct opening *opening, const char *round,
                      struct match_game *game) {
    const struct player *white = player_of(worker, game->engines[WHITE]),
                        *black = player_of(worker, game->engines[BLACK]);
    if (white == NULL || black == NULL) return false;
    struct player players[2] = {*white, *black};
    players[WHITE].round = players[BLACK].round = round;
    do {
        if (game->replays > 0 && is_stopping(worker->match)) return false;
        playing_game(worker->playing, opening, players, &game->played);
    } while (is_void(worker->match, game));
    if (game->played.termination != GAME_GOES_ON) return true;
    if (*game->played.reason.text != '\0') fail(worker->match, &game->played.reason);
    return false;
}

static bool find_opening(const struct match_settings *settings, const struct match_pair *pair,
                         struct opening *opening, struct error *error) {
    if (settings->list != NULL) {
        opening_list_get(settings->list, index_in_list(settings, pair), opening);
        return true;
    }
    struct random random = random_stream(settings->seed, pair->opening);
    return opening_draw(&settings->openings, settings->variant, &settings->draws, &random, opening, error);
}

static bool play_pair(struct worker *worker, struct match_pair *pair) {
    struct match *match = worker->match;
    const struct match_settings *settings = match->settings;
    struct opening opening;
    struct error error;
    if (!find_opening(settings, pair, &opening, &error)) {
        fail(match, &error);
        return false;
    }
    for (int i = 0; i < PAIR_GAMES; i++) {
        if (pair->games[i].finished) continue;
        if (is_stopping(match)) return false;
        char round[MATCH_ROUND_SIZE];
        match_round(pair, i, round);
        if (!play_game(worker, &opening, round, &pair->games[i]) || !keep_game(match, pair, i)) return false;
        pair->games[i].finished = true;
    }
    return true;
}

// ---- cores

// The cores that this program may use, before any thread keeps to one of them.
static bool find_cores(const struct match_settings *settings, int threads, cpu_set_t *cores,
                       struct error *error) {
    if (!settings->pin) return true;
    if (sched_getaffinity(0, sizeof *cores, cores) != 0)
        return error_set(error, "--pin: cannot find out the allowed cores: %s", strerror(errno));
    const int count = CPU_COUNT(cores);
    return threads <= count ||
           error_set(error, "--pin: %d games at a time need as many cores, and %d are allowed: --threads %d",
                     threads, count, count);
}

// Keeps this thread, and the programs that it starts from now on, to one core.
static bool pin_thread(const cpu_set_t *cores, int thread, struct error *error) {
    size_t core = 0;
    for (int left = thread; core < CPU_SETSIZE; core++) {
        if (CPU_ISSET(core, cores) && left-- == 0) break;
    }
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    return sched_setaffinity(0, sizeof one, &one) == 0 ||
           error_set(error, "--pin: cannot keep a thread to core %zu: %s", core, strerror(errno));
}

// False when the match cannot go on.
static bool take_core(struct match *match, const cpu_set_t *cores) {
    struct error error;
    if (!match->settings->pin || pin_thread(cores, omp_get_thread_num(), &error)) return true;
    fail(match, &error);
    return false;
}

// ---- the whole

// What one thread does.
static void work(struct match *match, const cpu_set_t *cores) {
    if (!take_core(match, cores)) return;
    const struct match_settings *settings = match->settings;
    const struct playing_settings rules = {
        .variant = settings->variant,
        .draws = settings->draws,
        .max_plies = settings->max_plies,
        .adjudication = settings->adjudication,
        .time_margin = settings->time_margin,
        .watch = match->watch,
    };
    struct worker worker = {
        .match = match,
        .playing = playing_new(&rules),
        .players = memory_new((size_t)settings->engine_count, sizeof *worker.players),
    };
    for (struct slot *slot; (slot = take_pair(match)) != NULL;) {
        hand_in(match, slot, play_pair(&worker, &slot->pair) ? SLOT_PLAYED : SLOT_GIVEN_UP);
    }
    for (int i = 0; i < settings->engine_count; i++) free_player(&worker.players[i]);
    free(worker.players);
    playing_free(worker.playing);
}

static int count_threads(const struct match_settings *settings, uint64_t pairs) {
    const int threads = settings->threads > 0 ? settings->threads : omp_get_num_procs();
    return settings->alone ? 1 : pairs < (uint64_t)threads ? (int)pairs : threads;
}

static uint64_t count_pairs(const struct match_settings *settings) {
    return settings->games / PAIR_GAMES * (uint64_t)count_meetings(settings);
}

bool match_check_memory(const struct match_settings *settings, struct error *error) {
    const int threads = count_threads(settings, count_pairs(settings));
    size_t bytes = 0;
    for (int i = 0; i < settings->engine_count; i++) {
        const struct match_engine *engine = &settings->engines[i];
        if (!engine->external) bytes += search_table_bytes((size_t)engine->hash);
    }
    return search_room((size_t)threads * bytes) ||
           error_set(error, "--hash: no memory for tables of %zu MB for each of %d games at a time",
                     bytes >> 20, threads);
}

static enum match_end find_end(const struct match *match) {
    if (match->failed) return MATCH_FAILED;
    if (match->result->verdict != SPRT_UNDECIDED) return MATCH_DECIDED;
    return match->result->pairs == match->pairs ? MATCH_AT_LIMIT : MATCH_STOPPED;
}

static struct match_result new_result(const struct match_settings *settings) {
    struct match_result result = {
        .score_count = count_meetings(settings),
        .ends = memory_new((size_t)settings->engine_count, sizeof *result.ends),
    };
    result.scores = memory_new((size_t)result.score_count, sizeof *result.scores);
    for (int i = 0; i < result.score_count; i++) {
        result.scores[i].games.kinds = GAME_KINDS;
        result.scores[i].pairs.kinds = PAIR_KINDS;
        find_meeting(settings, i, result.scores[i].engines);
    }
    if (settings->list != NULL)
        result.openings = memory_new((size_t)opening_list_count(settings->list), sizeof *result.openings);
    return result;
}

void match_result_free(struct match_result *result) {
    free(result->scores);
    free(result->ends);
    free(result->openings);
    *result = (struct match_result){0};
}

// Games of a journal beyond one that is missing, when the match was stopped before it got there.
static void count_rest(struct match *match) {
    const uint64_t end = match->counted + RING < match->pairs ? match->counted + RING : match->pairs;
    for (uint64_t number = match->counted; number < end; number++) {
        struct slot *slot = slot_of(match, number);
        if (slot->state == SLOT_EMPTY) slot->state = SLOT_GIVEN_UP;
    }
    count_ready(match);
}

static void free_match(struct match *match) {
    watch_end(match->watch);
    close_logs(match);
    journal_close(match->journal);
    for (int i = 0; i < RING; i++) {
        for (int j = 0; j < PAIR_GAMES; j++) played_game_free(&match->ring[i].pair.games[j].played);
    }
    free(match->ring);
    free(match->known.keys);
    pthread_cond_destroy(&match->moved);
    pthread_mutex_destroy(&match->lock);
}

enum match_end match_play(const struct match_settings *settings, const struct match_journal *journal,
                          match_listener *listener, void *context, struct match_result *result,
                          struct error *error) {
    *result = new_result(settings);
    struct match match = {
        .settings = settings,
        .pairs = count_pairs(settings),
        .started = clock_seconds(),
        .listener = listener,
        .context = context,
        .lock = PTHREAD_MUTEX_INITIALIZER,
        .moved = PTHREAD_COND_INITIALIZER,
        .ring = memory_new(RING, sizeof(struct slot)),
        .watch = watch_start(),
        .result = result,
    };
    for (uint64_t i = 0; i < RING && i < match.pairs; i++) begin_pair(&match, i, &match.ring[i].pair);
    open_logs(&match, journal);
    const int threads = count_threads(settings, match.pairs);
    cpu_set_t cores;
    match.failed = !find_cores(settings, threads, &cores, &match.failure);
    if (!match.failed && open_journal(&match, journal)) {
#pragma omp parallel num_threads(threads)
        work(&match, &cores);
        count_rest(&match);
    }
    if (!match.failed && match.journal != NULL && !journal_sync(match.journal, &match.failure))
        match.failed = true;
    result->seconds = clock_seconds() - match.started;
    result->end = find_end(&match);
    if (match.failed) *error = match.failure;
    free_match(&match);
    return result->end;
}
