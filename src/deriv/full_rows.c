/* full_rows.c - see full_rows.h. The k longest rows are taken for which directions, as many as the next one has entries, and k
 * transposed products cost least together; if that is half of what it costs without. */
#include "deriv/full_rows.h"

#include <string.h>

enum { LONG = 16, TRANSPOSED = 3 }; /* entries below which nothing is to be gained; a transposed product in directions */

/* Entries above which a row is taken; n: none is. length: of each row; often: n + 1 ints of work. */
static int longest_kept(const int *length, int n, int *often)
{
    int most = 0, taken = 0, limit = n;
    memset(often, 0, ((size_t)n + 1) * sizeof *often);
    for (int i = 0; i < n; i++) {
        often[length[i]]++;
        most = length[i] > most ? length[i] : most;
    }
    if (most <= LONG) return n;
    int64_t least = most / 2;
    for (int kept = most; kept > 0; taken += often[kept], kept--) { /* rows of up to `kept` entries stay */
        const int64_t cost = kept + (int64_t)TRANSPOSED * taken;
        if (taken && cost <= least && often[kept]) least = cost - 1, limit = kept;
    }
    return limit;
}

/* Splits q: entries of rows longer than `limit` go to f, the others to its `rest`. number: of each row taken; -1: it stays. */
static void split(full_rows *f, const costate_pattern *q, int n, int *number)
{
    int *colptr = f->thin, *rowind = colptr + n + 1, at = 0;
    for (int j = 0; j < n; j++) {
        colptr[j] = at;
        for (int k = q->colptr[j]; k < q->colptr[j + 1]; k++) {
            const int r = number[q->rowind[k]];
            if (r < 0) {
                rowind[at++] = q->rowind[k];
                continue;
            }
            const int to = f->begin[r + 1]++; /* the end so far */
            f->column[to] = j;
            f->place[to] = k;
        }
    }
    colptr[n] = at;
    f->rest = (costate_pattern){.format = COSTATE_CSC, .colptr = colptr, .rowind = rowind};
}

int full_rows_open(full_rows *f, const costate_pattern *q, int n, const costate_allocator *a)
{
    int entries = 0, *length = cst__alloc(a, 3 * (size_t)n + 1, sizeof *length), *number = length + n, *often = number + n;
    *f = (full_rows){0};
    if (!length) return COSTATE_ERR_MEMORY;
    memset(length, 0, (size_t)n * sizeof *length);
    for (int k = 0; k < q->colptr[n]; k++) length[q->rowind[k]]++;
    const int limit = longest_kept(length, n, often);
    for (int i = 0; i < n; i++) {
        number[i] = length[i] > limit ? f->count++ : -1;
        if (length[i] > limit) entries += length[i];
    }
    const size_t rows = (size_t)f->count;
    if (rows) {
        f->memory = cst__alloc(a, 2 * rows + 2 + 2 * (size_t)entries, sizeof *f->memory);
        f->thin = cst__alloc(a, (size_t)n + 1 + (size_t)(q->colptr[n] - entries), sizeof *f->thin);
    }
    const int failed = rows && (!f->memory || !f->thin);
    if (failed) full_rows_close(f, a);
    else if (rows) {
        f->row = f->memory;
        f->begin = f->row + rows;
        f->column = f->begin + rows + 2;
        f->place = f->column + entries;
        int at = 0;
        for (int i = 0; i < n; i++) {
            if (number[i] < 0) continue;
            f->row[number[i]] = i;
            f->begin[number[i] + 1] = at; /* where it begins, which becomes where it ends */
            at += length[i];
        }
        f->begin[0] = 0;
        split(f, q, n, number);
    }
    cst__release(a, length);
    return failed ? COSTATE_ERR_MEMORY : 0;
}

void full_rows_settle(full_rows *f, const costate_allocator *a)
{
    cst__release(a, f->thin);
    f->thin = NULL;
}

void full_rows_close(full_rows *f, const costate_allocator *a)
{
    cst__release(a, f->memory);
    cst__release(a, f->thin);
    *f = (full_rows){0};
}
