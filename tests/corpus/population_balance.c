/* kinks */
/* Growth, breakage and aggregation of particles in size classes: triangular loops, a fixed pivot found by counting, quadrature
 * nodes in a table. */
#include <costate/model.h>
#define CLASSES 12
static const double node[3] = {-0.7745966692414834, 0.0, 0.7745966692414834}, weight[3] = {5.0 / 9, 8.0 / 9, 5.0 / 9};

static double size_of(int i) { return pow(1.6, i); }

static double breakage(double v, const double *p)
{
    double integral = 0;
    for (int q = 0; q < 3; ++q) {
        const double s = 0.5 * v * (1 + node[q]);
        integral += 0.5 * v * weight[q] * s / (1 + p[0] * s);
    }
    return p[1] * integral;
}

static void rhs(double t, const double *n, const double *p, double *f)
{
    double birth[CLASSES] = {0}, death[CLASSES] = {0};
    for (int i = 0; i < CLASSES; i++) {
        for (int j = 0; j <= i; j++) {
            const double v = size_of(i) + size_of(j);
            int k = 0;
            for (; k < CLASSES - 2; k++)
                if (v < size_of(k + 1)) break;
            double share = (size_of(k + 1) - v) / (size_of(k + 1) - size_of(k));
            share = fmin(fmax(share, 0.0), 1.0);
            const double rate = (i == j ? 0.5 : 1.0) * p[2] * n[i] * n[j] * cbrt(size_of(i) + size_of(j));
            birth[k] += share * rate;
            birth[k + 1] += (1 - share) * rate;
            death[i] += rate;
            death[j] += rate;
        }
        if (i > 0) {
            const double b = breakage(size_of(i), p) * n[i] / (1.0 + fabs(n[i]));
            birth[i - 1] += 1.6 * b;
            death[i] += b;
        }
    }
    for (int i = 0; i < CLASSES; i++) f[i] = birth[i] - death[i] + (i == 0 ? p[3] : 0);
}

static void init(const double *p, double *n)
{
    for (int i = 0; i < CLASSES; i++) n[i] = exp(-0.4 * i);
}

COSTATE_MODEL(population_balance, .states = CLASSES, .params = 4, .t0 = 0, .t1 = 1, .p = COSTATE_VALUES(0.3, 0.02, 0.1, 0.05),
              .init = init, .rhs = rhs)
