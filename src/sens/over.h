/* over.h - what runs compute, over steps that are prescribed (core/halved.h): s has its log, and y0, p, t0, t1. */
#ifndef COSTATE_SENS_OVER_H
#define COSTATE_SENS_OVER_H

#include "core/driver.h"

/* ydot: w directions of the initial state in, of the final one out; those of the objectives come to s->psidot. */
int cst__tangent_over(costate_solver *s, int w, double *ydot, const double *pdot);

/* The matrix d of costate_sensitivities, forward or by the adjoint. */
int cst__sensitivities_over(costate_solver *s, int forward, int count, const int *variable, int w, const double *weights,
                            double *d);

/* The run, recorded if option `record` says so. */
int cst__solve_over(costate_solver *s);

#endif
