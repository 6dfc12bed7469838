/* distribute.c - loop distribution of scatters, for one lane.
 *
 * A loop that adds to a[i - 1], a[i], a[i + 1] cannot run as vectors, for iterations meet in one element. Distributed over two
 * loops, it can:
 *
 *     for i: { ...; row[i] = e; a[i] += g }    for i: a[i] += row[i + 1] + row[i - 1]
 *
 * in strips short enough for row to stay in the nearest cache; what the second loop leaves out at its ends is added by itself. */
#include "shape/passes_in.h"

#include "base/arena.h"

enum { STRIP = 512, WIDTH = 16 };

typedef struct moved {
    ad_affine form;
    ad_sym *array;
    ad_sym *row;
    const ad_node *value; /* what is added; NULL: shares its row with nobody */
    ad_place place;
    int first;     /* of those before it, the one whose elements it adds to in other iterations; itself: none */
    int64_t shift; /* iterations that it is late: it adds row[i - shift] to that one's element */
} moved;

typedef struct splitter {
    ad_run *r;
    const ad_node *loop;
    const ad_loops *around;
    ad_syms changing;
    moved *list;
    int count;
    int64_t shortest; /* iterations of a strip */
    ad_node *body;   /* of the loop that remains */
    ad_affine offset; /* index into rows */
} splitter;

/* 1: the loop does nothing with the array but add to it, in statements of its own block. */
static int added_at_top(const ad_node *n, const ad_sym *s, int top)
{
    if (!n) return 1;
    if (n->op == AD_INC && n->target->sym == s) return top && !ad_uses(n->value, s) && !ad_uses(n->target->index, s);
    if (n->sym == s) return 0;
    for (int i = 0; i < n->kids; i++)
        if (!added_at_top(n->kid[i], s, top && n->op == AD_BLOCK)) return 0;
    return 1;
}

static ad_sym *row_for(splitter *w, const ad_node *value, int *fresh)
{
    for (int i = 0; i < w->count; i++)
        if (value && w->list[i].value && ad_same(w->list[i].value, value)) {
            *fresh = 0;
            return w->list[i].row;
        }
    *fresh = 1;
    ad_sym *row = ad_sym_new(w->r->m, w->r->fn, "row", AD_DOUBLE, AD_LOCAL);
    row->array = 1;
    row->lane = 1;
    return row;
}

/* The smallest and the largest shift of those that go with `first`. */
static void shifts(const splitter *w, int first, int64_t *least, int64_t *most)
{
    *least = *most = 0;
    for (int i = first; i < w->count; i++) {
        const moved *k = &w->list[i];
        if (k->first == first && k->shift < *least) *least = k->shift;
        if (k->first == first && k->shift > *most) *most = k->shift;
    }
}

/* Number `at` goes with an earlier one, if it adds to the same elements a few iterations earlier or later. */
static void join(splitter *w, int at)
{
    moved *k = &w->list[at];
    const int64_t c = ad_coefficient(&k->form, w->loop->sym);
    for (int i = 0; i < at; i++) {
        int64_t least, most;
        const ad_affine gap = ad_affine_difference(&k->form, &w->list[i].form);
        if (w->list[i].array != k->array || w->list[i].first != i || !gap.ok || gap.terms > 0 || gap.c % c != 0) continue;
        shifts(w, i, &least, &most);
        k->shift = gap.c / c;
        if (k->shift > most) most = k->shift;
        if (k->shift < least) least = k->shift;
        if (most - least > WIDTH || most - least >= w->shortest) continue;
        k->first = i;
        return;
    }
    k->shift = 0;
}

static void move(splitter *w, const ad_node *s, const ad_affine *form)
{
    ad_arena *m = w->r->m;
    int fresh;
    const ad_node *value = ad_stays_put(w->loop->body, s->value) ? s->value : NULL; /* else it may differ from its equals */
    ad_sym *row = row_for(w, value, &fresh);
    if (fresh) ad_append(m, w->body, ad_set(m, ad_elem(m, row, ad_from_affine(m, &w->offset)), ad_copy(m, s->value, NULL)));
    w->list[w->count] = (moved){*form, s->target->sym, row, value, s->place, w->count, 0};
    join(w, w->count++);
}

static ad_node *range(splitter *w, ad_node *from, ad_node *to, ad_node *body)
{
    ad_node *n = ad_for_like(w->r->m, w->loop, from, to, 1, body);
    n->simd = 1;
    return n;
}

/* 1: the loop, of additions alone, stays one of independent iterations with one more of them. */
static int admits(splitter *w, const ad_node *loop, const ad_node *add)
{
    for (int i = 0; i < loop->body->kids; i++) {
        const ad_node *other = loop->body->kid[i]->target;
        if (other->sym == add->target->sym && !ad_apart(w->r, w->loop, w->around, &w->changing, add->target, other)) return 0;
    }
    return 1;
}

/* The addition for i = from .. to-1, in one of the block's loops from number `first` on, or in a new one. */
static void put_addition(splitter *w, ad_node *block, int first, ad_node *from, ad_node *to, ad_node *add)
{
    ad_arena *m = w->r->m;
    for (int i = first; i < block->kids; i++) {
        ad_node *loop = block->kid[i];
        if (!ad_same(loop->first, from) || !ad_same(loop->end, to) || !admits(w, loop, add)) continue;
        ad_append(m, loop->body, add);
        return;
    }
    ad_node *body = ad_block(m);
    ad_append(m, body, add);
    ad_append(m, block, range(w, from, to, body));
}

static ad_node *plus(ad_arena *m, const ad_node *n, int64_t k)
{
    ad_node *copy = ad_copy(m, n, NULL);
    return k < 0 ? ad_sub(m, copy, ad_whole(m, -k)) : ad_add(m, copy, ad_whole(m, k));
}

static ad_node *row_at(splitter *w, const moved *k, int64_t late)
{
    ad_affine at = w->offset;
    at.c -= late;
    return ad_elem(w->r->m, k->row, ad_from_affine(w->r->m, &at));
}

static ad_node *addition(splitter *w, const moved *k, ad_node *e)
{
    ad_node *add = ad_inc(w->r->m, ad_elem(w->r->m, k->array, ad_from_affine(w->r->m, &k->form)), e);
    add->place = k->place;
    return add;
}

/* The split loop from `from` to `to`, appended to block. */
static void put_loops(splitter *w, ad_node *block, ad_node *from, ad_node *to)
{
    ad_arena *m = w->r->m;
    ad_append(m, block, range(w, from, to, w->body));
    const int first = block->kids;
    for (int i = 0; i < w->count; i++) {
        int64_t least, most;
        ad_node *sum = NULL;
        if (w->list[i].first != i) continue;
        shifts(w, i, &least, &most);
        for (int j = i; j < w->count; j++) {
            const moved *k = &w->list[j];
            if (k->first != i) continue;
            sum = sum ? ad_add(m, sum, row_at(w, k, k->shift)) : row_at(w, k, k->shift);
            const int64_t early = most - k->shift, late = least - k->shift;
            if (early > 0) put_addition(w, block, first, plus(m, from, 0), plus(m, from, early), addition(w, k, row_at(w, k, 0)));
            if (late < 0) put_addition(w, block, first, plus(m, to, late), plus(m, to, 0), addition(w, k, row_at(w, k, 0)));
        }
        put_addition(w, block, first, plus(m, from, most), plus(m, to, least), addition(w, &w->list[i], sum));
    }
}

/* Declares the rows, each once. */
static void put_rows(splitter *w, ad_node *block, int64_t extent)
{
    for (int i = 0; i < w->count; i++) {
        int known = 0;
        for (int j = 0; j < i; j++) known |= w->list[j].row == w->list[i].row;
        if (known) continue;
        w->list[i].row->extent = ad_whole(w->r->m, extent);
        ad_append(w->r->m, block, ad_decl(w->r->m, w->list[i].row));
    }
}

/* Which additions stay in the loop: each that meets none of those that stay already, the last first, for those are sums of
 * several. */
static unsigned char *choose(splitter *w)
{
    const ad_node *body = w->loop->body;
    unsigned char *stays = ad_take(w->r->m, (size_t)body->kids + 1);
    for (int i = body->kids - 1; i >= 0; i--) {
        const ad_node *s = body->kid[i];
        stays[i] = 1;
        if (s->op != AD_INC || s->target->op != AD_ELEM) continue;
        for (int j = i + 1; stays[i] && j < body->kids; j++) {
            const ad_node *o = body->kid[j];
            if (stays[j] && o->op == AD_INC && o->target->op == AD_ELEM && o->target->sym == s->target->sym)
                stays[i] = (unsigned char)ad_apart(w->r, w->loop, w->around, &w->changing, s->target, o->target);
        }
    }
    return stays;
}

static int distribute(splitter *w)
{
    const ad_node *body = w->loop->body;
    const unsigned char *stays = choose(w);
    ad_loops loops = *w->around;
    ad_loops_enter(&loops, w->loop);
    w->list = ad_take(w->r->m, ((size_t)body->kids + 1) * sizeof *w->list);
    for (int i = 0; i < body->kids; i++) {
        ad_node *s = body->kid[i];
        if (stays[i]) {
            ad_append(w->r->m, w->body, s);
            continue;
        }
        ad_affine form = ad_affine_of(&w->r->defs, s->target->index);
        int64_t c = ad_coefficient(&form, w->loop->sym);
        if (!ad_steady(&form, &loops, &w->changing) || c == 0 || !added_at_top(body, s->target->sym, 1)) return 0;
        move(w, s, &form);
    }
    return w->count > 0 && w->count <= 64;
}

static ad_node *distributed(ad_run *r, const ad_node *loop, const ad_loops *around)
{
    ad_arena *m = r->m;
    int64_t trips = ad_trips(loop);
    if (loop->step != 1 || (trips >= 0 && trips < 8)) return NULL;
    int whole = trips >= 0 && trips <= STRIP;
    splitter w = {.r = r, .loop = loop, .around = around, .body = ad_block(m)};
    w.shortest = whole ? trips : trips < 0 ? 1 : trips % STRIP ? trips % STRIP : STRIP;
    ad_writes(m, loop, &w.changing);
    ad_sym *strip = ad_sym_new(m, r->fn, "strip", AD_INT, AD_COUNTER), *end = ad_sym_new(m, r->fn, "strip_end", AD_INT, AD_LOCAL);
    strip->ctype = end->ctype = loop->sym->ctype;
    w.offset = (ad_affine){.ok = 1, .terms = whole ? 1 : 2, .term = {{loop->sym, 1}, {strip, -1}}};
    if (whole && ad_constant(loop->first, &w.offset.c)) w.offset.c = -w.offset.c;
    if (!distribute(&w)) return NULL;
    ad_node *test = ad_copy(m, loop, NULL);
    ad_syms live = {0}; /* indices that what was moved had are not computed for nothing */
    ad_writes(m, w.body, &live);
    test->body = w.body = ad_dead_block(m, w.body, &live);
    if (!ad_independent(r, test, around)) return NULL;
    ad_node *block = ad_block(m);
    put_rows(&w, block, whole ? trips : STRIP);
    if (whole) {
        put_loops(&w, block, loop->first, loop->end);
        return block;
    }
    ad_node *inner = ad_block(m), *left = ad_sub(m, ad_copy(m, loop->end, NULL), ad_use(m, strip));
    ad_node *last = ad_new(m, AD_COND, AD_INT, 3, ad_new(m, AD_GT, AD_INT, 2, left, ad_whole(m, STRIP)),
                           ad_add(m, ad_use(m, strip), ad_whole(m, STRIP)), ad_copy(m, loop->end, NULL));
    ad_append(m, inner, ad_decl(m, end));
    ad_append(m, inner, ad_set(m, ad_use(m, end), last));
    put_loops(&w, inner, ad_use(m, strip), ad_use(m, end));
    ad_append(m, block, ad_for(m, strip, loop->first, loop->end, STRIP, inner));
    return block;
}

static void distribute_loops(ad_run *r, ad_node *s, const ad_loops *around, ad_node *out)
{
    ad_node *loops = NULL;
    if (s->op == AD_FOR && ad_contains(s->body, AD_FOR)) ad_rewrite_inside(r, s, around, distribute_loops);
    else if (s->op == AD_FOR && !s->simd && !ad_independent(r, s, around)) loops = distributed(r, s, around);
    ad_append(r->m, out, loops ? loops : s);
}

void ad_distribute_scatters(ad_run *r)
{
    ad_rewrite(r, distribute_loops);
}
