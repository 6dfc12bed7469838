/* unroll_jam.c - several iterations of a loop side by side.
 *
 *     for i: { s = 0;  for j: s += a[i][j] y[j];  ...  for j: yb[j] += a[i][j] s_b }
 *
 * The additions to s wait for each other, and every iteration takes all of yb from the cache and back. With K iterations side
 * by side and their inner loops fused, K sums are under way at a time, and y and yb travel once for K iterations; so with the
 * last ones, if they are fewer. */
#include "shape/passes_in.h"

#include "base/arena.h"

enum { JAM_ONE = 4, JAM_LANES = 4, SHORT = 8, STATEMENTS = 24 };

typedef struct jammer {
    ad_run *r;
    const ad_node *loop;
    ad_syms own; /* what the body declares */
    int ways;    /* iterations side by side */
} jammer;

/* ---- whether ------------------------------------------------------------------------------------------------------------- */

/* 1: the order in which iterations execute the assignment does not matter, but for rounding. loops: the loop, and perhaps one
 * inside. */
static int unordered(const jammer *w, const ad_node *s, const ad_loops *loops)
{
    const ad_node *target = s->target, *body = w->loop->body;
    if (target->op == AD_NAME) return ad_has(&w->own, target->sym) || (s->op == AD_INC && ad_only_added(body, target->sym));
    if (ad_reads_symbol(body, target->sym)) return 0;
    if (s->op == AD_INC && target->sym->role == AD_SUM) return 1;
    ad_affine form = ad_affine_of(&w->r->defs, target->index);
    return ad_injective(&w->r->defs, loops, 0, &form);
}

/* 1: an element of n is the same one in all iterations of the outer loop. */
static int shared(const jammer *w, const ad_node *n)
{
    if (!n) return 0;
    if (n->op == AD_ELEM) {
        ad_affine form = ad_affine_of(&w->r->defs, n->index);
        return form.ok && ad_coefficient(&form, w->loop->sym) == 0;
    }
    for (int i = 0; i < n->kids; i++)
        if (shared(w, n->kid[i])) return 1;
    return 0;
}

/* 1: iterations may execute the statement, which is no loop, side by side. */
static int may_jam(const jammer *w, const ad_node *s, const ad_loops *loops)
{
    if (s->op == AD_SET || s->op == AD_INC) return unordered(w, s, loops);
    return s->op == AD_NOTE || (s->op == AD_DECL && !s->sym->array);
}

static int fusible(const jammer *w, const ad_node *inner)
{
    ad_syms bounds = {0};
    ad_loops loops = {2, {w->loop, inner}};
    int64_t trips = ad_trips(inner);
    ad_reads(w->r->m, inner->first, &bounds);
    ad_reads(w->r->m, inner->end, &bounds);
    if (inner->step != 1 || (trips >= 0 && trips < SHORT)) return 0;
    if (ad_has(&bounds, w->loop->sym) || ad_meets(&bounds, &w->own)) return 0;
    for (int i = 0; i < inner->body->kids; i++) {
        const ad_node *s = inner->body->kid[i];
        if (!may_jam(w, s, &loops)) return 0;
    }
    return 1;
}

static int worth_it(const jammer *w)
{
    const ad_node *body = w->loop->body;
    ad_loops loops = {1, {w->loop}};
    int gains = 0, size = 0;
    if (w->loop->step != 1 || ad_trips(w->loop) < 2 * w->ways) return 0;
    for (int i = 0; i < body->kids; i++) {
        const ad_node *s = body->kid[i];
        size += s->op == AD_FOR ? s->body->kids : s->op != AD_DECL;
        if (s->op == AD_FOR) {
            if (!fusible(w, s)) return 0;
            gains |= shared(w, s->body);
        } else if (!may_jam(w, s, &loops)) {
            return 0;
        }
    }
    return gains && size <= STATEMENTS;
}

/* ---- how ----------------------------------------------------------------------------------------------------------------- */

/* The symbols of iteration i + k: new ones for what the body declares, but the counters of inner loops, which all iterations
 * share. */
static ad_sym **symbols(const jammer *w, int k, ad_node *start)
{
    ad_arena *m = w->r->m;
    ad_fn *fn = w->r->fn;
    ad_sym **map = ad_new_symbols(m, fn, &w->own), *i = w->loop->sym;
    for (int s = 0; s < w->loop->body->kids; s++)
        if (w->loop->body->kid[s]->op == AD_FOR) map[w->loop->body->kid[s]->sym->number] = NULL;
    map[i->number] = ad_sym_new(m, fn, i->name, AD_INT, AD_LOCAL);
    map[i->number]->ctype = i->ctype;
    ad_append(m, start, ad_decl(m, map[i->number]));
    ad_append(m, start, ad_set(m, ad_use(m, map[i->number]), ad_add(m, ad_use(m, i), ad_whole(m, k))));
    return map;
}

static ad_node *side_by_side(const jammer *w)
{
    ad_arena *m = w->r->m;
    const ad_node *body = w->loop->body;
    ad_node *out = ad_block(m);
    ad_sym **map[JAM_ONE];
    for (int k = 1; k < w->ways; k++) map[k] = symbols(w, k, out);
    for (int i = 0; i < body->kids; i++) {
        ad_node *first = ad_copy(m, body->kid[i], NULL);
        ad_append(m, out, first);
        for (int k = 1; k < w->ways; k++) {
            ad_node *other = ad_copy(m, body->kid[i], map[k]);
            if (other->op != AD_FOR) ad_append(m, out, other);
            else
                ad_append_all(m, first->body, other->body);
        }
    }
    return out;
}

static int still_vectors(ad_run *r, const ad_node *loop, ad_loops around)
{
    ad_loops_enter(&around, loop);
    for (int i = 0; i < loop->body->kids; i++) {
        const ad_node *s = loop->body->kid[i];
        if (s->op == AD_FOR && s->simd && !ad_independent(r, s, &around)) return 0;
    }
    return 1;
}

/* Appends what replaces the loop; nothing: there is nothing to gain. */
static void jam_loop(ad_run *r, const ad_node *loop, const ad_loops *around, ad_node *out)
{
    ad_arena *m = r->m;
    jammer w = {.r = r, .loop = loop, .ways = r->lanes ? JAM_LANES : JAM_ONE};
    ad_declared(m, loop->body, &w.own);
    if (r->fn->point) ad_exclude(&w.own, r->fn->point); /* all loops over points have the one counter */
    if (!worth_it(&w)) return;
    const int64_t trips = ad_trips(loop), whole = trips / w.ways * w.ways;
    ad_node *end = ad_add(m, ad_copy(m, loop->first, NULL), ad_whole(m, whole));
    ad_node *most = ad_for_like(m, loop, ad_copy(m, loop->first, NULL), end, w.ways, side_by_side(&w));
    const ad_defs before = r->defs;
    r->defs = ad_defs_of(m, r->fn, most);
    const int fine = still_vectors(r, most, *around);
    r->defs = before;
    if (!fine) return;
    ad_append(m, out, most);
    if (whole == trips) return;
    w.ways = (int)(trips - whole);
    ad_node *rest = side_by_side(&w);
    rest = ad_copy(m, rest, ad_new_symbols(m, r->fn, &w.own));
    ad_append(m, out, ad_for_like(m, loop, ad_copy(m, end, NULL), ad_copy(m, loop->end, NULL), w.ways, rest));
}

static void jam(ad_run *r, ad_node *s, const ad_loops *around, ad_node *out)
{
    const int before = out->kids;
    if (s->op == AD_FOR) {
        ad_rewrite_inside(r, s, around, jam);
        jam_loop(r, s, around, out);
    }
    if (out->kids == before) ad_append(r->m, out, s);
}

void ad_unroll_and_jam(ad_run *r)
{
    ad_rewrite(r, jam);
}
