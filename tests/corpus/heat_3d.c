/* Heat in a box with a nonlinear conductivity, three-dimensional arrays, red and black cells told apart by a bit. */
#include <costate/model.h>
#define NX 4
#define NY 3
#define NZ 3
typedef const double (*box)[NY][NX];

static inline double conductivity(double a, double b, double k) { return 1.0 + k * 0.5 * (a + b); }

static void rhs(double t, const double *y, const double *p, double *f)
{
    box T = (box)y;
    double (*dT)[NY][NX] = (double (*)[NY][NX])f;
    static const int neighbour[6][3] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};

    for (int k = 0; k < NZ; k++)
        for (int j = 0; j < NY; j++)
            for (int i = 0; i < NX; i++) {
                double sum = 0.0;
                for (int m = 0; m < 6; m++) {
                    const int ii = i + neighbour[m][0], jj = j + neighbour[m][1], kk = k + neighbour[m][2];
                    if (ii < 0 || ii >= NX || jj < 0 || jj >= NY || kk < 0 || kk >= NZ) continue;
                    sum += conductivity(T[k][j][i], T[kk][jj][ii], p[1]) * (T[kk][jj][ii] - T[k][j][i]);
                }
                const int red = (i + j + k) & 1;
                dT[k][j][i] = p[0] * sum + (red ? p[2] * cos(t) : -p[2] * T[k][j][i]) / (double)(1 << k);
            }
}

static void init(const double *p, double *y)
{
    for (int c = 0; c < NX * NY * NZ; c++) y[c] = 1.0 + 0.2 * sin(1.3 * c) * p[1];
}

COSTATE_MODEL(heat_3d, .states = NX * NY * NZ, .params = 3, .t0 = 0, .t1 = 1, .p = COSTATE_VALUES(0.5, 0.2, 0.1), .init = init,
              .rhs = rhs)
