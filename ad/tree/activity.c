/* activity.c - varied forwards, useful backwards, each until nothing is added. */
#include "tree/activity.h"

#include "tree/rules.h"

/* Calls f for every leaf of an expression through which derivatives pass, until it says 1. */
static int leaves(const ad_node *n, int (*f)(const ad_sym *s, void *context), void *context)
{
    switch (n->op) {
    case AD_NAME:
    case AD_ELEM:
        return n->sym->type == AD_DOUBLE && f(n->sym, context);
    case AD_COND:
        return leaves(n->yes, f, context) || leaves(n->no, f, context);
    case AD_CALL:
        switch (n->rule) {
        case AD_RULE_floor:
        case AD_RULE_ceil:
        case AD_RULE_trunc:
        case AD_RULE_round:
            return 0;
        case AD_RULE_copysign:
            return leaves(n->a, f, context);
        default:
            break;
        }
        break;
    case AD_NEG:
    case AD_ADD:
    case AD_SUB:
    case AD_MUL:
    case AD_DIV:
        if (n->type != AD_DOUBLE) return 0;
        break;
    default:
        return 0;
    }
    for (int i = 0; i < n->kids; i++)
        if (leaves(n->kid[i], f, context)) return 1;
    return 0;
}

static int in_set(const ad_sym *s, void *set)
{
    return ad_has(set, s);
}

typedef struct spread {
    ad_arena *m;
    ad_syms *set;
    int grew;
} spread;

static int add_leaf(const ad_sym *s, void *context)
{
    spread *w = context;
    if (!ad_has(w->set, s)) {
        ad_include(w->m, w->set, s);
        w->grew = 1;
    }
    return 0;
}

static void step(spread *w, const ad_node *n, int backwards)
{
    if (n->op == AD_SET || n->op == AD_INC) {
        const ad_sym *s = n->target->sym;
        if (s->type != AD_DOUBLE) return;
        if (backwards) {
            if (ad_has(w->set, s)) leaves(n->value, add_leaf, w);
        } else if (!ad_has(w->set, s) && leaves(n->value, in_set, w->set)) {
            add_leaf(s, w);
        }
        return;
    }
    const int first = ad_inner(n), last = n->kids - 1;
    for (int i = first; i <= last; i++) {
        const ad_node *s = n->kid[backwards ? first + last - i : i];
        if (s) step(w, s, backwards);
    }
}

ad_activity ad_activity_of(ad_arena *m, const ad_fn *fn, const ad_syms *inputs, const ad_syms *outputs)
{
    ad_activity a = {ad_syms_copy(m, inputs), {0}};
    if (outputs) ad_unite(m, &a.useful, outputs);
    for (int i = 0; !outputs && i < fn->params; i++)
        if (fn->param[i]->role == AD_OUTPUT || fn->param[i]->role == AD_SUM) ad_include(m, &a.useful, fn->param[i]);
    for (int backwards = 0; backwards < 2; backwards++) {
        spread w = {m, backwards ? &a.useful : &a.varied, 1};
        while (w.grew) {
            w.grew = 0;
            step(&w, fn->body, backwards);
        }
    }
    return a;
}

int ad_active(const ad_activity *a, const ad_sym *s)
{
    return s->type == AD_DOUBLE && ad_has(&a->varied, s) && ad_has(&a->useful, s);
}

int ad_expr_varied(const ad_activity *a, const ad_node *expr)
{
    return leaves(expr, in_set, (void *)&a->varied);
}
