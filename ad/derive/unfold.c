/* unfold.c - c ? a : b  ->  double chosen; if (c) chosen = a; else chosen = b;
 *
 * only where it matters: where a branch calls, divides, or reads an element with an index that is not a literal, which the
 * condition may guard. */
#include "base/arena.h"
#include "derive/linearize.h"
#include "tree/rules.h"

/* 1: evaluating the branch unasked would cost time or leave an array. */
static int guarded(const ad_node *e)
{
    if (e->op == AD_CALL || e->op == AD_RAW || (e->op == AD_DIV && e->type == AD_DOUBLE)) return 1;
    if (e->op == AD_ELEM) return !ad_literal(e->index, NULL);
    for (int i = 0; i < e->kids; i++)
        if (guarded(e->kid[i])) return 1;
    return 0;
}

static void expression(ad_arena *m, ad_fn *fn, ad_node **e, ad_node *pre)
{
    ad_node *n = *e;
    if (n->type != AD_DOUBLE || n->op == AD_ELEM || n->op == AD_RAW || n->op == AD_TO_DOUBLE) return;
    if (n->op != AD_COND || !(guarded(n->yes) || guarded(n->no))) {
        for (int i = n->op == AD_COND; i < n->kids; i++) expression(m, fn, &n->kid[i], pre);
        return;
    }
    ad_sym *s = ad_sym_new(m, fn, "choice", AD_DOUBLE, AD_LOCAL);
    s->lane = ad_has_lanes(n->yes) || ad_has_lanes(n->no);
    ad_node *branch[2];
    for (int i = 0; i < 2; i++) {
        branch[i] = ad_block(m);
        expression(m, fn, &n->kid[1 + i], branch[i]);
        ad_append(m, branch[i], ad_set(m, ad_use(m, s), n->kid[1 + i]));
    }
    ad_append(m, pre, ad_decl(m, s));
    ad_append(m, pre, ad_if(m, n->condition, branch[0], branch[1]));
    *e = ad_use(m, s);
}

static void statement(ad_arena *m, ad_fn *fn, ad_node *n)
{
    if (!n) return;
    if (n->op != AD_BLOCK) {
        for (int i = ad_inner(n); i < n->kids; i++) statement(m, fn, n->kid[i]);
        return;
    }
    const ad_node old = ad_emptied(n);
    for (int i = 0; i < old.kids; i++) {
        ad_node *s = old.kid[i];
        const int first = n->kids;
        if (s->op == AD_SET || s->op == AD_INC) expression(m, fn, &s->value, n);
        else statement(m, fn, s);
        for (int j = first; j < n->kids; j++) n->kid[j]->place = s->place;
        ad_append(m, n, s);
    }
}

void ad_unfold(ad_arena *m, ad_fn *fn)
{
    statement(m, fn, fn->body);
}
