/* costate.h - gradients and Hessian-vector products of what an ODE model computes.
 *
 *     y' = f(t, y, p),  y(t0) = y0(p),   y in R^n, p in R^np      (or M y' = f, M diagonal, its zeros algebraic equations)
 *     psi = g(y(t1), p) + integral of r(t, y, p) dt + sum over k of g_k(t_k, y(t_k), p)
 *
 * Order of calls: costate_defaults, costate_create, costate_solve, then any of costate_adjoint, costate_gradient and
 * costate_hessian as often as wanted, then costate_free. costate_tangent is a solve that carries directions along.
 * Every function returns COSTATE_OK (0) or one of the codes of errors.def; costate_message says what went wrong, where and
 * what to try. After a failure every output array of the failed call is filled with NaN.
 *
 * Blocks. Several directions or objectives travel together as a block: a row-major array with the w lanes innermost, so that
 * lane l of component i is block[i*w + l]. A block of w = 1 is a plain vector.
 *
 * The library never prints, exits or keeps globals. A solver belongs to one thread at a time; two solvers are independent.
 *
 * Threads. With option `threads` other than 1 a solver shares blocks among threads of its own: those of an adjoint, of the
 * directions of a tangent, of Hessian products. They read one recorded run, and the results are the same, bit for bit, for any
 * number of threads. Callbacks, and the functions of a linear solver or preconditioner of your own, are then called from several
 * threads at once with the same `data`, handles being each thread's own; generated code is made for that. One thread does it all
 * where directions steer the steps (tangent_control = all) and where a preconditioner has setup but no open. An allocator of your
 * own is never called by two threads at once. */
#ifndef COSTATE_COSTATE_H
#define COSTATE_COSTATE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define COSTATE_VERSION "0.1.0"

#if defined(__GNUC__)
#define COSTATE_API __attribute__((visibility("default")))
#else
#define COSTATE_API
#endif

/* ---- status codes ------------------------------------------------------------------------------------------------- */

typedef enum costate_status {
#define COSTATE_ERROR(name, code, what, advice) COSTATE_##name = code,
#include <costate/errors.def>
#undef COSTATE_ERROR
} costate_status;

/* ---- the problem -------------------------------------------------------------------------------------------------- */

/* Callbacks return 0; > 0 to ask for a smaller step (the arguments left the domain of f); < 0 to stop the run.
 * During a backward sweep the steps are given, so there > 0 stops it too, and so it does from init and from the objectives, which
 * are evaluated on accepted steps. `data` is costate_problem.data. */

/* f = f(t, y, p) */
typedef int costate_rhs_fn(double t, const double *y, const double *p, double *f, void *data);

/* fdot = f_t tdot + f_y ydot + f_p pdot, for w directions (tdot, ydot, pdot) at once. tdot has w entries, ydot is n x w, pdot
 * np x w, fdot n x w. A direction's part that is NULL is zero. fdot is written. */
typedef int costate_jvp_fn(double t, const double *y, const double *p, int w, const double *tdot, const double *ydot,
                           const double *pdot, double *fdot, void *data);

/* yb += f_y^T u and pb += f_p^T u for w seeds u (n x w). yb is n x w, pb np x w; both are ADDED to; either may be NULL: not
 * wanted. */
typedef int costate_vjp_fn(double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb,
                           void *data);

/* pb += sum over k < points of f_p(t[k], y[k], p)^T u[k]: the parameter part of vjp for several points in one pass over pb.
 * Optional; worth having when np is large, for then memory traffic on pb is what an adjoint costs. */
typedef int costate_vjp_points_fn(int points, const double *t, const double *const *y, const double *p, int w,
                                  const double *const *u, double *pb, void *data);

/* fdd = f''(d1, d2), the second directional derivative, lane by lane; d1 = (tdot1, ydot1, pdot1), d2 likewise. fdd is written. */
typedef int costate_jvp2_fn(double t, const double *y, const double *p, int w, const double *tdot1, const double *ydot1,
                            const double *pdot1, const double *tdot2, const double *ydot2, const double *pdot2, double *fdd,
                            void *data);

/* What vjp adds, and its derivative along (tdot, ydot, pdot) while u moves by udot, lane by lane:
 *     yb += f_y^T u,   ybdot += f_y^T udot + (d/deps f_y)^T u,   pb and pbdot likewise with f_p.
 * All four outputs are ADDED to; each may be NULL: not wanted. Parts of the direction, and udot, may be NULL: zero. */
typedef int costate_vjp_dot_fn(double t, const double *y, const double *p, int w, const double *tdot, const double *ydot,
                               const double *pdot, const double *u, const double *udot, double *yb, double *ybdot, double *pb,
                               double *pbdot, void *data);

/* The second derivative of f_y^T u and f_p^T u along d1 and d2, u fixed, lane by lane: yb += f_y''(d1, d2)^T u, pb likewise.
 * ADDED to; either may be NULL. Only the second order of Rosenbrock methods needs it. */
typedef int costate_vjp_dot2_fn(double t, const double *y, const double *p, int w, const double *tdot1, const double *ydot1,
                                const double *pdot1, const double *tdot2, const double *ydot2, const double *pdot2,
                                const double *u, double *yb, double *pb, void *data);

/* Where a Jacobian has entries, and how its values are laid out. */
typedef enum costate_format { COSTATE_DENSE, COSTATE_BANDED, COSTATE_CSC } costate_format;
typedef struct costate_pattern {
    costate_format format;
    int lower, upper;            /* banded: diagonals below and above the main one */
    const int *colptr, *rowind;  /* CSC: n+1 starts of the columns, and the rows of their entries, rising within a column */
} costate_pattern;

/* jac = f_y. Every value is written. Dense: n x n column-major, jac[i + n*j] = df_i/dy_j. Banded: (lower + upper + 1) x n
 * column-major, jac[upper + i - j + (lower + upper + 1)*j]. CSC: one value for each entry of the pattern. */
typedef int costate_jac_fn(double t, const double *y, const double *p, double *jac, void *data);

/* A function of (t, y, p) with its products: the parts of the objectives, the initial state and the functions of events all have
 * this one shape. k is the observation's number for `observe`, that of the event for `reset` and `on_event`, else 0; y is NULL
 * for `init` and `event_times`. Products that are NULL are replaced by finite differences of what is there. Outputs behave as
 * those of the right-hand side's products: eval and jvp write, vjp and vjp_dot add. */
typedef struct costate_function {
    int (*eval)(int k, double t, const double *y, const double *p, double *g, void *data);
    int (*jvp)(int k, double t, const double *y, const double *p, int w, const double *tdot, const double *ydot,
               const double *pdot, double *gdot, void *data);
    int (*vjp)(int k, double t, const double *y, const double *p, int w, const double *u, double *yb, double *pb, void *data);
    int (*vjp_dot)(int k, double t, const double *y, const double *p, int w, const double *tdot, const double *ydot,
                   const double *pdot, const double *u, const double *udot, double *yb, double *ybdot, double *pb,
                   double *pbdot, void *data);
    int (*vjp_dot2)(int k, double t, const double *y, const double *p, int w, const double *tdot1, const double *ydot1,
                    const double *pdot1, const double *tdot2, const double *ydot2, const double *pdot2, const double *u,
                    double *yb, double *pb, void *data); /* as the right-hand side's: of `running` only, not built from others */
} costate_function;

/* A condition in the text of a function, where a value decides which way it is computed: the function or its derivative may jump
 * where that begins or ceases to hold. costate diff finds them. */
enum { COSTATE_ON_TIME = 1, COSTATE_ON_STATE = 2, COSTATE_ON_PARAMS = 4 };
enum { COSTATE_GUARD_CONTINUOUS = 1, COSTATE_GUARD_MANY = 2 };
#define COSTATE_UNMET 1e300

typedef struct costate_guard {
    const char *file; /* where it stands */
    int line, column;
    const char *text; /* "y[0] < p[1]" */
    int on;           /* what it depends on: a sum of COSTATE_ON_... */
    int is;           /* a sum of COSTATE_GUARD_CONTINUOUS: both sides meet, as those of fabs do; COSTATE_GUARD_MANY: it is in a
                         loop, and there for each iteration */
    int held;         /* 1 + the number of the condition of costate_problem.held that it is; 0: it is not held, */
    const char *why;  /* for this reason; NULL: it need not be */
} costate_guard;

/* Those of one function. eval writes two numbers for each of them: its outcome, 1 where it holds, 0 where it does not, or which
 * step floor and its like are on, or of MANY a sum over them that changes when one does; and a value that is positive where it
 * holds and passes 0 where that changes. COSTATE_UNMET: it was not come by, or has no such value. */
typedef struct costate_guards {
    int count;
    const costate_guard *guard;
    int (*eval)(int k, double t, const double *y, const double *p, double *g, void *data);
} costate_guards;

/* A second derivative of a costate_function, as costate_jvp2_fn. */
typedef int costate_function_jvp2(int k, double t, const double *y, const double *p, int w, const double *tdot1,
                                  const double *ydot1, const double *pdot1, const double *tdot2, const double *ydot2,
                                  const double *pdot2, double *gdd, void *data);

/* Those of functions that see the time of an event; d1 is time alone, tdot1 = 1. All are optional: where one is NULL, differences
 * of jvp along time take its place, which are exact for what is linear in time. */
typedef struct costate_jvp2_of {
    costate_function_jvp2 *terminal, *running, *event, *reset, *on_event;
} costate_jvp2_of;

/* What `data` points to in every callback of a problem with events. The library keeps one for each thread and sets it before it
 * calls; callbacks read it. */
typedef struct costate_modal {
    int mode;      /* of the problem; at an event what it was before */
    void *data;    /* costate_problem.data */
    uint64_t held; /* bit j: condition j of the text is taken to hold: costate_problem.held */
    uint64_t released; /* bit j: condition j is not held, and the text decides as it stands */
} costate_modal;

#define COSTATE_STOP (-1) /* what next_mode returns to end the run */
enum { COSTATE_HELD_MOST = 64 };

/* A problem. Only n and rhs are required. The struct is copied; the names, times and data it points to must outlive the
 * solver. */
typedef struct costate_problem {
    int n;      /* states, > 0 */
    int np;     /* parameters, >= 0 */
    void *data; /* handed to every callback */

    costate_rhs_fn *rhs;
    costate_jvp_fn *jvp;                   /* each product is optional: what is missing is built from what is there, at the */
    costate_vjp_fn *vjp;                   /* latest by finite differences; costate_stats.derivatives says how             */
    costate_vjp_points_fn *vjp_points;     /* only used together with vjp */
    costate_jvp2_fn *jvp2;
    costate_vjp_dot_fn *vjp_dot;
    costate_vjp_dot2_fn *vjp_dot2;         /* not built from others */
    costate_jac_fn *jac;

    costate_pattern pattern; /* of jac; without jac, of the Jacobian that is compressed from jvp or rhs. Zero: dense */
    int autonomous;          /* 1: f does not depend on t, so that f_t need not be evaluated */

    int objectives;           /* length of g and r */
    int observations;         /* k = 0 .. observations-1 */
    /* their times, in the order in which the run meets them, within [t0, t1]; steps end there exactly, but bdf interpolates */
    const double *observe_at;

    const char *const *state_names;     /* n names, or NULL: y[0], y[1], ... */
    const char *const *param_names;     /* np names, or NULL: p[0], ... */
    const char *const *objective_names; /* names of the objectives, or NULL: g[0], ... */

    /* init(p, y0): if init.eval is set, costate_solve overwrites y with it. The objectives are the sum of terminal(t, y, p, g)
     * at t1, the integral of running(t, y, p, r) by the method's own quadrature, and observe(k, t, y, p, g) for each k; if
     * none of the three is given, they are the n final states. */
#define COSTATE_SYSTEM(...)
#define COSTATE_AT_EVENT(...)
#define COSTATE_FUNCTION(name, ...) costate_function name;
#include <costate/model.def>

    /* Conditions of the functions, if they are known: guards.rhs, guards.terminal, ... A recorded run, and one that carries
     * directions, then tells by costate_switches where derivatives are not to be trusted. */
    struct {
#define COSTATE_AT_EVENT(...)
#define COSTATE_FUNCTION(name, ...) costate_guards name;
#include <costate/model.def>
    } guards;
    int derived; /* 1: products, jac and pattern follow from the text of rhs, as costate diff has it, and are not doubted */
    /* n numbers, the diagonal of M in M y' = f; NULL: all are 1. Where one is 0, f = 0 is an algebraic equation: a differential-
     * algebraic system, of index 1. Explicit methods and some others do not take it. The initial values
     * of algebraic states are what a run makes consistent with the others, from those given; derivatives by them are zero. */
    const double *mass;
    /* A residual F(t, y, y', p) = 0 as such a system, of twice as many states: x = (y, v), y' = v, 0 = F(t, y, v, p), with mass 1
     * where F depends on v_k, else 0 (then 0 = v_k), and 0 for the rows of F. The last `slopes` states, half of all, are v:
     * errors of steps are measured by y alone, since h v follows from it. */
    int slopes;
    /* n - slopes numbers, optional: 0 for a state with a mass, 1 for an algebraic one, 2 for an algebraic one that follows from
     * the derivative by time of constraints, algebraic equations without algebraic states (index 2, Hessenberg's form). */
    const double *index;
    /* 1: a run starts where M y' = f with y' = 0, or as the slopes of a residual are given: Newton's method finds all states,
     * from those given, and derivatives by them are zero. It takes an implicit method. */
    int steady;

    /* Events: y' = f(mode, t, y, p) holds until one of them happens at a time tau, which is met to round-off. There, in
     * this order,
     *
     *     the objectives get   on_event(k + i (events + timed_events), tau, y-, p, g), i events k being before it
     *     the state becomes    y+ = reset(k, tau, y-, p), or stays
     *     the mode becomes     next_mode(k, tau, y+, p), an int, or stays; COSTATE_STOP: the run ends, terminal sees (tau, y+)
     *
     * Derivatives are those of the computed numbers, the times of events moving with p and with the initial state. Observations
     * at the time of an event see y-, rows of output y+; after COSTATE_STOP there are no observations, and rows are NaN.
     *
     * Guards are numbers k = 0 .. events-1: `event` writes all of them, and event k happens where e[k] passes zero, in the
     * direction that `direction` says, seen along the run. A guard of no interest in a mode is a constant there, not zero. Timed
     * events are numbers events + j, at event_times(p)[j] or event_at[j], in any order; one outside of the run does not happen.
     * Those of event_times move with p, and those of event_at do not; if event_times is given, event_at is not looked at.
     *
     * Products are optional as everywhere. Rows: `event` events, `reset` n, `on_event` objectives, `event_times` timed_events.
     * reset.eval finds y in ynew, so that it has to write what changes only; its products are those of the whole map from y to
     * ynew. event_times has neither t nor y. */
    int events, timed_events;
    int first_mode;          /* mode at t0, >= 0, as all modes are */
    const double *direction; /* `events` numbers: +1 rising, -1 falling, 0 both; NULL: all 0 */
    const double *event_at;  /* timed_events numbers */
    costate_function event, reset, on_event, event_times;
    int (*next_mode)(int k, double t, const double *y, const double *p, void *data); /* NULL: it stays */
    const char *const *event_names; /* events + timed_events names, or NULL: event 0, event 1, ... */
    costate_jvp2_of jvp2_of;        /* of functions that see the time of an event */
    /* Conditions of the text that are held: the functions do not look at a condition but at a bit of costate_modal.held, which
     * changes where the condition does, so that steps end there and are smooth in themselves. Conditions 0 .. held-1 are the
     * last `held` guards, of direction 0: the bit is 1 where the guard is positive. Conditions held .. held+timed_held-1 are the
     * last timed events: the bit is 1 from that time on, the larger times being later whatever the direction of the run. Their
     * events change that bit and nothing else: neither reset nor on_event nor next_mode is asked. The library sets the bits at
     * t0 and again after every event that has a reset. At most COSTATE_HELD_MOST together. */
    int held, timed_held;
    /* Of each guard, or NULL: a time within which it may pass zero and come back, though the solution lets steps be longer, as
     * one of the time of day; steps are looked at in parts of at most half of it. 0: none is known. */
    const double *event_period;
} costate_problem;

/* ---- methods ------------------------------------------------------------------------------------------------------ */

typedef enum costate_family { COSTATE_ERK = 1, COSTATE_SDIRK, COSTATE_FIRK, COSTATE_ROS, COSTATE_BDF } costate_family;

/* A Runge-Kutta table: y1 = y + h sum b_i f(T_i, Y_i), error estimate h sum e_i f(T_i, Y_i); c_i are the row sums of A. What
 * follows from the numbers (first-same-as-last, unused stages, consistency) is derived, never declared. */
typedef struct costate_table {
    const char *name;
    costate_family family;
    int stages;
    int order;          /* of the solution that is carried on */
    int embedded_order; /* of the solution it is compared with */
    const double *a;    /* stages x stages, row-major */
    const double *b;    /* stages */
    const double *e;    /* stages, or NULL: no estimate, fixed steps only. Fully implicit methods: 2, the */
                        /* weight bhat_0 of the estimate's further node, classical and sdirk (option `estimator`); the */
                        /* other weights follow from the nodes                                                         */
    /* Rosenbrock methods, in the form that needs no products with the Jacobian; W = I/(h gamma_1) - f_y(t, y):
     *     W k_i = f(t + alpha_i h, y + sum_j a_ij k_j) + sum_(j<i) (g_ij/h) k_j + h gamma_i f_t,
     *     y1 = y + sum b_i k_i,   estimate sum e_i k_i */
    const double *g;            /* stages x stages, row-major */
    const double *alpha, *gamma; /* stages */
    /* Explicit methods: continuous extension beyond the cubic Hermite polynomial H of the step; 0 rows: H alone.
     *     y(t + theta h) = H(theta) + sum_m P_m(theta) h sum_i d_mi k_i,
     *     P_0 = theta^2 (1-theta)^2,  P_1 = theta P_0,  P_2 = (1-theta) P_1,  P_3 = theta P_2, ...
     * k_1 .. k_stages are the step's, then k = f(t + h, y1), then the dense_stages further ones, whose rows are dense_a. */
    int dense_rows;
    int dense_stages;
    const double *dense_d; /* dense_rows x (stages + 1 + dense_stages) */
    const double *dense_a; /* dense_stages x (stages + 1 + dense_stages) */
    const char *source;    /* where the numbers are published */
} costate_table;

COSTATE_API int costate_method_count(void);
COSTATE_API const costate_table *costate_method(int i);             /* i = 0 .. count-1; NULL beyond */
COSTATE_API const costate_table *costate_method_find(const char *name); /* NULL: no such method */

/* ---- linear solvers of your own ------------------------------------------------------------------------------------- */

/* Implicit methods solve systems with A = (re + i im) I - J, where J is the Jacobian on the problem's pattern. A handle holds the
 * factors of one such matrix at a time; a method opens as many handles as it wants to keep matrices. What is solved must depend
 * on A and the right-hand sides alone, for a step that is computed again has to give the same bits. Functions return 0; > 0 if A
 * is singular, and a smaller step is tried; < 0 to stop the run.
 * Fully implicit methods ask for more than the problem's pattern: for one of 3n equations (tangents and adjoints, unless options
 * tangent_solve and adjoint_solve are "iterated"), and for one of 2n if complex matrices are not taken. Both are of the problem's
 * format.
 * re may be zero: a matrix re M - J, M being a mass matrix, comes as 0 I - (J - re M), on the pattern that J and M have together.
 * A solver need not know of M, but then complex matrices come as real ones of twice the size even if it takes them. */
typedef struct costate_linear_solver {
    const char *name;  /* for statistics and messages */
    void *data;        /* handed to open */
    int takes_complex; /* 1: im need not be zero. Then x holds pairs: lane l of component i is
                          x[2*(i*w + l)] + i x[2*(i*w + l) + 1].
                          0: im is always zero; complex systems come as real ones of twice the size */
    /* not 0: no such pattern; the pattern stays valid until close */
    int (*open)(void **handle, int n, const costate_pattern *pattern, void *data);
    /* jac: as a costate_jac_fn writes it; the pattern may lack diagonal entries */
    int (*factor)(void *handle, double re, double im, const double *jac);
    int (*solve)(void *handle, int w, double *x);            /* x, n x w: right-hand sides in, solutions out */
    int (*solve_transposed)(void *handle, int w, double *x); /* with A^T (not conjugated); NULL: no adjoints */
    void (*close)(void *handle);                             /* NULL: nothing to be done */
} costate_linear_solver;

/* A preconditioner for linear solver "gmres": P near A, applied from the right. P is real: of a complex A real and imaginary
 * parts come as lanes of their own. Handles as above. Functions return what callbacks do. */
typedef struct costate_preconditioner {
    void *data;
    int (*open)(void **handle, int n, void *data); /* NULL: the handle is data */
    /* for A with J = f_y(t, y, p); NULL: none needed */
    int (*setup)(void *handle, double t, const double *y, const double *p, double re, double im);
    int (*solve)(void *handle, int w, double *x);            /* x = P^-1 x */
    int (*solve_transposed)(void *handle, int w, double *x); /* x = P^-T x; NULL: no adjoints */
    void (*close)(void *handle);                             /* NULL: nothing to be done */
} costate_preconditioner;

/* ---- options ------------------------------------------------------------------------------------------------------ */

/* Memory hooks. All three or none. alloc returns memory aligned for any type, or NULL. */
typedef struct costate_allocator {
    void *(*alloc)(size_t bytes, void *ctx);
    void (*release)(void *block, void *ctx);
    void *ctx;
} costate_allocator;

/* One member for every line of options.def, which holds default, bounds and meaning, and what only a program can give:
 *     const double *atols                             n absolute tolerances, copied; NULL: atol for every component
 *     const costate_table *table                      a method of your own, used instead of `method`
 *     costate_allocator allocator                     zero: malloc and free
 *     const costate_linear_solver *linear_solver      used instead of `linsol`; NULL: that one
 *     const costate_preconditioner *preconditioner    which linsol "gmres" uses; NULL: none
 * The structs are copied; the arrays, names and data that they point to must outlive the solver. */
typedef struct costate_options {
#define COSTATE_REAL(name, init, lo, hi, affects, help) double name;
#define COSTATE_WHOLE(name, init, lo, hi, affects, help) int64_t name;
#define COSTATE_BYTES(name, init, lo, hi, affects, help) int64_t name;
#define COSTATE_TEXT(name, init, choices, affects, help) const char *name;
#define COSTATE_GIVEN(type, name) type name;
#include <costate/options.def>
} costate_options;

/* All defaults, with the given method (NULL: "auto"). */
COSTATE_API void costate_defaults_sized(costate_options *options, size_t size, const char *method);
static inline costate_options costate_defaults(const char *method)
{
    costate_options options;
    costate_defaults_sized(&options, sizeof options, method);
    return options;
}

/* The i-th line of options.def as text; 0 when there is one, -1 beyond the last. */
typedef struct costate_option_info {
    const char *name, *type, *preset, *choices, *help; /* type: real, whole, bytes or text; choices: "a|b|c" or "" */
    double lo, hi;
} costate_option_info;
COSTATE_API int costate_option_sized(int i, costate_option_info *info, size_t size);
static inline int costate_option(int i, costate_option_info *info)
{
    return costate_option_sized(i, info, sizeof *info);
}

/* The choices of option linsol, with what this library can do; 0 when there is one, -1 beyond the last. */
typedef struct costate_linsol_info {
    const char *name, *what;
    int formats;         /* of patterns that it takes, 1 << costate_format each; 0: it is not installed */
    const char *package; /* the Debian package that it needs when Costate is built; "": none */
} costate_linsol_info;
COSTATE_API int costate_linsol_sized(int i, costate_linsol_info *info, size_t size);
static inline int costate_linsol(int i, costate_linsol_info *info)
{
    return costate_linsol_sized(i, info, sizeof *info);
}

/* ---- sizes ------------------------------------------------------------------------------------------------------- */

/* The structs of this header may grow at their ends from version to version. A program says how large they were when it was
 * built, by functions named ..._sized, which the plain ones here call; from other languages call those. What an older program
 * does not know is zero, or the default of an option; what a newer one has more must be zero, or it is refused with
 * COSTATE_ERR_HEADER. Results are filled as far as both know them, and zero beyond. */
typedef struct costate_sizes {
    size_t sizes; /* of this one */
    size_t problem, options, table, linear_solver, preconditioner;
} costate_sizes;
#define COSTATE_SIZES                                                                                                          \
    {sizeof(costate_sizes), sizeof(costate_problem),       sizeof(costate_options),                                             \
     sizeof(costate_table), sizeof(costate_linear_solver), sizeof(costate_preconditioner)}

/* ---- solver ------------------------------------------------------------------------------------------------------- */

typedef struct costate_solver costate_solver;

/* Makes a solver. On failure *s still holds a solver, if there was memory for one, so that costate_message can be asked; free it
 * as usual. */
COSTATE_API int costate_create_sized(costate_solver **s, const costate_problem *problem, const costate_options *options,
                                     const costate_sizes *sizes);
static inline int costate_create(costate_solver **s, const costate_problem *problem, const costate_options *options)
{
    const costate_sizes sizes = COSTATE_SIZES;
    return costate_create_sized(s, problem, options, &sizes);
}
COSTATE_API void costate_free(costate_solver *s); /* NULL is fine */

/* Changes one option by name and text ("rtol", "1e-8"; sizes as "64K", "2G"). A recorded run is forgotten; what does not depend
 * on the option stays as it is. */
COSTATE_API int costate_set(costate_solver *s, const char *name, const char *value);

/* Rows of dense output for the runs to come: times in the order in which the run meets them; y becomes count x n, and
 * ydot (NULL, or for costate_tangent) count x n x w. The arrays belong to the caller. count = 0 takes it back. */
COSTATE_API int costate_output(costate_solver *s, int count, const double *times, double *y, double *ydot);

/* Integrates from t0 to t1 (either may be the larger). y: the initial state in (unless the problem has init), the final state
 * out. p: np parameters, copied. Records the trajectory if option `record` is 1. */
COSTATE_API int costate_solve(costate_solver *s, double t0, double t1, const double *p, double *y);

/* The same with w directions: ydot (n x w) in: directions of the initial state, on top of y0_p pdot when the problem has init;
 * out: directions of the final state. pdot (np x w): directions of the parameters; NULL: zero. */
COSTATE_API int costate_tangent(costate_solver *s, double t0, double t1, const double *p, double *y, int w, double *ydot,
                                const double *pdot);

/* The objectives of the last run, and their directional derivatives (objectives x w) of the last costate_tangent; w is that
 * call's, so psidot is left alone when there was none. */
COSTATE_API int costate_objectives(costate_solver *s, double *psi);
COSTATE_API int costate_objectives_dot(costate_solver *s, double *psidot);

/* Transposes the recorded run for w seeds on the final state. lambda (n x w): d/dy(t1) in, total d/dy(t0) out. mu (np x w; may be
 * NULL): total d/dp out, the part through init included. The problem's objectives play no role. */
COSTATE_API int costate_adjoint(costate_solver *s, int w, double *lambda, double *mu);

/* Gradients of the problem's objectives: lane l is the gradient of sum_j weights[j*w + l] psi_j. weights is objectives x w; NULL:
 * each objective by itself, w = objectives. dy0 (n x w) and dp (np x w) are written; either may be NULL: not wanted. Derivatives
 * by initial values that are infinite, as those of sqrt(y) at y = 0 are, do no harm when they are not wanted.
 * Method "auto" makes the run again with tighter tolerances where the derivative of its steps is not that of the solution, as in
 * jumps of a stiff oscillator (costate_stats.choice says so); objectives are then those of that run, until the next one. */
COSTATE_API int costate_gradient(costate_solver *s, int w, const double *weights, double *dy0, double *dp);

/* A run from t0 to t1, as by costate_solve, and the whole matrix of derivatives: d (count x w) has a row for every variable and a
 * lane for every combination of objectives, weights being as in costate_gradient. Variable i < n is an initial value, n + k is
 * parameter k; `variable` lists `count` of them, NULL: all n + np, and count is that or 0. By tangents along the variables or by
 * the adjoint, whichever is cheaper by this estimate, in evaluations of f for each stage (option `sensitivities` overrides it):
 *     tangents  count lanes of jvp, at 1 a lane if it is the user's or generated, at 2 by differences
 *     adjoint   w lanes of vjp, at 2 a lane; a vjp that is built costs one jvp or two f for each of its n + np columns, for all
 *               lanes of a block; and 1 for the record
 * Incomplete blocks count as the lanes they are padded to. costate_stats.sensitivities says which it was. The two differ by
 * round-off, or for implicit Runge-Kutta methods by what sweep_tol leaves. The run stays, for what else is wanted. */
COSTATE_API int costate_sensitivities(costate_solver *s, double t0, double t1, const double *p, double *y, int count,
                                      const int *variable, int w, const double *weights, double *d);

/* Rows of lambda(t) for the continuous gradients to come (option adjoint = continuous): times in the order in which the run meets
 * them; rows becomes count x n x w, w being that of costate_gradient or costate_adjoint. Row k is the adjoint of what
 * costate_gradient differentiates: by how much it changes with y at times[k] (of an algebraic equation: its multiplier); at an
 * observation, that included, and at an event with y before it. lambda(t) jumps there: of a time that is given twice the second
 * row is what it is behind the jump. Rows behind an event that ends the run are NaN. The array belongs to the caller. count = 0
 * takes it back. A discrete adjoint has no such rows: what its sweep goes through need not be near lambda(t), above all with bdf;
 * COSTATE_ERR_CONTINUOUS. */
COSTATE_API int costate_adjoint_output(costate_solver *s, int count, const double *times, double *rows);

/* Hessian times directions: lane l is the Hessian of sum_j weights[j*w + l] psi_j times (ydot[:,l], pdot[:,l]). Directions as in
 * costate_tangent, NULL: zero. weights as in costate_gradient, but NULL: the sum of all objectives, for every lane. hy0 or hp may
 * be NULL: not wanted. */
COSTATE_API int costate_hessian(costate_solver *s, int w, const double *weights, const double *ydot, const double *pdot,
                                double *hy0, double *hp);

/* The whole Hessian of sum_j weights[j] psi_j (weights NULL: of their sum) for the variables listed, as in
 * costate_sensitivities: h is count x count, one direction for each of them. It is symmetric up to round-off. */
COSTATE_API int costate_hessian_full(costate_solver *s, const double *weights, int count, const int *variable, double *h);

/* ---- error bars ----------------------------------------------------------------------------------------------------- */

/* How far what was computed is from what an exact integration would give: the last run once more, each step as two halves,
 * and the same computed from that; a bar is twice the difference. The values themselves stay those of the run, whose derivatives
 * they are. A difference may pass through zero: relative to its value a bar is at least a twentieth of that of the whole lane,
 * where derivatives are multiplied by the variable's value and states divided by their tolerances. Only where both
 * runs agree to the last bit is there no bar. Objectives whose adjoint equations are integrated have twice what lambda makes of
 * the defect of the run between its steps. INFINITY: nothing is known, as of derivatives by what moves a jump of the text that no
 * step ends at, or where a half is off by more than 4 tolerances. What no bar sees: that Newton's method stops at a tolerance,
 * and the model. The cost is that of what was computed, twice; the solver that takes the halves is kept. */
typedef enum costate_barred {
    COSTATE_BARS_RUN,           /* nothing but the run */
    COSTATE_BARS_GRADIENT,      /* costate_gradient: value dy0, dp (n x w, np x w) */
    COSTATE_BARS_SENSITIVITIES, /* costate_sensitivities: value d (count x w) */
    COSTATE_BARS_TANGENT,       /* costate_tangent: value ydot, psidot at the end (n x w, objectives x w) */
    COSTATE_BARS_HESSIAN,       /* costate_hessian: value hy0, hp (n x w, np x w) */
    COSTATE_BARS_HESSIAN_FULL   /* costate_hessian_full: value h (count x count) */
} costate_barred;

typedef struct costate_error_bars {
    int of;                     /* what was computed from the last run, a costate_barred; */
    int w;                      /* and with which arguments, those that it has: lanes, */
    const double *weights;      /* weights of the objectives, */
    const double *ydot, *pdot;  /* directions, those of the initial state as they were at t0, */
    int count;                  /* variables, and */
    const int *variable;        /* which they are */
    const double *value[2];     /* what it gave, first and second array; where one is NULL no bars are wanted */
    double *bar[2];             /* their bars, of the same size */
    double *y, *psi;            /* bars of the final state (n) and of the objectives; NULL: not wanted */
    double *row, *rowdot;       /* bars of the rows of costate_output and, of a tangent, of its directions; or NULL */
} costate_error_bars;

/* Bars of what the last run gave. A value that was not computed from it has no meaningful bar, and cannot be told. */
COSTATE_API int costate_bars_sized(costate_solver *s, const costate_error_bars *bars, size_t size);
static inline int costate_bars(costate_solver *s, const costate_error_bars *bars)
{
    return costate_bars_sized(s, bars, sizeof *bars);
}

/* 0: the bar is more than three tenths of the value, or is not known; then not much more than its size is. */
static inline int costate_resolved(double value, double bar)
{
    return bar <= 0.3 * (value < 0 ? -value : value);
}

/* The other way round: the run and the matrix of derivatives as by costate_sensitivities, with the loosest tolerance found that
 * makes the error bars of objectives and derivatives `wanted` or less, relative: to each objective, and for the derivatives of a
 * lane to the largest, each multiplied by its variable's value (1 where that is 0). Objectives count that are in a lane, or all
 * without lanes. Absolute tolerances keep their ratios to rtol, and the solver its tolerances as they were found; under method
 * "auto" it may end with another method, named, if that is less work. COSTATE_ERR_ACCURACY if it cannot be reached: the results
 * are then the most accurate that were found. */
typedef struct costate_accuracy {
    double wanted;               /* between 1e-12 and 1 */
    double t0, t1;
    const double *p;
    double *y;                   /* n: initial state in (unless the problem has init), final state out */
    int w, count;                /* lanes, 0: no derivatives; variables, */
    const double *weights;       /* all of them as in costate_sensitivities, */
    const int *variable;
    double *d;                   /* and count x w */
    double *psi_bar, *d_bar;     /* error bars of objectives and of d; NULL: not wanted */
    char method[32];             /* what was found: the method, */
    double rtol, reached;        /* relative tolerance, and the largest relative bar; NaN: nothing was found */
    int runs;                    /* how many it took */
} costate_accuracy;
COSTATE_API int costate_attain_sized(costate_solver *s, costate_accuracy *a, size_t size);
static inline int costate_attain(costate_solver *s, costate_accuracy *a)
{
    return costate_attain_sized(s, a, sizeof *a);
}

/* The same problem for many sets of parameters and initial values, with gradients if they are wanted: `threads` members at a
 * time, each thread with a solver of its own that has the options of s and its share of the budgets. Arrays have one row for
 * every member; what is written does not depend on the number of threads. */
typedef struct costate_member { /* how a member fared */
    int status;                 /* 0, or as of costate_solve and costate_gradient; then its rows are NaN */
    int64_t steps;
    char message[1024];         /* "" after success */
    char doubt[640];            /* what costate_switches says first against its first derivatives; "": nothing */
    char method[32];            /* with which it was made, or tried last; costate_stats.method */
    char warning[256];          /* costate_stats.warning */
} costate_member;

typedef struct costate_members {
    int count;
    double t0, t1;
    const double *p;       /* count x np; NULL if np = 0 */
    double *y;             /* count x n: initial states in (unless the problem has init), final states out */
    double *psi;           /* count x objectives; NULL: not wanted */
    int w;                 /* gradients of each member: as in costate_gradient, with the same weights for all; 0: none */
    const double *weights; /* objectives x w, or NULL */
    double *dy0, *dp;      /* count x n x w and count x np x w; dp may be NULL */
    costate_member *member; /* count */
    double *d;             /* in place of dy0 and dp, which are NULL then: count x variables x w, by costate_sensitivities */
    int variables;         /* of d: with its list, as there; without one all n + np, and this is that or 0 */
    const int *variable;
    int rows;              /* dense output, as by costate_output, at the same times for all: count x rows x n; 0: none */
    const double *times;
    double *row;
    /* error bars, as of costate_bars, of what has these names without _bar; NULL: not wanted */
    double *y_bar, *psi_bar, *dy0_bar, *dp_bar, *d_bar, *row_bar;
} costate_members;

/* COSTATE_ERR_MEMBERS if any member failed; the others are as good as ever. A run that s holds is forgotten. */
COSTATE_API int costate_ensemble_sized(costate_solver *s, const costate_members *m, size_t size, size_t member_size);
static inline int costate_ensemble(costate_solver *s, const costate_members *m)
{
    return costate_ensemble_sized(s, m, sizeof *m, sizeof *m->member);
}

/* ---- what happened ------------------------------------------------------------------------------------------------- */

/* Of the last call on s; "" after success; NULL s: no memory. The message is "reason; try: advice". */
COSTATE_API const char *costate_message(const costate_solver *s);
COSTATE_API const char *costate_reason(const costate_solver *s); /* what went wrong and where */
COSTATE_API const char *costate_advice(const costate_solver *s); /* what to try; "": there is no advice */
COSTATE_API const char *costate_status_text(int status);         /* what a code means, in general */

typedef struct costate_stats {
    int64_t steps, rejected;                                  /* of the last run */
    int64_t rhs, jvp, vjp, jvp2, vjp_dot, jac, factor, solve; /* calls since the last costate_solve or costate_tangent began; a */
                                                              /* block of w lanes or of several points is one call            */
    /* iterated stage systems of tangents and adjoints that did not converge and were solved directly, as above */
    int64_t fallbacks;
    int64_t recomputed_steps;  /* steps evaluated again by the last backward sweep */
    int64_t checkpoints;       /* states kept at the end of the last run, in memory and on disk */
    int64_t trajectory_bytes;  /* most memory the trajectory took */
    int64_t disk_bytes;        /* most disk it took */
    double forward_s, adjoint_s; /* seconds of the last run, of the last backward sweep */
    const char *method;        /* its name; under "auto" that of the one the last run was made with */
    const char *tier;          /* what the trajectory holds: "none", "stages", "states" or "checkpoints" */
    const char *derivatives;   /* where each product comes from: "jvp user, vjp jac, vjp_dot differences" */
    const char *linsol;        /* the linear solver of an implicit method, your own by its name; "": none */
    int64_t jac_nnz;           /* values of its Jacobian; 0: none, or matrix-free */
    int colours;               /* directions it is compressed from; 0: the user's jac */
    const char *sensitivities; /* how the last costate_sensitivities went about it: "tangent" or "adjoint"; "": there was none */
    double fail_t, fail_h;     /* where the last failure was; NaN if it has no place */
    int64_t fail_step;
    int fail_stage, fail_component; /* counted from 0; -1: none */
    int64_t limited;     /* steps of an explicit method whose size stability dictates, not accuracy: many if it is stiff */
    const char *choice;  /* why method "auto" took the one it did, and where in the run it was seen; "": a method was named */
    const char *warning; /* of the last run: derivatives that are not to be trusted, and why; "": there is nothing to be said */
    const char *start;   /* initial values that were made consistent: "z from 0 to 1.2"; "": none, or they were */
    int64_t events;      /* that happened in the last run; */
    int64_t grazing;     /* those of them that did by less than the tolerance: derivatives are not to be trusted; */
    int64_t ties;        /* those at the time of another event, an observation or an end: derivatives are those of one side */
    int64_t outside;     /* timed events outside of the run, which did not happen */
    int64_t adjoint_steps, adjoint_rejected; /* of the last continuous adjoint, */
    const char *adjoint_method;              /* and its method; "": there was none */
} costate_stats;
COSTATE_API int costate_get_stats_sized(const costate_solver *s, costate_stats *stats, size_t size);
static inline int costate_get_stats(const costate_solver *s, costate_stats *stats)
{
    return costate_get_stats_sized(s, stats, sizeof *stats);
}

/* A condition in the text of the problem's functions (costate_problem.guards) that makes derivatives of the last run doubtful. It
 * has to be recorded, or to carry directions, to be watched. */
typedef enum costate_switch_effect {
    COSTATE_SWITCH_NONE,
    COSTATE_SWITCH_KINK,  /* it changes at t, and the derivative of the function jumps: second derivatives lack something */
    COSTATE_SWITCH_TOUCH, /* by the tolerance it might as well have changed at t, where the function jumps */
    COSTATE_SWITCH_EDGE,  /* an objective or init is evaluated where it changes: the derivative is that of one side */
    COSTATE_SWITCH_JUMP   /* it changes at t, and the function jumps: all derivatives lack something */
} costate_switch_effect;
enum { COSTATE_SWITCH_PARAMS = 8 };

typedef struct costate_switch {
    const costate_guard *guard;
    const char *function;   /* whose it is: "rhs", "running", ... */
    costate_switch_effect effect;
    double t;               /* the first time */
    int64_t changes;        /* how often it changed in the run */
    int component;          /* where the jump is largest, -1: not known; and the value before and behind, or of the slope */
    double from, to;
    int params;             /* parameters that move it, by number, if nothing else does; -1: the state does, or there are more */
    int param[COSTATE_SWITCH_PARAMS];
    char text[640];         /* the same for people */
} costate_switch;
/* The i-th of them; 0 when there is one, -1 beyond the last. */
COSTATE_API int costate_switches_sized(const costate_solver *s, int i, costate_switch *found, size_t size);
static inline int costate_switches(const costate_solver *s, int i, costate_switch *found)
{
    return costate_switches_sized(s, i, found, sizeof *found);
}

/* The i-th event of the last run, by time; 0 when there is one, -1 beyond the last, or a status. The arrays are the solver's,
 * until the next call on it. */
typedef struct costate_event {
    int k;           /* number of the event */
    int64_t count;   /* how many events k there were before */
    double t;
    int mode;        /* after it; COSTATE_STOP: it ended the run */
    uint64_t held;   /* after it */
    int64_t step;    /* it happened at the end of so many steps */
    int grazing;     /* 1: by less than the tolerance */
    const double *before, *after; /* the state, n each */
} costate_event;
COSTATE_API int costate_events_sized(costate_solver *s, int64_t i, costate_event *found, size_t size);
static inline int costate_events(costate_solver *s, int64_t i, costate_event *found)
{
    return costate_events_sized(s, i, found, sizeof *found);
}

/* ---- the certificate ------------------------------------------------------------------------------------------------ */

/* Something that was measured, of every objective and component by its own size, and the worst of it. */
typedef struct costate_measure {
    double defect;     /* relative; NaN: nothing could be measured */
    double noise;      /* how well that is known: what differences of different sizes leave open; 0: round-off */
    double most;       /* what the defect is held against, beyond the noise */
    int measured, all; /* how many were measured, of how many */
    int wrong;         /* how many are beyond it */
    char name[96];     /* the worst, "d prey / d alpha"; "": nothing was measured */
} costate_measure;

/* Proof, on the user's own problem and parameters and with the options as they are, that the derivatives are those of the
 * computed objectives. */
typedef struct costate_certificate {
    double identity;       /* relative defect of <gradient, direction> = tangent of the objective; the worst objective */
    double symmetry;       /* relative defect of <d1, H d2> = <d2, H d1>; NaN: no second order */
    double slope_gradient; /* of the Taylor remainder with the gradient: 2; NaN: it was not measured */
    double slope_hessian;  /* of the Taylor remainder with gradient and Hessian: 3; NaN: it was not measured */
    double worst;          /* largest relative difference of a gradient component from the tangent along it */
    char worst_name[64];   /* that component */
    int components;        /* how many were compared (all, or a sample) */
    char missing[80];      /* an entry of the Jacobian that is not in the pattern, by name; "": none, or an explicit method */
    double tolerance;      /* what the defects are held against: round-off, or what finite differences allow */
    int holds;             /* 1: everything was measured that can be, and is as it should be */
    char text[1024];       /* the same for people */
    int levels;            /* sizes of perturbations that were tried for Taylor's formula */
    double eps[16];        /* the sizes, relative */
    double rest_gradient[16], rest_hessian[16]; /* the Taylor remainders there; NaN: the perturbed run failed, or there is none */
    costate_measure steps;      /* derivatives of objectives against differences over the recorded steps */
    costate_measure free_steps; /* the same against differences of whole runs, each of which chooses its steps */
    costate_measure second;     /* Hessian products against differences of tangents over the recorded steps */
    costate_measure products;   /* the problem's own products against differences of its functions, and against each other */
    costate_measure lanes;      /* products of several lanes against those of one, for all widths that are used */
    int runs, failed;           /* perturbed runs, and how many of them failed */
    char remark[512];           /* what does not hold, what could not be judged and why; "": nothing to say */
    int continuous;             /* 1: of derivatives by the adjoint equations, which are as exact as the run: identity, worst and
                                   symmetry are not held against round-off, but must fall with the tolerance */
    costate_measure tighter; /* continuous: by how much gradients and Hessian products at a hundredth of the tolerance differ from
                                those of the steps, relative; a third of that at the tolerance, or 100 times the smaller one */
    costate_measure bars;    /* continuous: how far gradients are from those at a hundredth of the tolerance, in error bars */
} costate_certificate;

/* Runs the problem from y (or init) and checks it. y is not changed. COSTATE_CHECK_FAILED if the certificate does not hold.
 * Judged are the derivatives with respect to `count` variables, numbered and listed as in costate_sensitivities; NULL: all of
 * them, and initial values that init computes are none. */
COSTATE_API int costate_check_some_sized(costate_solver *s, double t0, double t1, const double *p, const double *y, int count,
                                         const int *variable, costate_certificate *certificate, size_t size);
static inline int costate_check_some(costate_solver *s, double t0, double t1, const double *p, const double *y, int count,
                                     const int *variable, costate_certificate *certificate)
{
    return costate_check_some_sized(s, t0, t1, p, y, count, variable, certificate, sizeof *certificate);
}
COSTATE_API int costate_check_sized(costate_solver *s, double t0, double t1, const double *p, const double *y,
                                    costate_certificate *certificate, size_t size);
static inline int costate_check(costate_solver *s, double t0, double t1, const double *p, const double *y,
                                costate_certificate *certificate)
{
    return costate_check_sized(s, t0, t1, p, y, certificate, sizeof *certificate);
}

#ifdef __cplusplus
}
#endif
#endif
