/* test_detect.c - patterns that are found, and entries that a pattern lacks. */
#include "jacobian_model.h"

/* ---- patterns found ----------------------------------------------------------------------------------------------------- */

static void check_found(fixture *f, int lanes)
{
    model *m = &f->m;
    int *colptr, *rowind;
    open_deriv(f);
    list_entries(m);
    assert_int_equal(jacobian_detect(&f->d, at_t, f->y, at_p, lanes, &f->alloc, &colptr, &rowind), COSTATE_OK);
    assert_memory_equal(colptr, m->colptr, (size_t)(m->n + 1) * sizeof *colptr);
    if (colptr[m->n]) assert_memory_equal(rowind, m->rowind, (size_t)colptr[m->n] * sizeof *rowind);
    assert_int_equal(f->h.live, 2);
    cst__release(&f->alloc, colptr);
    cst__release(&f->alloc, rowind);
    deriv_close(&f->d);
    assert_int_equal(f->h.live, 0);
}

static void entries_found(void **state)
{
    (void)state;
    for (int from = JVP; from < SOURCES; from++)
        for (int n = 1; n <= MOST; n++)
            for (int percent = 0; percent <= 100; percent += 20) { /* the denser ones outgrow the first list */
                fixture f;
                int lanes = 1 + (n + percent / 20) % LANES, calls = (n + lanes - 1) / lanes;
                start(&f, n, (source)from);
                scattered(&f.m, (uint32_t)n, percent);
                check_found(&f, lanes);
                assert_int_equal(f.count.jvp, from == JVP ? 3 * calls : 0);
                assert_int_equal(f.count.rhs, from == JVP ? 0 : 3 * (n + 1));
                assert_int_equal(f.m.widest, from == JVP && lanes < n ? lanes : from == JVP ? n : 1);
            }
}

static void periodic_grid_found(void **state)
{
    (void)state;
    for (int from = JVP; from < SOURCES; from++) {
        enum { ROWS = 4, COLUMNS = 6 };
        fixture f;
        start(&f, ROWS * COLUMNS, (source)from);
        fill(f.y, ROWS * COLUMNS, 1); /* where all differences of neighbours are zero */
        for (int a = 0; a < ROWS; a++)
            for (int b = 0; b < COLUMNS; b++) {
                unsigned char *row = f.m.has[a * COLUMNS + b];
                row[a * COLUMNS + b] = row[a * COLUMNS + (b + 1) % COLUMNS] = row[a * COLUMNS + (b + COLUMNS - 1) % COLUMNS] = 1;
                row[(a + 1) % ROWS * COLUMNS + b] = row[(a + ROWS - 1) % ROWS * COLUMNS + b] = 1;
            }
        check_found(&f, 8);
    }
}

/* Entries that are zero at the point asked for (y = 0, or all equal, and t = 0), and one row that never is a number. */
static int hidden_rhs(double t, const double *y, const double *p, double *f, void *data)
{
    (void)p;
    (void)data;
    double bend = y[1] - 2 * y[2] + y[3];
    f[0] = y[0] * y[1];
    f[1] = (y[0] - y[3]) * (y[0] - y[3]);
    f[2] = bend * bend;
    f[3] = sin(t) * y[2] + 1e6;
    f[4] = sqrt(-1 - y[0] * y[0]);
    f[5] = 3;
    return 0;
}

static int hidden_jvp(double t, const double *y, const double *p, int w, const double *tdot, const double *ydot,
                      const double *pdot, double *fdot, void *data)
{
    (void)p;
    (void)data;
    assert_true(w == 1 && !tdot && !pdot);
    fdot[0] = ydot[0] * y[1] + y[0] * ydot[1];
    fdot[1] = 2 * (y[0] - y[3]) * (ydot[0] - ydot[3]);
    fdot[2] = 2 * (y[1] - 2 * y[2] + y[3]) * (ydot[1] - 2 * ydot[2] + ydot[3]);
    fdot[3] = sin(t) * ydot[2];
    fdot[4] = -y[0] * ydot[0] / sqrt(-1 - y[0] * y[0]);
    fdot[5] = 0;
    return 0;
}

static void hidden_entries_found(void **state)
{
    (void)state;
    enum { SIZE = 6 };
    static const char *const rows[SIZE] = {"xx....", "x..x..", ".xxx..", "..x...", "xxxxxx", "......"};
    for (int from = JVP; from < SOURCES; from++)
        for (double value = 0; value <= 1; value++) {
            costate_problem prob = {.n = SIZE, .rhs = hidden_rhs, .jvp = from == JVP ? hidden_jvp : NULL};
            costate_allocator alloc = {0};
            costate_stats count = {0};
            deriv d;
            double y[SIZE];
            int *colptr, *rowind, k = 0;
            fill(y, SIZE, value);
            assert_int_equal(deriv_open(&d, &prob, 1, &alloc, &count), COSTATE_OK);
            assert_int_equal(jacobian_detect(&d, 0, y, NULL, 1, &alloc, &colptr, &rowind), COSTATE_OK);
            for (int j = 0; j < SIZE; j++) {
                assert_int_equal(colptr[j], k);
                for (int i = 0; i < SIZE; i++)
                    if (rows[i][j] == 'x') assert_int_equal(rowind[k++], i);
            }
            assert_int_equal(colptr[SIZE], k);
            cst__release(&alloc, colptr);
            cst__release(&alloc, rowind);
            deriv_close(&d);
        }
}

/* f is asked for near the point only: no state changes its sign, and none moves by more than twice, for the point and for the
 * column, 1.6e-3 of its size: its own and a thousandth of the largest, or that of the largest if it is zero. */
static int watching_rhs(double t, const double *y, const double *p, double *f, void *data)
{
    const double *at = data;
    (void)t;
    (void)p;
    for (int i = 0; i < 3; i++) {
        double size = at[i] == 0 ? 2e-6 : fabs(at[i]) + 2e-9;
        assert_true(y[i] * at[i] >= 0);
        assert_near(y[i], at[i], 2 * 1.6e-3 * size);
        f[i] = y[i];
    }
    return 0;
}

static void points_are_near(void **state)
{
    (void)state;
    static double y[] = {1e-6, 0, -2e-6};
    costate_problem prob = {.n = 3, .rhs = watching_rhs, .data = y};
    costate_allocator alloc = {0};
    costate_stats count = {0};
    deriv d;
    int *colptr, *rowind;
    assert_int_equal(deriv_open(&d, &prob, 1, &alloc, &count), COSTATE_OK);
    assert_int_equal(jacobian_detect(&d, 0, y, NULL, 1, &alloc, &colptr, &rowind), COSTATE_OK);
    assert_int_equal(colptr[3], 3);
    cst__release(&alloc, colptr);
    cst__release(&alloc, rowind);
    deriv_close(&d);
}

/* ---- entries that a pattern lacks --------------------------------------------------------------------------------------- */

static void without(model *m, int row, int column, costate_pattern *q)
{
    unsigned char kept = m->has[row][column];
    m->has[row][column] = 0;
    *q = csc_of(m);
    m->has[row][column] = kept;
}

static void missing_entries(void **state)
{
    (void)state;
    static const int lanes[] = {1, 3, 8};
    for (int from = 0; from < SOURCES; from++)
        for (int j = 0; j < 11; j++)
            for (int i = 0; i < 11; i++) {
                fixture f;
                costate_pattern q;
                int row = -1, column = -1;
                start(&f, 11, (source)from);
                scattered(&f.m, 3, 40);
                without(&f.m, i, j, &q);
                open_jacobian(&f, q, lanes[(i + j) % 3]);
                assert_int_equal(jacobian_missing(&f.j, at_t, f.y, at_p, &row, &column), !f.m.has[i][j]);
                assert_int_equal(row, f.m.has[i][j] ? i : -1);
                assert_int_equal(column, f.m.has[i][j] ? j : -1);
                assert_true(f.m.widest <= f.j.lanes);
                finish(&f);
            }
}

static void narrow_band(void **state)
{
    (void)state;
    for (int from = 0; from < SOURCES; from++)
        for (int lower = 0; lower <= 2; lower++) {
            fixture f;
            int row = -1, column = -1;
            start(&f, 12, (source)from);
            band(&f.m, 2, 1);
            open_jacobian(&f, (costate_pattern){.format = COSTATE_BANDED, .lower = lower, .upper = 1}, 8);
            assert_int_equal(jacobian_missing(&f.j, at_t, f.y, at_p, &row, &column), lower == 2);
            assert_int_equal(row, lower == 2 ? -1 : lower + 1); /* the first below the band, in the first column */
            assert_int_equal(column, lower == 2 ? -1 : 0);
            finish(&f);
        }
}

/* f_0 is y_0 and depends on y_1 only by rounding, which the cancellation of 1000 makes larger; f_1 is never a number. */
static int noisy_rhs(double t, const double *y, const double *p, double *f, void *data)
{
    (void)t;
    (void)p;
    (void)data;
    volatile double product = (y[0] + 1000) * y[1];
    f[0] = product / y[1] - 1000;
    f[1] = sqrt(-1 - y[0] * y[0]);
    return 0;
}

static void noise_is_no_entry(void **state)
{
    (void)state;
    static const int colptr[] = {0, 1, 1}, rowind[] = {0};
    costate_problem prob = {.n = 2, .rhs = noisy_rhs};
    costate_pattern q = {.format = COSTATE_CSC, .colptr = colptr, .rowind = rowind};
    costate_allocator alloc = {0};
    costate_stats count = {0};
    deriv d;
    jacobian j;
    int row, column;
    assert_int_equal(deriv_open(&d, &prob, 1, &alloc, &count), COSTATE_OK);
    assert_int_equal(jacobian_open(&j, &d, &q, 1, &alloc, NULL, 0), COSTATE_OK);
    for (double y1 = 0.1; y1 < 1; y1 += 0.01)
        assert_int_equal(jacobian_missing(&j, 0, (double[]){0.7, y1}, NULL, &row, &column), 1);
    jacobian_close(&j);
    deriv_close(&d);
}

/* ---- failures ----------------------------------------------------------------------------------------------------------- */

static void memory_fails(void **state)
{
    (void)state;
    for (int from = 0; from < SOURCES; from++) {
        fixture f;
        int *colptr, *rowind, row, column, status;
        start(&f, 20, (source)from);
        scattered(&f.m, 5, 90);
        open_jacobian(&f, csc_of(&f.m), 8);
        int64_t live = f.h.live;
        f.h.requests = 0;
        f.h.fail_at = 1;
        assert_int_equal(jacobian_missing(&f.j, at_t, f.y, at_p, &row, &column), COSTATE_ERR_MEMORY);
        f.h.fail_at = 0;
        do {
            f.h.fail_at++;
            f.h.requests = 0;
            status = jacobian_detect(&f.d, at_t, f.y, at_p, 4, &f.alloc, &colptr, &rowind);
            assert_int_equal(status, f.h.requests >= f.h.fail_at ? COSTATE_ERR_MEMORY : COSTATE_OK);
            if (status) assert_true(!colptr && !rowind && f.h.live == live);
        } while (status);
        assert_true(f.h.fail_at > 4); /* the list of rows was made longer */
        cst__release(&f.alloc, colptr);
        cst__release(&f.alloc, rowind);
        finish(&f);
    }
}

static void pass_codes(source from, int code)
{
    fixture f;
    int *colptr, *rowind, row, column;
    start(&f, 6, from);
    scattered(&f.m, 8, 50);
    open_jacobian(&f, csc_of(&f.m), 4);
    int64_t live = f.h.live;
    f.m.code = code;
    assert_int_equal(jacobian_missing(&f.j, at_t, f.y, at_p, &row, &column), 1);
    for (long k = f.m.calls; k > 0; k--) {
        f.m.calls = 0;
        f.m.fail_at = k;
        assert_int_equal(jacobian_missing(&f.j, at_t, f.y, at_p, &row, &column), code < 0 ? code : COSTATE_ERR_RETRY);
    }
    long all = from == JVP ? 3 * 2 : 3 * 7;
    for (long k = 1; k <= all; k++) {
        f.m.calls = 0;
        f.m.fail_at = k;
        assert_int_equal(jacobian_detect(&f.d, at_t, f.y, at_p, 4, &f.alloc, &colptr, &rowind), code);
        assert_true(!colptr && !rowind && f.h.live == live);
    }
    finish(&f);
}

static void callbacks_fail(void **state)
{
    (void)state;
    for (int from = 0; from < SOURCES; from++)
        for (int code = -7; code <= 5; code += 12) pass_codes((source)from, code);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_found),     cmocka_unit_test(periodic_grid_found), cmocka_unit_test(hidden_entries_found),
        cmocka_unit_test(points_are_near),   cmocka_unit_test(missing_entries),     cmocka_unit_test(narrow_band),
        cmocka_unit_test(noise_is_no_entry), cmocka_unit_test(memory_fails),        cmocka_unit_test(callbacks_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
