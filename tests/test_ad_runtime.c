/* test_ad_runtime.c - what emitted code relies on: the tape, scratch arrays, index sets, in one thread and in several; floats. */
#include "support.h"

#include <costate/runtime.h>
#include <pthread.h>

static int below(int n)
{
    static uint64_t state = 7;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int)((state >> 33) % (uint64_t)n);
}

static void tape(void **state)
{
    (void)state;
    enum { COUNT_ = 100000 };
    costate_work *k = costate_work_open();
    assert_non_null(k);
    costate_v4 x[2] = {{1, 2, 3, 4}, {5, 6, 7, 8}}, z[2];
    for (int i = 0; i < COUNT_; i++) {
        costate_push(k, i + 0.5);
        costate_push_int(k, (int64_t)i << 32 | 1);
        if (i % 100 == 0) x[1][2] = i, costate_push_lanes(k, x, 2);
    }
    assert_int_equal(k->failed, 0);
    for (int i = COUNT_ - 1; i >= 0; i--) {
        if (i % 100 == 0) {
            costate_pop_lanes(k, z, 2);
            assert_true(z[0][3] == 4 && z[1][2] == i && z[1][3] == 8);
        }
        assert_true(costate_pop_int(k) == ((int64_t)i << 32 | 1));
        assert_true(costate_pop(k) == i + 0.5);
    }
    assert_int_equal(k->top, 0);
    costate_push(k, 1);
    assert_ptr_equal(costate_work_open(), k);
    assert_int_equal(k->top, 0); /* emptied */
    assert_false(costate_tape_room(k, SIZE_MAX / 2));
    assert_int_equal(k->failed, 1);
    assert_int_equal(costate_work_open()->failed, 0);
}

/* Arrays do not overlap, are aligned, and come back in the same place after a mark. */
static void scratch(void **state)
{
    (void)state;
    costate_work *k = costate_work_open();
    for (int round = 0; round < 200; round++) {
        enum { ARRAYS = 40 };
        double *a[ARRAYS];
        size_t length[ARRAYS];
        costate_mark mark[ARRAYS];
        for (int i = 0; i < ARRAYS; i++) {
            mark[i] = costate_scratch_mark(k);
            length[i] = (size_t)below(round % 10 == 9 ? 20000 : 300);
            a[i] = i % 2 ? costate_scratch_zero(k, length[i]) : costate_scratch(k, length[i]);
            assert_non_null(a[i]);
            assert_true((uintptr_t)a[i] % 64 == 0);
            for (size_t j = 0; j < length[i]; j++) {
                if (i % 2) assert_true(a[i][j] == 0);
                a[i][j] = i;
            }
        }
        for (int i = ARRAYS - 1; i >= 0; i--) {
            for (size_t j = 0; j < length[i]; j++) assert_true(a[i][j] == i);
            if (i % 3 == 0) assert_int_equal(costate_scratch_back(k, mark[i], i), i);
        }
    }
    const costate_mark mark = costate_scratch_mark(k);
    double *a = costate_scratch(k, 1000);
    costate_scratch_back(k, mark, 0);
    assert_ptr_equal(costate_scratch(k, 1000), a);
    costate_scratch_back(k, mark, 0);
    assert_null(costate_scratch(k, SIZE_MAX / 4));
}

static void *worker(void *own)
{
    costate_work *k = costate_work_open();
    *(costate_work **)own = k;
    for (int i = 0; i < 10000; i++) costate_push(k, i);
    double *a = costate_scratch_zero(k, 100000);
    assert_non_null(a);
    for (int i = 9999; i >= 0; i--) assert_true(costate_pop(k) == i);
    return NULL;
}

static void threads(void **state)
{
    (void)state;
    pthread_t thread[4];
    costate_work *own[4];
    for (int round = 0; round < 5; round++) {
        for (int i = 0; i < 4; i++) assert_int_equal(pthread_create(&thread[i], NULL, worker, &own[i]), 0);
        for (int i = 0; i < 4; i++) assert_int_equal(pthread_join(thread[i], NULL), 0);
    }
    /* What they had is gone: only this thread's is left. */
    assert_ptr_equal(costate_work_all, costate_work_mine);
    assert_null(costate_work_all ? costate_work_all->next : NULL);
}

/* ---- index sets ------------------------------------------------------------------------------------------------------------ */

enum { RANGE = 60 };
typedef struct both {
    costate_index_set set;
    char has[RANGE]; /* the same, as flags */
} both;

static void check_set(const both *b)
{
    int count = 0;
    for (int i = 0; i < RANGE; i++) {
        if (!b->has[i]) continue;
        assert_true(count < b->set.count);
        assert_int_equal(b->set.item[count++], i);
    }
    assert_int_equal(count, b->set.count);
}

static void index_sets(void **state)
{
    (void)state;
    enum { SETS = 8 };
    costate_pattern_sink sink = {.states = RANGE / 2, .params = 1};
    both s[SETS] = {0};
    for (int step = 0; step < 20000; step++) {
        const int a = below(SETS), b = below(SETS), i = below(RANGE);
        switch (below(8)) {
        case 0: costate_set_clear(&s[a].set), memset(s[a].has, 0, RANGE); break;
        case 1: costate_set_copy(&sink, &s[a].set, &s[b].set), memmove(s[a].has, s[b].has, RANGE); break;
        case 2:
        case 3:
            costate_set_join(&sink, &s[a].set, &s[b].set);
            for (int j = 0; j < RANGE; j++) s[a].has[j] |= s[b].has[j];
            break;
        default:
            if (i < sink.states) costate_set_add_state(&sink, &s[a].set, i);
            else costate_set_add_param(&sink, &s[a].set, i - sink.states);
            s[a].has[i] = 1;
        }
        check_set(&s[a]);
    }
    sink.params = 0;
    const int before = s[0].set.count;
    for (int k = 0; k < RANGE / 2; k++) costate_set_add_param(&sink, &s[0].set, k); /* not wanted */
    assert_int_equal(s[0].set.count, before);
    assert_int_equal(sink.failed, 0);
    for (int a = 0; a < SETS; a++) costate_set_free(&s[a].set);
    costate_index_set *many = costate_sets_new(&sink, 100);
    for (int i = 0; i < 100; i += 7) costate_set_add(&sink, &many[i], i);
    costate_sets_free(many, 100);
    costate_sets_free(NULL, 5);
}

/* Every operation is rounded, also where it could be fused with the next one. */
static void floats(void **state)
{
    (void)state;
    const double tenth = 0.1f, more = 1.1f;
    for (int k = 0; k < 1000; k++) {
        double d = costate_float(1 + 1e-3 * k);
        volatile float exact = (float)d;
        for (int i = 0; i < 4; i++) {
            d = costate_float(costate_float(d * more) + tenth);
            exact *= 1.1f;
            exact += 0.1f;
        }
        assert_true(d == (double)exact);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tape),
        cmocka_unit_test(scratch),
        cmocka_unit_test(threads),
        cmocka_unit_test(index_sets),
        cmocka_unit_test(floats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
