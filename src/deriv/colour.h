/* colour.h - the columns of a pattern in groups that can be evaluated together.
 *
 * Columns that share no row do not mix: one direction, the sum of their unit vectors, gives the entries of all of them. To have
 * few groups is a colouring problem: columns are vertices, neighbours if they share a row (distance 2 in the bipartite graph of
 * rows and columns). No colouring has fewer colours than the fullest row has entries. */
#ifndef COSTATE_DERIV_COLOUR_H
#define COSTATE_DERIV_COLOUR_H

#include "base/sparsity.h"

/* Returns the number of colours, 1 .. n. The columns of colour c are member[start[c]] .. member[start[c + 1] - 1], rising. start
 * has room for n + 1 ints, member for n, work for colour_work(q, n). */
int colour_columns(const costate_pattern *q, int n, int *start, int *member, int *work);
size_t colour_work(const costate_pattern *q, int n);

#endif
