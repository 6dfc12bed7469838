/* test_jumps.c - right-hand sides that jump, in t and in y, anywhere within a step: every method's step control is to see it.
 *
 *     in t:    y' = -y/5 + J when an odd number of switch times has passed,   z' = y - z
 *     in y:    y' = 1 + y/10 below the threshold Y, 1 + J - (y - Y)/2 above,   z' = (0 below, J above) - z
 *     ramp:    y' = 1 below the threshold Y, J above,   z' = -z,   so that errors before it are not magnified
 *     let go:  y' = 1 + z below the threshold Y, J above,   z' = -z,   so that f_y jumps, which was constant
 *     taken:   y' = 1 below the threshold Y, J z above,   z' = -z
 *     forced:  y' = cos 3t - y/10 + J after the switch time,   z' = y - z
 *     quiet:   y' = 0 before the switch time, J after (until the next one), and busy beside it z' = w cos wt - 3 (z - sin wt) */
#include "support.h"

#include "method/witness.h"

enum { IN_T, IN_Y, FORCED, KINDS, RAMP = KINDS, LET_GO, TAKEN, QUIET, SWITCHES = 5 };

typedef struct jump {
    int kind, count;
    double at[SWITCHES], size, w;
} jump;

static int passed(const jump *q, double t)
{
    int count = 0;
    for (int i = 0; i < q->count; i++) count += t >= q->at[i];
    return count;
}

static int rhs(double t, const double *y, const double *p, double *f, void *data)
{
    const jump *q = data;
    (void)p;
    double more = passed(q, t) % 2 ? q->size : 0;
    f[1] = y[0] - y[1];
    if (q->kind == IN_T) f[0] = more - 0.2 * y[0];
    if (q->kind == FORCED) f[0] = cos(3 * t) - 0.1 * y[0] + more;
    if (q->kind >= RAMP) f[0] = y[0] < q->at[0] ? 1 : q->size, f[1] = -y[1];
    if (q->kind == LET_GO && y[0] < q->at[0]) f[0] += y[1];
    if (q->kind == TAKEN && y[0] >= q->at[0]) f[0] *= y[1];
    if (q->kind == QUIET) f[0] = more, f[1] = q->w * cos(q->w * t) - 3 * (y[1] - sin(q->w * t));
    if (q->kind != IN_Y) return 0;
    int above = y[0] >= q->at[0];
    f[0] = above ? 1 + q->size - 0.5 * (y[0] - q->at[0]) : 1 + 0.1 * y[0];
    f[1] = (above ? q->size : 0) - y[1];
    return 0;
}

static int jac(double t, const double *y, const double *p, double *f_y, void *data)
{
    const jump *q = data;
    (void)t, (void)p;
    memset(f_y, 0, 4 * sizeof *f_y);
    f_y[3] = q->kind == QUIET ? -3 : -1;
    if (q->kind == LET_GO) f_y[2] = y[0] < q->at[0];
    if (q->kind == TAKEN) f_y[2] = y[0] < q->at[0] ? 0 : q->size;
    if (q->kind >= RAMP) return 0;
    f_y[0] = q->kind == IN_T ? -0.2 : q->kind == FORCED ? -0.1 : y[0] < q->at[0] ? 0.1 : -0.5;
    f_y[1] = q->kind != IN_Y;
    return 0;
}

static int jvp(double t, const double *y, const double *p, int w, const double *tdot, const double *ydot, const double *pdot,
               double *fdot, void *data)
{
    const jump *q = data;
    double f_y[4];
    (void)pdot;
    jac(t, y, p, f_y, data);
    for (int l = 0; l < w; l++) {
        double a = ydot ? ydot[l] : 0, b = ydot ? ydot[w + l] : 0;
        fdot[l] = f_y[0] * a + f_y[2] * b + (tdot && q->kind == FORCED ? -3 * sin(3 * t) * tdot[l] : 0);
        fdot[w + l] = f_y[1] * a + f_y[3] * b;
        if (tdot && q->kind == QUIET) fdot[w + l] += q->w * (3 * cos(q->w * t) - q->w * sin(q->w * t)) * tdot[l];
    }
    return 0;
}

static costate_problem problem_of(jump *q)
{
    return (costate_problem){.n = 2, .data = q, .rhs = rhs, .jac = jac, .jvp = jvp};
}

static void first(const jump *q, double *y)
{
    y[0] = q->kind == IN_T || q->kind == FORCED;
    y[1] = q->kind >= RAMP && q->kind != QUIET;
}

/* The solution at t = 3: from switch to switch, seen from their own sides; in y by its formula. */
static void solution(jump *q, double *y)
{
    first(q, y);
    if (q->kind == QUIET) {
        y[0] = q->size * ((q->count > 1 ? q->at[1] : 3) - q->at[0]);
        y[1] = sin(3 * q->w);
        return;
    }
    if (q->kind >= RAMP) {
        double t = q->at[0];
        for (int k = 0; q->kind == LET_GO && k < 30; k++) t -= (t - expm1(-t) - q->at[0]) / (1 + exp(-t));
        y[0] = q->at[0] + q->size * (q->kind == TAKEN ? exp(-t) - exp(-3) : 3 - t);
        y[1] = exp(-3.0);
        return;
    }
    if (q->kind == IN_Y) {
        double Y = q->at[0], rest = 3 - 10 * log1p(Y / 10);
        y[0] = Y + 2 * (1 + q->size) * -expm1(-0.5 * rest);
        y[1] = q->size * -expm1(-rest);
        return;
    }
    costate_problem prob = problem_of(q);
    costate_options opt = costate_defaults("dopri853");
    opt.rtol = opt.atol = 1e-12;
    opt.record = 0;
    costate_solver *s = make_solver(&prob, &opt);
    for (int i = 0; i <= q->count; i++)
        assert_ok(s, costate_solve(s, i ? q->at[i - 1] : 0, i < q->count ? q->at[i] : 3, NULL, y));
    costate_free(s);
}

static double error_of(int m, double tol, jump *q, const double *exact)
{
    double y[2], most = 0;
    costate_problem prob = problem_of(q);
    costate_options opt = costate_defaults(costate_method(m)->name);
    opt.rtol = opt.atol = tol;
    opt.record = 0;
    costate_solver *s = make_solver(&prob, &opt);
    first(q, y);
    assert_ok(s, costate_solve(s, 0, 3, NULL, y));
    costate_free(s);
    for (int i = 0; i < 2; i++) most = fmax(most, fabs(y[i] - exact[i]) / (tol * (1 + fabs(exact[i]))));
    return most;
}

/* Methods of second order take too many steps, whose errors add up. */
static double tightest(int m)
{
    return costate_method(m)->order > 2 ? 1e-8 : 1e-5;
}

/* Every method, at tolerances that fall by `by`, comes within 30 of them. */
static void within_thirty(jump *q, double by)
{
    double exact[2];
    solution(q, exact);
    for (int m = 0; m < costate_method_count(); m++)
        for (double tol = 1e-4; tol > 0.5 * tightest(m); tol /= by) {
            const double e = error_of(m, tol, q, exact);
            if (!(e < 30))
                fail_msg("%s, %g: %d jumps of kind %d by %g at %g, %g beside w = %g, %.1f tolerances", costate_method(m)->name,
                         tol, q->count, q->kind, q->size, q->at[0], q->at[1], q->w, e);
        }
}

/* Within 30 tolerances, wherever the switch is. Jumps that are small for a step of the loosest tolerance are for others. */
static void test_jumps(void **unused)
{
    (void)unused;
    static const double places[][SWITCHES] = {{0.31, 0.777, 1.2, 1.93, 2.6}, {0.55, 1.0, 1.499, 2.11, 2.77}};
    static const double sizes[] = {1, 30, 1000};
    for (size_t set = 0; set < COUNT(places); set++)
        for (int kind = 0; kind < KINDS; kind++)
            for (size_t j = 0; j < COUNT(sizes); j++)
                for (int i = 0; i < SWITCHES; i++) {
                    jump q = {.kind = kind, .count = 1, .at = {places[set][i]}, .size = sizes[j]};
                    within_thirty(&q, 100);
                }
}

/* In the first step, where there is nothing to compare with. */
static void test_first_step(void **unused)
{
    (void)unused;
    static const double places[] = {0.0005, 0.002, 0.01}, sizes[] = {0.3, 1, 50};
    for (int kind = 0; kind < KINDS; kind++)
        for (size_t i = 0; i < COUNT(places); i++)
            for (size_t j = 0; j < COUNT(sizes); j++) {
                jump q = {.kind = kind, .count = 1, .at = {places[i]}, .size = sizes[j]};
                within_thirty(&q, 10);
            }
}

/* As many thresholds as make a miss by chance unlikely: after the first steps, which grow fast, among others. */
static void test_scan(void **unused)
{
    (void)unused;
    for (int i = 0; i < 24; i++) {
        jump q = {.kind = RAMP, .count = 1, .at = {0.02 + 1.95 * ((i + 0.5) / 24 + 0.0125 * sin(7 * i))}, .size = 40};
        within_thirty(&q, 10);
    }
}

/* What smooth components lead one to expect is no excuse for a quiet one beside them, wherever in a step it jumps. */
static void test_beside(void **unused)
{
    (void)unused;
    static const int kinds[] = {QUIET, RAMP};
    for (int i = 0; i < 120; i++) {
        jump q = {.kind = kinds[i % 2], .count = 1, .at = {0.06 + 2.6 * fmod(0.618034 * (i + 1), 1)},
                  .size = 0.3 * pow(10, i % 29 / 8.0), .w = 1 + 8 * fmod(0.754878 * (i + 1), 1)};
        within_thirty(&q, 10);
    }
}

/* On and off: long steps before the second one, for y is a straight line, and z keeps them below what is between. */
static void test_on_and_off(void **unused)
{
    (void)unused;
    for (int i = 0; i < 150; i++) {
        const double at = 0.02 + 2.1 * fmod(0.618034 * (i + 1), 1), rest = fmod(0.569840 * (i + 1), 1);
        jump q = {.kind = QUIET, .count = 2, .at = {at, at + 0.7 + (2.2 - at) * rest},
                  .size = (i % 3 ? 0.1 : -0.1) * pow(10, i % 23 / 11.0), .w = 2 + 8 * fmod(0.754878 * (i + 1), 1)};
        within_thirty(&q, 10);
    }
}

static int nothing(int k, double t, const double *y, const double *p, double *g, void *data)
{
    (void)k, (void)t, (void)y, (void)p, (void)data;
    g[0] = 0;
    return 0;
}

/* f_t by differences sees neither what was before the step nor what comes after it: runs with a jump at a stop, and within steps,
 * are as those with a jvp. */
static void test_differences(void **unused)
{
    (void)unused;
    static const double sizes[] = {1, 30};
    for (int m = 0; m < costate_method_count(); m++)
        for (int i = 0; costate_method(m)->family == COSTATE_ROS && i < 8; i++) {
            jump q = {.kind = FORCED, .count = 1, .at = {0.2 + 0.31 * i}, .size = sizes[i % 2]};
            int64_t attempts[2] = {0};
            double exact[2];
            solution(&q, exact);
            for (int own = 0; own < 2; own++) {
                costate_problem prob = problem_of(&q);
                costate_options opt = costate_defaults(costate_method(m)->name);
                costate_stats stats;
                double y[2];
                if (!own) prob.jvp = NULL, prob.jac = NULL;
                if (i < 4) {
                    prob.objectives = prob.observations = 1;
                    prob.observe_at = q.at;
                    prob.observe.eval = nothing;
                }
                opt.rtol = opt.atol = tightest(m);
                costate_solver *s = make_solver(&prob, &opt);
                first(&q, y);
                assert_ok(s, costate_solve(s, 0, 3, NULL, y));
                costate_get_stats(s, &stats);
                attempts[own] = stats.steps + stats.rejected;
                costate_free(s);
                for (int k = 0; k < 2; k++) assert_true(fabs(y[k] - exact[k]) < 30 * opt.rtol * (1 + fabs(exact[k])));
            }
            if (labs((long)(attempts[0] - attempts[1])) > 6 + attempts[1] / 20)
                fail_msg("%s, a jump by %g at %g: %ld and %ld attempts", costate_method(m)->name, q.size, q.at[0],
                         (long)attempts[0], (long)attempts[1]);
        }
}

/* Where t is coarse f jumps with t itself, by no more than is to be borne. */
static int far_rhs(double t, const double *y, const double *p, double *f, void *data)
{
    const double x = t - *(const double *)data;
    (void)p;
    f[0] = y[1];
    f[1] = -4 * y[0] - 0.1 * y[1] + cos(2 * x);
    f[2] = 0.1 * y[0] - y[2] * y[2];
    return 0;
}

static void test_far(void **unused)
{
    (void)unused;
    double t0 = 1.7e9, y[] = {1, 0, 1};
    const costate_problem prob = {.n = 3, .rhs = far_rhs, .data = &t0};
    costate_options opt = costate_defaults("bdf");
    opt.rtol = opt.atol = 1e-10;
    costate_solver *s = make_solver(&prob, &opt);
    assert_ok(s, costate_solve(s, t0, t0 + 3, NULL, y));
    costate_free(s);
}

/* Newton's iteration with the matrix of before converges fast but for its first correction, by which a step is not to go. */
static void test_let_go(void **unused)
{
    (void)unused;
    static const struct {
        int kind;
        double place, size, loosest;
    } cases[] = {{LET_GO, 0.137, 0.3, 1e-4}, {LET_GO, 0.5, 0.3, 1e-4}, {LET_GO, 1.41, 0.3, 1e-4}, {TAKEN, 0.41, 3, 1e-3}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        jump q = {.kind = cases[i].kind, .count = 1, .at = {cases[i].place}, .size = cases[i].size};
        double exact[2];
        solution(&q, exact);
        for (int m = 0; m < costate_method_count(); m++) {
            const double loosest = costate_method(m)->family == COSTATE_FIRK ? cases[i].loosest : 1e-4;
            for (double tol = loosest; tol > 0.5 * tightest(m); tol /= 10) {
                double e = error_of(m, tol, &q, exact);
                if (!(e < 30)) fail_msg("%s, %g: let go at %g, %.1f tolerances", costate_method(m)->name, tol, q.at[0], e);
            }
        }
    }
}

/* On and off, five times, while steps are shorter than what is between. */
static void test_many(void **unused)
{
    (void)unused;
    static const double sizes[] = {1, -30, 1000};
    for (size_t j = 0; j < COUNT(sizes); j++) {
        jump q = {.kind = IN_T, .count = SWITCHES, .at = {0.31, 0.777, 1.2, 1.93, 2.6}, .size = sizes[j]};
        within_thirty(&q, 10);
    }
}

/* Stages are as in the forward run when steps are repeated: the gradient does not depend on how much is recorded. */
static void test_repeated(void **unused)
{
    (void)unused;
    for (int m = 0; m < costate_method_count(); m++) {
        double dy0[2][2];
        for (int i = 0; i < 2; i++) {
            jump q = {.kind = FORCED, .count = 1, .at = {1.2}, .size = 3};
            costate_problem prob = problem_of(&q);
            costate_options opt = costate_defaults(costate_method(m)->name);
            costate_solver *s = make_solver(&prob, &opt);
            double y[2], w[2] = {1, 0.5};
            assert_ok(s, costate_set(s, "memory", i ? "2K" : "1G"));
            first(&q, y);
            assert_ok(s, costate_solve(s, 0, 3, NULL, y));
            assert_ok(s, costate_gradient(s, 1, w, dy0[i], NULL));
            costate_free(s);
        }
        assert_bits(dy0[0], dy0[1], 2);
    }
}

/* ---- the witness ---------------------------------------------------------------------------------------------------------- */

static double partial(const witness_slopes *q, const double *x, double theta)
{
    double sum = 0;
    for (int i = 0; i < q->s; i++) sum += q->c[i] > theta ? x[i] : 0;
    return sum;
}

/* For each method of Runge and Kutta, with slopes at both ends: order conditions, and no theta at which a jump is hidden. */
static void test_witness(void **unused)
{
    (void)unused;
    int found = 0;
    for (int m = 0; m < costate_method_count(); m++) {
        const costate_table *t = costate_method(m);
        witness_slopes q = {0};
        double d[WITNESS_MOST], moment[3] = {0}, first_order = 0;
        if (t->family != COSTATE_ERK && t->family != COSTATE_SDIRK) continue;
        if (t->family == COSTATE_SDIRK) witness_add(&q, 0, 0, 0, 0);
        double c[WITNESS_MOST] = {0};
        for (int i = 0; i < t->stages; i++)
            for (int j = 0; j < t->stages; j++) c[i] += t->a[i * t->stages + j];
        for (int i = 0; i < t->stages; i++) {
            double ac = 0;
            for (int j = 0; j < t->stages; j++) ac += t->a[i * t->stages + j] * c[j];
            witness_add(&q, c[i], ac, t->b[i], t->e[i]);
        }
        int order = cst__witness(&q, 1 + (t->order < t->embedded_order ? t->order : t->embedded_order), d);
        found += order > 0;
        for (int i = 0; i < q.s; i++) {
            for (int k = 0; k < order - 1; k++) moment[k] += d[i] * pow(q.c[i], k);
            first_order += order > 3 ? d[i] * q.ac[i] : 0;
        }
        for (int k = 0; k < 3; k++) assert_near(moment[k], 0, 1e-11);
        assert_near(first_order, 0, 1e-11);
        for (double theta = 0.0005; theta < 1; theta += 0.001) {
            double error = fabs(1 - theta - partial(&q, q.b, theta));
            double seen = fmax(20 * fabs(partial(&q, q.e, theta)), fabs(partial(&q, d, theta)));
            if (!(seen >= error)) fail_msg("%s: at %g the error is %g, and %g is seen", t->name, theta, error, seen);
        }
    }
    assert_int_equal(found, 10); /* all but rk23 and rk43 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_jumps),
        cmocka_unit_test(test_first_step),
        cmocka_unit_test(test_scan),
        cmocka_unit_test(test_beside),
        cmocka_unit_test(test_on_and_off),
        cmocka_unit_test(test_differences),
        cmocka_unit_test(test_far),
        cmocka_unit_test(test_let_go),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_repeated),
        cmocka_unit_test(test_witness),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
