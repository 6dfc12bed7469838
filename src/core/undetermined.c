/* undetermined.c - see undetermined.h */
#include "core/undetermined.h"

#include "base/kernels.h"
#include "base/sparsity.h"
#include "core/consistent.h"
#include "core/hidden.h"
#include "linsol/lapack.h"
#include "method/implicit.h"

#include <math.h>
#include <stdio.h>

enum { LOOKED_AT = 500, NAMED = 3, SIGNS = 4, TRIED = 2 };
static const double counts = 1e-2; /* of the largest entry of a singular vector */
static const double large = 1e-2;  /* of x, d where S is singular */
static const double none = 1e-6;   /* of the terms of S d, their sum there */

/* K = M - J, or -J without a mass, column by column, rows and then columns scaled to a largest entry of 1. */
static void assemble(const costate_solver *s, double *k)
{
    const implicit *m = s->im;
    const size_t n = (size_t)s->prob.n;
    memset(k, 0, n * n * sizeof *k);
    for (size_t j = 0; j < n; j++) {
        const pattern_column c = pattern_entries(&m->pattern, s->prob.n, (int)j);
        for (int e = 0; e < c.count; e++) k[j * n + (size_t)pattern_row(&c, e)] -= m->values[c.at + (size_t)e];
        if (s->prob.mass) k[j * n + j] += cst__start_mass(s)[j];
    }
    for (int columns = 0; columns < 2; columns++)
        for (size_t i = 0; i < n; i++) {
            const size_t first = i * (columns ? n : 1), next = columns ? 1 : n;
            double most = 0;
            for (size_t e = 0; e < n; e++) most = fmax(most, fabs(k[first + e * next]));
            for (size_t e = 0; e < n && most > 0; e++) k[first + e * next] /= most;
        }
}

/* The names of what counts in a vector: equations, or variables. */
static void list(const costate_solver *s, const double *x, size_t stride, int equations, char *text, size_t size)
{
    const size_t n = (size_t)s->prob.n;
    char one[64];
    double most = 0;
    int count = 0;
    text[0] = 0;
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs(x[i * stride]));
    for (size_t i = 0; i < n; i++) {
        if (cst__start_mass(s) && cst__start_mass(s)[i] != 0) continue; /* it is given, or its slope is found from it */
        if (!(fabs(x[i * stride]) > counts * most) || count++ >= NAMED) continue;
        const size_t at = strlen(text);
        snprintf(text + at, size - at, "%s%s", count > 1 ? ", " : "",
                 equations ? cst__equation(s, (int)i, one) : cst__state_name(s, (int)i, one));
    }
    const size_t at = strlen(text);
    if (count > NAMED) snprintf(text + at, size - at, " and %d more", count - NAMED);
}

void cst__undetermined(costate_solver *s, const char *free, char *words, size_t size)
{
    const int n = s->prob.n, room = 6 * n;
    const size_t square = (size_t)n * (size_t)n;
    char equations[240], variables[160];
    int info = 1;
    words[0] = 0;
    if (free[0]) snprintf(words, size, " (%s can change without breaking an equation)", free);
    if (!s->im->values || n > LOOKED_AT) return;
    double *k = cst__alloc(&s->alloc, 3 * square + (size_t)(n + room), sizeof *k);
    if (!k) return;
    double *u = k + square, *vt = u + square, *sigma = vt + square, *work = sigma + n;
    assemble(s, k);
    if (cst__all_finite(square, k)) dgesvd_("A", "A", &n, &n, k, &n, sigma, u, &n, vt, &n, work, &room, &info);
    if (!info) {
        list(s, u + (size_t)(n - 1) * (size_t)n, 1, 1, equations, sizeof equations);
        list(s, vt + n - 1, (size_t)n, 0, variables, sizeof variables);
        if (equations[0] && variables[0]) snprintf(words, size, " (left open by %s: %s)", equations, variables);
    }
    cst__release(&s->alloc, k);
}

/* ---- up to round-off ----------------------------------------------------------------------------------------------------- */

static int differential(const costate_solver *s, size_t i)
{
    return cst__start_mass(s)[i] != 0;
}

static double unit(const costate_solver *s, const double *y, size_t i)
{
    const double size = fabs(y[i]) + (s->opt.rtol > 0 ? s->atol[i] / s->opt.rtol : s->atol[i]);
    return size > 0 ? size : 1;
}

/* out = S u in algebraic equations, 0 in the others; u is read where states are algebraic. */
static int apply(costate_solver *s, const double *y, const double *u, double *out, double *part)
{
    const size_t n = (size_t)s->prob.n;
    const double t = cst__start_time(s);
    double *v = part, *of_h = part + n;
    for (size_t i = 0; i < n; i++) part[i] = differential(s, i) ? 0 : u[i];
    TRY(deriv_jvp(&s->d, t, y, s->p, 1, NULL, part, NULL, out));
    for (size_t i = 0; i < n; i++) {
        v[i] = differential(s, i) ? out[i] / cst__start_mass(s)[i] : 0;
        out[i] = differential(s, i) ? 0 : -out[i];
    }
    if (!s->constraint) return 0;
    TRY(deriv_jvp(&s->d, t, y, s->p, 1, NULL, v, NULL, of_h));
    for (size_t i = 0; i < n; i++)
        if (s->constraint[i]) out[i] = -of_h[i];
    return 0;
}

/* Is |S d| nothing against |S| |d|, which sums with other signs show, in every row? */
static int cancels(costate_solver *s, const double *y, const double *d, double *work, int *yes)
{
    const size_t n = (size_t)s->prob.n;
    double *sum = work, *scale = sum + n, *flipped = scale + n, *out = flipped + n, *part = out + n;
    TRY(apply(s, y, d, sum, part));
    memset(scale, 0, n * sizeof *scale);
    for (size_t k = 0; k < SIGNS; k++) {
        for (size_t i = 0; i < n; i++) flipped[i] = cst__irregular(7 * i + 3 * k) > 1 ? d[i] : -d[i];
        TRY(apply(s, y, flipped, out, part));
        for (size_t i = 0; i < n; i++) scale[i] = fmax(scale[i], fabs(out[i]));
    }
    *yes = 1;
    for (size_t i = 0; i < n; i++) *yes = *yes && fabs(sum[i]) <= none * scale[i];
    return 0;
}

int cst__left_open(costate_solver *s, const double *y, char *words, size_t size)
{
    const size_t n = (size_t)s->prob.n;
    double *x = cst__alloc(&s->alloc, 8 * n, sizeof *x), *d = x + n, *work = d + n;
    int rc = 0, yes = 0;
    words[0] = 0;
    if (!x) return cst__fail(s, COSTATE_ERR_MEMORY, "consistent initial values of %d states", s->prob.n);
    for (size_t seed = 0; !rc && !yes && seed < TRIED; seed++) {
        double most = 0;
        for (size_t i = 0; i < n; i++) x[i] = (i & 1 ? -1 : 1) * cst__irregular(i + 17 * seed) * unit(s, y, i);
        rc = apply(s, y, x, d, work);
        if (!rc) rc = cst__implicit_solve(s, s->im, 0, 0, 1, d);
        for (size_t i = 0; !rc && i < n; i++) {
            d[i] = differential(s, i) ? 0 : d[i] - x[i];
            most = fmax(most, fabs(d[i]) / unit(s, y, i));
        }
        if (!rc && most > large) rc = cancels(s, y, d, work, &yes);
    }
    if (yes) list(s, d, 1, 0, words, size);
    cst__release(&s->alloc, x);
    return rc;
}
