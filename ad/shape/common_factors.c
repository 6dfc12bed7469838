/* common_factors.c - factors that terms have in common: f a + f b + f c becomes f (a + b + c). */
#include "shape/passes_in.h"

#include "base/arena.h"

enum { TERMS = 32, WORTH_IT = 3 };

typedef struct terms {
    ad_node *of[TERMS]; /* NULL: taken already */
    int sign[TERMS];
    int count;
} terms;

static int spread(terms *t, ad_node *e, int sign)
{
    if (e->op == AD_ADD || e->op == AD_SUB) return spread(t, e->a, sign) && spread(t, e->b, e->op == AD_SUB ? -sign : sign);
    if (e->op == AD_NEG) return spread(t, e->a, -sign);
    if (t->count == TERMS) return 0;
    t->of[t->count] = e;
    t->sign[t->count++] = sign;
    return 1;
}

static ad_node *first_factor(ad_node *e)
{
    while (e->op == AD_MUL) e = e->a;
    return e;
}

/* The product without its first factor. */
static ad_node *others(ad_arena *m, ad_node *e)
{
    return e->a->op == AD_MUL ? ad_mul(m, others(m, e->a), e->b) : e->b;
}

static ad_node *plus(ad_arena *m, ad_node *sum, ad_node *e, int sign)
{
    if (!sum) return sign < 0 ? ad_neg(m, e) : e;
    return sign < 0 ? ad_sub(m, sum, e) : ad_add(m, sum, e);
}

/* f a + f b + f c as f (a + b + c), for three terms or more. */
static ad_node *common(ad_arena *m, ad_node *e)
{
    terms t = {.count = 0};
    ad_node *sum = NULL;
    int found = 0;
    if (!spread(&t, e, 1)) return e;
    for (int i = 0; i < t.count; i++) {
        if (!t.of[i]) continue;
        ad_node *f = t.of[i]->op == AD_MUL ? first_factor(t.of[i]) : NULL, *inner = NULL;
        int same = 0;
        for (int k = i; f && k < t.count; k++) same += t.of[k] && t.of[k]->op == AD_MUL && ad_same(first_factor(t.of[k]), f);
        if (same < WORTH_IT) {
            sum = plus(m, sum, t.of[i], t.sign[i]);
            continue;
        }
        for (int k = i; k < t.count; k++) {
            if (!t.of[k] || t.of[k]->op != AD_MUL || !ad_same(first_factor(t.of[k]), f)) continue;
            inner = plus(m, inner, others(m, t.of[k]), t.sign[k]);
            t.of[k] = NULL;
        }
        sum = plus(m, sum, ad_mul(m, f, inner), 1);
        found = 1;
    }
    return found ? sum : e;
}

static void take_out(ad_arena *m, ad_node *n)
{
    if (!n) return;
    if ((n->op == AD_SET || n->op == AD_INC) && n->value->type == AD_DOUBLE) n->value = common(m, n->value);
    for (int i = ad_inner(n); i < n->kids; i++) take_out(m, n->kid[i]);
}

void ad_common_factors(ad_run *r)
{
    take_out(r->m, r->fn->body);
}
