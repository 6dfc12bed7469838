/* report.c - what the results of several commands have in common. */
#include "cli.h"

#include <string.h>

void report_head(cli_session *s)
{
    cli_bold(&s->out, 1);
    fprintf(s->out.to, "%s", s->about.name);
    cli_bold(&s->out, 0);
    const costate_table *used = costate_method_find(s->method);
    const int chosen = *s->choice && used && used->family != COSTATE_ERK; /* not what one would expect */
    fprintf(s->out.to, ", %s%s", chosen ? "auto: " : "", s->method);
    if (*s->stats.adjoint_method) fprintf(s->out.to, ", adjoint equations by %s", s->stats.adjoint_method);
    fprintf(s->out.to, ", t = %g .. %g\n", s->t0, s->t1);
    const costate_accuracy *a = &s->found;
    if (a->wanted > 0)
        fprintf(s->out.to, "accuracy %g %s: bars up to %.1e with rtol = %.1e (%d run%s)\n", a->wanted,
                s->short_of ? "not reached" : "reached", a->reached, a->rtol, a->runs, a->runs == 1 ? "" : "s");
    fputs("\n", s->out.to);
}

void report_note(cli_session *s)
{
    const costate_stats *a = &s->stats;
    if (!cli_value(s->request, OPT_VERBOSE)) return;
    if (*s->choice) fprintf(stderr, "method: auto chose %s, for %s\n", s->method, s->choice);
    fprintf(stderr, "%lld steps, %lld rejected; %.3g s forward, %.3g s backward\n", (long long)a->steps, (long long)a->rejected,
            a->forward_s, a->adjoint_s);
    if (*a->adjoint_method)
        fprintf(stderr, "adjoint equations by %s: %lld steps, %lld rejected\n", a->adjoint_method, (long long)a->adjoint_steps,
                (long long)a->adjoint_rejected);
    fprintf(stderr, "calls: rhs %lld, jvp %lld, vjp %lld, jvp2 %lld, vjp_dot %lld, jac %lld\n", (long long)a->rhs,
            (long long)a->jvp, (long long)a->vjp, (long long)a->jvp2, (long long)a->vjp_dot, (long long)a->jac);
    fprintf(stderr, "derivatives: generated\n");
    if (*s->linsol)
        fprintf(stderr, "linear solver: %s, %lld factorizations, %lld solutions; Jacobian of %lld values, %d colours\n",
                s->linsol, (long long)a->factor, (long long)a->solve, (long long)a->jac_nnz, a->colours);
    if (strcmp(a->tier, "none"))
        fprintf(stderr, "trajectory: %s, %lld bytes in memory, %lld on disk, %lld steps computed again\n", a->tier,
                (long long)a->trajectory_bytes, (long long)a->disk_bytes, (long long)a->recomputed_steps);
}

static void open_with(cli_session *s, cli_json *j, const char *method)
{
    *j = (cli_json){.out = &s->out, .fresh = 1};
    json_open(j, NULL, '{');
    json_text(j, "model", s->about.name);
    if (method) json_text(j, "method", method);
    json_line(j, "t", '[');
    json_number(j, NULL, s->t0);
    json_number(j, NULL, s->t1);
    json_close(j, ']');
}

void report_open(cli_session *s, cli_json *j)
{
    const costate_accuracy *a = &s->found;
    open_with(s, j, s->method);
    if (!(a->wanted > 0)) return;
    json_line(j, "accuracy", '{');
    json_number(j, "wanted", a->wanted);
    json_truth(j, "met", !s->short_of);
    json_number(j, "reached", a->reached);
    json_number(j, "rtol", a->rtol);
    json_whole(j, "runs", a->runs);
    json_close(j, '}');
}

void report_begin(cli_session *s, cli_json *j)
{
    open_with(s, j, NULL);
}

void report_state(cli_session *s, cli_json *j, const double *y)
{
    json_line(j, "state", '{');
    for (int i = 0; i < s->n; i++) json_number(j, s->state[i], y[i]);
    json_close(j, '}');
}

void report_state_bars(cli_session *s, cli_json *j, const double *bar)
{
    json_line(j, "state_bars", '{');
    for (int i = 0; i < s->n; i++) json_number(j, s->state[i], bar[i]);
    json_close(j, '}');
}

void report_variables(cli_session *s, cli_json *j, const cli_choice *c, const double *value, int stride)
{
    json_open(j, "params", '{');
    for (int k = 0; k < c->count; k++)
        if (c->pick[k] < s->np) json_number(j, cli_variable(s, c->pick[k]), value[(size_t)k * (size_t)stride]);
    json_close(j, '}');
    if (!s->initial) return;
    json_open(j, "initial", '{');
    for (int k = 0; k < c->count; k++)
        if (c->pick[k] >= s->np) json_number(j, s->state[c->pick[k] - s->np], value[(size_t)k * (size_t)stride]);
    json_close(j, '}');
}

void report_bars(cli_session *s, cli_json *j, const cli_choice *c, const double *bar, int stride)
{
    json_open(j, "bars", '{');
    report_variables(s, j, c, bar, stride);
    json_close(j, '}');
}

void report_unresolved(cli_session *s, int count, int all)
{
    if (count) cli_warn(&s->out, "%d of %d numbers are not resolved: their bars are more than three tenths of them", count, all);
}

void report_close(cli_session *s, cli_json *j)
{
    const costate_stats *a = &s->stats;
    json_line(j, "stats", '{');
    json_whole(j, "steps", a->steps);
    json_whole(j, "rejected", a->rejected);
    json_whole(j, "limited", a->limited);
    if (*s->choice) json_text(j, "choice", s->choice);
    if (*s->adjusted) json_text(j, "start", s->adjusted);
    json_whole(j, "rhs", a->rhs);
    json_whole(j, "jvp", a->jvp);
    json_whole(j, "vjp", a->vjp);
    json_whole(j, "jvp2", a->jvp2);
    json_whole(j, "vjp_dot", a->vjp_dot);
    json_whole(j, "jac", a->jac);
    json_whole(j, "factor", a->factor);
    json_whole(j, "solve", a->solve);
    json_whole(j, "recomputed_steps", a->recomputed_steps);
    json_whole(j, "trajectory_bytes", a->trajectory_bytes);
    json_whole(j, "disk_bytes", a->disk_bytes);
    json_number(j, "forward_s", a->forward_s);
    json_number(j, "adjoint_s", a->adjoint_s);
    if (*a->adjoint_method) {
        json_text(j, "adjoint_method", a->adjoint_method);
        json_whole(j, "adjoint_steps", a->adjoint_steps);
        json_whole(j, "adjoint_rejected", a->adjoint_rejected);
    }
    json_text(j, "derivatives", "generated");
    json_text(j, "linsol", s->linsol);
    json_whole(j, "jac_nnz", a->jac_nnz);
    json_whole(j, "colours", a->colours);
    json_close(j, '}');
    report_end(s, j);
}

void report_end(cli_session *s, cli_json *j)
{
    json_open(j, "warnings", '[');
    for (int i = 0; i < s->out.warnings; i++) json_text(j, NULL, s->out.warning[i]);
    json_close(j, ']');
    json_close(j, '}');
}

/* Of the points that were asked for, a list for each state. */
static void columns(cli_session *s, cli_json *j, const char *key, const double *rows)
{
    json_open(j, key, '{');
    for (int i = 0; i < s->n; i++) {
        json_line(j, s->state[i], '[');
        for (int k = 0; k < s->rows; k++) json_number(j, NULL, rows[(size_t)s->asked[k] * (size_t)s->n + (size_t)i]);
        json_close(j, ']');
    }
    json_close(j, '}');
}

void report_rows(cli_session *s, cli_json *j, const double *rows, const double *bars)
{
    json_open(j, "trajectory", '{');
    json_line(j, "t", '[');
    for (int k = 0; k < s->rows; k++) json_number(j, NULL, s->times[s->asked[k]]);
    json_close(j, ']');
    columns(s, j, "states", rows);
    if (bars) columns(s, j, "bars", bars);
    json_close(j, '}');
}
