// tune.h -- the commands of the program huff-tune; each returns the exit code.
#ifndef HUFF_TUNER_TUNE_H
#define HUFF_TUNER_TUNE_H

int tune_curve_run(int argc, char **argv);
int tune_fit_run(int argc, char **argv);
int tune_eval_run(int argc, char **argv);
int tune_loop_run(int argc, char **argv);
int tune_show_run(int argc, char **argv);

#endif
