/* hires.c - the High Irradiance RESponse of phytochrome in plants: 8 components of a chain of forms of the pigment, which end
 * bound to a receptor. E. Schaefer, J. Math. Biol. 2, 41-56 (1975); `hires` in the Test Set for IVP Solvers (Mazzia and
 * Magherini, Bari), whose right-hand side this is. y7 + y8, the receptor free and bound, is conserved. */
#include "massaction.h"
#include "problems.h"

#include <pthread.h>

enum { N = 8, REACTIONS = 15 };
enum { K1, K2, K3, K4, K5, K6, KPLUS, KMINUS, KSTAR, OKS, NP };

static const char *const species[N] = {"y1", "y2", "y3", "y4", "y5", "y6", "y7", "y8"};
static const char *const rates[NP] = {"k1", "k2", "k3", "k4", "k5", "k6", "k+", "k-", "k*", "oks"};
static const reaction reactions[REACTIONS] = {
    REACTION("= y1", OKS),           REACTION("y1 = y2", K1),      REACTION("y2 = y1", K2),
    REACTION("y2 = y4", K3),         REACTION("y3 = y4", K1),      REACTION("y4 = y3", K2),
    REACTION("y3 = y1", K6),         REACTION("y5 = y3", K5),      REACTION("y4 = y6", K4),
    REACTION("y5 = y6", K1),         REACTION("y6 = y5", K2),      REACTION("y6 + y8 = y7", KPLUS),
    REACTION("y7 = y6 + y8", KMINUS), REACTION("y7 = y5 + y8", K2), REACTION("y7 = y8", KSTAR),
};

static const double start[N] = {1, 0, 0, 0, 0, 0, 0, 0.0057};
static const double nominal[NP] = {1.71, 0.43, 8.32, 0.69, 0.035, 8.32, 280, 0.69, 0.69, 0.0007};
static const double scale[N] = {1e-4, 1e-5, 1e-5, 1e-4, 1e-4, 1e-4, 1e-4, 1e-4};

static const double state[N] = {
    7.3713125733256674e-04, 1.4424857263161845e-04, 5.8887297409675745e-05, 1.1756513432831491e-03, 2.3863561988313295e-03,
    6.2389682527427930e-03, 2.8499983951857681e-03, 2.8500016048142321e-03};
static const double dy0[N] = {
    2.6619606374138458e-03, 2.6558854199841496e-03, 2.6613059723015853e-03, 2.6499010073164808e-03, 2.6326056705910724e-03,
    2.5330069045748456e-03, -5.8152594996259388e-01, -5.8370340193132997e-01};
static const double dp[NP] = {
    -5.2519078991735216e-04, 9.9036538067482694e-04, -4.5390362034581586e-06, -3.8676894944757661e-04, 2.3700481716901821e-03,
    6.2122452387078506e-06, -4.6426945386526770e-07, 7.1810575699315509e-05, -4.7726822298944233e-03, 1.8175493769214672e+00};

static massaction mechanism;
static problem self = {.name = "hires", .y0 = start, .p = nominal, .t0 = 0, .t1 = 321.8122, .scale = scale,
                       .source = "Radau IIA of order 13 in quadruple precision; the state agrees with the Test Set's",
                       .rtol_ref = 1e-15, .state = state, .dy0 = dy0, .dp = dp};

static void compile(void)
{
    massaction_compile(&mechanism, COSTATE_DENSE, N, species, NP, REACTIONS, reactions, NULL);
    self.prob = massaction_problem(&mechanism, species, rates);
}

const problem *stiff_hires(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, compile);
    return &self;
}
