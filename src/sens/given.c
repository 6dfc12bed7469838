/* given.c - is the given Jacobian that of f, and does its pattern hold all of it? Tangents and adjoints of implicit methods
 * are solved with its factors: an entry that is missing makes them wrong, while a forward run by Newton's method only takes
 * longer, and one by a Rosenbrock method loses its order.
 *
 * One product at each of three points tells: near both ends of the run, and near a state between them, where what is zero at
 * the ends need not be. What costate diff made is not doubted, and a pattern that was looked for is not given. */
#include "sens/given.h"

#include "method/implicit.h"

static const double plain = 1e-2; /* without an exact product to compare with, what a wrong jac is off at least */

static int is_given(const costate_solver *s)
{
    const implicit *m = s->im;
    return m && m->values && !m->tested && !m->colptr && !s->prob.derived &&
           (s->prob.jac || s->prob.pattern.format != COSTATE_DENSE);
}

/* At (t, y), which need not be a state of the run: where callbacks refuse, nothing is found. */
static int test_at(costate_solver *s, double t, const double *y)
{
    char one[32], other[32];
    int row, column, i;
    double defect;
    int status = jacobian_defect(&s->im->jac, t, y, s->p, &i, &defect);
    if (status == COSTATE_ERR_MEMORY) return cst__fail(s, status, "the test of the Jacobian");
    if (status || defect == 0) return 0;
    status = jacobian_missing(&s->im->jac, t, y, s->p, &row, &column);
    if (status == COSTATE_ERR_MEMORY) return cst__fail(s, status, "the test of the Jacobian");
    if (status == 0)
        return cst__fail(s, COSTATE_ERR_PATTERN,
                         "it lacks d %s' / d %s, which is not zero near t = %.10g: derivatives would be wrong",
                         cst__state_name(s, row, one), cst__state_name(s, column, other), t);
    if (!s->prob.jac || (!s->prob.jvp && defect < plain)) return 0;
    return cst__fail(s, COSTATE_ERR_JAC, "row %s of jac times a direction is off by %.2g of its terms near t = %.10g",
                     cst__state_name(s, i, one), defect, t);
}

int cst__given_test(costate_solver *s)
{
    if (!is_given(s)) return 0;
    size_t n = (size_t)s->prob.n;
    double *between = cst__alloc(&s->alloc, n, sizeof *between);
    if (!between) return cst__fail(s, COSTATE_ERR_MEMORY, "the test of the Jacobian");
    const costate_stats before = s->stats;
    for (size_t i = 0; i < n; i++) between[i] = 0.5 * (s->y0[i] + s->yend[i]);
    int status = test_at(s, s->t0, s->y0);
    if (!status) status = test_at(s, s->t1, s->yend);
    if (!status) status = test_at(s, s->t0 + 0.5 * (s->t1 - s->t0), between);
    cst__release(&s->alloc, between);
    s->stats.rhs = before.rhs, s->stats.jvp = before.jvp, s->stats.jac = before.jac; /* calls of the run alone are counted */
    s->im->tested = !status;
    return status;
}

int cst__given_excuse(costate_solver *s, int excuse)
{
    if (!s->im) return 1;
    const int before = s->im->tested;
    s->im->tested = excuse;
    return before;
}
