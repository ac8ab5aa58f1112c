// test_journal.c -- whatever happens to a journal, the whole games at its beginning are found again.

#include <fcntl.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/support/file.h"
#include "selfplay/journal.h"
#include "tests/selfplay_games.h"

enum { GAMES = 3 };

// Compares what a journal holds with what was written.
struct found {
    const struct games *games;
    int count;
};

static void compare(void *context, uint64_t id, struct played_game *game) {
    struct found *found = context;
    cr_assert_lt(found->count, found->games->count);
    cr_assert_eq(id, 40 + (uint64_t)found->count);
    const struct played_game *written = &found->games->game[found->count];
    cr_assert_str_eq(game->reason.text, written->reason.text);
    cr_assert(played_games_equal(game, written));
    for (int i = 0; i < game->plies; i++) {
        const struct played_ply *p = &game->ply[i], *q = &written->ply[i];
        // Whole microseconds, and what a float leaves of them.
        const float inexact = 1e-6f + q->seconds * 1e-6f;
        cr_assert(p->nodes == q->nodes && p->depth == q->depth);
        cr_assert(fabsf(p->seconds - q->seconds) <= inexact, "%.9g s, not %.9g", (double)p->seconds,
                  (double)q->seconds);
    }
    cr_assert(game->nodes[WHITE] > 0 && game->nodes[WHITE] == written->nodes[WHITE]);
    cr_assert(game->nodes[BLACK] > 0 && game->nodes[BLACK] == written->nodes[BLACK]);
    found->count++;
}

struct fixture {
    char folder[64], *path, *bytes;
    struct games games;
    size_t size, ends[GAMES + 1];  // of the header and of each record
};

static struct journal *open_it(struct fixture *f, const char *owner, struct found *found, uint64_t *cut) {
    struct error error = {.text = ""};
    *found = (struct found){.games = &f->games};
    struct journal *journal = journal_open(f->path, owner, f->games.variant, compare, found, cut, &error);
    cr_assert_not_null(journal, "%s", error.text);
    return journal;
}

static size_t size_of(const char *path) {
    struct stat status;
    cr_assert_eq(stat(path, &status), 0);
    return (size_t)status.st_size;
}

static struct fixture write_games(const char *variant) {
    struct fixture f = {.games = games_play(variant, GAMES, 8)};
    struct error error = {.text = ""};
    error_set(&f.games.game[1].reason, "no answer, \"x\"");
    struct found found;
    uint64_t cut;
    strcpy(f.folder, "/tmp/huff-journal-XXXXXX");
    cr_assert_not_null(mkdtemp(f.folder));
    f.path = memory_text("%s/journal", f.folder);
    struct journal *journal = open_it(&f, "run shard 1", &found, &cut);
    cr_assert_eq(found.count, 0);
    cr_assert_eq(cut, 0);
    f.ends[0] = size_of(f.path);
    for (int i = 0; i < GAMES; i++) {
        cr_assert(journal_append(journal, 40 + (uint64_t)i, &f.games.game[i], &error), "%s", error.text);
        f.ends[i + 1] = size_of(f.path);
    }
    cr_assert(journal_sync(journal, &error), "%s", error.text);
    journal_close(journal);
    cr_assert(file_read(f.path, 1 << 20, &f.bytes, &f.size, &error), "%s", error.text);
    return f;
}

static void remove_games(struct fixture *f) {
    unlink(f->path);
    rmdir(f->folder);
    games_free(&f->games);
    free(f->path);
    free(f->bytes);
}

static void put_bytes(const struct fixture *f, const char *bytes, size_t size) {
    const int file = open(f->path, O_WRONLY | O_TRUNC);
    cr_assert_eq(write(file, bytes, size), (ssize_t)size);
    close(file);
}

// Whole games that lie before byte `size`.
static int whole_games(const struct fixture *f, size_t size) {
    int count = 0;
    while (count < GAMES && f->ends[count + 1] <= size) count++;
    return count;
}

static void round_trip(const char *variant) {
    struct fixture f = write_games(variant);
    struct found found;
    uint64_t cut;
    struct journal *journal = open_it(&f, "run shard 1", &found, &cut);
    cr_assert_eq(found.count, GAMES);
    cr_assert_eq(cut, 0);
    journal_delete(journal);
    cr_assert_not(file_exists(f.path));
    remove_games(&f);
}

Test(journal, gives_back_what_was_written) {
    round_trip("spanish");
    round_trip("frisian");
    round_trip("american+free");
}

// As a power failure leaves it: cut anywhere, and writing goes on after the last whole game.
Test(journal, survives_being_cut_at_any_byte) {
    struct fixture f = write_games("spanish");
    struct error error = {.text = ""};
    for (size_t size = 0; size < f.size; size++) {
        put_bytes(&f, f.bytes, size);
        struct found found;
        uint64_t cut;
        struct journal *journal = open_it(&f, "run shard 1", &found, &cut);
        const int whole = whole_games(&f, size);
        cr_assert_eq(found.count, whole, "cut at %zu", size);
        cr_assert_eq(cut, size < f.ends[0] ? size : size - f.ends[whole]);
        for (int i = whole; i < GAMES; i++) {
            cr_assert(journal_append(journal, 40 + (uint64_t)i, &f.games.game[i], &error), "%s", error.text);
        }
        journal_close(journal);
        char *bytes;
        size_t now;
        cr_assert(file_read(f.path, 1 << 20, &bytes, &now, &error));
        cr_assert(now == f.size && memcmp(bytes, f.bytes, now) == 0);
        free(bytes);
    }
    remove_games(&f);
}

// Games are read again in any order, those that were found and those that were appended; not when the file
// was changed.
Test(journal, games_are_read_again) {
    struct fixture f = write_games("italian");
    struct found found;
    uint64_t cut;
    struct error error = {.text = ""};
    struct journal *journal = open_it(&f, "run shard 1", &found, &cut);
    cr_assert(journal_append(journal, 7, &f.games.game[0], &error), "%s", error.text);
    struct played_game game = {0};
    static const int order[] = {2, 0, 1, 0};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        cr_assert(journal_read(journal, 40 + (uint64_t)order[i], &game, &error), "%s", error.text);
        cr_expect(played_games_equal(&game, &f.games.game[order[i]]));
        cr_expect_str_eq(game.reason.text, f.games.game[order[i]].reason.text);
    }
    cr_assert(journal_read(journal, 7, &game, &error), "%s", error.text);
    cr_expect(played_games_equal(&game, &f.games.game[0]));
    f.bytes[f.size - 1] = (char)(f.bytes[f.size - 1] ^ 1);
    put_bytes(&f, f.bytes, f.size);
    cr_expect(journal_read(journal, 41, &game, &error), "%s", error.text);
    cr_expect_not(journal_read(journal, 42, &game, &error));
    cr_expect_not(journal_read(journal, 7, &game, &error));  // it is cut off
    cr_expect(strstr(error.text, "damaged while the run went on") != NULL, "%s", error.text);
    played_game_free(&game);
    journal_close(journal);
    remove_games(&f);
}

Test(journal, notices_every_damaged_byte) {
    struct fixture f = write_games("spanish");
    for (size_t at = 0; at < f.size; at++) {
        f.bytes[at] = (char)(f.bytes[at] ^ 0x10);
        put_bytes(&f, f.bytes, f.size);
        f.bytes[at] = (char)(f.bytes[at] ^ 0x10);
        struct found found;
        uint64_t cut;
        journal_close(open_it(&f, "run shard 1", &found, &cut));
        cr_assert_eq(found.count, at < f.ends[0] ? 0 : whole_games(&f, at), "damaged at %zu", at);
        cr_assert_gt(cut, 0);
    }
    remove_games(&f);
}

Test(journal, of_another_run_is_not_taken) {
    struct fixture f = write_games("spanish");
    struct found found;
    uint64_t cut;
    journal_close(open_it(&f, "run shard 2", &found, &cut));
    cr_assert_eq(found.count, 0);
    cr_assert_eq(cut, f.size);
    remove_games(&f);
}

Test(journal, in_no_folder_is_an_error) {
    struct games none = {.variant = variant_find("spanish", NULL)};
    struct found found = {.games = &none};
    struct error error = {.text = ""};
    uint64_t cut;
    cr_assert_null(
        journal_open("/tmp/no/such/folder/journal", "run", none.variant, compare, &found, &cut, &error));
    cr_assert(strstr(error.text, "/tmp/no/such/folder/journal") != NULL, "%s", error.text);
}
