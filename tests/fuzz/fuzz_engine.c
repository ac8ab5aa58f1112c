// fuzz_engine.c -- answers what a referee says, and puts faults into its answers.

#include "tests/fuzz/fuzz_engine.h"

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/notation.h"
#include "core/support/memory.h"
#include "search/dxp.h"
#include "search/hub.h"
#include "search/wire.h"
#include "tests/fuzz/fuzz.h"

enum { CHILD_SECONDS = 120 };  // after which a child that was left behind ends by itself

#define CONNECT_SECONDS 20.0

struct peer {
    const struct fuzz_script *script;
    size_t next;  // of its faults
    struct random random;
    struct wire wire;
    int out;
    bool stays;  // behind, after all is said
    bool gone;   // there is nobody to talk to
    struct fuzz_input said;
    struct hub_line line;
    const struct variant *variant;
    struct game game;
    bool placed;
    enum side side;  // its own, over DXP
    struct move_list legal;
};

static int some(struct peer *peer, int limit) { return fuzz_some(&peer->random, limit); }

static char end_of_message(const struct peer *peer) { return peer->script->kind == FUZZ_DXP ? '\0' : '\n'; }

static void send_bytes(struct peer *peer, const void *bytes, size_t length) {
    for (const char *at = bytes; length && !peer->gone;) {
        const ssize_t count = write(peer->out, at, length);
        if (count <= 0)
            peer->gone = true;
        else
            at += count, length -= (size_t)count;
    }
}

_Noreturn static void sleep_for_ever(void) {
    for (;;) pause();
}

_Noreturn static void leave(struct peer *peer, int code) {
    if (peer->stays) sleep_for_ever();
    _exit(code);
}

// What a referee says is right, whatever it was told.
static void expect(struct peer *peer, bool holds, const char *what) {
    if (holds) return;
    if (peer->script->blame) snprintf(peer->script->blame, FUZZ_BLAME_SIZE, "the referee said %s", what);
    fuzz_require(false, what);
}

// ---- faults of what is said

#define NAME "Tornado voor Windows 4.0        "
static const char *const dxp_phrases[] = {"R01" NAME "W060065A",
                                          "A" NAME "0",
                                          "A" NAME "1",
                                          "A" NAME "3",
                                          "A",
                                          "M0012322800",
                                          "M0000010200",
                                          "M0000",
                                          "M99995050",
                                          "E00",
                                          "E10",
                                          "E20",
                                          "E31",
                                          "E01",
                                          "E",
                                          "E99",
                                          "Chello",
                                          "C",
                                          "B001W",
                                          "B",
                                          "K0",
                                          "K1",
                                          "K9",
                                          "",
                                          "M00001627012200000",
                                          "Xunknown",
                                          "m0012322800"};
static const char *const line_phrases[] = {
    "wait",
    "ready",
    "pong",
    "uciok",
    "readyok",
    "done",
    "done move=",
    "done move=\"",
    "done move=32-28",
    "done move=32-28 move=1-2",
    "done move=100000000000000000000x-1x0",
    "bestmove",
    "bestmove 0000",
    "bestmove 3228",
    "bestmove (none)",
    "info depth=99999999999 score=1e999 nodes=-1",
    "info depth=nan score=nan nodes=1e18 pv=",
    "info score cp 99999999999999 depth -5 nodes 1e300",
    "info score mate -1 depth",
    "info",
    "error",
    "error message=\"the \x1b[31m end",
    "error message=\"cannot\"",
    "param name=variant type=enum values=\"chess go\"",
    "param name=variant value=normal",
    "param",
    "option name UCI_Variant type combo default chess var go",
    "option name UCI_Variant",
    "id name=\"\"",
    "=",
    "\"",
    "hub",
    "quit",
    "\r",
    " \t ",
};

static const char *a_phrase(struct peer *peer) {
    return peer->script->kind == FUZZ_DXP ? FUZZ_CHOOSE(&peer->random, dxp_phrases)
                                          : FUZZ_CHOOSE(&peer->random, line_phrases);
}

static void append_phrase(struct peer *peer) {
    const char end = end_of_message(peer);
    fuzz_append(&peer->said, a_phrase(peer));
    fuzz_append_bytes(&peer->said, &end, 1);
}

static void mutate(struct peer *peer) {
    for (int n = 1 + some(peer, 4); n > 0; n--) {
        const char any = (char)random_bits(&peer->random);
        const char *phrase = a_phrase(peer);
        const bool byte = some(peer, 4);
        fuzz_mutate(&peer->random, &peer->said, 0, byte ? &any : phrase, byte ? 1 : strlen(phrase),
                    1 + (size_t)some(peer, 8));
    }
}

static void cut(struct peer *peer) { peer->said.size = (size_t)some(peer, (int)peer->said.size); }

static void join(struct peer *peer) { peer->said.size--; }

static void say_twice(struct peer *peer) {
    const size_t length = peer->said.size;
    if (2 * length > sizeof peer->said.bytes) return;
    memcpy(peer->said.bytes + length, peer->said.bytes, length);
    peer->said.size = 2 * length;
}

static void insert_zero(struct peer *peer) {
    fuzz_insert(&peer->said, (size_t)some(peer, (int)peer->said.size), "", 1);
}

// Other digits: another move, depth, score, colour ...
static void change_digits(struct peer *peer) {
    for (size_t i = 0; i < peer->said.size; i++) {
        uint8_t *c = &peer->said.bytes[i];
        if (*c >= '0' && *c <= '9' && some(peer, 2)) *c = (uint8_t)('0' + some(peer, 10));
    }
}

static void insert_number(struct peer *peer) {
    static const char *const numbers[] = {
        "99999999999999999999999999", "-1", "1e400", "00000000000", "-0", "2147483648",
        "18446744073709551616"};
    size_t at = (size_t)some(peer, (int)peer->said.size);
    while (at < peer->said.size && (peer->said.bytes[at] < '0' || peer->said.bytes[at] > '9')) at++;
    const char *number = FUZZ_CHOOSE(&peer->random, numbers);
    fuzz_insert(&peer->said, at, number, strlen(number));
}

static void say_another(struct peer *peer) {
    peer->said.size = 0;
    append_phrase(peer);
}

static void say_more(struct peer *peer) {
    for (int n = 1 + some(peer, 3); n > 0; n--) append_phrase(peer);
}

static void chatter_first(struct peer *peer) {
    struct fuzz_input said = peer->said;
    peer->said.size = 0;
    for (int n = some(peer, 400); n > 0; n--) append_phrase(peer);
    send_bytes(peer, peer->said.bytes, peer->said.size);
    peer->said = said;
}

// ---- faults of how it is said

static void say_nothing(struct peer *peer) { peer->said.size = 0; }

static void say_long(struct peer *peer) {
    const bool whole = some(peer, 2);
    const size_t most = peer->script->kind == FUZZ_DXP ? 4 * DXP_MESSAGE_SIZE : 3 * HUB_LINE_LIMIT;
    const size_t length = (size_t)random_below(&peer->random, most);
    char *bytes = memory_new(length + 1, 1);
    memset(bytes, some(peer, 2) ? '9' : ' ', length);
    if (!whole) send_bytes(peer, bytes, length);
    send_bytes(peer, peer->said.bytes, peer->said.size - 1);
    if (whole) send_bytes(peer, bytes, length);
    free(bytes);
    peer->said.bytes[0] = (uint8_t)end_of_message(peer);
    peer->said.size = 1;
}

static void flood(struct peer *peer) {
    say_more(peer);
    if (some(peer, 2)) say_nothing(peer), fuzz_append(&peer->said, "and so on");
    while (!peer->gone) send_bytes(peer, peer->said.bytes, peer->said.size);
}

static void trickle(struct peer *peer) {
    for (size_t i = 0; i < peer->said.size; i++) {
        send_bytes(peer, &peer->said.bytes[i], 1);
        usleep((useconds_t)some(peer, 300));
    }
    peer->said.size = 0;
}

static void complain(struct peer *peer) {
    char bytes[2000];
    for (int n = some(peer, 100); n > 0; n--) {
        for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (char)random_bits(&peer->random);
        if (write(STDERR_FILENO, bytes, (size_t)some(peer, sizeof bytes)) < 0) return;
    }
}

static void fall_silent(struct peer *peer) {
    if (some(peer, 2)) cut(peer), send_bytes(peer, peer->said.bytes, peer->said.size);
    sleep_for_ever();
}

static void stop(struct peer *peer) {
    (void)peer;
    raise(SIGSTOP);
}

static void stay(struct peer *peer) {
    signal(SIGTERM, SIG_IGN);
    peer->stays = true;
}

static void close_early(struct peer *peer) {
    if (some(peer, 2)) cut(peer);
    send_bytes(peer, peer->said.bytes, peer->said.size);
    if (peer->script->kind == FUZZ_DXP)
        shutdown(peer->out, some(peer, 2) ? SHUT_RDWR : SHUT_WR);
    else
        close(peer->out);
    peer->said.size = 0;
}

static void end_early(struct peer *peer) {
    if (some(peer, 2)) cut(peer);
    send_bytes(peer, peer->said.bytes, peer->said.size);
    leave(peer, some(peer, 5));
}

static void crash(struct peer *peer) {
    static const int signals[] = {SIGKILL, SIGTERM, SIGHUP, SIGALRM, SIGINT, SIGUSR1};
    signal(SIGTERM, SIG_DFL);
    raise(FUZZ_CHOOSE(&peer->random, signals));
}

// A child that holds all pipes open.
static void leave_child(struct peer *peer) {
    if (fork() != 0) return;
    alarm(CHILD_SECONDS);
    signal(SIGTERM, SIG_IGN);
    if (peer->script->detaches) setsid();
    sleep_for_ever();
}

static const struct {
    void (*make)(struct peer *);
    int weight;
} faults[] = {
    {mutate, 60},        {cut, 10},           {join, 10},          {say_twice, 10},   {insert_zero, 10},
    {say_long, 10},      {change_digits, 40}, {insert_number, 20}, {say_another, 40}, {say_more, 30},
    {chatter_first, 10}, {trickle, 10},       {complain, 10},      {close_early, 10}, {end_early, 10},
    {crash, 10},         {leave_child, 3},    {say_nothing, 3},    {fall_silent, 2},  {stop, 1},
    {stay, 1},           {flood, 1},
};
enum { FAULTS = sizeof faults / sizeof *faults };

uint8_t fuzz_engine_fault(struct random *random) {
    int sum = 0, fault = 0;
    for (int i = 0; i < FAULTS; i++) sum += faults[i].weight;
    for (int drawn = fuzz_some(random, sum); drawn >= faults[fault].weight; fault++)
        drawn -= faults[fault].weight;
    return (uint8_t)fault;
}

bool fuzz_engine_leaves_child(const struct fuzz_script *script) {
    for (size_t i = 0; i < script->count; i++)
        if (script->faults[i] < FAULTS && faults[script->faults[i]].make == leave_child) return true;
    return false;
}

// ---- what is said

static void say(struct peer *peer, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(struct peer *peer, const char *format, ...) {
    char text[FUZZ_INPUT_SIZE / 4];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    peer->said.size = 0;
    fuzz_append(&peer->said, text);
    fuzz_append_bytes(&peer->said, &(char){end_of_message(peer)}, 1);
    const int fault = peer->next < peer->script->count ? peer->script->faults[peer->next++] : FUZZ_NO_FAULT;
    if (fault < FAULTS) faults[fault].make(peer);
    send_bytes(peer, peer->said.bytes, peer->said.size);
}

static void place(struct peer *peer, const struct game *game) {
    if (peer->placed) game_free(&peer->game);
    peer->game = *game;
    peer->placed = true;
}

static struct move choose_move(struct peer *peer) {
    peer->variant->generate(game_position(&peer->game), &peer->legal);
    expect(peer, peer->legal.count, "to move where nothing can");
    return peer->legal.moves[some(peer, peer->legal.count)];
}

// ---- Hub

static void hub_introduce(struct peer *peer) {
    say(peer, "id name=fuzz version=1");
    say(peer, "param name=variant value=normal type=enum values=\"normal %s\"", peer->script->variant->name);
    say(peer, "param name=hash value=1 type=int min=1 max=9");
    say(peer, "wait");
}

static void hub_place(struct peer *peer) {
    struct game game;
    struct error error;
    expect(peer, hub_pos_read(&peer->line, peer->variant, &game, &error), "a position that cannot be read");
    place(peer, &game);
}

static void hub_think(struct peer *peer) {
    char text[MOVE_TEXT_SIZE];
    move_to_hub(peer->variant, choose_move(peer), text);
    if (some(peer, 2))
        say(peer, "info depth=%d score=%d.25 nodes=%d pv=\"%s\"", some(peer, 9), some(peer, 9), 7, text);
    say(peer, "done move=%s", text);
}

static void hub_obey(struct peer *peer, const char *line, size_t length) {
    struct error error;
    expect(peer, hub_read(line, length, &peer->line, &error), "a line that cannot be read");
    const char *command = peer->line.command;
    if (!strcmp(command, "hub")) hub_introduce(peer);
    if (!strcmp(command, "init")) say(peer, "ready");
    if (!strcmp(command, "ping")) say(peer, "pong");
    if (!strcmp(command, "pos")) hub_place(peer);
    if (!strcmp(command, "go") && peer->placed) hub_think(peer);
    if (!strcmp(command, "quit")) leave(peer, 0);
}

// ---- the text protocol

static void text_introduce(struct peer *peer) {
    say(peer, "id name fuzz");
    say(peer, "option name UCI_Variant type combo default chess var %s", peer->script->variant->name);
    say(peer, "uciok");
}

static void text_play(struct peer *peer, struct game *game, char *words) {
    for (char *word = strsep(&words, " "); word; word = strsep(&words, " ")) {
        struct move move;
        peer->variant->generate(game_position(game), &peer->legal);
        expect(peer, move_from_text(peer->variant, game_position(game), &peer->legal, word, &move, NULL),
               "a move that cannot be read");
        game_play(game, move);
    }
}

static void text_place(struct peer *peer, char *fen) {
    struct game game;
    struct position position;
    char *moves = strstr(fen, " moves ");
    if (moves) *moves = '\0';
    expect(peer, position_from_fen(peer->variant, fen, &position, NULL), "a position that cannot be read");
    game_init(&game, peer->variant, NULL, &position);
    if (moves) text_play(peer, &game, moves + strlen(" moves "));
    place(peer, &game);
}

static void text_think(struct peer *peer) {
    char text[MOVE_TEXT_SIZE];
    const struct move move = choose_move(peer);
    move_to_text(peer->variant, game_position(&peer->game), &peer->legal, move, text);
    if (some(peer, 2))
        say(peer, "info depth %d score cp %d nodes 7 pv %s", some(peer, 9), some(peer, 99), text);
    say(peer, "bestmove %s ponder 1-6", text);
}

static void text_obey(struct peer *peer, char *line) {
    static const char position[] = "position fen ";
    if (!strcmp(line, "uci")) text_introduce(peer);
    if (!strcmp(line, "isready")) say(peer, "readyok");
    if (!strncmp(line, position, strlen(position))) text_place(peer, line + strlen(position));
    if (!strncmp(line, "go ", 3) && peer->placed) text_think(peer);
    if (!strcmp(line, "quit")) leave(peer, 0);
}

// ---- DXP

// A reason as the engine sees it.
static void dxp_say_end(struct peer *peer, enum dxp_reason reason) { say(peer, "E%d0", (int)reason); }

// Its turn: a move, or the end of the game.
static void dxp_go_on(struct peer *peer) {
    int result;
    struct error error;
    char text[DXP_MESSAGE_SIZE];
    const enum termination end = game_over(&peer->game, &result);
    if (end != GAME_GOES_ON) {
        dxp_say_end(peer, !result                                 ? DXP_DRAW
                          : (result > 0) == (peer->side == WHITE) ? DXP_I_WIN
                                                                  : DXP_I_LOSE);
        return;
    }
    const struct move move = choose_move(peer);
    const struct dxp_message message = dxp_from_move(move, 0);
    fuzz_require(dxp_write(&message, text, &error), error.text);
    game_play(&peer->game, move);
    say(peer, "%s", text);
}

static void dxp_accept(struct peer *peer, const struct dxp_message *request) {
    struct game game;
    const struct position start =
        request->request.special ? request->request.position : variant_initial(peer->variant);
    game_init(&game, peer->variant, NULL, &start);
    place(peer, &game);
    peer->side = request->request.follower;
    say(peer, "A%-32s0", "fuzz");
    if (position_turn(game_position(&peer->game)) == peer->side) dxp_go_on(peer);
}

static void dxp_play(struct peer *peer, const struct dxp_message *message) {
    struct move move;
    struct error error;
    if (!peer->placed || position_turn(game_position(&peer->game)) == peer->side) return;
    peer->variant->generate(game_position(&peer->game), &peer->legal);
    if (!dxp_find_move(message, &peer->legal, &move, &error)) return;
    game_play(&peer->game, move);
    dxp_go_on(peer);
}

static void dxp_obey(struct peer *peer, const char *text, size_t length) {
    struct dxp_message message;
    struct error error;
    expect(peer, dxp_read(text, length, &message, &error), "a message that cannot be read");
    switch (message.type) {
    case DXP_GAMEREQ: dxp_accept(peer, &message); return;
    case DXP_MOVE: dxp_play(peer, &message); return;
    case DXP_GAMEEND:
        if (peer->placed) game_free(&peer->game);
        if (peer->placed) dxp_say_end(peer, DXP_UNKNOWN);
        peer->placed = false;
        return;
    default: return;
    }
}

// ---- conversations

static void converse(struct peer *peer, int in, int out) {
    const char *text;
    size_t length;
    const bool dxp = peer->script->kind == FUZZ_DXP;
    peer->out = out;
    peer->gone = false;
    wire_init(&peer->wire, in, -1, end_of_message(peer), dxp ? DXP_MESSAGE_LIMIT : HUB_LINE_LIMIT);
    while (!peer->gone && wire_receive(&peer->wire, INFINITY, &text, &length) == WIRE_MESSAGE) {
        if (peer->script->kind == FUZZ_HUB) hub_obey(peer, text, length);
        if (peer->script->kind == FUZZ_TEXT) text_obey(peer, (char *)text);
        if (dxp) dxp_obey(peer, text, length);
    }
    wire_free(&peer->wire);
}

static struct peer *peer_new(const struct fuzz_script *script) {
    struct peer *peer = memory_new(1, sizeof *peer);
    peer->script = script;
    peer->variant = script->variant;
    peer->random = random_stream(script->seed, 1);
    return peer;
}

_Noreturn void fuzz_engine_run(const struct fuzz_script *script) {
    struct peer *peer = peer_new(script);
    converse(peer, STDIN_FILENO, STDOUT_FILENO);
    leave(peer, 0);
}

_Noreturn void fuzz_engine_serve(const struct fuzz_script *script, int listener, const char *address,
                                 bool once) {
    struct peer *peer = peer_new(script);
    struct error error;
    int socket;
    do {
        socket = listener >= 0 ? wire_accept(listener, INFINITY, &error)
                               : wire_connect(address, clock_seconds() + CONNECT_SECONDS, &error);
        if (socket < 0) break;
        fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) & ~O_NONBLOCK);
        converse(peer, socket, socket);
        close(socket);
    } while (!once);
    leave(peer, 0);
}
