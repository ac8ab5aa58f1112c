// board_view.c -- draws the board on a terminal: in colours, or as a grid of lines or of ASCII.
#include "search/board_view.h"

#include <langinfo.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core/notation.h"

// A square is two lines high; so many columns are about as wide, in colours and without.
enum { COLOURED_WIDTH = 6, PLAIN_WIDTH = 5, NARROW_WIDTH = 2, NO_SQUARE = 64 };

// ---- what is where ----

// The square at each place of the drawing, from the top left.
struct grid {
    int width;
    square at[MAX_WIDTH][MAX_WIDTH];
};

static void place_of(const struct board_view *view, square s, int *row, int *column) {
    const int width = view->variant->rules->width;
    int file, rank;
    square_on_official_board(view->variant, s, &file, &rank);
    if (view->common) file = board_file(width, s);
    const bool turned = view->below == BLACK;
    *row = turned ? rank : width - 1 - rank;
    *column = turned ? width - 1 - file : file;
}

static struct grid grid_of(const struct board_view *view) {
    struct grid grid = {.width = view->variant->rules->width};
    memset(grid.at, NO_SQUARE, sizeof grid.at);
    for (int number = 1; number <= board_squares(grid.width); number++) {
        const square s = board_square(grid.width, number);
        int row, column;
        place_of(view, s, &row, &column);
        grid.at[row][column] = s;
    }
    return grid;
}

// ---- a drawing ----

struct drawing {
    const struct board_view *view;
    const struct position *position;
    bitboard marked;
    struct grid grid;
    FILE *out;
};

static bool has_letters(const struct drawing *d) { return d->view->variant->rules->names == ALGEBRAIC; }

// The number that a square is marked with; squares of games with letters have theirs at the edges.
static const char *label_of(const struct drawing *d, square s, char text[static SQUARE_TEXT_SIZE]) {
    if (s == NO_SQUARE || has_letters(d)) return "";
    square_to_text(d->view->variant, s, text);
    return text;
}

static bool is_there(bitboard squares, square s) { return s != NO_SQUARE && (squares & square_bit(s)); }

static bool is_empty(const struct drawing *d, square s) {
    return !is_there(d->position->pieces[WHITE] | d->position->pieces[BLACK], s);
}

static bool is_king(const struct drawing *d, square s) { return is_there(d->position->kings, s); }

// Is the piece drawn white?
static bool is_light(const struct drawing *d, square s) {
    const enum side side = is_there(d->position->pieces[WHITE], s) ? WHITE : BLACK;
    return *board_view_side(d->view, side) == 'W';
}

static const char *const signs[2][2][2] = {
    // [utf8][light][king]
    {{"b", "B"}, {"w", "W"}},
    {{"●", "♚"}, {"○", "♔"}},
};

static const char *piece_of(const struct drawing *d, square s) {
    return is_empty(d, s) ? " " : signs[d->view->utf8][is_light(d, s)][is_king(d, s)];
}

// ---- edges ----

// Both names of a square on this line are digits after the same letter, or letters before the same digits.
static void square_in_row(const struct drawing *d, int row, char text[static SQUARE_TEXT_SIZE]) {
    const square first = d->grid.at[row][0];
    square_to_text(d->view->variant, first == NO_SQUARE ? d->grid.at[row][1] : first, text);
}

static void square_in_column(const struct drawing *d, int column, char text[static SQUARE_TEXT_SIZE]) {
    const square first = d->grid.at[0][column];
    square_to_text(d->view->variant, first == NO_SQUARE ? d->grid.at[1][column] : first, text);
}

// Before a line of a row: its rank beside the pieces.
static void draw_margin(const struct drawing *d, int row, bool beside_pieces) {
    char name[SQUARE_TEXT_SIZE];
    if (has_letters(d) && beside_pieces) {
        square_in_row(d, row, name);
        fprintf(d->out, "%3s ", name + 1);
    } else {
        fputs(has_letters(d) ? "    " : "  ", d->out);
    }
}

static void draw_files(const struct drawing *d) {
    char name[SQUARE_TEXT_SIZE];
    if (!has_letters(d)) return;
    const bool plain = d->view->colours == VIEW_PLAIN;
    const int width = plain ? 1 + PLAIN_WIDTH : COLOURED_WIDTH;
    draw_margin(d, 0, false);
    for (int column = 0; column < d->grid.width; column++) {
        square_in_column(d, column, name);
        fprintf(d->out, "%*c", column ? width : width / 2 + plain, *name);
    }
    fputc('\n', d->out);
}

// ---- in colours ----

// What a terminal is sent to change its colours. The first are for those with 8 of them.
struct piece_colours {
    const char *ground, *ink;
};
static const struct palette {
    const char *light, *dark, *marked, *number;
    struct piece_colours black, white;
} palettes[] = {
    [VIEW_8_COLOURS] = {.light = "\033[47m",
                        .dark = "\033[42m",
                        .marked = "\033[43m",
                        .number = "\033[30m",
                        .black = {"\033[40m", "\033[30m"},
                        .white = {"\033[47m", "\033[37m"}},
    [VIEW_256_COLOURS] = {.light = "\033[48;5;187m",
                          .dark = "\033[48;5;65m",
                          .marked = "\033[48;5;137m",
                          .number = "\033[38;5;151m",
                          .black = {"\033[48;5;234m", "\033[38;5;234m"},
                          .white = {"\033[48;5;231m", "\033[38;5;231m"}},
};
#define COLOURS_OFF "\033[0m"

// A piece is a disc of four columns with its number on it, and a king's sign above that.
static void draw_disc(const struct drawing *d, square s, const char *ground, bool upper, const char *label) {
    static const char *const rims[2][2] = {{"▜", "▛"}, {"▟", "▙"}};  // [upper][right]
    const struct palette *palette = &palettes[d->view->colours];
    const bool light = is_light(d, s), utf8 = d->view->utf8;
    const struct piece_colours piece = light ? palette->white : palette->black;
    const char *left = utf8 ? rims[upper][0] : " ", *right = utf8 ? rims[upper][1] : " ";
    const char *edge = utf8 ? ground : piece.ground;
    if (upper) label = !is_king(d, s) ? "  " : utf8 ? "♛♛" : "KK";
    fprintf(d->out, "%s %s%s%s%s%s%2s%s%s%s%s ", ground, edge, piece.ink, left, piece.ground,
            light ? palette->black.ink : palette->white.ink, label, edge, piece.ink, right, ground);
}

static void draw_coloured_cell(const struct drawing *d, square s, bool upper) {
    const struct palette *palette = &palettes[d->view->colours];
    char text[SQUARE_TEXT_SIZE];
    const char *label = upper ? "" : label_of(d, s, text);
    const char *ground = s == NO_SQUARE           ? palette->light
                         : is_there(d->marked, s) ? palette->marked
                                                  : palette->dark;
    if (is_empty(d, s))
        fprintf(d->out, "%s%s%4s  ", ground, palette->number, label);
    else
        draw_disc(d, s, ground, upper, label);
    fputs(COLOURS_OFF, d->out);
}

static void draw_coloured(const struct drawing *d) {
    for (int line = 0; line < 2 * d->grid.width; line++) {
        const int row = line / 2;
        const bool upper = line % 2 == 0;
        draw_margin(d, row, !upper);
        for (int column = 0; column < d->grid.width; column++)
            draw_coloured_cell(d, d->grid.at[row][column], upper);
        fputc('\n', d->out);
    }
    draw_files(d);
}

// ---- as a grid ----

static const char *bar(const struct drawing *d) { return d->view->utf8 ? "│" : "|"; }

// Where lines meet: on top, between, at the bottom; at the left, between, at the right.
static const char *corner(const struct drawing *d, int row, int column) {
    static const char *const corners[3][3] = {{"┌", "┬", "┐"}, {"├", "┼", "┤"}, {"└", "┴", "┘"}};
    if (!d->view->utf8) return "+";
    const int last = d->grid.width;
    return corners[row == 0 ? 0 : row == last ? 2 : 1][column == 0 ? 0 : column == last ? 2 : 1];
}

// The line above a row, with its numbers, or below the last one.
static void draw_rule(const struct drawing *d, int row) {
    draw_margin(d, row, false);
    for (int column = 0; column < d->grid.width; column++) {
        char label[SQUARE_TEXT_SIZE];
        const char *number = row < d->grid.width ? label_of(d, d->grid.at[row][column], label) : "";
        fprintf(d->out, "%s%s", corner(d, row, column), number);
        for (size_t i = strlen(number); i < PLAIN_WIDTH; i++) fputs(d->view->utf8 ? "─" : "-", d->out);
    }
    fprintf(d->out, "%s\n", corner(d, row, d->grid.width));
}

static void draw_cells(const struct drawing *d, int row) {
    draw_margin(d, row, true);
    for (int column = 0; column < d->grid.width; column++) {
        const square s = d->grid.at[row][column];
        const bool marked = is_there(d->marked, s);
        fputs(bar(d), d->out);
        if (s == NO_SQUARE)
            fputs(d->view->utf8 ? "░░░░░" : ":::::", d->out);
        else
            fprintf(d->out, " %c%s%c ", marked ? '[' : ' ', piece_of(d, s), marked ? ']' : ' ');
    }
    fprintf(d->out, "%s\n", bar(d));
}

static void draw_plain(const struct drawing *d) {
    for (int row = 0; row < d->grid.width; row++) {
        draw_rule(d, row);
        draw_cells(d, row);
    }
    draw_rule(d, d->grid.width);
    draw_files(d);
}

// ---- where there is no room for that ----

static void draw_narrow_files(const struct drawing *d) {
    char name[SQUARE_TEXT_SIZE];
    if (!has_letters(d)) return;
    fputs("  ", d->out);
    for (int column = 0; column < d->grid.width; column++) {
        square_in_column(d, column, name);
        fprintf(d->out, " %c", *name);
    }
    fputc('\n', d->out);
}

// A light square is blank, an empty dark one a dot, and a sign stands before pieces of the last move.
static void draw_narrow(const struct drawing *d) {
    for (int row = 0; row < d->grid.width; row++) {
        char name[SQUARE_TEXT_SIZE];
        square_in_row(d, row, name);
        if (has_letters(d)) fprintf(d->out, "%2s", name + 1);
        for (int column = 0; column < d->grid.width; column++) {
            const square s = d->grid.at[row][column];
            const char *piece = s == NO_SQUARE ? " " : is_empty(d, s) ? "." : piece_of(d, s);
            fprintf(d->out, "%c%s", is_there(d->marked, s) ? '>' : ' ', piece);
        }
        fputc('\n', d->out);
    }
    draw_narrow_files(d);
}

static int margin_width(const struct drawing *d, bool narrow) {
    if (narrow) return has_letters(d) ? 2 : 0;
    return has_letters(d) ? 4 : 2;
}

static int full_width(const struct drawing *d) {
    const bool plain = d->view->colours == VIEW_PLAIN;
    return margin_width(d, false) + d->grid.width * (plain ? 1 + PLAIN_WIDTH : COLOURED_WIDTH) + plain;
}

static int narrow_width(const struct drawing *d) {
    return margin_width(d, true) + d->grid.width * NARROW_WIDTH;
}

// ---- the view ----

static enum view_colours colours_for(FILE *out) {
    const char *kind = getenv("TERM"), *without = getenv("NO_COLOR");
    if (!isatty(fileno(out)) || (without && *without)) return VIEW_PLAIN;
    if (!kind || !*kind || !strcmp(kind, "dumb")) return VIEW_PLAIN;
    return getenv("COLORTERM") || strstr(kind, "256color") ? VIEW_256_COLOURS : VIEW_8_COLOURS;
}

struct board_view board_view_for(const struct variant *variant, bool common, FILE *out) {
    return (struct board_view){
        .variant = variant,
        .common = common,
        .below = variant->rules->starts,
        .colours = colours_for(out),
        .utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8"),
    };
}

const char *board_view_side(const struct board_view *view, enum side side) {
    const bool swapped = view->common && view->variant->rules->starts == WHITE;
    return (side == WHITE) != swapped ? "White" : "Black";
}

void board_view_fit(struct board_view *view, FILE *out) {
    struct winsize size;
    const bool known = isatty(fileno(out)) && ioctl(fileno(out), TIOCGWINSZ, &size) == 0;
    view->columns = known ? size.ws_col : 0;
}

void board_view_draw(const struct board_view *view, const struct position *position, bitboard marked,
                     FILE *out) {
    const struct drawing d = {view, position, marked, grid_of(view), out};
    const int columns = view->columns ? view->columns : INT_MAX;
    if (columns < narrow_width(&d))
        fprintf(out, "no room for a board: %d columns, it needs %d\n", columns, narrow_width(&d));
    else if (columns < full_width(&d))
        draw_narrow(&d);
    else if (view->colours == VIEW_PLAIN)
        draw_plain(&d);
    else
        draw_coloured(&d);
}

void board_view_explain(const struct board_view *view, FILE *out) {
    const char *const(*sign)[2] = signs[view->utf8];
    const struct drawing d = {.view = view, .grid = {.width = view->variant->rules->width}};
    if (view->colours == VIEW_PLAIN || (view->columns && view->columns < full_width(&d)))
        fprintf(out, "%s White, %s Black; kings %s, %s.\n", sign[1][0], sign[0][0], sign[1][1], sign[0][1]);
}
