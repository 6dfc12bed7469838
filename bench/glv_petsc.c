/* glv_petsc.c - the GLV tasks with PETSc TSAdjoint: Dormand-Prince 5(4), matrix-free Jacobians by hand, trajectory in memory with
 * its stages. The objects are made once, as Costate's solver is, and used again for every repetition. */
#include "glv_bench.h"
#include "glv_peer.h"

#include <petscts.h>
#include <stdlib.h>
#include <string.h>

typedef struct context {
    size_t n;
    const double *p;
    glv model;
    costate_problem problem;
    double *y, *s, *b; /* where the Jacobians were evaluated; growth there; scratch */
    long rhs, vjp;
} context;

static PetscErrorCode Function(TS ts, PetscReal t, Vec Y, Vec F, void *ptr)
{
    context *x = ptr;
    const PetscScalar *y;
    PetscScalar *f;
    PetscFunctionBeginUser;
    (void)ts;
    PetscCall(VecGetArrayRead(Y, &y));
    PetscCall(VecGetArrayWrite(F, &f));
    x->problem.rhs(t, y, x->p, f, x->problem.data);
    x->rhs++;
    PetscCall(VecRestoreArrayWrite(F, &f));
    PetscCall(VecRestoreArrayRead(Y, &y));
    PetscFunctionReturn(0);
}

/* Evaluating the Jacobian: the state and the growth there serve the products with all seeds. */
static PetscErrorCode Jacobian(TS ts, PetscReal t, Vec Y, Mat J, Mat B, void *ptr)
{
    context *x = ptr;
    const PetscScalar *y;
    PetscFunctionBeginUser;
    (void)ts, (void)t, (void)J, (void)B;
    PetscCall(VecGetArrayRead(Y, &y));
    memcpy(x->y, y, x->n * sizeof *y);
    glv_growth((int)x->n, x->p, x->y, x->s);
    PetscCall(VecRestoreArrayRead(Y, &y));
    PetscFunctionReturn(0);
}

static PetscErrorCode JacobianP(TS ts, PetscReal t, Vec Y, Mat J, void *ptr)
{
    PetscFunctionBeginUser; /* Jacobian was there, at the same stage */
    (void)ts, (void)t, (void)Y, (void)J, (void)ptr;
    PetscFunctionReturn(0);
}

static PetscErrorCode MultTranspose(Mat J, Vec U, Vec Out)
{
    context *x;
    const PetscScalar *u;
    PetscScalar *out;
    PetscFunctionBeginUser;
    PetscCall(MatShellGetContext(J, &x));
    PetscCall(VecGetArrayRead(U, &u));
    PetscCall(VecGetArrayWrite(Out, &out));
    peer_jacobian_transposed(x->n, x->p, x->y, x->s, u, 1, x->b, out);
    x->vjp++;
    PetscCall(VecRestoreArrayWrite(Out, &out));
    PetscCall(VecRestoreArrayRead(U, &u));
    PetscFunctionReturn(0);
}

static PetscErrorCode MultTransposeP(Mat J, Vec U, Vec Out)
{
    context *x;
    const PetscScalar *u;
    PetscScalar *out;
    PetscFunctionBeginUser;
    PetscCall(MatShellGetContext(J, &x));
    PetscCall(VecGetArrayRead(U, &u));
    PetscCall(VecGetArrayWrite(Out, &out));
    peer_parameters_transposed(x->n, x->y, u, 1, out);
    PetscCall(VecRestoreArrayWrite(Out, &out));
    PetscCall(VecRestoreArrayRead(U, &u));
    PetscFunctionReturn(0);
}

/* The stock "5dp" returns a wrong parameter gradient in PETSc 3.18: for a stage with b_i = 0 its adjoint uses the term of the
 * stage before. With b_2 = 1e-30 it takes the branch that works, at the same cost. */
static PetscErrorCode RegisterMethod(void)
{
    const PetscReal e = 1e-30;
    const PetscReal A[7][7] = {{0},
                               {1. / 5},
                               {3. / 40, 9. / 40},
                               {44. / 45, -56. / 15, 32. / 9},
                               {19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729},
                               {9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656},
                               {35. / 384, e, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84, 0}};
    const PetscReal b[7] = {35. / 384, e, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84, 0};
    const PetscReal embedded[7] = {5179. / 57600, 0, 7571. / 16695, 393. / 640, -92097. / 339200, 187. / 2100, 1. / 40};
    PetscFunctionBeginUser;
    PetscCall(TSRKRegister("dopri5", 5, 7, &A[0][0], b, NULL, embedded, 0, NULL));
    PetscFunctionReturn(0);
}

typedef struct objects {
    TS ts;
    Mat J, Jp;
    Vec Y, *lambda, *mu;
    TSTrajectory trajectory;
} objects;

static PetscErrorCode Create(context *x, const bench_case *c, objects *o)
{
    PetscInt n = c->n, np = n + n * n;
    PetscFunctionBeginUser;
    PetscCall(VecCreateSeq(PETSC_COMM_SELF, n, &o->Y));
    PetscCall(MatCreateShell(PETSC_COMM_SELF, n, n, n, n, x, &o->J));
    PetscCall(MatShellSetOperation(o->J, MATOP_MULT_TRANSPOSE, (void (*)(void))MultTranspose));
    PetscCall(MatCreateShell(PETSC_COMM_SELF, n, np, n, np, x, &o->Jp));
    PetscCall(MatShellSetOperation(o->Jp, MATOP_MULT_TRANSPOSE, (void (*)(void))MultTransposeP));
    PetscCall(TSCreate(PETSC_COMM_SELF, &o->ts));
    PetscCall(TSSetProblemType(o->ts, TS_NONLINEAR));
    PetscCall(TSSetType(o->ts, TSRK));
    PetscCall(TSRKSetType(o->ts, "dopri5"));
    PetscCall(TSSetRHSFunction(o->ts, NULL, Function, x));
    PetscCall(TSSetRHSJacobian(o->ts, o->J, o->J, Jacobian, x));
    PetscCall(TSSetRHSJacobianP(o->ts, o->Jp, JacobianP, x));
    PetscCall(TSSetMaxTime(o->ts, GLV_T1));
    PetscCall(TSSetMaxSteps(o->ts, 100000));
    PetscCall(TSSetExactFinalTime(o->ts, TS_EXACTFINALTIME_MATCHSTEP));
    PetscCall(TSSetTolerances(o->ts, c->tol, NULL, c->tol, NULL));
    PetscCall(TSSetSaveTrajectory(o->ts));
    PetscCall(TSGetTrajectory(o->ts, &o->trajectory));
    PetscCall(TSTrajectorySetType(o->trajectory, o->ts, TSTRAJECTORYMEMORY));
    PetscCall(TSTrajectorySetSolutionOnly(o->trajectory, PETSC_FALSE));
    PetscCall(VecDuplicateVecs(o->Y, c->seeds, &o->lambda));
    PetscCall(PetscMalloc1(c->seeds, &o->mu));
    for (int k = 0; k < c->seeds; k++) PetscCall(VecCreateSeq(PETSC_COMM_SELF, np, &o->mu[k]));
    PetscCall(TSSetCostGradients(o->ts, c->seeds, o->lambda, o->mu));
    PetscCall(TSSetFromOptions(o->ts));
    PetscFunctionReturn(0);
}

static PetscErrorCode Destroy(const bench_case *c, objects *o)
{
    PetscFunctionBeginUser;
    for (int k = 0; k < c->seeds; k++) PetscCall(VecDestroy(&o->mu[k]));
    PetscCall(PetscFree(o->mu));
    PetscCall(VecDestroyVecs(c->seeds, &o->lambda));
    PetscCall(TSDestroy(&o->ts));
    PetscCall(MatDestroy(&o->J));
    PetscCall(MatDestroy(&o->Jp));
    PetscCall(VecDestroy(&o->Y));
    PetscFunctionReturn(0);
}

/* Forward and adjoint; y is the final state. The adjoint run overwrites the state vector. */
static PetscErrorCode Solve(const bench_case *c, objects *o, double *y, PetscInt *steps)
{
    const PetscScalar *from;
    PetscFunctionBeginUser;
    PetscCall(VecSet(o->Y, c->y0[0]));
    PetscCall(TSSetTime(o->ts, 0));
    PetscCall(TSSetStepNumber(o->ts, 0));
    PetscCall(TSSetTimeStep(o->ts, BENCH_H0));
    PetscCall(TSSolve(o->ts, o->Y));
    PetscCall(TSGetStepNumber(o->ts, steps));
    PetscCall(VecGetArrayRead(o->Y, &from));
    memcpy(y, from, (size_t)c->n * sizeof *y);
    PetscCall(VecRestoreArrayRead(o->Y, &from));
    for (PetscInt k = 0; k < c->seeds; k++) {
        PetscCall(VecSet(o->lambda[k], c->task == 'a' ? 1 : 0));
        if (c->task == 'b') {
            PetscScalar *lambda;
            PetscCall(VecGetArray(o->lambda[k], &lambda));
            lambda[k] = 1;
            PetscCall(VecRestoreArray(o->lambda[k], &lambda));
        }
        PetscCall(VecSet(o->mu[k], 0));
    }
    PetscCall(TSAdjointSolve(o->ts));
    PetscFunctionReturn(0);
}

static PetscErrorCode Results(const bench_case *c, const objects *o, double *result)
{
    size_t n = (size_t)c->n;
    const PetscScalar *from;
    PetscFunctionBeginUser;
    for (int k = 0; k < c->seeds; k++, result += c->inputs) {
        PetscCall(VecGetArrayRead(o->lambda[k], &from));
        memcpy(result, from, n * sizeof *result);
        PetscCall(VecRestoreArrayRead(o->lambda[k], &from));
        PetscCall(VecGetArrayRead(o->mu[k], &from));
        memcpy(result + n, from, (c->inputs - n) * sizeof *result);
        PetscCall(VecRestoreArrayRead(o->mu[k], &from));
    }
    PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
    bench_case c = bench_open(argc, argv);
    size_t n = (size_t)c.n;
    double *work = bench_alloc(4 * n, sizeof *work), *result = bench_alloc(c.inputs * (size_t)c.seeds, sizeof *result);
    context x = {.n = n, .p = c.p, .model = {c.n}, .y = work + n, .s = work + 2 * n, .b = work + 3 * n};
    objects o;
    PetscInt steps = 0;
    int none = 1;
    x.problem = glv_problem(&x.model);
    PetscCall(PetscInitialize(&none, &argv, NULL, NULL));
    PetscCall(RegisterMethod());
    PetscCall(Create(&x, &c, &o));
    for (int rep = -1; rep < c.reps; rep++) {
        if (rep >= 0) PetscCall(TSTrajectoryReset(o.trajectory)); /* TSResetTrajectory would go back to writing files */
        x.rhs = x.vjp = 0;
        double began = bench_now();
        PetscCall(Solve(&c, &o, work, &steps));
        if (rep >= 0) c.times[rep] = bench_now() - began;
    }
    PetscCall(Results(&c, &o, result));
    bench_result r = {.peer = "petsc", .method = "dopri5", .y = work, .result = result, .seed_stride = c.inputs,
                      .input_stride = 1, .steps = (long)steps, .rhs = x.rhs, .vjp = x.vjp};
    bench_report(&c, &r);
    PetscCall(Destroy(&c, &o));
    PetscCall(PetscFinalize());
    free(work), free(result);
    bench_close(&c);
    return 0;
}
