// dataset.c -- reads game datasets in HDF5.

#include "selfplay/dataset.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/support/file.h"
#include "core/support/memory.h"
#include "selfplay/dataset_hdf5.h"
#include "selfplay/run_facts.h"
#include "selfplay/shards.h"

enum {
    CHILD_SECONDS = 60,  // of processor time; whole files take far less
    CHILD_REFUSES = 3,
    MOST_CHUNK_ROWS = 1 << 24,
};
// Bytes that the child may take; of hundreds of shards it opens one at a time.
#define CHILD_MEMORY (UINT64_C(1) << 30)

// ---- attributes ----

// A scalar attribute of a class of types, opened; negative and an error when it is not there or another
// thing.
static hid_t open_attribute(hid_t object, const char *name, H5T_class_t class, struct error *error) {
    if (H5Aexists(object, name) <= 0) {
        error_set(error, "attribute %s is missing", name);
        return -1;
    }
    const hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    const hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
    const bool right = H5Tget_class(type) == class && H5Sget_simple_extent_npoints(space) == 1 &&
                       (class != H5T_STRING || H5Tis_variable_str(type) > 0);
    hdf5_release(type);
    hdf5_release(space);
    if (right) return attribute;
    hdf5_release(attribute);
    error_set(error, "attribute %s: expected one %s", name, class == H5T_STRING ? "text" : "number");
    return -1;
}

// Freed by the caller; NULL on failure.
static char *read_text(hid_t object, const char *name, struct error *error) {
    const hid_t attribute = open_attribute(object, name, H5T_STRING, error);
    if (attribute < 0) return NULL;
    const hid_t type = hdf5_text_type();
    char *value = NULL, *text = NULL;
    if (H5Aread(attribute, type, &value) < 0 || value == NULL)
        hdf5_fail(error, "cannot read attribute %s", name);
    else
        text = memory_text("%s", value);
    if (value != NULL) H5free_memory(value);
    hdf5_release(type);
    hdf5_release(attribute);
    return text;
}

// An attribute that need not be there: then *text stays as it is.
static bool read_optional(hid_t object, const char *name, const char **text, struct error *error) {
    return H5Aexists(object, name) <= 0 || (*text = read_text(object, name, error)) != NULL;
}

static bool read_number(hid_t object, const char *name, uint64_t *value, struct error *error) {
    const hid_t attribute = open_attribute(object, name, H5T_INTEGER, error);
    if (attribute < 0) return false;
    bool done = H5Aread(attribute, H5T_NATIVE_UINT64, value) >= 0;
    if (!done) done = hdf5_fail(error, "cannot read attribute %s", name);
    hdf5_release(attribute);
    return done;
}

// ---- reading ----

struct dataset {
    struct dataset_file *files;
    int count;
    int open_index;  // of the file that is open now, -1 = none
    hid_t open_file;
};

static hid_t open_file(const char *path, struct error *error) {
    // Names a cause that HDF5 would bury, and does not wait for what is no file.
    struct stat status;
    if (stat(path, &status) != 0 || (S_ISREG(status.st_mode) && access(path, R_OK) != 0)) {
        error_set(error, "%s: %s", path, strerror(errno));
        return -1;
    }
    if (!S_ISREG(status.st_mode) || H5Fis_hdf5(path) <= 0) {
        error_set(error, "%s: not an HDF5 file", path);
        return -1;
    }
    // Opened as HDF5 has it by default: a source of views that is open in another way is taken for missing.
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
#if H5_VERSION_GE(1, 10, 7)
    if (file < 0) {  // some file systems have no locks
        const hid_t unlocked = H5Pcreate(H5P_FILE_ACCESS);
        H5Pset_file_locking(unlocked, false, true);
        file = H5Fopen(path, H5F_ACC_RDONLY, unlocked);
        if (file < 0) hdf5_fail(error, "%s: damaged or truncated", path);
        hdf5_release(unlocked);
    }
#else
    if (file < 0) hdf5_fail(error, "%s: damaged or truncated", path);
#endif
    return file;
}

static bool check_format(hid_t file, struct error *error) {
    char *format = read_text(file, "format", error);
    if (format == NULL) return false;
    const bool right = strcmp(format, DATASET_FORMAT) == 0;
    if (!right) error_set(error, "format is \"%s\", expected \"" DATASET_FORMAT "\"", format);
    free(format);
    uint64_t version = 0, complete = 0;
    if (!right || !read_number(file, "format_version", &version, error)) return false;
    if (version != DATASET_VERSION) {
        return error_set(error, "format version %llu, this program reads version %d",
                         (unsigned long long)version, DATASET_VERSION);
    }
    if (!read_number(file, "complete", &complete, error)) return false;
    return complete == 1 || error_set(error, "the file was not completed");
}

static bool read_variant(hid_t file, const struct variant **variant, struct error *error) {
    char *name = read_text(file, "variant", error);
    *variant = name != NULL ? variant_find(name, error) : NULL;
    free(name);
    return *variant != NULL;
}

static bool is_there(hid_t file, hid_t meta, const char *name) {
    return strncmp(name, "meta/", 5) == 0 ? H5Aexists(meta, name + 5) > 0
                                          : H5Lexists(file, name, H5P_DEFAULT) > 0;
}

// Files of before there was a list of contents may lack what is newer.
static bool check_contents(hid_t file, hid_t meta, struct error *error) {
    const char *contents = NULL;
    if (!read_optional(meta, "contents", &contents, error)) return false;
    if (contents == NULL) return true;
    bool good = true;
    char *list = memory_text("%s", contents), *rest = list;
    for (char *name; good && (name = strsep(&rest, " ")) != NULL;)
        good = is_there(file, meta, name) || error_set(error, "%s is missing, or its name is damaged", name);
    free(list);
    free((char *)contents);
    return good;
}

static bool read_info(hid_t file, struct dataset_info *info, struct error *error) {
    if (!read_variant(file, &info->variant, error) || !(info->rules = read_text(file, "rules", error)) ||
        !(info->engine = read_text(file, "engine", error)) ||
        !(info->weights_sha256 = read_text(file, "weights_sha256", error)) ||
        !(info->limit = read_text(file, "limit", error)) || !read_number(file, "seed", &info->seed, error) ||
        !read_number(file, "first_game", &info->first_game, error)) {
        return false;
    }
    const hid_t meta = H5Gopen2(file, "meta", H5P_DEFAULT);
    if (meta < 0) return error_set(error, "group meta is missing");
    info->config = read_text(meta, "config", error);
    const bool done = info->config != NULL && check_contents(file, meta, error) &&
                      read_optional(meta, "engines", &info->engines, error) &&
                      read_optional(meta, "origin", &info->origin, error) &&
                      read_optional(meta, "sample", &info->sample, error);
    hdf5_release(meta);
    return done;
}

static bool column_type_fits(hid_t type, const struct column *column) {
    const bool named = column_is_enum(column);
    if (column->kind == COLUMN_FLOAT32) return H5Tget_class(type) == H5T_FLOAT;
    if (H5Tget_size(type) != column->size || H5Tget_class(type) != (named ? H5T_ENUM : H5T_INTEGER)) {
        return false;
    }
    const bool is_signed = column->kind == COLUMN_INT16 || column->kind == COLUMN_RESULT;
    const hid_t base = named ? H5Tget_super(type) : H5Tcopy(type);
    const bool fits = H5Tget_sign(base) == (is_signed ? H5T_SGN_2 : H5T_SGN_NONE);
    hdf5_release(base);
    return fits;
}

// A column that the file is too old to have.
static bool is_missing(hid_t file, const struct table *table, int index) {
    char name[64];
    snprintf(name, sizeof name, "%s/%s", table->group, table->columns[index].name);
    return index >= table->count - table->newer && H5Lexists(file, name, H5P_DEFAULT) == 0;
}

// The filters that chunks go through, by their places.
struct filters {
    unsigned packing, summing;  // bits: those that make chunks of another size, and those that add a checksum
};

static struct filters filters_of(hid_t properties) {
    struct filters filters = {0, 0};
    const int count = H5Pget_nfilters(properties);
    for (int i = 0; i < count; i++) {
        unsigned flags, settings;
        size_t none = 0;
        switch (H5Pget_filter2(properties, (unsigned)i, &flags, &none, NULL, 0, NULL, &settings)) {
        case H5Z_FILTER_SHUFFLE: break;
        case H5Z_FILTER_FLETCHER32: filters.summing |= 1u << i; break;
        default: filters.packing |= 1u << i;
        }
    }
    return filters;
}

// What is stored of a chunk and not packed is as long as the chunk: HDF5 (1.10.8) takes that for granted, and
// reads beyond what there is where damage has made it forget a filter.
static bool check_chunks(hid_t dataset, const struct filters *filters, hsize_t rows, hsize_t chunk,
                         size_t width, struct error *error) {
    enum { CHECKSUM = 4 };
    for (hsize_t first = 0; first < rows; first += chunk) {
        unsigned skipped = 0;
        haddr_t address;
        hsize_t size = 0;
        if (H5Dget_chunk_info_by_coord(dataset, &first, &skipped, &address, &size) < 0)
            return hdf5_fail(error, "the chunk of row %llu cannot be found", (unsigned long long)first);
        if (address == HADDR_UNDEF || filters->packing & ~skipped) continue;
        const hsize_t whole = chunk * width + (filters->summing & ~skipped ? CHECKSUM : 0);
        if (size != whole) {
            return error_set(error, "the chunk of row %llu has %llu bytes, not %llu: damaged",
                             (unsigned long long)first, (unsigned long long)size, (unsigned long long)whole);
        }
    }
    return true;
}

// HDF5 takes the memory of a whole chunk for any of its rows.
static bool check_layout(hid_t dataset, hsize_t rows, size_t width, struct error *error) {
    const hid_t properties = H5Dget_create_plist(dataset);
    const bool chunked = H5Pget_layout(properties) == H5D_CHUNKED;
    const struct filters filters = filters_of(properties);
    hsize_t chunk = 1;
    if (chunked) H5Pget_chunk(properties, 1, &chunk);
    hdf5_release(properties);
    if (chunk > MOST_CHUNK_ROWS) {
        return error_set(error, "has chunks of %llu rows, this program reads up to %d",
                         (unsigned long long)chunk, MOST_CHUNK_ROWS);
    }
    return !chunked || check_chunks(dataset, &filters, rows, chunk, width, error);
}

// Checks one column and says how many rows it has.
static bool check_column(hid_t file, const struct table *table, const struct column *column, uint64_t *rows,
                         struct error *error) {
    const hid_t dataset = column_open(file, table, column);
    if (dataset < 0) return error_set(error, "column %s/%s is missing", table->group, column->name);
    const hid_t type = H5Dget_type(dataset), space = H5Dget_space(dataset);
    hsize_t chunks;
    H5Dget_num_chunks(dataset, space, &chunks);  // walks through the index, as reading will (see survives)
    const bool fits = H5Sget_simple_extent_ndims(space) == 1 && column_type_fits(type, column);
    const hssize_t points = H5Sget_simple_extent_npoints(space);
    *rows = (uint64_t)points;
    const bool good =
        fits && points >= 0
            ? check_layout(dataset, (hsize_t)points, H5Tget_size(type), error) ||
                  error_prefix(error, "column %s/%s", table->group, column->name)
            : error_set(error, "column %s/%s has another type or shape", table->group, column->name);
    hdf5_release(space);
    hdf5_release(type);
    hdf5_release(dataset);
    return good;
}

static bool check_table(hid_t file, const struct table *table, uint64_t *rows, struct error *error) {
    for (int i = 0; i < table->count; i++) {
        uint64_t here = 0;
        if (is_missing(file, table, i)) continue;
        if (!check_column(file, table, &table->columns[i], &here, error)) return false;
        if (i == 0) *rows = here;
        if (here != *rows) {
            return error_set(error, "column %s/%s has %llu rows, %s has %llu", table->group,
                             table->columns[i].name, (unsigned long long)here, table->columns[0].name,
                             (unsigned long long)*rows);
        }
    }
    return true;
}

// ---- views ----

// The list of sources that a column is a view of; negative when it holds its values itself.
static hid_t view_of(hid_t file, const struct table *table, const struct column *column) {
    const hid_t dataset = column_open(file, table, column);
    if (dataset < 0) return -1;
    hid_t properties = H5Dget_create_plist(dataset);
    if (H5Pget_layout(properties) != H5D_VIRTUAL) {
        hdf5_release(properties);
        properties = -1;
    }
    hdf5_release(dataset);
    return properties;
}

static char *source_name(hid_t properties, size_t index) {
    const ssize_t length = H5Pget_virtual_filename(properties, index, NULL, 0);
    if (length <= 0) return memory_text("?");
    char *name = memory_new((size_t)length + 1, 1);
    H5Pget_virtual_filename(properties, index, name, (size_t)length + 1);
    return name;
}

// The path of what a file of views at `path` calls `name`; freed by the caller.
static char *beside(const char *path, const char *name) {
    const char *slash = name[0] != '/' ? strrchr(path, '/') : NULL;
    return memory_text("%.*s%s", slash != NULL ? (int)(slash + 1 - path) : 0, path, name);
}

// HDF5 reads a source that is missing, or shorter than it was, as fill values and says nothing.
static bool check_source(const char *path, hid_t properties, size_t index, struct error *error) {
    char *name = source_name(properties, index), *from = beside(path, name);
    const hid_t space = H5Pget_virtual_vspace(properties, index), file = open_file(from, error);
    const uint64_t expected = (uint64_t)H5Sget_select_npoints(space);
    uint64_t rows = 0;
    bool done = file >= 0 && check_table(file, &positions_table, &rows, error);
    if (done && rows != expected)
        done = error_set(error, "%s has changed: %llu positions, expected %llu", from,
                         (unsigned long long)rows, (unsigned long long)expected);
    for (int i = 0; i < positions_table.count && done; i++) {
        const hid_t view = view_of(file, &positions_table, &positions_table.columns[i]);
        if (view >= 0) done = error_set(error, "%s is a file of views itself", from);
        hdf5_release(view);
    }
    if (file >= 0) H5Fclose(file);
    hdf5_release(space);
    free(from);
    free(name);
    return done || error_prefix(error, "its source");
}

static bool same_sources(hid_t one, hid_t other, size_t count) {
    size_t others = 0;
    bool same = H5Pget_virtual_count(other, &others) >= 0 && others == count;
    for (size_t i = 0; i < count && same; i++) {
        char *a = source_name(one, i), *b = source_name(other, i);
        same = strcmp(a, b) == 0;
        free(a);
        free(b);
    }
    return same;
}

static void note_source(struct dataset_file *file, hid_t view, size_t index) {
    char *name = source_name(view, index), *from = beside(file->path, name);
    struct stat found;
    if (stat(from, &found) == 0) {
        file->sources = memory_grow(file->sources, file->source_count + 1, sizeof *file->sources);
        file->sources[file->source_count++] = (struct file_place){found.st_dev, found.st_ino};
    }
    free(from);
    free(name);
}

bool dataset_file_shows(const struct dataset_file *file, dev_t device, ino_t number) {
    for (size_t i = 0; i < file->source_count; i++) {
        if (file->sources[i].device == device && file->sources[i].number == number) return true;
    }
    return false;
}

static bool check_views(struct dataset_file *described, hid_t file, struct error *error) {
    const char *path = described->path;
    hid_t first = -1;
    size_t sources = 0;
    bool done = true;
    for (int i = 0; i < positions_table.count && done; i++) {
        const struct column *column = &positions_table.columns[i];
        const hid_t view = view_of(file, &positions_table, column);
        if (view < 0) continue;
        if (first >= 0) {
            done = same_sources(first, view, sources) ||
                   error_set(error, "column positions/%s has other sources than those before", column->name);
            hdf5_release(view);
            continue;
        }
        first = view;
        done = H5Pget_virtual_count(view, &sources) >= 0 || hdf5_fail(error, "cannot tell its sources");
        for (size_t j = 0; j < sources && done; j++) {
            done = check_source(path, view, j, error);
            note_source(described, view, j);
        }
    }
    described->views = first >= 0;
    hdf5_release(first);
    return done;
}

// ---- files ----

static bool read_labels_size(hid_t file, uint64_t positions, struct error *error) {
    uint64_t labels = 0;
    return check_table(file, &labels_table, &labels, error) &&
           (labels == positions || error_set(error, "%llu labels of %llu positions",
                                             (unsigned long long)labels, (unsigned long long)positions));
}

static bool read_parts(struct dataset_file *file, struct error *error) {
    const hid_t id = open_file(file->path, error);
    if (id < 0) return false;
    hsize_t bytes = 0;
    bool done = check_format(id, error) && read_info(id, &file->info, error) &&
                check_table(id, &positions_table, &file->positions, error) &&
                check_table(id, &games_table, &file->games, error) &&
                check_table(id, &openings_table, &file->openings, error) &&
                (file->info.sample == NULL || read_labels_size(id, file->positions, error)) &&
                check_views(file, id, error);
    if (done && H5Fget_filesize(id, &bytes) < 0) done = hdf5_fail(error, "cannot tell the size");
    file->bytes = bytes;
    H5Fclose(id);
    return done || error_prefix(error, "%s", file->path);
}

static void free_info(const struct dataset_info *info) {
    const char *const texts[] = {info->rules,  info->engine,  info->weights_sha256, info->limit,
                                 info->config, info->engines, info->origin,         info->sample};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) free((char *)texts[i]);
}

// ---- a child goes first ----

static void limit_child(void) {
    const struct rlimit seconds = {CHILD_SECONDS, CHILD_SECONDS}, none = {0, 0};
    setrlimit(RLIMIT_CPU, &seconds);
    setrlimit(RLIMIT_CORE, &none);
    unsigned long pages = 0;  // that there are already, for those that the child shares with its parent
    FILE *sizes = fopen("/proc/self/statm", "r");
    const bool known = sizes != NULL && fscanf(sizes, "%lu", &pages) == 1;
    if (sizes != NULL) fclose(sizes);
    if (!known) return;
    const rlim_t bytes = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + CHILD_MEMORY;
    setrlimit(RLIMIT_AS, &(struct rlimit){bytes, bytes});
}

// Says why it refuses the file, if it comes to that, over `answer`.
_Noreturn static void be_child(const char *path, int answer) {
    limit_child();
    if (freopen("/dev/null", "w", stderr) == NULL) _exit(1);
    struct dataset_file file = {.path = (char *)path};
    struct error why;
    if (read_parts(&file, &why)) _exit(0);
    _exit(file_write(answer, &why, sizeof why) ? CHILD_REFUSES : 1);
}

static bool hear_child(pid_t child, int answer, const char *path, struct error *error) {
    struct error why = {""};
    size_t heard = 0;
    for (ssize_t got = 1; got != 0 && heard<sizeof why; heard += got> 0 ? (size_t)got : 0) {
        got = read(answer, (char *)&why + heard, sizeof why - heard);
        if (got < 0 && errno != EINTR) break;
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return true;
    if (WIFEXITED(status) && WEXITSTATUS(status) == CHILD_REFUSES && heard == sizeof why)
        return error_set(error, "%s", why.text);
    return error_set(error, "%s: damaged (HDF5 crashes when it reads this file)", path);
}

// Damage outside of the columns has no checksum, and because of it HDF5 may crash, run on without end, or
// take all of the memory for a text (its versions up to 1.10.8 do, in the heap that holds texts). So a child
// goes first: what it reads, this process does too, and no other file.
static bool survives(const char *path, struct error *error) {
    int answer[2];
    if (pipe2(answer, O_CLOEXEC) != 0) return error_set(error, "%s: no pipe: %s", path, strerror(errno));
    const pid_t child = fork();
    if (child == 0) be_child(path, answer[1]);
    const int cause = errno;
    close(answer[1]);
    const bool good = child < 0 ? error_set(error, "%s: cannot start a process: %s", path, strerror(cause))
                                : hear_child(child, answer[0], path, error);
    close(answer[0]);
    return good;
}

static bool read_file(struct dataset_file *file, struct error *error) {
    return survives(file->path, error) && read_parts(file, error);
}

static void free_file(const struct dataset_file *file) {
    free_info(&file->info);
    free(file->sources);
    free(file->path);
}

static bool check_variant(const struct dataset *dataset, const struct dataset_file *file,
                          struct error *error) {
    return file->info.variant == dataset_variant(dataset) ||
           error_set(error, "%s: holds games of %s, but %s holds games of %s", file->path,
                     file->info.variant->name, dataset->files[0].path, dataset_variant(dataset)->name);
}

// Who opens, and whether the first fault ends it.
struct opener {
    struct dataset *dataset;
    const struct dataset_choice *choice;  // NULL: it does
    struct error *error;
};

// The fault is in opener->error. Are the others to be opened?
static bool goes_on(const struct opener *opener) {
    if (opener->choice == NULL) return false;
    opener->choice->fault(opener->choice->context, opener->error->text);
    return true;
}

// Takes over `path`. `facts` (NULL: none) are those of the run of which it should be shard `number`.
static bool add_file(const struct opener *opener, char *path, struct run_facts *facts, uint64_t number) {
    struct dataset *dataset = opener->dataset;
    const struct dataset_choice *choice = opener->choice;
    if (choice != NULL && choice->skips(choice->context, path)) {
        free(path);
        return true;
    }
    const uint64_t positions = dataset_positions(dataset), games = dataset_games(dataset);
    dataset->files = memory_grow(dataset->files, (size_t)dataset->count + 1, sizeof *dataset->files);
    struct dataset_file *file = &dataset->files[dataset->count++];
    *file = (struct dataset_file){.path = path, .first_position = positions, .first_game = games};
    if (read_file(file, opener->error) &&
        (facts == NULL || run_facts_check(facts, file, number, opener->error)) &&
        check_variant(dataset, file, opener->error))
        return true;
    free_file(file);
    dataset->count--;
    return goes_on(opener);
}

static int is_shard(const struct dirent *entry) {
    uint64_t number;
    return shard_name(entry->d_name, &number);
}

// By number, which need not have the same count of digits.
static int compare_shards(const struct dirent **a, const struct dirent **b) {
    uint64_t number_a = 0, number_b = 0;
    shard_name((*a)->d_name, &number_a);
    shard_name((*b)->d_name, &number_b);
    return number_a < number_b ? -1 : number_a > number_b;
}

static bool add_folder(const struct opener *opener, const char *folder) {
    struct dirent **entries;
    const int count = scandir(folder, &entries, is_shard, compare_shards);
    if (count < 0) {
        error_set(opener->error, "%s: %s", folder, strerror(errno));
        return goes_on(opener);
    }
    struct run_facts *facts = run_facts_read(folder);
    bool done = count > 0;
    if (!done) {
        error_set(opener->error, "%s: no shards in this folder", folder);
        done = goes_on(opener);
    }
    for (int i = 0; i < count; i++) {
        uint64_t number = 0;
        shard_name(entries[i]->d_name, &number);
        if (done) done = add_file(opener, memory_text("%s/%s", folder, entries[i]->d_name), facts, number);
        free(entries[i]);
    }
    run_facts_free(facts);
    free(entries);
    return done;
}

static struct dataset *open_all(const char *const *paths, int count, const struct dataset_choice *choice,
                                struct error *error) {
    assert(count > 0);
    hdf5_begin();
    struct dataset *dataset = memory_new(1, sizeof *dataset);
    dataset->open_index = -1;
    struct error cause;
    const struct opener opener = {dataset, choice, error != NULL ? error : &cause};
    bool done = true;
    for (int i = 0; i < count && done; i++) {
        struct stat status;
        if (stat(paths[i], &status) == 0 && S_ISDIR(status.st_mode))
            done = add_folder(&opener, paths[i]);
        else
            done = add_file(&opener, memory_text("%s", paths[i]), NULL, 0);
    }
    if (done && dataset->count > 0) return dataset;
    dataset_close(dataset);
    return NULL;
}

struct dataset *dataset_open(const char *const *paths, int count, struct error *error) {
    return open_all(paths, count, NULL, error);
}

struct dataset *dataset_open_good(const char *const *paths, int count, const struct dataset_choice *choice) {
    return open_all(paths, count, choice, NULL);
}

static bool same_run(const struct dataset_info *a, const struct dataset_info *b) {
    return a->origin == NULL && b->origin == NULL && a->sample == NULL && b->sample == NULL &&
           a->seed == b->seed && strcmp(a->config, b->config) == 0 &&
           strcmp(a->weights_sha256, b->weights_sha256) == 0;
}

static int compare_first_games(const void *a, const void *b) {
    const uint64_t one = ((const struct dataset_file *)a)->info.first_game;
    const uint64_t other = ((const struct dataset_file *)b)->info.first_game;
    return one < other ? -1 : one > other;
}

bool dataset_sort(struct dataset *dataset) {
    bool rising = true;
    for (int i = 1; i < dataset->count; i++) {
        const struct dataset_info *before = &dataset->files[i - 1].info, *info = &dataset->files[i].info;
        if (!same_run(before, info)) return false;
        rising = rising && info->first_game >= before->first_game;
    }
    if (rising) return false;
    if (dataset->open_index >= 0) H5Fclose(dataset->open_file);
    dataset->open_index = -1;
    qsort(dataset->files, (size_t)dataset->count, sizeof *dataset->files, compare_first_games);
    uint64_t positions = 0, games = 0;
    for (int i = 0; i < dataset->count; i++) {
        struct dataset_file *file = &dataset->files[i];
        file->first_position = positions;
        file->first_game = games;
        positions += file->positions;
        games += file->games;
    }
    return true;
}

void dataset_close(struct dataset *dataset) {
    if (dataset == NULL) return;
    if (dataset->open_index >= 0) H5Fclose(dataset->open_file);
    for (int i = 0; i < dataset->count; i++) free_file(&dataset->files[i]);
    free(dataset->files);
    free(dataset);
}

const struct variant *dataset_variant(const struct dataset *dataset) {
    return dataset->files[0].info.variant;
}
int dataset_file_count(const struct dataset *dataset) { return dataset->count; }

const struct dataset_file *dataset_file(const struct dataset *dataset, int index) {
    assert(index >= 0 && index < dataset->count);
    return &dataset->files[index];
}

uint64_t dataset_positions(const struct dataset *dataset) {
    if (dataset->count == 0) return 0;
    const struct dataset_file *last = &dataset->files[dataset->count - 1];
    return last->first_position + last->positions;
}

uint64_t dataset_games(const struct dataset *dataset) {
    if (dataset->count == 0) return 0;
    const struct dataset_file *last = &dataset->files[dataset->count - 1];
    return last->first_game + last->games;
}

// One file is kept open; whoever reads in order opens each once.
static bool use_file(struct dataset *dataset, int index, struct error *error) {
    if (dataset->open_index == index) return true;
    if (dataset->open_index >= 0) H5Fclose(dataset->open_file);
    dataset->open_file = open_file(dataset->files[index].path, error);
    dataset->open_index = dataset->open_file >= 0 ? index : -1;
    return dataset->open_file >= 0;
}

// Rows of one file, to row `offset` of the columns.
static bool read_rows(struct dataset *dataset, int index, const struct table *table, uint64_t first,
                      size_t count, const void *columns, size_t offset, struct error *error) {
    hdf5_begin();
    if (count == 0) return true;
    if (!use_file(dataset, index, error)) return false;
    for (int i = 0; i < table->count; i++) {
        const struct column *column = &table->columns[i];
        char *data = column_get(columns, column);
        if (data == NULL) continue;
        if (is_missing(dataset->open_file, table, i)) {
            memset(data + offset * column->size, 0, count * column->size);
            continue;
        }
        const hid_t from = column_open(dataset->open_file, table, column);
        const bool done =
            column_transfer(from, column, first, count, data + offset * column->size, false, error);
        hdf5_release(from);
        if (!done) return error_prefix(error, "%s", dataset->files[index].path);
    }
    return true;
}

// How much of the rows first .. first+count-1 lies in a file that holds rows begin .. begin+size-1.
struct part {
    uint64_t first;  // in the file
    size_t count, offset;
};
static struct part part_of(uint64_t first, size_t count, uint64_t begin, uint64_t size) {
    const uint64_t from = first > begin ? first : begin;
    const uint64_t to = first + count < begin + size ? first + count : begin + size;
    if (from >= to) return (struct part){0};
    return (struct part){
        .first = from - begin, .count = (size_t)(to - from), .offset = (size_t)(from - first)};
}

// Views are asked for a column in which the values for what is missing are no values: a source may have gone,
// or be out of reach for a reason that HDF5 keeps to itself, since it was looked for.
static bool check_view_rows(struct dataset *dataset, int index, struct part part, struct error *error) {
    const struct dataset_file *file = &dataset->files[index];
    if (!file->views || part.count == 0) return true;
    struct position_columns rows = {.stm = memory_new(part.count, 1)};
    bool done = read_rows(dataset, index, &positions_table, part.first, part.count, &rows, 0, error);
    for (size_t i = 0; i < part.count && done; i++) {
        if (rows.stm[i] > BLACK) done = error_set(error, "%s: one of its sources cannot be read", file->path);
    }
    free(rows.stm);
    return done;
}

bool dataset_read_positions(struct dataset *dataset, uint64_t first, size_t count,
                            const struct position_columns *columns, struct error *error) {
    assert(first + count <= dataset_positions(dataset));
    for (int i = 0; i < dataset->count; i++) {
        const struct dataset_file *file = &dataset->files[i];
        const struct part part = part_of(first, count, file->first_position, file->positions);
        if (!read_rows(dataset, i, &positions_table, part.first, part.count, columns, part.offset, error) ||
            !check_view_rows(dataset, i, part, error)) {
            return false;
        }
        for (size_t row = part.offset; columns->game != NULL && row < part.offset + part.count; row++) {
            columns->game[row] += (uint32_t)file->first_game;
        }
    }
    return true;
}

bool dataset_read_games(struct dataset *dataset, uint64_t first, size_t count,
                        const struct game_columns *columns, struct error *error) {
    assert(first + count <= dataset_games(dataset));
    for (int i = 0; i < dataset->count; i++) {
        const struct dataset_file *file = &dataset->files[i];
        const struct part part = part_of(first, count, file->first_game, file->games);
        if (!read_rows(dataset, i, &games_table, part.first, part.count, columns, part.offset, error)) {
            return false;
        }
        for (size_t row = part.offset; columns->first != NULL && row < part.offset + part.count; row++) {
            columns->first[row] += file->first_position;
        }
    }
    return true;
}

static void labels_from_results(const int8_t *results, size_t count, const struct label_columns *labels,
                                size_t offset) {
    for (size_t i = 0; i < count; i++) {
        if (labels->expected != NULL) labels->expected[offset + i] = (float)(results[i] + 1) / 2;
        if (labels->seen != NULL) labels->seen[offset + i] = 1;
    }
}

bool dataset_read_labels(struct dataset *dataset, uint64_t first, size_t count,
                         const struct label_columns *columns, struct error *error) {
    assert(first + count <= dataset_positions(dataset));
    bool done = true;
    for (int i = 0; i < dataset->count && done; i++) {
        const struct dataset_file *file = &dataset->files[i];
        const struct part part = part_of(first, count, file->first_position, file->positions);
        if (part.count == 0) continue;
        if (file->info.sample != NULL) {
            done = read_rows(dataset, i, &labels_table, part.first, part.count, columns, part.offset, error);
            continue;
        }
        struct position_columns rows = {.result = memory_new(part.count, 1)};
        done = read_rows(dataset, i, &positions_table, part.first, part.count, &rows, 0, error);
        if (done) labels_from_results(rows.result, part.count, columns, part.offset);
        free(rows.result);
    }
    return done;
}

bool dataset_read_openings(struct dataset *dataset, int file, const struct opening_columns *columns,
                           struct error *error) {
    return read_rows(dataset, file, &openings_table, 0, (size_t)dataset_file(dataset, file)->openings,
                     columns, 0, error);
}
