/* dead.c - removes statements whose results nothing reads; makes scalars private to loops. Both follow liveness backwards
 * through the tree: a loop's body is repeated until what is live at its end no longer grows. */
#include "tree/flow.h"

#include "base/arena.h"

static int wanted(const ad_syms *live, const ad_sym *s)
{
    return s->role == AD_OUTPUT || s->role == AD_SUM || ad_has(live, s);
}

static int subset(const ad_syms *a, const ad_syms *b)
{
    for (int i = 0; i < a->room; i++)
        if (a->has[i] && !(i < b->room && b->has[i])) return 0;
    return 1;
}

/* Which pops are read: by pair (0: not known as a pair) and symbol. */
typedef struct tape {
    int64_t pair;
    const ad_sym *sym;
    int read;
} tape;

typedef struct sweeper {
    ad_arena *m;
    tape *pop;
    int pops, room;
} sweeper;

static tape *pop_of(sweeper *w, const ad_node *n)
{
    for (int i = w->pops - 1; i >= 0; i--)
        if (w->pop[i].pair == n->pair && w->pop[i].sym == n->target->sym) return &w->pop[i];
    return NULL;
}

static void note_pop(sweeper *w, const ad_node *n, int read)
{
    tape *t = n->pair ? pop_of(w, n) : NULL;
    if (t) t->read |= read;
    if (t || !n->pair) return;
    if (w->pops == w->room) {
        int room = 2 * w->room + 16;
        w->pop = ad_grow(w->m, w->pop, (size_t)w->pops * sizeof *w->pop, (size_t)room * sizeof *w->pop);
        w->room = room;
    }
    w->pop[w->pops++] = (tape){n->pair, n->target->sym, read};
}

static ad_node *sweep(sweeper *w, const ad_node *n, ad_syms *live);

/* What is live before each iteration, given what is live after the loop. */
static ad_syms around_loop(sweeper *w, const ad_node *loop, const ad_syms *live)
{
    ad_arena *m = w->m;
    ad_syms at = ad_syms_copy(m, live);
    for (;;) {
        ad_syms before = ad_syms_copy(m, &at);
        sweep(w, loop->body, &before);
        if (subset(&before, &at)) return at;
        ad_unite(m, &at, &before);
    }
}

/* 1: nothing but declarations and comments. */
static int idle(const ad_node *block)
{
    if (!block) return 1;
    for (int i = 0; i < block->kids; i++) {
        const ad_node *n = block->kid[i];
        if (n->op == AD_BLOCK ? !idle(n) : n->op != AD_DECL && n->op != AD_NOTE) return 0;
    }
    return 1;
}

static ad_node *sweep_if(sweeper *w, const ad_node *n, ad_syms *live)
{
    ad_arena *m = w->m;
    ad_syms other = ad_syms_copy(m, live);
    ad_node *yes = sweep(w, n->yes, live);
    ad_node *no = n->no ? sweep(w, n->no, &other) : NULL;
    ad_unite(m, live, &other);
    if (idle(yes) && idle(no)) return NULL;
    ad_reads(m, n->condition, live);
    ad_node *kept = ad_if(m, n->condition, yes, idle(no) ? NULL : no);
    kept->place = n->place;
    return kept;
}

static ad_node *sweep_for(sweeper *w, const ad_node *n, ad_syms *live)
{
    ad_arena *m = w->m;
    ad_syms at = around_loop(w, n, live);
    ad_node *body = sweep(w, n->body, &at);
    if (idle(body)) return NULL;
    ad_unite(m, live, &at);
    ad_exclude(live, n->sym);
    ad_reads(m, n->first, live);
    ad_reads(m, n->end, live);
    ad_node *kept = ad_for_like(m, n, n->first, n->end, n->step, body);
    kept->simd = n->simd;
    kept->rows = n->rows;
    return kept;
}

/* The statement without its dead parts, or NULL; live: after it on entry, before it on return. */
static ad_node *sweep(sweeper *w, const ad_node *n, ad_syms *live)
{
    ad_arena *m = w->m;
    switch (n->op) {
    case AD_BLOCK: {
        ad_node **kept = ad_take(m, ((size_t)n->kids + 1) * sizeof *kept);
        int first = n->kids;
        for (int i = n->kids - 1; i >= 0; i--) {
            ad_node *s = sweep(w, n->kid[i], live);
            if (s) kept[--first] = s;
        }
        ad_node *block = ad_block(m);
        block->place = n->place;
        block->kid = kept + first;
        block->kids = block->room = n->kids - first;
        return block;
    }
    case AD_SET:
    case AD_INC:
    case AD_POP:
        if (n->op != AD_POP && !wanted(live, n->target->sym)) return NULL;
        if (n->op == AD_POP) note_pop(w, n, wanted(live, n->target->sym));
        if (n->op != AD_INC && n->target->op == AD_NAME) ad_exclude(live, n->target->sym);
        ad_reads(m, n, live);
        break;
    case AD_PUSH:
        ad_reads(m, n, live);
        break;
    case AD_DECL:
        ad_exclude(live, n->sym);
        if (n->sym->extent) ad_reads(m, n->sym->extent, live);
        break;
    case AD_IF:
        return sweep_if(w, n, live);
    case AD_FOR:
        return sweep_for(w, n, live);
    default:
        break;
    }
    return (ad_node *)n;
}

/* Removes the declarations of what their block does not mention after them; adds what n mentions of symbols from outside to
 * `used`. */
static void undeclare(ad_arena *m, ad_node *n, ad_syms *used)
{
    if (!n) return;
    if (n->op != AD_BLOCK) {
        if (n->sym) ad_include(m, used, n->sym);
        for (int i = 0; i < n->kids; i++) undeclare(m, n->kid[i], used);
        return;
    }
    ad_syms inside = {0};
    int first = n->kids;
    for (int i = n->kids - 1; i >= 0; i--) {
        ad_node *s = n->kid[i];
        if (s->op == AD_DECL) {
            if (!ad_has(&inside, s->sym)) continue;
            ad_exclude(&inside, s->sym);
            ad_reads(m, s->sym->extent, &inside);
        } else {
            undeclare(m, s, &inside);
        }
        n->kid[--first] = s;
    }
    n->kid += first;
    n->kids -= first;
    n->room = n->kids;
    ad_unite(m, used, &inside);
}

/* Removes pops that nobody reads, and their pushes. */
static void untape(sweeper *w, ad_node *n)
{
    if (!n) return;
    int kept = 0;
    for (int i = ad_inner(n); i < n->kids; i++) untape(w, n->kid[i]);
    for (int i = 0; n->op == AD_BLOCK && i < n->kids; i++) {
        ad_node *s = n->kid[i];
        const tape *t = (s->op == AD_PUSH || s->op == AD_POP) && s->pair ? pop_of(w, s) : NULL;
        if (!t || t->read) n->kid[kept++] = s;
    }
    if (n->op == AD_BLOCK) n->kids = kept;
}

static ad_node *clear(ad_arena *m, const ad_node *block, const ad_syms *live)
{
    for (;;) {
        sweeper w = {.m = m};
        ad_syms at = ad_syms_copy(m, live);
        ad_node *r = sweep(&w, block, &at);
        int unread = 0;
        for (int i = 0; i < w.pops; i++) unread |= !w.pop[i].read;
        if (!unread) return r;
        r = ad_copy(m, r, NULL);
        untape(&w, r);
        block = r;
    }
}

ad_node *ad_dead_block(ad_arena *m, const ad_node *block, const ad_syms *live)
{
    ad_syms at = ad_syms_copy(m, live), own = {0}, used = {0};
    ad_declared(m, block, &own);
    for (int i = 0; i < own.room && i < at.room; i++)
        if (own.has[i]) at.has[i] = 0;
    ad_node *r = clear(m, block, &at);
    undeclare(m, r, &used);
    return r;
}

/* undeclare for a function, whose status is read at the end. */
static void trim(ad_arena *m, ad_fn *fn)
{
    ad_syms used = {0};
    ad_node *last = fn->status ? ad_use(m, fn->status) : NULL;
    ad_append(m, fn->body, last);
    undeclare(m, fn->body, &used);
    if (last) fn->body->kids--;
}

void ad_dead(ad_arena *m, ad_fn *fn)
{
    ad_syms live = {0};
    if (fn->status) ad_include(m, &live, fn->status);
    fn->body = clear(m, fn->body, &live);
    trim(m, fn);
}

/* ---- x = 0; x += e ------------------------------------------------------------------------------------------------------- */

typedef struct zeros {
    ad_arena *m;
    int *at; /* by symbol number: 1 + statement of the block that sets it to 0, nothing having mentioned it since */
} zeros;

static void forget_zeros(zeros *z, const ad_node *n)
{
    if (!n) return;
    if (n->sym && n->op != AD_DECL) z->at[n->sym->number] = 0;
    for (int i = 0; i < n->kids; i++) forget_zeros(z, n->kid[i]);
}

static void first_sums(ad_arena *m, const ad_fn *fn, ad_node *block)
{
    if (!block) return;
    for (int i = ad_inner(block); i < block->kids; i++) first_sums(m, fn, block->kid[i]);
    if (block->op != AD_BLOCK) return;
    zeros z = {m, NULL};
    int kept = 0;
    for (int i = 0; i < block->kids; i++) {
        ad_node *s = block->kid[i];
        const ad_node *t = s->op == AD_SET || s->op == AD_INC ? s->target : NULL;
        int zero = s->op == AD_SET && t->sym->type == AD_DOUBLE && s->value->op == AD_NUM && s->value->real == 0;
        if (zero && !z.at) z.at = ad_take(m, ((size_t)fn->syms + 1) * sizeof *z.at);
        if (!z.at) continue;
        int from = t ? z.at[t->sym->number] : 0;
        if (s->op == AD_INC && from && ad_same(block->kid[from - 1]->target, t) && !ad_uses(s->value, t->sym)) {
            ad_node *set = ad_set(m, s->target, s->value);
            set->place = s->place;
            block->kid[i] = set;
            block->kid[from - 1] = NULL;
        }
        forget_zeros(&z, s);
        if (zero) z.at[t->sym->number] = i + 1;
        if (s->op == AD_SET && t->op == AD_NAME) /* elements with this index are others now */
            for (int k = 0; t->sym->type == AD_INT && k < fn->syms; k++)
                if (z.at[k] && ad_uses(block->kid[z.at[k] - 1], t->sym)) z.at[k] = 0;
    }
    for (int i = 0; i < block->kids; i++)
        if (block->kid[i]) block->kid[kept++] = block->kid[i];
    block->kids = kept;
}

void ad_first_sums(ad_arena *m, ad_fn *fn)
{
    first_sums(m, fn, fn->body);
}

/* ---- privatizing ---------------------------------------------------------------------------------------------------------- */

static void privatize(ad_arena *m, ad_fn *fn, ad_node *n, ad_syms *live);

/* Scalars that live within one iteration get a symbol of the body's own. live: after the loop. */
static void privatize_loop(ad_arena *m, ad_fn *fn, ad_node *loop, const ad_syms *live)
{
    ad_syms written = {0}, own = {0}, exposed = {0};
    ad_writes(m, loop->body, &written);
    ad_declared(m, loop, &own);
    ad_exposed(m, loop->body, &exposed);
    int syms = fn->syms;
    ad_sym **map = ad_take(m, ((size_t)syms + 1) * sizeof *map);
    ad_node *body = ad_block(m);
    for (int i = 0; i < syms; i++) {
        ad_sym *s = fn->sym[i];
        if (s->role != AD_LOCAL || s->array || s == fn->status || !ad_has(&written, s)) continue;
        if (ad_has(&own, s) || ad_has(&exposed, s) || ad_has(live, s)) continue;
        map[i] = ad_sym_new(m, fn, s->name, s->type, AD_LOCAL);
        const char *name = map[i]->name;
        int number = map[i]->number;
        *map[i] = *s;
        map[i]->name = name;
        map[i]->number = number;
        ad_append(m, body, ad_decl(m, map[i]));
    }
    if (body->kids > 0) {
        ad_node *inner = ad_copy(m, loop->body, map);
        ad_append_all(m, body, inner);
        loop->body = body;
    }
    sweeper w = {.m = m};
    ad_syms at = around_loop(&w, loop, live);
    privatize(m, fn, loop->body, &at);
}

/* live: after n on entry, before it on return. */
static void privatize(ad_arena *m, ad_fn *fn, ad_node *n, ad_syms *live)
{
    if (n->op == AD_BLOCK) {
        for (int i = n->kids - 1; i >= 0; i--) privatize(m, fn, n->kid[i], live);
        return;
    }
    if (n->op == AD_FOR) privatize_loop(m, fn, n, live);
    if (n->op == AD_IF) {
        ad_syms yes = ad_syms_copy(m, live), no = ad_syms_copy(m, live);
        privatize(m, fn, n->yes, &yes);
        if (n->no) privatize(m, fn, n->no, &no);
    }
    sweeper w = {.m = m};
    sweep(&w, n, live);
}

void ad_privatize(ad_arena *m, ad_fn *fn)
{
    ad_syms live = {0};
    if (fn->status) ad_include(m, &live, fn->status);
    privatize(m, fn, fn->body, &live);
    trim(m, fn);
}
