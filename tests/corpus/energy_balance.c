/* kinks */
/* Zonal energy balance with ice-albedo feedback (tanh), clipped insolation and meridional diffusion on the sphere. */
#include <costate/model.h>
#define BANDS 18

static double albedo(double T, const double *p)
{
    double warm = p[0], cold = p[1];
    return fmax(0.05, fmin(0.9, warm + (cold - warm) * 0.5 * (1.0 - tanh((T + 10.0) / p[2]))));
}

static void rhs(double t, const double *T, const double *p, double *f)
{
    const double dx = 2.0 / BANDS;
    double flux_south = 0.0;
    for (int i = 0; i < BANDS; i++) {
        const double x = -1.0 + (i + 0.5) * dx, xn = -1.0 + (i + 1) * dx;
        const double declination = 0.4 * cos(2 * M_PI * t);
        const double Q = fmax(0.0, 340.0 * (1.0 - 0.48 * (3 * x * x - 1) / 2 + 0.8 * x * declination));
        const double flux_north = i < BANDS - 1 ? p[3] * (1 - xn * xn) * (T[i + 1] - T[i]) / dx : 0.0;
        const double olr = p[4] + p[5] * T[i];
        f[i] = (Q * (1 - albedo(T[i], p)) - olr + (flux_north - flux_south) / dx) / p[6];
        flux_south = flux_north;
    }
}

static void init(const double *p, double *T)
{
    for (int i = 0; i < BANDS; i++) {
        double x = -1.0 + (i + 0.5) * 2.0 / BANDS;
        T[i] = 28.0 - 50.0 * x * x;
    }
}

COSTATE_MODEL(energy_balance, .states = BANDS, .params = 7, .t0 = 0, .t1 = 1,
              .p = COSTATE_VALUES(0.3, 0.62, 4.0, 0.55, 210.0, 2.0, 9.8), .init = init, .rhs = rhs)
