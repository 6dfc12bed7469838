/* glv_cvodes.c - the GLV tasks with CVODES: continuous adjoint, products by hand. Method "adams" (the default: functional
 * iteration) or "bdf" (Newton with dense Jacobians). Task b solves its N backward problems one after the other, which keeps one
 * history of the parameter quadratures instead of N. Timing begins with the forward solve, after everything has been made. */
#include "cvodes.h"
#include "glv_bench.h"
#include "glv_peer.h"

#include <cvodes/cvodes.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

typedef struct context {
    size_t n;
    const double *p;
    glv model;
    costate_problem problem;
    double *s, *b; /* growth; scratch */
    long rhs, vjp;
} context;

static int forward(realtype t, N_Vector y, N_Vector f, void *ptr)
{
    context *x = ptr;
    x->rhs++;
    return x->problem.rhs(t, N_VGetArrayPointer(y), x->p, N_VGetArrayPointer(f), x->problem.data);
}

static int forward_jacobian(realtype t, N_Vector Y, N_Vector f, SUNMatrix J, void *ptr, N_Vector t1, N_Vector t2, N_Vector t3)
{
    context *x = ptr;
    size_t n = x->n;
    const double *y = N_VGetArrayPointer(Y), *A = x->p + n;
    (void)t, (void)f, (void)t1, (void)t2, (void)t3;
    glv_growth((int)n, x->p, y, x->s);
    for (size_t j = 0; j < n; j++) {
        double *column = SUNDenseMatrix_Column(J, (sunindextype)j);
        for (size_t i = 0; i < n; i++) column[i] = y[i] * A[i * n + j];
        column[j] += x->s[j];
    }
    return 0;
}

/* lambda' = -f_y^T lambda */
static int backward(realtype t, N_Vector Y, N_Vector lambda, N_Vector out, void *ptr)
{
    context *x = ptr;
    const double *y = N_VGetArrayPointer(Y);
    (void)t;
    glv_growth((int)x->n, x->p, y, x->s);
    peer_jacobian_transposed(x->n, x->p, y, x->s, N_VGetArrayPointer(lambda), -1, x->b, N_VGetArrayPointer(out));
    x->vjp++;
    return 0;
}

static int backward_jacobian(realtype t, N_Vector Y, N_Vector lambda, N_Vector f, SUNMatrix J, void *ptr, N_Vector t1,
                             N_Vector t2, N_Vector t3)
{
    context *x = ptr;
    size_t n = x->n;
    const double *y = N_VGetArrayPointer(Y), *A = x->p + n;
    (void)t, (void)lambda, (void)f, (void)t1, (void)t2, (void)t3;
    glv_growth((int)n, x->p, y, x->s);
    for (size_t i = 0; i < n; i++) { /* column i of -f_y^T is minus row i of f_y */
        double *column = SUNDenseMatrix_Column(J, (sunindextype)i);
        for (size_t j = 0; j < n; j++) column[j] = -y[i] * A[i * n + j];
        column[i] -= x->s[i];
    }
    return 0;
}

/* q' = -f_p^T lambda, so that q(0) is the integral from 0 to t1 */
static int quadrature(realtype t, N_Vector y, N_Vector lambda, N_Vector out, void *ptr)
{
    context *x = ptr;
    (void)t;
    peer_parameters_transposed(x->n, N_VGetArrayPointer(y), N_VGetArrayPointer(lambda), -1, N_VGetArrayPointer(out));
    return 0;
}

typedef struct objects {
    SUNContext sun;
    void *cvodes;
    int bdf, method, which; /* which: the backward problem */
    N_Vector y, lambda, q;
    SUNMatrix M, MB;
    SUNLinearSolver linear, linearB;
    SUNNonlinearSolver nonlinear, nonlinearB;
} objects;

static objects create(context *x, const bench_case *c)
{
    objects o = {.bdf = c->method && !strcmp(c->method, "bdf")};
    o.method = o.bdf ? CV_BDF : CV_ADAMS;
    MUST(SUNContext_Create(NULL, &o.sun));
    o.y = N_VNew_Serial(c->n, o.sun);
    o.lambda = N_VNew_Serial(c->n, o.sun);
    o.q = N_VNew_Serial((sunindextype)(c->inputs - x->n), o.sun);
    memcpy(N_VGetArrayPointer(o.y), c->y0, x->n * sizeof(double));
    o.cvodes = CVodeCreate(o.method, o.sun);
    MUST(CVodeInit(o.cvodes, forward, 0, o.y));
    MUST(CVodeSStolerances(o.cvodes, c->tol, c->tol));
    MUST(CVodeSetUserData(o.cvodes, x));
    MUST(CVodeSetMaxNumSteps(o.cvodes, 100000));
    if (o.bdf) {
        o.M = SUNDenseMatrix(c->n, c->n, o.sun);
        o.MB = SUNDenseMatrix(c->n, c->n, o.sun);
        o.linear = SUNLinSol_Dense(o.y, o.M, o.sun);
        o.linearB = SUNLinSol_Dense(o.lambda, o.MB, o.sun);
        MUST(CVodeSetLinearSolver(o.cvodes, o.linear, o.M));
        MUST(CVodeSetJacFn(o.cvodes, forward_jacobian));
    } else {
        o.nonlinear = SUNNonlinSol_FixedPoint(o.y, 0, o.sun);
        o.nonlinearB = SUNNonlinSol_FixedPoint(o.lambda, 0, o.sun);
        MUST(CVodeSetNonlinearSolver(o.cvodes, o.nonlinear));
    }
    MUST(CVodeAdjInit(o.cvodes, 1000, CV_HERMITE));
    return o;
}

static void destroy(objects *o)
{
    CVodeFree(&o->cvodes);
    N_VDestroy(o->y), N_VDestroy(o->lambda), N_VDestroy(o->q);
    if (o->bdf) {
        SUNLinSolFree(o->linear), SUNLinSolFree(o->linearB);
        SUNMatDestroy(o->M), SUNMatDestroy(o->MB);
    } else SUNNonlinSolFree(o->nonlinear), SUNNonlinSolFree(o->nonlinearB);
    SUNContext_Free(&o->sun);
}

/* A backward problem exists only after a forward run: the first one is made, the others start it again. */
static void start_backward(context *x, const bench_case *c, objects *o, int k)
{
    double *lambda = N_VGetArrayPointer(o->lambda);
    for (int i = 0; i < c->n; i++) lambda[i] = c->task == 'a' || i == k;
    N_VConst(0, o->q);
    if (k > 0) {
        MUST(CVodeReInitB(o->cvodes, o->which, GLV_T1, o->lambda));
        MUST(CVodeQuadReInitB(o->cvodes, o->which, o->q));
        return;
    }
    MUST(CVodeCreateB(o->cvodes, o->method, &o->which));
    MUST(CVodeInitB(o->cvodes, o->which, backward, GLV_T1, o->lambda));
    MUST(CVodeSStolerancesB(o->cvodes, o->which, c->tol, c->tol));
    MUST(CVodeSetUserDataB(o->cvodes, o->which, x));
    MUST(CVodeSetMaxNumStepsB(o->cvodes, o->which, 100000));
    if (o->bdf) {
        MUST(CVodeSetLinearSolverB(o->cvodes, o->which, o->linearB, o->MB));
        MUST(CVodeSetJacFnB(o->cvodes, o->which, backward_jacobian));
    } else MUST(CVodeSetNonlinearSolverB(o->cvodes, o->which, o->nonlinearB));
    MUST(CVodeQuadInitB(o->cvodes, o->which, quadrature, o->q));
}

static void solve(context *x, const bench_case *c, objects *o, double *y, double *result)
{
    realtype t;
    int checkpoints;
    size_t n = x->n;
    MUST(CVodeF(o->cvodes, GLV_T1, o->y, &t, CV_NORMAL, &checkpoints));
    memcpy(y, N_VGetArrayPointer(o->y), n * sizeof *y);
    for (int k = 0; k < c->seeds; k++, result += c->inputs) {
        start_backward(x, c, o, k);
        MUST(CVodeB(o->cvodes, 0, CV_NORMAL));
        MUST(CVodeGetB(o->cvodes, o->which, &t, o->lambda));
        MUST(CVodeGetQuadB(o->cvodes, o->which, &t, o->q));
        memcpy(result, N_VGetArrayPointer(o->lambda), n * sizeof *result);
        memcpy(result + n, N_VGetArrayPointer(o->q), (c->inputs - n) * sizeof *result);
    }
}

int main(int argc, char **argv)
{
    bench_case c = bench_open(argc, argv);
    size_t n = (size_t)c.n;
    double *work = bench_alloc(3 * n, sizeof *work), *result = bench_alloc(c.inputs * (size_t)c.seeds, sizeof *result);
    context x = {.n = n, .p = c.p, .model = {c.n}, .s = work + n, .b = work + 2 * n};
    long steps = 0;
    x.problem = glv_problem(&x.model);
    for (int rep = -1; rep < c.reps; rep++) {
        x.rhs = x.vjp = 0;
        objects o = create(&x, &c);
        double began = bench_now();
        solve(&x, &c, &o, work, result);
        if (rep >= 0) c.times[rep] = bench_now() - began;
        MUST(CVodeGetNumSteps(o.cvodes, &steps));
        destroy(&o);
    }
    bench_result r = {.peer = "cvodes", .method = c.method ? c.method : "adams", .y = work, .result = result,
                      .seed_stride = c.inputs, .input_stride = 1, .steps = steps, .rhs = x.rhs, .vjp = x.vjp};
    bench_report(&c, &r);
    free(work), free(result);
    bench_close(&c);
    return 0;
}
