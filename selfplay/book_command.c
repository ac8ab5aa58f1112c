// book_command.c -- huff-selfplay book: makes a book of openings.

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/support/memory.h"
#include "core/support/options.h"
#include "core/support/progress.h"
#include "selfplay/book.h"
#include "selfplay/output.h"
#include "selfplay/selfplay_commands.h"

struct arguments {
    struct common_options common;
    const char *output, *weights;
    struct book_settings book;
    bool depth_given;
};

enum { OPTION_PLIES = 0x200, OPTION_MARGIN, OPTION_DEPTH, OPTION_WEIGHTS };

static const struct argp_option option_list[] = {
    {"plies", OPTION_PLIES, "N", 0, "How deep the positions are (required)", 0},
    {"margin", OPTION_MARGIN, "CP", 0,
     "Leaves out what a search sees further from equal than so many centipawns; 0, the default: nothing", 0},
    {"depth", OPTION_DEPTH, "N", 0, "Of that search, in plies (default 8)", 0},
    {"weights", OPTION_WEIGHTS, "FILE", 0, "Of that search: default, material or a file", 0},
    {"output", 'o', "FILE", 0, "The book (default VARIANT-PLIES.book)", 0},
    {0},
};

static void take_number(struct argp_state *state, const char *name, const char *text, int least, int most,
                        int *value) {
    struct error error;
    if (!options_int(name, text, least, most, value, &error)) argp_error(state, "%s", error.text);
}

static error_t parse(int key, char *argument, struct argp_state *state) {
    struct arguments *arguments = state->input;
    struct book_settings *book = &arguments->book;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &arguments->common; return 0;
    case 'o': arguments->output = argument; return 0;
    case OPTION_PLIES: take_number(state, "--plies", argument, 1, MOST_ALL_PLIES, &book->plies); return 0;
    case OPTION_MARGIN:
        take_number(state, "--margin", argument, 0, BOOK_MOST_MARGIN, &book->margin);
        return 0;
    case OPTION_DEPTH:
        arguments->depth_given = true;
        take_number(state, "--depth", argument, 1, MAX_DEPTH, &book->depth);
        return 0;
    case OPTION_WEIGHTS: arguments->weights = argument; return 0;
    case ARGP_KEY_END:
        if (arguments->common.variant == NULL || book->plies == 0)
            argp_error(state, "expected --variant NAME and --plies N");
        if (arguments->depth_given && book->margin == 0) argp_error(state, "--depth goes with --margin only");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static bool make(const struct arguments *arguments, const struct variant *variant, const char *path,
                 struct error *error) {
    struct weights weights;
    if (!output_check_paths(path, &arguments->weights, arguments->weights != NULL, error) ||
        !weights_get(arguments->weights, variant, &weights, error))
        return false;
    struct opening_list *list = book_make(&arguments->book, variant, &variant->rules->draws, &weights,
                                          arguments->common.quiet, error);
    const bool done = list != NULL && book_write(list, &arguments->book, &weights, path, error);
    if (done && arguments->common.json)
        printf("{\"variant\": \"%s\", \"plies\": %d, \"positions\": %d}\n", variant->name,
               arguments->book.plies, opening_list_count(list));
    else if (done)
        printf("%s: %d positions after %d plies of %s\n", path, opening_list_count(list),
               arguments->book.plies, variant->name);
    opening_list_free(list);
    weights_free(&weights);
    return done;
}

int selfplay_book_command(int argc, char **argv) {
    static const struct argp_child children[] = {{&options_common, 0, "Common options:", 0}, {0}};
    static const struct argp argp = {
        .options = option_list,
        .parser = parse,
        .args_doc = "",
        .doc =
            "Makes a book of openings: every position so many plies deep, once, however many ways lead there."
            "\vA configuration names it as opening.book, huff-match as --openings.",
        .children = children,
    };
    struct arguments arguments = {.book = {.depth = BOOK_USUAL_DEPTH}};
    if (argp_parse(&argp, argc, argv, 0, NULL, &arguments) != 0) return EXIT_USAGE;
    interrupt_install();
    struct error error;
    const struct variant *variant = variant_find(arguments.common.variant, &error);
    if (variant == NULL) return options_fail(argv[0], EXIT_USAGE, &error);
    char *path = arguments.output != NULL ? memory_text("%s", arguments.output)
                                          : memory_text("%s-%d.book", variant->name, arguments.book.plies);
    const bool done = make(&arguments, variant, path, &error);
    free(path);
    return done ? EXIT_DONE : options_fail(argv[0], EXIT_FAILED, &error);
}
