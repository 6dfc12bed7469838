/* tangent.c - costate tangent MODEL.c: derivatives of the states with respect to parameters and initial values, at the final
 * time or at points of time. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

typedef struct result {
    cli_choice wrt;
    double *y, *ydot;     /* drawn x n; drawn x n x wrt.count */
    double *end, *enddot; /* n; n x wrt.count: at the final time */
    double *psi, *psidot; /* objectives; objectives x wrt.count */
} result;

static int work(cli_session *s, costate_solver *solver, void *context)
{
    result *a = context;
    const size_t n = (size_t)s->n, w = (size_t)a->wrt.count;
    double *pdot = cli_take((size_t)s->np * w, sizeof *pdot);
    for (size_t l = 0; l < w; l++) {
        const int v = a->wrt.pick[l];
        (v < s->np ? pdot + (size_t)v * w : a->enddot + (size_t)(v - s->np) * w)[l] = 1;
    }
    memcpy(a->end, s->y0, n * sizeof *a->end);
    int status = costate_output(solver, s->drawn, s->times, a->y, a->ydot);
    if (!status) status = costate_tangent(solver, s->t0, s->t1, s->p, a->end, a->wrt.count, a->enddot, s->np ? pdot : NULL);
    if (!status) status = costate_objectives(solver, a->psi);
    if (!status) status = costate_objectives_dot(solver, a->psidot);
    free(pdot);
    return status;
}

/* Rows that are printed: the points of time asked for, or the final one. */
static int row_count(const cli_session *s)
{
    return s->rows ? s->rows : 1;
}

static double state_at(const cli_session *s, const result *a, int row, int i)
{
    return !s->rows ? a->end[i] : a->y[(size_t)s->asked[row] * (size_t)s->n + (size_t)i];
}

static double sensitivity(const cli_session *s, const result *a, int row, int i, int l)
{
    if (!s->rows) return a->enddot[(size_t)i * (size_t)a->wrt.count + (size_t)l];
    return a->ydot[((size_t)s->asked[row] * (size_t)s->n + (size_t)i) * (size_t)a->wrt.count + (size_t)l];
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
        table_open(&t, 2 + a->wrt.count, 2);
        table_text(&t, "t = %g", time_of(s, row));
        table_text(&t, "value");
        for (int l = 0; l < a->wrt.count; l++) table_text(&t, "d/d %s", cli_variable(s, a->wrt.pick[l]));
        for (int i = 0; i < s->n; i++) {
            table_text(&t, "%s", s->state[i]);
            table_number(&t, state_at(s, a, row, i));
            for (int l = 0; l < a->wrt.count; l++) table_number(&t, sensitivity(s, a, row, i, l));
        }
        if (row) fputs("\n", s->out.to);
        table_print(&t, &s->out);
    }
}

static void print_csv(cli_session *s, const result *a)
{
    FILE *to = s->out.to;
    fputs("t,state,value,wrt,derivative\n", to);
    for (int row = 0; row < row_count(s); row++)
        for (int i = 0; i < s->n; i++)
            for (int l = 0; l < a->wrt.count; l++) {
                csv_number(&s->out, "t", time_of(s, row), 0);
                csv_text(to, s->state[i], 0);
                csv_number(&s->out, s->state[i], state_at(s, a, row, i), 0);
                csv_text(to, cli_variable(s, a->wrt.pick[l]), 0);
                csv_number(&s->out, s->state[i], sensitivity(s, a, row, i, l), 1);
            }
}

/* The derivatives with respect to one kind of variable: a number for each state, or with points of time a list. */
static void print_kind(cli_session *s, cli_json *j, const result *a, int initial)
{
    if (initial && !s->initial) return;
    json_open(j, initial ? "initial" : "params", '{');
    for (int l = 0; l < a->wrt.count; l++) {
        const int v = a->wrt.pick[l];
        if ((v >= s->np) != initial) continue;
        json_line(j, initial ? s->state[v - s->np] : s->param[v], '{');
        for (int i = 0; i < s->n; i++) {
            if (!s->rows) {
                json_number(j, s->state[i], sensitivity(s, a, 0, i, l));
                continue;
            }
            json_open(j, s->state[i], '[');
            for (int row = 0; row < row_count(s); row++) json_number(j, NULL, sensitivity(s, a, row, i, l));
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
    report_state(s, &j, a->end);
    if (s->rows) report_rows(s, &j, a->y);
    json_open(&j, "sensitivities", '{');
    print_kind(s, &j, a, 0);
    print_kind(s, &j, a, 1);
    json_close(&j, '}');
    json_open(&j, "objectives", '[');
    for (int k = 0; k < s->objectives; k++) {
        json_open(&j, NULL, '{');
        json_text(&j, "name", s->objective[k]);
        json_number(&j, "value", a->psi[k]);
        report_variables(s, &j, &a->wrt, a->psidot + (size_t)k * (size_t)a->wrt.count, 1);
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
        const size_t n = (size_t)s.n, w = (size_t)a.wrt.count;
        s.wrt = &a.wrt;
        a.y = cli_take((size_t)s.drawn * n, sizeof *a.y);
        a.ydot = cli_take((size_t)s.drawn * n * w, sizeof *a.ydot);
        a.end = cli_take(n, sizeof *a.end);
        a.enddot = cli_take(n * w, sizeof *a.enddot);
        a.psi = cli_take((size_t)s.objectives, sizeof *a.psi);
        a.psidot = cli_take((size_t)s.objectives * w, sizeof *a.psidot);
        code = cli_compute(&s, work, &a);
        if (!code) cli_stiff_hint(&s);
        if (!code) (r->format == CLI_JSON ? print_json : r->format == CLI_CSV ? print_csv : print_table)(&s, &a);
        if (!code) code = figure_tangent(&s, &a.wrt, a.y, a.ydot);
        report_note(&s);
    }
    free(a.wrt.pick);
    free(a.y);
    free(a.ydot);
    free(a.end);
    free(a.enddot);
    free(a.psi);
    free(a.psidot);
    return cli_session_close(&s, code);
}
