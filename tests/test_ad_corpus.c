/* Right-hand sides and objectives written the way that examples and textbooks write them (tests/corpus): costate diff takes at least 85 % of them, and what
 * it makes of them is right; the others are refused with exactly the message that stands in their first line.
 *
 * The reference is the text itself, compiled plainly. Its whole Jacobian is found by the complex step, to round-off; where a text has kinks, by differences of
 * order 8 at points at which two step sizes agree. Entry by entry jvp, vjp, jac and the pattern are held against it, for blocks of several widths.
 * Second derivatives are held against differences of order 8 of the first ones, and, to round-off, against each other. */
#include "corpus_subject.h"

/* ---- first order --------------------------------------------------------------------------------------------------------- */

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

/* Directions in units of the columns' sizes, seeds in those of the rows. */
static double *directions(const subject *s, int w)
{
    double *d = take(s->columns * w);
    for (int j = 0; j < s->columns; j++)
        for (int l = 0; l < w; l++) d[j * w + l] = uniform() * s->size[j];
    return d;
}

static double *seeds(const subject *s, int w)
{
    double *u = take(s->rows * w);
    for (int i = 0; i < s->rows; i++)
        for (int l = 0; l < w; l++) u[i * w + l] = uniform() / (s->scale[i] > 0 ? s->scale[i] : 1);
    return u;
}

/* u . (J d) = (J^T u) . d, where d has no part in t; J^T u is added to what is there; parts that are NULL are zero or not wanted. */
static void check_identity(const subject *s)
{
    const double *at = packed(s);
    for (size_t q = 0; q < sizeof widths / sizeof *widths; q++) {
        const int w = widths[q], ny = 1 + s->n, mark = taken.count;
        double *d = directions(s, w), *u = seeds(s, w), *gd = take(s->rows * w), *b = take(s->columns * w), *alone = take(s->columns * w);
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
    const costate_generated *made = s->x->made;
    if (s->which != RHS || !made->pattern) return;
    costate_pattern_sink sink = {.rows = s->rows, .states = s->n, .params = 1, .row = calloc((size_t)s->rows, sizeof *sink.row)};
    assert_non_null(sink.row);
    if (made->pattern(s->t, s->y, s->p, &sink, s->x->data) || sink.failed) wrong(s, "pattern fails");
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
    const costate_generated *made = s->x->made;
    if (s->which != RHS || !made->jac) return;
    const costate_pattern *form = &made->jac_pattern;
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
    const costate_generated *made = s->x->made;
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
            if (!(fabs(pb[j] - sum[j]) * s->size[1 + s->n + j / w] <= 1e-12 * s->rows)) wrong(s, "vjp_points, w = %d: parameter %d", w, j / w);
        drop(mark);
    }
}

/* ---- second order -------------------------------------------------------------------------------------------------------- */

typedef void first_fn(const subject *s, const double *at, int w, const double *with, double *out);

/* d/deps of a first-order product along d, of order 8; count values. */
static void difference_along(const subject *s, first_fn *product, const double *with, const double *d, double h, int count, double *out)
{
    const int mark = taken.count;
    double *at = packed(s), *x = packed(s), *value = take(count);
    for (int i = 0; i < count; i++) out[i] = 0;
    for (int k = -4; k <= 4; k++) {
        if (!k) continue;
        for (int j = 0; j < s->columns; j++) x[j] = at[j] + k * h * d[j];
        for (int i = 0; i < count; i++) value[i] = 0;
        product(s, x, 1, with, value);
        for (int i = 0; i < count; i++) out[i] += (k > 0 ? stencil[k - 1] : -stencil[-k - 1]) * value[i] / h;
    }
    drop(mark);
}

/* The largest entry, each in its unit: 1/unit[i], or 1/(1/unit[i]) for adjoints. */
static double worst(int from, int count, const double *a, const double *b, const double *unit, int inverse)
{
    double most = 0;
    for (int i = from; i < count; i++) {
        const double difference = fabs(a[i] - (b ? b[i] : 0)) * (inverse ? unit[i] : unit[i] > 0 ? 1 / unit[i] : 1);
        if (!(difference <= most)) most = difference;
    }
    return most;
}

/* Differences for two steps, for they may meet a kink; 1: they agree. */
static int steady(const subject *s, first_fn *product, const double *with, const double *d, int from, int count, const double *unit, int inverse,
                  double *out)
{
    double *again = take(count);
    difference_along(s, product, with, d, 2e-4, count, out);
    difference_along(s, product, with, d, 1e-4, count, again);
    return worst(from, count, out, again, unit, inverse) <= 1e-8 * (1 + worst(from, count, out, NULL, unit, inverse));
}

static void check_vjp_dot(const subject *s)
{
    const int count = s->columns;
    double *u = seeds(s, 1), *ud = seeds(s, 1), *exact = take(count), *first = zeros(count), *moved = zeros(count), *at = packed(s), *d = NULL;
    int good = 0;
    for (int tries = 0; tries < TRIES && !good; tries++) {
        d = directions(s, 1);
        good = steady(s, vjp, u, d, 1, count, s->size, 1, exact);
    }
    if (!good) {
        wrong(s, "no direction away from kinks was found");
        return;
    }
    vjp(s, at, 1, u, first);
    vjp(s, at, 1, ud, moved);
    double *b = zeros(count), *bd = zeros(count);
    call_vjp_dot(s, 1, d, u, ud, b, bd);
    for (int j = 0; j < count; j++) exact[j] += moved[j];
    const double size = 1 + worst(1, count, exact, NULL, s->size, 1);
    if (!(worst(1, count, b, first, s->size, 1) <= 1e-12 * size)) wrong(s, "vjp_dot: J^T u differs from that of vjp");
    if (!(worst(1, count, bd, exact, s->size, 1) <= 1e-7 * size))
        wrong(s, "vjp_dot differs from differences of vjp by %.2g", worst(1, count, bd, exact, s->size, 1) / size);
    for (size_t q = 1; q < sizeof widths / sizeof *widths; q++) {
        const int w = widths[q], mark = taken.count;
        double *dw = directions(s, w), *uw = seeds(s, w), *udw = seeds(s, w), *bw = zeros(count * w), *bdw = zeros(count * w);
        const int lane = w - 1;
        for (int j = 0; j < count; j++) dw[j * w + lane] = d[j];
        for (int i = 0; i < s->rows; i++) uw[i * w + lane] = u[i], udw[i * w + lane] = ud[i];
        call_vjp_dot(s, w, dw, uw, udw, bw, bdw);
        for (int j = 1; j < count; j++)
            if (!(fabs(bdw[j * w + lane] - bd[j]) * s->size[j] <= 1e-12 * size && fabs(bw[j * w + lane] - b[j]) * s->size[j] <= 1e-12 * size))
                wrong(s, "vjp_dot, w = %d: column %d is not that of w = 1", w, j);
        drop(mark);
    }
}

/* <d1, H d2> = <d2, H d1> = u . f''(d1, d2), H = second derivative of u . f */
static void check_symmetry(const subject *s)
{
    const int count = s->columns, ny = 1 + s->n;
    double *u = seeds(s, 1), *d1 = directions(s, 1), *d2 = directions(s, 1), *fdd = take(s->rows), *fdd2 = take(s->rows);
    double *b = zeros(count), *h1 = zeros(count), *h2 = zeros(count), left = 0, right = 0, middle = 0, terms = 0;
    d1[0] = d2[0] = 0;
    call_vjp_dot(s, 1, d1, u, NULL, b, h1);
    call_vjp_dot(s, 1, d2, u, NULL, b, h2);
    for (int j = 1; j < count; j++) {
        left += h1[j] * d2[j], right += h2[j] * d1[j];
        terms += (fabs(h1[j]) + fabs(h2[j]) + fabs(b[j])) * s->size[j];
    }
    if (!(fabs(left - right) <= 1e-11 * terms)) wrong(s, "<d1, H d2> is %.17g, <d2, H d1> is %.17g", right, left);
    const costate_generated *made = s->x->made;
    if (s->which != RHS) return;
    if (made->jvp2(s->t, s->y, s->p, 1, NULL, d1 + 1, d1 + ny, NULL, d2 + 1, d2 + ny, fdd, s->x->data)) wrong(s, "jvp2 fails");
    for (int i = 0; i < s->rows; i++) middle += u[i] * fdd[i], terms += fabs(u[i] * fdd[i]);
    if (!(fabs(left - middle) <= 1e-11 * terms)) wrong(s, "<d1, H d2> is %.17g, u.f''(d1, d2) is %.17g", left, middle);
    d1[0] = uniform() * s->size[0], d2[0] = uniform() * s->size[0];
    made->jvp2(s->t, s->y, s->p, 1, d1, d1 + 1, d1 + ny, d2, d2 + 1, d2 + ny, fdd, s->x->data);
    made->jvp2(s->t, s->y, s->p, 1, d2, d2 + 1, d2 + ny, d1, d1 + 1, d1 + ny, fdd2, s->x->data);
    if (!(worst(0, s->rows, fdd, fdd2, s->scale, 0) <= 1e-11 * (1 + worst(0, s->rows, fdd, NULL, s->scale, 0)))) wrong(s, "f''(d1, d2) is not f''(d2, d1)");
}

static void check_jvp2(const subject *s)
{
    if (s->which != RHS) return;
    const int ny = 1 + s->n;
    double *d1 = directions(s, 1), *d2 = NULL, *exact = take(s->rows), *fdd = take(s->rows);
    int good = 0;
    for (int tries = 0; tries < TRIES && !good; tries++) {
        d2 = directions(s, 1);
        good = steady(s, jvp, d1, d2, 0, s->rows, s->scale, 0, exact);
    }
    if (!good) {
        wrong(s, "no direction away from kinks was found");
        return;
    }
    s->x->made->jvp2(s->t, s->y, s->p, 1, d1, d1 + 1, d1 + ny, d2, d2 + 1, d2 + ny, fdd, s->x->data);
    const double error = worst(0, s->rows, fdd, exact, s->scale, 0) / (1 + worst(0, s->rows, exact, NULL, s->scale, 0));
    if (!(error <= 1e-7)) wrong(s, "jvp2 differs from differences of jvp by %.2g", error);
}

/* d/deps of the second-order part of vjp_dot along d2; `with` holds u and d1. */
static void bend(const subject *s, const double *at, int w, const double *with, double *out)
{
    subject there = *s;
    double *y = take(s->n), *p = take(s->np), *b = zeros(s->columns);
    memcpy(y, at + 1, sizeof *y * (size_t)s->n);
    memcpy(p, at + 1 + s->n, sizeof *p * (size_t)s->np);
    there.t = at[0], there.y = y, there.p = p;
    call_vjp_dot(&there, w, with + s->rows, with, NULL, b, out);
}

static void check_third(const subject *s)
{
    const costate_generated *made = s->x->made;
    if (s->which != RHS || !made->vjp_dot2) return;
    const int count = s->columns, ny = 1 + s->n;
    double *with = take(s->rows + count), *u = seeds(s, 1), *d1 = directions(s, 1), *d2 = NULL, *exact = take(count), *b = zeros(count);
    memcpy(with, u, sizeof *u * (size_t)s->rows);
    memcpy(with + s->rows, d1, sizeof *d1 * (size_t)count);
    int good = 0;
    for (int tries = 0; tries < TRIES && !good; tries++) {
        d2 = directions(s, 1);
        good = steady(s, bend, with, d2, 1, count, s->size, 1, exact);
    }
    if (!good) {
        wrong(s, "no direction away from kinks was found");
        return;
    }
    if (made->vjp_dot2(s->t, s->y, s->p, 1, d1, d1 + 1, d1 + ny, d2, d2 + 1, d2 + ny, u, b + 1, b + ny, s->x->data)) wrong(s, "vjp_dot2 fails");
    const double error = worst(1, count, b, exact, s->size, 1) / (1 + worst(1, count, exact, NULL, s->size, 1));
    if (!(error <= 1e-7)) wrong(s, "vjp_dot2 differs from differences of vjp_dot by %.2g", error);
}

/* ---- tests --------------------------------------------------------------------------------------------------------------- */

/* Emitted code is large, and optimizing it takes longer than running it here. One body of code then serves all widths. */
#define FLAGS "-O0 -march=native -Dalways_inline=unused -fopenmp-simd"

static int setup(void **state)
{
    (void)state;
#ifdef __SANITIZE_ADDRESS__
    all = corpus_open(FLAGS " -fsanitize=address,undefined -fno-sanitize-recover=all");
#else
    all = corpus_open(FLAGS);
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
        if (!x->accepted || (x->made && x->descriptor && (x->kinks || x->complex_[RHS]))) continue;
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
        cmocka_unit_test(test_third),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
