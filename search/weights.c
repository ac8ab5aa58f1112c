// weights.c -- the file of evaluation weights: written whole, read strictly.
#include <inttypes.h>
#include <sha2.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "core/support/file.h"
#include "core/support/memory.h"
#include "search/eval.h"

enum {
    FILE_LIMIT = 1 << 20,
    TERMS_HASH_LENGTH = 16,  // hexadecimal digits
    WORD_SIZE = 64,
};

static const struct term {
    const char *name;
    int first, count;
} terms[] = {
#define X(name, size, text) {#name, TERM_##name, size},
    FOR_EACH_TERM(X)
#undef X
};
enum { TERMS = sizeof terms / sizeof *terms };

// Weights fitted for one list of terms mean nothing under another.
static void hash_terms(char hash[static SHA256_DIGEST_STRING_LENGTH]) {
    static const char list[] =
#define X(name, size, text) #name " " #size "\n"
        FOR_EACH_TERM(X)
#undef X
        ;
    SHA256Data((const uint8_t *)list, sizeof list - 1, hash);
    hash[TERMS_HASH_LENGTH] = '\0';
}

static uint32_t checksum(const char *data, size_t size) {
    return (uint32_t)crc32(crc32(0, NULL, 0), (const Bytef *)data, (uInt)size);
}

// ---- writing ----

static char *weights_text(const struct weights *weights, size_t *size) {
    char *text, hash[SHA256_DIGEST_STRING_LENGTH];
    FILE *stream = open_memstream(&text, size);
    if (!stream) abort();
    hash_terms(hash);
    fprintf(stream, "huff-weights %d\nvariant %s\nterms %s\n", WEIGHTS_VERSION, weights->variant->name, hash);
    for (int t = 0; t < TERMS; t++) {
        fputs(terms[t].name, stream);
        for (int i = 0; i < terms[t].count; i++)
            fprintf(stream, " %" PRId32, weights->value[terms[t].first + i]);
        fputc('\n', stream);
    }
    if (fflush(stream)) abort();
    fprintf(stream, "checksum %08" PRIx32 "\n", checksum(text, *size));
    if (fclose(stream)) abort();
    return text;
}

static void set_sha256(struct weights *weights, const char *data, size_t size) {
    _Static_assert(sizeof weights->sha256 == SHA256_DIGEST_STRING_LENGTH, "room for the digest");
    SHA256Data((const uint8_t *)data, size, weights->sha256);
}

bool weights_write(const char *path, struct weights *weights, struct error *error) {
    size_t size;
    char *text = weights_text(weights, &size);
    const bool written = file_replace(path, text, size, error);
    if (written) set_sha256(weights, text, size);
    free(text);
    return written;
}

struct weights weights_material(const struct variant *variant) {
    struct weights weights = {.variant = variant_find(variant->rules->name, NULL)};
    weights.value[TERM_MAN] = 100 * WEIGHT_UNIT;
    weights.value[TERM_KING] = (variant->rules->king_range == FLYING_KING ? 300 : 150) * WEIGHT_UNIT;

    size_t size;
    char *text = weights_text(&weights, &size);
    set_sha256(&weights, text, size);
    free(text);
    return weights;
}

// ---- reading ----

// A place in the file. Lines count from 1.
struct reader {
    const char *path, *at, *end;
    int line;
    struct error *error;
};

static bool fail(const struct reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool fail(const struct reader *r, const char *format, ...) {
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return error_set(r->error, "%s:%d: %s", r->path, r->line, text);
}

// The word up to the next blank or line end, which is left where it is.
static bool read_word(struct reader *r, const char *what, char word[static WORD_SIZE]) {
    size_t n = 0;
    while (r->at < r->end && *r->at != ' ' && *r->at != '\n') {
        if (n + 1 == WORD_SIZE) return fail(r, "expected %s, got a longer word", what);
        word[n++] = *r->at++;
    }
    word[n] = '\0';
    if (r->at == r->end) return fail(r, "the file ends in the middle: %s expected", what);
    return n > 0 || fail(r, "expected %s, got nothing", what);
}

static bool read_blank(struct reader *r, const char *what) {
    if (r->at == r->end) return fail(r, "the file ends in the middle: %s expected", what);
    if (*r->at != ' ') return fail(r, "expected %s, got the end of the line", what);
    r->at++;
    return true;
}

static bool read_line_end(struct reader *r) {
    if (*r->at != '\n') return fail(r, "more on the line than expected");
    r->at++;
    r->line++;
    return true;
}

// "name " at the start of a line.
static bool read_name(struct reader *r, const char *name) {
    char word[WORD_SIZE];
    if (!read_word(r, name, word)) return false;
    if (strcmp(word, name) != 0) return fail(r, "expected \"%s\", got \"%s\"", name, word);
    return read_blank(r, name);
}

// A line "name word" up to its end, so that an error about the word still names this line.
static bool read_field(struct reader *r, const char *name, char word[static WORD_SIZE]) {
    return read_name(r, name) && read_word(r, name, word);
}

static bool read_weight(struct reader *r, int32_t *weight) {
    char word[WORD_SIZE], *rest;
    if (!read_word(r, "a weight", word)) return false;
    const long value = strtol(word, &rest, 10);
    const bool number =
        (word[0] == '-' || (word[0] >= '0' && word[0] <= '9')) && *rest == '\0' && rest > word;
    if (!number || value < -WEIGHT_LIMIT || value > WEIGHT_LIMIT)
        return fail(r, "expected a weight of %d..%d, got \"%s\"", -WEIGHT_LIMIT, WEIGHT_LIMIT, word);
    *weight = (int32_t)value;
    return true;
}

static bool read_values(struct reader *r, struct weights *weights) {
    for (int t = 0; t < TERMS; t++) {
        if (!read_name(r, terms[t].name)) return false;
        for (int i = 0; i < terms[t].count; i++) {
            if (i > 0 && !read_blank(r, "a weight")) return false;
            if (!read_weight(r, &weights->value[terms[t].first + i])) return false;
        }
        if (!read_line_end(r)) return false;
    }
    return true;
}

// Sets *variant, which those of the file must be if it is not NULL.
static bool read_variant(struct reader *r, const struct variant **variant) {
    char word[WORD_SIZE];
    struct error cause;
    if (!read_field(r, "variant", word)) return false;
    if (*variant && strcmp(word, (*variant)->name) != 0)
        return fail(r, "these are weights of %s, not of %s", word, (*variant)->name);
    const struct variant *found = variant_find(word, &cause);
    if (!found) return fail(r, "%s", cause.text);
    *variant = variant_find(found->rules->name, NULL);
    return read_line_end(r);
}

static bool read_header(struct reader *r, const struct variant **variant) {
    static const char magic[] = "huff-weights ";
    char word[WORD_SIZE], expected[SHA256_DIGEST_STRING_LENGTH];
    if (r->end - r->at < (int)sizeof magic - 1 || memcmp(r->at, magic, sizeof magic - 1) != 0)
        return fail(r, "not a file of weights");

    snprintf(expected, sizeof expected, "%d", WEIGHTS_VERSION);
    if (!read_field(r, "huff-weights", word)) return false;
    if (strcmp(word, expected) != 0)
        return fail(r, "version %s of the format, this program reads %s", word, expected);
    if (!read_line_end(r) || !read_variant(r, variant)) return false;

    hash_terms(expected);
    if (!read_field(r, "terms", word)) return false;
    if (strcmp(word, expected) != 0)
        return fail(r, "weights of another list of terms (%s, this program has %s)", word, expected);
    return read_line_end(r);
}

static bool read_checksum(struct reader *r, const char *data) {
    char word[WORD_SIZE], expected[WORD_SIZE];
    snprintf(expected, sizeof expected, "%08" PRIx32, checksum(data, (size_t)(r->at - data)));
    if (!read_field(r, "checksum", word)) return false;
    if (strcmp(word, expected) != 0)
        return fail(r, "wrong checksum %s (the bytes above have %s): the file is damaged", word, expected);
    return read_line_end(r) && (r->at == r->end || fail(r, "more after the checksum"));
}

bool weights_read(const char *path, const struct variant *variant, struct weights *weights,
                  struct error *error) {
    char *data;
    size_t size;
    if (!file_read(path, FILE_LIMIT, &data, &size, error)) return false;

    struct reader r = {.path = path, .at = data, .end = data + size, .line = 1, .error = error};
    *weights = (struct weights){.variant = variant ? variant_find(variant->rules->name, NULL) : NULL};
    const bool done =
        read_header(&r, &weights->variant) && read_values(&r, weights) && read_checksum(&r, data);
    if (done) set_sha256(weights, data, size);
    free(data);
    return done;
}
