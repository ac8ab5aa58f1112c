// opening_list.c -- reads lists of openings, makes complete ones, and checks every one by the rules.

#include "selfplay/opening_list.h"

#include <sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/notation.h"
#include "core/pdn.h"
#include "core/support/file.h"
#include "core/support/memory.h"
#include "selfplay/position_set.h"

enum {
    MOST_BYTES = 1 << 28,
    MOST_OPENINGS = 100000,
    MOST_INDEX = 255,  // of a move in a dataset
};

// The moves are found again by the rules, which is much smaller than the moves.
struct entry {
    struct position start;
    int line;
    uint8_t plies, index[MAX_OPENING_PLIES];
};

#define BOOK_MAGIC "# huff-book"
enum { BOOK_VERSION = 2 };

struct opening_list {
    const struct variant *variant;
    const struct draw_rules *draws;  // while it is made
    int count, room;
    struct entry *entries;
    char sha256[SHA256_DIGEST_STRING_LENGTH];
    struct move_list *legal;  // too big for the stack of a thread
};

static struct opening_list *new_list(const struct variant *variant, const struct draw_rules *draws) {
    struct opening_list *list = memory_new(1, sizeof *list);
    list->variant = variant;
    list->draws = draws;
    list->legal = memory_new(1, sizeof *list->legal);
    return list;
}

void opening_list_free(struct opening_list *list) {
    if (list == NULL) return;
    free(list->entries);
    free(list->legal);
    free(list);
}

static bool add_entry(struct opening_list *list, const struct entry *entry, struct error *error) {
    if (list->count == MOST_OPENINGS) return error_set(error, "more than %d openings", MOST_OPENINGS);
    if (list->count == list->room) {
        list->room = list->room == 0 ? 64 : 2 * list->room;
        list->entries = memory_grow(list->entries, (size_t)list->room, sizeof *list->entries);
    }
    list->entries[list->count++] = *entry;
    return true;
}

// ---- one opening

static bool goes_on(struct game *game, struct error *error) {
    int result;
    const enum termination over = game_over(game, &result);
    if (over == GAME_GOES_ON) return true;
    return error_set(error, "the game is over after %d plies (%s)", game->ply, termination_names[over]);
}

// The number of a move among the legal ones; -1 when it has none that a byte holds.
static int find_index(struct opening_list *list, const struct position *position, struct move move) {
    list->variant->generate(position, list->legal);
    for (int i = 0; i < list->legal->count && i <= MOST_INDEX && !list->legal->truncated; i++) {
        if (move_equal(list->legal->moves[i], move)) return i;
    }
    return -1;
}

static bool follow(struct opening_list *list, struct game *game, const struct pdn_game *moves,
                   struct entry *entry, struct error *error) {
    if (!goes_on(game, error)) return false;
    const int plies = moves != NULL ? moves->ply_count : 0;
    if (plies > MAX_OPENING_PLIES)
        return error_set(error, "%d plies, an opening has at most %d", plies, MAX_OPENING_PLIES);
    for (int i = 0; i < plies; i++) {
        const int index = find_index(list, game_position(game), moves->plies[i].move);
        if (index < 0) return error_set(error, "the position after %d plies has too many moves", i);
        entry->index[entry->plies++] = (uint8_t)index;
        game_play(game, moves->plies[i].move);
        if (!goes_on(game, error)) return false;
    }
    return true;
}

// `moves` NULL: the position alone.
static bool add_opening(struct opening_list *list, const struct position *start, const struct pdn_game *moves,
                        int line, struct error *error) {
    struct entry entry = {.start = *start, .line = line};
    struct game game;
    game_init(&game, list->variant, list->draws, start);
    const bool good = follow(list, &game, moves, &entry, error);
    game_free(&game);
    return good && add_entry(list, &entry, error);
}

// ---- files

static bool read_fen(struct opening_list *list, char *text, int line, struct error *error) {
    text[strcspn(text, "#\r")] = '\0';
    if (text[strspn(text, " \t")] == '\0') return true;
    struct position position;
    return position_from_fen(list->variant, text, &position, error) &&
           add_opening(list, &position, NULL, line, error);
}

static bool read_fens(struct opening_list *list, const char *path, char *text, size_t size,
                      struct error *error) {
    const char *end = text + size;
    int line = 1;
    for (char *fen = strsep(&text, "\n"); fen != NULL; fen = strsep(&text, "\n"), line++) {
        const char *next = text != NULL ? text - 1 : end;
        if (fen + strlen(fen) < next) return error_set(error, "%s:%d: has a zero byte", path, line);
        if (!read_fen(list, fen, line, error)) return error_prefix(error, "%s:%d", path, line);
    }
    return true;
}

// The reader of PDN goes on after a game that is wrong; an opening that is left out silently would not do.
static void keep_first(void *context, const char *line) {
    struct error *error = context;
    if (*error->text == '\0') error_set(error, "%s", line);
}

static bool read_games(struct opening_list *list, const char *path, struct pdn_reader *reader,
                       const struct error *first, struct error *error) {
    struct pdn_game game;
    while (pdn_read(reader, &game)) {
        const bool added = add_opening(list, &game.start, &game, game.line, error);
        const int line = game.line;
        pdn_game_free(&game);
        if (!added) return error_prefix(error, "%s:%d", path, line);
    }
    return pdn_reader_counts(reader).skipped == 0 || error_set(error, "%s", first->text);
}

static bool read_pdn(struct opening_list *list, const char *path, const char *text, size_t size,
                     struct error *error) {
    struct error first = {.text = ""};
    const struct pdn_settings settings = {.variant = list->variant, .report = keep_first, .context = &first};
    struct pdn_reader *reader = pdn_reader_new(path, text, size, &settings);
    const bool done = read_games(list, path, reader, &first, error);
    pdn_reader_free(reader);
    return done;
}

// Of the first line and of all but the line that says it.
static void sum_book(const char *head, size_t head_size, const char *body, size_t body_size,
                     char sha256[static SHA256_DIGEST_STRING_LENGTH]) {
    SHA2_CTX sum;
    SHA256Init(&sum);
    SHA256Update(&sum, (const uint8_t *)head, head_size);
    SHA256Update(&sum, (const uint8_t *)body, body_size);
    SHA256End(&sum, sha256);
}

// A file that says what is in it (book.h) must be as it was written, and for this game.
static bool check_book(const struct variant *variant, const char *text, size_t size, struct error *error) {
    char name[64], expected[65], found[SHA256_DIGEST_STRING_LENGTH];
    int length = 0;
    if (strncmp(text, BOOK_MAGIC, strlen(BOOK_MAGIC)) != 0) return true;
    int version, line = 0;
    if (sscanf(text, BOOK_MAGIC " %d %63s %*[^\n]\n%n# sha256 %64[0-9a-f]%n", &version, name, &line, expected,
               &length) != 3 ||
        text[length] != '\n' || version < 1 || version > BOOK_VERSION)
        return error_set(error, "not a book that this program reads");
    const char *body = text + length + 1;
    // In books of version 1 the first line had no checksum.
    sum_book(text, version > 1 ? (size_t)line : 0, body, size - (size_t)(body - text), found);
    if (strcmp(found, expected) != 0)
        return error_set(error, "the book is damaged or was changed (its checksum differs)");
    const struct variant *of = variant_find(name, error);
    return of != NULL && (variant_same_moves(of, variant) ||
                          error_set(error, "a book of %s, not of %s", name, variant->name));
}

static bool is_pdn(const char *path, const char *text) {
    const size_t length = strlen(path);
    if (length >= 4 && strcasecmp(path + length - 4, ".pdn") == 0) return true;
    text += strspn(text, " \t\r\n");
    return *text == '[' && strncmp(text, "[FEN", 4) != 0;
}

struct opening_list *opening_list_read(const char *path, const struct variant *variant,
                                       const struct draw_rules *draws, struct error *error) {
    char *text;
    size_t size;
    if (!file_read(path, MOST_BYTES, &text, &size, error)) return NULL;
    struct opening_list *list = new_list(variant, draws);
    SHA256Data((const uint8_t *)text, size, list->sha256);
    bool done = (pdn_check_encoding(text, size, error) && check_book(variant, text, size, error)) ||
                error_prefix(error, "%s", path);
    if (done)
        done = is_pdn(path, text) ? read_pdn(list, path, text, size, error)
                                  : read_fens(list, path, text, size, error);
    if (done && list->count == 0) done = error_set(error, "%s: no opening in it", path);
    free(text);
    if (done) return list;
    opening_list_free(list);
    return NULL;
}

// "# 9-13 22-18" after the position.
static void print_line(FILE *out, const struct opening_list *list, const struct opening *opening) {
    struct position position = opening->start;
    fputs(opening->plies > 0 ? "  #" : "", out);
    for (int i = 0; i < opening->plies; i++) {
        char text[MOVE_TEXT_SIZE];
        list->variant->generate(&position, list->legal);
        move_to_text(list->variant, &position, list->legal, opening->moves[i], text);
        fprintf(out, " %s", text);
        list->variant->play(&position, opening->moves[i]);
    }
    fputs("\n", out);
}

static char *print_lines(const struct opening_list *list, size_t *size) {
    char *text;
    FILE *out = open_memstream(&text, size);
    if (out == NULL) abort();
    for (int i = 0; i < list->count; i++) {
        char fen[FEN_TEXT_SIZE];
        struct opening opening;
        opening_list_get(list, i, &opening);
        const struct position end = opening_list_end(list, i);
        position_to_fen(list->variant, &end, fen);
        fputs(fen, out);
        print_line(out, list, &opening);
    }
    if (fclose(out) != 0) abort();
    return text;
}

bool opening_list_write(const struct opening_list *list, const char *path, const char *about,
                        struct error *error) {
    size_t size;
    char sha256[SHA256_DIGEST_STRING_LENGTH], *body = print_lines(list, &size);
    char *head = memory_text(BOOK_MAGIC " %d %s %s\n", BOOK_VERSION, list->variant->name, about);
    sum_book(head, strlen(head), body, size, sha256);
    char *text = memory_text("%s# sha256 %s\n%s", head, sha256, body);
    const bool done = file_replace(path, text, strlen(text), error);
    free(text);
    free(head);
    free(body);
    return done;
}

// ---- all of them

// Plays the moves of an entry; free the game.
static void replay(struct opening_list *list, const struct entry *entry, struct game *game) {
    game_init(game, list->variant, list->draws, &entry->start);
    for (int i = 0; i < entry->plies; i++) {
        list->variant->generate(game_position(game), list->legal);
        game_play(game, list->legal->moves[entry->index[i]]);
    }
}

// Adds what is one ply after an entry and was not seen yet.
static bool add_children(struct opening_list *list, const struct entry *parent, struct position_set *seen,
                         struct error *error) {
    struct game game;
    replay(list, parent, &game);
    list->variant->generate(game_position(&game), list->legal);
    bool done = true;
    for (int i = 0; done && i < list->legal->count && i <= MOST_INDEX; i++) {
        int result;
        game_play(&game, list->legal->moves[i]);
        const size_t known = seen->count;
        if (game_over(&game, &result) == GAME_GOES_ON &&
            position_set_add(seen, game_position(&game)) == known) {
            struct entry child = *parent;
            child.index[child.plies++] = (uint8_t)i;
            child.line = list->count + 1;
            done = add_entry(list, &child, error);
        }
        game_undo(&game);
    }
    game_free(&game);
    return done;
}

// Replaces the openings by those that are a ply longer.
static bool lengthen(struct opening_list *list, struct error *error) {
    struct entry *parents = list->entries;
    const int count = list->count;
    struct position_set seen = {0};
    list->entries = NULL;
    list->count = list->room = 0;
    bool done = true;
    for (int i = 0; done && i < count; i++) done = add_children(list, &parents[i], &seen, error);
    free(parents);
    position_set_free(&seen);
    return done;
}

struct opening_list *opening_list_all(int plies, const struct variant *variant,
                                      const struct draw_rules *draws, struct error *error) {
    struct opening_list *list = new_list(variant, draws);
    const struct entry start = {.start = variant_initial(variant), .line = 1};
    bool done = add_entry(list, &start, error);
    for (int ply = 0; done && ply < plies; ply++) done = lengthen(list, error);
    if (done && list->count == 0)
        done = error_set(error, "no game of %s lasts %d plies", variant->name, plies);
    if (done) return list;
    opening_list_free(list);
    return NULL;
}

// ---- asking

void opening_list_shuffle(struct opening_list *list, uint64_t seed) {
    struct random random = random_stream(seed, UINT64_MAX);  // no pair draws from it
    for (int i = list->count - 1; i > 0; i--) {
        const uint64_t j = random_below(&random, (uint64_t)i + 1);
        const struct entry entry = list->entries[i];
        list->entries[i] = list->entries[j];
        list->entries[j] = entry;
    }
}

void opening_list_keep(struct opening_list *list, const bool *kept) {
    int count = 0;
    for (int i = 0; i < list->count; i++) {
        if (kept[i]) list->entries[count++] = list->entries[i];
    }
    list->count = count;
}

int opening_list_count(const struct opening_list *list) { return list->count; }
int opening_list_line(const struct opening_list *list, int index) { return list->entries[index].line; }
const char *opening_list_sha256(const struct opening_list *list) { return list->sha256; }

void opening_list_get(const struct opening_list *list, int index, struct opening *opening) {
    const struct entry *entry = &list->entries[index];
    struct move_list *legal = memory_new(1, sizeof *legal);
    memset(opening, 0, sizeof *opening);
    opening->start = entry->start;
    opening->plies = entry->plies;
    struct position position = entry->start;
    for (int i = 0; i < entry->plies; i++) {
        list->variant->generate(&position, legal);
        opening->index[i] = entry->index[i];
        opening->moves[i] = legal->moves[entry->index[i]];
        list->variant->play(&position, opening->moves[i]);
    }
    free(legal);
}

struct position opening_list_end(const struct opening_list *list, int index) {
    struct opening opening;
    opening_list_get(list, index, &opening);
    struct position position = opening.start;
    for (int i = 0; i < opening.plies; i++) list->variant->play(&position, opening.moves[i]);
    return position;
}
