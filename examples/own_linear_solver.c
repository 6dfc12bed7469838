/* own_linear_solver.c - a gradient with a stiff method on a linear solver of one's own, and the same with a built-in one.
 * Fisher's equation y' = d y_xx + r y (1 - y) on a line: A = re I - J is tridiagonal, and elimination needs no pivots. */
#include <costate/costate.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 100 };

static int rhs(double t, const double *y, const double *p, double *f, void *data)
{
    (void)t, (void)data;
    for (int i = 0; i < N; i++)
        f[i] = p[0] * N * N * ((i ? y[i - 1] : 1) - 2 * y[i] + (i + 1 < N ? y[i + 1] : 0)) + p[1] * y[i] * (1 - y[i]);
    return 0;
}

static int jac(double t, const double *y, const double *p, double *j, void *data)
{
    (void)t, (void)data;
    for (int i = 0; i < N; i++, j += 3) { /* column i: above the diagonal, on it, below it */
        j[0] = j[2] = p[0] * N * N;
        j[1] = -2 * j[0] + p[1] * (1 - 2 * y[i]);
    }
    return 0;
}

typedef struct { double low[N], diag[N], up[N]; } factors; /* A = L U: below L's diagonal of ones, on U's diagonal, above it */

static int thomas_open(void **handle, int n, const costate_pattern *q, void *data)
{
    (void)data;
    return n != N || q->format != COSTATE_BANDED || q->lower != 1 || q->upper != 1 || !(*handle = calloc(1, sizeof(factors)));
}

static int thomas_factor(void *handle, double re, double im, const double *j)
{
    factors *m = handle;
    for (int i = 0; i < N; i++) {
        if (i) m->low[i] = -j[3 * i - 1] / m->diag[i - 1], m->up[i] = -j[3 * i];
        m->diag[i] = re - j[3 * i + 1] - m->low[i] * m->up[i];
        if (m->diag[i] == 0) return 1; /* singular */
    }
    return im != 0; /* never: takes_complex is 0 */
}

static int thomas_solve(void *handle, int w, double *x) /* the lanes of row i are x[i*w] .. x[i*w + w-1] */
{
    const factors *m = handle;
    for (int k = w; k < N * w; k++) x[k] -= m->low[k / w] * x[k - w];
    for (int k = N * w - 1; k >= 0; k--) x[k] = (x[k] - (k / w + 1 < N ? m->up[k / w + 1] * x[k + w] : 0)) / m->diag[k / w];
    return 0;
}

static int thomas_transposed(void *handle, int w, double *x)
{
    const factors *m = handle;
    for (int k = 0; k < N * w; k++) x[k] = (x[k] - (k >= w ? m->up[k / w] * x[k - w] : 0)) / m->diag[k / w];
    for (int k = (N - 1) * w - 1; k >= 0; k--) x[k] -= m->low[k / w + 1] * x[k + w];
    return 0;
}

int main(void)
{
    costate_linear_solver thomas = {"thomas", NULL, 0, thomas_open, thomas_factor, thomas_solve, thomas_transposed, free};
    costate_problem q = {.n = N, .np = 2, .rhs = rhs, .jac = jac, .pattern = {.format = COSTATE_BANDED, .lower = 1, .upper = 1}};
    double p[] = {0.01, 8}, y[2][N] = {{0}}, lambda[2][N] = {[0][N / 2] = 1, [1][N / 2] = 1}, mu[2][2]; /* y(1) in the middle */
    for (int own = 0; own < 2; own++) {
        costate_options o = costate_defaults("sdirk4a");
        o.linear_solver = own ? &thomas : NULL;
        costate_solver *s = NULL;
        if (costate_create(&s, &q, &o) || costate_solve(s, 0, 1, p, y[own]) || costate_adjoint(s, 1, lambda[own], mu[own]))
            return puts(costate_message(s)), 1;
        printf("%s: d/dd %.12g, d/dr %.12g\n", own ? "thomas" : "band  ", mu[own][0], mu[own][1]);
        costate_free(s);
    }
    return fabs(mu[0][0] / mu[1][0] - 1) > 1e-9 || fabs(mu[0][1] / mu[1][1] - 1) > 1e-9;
}
