/* order_factors.c - the order of factors in straight code, where lanes fill the vectors.
 *
 *     pb += (y_1 (y_2 c)) r_b,   yb_1 += (p (y_2 c)) r_b,   yb_2 += (p (y_1 c)) r_b        r_b has lanes, the others have none
 *
 * A product of numbers without lanes is a multiplication, and one more operation spreads it over the lanes. With r_b first,
 * ((r_b c) y_2) y_1, what the statements have in common is computed once, and the last factor of each comes from memory as an
 * operand. Only in straight code: in a loop, products without lanes are often the same in all iterations. */
#include "shape/passes_in.h"

#include "base/arena.h"
#include "tree/rules.h"

enum { FACTORS = 16 };

typedef struct factors {
    ad_node *of[FACTORS];
    int count;
} factors;

static int flatten(factors *f, ad_node *e)
{
    if (e->op == AD_MUL) return flatten(f, e->a) && flatten(f, e->b);
    if (f->count == FACTORS) return 0;
    f->of[f->count++] = e;
    return 1;
}

static int mentions(const ad_node *e)
{
    if (e->sym) return 1;
    for (int i = 0; i < e->kids; i++)
        if (mentions(e->kid[i])) return 1;
    return 0;
}

/* Where a factor goes: the first with lanes, then constants, elements of arrays, other values, and the rest of those with
 * lanes. */
static int rank(const factors *f, int i)
{
    if (ad_has_lanes(f->of[i])) {
        for (int k = 0; k < i; k++)
            if (ad_has_lanes(f->of[k])) return 4;
        return 0;
    }
    return !mentions(f->of[i]) ? 1 : f->of[i]->op == AD_ELEM ? 2 : 3;
}

/* 1: a goes before b; among equals of a kind any fixed order will do, so that products have their beginnings in common. */
static int before(const ad_node *a, const ad_node *b)
{
    if (!a->sym || !b->sym) return 0;
    if (a->sym != b->sym) return a->sym->number < b->sym->number;
    int64_t at, other;
    return a->op == AD_ELEM && b->op == AD_ELEM && ad_constant(a->index, &at) && ad_constant(b->index, &other) && at < other;
}

static ad_node *product(ad_arena *m, ad_node *e)
{
    factors f = {.count = 0}, sorted = {.count = 0};
    int plain = 0;
    if (!flatten(&f, e)) return e;
    for (int i = 0; i < f.count; i++) plain += !ad_has_lanes(f.of[i]);
    if (plain < 2 || plain == f.count) return e;
    for (int r = 0; r <= 4; r++)
        for (int i = 0; i < f.count; i++) {
            if (rank(&f, i) != r) continue;
            if (r == 1 && sorted.count == 2) { /* constants are one */
                sorted.of[1] = ad_mul(m, sorted.of[1], f.of[i]);
                continue;
            }
            int at = sorted.count++;
            for (; at > 0 && r == 2; at--) {
                ad_node *last = sorted.of[at - 1];
                if (last->op != AD_ELEM || ad_has_lanes(last) || !before(f.of[i], last)) break;
                sorted.of[at] = last;
            }
            sorted.of[at] = f.of[i];
        }
    ad_node *out = sorted.of[0];
    for (int i = 1; i < sorted.count; i++) out = ad_mul(m, out, sorted.of[i]);
    return out;
}

static ad_node *reorder(ad_arena *m, ad_node *e)
{
    if (!ad_has_lanes(e)) return e;
    if (e->op == AD_MUL) return product(m, e);
    if (e->op == AD_ADD || e->op == AD_SUB || e->op == AD_NEG)
        for (int i = 0; i < e->kids; i++) e->kid[i] = reorder(m, e->kid[i]);
    return e;
}

static void order(ad_arena *m, ad_node *n)
{
    if (!n) return;
    if ((n->op == AD_SET || n->op == AD_INC) && n->target->sym->lane) n->value = reorder(m, n->value);
    for (int i = ad_inner(n); n->op != AD_FOR && i < n->kids; i++) order(m, n->kid[i]);
}

void ad_order_factors(ad_run *r)
{
    order(r->m, r->fn->body);
}
