/* ensemble_gradient.c - costate gradient MODEL.c --ensemble FILE: a gradient for every member. */
#include "ensemble.h"

#include <stdlib.h>

static double bar(const cli_session *s, const ensemble *a, int k, int l, int v)
{
    if (v < 0) return a->psi_bar[(size_t)k * (size_t)s->objectives + (size_t)a->of->pick[l]];
    return a->d_bar[((size_t)k * (size_t)a->wrt->count + (size_t)v) * (size_t)a->of->count + (size_t)l];
}

static double value(const cli_session *s, const ensemble *a, int k, int l)
{
    return a->psi[(size_t)k * (size_t)s->objectives + (size_t)a->of->pick[l]];
}

/* Of objective l with respect to variable v, both as chosen. */
static double derivative(const ensemble *a, int k, int v, int l)
{
    return a->d[((size_t)k * (size_t)a->wrt->count + (size_t)v) * (size_t)a->of->count + (size_t)l];
}

/* Visits the columns of derivatives in their order: objective by objective, its value and then its derivatives (v >= 0). */
static int next_column(const ensemble *a, int *l, int *v)
{
    if (++*v < a->wrt->count) return 1;
    *v = -1;
    return ++*l < a->of->count;
}

static void print_table(cli_session *s, const ensemble *a)
{
    cli_table t;
    report_head(s);
    const int group = a->psi_bar ? 2 : 1;
    table_open(&t, 2 + a->of->count * (1 + a->wrt->count) * group, 2);
    t.group = group;
    table_text(&t, "member");
    table_text(&t, "status");
    for (int l = 0, v = -1, more = 1; more; more = next_column(a, &l, &v)) {
        if (v < 0) table_text(&t, "%s", s->objective[a->of->pick[l]]);
        else table_text(&t, "d %s / d %s", s->objective[a->of->pick[l]], cli_variable(s, a->wrt->pick[v]));
        if (a->psi_bar) table_text(&t, "%s", "");
    }
    for (int k = 0; k < a->m.count; k++) {
        table_text(&t, "%d", k + 1);
        table_text(&t, "%s", ensemble_status(a, k));
        for (int l = 0, v = -1, more = 1; more; more = next_column(a, &l, &v))
            if (a->member[k].status) {
                table_text(&t, "-");
                if (a->psi_bar) table_text(&t, "%s", "");
            } else {
                const double x = v < 0 ? value(s, a, k, l) : derivative(a, k, v, l);
                table_number(&t, x);
                if (a->psi_bar) table_bar(&t, x, bar(s, a, k, l, v));
            }
    }
    table_print(&t, &s->out);
}

static void print_csv(cli_session *s, const ensemble *a)
{
    FILE *to = s->out.to;
    fputs("member,status,", to);
    for (int l = 0, v = -1, more = 1; more; more = next_column(a, &l, &v)) {
        const char *name = s->objective[a->of->pick[l]];
        char *head = v < 0 ? cli_text("%s", name) : cli_text("d %s / d %s", name, cli_variable(s, a->wrt->pick[v]));
        csv_text(to, head, 0);
        char *bars = cli_text("bar %s", head);
        if (a->psi_bar) csv_text(to, bars, 0);
        free(bars);
        free(head);
    }
    csv_text(to, "message", 1);
    for (int k = 0; k < a->m.count; k++) {
        fprintf(to, "%d,%s,", k + 1, ensemble_status(a, k));
        for (int l = 0, v = -1, more = 1; more; more = next_column(a, &l, &v))
            if (a->member[k].status) fputs(a->psi_bar ? ",," : ",", to);
            else {
                csv_number(&s->out, s->objective[a->of->pick[l]], v < 0 ? value(s, a, k, l) : derivative(a, k, v, l), 0);
                if (a->psi_bar) csv_number(&s->out, s->objective[a->of->pick[l]], bar(s, a, k, l, v), 0);
            }
        csv_text(to, a->member[k].message, 1);
    }
}

static void print_member(cli_session *s, cli_json *j, const ensemble *a, int k)
{
    const size_t w = (size_t)a->of->count;
    json_open(j, "objectives", '[');
    for (int l = 0; l < a->of->count; l++) {
        json_open(j, NULL, '{');
        json_text(j, "name", s->objective[a->of->pick[l]]);
        json_number(j, "value", value(s, a, k, l));
        const size_t at = (size_t)k * (size_t)a->wrt->count * w + (size_t)l;
        if (a->psi_bar) json_number(j, "bar", bar(s, a, k, l, -1));
        report_variables(s, j, a->wrt, a->d + at, a->of->count);
        if (a->psi_bar) report_bars(s, j, a->wrt, a->d_bar + at, a->of->count);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void print_json(cli_session *s, const ensemble *a)
{
    ensemble_json(s, a, print_member);
}

int cli_ensemble_gradient(cli_session *s, const cli_choice *wrt, const cli_choice *of)
{
    ensemble a = {.wrt = wrt, .of = of};
    return ensemble_run(s, &a, (ensemble_printer *const[]){print_table, print_csv, print_json});
}
