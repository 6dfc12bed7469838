/* Drive train and induction generator of a wind turbine: power coefficient by exponentials, many intermediate scalars. */
#include <costate/model.h>
typedef double PetscScalar;
typedef double PetscReal;

static const PetscReal Sbase = 100.0, Rotor = 40.0, rho = 1.225;

static PetscScalar PowerCoefficient(PetscScalar lambda, PetscScalar pitch)
{
    PetscScalar li = 1.0 / (1.0 / (lambda + 0.08 * pitch) - 0.035 / (pitch * pitch * pitch + 1.0));
    return 0.22 * (116.0 / li - 0.4 * pitch - 5.0) * exp(-12.5 / li);
}

static int WindTurbine(PetscReal t, const PetscScalar *x, const PetscScalar *p, PetscScalar *f)
{
    const PetscScalar Vw = x[0], wt = x[1], theta = x[2], wr = x[3], psids = x[4], psiqs = x[5], pitch = x[6];
    const PetscScalar Ht = p[0], Hg = p[1], Ktg = p[2], Dtg = p[3], Rs = p[4], Xm = p[5], Xs = p[6], Tp = p[7], Tw = p[8];
    PetscScalar lambda, Cp, Pw, Tm, Tsh, ids, iqs, Te, gust;

    gust = 12.0 + 2.0 * sin(0.5 * t) * exp(-0.1 * t);
    lambda = wt * 0.9 * Rotor / Vw;
    Cp = PowerCoefficient(lambda, pitch);
    Pw = 0.5 * rho * Cp * M_PI * Rotor * Rotor * Vw * Vw * Vw / (Sbase * 1e6);
    Tm = Pw / wt;
    Tsh = Ktg * theta + Dtg * (wt - wr);
    ids = psids / (Xs + Xm);
    iqs = psiqs / (Xs + Xm);
    Te = Xm / (Xs + Xm) * (psiqs * ids * 1.02 - psids * iqs * 0.98);

    f[0] = (gust - Vw) / Tw;
    f[1] = (Tm - Tsh) / (2.0 * Ht);
    f[2] = 376.9 * (wt - wr);
    f[3] = (Tsh - Te) / (2.0 * Hg);
    f[4] = 376.9 * (-Rs * ids + psiqs + 0.2 * wr);
    f[5] = 376.9 * (-Rs * iqs - psids + 1.0);
    f[6] = (10.0 * (wr - 1.0) - pitch) / Tp;
    return 0;
}

COSTATE_MODEL(wind_turbine, .states = 7, .params = 9, .t0 = 0, .t1 = 1, .y0 = COSTATE_VALUES(11.5, 1.8, 0.3, 1.1, 0.9, -0.1, 1.5),
    .p = COSTATE_VALUES(4.0, 0.9, 0.6, 1.5, 0.01, 3.5, 0.15, 10.0, 4.0), .rhs = WindTurbine)
