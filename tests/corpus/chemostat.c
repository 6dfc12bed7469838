/* Several species on two substrates in a chemostat with Monod and Haldane kinetics; a yield table in two dimensions. */
#include <costate/model.h>
#define BUGS 4
#define FEEDS 2
enum { D, FEED0, FEED1, MU };

static const double yield[FEEDS][BUGS] = {{0.5, 0.4, 0.45, 0.6}, {0.3, 0.55, 0.5, 0.35}};
static const double ks[FEEDS][BUGS] = {{0.1, 0.3, 0.2, 0.5}, {0.4, 0.15, 0.25, 0.1}};

static double monod(double s, double k) { return s / (s + k); }
static double haldane(double s, double k, double ki) { return s / (k + s + s * s / ki); }

static void rhs(double t, const double *y, const double *p, double *f)
{
    const double *S = y, *X = y + FEEDS;
    const double *mu = p + MU;
    int i, j;

    for (i = 0; i < FEEDS; i++) f[i] = p[D] * (p[FEED0 + i] - S[i]);
    for (j = 0; j < BUGS; j++) {
        double growth = 0;
        for (i = 0; i < FEEDS; i++) {
            double g = mu[j] * (i == 0 ? monod(S[i], ks[i][j]) : haldane(S[i], ks[i][j], 5.0));
            f[i] -= g * X[j] / yield[i][j];
            growth += g;
        }
        f[FEEDS + j] = (growth - p[D]) * X[j];
    }
}

COSTATE_MODEL(chemostat, .states = FEEDS + BUGS, .params = 3 + BUGS, .t0 = 0, .t1 = 20,
    .y0 = COSTATE_VALUES(1.5, 0.8, 0.2, 0.3, 0.1, 0.25), .p = COSTATE_VALUES(0.2, 3.0, 2.0, 0.5, 0.45, 0.6, 0.4), .rhs = rhs)
