/* single_additions.c - a[i] += b c + d e as a[i] += b c, a[i] += d e: two fused operations instead of three. */
#include "shape/passes_in.h"

#include "base/arena.h"

static void add_each(ad_arena *m, ad_node *out, const ad_node *s, ad_node *e, int sign)
{
    if (e->op == AD_ADD || e->op == AD_SUB) {
        add_each(m, out, s, e->a, sign);
        add_each(m, out, s, e->b, e->op == AD_SUB ? -sign : sign);
        return;
    }
    ad_node *add = ad_inc(m, ad_copy(m, s->target, NULL), sign < 0 ? ad_neg(m, e) : e);
    add->place = s->place;
    ad_append(m, out, add);
}

/* Additions to a scalar wait for each other: of more than two at a time, the sum comes first. */
static int singly(const ad_node *s, int lanes)
{
    if (s->op != AD_INC || s->target->op == AD_ELEM) return s->op == AD_INC;
    const ad_node *e = s->value;
    return lanes && s->target->sym->lane && (e->op == AD_ADD || e->op == AD_SUB) && e->a->op == AD_MUL && e->b->op == AD_MUL;
}

static void add_singly(ad_run *r, ad_node *s, const ad_loops *around, ad_node *out)
{
    if (s->op == AD_FOR) ad_rewrite_inside(r, s, around, add_singly);
    if (singly(s, r->lanes)) add_each(r->m, out, s, s->value, 1);
    else ad_append(r->m, out, s);
}

void ad_single_additions(ad_run *r)
{
    ad_rewrite(r, add_singly);
}
