/* test_jacobian.c - Jacobians on a pattern: values of every format from every source against the exact ones, products, and what
 * happens when the pattern is wrong, or memory or a callback fails. */
#include "deriv/colour.h"
#include "jacobian_model.h"

static const double exactly = 1e-13, roughly = 1e-7; /* relative errors: products, differences */

/* Where the value of entry (i, j) is, by the definitions of costate.h; NULL: the pattern has no such entry. */
static const double *place(const costate_pattern *q, int n, const double *values, int i, int j)
{
    if (q->format == COSTATE_DENSE) return values + i + n * j;
    if (q->format == COSTATE_BANDED)
        return i - j <= q->lower && j - i <= q->upper ? values + q->upper + i - j + (q->lower + q->upper + 1) * j : NULL;
    for (int e = q->colptr[j]; e < q->colptr[j + 1]; e++)
        if (q->rowind[e] == i) return values + e;
    return NULL;
}

/* Every entry within tol of its column's scale, and no value beside them but zero. */
static void check_values(fixture *f, double tol)
{
    const model *m = &f->m;
    double values[3 * MOST * MOST];
    size_t nonzero = 0, entries = 0;
    memset(values, 0xff, sizeof values);
    assert_int_equal(jacobian_eval(&f->j, at_t, f->y, at_p, values), 0);
    for (size_t k = 0; k < f->j.nnz; k++) nonzero += !(values[k] == 0);
    for (int j = 0; j < m->n; j++)
        for (int i = 0; i < m->n; i++) {
            const double *v = place(&f->j.pattern, m->n, values, i, j);
            double want = entry(m, at_t, f->y, at_p, i, j);
            if (!v) assert_true(want == 0);
            else if (!(fabs(*v - want) <= tol * 3 / m->scale[j])) fail_msg("(%d, %d): %.17g, not %.17g", i, j, *v, want);
            entries += v && *v != 0;
        }
    assert_int_equal(nonzero, entries);
    assert_nan(values + f->j.nnz, 1);
}

/* ---- values ----------------------------------------------------------------------------------------------------------- */

static void check_formats(source from, int n, int lower, int upper, int lanes)
{
    static const char *const names[SOURCES] = {"user", "jvp", "differences"};
    int width = lower + upper + 1;
    for (int format = COSTATE_DENSE; format <= COSTATE_CSC; format++) {
        fixture f;
        start(&f, n, from);
        band(&f.m, lower, upper);
        costate_pattern q = {.format = COSTATE_DENSE};
        if (format == COSTATE_BANDED) q = (costate_pattern){.format = COSTATE_BANDED, .lower = lower, .upper = upper};
        if (format == COSTATE_CSC) q = csc_of(&f.m);
        open_jacobian(&f, q, lanes);
        int colours = from == USER ? 0 : format == COSTATE_DENSE || width > n ? n : width;
        assert_string_equal(f.j.source, names[from]);
        assert_int_equal(f.j.colours, colours);
        size_t values[] = {(size_t)(n * n), (size_t)(width * n), (size_t)f.m.colptr[n]};
        assert_int_equal(f.j.nnz, values[format]);
        check_values(&f, from == DIFFERENCES ? roughly : exactly);
        assert_int_equal(f.count.jac, 1);
        assert_int_equal(f.count.jvp, from == JVP ? (colours + lanes - 1) / lanes : 0);
        assert_int_equal(f.count.rhs, from == DIFFERENCES ? 2 * colours : 0);
        assert_true(f.m.widest <= lanes);
        check_values(&f, from == DIFFERENCES ? roughly : exactly); /* the scratch is as it was */
        finish(&f);
    }
}

static void formats_and_sources(void **state)
{
    (void)state;
    static const int bands[][2] = {{0, 0}, {1, 1}, {3, 0}, {0, 2}, {2, 4}};
    static const int lanes[] = {1, 3, 8};
    for (int from = 0; from < SOURCES; from++)
        for (size_t l = 0; l < COUNT(lanes); l++) {
            for (size_t b = 0; b < COUNT(bands); b++) check_formats((source)from, 13, bands[b][0], bands[b][1], lanes[l]);
            check_formats((source)from, 4, 3, 3, lanes[l]);
            check_formats((source)from, 1, 0, 0, lanes[l]);
        }
}

static void scattered_patterns(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 30; seed++)
        for (int from = 0; from < SOURCES; from++) {
            fixture f;
            start(&f, 1 + (int)seed % MOST, (source)from);
            scattered(&f.m, seed, (int)seed * 3);
            open_jacobian(&f, csc_of(&f.m), 4);
            check_values(&f, from == DIFFERENCES ? roughly : exactly);
            finish(&f);
        }
}

/* A pattern may have more entries than f_y. */
static void wide_pattern(void **state)
{
    (void)state;
    for (int from = JVP; from < SOURCES; from++) {
        fixture f;
        start(&f, 9, (source)from);
        band(&f.m, 1, 0);
        open_jacobian(&f, (costate_pattern){.format = COSTATE_BANDED, .lower = 2, .upper = 1}, 8);
        check_values(&f, from == DIFFERENCES ? roughly : exactly);
        finish(&f);
    }
}

static int transposed_product(double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb,
                              void *data)
{
    model *m = data;
    assert_true(yb && !pb);
    for (int i = 0; i < m->n; i++)
        for (int j = 0; j < m->n; j++)
            for (int l = 0; l < w; l++) yb[j * w + l] += entry(m, t, y, p, i, j) * u[i * w + l];
    return called(m, w);
}

/* Rows that are full, of a chain: they come from vjp, and the others need as many colours as they have entries. Two of them are
 * next to each other, and one is full but for a few entries. Columns that are full, or rows that all are, change nothing. */
static void full_rows_of(int rows, int columns, int lanes, int colours, int calls)
{
    fixture f;
    start(&f, MOST, JVP);
    band(&f.m, 1, 1);
    for (int k = 0; k < MOST; k++) {
        for (int r = 0; r < rows; r++) f.m.has[r ? MOST - 1 - r : MOST - 1][k] = r < 2 || k % 5;
        for (int c = 0; c < columns; c++) f.m.has[k][3 * c] = 1;
    }
    f.prob.vjp = transposed_product;
    f.prob.derived = 1;
    open_jacobian(&f, csc_of(&f.m), lanes);
    assert_int_equal(f.j.colours, colours);
    for (int twice = 0; twice < 2; twice++) check_values(&f, exactly);
    assert_int_equal(f.count.vjp, 2 * calls);
    assert_true(f.m.widest <= lanes);
    finish(&f);
}

static void full_rows_are_transposed(void **state)
{
    (void)state;
    full_rows_of(1, 0, 8, 3, 1);
    full_rows_of(3, 0, 8, 3, 1);
    full_rows_of(3, 0, 2, 3, 2);
    full_rows_of(0, 1, 8, 4, 0);
    full_rows_of(MOST, 0, 8, MOST, 0);
}

/* Columns of one colour whose states differ by 1e12 in size, and some on their way through zero: each takes its own step. */
static void states_of_any_size(void **state)
{
    (void)state;
    fixture f;
    start(&f, 20, DIFFERENCES);
    band(&f.m, 1, 1);
    for (int i = 0; i < 20; i++) {
        f.m.scale[i] = i < 16 ? pow(10, i - 3) : 1;
        f.y[i] = (i % 2 ? 1 : -1.3) * (i < 16 ? f.m.scale[i] : i < 18 ? 1e-9 : 0);
    }
    open_jacobian(&f, (costate_pattern){.format = COSTATE_BANDED, .lower = 1, .upper = 1}, 8);
    check_values(&f, roughly);
    finish(&f);
}

/* ---- products ----------------------------------------------------------------------------------------------------------- */

static void check_apply(const jacobian *j, const model *m, const double *values, int w, int transposed)
{
    double x[MOST * LANES], out[MOST * LANES + 1];
    uint32_t seed = 99;
    for (int i = 0; i < m->n * w; i++) x[i] = uniform(&seed);
    for (int i = 0; i < m->n * w; i++) out[i] = i % 7; /* it adds */
    out[m->n * w] = NAN;
    pattern_apply(&j->pattern, m->n, values, transposed, w, x, out);
    for (int i = 0; i < m->n; i++)
        for (int l = 0; l < w; l++) {
            double want = (i * w + l) % 7;
            for (int k = 0; k < m->n; k++) {
                const double *v = place(&j->pattern, m->n, values, transposed ? k : i, transposed ? i : k);
                want += (v ? *v : 0) * x[k * w + l];
            }
            assert_near(out[i * w + l], want, exactly * (3 * m->n + 7));
        }
    assert_nan(out + m->n * w, 1);
}

static void products(void **state)
{
    (void)state;
    static const int lanes[] = {1, 2, 3, 8, 9};
    for (int n = 1; n <= MOST; n++)
        for (int format = COSTATE_DENSE; format <= COSTATE_CSC; format++) {
            fixture f;
            double values[3 * MOST * MOST];
            start(&f, n, JVP);
            int lower = n / 3, upper = n / 2;
            if (format == COSTATE_BANDED) band(&f.m, lower, upper);
            else scattered(&f.m, (uint32_t)n, 40);
            costate_pattern q = {.format = (costate_format)format, .lower = lower, .upper = upper};
            open_jacobian(&f, format == COSTATE_CSC ? csc_of(&f.m) : q, 8);
            assert_int_equal(jacobian_eval(&f.j, at_t, f.y, at_p, values), 0);
            for (size_t l = 0; l < COUNT(lanes); l++)
                for (int transposed = 0; transposed < 2; transposed++) check_apply(&f.j, &f.m, values, lanes[l], transposed);
            finish(&f);
        }
}

/* ---- failures ----------------------------------------------------------------------------------------------------------- */

static void wrong_pattern(void **state)
{
    (void)state;
    for (int from = 0; from < SOURCES; from++) {
        fixture f;
        start(&f, 4, (source)from);
        open_deriv(&f);
        costate_pattern q = {.format = COSTATE_BANDED, .lower = 4};
        assert_int_equal(jacobian_open(&f.j, &f.d, &q, 8, &f.alloc, f.why, sizeof f.why), COSTATE_ERR_PATTERN);
        assert_non_null(strstr(f.why, "lower = 4"));
        finish(&f);
    }
}

/* One request at opening, none for the user's own. */
static void memory_fails(void **state)
{
    (void)state;
    for (int from = 0; from < SOURCES; from++) {
        fixture f;
        start(&f, 20, (source)from);
        scattered(&f.m, 5, 90);
        costate_pattern q = f.m.pattern = csc_of(&f.m);
        open_deriv(&f);
        f.h.fail_at = 1;
        int status = jacobian_open(&f.j, &f.d, &q, 8, &f.alloc, f.why, sizeof f.why);
        assert_int_equal(f.h.requests, from == USER ? 0 : 1);
        assert_int_equal(status, from == USER ? COSTATE_OK : COSTATE_ERR_MEMORY);
        if (status) assert_non_null(strstr(f.why, "20 states"));
        assert_int_equal(f.h.live, 0);
        finish(&f);
        start(&f, 20, (source)from);
        scattered(&f.m, 5, 90);
        open_jacobian(&f, csc_of(&f.m), 8);
        check_values(&f, from == DIFFERENCES ? roughly : exactly);
        assert_int_equal(f.h.requests, from == USER ? 0 : 1);
        finish(&f);
    }
    for (int fails = 1; fails <= 5; fails++) { /* with a full row: rows, those taken and those left, the scratch */
        fixture f;
        start(&f, MOST, JVP);
        band(&f.m, 1, 1);
        for (int k = 0; k < MOST; k++) f.m.has[0][k] = 1;
        f.prob.vjp = transposed_product;
    f.prob.derived = 1;
        costate_pattern q = f.m.pattern = csc_of(&f.m);
        open_deriv(&f);
        f.h.fail_at = fails;
        const int status = jacobian_open(&f.j, &f.d, &q, 8, &f.alloc, f.why, sizeof f.why);
        assert_int_equal(status, fails < 5 ? COSTATE_ERR_MEMORY : COSTATE_OK);
        if (status) assert_int_equal(f.h.live, 0);
        finish(&f);
    }
}

static void eval_passes_codes(source from, int code)
{
    fixture f;
    double values[MOST * MOST];
    start(&f, 14, from);
    scattered(&f.m, 8, 30);
    open_jacobian(&f, csc_of(&f.m), 3);
    assert_int_equal(jacobian_eval(&f.j, at_t, f.y, at_p, values), 0);
    long all = f.m.calls;
    for (long k = 1; k <= all; k++) {
        f.m.calls = 0;
        f.m.fail_at = k;
        f.m.code = code;
        assert_int_equal(jacobian_eval(&f.j, at_t, f.y, at_p, values), code);
        assert_int_equal(f.m.calls, k);
        f.m.fail_at = 0;
        check_values(&f, from == DIFFERENCES ? roughly : exactly);
    }
    finish(&f);
}

static void callbacks_fail(void **state)
{
    (void)state;
    for (int from = 0; from < SOURCES; from++)
        for (int code = -7; code <= 5; code += 12) eval_passes_codes((source)from, code);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats_and_sources), cmocka_unit_test(scattered_patterns), cmocka_unit_test(wide_pattern),
        cmocka_unit_test(states_of_any_size),  cmocka_unit_test(products),           cmocka_unit_test(wrong_pattern),
        cmocka_unit_test(full_rows_are_transposed),
        cmocka_unit_test(memory_fails),        cmocka_unit_test(callbacks_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
