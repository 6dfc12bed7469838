/* rank.c - see rank.h */
#include "core/rank.h"

#include "base/kernels.h"
#include "base/sparsity.h"
#include "linsol/blas.h"
#include "linsol/lapack.h"
#include "method/implicit.h"

#include <math.h>

enum { LARGEST = 500 };
static const double dependent = 1e-9; /* what is left of a column */

/* Nodes are the columns of F_v, 0 .. count - 1, and then its rows. */
typedef struct blocks {
    int count, from; /* slopes; the first of them among all states */
    int *root;       /* of every node */
    int *begin;      /* of every root its nodes in `nodes`, columns first; one more */
    int *nodes;
    int *place; /* of a row among those of its block */
    double *a, *tau, *work;
} blocks;

static int find(int *root, int i)
{
    while (root[i] != i) i = root[i] = root[root[i]];
    return i;
}

static void take_apart(const costate_solver *s, blocks *b)
{
    const int all = 2 * b->count;
    for (int i = 0; i < all; i++) b->root[i] = i;
    for (int j = 0; j < b->count; j++) {
        const pattern_column c = pattern_entries(&s->im->pattern, s->prob.n, b->from + j);
        for (int k = 0; k < c.count; k++)
            if (pattern_row(&c, k) >= b->from) b->root[find(b->root, j)] = find(b->root, b->count + pattern_row(&c, k) - b->from);
    }
    memset(b->begin, 0, (size_t)(all + 1) * sizeof *b->begin);
    for (int i = 0; i < all; i++) b->begin[find(b->root, i) + 1]++;
    for (int i = 0; i < all; i++) b->begin[i + 1] += b->begin[i];
    for (int i = all - 1; i >= 0; i--) { /* filled from behind, begin[r + 1] counting down to where r begins */
        const int r = find(b->root, i);
        b->nodes[--b->begin[r + 1]] = i;
    }
    for (int r = 0; r < all; r++) b->begin[r] = b->begin[r + 1];
    b->begin[all] = all;
}

/* A block (rows x columns), rows and then columns scaled to a largest entry of 1. */
static void gather(const costate_solver *s, blocks *b, const int *nodes, int rows, int columns)
{
    const size_t lead = (size_t)rows;
    for (int i = 0; i < rows; i++) b->place[nodes[columns + i] - b->count] = i;
    memset(b->a, 0, lead * (size_t)columns * sizeof *b->a);
    for (int j = 0; j < columns; j++) {
        const pattern_column c = pattern_entries(&s->im->pattern, s->prob.n, b->from + nodes[j]);
        for (int k = 0; k < c.count; k++)
            if (pattern_row(&c, k) >= b->from)
                b->a[(size_t)j * lead + (size_t)b->place[pattern_row(&c, k) - b->from]] = s->im->values[c.at + (size_t)k];
    }
    for (int scaled = 0; scaled < 2; scaled++)
        for (int i = 0; i < (scaled ? columns : rows); i++) {
            const size_t first = scaled ? (size_t)i * lead : (size_t)i, next = scaled ? 1 : lead;
            const size_t entries = (size_t)(scaled ? rows : columns);
            double most = 0;
            for (size_t k = 0; k < entries; k++) most = fmax(most, fabs(b->a[first + k * next]));
            for (size_t k = 0; k < entries && most > 0; k++) b->a[first + k * next] /= most;
        }
}

static void decompose(const costate_solver *s, blocks *b, const int *nodes, int rows, int columns, double *mass)
{
    const int room = 4 * columns + 1;
    int info = 0, order[LARGEST] = {0};
    gather(s, b, nodes, rows, columns);
    const int number = blas_calm();
    if (rows) dgeqp3_(&rows, &columns, b->a, &rows, order, b->tau, b->work, &room, &info);
    blas_as_before(number);
    for (int k = 0; k < columns; k++) {
        const double left = k < rows ? fabs(b->a[(size_t)k * (size_t)rows + (size_t)k]) : 0;
        if (!(left > dependent * fabs(b->a[0]))) mass[nodes[rows ? order[k] - 1 : k]] = 0;
    }
}

int cst__rank_slopes(costate_solver *s, double *mass)
{
    const int count = s->prob.slopes, most = count < LARGEST ? count : LARGEST;
    const size_t all = 2 * (size_t)count;
    blocks b = {.count = count, .from = s->prob.n - count};
    b.root = cst__alloc(&s->alloc, 4 * all + 1, sizeof *b.root);
    b.a = cst__alloc(&s->alloc, (size_t)most * (size_t)most + 5 * (size_t)most + 1, sizeof *b.a);
    const int status = b.root && b.a ? 0 : cst__fail(s, COSTATE_ERR_MEMORY, "consistent initial values of %d states", s->prob.n);
    if (!status) {
        b.begin = b.root + all, b.nodes = b.begin + all + 1, b.place = b.nodes + all;
        b.tau = b.a + (size_t)most * (size_t)most, b.work = b.tau + most;
        take_apart(s, &b);
        for (size_t r = 0; r < all; r++) {
            const int *nodes = b.nodes + b.begin[r];
            int columns = 0, size = b.begin[r + 1] - b.begin[r];
            while (columns < size && nodes[columns] < count) columns++;
            if (columns && columns <= LARGEST && size - columns <= LARGEST)
                decompose(s, &b, nodes, size - columns, columns, mass);
        }
    }
    cst__release(&s->alloc, b.a);
    cst__release(&s->alloc, b.root);
    return status;
}
