/* lower_loop.h - what the two files that lower for loops share: loop_header.c reads what stands in the parentheses. */
#ifndef COSTATE_AD_LOWER_LOOP_H
#define COSTATE_AD_LOWER_LOOP_H

#include "front/lower.h"

enum { AC_STEP_PARTS = 16 }; /* of a step, separated by commas */

/* A variable besides the counter that moves by a constant: inside the loop it stands for an expression. */
typedef struct ac_follower {
    ac_entity *v;
    ac_ref *own;
    ad_node *from;
    int64_t step;
} ac_follower;

typedef struct ac_for {
    ac_stmt *s;
    ac_entity *v;       /* the counter */
    ac_expr *compare;   /* its condition */
    ac_expr *rest;      /* further conditions, or NULL */
    ac_expr *limit;     /* the other side */
    ad_op op;           /* of the comparison, with the counter on the left */
    ac_expr *advance;   /* the part of the step that moves the counter; NULL: it is in the condition, i-- > 0 */
    int64_t step;
    ad_node *from, *to; /* of AD_FOR */
    ad_sym *counter;
    int keep;           /* the value behind the loop is wanted */
    int followers, others;
    ac_follower follower[AC_STEP_PARTS];
    ac_expr *other[AC_STEP_PARTS]; /* parts of the step that are carried out at the end of each pass */
} ac_for;

/* 1: counter, bounds and step are found, and what stands before the first ; is lowered. 0: refused. */
int ac_for_header(ac_lower *cx, ac_for *h);

/* 1: e moves a variable by a constant: x++, x += 2, x = x - 1. */
int ac_constant_step(ac_lower *cx, const ac_expr *e, int64_t *step);

#endif
