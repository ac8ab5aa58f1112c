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
#include "search/shipped.h"

enum {
    FILE_LIMIT = 1 << 23,
    TERMS_HASH_LENGTH = 16,  // hexadecimal digits
    WORD_SIZE = 64,
    GZIP_FORMAT = 15 + 16,  // zlib: the largest window, with the header of gzip
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
    char *list;
    size_t size;
    FILE *stream = open_memstream(&list, &size);
    if (!stream) abort();
    for (int t = 0; t < TERMS; t++) fprintf(stream, "%s %d\n", terms[t].name, terms[t].count);
    fprintf(stream, "knots %d\n", KNOTS);
    if (fclose(stream)) abort();
    SHA256Data((const uint8_t *)list, size, hash);
    hash[TERMS_HASH_LENGTH] = '\0';
    free(list);
}

static uint32_t checksum(const char *data, size_t size) {
    return (uint32_t)crc32(crc32(0, NULL, 0), (const Bytef *)data, (uInt)size);
}

// ---- weights in memory ----

struct weights weights_zero(const struct variant *variant) {
    struct weights weights = {.variant = variant_find(variant->rules->name, NULL)};
    weights.value = memory_new(TERM_COUNT, sizeof *weights.value);
    return weights;
}

void weights_free(struct weights *weights) {
    free(weights->value);
    *weights = (struct weights){0};
}

bool weights_check(const struct weights *weights, struct error *error) {
    const int width = weights->variant->rules->width;
    for (int s = 0; s < board_squares(width); s++) {
        for (int k = 0; k < KNOTS; k++) {
            const int rows = width - 1 - s / (width / 2);
            const int man = weights->value[TERM_MAN][k] + rows * weights->value[TERM_TEMPO][k] +
                            weights->value[TERM_MAN_SQUARE + s][k];
            if (man < -MAN_LIMIT || man > MAN_LIMIT)
                return error_set(error, "a man on square %d would be worth %d, the limit is +-%d", s + 1, man,
                                 MAN_LIMIT);
        }
    }
    return true;
}

// ---- writing ----

static void print_weight(FILE *stream, const char *name, int i, const int32_t value[static KNOTS]) {
    bool zero = true;
    for (int k = 0; k < KNOTS; k++) zero = zero && value[k] == 0;
    if (zero) return;
    fprintf(stream, "%s %d", name, i);
    for (int k = 0; k < KNOTS; k++) fprintf(stream, " %" PRId32, value[k]);
    fputc('\n', stream);
}

static char *weights_text(const struct weights *weights, size_t *size) {
    char *text, hash[SHA256_DIGEST_STRING_LENGTH];
    FILE *stream = open_memstream(&text, size);
    if (!stream) abort();
    hash_terms(hash);
    fprintf(stream, "huff-weights %d\nvariant %s\nterms %s\n", WEIGHTS_VERSION, weights->variant->name, hash);
    for (int t = 0; t < TERMS; t++)
        for (int i = 0; i < terms[t].count; i++)
            print_weight(stream, terms[t].name, i, weights->value[terms[t].first + i]);
    if (fflush(stream)) abort();
    fprintf(stream, "checksum %08" PRIx32 "\n", checksum(text, *size));
    if (fclose(stream)) abort();
    return text;
}

static void set_sha256(struct weights *weights, const char *data, size_t size) {
    _Static_assert(sizeof weights->sha256 == SHA256_DIGEST_STRING_LENGTH, "room for the digest");
    SHA256Data((const uint8_t *)data, size, weights->sha256);
}

static bool wants_gzip(const char *path) {
    const size_t length = strlen(path);
    return length > 3 && strcmp(path + length - 3, ".gz") == 0;
}

static char *compress_text(const char *text, size_t size, size_t *compressed) {
    z_stream stream = {0};
    if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, GZIP_FORMAT, 9, Z_DEFAULT_STRATEGY) != Z_OK)
        abort();
    const size_t room = deflateBound(&stream, (uLong)size);
    char *data = memory_new(room, 1);
    stream.next_in = (z_const Bytef *)text;
    stream.avail_in = (uInt)size;
    stream.next_out = (Bytef *)data;
    stream.avail_out = (uInt)room;
    if (deflate(&stream, Z_FINISH) != Z_STREAM_END) abort();
    *compressed = stream.total_out;
    deflateEnd(&stream);
    return data;
}

bool weights_write(const char *path, struct weights *weights, struct error *error) {
    size_t size, written_size;
    char *text = weights_text(weights, &size), *compressed = NULL;
    if (wants_gzip(path)) compressed = compress_text(text, size, &written_size);
    const bool written = compressed ? file_replace(path, compressed, written_size, error)
                                    : file_replace(path, text, size, error);
    if (written) set_sha256(weights, text, size);
    free(compressed);
    free(text);
    return written;
}

struct weights weights_material(const struct variant *variant) {
    struct weights weights = weights_zero(variant);
    for (int k = 0; k < KNOTS; k++) {
        weights.value[TERM_MAN][k] = 100 * WEIGHT_UNIT;
        weights.value[TERM_KING][k] = (variant->rules->king_range == FLYING_KING ? 300 : 150) * WEIGHT_UNIT;
    }
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

static bool read_number(struct reader *r, const char *what, long least, long most, long *value) {
    char word[WORD_SIZE], *rest;
    if (!read_word(r, what, word)) return false;
    *value = strtol(word, &rest, 10);
    const bool number =
        (word[0] == '-' || (word[0] >= '0' && word[0] <= '9')) && *rest == '\0' && rest > word;
    if (!number || *value < least || *value > most)
        return fail(r, "expected %s of %ld..%ld, got \"%s\"", what, least, most, word);
    return true;
}

static const struct term *find_term(const char *name) {
    for (int t = 0; t < TERMS; t++)
        if (strcmp(name, terms[t].name) == 0) return &terms[t];
    return NULL;
}

// One weight, behind the name of its term. Weights come in the order of the list, so none comes twice.
static bool read_weight(struct reader *r, const char *name, int *next, struct weights *weights) {
    const struct term *term = find_term(name);
    long i, value;
    if (!term) return fail(r, "expected the name of a term or \"checksum\", got \"%s\"", name);
    if (!read_blank(r, "a number")) return false;
    if (!read_number(r, "a weight's number", 0, term->count - 1, &i)) return false;
    const int at = term->first + (int)i;
    if (at < *next) return fail(r, "%s %ld is out of order", name, i);
    *next = at + 1;
    for (int k = 0; k < KNOTS; k++) {
        if (!read_blank(r, "a weight")) return false;
        if (!read_number(r, "a weight", -WEIGHT_LIMIT, WEIGHT_LIMIT, &value)) return false;
        weights->value[at][k] = (int32_t)value;
    }
    return read_line_end(r);
}

static bool read_checksum(struct reader *r, const char *data, const char *line) {
    char word[WORD_SIZE], expected[WORD_SIZE];
    snprintf(expected, sizeof expected, "%08" PRIx32, checksum(data, (size_t)(line - data)));
    if (!read_blank(r, "checksum") || !read_word(r, "checksum", word)) return false;
    if (strcmp(word, expected) != 0)
        return fail(r, "wrong checksum %s (the bytes above have %s): the file is damaged", word, expected);
    return read_line_end(r) && (r->at == r->end || fail(r, "more after the checksum"));
}

// The lines of weights and the checksum that ends them.
static bool read_values(struct reader *r, const char *data, struct weights *weights) {
    for (int next = 0;;) {
        const char *line = r->at;
        char name[WORD_SIZE];
        if (!read_word(r, "the name of a term", name)) return false;
        if (strcmp(name, "checksum") == 0) return read_checksum(r, data, line);
        if (!read_weight(r, name, &next, weights)) return false;
    }
}

// Sets *variant, which must have the moves of the file's if it is not NULL.
static bool read_variant(struct reader *r, const struct variant **variant) {
    char word[WORD_SIZE];
    struct error cause;
    if (!read_field(r, "variant", word)) return false;
    const struct variant *found = variant_find(word, &cause);
    if (!found) return fail(r, "%s", cause.text);
    if (*variant && !variant_same_moves(found, *variant))
        return fail(r, "these are weights of %s, not of %s", word, (*variant)->name);
    if (!*variant) *variant = variant_find(found->rules->name, NULL);
    return read_line_end(r);
}

static bool read_header(struct reader *r, const struct variant **variant) {
    static const char magic[] = "huff-weights ";
    char word[WORD_SIZE], expected[SHA256_DIGEST_STRING_LENGTH];
    if (r->end - r->at < (int)sizeof magic - 1 || memcmp(r->at, magic, sizeof magic - 1) != 0)
        return fail(r, "not a file of weights");
    const char *end = memchr(r->at, '\n', (size_t)(r->end - r->at));
    if (end && end[-1] == '\r') return fail(r, "lines end with CR LF, those of weights with LF alone");

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

static bool read_text(const char *path, const char *text, size_t size, const struct variant *variant,
                      struct weights *weights, struct error *error) {
    struct reader r = {.path = path, .at = text, .end = text + size, .line = 1, .error = error};
    struct error cause;
    if (variant) variant = variant_find(variant->rules->name, NULL);
    if (!read_header(&r, &variant)) return false;
    *weights = weights_zero(variant);
    if (read_values(&r, text, weights)) {
        if (weights_check(weights, &cause)) {
            set_sha256(weights, text, size);
            return true;
        }
        error_set(error, "%s: %s", path, cause.text);
    }
    weights_free(weights);
    return false;
}

static bool is_gzip(const char *data, size_t size) { return size >= 2 && memcmp(data, "\x1f\x8b", 2) == 0; }

// What compressed data holds, or NULL.
static char *expand(const char *path, const void *data, size_t *size, struct error *error) {
    z_stream stream = {.next_in = (z_const Bytef *)data, .avail_in = (uInt)*size};
    if (inflateInit2(&stream, GZIP_FORMAT) != Z_OK) abort();
    char *text = memory_new(FILE_LIMIT, 1);
    stream.next_out = (Bytef *)text;
    stream.avail_out = FILE_LIMIT;
    const int status = inflate(&stream, Z_FINISH);
    const size_t left = stream.avail_in;
    *size = stream.total_out;
    inflateEnd(&stream);
    if (status == Z_STREAM_END && left == 0) return text;
    free(text);
    if (stream.avail_out == 0)
        error_set(error, "%s: holds more than %d bytes", path, FILE_LIMIT);
    else
        error_set(error, "%s: the compressed data is damaged", path);
    return NULL;
}

// Text or what gzip made of it.
static bool read_data(const char *path, const void *data, size_t size, const struct variant *variant,
                      struct weights *weights, struct error *error) {
    if (!is_gzip(data, size)) return read_text(path, data, size, variant, weights, error);
    char *text = expand(path, data, &size, error);
    const bool done = text && read_text(path, text, size, variant, weights, error);
    free(text);
    return done;
}

bool weights_read(const char *path, const struct variant *variant, struct weights *weights,
                  struct error *error) {
    char *data;
    size_t size;
    if (!file_read(path, FILE_LIMIT, &data, &size, error)) return false;
    const bool done = read_data(path, data, size, variant, weights, error);
    free(data);
    return done;
}

bool weights_in_file(const char *name) {
    return name && strcmp(name, "default") != 0 && strcmp(name, "material") != 0;
}

bool weights_get(const char *name, const struct variant *variant, struct weights *weights,
                 struct error *error) {
    if (weights_in_file(name)) return weights_read(name, variant, weights, error);
    const struct shipped *file = name && strcmp(name, "material") == 0 ? NULL : shipped_weights(variant);
    if (file)
        return read_data("default weights", file->begin, (size_t)(file->end - file->begin), variant, weights,
                         error);
    *weights = weights_material(variant);
    return true;
}
