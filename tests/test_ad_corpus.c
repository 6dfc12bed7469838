/* Right-hand sides and objectives written the way that examples and textbooks write them (tests/corpus): costate diff takes at
 * least 85 % of them, and what it makes of them is right; the others are refused with exactly the message that stands in their
 * first line.
 *
 * The reference is the text itself, compiled plainly. Its whole Jacobian is found by the complex step, to round-off; where a text
 * has kinks, by differences of order 8 at points at which two step sizes agree. Entry by entry jvp, vjp, jac and the pattern are
 * held against it, for blocks of several widths. Second derivatives are held against differences of order 8 of the first ones,
 * and, to round-off, against each other. */
#include "corpus_second.h"

/* ---- first order ------------------------------------------------------------------------------------------------------- */

static void check_value(const subject *s)
{
    double *g = take(s->rows);
    call_eval(s, s->t, s->y, s->p, g);
    for (int i = 0; i < s->rows; i++)
        if (!(fabs(g[i] - s->value[i]) <= 1e-14 * (s->scale[i] + fabs(s->value[i])) * 10))
            wrong(s, "[%d] is %.17g and should be %.17g", i, g[i], s->value[i]);
}

/* All of the Jacobian, w columns at a time, by unit directions. */
static void check_jvp(const subject *s)
{
    const double *at = packed(s);
    for (size_t q = 0; q < sizeof widths / sizeof *widths; q++) {
        const int w = widths[q], mark = taken.count;
        double *d = take(s->columns * w), *gd = take(s->rows * w);
        for (int first = 0; first < s->columns; first += w) {
            for (int j = 0; j < s->columns; j++)
                for (int l = 0; l < w; l++) d[j * w + l] = j == first + l;
            jvp(s, at, w, d, gd);
            for (int i = 0; i < s->rows; i++)
                for (int l = 0; l < w && first + l < s->columns; l++)
                    if (!near_entry(s, i, first + l, gd[i * w + l]))
                        wrong(s, "jvp, w = %d: entry (%d, %d) is %.17g and should be %.17g", w, i, first + l, gd[i * w + l],
                              s->jac[i * s->columns + first + l]);
        }
        drop(mark);
    }
}

static void check_vjp(const subject *s)
{
    const double *at = packed(s);
    for (size_t q = 0; q < sizeof widths / sizeof *widths; q++) {
        const int w = widths[q], mark = taken.count;
        double *u = take(s->rows * w), *b = take(s->columns * w);
        for (int first = 0; first < s->rows; first += w) {
            for (int i = 0; i < s->rows; i++)
                for (int l = 0; l < w; l++) u[i * w + l] = i == first + l;
            for (int j = 0; j < s->columns * w; j++) b[j] = 0;
            vjp(s, at, w, u, b);
            for (int j = 1; j < s->columns; j++)
                for (int l = 0; l < w && first + l < s->rows; l++)
                    if (!near_entry(s, first + l, j, b[j * w + l]))
                        wrong(s, "vjp, w = %d: entry (%d, %d) is %.17g and should be %.17g", w, first + l, j, b[j * w + l],
                              s->jac[(first + l) * s->columns + j]);
        }
        drop(mark);
    }
}

/* u . (J d) = (J^T u) . d, where d has no part in t; J^T u is added to what is there; parts that are NULL are zero or not
 * wanted. */
static void check_identity(const subject *s)
{
    const double *at = packed(s);
    for (size_t q = 0; q < sizeof widths / sizeof *widths; q++) {
        const int w = widths[q], ny = 1 + s->n, mark = taken.count;
        double *d = directions(s, w), *u = seeds(s, w), *gd = take(s->rows * w), *b = take(s->columns * w),
               *alone = take(s->columns * w);
        for (int l = 0; l < w; l++) d[l] = 0;
        for (int j = 0; j < s->columns * w; j++) b[j] = 0, alone[j] = 1 / s->size[j / w];
        call_jvp(s, s->t, s->y, s->p, w, NULL, s->n ? d + w : NULL, d + ny * w, gd);
        vjp(s, at, w, u, b);
        if (s->n) call_vjp(s, s->t, s->y, s->p, w, u, alone + w, NULL);
        call_vjp(s, s->t, s->y, s->p, w, u, NULL, alone + ny * w);
        for (int l = 0; l < w; l++) {
            double left = 0, right = 0, terms = 0;
            for (int i = 0; i < s->rows; i++) left += u[i * w + l] * gd[i * w + l], terms += fabs(u[i * w + l] * s->scale[i]);
            for (int j = 1; j < s->columns; j++) {
                right += b[j * w + l] * d[j * w + l];
                if (!(fabs(alone[j * w + l] - b[j * w + l] - 1 / s->size[j]) <= 1e-12 * terms / s->size[j] + 1e-15 / s->size[j]))
                    wrong(s, "vjp, w = %d: column %d differs when it is asked for alone", w, j);
            }
            if (!(fabs(left - right) <= 1e-12 * terms)) wrong(s, "w = %d: u.(J d) is %.17g, (J^T u).d is %.17g", w, left, right);
        }
        drop(mark);
    }
}

static void check_pattern(const subject *s)
{
    if (s->which != RHS || !s->x->pattern) return;
    costate_pattern_sink sink = {.rows = s->rows, .states = s->n, .params = 1, .row = calloc((size_t)s->rows, sizeof *sink.row)};
    assert_non_null(sink.row);
    if (s->x->pattern(s->t, s->y, s->p, &sink, s->x->data) || sink.failed) wrong(s, "pattern fails");
    for (int i = 0; i < s->rows; i++) {
        for (int j = 1; j < s->columns; j++) {
            if (fabs(s->jac[i * s->columns + j]) * s->size[j] <= 1e-8 * s->scale[i]) continue;
            int found = 0;
            for (int k = 0; k < sink.row[i].count; k++) found |= sink.row[i].item[k] == j - 1;
            if (!found) wrong(s, "entry (%d, %d) is not in the pattern", i, j);
        }
        costate_set_free(&sink.row[i]);
    }
    free(sink.row);
}

static void check_jac(const subject *s)
{
    const costate_problem *made = s->x->made;
    if (s->which != RHS || !made->jac) return;
    const costate_pattern *form = &made->pattern;
    const int n = s->n, values = form->format == COSTATE_CSC ? form->colptr[n] : n * n;
    double *dense = zeros(n * n), *jac = take(values);
    if (made->jac(s->t, s->y, s->p, jac, s->x->data)) wrong(s, "jac fails");
    assert_int_not_equal(form->format, COSTATE_BANDED);
    for (int j = 0; j < n; j++) {
        if (form->format == COSTATE_DENSE) memcpy(dense + j * n, jac + j * n, sizeof *jac * (size_t)n);
        else
            for (int k = form->colptr[j]; k < form->colptr[j + 1]; k++) dense[j * n + form->rowind[k]] = jac[k];
        for (int i = 0; i < n; i++)
            if (!near_entry(s, i, 1 + j, dense[j * n + i])) wrong(s, "jac: entry (%d, %d) is %.17g", i, j, dense[j * n + i]);
    }
}

/* Several points in one pass: the parameters' part of vjp, added up. */
static void check_points(const subject *s)
{
    enum { AT = 3 };
    const costate_problem *made = s->x->made;
    if (s->which != RHS || !made->vjp_points) return;
    for (size_t q = 0; q < sizeof widths / sizeof *widths; q++) {
        const int w = widths[q], mark = taken.count;
        double t[AT], *pb = zeros(s->np * w), *sum = zeros(s->np * w);
        const double *y[AT], *u[AT];
        for (int k = 0; k < AT; k++) {
            double *moved = take(s->n);
            for (int i = 0; i < s->n; i++) moved[i] = s->y[i] * (1 + 1e-4 * k);
            t[k] = s->t, y[k] = moved, u[k] = seeds(s, w);
            call_vjp(s, t[k], y[k], s->p, w, u[k], NULL, sum);
        }
        if (made->vjp_points(AT, t, y, s->p, w, u, pb, s->x->data)) wrong(s, "vjp_points fails");
        for (int j = 0; j < s->np * w; j++)
            if (!(fabs(pb[j] - sum[j]) * s->size[1 + s->n + j / w] <= 1e-12 * s->rows))
                wrong(s, "vjp_points, w = %d: parameter %d", w, j / w);
        drop(mark);
    }
}

/* ---- tests ------------------------------------------------------------------------------------------------------------- */

/* Emitted code is large, and optimizing it takes longer than running it here. One body of code then serves all widths. */
#define FLAGS "-O0 -march=native -Dalways_inline=unused -fopenmp-simd"

static int setup(void **state)
{
    (void)state;
#ifdef __SANITIZE_ADDRESS__ /* compiling takes several times as long */
    all = corpus_open(1400, FLAGS " -fsanitize=address");
#else
    all = corpus_open(SIZE_MAX, FLAGS);
#endif
    return !all;
}

static int teardown(void **state)
{
    (void)state;
    corpus_close(all);
    return 0;
}

/* LINE:COLUMN: error: ... of the first message, which begins with the path */
static int first_message_is(const text *x)
{
    const char *s = strstr(x->message, ".c:");
    if (!s || !x->refused) return 0;
    s += 3;
    const size_t n = strlen(x->refused);
    return n > 0 && !strncmp(s, x->refused, n) && (s[n] == '\n' || s[n] == 0);
}

static void test_accepted(void **state)
{
    (void)state;
    int accepted = 0, wrongly = 0;
    for (int i = 0; i < all->count; i++) {
        const text *x = &all->item[i];
        accepted += x->accepted;
        if (x->refused ? !x->accepted && first_message_is(x) : x->accepted) continue;
        print_error("%s.c is %s:\n%s\n", x->name, x->refused ? "not refused as it should be" : "not accepted", x->message);
        wrongly++;
    }
    print_message("%d of %d accepted\n", accepted, all->count);
    assert_int_equal(wrongly, 0);
    assert_true(accepted * 100 >= 85 * all->count);
}

static void test_compiled(void **state)
{
    (void)state;
    int missing = 0;
    for (int i = 0; i < all->count; i++) {
        const text *x = &all->item[i];
        if (!x->compiled || (x->made && x->descriptor && (x->kinks || x->complex_[RHS]))) continue;
        print_error("%s.c: %s\n", x->name, x->made ? "the reference did not compile" : "what was emitted did not compile");
        missing++;
    }
    assert_int_equal(missing, 0);
}

#define TEST_ALL(name) static void test_##name(void **state) { (void)state; for_all(check_##name); }
TEST_ALL(value)
TEST_ALL(jvp)
TEST_ALL(vjp)
TEST_ALL(identity)
TEST_ALL(pattern)
TEST_ALL(jac)
TEST_ALL(points)
TEST_ALL(jvp2)
TEST_ALL(vjp_dot)
TEST_ALL(symmetry)
TEST_ALL(parts)
TEST_ALL(third)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accepted),
        cmocka_unit_test(test_compiled),
        cmocka_unit_test(test_value),
        cmocka_unit_test(test_jvp),
        cmocka_unit_test(test_vjp),
        cmocka_unit_test(test_identity),
        cmocka_unit_test(test_pattern),
        cmocka_unit_test(test_jac),
        cmocka_unit_test(test_points),
        cmocka_unit_test(test_jvp2),
        cmocka_unit_test(test_vjp_dot),
        cmocka_unit_test(test_symmetry),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_third),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
