/* adjoints.c - gradient --at: lambda(t), by how much each objective changes with the states on the way, from the continuous
 * adjoint. */
#include "cli.h"

#include <stdlib.h>

double cli_adjoint(const cli_session *s, const cli_choice *of, const double *rows, int row, int i, int l)
{
    return rows[((size_t)row * (size_t)s->n + (size_t)i) * (size_t)of->count + (size_t)l];
}

/* ---- both sides of jumps ----------------------------------------------------------------------------------------------- */

enum { JUMPS = 2000 }; /* that a picture shows */

static double sign_of(const cli_session *s)
{
    return s->t1 < s->t0 ? -1 : 1;
}

/* Times where lambda jumps, in the order of the run; by malloc. */
static double *jumps(const cli_session *s, const cli_events *e, int *count)
{
    const int observed = s->problem.observations, all = observed + e->count;
    const double sign = sign_of(s);
    double *t = cli_take((size_t)all, sizeof *t);
    int i = 0, k = 0;
    for (*count = 0; *count < all; ++*count) {
        const int next = i < observed && (k == e->count || sign * (s->problem.observe_at[i] - e->event[k].t) <= 0);
        t[*count] = next ? s->problem.observe_at[i++] : e->event[k++].t;
    }
    return t;
}

void adjoints_jumps(cli_session *s, const cli_events *e)
{
    const double sign = sign_of(s);
    int count, at = 0;
    double *jump = jumps(s, e, &count);
    if (count > JUMPS) count = 0;
    double *all = cli_take((size_t)s->drawn + 2 * (size_t)count, sizeof *all);
    for (int k = 0, q = 0, asked = 0; k < s->drawn || q < count;) {
        const double t = q == count || (k < s->drawn && sign * (s->times[k] - jump[q]) <= 0) ? s->times[k] : jump[q];
        int twice = 0, had = 0;
        for (; q < count && jump[q] == t; q++) twice = t != s->t0 && t != s->t1;
        for (; k < s->drawn && s->times[k] == t; k++, had++) {
            if (asked < s->rows && s->asked[asked] == k) s->asked[asked++] = at;
            all[at++] = t;
        }
        for (; had < 1 + twice; had++) all[at++] = t;
    }
    free(jump);
    free(s->times);
    s->times = all;
    s->drawn = at;
}

/* ---- results ------------------------------------------------------------------------------------------------------------ */

/* A table for each objective. */
void adjoints_table(cli_session *s, const cli_choice *of, const double *rows)
{
    cli_table t;
    for (int l = 0; l < of->count; l++) {
        fputs("\n", s->out.to);
        table_open(&t, s->n + 1, 1);
        table_text(&t, "t");
        for (int i = 0; i < s->n; i++) table_text(&t, "d %s / d %s(t)", s->objective[of->pick[l]], s->state[i]);
        for (int k = 0; k < s->rows; k++) {
            table_number(&t, s->times[s->asked[k]]);
            for (int i = 0; i < s->n; i++) table_number(&t, cli_adjoint(s, of, rows, s->asked[k], i, l));
        }
        table_print(&t, &s->out);
    }
}

void adjoints_csv(cli_session *s, const cli_choice *of, const double *rows)
{
    FILE *to = s->out.to;
    fputs("t,objective,state,adjoint\n", to);
    for (int k = 0; k < s->rows; k++)
        for (int l = 0; l < of->count; l++)
            for (int i = 0; i < s->n; i++) {
                csv_number(&s->out, "t", s->times[s->asked[k]], 0);
                csv_text(to, s->objective[of->pick[l]], 0);
                csv_text(to, s->state[i], 0);
                csv_number(&s->out, s->state[i], cli_adjoint(s, of, rows, s->asked[k], i, l), 1);
            }
}

/* Within an objective: columns. */
void adjoints_json(cli_session *s, cli_json *j, const cli_choice *of, const double *rows, int l)
{
    json_open(j, "adjoint", '{');
    json_line(j, "t", '[');
    for (int k = 0; k < s->rows; k++) json_number(j, NULL, s->times[s->asked[k]]);
    json_close(j, ']');
    json_open(j, "states", '{');
    for (int i = 0; i < s->n; i++) {
        json_line(j, s->state[i], '[');
        for (int k = 0; k < s->rows; k++) json_number(j, NULL, cli_adjoint(s, of, rows, s->asked[k], i, l));
        json_close(j, ']');
    }
    json_close(j, '}');
    json_close(j, '}');
}
