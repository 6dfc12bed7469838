/* brusselator.c - reaction and diffusion of two species in CELLS cells of [0, 1], without flux through the ends:
 *
 *     u' = a + u^2 v - (b+1) u + d CELLS^2 L u,   v' = b u - u^2 v + d CELLS^2 L v,   (L u)_i = u_(i-1) - 2 u_i + u_(i+1),
 *
 * where a neighbour that does not exist has the value of the cell itself. It starts from a disturbed steady state (a, q) with
 * q = b/a: u_i = a + cos(pi x_i)/2, v_i = q + cos(2 pi x_i)/4. Component 2i is u_i, component 2i+1 is v_i; <.> is the mean over
 * the cells.
 *
 *     psi_0 = <(v - q)^2>/2 at t1 + integral of <(u - a)^2>/2 dt
 *     psi_1 = <u + v> at t1 + integral of <u> - a dt:  conserved */
#include <costate/model.h>

enum { CELLS = 20 };
enum { U, V, SPECIES };
enum { FEED, RATE, DIFFUSION, PARAMS };
enum { DISTANCE, MASS, OBJECTIVES };

static const double pi = 3.14159265358979323846;

static void rhs(double t, const double *y, const double *p, double *f)
{
    const double (*c)[SPECIES] = (const double (*)[SPECIES])y;
    double k = p[DIFFUSION] * CELLS * CELLS;
    for (int i = 0; i < CELLS; i++) {
        int left = i > 0 ? i - 1 : i, right = i < CELLS - 1 ? i + 1 : i;
        double u = c[i][U], v = c[i][V];
        f[2 * i + U] = p[FEED] + u * u * v - (p[RATE] + 1) * u + k * (c[left][U] - 2 * u + c[right][U]);
        f[2 * i + V] = p[RATE] * u - u * u * v + k * (c[left][V] - 2 * v + c[right][V]);
    }
}

static void init(const double *p, double *y0)
{
    for (int i = 0; i < CELLS; i++) {
        double x = (i + 0.5) / CELLS;
        y0[2 * i + U] = p[FEED] + cos(pi * x) / 2;
        y0[2 * i + V] = p[RATE] / p[FEED] + cos(2 * pi * x) / 4;
    }
}

static void terminal(double t, const double *y, const double *p, double *g)
{
    double q = p[RATE] / p[FEED], distance = 0, mass = 0;
    for (int i = 0; i < CELLS; i++) {
        double e = y[2 * i + V] - q;
        distance += e * e / 2;
        mass += y[2 * i + U] + y[2 * i + V];
    }
    g[DISTANCE] = distance / CELLS;
    g[MASS] = mass / CELLS;
}

static void running(double t, const double *y, const double *p, double *r)
{
    r[DISTANCE] = 0;
    r[MASS] = -p[FEED];
    for (int i = 0; i < CELLS; i++) {
        double e = y[2 * i + U] - p[FEED];
        r[DISTANCE] += e * e / 2 / CELLS;
        r[MASS] += y[2 * i + U] / CELLS;
    }
}

COSTATE_MODEL(brusselator,
    .states = SPECIES * CELLS, .params = PARAMS, .objectives = OBJECTIVES,
    .param_names = COSTATE_NAMES("a", "b", "d"), .objective_names = COSTATE_NAMES("distance", "mass"),
    .p = COSTATE_VALUES(1, 2.5, 0.01), .t0 = 0, .t1 = 4,
    .rhs = rhs, .init = init, .terminal = terminal, .running = running)
