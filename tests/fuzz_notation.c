// fuzz_notation.c -- texts of any kind through the readers of positions and moves.
//
// A libFuzzer target where HUFF_LIBFUZZER is defined (clang's build, target libfuzz_notation); otherwise a
// program that makes texts from a seed: fuzz_notation COUNT SEED.
//
// An input is a byte that chooses the variant, then a position, a line break and a move. What is read must
// survive being written and read again, and an error must be one short printable line.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/notation.h"
#include "core/support/memory.h"
#include "tests/fuzz.h"
#include "tests/random_positions.h"

static struct {
    long positions, moves;  // that were read
} counts;

static void require(bool holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "fuzz_notation: %s\n", what);
    abort();
}

static void check_error(const struct error *error) {
    const size_t length = strnlen(error->text, sizeof error->text);
    require(length > 0 && length < sizeof error->text, "an error without text");
    for (size_t i = 0; i < length; i++)
        require(error->text[i] >= ' ' && error->text[i] <= '~', "an error that is not printable");
}

static void check_fen(const struct variant *v, const struct position *p) {
    char fen[FEN_TEXT_SIZE];
    struct position again;
    struct error error;
    position_to_fen(v, p, fen);
    require(position_from_fen(v, fen, &again, &error) && position_equal(p, &again),
            "a position changed in FEN");
}

static void check_hub(const struct variant *v, const struct position *p) {
    char hub[HUB_TEXT_SIZE];
    struct position again;
    struct error error;
    position_to_hub(v, p, hub);
    require(position_from_hub(v, hub, &again, &error), "a position that Hub does not take back");
    require(again.pieces[WHITE] == p->pieces[WHITE] && again.pieces[BLACK] == p->pieces[BLACK] &&
                again.kings == p->kings && again.turn == p->turn,
            "a position changed in Hub");
}

static void check_move(const struct variant *v, const struct position *p, const struct move_list *legal,
                       struct move move) {
    char text[MOVE_TEXT_SIZE];
    struct move again;
    struct error error;
    move_to_text(v, p, legal, move, text);
    require(move_from_text(v, p, legal, text, &again, &error) && move_equal(move, again),
            "a move changed in PDN");
    move_to_hub(v, move, text);
    require(move_from_hub(v, legal, text, &again, &error) && move_equal(move, again),
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
        check_error(&error);
    if (move_from_hub(v, &legal, text, &move, &error))
        check_move(v, p, &legal, move);
    else
        check_error(&error);
}

static struct position read_position(const struct variant *v, const char *text) {
    struct position p, from_hub;
    struct error error;
    if (position_from_hub(v, text, &from_hub, &error))
        check_hub(v, &from_hub);
    else
        check_error(&error);
    if (!position_from_fen(v, text, &p, &error)) {
        check_error(&error);
        return variant_initial(v);
    }
    check_fen(v, &p);
    check_hub(v, &p);
    counts.positions++;
    return p;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!size) return 0;
    const struct variant *v = &variants[data[0] % variant_count];
    char *text = memory_new(size + 1, 1);
    memcpy(text, data + 1, size - 1);
    char *move = strchr(text, '\n');
    if (move) *move++ = '\0';
    const struct position p = read_position(v, text);
    read_moves(v, &p, move ? move : text);
    free(text);
    return 0;
}

#ifndef HUFF_LIBFUZZER

struct input {
    size_t size;
    uint8_t bytes[4096];
};

static void append(struct input *in, const char *text) {
    const size_t length = strlen(text), room = sizeof in->bytes - in->size;
    memcpy(in->bytes + in->size, text, length < room ? length : room);
    in->size += length < room ? length : room;
}

static int some(struct random *random, int limit) { return (int)random_below(random, (uint64_t)limit); }

static char a_char(struct random *random) {
    static const char likely[] = "WBwbKk:,-x0123456789abcdefghij{}[]+=\"'.? \n";
    return some(random, 8) ? likely[some(random, (int)sizeof likely - 1)] : (char)random_bits(random);
}

// A position and one of its moves, as they are written or nearly so.
static void a_likely_input(const struct variant *v, struct random *random, struct input *in) {
    static struct move_list legal;
    char text[FEN_TEXT_SIZE];
    struct splitmix placing = {random_bits(random)};
    const struct position p = random_placement(v->rules, &placing);
    if (some(random, 2))
        position_to_fen(v, &p, text);
    else
        position_to_hub(v, &p, text);
    append(in, text);
    v->generate(&p, &legal);
    if (!legal.count || legal.truncated) return;
    const struct move move = legal.moves[some(random, legal.count)];
    if (some(random, 2))
        move_to_text(v, &p, &legal, move, text);
    else
        move_to_hub(v, move, text);
    append(in, "\n");
    append(in, text);
    if (some(random, 4)) return;
    move_captures_to_text(v, move, text);
    append(in, text);
}

static void a_mutation(struct random *random, struct input *in) {
    const size_t at = 1 + (size_t)random_below(random, in->size), rest = in->size - at;
    switch (some(random, 4)) {
    case 0:
        if (rest) in->bytes[at] = (uint8_t)a_char(random);
        return;
    case 1:
        if (in->size == sizeof in->bytes) return;
        memmove(in->bytes + at + 1, in->bytes + at, rest);
        in->bytes[at] = (uint8_t)a_char(random);
        in->size++;
        return;
    case 2:
        if (!rest) return;
        memmove(in->bytes + at, in->bytes + at + 1, rest - 1);
        in->size--;
        return;
    default: {  // a piece of the text again, at the end
        size_t length = (size_t)some(random, 8);
        if (length > rest) length = rest;
        if (length > sizeof in->bytes - in->size) return;
        memcpy(in->bytes + in->size, in->bytes + at, length);
        in->size += length;
        return;
    }
    }
}

static void an_input(struct random *random, struct input *in) {
    const int variant = some(random, variant_count);
    in->bytes[0] = (uint8_t)variant;
    in->size = 1;
    switch (some(random, 8)) {
    case 0:  // anything
        for (int n = some(random, 64); n > 0; n--) in->bytes[in->size++] = (uint8_t)random_bits(random);
        return;
    case 1:  // what positions and moves consist of
        append(in, some(random, 2) ? "W:" : "");
        for (int n = some(random, 64); n > 0; n--) in->bytes[in->size++] = (uint8_t)a_char(random);
        return;
    case 2: {  // one thing over and over
        char piece[4] = {a_char(random), a_char(random), a_char(random)};
        if (!some(random, 2)) append(in, "W:W");
        for (int n = some(random, 2000); n > 0; n--) append(in, piece);
        return;
    }
    default:
        a_likely_input(&variants[variant], random, in);
        for (int n = some(random, 4); n > 0; n--) a_mutation(random, in);
    }
}

static const uint8_t *next_input(struct random *random, size_t *size) {
    static struct input in;
    an_input(random, &in);
    *size = in.size;
    return in.bytes;
}

int main(int argc, char **argv) {
    const struct fuzz_run run = fuzz_run("fuzz_notation", argc, argv, next_input);
    printf("%ld inputs, %ld positions and %ld moves read, slowest %.3f s (%ld)\n", run.count,
           counts.positions, counts.moves, run.slowest, run.slowest_input);
    require(!run.count || (counts.positions && counts.moves), "nothing was read");
    return 0;
}

#endif
