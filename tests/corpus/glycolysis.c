/* A glycolytic oscillator: moieties conserved by algebra in the function, Hill terms, synchronised cells in a loop. */
#include <costate/model.h>
#define CELLS 5
#define SP 4

static const double kinetics[] = {2.5, 100.0, 6.0, 16.0, 100.0, 1.28, 12.0, 1.8, 13.0};

static void cell(const double *s, double ext, const double *p, double *ds, double *export_)
{
    const double N1 = s[2], A2 = 4.0 - s[3], N2 = 1.0 - N1;
    const double v1 = kinetics[1] * s[0] * s[3] / (1.0 + pow(s[3] / 0.52, p[0]));
    const double v2 = kinetics[2] * s[1] * (N2);
    const double v3 = kinetics[3] * s[1] * A2;
    const double v5 = kinetics[5] * s[3];
    ds[0] = kinetics[0] - v1;
    ds[1] = 2.0 * v1 - v2 - v3;
    ds[2] = v2 - kinetics[6] * N1 * s[1];
    ds[3] = -2.0 * v1 + 2.0 * v3 - v5;
    *export_ = p[1] * (s[1] - ext);
    ds[1] -= *export_;
}

static void rhs(double t, const double *y, const double *p, double *f)
{
    const double ext = y[SP * CELLS];
    double sum = 0;
    for (int c = 0; c < CELLS; c++) {
        double out;
        cell(y + SP * c, ext, p, f + SP * c, &out);
        sum += out;
    }
    f[SP * CELLS] = p[2] * sum / CELLS - p[3] * ext;
}

static void init(const double *p, double *y)
{
    for (int c = 0; c < CELLS; c++) {
        double *s = &y[SP * c];
        s[0] = 1.2 + 0.1 * c; s[1] = 0.2; s[2] = 0.4 + 0.02 * c; s[3] = 2.1 - 0.1 * c;
    }
    y[SP * CELLS] = 0.1;
}

COSTATE_MODEL(glycolysis, .states = SP * CELLS + 1, .params = 4, .t0 = 0, .t1 = 2, .p = COSTATE_VALUES(4.0, 13.0, 0.1, 1.3),
    .init = init, .rhs = rhs)
