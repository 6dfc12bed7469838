/* test_runs.c - products and triangular solutions by runs of rows against plain loops over the entries, on grids with several
 * unknowns a point, borders and none, and on patterns without any order; and the numbering by levels. */
#include "linsol/runs.h"
#include "support.h"

#include <complex.h>

enum { MOST = 700, ENTRIES = 40 * MOST, POINTS = 9 };

static double noise(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 4503599627370496.0 - 1;
}

typedef struct subject {
    const char *name;
    int n, colptr[MOST + 1], rowind[ENTRIES];
} subject;

/* Column j is coupled with the rows that `near` says, in rising order. */
static void lay_out(subject *x, const char *name, int n, int (*near)(int i, int j))
{
    *x = (subject){.name = name, .n = n};
    int at = 0;
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++)
            if (near(i, j)) x->rowind[at++] = i;
        x->colptr[j + 1] = at;
        assert_true(at < ENTRIES - n);
    }
}

/* A square of POINTS x POINTS with `species` unknowns a point; each is coupled with itself next door, and with all at home. */
static int on_grid(int i, int j, int species, int periodic)
{
    const int a = i / species, b = j / species;
    int dx = abs(a % POINTS - b % POINTS), dy = abs(a / POINTS - b / POINTS);
    if (periodic && dx == POINTS - 1) dx = 1;
    if (periodic && dy == POINTS - 1) dy = 1;
    return dx + dy == 0 || (dx + dy == 1 && i % species == j % species);
}

static int grid(int i, int j) { return on_grid(i, j, 1, 0); }
static int torus(int i, int j) { return on_grid(i, j, 2, 1); }
static int chemistry(int i, int j) { return on_grid(i, j, 3, 0); }
static int band(int i, int j) { return i - j <= 3 && j - i <= 1; }
static int arrow(int i, int j) { return i == j || i == 0 || j == 0 || i == 100; }
static int scattered(int i, int j)
{
    uint64_t seed = (uint64_t)(i * 1009 + j);
    noise(&seed);
    return i == j || noise(&seed) > 0.97;
}
static int diagonal(int i, int j) { return i == j; }

static void open_subject(subject *x, pencil *p)
{
    const linsol_config c = {.n = x->n, .pattern = {.format = COSTATE_CSC, .colptr = x->colptr, .rowind = x->rowind}};
    assert_int_equal(pencil_sparse(p, &c), 0);
}

static void closely(const char *name, double is, double should, double size)
{
    if (!(fabs(is - should) <= 1e-13 * size)) fail_msg("%s: %.17g for %.17g", name, is, should);
}

/* Everything with one matrix: A and A^T, whose rows are given. */
static void try_rows(const char *name, const lists *rows, const int *level, const double *matrix, int z, int w)
{
    const size_t n = (size_t)rows->n, width = (size_t)w << z, size = n * width;
    const costate_allocator none = {0};
    double *x = malloc(4 * size * sizeof *x), *y = x + size, *is = y + size, *large = is + size;
    double *pivots = malloc(2 * n * sizeof *pivots);
    uint64_t seed = 7;
    for (size_t i = 0; i < 2 * size; i++) x[i] = noise(&seed);
    for (size_t i = 0; i < n << z; i++) pivots[i] = 1 + 0.5 * noise(&seed);
    for (int part = RUNS_ALL; part <= RUNS_UPPER; part++) {
        runs r;
        assert_int_equal(runs_open(&r, rows, part, part == RUNS_ALL ? NULL : level, &none), 0);
        double *values = malloc(((r.values << z) + 1) * sizeof *values);
        runs_take(&r, z, matrix, values);
        memcpy(is, y, size * sizeof *is);
        memset(large, 0, size * sizeof *large);
        runs_subtract(&r, z, w, values, x, is);
        runs_enlarge(&r, z, w, values, x, large);
        for (size_t i = 0; i < n; i++)
            for (size_t l = 0; l < width; l += (size_t)z + 1) {
                double complex sum = y[i * width + l] + (z ? y[i * width + l + 1] * I : 0);
                double size_of = 0, size_im = 0;
                for (int k = rows->begin[i]; k < rows->begin[i + 1]; k++) {
                    const size_t j = (size_t)rows->index[k], at = (size_t)(rows->place ? rows->place[k] : k);
                    if ((part == RUNS_LOWER && j >= i) || (part == RUNS_UPPER && j <= i)) continue;
                    const double ai = z ? matrix[2 * at + 1] : 0, ar = matrix[at << z], abs_a = fabs(ar) + fabs(ai);
                    sum -= (ar + ai * I) * (x[j * width + l] + (z ? x[j * width + l + 1] * I : 0));
                    size_of += abs_a * fabs(x[j * width + l]);
                    size_im += z ? abs_a * fabs(x[j * width + l + 1]) : 0;
                }
                closely(name, is[i * width + l], creal(sum), 1 + size_of + size_im);
                closely(name, large[i * width + l], size_of, 1 + size_of);
                if (z) closely(name, is[i * width + l + 1], cimag(sum), 1 + size_of + size_im);
                if (z) closely(name, large[i * width + l + 1], size_im, 1 + size_im);
            }
        /* T x = b: the rest of b, less the entries, over the diagonal */
        for (int unit = 0; part != RUNS_ALL && unit < 2; unit++) {
            memcpy(is, y, size * sizeof *is);
            runs_solve(&r, part == RUNS_UPPER, z, w, values, unit ? NULL : pivots, is);
            memcpy(large, y, size * sizeof *large);
            runs_subtract(&r, z, w, values, is, large);
            for (size_t i = 0; i < n; i++)
                for (size_t l = 0; l < width; l += (size_t)z + 1) {
                    const size_t k = i * width + l;
                    const double complex pivot = unit ? 1 : pivots[i << z] + (z ? pivots[2 * i + 1] * I : 0);
                    const double complex v = pivot * (large[k] + (z ? large[k + 1] * I : 0));
                    closely(name, is[k], creal(v), 10 + cabs(v));
                    if (z) closely(name, is[k + 1], cimag(v), 10 + cabs(v));
                }
        }
        free(values);
        runs_close(&r, &none);
    }
    free(pivots);
    free(x);
}

/* Levels rise, and of two that are coupled the one that was first still is, on a lower level. */
static void check_order(const lists *rows, const int *order, const int *level)
{
    int *number = calloc((size_t)rows->n, sizeof *number);
    for (int k = 0; k < rows->n; k++) number[order[k]]++;
    for (int i = 0; i < rows->n; i++) assert_int_equal(number[i], 1);
    for (int k = 0; k < rows->n; k++) number[order[k]] = k;
    for (int i = 0; i < rows->n; i++)
        for (int k = rows->begin[i]; k < rows->begin[i + 1]; k++) {
            const int a = number[i], b = number[rows->index[k]];
            if (i == rows->index[k]) continue;
            assert_true(i < rows->index[k] ? a < b && level[a] < level[b] : a > b && level[a] > level[b]);
        }
    free(number);
}

static void test_all(void **unused)
{
    (void)unused;
    static const struct { const char *name; int n, (*near)(int, int); } known[] = {
        {"grid", POINTS * POINTS, grid},   {"torus", 2 * POINTS * POINTS, torus}, {"chemistry", 3 * POINTS * POINTS, chemistry},
        {"band", 600, band},               {"arrow", 200, arrow},                 {"scattered", 300, scattered},
        {"diagonal", 50, diagonal},        {"one", 1, diagonal}};
    static const int lanes[] = {1, 2, 3, 4, 8, 9};
    static subject x;
    for (size_t s = 0; s < sizeof known / sizeof *known; s++) {
        pencil p;
        lay_out(&x, known[s].name, known[s].n, known[s].near);
        open_subject(&x, &p);
        const size_t n = (size_t)p.n;
        int *at = malloc((2 * p.size + 2 * n + 1) * sizeof *at), *order = malloc(2 * n * sizeof *order), *level = order + n;
        const costate_allocator none = {0};
        lists columns = lists_columns(&p), rows = lists_rows(&p, at);
        assert_int_equal(levels_find(&columns, &rows, order, level, &none), 0);
        check_order(&rows, order, level);
        assert_int_equal(pencil_reorder(&p, order, rows.begin, rows.index, rows.place, &none), 0);
        columns = lists_columns(&p), rows = lists_rows(&p, at);
        double *matrix = malloc(2 * p.size * sizeof *matrix);
        uint64_t seed = 3;
        for (size_t k = 0; k < 2 * p.size; k++) matrix[k] = 0.3 * noise(&seed);
        for (int z = 0; z < 2; z++)
            for (size_t l = 0; l < sizeof lanes / sizeof *lanes; l++) {
                try_rows(known[s].name, &columns, level, matrix, z, lanes[l]);
                try_rows(known[s].name, &rows, level, matrix, z, lanes[l]);
            }
        free(matrix), free(order), free(at);
        pencil_close(&p, &none);
    }
}

/* On a grid a level is one run for each unknown of a point: that is what they are for. */
static void test_long(void **unused)
{
    (void)unused;
    static subject x;
    pencil p;
    const costate_allocator none = {0};
    lay_out(&x, "chemistry", 3 * POINTS * POINTS, chemistry);
    open_subject(&x, &p);
    int *at = malloc((2 * p.size + 2 * (size_t)p.n + 1) * sizeof *at), order[MOST], level[MOST];
    const lists columns = lists_columns(&p);
    lists rows = lists_rows(&p, at);
    runs r;
    assert_int_equal(levels_find(&columns, &rows, order, level, &none), 0);
    assert_int_equal(pencil_reorder(&p, order, rows.begin, rows.index, rows.place, &none), 0);
    rows = lists_rows(&p, at);
    assert_int_equal(runs_open(&r, &rows, RUNS_LOWER, level, &none), 0);
    const int levels = level[p.n - 1] + 1;
    if (!(r.count <= 3 * levels)) fail_msg("%d runs on %d levels", r.count, levels);
    assert_true(10 * r.values <= 11 * (p.size - (size_t)p.n) / 2 + 10 * (size_t)r.count);
    runs_close(&r, &none);
    pencil_close(&p, &none);
    free(at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all), cmocka_unit_test(test_long)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
