/* ad_products.h - every product of a case against differences of the same text in long double, and every number of lanes against
 * one lane.
 *
 *   D^q f(d1, ..., dq) is found from the mixed central difference  sum over signs of s1 ... sq f(x + h (s1 d1 + ... + sq dq))
 *   / (2h)^q and two steps of extrapolation in h^2, so that its error is of order h^6. */
#ifndef COSTATE_TESTS_AD_PRODUCTS_H
#define COSTATE_TESTS_AD_PRODUCTS_H

#include "ad_check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

typedef void ad_long_fn(long double t, const long double *y, const long double *p, long double *f);

typedef struct ad_direction {
    const double *t, *y, *p; /* one lane; NULL: zero */
} ad_direction;

static const double ad_tolerance[] = {0, 1e-12, 1e-9, 1e-6};

/* ---- differences ------------------------------------------------------------------------------------------------------- */

static inline void ad_mixed(ad_arena *m, const ad_case *c, ad_long_fn *f, int q, const ad_direction *d, long double h,
                            long double *sum)
{
    long double *y = ad_take(m, (size_t)(c->n + 1) * sizeof *y), *p = ad_take(m, (size_t)(c->np + 1) * sizeof *p),
                *g = ad_take(m, (size_t)(c->n + 1) * sizeof *g);
    for (int i = 0; i < c->n; i++) sum[i] = 0;
    for (int signs = 0; signs < 1 << q; signs++) {
        long double t = c->t, all = 1;
        for (int i = 0; i < c->n; i++) y[i] = c->y[i % AD_CYCLE];
        for (int i = 0; i < c->np; i++) p[i] = c->p[i % AD_CYCLE];
        for (int k = 0; k < q; k++) {
            const long double s = signs >> k & 1 ? -h : h;
            all *= signs >> k & 1 ? -1 : 1;
            if (d[k].t) t += s * d[k].t[0];
            for (int i = 0; d[k].y && i < c->n; i++) y[i] += s * d[k].y[i];
            for (int i = 0; d[k].p && i < c->np; i++) p[i] += s * d[k].p[i];
        }
        f(t, y, p, g);
        for (int i = 0; i < c->n; i++) sum[i] += all * g[i] / powl(2 * h, q);
    }
}

static inline void ad_differences(ad_arena *m, const ad_case *c, ad_long_fn *f, int q, const ad_direction *d, double *result)
{
    const long double h = q == 1 ? 1e-3L : q == 2 ? 4e-3L : 8e-3L;
    long double *a[3];
    for (int k = 0; k < 3; k++) {
        a[k] = ad_take(m, (size_t)(c->n + 1) * sizeof *a[k]);
        ad_mixed(m, c, f, q, d, h / (1 << k), a[k]);
    }
    for (int i = 0; i < c->n; i++) {
        const long double first = (4 * a[1][i] - a[0][i]) / 3, second = (4 * a[2][i] - a[1][i]) / 3;
        result[i] = (double)((16 * second - first) / 15);
    }
}

#define AD_NEAR(name, what, defect, bound)                                                                                       \
    do {                                                                                                                         \
        const double defect_ = (defect);                                                                                         \
        if (!(defect_ <= (bound))) fail_msg("%s: %s is off by %g, more than %g", name, what, defect_, (double)(bound));          \
    } while (0)

/* ---- one lane ---------------------------------------------------------------------------------------------------------- */

typedef struct ad_trial {
    ad_arena *m;
    const ad_case *c;
    const costate_problem *g;
    ad_long_fn *f;
    const double *y, *p;
    ad_direction d1, d2, v;
    const double *u, *udot;
} ad_trial;

static inline ad_direction ad_part(const ad_direction *d, int parts)
{
    return (ad_direction){parts & 1 ? d->t : NULL, parts & 2 ? d->y : NULL, parts & 4 ? d->p : NULL};
}

static inline void ad_check_jvp(const ad_trial *r)
{
    const int n = r->c->n;
    double *is = ad_zeros(r->m, n), *should = ad_zeros(r->m, n);
    r->g->rhs(r->c->t, r->y, r->p, is, NULL);
    ad_differences(r->m, r->c, r->f, 0, NULL, should);
    AD_NEAR(r->c->name, "rhs", ad_defect(n, is, should), 1e-13);
    for (int parts = 0; parts < 8; parts++) {
        const ad_direction d = ad_part(&r->d1, parts);
        for (int i = 0; i < n; i++) is[i] = NAN;
        assert_int_equal(r->g->jvp(r->c->t, r->y, r->p, 1, d.t, d.y, d.p, is, NULL), 0);
        ad_differences(r->m, r->c, r->f, 1, &d, should);
        AD_NEAR(r->c->name, "jvp", ad_defect(n, is, should), ad_tolerance[1]);
    }
}

static inline void ad_check_jvp2(const ad_trial *r)
{
    const int n = r->c->n;
    double *is = ad_zeros(r->m, n), *should = ad_zeros(r->m, n);
    for (int parts = 0; parts < 64; parts++) {
        const ad_direction d[2] = {ad_part(&r->d1, parts & 7), ad_part(&r->d2, parts >> 3)};
        for (int i = 0; i < n; i++) is[i] = NAN;
        assert_int_equal(r->g->jvp2(r->c->t, r->y, r->p, 1, d[0].t, d[0].y, d[0].p, d[1].t, d[1].y, d[1].p, is, NULL), 0);
        ad_differences(r->m, r->c, r->f, 2, d, should);
        AD_NEAR(r->c->name, "jvp2", ad_defect(n, is, should), ad_tolerance[2]);
    }
}

/* <v, what a transposed product added> for sums that held `before` everywhere. */
static inline double ad_added(const ad_trial *r, const double *yb, const double *pb, double before)
{
    double s = 0;
    for (int i = 0; yb && i < r->c->n; i++) s += r->v.y[i] * (yb[i] - before);
    for (int i = 0; pb && i < r->c->np; i++) s += r->v.p[i] * (pb[i] - before);
    return s;
}

static inline double *ad_filled(ad_arena *m, int count, double value)
{
    double *a = ad_zeros(m, count);
    for (int i = 0; i < count; i++) a[i] = value;
    return a;
}

static inline double ad_off(double is, double should)
{
    return fabs(is - should) / fmax(1, fabs(should));
}

static inline void ad_check_vjp(const ad_trial *r)
{
    const int n = r->c->n, np = r->c->np;
    double *jv = ad_zeros(r->m, n);
    for (int wanted = 0; wanted < 4; wanted++) {
        double *yb = wanted & 1 ? ad_filled(r->m, n, 2) : NULL, *pb = wanted & 2 ? ad_filled(r->m, np, 2) : NULL;
        assert_int_equal(r->g->vjp(r->c->t, r->y, r->p, 1, r->u, yb, pb, NULL), 0);
        const ad_direction v = {NULL, yb ? r->v.y : NULL, pb ? r->v.p : NULL};
        ad_differences(r->m, r->c, r->f, 1, &v, jv);
        AD_NEAR(r->c->name, "vjp", ad_off(ad_added(r, yb, pb, 2), ad_dot(n, r->u, jv)), ad_tolerance[1]);
    }
}

/* Three points at once are the three points one after the other. */
static inline void ad_check_points(const ad_trial *r, unsigned long long *state)
{
    const int n = r->c->n, np = r->c->np;
    if (!r->g->vjp_points) return;
    for (int w = 1; w <= 9; w++) {
        double t[3], *is = ad_filled(r->m, np * w, 1), *should = ad_filled(r->m, np * w, 1);
        const double *y[3], *u[3];
        for (int k = 0; k < 3; k++) {
            double *moved = ad_randoms(r->m, n, state);
            for (int i = 0; i < n; i++) moved[i] = r->y[i] * (1 + 0.1 * moved[i]);
            t[k] = r->c->t + 0.01 * k, y[k] = moved, u[k] = ad_randoms(r->m, n * w, state);
            assert_int_equal(r->g->vjp(t[k], y[k], r->p, w, u[k], NULL, should, NULL), 0);
        }
        assert_int_equal(r->g->vjp_points(3, t, y, r->p, w, u, is, NULL), 0);
        AD_NEAR(r->c->name, "vjp_points", ad_defect(np * w, is, should), 1e-13);
    }
}

static inline void ad_check_vjp_dot(const ad_trial *r)
{
    const int n = r->c->n, np = r->c->np;
    double *jv = ad_zeros(r->m, n), *second = ad_zeros(r->m, n);
    for (int choice = 0; choice < 256; choice++) { /* bits: t y p of the direction, udot, and the four outputs */
        const ad_direction d = ad_part(&r->d1, choice & 7);
        const double *udot = choice & 8 ? r->udot : NULL;
        double *yb = choice & 16 ? ad_filled(r->m, n, 1) : NULL, *ybdot = choice & 32 ? ad_filled(r->m, n, 1) : NULL;
        double *pb = choice & 64 ? ad_filled(r->m, np, 1) : NULL, *pbdot = choice & 128 ? ad_filled(r->m, np, 1) : NULL;
        assert_int_equal(r->g->vjp_dot(r->c->t, r->y, r->p, 1, d.t, d.y, d.p, r->u, udot, yb, ybdot, pb, pbdot, NULL), 0);
        const ad_direction v = {NULL, yb ? r->v.y : NULL, pb ? r->v.p : NULL},
                           vdot = {NULL, ybdot ? r->v.y : NULL, pbdot ? r->v.p : NULL};
        ad_differences(r->m, r->c, r->f, 1, &v, jv);
        AD_NEAR(r->c->name, "vjp_dot's vjp", ad_off(ad_added(r, yb, pb, 1), ad_dot(n, r->u, jv)), ad_tolerance[1]);
        ad_differences(r->m, r->c, r->f, 1, &vdot, jv);
        ad_differences(r->m, r->c, r->f, 2, (ad_direction[]){d, vdot}, second);
        const double should = ad_dot(n, r->u, second) + (udot ? ad_dot(n, udot, jv) : 0);
        AD_NEAR(r->c->name, "vjp_dot", ad_off(ad_added(r, ybdot, pbdot, 1), should), ad_tolerance[2]);
    }
}

static inline void ad_check_vjp_dot2(const ad_trial *r)
{
    const int n = r->c->n, np = r->c->np;
    double *third = ad_zeros(r->m, n);
    for (int choice = 0; choice < 64; choice++) {
        const ad_direction d[3] = {ad_part(&r->d1, choice & 7), ad_part(&r->d2, choice >> 3), {NULL, r->v.y, r->v.p}};
        double *yb = ad_filled(r->m, n, 1), *pb = ad_filled(r->m, np, 1);
        assert_int_equal(
            r->g->vjp_dot2(r->c->t, r->y, r->p, 1, d[0].t, d[0].y, d[0].p, d[1].t, d[1].y, d[1].p, r->u, yb, pb, NULL), 0);
        ad_differences(r->m, r->c, r->f, 3, d, third);
        AD_NEAR(r->c->name, "vjp_dot2", ad_off(ad_added(r, yb, pb, 1), ad_dot(n, r->u, third)), ad_tolerance[3]);
    }
}

/* ---- lanes ------------------------------------------------------------------------------------------------------------- */

static inline const double *ad_lane(ad_arena *m, const double *block, int rows, int w, int l)
{
    double *a = ad_zeros(m, rows);
    for (int i = 0; i < rows; i++) a[i] = block[i * w + l];
    return a;
}

enum { AD_BLOCKS = 15 };

/* What is written to and added to, for w lanes: fdot, fdd, then the sums of vjp, vjp_dot and vjp_dot2. */
static inline void ad_run_lanes(const ad_trial *r, int w, const double *const *in, double *const *out)
{
    const double t = r->c->t, *y = r->y, *p = r->p;
    assert_int_equal(r->g->jvp(t, y, p, w, in[0], in[1], in[2], out[0], NULL), 0);
    assert_int_equal(r->g->jvp2(t, y, p, w, in[0], in[1], in[2], in[3], in[4], in[5], out[1], NULL), 0);
    assert_int_equal(r->g->vjp(t, y, p, w, in[6], out[2], out[3], NULL), 0);
    assert_int_equal(r->g->vjp_dot(t, y, p, w, in[0], in[1], in[2], in[6], in[7], out[4], out[5], out[6], out[7], NULL), 0);
    assert_int_equal(r->g->vjp_dot(t, y, p, w, in[0], in[1], NULL, in[6], NULL, NULL, out[8], NULL, out[9], NULL), 0);
    assert_int_equal(r->g->vjp_dot2(t, y, p, w, in[0], in[1], in[2], in[3], in[4], in[5], in[6], out[10], out[11], NULL), 0);
    assert_int_equal(r->g->vjp_dot(t, y, p, w, NULL, in[1], NULL, in[6], in[7], out[12], out[13], NULL, NULL, NULL), 0);
    assert_int_equal(r->g->vjp_dot(t, y, p, w, NULL, in[1], in[2], in[6], NULL, NULL, out[14], NULL, NULL, NULL), 0);
}

static inline void ad_check_lanes(const ad_trial *r, int w, unsigned long long *state)
{
    const int n = r->c->n, np = r->c->np;
    const int in_rows[8] = {1, n, np, 1, n, np, n, n}, out_rows[AD_BLOCKS] = {n, n, n, np, n, n, np, np, n, np, n, np, n, n, n};
    const double *in[8], *in_l[8];
    double *out[AD_BLOCKS], *out_l[AD_BLOCKS];
    for (int i = 0; i < 8; i++) in[i] = ad_randoms(r->m, in_rows[i] * w, state);
    for (int i = 0; i < AD_BLOCKS; i++) out[i] = ad_filled(r->m, out_rows[i] * w, 1);
    ad_run_lanes(r, w, in, out);
    for (int l = 0; l < w; l++) {
        for (int i = 0; i < 8; i++) in_l[i] = ad_lane(r->m, in[i], in_rows[i], w, l);
        for (int i = 0; i < AD_BLOCKS; i++) out_l[i] = ad_filled(r->m, out_rows[i], 1);
        ad_run_lanes(r, 1, in_l, out_l);
        for (int i = 0; i < AD_BLOCKS; i++)
            AD_NEAR(r->c->name, "a lane", ad_defect(out_rows[i], ad_lane(r->m, out[i], out_rows[i], w, l), out_l[i]), 1e-12);
    }
}

/* ---- all of it --------------------------------------------------------------------------------------------------------- */

static inline void ad_check_case(ad_arena *m, const ad_case *c, void *emitted, void *in_long_double, unsigned long long *state)
{
    ad_trial r = {.m = m, .c = c, .g = ad_table(emitted, c->name)};
    *(void **)&r.f = dlsym(in_long_double, c->name);
    assert_non_null(r.g);
    assert_non_null(r.f);
    r.y = ad_point(m, c->y, c->n);
    r.p = ad_point(m, c->p, c->np);
    ad_direction *const d[3] = {&r.d1, &r.d2, &r.v};
    for (int i = 0; i < 3; i++)
        *d[i] = (ad_direction){ad_randoms(m, 1, state), ad_randoms(m, c->n, state), ad_randoms(m, c->np, state)};
    r.u = ad_randoms(m, c->n, state);
    r.udot = ad_randoms(m, c->n, state);
    ad_check_jvp(&r);
    ad_check_vjp(&r);
    ad_check_points(&r, state);
    ad_check_jvp2(&r);
    ad_check_vjp_dot(&r);
    ad_check_vjp_dot2(&r);
    static const int widths[] = {2, 3, 4, 5, 8, 11};
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) ad_check_lanes(&r, widths[i], state);
}

/* cut: as in ad_generate_options. Differentiates, compiles without warnings (and looks at it with clang, where there is one),
 * checks. */
static inline void ad_check_cases(const ad_case *cases, int count, int cut, const char *optimize)
{
    ad_arena *m = ad_arena_open(&ad_no_memory, 0);
    assert_non_null(m);
    const char *text =
        ad_emit_with(m, cases, count, &(ad_generate_options){.products = AD_FIRST | AD_SECOND | AD_THIRD, .cut = cut});
    assert_non_null(text);
    void *emitted = ad_load(text, optimize), *in_long_double = ad_load(ad_text_with(m, cases, count, AD_LONG_DOUBLE), "-O1 -w");
    assert_non_null(emitted);
    assert_non_null(in_long_double);
    if (system("command -v clang > /dev/null 2>&1") == 0)
        assert_int_equal(ad_compile_quietly("clang", text, AD_WARNINGS, NULL), 0);
    unsigned long long state = 1;
    for (int i = 0; i < count; i++) ad_check_case(m, &cases[i], emitted, in_long_double, &state);
    dlclose(emitted);
    dlclose(in_long_double);
    ad_arena_close(m);
}

#endif
