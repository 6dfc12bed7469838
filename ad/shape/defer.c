/* defer.c - deferred additions, for one lane. In
 *
 *     for i: { ...; a[i] += e; for j: a[j] += ... }
 *
 * (the diagonal of y_i sum_j a_ij y_j) the single addition meets the vectors in flight that the loop before it has just written.
 * It is deferred: later[i] = e, and after the loop a[i] += later[i]. */
#include "shape/passes_in.h"

#include "base/arena.h"

enum { LONGEST = 4096 }; /* iterations, each of which has an element in later */

/* 1: a loop inside n, within loops, adds to elements of the array that move with that loop and may be the target. */
static int inner_adds(const ad_run *r, const ad_node *n, const ad_node *target, const ad_affine *form, ad_loops loops)
{
    if (!n) return 0;
    if (n->op == AD_INC && loops.depth > 1 && n->target->sym == target->sym) {
        const ad_node *inside = loops.depth <= AD_DEPTH ? loops.loop[loops.depth - 1] : NULL;
        ad_affine other = ad_affine_of(&r->defs, n->target->index);
        return inside && other.ok && ad_coefficient(&other, inside->sym) != 0 &&
               !ad_disjoint(&r->defs, &loops, &other, &loops, form);
    }
    if (n->op == AD_FOR) ad_loops_enter(&loops, n);
    for (int i = ad_inner(n); i < n->kids; i++)
        if (inner_adds(r, n->kid[i], target, form, loops)) return 1;
    return 0;
}

static ad_sym *later_for(ad_run *r, const ad_node *target, int64_t trips, ad_node **targets, ad_sym **later, int *count)
{
    for (int i = 0; i < *count; i++)
        if (ad_same(targets[i], target)) return later[i];
    if (*count == 8) return NULL;
    ad_sym *s = ad_sym_new(r->m, r->fn, ad_text(r->m, "%s_later", target->sym->name), AD_DOUBLE, AD_LOCAL);
    s->array = s->lane = 1;
    s->extent = ad_whole(r->m, trips);
    targets[*count] = (ad_node *)target;
    later[(*count)++] = s;
    return s;
}

static void defer_in(ad_run *r, ad_node *loop, ad_node *before, ad_node *after)
{
    ad_arena *m = r->m;
    int64_t trips = ad_trips(loop), c;
    if (loop->step != 1 || trips < 2 || trips > LONGEST) return;
    ad_syms changing = {0};
    ad_writes(m, loop, &changing);
    ad_loops loops = {1, {loop}};
    ad_node *targets[8], *body = loop->body, *start = ad_block(m);
    ad_sym *later[8];
    int count = 0;
    for (int i = 0; i < body->kids; i++) {
        ad_node *s = body->kid[i];
        if (s->op != AD_INC || s->target->op != AD_ELEM || s->target->sym->role != AD_SUM) continue;
        ad_affine form = ad_affine_of(&r->defs, s->target->index);
        c = ad_coefficient(&form, loop->sym);
        if (!ad_steady(&form, &loops, &changing) || c == 0 || !inner_adds(r, body, s->target, &form, loops)) continue;
        ad_sym *d = later_for(r, s->target, trips, targets, later, &count);
        if (!d) continue;
        ad_node *add = ad_copy(m, s, NULL);
        add->target = ad_elem(m, d, ad_sub(m, ad_use(m, loop->sym), ad_copy(m, loop->first, NULL)));
        body->kid[i] = add;
    }
    for (int k = 0; k < count; k++) {
        ad_node *here = ad_elem(m, later[k], ad_sub(m, ad_use(m, loop->sym), ad_copy(m, loop->first, NULL)));
        ad_append(m, before, ad_decl(m, later[k]));
        ad_append(m, start, ad_set(m, here, ad_num(m, 0)));
        ad_affine form = ad_affine_of(&r->defs, targets[k]->index);
        ad_node *inner = ad_block(m);
        ad_append(m, inner, ad_inc(m, ad_elem(m, targets[k]->sym, ad_from_affine(m, &form)), ad_copy(m, here, NULL)));
        ad_node *add = ad_for(m, loop->sym, ad_copy(m, loop->first, NULL), ad_copy(m, loop->end, NULL), 1, inner);
        add->simd = 1;
        ad_append(m, after, add);
    }
    for (int i = 0; count && i < body->kids; i++) ad_append(m, start, body->kid[i]);
    if (count) loop->body = start;
}

static void defer(ad_run *r, ad_node *s, const ad_loops *around, ad_node *out)
{
    ad_node *after = ad_block(r->m);
    if (s->op == AD_FOR) {
        defer_in(r, s, out, after);
        ad_rewrite_inside(r, s, around, defer);
    }
    ad_append(r->m, out, s);
    ad_append_all(r->m, out, after);
}

void ad_defer_additions(ad_run *r)
{
    ad_rewrite(r, defer);
}
