// error.c -- error texts: formatted, kept to one line, prefixed on the way up.

#include "core/support/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// Texts quote what a user or a file said, which can hold line breaks or terminal control codes.
static void keep_to_one_line(char *text) {
    for (; *text != '\0'; text++) {
        if ((unsigned char)*text < ' ' || *text == '\x7f') *text = '?';
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
