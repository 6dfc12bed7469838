/* ros_order.c - a Rosenbrock table in the form of the order conditions (Hairer and Wanner, Solving ODEs II, IV.7).
 *
 *     k'_i = h f(y + sum_(j<i) alpha_ij k'_j) + h f_y sum_(j<=i) gamma_ij k'_j,   y1 = y + sum_i b_i k'_i
 *
 * costate_table has the stages k_i = sum_j gamma_ij k'_j instead, for which products with f_y drop out:
 *
 *     g = I/gamma_1 - Gamma^-1,   a = alpha Gamma^-1,   m = b Gamma^-1
 *
 * Gamma is lower triangular with gamma_1 all along its diagonal, so x = z Gamma solves x (I/gamma_1 - g) = z from the last
 * entry to the first:
 *
 *     x_j = gamma_1 (z_j + sum_(i>j) x_i g_ij) */
#include "tableau/tableau.h"

void tableau_ros_row(const costate_table *t, const double *z, double *x)
{
    int s = t->stages;
    for (int j = s - 1; j >= 0; j--) {
        double sum = z[j];
        for (int i = j + 1; i < s; i++) sum += x[i] * t->g[i * s + j];
        x[j] = t->gamma[0] * sum;
    }
}

void tableau_ros_standard(const costate_table *t, double *alpha, double *gamma)
{
    int s = t->stages;
    for (int i = 0; i < s; i++) {
        double unit[s];
        for (int j = 0; j < s; j++) unit[j] = i == j;
        tableau_ros_row(t, t->a + i * s, alpha + i * s);
        tableau_ros_row(t, unit, gamma + i * s);
    }
}
