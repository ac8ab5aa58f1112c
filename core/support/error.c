// error.c -- error texts: formatted, kept to one line, prefixed on the way up.

#include "core/support/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// The bytes of the UTF-8 character that a text begins with; 0 where that is none. Unicode 15, table 3-7.
static int utf8_length(const unsigned char *text) {
    if (text[0] < 0x80) return 1;
    const int length = text[0] < 0xc2 ? 0 : text[0] < 0xe0 ? 2 : text[0] < 0xf0 ? 3 : text[0] < 0xf5 ? 4 : 0;
    for (int i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80) return 0;
    }
    const bool beyond = (text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xed && text[1] > 0x9f) ||
                        (text[0] == 0xf0 && text[1] < 0x90) || (text[0] == 0xf4 && text[1] > 0x8f);
    return beyond ? 0 : length;
}

// Texts quote what a user or a file said, which can hold line breaks, terminal control codes and bytes that
// are not UTF-8, which JSON would not take; a text that is cut off can end within a character.
static void keep_to_one_line(char *text) {
    while (*text != '\0') {
        const int length = utf8_length((const unsigned char *)text);
        if (length == 0 || (unsigned char)*text < ' ' || *text == '\x7f') *text = '?';
        text += length > 0 ? length : 1;
    }
}

// Formatted aside and then copied, since the arguments may point into error->text.
bool error_set(struct error *error, const char *format, ...) {
    if (error == NULL) return false;
    struct error new;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(new.text, sizeof new.text, format, arguments);
    va_end(arguments);
    keep_to_one_line(new.text);
    *error = new;
    return false;
}

bool error_prefix(struct error *error, const char *format, ...) {
    if (error == NULL) return false;
    struct error where;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(where.text, sizeof where.text, format, arguments);
    va_end(arguments);
    return error_set(error, "%s: %s", where.text, error->text);
}

struct quote error_quote(const char *text, size_t length) {
    struct quote quote = {{0}};
    const size_t most = sizeof quote.text - 4, kept = length < most ? length : most;
    for (size_t i = 0; i < kept; i++) quote.text[i] = text[i] >= ' ' && text[i] <= '~' ? text[i] : '?';
    if (kept < length) strcpy(quote.text + kept, "...");
    return quote;
}
