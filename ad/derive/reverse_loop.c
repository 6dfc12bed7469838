/* reverse_loop.c - loops in reverse. The body is a region of its own, B = { F(S); R(S) }, cleared of what is dead. What B
 * reads of the state before the iteration, and the loop writes, is carried from one iteration to the next:
 *
 *     nothing carried       F: for { S }            R: for { B }                    any order, or descending
 *     carried scalars c     F: for { push c; S }    R: for descending { pop c; B }
 *     carried arrays        F: for { F(S); push the region's locals }   R: for descending { pop them; R(S) }
 *
 * In the first two, what the loop overwrites and earlier pieces need is kept as a whole before the loop. In the third every
 * value that a piece of any iteration, or one before the loop, needs is kept where it is overwritten. An array each element of
 * which is written once, before any iteration reads it, counts as not carried: its final values are those that all iterations
 * saw. */
#include "base/arena.h"
#include "derive/record.h"

/* S without the outputs that exist no more. */
static ad_node *plain(ad_reversal *r, const ad_node *n)
{
    if (n->op == AD_BLOCK) {
        ad_node *block = ad_block(r->m);
        for (int i = 0; i < n->kids; i++) ad_append(r->m, block, plain(r, n->kid[i]));
        return block;
    }
    if ((n->op == AD_SET || n->op == AD_INC) && n->target->sym == r->fn->out && r->seeds_direct) return NULL;
    ad_node *copy = ad_copy(r->m, n, NULL);
    for (int i = ad_inner(n); i < n->kids; i++)
        if (n->kid[i]) copy->kid[i] = plain(r, n->kid[i]);
    return copy;
}

typedef struct body {
    ad_region g;
    ad_track k;
} body;

static body run_body(ad_reversal *r, const ad_node *loop, const ad_syms *needed)
{
    body b = {{ad_block(r->m), {0}}, {ad_block(r->m), ad_block(r->m), 0}};
    if (needed) ad_unite(r->m, &b.g.needed, needed);
    ad_reverse_block(r, &b.g, &b.k, loop->body);
    return b;
}

static ad_node *there_and_back(ad_reversal *r, const body *b)
{
    ad_node *both = ad_block(r->m);
    ad_append_all(r->m, both, b->g.decl);
    ad_append_all(r->m, both, b->k.fwd);
    ad_unwind(r, &b->k, both);
    return ad_dead_block(r->m, both, &r->adjoints);
}

/* The values of the region's own symbols that its reverse pieces read, in the order of their numbers; arrays first. */
static int own_values(ad_reversal *r, const body *b, const ad_node *back, ad_sym ***list)
{
    ad_syms own = {0}, exposed = {0};
    ad_declared(r->m, b->g.decl, &own);
    for (int i = 0; i < b->k.fwd->kids; i++)
        if (b->k.fwd->kid[i]->op == AD_DECL) ad_include(r->m, &own, b->k.fwd->kid[i]->sym);
    ad_exposed(r->m, back, &exposed);
    ad_meet(&own, &exposed);
    int count = 0;
    *list = ad_take(r->m, ((size_t)r->fn->syms + 1) * sizeof **list);
    for (int arrays = 1; arrays >= 0; arrays--)
        for (int i = 0; i < r->fn->syms; i++) {
            ad_sym *s = r->fn->sym[i];
            if (ad_has(&own, s) && !s->lane && s->array == arrays) (*list)[count++] = s;
        }
    return count;
}

/* A push or pop of s; both of a pair carry its number. */
static ad_node *tape(ad_reversal *r, ad_op op, ad_sym *s, int pair)
{
    ad_arena *m = r->m;
    ad_node *n = ad_new(m, op, s->type, 1, ad_use(m, s));
    n->pair = pair;
    if (!s->array) return n;
    ad_node *loop = ad_fill(r, s, NULL), *inner = ad_block(m);
    n->target = ad_elem(m, s, ad_use(m, loop->sym));
    ad_append(m, inner, n);
    loop->body = inner;
    if (op == AD_PUSH) return loop;
    return ad_descending(r, loop, loop->first, loop->end, inner);
}

/* ---- what is carried ------------------------------------------------------------------------------------------------------ */

typedef struct turn {
    ad_reversal *r;
    ad_region *g;
    ad_track *k;
    const ad_node *loop;
    ad_node *from, *to; /* bounds as they are on the way there, for the way back */
    ad_syms written;    /* outside of the loop */
    ad_node *both;      /* B */
    ad_sym **scalar;    /* that are carried */
    int scalars;
    int finals;         /* 1: an array that B reads has its final values */
    int arrays;         /* 1: an array is carried */
} turn;

static turn look(ad_reversal *r, ad_region *g, ad_track *k, const ad_node *loop)
{
    ad_arena *m = r->m;
    turn w = {.r = r, .g = g, .k = k, .loop = loop, .scalar = ad_take(m, ((size_t)r->syms + 1) * sizeof *w.scalar)};
    ad_syms exposed = {0}, own = {0};
    ad_writes(m, loop, &w.written);
    const ad_syms changing = ad_syms_copy(m, &w.written);
    ad_declared(m, loop, &own);
    for (int i = 0; i < own.room && i < w.written.room; i++) w.written.has[i] &= (unsigned char)!own.has[i];
    w.from = ad_keep_value(r, g, k, loop->first, &w.written, "first");
    w.to = ad_keep_value(r, g, k, loop->end, &w.written, "end");
    const body b = run_body(r, loop, NULL);
    w.both = there_and_back(r, &b);
    ad_exposed(m, w.both, &exposed);
    ad_meet(&exposed, &w.written);
    const ad_defs defs = ad_defs_of(m, r->fn, loop);
    for (int i = 0; i < r->syms; i++) {
        ad_sym *s = r->fn->sym[i];
        if (!ad_has(&exposed, s)) continue;
        if (!s->array) w.scalar[w.scalars++] = s;
        else if (ad_written_once(r, loop, w.both, s, &defs, &changing)) w.finals = 1;
        else w.arrays = 1;
    }
    return w;
}

/* ---- no arrays are carried: the way back computes the iterations again -------------------------------------------------- */

static ad_node *recompute(turn *w)
{
    ad_reversal *r = w->r;
    ad_arena *m = r->m;
    const int pair = ++r->pairs;
    ad_node *there = ad_block(m), *turned = ad_block(m), *back = ad_block(m), *piece = ad_block(m);
    piece->place = w->loop->place;
    for (int i = 0; i < w->scalars; i++) ad_append(m, there, tape(r, AD_PUSH, w->scalar[i], pair));
    for (int i = w->scalars - 1; i >= 0; i--) ad_append(m, turned, tape(r, AD_POP, w->scalar[i], pair));
    ad_keep(r, w->g, w->k, &w->written, NULL, piece);
    ad_append_all(m, turned, w->both);
    ad_append_all(m, there, plain(r, w->loop->body));
    ad_append(m, w->k->fwd, ad_for_like(m, w->loop, ad_copy(m, w->from, NULL), ad_copy(m, w->to, NULL), w->loop->step, there));
    if (w->both->kids == 0 && !w->scalars) return piece;
    const int any_order = !w->scalars && !w->finals && ad_any_order(r, w->loop);
    ad_append(m, back, any_order ? ad_for_like(m, w->loop, w->from, w->to, w->loop->step, turned)
                                 : ad_descending(r, w->loop, w->from, w->to, turned));
    ad_append_all(m, back, piece);
    return back;
}

/* ---- arrays are carried: the way there keeps everything ----------------------------------------------------------------- */

/* The body with all that its iterations need of each other kept where it is overwritten; back: its way back. */
static body keep_needed(turn *w, ad_node **back)
{
    ad_reversal *r = w->r;
    ad_arena *m = r->m;
    ad_syms needed = ad_syms_copy(m, &w->g->needed), own = {0};
    ad_declared(m, w->loop, &own);
    for (;;) { /* until what they need no longer grows */
        const body b = run_body(r, w->loop, &needed);
        *back = ad_block(m);
        ad_unwind(r, &b.k, *back);
        ad_syms read = {0};
        const ad_syms before = ad_syms_copy(m, &needed);
        ad_exposed(m, *back, &read);
        for (int i = 0; i < read.room && i < own.room; i++) read.has[i] &= (unsigned char)!own.has[i];
        ad_unite(m, &needed, &read);
        int grew = 0;
        for (int i = 0; i < needed.room && i < r->syms; i++) grew |= needed.has[i] && !(i < before.room && before.has[i]);
        if (!grew) return b;
    }
}

/* Declares what is not in the list: the adjoints, zeroed, and locals that restoring writes but nobody reads. */
static void declare_rest(ad_reversal *r, const ad_node *from, ad_sym *const *list, int count, ad_node *out)
{
    for (int i = 0; i < from->kids; i++) {
        ad_node *d = from->kid[i];
        int listed = d->op != AD_DECL;
        for (int j = 0; !listed && j < count; j++) listed = list[j] == d->sym;
        if (listed) continue;
        ad_append(r->m, out, d);
        if (d->sym->lane && d->sym->array) ad_append(r->m, out, ad_fill(r, d->sym, NULL));
        else if (d->sym->lane) ad_append(r->m, out, ad_set(r->m, ad_use(r->m, d->sym), ad_num(r->m, 0)));
    }
}

static ad_node *keep_all(turn *w)
{
    ad_reversal *r = w->r;
    ad_arena *m = r->m;
    ad_node *back, *there = ad_block(m), *turned = ad_block(m), *piece = ad_block(m);
    piece->place = w->loop->place;
    const body b = keep_needed(w, &back);
    ad_sym **list;
    const int pair = ++r->pairs, count = own_values(r, &b, back, &list);
    ad_append_all(m, there, b.g.decl);
    ad_append_all(m, there, b.k.fwd);
    for (int i = 0; i < count; i++) ad_append(m, there, tape(r, AD_PUSH, list[i], pair));
    for (int i = count - 1; i >= 0; i--) {
        ad_append(m, turned, ad_decl(m, list[i]));
        ad_append(m, turned, tape(r, AD_POP, list[i], pair));
    }
    declare_rest(r, b.g.decl, list, count, turned);
    declare_rest(r, b.k.fwd, list, count, turned);
    ad_append_all(m, turned, back);
    ad_append(m, w->k->fwd, ad_for_like(m, w->loop, ad_copy(m, w->from, NULL), ad_copy(m, w->to, NULL), w->loop->step, there));
    ad_append(m, piece, ad_descending(r, w->loop, w->from, w->to, turned));
    return piece;
}

void ad_reverse_for(ad_reversal *r, ad_region *g, ad_track *k, const ad_node *loop)
{
    turn w = look(r, g, k, loop);
    ad_node *piece = w.arrays ? keep_all(&w) : recompute(&w);
    ad_syms reads = {0};
    ad_exposed(r->m, piece, &reads);
    ad_unite(r->m, &g->needed, &reads);
    ad_append(r->m, k->rev, piece);
}
