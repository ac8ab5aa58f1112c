// pdn_tokens.c -- cuts PDN text into tokens, tolerantly.
//
// PDN is ambiguous to the letter: "1-1" is a result and the beginning of "1-18", "*" ends a game or marks a
// forced move, "(" opens a variation or a strength. Each is decided here by what follows, so that the reader
// sees what was meant. Whatever is open at a line that begins a tag ('[Event "') was forgotten to be closed:
// the next game must not disappear in a comment.
#include "core/pdn_tokens.h"

#include <string.h>
#include <strings.h>

struct pdn_tokens pdn_tokens_of(const char *text, size_t size) {
    return (struct pdn_tokens){.begin = text, .at = text, .end = text + size};
}

// ---- characters ----

// The text from `at` on; zero at the end.
static char char_at(const struct pdn_tokens *t, const char *at) { return at < t->end ? *at : '\0'; }

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_file(char c) { return (c >= 'a' && c <= 'l') || (c >= 'A' && c <= 'L'); }
static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static bool is_name_char(char c) { return is_letter(c) || is_digit(c) || c == '_'; }
static bool is_line_end(char c) { return c == '\n' || c == '\r'; }
static bool is_space(char c) { return c == ' ' || c == '\t'; }

// Does this spelling of a character begin here?
static bool is_spelt(const struct pdn_tokens *t, const char *at, const char *spelling) {
    for (; *spelling; at++, spelling++)
        if (at == t->end || *at != *spelling) return false;
    return true;
}

#define BYTE_ORDER_MARK "\xef\xbb\xbf"

// A blank: its bytes, 0 when there is none. Control characters are blanks, so are a no-break space and a byte
// order mark, which forum copies have anywhere.
static size_t blank_size(const struct pdn_tokens *t, const char *at) {
    if (at == t->end) return 0;
    if ((unsigned char)*at <= ' ' || *at == '\x7f' || *at == '\xa0') return 1;
    if ((unsigned char)*at < 0x80) return 0;
    if (is_spelt(t, at, "\xc2\xa0")) return 2;
    return is_spelt(t, at, BYTE_ORDER_MARK) ? 3 : 0;
}

static const char *after_spaces(const struct pdn_tokens *t, const char *at) {
    while (at < t->end && is_space(*at)) at++;
    return at;
}

static const char *after_line(const struct pdn_tokens *t, const char *at) {
    while (at < t->end && !is_line_end(*at)) at++;
    return at;
}

static const char *after_blanks(const struct pdn_tokens *t, const char *at) {
    while (at < t->end && (*at == ' ' || is_line_end(*at))) at++;
    const char c = char_at(t, at);
    if (c > ' ' && c < '\x7f') return at;
    for (size_t size; (size = blank_size(t, at));) at += size;
    return at;
}

// Blanks and "%" comments.
static const char *after_gap(const struct pdn_tokens *t, const char *at) {
    for (at = after_blanks(t, at); char_at(t, at) == '%'; at = after_blanks(t, at)) at = after_line(t, at);
    return at;
}

// A sign of a move: its bytes, 0 when there is none; *plain is '-' or 'x'. Bytes that are not UTF-8 are those
// of Latin-1 and Windows.
static size_t sign_size(const struct pdn_tokens *t, const char *at, char *plain) {
    static const struct {
        const char *spelling;
        char plain;
    } signs[] = {
        {"\xe2\x80\x90", '-'},  // hyphens and dashes
        {"\xe2\x80\x91", '-'}, {"\xe2\x80\x92", '-'}, {"\xe2\x80\x93", '-'}, {"\xe2\x80\x94", '-'},
        {"\xe2\x80\x95", '-'}, {"\xe2\x88\x92", '-'},  // minus
        {"\xc2\xad", '-'},                             // soft hyphen
        {"\xc3\x97", 'x'},                             // times
        {"\xad", '-'},         {"\x96", '-'},         {"\x97", '-'},         {"\xd7", 'x'},
    };
    const unsigned char first = (unsigned char)char_at(t, at);
    if (first < 0x80) {
        *plain = first == '-' ? '-' : 'x';
        return first == '-' || first == 'x' || first == 'X' || first == ':';
    }
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        if (!is_spelt(t, at, signs[i].spelling)) continue;
        *plain = signs[i].plain;
        return strlen(signs[i].spelling);
    }
    return 0;
}

static bool is_hyphen(const struct pdn_tokens *t, const char *at, size_t *size) {
    char plain;
    *size = sign_size(t, at, &plain);
    return *size && plain == '-';
}

// ---- what must be closed ----

static bool begins_line(const struct pdn_tokens *t, const char *at) {
    while (at > t->begin && is_space(at[-1])) at--;
    if (at - t->begin == 3 && is_spelt(t, t->begin, BYTE_ORDER_MARK)) return true;
    return at == t->begin || is_line_end(at[-1]);
}

// [Name " at the beginning of a line
static bool is_tag_line(const struct pdn_tokens *t, const char *at) {
    if (*at != '[' || !begins_line(t, at)) return false;
    at = after_spaces(t, at + 1);
    const char *name = at;
    while (at < t->end && is_name_char(*at)) at++;
    return at > name && char_at(t, after_spaces(t, at)) == '"';
}

// From behind an opening sign to the closing one, or to the next line of tags or the end when it is missing.
static const char *find_close(const struct pdn_tokens *t, const char *at, char close) {
    while (at < t->end && *at != close && !is_tag_line(t, at)) at++;
    return at;
}

static struct pdn_token token_to(const struct pdn_tokens *t, enum pdn_token_kind kind, const char *end) {
    return (struct pdn_token){.kind = kind, .bytes = {t->at, (size_t)(end - t->at)}};
}

// For tokens of which most of a text consists: the rest of *token is zero already.
static void set_token(struct pdn_token *token, const struct pdn_tokens *t, enum pdn_token_kind kind,
                      const char *end) {
    token->kind = kind;
    token->bytes = (struct pdn_bytes){t->at, (size_t)(end - t->at)};
}

static struct pdn_token unreadable(const struct pdn_tokens *t, const char *end, const char *reason) {
    struct pdn_token token = token_to(t, PDN_UNREADABLE, end);
    token.reason = reason;
    return token;
}

static struct pdn_token open_comment(const struct pdn_tokens *t, const char *end) {
    struct pdn_token token = unreadable(t, end, "the comment is not closed");
    if (end == t->end) token.rest = PDN_REST_COMMENT;
    return token;
}

static struct pdn_token comment_token(const struct pdn_tokens *t) {
    const char *close = find_close(t, t->at + 1, '}');
    if (char_at(t, close) != '}') return open_comment(t, close);
    struct pdn_token token = token_to(t, PDN_COMMENT, close + 1);
    token.inside = (struct pdn_bytes){t->at + 1, (size_t)(close - t->at - 1)};
    return token;
}

static bool is_setup(const struct pdn_tokens *t, const char *at) {
    if (*at != '/') return false;
    at = after_spaces(t, at + 1);
    return t->end - at >= 3 && !strncasecmp(at, "FEN", 3);
}

static struct pdn_token setup_token(const struct pdn_tokens *t) {
    const char *close = find_close(t, t->at + 1, '/');
    return char_at(t, close) == '/' ? token_to(t, PDN_SETUP, close + 1)
                                    : unreadable(t, close, "the setup is not closed");
}

// Where the parenthesis that is open here is closed in the rest of the line; NULL when it is not.
static const char *close_on_line(const struct pdn_tokens *t, const char *at) {
    long depth = 1;
    for (; at < t->end && !is_line_end(*at); at++) {
        if (*at == '(') depth++;
        if (*at == ')' && --depth == 0) return at;
    }
    return NULL;
}

// "(!?)", or a variation with whatever is in it. No recursion: a file may nest them as deep as it is long. A
// semicolon in it begins a comment, unless that would hide the parenthesis: then it parts moves.
static struct pdn_token parenthesis_token(const struct pdn_tokens *t) {
    const char *at = t->at, *parted_to = at;  // semicolons up to there part moves
    long depth = 0;
    while (at < t->end && !is_tag_line(t, at)) {
        if (*at == '(') depth++;
        if (*at == ')' && --depth == 0) return token_to(t, PDN_MARK, at + 1);
        if (*at == ';' && at >= parted_to) parted_to = close_on_line(t, at);
        if (*at == '{')
            at = find_close(t, at + 1, '}');
        else if (*at == '%' || !parted_to)
            at = after_line(t, at);
        if (!parted_to) parted_to = at;
        if (at < t->end && !is_tag_line(t, at)) at++;
    }
    return unreadable(t, at, "the variation is not closed");
}

// What chess files have, and PDN neither names nor forbids.
static struct pdn_token line_comment_token(const struct pdn_tokens *t) {
    struct pdn_token token = token_to(t, PDN_COMMENT, after_line(t, t->at));
    token.inside = (struct pdn_bytes){t->at + 1, token.bytes.size - 1};
    token.line = true;
    return token;
}

// ---- tags ----

static struct pdn_bytes bytes_between(const char *from, const char *to) {
    return (struct pdn_bytes){from, to > from ? (size_t)(to - from) : 0};
}

// The quote that ends a value: the next one that a bracket follows, so that quotes within need no "\".
static const char *closing_quote(const struct pdn_tokens *t, const char *at) {
    for (; at < t->end && !is_line_end(*at); at++) {
        if (*at == '\\' && (char_at(t, at + 1) == '\\' || char_at(t, at + 1) == '"')) {
            at++;
        } else if (*at == '"') {
            const char *next = after_spaces(t, at + 1);
            if (char_at(t, next) == ']') return at;
            at = next - 1;
        }
    }
    return NULL;
}

// A value without its closing quote or bracket: the line as far as it can be one.
static struct pdn_bytes damaged_value(const char *from, const char *line_end) {
    while (line_end > from && is_space(line_end[-1])) line_end--;
    if (line_end > from && line_end[-1] == ']') line_end--;
    while (line_end > from && is_space(line_end[-1])) line_end--;
    if (line_end > from && line_end[-1] == '"') line_end--;
    return bytes_between(from, line_end);
}

static struct pdn_token quoted_tag(const struct pdn_tokens *t, struct pdn_bytes name, const char *quote) {
    const char *close = closing_quote(t, quote + 1), *line_end = close ? NULL : after_line(t, quote);
    struct pdn_token token = token_to(t, PDN_TAG, close ? after_spaces(t, close + 1) + 1 : line_end);
    token.name = name;
    token.damaged = !close;
    token.inside = close ? bytes_between(quote + 1, close) : damaged_value(quote + 1, line_end);
    return token;
}

// [pdn] and [/pdn], put around games in forums.
static bool is_wrapper(struct pdn_bytes name) {
    if (name.size && *name.at == '/') name = (struct pdn_bytes){name.at + 1, name.size - 1};
    return name.size == 3 && !strncasecmp(name.at, "pdn", 3);
}

static struct pdn_token words_token(const struct pdn_tokens *t);

// Without quotes a tag must have a line to itself; elsewhere brackets are text.
static struct pdn_token unquoted_tag(const struct pdn_tokens *t, struct pdn_bytes name, const char *value) {
    if (char_at(t, value) == ']' && is_wrapper(name)) return token_to(t, PDN_MARK, value + 1);
    if (!begins_line(t, t->at)) return words_token(t);
    const char *line_end = after_line(t, value), *close = memchr(value, ']', (size_t)(line_end - value));
    if (!close || after_spaces(t, close + 1) != line_end) return words_token(t);
    struct pdn_token token = token_to(t, PDN_TAG, close + 1);
    const bool good =
        name.size && is_letter(*name.at) && (close == value || is_space(value[-1])) && *name.at != '/';
    token.name = good ? name : (struct pdn_bytes){0};
    token.damaged = !good || close > value;
    token.inside = damaged_value(value, close);
    return token;
}

static struct pdn_token bracket_token(const struct pdn_tokens *t) {
    const char *at = after_spaces(t, t->at + 1), *name = at;
    if (char_at(t, at) == '%') {
        const char *line_end = after_line(t, at), *close = memchr(at, ']', (size_t)(line_end - at));
        return token_to(t, PDN_MARK, close ? close + 1 : line_end);
    }
    if (char_at(t, at) == '/') at++;
    while (at < t->end && is_name_char(*at)) at++;
    const struct pdn_bytes bytes = bytes_between(name, at);
    const char *value = after_spaces(t, at);
    if (char_at(t, value) == '"' && bytes.size && is_letter(*name)) return quoted_tag(t, bytes, value);
    return unquoted_tag(t, bytes, value);
}

// ---- results ----

// One side of a result: its bytes, 0 when there is none; *text is its ASCII form.
static size_t points_size(const struct pdn_tokens *t, const char *at, const char **text) {
    static const struct {
        const char *spelling, *text;
    } points[] = {
        {"1/2", "1/2"}, {"\xc2\xbd", "1/2"}, {"\xbd", "1/2"}, {"0", "0"}, {"1", "1"}, {"2", "2"},
    };
    const unsigned char first = (unsigned char)char_at(t, at);
    if (first > '2' && first < 0x80) return 0;
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        if (!is_spelt(t, at, points[i].spelling)) continue;
        *text = points[i].text;
        return strlen(points[i].spelling);
    }
    return 0;
}

// The result of two sides' points, or NULL.
static const char *result_of(const char *left, const char *right) {
    static const char *const results[] = {"1-0", "0-1", "2-0", "0-2", "1-1", "0-0", "1/2-1/2"};
    const size_t length = strlen(left);
    for (size_t i = 0; i < sizeof results / sizeof *results; i++)
        if (!strncmp(results[i], left, length) && results[i][length] == '-' &&
            !strcmp(results[i] + length + 1, right))
            return results[i];
    return NULL;
}

// "1-1" is a result unless more of a move follows: "1-18", "1-1x10". So is "1:0", but "1:1" may be a capture.
static bool read_result(const struct pdn_tokens *t, struct pdn_token *token) {
    const char *left, *right, *at = t->at;
    size_t size = points_size(t, at, &left);
    if (!size) return false;
    at = after_spaces(t, at + size);
    const bool colon = char_at(t, at) == ':';
    if (colon)
        size = 1;
    else if (!is_hyphen(t, at, &size))
        return false;
    at = after_spaces(t, at + size);
    size = points_size(t, at, &right);
    if (!size) return false;
    at += size;
    char plain;
    if (is_digit(char_at(t, at)) || char_at(t, at) == '/' || sign_size(t, at, &plain)) return false;
    const char *result = result_of(left, right);
    if (!result || (colon && !strcmp(result, "1-1"))) return false;
    *token = token_to(t, PDN_RESULT, at);
    token->result = result;
    return true;
}

// ---- moves ----

// The ASCII form of a move as it grows.
struct plain_move {
    char *text;
    size_t size, room;
    bool overflow;
};

static void append(struct plain_move *m, char c) {
    if (m->size == m->room)
        m->overflow = true;
    else
        m->text[m->size++] = c;
}

// A square: what follows it, or NULL when there is none. At most three digits are kept, which is more than
// any square has.
static const char *read_square(const struct pdn_tokens *t, const char *at, struct plain_move *m) {
    const bool letter = is_file(char_at(t, at));
    if (!is_digit(char_at(t, at + letter))) return NULL;
    if (letter) append(m, *at++);
    while (*at == '0' && is_digit(char_at(t, at + 1))) at++;
    for (int digits = 0; is_digit(char_at(t, at)); at++)
        if (digits++ < 3) append(m, *at);
    return at;
}

// What follows the next square of a move and the sign before it, or NULL. Without a sign the square must be
// letter and digit and touch the one before ("a3b4").
static const char *read_step(const struct pdn_tokens *t, const char *at, struct plain_move *m) {
    char plain;
    const struct plain_move before = *m;
    const char *sign = after_spaces(t, at);
    const size_t size = sign_size(t, sign, &plain);
    if (!size) return is_file(char_at(t, at)) ? read_square(t, at, m) : NULL;
    append(m, plain);
    const char *end = read_square(t, after_spaces(t, sign + size), m);
    if (!end) *m = before;
    return end;
}

// "=K" belongs to the move; "*" glued to it means that it was forced, unless a game could end here.
static const char *after_tail(const struct pdn_tokens *t, const char *at) {
    if (char_at(t, at) == '=' && is_letter(char_at(t, at + 1))) at += 2;
    const char *star = at;
    while (char_at(t, star) == '!' || char_at(t, star) == '?') star++;
    if (char_at(t, star) != '*') return at;
    const char *next = after_gap(t, star + 1);
    const bool game_begins =
        char_at(t, next) == '[' || (is_spelt(t, next, "1.") && !is_spelt(t, next, "1.."));
    return next == t->end || game_begins ? at : star + 1;
}

static const char *after_word(const struct pdn_tokens *t, const char *at) {
    while (at < t->end && !blank_size(t, at) && !strchr("{}()*;", *at)) at++;
    return at > t->at ? at : t->at + 1;
}

static struct pdn_token words_token(const struct pdn_tokens *t) {
    const char *end = after_word(t, t->at);
    for (const char *at = t->at; at < end; at++)
        if (is_digit(*at)) return unreadable(t, end, "no move, result or number");
    return token_to(t, PDN_WORDS, end);
}

// "3228", an old way to write moves: two squares of two digits.
static const char *read_signless(const struct pdn_tokens *t, const char *at, struct plain_move *m) {
    for (int i = 0; i < 4; i++)
        if (!is_digit(char_at(t, at + i))) return NULL;
    const char *end = at + 4;
    if (end < t->end && !blank_size(t, end) && !strchr("!?$*(){};", *end)) return NULL;
    const struct pdn_tokens first = {.begin = at, .at = at, .end = at + 2};
    read_square(&first, at, m);
    append(m, '-');
    read_square(t, at + 2, m);
    return end;
}

// The squares and signs of a move: what follows them, or NULL. *signless: it is of the old kind.
static const char *read_squares(const struct pdn_tokens *t, struct plain_move *m, bool *signless) {
    *signless = false;
    const char *at = read_square(t, t->at, m), *first = at;
    if (!at) return NULL;
    for (const char *next; (next = read_step(t, at, m));) at = next;
    if (at > first) return at;
    m->size = 0;
    *signless = true;
    return read_signless(t, t->at, m);
}

static bool read_move(const struct pdn_tokens *t, struct pdn_token *token) {
    char text[PDN_MOVE_TEXT_SIZE];
    struct plain_move move = {.text = text, .room = sizeof text - 1};
    bool signless;
    const char *at = read_squares(t, &move, &signless);
    if (!at) return false;
    *token = move.overflow ? unreadable(t, at, "the move has too many squares")
                           : token_to(t, PDN_MOVE, after_tail(t, at));
    token->signless = signless;
    return true;
}

void pdn_move_text(const struct pdn_token *token, char text[static PDN_MOVE_TEXT_SIZE]) {
    const struct pdn_tokens t = pdn_tokens_of(token->bytes.at, token->bytes.size);
    struct plain_move move = {.text = text, .room = PDN_MOVE_TEXT_SIZE - 1};
    bool signless;
    (void)read_squares(&t, &move, &signless);
    text[move.size] = '\0';
}

// ---- moves as nearly all are written ----

// What follows the square that begins here, or NULL. At least three bytes must be there.
static const char *read_plain_square(const char *at, pdn_square *s) {
    enum { LETTERS = 100 };
    const bool letter = *at >= 'a' && *at <= 'l';
    const int base = letter ? LETTERS + 10 * (*at++ - 'a') : 0;
    if (*at < '1' || *at > '9') return NULL;
    int number = *at++ - '0';
    if (is_digit(*at)) {
        if (letter) return NULL;
        number = 10 * number + (*at++ - '0');
    }
    *s = (pdn_square)(base + number);
    return at;
}

pdn_square pdn_square_of(const char *text) {
    const char padded[4] = {text[0], text[0] ? text[1] : '\0', text[0] && text[1] ? text[2] : '\0'};
    pdn_square s = 0;
    const char *end = read_plain_square(padded, &s);
    return end && !*end ? s : 0;
}

// "32-28", "c3:e5": two squares and a sign between blanks, of which no more follows and which is no result.
static bool read_plain_move(const struct pdn_tokens *t, struct pdn_token *token) {
    enum { LONGEST = 6 };
    if (t->end - t->at < LONGEST + 2) return false;
    pdn_square from, to = 0;
    const char *at = read_plain_square(t->at, &from);
    if (!at || (*at != '-' && *at != 'x' && *at != ':')) return false;
    at = read_plain_square(at + 1, &to);
    const bool may_be_result = from <= 2 && to <= 2;
    if (!at || may_be_result || (*at != ' ' && !is_line_end(*at))) return false;
    const char next = char_at(t, after_spaces(t, at));
    if (next == '-' || next == 'x' || next == 'X' || next == ':' || (unsigned char)next >= 0x80) return false;
    set_token(token, t, PDN_MOVE, at);
    token->from = from;
    token->to = to;
    return true;
}

// ---- numbers ----

static const char *after_digits(const struct pdn_tokens *t) {
    const char *at = t->at;
    while (at < t->end && is_digit(*at)) at++;
    return at;
}

// "12.", "12...", "12. ...", with which neither a result nor a move begins.
static bool read_dotted_number(const struct pdn_tokens *t, struct pdn_token *token) {
    const char *at = after_digits(t), *end = at, *digits = t->at;
    int dots = 0;
    if (at == digits || char_at(t, at) != '.') return false;
    for (; char_at(t, at) == '.'; at = after_spaces(t, at)) {
        for (; char_at(t, at) == '.'; at++) dots++;
        end = at;
    }
    while (*digits == '0') digits++;
    set_token(token, t, PDN_NUMBER, end);
    token->dotted = true;
    token->first = dots == 1 && digits[0] == '1' && digits[1] == '.';
    return true;
}

// Digits alone.
static bool read_number(const struct pdn_tokens *t, struct pdn_token *token) {
    const char *end = after_digits(t);
    if (end == t->at || (end < t->end && !blank_size(t, end) && !strchr("{}()*[;", *end))) return false;
    *token = token_to(t, PDN_NUMBER, end);
    return true;
}

static struct pdn_token number_or_move_token(const struct pdn_tokens *t) {
    struct pdn_token token;
    if (read_result(t, &token) || read_move(t, &token) || read_number(t, &token)) return token;
    return words_token(t);
}

// ---- any token ----

static const char *after_all_of(const struct pdn_tokens *t, const char *set) {
    const char *at = t->at + 1;
    while (at < t->end && *at && strchr(set, *at)) at++;
    return at;
}

static struct pdn_token other_token(const struct pdn_tokens *t) {
    struct pdn_token token;
    size_t size;
    if (is_setup(t, t->at)) return setup_token(t);
    if (is_hyphen(t, t->at, &size)) return token_to(t, PDN_NO_MOVE, t->at + size);
    return read_result(t, &token) ? token : words_token(t);
}

// What the gap that begins here and reaches to the end ends in.
static enum pdn_rest rest_of_gap(const struct pdn_tokens *t, const char *gap) {
    const char *at = t->end;
    while (at > gap && !is_line_end(at[-1])) at--;
    if (at == gap && t->rest == PDN_REST_LINE) return PDN_REST_LINE;
    return char_at(t, after_blanks(t, at)) == '%' ? PDN_REST_LINE : PDN_REST_NONE;
}

static struct pdn_token end_token(const struct pdn_tokens *t, const char *gap) {
    struct pdn_token token = token_to(t, PDN_END, t->at);
    token.rest = rest_of_gap(t, gap);
    return token;
}

static struct pdn_token token_at(const struct pdn_tokens *t) {
    switch (*t->at) {
    case '[': return bracket_token(t);
    case '{': return comment_token(t);
    case ';': return line_comment_token(t);
    case '(': return parenthesis_token(t);
    case '*': return token_to(t, PDN_SEPARATOR, t->at + 1);
    case '.':
    case '!':
    case '?': return token_to(t, PDN_MARK, after_all_of(t, ".!?"));
    case '$': return token_to(t, PDN_MARK, after_all_of(t, "0123456789"));
    case '}': return unreadable(t, t->at + 1, "a closing brace without an opening one");
    case ')': return unreadable(t, t->at + 1, "a closing parenthesis without an opening one");
    default: return is_digit(*t->at) || is_file(*t->at) ? number_or_move_token(t) : other_token(t);
    }
}

// Behind the rest of a comment. False when that is not closed: then *token is what there is of it.
static bool pass_rest(struct pdn_tokens *t, struct pdn_token *token) {
    if (t->rest == PDN_REST_LINE) t->at = after_line(t, t->at);
    if (t->rest != PDN_REST_COMMENT) return true;
    const char *close = find_close(t, t->at, '}');
    if (char_at(t, close) != '}') *token = open_comment(t, close);
    t->at = char_at(t, close) == '}' ? close + 1 : close;
    return t->at > close;
}

void pdn_tokens_next(struct pdn_tokens *t, struct pdn_token *token) {
    const char *gap = t->at;
    if (t->rest == PDN_REST_NONE || pass_rest(t, token)) {
        t->at = after_gap(t, t->at);
        *token = (struct pdn_token){0};
        if (!read_plain_move(t, token) && !read_dotted_number(t, token))
            *token = t->at == t->end ? end_token(t, gap) : token_at(t);
        t->at = token->bytes.at + token->bytes.size;
    }
    if (token->line && t->at == t->end) token->rest = PDN_REST_LINE;
    t->rest = PDN_REST_NONE;
}
