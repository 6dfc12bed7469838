/* order.c - order conditions over all rooted trees (Butcher; Hairer, Norsett and Wanner, Solving ODEs I, II.2).
 *
 * A tree tau is a root that carries subtrees tau_1 .. tau_m, all smaller. With
 *
 *     Phi_i(tau) = prod_j sum_k a_ik Phi_k(tau_j),    gamma(tau) = |tau| prod_j gamma(tau_j),    |tau| = 1 + sum_j |tau_j|
 *
 * weights b are of order q exactly if sum_i b_i Phi_i(tau) = 1/gamma(tau) for every tree of at most q nodes.
 *
 * Rosenbrock methods (Hairer and Wanner, Solving ODEs II, IV.7) have the same trees. Where a root carries one subtree, f_y
 * meets the stage itself, and alpha_ik + gamma_ik stands for a_ik; where it carries several, alpha_ik does.
 *
 * The trees of order 1, 2, ... are made in turn: a root takes subtrees out of those already made, with falling number, so that
 * every multiset of subtrees comes up once. The stages may be the step's alone, or those of the dense output as well. */
#include "tableau/tableau.h"

#include <math.h>

enum { KEPT = 85 }; /* trees of order 1 .. TABLEAU_ORDER - 1: 1 + 1 + 2 + 4 + 9 + 20 + 48 */

typedef struct forest {
    const costate_table *t;
    const double *sole;    /* columns x columns: what stands for A where a root carries one subtree; NULL: A */
    int columns;           /* stages: t->stages, or with those of the dense output */
    const double *weights; /* columns */
    double target;         /* sum_i weights_i Phi_i is compared with target / gamma */
    int order, highest;    /* of the trees being made, of those to be made last */
    int made;              /* trees of that order so far */
    double defect;         /* largest so far */
    int count;             /* trees kept as subtrees for larger ones */
    int size[KEPT];
    double gamma[KEPT];
    double *branch; /* KEPT x columns: sum_k a_ik Phi_k of the kept ones */
    double *only;   /* the same with `sole`; is `branch` if there is none */
} forest;

/* Row i of A, continued: the step's stages, then f(t + h, y1), whose row is b, then the further stages. */
static const double *row(const costate_table *t, int i, int *length)
{
    int s = t->stages, columns = s + 1 + t->dense_stages;
    *length = i <= s ? s : columns;
    return i < s ? t->a + i * s : i == s ? t->b : t->dense_a + (i - s - 1) * columns;
}

/* A tree is complete: its condition, and its branch if larger trees will want it. */
static void finish(forest *f, const double *phi, double gamma)
{
    double sum = 0;
    for (int i = 0; i < f->columns; i++) sum += f->weights[i] * phi[i];
    double defect = fabs(sum - f->target / gamma);
    if (!(defect <= f->defect)) f->defect = defect;
    f->made++;
    if (f->order == f->highest) return;
    double *branch = f->branch + f->count * f->columns;
    for (int i = 0; i < f->columns; i++) {
        int length;
        const double *a = row(f->t, i, &length);
        branch[i] = 0;
        for (int k = 0; k < length; k++) branch[i] += a[k] * phi[k];
        if (!f->sole) continue;
        double *only = f->only + f->count * f->columns;
        only[i] = 0;
        for (int k = 0; k < f->columns; k++) only[i] += f->sole[i * f->columns + k] * phi[k];
    }
    f->size[f->count] = f->order;
    f->gamma[f->count++] = gamma;
}

/* All ways to complete a tree that has Phi = phi and lacks `left` nodes, by subtrees numbered `last` or lower. */
static void grow(forest *f, int left, int last, const double *phi, double gamma)
{
    if (left == 0) {
        finish(f, phi, gamma);
        return;
    }
    for (int j = last; j >= 0; j--) {
        if (f->size[j] > left) continue;
        double grown[f->columns];
        const double *branch = (left == f->order - 1 && f->size[j] == left ? f->only : f->branch) + j * f->columns;
        for (int i = 0; i < f->columns; i++) grown[i] = phi[i] * branch[i];
        grow(f, left - f->size[j], j, grown, gamma * f->gamma[j]);
    }
}

/* Makes all trees up to the order; *made is the number of those of exactly that order. */
static double evaluate(const costate_table *t, const double *sole, int columns, const double *weights, double target, int order,
                       int *made)
{
    double branch[KEPT * columns], only[sole ? KEPT * columns : 1], one[columns];
    forest f = {
        .t = t, .sole = sole, .columns = columns, .weights = weights, .target = target, .highest = order, .branch = branch};
    f.only = sole ? only : branch;
    for (int i = 0; i < columns; i++) one[i] = 1;
    for (f.order = 1; f.order <= order; f.order++) {
        f.made = 0;
        grow(&f, f.order - 1, f.count - 1, one, f.order);
    }
    *made = f.made;
    return f.defect;
}

static int clamp(int order)
{
    return order < 1 ? 1 : order > TABLEAU_ORDER ? TABLEAU_ORDER : order;
}

double tableau_order_defect(const costate_table *t, const double *b, int order)
{
    int made, s = t->stages;
    if (t->family != COSTATE_ROS) return evaluate(t, NULL, s, b, 1, clamp(order), &made);
    double alpha[s * s], beta[s * s], weights[s];
    tableau_ros_standard(t, alpha, beta);
    tableau_ros_row(t, b, weights);
    for (int i = 0; i < s * s; i++) beta[i] += alpha[i];
    return evaluate(&(costate_table){.stages = s, .a = alpha}, beta, s, weights, 1, clamp(order), &made);
}

double tableau_dense_defect(const costate_table *t, int m, int order)
{
    int made, columns = t->stages + 1 + t->dense_stages;
    return evaluate(t, NULL, columns, t->dense_d + m * columns, 0, clamp(order), &made);
}

int tableau_trees(int order)
{
    static const double zero = 0;
    costate_table one = {.stages = 1, .a = &zero, .b = &zero};
    int made;
    evaluate(&one, NULL, 1, &zero, 1, clamp(order), &made);
    return made;
}
