/* start.c - before the first step: the input is checked and copied, the first size is chosen. */
#include "core/run.h"

#include "base/kernels.h"
#include "core/consistent.h"
#include "method/mass.h"

#include <math.h>

/* Times must rise in the direction of the run and lie within it. */
static int check_times(costate_solver *s, const char *which, const double *times, int count)
{
    double dir = s->t1 > s->t0 ? 1 : -1;
    for (int k = 0; k < count; k++) {
        const int early = !(dir * (times[k] - s->t0) >= 0), late = !(dir * (s->t1 - times[k]) >= 0);
        if (early || late)
            return cst__fail(s, COSTATE_ERR_TIMES, "%s time %d is %.17g, %s the run from %.17g to %.17g", which, k, times[k],
                             !isfinite(times[k]) ? "outside of" : early ? "before" : "beyond the end of", s->t0, s->t1);
        if (k && dir * (times[k] - times[k - 1]) < 0)
            return cst__fail(s, COSTATE_ERR_TIMES, "%s time %d is %.17g, and follows %.17g in a run from %.17g to %.17g", which,
                             k, times[k], times[k - 1], s->t0, s->t1);
    }
    return 0;
}

void cst__loosen(costate_solver *s)
{
    s->opt.rtol = ldexp(s->opt.rtol, s->tight);
    for (int i = 0; s->tight && i < s->prob.n; i++) s->atol[i] = ldexp(s->atol[i], s->tight);
    s->tight = s->settled = 0;
}

int cst__start(costate_solver *s, double t0, double t1, const double *p, const double *y)
{
    char buffer[32];
    size_t n = (size_t)s->prob.n;
    cst__loosen(s);
    s->have_run = s->have_tangent = s->recorded[PRIMAL] = s->recorded[JOINT] = 0;
    if (!y || (!p && s->prob.np)) return cst__fail(s, COSTATE_ERR_NULL, "%s", y ? "p" : "y");
    s->start[0] = 0;
    if (!isfinite(t0) || !isfinite(t1) || t0 == t1) return cst__fail(s, COSTATE_ERR_TIME, "t0 = %.17g, t1 = %.17g", t0, t1);
    s->t0 = s->d.t0 = t0;
    s->t1 = t1;
    TRY(check_times(s, "observation", s->prob.observe_at, s->prob.observations));
    TRY(check_times(s, "output", s->out.times, s->out.count));
    if (s->prob.np) memcpy(s->p, p, (size_t)s->prob.np * sizeof *p);
    for (int i = 0; !cst__all_finite((size_t)s->prob.np, s->p) && i < s->prob.np; i++)
        if (!isfinite(s->p[i]))
            return cst__fail(s, COSTATE_ERR_INPUT, "parameter %s is %g", cst__param_name(s, i, buffer), s->p[i]);
    if (s->d.init.fn.eval) {
        int rc = s->d.init.fn.eval(0, t0, NULL, s->p, s->y0, s->d.init.data);
        if (rc) return cst__callback_failed(s, rc, "init", t0, 0, 0);
    } else memcpy(s->y0, y, n * sizeof *y);
    for (int i = 0; i < s->prob.n; i++)
        if (!isfinite(s->y0[i]))
            return cst__fail(s, COSTATE_ERR_INPUT, "initial value of %s is %g", cst__state_name(s, i, buffer), s->y0[i]);
    costate_stats *st = &s->stats;
    st->recomputed_steps = st->checkpoints = st->adjoint_steps = st->adjoint_rejected = 0;
    st->adjoint_method = "";
    st->rhs = st->jvp = st->vjp = st->jvp2 = st->vjp_dot = st->jac = st->factor = st->solve = st->fallbacks = 0;
    st->tier = "none";
    if (s->ev) cst__events_hold(s);
    return cst__restart(s);
}

int cst__restart(costate_solver *s)
{
    s->stats.steps = s->stats.rejected = 0;
    TRY(cst__log_start(s, s->t0));
    memset(s->psi, 0, (size_t)s->nobj * sizeof *s->psi);
    if (s->ev) s->ev->first_mode = s->prob.first_mode, s->ev->first_held = 0;
    TRY(cst__consistent_begin(s, s->y0));
    if (s->ev) TRY(cst__events_start(s));
    if (s->ev) TRY(cst__events_conditions(s));
    return cst__first_state(s, s->y0);
}

int cst__first_state(costate_solver *s, double *y)
{
    size_t n = (size_t)s->prob.n;
    memset(y + n, 0, (s->state - n) * sizeof *y);
    int rc = s->fam->history ? s->fam->history(s, y) : 0;
    return rc ? cst__callback_failed(s, rc, "rhs", s->t0, 0, 0) : 0;
}

/* Hairer, Norsett, Wanner I, II.4: h such that an explicit Euler step's error is about 0.01 tolerances. */
int cst__size_at(costate_solver *s, double t, const double *y, double *first)
{
    size_t n = (size_t)s->prob.n;
    double span = fabs(s->t1 - t), dir = s->t1 > s->t0 ? 1 : -1;
    if (s->opt.step > 0 || s->opt.h0 > 0) {
        *first = dir * (s->opt.step > 0 ? s->opt.step : s->opt.h0);
        return 0;
    }
    int rc = deriv_rhs(&s->d, cst__beside(t, s->t1), y, s->p, s->f);
    if (rc < 0) return cst__callback_failed(s, rc, "rhs", t, 0, 0);
    mass_divide(s, s->f);
    const int order = s->fam->id == COSTATE_BDF ? 1 : s->table->order; /* that of the first step */
    const size_t judged = cst__judged(s);
    const double d0 = cst__norm(judged, y, y, s->opt.rtol, s->atol);
    const double d1 = rc ? NAN : cst__norm(judged, s->f, y, s->opt.rtol, s->atol);
    double h = d0 < 1e-5 || !(d1 >= 1e-5) ? 1e-6 : 0.01 * d0 / d1;
    h = h > 0 && h < span ? h : span; /* a slope whose norm overflows says nothing */
    if (isfinite(d1)) {
        s->f_valid = 1;
        for (size_t i = 0; i < n; i++) s->ynew[i] = y[i] + dir * h * s->f[i];
        rc = deriv_rhs(&s->d, h < span ? t + dir * h : cst__beside(s->t1, s->t0), s->ynew, s->p, s->fnew);
        if (rc < 0) return cst__callback_failed(s, rc, "rhs", t + dir * h, h, 0);
        mass_divide(s, s->fnew);
        for (size_t i = 0; i < n; i++) s->fnew[i] -= s->f[i];
        double d2 = cst__norm(judged, s->fnew, y, s->opt.rtol, s->atol) / h, steep = d1 > d2 ? d1 : d2;
        if (rc == 0 && isfinite(d2)) {
            double h1 = steep <= 1e-15 ? fmax(1e-6, 1e-3 * h) : pow(0.01 / steep, 1.0 / (order + 1));
            h = h1 < 100 * h ? h1 : 100 * h;
        }
    }
    if (s->prob.mass) s->f_valid = 0; /* it was a slope */
    *first = dir * fmin(fmax(h, s->opt.hmin), span);
    return 0;
}

int cst__first_size(costate_solver *s, double *first)
{
    return cst__size_at(s, s->t0, s->y0, first);
}
