/* pollu.c - air pollution: 20 species, 25 reactions. J. G. Verwer, Gauss-Seidel iteration for stiff ODEs from chemical kinetics
 * (SIAM J. Sci. Comput. 15, 1994); `pollu` in the Test Set for IVP Solvers (Mazzia and Magherini, Bari). ppm and minutes.
 * Nitrogen and sulphur are conserved. */
#include "massaction.h"
#include "problems.h"

#include <pthread.h>

enum { N = 20, NP = 25 };

static const char *const species[N] = {"NO2",  "NO",  "O3P",  "O3",   "HO2",  "OH",  "HCHO", "CO",  "ALD", "MEO2",
                                       "C2O3", "CO2", "PAN", "CH3O", "HNO3", "O1D", "SO2",  "SO4", "NO3", "N2O5"};
static const reaction reactions[NP] = {
    REACTION("NO2 = NO + O3P", 0),      REACTION("NO + O3 = NO2", 1),          REACTION("HO2 + NO = NO2 + OH", 2),
    REACTION("HCHO = 2 HO2 + CO", 3),   REACTION("HCHO = CO", 4),              REACTION("HCHO + OH = HO2 + CO", 5),
    REACTION("ALD = MEO2 + HO2 + CO", 6), REACTION("ALD + OH = C2O3", 7),      REACTION("C2O3 + NO = NO2 + MEO2 + CO2", 8),
    REACTION("C2O3 + NO2 = PAN", 9),    REACTION("PAN = C2O3 + NO2", 10),      REACTION("MEO2 + NO = CH3O + NO2", 11),
    REACTION("CH3O = HCHO + HO2", 12),  REACTION("NO2 + OH = HNO3", 13),       REACTION("O3P = O3", 14),
    REACTION("O3 = O1D", 15),           REACTION("O3 = O3P", 16),              REACTION("O1D = 2 OH", 17),
    REACTION("O1D = O3P", 18),          REACTION("SO2 + OH = SO4 + HO2", 19),  REACTION("NO3 = NO", 20),
    REACTION("NO3 = NO2 + O3P", 21),    REACTION("NO2 + O3 = NO3", 22),        REACTION("NO3 + NO2 = N2O5", 23),
    REACTION("N2O5 = NO3 + NO2", 24),
};

static const double start[N] = {0, 0.2, 0, 0.04, 0, 0, 0.1, 0.3, 0.01, 0, 0, 0, 0, 0, 0, 0, 0.007, 0, 0, 0};
static const double nominal[NP] = {0.35,  26.6,   12300, 8.6e-4, 8.2e-4, 15000, 1.3e-4,  24000, 16500,   9000, 0.022, 12000, 1.88,
                                   16300, 4.8e6, 3.5e-4, 0.0175, 1e8,    4.44e11, 1240, 2.1,   5.78,    0.0474, 1780, 3.12};
static const double scale[N] = {1e-6,  1e-6, 1e-13, 1e-7,  1e-11, 1e-11, 1e-6, 1e-5, 1e-7,  1e-12,
                                1e-12, 1e-7, 1e-8,  1e-9, 1e-7,  1e-22, 1e-7, 1e-8, 1e-10, 1e-9};

static const double state[N] = {
    5.6462554800227695e-02, 1.3424841304223387e-01, 4.1397343310994266e-09, 5.5231402074843597e-03, 2.0189772623021962e-07,
    1.4645418634939660e-07, 7.7842491189979643e-02, 3.2450753533960180e-01, 7.4940133838804057e-03, 1.6222931573015605e-08,
    1.1358638332570749e-08, 2.2305059757213599e-03, 2.0871628827986302e-04, 1.3969210168401580e-05, 8.9648848568982947e-03,
    4.3528463693301030e-18, 6.8992196962634053e-03, 1.0078030373659460e-04, 1.7721465139699840e-06, 5.6829432923163926e-05};
static const double dy0[N] = {
    6.2552638642530123e-01, 3.4925725330885657e-02, 5.9367898772002592e-01, 5.9367898430835542e-01, 5.1769680275117338e+00,
    4.6140799153330541e+00, 2.4068035110201652e-01, 0, 5.0537714722373395e-01, 2.7845007376668920e+00,
    3.3730330259732724e+00, 0, 2.5358838032251465e+00, 2.1964051219104026e+00, 0,
    5.9562325271502681e-01, 1.0498523954258727e-02, 0, 9.3385955690554323e-01, 1.5779452018768116e+00};
static const double dp[NP] = {
    -1.1414853388895398e-02, 1.4728402442321659e-04, 1.3072689479938843e-10, 1.4551658835312136e+01, -6.8099056553191983e-01,
    6.0482072164544536e-07, 1.7930403361414882e+00, 1.7184833601168987e-07, 4.3779803687087516e-08, -8.0257374445308827e-08,
    1.7739894466877040e-02, 4.8558170956879419e-12, 1.5603674211924933e-05, -8.1397906907101561e-07, 5.5075766941227528e-16,
    4.1830722092789497e-05, -7.4194196502574950e-10, 1.4637715632171403e-16, -3.2967827993976167e-20, 5.8809413737913514e-08,
    -6.6536177992631242e-05, 4.1731008905368783e-05, -7.5200064182807339e-03, -5.6018648656538057e-08, 3.1847400217150614e-05};

static massaction mechanism;
static problem self = {.name = "pollu", .y0 = start, .p = nominal, .t0 = 0, .t1 = 60, .scale = scale,
                       .source = "Radau IIA of order 9 in quadruple precision; the state agrees with the Test Set's",
                       .rtol_ref = 1e-11, .state = state, .dy0 = dy0, .dp = dp};

static void compile(void)
{
    massaction_compile(&mechanism, COSTATE_CSC, N, species, NP, NP, reactions, NULL);
    self.prob = massaction_problem(&mechanism, species, NULL);
}

const problem *stiff_pollu(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, compile);
    return &self;
}
