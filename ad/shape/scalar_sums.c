/* scalar_sums.c - sums without lanes in loops of their own, where lanes fill the vectors: beside values with lanes they would be
 * added up one by one, by themselves they run as vectors.
 *
 *     for j: { s += a[j] y[j];  yb[j] += a[j] s_b }      becomes      for j: s += a[j] y[j];  for j: yb[j] += a[j] s_b */
#include "shape/passes_in.h"

#include "base/arena.h"

/* 1: s adds to a scalar without lanes, and neither needs nor changes anything else that the loop writes. */
static int apart(const ad_run *r, const ad_node *loop, const ad_node *s)
{
    ad_effects all = {{0}, {0}}, own = {{0}, {0}};
    if (s->op != AD_INC || s->target->op != AD_NAME || s->target->sym->lane) return 0;
    if (!ad_only_added(loop->body, s->target->sym)) return 0;
    ad_take_effects(r, loop->body, &all);
    ad_take_effects(r, s->value, &own);
    return !ad_meets(&own.reads, &all.writes);
}

static void part(ad_run *r, ad_node *s, const ad_loops *around, ad_node *out)
{
    ad_arena *m = r->m;
    ad_node *sums = ad_block(m), *rest = ad_block(m);
    if (s->op == AD_FOR) ad_rewrite_inside(r, s, around, part);
    if (around->depth && ad_plain(s) && ad_on_lanes(s->body)) {
        for (int k = 0; k < s->body->kids; k++) ad_append(m, apart(r, s, s->body->kid[k]) ? sums : rest, s->body->kid[k]);
        if (sums->kids) {
            ad_node *first = ad_copy(m, s, NULL);
            first->body = sums;
            s->body = rest;
            ad_append(m, out, first);
        }
    }
    ad_append(m, out, s);
}

void ad_scalar_sums(ad_run *r)
{
    ad_rewrite(r, part);
}
