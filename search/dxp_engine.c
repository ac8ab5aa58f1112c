// dxp_engine.c -- plays games over a connection, and survives whatever the other program does.
//
// The side to move thinks or is waited for, with an end to every wait; what arrives meanwhile is read
// afterwards. Only pondering happens beside something else: in a thread that lasts as long as a wait for the
// opponent's move. A message that is wrong ends the game, not the connection.
#include "search/dxp_engine.h"

#include <jansson.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/notation.h"
#include "core/support/clock.h"
#include "core/support/memory.h"
#include "search/budget.h"
#include "search/wire.h"

enum {
    MOST_NOISE = 200
};  // messages that are no part of a game, from move to move, before the connection is given up

#define SEND_SECONDS 10.0

// Move time where neither the clock nor the options say anything.
#define UNTIMED_SECONDS 1.0

struct session {
    const struct dxp_settings *settings;
    struct wire wire;
    FILE *out;
    struct search *search;
    struct move_list *legal;
    struct error error;
    int played;
    int won, drawn_games, lost;  // of them
    int noise;                   // since the opponent's last good move, or the game began
    bool over;                   // no further message can be sent or expected
    bool failed;                 // something went wrong that the exit code has to tell

    // The game that is being played.
    struct game game;
    struct move *moves;
    int move_capacity;
    enum side side;  // ours
    char opponent[DXP_NAME_LENGTH + 1];
    double seconds;  // for the whole game, each side; INFINITY without a clock
    int most_moves;  // 0 = any number
    double used[2];  // seconds, [side]
    bool expecting;  // a move of the opponent:
    struct move expected;
    enum termination drawn;  // by the rules, whenever that was
};

// A search while the opponent thinks, of the position after the move that is expected of it. Nothing of it is
// kept but what the table remembers, which makes the search after the expected move a short one.
struct pondering {
    bool started;
    pthread_t thread;
    struct search *search;
    struct game game;  // a copy
    atomic_bool stop;
};

// How a game ended, as we see it.
struct outcome {
    enum dxp_reason reason;
    bool stop;  // the other side wants no further game
    const char *how;
};

static void tell(const struct session *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void tell(const struct session *s, const char *format, ...) {
    if (s->settings->quiet) return;
    va_list arguments;
    va_start(arguments, format);
    fputs("huff dxp: ", s->settings->log);
    vfprintf(s->settings->log, format, arguments);
    fputc('\n', s->settings->log);
    va_end(arguments);
}

// ---- messages ----

// An error is told even when nothing else is.
static void fail(struct session *s) {
    s->failed = true;
    fprintf(s->settings->log, "huff dxp: %s\n", s->error.text);
}

static void say(struct session *s, const struct dxp_message *message) {
    char text[DXP_MESSAGE_SIZE];
    if (s->over) return;
    if (dxp_write(message, text, &s->error) &&
        wire_send(&s->wire, text, strlen(text), clock_seconds() + SEND_SECONDS, &s->error))
        return;
    s->over = true;
    fail(s);
}

static void say_end(struct session *s, enum dxp_reason reason, bool stop) {
    struct dxp_message message = {.type = DXP_GAMEEND};
    message.end.reason = reason;
    message.end.stop = stop;
    say(s, &message);
}

static void say_chat(struct session *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say_chat(struct session *s, const char *format, ...) {
    struct dxp_message message = {.type = DXP_CHAT};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message.chat, sizeof message.chat, format, arguments);
    va_end(arguments);
    say(s, &message);
}

enum heard { HEARD, HEARD_NOTHING, HEARD_GARBAGE, HEARD_CLOSED };

// Someone who only talks is not talked to for ever.
static void count_noise(struct session *s) {
    if (++s->noise <= MOST_NOISE || s->over) return;
    s->over = true;
    error_set(&s->error, "more than %d messages that are no part of a game", MOST_NOISE);
    fail(s);
}

// What may come at any time is dealt with here: chat, and the wish to take moves back, which is declined.
static bool is_aside(struct session *s, const struct dxp_message *message) {
    struct dxp_message answer = {.type = DXP_BACKACC};
    switch (message->type) {
    case DXP_CHAT: tell(s, "chat: %s", message->chat); return true;
    case DXP_BACKREQ:
        tell(s, "declined to go back to move %d", message->back.move);
        answer.back_answer = DXP_BACK_NEVER;
        say(s, &answer);
        return true;
    case DXP_BACKACC: return true;
    default: return false;
    }
}

// The next message that matters. s->error says what is wrong with garbage.
static enum heard hear(struct session *s, double deadline, struct dxp_message *message) {
    const char *text;
    size_t length;
    do {
        const enum wire_event event =
            s->over ? WIRE_CLOSED : wire_receive(&s->wire, deadline, &text, &length);
        if (event == WIRE_LATE) return HEARD_NOTHING;
        if (event == WIRE_CLOSED) {
            s->over = true;
            return HEARD_CLOSED;
        }
        const bool good = event == WIRE_MESSAGE && dxp_read(text, length, message, &s->error);
        if (good && !is_aside(s, message)) return HEARD;
        if (event == WIRE_TOO_LONG)
            error_set(&s->error, "a message of more than %d bytes", DXP_MESSAGE_LIMIT);
        if (!good) return HEARD_GARBAGE;
        count_noise(s);
    } while (clock_seconds() < deadline);
    return HEARD_NOTHING;
}

// ---- the end of a game ----

// Ends it and waits until the other side has acknowledged that. Moves that crossed our message are void.
static struct outcome end_game(struct session *s, enum dxp_reason reason, bool stop, const char *how) {
    struct outcome outcome = {.reason = reason, .stop = stop, .how = how};
    const double deadline = clock_seconds() + s->settings->patience;
    struct dxp_message message;
    say_end(s, reason, stop);
    for (;;) {
        switch (hear(s, deadline, &message)) {
        case HEARD:
            if (message.type != DXP_GAMEEND) break;
            if (message.end.stop) outcome.stop = true;
            return outcome;
        case HEARD_GARBAGE: count_noise(s); break;
        case HEARD_NOTHING: tell(s, "the end of the game was not acknowledged"); return outcome;
        case HEARD_CLOSED: outcome.stop = true; return outcome;
        }
        if (clock_seconds() >= deadline) return outcome;
    }
}

// The other side ended it, which is not disputed; its reason is ours with the sign turned.
static struct outcome ended_by_opponent(struct session *s, const struct dxp_message *message) {
    static const enum dxp_reason ours[] = {
        [DXP_UNKNOWN] = DXP_UNKNOWN,
        [DXP_I_LOSE] = DXP_I_WIN,
        [DXP_DRAW] = DXP_DRAW,
        [DXP_I_WIN] = DXP_I_LOSE,
    };
    int result;
    const enum termination end = game_over(&s->game, &result);
    say_end(s, DXP_UNKNOWN, message->end.stop);
    return (struct outcome){
        .reason = ours[message->end.reason],
        .stop = message->end.stop,
        .how = end != GAME_GOES_ON        ? termination_names[end]
               : s->drawn != GAME_GOES_ON ? termination_names[s->drawn]
                                          : "ended by the opponent",
    };
}

static struct outcome break_off(struct session *s, const char *how) {
    fail(s);
    say_chat(s, "error: %s", s->error.text);
    return end_game(s, DXP_UNKNOWN, false, how);
}

// ---- moves ----

static int moves_made(const struct session *s, enum side side) {
    const enum side first = position_turn(&s->game.plies[0].position);
    return (s->game.ply + (side == first ? 1 : 0)) / 2;
}

static bool is_last_game(const struct session *s) {
    return s->settings->games && s->played + 1 == s->settings->games;
}

static void play(struct session *s, struct move move) {
    if (s->game.ply == s->move_capacity) {
        s->move_capacity = s->move_capacity ? 2 * s->move_capacity : 128;
        s->moves = memory_grow(s->moves, (size_t)s->move_capacity, sizeof *s->moves);
    }
    s->moves[s->game.ply] = move;
    game_play(&s->game, move);
    // The side that notices a draw may not be the one to move, and the game may go on for a move.
    if (s->drawn == GAME_GOES_ON) s->drawn = game_drawn(&s->game);
}

// What the clock of the game allows, and the options.
static struct budget budget_now(const struct session *s) {
    const struct search_limits *limits = &s->settings->limits;
    struct budget budget = {.soft = INFINITY, .hard = INFINITY};
    if (isfinite(s->seconds)) {
        const int left = s->most_moves ? s->most_moves - moves_made(s, s->side) : 0;
        budget = budget_of_clock(s->seconds - s->used[s->side], 0, left);
    }
    if (limits->seconds > 0 || (!isfinite(s->seconds) && !limits->nodes && !limits->depth)) {
        const double seconds = limits->seconds > 0 ? limits->seconds : UNTIMED_SECONDS;
        budget = budget_smaller(budget, (struct budget){.soft = seconds, .hard = seconds});
    }
    return budget;
}

struct thought {
    atomic_bool stop;
    double soft;
};

static void after_depth(void *context, const struct search_result *result) {
    struct thought *thought = context;
    if (result->seconds >= thought->soft) atomic_store(&thought->stop, true);
}

static void think_and_move(struct session *s) {
    const struct budget budget = budget_now(s);
    struct search_limits limits = s->settings->limits;
    limits.seconds = isfinite(budget.hard) ? budget.hard : 0;
    struct thought thought = {.soft = budget.soft};
    struct search_result result;
    search_think(s->search, &s->game, &limits, &thought.stop, after_depth, &thought, &result);
    s->used[s->side] += result.seconds;
    s->expecting = result.pv_length > 1;
    if (s->expecting) s->expected = result.pv[1];
    const struct dxp_message message = dxp_from_move(result.best, result.seconds);
    play(s, result.best);
    say(s, &message);
}

// Our turn: false when the game is over and has been ended.
static bool take_turn(struct session *s, struct outcome *outcome) {
    int result;
    const enum termination end = game_over(&s->game, &result);
    const int plies = s->game.ply;
    if (end == GAME_NO_PIECES || end == GAME_BLOCKED) {
        const bool won = (result > 0) == (s->side == WHITE);
        *outcome = end_game(s, won ? DXP_I_WIN : DXP_I_LOSE, is_last_game(s), termination_names[end]);
    } else if (s->drawn != GAME_GOES_ON) {
        *outcome = end_game(s, DXP_DRAW, is_last_game(s), termination_names[s->drawn]);
    } else if (s->most_moves && plies >= 2 * s->most_moves) {
        *outcome = end_game(s, DXP_UNKNOWN, is_last_game(s), "all moves played");
    } else {
        think_and_move(s);
        return true;
    }
    return false;
}

static bool play_opponents(struct session *s, const struct dxp_message *message) {
    struct move move;
    s->game.variant->generate(game_position(&s->game), s->legal);
    if (!dxp_find_move(message, s->legal, &move, &s->error)) return false;
    play(s, move);
    s->noise = 0;
    return true;
}

// ---- pondering ----

static void *ponder(void *context) {
    struct pondering *p = context;
    const struct search_limits limits = {.analysis = true};
    struct search_result result;
    search_think(p->search, &p->game, &limits, &p->stop, NULL, NULL, &result);
    return NULL;
}

// Nothing is lost where there is nothing to ponder about, or no thread for it.
static void pondering_start(struct session *s, struct pondering *p) {
    int result;
    *p = (struct pondering){.search = s->search};
    if (!s->settings->ponder || !s->expecting) return;
    game_copy(&p->game, &s->game);
    game_play(&p->game, s->expected);
    p->started = game_over(&p->game, &result) == GAME_GOES_ON && !pthread_create(&p->thread, NULL, ponder, p);
    if (!p->started) game_free(&p->game);
}

static void pondering_end(struct pondering *p) {
    if (!p->started) return;
    atomic_store(&p->stop, true);
    pthread_join(p->thread, NULL);
    game_free(&p->game);
}

static enum heard hear_pondering(struct session *s, double deadline, struct dxp_message *message) {
    struct pondering pondering;
    pondering_start(s, &pondering);
    const enum heard heard = hear(s, deadline, message);
    pondering_end(&pondering);
    return heard;
}

// ---- the opponent's turn ----

// The opponent's turn: false when the game is over.
static bool await_turn(struct session *s, struct outcome *outcome) {
    const enum side opponent = other_side(s->side);
    const double start = clock_seconds();
    const double left = isfinite(s->seconds) ? fmax(s->seconds - s->used[opponent], 0) : 0;
    struct dxp_message message;
    switch (hear_pondering(s, start + left + s->settings->patience, &message)) {
    case HEARD:
        if (message.type == DXP_MOVE && play_opponents(s, &message)) {
            s->used[opponent] += s->wire.arrived - start;
            return true;
        }
        if (message.type == DXP_GAMEEND) {
            *outcome = ended_by_opponent(s, &message);
        } else {
            if (message.type != DXP_MOVE)
                error_set(&s->error, "expected a move, got message \"%c\"", (char)message.type);
            *outcome = break_off(s, message.type == DXP_MOVE ? "illegal move" : "unexpected message");
        }
        return false;
    case HEARD_GARBAGE: *outcome = break_off(s, "garbage"); return false;
    case HEARD_NOTHING:
        error_set(&s->error, "no move in %.0f s", left + s->settings->patience);
        *outcome = break_off(s, "no move");
        return false;
    case HEARD_CLOSED: break;
    }
    error_set(&s->error, "the connection was closed in the middle of a game");
    fail(s);
    *outcome = (struct outcome){.reason = DXP_UNKNOWN, .stop = true, .how = "connection closed"};
    return false;
}

// ---- a game ----

static const char *result_name(const struct session *s, enum dxp_reason reason) {
    if (reason == DXP_UNKNOWN) return "*";
    if (reason == DXP_DRAW) return "1-1";
    return (reason == DXP_I_WIN) == (s->side == WHITE) ? "2-0" : "0-2";
}

static json_t *moves_json(const struct session *s) {
    json_t *list = json_array();
    for (int ply = 0; ply < s->game.ply; ply++) {
        char text[MOVE_TEXT_SIZE];
        move_to_hub(s->game.variant, s->moves[ply], text);
        json_array_append_new(list, json_string(text));
    }
    return list;
}

static void report(const struct session *s, const struct outcome *outcome) {
    const char *white = s->side == WHITE ? s->settings->name : s->opponent;
    const char *black = s->side == WHITE ? s->opponent : s->settings->name;
    const char *result = result_name(s, outcome->reason);
    if (s->settings->json) {
        json_t *line = json_pack("{s:i, s:s, s:s, s:s, s:s, s:s, s:o}", "game", s->played, "variant",
                                 s->game.variant->name, "white", white, "black", black, "result", result,
                                 "termination", outcome->how, "moves", moves_json(s));
        json_dumpf(line, s->out, JSON_COMPACT);
        json_decref(line);
        fputc('\n', s->out);
    } else {
        fprintf(s->out, "game %d: %s - %s %s, %s, %d plies\n", s->played, white, black, result, outcome->how,
                s->game.ply);
    }
    fflush(s->out);
}

// What was agreed on, from either side's view.
struct agreement {
    enum side side;
    double minutes;
    int moves;
    const struct position *start;
};

// Plays it to its end; false when there is to be no other.
static bool play_game(struct session *s, const struct agreement *agreed) {
    game_init(&s->game, s->settings->variant, NULL, agreed->start);
    search_clear(s->search);
    s->side = agreed->side;
    s->seconds = agreed->minutes > 0 ? 60 * agreed->minutes : INFINITY;
    s->most_moves = agreed->moves;
    s->used[WHITE] = s->used[BLACK] = 0;
    s->noise = 0;
    s->drawn = GAME_GOES_ON;
    s->expecting = false;
    tell(s, "game %d against %s: %s, %g minutes, %d moves", s->played + 1, s->opponent,
         s->side == WHITE ? "white" : "black", agreed->minutes, agreed->moves);

    struct outcome outcome = {0};
    while (position_turn(game_position(&s->game)) == s->side ? take_turn(s, &outcome)
                                                             : await_turn(s, &outcome))
        ;
    s->played++;
    s->won += outcome.reason == DXP_I_WIN;
    s->drawn_games += outcome.reason == DXP_DRAW;
    s->lost += outcome.reason == DXP_I_LOSE;
    report(s, &outcome);
    game_free(&s->game);
    return !outcome.stop && !s->over;
}

// ---- the program that asks ----

static enum side own_side(const struct session *s) { return s->played % 2 ? BLACK : WHITE; }

static bool ask(struct session *s, const struct position *start) {
    const struct dxp_settings *settings = s->settings;
    struct dxp_message m = {.type = DXP_GAMEREQ};
    m.request.version = DXP_VERSION;
    snprintf(m.request.name, sizeof m.request.name, "%s", settings->name);
    m.request.follower = other_side(own_side(s));
    m.request.minutes = settings->minutes;
    m.request.moves = settings->moves;
    m.request.special = settings->special;
    m.request.position = *start;
    say(s, &m);
    // What is left of a game before is no answer.
    const double deadline = clock_seconds() + settings->patience;
    enum heard heard;
    do heard = hear(s, deadline, &m);
    while (heard == HEARD && (m.type == DXP_GAMEEND || m.type == DXP_MOVE) && clock_seconds() < deadline);
    static const char *const refusals[] = {"", "refused: version 01 of DXP is not supported",
                                           "refused: not this game", "refused: no games at all"};
    if (heard != HEARD)
        return heard == HEARD_GARBAGE ? error_prefix(&s->error, "answer to a request")
                                      : error_set(&s->error, "a request was not answered");
    if (m.type != DXP_GAMEACC)
        return error_set(&s->error, "expected an answer to a request, got message \"%c\"", (char)m.type);
    if (m.accept.answer != DXP_ACCEPT) return error_set(&s->error, "%s", refusals[m.accept.answer]);
    snprintf(s->opponent, sizeof s->opponent, "%s", m.accept.name);
    return true;
}

static void initiate(struct session *s) {
    const struct dxp_settings *settings = s->settings;
    const struct position start = settings->special ? settings->start : variant_initial(settings->variant);
    while (s->played < settings->games) {
        if (!ask(s, &start)) {
            fail(s);
            return;
        }
        const struct agreement agreed = {
            .side = own_side(s),
            .minutes = settings->minutes,
            .moves = settings->moves,
            .start = &start,
        };
        if (!play_game(s, &agreed)) break;
    }
    if (s->played == settings->games) return;
    error_set(&s->error, "%d of %d games were played", s->played, settings->games);
    fail(s);
}

// ---- the program that is asked ----

static enum dxp_answer judge(struct session *s, const struct dxp_message *m) {
    if (m->request.version != DXP_VERSION) {
        error_set(&s->error, "version %02d of DXP was asked for", m->request.version);
        return DXP_WRONG_VERSION;
    }
    if (!m->request.special || variant_check(s->settings->variant, &m->request.position, &s->error))
        return DXP_ACCEPT;
    return DXP_NOT_THIS_GAME;
}

// False when there is to be no other game.
static bool answer(struct session *s, const struct dxp_message *request) {
    const struct position start =
        request->request.special ? request->request.position : variant_initial(s->settings->variant);
    struct dxp_message m = {.type = DXP_GAMEACC};
    const enum dxp_answer verdict = judge(s, request);
    snprintf(m.accept.name, sizeof m.accept.name, "%s", s->settings->name);
    m.accept.answer = verdict;
    say(s, &m);
    if (verdict != DXP_ACCEPT) {
        error_prefix(&s->error, "refused a game");
        fail(s);
        return true;
    }
    snprintf(s->opponent, sizeof s->opponent, "%s", request->request.name);
    const struct agreement agreed = {
        .side = request->request.follower,
        .minutes = request->request.minutes,
        .moves = request->request.moves,
        .start = &start,
    };
    return play_game(s, &agreed);
}

static void follow(struct session *s) {
    struct dxp_message m;
    double deadline = clock_seconds() + s->settings->wait;
    for (;;) {
        switch (hear(s, deadline, &m)) {
        case HEARD:
            if (m.type == DXP_GAMEEND && m.end.stop) return;
            if (m.type == DXP_GAMEREQ) {
                if (!answer(s, &m)) return;
                deadline = clock_seconds() + s->settings->wait;
            } else {
                count_noise(s);  // left over from a game before
            }
            break;
        case HEARD_GARBAGE:
            fail(s);
            say_chat(s, "error: %s", s->error.text);
            count_noise(s);
            break;
        case HEARD_NOTHING:
            error_set(&s->error, "no game was asked for in %.0f s", s->settings->wait);
            fail(s);
            return;
        case HEARD_CLOSED:
            if (!s->played) tell(s, "the connection was closed before a game was played");
            return;
        }
        if (clock_seconds() >= deadline) return;
    }
}

bool dxp_serve(const struct dxp_settings *settings, int connection, FILE *out, int *games) {
    if (games) *games = 0;
    struct session s = {
        .settings = settings,
        .out = out,
        .search = search_new(settings->variant, &settings->weights, (size_t)settings->hash_megabytes),
    };
    if (!s.search) {
        error_set(&s.error, "--hash: no memory for %d megabytes", settings->hash_megabytes);
        fail(&s);
        return false;
    }
    search_set_threads(s.search, settings->threads ? settings->threads : 1);
    s.legal = memory_new(1, sizeof *s.legal);
    wire_init(&s.wire, connection, connection, '\0', DXP_MESSAGE_LIMIT);
    if (settings->games)
        initiate(&s);
    else
        follow(&s);
    if (games) *games = s.played;
    if (!settings->json && s.played)
        fprintf(out, "%d games: %d won, %d drawn, %d lost\n", s.played, s.won, s.drawn_games, s.lost);
    wire_free(&s.wire);
    search_free(s.search);
    free(s.legal);
    free(s.moves);
    return !s.failed;
}
