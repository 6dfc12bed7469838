/* shallow_water.c - waves from a heap of water on a periodic square: M x M points of [-3, 3]^2, components 3i, 3i+1, 3i+2 of
 * point i are h, hu, hv. H. Zhang and A. Sandu, FATODE (SIAM J. Sci. Comput. 36, 2014), section 5. Parameter: g, the gravity.
 * Third-order upwind differences:
 *
 *     U' = -(sum over k of e_k P_k D_k U in x) - (the same in y)
 *
 * with e_k and P_k the eigenvalues and spectral projectors of the flux' Jacobian at the point, and D_k the difference D+ where
 * e_k >= 0, D- where e_k < 0. In direction x let u, v be the velocities along and across, c = sqrt(g h) and d = D_k U, in the
 * order h, hu, hv:
 *
 *     shear     e = u       adds sigma u (0, 0, 1),    sigma = d_hv - v d_h
 *     gravity   e = u -+ c  adds phi (1, e, v),        phi = e a,   a = (d_h -+ beta)/2,   beta = (d_hu - u d_h)/c
 *
 * and in y the same with u and v, hu and hv exchanged. -DM=40 sets the size. */
#include <costate/model.h>

#ifndef M
#define M 40
#endif

enum { H, HU, HV };
enum { STENCIL = 5 };

/* D+ and D- times 6 dx = 36/(M-1), at the points -2 .. 2 */
static const double weight[2][STENCIL] = {{1, -6, 3, 2, 0}, {0, -2, -3, 6, -1}};

/* The difference of a component along the points of a stencil, taken against the wind e. */
static double upwind(double e, const double *y, const int *point, int component)
{
    int side = e < 0;
    double sum = 0;
    for (int k = 0; k < STENCIL; k++) sum += weight[side][k] * y[3 * point[k] + component];
    return sum * (M - 1) / 36;
}

/* What the waves along one axis take away at the middle of a stencil; `along` and `across` are HU and HV, or the other way
 * round. */
static void waves(const double *y, double gravity, const int *point, int along, int across, double *f)
{
    const double *here = y + 3 * point[2];
    double h = here[H], u = here[along] / h, v = here[across] / h, c = sqrt(gravity * h);
    f[across] -= u * (upwind(u, y, point, across) - v * upwind(u, y, point, H));
    for (int sign = -1; sign <= 1; sign += 2) {
        double e = u + sign * c, dh = upwind(e, y, point, H), beta = (upwind(e, y, point, along) - u * dh) / c;
        double phi = e * (dh + sign * beta) / 2;
        f[H] -= phi;
        f[along] -= phi * e;
        f[across] -= phi * v;
    }
}

static int rhs(double t, const double *y, const double *p, double *f)
{
    for (int j = 0; j < M; j++)
        for (int i = 0; i < M; i++) {
            int at = j * M + i, row[STENCIL], column[STENCIL];
            if (!(y[3 * at + H] > 0)) return 1;
            for (int k = 0; k < STENCIL; k++) {
                row[k] = j * M + (i + k - 2 + M) % M;
                column[k] = (j + k - 2 + M) % M * M + i;
            }
            double change[3] = {0, 0, 0};
            waves(y, p[0], row, HU, HV, change);
            waves(y, p[0], column, HV, HU, change);
            for (int k = 0; k < 3; k++) f[3 * at + k] = change[k];
        }
    return 0;
}

static void init(const double *p, double *y0)
{
    for (int j = 0; j < M; j++)
        for (int i = 0; i < M; i++) {
            double x = -3 + 6.0 * i / (M - 1), y = -3 + 6.0 * j / (M - 1), *point = y0 + 3 * (j * M + i);
            point[H] = 100 + 30 * exp(-x * x - y * y);
            point[HU] = point[HV] = 2;
        }
}

COSTATE_MODEL(shallow_water,
    .states = 3 * M * M, .params = 1, .param_names = COSTATE_NAMES("g"), .p = COSTATE_VALUES(9.80616),
    .t0 = 0, .t1 = 5 * 2.1573758800627289e-3, .rhs = rhs, .init = init)
