/* Linear advection and a logistic source on a ring, third-order upwind-biased differences, indices by modulo. */
#include <costate/model.h>
typedef double PetscScalar;
typedef int PetscInt;
#define M 24
#define WRAP(i) (((i) % M + M) % M)

static void rhs(double t, const PetscScalar *u, const PetscScalar *ctx, PetscScalar *f)
{
    const PetscScalar a = ctx[0], r = ctx[1], hinv = M / 1.0;
    for (PetscInt i = 0; i < M; ++i) {
        PetscScalar ux = (2.0 * u[WRAP(i + 1)] + 3.0 * u[i] - 6.0 * u[WRAP(i - 1)] + u[WRAP(i - 2)]) / 6.0 * hinv;
        f[i] = -a * ux + r * u[i] * (1.0 - u[i]);
    }
}

static void init(const PetscScalar *ctx, PetscScalar *u)
{
    for (PetscInt i = 0; i < M; i++) u[i] = 0.5 + 0.25 * sin(2 * M_PI * (i + 0.5) / M) * ctx[1];
}

COSTATE_MODEL(periodic_advection, .states = M, .params = 2, .t0 = 0, .t1 = 1, .p = COSTATE_VALUES(1.0, 0.8), .init = init,
              .rhs = rhs)
