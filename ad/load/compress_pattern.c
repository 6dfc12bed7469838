/* compress_pattern.c - patterns of Jacobians, as compressed columns. */
#include "load/load.h"

/* m->functions.pattern, which is a piece by itself. */
static int load_pattern(costate_model *m)
{
    static const char *const piece[] = {"pattern"};
    const int status = ad_pieces_need(m, 1, piece);
    if (status) return status;
    *(void **)&m->functions.pattern = ad_pieces_find(m, piece[0], ad_text(m->arena, "%s_pattern", m->descriptor->name));
    return m->functions.pattern ? 0 : ad_model_fail(m, COSTATE_MODEL_BUG, "error: the generated code lacks its pattern\n");
}

int ad_compress_pattern(costate_model *m, int of_params)
{
    costate_columns *c = &m->pattern[of_params];
    if (c->colptr) return COSTATE_MODEL_OK;
    const int status = load_pattern(m);
    if (status || !costate_columns_find(&m->functions, of_params, m->descriptor->t0, m->y0, m->p, c)) return status;
    return ad_model_fail(m, COSTATE_MODEL_MEMORY, "%s: error: out of memory for the pattern of the Jacobian\n", m->file);
}
