/* local_sums.c - what a loop adds to one and the same element is summed in a local, and added once:
 *
 *     for j: a[0] += e        becomes        a_0 = 0;  for j: a_0 += e;  a[0] += a_0 */
#include "shape/passes_in.h"

#include "base/arena.h"

typedef struct sums {
    ad_run *r;
    const ad_syms *changing; /* by the loop */
    ad_node **target;        /* elements that it adds to, the same in all iterations */
    ad_sym **local;
    int count, room;
} sums;

static int invariant(sums *w, const ad_node *index)
{
    ad_syms used = {0};
    ad_reads(w->r->m, index, &used);
    return !ad_meets(&used, w->changing);
}

static ad_sym *local_sum(sums *w, ad_node *target)
{
    for (int i = 0; i < w->count; i++)
        if (ad_same(w->target[i], target)) return w->local[i];
    ad_arena *m = w->r->m;
    if (w->count == w->room) {
        int room = 2 * w->room + 8;
        w->target = ad_grow(m, w->target, (size_t)w->count * sizeof *w->target, (size_t)room * sizeof *w->target);
        w->local = ad_grow(m, w->local, (size_t)w->count * sizeof *w->local, (size_t)room * sizeof *w->local);
        w->room = room;
    }
    int64_t at;
    const int numbered = ad_constant(target->index, &at) && at >= 0;
    const char *name = numbered ? ad_text(m, "%s_%d", target->sym->name, (int)at) : ad_text(m, "%s_sum", target->sym->name);
    ad_sym *s = ad_sym_new(m, w->r->fn, name, AD_DOUBLE, AD_LOCAL);
    s->lane = target->sym->lane;
    w->target[w->count] = target;
    w->local[w->count++] = s;
    return s;
}

/* 1: the loop runs at least once, whatever the values */
static int runs(const ad_node *loop)
{
    int64_t a, b;
    return ad_constant(loop->first, &a) && ad_constant(loop->end, &b) && (loop->step > 0 ? a < b : a > b);
}

/* sure: n is executed in every iteration. Where it is not, its element need not exist, for the condition may be what keeps the
 * index in its bounds: then it is left alone, unless the index is a constant. */
static void take_sums(sums *w, ad_node *n, int sure)
{
    int64_t at;
    if (!n) return;
    if (n->op == AD_INC && n->target->op == AD_ELEM && n->target->sym->role == AD_SUM && invariant(w, n->target->index) &&
        (sure || ad_constant(n->target->index, &at)))
        n->target = ad_use(w->r->m, local_sum(w, n->target));
    if (n->op == AD_IF || (n->op == AD_FOR && !runs(n))) sure = 0;
    for (int i = ad_inner(n); i < n->kids; i++) take_sums(w, n->kid[i], sure);
}

/* What the loop summed up goes where it belongs; to an element that may not exist if the loop does not run, only if it does. */
static void put_sums(const sums *w, const ad_node *loop, ad_node *out)
{
    ad_arena *m = w->r->m;
    ad_node *guarded = ad_block(m);
    for (int k = 0; k < w->count; k++) {
        int64_t at;
        int exists = runs(loop) || ad_constant(w->target[k]->index, &at);
        ad_append(m, exists ? out : guarded, ad_inc(m, w->target[k], ad_use(m, w->local[k])));
    }
    if (!guarded->kids) return;
    ad_node *first = ad_copy(m, loop->first, NULL), *end = ad_copy(m, loop->end, NULL);
    ad_append(m, out, ad_if(m, ad_new(m, loop->step > 0 ? AD_LT : AD_GT, AD_INT, 2, first, end), guarded, NULL));
}

static void sum_locally(ad_run *r, ad_node *s, const ad_loops *around, ad_node *out)
{
    ad_arena *m = r->m;
    ad_syms changing = {0};
    sums w = {.r = r, .changing = &changing};
    if (s->op == AD_FOR) {
        ad_writes(m, s, &changing);
        take_sums(&w, s->body, runs(s) || (invariant(&w, s->first) && invariant(&w, s->end)));
        for (int k = 0; k < w.count; k++) ad_declare_zero(m, out, w.local[k]);
        ad_rewrite_inside(r, s, around, sum_locally);
    }
    ad_append(m, out, s);
    if (w.count) put_sums(&w, s, out);
}

void ad_local_sums(ad_run *r)
{
    ad_rewrite(r, sum_locally);
}
