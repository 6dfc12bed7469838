/* kinks */
/* A small stratospheric mechanism as a mechanism compiler writes it: VAR, FIX, RCT, A; sunlight between sunrise and sunset. */
#include <costate/model.h>

#define NVAR 5
#define NREACT 10
#define ind_O1D 0
#define ind_O 1
#define ind_O3 2
#define ind_NO 3
#define ind_NO2 4

static const double FIX[2] = {8.120e+16, 1.697e+16}; /* M, O2 */

static double Update_SUN(double t)
{
    const double SunRise = 4.5, SunSet = 19.5;
    double Thour, Tlocal, Ttmp;
    Thour = t / 3600.0;
    Tlocal = Thour - ((int)Thour / 24) * 24;
    if ((Tlocal >= SunRise) && (Tlocal <= SunSet)) {
        Ttmp = (2.0 * Tlocal - SunRise - SunSet) / (SunSet - SunRise);
        if (Ttmp > 0)
            Ttmp = Ttmp * Ttmp;
        else
            Ttmp = -Ttmp * Ttmp;
        return (1.0 + cos(M_PI * Ttmp)) / 2.0;
    }
    return 0.0;
}

static void Fun(double TIME, const double *V, const double *p, double *Vdot)
{
    double A[NREACT], RCT[NREACT];
    const double SUN = Update_SUN(TIME);

    RCT[0] = p[0] * 2.643E-10 * SUN * SUN * SUN;
    RCT[1] = p[1] * 8.018E-17;
    RCT[2] = p[2] * 6.120E-04 * SUN;
    RCT[3] = p[3] * 1.576E-15;
    RCT[4] = p[4] * 1.070E-03 * SUN * SUN;
    RCT[5] = p[5] * 7.110E-11;
    RCT[6] = p[6] * 1.200E-10;
    RCT[7] = p[7] * 6.062E-15;
    RCT[8] = p[8] * 1.069E-11;
    RCT[9] = p[9] * 1.289E-02 * SUN;

    A[0] = RCT[0] * FIX[1];
    A[1] = RCT[1] * V[1] * FIX[1];
    A[2] = RCT[2] * V[2];
    A[3] = RCT[3] * V[1] * V[2];
    A[4] = RCT[4] * V[2];
    A[5] = RCT[5] * V[0] * FIX[0];
    A[6] = RCT[6] * V[0] * V[2];
    A[7] = RCT[7] * V[2] * V[3];
    A[8] = RCT[8] * V[1] * V[4];
    A[9] = RCT[9] * V[4];

    Vdot[ind_O1D] = A[4] - A[5] - A[6];
    Vdot[ind_O] = 2 * A[0] - A[1] + A[2] - A[3] + A[5] - A[8] + A[9];
    Vdot[ind_O3] = A[1] - A[2] - A[3] - A[4] - A[6] - A[7];
    Vdot[ind_NO] = -A[7] + A[8] + A[9];
    Vdot[ind_NO2] = A[7] - A[8] - A[9];
}

COSTATE_MODEL(stratosphere_kpp, .states = NVAR, .params = NREACT, .t0 = 43200, .t1 = 50000,
    .y0 = COSTATE_VALUES(9.906E+01, 6.624E+08, 5.326E+11, 8.725E+08, 2.240E+08),
    .p = COSTATE_VALUES(1, 1, 1, 1, 1, 1, 1, 1, 1, 1), .rhs = Fun)
