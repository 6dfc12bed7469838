/* test_events_certificate.c - all that events have, in every family, without and with algebraic states: the certificate, and what
 * must hold of the parts.
 *
 *     <gradient, direction> = tangent, nu + kappa e_t + h_bar = 0, the Hessian's symmetry: at round-off
 *     Taylor's formula over the recorded steps, times of events being found anew: with power 2, and with power 3 */
#include "forced_algebraic.h"
#include "support.h"

#include "core/events.h"

static const char *const methods[] = {"dopri5", "dopri853", "sdirk4a", "radau2a", "ros4", "rodas4"};
static const char *const of_dae[] = {"sdirk4a", "radau2a", "lobatto3c", "rodas3", "rodas4"};

enum { STATES_MOST = ALGEBRAIC_STATES };

static void fine(costate_solver *s, const char *what, int status)
{
    if (status) print_message("%s: %s\n", what, costate_message(s));
    assert_int_equal(status, 0);
}

static costate_solver *opened(jets *q, int dae, const double *last, const char *method, double size)
{
    const costate_problem problem = dae ? algebraic_problem(q, last) : forced_problem(q, last);
    costate_options options = costate_defaults(method);
    options.rtol = options.atol = 1e-6;
    options.step = size;
    if (size == 0) options.newton_tol = 1e-11;
    costate_solver *s = NULL;
    fine(s, method, costate_create(&s, &problem, &options));
    return s;
}

/* end: of the interval; last: a value of z that ends the run. */
static void certify(const char *method, int dae, double last, double end, double size, int happen)
{
    jets q;
    costate_solver *s = opened(&q, dae, &last, method, size);
    costate_certificate c;
    double y[STATES_MOST], dp[2 * FORCED_PARAMS], pd[FORCED_PARAMS], hp[FORCED_PARAMS];
    const double *start = dae ? algebraic_y : forced_y;
    memcpy(y, start, (size_t)q.n * sizeof *y);
    fine(s, method, costate_solve(s, 0, end, forced_p, y));
    costate_event e;
    int count = 0;
    while (costate_events(s, count, &e) == 0) count++;
    if (count != happen) print_message("%s: %d events\n", method, count);
    assert_int_equal(count, happen);
    double dy[2 * STATES_MOST];
    fine(s, method, costate_gradient(s, 2, NULL, dy, dp));
    const double first = s->ev->identity;
    for (int i = 0; i < FORCED_PARAMS; i++) pd[i] = 1 + 0.1 * i;
    fine(s, method, costate_hessian(s, 1, NULL, NULL, pd, dy, hp));
    const double second = s->ev->identity;
    memcpy(y, start, (size_t)q.n * sizeof *y);
    int status = costate_check(s, 0, end, forced_p, y, &c);
    print_message("%-8s %d events, identity %.1e, symmetry %.1e, slopes %.3f %.3f, nu + kappa e_t + h_bar %.1e %.1e\n", method,
                  count, c.identity, c.symmetry, c.slope_gradient, c.slope_hessian, first, second);
    if (status) print_message("%s: %s\n", costate_message(s), c.text);
    assert_int_equal(status, 0);
    assert_true(first > 0 && first < 1e-12);
    assert_true(second > 0 && second < 1e-12);
    assert_true(c.identity < 1e-12);
    assert_true(c.symmetry < 1e-12);
    assert_true(fabs(c.slope_gradient - 2) < (size > 0 ? 0.02 : 0.1)); /* Newton's rest leaves large perturbations alone */
    assert_true(isnan(c.slope_hessian) || fabs(c.slope_hessian - 3) < 0.1);
    costate_free(s);
}

static void it_holds_in_every_family(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(methods); i++) certify(methods[i], 0, 100, 8, 0, 4);
}

static void and_where_an_event_ends_the_run(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(methods); i += 2) certify(methods[i], 0, 1.2, 20, 0, 4);
}

static void with_steps_of_a_given_size(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(methods); i++) certify(methods[i], 0, 100, 8, 0.1, 4);
}

static void with_algebraic_states(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(of_dae); i++) {
        certify(of_dae[i], 1, 100, 8, 0, 5);
        certify(of_dae[i], 1, 1.2, 20, 0, 3);
        certify(of_dae[i], 1, 100, 8, 0.1, 5);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(it_holds_in_every_family), cmocka_unit_test(with_algebraic_states),
                                       cmocka_unit_test(and_where_an_event_ends_the_run),
                                       cmocka_unit_test(with_steps_of_a_given_size)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
