// loop_command.c -- huff-tune loop: generations of self-play, fit and match in one command.

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/support/memory.h"
#include "core/support/options.h"
#include "core/support/progress.h"
#include "selfplay/summary.h"
#include "tuner/loop.h"
#include "tuner/loop_record.h"
#include "tuner/tune.h"

enum { OPTION_SET = 0x200, OPTION_RESUME };

struct arguments {
    struct common_options common;
    const char *config, *folder, *resume;
    char **sets;  // owned
    int set_count;
};

static const struct argp_option option_list[] = {
    {"output", 'o', "RUN", 0, "The folder to make", 0},
    {"resume", OPTION_RESUME, "RUN", 0,
     "Go on with a loop that was stopped or killed; with --set generations=N, until it has so many", 0},
    {"set", OPTION_SET, "KEY=VALUE", 0, "Overrides a key of the configuration (fit.lambda=0); repeatable", 0},
    {0},
};

static void add_set(struct arguments *a, char *set) {
    a->sets = memory_grow(a->sets, (size_t)a->set_count + 1, sizeof *a->sets);
    a->sets[a->set_count++] = set;
}

static void check_arguments(const struct arguments *a, struct argp_state *state) {
    if (a->resume == NULL) {
        if (a->config == NULL) argp_error(state, "expected a configuration file, or --resume RUN");
        if (a->folder == NULL) argp_error(state, "expected -o RUN, the folder to make");
    } else if (a->config != NULL || a->folder != NULL || a->common.variant != NULL || a->common.seed_given) {
        argp_error(state, "--resume: goes with --set generations=N, --threads, --json and -q only");
    }
}

static error_t parse(int key, char *text, struct argp_state *state) {
    struct arguments *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &a->common; return 0;
    case 'o': a->folder = text; return 0;
    case OPTION_RESUME: a->resume = text; return 0;
    case OPTION_SET: add_set(a, memory_text("%s", text)); return 0;
    case ARGP_KEY_ARG:
        if (a->config != NULL) argp_error(state, "unexpected \"%s\"", text);
        a->config = text;
        return 0;
    case ARGP_KEY_END: check_arguments(a, state); return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&options_common, 0, "Common options:", 0}, {0}};
static const struct argp loop_argp = {
    .options = option_list,
    .parser = parse,
    .args_doc = "CONFIG.yaml -o RUN\n--resume RUN",
    .doc = "Makes weights from nothing: each generation plays games with the best weights so far, fits new "
           "ones to them, and accepts these when they win a match."
           "\vRUN/accepted.weights.gz holds the best weights so far, RUN/generations.tsv what came of each "
           "generation. The same configuration gives the same weights, whatever the number of threads and "
           "however often it was stopped or killed and resumed. Files that the configuration names must stay "
           "where they are until the loop is done.",
    .children = children,
};

// ---- Telling ----

static void print_line(void *context, const json_t *record) {
    bool *const headed = context;
    char *line = loop_table_line(record);
    if (!*headed) printf("%s\n", loop_table_head);
    *headed = true;
    printf("%s\n", line);
    fflush(stdout);
    free(line);
}

static const json_t *last_record(const struct loop *loop) {
    const size_t count = json_array_size(loop_records(loop));
    return json_array_get(loop_records(loop), count - 1);
}

static void report(const struct loop *loop, const char *folder, bool as_json) {
    const json_t *last = last_record(loop);
    if (as_json) {
        char *weights = memory_text("%s/accepted.weights.gz", folder);
        json_print(json_pack("{s:s, s:s, s:s, s:O}", "run", folder, "variant", loop_told(loop)->variant->name,
                             "weights", weights, "generations", (json_t *)loop_records(loop)));
        free(weights);
        return;
    }
    if (loop_record_has(last, STEP_FINAL)) {
        char *text = loop_final_text(last);
        printf("%s\n", text);
        free(text);
    }
    printf("accepted weights: %s/accepted.weights.gz\n", folder);
}

// ---- The loop ----

static void add_common_sets(struct arguments *a) {
    if (a->common.variant != NULL) add_set(a, memory_text("variant=%s", a->common.variant));
    if (a->common.seed_given) add_set(a, memory_text("seed=%" PRIu64, a->common.seed));
}

// --set generations=N alone may come with --resume; 0: it did not.
static bool read_generations(const struct arguments *a, int *generations, struct error *error) {
    static const char key[] = "generations=";
    *generations = 0;
    for (int i = 0; i < a->set_count; i++) {
        if (strncmp(a->sets[i], key, strlen(key)) != 0)
            return error_set(error, "--set %.80s: of a loop that has begun, only generations can change",
                             a->sets[i]);
        if (!options_int("--set generations", a->sets[i] + strlen(key), 1, 999, generations, error))
            return false;
    }
    return true;
}

static struct loop *open_loop(struct arguments *a, int *code, struct error *error) {
    *code = EXIT_USAGE;
    if (a->resume != NULL) {
        int generations;
        if (!read_generations(a, &generations, error)) return NULL;
        *code = EXIT_FAILED;
        return loop_resume(a->resume, generations, a->common.quiet, error);
    }
    add_common_sets(a);
    struct loop_config config;
    if (!loop_config_read(a->config, (const char *const *)a->sets, a->set_count, &config, error)) return NULL;
    *code = EXIT_FAILED;
    struct loop *loop = loop_create(a->folder, &config, a->common.quiet, error);
    loop_config_free(&config);
    return loop;
}

static int run(const struct arguments *a, const char *program, struct loop *loop) {
    const char *folder = a->resume != NULL ? a->resume : a->folder;
    bool headed = false;
    struct error error;
    const enum loop_end end =
        loop_run(loop, a->common.threads, a->common.json ? NULL : print_line, &headed, &error);
    if (end == LOOP_DONE) {
        report(loop, folder, a->common.json);
        return EXIT_DONE;
    }
    if (end == LOOP_FAILED) return options_fail(program, EXIT_FAILED, &error);
    char more[64] = "";
    if (a->resume != NULL && a->set_count > 0) snprintf(more, sizeof more, " --set %s", a->sets[0]);
    fprintf(stderr, "%s: stopped in generation %zu; to go on: huff-tune loop --resume %s%s\n", program,
            json_array_size(loop_records(loop)) + 1, folder, more);
    return EXIT_FAILED;
}

int tune_loop_run(int argc, char **argv) {
    struct arguments a = {0};
    if (argp_parse(&loop_argp, argc, argv, 0, NULL, &a) != 0) return EXIT_USAGE;
    struct error error;
    int code;
    struct loop *loop = open_loop(&a, &code, &error);
    code = loop != NULL ? run(&a, argv[0], loop) : options_fail(argv[0], code, &error);
    loop_close(loop);
    for (int i = 0; i < a.set_count; i++) free(a.sets[i]);
    free(a.sets);
    return code;
}
