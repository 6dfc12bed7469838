/* kinks */
/* Shallow-ice flow line: thickness over a bed, diffusivity with Glen's law at staggered points, mass balance with a cap. */
#include <costate/model.h>
#define NX 31
#define GLEN 3

static void rhs(double t, const double *H, const double *p, double *f)
{
    const double A = p[0], grad = p[1], ela = p[2], cap = p[3], dx = 0.1;
    double q[NX + 1];
    double s[NX];

    for (int i = 0; i < NX; i++) s[i] = H[i] + 0.4 * exp(-0.5 * (i - 15) * (i - 15) * 0.01);
    q[0] = q[NX] = 0.0;
    for (int i = 1; i < NX; i++) {
        double slope = (s[i] - s[i - 1]) / dx, Hm = 0.5 * (H[i] + H[i - 1]);
        double D = A * pow(Hm, GLEN + 2) * pow(fabs(slope), GLEN - 1);
        q[i] = -D * slope;
    }
    for (int i = 0; i < NX; i++) {
        double balance = grad * (s[i] - ela);
        if (balance > cap) balance = cap;
        f[i] = -(q[i + 1] - q[i]) / dx + balance;
    }
}

static void init(const double *p, double *H)
{
    for (int i = 0; i < NX; i++) {
        double x = (i - 15) / 18.0;
        H[i] = pow(1.0 - x * x, 0.4) + 0.05;
    }
}

static void volume(double t, const double *H, const double *p, double *g)
{
    double sum;
    int i;
    for (i = 0, sum = 0; i < NX; i++) sum += 0.1 * H[i];
    g[0] = sum;
}

COSTATE_MODEL(ice_sheet, .states = NX, .params = 4, .t0 = 0, .t1 = 1, .p = COSTATE_VALUES(0.8, 0.6, 1.05, 0.1), .init = init,
              .rhs = rhs, .terminal = volume)
