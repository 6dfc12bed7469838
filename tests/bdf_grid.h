/* bdf_grid.h - a run by bdf over a given grid: orders are those of grids that do not depend on tolerances. */
#ifndef BDF_GRID_H
#define BDF_GRID_H

#include "core/directions.h"
#include "core/driver.h"
#include "support.h"

#include <math.h>

static inline void bdf_append(costate_solver *s, int order, double *t, double next, double T)
{
    s->note = order;
    assert_int_equal(cst__log_append(s, next - *t, next, next == T), 0);
    *t = next;
}

/* Steps of order up to k and of sizes near H, which vary smoothly; the first ones are so small that their low orders do not
 * count, and grow by two after rests. Returns what H amounts to, so that steps over the rest have a whole number. */
static inline double bdf_lay(costate_solver *s, int k, double H, double T)
{
    const double swings = 4 * acos(-1);
    double h = k > 1 ? 0.05 * pow(H, 0.5 * (k + 1)) : 0.1 * H, t = 0;
    int rest = 0;
    assert_int_equal(cst__log_start(s, 0), 0);
    s->t0 = s->d.t0 = 0, s->t1 = T;
    for (int order = 1, n = 0; order < k || 2 * h < H; n++) {
        if (n > 1 && order < k) order++, rest = 0;
        else if (++rest > k + 2) h *= 2, rest = 0;
        bdf_append(s, order, &t, t + h, T);
    }
    const double from = t, steps = ceil((T - t) / H);
    for (int n = 1; n <= steps; n++) {
        const double x = n / steps, next = from + (T - from) * (x + 0.25 / swings * sin(swings * x));
        bdf_append(s, k, &t, n < steps ? next : T, T);
    }
    return (T - from) / steps;
}

/* The run that s has made is made again over that grid, its record included. */
static inline double bdf_over(costate_solver *s, int k, double H, double T, double *end, double *psi)
{
    double *start = s->y0;
    H = bdf_lay(s, k, H, T);
    s->recorded[PRIMAL] = s->recorded[JOINT] = 0;
    assert_ok(s, cst__traj_prepare(s, PRIMAL, 0));
    memset(s->psi, 0, (size_t)s->nobj * sizeof *s->psi);
    assert_ok(s, cst__repeat(s, start, NULL, PRIMAL, end, psi));
    memcpy(s->yend, end, (size_t)s->prob.n * sizeof *end);
    return H;
}

/* The derivatives of its objectives along a direction of the parameters. */
static inline void bdf_tangent_over(costate_solver *s, const double *pdot, double *psidot)
{
    double *memory = calloc(cst__dblock_doubles(s, 1) + (size_t)s->nobj, sizeof *memory);
    dblock d;
    tangent tg = {.cut = {1, 1, 1}, .block = &d};
    assert_non_null(memory);
    cst__dblock_carve(s, &d, 1, memory);
    memcpy(d.own_pdot, pdot, (size_t)s->prob.np * sizeof *pdot);
    assert_int_equal(cst__dblock_init(s, &d), 0);
    assert_ok(s, cst__repeat(s, s->y0, &tg, -1, NULL, memory + cst__dblock_doubles(s, 1)));
    memcpy(psidot, d.qdot, (size_t)s->nobj * sizeof *psidot);
    free(memory);
}

#endif
