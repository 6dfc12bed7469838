/* pollu.c - air pollution: 20 species, 25 reactions. J. G. Verwer, Gauss-Seidel iteration for stiff ODEs from chemical kinetics
 * (SIAM J. Sci. Comput. 15, 1994); `pollu` in the Test Set for IVP Solvers (Mazzia and Magherini, Bari). ppm and minutes.
 * Nitrogen and sulphur are conserved. */
#include <costate/model.h>

enum { NO2, NO, O3P, O3, HO2, OH, HCHO, CO, ALD, MEO2, C2O3, CO2, PAN, CH3O, HNO3, O1D, SO2, SO4, NO3, N2O5,
       SPECIES };
enum { REACTIONS = 25 };

static void rhs(double t, const double *y, const double *p, double *f)
{
    double r[REACTIONS]; /* the rates */
    r[0] = p[0] * y[NO2];
    r[1] = p[1] * y[NO] * y[O3];
    r[2] = p[2] * y[HO2] * y[NO];
    r[3] = p[3] * y[HCHO];
    r[4] = p[4] * y[HCHO];
    r[5] = p[5] * y[HCHO] * y[OH];
    r[6] = p[6] * y[ALD];
    r[7] = p[7] * y[ALD] * y[OH];
    r[8] = p[8] * y[C2O3] * y[NO];
    r[9] = p[9] * y[C2O3] * y[NO2];
    r[10] = p[10] * y[PAN];
    r[11] = p[11] * y[MEO2] * y[NO];
    r[12] = p[12] * y[CH3O];
    r[13] = p[13] * y[NO2] * y[OH];
    r[14] = p[14] * y[O3P];
    r[15] = p[15] * y[O3];
    r[16] = p[16] * y[O3];
    r[17] = p[17] * y[O1D];
    r[18] = p[18] * y[O1D];
    r[19] = p[19] * y[SO2] * y[OH];
    r[20] = p[20] * y[NO3];
    r[21] = p[21] * y[NO3];
    r[22] = p[22] * y[NO2] * y[O3];
    r[23] = p[23] * y[NO3] * y[NO2];
    r[24] = p[24] * y[N2O5];

    f[NO2] = -r[0] + r[1] + r[2] + r[8] - r[9] + r[10] + r[11] - r[13] + r[21] - r[22] - r[23] + r[24];
    f[NO] = r[0] - r[1] - r[2] - r[8] - r[11] + r[20];
    f[O3P] = r[0] - r[14] + r[16] + r[18] + r[21];
    f[O3] = -r[1] + r[14] - r[15] - r[16] - r[22];
    f[HO2] = -r[2] + 2 * r[3] + r[5] + r[6] + r[12] + r[19];
    f[OH] = r[2] - r[5] - r[7] - r[13] + 2 * r[17] - r[19];
    f[HCHO] = -r[3] - r[4] - r[5] + r[12];
    f[CO] = r[3] + r[4] + r[5] + r[6];
    f[ALD] = -r[6] - r[7];
    f[MEO2] = r[6] + r[8] - r[11];
    f[C2O3] = r[7] - r[8] - r[9] + r[10];
    f[CO2] = r[8];
    f[PAN] = r[9] - r[10];
    f[CH3O] = r[11] - r[12];
    f[HNO3] = r[13];
    f[O1D] = r[15] - r[17] - r[18];
    f[SO2] = -r[19];
    f[SO4] = r[19];
    f[NO3] = -r[20] - r[21] + r[22] - r[23] + r[24];
    f[N2O5] = r[23] - r[24];
}

COSTATE_MODEL(pollu,
    .states = SPECIES, .params = REACTIONS,
    .state_names = COSTATE_NAMES("NO2", "NO", "O3P", "O3", "HO2", "OH", "HCHO", "CO", "ALD", "MEO2",
        "C2O3", "CO2", "PAN", "CH3O", "HNO3", "O1D", "SO2", "SO4", "NO3", "N2O5"),
    .y0 = COSTATE_VALUES(0, 0.2, 0, 0.04, 0, 0, 0.1, 0.3, 0.01, 0, 0, 0, 0, 0, 0, 0, 0.007, 0, 0, 0),
    .p = COSTATE_VALUES(0.35, 26.6, 12300, 8.6e-4, 8.2e-4, 15000, 1.3e-4, 24000, 16500, 9000, 0.022, 12000, 1.88,
        16300, 4.8e6, 3.5e-4, 0.0175, 1e8, 4.44e11, 1240, 2.1, 5.78, 0.0474, 1780, 3.12),
    .t0 = 0, .t1 = 60, .rhs = rhs)
