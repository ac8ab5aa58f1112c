// fuzz_pdn.c -- texts of any kind through the reader of PDN games.
//
// A libFuzzer target where HUFF_LIBFUZZER is defined (clang's build, target libfuzz_pdn); otherwise a program
// that makes texts from a seed: fuzz_pdn COUNT SEED.
//
// An input is a byte that chooses the variant (or none), one with the settings, and the text. A game that is
// read must survive being written and read again, and a second writing must give the same text; a report must
// be one line.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/notation.h"
#include "core/pdn.h"
#include "core/support/memory.h"
#include "tests/fuzz.h"

static struct { long games, moves, skipped, warnings; } counts;

static void require(bool holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "fuzz_pdn: %s\n", what);
    abort();
}

static void check_report(void *context, const char *line) {
    require(!strncmp(line, "fuzz:", 5) && !strchr(line, '\n'), "a report that is not one line");
    ++*(long *)context;
}

static bool same_text(const char *a, const char *b) { return a == b || (a && b && !strcmp(a, b)); }

static void check_same(const struct pdn_game *a, const struct pdn_game *b) {
    require(a->variant == b->variant && position_equal(&a->start, &b->start), "the start changed");
    require(a->result == b->result && a->termination == b->termination, "the end changed");
    require(a->ply_count == b->ply_count, "moves were lost");
    require(same_text(a->comment, b->comment), "the first comment changed");
    for (int i = 0; i < a->ply_count; i++) {
        const struct pdn_ply *p = &a->plies[i], *q = &b->plies[i];
        require(move_equal(p->move, q->move), "a move changed");
        require(same_text(p->comment, q->comment), "a comment changed");
        require(p->note.scored == q->note.scored && p->note.score == q->note.score &&
                    p->note.timed == q->note.timed && p->note.seconds == q->note.seconds &&
                    p->note.depth == q->note.depth && p->note.nodes == q->note.nodes,
                "a note changed");
    }
}

// The one game that a text of the writer holds.
static void read_again(const char *text, struct pdn_settings settings, struct pdn_game *game) {
    long reports = 0;
    settings.context = &reports;
    struct pdn_reader *reader = pdn_reader_new("fuzz", text, strlen(text), &settings);
    struct pdn_game another;
    require(pdn_read(reader, game), "a written game cannot be read");
    require(!pdn_read(reader, &another), "a written game is read as two");
    pdn_reader_free(reader);
}

static void check_game(const struct pdn_game *game, struct pdn_settings settings) {
    struct pdn_game again;
    char *text = pdn_game_to_text(game, settings.left);
    read_again(text, settings, &again);
    if (settings.comments) check_same(game, &again);
    char *second = pdn_game_to_text(&again, settings.left);
    require(!settings.comments || !strcmp(text, second), "a second writing gives another text");
    free(text);
    free(second);
    pdn_game_free(&again);
    counts.games++;
    counts.moves += game->ply_count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2) return 0;
    const int variant = data[0] % (variant_count + 1);
    long reports = 0;
    const struct pdn_settings settings = {
        .variant = variant < variant_count ? &variants[variant] : NULL,
        .left = (enum pdn_left)(data[1] % 3),
        .text_result_wins = data[1] & 4,
        .comments = data[1] & 24,
        .report = check_report,
        .context = &reports,
    };
    // A copy of just this size, so that a sanitizer sees a byte read beyond it.
    char *text = memory_new(size - 2, 1);
    memcpy(text, data + 2, size - 2);
    struct pdn_reader *reader = pdn_reader_new("fuzz", text, size - 2, &settings);
    struct pdn_game game;
    while (pdn_read(reader, &game)) {
        check_game(&game, settings);
        pdn_game_free(&game);
    }
    const struct pdn_counts read = pdn_reader_counts(reader);
    require(reports == read.skipped + read.warnings, "a game was skipped in silence");
    counts.skipped += read.skipped;
    counts.warnings += read.warnings;
    pdn_reader_free(reader);
    free(text);
    return 0;
}

#ifndef HUFF_LIBFUZZER

struct input {
    size_t size;
    uint8_t bytes[1 << 14];
};

static void append(struct input *in, const char *text) {
    const size_t length = strlen(text), room = sizeof in->bytes - in->size;
    memcpy(in->bytes + in->size, text, length < room ? length : room);
    in->size += length < room ? length : room;
}

static int some(struct random *random, int limit) { return (int)random_below(random, (uint64_t)limit); }

// What PDN texts consist of, and what they should not.
static const char *a_piece(struct random *random) {
    static const char *const pieces[] = {
        "[Event \"a\"]\n",
        "[FEN \"",
        "W:W31-50:B1-20",
        "\"]\n",
        "[Result \"1-0\"]",
        "[GameType \"20\"]",
        "[GameType \"25,W,8,8,A0,0\"]",
        "[Variant \"killer\"]",
        "[Termination \"White wins: time\"]\n",
        "[pdn]",
        "[/pdn]",
        "[%clk 1]",
        "\n[",
        "]",
        "[Round 1]\n",
        "{",
        "}",
        "(",
        ")",
        "/FEN \"B::\"/",
        "/",
        "1. ",
        "1... ",
        "12.",
        "...",
        "32-28 ",
        "19-23 ",
        "28x19",
        "11-15 ",
        "a3b4 ",
        "c3-d4",
        "10-13 ",
        "33",
        "-",
        "x",
        ":",
        " - - ",
        "*",
        " * ",
        "1-0",
        "2-0 ",
        "0-1",
        "1-1",
        "1/2-1/2 ",
        "0-0",
        "4-6 ",
        "\xc2\xbd-\xc2\xbd",
        "$12",
        "!?",
        "(!)",
        "=K",
        " ",
        "\n",
        "\r\n",
        "\t",
        "%",
        "% note\n",
        "\"",
        "\\",
        "[%emt 0:00:01.5]",
        "[%eval -0.35]",
        "d=12",
        " n=34 ",
        "\xef\xbb\xbf",
        "\xe2\x80\x93",
        "\xd0\xa0",
        "\xe9",
        "\xa0",
        "Red resigned",
        "99999999999999999999999",
        "\n\n[Event \"b\"]\n",
        "\n\n[White \"\xe9\"]\n",
    };
    return pieces[some(random, (int)(sizeof pieces / sizeof *pieces))];
}

static void a_byte(struct random *random, struct input *in) {
    static const char likely[] = "[]{}()\"'*/-x:.%!?$=\\ \n\r0123456789abcdefghWBK,";
    const char c = likely[some(random, (int)sizeof likely - 1)];
    if (in->size < sizeof in->bytes)
        in->bytes[in->size++] = (uint8_t)(some(random, 4) ? c : (char)random_bits(random));
}

static void a_game(const struct variant *v, struct random *random, struct input *in) {
    static struct move_list legal;
    struct pdn_game game;
    pdn_game_init(&game, v, NULL);
    struct position now = game.start;
    const int played = some(random, 30), before = some(random, 2) ? some(random, 60) : 0;
    for (int n = before + played; n > 0; n--) {
        v->generate(&now, &legal);
        if (!legal.count || legal.truncated) break;
        const struct move move = legal.moves[some(random, legal.count)];
        v->play(&now, move);
        if (n > played) {
            game.start = now;
            continue;
        }
        const struct pdn_note note = {.timed = !some(random, 4),
                                      .seconds = some(random, 1000) / 10.0,
                                      .scored = !some(random, 4),
                                      .score = some(random, 999) - 500,
                                      .depth = some(random, 3),
                                      .nodes = random_below(random, 2)};
        pdn_add_move(&game, move, &note);
        if (!some(random, 8)) {
            const char *piece = a_piece(random);
            pdn_set_comment(&game, piece, strlen(piece));
        }
    }
    game.result = (enum pdn_result)(some(random, 5) - 1);
    game.termination = (enum termination)some(random, TERMINATION_COUNT);
    if (!some(random, 4)) pdn_set_tag(&game, "Result", "4-6");
    char *text = pdn_game_to_text(&game, (enum pdn_left)some(random, 3));
    append(in, text);
    free(text);
    pdn_game_free(&game);
}

static void a_mutation(struct random *random, struct input *in) {
    const size_t at = 2 + (size_t)random_below(random, in->size - 1), rest = in->size - at;
    size_t length = (size_t)some(random, some(random, 4) ? 4 : 200);
    if (length > rest) length = rest;
    switch (some(random, 4)) {
    case 0:  // other bytes
        for (size_t i = 0; i < length && i < 4; i++) in->bytes[at + i] = (uint8_t)random_bits(random);
        return;
    case 1:  // bytes go
        memmove(in->bytes + at, in->bytes + at + length, rest - length);
        in->size -= length;
        return;
    case 2: {  // a piece comes between
        const char *piece = a_piece(random);
        length = strlen(piece);
        if (length > sizeof in->bytes - in->size) return;
        memmove(in->bytes + at + length, in->bytes + at, rest);
        memcpy(in->bytes + at, piece, length);
        in->size += length;
        return;
    }
    default:  // a part of the text again, at the end
        if (length > sizeof in->bytes - in->size) return;
        memmove(in->bytes + in->size, in->bytes + at, length);
        in->size += length;
    }
}

static void an_input(struct random *random, struct input *in) {
    const int variant = some(random, variant_count + 1);
    const struct variant *v = &variants[variant < variant_count ? variant : some(random, variant_count)];
    in->bytes[0] = (uint8_t)variant;
    in->bytes[1] = (uint8_t)random_bits(random);
    in->size = 2;
    switch (some(random, 8)) {
    case 0:  // anything
        for (int n = some(random, 64); n > 0; n--) a_byte(random, in);
        return;
    case 1:
    case 2:  // pieces in any order
        for (int n = some(random, 40); n > 0; n--) append(in, a_piece(random));
        return;
    case 3: {  // one thing over and over
        const char *piece = a_piece(random), *other = some(random, 2) ? a_piece(random) : "";
        for (int n = some(random, some(random, 8) ? 20 : 1000); n > 0; n--) {
            append(in, piece);
            append(in, other);
        }
        return;
    }
    default:
        for (int n = 1 + some(random, 3); n > 0; n--) a_game(v, random, in);
        for (int n = some(random, 5); n > 0; n--) a_mutation(random, in);
    }
}

static const uint8_t *next_input(struct random *random, size_t *size) {
    static struct input in;
    an_input(random, &in);
    *size = in.size;
    return in.bytes;
}

int main(int argc, char **argv) {
    const struct fuzz_run run = fuzz_run("fuzz_pdn", argc, argv, next_input);
    printf("%ld inputs, %ld games with %ld moves read, %ld skipped, %ld warnings, slowest %.3f s (%ld)\n",
           run.count, counts.games, counts.moves, counts.skipped, counts.warnings, run.slowest,
           run.slowest_input);
    require(!run.count || (counts.moves && counts.skipped && counts.warnings), "nothing was read");
    return 0;
}

#endif
