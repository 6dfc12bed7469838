/* kinks */
/* Three machines with exciters behind a reduced network, a fault that is on between two times, saturation by exponentials. */
#include <costate/model.h>

typedef double PetscScalar;
typedef double PetscReal;
typedef int PetscInt;
#define ngen 3

static const PetscScalar H[ngen] = {23.64, 6.4, 3.01}, Xd[ngen] = {0.146, 0.8958, 1.3125}, Xdp[ngen] = {0.0608, 0.1198, 0.1813};
static const PetscScalar Xq[ngen] = {0.4360, 0.8645, 1.2578}, Xqp[ngen] = {0.0969, 0.1969, 0.25};
static const PetscScalar Td0p[ngen] = {8.96, 6.0, 5.89}, Tq0p[ngen] = {0.31, 0.535, 0.6};
static const PetscScalar KA[ngen] = {20.0, 20.0, 20.0}, TA[ngen] = {0.2, 0.2, 0.2}, Vref[ngen] = {1.12, 1.05, 1.04};
static const PetscScalar G0[3][3] = {{0.846, 0.287, 0.210}, {0.287, 0.420, 0.213}, {0.210, 0.213, 0.277}};
static const PetscScalar B0[3][3] = {{-2.988, 1.513, 1.226}, {1.513, -2.724, 1.088}, {1.226, 1.088, -2.368}};
static const PetscReal tfaulton = 0.02, tfaultoff = 0.05, w_s = 376.99111843;

static int IFunction(PetscReal t, const PetscScalar *X, const PetscScalar *p, PetscScalar *F)
{
    PetscScalar Ire[ngen], Iim[ngen], Ere[ngen], Eim[ngen];
    const PetscScalar shunt = t > tfaulton && t < tfaultoff ? p[2 * ngen] : 0.0;
    PetscInt i, k, idx = 0;

    for (i = 0; i < ngen; i++, idx += 5) {
        const PetscScalar Eqp = X[idx], Edp = X[idx + 1], delta = X[idx + 2];
        Ere[i] = Edp * sin(delta) + Eqp * cos(delta);
        Eim[i] = -Edp * cos(delta) + Eqp * sin(delta);
    }
    for (i = 0; i < ngen; i++) {
        Ire[i] = Iim[i] = 0.0;
        for (k = 0; k < ngen; k++) {
            const PetscScalar g = G0[i][k] + (i == 1 && k == 1 ? shunt : 0.0);
            Ire[i] += g * Ere[k] - B0[i][k] * Eim[k];
            Iim[i] += B0[i][k] * Ere[k] + g * Eim[k];
        }
    }
    for (i = 0, idx = 0; i < ngen; i++, idx = idx + 5) {
        PetscScalar Eqp, Edp, delta, w, Efd, Id, Iq, SE, Vm;

        Eqp = X[idx]; Edp = X[idx + 1]; delta = X[idx + 2]; w = X[idx + 3]; Efd = X[idx + 4];
        Id = Ire[i] * sin(delta) - Iim[i] * cos(delta);
        Iq = Ire[i] * cos(delta) + Iim[i] * sin(delta);
        Vm = sqrt((Eqp - Xdp[i] * Id) * (Eqp - Xdp[i] * Id) + (Edp + Xqp[i] * Iq) * (Edp + Xqp[i] * Iq));
        SE = 0.0039 * exp(1.555 * Efd);

        F[idx] = (-Eqp - (Xd[i] - Xdp[i]) * Id + Efd) / Td0p[i];
        F[idx + 1] = (-Edp + (Xq[i] - Xqp[i]) * Iq) / Tq0p[i];
        F[idx + 2] = w - w_s;
        F[idx + 3] = (p[i] - Edp * Id - Eqp * Iq - (Xqp[i] - Xdp[i]) * Id * Iq - p[ngen + i] * (w - w_s)) / (2.0 * H[i] / w_s);
        F[idx + 4] = (-(1.0 + SE) * Efd + KA[i] * (Vref[i] - Vm)) / TA[i];
    }
    return 0;
}

COSTATE_MODEL(power_grid, .states = 5 * ngen, .params = 2 * ngen + 1, .t0 = 0.02, .t1 = 0.04,
    .y0 = COSTATE_VALUES(1.05, 0.1, 0.06, 377.1, 1.08, 0.79, 0.62, 1.06, 376.9, 1.79, 0.77, 0.62, 0.94, 377.2, 1.4),
    .p = COSTATE_VALUES(0.71, 1.63, 0.85, 0.01, 0.012, 0.02, 5.0), .rhs = IFunction)
