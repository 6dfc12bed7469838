/* scatter_to_gather.c - iterations of a stencil that take what reverse mode has them give.
 *
 *     for x in D: { ...;  a[x] += g(x);  a[x - 1] += e(x);  a[x + 1] += e(x) }
 *
 * Every iteration has three elements fetched and put back. Where e is cheap, and of nothing that the loop changes, an iteration
 * computes what its neighbours would give it, and fetches its own element only:
 *
 *     for x in D: { ...;  a[x] += g(x) + e(x + 1) + e(x - 1) }
 *
 * D is one loop or two, one inside the other. An addition with the shift s adds to the element of the iteration x + s; seen
 * from there it comes from x - s, which has to be in D. So D is cut into boxes, one inside and a rim around it, and the box R
 * takes the shift s if all of R - s is in D. What no box takes,
 *
 *     D \ union of R - s over the boxes R that take s,
 *
 * is given as before, in short loops of its own. Sums commute, and nothing but the order of additions changes. */
#include "base/arena.h"
#include "shape/iteration_box.h"
#include "shape/shifted_value.h"

#include <stdlib.h>

enum {
    REACH = 3,       /* the longest shift in either direction */
    SHORT = 8,       /* iterations: loops with fewer stay as they are */
    ADDITIONS = 64,  /* of a body */
    STATEMENTS = 40  /* of a body without what is moved: there may be five copies of it */
};

typedef struct addition {
    const ad_node *s; /* array[form] += value */
    ad_affine form;
    int movable;      /* 1: its value may be computed in another iteration */
    int centre;       /* number of the addition that gets, with other counters, what this one adds; -1: none, it stays */
    int64_t shift[2];
} addition;

typedef struct nest {
    ad_nest at;
    ad_node *integers;  /* what the outer loop sets for the inner one: functions of its counter */
    ad_syms own[2];     /* what is declared in both, and in the inner loop */
    ad_box all, inside; /* D, and where everything that is moved comes from within D */
    addition *list;
    int count;
} nest;

static int64_t length(const int64_t *shift)
{
    return llabs(shift[0]) + llabs(shift[1]);
}

/* ---- which additions, and where to ------------------------------------------------------------------------------------- */

/* 1: x adds to the elements of y at other iterations: at x + shift, the shortest that there is. */
static int reaches(const nest *w, const addition *x, const addition *y, int64_t *shift)
{
    const ad_affine gap = ad_affine_difference(&x->form, &y->form);
    const int64_t cj = ad_nest_stride(&w->at, &x->form, 0), ci = ad_nest_stride(&w->at, &x->form, 1), rows = cj ? REACH : 0;
    int found = 0;
    if (x->s->target->sym != y->s->target->sym || !gap.ok || gap.terms) return 0;
    for (int64_t a = -rows; a <= rows; a++) {
        const int64_t rest = gap.c - a * cj, other[2] = {a, ci ? rest / ci : 0};
        if (other[1] * ci != rest || llabs(other[1]) > REACH || (found && length(other) >= length(shift))) continue;
        shift[0] = other[0];
        shift[1] = other[1];
        found = 1;
    }
    return found;
}

/* How well number `at` does as a centre: how many are there or come to it; 0: none comes, or one that cannot. *way: how far they
 * come. */
static int members(const nest *w, int at, int64_t *way)
{
    int count = 0;
    *way = 0;
    for (int i = 0; i < w->count; i++) {
        int64_t shift[2];
        if (w->list[i].centre >= 0 || !reaches(w, &w->list[i], &w->list[at], shift)) continue;
        if (!w->list[i].movable && length(shift) > 0) return 0;
        *way += length(shift);
        count++;
    }
    return *way > 0 ? count : 0;
}

/* The centre for number `at` and its neighbours: the one with most members, who come the shortest way; among equals the last. */
static void settle(nest *w, int at)
{
    int best = -1, most = 0;
    int64_t shortest = 0, way, shift[2];
    for (int i = 0; i < w->count; i++) {
        if (w->list[i].centre >= 0 || !reaches(w, &w->list[at], &w->list[i], shift)) continue;
        const int count = members(w, i, &way);
        if (count == 0 || count < most || (count == most && way > shortest)) continue;
        best = i;
        most = count;
        shortest = way;
    }
    for (int i = 0; best >= 0 && i < w->count; i++) {
        addition *x = &w->list[i];
        if (x->centre >= 0 || i == best || !reaches(w, x, &w->list[best], shift)) continue;
        x->centre = best;
        x->shift[0] = shift[0];
        x->shift[1] = shift[1];
    }
    if (best >= 0) w->list[best].centre = best;
}

static int is_moved(const addition *x)
{
    return length(x->shift) > 0;
}

/* The additions of the body, and those that are moved. Returns how many these are. */
static int find_additions(nest *w)
{
    const ad_node *body = w->at.loop[1]->body;
    int found = 0;
    w->list = ad_take(w->at.r->m, ADDITIONS * sizeof *w->list);
    for (int i = 0; i < body->kids; i++) {
        const ad_node *s = body->kid[i];
        if (s->op != AD_INC || s->target->op != AD_ELEM || s->target->sym->role != AD_SUM) continue;
        const ad_affine form = ad_affine_of(&w->at.r->defs, s->target->index);
        if (!ad_steady(&form, &w->at.loops, &w->at.changing)) continue;
        if (w->count == ADDITIONS) return 0;
        w->list[w->count++] = (addition){s, form, ad_nest_movable(&w->at, s->value), -1, {0, 0}};
    }
    for (int i = 0; i < w->count; i++)
        if (w->list[i].centre < 0) settle(w, i);
    for (int i = 0; i < w->count; i++) found += is_moved(&w->list[i]);
    return found;
}

/* ---- whether ----------------------------------------------------------------------------------------------------------- */

/* The iterations, which may run in any order. */
static int range(const ad_node *loop, int64_t *from, int64_t *to)
{
    int64_t a, b;
    if (llabs(loop->step) != 1 || ad_trips(loop) < SHORT) return 0;
    if (!ad_constant(loop->first, &a) || !ad_constant(loop->end, &b)) return 0;
    *from = loop->step > 0 ? a : b + 1;
    *to = loop->step > 0 ? b : a + 1;
    return 1;
}

/* Declarations and values of integers in the outer loop that follow from its counter alone. */
static void find_integers(nest *w)
{
    const ad_node *body = w->at.loop[0] ? w->at.loop[0]->body : NULL;
    w->integers = ad_block(w->at.r->m);
    for (int i = 0; body && i < body->kids; i++) {
        ad_node *s = body->kid[i];
        const ad_sym *x = s->op == AD_DECL ? s->sym : s->op == AD_SET && s->target->op == AD_NAME ? s->target->sym : NULL;
        if (x && x->number < w->at.r->defs.syms && w->at.r->defs.def[x->number]) ad_append(w->at.r->m, w->integers, s);
    }
}

/* 1: the inner loop may be taken out of the outer one, and its iterations may change places: of what the loops assign to, it
 * uses its own locals, the integers above, and sums. */
static int unordered(const nest *w)
{
    ad_syms used = {0}, integers = {0};
    const ad_fn *fn = w->at.r->fn;
    const ad_node *whole = w->at.loop[!w->at.loop[0]];
    ad_reads(w->at.r->m, w->at.loop[1], &used);
    ad_writes(w->at.r->m, w->at.loop[1], &used);
    ad_writes(w->at.r->m, w->integers, &integers);
    for (int i = 0; i < fn->syms; i++) {
        const ad_sym *s = fn->sym[i];
        if (!ad_has(&used, s) || !ad_has(&w->at.changing, s) || ad_has(&w->own[1], s) || ad_has(&integers, s)) continue;
        if (s != whole->sym && !ad_only_added(whole, s)) return 0;
    }
    return 1;
}

static ad_node *loop_over(const nest *w, int d, const ad_box *b, ad_node *body)
{
    ad_arena *m = w->at.r->m;
    return ad_for_like(m, w->at.loop[d], ad_whole(m, b->from[d]), ad_whole(m, b->to[d]), 1, body);
}

/* The box inside, as large as the shifts allow: it has to be most of D, and to run as vectors. */
static int worth_it(nest *w)
{
    int64_t iterations[2] = {1, 1};
    w->inside = w->all;
    for (int i = 0; i < w->count; i++) {
        const ad_box sources = ad_box_moved(&w->all, (const int64_t[2]){-w->list[i].shift[0], -w->list[i].shift[1]});
        w->inside = ad_box_meet(&w->inside, &sources);
    }
    if (ad_box_empty(&w->inside)) return 0;
    if (!w->at.r->lanes && ad_too_short(loop_over(w, 1, &w->inside, w->at.loop[1]->body))) return 0;
    for (int d = 0; d < 2; d++) {
        iterations[0] *= w->all.to[d] - w->all.from[d];
        iterations[1] *= w->inside.to[d] - w->inside.from[d];
    }
    return 3 * iterations[1] >= 2 * iterations[0];
}

/* ---- how --------------------------------------------------------------------------------------------------------------- */

/* What is in `inner`, for the rows of the box; names 0: under new names. */
static void put_rows(const nest *w, const ad_box *b, ad_node *inner, int names, ad_node *out)
{
    ad_arena *m = w->at.r->m;
    ad_node *rows = inner;
    if (w->at.loop[0]) {
        ad_node *body = ad_block(m);
        ad_append_all(m, body, w->integers);
        ad_append_all(m, body, inner);
        rows = ad_block(m);
        ad_append(m, rows, loop_over(w, 0, b, body));
    }
    rows = ad_copy(m, rows, names ? NULL : ad_new_symbols(m, w->at.r->fn, &w->own[0]));
    ad_append_all(m, out, rows);
}

static void put_addition(ad_arena *m, const addition *x, ad_node *target, ad_node *value, ad_node *body)
{
    ad_node *add = ad_inc(m, target, value);
    add->place = x->s->place;
    ad_append(m, body, add);
}

static int takes(const nest *w, const ad_box *b, const addition *x)
{
    const ad_box from = ad_box_moved(b, x->shift), common = ad_box_meet(&from, &w->all);
    return ad_box_same(&from, &common);
}

/* What the iteration takes for the element of number `at`; gone: additions that are part of it. */
static void take(const nest *w, const ad_box *b, int at, unsigned char *gone, ad_node *body)
{
    ad_arena *m = w->at.r->m;
    const addition *last = NULL;
    ad_total t = {.count = 0};
    for (int i = 0; i < w->count; i++) {
        const addition *x = &w->list[i];
        if (x->centre != at || !is_moved(x)) continue;
        gone[i] = 1;
        if (!takes(w, b, x)) continue;
        ad_total_add(&w->at, &t, x->s->value, x->shift);
        last = x;
    }
    if (!last) return;
    for (int i = 0; i < w->count; i++) {
        const addition *x = &w->list[i];
        if (x->centre == at && !is_moved(x) && x->movable) gone[i] = (unsigned char)ad_total_absorb(&w->at, &t, x->s->value);
    }
    put_addition(m, last, ad_copy(m, w->list[at].s->target, NULL), ad_total_value(m, &t), body);
}

static ad_node *body_for(const nest *w, const ad_box *b)
{
    ad_arena *m = w->at.r->m;
    const ad_node *old = w->at.loop[1]->body;
    ad_node *body = ad_block(m), *taken = ad_block(m);
    unsigned char gone[ADDITIONS] = {0};
    for (int i = 0; i < w->count; i++) take(w, b, i, gone, taken);
    for (int i = 0, next = 0; i < old->kids; i++) {
        const int listed = next < w->count && w->list[next].s == old->kid[i];
        if (!listed || !gone[next]) ad_append(m, body, ad_copy(m, old->kid[i], NULL));
        next += listed;
    }
    ad_append_all(m, body, taken);
    return body;
}

/* Parts `first` to `last`, which have their rows in common. Of loops over columns side by side the one inside keeps its names. */
static void put_parts(const nest *w, const ad_box *part, int first, int last, ad_node *out)
{
    ad_arena *m = w->at.r->m;
    const int beside = first < last;
    ad_node *inner = ad_block(m);
    for (int k = first; k <= last; k++) {
        if (ad_box_empty(&part[k])) continue;
        ad_node *loop = loop_over(w, 1, &part[k], body_for(w, &part[k]));
        ad_append(m, inner, beside && k != AD_INSIDE ? ad_copy(m, loop, ad_new_symbols(m, w->at.r->fn, &w->own[1])) : loop);
    }
    if (inner->kids) put_rows(w, &part[last], inner, beside, out);
}

static void put_boxes(const nest *w, const ad_box *part, ad_node *out)
{
    put_parts(w, part, AD_BEFORE, AD_BEFORE, out);
    put_parts(w, part, AD_LEFT, AD_RIGHT, out);
    put_parts(w, part, AD_AFTER, AD_AFTER, out);
}

/* Points that still give something, all with the same shift. */
typedef struct strip {
    ad_box iterations;
    const int64_t *shift;
    ad_node *body;
} strip;

static void give(const nest *w, const addition *x, const ad_box *iterations, strip *list, int *count)
{
    ad_arena *m = w->at.r->m;
    int k = 0;
    for (; k < *count; k++)
        if (ad_box_same(&list[k].iterations, iterations) && list[k].shift[0] == x->shift[0] && list[k].shift[1] == x->shift[1])
            break;
    if (k == *count) list[(*count)++] = (strip){*iterations, x->shift, ad_block(m)};
    ad_total t = {.count = 0};
    ad_total_add(&w->at, &t, x->s->value, (const int64_t[2]){0, 0});
    put_addition(m, x, ad_elem(m, x->s->target->sym, ad_from_affine(m, &x->form)), ad_total_value(m, &t), list[k].body);
}

/* What no box takes. Returns 0: too many pieces. */
static int put_strips(const nest *w, const ad_box *part, ad_node *out)
{
    ad_arena *m = w->at.r->m;
    strip *list = ad_take(m, (size_t)w->count * AD_BOXES * sizeof *list);
    int strips = 0;
    for (int i = 0; i < w->count; i++) {
        const addition *x = &w->list[i];
        ad_box rest[AD_BOXES] = {w->all};
        int count = 1;
        for (int k = 0; k < AD_PARTS && is_moved(x); k++) {
            const ad_box from = ad_box_moved(&part[k], x->shift);
            if (ad_box_empty(&part[k]) || !takes(w, &part[k], x)) continue;
            count = ad_boxes_without(rest, count, &from);
            if (count > AD_BOXES) return 0;
        }
        for (int k = 0; k < count && is_moved(x); k++) give(w, x, &rest[k], list, &strips);
    }
    for (int k = 0; k < strips; k++) {
        ad_node *inner = ad_block(m);
        ad_append(m, inner, loop_over(w, 1, &list[k].iterations, list[k].body));
        put_rows(w, &list[k].iterations, inner, 0, out);
    }
    return 1;
}

/* What nothing needs any more is left out: locals of what was moved. */
static ad_node *live_part(ad_arena *m, ad_node *block)
{
    ad_syms live = {0}, own = {0};
    ad_writes(m, block, &live);
    ad_declared(m, block, &own);
    for (int i = 0; i < live.room && i < own.room; i++) live.has[i] &= !own.has[i];
    return ad_dead_block(m, block, &live);
}

/* 1: what replaces the inner loop, for all iterations of the outer one, if there is one, was appended to out. */
static int gather(ad_run *r, const ad_node *outer, const ad_node *inner, ad_node *out)
{
    ad_arena *m = r->m;
    nest w = {.at = {.r = r, .loop = {outer, inner}}, .all = {{0, 0}, {1, 1}}};
    if (!ad_plain(inner) || !range(inner, &w.all.from[1], &w.all.to[1])) return 0;
    if (outer && !range(outer, &w.all.from[0], &w.all.to[0])) return 0;
    find_integers(&w);
    for (int d = 0; d < 2; d++) {
        if (!w.at.loop[d]) continue;
        ad_loops_enter(&w.at.loops, w.at.loop[d]);
        ad_writes(m, w.at.loop[d], &w.at.changing);
        ad_include(m, &w.own[0], w.at.loop[d]->sym);
    }
    ad_declared(m, inner, &w.own[1]);
    ad_declared(m, w.integers, &w.own[0]);
    ad_unite(m, &w.own[0], &w.own[1]);
    const int moved = unordered(&w) ? find_additions(&w) : 0;
    if (moved == 0 || ad_size(inner->body) - moved > STATEMENTS || !worth_it(&w)) return 0;
    ad_box part[AD_PARTS];
    ad_node *new = ad_block(m);
    ad_box_around(&w.all, &w.inside, part);
    put_boxes(&w, part, new);
    if (!put_strips(&w, part, new)) return 0;
    new = live_part(m, new);
    ad_append_all(m, out, new);
    return 1;
}

/* ---- the function ------------------------------------------------------------------------------------------------------ */

static void gather_loop(ad_run *r, ad_node *loop, const ad_loops *around, ad_node *out)
{
    ad_arena *m = r->m;
    if (loop->op != AD_FOR || gather(r, NULL, loop, out)) {
        if (loop->op != AD_FOR) ad_append(m, out, loop);
        return;
    }
    ad_node *taken = ad_block(m);
    const ad_node body = ad_emptied(loop->body);
    for (int i = 0; i < body.kids; i++)
        if (body.kid[i]->op != AD_FOR || !gather(r, loop, body.kid[i], taken)) ad_append(m, loop->body, body.kid[i]);
    ad_rewrite_inside(r, loop, around, gather_loop);
    if (taken->kids) {
        ad_node *left = ad_block(m);
        ad_syms own = {0};
        ad_append(m, left, loop);
        ad_declared(m, loop, &own);
        left = ad_copy(m, live_part(m, left), ad_new_symbols(m, r->fn, &own));
        ad_append_all(m, out, left);
    } else {
        ad_append(m, out, loop);
    }
    ad_append_all(m, out, taken);
}

void ad_scatter_to_gather(ad_run *r)
{
    ad_rewrite(r, gather_loop);
}
