/* program.c - a function of models that is one line more in model.def: `output`. */
#include "../support.h"

#include "emit/generate.h"
#include "front/front.h"

#include <costate/model.h>

#include <stdio.h>

#define RHS "static void rhs(double t, const double *y, const double *p, double *f) { f[0] = -p[0] * y[0]; }\n"
#define MODEL "__costate_model__ m { .states = 1, .params = 1, .rhs = rhs, .output = output };\n"

/* What is emitted for a text, or the messages. */
static void made(const char *text, char *out, size_t room)
{
    jmp_buf no_memory;
    ad_arena *m = ad_arena_open(&no_memory, 0);
    if (!m || setjmp(no_memory)) abort();
    ad_diag *d = ad_diag_open(m);
    ad_out o = {.m = m};
    const ad_model *model = ad_front_text(m, d, "model.c", text, strlen(text));
    if (model) assert_int_equal(ad_generate(m, model, &(ad_generate_options){.products = AD_FIRST}, &o), 0);
    snprintf(out, room, "%s", model ? ad_out_text(&o) : ad_diag_text(d));
    ad_arena_close(m);
}

static void follows(void **state)
{
    (void)state;
    static char out[1 << 18];
    made(RHS "static void output(double t, const double *y, const double *p, double *o) { o[0] = t * y[0] * y[0]; }\n" MODEL, out,
         sizeof out);
    assert_non_null(strstr(out, "\nint m_output_vjp(int k, double t, const double *y, const double *p, int w"));
    assert_non_null(strstr(out, " .output = { .eval = m_output_eval, .jvp = m_output_jvp, .vjp = m_output_vjp,}"));
    made(RHS "static void output(const double *y, double *o) { o[0] = y[0]; }\n" MODEL, out, sizeof out);
    assert_non_null(strstr(out, "the parameters of 'output' are not those of .output"));
    assert_non_null(strstr(out, "try: (double t, const double *y, const double *p, double *o)"));
}

/* The problem and the descriptor have the member. */
static void members(void **state)
{
    (void)state;
    const costate_problem problem = {.n = 1};
    const costate_descriptor descriptor = {.states = 1};
    assert_true(!problem.output.eval && !problem.output.vjp_dot && !descriptor.output);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(follows), cmocka_unit_test(members)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
