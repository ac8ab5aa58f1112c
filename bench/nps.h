// nps.h -- the speed of the search, and the node counts that show whether it still does the same.
#ifndef HUFF_BENCH_NPS_H
#define HUFF_BENCH_NPS_H

// Commands of huff-bench.
int nps_run(int argc, char **argv);
int signature_run(int argc, char **argv);

#endif
