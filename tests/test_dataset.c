// test_dataset.c -- what is written to a dataset is read back, and nothing else is taken for one.

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/support/file.h"
#include "selfplay/dataset.h"
#include "selfplay/rules_json.h"
#include "selfplay/summary.h"
#include "selfplay/verify.h"
#include "tests/selfplay_games.h"

// ---- making datasets ----

struct image {
    void *bytes;
    size_t size;
};

// A file of some games, as a run writes it.
static struct image make_image(const struct games *games, uint64_t first_game) {
    struct error error = {.text = ""};
    char *rules = rules_to_json(games->variant, &games->draws);
    const struct dataset_info info = {
        .variant = games->variant,
        .rules = rules,
        .engine = "huff test",
        .weights_sha256 = "0123456789abcdef",
        .limit = "depth=1",
        .config = "{\"games\":1}",
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

Test(dataset, gives_back_what_was_written) {
    round_trip("spanish", 20);
    round_trip("international", 5);
    round_trip("frisian", 5);
    round_trip("american+free", 5);
}

// More rows than a chunk, and games that lie on both sides of a border.
Test(dataset, has_rows_in_several_chunks) { cr_assert_gt(round_trip("italian", 300), 2 * DATASET_BLOCK); }

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
