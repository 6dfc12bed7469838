/* ensemble.c - costate gradient MODEL.c --ensemble FILE: a gradient for every member. Those that fail are reported, the others
 * printed. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

enum { TOLD = 5 }; /* failures that are told in full */

typedef struct result {
    const cli_choice *wrt, *of;
    cli_members m;
    int failed;
    int64_t steps;
    double *psi, *dy0, *dp; /* of all objectives; of those chosen, as lanes */
    costate_member *member;
} result;

static int work(cli_session *s, costate_solver *solver, void *context)
{
    result *a = context;
    const size_t w = (size_t)a->of->count;
    double *weights = cli_take((size_t)s->objectives * w, sizeof *weights);
    for (size_t l = 0; l < w; l++) weights[(size_t)a->of->pick[l] * w + l] = 1;
    const costate_members m = {.count = a->m.count, .t0 = s->t0, .t1 = s->t1, .p = a->m.p, .y = a->m.y, .psi = a->psi,
                               .w = a->of->count, .weights = weights, .dy0 = a->dy0, .dp = a->dp, .member = a->member};
    const int status = costate_ensemble(solver, &m);
    free(weights);
    for (int k = 0; k < m.count; k++) {
        a->failed += a->member[k].status != 0;
        a->steps += a->member[k].steps;
    }
    return status == COSTATE_ERR_MEMBERS ? 0 : status;
}

static double value(const cli_session *s, const result *a, int k, int l)
{
    return a->psi[(size_t)k * (size_t)s->objectives + (size_t)a->of->pick[l]];
}

/* Of objective l with respect to variable v. */
static double derivative(const cli_session *s, const result *a, int k, int v, int l)
{
    const int initial = v >= s->np, rows = initial ? s->n : s->np, row = initial ? v - s->np : v;
    const size_t lane = ((size_t)k * (size_t)rows + (size_t)row) * (size_t)a->of->count + (size_t)l;
    return (initial ? a->dy0 : a->dp)[lane];
}

static const char *state_of(const result *a, int k)
{
    return a->member[k].status ? "failed" : "good";
}

/* ---- formats ---------------------------------------------------------------------------------------------------------- */

/* Visits the columns of derivatives in their order: objective by objective, its value and then its derivatives (v >= 0). */
static int next_column(const result *a, int *l, int *v)
{
    if (++*v < a->wrt->count) return 1;
    *v = -1;
    return ++*l < a->of->count;
}

static void print_table(cli_session *s, const result *a)
{
    cli_table t;
    report_head(s);
    table_open(&t, 2 + a->of->count * (1 + a->wrt->count), 2);
    table_text(&t, "member");
    table_text(&t, "status");
    for (int l = 0, v = -1, more = 1; more; more = next_column(a, &l, &v))
        if (v < 0) table_text(&t, "%s", s->objective[a->of->pick[l]]);
        else table_text(&t, "d %s / d %s", s->objective[a->of->pick[l]], cli_variable(s, a->wrt->pick[v]));
    for (int k = 0; k < a->m.count; k++) {
        table_text(&t, "%d", k + 1);
        table_text(&t, "%s", state_of(a, k));
        for (int l = 0, v = -1, more = 1; more; more = next_column(a, &l, &v))
            if (a->member[k].status) table_text(&t, "-");
            else table_number(&t, v < 0 ? value(s, a, k, l) : derivative(s, a, k, a->wrt->pick[v], l));
    }
    table_print(&t, &s->out);
}

static void print_csv(cli_session *s, const result *a)
{
    FILE *to = s->out.to;
    fputs("member,status,", to);
    for (int l = 0, v = -1, more = 1; more; more = next_column(a, &l, &v)) {
        const char *name = s->objective[a->of->pick[l]];
        char *head = v < 0 ? cli_text("%s", name) : cli_text("d %s / d %s", name, cli_variable(s, a->wrt->pick[v]));
        csv_text(to, head, 0);
        free(head);
    }
    csv_text(to, "message", 1);
    for (int k = 0; k < a->m.count; k++) {
        fprintf(to, "%d,%s,", k + 1, state_of(a, k));
        for (int l = 0, v = -1, more = 1; more; more = next_column(a, &l, &v))
            if (a->member[k].status) putc(',', to);
            else csv_number(&s->out, s->objective[a->of->pick[l]],
                            v < 0 ? value(s, a, k, l) : derivative(s, a, k, a->wrt->pick[v], l), 0);
        csv_text(to, a->member[k].message, 1);
    }
}

static void print_member(cli_session *s, cli_json *j, const result *a, int k)
{
    double *column = cli_take((size_t)a->wrt->count, sizeof *column);
    json_open(j, "objectives", '[');
    for (int l = 0; l < a->of->count; l++) {
        for (int v = 0; v < a->wrt->count; v++) column[v] = derivative(s, a, k, a->wrt->pick[v], l);
        json_open(j, NULL, '{');
        json_text(j, "name", s->objective[a->of->pick[l]]);
        json_number(j, "value", value(s, a, k, l));
        report_variables(s, j, a->wrt, column, 1);
        json_close(j, '}');
    }
    json_close(j, ']');
    free(column);
}

static void print_json(cli_session *s, const result *a)
{
    cli_json j;
    report_open(s, &j);
    json_open(&j, "members", '[');
    for (int k = 0; k < a->m.count; k++) {
        json_open(&j, NULL, '{');
        json_whole(&j, "member", k + 1);
        json_text(&j, "status", state_of(a, k));
        json_whole(&j, "steps", a->member[k].steps);
        if (a->member[k].status) json_text(&j, "message", a->member[k].message);
        else print_member(s, &j, a, k);
        json_close(&j, '}');
    }
    json_close(&j, ']');
    json_whole(&j, "failed", a->failed);
    report_end(s, &j);
}

/* ---- what there is to tell -------------------------------------------------------------------------------------------- */

static void tell(const cli_session *s, const result *a)
{
    const char *path = cli_value(s->request, OPT_ENSEMBLE);
    int told = 0;
    for (int k = 0; k < a->m.count && told < TOLD; k++)
        if (a->member[k].status) {
            fprintf(stderr, "costate %s: %s:%d: member %d: %s\n", s->request->command->name, path, a->m.line[k], k + 1,
                    a->member[k].message);
            told++;
        }
    if (a->failed) fprintf(stderr, "costate %s: %d of %d members failed\n", s->request->command->name, a->failed, a->m.count);
    if (cli_value(s->request, OPT_VERBOSE))
        fprintf(stderr, "%d members, %lld steps in all\n", a->m.count, (long long)a->steps);
}

int cli_ensemble(cli_session *s, const cli_choice *wrt, const cli_choice *of)
{
    result a = {.wrt = wrt, .of = of};
    const size_t w = (size_t)of->count;
    if (cli_value(s->request, OPT_PLOT) || cli_value(s->request, OPT_SCALED))
        return cli_usage(s->request->command->name, "--ensemble goes with neither --plot nor --scaled");
    int code = cli_members_read(s, cli_value(s->request, OPT_ENSEMBLE), &a.m);
    if (!code) {
        const size_t count = (size_t)a.m.count;
        a.psi = cli_take(count * (size_t)s->objectives, sizeof *a.psi);
        a.dy0 = cli_take(count * (size_t)s->n * w, sizeof *a.dy0);
        a.dp = cli_take(count * (size_t)s->np * w, sizeof *a.dp);
        a.member = cli_take(count, sizeof *a.member);
        code = cli_compute(s, work, &a);
    }
    if (!code) {
        (s->request->format == CLI_JSON ? print_json : s->request->format == CLI_CSV ? print_csv : print_table)(s, &a);
        s->out.partial = 1;
        tell(s, &a);
        if (a.failed) code = EXIT_SOLVE;
    }
    cli_members_free(&a.m);
    free(a.psi);
    free(a.dy0);
    free(a.dp);
    free(a.member);
    return code;
}
