/* colour.c - see colour.h. CSC is coloured greedily: columns in some order, each gets the first colour that none of its rows has
 * seen. The natural order suits grids and bands, the one with the busiest columns first irregular patterns; the better counts.
 *
 * Rows keep the list of colours they have seen, so a column is compared with those coloured before it only; all in all that is
 * at most half the sum over the rows of (entries of the row)^2. */
#include "deriv/colour.h"

#include <stdio.h>
#include <string.h>

typedef struct rows { /* seen[begin[i]] .. seen[begin[i + 1] - 1] is row i's list of colours; the first held[i] are there */
    int *begin, *held, *seen;
} rows;

/* Returns the entries of the fullest row. */
static int count_rows(const costate_pattern *q, int n, rows r)
{
    int most = 0;
    memset(r.begin, 0, ((size_t)n + 1) * sizeof *r.begin);
    for (int e = 0; e < q->colptr[n]; e++) r.begin[q->rowind[e] + 1]++;
    for (int i = 0; i < n; i++) {
        if (r.begin[i + 1] > most) most = r.begin[i + 1];
        r.begin[i + 1] += r.begin[i];
    }
    return most;
}

/* How many neighbours column j has, those it meets in several rows counted again; at most n - 1. */
static int busy(const costate_pattern *q, int n, rows r, int j)
{
    int neighbours = 0;
    for (int e = q->colptr[j]; e < q->colptr[j + 1]; e++) {
        int i = q->rowind[e], others = r.begin[i + 1] - r.begin[i] - 1;
        if (others >= n - 1 - neighbours) return n - 1;
        neighbours += others;
    }
    return neighbours;
}

/* Columns by falling number of neighbours, in natural order where that is equal. place: n ints of scratch. */
static void busiest_first(const costate_pattern *q, int n, rows r, int *order, int *place)
{
    memset(place, 0, (size_t)n * sizeof *place);
    for (int j = 0; j < n; j++) place[busy(q, n, r, j)]++;
    for (int b = n - 1, before = 0; b >= 0; b--) {
        int here = place[b];
        place[b] = before;
        before += here;
    }
    for (int j = 0; j < n; j++) order[place[busy(q, n, r, j)]++] = j;
}

/* colour[j] for all columns in the given order; returns how many. mark: n ints of scratch. */
static int first_fit(const costate_pattern *q, int n, rows r, const int *order, int *colour, int *mark)
{
    int colours = 0;
    memset(r.held, 0, (size_t)n * sizeof *r.held);
    for (int s = 0; s < n; s++) {
        int j = order[s], c = 0;
        for (int e = q->colptr[j]; e < q->colptr[j + 1]; e++) {
            const int *seen = r.seen + r.begin[q->rowind[e]], *end = seen + r.held[q->rowind[e]];
            while (seen < end) mark[*seen++] = j;
        }
        while (c < colours && mark[c] == j) c++;
        if (c == colours) mark[colours++] = -1;
        colour[j] = c;
        for (int e = q->colptr[j]; e < q->colptr[j + 1]; e++) {
            int i = q->rowind[e];
            r.seen[r.begin[i] + r.held[i]++] = c;
        }
    }
    return colours;
}

/* ---- groups ---- */

size_t colour_work(const costate_pattern *q, int n)
{
    return q->format == COSTATE_CSC ? 6 * (size_t)n + 1 + (size_t)q->colptr[n] : 0;
}

static void group(int n, int colours, const int *colour, int *start, int *member)
{
    memset(start, 0, ((size_t)n + 1) * sizeof *start);
    for (int j = 0; j < n; j++) start[colour[j]]++;
    for (int c = 0; c < colours; c++) start[c + 1] += start[c]; /* ends, which the filling from behind turns into starts */
    for (int j = n - 1; j >= 0; j--) member[--start[colour[j]]] = j;
}

static int colour_csc(const costate_pattern *q, int n, int *start, int *member, int *work)
{
    int *colour = work, *other = colour + n, *order = other + n, *mark = order + n, *held = mark + n, *begin = held + n;
    rows r = {begin, held, begin + n + 1};
    int most = count_rows(q, n, r);
    for (int j = 0; j < n; j++) order[j] = j;
    int colours = first_fit(q, n, r, order, colour, mark);
    if (colours > most) { /* else there is nothing to gain */
        busiest_first(q, n, r, order, mark);
        int fewer = first_fit(q, n, r, order, other, mark);
        if (fewer < colours) {
            colours = fewer;
            colour = other;
        }
    }
    group(n, colours, colour, start, member);
    return colours;
}

/* Columns of a band that are its width apart share no row, and in a dense Jacobian there is only one of each kind. */
int colour_columns(const costate_pattern *q, int n, int *start, int *member, int *work)
{
    if (q->format == COSTATE_CSC) return colour_csc(q, n, start, member, work);
    int colours = q->format == COSTATE_BANDED && q->lower < n - q->upper ? q->lower + q->upper + 1 : n;
    for (int c = 0, m = 0; c < colours; c++) {
        start[c] = m;
        for (int64_t j = c; j < n; j += colours) member[m++] = (int)j;
    }
    start[colours] = n;
    return colours;
}
