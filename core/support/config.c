// config.c -- reads YAML through a libcyaml schema, with every value checked and --set on top.
//
// libyaml reads the file into a document tree whose nodes know their lines; the tree is checked against the
// schema; each --set is put into the tree and the tree is checked again, so that an error belongs to the file
// or to that option; then libcyaml loads what libyaml writes of the tree. The check here is not left to
// libcyaml 1.3.1 because that takes "2o0" for 2, "1.5z" for 1.5, "010" for 8 and "flase" for true, and
// reports an unknown key at the line of the key before it.

#include "core/support/config.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <yaml.h>

#include "core/support/file.h"
#include "core/support/memory.h"
#include "core/support/options.h"

enum { MOST_BYTES = 1 << 20, MOST_KEY = 256, MOST_LIST = 768, SECTION_MARK = '#' };

// What a check of the tree needs to know to name the place of an error.
struct check {
    yaml_document_t *document;
    const char *path;     // NULL without a file
    const char *section;  // of the file, that is the tree; NULL: it is the whole file
    const char *option;   // the key of the --set that was just put into the tree, or NULL
    bool complete;        // nothing more will be put in: keys that are missing are errors
    struct error *error;
};

// ---- Errors ----

struct place {
    char text[MOST_KEY + 512];
};

static struct place name_place(const char *path, const char *option, size_t line, const char *key) {
    struct place place;
    if (option != NULL)
        snprintf(place.text, sizeof place.text, "--set %s", option);
    else if (path == NULL)
        snprintf(place.text, sizeof place.text, "%s", key);
    else
        snprintf(place.text, sizeof place.text, "%s:%zu%s%s", path, line, *key != '\0' ? ": " : "", key);
    return place;
}

static struct place place_of(const struct check *check, const yaml_node_t *node, const char *key) {
    return name_place(check->path, check->option, node->start_mark.line + 1, key);
}

static bool refuse(const struct check *check, const yaml_node_t *node, const char *key, const char *format,
                   ...) __attribute__((format(printf, 4, 5)));
static bool refuse(const struct check *check, const yaml_node_t *node, const char *key, const char *format,
                   ...) {
    struct error cause;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(cause.text, sizeof cause.text, format, arguments);
    va_end(arguments);
    return error_set(check->error, "%s: %s", place_of(check, node, key).text, cause.text);
}

// "a, b, c", cut at the size of the list.
struct list {
    char text[MOST_LIST];
    size_t length;
};

static void add_word(struct list *list, const char *word) {
    const int more = snprintf(list->text + list->length, MOST_LIST - list->length, "%s%s",
                              list->length > 0 ? ", " : "", word);
    list->length += (size_t)more;
    if (list->length >= MOST_LIST) list->length = MOST_LIST - 1;
}

// ---- The tree against the schema ----

static const char *text_of(const yaml_node_t *node) { return (const char *)node->data.scalar.value; }

static const char *kind_of(const yaml_node_t *node) {
    return node->type == YAML_MAPPING_NODE    ? "a mapping"
           : node->type == YAML_SEQUENCE_NODE ? "a list"
                                              : "a value";
}

static bool check_node(const struct check *, const yaml_node_t *, const char *key,
                       const cyaml_schema_value_t *);

static bool is_word(const char *text, const char *const *words) {
    for (; *words != NULL; words++) {
        if (strcasecmp(text, *words) == 0) return true;
    }
    return false;
}

static bool is_null(const char *text, const cyaml_schema_value_t *schema) {
    const unsigned flags = schema->flags;
    if ((flags & CYAML_FLAG_POINTER_NULL_STR) == CYAML_FLAG_POINTER_NULL_STR &&
        is_word(text, (const char *const[]){"null", "~", NULL})) {
        return true;
    }
    return (flags & CYAML_FLAG_POINTER_NULL) == CYAML_FLAG_POINTER_NULL && *text == '\0';
}

static bool check_integer(const struct check *check, const yaml_node_t *node, const char *key,
                          const cyaml_schema_value_t *schema) {
    const int bits = 8 * (int)schema->data_size - (schema->type == CYAML_INT ? 1 : 0);
    const int64_t most = bits >= 63 ? INT64_MAX : ((int64_t)1 << bits) - 1;
    const int64_t least = schema->type == CYAML_INT ? -most - 1 : 0;
    const char *digits = text_of(node) + strspn(text_of(node), "+-");
    // libcyaml would take such a number for an octal one.
    if (digits[0] == '0' && digits[1] != '\0') {
        return refuse(check, node, key, "expected a decimal number without leading zeros, got \"%.80s\"",
                      text_of(node));
    }
    if (*digits == '\0' || digits[strspn(digits, "0123456789")] != '\0')
        return refuse(check, node, key, "expected a whole number, got \"%.80s\"", text_of(node));
    int64_t value;
    // The range of the largest type is nobody's: programs that have one check it after this.
    if (bits >= 63 && !options_number("", text_of(node), least, most, &value, NULL))
        return refuse(check, node, key, "out of range: \"%.80s\"", text_of(node));
    return options_number(place_of(check, node, key).text, text_of(node), least, most, &value, check->error);
}

static bool check_real(const struct check *check, const yaml_node_t *node, const char *key,
                       const cyaml_schema_value_t *schema) {
    const double most = schema->data_size == sizeof(float) ? 3.4e38 : 1.7e308;
    double value;
    return options_real(place_of(check, node, key).text, text_of(node), -most, most, &value, NULL) ||
           refuse(check, node, key, "expected a number, got \"%.80s\"", text_of(node));
}

static bool check_truth(const struct check *check, const yaml_node_t *node, const char *key) {
    return is_word(text_of(node), (const char *const[]){"true", "false", "yes", "no", "on", "off", NULL}) ||
           refuse(check, node, key, "expected true or false, got \"%.80s\"", text_of(node));
}

static bool check_choice(const struct check *check, const yaml_node_t *node, const char *key,
                         const cyaml_schema_value_t *schema) {
    struct list list = {.length = 0};
    for (uint32_t i = 0; i < schema->enumeration.count; i++) {
        if (strcmp(text_of(node), schema->enumeration.strings[i].str) == 0) return true;
        add_word(&list, schema->enumeration.strings[i].str);
    }
    return refuse(check, node, key, "expected one of %s, got \"%.80s\"", list.text, text_of(node));
}

static bool check_text(const struct check *check, const yaml_node_t *node, const char *key,
                       const cyaml_schema_value_t *schema) {
    const size_t length = node->data.scalar.length;
    if (memchr(text_of(node), '\0', length) != NULL) return refuse(check, node, key, "has a zero byte");
    if (length >= schema->string.min && length <= schema->string.max) return true;
    return refuse(check, node, key, "expected %u..%u characters, got %zu", schema->string.min,
                  schema->string.max, length);
}

static bool check_scalar(const struct check *check, const yaml_node_t *node, const char *key,
                         const cyaml_schema_value_t *schema) {
    if (node->type != YAML_SCALAR_NODE)
        return refuse(check, node, key, "expected a value, got %s", kind_of(node));
    if (is_null(text_of(node), schema)) return true;
    switch (schema->type) {
    case CYAML_INT:
    case CYAML_UINT: return check_integer(check, node, key, schema);
    case CYAML_FLOAT: return check_real(check, node, key, schema);
    case CYAML_BOOL: return check_truth(check, node, key);
    case CYAML_ENUM: return check_choice(check, node, key, schema);
    default: return check_text(check, node, key, schema);
    }
}

static const cyaml_schema_field_t *find_field(const cyaml_schema_value_t *schema, const char *name) {
    for (const cyaml_schema_field_t *field = schema->mapping.fields; field->key != NULL; field++) {
        if (strcmp(field->key, name) == 0) return field;
    }
    return NULL;
}

// The pair of `name` in a mapping, or NULL.
static yaml_node_pair_t *find_pair(yaml_document_t *document, const yaml_node_t *mapping, const char *name) {
    for (yaml_node_pair_t *pair = mapping->data.mapping.pairs.start; pair < mapping->data.mapping.pairs.top;
         pair++) {
        const yaml_node_t *node = yaml_document_get_node(document, pair->key);
        if (node->type == YAML_SCALAR_NODE && strcmp(text_of(node), name) == 0) return pair;
    }
    return NULL;
}

static bool refuse_unknown(const struct check *check, const yaml_node_t *node, const char *key,
                           const cyaml_schema_value_t *schema) {
    struct list list = {.length = 0};
    for (const cyaml_schema_field_t *field = schema->mapping.fields; field->key != NULL; field++) {
        add_word(&list, field->key);
    }
    return refuse(check, node, key, "unknown key, expected one of %s", list.text);
}

static void join_key(char joined[MOST_KEY], const char *outer, const char *inner) {
    snprintf(joined, MOST_KEY, "%.127s%s%.127s", outer, *outer != '\0' ? "." : "", inner);
}

static bool check_pair(const struct check *check, const yaml_node_t *mapping, const yaml_node_pair_t *pair,
                       const char *outer, const cyaml_schema_value_t *schema) {
    const yaml_node_t *name = yaml_document_get_node(check->document, pair->key);
    const yaml_node_t *value = yaml_document_get_node(check->document, pair->value);
    if (name->type != YAML_SCALAR_NODE) return refuse(check, name, outer, "a key is %s", kind_of(name));
    char key[MOST_KEY];
    join_key(key, outer, text_of(name));
    const cyaml_schema_field_t *field = find_field(schema, text_of(name));
    if (field == NULL) return refuse_unknown(check, name, key, schema);
    if (find_pair(check->document, mapping, text_of(name)) != pair)
        return refuse(check, name, key, "given twice");
    return check_node(check, value, key, &field->value);
}

static bool check_mapping(const struct check *check, const yaml_node_t *node, const char *outer,
                          const cyaml_schema_value_t *schema) {
    for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start; pair < node->data.mapping.pairs.top;
         pair++) {
        if (!check_pair(check, node, pair, outer, schema)) return false;
    }
    for (const cyaml_schema_field_t *field = schema->mapping.fields; check->complete && field->key != NULL;
         field++) {
        if ((field->value.flags & CYAML_FLAG_OPTIONAL) || find_pair(check->document, node, field->key))
            continue;
        char key[MOST_KEY];
        join_key(key, outer, field->key);
        return refuse(check, node, key, "missing");
    }
    return true;
}

static bool check_sequence(const struct check *check, const yaml_node_t *node, const char *outer,
                           const cyaml_schema_value_t *schema) {
    const yaml_node_item_t *start = node->data.sequence.items.start;
    const size_t count = (size_t)(node->data.sequence.items.top - start);
    if (count < schema->sequence.min || count > schema->sequence.max) {
        return refuse(check, node, outer, "expected %u..%u entries, got %zu", schema->sequence.min,
                      schema->sequence.max, count);
    }
    for (size_t i = 0; i < count; i++) {
        char key[MOST_KEY];
        snprintf(key, sizeof key, "%.127s[%zu]", outer, i);
        if (!check_node(check, yaml_document_get_node(check->document, start[i]), key,
                        schema->sequence.entry)) {
            return false;
        }
    }
    return true;
}

// Flags and bit fields are not used by any config here: libcyaml checks those by itself.
static bool check_node(const struct check *check, const yaml_node_t *node, const char *key,
                       const cyaml_schema_value_t *schema) {
    switch (schema->type) {
    case CYAML_MAPPING:
        if (node->type == YAML_MAPPING_NODE) return check_mapping(check, node, key, schema);
        return refuse(check, node, key, "expected a mapping of keys to values, got %s", kind_of(node));
    case CYAML_SEQUENCE:
    case CYAML_SEQUENCE_FIXED:
        if (node->type == YAML_SEQUENCE_NODE) return check_sequence(check, node, key, schema);
        return refuse(check, node, key, "expected a list, got %s", kind_of(node));
    case CYAML_INT:
    case CYAML_UINT:
    case CYAML_FLOAT:
    case CYAML_BOOL:
    case CYAML_ENUM:
    case CYAML_STRING: return check_scalar(check, node, key, schema);
    default: return true;
    }
}

// A key with nothing behind it, where keys may stand, is one with none of them ("opening:" and only
// comments).
static void fill_empty(yaml_document_t *document, const cyaml_schema_value_t *schema) {
    const yaml_node_t *root = yaml_document_get_root_node(document);
    if (schema->type != CYAML_MAPPING || root->type != YAML_MAPPING_NODE) return;
    yaml_node_pair_t *pair = root->data.mapping.pairs.start, *top = root->data.mapping.pairs.top;
    for (; pair < top; pair++) {
        const yaml_node_t *name = yaml_document_get_node(document, pair->key);
        const yaml_node_t *value = yaml_document_get_node(document, pair->value);
        const cyaml_schema_field_t *field =
            name->type == YAML_SCALAR_NODE ? find_field(schema, text_of(name)) : NULL;
        if (field == NULL || field->value.type != CYAML_MAPPING || value->type != YAML_SCALAR_NODE ||
            value->data.scalar.style != YAML_PLAIN_SCALAR_STYLE || *text_of(value) != '\0')
            continue;
        const yaml_mark_t start = value->start_mark;
        pair->value = yaml_document_add_mapping(document, NULL, YAML_ANY_MAPPING_STYLE);
        yaml_document_get_node(document, pair->value)->start_mark = start;
    }
}

static bool check_tree(const struct check *check, const cyaml_schema_value_t *schema) {
    return check_node(check, yaml_document_get_root_node(check->document),
                      check->section != NULL ? check->section : "", schema);
}

// ---- Text to tree and back ----

// The line where a second document starts, 0 when there is none.
static size_t line_of_second(yaml_parser_t *parser) {
    yaml_document_t second;
    if (!yaml_parser_load(parser, &second)) return parser->problem_mark.line + 1;
    const bool found = yaml_document_get_root_node(&second) != NULL;
    const size_t line = second.start_mark.line + 1;
    yaml_document_delete(&second);
    return found ? line : 0;
}

// libyaml takes a time that grows with the square of the depth, and configurations are flat.
enum { DEEPEST_NESTING = 32 };

// Reads events until one is nested too deep; 0, or the line where it is. Bad YAML is left to the parser to
// name.
static size_t line_of_too_deep(const char *text, size_t size) {
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser)) return 0;
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, size);
    int depth = 0;
    size_t line = 0;
    for (bool over = false; !over && line == 0;) {
        yaml_event_t event;
        if (!yaml_parser_parse(&parser, &event)) break;
        over = event.type == YAML_STREAM_END_EVENT;
        depth += event.type == YAML_SEQUENCE_START_EVENT || event.type == YAML_MAPPING_START_EVENT;
        depth -= event.type == YAML_SEQUENCE_END_EVENT || event.type == YAML_MAPPING_END_EVENT;
        if (depth > DEEPEST_NESTING) line = event.start_mark.line + 1;
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    return line;
}

// The reader, who finds bytes that are no text, knows how many went before them.
static size_t line_of_problem(const yaml_parser_t *parser, const char *text) {
    if (parser->error != YAML_READER_ERROR) return parser->problem_mark.line + 1;
    size_t line = 1;
    for (size_t i = 0; i < parser->problem_offset; i++) line += text[i] == '\n';
    return line;
}

static bool parse(const char *path, const char *text, size_t size, yaml_document_t *document,
                  struct error *error) {
    const size_t too_deep = line_of_too_deep(text, size);
    if (too_deep != 0)
        return error_set(error, "%s:%zu: nested more than %d deep", path, too_deep, DEEPEST_NESTING);
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser)) return error_set(error, "%s: libyaml does not start", path);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, size);
    bool done = yaml_parser_load(&parser, document);
    const bool empty = !done || yaml_document_get_root_node(document) == NULL;
    const size_t second = empty ? 0 : line_of_second(&parser);
    if (!done) {
        error_set(error, "%s:%zu: %s", path, line_of_problem(&parser, text),
                  parser.problem != NULL ? parser.problem : "not YAML");
    } else if (second != 0) {
        yaml_document_delete(document);
        done = error_set(error, "%s:%zu: expected one document", path, second);
    }
    yaml_parser_delete(&parser);
    return done;
}

// The tree of a file; a file with nothing in it, or none, is an empty mapping.
static bool read_tree(const char *path, yaml_document_t *document, struct error *error) {
    char *text = NULL;
    size_t size = 0;
    if (path != NULL && !file_read(path, MOST_BYTES, &text, &size, error)) return false;
    bool done = parse(path, text != NULL ? text : "", size, document, error);
    free(text);
    if (done && yaml_document_get_root_node(document) == NULL) {
        yaml_document_delete(document);
        done = parse(path, "{}", 2, document, error);
    }
    return done;
}

struct bytes {
    char *data;
    size_t size, room;
};

static int append(void *into, unsigned char *data, size_t size) {
    struct bytes *bytes = into;
    if (bytes->size + size > bytes->room) {
        bytes->room = 2 * (bytes->size + size);
        bytes->data = memory_grow(bytes->data, bytes->room, 1);
    }
    memcpy(bytes->data + bytes->size, data, size);
    bytes->size += size;
    return 1;
}

// Writes the tree as text, and deletes it.
static struct bytes write_tree(yaml_document_t *document) {
    struct bytes bytes = {.data = NULL};
    yaml_emitter_t emitter;
    yaml_emitter_initialize(&emitter);
    yaml_emitter_set_output(&emitter, append, &bytes);
    yaml_emitter_dump(&emitter, document);
    yaml_emitter_close(&emitter);
    yaml_emitter_delete(&emitter);
    return bytes;
}

// ---- --set ----

static int new_scalar(yaml_document_t *document, const char *text, size_t length, yaml_scalar_style_t style) {
    return yaml_document_add_scalar(document, NULL, (const yaml_char_t *)text, (int)length, style);
}

// Makes `name` in the mapping number `mapping` refer to node number `value`.
static void put(yaml_document_t *document, int mapping, const char *name, int value) {
    yaml_node_pair_t *pair = find_pair(document, yaml_document_get_node(document, mapping), name);
    if (pair != NULL) {
        pair->value = value;
        return;
    }
    const int key = new_scalar(document, name, strlen(name), YAML_ANY_SCALAR_STYLE);
    yaml_document_append_mapping_pair(document, mapping, key, value);
}

// The mapping under `name`; made when there is none, in place of a value too: the check then says what is
// wrong.
static int step_into(yaml_document_t *document, int mapping, const char *name) {
    const yaml_node_pair_t *pair = find_pair(document, yaml_document_get_node(document, mapping), name);
    if (pair != NULL && yaml_document_get_node(document, pair->value)->type == YAML_MAPPING_NODE)
        return pair->value;
    const int inner = yaml_document_add_mapping(document, NULL, YAML_ANY_MAPPING_STYLE);
    put(document, mapping, name, inner);
    return inner;
}

// Puts "outer.inner=value" into a tree whose root (number 1) is a mapping.
static void put_set(yaml_document_t *document, char *key, const char *value) {
    int mapping = 1;
    char *name = key;
    for (char *dot = strchr(name, '.'); dot != NULL; dot = strchr(name, '.')) {
        *dot = '\0';
        mapping = step_into(document, mapping, name);
        name = dot + 1;
    }
    put(document, mapping, name, new_scalar(document, value, strlen(value), YAML_DOUBLE_QUOTED_SCALAR_STYLE));
}

// `set` is the part of `whole` behind the section that the tree is.
static bool apply_set(struct check *check, const char *whole, const char *set,
                      const cyaml_schema_value_t *schema) {
    const char *equals = strchr(set, '=');
    if (equals == NULL || equals == set) {
        return error_set(check->error, "--set: expected KEY=VALUE, got \"%.80s\"", whole);
    }
    // The document takes no other text; a node that nothing refers to does no harm.
    if (new_scalar(check->document, set, strlen(set), YAML_ANY_SCALAR_STYLE) == 0)
        return error_set(check->error, "--set: expected text in UTF-8, got \"%s\"",
                         error_quote(set, strlen(set)).text);
    char *key = memory_text("%.*s", (int)(equals - whole), whole);
    char *parts = memory_text("%.*s", (int)(equals - set), set);
    put_set(check->document, parts, equals + 1);
    check->option = key;
    const bool good = check_tree(check, schema);
    check->option = NULL;
    free(parts);
    free(key);
    return good;
}

// ---- libcyaml ----

// libcyaml reports the cause first and then where it was, in lines of a text that the user has not seen.
static void keep_first_message(cyaml_log_t level, void *context, const char *format, va_list arguments) {
    struct error *first = context;
    if (level != CYAML_LOG_ERROR || first->text[0] != '\0') return;
    vsnprintf(first->text, sizeof first->text, format, arguments);
    first->text[strcspn(first->text, "\n")] = '\0';
}

static cyaml_config_t cyaml_settings(struct error *messages) {
    return (cyaml_config_t){.log_fn = messages != NULL ? keep_first_message : NULL,
                            .log_ctx = messages,
                            .log_level = CYAML_LOG_ERROR,
                            .mem_fn = cyaml_mem};
}

static bool load(const char *path, const struct bytes *text, const cyaml_schema_value_t *schema,
                 void **config, struct error *error) {
    struct error message = {.text = ""};
    const cyaml_config_t settings = cyaml_settings(&message);
    *config = NULL;
    const cyaml_err_t code =
        cyaml_load_data((const uint8_t *)text->data, text->size, &settings, schema, config, NULL);
    if (code == CYAML_OK) return true;
    return error_set(error, "%s: %s", path != NULL ? path : "--set",
                     message.text[0] != '\0' ? message.text : cyaml_strerror(code));
}

void config_free(const cyaml_schema_value_t *schema, void *config) {
    const cyaml_config_t settings = cyaml_settings(NULL);
    cyaml_free(&settings, schema, config, 0);
}

// ---- Sections ----

// What a path names: a file and a section of it, either of which may be NULL.
struct source {
    char *whole, *path, *section;
};

static struct source source_of(const char *path) {
    struct source source = {NULL, NULL, NULL};
    if (path == NULL) return source;
    source.path = source.whole = memory_text("%s", path);
    char *mark = strrchr(source.path, SECTION_MARK);
    if (mark != NULL && !file_exists(path)) {
        *mark = '\0';
        source.section = mark + 1;
    }
    if (strcmp(source.path, "-") == 0) source.path = NULL;
    return source;
}

static void source_free(const struct source *source) { free(source->whole); }

// "KEY" or "SECTION.KEY", freed by the caller.
static char *whole_key(const struct source *source, const char *key) {
    return source->section != NULL ? memory_text("%s.%s", source->section, key) : memory_text("%s", key);
}

// What is behind "SECTION." in a --set; NULL for those of other sections.
static const char *set_within(const struct source *source, const char *set) {
    if (source->section == NULL) return set;
    const size_t length = strlen(source->section);
    return strncmp(set, source->section, length) == 0 && set[length] == '.' ? set + length + 1 : NULL;
}

// Makes a section the tree: an empty mapping when it is not there.
static void take_section(yaml_document_t *document, const char *section) {
    if (section == NULL) return;
    yaml_node_t *root = yaml_document_get_root_node(document);
    const yaml_node_pair_t *pair =
        root->type == YAML_MAPPING_NODE ? find_pair(document, root, section) : NULL;
    int found = pair != NULL ? pair->value : 0;
    const yaml_mark_t start = root->start_mark;
    const bool empty = found == 0 || (yaml_document_get_node(document, found)->type == YAML_SCALAR_NODE &&
                                      *text_of(yaml_document_get_node(document, found)) == '\0');
    if (empty) found = yaml_document_add_mapping(document, NULL, YAML_ANY_MAPPING_STYLE);
    // The root is node 1, and what is not reached from it does no harm.
    root = yaml_document_get_root_node(document);
    yaml_node_t *node = yaml_document_get_node(document, found);
    const yaml_node_t old = *root;
    *root = *node;
    *node = old;
    if (empty) root->start_mark = start;
}

char *config_section(const char *path, const char *name) {
    return memory_text("%s%c%s", path != NULL ? path : "-", SECTION_MARK, name);
}

// ---- The whole ----

static bool apply_sets(struct check *check, const struct source *source, const char *const *sets, int count,
                       const cyaml_schema_value_t *schema) {
    for (int i = 0; i < count; i++) {
        const char *set = set_within(source, sets[i]);
        if (set != NULL && !apply_set(check, sets[i], set, schema)) return false;
    }
    return true;
}

static bool read_source(const struct source *source, const char *const *sets, int set_count,
                        const cyaml_schema_value_t *schema, void **config, struct error *error) {
    yaml_document_t document;
    if (!read_tree(source->path, &document, error)) return false;
    take_section(&document, source->section);
    fill_empty(&document, schema);

    struct check check = {
        .document = &document, .path = source->path, .section = source->section, .error = error};
    bool good = check_tree(&check, schema) && apply_sets(&check, source, sets, set_count, schema);
    check.complete = true;
    good = good && check_tree(&check, schema);
    if (!good) {
        yaml_document_delete(&document);
        return false;
    }
    struct bytes text = write_tree(&document);
    good = load(source->path, &text, schema, config, error);
    free(text.data);
    return good;
}

bool config_read(const char *path, const char *const *sets, int set_count, const cyaml_schema_value_t *schema,
                 void **config, struct error *error) {
    const struct source source = source_of(path);
    const bool done = read_source(&source, sets, set_count, schema, config, error);
    source_free(&source);
    return done;
}

// The entry of a list that "[2]" names, or NULL.
static const yaml_node_t *find_entry(yaml_document_t *document, const yaml_node_t *list, const char *index) {
    if (list->type != YAML_SEQUENCE_NODE) return NULL;
    const yaml_node_item_t *start = list->data.sequence.items.start;
    const unsigned long number = strtoul(index + 1, NULL, 10);
    return number < (unsigned long)(list->data.sequence.items.top - start)
               ? yaml_document_get_node(document, start[number])
               : NULL;
}

// The line of the value of "outer.inner" or "list[2].inner", or of as much of it as is there; 0 when the file
// cannot be read. `whole`: of nothing less.
static size_t line_of(const char *path, const char *key, bool whole) {
    yaml_document_t document;
    if (path == NULL || !read_tree(path, &document, NULL)) return 0;
    const yaml_node_t *node = yaml_document_get_root_node(&document), *entry;
    char *parts = memory_text("%s", key), *rest = parts;
    bool found = true;
    for (char *name = strsep(&rest, "."); name != NULL && (found = node->type == YAML_MAPPING_NODE);
         name = strsep(&rest, ".")) {
        char *index = strchr(name, '[');
        if (index != NULL) *index = '\0';
        const yaml_node_pair_t *pair = find_pair(&document, node, name);
        if (!(found = pair != NULL)) break;
        node = yaml_document_get_node(&document, pair->value);
        if (index != NULL && (entry = find_entry(&document, node, index)) != NULL) node = entry;
    }
    const size_t line = found || !whole ? node->start_mark.line + 1 : 0;
    free(parts);
    yaml_document_delete(&document);
    return line;
}

static bool was_set(const char *const *sets, int set_count, const char *key) {
    const size_t length = strlen(key);
    for (int i = 0; i < set_count; i++) {
        if (strncmp(sets[i], key, length) == 0 && sets[i][length] == '=') return true;
    }
    return false;
}

bool config_was_set(const char *path, const char *const *sets, int set_count, const char *key) {
    const struct source source = source_of(path);
    char *whole = whole_key(&source, key);
    const bool found = was_set(sets, set_count, whole);
    free(whole);
    source_free(&source);
    return found;
}

bool config_has(const char *path, const char *const *sets, int set_count, const char *key) {
    const struct source source = source_of(path);
    char *whole = whole_key(&source, key);
    const bool found = was_set(sets, set_count, whole) || line_of(source.path, whole, true) != 0;
    free(whole);
    source_free(&source);
    return found;
}

bool config_refuse(const char *path, const char *const *sets, int set_count, const char *key,
                   struct error *error, const char *format, ...) {
    struct error cause;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(cause.text, sizeof cause.text, format, arguments);
    va_end(arguments);
    const struct source source = source_of(path);
    char *whole = whole_key(&source, key);
    const char *option = was_set(sets, set_count, whole) ? whole : NULL;
    const size_t line = option != NULL ? 0 : line_of(source.path, whole, false);
    error_set(error, "%s: %s", name_place(source.path, option, line, whole).text, cause.text);
    free(whole);
    source_free(&source);
    return false;
}

bool config_range(const char *path, const char *const *sets, int set_count, const char *key, double value,
                  double least, double most, struct error *error) {
    return (value >= least && value <= most) ||
           config_refuse(path, sets, set_count, key, error, "expected %.15g..%.15g, got \"%.15g\"", least,
                         most, value);
}
