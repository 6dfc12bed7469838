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

static massaction mechanism;
static problem self = {.name = "pollu", .y0 = start, .p = nominal, .t0 = 0, .t1 = 60, .scale = scale};

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
