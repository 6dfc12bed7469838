/* Mass action from a table of reactions: an array of structs with orders, stoichiometry by a second loop. */
#include <costate/model.h>
#define SPECIES 6
struct reaction { int in[2], out[2]; double log10_k; };
static const struct reaction scheme[] = {
    {{0, -1}, {1, -1}, -0.5}, {{1, 1}, {2, -1}, 0.3},  {{2, 0}, {3, 4}, 0.1},   {{3, -1}, {0, 5}, -0.2},
    {{4, 5}, {2, -1}, 0.4},   {{5, -1}, {1, 1}, -0.7}, {{3, 4}, {0, -1}, -0.3},
};
enum { REACTIONS = sizeof scheme / sizeof scheme[0] };

static void rhs(double t, const double *c, const double *p, double *f)
{
    for (int i = 0; i < SPECIES; i++) f[i] = p[REACTIONS] * (0.3 - c[i]);
    for (int r = 0; r < REACTIONS; r++) {
        const struct reaction *x = &scheme[r];
        double v = p[r] * pow(10.0, x->log10_k);
        for (int s = 0; s < 2; s++)
            if (x->in[s] >= 0) v *= c[x->in[s]];
        for (int s = 0; s < 2; s++) {
            if (x->in[s] >= 0) f[x->in[s]] -= v;
            if (x->out[s] >= 0) f[x->out[s]] += v;
        }
    }
}

COSTATE_MODEL(table_kinetics, .states = SPECIES, .params = REACTIONS + 1, .t0 = 0, .t1 = 5,
              .y0 = COSTATE_VALUES(1, 0.8, 0.6, 0.4, 0.5, 0.3), .p = COSTATE_VALUES(1, 1.1, 0.9, 1.2, 0.8, 1, 0.7, 0.1),
              .rhs = rhs)
