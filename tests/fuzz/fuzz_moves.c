// fuzz_moves.c -- texts of any kind through the readers of moves.
//
// An input is a byte that chooses the variant, a position in FEN (the initial one where it is none), a line
// break, and a move of PDN or Hub. What is read must survive being written and read again, and an error must
// be one short printable line.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/notation.h"
#include "core/support/memory.h"
#include "tests/fuzz/fuzz.h"
#include "tests/random_positions.h"

static struct {
    long positions, moves;  // that were read
} counts;

static void check_move(const struct variant *v, const struct position *p, const struct move_list *legal,
                       struct move move) {
    char text[MOVE_TEXT_SIZE];
    struct move again;
    struct error error;
    move_to_text(v, p, legal, move, text);
    fuzz_require(move_from_text(v, p, legal, text, &again, &error) && move_equal(move, again),
                 "a move changed in PDN");
    move_to_hub(v, move, text);
    fuzz_require(move_from_hub(v, legal, text, &again, &error) && move_equal(move, again),
                 "a move changed in Hub");
    counts.moves++;
}

static void read_moves(const struct variant *v, const struct position *p, const char *text) {
    static struct move_list legal;
    struct move move;
    struct error error;
    v->generate(p, &legal);
    if (move_from_text(v, p, &legal, text, &move, &error))
        check_move(v, p, &legal, move);
    else
        fuzz_check_ascii(&error);
    if (move_from_hub(v, &legal, text, &move, &error))
        check_move(v, p, &legal, move);
    else
        fuzz_check_ascii(&error);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!size) return 0;
    const struct variant *v = &variants[data[0] % variant_count];
    struct position p;
    struct error error;
    char *text = memory_new(size, 1);  // with a zero at the end
    memcpy(text, data + 1, size - 1);
    char *move = strchr(text, '\n');
    if (move) *move++ = '\0';
    if (position_from_fen(v, text, &p, &error))
        counts.positions++;
    else
        p = variant_initial(v);
    read_moves(v, &p, move ? move : text);
    free(text);
    return 0;
}

#ifndef HUFF_LIBFUZZER

static char a_char(struct random *random) {
    return fuzz_char(random, "WBwbKk:,-x0123456789abcdefghij{}[]+=\"'.? \n");
}

// A position and one of its moves.
static void a_move(const struct variant *v, struct random *random, struct fuzz_input *in) {
    static struct move_list legal;
    char text[FEN_TEXT_SIZE];
    struct splitmix placing = {random_bits(random)};
    const struct position p = random_placement(v->rules, &placing);
    position_to_fen(v, &p, text);
    fuzz_append(in, text);
    v->generate(&p, &legal);
    if (!legal.count || legal.truncated) return;
    const struct move move = legal.moves[fuzz_some(random, legal.count)];
    if (fuzz_some(random, 2))
        move_to_text(v, &p, &legal, move, text);
    else
        move_to_hub(v, move, text);
    fuzz_append(in, "\n");
    fuzz_append(in, text);
    if (fuzz_some(random, 4)) return;
    move_captures_to_text(v, move, text);
    fuzz_append(in, text);
}

static void an_input(struct random *random, struct fuzz_input *in) {
    const int variant = fuzz_some(random, variant_count);
    in->bytes[in->size++] = (uint8_t)variant;
    switch (fuzz_some(random, 8)) {
    case 0:  // anything
        fuzz_append_any(random, in, 64);
        return;
    case 1:  // what moves consist of
        for (int n = fuzz_some(random, 64); n > 0; n--) fuzz_append_bytes(in, &(char){a_char(random)}, 1);
        return;
    case 2: {  // one thing over and over
        const char piece[4] = {a_char(random), a_char(random), a_char(random)};
        fuzz_append_often(in, piece, fuzz_some(random, 2000));
        return;
    }
    default:
        a_move(&variants[variant], random, in);
        for (int n = fuzz_some(random, 4); n > 0; n--)
            fuzz_mutate(random, in, 1, &(char){a_char(random)}, 1, (size_t)fuzz_some(random, 8));
    }
}

int main(int argc, char **argv) {
    const struct fuzz_run run = fuzz_run(fuzz_plan(argc, argv), an_input);
    printf("%ld inputs, %ld positions and %ld moves read, slowest %.3f s (%ld)\n", run.count,
           counts.positions, counts.moves, run.slowest, run.slowest_input);
    fuzz_require(!run.count || (counts.positions && counts.moves), "nothing was read");
    return 0;
}

#endif
