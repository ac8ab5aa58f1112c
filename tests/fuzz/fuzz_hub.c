// fuzz_hub.c -- bytes of any kind through the codec of Hub.
//
// An input is a byte that chooses the variant, then a line. What is understood must survive being written and
// read again, and an error must be one printable line.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/notation.h"
#include "core/support/memory.h"
#include "search/hub.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_phrases.h"

static struct { long lines, levels, positions; } counts;  // that were understood

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 1) return 0;
    read_hub((const char *)data + 1, size - 1, &variants[data[0] % variant_count]);
    return 0;
}

#ifndef HUFF_LIBFUZZER

static const struct fuzz_speech speech = {fuzz_hub_line, "WwBbe0123456789x-=\" .\n\t+n", 1};

static void an_input(struct random *random, struct fuzz_input *in) {
    in->bytes[in->size++] = (uint8_t)fuzz_some(random, variant_count);
    fuzz_append_speech(random, in, &speech);
}

int main(int argc, char **argv) {
    const struct fuzz_run run = fuzz_run(fuzz_plan(argc, argv), an_input);
    printf("%ld inputs, understood: %ld lines, %ld levels, %ld positions; slowest %.3f s (%ld)\n", run.count,
           counts.lines, counts.levels, counts.positions, run.slowest, run.slowest_input);
    fuzz_require(!run.count || (counts.lines && counts.levels && counts.positions), "nothing was understood");
    return 0;
}

#endif
