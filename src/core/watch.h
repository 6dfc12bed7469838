/* watch.h - conditions in the text of the problem's functions (costate_problem.guards), followed along a run whose derivatives
 * are wanted.
 *
 * A step's derivatives are those of the branches that its stages took. Where a guard changes at a time tau that depends on
 * what is differentiated, and f jumps there from f- to f+, the solution's derivative lacks
 *
 *     (f- - f+) dtau/dx,       dtau/dx = -(g_y y_x + g_p p_x) / (g_t + g_y f-)
 *
 * which no stage sees. A kink, f- = f+ with other derivatives on either side, takes the same from second derivatives only.
 *
 * watch.c follows the guards from step to step; watch_look.c looks into a step: when a guard changes, and what f does there;
 * watch_tell.c puts it into words. Nothing here changes the run. */
#ifndef COSTATE_CORE_WATCH_H
#define COSTATE_CORE_WATCH_H

#include "method/method.h"

enum { WATCH_RHS, WATCH_RUNNING, WATCH_TERMINAL, WATCH_OBSERVE, WATCH_INIT, WATCH_FUNCTIONS };

typedef struct finding { /* as in costate_switch */
    int effect;
    double t;
    int component;
    double from, to;
    int params, param[COSTATE_SWITCH_PARAMS];
} finding;

typedef struct watched { /* a guard */
    const costate_guard *guard;
    int function;
    int matters;             /* its moving moves derivatives: it depends on more than time */
    double side, value;      /* at the end of the last step */
    double t_before, before; /* its value a step earlier */
    double reach;            /* how far its value moves within the tolerance, where that was looked at */
    int64_t changes;
    int looks;               /* that were taken for it */
    double settled, noise;   /* it changes back and forth by less than noise, and came from that side; noise 0: no */
    finding waiting;         /* what that amounts to, if it leaves the noise for the other side */
    finding found;           /* effect 0: nothing */
} watched;

struct watch {
    int count;                      /* of all functions */
    int first[WATCH_FUNCTIONS + 1]; /* where those of each begin */
    int matter[WATCH_FUNCTIONS];    /* how many of them do */
    watched *at;
    double *now, *probe;            /* what eval writes, of one function */
    double *p;                      /* parameters, moved by a little */
    double *room;                   /* vectors, once something has to be looked at */
    int64_t spent;                  /* points of dense output */
    int64_t dense_step;             /* the step they were of */
    int on;                         /* this run is watched */
};

const costate_guards *cst__guards(const costate_solver *s, int function);

/* c = y moved by a tolerances, up or down, in every component, as the probe has it, and w->p by round-off; y NULL: that alone. */
enum { WATCH_PROBES = 4 };
void cst__watch_shift(costate_solver *s, int probe, double a, const double *y, double *c);

/* A moment before (-1) or after (1) t, but not before the run or after it. */
double cst__watch_moment(const costate_solver *s, double t, int way);

/* watch.c. A run begins; an accepted step; an observation; a run ends. directions: it carries some. */
int cst__watch_start(costate_solver *s, int directions);
void cst__watch_step(costate_solver *s, const step *st);
void cst__watch_observation(costate_solver *s, int k, const double *y);
void cst__watch_end(costate_solver *s);
void cst__watch_close(costate_solver *s);

/* watch_look.c. All of these leave x->found alone if nothing is to be found, or if it cannot be had. */

/* It changed between theta0, where it has the side given, and theta1 of the step. */
void cst__watch_crossing(costate_solver *s, watched *x, const step *st, double theta0, double theta1, double side);
/* It did not, but came near; or it is near at the beginning of the run or at its end. */
void cst__watch_dip(costate_solver *s, watched *x, const step *st);
void cst__watch_near(costate_solver *s, watched *x, double t, const double *y);
/* Objectives and init: it is another one within the tolerance, in the direction of the probe. Does that matter? */
void cst__watch_edge(costate_solver *s, watched *x, int probe, int k, double t, const double *y);

/* Keeps the gravest finding of a guard, of several the first. */
void cst__watch_keep(watched *x, const finding *found);

#endif
