// nps.h -- the speed of the search, and the node counts that show whether it still does the same.
#ifndef HUFF_BENCH_NPS_H
#define HUFF_BENCH_NPS_H

#include <jansson.h>

#include "core/variant.h"

// --variant of commands that take all variants, too: NULL or "all" makes *only NULL.
bool bench_variants(const char *name, const struct variant **only, struct error *)
    __attribute__((warn_unused_result));

void bench_print_json(json_t *);  // a line, and releases it

// Commands of huff-bench.
int nps_run(int argc, char **argv);
int signature_run(int argc, char **argv);

#endif
