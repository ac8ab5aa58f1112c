// fuzz_phrases.h -- what is said over Hub and DXP.
#ifndef HUFF_TESTS_FUZZ_FUZZ_PHRASES_H
#define HUFF_TESTS_FUZZ_FUZZ_PHRASES_H

#include "tests/fuzz/fuzz.h"

#ifndef HUFF_LIBFUZZER

static const char *const fuzz_hub_lines[] = {
    "hub",
    "init",
    "new-game",
    "ping",
    "stop",
    "ponder-hit",
    "wait",
    "ready",
    "pong",
    "go think",
    "go ponder",
    "go analyze",
    "level infinite",
    "level depth=3",
    "level nodes=100",
    "level move-time=0.01",
    "level moves=9 time=291.587 inc=0.5",
    "level depth=2 time=1",
    "set-param name=variant value=russian",
    "set-param name=ponder value=true",
    "set-param name=threads value=2",
    "set-param name=weights value=\"no such file\"",
    "pos start",
    "pos pos=Wbbbbbbbbbbbbbbbbbbbbeeeeeeeeeewwwwwwwwwwwwwwwwwwww",
    "pos pos=Wbbbbbbbbbbbbeeeeeeeewwwwwwwwwwww",
    "pos pos=BeeeWWeeeeeeeeeeeeeeeeeeeweeeeeeeeewweBeeeeeeeeeBee moves=\"38-15 5-41 48-26\"",
    "pos start moves=\"32-28 17-22 28x17x22\"",
    "id name=Scan version=3.1 author=\"Fabien Letouzey\" country=France",
    "param name=variant value=normal type=enum values=\"normal killer bt frisian losing\"",
    "info depth=21 mean-depth=20.8 score=-0.01 nodes=31261613 time=3.906 nps=8.0 pv=\"32-28 17-22\"",
    "info score=99.96 depth=3",
    "done move=32-28 ponder=17-22",
    "error message=\"bad command\"",
};

#define NAME "Tornado voor Windows 4.0        "
static const char *const fuzz_dxp_messages[] = {
    "R01" NAME "W060065A",
    "R01" NAME "Z000000A",
    "R01" NAME "W001020BWzzzzzzzzzzzzzzzzzzzzeeeeeeeeeewwwwwwwwwwwwwwwwwwww",
    "R01" NAME "Z2.5001BZeeeeezeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeWeeee",
    "A" NAME "0",
    "A" NAME "2",
    "M0012322800",
    "M0012202500",
    "M0012061100",
    "M001205250422122320",
    "E00",
    "E11",
    "E30",
    "Chello",
    "B005Z",
    "K1",
};

static inline const char *fuzz_hub_line(struct random *random) { return FUZZ_CHOOSE(random, fuzz_hub_lines); }
static inline const char *fuzz_dxp_message(struct random *random) {
    return FUZZ_CHOOSE(random, fuzz_dxp_messages);
}

struct fuzz_speech {
    const char *(*phrase)(struct random *);
    const char *likely;  // characters
    size_t first;        // byte of an input that is said
};

static inline char fuzz_speech_char(struct random *random, const struct fuzz_speech *speech) {
    return fuzz_char(random, speech->likely);
}

static inline void fuzz_append_phrase(struct random *random, struct fuzz_input *in,
                                      const struct fuzz_speech *speech) {
    switch (fuzz_some(random, 8)) {
    case 0: fuzz_append_any(random, in, 64); return;
    case 1: {
        const char piece[4] = {fuzz_speech_char(random, speech), fuzz_speech_char(random, speech),
                               fuzz_speech_char(random, speech)};
        fuzz_append_often(in, piece, fuzz_some(random, 2048));
        return;
    }
    case 2:
        fuzz_append(in, speech->phrase(random));
        fuzz_append(in, " ");
        fuzz_append(in, speech->phrase(random));
        break;
    default: fuzz_append(in, speech->phrase(random));
    }
}

// Something that is said, and up to three changes to it: of all of the rest, or of a byte or two.
static inline void fuzz_append_speech(struct random *random, struct fuzz_input *in,
                                      const struct fuzz_speech *speech) {
    fuzz_append_phrase(random, in, speech);
    for (int n = fuzz_some(random, 4); n > 0; n--) {
        const char c = fuzz_speech_char(random, speech);
        fuzz_mutate(random, in, speech->first, &c, 1,
                    fuzz_some(random, 4) ? 1 + (size_t)fuzz_some(random, 2) : 64);
    }
}

#endif

#endif
