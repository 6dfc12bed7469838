/* Names that do not fit into a table of 80 columns, two of which differ in the middle. */
#include <costate/model.h>
static void rhs(double t, const double *y, const double *p, double *f)
{
    f[0] = -p[0] * y[0] + p[1] * y[1];
    f[1] = p[0] * y[0] - p[1] * y[1];
}
static void terminal(double t, const double *y, const double *p, double *g) { g[0] = y[0]; g[1] = y[1] * y[0]; g[2] = y[0]*p[1];}
COSTATE_MODEL(a_model_with_a_rather_long_name,
    .states = 2, .params = 2, .objectives = 3,
    .state_names = COSTATE_NAMES("concentration_of_phosphorylated_receptor_in_the_cytosol",
                                 "concentration_of_receptor_at_the_membrane"),
    .param_names = COSTATE_NAMES("rate_of_dephosphorylation_of_the_receptor", "rate_of_phosphorylation_of_the_receptor"),
    .objective_names = COSTATE_NAMES("receptor_in_the_cytosol_at_the_end_of_the_experiment",
                                     "product of both, somewhat artificial", "u"),
    .y0 = COSTATE_VALUES(10, 5), .p = COSTATE_VALUES(1.1, 0.4),
    .t0 = 0, .t1 = 10, .rhs = rhs, .terminal = terminal)
