/* ensemble.c - the members of an ensemble, computed by threads. Those that fail are reported, the others printed. */
#include "ensemble.h"

#include <stdlib.h>
#include <string.h>

enum { TOLD = 5 }; /* failures that are told in full */

static int work(cli_session *s, costate_solver *solver, void *context)
{
    ensemble *a = context;
    costate_members m = {.count = a->m.count,
                         .t0 = s->t0,
                         .t1 = s->t1,
                         .p = a->m.p,
                         .y = a->m.y,
                         .psi = a->psi,
                         .member = a->member,
                         .rows = s->rows,
                         .times = s->times,
                         .row = a->row};
    if (a->psi_bar) m.psi_bar = a->psi_bar, m.d_bar = a->d_bar, m.y_bar = a->y_bar, m.row_bar = s->rows ? a->row_bar : NULL;
    const size_t w = a->of ? (size_t)a->of->count : 0;
    double *weights = cli_take((size_t)s->objectives * w, sizeof *weights);
    int *variable = a->wrt ? cli_library_variables(s, a->wrt) : NULL;
    for (size_t l = 0; l < w; l++) weights[(size_t)a->of->pick[l] * w + l] = 1;
    if (w) {
        m.w = a->of->count;
        m.weights = weights;
        m.d = a->d;
        m.variables = a->wrt->count;
        m.variable = variable;
    }
    const int status = costate_ensemble(solver, &m);
    free(weights);
    free(variable);
    for (int k = 0; k < m.count; k++) {
        a->failed += a->member[k].status != 0;
        a->steps += a->member[k].steps;
    }
    return status == COSTATE_ERR_MEMBERS ? 0 : status;
}

/* The methods of the members, each once, for the head of the results. */
static void name_methods(cli_session *s, const ensemble *a)
{
    s->method[0] = 0;
    for (int k = 0; k < a->m.count; k++) {
        const size_t length = strlen(s->method);
        if (a->member[k].status || strstr(s->method, a->member[k].method)) continue;
        snprintf(s->method + length, sizeof s->method - length, "%s%s", length ? ", " : "", a->member[k].method);
    }
    if (!*s->method) snprintf(s->method, sizeof s->method, "%s", a->member[0].method);
}

const char *ensemble_status(const ensemble *a, int k)
{
    return a->member[k].status ? "failed" : "good";
}

void ensemble_json(cli_session *s, const ensemble *a, void (*member)(cli_session *s, cli_json *j, const ensemble *a, int k))
{
    cli_json j;
    report_open(s, &j);
    json_open(&j, "members", '[');
    for (int k = 0; k < a->m.count; k++) {
        json_open(&j, NULL, '{');
        json_whole(&j, "member", k + 1);
        json_text(&j, "status", ensemble_status(a, k));
        json_text(&j, "method", a->member[k].method);
        json_whole(&j, "steps", a->member[k].steps);
        if (a->member[k].status) json_text(&j, "message", a->member[k].message);
        else member(s, &j, a, k);
        json_close(&j, '}');
    }
    json_close(&j, ']');
    json_whole(&j, "failed", a->failed);
    report_end(s, &j);
}

/* ---- what there is to tell -------------------------------------------------------------------------------------------- */

/* Values of the command line that a column of the file replaces. */
static void tell_replaced(cli_session *s, const ensemble *a)
{
    for (int c = 0; c < a->m.columns; c++) {
        const int v = a->m.variable[c], initial = v >= s->np;
        if (cli_variable_value(s, v) != (initial ? s->about.y0[v - s->np] : s->about.p[v]))
            cli_warn(&s->out, "--%s %s has no effect: the file has a column for it", initial ? "y0" : "param",
                     cli_variable(s, v));
    }
}

static void tell(cli_session *s, const ensemble *a)
{
    const char *path = cli_value(s->request, OPT_ENSEMBLE), *command = s->request->command->name;
    int told = 0;
    for (int k = 0; k < a->m.count && told < TOLD; k++)
        if (a->member[k].status) {
            fprintf(stderr, "costate %s: %s:%d: member %d: %s\n", command, path, a->m.line[k], k + 1, a->member[k].message);
            told++;
        }
    told = 0;
    for (int k = 0; k < a->m.count && told < TOLD; k++)
        if (*a->member[k].warning && ++told) cli_warn(&s->out, "member %d: %s", k + 1, a->member[k].warning);
    if (a->failed) fprintf(stderr, "costate %s: %d of %d members failed\n", command, a->failed, a->m.count);
    if (cli_value(s->request, OPT_VERBOSE)) fprintf(stderr, "%d members, %lld steps in all\n", a->m.count, (long long)a->steps);
}

static void take_room(const cli_session *s, ensemble *a)
{
    const size_t count = (size_t)a->m.count, w = a->of ? (size_t)a->of->count : 0;
    a->psi = cli_take(count * (size_t)s->objectives, sizeof *a->psi);
    a->d = cli_take(w ? count * (size_t)a->wrt->count * w : 0, sizeof *a->d);
    a->row = cli_take(count * (size_t)s->rows * (size_t)s->n, sizeof *a->row);
    a->member = cli_take(count, sizeof *a->member);
    if (!cli_bars(s)) return;
    a->psi_bar = cli_take(count * (size_t)s->objectives, sizeof *a->psi_bar);
    if (w) a->d_bar = cli_take(count * (size_t)a->wrt->count * w, sizeof *a->d_bar);
    else a->y_bar = cli_take(count * (size_t)s->n, sizeof *a->y_bar);
    a->row_bar = cli_take(count * (size_t)s->rows * (size_t)s->n, sizeof *a->row_bar);
}

/* Conditions of the text that make derivatives doubtful, in whichever members. */
static void warn(cli_session *s, const ensemble *a)
{
    int count = 0, first = -1;
    for (int k = 0; k < a->m.count; k++)
        if (*a->member[k].doubt && count++ == 0) first = k;
    if (!count) return;
    cli_warn(&s->out, "%d of %d members, the first being %d: %s", count, a->m.count, first + 1, a->member[first].doubt);
}

int ensemble_run(cli_session *s, ensemble *a, ensemble_printer *const print[3])
{
    if (cli_value(s->request, OPT_PLOT) || cli_value(s->request, OPT_SCALED))
        return cli_usage(s->request->command->name, "--ensemble goes with neither --plot nor --scaled");
    int code = cli_members_read(s, cli_value(s->request, OPT_ENSEMBLE), &a->m);
    if (!code) {
        tell_replaced(s, a);
        take_room(s, a);
        code = cli_compute(s, work, a);
    }
    if (!code) {
        name_methods(s, a);
        if (a->of) warn(s, a);
        tell(s, a);
        print[s->request->format](s, a);
        s->out.partial = 1;
        if (a->failed) code = EXIT_SOLVE;
    }
    cli_members_free(&a->m);
    free(a->psi);
    free(a->d);
    free(a->row);
    free(a->member);
    free(a->y_bar);
    free(a->psi_bar);
    free(a->d_bar);
    free(a->row_bar);
    return code;
}
