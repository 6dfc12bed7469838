/* stiff.c - the list of stiff problems. */
#include "problems.h"

#include <stdlib.h>
#include <string.h>

static const problem *(*const list[])(void) = {
    stiff_robertson,     stiff_hires,         stiff_pollu,         stiff_e5,
    stiff_van_der_pol_mu, stiff_van_der_pol_3, stiff_van_der_pol_4, stiff_van_der_pol_5,
    stiff_van_der_pol_6, stiff_ring_modulator, stiff_cbm4,         stiff_cbm4_rates,
};

int stiff_count(void)
{
    return sizeof list / sizeof *list;
}

const problem *stiff_get(int i)
{
    return i >= 0 && i < stiff_count() ? list[i]() : NULL;
}

const problem *stiff_find(const char *name)
{
    for (int i = 0; i < stiff_count(); i++)
        if (!strcmp(list[i]()->name, name)) return list[i]();
    return NULL;
}

/* What a caller made is one block of memory that begins with the problem. */
void problem_free(problem *q)
{
    free(q);
}
