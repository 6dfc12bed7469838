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
#include "lanes.h"
#include "massaction.h"
#include "problems.h"

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

/* 24 hours: of ozone, d/dy0 and d/dp. An independent solution by CVODES (BDF, adjoint) agrees to 1e-8. */
static const double state_24[N] = {
    3.6774357247434178e-02, 3.3700476867593164e+11, 2.9573467255839086e+02, 8.0112344861076676e-27, 1.2304951303921185e-23,
    1.3393340396480763e+07, 0, 2.1943543060580004e+00, 3.8905381355947989e+08, 2.6700858771397722e+08,
    3.8039653097876159e-28, 1.1903611791095664e+12, 5.3552353128262910e-06, 1.2714701489144931e-24, 4.4821301288526255e-27,
    2.1446506717660876e+12, 3.2493683713654725e-35, 5.6971168360532653e+08, 6.1416612747150097e-25, 8.6597370097034309e+02,
    3.0125733980418362e+10, 0, 0, 2.8677748940162747e+01, 2.0751517720563752e+12,
    1.5605435729765150e+10, 3.7667097548808217e+07, 9.8778586164774787e+08, 1.2558891952740827e+04, 3.4425740295860454e+07,
    2.7035120601199737e+09, 7.5136403650505112e-01};
static const double ozone_dy0[N] = {
    3.5898301054461013e-01, -3.6985792143880730e-02, 3.1941560312429922e+00, -2.6312619134560835e+00, -2.0581088805806855e+00,
    5.2363565802449417e+00, -2.8076402573084519e-01, -2.2636724443275029e+00, 2.4053269087082021e+00, 2.7004764842942826e+00,
    -2.0575721751869236e+00, 5.5127198794087773e-01, 3.4666458237662084e-01, -2.1425275199323508e+00, 7.3715586277892953e-01,
    -2.2815436074549597e-02, 2.7005823210090113e-01, 3.3033323496280009e-01, 7.9191677531251836e-01, 1.0216353728072756e-01,
    -5.9330105169138649e-02, 6.4191033807193976e-01, 5.0445950264070982e-01, 4.2267772477758436e-01, 4.7391137257160998e-01,
    2.6311661888189950e+00, 1.2186222086221782e-01, 6.9463299087564156e-02, 4.7390960108681468e-01, 2.9762891476038749e+00,
    2.2571757249404865e+00, 5.8316878845308262e-01};
static const double ozone_dp[REACTIONS] = {
    6.6585372743858740e+11, 8.1606440556272879e+07, -4.9187918149604370e+11, -7.8571213482391968e+07, -1.9438267096788015e+06,
    -2.4220772197401442e+05, -1.0600255531038450e+10, -6.6839689810724445e+07, -3.2666046834169672e+11, 1.6356345017864493e+11,
    -1.6356345017862582e+11, -1.5220490148861041e+11, -1.0657938072029852e+11, 7.9857816491520329e+09, 4.2161971503917880e+09,
    -4.1937199032379299e+07, -1.2945248639661963e+10, -1.1760561595574989e+10, 1.1872439723501461e+10, 2.6169307249445508e+04,
    -4.0484245127340051e+02, -1.0358731412297099e+09, 7.2649770765763927e+08, 6.9764198100086904e+08, -1.3194335469001368e+01,
    -5.4304590456768182e+11, 6.5732427870620447e+11, 4.6381297439511627e+11, -2.0032754826759753e+09, 2.0004853486427996e+09,
    -4.0900147278510678e+08, -2.1899039731918900e+10, -1.5566418016264532e+11, 3.1965671363094742e+10, -4.4816173773165863e+10,
    -5.0581563443275528e+10, -1.1053095682209684e+10, 7.7933357539903669e+09, 2.6275966759403133e+09, -8.4231395137999428e+05,
    -1.0861463949582052e+09, -6.1165658235038181e-03, 5.9077592835146376e+01, 7.0522166615725368e+00, 4.8211968961623137e+00,
    1.7313678438791680e+03, -1.1993422606883353e+03, 1.4088300230852874e+03, -1.1064439183632539e-03, -2.9761668753640214e+02,
    1.4513386951703159e+11, 5.2246643186209326e+02, 2.7795465451348565e+02, -2.7748074665853022e+02, -4.7391763694635758e-01,
    0, 0, 0, 0, -2.8431113360113448e-35,
    2.2591751732022524e-32, -2.4941005471759321e-32, 3.0934019506107180e-21, 4.5170503480131313e-22, -4.5168166953804040e-22,
    5.3736454819600741e-20, -5.3697029000723505e-20, -4.5415069946310530e-25, 0, 3.9767195390529700e-22,
    -1.1349656029783819e-22, -1.9359308428839875e-22, 2.7915718652510496e-24, -1.8687794513183542e-24, 0,
    0, 0, 0, 3.8131878263240013e+10, -1.9069470468832069e+10,
    -1.0754504439528006e+01};

/* 72 hours: Table K.1, of which every printed digit comes out. Its row 74 belongs to reaction 73. */
static const double state_72[N] = {
    3.7191229627595968e-02, 3.2331076480809070e+11, 3.2694440405398115e+00, 2.5302302598918057e-34, 3.7554531182909369e-31,
    1.3961446795665897e+07, 0, 2.2466679541771957e-02, 3.9747531485534739e+08, 2.6737524997568682e+08,
    1.2040552223378714e-35, 1.1929671372274495e+12, 5.4188644979783758e-08, 3.8771230615127166e-32, 1.3500665307596731e-34,
    1.8988376911358362e+12, 3.6660247503672470e-45, 5.9466095201580858e+08, 1.8773926126797016e-32, 8.4494876700643626e+00,
    3.0292239094070438e+10, 0, 0, 2.7988952732528716e-01, 2.0986755947188218e+12,
    1.5647048658783115e+10, 3.9063062436155498e+07, 9.8658468345330977e+08, 1.2686255320000806e+04, 3.5790208199343920e+07,
    2.6766777824857826e+09, 8.2102249036743683e-03};
#define K1(reaction, n2o5, hono, hno3, o3, no2)                                                                                \
    {N2O5, reaction - 1, n2o5}, {HONO, reaction - 1, hono}, {HNO3, reaction - 1, hno3}, {O3, reaction - 1, o3},               \
    {NO2, reaction - 1, no2}
static const sensitivity table_k1[] = {
    K1(4, -8.28034645367e+13, 2.36161501880e+15, -2.21037512692e+16, -1.44238946747e+19, -2.09671591681e+14),
    K1(11, 1.38602794370e+16, 5.36297309619e+17, -1.71936330396e+18, -1.27353834832e+21, 3.03129164654e+17),
    K1(18, -1.20790015692e+27, -4.38505843237e+27, 2.10432620897e+29, -1.61222307260e+31, -1.84822046945e+29),
    K1(21, 2.14375451302e+37, 1.51935096127e+41, -1.49896257265e+41, -1.15487069914e+42, -3.56559406296e+39),
    K1(24, -3.27807650348e+15, -8.90808813518e+18, 8.89188010178e+18, 1.64397897986e+20, 2.78274491070e+17),
    K1(25, -4.93708071102e+16, -1.79138159196e+20, 1.70044493457e+20, -2.62343392317e+21, 6.05928841259e+18),
    K1(36, -6.93360329603e+18, -1.11169022979e+20, -1.36561136874e+20, -2.56932190380e+23, -1.02568799372e+20),
    K1(37, -4.24291474614e+16, -4.69316267790e+17, -1.78636537343e+18, -1.73283148699e+21, -4.19590413205e+17),
    K1(41, -1.87990759860e+19, 2.88136989707e+20, -5.84172141286e+20, -2.92611962140e+24, -2.42838599631e+21),
    K1(44, 3.66559060391e+09, -6.92905836191e+10, 2.34523708919e+12, 6.26630375109e+14, -2.94479991529e+11),
    K1(49, -8.63450944329e+02, 2.03108697240e+04, -1.84528065822e+05, -1.65329467899e+08, 2.35138134162e+03),
    K1(50, -2.17561671466e+08, 5.25038949630e+09, 2.64159112687e+11, -4.40470397908e+13, -4.22464284315e+10),
    K1(52, -6.93696256486e+08, 9.38696024024e+10, 1.21260022034e+13, -3.66248524792e+14, -3.29583058816e+11),
    K1(54, -1.43189936285e-06, -1.45113376863e-05, -5.27467693932e-02, -7.29487878389e-02, -6.77616319792e-04),
    K1(55, -3.65435246641e+05, -3.03016874193e+06, -1.26145231730e+10, -1.95370638301e+10, -1.65761110177e+08),
    K1(64, 2.53043502531e-16, 4.80340308492e-16, 9.13413732127e-12, 1.95095780341e-11, 1.17449048552e-13),
    K1(65, -4.87957301082e-28, -9.25807508724e-28, -1.76138403469e-23, -3.76231054146e-23, -2.26482961846e-25),
    K1(66, 5.67018254686e-15, 1.38642479913e-14, 1.73702872249e-10, 4.37939836905e-10, 2.23934710311e-12),
    K1(67, -1.05286882573e-14, -2.53675678604e-14, -3.22129728718e-10, -8.14805957881e-10, -4.15269835051e-12),
    K1(68, -5.71880191737e-20, -1.93633718170e-19, -5.35679417646e-18, -4.71166916607e-15, -1.92946095702e-19),
    K1(70, -3.25348433453e-17, -9.29101029806e-16, 2.14832628455e-15, 3.85998204198e-13, -8.01703557786e-16),
    K1(73, 6.76863610087e-19, 9.24729874671e-18, 3.11343858076e-17, 3.12132872419e-14, 7.25666334640e-18),
    K1(79, 4.82274690420e+16, -1.73333381924e+18, 1.52755689211e+19, 8.36166944584e+21, -1.36917843281e+17),
    K1(81, 3.85618344873e+06, 2.98988937085e+08, -4.21953318466e+10, -3.63152146392e+11, 6.04215640536e+09),
};

static massaction relative, plain;
static double p_relative[REACTIONS], p_plain[REACTIONS];
static char names[REACTIONS][16];
static const char *rates[REACTIONS];

#define METHOD "Radau IIA of order 9 in extended precision; two tolerances agree"
static problem cbm4 = {.name = "cbm4", .y0 = start_rounded, .p = p_relative, .t0 = 0, .t1 = 24 * 3600, .scale = scale,
                       .source = METHOD, .rtol_ref = 1e-11, .state = state_24, .psi = &state_24[O3], .dy0 = ozone_dy0,
                       .dp = ozone_dp};
static problem cbm4_rates = {.name = "cbm4_rates", .y0 = start_full, .p = p_plain, .t0 = 0, .t1 = 72 * 3600, .scale = scale,
                             .source = METHOD, .rtol_ref = 1e-9, .state = state_72,
                             .sensitivities = sizeof table_k1 / sizeof *table_k1, .dstate = table_k1};

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
