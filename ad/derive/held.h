/* held.h - conditions of the text that are held within a step.
 *
 *     if (y[0] > p[1]) f[0] = a;          if (costate_holds(held, 0, y[0] > p[1])) f[0] = a;
 *     else f[0] = b;                      else f[0] = b;                                          e[0] = y[0] - p[1]
 *
 * The library has a bit for each condition, of which it knows that it changes where the guard passes 0: events of their own, at
 * which steps end. In between a function is smooth, and derivatives by the time at which it changes are those of any event. A
 * condition that is released is what the text says.
 *
 * Held are comparisons of the right-hand side and of `running` that depend on time or states, once for each iteration of a short
 * loop. Those of time alone, t > 30 or t > p[3], become timed events. Not held are: what is in longer loops; what jumps itself,
 * as floor does, but for the phase of a cycle (held_phase.c); what says where a function is defined, by a return or in front of a
 * sqrt, for a step looks a little beyond. */
#ifndef COSTATE_AD_HELD_H
#define COSTATE_AD_HELD_H

#include "base/diag.h"
#include "tree/tree.h"

/* Puts the conditions of a model into its functions, and their guards behind its events, in place. */
void ad_hold(ad_arena *m, ad_model *model);

int ad_held_number(const ad_node *n); /* 1 + the number of the condition that n is (the first, of a loop); 0: it is none */
const char *ad_why_not_held(const ad_node *n); /* of what decides; NULL: there is no need */

/* A remark for each condition of the right-hand side and of `running`: it is held, or why not; otherwise: why, where that is not
 * known of one by itself, or NULL. */
void ad_tell_held(ad_arena *m, ad_diag *d, const ad_model *model, const char *otherwise);

#endif
