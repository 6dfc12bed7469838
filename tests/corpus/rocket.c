/* kinks */
/* Rocket ascent through a layered atmosphere: piecewise temperature, staging by if on mass, drag rise near Mach one. */
#include <costate/model.h>
#include <assert.h>
enum { H, V, GAM, M, NSTATE };
enum { THRUST, ISP, AREA, STEER };

static const double base[4] = {0.0, 11000.0, 20000.0, 32000.0}, lapse[4] = {-0.0065, 0.0, 0.001, 0.0028};
static const double T_base[4] = {288.15, 216.65, 216.65, 228.65}, p_base[4] = {101325.0, 22632.0, 5474.9, 868.02};

static void atmosphere(double h, double *rho, double *sound)
{
    int layer = 0;
    for (int k = 1; k < 4; k++)
        if (h >= base[k]) layer = k;
    const double T = T_base[layer] + lapse[layer] * (h - base[layer]);
    double pressure;
    if (lapse[layer] != 0.0)
        pressure = p_base[layer] * pow(T / T_base[layer], -0.0341632 / lapse[layer]);
    else
        pressure = p_base[layer] * exp(-0.0341632 * (h - base[layer]) / T);
    *rho = pressure / (287.05 * T);
    *sound = sqrt(1.4 * 287.05 * T);
}

static int rhs(double t, const double *x, const double *p, double *f)
{
    double rho, a;
    assert(x[M] > 0);
    atmosphere(x[H], &rho, &a);
    const double mach = x[V] / a, cd = mach < 0.8 ? 0.2 : mach < 1.2 ? 0.2 + 0.75 * (mach - 0.8) : 0.5 / pow(mach, 0.4);
    const double drag = 0.5 * rho * x[V] * x[V] * p[AREA] * cd;
    const double g = 9.80665 * pow(6371e3 / (6371e3 + x[H]), 2.0);
    const double thrust = x[M] > 9000.0 ? p[THRUST] : 0.0;

    f[H] = x[V] * sin(x[GAM]);
    f[V] = (thrust - drag) / x[M] - g * sin(x[GAM]);
    f[GAM] = -(g / x[V] - x[V] / (6371e3 + x[H])) * cos(x[GAM]) - p[STEER];
    f[M] = -thrust / (9.80665 * p[ISP]);
    return 0;
}

COSTATE_MODEL(rocket, .states = NSTATE, .params = 4, .t0 = 0, .t1 = 10, .y0 = COSTATE_VALUES(15000.0, 480.0, 1.1, 20000.0),
    .p = COSTATE_VALUES(4.0e5, 290.0, 3.0, 0.002), .rhs = rhs)
