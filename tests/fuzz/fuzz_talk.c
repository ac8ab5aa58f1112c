// fuzz_talk.c -- bytes of any kind said to huff's engines, over Hub and DXP.
//
// An input is a byte that says who listens (from PONDERS on the engine of DXP ponders, in threads), and a
// byte that chooses the variant, then what is said. The engine must come to an end when its input does.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "search/dxp_engine.h"
#include "search/hub_engine.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_phrases.h"

enum listener { HUB_ENGINE, DXP_FOLLOWER, DXP_INITIATOR, LISTENERS };

enum {
    ENGINE_HASH = 1,                // megabytes
    MOST_CONVERSATION = 32 * 1024,  // bytes: a pipe has room for them
    ENGINE_NODES = 50,
    PONDERS = 128,
};

static long understood[LISTENERS];  // conversations

static FILE *nowhere(void) {
    static FILE *file;
    if (!file) file = fopen("/dev/null", "w");
    fuzz_require(file, "cannot open /dev/null");
    return file;
}

static void fill(int fd, const char *text, size_t length) {
    fuzz_require(write(fd, text, length) == (ssize_t)length, "cannot write to an engine");
}

static void talk_hub(const char *text, size_t length, const struct variant *variant) {
    int ends[2];
    fuzz_require(!pipe(ends), "no pipe");
    fill(ends[1], text, length);
    close(ends[1]);
    const struct hub_settings settings = {.variant = variant, .hash_megabytes = ENGINE_HASH, .weights = ""};
    fuzz_require(hub_serve(&settings, ends[0], nowhere()), "a search that does not end");
    close(ends[0]);
    understood[HUB_ENGINE]++;
}

static const struct variant *ten_by_ten(const struct variant *variant) {
    return variant->rules->width == DXP_WIDTH ? variant : variant_find("international", NULL);
}

static void talk_dxp(const char *text, size_t length, const struct variant *variant, bool asks,
                     bool ponders) {
    int ends[2];
    fuzz_require(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends), "no socket");
    fill(ends[1], text, length);
    shutdown(ends[1], SHUT_WR);
    struct dxp_settings settings = {
        .variant = ten_by_ten(variant),
        .weights = weights_material(ten_by_ten(variant)),
        .hash_megabytes = ENGINE_HASH,
        .threads = ponders ? 2 : 1,
        .ponder = ponders,
        .name = "huff",
        .limits = {.nodes = ENGINE_NODES},
        .wait = 10,
        .patience = 10,
        .games = asks ? 3 : 0,
        .minutes = 1,
        .moves = 20,
        .log = nowhere(),
    };
    if (dxp_serve(&settings, ends[0], nowhere(), NULL)) understood[asks ? DXP_INITIATOR : DXP_FOLLOWER]++;
    weights_free(&settings.weights);
    close(ends[0]);
    close(ends[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2 || size - 2 > MOST_CONVERSATION) return 0;
    const bool ponders = data[0] >= PONDERS;
    const enum listener listener = data[0] % PONDERS % LISTENERS;
    const struct variant *variant = &variants[data[1] % variant_count];
    const char *text = (const char *)data + 2;
    if (listener == HUB_ENGINE)
        talk_hub(text, size - 2, variant);
    else
        talk_dxp(text, size - 2, variant, listener == DXP_INITIATOR, ponders);
    return 0;
}

#ifndef HUFF_LIBFUZZER

static void a_conversation(struct random *random, struct fuzz_input *in, bool hub) {
    if (hub && fuzz_some(random, 4)) fuzz_append(in, "hub\ninit\n");
    for (int n = 1 + fuzz_some(random, 30); n > 0; n--) {
        fuzz_append(in, hub ? fuzz_hub_line(random) : fuzz_dxp_message(random));
        fuzz_append_bytes(in, hub ? "\n" : "", 1);
    }
}

static void an_input(struct random *random, struct fuzz_input *in) {
    const enum listener listener = (enum listener)fuzz_some(random, LISTENERS);
    in->bytes[in->size++] = (uint8_t)((int)listener + (fuzz_some(random, 4) ? 0 : PONDERS));
    in->bytes[in->size++] = (uint8_t)fuzz_some(random, variant_count);
    a_conversation(random, in, listener == HUB_ENGINE);
    for (int n = fuzz_some(random, 4); n > 0; n--) {
        const char c = fuzz_char(random, "WwBbZzeE0123456789x-=\" .\n\t+nRAMEKC");
        fuzz_mutate(random, in, 2, &c, 1, fuzz_some(random, 4) ? 1 + (size_t)fuzz_some(random, 2) : 64);
    }
}

int main(int argc, char **argv) {
    const struct fuzz_run run = fuzz_run(fuzz_plan(argc, argv), an_input);
    printf("%ld inputs, conversations understood: %ld over Hub, %ld as DXP's follower, %ld as its initiator; "
           "slowest %.3f s (%ld)\n",
           run.count, understood[HUB_ENGINE], understood[DXP_FOLLOWER], understood[DXP_INITIATOR],
           run.slowest, run.slowest_input);
    fuzz_require(run.count < 50 || (understood[HUB_ENGINE] && understood[DXP_FOLLOWER]),
                 "nothing was understood");
    return 0;
}

#endif
