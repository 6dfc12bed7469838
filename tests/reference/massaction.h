/* massaction.h - chemical kinetics by the law of mass action, from a table of equations:
 *
 *     y' = sum_r S_r rho_r,   rho_r = k_r y_a y_b y_c,   k_r = factor_r p_(rate_r) phi(t)
 *
 * A reaction has at most three reactants (one that appears twice counts twice), S_r holds products minus reactants, and the
 * parameter and the time factor phi are there only where the table says so. Several reactions may share a parameter. */
#ifndef PROBLEMS_MASSACTION_H
#define PROBLEMS_MASSACTION_H

#include <costate/costate.h>

enum { NO_RATE = -1, UNTIMED = 0, TIMED = 1 };

typedef struct reaction {
    const char *equation; /* "A + 2 B = 0.3 C + D - E": names and numbers apart by blanks; what reacts has whole numbers */
    double factor;
    int rate;  /* parameter, or NO_RATE */
    int timed; /* TIMED: times phi(t) */
} reaction;
#define REACTION(equation, rate) {equation, 1, rate, UNTIMED} /* the common kind */

typedef void time_factor(double t, double phi[3]); /* phi and its first two derivatives */

/* A sparse matrix by rows. */
enum { MA_SPECIES = 32, MA_REACTIONS = 84, MA_TERMS = 420, MA_REACTANTS = 3 };
typedef struct stoichiometry {
    int rows;
    short start[MA_REACTIONS + 1], index[MA_TERMS];
    double value[MA_TERMS];
} stoichiometry;

/* The table, compiled. Reactions are sorted by order, then by length, so that loops over them run straight. */
typedef struct massaction {
    int n, np, reactions;
    time_factor *phi;                  /* NULL: nothing is TIMED */
    short first[MA_REACTANTS + 2];     /* reactions of order m are first[m] .. first[m+1]-1 */
    double factor[MA_REACTIONS];
    short rate[MA_REACTIONS], timed[MA_REACTIONS], in[MA_REACTIONS][MA_REACTANTS];
    stoichiometry by_species, by_reaction; /* S and its transpose */
    costate_format format;
    int colptr[MA_SPECIES + 1], rowind[MA_SPECIES * MA_SPECIES];
    short place[MA_REACTANTS * MA_TERMS]; /* where each part of each reaction goes in the Jacobian's values */
} massaction;

/* Compiles a table; species are names, as many as n. Returns -1 if an equation names another, is malformed, or does not fit. */
int massaction_compile(massaction *m, costate_format format, int n, const char *const *species, int np, int reactions,
                       const reaction *table, time_factor *phi);

/* Right-hand side, all its products and the Jacobian (dense or CSC), for any number of lanes. m must outlive it. */
costate_problem massaction_problem(massaction *m, const char *const *species, const char *const *params);

#endif
