// pdn.c -- games of PDN: the record, the words of tags and results, and the strict text.
#include "core/pdn.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/notation.h"
#include "core/support/memory.h"

// ---- text of any origin ----

static bool is_continuation(unsigned char c) { return (c & 0xc0) == 0x80; }

// Bytes of the UTF-8 character that begins here, 0 when none does (RFC 3629: no overlong forms, no
// surrogates, nothing above U+10FFFF).
static size_t utf8_length(const unsigned char *s, size_t left) {
    if (s[0] < 0x80) return 1;
    const size_t length = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
    if (s[0] < 0xc2 || s[0] > 0xf4 || left < length) return 0;
    for (size_t i = 1; i < length; i++)
        if (!is_continuation(s[i])) return 0;
    const bool overlong = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xf0 && s[1] < 0x90);
    const bool surrogate = s[0] == 0xed && s[1] >= 0xa0;
    const bool too_high = s[0] == 0xf4 && s[1] >= 0x90;
    return overlong || surrogate || too_high ? 0 : length;
}

static bool is_utf8(const unsigned char *s, size_t size) {
    for (size_t i = 0; i < size;) {
        const size_t length = utf8_length(s + i, size - i);
        if (!length) return false;
        i += length;
    }
    return true;
}

// With their mark, or two ASCII characters without one.
static bool is_wide(const char *s) {
    return !memcmp(s, "\xff\xfe", 2) || !memcmp(s, "\xfe\xff", 2) || !memcmp(s, "\0\0\xfe\xff", 4) ||
           (!s[0] && s[1] && !s[2] && s[3]) || (s[0] && !s[1] && s[2] && !s[3]);
}

bool pdn_check_encoding(const char *text, size_t size, struct error *error) {
    if (size < 4 || !is_wide(text)) return true;
    return error_set(error, "UTF-16 and UTF-32 are not read, only UTF-8 and Latin-1");
}

// The bytes as UTF-8 without control characters: those that terminals obey would be obeyed from a file.
static char *clean_text(const char *bytes, size_t size) {
    const unsigned char *s = (const unsigned char *)bytes;
    const bool latin = !is_utf8(s, size);
    char *text = memory_new(2 * size + 1, 1), *to = text;
    for (size_t i = 0; i < size; i++) {
        const unsigned char c = s[i];
        const bool c1_of_utf8 = !latin && c == 0xc2 && s[i + 1] < 0xa0;
        if (c < ' ' || c == 0x7f) {
            *to++ = ' ';
        } else if (c1_of_utf8 || (latin && c >= 0x80 && c < 0xa0)) {
            *to++ = '?';
            i += c1_of_utf8;
        } else if (latin && c >= 0x80) {
            *to++ = (char)(0xc0 | c >> 6);
            *to++ = (char)(0x80 | (c & 0x3f));
        } else {
            *to++ = (char)c;
        }
    }
    return text;
}

// Leaves one blank between words and none around them.
static void collapse_blanks(char *text) {
    char *to = text;
    for (const char *s = text; *s; s++) {
        if (*s != ' ')
            *to++ = *s;
        else if (to > text && to[-1] != ' ')
            *to++ = ' ';
    }
    if (to > text && to[-1] == ' ') to--;
    *to = '\0';
}

static void replace_char(char *text, char from, char by) {
    for (; *text; text++)
        if (*text == from) *text = by;
}

// ---- the record ----

void pdn_game_init(struct pdn_game *game, const struct variant *variant, const struct position *start) {
    *game = (struct pdn_game){
        .variant = variant,
        .start = start ? *start : variant_initial(variant),
        .result = PDN_UNKNOWN,
    };
}

void pdn_game_free(struct pdn_game *game) {
    for (int i = 0; i < game->ply_count; i++) free(game->plies[i].comment);
    for (int i = 0; i < game->tag_count; i++) {
        free(game->tags[i].name);
        free(game->tags[i].value);
    }
    free(game->plies);
    free(game->tags);
    free(game->comment);
    *game = (struct pdn_game){0};
}

static int larger(int capacity) { return capacity ? 2 * capacity : 16; }

void pdn_add_move(struct pdn_game *game, struct move move, const struct pdn_note *note) {
    if (game->ply_count == game->ply_capacity) {
        game->ply_capacity = larger(game->ply_capacity);
        game->plies = memory_grow(game->plies, (size_t)game->ply_capacity, sizeof *game->plies);
    }
    game->plies[game->ply_count++] =
        (struct pdn_ply){.move = move, .index = -1, .note = note ? *note : (struct pdn_note){0}};
}

void pdn_set_comment(struct pdn_game *game, const char *text, size_t size) {
    char **comment = game->ply_count ? &game->plies[game->ply_count - 1].comment : &game->comment;
    free(*comment);
    *comment = clean_text(text, size);
    replace_char(*comment, '{', '(');
    replace_char(*comment, '}', ')');
    collapse_blanks(*comment);
    if (**comment) return;
    free(*comment);
    *comment = NULL;
}

static struct pdn_tag *find_tag(const struct pdn_game *game, const char *name) {
    const int first = toupper((unsigned char)*name);  // as add_tag writes it
    for (int i = 0; i < game->tag_count; i++)
        if (*game->tags[i].name == first && !strcasecmp(game->tags[i].name, name)) return &game->tags[i];
    return NULL;
}

const char *pdn_tag(const struct pdn_game *game, const char *name) {
    const struct pdn_tag *tag = find_tag(game, name);
    return tag ? tag->value : NULL;
}

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

static struct pdn_tag *add_tag(struct pdn_game *game, const char *name) {
    assert(strspn(name, LETTERS) > 0 && !name[strspn(name, LETTERS "0123456789_")]);
    if (game->tag_count == game->tag_capacity) {
        game->tag_capacity = larger(game->tag_capacity);
        game->tags = memory_grow(game->tags, (size_t)game->tag_capacity, sizeof *game->tags);
    }
    struct pdn_tag *tag = &game->tags[game->tag_count++];
    const size_t size = strlen(name) + 1;
    *tag = (struct pdn_tag){.name = memcpy(memory_new(size, 1), name, size)};
    tag->name[0] = (char)toupper((unsigned char)name[0]);
    return tag;
}

void pdn_set_tag_bytes(struct pdn_game *game, const char *name, const char *value, size_t size) {
    char *clean = clean_text(value, size);  // before the old value goes, of which it may be a part
    struct pdn_tag *tag = find_tag(game, name);
    if (!tag) tag = add_tag(game, name);
    free(tag->value);
    tag->value = clean;
}

void pdn_set_tag(struct pdn_game *game, const char *name, const char *value) {
    pdn_set_tag_bytes(game, name, value, strlen(value));
}

// ---- results ----

// Does a result show Black's points first?
static bool black_is_left(const struct variant *variant, enum pdn_left left) {
    return variant->rules->starts == BLACK && left != PDN_LEFT_WHITE;
}

static enum pdn_result other_way_round(enum pdn_result result) {
    switch (result) {
    case PDN_WHITE_WINS: return PDN_BLACK_WINS;
    case PDN_BLACK_WINS: return PDN_WHITE_WINS;
    default: return result;
    }
}

const char *pdn_result_to_text(const struct variant *variant, enum pdn_result result, enum pdn_left left) {
    const bool two = variant->rules->two_points;
    switch (black_is_left(variant, left) ? other_way_round(result) : result) {
    case PDN_WHITE_WINS: return two ? "2-0" : "1-0";
    case PDN_BLACK_WINS: return two ? "0-2" : "0-1";
    case PDN_DRAW: return two ? "1-1" : "1/2-1/2";
    case PDN_BOTH_LOSE: return "0-0";
    case PDN_UNKNOWN: break;
    }
    return "*";
}

bool pdn_result_from_text(const struct variant *variant, const char *text, enum pdn_left left,
                          enum pdn_result *result) {
    static const struct {
        const char *text;
        enum pdn_result result;  // with White's points at the left
    } words[] = {
        {"1-0", PDN_WHITE_WINS},
        {"2-0", PDN_WHITE_WINS},
        {"0-1", PDN_BLACK_WINS},
        {"0-2", PDN_BLACK_WINS},
        {"1/2-1/2", PDN_DRAW},
        {"1-1", PDN_DRAW},
        {"\xc2\xbd-\xc2\xbd", PDN_DRAW},
        {"0-0", PDN_BOTH_LOSE},
        {"*", PDN_UNKNOWN},
        {"?", PDN_UNKNOWN},
        {"", PDN_UNKNOWN},
    };
    char close[16];
    size_t length = 0;
    for (; *text; text++) {
        if (*text == ' ') continue;
        if (length == sizeof close - 1) return false;
        close[length++] = *text == ':' ? '-' : *text;
    }
    close[length] = '\0';
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(words[i].text, close) != 0) continue;
        const enum pdn_result read = words[i].result;
        *result = black_is_left(variant, left) ? other_way_round(read) : read;
        return true;
    }
    return false;
}

// ---- GameType and Termination ----

void pdn_game_type(const struct variant *variant, char text[static PDN_GAME_TYPE_SIZE]) {
    const struct rules *r = variant->rules;
    text[0] = '\0';
    if (!r->game_type || variant->captures_optional) return;
    // The corners of enum corner are numbered as PDN numbers them; the last field says whether the bottom
    // left square is none to play on.
    snprintf(text, PDN_GAME_TYPE_SIZE, "%d,%c,%d,%d,%c%d,%d", r->game_type, r->starts == WHITE ? 'W' : 'B',
             r->width, r->width, r->names == ALGEBRAIC ? 'A' : 'N', (int)r->first_square, r->mirrored);
}

static const struct outcome {
    const char *text;
    enum pdn_result result;
} outcomes[] = {
    {"White wins", PDN_WHITE_WINS},
    {"Black wins", PDN_BLACK_WINS},
    {"Draw", PDN_DRAW},
    {"Both lose", PDN_BOTH_LOSE},
};
enum { OUTCOMES = sizeof outcomes / sizeof *outcomes };

static const char *skip_blanks_and_colons(const char *text) {
    while (*text == ' ' || *text == ':') text++;
    return text;
}

// The outcome that the text begins with; *text is then what follows.
static const struct outcome *skip_outcome(const char **text) {
    for (int i = 0; i < OUTCOMES; i++) {
        const size_t length = strlen(outcomes[i].text);
        const char next = strncasecmp(*text, outcomes[i].text, length) ? 'x' : (*text)[length];
        if (next && next != ' ' && next != ':') continue;
        *text = skip_blanks_and_colons(*text + length);
        return &outcomes[i];
    }
    return NULL;
}

const char *pdn_termination_from_text(const char *text, enum pdn_result *result,
                                      enum termination *termination) {
    *result = PDN_UNKNOWN;
    *termination = GAME_GOES_ON;
    text = skip_blanks_and_colons(text);
    for (const struct outcome *outcome; (outcome = skip_outcome(&text));) *result = outcome->result;
    for (int i = GAME_GOES_ON + 1; i < TERMINATION_COUNT; i++)
        if (!strcasecmp(text, termination_names[i])) *termination = (enum termination)i;
    return text;
}

static char *termination_to_text(const struct pdn_game *game) {
    const char *outcome = "", *reason = "", *tag = pdn_tag(game, "Termination");
    for (int i = 0; i < OUTCOMES; i++)
        if (outcomes[i].result == game->result) outcome = outcomes[i].text;
    enum pdn_result said;
    enum termination named;
    if (game->termination != GAME_GOES_ON)
        reason = termination_names[game->termination];
    else if (tag)
        reason = pdn_termination_from_text(tag, &said, &named);
    return memory_text("%s%s%s", outcome, *outcome && *reason ? ": " : "", reason);
}

// ---- the strict text ----

enum { COLUMNS = 79 };

struct writer {
    char *text;
    size_t size, capacity;
    size_t column;
};

static void put(struct writer *w, const char *text, size_t size) {
    if (w->size + size + 1 > w->capacity) {
        w->capacity = 2 * (w->size + size + 1);
        w->text = memory_grow(w->text, w->capacity, 1);
    }
    memcpy(w->text + w->size, text, size);
    w->size += size;
    w->text[w->size] = '\0';
}

static void put_text(struct writer *w, const char *text) { put(w, text, strlen(text)); }

// Characters, not bytes, of UTF-8.
static size_t columns_of(const char *text, size_t size) {
    size_t columns = 0;
    for (size_t i = 0; i < size; i++) columns += !is_continuation((unsigned char)text[i]);
    return columns;
}

// A piece of the body that stays on one line.
static void put_word(struct writer *w, const char *word, size_t size) {
    const size_t columns = columns_of(word, size);
    const bool breaks = w->column && w->column + 1 + columns > COLUMNS;
    if (w->column) put(w, breaks ? "\n" : " ", 1);
    w->column = w->column && !breaks ? w->column + 1 + columns : columns;
    put(w, word, size);
}

static void put_tag(struct writer *w, const char *name, const char *value) {
    put_text(w, "[");
    put_text(w, name);
    put_text(w, " \"");
    for (; *value; value++) {
        if (*value == '"' || *value == '\\') put(w, "\\", 1);
        put(w, value, 1);
    }
    put_text(w, "\"]\n");
}

static const struct {
    const char *name, *unknown;
} roster[] = {
    {"Event", "?"}, {"Site", "?"},  {"Date", "????.??.??"}, {"Round", "?"},
    {"White", "?"}, {"Black", "?"}, {"Result", "*"},
};
enum { ROSTER = sizeof roster / sizeof *roster };

// Tags whose value follows from the rest of the record.
static bool is_derived(const char *name) {
    static const char *const derived[] = {"GameType", "Variant", "FEN", "SetUp", "PlyCount", "Termination"};
    for (size_t i = 0; i < sizeof derived / sizeof *derived; i++)
        if (!strcasecmp(name, derived[i])) return true;
    return false;
}

static bool is_in_roster(const char *name) {
    for (int i = 0; i < ROSTER; i++)
        if (!strcasecmp(name, roster[i].name)) return true;
    return false;
}

// A result that is none of PDN's ("4-6") is kept as it was said.
static const char *result_value(const struct pdn_game *game, enum pdn_left left) {
    const char *tag = pdn_tag(game, "Result");
    enum pdn_result read;
    if (game->result == PDN_UNKNOWN && tag && !pdn_result_from_text(game->variant, tag, left, &read))
        return tag;
    return pdn_result_to_text(game->variant, game->result, left);
}

static void put_roster(struct writer *w, const struct pdn_game *game, enum pdn_left left) {
    for (int i = 0; i < ROSTER; i++) {
        const char *value = pdn_tag(game, roster[i].name);
        if (!strcmp(roster[i].name, "Result")) value = result_value(game, left);
        put_tag(w, roster[i].name, value && *value ? value : roster[i].unknown);
    }
}

static void put_variant(struct writer *w, const struct variant *variant) {
    char type[PDN_GAME_TYPE_SIZE];
    pdn_game_type(variant, type);
    put_tag(w, *type ? "GameType" : "Variant", *type ? type : variant->name);
}

static void put_start(struct writer *w, const struct pdn_game *game) {
    const struct position initial = variant_initial(game->variant);
    if (position_equal(&game->start, &initial)) return;
    char fen[FEN_TEXT_SIZE];
    position_to_fen(game->variant, &game->start, fen);
    put_tag(w, "SetUp", "1");
    put_tag(w, "FEN", fen);
}

static void put_tags(struct writer *w, const struct pdn_game *game, enum pdn_left left) {
    put_roster(w, game, left);
    put_variant(w, game->variant);
    put_start(w, game);
    for (int i = 0; i < game->tag_count; i++) {
        const struct pdn_tag *tag = &game->tags[i];
        if (*tag->value && !is_in_roster(tag->name) && !is_derived(tag->name))
            put_tag(w, tag->name, tag->value);
    }
    char plies[16];
    snprintf(plies, sizeof plies, "%d", game->ply_count);
    put_tag(w, "PlyCount", plies);
    char *termination = termination_to_text(game);
    if (*termination) put_tag(w, "Termination", termination);
    free(termination);
}

// "[%emt 0:00:00.104] [%eval 0.35] d=12 n=123456", what is known of it.
static void note_to_text(const struct pdn_note *note, char *to, size_t size) {
    char emt[48] = "", eval[32] = "", depth[16] = "", nodes[32] = "";
    if (note->timed) {
        const double seconds = note->seconds > 0 ? note->seconds : 0;  // also when it is no number
        const long long ms = (long long)(1000 * (seconds < 1e9 ? seconds : 1e9) + 0.5);
        snprintf(emt, sizeof emt, "[%%emt %lld:%02lld:%02lld.%03lld]", ms / 3600000, ms / 60000 % 60,
                 ms / 1000 % 60, ms % 1000);
    }
    if (note->scored) {
        const long score = labs((long)note->score);
        snprintf(eval, sizeof eval, "[%%eval %s%ld.%02ld]", note->score < 0 ? "-" : "", score / 100,
                 score % 100);
    }
    if (note->depth) snprintf(depth, sizeof depth, "d=%d", note->depth);
    if (note->nodes) snprintf(nodes, sizeof nodes, "n=%llu", (unsigned long long)note->nodes);
    snprintf(to, size, "%s %s %s %s", emt, eval, depth, nodes);
    collapse_blanks(to);
}

// A line of a comment must not look like one of tags, or like a comment of a whole line.
static bool may_begin_a_line(char c) { return c != '[' && c != '%'; }

static void put_comment(struct writer *w, const struct pdn_note *note, const char *comment) {
    char said[128] = "";
    if (note) note_to_text(note, said, sizeof said);
    if (!*said && !comment) return;
    char *text = memory_text("{%s%s%s}", said, *said && comment ? " " : "", comment ? comment : "");
    for (const char *word = text; *word;) {
        const char *end = strchrnul(word, ' ');
        while (*end && !may_begin_a_line(end[1])) end = strchrnul(end + 1, ' ');
        put_word(w, word, (size_t)(end - word));
        word = *end ? end + 1 : end;
    }
    free(text);
}

// Plies that would have been played before the start if numbers are to begin with 1.
static int plies_missing(const struct pdn_game *game) {
    return game->start.turn == game->variant->rules->starts ? 0 : 1;
}

static void put_moves(struct writer *w, const struct pdn_game *game) {
    struct move_list *legal = memory_new(1, sizeof *legal);
    struct position now = game->start;
    for (int i = 0; i < game->ply_count; i++) {
        const struct pdn_ply *ply = &game->plies[i];
        const int count = plies_missing(game) + i;
        char word[24 + MOVE_TEXT_SIZE] = "";
        if (count % 2 == 0)
            snprintf(word, sizeof word, "%d. ", count / 2 + 1);
        else if (i == 0)
            strcpy(word, "1... ");
        game->variant->generate(&now, legal);
        move_to_text(game->variant, &now, legal, ply->move, word + strlen(word));
        put_word(w, word, strlen(word));
        put_comment(w, &ply->note, ply->comment);
        game->variant->play(&now, ply->move);
    }
    free(legal);
}

char *pdn_game_to_text(const struct pdn_game *game, enum pdn_left left) {
    struct writer w = {0};
    put_tags(&w, game, left);
    put_text(&w, "\n");
    put_comment(&w, NULL, game->comment);
    put_moves(&w, game);
    put_word(&w, "*", 1);
    put_text(&w, "\n\n");
    return w.text;
}
