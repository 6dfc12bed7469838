/* enzyme.c - an enzyme at work, without the approximation of Michaelis and Menten.
 *
 *     costate run      examples/models/enzyme.c --method rodas4 --plot progress.svg
 *     costate gradient examples/models/enzyme.c --method rodas4 --scaled --plot what_matters.svg
 *
 *     E + S <=> ES -> E + P          concentrations in micromol/l, time in seconds
 *      bind, unbind  turn
 *
 * The complex is there within milliseconds, the product within minutes: the model is stiff, so take an implicit method
 * (--method rodas4). The objective is the product after two minutes. Its scaled sensitivities, percent per percent, say what
 * such an experiment can tell: those of bind and unbind are nearly opposite, so it sees their ratio (Michaelis and Menten's
 * Km), but not how fast they are. */
#include <costate/model.h>

enum { E, S, ES, P, STATES };
enum { BIND, UNBIND, TURN, ENZYME, SUBSTRATE, PARAMS };

static void rhs(double t, const double *y, const double *p, double *f)
{
    /* Rates first, then who gains and who loses by them: this is how larger mechanisms are written, too. */
    const double bind = p[BIND] * y[E] * y[S], unbind = p[UNBIND] * y[ES], turn = p[TURN] * y[ES];
    f[E] = -bind + unbind + turn;
    f[S] = -bind + unbind;
    f[ES] = bind - unbind - turn;
    f[P] = turn;
}

static void init(const double *p, double *y0)
{
    y0[E] = p[ENZYME];
    y0[S] = p[SUBSTRATE];
    y0[ES] = 0;
    y0[P] = 0;
}

static void terminal(double t, const double *y, const double *p, double *g)
{
    g[0] = y[P];
}

COSTATE_MODEL(enzyme,
    .states = STATES, .params = PARAMS,
    .state_names = COSTATE_NAMES("E", "S", "ES", "P"),
    .param_names = COSTATE_NAMES("bind", "unbind", "turn", "enzyme", "substrate"),
    .objective_names = COSTATE_NAMES("product"),
    .p = COSTATE_VALUES(10, 100, 5, 0.1, 50), /* l/(micromol s), 1/s, 1/s, micromol/l, micromol/l: Km = 10.5 micromol/l */
    .t0 = 0, .t1 = 120, .rhs = rhs, .init = init, .terminal = terminal)
