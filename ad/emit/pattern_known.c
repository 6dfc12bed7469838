/* pattern_known.c - the pattern of straight-line code with literal indices, found here rather than by the emitted function.
 *
 * Every value has the set of states and parameters that it depends on, a rising list that is never changed, so that lists are
 * shared. Both branches of every if are taken; there what is assigned is added to what was there. */
#include "base/arena.h"
#include "emit/pattern_in.h"
#include "tree/rules.h"

typedef struct set {
    int count;
    int item[];
} set;

typedef struct known {
    ad_arena *m;
    const ad_fn *fn;
    int states, params;
    const set ***cell; /* by symbol and element; NULL: empty */
    int weak;          /* branches around the statement at hand */
    int *home;         /* by symbol: branches around its declaration */
    int failed;        /* a loop, an index that is not a literal */
} known;

static const set *unite(known *w, const set *a, const set *b)
{
    if (!a || !a->count || a == b) return b;
    if (!b || !b->count) return a;
    set *u = ad_take(w->m, sizeof *u + (size_t)(a->count + b->count) * sizeof *u->item);
    for (int i = 0, j = 0; i < a->count || j < b->count;) {
        const int from_a = j == b->count || (i < a->count && a->item[i] <= b->item[j]);
        const int item = from_a ? a->item[i] : b->item[j];
        i += i < a->count && a->item[i] == item;
        j += j < b->count && b->item[j] == item;
        u->item[u->count++] = item;
    }
    return u->count == a->count ? a : u->count == b->count ? b : u;
}

static const set *single(known *w, int item)
{
    set *s = ad_take(w->m, sizeof *s + sizeof *s->item);
    s->count = 1;
    s->item[0] = item;
    return s;
}

/* The number of an element, within its array; -1: not known. */
static int element(known *w, const ad_node *leaf, int extent)
{
    double v = 0;
    if (leaf->op == AD_ELEM && !ad_literal(leaf->index, &v)) w->failed = 1;
    if (v < 0 || v >= extent) w->failed = 1;
    return w->failed ? -1 : (int)v;
}

static const set **cell_of(known *w, const ad_node *leaf)
{
    const ad_sym *s = leaf->sym;
    double extent = 1;
    if (s->array && (!s->extent || !ad_literal(s->extent, &extent) || extent > 1e7)) w->failed = 1;
    const int at = element(w, leaf, (int)extent);
    if (at < 0) return NULL;
    if (!w->cell[s->number]) w->cell[s->number] = ad_take(w->m, (size_t)extent * sizeof **w->cell);
    return &w->cell[s->number][at];
}

static const set *of(known *w, const ad_node *e)
{
    if (w->failed || e->type != AD_DOUBLE || e->op == AD_RAW || e->op == AD_TO_DOUBLE) return NULL;
    if (e->op == AD_NAME || e->op == AD_ELEM) {
        if (e->sym->role == AD_CONST || e->sym == w->fn->t) return NULL;
        const int state = e->sym == w->fn->y;
        if (state || e->sym == w->fn->p) {
            const int at = element(w, e, state ? w->states : w->params);
            return at < 0 ? NULL : single(w, state ? at : w->states + at);
        }
        const set **cell = cell_of(w, e);
        return cell ? *cell : NULL;
    }
    const set *all = NULL;
    for (int i = e->op == AD_COND; i < e->kids; i++)
        if (e->op != AD_CALL || ad_rule_passes(w->m, e, i)) all = unite(w, all, of(w, e->kid[i]));
    return all;
}

static void walk(known *w, const ad_node *n)
{
    if (!n || w->failed) return;
    switch (n->op) {
    case AD_DECL: w->home[n->sym->number] = w->weak; return;
    case AD_SET:
    case AD_INC:
        if (n->target->sym->type == AD_DOUBLE) {
            const set *value = of(w, n->value), **cell = cell_of(w, n->target);
            if (cell) *cell = n->op == AD_INC || w->weak > w->home[n->target->sym->number] ? unite(w, *cell, value) : value;
        }
        return;
    case AD_IF:
        w->weak++;
        walk(w, n->yes);
        walk(w, n->no);
        w->weak--;
        return;
    case AD_FOR: w->failed = 1; return;
    case AD_BLOCK:
        for (int i = 0; i < n->kids; i++) walk(w, n->kid[i]);
        return;
    default: return;
    }
}

int ad_pattern_known(ad_arena *m, const ad_fn *fn, int states, int params, int rows, int **start, int **item)
{
    known w = {.m = m, .fn = fn, .states = states, .params = params};
    w.cell = ad_take(m, ((size_t)fn->syms + 1) * sizeof *w.cell);
    w.home = ad_take(m, ((size_t)fn->syms + 1) * sizeof *w.home);
    walk(&w, fn->body);
    if (w.failed || !fn->out) return 0;
    const set *const *row = w.cell[fn->out->number];
    size_t count = 0;
    *start = ad_take(m, ((size_t)rows + 1) * sizeof **start);
    for (int i = 0; row && i < rows; i++) count += row[i] ? (size_t)row[i]->count : 0;
    if (count > INT32_MAX) return 0;
    *item = ad_take(m, (count + 1) * sizeof **item);
    for (int i = 0; i < rows; i++) {
        (*start)[i + 1] = (*start)[i];
        for (int k = 0; row && row[i] && k < row[i]->count; k++) (*item)[(*start)[i + 1]++] = row[i]->item[k];
    }
    return 1;
}
