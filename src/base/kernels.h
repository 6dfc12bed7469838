/* kernels.h - the few vector operations of a step, each one pass over memory. Element i of a result depends on elements i
 * alone and is computed in one fixed order, so results do not depend on alignment or on how the vectors are cut into blocks. */
#ifndef COSTATE_BASE_KERNELS_H
#define COSTATE_BASE_KERNELS_H

#include <stddef.h>
#include <stdint.h>

/* out = base + sum over k < m of c[k] v[k]; base NULL: no base. out may be base or one of the v. */
void cst__combine(size_t n, const double *base, int m, const double *c, const double *const *v, double *out);

/* out = sum over k < m of c[k] v[k], and then x += sum over k < count of u[k]: one pass, for vectors that are in both. x may
 * be one of the v. */
void cst__combine_and_add(size_t n, int m, const double *c, const double *const *v, double *out, int count,
                          const double *const *u, double *x);

/* Weighted root mean square of e = sum c[k] v[k] with weights unit/(atol + rtol max(|y|, |ynew|)); NaN if e or ynew has a value
 * that is not finite. unit NULL: ones. */
double cst__error_norm(size_t n, int m, const double *c, const double *const *v, const double *y, const double *ynew, double rtol,
                       const double *atol, const double *unit);

/* The same, and what min(n, KERNEL_PARTS) parts of the sequence contribute to it: their squares add up to that of the whole. */
enum { KERNEL_PARTS = 32 };
void cst__error_parts(size_t n, int m, const double *c, const double *const *v, const double *y, const double *ynew, double rtol,
                      const double *atol, const double *unit, double *whole, double *part);

/* The same for a block of w lanes, each lane by itself; the largest. atol and unit are per row, lane (NULL: ones) per lane. */
double cst__error_norm_lanes(size_t n, int w, int m, const double *c, const double *const *v, const double *y, const double *ynew,
                             double rtol, const double *atol, const double *unit, const double *lane);

/* Root mean square of x_i / (atol_i + rtol |y_i|). */
double cst__norm(size_t n, const double *x, const double *y, double rtol, const double *atol);

/* w_i = 1 / (atol_i + rtol |y_i|), and the sum of (w_i x_i)^2: for many norms at one y. */
void cst__weights(size_t n, const double *y, double rtol, const double *atol, double *w);
double cst__weighted_squares(size_t n, const double *w, const double *x);

int cst__all_finite(size_t n, const double *x);
int cst__first_not_finite(size_t n, const double *x, int *i); /* 0 if there is one: its place */
void cst__fill_nan(double *x, size_t count); /* x NULL: nothing to do */

/* Irregular numbers in [0.5, 1.5), the same in every run: sums of neighbours vanish in no pattern (splitmix64 of Steele, Lea and
 * Flood). */
double cst__irregular(uint64_t key);

#endif
