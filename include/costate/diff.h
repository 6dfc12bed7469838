/* diff.h - a model file (model.h) as a problem that costate.h can solve: differentiated, compiled with the system's compiler,
 * loaded.
 *
 *     costate_model *m = NULL;
 *     if (costate_model_open(&m, "lotka_volterra.c", NULL)) fputs(costate_model_message(m), stderr);
 *     else ... costate_create(&solver, costate_model_problem(m), &options) ...
 *     costate_model_close(m);                                        after costate_free of its solvers
 *
 * Derivatives are compiled when they are first called, by whichever thread: a callback of the problem that cannot be compiled
 * returns -1, the run fails, and costate_model_message says why. What was compiled is kept in a cache folder, $COSTATE_CACHE,
 * else $XDG_CACHE_HOME/costate, else ~/.cache/costate, so that the second time takes milliseconds and no compiler. The compiler
 * is $CC, cut into words at blanks, else cc. Nothing here prints; models are independent of each other and may be opened
 * from several threads. */
#ifndef COSTATE_DIFF_H
#define COSTATE_DIFF_H

#include <costate/costate.h>

#include <signal.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct costate_model costate_model;

typedef enum costate_model_status {
    COSTATE_MODEL_OK = 0,
    COSTATE_MODEL_FILE,     /* the model file cannot be read or is no text, or a definition is not NAME or NAME=value */
    COSTATE_MODEL_REFUSED,  /* it holds something that is not differentiated; the message has file, line, caret and advice */
    COSTATE_MODEL_COMPILE,  /* the compiler did not take it; the message is the compiler's */
    COSTATE_MODEL_COMPILER, /* there is no working compiler */
    COSTATE_MODEL_FOLDER,   /* there is no folder to compile in or to load from */
    COSTATE_MODEL_BUG,      /* the compiler did not take what was generated: a mistake of costate */
    COSTATE_MODEL_STOPPED,  /* *stop was set */
    COSTATE_MODEL_MEMORY    /* out of memory */
} costate_model_status;

typedef struct costate_model_options {
    int order;                         /* derivatives to compile at once: 0 none (default), 1, 2 (jvp2, vjp_dot), 3 (vjp_dot2) */
    int defines;                       /* definitions for the model's preprocessor: how many, and "NAME=value" each */
    const char *const *define;
    const char *compiler;              /* NULL: $CC, else cc */
    const char *flags;                 /* for the generated code, after costate's own: "-O1" compiles faster; NULL: none */
    const char *cache;                 /* the cache folder; NULL: as above; "none": none */
    int nan_check;                     /* 1: the code stops at the first NaN or infinity that it makes and says where: slow */
    const volatile sig_atomic_t *stop; /* if it becomes non-zero, compiling is given up; NULL: never */
    volatile sig_atomic_t *busy;       /* is 1 while there are compilers and temporary files, for signal handlers; may be NULL */
    const char *ahead;                 /* what the model is opened for, so that compilers run side by side for it: "gradient" by
                                          an explicit method, "gradient implicit", "gradient rosenbrock"; NULL: no matter */
    const char *switches;              /* "auto" (NULL): conditions of the text on time and states are held within a step, and
                                          change at events of their own (costate_problem.held); "off": they are not */
} costate_model_options;

/* Opens a model; options NULL: all defaults. On failure *m still holds a model, if there was memory for one, so that
 * costate_model_message can be asked; close it as usual. */
COSTATE_API int costate_model_open(costate_model **m, const char *file, const costate_model_options *options);
COSTATE_API void costate_model_close(costate_model *m); /* NULL is fine */

/* Compiles all derivatives up to this order now, as many side by side as there are processors, so that no run has to wait for
 * one. After a failure in a run it has those that could not be compiled tried again; order 0 does only that. */
COSTATE_API int costate_model_need(costate_model *m, int order);

COSTATE_API const char *costate_model_message(const costate_model *m);  /* of the last failure; "": none; NULL m: no memory */
COSTATE_API const char *costate_model_warnings(const costate_model *m); /* one or more lines, or "" */

/* The same in parts, for programs that have a way of their own to say it. The message without "error: " in front, which it has if
 * there is no place in the model to begin with (*placed 0); and the line with which warning i begins, counted from 0, NULL beyond
 * the last: *length characters. */
COSTATE_API const char *costate_model_reason(const costate_model *m, int *placed);
COSTATE_API const char *costate_model_warning(const costate_model *m, int i, int *length);

/* The problem, with all products. It and what it points to live until costate_model_close. */
COSTATE_API const costate_problem *costate_model_problem(const costate_model *m);

/* What else the descriptor says. */
typedef struct costate_model_info {
    const char *name;
    double t0, t1;
    const double *y0; /* states: the nominal initial state, from .y0 or init */
    const double *p;  /* params: the nominal parameters, from .p or defaults */
    const char *const *objective_names; /* or NULL: g[0], g[1], ... */
    int order;        /* derivatives that are there: 3 */
    const char *method; /* what suits the model; NULL: it does not say */
    double rtol, atol;  /* likewise; 0: it does not say */
} costate_model_info;
COSTATE_API costate_model_info costate_model_about(const costate_model *m);

/* All defaults, but what the model says of method and tolerances. */
static inline costate_options costate_model_defaults(const costate_model *m)
{
    const costate_model_info about = costate_model_about(m);
    costate_options options = costate_defaults(about.method);
    if (about.rtol > 0) options.rtol = about.rtol;
    if (about.atol > 0) options.atol = about.atol;
    return options;
}

/* The pattern of f_y (of_params 0) or f_p (1) as compressed columns, whatever the format of the problem's own; *colptr has n +
 * 1 (np + 1) entries. Both arrays live until costate_model_close. */
COSTATE_API int costate_model_pattern(costate_model *m, int of_params, const int **colptr, const int **rowind);

/* The generated C, as one text: for programs that are linked with it instead of loading the model. kinks (NULL: not wanted)
 * becomes a list of the places where the model's derivatives are one-sided, "" if there is none. Both texts live until
 * costate_model_close. */
COSTATE_API int costate_diff(costate_model **m, const char *file, const costate_model_options *options, const char **text,
                             const char **kinks);

/* For those who look inside: what the products are after a pass of the differentiator (ad/README.md), one after the other, as
 * text that resembles C. product: "rhs", "vjp" and so on, or NULL for all. The text lives until costate_model_close; it is empty
 * if there is no such pass or product. */
COSTATE_API int costate_dump(costate_model **m, const char *file, const costate_model_options *options, const char *pass,
                             const char *product, const char **text);

/* The name of a pass, numbered from 0 in their order, and a line about it; NULL: there are no more. */
COSTATE_API const char *costate_pass(int number, const char **about);

#ifdef __cplusplus
}
#endif
#endif
