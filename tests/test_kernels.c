/* test_kernels.c - the vector operations of a step: whatever the length of a vector and however it is cut, an element of a linear
 * combination has the same bits; and norms are what they say. */
#include "base/kernels.h"
#include "support.h"

enum { N = 40, TERMS = 26 };

typedef struct terms {
    double base[N], c[TERMS], v[TERMS][N];
} terms;

static double irregular(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) * 0x1p-53 - 0.5;
}

static terms make_terms(void)
{
    terms x;
    uint64_t seed = 1;
    for (int k = 0; k < TERMS; k++) x.c[k] = irregular(&seed);
    for (int i = 0; i < N; i++) {
        x.base[i] = irregular(&seed);
        for (int k = 0; k < TERMS; k++) x.v[k][i] = irregular(&seed);
    }
    return x;
}

static void combine(const terms *x, int at, int n, int m, int base, double *out)
{
    const double *v[TERMS];
    for (int k = 0; k < m; k++) v[k] = x->v[k] + at;
    cst__combine((size_t)n, base ? x->base + at : NULL, m, x->c, v, out);
}

static void test_cuts(void **state)
{
    const terms x = make_terms();
    double whole[N], part[N];
    (void)state;
    for (int m = 0; m <= TERMS; m++)
        for (int base = 0; base < 2; base++) {
            combine(&x, 0, N, m, base, whole);
            for (int n = 1; n < N / 2; n++)
                for (int at = 0; at + n <= N; at++) {
                    combine(&x, at, n, m, base, part);
                    assert_memory_equal(part, whole + at, (size_t)n * sizeof *part);
                }
        }
}

static void test_norms(void **state)
{
    const terms x = make_terms();
    const double *y = x.v[0], *ynew = x.v[1], *atol = x.v[2], rtol = 0.1, *v[] = {x.v[3], x.v[4]};
    double positive[N], weights[N];
    (void)state;
    for (int i = 0; i < N; i++) positive[i] = 1 + atol[i];
    for (int n = 1; n <= N; n++) {
        double sum = 0, squares = 0;
        for (int i = 0; i < n; i++) {
            double e = x.c[0] * v[0][i] + x.c[1] * v[1][i], q = e / (positive[i] + rtol * fmax(fabs(y[i]), fabs(ynew[i])));
            double w = v[0][i] / (positive[i] + rtol * fabs(y[i]));
            sum += q * q;
            squares += w * w;
        }
        cst__weights((size_t)n, y, rtol, positive, weights);
        assert_near(cst__error_norm((size_t)n, 2, x.c, v, y, ynew, rtol, positive, NULL), sqrt(sum / n), 1e-14);
        assert_near(cst__weighted_squares((size_t)n, weights, v[0]), squares, 1e-13);
    }
}

/* One value that is not finite, in every place of vectors of every length */
static void test_finite(void **state)
{
    terms x = make_terms();
    const double one = 1, *e = x.v[0], *y = x.v[1], bad[] = {NAN, INFINITY, -INFINITY};
    double *ynew = x.v[2], *any = x.v[3];
    (void)state;
    for (int n = 1; n <= N; n++)
        for (int i = 0; i < n; i++)
            for (size_t b = 0; b < COUNT(bad); b++) {
                double was = ynew[i];
                assert_true(cst__all_finite((size_t)n, any));
                any[i] = ynew[i] = bad[b];
                assert_false(cst__all_finite((size_t)n, any));
                assert_true(isnan(cst__error_norm((size_t)n, 1, &one, &e, y, ynew, 0.1, x.base, NULL)));
                any[i] = ynew[i] = was;
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cuts), cmocka_unit_test(test_norms), cmocka_unit_test(test_finite)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
