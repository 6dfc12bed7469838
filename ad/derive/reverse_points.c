/* reverse_points.c - the parameter part of the reverse function for several points in one pass over pb.
 *
 * The statements of R are linear in adjoints. So what does not depend on the point itself (t, y) is done once: values before
 * the loops over points, and after them the adjoints that those loops summed over all points. */
#include "derive/reverse.h"

#include "base/arena.h"
#include "tree/flow.h"

typedef struct plan {
    ad_arena *m;
    ad_fn *fn;
    ad_syms moving; /* t, y, u, and every value that depends on them */
} plan;

static ad_node *over_points(plan *w, ad_node *body)
{
    return ad_for(w->m, w->fn->point, ad_whole(w->m, 0), ad_use(w->m, w->fn->points), 1, body);
}

/* Symbols from outside that s assigns to. */
static ad_syms results(plan *w, const ad_node *s)
{
    ad_syms written = {0}, own = {0};
    ad_writes(w->m, s, &written);
    ad_declared(w->m, s, &own);
    for (int i = 0; i < own.room && i < written.room; i++) written.has[i] &= (unsigned char)!own.has[i];
    return written;
}

static int moves(plan *w, const ad_node *s)
{
    ad_syms read = {0};
    ad_reads(w->m, s, &read);
    return ad_meets(&read, &w->moving);
}

/* 1: a loop that only adds to adjoints, and reads nothing that an earlier statement made of a point. */
static int sums_points(plan *w, const ad_node *s)
{
    if (s->op != AD_FOR) return 0;
    ad_syms bounds = {0}, made = results(w, s);
    ad_reads(w->m, s->first, &bounds);
    ad_reads(w->m, s->end, &bounds);
    if (ad_meets(&bounds, &w->moving)) return 0;
    for (int i = 0; i < w->fn->syms; i++)
        if (ad_has(&made, w->fn->sym[i]) && !(w->fn->sym[i]->lane && ad_only_added(s->body, w->fn->sym[i]))) return 0;
    return 1;
}

static int is_read_adjoint(const ad_syms *read, const ad_sym *s)
{
    return ad_has(read, s) && s->lane && s->role == AD_LOCAL;
}

/* 1: every statement is free of the point, or such a loop. An adjoint that has been summed over points is read by statements
 * free of them alone, and those must not run before a later loop adds to it: each is read only after the last loop that adds
 * to it, since R goes straight through. */
static int separates(plan *w, const ad_node *body)
{
    ad_syms taken = {0}; /* adjoints that have been read: nobody may add to them any more */
    for (int i = 0; i < body->kids; i++) {
        const ad_node *s = body->kid[i];
        ad_syms made = results(w, s), read = {0};
        if (moves(w, s)) {
            if (!sums_points(w, s) || ad_meets(&made, &taken)) return 0;
            ad_exposed(w->m, s, &read);
            for (int k = 0; k < w->fn->syms; k++) /* adjoints of other statements would be taken once for each point */
                if (is_read_adjoint(&read, w->fn->sym[k]) && !ad_has(&made, w->fn->sym[k])) return 0;
        } else if (s->op != AD_DECL) {
            ad_reads(w->m, s, &read);
            for (int k = 0; k < w->fn->syms; k++)
                if (is_read_adjoint(&read, w->fn->sym[k])) ad_include(w->m, &taken, w->fn->sym[k]);
        }
    }
    return 1;
}

int ad_over_points(ad_arena *m, ad_fn *fn)
{
    if (fn->k || fn->returns || !fn->p || !fn->y || fn->params + 1 > AD_PARAMS) return 0;
    fn->points = ad_sym_new(m, fn, "points", AD_INT, AD_INPUT);
    fn->point = ad_sym_new(m, fn, "point", AD_INT, AD_COUNTER);
    for (int i = fn->params++; i > 0; i--) fn->param[i] = fn->param[i - 1];
    fn->param[0] = fn->points;
    plan w = {.m = m, .fn = fn};
    ad_sym *const each[] = {fn->t, fn->y, fn->u};
    for (size_t i = 0; i < sizeof each / sizeof *each; i++)
        if (each[i]) {
            each[i]->points = 1;
            ad_include(m, &w.moving, each[i]);
        }
    ad_node *body = fn->body;
    fn->body = ad_block(m);
    if (ad_contains(body, AD_PUSH) || ad_contains(body, AD_POP) || !separates(&w, body)) {
        ad_append(m, fn->body, over_points(&w, body));
        return 1;
    }
    for (int i = 0; i < body->kids; i++) {
        ad_node *s = body->kid[i];
        if (s->op == AD_FOR && moves(&w, s)) {
            ad_node *inner = ad_block(m);
            ad_append(m, inner, over_points(&w, s->body));
            s = ad_copy(m, s, NULL);
            s->body = inner;
        }
        ad_append(m, fn->body, s);
    }
    return 1;
}
