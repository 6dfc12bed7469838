/* kinks */
/* Burgers' equation by finite volumes with Godunov's flux; the flux helper returns early. */
#include <costate/model.h>
typedef double PetscReal;
#define NC 40

static inline PetscReal flux(PetscReal ul, PetscReal ur)
{
    if (ul > ur) {
        if (ul + ur > 0) return 0.5 * ul * ul;
        return 0.5 * ur * ur;
    }
    if (ul > 0) return 0.5 * ul * ul;
    if (ur < 0) return 0.5 * ur * ur;
    return 0;
}

static int FormRHS(PetscReal t, const PetscReal *u, const PetscReal *p, PetscReal *f)
{
    const PetscReal h = 2.0 / NC;
    PetscReal fl, fr;

    fl = flux(u[NC - 1], u[0]);
    for (int i = 0; i < NC; i++) {
        fr = flux(u[i], u[(i + 1) % NC]);
        f[i] = (fl - fr) / h + p[0] * (u[(i + 1) % NC] - 2 * u[i] + u[(i + NC - 1) % NC]) / (h * h);
        fl = fr;
    }
    return 0;
}

static void init(const PetscReal *p, PetscReal *u)
{
    for (int i = 0; i < NC; i++) u[i] = 0.3 + p[1] * sin(M_PI * (2.0 * (i + 0.5) / NC - 1.0));
}

COSTATE_MODEL(burgers_fv, .states = NC, .params = 2, .t0 = 0, .t1 = 1, .p = COSTATE_VALUES(0.01, 1.0), .init = init,
              .rhs = FormRHS)
