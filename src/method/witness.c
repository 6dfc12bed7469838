/* witness.c - see witness.h */
#include "method/witness.h"

#include <math.h>
#include <string.h>

enum { CANDIDATES = 12 };        /* slopes among which a witness is looked for */
static const double weak = 8;    /* error over estimate, on average, that is trusted */
static const double same = 1e-9; /* nodes that are no further apart */
static const double seen = 1e-3; /* of the largest weight: what counts as seeing a jump */

typedef struct gap { /* between nodes, where the estimate sees too little */
    double middle, error;
} gap;

static double beyond(const witness_slopes *q, const double *weight, double theta)
{
    double sum = 0;
    for (int i = 0; i < q->s; i++) sum += q->c[i] > theta ? weight[i] : 0;
    return sum;
}

/* The next node above x, up to 1. */
static double next_node(const witness_slopes *q, double x)
{
    double next = 1;
    for (int i = 0; i < q->s; i++)
        if (q->c[i] > x + same && q->c[i] < next) next = q->c[i];
    return next;
}

static int weak_gaps(const witness_slopes *q, gap *g)
{
    int count = 0;
    for (double lo = 0, hi; lo < 1 - same; lo = hi) {
        hi = next_node(q, lo);
        double middle = (lo + hi) / 2, share = beyond(q, q->b, middle);
        double first = 1 - lo - share, last = 1 - hi - share, sum = fabs(first) + fabs(last); /* err is linear in between */
        double mean = first * last >= 0 ? sum / 2 : (first * first + last * last) / (2 * sum);
        if (mean > weak * fabs(beyond(q, q->e, middle))) g[count++] = (gap){middle, fmax(fabs(first), fabs(last))};
    }
    return count;
}

/* d = 1 / product of (c_i - c_j): zero on polynomials of a degree below the number of nodes less one. Slope `without` is left
 * out. */
static void divided(const witness_slopes *q, int m, const int *at, int without, double *d)
{
    memset(d, 0, (size_t)q->s * sizeof *d);
    for (int i = 0; i < m; i++) {
        double product = 1;
        for (int j = 0; j < m; j++)
            if (j != i && at[j] != without) product *= q->c[at[i]] - q->c[at[j]];
        if (at[i] != without) d[at[i]] = 1 / product;
    }
}

/* With sum d_i (A c)_i = 0 besides: two of them, which leave out a slope each. */
static void divided_first_order(const witness_slopes *q, int m, const int *at, double *d)
{
    double other[WITNESS_MOST], a = 0, b = 0;
    divided(q, m, at, at[m - 1], d);
    divided(q, m, at, at[0], other);
    for (int i = 0; i < q->s; i++) {
        a += d[i] * q->ac[i];
        b += other[i] * q->ac[i];
    }
    for (int i = 0; i < q->s; i++) d[i] = b * d[i] - a * other[i];
}

/* Scales d so that it covers all gaps; its leading term, HUGE_VAL if there is one that it does not see. */
static double cover(const witness_slopes *q, int count, const gap *g, int powers, double *d)
{
    double most = 0, scale = 0, term = 0;
    for (int i = 0; i < q->s; i++) most = fmax(most, fabs(d[i]));
    for (int k = 0; k < count; k++) {
        double sees = fabs(beyond(q, d, g[k].middle));
        if (!(sees > seen * most)) return HUGE_VAL;
        scale = fmax(scale, g[k].error / sees);
    }
    for (int i = 0; i < q->s; i++) {
        d[i] *= scale;
        term += d[i] * pow(q->c[i], powers);
    }
    return fabs(term);
}

/* Slopes at different nodes that may be used; those with A c = c^2/2 alone. */
static int candidates(const witness_slopes *q, int second_order, int *at)
{
    int count = 0;
    for (int i = 0; i < q->s && count < CANDIDATES; i++) {
        int twin = q->idle[i] || (second_order && fabs(q->ac[i] - q->c[i] * q->c[i] / 2) > same);
        for (int j = 0; j < count; j++) twin |= fabs(q->c[at[j]] - q->c[i]) < same;
        if (!twin) at[count++] = i;
    }
    return count;
}

/* The best one over m slopes of those that may be used. */
static int search(const witness_slopes *q, int count, const gap *g, int powers, int m, int available, const int *at, double *d)
{
    double least = HUGE_VAL, x[WITNESS_MOST];
    for (unsigned set = 0; set < 1u << available; set++) {
        int chosen[CANDIDATES], k = 0;
        for (int i = 0; i < available; i++)
            if (set >> i & 1) chosen[k++] = at[i];
        if (k != m) continue;
        if (m == powers + 1) divided(q, m, chosen, -1, x);
        else divided_first_order(q, m, chosen, x);
        double term = cover(q, count, g, powers, x);
        if (!(term < least)) continue;
        least = term;
        memcpy(d, x, (size_t)q->s * sizeof *d);
    }
    return least < HUGE_VAL ? powers + 1 : 0;
}

int cst__witness(const witness_slopes *q, int k, double *d)
{
    gap g[WITNESS_MOST + 1];
    int at[CANDIDATES], available, order = 0, count = weak_gaps(q, g);
    memset(d, 0, (size_t)q->s * sizeof *d);
    if (!count) return 0;
    if (k > 3) {
        available = candidates(q, 1, at);
        if (available >= 4) order = search(q, count, g, 3, 4, available, at, d);
        available = candidates(q, 0, at);
        if (!order && available >= 5) order = search(q, count, g, 3, 5, available, at, d);
    }
    available = candidates(q, 0, at);
    return order || available < 3 ? order : search(q, count, g, 2, 3, available, at, d);
}
