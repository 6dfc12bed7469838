/* test_ad_load.c - models are compiled and loaded, and what is said when something is in the way. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include "ad_place.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <utime.h>

static void opens(void **state)
{
    const place *x = *state;
    costate_model *m = open_good(x->model, NULL);
    check_decay(m, 1);
    assert_string_equal(costate_model_warnings(m), "");
    assert_int_equal(costate_model_about(m).order, 3);
    assert_int_equal(count_files(x->cache, ".so", NULL), OBJECTS + 1); /* and vjp, which was called */

    assert_int_equal(costate_model_need(m, 2), 0);
    check_decay(m, 1);
    assert_int_equal(count_files(x->cache, ".so", NULL), OBJECTS + 5); /* and jvp, jac, jvp2, vjp_dot */
    costate_model_close(m);

    m = open_good(x->model, &(costate_model_options){.order = 3, .flags = "-O0"}); /* all but vjp_dot2 from the cache */
    check_decay(m, 1);
    costate_model_close(m);
    assert_int_equal(count_files(x->cache, "", NULL), OPENED + 6);
    costate_model_close(NULL);
}

static void definitions(void **state)
{
    const place *x = *state;
    const char *define[] = {"RATE=3", "UNUSED"};
    costate_model *m = open_good(x->model, &(costate_model_options){.flags = "-O0", .defines = 2, .define = define});
    costate_model *other = open_good(x->model, NULL);
    check_decay(m, 3);
    check_decay(other, 1);
    costate_model_close(m);
    check_decay(other, 1);
    costate_model_close(other);
}

static void pattern(void **state)
{
    const place *x = *state;
    costate_model *m = open_good(x->model, NULL);
    const int *colptr, *rowind, by_y[] = {0, 2, 3}, by_y_rows[] = {0, 1, 1};
    assert_int_equal(costate_model_pattern(m, 0, &colptr, &rowind), 0);
    assert_memory_equal(colptr, by_y, sizeof by_y);
    assert_memory_equal(rowind, by_y_rows, sizeof by_y_rows);
    assert_int_equal(costate_model_pattern(m, 1, &colptr, &rowind), 0);
    assert_true(colptr[0] == 0 && colptr[1] == 1 && rowind[0] == 0);
    costate_model_close(m);
}

/* ---- what is in the way ----------------------------------------------------------------------------------------------- */

static void no_compiler(void **state)
{
    const place *x = *state;
    const costate_model_options none = {.compiler = "/nonexistent"}, useless = {.compiler = "false"};
    refused(x->model, &none, COSTATE_MODEL_COMPILER, "'/nonexistent' cannot be started");
    refused(x->model, &useless, COSTATE_MODEL_COMPILER, "'false' does not work");
    const char *before = getenv("CC");
    char kept[PATH] = "";
    if (before) snprintf(kept, sizeof kept, "%s", before);
    setenv("CC", "/nonexistent", 1);
    refused(x->model, NULL, COSTATE_MODEL_COMPILER, "'/nonexistent' cannot be started");
    if (before) setenv("CC", kept, 1);
    else unsetenv("CC");
}

static void no_file(void **state)
{
    const place *x = *state;
    refused("/nonexistent.c", NULL, COSTATE_MODEL_FILE, "/nonexistent.c cannot be read: No such file");
    refused(x->tmp, NULL, COSTATE_MODEL_FILE, "Is a directory");
}

static void faulty(const place *x, const char *text, int status, const char *says)
{
    char path[PATH + 16], line[PATH + 64];
    snprintf(path, sizeof path, "%s/faulty.c", x->root);
    write_file(path, text);
    snprintf(line, sizeof line, "%s%s", *says == ':' ? path : "", says);
    refused(path, NULL, status, line);
    assert_int_equal(count_files(x->cache, "", NULL), count_files(x->cache, ".so", NULL));
}

#define RHS "static void rhs(double t, const double *y, const double *p, double *f) { f[0] = p[0] * y[0]; }\n"
#define HEAD "#include <costate/model.h>\n"

static void not_c(void **state)
{
    const place *x = *state;
    faulty(x, HEAD "\nstatic void rhs(double t, const double *y, const double *p, double *f)\n{\n    f[0] = y[0] +;\n}\n"
                   "COSTATE_MODEL(faulty, .states = 1, .rhs = rhs)\n",
           COSTATE_MODEL_COMPILE, ":5:");
    faulty(x, HEAD "#include <no/such/header.h>\n" RHS, COSTATE_MODEL_COMPILE, ":2:");
    /* Fine to costate diff, which leaves `defaults` alone. */
    faulty(x, HEAD RHS "static void defaults(double *p)\n{\n    p[0] = \"text\";\n}\n"
                       "COSTATE_MODEL(faulty, .states = 1, .params = 1, .y0 = COSTATE_VALUES(1), .rhs = rhs,\n"
                       "    .defaults = defaults)\n",
           COSTATE_MODEL_COMPILE, ":5:");
    /* In the descriptor, which is one line to the compiler once it is preprocessed. */
    faulty(x, HEAD RHS "COSTATE_MODEL(faulty, .states = 1, .params = 1,\n    .yo = COSTATE_VALUES(1), .rhs = rhs)\n",
           COSTATE_MODEL_COMPILE, ":4:6:");
}

static void not_taken(void **state)
{
    const place *x = *state;
    faulty(x, HEAD "static void rhs(double t, const double *y, const double *p, double *f)\n{\n    f[0] = y[0];\n"
                   "    while (f[0] > 1) f[0] /= 2;\n}\n"
                   "COSTATE_MODEL(faulty, .states = 1, .y0 = COSTATE_VALUES(1), .rhs = rhs)\n",
           COSTATE_MODEL_REFUSED, ":5:5: error:");
    faulty(x, "", COSTATE_MODEL_REFUSED, "faulty.c");
    faulty(x, HEAD "double helper(double x); /* helper */\nstatic double helpers(void)\n{\n    return 1;\n}\n"
                   "double other(void)\n{\n    return helpers() + helper(3);\n}\n" RHS
                   "COSTATE_MODEL(faulty, .states = 1, .params = 1, .y0 = COSTATE_VALUES(1), .p = COSTATE_VALUES(1),\n"
                   "              .rhs = rhs)\n",
           COSTATE_MODEL_COMPILE, ":9:24: error: 'helper' has no definition in this file");
}

static void descriptors(void **state)
{
    const place *x = *state;
    static const struct {
        const char *members, *says;
    } wrong[] = {
        {".params = 1, .p = COSTATE_VALUES(1)", "the initial state is missing"},
        {".params = 1, .p = COSTATE_VALUES(1), .y0 = COSTATE_VALUES(1, 2)", ".y0 has 2 values, but .states is 1"},
        {".params = 1, .y0 = COSTATE_VALUES(1)", "the nominal parameters are missing"},
        {".params = 1, .y0 = COSTATE_VALUES(1), .p = COSTATE_VALUES(1, 2, 3)", ".p has 3 values, but .params is 1"},
        {".params = 1, .y0 = COSTATE_VALUES(1), .p = COSTATE_VALUES(1), .state_names = COSTATE_NAMES(\"a\", \"b\")",
         ".state_names has 2 "},
        {".params = 2, .y0 = COSTATE_VALUES(1), .p = COSTATE_VALUES(1, 2), .param_names = COSTATE_NAMES(\"k\", \"k\")",
         ".param_names has \"k\" twice"},
        {".params = 1, .y0 = COSTATE_VALUES(1), .p = COSTATE_VALUES(1), .param_names = COSTATE_NAMES(\"k\\x1b[31m\")",
         ".param_names has a name with control characters"},
        {".params = 1, .y0 = COSTATE_VALUES(1), .p = COSTATE_VALUES(1), .state_names = COSTATE_NAMES(\"a\\n\")",
         ".state_names has a name with control characters"},
        {".params = 1, .y0 = COSTATE_VALUES(1), .p = COSTATE_VALUES(1), .t1 = INFINITY", "t0 and t1 must be finite"},
    };
    for (size_t i = 0; i < COUNT(wrong); i++) {
        char text[1024];
        snprintf(text, sizeof text, HEAD RHS "COSTATE_MODEL(faulty, .states = 1, .rhs = rhs, %s)\n", wrong[i].members);
        faulty(x, text, COSTATE_MODEL_REFUSED, wrong[i].says);
    }
}

static void said_of(const place *x, const char *text, const char *says)
{
    char path[PATH + 16];
    snprintf(path, sizeof path, "%s/odd.c", x->root);
    write_file(path, text);
    costate_model *m = open_good(path, &quick);
    const char *said = costate_model_warnings(m);
    if (!*says) assert_string_equal(said, "");
    else if (!strstr(said, says)) fail_msg("\"%s\" does not say \"%s\"", said, says);
    costate_model_close(m);
}

/* What is no mistake to a compiler, and hardly meant. */
static void told_of(void **state)
{
    static const struct {
        const char *members, *says;
    } hardly_meant[] = {
        {".params = 1, .p = COSTATE_VALUES(1)", ""},
        {".params = 2, .p = COSTATE_VALUES(1, 2)", "no function reads the parameter p[1]"},
        {".params = 2, .p = COSTATE_VALUES(1, 2), .param_names = COSTATE_NAMES(\"a\", \"b\")", "reads the parameter b"},
        {".params = 1, .p = COSTATE_VALUES(1), .terminal = end", "nothing depends on the state y[1], and it is no objective"},
        {".params = 1, .p = COSTATE_VALUES(1), .terminal = end, .objectives = 2", "the objective g[1] is a constant"},
        {".params = 1, .p = COSTATE_VALUES(1), .terminal = end, .objectives = 3", "the objective g[1], g[2] is a constant"},
        {".params = 1, .p = COSTATE_VALUES(1), .param_names = COSTATE_NAMES(\"\\u03b1 \\xc3\\xa9 \\\"k\\\" \\\\\")", ""},
        {".params = 1, .p = COSTATE_VALUES(1), .param_names = COSTATE_NAMES(\"b\"), .state_names = COSTATE_NAMES(\"a\", \"b\")",
         "\"b\" is the name of a parameter, too"},
    };
    static const char *const more[] = {"", "    g[1] = 0;\n", "    g[1] = 0;\n    g[2] = 7;\n"};
    char text[1024];
    for (size_t i = 0; i < COUNT(hardly_meant); i++) {
        const char *objectives = strstr(hardly_meant[i].members, ".objectives = ");
        snprintf(text, sizeof text, HEAD "static void rhs(double t, const double *y, const double *p, double *f)\n"
                                         "{\n    f[0] = p[0] * y[0];\n    f[1] = 1;\n}\n"
                                         "static void end(double t, const double *y, const double *p, double *g)\n"
                                         "{\n    g[0] = y[0];\n%s}\n"
                                         "COSTATE_MODEL(odd, .states = 2, .rhs = rhs, .y0 = COSTATE_VALUES(1, 1), %s)\n",
                 more[objectives ? objectives[strlen(".objectives = ")] - '1' : 0], hardly_meant[i].members);
        said_of(*state, text, hardly_meant[i].says);
    }
}

/* The equation of a slope is no use of its state. */
static void told_of_residuals(void **state)
{
    static const struct {
        const char *equation, *says;
    } last[] = {
        {"yp[2] - y[2]", ""},
        {"yp[2] - yp[0] - y[0]", "nothing depends on the state y[2], and it is no objective"},
        {"(yp[2] - 1) * yp[2]", ""},
    };
    char text[1024];
    for (size_t i = 0; i < COUNT(last); i++) {
        snprintf(text, sizeof text, HEAD "static void residual(double t, const double *y, const double *yp, const double *p,\n"
                                         "                     double *r)\n"
                                         "{\n    r[0] = yp[0] + y[0] * y[1];\n    r[1] = y[1] - y[0];\n    r[2] = %s;\n}\n"
                                         "static void end(double t, const double *y, const double *p, double *g)\n"
                                         "{\n    g[0] = y[0];\n}\n"
                                         "COSTATE_MODEL(odd, .states = 3, .residual = residual, .terminal = end,\n"
                                         "              .y0 = COSTATE_VALUES(1, 1, 1), .yp0 = COSTATE_VALUES(0, 0, 1))\n",
                 last[i].equation);
        said_of(*state, text, last[i].says);
    }
}

static void stopped(void **state)
{
    const place *x = *state;
    volatile sig_atomic_t stop = 1;
    refused(x->model, &(costate_model_options){.stop = &stop}, COSTATE_MODEL_STOPPED, "stopped");
}

/* The process may open a few files more, and then none: whatever fails says so, and nothing stays behind. */
static void files_run_out(void **state)
{
    const place *x = *state;
    enum { MOST = 64, FEW = 8 };
    struct rlimit before, low = {MOST, MOST};
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    low.rlim_max = before.rlim_max;
    for (int spare = 0, good = 0; spare <= FEW && !good; spare++) {
        int fd[MOST], count = 0;
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
        while (count < MOST && (fd[count] = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0) count++;
        for (int i = 0; i < spare; i++) close(fd[--count]);
        costate_model *m = NULL;
        const int status = costate_model_open(&m, x->model, &quick);
        while (count) close(fd[--count]);
        setrlimit(RLIMIT_NOFILE, &before);
        good = !status;
        const char *said = status ? costate_model_message(m) : costate_model_warnings(m);
        if (getenv("SHOW")) fprintf(stderr, "%d: %d %s", spare, status, said);
        assert_null(strstr(said, "(null)"));
        if (!good && !strstr(said, "Too many open files")) fail_msg("%d files: %s", spare, said);
        costate_model_close(m);
        assert_int_equal(count_files(x->tmp, "", NULL), 0);
        assert_int_equal(count_files(x->cache, "", NULL) >= OPENED, good);
        if (spare == FEW) assert_true(good);
    }
}

/* Folders from which no program may be run, by what their paths begin with: as if they were mounted so. */
static const char *no_programs;

void *dlopen(const char *file, int flags)
{
    void *(*next)(const char *, int);
    *(void **)&next = dlsym(RTLD_NEXT, "dlopen");
    const int refused_here = file && no_programs && !strncmp(file, no_programs, strlen(no_programs));
    return next(refused_here ? "/nonexistent/no programs from there" : file, flags);
}

static void no_programs_from_there(void **state)
{
    const place *x = *state;
    no_programs = x->tmp; /* the cache will do */
    costate_model *m = open_good(x->model, NULL);
    check_decay(m, 1);
    costate_model_close(m);
    no_programs = x->root;
    const char *const define[] = {"RATE=2"};
    const costate_model_options anew = {.flags = "-O0", .defines = 1, .define = define};
    refused(x->model, &anew, COSTATE_MODEL_FOLDER, "try: set TMPDIR to a folder that programs may be run from");
    no_programs = NULL;
}

/* A process that is killed leaves its folder, and the next one removes it. */
static void killed(void **state)
{
    const place *x = *state;
    char slow[PATH + 16], folder[PATH];
    snprintf(slow, sizeof slow, "%s/slow.sh", x->root);
    write_file(slow, "#!/bin/sh\nsleep 60\n");
    assert_int_equal(chmod(slow, 0700), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        setpgid(0, 0);
        costate_model *m = NULL;
        costate_model_open(&m, x->model, &(costate_model_options){.compiler = slow});
        _exit(0);
    }
    char log[PATH + 16];
    do { /* until the compiler runs */
        usleep(1000);
        snprintf(log, sizeof log, "%s/version", count_files(x->tmp, "", folder) ? folder : "");
    } while (access(log, F_OK));
    setpgid(child, child);
    kill(-child, SIGKILL);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(count_files(x->tmp, "", folder), 1);

    const char *const define[] = {"RATE=2", "RATE=3"}; /* something to compile each time */
    costate_model_options anew = {.flags = "-O0", .defines = 1, .define = &define[0]};
    costate_model_close(open_good(x->model, &anew)); /* too young to be judged */
    assert_int_equal(count_files(x->tmp, "", NULL), 1);
    assert_int_equal(utime(folder, &(struct utimbuf){1, 1}), 0);
    anew.define = &define[1];
    costate_model_close(open_good(x->model, &anew));
    assert_int_equal(count_files(x->tmp, "", NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(opens), TEST(definitions), TEST(pattern),     TEST(no_compiler), TEST(no_file), TEST(not_c),
        TEST(not_taken), TEST(descriptors), TEST(told_of), TEST(told_of_residuals),
        TEST(stopped), TEST(killed), TEST(files_run_out), TEST(no_programs_from_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
