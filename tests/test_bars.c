/* test_bars.c - error bars: over steps of a given size they are the difference to a run with steps of half that size, for every
 * method and mode; they are the same bits for any budget, threads and lanes, and by a solver that was used before; and after
 * failures there are none. */
#include "support.h"

#include "bars.h"
#include "core/halved.h"
#include "problems.h"

enum { ROWS = 5, MOST = 160 };

typedef struct all { /* everything one run gives, with w = objectives lanes */
    int n, np, g;
    double y[MOST], psi[MOST], d0[MOST * 10], dp[MOST * 10], h0[MOST * 10], hp[MOST * 10], ydot[MOST * 10], psidot[MOST * 10];
    double s[MOST * 10], row[ROWS * MOST];
} all;

static int goals_of(const problem *q)
{
    return q->prob.objectives ? q->prob.objectives : q->prob.n;
}

static void start_of(const problem *q, double *y)
{
    for (int i = 0; i < q->prob.n; i++) y[i] = q->y0 ? q->y0[i] : 0;
}

static void directions(const problem *q, double *ydot, double *pdot)
{
    const int w = goals_of(q);
    for (int i = 0; i < q->prob.n * w; i++) ydot[i] = cos(i + 1.0);
    for (int i = 0; i < q->prob.np * w; i++) pdot[i] = sin(i + 1.0);
}

static void weights_of(const problem *q, double *weights)
{
    const int w = goals_of(q);
    for (int i = 0; i < w * w; i++) weights[i] = 1 + 0.1 * i;
}

static costate_options sized(const char *method, double h)
{
    costate_options o = costate_defaults(method);
    o.step = h;
    return o;
}

/* The floor of bars.c, by which what is small in one component is not beside the whole lane. */
static void as_bars(int rows, const double *unit, const double *a, const double *b, int w, double *bar)
{
    for (int l = 0; l < w; l++) {
        double most = 0, size = 0;
        for (int i = 0; unit && i < rows; i++) {
            most = fmax(most, fabs(a[i * w + l] - b[i * w + l]) * unit[i]);
            size = fmax(size, fabs(a[i * w + l]) * unit[i]);
        }
        for (int i = 0; i < rows; i++) {
            const double d = fabs(a[i * w + l] - b[i * w + l]);
            const int floor = d > 0 && unit && unit[i] > 0;
            bar[i * w + l] = 2 * (floor ? fmax(d, most / size * fabs(a[i * w + l]) / 20) : d);
        }
    }
}

static void assert_bars(const char *what, const char *method, int count, const double *bar, const double *expected,
                        const double *value)
{
    double size = 0;
    for (int i = 0; i < count; i++) size = fmax(size, fabs(value[i]));
    for (int i = 0; i < count; i++)
        if (!(fabs(bar[i] - expected[i]) <= 1e-11 * size + 1e-9 * expected[i]))
            fail_msg("%s, %s, number %d: bar %.17g, and the runs differ by %.17g of %.3g", method, what, i, bar[i],
                     expected[i] / 2, value[i]);
}

/* Runs with h and with h/2: gradient, Hessian products and tangents of both; the first one's bars. */
static void like_half_steps(const problem *q, const char *method, double h)
{
    const int n = q->prob.n, np = q->prob.np, w = goals_of(q);
    double y[2][MOST], psi[2][MOST], x[2][MOST * 10], z[2][MOST * 10], bar[MOST * 10], ybar[MOST], psibar[MOST], ydot[MOST * 10],
        pdot[MOST * 10];
    double weights[100], expected[MOST * 10], unit[MOST];
    int second = 0;
    weights_of(q, weights);
    directions(q, ydot, pdot);
    costate_solver *s[2];
    for (int k = 0; k < 2; k++) {
        const costate_options o = sized(method, h / (k + 1));
        s[k] = make_solver(&q->prob, &o);
        start_of(q, y[k]);
        assert_ok(s[k], costate_solve(s[k], q->t0, q->t1, q->p, y[k]));
        assert_ok(s[k], costate_objectives(s[k], psi[k]));
        assert_ok(s[k], costate_gradient(s[k], w, weights, x[k], x[k] + n * w));
        second = costate_hessian(s[k], w, weights, ydot, pdot, z[k], z[k] + n * w);
    }
    assert_int_equal(2 * stats_of(s[0]).steps, stats_of(s[1]).steps);
    for (int i = 0; i < n; i++) unit[i] = q->prob.init.eval ? 0 : fabs(q->y0[i]);
    for (int i = 0; i < np; i++) unit[n + i] = fabs(q->p[i]);
    costate_error_bars b = {.of = COSTATE_BARS_GRADIENT,
                            .w = w,
                            .weights = weights,
                            .value = {x[0], x[0] + n * w},
                            .bar = {bar, bar + n * w},
                            .y = ybar,
                            .psi = psibar};
    assert_ok(s[0], costate_bars(s[0], &b));
    as_bars(n + np, unit, x[0], x[1], w, expected);
    assert_bars("gradient", method, (n + np) * w, bar, expected, x[0]);
    if (q->prob.objectives) {
        as_bars(w, NULL, psi[0], psi[1], 1, expected);
        assert_bars("objectives", method, w, psibar, expected, psi[0]);
    }
    if (!second) {
        b.of = COSTATE_BARS_HESSIAN, b.ydot = ydot, b.pdot = pdot;
        b.value[0] = z[0], b.value[1] = z[0] + n * w;
        assert_ok(s[0], costate_bars(s[0], &b));
        as_bars(n + np, unit, z[0], z[1], w, expected);
        assert_bars("Hessian products", method, (n + np) * w, bar, expected, z[0]);
    }
    for (int k = 0; k < 2; k++) {
        memcpy(x[k], ydot, (size_t)(n * w) * sizeof **x);
        start_of(q, y[k]);
        assert_ok(s[k], costate_tangent(s[k], q->t0, q->t1, q->p, y[k], w, x[k], pdot));
        assert_ok(s[k], costate_objectives_dot(s[k], x[k] + n * w));
    }
    b = (costate_error_bars){.of = COSTATE_BARS_TANGENT,
                             .w = w,
                             .ydot = ydot,
                             .pdot = pdot,
                             .value = {x[0], x[0] + n * w},
                             .bar = {bar, bar + n * w},
                             .y = ybar};
    assert_ok(s[0], costate_bars(s[0], &b));
    const costate_options o = costate_defaults(method);
    for (int i = 0; i < n; i++) unit[i] = 1 / (o.atol + o.rtol * fabs(y[0][i]));
    as_bars(n, unit, y[0], y[1], 1, expected);
    assert_bars("final state", method, n, ybar, expected, y[0]);
    as_bars(n, unit, x[0], x[1], w, expected);
    assert_bars("tangents", method, n * w, bar, expected, x[0]);
    if (q->prob.objectives) {
        as_bars(w, NULL, x[0] + n * w, x[1] + n * w, w, expected);
        assert_bars("tangents of objectives", method, w * w, bar + n * w, expected, x[0] + n * w);
    }
    for (int k = 0; k < 2; k++) costate_free(s[k]);
}

static void halved_steps(void **state)
{
    (void)state;
    for (int i = 0; costate_method(i); i++) {
        if (costate_method(i)->family == COSTATE_BDF) continue; /* the orders at its start differ */
        like_half_steps(&problem_lotka_volterra, costate_method(i)->name, 0.25);
        like_half_steps(&problem_logistic, costate_method(i)->name, 0.25);
        like_half_steps(&problem_brusselator, costate_method(i)->name, 0.125);
    }
}

/* Every step twice, and each observation where it is: at the end of a step or within it. */
static void grid(void **state)
{
    static const char *const methods[] = {"dopri5", "bdf"};
    const problem *q = &problem_duffing;
    (void)state;
    for (size_t m = 0; m < COUNT(methods); m++) {
        const costate_options o = costate_defaults(methods[m]);
        costate_solver *s = make_solver(&q->prob, &o);
        double y[MOST];
        int within = 0;
        assert_ok(s, costate_solve(s, q->t0, q->t1, q->p, y));
        assert_ok(s, cst__halved_open(s, 0));
        const costate_solver *h = s->halved;
        assert_int_equal(h->log.count, 2 * s->log.count);
        for (int64_t i = 0; i < s->log.count; i++) {
            assert_true(h->log.t[2 * i] == s->log.t[i] && h->log.stop[2 * i] == s->log.stop[i] && !h->log.stop[2 * i + 1]);
            assert_true(2 * h->log.h[2 * i] == s->log.h[i] && h->log.h[2 * i + 1] == h->log.h[2 * i]);
            assert_near(h->log.t[2 * i + 1], 0.5 * (s->log.t[i] + s->log.t[i + 1]), 1e-14);
        }
        for (int k = 0; k < q->prob.observations; k++) {
            const int64_t end = h->obs_step[k];
            const double at = q->prob.observe_at[k];
            assert_true(at <= h->log.t[end] && (end == 0 || at > h->log.t[end - 1]));
            within += at < h->log.t[end] && end % 2;
        }
        assert_true(m == 0 || within > 0);
        costate_free(s);
    }
}

/* Steps of bdf keep their orders: of y' = -y, steps of order 1 to t = 1 are those of implicit Euler. */
static int decay(double t, const double *y, const double *p, double *f, void *data)
{
    (void)t, (void)data;
    f[0] = -p[0] * y[0];
    return 0;
}

static void bdf_euler(void **state)
{
    const costate_problem q = {.n = 1, .np = 1, .rhs = decay};
    const costate_options o = sized("bdf", 0.5);
    const double p[] = {1.5};
    (void)state;
    for (int steps = 1; steps <= 3; steps++) { /* two of order 1, and one of order 2 */
        double y[] = {1}, g[2], bar[2], ybar, psi;
        costate_solver *s = make_solver(&q, &o);
        assert_ok(s, costate_solve(s, 0, 0.5 * steps, p, y));
        assert_ok(s, costate_gradient(s, 1, NULL, g, g + 1));
        assert_ok(
            s,
            costate_bars(
                s,
                &(costate_error_bars){
                    .of = COSTATE_BARS_GRADIENT, .w = 1, .value = {g, g + 1}, .bar = {bar, bar + 1}, .y = &ybar, .psi = &psi}));
        double half[7] = {1}; /* implicit Euler four times, then BDF2 twice */
        const double h = 0.25, z = h * p[0];
        for (int i = 1; i <= 4; i++) half[i] = half[i - 1] / (1 + z);
        for (int i = 5; i <= 6; i++) half[i] = (4 * half[i - 1] - half[i - 2]) / (3 + 2 * z);
        assert_near(ybar, 2 * fabs(y[0] - half[2 * steps]), 1e-9);
        if (steps == 1) assert_near(bar[0], 2 * fabs(g[0] - half[2]), 1e-9);
        assert_true(ybar == psi);
        costate_free(s);
    }
}

/* ---- bits --------------------------------------------------------------------------------------------------------------- */

typedef struct setting {
    int64_t memory, disk;
    int threads, lanes;
} setting;

static void everything(const problem *q, const char *method, setting x, double *out, size_t *count)
{
    const int n = q->prob.n, np = q->prob.np, w = goals_of(q);
    costate_options o = costate_defaults(method);
    o.memory = x.memory, o.disk = x.disk, o.threads = x.threads, o.lanes = x.lanes;
    costate_solver *s = make_solver(&q->prob, &o);
    double y[MOST], g[MOST * 10], rows[ROWS * MOST], times[ROWS], ydot[MOST * 10], pdot[MOST * 10], *at = out;
    for (int k = 0; k < ROWS; k++) times[k] = q->t0 + (q->t1 - q->t0) * (k + 0.3) / ROWS;
    directions(q, ydot, pdot);
    start_of(q, y);
    assert_ok(s, costate_output(s, ROWS, times, rows, NULL));
    assert_ok(s, costate_solve(s, q->t0, q->t1, q->p, y));
    assert_ok(s, costate_gradient(s, w, NULL, g, g + n * w));
    costate_error_bars b = {.of = COSTATE_BARS_GRADIENT, .w = w, .value = {g, g + n * w}, .bar = {at, at + n * w}};
    at += (n + np) * w;
    b.y = at, b.psi = at + n, b.row = at + n + w, at += n + w + ROWS * n;
    assert_ok(s, costate_bars(s, &b));
    double again[MOST * 10]; /* the run is still what it was */
    assert_ok(s, costate_gradient(s, w, NULL, again, again + n * w));
    assert_bits(again, g, (size_t)((n + np) * w));
    double weights[100];
    for (int i = 0; i < w * w; i++) weights[i] = 1;
    assert_ok(s, costate_hessian(s, w, weights, ydot, pdot, g, g + n * w));
    b = (costate_error_bars){.of = COSTATE_BARS_HESSIAN,
                             .w = w,
                             .weights = weights,
                             .ydot = ydot,
                             .pdot = pdot,
                             .value = {g, g + n * w},
                             .bar = {at, at + n * w}};
    at += (n + np) * w;
    assert_ok(s, costate_bars(s, &b));
    *count = (size_t)(at - out);
    assert_finite(out, *count);
    costate_free(s);
}

static void same_bits(void **state)
{
    static const char *const methods[] = {"dopri5", "bdf", "radau2a", "sdirk4b"};
    static const setting others[] = {{20000, 0, 1, 8}, {9000, 1 << 20, 1, 8}, {1 << 30, 0, 3, 8}, {1 << 30, 0, 2, 1}};
    (void)state;
    for (size_t m = 0; m < COUNT(methods); m++) {
        static double one[20000], two[20000];
        size_t count, same;
        everything(&problem_duffing, methods[m], (setting){1 << 30, 0, 1, 8}, one, &count);
        for (size_t k = 0; k < COUNT(others); k++) {
            everything(&problem_duffing, methods[m], others[k], two, &same);
            if (others[k].lanes == 8) assert_bits(two, one, count);
            for (size_t i = 0; i < count; i++) assert_near(two[i], one[i], 1e-11); /* blocks of other widths round otherwise */
        }
    }
}

/* The solver of the halves serves again: after other runs, and options changed, bars are those of one that is new. */
typedef struct visit {
    double factor, end; /* of the parameters, of t1 */
    const char *option, *value;
} visit;

static int visited(costate_solver *s, const problem *q, const visit *v, double *out)
{
    const size_t n = (size_t)q->prob.n, np = (size_t)q->prob.np, w = (size_t)goals_of(q);
    double y[MOST], p[MOST], g[MOST * 10];
    for (size_t i = 0; i < np; i++) p[i] = v->factor * q->p[i];
    start_of(q, y);
    assert_ok(s, costate_set(s, v->option, v->value));
    assert_ok(s, costate_solve(s, q->t0, q->t0 + v->end * (q->t1 - q->t0), p, y));
    assert_ok(s, costate_gradient(s, (int)w, NULL, g, g + n * w));
    return costate_bars(s, &(costate_error_bars){.of = COSTATE_BARS_GRADIENT,
                                                 .w = (int)w,
                                                 .y = out,
                                                 .psi = out + n,
                                                 .value = {g, g + n * w},
                                                 .bar = {out + n + w, out + n + w + n * w}});
}

static void the_same_again(void **state)
{
    static const visit visits[] = {{1, 1, "rtol", "1e-6"},       {1.02, 0.5, "rtol", "1e-4"}, {1, 1, "atol", "1e-4"},
                                   {0.99, 1, "rtol", "1e-8"},    {1, 0.7, "threads", "2"},    {1.01, 1, "memory", "40000"},
                                   {1, 1, "memory", "16777216"}, {1, 1, "lanes", "3"}};
    subject neuron = {0}; /* with events */
    (void)state;
    assert_int_equal(subject_load(&neuron, "examples/models/neuron", NULL), 0);
    const problem spikes = {.prob = neuron.prob, .p = neuron.about.p, .y0 = neuron.about.y0, .t1 = neuron.about.t1};
    for (int i = 0; i <= costate_method_count() + 1; i++) {
        const problem *q = i > costate_method_count() ? &spikes : &problem_lotka_volterra;
        const costate_options o = costate_defaults(i < costate_method_count() ? costate_method(i)->name : "auto");
        costate_solver *kept = make_solver(&q->prob, &o);
        const costate_solver *before = NULL;
        for (size_t k = 0; k < COUNT(visits); k++) {
            static double one[MOST * 10], two[MOST * 10];
            const size_t n = (size_t)q->prob.n, w = (size_t)goals_of(q), count = n + w + (n + (size_t)q->prob.np) * w;
            assert_ok(kept, visited(kept, q, &visits[k], one));
            if (k == 1 || k == 2) assert_true(kept->halved == before);
            before = kept->halved;
            costate_solver *fresh = make_solver(&q->prob, &o);
            for (size_t j = 0; j < k; j++) assert_ok(fresh, costate_set(fresh, visits[j].option, visits[j].value));
            assert_ok(fresh, visited(fresh, q, &visits[k], two));
            assert_bits(one, two, count);
            costate_free(fresh);
        }
        costate_free(kept);
    }
    subject_close(&neuron);
}

/* Members have the bars that they have alone. */
static void ensemble_of(const problem *q, const char *adjoint)
{
    enum { MEMBERS = 3, ROOM = 8 };
    const size_t n = (size_t)q->prob.n, np = (size_t)q->prob.np;
    double p[MEMBERS * ROOM], y[MEMBERS * ROOM], dy0[MEMBERS * ROOM], dp[MEMBERS * ROOM], psi_bar[MEMBERS * ROOM],
        dy0_bar[MEMBERS * ROOM], dp_bar[MEMBERS * ROOM], bar[ROOM];
    costate_member member[MEMBERS];
    for (size_t k = 0; k < MEMBERS; k++)
        for (size_t i = 0; i < np; i++) p[np * k + i] = q->p[i] * (1 + 0.02 * (double)k);
    for (size_t k = 0; k < MEMBERS; k++) start_of(q, y + n * k);
    const int w = 1;
    double weights[10] = {1};
    costate_options o = costate_defaults("dopri5");
    o.threads = 2;
    o.adjoint = adjoint;
    costate_solver *s = make_solver(&q->prob, &o);
    assert_ok(s, costate_ensemble(s, &(costate_members){.count = MEMBERS,
                                                        .t0 = q->t0,
                                                        .t1 = q->t1,
                                                        .p = p,
                                                        .y = y,
                                                        .w = w,
                                                        .weights = weights,
                                                        .dy0 = dy0,
                                                        .dp = dp,
                                                        .member = member,
                                                        .psi_bar = psi_bar,
                                                        .dy0_bar = dy0_bar,
                                                        .dp_bar = dp_bar}));
    assert_refused(s, costate_bars(s, &(costate_error_bars){.psi = bar}), COSTATE_ERR_NO_RUN, "costate_bars");
    assert_true(isnan(bar[0]));
    for (size_t k = 0; k < MEMBERS; k++) {
        double one[MOST], g[2 * ROOM], bars[2 * ROOM];
        start_of(q, one);
        assert_ok(s, costate_solve(s, q->t0, q->t1, p + np * k, one));
        assert_ok(s, costate_gradient(s, w, weights, g, g + n));
        assert_ok(s, costate_bars(s, &(costate_error_bars){.of = COSTATE_BARS_GRADIENT,
                                                           .w = w,
                                                           .weights = weights,
                                                           .psi = bar,
                                                           .value = {g, g + n},
                                                           .bar = {bars, bars + n}}));
        assert_bits(psi_bar + (size_t)goals_of(q) * k, bar, (size_t)goals_of(q));
        assert_bits(dy0_bar + n * k, bars, n);
        assert_bits(dp_bar + np * k, bars + n, np);
        assert_true(bar[0] > 0 && bars[n] > 0);
    }
    costate_free(s);
}

static void ensembles(void **state)
{
    subject relay = {0}; /* with events */
    (void)state;
    assert_int_equal(subject_load(&relay, "tests/harsh/relay", NULL), 0);
    const problem switched = {.prob = relay.prob, .p = relay.about.p, .y0 = relay.about.y0, .t1 = relay.about.t1};
    ensemble_of(&problem_lotka_volterra, "discrete");
    ensemble_of(&problem_lotka_volterra, "continuous");
    ensemble_of(&switched, "discrete");
    ensemble_of(&switched, "continuous");
    subject_close(&relay);
}

/* Matrices of sensitivities, both ways, and the whole Hessian. */
static void matrices(void **state)
{
    const problem *q = &problem_lotka_volterra;
    static const char *const ways[] = {"tangent", "adjoint"};
    static const int list[] = {2, 0, 5};
    double y[2], d[2][3], bar[2][3], h[9], hbar[9], hu[6], hubar[6];
    (void)state;
    for (int k = 0; k < 2; k++) {
        costate_options o = costate_defaults("dopri5");
        o.sensitivities = ways[k];
        costate_solver *s = make_solver(&q->prob, &o);
        const double weights[] = {1};
        start_of(q, y);
        assert_ok(s, costate_sensitivities(s, q->t0, q->t1, q->p, y, 3, list, 1, weights, d[k]));
        assert_ok(s, costate_bars(s, &(costate_error_bars){.of = COSTATE_BARS_SENSITIVITIES,
                                                           .w = 1,
                                                           .weights = weights,
                                                           .count = 3,
                                                           .variable = list,
                                                           .value = {d[k]},
                                                           .bar = {bar[k]}}));
        start_of(q, y);
        assert_ok(s, costate_solve(s, q->t0, q->t1, q->p, y));
        assert_ok(s, costate_hessian_full(s, NULL, 3, list, h));
        assert_ok(
            s, costate_bars(s, &(costate_error_bars){
                                   .of = COSTATE_BARS_HESSIAN_FULL, .count = 3, .variable = list, .value = {h}, .bar = {hbar}}));
        const double ydot[2] = {0}, pdot[4] = {1}; /* variable 2 */
        assert_ok(s, costate_hessian(s, 1, NULL, ydot, pdot, hu, hu + 2));
        assert_ok(s, costate_bars(s, &(costate_error_bars){.of = COSTATE_BARS_HESSIAN,
                                                           .w = 1,
                                                           .ydot = ydot,
                                                           .pdot = pdot,
                                                           .value = {hu, hu + 2},
                                                           .bar = {hubar, hubar + 2}}));
        for (int i = 0; i < 3; i++) assert_true(hbar[3 * i] <= hubar[list[i]] * (1 + 1e-6) && hbar[3 * i] > 0);
        costate_free(s);
    }
    for (int i = 0; i < 3; i++) {
        assert_near(d[0][i], d[1][i], 1e-9);
        assert_near(bar[0][i], bar[1][i], 1e-6 * bar[0][i]);
    }
}

/* ---- bad input and failures --------------------------------------------------------------------------------------------- */

/* y' = y^2 from 1 has a pole at 1: where no step of the run is at fault, a half of it may be. */
static int calls, last_call;

static int tires(double t, const double *y, const double *p, double *f, void *data)
{
    (void)t, (void)p, (void)data;
    f[0] = ++calls > last_call ? NAN : -y[0];
    return 0;
}

static void failures(void **state)
{
    const costate_problem q = {.n = 1, .rhs = tires};
    static const char *const methods[] = {"dopri5", "radau2a", "sdirk4b", "rodas4", "bdf"};
    (void)state;
    for (size_t m = 0; m < COUNT(methods); m++) {
        const costate_options o = costate_defaults(methods[m]);
        double y[] = {1}, bars[2] = {0};
        calls = 0, last_call = 1000000;
        costate_solver *s = make_solver(&q, &o);
        costate_error_bars b = {.y = bars, .psi = bars + 1};
        assert_refused(s, costate_bars(s, &b), COSTATE_ERR_NO_RUN, "costate_bars");
        assert_nan(bars, 2);
        assert_ok(s, costate_solve(s, 0, 1, NULL, y));
        assert_ok(s, costate_bars(s, &b));
        assert_finite(bars, 2);
        last_call = calls + 3;
        assert_refused(s, costate_bars(s, &b), COSTATE_ERR_HALVED, "step");
        assert_nan(bars, 2);
        last_call = 2 * calls + 1000000; /* the run itself has not suffered */
        assert_ok(s, costate_bars(s, &b));
        double value[] = {1}, bar[] = {0};
        b = (costate_error_bars){.of = COSTATE_BARS_GRADIENT, .w = 1, .value = {value}, .y = bars};
        assert_refused(s, costate_bars(s, &b), COSTATE_ERR_NULL, "bar[0]");
        b.bar[0] = bar, value[0] = NAN;
        assert_refused(s, costate_bars(s, &b), COSTATE_ERR_INPUT, "value[0]");
        assert_nan(bar, 1);
        b = (costate_error_bars){.of = COSTATE_BARS_TANGENT, .w = 1, .value = {value}, .bar = {bar}};
        assert_refused(s, costate_bars(s, &b), COSTATE_ERR_NO_TANGENT, "w = 1");
        b = (costate_error_bars){.of = 17, .w = 1};
        assert_refused(s, costate_bars(s, &b), COSTATE_ERR_VALUE, "17");
        assert_refused(s, costate_bars(s, NULL), COSTATE_ERR_NULL, "bars");
        calls = last_call;
        y[0] = 1;
        assert_true(costate_solve(s, 0, 1, NULL, y) != 0); /* after a run that failed there are none either */
        b = (costate_error_bars){.y = bars};
        assert_refused(s, costate_bars(s, &b), COSTATE_ERR_NO_RUN, "costate_bars");
        assert_nan(bars, 1);
        costate_free(s);
    }
}

/* Memory that runs out at any request is a clean error, and all of it is given back. */
static void no_memory(void **state)
{
    const problem *q = &problem_lotka_volterra;
    (void)state;
    for (int fail_on = 0; fail_on < 2; fail_on++)
        for (int64_t k = 1, done = 0; !done; k++) {
            heap h = {0};
            costate_options o = costate_defaults("bdf");
            o.allocator = heap_allocator(&h);
            costate_solver *s = make_solver(&q->prob, &o);
            double y[2], g[6], bars[6] = {0};
            start_of(q, y);
            assert_ok(s, costate_solve(s, q->t0, q->t1, q->p, y));
            assert_ok(s, costate_gradient(s, 1, NULL, g, g + 2));
            h.fail_at = h.requests + k, h.fail_on = fail_on;
            const int status = costate_bars(
                s, &(costate_error_bars){.of = COSTATE_BARS_GRADIENT, .w = 1, .value = {g, g + 2}, .bar = {bars, bars + 2}});
            done = h.requests < h.fail_at;
            if (done) assert_ok(s, status);
            else if (status) assert_nan(bars, 6);
            costate_free(s);
            assert_int_equal(h.live, 0);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grid),          cmocka_unit_test(halved_steps), cmocka_unit_test(bdf_euler),
        cmocka_unit_test(same_bits),     cmocka_unit_test(ensembles),    cmocka_unit_test(matrices),
        cmocka_unit_test(failures),      cmocka_unit_test(no_memory),    cmocka_unit_test(the_same_again),
    };
    return cmocka_run_group_tests_name("bars", tests, NULL, NULL);
}
