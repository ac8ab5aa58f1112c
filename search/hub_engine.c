// hub_engine.c -- obeys Hub commands and searches in a thread of its own, so that it always
// answers.
//
// The main thread reads commands; a search gets a thread for as long as it lasts, and that thread writes its
// "info" lines and its "done". Between the two stand a stop flag and, under a lock, what "ponder-hit"
// changes.
#include "search/hub_engine.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/notation.h"
#include "core/support/clock.h"
#include "core/support/memory.h"
#include "core/support/options.h"
#include "search/budget.h"
#include "search/hub.h"
#include "search/search.h"
#include "search/wire.h"

enum { PV_TEXT_SIZE = MAX_SEARCH_PLY * MOVE_TEXT_SIZE };

#define PONDERED_PART 1.25  // more time is well spent when the opponent's counts as well
#define QUIT_SECONDS  1     // a search that is told to stop gets this long

// A search, and the thread it runs in.
struct job {
    bool started;     // `thread` is to be joined
    double deadline;  // when the main thread has to stop it, set by ponder-hit; INFINITY: never
    pthread_t thread;

    // Set before the thread starts.
    const struct variant *variant;
    struct search *search;
    struct game *game;
    struct search_limits limits;
    struct budget budget;
    double begun;
    FILE *out;

    atomic_bool stop;
    pthread_mutex_t lock;
    pthread_cond_t changed;  // of what follows, or of `stop`
    bool pondering;          // no clock is running and no "done" may be written
    bool finished;           // the last line is being written
    bool silent;             // and is not wanted

    // The thread's own.
    struct hub_text text;
    uint64_t nodes_reported;
};

struct engine {
    // Parameters; they take effect at "init", and after that at the next game or position.
    const struct variant *variant;
    int hash_megabytes;
    int threads;
    char *weights;
    bool ponder;
    bool changed;  // and have not taken effect yet

    struct search *search;  // NULL before "init"
    struct game game;       // of the variant that `search` is for
    bool placed;            // `game` is initialised
    struct hub_level level;
    bool level_given;

    struct job job;
    FILE *out;
    struct hub_text text;
    bool quit;
};

// One call writes a line, so that those of two threads do not mix.
static void write_line(FILE *out, const struct hub_text *text) {
    fprintf(out, "%s\n", text->text);
    fflush(out);
}

static void reply(struct engine *e, const char *command) {
    hub_begin(&e->text, command);
    write_line(e->out, &e->text);
}

static void complain(struct engine *e, const struct error *error) {
    hub_begin(&e->text, "error");
    hub_add(&e->text, "message", "%s", error->text);
    write_line(e->out, &e->text);
}

// ---- the search's thread ----

static void line_to_hub(const struct variant *variant, const struct move *moves, int count,
                        char text[static PV_TEXT_SIZE]) {
    text[0] = '\0';
    for (int i = 0; i < count; i++) {
        if (i) *text++ = ' ';
        move_to_hub(variant, moves[i], text);
        text += strlen(text);
    }
}

static void write_info(struct job *job, const struct search_result *r) {
    char pv[PV_TEXT_SIZE];
    line_to_hub(job->variant, r->pv, r->pv_length, pv);
    const struct hub_info info = {
        .depth = r->depth,
        .scored = true,
        .score = hub_score_write(r->score),
        .nodes = r->nodes,
        .seconds = r->seconds,
        .nps = (double)r->nodes / fmax(r->seconds, 1e-6) / 1e6,
        .pv = r->pv_length ? pv : NULL,
    };
    hub_info_write(&job->text, &info);
    write_line(job->out, &job->text);
    job->nodes_reported = r->nodes;
}

static void after_depth(void *context, const struct search_result *r) {
    struct job *job = context;
    write_info(job, r);
    pthread_mutex_lock(&job->lock);
    if (!job->pondering && r->seconds >= job->budget.soft) atomic_store(&job->stop, true);
    pthread_mutex_unlock(&job->lock);
}

// Waits until the result may be told; false when nobody wants it.
static bool may_tell(struct job *job) {
    pthread_mutex_lock(&job->lock);
    while (job->pondering && !atomic_load(&job->stop)) pthread_cond_wait(&job->changed, &job->lock);
    job->finished = true;
    const bool wanted = !job->silent;
    pthread_mutex_unlock(&job->lock);
    return wanted;
}

static void *run_job(void *context) {
    struct job *job = context;
    struct search_result result;
    job->nodes_reported = 0;
    search_think(job->search, job->game, &job->limits, &job->stop, after_depth, job, &result);
    if (!may_tell(job)) return NULL;
    if (result.nodes != job->nodes_reported) write_info(job, &result);
    hub_done_write(&job->text, job->variant, &result.best, result.pv_length > 1 ? &result.pv[1] : NULL);
    write_line(job->out, &job->text);
    return NULL;
}

// ---- the search seen from the main thread ----

static bool job_start(struct job *job, bool pondering, struct error *error) {
    atomic_store(&job->stop, false);
    job->pondering = pondering;
    job->finished = job->silent = false;
    job->deadline = INFINITY;
    job->begun = clock_seconds();
    const int code = pthread_create(&job->thread, NULL, run_job, job);
    if (code) return error_set(error, "cannot start a thread: %s", strerror(code));
    job->started = true;
    return true;
}

// Has it still to say "done"? One that has said it, or is about to, is cleared away.
static bool job_runs(struct job *job) {
    if (!job->started) return false;
    pthread_mutex_lock(&job->lock);
    const bool finished = job->finished;
    pthread_mutex_unlock(&job->lock);
    if (!finished) return true;
    pthread_join(job->thread, NULL);
    job->started = false;
    return false;
}

static void job_stop(struct job *job) {
    pthread_mutex_lock(&job->lock);
    atomic_store(&job->stop, true);
    pthread_cond_signal(&job->changed);
    pthread_mutex_unlock(&job->lock);
    job->deadline = INFINITY;
}

// The clock starts now; what was thought until now is a gain.
static void job_ponder_hit(struct job *job) {
    const double now = clock_seconds();
    pthread_mutex_lock(&job->lock);
    const bool pondering = job->pondering, enough = now - job->begun >= job->budget.soft;
    job->pondering = false;
    pthread_cond_signal(&job->changed);
    pthread_mutex_unlock(&job->lock);
    if (!pondering) return;
    job->deadline = enough ? now : now + job->budget.hard;
}

// False when it does not end.
static bool job_drop(struct job *job) {
    if (!job->started) return true;
    pthread_mutex_lock(&job->lock);
    job->silent = true;
    pthread_mutex_unlock(&job->lock);
    job_stop(job);
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += QUIT_SECONDS;
    return pthread_timedjoin_np(job->thread, NULL, &end) == 0;
}

// ---- hub, set-param, init ----

static void declare(struct engine *e, const char *name, const char *value, const char *type) {
    hub_begin(&e->text, "param");
    hub_add(&e->text, "name", "%s", name);
    hub_add(&e->text, "value", "%s", value);
    hub_add(&e->text, "type", "%s", type);
}

static void declare_variant(struct engine *e) {
    struct hub_text names = {0};
    hub_begin(&names, variants[0].name);
    for (int i = 1; i < variant_count; i++) hub_add_flag(&names, variants[i].name);
    declare(e, "variant", e->variant->name, "enum");
    hub_add(&e->text, "values", "%s", names.text);
    write_line(e->out, &e->text);
    hub_text_free(&names);
}

static void declare_number(struct engine *e, const char *name, int number, int most) {
    char value[16];
    snprintf(value, sizeof value, "%d", number);
    declare(e, name, value, "int");
    hub_add(&e->text, "min", "1");
    hub_add(&e->text, "max", "%d", most);
    write_line(e->out, &e->text);
}

static bool obey_hub(struct engine *e, const struct hub_line *line, struct error *error) {
    (void)line, (void)error;
    hub_begin(&e->text, "id");
    hub_add(&e->text, "name", "huff");
    hub_add(&e->text, "version", "%s", HUFF_VERSION);
    hub_add(&e->text, "author", "The huff authors");
    write_line(e->out, &e->text);
    declare_variant(e);
    declare_number(e, "hash", e->hash_megabytes, MAX_TABLE_MEGABYTES);
    declare_number(e, "threads", e->threads, MAX_SEARCH_THREADS);
    declare(e, "weights", e->weights, "string");
    write_line(e->out, &e->text);
    declare(e, "ponder", e->ponder ? "true" : "false", "bool");
    write_line(e->out, &e->text);
    reply(e, "wait");
    return true;
}

static bool set_variant(struct engine *e, const char *value, struct error *error) {
    const struct variant *variant = hub_variant(value, error);
    if (variant) e->variant = variant;
    return variant != NULL;
}

static bool set_hash(struct engine *e, const char *value, struct error *error) {
    return options_int("hash", value, 1, MAX_TABLE_MEGABYTES, &e->hash_megabytes, error);
}

static bool set_threads(struct engine *e, const char *value, struct error *error) {
    return options_int("threads", value, 1, MAX_SEARCH_THREADS, &e->threads, error);
}

static bool set_weights(struct engine *e, const char *value, struct error *error) {
    (void)error;
    free(e->weights);
    e->weights = memory_text("%s", value);
    return true;
}

static bool set_ponder(struct engine *e, const char *value, struct error *error) {
    const bool on = !strcmp(value, "true");
    if (!on && strcmp(value, "false"))
        return error_set(error, "ponder: expected true or false, got \"%.80s\"", value);
    e->ponder = on;
    return true;
}

static bool obey_set_param(struct engine *e, const struct hub_line *line, struct error *error) {
    static const struct {
        const char *name;
        bool (*set)(struct engine *, const char *value, struct error *);
    } parameters[] = {
        {"variant", set_variant}, {"hash", set_hash},     {"threads", set_threads},
        {"weights", set_weights}, {"ponder", set_ponder},
    };
    const char *name = hub_value(line, "name"), *value = hub_value(line, "value");
    if (!name || !value) return error_set(error, "set-param: expected name= and value=");
    for (size_t i = 0; i < sizeof parameters / sizeof *parameters; i++) {
        if (strcmp(name, parameters[i].name)) continue;
        e->changed = true;
        return parameters[i].set(e, value, error);
    }
    return error_set(error, "set-param: no parameter \"%.80s\"", name);
}

static void place(struct engine *e, const struct game *game) {
    if (e->placed) game_free(&e->game);
    e->placed = game != NULL;
    if (game) e->game = *game;
    e->level = (struct hub_level){0};
    e->level_given = false;
}

static void place_start(struct engine *e) {
    struct game game;
    const struct position start = variant_initial(e->job.variant);
    game_init(&game, e->job.variant, NULL, &start);
    place(e, &game);
}

// The search that the parameters describe, in place of the one before, which goes on when there can be none.
static bool set_up(struct engine *e, struct error *error) {
    struct weights weights;
    if (!weights_get(*e->weights ? e->weights : NULL, e->variant, &weights, error)) return false;
    struct search *search = search_new(e->variant, &weights, (size_t)e->hash_megabytes);
    weights_free(&weights);
    if (!search) return error_set(error, "hash: no memory for %d megabytes", e->hash_megabytes);
    search_set_threads(search, e->threads);
    search_free(e->search);
    e->search = search;
    e->job.variant = e->variant;
    e->changed = false;
    place_start(e);
    return true;
}

static bool obey_init(struct engine *e, const struct hub_line *line, struct error *error) {
    (void)line;
    const bool good = set_up(e, error);
    e->changed = false;
    if (good) reply(e, "ready");
    return good || error_prefix(error, "init");
}

// ---- new-game, pos, level ----

static bool check_ready(const struct engine *e, struct error *error) {
    return e->search || error_set(error, "not initialised: expected \"init\" first");
}

// What was set since "init" takes effect.
static bool check_set(struct engine *e, struct error *error) {
    return !e->changed || set_up(e, error) || error_prefix(error, "set-param");
}

static bool obey_new_game(struct engine *e, const struct hub_line *line, struct error *error) {
    (void)line;
    if (!check_ready(e, error)) return false;
    const bool good = check_set(e, error);
    search_clear(e->search);
    place_start(e);
    return good;
}

// After a position that is wrong there is none, so that no search answers for the one before.
static bool obey_pos(struct engine *e, const struct hub_line *line, struct error *error) {
    struct game game;
    if (!check_ready(e, error)) return false;
    const bool good = check_set(e, error) && hub_pos_read(line, e->job.variant, &game, error);
    place(e, good ? &game : NULL);
    return good;
}

static bool obey_level(struct engine *e, const struct hub_line *line, struct error *error) {
    if (!hub_level_read(line, &e->level, error)) return error_prefix(error, "level");
    e->level_given = true;
    return true;
}

// ---- go and what may follow it ----

static struct budget budget_of(const struct engine *e) {
    const struct hub_level *level = &e->level;
    struct budget budget = {.soft = INFINITY, .hard = INFINITY};
    if (level->clock) {
        budget = budget_of_clock(level->time + level->increment, level->increment, level->moves);
        if (e->ponder) budget.soft = fmin(PONDERED_PART * budget.soft, budget.hard);
    }
    if (level->move_time > 0) budget = budget_smaller(budget, budget_of_move(level->move_time));
    return budget;
}

static bool check_can_search(const struct engine *e, bool endless, struct error *error) {
    if (!check_ready(e, error)) return false;
    if (!e->placed) return error_set(error, "go: expected a position first");
    return e->level_given || endless || error_set(error, "go: expected \"level\" first");
}

static void forget_level(struct engine *e) {
    e->level = (struct hub_level){0};
    e->level_given = false;
}

static bool obey_go(struct engine *e, const struct hub_line *line, struct error *error) {
    const bool ponder = hub_value(line, "ponder") != NULL;
    const bool analyze = hub_value(line, "analyze") || hub_value(line, "analyse");
    if (!ponder && !analyze && !hub_value(line, "think"))
        return error_set(error, "go: expected think, ponder or analyze");
    if (!check_can_search(e, ponder || analyze, error)) return false;
    // Who asks waits for "done" all the same, and may take an error for nothing but a remark.
    if (!variant_can_move(e->job.variant, game_position(&e->game))) {
        reply(e, "done");
        forget_level(e);
        return true;
    }
    struct job *job = &e->job;
    job->search = e->search;
    job->game = &e->game;
    job->budget = budget_of(e);
    job->limits = (struct search_limits){
        .nodes = e->level.nodes,
        .depth = e->level.depth,
        .seconds = !ponder && isfinite(job->budget.hard) ? job->budget.hard : 0,
        .analysis = analyze,
    };
    forget_level(e);
    return job_start(job, ponder, error) || error_prefix(error, "go");
}

static bool obey_stop(struct engine *e, const struct hub_line *line, struct error *error) {
    (void)line, (void)error;
    if (job_runs(&e->job)) job_stop(&e->job);
    return true;
}

static bool obey_ponder_hit(struct engine *e, const struct hub_line *line, struct error *error) {
    (void)line, (void)error;
    if (job_runs(&e->job)) job_ponder_hit(&e->job);
    return true;
}

static bool obey_ping(struct engine *e, const struct hub_line *line, struct error *error) {
    (void)line, (void)error;
    reply(e, "pong");
    return true;
}

static bool obey_quit(struct engine *e, const struct hub_line *line, struct error *error) {
    (void)line, (void)error;
    e->quit = true;
    return true;
}

// ---- the conversation ----

struct handler {
    const char *command;
    bool (*obey)(struct engine *, const struct hub_line *, struct error *);
    bool any_time;  // during a search, too
};

static const struct handler handlers[] = {
    {"hub", obey_hub, false},
    {"set-param", obey_set_param, false},
    {"init", obey_init, false},
    {"new-game", obey_new_game, false},
    {"pos", obey_pos, false},
    {"level", obey_level, false},
    {"go", obey_go, false},
    {"stop", obey_stop, true},
    {"ping", obey_ping, true},
    {"quit", obey_quit, true},
    {"ponder-hit", obey_ponder_hit, true},
};

// Commands that it does not know an engine ignores, says the protocol: they may be those of a later version.
static bool obey(struct engine *e, const struct hub_line *line, struct error *error) {
    for (size_t i = 0; i < sizeof handlers / sizeof *handlers; i++) {
        if (strcmp(line->command, handlers[i].command)) continue;
        if (!handlers[i].any_time && job_runs(&e->job))
            return error_set(error, "%s: not during a search, \"stop\" ends it", line->command);
        return handlers[i].obey(e, line, error);
    }
    return true;
}

static void converse(struct engine *e, struct wire *wire) {
    struct hub_line line = {0};
    struct error error;
    const char *text;
    size_t length;
    while (!e->quit) {
        switch (wire_receive(wire, e->job.deadline, &text, &length)) {
        case WIRE_MESSAGE:
            if (!hub_read(text, length, &line, &error) || !obey(e, &line, &error)) complain(e, &error);
            break;
        case WIRE_TOO_LONG:
            error_set(&error, "a line of more than %d bytes", HUB_LINE_LIMIT);
            complain(e, &error);
            break;
        case WIRE_LATE: job_stop(&e->job); break;
        case WIRE_CLOSED: e->quit = true; break;
        }
    }
    hub_line_free(&line);
}

bool hub_serve(const struct hub_settings *settings, int in, FILE *out) {
    struct engine e = {
        .variant = settings->variant,
        .hash_megabytes = settings->hash_megabytes,
        .threads = settings->threads ? settings->threads : 1,
        .weights = memory_text("%s", settings->weights),
        .out = out,
        .job = {.out = out, .deadline = INFINITY},
    };
    pthread_mutex_init(&e.job.lock, NULL);
    pthread_cond_init(&e.job.changed, NULL);
    struct wire wire;
    wire_init(&wire, in, -1, '\n', HUB_LINE_LIMIT);
    converse(&e, &wire);
    wire_free(&wire);
    if (!job_drop(&e.job)) return false;
    place(&e, NULL);
    search_free(e.search);
    free(e.weights);
    hub_text_free(&e.text);
    hub_text_free(&e.job.text);
    pthread_cond_destroy(&e.job.changed);
    pthread_mutex_destroy(&e.job.lock);
    return true;
}
