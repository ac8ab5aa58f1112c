// test_dataset.c -- what is written to a dataset is read back, and nothing else is taken for one.

#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/support/file.h"
#include "core/support/random.h"
#include "selfplay/dataset.h"
#include "selfplay/duplicates.h"
#include "selfplay/merge.h"
#include "selfplay/rules_json.h"
#include "selfplay/sample.h"
#include "selfplay/stats.h"
#include "selfplay/summary.h"
#include "selfplay/verify.h"
#include "tests/selfplay_games.h"

// ---- making datasets ----

struct image {
    void *bytes;
    size_t size;
};

// A file of some games, as a run writes it. `engines`: JSON; NULL = not said.
static struct image make_image_of(const struct games *games, uint64_t first_game, const char *engines) {
    struct error error = {.text = ""};
    char *rules = rules_to_json(games->variant, &games->draws);
    const struct dataset_info info = {
        .variant = games->variant,
        .rules = rules,
        .engine = "huff test",
        .weights_sha256 = "0123456789abcdef",
        .limit = "depth=1",
        .config = "{\"games\":1}",
        .engines = engines,
        .seed = 77,
        .first_game = first_game,
    };
    struct image image;
    struct dataset_writer *writer = dataset_create(&info, &error);
    cr_assert_not_null(writer, "%s", error.text);
    for (int i = 0; i < games->count; i++) {
        cr_assert(dataset_add(writer, &games->game[i], first_game + (uint64_t)i, (enum split)(i % 3), &error),
                  "%s", error.text);
    }
    cr_assert(dataset_finish(writer, &image.bytes, &image.size, &error), "%s", error.text);
    free(rules);
    return image;
}

static struct image make_image(const struct games *games, uint64_t first_game) {
    return make_image_of(games, first_game, NULL);
}

struct folder {
    char path[64];
};

static struct folder folder_new(void) {
    struct folder folder = {"/tmp/huff-dataset-XXXXXX"};
    cr_assert_not_null(mkdtemp(folder.path));
    return folder;
}

static void folder_remove(const struct folder *folder) {
    char *command = memory_text("rm -r %s", folder->path);
    cr_assert_eq(system(command), 0);
    free(command);
}

static char *put_file(const struct folder *folder, const char *name, const void *bytes, size_t size) {
    struct error error = {.text = ""};
    char *path = memory_text("%s/%s", folder->path, name);
    cr_assert(file_replace(path, bytes, size, &error), "%s", error.text);
    return path;
}

static char *put_games(const struct folder *folder, const char *name, const struct games *games,
                       uint64_t first_game) {
    struct image image = make_image(games, first_game);
    char *path = put_file(folder, name, image.bytes, image.size);
    free(image.bytes);
    return path;
}

static struct dataset *open_all(const char *const *paths, int count) {
    struct error error = {.text = ""};
    struct dataset *dataset = dataset_open(paths, count, &error);
    cr_assert_not_null(dataset, "%s", error.text);
    return dataset;
}

static uint64_t count_positions(const struct games *games) {
    uint64_t positions = 0;
    for (int i = 0; i < games->count; i++) positions += (uint64_t)games->game[i].plies;
    return positions;
}

// ---- reading back ----

static void check_rows(const struct games *games, const struct position_columns *rows, size_t row, int number,
                       uint32_t game_row) {
    const struct played_game *played = &games->game[number];
    struct position position = played->start;
    for (int i = 0; i < played->plies; i++, row++) {
        const struct played_ply *ply = &played->ply[i];
        const struct position read = position_from_columns(games->variant, rows, row);
        cr_assert_eq(read.pieces[WHITE], position.pieces[WHITE]);
        cr_assert_eq(read.pieces[BLACK], position.pieces[BLACK]);
        cr_assert_eq(read.kings, position.kings);
        cr_assert_eq(read.turn, position.turn);
        cr_assert_eq(rows->white_men[row] & rows->white_kings[row], 0);
        cr_assert_eq(rows->ply[row], i);
        cr_assert_eq(rows->score[row], ply->score);
        cr_assert_eq(rows->result[row], played->result);
        cr_assert_eq(rows->move[row], ply->index);
        cr_assert_eq(rows->flags[row], ply->flags);
        cr_assert_eq(rows->clock[row], ply->clock);
        cr_assert_eq(rows->game[row], game_row);
        games->variant->play(&position, ply->move);
    }
}

static void no_fault(void *context, const char *text) {
    (void)context;
    cr_assert_fail("%s", text);
}

// Reads the games that begin at row `base_game` of a dataset and compares them.
static void check_games(struct dataset *dataset, const struct games *games, uint64_t base_game,
                        uint64_t first_id) {
    struct error error = {.text = ""};
    struct game_columns table = game_columns_new((size_t)games->count);
    cr_assert(dataset_read_games(dataset, base_game, (size_t)games->count, &table, &error), "%s", error.text);
    const size_t positions = count_positions(games);
    struct position_columns rows = position_columns_new(positions);
    const uint64_t first = table.first[0];
    cr_assert(dataset_read_positions(dataset, first, positions, &rows, &error), "%s", error.text);
    uint64_t at = first;
    for (int i = 0; i < games->count; i++) {
        const struct played_game *played = &games->game[i];
        cr_assert_eq(table.id[i], first_id + (uint64_t)i);
        cr_assert_eq(table.first[i], at);
        cr_assert_eq(table.count[i], (uint32_t)played->plies);
        cr_assert_eq(table.plies[i], played->plies);
        cr_assert_eq(table.result[i], played->result);
        cr_assert_eq(table.termination[i], played->termination);
        cr_assert_eq(table.opening[i], 0);
        cr_assert_eq(table.random_plies[i], played->random_plies);
        cr_assert_eq(table.split[i], i % 3);
        check_rows(games, &rows, (size_t)(at - first), i, (uint32_t)(base_game + (uint64_t)i));
        at += (uint64_t)played->plies;
    }
    position_columns_free(&rows);
    game_columns_free(&table);
}

// Returns how many positions that was.
static uint64_t round_trip(const char *variant, int count) {
    struct games games = games_play(variant, count, 4);
    const struct folder folder = folder_new();
    char *path = put_games(&folder, "one.h5", &games, 500);
    struct dataset *dataset = open_all((const char *const *)&path, 1);
    const struct dataset_info *info = &dataset_file(dataset, 0)->info;
    cr_assert_eq(dataset_variant(dataset), games.variant);
    cr_assert_eq(dataset_games(dataset), (uint64_t)count);
    cr_assert_eq(dataset_positions(dataset), count_positions(&games));
    cr_assert_str_eq(info->engine, "huff test");
    cr_assert_str_eq(info->weights_sha256, "0123456789abcdef");
    cr_assert_str_eq(info->limit, "depth=1");
    cr_assert_str_eq(info->config, "{\"games\":1}");
    cr_assert_eq(info->seed, 77);
    cr_assert_eq(info->first_game, 500);
    check_games(dataset, &games, 0, 500);
    struct error error = {.text = ""};
    cr_assert(verify_dataset(dataset, true, no_fault, NULL, &error));
    const uint64_t positions = dataset_positions(dataset);
    dataset_close(dataset);
    free(path);
    folder_remove(&folder);
    games_free(&games);
    return positions;
}

// The n-th place of a word, NULL when there are fewer.
static char *find_word(const struct image *image, const char *word, int n) {
    char *at = image->bytes, *const end = (char *)image->bytes + image->size;
    for (; (at = memmem(at, (size_t)(end - at), word, strlen(word))) != NULL && n > 0; at++) n--;
    return at;
}

static bool opens(const struct folder *folder, const struct image *image, struct error *error) {
    char *path = put_file(folder, "changed.h5", image->bytes, image->size);
    struct dataset *dataset = dataset_open((const char *const *)&path, 1, error);
    const bool opened = dataset != NULL;
    dataset_close(dataset);
    free(path);
    return opened;
}

// A name that is damaged must not pass for one that was never written.
Test(dataset, optional_parts_are_missed) {
    static const char *const words[] = {"white_engine", "called_result", "engines"};
    struct games games = games_play("russian", 2, 4);
    const struct folder folder = folder_new();
    struct image image = make_image(&games, 0);
    struct error error = {.text = ""};
    cr_assert(opens(&folder, &image, &error), "%s", error.text);
    for (int i = 0; i < 3; i++) {
        char *at;
        int places = 0;
        while ((at = find_word(&image, words[i], places)) != NULL) {
            *at ^= 1;
            cr_expect_not(opens(&folder, &image, &error), "%s, place %d", words[i], places);
            *at ^= 1;
            places++;
        }
        cr_expect_geq(places, i < 2 ? 2 : 0, "%s: %d places", words[i], places);
    }
    // So are files of before there was a list of them.
    *find_word(&image, "contents", 0) ^= 1;
    *find_word(&image, "white_engine", 0) ^= 1;
    cr_expect(opens(&folder, &image, &error), "%s", error.text);
    free(image.bytes);
    folder_remove(&folder);
    games_free(&games);
}

Test(dataset, gives_back_what_was_written) {
    round_trip("spanish", 20);
    round_trip("international", 5);
    round_trip("frisian", 5);
    round_trip("american+free", 5);
}

// More rows than a chunk, and games that lie on both sides of a border.
Test(dataset, has_rows_in_several_chunks) { cr_assert_gt(round_trip("italian", 1200), 2 * DATASET_BLOCK); }

Test(dataset, has_equal_bytes_for_equal_games) {
    struct games games = games_play("russian", 30, 9);
    struct image one = make_image(&games, 0);
    sleep(1);  // a date in the file would differ
    struct image other = make_image(&games, 0);
    cr_assert_eq(one.size, other.size);
    cr_assert_eq(memcmp(one.bytes, other.bytes, one.size), 0);
    free(one.bytes);
    free(other.bytes);
    games_free(&games);
}

Test(dataset, reads_columns_that_are_asked_for) {
    struct games games = games_play("spanish", 3, 2);
    const struct folder folder = folder_new();
    char *path = put_games(&folder, "one.h5", &games, 0);
    struct dataset *dataset = open_all((const char *const *)&path, 1);
    uint16_t ply[5];
    struct error error;
    cr_assert(dataset_read_positions(dataset, 2, 5, &(struct position_columns){.ply = ply}, &error));
    for (int i = 0; i < 5; i++) cr_assert_eq(ply[i], i + 2);
    dataset_close(dataset);
    free(path);
    folder_remove(&folder);
    games_free(&games);
}

// Files in the order given, a folder as its shards in the order of their numbers.
Test(dataset, takes_several_files_for_one) {
    const uint64_t seeds[3] = {1, 2, 3};
    struct games games[3];
    const struct folder folder = folder_new();
    static const char *const names[3] = {"shard-000000.h5", "shard-000001.h5", "shard-1000000.h5"};
    char *paths[3];
    for (int i = 0; i < 3; i++) {
        games[i] = games_play("czech", 7, seeds[i]);
        paths[i] = put_games(&folder, names[i], &games[i], 7 * (uint64_t)i);
    }
    free(put_file(&folder, "shard-000002.journal", "x", 1));
    free(put_file(&folder, "shard-000002.h5.tmp-1-0", "x", 1));
    const char *const whole = folder.path;
    const char *const *const arguments[2] = {(const char *const *)paths, &whole};
    for (int way = 0; way < 2; way++) {
        struct dataset *dataset = open_all(arguments[way], way == 0 ? 3 : 1);
        cr_assert_eq(dataset_file_count(dataset), 3);
        cr_assert_eq(dataset_games(dataset), 21);
        for (int i = 0; i < 3; i++) check_games(dataset, &games[i], 7 * (uint64_t)i, 7 * (uint64_t)i);
        // Rows that lie in all three.
        const size_t all = (size_t)dataset_positions(dataset);
        struct position_columns rows = position_columns_new(all);
        struct error error;
        cr_assert(dataset_read_positions(dataset, 0, all, &rows, &error));
        cr_assert_eq(rows.game[all - 1], 20);
        cr_assert_eq(rows.game[0], 0);
        position_columns_free(&rows);
        dataset_close(dataset);
    }
    for (int i = 0; i < 3; i++) {
        free(paths[i]);
        games_free(&games[i]);
    }
    folder_remove(&folder);
}

// ---- refusals ----

static void refuse(const char *const *paths, int count, const char *const *parts) {
    struct error error = {.text = ""};
    cr_assert_null(dataset_open(paths, count, &error), "%s should be refused", paths[0]);
    cr_assert_null(strchr(error.text, '\n'));
    for (; *parts != NULL; parts++)
        cr_assert(strstr(error.text, *parts) != NULL, "%s: no %s", error.text, *parts);
}

#define REFUSE(path, ...) refuse((const char *const *)&(path), 1, (const char *const[]){__VA_ARGS__, NULL})

Test(dataset, refuses_what_is_none) {
    const struct folder folder = folder_new();
    char *text = put_file(&folder, "text.h5", "hello, world\n", 13),
         *empty = put_file(&folder, "empty.h5", "", 0);
    const char *const nothing = "/tmp/no-such-file.h5", *const no_shards = folder.path;
    REFUSE(text, "text.h5", "not an HDF5 file");
    REFUSE(empty, "empty.h5", "not an HDF5 file");
    REFUSE(nothing, "/tmp/no-such-file.h5", "No such file");
    REFUSE(no_shards, folder.path, "no shards");
    free(text);
    free(empty);
    folder_remove(&folder);
}

// The file is as HDF5 wrote it but for one text in it.
static void refuse_with(const struct image *image, const char *from, const char *to,
                        const char *const *parts) {
    const struct folder folder = folder_new();
    char *bytes = memory_new(image->size, 1);
    memcpy(bytes, image->bytes, image->size);
    char *at = memmem(bytes, image->size, from, strlen(from) + 1);
    cr_assert_not_null(at, "%s is not in the file", from);
    cr_assert_eq(strlen(from), strlen(to));
    memcpy(at, to, strlen(to));
    char *path = put_file(&folder, "changed.h5", bytes, image->size);
    refuse((const char *const *)&path, 1, parts);
    free(path);
    free(bytes);
    folder_remove(&folder);
}

Test(dataset, refuses_other_formats_and_missing_parts) {
    struct games games = games_play("spanish", 3, 2);
    struct image image = make_image(&games, 0);
    refuse_with(&image, "huff-positions", "huff-positionz",
                (const char *const[]){"changed.h5", "format", NULL});
    refuse_with(&image, "spanish", "spanisj", (const char *const[]){"changed.h5", "spanisj", NULL});
    refuse_with(&image, "weights_sha256", "weights_sha257",
                (const char *const[]){"changed.h5", "weights_sha256", "missing", NULL});
    refuse_with(&image, "complete", "complets",
                (const char *const[]){"changed.h5", "complete", "missing", NULL});
    refuse_with(&image, "score", "scoru",
                (const char *const[]){"changed.h5", "positions/score", "missing", NULL});
    free(image.bytes);
    games_free(&games);
}

Test(dataset, refuses_truncated_files) {
    struct games games = games_play("spanish", 3, 2);
    struct image image = make_image(&games, 0);
    const struct folder folder = folder_new();
    for (int i = 0; i < 40; i++) {
        const size_t size = i < 39 ? image.size * (size_t)i / 39 : image.size - 1;
        if (size == image.size) continue;
        char *path = put_file(&folder, "cut.h5", image.bytes, size);
        REFUSE(path, "cut.h5");
        free(path);
    }
    free(image.bytes);
    games_free(&games);
    folder_remove(&folder);
}

Test(dataset, refuses_two_variants_in_one) {
    struct games spanish = games_play("spanish", 2, 2), free_game = games_play("spanish+free", 2, 2);
    const struct folder folder = folder_new();
    char *paths[2] = {put_games(&folder, "a.h5", &spanish, 0), put_games(&folder, "b.h5", &free_game, 0)};
    refuse((const char *const *)paths, 2, (const char *const[]){"b.h5", "a.h5", "spanish+free", NULL});
    for (int i = 0; i < 2; i++) free(paths[i]);
    folder_remove(&folder);
    games_free(&spanish);
    games_free(&free_game);
}

// ---- verifying ----

struct faults {
    int count;
    char first[256];
};

static void take_fault(void *context, const char *text) {
    struct faults *faults = context;
    if (faults->count++ == 0) snprintf(faults->first, sizeof faults->first, "%s", text);
}

static struct faults verify_games(const struct games *games) {
    struct faults faults = {0};
    const struct folder folder = folder_new();
    char *path = put_games(&folder, "one.h5", games, 0);
    struct dataset *dataset = open_all((const char *const *)&path, 1);
    struct error error = {.text = ""};
    cr_assert(verify_dataset(dataset, true, take_fault, &faults, &error));
    dataset_close(dataset);
    free(path);
    folder_remove(&folder);
    return faults;
}

// Each kind of lie about a game is found, and only in that game.
Test(verify, finds_each_lie) {
    struct games games = games_play("spanish", 5, 6);
    cr_assert_eq(verify_games(&games).count, 0);
    struct played_game *game = &games.game[2], honest = *game;
    struct played_ply *ply = &game->ply[10], honest_ply = *ply;
#define LIE(change, expected)                                                               \
    do {                                                                                    \
        change;                                                                             \
        const struct faults faults = verify_games(&games);                                  \
        cr_assert_eq(faults.count, 1, "%s: %d faults", #change, faults.count);              \
        cr_assert(strstr(faults.first, expected) != NULL, "%s: %s", #change, faults.first); \
        *game = honest;                                                                     \
        *ply = honest_ply;                                                                  \
    } while (0)
    LIE(ply->index = 200, "game 2, ply 10: move 200");
    LIE(ply->clock++, "game 2, ply 10: clock");
    LIE(ply->flags ^= POSITION_CAN_CAPTURE, "game 2, ply 10: wrong capture flags");
    LIE(ply->flags ^= POSITION_OPPONENT_CAN_CAPTURE, "game 2, ply 10: wrong capture flags");
    LIE(ply->flags ^= POSITION_RANDOM_MOVE, "game 2, ply 10: wrong random flag");
    LIE(ply->score = 30001, "game 2, ply 10: score");
    LIE(game->random_plies--, "game 2, ply");
    LIE(game->result = game->result == 1 ? 0 : game->result + 1, "game 2: result");
    LIE(game->termination = GAME_LENGTH, "game 2: ended by \"length limit\"");
    LIE(game->plies--, "game 2: ended by");
    LIE(ply->index ^= 1, "game 2, ply 11: not the position");
#undef LIE
    games_free(&games);
}

// ---- counting ----

Test(summary, counts_games) {
    struct games games = games_play("american", 40, 3);
    const struct folder folder = folder_new();
    char *path = put_games(&folder, "one.h5", &games, 0);
    struct dataset *dataset = open_all((const char *const *)&path, 1);
    struct summary summary;
    struct error error = {.text = ""};
    cr_assert(summary_read(dataset, &summary, &error), "%s", error.text);
    uint64_t results[3] = {0}, endings = 0;
    for (int i = 0; i < games.count; i++) results[games.game[i].result + 1]++;
    for (int i = 0; i < TERMINATION_COUNT; i++) endings += summary.endings[i];
    cr_assert_eq(summary.games, 40);
    cr_assert_eq(summary.losses, results[0]);
    cr_assert_eq(summary.draws, results[1]);
    cr_assert_eq(summary.wins, results[2]);
    cr_assert_eq(summary.positions, count_positions(&games));
    cr_assert_eq(summary.plies, summary.positions);
    cr_assert_eq(endings, 40);
    struct stat status;
    cr_assert_eq(stat(path, &status), 0);
    cr_assert_eq(summary.bytes, (uint64_t)status.st_size);
    dataset_close(dataset);
    free(path);
    folder_remove(&folder);
    games_free(&games);
}

// ---- files from files ----

// Three files of a variant in a folder, as one dataset.
struct library {
    struct folder folder;
    struct games games[3];
    char *paths[3];
    struct dataset *dataset;
};

static struct library library_new(const char *variant, int count) {
    struct library library = {.folder = folder_new()};
    for (int i = 0; i < 3; i++) {
        char name[16];
        snprintf(name, sizeof name, "%d.h5", i);
        library.games[i] = games_play(variant, count, (uint64_t)i + 1);
        library.paths[i] = put_games(&library.folder, name, &library.games[i], (uint64_t)count * (uint64_t)i);
    }
    library.dataset = open_all((const char *const *)library.paths, 3);
    return library;
}

static void library_free(struct library *library) {
    dataset_close(library->dataset);
    for (int i = 0; i < 3; i++) {
        free(library->paths[i]);
        games_free(&library->games[i]);
    }
    folder_remove(&library->folder);
}

static void check_merged(const char *variant, bool views) {
    struct library library = library_new(variant, 60);
    struct error error = {.text = ""};
    char *path = memory_text("%s/merged.h5", library.folder.path);
    const struct merge_settings settings = {.views = views, .quiet = true};
    struct merge_counts counts;
    cr_assert(merge_write(library.dataset, path, &settings, &counts, &error), "%s", error.text);
    cr_assert_eq(counts.games, 180);
    cr_assert_not(counts.renumbered);
    struct dataset *merged = open_all((const char *const *)&path, 1);
    cr_assert_eq(dataset_positions(merged), dataset_positions(library.dataset));
    cr_assert_eq(dataset_file(merged, 0)->views, views);
    cr_assert_eq(dataset_file(merged, 0)->openings, 1);
    for (int i = 0; i < 3; i++) check_games(merged, &library.games[i], 60 * (uint64_t)i, 60 * (uint64_t)i);
    cr_assert(verify_dataset(merged, true, no_fault, NULL, &error));
    dataset_close(merged);
    free(path);
    library_free(&library);
}

Test(merge, copies_every_row) {
    check_merged("spanish", false);
    check_merged("frisian", false);
}
Test(merge, shows_every_row_in_views) { check_merged("spanish", true); }

Test(merge, notices_when_a_source_goes_away_later) {
    struct library library = library_new("spanish", 10);
    struct error error = {.text = ""};
    char *path = memory_text("%s/views.h5", library.folder.path);
    const struct merge_settings settings = {.views = true, .quiet = true};
    struct merge_counts counts;
    cr_assert(merge_write(library.dataset, path, &settings, &counts, &error), "%s", error.text);
    struct dataset *views = open_all((const char *const *)&path, 1);
    cr_assert_eq(unlink(library.paths[1]), 0);
    const size_t all = (size_t)dataset_positions(views), first = count_positions(&library.games[0]);
    struct position_columns rows = position_columns_new(all);
    cr_assert(dataset_read_positions(views, 0, first, &rows, &error), "%s", error.text);
    cr_assert_not(dataset_read_positions(views, 0, all, &rows, &error));
    cr_assert(strstr(error.text, "views.h5: one of its sources") != NULL, "%s", error.text);
    position_columns_free(&rows);
    dataset_close(views);
    free(path);
    library_free(&library);
}

// ---- who played ----

// Names of the players of a game by the list of the file that it is in.
static void players_of(struct dataset *dataset, uint64_t game, char *names, size_t size) {
    struct error error = {.text = ""};
    struct game_columns row = game_columns_new(1);
    cr_assert(dataset_read_games(dataset, game, 1, &row, &error), "%s", error.text);
    int file = 0;
    while (game >= dataset_file(dataset, file)->first_game + dataset_file(dataset, file)->games) file++;
    const struct dataset_info *info = &dataset_file(dataset, file)->info;
    json_t *list = info->engines != NULL ? json_loads(info->engines, 0, NULL) : NULL;
    const char *name[2] = {info->engine, info->engine};
    const uint8_t number[2] = {row.white_engine[0], row.black_engine[0]};
    for (int i = 0; i < 2 && list != NULL; i++) {
        name[i] = json_string_value(json_object_get(json_array_get(list, number[i]), "name"));
        cr_assert_not_null(name[i], "game %d: engine %d of %s", (int)game, number[i], info->engines);
    }
    snprintf(names, size, "%s - %s", name[WHITE], name[BLACK]);
    json_decref(list);
    game_columns_free(&row);
}

static char *put_games_of(const struct folder *folder, const char *name, struct games *games, uint64_t first,
                          const char *engines, int engine_count) {
    for (int i = 0; i < games->count; i++) {
        games->game[i].engine[WHITE] = (uint8_t)(i % engine_count);
        games->game[i].engine[BLACK] = (uint8_t)((i / 2 + 1) % engine_count);
    }
    struct image image = make_image_of(games, first, engines);
    char *path = put_file(folder, name, image.bytes, image.size);
    free(image.bytes);
    return path;
}

// Numbers mean the same players after merging, whatever the lists of the sources are.
static void check_players(bool views) {
    static const char *const engines[3] = {
        "[{\"name\":\"a\",\"weights_sha256\":\"1\"},{\"name\":\"b\",\"weights_sha256\":\"2\"}]",
        "[{\"name\":\"b\",\"weights_sha256\":\"2\"},{\"name\":\"c\"},{\"name\":\"a\",\"weights_sha256\":"
        "\"1\"}]",
        NULL,
    };
    static const int counts[3] = {2, 3, 1};
    struct games games = games_play("spanish", 6, 2);
    struct error error = {.text = ""};
    const struct folder folder = folder_new();
    char *paths[3], names[2][64];
    for (int i = 0; i < 3; i++) {
        const char name[] = {(char)('0' + i), '.', 'h', '5', '\0'};
        paths[i] = put_games_of(&folder, name, &games, 6 * (uint64_t)i, engines[i], counts[i]);
    }
    struct dataset *sources = open_all((const char *const *)paths, 3);
    char *path = memory_text("%s/merged.h5", folder.path);
    const struct merge_settings settings = {.views = views, .quiet = true};
    struct merge_counts merged_counts;
    cr_assert(merge_write(sources, path, &settings, &merged_counts, &error), "%s", error.text);
    struct dataset *merged = open_all((const char *const *)&path, 1);
    json_t *list = json_loads(dataset_file(merged, 0)->info.engines, 0, NULL);
    cr_assert_eq(json_array_size(list), 4);  // a, b, c, and the engine of the file that has no list
    json_decref(list);
    for (uint64_t i = 0; i < 18; i++) {
        players_of(sources, i, names[0], sizeof names[0]);
        players_of(merged, i, names[1], sizeof names[1]);
        cr_assert_str_eq(names[1], names[0], "game %d", (int)i);
    }
    dataset_close(merged);
    dataset_close(sources);
    for (int i = 0; i < 3; i++) free(paths[i]);
    free(path);
    folder_remove(&folder);
    games_free(&games);
}

Test(merge, keeps_who_played) {
    check_players(false);
    check_players(true);
}

// A column has 256 numbers: of more players, those that come last are one.
Test(merge, joins_players_for_whom_there_is_no_number) {
    struct games games = games_play("spanish", 200, 2);
    struct error error = {.text = ""};
    const struct folder folder = folder_new();
    char *paths[2], name[16], players[64];
    for (int i = 0; i < 2; i++) {
        json_t *list = json_array();
        for (int n = 0; n < 200; n++)
            json_array_append_new(list, json_pack("{s:o}", "name", json_sprintf("%d", 150 * i + n)));
        char *engines = json_dumps(list, JSON_COMPACT);
        snprintf(name, sizeof name, "%d.h5", i);
        paths[i] = put_games_of(&folder, name, &games, 200 * (uint64_t)i, engines, 200);
        free(engines);
        json_decref(list);
    }
    struct dataset *sources = open_all((const char *const *)paths, 2);
    char *path = memory_text("%s/merged.h5", folder.path);
    const struct merge_settings settings = {.quiet = true};
    struct merge_counts counts;
    cr_assert(merge_write(sources, path, &settings, &counts, &error), "%s", error.text);
    struct dataset *merged = open_all((const char *const *)&path, 1);
    players_of(merged, 199, players, sizeof players);
    cr_assert_str_eq(players, "199 - 100");
    players_of(merged, 200 + 104, players, sizeof players);  // 150 + 104 and 150 + 53
    cr_assert_str_eq(players, "254 - 203");
    players_of(merged, 200 + 105, players, sizeof players);
    cr_assert_str_eq(players, "others - 203");
    players_of(merged, 399, players, sizeof players);
    cr_assert_str_eq(players, "others - 250");
    dataset_close(merged);
    dataset_close(sources);
    for (int i = 0; i < 2; i++) free(paths[i]);
    free(path);
    folder_remove(&folder);
    games_free(&games);
}

// The first of equal games stays, whatever lies between.
Test(merge, finds_games_that_were_played_before) {
    struct games games = games_play("spanish", 7, 3);
    struct error error = {.text = ""};
    const struct folder folder = folder_new();
    struct played_game *const order[] = {&games.game[0], &games.game[1], &games.game[0],
                                         &games.game[2], &games.game[1], &games.game[0]};
    struct games chosen = {.variant = games.variant, .draws = games.draws, .count = 6};
    chosen.game = memory_new(6, sizeof *chosen.game);
    for (int i = 0; i < 6; i++) chosen.game[i] = *order[i];
    chosen.game[5].plies--;  // all but the last move
    char *path = put_games(&folder, "one.h5", &chosen, 0);
    struct dataset *dataset = open_all((const char *const *)&path, 1);
    bool *repeated;
    uint64_t count;
    cr_assert(duplicates_find(dataset, true, &repeated, &count, &error), "%s", error.text);
    static const bool expected[6] = {false, false, true, false, true, false};
    cr_assert_eq(count, 2);
    cr_assert_arr_eq(repeated, expected, sizeof expected);
    free(repeated);
    dataset_close(dataset);
    free(path);
    free(chosen.game);
    folder_remove(&folder);
    games_free(&games);
}

// ---- samples ----

struct table {
    size_t count;
    struct position_columns rows;
    struct label_columns labels;
    struct game_columns games;
};

static struct table read_all(struct dataset *dataset) {
    struct error error = {.text = ""};
    struct table table = {.count = (size_t)dataset_positions(dataset)};
    table.rows = position_columns_new(table.count);
    table.labels = label_columns_new(table.count);
    table.games = game_columns_new((size_t)dataset_games(dataset));
    cr_assert(dataset_read_positions(dataset, 0, table.count, &table.rows, &error), "%s", error.text);
    cr_assert(dataset_read_labels(dataset, 0, table.count, &table.labels, &error), "%s", error.text);
    cr_assert(dataset_read_games(dataset, 0, (size_t)dataset_games(dataset), &table.games, &error));
    return table;
}

static void table_free(struct table *table) {
    position_columns_free(&table->rows);
    label_columns_free(&table->labels);
    game_columns_free(&table->games);
}

static struct table sample_all(struct library *library, const struct sample_settings *settings) {
    struct error error = {.text = ""};
    char *path = memory_text("%s/sample.h5", library->folder.path);
    struct sample_counts counts;
    cr_assert(sample_write(library->dataset, path, settings, &counts, &error), "%s", error.text);
    struct dataset *sample = open_all((const char *const *)&path, 1);
    cr_assert_eq(counts.positions, dataset_positions(sample));
    cr_assert_eq(counts.games, dataset_games(sample));
    cr_assert(verify_dataset(sample, true, no_fault, NULL, &error));
    struct table table = read_all(sample);
    dataset_close(sample);
    free(path);
    return table;
}

static bool same_kind(const struct table *a, size_t i, const struct table *b, size_t j) {
    return a->rows.white_men[i] == b->rows.white_men[j] && a->rows.white_kings[i] == b->rows.white_kings[j] &&
           a->rows.black_men[i] == b->rows.black_men[j] && a->rows.black_kings[i] == b->rows.black_kings[j] &&
           a->rows.stm[i] == b->rows.stm[j] &&
           a->games.split[a->rows.game[i]] == b->games.split[b->rows.game[j]];
}

// By looking for each kind of position among all.
Test(sample, gives_equal_positions_the_mean_of_their_labels) {
    struct library library = library_new("spanish", 12);
    struct sample_settings settings = sample_settings_all();
    settings.unique = settings.quiet_output = true;
    struct table all = read_all(library.dataset), sample = sample_all(&library, &settings);
    uint64_t seen = 0;
    size_t several = 0;
    for (size_t i = 0; i < sample.count; i++) {
        double points = 0, score = 0;
        unsigned count = 0, scored = 0;
        for (size_t j = 0; j < all.count; j++) {
            if (!same_kind(&sample, i, &all, j)) continue;
            points += (all.rows.result[j] + 1) / 2.0;
            count++;
            if (all.rows.score[j] == NO_SCORE) continue;
            score += all.rows.score[j];
            scored++;
        }
        cr_assert_eq(sample.labels.seen[i], count);
        cr_assert_float_eq((double)sample.labels.expected[i], points / count, 1e-6);
        if (scored == 0)
            cr_assert_eq(sample.rows.score[i], NO_SCORE);
        else
            cr_assert_leq(fabs(sample.rows.score[i] - score / scored), 0.5);
        several += count > 1;
        seen += count;
        for (size_t j = 0; j < i; j++) cr_assert_not(same_kind(&sample, i, &sample, j));
    }
    cr_assert_eq(seen, all.count);
    cr_assert_gt(several, 5);
    table_free(&sample);
    table_free(&all);
    library_free(&library);
}

static int pieces_at(const struct table *table, size_t row) {
    return __builtin_popcountll(table->rows.white_men[row] | table->rows.white_kings[row] |
                                table->rows.black_men[row] | table->rows.black_kings[row]);
}

Test(sample, takes_what_fits_and_all_of_it) {
    struct library library = library_new("italian", 20);
    struct sample_settings settings = sample_settings_all();
    settings.quiet_output = settings.quiet = settings.skip_random = true;
    settings.ply.least = 8;
    settings.ply.most = 70;
    settings.pieces.least = 5;
    settings.pieces.most = 18;
    settings.clock.most = 6;
    settings.score.most = 250;
    settings.unscored = false;
    settings.results[1] = false;
    struct table all = read_all(library.dataset), sample = sample_all(&library, &settings);
    size_t at = 0;
    for (size_t i = 0; i < all.count; i++) {
        const int pieces = pieces_at(&all, i), score = all.rows.score[i], ply = all.rows.ply[i];
        if ((all.rows.flags[i] & 7) != 0 || ply < 8 || ply > 70 || pieces < 5 || pieces > 18 ||
            all.rows.clock[i] > 6 || score == NO_SCORE || abs(score) > 250 || all.rows.result[i] == 0)
            continue;
        cr_assert_lt(at, sample.count);
        cr_assert(same_kind(&all, i, &sample, at));
        cr_assert_eq(sample.rows.ply[at], ply);
        cr_assert_eq(sample.rows.score[at], score);
        cr_assert_eq(sample.rows.move[at], all.rows.move[i]);
        cr_assert_float_eq((double)sample.labels.expected[at], (all.rows.result[i] + 1) / 2.0, 0);
        cr_assert_eq(sample.labels.seen[at], 1);
        at++;
    }
    cr_assert_eq(at, sample.count);
    cr_assert_gt(at, 50);
    table_free(&sample);
    table_free(&all);
    library_free(&library);
}

Test(sample, keeps_its_limits) {
    struct library library = library_new("russian", 20);
    struct table all = read_all(library.dataset);
    struct sample_settings settings = sample_settings_all();
    settings.quiet_output = true;
    settings.per_game = 5;
    struct table few = sample_all(&library, &settings);
    cr_assert_eq(few.count, 60 * 5);
    for (int game = 0; game < 60; game++) cr_assert_eq(few.games.count[game], 5);
    table_free(&few);

    settings.per_game = 0;
    settings.per_pieces = 20;
    few = sample_all(&library, &settings);
    uint64_t there[64] = {0}, taken[64] = {0};
    for (size_t i = 0; i < all.count; i++) there[pieces_at(&all, i)]++;
    for (size_t i = 0; i < few.count; i++) taken[pieces_at(&few, i)]++;
    for (int i = 0; i < 64; i++) cr_assert_eq(taken[i], there[i] < 20 ? there[i] : 20);
    table_free(&few);

    settings.per_pieces = 0;
    settings.share = 0.25;
    few = sample_all(&library, &settings);
    // 6 deviations of a binomial distribution to either side
    const double mean = 0.25 * (double)all.count, deviation = sqrt(0.75 * mean);
    cr_assert_leq(fabs((double)few.count - mean), 6 * deviation);
    table_free(&few);
    table_free(&all);
    library_free(&library);
}

// ---- what games are like ----

Test(stats, counts_what_games_are_like) {
    struct library library = library_new("american", 20);  // Black moves first
    struct stats stats;
    struct error error = {.text = ""};
    cr_assert(stats_read(library.dataset, 3, true, &stats, &error), "%s", error.text);
    double moves = 0, positions = 0, plies = 0, draws = 0, points = 0, squares = 0, choices = 0, choosing = 0;
    struct move_list *list = memory_new(1, sizeof *list);
    for (int i = 0; i < 60; i++) {
        const struct played_game *game = &library.games[i / 20].game[i % 20];
        struct position position = game->start;
        for (int ply = 0; ply < game->plies; ply++) {
            library.games[0].variant->generate(&position, list);
            moves += list->count;
            choices += list->count > 1 ? list->count : 0;
            choosing += list->count > 1;
            library.games[0].variant->play(&position, game->ply[ply].move);
        }
        positions += game->plies;
        plies += game->plies;
        draws += game->result == 0;
        points += (1 - game->result) / 2.0;
        squares += (1 - game->result) * (1 - game->result) / 4.0;
    }
    const double first = points / 60, rate = draws / 60;
    cr_assert_eq(stats.games, 60);
    cr_assert_float_eq(stats_mean_moves(&stats), moves / positions, 1e-9);
    cr_assert_float_eq(stats_mean_choice(&stats), choices / choosing, 1e-9);
    cr_assert_float_eq(stats_mean_length(&stats), plies / 60, 1e-9);
    cr_assert_float_eq(stats_draw_rate(&stats).value, rate, 1e-9);
    cr_assert_float_eq(stats_draw_rate(&stats).error, 1.96 * sqrt(rate * (1 - rate) / 60), 1e-4);
    cr_assert_float_eq(stats_first_score(&stats).value, first, 1e-9);
    cr_assert_float_eq(stats_first_score(&stats).error, 1.96 * sqrt((squares / 60 - first * first) / 60),
                       1e-4);
    int below = 0, median = stats_length(&stats, 0.5);
    for (int i = 0; i < 60; i++) below += library.games[i / 20].game[i % 20].plies <= median;
    cr_assert_geq(below, 30);
    uint64_t openings = 0;
    for (size_t i = 0; i < stats.positions_of_openings.count; i++)
        openings +=
            stats.openings[i].results[0] + stats.openings[i].results[1] + stats.openings[i].results[2];
    cr_assert_eq(openings, 60);
    cr_assert_eq(stats.openings[0].begins, BLACK);
    free(list);
    stats_free(&stats);
    library_free(&library);
}

// ---- damage ----

// Where one text of the image is followed by another within so many bytes.
static uint8_t *find_behind(const struct image *image, const char *text, const void *bytes, size_t size) {
    enum { NEAR = 100 };
    for (int n = 0;; n++) {
        char *at = find_word(image, text, n);
        if (at == NULL) return NULL;
        uint8_t *found = memmem(at, NEAR, bytes, size);
        if (found != NULL) return found;
    }
}

// HDF5 would take gigabytes for either.
Test(dataset, sizes_are_believed_within_reason) {
    struct games games = games_play("spanish", 3, 2);
    struct image image = make_image(&games, 0);
    const struct folder folder = folder_new();
    struct error error = {.text = ""};
    struct rusage usage;

    static const uint8_t text_size[] = {sizeof DATASET_FORMAT - 1, 0, 0, 0};
    uint8_t *at = find_behind(&image, "format", text_size, sizeof text_size);
    cr_assert_not_null(at);
    at[3] = 0xf0;
    cr_expect_not(opens(&folder, &image, &error));
    cr_expect(strstr(error.text, "changed.h5: "), "%s", error.text);
    at[3] = 0;

    static const uint8_t chunk_and_row[] = {0, 0, DATASET_BLOCK >> 16, 0, sizeof(uint64_t), 0, 0, 0};
    at = memmem(image.bytes, image.size, chunk_and_row, sizeof chunk_and_row);
    cr_assert_not_null(at);
    at[3] = 0x10;
    cr_expect_not(opens(&folder, &image, &error));
    cr_expect(strstr(error.text, "chunks of 268500992 rows"), "%s", error.text);
    at[3] = 0;

    cr_expect(opens(&folder, &image, &error), "%s", error.text);
    cr_assert_eq(getrusage(RUSAGE_CHILDREN, &usage), 0);
    cr_expect_lt(usage.ru_maxrss, 2 << 20, "a child took %ld kB", usage.ru_maxrss);
    free(image.bytes);
    folder_remove(&folder);
    games_free(&games);
}

// Bytes all over the file, most of them where HDF5 has no checksums: it is read or refused, and no process
// ends by a signal (HDF5 itself crashes on some).
Test(dataset, survives_damage) {
    struct games games = games_play("spanish", 3, 2);
    struct image image = make_image(&games, 0);
    const struct folder folder = folder_new();
    struct random random = random_stream(1, 1);
    int refused = 0;
    for (int i = 0; i < 150; i++) {
        const size_t at = (size_t)random_below(&random, image.size);
        uint8_t *byte = (uint8_t *)image.bytes + at, honest = *byte;
        *byte ^= (uint8_t)(1 + random_below(&random, 255));
        char *path = put_file(&folder, "damaged.h5", image.bytes, image.size);
        struct error error = {.text = ""};
        struct dataset *dataset = dataset_open((const char *const *)&path, 1, &error);
        struct faults faults = {0};
        if (dataset != NULL)
            cr_assert(verify_dataset(dataset, true, take_fault, &faults, &error));
        else
            cr_assert(strstr(error.text, "damaged.h5") != NULL, "%s", error.text);
        refused += dataset == NULL || faults.count > 0;
        dataset_close(dataset);
        free(path);
        *byte = honest;
    }
    cr_assert_gt(refused, 30);
    free(image.bytes);
    folder_remove(&folder);
    games_free(&games);
}

// ---- rules ----

Test(rules_json, gives_back_the_draw_rules) {
    for (int i = 0; i < variant_count; i++) {
        const struct draw_rules all[2] = {variants[i].rules->draws,
                                          draws_simple(25, PROGRESS_CAPTURE_OR_CROWNING)};
        for (int j = 0; j < 2; j++) {
            char *text = rules_to_json(&variants[i], &all[j]), *again;
            struct draw_rules read;
            struct error error = {.text = ""};
            cr_assert(draws_from_json(text, &read, &error), "%s", error.text);
            cr_assert_str_eq(read.name, all[j].name);
            cr_assert_eq(read.no_progress_plies, all[j].no_progress_plies);
            cr_assert_eq(read.progress, all[j].progress);
            again = rules_to_json(&variants[i], &read);
            cr_assert_str_eq(text, again);
            free(text);
            free(again);
        }
    }
}

Test(rules_json, refuses_what_it_does_not_know) {
    static const char *const texts[] = {
        "",
        "{",
        "{}",
        "{\"draws\":{}}",
        "{\"draws\":{\"name\":\"simple\",\"repetitions\":3,\"no_progress_plies\":80,\"progress\":\"x\","
        "\"limits\":[]}}",
        "{\"draws\":{\"name\":\"simple\",\"repetitions\":300,\"no_progress_plies\":80,"
        "\"progress\":\"capture-or-crowning\",\"limits\":[]}}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct draw_rules draws;
        struct error error = {.text = ""};
        cr_assert_not(draws_from_json(texts[i], &draws, &error), "%s", texts[i]);
        cr_assert(strlen(error.text) > 0);
    }
}
