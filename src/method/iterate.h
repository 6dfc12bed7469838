/* iterate.h - linear systems (shift M - f_y(t, y)) x = b, or transposed, iterated on factors of a matrix that is near. */
#ifndef COSTATE_METHOD_ITERATE_H
#define COSTATE_METHOD_ITERATE_H

#include "method/implicit.h"

enum { ITERATE_KEPT = 3, ITERATE_WORK = 2 + 2 * ITERATE_KEPT }; /* directions kept, vectors of work a lane */

typedef struct iterated_system {
    double t, shift;
    const double *y;
    const double *unit;  /* n: a state, of whose tolerances components are measured in */
    const double *guess; /* n x w: where x begins; NULL: at 0 */
} iterated_system;

/* On the factors in `slot`, which are there. x: b in, and x out if it converged, else b still; work: ITERATE_WORK n w. Returns
 * what products and solvers do. */
int cst__iterate(costate_solver *s, const iterated_system *q, int slot, int transposed, int w, double *x, double *work,
                 int *converged);

#endif
