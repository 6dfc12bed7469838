/* diff.c - costate diff MODEL.c: the derivatives of a model as C, where it has kinks, what its Jacobian looks like. */
#include "cli.h"
#include "plot.h"

#include <stdlib.h>
#include <string.h>

static const char *const titles[] = {"f_y", "f_p"};

/* ---- the pattern ------------------------------------------------------------------------------------------------------ */

typedef struct matrix {
    const char *name;
    int rows, columns;
    const int *colptr, *rowind;
    const char *const *row_name, *const *column_name; /* NULL: not all have one */
} matrix;

static const char *const *names(int count, const char *const *given)
{
    for (int i = 0; i < count; i++)
        if (!given || !given[i]) return NULL;
    return given;
}

enum { CELLS = 64 }; /* a larger matrix is drawn with several entries to a cell */

/* Draws a matrix: in each cell a blank for no entry, and marks for up to a third, two thirds and more of its entries. */
static void draw(FILE *to, const matrix *a)
{
    const int high = a->rows < CELLS ? a->rows : CELLS, wide = a->columns < CELLS ? a->columns : CELLS;
    double *count = cli_take((size_t)high * (size_t)wide, sizeof *count);
    for (int j = 0; j < a->columns; j++)
        for (int k = a->colptr[j]; k < a->colptr[j + 1]; k++)
            count[(int)((int64_t)a->rowind[k] * high / a->rows) * wide + (int)((int64_t)j * wide / a->columns)]++;
    fprintf(to, "%s: %d x %d, %d entries\n", a->name, a->rows, a->columns, a->colptr[a->columns]);
    const int named = a->row_name && high == a->rows;
    int longest = 0; /* 13 columns for names and 66 for the rest make 80 */
    for (int i = 0; named && i < high; i++)
        if ((int)strlen(a->row_name[i]) > longest) longest = (int)strlen(a->row_name[i]);
    const double full = (double)a->rows / high * a->columns / wide;
    for (int i = 0; i < high; i++) {
        if (named) fprintf(to, "%*.*s ", longest < 13 ? longest : 13, 13, a->row_name[i]);
        putc('|', to);
        for (int j = 0; j < wide; j++) {
            const double filled = count[i * wide + j] / full;
            putc(filled == 0 ? ' ' : filled < 1.0 / 3 ? '.' : filled < 2.0 / 3 ? 'o' : '#', to);
        }
        fputs("|\n", to);
    }
    free(count);
}

static void list_csv(FILE *to, const matrix *a)
{
    for (int j = 0; j < a->columns; j++)
        for (int k = a->colptr[j]; k < a->colptr[j + 1]; k++) fprintf(to, "%s,%d,%d\n", a->name, a->rowind[k], j);
}

static void list_json(cli_json *j, const matrix *a)
{
    json_open(j, a->name, '{');
    json_whole(j, "rows", a->rows);
    json_whole(j, "columns", a->columns);
    json_line(j, "colptr", '[');
    for (int k = 0; k <= a->columns; k++) json_whole(j, NULL, a->colptr[k]);
    json_close(j, ']');
    json_line(j, "rowind", '[');
    for (int k = 0; k < a->colptr[a->columns]; k++) json_whole(j, NULL, a->rowind[k]);
    json_close(j, ']');
    json_close(j, '}');
}

static void write_pattern(cli_out *o, const cli_request *r, cli_json *j, const matrix *a, int count)
{
    if (r->format == CLI_JSON) json_open(j, "pattern", '{');
    if (r->format == CLI_CSV) fputs("matrix,row,column\n", o->to);
    for (int i = 0; i < count; i++)
        if (r->format == CLI_JSON) list_json(j, &a[i]);
        else (r->format == CLI_CSV ? list_csv : draw)(o->to, &a[i]);
    if (r->format == CLI_JSON) json_close(j, '}');
}

static int plot_matrices(const cli_request *r, const char *model, const matrix *a, int count)
{
    plot f = {.path = cli_value(r, OPT_PLOT), .title = model};
    plot_matrix m[2];
    for (int i = 0; i < count; i++)
        m[i] = (plot_matrix){
            .title = a[i].name, .rows = a[i].rows, .columns = a[i].columns, .colptr = a[i].colptr, .rowind = a[i].rowind,
            .row_name = a[i].row_name, .column_name = a[i].column_name};
    return f.path && plot_pattern(&f, count, m) ? cli_usage("diff", "%s", f.message) : EXIT_GOOD;
}

static int pattern(cli_out *o, const cli_request *r, cli_json *j)
{
    costate_model *m = NULL;
    matrix a[2];
    int code = cli_open(&m, r), count = 0;
    if (!code) cli_model_warnings(o, m);
    for (int of_params = 0; !code && of_params < 2; of_params++) {
        const costate_problem *problem = costate_model_problem(m);
        matrix *next = &a[count];
        *next = (matrix){.name = titles[of_params], .rows = problem->n, .columns = of_params ? problem->np : problem->n};
        const char *const *states = problem->slopes ? NULL : problem->state_names;
        next->row_name = names(next->rows, states);
        next->column_name = names(next->columns, of_params ? problem->param_names : states);
        if (!next->columns) continue;
        if (costate_model_pattern(m, of_params, &next->colptr, &next->rowind)) {
            fputs(costate_model_message(m), stderr);
            code = EXIT_COMPILE;
        } else count++;
    }
    if (!code && cli_value(r, OPT_PATTERN)) write_pattern(o, r, j, a, count);
    if (!code) code = plot_matrices(r, costate_model_about(m).name, a, count);
    costate_model_close(m);
    return code;
}

/* ---- the C and the kinks ---------------------------------------------------------------------------------------------- */

typedef struct written {
    const char *text, *kinks;
} written;

static int differentiate(costate_model **m, const char *file, costate_model_options *options, void *context)
{
    written *w = context;
    return costate_diff(m, file, options, &w->text, &w->kinks);
}

/* Diagnostics as they are, or the first line of each, file:line:column: what, in pieces. */
static void write_kinks(FILE *to, const cli_request *r, cli_json *j, const char *kinks)
{
    if (r->format == CLI_TABLE) fputs(*kinks ? kinks : "no kinks\n", to);
    if (r->format == CLI_CSV) fputs("file,line,column,text\n", to);
    if (r->format == CLI_JSON) json_open(j, "kinks", '[');
    for (const char *line = kinks; *line && r->format != CLI_TABLE; line += strcspn(line, "\n") + 1) {
        int row, column, at = 0, file = 0;
        if (sscanf(line, "%*[^:\n]%n:%d:%d: %*[^:\n]: %n", &file, &row, &column, &at) < 2 || !at) continue;
        char *name = cli_text("%.*s", file, line), *text = cli_text("%.*s", (int)strcspn(line + at, "\n"), line + at);
        if (r->format == CLI_CSV) {
            csv_text(to, name, 0);
            fprintf(to, "%d,%d,", row, column);
            csv_text(to, text, 1);
        } else {
            json_line(j, NULL, '{');
            json_text(j, "file", name);
            json_whole(j, "line", row);
            json_whole(j, "column", column);
            json_text(j, "text", text);
            json_close(j, '}');
        }
        free(name);
        free(text);
    }
    if (r->format == CLI_JSON) json_close(j, ']');
}

/* ---- the passes ------------------------------------------------------------------------------------------------------- */

static int no_pass(const char *word)
{
    const char *name, *about;
    fprintf(stderr, "costate diff: there is no pass '%s'; the passes, in their order:\n", word);
    for (int i = 0; (name = costate_pass(i, &about)); i++) fprintf(stderr, "  %-17s %s\n", name, about);
    return EXIT_USAGE;
}

static int is_pass(const char *word)
{
    const char *name, *about;
    for (int i = 0; (name = costate_pass(i, &about)); i++)
        if (strcmp(name, word) == 0) return 1;
    return 0;
}

typedef struct dumped {
    const char *pass, *product, *text;
} dumped;

static int dump_trees(costate_model **m, const char *file, costate_model_options *options, void *context)
{
    dumped *d = context;
    return costate_dump(m, file, options, d->pass, d->product, &d->text);
}

static int dump(const cli_request *r)
{
    cli_out o;
    costate_model *m = NULL;
    dumped d = {.pass = cli_value(r, OPT_DUMP), .product = cli_value(r, OPT_PRODUCT)};
    if (!is_pass(d.pass)) return no_pass(d.pass);
    int code = cli_out_open(&o, r);
    if (!code) code = cli_open_with(dump_trees, &m, r, &d);
    if (!code) fputs(d.text, o.to);
    costate_model_close(m);
    return cli_out_close(&o, code);
}

/* ---- all of it -------------------------------------------------------------------------------------------------------- */

/* The C itself: asked for neither kinks nor patterns. */
static int pure(const cli_request *r)
{
    return !cli_value(r, OPT_LINT) && !cli_value(r, OPT_PATTERN);
}

/* The C as an object, for programs that want to know what else was said. */
static void write_object(cli_out *o, const char *file, const char *c)
{
    cli_json j = {.out = o, .fresh = 1};
    json_open(&j, NULL, '{');
    json_text(&j, "file", file);
    json_text(&j, "c", c);
    json_open(&j, "warnings", '[');
    for (int i = 0; i < o->warnings; i++) json_text(&j, NULL, o->warning[i]);
    json_close(&j, ']');
    json_close(&j, '}');
}

/* o: where the C goes; rest: what was found in the model. */
static int text(const cli_request *r, cli_out *o, FILE *rest, cli_json *j)
{
    costate_model *m = NULL;
    written w = {0};
    const int lint = cli_value(r, OPT_LINT) != NULL;
    const int code = cli_open_with(differentiate, &m, r, &w);
    if (!code && pure(r)) cli_model_warnings(o, m);
    if (!code && pure(r) && r->format == CLI_JSON) write_object(o, r->file, w.text);
    else if (!code && (pure(r) || o->path)) fputs(w.text, o->to);
    if (!code && lint) write_kinks(rest, r, j, w.kinks);
    costate_model_close(m);
    return code;
}

/* With -o the C goes to the file, and the rest to standard output, when all of it is there. */
int cli_diff(cli_request *r)
{
    cli_out o;
    plot f = {.path = cli_value(r, OPT_PLOT)};
    const int object = r->format == CLI_JSON && !pure(r);
    if (f.path && plot_check(&f)) return cli_usage("diff", "%s", f.message);
    if (cli_value(r, OPT_DUMP) && (!pure(r) || f.path || r->format != CLI_TABLE))
        return cli_usage("diff", "--dump is text, and goes with none of --lint, --pattern, --plot and --format");
    if (cli_value(r, OPT_DUMP)) return dump(r);
    if (cli_value(r, OPT_PRODUCT)) return cli_usage("diff", "--product goes with --dump");
    if (r->format == CLI_CSV && pure(r))
        return cli_usage("diff", "C is no table: --format csv goes with --lint or --pattern, json with all");
    if (r->format == CLI_CSV && cli_value(r, OPT_LINT) && cli_value(r, OPT_PATTERN))
        return cli_usage("diff", "--lint and --pattern are two tables: one of them with --format csv");
    int code = cli_out_open(&o, r);
    char *found = NULL;
    size_t length = 0;
    cli_out rest = {.to = open_memstream(&found, &length), .command = "diff", .quiet = o.quiet, .width = o.width};
    cli_json j = {.out = &rest, .fresh = 1};
    if (!rest.to) code = cli_usage("diff", "out of memory");
    if (!code && object) json_open(&j, NULL, '{');
    if (!code) code = text(r, &o, rest.to, &j);
    if (!code && (cli_value(r, OPT_PATTERN) || f.path)) code = pattern(&rest, r, &j);
    if (!code && object) json_close(&j, '}');
    if (rest.to) fclose(rest.to);
    rest.to = stdout;
    if (!code) fwrite(found, 1, length, stdout);
    free(found);
    code = cli_out_close(&o, code);
    return cli_out_close(&rest, code);
}
