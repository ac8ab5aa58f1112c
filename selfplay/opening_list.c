// opening_list.c -- reads lists of openings, makes complete ones, and checks every one by the rules.

#include "selfplay/opening_list.h"

#include <sha2.h>
#include <stdlib.h>
#include <string.h>

#include "core/notation.h"
#include "core/pdn.h"
#include "core/support/file.h"
#include "core/support/memory.h"

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

static bool read_fens(struct opening_list *list, const char *path, char *text, struct error *error) {
    int line = 1;
    for (char *fen = strsep(&text, "\n"); fen != NULL; fen = strsep(&text, "\n"), line++) {
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
    bool done =
        is_pdn(path, text) ? read_pdn(list, path, text, size, error) : read_fens(list, path, text, error);
    if (done && list->count == 0) done = error_set(error, "%s: no opening in it", path);
    free(text);
    if (done) return list;
    opening_list_free(list);
    return NULL;
}

// ---- all of them

struct leaf {
    uint64_t key;
    struct position position;
    int entry;
};

struct leaves {
    int count, room;
    struct leaf *leaf;
};

static bool add_leaf(struct opening_list *list, const struct game *game, const struct entry *entry,
                     struct leaves *leaves, struct error *error) {
    if (!add_entry(list, entry, error)) return false;
    if (leaves->count == leaves->room) {
        leaves->room = list->room;
        leaves->leaf = memory_grow(leaves->leaf, (size_t)leaves->room, sizeof *leaves->leaf);
    }
    leaves->leaf[leaves->count] = (struct leaf){
        .key = position_key(game_position(game)), .position = *game_position(game), .entry = leaves->count};
    leaves->count++;
    return true;
}

static bool descend(struct opening_list *list, struct game *game, struct entry *entry, int plies,
                    struct leaves *leaves, struct error *error) {
    int result;
    if (game_over(game, &result) != GAME_GOES_ON) return true;
    if (entry->plies == plies) return add_leaf(list, game, entry, leaves, error);
    struct move_list *legal = memory_new(1, sizeof *legal);
    list->variant->generate(game_position(game), legal);
    bool done = true;
    for (int i = 0; done && i < legal->count && i <= MOST_INDEX; i++) {
        entry->index[entry->plies++] = (uint8_t)i;
        game_play(game, legal->moves[i]);
        done = descend(list, game, entry, plies, leaves, error);
        game_undo(game);
        entry->plies--;
    }
    free(legal);
    return done;
}

static int compare_leaves(const void *a, const void *b) {
    const struct leaf *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return x->entry < y->entry ? -1 : x->entry > y->entry;
}

// Of openings that lead to one position the first stays.
static void remove_twins(struct opening_list *list, struct leaves *leaves) {
    qsort(leaves->leaf, (size_t)leaves->count, sizeof *leaves->leaf, compare_leaves);
    for (int i = 1, first = 0; i < leaves->count; i++) {
        if (position_equal(&leaves->leaf[first].position, &leaves->leaf[i].position))
            list->entries[leaves->leaf[i].entry].line = -1;
        else
            first = i;
    }
    int kept = 0;
    for (int i = 0; i < list->count; i++) {
        if (list->entries[i].line < 0) continue;
        list->entries[kept] = list->entries[i];
        kept++;
        list->entries[kept - 1].line = kept;
    }
    list->count = kept;
}

struct opening_list *opening_list_all(int plies, const struct variant *variant,
                                      const struct draw_rules *draws, struct error *error) {
    struct opening_list *list = new_list(variant, draws);
    struct entry entry = {.start = variant_initial(variant)};
    struct game game;
    struct leaves leaves = {0};
    game_init(&game, variant, draws, &entry.start);
    const bool done = descend(list, &game, &entry, plies, &leaves, error);
    game_free(&game);
    if (done) remove_twins(list, &leaves);
    free(leaves.leaf);
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
