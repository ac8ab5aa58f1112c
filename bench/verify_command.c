// verify_command.c -- huff-bench verify: counts the published perft tables again.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/nps.h"
#include "bench/perft.h"
#include "core/notation.h"
#include "core/support/clock.h"
#include "core/support/memory.h"
#include "core/support/options.h"
#include "core/support/progress.h"

// The table with its sources is tests/data/perft.tsv; it is part of the program.
__asm__(".section .rodata\n"
        ".global published_perft, published_perft_end\n"
        "published_perft: .incbin \"" PUBLISHED_PERFT "\"\n"
        "published_perft_end: .byte 0\n"
        ".previous\n");
extern const char published_perft[], published_perft_end[];

enum { COLUMNS = 8 };
static const char *const column_names[COLUMNS] = {"variant", "name",       "fen",      "depth",
                                                  "leaves",  "convention", "excluded", "source"};

struct row {
    const struct variant *variant;
    const char *text[COLUMNS];
    struct position position;
    int depth;
    wide_count leaves;
    bool distinct, paths;  // conventions it holds for; neither: left out
};

struct arguments {
    struct common_options common;
    wide_count most;
};

enum { KEY_MOST = 0x200 };

static const struct argp_option option_list[] = {
    {"max-leaves", KEY_MOST, "N", 0, "Leave out rows with more leaves (default: 50000000)", 0},
    {0},
};

static error_t parse(int key, char *text, struct argp_state *state) {
    struct arguments *a = state->input;
    struct error error;
    int64_t number = 0;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &a->common; break;
    case KEY_MOST:
        if (!options_number("--max-leaves", text, 1, INT64_MAX, &number, &error))
            argp_failure(state, EXIT_USAGE, 0, "%s", error.text);
        a->most = (wide_count)number;
        break;
    case ARGP_KEY_ARG: argp_error(state, "unexpected \"%s\"", text); break;
    default: return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp_child children[] = {{&options_common, 0, NULL, 0}, {0}};
static const struct argp verify_argp = {
    .options = option_list,
    .parser = parse,
    .doc = "Counts the bundled published perft tables again, of a variant or of all (\"--variant all\", the "
           "default), a line for each row, then \"N passed, N "
           "failed\". Rows that "
           "are known to be wrong are named and left out.",
    .children = children,
};

// ---- the table ----

static bool wide_from_text(const char *text, wide_count *count) {
    *count = 0;
    for (const char *c = text; *c; c++) {
        if (*c < '0' || *c > '9') return false;
        *count = *count * 10 + (unsigned)(*c - '0');
    }
    return *text;
}

// Cuts a line into its columns in place.
static bool split(char *line, const char *columns[static COLUMNS]) {
    for (int i = 0; i < COLUMNS; i++) {
        columns[i] = line;
        char *tab = strchr(line, '\t');
        if (!tab) return i == COLUMNS - 1;
        *tab = 0;
        line = tab + 1;
    }
    return false;
}

static bool row_read(char *line, struct row *row, struct error *error) {
    if (!split(line, row->text)) return error_set(error, "expected %d columns", COLUMNS);
    row->variant = variant_find(row->text[0], error);
    if (!row->variant) return false;
    row->position = variant_initial(row->variant);
    const char *convention = row->text[5];
    if (!*row->text[6]) {  // not excluded
        row->distinct = !strcmp(convention, "distinct") || !strcmp(convention, "both");
        row->paths = !strcmp(convention, "paths") || !strcmp(convention, "both");
        if (!row->distinct && !row->paths) return error_set(error, "convention: unknown \"%s\"", convention);
        if (strcmp(row->text[2], "start") &&
            !position_from_fen(row->variant, row->text[2], &row->position, error))
            return error_prefix(error, "fen");
    }
    if (!options_int("depth", row->text[3], 1, MAX_PERFT_DEPTH, &row->depth, error)) return false;
    return wide_from_text(row->text[4], &row->leaves) || error_set(error, "leaves: not a number");
}

// The rows of the table in `text`, which they point into.
static bool table_read(char *text, struct row **rows, int *count, struct error *error) {
    int line_number = 0;
    bool header_seen = false;
    *rows = NULL;
    *count = 0;
    for (char *save, *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        line_number++;
        if (*line == '#') continue;
        if (!header_seen) {
            const char *columns[COLUMNS];
            header_seen = split(line, columns);
            for (int i = 0; header_seen && i < COLUMNS; i++)
                header_seen = !strcmp(columns[i], column_names[i]);
            if (!header_seen) return error_set(error, "row %d: not the expected columns", line_number);
            continue;
        }
        *rows = memory_grow(*rows, (size_t)*count + 1, sizeof **rows);
        (*rows)[*count] = (struct row){0};
        if (!row_read(line, &(*rows)[*count], error)) return error_prefix(error, "row %d", line_number);
        ++*count;
    }
    return true;
}

// ---- counting it ----

struct tally {
    int passed, failed, left_out;
};

static void print_row(const struct row *row, bool paths, wide_count leaves, bool right, double seconds,
                      bool json) {
    const char *convention = paths ? "paths" : "distinct";
    char count[WIDE_TEXT_SIZE];
    wide_to_text(leaves, count);
    if (json) {
        bench_print_json(json_pack("{s:s, s:s, s:s, s:s, s:i, s:s, s:s, s:b, s:f}", "variant",
                                   row->variant->name, "name", row->text[1], "fen", row->text[2],
                                   "convention", convention, "depth", row->depth, "leaves", count,
                                   "published", row->text[4], "passed", right, "seconds", seconds));
    } else {
        printf("%-6s %-13s %-8s depth %-2d  %s", right ? "ok" : "FAILED", row->variant->name, convention,
               row->depth, count);
        if (!right) printf(", published %s", row->text[4]);
        printf("  %.2f s  %s %s\n", seconds, row->text[2], row->text[1]);
    }
    fflush(stdout);
}

static void print_left_out(const struct row *row, bool json) {
    if (json)
        bench_print_json(json_pack("{s:s, s:s, s:s, s:s, s:i, s:s, s:s}", "variant", row->variant->name,
                                   "name", row->text[1], "fen", row->text[2], "convention", row->text[5],
                                   "depth", row->depth, "published", row->text[4], "left_out", row->text[6]));
    else
        printf("%-6s %-13s %-8s depth %-2d  published %s  %s: %s\n", "out", row->variant->name, row->text[5],
               row->depth, row->text[4], row->text[2], row->text[6]);
}

static void print_tally(const struct tally *tally, bool json) {
    if (json) {
        bench_print_json(json_pack("{s:i, s:i, s:i}", "passed", tally->passed, "failed", tally->failed,
                                   "left_out", tally->left_out));
        return;
    }
    if (tally->left_out) printf("%d rows known to be wrong were left out\n", tally->left_out);
    printf("%d passed, %d failed\n", tally->passed, tally->failed);
}

static bool verify_row(const struct row *row, bool paths, const struct arguments *a, struct tally *tally) {
    const struct perft_options options = {
        .depth = row->depth, .paths = paths, .threads = options_threads(&a->common), .quiet = true};
    struct perft *perft = perft_new(row->variant, &options, NULL);
    wide_count leaves = 0;
    const double start = clock_seconds();
    const bool done = perft_count(perft, &row->position, row->depth, &leaves);
    const double seconds = clock_seconds() - start;
    perft_free(perft);
    if (!done) return false;
    const bool right = leaves == row->leaves;
    right ? tally->passed++ : tally->failed++;
    print_row(row, paths, leaves, right, seconds, a->common.json);
    return true;
}

static bool verify(const struct row *rows, int count, const struct variant *only, const struct arguments *a,
                   struct tally *tally) {
    for (int i = 0; i < count; i++) {
        const struct row *row = &rows[i];
        if ((only && row->variant != only) || row->leaves > a->most) continue;
        if (*row->text[6]) {
            tally->left_out++;
            print_left_out(row, a->common.json);
            continue;
        }
        if (row->distinct && !verify_row(row, false, a, tally)) return false;
        if (row->paths && !verify_row(row, true, a, tally)) return false;
    }
    return true;
}

int verify_run(int argc, char **argv) {
    struct arguments a = {.most = 50000000};
    struct error error;
    argp_parse(&verify_argp, argc, argv, 0, NULL, &a);
    const struct variant *only;
    if (!bench_variants(a.common.variant, &only, &error)) return options_fail(argv[0], EXIT_USAGE, &error);

    char *text = memory_text("%.*s", (int)(published_perft_end - published_perft), published_perft);
    struct row *rows;
    int count;
    struct tally tally = {0};
    int code = EXIT_DONE;
    if (!table_read(text, &rows, &count, &error)) {
        code = options_fail(argv[0], EXIT_FAILED, &error);
    } else if (!verify(rows, count, only, &a, &tally)) {
        error_set(&error, "interrupted after %d rows", tally.passed + tally.failed);
        code = options_fail(argv[0], EXIT_FAILED, &error);
    } else {
        print_tally(&tally, a.common.json);
        if (tally.failed) code = EXIT_FAILED;
        if (!tally.failed && !tally.passed) {
            error_set(&error, "no published counts%s%s with so few leaves", only ? " of " : "",
                      only ? only->name : "");
            code = options_fail(argv[0], EXIT_FAILED, &error);
        }
    }
    free(rows);
    free(text);
    return code;
}
