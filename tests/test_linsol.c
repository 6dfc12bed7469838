/* test_linsol.c - every linear solver that has the matrix on every kind of pattern: small residuals, plain and transposed, real
 * and complex, any number of lanes; the same answers from all of them; the same bits for the same matrix whatever came between;
 * clean refusals and failures. */
#define _GNU_SOURCE /* setenv, strdup */
#include "linsol_model.h"

#include <stdio.h>

static const char *const direct[] = {"dense", "band", "klu", "superlu", "umfpack", "ilu"};

/* All right-hand sides of one factored matrix; `reference`, if given, is another solver that has it in the same slot. */
static void check_solves(linsol *l, linsol *reference, int slot, const sys *s)
{
    for (int transposed = 0; transposed < 2; transposed++)
        for (size_t k = 0; k < COUNT(lanes_tested); k++) {
            int w = lanes_tested[k];
            size_t size = (size_t)s->m->n * (size_t)w * (s->cplx ? 2 : 1);
            double *b = random_block(s, w, 11 * (uint64_t)w + (uint64_t)transposed), *x = solved(l, slot, s, transposed, w, b);
            double r = residual(s, transposed, w, x, b);
            if (!(r <= (strcmp(l->ops->name, "ilu") ? 1e-13 : 1e-11)))
                fail_msg("%s, %s of %d, cplx %d, transposed %d, w %d: residual %.3g", l->ops->name, s->m->name, s->m->n, s->cplx,
                         transposed, w, r);
            if (reference) {
                double *y = solved(reference, slot, s, transposed, w, b), large = 0, apart = 0;
                for (size_t i = 0; i < size; i++) {
                    large = fmax(large, fabs(y[i]));
                    apart = fmax(apart, fabs(x[i] - y[i]));
                }
                if (!(apart <= 1e-10 * large))
                    fail_msg("%s of %d: %s and %s differ by %.3g of %.3g", s->m->name, s->m->n, l->ops->name,
                             reference->ops->name, apart, large);
                free(y);
            }
            free(b);
            free(x);
        }
}

typedef struct list {
    matrix m[48];
    int count;
} list;

static list all_matrices(void)
{
    static const int sizes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 32, 63, 64, 65, 150};
    list a = {.count = 0};
    for (size_t k = 0; k < COUNT(sizes); k++) {
        int n = sizes[k];
        a.m[a.count++] = full_matrix(n, 1);
        a.m[a.count++] = sparse_matrix("scattered", n, scattered, 2);
    }
    a.m[a.count++] = band_matrix(1, 0, 0, 3);
    a.m[a.count++] = band_matrix(2, 1, 1, 3);
    a.m[a.count++] = band_matrix(5, 0, 2, 3);
    a.m[a.count++] = band_matrix(5, 4, 4, 3);
    a.m[a.count++] = band_matrix(32, 2, 5, 3);
    a.m[a.count++] = band_matrix(20, 7, 0, 3);
    a.m[a.count++] = band_matrix(150, 3, 6, 3);
    a.m[a.count++] = band_matrix(150, 80, 40, 3);
    a.m[a.count++] = sparse_matrix("blocks", 43, blocks, 4);
    a.m[a.count++] = sparse_matrix("grid", 2500, grid, 5);
    return a;
}

static void list_free(list *a)
{
    for (int i = 0; i < a->count; i++) matrix_free(&a->m[i]);
}

/* ---- direct solvers ------------------------------------------------------------------------------------------------------ */

/* Residuals, and agreement with the first back end that takes the pattern; four matrices of each pattern in two slots. */
static void test_residuals(void **state)
{
    (void)state;
    list all = all_matrices();
    for (int i = 0; i < all.count; i++) {
        matrix *m = &all.m[i];
        linsol_config c = config_of(m, 2);
        linsol first = {0};
        double *other = array(m->values, sizeof *other);
        memcpy(other, m->jac, m->values * sizeof *other);
        draw(m, 77);
        for (size_t k = 0; k < COUNT(direct); k++) {
            const linsol_ops *ops = linsol_find(direct[k]);
            if (!ops || !takes(ops, m)) continue;
            linsol l = open_solver(direct[k], &c);
            assert_ptr_equal(l.ops, ops);
            const sys tasks[] = {{m, m->jac, 0, 0.3, 0}, {m, m->jac, 1, 0.2, 0.1}, {m, other, 1, -9, 3}, {m, other, 0, 14, 0}};
            for (size_t t = 0; t < COUNT(tasks); t++) {
                int slot = t % 2;
                factor(&l, slot, &tasks[t]);
                if (first.ops) factor(&first, slot, &tasks[t]);
                check_solves(&l, first.ops ? &first : NULL, slot, &tasks[t]);
            }
            if (first.ops) linsol_close(&l);
            else first = l;
        }
        linsol_close(&first);
        free(other);
    }
    list_free(&all);
}

/* A slot keeps its factors, whatever happens to the others. */
static void test_slots(void **state)
{
    (void)state;
    matrix m = sparse_matrix("scattered", 50, scattered, 3), b = band_matrix(50, 3, 2, 4);
    for (size_t k = 0; k < COUNT(direct); k++) {
        const linsol_ops *ops = linsol_find(direct[k]);
        if (!ops) continue;
        matrix *a = strcmp(direct[k], "band") ? &m : &b;
        linsol_config c = config_of(a, 3);
        linsol l = open_solver(direct[k], &c);
        const sys s[] = {{a, a->jac, 0, 9, 0}, {a, a->jac, 1, 5, 6}, {a, a->jac, 0, -7, 0}};
        double *rhs[3], *before[3];
        for (int i = 0; i < 3; i++) {
            factor(&l, i, &s[i]);
            rhs[i] = random_block(&s[i], 5, 6);
            before[i] = solved(&l, i, &s[i], i == 2, 5, rhs[i]);
        }
        for (int i = 2; i >= 0; i--) {
            double *x = solved(&l, i, &s[i], i == 2, 5, rhs[i]);
            assert_bits(before[i], x, 50 * 5 * (s[i].cplx ? 2 : 1));
            free(x);
            factor(&l, i, &s[0]); /* for the next ones to bear */
        }
        for (int i = 0; i < 3; i++) {
            free(rhs[i]);
            free(before[i]);
        }
        linsol_close(&l);
    }
    matrix_free(&m);
    matrix_free(&b);
}

/* Solves with the matrices of `s` in turn, each in the slot given, and returns the answers one behind the other. */
static double *answers(linsol *l, int count, const sys *const *s, const int *slot)
{
    size_t size = (size_t)s[0]->m->n * 3 * 2;
    double *all = array(size * (size_t)count, sizeof *all);
    for (int i = 0; i < count; i++) {
        double *b = random_block(s[i], 3, 5);
        factor(l, slot[i], s[i]);
        double *x = solved(l, slot[i], s[i], 0, 3, b);
        memcpy(all + size * (size_t)i, x, size / (s[i]->cplx ? 1 : 2) * sizeof *x);
        free(b);
        free(x);
    }
    return all;
}

/* The same matrix gives the same bits, in any slot and whatever came between, until `restart`; after it everything is as in a
 * new solver. A and B want different pivots, as some entries of the diagonal are but the shift; A's suit B too. */
static void check_runs(const char *name, const matrix *a, const double *jac2, int cplx)
{
    const sys A = {a, a->jac, cplx, 1e-3, 1e-4}, B = {a, jac2, cplx, 0.5, 0.1}, C = {a, jac2, !cplx, 7, 2};
    const sys *const run[] = {&A, &B, &A, &C, &B, &A, &A}, *const other[] = {&C, &B, &A, &B, &A, &C, &B};
    const int slot[] = {0, 0, 0, 0, 1, 1, 2};
    size_t size = (size_t)a->n * 3 * 2, used = size / (cplx ? 1 : 2);
    linsol_config c = config_of(a, 3);
    linsol l = open_solver(name, &c), fresh = open_solver(name, &c);
    double *x = answers(&l, 7, run, slot), *y = answers(&fresh, 7, other, slot);
    for (size_t i = 2; i < 7; i++) {
        if (run[i] == &A) assert_bits(x, x + size * i, used);
        if (run[i] == &B) assert_bits(x + size, x + size * i, used);
    }
    linsol *both[] = {&fresh, &l};
    for (int i = 0; i < 2; i++) {
        if (l.ops->restart) both[i]->ops->restart(both[i]->self);
        double *again = answers(both[i], 7, i ? other : run, slot);
        assert_bits(i ? y : x, again, 7 * size);
        free(again);
        linsol_close(both[i]);
    }
    free(x);
    free(y);
}

static void test_determinism(void **state)
{
    (void)state;
    matrix m = sparse_matrix("scattered", 60, scattered, 8), band = band_matrix(60, 4, 3, 9), mass = band_matrix(60, 1, 2, 10);
    for (size_t k = 0; k < 2 * COUNT(direct); k++) {
        const char *name = direct[k / 2];
        matrix *a = strcmp(name, "band") ? &m : &band;
        a->mass = k % 2 ? &mass : NULL;
        double *jac2 = array(a->values, sizeof *jac2);
        memcpy(jac2, a->jac, a->values * sizeof *jac2);
        draw(a, 99);
        for (int cplx = 0; cplx < 2 && linsol_find(name); cplx++) check_runs(name, a, jac2, cplx);
        memcpy(a->jac, jac2, a->values * sizeof *jac2);
        free(jac2);
    }
    matrix_free(&m);
    matrix_free(&band);
    matrix_free(&mass);
}

/* The first matrix has a dominant diagonal; then comes one whose diagonal is nearly zero, where the old pivots are useless. */
static void test_unstable_order(void **state)
{
    (void)state;
    matrix m = sparse_matrix("grid", 100, grid, 3);
    double *weak = array(m.values, sizeof *weak);
    uint64_t seed = 5;
    for (int k = 0; k < m.entries; k++) {
        double beside = m.row[k] < m.column[k] ? 1 : -1.5;
        weak[m.place[k]] = m.row[k] == m.column[k] ? 2 - 1e-5 * noise(&seed) : beside + 0.3 * noise(&seed);
    }
    for (size_t k = 0; k < COUNT(direct); k++)
        for (int cplx = 0; cplx < 2; cplx++) {
            const linsol_ops *ops = linsol_find(direct[k]);
            if (!ops || !takes(ops, &m)) continue;
            linsol_config c = config_of(&m, 1);
            linsol l = open_solver(direct[k], &c);
            const sys strong = {&m, m.jac, cplx, 30, 0}, bad = {&m, weak, cplx, 2, 1e-5};
            factor(&l, 0, &strong);
            check_solves(&l, NULL, 0, &strong);
            double *b = random_block(&strong, 1, 4), *x = solved(&l, 0, &strong, 0, 1, b);
            factor(&l, 0, &bad);
            check_solves(&l, NULL, 0, &bad);
            factor(&l, 0, &strong);
            double *y = solved(&l, 0, &strong, 0, 1, b);
            assert_bits(x, y, 100 * (cplx ? 2 : 1));
            free(b);
            free(x);
            free(y);
            linsol_close(&l);
        }
    free(weak);
    matrix_free(&m);
}

/* The diagonal is never much smaller than the rest of its column, and yet with it as pivot the last column of U would grow by a
 * factor of ten a row. */
static void test_growth(void **state)
{
    (void)state;
    matrix m = full_matrix(40, 1);
    for (int k = 0; k < m.entries; k++) {
        int i = m.row[k], j = m.column[k];
        m.jac[m.place[k]] = i > j ? 9.5 : j == m.n - 1 && i < j ? -1 : 0;
    }
    for (int cplx = 0; cplx < 2; cplx++) {
        linsol_config c = config_of(&m, 1);
        linsol l = open_solver("dense", &c);
        const sys s = {&m, m.jac, cplx, 1, 0.1};
        factor(&l, 0, &s);
        check_solves(&l, NULL, 0, &s);
        linsol_close(&l);
    }
    matrix_free(&m);
}

/* What cannot be factored is said to be so, first or later, and does no harm to what follows. */
static void test_refused_values(void **state)
{
    (void)state;
    matrix all[] = {full_matrix(6, 4),  band_matrix(6, 1, 2, 4),     sparse_matrix("scattered", 6, scattered, 4),
                    full_matrix(80, 4), band_matrix(200, 70, 70, 4), sparse_matrix("scattered", 80, scattered, 4)};
    for (size_t a = 0; a < COUNT(all); a++)
        for (size_t k = 0; k < COUNT(direct); k++)
            for (int cplx = 0; cplx < 2; cplx++) {
                matrix *m = &all[a];
                const linsol_ops *ops = linsol_find(direct[k]);
                if (!ops || !takes(ops, m)) continue;
                linsol_config c = config_of(m, 1);
                linsol l = open_solver(direct[k], &c);
                double *bad = array(m->values, sizeof *bad);
                const sys good = {m, m->jac, cplx, 12, 1};
                for (int round = 0; round < 2; round++) {
                    /* A = 0 in one column, then 0 throughout */
                    for (int e = 0; e < m->entries; e++) {
                        int on = m->row[e] == m->column[e];
                        bad[m->place[e]] = m->column[e] == 3 || round ? (on ? 12 : 0) : m->jac[m->place[e]];
                    }
                    /* where the pattern lacks that diagonal entry, a shift of 0 makes the column vanish */
                    double shift = m->pattern.format == COSTATE_CSC && round ? 0 : 12;
                    if (shift == 0) fill(bad, m->values, 0);
                    assert_int_equal(ops->factor(l.self, 0, cplx, shift, 0, bad), LINSOL_SINGULAR);
                    bad[m->place[m->entries / 2]] = round ? INFINITY : NAN;
                    assert_int_equal(ops->factor(l.self, 0, cplx, 12, 0, bad), LINSOL_NOT_FINITE);
                    assert_int_equal(ops->factor(l.self, 0, cplx, NAN, 0, m->jac), LINSOL_NOT_FINITE);
                    factor(&l, 0, &good);
                    check_solves(&l, NULL, 0, &good);
                }
                free(bad);
                linsol_close(&l);
            }
    for (size_t a = 0; a < COUNT(all); a++) matrix_free(&all[a]);
}

/* ---- names, choice, memory ----------------------------------------------------------------------------------------------- */

static void refused(const char *name, const linsol_config *c, const char *mention)
{
    linsol l;
    char why[256];
    assert_int_equal(linsol_open(&l, name, c, why, sizeof why), COSTATE_ERR_LINSOL);
    if (!strstr(why, mention)) fail_msg("\"%s\" does not mention \"%s\"", why, mention);
    linsol_close(&l); /* harmless */
    char cut[8];
    linsol_open(&l, name, c, cut, sizeof cut);
    assert_true(strlen(cut) == sizeof cut - 1);
}

static void test_refused_names(void **state)
{
    (void)state;
    matrix m = full_matrix(4, 1), s = sparse_matrix("grid", 9, grid, 1);
    linsol_config c = config_of(&m, 1), cs = config_of(&s, 1);
    refused("lu", &c, "\"lu\"");
    refused("lu", &c, linsol_names());
    refused("", &c, linsol_names());
    refused("band", &c, "takes no dense pattern");
    refused("band", &cs, "takes no sparse pattern");
    if (linsol_find("klu")) refused("klu", &c, "takes no dense pattern");
    char names[128], *at = names;
    snprintf(names, sizeof names, "%s", linsol_names());
    assert_null(linsol_find("auto"));
    for (char *name = strtok_r(names, ", ", &at); name; name = strtok_r(NULL, ", ", &at)) {
        const linsol_ops *ops = linsol_find(name);
        if (ops) assert_string_equal(ops->name, name);
        else if (strcmp(name, "auto")) refused(name, &cs, "Debian package lib");
    }
    assert_non_null(linsol_find("dense"));
    assert_non_null(linsol_find("band"));
    assert_non_null(linsol_find("gmres"));
    matrix_free(&m);
    matrix_free(&s);
}

/* umfpack is found where COSTATE_PLUGIN_DIR says, if not elsewhere; and where it is not found, its package is named. */
static void test_plugin(void **state)
{
    (void)state;
    matrix s = sparse_matrix("grid", 9, grid, 1);
    linsol_config c = config_of(&s, 1);
    const char *dir = getenv("COSTATE_PLUGIN_DIR");
    char *kept = dir ? strdup(dir) : NULL;
    unsetenv("COSTATE_PLUGIN_DIR");
    const linsol_ops *elsewhere = linsol_find("umfpack");
    setenv("COSTATE_PLUGIN_DIR", "/nowhere", 1);
    assert_ptr_equal(linsol_find("umfpack"), elsewhere);
    if (!elsewhere) refused("umfpack", &c, "libsuitesparse-dev");
    unsetenv("COSTATE_PLUGIN_DIR");
    if (kept) {
        setenv("COSTATE_PLUGIN_DIR", kept, 1);
        const linsol_ops *found = linsol_find("umfpack");
        assert_non_null(found);
        assert_ptr_equal(found, linsol_find("umfpack"));
    }
    free(kept);
    matrix_free(&s);
}

/* solutions: with a matrix; 0: not known */
static void chosen(matrix m, double solutions, const char *with, const char *without)
{
    linsol_config c = config_of(&m, 1);
    c.solutions = solutions;
    linsol l = open_solver("auto", &c);
    assert_string_equal(l.ops->name, with && linsol_find(with) ? with : without);
    const sys s = {&m, m.jac, 1, 15, 2};
    if (m.n < 1000) {
        factor(&l, 0, &s);
        check_solves(&l, NULL, 0, &s);
    }
    linsol_close(&l);
    matrix_free(&m);
}

static void test_choice(void **state)
{
    (void)state;
    const char *sparse = linsol_find("klu") ? "klu" : linsol_find("superlu") ? "superlu" : "dense";
    chosen(full_matrix(3, 1), 0, NULL, "dense");
    chosen(full_matrix(100, 1), 0, NULL, "dense");
    chosen(band_matrix(100, 2, 3, 1), 0, NULL, "band");
    chosen(band_matrix(100, 60, 60, 1), 0, NULL, "dense");
    chosen(sparse_matrix("chain", 100, chain, 1), 0, NULL, sparse);
    chosen(sparse_matrix("grid", 400, grid, 1), 0, NULL, sparse);
    if (linsol_find("klu")) chosen(sparse_matrix("crowded", 40, crowded, 1), 0, NULL, "dense");
    if (linsol_find("klu")) chosen(sparse_matrix("box", 1600, box, 1), 0, "ilu", NULL);
    if (linsol_find("klu")) chosen(sparse_matrix("box", 1600, box, 1), 200, "superlu", "klu"); /* they share the factors */
    if (linsol_find("klu")) chosen(sparse_matrix("cube", 5832, cube, 1), 0, "ilu", NULL);
}

/* What iterates makes Newton's corrections to three digits, by factors that are light; for a matrix with which the iteration does
 * not do it has complete factors, which are not. */
static void test_corrections(void **state)
{
    (void)state;
    matrix m = sparse_matrix("grid", 2500, grid, 5);
    linsol_config c = config_of(&m, 2);
    linsol l = open_solver("ilu", &c);
    const sys tame = {&m, m.jac, 0, 9, 0}, wild = {&m, m.jac, 0, 0, 0};
    factor(&l, 0, &tame);
    factor(&l, 1, &wild);
    assert_true(l.ops->light(l.self, 0) && !l.ops->light(l.self, 1));
    for (int slot = 0; slot < 2; slot++) {
        double *b = random_block(&tame, 1, 3), *x = array(2500, sizeof *x);
        memcpy(x, b, 2500 * sizeof *x);
        assert_int_equal(l.ops->correct(l.self, slot, x), 0);
        const double r = residual(slot ? &wild : &tame, 0, 1, x, b);
        assert_true(slot ? r <= 1e-11 : r <= 1e-3 && r > 1e-9);
        free(b), free(x);
    }
    linsol_close(&l);
    matrix_free(&m);
}

/* Every allocation of our own fails once: the status says so and nothing is left behind. */
static void test_memory(void **state)
{
    (void)state;
    matrix band = band_matrix(70, 66, 1, 4), sparse = sparse_matrix("scattered", 70, scattered, 4);
    const char *const names[] = {"dense", "band", "klu", "superlu", "umfpack", "ilu", "auto"};
    for (size_t k = 0; k < COUNT(names); k++) {
        if (strcmp(names[k], "auto") && !linsol_find(names[k])) continue;
        matrix *m = strcmp(names[k], "band") ? &sparse : &band;
        int finished = 0;
        for (int64_t fail_at = 1; !finished; fail_at++) {
            assert_true(fail_at < 60);
            heap h = {.fail_at = fail_at};
            linsol_config c = config_of(m, 2);
            c.alloc = heap_allocator(&h);
            linsol l;
            char why[256];
            double *x = array((size_t)m->n * 2 * MOST_LANES, sizeof *x);
            int st = linsol_open(&l, names[k], &c, why, sizeof why);
            if (!st) st = l.ops->factor(l.self, 0, 0, 30, 0, m->jac);
            if (!st) st = l.ops->factor(l.self, 0, 1, 30, 1, m->jac);
            if (!st) st = l.ops->factor(l.self, 1, 0, 40, 1, m->jac);
            if (!st) st = l.ops->solve(l.self, 0, 0, MOST_LANES, x);
            if (!st) st = l.ops->solve(l.self, 1, 1, 3, x);
            finished = h.requests < fail_at;
            assert_int_equal(st, finished ? 0 : COSTATE_ERR_MEMORY);
            linsol_close(&l);
            assert_int_equal(h.live, 0);
            free(x);
        }
    }
    matrix_free(&band);
    matrix_free(&sparse);
}

/* Once everything was used, the dense and band solvers allocate no more. */
static void test_no_allocation(void **state)
{
    (void)state;
    matrix m[] = {full_matrix(40, 2), full_matrix(90, 2), band_matrix(200, 3, 4, 2), band_matrix(200, 66, 4, 2)};
    for (size_t k = 0; k < COUNT(m); k++) {
        heap h = {0};
        linsol_config c = config_of(&m[k], 2);
        c.alloc = heap_allocator(&h);
        linsol l = open_solver("auto", &c);
        const sys s[] = {{&m[k], m[k].jac, 0, 30, 0}, {&m[k], m[k].jac, 1, 30, 2}};
        int64_t requests = 0;
        for (int round = 0; round < 3; round++) {
            if (round == 1) requests = h.requests;
            for (int i = 0; i < 2; i++) {
                factor(&l, i, &s[i]);
                check_solves(&l, NULL, i, &s[i]);
            }
        }
        assert_int_equal(h.requests, requests);
        linsol_close(&l);
        assert_int_equal(h.live, 0);
        matrix_free(&m[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_residuals),      cmocka_unit_test(test_slots),          cmocka_unit_test(test_determinism),
        cmocka_unit_test(test_unstable_order), cmocka_unit_test(test_refused_values), cmocka_unit_test(test_refused_names),
        cmocka_unit_test(test_plugin),         cmocka_unit_test(test_choice),         cmocka_unit_test(test_corrections),
        cmocka_unit_test(test_memory),         cmocka_unit_test(test_no_allocation),  cmocka_unit_test(test_growth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
