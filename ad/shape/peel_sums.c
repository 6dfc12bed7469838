/* peel_sums.c - sums over whole vectors, and what is left in a loop of its own: in one loop compilers take the vectors of sums to
 * memory and back, to add the last terms to them.
 *
 *     for i = 0 .. 49: s += e      becomes      for i = 0 .. 47: s += e;  for i = 48 .. 49: s += e */
#include "shape/passes_in.h"

#include "base/arena.h"

static void peel_sum(ad_run *r, ad_node *loop, ad_node *out)
{
    ad_arena *m = r->m;
    const int64_t trips = ad_trips(loop), whole = trips / AD_VECTOR * AD_VECTOR;
    ad_append(m, out, loop);
    if (!loop->simd || loop->step != 1 || whole <= 0 || whole == trips || !ad_is_reduction(loop)) return;
    ad_syms own = {0};
    ad_declared(m, loop, &own);
    ad_node *rest = ad_copy(m, loop, ad_new_symbols(m, r->fn, &own));
    loop->end = ad_add(m, ad_copy(m, loop->first, NULL), ad_whole(m, whole));
    rest->first = ad_copy(m, loop->end, NULL);
    rest->simd = 0;
    ad_append(m, out, rest);
}

static void peel(ad_run *r, ad_node *s, const ad_loops *around, ad_node *out)
{
    if (s->op != AD_FOR) {
        ad_append(r->m, out, s);
        return;
    }
    ad_rewrite_inside(r, s, around, peel);
    peel_sum(r, s, out);
}

void ad_peel_sums(ad_run *r)
{
    ad_rewrite(r, peel);
}
