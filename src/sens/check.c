/* check.c - the certificate: are these the derivatives of the objectives that were computed, on this problem, at these
 * parameters and with these options? check.h says what is compared. */
#include "sens/check.h"

#include "base/sized.h"
#include "method/implicit.h"
#include "sens/given.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>

/* ---- tangent and adjoint -------------------------------------------------------------------------------------------- */

/* What two ways to one number may differ by: round-off, or what differences, iterated stage systems and linear solvers leave. */
static double tolerance(const costate_solver *s)
{
    double most = s->d.exact ? 1e-10 * fmax(1, 1e-3 * (double)s->log.count) : 1e-5; /* it adds up over the steps */
    if (s->im && s->fam->id != COSTATE_ROS && (cst__implicit_iterates(s, 0) || cst__implicit_iterates(s, 1)))
        most = fmax(most, 10 * cst__sweep_tol(s));
    if (s->im && !s->im->values) most = fmax(most, 100 * s->opt.gmres_tol);
    return most;
}

pair cst__check_pair(const check *c, int way, size_t goal)
{
    size_t w = (size_t)c->goals;
    pair r = {0};
    for (size_t i = 0; i < c->m; i++) {
        double term = c->d[i] * c->grad[i * w + goal];
        r.adjoint += term, r.terms += fabs(term);
        r.noise += fabs(c->d[i]) * c->grad_noise[i * w + goal];
    }
    for (size_t j = 0; j < c->nobj; j++) {
        double weight = c->weights[j * w + goal];
        if (weight == 0) continue;
        r.tangent += weight * c->tangents[(size_t)way * c->nobj + j];
        r.change += fabs(weight) * c->secants[(size_t)way * c->nobj + j];
        r.noise += fabs(weight) * fmax(c->tangent_noise[(size_t)way * c->nobj + j], c->factor_noise[(size_t)way * c->nobj + j]);
    }
    return r;
}

double cst__check_largest(const check *c, size_t goal)
{
    double most = 0;
    for (size_t i = 0; i < c->m; i++) most = fmax(most, fabs(c->grad[i * (size_t)c->goals + goal]) * c->scale[i]);
    return most;
}

/* Relative to its size, or to the noise where that hides it. */
static double defect(double off, double size, double noise, double most)
{
    return off <= most * fmax(size, noise) ? off / fmax(size, noise) : off / size;
}

/* Every component by itself, and groups and the mixture of all, for every goal. */
static void adjoints(check *c)
{
    costate_certificate *out = c->out;
    out->components = c->units;
    for (int q = 0; q < c->ways; q++) {
        cst__check_way(c, q, c->d, 1);
        for (size_t l = 0; l < (size_t)c->goals; l++) {
            pair r = cst__check_pair(c, q, l);
            double off = fabs(r.adjoint - r.tangent), noise = 1000 * r.noise / out->tolerance;
            double size = fmax(r.terms, 1e-2 * r.change);
            if (q >= c->units) {
                if (off > 0) out->identity = fmax(out->identity, defect(off, size, noise, out->tolerance));
                continue;
            }
            size = fmax(fmax(r.terms, fabs(r.tangent)), 1e-4 * fmax(r.change, cst__check_largest(c, l)));
            if (off > 0) off = defect(off, size, noise / 100, 100 * out->tolerance);
            if (off < out->worst) continue;
            out->worst = off;
            cst__check_variable(c, c->unit[q], out->worst_name);
        }
    }
}

/* ---- all of it ------------------------------------------------------------------------------------------------------ */

/* An entry of the Jacobian that the pattern has not: the factors of an implicit method miss it. */
static int pattern(costate_solver *s, costate_certificate *out)
{
    char one[32], other[32];
    int row, column;
    if (!s->im || !s->im->values) return 0;
    int rc = jacobian_missing(&s->im->jac, s->t0, s->y0, s->p, &row, &column);
    if (rc < 0) return cst__fail(s, rc, "a callback while the Jacobian's pattern was checked");
    if (rc == 0)
        snprintf(out->missing, sizeof out->missing, "d %s' / d %s", cst__state_name(s, row, one),
                 cst__state_name(s, column, other));
    return 0;
}

static int compute(check *c)
{
    TRY(cst__check_ways(c));
    TRY(cst__check_noise(c));
    TRY(cst__check_steps(c));
    if (!c->continuous) adjoints(c);
    TRY(cst__check_second(c));
    TRY(cst__check_taylor(c));
    TRY(pattern(c->s, c->out));
    if (c->continuous) TRY(cst__check_continuous(c));
    return cst__check_free(c);
}

/* Products come first: derivatives that cannot be had for a wrong one are no failure of the check. */
static int examine(check *c)
{
    costate_solver *s = c->s;
    c->out->tolerance = tolerance(s);
    TRY(cst__check_products(c));
    const int status = compute(c);
    if (status && (status == COSTATE_ERR_MEMORY || !c->out->products.wrong)) return status;
    if (status) snprintf(c->stopped, sizeof c->stopped, "%.190s", s->reason);
    if (c->fatal) return cst__fail(s, c->fatal, "a perturbed run of the check");
    cst__check_judge(c);
    for (size_t i = 0; i < c->n; i++) c->shifted[i] = c->x[i];
    return cst__begin(s); /* perturbed runs may have failed on the way */
}

/* The method that "auto" chose is the one that is judged, in perturbed runs as well. The run that was judged is the last one. */
static int examine_chosen(check *c, int count, const int *variable)
{
    costate_solver *s = c->s;
    const int automatic = s->automatic;
    c->continuous = c->out->continuous = s->opt.adjoint[0] == 'c';
    TRY(cst__check_open(c, count, variable));
    s->automatic = 0;
    int status = examine(c);
    s->automatic = automatic;
    return status ? status : costate_solve(s, c->t0, c->t1, c->p, c->shifted);
}

static int certify(costate_solver *s, double t0, double t1, const double *p, const double *y, int count, const int *variable,
                   costate_certificate *out)
{
    TRY(cst__begin(s));
    cst__loosen(s);
    if ((!y && !s->d.init.fn.eval) || (!p && s->prob.np)) return cst__fail(s, COSTATE_ERR_NULL, "y or p");
    if (!s->opt.record) return cst__fail(s, COSTATE_ERR_NO_RECORD, "option record is 0");
    output keep = s->out;
    costate_options options = s->opt;
    check c = {.s = s, .out = out, .t0 = t0, .t1 = t1, .p = p, .y = y, .stretch = 1};
    s->out = (output){0};
    const int tested = cst__given_excuse(s, 1); /* a Jacobian that is not f_y shall be found, not refused */
    int status = examine_chosen(&c, count, variable);
    cst__given_excuse(s, tested);
    s->out = keep;
    s->opt = options;
    s->opt.rtol = ldexp(options.rtol, -c.tight); /* until the next run: atol is, too */
    s->tight = c.tight;
    cst__check_close(&c);
    if (status || out->holds) return status;
    return cst__fail(s, COSTATE_CHECK_FAILED, "%s", out->remark);
}

int costate_check_some_sized(costate_solver *s, double t0, double t1, const double *p, const double *y, int count,
                             const int *variable, costate_certificate *certificate, size_t size)
{
    const costate_measure nothing = {.defect = NAN, .noise = NAN};
    const costate_certificate none = {.identity = NAN,
                                      .symmetry = NAN,
                                      .slope_gradient = NAN,
                                      .slope_hessian = NAN,
                                      .worst = NAN,
                                      .steps = nothing,
                                      .free_steps = nothing,
                                      .second = nothing,
                                      .products = nothing,
                                      .lanes = nothing,
                                      .tighter = nothing,
                                      .bars = nothing};
    costate_certificate own = none;
    if (!certificate) {
        int status = cst__begin(s);
        return status ? status : cst__fail(s, COSTATE_ERR_NULL, "certificate");
    }
    own.identity = own.worst = 0;
    snprintf(own.worst_name, sizeof own.worst_name, "none");
    int status = certify(s, t0, t1, p, y, count, variable, &own), known = !status || status == COSTATE_CHECK_FAILED;
    sized_give(certificate, size, known ? &own : &none, sizeof own);
    return status;
}

int costate_check_sized(costate_solver *s, double t0, double t1, const double *p, const double *y,
                        costate_certificate *certificate, size_t size)
{
    return costate_check_some_sized(s, t0, t1, p, y, 0, NULL, certificate, size);
}
