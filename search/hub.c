// hub.c -- lines of the Hub protocol taken apart and put together.
#include "search/hub.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/notation.h"
#include "core/support/memory.h"
#include "core/support/options.h"
#include "search/search.h"

#define MOST_SECONDS 1e9

enum { MOST_DEPTH = 1000, MOST_MOVES = 1000000, QUOTED_LENGTH = 40 };

// ---- reading lines ----

static bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
static bool is_control(char c) { return (unsigned char)c < ' ' || c == '\x7f'; }
static bool is_name(char c) { return !is_control(c) && c != ' ' && c != '=' && c != '"'; }

struct scan {
    char *at, *end;  // *end is a zero byte
};

static void skip_blanks(struct scan *s) {
    while (s->at < s->end && is_blank(*s->at)) s->at++;
}

// A name and where its terminating zero byte belongs, once what stands there has been looked at.
static bool read_name(struct scan *s, const char **name, char **stop, struct error *error) {
    *name = s->at;
    while (s->at < s->end && is_name(*s->at)) s->at++;
    *stop = s->at;
    if (*stop > *name) return true;
    return error_set(error, "expected a name at \"%.*s\"", QUOTED_LENGTH, s->at);
}

// What stands behind a name or value that ends at `stop`: a blank or the end, which becomes its zero byte.
static bool end_word(struct scan *s, char *stop, struct error *error) {
    if (stop < s->end && !is_blank(*stop))
        return error_set(error, "unexpected \"%.*s\"", QUOTED_LENGTH, stop);
    if (s->at == stop && stop < s->end) s->at++;
    *stop = '\0';
    return true;
}

static bool read_value(struct scan *s, const char **value, struct error *error) {
    char *stop;
    skip_blanks(s);
    if (s->at == s->end) return error_set(error, "expected a value behind \"=\"");
    if (*s->at != '"') return read_name(s, value, &stop, error) && end_word(s, stop, error);
    *value = s->at + 1;
    stop = memchr(*value, '"', (size_t)(s->end - *value));
    if (!stop) return error_set(error, "the quotes of \"%.*s\" are not closed", QUOTED_LENGTH, *value);
    *stop = '\0';
    s->at = stop + 1;
    return true;
}

static bool read_argument(struct scan *s, struct hub_argument *argument, struct error *error) {
    char *stop;
    if (!read_name(s, &argument->name, &stop, error)) return false;
    skip_blanks(s);
    if (s->at == s->end || *s->at != '=') {
        argument->value = "";
        return end_word(s, stop, error);
    }
    s->at++;
    *stop = '\0';
    return read_value(s, &argument->value, error) ||
           error_prefix(error, "%.*s", QUOTED_LENGTH, argument->name);
}

static struct hub_argument *new_argument(struct hub_line *line) {
    if (line->count == line->capacity) {
        line->capacity = line->capacity ? 2 * line->capacity : 8;
        line->arguments = memory_grow(line->arguments, (size_t)line->capacity, sizeof *line->arguments);
    }
    return &line->arguments[line->count++];
}

bool hub_read(const char *text, size_t length, struct hub_line *line, struct error *error) {
    line->command = "";
    line->count = 0;
    if (length > HUB_LINE_LIMIT) return error_set(error, "a line of more than %d bytes", HUB_LINE_LIMIT);
    if (memchr(text, '\0', length)) return error_set(error, "a zero byte in the line");
    line->text = memory_grow(line->text, length + 1, 1);
    memcpy(line->text, text, length);
    line->text[length] = '\0';

    struct scan s = {line->text, line->text + length};
    char *stop;
    skip_blanks(&s);
    if (s.at == s.end) return true;
    if (!read_name(&s, &line->command, &stop, error) || !end_word(&s, stop, error)) return false;
    for (skip_blanks(&s); s.at < s.end; skip_blanks(&s))
        if (!read_argument(&s, new_argument(line), error)) return false;
    return true;
}

void hub_line_free(struct hub_line *line) {
    free(line->arguments);
    free(line->text);
    *line = (struct hub_line){.command = ""};
}

const char *hub_value(const struct hub_line *line, const char *name) {
    for (int i = 0; i < line->count; i++)
        if (!strcmp(line->arguments[i].name, name)) return line->arguments[i].value;
    return NULL;
}

// ---- writing lines ----

static char *make_room(struct hub_text *text, size_t more) {
    const size_t needed = text->length + more + 1;
    if (needed > text->capacity) {
        text->capacity = 2 * needed;
        text->text = memory_grow(text->text, text->capacity, 1);
    }
    return text->text + text->length;
}

static void append(struct hub_text *text, const char *more, size_t length) {
    memcpy(make_room(text, length), more, length);
    text->length += length;
    text->text[text->length] = '\0';
}

void hub_begin(struct hub_text *text, const char *command) {
    text->length = 0;
    append(text, command, strlen(command));
}

void hub_add_flag(struct hub_text *text, const char *name) {
    append(text, " ", 1);
    append(text, name, strlen(name));
}

// Makes a value one that can be written; has it to be quoted?
static bool clean_value(char *value) {
    bool quoted = !*value;
    for (; *value; value++) {
        if (!is_name(*value)) quoted = true;
        if (is_control(*value)) *value = '?';
        if (*value == '"') *value = '\'';
    }
    return quoted;
}

void hub_add(struct hub_text *text, const char *name, const char *format, ...) {
    char *value;
    va_list arguments;
    va_start(arguments, format);
    const int length = vasprintf(&value, format, arguments);
    va_end(arguments);
    if (length < 0) value = memory_text("?");
    const bool quoted = clean_value(value);
    hub_add_flag(text, name);
    append(text, quoted ? "=\"" : "=", quoted ? 2 : 1);
    append(text, value, strlen(value));
    if (quoted) append(text, "\"", 1);
    free(value);
}

void hub_text_free(struct hub_text *text) {
    free(text->text);
    *text = (struct hub_text){0};
}

// ---- level ----

// Both leave *number alone when there is no such argument.
static bool read_whole(const struct hub_line *line, const char *name, int64_t most, int64_t *number,
                       struct error *error) {
    const char *value = hub_value(line, name);
    return !value || options_number(name, value, 0, most, number, error);
}

static bool read_seconds(const struct hub_line *line, const char *name, double least, double *seconds,
                         struct error *error) {
    const char *value = hub_value(line, name);
    return !value || options_real(name, value, least, MOST_SECONDS, seconds, error);
}

bool hub_level_read(const struct hub_line *line, struct hub_level *level, struct error *error) {
    struct hub_level new = *level;
    int64_t depth = new.depth, nodes = (int64_t) new.nodes, moves = new.moves;
    if (!read_whole(line, "depth", MOST_DEPTH, &depth, error) ||
        !read_whole(line, "nodes", INT64_MAX, &nodes, error) ||
        !read_whole(line, "moves", MOST_MOVES, &moves, error) ||
        !read_seconds(line, "move-time", 0, &new.move_time, error) ||
        !read_seconds(line, "time", -MOST_SECONDS, &new.time, error) ||
        !read_seconds(line, "inc", 0, &new.increment, error))
        return false;
    new.depth = (int)depth;
    new.nodes = (uint64_t)nodes;
    new.moves = (int)moves;
    if (hub_value(line, "time")) new.clock = true;
    if (hub_value(line, "infinite")) new.infinite = true;
    const bool given = new.depth || new.nodes || new.move_time > 0 || new.clock || new.infinite;
    if (!given)
        return error_set(error, "expected depth=, nodes=, move-time=, time= or infinite, each above zero");
    *level = new;
    return true;
}

// A clock that shows zero would read as no clock to some engines.
static void add_seconds(struct hub_text *text, const char *name, double seconds) {
    hub_add(text, name, "%.3f", fmax(seconds, 0.001));
}

void hub_level_write(struct hub_text *text, const struct hub_level *level) {
    hub_begin(text, "level");
    if (level->depth) hub_add(text, "depth", "%d", level->depth);
    if (level->nodes) hub_add(text, "nodes", "%" PRIu64, level->nodes);
    if (level->move_time > 0) add_seconds(text, "move-time", level->move_time);
    if (level->clock) {
        if (level->moves) hub_add(text, "moves", "%d", level->moves);
        add_seconds(text, "time", level->time);
        if (level->increment > 0) add_seconds(text, "inc", level->increment);
    }
    if (level->infinite) hub_add_flag(text, "infinite");
}

// ---- pos ----

static bool play(struct game *game, struct move_list *legal, const char *text, size_t length,
                 struct error *error) {
    char word[MOVE_TEXT_SIZE];
    if (length >= sizeof word) return error_set(error, "\"%.*s...\" is not a move", QUOTED_LENGTH, text);
    memcpy(word, text, length);
    word[length] = '\0';
    struct move move;
    game->variant->generate(game_position(game), legal);
    if (!move_from_hub(game->variant, legal, word, &move, error)) return false;
    game_play(game, move);
    return true;
}

static bool play_all(struct game *game, const char *moves, struct error *error) {
    struct move_list *legal = memory_new(1, sizeof *legal);
    bool good = true;
    for (;;) {
        while (is_blank(*moves)) moves++;
        const char *end = moves;
        while (*end && !is_blank(*end)) end++;
        if (end == moves) break;
        good = play(game, legal, moves, (size_t)(end - moves), error) ||
               error_prefix(error, "move %d", game->ply + 1);
        if (!good) break;
        moves = end;
    }
    free(legal);
    return good;
}

bool hub_pos_read(const struct hub_line *line, const struct variant *variant, struct game *game,
                  struct error *error) {
    const char *text = hub_value(line, "pos"), *moves = hub_value(line, "moves");
    struct position position = variant_initial(variant);
    if (!text && !hub_value(line, "start")) return error_set(error, "pos: expected pos=");
    if (text && !position_from_hub(variant, text, &position, error)) return error_prefix(error, "pos");
    game_init(game, variant, NULL, &position);
    if (!moves || play_all(game, moves, error)) return true;
    game_free(game);
    return error_prefix(error, "moves");
}

static bool nothing_counts(const struct game *game, int ply) {
    const struct game_ply *p = &game->plies[ply];
    if (!p->irreversible || p->position.run[WHITE].moves || p->position.run[BLACK].moves) return false;
    if (game->draws.no_progress_plies && p->no_progress) return false;
    for (int i = 0; i < game->limit_count; i++)
        if (p->balance[i]) return false;
    return true;
}

void hub_pos_write(struct hub_text *text, const struct game *game, const struct move *moves) {
    const struct variant *variant = game->variant;
    int ply = game->ply;
    while (ply > 0 && !nothing_counts(game, ply)) ply--;
    char position[HUB_TEXT_SIZE];
    position_to_hub(variant, &game->plies[ply].position, position);
    hub_begin(text, "pos");
    hub_add(text, "pos", "%s", position);
    if (ply == game->ply) return;
    struct hub_text list = {0};
    char move[MOVE_TEXT_SIZE];
    for (const int first = ply; ply < game->ply; ply++) {
        move_to_hub(variant, moves[ply], move);
        if (ply == first)
            hub_begin(&list, move);
        else
            hub_add_flag(&list, move);
    }
    hub_add(text, "moves", "%s", list.text);
    hub_text_free(&list);
}

// ---- info ----

static double read_number(const struct hub_line *line, const char *name, bool *given) {
    const char *value = hub_value(line, name);
    char *end = NULL;
    const double number = value ? strtod(value, &end) : 0;
    *given = value && end > value && !*end && isfinite(number);
    return *given ? number : 0;
}

static double read_between(const struct hub_line *line, const char *name, double least, double most) {
    bool given;
    const double number = read_number(line, name, &given);
    return fmin(fmax(number, least), most);
}

struct hub_info hub_info_read(const struct hub_line *line) {
    struct hub_info info = {
        .depth = (int)read_between(line, "depth", 0, MOST_DEPTH),
        .nodes = (uint64_t)read_between(line, "nodes", 0, 1e18),
        .seconds = read_between(line, "time", 0, MOST_SECONDS),
        .nps = read_between(line, "nps", 0, 1e9),
        .pv = hub_value(line, "pv"),
    };
    info.score = read_number(line, "score", &info.scored);
    return info;
}

void hub_info_write(struct hub_text *text, const struct hub_info *info) {
    hub_begin(text, "info");
    if (info->depth) hub_add(text, "depth", "%d", info->depth);
    if (info->scored) hub_add(text, "score", "%.2f", info->score);
    if (info->nodes) hub_add(text, "nodes", "%" PRIu64, info->nodes);
    if (info->seconds > 0) hub_add(text, "time", "%.3f", info->seconds);
    if (info->nps > 0) hub_add(text, "nps", "%.3f", info->nps);
    if (info->pv) hub_add(text, "pv", "%s", info->pv);
}

double hub_score_write(int score) {
    if (score >= SCORE_WIN_FROM) return 100 - (SCORE_WIN - score) / 100.0;
    if (score <= -SCORE_WIN_FROM) return -100 + (SCORE_WIN + score) / 100.0;
    return fmin(fmax(score / 100.0, -HUB_MOST_MEN), HUB_MOST_MEN);
}

int hub_score_read(double men) {
    const double size = fabs(men), least = 100 - (SCORE_WIN - SCORE_WIN_FROM) / 100.0;
    const int score = size < least  ? (int)lround(100 * size)
                      : size >= 100 ? SCORE_WIN
                                    : SCORE_WIN - (int)lround(100 * (100 - size));
    return men < 0 ? -score : score;
}

// ---- done and variants ----

void hub_done_write(struct hub_text *text, const struct variant *variant, const struct move *move,
                    const struct move *answer) {
    char word[MOVE_TEXT_SIZE];
    hub_begin(text, "done");
    move_to_hub(variant, *move, word);
    hub_add(text, "move", "%s", word);
    if (!answer) return;
    move_to_hub(variant, *answer, word);
    hub_add(text, "ponder", "%s", word);
}

const struct variant *hub_variant(const char *name, struct error *error) {
    return variant_find(strcasecmp(name, "normal") ? name : "international", error);
}
