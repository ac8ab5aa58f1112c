// hub_command.c -- huff hub: the options, and the conversation on standard input and output.
#include <unistd.h>

#include "core/support/options.h"
#include "search/commands.h"
#include "search/hub.h"
#include "search/hub_engine.h"
#include "search/search.h"

struct arguments {
    struct common_options common;
    struct hub_settings settings;
};

enum { KEY_HASH = 0x200, KEY_WEIGHTS };

static const struct argp_option option_list[] = {
    {"hash", KEY_HASH, "MB", 0, "Size of the transposition table (default: 64; parameter hash)", 0},
    {"weights", KEY_WEIGHTS, "FILE", 0,
     "Weights of the evaluation: a file, material, or default (parameter weights)", 0},
    {0},
};

static error_t parse(int key, char *text, struct argp_state *state) {
    struct arguments *a = state->input;
    struct error error;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &a->common; break;
    case KEY_HASH:
        if (!options_int("--hash", text, 1, MAX_TABLE_MEGABYTES, &a->settings.hash_megabytes, &error))
            argp_failure(state, EXIT_USAGE, 0, "%s", error.text);
        break;
    case KEY_WEIGHTS: a->settings.weights = text; break;
    case ARGP_KEY_ARG: argp_error(state, "unexpected \"%s\"", text); break;
    default: return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp_child children[] = {{&options_common, 0, NULL, 0}, {0}};
static const struct argp hub_argp = {
    .options = option_list,
    .parser = parse,
    .doc =
        "Speaks the Hub protocol, version 2, on standard input and output. Options give the values that "
        "its parameters begin with; the variant is international and the search runs on one thread unless "
        "an option or a parameter says otherwise. Parameters that are set after \"init\" take effect at the "
        "next \"new-game\" or \"pos\". Positions of 8x8 games have 33 characters, squares "
        "counted from the top left as White "
        "sees the common board (b8 = 1 ... g1 = 32).",
    .children = children,
};

int hub_run(int argc, char **argv) {
    struct arguments a = {.settings = {.hash_megabytes = HUB_DEFAULT_HASH, .weights = ""}};
    struct error error;
    argp_parse(&hub_argp, argc, argv, 0, NULL, &a);
    a.settings.variant = hub_variant(a.common.variant ? a.common.variant : "international", &error);
    if (!a.settings.variant) return options_fail(argv[0], EXIT_USAGE, &error);
    a.settings.threads = a.common.threads;
    if (!hub_serve(&a.settings, STDIN_FILENO, stdout)) _exit(EXIT_DONE);
    return EXIT_DONE;
}
