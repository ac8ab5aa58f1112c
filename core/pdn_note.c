// pdn_note.c -- reads what programs say of a move in comments.

#include "core/pdn_note.h"

#include <string.h>

struct bytes {
    const char *at;
    size_t size;
};

static bool is_blank(char c) { return (unsigned char)c <= ' ' || c == 0x7f; }

static struct bytes next_word(const char **at, const char *end) {
    while (*at < end && is_blank(**at)) ++*at;
    const char *word = *at;
    while (*at < end && !is_blank(**at)) ++*at;
    return (struct bytes){word, (size_t)(*at - word)};
}

static bool word_is(struct bytes word, const char *text) {
    return word.size == strlen(text) && !memcmp(word.at, text, word.size);
}

// A number with at most `decimals` digits that count behind the point, times 10^decimals. No sign. NULL, or
// what follows.
static const char *read_decimal(const char *at, const char *end, int decimals, uint64_t *number) {
    const uint64_t most = UINT64_MAX / 10 - 1;
    const char *begin = at;
    uint64_t n = 0;
    for (; at < end && *at >= '0' && *at <= '9'; at++) {
        if (n > most) return NULL;
        n = 10 * n + (uint64_t)(*at - '0');
    }
    if (at == begin) return NULL;
    if (decimals && at < end && *at == '.')
        for (at++; at < end && *at >= '0' && *at <= '9'; at++) {
            if (!decimals) continue;
            if (n > most) return NULL;
            n = 10 * n + (uint64_t)(*at - '0');
            decimals--;
        }
    for (; decimals; decimals--) {
        if (n > most) return NULL;
        n *= 10;
    }
    *number = n;
    return at;
}

// "0:00:00.104]", "12.5]"
static bool read_seconds(struct bytes word, double *seconds) {
    const char *at = word.at, *end = word.at + word.size;
    const uint64_t most = 1000000000000;  // milliseconds, beyond which nothing is written
    uint64_t total = 0, part;
    for (int fields = 0; fields < 3; fields++) {
        at = read_decimal(at, end, 3, &part);
        if (!at || part > most) return false;
        total = 60 * total + part;
        if (at == end - 1 && *at == ']') {
            *seconds = (double)total / 1000;
            return total <= most;
        }
        if (at == end || *at++ != ':') return false;
    }
    return false;
}

// "-0.35]"
static bool read_score(struct bytes word, int *score) {
    const char *at = word.at, *end = word.at + word.size;
    const bool minus = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+')) at++;
    uint64_t centipawns;
    at = read_decimal(at, end, 2, &centipawns);
    if (!at || at != end - 1 || *at != ']' || centipawns > 10000000) return false;
    *score = minus ? -(int)centipawns : (int)centipawns;
    return true;
}

// "d=12"
static bool read_field(struct bytes word, char name, uint64_t most, uint64_t *number) {
    const char *end = word.at + word.size;
    return word.size > 2 && word.at[0] == name && word.at[1] == '=' &&
           read_decimal(word.at + 2, end, 0, number) == end && *number <= most;
}

// "[%emt 0:00:01]": the name has been read. Whatever it is, *at is then behind its bracket.
static bool read_command(struct bytes name, const char **at, const char *end, struct pdn_note *note) {
    const struct bytes value = next_word(at, end);
    for (struct bytes word = value; word.size && word.at[word.size - 1] != ']';) word = next_word(at, end);
    if (word_is(name, "[%emt") && read_seconds(value, &note->seconds)) return note->timed = true;
    return word_is(name, "[%eval") && read_score(value, &note->score) && (note->scored = true);
}

// One thing that a player said; *at is then behind it, or behind other text.
static bool read_note(const char **at, const char *end, struct pdn_note *note) {
    const struct bytes word = next_word(at, end);
    uint64_t number;
    if (read_field(word, 'd', 1000000, &number)) {
        note->depth = (int)number;
        return true;
    }
    if (read_field(word, 'n', UINT64_MAX, &number)) {
        note->nodes = number;
        return true;
    }
    return word.size > 2 && !memcmp(word.at, "[%", 2) && word.at[word.size - 1] != ']' &&
           read_command(word, at, end, note);
}

size_t pdn_note_take(struct pdn_note *note, char *comment, size_t size) {
    const char *at = comment, *end = at + size;
    char *to = comment;
    while (at < end) {
        const char *begin = at;
        if (read_note(&at, end, note)) continue;
        memmove(to, begin, (size_t)(at - begin));
        to += at - begin;
    }
    return (size_t)(to - comment);
}
