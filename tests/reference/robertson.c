/* robertson.c - Robertson's autocatalytic reaction, the classic of stiffness over eleven decades of time. H. H. Robertson, The
 * solution of a set of reaction rate equations (1966); in the Test Set for IVP Solvers (Mazzia and Magherini, Bari) as `rober`,
 * there to t = 1e11.
 *
 *     A -> B at k1,   2 B -> B + C at k3,   B + C -> A + C at k2;   A + B + C is conserved */
#include "massaction.h"
#include "problems.h"

#include <pthread.h>

enum { A, B, C, N };
enum { K1, K2, K3, NP };

static const char *const species[N] = {"A", "B", "C"}, *const rates[NP] = {"k1", "k2", "k3"};
static const reaction reactions[] = {REACTION("A = B", K1), REACTION("B + C = A + C", K2), REACTION("2 B = B + C", K3)};

static const double start[N] = {1, 0, 0}, nominal[NP] = {0.04, 1e4, 3e7}, scale[N] = {1e-6, 1e-10, 1e-6};

static const double state[N] = {5.2083451767992390e-08, 2.0833381779254890e-13, 9.9999994791633990e-01};
static const double dy0[N] = {1.0416660958005737e-07, 1.0416660954750527e-07, 1.0416660954750859e-07};
static const double dp[NP] = {-2.6041631260449345e-06, 1.0416652395674498e-11, -1.7361122048226668e-15};
static const sensitivity dstate[] = {
    {0, 0, -2.6041631260449345e-06}, {0, 1, 1.0416652395674498e-11}, {0, 2, -1.7361122048226668e-15},
    {1, 0, -5.2083081346741929e-12}, {1, 1, 2.0833232117696612e-17}, {1, 2, -6.9444495383350795e-21},
    {2, 0, 2.6041683343530688e-06}, {2, 1, -1.0416673228906615e-11}, {2, 2, 1.7361191492722051e-15}};

static massaction mechanism;
static problem self = {.name = "robertson", .y0 = start, .p = nominal, .t0 = 0, .t1 = 4e10, .scale = scale,
                       .source = "Radau IIA of order 13 in quadruple precision; two tolerances agree", .rtol_ref = 1e-15,
                       .state = state, .dy0 = dy0, .dp = dp, .sensitivities = N * NP, .dstate = dstate};

static void compile(void)
{
    massaction_compile(&mechanism, COSTATE_DENSE, N, species, NP, 3, reactions, NULL);
    self.prob = massaction_problem(&mechanism, species, rates);
}

const problem *stiff_robertson(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, compile);
    return &self;
}
