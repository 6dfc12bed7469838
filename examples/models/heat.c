/* heat.c - a steel plate that is heated on one side and cooled by air on the other: a partial differential equation by the
 * method of lines.
 *
 *     costate run   examples/models/heat.c --method rodas4 --plot warming.svg
 *     costate check examples/models/heat.c --method rodas4 -DN=100          finer cells
 *     costate diff  examples/models/heat.c --pattern                        tridiagonal, as it should be
 *
 *     heat_capacity dT/dt = conductivity d2T/dx2      T in degrees Celsius, t in seconds, x in metres
 *     flux comes in at x = 0;  transfer (T - air) goes out at x = thickness
 *
 * Cells of equal width; heat flows between the middles of neighbours. The finer the cells the stiffer the model, so take an
 * implicit method; it finds the pattern of the Jacobian by itself. The objective is the temperature of the cooled face after
 * ten minutes. */
#include <costate/model.h>

#ifndef N
#define N 40 /* cells; -DN=100 on the command line wins */
#endif

enum { CONDUCTIVITY, HEAT_CAPACITY, FLUX, TRANSFER, AIR, PARAMS };

static const double thickness = 0.05;

static void rhs(double t, const double *T, const double *p, double *f)
{
    const double dx = thickness / N, through = p[CONDUCTIVITY] / dx; /* W/(m2 K) between neighbours */
    for (int i = 0; i < N; i++) {
        double in = i > 0 ? through * (T[i - 1] - T[i]) : p[FLUX];
        double out = i < N - 1 ? through * (T[i] - T[i + 1]) : p[TRANSFER] * (T[i] - p[AIR]);
        f[i] = (in - out) / (p[HEAT_CAPACITY] * dx);
    }
}

static void init(const double *p, double *T)
{
    for (int i = 0; i < N; i++) T[i] = p[AIR];
}

static void terminal(double t, const double *T, const double *p, double *g)
{
    g[0] = T[N - 1];
}

COSTATE_MODEL(heat,
    .states = N, .params = PARAMS,
    .param_names = COSTATE_NAMES("conductivity", "heat_capacity", "flux", "transfer", "air"),
    .objective_names = COSTATE_NAMES("cooled_face"),
    .p = COSTATE_VALUES(45, 3.85e6, 2e4, 25, 20), /* W/(m K), J/(m3 K), W/m2, W/(m2 K), degrees Celsius */
    .t0 = 0, .t1 = 600, .rhs = rhs, .init = init, .terminal = terminal)
