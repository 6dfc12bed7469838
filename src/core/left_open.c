/* left_open.c - see left_open.h */
#include "core/left_open.h"

#include "base/kernels.h"
#include "base/sparsity.h"
#include "core/consistent.h"
#include "core/hidden.h"
#include "linsol/blas.h"
#include "linsol/lapack.h"
#include "method/implicit.h"

#include <math.h>
#include <stdio.h>

enum { LOOKED_AT = 500 };
static const double counts = 1e-2; /* of the largest entry of a singular vector */

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
    name_list names = cst__names(text, size, equations);
    double most = 0;
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs(x[i * stride]));
    for (size_t i = 0; i < n; i++) {
        if (cst__start_mass(s) && cst__start_mass(s)[i] != 0) continue; /* it is given, or its slope is found from it */
        if (fabs(x[i * stride]) > counts * most) cst__names_add(s, &names, (int)i);
    }
    cst__names_end(&names);
}

void cst__left_open(costate_solver *s, char *words, size_t size)
{
    const int n = s->prob.n, room = 6 * n;
    const size_t square = (size_t)n * (size_t)n;
    char equations[240], variables[160];
    int info = 1;
    words[0] = 0;
    if (!s->im->values || n > LOOKED_AT) return;
    double *k = cst__alloc(&s->alloc, 3 * square + (size_t)(n + room), sizeof *k);
    if (!k) return;
    double *u = k + square, *vt = u + square, *sigma = vt + square, *work = sigma + n;
    assemble(s, k);
    const int number = blas_calm();
    if (cst__all_finite(square, k)) dgesvd_("A", "A", &n, &n, k, &n, sigma, u, &n, vt, &n, work, &room, &info);
    blas_as_before(number);
    if (!info) {
        list(s, u + (size_t)(n - 1) * (size_t)n, 1, 1, equations, sizeof equations);
        list(s, vt + n - 1, (size_t)n, 0, variables, sizeof variables);
        if (equations[0] && variables[0]) snprintf(words, size, "; left open by %s: %s", equations, variables);
    }
    cst__release(&s->alloc, k);
}
