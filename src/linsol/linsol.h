/* linsol.h - linear solvers behind one table: systems with A = (re + i im) M - J, for a Jacobian J and a mass matrix M of fixed
 * patterns; without one M is the identity.
 *
 * Legal order: open; then factor and solve as often as wanted, on the slots asked for at open; close. A slot keeps its factors
 * until the next factor on it. Right-hand sides are blocks (n x w, lanes innermost) and are overwritten by the solution; a slot
 * that was factored with `cplx` takes blocks of pairs (real part, imaginary part): x[2*(i*w + l)], x[2*(i*w + l) + 1].
 *
 * Factors depend only on the matrix and on the first matrix factored since `restart`, never on what came between: a step that
 * is computed again finds the same factors. (Back ends that reuse pivots take the order of that first matrix, the first real
 * one for real matrices and the first complex one for complex ones, and pivot afresh, for a matrix alone, where it would be
 * unstable.)
 *
 * Threads: none of the back ends starts any, and a handle is used by one at a time; BLAS and LAPACK are kept to that one, too
 * (blas.h). */
#ifndef COSTATE_LINSOL_H
#define COSTATE_LINSOL_H

#include "base/alloc.h"

#include <costate/costate.h>

/* Positive, so that a step is tried again with another h. No status codes, and unlike a callback's return values. */
enum {
    LINSOL_SINGULAR = 2001,      /* a pivot is zero */
    LINSOL_NOT_CONVERGED = 2002, /* GMRES: not within the iterations allowed */
    LINSOL_NOT_FINITE = 2003,    /* J, M or the shift has a value that is not finite */
    LINSOL_CALLBACK = 2004       /* a function of the user's failed: linsol_said has its name and what it returned */
};

typedef struct linsol_said {
    const char *who;
    int code;
    int n; /* equations, if open refused them */
} linsol_said;

typedef struct linsol_ops linsol_ops;

/* J as an operator, for matrix-free solvers: out = J x, or J^T x, on blocks. All three return 0, or what GMRES is to return
 * then. */
typedef struct linsol_operator {
    int (*apply)(void *ctx, int transposed, int w, const double *x, double *out);
    /* x becomes the preconditioner's answer for slot `slot` (real blocks); NULL: none */
    int (*precondition)(void *ctx, int slot, int transposed, int w, double *x);
    /* a matrix (re + i im) M - J is about to be solved with on that slot */
    int (*prepare)(void *ctx, int slot, double re, double im);
    void *ctx;
} linsol_operator;

/* M. Its pattern is fixed, of any format, whatever J's is; a diagonal is a band of lower = upper = 0. The values are read anew by
 * every `factor` (matrix-free solvers: by every solve, as J is), so that they, and the pointer, may change in between. M may be
 * singular. */
typedef struct linsol_mass {
    costate_pattern pattern;
    const double *values; /* laid out as those of a Jacobian */
} linsol_mass;

typedef struct linsol_config {
    int n;
    costate_pattern pattern; /* of J */
    const linsol_mass *mass; /* must outlive the solver; NULL: the identity */
    int slots;
    const double *scale; /* n sizes of the unknowns, read by `factor`: what "ilu" measures residuals in; NULL: all are alike */
    costate_allocator alloc;
    linsol_operator op;  /* for matrix-free solvers */
    double tol;          /* GMRES: relative residual */
    int restart, most;   /* GMRES: length of the basis, at least 1; most iterations */
    const costate_linear_solver *own; /* a user's solver, instead of any by name; NULL: none */
    int cplx;            /* own: complex matrices will come */
    double solutions;    /* about how many there will be with a matrix; 0: not known */
    linsol_said *said;   /* own: where LINSOL_CALLBACK is explained */
    int alone;           /* klu: factors depend on the matrix alone, whatever was factored before; no pivots are reused */
} linsol_config;

/* A back end. All return 0, LINSOL_SINGULAR, COSTATE_ERR_MEMORY or another COSTATE_ERR_... */
struct linsol_ops {
    const char *name;    /* as in option linsol */
    const char *package; /* Debian package it needs; NULL: always there */
    int matrix_free;     /* 1: `jac` of factor is NULL */
    int formats;         /* bit 1 << costate_format: patterns it takes, of J and M together */
    int (*open)(void **self, const linsol_config *c);
    void (*close)(void *self);
    void (*restart)(void *self); /* a new run: forget the pivot order; NULL: nothing to forget */
    int (*follow)(void *self, const void *other); /* take the pivot order of another one's run, same pattern; NULL: no need */
    int (*factor)(void *self, int slot, int cplx, double re, double im, const double *jac);
    int (*solve)(void *self, int slot, int transposed, int w, double *x);
    /* What iterates has these two, or NULL. A correction of Newton's method, to three digits of the residual, which it is
     * computed from anew; and whether the factors in a slot cost no more than a solution or two, so that none need be kept. */
    int (*correct)(void *self, int slot, double *x);
    int (*light)(const void *self, int slot);
};

/* A back end whose `open` is NULL was built without what it needs. */
extern const linsol_ops linsol_dense, linsol_band, linsol_klu, linsol_superlu, linsol_gmres, linsol_ilu, linsol_own;

/* What a factorization costs an opened "klu", by its analysis: operations, and entries of the factors. */
void linsol_klu_cost(const void *self, double *operations, double *entries);

/* Solutions of an opened "gmres" end, from now on, with one cycle: when its own recursion for the residual says that it is below
 * tol, which the caller is to look into. */
void linsol_gmres_once(void *self, double tol);

/* An opened solver of any back end. */
typedef struct linsol {
    const linsol_ops *ops;
    const char *name; /* of the back end, or the user's own */
    void *self;
    linsol_config config;
    double operations; /* of a factorization, by the pattern; 0: not known */
    double entries;    /* of the factors, likewise */
} linsol;

/* linsol.c. name "auto" chooses by the pattern that J and M have together: dense; band where it is narrow; and for a sparse one,
 * by what factoring it costs, klu, superlu if dense blocks pay, or dense. why (size bytes) receives the reason of a refusal: an
 * unknown name with the valid ones, a back end that is not installed with its package, a pattern that it does not take, a user's
 * solver that lacks a function; those are COSTATE_ERR_LINSOL. A pattern of M that does not fit n is COSTATE_ERR_PATTERN. */
int linsol_open(linsol *l, const char *name, const linsol_config *c, char *why, size_t size);
void linsol_close(linsol *l);
/* For a sparse or banded pattern: complete factors that depend on the matrix alone, whatever was factored before. */
int linsol_open_complete(linsol *l, const linsol_config *c);
const linsol_ops *linsol_find(const char *name); /* NULL: not known, or not installed */
const char *linsol_names(void);                  /* "dense, band, klu, ..." */

/* 1: all entries are finite (the corners of a band are none). */
int linsol_finite(const costate_pattern *q, int n, const double *values);

/* out = M x or M^T x on blocks of w lanes; out is not x. m NULL: a copy. */
void linsol_mass_apply(const linsol_mass *m, int n, int transposed, int w, const double *x, double *out);

#endif
