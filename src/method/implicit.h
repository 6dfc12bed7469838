/* implicit.h - what the implicit families share: the Jacobian at a point, and factors of (re + i im) M - J. */
#ifndef COSTATE_METHOD_IMPLICIT_H
#define COSTATE_METHOD_IMPLICIT_H

#include "deriv/jacobian.h"
#include "linsol/linsol.h"
#include "method/method.h"

typedef struct implicit {
    jacobian jac;
    linsol ls;
    double *values;   /* of the Jacobian; NULL for matrix-free solvers */
    double t, *y;     /* where it was evaluated */
    double *scale;    /* n: tolerances there, the unit of the linear solver's unknowns */
    double *square;   /* n: squares of units, of an iteration (iterate.c) */
    int64_t key;      /* the step it belongs to, as the family numbers them; -1: none */
    int slots;
    int tested;       /* that it was given right: sens/given.c */
    int waiting;      /* nothing is open yet: the pattern will be looked for when the first run knows a point */
    linsol_mass mass; /* M, if there is one */
    int algebraic;    /* the matrix at hand is that of cst__implicit_algebraic, */
    const signed char *constraint; /* with these */
    costate_pattern pattern;
    int *colptr, *rowind; /* of a pattern that was found */
    void *context;    /* of the operator */
    struct preconditioner_slot *handles; /* the user's preconditioner, one for every slot */
    int trouble;      /* LINSOL_...: what was behind the last STEP_MATRIX */
    linsol_said said; /* by a function of the user's inside the linear solver */
} implicit;

/* Opens for the problem's pattern. Without jac and pattern, and with n too large for a dense matrix to be the obvious choice,
 * it waits for cst__implicit_prepare, which the driver calls when a run's input is known, to find the pattern. A hand of a crew
 * takes its leader's, which is known by then. s->im becomes m. */
int cst__implicit_open(costate_solver *s, implicit *m, int slots);
int cst__implicit_prepare(costate_solver *s);
void cst__implicit_close(costate_solver *s, implicit *m);

/* A hand of a crew gets the factors that its leader would. 0 or COSTATE_ERR_MEMORY. */
int cst__implicit_follow(costate_solver *hand);

/* The Jacobian at (t, y), and `key` for it. Returns what the callback did. */
int cst__implicit_jacobian(costate_solver *s, implicit *m, int64_t key, double t, const double *y);

/* Factors, in a slot, of the matrix of the algebraic equations alone: M - J with the rows of J zero where M is not, J at (t, y),
 * M with this diagonal, which must stay. So of K x = b the differential states are M^+ b, and the others solve -J_a x = b. With
 * `constraint`, n flags of equations that contain no algebraic state: M - J with the columns of differential states zero in all
 * rows but those (core/hidden.h). What families hold in slots is lost. */
int cst__implicit_algebraic(costate_solver *s, implicit *m, int slot, double t, const double *y, const double *mass,
                            const signed char *constraint);

/* Factors of (re + i im) M - J in a slot. 0, STEP_MATRIX, what a callback returned, or a negative status whose message is set. */
int cst__implicit_factor(costate_solver *s, implicit *m, int slot, int complex, double re, double im);
int cst__implicit_solve(costate_solver *s, implicit *m, int slot, int transposed, int w, double *x);

/* A correction of Newton's method: solved as exactly as that needs. */
int cst__implicit_correct(costate_solver *s, implicit *m, int slot, double *x);

/* The factors there are cheap: better made anew than kept for other matrices. */
static inline int implicit_light(const implicit *m, int slot)
{
    return m->ls.ops->light && m->ls.ops->light(m->ls.self, slot);
}

/* What a slot holds factors of: shift M - f_y(t, y), y a copy of n. shift 0: nothing. They are put there, unless they are, the
 * Jacobian at hand (its key is 0) being taken if it is that; a matrix-free solver applies f_y where it was last asked for. */
typedef struct held_matrix {
    double t, shift;
    const double *y;
} held_matrix;
int cst__implicit_holds(const costate_solver *s, const held_matrix *held, const held_matrix *a);
int cst__implicit_hold(costate_solver *s, int slot, held_matrix *held, const held_matrix *a);

/* 0 if it solves transposed systems too; else its message is set. */
int cst__implicit_transposable(costate_solver *s);

/* What becomes of rc, returned by `ls` while `doing` (factoring, solving): as above. */
int cst__implicit_outcome(costate_solver *s, implicit *m, const linsol *ls, int rc, const char *doing);

/* The status that a STEP_MATRIX amounts to, and the words for it; *row: of the Jacobian's value that is not finite, else -1. */
int cst__implicit_blame(const costate_solver *s, char *words, size_t size, int *row);

/* Whether the linear stage systems of tangents (or, transposed, of adjoints) are iterated on the factors of the step; and the
 * relative error at which they are solved then. An iteration ends at IN_HAND of that: its rate of convergence is of corrections
 * past, and norms do not see small components. */
#define IN_HAND 0.1
int cst__implicit_iterates(const costate_solver *s, int transposed);

/* But for light factors in that slot, those of the step: iterations on what iterates itself solve for every digit each time, and
 * factors of the system's own, which are as light, once. */
static inline int implicit_light_enough(const costate_solver *s, int slot, int transposed)
{
    const char *how = transposed ? s->opt.adjoint_solve : s->opt.tangent_solve;
    return how[0] == 'a' && implicit_light(s->im, slot);
}
double cst__sweep_tol(const costate_solver *s);

#endif
