/* firk.h - fully implicit Runge-Kutta methods of three stages: what firk*.c share. */
#ifndef COSTATE_METHOD_FIRK_H
#define COSTATE_METHOD_FIRK_H

#include "method/extend.h"
#include "method/implicit.h"
#include "method/newton.h"
#include "method/witness.h"

enum { FIRK_STAGES = 3 };

typedef double firk_matrix[FIRK_STAGES][FIRK_STAGES];

/* How ((1/h) A^-1 (x) I - I (x) J) d = F - (1/h) A^-1 x, or its transpose, falls apart into a real system with gamma/h I - J
 * for q_1 and a complex one with (alpha + i beta)/h I - J for q_2 + i q_3:   q = f F + (1/h) x x,   solve,   d = back q. */
typedef struct firk_map {
    firk_matrix f, x, back;
} firk_map;

/* The exact stage matrix I - (h a_ij J_i), of 3n rows: component r of stage i is row 3r + i, so that a band stays one. */
typedef struct firk_coupled {
    linsol ls;      /* opened when first needed */
    int *colptr;    /* CSC: column starts, then rows */
    linsol_mass mass; /* M for every stage, if there is one */
    double *jac;    /* J_i */
    double *values; /* h a_ij D^-1 J_i D */
    int64_t key;    /* the step whose matrix is factored, */
    double h;       /* and its size; 0: none */
} firk_coupled;

typedef struct firk {
    firk_matrix a;
    double b[FIRK_STAGES], c[FIRK_STAGES];
    double d[FIRK_STAGES];     /* b^T A^-1: y+ = y + sum d_i z_i */
    double gamma, alpha, beta; /* eigenvalues of A^-1: gamma, alpha +- i beta */
    firk_map plain, transposed;
    double e0, e[FIRK_STAGES], e1; /* estimate e0 h f_0 + sum e_i z_i + e1 h f(tn, y+), to be filtered */
    double watch0, watch[FIRK_STAGES], watch1; /* of the witness, likewise, with f(t, y) */
    int witness;                               /* its order */
    double node;                   /* f_0 is f at t + node h: 0, or between the ends where y is mid_0 y + sum mid_i Y_i */
    double mid[1 + FIRK_STAGES];
    int distinct;             /* the nodes are: a polynomial goes through the stages */
    double peak[FIRK_STAGES]; /* one over the product of a stage's distances from the other nodes */
    extend_weights dense;     /* of the z_i */

    implicit im;   /* slots: 0 real, 1 complex */
    double h;      /* of the factors; 0: none */
    int64_t tried; /* the step last attempted */
    double theta;  /* convergence of that attempt */
    firk_coupled coupled;

    double *memory;
    double *z[FIRK_STAGES], *f[FIRK_STAGES]; /* n: z_i = Y_i - y, f at the stages and then Newton's correction */
    double *q, *err, *spare;                 /* 3n: q_1, then pairs (q_2, q_3); n: the estimate; n */
    double *weights;                         /* n: those of Newton's corrections */
} firk;

static inline double firk_time(const firk *m, const step *st, int i)
{
    return step_time(st, m->c[i]);
}

/* A stage is there. */
static inline int firk_among(const firk *m, double node)
{
    return m->c[0] == node || m->c[1] == node || m->c[2] == node;
}

/* Iterated systems of a tangent or an adjoint: when they are solved, and how many iterations are cheaper than factors of their
 * own. */
static inline newton firk_sweep(const costate_solver *s)
{
    return (newton){.most = 30, .kappa = fmax(cst__sweep_tol(s), 8 * DBL_EPSILON)};
}

/* The three vectors that follow each other at `at`; stage data are Y_i, those of directions Ydot_i. */
static inline void firk_cut(const double *at, size_t count, double *v[FIRK_STAGES])
{
    for (int i = 0; i < FIRK_STAGES; i++) v[i] = (double *)(uintptr_t)(at + (size_t)i * count);
}

/* firk_transform.c: all numbers that follow from the table; 0, or COSTATE_ERR_TABLE and why. */
int cst__firk_derive(firk *m, const costate_table *tb, int sdirk, char *why, size_t size);

/* firk_correct.c: one correction of stage vectors x (n x w) with the factors at hand, d from F and x; then x += d and, given
 * `from`, y = from + x. */
typedef struct firk_system {
    int w, transposed;
    double h;
    const double *base[FIRK_STAGES]; /* a constant part of q; NULL: none */
    double *f[FIRK_STAGES];          /* F in, d out */
    double *x[FIRK_STAGES];
    const double *from;
    double *y[FIRK_STAGES];
    double *q; /* 3n x w of work */
} firk_system;
int cst__firk_correct(costate_solver *s, const firk_system *q, int only_base);

/* Whether such corrections, counted in c, have become small relative to x (or to y, given `from`); `at` is the state, for the
 * weights. */
newton_verdict cst__firk_judge(const costate_solver *s, const firk_system *q, const double *at, newton *c);

/* firk.c: the step's Jacobian, as its note says, and factors, unless they are at hand. */
int cst__firk_matrices(costate_solver *s, const step *st, int note);
/* The factors at hand are light enough for the coupled system's own to be, too. */
static inline int firk_light_enough(const costate_solver *s, int transposed)
{
    return implicit_light_enough(s, 0, transposed) && implicit_light_enough(s, 1, transposed);
}

/* And with the Jacobian of the middle stage, which is nearer to those of all stages. */
int cst__firk_middle_matrices(costate_solver *s, const step *st);

/* firk_coupled.c: factors of the step's exact matrix B, unless they are at hand, and B k = rhs or B^T k = rhs; x is 3n x w of
 * work. */
int cst__firk_coupled_solve(costate_solver *s, const step *st, int transposed, int w, double *const rhs[FIRK_STAGES], double *x,
                            double *const k[FIRK_STAGES]);
void cst__firk_coupled_close(costate_solver *s);

/* firk_adjoint.c: w from g, for a block of `lanes`; r, v: 3n, q: 3n doubles of work a lane. */
typedef struct firk_back {
    double *w[FIRK_STAGES], *g[FIRK_STAGES], *r[FIRK_STAGES], *v[FIRK_STAGES], *q;
} firk_back;
int cst__firk_back_solve(costate_solver *s, const step *st, int lanes, const firk_back *p);

/* g_i = b_i lambda + sum_j a_ji r_j, then lambda += sum_j r_j; r NULL: zero. */
void cst__firk_gather(const costate_solver *s, size_t count, double *lambda, double *const r[FIRK_STAGES],
                      double *const g[FIRK_STAGES]);

int cst__firk_tangent(costate_solver *s, const step *st, dblock *d, double *err);
int cst__firk_running_tangent(costate_solver *s, const step *st, dblock *d);
void cst__firk_quadrature(costate_solver *s, const step *st, dblock *d, quadrature *q);
int cst__firk_adjoint(costate_solver *s, const step *st, ablock *b);
int cst__firk_second(costate_solver *s, const step *st, const double *ydot, const double *dstages, ablock *b);

#endif
