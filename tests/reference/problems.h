/* problems.h - the problems of problems/ with every product written by hand, as a reference, and beside each what is
 * known about its solution. One file per problem; a new one is a file, a line here and a line in problems.c or stiff.c. A
 * problem whose size the caller chooses is made and freed by the caller, outside the lists. */
#ifndef COSTATE_PROBLEMS_H
#define COSTATE_PROBLEMS_H

#include <costate/costate.h>

/* dy_state(t1)/dp_param */
typedef struct sensitivity {
    int state, param;
    double value;
} sensitivity;

typedef struct problem {
    const char *name;
    costate_problem prob;
    const double *y0; /* n; NULL: prob.init gives it */
    const double *p;  /* np; NULL if np = 0 */
    double t0, t1;
    const double *scale; /* n: the absolute tolerance of component i is scale[i] times the relative one; NULL: 1 for all */

    /* What is known, for these y0 and p; NULL: nothing of the kind. */
    const char *source;
    double rtol_ref;              /* relative accuracy of the numbers below */
    const double *state;          /* n: y(t1) */
    const double *psi;            /* objectives */
    const double *dy0, *dp;       /* n, np: gradient of objective 0; without objectives, of the final y_0 */
    const double *direction, *hp; /* np, np: a direction of p, and the Hessian of objective 0 in p times it */
    const double *best;           /* np: parameters for which objective 0, a misfit, is at most best_psi */
    double best_psi;
    int samples;                  /* some components of y(t1), where the state is long: y_(sampled[i]) = sample[i] */
    const int *sampled;
    const double *sample;
    int sensitivities; /* some dy_i(t1)/dp_k */
    const sensitivity *dstate;
    const double *dps, *hps; /* np x objectives: like dp and hp, for every objective */

    /* What is known for any y0 and p. */
    void (*exact)(double t, const double *y0, const double *p, double *y); /* the solution with y(t0) = y0 */
    /* The objectives and their gradients; dy0 is n x objectives, dp np x objectives. */
    void (*exact_gradient)(const double *y0, const double *p, double *psi, double *dy0, double *dp);
    /* Bit j: objective j is conserved, psi_j = terminal_j(t0, y0, p), so its derivatives are those of terminal and init at t0. */
    unsigned conserved;
} problem;

/* ---- nonlinear, smooth, not stiff -------------------------------------------------------------------------------------- */

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

/* ---- stiff ------------------------------------------------------------------------------------------------------------- */

/* Compiled or filled in on first use, from any thread. */
const problem *stiff_robertson(void);
const problem *stiff_hires(void);
const problem *stiff_pollu(void);
const problem *stiff_e5(void);
const problem *stiff_van_der_pol_mu(void); /* the initial state depends on the parameter */
const problem *stiff_van_der_pol_3(void);  /* 1/eps = 1e6, 1e8, 1e10, 1e12 */
const problem *stiff_van_der_pol_4(void);
const problem *stiff_van_der_pol_5(void);
const problem *stiff_van_der_pol_6(void);
const problem *stiff_ring_modulator(void);
const problem *stiff_cbm4(void);
const problem *stiff_cbm4_rates(void);

int stiff_count(void);
const problem *stiff_get(int i);             /* i = 0 .. count-1; NULL beyond */
const problem *stiff_find(const char *name); /* NULL: no such problem */

/* ---- stiff, of any size ------------------------------------------------------------------------------------------------ */

/* NULL: no memory, or a size below the least. Free with problem_free. Samples are there for the size named. */
problem *brusselator_1d(int cells);   /* 2 cells states, cells >= 2; known: 500 */
problem *brusselator_2d(int m);       /* 2 m^2 states, m >= 3; known: 71 */
problem *heat_diffusivity(int m);     /* m^2 states, m >= 3: all points of the grid; those on the rim stay as they are */
problem *heat_two_modes(int m);       /* m^2 states, m >= 3: the inner points of the grid */
problem *heat_many_parameters(int m); /* (m+2)^2 states, m >= 1, and 2 parameters more */
problem *shallow_water(int m);        /* 3 m^2 states, m >= 5; known: 40 */
void problem_free(problem *q);        /* NULL is fine */

#define SHALLOW_WATER_UNIT 2.1573758800627289e-3 /* the t1 of shallow water is 5 of these; forward runs go to 50 */

#endif
