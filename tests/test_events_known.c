/* test_events_known.c - problems with events whose answers have closed forms: values, gradients and Hessians. */
#include "known_events.h"
#include "support.h"

static costate_solver *opened(const known_problem *k, jets *q, const char *method, double rtol)
{
    *q = k->q;
    costate_problem problem = jets_problem(q);
    costate_options options = costate_defaults(method);
    problem.direction = k->direction;
    problem.observe_at = k->observe_at;
    problem.observations = k->observations;
    problem.first_mode = k->first_mode;
    options.rtol = rtol;
    options.atol = rtol;
    costate_solver *s = NULL;
    int status = costate_create(&s, &problem, &options);
    if (status) print_message("%s: %s\n", k->name, costate_message(s));
    assert_int_equal(status, 0);
    return s;
}

static double off(double a, double b, double scale)
{
    return fabs(a - b) / fmax(fabs(b), scale);
}

static void ask(costate_solver *s, const known_problem *k, int status)
{
    if (status) print_message("%s: %s\n", k->name, costate_message(s));
    assert_int_equal(status, 0);
}

/* Relative errors of psi, of gradients and of Hessians, the largest each. */
static void measure(const known_problem *k, const char *method, double rtol, double worst[3])
{
    jets q;
    costate_solver *s = opened(k, &q, method, rtol);
    const int no = q.objectives, np = q.np;
    double y[4], psi[3], dp[6 * 3], dy[4 * 3], h[10 * 10];
    costate_event event;
    memcpy(y, k->y0, sizeof y);
    ask(s, k, costate_solve(s, 0, k->t1, k->p, y));
    ask(s, k, costate_objectives(s, psi));
    int count = 0;
    while (costate_events(s, count, &event) == 0) count++;
    assert_int_equal(count, k->events);
    ask(s, k, costate_gradient(s, no, NULL, dy, dp));
    worst[0] = worst[1] = worst[2] = 0;
    for (int o = 0; o < no; o++) {
        double most = 0, bend = 0;
        for (int i = 0; i < np; i++) most = fmax(most, fabs(k->gradient[o][i]));
        for (int i = 0; i < np * np; i++) bend = fmax(bend, fabs(k->hessian[o][i / np][i % np]));
        worst[0] = fmax(worst[0], off(psi[o], k->psi[o], 0));
        for (int i = 0; i < np; i++) worst[1] = fmax(worst[1], off(dp[i * no + o], k->gradient[o][i], 1e-3 * most));
        double weights[3] = {0};
        int variable[6];
        weights[o] = 1;
        for (int i = 0; i < np; i++) variable[i] = q.n + i;
        ask(s, k, costate_hessian_full(s, weights, np, variable, h));
        for (int i = 0; i < np * np; i++)
            worst[2] = fmax(worst[2], off(h[i], k->hessian[o][i / np][i % np], 1e-3 * bend));
    }
    costate_free(s);
}

static void they_have_closed_forms(void **state)
{
    (void)state;
    for (int i = 0; i < KNOWN_PROBLEMS; i++) {
        double worst[3];
        measure(&known_problems[i], "dopri853", 1e-13, worst);
        print_message("%-10s psi %.1e, gradient %.1e, Hessian %.1e\n", known_problems[i].name, worst[0], worst[1], worst[2]);
        assert_true(worst[0] < 1e-11);
        assert_true(worst[1] < 1e-10);
        assert_true(worst[2] < 1e-10);
    }
}

/* psi, then gradients; steps that were taken again. */
static int64_t within(const known_problem *k, const char *method, double rtol, const char *memory, double all[3 + 10 * 3])
{
    jets q;
    costate_solver *s = opened(k, &q, method, rtol);
    double y[4];
    memcpy(y, k->y0, sizeof y);
    memset(all, 0, (3 + 10 * 3) * sizeof *all);
    ask(s, k, costate_set(s, "memory", memory));
    ask(s, k, costate_solve(s, 0, k->t1, k->p, y));
    ask(s, k, costate_objectives(s, all));
    ask(s, k, costate_gradient(s, q.objectives, NULL, all + 3, all + 3 + 4 * 3));
    const int64_t again = stats_of(s).recomputed_steps;
    costate_free(s);
    return again;
}

/* Steps that end at events are taken again as they were, be it at a root, solved to round-off, or at a known time. */
static void budgets_change_no_bit(void **state)
{
    (void)state;
    static const char *const methods[] = {"dopri5", "sdirk2b", "sdirk4a", "radau2a", "lobatto3c", "rodas4"};
    int64_t again = 0;
    for (int i = 0; i < KNOWN_PROBLEMS; i++)
        for (size_t m = 0; m < COUNT(methods); m++) {
            double one[3 + 10 * 3], other[3 + 10 * 3], rtol = m % 2 ? 1e-6 : 1e-3;
            within(&known_problems[i], methods[m], rtol, "1G", one);
            again += within(&known_problems[i], methods[m], rtol, "2K", other);
            assert_bits(one, other, COUNT(one));
        }
    assert_true(again > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(they_have_closed_forms), cmocka_unit_test(budgets_change_no_bit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
