// fuzz_fen.c -- texts of any kind through the readers of positions.
//
// An input is a byte that chooses the variant, and a position in FEN or Hub's notation. What is read must
// survive being written and read again, and an error must be one short printable line.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/notation.h"
#include "core/support/memory.h"
#include "tests/fuzz/fuzz.h"
#include "tests/random_positions.h"

static struct {
    long fens, hubs;  // that were read
} counts;

static void check_fen(const struct variant *v, const struct position *p) {
    char fen[FEN_TEXT_SIZE];
    struct position again;
    struct error error;
    position_to_fen(v, p, fen);
    fuzz_require(position_from_fen(v, fen, &again, &error) && position_equal(p, &again),
                 "a position changed in FEN");
}

static void check_hub(const struct variant *v, const struct position *p) {
    char hub[HUB_TEXT_SIZE];
    struct position again;
    struct error error;
    position_to_hub(v, p, hub);
    fuzz_require(position_from_hub(v, hub, &again, &error), "a position that Hub does not take back");
    fuzz_require(again.pieces[WHITE] == p->pieces[WHITE] && again.pieces[BLACK] == p->pieces[BLACK] &&
                     again.kings == p->kings && again.turn == p->turn,
                 "a position changed in Hub");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!size) return 0;
    const struct variant *v = &variants[data[0] % variant_count];
    struct position p;
    struct error error;
    char *text = memory_new(size, 1);  // with a zero at the end
    memcpy(text, data + 1, size - 1);
    if (position_from_hub(v, text, &p, &error)) {
        check_hub(v, &p);
        counts.hubs++;
    } else {
        fuzz_check_ascii(&error);
    }
    if (position_from_fen(v, text, &p, &error)) {
        check_fen(v, &p);
        check_hub(v, &p);
        counts.fens++;
    } else {
        fuzz_check_ascii(&error);
    }
    free(text);
    return 0;
}

#ifndef HUFF_LIBFUZZER

static char a_char(struct random *random) {
    return fuzz_char(random, "WBwbKk:,-x0123456789abcdefghe[]+=\"'.? \n");
}

static void a_position(const struct variant *v, struct random *random, struct fuzz_input *in) {
    char text[FEN_TEXT_SIZE];
    struct splitmix placing = {random_bits(random)};
    const struct position p = random_placement(v->rules, &placing);
    if (fuzz_some(random, 2))
        position_to_fen(v, &p, text);
    else
        position_to_hub(v, &p, text);
    fuzz_append(in, text);
}

static void an_input(struct random *random, struct fuzz_input *in) {
    const int variant = fuzz_some(random, variant_count);
    in->bytes[in->size++] = (uint8_t)variant;
    switch (fuzz_some(random, 8)) {
    case 0:  // anything
        fuzz_append_any(random, in, 64);
        return;
    case 1:  // what positions consist of
        fuzz_append(in, fuzz_some(random, 2) ? "W:" : "");
        for (int n = fuzz_some(random, 64); n > 0; n--) fuzz_append_bytes(in, &(char){a_char(random)}, 1);
        return;
    case 2: {  // one thing over and over
        const char piece[4] = {a_char(random), a_char(random), a_char(random)};
        if (!fuzz_some(random, 2)) fuzz_append(in, "W:W");
        fuzz_append_often(in, piece, fuzz_some(random, 2000));
        return;
    }
    default:
        a_position(&variants[variant], random, in);
        for (int n = fuzz_some(random, 4); n > 0; n--)
            fuzz_mutate(random, in, 1, &(char){a_char(random)}, 1, (size_t)fuzz_some(random, 8));
    }
}

int main(int argc, char **argv) {
    const struct fuzz_run run = fuzz_run(fuzz_plan(argc, argv), an_input);
    printf("%ld inputs, %ld positions read in FEN and %ld in Hub's notation, slowest %.3f s (%ld)\n",
           run.count, counts.fens, counts.hubs, run.slowest, run.slowest_input);
    fuzz_require(!run.count || (counts.fens && counts.hubs), "nothing was read");
    return 0;
}

#endif
