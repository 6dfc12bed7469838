/* generated.h - the problems that are here by hand, from their model files: right-hand side, functions and nominal values are
 * those of problems/, derivatives what costate diff makes of them; what is known about the solution is the reference's. */
#ifndef REFERENCE_GENERATED_H
#define REFERENCE_GENERATED_H

#include "problems.h"

#include <costate/diff.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Names that are not those of a file */
static const struct variant {
    const char *name, *file, *define;
} variants[] = {
    {"van_der_pol_control_2", "van_der_pol_control", "KNOTS=2"},
    {"van_der_pol_control_11", "van_der_pol_control", "KNOTS=11"},
    {"van_der_pol_3", "van_der_pol", "MU=1e3"},
    {"van_der_pol_4", "van_der_pol", "MU=1e4"},
    {"van_der_pol_5", "van_der_pol", "MU=1e5"},
    {"van_der_pol_6", "van_der_pol", "MU=1e6"},
    {"cbm4_rates", "cbm4", "RATES"},
};

/* The model of a problem; size is the definition that sets it where the caller chose one, else NULL. */
static inline costate_model *generated_open(const char *name, const char *size, int order, const char *flags)
{
    struct variant v = {name, name, size};
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++)
        if (!strcmp(variants[i].name, name)) v = variants[i];
    char file[512];
    snprintf(file, sizeof file, "%s/problems/%s.c", SOURCE_DIR, v.file);
    costate_model *m = NULL;
    const costate_model_options options = {.order = order, .flags = flags, .defines = v.define != NULL, .define = &v.define};
    if (!costate_model_open(&m, file, &options)) return m;
    fprintf(stderr, "%s\n", m ? costate_model_message(m) : "out of memory");
    exit(1);
}

/* All tests open models like this, so that each is compiled once. */
static inline costate_model *generated_model(const char *name, const char *size)
{
    return generated_open(name, size, 0, "-O1");
}

typedef struct generated {
    problem q;
    costate_model *model;
} generated;

static inline generated generate(const problem *hand, const char *size)
{
    generated g = {.q = *hand, .model = generated_model(hand->name, size)};
    costate_model_info about = costate_model_about(g.model);
    g.q.prob = *costate_model_problem(g.model);
    g.q.y0 = about.y0, g.q.p = about.p, g.q.t0 = about.t0, g.q.t1 = about.t1;
    return g;
}

#endif
