/* emit_products.h - the derivative products of one function of a model, as C. */
#ifndef COSTATE_AD_EMIT_PRODUCTS_H
#define COSTATE_AD_EMIT_PRODUCTS_H

#include "base/out.h"
#include "shape/passes.h"
#include "tree/tree.h"

typedef struct ad_subject {
    const ad_model *model;
    const ad_fn *fn;    /* extents of its parameters are set */
    const char *name;   /* of the emitted functions: "model" for the right-hand side, "model_init" and so on for the others */
    int objective;      /* 1: a costate_function: all C functions have a first parameter int k */
    int modal;          /* 1: of a model with events: data points to a costate_modal */
    const char *number, *nth; /* what k and i are in the user's function, as C; NULL: k */
    int frequent;       /* 1: called at every stage: worth variants for what may be missing */
    int nan_check;
    int rows[4];        /* states, parameters, outputs, 1 */
    const ad_watch *watch; /* who looks on while trees are made; NULL: nobody */
    int *most;          /* statements at the top of the largest body that was emitted */
    const char *piece;  /* of the code for loading, which is wanted (generate.h); NULL: all is in one text */
} ad_subject;

enum { AD_LARGE = 60 }; /* statements of a function above which compiling its products takes time */

void ad_put_eval(ad_out *o, const ad_subject *s);                       /* name_rhs or name_eval */
void ad_put_choice(ad_out *o, const ad_subject *s, const char *name);  /* what next_mode becomes: its value is what it returns */
void ad_put_named(ad_out *o, const ad_subject *s, const char *ending); /* the function itself, under the name name_ending */

/* What belongs to s->piece of name_jvp, vjp, jvp2, vjp_dot or vjp_dot2. -1: cannot be reversed. */
int ad_put_product(ad_out *o, const ad_subject *s, const char *product);
int ad_put_points(ad_out *o, const ad_subject *s); /* the same for name_vjp_points, after name_vjp; 0: there is none */

/* In place of these, functions that have the product's piece compiled when they are first called. */
void ad_put_product_stub(ad_out *o, const ad_subject *s, const char *product);
int ad_put_points_stub(ad_out *o, const ad_subject *s);
void ad_put_named_stub(ad_out *o, const ad_subject *s, const char *ending);

/* Pieces of a function are compiled with the flags that its vjp asks for, though that may not be among them: in one text they
 * would have them, too. */
void ad_count_statements(ad_arena *m, const ad_subject *s);

/* Calls add(context, name) for each piece that is an instance of the product, or of name_vjp_points. -1: cannot be reversed. */
int ad_list_instances(ad_arena *m, const ad_subject *s, const char *product, void (*add)(void *, const char *), void *context);
void ad_list_points(ad_arena *m, const ad_subject *s, void (*add)(void *, const char *), void *context);

#endif
