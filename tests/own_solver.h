/* own_solver.h - a linear solver as a user might write one: dense, by Gaussian elimination with partial pivoting, for any
 * pattern, real or complex; it counts its handles, and fails where it is told to. */
#ifndef TESTS_OWN_SOLVER_H
#define TESTS_OWN_SOLVER_H

#include <costate/costate.h>
#include <stdlib.h>
#include <string.h>

typedef struct own_data {
    int most;                                                        /* equations it takes; 0: any number */
    int handles, opened, factored, solved, transposed;               /* handles that are open; calls so far */
    int widest, largest;                                             /* lanes, equations */
    int refuse_open, refuse_factor, refuse_solve, refuse_transposed; /* what these return instead of working; 0: nothing */
    int refuse_once;                                                 /* but only for the first time */
} own_data;

typedef struct own_factors {
    own_data *d;
    int n;
    int complex_matrix;
    costate_pattern q;
    int *pivot;
    double _Complex *a; /* column-major */
} own_factors;

static inline int own_refused(own_data *d, int *refuse)
{
    int rc = *refuse;
    if (d->refuse_once) *refuse = 0;
    return rc;
}

static int own_open(void **handle, int n, const costate_pattern *pattern, void *data)
{
    own_data *d = data;
    if (d->refuse_open) return own_refused(d, &d->refuse_open);
    if (d->most && n > d->most) return 5;
    own_factors *f = calloc(1, sizeof *f);
    *f = (own_factors){.d = d, .n = n, .q = *pattern};
    f->a = calloc((size_t)n * (size_t)n, sizeof *f->a);
    f->pivot = calloc((size_t)n, sizeof *f->pivot);
    d->handles++;
    d->opened++;
    if (n > d->largest) d->largest = n;
    *handle = f;
    return 0;
}

static void own_close(void *handle)
{
    own_factors *f = handle;
    f->d->handles--;
    free(f->a);
    free(f->pivot);
    free(f);
}

/* a = shift I - J */
static inline void own_form(own_factors *f, double _Complex shift, const double *jac)
{
    const costate_pattern *q = &f->q;
    int n = f->n, band = q->lower + q->upper + 1;
    for (int j = 0; j < n; j++) {
        double _Complex *column = f->a + (size_t)n * (size_t)j;
        memset(column, 0, (size_t)n * sizeof *column);
        if (q->format == COSTATE_CSC)
            for (int k = q->colptr[j]; k < q->colptr[j + 1]; k++) column[q->rowind[k]] = -jac[k];
        else
            for (int i = 0; i < n; i++) {
                if (q->format == COSTATE_DENSE) column[i] = -jac[i + n * j];
                else if (i - j <= q->lower && j - i <= q->upper) column[i] = -jac[q->upper + i - j + band * j];
            }
        column[j] += shift;
    }
}

static inline double own_size(double _Complex z)
{
    double re = __real__ z, im = __imag__ z;
    return re * re + im * im;
}

/* P A = L U in place, with partial pivoting. 1: singular. */
static inline int own_eliminate(own_factors *f)
{
    int n = f->n;
    double _Complex *a = f->a;
    for (int k = 0; k < n; k++) {
        int p = k;
        for (int i = k + 1; i < n; i++)
            if (own_size(a[i + n * k]) > own_size(a[p + n * k])) p = i;
        f->pivot[k] = p;
        if (a[p + n * k] == 0) return 1;
        for (int j = 0; p != k && j < n; j++) {
            double _Complex t = a[k + n * j];
            a[k + n * j] = a[p + n * j];
            a[p + n * j] = t;
        }
        for (int i = k + 1; i < n; i++) a[i + n * k] /= a[k + n * k];
        for (int j = k + 1; j < n; j++)
            for (int i = k + 1; i < n; i++) a[i + n * j] -= a[i + n * k] * a[k + n * j];
    }
    return 0;
}

static int own_factor(void *handle, double re, double im, const double *jac)
{
    own_factors *f = handle;
    double _Complex shift = re;
    __imag__ shift = im;
    f->d->factored++;
    f->complex_matrix = im != 0;
    if (f->d->refuse_factor) return own_refused(f->d, &f->d->refuse_factor);
    own_form(f, shift, jac);
    return own_eliminate(f);
}

static inline void own_swap(double _Complex *x, int i, int j)
{
    double _Complex t = x[i];
    x[i] = x[j];
    x[j] = t;
}

/* P A = L U; transposed: U^T, L^T, then P^T */
static inline void own_one(const own_factors *f, int transposed, double _Complex *x)
{
    const double _Complex *a = f->a;
    int n = f->n;
    if (!transposed) {
        for (int k = 0; k < n; k++) own_swap(x, k, f->pivot[k]);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < i; j++) x[i] -= a[i + n * j] * x[j];
        for (int i = n - 1; i >= 0; i--) {
            for (int j = i + 1; j < n; j++) x[i] -= a[i + n * j] * x[j];
            x[i] /= a[i + n * i];
        }
        return;
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) x[i] -= a[j + n * i] * x[j];
        x[i] /= a[i + n * i];
    }
    for (int i = n - 1; i >= 0; i--)
        for (int j = i + 1; j < n; j++) x[i] -= a[j + n * i] * x[j];
    for (int k = n - 1; k >= 0; k--) own_swap(x, k, f->pivot[k]);
}

static inline void own_lanes(own_factors *f, int transposed, int w, double *x)
{
    double _Complex *column = calloc((size_t)f->n, sizeof *column);
    if (w > f->d->widest) f->d->widest = w;
    for (int l = 0; l < w; l++) {
        for (int i = 0; i < f->n; i++) {
            int at = i * w + l;
            column[i] = f->complex_matrix ? x[2 * at] : x[at];
            if (f->complex_matrix) __imag__ column[i] = x[2 * at + 1];
        }
        own_one(f, transposed, column);
        for (int i = 0; i < f->n; i++) {
            int at = i * w + l;
            x[f->complex_matrix ? 2 * at : at] = __real__ column[i];
            if (f->complex_matrix) x[2 * at + 1] = __imag__ column[i];
        }
    }
    free(column);
}

static int own_solve(void *handle, int w, double *x)
{
    own_factors *f = handle;
    f->d->solved++;
    if (f->d->refuse_solve) return own_refused(f->d, &f->d->refuse_solve);
    own_lanes(f, 0, w, x);
    return 0;
}

static int own_solve_transposed(void *handle, int w, double *x)
{
    own_factors *f = handle;
    f->d->transposed++;
    if (f->d->refuse_transposed) return own_refused(f->d, &f->d->refuse_transposed);
    own_lanes(f, 1, w, x);
    return 0;
}

static inline costate_linear_solver own_solver(own_data *d, int takes_complex)
{
    return (costate_linear_solver){.name = "gauss",
                                   .data = d,
                                   .takes_complex = takes_complex,
                                   .open = own_open,
                                   .factor = own_factor,
                                   .solve = own_solve,
                                   .solve_transposed = own_solve_transposed,
                                   .close = own_close};
}

#endif
