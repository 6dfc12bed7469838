/* hires.c - the High Irradiance RESponse of phytochrome in plants: 8 components of a chain of forms of the pigment, which end
 * bound to a receptor. E. Schaefer, J. Math. Biol. 2, 41-56 (1975); `hires` in the Test Set for IVP Solvers (Mazzia and
 * Magherini, Bari), whose right-hand side this is. y7 + y8, the receptor free and bound, is conserved. */
#include <costate/model.h>

enum { K1, K2, K3, K4, K5, K6, KPLUS, KMINUS, KSTAR, OKS };

static void rhs(double t, const double *y, const double *p, double *f)
{
    double bind = p[KPLUS] * y[5] * y[7];
    f[0] = -p[K1] * y[0] + p[K2] * y[1] + p[K6] * y[2] + p[OKS];
    f[1] = p[K1] * y[0] - (p[K2] + p[K3]) * y[1];
    f[2] = -(p[K6] + p[K1]) * y[2] + p[K2] * y[3] + p[K5] * y[4];
    f[3] = p[K3] * y[1] + p[K1] * y[2] - (p[K4] + p[K2]) * y[3];
    f[4] = -(p[K1] + p[K5]) * y[4] + p[K2] * (y[5] + y[6]);
    f[5] = -bind + p[K4] * y[3] + p[K1] * y[4] - p[K2] * y[5] + p[KMINUS] * y[6];
    f[6] = bind - (p[KMINUS] + p[K2] + p[KSTAR]) * y[6];
    f[7] = -f[6];
}

COSTATE_MODEL(hires,
    .states = 8, .params = 10,
    .state_names = COSTATE_NAMES("y1", "y2", "y3", "y4", "y5", "y6", "y7", "y8"),
    .param_names = COSTATE_NAMES("k1", "k2", "k3", "k4", "k5", "k6", "k+", "k-", "k*", "oks"),
    .y0 = COSTATE_VALUES(1, 0, 0, 0, 0, 0, 0, 0.0057),
    .p = COSTATE_VALUES(1.71, 0.43, 8.32, 0.69, 0.035, 8.32, 280, 0.69, 0.69, 0.0007), .t0 = 0, .t1 = 321.8122, .rhs = rhs)
