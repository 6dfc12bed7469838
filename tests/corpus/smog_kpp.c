/* A made-up smog mechanism: Arrhenius and fall-off rates as functions of temperature, which is a parameter; straight-line
 * rates. */
#include <costate/model.h>

#define NVAR 15
#define NREACT 24

typedef double KPP_REAL;

static KPP_REAL ARR(KPP_REAL A0, KPP_REAL B0, KPP_REAL C0, KPP_REAL TEMP)
{
    return A0 * exp(-B0 / TEMP) * pow(TEMP / 300.0, C0);
}
static KPP_REAL ARR2(KPP_REAL A0, KPP_REAL B0, KPP_REAL TEMP) { return A0 * exp(B0 / TEMP); }
static KPP_REAL EP3(KPP_REAL A1, KPP_REAL C1, KPP_REAL A2, KPP_REAL C2, KPP_REAL TEMP)
{
    KPP_REAL K1, K2;
    K1 = A1 * exp(-C1 / TEMP);
    K2 = A2 * exp(-C2 / TEMP);
    return K1 + K2 * (1.0e6 * 2.46);
}
static KPP_REAL FALL(KPP_REAL A0, KPP_REAL B0, KPP_REAL C0, KPP_REAL A1, KPP_REAL B1, KPP_REAL C1, KPP_REAL CF, KPP_REAL TEMP)
{
    KPP_REAL K0, K1, CFACTOR = 2.46;
    K0 = ARR(A0, B0, C0, TEMP);
    K1 = ARR(A1, B1, C1, TEMP);
    K0 = K0 * CFACTOR;
    K1 = K0 / K1;
    return (K0 / (1.0 + K1)) * pow(CF, 1.0 / (1.0 + log10(K1) * log10(K1)));
}

static void Fun(KPP_REAL time, const KPP_REAL *VAR, const KPP_REAL *p, KPP_REAL *Vdot)
{
    KPP_REAL RCT[NREACT], A[NREACT];
    const KPP_REAL TEMP = p[0], SUN = 0.5 * (1.0 + cos(p[1] * time));

    RCT[0] = p[2] * SUN;
    RCT[1] = FALL(1.2, 0.0, -2.0, 2.0, 20.0, 0.3, 0.6, TEMP);
    RCT[2] = ARR2(1.8, -1370.0 / 10, TEMP);
    RCT[3] = ARR(0.93, 10.0, 0.2, TEMP);
    RCT[4] = EP3(0.07, 40.0, 1e-8, -50.0, TEMP);
    RCT[5] = 0.053 * RCT[0];
    RCT[6] = 0.0093 * RCT[0] * SUN;
    RCT[7] = ARR2(0.21, 0.39, TEMP);
    RCT[8] = ARR2(0.9, 0.94, TEMP);
    RCT[9] = p[3];
    RCT[10] = ARR2(1.9, -58.0, TEMP);
    RCT[11] = ARR(0.37, -24.0, -0.5, TEMP);
    RCT[12] = FALL(0.22, 0.0, -3.2, 0.7, 1.0, -1.3, 0.5, TEMP);
    RCT[13] = 0.14;
    RCT[14] = 0.033 * SUN;
    RCT[15] = ARR2(0.66, 38.0, TEMP);
    RCT[16] = ARR2(1.2, 18.0, TEMP);
    RCT[17] = 1.0e-1 * pow(TEMP / 298.0, 2);
    RCT[18] = 0.0054 * p[4];
    RCT[19] = 0.011;
    RCT[20] = ARR2(0.077, 130.0, TEMP);
    RCT[21] = 0.042 * SUN * SUN;
    RCT[22] = 0.19;
    RCT[23] = p[5] * 0.0031;

    A[0] = RCT[0] * VAR[1];
    A[1] = RCT[1] * VAR[2] * VAR[1];
    A[2] = RCT[2] * VAR[0] * VAR[3];
    A[3] = RCT[3] * VAR[2];
    A[4] = RCT[4] * VAR[0] * VAR[5];
    A[5] = RCT[5] * VAR[3];
    A[6] = RCT[6] * VAR[3];
    A[7] = RCT[7] * VAR[4] * VAR[3];
    A[8] = RCT[8] * VAR[4] * VAR[1];
    A[9] = RCT[9] * VAR[6] * VAR[6];
    A[10] = RCT[10] * VAR[4] * VAR[7];
    A[11] = RCT[11] * VAR[8] * VAR[0];
    A[12] = RCT[12] * VAR[9] * VAR[1];
    A[13] = RCT[13] * VAR[10];
    A[14] = RCT[14] * VAR[11];
    A[15] = RCT[15] * VAR[4] * VAR[11];
    A[16] = RCT[16] * VAR[9] * VAR[0];
    A[17] = RCT[17] * VAR[5] * VAR[5];
    A[18] = RCT[18] * VAR[12];
    A[19] = RCT[19] * VAR[13] * VAR[13];
    A[20] = RCT[20] * VAR[13] * VAR[4];
    A[21] = RCT[21] * VAR[14];
    A[22] = RCT[22] * VAR[14] * VAR[4];
    A[23] = RCT[23];

    Vdot[0] = A[0] - A[2] - A[4] - A[11] - A[16] + A[21];
    Vdot[1] = -A[0] - A[1] + A[2] + A[4] - A[8] + A[11] - A[12] + A[13] + A[16];
    Vdot[2] = A[0] - A[1] - A[3] + A[5];
    Vdot[3] = -A[2] + A[3] - A[5] - A[6] - A[7];
    Vdot[4] = A[4] + 2.0 * A[6] - A[7] - A[8] - A[10] - A[15] - A[20] - A[22];
    Vdot[5] = -A[4] + A[7] + A[11] + 2 * A[14] + A[15] - 2 * A[17];
    Vdot[6] = A[1] - 2 * A[9];
    Vdot[7] = -A[10] + A[23];
    Vdot[8] = 0.87 * A[10] - A[11];
    Vdot[9] = -A[12] + A[13] + A[15] - A[16];
    Vdot[10] = A[12] - A[13];
    Vdot[11] = A[11] - A[14] - A[15];
    Vdot[12] = A[8] - A[18];
    Vdot[13] = 0.5 * A[17] + A[18] - 2 * A[19] - A[20];
    Vdot[14] = A[19] - A[21] - A[22] + 0.25 * A[20];
}

COSTATE_MODEL(smog_kpp, .states = NVAR, .params = 6, .t0 = 0, .t1 = 2,
    .y0 = COSTATE_VALUES(0.5, 0.2, 0.01, 0.4, 0.03, 0.05, 0.02, 1.1, 0.04, 0.07, 0.09, 0.3, 0.06, 0.02, 0.08),
    .p = COSTATE_VALUES(298.0, 0.3, 0.55, 0.8, 1.2, 2.0), .rhs = Fun)
