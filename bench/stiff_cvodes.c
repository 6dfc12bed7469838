/* stiff_cvodes.c - stiff problems with CVODES, tasks forward and gradient; see stiff_bench.h. BDF with Newton's method and the
 * problem's own Jacobian: method "bdf" takes dense factors, or KLU where the problem is sparse and large; "bdf-klu" takes KLU
 * wherever the pattern is sparse, and "bdf-colamd" orders it as CVODES does by default (AMD is better on all of these problems).
 * Method "adams", for what is not stiff, takes Adams formulas and functional iteration. The gradient is the continuous adjoint,
 * with tolerances rtol and 0.01 rtol, or atol_backward=1e-10 times rtol where adjoints are small, and quadratures for p outside
 * of the error test. Everything is made once, before the timing. */
#include "cvodes.h"
#include "stiff_bench.h"

#include <cvodes/cvodes.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

enum { SMALL = 100 }; /* up to this size "bdf" is dense */

typedef struct context {
    const problem *q;
    costate_problem prob;
    int adams;
    double atol_backward;   /* in units of rtol */
    int sparse;             /* the factors are KLU's */
    const int *colptr, *rowind;
    double *values;         /* of a Jacobian that is not written where it belongs */
    int *rows, *cols, *from; /* the transposed pattern, and whence its values come */
    long rhs, jac;
} context;

static double *at(N_Vector v)
{
    return N_VGetArrayPointer(v);
}

/* ---- Jacobians --------------------------------------------------------------------------------------------------------- */

/* The pattern's transpose, in the same format */
static void transpose_pattern(context *x)
{
    int n = x->prob.n, nnz = x->colptr[n];
    x->values = bench_alloc((size_t)nnz, sizeof(double));
    x->rows = bench_alloc((size_t)(n + 1 + 2 * nnz), sizeof(int)); /* starts of the rows, */
    x->cols = x->rows + n + 1;
    x->from = x->cols + nnz;
    for (int k = 0; k < nnz; k++) x->rows[x->rowind[k] + 1]++;
    for (int i = 0; i < n; i++) x->rows[i + 1] += x->rows[i];
    for (int j = 0; j < n; j++)
        for (int k = x->colptr[j]; k < x->colptr[j + 1]; k++) {
            int to = x->rows[x->rowind[k]]++;
            x->cols[to] = j;
            x->from[to] = k;
        }
    for (int i = n; i > 0; i--) x->rows[i] = x->rows[i - 1]; /* filling moved every start to the next */
    x->rows[0] = 0;
}

/* J, or -J^T, into a matrix of either kind. CVODES clears the pattern along with the values. */
static int evaluate(context *x, double t, N_Vector y, int backward, SUNMatrix J)
{
    int n = x->prob.n, direct = !backward && (x->sparse || !x->colptr);
    double *to = x->sparse ? SUNSparseMatrix_Data(J) : SUNDenseMatrix_Data(J);
    x->jac++;
    int status = x->prob.jac(t, at(y), x->q->p, direct ? to : x->values, x->prob.data);
    if (x->sparse) {
        const int *starts = backward ? x->rows : x->colptr, *rows = backward ? x->cols : x->rowind;
        sunindextype *starts_to = SUNSparseMatrix_IndexPointers(J), *rows_to = SUNSparseMatrix_IndexValues(J);
        for (int j = 0; j <= n; j++) starts_to[j] = starts[j];
        for (int k = 0; k < starts[n]; k++) rows_to[k] = rows[k];
        for (int k = 0; backward && k < starts[n]; k++) to[k] = -x->values[x->from[k]];
    } else if (!direct && !x->colptr)
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++) to[j + n * i] = -x->values[i + n * j];
    else if (!direct)
        for (int j = 0; j < n; j++)
            for (int k = x->colptr[j]; k < x->colptr[j + 1]; k++) {
                int i = x->rowind[k];
                to[backward ? j + n * i : i + n * j] = backward ? -x->values[k] : x->values[k];
            }
    return status;
}

/* ---- callbacks --------------------------------------------------------------------------------------------------------- */

static int forward(realtype t, N_Vector y, N_Vector f, void *ptr)
{
    context *x = ptr;
    x->rhs++;
    return x->prob.rhs(t, at(y), x->q->p, at(f), x->prob.data);
}

static int forward_jacobian(realtype t, N_Vector y, N_Vector f, SUNMatrix J, void *ptr, N_Vector t1, N_Vector t2, N_Vector t3)
{
    (void)f, (void)t1, (void)t2, (void)t3;
    return evaluate(ptr, t, y, 0, J);
}

/* lambda' = -f_y^T lambda */
static int backward(realtype t, N_Vector y, N_Vector lambda, N_Vector out, void *ptr)
{
    context *x = ptr;
    x->rhs++;
    N_VConst(0, out);
    int status = x->prob.vjp(t, at(y), x->q->p, 1, at(lambda), at(out), NULL, x->prob.data);
    N_VScale(-1, out, out);
    return status;
}

static int backward_jacobian(realtype t, N_Vector y, N_Vector lambda, N_Vector f, SUNMatrix J, void *ptr, N_Vector t1,
                             N_Vector t2, N_Vector t3)
{
    (void)lambda, (void)f, (void)t1, (void)t2, (void)t3;
    return evaluate(ptr, t, y, 1, J);
}

/* q' = -f_p^T lambda, so that q(t0) is the integral from t0 to t1 */
static int quadrature(realtype t, N_Vector y, N_Vector lambda, N_Vector out, void *ptr)
{
    context *x = ptr;
    N_VConst(0, out);
    int status = x->prob.vjp(t, at(y), x->q->p, 1, at(lambda), NULL, at(out), x->prob.data);
    N_VScale(-1, out, out);
    return status;
}

/* ---- runs -------------------------------------------------------------------------------------------------------------- */

typedef struct objects {
    SUNContext sun;
    void *cvodes;
    int which, backward; /* the backward problem; 1: it has been made */
    N_Vector y, atol, lambda, q;
    SUNMatrix M, MB;
    SUNLinearSolver linear, linearB; /* but for Adams, */
    SUNNonlinearSolver fixed, fixedB; /* which has these */
} objects;

static void make_linear(const context *x, const stiff_case *c, objects *o, SUNMatrix *M, SUNLinearSolver *linear)
{
    int n = x->prob.n;
    *M = x->sparse ? SUNSparseMatrix(n, n, x->colptr[n], CSC_MAT, o->sun) : SUNDenseMatrix(n, n, o->sun);
    *linear = x->sparse ? SUNLinSol_KLU(o->y, *M, o->sun) : SUNLinSol_Dense(o->y, *M, o->sun);
    if (x->sparse && strcmp(c->method, "bdf-colamd")) MUST(SUNLinSol_KLUSetOrdering(*linear, 0)); /* AMD */
}

static objects create(context *x, const stiff_case *c)
{
    objects o = {0};
    MUST(SUNContext_Create(NULL, &o.sun));
    o.y = N_VNew_Serial(x->prob.n, o.sun);
    o.atol = N_VNew_Serial(x->prob.n, o.sun);
    o.lambda = N_VNew_Serial(x->prob.n, o.sun);
    o.q = N_VNew_Serial(x->prob.np ? x->prob.np : 1, o.sun);
    memcpy(at(o.y), x->q->y0, (size_t)x->prob.n * sizeof(double));
    memcpy(at(o.atol), c->atols, (size_t)x->prob.n * sizeof(double));
    o.cvodes = CVodeCreate(x->adams ? CV_ADAMS : CV_BDF, o.sun);
    MUST(CVodeInit(o.cvodes, forward, x->q->t0, o.y));
    MUST(CVodeSVtolerances(o.cvodes, c->rtol, o.atol));
    MUST(CVodeSetUserData(o.cvodes, x));
    MUST(CVodeSetMaxNumSteps(o.cvodes, 10000000));
    MUST(CVodeSetMaxErrTestFails(o.cvodes, 50)); /* with the 7 of the default, cbm4 at rtol 1e-3 dies at sunset */
    if (x->adams) {
        o.fixed = SUNNonlinSol_FixedPoint(o.y, 0, o.sun);
        o.fixedB = SUNNonlinSol_FixedPoint(o.y, 0, o.sun);
        MUST(CVodeSetNonlinearSolver(o.cvodes, o.fixed));
    } else {
        make_linear(x, c, &o, &o.M, &o.linear);
        make_linear(x, c, &o, &o.MB, &o.linearB);
        MUST(CVodeSetLinearSolver(o.cvodes, o.linear, o.M));
        MUST(CVodeSetJacFn(o.cvodes, forward_jacobian));
    }
    if (c->task == GRADIENT) MUST(CVodeAdjInit(o.cvodes, 10000, CV_HERMITE)); /* so many steps that none is computed again */
    return o;
}

static void destroy(objects *o)
{
    CVodeFree(&o->cvodes);
    N_VDestroy(o->y), N_VDestroy(o->atol), N_VDestroy(o->lambda), N_VDestroy(o->q);
    SUNLinSolFree(o->linear), SUNLinSolFree(o->linearB);
    SUNNonlinSolFree(o->fixed), SUNNonlinSolFree(o->fixedB);
    SUNMatDestroy(o->M), SUNMatDestroy(o->MB);
    SUNContext_Free(&o->sun);
}

/* A backward problem exists only after a forward run: the first time it is made, later it starts again. */
static void start_backward(context *x, const stiff_case *c, objects *o)
{
    double one = 1;
    N_VConst(0, o->lambda);
    N_VConst(0, o->q);
    if (!x->prob.objectives) at(o->lambda)[0] = 1;
    else x->prob.terminal.vjp(0, x->q->t1, c->y, x->q->p, 1, &one, at(o->lambda), at(o->q), x->prob.data);
    if (o->backward) {
        MUST(CVodeReInitB(o->cvodes, o->which, x->q->t1, o->lambda));
        MUST(CVodeQuadReInitB(o->cvodes, o->which, o->q));
        return;
    }
    o->backward = 1;
    MUST(CVodeCreateB(o->cvodes, x->adams ? CV_ADAMS : CV_BDF, &o->which));
    MUST(CVodeInitB(o->cvodes, o->which, backward, x->q->t1, o->lambda));
    MUST(CVodeSStolerancesB(o->cvodes, o->which, c->rtol, x->atol_backward * c->rtol));
    MUST(CVodeSetUserDataB(o->cvodes, o->which, x));
    MUST(CVodeSetMaxNumStepsB(o->cvodes, o->which, 10000000));
    if (x->adams) MUST(CVodeSetNonlinearSolverB(o->cvodes, o->which, o->fixedB));
    else {
        MUST(CVodeSetLinearSolverB(o->cvodes, o->which, o->linearB, o->MB));
        MUST(CVodeSetJacFnB(o->cvodes, o->which, backward_jacobian));
    }
    MUST(CVodeQuadInitB(o->cvodes, o->which, quadrature, o->q));
}

static void solve(context *x, const stiff_case *c, objects *o)
{
    realtype t;
    int checkpoints;
    size_t n = (size_t)x->prob.n;
    memcpy(at(o->y), x->q->y0, n * sizeof(double));
    MUST(CVodeReInit(o->cvodes, x->q->t0, o->y));
    if (c->task == FORWARD) MUST(CVode(o->cvodes, x->q->t1, o->y, &t, CV_NORMAL));
    else {
        MUST(CVodeAdjReInit(o->cvodes));
        MUST(CVodeF(o->cvodes, x->q->t1, o->y, &t, CV_NORMAL, &checkpoints));
    }
    memcpy(c->y, at(o->y), n * sizeof(double));
    if (c->task == FORWARD) return;
    start_backward(x, c, o);
    MUST(CVodeB(o->cvodes, x->q->t0, CV_NORMAL));
    MUST(CVodeGetB(o->cvodes, o->which, &t, o->lambda));
    MUST(CVodeGetQuadB(o->cvodes, o->which, &t, o->q));
    memcpy(c->dy, at(o->lambda), n * sizeof(double));
    memcpy(c->dp, at(o->q), (size_t)x->prob.np * sizeof(double));
}

/* Steps are those of the forward run, as with Costate; the other counts are of both. */
static stiff_counts count(const context *x, const objects *o)
{
    stiff_counts k = {.peer = "cvodes", .linsol = x->adams ? "-" : x->sparse ? "klu" : "dense", .rhs = x->rhs, .jac = x->jac};
    long steps, fails, newton, setups;
    MUST(CVodeGetNumSteps(o->cvodes, &steps));
    MUST(CVodeGetNumErrTestFails(o->cvodes, &fails));
    k.steps = steps, k.rejected = fails;
    void *run[] = {o->cvodes, o->backward ? CVodeGetAdjCVodeBmem(o->cvodes, o->which) : NULL};
    for (int i = 0; i < 2 && run[i]; i++) {
        MUST(CVodeGetNumNonlinSolvIters(run[i], &newton));
        MUST(CVodeGetNumLinSolvSetups(run[i], &setups));
        k.solve += newton, k.factor += setups;
    }
    return k;
}

int main(int argc, char **argv)
{
    stiff_case c = stiff_open(argc, argv);
    context x = {.q = c.q, .prob = c.q->prob, .adams = !strcmp(c.method, "adams"), .atol_backward = 0.01};
    for (char **text = c.options; *text; text++)
        if (sscanf(*text, "atol_backward=%lf", &x.atol_backward) != 1) bench_give_up("no option of this program:", *text);
    if (c.task == TANGENT || c.task == ADJOINT || x.prob.pattern.format == COSTATE_BANDED) {
        fprintf(stderr, "not with CVODES: %s of %s\n", c.task_name, c.name);
        return 1;
    }
    if (x.prob.pattern.format == COSTATE_CSC) {
        x.colptr = x.prob.pattern.colptr, x.rowind = x.prob.pattern.rowind;
        x.sparse = x.prob.n > SMALL || strcmp(c.method, "bdf");
        transpose_pattern(&x);
    } else x.values = bench_alloc((size_t)x.prob.n * (size_t)x.prob.n, sizeof *x.values);
    objects o = create(&x, &c);
    for (int rep = c.reps > 1 ? -1 : 0; rep == 0 || rep < c.reps; rep++) {
        x.rhs = x.jac = 0;
        double began = bench_now();
        solve(&x, &c, &o);
        stiff_time(&c, rep, bench_now() - began);
    }
    stiff_counts counts = count(&x, &o);
    stiff_report(&c, &counts);
    destroy(&o);
    free(x.values), free(x.rows);
    stiff_close(&c);
    return 0;
}
