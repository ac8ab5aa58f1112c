// bad_engine.c -- an engine that moves at random and has one vice: bad_engine VICE [MOVE [PORT]].
//
// It speaks the Hub protocol, as far as it behaves, or DXP when it is to listen at a port. The vice shows at
// the given move of a game (default 3). What a referee makes of each vice is tested by engines.sh and
// vices.sh.

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/notation.h"
#include "core/support/clock.h"
#include "core/support/memory.h"
#include "core/support/random.h"
#include "search/dxp.h"
#include "search/hub.h"
#include "search/wire.h"

enum { LINE_SIZE = 1 << 20, NAP_SECONDS = 60 };

struct bad_engine {
    const char *vice;
    int move;  // of the vice
    int moves_made;
    bool over_dxp;
    enum side side;  // over DXP, and whether a game goes on
    bool playing;
    const struct variant *variant;
    struct game game;
    bool placed;
    struct random random;
    struct move_list legal;
    struct hub_line line;
};

static bool has(const struct bad_engine *engine, const char *vice) { return strcmp(engine->vice, vice) == 0; }

static void say(const char *line) {
    printf("%s\n", line);
    fflush(stdout);
}

static void say_dxp(const char *message) {
    fwrite(message, 1, strlen(message) + 1, stdout);
    fflush(stdout);
}

static void say_either(const struct bad_engine *engine, const char *line, const char *message) {
    if (engine->over_dxp)
        say_dxp(message);
    else
        say(line);
}

_Noreturn static void sleep_for_ever(void) {
    for (;;) sleep(NAP_SECONDS);
}

// ---- vices

_Noreturn static void crash(void) {
    fprintf(stderr, "first line\nbad_engine: about to crash\n");
    abort();
}

_Noreturn static void flood(const struct bad_engine *engine) {
    while (engine->over_dxp) say_dxp("Cand so on, and so on, and so on, and so on");
    for (;;) printf("info depth=1 score=0.10 nodes=1 pv=\"and so on, and so on, and so on, and so on\"\n");
}

static void flood_errors(void) {
    for (int i = 0; i < 100000; i++)
        fprintf(stderr, "complaint number %d of a great many that nobody reads\n", i);
}

static void print_garbage(const struct bad_engine *engine) {
    for (int i = 0; i < 5000; i++) putchar((i * i * 7 + i) % 256);
    say_either(engine, "\n=\"done\" move\ndone\x01move=32-28\n  ==", "Mxx");
}

// A child of its own, which holds all pipes open.
static void leave_child(void) {
    const pid_t pid = fork();
    if (pid == 0) {
        signal(SIGTERM, SIG_IGN);
        sleep_for_ever();
    }
}

// One that no signal to the group reaches.
static void detach_child(void) {
    const pid_t pid = fork();
    if (pid == 0) {
        setsid();
        sleep_for_ever();
    }
}

// Ends, while a child goes on.
_Noreturn static void orphan(void) {
    leave_child();
    fflush(stdout);
    _exit(3);
}

static void say_zero(const struct bad_engine *engine) {
    fwrite(engine->over_dxp ? "M0001\0\0" : "done move=32-28\0\n", 1, engine->over_dxp ? 7 : 17, stdout);
    fflush(stdout);
}

// Does what the vice has in store for this move; false: no answer follows.
static bool indulge(struct bad_engine *engine) {
    if (has(engine, "crash")) crash();
    if (has(engine, "hang")) sleep_for_ever();
    if (has(engine, "flood")) flood(engine);
    if (has(engine, "late")) usleep(1400000);
    if (has(engine, "flood-errors")) flood_errors();
    if (has(engine, "close")) {
        if (engine->over_dxp) fclose(stdin);  // the other descriptor of the connection
        fclose(stdout);
        sleep_for_ever();
    }
    if (has(engine, "orphan")) orphan();
    if (has(engine, "complain")) {
        say_either(engine, "error message=\"no mood for this\"\ninfo depth=1", "Cerror: no mood for this");
        sleep_for_ever();
    }
    if (has(engine, "garbage"))
        print_garbage(engine);
    else if (has(engine, "zero"))
        say_zero(engine);
    else if (has(engine, "illegal"))
        say_either(engine, "done move=1-1", "M0001010100");
    else if (has(engine, "no-move"))
        say_either(engine, "done", "M");
    else if (has(engine, "half")) {
        printf("%s", engine->over_dxp ? "M00" : "done mo");
        fflush(stdout);
    } else
        return true;
    return false;
}

// ---- the engine

static void think(struct bad_engine *engine) {
    if (++engine->moves_made == engine->move && !indulge(engine)) return;
    char text[MOVE_TEXT_SIZE];
    engine->variant->generate(game_position(&engine->game), &engine->legal);
    const uint64_t choice = random_below(&engine->random, (uint64_t)engine->legal.count);
    move_to_hub(engine->variant, engine->legal.moves[choice], text);
    printf("info depth=1 score=-0.25 nodes=%d\ndone move=%s\n", engine->legal.count, text);
    fflush(stdout);
}

static void place(struct bad_engine *engine) {
    struct game game;
    struct error error;
    if (!hub_pos_read(&engine->line, engine->variant, &game, &error)) {
        printf("error message=\"%s\"\n", error.text);
        fflush(stdout);
        return;
    }
    if (engine->placed) game_free(&engine->game);
    engine->game = game;
    engine->placed = true;
}

static void introduce(void) {
    say("id name=bad_engine version=1");
    say("param name=variant value=normal type=enum values=\"normal frisian spanish russian\"");
    say("param name=mood value=good type=string");
    say("wait");
}

static void set_param(struct bad_engine *engine) {
    const char *name = hub_value(&engine->line, "name"), *value = hub_value(&engine->line, "value");
    struct error error;
    if (name && value && strcmp(name, "mood") == 0 && strcmp(value, "bad") == 0)
        say("error message=\"mood: not bad, please\"");
    if (!name || !value || strcmp(name, "variant") != 0) return;
    const struct variant *variant = hub_variant(value, &error);
    if (variant) engine->variant = variant;
}

// False at "quit".
static bool obey(struct bad_engine *engine) {
    const char *command = engine->line.command;
    if (strcmp(command, "hub") == 0)
        introduce();
    else if (strcmp(command, "set-param") == 0)
        set_param(engine);
    else if (strcmp(command, "init") == 0)
        say("ready");
    else if (strcmp(command, "new-game") == 0)
        engine->moves_made = 0;
    else if (strcmp(command, "ping") == 0)
        say("pong");
    else if (strcmp(command, "pos") == 0)
        place(engine);
    else if (strcmp(command, "go") == 0 && engine->placed)
        think(engine);
    return strcmp(command, "quit") != 0;
}

// ---- the text protocol: only to be tested against, it has no vices

static void text_place(struct bad_engine *engine, char *text) {
    char *moves = strstr(text, " moves ");
    if (moves) *moves = '\0';
    struct error error;
    struct position position;
    if (!position_from_fen(engine->variant, text, &position, &error)) exit(5);
    if (engine->placed) game_free(&engine->game);
    engine->placed = true;
    game_init(&engine->game, engine->variant, NULL, &position);
    char *rest = moves ? moves + 7 : NULL;
    for (char *word = strsep(&rest, " "); word; word = strsep(&rest, " ")) {
        struct move move;
        engine->variant->generate(game_position(&engine->game), &engine->legal);
        if (!move_from_text(engine->variant, game_position(&engine->game), &engine->legal, word, &move,
                            &error)) {
            fprintf(stderr, "%s\n", error.text);
            exit(6);
        }
        game_play(&engine->game, move);
    }
}

// Every other quiet move as four digits.
static void text_think(struct bad_engine *engine) {
    char text[MOVE_TEXT_SIZE];
    const struct position *position = game_position(&engine->game);
    engine->variant->generate(position, &engine->legal);
    const uint64_t choice = random_below(&engine->random, (uint64_t)engine->legal.count);
    move_to_text(engine->variant, position, &engine->legal, engine->legal.moves[choice], text);
    int from, to;
    if (++engine->moves_made % 2 == 0 && sscanf(text, "%d-%d", &from, &to) == 2)
        snprintf(text, sizeof text, "%02d%02d", from, to);
    printf("info depth 1 score cp -25 nodes %d pv x\nbestmove %s ponder 1-6\n", engine->legal.count, text);
    fflush(stdout);
}

static void text_obey(struct bad_engine *engine, char *line) {
    line[strcspn(line, "\r\n")] = '\0';
    struct error error;
    if (strcmp(line, "uci") == 0)
        say("id name bad_engine\noption name UCI_Variant type combo default international var international "
            "var "
            "russian\nuciok");
    else if (strncmp(line, "setoption name UCI_Variant value ", 33) == 0)
        engine->variant = variant_find(line + 33, &error);
    else if (strcmp(line, "isready") == 0)
        say("readyok");
    else if (strncmp(line, "position fen ", 13) == 0)
        text_place(engine, line + 13);
    else if (strncmp(line, "go ", 3) == 0)
        text_think(engine);
    else if (strcmp(line, "quit") == 0)
        exit(0);
}

// ---- DXP: the connection is standard input and output

static void dxp_send(const struct dxp_message *message) {
    char text[DXP_MESSAGE_SIZE];
    struct error error;
    if (dxp_write(message, text, &error)) say_dxp(text);
}

static void dxp_begin(struct bad_engine *engine, const struct dxp_message *request) {
    const struct position start =
        request->request.special ? request->request.position : variant_initial(engine->variant);
    if (engine->placed) game_free(&engine->game);
    engine->placed = engine->playing = true;
    game_init(&engine->game, engine->variant, NULL, &start);
    engine->side = request->request.follower;
    engine->moves_made = 0;
    dxp_send(&(struct dxp_message){.type = DXP_GAMEACC, .accept = {.name = "bad_engine"}});
}

static void dxp_think(struct bad_engine *engine) {
    int result;
    if (!engine->playing || position_turn(game_position(&engine->game)) != engine->side) return;
    if (game_over(&engine->game, &result) != GAME_GOES_ON) {
        engine->playing = false;
        dxp_send(&(struct dxp_message){.type = DXP_GAMEEND});
        return;
    }
    if (++engine->moves_made == engine->move && !indulge(engine)) return;
    engine->variant->generate(game_position(&engine->game), &engine->legal);
    const uint64_t choice = random_below(&engine->random, (uint64_t)engine->legal.count);
    const struct dxp_message message = dxp_from_move(engine->legal.moves[choice], 0);
    game_play(&engine->game, engine->legal.moves[choice]);
    dxp_send(&message);
}

// False when there is to be no other game.
static bool dxp_obey(struct bad_engine *engine, const struct dxp_message *message) {
    struct error error;
    struct move move;
    if (message->type == DXP_GAMEREQ) {
        dxp_begin(engine, message);
    } else if (message->type == DXP_MOVE && engine->playing) {
        engine->variant->generate(game_position(&engine->game), &engine->legal);
        if (!dxp_find_move(message, &engine->legal, &move, &error)) return false;
        game_play(&engine->game, move);
    } else if (message->type == DXP_GAMEEND) {
        if (engine->playing) dxp_send(&(struct dxp_message){.type = DXP_GAMEEND});
        engine->playing = false;
        return !message->end.stop;
    }
    dxp_think(engine);
    return true;
}

static void dxp_listen(const char *port) {
    struct error error;
    char address[WIRE_ADDRESS_SIZE];
    const int listener = wire_listen(port, address, &error);
    const int connection = listener < 0 ? -1 : wire_accept(listener, clock_seconds() + NAP_SECONDS, &error);
    if (connection < 0) {
        fprintf(stderr, "bad_engine: %s\n", error.text);
        exit(7);
    }
    dup2(connection, STDIN_FILENO);
    dup2(connection, STDOUT_FILENO);
    close(connection);
    close(listener);
}

static void play_over_dxp(struct bad_engine *engine, const char *port) {
    struct dxp_message message;
    struct error error;
    char *text = NULL;
    size_t size = 0;
    ssize_t length;
    dxp_listen(port);
    while ((length = getdelim(&text, &size, '\0', stdin)) > 0) {
        if (has(engine, "protocol"))
            say("Unknown command. Type help.");
        else if (!dxp_read(text, (size_t)length - 1, &message, &error) || !dxp_obey(engine, &message))
            break;
    }
    free(text);
}

// ----

// Vices that show before anything is asked.
static void begin(struct bad_engine *engine) {
    if (has(engine, "exit")) {
        fprintf(stderr, "bad_engine: cannot find my book\n");
        exit(4);
    }
    if (has(engine, "silent")) sleep_for_ever();
    if (has(engine, "child")) leave_child();
    if (has(engine, "detach")) detach_child();
    if (has(engine, "stay")) signal(SIGTERM, SIG_IGN);
}

int main(int argc, char **argv) {
    struct bad_engine *engine = memory_new(1, sizeof *engine);
    engine->vice = argc > 1 ? argv[1] : "none";
    engine->move = argc > 2 ? atoi(argv[2]) : 3;
    engine->random = random_stream(1, (uint64_t)getpid());
    struct error error;
    engine->variant = variant_find("international", &error);
    begin(engine);
    char *line = memory_new(LINE_SIZE, 1);
    engine->over_dxp = argc > 3;
    if (engine->over_dxp) play_over_dxp(engine, argv[3]);
    bool goes_on = !engine->over_dxp;
    while (goes_on && fgets(line, LINE_SIZE, stdin)) {
        if (has(engine, "protocol"))
            say("Unknown command. Type help.");
        else if (has(engine, "text"))
            text_obey(engine, line);
        else if (hub_read(line, strlen(line), &engine->line, &error))
            goes_on = obey(engine);
    }
    if (has(engine, "stay")) sleep_for_ever();
    if (engine->placed) game_free(&engine->game);
    hub_line_free(&engine->line);
    free(line);
    free(engine);
    return 0;
}
