// fuzz_dxp.c -- bytes of any kind through the codec of DXP.
//
// An input is a message. What is understood must survive being written and read again, and an error must be
// one printable line.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/notation.h"
#include "search/dxp.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_phrases.h"

static long understood;

static void check_message(const struct dxp_message *message) {
    char text[DXP_MESSAGE_SIZE], again_text[DXP_MESSAGE_SIZE];
    struct dxp_message again;
    struct error error;
    fuzz_require(dxp_write(message, text, &error), "a message that cannot be written");
    fuzz_require(strlen(text) <= DXP_MESSAGE_LIMIT, "a message that is too long");
    fuzz_require(dxp_read(text, strlen(text), &again, &error), "a message that is not taken back");
    fuzz_require(dxp_write(&again, again_text, &error) && !strcmp(text, again_text), "a message changed");
    understood++;
}

static void check_dxp_move(const struct dxp_message *message) {
    static struct move_list legal;
    const struct variant *variant = variant_find("international", NULL);
    const struct position start = variant_initial(variant);
    struct move move;
    struct error error;
    variant->generate(&start, &legal);
    if (!dxp_find_move(message, &legal, &move, &error)) fuzz_check_error(&error);
}

static void read_dxp(const char *text, size_t length) {
    struct dxp_message message;
    struct error error;
    if (!dxp_read(text, length, &message, &error)) {
        fuzz_check_error(&error);
        return;
    }
    check_message(&message);
    if (message.type == DXP_MOVE) check_dxp_move(&message);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    read_dxp((const char *)data, size);
    return 0;
}

#ifndef HUFF_LIBFUZZER

static const struct fuzz_speech speech = {fuzz_dxp_message, "WwBbZzeE0123456789 .RAMEKC", 0};

static void an_input(struct random *random, struct fuzz_input *in) {
    fuzz_append_speech(random, in, &speech);
}

int main(int argc, char **argv) {
    const struct fuzz_run run = fuzz_run(fuzz_plan(argc, argv), an_input);
    printf("%ld inputs, %ld messages understood; slowest %.3f s (%ld)\n", run.count, understood, run.slowest,
           run.slowest_input);
    fuzz_require(!run.count || understood, "nothing was understood");
    return 0;
}

#endif
