/* check.h - the certificate's inside. In x = (y0, p), of which some components are judged, and psi(x), the objectives:
 *
 *     products    the problem's products against differences of its functions and against each other, lane by lane and entry by
 *                 entry, at a few states of the run                                                   check_products.c
 *     adjoint     <gradient of psi_j, d> = tangent of psi_j along d                                   check.c
 *     steps       tangents against differences of psi over the recorded steps                         check_runs.c
 *     free        the same against differences of whole runs, which see what frozen steps cannot: a switch that moves
 *     second      symmetry; Hessian products against differences of tangents                          check_second.c
 *     Taylor      psi(x + eps d) - psi(x) - eps <g, d> = O(eps^2), less eps^2/2 <d, H d> = O(eps^3)   check_taylor.c
 *     tighter     of the adjoint equations: what differs from the tangents falls with the tolerance   check_continuous.c
 *
 * The options are those of the solver: what is judged is what costate_gradient and costate_hessian compute. Whatever is compared
 * with differences goes through a ladder (check_ladder.c), which says how well the differences know, for every objective and
 * every direction by its own size: a defect counts when the differences have settled elsewhere, and what they do not know is
 * reported as not measured.
 *
 * Round-off of tangents and adjoints is measured too: what a multiple of a direction or seed gives differs by it. On stiff
 * problems sums cancel, and it is far above the last places.
 *
 * Directions, here ways: single components as long as they are few; else a sample, and groups of all the others, each of
 * components whose influence is alike, so that none hides behind larger ones; and one mixture of all. */
#ifndef COSTATE_SENS_CHECK_H
#define COSTATE_SENS_CHECK_H

#include "base/kernels.h"
#include "core/driver.h"

#define CHECK_STRETCH 1.1 /* not a power of two: all round-off is different */
enum { CHECK_LEVELS = 5, CHECK_WAYS = 26, CHECK_GOALS = 16, CHECK_ROWS = 16 };

/* ---- check_ladder.c ----------------------------------------------------------------------------------------------- */

typedef enum finding_word { NOT_MEASURED, AGREES, CONTRADICTS } finding_word;

typedef struct finding {
    finding_word word;
    double most;          /* what the defect is held against */
    double defect, noise; /* relative to the larger of claim and slope, or to a thousandth of the change by a finite step, */
    double size;          /* which is this */
    int more;             /* smaller steps could say more */
    int blank;            /* it agrees, for there is nothing to see */
} finding;

/* Values of `rows` functions at steps h_k both ways along one direction. */
typedef struct ladder {
    const double *h; /* falling */
    int first;       /* the level to begin with */
    size_t rows;
    double *base, *noise; /* rows: values at the point; how far off each value may be */
    double *slack;        /* rows: what a slope may be off besides the bound; NULL: nothing */
    double *at;           /* CHECK_LEVELS x 2 x rows: at + h_k, at - h_k; NaN: not taken, or failed */
    int tried, failed;
} ladder;

typedef int ladder_fn(void *context, double shift, double *out); /* 0, or there are no values there */

size_t cst__ladder_doubles(size_t rows);
void cst__ladder_carve(ladder *l, size_t rows, const double *h, int first, double *at);

/* Takes steps until every claimed slope is settled, as far as bound (relative) goes, or nothing more is to be learned. */
void cst__ladder_climb(ladder *l, ladder_fn *fn, void *context, const double *claim, double bound);
finding cst__ladder_judge(const ladder *l, size_t row, double claim, double bound);
double cst__ladder_secant(const ladder *l, size_t row); /* the largest change over the largest step, over that step */

/* A finding into a measure; the name of a new worst one is to be written if it returns 1. */
int cst__measure(costate_measure *m, finding f);

/* ---- check_point.c ------------------------------------------------------------------------------------------------ */

typedef struct check {
    costate_solver *s;
    costate_certificate *out;
    double t0, t1;
    const double *p, *y; /* the caller's */
    size_t n, np, m, nobj;
    int *judged, count;    /* variables, as costate_sensitivities numbers them */
    unsigned char *wanted; /* m: 1 for those */
    int tight; /* bits by which method "auto" has tightened the tolerances for the sake of derivatives: solver.tight */
    int fatal; /* memory ran out in a perturbed run */
    uint64_t events; /* which ones happened */
    double *memory;
    double *x, *scale;      /* m: the point; the size of each component */
    double *d, *e;          /* m: directions at hand */
    double *shifted, *params; /* n, np: an initial state and parameters nearby */
    double *psi, *noise;    /* nobj: objectives of the run; of repeated runs: how far off each may be */
    double *rows, *times;   /* CHECK_ROWS x n: states along the run, and when; the last is the final one */
    int *part;              /* m: the group a component is in; -1: none */
    int ways, units;        /* directions, the last being the mixture; the first of them are single components, */
    int unit[CHECK_WAYS];   /* these */
    double *tangents;       /* ways x nobj: of the objectives */
    double *secants;        /* ways x nobj: their changes over a finite step */
    double *omega;          /* nobj: weights that make all objectives count alike */
    double lean, bend;      /* <g, d> and <d, H d> of their sum by the adjoint, d being the mixture; NaN: no second order */
    double lean_noise, bend_noise;
    char stopped[192];      /* why nothing but products was judged; "": it was */
    char lacks[128];        /* why second order was not judged; "": it was, or the method has none */
    double restless;        /* what a tenth of the tolerance changes in an objective, relative; the most */
    double loose;           /* and in a derivative that differences of whole runs contradict */
    signed char *seen;      /* nobj: 1: a slope of it was measured; -1: there are slopes, and none was; 0: it has none */
    double *sharper;        /* ways x nobj: tangents at a tenth of the tolerance, or NULL */
    int unsolved;           /* 1: Newton's iteration leaves more than is forgiven */
    double *solved;         /* nobj, and ways x nobj: objectives and tangents without a rest of Newton's iteration, or NULL */
    int goals;              /* combinations of objectives whose gradients are compared: each by itself, or a sample and sums */
    int goal[CHECK_GOALS];  /* the objective; -1: a sum of all, each weighted by its own size */
    double *weights, *grad; /* nobj x goals; m x goals */
    char alone[128];        /* why there is no run with a hundredth of the tolerance; "": there is */
    int looser;             /* 1: in its place one with a hundred times the tolerance */
    int continuous;         /* 1: gradients are those of the adjoint equations */
    double *grad_noise;     /* m x goals: by how much the gradient of other multiples of the weights differs */
    double *tangent_noise;  /* ways x nobj: the same of tangents along multiples of the ways */
    double *factor_noise;   /* ways x nobj: the same at a place moved by round-off, of implicit methods; else 0 */
    double stretch;         /* the multiple at hand */
    costate_options options; /* while tolerances are tighter: those that come back, */
    double *atol;           /* n: and these */
} check;

int cst__check_open(check *c, int count, const int *variable); /* runs the problem; sizes */
void cst__check_close(check *c);
int cst__check_ways(check *c);                                         /* chooses goals and directions, by the gradients */
void cst__check_way(const check *c, int way, double *d, size_t stride); /* its m components */
void cst__check_mixture(const check *c, int which, double *d, size_t stride);

/* Names, into a buffer. */
const char *cst__check_variable(const check *c, int variable, char buffer[64]);
const char *cst__check_goal(const check *c, int objective, char buffer[64]);
void cst__check_slope_name(const check *c, int objective, int way, char name[96]);

/* ---- check_runs.c ------------------------------------------------------------------------------------------------- */

/* The recorded steps from x + eps d; objectives to psi. 0, or the run fails there. */
int cst__check_repeat(check *c, const double *d, double eps, double *psi);
/* The same with the tangents along w ways, w x nobj. */
int cst__check_tangents(check *c, const double *d, double eps, int w, const int *ways, double *tangents);
int cst__check_noise(check *c);   /* how far off the objectives of repeated runs are */
int cst__check_below(const check *c, size_t objective); /* 1: it is below its tolerance, and nobody asks for its digits */
int cst__check_bends(const check *c, size_t objective, double secant); /* 1: on the scale of its value, far below any step */
int cst__check_steps(check *c);
double cst__check_change(const check *c, size_t objective); /* the largest of its secants */
int cst__check_free(check *c);    /* the recorded run is forgotten */
int cst__check_newton_based(const costate_solver *s); /* 1: Newton's iteration leaves a rest, by its tolerance */
double cst__check_softness(const check *c); /* how well defined a slope is, relative: 0, or by Newton's iteration, differences */
double cst__check_bound(const check *c); /* what a slope may be off, relative to itself; */
/* And besides, nobj: softness times the largest slope of an objective, and round-off of the tangents along a way. */
void cst__check_slack(const check *c, int way, double *slack);

/* ---- check_continuous.c ------------------------------------------------------------------------------------------- */

/* <gradient of a goal, way> and the tangent along it. */
typedef struct pair {
    double adjoint, tangent;
    double terms;  /* sum of |gradient_i way_i| */
    double change; /* over a finite step: the size of an objective whose gradient happens to vanish */
    double noise;  /* round-off of both */
} pair;

pair cst__check_pair(const check *c, int way, size_t goal); /* c->d is that way */
double cst__check_largest(const check *c, size_t goal);     /* the largest component of its gradient, by the sizes of x */
int cst__check_continuous(check *c);
/* check_second.c: what Hessian products by the adjoint equations differ from those of the steps, relative, for every way and goal
 * that is looked at; and at [0] by how much they lack symmetry. rows of `off` that are filled; 0: they are not to be had. */
enum { CHECK_APART = 1 + 4 * CHECK_WAYS };
int cst__check_second_apart(check *c, double *off, size_t *rows);
/* check_runs.c: a run with `share` of the tolerance, or of a fixed step, in place of the recorded one; until loosened the options
 * are its own. */
int cst__check_tighten(check *c, double share, double stride);
void cst__check_loosen(check *c);

/* ---- the others --------------------------------------------------------------------------------------------------- */

int cst__check_products(check *c);
int cst__check_second(check *c);
int cst__check_taylor(check *c);
void cst__check_judge(check *c); /* check_text.c: whether it holds, and the words */

#endif
