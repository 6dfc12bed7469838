/* ros.h - Rosenbrock methods: what ros*.c share. */
#ifndef COSTATE_METHOD_ROS_H
#define COSTATE_METHOD_ROS_H

#include "method/extend.h"
#include "method/implicit.h"
#include "method/rows.h"
#include "method/witness.h"
#include "tableau/tableau.h"

enum { ROS_MOST = TABLEAU_STAGES };

typedef struct ros {
    int s;
    row a[ROS_MOST], g[ROS_MOST];   /* rows of A and G */
    row at[ROS_MOST], gt[ROS_MOST]; /* of their transposes; that of A for first ones alone */
    row m, e;                       /* weights of the new state and of the estimate */
    row watch;                      /* of the witness, on f at the stages and, behind them, at the end */
    double b[ROS_MOST];             /* weights of the running objective, those of the order conditions */
    double bgamma;                  /* sum b_i gamma_i */
    int filter;                     /* the estimate does not vanish on stiff components */
    int64_t tried;                  /* the step attempted last, and how often */
    int attempts;
    /* Stages with the same T and Y, that is with equal rows of A, share what is evaluated there. */
    int same[ROS_MOST];             /* the first of them */
    int points, shared;             /* first ones; those that have twins, stage 1 apart */
    row twins[ROS_MOST];            /* of a first one: all of them, with coefficients 1 */
    double weight[ROS_MOST];        /* the sum of their b */
    int further;                    /* stages at the end of a step with dense output */
    extend_weights dense;           /* of the k_i, those included */
    implicit im;                    /* its key is the number of the step */
    double h;                       /* of the factors; 0: none */
    int have_ft;
    double *memory;
    double *ft;                     /* f_t(t, y) */
    double *f[ROS_MOST];            /* f(T_i, Y_i); f[0] is solver.f */
    double *more[EXTEND_FACTS];     /* n: the further k_i */
    double *y, *sum;                /* n: a stage's Y; h sum b_i k_i */
    int together;                   /* several stages may share a call of vjp_dot */
    double *rd, *rk, *ru, *rp, *ro; /* n x lanes thrice, np x lanes, nobj x lanes: several stages or objectives in one call */
    double *td;                     /* lanes: the time part of directions */
    double *ry, *rq;                /* n x lanes, np x lanes: ydot and pdot for several stages, with vjp_dot2 */
} ros;

/* Jacobian, f_t (if wanted) and factors of the step, unless they are there already. */
int cst__ros_matrices(costate_solver *s, const step *st, int want_ft);
void cst__ros_stages(const costate_solver *s, const double *stages, size_t lanes, double **k); /* the k_i, or their directions */
const double *cst__ros_stage(costate_solver *s, const step *st, int i, double *const *k);      /* Y_i: y itself, or in ros.y */
void cst__ros_quadrature(costate_solver *s, const step *st, double *const *k);                 /* ros.sum = h sum b_i k_i */
/* The sum of x over stage i and its twins: x[i] itself, or in out. */
const double *cst__ros_total(const costate_solver *s, int i, int w, double *const *x, double *out);

static inline double ros_time(const costate_solver *s, const step *st, int i)
{
    return step_time(st, s->table->alpha[i]);
}

/* The estimates of ros2, ros3 and ros4 do not vanish on stiff components: of one that is off its slow motion by d (after a
 * kink, or what order reduction leaves) the step makes nothing, for it is L-stable, and the estimate about d/2, however short
 * the step is down to the component's own transient. So where PATIENCE attempts at a step were in vain, the estimate goes
 * through (I - h gamma f_y)^-1, which leaves it as it is where f_y is small. (Not from the first attempt on: the stiff part of
 * the estimate is what holds ros4 to the tolerance in the jumps of van der Pol's equation.)
 *
 * terms, c, v: the estimate `err` is of; c is written to. *filtered: out (n x w) is the estimate. Returns what the solver
 * does. */
int cst__ros_filter(costate_solver *s, const step *st, int w, int terms, double *c, const double *const *v, double err,
                    double *out, int *filtered);

/* x (n) into all lanes of out (n x w) */
static inline void ros_spread(size_t n, int w, const double *x, double *out)
{
    for (size_t i = 0; i < n; i++)
        for (int l = 0; l < w; l++) out[i * (size_t)w + (size_t)l] = x[i];
}

/* ros_adjoint.c: the terms of sum_(j>i) (a_ji along_j + (g_ji/h) M^T u_j); those with M are put together in out (n x w). */
int cst__ros_gather(const costate_solver *s, const step *st, int i, int w, double *const *u, double *const *along, double *out,
                    double *c, const double **v);

/* ros_lanes.c: several stages in one call, as lanes. */
typedef struct ros_group { /* stages first .. first + count - 1 with w lanes each, in a block of `all` lanes */
    int first, count, w, all;
} ros_group;

ros_group cst__ros_group(const costate_solver *s, int first, int w); /* from stage `first` on; count 0: there are no more */
const double *cst__ros_times(const costate_solver *s, const step *st, const ros_group *g); /* h gamma_i in ros.td; NULL: no f_t */
/* Into a block of rows x all: x[i] of the group's stages, rows x xw with xw = 1 (all of its lanes) or w; or one x, rows x w, for
 * all of them. Out of it: out (rows x w) += the sum over the stages. */
void cst__ros_put(const ros_group *g, int rows, int xw, double *const *x, double *block);
void cst__ros_put_same(const ros_group *g, int rows, const double *x, double *block);
void cst__ros_add(const ros_group *g, int rows, const double *block, double *out);

/* ros_dense.c: how many further stages the dense output of a table takes; its weights, given their number in m; and the rows. */
int cst__ros_further(const costate_table *tb);
void cst__ros_extend(ros *m, const costate_table *tb);
int cst__ros_dense(costate_solver *s, const step *st, double theta, double *y, dblock *d, double *ydot, int first);

int cst__ros_tangent(costate_solver *s, const step *st, dblock *d, double *err);
int cst__ros_running_tangent(costate_solver *s, const step *st, dblock *d);
int cst__ros_adjoint(costate_solver *s, const step *st, ablock *b);
/* lambda += sum (f_yy k_i + h gamma_i f_yt)^T u_i over a group, mu likewise. k_i and u_i stay in ros.rk and ros.ru; of a single
 * stage, k_i in `along` (n x w). */
int cst__ros_brackets(costate_solver *s, const step *st, const ros_group *g, double *const *k, double *const *u, double *along,
                      ablock *b);
int cst__ros_second(costate_solver *s, const step *st, const double *ydot, const double *dstages, ablock *b);
const char *cst__ros_lacks(const costate_solver *s);

#endif
