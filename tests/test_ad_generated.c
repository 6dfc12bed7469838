/* test_ad_generated.c - what the file of costate diff offers to a program, M_problem and M_nominal, is what the loader makes of
 * the same model: sizes, functions, pattern, names, times, nominal values. */
#include "support.h"

#include <costate/diff.h>
#include <costate/runtime.h>

#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

static char root[64] = "/tmp/test_ad_generated-XXXXXX";

static void write_text(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0 && !fclose(f));
}

/* The emitted file of a model as a shared object. */
static void *linked(const char *file)
{
    costate_model *m = NULL;
    const char *text = NULL;
    char source[100], object[100], command[600];
    if (costate_diff(&m, file, NULL, &text, NULL)) fail_msg("%s", costate_model_message(m));
    snprintf(source, sizeof source, "%s/made.c", root);
    snprintf(object, sizeof object, "%s/made.so", root);
    write_text(source, text);
    costate_model_close(m);
    snprintf(command, sizeof command,
             "${CC:-cc} -O0 -Wall -Wextra -Wshadow -Wconversion -Werror -fPIC -shared -I'%s/include' -o %s %s -lm", SOURCE_DIR,
             object, source);
    assert_int_equal(system(command), 0);
    void *handle = dlopen(object, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(handle);
    unlink(object);
    unlink(source);
    return handle;
}

static void *offered(void *handle, const char *name, const char *what)
{
    char symbol[100];
    snprintf(symbol, sizeof symbol, "%s_%s", name, what);
    void *found = dlsym(handle, symbol);
    assert_non_null(found);
    return found;
}

static void same_function(const costate_function *a, const costate_function *b)
{
    assert_int_equal(!a->eval, !b->eval);
    assert_int_equal(!a->jvp, !b->jvp);
    assert_int_equal(!a->vjp, !b->vjp);
    assert_int_equal(!a->eval, !a->vjp_dot);
}

static void same_names(int count, const char *const *a, const char *const *b)
{
    assert_int_equal(!a, !b);
    for (int i = 0; a && i < count; i++) assert_string_equal(a[i], b[i]);
}

static void same_pattern(int n, const costate_pattern *a, const costate_pattern *b)
{
    assert_int_equal(a->format, b->format);
    assert_int_equal(a->lower, b->lower);
    assert_int_equal(a->upper, b->upper);
    if (a->format != COSTATE_CSC) return;
    assert_memory_equal(a->colptr, b->colptr, ((size_t)n + 1) * sizeof *a->colptr);
    assert_memory_equal(a->rowind, b->rowind, (size_t)a->colptr[n] * sizeof *a->rowind);
}

static void same_problem(const costate_problem *a, const costate_problem *b)
{
    assert_int_equal(a->n, b->n);
    assert_int_equal(a->np, b->np);
    assert_int_equal(a->objectives, b->objectives);
    assert_int_equal(a->observations, b->observations);
    assert_int_equal(a->autonomous, b->autonomous);
    assert_true(a->rhs && a->jvp && a->vjp && a->jvp2 && a->vjp_dot && a->vjp_dot2);
    assert_int_equal(!a->vjp_points, !b->vjp_points);
    assert_int_equal(!a->jac, !b->jac);
#define COSTATE_SYSTEM(...)
#define COSTATE_FUNCTION(name, ...) same_function(&a->name, &b->name);
#include <costate/model.def>
    assert_int_equal(!a->running.eval, !a->running.vjp_dot2);
    same_pattern(a->n, &a->pattern, &b->pattern);
    same_names(a->n, a->state_names, b->state_names);
    same_names(a->np, a->param_names, b->param_names);
    same_names(a->objectives, a->objective_names, b->objective_names);
    assert_int_equal(!a->observe_at, !b->observe_at);
    for (int i = 0; i < a->observations; i++) assert_true(a->observe_at[i] == b->observe_at[i]);
}

/* nominal 0: the file cannot have the values. */
static void compare(const char *file, int nominal)
{
    costate_model *m = NULL;
    if (costate_model_open(&m, file, NULL)) fail_msg("%s", costate_model_message(m));
    const costate_model_info about = costate_model_about(m);
    const costate_problem *loaded = costate_model_problem(m);
    void *handle = linked(file);
    costate_problem (*problem)(void);
    int (*values)(double *, double *);
    *(void **)&problem = offered(handle, about.name, "problem");
    *(void **)&values = offered(handle, about.name, "nominal");
    const costate_problem first = problem(), again = problem();
    const size_t n = (size_t)loaded->n, np = (size_t)loaded->np;
    double *y0 = calloc(n + np + 1, sizeof *y0), *p = y0 + n;
    assert_non_null(y0);
    assert_int_equal(values(y0, p), nominal ? 0 : -1);
    if (nominal) {
        same_problem(&first, loaded);
        assert_ptr_equal(first.pattern.colptr, again.pattern.colptr);
        assert_memory_equal(p, about.p, np * sizeof *p);
        for (size_t i = 0; i < n; i++) assert_true(fabs(y0[i] - about.y0[i]) <= 1e-15 * fabs(about.y0[i]));
        const costate_generated *table = offered(handle, about.name, "generated");
        assert_true(table->t0 == about.t0 && table->t1 == about.t1);
    } else { /* the rest is there */
        assert_true(first.n == loaded->n && first.rhs && first.vjp_dot2);
    }
    free(y0);
    dlclose(handle);
    costate_model_close(m);
}

static void of_files(void **state)
{
    (void)state;
    compare(SOURCE_DIR "/problems/lotka_volterra.c", 1);
    compare(SOURCE_DIR "/examples/models/epidemic.c", 1); /* init, observe, times in an array */
    compare(SOURCE_DIR "/examples/models/heat.c", 1);     /* loops: the pattern is found when it is asked for */
    compare(SOURCE_DIR "/examples/models/microbes.c", 0); /* defaults */
}

/* Lists as they may be written. */
static void of_lists(void **state)
{
    (void)state;
    char file[100];
    snprintf(file, sizeof file, "%s/lists.c", root);
    write_text(
        file,
        "#include <costate/model.h>\n"
        "enum { N = 3 };\n"
        "#define HALF 0.5\n"
        "static const double start[N] = {-1.0 / 3, 1e-300};\n"
        "static const char *const names[N] = {\"a\" \"b\", \"say \\\"c\\\"\", \"\"};\n"
        "static void rhs(double t, const double *y, const double *p, double *f)\n"
        "{\n    for (int i = 0; i < N; i++) f[i] = -p[0] * y[(i + 1) % N] + p[1];\n}\n"
        "COSTATE_MODEL(lists, .states = N, .params = 2, .y0 = COSTATE_ARRAY(start),\n"
        "    .p = COSTATE_VALUES(2 * HALF + N, 0x10), .state_names = COSTATE_ARRAY(names), .t0 = -HALF, .t1 = N, .rhs = rhs)\n");
    compare(file, 1);
    unlink(file);
}

static int setup(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(root));
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    return rmdir(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(of_files), cmocka_unit_test(of_lists)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
