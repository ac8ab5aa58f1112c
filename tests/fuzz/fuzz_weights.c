// fuzz_weights.c -- bytes of any kind through the reader of weights files, plain and compressed.
//
// An input is a byte that chooses the variant asked for (or any), one that says whether a plain text gets its
// right checksum, and the file. Weights that are read must be within their limits, count in an evaluation,
// and survive being written and read again.
#include "tests/fuzz/fuzz.h"

#include <zlib.h>

#include "core/support/file.h"
#include "core/support/memory.h"
#include "search/eval.h"

static struct { long read, refused, compressed; } counts;

// A folder of its own, in which weights are written; gone at the end.
static char folder[] = "/tmp/fuzz_weights_XXXXXX";
static void remove_folder(void) { rmdir(folder); }
static void make_folder(void) {
    static bool made;
    if (made) return;
    made = true;
    fuzz_require(mkdtemp(folder) != NULL, "no folder in /tmp");
    atexit(remove_folder);
}

static void write_again(struct weights *weights) {
    make_folder();
    struct weights again;
    struct error error;
    char *path = memory_text("%s/%s", folder, counts.read % 2 ? "w.weights" : "w.weights.gz");
    fuzz_require(weights_write(path, weights, &error), error.text);
    fuzz_require(weights_read(path, weights->variant, &again, &error), error.text);
    fuzz_require(memcmp(again.value, weights->value, TERM_COUNT * sizeof *again.value) == 0,
                 "weights changed on the way");
    fuzz_require(!strcmp(again.sha256, weights->sha256), "equal weights with another digest");
    weights_free(&again);
    unlink(path);
    free(path);
}

static void check(struct weights *weights) {
    struct error error;
    fuzz_require(weights_check(weights, &error), "weights beyond their limits were read");
    struct position position = variant_initial(weights->variant);
    struct evaluator *evaluator = evaluator_new(weights);
    static struct move_list legal;
    for (int ply = 0; ply < 20; ply++) {
        fuzz_require(evaluator_score(evaluator, &position) == eval_score(weights, &position),
                     "the search and the sum of features differ");
        weights->variant->generate(&position, &legal);
        if (legal.count == 0) break;
        weights->variant->play(&position, legal.moves[ply % legal.count]);
    }
    evaluator_free(evaluator);
    write_again(weights);
}

// The line that a file ends with, as it should be.
static char *mend(const uint8_t *data, size_t size, size_t *mended) {
    static const char line[] = "\nchecksum ";
    const uint8_t *found = memmem(data, size, line, sizeof line - 1);
    const size_t before = found ? (size_t)(found - data) + 1 : size;
    char *text =
        memory_text("%.*schecksum %08lx\n", (int)before, (const char *)data, crc32(0, data, (uInt)before));
    *mended = strlen(text);
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2) return 0;
    const int number = data[0] % (variant_count + 1);
    const struct variant *variant = number < variant_count ? &variants[number] : NULL;
    struct weights weights;
    struct error error = {""};
    const bool mending = data[1] & 1;
    data += 2, size -= 2;
    char *mended = mending ? mend(data, size, &size) : NULL;
    if (weights_read(fuzz_file(mended ? mended : (const char *)data, size), variant, &weights, &error)) {
        counts.read++;
        counts.compressed += size > 2 && data[0] == 0x1f;
        check(&weights);
        weights_free(&weights);
    } else {
        fuzz_check_error(&error);
        counts.refused++;
    }
    free(mended);
    return 0;
}

#ifndef HUFF_LIBFUZZER

// A file as weights_write makes it, with some weights other than material's.
static void a_file(struct random *random, struct fuzz_input *in) {
    const struct variant *variant = &variants[fuzz_some(random, variant_count)];
    struct weights weights = weights_material(variant);
    for (int n = fuzz_some(random, 20); n > 0; n--)
        for (int k = 0; k < KNOTS; k++)
            weights.value[fuzz_some(random, TERM_COUNT)][k] = fuzz_some(random, 2001) - 1000;
    make_folder();
    struct error error;
    char *path = memory_text("%s/%s", folder, fuzz_some(random, 3) ? "a.weights" : "a.weights.gz"), *text;
    size_t size;
    fuzz_require(weights_write(path, &weights, &error), error.text);
    fuzz_require(file_read(path, sizeof in->bytes / 2, &text, &size, &error), error.text);
    unlink(path);
    free(path);
    weights_free(&weights);
    fuzz_append_bytes(in, text, size);
    free(text);
}

static const char *a_piece(struct random *random) {
    static const char *const pieces[] = {
        "huff-weights 2\n",
        "variant ",
        "spanish",
        "russian+free",
        "terms ",
        "MAN 0 ",
        "KING 0 1 2 3\n",
        "PATTERN ",
        "MAN_SQUARE 49 ",
        "checksum ",
        "\n",
        " ",
        "-",
        "0",
        "99999999999999",
        "32767",
        "-32768",
        "\t",
        "\r\n",
        "\xff",
        "1e5",
        "KING_SQUARE 0 100 100 100\n",
    };
    return FUZZ_CHOOSE(random, pieces);
}

static void an_input(struct random *random, struct fuzz_input *in) {
    in->bytes[in->size++] =
        (uint8_t)(fuzz_some(random, 4) ? variant_count : fuzz_some(random, variant_count));
    in->bytes[in->size++] = (uint8_t)fuzz_some(random, 4);
    a_file(random, in);
    for (int n = fuzz_some(random, 5); n > 0; n--) {
        const uint64_t bits = random_bits(random);
        const char *piece = fuzz_some(random, 3) ? a_piece(random) : (const char *)&bits;
        fuzz_mutate(random, in, 2, piece, strnlen(piece, sizeof bits), (size_t)fuzz_some(random, 30));
    }
}

int main(int argc, char **argv) {
    const struct fuzz_run run = fuzz_run(fuzz_plan(argc, argv), an_input);
    printf("%ld inputs, %ld read (%ld of them compressed), %ld refused, slowest %.3f s (%ld)\n", run.count,
           counts.read, counts.compressed, counts.refused, run.slowest, run.slowest_input);
    fuzz_require(run.count < 100 || (counts.read && counts.compressed && counts.refused),
                 "not all was tried");
    return 0;
}

#endif
