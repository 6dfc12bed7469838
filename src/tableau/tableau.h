/* tableau.h - Runge-Kutta tables: the library's own (erk_tables.c and so on), their order conditions (order.c, ros_order.c),
 * and the check that every table passes before it is used (tableau.c). Nothing here allocates. */
#ifndef COSTATE_TABLEAU_H
#define COSTATE_TABLEAU_H

#include <costate/costate.h>

enum {
    TABLEAU_STAGES = 64, /* most stages of a table, f at the end of the step and those of its dense output together */
    TABLEAU_ROWS = 8,    /* most rows of dense output */
    TABLEAU_ORDER = 8,   /* highest order whose conditions are evaluated */
};

extern const costate_table tableau_erk[], tableau_ros[], tableau_sdirk[], tableau_firk[], tableau_bdf[];
extern const int tableau_erk_count, tableau_ros_count, tableau_sdirk_count, tableau_firk_count, tableau_bdf_count;

/* 0, or COSTATE_ERR_TABLE and the reason in why[0 .. size-1]: arrays missing, numbers not finite, not explicit, weights that do
 * not sum to what they must, a declared order whose conditions do not hold (looked at up to order 5), dense rows that spoil the
 * Hermite polynomial; for Rosenbrock methods, alpha and gamma that are not the row sums. */
int tableau_check(const costate_table *t, char *why, size_t size);

/* Where in its step stage i is, 0 .. 1: the row sum. */
double tableau_node(const costate_table *t, int i);

/* Largest violation, over all rooted trees of order 1 .. order (<= TABLEAU_ORDER), of the order conditions for the weights b. The
 * weights of the embedded solution are b - e. */
double tableau_order_defect(const costate_table *t, const double *b, int order);

/* A Rosenbrock table in the form of its order conditions: alpha and gamma (stages x stages), of which the table's alpha and gamma
 * are the row sums; and weights z on the table's stages as weights x on the stages of that form. */
void tableau_ros_standard(const costate_table *t, double *alpha, double *gamma);
void tableau_ros_row(const costate_table *t, const double *z, double *x);

/* Largest |sum_i d_mi Phi_i(tau)| over the same trees: zero up to the order to which row m of the dense output leaves H alone. */
double tableau_dense_defect(const costate_table *t, int m, int order);

/* The new state is the last stage, so that an algebraic equation that holds at the stages holds there. Of a Rosenbrock method,
 * whose stages do not solve equations, what comes closest: y+ = Y_s + k_s, with T_s the end of the step. */
int tableau_stiffly_accurate(const costate_table *t);

/* Number of rooted trees of exactly that order, counted by making them. */
int tableau_trees(int order);

#endif
