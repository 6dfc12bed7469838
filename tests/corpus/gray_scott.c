/* Gray-Scott reaction-diffusion on a periodic square: a Field struct laid over the state vector. */
#include <costate/model.h>

typedef double PetscScalar;
typedef double PetscReal;
typedef int PetscInt;
#define Mx 6
#define My 5

typedef struct {
    PetscScalar u, v;
} Field;

static int RHSFunction(PetscReal ftime, const PetscScalar *y, const PetscScalar *appctx, PetscScalar *out)
{
    const Field *u = (const Field *)y;
    Field *f = (Field *)out;
    PetscReal hx, hy, sx, sy;
    PetscScalar uc, uxx, uyy, vc, vxx, vyy;
    const PetscScalar D1 = appctx[0], D2 = appctx[1], gamma = appctx[2], kappa = appctx[3];

    hx = 2.50 / (PetscReal)Mx;
    sx = 1.0 / (hx * hx);
    hy = 2.50 / (PetscReal)My;
    sy = 1.0 / (hy * hy);

    for (PetscInt j = 0; j < My; j++) {
        for (PetscInt i = 0; i < Mx; i++) {
            const PetscInt c = j * Mx + i;
            const PetscInt e = j * Mx + (i + 1) % Mx, w = j * Mx + (i + Mx - 1) % Mx;
            const PetscInt n = ((j + 1) % My) * Mx + i, s = ((j + My - 1) % My) * Mx + i;
            uc = u[c].u;
            uxx = (-2.0 * uc + u[w].u + u[e].u) * sx;
            uyy = (-2.0 * uc + u[s].u + u[n].u) * sy;
            vc = u[c].v;
            vxx = (-2.0 * vc + u[w].v + u[e].v) * sx;
            vyy = (-2.0 * vc + u[s].v + u[n].v) * sy;
            f[c].u = D1 * (uxx + uyy) - uc * vc * vc + gamma * (1.0 - uc);
            f[c].v = D2 * (vxx + vyy) + uc * vc * vc - (gamma + kappa) * vc;
        }
    }
    return 0;
}

static void InitialConditions(const PetscScalar *appctx, PetscScalar *out)
{
    Field *u = (Field *)out;
    for (PetscInt j = 0; j < My; j++)
        for (PetscInt i = 0; i < Mx; i++) {
            PetscReal x = i * 2.5 / Mx, y = j * 2.5 / My;
            u[j * Mx + i].v = 0.25 * pow(sin(4.0 * x), 2.0) * pow(sin(4.0 * y), 2.0) + 0.1;
            u[j * Mx + i].u = 1.0 - 2.0 * u[j * Mx + i].v;
        }
}

COSTATE_MODEL(gray_scott, .states = 2 * Mx * My, .params = 4, .t0 = 0, .t1 = 2, .p = COSTATE_VALUES(8.0e-5, 4.0e-5, 0.024, 0.06),
    .init = InitialConditions, .rhs = RHSFunction)
