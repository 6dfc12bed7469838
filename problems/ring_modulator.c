/* ring_modulator.c - an electrical circuit that mixes a low-frequency and a high-frequency signal in a ring of four diodes: 15
 * voltages and currents. E. H. Horneber, Analyse nichtlinearer RLCUE-Netzwerke (1976); `ringmod` in the Test Set for IVP
 * Solvers (Mazzia and Magherini, Bari), with Cs = 2e-12. */
#include <costate/model.h>

enum { C, CS, CP, GAMMA, DELTA, PARAMS };

static const double pi = 3.14159265358979323846;
static const double R = 25e3, Rp = 50, Lh = 4.45, Ls1 = 2e-3, Ls2 = 5e-4, Ls3 = 5e-4, Rg1 = 36.3, Rg2 = 17.3, Rg3 = 17.3, Ri = 50,
                    Rc = 600;

/* The current through a diode. */
static double diode(double voltage, const double *p)
{
    return p[GAMMA] * (exp(p[DELTA] * voltage) - 1);
}

static int rhs(double t, const double *y, const double *p, double *f)
{
    double in1 = 0.5 * sin(2e3 * pi * t), in2 = 2 * sin(2e4 * pi * t);
    double u1 = y[2] - y[4] - y[6] - in2, u2 = -y[3] + y[5] - y[6] - in2;
    double u3 = y[3] + y[4] + y[6] + in2, u4 = -y[2] - y[5] + y[6] + in2;
    if (!(p[DELTA] * fmax(fmax(u1, u2), fmax(u3, u4)) < 700)) return 1; /* the exponential would overflow */
    double q1 = diode(u1, p), q2 = diode(u2, p), q3 = diode(u3, p), q4 = diode(u4, p);

    f[0] = (y[7] - 0.5 * y[9] + 0.5 * y[10] + y[13] - y[0] / R) / p[C];
    f[1] = (y[8] - 0.5 * y[11] + 0.5 * y[12] + y[14] - y[1] / R) / p[C];
    f[2] = (y[9] - q1 + q4) / p[CS];
    f[3] = (-y[10] + q2 - q3) / p[CS];
    f[4] = (y[11] + q1 - q3) / p[CS];
    f[5] = (-y[12] - q2 + q4) / p[CS];
    f[6] = (-y[6] / Rp + q1 + q2 - q3 - q4) / p[CP];
    f[7] = -y[0] / Lh;
    f[8] = -y[1] / Lh;
    f[9] = (0.5 * y[0] - y[2] - Rg2 * y[9]) / Ls2;
    f[10] = (-0.5 * y[0] + y[3] - Rg3 * y[10]) / Ls3;
    f[11] = (0.5 * y[1] - y[4] - Rg2 * y[11]) / Ls2;
    f[12] = (-0.5 * y[1] + y[5] - Rg3 * y[12]) / Ls3;
    f[13] = (-y[0] + in1 - (Ri + Rg1) * y[13]) / Ls1;
    f[14] = (-y[1] - (Rc + Rg1) * y[14]) / Ls1;
    return 0;
}

COSTATE_MODEL(ring_modulator,
    .states = 15, .params = PARAMS, .param_names = COSTATE_NAMES("C", "Cs", "Cp", "gamma", "delta"),
    .y0 = COSTATE_VALUES(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
    .p = COSTATE_VALUES(1.6e-8, 2e-12, 1e-8, 40.67286402e-9, 17.7493332), .t0 = 0, .t1 = 1e-3, .rhs = rhs)
