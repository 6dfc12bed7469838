/* lockdown.c - an epidemic with a date from which there are fewer contacts, and the date is a parameter: when was it, seen from
 * the cases? No event is declared: the condition `t < p[DATE]` is one.
 *
 *     costate gradient examples/models/lockdown.c
 *     costate run      examples/models/lockdown.c --plot lockdown.svg
 *
 * The cases were made with date = 31.4, contact = 0.42, kept = 0.35; .p is a first guess. */
#include <costate/model.h>

enum { SUSCEPTIBLE, INFECTIOUS, STATES };
enum { DATE, CONTACT, KEPT, PARAMS };

static const double recovery = 0.14;
static const double days[] = {5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60};
static const double measured[] = {0.000405284, 0.00163911, 0.00657344, 0.0254999, 0.0876695, 0.21447, 0.198705,
                                 0.138362, 0.0932097, 0.0615193, 0.0400882, 0.0259144};
enum { DAYS = sizeof days / sizeof *days };

static void rhs(double t, const double *y, const double *p, double *f)
{
    const double contact = t < p[DATE] ? p[CONTACT] : p[KEPT] * p[CONTACT];
    const double infection = contact * y[SUSCEPTIBLE] * y[INFECTIOUS];
    f[SUSCEPTIBLE] = -infection;
    f[INFECTIOUS] = infection - recovery * y[INFECTIOUS];
}

static void observe(int k, double t, const double *y, const double *p, double *g)
{
    const double off = log(y[INFECTIOUS] / measured[k]) / 0.01;
    g[0] = off * off / 2;
}

COSTATE_MODEL(lockdown,
    .states = STATES, .params = PARAMS,
    .state_names = COSTATE_NAMES("susceptible", "infectious"), .param_names = COSTATE_NAMES("date", "contact", "kept"),
    .objective_names = COSTATE_NAMES("misfit"),
    .y0 = COSTATE_VALUES(0.9999, 0.0001), .p = COSTATE_VALUES(27, 0.4, 0.5), /* days, 1/day, fraction */
    .t0 = 0, .t1 = 60, .rhs = rhs,
    .observations = DAYS, .observe_at = COSTATE_ARRAY(days), .observe = observe)
