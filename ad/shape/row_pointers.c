/* row_pointers.c - pointers that go along with a loop around vectors.
 *
 *     for j: for i: f[n j + i] = y[n j + i - 1] + y[n j + i + 1] + y[n j + i - n] + y[n j + i + n] + ...
 *
 * To compilers each element that moves with i has an address of its own, for they fold n j into it. Where there are more
 * addresses than registers, the inner loop reads as many of them from memory as elements. With a pointer to row j for each
 * array, which moves on with j,
 *
 *     for (j, f_row = f, y_row = y; ...; j++, f_row += n, y_row += n)
 *         for i: f_row[i] = y_row[i - 1] + y_row[i + 1] + y_row[i - n] + ...
 *
 * the addresses differ by constants, which are part of the instructions.
 *
 * In a sweep back, states come from the record of the run: from memory. What processors fetch in advance by themselves is not
 * enough there, so that rows of a large grid are asked for some way ahead. */
#include "shape/passes_in.h"

#include "base/arena.h"
#include "tree/print.h"
#include "tree/flow.h"
#include "tree/loops.h"

enum { ADDRESSES = 8, ROWS = 16 }; /* addresses that registers are enough for; rows of a loop */

typedef struct address {
    const ad_sym *array;
    ad_affine form;
} address;

typedef struct finder {
    ad_arena *m;
    ad_fn *fn;
    int lanes;
    ad_defs defs;
    const ad_node *loop; /* the one that rows go along with */
    ad_syms changing;    /* in it */
    ad_rows *rows;       /* what was found */
    address row[ROWS];
    address *list;       /* of one inner loop */
    int count, room;
} finder;

/* ---- what an inner loop touches ------------------------------------------------------------------------------------------ */

static int known(const finder *w, const address *a)
{
    for (int i = 0; i < w->count; i++) {
        const ad_affine gap = ad_affine_difference(&w->list[i].form, &a->form);
        if (w->list[i].array == a->array && gap.ok && gap.terms == 0 && gap.c == 0) return 1;
    }
    return 0;
}

/* Those that move with the loop's counter */
static void list_addresses(finder *w, const ad_node *n, const ad_sym *counter)
{
    if (!n) return;
    for (int i = 0; i < n->kids; i++) list_addresses(w, n->kid[i], counter);
    if (n->op != AD_ELEM) return;
    const address a = {n->sym, ad_affine_of(&w->defs, n->index)};
    if (!a.form.ok || ad_coefficient(&a.form, counter) == 0 || known(w, &a)) return;
    if (w->count == w->room) {
        const int room = 2 * w->room + 32;
        w->list = ad_grow(w->m, w->list, (size_t)w->count * sizeof *w->list, (size_t)room * sizeof *w->list);
        w->room = room;
    }
    w->list[w->count++] = a;
}

/* ---- rows ---------------------------------------------------------------------------------------------------------------- */

/* What an address has in common with others of its row: it moves with the loop and with nothing inside it. ok 0: nothing, or
 * arithmetic that may wrap around. */
static ad_affine row_of(const finder *w, const ad_affine *form)
{
    ad_affine row = {.ok = form->ok && ad_coefficient(form, w->loop->sym) > 0};
    for (int i = 0; i < form->terms; i++) {
        const ad_sym *s = form->term[i].sym;
        if (ad_is_unsigned(s->ctype ? s->ctype : "int")) row.ok = 0;
        if (s == w->loop->sym || !ad_has(&w->changing, s)) row.term[row.terms++] = form->term[i];
    }
    return row;
}

/* Number of the address' row, or -1. */
static int find_row(const finder *w, const ad_sym *array, const ad_affine *row)
{
    for (int i = 0; i < w->rows->count; i++) {
        const ad_affine gap = ad_affine_difference(&w->row[i].form, row);
        if (w->row[i].array == array && gap.ok && gap.terms == 0) return i;
    }
    return -1;
}

static void add_row(finder *w, const address *a)
{
    ad_arena *m = w->m;
    const ad_sym *x = a->array;
    const ad_affine row = row_of(w, &a->form);
    if ((x->role != AD_INPUT && x->role != AD_OUTPUT && x->role != AD_SUM) || x->points) return; /* points lie anywhere */
    if (!row.ok || w->rows->count == ROWS || find_row(w, x, &row) >= 0) return;
    ad_sym *s = ad_sym_new(m, w->fn, ad_text(m, "%s_row", x->name), AD_DOUBLE, x->role);
    s->array = 1;
    s->lane = x->lane;
    const int64_t stride = ad_coefficient(&row, w->loop->sym);
    ad_affine others = row; /* than the loop's counter */
    for (int i = 0; i < others.terms; i++)
        if (others.term[i].sym == w->loop->sym) others.term[i] = others.term[--others.terms];
    ad_node *start = ad_mul(m, ad_copy(m, w->loop->first, NULL), ad_whole(m, stride));
    w->row[w->rows->count] = (address){x, row};
    w->rows->row[w->rows->count++] = (ad_row){.sym = s, .array = x, .start = ad_add(m, ad_from_affine(m, &others), start),
                                                   .step = stride * w->loop->step};
}

static void look_inside(finder *w, const ad_node *n)
{
    if (!n) return;
    if (n->op == AD_FOR) {
        w->count = 0;
        if (n->simd || (w->lanes && ad_on_lanes(n->body))) list_addresses(w, n->body, n->sym);
        for (int i = 0; w->count > ADDRESSES && i < w->count; i++) add_row(w, &w->list[i]);
        return;
    }
    for (int i = ad_inner(n); i < n->kids; i++) look_inside(w, n->kid[i]);
}

/* 1: a state or its direction, read by a sweep back through more of it than the nearest caches hold. Of several directions there
 * is more than memory gives, in advance or not. */
static int from_record(const finder *w, const ad_row *r)
{
    enum { LARGE = 8192 }; /* elements */
    const char *slot = ad_slot(w->fn, r->array);
    const int64_t trips = ad_trips(w->loop);
    if (!w->fn->u || !slot || *slot != 'y' || r->array->role != AD_INPUT || (w->lanes && r->array->lane)) return 0;
    return r->step > 0 && trips > 0 && trips * r->step >= LARGE;
}

/* An element at sym[c] is needed: of those that lie near each other the one with the largest index is fetched, the others
 * were. */
static void fetch(ad_row *r, int64_t c)
{
    const int64_t near = 4 * r->step;
    for (int k = 0; k < r->fetches; k++) {
        if (c > r->fetch[k] + near || c < r->fetch[k] - near) continue;
        if (c > r->fetch[k]) r->fetch[k] = c;
        return;
    }
    if (r->fetches < AD_FETCHES) r->fetch[r->fetches++] = c;
}

static void use_rows(finder *w, ad_node *n)
{
    if (!n) return;
    for (int i = 0; i < n->kids; i++) use_rows(w, n->kid[i]);
    if (n->op != AD_ELEM) return;
    const ad_affine form = ad_affine_of(&w->defs, n->index), row = row_of(w, &form);
    const int at = row.ok ? find_row(w, n->sym, &row) : -1;
    if (at < 0) return;
    const ad_affine rest = ad_affine_difference(&form, &row);
    n->sym = w->rows->row[at].sym;
    if (from_record(w, &w->rows->row[at])) fetch(&w->rows->row[at], rest.c);
    n->index = ad_from_affine(w->m, &rest);
}

static int visit(finder *w, ad_node *n)
{
    int found = 0;
    if (!n) return 0;
    for (int i = ad_inner(n); i < n->kids; i++) found |= visit(w, n->kid[i]);
    if (n->op != AD_FOR) return found;
    w->loop = n;
    w->changing = (ad_syms){0};
    w->rows = ad_take(w->m, sizeof *w->rows + ROWS * sizeof *w->rows->row);
    ad_writes(w->m, n, &w->changing);
    look_inside(w, n->body);
    if (!w->rows->count) return found;
    use_rows(w, n->body);
    n->rows = w->rows;
    return 1;
}

void ad_row_pointers(ad_run *r)
{
    finder w = {.m = r->m, .fn = r->fn, .lanes = r->lanes, .defs = r->defs};
    if (visit(&w, r->fn->body)) ad_dead(r->m, r->fn); /* integers that only indices needed */
}
