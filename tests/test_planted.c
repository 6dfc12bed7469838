/* test_planted.c - mistakes planted in every product, and what the certificate makes of them: each is found, by each method. */
#include "known.h"
#include "monomials.h"

static const char *const methods[] = {"rk32", "dopri5", "dopri853", "ros3", "rodas4", "sdirk2a", "sdirk4b", "radau2a", "gauss"};
enum { METHODS = sizeof methods / sizeof *methods };
static const mistake none = {.products = 0};

/* Of systems with algebraic equations; Rosenbrock methods do not take index 2. */
static const char *const implicit[] = {"radau2a", "bdf", "sdirk4a", "rodas4"};
enum { IMPLICIT = sizeof implicit / sizeof *implicit };

static int holds(const char *method, costate_certificate *c)
{
    costate_options o = costate_defaults(method);
    costate_problem q = m_problem();
    costate_solver *s = solver(&q, &o);
    int status = costate_check(s, 0, 2, m_p, NULL, c);
    if (status && status != COSTATE_CHECK_FAILED) fail_msg("%s: %s", method, costate_message(s));
    assert_int_equal(c->holds, !status);
    costate_free(s);
    return c->holds;
}

static void test_none(void **unused)
{
    costate_certificate c;
    (void)unused;
    m_bug = none;
    for (int i = 0; costate_method(i); i++)
        if (!holds(costate_method(i)->name, &c)) fail_msg("%s: %s", costate_method(i)->name, c.text);
}

/* ---- one function, one product, one way to be wrong ------------------------------------------------------------------ */

typedef struct way {
    const char *what;
    int lane, width, orders;
    double factor;
    int reverse; /* 1: of products that have rows for parameters, in those alone */
} way;

static const way ways[] = {
    {"missing term", M_EVERY, 0, 3, 0, 0},         {"wrong sign", M_EVERY, 0, 3, -1, 0},
    {"a thousandth off", M_EVERY, 0, 3, 1.001, 0}, {"in pb only", M_EVERY, 0, 3, 0, 1},
    {"in lane 1 of all widths", 1, 0, 3, 0, 0},    {"in lane 3 of width 4", 3, 4, 3, 0, 0},
    {"in the last lane of 8", 7, 8, 3, -1, 0},     {"in second derivatives", M_EVERY, 0, 2, 0, 0},
};

static const struct {
    const char *name;
    unsigned bit;
    int orders;    /* of derivatives in it */
    int functions; /* 1: of all functions, 0: of the right-hand side */
} products[] = {{"jvp", M_JVP, 1, 1},
                {"vjp", M_VJP, 1, 1},
                {"jvp2", M_JVP2, 2, 0},
                {"vjp_dot", M_VJP_DOT, 3, 1},
                {"vjp_dot2", M_VJP_DOT2, 2, 0},
                {"jac", M_JAC, 1, 0},
                {"vjp_points", M_POINTS, 1, 0},
                {"jvp and vjp", M_JVP | M_VJP | M_VJP_DOT, 1, 1},
                {"vjp within vjp_dot", M_STILL, 1, 1}};

/* A term of the function that has such a derivative: the last that has a parameter in it and is not linear. */
static int term_of(int fn, int *var, int parameter)
{
    int found = -1;
    for (int t = 0; m_table[fn][t].c != 0; t++)
        for (int k = parameter || fn == M_INIT ? MY : 0; k < MZ; k++) {
            int degree = 0;
            for (int q = 0; q < MZ; q++) degree += m_table[fn][t].e[q];
            if (m_table[fn][t].e[k] && degree > 2) found = t, *var = k;
        }
    if (found < 0 && fn == M_INIT) found = 1, *var = MY;
    return found;
}

static void test_all(void **unused)
{
    int planted = 0, missed = 0;
    costate_certificate c;
    (void)unused;
    for (size_t p = 0; p < sizeof products / sizeof *products; p++)
        for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
            for (int fn = 0; fn < (products[p].functions ? M_FUNCTIONS : 1); fn++) {
                const way *w = &ways[i];
                int var = 0, lanes = w->lane != M_EVERY, points = products[p].bit == M_POINTS;
                if (!(w->orders & products[p].orders)) continue;
                if (w->reverse && !(products[p].bit & (M_VJP | M_VJP_DOT | M_VJP_DOT2 | M_POINTS))) continue;
                if (products[p].bit == M_JAC && lanes) continue;
                int term = term_of(fn, &var, w->reverse || points);
                if (products[p].bit == M_JAC) term = 0, var = 0;
                m_bug = (mistake){fn, products[p].bit, term, var, w->lane, w->width, w->orders, w->factor, 0, 0, 0, 0};
                for (int k = 0; k < METHODS; k++) {
                    if (fn != M_RHS && k % 3 != 1) continue; /* dopri5, rodas4, radau2a */
                    planted++;
                    if (!holds(methods[k], &c)) continue;
                    missed++;
                    print_message("%s of %s, %s: not found with %s\n%s\n", products[p].name, m_name[fn], w->what, methods[k],
                                  c.text);
                }
            }
    m_bug = none;
    print_message("%d planted, %d not found\n", planted, missed);
    assert_int_equal(missed, 0);
}

/* ---- with algebraic equations ------------------------------------------------------------------------------------------ */

static int takes(const system_t *q, int k)
{
    return !q->index || strcmp(implicit[k], "rodas4") != 0;
}

static void test_none_algebraic(void **unused)
{
    costate_certificate c;
    (void)unused;
    m_bug = none;
    for (int q = 1; q < M_SYSTEMS; q++) {
        m_choose(&m_systems[q]);
        for (int k = 0; k < IMPLICIT; k++)
            if (takes(m_system, k) && !holds(implicit[k], &c)) fail_msg("%s, %s: %s", m_system->name, implicit[k], c.text);
    }
    m_choose(m_systems);
}

/* Every term of the system by every variable, in each product: every other one takes its turn, by one method after the other. */
static void test_algebraic(void **unused)
{
    static const int lanes[] = {M_EVERY, 2};
    int planted = 0, missed = 0, turn = 0;
    costate_certificate c;
    (void)unused;
    for (int q = 1; q < M_SYSTEMS; q++) {
        m_choose(&m_systems[q]);
        for (size_t p = 0; p < sizeof products / sizeof *products; p++)
            for (int term = 0; m_system->rhs[term].c != 0; term++)
                for (int var = 0; var < MZ; var++) {
                    const monomial *m = &m_system->rhs[term];
                    const int jac = products[p].bit == M_JAC, points = products[p].bit == M_POINTS;
                    const int lane = jac ? M_EVERY : lanes[turn / 8 % 2];
                    int degree = 0;
                    for (int i = 0; i < MZ; i++) degree += m->e[i];
                    if (!m->e[var] || degree < (products[p].bit & M_VJP_DOT2 ? 3 : products[p].orders == 2 ? 2 : 1)) continue;
                    if ((jac && var >= MY) || (points && var < MY)) continue;
                    if (turn++ % 2) continue;
                    const char *method = implicit[turn / 2 % (m_system->index ? 3 : IMPLICIT)];
                    m_bug = (mistake){M_RHS, products[p].bit, term, var, lane, 0, products[p].orders, 0.99, 0, 0, 0, 0};
                    planted++;
                    if (!holds(method, &c)) continue;
                    missed++;
                    print_message("%s, %s of term %d by %d, lane %d: not found with %s\n%s\n", m_system->name, products[p].name,
                                  term, var, lane, method, c.text);
                }
    }
    m_bug = none;
    m_choose(m_systems);
    print_message("%d planted, %d not found\n", planted, missed);
    assert_int_equal(missed, 0);
}

/* Products by which a run begins may be such that derivatives cannot be had: they are named all the same. */
static void test_constraint(void **unused)
{
    costate_certificate c;
    (void)unused;
    m_choose(&m_systems[M_SYSTEMS - 1]);
    m_bug = (mistake){M_RHS, M_JVP, 7, MY + 2, M_EVERY, 0, 1, 0, 0, 0, 0, 0};
    for (int k = 0; takes(m_system, k); k++) {
        if (holds(implicit[k], &c)) fail_msg("%s: %s", implicit[k], c.text);
        if (!strstr(c.remark, "jvp of rhs: y[2]'") || !strstr(c.remark, "nothing else was judged"))
            fail_msg("%s: %s", implicit[k], c.text);
    }
    m_bug = none;
    m_choose(m_systems);
}

/* ---- one way to be called ------------------------------------------------------------------------------------------------- */

/* Where a part of a direction or a result is NULL, where results are written instead of added to, and where several points are
 * taken for one. No run of these methods need come by all of them; other calls do. */
static void test_calls(void **unused)
{
    static const struct {
        const char *what;
        unsigned product;
        int null, writes, first_point;
    } calls[] = {
        {"jvp without parameters", M_JVP, M_NO_PARAMS, 0, 0},
        {"jvp without states", M_JVP, M_NO_STATES, 0, 0},
        {"vjp for states alone", M_VJP, M_NO_PARAMS, 0, 0},
        {"vjp for parameters alone", M_VJP, M_NO_STATES, 0, 0},
        {"jvp2 without parameters", M_JVP2, M_NO_PARAMS, 0, 0},
        {"vjp_dot without parameters", M_VJP_DOT, M_NO_PARAMS, 0, 0},
        {"vjp_dot without states", M_VJP_DOT, M_NO_STATES, 0, 0},
        {"vjp_dot without udot", M_VJP_DOT, M_NO_UDOT, 0, 0},
        {"vjp_dot2 without parameters", M_VJP_DOT2, M_NO_PARAMS, 0, 0},
        {"vjp that writes", M_VJP, 0, 1, 0},
        {"vjp_dot that writes", M_VJP_DOT, 0, 1, 0},
        {"vjp within vjp_dot that writes", M_STILL, 0, 1, 0},
        {"vjp_dot2 that writes", M_VJP_DOT2, 0, 1, 0},
        {"vjp_points at the first point", M_POINTS, 0, 0, 1},
    };
    costate_certificate c;
    (void)unused;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        for (int k = 0; k < METHODS; k++) {
            int term, var = 0;
            term = term_of(M_RHS, &var, 1);
            const int any = calls[i].null ? M_EVERY : var;
            m_bug = (mistake){
                M_RHS,           calls[i].product,    calls[i].null ? M_EVERY : term, any, M_EVERY, 0, 3, 0, 0, calls[i].null,
                calls[i].writes, calls[i].first_point};
            if (holds(methods[k], &c)) fail_msg("%s, %s: not found\n%s", calls[i].what, methods[k], c.text);
        }
    m_bug = none;
}

/* Lanes that happen to be alike, as two equal weights make them. */
static void test_alike(void **unused)
{
    costate_certificate c;
    (void)unused;
    m_bug = (mistake){.products = M_VJP, .term = M_EVERY, .var = M_EVERY, .lane = 1, .orders = 1, .alike = 1};
    for (int k = 0; k < METHODS; k++)
        if (holds(methods[k], &c)) fail_msg("%s: %s", methods[k], c.text);
    m_bug = none;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_none),      cmocka_unit_test(test_all),        cmocka_unit_test(test_none_algebraic),
        cmocka_unit_test(test_algebraic), cmocka_unit_test(test_constraint), cmocka_unit_test(test_calls),
        cmocka_unit_test(test_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
