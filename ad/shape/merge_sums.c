/* merge_sums.c - several additions to one element in one iteration are summed in a local and added at its end: the compiler
 * cannot do it, for all it knows the additions between them may be to the same element.
 *
 *     for i: { a[i] += e;  b[i] += f;  a[i] += g }
 *     for i: { a_here = e;  b[i] += f;  a_here += g;  a[i] += a_here } */
#include "shape/passes_in.h"

#include "base/arena.h"

static int same_place(const ad_run *r, const ad_node *a, const ad_node *b)
{
    if (a->sym != b->sym) return 0;
    if (ad_same(a, b)) return 1;
    ad_affine fa = ad_affine_of(&r->defs, a->index), fb = ad_affine_of(&r->defs, b->index), gap = ad_affine_difference(&fa, &fb);
    return gap.ok && gap.terms == 0 && gap.c == 0;
}

static void merge_in(ad_run *r, ad_node *loop)
{
    ad_arena *m = r->m;
    ad_node *body = loop->body, *start = ad_block(m), *end = ad_block(m);
    for (int i = 0; i < body->kids; i++) {
        ad_node *s = body->kid[i], *target = s->op == AD_INC ? s->target : NULL;
        if (!target || target->op != AD_ELEM || target->sym->role != AD_SUM || !ad_stays_put(body, target->index)) continue;
        ad_sym *here = NULL;
        for (int j = i + 1; j < body->kids; j++) {
            ad_node *other = body->kid[j];
            if (other->op != AD_INC || other->target->op != AD_ELEM) continue;
            if (!same_place(r, target, other->target) || !ad_stays_put(body, other->target->index)) continue;
            if (!here) {
                here = ad_sym_new(m, r->fn, ad_text(m, "%s_here", target->sym->name), AD_DOUBLE, AD_LOCAL);
                here->lane = target->sym->lane;
                ad_declare_zero(m, start, here);
            }
            other->target = ad_use(m, here);
        }
        if (!here) continue;
        ad_append(m, end, ad_inc(m, target, ad_use(m, here)));
        s->target = ad_use(m, here);
    }
    if (end->kids == 0) return;
    ad_append_all(m, start, body);
    ad_append_all(m, start, end);
    loop->body = start;
}

static void merge(ad_run *r, ad_node *s, const ad_loops *around, ad_node *out)
{
    if (s->op == AD_FOR && ad_contains(s->body, AD_FOR)) ad_rewrite_inside(r, s, around, merge);
    else if (s->op == AD_FOR) merge_in(r, s);
    ad_append(r->m, out, s);
}

void ad_merge_sums(ad_run *r)
{
    ad_rewrite(r, merge);
}
