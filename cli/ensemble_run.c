/* ensemble_run.c - costate run MODEL.c --ensemble FILE: the final states and the objectives of every member, or the states at
 * points of time. */
#include "ensemble.h"

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

static void table_head(cli_table *t, const ensemble *a, int k)
{
    table_text(t, "%d", k + 1);
    table_text(t, "%s", ensemble_status(a, k));
}

static void print_states(cli_session *s, const ensemble *a)
{
    cli_table t;
    table_open(&t, 3 + s->n, 3);
    table_text(&t, "member");
    table_text(&t, "status");
    table_text(&t, "t");
    for (int i = 0; i < s->n; i++) table_text(&t, "%s", s->state[i]);
    for (int k = 0; k < a->m.count; k++) {
        const int failed = a->member[k].status != 0;
        for (int r = 0; r < (failed ? 1 : points(s)); r++) {
            table_head(&t, a, k);
            if (failed) table_text(&t, "-");
            else table_number(&t, time_of(s, r));
            for (int i = 0; i < s->n; i++)
                if (failed) table_text(&t, "-");
                else table_number(&t, state(s, a, k, r, i));
        }
    }
    table_print(&t, &s->out);
}

static void print_objectives(cli_session *s, const ensemble *a)
{
    cli_table t;
    fputs("\n", s->out.to);
    table_open(&t, 2 + s->objectives, 2);
    table_text(&t, "member");
    table_text(&t, "status");
    for (int o = 0; o < s->objectives; o++) table_text(&t, "%s", s->objective[o]);
    for (int k = 0; k < a->m.count; k++) {
        table_head(&t, a, k);
        for (int o = 0; o < s->objectives; o++)
            if (a->member[k].status) table_text(&t, "-");
            else table_number(&t, objective(s, a, k, o));
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
    csv_text(to, "message", 1);
    for (int k = 0; k < a->m.count; k++) {
        const int failed = a->member[k].status != 0;
        for (int r = 0; r < (failed ? 1 : points(s)); r++) {
            fprintf(to, "%d,%s,", k + 1, ensemble_status(a, k));
            for (int c = 0; failed && c < 1 + s->n + objectives; c++) putc(',', to);
            if (!failed) csv_number(&s->out, "t", time_of(s, r), 0);
            for (int i = 0; !failed && i < s->n; i++) csv_number(&s->out, s->state[i], state(s, a, k, r, i), 0);
            for (int o = 0; !failed && o < objectives; o++)
                csv_number(&s->out, s->objective[o], objective(s, a, k, o), 0);
            csv_text(to, a->member[k].message, 1);
        }
    }
}

static void print_member(cli_session *s, cli_json *j, const ensemble *a, int k)
{
    const size_t n = (size_t)s->n, at = (size_t)k;
    report_state(s, j, a->m.y + at * n);
    json_open(j, "objectives", '[');
    for (int o = 0; o < s->objectives; o++) {
        json_line(j, NULL, '{');
        json_text(j, "name", s->objective[o]);
        json_number(j, "value", objective(s, a, k, o));
        json_close(j, '}');
    }
    json_close(j, ']');
    if (s->rows) report_rows(s, j, a->row + at * (size_t)s->rows * n);
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
