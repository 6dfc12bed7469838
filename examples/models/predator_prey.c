/* predator_prey.c - hares and lynxes in Canada, 1900 to 1920: the smallest model worth a look. Start here.
 *
 *     costate run      examples/models/predator_prey.c --plot cycles.svg
 *     costate gradient examples/models/predator_prey.c
 *     costate check    examples/models/predator_prey.c
 *
 *     hares'  =  birth hares - kill hares lynxes           thousands of pelts traded; time in years
 *     lynxes' = -death lynxes + gain hares lynxes
 *
 * The numbers are about those that fit the pelts bought by the Hudson's Bay Company. The objectives are the mean number of
 * hares over the 20 years, which is an integral, and the number of lynxes at the end. Volterra showed that over whole cycles
 * the mean of the hares is death/gain, whatever else: `costate gradient --scaled` finds sensitivities near 1, -1 and 0. */
#include <costate/model.h>

enum { HARES, LYNXES, STATES };            /* y[HARES] reads better than y[0] */
enum { BIRTH, KILL, DEATH, GAIN, PARAMS };
enum { MEAN_HARES, LAST_LYNXES, OBJECTIVES };

static const double years = 20;

/* f = y'. Plain C: no types to learn, nothing to register. */
static void rhs(double t, const double *y, const double *p, double *f)
{
    const double meet = y[HARES] * y[LYNXES];
    f[HARES] = p[BIRTH] * y[HARES] - p[KILL] * meet;
    f[LYNXES] = -p[DEATH] * y[LYNXES] + p[GAIN] * meet;
}

/* What is integrated from t0 to t1. */
static void running(double t, const double *y, const double *p, double *r)
{
    r[MEAN_HARES] = y[HARES] / years;
    r[LAST_LYNXES] = 0;
}

/* What is added at t1. */
static void terminal(double t, const double *y, const double *p, double *g)
{
    g[MEAN_HARES] = 0;
    g[LAST_LYNXES] = y[LYNXES];
}

COSTATE_MODEL(predator_prey,
    .states = STATES, .params = PARAMS, .objectives = OBJECTIVES,
    .state_names = COSTATE_NAMES("hares", "lynxes"),
    .param_names = COSTATE_NAMES("birth", "kill", "death", "gain"),
    .objective_names = COSTATE_NAMES("mean_hares", "last_lynxes"),
    .y0 = COSTATE_VALUES(34, 5.9),             /* thousands */
    .p = COSTATE_VALUES(0.55, 0.028, 0.80, 0.024), /* 1/year; 1/(year thousand); ... */
    .t0 = 0, .t1 = years, .rhs = rhs, .running = running, .terminal = terminal)
