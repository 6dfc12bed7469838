/* orbit.c - a satellite around an Earth that is not quite a sphere.
 *
 *     costate gradient examples/models/orbit.c --method dopri853 --rtol 1e-10
 *     costate hessian  examples/models/orbit.c --method dopri853 --rtol 1e-10 --direction inclination=1
 *
 * Newton's attraction and J2, the first term of the flattening; position in km, velocity in km/s, time in seconds. The orbit
 * starts as a circle of the given height and inclination, at the node where it crosses the equator northwards: the initial
 * state is a function of parameters. Objectives after one day: the longitude of that node, in degrees, and the height above the
 * equator's radius, in km.
 *
 * The flattening turns the plane of the orbit. First-order theory has -1.5 n J2 (radius/a)^2 cos(inclination) radians per
 * second, n = sqrt(mu/a^3): about -5 degrees a day here, which is what the run gives, and the derivatives say how it changes
 * with the inclination. */
#include <costate/model.h>

enum { X, Y, Z, VX, VY, VZ, STATES };
enum { MU, J2, HEIGHT, INCLINATION, PARAMS };
enum { NODE, HEIGHT_AFTER, OBJECTIVES };

static const double radius = 6378.137, degree = 3.14159265358979323846 / 180;

static void rhs(double t, const double *y, const double *p, double *f)
{
    const double r2 = y[X] * y[X] + y[Y] * y[Y] + y[Z] * y[Z], pull = p[MU] / (r2 * sqrt(r2));
    const double flat = 1.5 * p[J2] * radius * radius / r2, z2 = 5 * y[Z] * y[Z] / r2;
    f[X] = y[VX];
    f[Y] = y[VY];
    f[Z] = y[VZ];
    f[VX] = -pull * y[X] * (1 + flat * (1 - z2));
    f[VY] = -pull * y[Y] * (1 + flat * (1 - z2));
    f[VZ] = -pull * y[Z] * (1 + flat * (3 - z2));
}

static void init(const double *p, double *y0)
{
    const double a = radius + p[HEIGHT], speed = sqrt(p[MU] / a), tilt = p[INCLINATION] * degree;
    y0[X] = a;
    y0[Y] = 0;
    y0[Z] = 0;
    y0[VX] = 0;
    y0[VY] = speed * cos(tilt);
    y0[VZ] = speed * sin(tilt);
}

/* The node is perpendicular to the angular momentum r x v and to the axis of the Earth. */
static void terminal(double t, const double *y, const double *p, double *g)
{
    const double hx = y[Y] * y[VZ] - y[Z] * y[VY], hy = y[Z] * y[VX] - y[X] * y[VZ];
    g[NODE] = atan2(hx, -hy) / degree;
    g[HEIGHT_AFTER] = sqrt(y[X] * y[X] + y[Y] * y[Y] + y[Z] * y[Z]) - radius;
}

COSTATE_MODEL(orbit,
    .states = STATES, .params = PARAMS, .objectives = OBJECTIVES,
    .state_names = COSTATE_NAMES("x", "y", "z", "vx", "vy", "vz"),
    .param_names = COSTATE_NAMES("mu", "J2", "height", "inclination"),
    .objective_names = COSTATE_NAMES("node", "height_after"),
    .p = COSTATE_VALUES(398600.4418, 1.08263e-3, 400, 51.6), /* km3/s2, 1, km, degrees */
    .t0 = 0, .t1 = 86400, .rhs = rhs, .init = init, .terminal = terminal)
