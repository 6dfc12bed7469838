/* vectorize.c - marks the loops that may run as vectors (AD_FOR.simd). Where lanes are the vectors, those without lanes alone. */
#include "shape/passes_in.h"

static void mark(ad_run *r, ad_node *s, const ad_loops *around, ad_node *out)
{
    if (s->op == AD_FOR && ad_contains(s->body, AD_FOR)) ad_rewrite_inside(r, s, around, mark);
    else if (s->op == AD_FOR && !s->simd && !(r->lanes && ad_on_lanes(s->body)))
        s->simd = ad_independent(r, s, around) && !ad_too_short(s) && s->sym != r->fn->point; /* points lie anywhere */
    ad_append(r->m, out, s);
}

void ad_vectorize(ad_run *r)
{
    ad_rewrite(r, mark);
}
