/* dae_idas.c - differential-algebraic problems with IDAS; see dae_bench.h. The system is F = M v - f(t, y, p), M a diagonal with
 * ones and zeros; right-hand side and products are the generated ones, Jacobians by hand. Method "dense" or "klu" (ordered by
 * AMD). Options: hermite=1 (polynomial interpolation otherwise), quad=0 (quadratures not in the error test), and in units of
 * rtol atol_backward=x (0.01), atol_quad=x (0.01).
 *
 * The continuous adjoint of objective o, for all objectives in one backward run, IDAS's way:
 *
 *     M lambda' + f_y^T lambda + r_y^T = 0
 *     dg/dp = [terminal part] + integral of f_p^T lambda + r_p^T,   dg/dd(0) = lambda_d(0)
 *
 * d being the states with a mass, a those without, and h their equations 0 = h. At t1 (Cao, Li, Petzold, Serban 2003, 4.1)
 *
 *     h_a^T x_a = g_a^T,   lambda_d = g_d^T - h_d^T x_a,   terminal part g_p^T - h_p^T x_a
 *     h_a^T lambda_a = -f_a^T lambda_d - r_a^T
 *
 * Everything is made once, before the timing, and starts again for every repetition. */
#include "cvodes.h"
#include "dae_bench.h"

#include <idas/idas.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>

enum { GOALS = 2 };

typedef struct context context;

typedef struct goal { /* an objective's backward problem */
    context *x;
    int which;
    double weight[GOALS];
    N_Vector lambda, slope, q;
    SUNMatrix M;
    SUNLinearSolver solver;
} goal;

struct context {
    const dae_case *c;
    const double *p;
    double *mass;            /* n */
    int *colptr, *rowind;    /* of f_y with the diagonal */
    int *rows, *cols, *from; /* transposed, and whence its values come */
    double *values;          /* f_y */
    int hermite, quad, dense;
    double atol_backward, atol_quad;
    SUNContext sun;
    N_Vector y, slope, atol, id;
    SUNMatrix M, A; /* A: [I 0; h_d h_a]^T */
    SUNLinearSolver solver, solverA;
    void *ida;   /* with adjoints, */
    void *plain; /* and without */
    int ready;   /* there are backward problems */
    goal goal[GOALS];
};

static double *at(N_Vector v)
{
    return N_VGetArrayPointer(v);
}

/* ---- Jacobians --------------------------------------------------------------------------------------------------------- */

static double robertson(const double *y, const double *k, int i, int j)
{
    const double of[3][3] = {{-k[0], k[1] * y[2], k[1] * y[1]}, {k[0], -k[1] * y[2] - 2 * k[2] * y[1], -k[1] * y[1]}, {1, 1, 1}};
    return of[i][j];
}

static double heat(const double *y, const double *p, int i, int j)
{
    enum { SIDE = 42 };
    const double scale = 41.0 * 41.0;
    const int inner = i % SIDE > 0 && i % SIDE < SIDE - 1 && i / SIDE > 0 && i / SIDE < SIDE - 1;
    (void)y;
    if (!inner) return i == j;
    return i == j ? -2 * scale * (p[0] + p[1]) : scale * p[abs(i - j) == 1 ? 0 : 1];
}

static double food_web(const double *c, const double *p, int i, int j)
{
    enum { M = 20 };
    static double waves[M * M]; /* sin sin */
    const double pi = 3.14159265358979323846, grid = (M - 1.0) * (M - 1.0);
    const int k = i / 2, x = k % M, z = k / M, species = i % 2;
    if (waves[M + 1] == 0)
        for (int m = 0; m < M * M; m++) waves[m] = sin(4 * pi * (m % M) / (M - 1.0)) * sin(4 * pi * (m / M) / (M - 1.0));
    if (j / 2 != k) { /* a neighbour, twice where it is mirrored */
        const int along = abs(j / 2 - k) == 1, edge = along ? x == 0 || x == M - 1 : z == 0 || z == M - 1;
        return (species ? 0.05 : 1) * grid * (edge ? 2 : 1);
    }
    const double b = 1 + p[0] * x / (M - 1.0) * z / (M - 1.0) + p[1] * waves[k], prey = c[2 * k], predators = c[2 * k + 1];
    if (i != j) return species ? 1e4 * predators : -0.5e-6 * prey;
    return species ? -b + 1e4 * prey - 2 * predators - 0.05 * 4 * grid : b - 2 * prey - 0.5e-6 * predators - 4 * grid;
}

static void evaluate(context *x, const double *y)
{
    const char *name = x->c->of->name;
    double (*entry)(const double *, const double *, int, int) = *name == 'r' ? robertson : *name == 'h' ? heat : food_web;
    for (int j = 0; j < x->c->n; j++)
        for (int k = x->colptr[j]; k < x->colptr[j + 1]; k++) x->values[k] = entry(y, x->p, x->rowind[k], j);
}

/* f_y's pattern with the diagonal, by columns and by rows */
static void make_pattern(context *x)
{
    const costate_pattern *q = &x->c->q->pattern;
    const int n = x->c->n, most = q->format == COSTATE_CSC ? q->colptr[n] + n : n * n;
    x->values = bench_alloc((size_t)most, sizeof(double));
    x->colptr = bench_alloc((size_t)(2 * (n + 2) + 3 * most), sizeof(int));
    x->rows = x->colptr + n + 1;
    x->rowind = x->rows + n + 2;
    x->cols = x->rowind + most;
    x->from = x->cols + most;
    int k = 0;
    for (int j = 0; j < n; j++) {
        int own = 0;
        const int first = q->format == COSTATE_CSC ? q->colptr[j] : 0, end = q->format == COSTATE_CSC ? q->colptr[j + 1] : n;
        for (int m = first; m < end; m++) {
            const int i = q->format == COSTATE_CSC ? q->rowind[m] : m;
            if (i > j && !own) x->rowind[k++] = j, own = 1;
            own |= i == j;
            x->rowind[k++] = i;
        }
        if (!own) x->rowind[k++] = j;
        x->colptr[j + 1] = k;
    }
    for (int m = 0; m < k; m++) x->rows[x->rowind[m] + 1]++;
    for (int i = 0; i < n; i++) x->rows[i + 1] += x->rows[i];
    for (int j = 0; j < n; j++)
        for (int m = x->colptr[j]; m < x->colptr[j + 1]; m++) {
            const int to = x->rows[x->rowind[m]]++;
            x->cols[to] = j;
            x->from[to] = m;
        }
    for (int i = n; i > 0; i--) x->rows[i] = x->rows[i - 1];
    x->rows[0] = 0;
}

/* cj M + sign f_y, or f_y^T; algebraic: [I 0; h_d h_a]^T instead */
static int fill(context *x, const double *y, SUNMatrix J, double cj, double sign, int transposed, int algebraic)
{
    const int n = x->c->n, *begin = transposed ? x->rows : x->colptr, *index = transposed ? x->cols : x->rowind;
    evaluate(x, y);
    if (x->dense) SUNMatZero(J);
    for (int j = 0; j < n; j++)
        for (int k = begin[j]; k < begin[j + 1]; k++) {
            const int i = index[k], equation = transposed ? j : i;
            double value = sign * x->values[transposed ? x->from[k] : k] + (i == j ? cj * x->mass[j] : 0);
            if (algebraic && x->mass[equation] != 0) value = i == j;
            if (x->dense) SM_ELEMENT_D(J, i, j) = value;
            else SM_DATA_S(J)[k] = value, SM_INDEXVALS_S(J)[k] = i;
        }
    for (int j = 0; !x->dense && j <= n; j++) SM_INDEXPTRS_S(J)[j] = begin[j];
    return 0;
}

/* ---- what IDAS calls ---------------------------------------------------------------------------------------------------- */

static int forward(realtype t, N_Vector y, N_Vector v, N_Vector r, void *data)
{
    const context *x = data;
    x->c->q->rhs(t, at(y), x->p, at(r), x->c->q->data);
    for (int i = 0; i < x->c->n; i++) at(r)[i] = x->mass[i] * at(v)[i] - at(r)[i];
    return 0;
}

static int forward_jacobian(realtype t, realtype cj, N_Vector y, N_Vector v, N_Vector r, SUNMatrix J, void *data, N_Vector a,
                            N_Vector b, N_Vector c)
{
    (void)t, (void)v, (void)r, (void)a, (void)b, (void)c;
    return fill(data, at(y), J, cj, -1, 0, 0);
}

static int backward(realtype t, N_Vector y, N_Vector v, N_Vector l, N_Vector lp, N_Vector r, void *data)
{
    const goal *g = data;
    const context *x = g->x;
    const costate_problem *q = x->c->q;
    (void)v;
    for (int i = 0; i < x->c->n; i++) at(r)[i] = x->mass[i] * at(lp)[i];
    q->vjp(t, at(y), x->p, 1, at(l), at(r), NULL, q->data);
    if (q->running.vjp) q->running.vjp(0, t, at(y), x->p, 1, g->weight, at(r), NULL, q->data);
    return 0;
}

static int backward_jacobian(realtype t, realtype cj, N_Vector y, N_Vector v, N_Vector l, N_Vector lp, N_Vector r, SUNMatrix J,
                             void *data, N_Vector a, N_Vector b, N_Vector c)
{
    (void)t, (void)v, (void)l, (void)lp, (void)r, (void)a, (void)b, (void)c;
    return fill(((goal *)data)->x, at(y), J, cj, 1, 1, 0);
}

static int quadrature(realtype t, N_Vector y, N_Vector v, N_Vector l, N_Vector lp, N_Vector rate, void *data)
{
    const goal *g = data;
    const context *x = g->x;
    const costate_problem *q = x->c->q;
    (void)v, (void)lp;
    N_VConst(0, rate);
    q->vjp(t, at(y), x->p, 1, at(l), NULL, at(rate), q->data);
    if (q->running.vjp) q->running.vjp(0, t, at(y), x->p, 1, g->weight, NULL, at(rate), q->data);
    N_VScale(-1, rate, rate); /* the run goes from t1 to t0 */
    return 0;
}

/* ---- making ------------------------------------------------------------------------------------------------------------- */

static void linear_solver(const context *x, SUNMatrix *M, SUNLinearSolver *s)
{
    const int n = x->c->n;
    if (x->dense) {
        *M = SUNDenseMatrix(n, n, x->sun);
        *s = SUNLinSol_Dense(x->y, *M, x->sun);
        return;
    }
    *M = SUNSparseMatrix(n, n, x->colptr[n], CSC_MAT, x->sun);
    *s = SUNLinSol_KLU(x->y, *M, x->sun);
    MUST(SUNLinSol_KLUSetOrdering(*s, 0)); /* AMD */
}

static void *make_run(context *x, SUNMatrix *M, SUNLinearSolver *s)
{
    void *ida = IDACreate(x->sun);
    MUST(IDAInit(ida, forward, x->c->about.t0, x->y, x->slope));
    MUST(IDASVtolerances(ida, x->c->rtol, x->atol));
    MUST(IDASetUserData(ida, x));
    MUST(IDASetMaxNumSteps(ida, 10000000));
    MUST(IDASetId(ida, x->id));
    linear_solver(x, M, s);
    MUST(IDASetLinearSolver(ida, *s, *M));
    MUST(IDASetJacFn(ida, forward_jacobian));
    return ida;
}

static void make(context *x)
{
    const int n = x->c->n;
    MUST(SUNContext_Create(NULL, &x->sun));
    x->y = N_VNew_Serial(n, x->sun);
    x->slope = N_VClone(x->y), x->atol = N_VClone(x->y), x->id = N_VClone(x->y);
    memcpy(at(x->atol), x->c->atols, (size_t)n * sizeof(double));
    memcpy(at(x->id), x->mass, (size_t)n * sizeof(double));
    N_VConst(0, x->y), N_VConst(0, x->slope);
    SUNMatrix M;
    SUNLinearSolver s;
    x->plain = make_run(x, &M, &s); /* which it keeps to the end of the program */
    x->ida = make_run(x, &x->M, &x->solver);
    linear_solver(x, &x->A, &x->solverA);
    MUST(SUNLinSolInitialize(x->solverA));
    MUST(IDAAdjInit(x->ida, 100000, x->hermite ? IDA_HERMITE : IDA_POLYNOMIAL)); /* no step is computed again */
    for (int o = 0; o < x->c->goals; o++) {
        goal *g = &x->goal[o];
        g->x = x;
        g->weight[o] = 1;
        g->lambda = N_VClone(x->y), g->slope = N_VClone(x->y);
        g->q = N_VNew_Serial(x->c->np, x->sun);
    }
}

/* ---- a run -------------------------------------------------------------------------------------------------------------- */

/* A x = b, of algebraic states alone and what they do to the others */
static void solve_algebraic(context *x, N_Vector b, N_Vector out)
{
    MUST(SUNLinSolSolve(x->solverA, x->A, out, b, 0));
}

/* lambda and its slope at t1, and the terminal part */
static void start_goal(context *x, goal *g, N_Vector b)
{
    const costate_problem *q = x->c->q;
    const int n = x->c->n;
    const double t = x->c->of->t1, *y = x->c->y;
    N_VConst(0, b), N_VConst(0, g->q), N_VConst(0, g->lambda);
    if (q->terminal.vjp) q->terminal.vjp(0, t, y, x->p, 1, g->weight, at(b), at(g->q), q->data);
    solve_algebraic(x, b, g->slope); /* lambda_d, x_a */
    for (int i = 0; i < n; i++) {
        at(g->lambda)[i] = x->mass[i] * at(g->slope)[i];
        at(b)[i] = (x->mass[i] - 1) * at(g->slope)[i]; /* -x_a */
    }
    q->vjp(t, y, x->p, 1, at(b), NULL, at(g->q), q->data);
    N_VConst(0, b);
    q->vjp(t, y, x->p, 1, at(g->lambda), at(b), NULL, q->data);
    if (q->running.vjp) q->running.vjp(0, t, y, x->p, 1, g->weight, at(b), NULL, q->data);
    for (int i = 0; i < n; i++) at(b)[i] *= x->mass[i] - 1;
    solve_algebraic(x, b, g->slope);
    for (int i = 0; i < n; i++) at(g->lambda)[i] += (1 - x->mass[i]) * at(g->slope)[i];
    N_VConst(0, g->slope), N_VConst(0, b);
    q->vjp(t, y, x->p, 1, at(g->lambda), at(b), NULL, q->data);
    if (q->running.vjp) q->running.vjp(0, t, y, x->p, 1, g->weight, at(b), NULL, q->data);
    for (int i = 0; i < n; i++) at(g->slope)[i] = -x->mass[i] * at(b)[i];
}

static void start_backward(context *x, goal *g)
{
    const double t1 = x->c->of->t1, rtol = x->c->rtol;
    if (x->ready) {
        MUST(IDAReInitB(x->ida, g->which, t1, g->lambda, g->slope));
        MUST(IDAQuadReInitB(x->ida, g->which, g->q));
        return;
    }
    MUST(IDACreateB(x->ida, &g->which));
    MUST(IDAInitB(x->ida, g->which, backward, t1, g->lambda, g->slope));
    MUST(IDASStolerancesB(x->ida, g->which, rtol, x->atol_backward * rtol));
    MUST(IDASetUserDataB(x->ida, g->which, g));
    MUST(IDASetMaxNumStepsB(x->ida, g->which, 10000000));
    linear_solver(x, &g->M, &g->solver);
    MUST(IDASetLinearSolverB(x->ida, g->which, g->solver, g->M));
    MUST(IDASetJacFnB(x->ida, g->which, backward_jacobian));
    MUST(IDAQuadInitB(x->ida, g->which, quadrature, g->q));
    if (!x->quad) return;
    MUST(IDAQuadSStolerancesB(x->ida, g->which, rtol, x->atol_quad * rtol));
    MUST(IDASetQuadErrConB(x->ida, g->which, 1));
}

/* Differential states are given, algebraic ones and slopes follow: known on paper but for the food web. */
static void begin(context *x, void *ida)
{
    const dae_case *c = x->c;
    memcpy(at(x->y), c->about.y0, (size_t)c->n * sizeof(double));
    c->q->rhs(c->about.t0, at(x->y), x->p, at(x->slope), c->q->data);
    for (int i = 0; i < c->n; i++) at(x->slope)[i] *= x->mass[i];
    MUST(IDAReInit(ida, c->about.t0, x->y, x->slope));
    if (*c->of->name != 'f') return;
    MUST(IDACalcIC(ida, IDA_YA_YDP_INIT, c->about.t0 + 1e-3 * (c->of->t1 - c->about.t0)));
    MUST(IDAGetConsistentIC(ida, x->y, x->slope));
}

static void solve(context *x)
{
    realtype t;
    begin(x, x->plain);
    MUST(IDASolve(x->plain, x->c->of->t1, &t, x->y, x->slope, IDA_NORMAL));
}

static void gradient(context *x, dae_case *c, N_Vector b)
{
    realtype t;
    int checkpoints;
    begin(x, x->ida);
    MUST(IDAAdjReInit(x->ida));
    MUST(IDASolveF(x->ida, c->of->t1, &t, x->y, x->slope, IDA_NORMAL, &checkpoints));
    memcpy(c->y, at(x->y), (size_t)c->n * sizeof(double));
    fill(x, c->y, x->A, 0, 1, 1, 1);
    MUST(SUNLinSolSetup(x->solverA, x->A));
    for (int o = 0; o < c->goals; o++) {
        start_goal(x, &x->goal[o], b);
        start_backward(x, &x->goal[o]);
    }
    x->ready = 1;
    MUST(IDASolveB(x->ida, c->about.t0, IDA_NORMAL));
    for (int o = 0; o < c->goals; o++) {
        goal *g = &x->goal[o];
        MUST(IDAGetB(x->ida, g->which, &t, g->lambda, g->slope));
        MUST(IDAGetQuadB(x->ida, g->which, &t, g->q));
        for (int i = 0; i < c->n; i++) c->dy[i * c->goals + o] = x->mass[i] * at(g->lambda)[i];
        for (int i = 0; i < c->np; i++) c->dp[i * c->goals + o] = at(g->q)[i];
    }
}

static dae_counts count(const context *x)
{
    dae_counts k = {.peer = "idas", .linsol = x->hermite ? x->quad ? "hermite+q" : "hermite" : x->quad ? "poly+q" : "poly"};
    MUST(IDAGetNumSteps(x->ida, &k.steps));
    for (int o = 0; o < x->c->goals; o++) {
        long steps;
        MUST(IDAGetNumSteps(IDAGetAdjIDABmem(x->ida, x->goal[o].which), &steps));
        k.backward += steps;
    }
    return k;
}

int main(int argc, char **argv)
{
    dae_case c = dae_open(argc, argv, 1);
    context x = {
        .c = &c, .p = c.about.p, .quad = 1, .atol_backward = 0.01, .atol_quad = 0.01, .dense = !strcmp(c.method, "dense")};
    if (c.goals > GOALS) bench_give_up("more objectives than expected:", argv[1]);
    for (char **text = c.options; *text; text++)
        if (sscanf(*text, "hermite=%d", &x.hermite) + sscanf(*text, "quad=%d", &x.quad) +
                sscanf(*text, "atol_backward=%lf", &x.atol_backward) + sscanf(*text, "atol_quad=%lf", &x.atol_quad) !=
            1)
            bench_give_up("no option of this program:", *text);
    x.mass = bench_alloc((size_t)c.n, sizeof *x.mass);
    for (int i = 0; i < c.n; i++) x.mass[i] = c.q->mass[i];
    make_pattern(&x);
    make(&x);
    N_Vector b = N_VClone(x.y);
    for (int rep = 0; rep < c.reps; rep++) {
        double began = bench_now();
        solve(&x);
        c.forward = fmin(c.forward, bench_now() - began - bench_clock_cost());
        began = bench_now();
        gradient(&x, &c, b);
        c.gradient = fmin(c.gradient, bench_now() - began - bench_clock_cost());
    }
    dae_counts counts = count(&x);
    dae_report(&c, &counts);
    dae_close(&c); /* SUNDIALS' own is left to the end of the program */
    return 0;
}
