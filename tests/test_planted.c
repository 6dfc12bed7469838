/* test_planted.c - mistakes planted in every product, and what the certificate makes of them: each is found, by each method. */
#include "known.h"
#include "monomials.h"

static const char *const methods[] = {"rk32", "dopri5", "dopri853", "ros3", "rodas4", "sdirk2a", "sdirk4b", "radau2a", "gauss"};
enum { METHODS = sizeof methods / sizeof *methods };
static const mistake none = {.products = 0};

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
    {"missing term", M_EVERY, 0, 3, 0, 0},          {"wrong sign", M_EVERY, 0, 3, -1, 0},
    {"a thousandth off", M_EVERY, 0, 3, 1.001, 0},  {"in pb only", M_EVERY, 0, 3, 0, 1},
    {"in lane 1 of all widths", 1, 0, 3, 0, 0},     {"in lane 3 of width 4", 3, 4, 3, 0, 0},
    {"in the last lane of 8", 7, 8, 3, -1, 0},      {"in second derivatives", M_EVERY, 0, 2, 0, 0},
};

static const struct {
    const char *name;
    unsigned bit;
    int orders;    /* of derivatives in it */
    int functions; /* 1: of all functions, 0: of the right-hand side */
} products[] = {{"jvp", M_JVP, 1, 1},           {"vjp", M_VJP, 1, 1},
                {"jvp2", M_JVP2, 2, 0},         {"vjp_dot", M_VJP_DOT, 3, 1},
                {"vjp_dot2", M_VJP_DOT2, 2, 0}, {"jac", M_JAC, 1, 0},
                {"vjp_points", M_POINTS, 1, 0}, {"jvp and vjp", M_JVP | M_VJP | M_VJP_DOT, 1, 1},
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
                m_bug = (mistake){fn, products[p].bit, term, var, w->lane, w->width, w->orders, w->factor, 0};
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_none), cmocka_unit_test(test_all), cmocka_unit_test(test_alike)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
