/* lower_init.c - initializers: lists with designators and left-out braces, as statements or as the text of a table. */
#include "front/lower.h"

#include <math.h>
#include <string.h>

static int is_scalar(const ac_type *t)
{
    return t->class != T_ARRAY && t->class != T_STRUCT;
}

/* Text of a constant for the definition of a table: the user's own where he wrote a number. */
static const char *constant_text(ac_lower *cx, const ac_expr *e, const ac_constant *k, const ac_type *t)
{
    if (t->class == T_INT) {
        int64_t whole = k->whole;
        if (k->is_double) whole = k->real > -9e18 && k->real < 9e18 ? (int64_t)k->real : 0;
        if (t->rank == 0) whole = k->is_double ? k->real != 0 : k->whole != 0;
        return ad_text(cx->m, "%lld", (long long)whole);
    }
    if (e->op == E_FLOATING && e->text && !ac_is_float(t)) return e->text;
    if (e->op == E_NEGATE && e->a->op == E_FLOATING && e->a->text && !ac_is_float(t)) return ad_text(cx->m, "-%s", e->a->text);
    double real = k->is_double ? k->real : k->type->is_unsigned ? (double)(uint64_t)k->whole : (double)k->whole;
    if (ac_is_float(t)) real = (double)(float)real;
    if (isnan(real)) return "NAN";
    if (isinf(real)) return real > 0 ? "INFINITY" : "-INFINITY";
    return ad_text(cx->m, "%.17g", real);
}

/* Stores one entry of a table. */
static void store(ac_lower *cx, const ac_ref *to, const ac_init *init, ac_table *t)
{
    ac_constant k;
    int64_t at = 0;
    int leaf = 0;
    while (leaf < t->leaves && t->leaf[leaf] != to->leaf[0]) leaf++;
    if (to->index && !ac_whole_of(to->index, &at)) at = -1;
    if (leaf == t->leaves || at < 0 || at >= t->count[leaf]) return;
    if (!ac_is_number(to->type) || !ac_evaluate(cx->m, init->expr, &k)) {
        if (!t->failed) t->place = init->expr->place;
        t->failed = 1;
        return;
    }
    t->value[leaf][at] = constant_text(cx, init->expr, &k, to->type);
}

static int is_zero(ac_lower *cx, const ac_expr *e)
{
    ac_constant k;
    return (e->op == E_INTEGER || e->op == E_FLOATING) && ac_evaluate(cx->m, e, &k) &&
           (k.is_double ? k.real == 0 && !signbit(k.real) : k.whole == 0);
}

static void fill_scalar(ac_lower *cx, const ac_ref *to, ac_init *init, ac_table *t, int zeroed)
{
    if (!init->expr && init->item && !init->item->next && init->item->expr) init = init->item; /* {3} */
    if (!init->expr) {
        if (init->item || !t) ad_error(cx->d, init->place, NULL, "a list of values is given for one number");
        return;
    }
    if (t) {
        store(cx, to, init, t);
        return;
    }
    if (zeroed && is_zero(cx, init->expr)) return;
    ac_expr *outer = cx->whole;
    cx->whole = init->expr;
    const ac_value v = ac_rvalue(cx, init->expr);
    cx->whole = outer;
    ac_assign(cx, to, &v, init->place);
}

static ac_init *fill_list(ac_lower *cx, const ac_ref *to, ac_init *item, ac_table *t, int zeroed, int elided);

/* Gives one item to one object; returns the item that comes next. */
static ac_init *fill_one(ac_lower *cx, const ac_ref *to, ac_init *item, ac_table *t, int zeroed)
{
    if (is_scalar(to->type)) {
        fill_scalar(cx, to, item, t, zeroed);
        return item->next;
    }
    if (!item->expr) {
        fill_list(cx, to, item->item, t, zeroed, 0);
        return item->next;
    }
    const ac_type *given = ac_type_of(cx->m, item->expr);
    if (!t && given && given->class == T_STRUCT && to->type->class == T_STRUCT) {
        const ac_value v = ac_rvalue(cx, item->expr);
        ac_assign(cx, to, &v, item->place);
        return item->next;
    }
    if (item->expr->op == E_STRING) {
        ad_error(cx->d, item->place, NULL, "strings are not differentiated");
        return item->next;
    }
    return fill_list(cx, to, item, t, zeroed, 1);
}

/* Follows .a[2].b to the object that is meant. */
static int designated(ac_lower *cx, ac_ref *at, const ac_init *d, ad_place place)
{
    for (; d; d = d->deeper) {
        ac_constant k;
        if (d->member) {
            if (!ac_member_ref(cx, at, d->member, place, at)) return 0;
        } else if (d->index) {
            if (at->type->class != T_ARRAY || !ac_evaluate(cx->m, d->index, &k) || k.is_double) {
                ad_error(cx->d, place, NULL, "this index in a list of values is not possible");
                return 0;
            }
            const int errors = ad_diag_count(cx->d);
            *at = ac_element(cx, at, ad_whole(cx->m, k.whole), place);
            if (ad_diag_count(cx->d) > errors) return 0;
        }
    }
    return 1;
}

static ac_init *fill_array(ac_lower *cx, const ac_ref *to, ac_init *item, ac_table *t, int zeroed, int elided)
{
    for (int64_t i = 0; item; i++) {
        ac_constant k;
        ac_ref at = *to;
        if (item->index || item->member) {
            if (elided) return item;
            if (!item->index || !ac_evaluate(cx->m, item->index, &k) || k.is_double) {
                ad_error(cx->d, item->place, NULL, "this index in a list of values is not possible");
                return NULL;
            }
            i = k.whole;
            if (!designated(cx, &at, item, item->place)) return NULL;
        } else {
            if (to->type->count >= 0 && i >= to->type->count) {
                if (elided) return item;
                ad_error(cx->d, item->place, NULL, "more values than the %lld elements of '%s'", (long long)to->type->count,
                         ac_ref_name(cx, to));
                return NULL;
            }
            at = ac_element(cx, to, ad_whole(cx->m, i), item->place);
        }
        item = fill_one(cx, &at, item, t, zeroed);
        if (ad_diag_full(cx->d)) return NULL;
    }
    return NULL;
}

static ac_init *fill_struct(ac_lower *cx, const ac_ref *to, ac_init *item, ac_table *t, int zeroed, int elided)
{
    const ac_member *k = to->type->member;
    while (item) {
        ac_ref at = *to;
        if (item->index || item->member) {
            if (elided) return item;
            if (!item->member || !designated(cx, &at, item, item->place)) return NULL;
            for (k = to->type->member; k && k->name != item->member; k = k->next) {
            }
        } else {
            if (!k) {
                if (elided) return item;
                ad_error(cx->d, item->place, NULL, "more values than the struct '%s' has members", ac_ref_name(cx, to));
                return NULL;
            }
            if (!k->name || !ac_member_ref(cx, to, k->name, item->place, &at)) return NULL;
        }
        item = fill_one(cx, &at, item, t, zeroed);
        if (k) k = k->next;
        if (elided && !k) return item;
    }
    return NULL;
}

static ac_init *fill_list(ac_lower *cx, const ac_ref *to, ac_init *item, ac_table *t, int zeroed, int elided)
{
    if (++cx->depth > AC_DEEP) {
        ad_error(cx->d, cx->place, NULL, "lists of values are nested more than %d deep", AC_DEEP);
        cx->depth--;
        return NULL;
    }
    ac_init *rest = item;
    if (to->type->class == T_ARRAY) rest = fill_array(cx, to, item, t, zeroed, elided);
    else if (to->type->class == T_STRUCT) rest = fill_struct(cx, to, item, t, zeroed, elided);
    else if (item) rest = fill_one(cx, to, item, t, zeroed);
    cx->depth--;
    return rest;
}

/* 1: the list has a plain value for each element, so that nothing needs zeroing before. */
static int is_complete(const ac_type *t, const ac_init *init)
{
    if (t->class != T_ARRAY || t->count < 0 || !is_scalar(t->of)) return 0;
    int64_t n = 0;
    for (const ac_init *i = init->item; i; i = i->next, n++) {
        if (i->index || i->member) return 0;
    }
    return n >= t->count;
}

void ac_fill(ac_lower *cx, const ac_ref *to, ac_init *init, ac_table *table)
{
    if (is_scalar(to->type)) {
        fill_scalar(cx, to, init, table, 0);
        return;
    }
    if (init->expr) {
        fill_one(cx, to, init, table, 0);
        return;
    }
    const int zeroed = !table && !is_complete(to->type, init);
    if (zeroed) ac_zero_object(cx, to, init->place);
    fill_list(cx, to, init->item, table, zeroed, 0);
}

void ac_initialize(ac_lower *cx, const ac_ref *to, ac_init *init)
{
    ac_expr *whole = cx->whole;
    ad_node *after = cx->after;
    cx->after = NULL;
    ac_fill(cx, to, init, NULL);
    if (cx->after) {
        for (int i = 0; i < cx->after->kids; i++) ac_emit(cx, cx->after->kid[i]);
    }
    cx->after = after;
    cx->whole = whole;
}
