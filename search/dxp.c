// dxp.c -- messages of DamExchange taken apart and put together.
#include "search/dxp.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- reading ----

struct columns {
    const char *at, *end;
};

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Texts are ASCII; what else comes goes to terminals and files.
static char printable(char c) { return c >= ' ' && c <= '~' ? c : '?'; }

// The next columns; NULL when the message ends before.
static const char *take(struct columns *c, int width, const char *what, struct error *error) {
    const char *field = c->at;
    if (c->end - field < width) {
        error_set(error, "the message ends before %s", what);
        return NULL;
    }
    c->at += width;
    return field;
}

// Digits, behind blanks perhaps.
static bool take_number(struct columns *c, int width, int least, int most, int *number, const char *what,
                        struct error *error) {
    const char *field = take(c, width, what, error);
    *number = 0;
    if (!field) return false;
    int i = 0;
    while (i < width - 1 && field[i] == ' ') i++;
    for (; i < width && is_digit(field[i]); i++) *number = 10 * *number + field[i] - '0';
    if (i == width && *number >= least && *number <= most) return true;
    return error_set(error, "%s: expected %d..%d in %d columns, got \"%.*s\"", what, least, most, width,
                     width, field);
}

// ".17" and "2.5" occur.
static bool take_minutes(struct columns *c, double *minutes, struct error *error) {
    enum { WIDTH = 3 };
    char text[WIDTH + 1] = "";
    const char *field = take(c, WIDTH, "minutes", error);
    if (!field) return false;
    memcpy(text, field, WIDTH);
    char *end;
    *minutes = strtod(text, &end);
    if (!text[strspn(text, " .0123456789")] && end == text + WIDTH) return true;
    return error_set(error, "minutes: expected a number in %d columns, got \"%.*s\"", WIDTH, WIDTH, field);
}

// One of the characters of `choices`, as its place among them.
static bool take_choice(struct columns *c, const char *choices, int *choice, const char *what,
                        struct error *error) {
    const char *field = take(c, 1, what, error);
    *choice = 0;
    if (!field) return false;
    const char *found = *field ? strchr(choices, *field) : NULL;
    if (!found) return error_set(error, "%s: expected one of %s, got \"%.1s\"", what, choices, field);
    *choice = (int)(found - choices);
    return true;
}

static bool take_side(struct columns *c, enum side *side, const char *what, struct error *error) {
    int choice;
    if (!take_choice(c, "WZ", &choice, what, error)) return false;
    *side = choice ? BLACK : WHITE;
    return true;
}

static bool take_name(struct columns *c, char name[static DXP_NAME_LENGTH + 1], struct error *error) {
    const char *field = take(c, DXP_NAME_LENGTH, "the end of the name", error);
    if (!field) return false;
    size_t length = DXP_NAME_LENGTH;
    while (length && field[length - 1] == ' ') length--;
    for (size_t i = 0; i < length; i++) name[i] = printable(field[i]);
    name[length] = '\0';
    return true;
}

static bool take_position(struct columns *c, struct position *p, struct error *error) {
    enum side turn;
    if (!take_side(c, &turn, "side to move", error)) return false;
    const char *field = take(c, board_squares(DXP_WIDTH), "the end of the position", error);
    if (!field) return false;
    *p = (struct position){.turn = (uint8_t)turn};
    for (int number = 1; number <= board_squares(DXP_WIDTH); number++) {
        const bitboard bit = square_bit(board_square(DXP_WIDTH, number));
        static const char pieces[] = "wWzZeE";
        const char *found = field[number - 1] ? strchr(pieces, field[number - 1]) : NULL;
        if (!found)
            return error_set(error, "square %d: expected one of wWzZe, got \"%.1s\"", number,
                             field + number - 1);
        const int kind = (int)(found - pieces);
        if (kind < 4) p->pieces[kind / 2] |= bit;
        if (kind < 4 && kind % 2) p->kings |= bit;
    }
    return true;
}

static bool read_request(struct columns *c, struct dxp_message *m, struct error *error) {
    int special;
    if (!take_number(c, 2, 0, 99, &m->request.version, "version", error) ||
        !take_name(c, m->request.name, error) ||
        !take_side(c, &m->request.follower, "colour of the follower", error) ||
        !take_minutes(c, &m->request.minutes, error) ||
        !take_number(c, 3, 0, DXP_MOST_MOVES, &m->request.moves, "moves", error) ||
        !take_choice(c, "AB", &special, "position", error))
        return false;
    m->request.special = special;
    return !special || take_position(c, &m->request.position, error);
}

static bool read_accept(struct columns *c, struct dxp_message *m, struct error *error) {
    int answer;
    if (!take_name(c, m->accept.name, error) || !take_choice(c, "0123", &answer, "answer", error))
        return false;
    m->accept.answer = (enum dxp_answer)answer;
    return true;
}

static bool take_square(struct columns *c, int *number, const char *what, struct error *error) {
    return take_number(c, 2, 1, board_squares(DXP_WIDTH), number, what, error);
}

static bool read_move(struct columns *c, struct dxp_message *m, struct error *error) {
    if (!take_number(c, 4, 0, DXP_MOST_SECONDS, &m->move.seconds, "seconds", error) ||
        !take_square(c, &m->move.from, "from", error) || !take_square(c, &m->move.to, "to", error) ||
        !take_number(c, 2, 0, MAX_CAPTURED, &m->move.count, "number captured", error))
        return false;
    for (int i = 0; i < m->move.count; i++)
        if (!take_square(c, &m->move.captured[i], "captured", error)) return false;
    return true;
}

static bool read_end(struct columns *c, struct dxp_message *m, struct error *error) {
    int reason, stop;
    if (!take_choice(c, "0123", &reason, "reason", error) || !take_choice(c, "01", &stop, "stop code", error))
        return false;
    m->end.reason = (enum dxp_reason)reason;
    m->end.stop = stop;
    return true;
}

static bool read_chat(struct columns *c, struct dxp_message *m, struct error *error) {
    const int length = (int)(c->end - c->at);
    const char *field = take(c, length, "the end of the text", error);
    if (!field) return false;
    for (int i = 0; i < length; i++) m->chat[i] = printable(field[i]);
    m->chat[length] = '\0';
    return true;
}

static bool read_back(struct columns *c, struct dxp_message *m, struct error *error) {
    return take_number(c, 3, 0, 999, &m->back.move, "move number", error) &&
           take_side(c, &m->back.turn, "side to move", error);
}

static bool read_back_answer(struct columns *c, struct dxp_message *m, struct error *error) {
    int answer;
    if (!take_choice(c, "012", &answer, "answer", error)) return false;
    m->back_answer = (enum dxp_back)answer;
    return true;
}

static bool read_fields(struct columns *c, struct dxp_message *m, struct error *error) {
    switch (m->type) {
    case DXP_GAMEREQ: return read_request(c, m, error) || error_prefix(error, "GAMEREQ");
    case DXP_GAMEACC: return read_accept(c, m, error) || error_prefix(error, "GAMEACC");
    case DXP_MOVE: return read_move(c, m, error) || error_prefix(error, "MOVE");
    case DXP_GAMEEND: return read_end(c, m, error) || error_prefix(error, "GAMEEND");
    case DXP_CHAT: return read_chat(c, m, error) || error_prefix(error, "CHAT");
    case DXP_BACKREQ: return read_back(c, m, error) || error_prefix(error, "BACKREQ");
    case DXP_BACKACC: return read_back_answer(c, m, error) || error_prefix(error, "BACKACC");
    }
    return error_set(error, "unknown message \"%c\"", (char)m->type);
}

bool dxp_read(const char *text, size_t length, struct dxp_message *message, struct error *error) {
    *message = (struct dxp_message){0};
    if (!length) return error_set(error, "an empty message");
    if (length > DXP_MESSAGE_LIMIT)
        return error_set(error, "a message of more than %d bytes", DXP_MESSAGE_LIMIT);
    struct columns c = {text + 1, text + length};
    message->type = (enum dxp_type)(unsigned char)*text;
    if (!read_fields(&c, message, error)) return false;
    return c.at == c.end || error_set(error, "unexpected \"%.*s\" behind the last field of \"%c\"",
                                      (int)(c.end - c.at), c.at, *text);
}

// ---- writing ----

struct output {
    char *at;  // room for a whole message is there
    bool fits;
    struct error *error;
};

static void put_char(struct output *out, char c) { *out->at++ = c; }

static void put_number(struct output *out, int width, int number, int most, const char *what) {
    if (number < 0 || number > most) {
        if (out->fits) error_set(out->error, "%s: expected 0..%d, got %d", what, most, number);
        out->fits = false;
        number = 0;
    }
    for (int i = width - 1; i >= 0; i--, number /= 10) out->at[i] = (char)('0' + number % 10);
    out->at += width;
}

static void put_side(struct output *out, enum side side) { put_char(out, side == WHITE ? 'W' : 'Z'); }

// Must not begin with a blank; shorter names are filled up with them.
static void put_name(struct output *out, const char *name) {
    while (*name == ' ') name++;
    if (!*name) name = "?";
    for (int i = 0; i < DXP_NAME_LENGTH; i++) put_char(out, *name ? printable(*name++) : ' ');
}

static void put_position(struct output *out, const struct position *p) {
    put_side(out, position_turn(p));
    for (int number = 1; number <= board_squares(DXP_WIDTH); number++) {
        const bitboard bit = square_bit(board_square(DXP_WIDTH, number));
        const bool king = p->kings & bit;
        put_char(out, p->pieces[WHITE] & bit ? "wW"[king] : p->pieces[BLACK] & bit ? "zZ"[king] : 'e');
    }
}

static void write_request(struct output *out, const struct dxp_message *m) {
    put_number(out, 2, m->request.version, 99, "version");
    put_name(out, m->request.name);
    put_side(out, m->request.follower);
    const bool sensible = m->request.minutes >= 0 && m->request.minutes <= DXP_MOST_MINUTES;
    put_number(out, 3, sensible ? (int)lround(m->request.minutes) : -1, DXP_MOST_MINUTES, "minutes");
    put_number(out, 3, m->request.moves, DXP_MOST_MOVES, "moves");
    put_char(out, m->request.special ? 'B' : 'A');
    if (m->request.special) put_position(out, &m->request.position);
}

static void write_move(struct output *out, const struct dxp_message *m) {
    const int squares = board_squares(DXP_WIDTH);
    const int count = m->move.count >= 0 && m->move.count <= MAX_CAPTURED ? m->move.count : 0;
    put_number(out, 4, m->move.seconds, DXP_MOST_SECONDS, "seconds");
    put_number(out, 2, m->move.from, squares, "from");
    put_number(out, 2, m->move.to, squares, "to");
    put_number(out, 2, m->move.count, MAX_CAPTURED, "number captured");
    for (int i = 0; i < count; i++) put_number(out, 2, m->move.captured[i], squares, "captured");
}

static void write_fields(struct output *out, const struct dxp_message *m) {
    switch (m->type) {
    case DXP_GAMEREQ: write_request(out, m); return;
    case DXP_GAMEACC:
        put_name(out, m->accept.name);
        put_number(out, 1, (int)m->accept.answer, DXP_NO_GAMES, "answer");
        return;
    case DXP_MOVE: write_move(out, m); return;
    case DXP_GAMEEND:
        put_number(out, 1, (int)m->end.reason, DXP_I_WIN, "reason");
        put_char(out, m->end.stop ? '1' : '0');
        return;
    case DXP_CHAT:
        for (const char *c = m->chat; *c; c++) put_char(out, printable(*c));
        return;
    case DXP_BACKREQ:
        put_number(out, 3, m->back.move, 999, "move number");
        put_side(out, m->back.turn);
        return;
    case DXP_BACKACC: put_number(out, 1, (int)m->back_answer, DXP_BACK_NOT_NOW, "answer"); return;
    }
    error_set(out->error, "unknown message \"%c\"", (char)m->type);
    out->fits = false;
}

bool dxp_write(const struct dxp_message *message, char text[static DXP_MESSAGE_SIZE], struct error *error) {
    struct output out = {.at = text, .fits = true, .error = error};
    put_char(&out, (char)message->type);
    write_fields(&out, message);
    put_char(&out, '\0');
    return out.fits;
}

// ---- moves ----

struct dxp_message dxp_from_move(struct move move, double seconds) {
    struct dxp_message m = {.type = DXP_MOVE, .move = {.count = 0}};
    m.move.seconds = (int)lround(fmin(fmax(seconds, 0), DXP_MOST_SECONDS));
    m.move.from = board_number(DXP_WIDTH, move.from);
    m.move.to = board_number(DXP_WIDTH, move.to);
    for (bitboard b = move.captured; b; b = bits_without_lowest(b))
        m.move.captured[m.move.count++] = board_number(DXP_WIDTH, bits_first(b));
    return m;
}

bool dxp_find_move(const struct dxp_message *message, const struct move_list *legal, struct move *move,
                   struct error *error) {
    if (legal->truncated) return error_set(error, "the position has more than %d captures", MAX_CAPTURES);
    bitboard captured = 0;
    for (int i = 0; i < message->move.count; i++)
        captured |= square_bit(board_square(DXP_WIDTH, message->move.captured[i]));
    const square from = board_square(DXP_WIDTH, message->move.from);
    const square to = board_square(DXP_WIDTH, message->move.to);
    for (int i = 0; i < legal->count && bits_count(captured) == message->move.count; i++) {
        *move = legal->moves[i];
        if (move->from == from && move->to == to && move->captured == captured) return true;
    }
    return error_set(error, "%02d%s%02d with %d captured is not a legal move", message->move.from,
                     message->move.count ? "x" : "-", message->move.to, message->move.count);
}
