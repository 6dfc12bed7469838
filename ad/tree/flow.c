/* flow.c - sets of symbols; what is read, written and exposed. */
#include "tree/flow.h"

#include "base/arena.h"
#include "tree/loops.h"

#include <string.h>

int ad_has(const ad_syms *a, const ad_sym *s)
{
    return s->number < a->room && a->has[s->number];
}

static void reach(ad_arena *m, ad_syms *a, int room)
{
    if (room <= a->room) return;
    a->has = ad_grow(m, a->has, (size_t)a->room, (size_t)room);
    a->room = room;
}

void ad_include(ad_arena *m, ad_syms *a, const ad_sym *s)
{
    if (s->number >= a->room) reach(m, a, s->number + s->number / 2 + 16);
    a->has[s->number] = 1;
}

void ad_exclude(ad_syms *a, const ad_sym *s)
{
    if (s->number < a->room) a->has[s->number] = 0;
}

void ad_unite(ad_arena *m, ad_syms *a, const ad_syms *b)
{
    reach(m, a, b->room);
    for (int i = 0; i < b->room; i++) a->has[i] |= b->has[i];
}

void ad_meet(ad_syms *a, const ad_syms *b)
{
    for (int i = 0; i < a->room; i++) a->has[i] &= (unsigned char)(i < b->room && b->has[i]);
}

int ad_meets(const ad_syms *a, const ad_syms *b)
{
    for (int i = 0; i < a->room && i < b->room; i++)
        if (a->has[i] && b->has[i]) return 1;
    return 0;
}

ad_syms ad_syms_copy(ad_arena *m, const ad_syms *a)
{
    ad_syms c = {0};
    ad_unite(m, &c, a);
    return c;
}

/* ---- reads and writes -------------------------------------------------------------------------------------------------- */

void ad_reads(ad_arena *m, const ad_node *n, ad_syms *a)
{
    if (!n) return;
    int from = 0;
    switch (n->op) {
    case AD_NAME:
    case AD_ELEM:
        ad_include(m, a, n->sym);
        break;
    case AD_DECL:
        ad_reads(m, n->sym->extent, a);
        break;
    case AD_SET:
    case AD_POP: /* the target's index is read, the target is not */
        if (n->target->op == AD_ELEM) ad_reads(m, n->target->index, a);
        from = 1;
        break;
    default:
        break;
    }
    for (int i = from; i < n->kids; i++) ad_reads(m, n->kid[i], a);
}

void ad_writes(ad_arena *m, const ad_node *n, ad_syms *a)
{
    if (!n) return;
    if (n->op == AD_SET || n->op == AD_INC || n->op == AD_POP) ad_include(m, a, n->target->sym);
    if (n->op == AD_FOR) ad_include(m, a, n->sym);
    for (int i = ad_inner(n); i < n->kids; i++) ad_writes(m, n->kid[i], a);
}

void ad_declared(ad_arena *m, const ad_node *n, ad_syms *a)
{
    if (!n) return;
    if (n->op == AD_DECL || n->op == AD_FOR) ad_include(m, a, n->sym);
    for (int i = ad_inner(n); i < n->kids; i++) ad_declared(m, n->kid[i], a);
}

int ad_reads_symbol(const ad_node *n, const ad_sym *s)
{
    if (!n) return 0;
    if (n->op == AD_SET || n->op == AD_INC)
        return ad_uses(n->value, s) || (n->target->op == AD_ELEM && ad_uses(n->target->index, s));
    if (n->op < AD_DECL) return ad_uses(n, s);
    for (int i = 0; i < n->kids; i++)
        if (ad_reads_symbol(n->kid[i], s)) return 1;
    return 0;
}

const ad_sym *ad_assigned(const ad_node *n, const ad_node *e)
{
    if (!n) return NULL;
    if (n->op == AD_SET || n->op == AD_INC || n->op == AD_POP) return ad_uses(e, n->target->sym) ? n->target->sym : NULL;
    for (int i = ad_inner(n); i < n->kids; i++) {
        const ad_sym *s = ad_assigned(n->kid[i], e);
        if (s) return s;
    }
    return NULL;
}

void ad_count_writes(const ad_node *n, int *writes)
{
    if (!n) return;
    if (n->op == AD_SET || n->op == AD_INC || n->op == AD_POP) writes[n->target->sym->number]++;
    for (int i = ad_inner(n); i < n->kids; i++) ad_count_writes(n->kid[i], writes);
}

int ad_only_added(const ad_node *n, const ad_sym *s)
{
    if (!n) return 1;
    if (n->op == AD_INC && n->target->sym == s) return !ad_reads_symbol(n, s);
    if (n->sym == s) return 0;
    for (int i = 0; i < n->kids; i++)
        if (!ad_only_added(n->kid[i], s)) return 0;
    return 1;
}

ad_sym **ad_new_symbols(ad_arena *m, ad_fn *fn, const ad_syms *a)
{
    const int syms = fn->syms;
    ad_sym **map = ad_take(m, (size_t)syms * sizeof *map);
    for (int i = 0; i < syms; i++) {
        if (!ad_has(a, fn->sym[i])) continue;
        map[i] = ad_sym_new(m, fn, fn->sym[i]->name, fn->sym[i]->type, fn->sym[i]->role);
        const ad_sym own = *map[i];
        *map[i] = *fn->sym[i];
        map[i]->name = own.name;
        map[i]->number = own.number;
    }
    return map;
}

/* ---- exposed reads ------------------------------------------------------------------------------------------------------ */

/* What is known to be written at a point: whole symbols, and single elements. */
typedef struct known {
    ad_syms whole;
    const ad_node **elem; /* AD_ELEM */
    int elems, room;
} known;

typedef struct walk {
    ad_arena *m;
    ad_syms *out;
} walk;

static known known_copy(ad_arena *m, const known *k)
{
    known c = {ad_syms_copy(m, &k->whole), NULL, k->elems, k->elems};
    c.elem = ad_take(m, ((size_t)k->elems + 1) * sizeof *c.elem);
    for (int i = 0; i < k->elems; i++) c.elem[i] = k->elem[i];
    return c;
}

static int knows_elem(const known *k, const ad_node *e)
{
    for (int i = 0; i < k->elems; i++)
        if (ad_same(k->elem[i], e)) return 1;
    return 0;
}

static void known_meet(known *a, const known *b)
{
    int kept = 0;
    ad_meet(&a->whole, &b->whole);
    for (int i = 0; i < a->elems; i++)
        if (knows_elem(b, a->elem[i])) a->elem[kept++] = a->elem[i];
    a->elems = kept;
}

/* s changes: elements with s in their index are no longer the ones they were. */
static void forget(known *k, const ad_sym *s)
{
    int kept = 0;
    for (int i = 0; i < k->elems; i++)
        if (!ad_uses(k->elem[i]->index, s)) k->elem[kept++] = k->elem[i];
    k->elems = kept;
}

static void read_expr(walk *w, const ad_node *n, const known *k)
{
    if (!n) return;
    if ((n->op == AD_NAME || n->op == AD_ELEM) && !ad_has(&k->whole, n->sym))
        if (n->op == AD_NAME || !knows_elem(k, n)) ad_include(w->m, w->out, n->sym);
    for (int i = 0; i < n->kids; i++) read_expr(w, n->kid[i], k);
}

static void wrote(walk *w, const ad_node *target, known *k)
{
    forget(k, target->sym);
    if (target->op == AD_NAME) {
        ad_include(w->m, &k->whole, target->sym);
        return;
    }
    if (knows_elem(k, target)) return;
    if (k->elems >= k->room) {
        int room = 2 * k->room + 8;
        k->elem = ad_grow(w->m, k->elem, (size_t)k->elems * sizeof *k->elem, (size_t)room * sizeof *k->elem);
        k->room = room;
    }
    k->elem[k->elems++] = target;
}

static void expose(walk *w, const ad_node *n, known *k);

/* Forgets the elements whose index mentions something of `changed`. */
static void forget_all(ad_arena *m, known *k, const ad_syms *changed)
{
    int kept = 0;
    for (int i = 0; i < k->elems; i++) {
        ad_syms used = {0};
        ad_reads(m, k->elem[i]->index, &used);
        if (!ad_meets(&used, changed)) k->elem[kept++] = k->elem[i];
    }
    k->elems = kept;
}

static void expose_for(walk *w, const ad_node *n, known *k)
{
    read_expr(w, n->first, k);
    read_expr(w, n->end, k);
    ad_syms changed = {0};
    ad_writes(w->m, n, &changed);
    forget_all(w->m, k, &changed); /* in the body as after it, only what no iteration changes stays known */
    known in = known_copy(w->m, k);
    ad_include(w->m, &in.whole, n->sym);
    expose(w, n->body, &in);
    if (ad_trips(n) > 0) { /* what a body that runs at least once writes, is written */
        forget_all(w->m, &in, &changed);
        *k = in;
    }
}

static void expose(walk *w, const ad_node *n, known *k)
{
    if (!n) return;
    switch (n->op) {
    case AD_BLOCK:
        for (int i = 0, first = 0; i < n->kids; i++) {
            expose(w, n->kid[i], k);
            if (n->kid[i]->op != AD_FOR) first = i + 1; /* loops in a row are perhaps pieces of one */
            else ad_covered(w->m, &n->kid[first], i + 1 - first, &k->whole);
        }
        break;
    case AD_DECL:
        if (n->sym->extent) read_expr(w, n->sym->extent, k);
        ad_include(w->m, &k->whole, n->sym);
        break;
    case AD_SET:
    case AD_INC:
        read_expr(w, n->value, k);
        /* fall through */
    case AD_POP:
        if (n->op == AD_INC) read_expr(w, n->target, k);
        else if (n->target->op == AD_ELEM) read_expr(w, n->target->index, k);
        wrote(w, n->target, k);
        break;
    case AD_PUSH:
        read_expr(w, n->target, k);
        break;
    case AD_IF: {
        read_expr(w, n->condition, k);
        known other = known_copy(w->m, k);
        expose(w, n->yes, k);
        expose(w, n->no, &other);
        known_meet(k, &other);
        break;
    }
    case AD_FOR:
        expose_for(w, n, k);
        break;
    default:
        break;
    }
}

void ad_exposed(ad_arena *m, const ad_node *n, ad_syms *a)
{
    walk w = {.m = m, .out = a};
    known k = {0};
    expose(&w, n, &k);
}
