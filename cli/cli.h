/* cli.h - what the commands of `costate` share. One file per command; a new one is a file, a line here and a line in main.c. */
#ifndef COSTATE_CLI_H
#define COSTATE_CLI_H

#include <costate/diff.h>

/* Exit codes. */
enum { EXIT_GOOD = 0, EXIT_USAGE = 1, EXIT_REFUSED = 2, EXIT_COMPILE = 3, EXIT_SOLVE = 4, EXIT_CHECK = 5 };

/* Commands. argv[0] is the command's name; they return the exit code. */
int cli_diff(int argc, char **argv);

/* Says what is wrong with the arguments and how to get help; returns EXIT_USAGE. */
int cli_usage(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Opens a model while the keyboard and kill may interrupt it. Warnings and errors go to stderr. Returns an exit code. */
typedef int cli_opener(costate_model **m, const char *file, costate_model_options *options, void *context);
int cli_open(costate_model **m, const char *file, costate_model_options *options);
int cli_open_with(cli_opener *open, costate_model **m, const char *file, costate_model_options *options, void *context);

#endif
