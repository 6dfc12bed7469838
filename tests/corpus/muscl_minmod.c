/* kinks */
/* Traffic flow by a MUSCL scheme with the minmod limiter: helpers call helpers; slopes in a local array. */
#include <costate/model.h>
#define NC 30

static double sign(double x) { return x > 0 ? 1.0 : x < 0 ? -1.0 : 0.0; }
static double minmod(double a, double b)
{
    return 0.5 * (sign(a) + sign(b)) * fmin(fabs(a), fabs(b));
}
static double speed(double rho, const double *p) { return p[0] * (1.0 - pow(rho / p[1], p[2])); }
static double numerical_flux(double l, double r, const double *p)
{
    double fl = l * speed(l, p), fr = r * speed(r, p), a = p[0];
    return 0.5 * (fl + fr) - 0.5 * a * (r - l);
}

static void rhs(double t, const double *rho, const double *p, double *f)
{
    double slope[NC], F[NC];
    for (int i = 0; i < NC; i++) slope[i] = minmod(rho[i] - rho[(i - 1 + NC) % NC], rho[(i + 1) % NC] - rho[i]);
    for (int i = 0; i < NC; i++) {
        int r = (i + 1) % NC;
        F[i] = numerical_flux(rho[i] + 0.5 * slope[i], rho[r] - 0.5 * slope[r], p);
    }
    for (int i = 0; i < NC; i++) f[i] = -NC * (F[i] - F[i ? i - 1 : NC - 1]);
}

static void init(const double *p, double *rho)
{
    for (int i = 0; i < NC; i++) rho[i] = 0.4 + 0.25 * sin(2 * M_PI * (i + 0.3) / NC) + 0.05 * cos(8 * M_PI * i / NC);
}

COSTATE_MODEL(muscl_minmod, .states = NC, .params = 3, .t0 = 0, .t1 = 0.2, .p = COSTATE_VALUES(1.0, 1.1, 1.5), .init = init,
              .rhs = rhs)
