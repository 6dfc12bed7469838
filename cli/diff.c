/* diff.c - costate diff MODEL.c: the derivatives of a model as C, where it has kinks, what its Jacobian looks like. */
#include "cli.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: costate diff MODEL.c [options]\n"
    "Writes C for every derivative of the model's functions to standard output.\n\n"
    "  -o FILE         write it to FILE\n"
    "  -DNAME=value    define a macro of the model\n"
    "  --lint          list the kinks of the model: where a derivative is one-sided (in place of the C, unless -o is given)\n"
    "  --pattern       draw the pattern of the Jacobian (likewise)\n"
    "  --nan-check     write code that stops at the first NaN or infinity and says in which line of the model it arose\n";

typedef struct request {
    const char *file, *out;
    int lint, pattern, help;
    costate_model_options options;
} request;

/* ---- arguments -------------------------------------------------------------------------------------------------------- */

/* The value of an option that is -oFILE or -o FILE; NULL: there is none. */
static const char *value(int argc, char **argv, int *i)
{
    if (argv[*i][2]) return argv[*i] + 2;
    return *i + 1 < argc ? argv[++*i] : NULL;
}

static int parse(int argc, char **argv, const char **define, request *r)
{
    for (int i = 1; i < argc; i++) {
        const char *a = argv[i];
        if (!strcmp(a, "--help") || !strcmp(a, "-h")) r->help = 1;
        else if (!strcmp(a, "--lint")) r->lint = 1;
        else if (!strcmp(a, "--pattern")) r->pattern = 1;
        else if (!strcmp(a, "--nan-check")) r->options.nan_check = 1;
        else if (!strncmp(a, "-o", 2)) {
            r->out = value(argc, argv, &i);
            if (!r->out) return cli_usage("diff", "-o needs the name of a file");
        } else if (!strncmp(a, "-D", 2)) {
            const char *text = value(argc, argv, &i);
            if (!text || !*text) return cli_usage("diff", "-D needs NAME=value");
            define[r->options.defines++] = text;
        } else if (*a == '-' && a[1]) return cli_usage("diff", "there is no option '%s'", a);
        else if (r->file) return cli_usage("diff", "one model at a time: '%s' or '%s'?", r->file, a);
        else r->file = a;
    }
    return r->file || r->help ? EXIT_GOOD : cli_usage("diff", "which model?");
}

/* ---- the pattern ------------------------------------------------------------------------------------------------------ */

enum { CELLS = 64 }; /* a larger matrix is drawn with several entries to a cell */

/* Draws a matrix: in each cell a blank for no entry, and marks for up to a third, two thirds and more of its entries. */
static int draw(const char *name, int rows, int columns, const int *colptr, const int *rowind)
{
    const int high = rows < CELLS ? rows : CELLS, wide = columns < CELLS ? columns : CELLS;
    double *count = calloc((size_t)high * (size_t)wide + 1, sizeof *count);
    if (!count) return EXIT_COMPILE;
    for (int j = 0; j < columns; j++)
        for (int k = colptr[j]; k < colptr[j + 1]; k++)
            count[(int)((int64_t)rowind[k] * high / rows) * wide + (int)((int64_t)j * wide / columns)]++;
    printf("%s: %d x %d, %d entries\n", name, rows, columns, colptr[columns]);
    const double full = (double)rows / high * columns / wide;
    for (int i = 0; i < high; i++) {
        putchar('|');
        for (int j = 0; j < wide; j++) {
            const double filled = count[i * wide + j] / full;
            putchar(filled == 0 ? ' ' : filled < 1.0 / 3 ? '.' : filled < 2.0 / 3 ? 'o' : '#');
        }
        puts("|");
    }
    free(count);
    return EXIT_GOOD;
}

static int pattern(request *r)
{
    costate_model *m = NULL;
    const int *colptr, *rowind;
    int code = cli_open(&m, r->file, &r->options);
    for (int of_params = 0; !code && of_params < 2; of_params++) {
        const costate_problem *problem = costate_model_problem(m);
        const int columns = of_params ? problem->np : problem->n;
        if (!columns) continue;
        if (costate_model_pattern(m, of_params, &colptr, &rowind)) {
            fputs(costate_model_message(m), stderr);
            code = EXIT_COMPILE;
        } else code = draw(of_params ? "f_p" : "f_y", problem->n, columns, colptr, rowind);
    }
    costate_model_close(m);
    return code;
}

/* ---- the C ------------------------------------------------------------------------------------------------------------ */

typedef struct written {
    int lint;
    const char *text, *kinks;
} written;

static int differentiate(costate_model **m, const char *file, costate_model_options *options, void *context)
{
    written *w = context;
    return costate_diff(m, file, options, &w->text, w->lint ? &w->kinks : NULL);
}

static int save(const char *file, const char *text)
{
    FILE *to = fopen(file, "w");
    int good = to && fputs(text, to) >= 0;
    if (to && fclose(to)) good = 0;
    if (good) return EXIT_GOOD;
    fprintf(stderr, "costate diff: %s cannot be written: %s\n", file, strerror(errno));
    return EXIT_USAGE;
}

static int text(request *r)
{
    costate_model *m = NULL;
    written w = {.lint = r->lint};
    int code = cli_open_with(differentiate, &m, r->file, &r->options, &w);
    if (!code && r->out) code = save(r->out, w.text);
    else if (!code && !r->lint && !r->pattern) fputs(w.text, stdout);
    if (!code && r->lint) fputs(w.kinks, stdout);
    costate_model_close(m);
    return code;
}

int cli_diff(int argc, char **argv)
{
    const char **define = calloc((size_t)argc, sizeof *define);
    request r = {.options.define = define};
    int code = define ? parse(argc, argv, define, &r) : EXIT_USAGE;
    if (!code && r.help) fputs(help, stdout);
    else if (!code) {
        code = text(&r);
        if (!code && r.pattern) code = pattern(&r);
    }
    free(define);
    return code;
}
