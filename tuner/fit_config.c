// fit_config.c -- the keys of a fit's configuration, their ranges and what they are when absent.

#include "tuner/fit_config.h"

#include <stdlib.h>

#include "core/support/config.h"
#include "core/support/memory.h"

// What the file says. A pointer is NULL when the key is absent.
struct sample_keys {
    bool *quiet_only;
    int64_t *skip_plies, *max_score, *max_clock;
    double *share, *game_balance, *piece_balance;
};
struct l2_keys {
    double *group[GROUP_COUNT];
};
struct fit_keys {
    char *start;
    double *lambda, *rate;
    int64_t *batch, *epochs, *patience, *threads, *buffer;
    uint64_t *seed;
    enum fit_method *method;
    enum fit_draws *draws;
    enum split_by *split;
    struct sample_keys sample;
    struct l2_keys l2;
};

#define NUMBER(name) CYAML_FIELD_INT_PTR(#name, CYAML_FLAG_OPTIONAL, struct fit_keys, name)
#define REAL(name)   CYAML_FIELD_FLOAT_PTR(#name, CYAML_FLAG_OPTIONAL, struct fit_keys, name)

static const cyaml_schema_field_t sample_fields[] = {
    CYAML_FIELD_BOOL_PTR("quiet_only", CYAML_FLAG_OPTIONAL, struct sample_keys, quiet_only),
    CYAML_FIELD_INT_PTR("skip_plies", CYAML_FLAG_OPTIONAL, struct sample_keys, skip_plies),
    CYAML_FIELD_INT_PTR("max_score", CYAML_FLAG_OPTIONAL, struct sample_keys, max_score),
    CYAML_FIELD_INT_PTR("max_clock", CYAML_FLAG_OPTIONAL, struct sample_keys, max_clock),
    CYAML_FIELD_FLOAT_PTR("share", CYAML_FLAG_OPTIONAL, struct sample_keys, share),
    CYAML_FIELD_FLOAT_PTR("game_balance", CYAML_FLAG_OPTIONAL, struct sample_keys, game_balance),
    CYAML_FIELD_FLOAT_PTR("piece_balance", CYAML_FLAG_OPTIONAL, struct sample_keys, piece_balance),
    CYAML_FIELD_END,
};
static const cyaml_schema_field_t l2_fields[] = {
#define X(name, size, text) \
    CYAML_FIELD_FLOAT_PTR(#name, CYAML_FLAG_OPTIONAL, struct l2_keys, group[GROUP_##name]),
    FOR_EACH_TERM(X)
#undef X
        CYAML_FIELD_END,
};
static const cyaml_strval_t methods[] = {{"adagrad", METHOD_ADAGRAD}, {"lbfgs", METHOD_LBFGS}};
static const cyaml_strval_t splits[] = {{"game", SPLIT_BY_GAME}, {"opening", SPLIT_BY_OPENING}};
static const cyaml_strval_t draws[] = {{"half", DRAWS_HALF}, {"ordered", DRAWS_ORDERED}};
#define NAMED(key, list) \
    CYAML_FIELD_ENUM_PTR(#key, CYAML_FLAG_OPTIONAL | CYAML_FLAG_STRICT, struct fit_keys, key, list, 2)
static const cyaml_schema_field_t fields[] = {
    CYAML_FIELD_STRING_PTR("start", CYAML_FLAG_OPTIONAL, struct fit_keys, start, 1, 4096),
    REAL(lambda),
    NAMED(draws, draws),
    NAMED(split, splits),
    NAMED(method, methods),
    REAL(rate),
    NUMBER(batch),
    NUMBER(epochs),
    NUMBER(patience),
    NUMBER(threads),
    NUMBER(buffer),
    CYAML_FIELD_UINT_PTR("seed", CYAML_FLAG_OPTIONAL, struct fit_keys, seed),
    CYAML_FIELD_MAPPING("sample", CYAML_FLAG_OPTIONAL, struct fit_keys, sample, sample_fields),
    CYAML_FIELD_MAPPING("l2", CYAML_FLAG_OPTIONAL, struct fit_keys, l2, l2_fields),
    CYAML_FIELD_END,
};
static const cyaml_schema_value_t schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct fit_keys, fields),
};

// configs/fit-default.yaml says why these.
static struct fit_settings usual_settings(void) {
    return (struct fit_settings){
        .choice = sample_choice_usual(),
        .lambda = 0.5,
        .l2 = {[GROUP_TEMPO] = 1,
               [GROUP_KING] = 1,
               [GROUP_FIRST_KING] = 1,
               [GROUP_TURN] = 1,
               [GROUP_OPPOSITION] = 1,
               [GROUP_BALANCE] = 1,
               [GROUP_KING_SAFE] = 1,
               [GROUP_KING_UNSAFE] = 1,
               [GROUP_MAN_SQUARE] = 10,
               [GROUP_KING_SQUARE] = 10,
               [GROUP_PATTERN] = 200},
        .rate = 0.05,
        .batch = 4096,
        .epochs = 30,
        .patience = 3,
        .seed = 1,
    };
}

// Where the keys came from, for errors.
struct source {
    const char *path;
    const char *const *sets;
    int set_count;
    struct error *error;
};

static bool take(const struct source *source, const char *key, const int64_t *given, int least, int most,
                 int *value) {
    if (given == NULL) return true;
    *value = (int)*given;
    return config_range(source->path, source->sets, source->set_count, key, (double)*given, least, most,
                        source->error);
}

static bool take_real(const struct source *source, const char *key, const double *given, double least,
                      double most, double *value) {
    if (given == NULL) return true;
    *value = *given;
    return config_range(source->path, source->sets, source->set_count, key, (double)*given, least, most,
                        source->error);
}

static bool take_l2(const struct source *source, const struct l2_keys *keys, double l2[GROUP_COUNT]) {
    bool good = true;
    for (int group = 0; group < GROUP_COUNT && good; group++) {
        char *key = memory_text("l2.%s", term_groups[group].name);
        good = take_real(source, key, keys->group[group], 0, 1e9, &l2[group]);
        free(key);
    }
    return good;
}

static bool take_all(const struct source *source, const struct fit_keys *keys, struct fit_config *config) {
    struct fit_settings *settings = &config->settings;
    const struct sample_keys *sample = &keys->sample;
    if (keys->start != NULL) config->start = memory_text("%s", keys->start);
    if (keys->seed != NULL) settings->seed = *keys->seed;
    if (keys->draws != NULL) settings->draws = *keys->draws;
    if (keys->method != NULL) settings->method = *keys->method;
    if (keys->split != NULL) settings->choice.split_by = *keys->split;
    int buffer = USUAL_BUFFER;
    if (sample->quiet_only != NULL) settings->choice.quiet_only = *sample->quiet_only;
    if (!take(source, "buffer", keys->buffer, LEAST_BUFFER, 1 << 30, &buffer)) return false;
    settings->choice.buffer = (size_t)buffer;
    return take_real(source, "lambda", keys->lambda, 0, 1, &settings->lambda) &&
           take_real(source, "rate", keys->rate, 1e-6, 10, &settings->rate) &&
           take(source, "batch", keys->batch, 1, 1 << 24, &settings->batch) &&
           take(source, "epochs", keys->epochs, 1, 100000, &settings->epochs) &&
           take(source, "patience", keys->patience, 1, 100000, &settings->patience) &&
           take(source, "threads", keys->threads, 0, 1024, &settings->threads) &&
           take(source, "sample.skip_plies", sample->skip_plies, 0, PLAYING_MAX_PLIES,
                &settings->choice.skip_plies) &&
           take(source, "sample.max_score", sample->max_score, 1, SCORE_WIN, &settings->choice.max_score) &&
           take(source, "sample.max_clock", sample->max_clock, 0, MAX_CLOCK, &settings->choice.max_clock) &&
           take_real(source, "sample.share", sample->share, 1e-6, 1, &settings->choice.share) &&
           take_real(source, "sample.game_balance", sample->game_balance, 0, 1,
                     &settings->choice.game_balance) &&
           take_real(source, "sample.piece_balance", sample->piece_balance, 0, 1,
                     &settings->choice.piece_balance) &&
           take_l2(source, &keys->l2, settings->l2);
}

bool fit_config_read(const char *path, const char *const *sets, int set_count, struct fit_config *config,
                     struct error *error) {
    void *keys;
    *config = (struct fit_config){.settings = usual_settings()};
    if (!config_read(path, sets, set_count, &schema, &keys, error)) return false;
    const struct source source = {.path = path, .sets = sets, .set_count = set_count, .error = error};
    const bool done = take_all(&source, keys, config);
    config_free(&schema, keys);
    if (!done) fit_config_free(config);
    return done;
}

void fit_config_free(struct fit_config *config) {
    free(config->start);
    config->start = NULL;
}

void fit_config_override(struct fit_config *config, const struct common_options *common) {
    if (common->seed_given) config->settings.seed = common->seed;
    if (common->threads > 0 || config->settings.threads == 0)
        config->settings.threads = options_threads(common);
}

bool fit_config_read_start(const struct fit_config *config, const struct variant *variant,
                           struct weights *start, struct error *error) {
    return weights_get(config->start != NULL ? config->start : "material", variant, start, error);
}
