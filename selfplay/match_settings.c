// match_settings.c -- understands what a match is told.

#include "selfplay/match_settings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/support/config.h"
#include "core/support/file.h"
#include "core/support/memory.h"
#include "core/support/options.h"
#include "search/dxp.h"
#include "selfplay/conditions.h"
#include "selfplay/match_words.h"
#include "selfplay/process.h"

enum { MOST_TEXT = 4096, MOST_NAME = 64, MOST_HASH = 65536, MOST_THREADS = 1024, USUAL_MINUTES = 5 };

// ---- words of a file

#define WORDS_FIELD(key, ...) \
    CYAML_FIELD_STRING_PTR(#key, CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, WORDS, key, 1, MOST_TEXT),

#define WORDS struct engine_words
static const cyaml_schema_value_t engine_option_schema = {
    CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char, 1, MOST_TEXT)};
static const cyaml_schema_field_t engine_fields[] = {
    FOR_EACH_ENGINE_KEY(WORDS_FIELD)  //
    CYAML_FIELD_SEQUENCE("options", CYAML_FLAG_OPTIONAL, struct engine_words, options, &engine_option_schema,
                         0, MOST_ENGINE_OPTIONS),
    CYAML_FIELD_END};
#undef WORDS

#define WORDS struct sprt_words
static const cyaml_schema_field_t sprt_fields[] = {FOR_EACH_SPRT_KEY(WORDS_FIELD) CYAML_FIELD_END};
#undef WORDS

static const cyaml_schema_value_t engine_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct engine_words, engine_fields)};

#define WORDS struct match_words
static const cyaml_schema_field_t match_fields[] = {
    FOR_EACH_COMMON_KEY(WORDS_FIELD) FOR_EACH_MATCH_KEY(WORDS_FIELD)  //
    CYAML_FIELD_SEQUENCE("engines", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct match_words, engines,
                         &engine_schema, 2, MATCH_ENGINES),
    CYAML_FIELD_MAPPING_PTR("sprt", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct match_words, sprt,
                            sprt_fields),
    CYAML_FIELD_END};
#undef WORDS

static const cyaml_schema_value_t match_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct match_words, match_fields)};

// ---- words of an option

struct spec_key {
    const char *name;
    size_t offset;
};

static char **find_key(const struct spec_key *keys, const char *name, void *words) {
    for (; keys->name != NULL; keys++) {
        if (strcmp(keys->name, name) == 0) return (char **)((char *)words + keys->offset);
    }
    return NULL;
}

static bool refuse_key(const struct spec_key *keys, const char *name, struct error *error) {
    char *list = memory_text("%s", keys->name);
    while ((++keys)->name != NULL) {
        char *longer = memory_text("%s, %s", list, keys->name);
        free(list);
        list = longer;
    }
    error_set(error, "unknown key \"%.80s\", expected one of %s", name, list);
    free(list);
    return false;
}

// The next KEY=VALUE of a list; a comma between quotes does not end it.
static char *next_pair(char **rest) {
    char *const pair = *rest;
    if (pair == NULL) return NULL;
    bool quoted = false;
    char *at = pair;
    for (; *at != '\0' && (quoted || *at != ','); at++) {
        if (*at == '"') quoted = !quoted;
    }
    *rest = *at == '\0' ? NULL : at + 1;
    *at = '\0';
    return pair;
}

// Quotes around all of a value are no part of it.
static char *unquote(char *value) {
    const size_t length = strlen(value);
    if (length < 3 || value[0] != '"' || strchr(value + 1, '"') != value + length - 1) return value;
    value[length - 1] = '\0';
    return value + 1;
}

// One that is not closed has taken what follows it. A command has quotes of other kinds too, and its own
// check.
static bool check_quotes(const char *pair, struct error *error) {
    int quotes = 0;
    for (const char *at = pair; *at != '\0'; at++) quotes += *at == '"';
    if (quotes % 2 == 0 || strncmp(pair, "cmd=", 4) == 0) return true;
    return error_set(error, "a quote (\") is not closed in \"%.80s\"", pair);
}

// Takes KEY=VALUE when it is none of the keys; false without an error: unknown.
typedef bool extra_key(void *words, char *pair, char *value);

static bool parse_spec(char *text, const struct spec_key *keys, void *words, extra_key *extra,
                       struct error *error) {
    char *rest = text;
    for (char *pair = next_pair(&rest); pair != NULL; pair = next_pair(&rest)) {
        char *value = strchr(pair, '=');
        if (value == NULL || value == pair || value[1] == '\0')
            return error_set(error, "expected KEY=VALUE,KEY=VALUE..., got \"%.80s\"", pair);
        if (!check_quotes(pair, error)) return false;
        if (extra != NULL && extra(words, pair, value + 1)) continue;
        *value++ = '\0';
        char **word = find_key(keys, pair, words);
        if (word == NULL) return refuse_key(keys, pair, error);
        if (*word != NULL) return error_set(error, "%s: given twice", pair);
        *word = unquote(value);
    }
    return true;
}

static bool add_engine_option(void *words, char *pair, char *value) {
    struct engine_words *engine = words;
    if (strncmp(pair, "option.", 7) != 0 || engine->options_count == MOST_ENGINE_OPTIONS) return false;
    char *const plain = unquote(value);
    memmove(value, plain, strlen(plain) + 1);
    engine->options[engine->options_count++] = pair + 7;
    return true;
}

bool engine_words_parse(char *text, struct engine_words *words, struct error *error) {
    static const struct spec_key keys[] = {
#define X(key) {#key, offsetof(struct engine_words, key)},
        FOR_EACH_ENGINE_KEY(X)
#undef X
            {NULL, 0}};
    *words = (struct engine_words){0};
    return parse_spec(text, keys, words, add_engine_option, error);
}

bool sprt_words_parse(char *text, struct sprt_words *words, struct error *error) {
    static const struct spec_key keys[] = {
#define X(key) {#key, offsetof(struct sprt_words, key)},
        FOR_EACH_SPRT_KEY(X)
#undef X
            {NULL, 0}};
    *words = (struct sprt_words){0};
    return parse_spec(text, keys, words, NULL, error);
}

// ---- one word

struct reader {
    const char *config;
    const char *const *sets;  // that go on top of it
    int set_count;
    const struct match_words *options, *file;
    struct error *error;
};

// What was said and where: "--draw-moves", "--sprt: elo0", or a key of the file.
struct word {
    const char *text;  // NULL: nothing
    bool in_file;
    char place[MOST_NAME];
};

static struct word word_of_file(const char *text, const char *outer, const char *key) {
    struct word word = {.text = text, .in_file = true};
    snprintf(word.place, sizeof word.place, "%s%s", outer, key);
    return word;
}

static struct word word_of_option(const char *text, const char *outer, const char *key) {
    struct word word = {.text = text};
    snprintf(word.place, sizeof word.place, "%s%s", outer, key);
    for (char *at = word.place; *at != '\0'; at++) {
        if (*at == '_') *at = '-';
    }
    return word;
}

static struct word choose(const char *option, const char *file, const char *key) {
    return option == NULL && file != NULL ? word_of_file(file, "", key) : word_of_option(option, "--", key);
}
#define WORD(reader, key) choose((reader)->options->key, (reader)->file->key, #key)

static bool refuse(const struct reader *reader, const struct word *word, const char *cause) {
    return word->in_file ? config_refuse(reader->config, reader->sets, reader->set_count, word->place,
                                         reader->error, "%s", cause)
                         : error_set(reader->error, "%s: %s", word->place, cause);
}

// The cause alone, from an error that begins with a name of its own.
static const char *behind_name(const struct error *cause) { return strstr(cause->text, ": ") + 2; }

// Of several words the one that is wrong.
static bool refuse_one(const struct reader *reader, const struct word *words, const char *const *keys,
                       const struct refusal *refusal) {
    while (strcmp(*keys, refusal->key) != 0) {
        keys++;
        words++;
    }
    return refuse(reader, words, refusal->cause.text);
}

static bool take_number(const struct reader *reader, struct word word, int64_t otherwise, int64_t least,
                        int64_t most, int64_t *value) {
    struct error cause;
    *value = otherwise;
    return word.text == NULL || options_number("", word.text, least, most, value, &cause) ||
           refuse(reader, &word, behind_name(&cause));
}

static bool take_real(const struct reader *reader, struct word word, double otherwise, double least,
                      double most, double *value) {
    struct error cause;
    *value = otherwise;
    return word.text == NULL || options_real("", word.text, least, most, value, &cause) ||
           refuse(reader, &word, behind_name(&cause));
}

static bool take_int(const struct reader *reader, struct word word, int otherwise, int least, int most,
                     int *value) {
    int64_t number;
    if (!take_number(reader, word, otherwise, least, most, &number)) return false;
    *value = (int)number;
    return true;
}

// The first name is what is meant when nothing is said.
static bool take_choice(const struct reader *reader, struct word word, const char *const *names, int count,
                        int *value) {
    *value = 0;
    if (word.text == NULL) return true;
    struct error cause;
    return word_choose(word.text, names, count, value, &cause) || refuse(reader, &word, cause.text);
}

// ---- the rules

static bool take_variant(const struct reader *reader, struct match_settings *settings) {
    const struct word word = WORD(reader, variant);
    if (word.text == NULL) return error_set(reader->error, "--variant: expected the name of a variant");
    struct error cause;
    settings->variant = variant_find(word.text, &cause);
    return settings->variant != NULL || refuse(reader, &word, behind_name(&cause));
}

static bool take_draws(const struct reader *reader, struct match_settings *settings) {
    const struct word words[] = {WORD(reader, draw), WORD(reader, draw_moves), WORD(reader, draw_progress)};
    const struct draw_words texts = {words[0].text, words[1].text, words[2].text};
    static const char *const keys[] = {"draw", "draw_moves", "draw_progress"};
    struct refusal refusal;
    if (!draws_read(&texts, settings->variant, &settings->draws, &refusal))
        return refuse_one(reader, words, keys, &refusal);
    return take_int(reader, WORD(reader, max_plies), 1000, 1, PLAYING_MAX_PLIES, &settings->max_plies);
}

static bool take_adjudication(const struct reader *reader, struct match_settings *settings) {
    const struct word draw = WORD(reader, adjudicate_draw), resign = WORD(reader, adjudicate_resign);
    struct error cause;
    if (draw.text != NULL && !adjudication_parse_draw(draw.text, &settings->adjudication, &cause))
        return refuse(reader, &draw, cause.text);
    if (resign.text != NULL && !adjudication_parse_resign(resign.text, &settings->adjudication, &cause))
        return refuse(reader, &resign, cause.text);
    return true;
}

static bool take_openings(const struct reader *reader, struct match_settings *settings) {
    const struct word word = WORD(reader, openings);
    const char *text = word.text != NULL ? word.text : "random:8";
    settings->openings_text = memory_text("%s", text);
    if (strncmp(text, "all:", 4) == 0) {
        struct word plies = word;
        plies.text += 4;
        return take_int(reader, plies, 0, 1, MOST_ALL_PLIES, &settings->all_plies);
    }
    settings->openings_in_file = file_exists(text);
    struct error cause;
    if (settings->openings_in_file || openings_parse(text, settings->variant, &settings->openings, &cause))
        return true;
    if (strncmp(text, "random:", 7) == 0) return refuse(reader, &word, behind_name(&cause));
    error_set(&cause, "expected start, random:PLIES, all:PLIES or a file that is there, got \"%.80s\"", text);
    return refuse(reader, &word, cause.text);
}

// ---- the engines

enum { LIMIT_NODES, LIMIT_DEPTH, LIMIT_MOVETIME, LIMIT_TC, LIMIT_KINDS };

static bool take_limits(const struct reader *reader, const struct word words[LIMIT_KINDS],
                        struct move_limit *limit) {
    static const char *const keys[LIMIT_KINDS] = {"nodes", "depth", "movetime", "tc"};
    const struct limit_words texts = {words[LIMIT_NODES].text, words[LIMIT_DEPTH].text,
                                      words[LIMIT_MOVETIME].text, words[LIMIT_TC].text};
    struct refusal refusal;
    return limit_read(&texts, limit, &refusal) || refuse_one(reader, words, keys, &refusal);
}

// The limit of engines that have none of their own. An option replaces the file's of whatever kind.
static bool take_common_limits(const struct reader *reader, struct move_limit *limits) {
    const struct match_words *options = reader->options;
    static const struct match_words none;
    const struct match_words *file = match_words_limit(options) ? &none : reader->file;
    const struct word words[LIMIT_KINDS] = {
        choose(options->nodes, file->nodes, "nodes"),
        choose(options->depth, file->depth, "depth"),
        choose(options->movetime, file->movetime, "movetime"),
        choose(options->tc, file->tc, "tc"),
    };
    return take_limits(reader, words, limits);
}

typedef struct word word_source(const char *text, const char *outer, const char *key);

static bool take_engine_limits(const struct reader *reader, const struct engine_words *words,
                               word_source *word_of, const char *outer, const struct move_limit *common,
                               struct match_engine *engine) {
    const struct word own_words[LIMIT_KINDS] = {
        word_of(words->nodes, outer, "nodes"),
        word_of(words->depth, outer, "depth"),
        word_of(words->movetime, outer, "movetime"),
        word_of(words->tc, outer, "tc"),
    };
    struct move_limit own;
    if (!take_limits(reader, own_words, &own)) return false;
    if (!own.given && !common->given)
        return error_set(reader->error,
                         "expected a limit a move: --nodes N, --depth N, --movetime SECONDS or "
                         "--tc SECONDS+INCREMENT");
    engine->limits = own.given ? own.search : common->search;
    engine->clock = own.given ? own.clock : common->clock;
    return true;
}

// DXP has boards of 10x10 and tells clocks in whole minutes.
static bool check_dxp(const struct reader *reader, const struct variant *variant,
                      const struct match_engine *engine) {
    if (!engine->external || engine->protocol != ENGINE_DXP) return true;
    if (variant->rules->width != DXP_WIDTH)
        return error_set(reader->error, "engine %s: DXP is for boards of 10x10, %s has %dx%d", engine->name,
                         variant->name, variant->rules->width, variant->rules->width);
    if (engine->option_count > 0)
        return error_set(reader->error, "engine %s: DXP has no options: say them in cmd", engine->name);
    const struct time_control *clock = &engine->clock;
    if (clock->moves > 0 || fmod(clock->seconds, 60) > 0 || clock->seconds > 60.0 * DXP_MOST_MINUTES)
        return error_set(reader->error,
                         "engine %s: DXP knows clocks of 1 to %d whole minutes for all of the game only",
                         engine->name, DXP_MOST_MINUTES);
    return true;
}

// The port that an address ends with; a host is looked up when the match begins. Zero is any that is free.
static bool check_port(const struct reader *reader, const struct word *address, bool zero) {
    if (address->text == NULL) return true;
    const char *const colon = strrchr(address->text, ':');
    const int least = zero ? 0 : 1;
    int64_t number;
    struct error cause;
    if (options_number("", colon != NULL ? colon + 1 : address->text, least, UINT16_MAX, &number, &cause))
        return true;
    error_set(&cause, "expected PORT or HOST:PORT, a port being %d..%d, got \"%.80s\"", least, UINT16_MAX,
              address->text);
    return refuse(reader, address, cause.text);
}

// DXP tells clocks and nothing else, and programs take 0 minutes for no time to think, or do not answer. One
// that plans sixty moves takes as long as it may when it is told a minute for every second a move.
static int usual_minutes(const struct search_limits *limits) {
    if (limits->seconds <= 0) return USUAL_MINUTES;
    return (int)fmax(1, fmin(limits->seconds, DXP_MOST_MINUTES));
}

static bool take_minutes(const struct reader *reader, const struct word *word, struct match_engine *engine) {
    if (word->text != NULL && engine->clock.seconds > 0)
        return refuse(reader, word, "the engine has a clock, which is what it is told");
    return take_int(reader, *word, usual_minutes(&engine->limits), 1, DXP_MOST_MINUTES, &engine->minutes);
}

// How an engine is reached over DXP: at most one of port, listen and connect.
static bool take_connection(const struct reader *reader, const struct engine_words *words,
                            word_source *word_of, const char *outer, struct match_engine *engine) {
    const struct word cmd = word_of(words->cmd, outer, "cmd"), port = word_of(words->port, outer, "port"),
                      listen = word_of(words->listen, outer, "listen"),
                      connect = word_of(words->connect, outer, "connect"),
                      minutes = word_of(words->minutes, outer, "minutes");
    const struct word *given = port.text != NULL ? &port : listen.text != NULL ? &listen : &connect;
    if (engine->protocol != ENGINE_DXP) {
        const struct word *alone = given->text != NULL ? given : &minutes;
        return alone->text == NULL || refuse(reader, alone, "goes with proto=dxp only");
    }
    if ((port.text != NULL) + (listen.text != NULL) + (connect.text != NULL) > 1)
        return refuse(reader, given, "expected one of port, listen and connect only");
    if (connect.text != NULL && engine->command != NULL)
        return refuse(reader, &connect, "is for an engine that runs already, so there is no cmd");
    if (port.text != NULL && engine->command == NULL)
        return refuse(reader, &port, "goes with cmd only: expected connect=HOST:PORT");
    if (given->text == NULL && strstr(engine->command, "{port}") == NULL)
        return refuse(reader, &cmd, "expected {port} in it, or a key port or listen");
    if (!check_port(reader, given, listen.text != NULL && engine->command != NULL)) return false;
    engine->calls = listen.text != NULL;
    const bool any = engine->calls && strcmp(listen.text, "0") == 0 && engine->command != NULL;
    if (given->text != NULL && !any) engine->address = memory_text("%s", given->text);
    return take_minutes(reader, &minutes, engine);
}

// What becomes part of a line: of a report, of a protocol.
static bool check_line(const struct reader *reader, const struct word *word) {
    for (const char *at = word->text; at != NULL && *at != '\0'; at++) {
        if ((unsigned char)*at < ' ' || *at == '\177')
            return refuse(reader, word, "expected no control characters");
    }
    return true;
}

// What tells an external engine from one of this program.
static bool take_program(const struct reader *reader, const struct engine_words *words, word_source *word_of,
                         const char *outer, struct match_engine *engine) {
    const struct word proto = word_of(words->proto, outer, "proto"), dir = word_of(words->dir, outer, "dir"),
                      weights = word_of(words->weights, outer, "weights"),
                      option = word_of(words->options_count > 0 ? words->options[0] : NULL, outer, "option"),
                      port = word_of(words->port, outer, "port"),
                      minutes = word_of(words->minutes, outer, "minutes");
    const struct word *alone = dir.text != NULL ? &dir : proto.text != NULL ? &proto : &option;
    engine->external = words->cmd != NULL || words->connect != NULL || words->listen != NULL;
    if (!engine->external) {
        if (words->port != NULL) alone = &port;
        if (words->minutes != NULL) alone = &minutes;
        return alone->text == NULL || refuse(reader, alone, "goes with cmd only");
    }
    if (weights.text != NULL) return refuse(reader, &weights, "goes with the engine of this program only");
    if (words->cmd != NULL) {
        const struct word cmd = word_of(words->cmd, outer, "cmd");
        struct error cause;
        if (!process_check_command(words->cmd, &cause)) return refuse(reader, &cmd, cause.text);
        engine->command = memory_text("%s", words->cmd);
    }
    if (dir.text != NULL) engine->folder = memory_text("%s", dir.text);
    for (; engine->option_count < (int)words->options_count; engine->option_count++) {
        const char *text = words->options[engine->option_count];
        const struct word wrong = word_of(text, outer, "option");
        if (*text == '=' || strchr(text, '=') == NULL) return refuse(reader, &wrong, "expected NAME=VALUE");
        if (!check_line(reader, &wrong)) return false;
        engine->options[engine->option_count] = memory_text("%s", text);
    }
    int protocol;
    if (!take_choice(reader, proto, engine_protocol_names, ENGINE_PROTOCOL_COUNT, &protocol)) return false;
    engine->protocol = (enum engine_protocol)protocol;
    return take_connection(reader, words, word_of, outer, engine);
}

// "A" .. "Z", "27" ..
static char *default_name(int index) {
    return index < 26 ? memory_text("%c", 'A' + index) : memory_text("%d", index + 1);
}

static bool take_engine(const struct reader *reader, int index, const struct move_limit *common,
                        struct match_engine *engine) {
    const bool in_file = reader->options->engines_count == 0;
    const struct engine_words *words = &(in_file ? reader->file : reader->options)->engines[index];
    char outer[MOST_NAME];
    snprintf(outer, sizeof outer, in_file ? "engines[%d]." : "--engine: ", index);
    word_source *const word_of = in_file ? word_of_file : word_of_option;

    const struct word name = word_of(words->name, outer, "name");
    if (name.text != NULL && strlen(name.text) > MOST_NAME)
        return refuse(reader, &name, "longer than 64 characters");
    if (!check_line(reader, &name)) return false;
    engine->name = name.text != NULL ? memory_text("%s", name.text) : default_name(index);
    if (words->weights != NULL) engine->weights_path = memory_text("%s", words->weights);

    int hash;
    return take_engine_limits(reader, words, word_of, outer, common, engine) &&
           take_program(reader, words, word_of, outer, engine) &&
           take_int(reader, WORD(reader, hash), 2, 0, MOST_HASH, &hash) &&
           take_int(reader, word_of(words->hash, outer, "hash"), hash, 0, MOST_HASH, &engine->hash);
}

// How the referee deals with engines that are late or fail.
static bool take_patience(const struct reader *reader, struct match_settings *settings) {
    return take_real(reader, WORD(reader, time_margin), 0.1, 0.001, 3600, &settings->time_margin) &&
           take_real(reader, WORD(reader, startup), 0, 0.1, 3600, &settings->startup) &&
           take_real(reader, WORD(reader, ready), 120, 0.1, 86400, &settings->ready) &&
           take_real(reader, WORD(reader, stall), 60, 0.1, 86400, &settings->stall) &&
           take_int(reader, WORD(reader, recover), 3, 1, 1000000, &settings->recover);
}

static bool take_names(const struct reader *reader, const struct match_settings *settings) {
    for (int i = 0; i < settings->engine_count; i++) {
        for (int j = 0; j < i; j++) {
            if (strcmp(settings->engines[i].name, settings->engines[j].name) == 0)
                return error_set(reader->error, "two engines are called \"%s\": give each a name of its own",
                                 settings->engines[i].name);
        }
    }
    return true;
}

static bool take_tournament(const struct reader *reader, struct match_settings *settings) {
    static const char *const names[] = {"roundrobin", "gauntlet"};
    int gauntlet;
    if (!take_choice(reader, WORD(reader, tournament), names, 2, &gauntlet)) return false;
    settings->gauntlet = gauntlet;
    if (settings->has_sprt && settings->engine_count > 2)
        return error_set(reader->error, "--sprt: tests two engines only, got %d", settings->engine_count);
    return true;
}

static bool take_engines(const struct reader *reader, struct match_settings *settings) {
    const uint32_t count =
        reader->options->engines_count > 0 ? reader->options->engines_count : reader->file->engines_count;
    if (count < 2)
        return error_set(reader->error,
                         "expected two engines or more (--engine name=a,weights=F --engine name=b), got %u",
                         count);
    struct move_limit common;
    if (!take_common_limits(reader, &common)) return false;
    settings->engines = memory_new(count, sizeof *settings->engines);
    settings->engine_count = (int)count;
    for (int i = 0; i < settings->engine_count; i++) {
        struct match_engine *engine = &settings->engines[i];
        if (!take_engine(reader, i, &common, engine) || !check_dxp(reader, settings->variant, engine))
            return false;
        settings->alone = settings->alone || engine->address != NULL;
    }
    const struct word threads = WORD(reader, threads);
    if (settings->alone && settings->threads > 1)
        return refuse(reader, &threads, "an engine at a fixed port plays one game at a time: expected 1");
    return take_names(reader, settings) && take_tournament(reader, settings);
}

// ---- the test

static bool take_sprt(const struct reader *reader, struct match_settings *settings) {
    const bool in_file = reader->options->sprt == NULL;
    const struct sprt_words *words = in_file ? reader->file->sprt : reader->options->sprt;
    settings->has_sprt = words != NULL;
    if (words == NULL) return true;
    const char *outer = in_file ? "sprt." : "--sprt: ";
    struct word (*const word_of)(const char *, const char *, const char *) =
        in_file ? word_of_file : word_of_option;

    struct sprt *sprt = &settings->sprt;
    int model;
    if (!take_real(reader, word_of(words->elo0, outer, "elo0"), 0, -SPRT_ELO_LIMIT, SPRT_ELO_LIMIT,
                   &sprt->elo0) ||
        !take_real(reader, word_of(words->elo1, outer, "elo1"), 5, -SPRT_ELO_LIMIT, SPRT_ELO_LIMIT,
                   &sprt->elo1) ||
        !take_real(reader, word_of(words->alpha, outer, "alpha"), 0.05, 0, 1, &sprt->alpha) ||
        !take_real(reader, word_of(words->beta, outer, "beta"), 0.05, 0, 1, &sprt->beta) ||
        !take_choice(reader, word_of(words->model, outer, "model"), sprt_model_names, SPRT_MODEL_COUNT,
                     &model)) {
        return false;
    }
    sprt->model = (enum sprt_model)model;
    return sprt_check(sprt, reader->error) || (in_file && error_prefix(reader->error, "%s", reader->config));
}

// ---- the whole

static bool take_games(const struct reader *reader, struct match_settings *settings) {
    const struct word word = WORD(reader, games);
    int64_t games, seed;
    if (!take_number(reader, word, settings->has_sprt ? 100000 : 1000, 2, MOST_MATCH_GAMES, &games) ||
        !take_number(reader, WORD(reader, seed), 1, 0, INT64_MAX, &seed)) {
        return false;
    }
    if (games % 2 != 0) return refuse(reader, &word, "expected an even number: two games a pair");
    settings->games = (uint64_t)games;
    settings->seed = (uint64_t)seed;
    return take_int(reader, WORD(reader, threads), 0, 0, MOST_THREADS, &settings->threads);
}

static bool take_all(const struct reader *reader, struct match_settings *settings) {
    return take_variant(reader, settings) && take_sprt(reader, settings) && take_games(reader, settings) &&
           take_draws(reader, settings) && take_adjudication(reader, settings) &&
           take_openings(reader, settings) && take_patience(reader, settings) &&
           take_engines(reader, settings);
}

bool match_settings_read(const char *config, const char *const *sets, int set_count,
                         const struct match_words *options, struct match_settings *settings,
                         struct error *error) {
    *settings = (struct match_settings){0};
    void *file;
    if (!match_words_check(options, error)) return false;
    if (!config_read(config, sets, set_count, &match_schema, &file, error)) return false;
    const struct reader reader = {.config = config,
                                  .sets = sets,
                                  .set_count = set_count,
                                  .options = options,
                                  .file = file,
                                  .error = error};
    const bool done = take_all(&reader, settings);
    settings->words = match_words_to_json(options, file);
    config_free(&match_schema, file);
    if (!done) match_settings_free(settings);
    return done;
}

static bool load_openings(struct match_settings *settings, struct error *error) {
    const struct variant *variant = settings->variant;
    if (settings->openings_in_file)
        settings->list = opening_list_read(settings->openings_text, variant, &settings->draws, error);
    else if (settings->all_plies > 0)
        settings->list = opening_list_all(settings->all_plies, variant, &settings->draws, error);
    else
        return true;
    if (settings->list == NULL) return false;
    opening_list_shuffle(settings->list, settings->seed);
    return true;
}

static bool load_weights(struct match_settings *settings, struct error *error) {
    for (int i = 0; i < settings->engine_count; i++) {
        struct match_engine *engine = &settings->engines[i];
        if (engine->external) continue;
        if (!weights_get(engine->weights_path, settings->variant, &engine->weights, error)) return false;
    }
    return true;
}

bool match_settings_load(struct match_settings *settings, struct error *error) {
    return load_weights(settings, error) && load_openings(settings, error);
}

void match_settings_free(struct match_settings *settings) {
    for (int i = 0; i < settings->engine_count; i++) {
        struct match_engine *engine = &settings->engines[i];
        free(engine->name);
        free(engine->weights_path);
        weights_free(&engine->weights);
        free(engine->command);
        free(engine->folder);
        free(engine->address);
        for (int k = 0; k < engine->option_count; k++) free(engine->options[k]);
    }
    free(settings->engines);
    opening_list_free(settings->list);
    free(settings->openings_text);
    json_decref(settings->words);
    *settings = (struct match_settings){0};
}
