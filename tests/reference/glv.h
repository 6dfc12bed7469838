/* glv.h - generalized Lotka-Volterra, GLV(N): n species that grow and interact, with n + n^2 parameters.
 *
 *     y_i' = y_i (r_i + sum_j A_ij y_j),   y_i(0) = 0.1,   t in [0, 10],   p = (r, A by rows)
 *
 * r_i = 0.1, A_ii = -1, the other A_ij normal with standard deviation 0.5/sqrt(n), from a fixed seed. No objectives: the
 * final states. Every derivative product is written by hand, for any number of lanes. */
#ifndef PROBLEMS_GLV_H
#define PROBLEMS_GLV_H

#include <costate/costate.h>

#define GLV_T1 10.0
#define GLV_MAX 2048 /* most species: the products keep a few blocks of a state on the stack */

typedef struct glv {
    int n; /* species, 1 .. GLV_MAX */
} glv;

/* The problem; the model must outlive its solvers. */
costate_problem glv_problem(glv *model);

/* The nominal parameters (n + n^2) and initial state (n). */
void glv_defaults(int n, double *p, double *y0);

/* s = r + A y, the growth rates of the species: what all products of one state share. */
void glv_growth(int n, const double *p, const double *y, double *s);

#endif
