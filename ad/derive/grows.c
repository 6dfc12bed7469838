/* grows.c - see grows.h */
#include "derive/grows.h"

#include "tree/rules.h"

int ad_grows(const ad_node *e)
{
    if (e->type != AD_DOUBLE) return 0;
    if (e->op == AD_NAME || e->op == AD_ELEM) return e->sym->grows;
    if (e->op == AD_RAW || e->op == AD_TO_DOUBLE) return 0;
    if (e->op == AD_CALL) switch (e->rule) {
        case AD_RULE_exp: case AD_RULE_exp2: case AD_RULE_expm1: case AD_RULE_sinh: case AD_RULE_cosh:
        case AD_RULE_costate_pow: return 1;
        case AD_RULE_pow: return !ad_literal(e->b, NULL) || ad_grows(e->a);
        case AD_RULE_sqrt: case AD_RULE_cbrt: case AD_RULE_fabs: case AD_RULE_hypot: case AD_RULE_fmax: break;
        default: return 0;
        }
    for (int i = e->op == AD_COND; i < e->kids; i++)
        if (ad_grows(e->kid[i])) return 1;
    return 0;
}

/* 1: there is a call in it that grows, or a product of what does: it may have overflowed, as nothing that has a name has. */
static int made_here(const ad_node *e)
{
    if (!ad_grows(e) || e->op == AD_NAME || e->op == AD_ELEM) return 0;
    if (e->op == AD_CALL || ((e->op == AD_MUL || e->op == AD_DIV) && ad_grows(e->a) && ad_grows(e->b))) return 1;
    for (int i = e->op == AD_COND; i < e->kids; i++)
        if (made_here(e->kid[i])) return 1;
    return 0;
}

int ad_overflows(const ad_node *e)
{
    if (ad_literal(e->a, NULL) || ad_literal(e->b, NULL) || ad_has_lanes(e)) return 0;
    return (ad_grows(e->a) && ad_grows(e->b)) || made_here(e->a) || made_here(e->b);
}

static int look(const ad_node *n)
{
    int changed = 0;
    if (!n) return 0;
    if ((n->op == AD_SET || n->op == AD_INC) && n->value->type == AD_DOUBLE && !n->target->sym->grows && ad_grows(n->value))
        n->target->sym->grows = changed = 1;
    for (int i = ad_inner(n); i < n->kids; i++) changed |= look(n->kid[i]);
    return changed;
}

void ad_grows_mark(const ad_fn *fn)
{
    while (look(fn->body)) continue;
}
