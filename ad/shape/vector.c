/* vector.c - sums in locals, and which loops may run as vectors. */
#include "shape/vector_in.h"

#include "base/arena.h"

/* ---- sums of one element in a local ------------------------------------------------------------------------------------------- */

typedef struct sums {
    ad_vectors *v;
    const ad_syms *changing; /* by the loop */
    ad_node **target;        /* elements that it adds to, the same in all iterations */
    ad_sym **local;
    int count, room;
} sums;

static int invariant(sums *w, const ad_node *index)
{
    ad_syms used = {0};
    ad_reads(w->v->m, index, &used);
    return !ad_meets(&used, w->changing);
}

static ad_sym *local_sum(sums *w, ad_node *target)
{
    for (int i = 0; i < w->count; i++)
        if (ad_same(w->target[i], target)) return w->local[i];
    ad_arena *m = w->v->m;
    if (w->count == w->room) {
        int room = 2 * w->room + 8;
        w->target = ad_grow(m, w->target, (size_t)w->count * sizeof *w->target, (size_t)room * sizeof *w->target);
        w->local = ad_grow(m, w->local, (size_t)w->count * sizeof *w->local, (size_t)room * sizeof *w->local);
        w->room = room;
    }
    int64_t at;
    const char *name = ad_constant(target->index, &at) && at >= 0 ? ad_text(m, "%s_%d", target->sym->name, (int)at) : ad_text(m, "%s_sum", target->sym->name);
    ad_sym *s = ad_sym_new(m, w->v->fn, name, AD_DOUBLE, AD_LOCAL);
    s->lane = target->sym->lane;
    w->target[w->count] = target;
    w->local[w->count++] = s;
    return s;
}

/* 1: the loop runs at least once, whatever the values */
static int runs(const ad_node *loop)
{
    int64_t a, b;
    return ad_constant(loop->first, &a) && ad_constant(loop->end, &b) && (loop->step > 0 ? a < b : a > b);
}

/* sure: n is executed in every iteration. Where it is not, its element need not exist, for the condition may be what keeps the index in its
 * bounds: then it is left alone, unless the index is a constant. */
static void take_sums(sums *w, ad_node *n, int sure)
{
    int64_t at;
    if (!n) return;
    if (n->op == AD_INC && n->target->op == AD_ELEM && n->target->sym->role == AD_SUM && invariant(w, n->target->index) &&
        (sure || ad_constant(n->target->index, &at)))
        n->target = ad_use(w->v->m, local_sum(w, n->target));
    if (n->op == AD_IF || (n->op == AD_FOR && !runs(n))) sure = 0;
    for (int i = ad_inner(n); i < n->kids; i++) take_sums(w, n->kid[i], sure);
}

/* What the loop summed up goes where it belongs; to an element that may not exist if the loop does not run, only if it does. */
static void put_sums(const sums *w, const ad_node *loop, ad_node *out)
{
    ad_arena *m = w->v->m;
    ad_node *guarded = ad_block(m);
    for (int k = 0; k < w->count; k++) {
        int64_t at;
        int exists = runs(loop) || ad_constant(w->target[k]->index, &at);
        ad_append(m, exists ? out : guarded, ad_inc(m, w->target[k], ad_use(m, w->local[k])));
    }
    if (!guarded->kids) return;
    ad_node *first = ad_copy(m, loop->first, NULL), *end = ad_copy(m, loop->end, NULL);
    ad_append(m, out, ad_if(m, ad_new(m, loop->step > 0 ? AD_LT : AD_GT, AD_INT, 2, first, end), guarded, NULL));
}

static void sum_locally(ad_vectors *v, ad_node *block)
{
    ad_arena *m = v->m;
    if (!block) return;
    if (block->op != AD_BLOCK) {
        for (int i = ad_inner(block); i < block->kids; i++) sum_locally(v, block->kid[i]);
        return;
    }
    const ad_node old = ad_emptied(block);
    for (int i = 0; i < old.kids; i++) {
        ad_node *s = old.kid[i];
        ad_syms changing = {0};
        sums w = {.v = v, .changing = &changing};
        if (s->op == AD_FOR) {
            ad_writes(m, s, &changing);
            take_sums(&w, s->body, runs(s) || (invariant(&w, s->first) && invariant(&w, s->end)));
            for (int k = 0; k < w.count; k++) ad_declare_zero(m, block, w.local[k]);
        }
        sum_locally(v, s);
        ad_append(m, block, s);
        if (w.count) put_sums(&w, s, block);
    }
}

/* ---- independent iterations ------------------------------------------------------------------------------------------------------ */

typedef struct accesses {
    ad_arena *m;
    const ad_node **write, **read; /* AD_ELEM */
    int writes, reads, room[2];
    int fit;                        /* 0: something else stands against it */
    const ad_syms *own;
    const ad_node *body;
} accesses;

static void note(accesses *a, int which, const ad_node *e)
{
    const ad_node ***list = which ? &a->read : &a->write;
    int *count = which ? &a->reads : &a->writes;
    if (*count == a->room[which]) {
        int room = 2 * *count + 16;
        *list = ad_grow(a->m, *list, (size_t)*count * sizeof **list, (size_t)room * sizeof **list);
        a->room[which] = room;
    }
    (*list)[(*count)++] = e;
}

static void survey_expr(accesses *a, const ad_node *n)
{
    if (n->op == AD_ELEM) note(a, 1, n);
    for (int i = 0; i < n->kids; i++) survey_expr(a, n->kid[i]);
}

static void survey(accesses *a, const ad_node *n)
{
    if (!n || !a->fit) return;
    switch (n->op) {
    case AD_FOR:
    case AD_PUSH:
    case AD_POP: a->fit = 0; return;
    case AD_DECL:
        if (n->sym->array) a->fit = 0;
        return;
    case AD_SET:
    case AD_INC:
        survey_expr(a, n->value);
        if (n->target->op == AD_ELEM) {
            note(a, 0, n->target);
            survey_expr(a, n->target->index);
        } else if (!ad_has(a->own, n->target->sym) && !ad_only_added(a->body, n->target->sym)) {
            a->fit = 0;
        }
        return;
    case AD_IF: survey_expr(a, n->condition); break;
    default: break;
    }
    for (int i = ad_inner(n); i < n->kids; i++) survey(a, n->kid[i]);
}

int ad_apart(const ad_vectors *v, const ad_node *loop, const ad_loops *around, const ad_syms *changing, const ad_node *a, const ad_node *b)
{
    ad_loops loops = *around;
    ad_loops_enter(&loops, loop);
    ad_affine fa = ad_affine_of(&v->defs, a->index), fb = ad_affine_of(&v->defs, b->index);
    if (!ad_steady(&fa, &loops, changing) || !ad_steady(&fb, &loops, changing)) return 0;
    int64_t c = ad_coefficient(&fa, loop->sym) * loop->step, trips = ad_trips(loop);
    ad_affine gap = ad_affine_difference(&fa, &fb);
    if (gap.ok && gap.terms == 0 && c != 0) {
        if (gap.c % c != 0) return 1;
        int64_t far = gap.c / c;
        if (far < 0) far = -far;
        return far == 0 || (trips >= 0 && far >= trips);
    }
    return ad_disjoint(&v->defs, &loops, &fa, &loops, &fb);
}

int ad_independent(const ad_vectors *v, const ad_node *loop, const ad_loops *around)
{
    ad_syms own = {0}, changing = {0};
    ad_declared(v->m, loop, &own);
    ad_writes(v->m, loop, &changing);
    accesses a = {.m = v->m, .fit = 1, .own = &own, .body = loop->body};
    survey(&a, loop->body);
    for (int i = 0; i < a.writes && a.fit; i++) {
        for (int j = 0; j < a.writes && a.fit; j++)
            if (a.write[i]->sym == a.write[j]->sym) a.fit = ad_apart(v, loop, around, &changing, a.write[i], a.write[j]);
        for (int j = 0; j < a.reads && a.fit; j++)
            if (a.write[i]->sym == a.read[j]->sym) a.fit = ad_apart(v, loop, around, &changing, a.write[i], a.read[j]);
    }
    return a.fit;
}

static int holds_loop(const ad_node *n)
{
    if (!n) return 0;
    if (n->op == AD_FOR) return 1;
    for (int i = ad_inner(n); i < n->kids; i++)
        if (holds_loop(n->kid[i])) return 1;
    return 0;
}

int ad_on_lanes(const ad_node *n)
{
    if (!n) return 0;
    if ((n->op == AD_SET || n->op == AD_INC) && n->target->sym->lane) return 1;
    for (int i = ad_inner(n); i < n->kids; i++)
        if (ad_on_lanes(n->kid[i])) return 1;
    return 0;
}

/* ---- several additions to one element in one iteration ---------------------------------------------------------------------------- */

int ad_stays_put(const ad_node *body, const ad_node *e)
{
    int count = 0;
    for (int i = 0; e->sym && i < body->kids; i++) {
        const ad_node *s = body->kid[i];
        if (s->op == AD_SET || s->op == AD_INC) count += s->target->sym == e->sym;
        else if (s->op != AD_DECL && ad_uses(s, e->sym)) count += 2;
    }
    for (int i = 0; count < 2 && i < e->kids; i++)
        if (!ad_stays_put(body, e->kid[i])) return 0;
    return count < 2;
}

static int same_place(const ad_vectors *v, const ad_node *a, const ad_node *b)
{
    if (a->sym != b->sym) return 0;
    if (ad_same(a, b)) return 1;
    ad_affine fa = ad_affine_of(&v->defs, a->index), fb = ad_affine_of(&v->defs, b->index), gap = ad_affine_difference(&fa, &fb);
    return gap.ok && gap.terms == 0 && gap.c == 0;
}

/* They are summed in a local and added at the end: the compiler cannot do it, for all it knows the additions between them may be to the same element. */
static void merge_sums(ad_vectors *v, ad_node *loop)
{
    ad_arena *m = v->m;
    ad_node *body = loop->body, *start = ad_block(m), *end = ad_block(m);
    for (int i = 0; i < body->kids; i++) {
        ad_node *s = body->kid[i], *target = s->op == AD_INC ? s->target : NULL;
        if (!target || target->op != AD_ELEM || target->sym->role != AD_SUM || !ad_stays_put(body, target->index)) continue;
        ad_sym *here = NULL;
        for (int j = i + 1; j < body->kids; j++) {
            ad_node *other = body->kid[j];
            if (other->op != AD_INC || other->target->op != AD_ELEM || !same_place(v, target, other->target) || !ad_stays_put(body, other->target->index))
                continue;
            if (!here) {
                here = ad_sym_new(m, v->fn, ad_text(m, "%s_here", target->sym->name), AD_DOUBLE, AD_LOCAL);
                here->lane = target->sym->lane;
                ad_append(m, start, ad_decl(m, here));
                ad_append(m, start, ad_set(m, ad_use(m, here), ad_num(m, 0)));
            }
            other->target = ad_use(m, here);
        }
        if (!here) continue;
        ad_append(m, end, ad_inc(m, target, ad_use(m, here)));
        s->target = ad_use(m, here);
    }
    if (end->kids == 0) return;
    ad_append_all(m, start, body);
    ad_append_all(m, start, end);
    loop->body = start;
}

/* ---- the function ---------------------------------------------------------------------------------------------------------------------- */

static int is_sum(const ad_node *s)
{
    return s->op == AD_INC && s->target->op == AD_NAME;
}

int ad_is_reduction(const ad_node *loop)
{
    for (int i = 0; i < loop->body->kids; i++)
        if (!is_sum(loop->body->kid[i])) return 0;
    return 1;
}

int ad_too_short(const ad_node *loop)
{
    int64_t trips = ad_trips(loop);
    if (trips == 1) return 1;
    for (int i = 0; trips >= 0 && trips < 16 && i < loop->body->kids; i++)
        if (is_sum(loop->body->kid[i])) return 1;
    return 0;
}

static void mark(ad_vectors *v, ad_node *block, ad_loops around);

static ad_node *mark_loop(ad_vectors *v, ad_node *loop, ad_loops around)
{
    if (holds_loop(loop->body)) {
        ad_loops_enter(&around, loop);
        mark(v, loop->body, around);
        return loop;
    }
    merge_sums(v, loop);
    if (v->lanes && ad_on_lanes(loop->body)) return loop;
    int fit = ad_independent(v, loop, &around);
    loop->simd = fit && !ad_too_short(loop) && loop->sym != v->fn->point; /* points lie anywhere */
    if (fit || v->lanes) return loop;
    ad_node *split = ad_distribute_scatter(v, loop, &around);
    return split ? split : loop;
}

static void mark(ad_vectors *v, ad_node *block, ad_loops around)
{
    ad_arena *m = v->m;
    const ad_node old = ad_emptied(block);
    for (int i = 0; i < old.kids; i++) {
        ad_node *s = old.kid[i], *before = ad_block(m), *after = ad_block(m), *jammed = ad_block(m);
        if (s->op == AD_FOR) {
            if (!v->lanes) ad_defer_additions(v, s, before, after);
            s = mark_loop(v, s, around);
            if (s->op == AD_FOR) ad_unroll_and_jam(v, s, &around, jammed);
        } else if (s->op == AD_BLOCK) {
            mark(v, s, around);
        } else if (s->op == AD_IF) {
            mark(v, s->yes, around);
            if (s->no) mark(v, s->no, around);
        }
        ad_append_all(m, block, before);
        ad_append_all(m, block, jammed);
        if (!jammed->kids) ad_append(m, block, s);
        ad_append_all(m, block, after);
    }
}

/* Sums over whole vectors, and what is left in a loop of its own: in one loop compilers take the vectors of sums to memory and
 * back, to add the last terms to them. */
static void split_sum(ad_vectors *v, ad_node *loop, ad_node *out)
{
    ad_arena *m = v->m;
    const int64_t trips = ad_trips(loop), whole = trips / AD_VECTOR * AD_VECTOR;
    ad_append(m, out, loop);
    if (!loop->simd || loop->step != 1 || whole <= 0 || whole == trips || !ad_is_reduction(loop)) return;
    ad_syms own = {0};
    ad_declared(m, loop, &own);
    ad_node *rest = ad_copy(m, loop, ad_new_symbols(m, v->fn, &own));
    loop->end = ad_add(m, ad_copy(m, loop->first, NULL), ad_whole(m, whole));
    rest->first = ad_copy(m, loop->end, NULL);
    rest->simd = 0;
    ad_append(m, out, rest);
}

static void split_sums(ad_vectors *v, ad_node *n)
{
    if (!n) return;
    for (int i = ad_inner(n); i < n->kids; i++) split_sums(v, n->kid[i]);
    if (n->op != AD_BLOCK) return;
    const ad_node old = ad_emptied(n);
    for (int i = 0; i < old.kids; i++) {
        if (old.kid[i]->op == AD_FOR) split_sum(v, old.kid[i], n);
        else ad_append(v->m, n, old.kid[i]);
    }
}

/* a[i] += b c + d e as a[i] += b c, a[i] += d e: two fused operations instead of three. */
static void add_each(ad_arena *m, ad_node *out, const ad_node *s, ad_node *e, int sign)
{
    if (e->op == AD_ADD || e->op == AD_SUB) {
        add_each(m, out, s, e->a, sign);
        add_each(m, out, s, e->b, e->op == AD_SUB ? -sign : sign);
        return;
    }
    ad_node *add = ad_inc(m, ad_copy(m, s->target, NULL), sign < 0 ? ad_neg(m, e) : e);
    add->place = s->place;
    ad_append(m, out, add);
}

/* Additions to a scalar wait for each other: of more than two at a time, the sum comes first. */
static int singly(const ad_node *s, int lanes)
{
    if (s->op != AD_INC || s->target->op == AD_ELEM) return s->op == AD_INC;
    const ad_node *e = s->value;
    return lanes && s->target->sym->lane && (e->op == AD_ADD || e->op == AD_SUB) && e->a->op == AD_MUL && e->b->op == AD_MUL;
}

static void add_singly(ad_arena *m, ad_node *n, int lanes)
{
    if (!n) return;
    for (int i = ad_inner(n); i < n->kids; i++) add_singly(m, n->kid[i], lanes);
    if (n->op != AD_BLOCK) return;
    const ad_node old = ad_emptied(n);
    for (int i = 0; i < old.kids; i++) {
        ad_node *s = old.kid[i];
        if (singly(s, lanes)) add_each(m, n, s, s->value, 1);
        else ad_append(m, n, s);
    }
}

void ad_vectorize(ad_arena *m, ad_fn *fn, int lanes)
{
    ad_vectors v = {.m = m, .fn = fn, .lanes = lanes};
    fn->body = ad_copy(m, fn->body, NULL);
    ad_common_factors(m, fn->body);
    if (fn->point) ad_tile_registers(&v);
    sum_locally(&v, fn->body);
    v.defs = ad_defs_of(m, fn, fn->body);
    ad_fuse_loops(&v, fn->body, (ad_loops){0});
    v.defs = ad_defs_of(m, fn, fn->body);
    ad_scatter_to_gather(&v, fn->body);
    v.defs = ad_defs_of(m, fn, fn->body);
    mark(&v, fn->body, (ad_loops){0});
    split_sums(&v, fn->body);
    ad_first_sums(m, fn);
    add_singly(m, fn->body, lanes);
    if (lanes) ad_order_factors(m, fn->body);
}
