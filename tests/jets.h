/* jets.h - a problem with events written once, in numbers that carry derivatives, and all its products from that.
 *
 *     x = sum of c[S] over the subsets S of {1, 2, 4},   e1^2 = e2^2 = e4^2 = 0
 *
 * At z + e1 d1 + e2 d2 + e4 d3 the coefficient of e1 e2 e4 is the third derivative along d1, d2 and d3. */
#ifndef COSTATE_TESTS_JETS_H
#define COSTATE_TESTS_JETS_H

#include <costate/costate.h>
#include <math.h>
#include <string.h>

enum { JET = 8, JETS_MOST = 64 };

typedef struct jet {
    double c[JET];
} jet;

static inline jet num(double v)
{
    return (jet){{v}};
}

static inline jet add(jet a, jet b)
{
    for (int i = 0; i < JET; i++) a.c[i] += b.c[i];
    return a;
}

static inline jet scale(double s, jet a)
{
    for (int i = 0; i < JET; i++) a.c[i] *= s;
    return a;
}

static inline jet sub(jet a, jet b)
{
    return add(a, scale(-1, b));
}

static inline jet mul(jet a, jet b)
{
    jet r = {{0}};
    for (int i = 0; i < JET; i++)
        for (int j = 0; j < JET; j++)
            if (!(i & j)) r.c[i | j] += a.c[i] * b.c[j];
    return r;
}

/* f(a), given f and its derivatives at its value */
static inline jet of(jet a, double f, double f1, double f2, double f3)
{
    jet d = a, d2;
    d.c[0] = 0;
    d2 = mul(d, d);
    return add(add(num(f), scale(f1, d)), add(scale(f2 / 2, d2), scale(f3 / 6, mul(d, d2))));
}

static inline jet inv(jet a)
{
    const double v = 1 / a.c[0];
    return of(a, v, -v * v, 2 * v * v * v, -6 * v * v * v * v);
}

static inline jet over(jet a, jet b)
{
    return mul(a, inv(b));
}

static inline jet jsin(jet a)
{
    const double s = sin(a.c[0]), c = cos(a.c[0]);
    return of(a, s, c, -s, -c);
}

static inline jet jcos(jet a)
{
    const double s = sin(a.c[0]), c = cos(a.c[0]);
    return of(a, c, -s, -c, s);
}

static inline jet jexp(jet a)
{
    const double e = exp(a.c[0]);
    return of(a, e, e, e, e);
}

typedef struct jets jets;
/* out is zero on entry; of reset it is y */
typedef void jet_fn(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *out);
typedef enum jets_part {
    OF_RHS, OF_INIT, OF_TERMINAL, OF_RUNNING, OF_OBSERVE, OF_EVENT, OF_RESET, OF_ON_EVENT, OF_TIMES
} jets_part;

struct jets {
    int n, np, objectives, guards, timed;
    jet_fn *fn[9]; /* by jets_part */
    int (*next)(int k, int mode, double t, const double *y, const double *p);
    const double *extra;
    int64_t calls; /* of rhs */
    uint64_t held;
};

static inline int jets_rows(const jets *q, int part)
{
    return part == OF_RHS || part == OF_INIT || part == OF_RESET ? q->n
           : part == OF_EVENT                                   ? q->guards
           : part == OF_TIMES                                   ? q->timed
                                                                : q->objectives;
}

typedef struct ray { /* a direction: one lane of a block, or a unit */
    const double *t, *y, *p;
    int w, lane, unit; /* unit: -1, or which of t (0), y (1..), p (1 + n ..) */
} ray;

static inline double along_part(const ray *d, const double *part, int first, int i)
{
    if (d->unit >= 0) return d->unit == first + i;
    return part ? part[i * d->w + d->lane] : 0;
}

static inline void jets_at(jets *q, int part, const costate_modal *m, int k, double t, const double *y, const double *p,
                           const ray *d[3], jet *out)
{
    static const int at[3] = {1, 2, 4};
    jet jt = num(t), jy[JETS_MOST], jp[JETS_MOST];
    for (int i = 0; i < q->n; i++) jy[i] = num(y ? y[i] : 0);
    for (int i = 0; i < q->np; i++) jp[i] = num(p[i]);
    for (int e = 0; e < 3; e++) {
        if (!d[e]) continue;
        jt.c[at[e]] = along_part(d[e], d[e]->t, 0, 0);
        for (int i = 0; i < q->n; i++) jy[i].c[at[e]] = along_part(d[e], d[e]->y, 1, i);
        for (int i = 0; i < q->np; i++) jp[i].c[at[e]] = along_part(d[e], d[e]->p, 1 + q->n, i);
    }
    memset(out, 0, (size_t)jets_rows(q, part) * sizeof *out);
    if (part == OF_RESET) memcpy(out, jy, (size_t)q->n * sizeof *out);
    q->held = m->held;
    q->fn[part](q, m->mode, k, jt, jy, jp, out);
}

#define JETS_DATA                                                                                                                \
    const costate_modal *m = data;                                                                                               \
    jets *q = m->data;                                                                                                           \
    jet out[JETS_MOST];                                                                                                          \
    const int rows = jets_rows(q, part)

static inline int jets_eval(int part, int k, double t, const double *y, const double *p, double *g, void *data)
{
    JETS_DATA;
    const ray *none[3] = {0};
    q->calls += part == OF_RHS;
    jets_at(q, part, m, k, t, y, p, none, out);
    for (int i = 0; i < rows; i++) g[i] = out[i].c[0];
    return 0;
}

static inline int jets_jvp2(int part, int k, double t, const double *y, const double *p, int w, const double *t1,
                            const double *y1, const double *p1, const double *t2, const double *y2, const double *p2, int order,
                            double *g, void *data)
{
    JETS_DATA;
    for (int l = 0; l < w; l++) {
        const ray a = {t1, y1, p1, w, l, -1}, b = {t2, y2, p2, w, l, -1}, *d[3] = {&a, order == 2 ? &b : NULL};
        jets_at(q, part, m, k, t, y, p, d, out);
        for (int i = 0; i < rows; i++) g[i * w + l] = out[i].c[order == 2 ? 3 : 1];
    }
    return 0;
}

/* order 1: vjp; 2: with what moves; 3: vjp_dot2, into yb and pb. */
static inline int jets_vjp(int part, int k, double t, const double *y, const double *p, int w, const double *t1, const double *y1,
                           const double *p1, const double *t2, const double *y2, const double *p2, int order, const double *u,
                           const double *udot, double *yb, double *ybdot, double *pb, double *pbdot, void *data)
{
    JETS_DATA;
    const int of_p = part == OF_INIT || part == OF_TIMES;
    for (int l = 0; l < w; l++)
        for (int j = of_p ? q->n : 0; j < q->n + q->np; j++) {
            const ray unit = {.unit = 1 + j}, a = {t1, y1, p1, w, l, -1}, b = {t2, y2, p2, w, l, -1};
            const ray *d[3] = {&unit, order > 1 ? &a : NULL, order > 2 ? &b : NULL};
            double *to = j < q->n ? yb : pb, *to_dot = j < q->n ? ybdot : pbdot, sum = 0, dot = 0;
            if (!to && !to_dot) continue;
            jets_at(q, part, m, k, t, y, p, d, out);
            for (int i = 0; i < rows; i++) {
                sum += u[i * w + l] * out[i].c[order == 3 ? 7 : 1];
                if (order == 2) dot += u[i * w + l] * out[i].c[3] + (udot ? udot[i * w + l] * out[i].c[1] : 0);
            }
            const int row = j < q->n ? j : j - q->n;
            if (to) to[row * w + l] += sum;
            if (to_dot) to_dot[row * w + l] += dot;
        }
    return 0;
}

/* The callbacks of one part. */
#define JETS_FUNCTION(name, part)                                                                                                \
    static int name##_eval(int k, double t, const double *y, const double *p, double *g, void *data)                             \
    {                                                                                                                            \
        return jets_eval(part, k, t, y, p, g, data);                                                                             \
    }                                                                                                                            \
    static int name##_jvp(int k, double t, const double *y, const double *p, int w, const double *td, const double *yd,          \
                          const double *pd, double *g, void *data)                                                               \
    {                                                                                                                            \
        return jets_jvp2(part, k, t, y, p, w, td, yd, pd, NULL, NULL, NULL, 1, g, data);                                         \
    }                                                                                                                            \
    static int name##_jvp2(int k, double t, const double *y, const double *p, int w, const double *t1, const double *y1,         \
                           const double *p1, const double *t2, const double *y2, const double *p2, double *g, void *data)        \
    {                                                                                                                            \
        return jets_jvp2(part, k, t, y, p, w, t1, y1, p1, t2, y2, p2, 2, g, data);                                               \
    }                                                                                                                            \
    static int name##_vjp(int k, double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb,     \
                          void *data)                                                                                            \
    {                                                                                                                            \
        return jets_vjp(part, k, t, y, p, w, NULL, NULL, NULL, NULL, NULL, NULL, 1, u, NULL, yb, NULL, pb, NULL, data);          \
    }                                                                                                                            \
    static int name##_vjp_dot(int k, double t, const double *y, const double *p, int w, const double *td, const double *yd,      \
                              const double *pd, const double *u, const double *udot, double *yb, double *ybd, double *pb,        \
                              double *pbd, void *data)                                                                           \
    {                                                                                                                            \
        return jets_vjp(part, k, t, y, p, w, td, yd, pd, NULL, NULL, NULL, 2, u, udot, yb, ybd, pb, pbd, data);                  \
    }                                                                                                                            \
    static int name##_vjp_dot2(int k, double t, const double *y, const double *p, int w, const double *t1, const double *y1,     \
                               const double *p1, const double *t2, const double *y2, const double *p2, const double *u,          \
                               double *yb, double *pb, void *data)                                                               \
    {                                                                                                                            \
        return jets_vjp(part, k, t, y, p, w, t1, y1, p1, t2, y2, p2, 3, u, NULL, yb, NULL, pb, NULL, data);                      \
    }                                                                                                                            \
    static const costate_function name##_function = {name##_eval, name##_jvp, name##_vjp, name##_vjp_dot, name##_vjp_dot2};

JETS_FUNCTION(jets_init, OF_INIT)
JETS_FUNCTION(jets_terminal, OF_TERMINAL)
JETS_FUNCTION(jets_running, OF_RUNNING)
JETS_FUNCTION(jets_observe, OF_OBSERVE)
JETS_FUNCTION(jets_event, OF_EVENT)
JETS_FUNCTION(jets_reset, OF_RESET)
JETS_FUNCTION(jets_on_event, OF_ON_EVENT)
JETS_FUNCTION(jets_times, OF_TIMES)
JETS_FUNCTION(jets_rhs, OF_RHS)

static int jets_f(double t, const double *y, const double *p, double *f, void *data)
{
    return jets_eval(OF_RHS, 0, t, y, p, f, data);
}

static int jets_f_jvp(double t, const double *y, const double *p, int w, const double *td, const double *yd, const double *pd,
                      double *f, void *data)
{
    return jets_rhs_jvp(0, t, y, p, w, td, yd, pd, f, data);
}

static int jets_f_vjp(double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb, void *data)
{
    return jets_rhs_vjp(0, t, y, p, w, u, yb, pb, data);
}

static int jets_f_jvp2(double t, const double *y, const double *p, int w, const double *t1, const double *y1, const double *p1,
                       const double *t2, const double *y2, const double *p2, double *f, void *data)
{
    return jets_rhs_jvp2(0, t, y, p, w, t1, y1, p1, t2, y2, p2, f, data);
}

static int jets_f_vjp_dot(double t, const double *y, const double *p, int w, const double *td, const double *yd, const double *pd,
                          const double *u, const double *udot, double *yb, double *ybd, double *pb, double *pbd, void *data)
{
    return jets_rhs_vjp_dot(0, t, y, p, w, td, yd, pd, u, udot, yb, ybd, pb, pbd, data);
}

static int jets_f_vjp_dot2(double t, const double *y, const double *p, int w, const double *t1, const double *y1,
                           const double *p1, const double *t2, const double *y2, const double *p2, const double *u, double *yb,
                           double *pb, void *data)
{
    return jets_rhs_vjp_dot2(0, t, y, p, w, t1, y1, p1, t2, y2, p2, u, yb, pb, data);
}

static int jets_next(int k, double t, const double *y, const double *p, void *data)
{
    const costate_modal *m = data;
    const jets *q = m->data;
    return q->next(k, m->mode, t, y, p);
}

/* The problem, with every product. */
static inline costate_problem jets_problem(jets *q)
{
    costate_problem b = {.n = q->n, .np = q->np, .data = q, .rhs = jets_f, .jvp = jets_f_jvp, .vjp = jets_f_vjp};
    b.jvp2 = jets_f_jvp2, b.vjp_dot = jets_f_vjp_dot, b.vjp_dot2 = jets_f_vjp_dot2;
    b.objectives = q->objectives, b.events = q->guards, b.timed_events = q->timed;
    if (q->fn[OF_INIT]) b.init = jets_init_function;
    if (q->fn[OF_TERMINAL]) b.terminal = jets_terminal_function;
    if (q->fn[OF_RUNNING]) b.running = jets_running_function;
    if (q->fn[OF_OBSERVE]) b.observe = jets_observe_function;
    if (q->fn[OF_EVENT]) b.event = jets_event_function;
    if (q->fn[OF_RESET]) b.reset = jets_reset_function;
    if (q->fn[OF_ON_EVENT]) b.on_event = jets_on_event_function;
    if (q->fn[OF_TIMES]) b.event_times = jets_times_function;
    if (q->next) b.next_mode = jets_next;
    b.jvp2_of = (costate_jvp2_of){jets_terminal_jvp2, jets_running_jvp2, jets_event_jvp2, jets_reset_jvp2, jets_on_event_jvp2};
    (void)jets_rhs_function, (void)jets_init_jvp2, (void)jets_observe_jvp2, (void)jets_times_jvp2;
    return b;
}

#endif
