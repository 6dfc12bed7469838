/* problems.h - the shared set of problems for tests and benchmarks: nonlinear, smooth, not stiff, every product written by hand,
 * and beside each what is known about its solution. One file per problem; a new one is a file, a line here and a line in
 * problems.c. A problem whose size the caller chooses fills a `problem` of the caller's in the same way, outside the list. */
#ifndef COSTATE_PROBLEMS_H
#define COSTATE_PROBLEMS_H

#include <costate/costate.h>

typedef struct problem {
    const char *name;
    costate_problem prob;
    const double *y0; /* n; NULL: prob.init gives it */
    const double *p;  /* np; NULL if np = 0 */
    double t0, t1;

    /* What is known, for these y0 and p; NULL: nothing of the kind. */
    const char *source;
    double rtol_ref;              /* relative accuracy of the numbers below */
    const double *state;          /* n: y(t1) */
    const double *psi;            /* objectives */
    const double *dy0, *dp;       /* n, np: gradient of objective 0 */
    const double *direction, *hp; /* np, np: a direction of p, and the Hessian of objective 0 in p times it */
    const double *best;           /* np: parameters for which objective 0, a misfit, is at most best_psi */
    double best_psi;

    /* What is known for any y0 and p. */
    void (*exact)(double t, const double *y0, const double *p, double *y); /* the solution with y(t0) = y0 */
    /* The objectives and their gradients; dy0 is n x objectives, dp np x objectives. */
    void (*exact_gradient)(const double *y0, const double *p, double *psi, double *dy0, double *dp);
    /* Bit j: objective j is conserved, psi_j = terminal_j(t0, y0, p), so its derivatives are those of terminal and init at t0. */
    unsigned conserved;
} problem;

extern const problem problem_lotka_volterra;
extern const problem problem_van_der_pol_control_2;
extern const problem problem_van_der_pol_control_11;
extern const problem problem_duffing;
extern const problem problem_brusselator;
extern const problem problem_kepler;
extern const problem problem_logistic;

int problem_count(void);
const problem *problem_get(int i);             /* i = 0 .. count-1; NULL beyond */
const problem *problem_find(const char *name); /* NULL: no such problem */

#endif
