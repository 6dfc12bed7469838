/* test_cli_diff.c - costate diff as users call it: what it prints, and its exit codes. */
#include "support.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATH = 256, TEXT = 1 << 20 };
static char root[PATH] = "/tmp/test_cli_diff-XXXXXX", model[PATH + 32], out[TEXT], err[TEXT];

static void read_text(const char *name, char *text)
{
    char path[PATH + 32];
    snprintf(path, sizeof path, "%s/%s", root, name);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    text[fread(text, 1, TEXT - 1, f)] = 0;
    fclose(f);
}

static void write_text(const char *name, const char *text)
{
    char path[PATH + 32];
    snprintf(path, sizeof path, "%s/%s", root, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0 && !fclose(f));
}

/* Runs `costate ARGUMENTS` in the folder; out and err become what it prints. */
static int run(const char *arguments)
{
    char command[2048];
    snprintf(command, sizeof command, "cd '%s' && COSTATE_CACHE='%s/cache' '%s' %s >out 2>err </dev/null", root, root, COSTATE,
             arguments);
    const int status = system(command);
    assert_true(WIFEXITED(status));
    read_text("out", out);
    read_text("err", err);
    return WEXITSTATUS(status);
}

static void assert_says(const char *text, const char *words)
{
    if (!strstr(text, words)) fail_msg("\"%s\" does not say \"%s\"", text, words);
}

static int setup(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(root));
    snprintf(model, sizeof model, "%s/problems/lotka_volterra.c", SOURCE_DIR);
    return 0;
}

static int teardown(void **state)
{
    char command[PATH + 32];
    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    return system(command);
}

static void usage(void **state)
{
    (void)state;
    assert_int_equal(run(""), 1);
    assert_says(err, "usage: costate COMMAND");
    assert_int_equal(run("--help"), 0);
    assert_says(out, "usage: costate COMMAND");
    assert_int_equal(run("--version"), 0);
    assert_string_equal(out, "costate " COSTATE_VERSION "\n");
    assert_int_equal(run("fly"), 1);
    assert_says(err, "there is no command 'fly', but run, gradient");
    assert_int_equal(run("diff"), 1);
    assert_int_equal(run("diff --help"), 0);
    assert_says(out, "--pattern");
    assert_int_equal(run("diff a.c b.c"), 1);
    assert_int_equal(run("diff --product vjp a.c"), 1);
    assert_says(err, "--product goes with --dump");
    assert_int_equal(run("diff --dump jam a.c"), 1);
    assert_says(err, "there is no pass 'jam'");
    assert_says(err, "\n  unroll-jam        several iterations");
    assert_int_equal(run("diff --wings a.c"), 1);
    assert_says(err, "there is no option '--wings'");
    assert_int_equal(run("diff a.c -o"), 1);
    assert_int_equal(run("diff nowhere.c"), 1);
    assert_says(err, "nowhere.c cannot be read");
}

/* The text compiles as part of a program, and what is written with -o is the same. */
static void text(void **state)
{
    (void)state;
    char arguments[1024];
    snprintf(arguments, sizeof arguments, "diff '%s'", model);
    assert_int_equal(run(arguments), 0);
    assert_string_equal(err, "");
    assert_says(out, "lotka_volterra_generated");
    assert_says(out, "lotka_volterra_vjp_dot");
    char *first = strdup(out);
    assert_non_null(first);
    snprintf(arguments, sizeof arguments, "diff '%s' -o made.c", model);
    assert_int_equal(run(arguments), 0);
    assert_string_equal(out, "");
    read_text("made.c", out);
    assert_string_equal(out, first);
    free(first);

    char command[2048];
    write_text("main.c", "#include <costate/costate.h>\n"
                         "costate_problem lotka_volterra_problem(void);\n"
                         "int main(void)\n{\n    double y[] = {10, 5}, p[] = {1.1, 0.4, 0.4, 0.1}, f[2];\n"
                         "    return lotka_volterra_problem().rhs(0, y, p, f, 0) || f[0] != 1.1 * 10 - 0.4 * 10 * 5;\n}\n");
    snprintf(command, sizeof command,
             "cd '%s' && ${CC:-cc} -Wall -Wextra -Wshadow -Wconversion -Werror -ffp-contract=off -I'%s/include' main.c made.c "
             "-o main -lm && ./main", root, SOURCE_DIR);
    assert_int_equal(system(command), 0);
    snprintf(arguments, sizeof arguments, "diff '%s' -o no/such/folder/made.c", model);
    assert_int_equal(run(arguments), 1);
    assert_says(err, "cannot be written");
}

static void pattern(void **state)
{
    (void)state;
    char arguments[1024];
    write_text("chain.c", "#include <costate/model.h>\n"
                          "static void rhs(double t, const double *y, const double *p, double *f)\n{\n"
                          "    for (int i = 0; i < N; i++) f[i] = (i > 0 ? y[i - 1] : 0) - p[0] * y[i];\n}\n"
                          "static void init(const double *p, double *y0)\n{\n    for (int i = 0; i < N; i++) y0[i] = 1;\n}\n"
                          "COSTATE_MODEL(chain, .states = N, .params = 1, .p = COSTATE_VALUES(1), .t1 = 1,\n"
                          "    .init = init, .rhs = rhs)\n");
    snprintf(arguments, sizeof arguments, "diff chain.c -DN=4 --pattern");
    assert_int_equal(run(arguments), 0);
    assert_string_equal(out, "f_y: 4 x 4, 7 entries\n|#   |\n|##  |\n| ## |\n|  ##|\n"
                             "f_p: 4 x 1, 4 entries\n|#|\n|#|\n|#|\n|#|\n");
}

static void kinks(void **state)
{
    (void)state;
    write_text("kink.c", "#include <costate/model.h>\n"
                         "static void rhs(double t, const double *y, const double *p, double *f)\n{\n    f[0] = -fabs(y[0]);\n}\n"
                         "COSTATE_MODEL(kink, .states = 1, .y0 = COSTATE_VALUES(1), .t1 = 1, .rhs = rhs)\n");
    assert_int_equal(run("diff kink.c --lint"), 0);
    assert_says(out, "kink.c:4:");
    assert_says(out, "fabs");
    char arguments[1024];
    snprintf(arguments, sizeof arguments, "diff '%s' --lint", model);
    assert_int_equal(run(arguments), 0);
    assert_string_equal(out, "no kinks\n");
}

/* Each condition, where it stands, and why it is not held. */
static void conditions(void **state)
{
    (void)state;
    write_text("held.c", "#include <costate/model.h>\n"
                         "static void rhs(double t, const double *y, const double *p, double *f) {\n"
                         "    f[0] = y[0] > p[0] ? 1 : 2;\n"
                         "    if (t > 3) f[0] += 1;\n"
                         "    for (int i = 0; i < 40; i++) f[0] += y[0] > i;\n"
                         "    f[0] += y[0] > 0 ? sqrt(y[0]) : 0;\n"
                         "    if (p[0] > 1) f[0] += fmax(y[0], 2);\n}\n"
                         "COSTATE_MODEL(held, .states = 1, .params = 1, .p = COSTATE_VALUES(1), .t1 = 1,\n"
                         "    .rhs = rhs)\n");
    assert_int_equal(run("diff held.c --lint"), 0);
    assert_says(out, "held.c:3:17: note: 'y[0] > p[0]' is held: steps end where it changes\n");
    assert_says(out, "held.c:4:11: note: 't > 3' is held: steps end at its time\n");
    assert_says(out, "held.c:5:47: note: 'y[0] > (double)i' is not held: it is in a loop\n");
    assert_says(out, "held.c:6:18: note: 'y[0] > 0' is not held: what it guards is not defined beyond it\n");
    assert_null(strstr(out, "'p[0] > 1'"));
    assert_null(strstr(out, "'fmax(y[0], 2)'"));
}

static void dumps(void **state)
{
    (void)state;
    char arguments[1024];
    snprintf(arguments, sizeof arguments, "diff '%s' --dump reverse --product vjp", model);
    assert_int_equal(run(arguments), 0);
    assert_says(out, "/* lotka_volterra_vjp_y, several lanes, after reverse */\nrhs_vjp(in double t, in double y[2]");
    assert_says(out, "/* lotka_volterra_vjp_y, one lane, after reverse: the same */\n");
    assert_says(out, "    yb[0] += y[1] * p[3] * f_b_2;\n");
    assert_null(strstr(out, "vjp_dot"));
    snprintf(arguments, sizeof arguments, "diff '%s' --dump reverse --product jvp", model);
    assert_int_equal(run(arguments), 0);
    assert_string_equal(out, "");
}

static void refusals(void **state)
{
    (void)state;
    write_text("loop.c", "#include <costate/model.h>\n"
                         "static void rhs(double t, const double *y, const double *p, double *f)\n{\n"
                         "    f[0] = y[0];\n    while (f[0] > 1) f[0] /= 2;\n}\n"
                         "COSTATE_MODEL(loop, .states = 1, .y0 = COSTATE_VALUES(1), .t1 = 1, .rhs = rhs)\n");
    assert_int_equal(run("diff loop.c"), 2);
    assert_says(err, "loop.c:5:5: error:");
    assert_says(err, "        while (f[0] > 1) f[0] /= 2;\n        ^\n  try: ");
    assert_string_equal(out, "");
    write_text("not_c.c", "#include <costate/model.h>\nint x = ;\n");
    assert_int_equal(run("diff not_c.c"), 3);
    assert_says(err, "not_c.c:2:");
    setenv("CC", "/nonexistent", 1);
    assert_int_equal(run("diff loop.c"), 3);
    unsetenv("CC");
    assert_says(err, "the C compiler '/nonexistent' cannot be started");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(usage),      cmocka_unit_test(text),  cmocka_unit_test(pattern), cmocka_unit_test(kinks),
        cmocka_unit_test(conditions), cmocka_unit_test(dumps), cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
