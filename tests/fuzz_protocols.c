// fuzz_protocols.c -- bytes of any kind through the codecs of Hub and DXP, and through the engines behind
// them.
//
// A libFuzzer target where HUFF_LIBFUZZER is defined (clang's build, target libfuzz_protocols); otherwise a
// program that makes its inputs from a seed (tests/fuzz.h).
//
// An input is a byte that says who reads it (from PONDERS on it ponders, in threads), and a byte that chooses
// the variant, then what is said. What is
// understood must survive being written and read again, an error must be one printable line, and an engine
// must come to an end when its input does.
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/notation.h"
#include "core/support/memory.h"
#include "search/dxp_engine.h"
#include "search/hub.h"
#include "search/hub_engine.h"
#include "tests/fuzz.h"

enum reader { HUB_CODEC, DXP_CODEC, HUB_ENGINE, DXP_FOLLOWER, DXP_INITIATOR, READERS };

enum {
    ENGINE_HASH = 1,                // megabytes
    MOST_CONVERSATION = 32 * 1024,  // bytes: a pipe has room for them
    ENGINE_NODES = 50,
    PONDERS = 128,
};

static struct {
    long lines, levels, positions, messages, conversations;  // that were understood
} counts;

// ---- Hub lines ----

static bool same_value(const char *read, const char *again) {
    for (; *read && *again; read++, again++) {
        const bool control = (unsigned char)*read < ' ' || *read == '\x7f';
        if (*again != (control ? '?' : *read)) return false;
    }
    return *read == *again;
}

static void check_line(const struct hub_line *line) {
    struct hub_text text = {0};
    struct hub_line again = {0};
    struct error error;
    hub_begin(&text, line->command);
    for (int i = 0; i < line->count; i++)
        hub_add(&text, line->arguments[i].name, "%s", line->arguments[i].value);
    fuzz_require(hub_read(text.text, text.length, &again, &error), "a line that is not taken back");
    fuzz_require(!strcmp(line->command, again.command) && line->count == again.count, "a line changed");
    for (int i = 0; i < line->count; i++)
        fuzz_require(!strcmp(line->arguments[i].name, again.arguments[i].name) &&
                         same_value(line->arguments[i].value, again.arguments[i].value),
                     "an argument changed");
    hub_line_free(&again);
    hub_text_free(&text);
    counts.lines++;
}

static void check_level(const struct hub_line *line) {
    struct hub_level level = {0}, again_level = {0};
    struct hub_line again = {0};
    struct hub_text text = {0}, again_text = {0};
    struct error error;
    if (!hub_level_read(line, &level, &error)) {
        fuzz_check_error(&error);
        return;
    }
    hub_level_write(&text, &level);
    fuzz_require(hub_read(text.text, text.length, &again, &error) &&
                     hub_level_read(&again, &again_level, &error),
                 "a level that is not taken back");
    hub_level_write(&again_text, &again_level);
    fuzz_require(!strcmp(text.text, again_text.text), "a level changed");
    hub_line_free(&again);
    hub_text_free(&text);
    hub_text_free(&again_text);
    counts.levels++;
}

static void check_info(const struct hub_line *line) {
    const struct hub_info info = hub_info_read(line);
    struct hub_text text = {0};
    struct hub_line again = {0};
    struct error error;
    hub_info_write(&text, &info);
    fuzz_require(hub_read(text.text, text.length, &again, &error), "an info that is not taken back");
    const struct hub_info again_info = hub_info_read(&again);
    fuzz_require(info.depth == again_info.depth && info.nodes == again_info.nodes &&
                     info.scored == again_info.scored,
                 "an info changed");
    if (info.scored)
        fuzz_require(hub_score_read(info.score) <= 1000000 && hub_score_read(info.score) >= -1000000,
                     "a score");
    hub_line_free(&again);
    hub_text_free(&text);
}

static void check_pos(const struct hub_line *line, const struct variant *variant) {
    struct game game;
    struct error error;
    if (!hub_pos_read(line, variant, &game, &error)) {
        fuzz_check_error(&error);
        return;
    }
    fuzz_require(variant_check(variant, game_position(&game), &error), "a position that cannot be");
    game_free(&game);
    counts.positions++;
}

static void read_hub(const char *text, size_t length, const struct variant *variant) {
    static struct hub_line line;
    struct error error;
    if (!hub_read(text, length, &line, &error)) {
        fuzz_check_error(&error);
        return;
    }
    check_line(&line);
    check_level(&line);
    check_info(&line);
    check_pos(&line, variant);
}

// ---- DXP messages ----

static void check_message(const struct dxp_message *message) {
    char text[DXP_MESSAGE_SIZE], again_text[DXP_MESSAGE_SIZE];
    struct dxp_message again;
    struct error error;
    fuzz_require(dxp_write(message, text, &error), "a message that cannot be written");
    fuzz_require(strlen(text) <= DXP_MESSAGE_LIMIT, "a message that is too long");
    fuzz_require(dxp_read(text, strlen(text), &again, &error), "a message that is not taken back");
    fuzz_require(dxp_write(&again, again_text, &error) && !strcmp(text, again_text), "a message changed");
    counts.messages++;
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

// ---- the engines ----

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
    counts.conversations++;
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
    if (dxp_serve(&settings, ends[0], nowhere(), NULL)) counts.conversations++;
    weights_free(&settings.weights);
    close(ends[0]);
    close(ends[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2) return 0;
    const bool ponders = data[0] >= PONDERS;
    const enum reader reader = data[0] % PONDERS % READERS;
    const struct variant *variant = &variants[data[1] % variant_count];
    const char *text = (const char *)data + 2;
    const size_t length = size - 2;
    if (reader > DXP_CODEC && length > MOST_CONVERSATION) return 0;
    switch (reader) {
    case HUB_CODEC: read_hub(text, length, variant); break;
    case DXP_CODEC: read_dxp(text, length); break;
    case HUB_ENGINE: talk_hub(text, length, variant); break;
    case DXP_FOLLOWER: talk_dxp(text, length, variant, false, ponders); break;
    case DXP_INITIATOR: talk_dxp(text, length, variant, true, ponders); break;
    case READERS: break;
    }
    return 0;
}

#ifndef HUFF_LIBFUZZER

enum { CONVERSATIONS = 64 };  // one input in so many is a conversation

static const char *const hub_lines[] = {
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
static const char *const dxp_messages[] = {
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

static char a_char(struct random *random) {
    return fuzz_char(random, "WwBbZzeE0123456789x-=\" .\n\t+nRAMEKC");
}

static void append_phrase(struct random *random, struct fuzz_input *in, bool hub) {
    fuzz_append(in, hub ? FUZZ_CHOOSE(random, hub_lines) : FUZZ_CHOOSE(random, dxp_messages));
}

static void mutate(struct random *random, struct fuzz_input *in) {
    const char c = a_char(random);
    // All of the rest, or a byte or two.
    fuzz_mutate(random, in, 2, &c, 1, fuzz_some(random, 4) ? 1 + (size_t)fuzz_some(random, 2) : 64);
}

static void a_single_phrase(struct random *random, struct fuzz_input *in, bool hub) {
    switch (fuzz_some(random, 8)) {
    case 0: fuzz_append_any(random, in, 64); return;
    case 1: {
        const char piece[4] = {a_char(random), a_char(random), a_char(random)};
        fuzz_append_often(in, piece, fuzz_some(random, 2048));
        return;
    }
    case 2:
        append_phrase(random, in, hub);
        fuzz_append(in, " ");
        append_phrase(random, in, hub);
        break;
    default: append_phrase(random, in, hub);
    }
}

static void a_conversation(struct random *random, struct fuzz_input *in, bool hub) {
    if (hub && fuzz_some(random, 4)) fuzz_append(in, "hub\ninit\n");
    for (int n = 1 + fuzz_some(random, 30); n > 0; n--) {
        append_phrase(random, in, hub);
        fuzz_append_bytes(in, hub ? "\n" : "", 1);
    }
}

static void an_input(struct random *random, struct fuzz_input *in) {
    const bool conversation = !fuzz_some(random, CONVERSATIONS);
    const enum reader reader =
        (enum reader)(conversation ? HUB_ENGINE + fuzz_some(random, 3) : fuzz_some(random, 2));
    in->bytes[in->size++] = (uint8_t)((int)reader + (fuzz_some(random, 4) ? 0 : PONDERS));
    in->bytes[in->size++] = (uint8_t)fuzz_some(random, variant_count);
    if (conversation)
        a_conversation(random, in, reader == HUB_ENGINE);
    else
        a_single_phrase(random, in, reader == HUB_CODEC);
    for (int n = fuzz_some(random, 4); n > 0; n--) mutate(random, in);
}

int main(int argc, char **argv) {
    const struct fuzz_run run = fuzz_run(fuzz_plan(argc, argv), an_input);
    printf("%ld inputs, understood: %ld lines, %ld levels, %ld positions, %ld messages, %ld conversations; "
           "slowest %.3f s (%ld)\n",
           run.count, counts.lines, counts.levels, counts.positions, counts.messages, counts.conversations,
           run.slowest, run.slowest_input);
    fuzz_require(!run.count || (counts.lines && counts.levels && counts.positions && counts.messages),
                 "nothing was understood");
    return 0;
}

#endif
