/* linsol_model.h - matrices of all patterns, products with them, and solvers to try on them. */
#ifndef TESTS_LINSOL_MODEL_H
#define TESTS_LINSOL_MODEL_H

#include "support.h"

#include "linsol/linsol.h"
#include "linsol/pencil.h"

enum { MOST_LANES = 17 };
static const int lanes_tested[] = {1, 3, 8, MOST_LANES};

static inline double noise(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 4503599627370496.0 - 1;
}

/* ---- matrices ---------------------------------------------------------------------------------------------------------- */

/* J (or M), its values laid out as the pattern says; and once more as a plain list of entries, from which everything is
 * checked. */
typedef struct matrix {
    const char *name;
    int n, entries;
    costate_pattern pattern;
    int *colptr, *rowind;
    double *jac;
    size_t values;
    int *row, *column, *place; /* entry k is (row, column), its value jac[place] */
    linsol_mass as_mass;       /* the same matrix, where it is the M of another one's systems */
    const struct matrix *mass; /* M of systems with this J; NULL: the identity */
} matrix;

static inline void matrix_free(matrix *m)
{
    free(m->colptr);
    free(m->rowind);
    free(m->jac);
    free(m->row);
    free(m->column);
    free(m->place);
    *m = (matrix){0};
}

static inline void *array(size_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size);
    assert_non_null(p);
    return p;
}

static inline matrix make(const char *name, int n, costate_pattern pattern, size_t most)
{
    matrix m = {.name = name, .n = n, .pattern = pattern};
    m.row = array(most, sizeof(int));
    m.column = array(most, sizeof(int));
    m.place = array(most, sizeof(int));
    return m;
}

static inline void entry(matrix *m, int i, int j, int place)
{
    m->row[m->entries] = i;
    m->column[m->entries] = j;
    m->place[m->entries++] = place;
}

/* Values that belong to no entry, the corners of a band, are NaN: nobody may look at them. */
static inline void draw(matrix *m, uint64_t seed)
{
    fill(m->jac, m->values, NAN);
    for (int k = 0; k < m->entries; k++) {
        m->jac[m->place[k]] = noise(&seed);
        if (m->row[k] == m->column[k]) m->jac[m->place[k]] *= 3;
    }
}

static inline matrix finish(matrix m, size_t values, uint64_t seed)
{
    m.values = values;
    m.jac = array(values, sizeof(double));
    m.as_mass = (linsol_mass){m.pattern, m.jac};
    draw(&m, seed);
    return m;
}

static inline matrix full_matrix(int n, uint64_t seed)
{
    matrix m = make("full", n, (costate_pattern){.format = COSTATE_DENSE}, (size_t)n * (size_t)n);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) entry(&m, i, j, i + n * j);
    return finish(m, (size_t)n * (size_t)n, seed);
}

static inline matrix band_matrix(int n, int lower, int upper, uint64_t seed)
{
    costate_pattern p = {.format = COSTATE_BANDED, .lower = lower, .upper = upper};
    size_t size = (size_t)n * (size_t)(lower + upper + 1);
    matrix m = make("band", n, p, size);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            if (i - j <= lower && j - i <= upper) entry(&m, i, j, upper + i - j + (lower + upper + 1) * j);
    return finish(m, size, seed);
}

/* Entries where `has` says so. */
static inline matrix sparse_matrix(const char *name, int n, int (*has)(int n, int i, int j), uint64_t seed)
{
    size_t most = 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) most += has(n, i, j) != 0;
    matrix m = make(name, n, (costate_pattern){.format = COSTATE_CSC}, most);
    m.colptr = array((size_t)n + 1, sizeof(int));
    m.rowind = array(most, sizeof(int));
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++)
            if (has(n, i, j)) {
                m.rowind[m.entries] = i;
                entry(&m, i, j, m.entries);
            }
        m.colptr[j + 1] = m.entries;
    }
    m.pattern.colptr = m.colptr;
    m.pattern.rowind = m.rowind;
    return finish(m, most, seed);
}

static inline uint32_t hash(int i, int j)
{
    uint32_t h = (uint32_t)i * 2654435761u ^ (uint32_t)j * 2246822519u;
    h ^= h >> 15;
    h *= 2654435761u;
    return h ^ h >> 13;
}

/* Unsymmetric, and every third diagonal entry is missing. */
static inline int scattered(int n, int i, int j)
{
    if (i == j) return i % 3 != 1;
    return hash(i, j) % (uint32_t)n < 3;
}

/* Blocks of one to four rows on the diagonal, entries only above them: reducible. */
static inline int blocks(int n, int i, int j)
{
    (void)n;
    if (i / 5 == j / 5) return i % 5 == 4 || j % 5 == 4 ? i == j : 1;
    return i < j && hash(i, j) % 8 == 0;
}

static inline int side(int n)
{
    return (int)lround(sqrt(n));
}

/* Five-point neighbours on a square. */
static inline int grid(int n, int i, int j)
{
    int g = side(n), dx = abs(i % g - j % g), dy = abs(i / g - j / g);
    return dx + dy <= 1;
}

/* All neighbours up to three away: its factors fill up. */
static inline int box(int n, int i, int j)
{
    int g = side(n);
    return abs(i % g - j % g) <= 3 && abs(i / g - j / g) <= 3;
}

/* Seven points in space, 18 along each edge. */
static inline int cube(int n, int i, int j)
{
    enum { EDGE = 18 };
    (void)n;
    int x = abs(i % EDGE - j % EDGE), y = abs(i / EDGE % EDGE - j / EDGE % EDGE), z = abs(i / EDGE / EDGE - j / EDGE / EDGE);
    return x + y + z <= 1;
}

static inline int chain(int n, int i, int j)
{
    (void)n;
    return abs(i - j) <= 1;
}

static inline int crowded(int n, int i, int j)
{
    (void)n;
    return i == j || hash(i, j) % 2;
}

static inline int diagonal(int n, int i, int j)
{
    (void)n;
    return i == j;
}

/* ---- products ---------------------------------------------------------------------------------------------------------- */

typedef struct sys {
    const matrix *m;
    const double *jac;
    int cplx;
    double re, im;
} sys;

/* y += by A x or A^T x on blocks of `width` lanes, A having these values. */
static inline void add_product(const matrix *m, const double *values, double by, int transposed, size_t width, const double *x,
                               double *y)
{
    for (int k = 0; k < m->entries; k++) {
        const double *from = x + (size_t)(transposed ? m->row[k] : m->column[k]) * width;
        double *to = y + (size_t)(transposed ? m->column[k] : m->row[k]) * width, a = by * values[m->place[k]];
        for (size_t l = 0; l < width; l++) to[l] += a * from[l];
    }
}

/* y = A x or A^T x on blocks of w lanes, A = (re + i im) M - J; J alone if `shift` is 0. */
static inline void multiply(const sys *s, int shift, int transposed, int w, const double *x, double *y)
{
    const matrix *m = s->m;
    size_t part = s->cplx ? 2 : 1, width = (size_t)w * part, size = (size_t)m->n * width;
    double *mx = array(size, sizeof *mx);
    if (!m->mass) memcpy(mx, x, size * sizeof *x);
    else add_product(m->mass, m->mass->as_mass.values, 1, transposed, width, x, mx);
    for (size_t i = 0; i < size; i += part) {
        y[i] = shift ? s->re * mx[i] - (s->cplx ? s->im * mx[i + 1] : 0) : 0;
        if (s->cplx) y[i + 1] = shift ? s->re * mx[i + 1] + s->im * mx[i] : 0;
    }
    add_product(m, s->jac, shift ? -1 : 1, transposed, width, x, y);
    free(mx);
}

/* a (n x n complex, column-major) = A */
static inline void form_dense(const sys *s, double _Complex *a)
{
    const matrix *m = s->m, *mass = m->mass;
    int n = m->n;
    double _Complex shift = s->re;
    __imag__ shift = s->cplx ? s->im : 0;
    for (int k = 0; k < n * n; k++) a[k] = 0;
    for (int k = 0; mass && k < mass->entries; k++)
        a[mass->row[k] + n * mass->column[k]] = shift * mass->as_mass.values[mass->place[k]];
    for (int k = 0; !mass && k < n; k++) a[k + n * k] = shift;
    for (int k = 0; k < m->entries; k++) a[m->row[k] + n * m->column[k]] -= s->jac[m->place[k]];
}

/* Of A; with a mass matrix an upper bound. */
static inline double norm_of(const sys *s)
{
    const matrix *m = s->m, *mass = m->mass;
    double most = 0, *sum = array((size_t)m->n, sizeof *sum), *diag = array((size_t)m->n, sizeof *sum);
    double shift = hypot(s->re, s->cplx ? s->im : 0);
    for (int k = 0; k < m->entries; k++) {
        int i = m->row[k];
        if (i == m->column[k] && !mass) diag[i] = s->jac[m->place[k]];
        else sum[i] += fabs(s->jac[m->place[k]]);
    }
    for (int k = 0; mass && k < mass->entries; k++) sum[mass->row[k]] += shift * fabs(mass->as_mass.values[mass->place[k]]);
    for (int i = 0; i < m->n; i++)
        most = fmax(most, sum[i] + (mass ? 0 : hypot(s->re - diag[i], s->cplx ? s->im : 0)));
    free(sum);
    free(diag);
    return most;
}

/* Largest |A x - b| of any lane, over the norms of A and of that lane. */
static inline double residual(const sys *s, int transposed, int w, const double *x, const double *b)
{
    size_t width = (size_t)w * (s->cplx ? 2 : 1), size = (size_t)s->m->n * width;
    double *y = array(size, sizeof *y), worst = 0, norm = norm_of(s);
    multiply(s, 1, transposed, w, x, y);
    for (size_t l = 0; l < width; l++) {
        double defect = 0, large = 0;
        for (size_t i = l; i < size; i += width) {
            if (!isfinite(x[i])) defect = HUGE_VAL;
            defect = fmax(defect, fabs(y[i] - b[i]));
            large = fmax(large, fabs(x[i]));
        }
        if (defect > 0) worst = fmax(worst, defect / (norm * large));
    }
    free(y);
    return worst;
}

/* ---- solvers ----------------------------------------------------------------------------------------------------------- */

static inline linsol_config config_of(const matrix *m, int slots)
{
    linsol_config c = {.n = m->n, .pattern = m->pattern, .slots = slots, .tol = 1e-12, .restart = 40, .most = 4000};
    c.mass = m->mass ? &m->mass->as_mass : NULL;
    return c;
}

static inline int takes(const linsol_ops *ops, const matrix *m)
{
    linsol_config c = config_of(m, 1);
    if (!(ops->formats >> pencil_pattern(&c).format & 1)) return 0;
    return m->n <= 200 || strcmp(ops->name, "dense"); /* a dense matrix of thousands is nothing for a test */
}

static inline linsol open_solver(const char *name, const linsol_config *c)
{
    linsol l;
    char why[256];
    int st = linsol_open(&l, name, c, why, sizeof why);
    if (st) fail_msg("%s: status %d: %s", name, st, why);
    return l;
}

static inline const char *mass_name(const matrix *m)
{
    return m->mass ? m->mass->name : "I";
}

static inline void factor(linsol *l, int slot, const sys *s)
{
    int st = l->ops->factor(l->self, slot, s->cplx, s->re, s->im, l->ops->matrix_free ? NULL : s->jac);
    if (st) fail_msg("%s cannot factor %s of %d, M %s: %d", l->ops->name, s->m->name, s->m->n, mass_name(s->m), st);
}

static inline double *random_block(const sys *s, int w, uint64_t seed)
{
    size_t size = (size_t)s->m->n * (size_t)w * (s->cplx ? 2 : 1);
    double *b = array(size, sizeof *b);
    for (size_t i = 0; i < size; i++) b[i] = noise(&seed);
    return b;
}

static inline double *solved(linsol *l, int slot, const sys *s, int transposed, int w, const double *b)
{
    size_t size = (size_t)s->m->n * (size_t)w * (s->cplx ? 2 : 1);
    double *x = array(size, sizeof *x);
    memcpy(x, b, size * sizeof *x);
    int st = l->ops->solve(l->self, slot, transposed, w, x);
    if (st) fail_msg("%s cannot solve with %s of %d, M %s: %d", l->ops->name, s->m->name, s->m->n, mass_name(s->m), st);
    return x;
}

#endif
