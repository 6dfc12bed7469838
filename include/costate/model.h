/* model.h - what a model file includes: math.h, and the descriptor at its end.
 *
 *     static void rhs(double t, const double *y, const double *p, double *f) { ... }
 *
 *     COSTATE_MODEL(name,
 *         .states = 2, .params = 1, .y0 = COSTATE_VALUES(1, 0), .p = COSTATE_VALUES(0.5), .t0 = 0, .t1 = 10, .rhs = rhs)
 *
 * A model compiles with any C compiler as it is and needs no library. Its functions are ordinary C; they return nothing, or an
 * int (0: good; > 0: outside of the domain, try a smaller step; < 0: stop), and may take a last argument `void *data`.
 * `costate diff` reads their text, which is why the descriptor holds them by address only. */
#ifndef COSTATE_MODEL_H
#define COSTATE_MODEL_H

#include <math.h>

#define COSTATE_STOP (-1) /* what next_mode returns to end the run */

#ifdef COSTATE_DIFF /* read by costate diff */

#define COSTATE_MODEL(model, ...) __costate_model__ model { __VA_ARGS__ };
#define COSTATE_NAMES(...) { __VA_ARGS__ }
#define COSTATE_VALUES(...) { __VA_ARGS__ }
#define COSTATE_ARRAY(array) { array }

#else /* compiled */

/* rhs(t, y, p, f) has a t whether or not the model depends on it, and so it is with all of them. */
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif

typedef struct costate_names {
    int count;
    const char *const *item;
} costate_names;

typedef struct costate_values {
    int count;
    const double *item;
} costate_values;

typedef struct costate_descriptor {
    const char *name;
#define COSTATE_SIZE(name, ...) int name;
#define COSTATE_NUMBER(name, ...) double name;
#define COSTATE_WORD(name, ...) const char *name;
#define COSTATE_LIST(name, kind, ...) costate_##kind name;
#define COSTATE_FUNCTION(name, ...) const void *name;
#define COSTATE_FORM(name, ...) const void *name;
#define COSTATE_CHOICE(name, ...) const void *name;
#include <costate/model.def>
    void (*defaults)(double *p); /* fills the nominal parameters; not differentiated */
} costate_descriptor;

/* __extension__: a function's address as that of an object, which POSIX allows and ISO C leaves open. */
#if defined(__GNUC__)
#define COSTATE_DESCRIPTOR __extension__ __attribute__((visibility("default")))
#else
#define COSTATE_DESCRIPTOR
#endif

#define COSTATE_MODEL(model, ...)                                                                                                \
    COSTATE_DESCRIPTOR extern const costate_descriptor costate_model_descriptor;                                                 \
    COSTATE_DESCRIPTOR const costate_descriptor costate_model_descriptor = {.name = #model, __VA_ARGS__};

/* Names and numbers in place, or an array that is defined before. They carry their length, so that a wrong one is noticed. */
#define COSTATE_NAMES(...)                                                                                                       \
    {(int)(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *)), (const char *const[]){__VA_ARGS__}}
#define COSTATE_VALUES(...)                                                                                                      \
    {(int)(sizeof((const double[]){__VA_ARGS__}) / sizeof(double)), (const double[]){__VA_ARGS__}}
#define COSTATE_ARRAY(array) {(int)(sizeof(array) / sizeof *(array)), array}

#endif
#endif
