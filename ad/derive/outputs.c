/* outputs.c - what reverse mode asks of a function's outputs. */
#include "base/arena.h"
#include "derive/record.h"

typedef struct access {
    const ad_node *s;     /* the assignment */
    ad_loops loops;
    ad_affine form;
    int branches;
    struct {
        const ad_node *choice;
        int arm;
    } branch[16];
    int active;
} access;

typedef struct survey {
    ad_arena *m;
    const ad_fn *fn;
    const ad_activity *activity;
    ad_defs defs;
    access *list;
    int count, room;
    int read; /* an output is read back */
} survey;

static void look(survey *v, const ad_node *n, access at)
{
    if (!n) return;
    if (n->op == AD_ELEM && n->sym == v->fn->out) v->read = 1;
    if ((n->op == AD_SET || n->op == AD_INC) && n->target->sym == v->fn->out) {
        if (v->count == v->room) {
            int room = 2 * v->room + 16;
            v->list = ad_grow(v->m, v->list, (size_t)v->count * sizeof *v->list, (size_t)room * sizeof *v->list);
            v->room = room;
        }
        at.s = n;
        at.form = ad_affine_of(&v->defs, n->target->index);
        at.active = ad_expr_varied(v->activity, n->value);
        v->list[v->count++] = at;
        look(v, n->value, at);
        return;
    }
    if (n->op == AD_FOR) ad_loops_enter(&at.loops, n);
    for (int i = 0; i < n->kids; i++) {
        access kid = at;
        if (n->op == AD_IF && i > 0) {
            if (kid.branches < 16) {
                kid.branch[kid.branches].choice = n;
                kid.branch[kid.branches].arm = i;
            }
            kid.branches++;
        }
        look(v, n->kid[i], kid);
    }
}

static survey look_at_outputs(ad_arena *m, const ad_fn *fn, const ad_activity *activity)
{
    survey v = {.m = m, .fn = fn, .activity = activity, .defs = ad_defs_of(m, fn, fn->body)};
    access none = {0};
    look(&v, fn->body, none);
    return v;
}

/* 1: different iterations of each loop around a give different elements. */
static int injective(const survey *v, const access *a, const ad_syms *changing, int levels)
{
    if (!ad_steady(&a->form, &a->loops, changing)) return 0;
    for (int at = 0; at < levels; at++)
        if (!ad_injective(&v->defs, &a->loops, at, &a->form)) return 0;
    return 1;
}

static int common_loops(const access *a, const access *b)
{
    int n = 0;
    while (n < a->loops.depth && n < b->loops.depth && n < AD_DEPTH && a->loops.loop[n] == b->loops.loop[n]) n++;
    return n;
}

static int exclusive(const access *a, const access *b)
{
    for (int i = 0; i < a->branches && i < b->branches && i < 16; i++) {
        if (a->branch[i].choice != b->branch[i].choice) return 0;
        if (a->branch[i].arm != b->branch[i].arm) return 1;
    }
    return 0;
}

/* 1: the assignment `later` may overwrite what `earlier`, which comes before it in the text if in_order, has written. */
static int overwrites(const survey *v, const access *earlier, const access *later, int in_order, const ad_syms *changing)
{
    if (earlier == later) return !injective(v, later, changing, later->loops.depth);
    if (ad_disjoint(&v->defs, &earlier->loops, &earlier->form, &later->loops, &later->form)) return 0;
    int common = common_loops(earlier, later);
    if (common == 0) return in_order && !exclusive(earlier, later);
    ad_affine gap = ad_affine_difference(&earlier->form, &later->form);
    if (!gap.ok || gap.terms > 0 || gap.c != 0) return 1;
    if (!injective(v, earlier, changing, common) || !injective(v, later, changing, common)) return 1;
    for (int i = 0; i < later->form.terms; i++) { /* inside the common loops it must be one and the same element */
        int found = 0;
        for (int j = 0; j < common; j++) found |= later->loops.loop[j]->sym == later->form.term[i].sym;
        if (!found && ad_has(changing, later->form.term[i].sym)) return 1;
    }
    return in_order && !exclusive(earlier, later);
}

int ad_outputs_once(ad_arena *m, const ad_fn *fn, const ad_activity *activity)
{
    survey v = look_at_outputs(m, fn, activity);
    ad_syms changing = {0};
    ad_writes(m, fn->body, &changing);
    if (v.read) return 0;
    int constant = 1; /* straight-line models: by a table instead of pair by pair */
    for (int i = 0; i < v.count; i++) constant &= v.list[i].form.ok && v.list[i].form.terms == 0 && v.list[i].loops.depth == 0;
    for (int i = 0; i < v.count; i++) {
        if (v.list[i].s->op != AD_SET) continue;
        for (int j = 0; j < v.count; j++) {
            if (constant && (j >= i || v.list[j].form.c != v.list[i].form.c)) continue;
            if (v.list[j].active && overwrites(&v, &v.list[j], &v.list[i], j < i, &changing)) return 0;
        }
    }
    return 1;
}

/* The largest index that is read or written, plus one. */
static int largest(const survey *v, const ad_node *n, ad_loops loops, int64_t *last)
{
    if (!n) return 1;
    if (n->op == AD_ELEM && n->sym == v->fn->out) {
        ad_affine form = ad_affine_of(&v->defs, n->index);
        int64_t lo, hi;
        if (!ad_interval(&v->defs, &loops, &form, &lo, &hi)) return 0;
        if (hi > *last) *last = hi;
    }
    if (n->op == AD_FOR) ad_loops_enter(&loops, n);
    for (int i = 0; i < n->kids; i++)
        if (!largest(v, n->kid[i], loops, last)) return 0;
    return 1;
}

ad_node *ad_output_extent(ad_arena *m, const ad_fn *fn)
{
    if (fn->out->extent) return fn->out->extent;
    ad_activity none = {{0}, {0}};
    survey v = look_at_outputs(m, fn, &none);
    int64_t last = 0;
    return largest(&v, fn->body, (ad_loops){0}, &last) ? ad_whole(m, last + 1) : NULL;
}
