/* extend.h - continuous extensions of implicit methods: y(t + theta h) = y + sum_i x_i(theta) v_i with x_i a polynomial, from
 * vectors v_i that the step solves for, so that the extension is as safe on stiff components as these are. Nothing in it
 * magnifies an error of y by h f_y, as slopes do.
 *
 * What is known of the v_i is a list of facts: number k says that v_i is made up of of[k][i] times some elementary differential
 * of degree degree[k], or, for components that f_y rules, of that many powers of h. The extension has theta^degree[k] times as
 * much of it as the new state, sum_i d_i v_i, does: the right amount if the new state has that. docs/theory.md (60) */
#ifndef COSTATE_METHOD_EXTEND_H
#define COSTATE_METHOD_EXTEND_H

enum { EXTEND_MOST = 64, EXTEND_FACTS = 5, EXTEND_DEGREE = 3 }; /* vectors, facts, degree of the polynomials */

typedef struct extend_facts {
    int count; /* in the order of their weight */
    int degree[EXTEND_FACTS];
    double of[EXTEND_FACTS][EXTEND_MOST];
} extend_facts;

typedef double extend_weights[EXTEND_MOST][EXTEND_DEGREE]; /* of theta, theta^2, theta^3 */

/* Facts of z_i = Y_i - y for a Runge-Kutta method with matrix a (s x s): c, A c, c^2, A c^2, A A c. */
void cst__extend_stages(int s, const double *a, const double *c, extend_facts *f);

/* The shortest x (m numbers, `columns` of them side by side) with <f.of[k], x> = target[k] for all k that are independent.
 * Returns the degree of the last of these. */
int cst__extend_fit(int m, const extend_facts *f, int columns, const double *target, double *x);

/* The extension that ends in weights d (m numbers). */
void cst__extend(int m, const extend_facts *f, const double *d, extend_weights x);

typedef struct costate_solver costate_solver;
static inline int extend_degree(const costate_solver *s)
{
    (void)s;
    return EXTEND_DEGREE;
}

static inline double extend_at(const double x[EXTEND_DEGREE], double theta)
{
    return theta * (x[0] + theta * (x[1] + theta * x[2]));
}

#endif
