/* pattern.h - a C function that finds which states and parameters each output of a function may depend on. */
#ifndef COSTATE_AD_PATTERN_H
#define COSTATE_AD_PATTERN_H

#include "base/out.h"
#include "tree/tree.h"

/* Emits int name(double t, const double *y, const double *p, costate_pattern_sink *sink, void *data), see costate/runtime.h.
 * states and params are the lengths of y and p; modal: data
 * points to a costate_modal. It is the pattern of all modes together. */
void ad_put_pattern(ad_out *o, const ad_fn *fn, const char *name, int states, int params, int modal);

#endif
