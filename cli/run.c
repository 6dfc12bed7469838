/* run.c - costate run MODEL.c: the final state and the objectives, or the state at points of time. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

typedef struct result {
    double *y, *rows, *psi;            /* n; drawn x n; objectives */
    double *y_bar, *row_bar, *psi_bar; /* their error bars, or NULL */
    cli_events events;
} result;

static int work(cli_session *s, costate_solver *solver, void *context)
{
    result *a = context;
    memcpy(a->y, s->y0, (size_t)s->n * sizeof *a->y);
    int status = costate_output(solver, s->drawn, s->times, a->rows, NULL);
    if (!status) status = costate_solve(solver, s->t0, s->t1, s->p, a->y);
    if (!status) events_take(s, solver, &a->events);
    if (!status) status = costate_objectives(solver, a->psi);
    if (status || !a->y_bar) return status;
    return costate_bars(solver, &(costate_error_bars){.y = a->y_bar, .psi = a->psi_bar, .row = s->drawn ? a->row_bar : NULL});
}

static void print_table(cli_session *s, const result *a)
{
    cli_table t;
    report_head(s);
    const int with_bars = a->y_bar != NULL, group = 1 + with_bars;
    table_open(&t, s->rows ? s->n * group + 1 : 1 + group, 1);
    t.group = group;
    if (s->rows) {
        table_text(&t, "t");
        for (int i = 0; i < s->n; i++) {
            table_text(&t, "%s", s->state[i]);
            if (with_bars) table_text(&t, "%s", "");
        }
        for (int k = 0; k < s->rows; k++) {
            const int row = s->asked[k];
            table_number(&t, s->times[row]);
            for (int i = 0; i < s->n; i++) {
                const size_t at = (size_t)row * (size_t)s->n + (size_t)i;
                table_number(&t, a->rows[at]);
                if (with_bars) table_bar(&t, a->rows[at], a->row_bar[at]);
            }
        }
    } else {
        table_text(&t, "state");
        table_text(&t, "t = %g", s->t1);
        if (with_bars) table_text(&t, "%s", "");
        for (int i = 0; i < s->n; i++) {
            table_text(&t, "%s", s->state[i]);
            table_number(&t, a->y[i]);
            if (with_bars) table_bar(&t, a->y[i], a->y_bar[i]);
        }
    }
    table_print(&t, &s->out);
    events_table(s, &a->events, cli_value(s->request, OPT_EVENTS) != NULL);
    if (s->objective[0] == s->state[0]) return; /* the final states */
    fputs("\n", s->out.to);
    table_open(&t, 1 + group, 1);
    t.group = group;
    table_text(&t, "objective");
    table_text(&t, "value");
    if (with_bars) table_text(&t, "%s", "");
    for (int k = 0; k < s->objectives; k++) {
        table_text(&t, "%s", s->objective[k]);
        table_number(&t, a->psi[k]);
        if (with_bars) table_bar(&t, a->psi[k], a->psi_bar[k]);
    }
    table_print(&t, &s->out);
}

static void print_csv(cli_session *s, const result *a)
{
    if (cli_value(s->request, OPT_EVENTS)) {
        events_csv(s, &a->events);
        return;
    }
    csv_text(s->out.to, "t", 0);
    for (int i = 0; i < s->n; i++) csv_text(s->out.to, s->state[i], !a->y_bar && i == s->n - 1);
    for (int i = 0; a->y_bar && i < s->n; i++) {
        char *name = cli_text("bar %s", s->state[i]);
        csv_text(s->out.to, name, i == s->n - 1);
        free(name);
    }
    for (int k = 0; k < (s->rows ? s->rows : 1); k++) {
        csv_number(&s->out, "t", s->rows ? s->times[s->asked[k]] : s->t1, 0);
        const double *y = s->rows ? a->rows + (size_t)s->asked[k] * (size_t)s->n : a->y;
        const double *bar = s->rows && a->y_bar ? a->row_bar + (size_t)s->asked[k] * (size_t)s->n : a->y_bar;
        for (int i = 0; i < s->n; i++) csv_number(&s->out, s->state[i], y[i], !bar && i == s->n - 1);
        for (int i = 0; bar && i < s->n; i++) csv_number(&s->out, s->state[i], bar[i], i == s->n - 1);
    }
}

static void print_json(cli_session *s, const result *a)
{
    cli_json j;
    report_open(s, &j);
    report_state(s, &j, a->y);
    if (a->y_bar) report_state_bars(s, &j, a->y_bar);
    json_open(&j, "objectives", '[');
    for (int k = 0; k < s->objectives; k++) {
        json_line(&j, NULL, '{');
        json_text(&j, "name", s->objective[k]);
        json_number(&j, "value", a->psi[k]);
        if (a->y_bar) json_number(&j, "bar", a->psi_bar[k]);
        json_close(&j, '}');
    }
    json_close(&j, ']');
    if (s->rows) report_rows(s, &j, a->rows, a->row_bar);
    events_json(s, &a->events, &j);
    report_close(s, &j);
}

int cli_run(cli_request *r)
{
    cli_session s;
    int code = cli_session_open(&s, r);
    if (!code && cli_value(r, OPT_ENSEMBLE)) code = cli_ensemble_run(&s);
    else if (!code) {
        result a = {cli_take((size_t)s.n, sizeof *a.y),
                    cli_take((size_t)s.drawn * (size_t)s.n, sizeof *a.rows),
                    cli_take((size_t)s.objectives, sizeof *a.psi),
                    NULL,
                    NULL,
                    NULL,
                    {0, 0, NULL}};
        if (cli_bars(&s)) {
            a.y_bar = cli_take((size_t)s.n, sizeof *a.y_bar);
            a.row_bar = cli_take((size_t)s.drawn * (size_t)s.n, sizeof *a.row_bar);
            a.psi_bar = cli_take((size_t)s.objectives, sizeof *a.psi_bar);
        }
        code = cli_compute(&s, work, &a);
        if (!code) cli_stiff_hint(&s);
        if (!code) (r->format == CLI_JSON ? print_json : r->format == CLI_CSV ? print_csv : print_table)(&s, &a);
        if (!code) code = figure_run(&s, a.rows, a.row_bar, &a.events);
        if (!code) code = cli_accuracy_code(&s);
        report_note(&s);
        free(a.y);
        free(a.rows);
        free(a.psi);
        free(a.y_bar);
        free(a.row_bar);
        free(a.psi_bar);
        events_free(&a.events);
    }
    return cli_session_close(&s, code);
}
