/* test_undetermined.c - algebraic states that the equations leave open. A pencil that is singular up to round-off has factors all
 * the same: the start must see it, and name the states; and must not see it where units are odd. */
#include "support.h"

#include <math.h>
#include <stdio.h>

static costate_problem problem(int n, costate_rhs_fn *rhs, const double *mass, const double *index)
{
    return (costate_problem){.n = n, .rhs = rhs, .mass = mass, .index = index};
}

static int run(const costate_problem *q, const char *method, const char *solver, double *y, char *message, size_t size)
{
    costate_options o = costate_defaults(method);
    costate_solver *s = NULL;
    o.linsol = solver;
    int status = costate_create(&s, q, &o);
    if (!status) status = costate_solve(s, 0, 1, NULL, y);
    snprintf(message, size, "%s", costate_message(s));
    costate_free(s);
    return status;
}

/* By the first of the solvers, or both. */
static void undetermined(const costate_problem *q, const double *y0, size_t both, const char *words)
{
    static const char *const methods[] = {"auto", "bdf", "sdirk4a"}, *const solvers[] = {"dense", "gmres"};
    char message[1000];
    double y[40];
    for (size_t m = 0; m < COUNT(methods); m++)
        for (size_t l = 0; l <= both; l++) {
            memcpy(y, y0, sizeof *y * (size_t)q->n);
            if (run(q, methods[m], solvers[l], y, message, sizeof message) != COSTATE_ERR_CONSISTENT) fail_msg("%s", message);
            if (!strstr(message, words)) fail_msg("%s, %s: \"%s\" lacks \"%s\"", methods[m], solvers[l], message, words);
            assert_nan(y, (size_t)q->n);
        }
}

/* ---- index 1 ----------------------------------------------------------------------------------------------------------- */

/* One equation is three times the other, in numbers that are not exact. */
static int twice(double t, const double *y, const double *p, double *f, void *data)
{
    (void)t, (void)p, (void)data;
    f[0] = -y[0] + y[1];
    f[1] = 0.1 * y[1] + 0.3 * y[2] - 0.1 * y[0];
    f[2] = 0.3 * y[1] + 0.9 * y[2] - 0.3 * y[0];
    f[3] = y[3] - y[0];
    return 0;
}

/* Nor do they agree. */
static int contradict(double t, const double *y, const double *p, double *f, void *data)
{
    twice(t, y, p, f, data);
    f[2] += 1;
    return 0;
}

/* Units that are odd: z is of 1e-9, and w of 1e9, and both are determined. */
static int odd(double t, const double *y, const double *p, double *f, void *data)
{
    (void)t, (void)p, (void)data;
    f[0] = -y[0];
    f[1] = 1e9 * y[1] + 1e-9 * y[2] - 2 * y[0];
    f[2] = 1e9 * y[1] - 1e-9 * y[2];
    return 0;
}

static void test_index1(void **unused)
{
    static const double mass[] = {1, 0, 0, 0}, start[] = {1, 1, 0, 1};
    (void)unused;
    costate_problem q = problem(4, twice, mass, NULL);
    undetermined(&q, start, 1, "their Jacobian is singular; y[1], y[2] can change without breaking an equation");
    q = problem(4, contradict, mass, NULL);
    undetermined(&q, start, 0, "y[1], y[2] can change without breaking an equation"); /* GMRES does not converge */
    char message[1000];
    double y[] = {1, 0, 0};
    q = problem(3, odd, mass, NULL);
    if (run(&q, "radau2a", "dense", y, message, sizeof message)) fail_msg("%s", message);
    assert_near(y[1], exp(-1) * 1e-9, 1e-14);
    assert_near(y[2], exp(-1) * 1e9, 1e4);
}

/* ---- index 2 ----------------------------------------------------------------------------------------------------------- */

enum { CELLS = 8, FACES = CELLS - 1, STATES = FACES + CELLS };

/* A channel that is closed at both ends, and widens: flows u through its faces, u' = -a grad q + .., 0 = div u. Pressures q are
 * there up to a constant, and so one equation is too many; pinned, that of the first cell says what it is. */
static const double area[FACES] = {1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6};

static int channel(double t, const double *y, const double *p, double *f, void *data)
{
    const double *u = y, *q = y + FACES;
    (void)p;
    memset(f + FACES, 0, CELLS * sizeof *f);
    for (int i = 0; i < FACES; i++) {
        f[i] = area[i] * (q[i] - q[i + 1]) - u[i] / 3 + sin(t) / (i + 3);
        f[FACES + i] += area[i] * u[i];
        f[FACES + i + 1] -= area[i] * u[i];
    }
    if (data) f[FACES] = q[0];
    return 0;
}

static void test_index2(void **unused)
{
    double mass[STATES] = {0}, index[STATES] = {0}, y[STATES] = {0};
    int pinned = 1;
    char message[1000];
    (void)unused;
    for (int i = 0; i < STATES; i++) mass[i] = i < FACES, index[i] = i < FACES ? 0 : 2;
    costate_problem q = problem(STATES, channel, mass, index);
    undetermined(&q, y, 1, "y[7], y[8], y[9] and 5 more can change without breaking an equation");
    q.data = &pinned;
    index[FACES] = 1;
    if (run(&q, "radau2a", "dense", y, message, sizeof message)) fail_msg("%s", message);
    assert_near(y[STATES - 1] - y[STATES - 2], sin(1) / (FACES + 2) / area[FACES - 1], 1e-5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_index1), cmocka_unit_test(test_index2)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
