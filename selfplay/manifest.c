// manifest.c -- writes and reads the manifest of a run.

#include "selfplay/manifest.h"

#include <errno.h>
#include <fcntl.h>
#include <sha2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "core/support/clock.h"
#include "core/support/file.h"
#include "core/support/memory.h"

enum { MOST_BYTES = 1 << 20 };

static char *manifest_path(const char *folder) { return memory_text("%s/manifest.json", folder); }

// Of the configuration as text with its keys in order, so that layout does not matter.
static void sum_config(const json_t *config, char sha256[static SHA256_DIGEST_STRING_LENGTH]) {
    char *text = json_dumps(config, JSON_COMPACT | JSON_SORT_KEYS);
    SHA256Data((const uint8_t *)text, strlen(text), sha256);
    free(text);
}

static bool manifest_write(const char *folder, const struct manifest *manifest, struct error *error) {
    char *path = manifest_path(folder), *text = json_dumps(manifest->root, JSON_INDENT(2));
    const size_t length = strlen(text);
    text[length] = '\n';  // in place of the zero byte, which is not written
    const bool done = file_replace(path, text, length + 1, error);
    free(text);
    free(path);
    return done;
}

static int lock_folder(const char *folder, int how, struct error *error) {
    const int lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (lock < 0) {
        error_set(error, "%s: %s", folder, strerror(errno));
        return -1;
    }
    if (flock(lock, how | LOCK_NB) == 0) return lock;
    if (errno == EWOULDBLOCK)
        error_set(error, "%s: another process is working on this run", folder);
    else
        error_set(error, "%s: cannot lock: %s", folder, strerror(errno));
    close(lock);
    return -1;
}

int manifest_lock(const char *folder, struct error *error) { return lock_folder(folder, LOCK_EX, error); }
int manifest_lock_shared(const char *folder, struct error *error) {
    return lock_folder(folder, LOCK_SH, error);
}
void manifest_share_lock(int lock) { flock(lock, LOCK_SH | LOCK_NB); }

bool manifest_create(const char *folder, const struct manifest_kind *kind, json_t *config, json_t *checksums,
                     struct manifest *manifest, struct error *error) {
    *manifest = (struct manifest){0};
    sum_config(config, manifest->config_sha256);
    manifest->root =
        json_pack("{s:s, s:i, s:s, s:o, s:s, s:o, s:o, s:[], s:n}", "format", kind->format, "version", 1,
                  "program", kind->program, "config", config, "config_sha256", manifest->config_sha256,
                  "checksums", checksums, "started", json_string(clock_now().text), "resumed", "finished");
    if (manifest_write(folder, manifest, error)) return true;
    manifest_free(manifest);
    return false;
}

static bool check_sum(const char *path, json_t *config, const char *expected, struct error *error) {
    char sha256[SHA256_DIGEST_STRING_LENGTH];
    sum_config(config, sha256);
    return strcmp(sha256, expected) == 0 ||
           error_set(error, "%s: the configuration was changed after the run began (its checksum differs)",
                     path);
}

static bool check(const char *path, const struct manifest_kind *kind, struct manifest *manifest,
                  struct error *error) {
    const char *format, *program, *config_sha256;
    json_t *config, *checksums;
    int version;
    json_error_t cause;
    if (json_unpack_ex(manifest->root, &cause, 0, "{s:s, s:i, s:s, s:o, s:s, s:o}", "format", &format,
                       "version", &version, "program", &program, "config", &config, "config_sha256",
                       &config_sha256, "checksums", &checksums) != 0) {
        return error_set(error, "%s: %s", path, cause.text);
    }
    if (strcmp(format, kind->format) != 0 || version != 1)
        return error_set(error, "%s: not a manifest of the format %s 1", path, kind->format);
    if (strcmp(program, kind->program) != 0)
        return error_set(error, "%s: the run was begun by %s, this is %s", path, program, kind->program);
    if (!check_sum(path, config, config_sha256, error)) return false;
    memcpy(manifest->config_sha256, config_sha256, sizeof manifest->config_sha256);
    return true;
}

bool manifest_read(const char *folder, const struct manifest_kind *kind, struct manifest *manifest,
                   struct error *error) {
    *manifest = (struct manifest){0};
    char *path = manifest_path(folder), *text = NULL;
    size_t size;
    bool done = file_read(path, MOST_BYTES, &text, &size, error);
    if (done) {
        json_error_t cause;
        manifest->root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &cause);
        done = manifest->root != NULL ? check(path, kind, manifest, error)
                                      : error_set(error, "%s:%d: %s", path, cause.line, cause.text);
    }
    free(text);
    free(path);
    if (!done) manifest_free(manifest);
    return done;
}

bool manifest_exists(const char *folder) {
    char *path = manifest_path(folder);
    const bool exists = file_exists(path);
    free(path);
    return exists;
}

json_t *manifest_config(const struct manifest *manifest) { return json_object_get(manifest->root, "config"); }

bool manifest_agrees(const struct manifest *manifest, json_t *checksums) {
    const bool equal = json_equal(json_object_get(manifest->root, "checksums"), checksums);
    json_decref(checksums);
    return equal;
}

bool manifest_note_resumed(const char *folder, struct manifest *manifest, struct error *error) {
    json_t *resumed = json_object_get(manifest->root, "resumed");
    if (!json_is_array(resumed)) json_object_set_new(manifest->root, "resumed", resumed = json_array());
    json_array_append_new(resumed, json_string(clock_now().text));
    json_object_set_new(manifest->root, "finished", json_null());
    return manifest_write(folder, manifest, error);
}

bool manifest_note_finished(const char *folder, struct manifest *manifest, struct error *error) {
    json_object_set_new(manifest->root, "finished", json_string(clock_now().text));
    return manifest_write(folder, manifest, error);
}

void manifest_free(struct manifest *manifest) {
    json_decref(manifest->root);
    *manifest = (struct manifest){0};
}
