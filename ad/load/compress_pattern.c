/* compress_pattern.c - patterns of Jacobians, as compressed columns. */
#include "load/load.h"

int ad_compress_pattern(costate_model *m, int of_params)
{
    costate_columns *c = &m->pattern[of_params];
    if (c->colptr || !costate_columns_find(&m->functions, of_params, m->descriptor->t0, m->y0, m->p, c)) return COSTATE_MODEL_OK;
    return ad_model_fail(m, COSTATE_MODEL_MEMORY, "%s: error: out of memory for the pattern of the Jacobian\n", m->file);
}
