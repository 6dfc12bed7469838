/* kinks */
/* Longitudinal flight with lift, drag and moment by linear interpolation in tables over angle of attack and Mach number. */
#include <costate/model.h>

#define NA 7
#define NM 4
static const double alpha_grid[NA] = {-0.10, -0.05, 0.0, 0.05, 0.10, 0.15, 0.20};
static const double mach_grid[NM] = {0.2, 0.4, 0.6, 0.8};
static const double CL[NM][NA] = {{-0.35, -0.08, 0.20, 0.48, 0.75, 0.98, 1.05},
                                  {-0.37, -0.08, 0.21, 0.50, 0.78, 1.00, 1.04},
                                  {-0.40, -0.09, 0.23, 0.54, 0.83, 1.02, 1.02},
                                  {-0.46, -0.10, 0.26, 0.61, 0.90, 1.03, 0.98}};
static const double CD[NM][NA] = {{0.030, 0.022, 0.020, 0.027, 0.044, 0.075, 0.130},
                                  {0.031, 0.022, 0.020, 0.028, 0.046, 0.079, 0.138},
                                  {0.034, 0.023, 0.021, 0.030, 0.051, 0.090, 0.155},
                                  {0.044, 0.030, 0.027, 0.040, 0.070, 0.125, 0.200}};

static int bracket(const double *grid, int n, double x)
{
    int i;
    for (i = 0; i < n - 2; i++)
        if (x < grid[i + 1]) break;
    return i;
}

static double lookup(const double table[NM][NA], double mach, double alpha)
{
    int i = bracket(mach_grid, NM, mach), j = bracket(alpha_grid, NA, alpha);
    double u = (mach - mach_grid[i]) / (mach_grid[i + 1] - mach_grid[i]);
    double v = (alpha - alpha_grid[j]) / (alpha_grid[j + 1] - alpha_grid[j]);
    return (1 - u) * ((1 - v) * table[i][j] + v * table[i][j + 1]) + u * ((1 - v) * table[i + 1][j] + v * table[i + 1][j + 1]);
}

enum { SPEED, GAMMA_, PITCH, RATE, HEIGHT };

static void rhs(double t, const double *y, const double *p, double *f)
{
    const double V = y[SPEED], gam = y[GAMMA_], q = y[RATE], h = y[HEIGHT], alpha = y[PITCH] - gam;
    const double m = p[0], S = p[1], Iy = p[2], thrust = p[3], elevator = p[4];
    const double rho = 1.225 * pow(1.0 - 2.2558e-5 * h, 4.2559), a = 340.3 - 0.0041 * h;
    const double qS = 0.5 * rho * V * V * S;
    const double lift = qS * lookup(CL, V / a, alpha), drag = qS * lookup(CD, V / a, alpha);
    const double moment = qS * 3.0 * (0.05 - 0.8 * alpha - 1.1 * elevator - 12.0 * q * 3.0 / (2.0 * V));

    f[SPEED] = (thrust * cos(alpha) - drag) / m - 9.81 * sin(gam);
    f[GAMMA_] = (thrust * sin(alpha) + lift) / (m * V) - 9.81 / V * cos(gam);
    f[PITCH] = q;
    f[RATE] = moment / Iy;
    f[HEIGHT] = V * sin(gam);
}

COSTATE_MODEL(aircraft, .states = 5, .params = 5, .t0 = 0, .t1 = 10, .y0 = COSTATE_VALUES(170.0, 0.03, 0.11, 0.02, 3000.0),
    .p = COSTATE_VALUES(9000.0, 27.0, 55000.0, 25000.0, -0.04), .rhs = rhs)
