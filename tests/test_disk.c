/* test_disk.c - the trajectory's file: it has no name, neither while it is used nor afterwards; folders in which none
 * can be made, disks that are full and budgets that are too small are refused, and the solver goes on working. */
#include "chain.h"
#include "support.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

enum { STEPS = 2000 };

static const double t1 = 10;

/* ---- a folder that is watched ------------------------------------------------------------------------------------ */

typedef struct folder {
    char path[64];
    int calls, looks, most; /* calls of the right-hand side; looks into the folder; most entries seen */
} folder;

static int entries(const char *path)
{
    int count = 0;
    DIR *d = opendir(path);
    if (!d) return -1;
    while (readdir(d)) count++;
    closedir(d);
    return count - 2; /* itself and its parent */
}

static int watched_rhs(double t, const double *y, const double *p, double *f, void *data)
{
    folder *o = data;
    if (o->calls++ % 50 == 0) {
        int now = entries(o->path);
        o->looks++;
        if (now > o->most) o->most = now;
    }
    return chain_rhs(t, y, p, f, NULL);
}

static void make_folder(folder *o)
{
    memset(o, 0, sizeof *o);
    snprintf(o->path, sizeof o->path, "/tmp/costate-test-XXXXXX");
    assert_non_null(mkdtemp(o->path));
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

static costate_options with_disk(const char *dir, int64_t memory, int64_t disk, heap *h)
{
    costate_options opt = costate_defaults("rk32");
    *h = (heap){0};
    opt.step = t1 / STEPS;
    opt.memory = memory;
    opt.disk = disk;
    opt.disk_dir = dir;
    opt.allocator = heap_allocator(h);
    return opt;
}

static int solve(costate_solver *s, double *y)
{
    double p[CHAIN_NP];
    chain_defaults(p, y);
    return costate_solve(s, 0, t1, p, y);
}

typedef struct results {
    double y[CHAIN], dy0[CHAIN], dp[CHAIN_NP], hy0[CHAIN], hp[CHAIN_NP];
} results;

static void everything(costate_solver *s, results *r)
{
    double pdot[CHAIN_NP] = {1, -1, 2};
    assert_ok(s, solve(s, r->y));
    assert_ok(s, costate_gradient(s, 1, NULL, r->dy0, r->dp));
    assert_ok(s, costate_hessian(s, 1, NULL, NULL, pdot, r->hy0, r->hp));
}

static void reference(results *r)
{
    heap h;
    costate_problem prob = chain_problem();
    costate_options opt = with_disk("", 1 << 30, 0, &h);
    costate_solver *s = make_solver(&prob, &opt);
    everything(s, r);
    costate_free(s);
}

/* ---- the tests --------------------------------------------------------------------------------------------------- */

static void test_nothing_is_left(void **unused)
{
    (void)unused;
    folder o;
    heap h;
    results expected, r;
    make_folder(&o);
    reference(&expected);
    costate_problem prob = chain_problem();
    prob.rhs = watched_rhs;
    prob.data = &o;
    costate_options opt = with_disk(o.path, 16 << 10, 1 << 20, &h);
    costate_solver *s = make_solver(&prob, &opt);
    for (int i = 0; i < 2; i++) {
        everything(s, &r);
        assert_memory_equal(&r, &expected, sizeof r);
        assert_in_range(stats_of(s).disk_bytes, 1, 1 << 20);
        assert_int_equal(entries(o.path), 0);
    }
    costate_free(s);
    assert_int_equal(h.live, 0);
    assert_true(o.looks > 100);
    assert_int_equal(o.most, 0);
    assert_int_equal(entries(o.path), 0);
    assert_int_equal(rmdir(o.path), 0);
}

/* The folder is $TMPDIR when none is given. */
static void test_default_folder(void **unused)
{
    (void)unused;
    heap h;
    double y[CHAIN];
    char *before = getenv("TMPDIR") ? strdup(getenv("TMPDIR")) : NULL;
    costate_problem prob = chain_problem();
    costate_options opt = with_disk("", 16 << 10, 1 << 20, &h);
    costate_solver *s = make_solver(&prob, &opt);
    setenv("TMPDIR", "/nowhere/at/all", 1);
    assert_refused(s, solve(s, y), COSTATE_ERR_DISK_DIR, "/nowhere/at/all");
    assert_nan(y, CHAIN);
    unsetenv("TMPDIR");
    assert_ok(s, solve(s, y));
    if (before) setenv("TMPDIR", before, 1);
    free(before);
    costate_free(s);
    assert_int_equal(h.live, 0);
}

static void test_no_such_folder(void **unused)
{
    (void)unused;
    static const char *const folders[] = {"/nowhere/at/all", "/dev/null", "/proc"};
    results expected, r;
    reference(&expected);
    for (size_t i = 0; i < COUNT(folders); i++) {
        heap h;
        double dy0[CHAIN], dp[CHAIN_NP];
        costate_problem prob = chain_problem();
        costate_options opt = with_disk(folders[i], 16 << 10, 1 << 20, &h);
        costate_solver *s = make_solver(&prob, &opt);
        assert_refused(s, solve(s, r.y), COSTATE_ERR_DISK_DIR, folders[i]);
        assert_nan(r.y, CHAIN);
        assert_refused(s, costate_gradient(s, 1, NULL, dy0, dp), COSTATE_ERR_NO_RECORD, "");
        assert_nan(dy0, CHAIN), assert_nan(dp, CHAIN_NP);
        assert_ok(s, costate_set(s, "disk", "0"));
        everything(s, &r);
        assert_memory_equal(&r, &expected, sizeof r);
        costate_free(s);
        assert_int_equal(h.live, 0);
    }
}

/* The process may write files of 32 KiB only, and does not die of trying more. */
static void test_full_disk(void **unused)
{
    (void)unused;
    heap h;
    results expected, r;
    struct rlimit before, tight;
    double dy0[CHAIN], dp[CHAIN_NP], pdot[CHAIN_NP] = {1, -1, 2};
    reference(&expected);
    costate_problem prob = chain_problem();
    costate_options opt = with_disk("/tmp", 16 << 10, 1 << 20, &h);
    costate_solver *s = make_solver(&prob, &opt);
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    tight = before, tight.rlim_cur = 32 << 10;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
    int status = solve(s, r.y);
    setrlimit(RLIMIT_FSIZE, &before);
    assert_refused(s, status, COSTATE_ERR_DISK_FULL, "/tmp");
    assert_nan(r.y, CHAIN);
    assert_refused(s, costate_gradient(s, 1, NULL, dy0, dp), COSTATE_ERR_NO_RECORD, "");
    assert_nan(dy0, CHAIN), assert_nan(dp, CHAIN_NP);
    assert_ok(s, solve(s, r.y)); /* there is room again, and none when the directions are to be recorded */
    setrlimit(RLIMIT_FSIZE, &tight);
    status = costate_hessian(s, 1, NULL, NULL, pdot, dy0, dp);
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, handler);
    assert_refused(s, status, COSTATE_ERR_DISK_FULL, "/tmp");
    assert_nan(dy0, CHAIN), assert_nan(dp, CHAIN_NP);
    everything(s, &r);
    assert_memory_equal(&r, &expected, sizeof r);
    costate_free(s);
    assert_int_equal(h.live, 0);
}

/* Three states are the least; a Hessian product needs three of state and directions. */
static void test_too_little_memory(void **unused)
{
    (void)unused;
    heap h;
    double y[CHAIN], ydot[CHAIN], hy0[CHAIN], hp[CHAIN_NP], dy0[CHAIN], dp[CHAIN_NP];
    int64_t state = CHAIN * sizeof(double);
    results expected;
    reference(&expected);
    costate_problem prob = chain_problem();
    for (int64_t memory = 0; memory < 3 * state; memory += state - 1) {
        costate_options opt = with_disk("", memory, 0, &h);
        costate_solver *s = make_solver(&prob, &opt);
        assert_refused(s, solve(s, y), COSTATE_ERR_BUDGET, "memory = ");
        assert_nan(y, CHAIN);
        assert_ok(s, costate_set(s, "record", "0")); /* nothing to keep, no memory needed */
        assert_ok(s, solve(s, y));
        assert_bits(y, expected.y, CHAIN);
        costate_free(s);
        assert_int_equal(h.live, 0);
    }
    costate_options opt = with_disk("", 4 * state, 0, &h);
    opt.step = t1 / 100; /* few slots mean many evaluations */
    costate_solver *s = make_solver(&prob, &opt);
    fill(ydot, CHAIN, 1);
    assert_ok(s, solve(s, y));
    assert_ok(s, costate_gradient(s, 1, NULL, dy0, dp));
    assert_refused(s, costate_hessian(s, 1, NULL, ydot, NULL, hy0, hp), COSTATE_ERR_BUDGET, "memory = ");
    assert_nan(hy0, CHAIN), assert_nan(hp, CHAIN_NP);
    assert_ok(s, costate_gradient(s, 1, NULL, hy0, hp));
    assert_bits(hy0, dy0, CHAIN), assert_bits(hp, dp, CHAIN_NP);
    costate_free(s);
    assert_int_equal(h.live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_is_left), cmocka_unit_test(test_default_folder),    cmocka_unit_test(test_no_such_folder),
        cmocka_unit_test(test_full_disk),       cmocka_unit_test(test_too_little_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
