/* forced_events.h - a problem that has all that events have: modes of a forced oscillator, a guard that moves, a reset that is
 * not linear in (t, y, p), timed events that depend on p, running and observed objectives, objectives at events, and a guard
 * that ends the run. Written in jets.h.
 *
 *     mode m = 0, 1:   x' = v,   v' = -k x - c v + a_m sin(w t + x) + x v/20,   z' = x^2 - z/2
 *     event 0          x = b + q sin t, rising:     v+ = r v - x^2 sin(t)/5 + c z/10,  z+ = z + q x v,        mode 1 - m
 *     event 1          z = 3, rising:               ends the run
 *     event 2, 3       at t = s, 2 s + q:           x+ = x + q cos(v + t),                                    mode stays */
#ifndef COSTATE_TESTS_FORCED_EVENTS_H
#define COSTATE_TESTS_FORCED_EVENTS_H

#include "jets.h"

enum { F_K, F_C, F_A0, F_A1, F_W, F_B, F_Q, F_R, F_S, FORCED_PARAMS };

static const double forced_p[FORCED_PARAMS] = {2.1, 0.08, 1.1, 1.9, 1.3, 0.55, 0.25, 0.83, 1.37}, forced_y[3] = {0.2, 0.9, 0.1};
static const double forced_direction[] = {1, 1}, forced_seen[] = {0.7, 2.1, 3.3};

static void forced_rhs(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *f)
{
    (void)q, (void)k;
    const jet force = mul(p[mode ? F_A1 : F_A0], jsin(add(mul(p[F_W], t), y[0])));
    f[0] = y[1];
    f[1] = add(sub(force, add(mul(p[F_K], y[0]), mul(p[F_C], y[1]))), scale(0.05, mul(y[0], y[1])));
    f[2] = sub(mul(y[0], y[0]), scale(0.5, y[2]));
}
static void forced_running(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *r)
{
    (void)q, (void)k;
    r[0] = mul(jsin(add(t, y[0])), add(num(1 + mode), mul(p[F_C], y[1])));
    r[1] = mul(p[F_A1], mul(y[1], y[1]));
}
static void forced_terminal(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *g)
{
    (void)q, (void)mode, (void)k;
    g[0] = mul(y[0], jcos(mul(p[F_W], t)));
    g[1] = add(mul(t, y[1]), y[2]);
}
static void forced_observe(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *g)
{
    (void)q, (void)mode, (void)t;
    g[0] = mul(y[0], y[0]);
    g[1] = scale(k + 1, mul(p[F_B], y[1]));
}
static void forced_event(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *e)
{
    (void)q, (void)mode, (void)k;
    e[0] = sub(y[0], add(p[F_B], mul(p[F_Q], jsin(t))));
    e[1] = sub(add(y[2], scale(0.05, mul(y[0], p[F_B]))), num(q->extra[0]));
}
static void forced_reset(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *to)
{
    (void)q, (void)mode;
    if (k == 0) {
        const jet kick = scale(0.2, mul(mul(y[0], y[0]), jsin(t)));
        to[1] = add(sub(mul(p[F_R], y[1]), kick), scale(0.1, mul(p[F_C], y[2])));
        to[2] = add(y[2], mul(p[F_Q], mul(y[0], y[1])));
    }
    if (k > 1) to[0] = add(y[0], mul(p[F_Q], jcos(add(y[1], t))));
}
static void forced_on(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *g)
{
    const int all = q->guards + q->timed, i = k / all;
    (void)mode;
    g[0] = mul(jsin(t), mul(y[1], p[F_R]));
    g[1] = k % all == 0 ? scale(1 + i, mul(t, y[0])) : mul(t, t);
}
static void forced_times(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *tau)
{
    (void)q, (void)mode, (void)k, (void)t, (void)y;
    tau[0] = p[F_S];
    tau[1] = add(scale(2, p[F_S]), mul(p[F_Q], p[F_S]));
}
static int forced_next(int k, int mode, double t, const double *y, const double *p)
{
    (void)t, (void)y, (void)p;
    return k == 1 ? COSTATE_STOP : k == 0 ? 1 - mode : mode;
}

/* last: where event 1 ends the run. */
static inline costate_problem forced_problem(jets *q, const double *last)
{
    *q = (jets){.n = 3, .np = FORCED_PARAMS, .objectives = 2, .guards = 2, .timed = 2, .next = forced_next, .extra = last};
    jet_fn *const parts[] = {[OF_RHS] = forced_rhs,     [OF_TERMINAL] = forced_terminal, [OF_RUNNING] = forced_running,
                             [OF_OBSERVE] = forced_observe, [OF_EVENT] = forced_event,   [OF_RESET] = forced_reset,
                             [OF_ON_EVENT] = forced_on, [OF_TIMES] = forced_times};
    memcpy(q->fn, parts, sizeof parts);
    costate_problem b = jets_problem(q);
    b.direction = forced_direction;
    b.observe_at = forced_seen;
    b.observations = 3;
    return b;
}

#endif
