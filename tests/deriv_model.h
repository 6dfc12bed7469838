/* deriv_model.h - for tests of derivative products: a model, and all its products as callbacks.
 *
 * The first derivatives are written by hand, for complex arguments, so that the complex step gives the second ones, to
 * round-off. */
#ifndef COSTATE_TESTS_DERIV_MODEL_H
#define COSTATE_TESTS_DERIV_MODEL_H

#include "deriv/deriv.h"

#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

typedef double complex cplx;

enum { N = 12, NP = 15, M = 5, W = 8, ROWS = 12 };
enum { JVP = 1, VJP = 2, VJP_DOT = 4, JVP2 = 8, JAC = 16 }; /* what the user gives */

static const double tiny = 1e-40; /* complex step */

/* ---- the model: f_i = cos(t) a b - exp(-0.3 a) + sum over j of sin(p_j + t/2 + phase) c -----------------------------------
 * with a = y_i, b = y_(i+1), c = y_(i+j), indices modulo n; init (n = 0) is only the sum, without t and with c = i + 1. */

static double phase(int i, int j, int k)
{
    return 0.1 * (i + 1) * (j + 1) + 0.7 * k;
}

static void model(int rows, int n, int np, int k, cplx t, const cplx *y, const cplx *p, cplx *f)
{
    for (int i = 0; i < rows; i++) {
        f[i] = n ? ccos(t) * y[i % n] * y[(i + 1) % n] - cexp(-0.3 * y[i % n]) : 0;
        for (int j = 0; j < np; j++) {
            if (n) f[i] += csin(p[j] + t / 2 + phase(i, j, k)) * y[(i + j) % n];
            else f[i] += csin(p[j] + phase(i, j, k)) * (i + 1);
        }
    }
}

static void model_jvp(int rows, int n, int np, int k, cplx t, const cplx *y, const cplx *p, cplx tdot, const cplx *ydot,
                      const cplx *pdot, cplx *fdot)
{
    for (int i = 0; i < rows; i++) {
        fdot[i] = 0;
        if (n) {
            cplx a = y[i % n], b = y[(i + 1) % n], adot = ydot[i % n], bdot = ydot[(i + 1) % n];
            fdot[i] = ccos(t) * (adot * b + a * bdot) - csin(t) * tdot * a * b + 0.3 * cexp(-0.3 * a) * adot;
        }
        for (int j = 0; j < np; j++) {
            cplx x = p[j] + phase(i, j, k) + (n ? t / 2 : 0), xdot = pdot[j] + (n ? tdot / 2 : 0);
            fdot[i] += ccos(x) * xdot * (n ? y[(i + j) % n] : i + 1);
            if (n) fdot[i] += csin(x) * ydot[(i + j) % n];
        }
    }
}

static void model_vjp(int rows, int n, int np, int k, cplx t, const cplx *y, const cplx *p, const cplx *u, cplx *yb, cplx *pb)
{
    memset(yb, 0, N * sizeof *yb);
    memset(pb, 0, NP * sizeof *pb);
    for (int i = 0; i < rows; i++) {
        if (n) {
            cplx a = y[i % n], b = y[(i + 1) % n];
            yb[i % n] += u[i] * (ccos(t) * b + 0.3 * cexp(-0.3 * a));
            yb[(i + 1) % n] += u[i] * ccos(t) * a;
        }
        for (int j = 0; j < np; j++) {
            cplx x = p[j] + phase(i, j, k) + (n ? t / 2 : 0);
            pb[j] += u[i] * ccos(x) * (n ? y[(i + j) % n] : i + 1);
            if (n) yb[(i + j) % n] += u[i] * csin(x);
        }
    }
}

/* ---- the model's products as callbacks ---------------------------------------------------------------------------------- */

typedef struct world {
    int n, np;
    long calls;       /* of any callback */
    long fail_at;     /* which of them fails; 0: none */
    int code, widest; /* what it returns; the largest w seen */
} world;

static int called(world *o, int w)
{
    if (w > o->widest) o->widest = w;
    return ++o->calls == o->fail_at ? o->code : 0;
}

/* Lane l of x + i tiny xdot. NULL: zero. */
static void lane(int n, int w, int l, const double *x, const double *xdot, cplx *z)
{
    for (int i = 0; i < n; i++) z[i] = (x ? x[i * w + l] : 0) + I * tiny * (xdot ? xdot[i * w + l] : 0);
}

static void point(int n, int w, int l, const double *x, const double *xdot, cplx *z)
{
    for (int i = 0; i < n; i++) z[i] = x[i] + I * tiny * (xdot ? xdot[i * w + l] : 0);
}

static int fn_eval(int k, double t, const double *y, const double *p, double *g, void *data)
{
    world *o = data;
    int n = y ? o->n : 0, rows = y ? M : o->n;
    cplx zy[N] = {0}, zp[NP] = {0}, zg[ROWS];
    point(n, 1, 0, y, NULL, zy);
    point(o->np, 1, 0, p, NULL, zp);
    model(rows, n, o->np, k, t, zy, zp, zg);
    for (int i = 0; i < rows; i++) g[i] = creal(zg[i]);
    return called(o, 1);
}

static void jvp2_of(world *o, int rows, int n, int k, double t, const double *y, const double *p, int w,
                    const double *const d1[3], const double *const d2[3], double *gdot, double *gdd)
{
    for (int l = 0; l < w; l++) {
        cplx zy[N], zp[NP], zydot[N], zpdot[NP], zg[ROWS], zt = t + I * tiny * (d2[0] ? d2[0][l] : 0);
        point(n, w, l, y, d2[1], zy);
        point(o->np, w, l, p, d2[2], zp);
        lane(n, w, l, d1[1], NULL, zydot);
        lane(o->np, w, l, d1[2], NULL, zpdot);
        model_jvp(rows, n, o->np, k, zt, zy, zp, d1[0] ? d1[0][l] : 0, zydot, zpdot, zg);
        for (int i = 0; gdot && i < rows; i++) gdot[i * w + l] = creal(zg[i]);
        for (int i = 0; gdd && i < rows; i++) gdd[i * w + l] = cimag(zg[i]) / tiny;
    }
}

static void vjp_dot_of(world *o, int rows, int n, int k, double t, const double *y, const double *p, int w,
                       const double *const d[3], const double *u, const double *udot, double *const out[4])
{
    for (int l = 0; l < w; l++) {
        cplx zy[N], zp[NP], zu[ROWS], zyb[N], zpb[NP], zt = t + I * tiny * (d[0] ? d[0][l] : 0);
        point(n, w, l, y, d[1], zy);
        point(o->np, w, l, p, d[2], zp);
        lane(rows, w, l, u, udot, zu);
        model_vjp(rows, n, o->np, k, zt, zy, zp, zu, zyb, zpb);
        for (int i = 0; out[0] && i < n; i++) out[0][i * w + l] += creal(zyb[i]);
        for (int i = 0; out[1] && i < n; i++) out[1][i * w + l] += cimag(zyb[i]) / tiny;
        for (int i = 0; out[2] && i < o->np; i++) out[2][i * w + l] += creal(zpb[i]);
        for (int i = 0; out[3] && i < o->np; i++) out[3][i * w + l] += cimag(zpb[i]) / tiny;
    }
}

static int fn_jvp(int k, double t, const double *y, const double *p, int w, const double *tdot, const double *ydot,
                  const double *pdot, double *gdot, void *data)
{
    world *o = data;
    if (!y) assert_true(!ydot && !tdot);
    jvp2_of(o, y ? M : o->n, y ? o->n : 0, k, t, y, p, w, (const double *[]){tdot, ydot, pdot}, (const double *[3]){0}, gdot,
            NULL);
    return called(o, w);
}

static int fn_vjp_dot(int k, double t, const double *y, const double *p, int w, const double *tdot, const double *ydot,
                      const double *pdot, const double *u, const double *udot, double *yb, double *ybdot, double *pb,
                      double *pbdot, void *data)
{
    world *o = data;
    if (!y) assert_true(!ydot && !tdot && !yb && !ybdot);
    vjp_dot_of(o, y ? M : o->n, y ? o->n : 0, k, t, y, p, w, (const double *[]){tdot, ydot, pdot}, u, udot,
               (double *[]){yb, ybdot, pb, pbdot});
    return called(o, w);
}

static int fn_vjp(int k, double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb, void *data)
{
    return fn_vjp_dot(k, t, y, p, w, NULL, NULL, NULL, u, NULL, yb, NULL, pb, NULL, data);
}

static int rhs(double t, const double *y, const double *p, double *f, void *data)
{
    world *o = data;
    cplx zy[N] = {0}, zp[NP] = {0}, zf[N];
    point(o->n, 1, 0, y, NULL, zy);
    point(o->np, 1, 0, p, NULL, zp);
    model(o->n, o->n, o->np, 0, t, zy, zp, zf);
    for (int i = 0; i < o->n; i++) f[i] = creal(zf[i]);
    return called(o, 1);
}

static int jvp2(double t, const double *y, const double *p, int w, const double *tdot1, const double *ydot1, const double *pdot1,
                const double *tdot2, const double *ydot2, const double *pdot2, double *fdd, void *data)
{
    world *o = data;
    jvp2_of(o, o->n, o->n, 0, t, y, p, w, (const double *[]){tdot1, ydot1, pdot1}, (const double *[]){tdot2, ydot2, pdot2}, NULL,
            fdd);
    return called(o, w);
}

static int jvp(double t, const double *y, const double *p, int w, const double *tdot, const double *ydot, const double *pdot,
               double *fdot, void *data)
{
    world *o = data;
    jvp2_of(o, o->n, o->n, 0, t, y, p, w, (const double *[]){tdot, ydot, pdot}, (const double *[3]){0}, fdot, NULL);
    return called(o, w);
}

static int vjp_dot(double t, const double *y, const double *p, int w, const double *tdot, const double *ydot, const double *pdot,
                   const double *u, const double *udot, double *yb, double *ybdot, double *pb, double *pbdot, void *data)
{
    world *o = data;
    vjp_dot_of(o, o->n, o->n, 0, t, y, p, w, (const double *[]){tdot, ydot, pdot}, u, udot, (double *[]){yb, ybdot, pb, pbdot});
    return called(o, w);
}

static int vjp(double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb, void *data)
{
    return vjp_dot(t, y, p, w, NULL, NULL, NULL, u, NULL, yb, NULL, pb, NULL, data);
}

static int jac(double t, const double *y, const double *p, double *entries, void *data)
{
    world *o = data;
    for (int j = 0; j < o->n; j++) {
        double e[N] = {0};
        e[j] = 1;
        jvp2_of(o, o->n, o->n, 0, t, y, p, 1, (const double *[]){NULL, e, NULL}, (const double *[3]){0}, entries + j * o->n,
                NULL);
    }
    return called(o, 1);
}

/* ---- a problem at a random point ---------------------------------------------------------------------------------------- */

typedef struct sample { /* doubles only */
    double t, y[N], p[NP], tdot[2][W], ydot[2][N * W], pdot[2][NP * W], u[ROWS * W], udot[ROWS * W], base[NP * W];
} sample;

typedef struct fixture {
    world o;
    costate_problem prob;
    costate_stats count;
    deriv d;
    sample x;
    int w;
} fixture;

static void fill(sample *x)
{
    uint32_t seed = 20240607;
    for (size_t i = 0; i < sizeof *x / sizeof(double); i++) {
        seed = seed * 1664525u + 1013904223u;
        double uniform = (double)seed / 2147483648.0 - 1;
        memcpy((char *)x + i * sizeof uniform, &uniform, sizeof uniform);
    }
    x->t = 1; /* where f_t is no smaller than f */
}

static costate_function function(unsigned given)
{
    return (costate_function){.eval = fn_eval,
                              .jvp = given & JVP ? fn_jvp : NULL,
                              .vjp = given & VJP ? fn_vjp : NULL,
                              .vjp_dot = given & VJP_DOT ? fn_vjp_dot : NULL};
}

static void prepare(fixture *f, int n, int np, int w, unsigned given)
{
    *f = (fixture){.o = {.n = n, .np = np}, .w = w};
    fill(&f->x);
    f->prob = (costate_problem){.n = n,
                                .np = np,
                                .data = &f->o,
                                .rhs = rhs,
                                .jvp = given & JVP ? jvp : NULL,
                                .vjp = given & VJP ? vjp : NULL,
                                .jvp2 = given & JVP2 ? jvp2 : NULL,
                                .vjp_dot = given & VJP_DOT ? vjp_dot : NULL,
                                .jac = given & JAC ? jac : NULL};
}

static void give_functions(fixture *f, unsigned given)
{
    f->prob.objectives = M;
    f->prob.init = f->prob.terminal = f->prob.running = f->prob.observe = function(given);
}

static void open_with(fixture *f, int lanes)
{
    assert_int_equal(deriv_open(&f->d, &f->prob, lanes, &(costate_allocator){0}, &f->count), COSTATE_OK);
}

/* got = base + want within tol of the largest entry wanted; base NULL: zero. */
static void close_to(const double *got, const double *base, const double *want, int count, double tol)
{
    double size = 0;
    for (int i = 0; i < count; i++) size = fmax(size, fabs(want[i]));
    for (int i = 0; i < count; i++) {
        double b = base ? base[i] : 0;
        if (!(fabs(got[i] - b - want[i]) <= tol * size + 1e-15 * fabs(b)))
            fail_msg("entry %d of %d: got %.17g, want %.17g + %.17g within %g", i, count, got[i], b, want[i], tol * size);
    }
}

#endif
