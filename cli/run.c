/* run.c - costate run MODEL.c: the final state and the objectives, or the state at points of time. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

typedef struct result {
    double *y, *rows, *psi; /* n; drawn x n; objectives */
    cli_events events;
} result;

static int work(cli_session *s, costate_solver *solver, void *context)
{
    result *a = context;
    memcpy(a->y, s->y0, (size_t)s->n * sizeof *a->y);
    int status = costate_output(solver, s->drawn, s->times, a->rows, NULL);
    if (!status) status = costate_solve(solver, s->t0, s->t1, s->p, a->y);
    if (!status) events_take(s, solver, &a->events);
    return status ? status : costate_objectives(solver, a->psi);
}

static void print_table(cli_session *s, const result *a)
{
    cli_table t;
    report_head(s);
    table_open(&t, s->rows ? s->n + 1 : 2, 1);
    if (s->rows) {
        table_text(&t, "t");
        for (int i = 0; i < s->n; i++) table_text(&t, "%s", s->state[i]);
        for (int k = 0; k < s->rows; k++) {
            const int row = s->asked[k];
            table_number(&t, s->times[row]);
            for (int i = 0; i < s->n; i++) table_number(&t, a->rows[(size_t)row * (size_t)s->n + (size_t)i]);
        }
    } else {
        table_text(&t, "state");
        table_text(&t, "t = %g", s->t1);
        for (int i = 0; i < s->n; i++) {
            table_text(&t, "%s", s->state[i]);
            table_number(&t, a->y[i]);
        }
    }
    table_print(&t, &s->out);
    events_table(s, &a->events, cli_value(s->request, OPT_EVENTS) != NULL);
    if (s->objective[0] == s->state[0]) return; /* the final states */
    fputs("\n", s->out.to);
    table_open(&t, 2, 1);
    table_text(&t, "objective");
    table_text(&t, "value");
    for (int k = 0; k < s->objectives; k++) {
        table_text(&t, "%s", s->objective[k]);
        table_number(&t, a->psi[k]);
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
    for (int i = 0; i < s->n; i++) csv_text(s->out.to, s->state[i], i == s->n - 1);
    for (int k = 0; k < (s->rows ? s->rows : 1); k++) {
        csv_number(&s->out, "t", s->rows ? s->times[s->asked[k]] : s->t1, 0);
        const double *y = s->rows ? a->rows + (size_t)s->asked[k] * (size_t)s->n : a->y;
        for (int i = 0; i < s->n; i++) csv_number(&s->out, s->state[i], y[i], i == s->n - 1);
    }
}

static void print_json(cli_session *s, const result *a)
{
    cli_json j;
    report_open(s, &j);
    report_state(s, &j, a->y);
    json_open(&j, "objectives", '[');
    for (int k = 0; k < s->objectives; k++) {
        json_line(&j, NULL, '{');
        json_text(&j, "name", s->objective[k]);
        json_number(&j, "value", a->psi[k]);
        json_close(&j, '}');
    }
    json_close(&j, ']');
    if (s->rows) report_rows(s, &j, a->rows);
    events_json(s, &a->events, &j);
    report_close(s, &j);
}

int cli_run(cli_request *r)
{
    cli_session s;
    int code = cli_session_open(&s, r);
    if (!code && cli_value(r, OPT_ENSEMBLE)) code = cli_ensemble_run(&s);
    else if (!code) {
        result a = {cli_take((size_t)s.n, sizeof *a.y), cli_take((size_t)s.drawn * (size_t)s.n, sizeof *a.rows),
                    cli_take((size_t)s.objectives, sizeof *a.psi), {0, 0, NULL}};
        code = cli_compute(&s, work, &a);
        if (!code) cli_stiff_hint(&s);
        if (!code) (r->format == CLI_JSON ? print_json : r->format == CLI_CSV ? print_csv : print_table)(&s, &a);
        if (!code) code = figure_run(&s, a.rows, &a.events);
        report_note(&s);
        free(a.y);
        free(a.rows);
        free(a.psi);
        events_free(&a.events);
    }
    return cli_session_close(&s, code);
}
