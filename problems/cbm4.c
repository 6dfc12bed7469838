/* cbm4.c - the Carbon Bond Mechanism IV of air pollution: 32 species, 81 reactions, driven by the sun. Tables J.1, J.3, J.4 and
 * K.1 of the supplement to Zhang and Sandu, FATODE (SIAM J. Sci. Comput. 36, 2014), molecules per cm^3 and seconds since local
 * noon. With it go, as in the authors' example program, a fixed concentration of water, emissions of NO and NO2, and 298 K.
 *
 *     cbm4        24 hours from the rounded initial values of Table J.1; p_k = 1 multiplies the rate of reaction k+1, so that
 *                 derivatives in p are relative to the rates; objective: ozone at the end
 *     cbm4_rates  72 hours from the initial values that Table K.1 was made with; p_k is the rate coefficient itself where it
 *                 is a plain constant, and 1 multiplies the others; objectives: the final state
 *
 * The sun has a second derivative that jumps at sunrise and sunset. */
#include "massaction.h"
#include "problems.h"

#include "lanes.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>

enum { O1D, H2O2, PAN, CRO, TOL, N2O5, XYL, XO2N, HONO, PNA, TO2, HNO3, ROR, CRES, MGLY, CO, ETH, XO2, OPEN, PAR, HCHO, ISOP, OLE,
       ALD2, O3, NO2, OH, HO2, O, NO3, NO, C2O3, N };
enum { REACTIONS = 81, EMISSIONS = 2 };

static const char *const species[N] = {
    "O1D", "H2O2", "PAN",  "CRO", "TOL", "N2O5", "XYL", "XO2N", "HONO", "PNA",  "TO2", "HNO3", "ROR", "CRES", "MGLY", "CO",
    "ETH", "XO2",  "OPEN", "PAR", "HCHO", "ISOP", "OLE", "ALD2", "O3",  "NO2", "OH",  "HO2",  "O",   "NO3",  "NO",   "C2O3"};

/* ---- the mechanism ----------------------------------------------------------------------------------------------------- */

/* A rate is a (plain), a exp(b/298) (ARR2 in Table J.4) or a times the sun. */
typedef struct row {
    const char *equation;
    enum { IS_PLAIN, IS_ARR2, IS_SUN } is;
    double a, b;
    double water; /* what the rate is multiplied with for water on the left; 0: there is none */
} row;
#define PLAIN(x) .is = IS_PLAIN, .a = x
#define ARR2(x, y) .is = IS_ARR2, .a = x, .b = y
#define SUN(x) .is = IS_SUN, .a = x

static const double temperature = 298, emission = 2e3;
#define WATER (1.25e8 * 2.55e10)

static const row rows[REACTIONS] = {
    /*  1 */ {"NO2 = NO + O", SUN(8.89e-3)},
    /*  2 */ {"O = O3", ARR2(1.4e3, 1.175e3)},
    /*  3 */ {"O3 + NO = NO2", ARR2(1.8e-12, -1.37e3)},
    /*  4 */ {"O + NO2 = NO", PLAIN(9.3e-12)},
    /*  5 */ {"O + NO2 = NO3", ARR2(1.6e-13, 6.87e2)},
    /*  6 */ {"O + NO = NO2", ARR2(2.2e-13, 6.02e2)},
    /*  7 */ {"O3 + NO2 = NO3", ARR2(1.2e-13, -2.45e3)},
    /*  8 */ {"O3 = O", SUN(3.556e-4)},
    /*  9 */ {"O3 = O1D", SUN(2.489e-5)},
    /* 10 */ {"O1D = O", ARR2(1.9e8, 3.9e2)},
    /* 11 */ {"O1D = 2 OH", PLAIN(2.2e-10), .water = WATER},
    /* 12 */ {"O3 + OH = HO2", ARR2(1.6e-12, -9.4e2)},
    /* 13 */ {"O3 + HO2 = OH", ARR2(1.4e-14, -5.8e2)},
    /* 14 */ {"NO3 = 0.89 NO2 + 0.89 O + 0.11 NO", SUN(1.378e-1)},
    /* 15 */ {"NO3 + NO = 2 NO2", ARR2(1.3e-11, 2.5e2)},
    /* 16 */ {"NO3 + NO2 = NO + NO2", ARR2(2.5e-14, -1.23e3)},
    /* 17 */ {"NO3 + NO2 = N2O5", ARR2(5.3e-13, 2.56e2)},
    /* 18 */ {"N2O5 = 2 HNO3", PLAIN(1.3e-21), .water = WATER},
    /* 19 */ {"N2O5 = NO3 + NO2", ARR2(3.5e14, -1.0897e4)},
    /* 20 */ {"2 NO = 2 NO2", ARR2(1.8e-20, 5.3e2)},
    /* 21 */ {"NO + NO2 = 2 HONO", PLAIN(4.39999e-40), .water = WATER},
    /* 22 */ {"OH + NO = HONO", ARR2(4.5e-13, 8.06e2)},
    /* 23 */ {"HONO = OH + NO", SUN(1.511e-3)},
    /* 24 */ {"OH + HONO = NO2", PLAIN(6.6e-12)},
    /* 25 */ {"2 HONO = NO + NO2", PLAIN(1.0e-20)},
    /* 26 */ {"OH + NO2 = HNO3", ARR2(1.0e-12, 7.13e2)},
    /* 27 */ {"OH + HNO3 = NO3", ARR2(5.1e-15, 1.0e3)},
    /* 28 */ {"HO2 + NO = OH + NO2", ARR2(3.7e-12, 2.40e2)},
    /* 29 */ {"HO2 + NO2 = PNA", ARR2(1.2e-13, 7.49e2)},
    /* 30 */ {"PNA = HO2 + NO2", ARR2(4.8e13, -1.0121e4)},
    /* 31 */ {"OH + PNA = NO2", ARR2(1.3e-12, 3.8e2)},
    /* 32 */ {"2 HO2 = H2O2", ARR2(5.9e-14, 1.15e3)},
    /* 33 */ {"2 HO2 = H2O2", ARR2(2.2e-38, 5.8e3), .water = WATER},
    /* 34 */ {"H2O2 = 2 OH", SUN(6.312e-6)},
    /* 35 */ {"OH + H2O2 = HO2", ARR2(3.1e-12, -1.87e2)},
    /* 36 */ {"OH + CO = HO2", PLAIN(2.2e-13)},
    /* 37 */ {"HCHO + OH = HO2 + CO", PLAIN(1.0e-11)},
    /* 38 */ {"HCHO = 2 HO2 + CO", SUN(2.845e-5)},
    /* 39 */ {"HCHO = CO", SUN(3.734e-5)},
    /* 40 */ {"HCHO + O = OH + HO2 + CO", ARR2(3.0e-11, -1.55e3)},
    /* 41 */ {"HCHO + NO3 = HNO3 + HO2 + CO", PLAIN(6.3e-16)},
    /* 42 */ {"ALD2 + O = C2O3 + OH", ARR2(1.2e-11, -9.86e2)},
    /* 43 */ {"ALD2 + OH = C2O3", ARR2(7.0e-12, 2.5e2)},
    /* 44 */ {"ALD2 + NO3 = C2O3 + HNO3", PLAIN(2.5e-15)},
    /* 45 */ {"ALD2 = HCHO + XO2 + CO + 2 HO2", SUN(4.0e-6)},
    /* 46 */ {"C2O3 + NO = HCHO + XO2 + HO2 + NO2", ARR2(5.4e-12, 2.5e2)},
    /* 47 */ {"C2O3 + NO2 = PAN", ARR2(8.0e-20, 5.5e3)},
    /* 48 */ {"PAN = C2O3 + NO2", ARR2(9.4e16, -1.4e4)},
    /* 49 */ {"2 C2O3 = 2 HCHO + 2 XO2 + 2 HO2", PLAIN(2.0e-12)},
    /* 50 */ {"C2O3 + HO2 = 0.79 HCHO + 0.79 XO2 + 0.79 HO2 + 0.79 OH", PLAIN(6.5e-12)},
    /* 51 */ {"OH = HCHO + XO2 + HO2", ARR2(1.1e2, -1.71e3)},
    /* 52 */ {"PAR + OH = 0.87 XO2 + 0.13 XO2N + 0.11 HO2 + 0.11 ALD2 + 0.76 ROR - 0.11 PAR", PLAIN(8.1e-13)},
    /* 53 */ {"ROR = 1.1 ALD2 + 0.96 XO2 + 0.94 HO2 + 0.04 XO2N + 0.02 ROR - 2.1 PAR", ARR2(1.0e15, -8.0e3)},
    /* 54 */ {"ROR = HO2", PLAIN(1.6e3)},
    /* 55 */ {"ROR + NO2 =", PLAIN(1.5e-11)},
    /* 56 */ {"O + OLE = 0.63 ALD2 + 0.38 HO2 + 0.28 XO2 + 0.3 CO + 0.2 HCHO + 0.02 XO2N + 0.22 PAR + 0.2 OH",
              ARR2(1.2e-11, -3.24e2)},
    /* 57 */ {"OH + OLE = HCHO + ALD2 + XO2 + HO2 - PAR", ARR2(5.2e-12, 5.04e2)},
    /* 58 */ {"O3 + OLE = 0.5 ALD2 + 0.74 HCHO + 0.33 CO + 0.44 HO2 + 0.22 XO2 + 0.1 OH - PAR", ARR2(1.4e-14, -2.105e3)},
    /* 59 */ {"NO3 + OLE = 0.91 XO2 + HCHO + ALD2 + 0.09 XO2N + NO2 - PAR", PLAIN(7.7e-15)},
    /* 60 */ {"O + ETH = HCHO + 0.7 XO2 + CO + 1.7 HO2 + 0.3 OH", ARR2(1.0e-11, -7.92e2)},
    /* 61 */ {"OH + ETH = XO2 + 1.56 HCHO + HO2 + 0.22 ALD2", ARR2(2.0e-12, 4.11e2)},
    /* 62 */ {"O3 + ETH = HCHO + 0.42 CO + 0.12 HO2", ARR2(1.3e-14, -2.633e3)},
    /* 63 */ {"OH + TOL = 0.08 XO2 + 0.36 CRES + 0.44 HO2 + 0.56 TO2", ARR2(2.1e-12, 3.22e2)},
    /* 64 */ {"TO2 + NO = 0.9 NO2 + 0.9 OPEN + 0.9 HO2", PLAIN(8.1e-12)},
    /* 65 */ {"TO2 = HO2 + CRES", PLAIN(4.2)},
    /* 66 */ {"OH + CRES = 0.4 CRO + 0.6 XO2 + 0.6 HO2 + 0.3 OPEN", PLAIN(4.1e-11)},
    /* 67 */ {"NO3 + CRES = CRO + HNO3", PLAIN(2.2e-11)},
    /* 68 */ {"CRO + NO2 =", PLAIN(1.4e-11)},
    /* 69 */ {"OH + XYL = 0.7 HO2 + 0.5 XO2 + 0.2 CRES + 0.8 MGLY + 1.1 PAR + 0.3 TO2", ARR2(1.7e-11, 1.16e2)},
    /* 70 */ {"OH + OPEN = XO2 + C2O3 + 2 HO2 + 2 CO + HCHO", PLAIN(3.0e-11)},
    /* 71 */ {"OPEN = C2O3 + CO + HO2", SUN(5.334e-5)},
    /* 72 */ {"O3 + OPEN = 0.03 ALD2 + 0.62 C2O3 + 0.7 HCHO + 0.03 XO2 + 0.69 CO + 0.08 OH + 0.76 HO2 + 0.2 MGLY",
              ARR2(5.4e-17, -5.0e2)},
    /* 73 */ {"OH + MGLY = XO2 + C2O3", PLAIN(1.7e-11)},
    /* 74 */ {"MGLY = C2O3 + CO + HO2", SUN(1.654e-4)},
    /* 75 */ {"O + ISOP = 0.6 HO2 + 0.8 ALD2 + 0.55 OLE + 0.5 XO2 + 0.5 CO + 0.45 ETH + 0.9 PAR", PLAIN(1.8e-11)},
    /* 76 */ {"OH + ISOP = HCHO + XO2 + 0.67 HO2 + 0.4 MGLY + 0.2 C2O3 + ETH + 0.2 ALD2 + 0.13 XO2N", PLAIN(9.6e-11)},
    /* 77 */ {"O3 + ISOP = HCHO + 0.4 ALD2 + 0.55 ETH + 0.2 MGLY + 0.06 CO + 0.1 PAR + 0.44 HO2 + 0.1 OH", PLAIN(1.2e-17)},
    /* 78 */ {"NO3 + ISOP = XO2N", PLAIN(3.2e-13)},
    /* 79 */ {"XO2 + NO = NO2", PLAIN(8.1e-12)},
    /* 80 */ {"2 XO2 =", ARR2(1.7e-14, 1.3e3)},
    /* 81 */ {"XO2N + NO =", PLAIN(6.8e-13)},
};

/* The sun from sunrise at 4:30 to sunset at 19:30: (1 + cos(pi q^2))/2, where q goes from -1 to 1; 0 at night. */
static void sun(double t, double phi[3])
{
    const double pi = 3.14159265358979323846, sunrise = 4.5, sunset = 19.5, day = 24;
    double hour = 12 + t / 3600, local = hour - day * floor(hour / day);
    phi[0] = phi[1] = phi[2] = 0;
    if (local < sunrise || local > sunset) return;
    double q = (2 * local - sunrise - sunset) / (sunset - sunrise), qdot = 2 / (sunset - sunrise) / 3600, x = pi * q * q;
    phi[0] = (1 + cos(x)) / 2;
    phi[1] = -sin(x) * pi * q * qdot;
    phi[2] = -(sin(x) + 2 * x * cos(x)) * pi * qdot * qdot;
}

/* The mechanism with p = 1 for all rates, or (plain) with p the coefficient where it is PLAIN. */
static int compile(massaction *m, int plain, double *p)
{
    reaction table[REACTIONS + EMISSIONS];
    for (int k = 0; k < REACTIONS; k++) {
        const row *x = &rows[k];
        double rate = x->a * (x->is == IS_ARR2 ? exp(x->b / temperature) : 1), water = x->water > 0 ? x->water : 1;
        p[k] = plain && x->is == IS_PLAIN ? rate : 1;
        table[k] = (reaction){x->equation, rate / p[k] * water, k, x->is == IS_SUN ? TIMED : UNTIMED};
    }
    table[REACTIONS] = (reaction){"= NO", emission, NO_RATE, UNTIMED};
    table[REACTIONS + 1] = (reaction){"= NO2", emission, NO_RATE, UNTIMED};
    return massaction_compile(m, COSTATE_CSC, N, species, REACTIONS, REACTIONS + EMISSIONS, table, sun);
}

/* ---- objective: ozone --------------------------------------------------------------------------------------------------- */

static int ozone(int k, double t, const double *y, const double *p, double *g, void *data)
{
    g[0] = y[O3];
    return 0;
}

static int ozone_jvp(int k, double t, const double *y, const double *p, int w, const double *tdot, const double *ydot,
                     const double *pdot, double *gdot, void *data)
{
    for (int l = 0; l < w; l++) gdot[l] = lane(ydot, O3, w, l);
    return 0;
}

static int ozone_vjp(int k, double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb,
                     void *data)
{
    for (int l = 0; l < w; l++) add(yb, O3, w, l, u[l]);
    return 0;
}

static int ozone_vjp_dot(int k, double t, const double *y, const double *p, int w, const double *tdot, const double *ydot,
                         const double *pdot, const double *u, const double *udot, double *yb, double *ybdot, double *pb,
                         double *pbdot, void *data)
{
    for (int l = 0; l < w; l++) add(ybdot, O3, w, l, lane(udot, 0, w, l));
    return ozone_vjp(k, t, y, p, w, u, yb, pb, data);
}

/* ---- values ------------------------------------------------------------------------------------------------------------- */

static const double start_rounded[N] = {
    3.65e-2, 3.47e11, 2.56e3,   3.35e-23, 5.29e-20, 1.31e7, 0,        1.99e1, 3.84e8, 2.68e8, 1.59e-24,
    1.19e12, 4.89e-5, 5.46e-21, 1.94e-23, 2.33e12,  2.11e-30, 5.51e8, 2.63e-21, 8.12e3, 3.00e10, 0,
    0,       2.69e2,  2.06e12,  1.56e10,  3.67e7,   9.89e8, 1.25e4,   3.36e7, 2.73e9, 6.53};
static const double start_full[N] = {
    3.6526863750611913e-02, 3.4707720147202350e+11, 2.5587368543825978e+03, 3.3531799554265477e-23, 5.2876983431419439e-20,
    1.3075110630074380e+07, 0,                      1.9851806509517221e+01, 3.8395652107781827e+08, 2.6754255039489701e+08,
    1.5934618007304529e-24, 1.1919246983093340e+12, 4.8941018920695331e-05, 5.4624905116787489e-21, 1.9439975771406649e-23,
    2.3298634210339189e+12, 2.1065177212897872e-30, 5.5189576513636959e+08, 2.6339320093024571e-21, 8.1182067706551516e+03,
    3.0006320191182411e+10, 0,                      0,                      2.6879195468215732e+02, 2.0611858836754690e+12,
    1.5619060172112289e+10, 3.6719877437848777e+07, 9.8884855311993337e+08, 1.2487934143271739e+04, 3.3578690033910081e+07,
    2.7276389221375022e+09, 6.5346444751699044e+00};

/* Table J.1's absolute tolerances, which belong to a relative one of 1e-3 */
#define J1(x) (1e3 * (x))
static const double scale[N] = {
    J1(1e-9), J1(1e4),  J1(1e-4), J1(1e-30), J1(1e-27), J1(1), J1(1e-14), J1(1e-6), J1(1e1), J1(1e1), J1(1e-31),
    J1(1e5), J1(1e-12), J1(1e-28), J1(1e-30), J1(1e5), J1(1e-37), J1(1e1), J1(1e-28), J1(1e-4), J1(1e3), J1(1e-14),
    J1(1e-14), J1(1e-5), J1(1e5), J1(1e3), J1(1), J1(1e1), J1(1e-3), J1(1), J1(1e2), J1(1e-7)};

static massaction relative, plain;
static double p_relative[REACTIONS], p_plain[REACTIONS];
static char names[REACTIONS][16];
static const char *rates[REACTIONS];

static problem cbm4 = {.name = "cbm4", .y0 = start_rounded, .p = p_relative, .t0 = 0, .t1 = 86400, .scale = scale};
static problem cbm4_rates = {.name = "cbm4_rates", .y0 = start_full, .p = p_plain, .t0 = 0, .t1 = 72 * 3600, .scale = scale};

static void compile_both(void)
{
    for (int k = 0; k < REACTIONS; k++) {
        snprintf(names[k], sizeof names[k], "R%d", k + 1);
        rates[k] = names[k];
    }
    compile(&relative, 0, p_relative);
    compile(&plain, 1, p_plain);
    cbm4.prob = massaction_problem(&relative, species, rates);
    cbm4.prob.objectives = 1;
    cbm4.prob.terminal = (costate_function){.eval = ozone, .jvp = ozone_jvp, .vjp = ozone_vjp, .vjp_dot = ozone_vjp_dot};
    cbm4_rates.prob = massaction_problem(&plain, species, rates);
}

static pthread_once_t once = PTHREAD_ONCE_INIT;

const problem *stiff_cbm4(void)
{
    pthread_once(&once, compile_both);
    return &cbm4;
}

const problem *stiff_cbm4_rates(void)
{
    pthread_once(&once, compile_both);
    return &cbm4_rates;
}
