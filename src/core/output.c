/* output.c - rows of output at given times, interpolated within the steps, which do not change for it. */
#include "core/driver.h"

#include "base/kernels.h"

/* Row r of the output: the state, and the directions of every block put side by side. */
static double *y_row(const costate_solver *s)
{
    return s->out.y + (size_t)s->out_next * (size_t)s->prob.n;
}

static double *ydot_row(const costate_solver *s, const tangent *tg)
{
    return s->out.ydot + (size_t)s->out_next * (size_t)s->prob.n * (size_t)tg->cut.w;
}

static void copy_row(costate_solver *s, tangent *tg, const double *y, int is_new)
{
    size_t n = (size_t)s->prob.n;
    memcpy(y_row(s), y, n * sizeof *y);
    for (int b = 0; tg && s->out.ydot && b < tg->cut.blocks; b++) {
        const dblock *d = &tg->block[b];
        cst__block_store(tg->cut, b, n, is_new ? d->ydotnew : d->ydot, ydot_row(s, tg));
    }
    s->out_next++;
}

int cst__output_start(costate_solver *s, tangent *tg)
{
    s->out_next = 0;
    while (s->out_next < s->out.count && s->out.times[s->out_next] == s->t0) copy_row(s, tg, s->y0, 0);
    return 0;
}

/* A row could not be had: a callback's doing, or the linear solver's. */
static int row_failed(costate_solver *s, const step *st, int rc, double t)
{
    char words[160];
    int component;
    if (rc != STEP_MATRIX) return cst__callback_failed(s, rc, "rhs or jvp, for dense output,", t, st->h, st->n);
    int code = cst__step_words(s, rc, "", words, sizeof words, &component);
    return cst__fail_at(s, code, t, st->h, st->n, -1, component, "%s for dense output at t = %.10g (step %lld, h = %g)", words, t,
                        (long long)st->n, st->h);
}

/* Rows behind the end of a run that an event has ended. */
void cst__output_stopped(costate_solver *s, tangent *tg)
{
    const size_t n = (size_t)s->prob.n;
    for (; s->ev->stopped && s->out_next < s->out.count; s->out_next++) {
        cst__fill_nan(y_row(s), n);
        if (tg && s->out.ydot) cst__fill_nan(ydot_row(s, tg), n * (size_t)tg->cut.w);
    }
}

int cst__output_step(costate_solver *s, const step *st, tangent *tg)
{
    double dir = st->h > 0 ? 1 : -1;
    for (int first = 1; s->out_next < s->out.count && dir * (st->to - s->out.times[s->out_next]) >= 0; first = 0) {
        double t = s->out.times[s->out_next], theta = (t - st->from - st->lag) / st->h;
        if (t == st->to) {
            copy_row(s, tg, st->ynew, 1);
            continue;
        }
        int rc = s->fam->dense(s, st, theta, y_row(s), NULL, NULL, first);
        for (int b = 0; tg && s->out.ydot && !rc && b < tg->cut.blocks; b++) {
            dblock *d = &tg->block[b];
            rc = take_dense(s, st, theta, d, d->dense, first);
            cst__block_store(tg->cut, b, (size_t)s->prob.n, d->dense, ydot_row(s, tg));
        }
        if (rc) return row_failed(s, st, rc, t);
        s->out_next++;
    }
    return 0;
}
