/* The wave equation with variable speed on a rectangle: position and velocity as [NY][NX] views, loops over the interior. */
#include <costate/model.h>
#define NX 9
#define NY 8
typedef const double (*grid_in)[NX];
typedef double (*grid_out)[NX];

static void rhs(double t, const double *y, const double *p, double *f)
{
    grid_in u = (grid_in)y, v = (grid_in)(y + NX * NY);
    grid_out du = (grid_out)f, dv = (grid_out)(f + NX * NY);
    const double h = 1.0 / (NX - 1), damping = p[2];

    for (int j = 0; j < NY; j++)
        for (int i = 0; i < NX; i++) {
            du[j][i] = 0.0;
            dv[j][i] = 0.0;
        }
    for (int j = 1; j < NY - 1; j++) {
        for (int i = 1; i < NX - 1; i++) {
            const double c = p[0] + p[1] * sin(M_PI * i * h) * j * h;
            const double lap = u[j][i - 1] + u[j][i + 1] + u[j - 1][i] + u[j + 1][i] - 4 * u[j][i];
            du[j][i] = v[j][i];
            dv[j][i] = c * c * lap / (h * h) - damping * v[j][i];
        }
    }
}

static void init(const double *p, double *y)
{
    for (int j = 0; j < NY; j++)
        for (int i = 0; i < NX; i++) {
            y[j * NX + i] = sin(M_PI * i / (NX - 1.0)) * sin(2 * M_PI * j / (NY - 1.0));
            y[NX * NY + j * NX + i] = 0.1 * i;
        }
}

COSTATE_MODEL(wave_2d, .states = 2 * NX * NY, .params = 3, .t0 = 0, .t1 = 1, .p = COSTATE_VALUES(1.0, 0.3, 0.05), .init = init,
              .rhs = rhs)
