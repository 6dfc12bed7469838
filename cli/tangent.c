/* tangent.c - costate tangent MODEL.c: derivatives of the states with respect to parameters and initial values, at the final
 * time or at points of time. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

typedef struct values {
    double *y, *ydot;     /* drawn x n; drawn x n x wrt.count */
    double *end, *enddot; /* n; n x wrt.count: at the final time */
    double *psi, *psidot; /* objectives; objectives x wrt.count */
} values;

typedef struct result {
    cli_choice wrt;
    values is;
    values bar; /* error bars; NULLs: none */
} result;

static values take(const cli_session *s, int lanes)
{
    const size_t n = (size_t)s->n, w = (size_t)lanes, rows = (size_t)s->drawn, goals = (size_t)s->objectives;
    values x = {.y = cli_take(rows * n, sizeof(double)), .ydot = cli_take(rows * n * w, sizeof(double))};
    x.end = cli_take(n, sizeof *x.end);
    x.enddot = cli_take(n * w, sizeof *x.enddot);
    x.psi = cli_take(goals, sizeof *x.psi);
    x.psidot = cli_take(goals * w, sizeof *x.psidot);
    return x;
}

static void drop(values *x)
{
    free(x->y);
    free(x->ydot);
    free(x->end);
    free(x->enddot);
    free(x->psi);
    free(x->psidot);
}

static int bars(cli_session *s, costate_solver *solver, result *a, const double *ydot, const double *pdot)
{
    const values *x = &a->is, *e = &a->bar;
    const costate_error_bars b = {.of = COSTATE_BARS_TANGENT,
                                  .w = a->wrt.count,
                                  .ydot = ydot,
                                  .pdot = pdot,
                                  .y = e->end,
                                  .psi = e->psi,
                                  .value = {x->enddot, x->psidot},
                                  .bar = {e->enddot, e->psidot},
                                  .row = s->drawn ? e->y : NULL,
                                  .rowdot = s->drawn ? e->ydot : NULL};
    return costate_bars(solver, &b);
}

static int work(cli_session *s, costate_solver *solver, void *context)
{
    result *a = context;
    const values *x = &a->is;
    const size_t n = (size_t)s->n, w = (size_t)a->wrt.count;
    double *pdot = cli_take((size_t)s->np * w, sizeof *pdot), *ydot = cli_take(n * w, sizeof *ydot);
    for (size_t l = 0; l < w; l++) {
        const int v = a->wrt.pick[l];
        (v < s->np ? pdot + (size_t)v * w : ydot + (size_t)(v - s->np) * w)[l] = 1;
    }
    memcpy(x->end, s->y0, n * sizeof *x->end);
    memcpy(x->enddot, ydot, n * w * sizeof *ydot);
    int status = costate_output(solver, s->drawn, s->times, x->y, x->ydot);
    if (!status) status = costate_tangent(solver, s->t0, s->t1, s->p, x->end, a->wrt.count, x->enddot, s->np ? pdot : NULL);
    if (!status) status = costate_objectives(solver, x->psi);
    if (!status) status = costate_objectives_dot(solver, x->psidot);
    if (!status && a->bar.end) status = bars(s, solver, a, ydot, s->np ? pdot : NULL);
    free(pdot);
    free(ydot);
    return status;
}

/* Rows that are printed: the points of time asked for, or the final one. */
static int row_count(const cli_session *s)
{
    return s->rows ? s->rows : 1;
}

static double state_at(const cli_session *s, const values *x, int row, int i)
{
    return !s->rows ? x->end[i] : x->y[(size_t)s->asked[row] * (size_t)s->n + (size_t)i];
}

static double sensitivity(const cli_session *s, const result *a, const values *x, int row, int i, int l)
{
    if (!s->rows) return x->enddot[(size_t)i * (size_t)a->wrt.count + (size_t)l];
    return x->ydot[((size_t)s->asked[row] * (size_t)s->n + (size_t)i) * (size_t)a->wrt.count + (size_t)l];
}

/* 1: there is a bar that says that a number is not resolved. */
static int open(const cli_session *s, const result *a, int row, int i, int l)
{
    const double bar = sensitivity(s, a, &a->bar, row, i, l);
    return bar > 0 && !costate_resolved(sensitivity(s, a, &a->is, row, i, l), bar);
}

static void unresolved(cli_session *s, const result *a)
{
    int count = 0;
    for (int row = 0; row < row_count(s); row++)
        for (int i = 0; i < s->n; i++)
            for (int l = 0; l < a->wrt.count; l++) count += open(s, a, row, i, l);
    report_unresolved(s, count, row_count(s) * s->n * a->wrt.count);
}

static double time_of(const cli_session *s, int row)
{
    return s->rows ? s->times[s->asked[row]] : s->t1;
}

static void print_table(cli_session *s, const result *a)
{
    report_head(s);
    for (int row = 0; row < row_count(s); row++) {
        cli_table t;
        const int with_bars = a->bar.end != NULL, group = 1 + with_bars;
        table_open(&t, 1 + (1 + a->wrt.count) * group, 1 + group);
        t.group = group;
        table_text(&t, "t = %g", time_of(s, row));
        table_text(&t, "value");
        if (with_bars) table_text(&t, "%s", "");
        for (int l = 0; l < a->wrt.count; l++) {
            table_text(&t, "d/d %s", cli_variable(s, a->wrt.pick[l]));
            if (with_bars) table_text(&t, "%s", "");
        }
        for (int i = 0; i < s->n; i++) {
            table_text(&t, "%s", s->state[i]);
            table_number(&t, state_at(s, &a->is, row, i));
            if (with_bars) table_bar(&t, state_at(s, &a->is, row, i), state_at(s, &a->bar, row, i));
            for (int l = 0; l < a->wrt.count; l++) {
                const double x = sensitivity(s, a, &a->is, row, i, l);
                table_number(&t, x);
                if (with_bars) table_bar(&t, x, sensitivity(s, a, &a->bar, row, i, l));
            }
        }
        if (row) fputs("\n", s->out.to);
        table_print(&t, &s->out);
    }
}

static void print_csv(cli_session *s, const result *a)
{
    FILE *to = s->out.to;
    const int with_bars = a->bar.end != NULL;
    fprintf(to, "t,state,value,wrt,derivative%s\n", with_bars ? ",bar" : "");
    for (int row = 0; row < row_count(s); row++)
        for (int i = 0; i < s->n; i++)
            for (int l = 0; l < a->wrt.count; l++) {
                csv_number(&s->out, "t", time_of(s, row), 0);
                csv_text(to, s->state[i], 0);
                csv_number(&s->out, s->state[i], state_at(s, &a->is, row, i), 0);
                csv_text(to, cli_variable(s, a->wrt.pick[l]), 0);
                csv_number(&s->out, s->state[i], sensitivity(s, a, &a->is, row, i, l), !with_bars);
                if (with_bars) csv_number(&s->out, s->state[i], sensitivity(s, a, &a->bar, row, i, l), 1);
            }
}

/* The derivatives with respect to one kind of variable: a number for each state, or with points of time a list. */
static void print_kind(cli_session *s, cli_json *j, const result *a, const values *x, int initial)
{
    if (initial && !s->initial) return;
    json_open(j, initial ? "initial" : "params", '{');
    for (int l = 0; l < a->wrt.count; l++) {
        const int v = a->wrt.pick[l];
        if ((v >= s->np) != initial) continue;
        json_line(j, initial ? s->state[v - s->np] : s->param[v], '{');
        for (int i = 0; i < s->n; i++) {
            if (!s->rows) {
                json_number(j, s->state[i], sensitivity(s, a, x, 0, i, l));
                continue;
            }
            json_open(j, s->state[i], '[');
            for (int row = 0; row < row_count(s); row++) json_number(j, NULL, sensitivity(s, a, x, row, i, l));
            json_close(j, ']');
        }
        json_close(j, '}');
    }
    json_close(j, '}');
}

static void print_json(cli_session *s, const result *a)
{
    cli_json j;
    report_open(s, &j);
    const values *x = &a->is, *e = &a->bar;
    report_state(s, &j, x->end);
    if (e->end) report_state_bars(s, &j, e->end);
    if (s->rows) report_rows(s, &j, x->y, e->y);
    for (int with_bars = 0; with_bars <= (e->end != NULL); with_bars++) {
        json_open(&j, with_bars ? "bars" : "sensitivities", '{');
        print_kind(s, &j, a, with_bars ? e : x, 0);
        print_kind(s, &j, a, with_bars ? e : x, 1);
        json_close(&j, '}');
    }
    json_open(&j, "objectives", '[');
    for (int k = 0; k < s->objectives; k++) {
        json_open(&j, NULL, '{');
        json_text(&j, "name", s->objective[k]);
        json_number(&j, "value", x->psi[k]);
        if (e->end) json_number(&j, "bar", e->psi[k]);
        report_variables(s, &j, &a->wrt, x->psidot + (size_t)k * (size_t)a->wrt.count, 1);
        if (e->end) report_bars(s, &j, &a->wrt, e->psidot + (size_t)k * (size_t)a->wrt.count, 1);
        json_close(&j, '}');
    }
    json_close(&j, ']');
    report_close(s, &j);
}

int cli_tangent(cli_request *r)
{
    cli_session s;
    result a = {0};
    int code = cli_session_open(&s, r);
    if (!code) code = cli_choose_variables(&s, 0, &a.wrt);
    if (!code) {
        s.wrt = &a.wrt;
        a.is = take(&s, a.wrt.count);
        if (cli_bars(&s)) a.bar = take(&s, a.wrt.count);
        code = cli_compute(&s, work, &a);
        if (!code) cli_stiff_hint(&s);
        if (!code && a.bar.end) unresolved(&s, &a);
        if (!code) (r->format == CLI_JSON ? print_json : r->format == CLI_CSV ? print_csv : print_table)(&s, &a);
        if (!code) code = figure_tangent(&s, &a.wrt, a.is.y, a.is.ydot, a.bar.ydot);
        if (!code) code = cli_accuracy_code(&s);
        report_note(&s);
    }
    free(a.wrt.pick);
    drop(&a.is);
    drop(&a.bar);
    return cli_session_close(&s, code);
}
