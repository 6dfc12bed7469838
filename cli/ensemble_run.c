/* ensemble_run.c - costate run MODEL.c --ensemble FILE: the final states and the objectives of every member, or the states at
 * points of time. */
#include "ensemble.h"

#include <stdlib.h>

static int own_objectives(const cli_session *s)
{
    return s->objective[0] != s->state[0]; /* else they are the final states */
}

static int points(const cli_session *s)
{
    return s->rows ? s->rows : 1;
}

/* State i of member k at point r: of those asked for, or the end. */
static double state(const cli_session *s, const ensemble *a, int k, int r, int i)
{
    const size_t n = (size_t)s->n, at = (size_t)k;
    return s->rows ? a->row[(at * (size_t)s->rows + (size_t)r) * n + (size_t)i] : a->m.y[at * n + (size_t)i];
}

static double time_of(const cli_session *s, int r)
{
    return s->rows ? s->times[r] : s->t1;
}

static double objective(const cli_session *s, const ensemble *a, int k, int o)
{
    return a->psi[(size_t)k * (size_t)s->objectives + (size_t)o];
}

/* The error bars of these. */
static double state_bar(const cli_session *s, const ensemble *a, int k, int r, int i)
{
    const size_t n = (size_t)s->n, at = (size_t)k;
    return s->rows ? a->row_bar[(at * (size_t)s->rows + (size_t)r) * n + (size_t)i] : a->y_bar[at * n + (size_t)i];
}

static double objective_bar(const cli_session *s, const ensemble *a, int k, int o)
{
    return a->psi_bar[(size_t)k * (size_t)s->objectives + (size_t)o];
}

/* A number with its bar, or the place of both. */
static void table_cell(cli_table *t, int failed, int with_bars, double x, double bar)
{
    if (failed) table_text(t, "-");
    else table_number(t, x);
    if (with_bars && failed) table_text(t, "%s", "");
    else if (with_bars) table_bar(t, x, bar);
}

static void table_name(cli_table *t, int with_bars, const char *name)
{
    table_text(t, "%s", name);
    if (with_bars) table_text(t, "%s", "");
}

static void table_head(cli_table *t, const ensemble *a, int k)
{
    table_text(t, "%d", k + 1);
    table_text(t, "%s", ensemble_status(a, k));
}

static void print_states(cli_session *s, const ensemble *a)
{
    cli_table t;
    const int with_bars = a->y_bar != NULL, group = 1 + with_bars;
    table_open(&t, 3 + s->n * group, 3);
    t.group = group;
    table_text(&t, "member");
    table_text(&t, "status");
    table_text(&t, "t");
    for (int i = 0; i < s->n; i++) table_name(&t, with_bars, s->state[i]);
    for (int k = 0; k < a->m.count; k++) {
        const int failed = a->member[k].status != 0;
        for (int r = 0; r < (failed ? 1 : points(s)); r++) {
            table_head(&t, a, k);
            if (failed) table_text(&t, "-");
            else table_number(&t, time_of(s, r));
            for (int i = 0; i < s->n; i++)
                table_cell(&t, failed, with_bars, state(s, a, k, r, i), with_bars ? state_bar(s, a, k, r, i) : 0);
        }
    }
    table_print(&t, &s->out);
}

static void print_objectives(cli_session *s, const ensemble *a)
{
    cli_table t;
    fputs("\n", s->out.to);
    const int with_bars = a->y_bar != NULL, group = 1 + with_bars;
    table_open(&t, 2 + s->objectives * group, 2);
    t.group = group;
    table_text(&t, "member");
    table_text(&t, "status");
    for (int o = 0; o < s->objectives; o++) table_name(&t, with_bars, s->objective[o]);
    for (int k = 0; k < a->m.count; k++) {
        table_head(&t, a, k);
        for (int o = 0; o < s->objectives; o++)
            table_cell(&t, a->member[k].status != 0, with_bars, objective(s, a, k, o), with_bars ? objective_bar(s, a, k, o) : 0);
    }
    table_print(&t, &s->out);
}

static void print_table(cli_session *s, const ensemble *a)
{
    report_head(s);
    print_states(s, a);
    if (own_objectives(s)) print_objectives(s, a);
}

/* A line for each member, or for each member and point of time, and then without the objectives. */
static void print_csv(cli_session *s, const ensemble *a)
{
    FILE *to = s->out.to;
    const int objectives = own_objectives(s) && !s->rows ? s->objectives : 0;
    fputs("member,status,t,", to);
    for (int i = 0; i < s->n; i++) csv_text(to, s->state[i], 0);
    for (int o = 0; o < objectives; o++) csv_text(to, s->objective[o], 0);
    for (int i = 0; a->y_bar && i < s->n + objectives; i++) {
        char *name = cli_text("bar %s", i < s->n ? s->state[i] : s->objective[i - s->n]);
        csv_text(to, name, 0);
        free(name);
    }
    csv_text(to, "message", 1);
    for (int k = 0; k < a->m.count; k++) {
        const int failed = a->member[k].status != 0;
        for (int r = 0; r < (failed ? 1 : points(s)); r++) {
            fprintf(to, "%d,%s,", k + 1, ensemble_status(a, k));
            const int numbers = s->n + objectives;
            for (int c = 0; failed && c < 1 + numbers * (a->y_bar ? 2 : 1); c++) putc(',', to);
            if (!failed) csv_number(&s->out, "t", time_of(s, r), 0);
            for (int i = 0; !failed && i < s->n; i++) csv_number(&s->out, s->state[i], state(s, a, k, r, i), 0);
            for (int o = 0; !failed && o < objectives; o++) csv_number(&s->out, s->objective[o], objective(s, a, k, o), 0);
            for (int i = 0; a->y_bar && !failed && i < s->n; i++) csv_number(&s->out, s->state[i], state_bar(s, a, k, r, i), 0);
            for (int o = 0; a->y_bar && !failed && o < objectives; o++)
                csv_number(&s->out, s->objective[o], objective_bar(s, a, k, o), 0);
            csv_text(to, a->member[k].message, 1);
        }
    }
}

static void print_member(cli_session *s, cli_json *j, const ensemble *a, int k)
{
    const size_t n = (size_t)s->n, at = (size_t)k;
    report_state(s, j, a->m.y + at * n);
    if (a->y_bar) report_state_bars(s, j, a->y_bar + at * n);
    json_open(j, "objectives", '[');
    for (int o = 0; o < s->objectives; o++) {
        json_line(j, NULL, '{');
        json_text(j, "name", s->objective[o]);
        json_number(j, "value", objective(s, a, k, o));
        if (a->y_bar) json_number(j, "bar", objective_bar(s, a, k, o));
        json_close(j, '}');
    }
    json_close(j, ']');
    if (s->rows) report_rows(s, j, a->row + at * (size_t)s->rows * n, a->y_bar ? a->row_bar + at * (size_t)s->rows * n : NULL);
}

static void print_json(cli_session *s, const ensemble *a)
{
    ensemble_json(s, a, print_member);
}

int cli_ensemble_run(cli_session *s)
{
    ensemble a = {0};
    return ensemble_run(s, &a, (ensemble_printer *const[]){print_table, print_csv, print_json});
}
