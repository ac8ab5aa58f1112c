// config.h -- YAML configuration files read through a libcyaml schema, with --set KEY=VALUE on top.
//
// Errors name file, line and key; unknown keys are errors. A value given by --set goes through the same
// schema and its errors name the option instead of the line. Whole numbers are decimal and fit their field
// (at most 2^63 - 1), truth values are true/false, yes/no or on/off, and a key may be given once.
#ifndef HUFF_CORE_SUPPORT_CONFIG_H
#define HUFF_CORE_SUPPORT_CONFIG_H

#include <cyaml/cyaml.h>
#include <stdbool.h>

#include "core/support/error.h"

// Reads `path` ("-" or NULL: an empty mapping) and applies `sets` ("games=100", "opening.random_plies=4").
// *config points to a new struct as the schema describes it; free it with config_free and the same schema.
bool config_read(const char *path, const char *const *sets, int set_count, const cyaml_schema_value_t *schema,
                 void **config, struct error *) __attribute__((warn_unused_result));
void config_free(const cyaml_schema_value_t *schema, void *config);

// A path that names the section `name` of a file instead of all of it ("FILE#NAME"; freed by the caller): a
// mapping under a key, which the file's own schema leaves alone (CYAML_IGNORE). Keys are then those of the
// section, --set and errors have the section before them ("games" is "--set selfplay.games=100"), and --set
// of other sections do not count. A section that is not there is an empty mapping.
char *config_section(const char *path, const char *name);

// Does the file or a --set have this key? And a --set alone?
bool config_has(const char *path, const char *const *sets, int set_count, const char *key);
bool config_was_set(const char *path, const char *const *sets, int set_count, const char *key);

// For what a schema cannot say: the error of a value that was read ("configs/x.yaml:12: games: ..." or
// "--set games: ..."), from the same path and sets. `key` may name an entry of a list ("engines[1].nodes").
// Return false; config_range only outside least..most.
bool config_refuse(const char *path, const char *const *sets, int set_count, const char *key, struct error *,
                   const char *format, ...) __attribute__((format(printf, 6, 7)));
bool config_range(const char *path, const char *const *sets, int set_count, const char *key, double value,
                  double least, double most, struct error *) __attribute__((warn_unused_result));

#endif
