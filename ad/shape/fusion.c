/* fusion.c - two loops over one range that read the same elements become one.
 *
 *     for i: { s = 0;  for j: s += a[i][j] y[j];  yb[i] += s f_b;  s_b = y[i] f_b;  for j: yb[j] += a[i][j] s_b }
 *
 * Here reverse mode reads a row to recompute s, and again for the adjoints, which do not need s. Of what stands between the
 * two loops, s_b goes before them and yb[i] after them; then an element of the row is loaded once. */
#include "shape/passes_in.h"

#include "base/arena.h"

enum { LONGEST = 16, FEW = 4 }; /* statements of a fused loop: what it keeps in registers is limited */

/* 1: b cannot be executed before a. */
static int bound(const ad_effects *a, const ad_effects *b)
{
    return ad_meets(&a->writes, &b->reads) || ad_meets(&a->writes, &b->writes) || ad_meets(&a->reads, &b->writes);
}

static int occurs(const ad_node *n, const ad_node *element)
{
    if (!n) return 0;
    if (n->op == AD_ELEM && ad_same(n, element)) return 1;
    for (int i = 0; i < n->kids; i++)
        if (occurs(n->kid[i], element)) return 1;
    return 0;
}

/* 1: an element that moves with the loop occurs in both. */
static int in_common(const ad_node *n, const ad_node *other, const ad_sym *counter)
{
    if (!n) return 0;
    if (n->op == AD_ELEM && ad_uses(n->index, counter) && occurs(other, n)) return 1;
    for (int i = 0; i < n->kids; i++)
        if (in_common(n->kid[i], other, counter)) return 1;
    return 0;
}

/* 1: only sums, the last terms of which do not fill a vector. By themselves they have a cheap rest (peel_sums.c), which a few
 * loads that are saved are not worth. */
static int uneven_sum(const ad_node *loop)
{
    const int64_t trips = ad_trips(loop);
    return trips > 0 && trips % AD_VECTOR != 0 && ad_is_reduction(loop);
}

static ad_node *one_loop(ad_run *r, const ad_node *a, const ad_node *b)
{
    ad_sym **map = ad_take(r->m, (size_t)r->fn->syms * sizeof *map);
    map[b->sym->number] = a->sym;
    ad_node *second = ad_copy(r->m, b->body, map), *both = ad_copy(r->m, a, NULL);
    if (!in_common(both->body, second, a->sym)) return NULL;
    ad_append_all(r->m, both->body, second);
    const int statements = both->body->kids;
    return statements <= LONGEST && (statements >= FEW || r->lanes || !uneven_sum(a)) ? both : NULL;
}

/* Statements first and last of the block are loops; those between are simple. What replaces them all, or NULL: nothing to
 * gain, or not possible. */
static ad_node *fused(ad_run *r, const ad_node *block, int first, int last, const ad_loops *around)
{
    ad_arena *m = r->m;
    const ad_node *a = block->kid[first], *b = block->kid[last];
    if (a->step != b->step || !ad_same(a->first, b->first) || !ad_same(a->end, b->end)) return NULL;
    ad_effects stay = {{0}, {0}}, second = {{0}, {0}}; /* of the first loop and of what has to follow it */
    ad_node *out = ad_block(m), *after = ad_block(m), *both = one_loop(r, a, b);
    if (!both) return NULL;
    ad_take_effects(r, a, &stay);
    ad_exclude(&stay.writes, a->sym), ad_exclude(&stay.reads, a->sym); /* its counter, which may be the other's, too */
    for (int i = first + 1; i < last; i++) {
        ad_effects own = {{0}, {0}};
        ad_take_effects(r, block->kid[i], &own);
        int late = bound(&stay, &own);
        if (late) ad_take_effects(r, block->kid[i], &stay);
        ad_append(m, late ? after : out, block->kid[i]);
    }
    ad_take_effects(r, b, &second);
    ad_exclude(&second.writes, b->sym), ad_exclude(&second.reads, b->sym);
    if (bound(&stay, &second)) return NULL;
    ad_append(m, out, both);
    ad_append_all(m, out, after);
    const ad_defs before = r->defs;
    r->defs = ad_defs_of(m, r->fn, out);
    const int fine = r->lanes ? ad_on_lanes(a->body) == ad_on_lanes(b->body) : ad_independent(r, both, around);
    r->defs = before;
    return fine ? out : NULL;
}

/* The loop after statement i that may be fused with it: nothing but simple statements stands between. */
static int partner(const ad_node *block, int i)
{
    if (!ad_plain(block->kid[i])) return 0;
    while (++i < block->kids)
        if (!ad_simple(block->kid[i])) return ad_plain(block->kid[i]) ? i : 0;
    return 0;
}

static void fuse_block(ad_run *r, ad_node *block, const ad_loops *around)
{
    ad_arena *m = r->m;
    for (int i = 0; i < block->kids; i++) {
        const int last = partner(block, i);
        ad_node *both = last ? fused(r, block, i, last, around) : NULL;
        if (!both) continue;
        for (int k = last + 1; k < block->kids; k++) ad_append(m, both, block->kid[k]);
        block->kids = i--;
        ad_append_all(m, block, both);
    }
}

static void fuse(ad_run *r, ad_node *n, ad_loops around)
{
    if (!n) return;
    if (n->op == AD_FOR) ad_loops_enter(&around, n);
    for (int i = ad_inner(n); i < n->kids; i++) fuse(r, n->kid[i], around);
    if (n->op == AD_BLOCK && around.depth) fuse_block(r, n, &around);
}

void ad_fuse_loops(ad_run *r)
{
    fuse(r, r->fn->body, (ad_loops){0});
}
