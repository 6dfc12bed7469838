/* michaelis.c - an enzyme at work, with what is fast in balance and what is conserved: differential and algebraic equations.
 *
 *     costate run      examples/models/michaelis.c --plot progress.svg
 *     costate gradient examples/models/michaelis.c --scaled
 *
 *     E + S <=> ES -> E + P          concentrations in micromol/l, time in seconds
 *      bind, unbind  turn
 *
 * enzyme.c has all of it as rates. Here the complex is always in balance (0 = bind E S - (unbind + turn) ES), and the enzyme is
 * conserved (0 = E + ES - all of it). Such equations have a mass of 0 in .mass, and any order that suits; their states need no
 * initial values but guesses: a run makes them consistent, and says so. The objective is the product after two minutes. */
#include <costate/model.h>

enum { E, S, ES, P, STATES };
enum { BIND, UNBIND, TURN, ENZYME, SUBSTRATE, PARAMS };

static void rhs(double t, const double *y, const double *p, double *f)
{
    const double bind = p[BIND] * y[E] * y[S], unbind = p[UNBIND] * y[ES], turn = p[TURN] * y[ES];
    f[S] = -bind + unbind;
    f[P] = turn;
    f[ES] = bind - unbind - turn;     /* 0 = */
    f[E] = y[E] + y[ES] - p[ENZYME]; /* 0 = */
}

static void init(const double *p, double *y0)
{
    y0[S] = p[SUBSTRATE];
    y0[P] = 0;
    y0[ES] = 0;
    y0[E] = p[ENZYME];
}

static void terminal(double t, const double *y, const double *p, double *g)
{
    g[0] = y[P];
}

COSTATE_MODEL(michaelis,
    .states = STATES, .params = PARAMS, .mass = COSTATE_VALUES(0, 1, 0, 1),
    .state_names = COSTATE_NAMES("E", "S", "ES", "P"),
    .param_names = COSTATE_NAMES("bind", "unbind", "turn", "enzyme", "substrate"),
    .objective_names = COSTATE_NAMES("product"),
    .p = COSTATE_VALUES(10, 100, 5, 0.1, 50), /* as in enzyme.c */
    .t0 = 0, .t1 = 120, .rhs = rhs, .init = init, .terminal = terminal)
