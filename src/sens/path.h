/* path.h - a recorded run between its steps: P(t), and its directions, as the method's dense output has them.
 *
 * That is a polynomial in each step, of known degree: it is kept by its values at as many points, for the last few steps that
 * were asked for. On the way back each step is fetched once, from the trajectory or repeated, which gives the same bits. Of a run
 * with events it is the steps between two of them, which no other time sees: at their times P has two values. */
#ifndef COSTATE_SENS_PATH_H
#define COSTATE_SENS_PATH_H

#include "core/driver.h"

enum { PATH_REACH = 4, PATH_KEPT = PATH_REACH + 2, PATH_DEGREE = 12, PATH_POINTS = 24 };

typedef struct path_step {
    int64_t n;        /* -1: none */
    double *y, *ydot; /* degree + 1 vectors of n, and of n x w */
} path_step;

typedef struct path_point { /* where something was asked for */
    double t;
    int there, probed; /* it holds the values of t; and those of the probe */
    double *y, *ydot;
    double *f, *r; /* n: f_p v; nobj: r_p v */
} path_point;

typedef struct path {
    costate_solver *s;
    int w;       /* directions; 0: none */
    tangent *tg; /* with which they were recorded */
    int degree;
    double node[PATH_DEGREE + 1], barycentric[PATH_DEGREE + 1];
    int64_t lo, hi; /* steps lo .. hi-1 are it: those between two events, */
    int mode;       /* in this mode */
    uint64_t held;
    int64_t at; /* the step of the last point */
    path_step step[PATH_KEPT];
    path_point point[PATH_POINTS];
    int next;
    double *memory;
    double *state, *ynew, *stages; /* of a step that is taken again */
    dblock d;
} path;

int path_open(path *k, costate_solver *s, int w, tangent *tg); /* 0, or a status with its message */
void path_close(path *k);                                      /* a zeroed one is fine */
void path_between(path *k, int64_t lo, int64_t hi); /* no event happens within these steps; their mode is set */
void path_around(path *k, int64_t n);               /* those between events that end at step n or later */

/* The point at t; NULL: the solver says why. It stays until PATH_POINTS others have been asked for. */
const path_point *path_at(path *k, double t);
path_point *path_probe(path *k, double t, const double *v); /* with f_p v and r_p v; v NULL: without */
int path_slope(path *k, double t, double *slope);           /* P'(t) */
int64_t path_find(path *k, double t);                       /* the step that t is in */

#endif
