/* problems.c - the list of problems. */
#include "problems.h"

#include <string.h>

static const problem *const list[] = {
    &problem_lotka_volterra, &problem_van_der_pol_control_2, &problem_van_der_pol_control_11, &problem_duffing,
    &problem_brusselator,    &problem_kepler,                &problem_logistic,
};

int problem_count(void)
{
    return sizeof list / sizeof *list;
}

const problem *problem_get(int i)
{
    return i >= 0 && i < problem_count() ? list[i] : NULL;
}

const problem *problem_find(const char *name)
{
    for (int i = 0; i < problem_count(); i++)
        if (!strcmp(list[i]->name, name)) return list[i];
    return NULL;
}
