/* hessian.c - costate hessian MODEL.c: for every objective, its Hessian with respect to parameters and initial values times
 * a direction, or the whole matrix. The columns of the result are the objectives, and for the matrix objective by objective the
 * variables. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 500 }; /* rows of a matrix */

typedef struct result {
    int full;
    cli_choice wrt, of; /* variables; objectives */
    double *direction;  /* np + n, of the product */
    int lanes;
    double *y, *psi;       /* n; all objectives */
    double *product;       /* wrt.count x lanes */
    double *psi_bar, *bar; /* of all objectives, of product; or NULL */
} result;

/* The whole matrix, objective by objective. */
static int matrices(cli_session *s, costate_solver *solver, result *a)
{
    const size_t count = (size_t)a->wrt.count;
    double *h = cli_take(2 * count * count, sizeof *h), *e = h + count * count,
           *weights = cli_take((size_t)s->objectives, sizeof *weights);
    int *variable = cli_library_variables(s, &a->wrt), status = 0;
    for (size_t of = 0; of < (size_t)a->of.count && !status; of++) {
        weights[a->of.pick[of]] = 1;
        status = costate_hessian_full(solver, weights, a->wrt.count, variable, h);
        if (!status && a->bar)
            status = costate_bars(solver, &(costate_error_bars){.of = COSTATE_BARS_HESSIAN_FULL,
                                                                .weights = weights,
                                                                .count = a->wrt.count,
                                                                .variable = variable,
                                                                .psi = a->psi_bar,
                                                                .value = {h},
                                                                .bar = {e}});
        for (size_t k = 0; k < count && a->bar; k++)
            memcpy(a->bar + k * (size_t)a->lanes + of * count, e + k * count, count * sizeof *e);
        weights[a->of.pick[of]] = 0;
        for (size_t k = 0; k < count; k++)
            memcpy(a->product + k * (size_t)a->lanes + of * count, h + k * count, count * sizeof *h);
    }
    free(h);
    free(weights);
    free(variable);
    return status;
}

/* The product with the direction, objectives as lanes. */
static int products(cli_session *s, costate_solver *solver, result *a)
{
    const size_t n = (size_t)s->n, np = (size_t)s->np, w = (size_t)a->lanes;
    double *ydot = cli_take(n * w, sizeof *ydot), *pdot = cli_take(np * w, sizeof *pdot);
    double *hy = cli_take(2 * n * w, sizeof *hy), *hp = cli_take(2 * np * w, sizeof *hp), *ey = hy + n * w, *ep = hp + np * w,
           *weights = cli_take((size_t)s->objectives * w, sizeof *weights);
    for (size_t l = 0; l < w; l++) {
        weights[(size_t)a->of.pick[l] * w + l] = 1;
        for (int v = 0; v < cli_variables(s); v++)
            (v < s->np ? pdot + (size_t)v * w : ydot + (size_t)(v - s->np) * w)[l] = a->direction[v];
    }
    int status = costate_hessian(solver, a->lanes, weights, ydot, s->np ? pdot : NULL, hy, hp);
    if (!status && a->bar)
        status = costate_bars(solver, &(costate_error_bars){.of = COSTATE_BARS_HESSIAN,
                                                            .w = a->lanes,
                                                            .weights = weights,
                                                            .ydot = ydot,
                                                            .pdot = s->np ? pdot : NULL,
                                                            .psi = a->psi_bar,
                                                            .value = {hy, hp},
                                                            .bar = {ey, ep}});
    for (int k = 0; !status && k < a->wrt.count; k++) {
        const int v = a->wrt.pick[k];
        const double *row = v < s->np ? hp + (size_t)v * w : hy + (size_t)(v - s->np) * w;
        memcpy(a->product + (size_t)k * w, row, w * sizeof *row);
        row = v < s->np ? ep + (size_t)v * w : ey + (size_t)(v - s->np) * w;
        if (a->bar) memcpy(a->bar + (size_t)k * w, row, w * sizeof *row);
    }
    free(ydot);
    free(pdot);
    free(hy);
    free(hp);
    free(weights);
    return status;
}

static int work(cli_session *s, costate_solver *solver, void *context)
{
    result *a = context;
    memcpy(a->y, s->y0, (size_t)s->n * sizeof *a->y);
    int status = costate_solve(solver, s->t0, s->t1, s->p, a->y);
    if (!status) status = costate_objectives(solver, a->psi);
    return status ? status : (a->full ? matrices : products)(s, solver, a);
}

static double product(const result *a, int k, int lane)
{
    return a->product[(size_t)k * (size_t)a->lanes + (size_t)lane];
}

static double bar(const result *a, int k, int lane)
{
    return a->bar[(size_t)k * (size_t)a->lanes + (size_t)lane];
}

static void print_table(cli_session *s, const result *a)
{
    const int blocks = a->full ? a->of.count : 1, width = a->full ? a->wrt.count : a->of.count;
    report_head(s);
    for (int b = 0; b < blocks; b++) {
        cli_table t;
        if (b) fputs("\n", s->out.to);
        if (a->full) fprintf(s->out.to, "Hessian of %s = %.7g", s->objective[a->of.pick[b]], a->psi[a->of.pick[b]]);
        if (a->full && a->bar) fprintf(s->out.to, " \xC2\xB1 %.2g", a->psi_bar[a->of.pick[b]]);
        if (a->full) fputs("\n", s->out.to);
        const int group = a->bar ? 2 : 1;
        table_open(&t, (a->full ? 1 : 2) + width * group, a->full ? 1 : 2);
        t.group = group;
        table_text(&t, a->full ? "" : "variable");
        if (!a->full) table_text(&t, "direction");
        for (int l = 0; l < width; l++) {
            if (a->full) table_text(&t, "%s", cli_variable(s, a->wrt.pick[l]));
            else table_text(&t, "H(%s) d", s->objective[a->of.pick[l]]);
            if (a->bar) table_text(&t, "%s", "");
        }
        for (int k = 0; k < a->wrt.count; k++) {
            table_text(&t, "%s", cli_variable(s, a->wrt.pick[k]));
            if (!a->full) table_number(&t, a->direction[a->wrt.pick[k]]);
            for (int l = 0; l < width; l++) {
                table_number(&t, product(a, k, b * width + l));
                if (a->bar) table_bar(&t, product(a, k, b * width + l), bar(a, k, b * width + l));
            }
        }
        table_print(&t, &s->out);
    }
}

static void print_csv(cli_session *s, const result *a)
{
    FILE *to = s->out.to;
    fprintf(to, "%s%s\n", a->full ? "objective,row,column,value" : "objective,kind,name,direction,product", a->bar ? ",bar" : "");
    for (int lane = 0; lane < a->lanes; lane++)
        for (int k = 0; k < a->wrt.count; k++) {
            const int v = a->wrt.pick[k];
            csv_text(to, s->objective[a->of.pick[a->full ? lane / a->wrt.count : lane]], 0);
            if (!a->full) csv_text(to, v < s->np ? "param" : "initial", 0);
            csv_text(to, cli_variable(s, v), 0);
            if (a->full) csv_text(to, cli_variable(s, a->wrt.pick[lane % a->wrt.count]), 0);
            else csv_number(&s->out, "the direction", a->direction[v], 0);
            csv_number(&s->out, cli_variable(s, v), product(a, k, lane), !a->bar);
            if (a->bar) csv_number(&s->out, cli_variable(s, v), bar(a, k, lane), 1);
        }
}

static void print_rows(cli_json *j, const char *key, const result *a, int objective, const double *from)
{
    const size_t count = (size_t)a->wrt.count, lanes = (size_t)a->lanes, first = (size_t)objective * count;
    json_open(j, key, '[');
    for (size_t k = 0; k < count; k++) {
        json_line(j, NULL, '[');
        for (size_t l = 0; l < count; l++) json_number(j, NULL, from[k * lanes + first + l]);
        json_close(j, ']');
    }
    json_close(j, ']');
}

static void print_matrix(cli_session *s, cli_json *j, const result *a, int objective)
{
    json_line(j, "names", '[');
    for (int k = 0; k < a->wrt.count; k++) json_text(j, NULL, cli_variable(s, a->wrt.pick[k]));
    json_close(j, ']');
    print_rows(j, "matrix", a, objective, a->product);
    if (a->bar) print_rows(j, "bars", a, objective, a->bar);
}

static void print_json(cli_session *s, const result *a)
{
    cli_json j;
    report_open(s, &j);
    report_state(s, &j, a->y);
    if (!a->full) {
        json_open(&j, "direction", '{');
        for (int v = 0; v < cli_variables(s); v++)
            if (a->direction[v] != 0) json_number(&j, cli_variable(s, v), a->direction[v]);
        json_close(&j, '}');
    }
    json_open(&j, "objectives", '[');
    for (int l = 0; l < a->of.count; l++) {
        json_open(&j, NULL, '{');
        json_text(&j, "name", s->objective[a->of.pick[l]]);
        json_number(&j, "value", a->psi[a->of.pick[l]]);
        if (a->bar) json_number(&j, "bar", a->psi_bar[a->of.pick[l]]);
        if (a->full) print_matrix(s, &j, a, l);
        else report_variables(s, &j, &a->wrt, a->product + l, a->lanes);
        if (a->bar && !a->full) report_bars(s, &j, &a->wrt, a->bar + l, a->lanes);
        json_close(&j, '}');
    }
    json_close(&j, ']');
    report_close(s, &j);
}

static void unresolved(cli_session *s, const result *a)
{
    const int all = a->wrt.count * a->lanes;
    int count = 0;
    for (int k = 0; k < all; k++) count += a->bar[k] > 0 && !costate_resolved(a->product[k], a->bar[k]);
    report_unresolved(s, count, all);
}

/* The matrices, or bars for the product. */
static int draw(cli_session *s, const result *a)
{
    if (!cli_value(s->request, OPT_PLOT)) return EXIT_GOOD;
    const size_t m = (size_t)a->wrt.count, width = a->full ? m : 1;
    const size_t all = (size_t)a->of.count * m * width;
    double *value = cli_take(2 * all, sizeof *value), *error = a->bar ? value + all : NULL;
    char **label = cli_labels(s, &a->wrt);
    const char *const *name = (const char *const *)label;
    for (size_t o = 0; o < (size_t)a->of.count; o++)
        for (size_t k = 0; k < m; k++)
            for (size_t l = 0; l < width; l++) {
                value[(o * m + k) * width + l] = product(a, (int)k, (int)(o * width + l));
                if (error) error[(o * m + k) * width + l] = bar(a, (int)k, (int)(o * width + l));
            }
    const int code = a->full ? figure_matrices(s, &a->of, (int)m, name, value)
                             : figure_bars(s, "Hessian of @ times the direction", &a->of, (int)m, name, value, error);
    cli_labels_free(label, (int)m);
    free(value);
    return code;
}

static int arguments(cli_session *s, result *a)
{
    const char *command = s->request->command->name;
    a->full = cli_value(s->request, OPT_FULL) != NULL;
    if (a->full == (cli_value(s->request, OPT_DIRECTION) != NULL))
        return cli_usage(command, "give either --direction NAME=VALUE,... or --full");
    a->direction = cli_take((size_t)cli_variables(s), sizeof *a->direction);
    int code = cli_assign(s, OPT_DIRECTION, a->direction, a->direction + s->np);
    if (!code) code = cli_choose_variables(s, 1, &a->wrt);
    if (!code) code = cli_choose_objectives(s, &a->of);
    if (!code && a->full && a->wrt.count > MOST)
        code = cli_usage(command, "a matrix of %d x %d is too large for --full: choose names with --wrt, or a --direction",
                         a->wrt.count, a->wrt.count);
    a->lanes = a->full ? a->of.count * a->wrt.count : a->of.count;
    return code;
}

int cli_hessian(cli_request *r)
{
    cli_session s;
    result a = {0};
    int code = cli_session_open(&s, r);
    if (!code) code = arguments(&s, &a);
    if (!code) {
        a.y = cli_take((size_t)s.n, sizeof *a.y);
        a.psi = cli_take((size_t)s.objectives, sizeof *a.psi);
        a.product = cli_take((size_t)a.wrt.count * (size_t)a.lanes, sizeof *a.product);
        s.wrt = a.full ? &a.wrt : NULL; /* a direction may have others */
        s.of = &a.of;
        if (cli_bars(&s)) {
            a.psi_bar = cli_take((size_t)s.objectives, sizeof *a.psi_bar);
            a.bar = cli_take((size_t)a.wrt.count * (size_t)a.lanes, sizeof *a.bar);
        }
        code = cli_compute(&s, work, &a);
        if (!code && a.bar) unresolved(&s, &a);
        if (!code) cli_stiff_hint(&s);
        if (!code) (r->format == CLI_JSON ? print_json : r->format == CLI_CSV ? print_csv : print_table)(&s, &a);
        if (!code) code = draw(&s, &a);
        if (!code) code = cli_accuracy_code(&s);
        report_note(&s);
    }
    free(a.direction);
    free(a.wrt.pick);
    free(a.of.pick);
    free(a.y);
    free(a.psi);
    free(a.product);
    free(a.psi_bar);
    free(a.bar);
    return cli_session_close(&s, code);
}
