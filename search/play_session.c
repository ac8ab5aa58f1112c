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
#include "search/play_seats.h"

// A hint and the answer to an offer are searches of full strength. Nodes cut them short, so that on one
// thread they are the same on every machine.
enum { HINT_NODES = 1000000, OFFER_NODES = 300000 };

// PLAY_DRAW_RULE.
enum { WORSE_OFF = -50, HARDLY_BETTER = 10, NO_WIN = 99, DRAW_PLIES = 40, FEW_PIECES = 8 };

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

    struct move *undone;  // what "redo" plays again, the last first
    int undone_count;

    char *pending;  // a line that was read and is to be obeyed; NULL: none
    bool warned;    // the last thing typed was Ctrl-C
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

// Breaks lines between words.
static void say_wrapped(const struct session *s, const char *text) {
    size_t column = 0;
    while (*text) {
        const size_t length = strcspn(text, " ");
        const bool wraps = column && column + 1 + length > LINE_WIDTH;
        fprintf(s->out, "%s%.*s", wraps ? "\n" : column ? " " : "", (int)length, text);
        column = wraps || !column ? length : column + 1 + length;
        text += length + strspn(text + length, " ");
    }
    fputc('\n', s->out);
}

// ---- the board ----

static bitboard last_move(const struct session *s) {
    if (!s->record.ply_count) return 0;
    const struct move move = s->record.plies[s->record.ply_count - 1].move;
    return square_bit(move.from) | square_bit(move.to);
}

static void draw_board(struct session *s) {
    board_view_fit(&s->view, s->out);
    fputc('\n', s->out);
    board_view_draw(&s->view, game_position(&s->game), last_move(s), s->out);
    fputc('\n', s->out);
}

static bool shows_boards(const struct session *s) { return isatty(fileno(s->out)) && !s->settings->quiet; }

static void show_board(struct session *s) {
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
    switch (s->record.result) {
    case PDN_DRAW: fputs("The game is a draw", s->out); return;
    case PDN_BOTH_LOSE: fputs("Both sides lose", s->out); return;
    default: fprintf(s->out, "%s wins", name_of(s, s->record.result == PDN_WHITE_WINS ? WHITE : BLACK));
    }
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

#define RESIGNED "resigned"
#define AGREED   "agreed"

// By the will of the players, which the record's last comment tells.
static void end_game(struct session *s, enum pdn_result result, const char *comment) {
    s->record.result = result;
    pdn_set_comment(&s->record, comment, strlen(comment));
    print_result(s);
    fputs(".\n", s->out);
    offer_another(s);
}

static bool ended_by_players(const struct session *s) {
    int result;
    return is_over(s) && game_over(&s->game, &result) == GAME_GOES_ON;
}

// Is the last comment what we say about an end?
static bool comment_tells_end(const struct pdn_game *record) {
    const int count = record->ply_count;
    const char *comment = count ? record->plies[count - 1].comment : record->comment;
    return comment && (!strcmp(comment, RESIGNED) || !strcmp(comment, AGREED));
}

// Of a game that was over when it was read, and not by the rules: as its record says, "" where it does not.
static const char *told_reason(const struct pdn_game *record) {
    enum pdn_result result;
    enum termination termination;
    const char *tag = pdn_tag(record, "Termination");
    const char *reason = tag ? pdn_termination_from_text(tag, &result, &termination) : "";
    if (record->termination != GAME_GOES_ON) return termination_names[record->termination];
    if (*reason || !comment_tells_end(record)) return reason;
    return record->result == PDN_DRAW ? AGREED : RESIGNED;
}

static void tell_old_end(const struct session *s) {
    const char *reason = told_reason(&s->record);
    print_result(s);
    fprintf(s->out, "%s%s.\n", *reason ? ": " : "", error_quote(reason, strlen(reason)).text);
    offer_another(s);
}

// Makes an end that was reached undone.
static void reopen(struct session *s) {
    if (ended_by_players(s) && comment_tells_end(&s->record)) pdn_set_comment(&s->record, "", 0);
    if (pdn_tag(&s->record, "Termination")) pdn_set_tag(&s->record, "Termination", "");
    s->record.result = PDN_UNKNOWN;
    s->record.termination = GAME_GOES_ON;
}

// ---- moves ----

static void play(struct session *s, struct move move) {
    play_seats_write(s->settings, &s->record);
    pdn_add_move(&s->record, move, NULL);
    game_play(&s->game, move);
    if (!engine_to_move(s)) show_board(s);
    look_at_position(s);
}

static void take_back(struct session *s) {
    struct pdn_ply *last = &s->record.plies[--s->record.ply_count];
    s->undone = memory_grow(s->undone, (size_t)s->undone_count + 1, sizeof *s->undone);
    s->undone[s->undone_count++] = last->move;
    free(last->comment);
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
    s->undone_count = 0;
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

static void explain_names(const struct session *s) {
    if (s->settings->common && s->variant->rules->starts == WHITE)
        fputs("(On the common board the side that begins is Black; in FEN and PDN it is White.)\n", s->out);
}

static void introduce(struct session *s) {
    const enum side first = turn(s);
    fprintf(s->out, "%s. ", s->variant->name);
    print_player(s, first);
    fputs(", ", s->out);
    print_player(s, other_side(first));
    if (is_over(s))
        fputs(". The game is over.\n", s->out);
    else
        fprintf(s->out, ". %s %s.\n", name_of(s, first), s->game.ply ? "is to move" : "begins");
    explain_names(s);
    if (shows_boards(s)) board_view_explain(&s->view, s->out);
    show_board(s);
    if (ended_by_players(s)) tell_old_end(s);
    look_at_position(s);
}

static void set_date(struct session *s) {
    char date[16];
    const time_t now = time(NULL);
    struct tm day;
    strftime(date, sizeof date, "%Y.%m.%d", localtime_r(&now, &day));
    pdn_set_tag(&s->record, "Date", date);
}

static void begin(struct session *s, struct pdn_game record) {
    s->record = record;
    s->saved_plies = record.ply_count;
    s->undone_count = 0;
    game_init(&s->game, s->variant, NULL, &record.start);
    for (int i = 0; i < record.ply_count; i++) game_play(&s->game, record.plies[i].move);
    search_clear(s->search);
    struct play_seats before;
    const bool fresh = !record.ply_count && !record.tag_count;
    if (fresh) set_date(s);
    if (fresh || play_seats_read(&record, &before)) play_seats_write(s->settings, &s->record);
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

// The line without the blanks around it, to be freed; NULL at the end.
static char *read_line(struct session *s, const char *prompt) {
    const char *line = prompt_line(s, prompt);
    if (!line) return NULL;
    char *text = memory_text("%s", line + strspn(line, " \t\r"));
    size_t length = strlen(text);
    while (length && strchr(" \t\r", text[length - 1])) text[--length] = '\0';
    return text;
}

static bool is_yes(const char *text) { return !strcasecmp(text, "y") || !strcasecmp(text, "yes"); }

static bool is_no(const char *text) { return !*text || !strcasecmp(text, "n") || !strcasecmp(text, "no"); }

// Only on a terminal: elsewhere nobody would know that the next line is an answer.
static bool agrees(struct session *s, const char *question) {
    if (!s->terminal) return false;
    char *prompt = memory_text("%s [y/N] ", question);
    char *answer = read_line(s, prompt);
    const bool yes = answer && is_yes(answer);
    free(prompt);
    free(answer);
    return yes;
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

// Plays what "undo" took back, up to where a person is to move.
static void redo(struct session *s, const char *argument) {
    (void)argument;
    if (!s->undone_count) {
        fputs("there is no move to play again\n", s->out);
        return;
    }
    do {
        char text[MOVE_TEXT_SIZE];
        const struct move move = s->undone[--s->undone_count];
        move_text(s, move, text);
        fprintf(s->out, "%s plays %s again\n", name_of(s, turn(s)), text);
        play(s, move);
    } while (s->undone_count && engine_to_move(s));
}

static void list_moves(struct session *s, const char *argument) {
    struct move_list *legal = memory_new(1, sizeof *legal);
    const enum side starts = s->variant->rules->starts;
    const int skipped = position_turn(&s->game.plies[0].position) != starts;
    size_t column = 0;
    (void)argument;
    for (int i = 0; i < s->record.ply_count; i++) {
        const struct position *p = &s->game.plies[i].position;
        const int ply = i + skipped;
        char move[MOVE_TEXT_SIZE], text[MOVE_TEXT_SIZE + 32], number[16] = "";
        s->variant->generate(p, legal);
        move_to_text(s->variant, p, legal, s->record.plies[i].move, move);
        if (ply % 2 == 0 || i == 0)
            snprintf(number, sizeof number, "%d%s ", 1 + ply / 2, ply % 2 ? "..." : ".");
        const size_t width = (size_t)snprintf(text, sizeof text, "%s%s", number, move) + 1;
        const bool wraps = column && column + width > LINE_WIDTH;
        fprintf(s->out, "%s%s", wraps ? "\n" : column ? " " : "", text);
        column = wraps ? width : column + width;
    }
    fputs(s->record.ply_count ? "\n" : "no move has been played\n", s->out);
    free(legal);
}

static void print_score(const struct session *s, int score) {
    if (score >= SCORE_WIN_FROM)
        fprintf(s->out, "win in %d plies", SCORE_WIN - score);
    else if (score <= -SCORE_WIN_FROM)
        fprintf(s->out, "loss in %d plies", SCORE_WIN + score);
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
    if (!result.depth) {
        fputs(" at a guess: the search did not get so far as to know anything\n", s->out);
        return;
    }
    fputs(" (", s->out);
    print_score(s, result.score);
    fputs(")\n", s->out);
}

static void resign(struct session *s, const char *argument) {
    (void)argument;
    fprintf(s->out, "%s resigns. ", name_of(s, turn(s)));
    end_game(s, turn(s) == WHITE ? PDN_BLACK_WINS : PDN_WHITE_WINS, RESIGNED);
}

// The most that the engine may be better off and still take a draw.
static int draw_margin(const struct session *s) {
    const struct position *p = game_position(&s->game);
    const int pieces = bits_count(p->pieces[WHITE] | p->pieces[BLACK]);
    const int keeps = eval_scale(s->variant, p, other_side(turn(s)));
    if (keeps == 1) return NO_WIN;
    return s->game.ply >= DRAW_PLIES || pieces <= FEW_PIECES || keeps < 8 ? HARDLY_BETTER : WORSE_OFF;
}

static bool engine_takes_draw(struct session *s) {
    const struct search_limits limits = {.nodes = OFFER_NODES, .analysis = true};
    struct search_result result;
    if (!find_move(s, &limits, &result) || !result.depth) return false;
    return -result.score <= draw_margin(s);  // a person is to move
}

// The other person's answer. Who says neither yes nor no but goes on declines by that.
static bool opponent_takes_draw(struct session *s) {
    char *question = memory_text("%s, do you take the draw? [y/N] ", name_of(s, other_side(turn(s))));
    if (!s->terminal) fprintf(s->out, "%s\n", question);
    char *answer = read_line(s, question);
    free(question);
    const bool taken = answer && is_yes(answer);
    if (answer && !taken && !is_no(answer))
        s->pending = answer;
    else
        free(answer);
    return taken;
}

static void offer_draw(struct session *s, const char *argument) {
    (void)argument;
    const bool taken = has_engine(s) ? engine_takes_draw(s) : opponent_takes_draw(s);
    if (s->quit) return;
    fputs(taken ? "Agreed. " : "The draw is declined.\n", s->out);
    if (taken) end_game(s, PDN_DRAW, AGREED);
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
        fprintf(s->out, s->terminal ? "not saved\n" : "not saved: there is a %s already\n", name);
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
    play_seats_write(s->settings, &s->record);
    fprintf(s->out, "huff plays %s from now on\n", level_names[s->settings->level]);
}

// A game that would be lost: it is going on and not in a file as far as it is played.
static bool is_unsaved(const struct session *s) {
    return !is_over(s) && s->saved_plies != s->record.ply_count;
}

static void begin_another(struct session *s, const char *argument) {
    (void)argument;
    struct pdn_game record;
    if (is_unsaved(s) && !agrees(s, "Drop the game that is going on?")) {
        if (s->quit) return;
        fputs(s->terminal ? "The game goes on.\n"
                          : "The game goes on: \"save FILE\" or \"resign\" comes before \"new\".\n",
              s->out);
        return;
    }
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
    play_seats_write(s->settings, &s->record);
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
    {"redo", "r", "", "play again what was taken back", redo, true},
    {"list", NULL, "", "the moves of the game so far", list_moves, false},
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

static void explain_moves(const struct session *s) {
    char example[MOVE_TEXT_SIZE] = "";
    if (s->legal->count) move_text(s, s->legal->moves[0], example);
    char *text = memory_text(
        "A move is typed as its first and its last square%s%s; %s. Where several captures have the same "
        "ends, "
        "the squares between tell them apart. The first square alone shows where its piece may go. Beside "
        "moves:",
        *example ? ", for example " : "", example,
        s->variant->rules->names == NUMERIC ? "\"9 13\" will do for \"9-13\""
                                            : "\"c3d4\" will do for \"c3-d4\"");
    say_wrapped(s, text);
    free(text);
}

static void help(struct session *s, const char *argument) {
    (void)argument;
    explain_moves(s);
    for (int i = 0; i < COMMAND_COUNT; i++) {
        const struct command_line *c = &commands[i];
        char name[32];
        snprintf(name, sizeof name, "%s %s", c->name, c->argument);
        fprintf(s->out, "  %-12s %-3s %s\n", name, c->other ? c->other : "", c->summary);
    }
    say_wrapped(s, PLAY_DRAW_RULE);
    explain_names(s);
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
    if (move_input_read(s->variant, game_position(&s->game), s->legal, text, &move, &error)) {
        s->undone_count = 0;
        play(s, move);
    } else {
        say(s, &error);
    }
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
    char *text = s->pending ? s->pending : read_line(s, prompt);
    s->pending = NULL;
    if (text && *text) obey(s, text);
    free(text);
}

// ---- the session ----

// What is lost is told how to be had again.
static void say_goodbye(const struct session *s) {
    if (!is_unsaved(s)) return;
    char *command = play_seats_command(s->settings, game_position(&s->game));
    fprintf(s->out, "To go on from here: %s\n", command);
    fputs("(\"save FILE\" keeps the moves, too, for \"huff play --pdn FILE\".)\n", s->out);
    free(command);
}

static void set_view(struct session *s) {
    s->view = board_view_for(s->variant, s->settings->common, s->out);
    board_view_fit(&s->view, s->out);
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
    free(s.undone);
    free(s.pending);
    keyboard_close(&s.keyboard);
    search_free(s.search);
    return true;
}
