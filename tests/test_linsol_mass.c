/* test_linsol_mass.c - systems (re + i im) M - J with mass matrices of every pattern, in every linear solver, against a dense
 * reference: M not symmetric, with entries where J has none; diagonal with zeros; its values changing between factorizations;
 * products with M; the choice among solvers; refusals. */
#include "linsol_model.h"
#include "own_solver.h"

/* The last two are a user's solver, which takes real matrices, or complex ones too. */
static const char *const solvers[] = {"dense", "band", "klu", "superlu", "umfpack", "gmres", "ilu", "own", "own complex"};

static int apply_jac(void *ctx, int transposed, int w, const double *x, double *out)
{
    multiply(ctx, 0, transposed, w, x, out);
    return 0;
}

/* A solver with what it works on. */
typedef struct opened {
    linsol l;
    own_data data;
    costate_linear_solver user;
    linsol_said said;
    sys op;
} opened;

/* 0: it is not installed, or takes no such pattern. */
static int open_any(opened *o, const char *name, const matrix *m, int slots)
{
    *o = (opened){.op = {m, m->jac, 0, 0, 0}};
    linsol_config c = config_of(m, slots);
    int own = !strncmp(name, "own", 3);
    const linsol_ops *ops = own ? NULL : linsol_find(name);
    if (!own && (!ops || !takes(ops, m))) return 0;
    c.op = (linsol_operator){.apply = apply_jac, .ctx = &o->op};
    c.restart = 100;
    if (own) {
        o->user = own_solver(&o->data, name[3] != 0);
        c.own = &o->user, c.said = &o->said, c.cplx = 1;
    }
    o->l = open_solver(name, &c);
    return 1;
}

static void close_any(opened *o)
{
    linsol_close(&o->l);
    assert_int_equal(o->data.handles, 0);
}

/* ---- mass matrices ------------------------------------------------------------------------------------------------------- */

/* Values of a well conditioned, unsymmetric M. */
static matrix tame(matrix m)
{
    for (int k = 0; k < m.entries; k++) {
        double *v = &m.jac[m.place[k]];
        *v = m.row[k] == m.column[k] ? 2 + 0.2 * *v : 2 * *v * m.n / (m.entries + m.n);
    }
    return m;
}

static matrix diagonal_mass(int n, int zeros)
{
    matrix m = tame(band_matrix(n, 0, 0, 21));
    for (int i = 0; zeros && i < n; i++)
        if (i % 3 == 0) m.jac[i] = 0; /* where every J here has an entry */
    return m;
}

/* Entries that no other pattern here has. */
static int elsewhere(int n, int i, int j)
{
    return i == j || (i + 2 * j + 1) % n == 0;
}

/* The same without the diagonal of every sixth column. */
static int gaps(int n, int i, int j)
{
    return elsewhere(n, i, j) && (j % 6 != 2 || i != j);
}

enum { DIAGONAL, ZEROS, LOWER, UPPER, WIDE, ELSEWHERE, GAPS, FULL, MASSES };

static matrix mass_matrix(int k, int n)
{
    int one = n > 1, two = n > 2 ? 2 : one;
    switch (k) {
    case DIAGONAL:
    case ZEROS: return diagonal_mass(n, k == ZEROS);
    case LOWER: return tame(band_matrix(n, one, 0, 22));
    case UPPER: return tame(band_matrix(n, 0, two, 23));
    case WIDE: return tame(band_matrix(n, n / 2, n / 3, 24));
    case ELSEWHERE: return tame(sparse_matrix("elsewhere", n, elsewhere, 25));
    case GAPS: return tame(sparse_matrix("gaps", n, gaps, 25));
    default: return tame(full_matrix(n, 26));
    }
}

/* ---- a dense reference ----------------------------------------------------------------------------------------------------- */

/* x (n, complex) = A^-1 x or A^-T x, by elimination with partial pivoting; a is lost. */
static void eliminate(int n, double _Complex *a, int transposed, double _Complex *x)
{
    for (int i = 0; transposed && i < n; i++)
        for (int j = 0; j < i; j++) {
            double _Complex t = a[i + n * j];
            a[i + n * j] = a[j + n * i];
            a[j + n * i] = t;
        }
    own_factors f = {.n = n, .a = a, .pivot = array((size_t)n, sizeof(int))};
    assert_int_equal(own_eliminate(&f), 0);
    own_one(&f, 0, x);
    free(f.pivot);
}

/* Largest difference of x from the reference, over the largest component of its lane. */
static double error_of(const sys *s, int transposed, int w, const double *x, const double *b)
{
    int n = s->m->n, part = s->cplx ? 2 : 1;
    double _Complex *a = array((size_t)(n * n), sizeof *a), *y = array((size_t)n, sizeof *y);
    double worst = 0;
    for (int l = 0; l < w; l++) {
        double apart = 0, large = 0;
        for (int i = 0; i < n; i++) {
            y[i] = b[part * (i * w + l)];
            if (s->cplx) __imag__ y[i] = b[2 * (i * w + l) + 1];
        }
        form_dense(s, a);
        eliminate(n, a, transposed, y);
        for (int i = 0; i < n; i++) {
            double re = x[part * (i * w + l)], im = s->cplx ? x[2 * (i * w + l) + 1] : 0;
            apart = fmax(apart, hypot(re - __real__ y[i], im - __imag__ y[i]));
            large = fmax(large, hypot(__real__ y[i], __imag__ y[i]));
            if (!isfinite(re) || !isfinite(im)) apart = HUGE_VAL;
        }
        worst = fmax(worst, apart / large);
    }
    free(a);
    free(y);
    return worst;
}

static double solve_error(linsol *l, int slot, const sys *s, int transposed, int w)
{
    double *b = random_block(s, w, 7), *x = solved(l, slot, s, transposed, w, b), e = error_of(s, transposed, w, x, b);
    free(b);
    free(x);
    return e;
}

static void check(linsol *l, int slot, const sys *s, int most_lanes)
{
    double limit = l->ops->matrix_free ? 1e-9 : !strcmp(l->ops->name, "ilu") ? 1e-10 : 1e-12; /* what the residual leaves */
    for (int transposed = 0; transposed < 2; transposed++)
        for (size_t k = 0; k < COUNT(lanes_tested) && lanes_tested[k] <= most_lanes; k++) {
            double e = solve_error(l, slot, s, transposed, lanes_tested[k]);
            if (!(e <= limit))
                fail_msg("%s, J %s of %d, M %s, cplx %d, im %g, transposed %d, w %d: error %.3g", l->name, s->m->name, s->m->n,
                         mass_name(s->m), s->cplx, s->im, transposed, lanes_tested[k], e);
        }
}

/* ---- systems ------------------------------------------------------------------------------------------------------------- */

static int nothing(int n, int i, int j)
{
    (void)n, (void)i, (void)j;
    return 0;
}

/* Every J with every M in every solver that takes them; in all 8 solvers, some pair. */
static void test_reference(void **state)
{
    (void)state;
    matrix all[] = {full_matrix(1, 1), full_matrix(9, 1), full_matrix(66, 1), band_matrix(2, 1, 1, 2), band_matrix(30, 2, 3, 2),
                    band_matrix(70, 66, 2, 2), band_matrix(5, 0, 0, 2), sparse_matrix("scattered", 40, scattered, 3),
                    sparse_matrix("blocks", 23, blocks, 3)};
    int used[COUNT(solvers)] = {0};
    for (size_t a = 0; a < COUNT(all); a++)
        for (int k = 0; k < MASSES; k++) {
            matrix *m = &all[a], mass = mass_matrix(k, m->n);
            m->mass = &mass;
            const sys s[] = {{m, m->jac, 0, 9, 0}, {m, m->jac, 1, 6, 5}, {m, m->jac, 1, -8, 0}};
            for (size_t i = 0; i < COUNT(solvers); i++) {
                opened o;
                if (!open_any(&o, solvers[i], m, 3)) continue;
                for (int t = 0; t < 3; t++) factor(&o.l, t, &s[t]);
                for (int t = 0; t < 3; t++) check(&o.l, t, &s[t], m->n > 30 ? 3 : MOST_LANES);
                used[i]++;
                close_any(&o);
            }
            matrix_free(&mass);
        }
    for (size_t i = 0; i < COUNT(solvers); i++) assert_true(used[i] || (i < 5 && !linsol_find(solvers[i])));
    for (size_t a = 0; a < COUNT(all); a++) matrix_free(&all[a]);
}

/* As from equations with constraints: the first CONSTRAINTS rows and columns have no diagonal, neither in J nor in M. */
enum { CONSTRAINTS = 10, N = 3 * CONSTRAINTS };

static int saddle(int n, int i, int j)
{
    const int c = CONSTRAINTS;
    if (i < c && j < c) return 0;
    if (i < c || j < c) return i < c ? (j - c) / 2 == i : (i - c) / 2 == j;
    return scattered(n, i, j);
}

static void test_saddle(void **state)
{
    (void)state;
    matrix lists = sparse_matrix("saddle", N, saddle, 4), square = full_matrix(N, 4), wide = band_matrix(N, N - 1, N - 1, 4);
    matrix *all[] = {&lists, &square, &wide}, mass = diagonal_mass(N, 0);
    for (int i = 0; i < CONSTRAINTS; i++) mass.jac[i] = 0;
    for (size_t a = 0; a < COUNT(all); a++)
        for (size_t i = 0; i < COUNT(solvers); i++) {
            matrix *m = all[a];
            m->mass = &mass;
            for (int k = 0; k < m->entries; k++)
                if (!saddle(N, m->row[k], m->column[k])) m->jac[m->place[k]] = 0;
            const sys s[] = {{m, m->jac, 0, 9, 0}, {m, m->jac, 1, 6, 5}};
            opened o;
            if (!open_any(&o, solvers[i], m, 2)) continue;
            for (int t = 0; t < 2; t++) {
                factor(&o.l, t, &s[t]);
                check(&o.l, t, &s[t], 3);
            }
            close_any(&o);
        }
    for (size_t a = 0; a < COUNT(all); a++) matrix_free(all[a]);
    matrix_free(&mass);
}

/* Algebraic equations in other units have the same factors in klu, and the same solution, bit for bit. */
static void test_units(void **state)
{
    enum { SIZE = 400 };
    static double x[2][SIZE];
    int64_t bytes[2];
    (void)state;
    if (!linsol_find("klu")) return;
    for (int large = 0; large < 2; large++) {
        matrix m = sparse_matrix("grid", SIZE, grid, 5), mass = diagonal_mass(SIZE, 1);
        heap h = {0};
        m.mass = &mass;
        for (int k = 0; k < m.entries; k++)
            if (large && mass.jac[m.row[k]] == 0) m.jac[m.place[k]] *= 0x1p30;
        for (int i = 0; i < SIZE; i++) x[large][i] = (i % 7 - 3) * (large && mass.jac[i] == 0 ? 0x1p30 : 1);
        linsol_config c = config_of(&m, 1);
        c.alloc = heap_allocator(&h);
        linsol l = open_solver("klu", &c);
        assert_int_equal(l.ops->factor(l.self, 0, 0, 50, 0, m.jac), 0);
        assert_int_equal(l.ops->solve(l.self, 0, 0, 1, x[large]), 0);
        bytes[large] = h.bytes;
        linsol_close(&l);
        assert_int_equal(h.live, 0);
        matrix_free(&m);
        matrix_free(&mass);
    }
    assert_int_equal(bytes[0], bytes[1]);
    assert_bits(x[0], x[1], SIZE);
}

/* M of ones on the diagonal gives the bits of no M at all, and J without entries gives M. */
static void test_plain(void **state)
{
    (void)state;
    matrix all[] = {full_matrix(20, 1), band_matrix(20, 2, 3, 2), sparse_matrix("scattered", 20, scattered, 3)};
    matrix one = diagonal_mass(20, 0), none = sparse_matrix("nothing", 20, nothing, 1);
    for (int i = 0; i < 20; i++) one.jac[i] = 1;
    for (size_t a = 0; a < COUNT(all); a++)
        for (size_t i = 0; i < 6; i++)
            for (int cplx = 0; cplx < 2; cplx++) {
                double *x[2], *b = NULL;
                opened o;
                for (int with = 0; with < 2; with++) {
                    all[a].mass = with ? &one : NULL;
                    const sys s = {&all[a], all[a].jac, cplx, 13, 2};
                    x[with] = NULL;
                    if (!open_any(&o, solvers[i], &all[a], 1)) continue;
                    if (!b) b = random_block(&s, 3, 5);
                    factor(&o.l, 0, &s);
                    x[with] = solved(&o.l, 0, &s, 1, 3, b);
                    close_any(&o);
                }
                if (b) assert_bits(x[0], x[1], 20 * 3 * (cplx ? 2 : 1));
                free(x[0]);
                free(x[1]);
                free(b);
            }
    for (int k = 0; k < MASSES; k++)
        for (size_t i = 0; i < COUNT(solvers); i++) {
            if (k == ZEROS || k == GAPS) continue;
            matrix mass = mass_matrix(k, 20);
            none.mass = &mass;
            const sys s = {&none, none.jac, 1, 3, 2};
            opened o;
            if (open_any(&o, solvers[i], &none, 1)) {
                factor(&o.l, 0, &s);
                check(&o.l, 0, &s, 3);
                close_any(&o);
            }
            matrix_free(&mass);
        }
    for (size_t a = 0; a < COUNT(all); a++) matrix_free(&all[a]);
    matrix_free(&one);
    matrix_free(&none);
}

/* M's values are those at the time of `factor`, wherever they lie by then; other slots keep their factors. Matrix-free solvers
 * read M as they solve. */
static void test_new_values(void **state)
{
    (void)state;
    matrix all[] = {band_matrix(12, 2, 1, 2), sparse_matrix("scattered", 12, scattered, 3)};
    for (size_t a = 0; a < COUNT(all); a++)
        for (size_t i = 0; i < COUNT(solvers); i++)
            for (int cplx = 0; cplx < 2; cplx++) {
                matrix *m = &all[a], mass = mass_matrix(LOWER, 12), other = mass_matrix(LOWER, 12);
                for (int k = 0; k < other.entries; k++) other.jac[other.place[k]] *= 1.5 + 0.1 * k;
                m->mass = &mass;
                const sys s = {m, m->jac, cplx, 9, 4};
                opened o;
                if (open_any(&o, solvers[i], m, 2)) {
                    factor(&o.l, 0, &s);
                    mass.as_mass.values = other.jac;
                    factor(&o.l, 1, &s);
                    check(&o.l, 1, &s, 3);
                    other.jac[3] *= 2;
                    factor(&o.l, 1, &s);
                    check(&o.l, 1, &s, 3);
                    mass.as_mass.values = mass.jac;
                    check(&o.l, 0, &s, 3);
                    close_any(&o);
                }
                matrix_free(&mass);
                matrix_free(&other);
            }
    for (size_t a = 0; a < COUNT(all); a++) matrix_free(&all[a]);
}

/* A solver that follows another takes its pivot order: the same bits for a second matrix, which alone would order otherwise. */
static void test_follow(void **state)
{
    (void)state;
    matrix m = sparse_matrix("scattered", 60, scattered, 8), mass = mass_matrix(ELSEWHERE, 60);
    double *x[2], *jac2 = array(m.values, sizeof *jac2);
    memcpy(jac2, m.jac, m.values * sizeof *jac2);
    draw(&m, 99);
    m.mass = &mass;
    for (size_t i = 0; i < 5; i++)
        for (int cplx = 0; cplx < 2; cplx++) {
            opened leader, follower;
            const sys first = {&m, m.jac, cplx, 1e-3, 1e-4}, second = {&m, jac2, cplx, 0.5, 0.1};
            if (!open_any(&leader, solvers[i], &m, 1)) continue;
            assert_true(open_any(&follower, solvers[i], &m, 1));
            double *b = random_block(&first, 3, 5);
            factor(&follower.l, 0, &second);
            factor(&leader.l, 0, &first);
            if (leader.l.ops->follow) assert_int_equal(leader.l.ops->follow(follower.l.self, leader.l.self), 0);
            linsol *both[] = {&leader.l, &follower.l};
            for (int k = 0; k < 2; k++) {
                factor(both[k], 0, &second);
                x[k] = solved(both[k], 0, &second, 0, 3, b);
            }
            assert_bits(x[0], x[1], 60 * 3 * (cplx ? 2 : 1));
            for (int k = 0; k < 2; k++) free(x[k]);
            free(b);
            close_any(&leader);
            close_any(&follower);
        }
    free(jac2);
    matrix_free(&m);
    matrix_free(&mass);
}

/* ---- products ------------------------------------------------------------------------------------------------------------ */

static void test_products(void **state)
{
    (void)state;
    for (int k = 0; k < MASSES; k++)
        for (int n = 1; n < 20; n += 6)
            for (size_t j = 0; j < COUNT(lanes_tested); j++)
                for (int transposed = 0; transposed < 2; transposed++) {
                    int w = lanes_tested[j];
                    size_t size = (size_t)n * (size_t)w;
                    matrix m = mass_matrix(k, n);
                    const sys s = {&m, m.jac, 0, 0, 0};
                    double *x = random_block(&s, w, 3), *y = array(size, sizeof *y), *out = array(size, sizeof *out);
                    add_product(&m, m.jac, 1, transposed, (size_t)w, x, y);
                    fill(out, size, NAN); /* it is written, not added to */
                    linsol_mass_apply(&m.as_mass, n, transposed, w, x, out);
                    for (size_t i = 0; i < size; i++) assert_true(fabs(out[i] - y[i]) <= 1e-14 * (1 + fabs(y[i])));
                    linsol_mass_apply(NULL, n, transposed, w, x, out);
                    assert_bits(out, x, size);
                    free(x);
                    free(y);
                    free(out);
                    matrix_free(&m);
                }
}

/* ---- refusals ------------------------------------------------------------------------------------------------------------ */

/* What cannot be factored is said to be so, and does no harm to what follows. */
static void test_refused_values(void **state)
{
    (void)state;
    matrix all[] = {full_matrix(9, 1), band_matrix(9, 2, 3, 2), sparse_matrix("scattered", 9, scattered, 3)};
    for (size_t a = 0; a < COUNT(all); a++)
        for (size_t i = 0; i < COUNT(solvers); i++)
            for (int k = 0; k < MASSES; k++) {
                matrix *m = &all[a], mass = mass_matrix(k, 9);
                double *bad = array(m->values, sizeof *bad), kept = mass.jac[mass.place[mass.entries / 2]];
                m->mass = &mass;
                opened o;
                for (int cplx = 0; cplx < 2 && open_any(&o, solvers[i], m, 1); cplx++) {
                    const sys good = {m, m->jac, cplx, 9, 4};
                    for (int round = 0; round < 2; round++) {
                        mass.jac[mass.place[mass.entries / 2]] = round ? INFINITY : NAN;
                        assert_int_equal(o.l.ops->factor(o.l.self, 0, cplx, 9, 4, m->jac), LINSOL_NOT_FINITE);
                        mass.jac[mass.place[mass.entries / 2]] = kept;
                        assert_int_equal(o.l.ops->factor(o.l.self, 0, cplx, NAN, 4, m->jac), LINSOL_NOT_FINITE);
                        factor(&o.l, 0, &good);
                        check(&o.l, 0, &good, 3);
                    }
                    /* column 3 of J becomes zero, too: the pencil is singular */
                    for (int e = 0; e < m->entries; e++) bad[m->place[e]] = m->column[e] == 3 ? 0 : m->jac[m->place[e]];
                    if (k == ZEROS && !o.l.ops->matrix_free)
                        assert_int_equal(o.l.ops->factor(o.l.self, 0, cplx, 9, 4, bad), LINSOL_SINGULAR);
                    close_any(&o);
                }
                free(bad);
                matrix_free(&mass);
            }
    for (size_t a = 0; a < COUNT(all); a++) matrix_free(&all[a]);
}

static void refused(const char *name, const matrix *m, const linsol_mass *mass, int status, const char *mention)
{
    linsol l;
    char why[256];
    linsol_config c = config_of(m, 1);
    if (strcmp(name, "auto") && !linsol_find(name)) return;
    c.mass = mass;
    assert_int_equal(linsol_open(&l, name, &c, why, sizeof why), status);
    if (!strstr(why, mention)) fail_msg("\"%s\" does not mention \"%s\"", why, mention);
}

static void test_refused_patterns(void **state)
{
    (void)state;
    matrix band = band_matrix(9, 1, 1, 1), full = full_matrix(9, 1);
    matrix sparse = sparse_matrix("grid", 9, grid, 1), larger = sparse_matrix("grid", 16, grid, 1);
    refused("band", &band, &sparse.as_mass, COSTATE_ERR_LINSOL,
            "\"band\" takes no sparse pattern, which Jacobian and mass matrix have together");
    refused("band", &band, &full.as_mass, COSTATE_ERR_LINSOL, "\"band\" takes no dense pattern");
    refused("klu", &sparse, &full.as_mass, COSTATE_ERR_LINSOL, "\"klu\" takes no dense pattern");
    refused("auto", &sparse, &larger.as_mass, COSTATE_ERR_PATTERN, "mass matrix of 9 equations: CSC: column ");
    linsol_mass wide = {.pattern = {.format = COSTATE_BANDED, .lower = 9}}, odd = {.pattern = {.format = (costate_format)7}};
    refused("auto", &sparse, &wide, COSTATE_ERR_PATTERN, "mass matrix of 9 equations: banded: lower = 9, outside 0 .. 8");
    refused("gmres", &band, &wide, COSTATE_ERR_PATTERN, "lower = 9");
    refused("dense", &band, &odd, COSTATE_ERR_PATTERN, "format 7");

    /* a user's solver is asked for the pattern of both, and for twice the size whether it takes complex matrices or not */
    own_data d = {.most = 9};
    linsol_said said;
    costate_linear_solver user = own_solver(&d, 1);
    linsol_config c = config_of(&band, 1);
    c.mass = &sparse.as_mass, c.own = &user, c.said = &said, c.cplx = 1;
    linsol l;
    char why[256];
    assert_int_equal(linsol_open(&l, "auto", &c, why, sizeof why), COSTATE_ERR_LINSOL);
    assert_string_equal(why, "open of linear solver \"gauss\" returned 5 for a sparse pattern of 18 equations, which stand for "
                             "complex ones: use a Rosenbrock or SDIRK method");
    assert_int_equal(d.handles, 0);
    matrix_free(&band);
    matrix_free(&sparse);
    matrix_free(&larger);
    matrix_free(&full);
}

/* ---- choice, memory ------------------------------------------------------------------------------------------------------ */

static void chosen(matrix m, matrix mass, const char *name)
{
    m.mass = &mass;
    linsol_config c = config_of(&m, 1);
    linsol l = open_solver("auto", &c);
    if (!strcmp(name, "dense") || !strcmp(name, "band") || linsol_find(name)) assert_string_equal(l.ops->name, name);
    linsol_close(&l);
    matrix_free(&m);
    matrix_free(&mass);
}

static void test_choice(void **state)
{
    (void)state;
    chosen(band_matrix(100, 2, 3, 1), diagonal_mass(100, 1), "band");
    chosen(band_matrix(100, 0, 0, 1), band_matrix(100, 2, 3, 1), "band");
    chosen(band_matrix(100, 2, 3, 1), band_matrix(100, 60, 60, 1), "dense");
    chosen(band_matrix(100, 2, 3, 1), full_matrix(100, 1), "dense");
    chosen(full_matrix(100, 1), diagonal_mass(100, 0), "dense");
    chosen(sparse_matrix("chain", 100, chain, 1), full_matrix(100, 1), "dense");
    chosen(sparse_matrix("chain", 100, chain, 1), diagonal_mass(100, 0), "klu");
    chosen(band_matrix(100, 1, 1, 1), sparse_matrix("elsewhere", 100, elsewhere, 1), "klu");
    if (!linsol_find("klu")) return;
    chosen(sparse_matrix("diagonal", 40, diagonal, 1), sparse_matrix("crowded", 40, crowded, 1), "dense");
    chosen(sparse_matrix("diagonal", 1600, diagonal, 1), sparse_matrix("box", 1600, box, 1), "ilu");
}

/* Every allocation of our own fails once: the status says so and nothing is left behind. */
static void test_memory(void **state)
{
    (void)state;
    matrix band = band_matrix(20, 2, 1, 4), sparse = sparse_matrix("scattered", 20, scattered, 4);
    matrix diagonals = mass_matrix(LOWER, 20), lists = mass_matrix(ELSEWHERE, 20);
    for (size_t i = 0; i < COUNT(solvers); i++) {
        matrix *m = strcmp(solvers[i], "band") ? &sparse : &band;
        m->mass = m == &band ? &diagonals : &lists;
        own_data data = {0};
        linsol_said said;
        costate_linear_solver user = own_solver(&data, 0);
        sys op = {m, m->jac, 0, 0, 0};
        int own = !strncmp(solvers[i], "own", 3);
        if (!own && !linsol_find(solvers[i])) continue;
        for (int64_t fail_at = 1, finished = 0; !finished; fail_at++) {
            heap h = {.fail_at = fail_at};
            linsol_config c = config_of(m, 1);
            c.alloc = heap_allocator(&h);
            c.op = (linsol_operator){.apply = apply_jac, .ctx = &op};
            c.said = &said, c.own = own ? &user : NULL;
            linsol l;
            char why[256];
            double x[20 * 2 * 3] = {1};
            int st = linsol_open(&l, solvers[i], &c, why, sizeof why);
            if (!st) st = l.ops->factor(l.self, 0, 0, 30, 0, m->jac);
            if (!st) st = l.ops->solve(l.self, 0, 1, 3, x);
            if (!st) st = l.ops->factor(l.self, 0, 1, 30, 1, m->jac);
            if (!st) st = l.ops->solve(l.self, 0, 0, 3, x);
            finished = h.requests < fail_at;
            assert_int_equal(st, finished ? 0 : COSTATE_ERR_MEMORY);
            linsol_close(&l);
            assert_int_equal(h.live, 0);
            assert_int_equal(data.handles, 0);
        }
    }
    matrix_free(&band);
    matrix_free(&sparse);
    matrix_free(&diagonals);
    matrix_free(&lists);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reference), cmocka_unit_test(test_plain),          cmocka_unit_test(test_new_values),
        cmocka_unit_test(test_follow),    cmocka_unit_test(test_products),       cmocka_unit_test(test_refused_values),
        cmocka_unit_test(test_choice),    cmocka_unit_test(test_refused_patterns), cmocka_unit_test(test_memory),
        cmocka_unit_test(test_saddle),    cmocka_unit_test(test_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
