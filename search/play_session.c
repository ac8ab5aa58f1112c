// play_session.c -- takes turns: a person's line is a command or a move, the engine's turn is a search.
#include "search/play_session.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "core/notation.h"
#include "core/support/file.h"
#include "core/support/memory.h"
#include "core/support/options.h"
#include "search/board_view.h"
#include "search/keyboard.h"
#include "search/move_input.h"

// A hint and the answer to an offer are searches of full strength. Nodes cut them short, so that on one
// thread they are the same on every machine.
enum { HINT_NODES = 1000000, OFFER_NODES = 300000 };

// The engine takes a draw when it is worse off by half a man, or no better off after so many plies.
enum { DRAW_PLIES = 40, WORSE_OFF = -50 };

enum { LINE_WIDTH = 78 };

struct session {
    struct play_settings *settings;
    const struct variant *variant;
    struct board_view view;
    bool terminal;  // both to read from and to write to
    struct keyboard keyboard;
    FILE *out;

    struct search *search;
    struct random random;
    struct move_list *legal;  // of the position now

    struct pdn_game record;
    struct game game;  // the same
    int saved_plies;   // of the record, as far as a file has them

    bool warned;  // the last thing typed was Ctrl-C
    bool quit;
};

// ---- who is who ----

static const char *name_of(const struct session *s, enum side side) {
    return board_view_side(&s->view, side);
}

static enum side turn(const struct session *s) { return position_turn(game_position(&s->game)); }

static bool has_engine(const struct session *s) {
    return s->settings->engine[WHITE] || s->settings->engine[BLACK];
}

static bool is_over(const struct session *s) { return s->record.result != PDN_UNKNOWN; }

static bool engine_to_move(const struct session *s) { return !is_over(s) && s->settings->engine[turn(s)]; }

static void say(const struct session *s, const struct error *error) { fprintf(s->out, "%s\n", error->text); }

// ---- the board ----

static bitboard last_move(const struct session *s) {
    if (!s->record.ply_count) return 0;
    const struct move move = s->record.plies[s->record.ply_count - 1].move;
    return square_bit(move.from) | square_bit(move.to);
}

static void draw_board(const struct session *s) {
    fputc('\n', s->out);
    board_view_draw(&s->view, game_position(&s->game), last_move(s), s->out);
    fputc('\n', s->out);
}

static bool shows_boards(const struct session *s) { return isatty(fileno(s->out)) && !s->settings->quiet; }

static void show_board(const struct session *s) {
    if (shows_boards(s)) draw_board(s);
}

static void move_text(const struct session *s, struct move move, char text[static MOVE_TEXT_SIZE]) {
    move_to_text(s->variant, game_position(&s->game), s->legal, move, text);
}

// ---- how a game ends ----

static int plies_each(int plies) { return (plies + 1) / 2; }

static void print_reason(const struct session *s, enum termination end) {
    const struct draw_rules *draws = &s->game.draws;
    switch (end) {
    case GAME_NO_PIECES: fprintf(s->out, "%s has no pieces left", name_of(s, turn(s))); return;
    case GAME_BLOCKED: fprintf(s->out, "%s cannot move", name_of(s, turn(s))); return;
    case GAME_REPETITION:
        fprintf(s->out, "the same position for the %d%s time", draws->repetitions,
                draws->repetitions == 3 ? "rd" : "th");
        return;
    case GAME_NO_PROGRESS:
        fprintf(s->out, "%d moves each without a capture or %s", plies_each(draws->no_progress_plies),
                draws->progress == PROGRESS_CAPTURE_OR_CROWNING ? "a new king" : "a man's move");
        return;
    case GAME_BALANCE: fputs("the moves that the rules allow for this ending are used up", s->out); return;
    default: fputs(termination_names[end], s->out);
    }
}

static void print_result(const struct session *s) {
    if (s->record.result == PDN_DRAW)
        fputs("The game is a draw", s->out);
    else
        fprintf(s->out, "%s wins", name_of(s, s->record.result == PDN_WHITE_WINS ? WHITE : BLACK));
}

static void offer_another(const struct session *s) {
    fputs("\"new\" begins another game, \"save FILE\" keeps this one, \"undo\" goes back, \"quit\" ends.\n",
          s->out);
}

// After every change of the position: what can be played, and is it over by the rules?
static void look_at_position(struct session *s) {
    int result;
    s->variant->generate(game_position(&s->game), s->legal);
    const enum termination end = game_over(&s->game, &result);
    if (end == GAME_GOES_ON) return;
    s->record.result = (enum pdn_result)result;
    s->record.termination = end;
    print_result(s);
    fputs(": ", s->out);
    print_reason(s, end);
    fputs(".\n", s->out);
    offer_another(s);
}

// By the will of the players, which the record's last comment tells.
static void end_game(struct session *s, enum pdn_result result, const char *comment) {
    s->record.result = result;
    pdn_set_comment(&s->record, comment, strlen(comment));
    print_result(s);
    fputs(".\n", s->out);
    offer_another(s);
}

static bool ended_by_players(const struct session *s) {
    return is_over(s) && s->record.termination == GAME_GOES_ON;
}

// Makes an end that was reached undone.
static void reopen(struct session *s) {
    if (ended_by_players(s)) pdn_set_comment(&s->record, "", 0);
    s->record.result = PDN_UNKNOWN;
    s->record.termination = GAME_GOES_ON;
}

// ---- moves ----

static void play(struct session *s, struct move move) {
    pdn_add_move(&s->record, move, NULL);
    game_play(&s->game, move);
    if (!engine_to_move(s)) show_board(s);
    look_at_position(s);
}

static void take_back(struct session *s) {
    free(s->record.plies[--s->record.ply_count].comment);
    game_undo(&s->game);
    if (s->saved_plies > s->record.ply_count) s->saved_plies = 0;
}

// ---- the engine ----

struct thought {
    struct session *session;
    const struct search_limits *limits;  // NULL: as the level says
    struct search_result result;
};

static void think(void *context, const atomic_bool *stop) {
    struct thought *t = context;
    struct session *s = t->session;
    // The levels that choose at random are to do the same with the same seed, which several threads would
    // not.
    const bool repeatable = !t->limits && s->settings->level != LEVEL_HARD;
    search_set_threads(s->search, repeatable ? 1 : s->settings->threads);
    if (t->limits)
        search_think(s->search, &s->game, t->limits, stop, NULL, NULL, &t->result);
    else
        level_think(s->settings->level, s->search, &s->game, s->settings->seconds, &s->random, stop,
                    &t->result);
}

// Ctrl-C is content with what was found until then. False when the program is asked to end.
static bool find_move(struct session *s, const struct search_limits *limits, struct search_result *result) {
    struct thought t = {.session = s, .limits = limits};
    fflush(s->out);
    s->quit = keyboard_during(&s->keyboard, think, &t) == KEYBOARD_END;
    *result = t.result;
    return !s->quit;
}

static void engine_turn(struct session *s) {
    struct search_result result;
    char text[MOVE_TEXT_SIZE];
    const bool long_wait = s->settings->level == LEVEL_HARD && s->settings->seconds >= 1;
    if (s->terminal && long_wait) fputs("huff thinks (Ctrl-C: it moves at once) ...\n", s->out);
    if (!find_move(s, NULL, &result)) return;
    move_text(s, result.best, text);
    fprintf(s->out, "huff plays %s\n", text);
    play(s, result.best);
}

// ---- a game ----

static void print_player(const struct session *s, enum side side) {
    const char *who = s->settings->engine[side] ? "huff" : has_engine(s) ? "you" : "a person";
    fprintf(s->out, "%s: %s", name_of(s, side), who);
    if (!s->settings->engine[side]) return;
    fprintf(s->out, " (%s", level_names[s->settings->level]);
    if (s->settings->level == LEVEL_HARD) fprintf(s->out, ", %g s a move", s->settings->seconds);
    fputc(')', s->out);
}

static void introduce(struct session *s) {
    const enum side first = turn(s);
    fprintf(s->out, "%s. ", s->variant->name);
    print_player(s, first);
    fputs(", ", s->out);
    print_player(s, other_side(first));
    fprintf(s->out, ". %s %s.\n", name_of(s, first), s->game.ply ? "is to move" : "begins");
    if (shows_boards(s)) board_view_explain(&s->view, s->out);
    show_board(s);
    look_at_position(s);
}

static void set_players(struct session *s) {
    char name[64], date[16];
    const time_t now = time(NULL);
    struct tm day;
    strftime(date, sizeof date, "%Y.%m.%d", localtime_r(&now, &day));
    pdn_set_tag(&s->record, "Date", date);
    snprintf(name, sizeof name, "huff %s (%s)", HUFF_VERSION, level_names[s->settings->level]);
    if (!has_engine(s)) return;
    pdn_set_tag(&s->record, "White", s->settings->engine[WHITE] ? name : "Player");
    pdn_set_tag(&s->record, "Black", s->settings->engine[BLACK] ? name : "Player");
}

static void begin(struct session *s, struct pdn_game record) {
    s->record = record;
    s->saved_plies = record.ply_count;
    game_init(&s->game, s->variant, NULL, &record.start);
    for (int i = 0; i < record.ply_count; i++) game_play(&s->game, record.plies[i].move);
    search_clear(s->search);
    if (!record.ply_count) set_players(s);
    introduce(s);
}

static void put_away(struct session *s) {
    game_free(&s->game);
    pdn_game_free(&s->record);
}

// ---- what people type ----

static const char *prompt_line(struct session *s, const char *prompt) {
    const char *line;
    for (;;) {
        if (s->terminal) fputs(prompt, s->out);
        fflush(s->out);
        const enum keyboard_event event = keyboard_line(&s->keyboard, &line);
        const bool again = event == KEYBOARD_INTERRUPT && s->warned;
        s->warned = event == KEYBOARD_INTERRUPT;
        if (event == KEYBOARD_LINE) return line;
        if (event == KEYBOARD_END || again) {
            if (s->terminal) fputc('\n', s->out);
            s->quit = true;
            return NULL;
        }
        if (event == KEYBOARD_TOO_LONG)
            fprintf(s->out, "a line of more than %d bytes is no move\n", KEYBOARD_LINE_LIMIT);
        else
            fprintf(s->out, "%sCtrl-C again, or \"quit\", ends; \"save FILE\" keeps the game\n",
                    s->terminal ? "\n" : "");
    }
}

static bool agrees(struct session *s, const char *question) {
    char *prompt = memory_text("%s [y/N] ", question);
    const char *line = prompt_line(s, prompt);
    free(prompt);
    return line && (line[strspn(line, " \t")] == 'y' || line[strspn(line, " \t")] == 'Y');
}

// ---- commands; each gets what stands after its name, "" for nothing ----

static void show_moves(struct session *s, const char *argument) {
    char text[MOVE_TEXT_SIZE], captures[CAPTURES_TEXT_SIZE];
    size_t column = 0;
    (void)argument;
    for (int i = 0; i < s->legal->count; i++) {
        const struct move move = s->legal->moves[i];
        move_text(s, move, text);
        move_captures_to_text(s->variant, move, captures);
        const size_t width = strlen(text) + strlen(captures) + 2;
        const bool wraps = column && column + width > LINE_WIDTH;
        fprintf(s->out, "%s%s%s", wraps ? ",\n" : column ? ", " : "", text, captures);
        column = wraps ? width : column + width;
    }
    fputs(s->legal->count ? "\n" : "there is no legal move\n", s->out);
}

static void draw_again(struct session *s, const char *argument) {
    (void)argument;
    draw_board(s);
}

static void flip_board(struct session *s, const char *argument) {
    s->view.below = other_side(s->view.below);
    draw_again(s, argument);
}

// Back to where a person was to move; players who ended the game themselves go on with it.
static void undo(struct session *s, const char *argument) {
    (void)argument;
    if (ended_by_players(s)) {
        reopen(s);
        fputs("The game goes on.\n", s->out);
        return;
    }
    int ply = s->game.ply - 1;
    while (ply >= 0 && s->settings->engine[position_turn(&s->game.plies[ply].position)]) ply--;
    if (ply < 0) {
        fputs("there is no move of yours to take back\n", s->out);
        return;
    }
    reopen(s);
    while (s->game.ply > ply) take_back(s);
    fprintf(s->out, "%s is to move again.\n", name_of(s, turn(s)));
    show_board(s);
    look_at_position(s);
}

static void print_score(const struct session *s, int score) {
    if (score >= SCORE_WIN_FROM)
        fprintf(s->out, "win in %d", SCORE_WIN - score);
    else if (score <= -SCORE_WIN_FROM)
        fprintf(s->out, "loss in %d", SCORE_WIN + score);
    else
        fprintf(s->out, "%+.2f men", score / 100.0);
}

static void hint(struct session *s, const char *argument) {
    const struct search_limits limits = {.nodes = HINT_NODES};
    struct search_result result;
    char text[MOVE_TEXT_SIZE];
    (void)argument;
    if (!find_move(s, &limits, &result)) return;
    move_text(s, result.best, text);
    fprintf(s->out, "I would play %s", text);
    if (s->legal->count == 1) {
        fputs(", the only move\n", s->out);
        return;
    }
    fputs(" (", s->out);
    print_score(s, result.score);
    fputs(")\n", s->out);
}

static void resign(struct session *s, const char *argument) {
    (void)argument;
    fprintf(s->out, "%s resigns. ", name_of(s, turn(s)));
    end_game(s, turn(s) == WHITE ? PDN_BLACK_WINS : PDN_WHITE_WINS, "resigned");
}

static bool engine_takes_draw(struct session *s) {
    const struct search_limits limits = {.nodes = OFFER_NODES, .analysis = true};
    struct search_result result;
    if (!find_move(s, &limits, &result)) return false;
    const int score = -result.score;  // a person is to move
    return score <= WORSE_OFF || (score <= 0 && s->game.ply >= DRAW_PLIES);
}

static void offer_draw(struct session *s, const char *argument) {
    (void)argument;
    char question[64];
    snprintf(question, sizeof question, "%s, do you take the draw?", name_of(s, other_side(turn(s))));
    const bool taken = has_engine(s) ? engine_takes_draw(s) : agrees(s, question);
    if (s->quit) return;
    fputs(taken ? "Agreed. " : "The draw is declined.\n", s->out);
    if (taken) end_game(s, PDN_DRAW, "agreed");
}

static void save(struct session *s, const char *path) {
    struct error error;
    if (!*path) {
        fputs("save where? \"save FILE\" writes the game to FILE as PDN\n", s->out);
        return;
    }
    char *name = memory_text("%s", path);  // a question reads another line
    char *question = memory_text("There is a %s: replace it?", name);
    if (!file_exists(name) || agrees(s, question)) {
        char *text = pdn_game_to_text(&s->record, PDN_LEFT_DEFAULT);
        if (file_replace(name, text, strlen(text), &error)) {
            s->saved_plies = s->record.ply_count;
            fprintf(s->out, "saved to %s\n", name);
        } else {
            say(s, &error);
        }
        free(text);
    } else if (!s->quit) {
        fputs("not saved\n", s->out);
    }
    free(question);
    free(name);
}

static void show_fen(struct session *s, const char *argument) {
    (void)argument;
    char fen[FEN_TEXT_SIZE];
    position_to_fen(s->variant, game_position(&s->game), fen);
    fprintf(s->out, "%s\n", fen);
}

static void change_level(struct session *s, const char *argument) {
    struct error error;
    if (!has_engine(s)) {
        fputs("two people play, the engine does not\n", s->out);
        return;
    }
    if (!level_find(argument, &s->settings->level, &error)) {
        error_prefix(&error, "level");
        say(s, &error);
        return;
    }
    set_players(s);
    fprintf(s->out, "huff plays %s from now on\n", level_names[s->settings->level]);
}

static void begin_another(struct session *s, const char *argument) {
    (void)argument;
    struct pdn_game record;
    pdn_game_init(&record, s->variant, NULL);
    put_away(s);
    begin(s, record);
}

static void swap_sides(struct session *s, const char *argument) {
    (void)argument;
    bool *engine = s->settings->engine;
    if (!has_engine(s)) {
        fputs("two people play, the engine does not\n", s->out);
        return;
    }
    for (int side = WHITE; side <= BLACK; side++) engine[side] = !engine[side];
    if (!s->settings->common) s->view.below = engine[BLACK] ? WHITE : BLACK;
    set_players(s);
    fprintf(s->out, "You are %s now.\n", name_of(s, engine[BLACK] ? WHITE : BLACK));
    show_board(s);
}

static void quit(struct session *s, const char *argument) {
    (void)argument;
    s->quit = true;
}

static void help(struct session *s, const char *argument);

static const struct command_line {
    const char *name, *other, *argument, *summary;
    void (*obey)(struct session *, const char *argument);
    bool while_playing;  // only
} commands[] = {
    {"moves", "m", "", "list the legal moves", show_moves, true},
    {"hint", "h", "", "what the engine would play", hint, true},
    {"undo", "u", "", "take back your last move", undo, false},
    {"board", "b", "", "draw the board", draw_again, false},
    {"flip", "f", "", "turn the board round", flip_board, false},
    {"draw", NULL, "", "offer a draw", offer_draw, true},
    {"resign", NULL, "", "give the game up", resign, true},
    {"swap", NULL, "", "change sides with the engine", swap_sides, false},
    {"level", "l", "NAME", "let the engine play easy, medium or hard", change_level, false},
    {"save", "s", "FILE", "write the game to a file as PDN", save, false},
    {"fen", NULL, "", "the position as a line of text", show_fen, false},
    {"new", "n", "", "begin another game", begin_another, false},
    {"help", "?", "", "this list", help, false},
    {"quit", "q", "", "end", quit, false},
};
enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

static void help(struct session *s, const char *argument) {
    (void)argument;
    char example[MOVE_TEXT_SIZE] = "";
    if (s->legal->count) move_text(s, s->legal->moves[0], example);
    fputs("A move is typed as its first and its last square", s->out);
    fprintf(s->out, *example ? ", for example %s. Beside moves:\n" : ".%s Beside moves:\n", example);
    for (int i = 0; i < COMMAND_COUNT; i++) {
        const struct command_line *c = &commands[i];
        char name[32];
        snprintf(name, sizeof name, "%s %s", c->name, c->argument);
        fprintf(s->out, "  %-12s %-3s %s\n", name, c->other ? c->other : "", c->summary);
    }
    board_view_explain(&s->view, s->out);
}

// ---- a person's turn ----

static const struct command_line *find_command(const char *word, size_t length) {
    for (int i = 0; i < COMMAND_COUNT; i++) {
        const char *names[] = {commands[i].name, commands[i].other};
        for (int n = 0; n < 2; n++)
            if (names[n] && strlen(names[n]) == length && !strncasecmp(word, names[n], length))
                return &commands[i];
    }
    return NULL;
}

static void obey_move(struct session *s, const char *text) {
    struct move move;
    struct error error;
    if (move_input_read(s->variant, game_position(&s->game), s->legal, text, &move, &error))
        play(s, move);
    else
        say(s, &error);
}

static void obey(struct session *s, char *text) {
    const size_t length = strcspn(text, " \t");
    const struct command_line *command = find_command(text, length);
    const bool move = !command && move_input_meant(text);
    if (!command && !move)
        fprintf(s->out, "\"%s\" is neither a move nor a command; \"help\" lists what there is\n",
                error_quote(text, strlen(text)).text);
    else if (is_over(s) && (move || command->while_playing))
        fputs("the game is over; \"new\" begins another\n", s->out);
    else if (move)
        obey_move(s, text);
    else
        command->obey(s, text + length + strspn(text + length, " \t"));
}

static void person_turn(struct session *s) {
    char prompt[32];
    snprintf(prompt, sizeof prompt, "%s> ", is_over(s) ? "huff" : name_of(s, turn(s)));
    const char *line = prompt_line(s, prompt);
    if (!line) return;
    char *text = memory_text("%s", line + strspn(line, " \t\r"));
    size_t length = strlen(text);
    while (length && strchr(" \t\r", text[length - 1])) text[--length] = '\0';
    if (*text) obey(s, text);
    free(text);
}

// ---- the session ----

// What is lost is told how to be had again.
static void say_goodbye(const struct session *s) {
    char fen[FEN_TEXT_SIZE];
    if (is_over(s) || s->saved_plies == s->record.ply_count) return;
    position_to_fen(s->variant, game_position(&s->game), fen);
    fprintf(s->out, "To go on from here: huff play --variant %s --fen %s\n", s->variant->name, fen);
}

static void set_view(struct session *s) {
    s->view = board_view_for(s->variant, s->settings->common, s->out);
    if (!s->settings->common) s->view.below = s->settings->turned ? BLACK : WHITE;
}

bool play_session(struct play_settings *settings, int in, FILE *out, struct error *error) {
    struct session s = {
        .settings = settings,
        .variant = settings->game.variant,
        .terminal = isatty(in) && isatty(fileno(out)),
        .out = out,
        .random = random_stream(settings->seed, 0),
    };
    s.search = search_new(s.variant, settings->weights, (size_t)settings->hash_megabytes);
    if (!s.search) return error_set(error, "--hash: no memory for %d megabytes", settings->hash_megabytes);
    if (!keyboard_open(&s.keyboard, in, error)) {
        search_free(s.search);
        return false;
    }
    s.legal = memory_new(1, sizeof *s.legal);
    set_view(&s);
    begin(&s, settings->game);
    while (!s.quit) {
        if (engine_to_move(&s))
            engine_turn(&s);
        else
            person_turn(&s);
    }
    say_goodbye(&s);
    put_away(&s);
    free(s.legal);
    keyboard_close(&s.keyboard);
    search_free(s.search);
    return true;
}
