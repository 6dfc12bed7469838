/* forced_algebraic.h - as forced_events.h, with algebraic states that everything depends on: events jump in them, for their
 * equations see the time, the reset states and the mode. Written in jets.h.
 *
 *     mode m = 0, 1:   x' = v,   2 v' = -k x - c v + a_m sin(w t + x) + a/5,   z' = x^2 - z/2 + u/10
 *                      0 = a + a^3/5 - x - q v sin(t)/2 - 3m/10,   0 = u - a x + r cos(t)/5
 *     event 0          a = b + x/10 + q sin t, rising:  v+ = r v - x^2 sin(t)/5 + a/20,  a+ = 7 (a guess),      mode 1 - m
 *     event 1          z + u/20 = a number, rising:     ends the run, and z+ = z (1 + q/10)
 *     event 2, 3       at t = s, 2 s + q:               x+ = x + q cos(v + t) + u/50,                           mode stays */
#ifndef COSTATE_TESTS_FORCED_ALGEBRAIC_H
#define COSTATE_TESTS_FORCED_ALGEBRAIC_H

#include "forced_events.h"

enum { ALGEBRAIC_STATES = 5 };
static const double algebraic_mass[] = {1, 2, 1, 0, 0}, algebraic_y[] = {0.2, 0.9, 0.1, 0, 0};

static void algebraic_rhs(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *f)
{
    (void)q, (void)k;
    const jet force = mul(p[mode ? F_A1 : F_A0], jsin(add(mul(p[F_W], t), y[0])));
    const jet cube = scale(0.2, mul(y[3], mul(y[3], y[3])));
    f[0] = y[1];
    f[1] = add(sub(force, add(mul(p[F_K], y[0]), mul(p[F_C], y[1]))), scale(0.2, y[3]));
    f[2] = add(sub(mul(y[0], y[0]), scale(0.5, y[2])), scale(0.1, y[4]));
    f[3] = sub(add(y[3], cube), add(add(y[0], scale(0.5, mul(p[F_Q], mul(y[1], jsin(t))))), num(0.3 * mode)));
    f[4] = add(sub(y[4], mul(y[3], y[0])), scale(0.2, mul(p[F_R], jcos(t))));
}
static void algebraic_running(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *r)
{
    (void)q, (void)k;
    r[0] = mul(jsin(add(t, y[3])), add(num(1 + mode), mul(p[F_C], y[1])));
    r[1] = mul(p[F_A1], mul(y[1], y[4]));
}
static void algebraic_terminal(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *g)
{
    (void)q, (void)mode, (void)k;
    g[0] = mul(y[0], jcos(mul(p[F_W], t)));
    g[1] = add(mul(t, y[3]), mul(y[2], y[4]));
}
static void algebraic_event(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *e)
{
    (void)mode, (void)k;
    e[0] = sub(y[3], add(add(p[F_B], scale(0.1, y[0])), mul(p[F_Q], jsin(t))));
    e[1] = sub(add(y[2], scale(0.05, y[4])), num(q->extra[0]));
}
static void algebraic_reset(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *to)
{
    (void)q, (void)mode;
    if (k == 0) {
        const jet kick = scale(0.2, mul(mul(y[0], y[0]), jsin(t)));
        to[1] = add(sub(mul(p[F_R], y[1]), kick), scale(0.05, y[3]));
        to[3] = num(7);
    }
    if (k == 1) to[2] = add(y[2], scale(0.1, mul(p[F_Q], y[2])));
    if (k > 1) to[0] = add(y[0], add(mul(p[F_Q], jcos(add(y[1], t))), scale(0.02, y[4])));
}
static void algebraic_on(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *g)
{
    const int all = q->guards + q->timed, i = k / all;
    (void)mode;
    g[0] = mul(jsin(t), mul(y[3], p[F_R]));
    g[1] = k % all == 0 ? scale(1 + i, mul(t, y[4])) : mul(t, t);
}

/* last: where event 1 ends the run. */
static inline costate_problem algebraic_problem(jets *q, const double *last)
{
    costate_problem b = forced_problem(q, last);
    q->n = b.n = ALGEBRAIC_STATES;
    jet_fn *const parts[] = {[OF_RHS] = algebraic_rhs,     [OF_TERMINAL] = algebraic_terminal, [OF_RUNNING] = algebraic_running,
                             [OF_OBSERVE] = forced_observe, [OF_EVENT] = algebraic_event,       [OF_RESET] = algebraic_reset,
                             [OF_ON_EVENT] = algebraic_on,  [OF_TIMES] = forced_times};
    memcpy(q->fn, parts, sizeof parts);
    b.mass = algebraic_mass;
    return b;
}

#endif
