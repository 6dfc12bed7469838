/* fusion.c - two loops over one range that read the same elements become one.
 *
 *     for i: { s = 0;  for j: s += a[i][j] y[j];  yb[i] += s f_b;  s_b = y[i] f_b;  for j: yb[j] += a[i][j] s_b }
 *
 * Here reverse mode reads a row to recompute s, and again for the adjoints, which do not need s. Of what stands between the two loops, s_b goes before them and
 * yb[i] after them; then an element of the row is loaded once. */
#include "shape/vector_in.h"

#include "base/arena.h"

enum { LONGEST = 16, FEW = 4 }; /* statements of a joined loop: what it keeps in registers is limited */

typedef struct effects {
    ad_syms reads, writes; /* without parameters that are only added to: additions commute */
} effects;

static void take_effects(const ad_vectors *v, const ad_node *n, effects *e)
{
    ad_reads(v->m, n, &e->reads);
    ad_writes(v->m, n, &e->writes);
    for (int i = 0; i < v->fn->params; i++)
        if (v->fn->param[i]->role == AD_SUM) ad_exclude(&e->reads, v->fn->param[i]), ad_exclude(&e->writes, v->fn->param[i]);
}

/* 1: b cannot be executed before a. */
static int bound(const effects *a, const effects *b)
{
    return ad_meets(&a->writes, &b->reads) || ad_meets(&a->writes, &b->writes) || ad_meets(&a->reads, &b->writes);
}

static int simple(const ad_node *s)
{
    return s->op == AD_DECL ? !s->sym->array : s->op == AD_SET || s->op == AD_INC || s->op == AD_NOTE;
}

int ad_plain(const ad_node *s)
{
    if (s->op != AD_FOR) return 0;
    for (int i = 0; i < s->body->kids; i++)
        if (!simple(s->body->kid[i])) return 0;
    return 1;
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

/* 1: only sums, the last terms of which do not fill a vector. By themselves they have a cheap rest (vector.c), which a few loads
 * that are saved are not worth. */
static int uneven_sum(const ad_node *loop)
{
    const int64_t trips = ad_trips(loop);
    return trips > 0 && trips % AD_VECTOR != 0 && ad_is_reduction(loop);
}

static ad_node *one_loop(ad_vectors *v, const ad_node *a, const ad_node *b)
{
    ad_sym **map = ad_take(v->m, (size_t)v->fn->syms * sizeof *map);
    map[b->sym->number] = a->sym;
    ad_node *second = ad_copy(v->m, b->body, map), *both = ad_copy(v->m, a, NULL);
    if (!in_common(both->body, second, a->sym)) return NULL;
    ad_append_all(v->m, both->body, second);
    const int statements = both->body->kids;
    return statements <= LONGEST && (statements >= FEW || v->lanes || !uneven_sum(a)) ? both : NULL;
}

/* Statements first and last of the block are loops; those between are simple. What replaces them all, or NULL: nothing to gain, or not possible. */
static ad_node *joined(ad_vectors *v, const ad_node *block, int first, int last, const ad_loops *around)
{
    ad_arena *m = v->m;
    const ad_node *a = block->kid[first], *b = block->kid[last];
    if (a->step != b->step || !ad_same(a->first, b->first) || !ad_same(a->end, b->end)) return NULL;
    effects stay = {{0}, {0}}, second = {{0}, {0}}; /* of the first loop and of what has to follow it */
    ad_node *out = ad_block(m), *after = ad_block(m), *both = one_loop(v, a, b);
    if (!both) return NULL;
    take_effects(v, a, &stay);
    ad_exclude(&stay.writes, a->sym), ad_exclude(&stay.reads, a->sym); /* its counter, which may be the other's, too */
    for (int i = first + 1; i < last; i++) {
        effects own = {{0}, {0}};
        take_effects(v, block->kid[i], &own);
        int late = bound(&stay, &own);
        if (late) take_effects(v, block->kid[i], &stay);
        ad_append(m, late ? after : out, block->kid[i]);
    }
    take_effects(v, b, &second);
    ad_exclude(&second.writes, b->sym), ad_exclude(&second.reads, b->sym);
    if (bound(&stay, &second)) return NULL;
    ad_append(m, out, both);
    ad_append_all(m, out, after);
    const ad_defs before = v->defs;
    v->defs = ad_defs_of(m, v->fn, out);
    const int fine = v->lanes ? ad_on_lanes(a->body) == ad_on_lanes(b->body) : ad_independent(v, both, around);
    v->defs = before;
    return fine ? out : NULL;
}

/* The loop after statement i that may be joined with it: nothing but simple statements stands between. */
static int partner(const ad_node *block, int i)
{
    if (!ad_plain(block->kid[i])) return 0;
    while (++i < block->kids)
        if (!simple(block->kid[i])) return ad_plain(block->kid[i]) ? i : 0;
    return 0;
}

/* ---- sums without lanes ------------------------------------------------------------------------------------------------------------- */

/* 1: s adds to a scalar without lanes, and neither needs nor changes anything else that the loop writes. */
static int apart(const ad_vectors *v, const ad_node *loop, const ad_node *s)
{
    effects all = {{0}, {0}}, own = {{0}, {0}};
    if (s->op != AD_INC || s->target->op != AD_NAME || s->target->sym->lane || !ad_only_added(loop->body, s->target->sym)) return 0;
    take_effects(v, loop->body, &all);
    take_effects(v, s->value, &own);
    return !ad_meets(&own.reads, &all.writes);
}

/* Where lanes fill the vectors, a sum that has none would be added up one by one; in a loop of its own it runs as vectors. */
static void part_sums(const ad_vectors *v, ad_node *block)
{
    ad_arena *m = v->m;
    const ad_node old = ad_emptied(block);
    for (int i = 0; i < old.kids; i++) {
        ad_node *loop = old.kid[i], *sums = ad_block(m), *rest = ad_block(m);
        if (ad_plain(loop) && ad_on_lanes(loop->body)) {
            for (int k = 0; k < loop->body->kids; k++) ad_append(m, apart(v, loop, loop->body->kid[k]) ? sums : rest, loop->body->kid[k]);
            if (sums->kids) {
                ad_node *first = ad_copy(m, loop, NULL);
                first->body = sums;
                loop->body = rest;
                ad_append(m, block, first);
            }
        }
        ad_append(m, block, loop);
    }
}

/* ---- the function ------------------------------------------------------------------------------------------------------------------- */

static void join_block(ad_vectors *v, ad_node *block, const ad_loops *around)
{
    ad_arena *m = v->m;
    for (int i = 0; i < block->kids; i++) {
        const int last = partner(block, i);
        ad_node *both = last ? joined(v, block, i, last, around) : NULL;
        if (!both) continue;
        for (int k = last + 1; k < block->kids; k++) ad_append(m, both, block->kid[k]);
        block->kids = i--;
        ad_append_all(m, block, both);
    }
}

void ad_fuse_loops(ad_vectors *v, ad_node *n, ad_loops around)
{
    if (!n) return;
    if (n->op == AD_FOR) ad_loops_enter(&around, n);
    for (int i = ad_inner(n); i < n->kids; i++) ad_fuse_loops(v, n->kid[i], around);
    if (n->op != AD_BLOCK || !around.depth) return;
    if (v->lanes) part_sums(v, n);
    join_block(v, n, &around);
}
