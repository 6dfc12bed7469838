/* functions.h - the functions that a model may have: the lines of costate/model.def. */
#ifndef COSTATE_AD_FUNCTIONS_H
#define COSTATE_AD_FUNCTIONS_H

typedef enum ad_function {
#define COSTATE_FUNCTION(name, ...) AD_FN_##name,
#include <costate/model.def>
    AD_FUNCTIONS
} ad_function;

/* A function is called at each of these. */
typedef enum ad_each { AD_EACH_run, AD_EACH_observation, AD_EACH_event, AD_EACH_stage } ad_each;

typedef struct ad_function_info {
    const char *name;      /* of the descriptor's member */
    const char *arguments; /* "t, y, p, f": slots of its parameters, and last the name of what it writes */
    const char *products;  /* "jvp vjp" */
    ad_each each;
    int system;            /* 1: its products are members of costate_problem; 0: it is a costate_function */
} ad_function_info;

extern const ad_function_info ad_functions[AD_FUNCTIONS];

int ad_has_product(ad_function f, const char *product); /* 1: it is made of this function */

struct ad_model;
int ad_output_rows(const struct ad_model *model, ad_function f); /* how many values it writes */

#endif
