/* fekete.c - twenty points on the unit sphere that repel each other, with friction, on their way to where the product V of all
 * distances is largest: index 2. Lioen, de Swart, Test set for initial value problem solvers, 1998; Cao, Li, Petzold, Serban,
 * Adjoint sensitivity analysis for differential-algebraic equations, 7.3.
 *
 *     x_i' = q_i + 2 mu_i x_i,   q_i' = -q_i/2 + 2 lambda_i x_i + sum over j /= i of (x_i - x_j)/|x_i - x_j|^2
 *     0 = |x_i|^2 - 1,   0 = 2 x_i . q_i
 *
 * The points start on four circles of latitude, whose latitudes and angles are pi times the parameters. Objective: log V. */
#include <costate/model.h>

enum { POINTS = 20, CIRCLES = 4, Q = 3 * POINTS, LAMBDA = 6 * POINTS, MU = 7 * POINTS, STATES = 8 * POINTS };

static const double pi = 3.14159265358979323846;

/* of point i */
static const int circle[POINTS] = {0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3};
static const int place[POINTS] = {1, 2, 3, 1, 2, 3, 4, 5, 6, 7, 1, 2, 3, 4, 5, 6, 0, 1, 2, 3};
static const double places[CIRCLES] = {3, 7, 6, 4};

static void init(const double *p, double *y0)
{
    for (int i = 0; i < POINTS; i++) {
        const double latitude = p[2 * circle[i]] * pi;
        const double angle = 2 * place[i] / places[circle[i]] * pi + p[2 * circle[i] + 1] * pi;
        y0[3 * i] = cos(angle) * cos(latitude);
        y0[3 * i + 1] = sin(angle) * cos(latitude);
        y0[3 * i + 2] = sin(latitude);
    }
    for (int k = Q; k < STATES; k++) y0[k] = 0; /* at rest; multipliers are found */
}

static void rhs(double t, const double *y, const double *p, double *f)
{
    const double *x = y, *q = y + Q;
    for (int i = 0; i < POINTS; i++) {
        double force[3] = {0, 0, 0}, length = 0, along = 0;
        for (int j = 0; j < POINTS; j++) {
            if (j == i) continue;
            double d[3], square = 0;
            for (int k = 0; k < 3; k++) {
                d[k] = x[3 * i + k] - x[3 * j + k];
                square += d[k] * d[k];
            }
            for (int k = 0; k < 3; k++) force[k] += d[k] / square;
        }
        for (int k = 0; k < 3; k++) {
            const double here = x[3 * i + k], velocity = q[3 * i + k];
            f[3 * i + k] = velocity + 2 * y[MU + i] * here;
            f[Q + 3 * i + k] = -0.5 * velocity + 2 * y[LAMBDA + i] * here + force[k];
            length += here * here;
            along += here * velocity;
        }
        f[LAMBDA + i] = length - 1;
        f[MU + i] = 2 * along;
    }
}

static void terminal(double t, const double *y, const double *p, double *g)
{
    g[0] = 0;
    for (int i = 0; i < POINTS; i++)
        for (int j = 0; j < i; j++) {
            double square = 0;
            for (int k = 0; k < 3; k++) square += (y[3 * i + k] - y[3 * j + k]) * (y[3 * i + k] - y[3 * j + k]);
            g[0] += 0.5 * log(square);
        }
}

#define TEN(x) x, x, x, x, x, x, x, x, x, x
#define FORTY(x) TEN(x), TEN(x), TEN(x), TEN(x)
static const double mass[STATES] = {FORTY(1), FORTY(1), FORTY(1), FORTY(0)};
static const double index[STATES] = {FORTY(0), FORTY(0), FORTY(0), FORTY(2)};

COSTATE_MODEL(fekete,
    .states = STATES, .params = 8, .p = COSTATE_VALUES(3. / 8, 1. / 13, 1. / 8, 1. / 29, -2. / 15, 1. / 7, -3. / 10, 1. / 17),
    .objective_names = COSTATE_NAMES("log V"), .mass = COSTATE_ARRAY(mass), .index = COSTATE_ARRAY(index), .t0 = 0, .t1 = 1,
    .init = init, .rhs = rhs, .terminal = terminal)
