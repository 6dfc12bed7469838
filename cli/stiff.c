/* stiff.c - a hint for those who integrate a stiff model with an explicit method. Its steps are then as long as stability
 * allows, h rho near the end of the stability region, rho being the spectral radius of f_y; steps that accuracy dictates are
 * shorter than that. */
#include "cli.h"
#include "stability.h"

#include <math.h>
#include <stdlib.h>

enum { MANY = 500, ROUNDS = 40 }; /* steps that are worth a hint; of the power iteration, of which the second half counts */

static double length(int n, const double *x)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * x[i];
    return sqrt(sum);
}

/* The spectral radius of f_y at (t1, y), roughly; 0 if it cannot be had. */
static double radius(const cli_session *s, const double *y)
{
    const int n = s->n;
    double *x = cli_take((size_t)n, sizeof *x), *jx = cli_take((size_t)n, sizeof *jx), growth = 0;
    for (int i = 0; i < n; i++) x[i] = 1 + 0.5 * sin(1.7 * i);
    for (int k = 0; k < ROUNDS; k++) {
        const double size = length(n, x);
        if (!(size > 0 && isfinite(size))) {
            growth = -INFINITY;
            break;
        }
        for (int i = 0; i < n; i++) x[i] /= size;
        if (k > ROUNDS / 2) growth += log(size) / (ROUNDS - 1 - ROUNDS / 2);
        if (s->problem.jvp(s->t1, y, s->p, 1, NULL, x, NULL, jx, s->problem.data)) jx[0] = NAN;
        double *next = jx;
        jx = x;
        x = next;
    }
    free(x);
    free(jx);
    return exp(growth);
}

void cli_stiff_hint(cli_session *s, const double *y)
{
    const costate_table *table = costate_method_find(cli_method(s->request));
    if (!table || table->family != COSTATE_ERK || s->stats.steps < MANY || !s->problem.jvp) return;
    const double h = fabs(s->t1 - s->t0) / (double)s->stats.steps;
    if (h * radius(s, y) > 0.6 * stability_of(table).real)
        cli_warn(&s->out,
                 "the model is stiff: %lld steps of %s are due to its stability, not to the tolerance; try --method rodas4",
                 (long long)s->stats.steps, table->name);
}
