// dxp_link.c -- connects to a program over TCP and leads it through games of DamExchange.

#include "selfplay/dxp_link.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/support/clock.h"
#include "core/support/memory.h"
#include "core/support/progress.h"
#include "search/wire.h"

enum { MOST_NOISE = 200 };  // messages that are no part of a game before one that is

#define SLICE_SECONDS 0.1    // a program may end or have much to say without the connection telling
#define TALK_SECONDS  0.001  // while there is much, which it may have to wait for
#define END_SECONDS   5.0    // to acknowledge the end of a game
#define SEND_SECONDS  5.0

#define OWN_NAME "huff-match"
#define PORT     "{port}"

struct dxp_link {
    struct dxp_link_settings settings;
    struct process *process;  // NULL: none was started
    int listener, socket;     // -1: none
    struct wire wire;
    double looked;  // clock_lag before the last look at the connection
    bool playing;
    bool leaving;    // it wants no other game
    enum side side;  // its
    int told;        // plies of the game that it knows
    int noise;       // since a move was asked for
    char chat[DXP_CHAT_LENGTH + 1];
};

struct dxp_link *dxp_link_new(const struct dxp_link_settings *settings) {
    struct dxp_link *link = memory_new(1, sizeof *link);
    link->settings = *settings;
    link->listener = link->socket = -1;
    return link;
}

bool dxp_link_is_open(const struct dxp_link *link) { return link->socket >= 0; }

struct process *dxp_link_process(const struct dxp_link *link) {
    return link->process;
}

const char *dxp_link_chat(const struct dxp_link *link) { return link->chat; }

// ---- the connection

// The command with the port of the address in its places.
static char *fill_port(const char *command, const char *address) {
    const char *colon = strrchr(address, ':'), *port = colon ? colon + 1 : address;
    char *text = memory_text("%s", "");
    for (const char *place; (place = strstr(command, PORT)) != NULL; command = place + strlen(PORT)) {
        char *longer = memory_text("%s%.*s%s", text, (int)(place - command), command, port);
        free(text);
        text = longer;
    }
    char *whole = memory_text("%s%s", text, command);
    free(text);
    return whole;
}

// Somebody else may take it before the program does; then that fails and is started again.
static bool find_free_port(char address[static WIRE_ADDRESS_SIZE], struct error *error) {
    const int listener = wire_listen("0", address, error);
    if (listener >= 0) close(listener);
    return listener >= 0;
}

static bool prepare_address(struct dxp_link *link, char address[static WIRE_ADDRESS_SIZE],
                            struct error *error) {
    const char *wanted = link->settings.address;
    if (link->settings.calls) {
        link->listener = wire_listen(wanted ? wanted : "0", address, error);
        return link->listener >= 0;
    }
    if (!wanted) return find_free_port(address, error);
    if (snprintf(address, WIRE_ADDRESS_SIZE, "%s", wanted) < WIRE_ADDRESS_SIZE) return true;
    return error_set(error, "the address is too long: \"%.80s\"", wanted);
}

static bool start_process(struct dxp_link *link, const char *address, struct error *error) {
    if (!link->settings.command) return true;
    char *command = fill_port(link->settings.command, address);
    link->process = process_start(command, link->settings.folder, error);
    free(command);
    if (link->process) process_log_errors(link->process, link->settings.errors);
    return link->process != NULL;
}

static bool connect_by(struct dxp_link *link, const char *address, double deadline, struct error *error) {
    char end[80];
    do {
        const double slice = fmin(deadline, clock_seconds() + SLICE_SECONDS);
        link->socket = link->settings.calls ? wire_accept(link->listener, slice, error)
                                            : wire_connect(address, slice, error);
        if (link->socket >= 0) return true;
        bool talks;
        if (link->process && !process_goes_on(link->process, &talks)) {
            process_describe_end(link->process, end, sizeof end);
            return error_set(error, "gone instead of a connection (%s)", end);
        }
    } while (clock_seconds() < deadline && !interrupted());
    return link->settings.calls && error_set(error, "it does not connect to %s", address);
}

bool dxp_link_open(struct dxp_link *link, double seconds, struct error *error) {
    char address[WIRE_ADDRESS_SIZE];
    link->playing = link->leaving = false;
    link->chat[0] = '\0';
    const bool open = prepare_address(link, address, error) && start_process(link, address, error) &&
                      connect_by(link, address, clock_seconds() + seconds, error);
    if (link->listener >= 0) close(link->listener);
    link->listener = -1;
    if (open) wire_init(&link->wire, link->socket, link->socket, '\0', DXP_MESSAGE_LIMIT);
    return open;
}

// ---- messages

static bool say(struct dxp_link *link, const struct dxp_message *message, struct error *error) {
    char text[DXP_MESSAGE_SIZE];
    return dxp_write(message, text, error) &&
           wire_send(&link->wire, text, strlen(text), clock_seconds() + SEND_SECONDS, error);
}

static bool say_end(struct dxp_link *link, enum dxp_reason reason, bool stop) {
    struct dxp_message message = {.type = DXP_GAMEEND};
    struct error ignored;
    message.end.reason = reason;
    message.end.stop = stop;
    return say(link, &message, &ignored);
}

// What may come at any time: chat is kept, and no move is taken back.
static bool is_aside(struct dxp_link *link, const struct dxp_message *message) {
    struct dxp_message answer = {.type = DXP_BACKACC};
    struct error ignored;
    switch (message->type) {
    case DXP_CHAT: snprintf(link->chat, sizeof link->chat, "%s", message->chat); return true;
    case DXP_BACKREQ:
        answer.back_answer = DXP_BACK_NEVER;
        (void)!say(link, &answer, &ignored);
        return true;
    case DXP_BACKACC: return true;
    default: return false;
    }
}

enum received { RECEIVED, RECEIVED_LATE, RECEIVED_GONE, RECEIVED_WRONG };

// The next message that is not an aside; `error` says what is wrong with it.
static enum received receive(struct dxp_link *link, double deadline, struct dxp_message *message,
                             struct error *error) {
    const char *text;
    size_t length;
    do {
        // All that it sent came before its end, after which its children may hold the connection open.
        bool talks = false;
        const bool goes_on = !link->process || process_goes_on(link->process, &talks);
        const double slice = clock_seconds() + (talks ? TALK_SECONDS : SLICE_SECONDS);
        link->looked = clock_lag();
        const enum wire_event event = wire_receive(&link->wire, fmin(deadline, slice), &text, &length);
        if (event == WIRE_LATE && !goes_on) return RECEIVED_GONE;
        if (event == WIRE_LATE) continue;
        if (event == WIRE_CLOSED) return RECEIVED_GONE;
        if (event == WIRE_TOO_LONG) {
            error_set(error, "a message of more than %d bytes", DXP_MESSAGE_LIMIT);
            return RECEIVED_WRONG;
        }
        if (!dxp_read(text, length, message, error)) return RECEIVED_WRONG;
        if (!is_aside(link, message)) return RECEIVED;
        if (++link->noise > MOST_NOISE) {
            error_set(error, "more than %d messages that are no move", MOST_NOISE);
            return RECEIVED_WRONG;
        }
    } while (clock_seconds() < deadline);
    return RECEIVED_LATE;
}

static bool acknowledge(struct dxp_link *link, const struct dxp_message *end) {
    link->playing = false;
    link->leaving = end->end.stop;
    return say_end(link, DXP_UNKNOWN, end->end.stop);
}

// ---- the beginning of a game

// Moves and ends may be left of a game before.
static bool await_acceptance(struct dxp_link *link, double seconds, struct error *error) {
    static const char *const refusals[] = {
        [DXP_WRONG_VERSION] = "it refuses version 01 of DXP",
        [DXP_NOT_THIS_GAME] = "it refuses this game",
        [DXP_NO_GAMES] = "it refuses to play",
    };
    const double deadline = clock_seconds() + seconds;
    struct dxp_message message;
    enum received received;
    do received = receive(link, deadline, &message, error);
    while (received == RECEIVED && (message.type == DXP_GAMEEND || message.type == DXP_MOVE) &&
           ++link->noise <= MOST_NOISE);
    if (received == RECEIVED_WRONG) return error_prefix(error, "instead of an answer to a request");
    if (received == RECEIVED_GONE) return error_set(error, "gone instead of an answer to a request");
    if (received == RECEIVED_LATE) return error_set(error, "no answer to a request within %.4g s", seconds);
    if (message.type != DXP_GAMEACC)
        return error_set(error, "message \"%c\" instead of an answer to a request", (char)message.type);
    return message.accept.answer == DXP_ACCEPT || error_set(error, "%s", refusals[message.accept.answer]);
}

bool dxp_link_begin(struct dxp_link *link, const struct game *game, enum side side, int minutes,
                    double seconds, struct error *error) {
    const struct position *now = game_position(game), initial = variant_initial(game->variant);
    struct dxp_message request = {.type = DXP_GAMEREQ};
    request.request.version = DXP_VERSION;
    snprintf(request.request.name, sizeof request.request.name, "%s", OWN_NAME);
    request.request.follower = side;
    request.request.minutes = minutes;
    request.request.special = !position_equal(now, &initial);
    request.request.position = *now;
    link->noise = 0;
    link->chat[0] = '\0';
    link->side = side;
    link->told = game->ply;
    link->playing = say(link, &request, error) && await_acceptance(link, seconds, error);
    return link->playing;
}

// ---- moves

static bool tell_moves(struct dxp_link *link, const struct question *question, struct error *error) {
    for (; link->told < question->game->ply; link->told++) {
        const struct dxp_message message = dxp_from_move(question->moves[link->told], 0);
        if (!say(link, &message, error)) return false;
    }
    return true;
}

enum dxp_heard dxp_link_think(struct dxp_link *link, const struct question *question, double deadline,
                              struct move *move, double *arrived, enum dxp_reason *reason,
                              struct error *error) {
    struct dxp_message message;
    link->noise = 0;
    if (!tell_moves(link, question, error)) return DXP_HEARD_GONE;
    const enum received received = receive(link, deadline, &message, error);
    *arrived = received == RECEIVED ? link->wire.arrived - (clock_lag() - link->looked) : clock_seconds();
    if (received == RECEIVED_LATE) return DXP_HEARD_LATE;
    if (received == RECEIVED_GONE) return DXP_HEARD_GONE;
    if (received == RECEIVED_WRONG) return DXP_HEARD_WRONG;
    if (message.type == DXP_GAMEEND) {
        *reason = message.end.reason;
        return acknowledge(link, &message) ? DXP_HEARD_END : DXP_HEARD_GONE;
    }
    if (message.type != DXP_MOVE) {
        error_set(error, "message \"%c\" instead of a move", (char)message.type);
        return DXP_HEARD_WRONG;
    }
    link->told++;
    return dxp_find_move(&message, question->legal, move, error) ? DXP_HEARD_MOVE : DXP_HEARD_ILLEGAL;
}

// ---- the end of a game

static enum dxp_reason reason_of(int result, enum side side) {
    if (result == 0) return DXP_DRAW;
    return (result > 0) == (side == WHITE) ? DXP_I_WIN : DXP_I_LOSE;
}

static bool is_by_rule(enum termination end) {
    return end == GAME_NO_PIECES || end == GAME_BLOCKED || end == GAME_REPETITION ||
           end == GAME_NO_PROGRESS || end == GAME_BALANCE;
}

// The program is to move and has seen the end: true when it says so.
static bool let_it_end(struct dxp_link *link, const struct question *question, int result,
                       struct error *remark) {
    static const char *const names[] = {"unknown", "its loss", "a draw", "its win"};
    const enum dxp_reason reason = reason_of(result, link->side);
    struct dxp_message message;
    struct error ignored;
    if (!tell_moves(link, question, &ignored) ||
        receive(link, clock_seconds() + END_SECONDS, &message, &ignored) != RECEIVED ||
        message.type != DXP_GAMEEND || !acknowledge(link, &message))
        return false;
    if (message.end.reason != DXP_UNKNOWN && message.end.reason != reason)
        error_set(remark, "it called the result %s, by the rules it is %s", names[message.end.reason],
                  names[reason]);
    return true;
}

// Moves that cross our message are void.
static bool end_it(struct dxp_link *link, enum dxp_reason reason) {
    const double deadline = clock_seconds() + END_SECONDS;
    struct dxp_message message;
    struct error ignored;
    link->playing = false;
    if (!say_end(link, reason, false)) return false;
    for (enum received received = RECEIVED; clock_seconds() < deadline;) {
        received = receive(link, deadline, &message, &ignored);
        if (received == RECEIVED_GONE || ++link->noise > MOST_NOISE) return false;
        if (received != RECEIVED || message.type != DXP_GAMEEND) continue;
        link->leaving = message.end.stop;
        return true;
    }
    return false;
}

bool dxp_link_end(struct dxp_link *link, const struct question *question, enum termination end, int result,
                  struct error *remark) {
    remark->text[0] = '\0';
    if (link->playing) {
        const bool its_turn = position_turn(game_position(question->game)) == link->side;
        const enum dxp_reason reason =
            end == GAME_GOES_ON ? DXP_UNKNOWN : reason_of(result, other_side(link->side));
        const bool ended = its_turn && is_by_rule(end) && let_it_end(link, question, result, remark);
        if (!ended && !end_it(link, reason)) return false;
    }
    if (link->leaving) dxp_link_close(link, true);
    return true;
}

// ---- the end of all games

void dxp_link_close(struct dxp_link *link, bool politely) {
    if (link->socket >= 0) {
        if (politely && !link->leaving) (void)!say_end(link, DXP_UNKNOWN, link->process != NULL);
        wire_free(&link->wire);
        wire_hang_up(link->socket, politely ? clock_seconds() + WIRE_HANG_UP_SECONDS : 0);
    }
    if (link->process) process_end(link->process, politely ? "" : NULL);
    link->socket = -1;
    link->process = NULL;
    link->playing = false;
}

void dxp_link_free(struct dxp_link *link) {
    if (!link) return;
    dxp_link_close(link, true);
    free(link);
}
