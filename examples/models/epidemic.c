/* epidemic.c - an epidemic, and how likely a survey is under its model: the objective of a fit. examples/fit_nlopt.c makes the
 * fit.
 *
 *     costate run      examples/models/epidemic.c --plot epidemic.svg
 *     costate gradient examples/models/epidemic.c
 *
 *     susceptible' = -infection                     infection = contact infectious susceptible / population
 *     exposed'     =  infection - exposed / latency
 *     infectious'  =  exposed / latency - recovery infectious          persons; time in days
 *
 * Every fifth day 5,000 persons are tested. With m = 5,000 infectious / population expected and k found positive, a Poisson
 * distribution gives -log(probability) = m - k log m + constant. Their sum over all days is what a maximum-likelihood fit
 * minimizes.
 *
 * The numbers of the table were drawn at random from the model with contact = 0.4, recovery = 1/7 (per day) and 120 persons
 * exposed at the start. The values of .p below are a first guess, from which the fit has to find these. The latency is known
 * from elsewhere: as a fourth parameter it would have an error bar of 40 percent, and make that of contact ten times as long. */
#include <costate/model.h>

enum { SUSCEPTIBLE, EXPOSED, INFECTIOUS, STATES };
enum { CONTACT, RECOVERY, SEED, PARAMS };

static const double population = 1e6, tested = 5000, latency = 4;

/* Data are tables. They have no derivatives, and that is all there is to say about them. */
static const double days[] = {5,  10, 15, 20, 25, 30,  35,  40,  45,  50,  55,  60,  65,  70,  75,
                              80, 85, 90, 95, 100, 105, 110, 115, 120, 125, 130, 135, 140, 145, 150};
static const double positive[] = {1,   2,   3,   2,   6,   13,  17,  32, 54, 103, 195, 318, 497, 673, 853,
                                  835, 793, 680, 526, 322, 217, 148, 98, 66, 52,  27,  18,  9,   4,   4};
enum { DAYS = sizeof days / sizeof *days };

static void rhs(double t, const double *y, const double *p, double *f)
{
    const double infection = p[CONTACT] * y[INFECTIOUS] * y[SUSCEPTIBLE] / population;
    f[SUSCEPTIBLE] = -infection;
    f[EXPOSED] = infection - y[EXPOSED] / latency;
    f[INFECTIOUS] = y[EXPOSED] / latency - p[RECOVERY] * y[INFECTIOUS];
}

/* The initial state depends on a parameter: it is then part of the gradient with respect to p. */
static void init(const double *p, double *y0)
{
    y0[SUSCEPTIBLE] = population - p[SEED];
    y0[EXPOSED] = p[SEED];
    y0[INFECTIOUS] = 0;
}

/* What observation k adds to the objective; y is the state at its time, which a step of the integration ends at exactly. */
static void observe(int k, double t, const double *y, const double *p, double *g)
{
    const double expected = tested * y[INFECTIOUS] / population;
    g[0] = expected - positive[k] * log(expected);
}

COSTATE_MODEL(epidemic,
    .states = STATES, .params = PARAMS,
    .state_names = COSTATE_NAMES("susceptible", "exposed", "infectious"),
    .param_names = COSTATE_NAMES("contact", "recovery", "seed"),
    .objective_names = COSTATE_NAMES("misfit"),
    .p = COSTATE_VALUES(0.5, 0.2, 50), /* 1/day, 1/day, persons */
    .t0 = 0, .t1 = 150, .rhs = rhs, .init = init,
    .observations = DAYS, .observe_at = COSTATE_ARRAY(days), .observe = observe)
