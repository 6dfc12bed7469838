/* levels.c - see runs.h: a sparse matrix by rows, and the numbering of its unknowns by levels. */
#include "linsol/runs.h"

#include <string.h>

lists lists_columns(const pencil *p)
{
    return (lists){p->n, p->colptr, p->rowind, p->diag, NULL};
}

lists lists_rows(const pencil *p, int *at)
{
    const size_t n = (size_t)p->n, size = p->size;
    int *index = at + size, *begin = index + size, *diag = begin + n + 1;
    memset(begin, 0, (n + 1) * sizeof *begin);
    for (size_t k = 0; k < size; k++) begin[p->rowind[k] + 1]++;
    for (size_t i = 0; i < n; i++) begin[i + 1] += begin[i];
    for (int j = 0; j < p->n; j++)
        for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++) {
            const int i = p->rowind[k], to = begin[i]++;
            index[to] = j;
            at[to] = k;
            if (i == j) diag[i] = to;
        }
    memmove(begin + 1, begin, n * sizeof *begin);
    begin[0] = 0;
    return (lists){p->n, begin, index, diag, at};
}

/* One more than the largest level of those that unknown i is coupled with and that come before it. */
static int level_of(const lists *rows, int i, int least, const int *level)
{
    for (int k = rows->begin[i]; k < rows->diag[i]; k++)
        if (level[rows->index[k]] >= least) least = level[rows->index[k]] + 1;
    return least;
}

/* ---- kinds of unknowns --------------------------------------------------------------------------------------------------- */

enum { KINDS = 16, RARE = 32 }; /* those that one unknown in so many is of; the others, of borders, go with them */

/* A number for the pattern of a row relative to its diagonal. */
static unsigned shape_of(const lists *rows, int i)
{
    unsigned hash = 2166136261u;
    for (int k = rows->begin[i]; k < rows->begin[i + 1]; k++) hash = (hash ^ (unsigned)(rows->index[k] - i)) * 16777619u;
    return hash;
}

/* One unknown of each shape that is not rare; how many. table: shapes met, and how often, `size` of both: a power of two
 * above n. */
static int find_kinds(const lists *rows, int *table, int *often, unsigned size, int *kinds)
{
    int count = 0;
    memset(table, -1, size * sizeof *table);
    memset(often, 0, size * sizeof *often);
    for (int i = 0; i < rows->n; i++) {
        const unsigned hash = shape_of(rows, i);
        unsigned at = hash & (size - 1);
        while (table[at] >= 0 && shape_of(rows, table[at]) != hash) at = (at + 1) & (size - 1);
        if (table[at] < 0) table[at] = i;
        if (++often[at] == rows->n / RARE + 1 && count < KINDS) kinds[count++] = table[at];
    }
    return count;
}

/* Entries that rows i and j have at the same distance from the diagonal. */
static int shared(const lists *rows, int i, int j)
{
    int count = 0, k = rows->begin[i], m = rows->begin[j];
    while (k < rows->begin[i + 1] && m < rows->begin[j + 1]) {
        const int a = rows->index[k] - i, b = rows->index[m] - j;
        count += a == b;
        k += a <= b;
        m += b <= a;
    }
    return count;
}

/* The kind that shares most with unknown i. */
static int kind_of(const lists *rows, int i, int count, const int *kinds)
{
    int best = 0, most = -1;
    for (int k = 0; k < count; k++) {
        const int s = shared(rows, i, kinds[k]);
        if (s > most) best = k, most = s;
    }
    return best;
}

/* ---- the order ------------------------------------------------------------------------------------------------------------ */

/* out: the unknowns of `in` (NULL: as they come) by rising key, those of one key as they come. */
static void sort(int n, const int *in, const int *key, int *next, int *out)
{
    memset(next, 0, ((size_t)n + 1) * sizeof *next);
    for (int i = 0; i < n; i++) next[key[i] + 1]++;
    for (int l = 0; l < n; l++) next[l + 1] += next[l];
    for (int k = 0; k < n; k++) {
        const int i = in ? in[k] : k;
        out[next[key[i]]++] = i;
    }
}

int levels_find(const lists *columns, const lists *rows, int *order, int *level, const costate_allocator *a)
{
    const int n = columns->n;
    int kinds[KINDS];
    unsigned size = 2;
    while (size <= (unsigned)n) size *= 2;
    int *of = cst__alloc(a, 4 * (size_t)n + 1 + 2 * (size_t)size, sizeof *of);
    if (!of) return COSTATE_ERR_MEMORY;
    int *kind = of + n, *by_kind = kind + n, *next = by_kind + n, *table = next + n + 1;
    const int count = find_kinds(columns, table, table + size, size, kinds);
    for (int i = 0; i < n; i++) {
        of[i] = level_of(rows, i, level_of(columns, i, 0, of), of);
        kind[i] = kind_of(columns, i, count, kinds);
    }
    sort(n, NULL, kind, next, by_kind);
    sort(n, by_kind, of, next, order);
    for (int k = 0; k < n; k++) level[k] = of[order[k]];
    cst__release(a, of);
    return 0;
}
