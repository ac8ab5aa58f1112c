// pdn_read.c -- games out of PDN text: tokens put together, moves resolved, what is wrong reported.
//
// A game ends at "*", at a result, at the tags of the next one, or where the numbers begin again; a game that
// cannot be read is followed to its end all the same. Everything is reported once a game, so that the time
// and the reports stay in proportion to the text.
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/notation.h"
#include "core/pdn.h"
#include "core/pdn_note.h"
#include "core/pdn_tokens.h"
#include "core/support/memory.h"

enum {
    MAX_TAGS = 1000,          // of one game; looking a name up takes time in proportion
    MAX_GAME_MOVES = 100000,  // of one game
    MAX_COMMENT = 1 << 20,    // bytes kept behind a move
    FIRST_WINDOW = 1 << 20,   // bytes of a stream that are held
    MAX_WINDOW = 1 << 24,     // when something in it is longer
    LOOK_AHEAD = 1 << 16,     // bytes behind a token, or blanks before it, that may decide what it is
    NO_SQUARE = UCHAR_MAX,
};

struct pdn_reader {
    struct pdn_settings settings;
    char *name;
    pdn_source *source;  // NULL: all of the text is there
    void *source_context;
    char *window;  // what is held of a stream
    size_t capacity;
    bool ended;  // no byte follows those that are there
    struct pdn_tokens tokens;
    struct pdn_token token;  // the next one, not used yet
    const char *used_to;     // the end of the last one used
    struct pdn_counts counts;
    const char *counted;  // line `line` is there
    int line;
    bool left_said;
    char *game_type_said;  // the last one that was warned of
    struct move_list *legal;
    const struct variant *named;  // whose squares these are:
    square squares[UCHAR_MAX + 1];
    char *comment;  // what is read for the next move or game
    size_t comment_size, comment_capacity;
};

enum warning {
    WARN_TAG = 1,
    WARN_TAG_COUNT = 2,
    WARN_GAME_TYPE = 4,
    WARN_WORDS = 8,
    WARN_NO_MOVE = 16,
    WARN_RESULT = 32,
    WARN_TERMINATION = 64,
    WARN_LEFT = 128,
    WARN_TAG_TWICE = 256,
    WARN_LINE_COMMENT = 512,
    WARN_SETUP = 1024,
};

// A game as it is read.
struct reading {
    struct pdn_reader *reader;
    struct pdn_game *game;  // its variant is NULL until the body begins
    struct position now;
    int begin_line, fen_line, game_type_line, result_line;  // 0: none
    unsigned warned;                                        // enum warning
    int moves_seen;                                         // good ones or not
    bool body;                // has begun: tags from here on are the next game's
    bool failed;              // and reported
    bool other;               // because of its variant
    bool stopped;             // a move is unknown: what follows cannot be played
    const char *text_result;  // behind the moves; "" = none
    char odd_result[64];      // a Result tag that is none of PDN's, without blanks; "" = none
};

// ---- reports ----

static int lines_between(const char *from, const char *to) {
    int lines = 0;
    for (const char *at = from; at < to && (at = memchr(at, '\n', (size_t)(to - at))); at++) lines++;
    for (const char *at = from; at < to && (at = memchr(at, '\r', (size_t)(to - at))); at++)
        if (at + 1 == to || at[1] != '\n') lines++;
    return lines;
}

// Line numbers are counted from where the last game begins.
static int line_of(const struct pdn_reader *reader, const char *at) {
    return reader->line + lines_between(reader->counted, at);
}

static void count_lines_to(struct pdn_reader *reader, const char *at) {
    reader->line = line_of(reader, at);
    reader->counted = at;
}

// A line that is not told is that of the token now.
enum { HERE = 0 };

static void say(struct pdn_reader *reader, int line, const struct error *what) {
    if (!reader->settings.report) return;
    struct error report = *what;
    (void)error_prefix(&report, "%.200s:%d", reader->name,
                       line != HERE ? line : line_of(reader, reader->token.bytes.at));
    reader->settings.report(reader->settings.context, report.text);
}

static long game_number(const struct pdn_reader *reader) {
    return reader->counts.read + reader->counts.skipped + 1;
}

// The game is skipped; the first reason is told.
static void fail(struct reading *r, int line, struct error *why) {
    if (r->failed) return;
    r->failed = true;
    (void)error_prefix(why, "game %ld skipped", game_number(r->reader));
    say(r->reader, line, why);
}

static void warn_of(struct pdn_reader *reader, int line, struct error *what) {
    (void)error_prefix(what, "warning");
    say(reader, line, what);
    reader->counts.warnings++;
}

// The next move cannot be had: what comes before it is the game, or nothing is.
static void give_up(struct reading *r, int line, struct error *why) {
    if (r->failed || r->stopped) return;
    if (!r->reader->settings.keep_broken || !r->game->ply_count) {
        fail(r, line, why);
        return;
    }
    r->stopped = r->game->broken = true;
    (void)error_prefix(why, "game %ld is read up to here", game_number(r->reader));
    warn_of(r->reader, line, why);
}

static void warn(struct reading *r, int line, enum warning kind, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static void warn(struct reading *r, int line, enum warning kind, const char *format, ...) {
    if (r->failed || r->warned & (unsigned)kind) return;
    r->warned |= (unsigned)kind;
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    struct error what;
    (void)error_set(&what, "game %ld: %s", game_number(r->reader), text);
    warn_of(r->reader, line, &what);
}

static struct quote excerpt_of(struct pdn_bytes bytes) { return error_quote(bytes.at, bytes.size); }

static struct quote excerpt_of_text(const char *text) { return error_quote(text, strlen(text)); }

// ---- tokens ----

// Nothing that is still to come could change what was read up to there.
static bool is_sure(const struct pdn_reader *reader, const struct pdn_tokens *tokens) {
    return reader->ended || tokens->end - tokens->at > LOOK_AHEAD;
}

static void move_text(const char **at, const char *from, const char *to) {
    if (*at) *at = to + (*at - from);
}

// The text from `from` on is at `to` now.
static void move_pointers(struct pdn_reader *reader, const char *from, const char *to) {
    struct pdn_token *token = &reader->token;
    move_text(&token->bytes.at, from, to);
    move_text(&token->name.at, from, to);
    move_text(&token->inside.at, from, to);
    move_text(&reader->used_to, from, to);
    move_text(&reader->counted, from, to);
    move_text(&reader->tokens.at, from, to);
    move_text(&reader->tokens.end, from, to);
    reader->tokens.begin = to;
}

static void make_room(struct pdn_reader *reader, const char *keep, size_t kept) {
    char *window = reader->window, *old = NULL;
    if (kept > reader->capacity / 2 && reader->capacity < MAX_WINDOW) {
        old = window;
        window = memory_new(reader->capacity *= 2, 1);
    }
    memmove(window, keep, kept);
    move_pointers(reader, keep, window);
    reader->window = window;
    free(old);
}

// What is held begins where the last token used ends, or at what tells whether a line begins there, and the
// rest of the window is filled. False when nothing came.
static bool hold_more(struct pdn_reader *reader) {
    struct pdn_tokens *tokens = &reader->tokens;
    const char *keep = reader->used_to;
    while (keep > tokens->begin && reader->used_to - keep < LOOK_AHEAD &&
           (keep[-1] == ' ' || keep[-1] == '\t'))
        keep--;
    if (keep > tokens->begin) keep--;
    const size_t kept = (size_t)(tokens->end - keep);
    if (reader->ended || kept == MAX_WINDOW) return false;
    if (reader->used_to > reader->counted) count_lines_to(reader, reader->used_to);
    make_room(reader, keep, kept);
    size_t size = kept;
    while (size < reader->capacity && !reader->ended) {
        const size_t more =
            reader->source(reader->source_context, reader->window + size, reader->capacity - size);
        reader->ended = more == 0;
        size += more;
    }
    tokens->end = reader->window + size;
    return size > kept;
}

static void next_held_token(struct pdn_reader *reader) {
    const enum pdn_rest rest = reader->ended ? PDN_REST_NONE : reader->token.rest;
    reader->used_to = reader->token.bytes.at + reader->token.bytes.size;
    do {
        reader->tokens.at = reader->used_to;
        reader->tokens.rest = rest;
        pdn_tokens_next(&reader->tokens, &reader->token);
    } while (!is_sure(reader, &reader->tokens) && hold_more(reader));
}

// Blanks and comments may be longer than what is held, and are passed over in parts.
static void next_token(struct pdn_reader *reader) {
    do next_held_token(reader);
    while (!reader->ended && (reader->token.kind == PDN_END || reader->token.rest == PDN_REST_COMMENT));
}

// ---- comments ----

static void keep_comment(struct pdn_reader *reader, struct pdn_bytes text) {
    if (!reader->settings.comments && !reader->settings.notes) return;
    if (text.size > MAX_COMMENT - reader->comment_size) return;
    const size_t needed = reader->comment_size + text.size + 2;
    if (needed > reader->comment_capacity) {
        reader->comment_capacity = 2 * needed;
        reader->comment = memory_grow(reader->comment, reader->comment_capacity, 1);
    }
    if (reader->comment_size) reader->comment[reader->comment_size++] = ' ';
    memcpy(reader->comment + reader->comment_size, text.at, text.size);
    reader->comment_size += text.size;
}

static void store_comment(struct reading *r) {
    struct pdn_reader *reader = r->reader;
    if (!reader->comment_size) return;
    if (r->game->ply_count)
        reader->comment_size = pdn_note_take(&r->game->plies[r->game->ply_count - 1].note, reader->comment,
                                             reader->comment_size);
    if (reader->settings.comments) pdn_set_comment(r->game, reader->comment, reader->comment_size);
    reader->comment_size = 0;
}

// ---- tags ----

static bool begins_with_empty_line(const struct pdn_reader *reader) {
    return lines_between(reader->used_to, reader->token.bytes.at) >= 2;
}

// Games of tags alone need nothing between them: a name that comes again begins a game when it comes behind
// an empty line, or opens every game anyway.
static bool begins_next_game(const struct reading *r, const char *name) {
    return begins_with_empty_line(r->reader) || !strcasecmp(name, "Event") || !strcasecmp(name, "FEN");
}

static void without_blanks(const char *text, char *to, size_t size) {
    for (; *text && size > 1; text++)
        if (*text != ' ') *to++ = *text, size--;
    *to = '\0';
}

static void set_escaped_tag(struct pdn_game *game, const char *name, struct pdn_bytes value) {
    char *plain = memory_new(value.size + 1, 1);
    size_t size = 0;
    for (size_t i = 0; i < value.size; i++) {
        const bool escape = value.at[i] == '\\' && i + 1 < value.size;
        if (escape && (value.at[i + 1] == '"' || value.at[i + 1] == '\\')) i++;
        plain[size++] = value.at[i];
    }
    pdn_set_tag_bytes(game, name, plain, size);
    free(plain);
}

static void store_tag(struct reading *r, const char *name, struct pdn_bytes value) {
    if (memchr(value.at, '\\', value.size))
        set_escaped_tag(r->game, name, value);
    else
        pdn_set_tag_bytes(r->game, name, value.at, value.size);
    if (!strcasecmp(name, "FEN")) r->fen_line = line_of(r->reader, value.at);
    if (!strcasecmp(name, "GameType") || !strcasecmp(name, "Variant"))
        r->game_type_line = line_of(r->reader, value.at);
    if (!strcasecmp(name, "Result")) {
        enum pdn_result result;
        const char *said = pdn_tag(r->game, name);
        r->result_line = line_of(r->reader, value.at);
        if (!pdn_result_from_text(&variants[0], said, PDN_LEFT_DEFAULT, &result))
            without_blanks(said, r->odd_result, sizeof r->odd_result);
    }
}

// False when the tag is the next game's.
static bool use_tag(struct reading *r) {
    const struct pdn_token *token = &r->reader->token;
    if (r->body) return false;
    char name[101] = "";  // of a longer one, its beginning
    if (token->name.size) memcpy(name, token->name.at, token->name.size < 100 ? token->name.size : 100);
    const bool again = *name && pdn_tag(r->game, name), next = again && begins_next_game(r, name);
    if (token->damaged && !next)
        warn(r, HERE, WARN_TAG, "a tag is damaged: %s", excerpt_of(token->bytes).text);
    if (r->game->tag_count == MAX_TAGS)
        warn(r, HERE, WARN_TAG_COUNT, "tags after the first %d are left out", MAX_TAGS);
    else if (again && !next)
        warn(r, HERE, WARN_TAG_TWICE, "a tag is there twice, the first is taken and not %s",
             excerpt_of(token->bytes).text);
    else if (*name && !again)
        store_tag(r, name, token->inside);
    return !next;
}

// ---- which game is played ----

static const struct variant *variant_of_number(long number) {
    for (int i = 0; i < variant_count; i++)
        if (number && variants[i].rules->game_type == number && !variants[i].captures_optional)
            return &variants[i];
    return NULL;
}

// Of a Variant tag: "killer", "American/English".
static const struct variant *variant_of_names(const char *names) {
    const struct variant *variant = NULL;
    while (names && !variant) {
        char name[32];
        const char *slash = strchrnul(names, '/');
        snprintf(name, sizeof name, "%.*s", (int)(slash - names < 31 ? slash - names : 31), names);
        variant = variant_find(name, NULL);
        names = *slash ? slash + 1 : NULL;
    }
    return variant;
}

// "20,W,10,10,N2,0", all of it, without the last field, or the number alone.
static bool is_game_type_of(const char *text, const struct variant *variant) {
    char full[PDN_GAME_TYPE_SIZE];
    pdn_game_type(variant, full);
    const size_t length = strlen(text), number = strcspn(full, ",");
    return !strncmp(text, full, length) &&
           (length == number || length + 2 == strlen(full) || length == strlen(full));
}

// A warning once for a run of games with the same tag, as whole files are wrong in the same way.
static void warn_of_game_type(struct reading *r, const char *type, const struct variant *variant) {
    char *said = r->reader->game_type_said;
    if (said && !strcmp(said, type)) return;
    free(said);
    r->reader->game_type_said = memory_text("%s", type);
    char own[PDN_GAME_TYPE_SIZE];
    pdn_game_type(variant, own);
    warn(r, r->game_type_line, WARN_GAME_TYPE, "GameType \"%s\" is read as %s%s%s",
         excerpt_of_text(type).text, variant->name, *own ? ", which is " : "", own);
}

// The attributes behind a known number are wrong in whole archives ("20,W,10,10,N1,0"), the number never: it
// is trusted. Only 23 stands for several games that the attributes tell apart.
static const struct variant *variant_of_game_type(struct reading *r, const char *tag, struct error *error) {
    char type[64];
    without_blanks(tag, type, sizeof type);
    char *end;
    const long number = strtol(type, &end, 10);
    const struct variant *variant = end == type ? variant_find(type, NULL) : variant_of_number(number);
    if (!variant) {
        (void)error_set(error, "GameType \"%s\" is no game that is known here", excerpt_of_text(type).text);
        return NULL;
    }
    const struct variant *chosen = r->reader->settings.variant;
    const bool other = chosen && chosen->rules != variant->rules;  // which is told in any case
    if (other || end == type || is_game_type_of(type, variant)) return variant;
    if (!strcmp(variant->rules->name, "pool")) {
        (void)error_set(error, "GameType \"%s\" is another game than American pool, 23,B,8,8,N1,0",
                        excerpt_of_text(type).text);
        return NULL;
    }
    warn_of_game_type(r, type, variant);
    return variant;
}

// Does the game say that it is of another variant than the one that was chosen? PDN has no number for killer,
// whose files may have any, nor one for captures that are optional.
static bool is_of_another(struct reading *r, struct error *error) {
    const struct variant *chosen = r->reader->settings.variant;
    const char *type = pdn_tag(r->game, "GameType"), *name = pdn_tag(r->game, "Variant");
    if (type && *type) {
        if (!chosen->rules->game_type) return false;
        const struct variant *variant = variant_of_game_type(r, type, error);
        if (variant && variant->rules == chosen->rules) return false;
        if (variant)
            (void)error_set(error, "its GameType \"%s\" is %s, not %s", excerpt_of_text(type).text,
                            variant->name, chosen->name);
        return true;
    }
    const struct variant *variant = variant_of_names(name);
    if (!variant || variant == chosen) return false;
    (void)error_set(error, "it is a game of %s, not of %s", variant->name, chosen->name);
    return true;
}

static const struct variant *chosen_variant(struct reading *r) {
    const struct variant *variant = r->reader->settings.variant;
    const char *tag = pdn_tag(r->game, "GameType");
    char type[64];
    if (!tag || !*tag || !variant->rules->game_type || variant->captures_optional) return variant;
    without_blanks(tag, type, sizeof type);
    if (!is_game_type_of(type, variant)) warn_of_game_type(r, type, variant);
    return variant;
}

static const struct variant *variant_by_tags(struct reading *r, struct error *error) {
    const char *type = pdn_tag(r->game, "GameType"), *name = pdn_tag(r->game, "Variant");
    if (type && *type) return variant_of_game_type(r, type, error);
    const struct variant *variant = variant_of_names(name);
    if (!variant) (void)error_set(error, "it has no GameType tag, and no variant was chosen");
    return variant;
}

static const struct variant *variant_of_game(struct reading *r, struct error *error) {
    struct pdn_settings *settings = &r->reader->settings;
    if (settings->variant && !settings->one_variant) return chosen_variant(r);
    if (settings->variant) {
        r->other = is_of_another(r, error);
        return r->other ? NULL : settings->variant;
    }
    const struct variant *variant = variant_by_tags(r, error);
    if (settings->one_variant) settings->variant = variant;
    return variant;
}

static bool is_said(const char *value) {
    return value && *value && strcmp(value, "?") != 0 && strcmp(value, "*") != 0;
}

// Before the first move: variant and start. False when the game has failed.
static bool begin_moves(struct reading *r) {
    struct pdn_game *game = r->game;
    if (r->failed || game->variant) return !r->failed;
    struct error error;
    game->variant = variant_of_game(r, &error);
    if (!game->variant) {
        fail(r, r->game_type_line, &error);
        return false;
    }
    game->start = variant_initial(game->variant);
    const char *fen = pdn_tag(game, "FEN"), *setup = pdn_tag(game, "SetUp");
    if (!is_said(fen) && setup && !strcmp(setup, "1"))
        warn(r, r->begin_line, WARN_SETUP, "SetUp without a FEN: read from where the game starts");
    if (is_said(fen) && !position_from_fen(game->variant, fen, &game->start, &error)) {
        (void)error_prefix(&error, "FEN");
        fail(r, r->fen_line, &error);
        return false;
    }
    r->now = game->start;
    return true;
}

// ---- the moves ----

static int index_of(const struct move_list *legal, struct move move) {
    for (int i = 0; i < legal->count; i++)
        if (move_equal(legal->moves[i], move)) return i;
    return -1;
}

// "move 12...: "
static void prefix_with_move(const struct pdn_game *game, struct error *error) {
    const int count = game->ply_count + (game->start.turn != game->variant->rules->starts);
    (void)error_prefix(error, "move %d%s", count / 2 + 1, count % 2 ? "..." : ".");
}

static void name_squares(struct pdn_reader *reader, const struct variant *variant) {
    if (reader->named == variant) return;
    reader->named = variant;
    memset(reader->squares, NO_SQUARE, sizeof reader->squares);
    for (int number = 1; number <= board_squares(variant->rules->width); number++) {
        char name[SQUARE_TEXT_SIZE];
        const square s = square_from_pdn_number(variant, number);
        square_to_text(variant, s, name);
        reader->squares[pdn_square_of(name)] = s;
    }
}

// Of a move that is written plainly: the only legal one with its ends, or -1. It would be found below as
// well, in ten times the time.
static int index_of_plain(const struct pdn_reader *reader) {
    const struct move_list *legal = reader->legal;
    const square from = reader->squares[reader->token.from], to = reader->squares[reader->token.to];
    int index = -1;
    if (!reader->token.from || legal->truncated) return -1;
    for (int i = 0; i < legal->count; i++) {
        if (legal->moves[i].from != from || legal->moves[i].to != to) continue;
        if (!legal->captures) return i;  // as only captures can have the same ends
        if (index >= 0) return -1;
        index = i;
    }
    return index;
}

// The legal move that the token means, as an index; -1 when there is none.
static int find_move(const struct reading *r, struct error *error) {
    char text[PDN_MOVE_TEXT_SIZE];
    struct move move;
    const int index = index_of_plain(r->reader);
    if (index >= 0) return index;
    pdn_move_text(&r->reader->token, text);
    if (!move_from_text(r->game->variant, &r->now, r->reader->legal, text, &move, error)) return -1;
    return index_of(r->reader->legal, move);
}

static bool is_full(const struct pdn_game *game, struct error *error) {
    return game->ply_count == MAX_GAME_MOVES &&
           !error_set(error, "it has more than %d moves", MAX_GAME_MOVES);
}

static void warn_of_words(struct reading *r) {
    warn(r, HERE, WARN_WORDS, "text between the moves is left out: \"%s\"",
         excerpt_of(r->reader->token.bytes).text);
}

static void play_move(struct reading *r, int index) {
    struct pdn_game *game = r->game;
    const struct move move = r->reader->legal->moves[index];
    pdn_add_move(game, move, NULL);
    game->plies[game->ply_count - 1].index = index;
    game->variant->play(&r->now, move);
}

static void use_move(struct reading *r) {
    struct pdn_reader *reader = r->reader;
    struct pdn_game *game = r->game;
    struct error error;
    r->moves_seen++;
    if (r->failed || r->stopped || (!game->variant && !begin_moves(r))) return;
    store_comment(r);
    name_squares(reader, game->variant);
    game->variant->generate(&r->now, reader->legal);
    const int index = is_full(game, &error) ? -1 : find_move(r, &error);
    if (index >= 0) {
        play_move(r, index);
    } else if (reader->token.signless) {
        r->moves_seen--;
        warn_of_words(r);
    } else {
        if (game->ply_count < MAX_GAME_MOVES) prefix_with_move(game, &error);
        give_up(r, HERE, &error);
    }
}

// The text of the Result tag behind the moves ("4-6"): a score that may look like a move.
static bool is_result_of_tag(const struct reading *r) {
    if (!*r->odd_result) return false;
    char text[PDN_MOVE_TEXT_SIZE];
    pdn_move_text(&r->reader->token, text);
    if (strcmp(r->odd_result, text) != 0) return false;
    struct pdn_tokens ahead;
    struct pdn_token next;
    do {
        ahead = r->reader->tokens;
        do pdn_tokens_next(&ahead, &next);
        while (next.kind == PDN_COMMENT || next.kind == PDN_MARK);
    } while (!is_sure(r->reader, &ahead) && hold_more(r->reader));
    return next.kind == PDN_END || next.kind == PDN_TAG || next.kind == PDN_SEPARATOR ||
           (next.kind == PDN_NUMBER && next.first);
}

static void use_unreadable(struct reading *r) {
    const struct pdn_token *token = &r->reader->token;
    struct error error;
    (void)error_set(&error, "\"%s\": %s", excerpt_of(token->bytes).text, token->reason);
    give_up(r, HERE, &error);
}

static void use_setup(struct reading *r) {
    struct error error;
    (void)error_set(&error, "a position is set up among the moves, which is not read");
    give_up(r, HERE, &error);
}

static void use_no_move(struct reading *r) {
    if (!r->stopped) warn(r, HERE, WARN_NO_MOVE, "a move is unknown; read up to there");
    r->stopped = true;
}

enum outcome { GOES_ON, ENDS_BEFORE, ENDS_WITH };

// What a token of the body means for the game.
static enum outcome use_body(struct reading *r) {
    struct pdn_token *token = &r->reader->token;
    if (token->kind != PDN_WORDS && token->kind != PDN_MARK) r->body = true;
    switch (token->kind) {
    case PDN_NUMBER: return token->first && r->moves_seen >= 2 ? ENDS_BEFORE : GOES_ON;
    case PDN_MOVE:
        if (is_result_of_tag(r)) return ENDS_WITH;
        use_move(r);
        return GOES_ON;
    case PDN_RESULT: r->text_result = token->result; return ENDS_WITH;
    case PDN_NO_MOVE: use_no_move(r); return GOES_ON;
    case PDN_SETUP: use_setup(r); return GOES_ON;
    case PDN_UNREADABLE: use_unreadable(r); return GOES_ON;
    case PDN_WORDS: warn_of_words(r); return GOES_ON;
    default: return GOES_ON;
    }
}

static bool holds_move(struct pdn_bytes text) {
    struct pdn_tokens tokens = pdn_tokens_of(text.at, text.size);
    struct pdn_token token;
    do pdn_tokens_next(&tokens, &token);
    while (token.kind != PDN_END && (token.kind != PDN_MOVE || token.signless));
    return token.kind == PDN_MOVE;
}

// PDN does not say what ";" means: where moves are taken for a comment, the user must know.
static void use_comment(struct reading *r) {
    const struct pdn_token *token = &r->reader->token;
    keep_comment(r->reader, token->inside);
    if (token->line && holds_move(token->inside))
        warn(r, HERE, WARN_LINE_COMMENT, "from \";\" to the end of the line is a comment: \"%s\"",
             excerpt_of(token->bytes).text);
}

static enum outcome use_token(struct reading *r) {
    switch (r->reader->token.kind) {
    case PDN_END: return ENDS_BEFORE;
    case PDN_TAG: return use_tag(r) ? GOES_ON : ENDS_BEFORE;
    case PDN_SEPARATOR: return ENDS_WITH;
    case PDN_COMMENT: use_comment(r); return GOES_ON;
    default: return use_body(r);
    }
}

// ---- the result ----

static bool is_won(enum pdn_result result) { return result == PDN_WHITE_WINS || result == PDN_BLACK_WINS; }

// What tag and text say together.
static enum pdn_result result_of(struct reading *r) {
    const struct variant *variant = r->game->variant;
    const enum pdn_left left = r->reader->settings.left;
    const char *tag = pdn_tag(r->game, "Result");
    enum pdn_result by_tag = PDN_UNKNOWN, by_text = PDN_UNKNOWN;
    if (tag && !pdn_result_from_text(variant, tag, left, &by_tag))
        warn(r, r->result_line, WARN_RESULT, "Result \"%s\" is none of PDN's: the result is unknown",
             excerpt_of_text(tag).text);
    (void)pdn_result_from_text(variant, r->text_result, left, &by_text);
    if (by_text == PDN_UNKNOWN) return by_tag;
    if (by_tag == PDN_UNKNOWN || by_tag == by_text) return by_text;
    const bool text_wins = r->reader->settings.text_result_wins;
    warn(r, r->result_line, WARN_RESULT, "the Result tag is %s but the moves end with %s; %s is taken",
         excerpt_of_text(tag).text, r->text_result, text_wins ? "the latter" : "the tag");
    return text_wins ? by_text : by_tag;
}

// The Termination tag may name the winner, which settles whose points stand at the left.
static void settle_result(struct reading *r) {
    struct pdn_game *game = r->game;
    struct pdn_reader *reader = r->reader;
    const bool black_begins = game->variant->rules->starts == BLACK;
    const char *tag = pdn_tag(game, "Termination");
    enum pdn_result named = PDN_UNKNOWN;
    if (tag) (void)pdn_termination_from_text(tag, &named, &game->termination);
    game->result = result_of(r);
    if (!is_won(game->result)) return;
    if (is_won(named) && black_begins) {
        game->result = named;
    } else if (is_won(named) && game->result != named) {
        warn(r, r->begin_line, WARN_TERMINATION, "Termination \"%s\" contradicts the result, which is taken",
             excerpt_of_text(tag).text);
    } else if (!is_won(named) && black_begins && reader->settings.left == PDN_LEFT_DEFAULT &&
               !reader->left_said) {
        reader->left_said = true;
        warn(r, r->begin_line, WARN_LEFT,
             "its result is read as %s's win: points of Black, who begins in %s, at the left; some programs "
             "put White's there",
             game->result == PDN_WHITE_WINS ? "White" : "Black", game->variant->name);
    }
}

// ---- games ----

static bool begins_game(const struct pdn_token *token) {
    switch (token->kind) {
    case PDN_TAG:
    case PDN_SETUP: return true;
    case PDN_MOVE: return !token->signless;
    case PDN_NUMBER: return token->dotted;
    default: return false;
    }
}

static bool is_text(const struct pdn_token *token) {
    return token->kind == PDN_WORDS || token->kind == PDN_UNREADABLE || token->kind == PDN_NO_MOVE ||
           token->kind == PDN_MOVE;
}

// Passes over what stands between games. False at the end.
static bool find_game(struct pdn_reader *reader) {
    bool warned = false;
    reader->comment_size = 0;
    for (; !begins_game(&reader->token); next_token(reader)) {
        const struct pdn_token *token = &reader->token;
        if (token->kind == PDN_END) return false;
        if (!is_text(token) || warned) continue;
        warned = true;
        count_lines_to(reader, token->bytes.at);
        struct error what;
        (void)error_set(&what, "text outside games is left out: \"%s\"", excerpt_of(token->bytes).text);
        warn_of(reader, HERE, &what);
    }
    return true;
}

static bool is_empty(const struct reading *r) {
    return !r->failed && !r->stopped && !r->game->tag_count && !r->game->ply_count && !*r->text_result;
}

static void count_game(struct reading *r, bool read) {
    struct pdn_counts *counts = &r->reader->counts;
    const int kept = read ? r->game->ply_count : 0;
    counts->read += read;
    counts->skipped += r->failed;
    counts->others += r->other;
    counts->broken += read && r->game->broken;
    counts->moves += kept;
    counts->lost_moves += r->moves_seen - kept;
}

static bool read_game(struct pdn_reader *reader, struct pdn_game *game) {
    count_lines_to(reader, reader->token.bytes.at);
    *game = (struct pdn_game){.result = PDN_UNKNOWN, .line = reader->line, .number = game_number(reader)};
    struct reading r = {.reader = reader, .game = game, .begin_line = reader->line, .text_result = ""};
    enum outcome outcome;
    while ((outcome = use_token(&r)) == GOES_ON) next_token(reader);
    const bool read = !is_empty(&r) && begin_moves(&r);
    if (outcome == ENDS_WITH) next_token(reader);
    if (read) {
        store_comment(&r);
        settle_result(&r);
    }
    count_game(&r, read);
    return read;
}

bool pdn_read(struct pdn_reader *reader, struct pdn_game *game) {
    while (find_game(reader)) {
        if (read_game(reader, game)) return true;
        pdn_game_free(game);
    }
    return false;
}

static struct pdn_reader *new_reader(const char *name, const struct pdn_settings *settings) {
    struct pdn_reader *reader = memory_new(1, sizeof *reader);
    *reader = (struct pdn_reader){
        .settings = *settings,
        .name = memory_text("%s", name),
        .line = 1,
        .legal = memory_new(1, sizeof *reader->legal),
    };
    return reader;
}

static void begin_text(struct pdn_reader *reader, const char *text, size_t size) {
    reader->tokens = pdn_tokens_of(text, size);
    reader->token = (struct pdn_token){.bytes = {text, 0}};
    reader->counted = text;
    next_token(reader);
}

struct pdn_reader *pdn_reader_new(const char *name, const char *text, size_t size,
                                  const struct pdn_settings *settings) {
    struct pdn_reader *reader = new_reader(name, settings);
    reader->ended = true;
    begin_text(reader, text, size);
    return reader;
}

struct pdn_reader *pdn_reader_new_stream(const char *name, pdn_source *source, void *context,
                                         const struct pdn_settings *settings) {
    struct pdn_reader *reader = new_reader(name, settings);
    reader->source = source;
    reader->source_context = context;
    reader->capacity = FIRST_WINDOW;
    reader->window = memory_new(reader->capacity, 1);
    begin_text(reader, reader->window, 0);
    return reader;
}

void pdn_reader_free(struct pdn_reader *reader) {
    if (!reader) return;
    free(reader->name);
    free(reader->window);
    free(reader->game_type_said);
    free(reader->legal);
    free(reader->comment);
    free(reader);
}

struct pdn_counts pdn_reader_counts(const struct pdn_reader *reader) {
    return reader->counts;
}
