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

/* The accepted steps: step i goes from t[i] to t[i+1] with h[i]; t[i+1] is t[0] + h[0] + .. + h[i], rounded, or a stop, which is
 * met exactly. */
typedef struct step_log {
    int64_t count, capacity;
    double *t, *h;
    signed char *note; /* decisions of the family within the step, for repeating it */
    signed char *stop; /* t[i] is a stop: 1: t0, an observation or t1; 2: the step that ends there was held; + 4: an event */
    int fresh;         /* the steps are prescribed and were never taken: the notes are made when they are (core/halved.h) */
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

/* A trajectory in blocks of several steps (core/record.c): where those of the block at hand have their stage data, on the way
 * forward; the block fetched last, -1: none; steps computed again. */
typedef struct recording {
    double *at;
    int64_t block, recomputed;
    const double *state, *stages;
} recording;

enum { PRIMAL, JOINT }; /* trajectories: of the state; of the state and a block of directions, or of these alone (second order) */

typedef struct family family;         /* a table of operations: method/method.h */
typedef struct worker_set worker_set; /* core/workers.h */
typedef struct watch watch;           /* core/watch.h */
typedef struct guide guide;           /* core/guide.h */
typedef struct backward backward;             /* sens/back.h */
typedef struct events events;         /* core/events.h */

/* What a method has for itself, and what is sized by it. */
typedef struct rig {
#include "solver/rig.def"
} rig;

enum { METHODS_AUTO = 4 }; /* that method "auto" has to choose among: core/auto.c */
enum { ANGLES = 201 };     /* of modes, in core/stiffness.c */

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
    union {
        struct {
#include "solver/rig.def"
        };
        struct rig rig; /* all of that: the method in use */
    };
    struct rig idle[METHODS_AUTO]; /* the others, under method "auto"; that in use is not among them */
    int automatic;          /* method "auto": `chosen` is the number of the method in use; else that is 0 */
    int chosen;
    const family *own_fam; /* given with the solver; NULL: that of the table */
    int nobj;          /* objectives, or n when the final states are the objectives */
    int has_objective; /* any of terminal, running, observe */

    /* the run */
    double t0, t1;
    int have_run, have_tangent;
    step_log log;
    int64_t *obs_step; /* observation k was met after that many steps, or within the last of them */
    int f_valid, fnew_valid;
    int note; /* of the family, on the step at hand; logged when it is accepted */
    reserve psidot;        /* nobj x w of the last tangent run */
    int w_tangent;
    output out;
    int out_next; /* its next row */

    int recorded[2]; /* the store holds the last run */

    reserve sweep; /* memory of tangent runs and backward sweeps */
    reserve block_states; /* two states within a block of steps that is computed again */
    reserve of_start;         /* memory of */
    const double *start_mass; /* M at t0, where it is not the problem's: core/consistent.c; NULL: it is */
    const double *anew_at;    /* where values are made consistent: the time of an event; NULL: t0 */
    reserve of_constraint;
    const signed char *constraint; /* n: equations that are constraints of index 2; NULL: there are none. core/hidden.h */
    int start_stays;               /* parameters do not move the initial values off them */
    reserve of_probe; /* core/probe.h */
    reserve probe; /* of what watches an explicit method; */
    double reach[ANGLES]; /* how far |h lambda| may go under it, by the cosine of lambda from -1 to 1; 0: not asked yet */
    int64_t fast_step; /* where its last run met a mode that it hardly damps, -1: nowhere; */
    double fast_speed, fast_end; /* |lambda| there, and at the end of the run, 0: not there; */
    double fast_before; /* log of what the steps before made of the mode; */
    double fast_part;  /* and the part that such modes have in derivatives: sens/fast.h */
    double drift;      /* by which derivatives are not those of the flow: sens/drift.h; */
    double drift_first, drift_before; /* that at the tolerances that were asked for, and at the ones before these; */
    int tight;         /* bits by which tolerances are tighter for its sake, until the next run; */
    int settled;       /* 1: that does not help; */
    int looked;        /* 1: a tangent run has been measured since options changed; */
    int implicit;      /* 1: method "auto" has found the problem stiff, and does not try again */

    costate_solver *leader; /* a worker: whose */
    costate_solver *halved; /* that takes the steps in halves, once it was needed: core/halved.h */
    double missed, missed_at; /* the largest error of a half that was taken, in tolerances, and where it begins */

    events *ev; /* NULL: the problem has none */

    watch *watch; /* conditions of the problem's functions along the run; NULL: it has none, or there was none */

    const guide *guide;             /* what leads this run; NULL: nothing */
    output adjoint_rows;             /* lambda(t) */
    backward *back;                     /* the continuous adjoint's; NULL: there was none since it was made or changed */
    void (*back_close)(backward *);     /* how it goes */

    costate_stats stats;
    const char *calling; /* the function of the problem whose product failed last; NULL: the right-hand side */
    int status;
    char reason[1024], message[1280]; /* message: the reason and what to try */
    char choice[256], warning[256], start[256]; /* costate_stats.choice, .warning and .start */
};

/* message.c: sets status and message ("what: details; try advice") and returns the code. */
int cst__fail(costate_solver *s, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));
int cst__fail_at(costate_solver *s, int code, double t, double h, int64_t n, int stage, int component, const char *format, ...)
    __attribute__((format(printf, 8, 9)));
const char *cst__state_name(const costate_solver *s, int i, char buffer[32]);
const char *cst__equation(const costate_solver *s, int i, char buffer[64]); /* one without a mass, in words */
const char *cst__param_name(const costate_solver *s, int i, char buffer[32]);

/* A list of a few names of states, or of equations, in `text`; those beyond are counted. */
typedef struct name_list {
    char *text;
    size_t size;
    int count, equations;
} name_list;
name_list cst__names(char *text, size_t size, int equations);
void cst__names_add(const costate_solver *s, name_list *l, int i);
void cst__names_end(const name_list *l);

/* step_log.c */
int cst__log_start(costate_solver *s, double t0); /* a run begins */
int cst__log_grow(costate_solver *s);
void cst__log_free(costate_solver *s);

/* The states that norms go by: all but slopes, which follow from the others (costate_problem.slopes). */
static inline size_t cst__judged(const costate_solver *s)
{
    return (size_t)(s->prob.n - s->prob.slopes);
}

/* How many of them are of index 2. */
static inline int cst__index2(const costate_solver *s)
{
    int count = 0;
    for (size_t i = 0; s->prob.index && i < cst__judged(s); i++) count += s->prob.index[i] == 2;
    return count;
}

/* An accepted step of size h that ended at tn, which is a stop or not, with s->note. */
static inline int cst__log_append(costate_solver *s, double h, double tn, int stop)
{
    step_log *log = &s->log;
    if (log->count == log->capacity) TRY(cst__log_grow(s));
    log->h[log->count] = h;
    log->note[log->count] = (signed char)s->note;
    log->t[++log->count] = tn;
    log->stop[log->count] = (signed char)stop;
    return 0;
}

/* Every public call starts here: clears the message; refuses a broken solver. */
int cst__begin(costate_solver *s);
double *cst__scratch(costate_solver *s, reserve *m, size_t doubles); /* at least that many; NULL: no memory */
/* After a failure: NaN into n x w and np x w; s, y, p may be NULL. What is of unknown size is left alone: w is 0 then. */
void cst__no_numbers(const costate_solver *s, size_t w, double *y, double *p);

/* Lanes of a call that names combinations of objectives: w, or 0 if there cannot be so many. */
static inline size_t cst__lanes_of(const costate_solver *s, int w, const double *weights)
{
    return w > 0 && (weights || (s && w == s->nobj)) ? (size_t)w : 0;
}

/* Passes a product's return value on, remembering whose it was. */
static inline int cst__of(costate_solver *s, const char *which, int rc)
{
    if (rc) s->calling = which;
    return rc;
}

#endif
