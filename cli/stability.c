/* stability.c - one step of a method on y' = lambda y multiplies y by R(z), z = h lambda:
 *
 *     Runge-Kutta   R = 1 + z b^T k,       (I - z A) k = 1
 *     Rosenbrock    R = 1 + b^T k,         (1/gamma_1 - z) k_i = z (1 + sum_j a_ij k_j) + sum_j g_ij k_j
 *
 * The region is |R| <= 1. A method is A-stable if that holds on the imaginary axis and R has no pole in the left half plane
 * (the maximum principle); L-stable if moreover R vanishes at infinity. The axis is looked at on a fine grid over sixteen
 * decades, poles by the winding number of the denominator: nothing is proved here, but coefficients of published methods
 * leave no doubt. */
#include "stability.h"

#include <complex.h>
#include <math.h>

enum { STAGES = 64 };

/* Solves m x = x by Gaussian elimination with pivots, and returns the determinant. */
static double complex solve(int s, double complex m[STAGES][STAGES], double complex *x)
{
    double complex determinant = 1;
    for (int k = 0; k < s; k++) {
        int pivot = k;
        for (int i = k + 1; i < s; i++)
            if (cabs(m[i][k]) > cabs(m[pivot][k])) pivot = i;
        for (int j = 0; j < s && pivot != k; j++) {
            const double complex keep = m[k][j];
            m[k][j] = m[pivot][j];
            m[pivot][j] = keep;
        }
        const double complex keep = x[k];
        x[k] = x[pivot];
        x[pivot] = keep;
        determinant *= pivot == k ? m[k][k] : -m[k][k];
        for (int i = k + 1; i < s; i++) {
            const double complex factor = m[i][k] / m[k][k];
            for (int j = k; j < s; j++) m[i][j] -= factor * m[k][j];
            x[i] -= factor * x[k];
        }
    }
    for (int k = s - 1; k >= 0; k--) {
        for (int j = k + 1; j < s; j++) x[k] -= m[k][j] * x[j];
        x[k] /= m[k][k];
    }
    return determinant;
}

/* R(z); *denominator: a polynomial whose zeros are its poles. */
static double complex growth(const costate_table *t, double complex z, double complex *denominator)
{
    const int s = t->stages;
    double complex k[STAGES], m[STAGES][STAGES], sum = 0;
    if (t->family == COSTATE_ROS) {
        const double complex w = 1 / t->gamma[0] - z;
        for (int i = 0; i < s; i++) {
            k[i] = z;
            for (int j = 0; j < i; j++) k[i] += (z * t->a[i * s + j] + t->g[i * s + j]) * k[j];
            k[i] /= w;
        }
        *denominator = w; /* to a power: it has its zero at 1/gamma_1 > 0 */
    } else {
        for (int i = 0; i < s; i++) {
            k[i] = 1;
            for (int j = 0; j < s; j++) m[i][j] = (i == j) - z * t->a[i * s + j];
        }
        *denominator = solve(s, m, k);
    }
    for (int i = 0; i < s; i++) sum += t->b[i] * k[i];
    return 1 + (t->family == COSTATE_ROS ? sum : z * sum);
}

/* Along the imaginary axis. A polynomial of degree d without zeros in the left half plane, real on the real axis, turns by
 * -d pi/2 from z = 0 to i infinity; d is seen from its growth. */
static int a_stable(const costate_table *t)
{
    double complex before, q;
    double turned = 0, degree;
    growth(t, 0, &before);
    for (double e = -8; e <= 8; e += 1.0 / 256) {
        const double y = pow(10, e);
        if (!(cabs(growth(t, I * y, &q)) <= 1 + 1e-9)) return 0;
        turned += carg(q / before);
        before = q;
    }
    growth(t, 1e8 * I, &q);
    growth(t, 1e9 * I, &before);
    degree = round(log10(cabs(before) / cabs(q)));
    return fabs(turned + degree * acos(-1) / 2) < 0.1;
}

/* Up to where |R(-x)| <= 1 for all smaller x. */
static double real_axis(const costate_table *t)
{
    double complex q;
    double x = 1e-3;
    while (x < 1e9 && cabs(growth(t, -x, &q)) <= 1 + 1e-12) x *= 1.01;
    if (x >= 1e9) return INFINITY;
    double inside = x / 1.01, outside = x;
    for (int k = 0; k < 60; k++) {
        const double middle = (inside + outside) / 2;
        if (cabs(growth(t, -middle, &q)) <= 1) inside = middle;
        else outside = middle;
    }
    return inside;
}

stability stability_of(const costate_table *t)
{
    double complex q;
    stability found = {.real = real_axis(t)};
    if (t->family == COSTATE_ERK) return found;
    if (t->family == COSTATE_BDF && t->order > 2) return found; /* 86, 73, 52 degrees about the real axis */
    found.a = a_stable(t);
    found.l = found.a && cabs(growth(t, -1e9, &q)) < 1e-4; /* published with five digits, R(infinity) is not quite zero */
    return found;
}
