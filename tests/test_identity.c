/* test_identity.c - the derivatives are those of the discrete objective, to round-off: for every method, on every problem,
 *
 *     <gradient, direction> = tangent of the objective                                      to 1e-13
 *     <lambda(t0), ydot(t0)> + <mu, pdot> = <lambda(t1), ydot(t1)>                          to 1e-13
 *     <a, H b> = <b, H a>                                                                   to 1e-12
 *     H b = differences of gradients over the same steps; Taylor slopes 2 and 3
 *
 * for adaptive runs with random directions, weights and seeds in several lanes. Both sides are sums whose terms may cancel, so a
 * defect is relative to the sum of the absolute values of all terms; where the direction follows the signs of the gradient
 * nothing cancels, and it is relative to |lhs| + |rhs|. Lanes do not know of each other: a lane of a block is what a call with
 * that lane alone gives, however the block is cut. And what is published or known in closed form about a problem comes out. */
#include "methods.h"
#include "glv.h"
#include "trial.h"

enum { SPECIES = 10, WIDEST = 11 };

/* ---- problems: those of the list, and GLV, which brings vjp_points --------------------------------------------------------- */

static int problems(void)
{
    return problem_count() + 1;
}

static problem problem_at(int i)
{
    static glv model = {SPECIES};
    static double y0[SPECIES], p[SPECIES + SPECIES * SPECIES];
    if (i < problem_count()) return *problem_get(i);
    glv_defaults(SPECIES, p, y0);
    return (problem){.name = "glv", .prob = glv_problem(&model), .y0 = y0, .p = p, .t1 = GLV_T1};
}

/* ---- running --------------------------------------------------------------------------------------------------------------- */

static costate_solver *solver_of(const trial *x, int method)
{
    costate_options o = costate_defaults(costate_method(method)->name);
    return solver(&x->q.prob, &o);
}

/* ---- identities ------------------------------------------------------------------------------------------------------------ */

/* The defect of one lane along a direction with the signs of the gradient: no cancellation, |lhs| + |rhs|. */
static double aligned(costate_solver *s, trial *x)
{
    assert_int_equal(x->w, 1);
    for (int i = 0; i < x->n + x->np; i++) x->dir[0][i] = copysign(x->dir[0][i], x->gradient[i]);
    run_tangent(s, x);
    sum goal = {0}, gradient = {0};
    add_dot(&goal, x->g, 1, x->weights, 0, x->psidot, 0);
    add_dot(&gradient, x->n + x->np, 1, x->gradient, 0, x->dir[0], 0);
    return fabs(goal.value - gradient.value) / (fabs(goal.value) + fabs(gradient.value));
}

static void test_identity(void **unused)
{
    static const int widths[] = {1, 3, 8, WIDEST};
    (void)unused;
    print_message("%-10s identity  aligned symmetry\n", "method");
    for (int m = 0; m < explicit_methods(); m++) {
        double a = 0, b = 0, c = 0;
        for (int i = 0; i < problems(); i++)
            for (int k = 0; k < 4; k++) {
                trial *x = prepare(problem_at(i), widths[k], 1);
                costate_solver *s = solver_of(x, m);
                run_trial(s, x);
                a = larger(a, identity(x));
                c = larger(c, symmetry(x));
                if (x->w == 1) b = larger(b, aligned(s, x));
                costate_free(s);
                free(x);
            }
        print_message("%-10s %8.1e %8.1e %8.1e\n", costate_method(m)->name, a, b, c);
        assert_true(a < 1e-13);
        assert_true(b < 1e-13);
        assert_true(c < 1e-12);
    }
}

/* Steps steered by the errors of the directions too, and a run back in time from where the run forward ended. */
static void test_other_runs(void **unused)
{
    (void)unused;
    print_message("%-10s     all  backward\n", "method");
    for (int m = 0; m < explicit_methods(); m++) {
        double all = 0, backward = 0;
        for (int i = 0; i < problems(); i++) {
            trial *x = prepare(problem_at(i), 3, 2);
            costate_stats state, both;
            costate_solver *s = solver_of(x, m);
            run_trial(s, x);
            costate_get_stats(s, &state);
            GOOD(s, costate_set(s, "tangent_control", "all"));
            run_trial(s, x);
            costate_get_stats(s, &both);
            assert_true(both.steps >= state.steps);
            all = larger(all, larger(identity(x), symmetry(x)));
            if (x->q.y0 && !x->q.prob.observations) { /* observations would be out of order, and init start elsewhere */
                double end[STATES];
                memcpy(end, x->y, sizeof end);
                x->q.y0 = end, x->q.t0 = x->q.t1, x->q.t1 = problem_at(i).t0;
                run_trial(s, x);
                backward = larger(backward, larger(identity(x), symmetry(x)));
            }
            costate_free(s);
            free(x);
        }
        print_message("%-10s %7.1e %9.1e\n", costate_method(m)->name, all, backward);
        assert_true(all < 1e-13);
        assert_true(backward < 1e-13);
    }
}

/* ---- the Hessian ----------------------------------------------------------------------------------------------------------- */

/* The gradient at x + eps dir, over the steps of the problem at hand. */
static void gradient_at(costate_solver *s, const trial *x, double eps, double *gradient)
{
    double y[STATES], p[PARAMS];
    start(&x->q, y);
    for (int i = 0; i < x->n; i++) y[i] += eps * x->dir[0][i];
    for (int i = 0; i < x->np; i++) p[i] = x->q.p[i] + eps * x->dir[0][x->n + i];
    GOOD(s, costate_solve(s, x->q.t0, x->q.t1, p, y));
    GOOD(s, costate_gradient(s, 1, x->weights, gradient, gradient + x->n));
}

/* H d against a difference of fourth order of gradients, with fixed steps and a direction in proportion to the point. */
static double hessian_by_differences(int method, problem q)
{
    static const double eps = 2.5e-4, node[] = {-2, -1, 1, 2}, coefficient[] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
    trial *x = prepare(q, 1, 4);
    costate_options o = costate_defaults(costate_method(method)->name);
    o.step = fabs(q.t1 - q.t0) / 100;
    costate_solver *s = solver(&q.prob, &o);
    double expected[STATES + PARAMS] = {0}, gradient[STATES + PARAMS];
    for (int i = 0; i < x->n; i++) x->dir[0][i] *= q.y0 ? q.y0[i] : 0; /* with init, y0 is not ours to move */
    for (int i = 0; i < x->np; i++) x->dir[0][x->n + i] *= q.p[i];
    for (int k = 0; k < 4; k++) {
        gradient_at(s, x, node[k] * eps, gradient);
        for (int i = 0; i < x->n + x->np; i++) expected[i] += coefficient[k] * gradient[i] / eps;
    }
    gradient_at(s, x, 0, gradient);
    run_hessian(s, x, 0);
    double off = distance(x->n + x->np, x->hessian[0], expected);
    costate_free(s);
    free(x);
    return off;
}

static void test_hessian(void **unused)
{
    (void)unused;
    print_message("%-10s differences   Taylor slopes\n", "method");
    for (int m = 0; m < explicit_methods(); m++) {
        double off = 0, first = 2, second = 3;
        for (int i = 0; i < problems(); i++) {
            trial *x = prepare(problem_at(i), 1, 3);
            costate_certificate c;
            costate_solver *s = solver_of(x, m);
            start(&x->q, x->y);
            int status = costate_check(s, x->q.t0, x->q.t1, x->q.p, x->y, &c);
            if (status) fail_msg("%s, %s", x->q.name, c.text);
            first = fabs(c.slope_gradient - 2) > fabs(first - 2) ? c.slope_gradient : first;
            second = fabs(c.slope_hessian - 3) > fabs(second - 3) ? c.slope_hessian : second;
            off = larger(off, hessian_by_differences(m, x->q));
            costate_free(s);
            free(x);
        }
        print_message("%-10s %11.1e %7.2f %7.2f\n", costate_method(m)->name, off, first, second);
        assert_true(off < 1e-9);
        assert_true(fabs(first - 2) < 0.2);
        assert_true(second > 2.8);
    }
}

/* ---- lanes ----------------------------------------------------------------------------------------------------------------- */

/* Lane l of a block is put there, or measured against a lane by itself. */
static void put(int rows, int w, double *block, int l, const double *alone)
{
    for (int i = 0; i < rows; i++) block[i * w + l] = alone[i];
}

static double apart(int rows, int w, const double *block, int l, const double *alone)
{
    double lane[STATES + PARAMS] = {0};
    for (int i = 0; i < rows; i++) lane[i] = block[i * w + l];
    return distance(rows, lane, alone);
}

/* w single trials as one of w lanes: what goes in, and afterwards the largest difference in what came out. */
static void join(trial *x, trial *const *single)
{
    for (int l = 0; l < x->w; l++) {
        for (int b = 0; b < 2; b++) put(x->n + x->np, x->w, x->dir[b], l, single[l]->dir[b]);
        put(x->g, x->w, x->weights, l, single[l]->weights);
        put(x->n, x->w, x->seeds, l, single[l]->seeds);
    }
}

static double joint_defect(const trial *x, trial *const *single)
{
    double worst = 0;
    int m = x->n + x->np;
    for (int l = 0; l < x->w; l++) {
        worst = larger(worst, apart(x->n, x->w, x->ydot, l, single[l]->ydot));
        worst = larger(worst, apart(x->g, x->w, x->psidot, l, single[l]->psidot));
        worst = larger(worst, apart(m, x->w, x->gradient, l, single[l]->gradient));
        worst = larger(worst, apart(m, x->w, x->adjoint, l, single[l]->adjoint));
        for (int b = 0; b < 2; b++) worst = larger(worst, apart(m, x->w, x->hessian[b], l, single[l]->hessian[b]));
    }
    return worst;
}

/* How far lanes are from single ones, over several widths and blocks. */
static double lanes_apart(int method, problem q)
{
    static const struct {
        int w;
        const char *lanes;
    } cuts[] = {{3, "8"}, {8, "8"}, {WIDEST, "1"}, {WIDEST, "4"}, {WIDEST, "6"}, {WIDEST, "8"}, {WIDEST, "16"}};
    double worst = 0;
    trial *single[WIDEST];
    for (int l = 0; l < WIDEST; l++) single[l] = prepare(q, 1, (uint64_t)l);
    costate_solver *s = solver_of(single[0], method);
    for (int l = 0; l < WIDEST; l++) run_trial(s, single[l]);
    for (size_t k = 0; k < sizeof cuts / sizeof *cuts; k++) {
        trial *x = prepare(q, cuts[k].w, 0);
        join(x, single);
        GOOD(s, costate_set(s, "lanes", cuts[k].lanes));
        run_trial(s, x);
        worst = larger(worst, joint_defect(x, single));
        free(x);
    }
    for (int l = 0; l < WIDEST; l++) free(single[l]);
    costate_free(s);
    return worst;
}

/* Bit for bit where the products are the same for every lane, as differences are, taken lane by lane. Those written by hand leave
 * the compiler a choice of roundings, which cancellation magnifies in the Hessian of what is conserved. */
static void test_lanes(void **unused)
{
    (void)unused;
    problem bare = problem_duffing;
    bare.prob = given(bare.prob, 0);
    print_message("%-10s    lanes\n", "method");
    for (int m = 0; m < explicit_methods(); m++) {
        double worst = 0;
        for (int i = 0; i < problems(); i++) worst = larger(worst, lanes_apart(m, problem_at(i)));
        print_message("%-10s %8.1e\n", costate_method(m)->name, worst);
        assert_true(worst < 1e-13);
        assert_true(lanes_apart(m, bare) == 0);
    }
}

/* What may be left out: weights that are all 1, parts of the direction that are zero, derivatives that are not wanted. */
static void test_left_out(void **unused)
{
    (void)unused;
    for (int i = 0; i < problems(); i++) {
        trial *x = prepare(problem_at(i), 3, 5), *part = prepare(problem_at(i), 3, 5);
        costate_solver *s = solver_of(x, 0);
        int p = x->n * x->w, all = p + x->np * x->w;
        for (int k = 0; k < x->g * x->w; k++) x->weights[k] = 1;
        memset(x->dir[0], 0, (size_t)p * sizeof *x->dir[0]);
        memset(x->dir[1] + p, 0, (size_t)(all - p) * sizeof *x->dir[1]);
        run_trial(s, x);
        GOOD(s, costate_hessian(s, x->w, NULL, NULL, x->dir[0] + p, part->hessian[0], part->hessian[0] + p));
        assert_true(distance(all, part->hessian[0], x->hessian[0]) < 1e-14);
        GOOD(s, costate_hessian(s, x->w, NULL, x->dir[1], NULL, part->hessian[1], NULL));
        assert_true(distance(p, part->hessian[1], x->hessian[1]) < 1e-14);
        GOOD(s, costate_gradient(s, x->w, x->weights, part->gradient, NULL));
        assert_true(distance(p, part->gradient, x->gradient) < 1e-14);
        memcpy(part->adjoint, x->seeds, (size_t)p * sizeof(double));
        GOOD(s, costate_adjoint(s, x->w, part->adjoint, NULL));
        assert_true(distance(p, part->adjoint, x->adjoint) < 1e-14);
        costate_free(s);
        free(x), free(part);
    }
}

/* Without weights every objective is by itself, also when there are more of them than lanes. */
static void test_each_objective(void **unused)
{
    (void)unused;
    for (int i = 0; i < problems(); i++) {
        problem q = problem_at(i);
        trial *x = prepare(q, goals(&q.prob), 6);
        int p = x->n * x->w, all = p + x->np * x->w;
        costate_options o = costate_defaults(NULL);
        o.lanes = 2;
        costate_solver *s = solver(&x->q.prob, &o);
        for (int k = 0; k < x->g * x->w; k++) x->weights[k] = k % (x->w + 1) == 0;
        run_trial(s, x);
        memset(x->adjoint, 0, sizeof x->adjoint);
        GOOD(s, costate_gradient(s, x->g, NULL, x->adjoint, x->adjoint + p));
        assert_true(distance(all, x->adjoint, x->gradient) < 1e-14);
        costate_free(s);
        free(x);
    }
}

/* ---- what is known --------------------------------------------------------------------------------------------------------- */

/* A conserved objective is terminal(t0, y0(p), p): gradient and Hessian product by hand. */
static void conserved(const trial *x, int objective, const double *y0, double *psi, double *gradient, double *hessian)
{
    const costate_problem *q = &x->q.prob;
    int n = x->n;
    double seed[GOALS] = {0}, all[GOALS], ydot[STATES] = {0};
    const double *pdot = x->dir[0] + n;
    seed[objective] = 1;
    memset(gradient, 0, (size_t)(n + x->np) * sizeof *gradient);
    memset(hessian, 0, (size_t)(n + x->np) * sizeof *hessian);
    if (q->init.jvp) q->init.jvp(0, x->q.t0, NULL, x->q.p, 1, NULL, NULL, pdot, ydot, q->data);
    for (int i = 0; i < n; i++) ydot[i] += x->dir[0][i];
    q->terminal.eval(0, x->q.t0, y0, x->q.p, all, q->data);
    q->terminal.vjp_dot(0, x->q.t0, y0, x->q.p, 1, NULL, ydot, pdot, seed, NULL, gradient, hessian, gradient + n, hessian + n,
                        q->data);
    if (q->init.vjp_dot)
        q->init.vjp_dot(0, x->q.t0, NULL, x->q.p, 1, NULL, NULL, pdot, gradient, hessian, NULL, NULL, gradient + n, hessian + n,
                        q->data);
    *psi = all[objective];
}

/* The larger of worst and the distance of what was computed from what is known, if it is. */
static void compare(double *worst, int count, const double *got, const double *known)
{
    if (known) *worst = larger(*worst, distance(count, got, known));
}

static double known_objective(costate_solver *s, trial *x, int objective, const double *y0)
{
    double worst = 0, psi, gradient[STATES + PARAMS], hessian[STATES + PARAMS];
    const problem *q = &x->q;
    memset(x->weights, 0, sizeof x->weights);
    x->weights[objective] = 1;
    if (q->direction) { /* in p alone */
        memset(x->dir[0], 0, (size_t)x->n * sizeof *x->dir[0]);
        memcpy(x->dir[0] + x->n, q->direction, (size_t)x->np * sizeof *x->dir[0]);
    }
    run_trial(s, x);
    if (objective == 0) {
        compare(&worst, x->n, x->gradient, q->dy0);
        compare(&worst, x->np, x->gradient + x->n, q->dp);
        compare(&worst, x->np, x->hessian[0] + x->n, q->hp);
    }
    if (q->conserved >> objective & 1) {
        conserved(x, objective, y0, &psi, gradient, hessian);
        compare(&worst, 1, x->psi + objective, &psi);
        compare(&worst, x->n + x->np, x->gradient, gradient);
        compare(&worst, x->n + x->np, x->hessian[0], hessian);
    }
    return worst;
}

static double known(int method, problem q)
{
    double worst = 0, y0[STATES], y[STATES], psi[GOALS], dy0[STATES * GOALS], dp[PARAMS * GOALS];
    double all_dy0[STATES * GOALS], all_dp[PARAMS * GOALS];
    trial *x = prepare(q, 1, 4);
    costate_options o = costate_defaults(costate_method(method)->name);
    o.rtol = o.atol = 1e-13;
    costate_solver *s = solver(&q.prob, &o);
    start(&q, y0);
    if (q.prob.init.eval) q.prob.init.eval(0, q.t0, NULL, q.p, y0, q.prob.data);
    for (int j = 0; j < x->g; j++) worst = larger(worst, known_objective(s, x, j, y0));
    compare(&worst, x->n, x->y, q.state);
    compare(&worst, x->g, x->psi, q.psi);
    if (q.exact) {
        q.exact(q.t1, y0, q.p, y);
        compare(&worst, x->n, x->y, y);
    }
    if (q.exact_gradient) {
        q.exact_gradient(y0, q.p, psi, all_dy0, all_dp);
        GOOD(s, costate_gradient(s, x->g, NULL, dy0, dp));
        compare(&worst, x->g, x->psi, psi);
        compare(&worst, x->n * x->g, dy0, all_dy0);
        compare(&worst, x->np * x->g, dp, all_dp);
    }
    costate_free(s);
    free(x);
    return worst;
}

static void test_known(void **unused)
{
    (void)unused;
    print_message("%-10s", "method");
    for (int i = 0; i < problem_count(); i++) print_message(" %.10s", problem_get(i)->name);
    print_message("\n");
    for (int m = 0; m < explicit_methods(); m++) {
        if (costate_method(m)->order < 4) continue;
        print_message("%-10s", costate_method(m)->name);
        for (int i = 0; i < problem_count(); i++) {
            double worst = known(m, problem_at(i));
            print_message(" %10.1e", worst);
            assert_true(worst < 1e-9);
        }
        print_message("\n");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_identity), cmocka_unit_test(test_other_runs), cmocka_unit_test(test_hessian),
        cmocka_unit_test(test_lanes),    cmocka_unit_test(test_left_out),   cmocka_unit_test(test_each_objective),
        cmocka_unit_test(test_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
