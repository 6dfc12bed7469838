/* gradient.c - costate gradient MODEL.c: derivatives of the objectives with respect to parameters and initial values, by the
 * adjoint, or forward where that is cheaper. Nothing is printed unless all of it could be computed. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct result {
    cli_choice wrt, of;    /* variables; objectives */
    double *y, *psi;       /* n; all objectives */
    double *derivative;    /* wrt.count x of.count */
    double *psi_bar, *bar; /* of all objectives, of the derivatives; or NULL */
    double *rows;          /* --at: drawn x n x of.count, lambda(t); else NULL */
    cli_events events;     /* of a picture of these */
} result;

/* A picture has both sides of where lambda(t) jumps: a run says when that is. */
static int find_jumps(cli_session *s, costate_solver *solver, result *a)
{
    const int status = costate_solve(solver, s->t0, s->t1, s->p, a->y);
    if (status) return status;
    events_take(s, solver, &a->events);
    adjoints_jumps(s, &a->events);
    free(a->rows);
    a->rows = cli_take((size_t)s->drawn * (size_t)s->n * (size_t)a->of.count, sizeof *a->rows);
    memcpy(a->y, s->y0, (size_t)s->n * sizeof *a->y);
    return 0;
}

static int work(cli_session *s, costate_solver *solver, void *context)
{
    result *a = context;
    const size_t n = (size_t)s->n, w = (size_t)a->of.count;
    double *weights = cli_take((size_t)s->objectives * w, sizeof *weights);
    int *variable = cli_library_variables(s, &a->wrt);
    for (size_t l = 0; l < w; l++) weights[(size_t)a->of.pick[l] * w + l] = 1;
    memcpy(a->y, s->y0, n * sizeof *a->y);
    int status = a->rows && cli_value(s->request, OPT_PLOT) ? find_jumps(s, solver, a) : 0;
    if (!status && a->rows) status = costate_adjoint_output(solver, s->drawn, s->times, a->rows);
    if (!status)
        status = costate_sensitivities(solver, s->t0, s->t1, s->p, a->y, a->wrt.count, variable, a->of.count, weights,
                                       a->derivative);
    if (!status) status = costate_objectives(solver, a->psi);
    if (!status && a->rows) status = costate_adjoint_output(solver, 0, NULL, NULL); /* those of this run are wanted */
    if (!status && a->bar)
        status = costate_bars(solver, &(costate_error_bars){.of = COSTATE_BARS_SENSITIVITIES,
                                                            .w = a->of.count,
                                                            .weights = weights,
                                                            .count = a->wrt.count,
                                                            .variable = variable,
                                                            .psi = a->psi_bar,
                                                            .value = {a->derivative},
                                                            .bar = {a->bar}});
    free(variable);
    free(weights);
    return status;
}

static double derivative(const result *a, int k, int l)
{
    return a->derivative[(size_t)k * (size_t)a->of.count + (size_t)l];
}

static double bar(const result *a, int k, int l)
{
    return a->bar[(size_t)k * (size_t)a->of.count + (size_t)l];
}

static double scaled(const cli_session *s, const result *a, int k, int l)
{
    return derivative(a, k, l) * cli_variable_value(s, a->wrt.pick[k]) / a->psi[a->of.pick[l]];
}

/* One table for the parameters, one for the initial values. */
static void print_part(cli_session *s, const result *a, int initial)
{
    cli_table t;
    const int with_scaled = cli_value(s->request, OPT_SCALED) != NULL;
    int rows = 0;
    for (int k = 0; k < a->wrt.count; k++) rows += (a->wrt.pick[k] >= s->np) == initial;
    if (!rows) return;
    fputs("\n", s->out.to);
    const int with_bars = a->bar != NULL, group = 1 + with_bars + with_scaled;
    table_open(&t, 2 + a->of.count * group, 2);
    t.group = group;
    table_text(&t, initial ? "initial value" : "parameter");
    table_text(&t, "value");
    for (int l = 0; l < a->of.count; l++) {
        table_text(&t, "d %s", s->objective[a->of.pick[l]]);
        if (with_bars) table_text(&t, "%s", "");
        if (with_scaled) table_text(&t, "scaled");
    }
    for (int k = 0; k < a->wrt.count; k++) {
        const int v = a->wrt.pick[k];
        if ((v >= s->np) != initial) continue;
        table_text(&t, "%s", cli_variable(s, v));
        table_number(&t, cli_variable_value(s, v));
        for (int l = 0; l < a->of.count; l++) {
            table_number(&t, derivative(a, k, l));
            if (with_bars) table_bar(&t, derivative(a, k, l), bar(a, k, l));
            if (with_scaled) table_number(&t, scaled(s, a, k, l));
        }
    }
    table_print(&t, &s->out);
}

static void print_table(cli_session *s, const result *a)
{
    cli_table t;
    report_head(s);
    table_open(&t, a->bar ? 3 : 2, 1);
    t.group = t.columns - 1;
    table_text(&t, "objective");
    table_text(&t, "value");
    if (a->bar) table_text(&t, "%s", "");
    for (int l = 0; l < a->of.count; l++) {
        table_text(&t, "%s", s->objective[a->of.pick[l]]);
        table_number(&t, a->psi[a->of.pick[l]]);
        if (a->bar) table_bar(&t, a->psi[a->of.pick[l]], a->psi_bar[a->of.pick[l]]);
    }
    table_print(&t, &s->out);
    print_part(s, a, 0);
    print_part(s, a, 1);
    if (a->rows) adjoints_table(s, &a->of, a->rows);
}

static void print_csv(cli_session *s, const result *a)
{
    FILE *to = s->out.to;
    if (a->rows) {
        adjoints_csv(s, &a->of, a->rows);
        return;
    }
    const int with_scaled = cli_value(s->request, OPT_SCALED) != NULL;
    fprintf(to, "objective,kind,name,value,derivative%s%s\n", a->bar ? ",bar" : "", with_scaled ? ",scaled" : "");
    for (int l = 0; l < a->of.count; l++)
        for (int k = 0; k < a->wrt.count; k++) {
            const int v = a->wrt.pick[k];
            csv_text(to, s->objective[a->of.pick[l]], 0);
            csv_text(to, v < s->np ? "param" : "initial", 0);
            csv_text(to, cli_variable(s, v), 0);
            csv_number(&s->out, cli_variable(s, v), cli_variable_value(s, v), 0);
            csv_number(&s->out, cli_variable(s, v), derivative(a, k, l), !with_scaled && !a->bar);
            if (a->bar) csv_number(&s->out, cli_variable(s, v), bar(a, k, l), !with_scaled);
            if (with_scaled) csv_number(&s->out, cli_variable(s, v), scaled(s, a, k, l), 1);
        }
}

static void print_json(cli_session *s, const result *a)
{
    cli_json j;
    double *column = cli_take((size_t)a->wrt.count, sizeof *column);
    report_open(s, &j);
    report_state(s, &j, a->y);
    json_open(&j, "objectives", '[');
    for (int l = 0; l < a->of.count; l++) {
        json_open(&j, NULL, '{');
        json_text(&j, "name", s->objective[a->of.pick[l]]);
        json_number(&j, "value", a->psi[a->of.pick[l]]);
        if (a->bar) json_number(&j, "bar", a->psi_bar[a->of.pick[l]]);
        report_variables(s, &j, &a->wrt, a->derivative + l, a->of.count);
        if (a->rows) adjoints_json(s, &j, &a->of, a->rows, l);
        if (a->bar) report_bars(s, &j, &a->wrt, a->bar + l, a->of.count);
        if (cli_value(s->request, OPT_SCALED)) {
            for (int k = 0; k < a->wrt.count; k++) column[k] = scaled(s, a, k, l);
            json_open(&j, "scaled", '{');
            report_variables(s, &j, &a->wrt, column, 1);
            json_close(&j, '}');
        }
        json_close(&j, '}');
    }
    json_close(&j, ']');
    report_close(s, &j);
    free(column);
}

static void unresolved(cli_session *s, const result *a)
{
    const int all = a->wrt.count * a->of.count;
    int count = 0;
    for (int k = 0; k < all; k++) count += a->bar[k] > 0 && !costate_resolved(a->derivative[k], a->bar[k]);
    report_unresolved(s, count, all);
}

static int draw(cli_session *s, const result *a)
{
    if (!cli_value(s->request, OPT_PLOT)) return EXIT_GOOD;
    if (a->rows) return figure_adjoints(s, &a->of, a->rows, &a->events);
    const int count = a->wrt.count, with_scaled = cli_value(s->request, OPT_SCALED) != NULL;
    const size_t all = (size_t)a->of.count * (size_t)count;
    double *value = cli_take(2 * all, sizeof *value), *error = value + all;
    char **label = cli_labels(s, &a->wrt);
    for (int l = 0; l < a->of.count; l++)
        for (int k = 0; k < count; k++) {
            const size_t at = (size_t)l * (size_t)count + (size_t)k;
            const double scale = with_scaled ? fabs(cli_variable_value(s, a->wrt.pick[k]) / a->psi[a->of.pick[l]]) : 1;
            value[at] = with_scaled ? scaled(s, a, k, l) : derivative(a, k, l);
            if (a->bar) error[at] = scale * bar(a, k, l);
        }
    const int code = figure_bars(s, with_scaled ? "percent of @ per percent of name" : "d @ / d name", &a->of, count,
                                 (const char *const *)label, value, a->bar ? error : NULL);
    cli_labels_free(label, count);
    free(value);
    return code;
}

int cli_gradient(cli_request *r)
{
    cli_session s;
    result a = {0};
    int code = cli_session_open(&s, r);
    if (!code) code = cli_choose_variables(&s, 1, &a.wrt);
    if (!code) code = cli_choose_objectives(&s, &a.of);
    s.wrt = &a.wrt;
    if (!code && s.rows && cli_value(r, OPT_ENSEMBLE)) code = cli_usage("gradient", "--ensemble has no --at or --points");
    s.of = &a.of;
    if (!code && cli_value(r, OPT_ENSEMBLE)) code = cli_ensemble_gradient(&s, &a.wrt, &a.of);
    else if (!code) {
        a.y = cli_take((size_t)s.n, sizeof *a.y);
        a.psi = cli_take((size_t)s.objectives, sizeof *a.psi);
        a.derivative = cli_take((size_t)a.wrt.count * (size_t)a.of.count, sizeof *a.derivative);
        if (s.rows) a.rows = cli_take((size_t)s.drawn * (size_t)s.n * (size_t)a.of.count, sizeof *a.rows);
        if (cli_bars(&s)) {
            a.psi_bar = cli_take((size_t)s.objectives, sizeof *a.psi_bar);
            a.bar = cli_take((size_t)a.wrt.count * (size_t)a.of.count, sizeof *a.bar);
        }
        code = cli_compute(&s, work, &a);
        if (!code && a.bar) unresolved(&s, &a);
        if (!code) cli_stiff_hint(&s);
        if (!code) (r->format == CLI_JSON ? print_json : r->format == CLI_CSV ? print_csv : print_table)(&s, &a);
        if (!code) code = draw(&s, &a);
        if (!code) code = cli_accuracy_code(&s);
        report_note(&s);
    }
    free(a.wrt.pick);
    free(a.of.pick);
    free(a.y);
    free(a.psi);
    free(a.rows);
    events_free(&a.events);
    free(a.derivative);
    free(a.psi_bar);
    free(a.bar);
    return cli_session_close(&s, code);
}
