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

void print_asked(void); /* bars_asked.c */
void print_cost(void);

#endif
