/* full_rows.h - rows of a sparse Jacobian with many more entries than the others, as of a bath that all cells exchange with, or
 * of the supply of a circuit. Columns that share one cannot be evaluated together, so that it alone would take as many directions
 * as it has entries; transposed it takes one. Such rows come from vjp, and the columns are coloured without them. */
#ifndef COSTATE_DERIV_FULL_ROWS_H
#define COSTATE_DERIV_FULL_ROWS_H

#include "base/alloc.h"
#include "base/sparsity.h"

typedef struct full_rows {
    int count;           /* of rows; 0: there are none, and nothing below */
    int *row, *begin;    /* their entries are begin[r] .. begin[r+1] - 1 */
    int *column, *place; /* of each entry: its column, its value's place */
    costate_pattern rest; /* the pattern without those rows; gone after full_rows_settle */
    int *memory, *thin;
} full_rows;

/* Finds them in a CSC pattern. 0 or COSTATE_ERR_MEMORY. */
int full_rows_open(full_rows *f, const costate_pattern *q, int n, const costate_allocator *a);
void full_rows_settle(full_rows *f, const costate_allocator *a);
void full_rows_close(full_rows *f, const costate_allocator *a);

#endif
