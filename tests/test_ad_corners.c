/* Derivatives where a slope is infinite, where there is none, and where a function overflows: first and second order, forwards
 * and backwards, with 1, 4 and 8 lanes, against closed forms. Where the true derivative is infinite or does not exist the product
 * must not be finite; along a direction that is 0 every product is 0. */
#include "ad_products.h"

#include <ctype.h>

#define NONE NAN /* not finite */

enum { Y0 = 1, Y1 = 2 };

/* f(y0, y1), a point, the gradient, and the second derivatives by y0 y0, y0 y1, y1 y1. */
static const struct corner {
    const char *text;
    double y[2], by[2], second[3];
} corners[] = {
    /* slopes that are infinite */
    {"f[0] = y[1] * sqrt(y[0]);", {0, 2}, {NONE, 0}, {NONE, NONE, 0}},
    {"f[0] = y[1] - 3 * sqrt(y[0]);", {0, 2}, {NONE, 1}, {NONE, 0, 0}},
    {"double v = sqrt(y[1] * y[0]); f[0] = 3 * v;", {0, 2}, {NONE, 0}, {NONE, NONE, 0}},
    {"double h = y[0] - 1; f[0] = y[1] * sqrt(h);", {1, 2}, {NONE, 0}, {NONE, NONE, 0}},
    {"f[0] = pow(y[0] / y[1], 0.8);", {0, 2}, {NONE, 0}, {NONE, NONE, 0}},
    {"f[0] = cbrt(y[0]) + y[1];", {0, 2}, {NONE, 1}, {NONE, 0, 0}},
    {"f[0] = asin(y[0]) * y[1];", {1, 2}, {NONE, 1.5707963267948966}, {NONE, NONE, 0}},
    {"f[0] = acos(y[0]) * y[1];", {-1, 2}, {NONE, 3.1415926535897932}, {NONE, NONE, 0}},
    {"f[0] = acosh(y[0]) * y[1];", {1, 2}, {NONE, 0}, {NONE, NONE, 0}},
    {"f[0] = atan2(y[0], y[1]);", {0, 0}, {NONE, NONE}, {NONE, NONE, NONE}},
    {"f[0] = hypot(y[0], y[1]);", {0, 0}, {NONE, NONE}, {NONE, NONE, NONE}},
    /* pow */
    {"f[0] = pow(y[0], y[1]);", {0, 0.8}, {NONE, 0}, {NONE, NONE, 0}},
    {"f[0] = pow(y[0], y[1]);", {0, 1}, {1, 0}, {0, NONE, 0}},
    {"f[0] = pow(y[0], y[1]);", {0, 1.5}, {0, 0}, {NONE, 0, 0}},
    {"f[0] = pow(y[0], y[1]);", {0, 2}, {0, 0}, {2, 0, 0}},
    {"f[0] = pow(y[0], y[1]);", {0, 3}, {0, 0}, {0, 0, 0}},
    {"f[0] = pow(y[0], y[1]);", {0, 0}, {0, NONE}, {0, NONE, NONE}},
    {"f[0] = pow(y[0], y[1]);", {2, 0}, {0, 0.69314718055994531}, {0, 0.5, 0.48045301391820142}},
    {"f[0] = pow(y[0], y[1]);", {-2, 3}, {12, NONE}, {-12, NONE, NONE}},
    {"f[0] = pow(y[0], 2) + y[1] * pow(y[0], 3.0);", {0, 2}, {0, 0}, {2, 0, 0}},
    {"f[0] = pow(y[0], 1.5) * y[1];", {0, 2}, {0, 0}, {NONE, 0, 0}},
    {"f[0] = pow(y[0], 2.5) * y[1];", {0, 2}, {0, 0}, {0, 0, 0}},
    /* a derivative that is 0 at this point only proves nothing */
    {"f[0] = cbrt(y[0] * y[0] * y[0]) + y[1];", {0, 2}, {NONE, 1}, {NONE, 0, 0}},
    {"f[0] = sqrt(y[0]) * sqrt(y[0]) + y[1];", {0, 2}, {NONE, 1}, {NONE, 0, 0}},
    /* overflow */
    {"f[0] = 1 / (1 + exp(800 * y[0])) + y[1];", {1.3, 2}, {0, 1}, {0, 0, 0}},
    {"double e = exp(y[0]); f[0] = y[1] / (1 + e);", {800, 2}, {0, 0}, {0, 0, 0}},
    {"f[0] = exp(-exp(y[0])) + y[1];", {800, 2}, {0, 1}, {0, 0, 0}},
    {"f[0] = y[1] / (1 + exp2(y[0]));", {2000, 2}, {0, 0}, {0, 0, 0}},
    {"f[0] = y[1] / (2 + expm1(y[0]));", {800, 2}, {0, 0}, {0, 0, 0}},
    {"f[0] = y[1] / cosh(y[0]);", {-800, 2}, {0, 0}, {0, 0, 0}},
    {"f[0] = y[1] / sinh(y[0]);", {-800, 2}, {0, 0}, {0, 0, 0}},
    {"f[0] = 1 / (1 + pow(y[0], y[1]));", {1e10, 40}, {0, 0}, {0, 0, 0}},
    {"f[0] = fmin(exp(y[0]), y[1]);", {800, 2}, {0, 1}, {0, 0, 0}},
    {"f[0] = y[1] * tanh(y[0]);", {800, 2}, {0, 1}, {0, 0, 0}},
    {"f[0] = y[0] > 0 ? y[0] * log(y[0]) : y[1];", {0, 2}, {0, 1}, {0, 0, 0}},
    /* squares of what is near its ends leave them */
    {"f[0] = log1p(exp(y[0])) + y[1];", {400, 2}, {1, 1}, {0, 0, 0}},
    {"double a = 1 + exp(y[0]); f[0] = y[1] * log(a);", {708, 2}, {2, 708}, {0, 1, 0}},
    {"double a = 1 + y[1] * exp(y[0]); f[0] = log2(a);", {356, 2}, {1.4426950408889634, 0.7213475204444817},
     {0, 0, -0.36067376022224085}},
    {"f[0] = y[1] * log(cosh(y[0]));", {-700, 2}, {-2, 699.30685281944005}, {0, -1, 0}},
    {"f[0] = log10(y[1] + pow(y[0], 8));", {1e25, 2}, {3.4743558552260147e-25, 4.3429448190325182e-201},
     {-3.4743558552260147e-50, -3.4743558552260147e-225, 0}},
    {"f[0] = log(exp(y[0]) + exp(y[1]));", {500, 500}, {0.5, 0.5}, {0.25, -0.25, 0.25}},
    {"f[0] = y[1] * asinh(exp(y[0]));", {700, 2}, {2, 700.69314718055995}, {0, 1, 0}},
    {"f[0] = y[1] * asinh(-exp(y[0]));", {650, 2}, {-2, -650.69314718055995}, {0, -1, 0}},
    {"f[0] = y[1] * acosh(y[0]);", {1e200, 2}, {2e-200, 461.21016577936913}, {0, 1e-200, 0}},
    {"f[0] = cbrt(exp(y[0])) * y[1];", {600, 0.5}, {1.2043289613542914e86, 7.225973768125749e86},
     {4.0144298711809715e85, 2.408657922708583e86, 0}},
    {"f[0] = y[1] * atan(exp(y[0]));", {800, 2}, {0, 1.5707963267948966}, {0, 0, 0}},
    {"f[0] = atan2(exp(y[0]), y[1]);", {800, 2}, {0, 0}, {0, 0, 0}},
    {"f[0] = y[1] * erf(exp(y[0]));", {800, 2}, {0, 1}, {0, 0, 0}},
    {"f[0] = y[1] / sqrt(1 + exp(2 * y[0]));", {720, 2}, {0, 0}, {0, 0, 0}},
    {"f[0] = exp(y[0]) / sqrt(1 + exp(2 * y[0])) + y[1];", {350, 2}, {0, 1}, {0, 0, 0}},
    /* products, powers and quotients overflow before exponentials do */
    {"f[0] = 1 / (1 + exp(y[0]) * exp(y[0])) + y[1];", {356, 2}, {0, 1}, {0, 0, 0}},
    {"f[0] = 1 / (1 + exp(y[0]) * exp(y[0])) + y[1];", {100, 2}, {-2.7677930534734751e-87, 1}, {5.5355861069469501e-87, 0, 0}},
    {"double e = exp(y[0]); f[0] = y[1] / (1 + e * e);", {400, 2}, {0, 0}, {0, 0, 0}},
    {"f[0] = exp(y[0]) / pow(1 + exp(y[0]), 2) + y[1];", {400, 2}, {0, 1}, {0, 0, 0}},
    {"double e = exp(y[0]); f[0] = e / ((1 + e) * (1 + e)) + y[1];", {400, 2}, {0, 1}, {0, 0, 0}},
    {"f[0] = 1 / (1 + exp(y[0]) / exp(-y[0])) + y[1];", {400, 2}, {0, 1}, {0, 0, 0}},
    {"f[0] = y[1] * atan(exp(y[0]) * exp(y[0]));", {400, 2}, {0, 1.5707963267948966}, {0, 0, 0}},
    {"f[0] = y[1] * tanh(exp(y[0]) * cosh(y[0]));", {400, 2}, {0, 1}, {0, 0, 0}},
    {"f[0] = fmin(exp(y[0]) * exp(y[0]), y[1]);", {400, 2}, {0, 1}, {0, 0, 0}},
    {"f[0] = pow(y[0], y[1]) / (pow(3, y[1]) + pow(y[0], y[1]));", {2, 700}, {0, 0}, {0, 0, 0}},
    /* a factor that overflows nothing is left alone: exp(700) is near the end */
    {"f[0] = 1e-300 * exp(y[0]) + y[1];", {700, 2}, {10142.320547350045, 1}, {10142.320547350045, 0, 0}},
};
enum { CORNERS = sizeof corners / sizeof *corners, MOST = 8 };

/* Zeros that are not known to stay: the product is not finite, though it might be. Never a number that is wrong. */
static const struct corner doubtful[] = {
    {"double s = y[0] * y[0] * y[0]; f[0] = cbrt(s) + y[1];", {0, 2}, {NONE, 1}, {0}},
    {"double v = sqrt(y[0]); f[0] = v * v + y[1];", {0, 2}, {NONE, 1}, {0}},
    {"double v = sqrt(y[0]), z = v; f[0] = z * v + y[1];", {0, 2}, {NONE, 1}, {0}},
    {"double x = y[0], s = x * y[0]; f[0] = sqrt(s) + y[1];", {0, 2}, {NONE, 1}, {0}},
    {"double w[2]; w[0] = sqrt(y[0]); w[1] = w[0]; f[0] = w[0] * w[1] + y[1];", {0, 2}, {NONE, 1}, {0}},
};
enum { DOUBTFUL = sizeof doubtful / sizeof *doubtful, ALL = CORNERS + DOUBTFUL };

static const struct corner *corner(int i)
{
    return i < CORNERS ? &corners[i] : &doubtful[i - CORNERS];
}

static void expect(const char *text, const char *product, double is, double should)
{
    const int good = isnan(should) ? !isfinite(is) : fabs(is - should) <= 1e-13 * fabs(should) + 1e-140;
    if (!good) print_error("%s: %s is %.17g, not %.17g\n", text, product, is, should);
    assert_true(good);
}

/* Lane l goes along direction which[l]: 0 for none, Y0 or Y1. */
static void directions(int w, const int *which, double *ydot)
{
    for (int l = 0; l < w; l++)
        for (int j = 0; j < 2; j++) ydot[j * w + l] = which[l] == (j ? Y1 : Y0);
}

/* What comes after an infinite derivative is not asked for: the run has ended. */
static int goes_on(const struct corner *c, int i)
{
    return !i || isfinite(c->by[i - 1]);
}

static void expect_second(const struct corner *c, const char *product, double is, int i, int j)
{
    if (goes_on(c, i) && goes_on(c, j)) expect(c->text, product, is, !i || !j ? 0 : c->second[i + j - 2]);
}

/* All corners are in one function, corner i with y[2 i], y[2 i + 1] and f[2 i]; the lanes of one go along alike. */
static void check(const costate_problem *g, const double *y, int w)
{
    const int one[MOST] = {Y0, 0, Y1, Y1, 0, Y0, Y1, 0}, two[MOST] = {Y0, Y1, Y0, Y1, Y1, 0, Y0, Y0};
    enum { SIZE = 2 * ALL * MOST };
    static double d1[SIZE], d2[SIZE], u[SIZE], first[SIZE], twice[SIZE], yb[SIZE], again[SIZE], dot[SIZE], third[SIZE];
    double *const sums[] = {yb, again, dot, third};
    for (int i = 0; i < 4; i++) memset(sums[i], 0, SIZE * sizeof(double));
    for (int i = 0; i < ALL; i++) {
        directions(w, one, d1 + 2 * i * w);
        directions(w, two, d2 + 2 * i * w);
        for (int l = 0; l < w; l++) u[2 * i * w + l] = l % 3 != 1, u[(2 * i + 1) * w + l] = 0;
    }
    assert_int_equal(g->jvp(0, y, NULL, w, NULL, d1, NULL, first, NULL), 0);
    assert_int_equal(g->jvp2(0, y, NULL, w, NULL, d1, NULL, NULL, d2, NULL, twice, NULL), 0);
    assert_int_equal(g->vjp(0, y, NULL, w, u, yb, NULL, NULL), 0);
    assert_int_equal(g->vjp_dot(0, y, NULL, w, NULL, d1, NULL, u, NULL, again, dot, NULL, NULL, NULL), 0);
    assert_int_equal(g->vjp_dot2(0, y, NULL, w, NULL, d1, NULL, NULL, d2, NULL, u, third, NULL, NULL), 0);
    for (int i = 0; i < CORNERS; i++)
        for (int l = 0; l < w; l++) {
            const struct corner *c = &corners[i];
            const int row = 2 * i * w + l, seed = u[row] != 0;
            expect(c->text, "jvp", first[row], one[l] ? c->by[one[l] - 1] : 0);
            expect_second(c, "jvp2", twice[row], one[l], two[l]);
            for (int j = 0; j < 2; j++) {
                expect(c->text, "vjp", yb[row + j * w], seed ? c->by[j] : 0);
                expect(c->text, "vjp of vjp_dot", again[row + j * w], seed ? c->by[j] : 0);
                expect_second(c, "vjp_dot", dot[row + j * w], seed ? one[l] : 0, j + 1);
                if ((!one[l] || !two[l] || !seed) && goes_on(c, one[l]) && goes_on(c, two[l]) && goes_on(c, j + 1))
                    expect(c->text, "vjp_dot2", third[row + j * w], 0);
            }
        }
    for (int i = CORNERS; i < ALL; i++)
        for (int l = 0; l < w; l++) {
            const struct corner *c = &doubtful[i - CORNERS];
            const int row = 2 * i * w + l;
            if (one[l] == Y0) expect(c->text, "jvp", first[row], NONE);
            if (u[row] != 0) expect(c->text, "vjp", yb[row], NONE), expect(c->text, "vjp", yb[row + w], 1);
        }
}

/* y[0], y[1] and f[0] as those of corner i. */
static const char *renumbered(ad_arena *m, const char *text, int i)
{
    ad_out o = {.m = m};
    for (const char *c = text; *c; c++) {
        const int element = (*c == 'y' || *c == 'f') && c[1] == '[' && (c == text || !isalnum((unsigned char)c[-1]));
        if (element) ad_put(&o, "%c[%d]", *c, 2 * i + c[2] - '0'), c += 3;
        else ad_put(&o, "%c", *c);
    }
    return ad_out_text(&o);
}

static void all_corners(void **state)
{
    (void)state;
    ad_arena *m = ad_arena_open(&ad_no_memory, 0);
    ad_case all = {.name = "corners", .n = 2 * ALL};
    ad_out o = {.m = m};
    double y[2 * ALL];
    ad_puts(&o, "void corners(double t, const double *y, const double *p, double *f) {\n");
    for (int i = 0; i < ALL; i++) {
        ad_put(&o, "{ %s f[%d] = t; }\n", renumbered(m, corner(i)->text, i), 2 * i + 1);
        for (int j = 0; j < 2; j++) y[2 * i + j] = corner(i)->y[j];
    }
    ad_puts(&o, "}\n");
    all.text = ad_out_text(&o);
    void *emitted = ad_load(ad_emit_cases(m, &all, 1, AD_ALL), AD_WARNINGS "-O0");
    assert_non_null(emitted);
    for (int w = 1; w <= MOST; w = w == 1 ? 4 : 2 * w) check(ad_table(emitted, all.name), y, w);
    dlclose(emitted);
    ad_arena_close(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_corners)};
    if (setjmp(ad_no_memory)) return 1;
    ad_folder_open();
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ad_folder_close();
    return failed;
}
