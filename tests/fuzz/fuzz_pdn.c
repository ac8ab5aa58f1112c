// fuzz_pdn.c -- texts of any kind through the reader of PDN games.
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
#include "tests/fuzz/fuzz.h"

static struct { long games, moves, skipped, warnings; } counts;

static void check_report(void *context, const char *line) {
    fuzz_require(!strncmp(line, "fuzz:", 5) && !strchr(line, '\n'), "a report that is not one line");
    ++*(long *)context;
}

static bool same_text(const char *a, const char *b) { return a == b || (a && b && !strcmp(a, b)); }

static void check_same(const struct pdn_game *a, const struct pdn_game *b) {
    fuzz_require(a->variant == b->variant && position_equal(&a->start, &b->start), "the start changed");
    fuzz_require(a->result == b->result && a->termination == b->termination, "the end changed");
    fuzz_require(a->ply_count == b->ply_count, "moves were lost");
    fuzz_require(same_text(a->comment, b->comment), "the first comment changed");
    for (int i = 0; i < a->ply_count; i++) {
        const struct pdn_ply *p = &a->plies[i], *q = &b->plies[i];
        fuzz_require(move_equal(p->move, q->move), "a move changed");
        fuzz_require(same_text(p->comment, q->comment), "a comment changed");
        fuzz_require(p->note.scored == q->note.scored && p->note.score == q->note.score &&
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
    fuzz_require(pdn_read(reader, game), "a written game cannot be read");
    fuzz_require(!pdn_read(reader, &another), "a written game is read as two");
    pdn_reader_free(reader);
}

static void check_game(const struct pdn_game *game, struct pdn_settings settings) {
    struct pdn_game again;
    char *text = pdn_game_to_text(game, settings.left);
    read_again(text, settings, &again);
    if (settings.comments) check_same(game, &again);
    char *second = pdn_game_to_text(&again, settings.left);
    fuzz_require(!settings.comments || !strcmp(text, second), "a second writing gives another text");
    free(text);
    free(second);
    pdn_game_free(&again);
    counts.games++;
    counts.moves += game->ply_count;
}

struct source {
    const char *at;
    size_t left;
};

// A few bytes at a time.
static size_t some_bytes(void *context, char *to, size_t room) {
    struct source *source = context;
    size_t size = source->left % 7 + 1 < room ? source->left % 7 + 1 : room;
    if (size > source->left) size = source->left;
    if (size) memcpy(to, source->at, size);
    source->at += size;
    source->left -= size;
    return size;
}

// A text that comes in pieces is read as the whole one is.
static void check_stream(const char *text, size_t size, struct pdn_settings settings,
                         const struct pdn_counts *expected) {
    struct source source = {text, size};
    long reports = 0;
    settings.context = &reports;
    struct pdn_reader *reader = pdn_reader_new_stream("fuzz", some_bytes, &source, &settings);
    struct pdn_game game;
    while (pdn_read(reader, &game)) pdn_game_free(&game);
    const struct pdn_counts read = pdn_reader_counts(reader);
    fuzz_require(!memcmp(&read, expected, sizeof read), "a stream is read in another way");
    pdn_reader_free(reader);
}

static void check_guess(const char *text, size_t size) {
    struct error why = {""};
    if (!pdn_check_encoding(text, size, &why)) fuzz_check_error(&why);
    pdn_guess(text, size, &why);
    fuzz_check_error(&why);
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
        .notes = data[1] & 32,
        .one_variant = data[1] & 64,
        .keep_broken = data[1] & 128,
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
    fuzz_require(reports == read.skipped + read.warnings, "a game was skipped in silence");
    check_stream(text, size - 2, settings, &read);
    if (!settings.variant && data[1] & 16) check_guess(text, size - 2);
    counts.skipped += read.skipped;
    counts.warnings += read.warnings;
    pdn_reader_free(reader);
    free(text);
    return 0;
}

#ifndef HUFF_LIBFUZZER

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
    return FUZZ_CHOOSE(random, pieces);
}

static void a_byte(struct random *random, struct fuzz_input *in) {
    const char c = fuzz_char(random, "[]{}()\"'*/-x:.%!?$=\\ \n\r0123456789abcdefghWBK,");
    fuzz_append_bytes(in, &c, 1);
}

static void a_game(const struct variant *v, struct random *random, struct fuzz_input *in) {
    static struct move_list legal;
    struct pdn_game game;
    pdn_game_init(&game, v, NULL);
    struct position now = game.start;
    const int played = fuzz_some(random, 30), before = fuzz_some(random, 2) ? fuzz_some(random, 60) : 0;
    for (int n = before + played; n > 0; n--) {
        v->generate(&now, &legal);
        if (!legal.count || legal.truncated) break;
        const struct move move = legal.moves[fuzz_some(random, legal.count)];
        v->play(&now, move);
        if (n > played) {
            game.start = now;
            continue;
        }
        const struct pdn_note note = {.timed = !fuzz_some(random, 4),
                                      .seconds = fuzz_some(random, 1000) / 10.0,
                                      .scored = !fuzz_some(random, 4),
                                      .score = fuzz_some(random, 999) - 500,
                                      .depth = fuzz_some(random, 3),
                                      .nodes = random_below(random, 2)};
        pdn_add_move(&game, move, &note);
        if (!fuzz_some(random, 8)) {
            const char *piece = a_piece(random);
            pdn_set_comment(&game, piece, strlen(piece));
        }
    }
    game.result = (enum pdn_result)(fuzz_some(random, 5) - 1);
    game.termination = (enum termination)fuzz_some(random, TERMINATION_COUNT);
    if (!fuzz_some(random, 4)) pdn_set_tag(&game, "Result", "4-6");
    char *text = pdn_game_to_text(&game, (enum pdn_left)fuzz_some(random, 3));
    fuzz_append(in, text);
    free(text);
    pdn_game_free(&game);
}

static void a_mutation(struct random *random, struct fuzz_input *in) {
    const uint64_t bits = random_bits(random);
    char any[sizeof bits];
    memcpy(any, &bits, sizeof bits);
    const bool of_any = fuzz_some(random, 2);
    const char *piece = of_any ? any : a_piece(random);
    const size_t piece_length = of_any ? (size_t)fuzz_some(random, 4) : strlen(piece);
    fuzz_mutate(random, in, 2, piece, piece_length,
                (size_t)fuzz_some(random, fuzz_some(random, 4) ? 4 : 200));
}

static void an_input(struct random *random, struct fuzz_input *in) {
    const int variant = fuzz_some(random, variant_count + 1);
    const struct variant *v = &variants[variant < variant_count ? variant : fuzz_some(random, variant_count)];
    in->bytes[in->size++] = (uint8_t)variant;
    in->bytes[in->size++] = (uint8_t)random_bits(random);
    switch (fuzz_some(random, 8)) {
    case 0:  // anything
        for (int n = fuzz_some(random, 64); n > 0; n--) a_byte(random, in);
        return;
    case 1:
    case 2:  // pieces in any order
        for (int n = fuzz_some(random, 40); n > 0; n--) fuzz_append(in, a_piece(random));
        return;
    case 3: {  // one thing over and over
        const char *piece = a_piece(random), *other = fuzz_some(random, 2) ? a_piece(random) : "";
        for (int n = fuzz_some(random, fuzz_some(random, 8) ? 20 : 1000); n > 0; n--) {
            fuzz_append(in, piece);
            fuzz_append(in, other);
        }
        return;
    }
    default:
        for (int n = 1 + fuzz_some(random, 3); n > 0; n--) a_game(v, random, in);
        for (int n = fuzz_some(random, 5); n > 0; n--) a_mutation(random, in);
    }
}

int main(int argc, char **argv) {
    const struct fuzz_run run = fuzz_run(fuzz_plan(argc, argv), an_input);
    printf("%ld inputs, %ld games with %ld moves read, %ld skipped, %ld warnings, slowest %.3f s (%ld)\n",
           run.count, counts.games, counts.moves, counts.skipped, counts.warnings, run.slowest,
           run.slowest_input);
    fuzz_require(!run.count || (counts.moves && counts.skipped && counts.warnings), "nothing was read");
    return 0;
}

#endif
