/* register_tile.c - sums over points in registers.
 *
 *     for point: { S; for j: pb[... j ...] += e }
 *
 * takes every element of pb from the cache and back once for each point. In tiles of j short enough for registers,
 *
 *     for tile: { sums = 0;  for point: { S; for j in tile: sums[j] += e }  for j in tile: pb[... j ...] += sums[j] }
 *
 * the compiler unrolls the innermost loop and keeps its elements in registers while the points go by. (Where lanes are the
 * vectors it does so with pb itself.) S is executed once for each tile, what else the loop over points adds to along with the
 * last one. */
#include "shape/passes_in.h"

#include "base/arena.h"

#include <string.h>

/* The most elements in a tile: 14 vectors of four, which leaves registers for the rest; with lanes two blocks of them. */
enum { TILE_ONE = 56, TILE_LANES = 7 };

typedef struct tiler {
    ad_run *r;
    ad_node *points; /* the loop over points */
} tiler;

/* 1: scalars are set, elements of sums are added to, and nothing else happens. */
static int accumulates(const ad_node *body)
{
    for (int i = 0; i < body->kids; i++) {
        const ad_node *s = body->kid[i];
        int fine = s->op == AD_NOTE || (s->op == AD_DECL && !s->sym->array) || (s->op == AD_SET && s->target->op == AD_NAME) ||
                   (s->op == AD_INC && s->target->op == AD_ELEM && s->target->sym->role == AD_SUM);
        if (!fine) return 0;
    }
    return 1;
}

/* 1: an index of something that the loop adds to moves with its counter, and none with the point. */
static int adds_in_place(const tiler *w, const ad_node *loop)
{
    ad_syms changing = {0};
    ad_writes(w->r->m, w->points, &changing);
    int moves = 0;
    for (int i = 0; i < loop->body->kids; i++) {
        const ad_node *s = loop->body->kid[i];
        if (s->op != AD_INC) continue;
        ad_affine form = ad_affine_of(&w->r->defs, s->target->index);
        moves |= ad_coefficient(&form, loop->sym) != 0;
        ad_loops loops = {1, {loop}};
        if (!ad_steady(&form, &loops, &changing)) return 0;
    }
    return moves;
}

/* The most elements of a tile of this loop. */
static int64_t most_of(const tiler *w, const ad_node *loop)
{
    int targets = 0;
    for (int i = 0; i < loop->body->kids; i++) targets += loop->body->kid[i]->op == AD_INC;
    return (w->r->lanes ? TILE_LANES : TILE_ONE) / (targets ? targets : 1);
}

/* A loop that is one short tile is left to the compiler, which does the same with lanes, but with one lane not. */
static int fits(const tiler *w, const ad_node *s)
{
    if (s->op != AD_FOR || s->step != 1 || most_of(w, s) < AD_VECTOR) return 0;
    return ad_trips(s) > (w->r->lanes ? most_of(w, s) : AD_VECTOR) && accumulates(s->body) && adds_in_place(w, s);
}

/* 1: besides loops that fit, the points only set scalars of their own and add to what is outside. */
static int separable(const tiler *w)
{
    const ad_node *body = w->points->body;
    ad_syms own = {0};
    int any = 0;
    ad_declared(w->r->m, body, &own);
    for (int i = 0; i < body->kids; i++) {
        const ad_node *s = body->kid[i];
        const int fine = s->op == AD_SET ? s->target->op == AD_NAME && ad_has(&own, s->target->sym)
                       : s->op == AD_INC ? !ad_has(&own, s->target->sym)
                                         : s->op == AD_NOTE || (s->op == AD_DECL && !s->sym->array);
        if (fits(w, s)) any = 1;
        else if (!fine) return 0;
    }
    return any;
}

/* What is executed for one tile: before, during and after its loop over points. */
typedef struct stage {
    ad_node *before, *body, *after;
} stage;

static stage stage_new(tiler *w)
{
    return (stage){ad_block(w->r->m), ad_block(w->r->m), ad_block(w->r->m)};
}

/* Counters as wide as addresses: else the compiler keeps an address for each element of an unrolled tile. */
static void widen(ad_sym *counter)
{
    if (counter->role == AD_COUNTER && strcmp(counter->ctype, "int") == 0) counter->ctype = "long";
}

/* The stage's statements, in symbols of their own. */
static void put_stage(tiler *w, const stage *t, ad_node *out)
{
    ad_arena *m = w->r->m;
    ad_node *points = ad_copy(m, w->points, NULL), *all = ad_block(m);
    points->body = t->body;
    ad_append_all(m, all, t->before);
    ad_append(m, all, points);
    ad_append_all(m, all, t->after);
    ad_syms own = {0};
    ad_declared(m, all, &own);
    ad_exclude(&own, w->r->fn->point);
    ad_sym **mine = ad_new_symbols(m, w->r->fn, &own);
    for (int i = 0; i < w->r->fn->syms; i++)
        if (ad_has(&own, w->r->fn->sym[i]) && mine[i]) widen(mine[i]);
    all = ad_copy(m, all, mine);
    ad_append_all(m, out, all);
}

static ad_node *between(tiler *w, const ad_node *loop, ad_node *from, ad_node *to, ad_node *body)
{
    ad_node *part = ad_copy(w->r->m, loop, NULL);
    part->first = ad_copy(w->r->m, from, NULL);
    part->end = ad_copy(w->r->m, to, NULL);
    if (body) part->body = body;
    return part;
}

/* A loop over one statement. */
static ad_node *over(tiler *w, const ad_node *loop, ad_node *from, ad_node *to, ad_node *statement)
{
    ad_node *body = ad_block(w->r->m);
    statement->place = loop->place;
    ad_append(w->r->m, body, statement);
    return between(w, loop, from, to, body);
}

/* The part of a loop from `from` to `to`, of at most `size` elements. With one lane what it adds to are local sums. */
static void put_part(tiler *w, const ad_node *loop, ad_node *from, ad_node *to, int64_t size, stage *t)
{
    ad_arena *m = w->r->m;
    ad_node *part = between(w, loop, from, to, NULL);
    for (int i = 0; !w->r->lanes && i < part->body->kids; i++) {
        ad_node *s = part->body->kid[i], *target = s->target;
        if (s->op != AD_INC) continue;
        ad_sym *sums = ad_sym_new(m, w->r->fn, "sums", AD_DOUBLE, AD_LOCAL);
        sums->array = 1;
        sums->lane = target->sym->lane;
        sums->extent = ad_whole(m, size);
        const ad_affine form = ad_affine_of(&w->r->defs, target->index);
        ad_node *mine = ad_elem(m, sums, ad_sub(m, ad_use(m, loop->sym), ad_copy(m, from, NULL)));
        ad_append(m, t->before, ad_decl(m, sums));
        ad_append(m, t->before, over(w, loop, from, to, ad_set(m, mine, ad_num(m, 0))));
        ad_node *whole = ad_elem(m, target->sym, ad_from_affine(m, &form));
        ad_append(m, t->after, over(w, loop, from, to, ad_inc(m, whole, ad_copy(m, mine, NULL))));
        s->target = ad_copy(m, mine, NULL);
    }
    ad_append(m, t->body, part);
}

/* The size of a tile: as many as needed, of nearly equal sizes. */
static int64_t tile_size(const tiler *w, const ad_node *loop)
{
    const int64_t trips = ad_trips(loop), most = most_of(w, loop), tiles = (trips + most - 1) / most;
    const int64_t round = w->r->lanes ? 1 : AD_VECTOR;
    return ((trips + tiles - 1) / tiles + round - 1) / round * round;
}

/* All tiles but the last of loop number `at` of the body, if there are any. Returns where the last one begins. */
static ad_node *put_tiles(tiler *w, int at, ad_node *out)
{
    ad_arena *m = w->r->m;
    const ad_node *body = w->points->body, *loop = body->kid[at];
    const int64_t size = tile_size(w, loop), whole = (ad_trips(loop) - 1) / size * size;
    if (!whole) return loop->first;
    ad_node *end = ad_add(m, ad_copy(m, loop->first, NULL), ad_whole(m, whole)), *inner = ad_block(m);
    ad_sym *tile = ad_sym_new(m, w->r->fn, "tile", AD_INT, AD_COUNTER);
    tile->ctype = loop->sym->ctype;
    widen(tile);
    stage t = stage_new(w);
    for (int i = 0; i < at; i++)
        if (body->kid[i]->op == AD_DECL || body->kid[i]->op == AD_SET) ad_append(m, t.body, body->kid[i]);
    put_part(w, loop, ad_use(m, tile), ad_add(m, ad_use(m, tile), ad_whole(m, size)), size, &t);
    put_stage(w, &t, inner);
    ad_node *all = ad_for(m, tile, ad_copy(m, loop->first, NULL), end, size, inner);
    all->place = loop->place;
    ad_append(m, out, all);
    return end;
}

static void tile_points(tiler *w, ad_node *out)
{
    const ad_node *body = w->points->body;
    stage last = stage_new(w);
    for (int i = 0; i < body->kids; i++) {
        ad_node *s = body->kid[i];
        if (fits(w, s)) put_part(w, s, put_tiles(w, i, out), s->end, tile_size(w, s), &last);
        else ad_append(w->r->m, last.body, s);
    }
    put_stage(w, &last, out);
}

static void tile(ad_run *r, ad_node *s, const ad_loops *around, ad_node *out)
{
    tiler w = {r, s};
    if (s->op == AD_FOR && s->sym == r->fn->point && separable(&w)) {
        tile_points(&w, out);
        return;
    }
    if (s->op == AD_FOR) ad_rewrite_inside(r, s, around, tile);
    ad_append(r->m, out, s);
}

void ad_tile_registers(ad_run *r)
{
    ad_rewrite(r, tile);
}
