/* test_ad_problems.c - the problems as model files (problems/): what costate diff makes of each is compared with the
 * products written by hand, right-hand side and functions, at random points, for several numbers of lanes and with parts that
 * are NULL.
 *
 * All numbers are taken in units of their sizes, so that every entry of a result is of the order of 1 or smaller: y and p near
 * their nominal values, t near the middle of the run, seeds u of a size for which u.f is about 1. */
#include "generated.h"
#include "glv.h"
#include "support.h"
#include "torrents.h"

static const int widths[] = {1, 3, 4, 8, 11};
enum { MOST = 11 };
static const double tolerance = 1e-12; /* relative to the largest entry of a result, or 1: the size of the terms it is a sum of */

/* ---- the problems by hand --------------------------------------------------------------------------------------------- */

typedef struct entry {
    const problem *fixed; /* by hand: one of these three */
    const problem *(*stiff)(void);
    problem *(*sized)(int);
    int size;
    const char *define; /* the size, for the model */
    int rates; /* 1: reaction kinetics, linear in its parameters, that are taken of a size for which every reaction counts */
    void (*disturb)(const problem *q, double (*draw)(void), double *y); /* makes a state of its own; NULL: near the initial one */
} entry;

static double uniform(void) /* in (-1, 1) */
{
    static uint64_t state = 20261115;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) / 4503599627370496.0 - 1;
}

static problem *made_glv(int n)
{
    static glv model;
    problem *q = calloc(1, sizeof *q + sizeof(double) * (size_t)(2 * n + n * n));
    assert_non_null(q);
    double *p = (double *)(q + 1), *y0 = p + n + n * n;
    model.n = n;
    glv_defaults(n, p, y0);
    q->prob = glv_problem(&model);
    q->p = p, q->y0 = y0, q->t1 = GLV_T1, q->name = "glv";
    return q;
}

static const entry entries[] = {
    {.fixed = &problem_lotka_volterra},
    {.fixed = &problem_van_der_pol_control_2},
    {.fixed = &problem_van_der_pol_control_11},
    {.fixed = &problem_duffing},
    {.fixed = &problem_brusselator},
    {.fixed = &problem_kepler},
    {.fixed = &problem_logistic},
    {.sized = made_glv, .size = 10, "N=10"},
    {.sized = made_glv, .size = 63, "N=63"}, /* neither tiles, vectors nor iterations side by side come out even */
    {.stiff = stiff_robertson, .rates = 1},
    {.stiff = stiff_hires, .rates = 1},
    {.stiff = stiff_pollu, .rates = 1},
    {.stiff = stiff_e5, .rates = 1},
    {.stiff = stiff_van_der_pol_mu},
    {.stiff = stiff_van_der_pol_3},
    {.stiff = stiff_van_der_pol_6},
    {.stiff = stiff_ring_modulator},
    {.stiff = stiff_cbm4, .rates = 1},
    {.stiff = stiff_cbm4_rates, .rates = 1},
    {.sized = brusselator_1d, .size = 9, "N=9"},
    {.sized = brusselator_2d, .size = 5, "M=5"},
    {.sized = heat_diffusivity, .size = 8, "M=8"},
    {.sized = heat_two_modes, .size = 7, "M=7"},
    {.sized = heat_many_parameters, .size = 6, "M=6"},
    {.sized = shallow_water, .size = 6, "M=6", .disturb = torrents},
};

/* ---- a comparison ------------------------------------------------------------------------------------------------------- */

/* The right-hand side (part < 0) or a function of both, at a point, with the sizes of everything. */
typedef struct pair {
    const char *name;
    const costate_problem *hand, *made;
    const costate_function *hand_fn, *made_fn; /* NULL: the right-hand side */
    const char *part;
    int k, n, np, rows;
    double t, *y, *p;
    double size_t_, *size_y, *size_p, *size_u;
} pair;

static double *numbers(int count)
{
    double *x = calloc((size_t)count + 1, sizeof *x);
    assert_non_null(x);
    return x;
}

static double *block(int count, int w, const double *size)
{
    double *x = numbers(count * w);
    for (int i = 0; i < count * w; i++) x[i] = uniform() * size[i / w];
    return x;
}

/* a against b, both count x w, in units: times size, or divided by it. */
static void same(const pair *q, const char *what, int count, int w, const double *a, const double *b, const double *size)
{
    for (int l = 0; l < w; l++) {
        double scale = 1;
        for (int i = 0; i < count; i++) scale = fmax(scale, fabs(b[i * w + l] * size[i]));
        for (int i = 0; i < count; i++)
            if (!(fabs(a[i * w + l] - b[i * w + l]) * size[i] <= tolerance * scale))
                fail_msg("%s, %s: %s, w = %d, row %d, lane %d: %.17g, by hand %.17g (of %.3g)", q->name, q->part, what, w, i, l,
                         a[i * w + l], b[i * w + l], scale / size[i]);
    }
}

/* ---- the products ------------------------------------------------------------------------------------------------------- */

typedef struct direction {
    double *t, *y, *p;
} direction;

/* Random parts, of which those that are not in `mask` are NULL. */
static direction random_direction(const pair *q, int w, int mask)
{
    return (direction){.t = mask & 1 ? block(1, w, &q->size_t_) : NULL,
                       .y = mask & 2 && q->n ? block(q->n, w, q->size_y) : NULL,
                       .p = mask & 4 && q->np ? block(q->np, w, q->size_p) : NULL};
}

static void drop(direction *d)
{
    free(d->t), free(d->y), free(d->p);
}

static const double *state(const pair *q)
{
    return q->n ? q->y : NULL;
}

static void check_eval(const pair *q)
{
    double *a = numbers(q->rows), *b = numbers(q->rows);
    const costate_problem *h = q->hand, *m = q->made;
    fill(a, (size_t)q->rows, NAN);
    if (q->hand_fn) {
        assert_int_equal(q->hand_fn->eval(q->k, q->t, state(q), q->p, b, h->data), 0);
        assert_int_equal(q->made_fn->eval(q->k, q->t, state(q), q->p, a, m->data), 0);
    } else {
        assert_int_equal(h->rhs(q->t, q->y, q->p, b, h->data), 0);
        assert_int_equal(m->rhs(q->t, q->y, q->p, a, m->data), 0);
    }
    same(q, "eval", q->rows, 1, a, b, q->size_u);
    free(a), free(b);
}

static void check_jvp(const pair *q, int w, int mask)
{
    double *a = numbers(q->rows * w), *b = numbers(q->rows * w);
    direction d = random_direction(q, w, mask);
    const costate_problem *h = q->hand, *m = q->made;
    fill(a, (size_t)(q->rows * w), NAN);
    if (q->hand_fn) {
        assert_int_equal(q->hand_fn->jvp(q->k, q->t, state(q), q->p, w, d.t, d.y, d.p, b, h->data), 0);
        assert_int_equal(q->made_fn->jvp(q->k, q->t, state(q), q->p, w, d.t, d.y, d.p, a, m->data), 0);
    } else {
        assert_int_equal(h->jvp(q->t, q->y, q->p, w, d.t, d.y, d.p, b, h->data), 0);
        assert_int_equal(m->jvp(q->t, q->y, q->p, w, d.t, d.y, d.p, a, m->data), 0);
    }
    same(q, "jvp", q->rows, w, a, b, q->size_u);
    drop(&d), free(a), free(b);
}

static void check_jvp2(const pair *q, int w, int mask1, int mask2)
{
    double *a = numbers(q->rows * w), *b = numbers(q->rows * w);
    direction d = random_direction(q, w, mask1), e = random_direction(q, w, mask2);
    const costate_problem *h = q->hand, *m = q->made;
    fill(a, (size_t)(q->rows * w), NAN);
    assert_int_equal(h->jvp2(q->t, q->y, q->p, w, d.t, d.y, d.p, e.t, e.y, e.p, b, h->data), 0);
    assert_int_equal(m->jvp2(q->t, q->y, q->p, w, d.t, d.y, d.p, e.t, e.y, e.p, a, m->data), 0);
    same(q, "jvp2", q->rows, w, a, b, q->size_u);
    drop(&d), drop(&e), free(a), free(b);
}

/* Four sums, for both; they begin as the same random numbers. */
typedef struct sums {
    double *yb, *ybdot, *pb, *pbdot;
} sums;

static void start_sums(const pair *q, int w, int mask, sums *a, sums *b)
{
    double **x[] = {&a->yb, &a->ybdot, &a->pb, &a->pbdot}, **z[] = {&b->yb, &b->ybdot, &b->pb, &b->pbdot};
    double *inverse = numbers(q->n + q->np);
    for (int i = 0; i < q->n; i++) inverse[i] = 1 / q->size_y[i];
    for (int i = 0; i < q->np; i++) inverse[q->n + i] = 1 / q->size_p[i];
    for (int s = 0; s < 4; s++) {
        const int count = s < 2 ? q->n : q->np, wanted = mask >> s & 1 && count;
        *x[s] = wanted ? block(count, w, s < 2 ? inverse : inverse + q->n) : NULL;
        *z[s] = wanted ? numbers(count * w) : NULL;
        if (wanted) memcpy(*z[s], *x[s], sizeof(double) * (size_t)(count * w));
    }
    free(inverse);
}

static void compare_sums(const pair *q, const char *what, int w, sums *a, sums *b)
{
    double *x[] = {a->yb, a->ybdot, a->pb, a->pbdot}, *z[] = {b->yb, b->ybdot, b->pb, b->pbdot};
    for (int s = 0; s < 4; s++) {
        if (x[s]) same(q, what, s < 2 ? q->n : q->np, w, x[s], z[s], s < 2 ? q->size_y : q->size_p);
        free(x[s]), free(z[s]);
    }
}

static void check_vjp(const pair *q, int w, int mask)
{
    sums a, b;
    double *u = block(q->rows, w, q->size_u);
    const costate_problem *h = q->hand, *m = q->made;
    start_sums(q, w, mask, &a, &b);
    if (q->hand_fn) {
        assert_int_equal(q->hand_fn->vjp(q->k, q->t, state(q), q->p, w, u, b.yb, b.pb, h->data), 0);
        assert_int_equal(q->made_fn->vjp(q->k, q->t, state(q), q->p, w, u, a.yb, a.pb, m->data), 0);
    } else {
        assert_int_equal(h->vjp(q->t, q->y, q->p, w, u, b.yb, b.pb, h->data), 0);
        assert_int_equal(m->vjp(q->t, q->y, q->p, w, u, a.yb, a.pb, m->data), 0);
    }
    compare_sums(q, "vjp", w, &a, &b);
    free(u);
}

static void check_vjp_dot(const pair *q, int w, int direction_mask, int mask, int moving)
{
    sums a, b;
    double *u = block(q->rows, w, q->size_u), *ud = moving ? block(q->rows, w, q->size_u) : NULL;
    direction d = random_direction(q, w, direction_mask);
    const costate_problem *h = q->hand, *m = q->made;
    start_sums(q, w, mask, &a, &b);
    if (q->hand_fn) {
        assert_int_equal(q->hand_fn->vjp_dot(q->k, q->t, state(q), q->p, w, d.t, d.y, d.p, u, ud, b.yb, b.ybdot, b.pb, b.pbdot,
                                             h->data), 0);
        assert_int_equal(q->made_fn->vjp_dot(q->k, q->t, state(q), q->p, w, d.t, d.y, d.p, u, ud, a.yb, a.ybdot, a.pb, a.pbdot,
                                             m->data), 0);
    } else {
        assert_int_equal(h->vjp_dot(q->t, q->y, q->p, w, d.t, d.y, d.p, u, ud, b.yb, b.ybdot, b.pb, b.pbdot, h->data), 0);
        assert_int_equal(m->vjp_dot(q->t, q->y, q->p, w, d.t, d.y, d.p, u, ud, a.yb, a.ybdot, a.pb, a.pbdot, m->data), 0);
    }
    compare_sums(q, "vjp_dot", w, &a, &b);
    drop(&d), free(u), free(ud);
}

/* pb of several points against the sum of vjp's. */
static void check_points(const pair *q, int w)
{
    enum { POINTS = 3 };
    double t[POINTS], *u[POINTS], *y[POINTS], *a = numbers(q->np * w), *b = numbers(q->np * w);
    for (int k = 0; k < POINTS; k++) {
        t[k] = q->t + k * q->size_t_;
        y[k] = numbers(q->n);
        for (int i = 0; i < q->n; i++) y[k][i] = q->y[i] * (1 + 0.1 * uniform());
        u[k] = block(q->rows, w, q->size_u);
        assert_int_equal(q->hand->vjp(t[k], y[k], q->p, w, u[k], NULL, b, q->hand->data), 0);
    }
    const double *const *const yk = (const double *const *)y, *const *const uk = (const double *const *)u;
    assert_int_equal(q->made->vjp_points(POINTS, t, yk, q->p, w, uk, a, q->made->data), 0);
    same(q, "vjp_points", q->np, w, a, b, q->size_p);
    for (int k = 0; k < POINTS; k++) free(y[k]), free(u[k]);
    free(a), free(b);
}

/* ---- the Jacobian ------------------------------------------------------------------------------------------------------- */

static int columns_of(const costate_pattern *s, int n, int j, int *rows, double *values, const double *jac)
{
    int count = 0;
    if (s->format == COSTATE_CSC)
        for (int k = s->colptr[j]; k < s->colptr[j + 1]; k++) rows[count] = s->rowind[k], values[count++] = jac ? jac[k] : 0;
    else
        for (int i = 0; i < n; i++) {
            const int band = s->upper + i - j, high = s->lower + s->upper + 1;
            if (s->format == COSTATE_BANDED && (band < 0 || band >= high)) continue;
            rows[count] = i;
            values[count++] = !jac ? 0 : s->format == COSTATE_BANDED ? jac[band + high * j] : jac[i + n * j];
        }
    return count;
}

/* All of the Jacobian by jac, dense; `there` becomes 1 where the pattern has an entry. */
static void dense(const costate_problem *c, const pair *q, double *full, char *there)
{
    const int n = c->n, high = c->pattern.format == COSTATE_BANDED ? c->pattern.lower + c->pattern.upper + 1 : n;
    double *values = numbers(c->pattern.format == COSTATE_CSC ? c->pattern.colptr[n] : n * high), *column = numbers(n);
    int *rows = calloc((size_t)n, sizeof *rows);
    assert_non_null(rows);
    if (c->jac) assert_int_equal(c->jac(q->t, q->y, q->p, values, c->data), 0);
    for (int j = 0; j < n; j++) {
        const int count = columns_of(&c->pattern, n, j, rows, column, c->jac ? values : NULL);
        for (int k = 0; k < count; k++) {
            if (full) full[rows[k] * n + j] = column[k];
            if (there) there[rows[k] * n + j] = 1;
        }
    }
    free(values), free(column), free(rows);
}

/* What is not zero is in the pattern, and nothing is that the pattern by hand, if it is sparse, does without; the values, if
 * costate diff made jac, are right. */
static void check_jacobian(const pair *q)
{
    const int n = q->n;
    double *b = numbers(n * n), *a = numbers(n * n);
    char *there = calloc((size_t)(n * n), 1), *by_hand = calloc((size_t)(n * n), 1);
    assert_true(there && by_hand);
    dense(q->hand, q, b, by_hand);
    dense(q->made, q, a, there);
    for (int i = 0; i < n * n; i++) {
        if (b[i] != 0 && !there[i]) fail_msg("%s: entry (%d, %d) of the Jacobian is not in the pattern", q->name, i / n, i % n);
        if (there[i] && !by_hand[i]) fail_msg("%s: entry (%d, %d) is in the pattern, but always zero", q->name, i / n, i % n);
    }
    for (int i = 0; q->made->jac && i < n; i++)
        for (int j = 0; j < n; j++) a[i * n + j] *= q->size_y[j], b[i * n + j] *= q->size_y[j];
    if (q->made->jac) same(q, "jac", n, n, a, b, q->size_u);
    free(a), free(b), free(there), free(by_hand);
}

/* ---- a problem ------------------------------------------------------------------------------------------------------------ */

static void check_pair(const pair *q)
{
    check_eval(q);
    for (size_t i = 0; i < COUNT(widths); i++) {
        const int w = widths[i], directions[] = {7, 2, 4, 6, 1, 3};
        for (size_t k = 0; k < COUNT(directions); k++) check_jvp(q, w, directions[k]);
        const int wanted[] = {1 | 4, 1, 4};
        for (size_t k = 0; k < COUNT(wanted); k++) check_vjp(q, w, wanted[k]);
        const int all[] = {15, 2, 8, 3, 12, 10, 5};
        for (size_t k = 0; k < COUNT(all); k++)
            for (size_t d = 0; d < COUNT(directions); d++) check_vjp_dot(q, w, directions[d], all[k], (int)(k + d) % 3 != 0);
        if (q->hand_fn) continue;
        for (size_t k = 0; k < COUNT(directions); k++)
            check_jvp2(q, w, directions[k], directions[(k * k + i) % COUNT(directions)]);
        if (q->made->vjp_points && q->np) check_points(q, w);
    }
}

static void check_function(const pair *base, const char *part, const costate_function *hand, const costate_function *made, int k,
                           int rows)
{
    pair q = *base;
    if (!hand->eval != !made->eval) fail_msg("%s: %s is only on one side", base->name, part);
    if (!hand->eval) return;
    q.part = part, q.hand_fn = hand, q.made_fn = made, q.k = k, q.rows = rows;
    if (!strcmp(part, "init")) q.n = 0;
    q.size_u = numbers(rows);
    fill(q.size_u, (size_t)rows, 1);
    check_pair(&q);
    free(q.size_u);
}

/* An initial state that does not depend on the parameters, given by .y0 or by init. */
static void check_start(const pair *q, const costate_function *made, const double *y0)
{
    if (!made->eval) return;
    double *y = numbers(q->n), *pdot = block(q->np, 1, q->size_p);
    assert_int_equal(made->eval(0, q->t, NULL, q->p, y, NULL), 0);
    for (int i = 0; i < q->n; i++) assert_near(y[i], y0[i], 1e-14 * fmax(1, fabs(y0[i])));
    assert_int_equal(made->jvp(0, q->t, NULL, q->p, 1, NULL, NULL, pdot, y, NULL), 0);
    for (int i = 0; i < q->n; i++) assert_true(y[i] == 0);
    free(y), free(pdot);
}

/* Of every parameter's size such that its reaction is as fast as any other. */
static void balance(const costate_problem *c, double t, const double *y, double *p)
{
    double *unit = numbers(c->np), *f = numbers(c->n);
    for (int k = 0; k < c->np; k++) {
        double most = 0;
        unit[k] = 1;
        assert_int_equal(c->jvp(t, y, p, 1, NULL, NULL, unit, f, c->data), 0);
        unit[k] = 0;
        for (int i = 0; i < c->n; i++) most = fmax(most, fabs(f[i]));
        p[k] = (1 + 0.5 * uniform()) / (most > 0 ? most : 1);
    }
    free(unit), free(f);
}

/* A point near the nominal ones, and the sizes of everything there. */
static void look_around(const entry *e, const problem *hand, const costate_model_info *about, pair *q)
{
    const costate_problem *c = q->hand;
    q->t = hand->t0 + (0.4 + 0.1 * uniform()) * (hand->t1 - hand->t0);
    q->size_t_ = fabs(hand->t1 - hand->t0) / 1000;
    for (int i = 0; i < c->n; i++) {
        q->size_y[i] = e->rates ? 1 : fmax(fabs(about->y0[i]), hand->scale ? hand->scale[i] : 1);
        q->y[i] = e->rates ? 1 + 0.5 * uniform() : about->y0[i] + 0.2 * q->size_y[i] * uniform();
    }
    if (e->disturb) e->disturb(hand, uniform, q->y);
    for (int k = 0; k < c->np; k++) q->p[k] = about->p[k] * (1 + 0.1 * uniform());
    if (e->rates) q->t = 3600, balance(c, q->t, q->y, q->p); /* an hour after noon, for CBM-IV */
    for (int k = 0; k < c->np; k++) q->size_p[k] = q->p[k] != 0 ? fabs(q->p[k]) : 1;
    double *f = numbers(c->n);
    assert_int_equal(c->rhs(q->t, q->y, q->p, f, c->data), 0);
    for (int i = 0; i < c->n; i++) q->size_u[i] = f[i] != 0 ? 1 / fabs(f[i]) : 1;
    free(f);
}

/* Sizes, times, names and nominal values are the same. */
static void check_descriptor(const problem *hand, const costate_problem *made, const costate_model_info *about)
{
    const costate_problem *c = &hand->prob;
    assert_int_equal(made->n, c->n);
    assert_int_equal(made->np, c->np);
    assert_int_equal(made->objectives, c->objectives);
    assert_int_equal(made->observations, c->observations);
    assert_true(about->t0 == hand->t0 && about->t1 == hand->t1);
    for (int k = 0; k < c->observations; k++) assert_true(made->observe_at[k] == c->observe_at[k]);
    for (int i = 0; c->state_names && made->state_names && i < c->n; i++)
        assert_string_equal(made->state_names[i], c->state_names[i]);
    for (int i = 0; c->param_names && made->param_names && i < c->np; i++)
        assert_string_equal(made->param_names[i], c->param_names[i]);
    for (int k = 0; k < c->np; k++) assert_near(about->p[k], hand->p[k], 1e-15 * fabs(hand->p[k]));
    for (int i = 0; hand->y0 && i < c->n; i++) assert_near(about->y0[i], hand->y0[i], 1e-14 * fmax(1, fabs(hand->y0[i])));
    if (c->autonomous) assert_int_equal(made->autonomous, 1);
}

static void compare(const entry *e, const problem *hand, costate_model *m)
{
    const costate_problem *made = costate_model_problem(m);
    const costate_model_info about = costate_model_about(m);
    const int n = hand->prob.n, np = hand->prob.np;
    check_descriptor(hand, made, &about);
    pair q = {.name = hand->name, .hand = &hand->prob, .made = made, .part = "rhs", .n = n, .np = np, .rows = n,
              .y = numbers(n), .p = numbers(np), .size_y = numbers(n), .size_p = numbers(np), .size_u = numbers(n)};
    for (int trial = 0; trial < 2; trial++) {
        look_around(e, hand, &about, &q);
        check_pair(&q);
        check_jacobian(&q);
        const costate_problem *c = &hand->prob;
        if (hand->y0) check_start(&q, &made->init, hand->y0);
        else check_function(&q, "init", &c->init, &made->init, 0, n);
        check_function(&q, "terminal", &c->terminal, &made->terminal, 0, c->objectives);
        check_function(&q, "running", &c->running, &made->running, 0, c->objectives);
        for (int k = 0; k < c->observations; k += 1 + c->observations / 3)
            check_function(&q, "observe", &c->observe, &made->observe, k, c->objectives);
    }
    free(q.y), free(q.p), free(q.size_y), free(q.size_p), free(q.size_u);
}

/* The problem by hand; *own is what has to be freed. */
static const problem *by_hand(const entry *e, problem **own)
{
    *own = e->sized ? e->sized(e->size) : NULL;
    return e->fixed ? e->fixed : e->stiff ? e->stiff() : *own;
}

static void model(void **context)
{
    const entry *e = *context;
    problem *own;
    const problem *hand = by_hand(e, &own);
    costate_model *m = generated_model(hand->name, e->define);
    compare(e, hand, m);
    costate_model_close(m);
    problem_free(own);
}

int main(void)
{
    struct CMUnitTest tests[COUNT(entries)];
    for (size_t i = 0; i < COUNT(entries); i++) {
        problem *own;
        tests[i] = (struct CMUnitTest){by_hand(&entries[i], &own)->name, model, NULL, NULL, (void *)&entries[i]};
        problem_free(own);
    }
    return cmocka_run_group_tests_name("models", tests, NULL, NULL);
}
