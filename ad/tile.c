/* tile.c - sums over points in registers.
 *
 *     for point: { S; for j: pb[... j ...] += e }
 *
 * takes every element of pb from the cache and back once for each point. In tiles of j short enough for registers,
 *
 *     for tile: for point: { S; for j in tile: pb[... j ...] += e }
 *
 * the compiler unrolls the innermost loop and keeps its elements in registers while the points go by. S is executed once for each tile; what else the loop
 * over points adds to is left to a loop of its own. */
#include "vector_in.h"

#include "arena.h"

/* Elements in a tile: eight vectors of four, with one lane or with four. */
enum { TILE_ONE = 32, TILE_LANES = 8 };

typedef struct tiler {
    ad_vectors *v;
    ad_node *points; /* the loop over points */
    int64_t size;
} tiler;

/* 1: scalars are set, elements of sums are added to, and nothing else happens. */
static int only_adds(const ad_node *body)
{
    for (int i = 0; i < body->kids; i++) {
        const ad_node *s = body->kid[i];
        int fine = s->op == AD_NOTE || (s->op == AD_DECL && !s->sym->array) || (s->op == AD_SET && s->kid[0]->op == AD_NAME) ||
                   (s->op == AD_INC && s->kid[0]->op == AD_ELEM && s->kid[0]->sym->role == AD_SUM);
        if (!fine) return 0;
    }
    return 1;
}

/* 1: an index of something that the loop adds to moves with its counter, and none with the point. */
static int adds_in_place(const tiler *w, const ad_node *loop)
{
    ad_syms changing = {0};
    ad_writes(w->v->m, w->points, &changing);
    int moves = 0;
    for (int i = 0; i < loop->kid[2]->kids; i++) {
        const ad_node *s = loop->kid[2]->kid[i];
        if (s->op != AD_INC) continue;
        ad_affine form = ad_affine_of(&w->v->defs, s->kid[0]->kid[0]);
        moves |= ad_coefficient(&form, loop->sym) != 0;
        ad_loops loops = {1, {loop}};
        if (!ad_steady(&form, &loops, &changing)) return 0;
    }
    return moves;
}

static int fits(const tiler *w, const ad_node *s)
{
    return s->op == AD_FOR && s->whole == 1 && ad_trips(s) > w->size && only_adds(s->kid[2]) && adds_in_place(w, s);
}

/* 1: besides loops that fit, the points only set scalars of their own and add to what is outside. */
static int separable(const tiler *w)
{
    const ad_node *body = w->points->kid[2];
    ad_syms own = {0};
    int any = 0;
    ad_declared(w->v->m, body, &own);
    for (int i = 0; i < body->kids; i++) {
        const ad_node *s = body->kid[i];
        if (fits(w, s)) any = 1;
        else if (s->op == AD_SET ? s->kid[0]->op != AD_NAME || !ad_has(&own, s->kid[0]->sym)
                                 : s->op == AD_INC ? ad_has(&own, s->kid[0]->sym) : s->op != AD_NOTE && (s->op != AD_DECL || s->sym->array))
            return 0;
    }
    return any;
}

/* The loop over points with those of its statements that `chosen` has, in symbols of its own. */
static ad_node *points_with(tiler *w, const unsigned char *chosen, ad_node *extra)
{
    ad_arena *m = w->v->m;
    const ad_node *body = w->points->kid[2];
    ad_node *kept = ad_block(m), *loop = ad_copy(m, w->points, NULL);
    for (int i = 0; i < body->kids; i++)
        if (chosen[i]) ad_append(m, kept, body->kid[i]);
    ad_append(m, kept, extra);
    ad_syms own = {0};
    ad_declared(m, kept, &own);
    loop->kid[2] = ad_copy(m, kept, ad_new_symbols(m, w->v->fn, &own));
    return loop;
}

static ad_node *between(tiler *w, const ad_node *loop, ad_node *from, ad_node *to)
{
    ad_node *part = ad_copy(w->v->m, loop, NULL);
    part->kid[0] = from;
    part->kid[1] = to;
    return part;
}

/* What the loop number `at` of the body adds, tile by tile. */
static void put_tiles(tiler *w, int at, ad_node *out)
{
    ad_arena *m = w->v->m;
    const ad_node *body = w->points->kid[2], *loop = body->kid[at];
    unsigned char *chosen = ad_take(m, (size_t)body->kids);
    for (int i = 0; i < at; i++) chosen[i] = body->kid[i]->op == AD_DECL || body->kid[i]->op == AD_SET;
    const int64_t whole = ad_trips(loop) / w->size * w->size;
    ad_node *end = ad_add(m, ad_copy(m, loop->kid[0], NULL), ad_whole(m, whole)), *inner = ad_block(m);
    ad_sym *tile = ad_sym_new(m, w->v->fn, "tile", AD_INT, AD_COUNTER);
    tile->ctype = loop->sym->ctype;
    ad_append(m, inner, points_with(w, chosen, between(w, loop, ad_use(m, tile), ad_add(m, ad_use(m, tile), ad_whole(m, w->size)))));
    ad_node *tiles = ad_new(m, AD_FOR, AD_INT, 3, ad_copy(m, loop->kid[0], NULL), end, inner);
    tiles->sym = tile;
    tiles->whole = w->size;
    tiles->place = loop->place;
    ad_append(m, out, tiles);
    if (whole < ad_trips(loop)) ad_append(m, out, points_with(w, chosen, between(w, loop, ad_copy(m, end, NULL), ad_copy(m, loop->kid[1], NULL))));
}

static void tile_points(tiler *w, ad_node *out)
{
    ad_arena *m = w->v->m;
    const ad_node *body = w->points->kid[2];
    unsigned char *rest = ad_take(m, (size_t)body->kids);
    int adds = 0;
    for (int i = 0; i < body->kids; i++) {
        rest[i] = (unsigned char)!fits(w, body->kid[i]);
        adds |= body->kid[i]->op == AD_INC;
        if (!rest[i]) put_tiles(w, i, out);
    }
    if (adds) ad_append(m, out, points_with(w, rest, NULL));
}

static ad_node *tile(ad_vectors *v, ad_node *n)
{
    if (!n || (n->op != AD_BLOCK && n->op != AD_FOR)) return n;
    if (n->op == AD_FOR) {
        n->kid[2] = tile(v, n->kid[2]);
        return n;
    }
    ad_node *out = ad_block(v->m);
    out->place = n->place;
    for (int i = 0; i < n->kids; i++) {
        tiler w = {v, n->kid[i], v->lanes ? TILE_LANES : TILE_ONE};
        if (n->kid[i]->op == AD_FOR && n->kid[i]->sym == v->fn->point && separable(&w)) tile_points(&w, out);
        else ad_append(v->m, out, tile(v, n->kid[i]));
    }
    return out;
}

void ad_tile_points(ad_vectors *v)
{
    v->defs = ad_defs_of(v->m, v->fn, v->fn->body);
    v->fn->body = tile(v, v->fn->body);
    ad_dead(v->m, v->fn);
}
