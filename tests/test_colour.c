/* test_colour.c - patterns: wrong ones are refused with the right words, and colourings are valid and need few colours. */
#include "deriv/colour.h"
#include "support.h"

static uint32_t draw(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

/* ---- wrong patterns ----------------------------------------------------------------------------------------------------- */

static void refused(costate_pattern q, const char *words)
{
    char why[160];
    assert_int_equal(pattern_check(&q, 4, why, sizeof why), COSTATE_ERR_PATTERN);
    if (!strstr(why, words)) fail_msg("\"%s\" does not mention \"%s\"", why, words);
}

static void wrong_patterns(void **state)
{
    (void)state;
    static const int good[] = {0, 1, 2, 3, 4}, late[] = {1, 1, 2, 3, 4}, falling[] = {0, 1, 3, 2, 4}, pair[] = {0, 1, 3, 4, 5};
    static const int rows[] = {0, 1, 2, 3}, beyond[] = {0, 1, 4, 3}, before[] = {0, -1, 2, 3}, swapped[] = {0, 3, 1, 2, 3};
    static const int twice[] = {0, 2, 2, 2, 3};
    const costate_format csc = COSTATE_CSC, banded = COSTATE_BANDED;
    refused((costate_pattern){.format = csc}, "colptr is NULL");
    refused((costate_pattern){.format = csc, .colptr = good}, "rowind is NULL");
    refused((costate_pattern){.format = csc, .colptr = late, .rowind = rows}, "colptr[0] = 1");
    refused((costate_pattern){.format = csc, .colptr = falling, .rowind = rows}, "column 2 ends at 2, before its start 3");
    refused((costate_pattern){.format = csc, .colptr = good, .rowind = beyond}, "column 2 has row 4, outside 0 .. 3");
    refused((costate_pattern){.format = csc, .colptr = good, .rowind = before}, "column 1 has row -1, outside 0 .. 3");
    refused((costate_pattern){.format = csc, .colptr = pair, .rowind = swapped}, "column 1 has row 1 after row 3");
    refused((costate_pattern){.format = csc, .colptr = pair, .rowind = twice}, "column 1 has row 2 after row 2");
    refused((costate_pattern){.format = banded, .lower = -1}, "lower = -1, outside 0 .. 3");
    refused((costate_pattern){.format = banded, .lower = 4}, "lower = 4, outside 0 .. 3");
    refused((costate_pattern){.format = banded, .upper = -2}, "upper = -2, outside 0 .. 3");
    refused((costate_pattern){.format = banded, .lower = 3, .upper = 7}, "upper = 7, outside 0 .. 3");
    refused((costate_pattern){.format = (costate_format)5}, "format 5");
}

/* ---- colours ------------------------------------------------------------------------------------------------------------ */

typedef struct list { /* entries of a large pattern, (row, column) in any order */
    int n;
    size_t count, room;
    int *row, *column;
} list;

static void put(list *e, int i, int j)
{
    if (e->count == e->room) {
        e->room = 2 * e->room + 64;
        e->row = realloc(e->row, e->room * sizeof *e->row);
        e->column = realloc(e->column, e->room * sizeof *e->column);
        assert_true(e->row && e->column);
    }
    e->row[e->count] = i;
    e->column[e->count++] = j;
}

/* Sorted by columns, then rows: two stable counting sorts. Releases the list. */
static costate_pattern sorted(list *e)
{
    size_t n = (size_t)e->n;
    int *colptr = calloc(n + 1, sizeof *colptr), *start_of = calloc(n + 1, sizeof *start_of);
    int *by_row = malloc((e->count + 1) * sizeof *by_row), *rowind = malloc((e->count + 1) * sizeof *rowind);
    assert_true(colptr && start_of && by_row && rowind);
    for (size_t k = 0; k < e->count; k++) start_of[e->row[k] + 1]++, colptr[e->column[k] + 1]++;
    for (size_t i = 0; i < n; i++) start_of[i + 1] += start_of[i], colptr[i + 1] += colptr[i];
    for (size_t k = 0; k < e->count; k++) by_row[start_of[e->row[k]]++] = (int)k;
    memcpy(start_of, colptr, (n + 1) * sizeof *start_of);
    for (size_t k = 0; k < e->count; k++) rowind[start_of[e->column[by_row[k]]]++] = e->row[by_row[k]];
    free(start_of);
    free(by_row);
    free(e->row);
    free(e->column);
    return (costate_pattern){.format = COSTATE_CSC, .colptr = colptr, .rowind = rowind};
}

/* A valid grouping: every column once, and no row twice in one group. Returns the colours; *least what no colouring can beat. */
static int check_colours(const costate_pattern *q, int n, int *least)
{
    size_t size = (size_t)n;
    int *first = malloc((size + 1) * sizeof *first), *member = malloc(size * sizeof *member);
    int *row = calloc(size, sizeof *row), *full = calloc(size, sizeof *full), *used = calloc(size, sizeof *used);
    int *work = malloc((colour_work(q, n) + 1) * sizeof *work);
    assert_true(first && member && row && full && used && work);
    char why[160];
    if (pattern_check(q, n, why, sizeof why)) fail_msg("%s", why);
    int colours = colour_columns(q, n, first, member, work);
    assert_true(colours >= 1 && colours <= n);
    assert_int_equal(first[0], 0);
    assert_int_equal(first[colours], n);
    *least = 0;
    for (int c = 0; c < colours; c++) {
        assert_true(first[c] < first[c + 1]);
        for (int m = first[c]; m < first[c + 1]; m++) {
            pattern_column col = pattern_entries(q, n, member[m]);
            assert_true(m == first[c] || member[m] > member[m - 1]);
            assert_int_equal(used[member[m]]++, 0);
            for (int k = 0; k < col.count; k++) {
                int i = pattern_row(&col, k);
                assert_int_not_equal(row[i], c + 1);
                row[i] = c + 1;
                if (++full[i] > *least) *least = full[i];
            }
        }
    }
    assert_true(colours >= *least);
    free(first);
    free(member);
    free(row);
    free(full);
    free(used);
    free(work);
    return colours;
}

static int colours_of(list *e, int *least)
{
    costate_pattern q = sorted(e);
    int colours = check_colours(&q, e->n, least);
    free((int *)q.colptr);
    free((int *)q.rowind);
    return colours;
}

static void random_colours(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 60; seed++) {
        list e = {.n = 1 + (int)seed * 5};
        uint32_t s = seed;
        for (int i = 0; i < e.n; i++)
            for (int j = 0; j < e.n; j++)
                if (draw(&s) % 97 < seed % 12) put(&e, i, j);
        int least;
        colours_of(&e, &least);
    }
}

/* Patterns whose fewest colours are known: where a row fills up, as many as its entries. */
static void known_colours(void **state)
{
    (void)state;
    enum { SIZE = 200, BLOCK = 7 };
    list three = {.n = SIZE}, down = {.n = SIZE}, across = {.n = SIZE}, blocks = {.n = SIZE}, none = {.n = SIZE};
    for (int i = 0; i < SIZE; i++)
        for (int j = 0; j < SIZE; j++) {
            if (abs(i - j) <= 1) put(&three, i, j);
            if (i == j || j == 0) put(&down, i, j);          /* the first column meets every other, they do not meet */
            if (i == j || i == SIZE - 1) put(&across, i, j); /* all meet in the last row */
            if (i / BLOCK == j / BLOCK) put(&blocks, i, j);
        }
    int least;
    assert_int_equal(colours_of(&three, &least), 3);
    assert_int_equal(colours_of(&down, &least), 2);
    assert_int_equal(colours_of(&across, &least), SIZE);
    assert_int_equal(colours_of(&blocks, &least), BLOCK);
    assert_int_equal(colours_of(&none, &least), 1);
}

/* The path 0 - 2 - 3 - 1, each edge a row. In natural order 0 and 1 get one colour, and 3, between 1 and 2, needs a third. */
static void order_matters(void **state)
{
    (void)state;
    static const int edges[][2] = {{0, 2}, {2, 3}, {3, 1}};
    list e = {.n = 4};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 2; k++) put(&e, i, edges[i][k]);
    int least;
    assert_int_equal(colours_of(&e, &least), 2);
}

/* Five-point grids, open and periodic, with some species at each point that react with one another. First fit needs at most one
 * colour more than a column has neighbours: the same species at 12 points within two steps, and the others at five points. */
static void grid(list *e, int side, int species, int periodic)
{
    static const int steps[][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
    e->n = side * side * species;
    for (int a = 0; a < side; a++)
        for (int b = 0; b < side; b++)
            for (int s = 0; s < species; s++) {
                int here = (a * side + b) * species;
                for (int r = 0; r < species; r++) put(e, here + s, here + r);
                for (size_t k = 0; k < COUNT(steps); k++) {
                    int x = a + steps[k][0], y = b + steps[k][1];
                    if (periodic) x = (x + side) % side, y = (y + side) % side;
                    if (x >= 0 && x < side && y >= 0 && y < side) put(e, here + s, (x * side + y) * species + s);
                }
            }
}

static void grid_colours(void **state)
{
    (void)state;
    for (int species = 1; species <= 2; species++)
        for (int periodic = 0; periodic < 2; periodic++)
            for (int side = 5; side <= 100; side += 19) {
                list e = {0};
                int least, neighbours = 12 + 5 * (species - 1);
                grid(&e, side, species, periodic);
                int colours = colours_of(&e, &least);
                assert_int_equal(least, 4 + species);
                assert_true(colours <= neighbours + 1);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_patterns), cmocka_unit_test(random_colours), cmocka_unit_test(known_colours),
        cmocka_unit_test(order_matters),  cmocka_unit_test(grid_colours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
