/* solver.h - the solver's inside, which method, core and sens work on.
 *
 * A run walks from t0 to t1 (core/driver). What it leaves behind is the log of accepted steps, the trajectory (traj/) and the
 * objectives. The backward sweeps (sens/) read log and trajectory; they ask the family (method/) for the transposed step and
 * never look into it. */
#ifndef COSTATE_SOLVER_H
#define COSTATE_SOLVER_H

#include "base/alloc.h"
#include "base/try.h"
#include "deriv/deriv.h"
#include "traj/traj.h"

#include <costate/costate.h>
#include <string.h>

enum { OPTION_COUNT = 0
#define COSTATE_REAL(name, init, lo, hi, affects, help) +1
#define COSTATE_WHOLE(name, init, lo, hi, affects, help) +1
#define COSTATE_BYTES(name, init, lo, hi, affects, help) +1
#define COSTATE_TEXT(name, init, choices, affects, help) +1
#include <costate/options.def>
};

/* The accepted steps: step i goes from t[i] to t[i+1] with h[i]; t[i+1] is t[i] + h[i], or a stop that was to be met exactly. */
typedef struct step_log {
    int64_t count, capacity;
    double *t, *h;
    signed char *note; /* decisions of the family within the step, for repeating it */
} step_log;

/* A grow-only piece of memory, kept from call to call so that a solver in a loop allocates once. */
typedef struct reserve {
    double *at;
    size_t size;
} reserve;

typedef struct output {
    int count;
    const double *times;
    double *y, *ydot;
} output;

enum { PRIMAL, JOINT }; /* trajectories: of the state; of the state and a block of directions, or of these alone (second order) */

typedef struct family family;         /* a table of operations: method/method.h */
typedef struct worker_set worker_set; /* core/workers.h */

struct costate_solver {
    costate_problem prob;
    costate_options opt;
    costate_allocator alloc;
    alloc_guard guard; /* around the user's */
    char *texts[OPTION_COUNT]; /* the solver's copies of its textual options */
    struct {
        costate_table table;
        costate_linear_solver linear_solver;
        costate_preconditioner preconditioner;
    } own; /* copies of what the options point to */
    int broken;                /* a failed create or set: the status every later call returns */

    deriv d;
    const costate_table *table;
    const family *fam;
    const family *own_fam; /* given with the solver; NULL: that of the table */
    void *method;      /* the family's own */
    struct implicit *im; /* what implicit families have: Jacobian and linear solver; else NULL */
    int nobj;          /* objectives, or n when the final states are the objectives */
    int has_objective; /* any of terminal, running, observe */

    /* the run */
    double t0, t1;
    int have_run, have_tangent;
    step_log log;
    int64_t *obs_step; /* observation k was met after that many steps */
    double *work;      /* one block, carved into the vectors below */
    double *atol;      /* n */
    double *p;         /* np, copied from the caller */
    size_t live;       /* doubles of a state that are differentiated: n, and the family's history */
    size_t state;      /* doubles in a state: those, and what the family carries besides */
    double *y0, *yend; /* first state of the run; the last, n of it */
    double *y, *ynew;  /* of the step at hand */
    double *f, *fnew;  /* f at the start of the step and, where the family gets it for nothing, at its end */
    int f_valid, fnew_valid;
    int note; /* of the family, on the step at hand; logged when it is accepted */
    double *stages;        /* stage data of a step that is not recorded */
    double *psi, *psi_row; /* nobj: objectives; one term of theirs */
    reserve psidot;        /* nobj x w of the last tangent run */
    int w_tangent;
    output out;
    int out_next; /* its next row */

    traj *tr[2];
    size_t tr_lanes[2]; /* lanes the store was opened for (0: state alone) */
    int recorded[2];    /* it holds the last run */

    reserve sweep; /* memory of tangent runs and backward sweeps */

    worker_set *workers;           /* threads, once they were needed; core/workers.h */
    costate_solver *leader;        /* a worker: whose */
    int64_t joint_memory, joint_disk; /* what each joint trajectory may take; the leader's counts */
    int apart; /* joint trajectories hold directions alone: the states and their stages are in the other one */

    costate_stats stats;
    const char *calling; /* the function of the problem whose product failed last; NULL: the right-hand side */
    int status;
    char reason[1024], message[1280]; /* message: the reason and what to try */
};

/* message.c: sets status and message ("what: details; try advice") and returns the code. */
int cst__fail(costate_solver *s, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));
int cst__fail_at(costate_solver *s, int code, double t, double h, int64_t n, int stage, int component, const char *format, ...)
    __attribute__((format(printf, 8, 9)));
const char *cst__state_name(const costate_solver *s, int i, char buffer[32]);
const char *cst__param_name(const costate_solver *s, int i, char buffer[32]);

/* step_log.c */
int cst__log_start(costate_solver *s, double t0); /* a run begins */
int cst__log_grow(costate_solver *s);
void cst__log_free(costate_solver *s);

/* An accepted step of size h that ended at tn, with s->note. */
static inline int cst__log_append(costate_solver *s, double h, double tn)
{
    step_log *log = &s->log;
    if (log->count == log->capacity) TRY(cst__log_grow(s));
    log->h[log->count] = h;
    log->note[log->count] = (signed char)s->note;
    log->t[++log->count] = tn;
    return 0;
}

/* Every public call starts here: clears the message; refuses a broken solver. */
int cst__begin(costate_solver *s);
double *cst__scratch(costate_solver *s, reserve *m, size_t doubles); /* at least that many; NULL: no memory */
/* After a failure: NaN into n x w and np x w; s, y, p may be NULL. */
void cst__no_numbers(const costate_solver *s, int w, double *y, double *p);

/* Passes a product's return value on, remembering whose it was. */
static inline int cst__of(costate_solver *s, const char *which, int rc)
{
    if (rc) s->calling = which;
    return rc;
}

#endif
