/* independent.c - loops whose iterations are independent but for sums, and other things that passes ask of a loop. */
#include "shape/passes_in.h"

#include "base/arena.h"

typedef struct accesses {
    ad_arena *m;
    const ad_node **write, **read; /* AD_ELEM */
    int writes, reads, room[2];
    int fit;                        /* 0: something else stands against it */
    const ad_syms *own;
    const ad_node *body;
} accesses;

static void note(accesses *a, int which, const ad_node *e)
{
    const ad_node ***list = which ? &a->read : &a->write;
    int *count = which ? &a->reads : &a->writes;
    if (*count == a->room[which]) {
        int room = 2 * *count + 16;
        *list = ad_grow(a->m, *list, (size_t)*count * sizeof **list, (size_t)room * sizeof **list);
        a->room[which] = room;
    }
    (*list)[(*count)++] = e;
}

static void survey_expr(accesses *a, const ad_node *n)
{
    if (n->op == AD_ELEM) note(a, 1, n);
    for (int i = 0; i < n->kids; i++) survey_expr(a, n->kid[i]);
}

static void survey(accesses *a, const ad_node *n)
{
    if (!n || !a->fit) return;
    switch (n->op) {
    case AD_FOR:
    case AD_PUSH:
    case AD_POP: a->fit = 0; return;
    case AD_DECL:
        if (n->sym->array) a->fit = 0;
        return;
    case AD_SET:
    case AD_INC:
        survey_expr(a, n->value);
        if (n->target->op == AD_ELEM) {
            note(a, 0, n->target);
            survey_expr(a, n->target->index);
        } else if (!ad_has(a->own, n->target->sym) && !ad_only_added(a->body, n->target->sym)) {
            a->fit = 0;
        }
        return;
    case AD_IF: survey_expr(a, n->condition); break;
    default: break;
    }
    for (int i = ad_inner(n); i < n->kids; i++) survey(a, n->kid[i]);
}

int ad_apart(const ad_run *r, const ad_node *loop, const ad_loops *around, const ad_syms *changing, const ad_node *a,
             const ad_node *b)
{
    ad_loops loops = *around;
    ad_loops_enter(&loops, loop);
    ad_affine fa = ad_affine_of(&r->defs, a->index), fb = ad_affine_of(&r->defs, b->index);
    if (!ad_steady(&fa, &loops, changing) || !ad_steady(&fb, &loops, changing)) return 0;
    int64_t c = ad_coefficient(&fa, loop->sym) * loop->step, trips = ad_trips(loop);
    ad_affine gap = ad_affine_difference(&fa, &fb);
    if (gap.ok && gap.terms == 0 && c != 0) {
        if (gap.c % c != 0) return 1;
        int64_t far = gap.c / c;
        if (far < 0) far = -far;
        return far == 0 || (trips >= 0 && far >= trips);
    }
    return ad_disjoint(&r->defs, &loops, &fa, &loops, &fb);
}

int ad_independent(const ad_run *r, const ad_node *loop, const ad_loops *around)
{
    ad_syms own = {0}, changing = {0};
    ad_declared(r->m, loop, &own);
    ad_writes(r->m, loop, &changing);
    accesses a = {.m = r->m, .fit = 1, .own = &own, .body = loop->body};
    survey(&a, loop->body);
    for (int i = 0; i < a.writes && a.fit; i++) {
        for (int j = 0; j < a.writes && a.fit; j++)
            if (a.write[i]->sym == a.write[j]->sym) a.fit = ad_apart(r, loop, around, &changing, a.write[i], a.write[j]);
        for (int j = 0; j < a.reads && a.fit; j++)
            if (a.write[i]->sym == a.read[j]->sym) a.fit = ad_apart(r, loop, around, &changing, a.write[i], a.read[j]);
    }
    return a.fit;
}

/* ---- kinds of loops ------------------------------------------------------------------------------------------------------- */

int ad_stays_put(const ad_node *body, const ad_node *e)
{
    int count = 0;
    for (int i = 0; e->sym && i < body->kids; i++) {
        const ad_node *s = body->kid[i];
        if (s->op == AD_SET || s->op == AD_INC) count += s->target->sym == e->sym;
        else if (s->op != AD_DECL && ad_uses(s, e->sym)) count += 2;
    }
    for (int i = 0; count < 2 && i < e->kids; i++)
        if (!ad_stays_put(body, e->kid[i])) return 0;
    return count < 2;
}

static int is_sum(const ad_node *s)
{
    return s->op == AD_INC && s->target->op == AD_NAME;
}

int ad_is_reduction(const ad_node *loop)
{
    for (int i = 0; i < loop->body->kids; i++)
        if (!is_sum(loop->body->kid[i])) return 0;
    return 1;
}

int ad_too_short(const ad_node *loop)
{
    int64_t trips = ad_trips(loop);
    if (trips == 1) return 1;
    for (int i = 0; trips >= 0 && trips < 16 && i < loop->body->kids; i++)
        if (is_sum(loop->body->kid[i])) return 1;
    return 0;
}

int ad_simple(const ad_node *s)
{
    return s->op == AD_DECL ? !s->sym->array : s->op == AD_SET || s->op == AD_INC || s->op == AD_NOTE;
}

int ad_plain(const ad_node *s)
{
    if (s->op != AD_FOR) return 0;
    for (int i = 0; i < s->body->kids; i++)
        if (!ad_simple(s->body->kid[i])) return 0;
    return 1;
}

void ad_take_effects(const ad_run *r, const ad_node *n, ad_effects *e)
{
    ad_reads(r->m, n, &e->reads);
    ad_writes(r->m, n, &e->writes);
    for (int i = 0; i < r->fn->params; i++)
        if (r->fn->param[i]->role == AD_SUM) ad_exclude(&e->reads, r->fn->param[i]), ad_exclude(&e->writes, r->fn->param[i]);
}
