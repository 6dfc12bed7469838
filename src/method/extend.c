/* extend.c - see extend.h */
#include "method/extend.h"

#include <math.h>
#include <string.h>

static void times(int s, const double *a, const double *x, double *out) /* A x */
{
    for (int i = 0; i < s; i++) {
        out[i] = 0;
        for (int j = 0; j < s; j++) out[i] += a[i * s + j] * x[j];
    }
}

void cst__extend_stages(int s, const double *a, const double *c, extend_facts *f)
{
    *f = (extend_facts){.count = 5, .degree = {1, 2, 2, 3, 3}};
    for (int i = 0; i < s; i++) {
        f->of[0][i] = c[i];
        f->of[2][i] = c[i] * c[i];
    }
    times(s, a, c, f->of[1]);
    times(s, a, f->of[2], f->of[3]);
    times(s, a, f->of[1], f->of[4]);
}

int cst__extend_fit(int m, const extend_facts *f, int columns, const double *target, double *x)
{
    double q[EXTEND_FACTS][EXTEND_MOST], value[EXTEND_FACTS][EXTEND_DEGREE];
    int rank = 0, last = 1;
    memset(x, 0, (size_t)(m * columns) * sizeof *x);
    for (int k = 0; k < f->count && rank < m; k++) {
        double before = 0, after = 0;
        for (int i = 0; i < m; i++) before += f->of[k][i] * f->of[k][i];
        memcpy(q[rank], f->of[k], (size_t)m * sizeof **q);
        memcpy(value[rank], target + k * columns, (size_t)columns * sizeof **value);
        for (int r = 0; r < rank; r++) { /* Gram and Schmidt */
            double along = 0;
            for (int i = 0; i < m; i++) along += q[r][i] * q[rank][i];
            for (int i = 0; i < m; i++) q[rank][i] -= along * q[r][i];
            for (int p = 0; p < columns; p++) value[rank][p] -= along * value[r][p];
        }
        for (int i = 0; i < m; i++) after += q[rank][i] * q[rank][i];
        if (after <= 1e-6 * before) continue; /* as good as dependent: weights would be huge */
        for (int i = 0; i < m; i++) q[rank][i] /= sqrt(after);
        for (int p = 0; p < columns; p++) value[rank][p] /= sqrt(after);
        for (int i = 0; i < m; i++)
            for (int p = 0; p < columns; p++) x[i * columns + p] += value[rank][p] * q[rank][i];
        last = f->degree[k];
        rank++;
    }
    return last;
}

void cst__extend(int m, const extend_facts *f, const double *d, extend_weights x)
{
    double target[EXTEND_FACTS][EXTEND_DEGREE] = {{0}};
    for (int k = 0; k < f->count; k++)
        for (int i = 0; i < m; i++) target[k][f->degree[k] - 1] += d[i] * f->of[k][i];
    int top = cst__extend_fit(m, f, EXTEND_DEGREE, *target, *x) - 1;
    for (int i = 0; i < m; i++) x[i][top] += d[i] - (x[i][0] + x[i][1] + x[i][2]); /* what the facts leave open */
}
