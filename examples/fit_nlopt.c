/* fit_nlopt.c - a fit: the parameters under which data are most likely, and how sure one can be of them.
 *
 *     fit_nlopt examples/models/epidemic.c [NAME=VALUE ...]
 *
 * The model's objective is a negative log likelihood (epidemic.c explains its own). Costate gives its value and gradient, NLopt
 * (libnlopt-dev, here its L-BFGS) goes downhill. At the minimum the Hessian is the information in the data: its inverse is the
 * covariance of the parameters, and the roots of the diagonal are standard errors.
 *
 * The unknowns are x = log(p): they cannot become negative and are all of one size. With them d/dx = p d/dp.
 *
 * If the true parameters are known, as they are for data that were made up, give them: the program then fails if the fit is off
 * by more than three standard errors. */
#include <costate/diff.h>

#include <math.h>
#include <nlopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 20 }; /* parameters and states */

typedef struct fit {
    const costate_problem *problem;
    costate_model_info about;
    costate_solver *solver;
    int calls;
} fit;

/* ---- what NLopt calls ----------------------------------------------------------------------------------------------- */

/* The objective at parameters p, and its gradient dp unless that is NULL. */
static int objective(fit *f, const double *p, double *value, double *dp)
{
    double y[MOST], dy0[MOST];
    for (int i = 0; i < f->problem->n; i++) y[i] = f->about.y0[i]; /* the start, unless the model computes it from p */
    int status = costate_solve(f->solver, f->about.t0, f->about.t1, p, y);
    if (!status) status = costate_objectives(f->solver, value);
    if (!status && dp) status = costate_gradient(f->solver, 1, NULL, dy0, dp);
    return status;
}

static double misfit(unsigned n, const double *x, double *gradient, void *data)
{
    fit *f = data;
    double p[MOST] = {0}, value;
    for (unsigned i = 0; i < n; i++) p[i] = exp(x[i]);
    f->calls++;
    if (objective(f, p, &value, gradient)) return HUGE_VAL; /* these parameters cannot be: NLopt tries others */
    for (unsigned i = 0; gradient && i < n; i++) gradient[i] *= p[i];
    return value;
}

/* ---- error bars ----------------------------------------------------------------------------------------------------- */

/* The inverse of a matrix, in place, by Gauss and Jordan; 0 if it is positive definite. */
static int invert(int n, double a[MOST][MOST])
{
    for (int k = 0; k < n; k++) {
        const double pivot = a[k][k];
        if (!(pivot > 0)) return -1;
        a[k][k] = 1;
        for (int j = 0; j < n; j++) a[k][j] /= pivot;
        for (int i = 0; i < n; i++) {
            if (i == k) continue;
            const double factor = a[i][k];
            a[i][k] = 0;
            for (int j = 0; j < n; j++) a[i][j] -= factor * a[k][j];
        }
    }
    return 0;
}

/* Standard errors of x at the minimum: all columns of the Hessian in one call, one lane for each direction. */
static int standard_errors(fit *f, const double *p, double *error)
{
    const int n = f->problem->np;
    double value, dp[MOST], directions[MOST * MOST] = {0}, hp[MOST * MOST], hy0[MOST * MOST], hessian[MOST][MOST];
    for (int i = 0; i < n; i++) directions[i * n + i] = 1;
    int status = objective(f, p, &value, dp);
    if (!status) status = costate_hessian(f->solver, n, NULL, NULL, directions, hy0, hp);
    if (status) return status;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) hessian[i][j] = p[i] * hp[i * n + j] * p[j] + (i == j ? p[i] * dp[i] : 0);
    if (invert(n, hessian)) {
        fprintf(stderr, "the data do not determine all parameters\n");
        return -1;
    }
    for (int i = 0; i < n; i++) error[i] = sqrt(hessian[i][i]);
    return 0;
}

/* ---- the fit -------------------------------------------------------------------------------------------------------- */

/* The value of NAME=VALUE among the arguments; NaN: it is not there. */
static double known(const char *name, int count, char **argument)
{
    const size_t length = strlen(name);
    for (int i = 0; i < count; i++)
        if (!strncmp(argument[i], name, length) && argument[i][length] == '=') return atof(argument[i] + length + 1);
    return NAN;
}

static int report(const fit *f, const double *x, const double *error, int count, char **argument)
{
    int good = 1;
    printf("%-16s %12s %12s %12s\n", "parameter", "first guess", "fitted", "+-");
    for (int i = 0; i < f->problem->np; i++) {
        const char *name = f->problem->param_names[i];
        const double p = exp(x[i]), truth = known(name, count, argument);
        printf("%-16s %12.6g %12.6g %12.2g", name, f->about.p[i], p, p * error[i]);
        if (!isnan(truth)) printf("   truth %g, off by %.1f standard errors", truth, fabs(x[i] - log(truth)) / error[i]);
        printf("\n");
        if (fabs(x[i] - log(truth)) > 3 * error[i]) good = 0;
    }
    return good;
}

static int run(fit *f, int count, char **argument)
{
    const int n = f->problem->np;
    double x[MOST], lower[MOST], upper[MOST], p[MOST], error[MOST], least = 0;
    for (int i = 0; i < n; i++) {
        x[i] = log(f->about.p[i]);
        lower[i] = x[i] - log(5); /* the first guess is right to a factor of 5: keeps the first steps, */
        upper[i] = x[i] + log(5); /* which are blind, out of the desert                                */
    }

    nlopt_opt opt = nlopt_create(NLOPT_LD_LBFGS, (unsigned)n);
    nlopt_set_min_objective(opt, misfit, f);
    nlopt_set_lower_bounds(opt, lower);
    nlopt_set_upper_bounds(opt, upper);
    nlopt_set_ftol_rel(opt, 1e-10);
    nlopt_set_maxeval(opt, 500);
    const nlopt_result result = nlopt_optimize(opt, x, &least);
    nlopt_destroy(opt);
    if (result < 0 || result == NLOPT_MAXEVAL_REACHED) {
        fprintf(stderr, "no minimum was found: %s\n", nlopt_result_to_string(result));
        return 1;
    }
    for (int i = 0; i < n; i++) p[i] = exp(x[i]);
    if (standard_errors(f, p, error)) {
        fprintf(stderr, "%s\n", costate_message(f->solver));
        return 1;
    }
    printf("%s: %.6f after %d values with gradients\n", f->about.name, least, f->calls);
    return report(f, x, error, count, argument) ? 0 : 1;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: fit_nlopt MODEL.c [NAME=VALUE ...]\n");
        return 1;
    }
    costate_model *model = NULL;
    if (costate_model_open(&model, argv[1], NULL)) {
        fprintf(stderr, "%s\n", costate_model_message(model));
        costate_model_close(model);
        return 1;
    }
    fit f = {.problem = costate_model_problem(model), .about = costate_model_about(model)};
    costate_options options = costate_defaults("dopri5");
    options.rtol = 1e-9; /* a line search notices an objective that is less smooth than its gradient says */
    int code = 1;
    if (f.problem->np > MOST || f.problem->n > MOST || !f.problem->param_names || f.problem->objectives != 1)
        fprintf(stderr, "this example is for one objective, and up to %d states and named parameters\n", MOST);
    else if (costate_create(&f.solver, f.problem, &options)) fprintf(stderr, "%s\n", costate_message(f.solver));
    else code = run(&f, argc - 2, argv + 2);
    costate_free(f.solver);
    costate_model_close(model); /* after the solver that uses it */
    return code;
}
