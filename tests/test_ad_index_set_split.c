/* test_ad_index_set_split.c - loops cut into pieces: which ones, how many, and that the function stays the same to the last
 * bit. */
#include "ad_loops.h"

enum { ROOM = 512 };

/* loops: those of the function when it is cut, inner ones included. left: remainders, quotients and conditions that remain. */
static const struct {
    const char *name, *text;
    int n, loops, left;
} cases[] = {
    {"wrapped", FOR "f[i] = y[(i + N - 1) % N] + 2 * y[(i + 1) % N];", 20, 3, 0},
    {"wrapped, one long piece", FOR "f[i] = y[(i + 1) % N];", 9, 2, 0},
    {"wrapped, short", FOR "f[i] = y[(i + N - 1) % N] + 2 * y[(i + 1) % N];", 9, 1, 2},
    {"wrapped, three", FOR "f[i] = y[(i + N - 1) % N] + 2 * y[(i + 1) % N];", 3, 1, 2},
    {"wrapped, two", FOR "f[i] = y[(i + N - 1) % N] + 2 * y[(i + 1) % N];", 2, 1, 2},
    {"wrapped, one", FOR "f[i] = y[(i + N - 1) % N] + 2 * y[(i + 1) % N];", 1, 1, 0},
    {"wrapped twice", FOR "f[i] = y[((i - 1) % N + N) % N];", 20, 2, 0},
    {"wrapped wide", FOR "f[i] = y[(i + N - 2) % N] + 2 * y[(i + N - 1) % N] + 3 * y[(i + 1) % N] + 4 * y[(i + 2) % N];", 20, 3,
     2},
    {"clamped", FOR "{ int l = i > 0 ? i - 1 : i, r = i < N - 1 ? i + 1 : i; f[i] = y[l] - 2 * y[i] + y[r]; }", 20, 3, 0},
    {"clamped by if", FOR "{ int l = i - 1; if (l < 0) l = 0; f[i] = y[l]; }", 20, 2, 0},
    {"both", FOR "{ int w = (i + N - 1) % N, r = i < N - 1 ? i + 1 : i; f[i] = y[w] * y[r]; }", 20, 3, 0},
    {"branches", FOR "{ if (i == 0) f[i] = y[0]; else if (i == N - 1) f[i] = p[0]; else f[i] = y[i - 1] + y[i + 1]; }", 20, 3, 0},
    {"guards", FOR "f[i] = (i > 0 && i < N - 1 ? y[i - 1] + y[i + 1] : p[0]) + (i ? y[i - 1] : 0.0) + (i == 0 || t > 9);", 20, 3,
     0},
    {"value of a comparison", FOR "f[i] = y[i] * (i >= 10) + !i;", 20, 3, 0},
    {"quotient", FOR "f[i] = y[i / 10] + y[3 * i / 30];", 20, 2, 0},
    {"always within", FOR "f[i] = y[i % N] + y[(i + 2 * N) % N];", 20, 1, 0},
    {"below zero", FOR "f[i] = y[(i - 12) % 9 + 8] + y[(i - 12) / 9 + 1];", 20, 2, 0},
    {"falling", FOR "f[i] = y[(N - i) % N] + y[(2 * N - 1 - i) % N];", 20, 2, 0},
    {"size_t", "for (size_t i = 0; i < N; i++) f[i] = y[i ? i - 1 : N - 1] + y[(i + 1) % N];", 20, 3, 0},
    {"size_t below zero", "for (size_t i = 0; i < N; i++) f[i] = y[(i - 1 + 2 * N) % 16];", 20, 1, 1},
    {"start and end of its own", "for (int i = -1; i <= N; i++) f[i + 1] = y[(i + N) % N];", 20, 3, 0},
    {"a constant from before", "int n = N; n = n - 1; " FOR "f[i] = y[i < n ? i + 1 : 0];", 20, 2, 0},
    {"two directions",
     "for (int j = 0; j < N; j++) { int s = (j + N - 1) % N; " FOR "f[j * N + i] = y[j * N + (i + 1) % N] + y[s * N + i]; }", 20,
     6, 0},
    {"guards of two", "for (int j = 0; j < N; j++) " FOR "f[j * N + i] = j > 0 && i > 0 ? y[(j - 1) * N + i - 1] : 0.0;", 20, 6,
     0},
    {"set again", "int l = 3; " FOR "{ f[i] = y[l < 2 ? 0 : l]; l = (i + 1) % N; }", 20, 2, 2},
    {"carried", "double s = 0; " FOR "{ s = 0.5 * s + y[(i + 1) % N]; if (s > 1.5) break; f[i] = s; }", 20, 2, 2},
    {"empty", "for (int i = 5; i < 5; i++) f[i] = y[(i + 1) % N]; for (int i = 7; i < 3; i++) f[i] = y[(i + 1) % N];", 20, 2, 2},
    {"bound not known", "int n = t > 0 ? N : 2; for (int i = 0; i < n; i++) f[i] = y[(i + 1) % N];", 20, 1, 2},
    {"downwards", "for (int i = N - 1; i >= 0; i--) f[i] = y[(i + 1) % N];", 20, 1, 1},
    {"every other", "for (int i = 0; i < N; i += 2) f[i] = y[(i + 1) % N];", 20, 1, 1},
    {"too many pieces", FOR "f[i] = y[(i + 1) % N] + y[i % 3];", 40, 1, 2},
    {"by another counter", "for (int j = 0; j < N; j++) " FOR "f[j * N + i] = y[i == j ? 0 : i];", 20, 2, 1},
    {"with another counter", FOR "{ f[i] = y[(i + 1) % N]; for (int k = 0; k < 5; k++) f[i] += y[(i + k) % N]; }", 20, 2, 2},
    {"by the state", FOR "f[i] = y[i] > 0 ? y[(int)(y[i] * 5) % N] : 0.0;", 20, 1, 2},
};

static int count_left(const ad_node *n)
{
    int count = n && n->type == AD_INT && (n->op == AD_MOD || n->op == AD_DIV);
    count += n && (n->op == AD_COND || n->op == AD_IF) && n->condition->op != AD_NOT; /* those that break has made may stay */
    for (int i = 0; n && i < n->kids; i++) count += count_left(n->kid[i]);
    return count;
}

static int good(ad_arena *m, int i)
{
    static double y[ROOM], p[ROOM], f[2][ROOM];
    const ad_fn *whole = function(m, cases[i].n, cases[i].text), *cut = ad_split_index_sets(m, whole);
    if (!cut) cut = whole;
    const int loops = count_loops(cut->body), left = count_left(cut->body);
    int status;
    for (int k = 0; k < ROOM; k++) y[k] = p[k] = sin(3.0 * k), f[0][k] = f[1][k] = 0;
    const char *fault = interpret(m, whole, 0.5, y, ROOM, p, ROOM, f[0], ROOM, &status);
    if (!*fault) fault = interpret(m, cut, 0.5, y, ROOM, p, ROOM, f[1], ROOM, &status);
    if (!*fault && memcmp(f[0], f[1], sizeof f[0]) == 0 && loops == cases[i].loops && left == cases[i].left) return 1;
    print_error("%s: %s; %d loops, %d left\n%s", cases[i].name, *fault ? fault : "other values or pieces", loops, left,
                ad_print_fn(m, cut));
    return 0;
}

static void pieces(void **state)
{
    (void)state;
    check_cases((int)(sizeof cases / sizeof *cases), good);
}

/* A long body stays in one piece. */
static void long_body(void **state)
{
    (void)state;
    jmp_buf full;
    if (setjmp(full)) fail_msg("out of memory");
    ad_arena *m = open_arena(&full);
    const char *text = FOR "{ int r = (i + 1) % N; f[i] = 0;";
    for (int k = 0; k < 100; k++) text = ad_text(m, "%s f[i] += y[r] * %d;", text, k);
    const ad_fn *fn = function(m, 20, ad_text(m, "%s }", text));
    assert_null(ad_split_index_sets(m, fn));
    ad_arena_close(m);
}

/* Two species side by side: the pieces together set every output once, so that the seeds are read where they are, and the long
 * one runs as vectors. */
static void stencil(void **state)
{
    (void)state;
    jmp_buf full;
    if (setjmp(full)) fail_msg("out of memory");
    ad_arena *m = open_arena(&full);
    const ad_fn *fn = function(m, 20,
                               FOR "{ int w = (i + N - 1) % N, e = (i + 1) % N; f[2 * i] = y[2 * w] * y[2 * i + 1] + y[2 * e];"
                                   " f[2 * i + 1] = y[2 * w + 1] * y[2 * i] - y[2 * e + 1]; }");
    const ad_plan plan = {.by = AD_BY_Y | AD_BY_P};
    ad_fn *vjp = ad_derive(m, fn, &plan);
    assert_non_null(vjp);
    assert_null(strstr(ad_print_fn(m, vjp), "f_b["));
    ad_shape(m, vjp, &plan);
    assert_non_null(strstr(ad_print_fn(m, vjp), "/* simd */"));
    ad_arena_close(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pieces), cmocka_unit_test(long_body), cmocka_unit_test(stencil)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
