// match.c -- plays the pairs of a match on all cores and counts them in order.
//
// Threads take pair numbers from a counter and put finished pairs into a ring; whoever completes the lowest
// number that is missing counts it and those behind it. A thread that would run ahead of the ring waits, so
// memory does not grow with the match.

#include "selfplay/match.h"

#include <omp.h>
#include <pthread.h>
#include <stdlib.h>

#include "core/support/clock.h"
#include "core/support/memory.h"
#include "core/support/progress.h"

enum { RING = 1024 };  // pairs that may be finished ahead of one that is not

enum slot_state { SLOT_EMPTY, SLOT_PLAYED, SLOT_GIVEN_UP };

struct slot {
    enum slot_state state;
    struct match_pair pair;
};

struct match {
    const struct match_settings *settings;
    uint64_t pairs;
    double started;
    match_listener *listener;
    void *context;

    pthread_mutex_t lock;  // of what follows
    pthread_cond_t moved;  // signalled when `counted` grows
    uint64_t taken, counted;
    struct slot *ring;  // pair p in slot p % RING
    struct match_result *result;
    bool failed;
    struct error failure;
};

// What one thread plays with.
struct worker {
    struct match *match;
    struct playing *playing;
    struct player players[MATCH_ENGINES];
    struct played_game game;
};

// ---- counting

struct match_score match_score_new(void) {
    return (struct match_score){.games.kinds = GAME_KINDS, .pairs.kinds = PAIR_KINDS};
}

void match_score_add(struct match_score *score, const struct match_pair *pair) {
    int points = 0;  // half points of the first engine
    for (int i = 0; i < PAIR_GAMES; i++) {
        const struct match_game *game = &pair->games[i];
        const int half_points = 1 + (game->white == 0 ? game->result : -game->result);
        points += half_points;
        score->games.count[half_points]++;
        score->terminations[game->termination]++;
        score->plies += (uint64_t)game->plies;
        for (int e = 0; e < MATCH_ENGINES; e++) score->nodes[e] += game->nodes[e];
    }
    score->pairs.count[points]++;
    if (points != 2) return;
    if (pair->games[0].result == 0)
        score->draw_draw++;
    else
        score->win_loss++;
}

static void judge(const struct match_settings *settings, struct match_result *result) {
    if (!settings->has_sprt) return;
    const struct match_score *score = &result->score;
    result->llr =
        sprt_llr(&settings->sprt, sprt_counts_pairs(settings->sprt.model) ? &score->pairs : &score->games);
    result->verdict = sprt_judge(&settings->sprt, result->llr);
}

// With the lock held: counts what is ready. Pairs that were finished beyond the deciding one do not count.
static void count_ready(struct match *match) {
    for (;;) {
        struct slot *slot = &match->ring[match->counted % RING];
        if (slot->state == SLOT_EMPTY) return;
        if (slot->state == SLOT_PLAYED && match->result->verdict == SPRT_UNDECIDED) {
            match_score_add(&match->result->score, &slot->pair);
            match->result->seconds = clock_seconds() - match->started;
            judge(match->settings, match->result);
            match->listener(match->context, &slot->pair, match->result);
        }
        slot->state = SLOT_EMPTY;
        match->counted++;
        pthread_cond_broadcast(&match->moved);
    }
}

static void hand_in(struct match *match, const struct match_pair *pair, enum slot_state state) {
    pthread_mutex_lock(&match->lock);
    match->ring[pair->number % RING] = (struct slot){.state = state, .pair = *pair};
    count_ready(match);
    pthread_mutex_unlock(&match->lock);
}

static void fail(struct match *match, const struct error *error) {
    pthread_mutex_lock(&match->lock);
    if (!match->failed) match->failure = *error;
    match->failed = true;
    pthread_mutex_unlock(&match->lock);
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

static bool take_pair(struct match *match, uint64_t *number) {
    pthread_mutex_lock(&match->lock);
    while (!stopping(match) && match->taken - match->counted == RING) {
        pthread_cond_wait(&match->moved, &match->lock);
    }
    const bool taken = !stopping(match) && match->taken < match->pairs;
    if (taken) *number = match->taken++;
    pthread_mutex_unlock(&match->lock);
    return taken;
}

static bool draw_opening(const struct match_settings *settings, uint64_t number, struct opening *opening,
                         struct error *error) {
    struct random random = random_stream(settings->seed, number);
    return opening_draw(&settings->openings, settings->variant, &settings->draws, &random, opening, error);
}

static struct position end_of_opening(const struct variant *variant, const struct opening *opening) {
    struct position position = opening->start;
    for (int i = 0; i < opening->plies; i++) variant->play(&position, opening->moves[i]);
    return position;
}

// False when the game was given up.
static bool play_game(struct worker *worker, const struct opening *opening, int white,
                      struct match_game *game) {
    const int engine_of[2] = {[WHITE] = white, [BLACK] = 1 - white};
    const struct player players[2] = {worker->players[engine_of[WHITE]], worker->players[engine_of[BLACK]]};
    struct played_game *played = &worker->game;
    playing_game(worker->playing, opening, players, played);
    *game = (struct match_game){
        .white = white, .result = played->result, .termination = played->termination, .plies = played->plies};
    for (int side = 0; side < 2; side++) game->nodes[engine_of[side]] = played->nodes[side];
    if (played->termination != GAME_GOES_ON) return true;
    if (*played->reason.text != '\0') fail(worker->match, &played->reason);
    return false;
}

static void play_pair(struct worker *worker, uint64_t number) {
    struct match *match = worker->match;
    struct match_pair pair = {.number = number};
    struct opening opening;
    struct error error;
    if (!draw_opening(match->settings, number, &opening, &error)) {
        fail(match, &error);
        hand_in(match, &pair, SLOT_GIVEN_UP);
        return;
    }
    pair.opening = end_of_opening(match->settings->variant, &opening);
    pair.opening_plies = opening.plies;
    for (int i = 0; i < PAIR_GAMES; i++) {
        if (is_stopping(match) || !play_game(worker, &opening, i, &pair.games[i])) {
            hand_in(match, &pair, SLOT_GIVEN_UP);
            return;
        }
    }
    hand_in(match, &pair, SLOT_PLAYED);
}

static struct player make_player(const struct match_settings *settings, const struct match_engine *engine) {
    struct player player = {.limits = engine->limits, .clock = engine->clock};
    if (engine->command == NULL) {
        player.search = search_new(settings->variant, &engine->weights, (size_t)engine->hash);
        return player;
    }
    const struct engine_settings program = {
        .name = engine->name,
        .command = engine->command,
        .folder = engine->folder,
        .protocol = engine->protocol,
        .variant = settings->variant,
        .options = engine->options,
        .option_count = engine->option_count,
        .startup = settings->startup,
        .ready = settings->ready,
        .stall = settings->stall,
        .most_failures = settings->recover,
    };
    player.engine = engine_new(&program);
    return player;
}

// What one thread does.
static void work(struct match *match) {
    const struct match_settings *settings = match->settings;
    const struct playing_settings rules = {
        .variant = settings->variant,
        .draws = settings->draws,
        .max_plies = settings->max_plies,
        .time_margin = settings->time_margin,
    };
    struct worker worker = {.match = match, .playing = playing_new(&rules)};
    for (int i = 0; i < MATCH_ENGINES; i++) worker.players[i] = make_player(settings, &settings->engines[i]);
    uint64_t number;
    while (take_pair(match, &number)) play_pair(&worker, number);
    for (int i = 0; i < MATCH_ENGINES; i++) {
        engine_free(worker.players[i].engine);
        search_free(worker.players[i].search);
    }
    played_game_free(&worker.game);
    playing_free(worker.playing);
}

static int count_threads(const struct match_settings *settings, uint64_t pairs) {
    const int threads = settings->threads > 0 ? settings->threads : omp_get_num_procs();
    return pairs < (uint64_t)threads ? (int)pairs : threads;
}

static enum match_end find_end(const struct match *match) {
    if (match->failed) return MATCH_FAILED;
    if (match->result->verdict != SPRT_UNDECIDED) return MATCH_DECIDED;
    const uint64_t *count = match->result->score.pairs.count;
    uint64_t played = 0;
    for (int i = 0; i < PAIR_KINDS; i++) played += count[i];
    return played == match->pairs ? MATCH_AT_LIMIT : MATCH_STOPPED;
}

enum match_end match_play(const struct match_settings *settings, match_listener *listener, void *context,
                          struct match_result *result, struct error *error) {
    struct match match = {
        .settings = settings,
        .pairs = settings->games / PAIR_GAMES,
        .started = clock_seconds(),
        .listener = listener,
        .context = context,
        .lock = PTHREAD_MUTEX_INITIALIZER,
        .moved = PTHREAD_COND_INITIALIZER,
        .ring = memory_new(RING, sizeof(struct slot)),
        .result = result,
    };
    *result = (struct match_result){.score = match_score_new()};
#pragma omp parallel num_threads(count_threads(settings, match.pairs))
    work(&match);
    free(match.ring);
    pthread_cond_destroy(&match.moved);
    pthread_mutex_destroy(&match.lock);
    result->seconds = clock_seconds() - match.started;
    result->end = find_end(&match);
    if (match.failed) *error = match.failure;
    return result->end;
}
