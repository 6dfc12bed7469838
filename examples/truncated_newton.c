/* truncated_newton.c - Newton's method without a Hessian: it minimizes a model's objective over all its parameters.
 *
 *     truncated_newton problems/van_der_pol_control.c        the cheapest control that calms an oscillator
 *
 * Each step solves H d = -g by conjugate gradients, which need no matrix but products H v; costate_hessian makes one from the
 * recorded run for about the price of two gradients, however many parameters there are. Far from the minimum d need not be
 * exact, and the iteration is cut short ("truncated") when the residual is below a part of |g| that goes to zero with |g|: the
 * method converges faster than linearly. A direction of negative curvature ends it too. Then d is halved until the objective
 * falls enough. */
#include <costate/diff.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct newton {
    const costate_problem *problem;
    costate_model_info about;
    costate_solver *solver;
    int n;                          /* parameters */
    double *p, *g, *d, *r, *v, *hv; /* point, gradient, step, residual, direction, product */
    double *trial, *y, *of_y;       /* states, and derivatives by initial values, which are fixed here */
    int products;
} newton;

static double dot(int n, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* ---- what is asked of Costate --------------------------------------------------------------------------------------- */

static int value(newton *m, const double *p, double *f)
{
    for (int i = 0; i < m->problem->n; i++) m->y[i] = m->about.y0[i];
    const int status = costate_solve(m->solver, m->about.t0, m->about.t1, p, m->y);
    return status ? status : costate_objectives(m->solver, f);
}

/* Both work on the run that value has recorded last. */
static int gradient(newton *m)
{
    return costate_gradient(m->solver, 1, NULL, m->of_y, m->g);
}

static int product(newton *m)
{
    m->products++;
    return costate_hessian(m->solver, 1, NULL, NULL, m->v, m->of_y, m->hv);
}

/* ---- the method ----------------------------------------------------------------------------------------------------- */

/* Conjugate gradients for H d = -g. */
static int direction(newton *m)
{
    const int n = m->n;
    const double size = sqrt(dot(n, m->g, m->g)), enough = fmin(0.5, sqrt(size)) * size;
    for (int i = 0; i < n; i++) {
        m->d[i] = 0;
        m->r[i] = m->v[i] = -m->g[i];
    }
    double rr = dot(n, m->r, m->r);
    for (int k = 0; k < 2 * n && sqrt(rr) > enough; k++) {
        const int status = product(m);
        if (status) return status;
        const double curvature = dot(n, m->v, m->hv);
        if (curvature <= 1e-14 * dot(n, m->v, m->v)) { /* the quadratic model has no minimum this way */
            for (int i = 0; k == 0 && i < n; i++) m->d[i] = m->v[i];
            break;
        }
        const double step = rr / curvature, before = rr;
        for (int i = 0; i < n; i++) {
            m->d[i] += step * m->v[i];
            m->r[i] -= step * m->hv[i];
        }
        rr = dot(n, m->r, m->r);
        for (int i = 0; i < n; i++) m->v[i] = m->r[i] + rr / before * m->v[i];
    }
    return 0;
}

/* Halves the step until the objective has fallen by a part of what the gradient promises. The objective is as smooth as the
 * tolerance is fine: below that a step is taken as it is. */
static int search(newton *m, double *f, double noise)
{
    const double slope = dot(m->n, m->g, m->d), before = *f;
    for (double step = 1; step > 1e-10; step /= 2) {
        for (int i = 0; i < m->n; i++) m->trial[i] = m->p[i] + step * m->d[i];
        if (value(m, m->trial, f)) continue; /* it could not be integrated: too far */
        if (*f > before + 1e-4 * step * slope + noise) continue;
        for (int i = 0; i < m->n; i++) m->p[i] = m->trial[i];
        return 0;
    }
    return -1;
}

static int minimize(newton *m, double rtol)
{
    double f, first = 0;
    int status = value(m, m->p, &f);
    printf("step         objective       |gradient|   products with H so far\n");
    for (int k = 0; !status && k < 50; k++) {
        status = gradient(m);
        if (status) break;
        const double size = sqrt(dot(m->n, m->g, m->g));
        if (k == 0) first = size;
        printf("%4d %17.12g %16.3e   %d\n", k, f, size, m->products);
        if (size <= 1e-8 * first) return 0;
        status = direction(m);
        if (!status) status = search(m, &f, 10 * rtol * fabs(f));
    }
    fprintf(stderr, "no minimum was found. %s\n", costate_message(m->solver));
    return -1;
}

/* ---- the program ---------------------------------------------------------------------------------------------------- */

static int run(newton *m, double rtol)
{
    double *all = calloc((size_t)(7 * m->n + 2 * m->problem->n), sizeof *all), *next = all;
    if (!all) return -1;
    double **const array[] = {&m->p, &m->g, &m->d, &m->r, &m->v, &m->hv, &m->trial};
    for (int i = 0; i < 7; i++, next += m->n) *array[i] = next;
    m->y = next;
    m->of_y = next + m->problem->n;
    for (int i = 0; i < m->n; i++) m->p[i] = m->about.p[i];
    const int status = minimize(m, rtol);
    for (int i = 0; !status && i < m->n; i++)
        if (m->problem->param_names) printf("%-16s %.10g\n", m->problem->param_names[i], m->p[i]);
        else printf("p[%d]%*s %.10g\n", i, i < 10 ? 12 : 11, "", m->p[i]);
    free(all);
    return status;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: truncated_newton MODEL.c\n");
        return 1;
    }
    costate_model *model = NULL;
    if (costate_model_open(&model, argv[1], NULL)) {
        fprintf(stderr, "%s\n", costate_model_message(model));
        costate_model_close(model);
        return 1;
    }
    newton m = {.problem = costate_model_problem(model), .about = costate_model_about(model)};
    m.n = m.problem->np;
    costate_options options = costate_defaults("dopri5");
    options.rtol = 1e-10;
    options.atol = 1e-12;
    int status = -1;
    if (m.problem->objectives != 1) fprintf(stderr, "which objective? %s has %d\n", m.about.name, m.problem->objectives);
    else if (costate_create(&m.solver, m.problem, &options)) fprintf(stderr, "%s\n", costate_message(m.solver));
    else status = run(&m, options.rtol);
    costate_free(m.solver);
    costate_model_close(model);
    return status ? 1 : 0;
}
