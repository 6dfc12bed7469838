/* cli.h - what the commands of `costate` share. One file per command; a new one is a file, a line here and a line in
 * commands.c.
 *
 * A command is given a request, its arguments; those that integrate make a session of it, the model with all values set; and
 * what they print goes through a cli_out. All of these end with the process or before: memory is released for the
 * sanitizers' sake. */
#ifndef COSTATE_CLI_H
#define COSTATE_CLI_H

#include <costate/diff.h>
#include <stdarg.h>
#include <stdio.h>

/* ---- commands and their options --------------------------------------------------------------------------------------- */

/* Exit codes. */
enum { EXIT_GOOD = 0, EXIT_USAGE = 1, EXIT_REFUSED = 2, EXIT_COMPILE = 3, EXIT_SOLVE = 4, EXIT_CHECK = 5 };

/* Commands as bits: those that integrate and take the library's options; those that read a model; all. */
enum {
    CLI_RUN = 1, CLI_GRADIENT = 2, CLI_TANGENT = 4, CLI_HESSIAN = 8, CLI_CHECK = 16, CLI_DIFF = 32, CLI_METHODS = 64,
    CLI_SOLVERS = 128, CLI_HELP = 256, CLI_COMPARE = 512,
    CLI_SOLVE = CLI_RUN | CLI_GRADIENT | CLI_TANGENT | CLI_HESSIAN | CLI_CHECK | CLI_COMPARE,
    CLI_MODEL = CLI_SOLVE | CLI_DIFF,
    CLI_ALL = 1023
};

enum {
#define CLI_OPTION(id, name, letter, argument, commands, help) OPT_##id,
#include "options.def"
#undef CLI_OPTION
    OPT_COUNT /* the library's options follow, in the order of costate_option */
};

typedef struct cli_option_info {
    const char *name, *argument; /* the name with dashes */
    char letter;
    int commands;
    const char *help;
} cli_option_info;

/* Option i, ours or the library's; 0 when there is one, -1 beyond the last. The texts live for ever. */
int cli_option(int i, cli_option_info *info);
const char *cli_preset(int i, char text[32]); /* its default, if it is the library's; NULL: none */

typedef struct cli_request cli_request;

typedef struct cli_command {
    const char *name;
    int bit;
    int (*run)(cli_request *r);
    const char *brief; /* one line */
    const char *text;  /* paragraphs, for help and manual */
    const char *example;
} cli_command;

extern const cli_command cli_commands[];
extern const int cli_command_count;
const cli_command *cli_command_find(const char *name); /* NULL: none */

int cli_run(cli_request *r);
int cli_gradient(cli_request *r);
int cli_tangent(cli_request *r);
int cli_hessian(cli_request *r);
int cli_check(cli_request *r);
int cli_compare(cli_request *r);
int cli_diff(cli_request *r);
int cli_methods(cli_request *r);
int cli_solvers(cli_request *r);
int cli_help(cli_request *r);

/* ---- arguments -------------------------------------------------------------------------------------------------------- */

typedef enum cli_format { CLI_TABLE, CLI_CSV, CLI_JSON } cli_format;

struct cli_request {
    const cli_command *command;
    const char *file; /* the model, or what help is asked about; NULL: none */
    cli_format format;
    int count;
    struct cli_given {
        int option;
        const char *value; /* "" for a switch */
    } *given;              /* in the order of the command line */
};

/* Reads the arguments after the command's name. A mistake is reported; r is to be freed in any case. */
int cli_parse(cli_request *r, const cli_command *command, int argc, char **argv);
void cli_request_free(cli_request *r);

const char *cli_value(const cli_request *r, int option); /* the last one given; NULL: none */
const char *cli_next(const cli_request *r, int option, int *at); /* one after the other, from *at = 0 on; NULL: no more */

/* Says what is wrong with the arguments and how to get help; returns EXIT_USAGE. */
int cli_usage(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* words.c: to standard error, what holds words that were given: these may be of any length, and of any bytes. */
void cli_say(const char *format, va_list args) __attribute__((format(printf, 1, 0)));
/* What is between commas of the list, item by item, from *at = text on, blanks around it left out. Returns its length;
 * -1: no more. */
int cli_item(const char **at, const char **item);
void cli_trim(const char **text, int *length); /* leaves out blanks around it */
int cli_number(const char *text, int length, double *value); /* 0 if the text is a finite number and nothing else */
/* The index of the name most like `word`, if one is alike enough to be meant; else -1. */
typedef const char *cli_namer(int i, const void *context);
int cli_nearest(const char *word, int length, int count, cli_namer *name, const void *context);

/* suggest.c: says that there is no such method or command, and what might be meant; return EXIT_USAGE. next: the word behind. */
int suggest_method(const char *command, const char *name);
int suggest_command(const char *name, const char *next);
void suggest_file(const char *path, const char *ending); /* the file in that folder, with that ending, whose name is like it */

/* ---- output ----------------------------------------------------------------------------------------------------------- */

/* Where results go: standard output, or a file that appears when it is complete. */
typedef struct cli_out {
    FILE *to;
    const char *command, *path; /* path NULL: standard output */
    char *text; /* what is to be written to the file */
    size_t length;
    int colours, width, quiet;  /* width: columns */
    int partial;                /* what there is counts, whatever the exit code */
    int warnings;
    char **warning;
} cli_out;

int cli_out_open(cli_out *o, const cli_request *r); /* exit codes */
/* Returns code, or one for what went wrong; no file appears if code is neither good nor that of check, unless `partial`. */
int cli_out_close(cli_out *o, int code);
void cli_bold(cli_out *o, int on);

/* A warning: to standard error, unless --quiet, and to the list of them. Each is given once. */
void cli_warn(cli_out *o, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* JSON. Members and elements follow each other; commas and line breaks come by themselves. key NULL: an element of an array. */
typedef struct cli_json {
    cli_out *out;
    int depth, fresh; /* fresh: nothing in the innermost bracket yet */
    int line;         /* depth from which on all is on one line; 0: none */
} cli_json;
void json_open(cli_json *j, const char *key, char bracket);
void json_line(cli_json *j, const char *key, char bracket); /* opens one that stays on a line, with all that is in it */
void json_close(cli_json *j, char bracket);
void json_number(cli_json *j, const char *key, double x); /* 17 digits; null with a warning if it is not finite */
void json_whole(cli_json *j, const char *key, int64_t x);
void json_truth(cli_json *j, const char *key, int yes);
void json_text(cli_json *j, const char *key, const char *text);

/* CSV: one field with its separator. */
void csv_text(FILE *to, const char *text, int last);
void csv_number(cli_out *o, const char *what, double x, int last); /* what: named in the warning if x is not finite */

/* A table for people. Cells are given row by row; it is printed in blocks of columns that fit, the first `fixed` in each. Names
 * are shortened where not even one of the others would fit. */
typedef struct cli_table {
    int columns, fixed;
    int group; /* columns behind the fixed ones that stay together; 1 by default */
    int count, room;
    char **cell; /* the first row is the header */
} cli_table;
void table_open(cli_table *t, int columns, int fixed);
void table_text(cli_table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void table_number(cli_table *t, double x);
/* An error bar behind a number, and whether the number is resolved; it has a column of its own, without a name. */
void table_bar(cli_table *t, double x, double bar);
void table_print(cli_table *t, cli_out *o); /* and frees it */

void *cli_take(size_t count, size_t size); /* zeroed memory; ends the program if there is none */
char *cli_text(const char *format, ...) __attribute__((format(printf, 1, 2))); /* by malloc */

/* ---- a model, ready to run -------------------------------------------------------------------------------------------- */

typedef struct cli_session {
    const cli_request *request;
    cli_out out;
    costate_model *model;
    costate_model_info about;
    costate_problem problem; /* the model's, with progress */
    int n, np, objectives;   /* objectives: the final states if the model has none */
    int initial;             /* 1: initial values are given, not computed by init */
    const char **state, **param, **objective; /* names */
    const char **start;                       /* of the initial values: NAME, or NAME(t0) where a parameter is called NAME */
    char **made;                              /* those of them that were made up; ends with NULL */
    double t0, t1, *y0, *p, *atols;           /* atols NULL: one for all */
    int rows, drawn;                          /* points of time that were asked for; that are computed, be it for a plot */
    double *times;                            /* drawn of them */
    int *asked;                               /* which of them were asked for, rows */
    costate_stats stats;                      /* of the last run; its texts but for the tier are gone */
    const struct cli_choice *wrt;             /* variables by which derivatives are taken; NULL: all */
    const struct cli_choice *of;              /* their objectives; NULL: all */
    costate_accuracy found;                   /* --accuracy: what came of it; wanted 0: it was not given */
    int short_of;                             /* 1: it is not reached */
    char linsol[32], method[32];              /* of that run: the linear solver, the method it was really made with */
    char choice[256];                         /* why, if the library chose it; "": it was named */
    char adjusted[256];                       /* initial values that were made consistent; "": none */
} cli_session;

/* Opens model and output. order: derivatives that the command takes of a step. */
int cli_session_open(cli_session *s, cli_request *r);
int cli_session_close(cli_session *s, int code); /* returns the exit code */

/* Opens a model while the keyboard and kill may interrupt it. Errors go to stderr. Returns an exit code. */
typedef int cli_opener(costate_model **m, const char *file, costate_model_options *options, void *context);
int cli_open(costate_model **m, const cli_request *r);
int cli_open_with(cli_opener *open, costate_model **m, const cli_request *r, void *context);
void cli_end_if_told(void); /* by a signal that came while compilers ran */
void cli_model_failed(const cli_request *r, const costate_model *m); /* prints the model's message */
void cli_model_warnings(cli_out *o, const costate_model *m);

/* solver.c. Options that the library refuses are reported; exit codes. */
int cli_library_option(const char *name);                              /* as cli_option counts; -1: none */
const char *cli_library_value(const cli_request *r, const char *name); /* an option of the library, as given or by default */
const char *cli_method(const cli_request *r);                          /* the method's name, likewise */
const char *cli_suited(const cli_session *s, const char *name, char text[32]); /* likewise, but what the model says first */
int cli_library_given(const cli_request *r, const char *name);           /* whether it was given */
int cli_options_check(const cli_request *r);         /* before there is a model */
int cli_solver(cli_session *s, costate_solver **solver);
int cli_failed(cli_session *s, const costate_solver *solver, int status); /* says what, where and what to try */

void cli_notes(cli_session *s); /* notes.c: warns of options without effect, and of tolerances that make no sense */
void cli_switch_warnings(cli_session *s, const costate_solver *solver); /* switches.c */
void cli_stiff_hint(cli_session *s); /* compute.c: after a run */

/* compute.c: work with a solver that has the options of the command line. It returns a status of the library. */
typedef int cli_work(cli_session *s, costate_solver *solver, void *context);
int cli_compute(cli_session *s, cli_work *work, void *context);
int cli_accuracy_check(cli_session *s); /* accuracy.c: --accuracy and what does not go with it; exit codes */
int cli_attain(cli_session *s, costate_solver *solver); /* finds its tolerance; a status */
/* A result is there: the exit code, which is another one if it is not as accurate as was asked for. */
int cli_accuracy_code(cli_session *s);

/* select.c: variables are the parameters, and then the initial values if there are any. */
typedef struct cli_choice {
    int count;
    int *pick;
} cli_choice;
int cli_variables(const cli_session *s);                           /* their number */
const char *cli_variable(const cli_session *s, int v);             /* a name */
double cli_variable_value(const cli_session *s, int v);
int cli_bars(const cli_session *s); /* --bars was given */
char **cli_labels(const cli_session *s, const cli_choice *c);      /* names for figures: an initial value is NAME(t0) */
void cli_labels_free(char **label, int count);
int cli_assign(cli_session *s, int option, double *of_params, double *of_states); /* NAME=VALUE,...; NULL: not to be named */
int *cli_library_variables(const cli_session *s, const cli_choice *c); /* as costate_sensitivities counts them; by malloc */
int cli_choose_variables(cli_session *s, int all, cli_choice *c);  /* --wrt; all 0: parameters alone by default */
int cli_choose_objectives(cli_session *s, cli_choice *c);          /* --objective */
int cli_find_variable(const cli_session *s, const char *word, int length, char why[512]); /* -1: none, and why */

/* members.c: the sets of values in a CSV file, whose header names variables; the others are the session's. Exit codes. */
typedef struct cli_members {
    int count, columns;
    int *variable; /* of the columns */
    int *line;     /* of the file, count */
    double *p, *y; /* count x np, count x n */
} cli_members;
int cli_members_read(const cli_session *s, const char *path, cli_members *m);
void cli_members_free(cli_members *m);

int cli_ensemble_run(cli_session *s);                                                   /* run --ensemble */
int cli_ensemble_gradient(cli_session *s, const cli_choice *wrt, const cli_choice *of); /* gradient --ensemble */

/* report.c: parts that results share. */
void report_head(cli_session *s);                                  /* of a table: model, method, times, accuracy */
void report_note(cli_session *s);                                  /* --verbose */
void report_open(cli_session *s, cli_json *j);                     /* of a JSON object: model, method, t */
void report_begin(cli_session *s, cli_json *j);                    /* the same without the method */
void report_state(cli_session *s, cli_json *j, const double *y);
void report_state_bars(cli_session *s, cli_json *j, const double *bar);
void report_rows(cli_session *s, cli_json *j, const double *rows, const double *bars); /* the trajectory: columns; bars or NULL */

/* adjoints.c: lambda of state i at one of s->times for the l-th of these objectives; tables, and within an objective of JSON. */
double cli_adjoint(const cli_session *s, const cli_choice *of, const double *rows, int row, int i, int l);
void adjoints_table(cli_session *s, const cli_choice *of, const double *rows);
void adjoints_csv(cli_session *s, const cli_choice *of, const double *rows);
void adjoints_json(cli_session *s, cli_json *j, const cli_choice *of, const double *rows, int l);
void report_variables(cli_session *s, cli_json *j, const cli_choice *c, const double *value, int stride); /* params and initial */
void report_bars(cli_session *s, cli_json *j, const cli_choice *c, const double *bar, int stride); /* the same, of error bars */
void report_unresolved(cli_session *s, int count, int all); /* a warning, if some are not */
void report_close(cli_session *s, cli_json *j);                    /* stats, warnings */
void report_end(cli_session *s, cli_json *j);                      /* warnings alone */

/* events.c: what happened in a run, by time. */
typedef struct cli_change { /* of a state */
    int state;
    double from, to;
} cli_change;
typedef struct cli_event {
    double t;
    int number, mode;  /* mode: after it; COSTATE_STOP: the run ended */
    int moded;         /* 1: the mode is another one than before */
    int holds;         /* of a condition: 1: from then on it holds; -1: it is none */
    int64_t count;     /* how many of this number there were before */
    int changes;
    cli_change *change;
} cli_event;
typedef struct cli_events {
    int count, room;
    cli_event *event;
} cli_events;
void events_take(const cli_session *s, costate_solver *solver, cli_events *e);
void events_free(cli_events *e);
void events_table(cli_session *s, const cli_events *e, int all);
void adjoints_jumps(cli_session *s, const cli_events *e); /* s->times have both sides of where lambda(t) jumps (adjoints.c) */
void events_csv(cli_session *s, const cli_events *e);
void events_json(cli_session *s, const cli_events *e, cli_json *j);

/* figure.c: --plot, if it was given; exit codes. possible comes before the run. */
int figure_possible(const cli_request *r);
int figure_run(cli_session *s, const double *rows, const double *bars, const cli_events *e); /* bars: of the rows, or NULL */
int figure_adjoints(cli_session *s, const cli_choice *of, const double *rows, const cli_events *e);
int figure_tangent(cli_session *s, const cli_choice *wrt, const double *y, const double *rows, const double *bars);
/* Bars: a chart for each objective, of.count x count values under `count` names. what: the axis, @ standing for the objective. */
int figure_bars(cli_session *s, const char *what, const cli_choice *of, int count, const char *const *name, const double *value,
                const double *error); /* error bars, or NULL */
/* Matrices: one for each objective, of.count x size x size values. */
int figure_matrices(cli_session *s, const cli_choice *of, int size, const char *const *name, const double *value);
/* Curves over two logarithmic axes. */
typedef struct figure_curve {
    const char *name, *group; /* group: NULL, or what many curves are sorted by */
    int count;
    const double *x, *y;
} figure_curve;
int figure_curves(cli_session *s, const char *x, const char *y, int count, const figure_curve *curve);

/* progress.c: a line on standard error while something lasts, if that is a terminal. */
void progress_start(const cli_request *r, const char *what);
void progress_follow(costate_problem *problem, double t0, double t1); /* wraps the callbacks; what is shown is t */
void progress_stop(void);

/* help.c, manual.c, completion.c */
void help_overview(FILE *to);
void help_command(FILE *to, const cli_command *c);
void help_paragraph(FILE *to, const char *text, int indent, int width);
const char *help_usage(const cli_command *c);
void manual_write(FILE *to, const cli_command *c); /* NULL: of costate itself */
int completion_write(FILE *to, const char *shell); /* exit codes */

#endif
