/* test_events_dae.c - systems with algebraic equations and events, each against one without that says the same: objectives,
 * gradients, Hessians; what budgets leave as it is; and what is refused.
 *
 *     rectifier  an ideal switch: i = 0 or u = v, the other follows; its current, which is algebraic, opens it
 *     pendulum   of index 1, its tension algebraic: at a wall both velocities turn round, and the tension jumps
 *     tank       0 = q^2 + a q - c h for the outflow; full, a siphon overflows too, 0 = o^2 + a o - 3 c h, until q is small
 *     tie        0 = a - k x^2 - c sin(t): two events at once, whose times move apart, and which see each other's a
 *     binding    free = x - bound, bound = B free/(K + free): doses jump in x alone */
#include "jets.h"
#include "support.h"

#include <float.h>

static jet jsqrt(jet a)
{
    const double r = sqrt(a.c[0]), v = a.c[0];
    return of(a, r, 0.5 / r, -0.25 / (r * v), 0.375 / (r * v * v));
}

/* ---- rectifier: v, i, u; p = (A, w, Rs, C, R) --------------------------------------------------------------------------- */

static jet source(jet t, const jet *p)
{
    return mul(p[0], jsin(mul(p[1], t)));
}
static void rect_rhs(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *f)
{
    (void)q, (void)k;
    f[0] = over(sub(y[1], over(y[0], p[4])), p[3]);
    f[1] = sub(sub(source(t, p), mul(p[2], y[1])), y[2]);
    f[2] = mode ? sub(y[2], y[0]) : y[1];
}
static void rect_event(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *e)
{
    (void)q, (void)k, (void)t, (void)p;
    e[0] = mode ? y[1] : num(1);
    e[1] = mode ? num(-1) : sub(y[2], y[0]);
}
static void rect_running(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *r)
{
    (void)q, (void)mode, (void)k, (void)t, (void)p;
    r[0] = mul(y[1], y[1]);
}
static void first_terminal(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *g)
{
    (void)q, (void)mode, (void)k, (void)t, (void)p;
    g[1] = y[0];
}
static int to_k(int k, int mode, double t, const double *y, const double *p)
{
    (void)mode, (void)t, (void)y, (void)p;
    return k;
}
static jet rect_current(int mode, jet t, const jet *y, const jet *p)
{
    return mode ? over(sub(source(t, p), y[0]), p[2]) : num(0);
}
static void rect_ode(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *f)
{
    (void)q, (void)k;
    f[0] = over(sub(rect_current(mode, t, y, p), over(y[0], p[4])), p[3]);
}
static void rect_ode_event(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *e)
{
    (void)q, (void)k;
    e[0] = mode ? rect_current(1, t, y, p) : num(1);
    e[1] = mode ? num(-1) : sub(source(t, p), y[0]);
}
static void rect_ode_running(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *r)
{
    (void)q, (void)k;
    const jet i = rect_current(mode, t, y, p);
    r[0] = mul(i, i);
}

/* ---- pendulum: x, y, u, v, l; p = (g, L, theta, e, wall) ------------------------------------------------------------------ */

static void swing_init(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *f)
{
    (void)q, (void)mode, (void)k, (void)t, (void)y;
    f[0] = mul(p[1], jsin(p[2]));
    f[1] = scale(-1, mul(p[1], jcos(p[2])));
    f[4] = num(5);
}
static void swing_rhs(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *f)
{
    (void)q, (void)mode, (void)k, (void)t;
    f[0] = y[2], f[1] = y[3];
    f[2] = scale(-1, mul(y[4], y[0]));
    f[3] = scale(-1, add(mul(y[4], y[1]), p[0]));
    f[4] = sub(add(mul(y[2], y[2]), mul(y[3], y[3])),
               add(mul(y[4], add(mul(y[0], y[0]), mul(y[1], y[1]))), mul(p[0], y[1])));
}
static void swing_event(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *e)
{
    (void)q, (void)mode, (void)k, (void)t;
    e[0] = add(y[0], p[4]);
}
static void swing_reset(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *to)
{
    (void)q, (void)mode, (void)k, (void)t;
    to[2] = scale(-1, mul(p[3], y[2]));
    to[3] = scale(-1, mul(p[3], y[3]));
}
static void swing_terminal(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *g)
{
    (void)q, (void)mode, (void)k, (void)t, (void)p;
    g[0] = y[0];
    g[1] = y[4];
}
static void angle_init(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *f)
{
    (void)q, (void)mode, (void)k, (void)t, (void)y;
    f[0] = p[2];
}
static void angle_rhs(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *f)
{
    (void)q, (void)mode, (void)k, (void)t;
    f[0] = y[1];
    f[1] = scale(-1, mul(over(p[0], p[1]), jsin(y[0])));
}
static void angle_event(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *e)
{
    (void)q, (void)mode, (void)k, (void)t;
    e[0] = add(mul(p[1], jsin(y[0])), p[4]);
}
static void angle_reset(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *to)
{
    (void)q, (void)mode, (void)k, (void)t;
    to[1] = scale(-1, mul(p[3], y[1]));
}
static void angle_terminal(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *g)
{
    (void)q, (void)mode, (void)k, (void)t;
    g[0] = mul(p[1], jsin(y[0]));
    g[1] = add(mul(y[1], y[1]), mul(over(p[0], p[1]), jcos(y[0])));
}

/* ---- tank: h, q, o; p = (inflow, swing, a, c, H) ------------------------------------------------------------------------- */

static jet inflow(jet t, const jet *p)
{
    return add(p[0], mul(p[1], jsin(t)));
}
static void tank_rhs(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *f)
{
    (void)q, (void)k;
    f[0] = sub(inflow(t, p), add(y[1], y[2]));
    f[1] = sub(add(mul(y[1], y[1]), mul(p[2], y[1])), mul(p[3], y[0]));
    f[2] = mode ? sub(add(mul(y[2], y[2]), mul(p[2], y[2])), scale(3, mul(p[3], y[0]))) : y[2];
}
static void tank_event(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *e)
{
    (void)q, (void)k, (void)t;
    e[0] = mode ? sub(y[1], scale(0.4, p[4])) : num(1);
    e[1] = mode ? num(-1) : sub(y[0], p[4]);
}
static void tank_running(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *r)
{
    (void)q, (void)mode, (void)k, (void)t, (void)p;
    r[0] = y[2];
}
static jet tank_flow(const jet *y, const jet *p, double part)
{
    return scale(0.5, sub(jsqrt(add(mul(p[2], p[2]), scale(4 * part, mul(p[3], y[0])))), p[2]));
}
static void tank_ode(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *f)
{
    (void)q, (void)k;
    f[0] = sub(inflow(t, p), add(tank_flow(y, p, 1), mode ? tank_flow(y, p, 3) : num(0)));
}
static void tank_ode_event(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *e)
{
    (void)q, (void)k, (void)t;
    e[0] = mode ? sub(tank_flow(y, p, 1), scale(0.4, p[4])) : num(1);
    e[1] = mode ? num(-1) : sub(y[0], p[4]);
}
static void tank_ode_running(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *r)
{
    (void)q, (void)k, (void)t;
    r[0] = mode ? tank_flow(y, p, 3) : num(0);
}

/* ---- binding: x, free, bound; p = (ke, B, K, dose, lag) ------------------------------------------------------------------ */

static void bind_rhs(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *f)
{
    (void)q, (void)mode, (void)k, (void)t;
    f[0] = scale(-1, mul(p[0], y[1]));
    f[1] = sub(y[0], add(y[1], y[2]));
    f[2] = sub(mul(y[2], add(p[2], y[1])), mul(p[1], y[1]));
}
static void bind_reset(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *to)
{
    (void)q, (void)mode, (void)k, (void)t;
    to[0] = add(y[0], p[3]);
}
static void bind_times(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *tau)
{
    (void)q, (void)mode, (void)k, (void)t, (void)y;
    for (int j = 0; j < 3; j++) tau[j] = add(p[4], num(1.5 * j));
}
static void bind_on(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *g)
{
    (void)q, (void)mode, (void)k, (void)t, (void)p;
    g[0] = mul(y[1], y[1]);
}
static jet bind_free(const jet *y, const jet *p) /* free^2 + (K + B - x) free - K x = 0 */
{
    const jet b = sub(add(p[1], p[2]), y[0]);
    return scale(0.5, sub(jsqrt(add(mul(b, b), scale(4, mul(p[2], y[0])))), b));
}
static void bind_ode(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *f)
{
    (void)q, (void)mode, (void)k, (void)t;
    f[0] = scale(-1, mul(p[0], bind_free(y, p)));
}
static void bind_ode_on(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *g)
{
    (void)q, (void)mode, (void)k, (void)t;
    const jet v = bind_free(y, p);
    g[0] = mul(v, v);
}

/* ---- tie: x, a; p = (k, c, T1, T2, dose) ------------------------------------------------------------------------------- */

static jet tie_flow(jet t, const jet *y, const jet *p)
{
    return add(mul(p[0], mul(y[0], y[0])), mul(p[1], jsin(t)));
}
static void tie_rhs(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *f)
{
    (void)mode, (void)k;
    f[0] = scale(-1, q->n > 1 ? y[1] : tie_flow(t, y, p));
    if (q->n > 1) f[1] = sub(y[1], tie_flow(t, y, p));
}
static void tie_times(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *tau)
{
    (void)q, (void)mode, (void)k, (void)t, (void)y;
    tau[0] = p[2], tau[1] = p[3];
}
static void tie_reset(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *to)
{
    (void)mode;
    to[0] = k == 0 ? add(y[0], p[4]) : add(scale(1.2, y[0]), scale(0.1, q->n > 1 ? y[1] : tie_flow(t, y, p)));
}

/* ---- both of each --------------------------------------------------------------------------------------------------------- */

static const double both_ways[] = {-1, 1}, down[] = {-1};

typedef struct pair {
    const char *name;
    jets dae, ode;
    double mass[5], y0[5], p[5], t1;
    const double *direction;
    int events; /* that happen */
} pair;

static const pair pairs[] = {
    {"rectifier",
     {.n = 3, .np = 5, .objectives = 2, .guards = 2, .next = to_k, .fn = {[OF_RHS] = rect_rhs, [OF_EVENT] = rect_event,
         [OF_RUNNING] = rect_running, [OF_TERMINAL] = first_terminal}},
     {.n = 1, .np = 5, .objectives = 2, .guards = 2, .next = to_k, .fn = {[OF_RHS] = rect_ode, [OF_EVENT] = rect_ode_event,
         [OF_RUNNING] = rect_ode_running, [OF_TERMINAL] = first_terminal}},
     {1, 0, 0}, {0.3, 0, 0}, {5, 3, 0.2, 0.5, 4}, 6, both_ways, 6},
    {"pendulum",
     {.n = 5, .np = 5, .objectives = 2, .guards = 1, .fn = {[OF_RHS] = swing_rhs, [OF_INIT] = swing_init,
         [OF_EVENT] = swing_event, [OF_RESET] = swing_reset, [OF_TERMINAL] = swing_terminal}},
     {.n = 2, .np = 5, .objectives = 2, .guards = 1, .fn = {[OF_RHS] = angle_rhs, [OF_INIT] = angle_init,
         [OF_EVENT] = angle_event, [OF_RESET] = angle_reset, [OF_TERMINAL] = angle_terminal}},
     {1, 1, 1, 1, 0}, {0}, {9.81, 1.2, 1, 0.8, 0.3}, 5, down, 4},
    {"tank",
     {.n = 3, .np = 5, .objectives = 2, .guards = 2, .next = to_k, .fn = {[OF_RHS] = tank_rhs, [OF_EVENT] = tank_event,
         [OF_RUNNING] = tank_running, [OF_TERMINAL] = first_terminal}},
     {.n = 1, .np = 5, .objectives = 2, .guards = 2, .next = to_k, .fn = {[OF_RHS] = tank_ode, [OF_EVENT] = tank_ode_event,
         [OF_RUNNING] = tank_ode_running, [OF_TERMINAL] = first_terminal}},
     {1, 0, 0}, {0.5, 1, 0}, {0.8, 0.6, 0.5, 1, 1.1}, 15, both_ways, 5},
    {"tie",
     {.n = 2, .np = 5, .objectives = 2, .timed = 2, .fn = {[OF_RHS] = tie_rhs, [OF_RESET] = tie_reset, [OF_TIMES] = tie_times,
         [OF_TERMINAL] = first_terminal}},
     {.n = 1, .np = 5, .objectives = 2, .timed = 2, .fn = {[OF_RHS] = tie_rhs, [OF_RESET] = tie_reset, [OF_TIMES] = tie_times,
         [OF_TERMINAL] = first_terminal}},
     {1, 0}, {1, 0.5}, {1, 0.8, 1, 1, 0.7}, 3, NULL, 2},
    {"binding",
     {.n = 3, .np = 5, .objectives = 2, .timed = 3, .fn = {[OF_RHS] = bind_rhs, [OF_RESET] = bind_reset, [OF_TIMES] = bind_times,
         [OF_ON_EVENT] = bind_on, [OF_TERMINAL] = first_terminal}},
     {.n = 1, .np = 5, .objectives = 2, .timed = 3, .fn = {[OF_RHS] = bind_ode, [OF_RESET] = bind_reset, [OF_TIMES] = bind_times,
         [OF_ON_EVENT] = bind_ode_on, [OF_TERMINAL] = first_terminal}},
     {1, 0, 0}, {1, 0.5, 0.5}, {0.7, 2, 0.4, 1.5, 0.6}, 5, NULL, 3},
};

typedef struct numbers {
    double psi[2], dp[5 * 2], dy0[2], h[2][5 * 5]; /* dy0: by the first state given */
    int events;
} numbers;

static void fine(costate_solver *s, const char *name, int status)
{
    if (status) print_message("%s: %s\n", name, costate_message(s));
    assert_int_equal(status, 0);
}

static costate_solver *opened(const pair *k, int dae, jets *q, const char *method, double rtol)
{
    *q = dae ? k->dae : k->ode;
    costate_problem problem = jets_problem(q);
    costate_options options = costate_defaults(method);
    problem.direction = k->direction;
    if (dae) problem.mass = k->mass;
    options.rtol = options.atol = rtol;
    costate_solver *s = NULL;
    fine(s, k->name, costate_create(&s, &problem, &options));
    return s;
}

static void compute(costate_solver *s, const jets *q, const pair *k, numbers *all)
{
    double y[5], dy[2 * 5];
    costate_event event;
    const int variable[5] = {q->n, q->n + 1, q->n + 2, q->n + 3, q->n + 4};
    memcpy(y, k->y0, sizeof y);
    fine(s, k->name, costate_solve(s, 0, k->t1, k->p, y));
    fine(s, k->name, costate_objectives(s, all->psi));
    for (all->events = 0; costate_events(s, all->events, &event) == 0;) all->events++;
    fine(s, k->name, costate_gradient(s, 2, NULL, dy, all->dp));
    memcpy(all->dy0, dy, sizeof all->dy0);
    for (int o = 0; o < 2; o++) {
        const double weights[2] = {o == 0, o == 1};
        fine(s, k->name, costate_hessian_full(s, weights, 5, variable, all->h[o]));
    }
}

static double off(const double *a, const double *b, size_t count)
{
    double most = 0, by = 0;
    for (size_t i = 0; i < count; i++) most = fmax(most, fabs(b[i]));
    for (size_t i = 0; i < count; i++) by = fmax(by, fabs(a[i] - b[i]) / fmax(fmax(fabs(b[i]), 1e-2 * most), DBL_MIN));
    return by;
}

static void against_ordinary(const char *method, double rtol, double value, double gradient, double hessian)
{
    for (size_t i = 0; i < COUNT(pairs); i++) {
        const pair *k = &pairs[i];
        jets q[2];
        numbers one, other;
        costate_solver *s = opened(k, 1, &q[1], method, rtol), *exact = opened(k, 0, &q[0], "dopri853", 1e-13);
        compute(s, &q[1], k, &one);
        compute(exact, &q[0], k, &other);
        const double start = q[0].fn[OF_INIT] ? 0 : off(one.dy0, other.dy0, 2);
        const double by[3] = {off(one.psi, other.psi, 2), fmax(off(one.dp, other.dp, 10), start),
                              fmax(off(one.h[0], other.h[0], 25), off(one.h[1], other.h[1], 25))};
        print_message("%-8s %-9s %d events, psi %.1e, gradient %.1e, Hessian %.1e\n", method, k->name, one.events, by[0], by[1],
                      by[2]);
        assert_int_equal(one.events, k->events);
        assert_int_equal(other.events, k->events);
        assert_true(by[0] < value && by[1] < gradient && by[2] < hessian);
        costate_free(s);
        costate_free(exact);
    }
}

static void they_are_as_without(void **state)
{
    (void)state;
    /* Second derivatives: round-off over the square of the step that ends at an event, which is as short as it happens to be
     * (tank: 2e-10 to 2e-7 for tolerances of 3e-14 to 1e-12, in no order). */
    against_ordinary("radau2a", 1e-13, 1e-9, 1e-9, 1e-6);
    against_ordinary("rodas4", 1e-11, 1e-9, 1e-8, 1e-6);
}

/* Steps are taken again, events happen again, and algebraic states are found again, as they were. */
static void budgets_and_threads_change_no_bit(void **state)
{
    (void)state;
    static const char *const methods[] = {"sdirk4a", "radau2a", "lobatto3c", "rodas4"};
    int64_t again = 0;
    for (size_t i = 0; i < COUNT(pairs); i++)
        for (size_t m = i % 2; m < COUNT(methods); m += 2) {
            jets q;
            numbers one, other;
            memset(&one, 0, sizeof one);
            memset(&other, 0, sizeof other);
            costate_solver *s = opened(&pairs[i], 1, &q, methods[m], 1e-6);
            compute(s, &q, &pairs[i], &one);
            fine(s, "memory", costate_set(s, "memory", "4K"));
            fine(s, "threads", costate_set(s, "threads", "3"));
            compute(s, &q, &pairs[i], &other);
            again += stats_of(s).recomputed_steps;
            assert_memory_equal(&one, &other, sizeof one);
            costate_free(s);
        }
    assert_true(again > 100);
}

/* ---- what is refused ------------------------------------------------------------------------------------------------------- */

static void lost_rhs(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *f)
{
    (void)q, (void)k, (void)t;
    f[0] = scale(-1, mul(p[0], y[0]));
    f[1] = mode ? add(mul(y[1], y[1]), y[0]) : sub(y[1], y[0]);
}
static void half_event(const jets *q, int mode, int k, jet t, const jet *y, const jet *p, jet *e)
{
    (void)q, (void)mode, (void)k, (void)t, (void)p;
    e[0] = sub(y[1], num(0.5));
}
static int on(int k, int mode, double t, const double *y, const double *p)
{
    (void)k, (void)mode, (void)t, (void)y, (void)p;
    return 1;
}

/* Behind the event there is no root: the message has its time, its name and the equation. */
static void what_cannot_be_consistent_is_named(void **state)
{
    (void)state;
    static const char *const names[] = {"switch"};
    static const double mass[] = {1, 0};
    jets q = {.n = 2, .np = 1, .guards = 1, .next = on, .fn = {[OF_RHS] = lost_rhs, [OF_EVENT] = half_event}};
    costate_problem problem = jets_problem(&q);
    costate_options options = costate_defaults("radau2a");
    costate_solver *s = NULL;
    double y[] = {1, 1}, p[] = {0.5};
    problem.mass = mass;
    problem.event_names = names;
    assert_int_equal(costate_create(&s, &problem, &options), 0);
    assert_int_equal(costate_solve(s, 0, 5, p, y), COSTATE_ERR_CONSISTENT);
    print_message("%s\n", costate_message(s));
    assert_non_null(strstr(costate_message(s), "behind switch: "));
    assert_non_null(strstr(costate_message(s), "t = 1.386"));
    assert_nan(y, 2);
    costate_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(they_are_as_without), cmocka_unit_test(budgets_and_threads_change_no_bit),
                                       cmocka_unit_test(what_cannot_be_consistent_is_named)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
