/* sparsity.c - see sparsity.h */
#include "base/sparsity.h"

#include <stdio.h>

#define REFUSE(...) return snprintf(why, size, __VA_ARGS__), COSTATE_ERR_PATTERN

static int check_csc(const costate_pattern *q, int n, char *why, size_t size)
{
    const int *colptr = q->colptr, *rowind = q->rowind;
    if (!colptr) REFUSE("CSC: colptr is NULL");
    if (colptr[0] != 0) REFUSE("CSC: colptr[0] = %d, not 0", colptr[0]);
    for (int j = 0; j < n; j++)
        if (colptr[j + 1] < colptr[j]) REFUSE("CSC: column %d ends at %d, before its start %d", j, colptr[j + 1], colptr[j]);
    if (!rowind && colptr[n] > 0) REFUSE("CSC: rowind is NULL");
    for (int j = 0; j < n; j++)
        for (int e = colptr[j]; e < colptr[j + 1]; e++) {
            if (rowind[e] < 0 || rowind[e] >= n) REFUSE("CSC: column %d has row %d, outside 0 .. %d", j, rowind[e], n - 1);
            if (e > colptr[j] && rowind[e] <= rowind[e - 1])
                REFUSE("CSC: column %d has row %d after row %d, rows must rise", j, rowind[e], rowind[e - 1]);
        }
    return COSTATE_OK;
}

int pattern_check(const costate_pattern *q, int n, char *why, size_t size)
{
    switch (q->format) {
    case COSTATE_DENSE: return COSTATE_OK;
    case COSTATE_CSC: return check_csc(q, n, why, size);
    case COSTATE_BANDED:
        if (q->lower < 0 || q->lower >= n) REFUSE("banded: lower = %d, outside 0 .. %d", q->lower, n - 1);
        if (q->upper < 0 || q->upper >= n) REFUSE("banded: upper = %d, outside 0 .. %d", q->upper, n - 1);
        return COSTATE_OK;
    }
    REFUSE("format %d is none of dense, banded and CSC", (int)q->format);
}

size_t pattern_values(const costate_pattern *q, int n)
{
    if (q->format == COSTATE_CSC) return (size_t)q->colptr[n];
    return (size_t)n * (q->format == COSTATE_DENSE ? (size_t)n : (size_t)q->lower + (size_t)q->upper + 1);
}
