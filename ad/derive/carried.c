/* carried.c - what iterations of a loop hand on to each other, as far as reverse mode has to know. */
#include "derive/record.h"

/* ---- may the iterations run in any order? ------------------------------------------------------------------------------ */

typedef struct order {
    ad_reversal *r;
    const ad_node *loop;
    ad_syms own;     /* declared inside */
    ad_syms changing; /* written inside */
    ad_defs defs;
    int free;
} order;

/* 1: every read of s in n is one of the element that `target` names. */
static int reads_only(const ad_node *n, const ad_node *target)
{
    if (!n) return 1;
    if (n->op == AD_ELEM && n->sym == target->sym && !ad_same(n, target)) return 0;
    for (int i = 0; i < n->kids; i++)
        if (!reads_only(n->kid[i], target)) return 0;
    return 1;
}

/* An assignment reads the adjoint of its target, and `=` clears it; reads of a symbol add to its adjoint. Sums that nobody
 * reads are harmless. */
static void check_order(order *o, const ad_node *n, ad_loops loops)
{
    if (n->op == AD_SET || n->op == AD_INC) {
        const ad_sym *s = n->target->sym;
        if (!ad_active(&o->r->activity, s) || ad_has(&o->own, s) || (s == o->r->fn->out && o->r->seeds_direct)) return;
        if (n->op == AD_INC && !ad_reads_symbol(o->loop->body, s)) return;
        if (n->target->op == AD_NAME) {
            o->free = 0;
            return;
        }
        ad_affine form = ad_affine_of(&o->defs, n->target->index);
        if (!ad_steady(&form, &loops, &o->changing) || !ad_injective(&o->defs, &loops, 0, &form) ||
            !reads_only(o->loop->body, n->target))
            o->free = 0;
    }
    if (n->op == AD_FOR) ad_loops_enter(&loops, n);
    for (int i = ad_inner(n); i < n->kids && o->free; i++)
        if (n->kid[i]) check_order(o, n->kid[i], loops);
}

int ad_any_order(ad_reversal *r, const ad_node *loop)
{
    order o = {.r = r, .loop = loop, .defs = ad_defs_of(r->m, r->fn, loop), .free = 1};
    ad_declared(r->m, loop, &o.own);
    ad_writes(r->m, loop, &o.changing);
    check_order(&o, loop, (ad_loops){0});
    return o.free;
}

/* ---- arrays written once ------------------------------------------------------------------------------------------------ */

typedef struct once {
    const ad_node *loop;
    const ad_sym *s;
    const ad_defs *defs;
    const ad_node *target;   /* of the one assignment */
    ad_affine form;
    int ok;
} once;

static void find_write(once *w, const ad_node *n, int nested)
{
    if ((n->op == AD_SET || n->op == AD_INC || n->op == AD_POP) && n->target->sym == w->s) {
        if (n->op != AD_SET || nested || (w->target && !ad_same(w->target, n->target))) w->ok = 0;
        w->target = n->target;
    }
    for (int i = ad_inner(n); i < n->kids; i++)
        if (n->kid[i]) find_write(w, n->kid[i], nested || (n->op == AD_FOR && n != w->loop));
}

/* Reads must be of elements that earlier iterations wrote, or this one (before it reads), or of none that the loop writes. */
static void check_reads(once *w, const ad_node *n)
{
    if (!n || !w->ok) return;
    if (n->op == AD_ELEM && n->sym == w->s && !ad_same(n, w->target)) {
        ad_affine form = ad_affine_of(w->defs, n->index), gap = ad_affine_difference(&form, &w->form);
        int64_t c = ad_coefficient(&w->form, w->loop->sym) * w->loop->step;
        if (!gap.ok || gap.terms > 0 || (c > 0 ? gap.c >= 0 : gap.c <= 0)) w->ok = 0;
    }
    for (int i = 0; i < n->kids; i++) check_reads(w, n->kid[i]);
}

/* Reads of the element itself before it is written: those are exposed in the body with all other elements taken for known. */
static int reads_first(ad_reversal *r, const once *w, const ad_node *n, int *written)
{
    if (!n || *written) return 0;
    if (n->op == AD_ELEM && ad_same(n, w->target)) return 1;
    if (n->op == AD_SET && n->target->sym == w->s) {
        if (reads_first(r, w, n->value, written)) return 1;
        *written = 1;
        return 0;
    }
    if (n->op == AD_IF) {
        int yes = 0, no = 0;
        if (reads_first(r, w, n->condition, written)) return 1;
        if (reads_first(r, w, n->yes, &yes) || reads_first(r, w, n->no, &no)) return 1;
        *written = yes && no;
        return 0;
    }
    for (int i = 0; i < n->kids; i++)
        if (reads_first(r, w, n->kid[i], written)) return 1;
    return 0;
}

int ad_written_once(ad_reversal *r, const ad_node *loop, const ad_node *twice, const ad_sym *s, const ad_defs *defs,
                    const ad_syms *changing)
{
    ad_loops loops = {1, {loop}};
    once w = {.loop = loop, .s = s, .defs = defs, .ok = 1};
    int written = 0;
    find_write(&w, loop, 0);
    if (!w.ok || !w.target) return 0;
    w.form = ad_affine_of(defs, w.target->index);
    if (!w.form.ok || ad_coefficient(&w.form, loop->sym) == 0) return 0;
    if (!ad_steady(&w.form, &loops, changing)) return 0;
    check_reads(&w, loop->body);
    check_reads(&w, twice);
    return w.ok && !reads_first(r, &w, loop->body, &written);
}
