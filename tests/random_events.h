/* random_events.h - models with events drawn from numbers that look random: modes, guards that are not linear in (t, y, p),
 * resets that mix states, times that depend on parameters and may follow each other closely, an end by an event, integrals,
 * observations beside events, objectives at events. States, parameters and time have sizes of their own, from 1e-9 to 1e9. In
 * jets.h. */
#ifndef COSTATE_TESTS_RANDOM_EVENTS_H
#define COSTATE_TESTS_RANDOM_EVENTS_H

#include "jets.h"

enum { R_N = 4, R_P = 5, R_MODES = 3, R_GUARDS = 3, R_TIMED = 3, R_SEEN = 3, R_OBJ = 2, R_MOST = 400 };

/* Its numbers, all of size 1 but for the scales. */
typedef struct random_model {
    uint64_t state;
    int n, np, guards, timed, seen, modes, linear;
    double size[R_N], unit[R_P], time;
    double y0[R_N], p[R_P], direction[R_GUARDS], at[R_SEEN], gap[R_TIMED];
    double number[R_MOST]; /* drawn by their place */
    int next[R_MODES][R_GUARDS + R_TIMED];
} random_model;

static random_model *random_now;

static inline double draw(random_model *m) /* -1 .. 1 */
{
    m->state = m->state * 6364136223846793005u + 1442695040888963407u;
    uint64_t x = m->state ^ m->state >> 33;
    x *= 0xff51afd7ed558ccdu;
    return (double)(x >> 11) / 4503599627370496.0 - 1;
}

static inline int pick(random_model *m, int count)
{
    const int i = (int)((draw(m) + 1) / 2 * count);
    return i < count ? i : count - 1;
}

static inline double some_scale(random_model *m) /* 1e-9 .. 1e9, often 1 */
{
    return draw(m) < 0 ? 1 : pow(10, floor(9.5 * draw(m)));
}

static inline double rn(int i)
{
    return random_now->number[(i * 7 + 3) % R_MOST];
}

/* Values without their sizes. */
static inline jet ry(const jet *y, int i)
{
    return scale(1 / random_now->size[i % random_now->n], y[i % random_now->n]);
}
static inline jet rp(const jet *p, int i)
{
    return scale(1 / random_now->unit[i % random_now->np], p[i % random_now->np]);
}
static inline jet rt(jet t)
{
    return scale(1 / random_now->time, t);
}

/* A smooth function of all, of size 1, the i-th. */
static inline jet some(int i, jet t, const jet *y, const jet *p)
{
    const random_model *m = random_now;
    jet sum = scale(rn(i), jsin(add(scale(2 * rn(i + 1), rt(t)), rp(p, i + 1))));
    for (int j = 0; j < m->n; j++)
        sum = add(sum, scale(rn(i + 2 + j), jsin(add(ry(y, j), scale(0.5 * rn(i + 9 + j), rp(p, i + j))))));
    return add(sum, scale(0.3 * rn(i + 20), mul(ry(y, i), rp(p, i))));
}

static inline void random_rhs(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *f)
{
    const random_model *m = random_now;
    (void)q, (void)k;
    for (int i = 0; i < m->n; i++) {
        jet v = sub(scale(3, some(31 * mode + 5 * i, t, y, p)), scale(1 + 0.5 * rn(i), ry(y, i)));
        if (i + 1 < m->n) v = add(v, scale(4, sub(ry(y, (i + 1) % m->n), scale(i ? 0 : 1, ry(y, 0)))));
        else v = sub(v, scale(4, ry(y, 0)));
        f[i] = scale(m->size[i] / m->time, v);
    }
}
static inline void random_event(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *e)
{
    const random_model *m = random_now;
    (void)q, (void)k;
    for (int i = 0; i < m->guards; i++) {
        const jet level = add(num(0.6 * rn(200 + i)), scale(0.2, mul(rp(p, i), jsin(add(rt(t), rp(p, i + 1))))));
        jet v = sub(add(ry(y, i), scale(0.2 * rn(210 + i), mul(ry(y, i + 1), ry(y, i)))), level);
        if (mode == 2 && i == 1) v = num(-1); /* of no interest there */
        e[i] = scale(m->size[i % m->n], v);
    }
}
static inline void random_reset(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *to)
{
    const random_model *m = random_now;
    (void)q, (void)mode;
    for (int i = 0; i < m->n; i++)
        if (rn(300 + k + 5 * i) > -0.2) {
            const jet mixed = add(scale(0.5, some(60 + 11 * k + i, t, y, p)), scale(0.4 * rn(320 + k + i), ry(y, i)));
            to[i] = scale(m->size[i], mixed);
        }
}
static inline void random_running(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *r)
{
    (void)q, (void)k;
    r[0] = scale(1 / random_now->time, mul(some(90 + mode, t, y, p), ry(y, 0)));
    r[1] = scale(1 / random_now->time, mul(rp(p, 0), ry(y, 1)));
}
static inline void random_terminal(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *g)
{
    (void)q, (void)mode, (void)k;
    g[0] = some(100, t, y, p);
    g[1] = mul(add(num(1), rt(t)), ry(y, 0));
}
static inline void random_observe(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *g)
{
    (void)q, (void)mode;
    g[0] = mul(ry(y, k), ry(y, k));
    g[1] = some(110 + k, t, y, p);
}
static inline void random_on(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *g)
{
    const int all = q->guards + q->timed, i = k / all;
    (void)mode;
    g[0] = scale(1 + 0.1 * i, mul(rt(t), ry(y, k)));
    g[1] = some(120 + k % all, t, y, p);
}
static inline void random_times(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *tau)
{
    const random_model *m = random_now;
    (void)mode, (void)k, (void)t, (void)y;
    jet at = add(num(0.3 + 0.1 * rn(350)), scale(0.2, rp(p, 0)));
    for (int j = 0; j < q->timed; j++) {
        if (j) at = add(at, add(num(m->gap[j]), scale(m->gap[j] > 0.01 ? 0.1 : 0, mul(rp(p, j), rp(p, j + 1)))));
        if (j == 1) at = add(at, sub(rp(p, 2), num(m->p[2] / m->unit[2]))); /* whatever the gap */
        tau[j] = scale(m->time, at);
    }
}
static inline int random_next(int k, int mode, double t, const double *y, const double *p)
{
    (void)t, (void)y, (void)p;
    return random_now->next[mode][k];
}

/* Model number `seed`; scaled: with sizes. Its end is at 3 of its units of time. */
static inline costate_problem random_problem(random_model *m, jets *q, int seed, int scaled)
{
    *m = (random_model){.state = (uint64_t)seed * 0x9e3779b97f4a7c15u + 12345};
    random_now = m;
    for (int i = 0; i < 8; i++) draw(m);
    m->n = 1 + pick(m, R_N), m->np = 3 + pick(m, R_P - 2), m->guards = pick(m, R_GUARDS + 1), m->timed = pick(m, R_TIMED + 1);
    if (m->guards + m->timed == 0) m->guards = 1;
    m->modes = 1 + pick(m, R_MODES);
    m->time = scaled ? some_scale(m) : 1;
    for (int i = 0; i < R_N; i++) m->size[i] = scaled ? some_scale(m) : 1;
    for (int i = 0; i < R_P; i++) m->unit[i] = scaled ? some_scale(m) : 1;
    for (int i = 0; i < R_MOST; i++) m->number[i] = draw(m);
    for (int i = 0; i < R_N; i++) m->y0[i] = draw(m) * m->size[i];
    for (int i = 0; i < R_P; i++) m->p[i] = (0.8 + 0.5 * draw(m)) * m->unit[i];
    for (int i = 0; i < R_GUARDS; i++) m->direction[i] = pick(m, 3) - 1;
    for (int j = 0; j < R_TIMED; j++) m->gap[j] = draw(m) < 0 ? 0.4 + 0.2 * draw(m) : pow(10, -4.5 + 4.5 * draw(m));
    for (int i = 0; i < R_MODES; i++)
        for (int k = 0; k < R_GUARDS + R_TIMED; k++) m->next[i][k] = draw(m) > 0.93 ? COSTATE_STOP : pick(m, m->modes);
    *q = (jets){.n = m->n, .np = m->np, .objectives = R_OBJ, .guards = m->guards, .timed = m->timed, .next = random_next};
    jet_fn *const parts[] = {[OF_RHS] = random_rhs,       [OF_TERMINAL] = random_terminal, [OF_RUNNING] = random_running,
                             [OF_OBSERVE] = random_observe, [OF_EVENT] = random_event,     [OF_RESET] = random_reset,
                             [OF_ON_EVENT] = random_on,   [OF_TIMES] = random_times};
    memcpy(q->fn, parts, sizeof parts);
    if (!m->guards) q->fn[OF_EVENT] = NULL;
    if (!m->timed) q->fn[OF_TIMES] = NULL;
    costate_problem b = jets_problem(q);
    b.direction = m->direction;
    m->seen = pick(m, R_SEEN + 1);
    for (int i = 0; i < m->seen; i++) m->at[i] = m->time * (0.35 + 0.9 * i + 0.3 * draw(m));
    if (!m->seen) b.observe = (costate_function){0};
    b.observe_at = m->at;
    b.observations = m->seen;
    return b;
}

#endif
