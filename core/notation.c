// notation.c -- squares, positions and moves as text, and back.
//
// Square numbers follow from the GameType fields of the rules alone: seen by the side that starts, counting
// begins in one corner and runs along the rows. That is the common board with its files, its ranks, both or
// neither counted from the other end (`struct counting`).
//
// Writing is strict; reading takes what files and people write, as long as it can mean only one thing.
#include "core/notation.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/routes.h"

enum { NUMBER_TOO_LARGE = 10000 };

// ---- scanning ----

static struct quote quoted_text(const char *text) {
    return error_quote(text, strnlen(text, sizeof(struct quote)));
}

// Text that is being read: from `at` to `end`, which need not be a zero byte.
struct scan {
    const char *at, *end;
};

static struct scan scan_text(const char *text) { return (struct scan){text, text + strlen(text)}; }

#define BLANKS " \t\r\n\f\v"

static bool is_blank(char c) { return c && strchr(BLANKS, c); }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

static char peek(const struct scan *s) { return s->at < s->end ? *s->at : '\0'; }

static bool starts_with(const struct scan *s, const char *text) {
    const size_t length = strlen(text);
    return (size_t)(s->end - s->at) >= length && !strncasecmp(s->at, text, length);
}

static bool skip(struct scan *s, const char *text) {
    if (!starts_with(s, text)) return false;
    s->at += strlen(text);
    return true;
}

static void skip_blanks(struct scan *s) {
    while (s->at < s->end && is_blank(*s->at)) s->at++;
}

static bool skip_char_of(struct scan *s, const char *set) {
    if (s->at == s->end || !*s->at || !strchr(set, *s->at)) return false;
    s->at++;
    return true;
}

// Digits must follow. A number too large for any use is cut to NUMBER_TOO_LARGE.
static int read_digits(struct scan *s) {
    int number = 0;
    for (; is_digit(peek(s)); s->at++)
        if (number < NUMBER_TOO_LARGE) number = 10 * number + (*s->at - '0');
    return number < NUMBER_TOO_LARGE ? number : NUMBER_TOO_LARGE;
}

// ---- squares ----

struct counting {
    bool files_reversed, ranks_reversed;
};

static struct counting counting_of(const struct rules *r) {
    const bool from_black = r->starts == BLACK;
    const bool right = r->first_square == BOTTOM_RIGHT || r->first_square == TOP_RIGHT;
    const bool top = r->first_square == TOP_LEFT || r->first_square == TOP_RIGHT;
    return (struct counting){.files_reversed = r->mirrored ^ from_black ^ right,
                             .ranks_reversed = from_black ^ top};
}

// On the common board, with its playing square in the bottom left corner.
static square square_at(int width, int file, int rank) {
    return board_square(width, (width - 1 - rank) * (width / 2) + file / 2 + 1);
}

static int reversed_if(bool reversed, int width, int i) { return reversed ? width - 1 - i : i; }

int square_pdn_number(const struct variant *variant, square s) {
    const int width = variant->rules->width;
    const struct counting c = counting_of(variant->rules);
    const int file = reversed_if(c.files_reversed, width, board_file(width, s));
    const int row = reversed_if(!c.ranks_reversed, width, board_rank_from_top(width, s));
    return row * (width / 2) + file / 2 + 1;
}

square square_from_pdn_number(const struct variant *variant, int number) {
    const int width = variant->rules->width, index = number - 1;
    const struct counting c = counting_of(variant->rules);
    const int row = index / (width / 2);
    // Reversing files or ranks of a board of even width makes the other squares the playing ones; both,
    // neither.
    const int shifted = (row + (c.files_reversed != c.ranks_reversed)) % 2;
    const int file = 2 * (index % (width / 2)) + shifted;
    return square_at(width, reversed_if(c.files_reversed, width, file),
                     reversed_if(c.ranks_reversed, width, row));
}

void square_on_official_board(const struct variant *variant, square s, int *file, int *rank) {
    const int width = variant->rules->width;
    *file = reversed_if(variant->rules->mirrored, width, board_file(width, s));
    *rank = width - 1 - board_rank_from_top(width, s);
}

// The functions named put_ write a text and return its end.

// 0..99
static char *put_number(int number, char *to) {
    if (number >= 10) *to++ = (char)('0' + number / 10);
    *to++ = (char)('0' + number % 10);
    *to = '\0';
    return to;
}

static char *put_square(const struct variant *variant, square s, char *to) {
    if (variant->rules->names == NUMERIC) return put_number(square_pdn_number(variant, s), to);
    int file, rank;
    square_on_official_board(variant, s, &file, &rank);
    *to++ = (char)('a' + file);
    return put_number(rank + 1, to);
}

void square_to_text(const struct variant *variant, square s, char text[static SQUARE_TEXT_SIZE]) {
    put_square(variant, s, text);
}

// A square as it was written: a number, or a file and a rank.
struct square_name {
    bool letters;
    int file, rank;  // from 0
    int number;
};

static bool read_square_name(struct scan *s, struct square_name *name) {
    const char c = peek(s);
    if (is_digit(c)) {
        *name = (struct square_name){.number = read_digits(s)};
        return true;
    }
    if (!is_letter(c) || s->end - s->at < 2 || !is_digit(s->at[1])) return false;
    s->at++;
    *name = (struct square_name){
        .letters = true, .file = tolower((unsigned char)c) - 'a', .rank = read_digits(s) - 1};
    return true;
}

// False when there is no such square. `from_top_left`: numbers count as on the common board.
static bool square_of_name(const struct variant *variant, struct square_name name, bool from_top_left,
                           square *s) {
    const struct rules *r = variant->rules;
    const int width = r->width;
    if (!name.letters) {
        if (name.number < 1 || name.number > board_squares(width)) return false;
        *s = from_top_left ? board_square(width, name.number) : square_from_pdn_number(variant, name.number);
        return true;
    }
    if (name.file >= width || name.rank < 0 || name.rank >= width) return false;
    const int file = reversed_if(r->mirrored, width, name.file);
    if ((file + name.rank) % 2) return false;
    *s = square_at(width, file, name.rank);
    return true;
}

// ---- FEN, written ----

static char *put_pieces(const struct variant *variant, const struct position *p, enum side side, char *to) {
    *to++ = ':';
    *to++ = side == WHITE ? 'W' : 'B';
    bool first = true;
    for (int number = 1; number <= board_squares(variant->rules->width); number++) {
        const square s = square_from_pdn_number(variant, number);
        if (!(p->pieces[side] & square_bit(s))) continue;
        if (!first) *to++ = ',';
        if (p->kings & square_bit(s)) *to++ = 'K';
        to = put_square(variant, s, to);
        first = false;
    }
    *to = '\0';
    return to;
}

// As lidraughts writes it: Black first, the count and the king's square in two digits.
static char *put_king_run(const struct variant *variant, const struct king_run *run, char *to) {
    *to++ = '+';
    to = put_number(run->moves, to);
    if (!run->moves) return to;
    const int number = square_pdn_number(variant, run->king);
    if (number < 10) *to++ = '0';
    return put_number(number, to);
}

void position_to_fen(const struct variant *variant, const struct position *p,
                     char text[static FEN_TEXT_SIZE]) {
    char *to = text;
    *to++ = p->turn == WHITE ? 'W' : 'B';
    to = put_pieces(variant, p, WHITE, to);
    to = put_pieces(variant, p, BLACK, to);
    if (!variant->rules->king_move_limit || !(p->run[WHITE].moves || p->run[BLACK].moves)) return;
    *to++ = ':';
    to = put_king_run(variant, &p->run[BLACK], to);
    put_king_run(variant, &p->run[WHITE], to);
}

// ---- FEN, read ----

struct fen {
    const struct variant *variant;
    bool from_top_left;  // how numbers count; see position_from_fen
    bool numbers;        // some squares were numbers
    bool given[2];       // the pieces of a side were listed
    struct position position;
};

static void drop_last_of(struct scan *s, const char *set) {
    while (s->end > s->at && s->end[-1] && strchr(set, s->end[-1])) s->end--;
}

// Without what may stand around it: blanks, [FEN "..."], quotes, a final dot, a byte order mark.
static struct scan fen_body(const char *text) {
    struct scan s = scan_text(text);
    skip(&s, "\xef\xbb\xbf");
    skip_blanks(&s);
    drop_last_of(&s, BLANKS);
    if (skip_char_of(&s, "[") && s.end > s.at && s.end[-1] == ']') s.end--;
    skip_blanks(&s);
    skip(&s, "FEN");
    while (skip_char_of(&s, BLANKS "\"'")) continue;
    drop_last_of(&s, BLANKS "\"'.");
    return s;
}

// The item that begins at `at`, for an error message.
static struct quote quoted_item(const char *at, const char *end) {
    const char *comma = memchr(at, ',', (size_t)(end - at));
    return error_quote(at, (size_t)((comma ? comma : end) - at));
}

static bool no_such_square(const struct variant *variant, struct quote item, struct error *error) {
    const int width = variant->rules->width;
    return error_set(error, "\"%s\": no such square; there are 1..%d, or the playing squares of a1..%c%d",
                     item.text, board_squares(width), 'a' + width - 1, width);
}

static bool put_piece(struct fen *fen, enum side side, bool king, square s, struct quote item,
                      struct error *error) {
    struct position *p = &fen->position;
    if ((p->pieces[WHITE] | p->pieces[BLACK]) & square_bit(s)) {
        char name[SQUARE_TEXT_SIZE];
        square_to_text(fen->variant, s, name);
        return error_set(error, "\"%s\": square %s is given twice", item.text, name);
    }
    p->pieces[side] |= square_bit(s);
    if (king) p->kings |= square_bit(s);
    return true;
}

// [K] square, or [K] number-number.
static bool read_item(struct fen *fen, struct scan *s, enum side side, struct error *error) {
    const struct quote item = quoted_item(s->at, s->end);
    const bool king = skip_char_of(s, "Kk");
    struct square_name first, last;
    skip_blanks(s);
    if (!read_square_name(s, &first)) return error_set(error, "expected a square, got \"%s\"", item.text);
    last = first;
    skip_blanks(s);
    if (skip_char_of(s, "-")) {
        skip_blanks(s);
        if (!read_square_name(s, &last) || first.letters || last.letters)
            return error_set(error, "\"%s\": a range needs a number on both sides", item.text);
    }
    if (last.number < first.number) return error_set(error, "\"%s\": the range runs backwards", item.text);
    if (!first.letters) fen->numbers = true;
    for (struct square_name name = first; name.number <= last.number; name.number++) {
        square at;
        if (!square_of_name(fen->variant, name, fen->from_top_left, &at))
            return no_such_square(fen->variant, item, error);
        if (!put_piece(fen, side, king, at, item, error)) return false;
    }
    return true;
}

static bool read_pieces(struct fen *fen, struct scan s, enum side side, struct error *error) {
    fen->given[side] = true;
    for (;;) {
        while (is_blank(peek(&s)) || peek(&s) == ',') s.at++;
        if (s.at == s.end) return true;
        if (!read_item(fen, &s, side, error)) return false;
    }
}

// "+" count [square], the square with or without brackets.
static bool read_king_run(struct fen *fen, struct scan *s, enum side side) {
    struct position *p = &fen->position;
    if (!skip_char_of(s, "+") || !is_digit(peek(s))) return false;
    const int moves = *s->at++ - '0';
    const bool bracket = skip_char_of(s, "[");
    struct square_name name = {0};
    const bool named = is_digit(peek(s)) && read_square_name(s, &name);
    if (bracket && !skip_char_of(s, "]")) return false;
    // FRIS 17: nothing counts for a side without men.
    if (!moves || !position_men(p, side)) return true;
    const bitboard kings = position_kings(p, side);
    square king;
    if (named) {
        if (!square_of_name(fen->variant, name, false, &king)) return false;
    } else {
        if (bits_count(kings) != 1) return false;
        king = bits_first(kings);
    }
    if (!(kings & square_bit(king))) return false;
    const int limit = fen->variant->rules->king_move_limit;
    p->run[side] = (struct king_run){.king = king, .moves = (uint8_t)(moves < limit ? moves : limit)};
    return true;
}

static bool read_king_runs(struct fen *fen, struct scan s, struct error *error) {
    const struct scan field = s;
    bool good = read_king_run(fen, &s, BLACK) && read_king_run(fen, &s, WHITE);
    skip_blanks(&s);
    if (good && s.at == s.end) return true;
    return error_set(
        error,
        "\"%s\": expected the king moves in a row of Black and White and the square of that king, "
        "as in +248+0",
        error_quote(field.at, (size_t)(field.end - field.at)).text);
}

// The colour that a list of squares begins with. In a game of letters a small b before a digit is a file.
static bool read_colour(const struct fen *fen, struct scan *field, enum side *side) {
    const bool letters = fen->variant->rules->names == ALGEBRAIC;
    if (letters && peek(field) == 'b' && field->end - field->at > 1 && is_digit(field->at[1])) return false;
    *side = skip_char_of(field, "Ww") ? WHITE : BLACK;
    return *side == WHITE || skip_char_of(field, "Bb");
}

static bool read_field(struct fen *fen, struct scan field, struct error *error) {
    skip_blanks(&field);
    while (field.end > field.at && is_blank(field.end[-1])) field.end--;
    if (field.at == field.end) return true;
    // Move counters of lidraughts ("H0", "F1") and whatever else others append.
    const bool appended = fen->given[WHITE] && fen->given[BLACK] && !strchr("WwBb", *field.at);
    if (appended && (*field.at != '+' || !fen->variant->rules->king_move_limit)) return true;
    if (appended) return read_king_runs(fen, field, error);
    enum side side;
    if (read_colour(fen, &field, &side)) return read_pieces(fen, field, side, error);
    return error_set(error, "expected W or B before the squares of a side, got \"%s\"",
                     error_quote(field.at, (size_t)(field.end - field.at)).text);
}

static bool read_turn(struct fen *fen, struct scan *s, struct error *error) {
    switch (peek(s)) {
    case 'W':
    case 'w': fen->position.turn = WHITE; break;
    case 'B':
    case 'b': fen->position.turn = BLACK; break;
    case '?': return error_set(error, "the side to move is unknown (\"?\")");
    default:
        return error_set(error, "expected W or B for the side to move, got \"%s\"",
                         error_quote(s->at, (size_t)(s->end - s->at)).text);
    }
    s->at++;
    skip_blanks(s);
    if (skip_char_of(s, ":")) return true;
    return error_set(error, "expected \":\" after the side to move, got \"%s\"",
                     error_quote(s->at, (size_t)(s->end - s->at)).text);
}

static bool read_fen(struct fen *fen, struct scan s, struct error *error) {
    if (!read_turn(fen, &s, error)) return false;
    while (s.at < s.end) {
        struct scan field = s;
        const char *colon = memchr(s.at, ':', (size_t)(s.end - s.at));
        field.end = colon ? colon : s.end;
        s.at = colon ? colon + 1 : s.end;
        if (!read_field(fen, field, error)) return false;
    }
    if (fen->given[WHITE] || fen->given[BLACK]) return true;
    return error_set(error, "no pieces are given");
}

static bool man_on_crown_row(const struct fen *fen) {
    const int width = fen->variant->rules->width;
    const struct position *p = &fen->position;
    return (position_men(p, WHITE) & board_crown_row(width, WHITE)) |
           (position_men(p, BLACK) & board_crown_row(width, BLACK));
}

// In games of letters a number is PDN's (a1 = 1), unless that puts a man on its crowning row and counting
// from the top left (b8 = 1), as lidraughts and most engines do inside, does not.
bool position_from_fen(const struct variant *variant, const char *text, struct position *p,
                       struct error *error) {
    const struct scan body = fen_body(text);
    if (body.end - body.at == 5 && starts_with(&body, "start")) {
        *p = variant_initial(variant);
        return true;
    }
    struct fen fen = {.variant = variant};
    bool good = read_fen(&fen, body, error);
    if (variant->rules->names == ALGEBRAIC && fen.numbers && good && man_on_crown_row(&fen)) {
        struct fen other = {.variant = variant, .from_top_left = true};
        if (read_fen(&other, body, NULL) && !man_on_crown_row(&other)) fen = other;
    }
    if (!good || !variant_check(variant, &fen.position, error)) return false;
    *p = fen.position;
    return true;
}

bool position_from_options(const char *variant_name, const char *fen, const struct variant **variant,
                           struct position *position, struct error *error) {
    *variant = variant_find(variant_name, error);
    if (!*variant) return false;
    *position = variant_initial(*variant);
    return !fen || position_from_fen(*variant, fen, position, error) || error_prefix(error, "--fen");
}

// ---- Hub positions ----

void position_to_hub(const struct variant *variant, const struct position *p,
                     char text[static HUB_TEXT_SIZE]) {
    const int width = variant->rules->width, squares = board_squares(width);
    text[0] = p->turn == WHITE ? 'W' : 'B';
    for (int number = 1; number <= squares; number++) {
        const bitboard bit = square_bit(board_square(width, number));
        char c = 'e';
        if (p->pieces[WHITE] & bit) c = p->kings & bit ? 'W' : 'w';
        if (p->pieces[BLACK] & bit) c = p->kings & bit ? 'B' : 'b';
        text[number] = c;
    }
    text[squares + 1] = '\0';
}

bool position_from_hub(const struct variant *variant, const char *text, struct position *p,
                       struct error *error) {
    const int width = variant->rules->width, squares = board_squares(width);
    struct scan s = scan_text(text);
    skip_blanks(&s);
    while (s.end > s.at && is_blank(s.end[-1])) s.end--;
    if (s.end - s.at == 5 && starts_with(&s, "start")) {
        *p = variant_initial(variant);
        return true;
    }
    if (s.end - s.at != squares + 1)
        return error_set(error, "expected the side to move and %d squares, got %td characters", squares,
                         s.end - s.at);
    struct position new = {.turn = *s.at == 'B' ? BLACK : WHITE};
    if (*s.at != 'W' && *s.at != 'B')
        return error_set(error, "expected W or B for the side to move, got \"%s\"",
                         error_quote(s.at, 1).text);
    for (int number = 1; number <= squares; number++) {
        const bitboard bit = square_bit(board_square(width, number));
        const char c = s.at[number];
        if (c == 'e') continue;
        if (!c || !strchr("wWbB", c))
            return error_set(error, "square %d: expected one of wWbBe, got \"%s\"", number,
                             error_quote(&c, 1).text);
        new.pieces[c == 'w' || c == 'W' ? WHITE : BLACK] |= bit;
        if (c == 'W' || c == 'B') new.kings |= bit;
    }
    if (!variant_check(variant, &new, error)) return false;
    *p = new;
    return true;
}

// ---- moves, written ----

// Can two moves be taken for each other when only their ends and the sign are written?
static bool alike(const struct rules *r, struct move a, struct move b) {
    return a.from == b.from && a.to == b.to && (!a.captured == !b.captured || r->capture_sign == '-');
}

static bool is_ambiguous(const struct variant *variant, const struct move_list *legal, struct move move) {
    for (int i = 0; i < legal->count; i++)
        if (alike(variant->rules, legal->moves[i], move) && !move_equal(legal->moves[i], move)) return true;
    return false;
}

static char *put_next(const struct variant *variant, square s, char *to) {
    *to++ = variant->rules->capture_sign;
    return put_square(variant, s, to);
}

static void put_route(const struct variant *variant, square from, const struct route *route, char *to) {
    to = put_square(variant, from, to);
    for (int i = 0; i < route->count; i++) to = put_next(variant, route->stops[i], to);
}

// PDN 3.0: "all the intermediate squares". The captured squares serve where no route was found in time, which
// move_from_text reads as well.
static void put_long_form(const struct variant *variant, const struct position *p, struct move move,
                          char *to) {
    struct route route;
    if (route_find(variant, p, move, &route)) {
        put_route(variant, move.from, &route, to);
        return;
    }
    to = put_square(variant, move.from, to);
    for (bitboard b = move.captured; b; b = bits_without_lowest(b)) to = put_next(variant, bits_first(b), to);
    put_next(variant, move.to, to);
}

void move_to_text(const struct variant *variant, const struct position *p, const struct move_list *legal,
                  struct move move, char text[static MOVE_TEXT_SIZE]) {
    if (move.captured && is_ambiguous(variant, legal, move)) {
        put_long_form(variant, p, move, text);
        return;
    }
    char *to = put_square(variant, move.from, text);
    *to++ = move.captured ? variant->rules->capture_sign : '-';
    put_square(variant, move.to, to);
}

void move_captures_to_text(const struct variant *variant, struct move move,
                           char text[static CAPTURES_TEXT_SIZE]) {
    char *to = text;
    *to = '\0';
    if (!move.captured) return;
    const char *separator = " {";
    for (int number = 1; number <= board_squares(variant->rules->width); number++) {
        const square s = square_from_pdn_number(variant, number);
        if (!(move.captured & square_bit(s))) continue;
        to = put_square(variant, s, stpcpy(to, separator));
        separator = ",";
    }
    strcpy(to, "}");
}

struct route_texts {
    const struct variant *variant;
    struct move move;
    route_text *each;
    void *context;
};

static bool route_to_text(void *context, const struct route *route) {
    const struct route_texts *texts = context;
    char text[MOVE_TEXT_SIZE], captures[CAPTURES_TEXT_SIZE], *to = captures;
    put_route(texts->variant, texts->move.from, route, text);
    for (int i = 0; i < route->count; i++)
        to = put_square(texts->variant, route->taken[i], stpcpy(to, i ? "," : " {"));
    strcpy(to, "}");
    return texts->each(texts->context, text, captures);
}

bool move_routes_to_text(const struct variant *variant, const struct position *p, struct move move,
                         route_text *each, void *context) {
    struct route_texts texts = {variant, move, each, context};
    return routes_visit(variant, p, move, route_to_text, &texts);
}

// ---- moves, read ----

enum { MAX_SPOKEN = MAX_CAPTURED + 2 };

// A move as it was written.
struct spoken {
    square squares[MAX_SPOKEN];
    int count;
    bool quiet_sign, capture_sign;
    bitboard captured;  // named in braces, 0 = none
};

// "-" or "x", also as typographers and forums write them.
static bool skip_sign(struct scan *s, struct spoken *m) {
    static const char *const quiet[] = {"-", "\xe2\x80\x93", "\xe2\x80\x94", "\xe2\x88\x92"};
    static const char *const capture[] = {"x", ":", "\xc3\x97"};
    for (size_t i = 0; i < sizeof quiet / sizeof *quiet; i++)
        if (skip(s, quiet[i])) return m->quiet_sign = true;
    for (size_t i = 0; i < sizeof capture / sizeof *capture; i++)
        if (skip(s, capture[i])) return m->capture_sign = true;
    return false;
}

// One square of a move. A number in a game of letters could count from either end of the board, and a wrong
// guess can be a legal move: it is refused.
static bool read_move_square(const struct variant *variant, struct scan *s, struct spoken *m,
                             const char *text, struct error *error) {
    struct square_name name;
    if (!read_square_name(s, &name))
        return error_set(error, "\"%s\": expected a square %s", quoted_text(text).text,
                         m->count ? "after the sign" : "to begin with");
    if (!name.letters && variant->rules->names == ALGEBRAIC)
        return error_set(error, "\"%s\": squares of %s are written as letter and number, as in c3",
                         quoted_text(text).text, variant->name);
    square at;
    if (!square_of_name(variant, name, false, &at)) return no_such_square(variant, quoted_text(text), error);
    if (m->count == MAX_SPOKEN) return error_set(error, "\"%s\": too many squares", quoted_text(text).text);
    m->squares[m->count++] = at;
    return true;
}

// "{23,14}" as the program writes it; other comments mean nothing here.
static bool read_braces(const struct variant *variant, struct scan *s, struct spoken *m) {
    struct scan inside = *s;
    const char *close = memchr(s->at, '}', (size_t)(s->end - s->at));
    if (!close) return false;
    s->at = close + 1;
    inside.end = close;
    bitboard captured = 0;
    do {
        struct square_name name;
        square at;
        skip_blanks(&inside);
        if (!read_square_name(&inside, &name) || !square_of_name(variant, name, false, &at)) return true;
        captured |= square_bit(at);
        skip_blanks(&inside);
    } while (skip_char_of(&inside, ","));
    if (inside.at == inside.end) m->captured = captured;
    return true;
}

// What may follow a move: "=K", "!?", "(!)", "{...}".
static bool read_tail(const struct variant *variant, struct scan *s, struct spoken *m) {
    for (skip_blanks(s); s->at < s->end; skip_blanks(s)) {
        if (skip(s, "=K") || skip_char_of(s, "!?()*")) continue;
        if (!skip_char_of(s, "{") || !read_braces(variant, s, m)) return false;
    }
    return true;
}

static bool read_move(const struct variant *variant, const char *text, struct spoken *m,
                      struct error *error) {
    struct scan s = scan_text(text);
    *m = (struct spoken){0};
    skip_blanks(&s);
    for (;;) {
        if (!read_move_square(variant, &s, m, text, error)) return false;
        skip_blanks(&s);
        const bool glued = is_letter(peek(&s)) && peek(&s) != 'x' && peek(&s) != 'X';
        if (!skip_sign(&s, m) && !glued) break;
        skip_blanks(&s);
    }
    if (m->count < 2) return error_set(error, "\"%s\": expected a sign and a square", quoted_text(text).text);
    if (!read_tail(variant, &s, m))
        return error_set(error, "\"%s\": unexpected \"%s\" after the move", quoted_text(text).text,
                         error_quote(s.at, (size_t)(s.end - s.at)).text);
    return true;
}

// The moves that a text may mean, as indexes in the list of legal moves.
struct candidates {
    const struct variant *variant;
    const struct position *position;
    const struct move_list *legal;
    const struct spoken *spoken;
    bitboard straight;  // what the squares take when each step jumps one piece, see route_captures; once
                        // there is more than one candidate
    int count;
    uint16_t index[MAX_MOVES];
};

typedef bool candidate_test(const struct candidates *, struct move);

// Keeps the candidates that pass.
static void candidates_keep(struct candidates *c, candidate_test *test) {
    int kept = 0;
    for (int i = 0; i < c->count; i++)
        if (test(c, c->legal->moves[c->index[i]])) c->index[kept++] = c->index[i];
    c->count = kept;
}

// Keeps those that pass if there are any, and says so.
static bool candidates_prefer(struct candidates *c, candidate_test *test) {
    bool any = false;
    for (int i = 0; i < c->count && !any; i++) any = test(c, c->legal->moves[c->index[i]]);
    if (any) candidates_keep(c, test);
    return any;
}

static void candidates_all(struct candidates *c) {
    c->count = 0;
    for (int i = 0; i < c->legal->count; i++) c->index[c->count++] = (uint16_t)i;
}

static bool has_these_ends(const struct candidates *c, struct move m) {
    const struct spoken *said = c->spoken;
    return m.from == said->squares[0] && m.to == said->squares[said->count - 1];
}

static bool takes_what_braces_say(const struct candidates *c, struct move m) {
    return m.captured == c->spoken->captured;
}

static bool is_capture(const struct candidates *c, struct move m) { return (void)c, m.captured; }
static bool is_quiet(const struct candidates *c, struct move m) { return (void)c, !m.captured; }

static bool is_long_form(const struct candidates *c, struct move m) {
    return m.captured && m.captured == c->straight;
}

// The squares between the ends are some of the long form's, in order.
static bool stops_at_squares(const struct candidates *c, struct move m) {
    const struct spoken *said = c->spoken;
    return said->count == 2 ||
           (m.captured && route_stops_at(c->variant, c->position, m, said->squares + 1, said->count - 2));
}

// The piece may at least have come over them.
static bool passes_squares(const struct candidates *c, struct move m) {
    const struct spoken *said = c->spoken;
    return m.captured && route_passes(c->variant, c->position, m, said->squares + 1, said->count - 2);
}

static bitboard squares_from(const struct spoken *said, int first, int last) {
    bitboard b = 0;
    for (int i = first; i < last; i++) b |= square_bit(said->squares[i]);
    return b;
}

// "47x42x29x14x31x36": the squares between the ends are pieces taken.
static bool takes_squares_between(const struct candidates *c, struct move m) {
    return !(squares_from(c->spoken, 1, c->spoken->count - 1) & ~m.captured);
}

static bool takes_just_squares_between(const struct candidates *c, struct move m) {
    return squares_from(c->spoken, 1, c->spoken->count - 1) == m.captured;
}

// "47x36x42x29x14x31", as Hub writes it.
static bool is_hub_form(const struct candidates *c, struct move m) {
    const struct spoken *said = c->spoken;
    return m.from == said->squares[0] && m.to == said->squares[1] && m.captured &&
           m.captured == squares_from(said, 2, said->count);
}

// The sign tells a quiet move from a capture where both may be played, if it is not the same for both.
static void heed_sign(struct candidates *c) {
    if (c->spoken->capture_sign)
        candidates_prefer(c, is_capture);
    else if (c->spoken->quiet_sign && c->spoken->count == 2)
        candidates_prefer(c, is_quiet);
}

// What PDN means by the text comes first, then looser readings.
static void resolve(struct candidates *c) {
    const struct spoken *said = c->spoken;
    c->count = 0;
    for (int i = 0; i < c->legal->count; i++)
        if (has_these_ends(c, c->legal->moves[i])) c->index[c->count++] = (uint16_t)i;
    if (c->count == 1 && said->count == 2 && !said->captured) return;
    c->straight = route_captures(c->variant, c->position, said->squares, said->count);
    if (c->spoken->captured) candidates_keep(c, takes_what_braces_say);
    heed_sign(c);
    if (candidates_prefer(c, is_long_form) || candidates_prefer(c, stops_at_squares) ||
        candidates_prefer(c, passes_squares) || candidates_prefer(c, takes_just_squares_between) ||
        candidates_prefer(c, takes_squares_between))
        return;
    candidates_all(c);
    candidates_keep(c, is_hub_form);
}

enum { MOST_LISTED = 8 };

// "32-28, 32-27 and 7 more"
static void list_moves(const struct candidates *c,
                       char text[static MOST_LISTED * (MOVE_TEXT_SIZE + 2) + 24]) {
    char *to = text;
    *to = '\0';
    for (int i = 0; i < c->count && i < MOST_LISTED; i++) {
        if (i) to = stpcpy(to, ", ");
        move_to_text(c->variant, c->position, c->legal, c->legal->moves[c->index[i]], to);
        to += strlen(to);
    }
    if (c->count > MOST_LISTED) snprintf(to, 24, " and %d more", c->count - MOST_LISTED);
}

static bool not_one_move(struct candidates *c, const char *text, struct error *error) {
    char list[MOST_LISTED * (MOVE_TEXT_SIZE + 2) + 24];
    const bool none = !c->count;
    if (!c->legal->count) return error_set(error, "\"%s\": there is no legal move", quoted_text(text).text);
    if (none) candidates_all(c);
    list_moves(c, list);
    return error_set(error, none ? "\"%s\" is not legal; legal: %s" : "\"%s\" is ambiguous: %s",
                     quoted_text(text).text, list);
}

bool move_from_text(const struct variant *variant, const struct position *p, const struct move_list *legal,
                    const char *text, struct move *move, struct error *error) {
    struct spoken spoken;
    if (legal->truncated) return error_set(error, "the position has more than %d captures", MAX_CAPTURES);
    if (!read_move(variant, text, &spoken, error)) return false;
    struct candidates c;  // not its indexes: setting them would take longer than all the rest
    c.variant = variant;
    c.position = p;
    c.legal = legal;
    c.spoken = &spoken;
    resolve(&c);
    if (c.count != 1) return not_one_move(&c, text, error);
    *move = legal->moves[c.index[0]];
    return true;
}

// ---- Hub moves ----

static char *put_common_number(const struct variant *variant, square s, char *to) {
    return put_number(board_number(variant->rules->width, s), to);
}

void move_to_hub(const struct variant *variant, struct move move, char text[static MOVE_TEXT_SIZE]) {
    char *to = put_common_number(variant, move.from, text);
    *to++ = move.captured ? 'x' : '-';
    to = put_common_number(variant, move.to, to);
    for (bitboard b = move.captured; b; b = bits_without_lowest(b)) {
        *to++ = 'x';
        to = put_common_number(variant, bits_first(b), to);
    }
}

static bool read_hub_move(const struct variant *variant, const char *text, struct spoken *m,
                          struct error *error) {
    struct scan s = scan_text(text);
    *m = (struct spoken){0};
    skip_blanks(&s);
    do {
        if (!is_digit(peek(&s)) || m->count == MAX_SPOKEN)
            return error_set(error, "\"%s\": expected from-to, or from x to x captured squares",
                             quoted_text(text).text);
        const int number = read_digits(&s), squares = board_squares(variant->rules->width);
        if (number < 1 || number > squares)
            return error_set(error, "\"%s\": squares are 1..%d", quoted_text(text).text, squares);
        m->squares[m->count++] = board_square(variant->rules->width, number);
    } while (skip_sign(&s, m));
    skip_blanks(&s);
    if (m->count >= 2 && s.at == s.end) return true;
    return error_set(error, "\"%s\": expected from-to, or from x to x captured squares",
                     quoted_text(text).text);
}

static bool has_first_two_squares(const struct candidates *c, struct move m) {
    return m.from == c->spoken->squares[0] && m.to == c->spoken->squares[1];
}

bool move_from_hub(const struct variant *variant, const struct move_list *legal, const char *text,
                   struct move *move, struct error *error) {
    struct spoken spoken;
    if (legal->truncated) return error_set(error, "the position has more than %d captures", MAX_CAPTURES);
    if (!read_hub_move(variant, text, &spoken, error)) return false;
    struct candidates c = {.variant = variant, .legal = legal, .spoken = &spoken};
    candidates_all(&c);
    candidates_keep(&c, spoken.count > 2 ? is_hub_form : has_first_two_squares);
    heed_sign(&c);
    if (c.count > 1)
        return error_set(error, "\"%s\" is ambiguous without the captured squares", quoted_text(text).text);
    if (!c.count) return error_set(error, "\"%s\" is not a legal move", quoted_text(text).text);
    *move = legal->moves[c.index[0]];
    return true;
}
