/* test_ad_row_pointers.c - pointers that go along with rows: where there are some, and that derivatives are right with them. */
#include "ad_products.h"

#define HEAD(name) "void " #name "(double t, const double *y, const double *p, double *f) {\n"
#define POINT {0.7, -0.3, 1.1, 0.4, 0.9, -0.1, 0.2}, {0.9, 0.2, 0.01}

/* A grid of 9 x 9, two species in the halves of the state */
#define PLANE(c) "{ const int " c ", e = c + 81; const double r = y[c] * y[c] * y[e];\n" \
    "f[c] = p[0] + r - y[c] + p[2] * (y[c - 1] + y[c + 1] + y[c - 9] + y[c + 9] - 4 * y[c]);\n" \
    "f[e] = y[c] - r + p[2] * (y[e - 1] + y[e + 1] + y[e - 9] + y[e + 9] - 4 * y[e]); } }\n"
#define STILL "for (int i = 0; i < 162; i++) f[i] = 0;\n"
#define INSIDE "for (int i = 1; i < 8; i++) "

static const ad_case cases[] = {
    {"plane", 162, 3, HEAD(plane) STILL "for (int j = 1; j < 8; j++) " INSIDE PLANE("c = 9 * j + i"), 0, POINT},
    {"downwards", 162, 3, HEAD(downwards) STILL "for (int j = 7; j >= 1; j--) " INSIDE PLANE("c = 9 * j + i"), 0, POINT},
    {"every_other", 162, 3, HEAD(every_other) STILL "for (int j = 1; j < 8; j += 3) " INSIDE PLANE("c = 9 * j + i"), 0, POINT},
    {"from_a_value", 162, 3,
     HEAD(from_a_value) STILL "const int k = t > -1 ? 1 : 2; for (int j = k; j < 8; j++) " INSIDE PLANE("c = 9 * j + i"), 0,
     POINT},
    {"mirrored", 162, 3, HEAD(mirrored) STILL "for (int j = 1; j < 8; j++) " INSIDE PLANE("c = 9 * (8 - j) + i"), 0, POINT},
    {"no_sign", 162, 3,
     HEAD(no_sign) STILL "for (unsigned j = 1; j < 8; j++) for (unsigned i = 1; i < 8; i++) " PLANE("c = (int)(9 * j + i)"), 0,
     POINT},
    {"few", 27, 3, HEAD(few) "for (int j = 0; j < 3; j++) for (int i = 0; i < 9; i++) f[9 * j + i] = p[0] * y[9 * j + i]; }\n", 0,
     POINT},
    {"space", 343, 3,
     HEAD(space) "for (int i = 0; i < 343; i++) f[i] = -y[i];\n"
                 "for (int k = 1; k < 6; k++) for (int j = 1; j < 6; j++) for (int i = 1; i < 6; i++) { const int c = 49 * k + 7 "
                 "* j + i;\n"
                 "f[c] = y[c] * y[c] + p[1] * (y[c - 1] + y[c + 1] + y[c - 7] + y[c + 7] + y[c - 49] + y[c + 49] - 6 * y[c]) * "
                 "y[c - 1]; } }\n",
     0, POINT},
    {"matrix", 16, 272,
     HEAD(matrix) "for (int i = 0; i < 16; i++) { double s = p[i]; for (int j = 0; j < 16; j++) s += p[16 + 16 * i + j] * y[j]; "
                  "f[i] = y[i] * s; } }\n",
     0, POINT},
};

static void derivatives(void **state)
{
    (void)state;
    ad_check_cases(cases, (int)(sizeof cases / sizeof *cases), 0, AD_WARNINGS "-O0");
}

/* Rows of the right-hand side and of its products, counted by what moves on at the end of an iteration. */
static int moving(ad_arena *m, const ad_case *c, int nan_check)
{
    int count = 0;
    const char *text = ad_emit_with(m, c, 1, &(ad_generate_options){.products = AD_FIRST, .nan_check = nan_check});
    assert_non_null(text);
    for (const char *at = text; (at = strstr(at, "_row")); at++)
        count += strncmp(at, "_row += ", 8) == 0 || strncmp(at, "_row -= ", 8) == 0;
    return count;
}

static void where(void **state)
{
    (void)state;
    static const unsigned char rows[] = {1, 1, 1, 1, 0, 0, 0, 1, 1};
    ad_arena *m = ad_arena_open(&ad_no_memory, 0);
    for (size_t i = 0; i < sizeof rows; i++) {
        const int count = moving(m, &cases[i], 0);
        if ((count > 0) != rows[i]) fail_msg("%s: %d rows", cases[i].name, count);
    }
    assert_int_equal(moving(m, &cases[0], 1), 0); /* names in messages are the user's */
    ad_arena_close(m);
}

static int count(const char *text, const char *what)
{
    int n = 0;
    for (const char *at = text; (at = strstr(at, what)); at++) n++;
    return n;
}

/* Large states, of two halves, are fetched in advance by the reverse, and by it alone. */
static void fetched(void **state)
{
    (void)state;
    static const char text[] =
        "void %s(double t, const double *y, const double *p, double *f) {\n"
        "for (int j = 1; j < %d; j++) for (int i = 1; i < %d; i++) { const int c = %d * j + i, e = c + %d;\n"
        "f[c] = y[c] * y[e] + y[c - 1] + y[c + 1] + y[c - %d] + y[c + %d]; f[e] = y[c] - y[e] * y[e] + y[e - 1] + y[e + 1]; } "
        "}\n";
    static const int sides[] = {40, 100};
    ad_arena *m = ad_arena_open(&ad_no_memory, 0);
    for (int i = 0; i < 2; i++) {
        const int n = sides[i];
        const ad_case c = {
            .name = "halves", .n = 2 * n * n, .np = 1, .text = ad_text(m, text, "halves", n - 1, n - 1, n, n * n, n, n)};
        const char *emitted = ad_emit_cases(m, &c, 1, AD_FIRST), *reverse = strstr(emitted, "halves_vjp_y_1(");
        assert_non_null(reverse);
        assert_int_equal(count(emitted, "costate_fetch(") > 0, n == 100);
        assert_int_equal(count(reverse, "costate_fetch("), count(emitted, "costate_fetch("));
        if (n == 100) assert_int_equal(count(reverse, "costate_fetch(y_row + 1"), count(reverse, "costate_fetch(") / 2);
    }
    ad_arena_close(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(derivatives), cmocka_unit_test(where), cmocka_unit_test(fetched)};
    if (setjmp(ad_no_memory)) return 1;
    ad_folder_open();
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ad_folder_close();
    return failed;
}
