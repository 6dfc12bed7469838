/* shifted_value.c - values at other iterations. */
#include "shape/shifted_value.h"

#include "base/arena.h"

#include <math.h>

enum { READS = 3, NODES = 16 }; /* elements that a value may consist of, and all that it is made of */

static int invariant(const ad_nest *x, const ad_node *e)
{
    ad_syms used = {0};
    ad_reads(x->r->m, e, &used);
    return !ad_meets(&used, &x->changing);
}

/* What a local of the body is, if it is set once. */
static const ad_node *definition(const ad_nest *x, const ad_sym *s)
{
    const ad_node *body = x->loop[1]->body, *only = NULL;
    int count = 0;
    for (int i = 0; i < body->kids; i++) {
        const ad_node *k = body->kid[i];
        if ((k->op != AD_SET && k->op != AD_INC) || k->target->sym != s) continue;
        only = k->op == AD_SET ? k->value : NULL;
        count++;
    }
    return count == 1 ? only : NULL;
}

/* reads, nodes: how many elements and operations are left. */
static int movable(const ad_nest *x, const ad_node *e, int *reads, int *nodes)
{
    if (invariant(x, e)) return 1;
    if ((*nodes)-- == 0) return 0;
    if (e->op == AD_NAME) {
        const ad_node *is = definition(x, e->sym);
        return is && movable(x, is, reads, nodes);
    }
    if (e->op == AD_ELEM) {
        const ad_affine form = ad_affine_of(&x->r->defs, e->index);
        return (*reads)-- > 0 && !ad_has(&x->changing, e->sym) && ad_steady(&form, &x->loops, &x->changing);
    }
    if (e->op != AD_NEG && e->op != AD_ADD && e->op != AD_SUB && e->op != AD_MUL) return 0;
    for (int i = 0; i < e->kids; i++)
        if (!movable(x, e->kid[i], reads, nodes)) return 0;
    return 1;
}

int ad_nest_movable(const ad_nest *x, const ad_node *e)
{
    int reads = READS, nodes = NODES;
    return movable(x, e, &reads, &nodes);
}

int64_t ad_nest_stride(const ad_nest *x, const ad_affine *form, int d)
{
    return x->loop[d] ? ad_coefficient(form, x->loop[d]->sym) : 0;
}

/* The value that e has at x - shift. */
static ad_node *shifted(const ad_nest *x, const ad_node *e, const int64_t *shift)
{
    ad_arena *m = x->r->m;
    if (invariant(x, e)) return ad_copy(m, e, NULL);
    if (e->op == AD_NAME) return shifted(x, definition(x, e->sym), shift);
    if (e->op == AD_ELEM) {
        ad_affine form = ad_affine_of(&x->r->defs, e->index);
        for (int d = 0; d < 2; d++) form.c -= shift[d] * ad_nest_stride(x, &form, d);
        return ad_elem(m, e->sym, ad_from_affine(m, &form));
    }
    ad_node *a = shifted(x, e->a, shift), *b = e->kids > 1 ? shifted(x, e->b, shift) : NULL;
    if (e->op == AD_NEG) return ad_neg(m, a);
    return e->op == AD_ADD ? ad_add(m, a, b) : e->op == AD_SUB ? ad_sub(m, a, b) : ad_mul(m, a, b);
}

static ad_factor times(ad_arena *m, ad_factor f, const ad_node *e)
{
    double v;
    if (e->op == AD_MUL) return times(m, times(m, f, e->a), e->b);
    if (ad_literal(e, &v) && isnormal(f.literal * v)) {
        f.literal *= v;
        return f;
    }
    ad_node *copy = ad_copy(m, e, NULL);
    f.rest = f.rest ? ad_mul(m, f.rest, copy) : copy;
    return f;
}

static ad_node *product(ad_arena *m, ad_factor f, ad_node *e)
{
    ad_node *literal = ad_num(m, f.literal);
    return ad_mul(m, f.rest ? ad_mul(m, literal, f.rest) : literal, e);
}

static int fits(double there, double literal, int near)
{
    return fabs(there) == fabs(literal) || (near && isnormal(literal / there));
}

/* The term that f e goes to: one with the same factor, but for its sign; near 1: or one with another literal; else a new one. */
static struct ad_term *place_for(ad_arena *m, ad_total *t, ad_factor f, int near)
{
    for (int pass = 0; pass <= near; pass++)
        for (int i = 0; i < t->count; i++)
            if (ad_same(t->term[i].f.rest, f.rest) && fits(t->term[i].f.literal, f.literal, pass)) return &t->term[i];
    if (t->count == t->room) {
        const int room = 2 * t->room + 8;
        t->term = ad_grow(m, t->term, (size_t)t->count * sizeof *t->term, (size_t)room * sizeof *t->term);
        t->room = room;
    }
    t->term[t->count] = (struct ad_term){f, NULL};
    return &t->term[t->count++];
}

/* Adds f e, of x - shift. */
static void add(const ad_nest *x, ad_total *t, ad_factor f, const ad_node *e, const int64_t *shift)
{
    ad_arena *m = x->r->m;
    const int moves = !invariant(x, e), second = moves && e->op == AD_MUL && !invariant(x, e->a);
    if (moves && e->op == AD_NAME) {
        add(x, t, f, definition(x, e->sym), shift);
    } else if (moves && e->op == AD_MUL && invariant(x, e->kid[second])) {
        add(x, t, times(m, f, e->kid[second]), e->kid[!second], shift);
    } else if (moves && e->op != AD_ELEM && e->op != AD_MUL) { /* a + b, a - b, -a */
        const ad_factor minus = {-f.literal, f.rest};
        add(x, t, e->op == AD_NEG ? minus : f, e->a, shift);
        if (e->kids > 1) add(x, t, e->op == AD_SUB ? minus : f, e->b, shift);
    } else {
        struct ad_term *k = place_for(m, t, f, shift[0] == 0 && shift[1] == 0);
        ad_node *value = product(m, (ad_factor){f.literal / k->f.literal, NULL}, shifted(x, e, shift));
        k->sum = k->sum ? ad_add(m, k->sum, value) : value;
    }
}

void ad_total_add(const ad_nest *x, ad_total *t, const ad_node *e, const int64_t *shift)
{
    add(x, t, (ad_factor){1, NULL}, e, shift);
}

int ad_total_absorb(const ad_nest *x, ad_total *t, const ad_node *e)
{
    ad_total both = *t;
    both.term = ad_grow(x->r->m, t->term, (size_t)t->count * sizeof *t->term, (size_t)t->room * sizeof *t->term);
    ad_total_add(x, &both, e, (const int64_t[2]){0, 0});
    if (both.count > t->count) return 0;
    *t = both;
    return 1;
}

ad_node *ad_total_value(ad_arena *m, const ad_total *t)
{
    ad_node *value = NULL;
    for (int i = 0; i < t->count; i++) {
        ad_node *term = product(m, t->term[i].f, t->term[i].sum);
        value = value ? ad_add(m, value, term) : term;
    }
    return value;
}
