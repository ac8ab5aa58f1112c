// engine.c -- leads an external program through its protocol, from the handshake to its last move.

#include "selfplay/engine.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/notation.h"
#include "core/support/clock.h"
#include "core/support/memory.h"
#include "core/support/progress.h"
#include "search/hub.h"
#include "selfplay/dxp_link.h"
#include "selfplay/process.h"

enum {
    SHOWN = 120,              // bytes of a line, in a message
    ERRORS_SHOWN = 500,       // of standard error
    MOST_OUTPUT = 256 << 20,  // bytes before one answer: more is a flood, however fast it is read
};

#define STOP_SECONDS    1.0   // to answer after "stop"
#define STARTUP_SECONDS 10.0  // where the settings do not say
#define CONNECT_SECONDS 30.0

const char *const engine_protocol_names[ENGINE_PROTOCOL_COUNT] = {
    [ENGINE_HUB] = "hub",
    [ENGINE_TEXT] = "text",
    [ENGINE_DXP] = "dxp",
};

// What a line was to whoever listens, or why there is none.
enum heard {
    HEARD_NOTHING,  // go on
    HEARD_ALL,      // what was waited for
    HEARD_LATE,     // the wait is over
    HEARD_GONE,
    HEARD_FLOOD,
    HEARD_WRONG,  // struct engine.failure says what
};

struct engine {
    struct engine_settings settings;
    const struct protocol *protocol;
    struct dxp_link *link;       // NULL: not over DXP; else what follows is NULL
    struct process *process;     // NULL when none runs
    struct error_lines *errors;  // NULL: there is no log
    bool playing;                // a game was begun with this process
    bool hopeless;               // it cannot even be started
    int failures;                // in a row
    struct error failure;        // the last

    struct hub_line line;       // the last that came
    struct error unread;        // why it could not be taken apart, or ""
    char shown[SHOWN + 1];      // of it
    char complaint[SHOWN + 1];  // what it called an error, the last of this game or start; or ""
    struct hub_text to_send;    // lines, without the last line end
    struct hub_text text;       // one of these
    bool *given;                // which options the program has
    struct move_list *legal;    // room
    struct answer *answer;      // of the search that goes on
    char move[MOVE_TEXT_SIZE];  // that came back; "" when it is longer than any
};

typedef enum heard listener(struct engine *);

struct protocol {
    const char *hello, *introduced, *ready;  // what is said first, what ends the introduction, and the start
    const char *new_game, *still_ready;
    const char *quit;
    const char *answer;                  // the line with the move
    const char *refusal;                 // a line that ends the start; NULL: there is none
    listener *introduction;              // of a line of it; may add lines to send
    bool (*configure)(struct engine *);  // adds the lines after it; false: `failure` says why not
    void (*ask)(struct engine *, const struct player *, const struct question *);
    listener *reply;
    bool (*read_move)(struct engine *, const struct question *, struct move *, struct error *);
};

// ---- lines to send

static void add_line(struct engine *engine, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add_line(struct engine *engine, const char *format, ...) {
    char *line;
    va_list arguments;
    va_start(arguments, format);
    const int length = vasprintf(&line, format, arguments);
    va_end(arguments);
    if (length < 0) abort();  // out of memory
    char *whole = engine->to_send.length ? memory_text("%s\n%s", engine->to_send.text, line) : line;
    hub_begin(&engine->to_send, whole);
    if (whole != line) free(whole);
    free(line);
}

// ---- listening

static void show(char shown[static SHOWN + 1], const char *text, size_t length) {
    const size_t count = length < SHOWN ? length : SHOWN;
    for (size_t i = 0; i < count; i++)
        shown[i] = (unsigned char)text[i] < ' ' || text[i] == '\x7f' ? '?' : text[i];
    shown[count] = '\0';
}

static bool is_command(const struct engine *engine, const char *command) {
    return strcmp(engine->line.command, command) == 0;
}

// Both protocols have lines of a command and words.
static bool take_apart(struct engine *engine, const char *line, size_t length) {
    engine->unread.text[0] = '\0';
    show(engine->shown, line, length);
    if (!hub_read(line, length, &engine->line, &engine->unread)) return false;
    if (is_command(engine, "error")) {
        const char *message = hub_value(&engine->line, "message");
        if (!message) message = engine->shown;
        show(engine->complaint, message, strlen(message));
    }
    return true;
}

// What cannot be taken apart is passed over, unless it was to be the answer: then there is no move in it.
static enum heard hear_garbage(struct engine *engine, const char *line, listener *hear) {
    const size_t length = strlen(engine->protocol->answer);
    if (hear != engine->protocol->reply || strncmp(line, engine->protocol->answer, length) != 0 ||
        !strchr(" \t", line[length]))
        return HEARD_NOTHING;
    engine->move[0] = '\0';
    return HEARD_ALL;
}

// `bytes` counts what came.
static enum heard listen_until(struct engine *engine, double deadline, listener *hear, size_t *bytes) {
    size_t length = 0;
    for (const char *line;;) {
        const enum wire_event event = process_receive(engine->process, deadline, &line, &length);
        if (event == WIRE_CLOSED) return HEARD_GONE;
        if (event == WIRE_LATE) return HEARD_LATE;
        if (event == WIRE_MESSAGE) {
            const enum heard heard =
                take_apart(engine, line, length) ? hear(engine) : hear_garbage(engine, line, hear);
            if (heard != HEARD_NOTHING) return heard;
        }
        *bytes += event == WIRE_MESSAGE ? length + 1 : HUB_LINE_LIMIT;
        if (*bytes > MOST_OUTPUT) return HEARD_FLOOD;
        if (clock_seconds() >= deadline) return HEARD_LATE;
    }
}

// `held_up`: this program, until the wait began; looked at first, so that nothing in between is missed.
struct wait {
    double held_up, begun, deadline;
};

static struct wait begin_wait(const struct engine *engine, double seconds) {
    const double held_up = watch_held_up(engine->settings.watch), now = clock_seconds();
    return (struct wait){held_up, now, now + seconds};
}

// The deadline moved by what held this program up, and perhaps the other one with it.
static double extended(const struct engine *engine, const struct wait *wait) {
    return wait->deadline + watch_held_up(engine->settings.watch) - wait->held_up;
}

static enum heard listen(struct engine *engine, const struct wait *wait, listener *hear) {
    size_t bytes = 0;
    const enum heard heard = listen_until(engine, wait->deadline, hear, &bytes);
    return heard == HEARD_LATE ? listen_until(engine, extended(engine, wait), hear, &bytes) : heard;
}

static void find_index(const struct question *question, struct answer *answer) {
    for (int i = 0; i < question->legal->count; i++)
        if (move_equal(answer->move, question->legal->moves[i])) answer->index = i;
}

// An error at the start is about what it was told: an option, say.
static enum heard hear_refusal(struct engine *engine) {
    if (!engine->protocol->refusal || !is_command(engine, engine->protocol->refusal)) return HEARD_NOTHING;
    error_set(&engine->failure, "it refuses to start: \"%s\"", engine->complaint);
    engine->shown[0] = engine->complaint[0] = '\0';
    return HEARD_WRONG;
}

static enum heard hear_introduction(struct engine *engine) {
    if (is_command(engine, engine->protocol->introduced)) return HEARD_ALL;
    const enum heard refused = hear_refusal(engine);
    return refused ? refused : engine->protocol->introduction(engine);
}

static enum heard hear_ready(struct engine *engine) {
    return is_command(engine, engine->protocol->ready) ? HEARD_ALL : hear_refusal(engine);
}

static enum heard hear_still_ready(struct engine *engine) {
    return is_command(engine, engine->protocol->still_ready) ? HEARD_ALL : HEARD_NOTHING;
}

// ---- failures

static void describe(struct engine *engine, enum heard heard, const char *asked, double seconds) {
    char how[SHOWN];
    switch (heard) {
    case HEARD_GONE:
        process_describe_end(engine->process, how, sizeof how);
        error_set(&engine->failure, "gone instead of an answer to \"%s\" (%s)", asked, how);
        break;
    case HEARD_FLOOD:
        error_set(&engine->failure, "a flood of output instead of an answer to \"%s\"", asked);
        break;
    case HEARD_WRONG: break;
    default: error_set(&engine->failure, "no answer to \"%s\" within %.4g s", asked, seconds);
    }
}

static void add_words(struct engine *engine, const char *whose, const char *words) {
    if (!*words) return;
    char *text = memory_text("%s", engine->failure.text);
    error_set(&engine->failure, "%s; %s: \"%s\"", text, whose, words);
    free(text);
}

static void add_complaint(struct engine *engine) {
    add_words(engine, "it reported an error", engine->complaint);
}

// Appends what the program said last.
static void add_evidence(struct engine *engine) {
    char errors[ERRORS_SHOWN] = "", half[SHOWN + 1] = "";
    struct process *process = engine->link ? dxp_link_process(engine->link) : engine->process;
    if (!engine->link) {
        size_t length;
        const char *line = process_half_line(process, &length);
        show(half, line, length);
    }
    if (process) process_last_errors(process, errors, sizeof errors);
    add_complaint(engine);
    if (!*engine->complaint || strncmp(engine->shown, "error", 5) != 0)
        add_words(engine, "its last line", engine->shown);
    add_words(engine, "its unfinished line", half);
    add_words(engine, "its standard error", errors);
}

static void count_failure(struct engine *engine) {
    engine->playing = false;
    engine->failures++;
}

// Ends a program that has failed.
static void fail(struct engine *engine, enum heard heard, const char *asked, double seconds) {
    describe(engine, heard, asked, seconds);
    add_evidence(engine);
    process_end(engine->process, NULL);
    engine->process = NULL;
    count_failure(engine);
}

static enum heard send_and_listen(struct engine *engine, const struct wait *wait, listener *hear) {
    const bool sent = process_send(engine->process, engine->to_send.text, wait->deadline, &engine->failure);
    engine->to_send.length = 0;
    // A program that is gone may have said why.
    return sent || clock_seconds() < wait->deadline ? listen(engine, wait, hear) : HEARD_LATE;
}

static bool exchange(struct engine *engine, const char *asked, double seconds, listener *hear) {
    engine->shown[0] = '\0';
    const struct wait wait = begin_wait(engine, seconds);
    const enum heard heard = send_and_listen(engine, &wait, hear);
    if (heard == HEARD_ALL) return true;
    if (!interrupted()) fail(engine, heard, asked, seconds);
    return false;
}

// ---- options

// The value that the user gives an option, or NULL.
static const char *find_option(struct engine *engine, const char *name) {
    const size_t length = strlen(name);
    for (int i = 0; i < engine->settings.option_count; i++) {
        const char *option = engine->settings.options[i];
        if (strncmp(option, name, length) != 0 || option[length] != '=') continue;
        engine->given[i] = true;
        return option + length + 1;
    }
    return NULL;
}

// The word of a list that names our variant, as memory to be freed; NULL: none does.
static char *find_variant(const struct engine *engine, const char *words) {
    char *copy = memory_text("%s", words), *rest = copy, *found = NULL;
    for (char *word = strsep(&rest, " "); word && !found; word = strsep(&rest, " ")) {
        struct error ignored;
        if (*word && hub_variant(word, &ignored) == engine->settings.variant) found = memory_text("%s", word);
    }
    free(copy);
    return found;
}

static enum heard refuse_variant(struct engine *engine) {
    error_set(&engine->failure, "it does not play %s", engine->settings.variant->name);
    return HEARD_WRONG;
}

// ---- Hub

static void add_set_param(struct engine *engine, const char *name, const char *value) {
    hub_begin(&engine->text, "set-param");
    hub_add(&engine->text, "name", "%s", name);
    hub_add(&engine->text, "value", "%s", value);
    add_line(engine, "%s", engine->text.text);
}

// A parameter that says which game is played.
static enum heard hub_variant_parameter(struct engine *engine, const char *now, const char *choices) {
    char *word = find_variant(engine, now);
    if (!word) {
        word = choices ? find_variant(engine, choices) : memory_text("%s", engine->settings.variant->name);
        if (!word) return refuse_variant(engine);
        add_set_param(engine, "variant", word);
    }
    free(word);
    return HEARD_NOTHING;
}

static enum heard hub_introduction(struct engine *engine) {
    const char *name = hub_value(&engine->line, "name"), *now = hub_value(&engine->line, "value");
    if (!is_command(engine, "param") || !name) return HEARD_NOTHING;
    const char *wanted = find_option(engine, name);
    if (wanted)
        add_set_param(engine, name, wanted);
    else if (strcmp(name, "variant") == 0)
        return hub_variant_parameter(engine, now ? now : "", hub_value(&engine->line, "values"));
    return HEARD_NOTHING;
}

static bool hub_configure(struct engine *engine) {
    for (int i = 0; i < engine->settings.option_count; i++) {
        if (!engine->given[i])
            return error_set(&engine->failure, "it has no parameter for option.%.80s",
                             engine->settings.options[i]);
    }
    add_line(engine, "init");
    return true;
}

static void hub_ask(struct engine *engine, const struct player *player, const struct question *question) {
    hub_pos_write(&engine->text, question->game, question->moves);
    add_line(engine, "%s", engine->text.text);
    // Our increment came with the last move; Hub adds it before the next.
    const struct hub_level level = {
        .depth = player->limits.depth,
        .nodes = player->limits.nodes,
        .move_time = player->limits.seconds,
        .clock = player->clock.seconds > 0,
        .time = question->remaining - player->clock.increment,
        .increment = player->clock.increment,
        .moves = question->moves_to_control,
    };
    hub_level_write(&engine->text, &level);
    add_line(engine, "%s", engine->text.text);
    add_line(engine, "go think");
}

static void keep_move(struct engine *engine, const char *move) {
    if (!move || snprintf(engine->move, sizeof engine->move, "%s", move) >= (int)sizeof engine->move)
        engine->move[0] = '\0';
}

static enum heard hub_reply(struct engine *engine) {
    if (is_command(engine, "done")) {
        keep_move(engine, hub_value(&engine->line, "move"));
        return HEARD_ALL;
    }
    if (!is_command(engine, "info")) return HEARD_NOTHING;
    const struct hub_info info = hub_info_read(&engine->line);
    struct answer *answer = engine->answer;
    if (info.depth) answer->depth = info.depth < MAX_DEPTH ? info.depth : MAX_DEPTH;
    if (info.nodes) answer->nodes = info.nodes;
    if (info.scored) {
        answer->scored = true;
        answer->score = hub_score_read(info.score);
    }
    return HEARD_NOTHING;
}

static bool hub_read_move(struct engine *engine, const struct question *question, struct move *move,
                          struct error *error) {
    return move_from_hub(engine->settings.variant, question->legal, engine->move, move, error);
}

// ---- the text protocol

// "option name UCI_Variant type combo default chess var frisian var ...": its words are flags to hub_read.
static enum heard text_introduction(struct engine *engine) {
    const struct hub_line *line = &engine->line;
    if (!is_command(engine, "option") || line->count < 2 ||
        strcmp(line->arguments[1].name, "UCI_Variant") != 0 || find_option(engine, "UCI_Variant"))
        return HEARD_NOTHING;
    for (int i = 2; i < line->count; i++) {
        char *word = find_variant(engine, line->arguments[i].name);
        if (!word) continue;
        add_line(engine, "setoption name UCI_Variant value %s", word);
        free(word);
        return HEARD_NOTHING;
    }
    return refuse_variant(engine);
}

static bool text_configure(struct engine *engine) {
    for (int i = 0; i < engine->settings.option_count; i++) {
        const char *option = engine->settings.options[i], *value = strchr(option, '=');
        add_line(engine, "setoption name %.*s value %s", (int)(value - option), option, value + 1);
    }
    add_line(engine, "isready");
    return true;
}

static void text_add_position(struct engine *engine, const struct question *question) {
    const struct game *game = question->game;
    char fen[FEN_TEXT_SIZE], move[MOVE_TEXT_SIZE];
    position_to_fen(game->variant, &game->plies[0].position, fen);
    hub_begin(&engine->text, "position fen");
    hub_add_flag(&engine->text, fen);
    if (game->ply) hub_add_flag(&engine->text, "moves");
    for (int i = 0; i < game->ply; i++) {
        const struct position *position = &game->plies[i].position;
        game->variant->generate(position, engine->legal);
        move_to_text(game->variant, position, engine->legal, question->moves[i], move);
        hub_add_flag(&engine->text, move);
    }
    add_line(engine, "%s", engine->text.text);
}

static void text_ask(struct engine *engine, const struct player *player, const struct question *question) {
    text_add_position(engine, question);
    char go[SHOWN] = "go";
    const int64_t remaining = (int64_t)fmax(1000 * question->remaining, 1);
    const int64_t increment = (int64_t)(1000 * player->clock.increment);
    int length = 2;
    if (player->clock.seconds > 0)
        length =
            snprintf(go, sizeof go, "go wtime %" PRId64 " btime %" PRId64 " winc %" PRId64 " binc %" PRId64,
                     remaining, remaining, increment, increment);
    else if (player->limits.nodes)
        length = snprintf(go, sizeof go, "go nodes %" PRIu64, player->limits.nodes);
    else if (player->limits.depth)
        length = snprintf(go, sizeof go, "go depth %d", player->limits.depth);
    else
        length = snprintf(go, sizeof go, "go movetime %d", (int)fmax(1000 * player->limits.seconds, 1));
    if (question->moves_to_control)
        snprintf(go + length, sizeof go - (size_t)length, " movestogo %d", question->moves_to_control);
    add_line(engine, "%s", go);
}

// The number behind a word of the line.
static bool text_number(const struct hub_line *line, const char *name, double *number) {
    for (int i = 0; i + 1 < line->count; i++) {
        char *end;
        if (strcmp(line->arguments[i].name, name) != 0) continue;
        *number = strtod(line->arguments[i + 1].name, &end);
        return !*end && fabs(*number) < 1e18;
    }
    return false;
}

static enum heard text_reply(struct engine *engine) {
    const struct hub_line *line = &engine->line;
    struct answer *answer = engine->answer;
    double number;
    if (is_command(engine, "bestmove")) {
        keep_move(engine, line->count ? line->arguments[0].name : NULL);
        return HEARD_ALL;
    }
    if (!is_command(engine, "info")) return HEARD_NOTHING;
    if (text_number(line, "depth", &number)) answer->depth = (int)fmin(fmax(number, 0), MAX_DEPTH);
    if (text_number(line, "nodes", &number)) answer->nodes = (uint64_t)fmax(number, 0);
    if (text_number(line, "cp", &number)) {
        answer->scored = true;
        answer->score = (int)fmin(fmax(number, -SCORE_WIN), SCORE_WIN);
    } else if (text_number(line, "mate", &number) || text_number(line, "win", &number)) {
        answer->scored = true;
        answer->score = number > 0 ? SCORE_WIN : -SCORE_WIN;
    }
    return HEARD_NOTHING;
}

// "3228" and "322819" are squares of two digits each.
static bool are_pairs_of_digits(const char *text) {
    size_t length = 0;
    while (isdigit((unsigned char)text[length])) length++;
    return !text[length] && length >= 4 && length % 2 == 0;
}

static bool text_read_move(struct engine *engine, const struct question *question, struct move *move,
                           struct error *error) {
    char text[2 * MOVE_TEXT_SIZE];
    size_t length = 0;
    const bool pairs = are_pairs_of_digits(engine->move);
    for (size_t i = 0; engine->move[i]; i++) {
        if (pairs && i && i % 2 == 0) text[length++] = 'x';
        text[length++] = engine->move[i];
    }
    text[length] = '\0';
    return move_from_text(engine->settings.variant, game_position(question->game), question->legal, text,
                          move, error);
}

// ---- Hub and the text protocol

static const struct protocol protocols[ENGINE_PROTOCOL_COUNT] = {
    [ENGINE_HUB] =
        {
            .hello = "hub",
            .introduced = "wait",
            .ready = "ready",
            .new_game = "new-game\nping",
            .still_ready = "pong",
            .quit = "quit",
            .answer = "done",
            .refusal = "error",
            .introduction = hub_introduction,
            .configure = hub_configure,
            .ask = hub_ask,
            .reply = hub_reply,
            .read_move = hub_read_move,
        },
    [ENGINE_TEXT] =
        {
            .hello = "uci",
            .introduced = "uciok",
            .ready = "readyok",
            .new_game = "ucinewgame\nisready",
            .still_ready = "readyok",
            .quit = "quit",
            .answer = "bestmove",
            .introduction = text_introduction,
            .configure = text_configure,
            .ask = text_ask,
            .reply = text_reply,
            .read_move = text_read_move,
        },
};

// ---- DXP

// The failure is known already.
static void fail_over_dxp(struct engine *engine) {
    snprintf(engine->shown, sizeof engine->shown, "%s", dxp_link_chat(engine->link));
    add_evidence(engine);
    dxp_link_close(engine->link, false);
    count_failure(engine);
}

static struct dxp_link *new_link(const struct engine_settings *settings, struct error_lines *errors) {
    return dxp_link_new(&(struct dxp_link_settings){
        .command = settings->command,
        .folder = settings->folder,
        .address = settings->address,
        .calls = settings->calls,
        .variant = settings->variant,
        .errors = errors,
    });
}

static bool connect_over_dxp(struct engine *engine) {
    const double seconds = engine->settings.startup > 0 ? engine->settings.startup : CONNECT_SECONDS;
    if (dxp_link_open(engine->link, seconds, &engine->failure)) return true;
    if (!interrupted()) fail_over_dxp(engine);
    return false;
}

static bool begin_over_dxp(struct engine *engine, const struct player *player, const struct game *game,
                           enum side side) {
    const double clock = player->clock.seconds;
    const int minutes = clock > 0 ? (int)(clock / 60) : engine->settings.minutes;
    if (dxp_link_begin(engine->link, game, side, minutes, engine->settings.ready, &engine->failure))
        return true;
    if (!interrupted()) fail_over_dxp(engine);
    return false;
}

// The rules do not end the game here, so it has no other right than to resign.
static void judge_end(struct engine *engine, enum dxp_reason reason, struct answer *answer) {
    static const char *const names[] = {"without a result", "", "as a draw", "as its win"};
    answer->failure = reason == DXP_I_LOSE ? GAME_ADJUDICATED_WIN : GAME_ILLEGAL_MOVE;
    const char *chat = dxp_link_chat(engine->link);
    if (reason == DXP_I_LOSE)
        error_set(&engine->failure, "resigned");
    else
        error_set(&engine->failure, "ended the game %s instead of a move%s%s%s", names[reason],
                  *chat ? "; it said: \"" : "", chat, *chat ? "\"" : "");
}

// Ends the game of a program that is late, which may well go on after that.
static void end_late(struct engine *engine, const struct question *question, double waited, bool timed,
                     struct answer *answer) {
    const int result = position_turn(game_position(question->game)) == WHITE ? -1 : 1;
    struct error ignored;
    answer->failure = timed ? GAME_TIME : GAME_STALL;
    error_set(&engine->failure, "no move within %.4g s", waited);
    if (!dxp_link_end(engine->link, question, answer->failure, result, &ignored)) fail_over_dxp(engine);
}

static void describe_gone(struct engine *engine) {
    char how[SHOWN] = "the connection was closed";
    struct process *process = dxp_link_process(engine->link);
    if (process) process_describe_end(process, how, sizeof how);
    error_set(&engine->failure, "gone instead of a move (%s)", how);
}

static void think_over_dxp(struct engine *engine, const struct question *question, struct answer *answer) {
    const bool timed = isfinite(question->patience);
    const double patience = timed ? question->patience : engine->settings.stall;
    const struct wait wait = begin_wait(engine, patience);
    double arrived = wait.begun;
    enum dxp_reason reason = DXP_UNKNOWN;
    enum dxp_heard heard = dxp_link_think(engine->link, question, wait.deadline, &answer->move, &arrived,
                                          &reason, &engine->failure);
    if (heard == DXP_HEARD_LATE)
        heard = dxp_link_think(engine->link, question, extended(engine, &wait), &answer->move, &arrived,
                               &reason, &engine->failure);
    answer->seconds = fmax(arrived - wait.begun, 0);
    if (heard == DXP_HEARD_MOVE) {
        find_index(question, answer);
    } else if (interrupted()) {
        answer->failure = GAME_CRASH;
    } else if (heard == DXP_HEARD_ILLEGAL) {
        answer->failure = GAME_ILLEGAL_MOVE;
    } else if (heard == DXP_HEARD_END) {
        judge_end(engine, reason, answer);
    } else if (heard == DXP_HEARD_LATE) {
        end_late(engine, question, patience, timed, answer);
    } else {
        answer->failure = GAME_CRASH;
        if (heard == DXP_HEARD_GONE) describe_gone(engine);
        fail_over_dxp(engine);
    }
}

// ---- all

struct engine *engine_new(const struct engine_settings *settings) {
    struct engine *engine = memory_new(1, sizeof *engine);
    engine->settings = *settings;
    engine->protocol = &protocols[settings->protocol];
    engine->errors = error_lines_new(settings->log);
    if (settings->protocol == ENGINE_DXP) engine->link = new_link(settings, engine->errors);
    engine->given = memory_new((size_t)settings->option_count + 1, sizeof *engine->given);
    engine->legal = memory_new(1, sizeof *engine->legal);
    return engine;
}

void engine_free(struct engine *engine) {
    if (!engine) return;
    dxp_link_free(engine->link);
    if (engine->process) process_end(engine->process, engine->protocol->quit);
    error_lines_free(engine->errors);
    hub_line_free(&engine->line);
    hub_text_free(&engine->to_send);
    hub_text_free(&engine->text);
    free(engine->given);
    free(engine->legal);
    free(engine);
}

static bool start(struct engine *engine) {
    const struct engine_settings *settings = &engine->settings;
    engine->process = process_start(settings->command, settings->folder, &engine->failure);
    engine->hopeless = !engine->process;
    if (engine->hopeless) return false;
    process_log_errors(engine->process, engine->errors);
    engine->complaint[0] = '\0';
    engine->to_send.length = 0;
    add_line(engine, "%s", engine->protocol->hello);
    const double startup = settings->startup > 0 ? settings->startup : STARTUP_SECONDS;
    if (!exchange(engine, engine->protocol->hello, startup, hear_introduction)) return false;
    if (!engine->protocol->configure(engine)) {
        fail(engine, HEARD_WRONG, "", 0);
        return false;
    }
    return exchange(engine, "init", settings->ready, hear_ready);
}

static bool announce_game(struct engine *engine) {
    engine->complaint[0] = '\0';
    engine->to_send.length = 0;
    add_line(engine, "%s", engine->protocol->new_game);
    return exchange(engine, "new game", engine->settings.ready, hear_still_ready);
}

static bool runs(const struct engine *engine) {
    return engine->link ? dxp_link_is_open(engine->link) : engine->process != NULL;
}

// `error` says where all is that it wrote.
static bool give_up(const struct engine *engine, struct error *error) {
    const struct engine_settings *settings = &engine->settings;
    char *where = settings->log ? error_log_describe(settings->log) : memory_text("%s", "");
    error_set(error, "engine %s: failed %d times in a row%s%s%s, at last: %s", settings->name,
              engine->failures, *where ? " (" : "", where, *where ? ")" : "", engine->failure.text);
    free(where);
    return false;
}

bool engine_begin(struct engine *engine, const struct player *player, const struct game *game, enum side side,
                  struct error *error) {
    const struct engine_settings *settings = &engine->settings;
    if (engine->playing) engine->failures = 0;
    engine->playing = false;
    if (player->round) error_lines_label(engine->errors, player->round);
    while (!interrupted()) {
        if (engine->hopeless) return error_set(error, "engine %s: %s", settings->name, engine->failure.text);
        if (engine->failures >= settings->most_failures) return give_up(engine, error);
        if (!runs(engine) && !(engine->link ? connect_over_dxp(engine) : start(engine))) continue;
        engine->playing = engine->link ? begin_over_dxp(engine, player, game, side) : announce_game(engine);
        if (engine->playing) return true;
    }
    return error_set(error, "%s", "");
}

// Nobody waits for the answer any longer; it is wanted all the same, so that the program can go on.
static void stop_search(struct engine *engine, double waited) {
    engine->to_send.length = 0;
    add_line(engine, "stop");
    const struct wait wait = begin_wait(engine, STOP_SECONDS);
    const enum heard heard = send_and_listen(engine, &wait, engine->protocol->reply);
    if (heard == HEARD_ALL) {
        error_set(&engine->failure, "no move within %.4g s", waited);
        add_complaint(engine);
    } else {
        fail(engine, heard == HEARD_GONE ? heard : HEARD_LATE, "go", waited);
    }
}

static void take_answer(struct engine *engine, const struct question *question, struct answer *answer) {
    struct error cause = engine->unread;
    if (!*cause.text && engine->protocol->read_move(engine, question, &answer->move, &cause)) {
        find_index(question, answer);
        return;
    }
    answer->failure = GAME_ILLEGAL_MOVE;
    error_set(&engine->failure, "no legal move in \"%s\": %s", engine->shown, cause.text);
    add_complaint(engine);
}

static void think_over_pipes(struct engine *engine, const struct player *player,
                             const struct question *question, struct answer *answer) {
    engine->answer = answer;
    engine->shown[0] = '\0';
    engine->to_send.length = 0;
    engine->protocol->ask(engine, player, question);
    const bool timed = isfinite(question->patience);
    const double patience = timed ? question->patience : engine->settings.stall;
    const struct wait wait = begin_wait(engine, patience);
    const enum heard heard = send_and_listen(engine, &wait, engine->protocol->reply);
    // A line that was there before the question has taken no time.
    const double answered = heard == HEARD_ALL ? process_arrived(engine->process) : clock_seconds();
    answer->seconds = fmax(answered - wait.begun, 0);
    if (heard == HEARD_ALL) {
        take_answer(engine, question, answer);
    } else if (interrupted()) {
        answer->failure = GAME_CRASH;
    } else if (heard == HEARD_LATE) {
        answer->failure = timed ? GAME_TIME : GAME_STALL;
        stop_search(engine, patience);
    } else {
        answer->failure = heard == HEARD_FLOOD ? GAME_STALL : GAME_CRASH;
        fail(engine, heard, "go", patience);
    }
}

void engine_think(struct engine *engine, const struct player *player, const struct question *question,
                  struct answer *answer) {
    *answer = (struct answer){.failure = GAME_GOES_ON};
    if (engine->link)
        think_over_dxp(engine, question, answer);
    else
        think_over_pipes(engine, player, question, answer);
    if (answer->failure != GAME_GOES_ON)
        error_set(&answer->reason, "engine %s: %s", engine->settings.name, engine->failure.text);
}

// The next game needs a new connection when the end of this one is not acknowledged; that is no failure of a
// program that has played.
void engine_end(struct engine *engine, const struct question *question, enum termination end, int result,
                struct error *remark) {
    if (!engine->link || !dxp_link_is_open(engine->link)) return;
    if (!dxp_link_end(engine->link, question, end, result, remark)) dxp_link_close(engine->link, false);
    if (*remark->text) error_prefix(remark, "engine %s", engine->settings.name);
}
