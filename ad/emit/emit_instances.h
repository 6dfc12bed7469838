/* emit_instances.h - one variant of a product as C: its instances, which are for one lane, four, eight, and any number in chunks
 * of four, and a function that chooses among them.
 *
 * In a text for loading (ad_subject.piece), instances of large functions are pieces by themselves. Whoever calls a piece calls a
 * stub, which has it compiled the first time. */
#ifndef COSTATE_AD_EMIT_INSTANCES_H
#define COSTATE_AD_EMIT_INSTANCES_H

#include "emit/emit_products.h"

enum { AD_ONE, AD_FOUR, AD_EIGHT, AD_ANY, AD_WIDTHS };

typedef struct ad_instances {
    const char *name;   /* of the variant: M_vjp_yp */
    ad_plan plan;       /* for several lanes */
    const ad_fn *fn;    /* as derived by it */
    ad_fn *wide;        /* and shaped */
    int has[AD_WIDTHS]; /* of a long body there is only one for several lanes */
} ad_instances;

/* 0: cannot be reversed. */
int ad_instances_of(ad_arena *m, const ad_subject *s, const ad_plan *plan, ad_instances *x); /* their name is the plan's */

/* 0; -1: cannot be had for one lane. */
int ad_put_widths(ad_out *o, const ad_subject *s, const ad_instances *x);  /* all instances, or stubs for them */
int ad_put_variant(ad_out *o, const ad_subject *s, const ad_instances *x); /* these, and name(lanes, ...) */
int ad_put_alone(ad_out *o, const ad_subject *s, const ad_instances *x);   /* the one that is s->piece, if there is one */

/* One line of a function with w lanes for each instance that a width has: "if (w == 4) return name_4(...)", with args(o, fn). */
void ad_put_by_width(ad_out *o, const ad_subject *s, const ad_instances *x, const char *lanes,
                     void (*args)(ad_out *, const ad_subject *, const ad_fn *));

int ad_wants_alone(const ad_subject *s, const char *name); /* 1: s->piece may be an instance of the variant, or of the product */
int ad_is_apart(const ad_subject *s); /* 1: instances are pieces by themselves */
const char *ad_instance_name(ad_arena *m, const ad_instances *x, int width);

int ad_rows_of(const ad_subject *s, const char *slot);

/* A function whose code is in the piece. */
void ad_put_stub(ad_out *o, const char *linkage, const char *name, const char *params, const char *args, const char *piece);

#endif
