/* e5.c - problem E5 of Enright, Hull and Lindberg (BIT 15, 1975), a chemical pyrolysis; in the Test Set for IVP Solvers (Mazzia
 * and Magherini, Bari) as `e5`, to t = 1e13. Rates span eighteen decades; y2 = y3 + y4 at all times.
 *
 *     y1 -> y2 + y3 at a,   y1 + y3 -> y4 at b,   y2 + y3 -> at cm,   y4 -> y3 at c */
#include "lanes.h"
#include "massaction.h"
#include "problems.h"

#include <pthread.h>

enum { N = 4, REACTIONS = 4 };
enum { RATE_A, RATE_B, RATE_CM, RATE_C, NP };

static const char *const species[N] = {"y1", "y2", "y3", "y4"}, *const rates[NP] = {"a", "b", "cm", "c"};
static const reaction reactions[REACTIONS] = {REACTION("y1 = y2 + y3", RATE_A),
                                              REACTION("y1 + y3 = y4", RATE_B),
                                              REACTION("y2 + y3 =", RATE_CM),
                                              REACTION("y4 = y3", RATE_C)};

static const double start[N] = {1.76e-3, 0, 0, 0}, nominal[NP] = {7.89e-10, 1.1e7, 1.13e9, 1.13e3};
static const double scale[N] = {1.7e-18, 1.7e-18, 1.7e-18, 1.7e-18};

/* The Test Set has y2 = 8.868e-23, y3 = 8.855e-23, which violates y2 = y3 + y4: round-off has parted them there. Of y1 nothing
 * is left: it decays faster than exp(-a t1) = exp(-7890). Derivatives of this state are far below the round-off of the terms
 * they are sums of; none are given. */
static const double state[N] = {0, 8.8612335212910840e-23, 8.8612335212910840e-23, 0};

static massaction mechanism;
static problem self = {.name = "e5", .y0 = start, .p = nominal, .t0 = 0, .t1 = 1e13, .scale = scale,
                       .source = "Radau IIA of order 13 in quadruple precision; two tolerances agree", .rtol_ref = 1e-15,
                       .state = state};

/* The sum of the rates, but y3' as y2' - y4': the two large rates in it, which all but cancel, would otherwise leave a round-off
 * in y2 = y3 + y4 that in the end is larger than y2. */
static int rhs(double t, const double *y, const double *p, double *f, void *data)
{
    double made = p[RATE_A] * y[0], bound = p[RATE_B] * y[0] * y[2], lost = p[RATE_CM] * y[1] * y[2], freed = p[RATE_C] * y[3];
    f[0] = -made - bound;
    f[1] = made - lost;
    f[3] = bound - freed;
    f[2] = f[1] - f[3];
    return 0;
}

static void compile(void)
{
    massaction_compile(&mechanism, COSTATE_DENSE, N, species, NP, REACTIONS, reactions, NULL);
    self.prob = massaction_problem(&mechanism, species, rates);
    self.prob.rhs = rhs;
}

const problem *stiff_e5(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, compile);
    return &self;
}
