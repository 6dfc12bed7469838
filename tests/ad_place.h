/* ad_place.h - for tests that compile and load models: a place of their own, with a model, a cache and a folder for temporary
 * files, in which nothing may be left. */
#ifndef COSTATE_TESTS_AD_PLACE_H
#define COSTATE_TESTS_AD_PLACE_H

#include "support.h"

#include <costate/diff.h>
#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH = 512, OLD = 50000 }; /* OLD: microseconds */

/* What the cache holds of a model that was opened: the user's file, the base, its text, and the manifest. */
enum { OBJECTS = 2, OPENED = 4 };

typedef struct place {
    char root[64], cache[PATH], tmp[PATH], model[PATH];
} place;

/* ---- files ------------------------------------------------------------------------------------------------------------- */

static inline void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

/* How many entries of a folder have names that end so; the path of the last one. */
static inline int count_files(const char *folder, const char *end, char *path)
{
    DIR *d = opendir(folder);
    int count = 0;
    if (!d) return 0;
    for (struct dirent *e; (e = readdir(d));) {
        const size_t length = strlen(e->d_name), tail = strlen(end);
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..")) continue;
        if (length < tail || strcmp(e->d_name + length - tail, end)) continue;
        count++;
        if (path) snprintf(path, PATH, "%.300s/%.200s", folder, e->d_name);
    }
    closedir(d);
    return count;
}

static const char decay[] =
    "#include <costate/model.h>\n"
    "#ifndef RATE\n"
    "#define RATE 1\n"
    "#endif\n"
    "static void rhs(double t, const double *y, const double *p, double *f)\n"
    "{\n"
    "    f[0] = -RATE * p[0] * y[0];\n"
    "    f[1] = y[0] * y[1];\n"
    "}\n"
    "COSTATE_MODEL(decay, .states = 2, .params = 1, .y0 = COSTATE_VALUES(3, 4), .p = COSTATE_VALUES(0.5), .t0 = 0, .t1 = 2,\n"
    "    .state_names = COSTATE_NAMES(\"a\", \"b\"), .rhs = rhs)\n";

static inline int setup(void **state)
{
    place *x = calloc(1, sizeof *x);
    assert_non_null(x);
    snprintf(x->root, sizeof x->root, "/tmp/test_ad_load-XXXXXX");
    assert_non_null(mkdtemp(x->root));
    snprintf(x->cache, PATH, "%s/cache", x->root);
    snprintf(x->tmp, PATH, "%s/tmp", x->root);
    snprintf(x->model, PATH, "%s/decay.c", x->root);
    assert_int_equal(mkdir(x->tmp, 0700), 0);
    write_file(x->model, decay);
    usleep(OLD); /* so that it is not taken for one that is being written */
    setenv("COSTATE_CACHE", x->cache, 1);
    setenv("TMPDIR", x->tmp, 1);
    *state = x;
    return 0;
}

static inline int teardown(void **state)
{
    place *x = *state;
    const int left = count_files(x->tmp, "", NULL);
    char command[PATH];
    snprintf(command, sizeof command, "chmod -R u+w '%s' && rm -rf '%s'", x->root, x->root);
    assert_int_equal(system(command), 0);
    unsetenv("TMPDIR");
    free(x);
    return left; /* nothing may be */
}

/* ---- opening ----------------------------------------------------------------------------------------------------------- */

static const costate_model_options quick = {.flags = "-O0"};

static inline costate_model *open_good(const char *file, const costate_model_options *options)
{
    costate_model *m = NULL;
    const int status = costate_model_open(&m, file, options ? options : &quick);
    if (status) fail_msg("status %d: %s", status, costate_model_message(m));
    return m;
}

static inline void check_decay(const costate_model *m, double rate)
{
    const costate_problem *c = costate_model_problem(m);
    const costate_model_info about = costate_model_about(m);
    double f[2], u[2] = {1, 10}, yb[2] = {0}, pb[1] = {0};
    assert_int_equal(c->n, 2);
    assert_int_equal(c->np, 1);
    assert_string_equal(about.name, "decay");
    assert_string_equal(c->state_names[1], "b");
    assert_int_equal(c->rhs(0, about.y0, about.p, f, c->data), 0);
    assert_true(f[0] == -rate * 1.5 && f[1] == 12);
    assert_int_equal(c->vjp(0, about.y0, about.p, 1, u, yb, pb, c->data), 0);
    assert_true(yb[0] == -rate * 0.5 + 40 && yb[1] == 30 && pb[0] == -rate * 3);
}

/* Opens a model that cannot be opened: the status, and what the message says. */
static inline void refused(const char *file, const costate_model_options *options, int status, const char *says)
{
    costate_model *m = NULL;
    const int got = costate_model_open(&m, file, options);
    if (got != status) fail_msg("status %d, not %d: %s", got, status, costate_model_message(m));
    if (!strstr(costate_model_message(m), says)) fail_msg("\"%s\" does not say \"%s\"", costate_model_message(m), says);
    int placed;
    const char *reason = costate_model_reason(m, &placed);
    if (status != COSTATE_MODEL_STOPPED)
        assert_int_equal(placed, status == COSTATE_MODEL_REFUSED || status == COSTATE_MODEL_COMPILE);
    assert_string_equal(reason, costate_model_message(m) + (placed ? 0 : strlen("error: ")));
    costate_model_close(m);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#endif
