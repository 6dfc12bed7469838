/* kinks */
/* A lake model driven by measured temperatures: linear interpolation in time, and a rating curve interpolated in the level. */
#include <costate/model.h>
#define DAYS 12
#define POINTS 6
static const double temperature[DAYS] = {2.1, 3.4, 5.0, 4.2, 6.8, 9.1, 11.0, 10.2, 12.5, 13.1, 12.0, 9.7};
static const double level[POINTS] = {0.0, 0.5, 1.0, 1.6, 2.4, 4.0}, outflow[POINTS] = {0.0, 0.1, 0.45, 1.3, 3.2, 9.0};

static double at_time(const double *table, double t)
{
    int k = (int)floor(t);
    k = k < 0 ? 0 : k > DAYS - 2 ? DAYS - 2 : k;
    return table[k] + (t - k) * (table[k + 1] - table[k]);
}

static double rating(double h)
{
    double q = outflow[POINTS - 1];
    for (int i = 0; i < POINTS - 1; i++) {
        if (h >= level[i] && h < level[i + 1]) {
            double s = (h - level[i]) / (level[i + 1] - level[i]);
            q = outflow[i] + s * (outflow[i + 1] - outflow[i]);
            break;
        }
    }
    return q;
}

static void rhs(double t, const double *y, const double *p, double *f)
{
    const double T = at_time(temperature, t), melt = fmax(0.0, p[0] * (T - p[1]));
    f[0] = -melt * y[0] / (y[0] + 0.1);
    f[1] = p[2] * melt - p[3] * rating(y[1]);
    f[2] = p[4] * (T - y[2]);
}

COSTATE_MODEL(table_forcing, .states = 3, .params = 5, .t0 = 4.2, .t1 = 4.8, .y0 = COSTATE_VALUES(2.0, 1.3, 4.0),
    .p = COSTATE_VALUES(0.3, 1.0, 0.7, 0.9, 0.2), .rhs = rhs)
