/* test_check_continuous.c - the certificate of the adjoint equations: right gradients have it, by all methods that take the
 * equations; planted mistakes do not, nor those that no test of single products can see. It never claims round-off. */
#include "known.h"
#include "monomials.h"

static const mistake none = {.products = 0};

/* One window of time in which one product of one function is not what it is elsewhere. */
static struct {
    int function; /* -1: none */
    double from, to;
    double states, params; /* factors */
} late = {.function = -1};

static void spoil(int fn, double t, int w, const double *before, double *x, int rows, double factor)
{
    if (late.function != fn || !(t > late.from && t < late.to) || !x) return;
    for (int i = 0; i < rows * w; i++) x[i] = before[i] + factor * (x[i] - before[i]);
}

static int late_vjp(int fn, double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb)
{
    double y_before[MY * LANES], p_before[MP * LANES];
    assert_true(w <= LANES);
    if (yb) memcpy(y_before, yb, (size_t)(m_system->n * w) * sizeof *yb);
    if (pb) memcpy(p_before, pb, (size_t)(MP * w) * sizeof *pb);
    m_vjp_as(M_VJP, fn, y, p, w, u, yb, pb);
    spoil(fn, t, w, y_before, yb, m_system->n, late.states);
    spoil(fn, t, w, p_before, pb, MP, late.params);
    return 0;
}

static int rhs_vjp(double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb, void *data)
{
    (void)data;
    return late_vjp(M_RHS, t, y, p, w, u, yb, pb);
}

static int running_vjp(int k, double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb,
                       void *data)
{
    (void)k, (void)data;
    return late_vjp(M_RUNNING, t, y, p, w, u, yb, pb);
}

static int64_t few_steps; /* no more than so many; 0: as many as it takes */

static costate_certificate certificate_of(const char *method, double rtol)
{
    costate_options o = costate_defaults(method);
    costate_problem q = m_problem();
    costate_certificate c;
    q.vjp = rhs_vjp;
    q.vjp_points = NULL;
    q.running.vjp = running_vjp;
    o.adjoint = "continuous";
    o.rtol = rtol;
    if (few_steps) o.max_steps = few_steps;
    costate_solver *s = solver(&q, &o);
    const int status = costate_check(s, 0, 2, m_p, NULL, &c);
    if (status && status != COSTATE_CHECK_FAILED) fail_msg("%s: %s", method, costate_message(s));
    assert_int_equal(c.holds, !status);
    assert_true(c.continuous);
    costate_free(s);
    return c;
}

/* ---- what is right ----------------------------------------------------------------------------------------------------- */

static int goes_back(const costate_table *method)
{
    return strcmp(method->name, "auto") != 0;
}

static void all_methods_have_it(void **unused)
{
    (void)unused;
    for (int i = 0; costate_method(i); i++)
        for (double rtol = 1e-4; rtol > 1e-7 && goes_back(costate_method(i)); rtol /= 100) {
            if (costate_method(i)->order < 4 && rtol < 1e-5) continue;
            const costate_certificate c = certificate_of(costate_method(i)->name, rtol);
            if (!c.holds) fail_msg("%s, %g: %s", costate_method(i)->name, rtol, c.text);
            if (!(c.tighter.defect <= 100 * rtol) || !(c.bars.defect <= 3) || c.tolerance != rtol)
                fail_msg("%s, %g: %s", costate_method(i)->name, rtol, c.text);
            if (strstr(c.text, "round-off")) fail_msg("%s", c.text);
        }
}

static void algebraic_equations_have_it(void **unused)
{
    (void)unused;
    static const char *const methods[] = {"radau2a", "bdf", "sdirk4a"};
    m_choose(&m_systems[1]);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        const costate_certificate c = certificate_of(methods[i], 1e-6);
        if (!c.holds) fail_msg("%s: %s", methods[i], c.text);
    }
    m_choose(m_systems);
}

static void the_finest_tolerance_has_it(void **unused)
{
    (void)unused;
    for (double rtol = 1e-11; rtol > 1e-14; rtol /= 10) {
        const costate_certificate c = certificate_of("dopri853", rtol);
        if (!c.holds) fail_msg("%g: %s", rtol, c.text);
    }
}

/* ---- what is not ------------------------------------------------------------------------------------------------------- */

static void planted_mistakes_are_found(void **unused)
{
    (void)unused;
    static const char *const methods[] = {"dopri5", "radau2a", "rodas4", "bdf"};
    static const double factors[] = {0, -1, 1.01};
    static const unsigned products[] = {M_VJP, M_VJP_DOT, M_JVP | M_VJP | M_VJP_DOT};
    int planted = 0;
    for (int fn = 0; fn < M_FUNCTIONS; fn++)
        for (int term = 0; m_table[fn][term].c != 0; term++)
            for (int var = 0; var < MZ; var++) {
                if (!m_table[fn][term].e[var] || (fn == M_INIT && var < MY)) continue;
                m_bug = (mistake){fn, products[planted % 3], term, var, M_EVERY, 0, 1, factors[planted / 3 % 3], 0, 0, 0, 0};
                const costate_certificate c = certificate_of(methods[planted % 4], 1e-6);
                if (c.holds) fail_msg("%s, term %d by %d: %s", m_name[fn], term, var, c.text);
                planted++;
            }
    m_bug = none;
    assert_true(planted > 30);
}

/* No product is wrong where products are looked at; what the run back makes of them does not fall. */
static void what_does_not_fall_is_found(void **unused)
{
    (void)unused;
    static const struct {
        const char *what;
        int function;
        double states, params;
    } cases[] = {{"a missing running term", M_RUNNING, 0, 0},
                 {"a wrong sign", M_RHS, -1, 1},
                 {"a missing parameter", M_RHS, 1, 0},
                 {"a tenth of the running cost's parameters", M_RUNNING, 1, 0.9}};
    static const char *const methods[] = {"dopri5", "sdirk4a", "radau2a", "rodas4", "bdf"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
            late.function = cases[i].function, late.from = 1.5, late.to = 1.65;
            late.states = cases[i].states, late.params = cases[i].params;
            const costate_certificate c = certificate_of(methods[k], 1e-6);
            if (c.holds || !c.tighter.wrong) fail_msg("%s, %s: %s", cases[i].what, methods[k], c.text);
            if (c.products.wrong) fail_msg("%s, %s is seen anyway: %s", cases[i].what, methods[k], c.text);
        }
    late.function = -1;
}

/* Where no tighter run is to be had a looser one shows what falls, and what does not. */
static void a_looser_run_does_as_well(void **unused)
{
    (void)unused;
    for (int wrong = 0; wrong < 2; wrong++) {
        late.function = wrong ? M_RHS : -1, late.from = 1.5, late.to = 1.65, late.states = 1, late.params = 0;
        few_steps = 600;
        const costate_certificate c = certificate_of("rk23", 1e-7);
        few_steps = 0;
        late.function = -1;
        if (c.holds == wrong || !isnan(c.bars.defect)) fail_msg("%s", c.text);
        if (!strstr(c.remark, "held against a hundred times")) fail_msg("%s", c.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_methods_have_it),         cmocka_unit_test(algebraic_equations_have_it),
        cmocka_unit_test(the_finest_tolerance_has_it), cmocka_unit_test(a_looser_run_does_as_well),
        cmocka_unit_test(planted_mistakes_are_found),
        cmocka_unit_test(what_does_not_fall_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
