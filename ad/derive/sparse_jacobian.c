/* sparse_jacobian.c - every active value x of straight-line code carries its gradient as a list of (column j, dx/dy_j):
 *
 *   x = e,  de = sum of factor_i d leaf_i      dx/dy_j = sum over i of factor_i d leaf_i/dy_j,      dy_k/dy_j = 1 if j = k
 *
 * An entry of a list is a literal, an input, or a temporary that is never assigned again, so lists are handed on without
 * copies. Where two branches leave different lists, temporaries are declared before them and set in both. Gradients of outputs
 * go to the matrix at once; where in the matrix is known at the end, when the numbers of its elements are filled in. */
#include "derive/sparse_jacobian.h"

#include "base/arena.h"
#include "derive/linearize.h"
#include "derive/trust.h"
#include "tree/flow.h"
#include "tree/rules.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ENTRIES = 400000 };

typedef struct entry {
    int column;
    ad_node *value;
} entry;

typedef struct gradient {
    int count, room;
    entry *entry;
} gradient;

/* An element of the matrix, and where the code mentions it: the numbers to fill in. */
typedef struct place {
    int row, column;
    int branched; /* 1: first assigned to in a branch, so it starts as 0 */
    int uses, room;
    ad_node **use;
} place;

typedef struct change {
    int sym, cell;
    gradient *before;
} change;

typedef struct jacobian {
    ad_arena *m;
    ad_fn *fn;
    ad_sym *y, *out, *jac;
    unsigned char *active; /* by symbol */
    int syms;
    gradient ***cell;      /* by symbol and element; NULL: zero */
    int *cells;            /* by symbol */
    place *at;
    int places, place_room;
    int *row_first, *next; /* places of a row: a chain */
    change *log;           /* cells that were changed, for branches */
    int logged, log_room;
    int depth;             /* of branches */
    int entries;           /* made so far */
    int failed;            /* 1: something is not a literal, or too much */
} jacobian;

/* ---- activity ------------------------------------------------------------------------------------------------------------ */

static int is_active(const ad_node *leaf, void *context)
{
    const jacobian *w = context;
    return leaf->sym->number < w->syms && w->active[leaf->sym->number];
}

static int varies(jacobian *w, const ad_node *e)
{
    if (e->type != AD_DOUBLE || e->op == AD_RAW || e->op == AD_TO_DOUBLE) return 0;
    if (e->op == AD_NAME || e->op == AD_ELEM) return is_active(e, w);
    for (int i = e->op == AD_COND; i < e->kids; i++)
        if (varies(w, e->kid[i])) return 1;
    return 0;
}

static int spread(jacobian *w, const ad_node *n)
{
    int more = 0;
    if (!n) return 0;
    if (n->op == AD_FOR || n->op == AD_PUSH || n->op == AD_POP) w->failed = 1;
    if (n->op == AD_SET || n->op == AD_INC) {
        unsigned char *a = &w->active[n->target->sym->number];
        if (*a || !varies(w, n->value)) return 0;
        return *a = 1;
    }
    for (int i = n->op == AD_IF ? 1 : 0; n->op >= AD_DECL && i < n->kids; i++) more |= spread(w, n->kid[i]);
    return more;
}

/* ---- cells --------------------------------------------------------------------------------------------------------------- */

/* The element that a leaf names; -1: not known. */
static int element(jacobian *w, const ad_node *leaf)
{
    double v = 0;
    if (leaf->op == AD_ELEM && !ad_literal(leaf->index, &v)) w->failed = 1;
    const ad_sym *s = leaf->sym;
    double extent = 1;
    if (s->array && (!s->extent || !ad_literal(s->extent, &extent))) w->failed = 1;
    if (v < 0 || v >= extent || extent > 1e7) w->failed = 1;
    return w->failed ? -1 : (int)v;
}

static gradient **cell_of(jacobian *w, const ad_sym *s, int element)
{
    if (!w->cell[s->number]) {
        double extent = 1;
        if (s->array) ad_literal(s->extent, &extent);
        w->cells[s->number] = (int)extent;
        w->cell[s->number] = ad_take(w->m, (size_t)extent * sizeof **w->cell);
    }
    return &w->cell[s->number][element];
}

static void change_cell(jacobian *w, const ad_sym *s, int at, gradient *to)
{
    gradient **cell = cell_of(w, s, at);
    if (w->depth) {
        if (w->logged == w->log_room) {
            int room = w->log_room ? 2 * w->log_room : 64;
            w->log = ad_grow(w->m, w->log, (size_t)w->logged * sizeof *w->log, (size_t)room * sizeof *w->log);
            w->log_room = room;
        }
        w->log[w->logged++] = (change){s->number, at, *cell};
    }
    *cell = to;
}

static entry *find(const gradient *g, int column)
{
    for (int i = 0; g && i < g->count; i++)
        if (g->entry[i].column == column) return &g->entry[i];
    return NULL;
}

static void add_entry(jacobian *w, gradient *g, int column, ad_node *value)
{
    entry *e = find(g, column);
    if (e) {
        e->value = ad_add(w->m, e->value, value);
        return;
    }
    if (g->count == g->room) {
        int room = g->room ? 2 * g->room : 4;
        g->entry = ad_grow(w->m, g->entry, (size_t)g->count * sizeof *g->entry, (size_t)room * sizeof *g->entry);
        g->room = room;
    }
    g->entry[g->count++] = (entry){column, value};
    if (++w->entries > MOST_ENTRIES) w->failed = 1;
}

static int lasting(const ad_node *e)
{
    return ad_literal(e, NULL) || ((e->op == AD_NAME || e->op == AD_ELEM) && e->sym->role == AD_INPUT);
}

static ad_node *keep(jacobian *w, ad_node *out, ad_node *value, const char *name)
{
    ad_sym *s = ad_sym_new(w->m, w->fn, name, AD_DOUBLE, AD_LOCAL);
    ad_append(w->m, out, ad_decl(w->m, s));
    ad_append(w->m, out, ad_set(w->m, ad_use(w->m, s), value));
    return ad_use(w->m, s);
}

/* ---- the matrix ---------------------------------------------------------------------------------------------------------- */

static place *place_of(jacobian *w, int row, int column, int *fresh)
{
    *fresh = 0;
    for (int i = w->row_first[row]; i >= 0; i = w->next[i])
        if (w->at[i].column == column) return &w->at[i];
    if (w->places == w->place_room) {
        int room = w->place_room ? 2 * w->place_room : 64;
        w->at = ad_grow(w->m, w->at, (size_t)w->places * sizeof *w->at, (size_t)room * sizeof *w->at);
        w->next = ad_grow(w->m, w->next, (size_t)w->places * sizeof *w->next, (size_t)room * sizeof *w->next);
        w->place_room = room;
    }
    *fresh = 1;
    w->at[w->places] = (place){.row = row, .column = column, .branched = w->depth > 0};
    w->next[w->places] = w->row_first[row];
    w->row_first[row] = w->places;
    return &w->at[w->places++];
}

static ad_node *mention(jacobian *w, place *at)
{
    ad_node *number = ad_whole(w->m, 0);
    if (at->uses == at->room) {
        int room = at->room ? 2 * at->room : 4;
        at->use = ad_grow(w->m, at->use, (size_t)at->uses * sizeof *at->use, (size_t)room * sizeof *at->use);
        at->room = room;
    }
    at->use[at->uses++] = number;
    return ad_elem(w->m, w->jac, number);
}

static void to_matrix(jacobian *w, ad_node *out, int row, const gradient *g, int add)
{
    for (int i = w->row_first[row]; i >= 0 && !add; i = w->next[i])
        if (!find(g, w->at[i].column)) ad_append(w->m, out, ad_set(w->m, mention(w, &w->at[i]), ad_num(w->m, 0)));
    for (int i = 0; i < g->count; i++) {
        int fresh;
        place *at = place_of(w, row, g->entry[i].column, &fresh);
        ad_node *element = mention(w, at);
        int increment = add && (!fresh || at->branched);
        ad_append(w->m, out, increment ? ad_inc(w->m, element, g->entry[i].value) : ad_set(w->m, element, g->entry[i].value));
    }
}

/* ---- statements ---------------------------------------------------------------------------------------------------------- */

static gradient *differentiate(jacobian *w, ad_node *pre, const ad_term *term, int terms)
{
    gradient *g = ad_take(w->m, sizeof *g);
    for (int i = 0; i < terms && !w->failed; i++) {
        int at = element(w, term[i].leaf);
        if (at < 0) break;
        if (term[i].leaf->sym == w->y) {
            add_entry(w, g, at, term[i].factor);
            continue;
        }
        const gradient *inner = *cell_of(w, term[i].leaf->sym, at);
        ad_node *factor = term[i].factor;
        if (inner && inner->count > 1 && !lasting(factor) && factor->op != AD_NAME) factor = keep(w, pre, factor, "factor");
        for (int j = 0; inner && j < inner->count; j++)
            add_entry(w, g, inner->entry[j].column,
                      ad_mul(w->m, ad_copy(w->m, factor, NULL), ad_copy(w->m, inner->entry[j].value, NULL)));
    }
    return g;
}

static void assign(jacobian *w, ad_node *out, ad_node *s)
{
    ad_arena *m = w->m;
    ad_node *target = s->target;
    const int to_out = target->sym == w->out, direct = to_out && w->jac;
    if (target->sym->type == AD_DOUBLE && (to_out || w->active[target->sym->number])) {
        ad_node *pre = ad_block(m);
        ad_term *term;
        const int at = element(w, target), terms = ad_linearize(m, w->fn, &s->value, is_active, w, pre, &term);
        if (at < 0) return;
        gradient *g = differentiate(w, pre, term, terms);
        if (direct) {
            to_matrix(w, pre, at, g, s->op == AD_INC);
        } else {
            const gradient *old = *cell_of(w, target->sym, at);
            for (int i = 0; s->op == AD_INC && old && i < old->count; i++)
                add_entry(w, g, old->entry[i].column, ad_copy(m, old->entry[i].value, NULL));
            const char *name = target->op == AD_NAME ? target->sym->name : ad_text(m, "%s%d", target->sym->name, at);
            for (int i = 0; i < g->count; i++)
                if (!lasting(g->entry[i].value))
                    g->entry[i].value = keep(w, pre, g->entry[i].value, ad_text(m, "%s_y%d", name, g->entry[i].column));
            change_cell(w, target->sym, at, g);
        }
        for (int i = 0; i < pre->kids; i++) {
            pre->kid[i]->place = s->place;
            ad_append(m, out, pre->kid[i]);
        }
    }
    if (!direct) ad_append(m, out, s);
}

static ad_node *block(jacobian *w, ad_node *b);

/* The cells that a branch has changed, as they are now; takes the changes back. */
static change *take_back(jacobian *w, int from, int *count)
{
    change *now = ad_take(w->m, ((size_t)(w->logged - from) + 1) * sizeof *now);
    *count = 0;
    while (w->logged > from) {
        change c = w->log[--w->logged];
        gradient **cell = &w->cell[c.sym][c.cell];
        int seen = 0;
        for (int i = 0; i < *count && !seen; i++) seen = now[i].sym == c.sym && now[i].cell == c.cell;
        if (!seen) now[(*count)++] = (change){c.sym, c.cell, *cell};
        *cell = c.before;
    }
    return now;
}

static gradient *after(const change *c, int count, const change *like, gradient *otherwise)
{
    for (int i = 0; i < count; i++)
        if (c[i].sym == like->sym && c[i].cell == like->cell) return c[i].before;
    return otherwise;
}

/* Both branches set the same temporaries. take_back has undone inner changes one by one, so the last one undone is the
 * outermost value. */
static void join(jacobian *w, ad_node *out, ad_node *const *branch, const change *like, gradient *const *g)
{
    const ad_sym *s = w->fn->sym[like->sym];
    gradient *joined = ad_take(w->m, sizeof *joined);
    for (int b = 0; b < 2; b++)
        for (int i = 0; g[b] && i < g[b]->count; i++)
            if (!find(joined, g[b]->entry[i].column)) add_entry(w, joined, g[b]->entry[i].column, ad_num(w->m, 0));
    for (int i = 0; i < joined->count; i++) {
        ad_sym *both = ad_sym_new(w->m, w->fn, ad_text(w->m, "%s_y%d", s->name, joined->entry[i].column), AD_DOUBLE, AD_LOCAL);
        ad_append(w->m, out, ad_decl(w->m, both));
        for (int b = 0; b < 2; b++) {
            const entry *e = find(g[b], joined->entry[i].column);
            ad_append(w->m, branch[b], ad_set(w->m, ad_use(w->m, both), e ? ad_copy(w->m, e->value, NULL) : ad_num(w->m, 0)));
        }
        joined->entry[i].value = ad_use(w->m, both);
    }
    change_cell(w, s, like->cell, joined);
}

static void choice(jacobian *w, ad_node *out, ad_node *s)
{
    ad_node *branch[2];
    change *changed[2];
    int count[2];
    const int from = w->logged;
    w->depth++;
    for (int b = 0; b < 2; b++) {
        branch[b] = s->kid[1 + b] ? block(w, s->kid[1 + b]) : ad_block(w->m);
        changed[b] = take_back(w, from, &count[b]);
    }
    w->depth--;
    for (int b = 0; b < 2 && !w->failed; b++)
        for (int i = 0; i < count[b]; i++) {
            const change *c = &changed[b][i];
            if (b && after(changed[0], count[0], c, (gradient *)w) != (gradient *)w) continue; /* joined already */
            gradient *old = w->cell[c->sym][c->cell];
            gradient *g[2] = {after(changed[0], count[0], c, old), after(changed[1], count[1], c, old)};
            join(w, out, branch, c, g);
        }
    s->yes = branch[0];
    s->no = branch[1]->kids ? branch[1] : NULL;
    ad_append(w->m, out, s);
}

static ad_node *block(jacobian *w, ad_node *b)
{
    ad_node *out = ad_block(w->m);
    for (int i = 0; i < b->kids && !w->failed; i++) {
        ad_node *s = b->kid[i];
        if (s->op == AD_SET || s->op == AD_INC) assign(w, out, s);
        else if (s->op == AD_IF) choice(w, out, s);
        else if (s->op == AD_BLOCK) {
            ad_node *inner = block(w, s); /* scopes are dissolved: temporaries outlive them */
            ad_append_all(w->m, out, inner);
        } else ad_append(w->m, out, s);
    }
    return out;
}

/* ---- the function -------------------------------------------------------------------------------------------------------- */

static int by_column(const void *a, const void *b)
{
    const place *x = a, *y = b;
    return x->column != y->column ? (x->column > y->column) - (x->column < y->column) : (x->row > y->row) - (x->row < y->row);
}

/* Numbers the elements, column by column, and fills them in. Those that start as 0 are set in `head`. */
static void number(jacobian *w, ad_node *head, int n, ad_entries *entries)
{
    if (w->places) qsort(w->at, (size_t)w->places, sizeof *w->at, by_column);
    const int dense = n <= 8 || (double)w->places * 2 >= (double)n * n;
    int *colptr = ad_take(w->m, ((size_t)n + 2) * sizeof *colptr);
    int *rowind = ad_take(w->m, ((size_t)w->places + 1) * sizeof *rowind);
    unsigned char *set = dense ? ad_take(w->m, (size_t)n * (size_t)n) : NULL;
    for (int i = 0; i < w->places; i++) {
        const place *at = &w->at[i];
        const int64_t k = dense ? at->row + (int64_t)n * at->column : i;
        colptr[at->column + 1] = i + 1;
        rowind[i] = at->row;
        for (int j = 0; j < at->uses; j++) at->use[j]->whole = k;
        if (at->branched) ad_append(w->m, head, ad_set(w->m, ad_elem(w->m, w->jac, ad_whole(w->m, k)), ad_num(w->m, 0)));
        if (set) set[k] = 1;
    }
    for (int j = 0; j < n; j++)
        if (colptr[j + 1] < colptr[j]) colptr[j + 1] = colptr[j];
    for (int64_t k = 0; set && k < (int64_t)n * n; k++)
        if (!set[k]) ad_append(w->m, head, ad_set(w->m, ad_elem(w->m, w->jac, ad_whole(w->m, k)), ad_num(w->m, 0)));
    *entries = (ad_entries){n, dense ? n * n : w->places, dense ? NULL : colptr, dense ? NULL : rowind};
}

/* Values stay as they are, outputs that are read back included: they become local. */
static void parameters(jacobian *w, ad_sym *jac)
{
    for (int i = 0; i < w->fn->params; i++)
        if (w->fn->param[i] == w->out) w->fn->param[i] = jac;
    w->out->role = AD_LOCAL;
    w->fn->out = jac;
}

ad_fn *ad_sparse_jacobian(ad_arena *m, const ad_fn *f, int states, ad_entries *entries)
{
    ad_fn *fn = ad_fn_copy(m, f, NULL);
    if (!fn->y || !fn->out) return NULL;
    ad_unfold(m, fn);
    ad_trust_of(m, fn);
    jacobian w = {.m = m, .fn = fn, .y = fn->y, .out = fn->out, .syms = fn->syms};
    w.active = ad_take(m, (size_t)fn->syms + 1);
    w.active[fn->y->number] = 1;
    while (spread(&w, fn->body)) continue;
    if (w.failed) return NULL;
    w.cell = ad_take(m, ((size_t)fn->syms + 1) * sizeof *w.cell);
    w.cells = ad_take(m, ((size_t)fn->syms + 1) * sizeof *w.cells);
    w.row_first = ad_take(m, ((size_t)states + 1) * sizeof *w.row_first);
    for (int i = 0; i <= states; i++) w.row_first[i] = -1;

    const int back = ad_reads_symbol(fn->body, w.out);
    ad_sym *jac = ad_sym_new(m, fn, "jac", AD_DOUBLE, AD_OUTPUT);
    jac->array = 1;
    if (!back) w.jac = jac;
    ad_node *rest = block(&w, fn->body), *head = ad_block(m);
    w.jac = jac;
    for (int i = 0; back && i < states && !w.failed; i++) {
        const gradient *g = *cell_of(&w, w.out, i);
        if (g) to_matrix(&w, rest, i, g, 0);
    }
    if (w.failed) return NULL;
    parameters(&w, jac);
    if (back) ad_append(m, head, ad_decl(m, w.out));
    number(&w, head, states, entries);
    ad_append_all(m, head, rest);
    fn->body = head;
    fn->name = ad_text(m, "%s_jac", f->name);
    return fn;
}
