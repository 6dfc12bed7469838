/* determined.c - see determined.h */
#include "core/determined.h"

#include "base/kernels.h"
#include "core/consistent.h"
#include "method/implicit.h"

#include <math.h>
#include <stdio.h>

enum { SIGNS = 4, TRIED = 2 };
static const double large = 1e-2; /* of x, d where S is singular */
static const double none = 1e-6;  /* of the terms of S d, their sum there */

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

/* The names of what d is large in. */
static void list(const costate_solver *s, const double *y, const double *d, char *words, size_t size)
{
    name_list names = cst__names(words, size, 0);
    double most = 0;
    for (size_t i = 0; i < (size_t)s->prob.n; i++) most = fmax(most, fabs(d[i]) / unit(s, y, i));
    for (size_t i = 0; i < (size_t)s->prob.n; i++)
        if (fabs(d[i]) > 1e-3 * most * unit(s, y, i)) cst__names_add(s, &names, (int)i);
    cst__names_end(&names);
}

int cst__undetermined(costate_solver *s, const double *y, char *words, size_t size)
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
    if (yes) list(s, y, d, words, size);
    cst__release(&s->alloc, x);
    return rc;
}
