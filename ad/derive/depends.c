/* depends.c - see depends.h */
#include "derive/depends.h"

#include <costate/costate.h>

typedef struct survey {
    unsigned char *on;
    int changed;
} survey;

unsigned ad_depends(const unsigned char *on, const ad_node *n)
{
    if (!n) return 0;
    unsigned all = n->sym ? on[n->sym->number] : 0;
    for (int i = 0; i < n->kids; i++) all |= ad_depends(on, n->kid[i]);
    return all;
}

static void add(survey *k, const ad_sym *s, unsigned on)
{
    if (!(on & ~(unsigned)k->on[s->number])) return;
    k->on[s->number] |= (unsigned char)on;
    k->changed = 1;
}

/* inside: what it depends on whether n is executed. */
static void spread(survey *k, const ad_node *n, unsigned inside)
{
    if (!n) return;
    if (n->op == AD_SET || n->op == AD_INC)
        add(k, n->target->sym, inside | ad_depends(k->on, n->value) | ad_depends(k->on, n->target->index));
    if (n->op == AD_IF) inside |= ad_depends(k->on, n->condition);
    if (n->op == AD_FOR) {
        inside |= ad_depends(k->on, n->first) | ad_depends(k->on, n->end);
        add(k, n->sym, inside);
    }
    for (int i = ad_inner(n); i < n->kids; i++) spread(k, n->kid[i], inside);
}

unsigned char *ad_depends_of(ad_arena *m, const ad_fn *fn)
{
    survey k = {.on = ad_take(m, (size_t)fn->syms + 1)};
    if (fn->t) k.on[fn->t->number] = COSTATE_ON_TIME;
    if (fn->y) k.on[fn->y->number] = COSTATE_ON_STATE;
    if (fn->p) k.on[fn->p->number] = COSTATE_ON_PARAMS;
    do {
        k.changed = 0;
        spread(&k, fn->body, 0);
    } while (k.changed);
    return k.on;
}
