/* test_traj.c - the trajectory store: every step comes back bit for bit whatever the budget, with as few evaluations as there can
 * be, within its bytes, and every failure is clean.
 *
 * The "step" is a chaotic map, so that a state that is wrong in one bit, or a step replayed from the wrong state, shows. */
#define _GNU_SOURCE /* mkdtemp */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "traj/store.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { BLOCK_EXTRA = 64 + sizeof(void *) }; /* what base/alloc.c adds to a block for its alignment */

/* ---- an allocator that counts, and fails when told to ------------------------------------------------------------------- */

typedef struct counter {
    size_t in_use, peak;
    int blocks, calls, fail_at; /* fail_at: the number of the call that fails, from 1; 0: none */
} counter;

static void *counted_alloc(size_t bytes, void *ctx)
{
    counter *c = ctx;
    if (++c->calls == c->fail_at) return NULL;
    size_t *block = malloc(bytes + 16);
    if (!block) return NULL;
    *block = bytes - BLOCK_EXTRA;
    c->in_use += *block;
    c->blocks++;
    if (c->in_use > c->peak) c->peak = c->in_use;
    return (char *)block + 16;
}

static void counted_release(void *block, void *ctx)
{
    counter *c = ctx;
    size_t *real = (size_t *)(void *)((char *)block - 16);
    c->in_use -= *real;
    c->blocks--;
    free(real);
}

/* ---- the map ------------------------------------------------------------------------------------------------------------ */

typedef struct run {
    size_t state, stages;
    int64_t steps;
    double *truth; /* states 0 .. steps */
    counter memory;
    traj *tr;
    /* the replay that was made last, to check `fresh`, and how many there may still be before one fails */
    int64_t last;
    const double *last_next;
    int64_t fail_after;
} run;

static void map(const run *r, int64_t n, const double *x, double *stages, double *next)
{
    for (size_t j = 0; j < r->stages; j++) stages[j] = x[j % r->state] * (double)(j + 1) + (double)n;
    for (size_t i = 0; next && i < r->state; i++) {
        double y = 3.99 * x[i] * (1 - x[i]) + 0.37 * x[(i + 1) % r->state] + 1e-3 * (double)(n % 7);
        next[i] = y - floor(y);
    }
}

static const double *truth(const run *r, int64_t n)
{
    return r->truth + (size_t)n * r->state;
}

static int replay(void *ctx, int64_t n, int fresh, const double *state, double *stages, double *next)
{
    run *r = ctx;
    assert_memory_equal(state, truth(r, n), r->state * sizeof *state);
    if (!fresh) {
        assert_int_equal(n, r->last + 1);
        assert_ptr_equal(state, r->last_next);
    }
    assert_ptr_not_equal(state, next);
    if (r->fail_after == 0) return COSTATE_ERR_SWEEP_REPLAY;
    r->fail_after--;
    map(r, n, state, stages, next);
    r->last = n;
    r->last_next = next;
    return 0;
}

static void setup(run *r, size_t state, size_t stages, int64_t steps)
{
    *r = (run){.state = state, .stages = stages, .steps = steps, .last = -2, .fail_after = -1};
    r->truth = malloc((size_t)(steps + 1) * state * sizeof(double));
    double *scratch = malloc((stages + 1) * sizeof(double));
    assert_non_null(r->truth);
    assert_non_null(scratch);
    for (size_t i = 0; i < state; i++) r->truth[i] = 0.1 + 0.8 * (double)(i + 1) / (double)(state + 1);
    for (int64_t n = 0; n < steps; n++) map(r, n, truth(r, n), scratch, r->truth + (size_t)(n + 1) * state);
    free(scratch);
}

static int open_store(run *r, int64_t memory, int64_t disk, const char *dir)
{
    traj_config cf = {.state = r->state, .stages = r->stages, .memory = memory, .disk = disk, .dir = dir};
    cf.alloc = (costate_allocator){counted_alloc, counted_release, &r->memory};
    return traj_open(&r->tr, &cf);
}

static void teardown(run *r)
{
    traj_close(r->tr);
    free(r->truth);
    assert_int_equal(r->memory.blocks, 0);
    assert_int_equal(r->memory.in_use, 0);
}

/* The forward run; a first attempt at each step leaves rubbish. */
static int forward(run *r)
{
    traj_start(r->tr);
    for (int64_t n = 0; n < r->steps; n++) {
        double *stages;
        TRY(traj_reserve(r->tr, truth(r, n), &stages));
        for (size_t j = 0; j < r->stages; j++) stages[j] = -1;
        map(r, n, truth(r, n), stages, NULL);
        traj_commit(r->tr);
    }
    return 0;
}

static int fetch_and_compare(run *r, int64_t n)
{
    const double *state, *stages;
    TRY(traj_fetch(r->tr, n, replay, r, &state, &stages));
    assert_memory_equal(state, truth(r, n), r->state * sizeof *state);
    double expected[64];
    for (size_t j = 0; j < r->stages; j += 64) {
        size_t count = r->stages - j < 64 ? r->stages - j : 64;
        for (size_t i = 0; i < count; i++) expected[i] = truth(r, n)[(j + i) % r->state] * (double)(j + i + 1) + (double)n;
        assert_memory_equal(stages + j, expected, count * sizeof *expected);
    }
    return 0;
}

static int backward(run *r, int64_t from)
{
    for (int64_t n = from; n >= 0; n--) TRY(fetch_and_compare(r, n));
    return 0;
}

static traj_info info_of(const run *r)
{
    traj_info info;
    traj_get_info(r->tr, &info);
    return info;
}

static int is(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

/* Up to this many steps a sweep with c slots evaluates no step more than twice. */
static int64_t twice(int64_t c)
{
    return c > 2000000000 ? INT64_MAX : (c + 2) * (c + 1) / 2 - 1;
}

/* What online.c says of its rule. */
static double stated_gap(int64_t c)
{
    return c <= 3 ? 0.063 : c == 4 ? 0.054 : c == 5 ? 0.046 : 0.04;
}

/* The replays of a first sweep are those of the optimum where a rule can reach it, and as near as online.c says beyond. */
static void assert_few_replays(const traj_info *info, int64_t replays)
{
    int64_t optimum = traj_optimum(info->steps, info->slots);
    if (is(info->tier, "stages")) assert_int_equal(replays, 0);
    if (is(info->tier, "states")) assert_in_range(replays, 0, info->steps);
    if (is(info->tier, "checkpoints")) {
        if (info->steps <= twice(info->slots)) assert_true(replays <= optimum);
        else assert_true((double)replays <= (1 + stated_gap(info->slots)) * (double)optimum);
    }
}

/* A whole life: a run, two sweeps, one from the middle, a second run. */
static void live(size_t state, size_t stages, int64_t steps, int64_t memory, int64_t disk)
{
    run r;
    setup(&r, state, stages, steps);
    assert_int_equal(open_store(&r, memory, disk, NULL), 0);
    size_t fixed = r.memory.in_use;
    for (int again = 0; again < 2; again++) {
        assert_int_equal(forward(&r), 0);
        traj_info after_run = info_of(&r);
        assert_int_equal(after_run.steps, steps);
        assert_int_equal(after_run.recomputed, 0);
        assert_int_equal(backward(&r, steps - 1), 0);
        assert_few_replays(&after_run, info_of(&r).recomputed);
        int64_t before = info_of(&r).recomputed;
        assert_int_equal(backward(&r, steps - 1), 0);
        assert_true(info_of(&r).recomputed - before <= traj_cost(steps, after_run.slots));
        assert_int_equal(backward(&r, steps / 2), 0);
        assert_true(is(info_of(&r).tier, after_run.tier));
        assert_in_range(r.memory.peak, 0, fixed + (size_t)memory);
        assert_true(info_of(&r).memory == (int64_t)(r.memory.peak - fixed));
        assert_true(info_of(&r).disk <= disk);
    }
    teardown(&r);
}

/* ---- the mathematics ---------------------------------------------------------------------------------------------------- */

enum { DP_LEN = 70, DP_SLOTS = 9 };

static void costs_are_those_of_dynamic_programming(void **unused)
{
    (void)unused;
    static int64_t cost[DP_LEN + 1][DP_SLOTS + 1], opt[DP_LEN + 1][DP_SLOTS + 1];
    for (int k = 1; k <= DP_SLOTS; k++) {
        for (int len = 1; len <= DP_LEN; len++) {
            int64_t best = (int64_t)len * (len + 1) / 2;
            for (int m = 1; k > 1 && m < len; m++) {
                int64_t c = m + cost[len - m][k - 1] + cost[m][k];
                if (c < best) best = c;
            }
            cost[len][k] = best;
            assert_int_equal(traj_cost(len, k), best);
            /* a run that was free to leave states: the first segment, then the others with a slot less */
            opt[len][k] = best;
            for (int m = 1; k > 1 && m < len; m++) {
                int64_t c = cost[m][k] + opt[len - m][k - 1];
                if (c < opt[len][k]) opt[len][k] = c;
            }
            assert_int_equal(traj_optimum(len, k), opt[len][k]);
            if (len < 2 || k < 2) continue;
            int64_t m = traj_split(len, k);
            assert_in_range(m, 1, len - 1);
            assert_int_equal(m + cost[len - m][k - 1] + cost[m][k], best);
        }
    }
    assert_int_equal(traj_optimum(0, 5), 0);
    assert_int_equal(traj_optimum(1000000, INT64_MAX), 1000000);
    assert_int_equal(traj_optimum(INT64_C(1) << 40, INT64_C(1) << 40), INT64_C(1) << 40);
}

/* The rule of online.c against the optimum, by the cost of what it keeps. */
static double worst_gap(uint32_t c, int64_t steps)
{
    traj_slots l = {.at = calloc(c, sizeof(traj_slot)), .count = c, .memory = c - 1};
    traj_online o;
    double worst = 0;
    assert_non_null(l.at);
    traj_online_start(&o);
    for (int64_t n = 0; n < steps; n++) {
        uint32_t s = n < c ? (uint32_t)n : traj_online_choose(&o, &l, n);
        if (n >= c && s) traj_slot_unlink(&l, s);
        if (n < c || s) traj_slot_append(&l, s, n);
        int64_t cost = 0, k = c;
        for (s = 0; k == c || s; s = l.at[s].next, k--)
            cost += traj_cost((l.at[s].next ? l.at[l.at[s].next].step : n + 1) - l.at[s].step, k);
        int64_t optimum = traj_optimum(n + 1, c);
        if (n + 1 <= twice(c)) assert_int_equal(cost, optimum);
        assert_true(cost >= optimum);
        double gap = (double)(cost - optimum) / (double)optimum;
        if (gap > worst) worst = gap;
    }
    free(l.at);
    return worst;
}

static void online_rule_is_near_the_optimum(void **unused)
{
    (void)unused;
    for (uint32_t c = 3; c <= 60; c++) assert_true(worst_gap(c, 30000) <= stated_gap(c));
}

/* ---- what comes back ---------------------------------------------------------------------------------------------------- */

static void every_step_comes_back(void **unused)
{
    (void)unused;
    static const size_t states[] = {1, 2, 3, 10, 100}, stages[] = {0, 1, 7, 70};
    static const int64_t steps[] = {1, 2, 3, 4, 7, 50, 333}, budgets[] = {3, 4, 5, 8, 20, 60, 300, 1000, 100000};
    static const int64_t disks[] = {0, 1, 30};
    for (size_t a = 0; a < sizeof states / sizeof *states; a++)
        for (size_t b = 0; b < sizeof stages / sizeof *stages; b++)
            for (size_t c = 0; c < sizeof steps / sizeof *steps; c++)
                for (size_t d = 0; d < sizeof budgets / sizeof *budgets; d++)
                    for (size_t e = 0; e < sizeof disks / sizeof *disks; e++) {
                        int64_t unit = (int64_t)(states[a] * sizeof(double));
                        live(states[a], stages[b], steps[c], budgets[d] * unit + unit / 2, disks[e] * unit);
                    }
}

static void disk_alone_is_enough(void **unused)
{
    (void)unused;
    live(3, 20, 1, 0, 3 * 24);
    live(3, 20, 100, 0, 3 * 24);
    live(3, 20, 1000, 0, 40 * 24);
    live(3, 20, 1000, 0, INT64_MAX);
    live(3, 20, 1000, 200, INT64_MAX);
    live(3, 20, 3000, 20000, INT64_MAX);
    live(2, 14, 5000, 20000, 100000);
}

static void extreme_budgets_and_sizes(void **unused)
{
    (void)unused;
    live(2, 14, 3000, INT64_MAX, 0);
    live(1, 0, 3000, INT64_MAX, INT64_MAX);
    live(5000, 35000, 40, INT64_MAX, 0);          /* one unit exceeds the first chunk */
    live(5000, 35000, 40, 12 * 40000, 3 * 40000); /* less than two records */
    live(5000, 1, 40, 12 * 40000, 0);
    live(1, 13, 3000, 30000, 0); /* bookkeeping outweighs the states */
    live(1, 1, 20000, 30000, 3000);
    live(1, 0, 20000, 30000, 0);
    live(2, 2, 20000, 65536, 0);
}

/* Budgets for which the fall happens at every possible number of records, with bookkeeping of its own. */
static void fall_at_every_size(void **unused)
{
    (void)unused;
    for (int64_t memory = 8000; memory < 20000; memory += 97) {
        live(1, 3, 2000, memory, 0);
        live(2, 14, 1500, memory, 0);
        live(3, 4, 1500, memory, memory / 3);
    }
}

static void whole_records_stay_where_they_are(void **unused)
{
    (void)unused;
    run r;
    setup(&r, 3, 21, 5000);
    assert_int_equal(open_store(&r, 5000 * 24 * 8, 0, NULL), 0); /* 3 + 21 doubles a step and not a byte more */
    assert_true(is(info_of(&r).tier, "none"));
    assert_int_equal(forward(&r), 0);
    assert_true(is(info_of(&r).tier, "stages"));
    assert_true(traj_stable(r.tr));
    const double *state[2], *stages[2];
    assert_int_equal(traj_fetch(r.tr, 17, NULL, NULL, &state[0], &stages[0]), 0);
    assert_int_equal(backward(&r, 4999), 0);
    assert_int_equal(traj_fetch(r.tr, 17, NULL, NULL, &state[1], &stages[1]), 0);
    assert_ptr_equal(state[0], state[1]);
    assert_ptr_equal(stages[0], stages[1]);
    int calls = r.memory.calls;
    assert_int_equal(forward(&r), 0); /* a second run of the same length allocates nothing */
    assert_int_equal(r.memory.calls, calls);
    assert_in_range(calls, 1, 30);
    assert_int_equal(traj_fetch(r.tr, 5000, NULL, NULL, &state[0], &stages[0]), COSTATE_ERR_NO_RECORD);
    teardown(&r);
}

static void sweeps_start_anywhere(void **unused)
{
    (void)unused;
    run r;
    setup(&r, 4, 28, 700);
    assert_int_equal(open_store(&r, 50 * 32, 20 * 32, NULL), 0);
    assert_int_equal(forward(&r), 0);
    assert_false(traj_stable(r.tr));
    uint32_t seed = 1;
    for (int i = 0; i < 400; i++) {
        seed = seed * 1664525u + 1013904223u;
        int64_t n = (int64_t)(seed >> 8) % 700, down = (int64_t)(seed >> 4) % 30;
        for (; n >= 0 && down > 0; n--, down--) assert_int_equal(fetch_and_compare(&r, n), 0);
    }
    teardown(&r);
}

/* ---- failures ----------------------------------------------------------------------------------------------------------- */

static void budgets_too_small_are_refused(void **unused)
{
    (void)unused;
    run r;
    setup(&r, 10, 70, 5);
    static const int64_t wrong[][2] = {{-1, 0}, {0, 0}, {239, 0}, {INT64_MAX, -1}, {79, 239}, {80, 159}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(open_store(&r, wrong[i][0], wrong[i][1], NULL), COSTATE_ERR_BUDGET);
        assert_null(r.tr);
        assert_int_equal(r.memory.blocks, 0);
    }
    assert_int_equal(open_store(&r, 80, 160, NULL), 0);
    traj_close(r.tr);
    assert_int_equal(open_store(&r, 240, 0, NULL), 0);
    teardown(&r);
}

/* Makes every single allocation fail, in open, in growth and in the fall. Each time the store can be started again. */
static void every_allocation_may_fail(void **unused)
{
    (void)unused;
    static const int64_t budgets[] = {300, 30000, 100000, INT64_MAX};
    for (int b = 0; b < 4; b++) {
        int status = COSTATE_ERR_MEMORY;
        for (int k = 1; status; k++) {
            run r;
            setup(&r, 2, 14, 3000);
            r.memory.fail_at = k;
            status = open_store(&r, budgets[b], 200, NULL);
            if (status) {
                assert_int_equal(status, COSTATE_ERR_MEMORY);
                assert_null(r.tr);
            } else {
                status = forward(&r);
                if (status) assert_int_equal(status, COSTATE_ERR_MEMORY);
                assert_int_equal(backward(&r, info_of(&r).steps - 1), 0); /* what is said to be there is there */
                r.memory.fail_at = 0;
                assert_int_equal(forward(&r), 0);
                assert_int_equal(backward(&r, 2999), 0);
            }
            teardown(&r);
        }
    }
}

static void failed_replay_is_passed_through(void **unused)
{
    (void)unused;
    run r;
    setup(&r, 4, 12, 500);
    assert_int_equal(open_store(&r, 20 * 32, 0, NULL), 0);
    assert_int_equal(forward(&r), 0);
    for (int64_t allowed = 0; allowed < 60; allowed++) {
        r.fail_after = allowed;
        assert_int_equal(backward(&r, 499), COSTATE_ERR_SWEEP_REPLAY);
    }
    r.fail_after = -1;
    assert_int_equal(backward(&r, 499), 0);
    teardown(&r);
}

static int entries(const char *folder)
{
    int count = 0;
    DIR *d = opendir(folder);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));) count += e->d_name[0] != '.';
    closedir(d);
    return count;
}

static void file_has_no_name(void **unused)
{
    (void)unused;
    char folder[] = "/tmp/costate-test-XXXXXX";
    assert_non_null(mkdtemp(folder));
    char *before = getenv("TMPDIR") ? strdup(getenv("TMPDIR")) : NULL;
    setenv("TMPDIR", folder, 1);
    const char *const dirs[] = {folder, "", NULL};
    for (int i = 0; i < 3; i++) {
        run r;
        setup(&r, 50, 100, 300);
        assert_int_equal(open_store(&r, 400 * 10, 400 * 100, dirs[i]), 0);
        assert_int_equal(entries(folder), 0);
        assert_int_equal(forward(&r), 0);
        assert_true(info_of(&r).disk == 400 * 100);
        assert_int_equal(entries(folder), 0);
        assert_int_equal(backward(&r, 299), 0);
        assert_true(is(info_of(&r).detail, ""));
        teardown(&r);
        assert_int_equal(entries(folder), 0);
    }
    if (before) setenv("TMPDIR", before, 1);
    else unsetenv("TMPDIR");
    free(before);
    assert_int_equal(rmdir(folder), 0);
}

static void wrong_folder_is_reported_at_once(void **unused)
{
    (void)unused;
    run r;
    setup(&r, 10, 70, 5);
    char plain[] = "/tmp/costate-test-XXXXXX";
    int fd = mkstemp(plain);
    assert_true(fd >= 0);
    close(fd);
    char long_name[5000];
    memset(long_name, 'x', sizeof long_name - 1);
    long_name[0] = '/';
    long_name[sizeof long_name - 1] = 0;
    const struct {
        const char *dir;
        int why;
    } wrong[] = {{"/nonexistent/folder", ENOENT}, {plain, ENOTDIR}, {long_name, ENAMETOOLONG}, {"/proc/self", 0}};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(open_store(&r, 1000, 1000, wrong[i].dir), COSTATE_ERR_DISK_DIR);
        if (wrong[i].why) assert_int_equal(errno, wrong[i].why);
        assert_null(r.tr);
        assert_int_equal(r.memory.blocks, 0);
    }
    assert_int_equal(open_store(&r, 1000, 0, "/nonexistent/folder"), 0); /* without disk no folder is needed */
    unlink(plain);
    teardown(&r);
}

/* A folder that goes away between open and the first write. */
static void folder_that_vanishes(void **unused)
{
    (void)unused;
    run r;
    char folder[] = "/tmp/costate-test-XXXXXX";
    assert_non_null(mkdtemp(folder));
    setup(&r, 10, 70, 100);
    assert_int_equal(open_store(&r, 800, 800, folder), 0);
    assert_int_equal(rmdir(folder), 0);
    assert_int_equal(forward(&r), COSTATE_ERR_DISK_DIR);
    assert_non_null(strstr(info_of(&r).detail, folder));
    assert_non_null(strstr(info_of(&r).detail, strerror(ENOENT)));
    teardown(&r);
}

/* A limit on the size of files stands for the full disk: first a short write, then EFBIG. */
static void limit_files(rlim_t most)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = most < limit.rlim_max ? most : limit.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void full_disk_is_reported(void **unused)
{
    (void)unused;
    void (*old)(int) = signal(SIGXFSZ, SIG_IGN);
    run r;
    setup(&r, 50, 100, 300);
    assert_int_equal(open_store(&r, 400 * 10, 400 * 100, NULL), 0);
    limit_files(10100); /* not a whole number of states */
    int status = forward(&r);
    traj_info info = info_of(&r);
    limit_files(RLIM_INFINITY);
    assert_int_equal(status, COSTATE_ERR_DISK_FULL);
    assert_non_null(strstr(info.detail, "write"));
    assert_non_null(strstr(info.detail, strerror(EFBIG)));
    assert_in_range(info.disk, 1, 10100);

    /* The same when a second sweep leaves its checkpoints; tried again and again, it goes on when there is room. */
    assert_int_equal(forward(&r), 0);
    assert_true(is(info_of(&r).detail, ""));
    assert_int_equal(backward(&r, 299), 0);
    limit_files(10100);
    int statuses = 0;
    for (int i = 0; i < 150; i++) statuses += backward(&r, 299) == COSTATE_ERR_DISK_FULL;
    limit_files(RLIM_INFINITY);
    assert_int_equal(statuses, 150);
    assert_int_equal(backward(&r, 299), 0);
    signal(SIGXFSZ, old);
    teardown(&r);
}

/* ---- a long run --------------------------------------------------------------------------------------------------------- */

static void long_run_within_budgets(void **unused)
{
    (void)unused;
    static const int64_t budgets[] = {160, 1000, 4000, 65536, 262144, 1048576, 16777216, INT64_MAX};
    run r;
    setup(&r, 3, 21, 20000);
    print_message("%12s %-12s %8s %8s %12s %12s %12s\n", "budget", "tier", "steps", "slots", "bytes", "recomputed", "optimum");
    for (size_t i = 0; i < sizeof budgets / sizeof *budgets; i++) {
        assert_int_equal(open_store(&r, budgets[i], 0, NULL), 0);
        assert_int_equal(forward(&r), 0);
        traj_info info = info_of(&r);
        assert_int_equal(backward(&r, 19999), 0);
        int64_t recomputed = info_of(&r).recomputed;
        assert_few_replays(&info, recomputed);
        assert_true(info.memory <= budgets[i]);
        print_message("%12lld %-12s %8lld %8lld %12lld %12lld %12lld\n", (long long)budgets[i], info.tier, (long long)info.steps,
                      (long long)info.slots, (long long)info.memory, (long long)recomputed,
                      is(info.tier, "stages") ? 0LL : (long long)traj_optimum(info.steps, info.slots));
        traj_close(r.tr);
        r.tr = NULL;
    }
    teardown(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(costs_are_those_of_dynamic_programming),
        cmocka_unit_test(online_rule_is_near_the_optimum),
        cmocka_unit_test(every_step_comes_back),
        cmocka_unit_test(disk_alone_is_enough),
        cmocka_unit_test(extreme_budgets_and_sizes),
        cmocka_unit_test(fall_at_every_size),
        cmocka_unit_test(whole_records_stay_where_they_are),
        cmocka_unit_test(sweeps_start_anywhere),
        cmocka_unit_test(budgets_too_small_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(failed_replay_is_passed_through),
        cmocka_unit_test(file_has_no_name),
        cmocka_unit_test(wrong_folder_is_reported_at_once),
        cmocka_unit_test(folder_that_vanishes),
        cmocka_unit_test(full_disk_is_reported),
        cmocka_unit_test(long_run_within_budgets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
