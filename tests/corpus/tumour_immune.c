/* Tumour, effector cells and cytokines with a chemotherapy and a static const interaction matrix, sums over a row by pointer. */
#include <costate/model.h>
#define SP 5
static const double interaction[SP * SP] = {0.0,  -0.3, 0.01, 0.0,  -0.2, 0.12, 0.0,  0.4, -0.01, 0.0, 0.05, 0.2, 0.0,
                                            -0.1, 0.0,  0.02, -0.1, 0.0,  0.0,  0.1,  0.0, 0.0,   0.3, 0.0,  -0.05};

static void rhs(double t, const double *x, const double *p, double *f)
{
    const double dose = p[0] * exp(-p[1] * t) * (1.0 - exp(-3.0 * t));
    for (int i = 0; i < SP; i++) {
        const double *row = interaction + i * SP;
        double s = 0.0;
        for (int j = 0; j < SP; j++) s += row[j] * x[j] / (1.0 + x[j]);
        f[i] = x[i] * (p[2 + i] * (1.0 - x[i] / 10.0) + s - dose * (i == 0 ? 1.0 : 0.3));
    }
    f[1] += 0.1;
}

static void cost(double t, const double *x, const double *p, double *r) { r[0] = x[0] + 0.5 * p[0] * p[0]; }
static void final(double t, const double *x, const double *p, double *g) { g[0] = 10 * log(1 + x[0]); }

COSTATE_MODEL(tumour_immune, .states = SP, .params = 2 + SP, .objectives = 1, .t0 = 0, .t1 = 5,
              .y0 = COSTATE_VALUES(3, 1, 0.5, 0.8, 1.2), .p = COSTATE_VALUES(0.6, 0.4, 0.5, 0.2, 0.3, 0.1, 0.15), .rhs = rhs,
              .running = cost, .terminal = final)
