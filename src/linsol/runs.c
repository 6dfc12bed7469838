/* runs.c - see runs.h. */
#include "linsol/runs.h"

#include "linsol/lane_rows.h"

#include <limits.h>
#include <string.h>

enum { LONGEST = 512 }; /* rows of a run: what they add up stays in the nearest cache */
enum { WIDEST = 64 };   /* entries of a row that others may join */
enum { FILL = 8 };      /* zeros may take the place of missing entries, one of them and as many more as one entry in so many */

/* ---- opening ----------------------------------------------------------------------------------------------------------- */

typedef struct opening {
    const lists *rows;
    const int *level; /* rows of a run are of one level; NULL: need not be */
    int part;
    int first, count, zeros, entries; /* of the run: its first row, rows, entries that are not there and are */
    int columns, at[WIDEST];          /* column less row of each; where there are more, of the first */
} opening;

static void part_of(const lists *rows, int part, int i, int *first, int *end)
{
    *first = part == RUNS_UPPER ? rows->diag[i] + 1 : rows->begin[i];
    *end = part == RUNS_LOWER ? rows->diag[i] : rows->begin[i + 1];
}

static void begin_run(opening *o, int i)
{
    int first, end;
    part_of(o->rows, o->part, i, &first, &end);
    o->first = i;
    o->count = 1;
    o->zeros = 0;
    o->entries = o->columns = end - first;
    for (int k = first; k < end && k - first < WIDEST; k++) o->at[k - first] = o->rows->index[k] - i;
}

/* Row i joins the run, if the columns of both together can be had for few zeros. */
static int joins(opening *o, int i)
{
    int k, end, both = 0, at[2 * WIDEST];
    part_of(o->rows, o->part, i, &k, &end);
    const int own = end - k;
    if (o->count >= LONGEST || o->columns > WIDEST || own > WIDEST || (o->level && o->level[i] != o->level[o->first])) return 0;
    for (int e = 0; e < o->columns || k < end; both++) {
        const int theirs = e < o->columns ? o->at[e] : INT_MAX, mine = k < end ? o->rows->index[k] - i : INT_MAX;
        at[both] = theirs < mine ? theirs : mine;
        e += theirs <= mine;
        k += mine <= theirs;
    }
    const int zeros = o->zeros + (both - o->columns) * o->count + both - own, entries = o->entries + own;
    if (both > WIDEST || zeros > entries / FILL + 1) return 0;
    if (both && (o->first + at[0] < 0 || i + at[both - 1] >= o->rows->n)) return 0;
    memcpy(o->at, at, (size_t)both * sizeof *at);
    o->columns = both;
    o->zeros = zeros;
    o->entries = entries;
    o->count++;
    return 1;
}

/* The place of row i's entry in a column, -1: it has none. */
static int place_of(const lists *rows, int part, int i, int column)
{
    int first, end;
    for (part_of(rows, part, i, &first, &end); first < end && rows->index[first] < column; first++) {}
    if (first == end || rows->index[first] != column) return -1;
    return rows->place ? rows->place[first] : first;
}

static void end_run(const opening *o, runs *r)
{
    int k, end, at = r->begin[r->count];
    part_of(o->rows, o->part, o->first, &k, &end);
    for (int e = 0; e < o->columns; e++) {
        r->column[at++] = o->count == 1 ? o->rows->index[k + e] : o->first + o->at[e];
        if (o->count == 1) r->from[r->values++] = o->rows->place ? o->rows->place[k + e] : k + e;
        else
            for (int i = o->first; i < o->first + o->count; i++)
                r->from[r->values++] = place_of(o->rows, o->part, i, i + o->at[e]);
    }
    r->count++;
    r->first[r->count] = o->first + o->count;
    r->begin[r->count] = at;
}

int runs_open(runs *r, const lists *rows, int part, const int *level, const costate_allocator *a)
{
    const size_t n = (size_t)rows->n, most = (size_t)rows->begin[n] + (size_t)rows->begin[n] / FILL + n;
    opening o = {.rows = rows, .level = level, .part = part};
    *r = (runs){.n = rows->n};
    r->first = cst__alloc(a, 2 * (n + 1) + 2 * most, sizeof *r->first);
    if (!r->first) return COSTATE_ERR_MEMORY;
    r->begin = r->first + n + 1;
    r->column = r->begin + n + 1;
    r->from = r->column + most;
    r->first[0] = r->begin[0] = 0;
    begin_run(&o, 0);
    for (int i = 1; i <= rows->n; i++) {
        if (i < rows->n && joins(&o, i)) continue;
        end_run(&o, r);
        if (i < rows->n) begin_run(&o, i);
    }
    return 0;
}

void runs_close(runs *r, const costate_allocator *a)
{
    cst__release(a, r->first);
    *r = (runs){0};
}

void runs_take(const runs *r, int z, const double *matrix, double *values)
{
    for (size_t k = 0; k < r->values; k++)
        for (int part = 0; part <= z; part++)
            values[(k << z) + (size_t)part] = r->from[k] < 0 ? 0 : matrix[((size_t)r->from[k] << z) + (size_t)part];
}

/* ---- one run ----------------------------------------------------------------------------------------------------------- */

/* Rows i, i + 1, .. of y, as many as a vector has, for real single lanes. */
#define SUBTRACT_SOME(TYPE, y, columns, column, rows, a, x, i)                                                                   \
    do {                                                                                                                         \
        TYPE sum = *(const TYPE *)((y) + (i));                                                                                   \
        for (int e = 0; e < (columns); e++)                                                                                      \
            sum -= *(const TYPE *)((a) + e * (rows) + (i)) * *(const TYPE *)((x) + (column)[e] + (i));                           \
        *(TYPE *)((y) + (i)) = sum;                                                                                              \
    } while (0)

CHUNK_INLINE void subtract_single(int columns, const int *column, int rows, const double *a, const double *x, double *y)
{
    int i = 0;
    if (rows == 1) {
        double sum = y[0];
        for (int e = 0; e < columns; e++) sum -= a[e] * x[column[e]];
        y[0] = sum;
        return;
    }
    for (; i + 8 <= rows; i += 8) SUBTRACT_SOME(chunk_row8, y, columns, column, rows, a, x, i);
    if (i + 4 <= rows) {
        SUBTRACT_SOME(chunk_row4, y, columns, column, rows, a, x, i);
        i += 4;
    }
    for (; i < rows; i++) SUBTRACT_SOME(double, y, columns, column, rows, a, x, i);
}

/* The rows of a run at y less their entries times x; where x is y, none of them is among those of its columns. */
CHUNK_INLINE void subtract_run(int z, int w, int columns, const int *column, int rows, const double *a, const double *x,
                               double *y)
{
    const size_t width = (size_t)w << z;
    if (width == 1) {
        subtract_single(columns, column, rows, a, x, y);
        return;
    }
    for (size_t i = 0; i < (size_t)rows; i++, y += width) {
        double few[LANES_SUMMED], *sum = width <= LANES_SUMMED ? few : y;
        for (size_t l = 0; sum == few && l < width; l++) sum[l] = y[l];
        for (size_t e = 0; e < (size_t)columns; e++)
            row_subtract(z, w, a + ((e * (size_t)rows + i) << z), x + ((size_t)column[e] + i) * width, sum);
        for (size_t l = 0; sum == few && l < width; l++) y[l] = sum[l];
    }
}

static size_t values_of(const runs *r, int k)
{
    return (size_t)(r->begin[k + 1] - r->begin[k]) * (size_t)(r->first[k + 1] - r->first[k]);
}

CHUNK_INLINE void subtract(int z, int w, const runs *r, const double *a, const double *x, double *out)
{
    const size_t width = (size_t)w << z;
    for (int k = 0; k < r->count; a += values_of(r, k++) << z)
        subtract_run(z, w, r->begin[k + 1] - r->begin[k], r->column + r->begin[k], r->first[k + 1] - r->first[k], a, x,
                     out + (size_t)r->first[k] * width);
}

CHUNK_INLINE void enlarge(int z, int w, const runs *r, const double *a, const double *x, double *out)
{
    const size_t width = (size_t)w << z;
    for (int k = 0; k < r->count; k++)
        for (int e = r->begin[k]; e < r->begin[k + 1]; e++)
            for (int i = r->first[k]; i < r->first[k + 1]; i++, a += (size_t)z + 1)
                row_enlarge(z, w, a, x + (size_t)(r->column[e] + i - r->first[k]) * width, out + (size_t)i * width);
}

CHUNK_INLINE void divide_run(int z, int w, int first, int end, const double *pivots, double *x)
{
    const size_t width = (size_t)w << z;
    for (int i = first; i < end; i++) row_scale(z, w, pivots + ((size_t)i << z), x + (size_t)i * width);
}

CHUNK_INLINE void solve(int z, int w, int upper, const runs *r, const double *a, const double *pivots, double *x)
{
    const size_t width = (size_t)w << z;
    if (upper) a += r->values << z;
    for (int s = 0; s < r->count; s++) {
        const int k = upper ? r->count - 1 - s : s, first = r->first[k], end = r->first[k + 1];
        if (upper) a -= values_of(r, k) << z;
        subtract_run(z, w, r->begin[k + 1] - r->begin[k], r->column + r->begin[k], end - first, a, x, x + (size_t)first * width);
        if (!upper) a += values_of(r, k) << z;
        if (pivots) divide_run(z, w, first, end, pivots, x);
    }
}

/* ---- a matrix ------------------------------------------------------------------------------------------------------------ */

void runs_subtract(const runs *r, int z, int w, const double *values, const double *x, double *out)
{
    LANES(subtract, z, w, r, values, x, out);
}

void runs_enlarge(const runs *r, int z, int w, const double *values, const double *x, double *out)
{
    LANES(enlarge, z, w, r, values, x, out);
}

void runs_solve(const runs *r, int upper, int z, int w, const double *values, const double *pivots, double *x)
{
    LANES(solve, z, w, upper, r, values, pivots, x);
}
