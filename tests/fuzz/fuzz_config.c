// fuzz_config.c -- configurations of any kind through the readers of self-play, matches, fits and loops.
//
// An input is a byte that chooses the reader, and texts with a zero byte between them: the file, then values
// as --set gives them. What is wrong must be told in one line; a run's settings that are read must survive
// being written to a manifest and read again.
#include "tests/fuzz/fuzz.h"

#include "core/support/file.h"
#include "core/support/memory.h"
#include "selfplay/match_settings.h"
#include "selfplay/settings.h"
#include "tuner/fit_config.h"
#include "tuner/loop_config.h"

enum { MOST_SETS = 8 };  // at most, of which the rest is left out

static bool read_run(const char *path, const char *const *sets, int set_count, struct error *error) {
    struct settings settings, again;
    if (!settings_read(path, sets, set_count, &settings, error)) return false;
    json_t *document = settings_to_json(&settings);
    fuzz_require(settings_from_json(document, &again, error), "a manifest of settings cannot be read");
    fuzz_require(settings_equal(&settings, &again), "settings change in a manifest");
    json_decref(document);
    settings_free(&again);
    settings_free(&settings);
    return true;
}

static bool read_match(const char *path, const char *const *sets, int set_count, struct error *error) {
    struct match_settings settings;
    static const struct match_words none;
    if (!match_settings_read(path, sets, set_count, &none, &settings, error)) return false;
    match_settings_free(&settings);
    return true;
}

static bool read_fit(const char *path, const char *const *sets, int set_count, struct error *error) {
    struct fit_config config;
    if (!fit_config_read(path, sets, set_count, &config, error)) return false;
    fit_config_free(&config);
    return true;
}

static bool read_loop(const char *path, const char *const *sets, int set_count, struct error *error) {
    struct loop_config config;
    if (!loop_config_read(path, sets, set_count, &config, error)) return false;
    loop_config_free(&config);
    return true;
}

typedef bool config_reader(const char *path, const char *const *sets, int set_count, struct error *);
static config_reader *const readers[] = {read_run, read_match, read_fit, read_loop};
enum { READERS = sizeof readers / sizeof *readers };
static struct { long read, refused; } counts[READERS];

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) return 0;
    const int reader = data[0] % READERS;
    char *text = memory_new(size, 1);  // with a zero at the end
    memcpy(text, data + 1, size - 1);
    const char *sets[MOST_SETS], *end = text + size - 1, *at = text + strlen(text);
    const char *path = fuzz_file(text, (size_t)(at - text));
    int set_count = 0;
    for (; at < end && set_count < MOST_SETS; at += strlen(at)) sets[set_count++] = ++at;

    struct error error = {""};
    if (readers[reader](path, sets, set_count, &error)) {
        counts[reader].read++;
    } else {
        fuzz_check_error(&error);
        counts[reader].refused++;
    }
    free(text);
    return 0;
}

#ifndef HUFF_LIBFUZZER

static const struct {
    int reader;
    const char *name;
} bases[] = {
    {0, "selfplay-spanish.yaml"}, {0, "selfplay-international.yaml"}, {1, "match-spanish.yaml"},
    {2, "fit-default.yaml"},      {3, "loop-default.yaml"},
};
enum { BASES = sizeof bases / sizeof *bases };
static struct {
    char *text;
    size_t size;
} base_texts[BASES];

static void read_bases(void) {
    struct error error;
    for (int i = 0; i < BASES; i++) {
        char *path = memory_text("%s/%s", HUFF_CONFIGS, bases[i].name);
        fuzz_require(file_read(path, FUZZ_INPUT_SIZE / 2, &base_texts[i].text, &base_texts[i].size, &error),
                     error.text);
        free(path);
    }
}

static const char *a_piece(struct random *random) {
    static const char *const pieces[] = {
        "\n",
        "  ",
        ": ",
        "#",
        "- ",
        "\t",
        "\"",
        "'",
        "{",
        "}",
        "[",
        "]",
        "&a ",
        "*a",
        "---\n",
        "!!int ",
        "|\n",
        ">\n",
        "? ",
        "~",
        "null",
        "yes",
        "-1",
        "0",
        "1e9",
        "0x10",
        "1.5",
        ".nan",
        "-.inf",
        "99999999999",
        "4294967296",
        "\xef\xbb\xbf",
        "\r\n",
        "\xc3\xa9",
        "\xff",
        "games",
        "nodes:",
        "depth: 3\n",
        "movetime: 0.1\n",
        "variant",
        "american",
        "thai+free",
        "seed: ",
        "hash: ",
        "threads: ",
        "draw: simple\n",
        "opening:\n  ",
        "random_plies: 60\n",
        "book: all:3\n",
        "adjudication:\n  ",
        "resign: moves=3,score=700\n",
        "draw: move=1,plies=1,score=1\n",
        "engines:\n  - name: a\n",
        "cmd: ",
        "limit: ",
        "tc: 1+0.1\n",
        "sprt: elo0=0,elo1=5\n",
        "l2:\n  MAN: ",
        "epochs: ",
        "white_weights: material\n",
        "swap_sides: yes\n",
        "generations: ",
        "selfplay:\n  ",
        "gate:\n  ",
        "<<: *a\n",
        "\\",
        "%",
    };
    return FUZZ_CHOOSE(random, pieces);
}

static const char *a_set(struct random *random) {
    static const char *const sets[] = {
        "games=10",
        "nodes=5",
        "variant=russian+free",
        "seed=-1",
        "opening.random_plies=3",
        "hash=0",
        "l2.PATTERN=5",
        "epochs=1",
        "selfplay.games=5",
        "gate.sprt=elo0=0,elo1=5",
        "nothing",
        "=",
        "a.b.c=d",
        "games=",
        "opening=3",
        "engines=3",
        "adjudication.resign=moves=2",
        "rate=nan",
        "lambda=2",
        "threads=1",
        "opening.book=all:2",
    };
    return FUZZ_CHOOSE(random, sets);
}

static void an_input(struct random *random, struct fuzz_input *in) {
    const int base = fuzz_some(random, BASES);
    in->bytes[in->size++] =
        (uint8_t)(fuzz_some(random, 16) ? bases[base].reader : fuzz_some(random, READERS));
    if (fuzz_some(random, 8)) {
        fuzz_append_bytes(in, base_texts[base].text, base_texts[base].size);
    } else {
        for (int n = fuzz_some(random, 60); n > 0; n--) fuzz_append(in, a_piece(random));
    }
    for (int n = fuzz_some(random, 6); n > 0; n--) {
        const char *piece = a_piece(random);
        fuzz_mutate(random, in, 1, piece, strlen(piece), (size_t)fuzz_some(random, 40));
    }
    if (!fuzz_some(random, 50)) fuzz_append_often(in, a_piece(random), fuzz_some(random, 2000));
    for (int n = fuzz_some(random, 3); n > 0; n--) {
        fuzz_append_bytes(in, "", 1);
        fuzz_append(in, fuzz_some(random, 8) ? a_set(random) : a_piece(random));
    }
}

static const char *const reader_names[READERS] = {"runs", "matches", "fits", "loops"};

int main(int argc, char **argv) {
    const struct fuzz_plan plan = fuzz_plan(argc, argv);
    read_bases();
    const struct fuzz_run run = fuzz_run(plan, an_input);
    for (int i = 0; i < BASES; i++) free(base_texts[i].text);
    printf("%ld inputs; read and refused:", run.count);
    for (int i = 0; i < READERS; i++)
        printf(" %s %ld %ld,", reader_names[i], counts[i].read, counts[i].refused);
    printf(" slowest %.3f s (%ld)\n", run.slowest, run.slowest_input);
    for (int i = 0; i < READERS; i++)
        fuzz_require(run.count < 100 || (counts[i].read && counts[i].refused), "a reader was not tried");
    return 0;
}

#endif
