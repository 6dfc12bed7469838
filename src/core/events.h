/* events.h - what happens at times that the run itself finds, or that move with the parameters; exact derivatives through it.
 *
 *     until tau      y' = f(m, t, y, p)
 *     at tau         psi += g_k(i, tau, y-, p);   y+ = R_k(m, tau, y-, p);   m+ = next(k, m, tau, y+, p)
 *     tau            known, tau_j(p), or where the step map meets the guard: e_k(m, tau, Phi(t_n, y_n, p, tau - t_n), p) = 0
 *
 * Times of steps are data, except those of events: only the step that ends at one and the step that begins there move. With
 * a = Phi' along the directions while the end is held, b = Phi_h, D = e_t + e_y b,
 *
 *     taudot = -(e_y a + e_p pdot)/D        or tau_p pdot;        ydot- = a + b taudot                                       (E1)
 *
 * and backwards, nu being owed to the time of the event,
 *
 *     nu += R_t.lambda + g_t;   mu += R_p^T lambda + g_p;   lambda = R_y^T lambda + g_y                                      (E2)
 *     kappa = -(nu + lambda.b + omega.q_h)/D;   lambda += kappa e_y^T;   mu += kappa e_p^T       for guards; then the step   (E3)
 *     mu += tau_p^T (nu + h_bar)                                        for times;  nu = t_bar - h_bar before the step       (E4)
 *
 * Algebraic states are made consistent behind an event: core/consistent.h. How a step moves: deriv/moving.h. Between two events
 * there is always a step, if need be of no length: y+ = y, y+_h = f.
 * docs/theory.md, "Events"
 *
 *     events.c        memory, checks, the list, modes along recorded steps
 *     event_find.c    guards between steps, the time of an event
 *     event_sides.c   on which side of its guard a run is, events that are due together, what is refused
 *     event_happen.c  what happens at an event, forward
 *     event_step.c    steps that move, forward and along directions
 *     ../sens/event_back.c   backward */
#ifndef COSTATE_CORE_EVENTS_H
#define COSTATE_CORE_EVENTS_H

#include "core/directions.h"
#include "deriv/moving.h"
#include "tableau/tableau.h"

enum { EVENT_STOP = 3 }; /* step_log.stop of an event is more than this */

typedef struct happened {
    int k;
    int64_t count;    /* events k before it */
    int64_t step;     /* at the end of so many steps */
    double t;
    int mode, after;  /* modes before and after it */
    uint64_t held, held_after;
    int moves;        /* its time depends on something */
    int grazing;
} happened;

struct events {
    moving mv;               /* first: mv.at is what callbacks see */
    double node[TABLEAU_STAGES + 2]; /* mv.node */
    int guards, timed, all;  /* guards + timed */
    int user_guards, user_timed; /* those that are no conditions of the text */
    happened *list;
    double *before;          /* n for each: the state before */
    double *after;           /* n for each: behind it, where that is not found from the one before alone; NULL: nowhere */
    int64_t count, capacity;
    int borrowed;            /* the list and its states are the leader's */
    int64_t *seen;           /* of each k */
    int64_t at;              /* how many events there were before the step that was entered last */
    double *tau;             /* times of timed events, and */
    int *order, next;        /* their order along the run; the next one */
    int due;                 /* its number, if r->stop is its time, else -1 */
    happened pending;        /* that the step at hand ends with; */
    int hit;                 /* 1: there is one */
    int stopped;             /* a run ended by an event, */
    double t_end;            /* here, or at t1 */
    int first_mode;
    uint64_t first_held;
    double *p, *y0;          /* of the run */
    /* guards: sides, and while a step is looked at; values, slopes along t; at its beginning, its end, and in it */
    double *side, *working, *e[4], *slope[4], *seed;
    int known;               /* e[0] and slope[0] are those at the start of the step */
    int fresh;               /* no step has been taken since the last event or t0 */
    double came;             /* the side that the last event's guard was met from */
    double last[24];         /* times of the last events, newest first */
    int64_t lasts;
    int rebound;             /* the same guard again at once */
    int blamed;              /* the event that a failure is about, -1: none */
    double *f, *point, *near, *row, *prow; /* n; n; n; n; np + 2 */
    double *pext, *mext, *mext_dot; /* (np + 2) x lanes */
    double *one;             /* memory of a block of one direction, and of one adjoint */
    size_t one_doubles;
    reserve room;            /* of that */
    reserve back;            /* of a step's adjoint */
    reserve dots;            /* second order: taudot, ydot- of each event: (1 + n) w */
    int kept;                /* and they are there */
    int anew;                /* a repeated run has other parameters: times of events are found again */
    double late;             /* of a halved run: by which the event before the step at hand happened later than in the run */
    double identity;         /* largest relative |nu + kappa e_t + h_bar| of the last sweep */
    double *memory;
    int64_t evaluations;     /* steps taken to find events */
};

/* ---- events.c ---- */
int cst__events_check(costate_solver *s);                  /* the problem's members */
int cst__events_open(costate_solver *s);                   /* s->ev, where it has events */
void cst__events_close(costate_solver *s);
void cst__events_hold(costate_solver *s);                  /* conditions of the text are held, if they are to be */
int cst__events_release(costate_solver *s, int status);    /* 1: what failed may go better with one of them released */
int cst__events_start(costate_solver *s);                  /* a run begins: times, mode */
void cst__events_follow(costate_solver *worker);           /* a worker sees its leader's run, and is in its mode */
int cst__events_append(costate_solver *s, const happened *e, const double *y);
void cst__events_after(costate_solver *s, const happened *e, const double *y); /* y is the state behind it */
void cst__events_end(const costate_solver *s);             /* mode at the end of the run */
void cst__events_enter(const costate_solver *s, step *st); /* a recorded step: mode, begins, ends */
happened *cst__event_at(const costate_solver *s, int64_t n); /* that at the end of n steps; NULL: none */
void cst__events_mode(const costate_solver *s, int mode, uint64_t held);
void cst__events_repeat(costate_solver *s, const double *y0); /* the recorded run begins again; ev->anew if from other input */
/* The list of s for its halved steps (core/halved.h), and a step of these that was taken, ending at st->to. */
int cst__events_halve(costate_solver *h, const costate_solver *s);
void cst__events_took(costate_solver *s, const step *st);
int cst__event_time(costate_solver *s, int k, double *t);     /* of timed event k, with the parameters as they are */
const char *cst__event_name(const costate_solver *s, int k, char buffer[32]);
static inline const double *event_before(const costate_solver *s, const happened *e)
{
    return s->ev->before + (e - s->ev->list) * s->prob.n;
}
static inline const double *event_after(const costate_solver *s, const happened *e) /* NULL: it is not kept */
{
    return s->ev->after ? s->ev->after + (e - s->ev->list) * s->prob.n : NULL;
}
/* Rows of the past, of a block of directions or adjoints: none comes through an event. */
static inline void event_forget(const costate_solver *s, int w, double *live)
{
    const size_t n = (size_t)s->prob.n;
    if (live) memset(live + n * (size_t)w, 0, (s->live - n) * (size_t)w * sizeof *live);
}
static inline int event_held(const events *v, int k) /* a condition of the text: its bit + 1; 0: no */
{
    if (k < v->guards) return k < v->user_guards ? 0 : k - v->user_guards + 1;
    return k - v->guards < v->user_timed ? 0 : v->guards - v->user_guards + k - v->guards - v->user_timed + 1;
}
static inline int event_released(const events *v, int k)
{
    const int bit = event_held(v, k);
    return bit && (v->mv.at.released >> (bit - 1) & 1);
}
uint64_t cst__events_signature(const costate_solver *s); /* of the events of the last run, in their order */
static inline int event_only_held(const events *v) /* 1: all events are conditions of the text */
{
    return v->user_guards + v->user_timed == 0;
}
static inline double event_dir(const costate_solver *s)
{
    return s->t1 > s->t0 ? 1 : -1;
}

/* ---- event_step.c: as the family's, for steps that begin or end at an event ---- */
int cst__event_take(costate_solver *s, const step *st, double *err);
int cst__event_tangent(costate_solver *s, const step *st, dblock *d, double *err);
int cst__event_running_tangent(costate_solver *s, const step *st, dblock *d);
int cst__event_dense_tangent(costate_solver *s, const step *st, double theta, dblock *d, double *ydot, int first);
/* A step of no length: ydot (n x w) += hdot M^+ f, and M^+ f. */
int cst__event_still(costate_solver *s, const step *st, int w, const double *hdot, double *ydot, double *f);
int cst__event_by_size(costate_solver *s, const step *st, double *b, double *q); /* Phi_h (n); q: of integrals, or NULL */
/* Of directions that were carried before, for second order: taudot of an event, behind it ydot- (n x w). */
static inline double *cst__event_kept(const costate_solver *s, const happened *e, int w)
{
    return s->ev->dots.at + (e - s->ev->list) * (1 + (ptrdiff_t)s->prob.n) * w;
}
/* nu += g_t.omega of a part of the objectives at (t, y), with its derivative along (tdot, ydot, b->pdot) if b has one. */
int cst__event_owes(costate_solver *s, const deriv_function *g, costate_function_jvp2 *jvp2, int k, double t, const double *y,
                    const double *tdot, const double *ydot, ablock *b);
void cst__event_load(costate_solver *s, const double *pdot, int w, const double *z, const double *sdot); /* ev->pext */
void cst__event_move(costate_solver *s, const step *st); /* products become those of the moved step, */
void cst__event_rest(costate_solver *s);                 /* and are themselves again */

static inline int step_moves(const step *st)
{
    return (st->begins && st->begins->moves) || (st->ends && st->ends->moves) || st->h == 0;
}

/* Only where a guard was solved for is the step more exact than others: one that ends at a known time was taken as they are. */
static inline int take_step(costate_solver *s, const step *st, double *err)
{
    const int found = st->ends && st->ends->k < s->ev->guards;
    return found || st->h == 0 ? cst__event_take(s, st, err) : s->fam->step(s, st, err);
}

static inline int take_running(costate_solver *s, const step *st, double *psi)
{
    return st->h == 0 ? 0 : s->fam->running(s, st, psi);
}

static inline int take_tangent(costate_solver *s, const step *st, dblock *d, double *err)
{
    return s->ev && step_moves(st) ? cst__event_tangent(s, st, d, err) : s->fam->tangent(s, st, d, err);
}

static inline int take_running_tangent(costate_solver *s, const step *st, dblock *d)
{
    return s->ev && step_moves(st) ? cst__event_running_tangent(s, st, d) : s->fam->running_tangent(s, st, d);
}

static inline int take_dense(costate_solver *s, const step *st, double theta, dblock *d, double *ydot, int first)
{
    return s->ev && step_moves(st) ? cst__event_dense_tangent(s, st, theta, d, ydot, first)
                                   : s->fam->dense(s, st, theta, NULL, d, ydot, first);
}

/* ---- event_happen.c ---- */
/* The event at y-, in place: objectives (psi NULL: not wanted) and reset; then, in the mode behind it, algebraic states made
 * consistent. And of a block of directions ydot (n x w), with d->taudot; after: y+, read where there are algebraic states. */
int cst__event_happen(costate_solver *s, const happened *e, double *y, double *psi);
int cst__event_consistent(costate_solver *s, const happened *e, double *y);
int cst__event_happen_tangent(costate_solver *s, const happened *e, const double *before, const double *after, dblock *d,
                              double *ydot, int objectives);
int cst__event_corrects(const costate_solver *s, const happened *e); /* 1: algebraic states are made consistent there */
int cst__event_on(const costate_solver *s, const happened *e); /* k of on_event */
int cst__event_repeat(costate_solver *s, const happened *e, double *y, double *psi); /* of a whole state */
void cst__event_keep(costate_solver *s, const happened *e, const dblock *d);         /* taudot and ydot- */

/* ---- event_find.c ---- */
struct run;
/* After an attempt that was accepted: st becomes the part of the step up to the first event. A verdict, or negative. */
int cst__event_search(costate_solver *s, struct run *r, step *st);
/* tau anew from the one recorded, the step being st: its size, ends and state. */
int cst__event_again(costate_solver *s, step *st, int k);
/* Values and slopes of the guards at (t, y), f = f(t, y). */
int cst__event_values(costate_solver *s, double t, const double *y, double *e);
int cst__event_slopes(costate_solver *s, double t, const double *y, const double *f, double *slope);

/* ---- event_sides.c ---- */
int cst__events_conditions(costate_solver *s); /* those of the text at t0, and algebraic states that depend on them, in s->y0 */
int cst__event_sides(costate_solver *s, double t);                    /* anew, at s->y */
int cst__event_round_off(costate_solver *s, int k, double t, const double *y, double slope, double *eta); /* of guard k */
/* At a time that was reached: events that are due there. */
int cst__events_due(costate_solver *s, struct run *r, const step *st);
void cst__events_next_stop(costate_solver *s, struct run *r);

#endif
