// data_command.h -- the commands of the program huff-data, each of which returns the exit code, and what they
// share.
#ifndef HUFF_SELFPLAY_DATA_COMMAND_H
#define HUFF_SELFPLAY_DATA_COMMAND_H

#include "core/support/options.h"
#include "selfplay/dataset.h"
#include "selfplay/sample.h"

int data_info_run(int argc, char **argv);
int data_verify_run(int argc, char **argv);
int data_merge_run(int argc, char **argv);
int data_vds_run(int argc, char **argv);
int data_pdn_run(int argc, char **argv);
int data_import_run(int argc, char **argv);
int data_fen_run(int argc, char **argv);
int data_sample_run(int argc, char **argv);
int data_stats_run(int argc, char **argv);

// ---- what all command lines have: datasets, and the options of all programs ----

// Its parser takes the arguments that are no options; a command hands it down as a child.
struct data_paths {
    struct common_options common;
    const char **paths;  // owned
    int count;
};
extern const struct argp data_paths_argp;  // its input is a struct data_paths *

// All of them as one; --variant says which one is expected. Warns of runs that are not whole, and of files
// that are there twice.
struct dataset *data_open(const struct data_paths *, struct error *);
// Without a warning.
struct dataset *data_open_quietly(const struct data_paths *, struct error *);
bool data_check_variant(const struct data_paths *, const struct dataset *, struct error *)
    __attribute__((warn_unused_result));

// Calls `act` with each of the paths that is a folder.
typedef bool data_folder_action(const char *folder, void *context, struct error *);
bool data_each_folder(const struct data_paths *, data_folder_action *, void *context, struct error *)
    __attribute__((warn_unused_result));

// A whole number, or two with "-" between them of which either may be left out: "20-60", "20-", "-60".
struct data_range {
    int64_t least, most;
};
bool data_range_parse(const char *name, const char *text, int64_t least, int64_t most, struct data_range *,
                      struct error *) __attribute__((warn_unused_result));
bool data_sample_range(const char *name, const char *text, int most, struct sample_range *, struct error *)
    __attribute__((warn_unused_result));

// "white,draw": of black, draw and white. Cuts the text up.
bool data_results_parse(char *list, bool results[static 3], struct error *)
    __attribute__((warn_unused_result));

// Lets `write` write to a file that gets its name when it is complete and on disk, or to standard output
// (`output` NULL).
typedef bool data_writing(void *context, int file, struct error *);
bool data_write(const char *output, data_writing *write, void *context, struct error *)
    __attribute__((warn_unused_result));
// All of a text, to that file; fails with its name, or after Ctrl-C.
bool data_write_text(const char *output, int file, const char *text, struct error *)
    __attribute__((warn_unused_result));

// Ends a command: frees the paths, prints the error when there is one.
int data_end(struct data_paths *, bool done, const struct error *);

#endif
