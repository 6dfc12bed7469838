/* dose_times.c - when were three tablets taken, seen from the concentration in blood? The times are parameters: what happens at
 * them moves with them.
 *
 *     costate gradient examples/models/dose_times.c
 *     costate run      examples/models/dose_times.c --plot dose_times.svg
 *
 * The measurements were made with first = 1.3, second = 9.2, third = 20.6, loss = 0.12; .p is a first guess. */
#include <costate/model.h>

enum { GUT, BLOOD, STATES };
enum { FIRST, SECOND, THIRD, LOSS, PARAMS };
enum { DOSES = 3 };

static const double absorption = 0.9, amount = 100, volume = 25; /* 1/h, mg, l */
static const double hours[] = {1, 2, 3, 5, 7, 9, 11, 13, 16, 19, 21, 23, 26, 30};
static const double measured[] = {0, 1.78, 2.77, 2.79, 2.3, 1.81, 4.24, 3.93, 2.83, 2, 2.74, 4.16, 3.24, 1.99};
enum { HOURS = sizeof hours / sizeof *hours };

static void rhs(double t, const double *y, const double *p, double *f)
{
    f[GUT] = -absorption * y[GUT];
    f[BLOOD] = absorption * y[GUT] / volume - p[LOSS] * y[BLOOD];
}

static void event_times(const double *p, double *tau)
{
    for (int k = 0; k < DOSES; k++) tau[k] = p[FIRST + k];
}

static void reset(int k, double t, const double *y, const double *p, double *ynew) { ynew[GUT] += amount; }

/* half the square of each deviation, in standard errors of 0.02 mg/l */
static void observe(int k, double t, const double *y, const double *p, double *g)
{
    const double off = (y[BLOOD] - measured[k]) / 0.02;
    g[0] = off * off / 2;
}

COSTATE_MODEL(dose_times,
    .states = STATES, .params = PARAMS, .state_names = COSTATE_NAMES("gut", "blood"),
    .param_names = COSTATE_NAMES("first", "second", "third", "loss"), .objective_names = COSTATE_NAMES("misfit"),
    .y0 = COSTATE_VALUES(0, 0), .p = COSTATE_VALUES(1.8, 8, 22, 0.1), /* h, h, h, 1/h */
    .t0 = 0, .t1 = 30, .rhs = rhs,
    .observations = HOURS, .observe_at = COSTATE_ARRAY(hours), .observe = observe,
    .timed_events = DOSES, .event_times = event_times, .reset = reset, .event_names = COSTATE_NAMES("first", "second", "third"))
