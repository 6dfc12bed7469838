/* cbm4.c - the Carbon Bond Mechanism IV of air pollution: 32 species, 81 reactions, driven by the sun. Tables J.1, J.3, J.4 and
 * K.1 of the supplement to Zhang and Sandu, FATODE (SIAM J. Sci. Comput. 36, 2014), molecules per cm^3 and seconds since local
 * noon. With it go, as in the authors' example program, a fixed concentration of water, emissions of NO and NO2, and 298 K.
 *
 *     cbm4           24 hours from the rounded initial values of Table J.1; p_k = 1 multiplies the rate of reaction k+1, so that
 *                    derivatives in p are relative to the rates; objective: ozone at the end
 *     with -DRATES   72 hours from the initial values that Table K.1 was made with; p_k is the rate coefficient itself where it
 *                    is a plain constant, and 1 multiplies the others; objectives: the final state
 *
 * The sun has a second derivative that jumps at sunrise and sunset. */
#include <costate/model.h>

enum { O1D, H2O2, PAN, CRO, TOL, N2O5, XYL, XO2N, HONO, PNA, TO2, HNO3, ROR, CRES, MGLY, CO, ETH, XO2, OPEN, PAR,
       HCHO, ISOP, OLE, ALD2, O3, NO2, OH, HO2, O, NO3, NO, C2O3, SPECIES };
enum { REACTIONS = 81 };

static const double water = 1.25e8 * 2.55e10, emission = 2e3;

/* Rate coefficients: a plain constant, one that depends on the temperature, and one that takes the sun. */
#define ARR2(k, a, b) (p[(k) - 1] * ((a) * exp((b) / 298)))
#define SUN(k, a) (p[(k) - 1] * (a) * sunlight)
#ifdef RATES
#define PLAIN(k, a) p[(k) - 1]
#else
#define PLAIN(k, a) (p[(k) - 1] * (a))
#endif

/* The sun from sunrise at 4:30 to sunset at 19:30: (1 + cos(pi q^2))/2, where q goes from -1 to 1; 0 at night. */
static double sun(double t)
{
    const double pi = 3.14159265358979323846, sunrise = 4.5, sunset = 19.5, day = 24;
    double hour = 12 + t / 3600, local = hour - day * floor(hour / day);
    if (local < sunrise || local > sunset) return 0;
    double q = (2 * local - sunrise - sunset) / (sunset - sunrise);
    return (1 + cos(pi * q * q)) / 2;
}

static void rhs(double t, const double *y, const double *p, double *f)
{
    double r[REACTIONS + 1]; /* the rates, counted from 1 as in the table */
    double sunlight = sun(t);
    r[1] = SUN(1, 8.89e-3) * y[NO2];
    r[2] = ARR2(2, 1.4e3, 1.175e3) * y[O];
    r[3] = ARR2(3, 1.8e-12, -1.37e3) * y[O3] * y[NO];
    r[4] = PLAIN(4, 9.3e-12) * y[O] * y[NO2];
    r[5] = ARR2(5, 1.6e-13, 6.87e2) * y[O] * y[NO2];
    r[6] = ARR2(6, 2.2e-13, 6.02e2) * y[O] * y[NO];
    r[7] = ARR2(7, 1.2e-13, -2.45e3) * y[O3] * y[NO2];
    r[8] = SUN(8, 3.556e-4) * y[O3];
    r[9] = SUN(9, 2.489e-5) * y[O3];
    r[10] = ARR2(10, 1.9e8, 3.9e2) * y[O1D];
    r[11] = PLAIN(11, 2.2e-10) * water * y[O1D];
    r[12] = ARR2(12, 1.6e-12, -9.4e2) * y[O3] * y[OH];
    r[13] = ARR2(13, 1.4e-14, -5.8e2) * y[O3] * y[HO2];
    r[14] = SUN(14, 1.378e-1) * y[NO3];
    r[15] = ARR2(15, 1.3e-11, 2.5e2) * y[NO3] * y[NO];
    r[16] = ARR2(16, 2.5e-14, -1.23e3) * y[NO3] * y[NO2];
    r[17] = ARR2(17, 5.3e-13, 2.56e2) * y[NO3] * y[NO2];
    r[18] = PLAIN(18, 1.3e-21) * water * y[N2O5];
    r[19] = ARR2(19, 3.5e14, -1.0897e4) * y[N2O5];
    r[20] = ARR2(20, 1.8e-20, 5.3e2) * y[NO] * y[NO];
    r[21] = PLAIN(21, 4.39999e-40) * water * y[NO] * y[NO2];
    r[22] = ARR2(22, 4.5e-13, 8.06e2) * y[OH] * y[NO];
    r[23] = SUN(23, 1.511e-3) * y[HONO];
    r[24] = PLAIN(24, 6.6e-12) * y[OH] * y[HONO];
    r[25] = PLAIN(25, 1.0e-20) * y[HONO] * y[HONO];
    r[26] = ARR2(26, 1.0e-12, 7.13e2) * y[OH] * y[NO2];
    r[27] = ARR2(27, 5.1e-15, 1.0e3) * y[OH] * y[HNO3];
    r[28] = ARR2(28, 3.7e-12, 2.40e2) * y[HO2] * y[NO];
    r[29] = ARR2(29, 1.2e-13, 7.49e2) * y[HO2] * y[NO2];
    r[30] = ARR2(30, 4.8e13, -1.0121e4) * y[PNA];
    r[31] = ARR2(31, 1.3e-12, 3.8e2) * y[OH] * y[PNA];
    r[32] = ARR2(32, 5.9e-14, 1.15e3) * y[HO2] * y[HO2];
    r[33] = ARR2(33, 2.2e-38, 5.8e3) * water * y[HO2] * y[HO2];
    r[34] = SUN(34, 6.312e-6) * y[H2O2];
    r[35] = ARR2(35, 3.1e-12, -1.87e2) * y[OH] * y[H2O2];
    r[36] = PLAIN(36, 2.2e-13) * y[OH] * y[CO];
    r[37] = PLAIN(37, 1.0e-11) * y[HCHO] * y[OH];
    r[38] = SUN(38, 2.845e-5) * y[HCHO];
    r[39] = SUN(39, 3.734e-5) * y[HCHO];
    r[40] = ARR2(40, 3.0e-11, -1.55e3) * y[HCHO] * y[O];
    r[41] = PLAIN(41, 6.3e-16) * y[HCHO] * y[NO3];
    r[42] = ARR2(42, 1.2e-11, -9.86e2) * y[ALD2] * y[O];
    r[43] = ARR2(43, 7.0e-12, 2.5e2) * y[ALD2] * y[OH];
    r[44] = PLAIN(44, 2.5e-15) * y[ALD2] * y[NO3];
    r[45] = SUN(45, 4.0e-6) * y[ALD2];
    r[46] = ARR2(46, 5.4e-12, 2.5e2) * y[C2O3] * y[NO];
    r[47] = ARR2(47, 8.0e-20, 5.5e3) * y[C2O3] * y[NO2];
    r[48] = ARR2(48, 9.4e16, -1.4e4) * y[PAN];
    r[49] = PLAIN(49, 2.0e-12) * y[C2O3] * y[C2O3];
    r[50] = PLAIN(50, 6.5e-12) * y[C2O3] * y[HO2];
    r[51] = ARR2(51, 1.1e2, -1.71e3) * y[OH];
    r[52] = PLAIN(52, 8.1e-13) * y[PAR] * y[OH];
    r[53] = ARR2(53, 1.0e15, -8.0e3) * y[ROR];
    r[54] = PLAIN(54, 1.6e3) * y[ROR];
    r[55] = PLAIN(55, 1.5e-11) * y[ROR] * y[NO2];
    r[56] = ARR2(56, 1.2e-11, -3.24e2) * y[O] * y[OLE];
    r[57] = ARR2(57, 5.2e-12, 5.04e2) * y[OH] * y[OLE];
    r[58] = ARR2(58, 1.4e-14, -2.105e3) * y[O3] * y[OLE];
    r[59] = PLAIN(59, 7.7e-15) * y[NO3] * y[OLE];
    r[60] = ARR2(60, 1.0e-11, -7.92e2) * y[O] * y[ETH];
    r[61] = ARR2(61, 2.0e-12, 4.11e2) * y[OH] * y[ETH];
    r[62] = ARR2(62, 1.3e-14, -2.633e3) * y[O3] * y[ETH];
    r[63] = ARR2(63, 2.1e-12, 3.22e2) * y[OH] * y[TOL];
    r[64] = PLAIN(64, 8.1e-12) * y[TO2] * y[NO];
    r[65] = PLAIN(65, 4.2) * y[TO2];
    r[66] = PLAIN(66, 4.1e-11) * y[OH] * y[CRES];
    r[67] = PLAIN(67, 2.2e-11) * y[NO3] * y[CRES];
    r[68] = PLAIN(68, 1.4e-11) * y[CRO] * y[NO2];
    r[69] = ARR2(69, 1.7e-11, 1.16e2) * y[OH] * y[XYL];
    r[70] = PLAIN(70, 3.0e-11) * y[OH] * y[OPEN];
    r[71] = SUN(71, 5.334e-5) * y[OPEN];
    r[72] = ARR2(72, 5.4e-17, -5.0e2) * y[O3] * y[OPEN];
    r[73] = PLAIN(73, 1.7e-11) * y[OH] * y[MGLY];
    r[74] = SUN(74, 1.654e-4) * y[MGLY];
    r[75] = PLAIN(75, 1.8e-11) * y[O] * y[ISOP];
    r[76] = PLAIN(76, 9.6e-11) * y[OH] * y[ISOP];
    r[77] = PLAIN(77, 1.2e-17) * y[O3] * y[ISOP];
    r[78] = PLAIN(78, 3.2e-13) * y[NO3] * y[ISOP];
    r[79] = PLAIN(79, 8.1e-12) * y[XO2] * y[NO];
    r[80] = ARR2(80, 1.7e-14, 1.3e3) * y[XO2] * y[XO2];
    r[81] = PLAIN(81, 6.8e-13) * y[XO2N] * y[NO];

    f[O1D] = r[9] - r[10] - r[11];
    f[H2O2] = r[32] + r[33] - r[34] - r[35];
    f[PAN] = r[47] - r[48];
    f[CRO] = 0.4 * r[66] + r[67] - r[68];
    f[TOL] = -r[63];
    f[N2O5] = r[17] - r[18] - r[19];
    f[XYL] = -r[69];
    f[XO2N] = 0.13 * r[52] + 0.04 * r[53] + 0.02 * r[56] + 0.09 * r[59] + 0.13 * r[76] + r[78] - r[81];
    f[HONO] = 2 * r[21] + r[22] - r[23] - r[24] - 2 * r[25];
    f[PNA] = r[29] - r[30] - r[31];
    f[TO2] = 0.56 * r[63] - r[64] - r[65] + 0.3 * r[69];
    f[HNO3] = 2 * r[18] + r[26] - r[27] + r[41] + r[44] + r[67];
    f[ROR] = 0.76 * r[52] - 0.98 * r[53] - r[54] - r[55];
    f[CRES] = 0.36 * r[63] + r[65] - r[66] - r[67] + 0.2 * r[69];
    f[MGLY] = 0.8 * r[69] + 0.2 * r[72] - r[73] - r[74] + 0.4 * r[76] + 0.2 * r[77];
    f[CO] = -r[36] + r[37] + r[38] + r[39] + r[40] + r[41] + r[45] + 0.3 * r[56] + 0.33 * r[58] + r[60]
        + 0.42 * r[62] + 2 * r[70] + r[71] + 0.69 * r[72] + r[74] + 0.5 * r[75] + 0.06 * r[77];
    f[ETH] = -r[60] - r[61] - r[62] + 0.45 * r[75] + r[76] + 0.55 * r[77];
    f[XO2] = r[45] + r[46] + 2 * r[49] + 0.79 * r[50] + r[51] + 0.87 * r[52] + 0.96 * r[53] + 0.28 * r[56] + r[57]
        + 0.22 * r[58] + 0.91 * r[59] + 0.7 * r[60] + r[61] + 0.08 * r[63] + 0.6 * r[66] + 0.5 * r[69] + r[70]
        + 0.03 * r[72] + r[73] + 0.5 * r[75] + r[76] - r[79] - 2 * r[80];
    f[OPEN] = 0.9 * r[64] + 0.3 * r[66] - r[70] - r[71] - r[72];
    f[PAR] = -1.11 * r[52] - 2.1 * r[53] + 0.22 * r[56] - r[57] - r[58] - r[59] + 1.1 * r[69] + 0.9 * r[75]
        + 0.1 * r[77];
    f[HCHO] = -r[37] - r[38] - r[39] - r[40] - r[41] + r[45] + r[46] + 2 * r[49] + 0.79 * r[50] + r[51]
        + 0.2 * r[56] + r[57] + 0.74 * r[58] + r[59] + r[60] + 1.56 * r[61] + r[62] + r[70] + 0.7 * r[72] + r[76]
        + r[77];
    f[ISOP] = -r[75] - r[76] - r[77] - r[78];
    f[OLE] = -r[56] - r[57] - r[58] - r[59] + 0.55 * r[75];
    f[ALD2] = -r[42] - r[43] - r[44] - r[45] + 0.11 * r[52] + 1.1 * r[53] + 0.63 * r[56] + r[57] + 0.5 * r[58]
        + r[59] + 0.22 * r[61] + 0.03 * r[72] + 0.8 * r[75] + 0.2 * r[76] + 0.4 * r[77];
    f[O3] = r[2] - r[3] - r[7] - r[8] - r[9] - r[12] - r[13] - r[58] - r[62] - r[72] - r[77];
    f[NO2] = -r[1] + r[3] - r[4] - r[5] + r[6] - r[7] + 0.89 * r[14] + 2 * r[15] - r[17] + r[19] + 2 * r[20]
        - r[21] + r[24] + r[25] - r[26] + r[28] - r[29] + r[30] + r[31] + r[46] - r[47] + r[48] - r[55] + r[59]
        + 0.9 * r[64] - r[68] + r[79] + emission;
    f[OH] = 2 * r[11] - r[12] + r[13] - r[22] + r[23] - r[24] - r[26] - r[27] + r[28] - r[31] + 2 * r[34] - r[35]
        - r[36] - r[37] + r[40] + r[42] - r[43] + 0.79 * r[50] - r[51] - r[52] + 0.2 * r[56] - r[57] + 0.1 * r[58]
        + 0.3 * r[60] - r[61] - r[63] - r[66] - r[69] - r[70] + 0.08 * r[72] - r[73] - r[76] + 0.1 * r[77];
    f[HO2] = r[12] - r[13] - r[28] - r[29] + r[30] - 2 * r[32] - 2 * r[33] + r[35] + r[36] + r[37] + 2 * r[38]
        + r[40] + r[41] + 2 * r[45] + r[46] + 2 * r[49] - 0.21 * r[50] + r[51] + 0.11 * r[52] + 0.94 * r[53]
        + r[54] + 0.38 * r[56] + r[57] + 0.44 * r[58] + 1.7 * r[60] + r[61] + 0.12 * r[62] + 0.44 * r[63]
        + 0.9 * r[64] + r[65] + 0.6 * r[66] + 0.7 * r[69] + 2 * r[70] + r[71] + 0.76 * r[72] + r[74] + 0.6 * r[75]
        + 0.67 * r[76] + 0.44 * r[77];
    f[O] = r[1] - r[2] - r[4] - r[5] - r[6] + r[8] + r[10] + 0.89 * r[14] - r[40] - r[42] - r[56] - r[60] - r[75];
    f[NO3] = r[5] + r[7] - r[14] - r[15] - r[16] - r[17] + r[19] + r[27] - r[41] - r[44] - r[59] - r[67] - r[78];
    f[NO] = r[1] - r[3] + r[4] - r[6] + 0.11 * r[14] - r[15] + r[16] - 2 * r[20] - r[21] - r[22] + r[23] + r[25]
        - r[28] - r[46] - r[64] - r[79] - r[81] + emission;
    f[C2O3] = r[42] + r[43] + r[44] - r[46] - r[47] + r[48] - 2 * r[49] - r[50] + r[70] + r[71] + 0.62 * r[72]
        + r[73] + r[74] + 0.2 * r[76];
}

#define MODEL                                                                                                                    \
    .states = SPECIES, .params = REACTIONS, .t0 = 0, .rhs = rhs, .defaults = defaults,                                           \
    .state_names = COSTATE_NAMES("O1D", "H2O2", "PAN", "CRO", "TOL", "N2O5", "XYL", "XO2N", "HONO", "PNA", "TO2", "HNO3",        \
        "ROR", "CRES", "MGLY", "CO", "ETH", "XO2", "OPEN", "PAR", "HCHO", "ISOP", "OLE", "ALD2",                                 \
        "O3", "NO2", "OH", "HO2", "O", "NO3", "NO", "C2O3")

#ifdef RATES
static const struct {
    int reaction;
    double rate;
} plain[] = {
    {4, 9.3e-12}, {11, 2.2e-10}, {18, 1.3e-21}, {21, 4.39999e-40}, {24, 6.6e-12}, {25, 1.0e-20},
    {36, 2.2e-13}, {37, 1.0e-11}, {41, 6.3e-16}, {44, 2.5e-15}, {49, 2.0e-12}, {50, 6.5e-12},
    {52, 8.1e-13}, {54, 1.6e3}, {55, 1.5e-11}, {59, 7.7e-15}, {64, 8.1e-12}, {65, 4.2},
    {66, 4.1e-11}, {67, 2.2e-11}, {68, 1.4e-11}, {70, 3.0e-11}, {73, 1.7e-11}, {75, 1.8e-11},
    {76, 9.6e-11}, {77, 1.2e-17}, {78, 3.2e-13}, {79, 8.1e-12}, {81, 6.8e-13}};

static void defaults(double *p)
{
    for (int k = 0; k < REACTIONS; k++) p[k] = 1;
    for (int k = 0; k < (int)(sizeof plain / sizeof *plain); k++) p[plain[k].reaction - 1] = plain[k].rate;
}

COSTATE_MODEL(cbm4_rates, MODEL, .t1 = 72 * 3600,
    .y0 = COSTATE_VALUES(
        3.6526863750611913e-02, 3.4707720147202350e+11, 2.5587368543825978e+03, 3.3531799554265477e-23, 5.2876983431419439e-20,
        1.3075110630074380e+07, 0, 1.9851806509517221e+01, 3.8395652107781827e+08, 2.6754255039489701e+08,
        1.5934618007304529e-24, 1.1919246983093340e+12, 4.8941018920695331e-05, 5.4624905116787489e-21, 1.9439975771406649e-23,
        2.3298634210339189e+12, 2.1065177212897872e-30, 5.5189576513636959e+08, 2.6339320093024571e-21, 8.1182067706551516e+03,
        3.0006320191182411e+10, 0, 0, 2.6879195468215732e+02, 2.0611858836754690e+12,
        1.5619060172112289e+10, 3.6719877437848777e+07, 9.8884855311993337e+08, 1.2487934143271739e+04, 3.3578690033910081e+07,
        2.7276389221375022e+09, 6.5346444751699044e+00))
#else
static void defaults(double *p)
{
    for (int k = 0; k < REACTIONS; k++) p[k] = 1;
}

static void ozone(double t, const double *y, const double *p, double *g)
{
    g[0] = y[O3];
}

COSTATE_MODEL(cbm4, MODEL, .t1 = 24 * 3600, .terminal = ozone, .objective_names = COSTATE_NAMES("ozone"),
    .y0 = COSTATE_VALUES(
        3.65e-2, 3.47e11, 2.56e3, 3.35e-23, 5.29e-20, 1.31e7, 0, 1.99e1, 3.84e8, 2.68e8, 1.59e-24,
        1.19e12, 4.89e-5, 5.46e-21, 1.94e-23, 2.33e12, 2.11e-30, 5.51e8, 2.63e-21, 8.12e3, 3.00e10, 0,
        0, 2.69e2, 2.06e12, 1.56e10, 3.67e7, 9.89e8, 1.25e4, 3.36e7, 2.73e9, 6.53))
#endif
