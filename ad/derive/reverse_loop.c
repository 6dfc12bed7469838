/* reverse_loop.c - loops in reverse. The body is a region of its own, B = { F(S); R(S) }, cleared of what is dead. What B reads of the state before the
 * iteration, and the loop writes, is carried from one iteration to the next:
 *
 *     nothing carried       F: for { S }            R: for { B }                    any order, or descending
 *     carried scalars c     F: for { push c; S }    R: for descending { pop c; B }
 *     carried arrays        F: for { F(S); push the region's locals }   R: for descending { pop them; R(S) }
 *
 * In the first two, what the loop overwrites and earlier pieces need is kept as a whole before the loop. In the third every value that a piece
 * of any iteration, or one before the loop, needs is kept where it is overwritten. An array each element of which is written once, before any iteration
 * reads it, counts as not carried: its final values are those that all iterations saw. */
#include "base/arena.h"
#include "derive/record.h"

#include <string.h>

static int is_signed(const ad_sym *counter)
{
    const char *t = counter->ctype ? counter->ctype : "int";
    return !strcmp(t, "int") || !strcmp(t, "long") || !strcmp(t, "long long");
}

/* The loop with its iterations in the opposite order. Bounds that wrap around (unsigned counters) or steps other than 1 go by the number of the iteration. */
static ad_node *descending(ad_reversal *r, const ad_node *loop, ad_node *from, ad_node *to, ad_node *body)
{
    ad_arena *m = r->m;
    int64_t step = loop->step;
    if ((step == 1 || step == -1) && is_signed(loop->sym)) {
        ad_node *one = ad_whole(m, step);
        return ad_for_like(m, loop, ad_sub(m, to, one), ad_sub(m, from, ad_copy(m, one, NULL)), -step, body);
    }
    ad_sym *q = ad_sym_new(m, r->fn, "turn", AD_INT, AD_COUNTER);
    q->ctype = "long";
    ad_sym *i = ad_sym_new(m, r->fn, loop->sym->name, AD_INT, AD_LOCAL);
    i->ctype = loop->sym->ctype;
    ad_sym **map = ad_take(m, ((size_t)r->fn->syms + 1) * sizeof *map);
    map[loop->sym->number] = i;
    /* (hi - lo + step - 1) / step iterations, counted in long */
    ad_node *lo = ad_new(m, AD_TO_INT, AD_INT, 1, from), *hi = ad_new(m, AD_TO_INT, AD_INT, 1, to);
    lo->text = hi->text = "long";
    ad_node *width = step > 0 ? ad_sub(m, hi, lo) : ad_sub(m, lo, hi);
    int64_t size = step > 0 ? step : -step;
    ad_node *turns = size == 1 ? width : ad_new(m, AD_DIV, AD_INT, 2, ad_add(m, width, ad_whole(m, size - 1)), ad_whole(m, size));
    ad_node *value = ad_add(m, ad_copy(m, lo, NULL), ad_mul(m, ad_use(m, q), ad_whole(m, step)));
    ad_node *cast = ad_new(m, AD_TO_INT, AD_INT, 1, value);
    cast->text = i->ctype ? i->ctype : "int";
    ad_node *inner = ad_block(m), *copy = ad_copy(m, body, map);
    ad_append(m, inner, ad_decl(m, i));
    ad_append(m, inner, ad_set(m, ad_use(m, i), cast));
    ad_append_all(m, inner, copy);
    ad_node *n = ad_for_like(m, loop, ad_sub(m, turns, ad_whole(m, 1)), ad_whole(m, -1), -1, inner);
    n->sym = q;
    return n;
}

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

/* ---- may the iterations run in any order? ---------------------------------------------------------------------------------- */

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

/* An assignment reads the adjoint of its target, and `=` clears it; reads of a symbol add to its adjoint. Sums that nobody reads are harmless. */
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
        if (!ad_steady(&form, &loops, &o->changing) || !ad_injective(&o->defs, &loops, 0, &form) || !reads_only(o->loop->body, n->target)) o->free = 0;
    }
    if (n->op == AD_FOR) ad_loops_enter(&loops, n);
    for (int i = ad_inner(n); i < n->kids && o->free; i++)
        if (n->kid[i]) check_order(o, n->kid[i], loops);
}

static int any_order(ad_reversal *r, const ad_node *loop)
{
    order o = {.r = r, .loop = loop, .defs = ad_defs_of(r->m, r->fn, loop), .free = 1};
    ad_declared(r->m, loop, &o.own);
    ad_writes(r->m, loop, &o.changing);
    check_order(&o, loop, (ad_loops){0});
    return o.free;
}

/* ---- arrays written once ------------------------------------------------------------------------------------------------------ */

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
        if (reads_first(r, w, n->condition, written) || reads_first(r, w, n->yes, &yes) ||
            reads_first(r, w, n->no, &no))
            return 1;
        *written = yes && no;
        return 0;
    }
    for (int i = 0; i < n->kids; i++)
        if (reads_first(r, w, n->kid[i], written)) return 1;
    return 0;
}

static int written_once(ad_reversal *r, const ad_node *loop, const ad_node *twice, const ad_sym *s, const ad_defs *defs, const ad_syms *changing)
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

/* ---- the three ways ---------------------------------------------------------------------------------------------------------------- */

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
    return descending(r, loop, loop->first, loop->end, inner);
}

/* Carried arrays: F keeps everything, R does not recompute. */
static void by_tape(ad_reversal *r, ad_region *g, ad_track *k, const ad_node *loop, ad_node *from, ad_node *to, ad_node *piece)
{
    ad_arena *m = r->m;
    ad_syms needed = ad_syms_copy(m, &g->needed), own_syms = {0};
    ad_declared(m, loop, &own_syms);
    body b;
    ad_node *back;
    for (;;) { /* until what iterations need of each other no longer grows */
        b = run_body(r, loop, &needed);
        back = ad_block(m);
        ad_unwind(r, &b.k, back);
        ad_syms read = {0}, before = ad_syms_copy(m, &needed);
        ad_exposed(m, back, &read);
        for (int i = 0; i < read.room && i < own_syms.room; i++) read.has[i] &= (unsigned char)!own_syms.has[i];
        ad_unite(m, &needed, &read);
        int grew = 0;
        for (int i = 0; i < needed.room && i < r->syms; i++) grew |= needed.has[i] && !(i < before.room && before.has[i]);
        if (!grew) break;
    }
    ad_sym **list;
    int pair = ++r->pairs;
    int count = own_values(r, &b, back, &list);
    ad_node *there = ad_block(m), *return_ = ad_block(m);
    ad_append_all(m, there, b.g.decl);
    ad_append_all(m, there, b.k.fwd);
    for (int i = 0; i < count; i++) ad_append(m, there, tape(r, AD_PUSH, list[i], pair));
    for (int i = count - 1; i >= 0; i--) {
        ad_append(m, return_, ad_decl(m, list[i]));
        ad_append(m, return_, tape(r, AD_POP, list[i], pair));
    }
    /* What remains to declare: the adjoints, zeroed, and locals that restoring writes but nobody reads. */
    ad_node *own[2] = {b.g.decl, b.k.fwd};
    for (int a = 0; a < 2; a++)
        for (int i = 0; i < own[a]->kids; i++) {
            ad_node *d = own[a]->kid[i];
            if (d->op != AD_DECL) continue;
            int listed = 0;
            for (int j = 0; j < count; j++) listed |= list[j] == d->sym;
            if (listed) continue;
            ad_append(m, return_, d);
            if (d->sym->lane) ad_append(m, return_, d->sym->array ? ad_fill(r, d->sym, NULL) : ad_set(m, ad_use(m, d->sym), ad_num(m, 0)));
        }
    ad_append_all(m, return_, back);
    ad_append(m, k->fwd, ad_for_like(m, loop, ad_copy(m, from, NULL), ad_copy(m, to, NULL), loop->step, there));
    ad_append(m, piece, descending(r, loop, from, to, return_));
}

void ad_reverse_for(ad_reversal *r, ad_region *g, ad_track *k, const ad_node *loop)
{
    ad_arena *m = r->m;
    ad_syms written = {0}, exposed = {0}, own = {0}, reads = {0};
    ad_writes(m, loop, &written);
    ad_syms changing = ad_syms_copy(m, &written);
    ad_declared(m, loop, &own);
    for (int i = 0; i < own.room && i < written.room; i++) written.has[i] &= (unsigned char)!own.has[i];
    ad_node *from = ad_keep_value(r, g, k, loop->first, &written, "first"), *to = ad_keep_value(r, g, k, loop->end, &written, "end");
    body b = run_body(r, loop, NULL);
    ad_node *both = there_and_back(r, &b), *piece = ad_block(m), *there = ad_block(m);
    piece->place = loop->place;
    ad_exposed(m, both, &exposed);
    ad_meet(&exposed, &written);
    ad_defs defs = ad_defs_of(m, r->fn, loop);
    int arrays = 0, scalars = 0, finals = 0, pair = ++r->pairs;
    ad_node *pops = ad_block(m);
    for (int i = 0; i < r->syms; i++) {
        ad_sym *s = r->fn->sym[i];
        if (!ad_has(&exposed, s)) continue;
        if (!s->array) {
            scalars = 1;
            ad_append(m, there, tape(r, AD_PUSH, s, pair));
        } else if (written_once(r, loop, both, s, &defs, &changing)) {
            finals = 1;
        } else {
            arrays = 1;
        }
    }
    if (arrays) {
        by_tape(r, g, k, loop, from, to, piece);
    } else {
        ad_keep(r, g, k, &written, NULL, piece);
        for (int i = there->kids - 1; i >= 0; i--) ad_append(m, pops, tape(r, AD_POP, there->kid[i]->target->sym, pair));
        ad_append_all(m, pops, both);
        ad_append_all(m, there, plain(r, loop->body));
        ad_append(m, k->fwd, ad_for_like(m, loop, ad_copy(m, from, NULL), ad_copy(m, to, NULL), loop->step, there));
        ad_node *back = ad_block(m);
        if (both->kids == 0 && !scalars) back = NULL;
        else if (scalars || finals || !any_order(r, loop)) ad_append(m, back, descending(r, loop, from, to, pops));
        else ad_append(m, back, ad_for_like(m, loop, from, to, loop->step, pops));
        if (back) ad_append_all(m, back, piece);
        if (back) piece = back;
    }
    ad_exposed(m, piece, &reads);
    ad_unite(m, &g->needed, &reads);
    ad_append(m, k->rev, piece);
}
