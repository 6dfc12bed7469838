/* test_gmres.c - the matrix-free solver: residuals at its tolerance, plain and transposed, real and complex, with and without
 * preconditioner; lanes that leave the block as they converge; restarts; clean failures. */
#define _GNU_SOURCE /* M_PI */
#include "linsol_model.h"

typedef struct products {
    sys s;                 /* the matrix, without its shift */
    double re[2], im[2];   /* of the slots, as told by prepare */
    int slot, transposed;  /* of the solve that is going on */
    double *inverse;       /* diagonal preconditioner */
    linsol exact;          /* preconditioner that solves with the real part of A */
    int64_t applied, most; /* lanes that went through J in all; widest block */
    int calls, fail_at;    /* of apply; number of the call that fails */
} products;

static int apply(void *ctx, int transposed, int w, const double *x, double *out)
{
    products *p = ctx;
    assert_int_equal(transposed, p->transposed);
    p->applied += w;
    if (w > p->most) p->most = w;
    if (++p->calls == p->fail_at) return 7;
    multiply(&p->s, 0, transposed, w, x, out);
    return 0;
}

static int prepare(void *ctx, int slot, double re, double im)
{
    products *p = ctx;
    p->re[slot] = re;
    p->im[slot] = im;
    return p->exact.ops ? p->exact.ops->factor(p->exact.self, slot, 0, re, 0, p->s.jac) : 0;
}

static int precondition(void *ctx, int slot, int transposed, int w, double *x)
{
    const products *p = ctx;
    assert_int_equal(transposed, p->transposed);
    assert_int_equal(slot, p->slot);
    if (p->exact.ops) return p->exact.ops->solve(p->exact.self, slot, transposed, w, x);
    for (int i = 0; i < p->s.m->n; i++)
        for (int l = 0; l < w; l++) *x++ *= p->inverse[i];
    return 0;
}

static products products_of(const matrix *m)
{
    products p = {.s = {m, m->jac, 0, 0, 0}};
    p.inverse = array((size_t)m->n, sizeof(double));
    for (int i = 0; i < m->n; i++) p.inverse[i] = 1.0 / (1 + i % 3);
    return p;
}

/* Solves in slot 1 and holds every lane's residual against the tolerance. */
static void check_lanes(linsol *l, products *p, const sys *s, int transposed, int w)
{
    size_t n = (size_t)s->m->n, part = s->cplx ? 2 : 1, width = (size_t)w * part, size = width * n;
    double *b = random_block(s, w, 3), *y = array(size, sizeof *y);
    for (size_t i = 0; w > 1 && i < size; i += width) memset(b + i, 0, part * sizeof *b); /* a lane with nothing to do */
    p->slot = 1;
    p->transposed = transposed;
    p->most = 0;
    double *x = solved(l, 1, s, transposed, w, b);
    assert_true(p->most <= (int64_t)width);
    multiply(s, 1, transposed, w, x, y);
    for (size_t lane = 0; lane < (size_t)w; lane++) {
        double r = 0, norm = 0;
        for (size_t i = lane * part; i < size; i += width)
            for (size_t k = 0; k < part; k++) {
                r += (y[i + k] - b[i + k]) * (y[i + k] - b[i + k]);
                norm += b[i + k] * b[i + k];
            }
        /* what GMRES estimates, up to the round-off of A x */
        if (!(sqrt(r) <= (l->config.tol + 1e-14) * sqrt(norm)))
            fail_msg("%s of %d, cplx %d, transposed %d, w %d: residual %.3g of %.3g", s->m->name, s->m->n, s->cplx, transposed, w,
                     sqrt(r), sqrt(norm));
    }
    free(b);
    free(x);
    free(y);
}

static void test_residuals(void **state)
{
    (void)state;
    matrix all[] = {full_matrix(1, 4), full_matrix(2, 4), full_matrix(32, 4), sparse_matrix("grid", 400, grid, 4),
                    band_matrix(150, 2, 3, 4)};
    for (size_t a = 0; a < COUNT(all); a++)
        for (int cases = 0; cases < 8; cases++) {
            matrix *m = &all[a];
            products p = products_of(m);
            linsol_config c = config_of(m, 2);
            c.op = (linsol_operator){apply, cases & 1 ? precondition : NULL, prepare, &p};
            if (cases & 2) c.restart = 7; /* many restarts */
            linsol l = open_solver("gmres", &c);
            const sys s = {m, m->jac, cases >> 2, 8 + m->n / 10.0, 3};
            factor(&l, 1, &s);
            assert_true(p.re[1] == s.re && p.im[1] == s.im);
            for (size_t k = 0; k < COUNT(lanes_tested); k++)
                for (int transposed = 0; transposed < 2; transposed++) check_lanes(&l, &p, &s, transposed, lanes_tested[k]);
            linsol_close(&l);
            free(p.inverse);
        }
    for (size_t a = 0; a < COUNT(all); a++) matrix_free(&all[a]);
}

/* An exact preconditioner, from the right and of the right transpose, leaves one iteration to do. */
static void test_exact_preconditioner(void **state)
{
    (void)state;
    matrix m = full_matrix(60, 5);
    for (int transposed = 0; transposed < 2; transposed++) {
        products p = products_of(&m);
        linsol_config c = config_of(&m, 2);
        p.exact = open_solver("dense", &c);
        c.op = (linsol_operator){apply, precondition, prepare, &p};
        linsol l = open_solver("gmres", &c);
        const sys s = {&m, m.jac, 0, 2, 0}, z = {&m, m.jac, 1, 2, 0.3};
        factor(&l, 1, &s);
        check_lanes(&l, &p, &s, transposed, 8);
        assert_int_equal(p.calls, 2); /* the iteration, and the residual */
        factor(&l, 1, &z); /* now it is only near */
        check_lanes(&l, &p, &z, transposed, 3);
        assert_true(p.calls > 4 && p.calls < 60);
        linsol_close(&l);
        linsol_close(&p.exact);
        free(p.inverse);
    }
    matrix_free(&m);
}

/* Condition numbers of 1e12 and beyond: what is called solved is solved, and what cannot be is not. */
static void test_ill_conditioned(void **state)
{
    (void)state;
    matrix d = sparse_matrix("diagonal", 100, diagonal, 1), u = full_matrix(100, 3);
    uint64_t seed = 3;
    for (int i = 0; i < 100; i++) d.jac[i] = -pow(10, -0.12 * i);
    for (int k = 0; k < u.entries; k++) {
        int i = u.row[k], j = u.column[k];
        u.jac[u.place[k]] = i > j ? 0 : i == j ? -pow(10, -0.08 * i) : noise(&seed) / (j - i);
    }
    const sys easy = {&d, d.jac, 0, 0, 0}, hard = {&u, u.jac, 0, 0, 0};
    products p = products_of(&d), q = products_of(&u);
    linsol_config c = config_of(&d, 2);
    c.restart = 100;
    c.op = (linsol_operator){.apply = apply, .ctx = &p};
    linsol l = open_solver("gmres", &c);
    factor(&l, 1, &easy);
    check_lanes(&l, &p, &easy, 0, 3);
    linsol_close(&l);
    c.pattern = u.pattern;
    c.op.ctx = &q;
    l = open_solver("gmres", &c);
    factor(&l, 0, &hard);
    double *x = random_block(&hard, 1, 5);
    assert_int_equal(l.ops->solve(l.self, 0, 0, 1, x), LINSOL_NOT_CONVERGED);
    linsol_close(&l);
    free(x);
    free(p.inverse);
    free(q.inverse);
    matrix_free(&d);
    matrix_free(&u);
}

/* Lanes leave the block as they converge. */
static void test_lanes(void **state)
{
    (void)state;
    matrix m = sparse_matrix("chain", 100, chain, 4);
    for (int k = 0; k < m.entries; k++) m.jac[k] = m.row[k] == m.column[k] ? -2 : 1;
    products p = products_of(&m);
    linsol_config c = config_of(&m, 1);
    c.op = (linsol_operator){.apply = apply, .ctx = &p};
    linsol l = open_solver("gmres", &c);
    const sys s = {&m, m.jac, 0, 1, 0};
    double *alone = random_block(&s, 1, 8), *b = array(300, sizeof *b);
    for (size_t i = 0; i < 100; i++) {
        b[3 * i] = sin(M_PI * (double)(i + 1) / 101); /* an eigenvector */
        b[3 * i + 1] = alone[i];
    }
    factor(&l, 0, &s);
    double *x = solved(&l, 0, &s, 0, 1, alone);
    int64_t needed = p.applied;
    p.applied = p.most = 0;
    double *y = solved(&l, 0, &s, 0, 3, b);
    assert_int_equal(p.most, 2);
    assert_int_equal(p.applied, needed + 2); /* its iteration and its residual */
    for (size_t i = 0; i < 100; i++) {
        assert_near(y[3 * i + 1], x[i], 1e-11);
        assert_near(y[3 * i], b[3 * i] / (1 + 2 - 2 * cos(M_PI / 101)), 1e-11);
        assert_true(y[3 * i + 2] == 0);
    }
    free(x);
    free(y);
    free(b);
    free(alone);
    free(p.inverse);
    linsol_close(&l);
    matrix_free(&m);
}

static void test_failures(void **state)
{
    (void)state;
    matrix m = sparse_matrix("grid", 400, grid, 4);
    products p = products_of(&m);
    linsol_config c = config_of(&m, 1);
    c.op = (linsol_operator){.apply = apply, .ctx = &p};
    c.most = 7;
    c.restart = 3;
    linsol l = open_solver("gmres", &c);
    double *x = array(400, sizeof *x);
    assert_int_equal(l.ops->factor(l.self, 0, 0, 0.01, 0, NULL), 0);
    fill(x, 400, 1);
    assert_int_equal(l.ops->solve(l.self, 0, 0, 1, x), LINSOL_NOT_CONVERGED);
    assert_true(p.applied >= 7 && p.applied <= 10); /* iterations, and residuals at restarts */
    p.calls = 0;
    p.fail_at = 3;
    fill(x, 400, 1);
    assert_int_equal(l.ops->solve(l.self, 0, 0, 1, x), 7); /* what the callback said */
    p.fail_at = 0;
    fill(x, 400, 1);
    x[7] = INFINITY; /* not the matrix's fault: as with direct solvers */
    assert_int_equal(l.ops->solve(l.self, 0, 0, 1, x), 0);
    assert_nan(x, 400);
    double kept = m.jac[700];
    m.jac[700] = INFINITY;
    fill(x, 400, 1);
    assert_int_equal(l.ops->solve(l.self, 0, 0, 1, x), LINSOL_NOT_FINITE);
    m.jac[700] = kept;
    assert_int_equal(l.ops->factor(l.self, 0, 1, NAN, 0, NULL), LINSOL_NOT_FINITE);
    linsol_close(&l);
    free(x);
    free(p.inverse);
    matrix_free(&m);

    /* a singular matrix: A = 0 */
    matrix d = sparse_matrix("diagonal", 5, diagonal, 4);
    fill(d.jac, 5, 2);
    p = products_of(&d);
    c = config_of(&d, 1);
    c.op = (linsol_operator){.apply = apply, .ctx = &p};
    l = open_solver("gmres", &c);
    double y[5] = {1, 2, 3, 4, 5};
    assert_int_equal(l.ops->factor(l.self, 0, 0, 2, 0, NULL), 0);
    assert_int_equal(l.ops->solve(l.self, 0, 0, 1, y), LINSOL_NOT_CONVERGED);
    linsol_close(&l);
    free(p.inverse);
    matrix_free(&d);
}

/* Every allocation fails once: the status says so and nothing is left behind. What a solve needed is kept for the next. */
static void test_memory(void **state)
{
    (void)state;
    matrix m = sparse_matrix("chain", 20, chain, 4);
    products p = products_of(&m);
    int finished = 0;
    for (int64_t fail_at = 1; !finished; fail_at++) {
        heap h = {.fail_at = fail_at};
        linsol_config c = config_of(&m, 2);
        c.alloc = heap_allocator(&h);
        c.op = (linsol_operator){.apply = apply, .ctx = &p};
        linsol l;
        char why[256];
        double x[20 * 2 * 3];
        fill(x, COUNT(x), 1);
        int st = linsol_open(&l, "gmres", &c, why, sizeof why);
        if (!st) st = l.ops->factor(l.self, 0, 1, 30, 1, NULL);
        if (!st) st = l.ops->solve(l.self, 0, 0, 3, x);
        int64_t requests = h.requests;
        for (int w = 1; !st && w <= 3; w++) st = l.ops->solve(l.self, 0, 0, w, x);
        if (!st) assert_int_equal(h.requests, requests);
        finished = h.requests < fail_at;
        assert_int_equal(st, finished ? 0 : COSTATE_ERR_MEMORY);
        linsol_close(&l);
        assert_int_equal(h.live, 0);
    }
    free(p.inverse);
    matrix_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_residuals), cmocka_unit_test(test_exact_preconditioner), cmocka_unit_test(test_ill_conditioned),
        cmocka_unit_test(test_lanes),     cmocka_unit_test(test_failures),             cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
