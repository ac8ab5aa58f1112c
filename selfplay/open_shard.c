// open_shard.c -- keeps the games of a shard and makes it a file.

#include "selfplay/open_shard.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/support/memory.h"
#include "core/support/options.h"
#include "selfplay/journal.h"
#include "selfplay/rules_json.h"
#include "selfplay/shards.h"
#include "selfplay/verify.h"

// ---- games ----

static void note_game(struct open_shard *shard, uint64_t id) {
    shard->have[id - shard->first] = true;
    shard->done++;
}

static void found_in_journal(void *context, uint64_t id, struct played_game *game) {
    struct open_shard *shard = context;
    (void)game;  // it is read again when the shard is published
    if (id >= shard->first && id - shard->first < shard->size && !shard->have[id - shard->first])
        note_game(shard, id);
}

struct open_shard *open_shard_new(const struct run_folder *folder, uint64_t number, uint64_t *cut,
                                  struct error *error) {
    struct open_shard *shard = memory_new(1, sizeof *shard);
    shard->number = number;
    shard->first = run_folder_first_game(folder, number);
    shard->size = run_folder_shard_size(folder, number);
    shard->have = memory_new(shard->size, sizeof *shard->have);
    char *path = shard_path(folder->path, number, "journal");
    char *owner = memory_text("%s shard %" PRIu64, folder->manifest.config_sha256, number);
    shard->journal = journal_open(path, owner, folder->settings.variant, found_in_journal, shard, cut, error);
    free(owner);
    free(path);
    if (shard->journal != NULL) return shard;
    open_shard_free(shard);
    return NULL;
}

void open_shard_free(struct open_shard *shard) {
    free(shard->have);
    if (shard->done == 0)
        journal_delete(shard->journal);
    else
        journal_close(shard->journal);
    free(shard);
}

bool open_shard_keep(struct open_shard *shard, uint64_t id, const struct played_game *game,
                     struct error *error) {
    if (!journal_append(shard->journal, id, game, error)) return false;
    note_game(shard, id);
    return true;
}

bool open_shard_sync(struct open_shard *shard, struct error *error) {
    return journal_sync(shard->journal, error);
}

enum split draw_split(struct random *random) {
    const uint64_t percent = random_below(random, 100);
    return percent < 90 ? SPLIT_TRAIN : percent < 95 ? SPLIT_VALIDATION : SPLIT_TEST;
}

struct game_plan game_plan(const struct run_folder *folder, uint64_t id) {
    const struct settings *settings = &folder->settings;
    struct game_plan plan = {.random = random_stream(settings->seed, id)};
    plan.split = draw_split(&plan.random);
    if (folder->engine_count > 1) {
        const bool swapped = settings->swap_sides && random_below(&plan.random, 2) == 1;
        plan.engine[swapped ? WHITE : BLACK] = 1;
    }
    if (settings_adjudicate(settings))
        plan.played_out = random_below(&plan.random, 100) < (uint64_t)settings->played_out;
    return plan;
}

// ---- publishing ----

// `game`: memory to use.
static bool add_game(const struct run_folder *folder, struct open_shard *shard, size_t index,
                     struct dataset_writer *writer, struct played_game *game, struct error *error) {
    if (!journal_read(shard->journal, shard->first + index, game, error)) return false;
    const struct game_plan plan = game_plan(folder, shard->first + index);
    memcpy(game->engine, plan.engine, sizeof game->engine);
    game->called_ply = adjudication_called(&folder->settings.adjudication, game, &game->called_result);
    return dataset_add(writer, game, shard->first + index, plan.split, error);
}

static char *engines_text(const struct run_folder *folder) {
    json_t *root = json_array();
    for (int i = 0; i < folder->engine_count; i++) {
        const enum side side = i == 0 ? WHITE : BLACK;
        json_array_append_new(root,
                              json_pack("{s:s, s:s}", "name", settings_weights_name(&folder->settings, side),
                                        "weights_sha256", folder->weights[i].sha256));
    }
    char *text = json_dumps(root, JSON_COMPACT);
    json_decref(root);
    return text;
}

static struct dataset_writer *create(const struct run_folder *folder, uint64_t first, struct error *error) {
    const struct settings *settings = &folder->settings;
    char *rules = rules_to_json(settings->variant, &settings->draws), *config = settings_game_json(settings);
    char *limit = settings_limit_text(settings), *engines = engines_text(folder);
    const struct dataset_info info = {
        .variant = settings->variant,
        .rules = rules,
        .engine = "huff " HUFF_VERSION,
        .weights_sha256 = folder->weights[0].sha256,
        .limit = limit,
        .config = config,
        .engines = engines,
        .seed = settings->seed,
        .first_game = first,
    };
    struct dataset_writer *writer = dataset_create(&info, error);
    free(rules);
    free(config);
    free(limit);
    free(engines);
    return writer;
}

bool open_shard_publish(struct open_shard *shard, const struct run_folder *folder, struct error *error) {
    struct dataset_writer *writer = create(folder, shard->first, error);
    if (writer == NULL) return false;
    struct played_game game = {0};
    bool added = true;
    for (size_t i = 0; i < shard->size && added; i++)
        added = add_game(folder, shard, i, writer, &game, error);
    played_game_free(&game);
    if (!added) {
        dataset_discard(writer);
        return false;
    }
    void *bytes;
    size_t size;
    if (!dataset_finish(writer, &bytes, &size, error)) return false;
    const bool done = shard_publish(folder->path, shard->number, bytes, size, error);
    free(bytes);
    if (!done) return false;
    journal_delete(shard->journal);
    shard->journal = NULL;
    return true;
}

// ---- what was published ----

static void note_fault(void *context, const char *text) {
    (void)text;
    *(bool *)context = true;
}

// What makes it a file of another run; NULL: nothing does.
static const char *difference(const struct run_folder *folder, const struct dataset *dataset) {
    const struct dataset_info *info = &dataset_file(dataset, 0)->info;
    char *config = settings_game_json(&folder->settings);
    const bool same = strcmp(info->config, config) == 0;
    free(config);
    if (info->variant != folder->settings.variant) return "variant";
    if (info->seed != folder->settings.seed) return "seed";
    if (strcmp(info->weights_sha256, folder->weights[0].sha256) != 0) return "weights";
    if (!same) return "configuration";
    return NULL;
}

static bool has_games(const struct run_folder *folder, uint64_t number, const struct dataset *dataset) {
    return dataset_file(dataset, 0)->info.first_game == run_folder_first_game(folder, number) &&
           dataset_games(dataset) == run_folder_shard_size(folder, number);
}

enum shard_origin open_shard_origin(const struct run_folder *folder, uint64_t number, struct error *error) {
    char *path = shard_path(folder->path, number, "h5");
    const char *const paths[] = {path};
    struct dataset *dataset = dataset_open(paths, 1, error);
    enum shard_origin origin = SHARD_USELESS;
    const char *what = dataset != NULL ? difference(folder, dataset) : NULL;
    if (what != NULL) {
        error_set(error, "%s: is of another run (its %s differs): move it away to have this one's played",
                  path, what);
        origin = SHARD_OF_ANOTHER;
    } else if (dataset != NULL && has_games(folder, number, dataset)) {
        origin = SHARD_OF_RUN;
    }
    dataset_close(dataset);
    free(path);
    return origin;
}

bool open_shard_is_published(const struct run_folder *folder, uint64_t number) {
    char *path = shard_path(folder->path, number, "h5");
    const char *const paths[] = {path};
    struct error ignored;
    struct dataset *dataset = dataset_open(paths, 1, &ignored);
    bool faulty =
        dataset == NULL || difference(folder, dataset) != NULL || !has_games(folder, number, dataset);
    if (!faulty && !verify_dataset(dataset, true, note_fault, &faulty, &ignored)) faulty = true;
    dataset_close(dataset);
    free(path);
    return !faulty;
}
