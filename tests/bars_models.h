/* bars_models.h - what error bars are measured on. */
#ifndef TESTS_BARS_MODELS_H
#define TESTS_BARS_MODELS_H

#include "bars.h"

typedef struct bars_model {
    const char *file, *define;
    const char *const *methods;
    const char *best; /* for the truth */
    int second;       /* Hessian products too; those of Rosenbrock methods are judged by another method's truth */
    int goals;        /* the first so many objectives; 0: one */
} bars_model;

enum { COSTS = 400 };
typedef struct cost { /* of bars over a gradient */
    double ratio, gradient;
    char model[64];
    const char *method, *adjoint;
} cost;

typedef struct cost_table {
    int count;
    cost at[COSTS];
} cost_table;

/* bars_asked.c */
void print_asked(void);
void measure_cost(const bars_model *model, int count, const char *adjoint, cost_table *to);
void print_costs(cost_table *t);

#endif
