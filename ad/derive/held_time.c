/* held_time.c - what a condition compares, by inputs and constants: whether two conditions compare the same, and at which time
 * one of time alone changes. */
#include "derive/held_in.h"

#include "tree/flow.h"
#include "tree/loops.h"
#include "tree/print.h"

#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 40 };

/* ---- variables that are set once ------------------------------------------------------------------------------------------- */

/* Assignments at the top of the body, to variables that nothing else assigns. */
held_defs held_defs_of(ad_arena *m, const ad_fn *fn)
{
    const size_t n = (size_t)fn->syms + 1;
    int *writes = ad_take(m, n * sizeof *writes);
    held_defs d = {.fn = fn, .value = ad_take(m, n * sizeof *d.value), .counter = ad_take(m, n * sizeof *d.counter),
                   .known = ad_take(m, n)};
    ad_count_writes(fn->body, writes);
    for (int i = 0; i < fn->body->kids; i++) {
        const ad_node *s = fn->body->kid[i];
        if (s->op == AD_SET && s->target->op == AD_NAME && writes[s->target->sym->number] == 1)
            d.value[s->target->sym->number] = s->value;
    }
    return d;
}

ad_node *held_expanded(ad_arena *m, const held_defs *d, const ad_node *n, int depth)
{
    if (depth > DEEPEST || n->op == AD_RAW) return NULL;
    const ad_sym *s = n->sym;
    if (n->op == AD_NAME && s->role == AD_COUNTER) return d->known[s->number] ? ad_whole(m, d->counter[s->number]) : NULL;
    if (n->op == AD_NAME && s->role == AD_LOCAL)
        return d->value[s->number] ? held_expanded(m, d, d->value[s->number], depth + 1) : NULL;
    if (n->op == AD_ELEM && s->role != AD_INPUT && s->role != AD_CONST) return NULL;
    ad_node *kid[3] = {NULL};
    if (n->kids > 3) return NULL;
    for (int i = 0; i < n->kids; i++) {
        kid[i] = held_expanded(m, d, n->kid[i], depth + 1);
        if (!kid[i]) return NULL;
    }
    ad_node *c = ad_copy(m, n, NULL);
    for (int i = 0; i < n->kids; i++) c->kid[i] = kid[i];
    return c;
}

/* ---- names ----------------------------------------------------------------------------------------------------------------- */

/* Inputs by their slots, tables by their text. */
static int put_plain(ad_out *o, const ad_node *n, const ad_style *style)
{
    const ad_fn *fn = style->context;
    const char *slot = n->sym->role == AD_CONST ? n->sym->text : ad_slot(fn, n->sym);
    ad_puts(o, slot ? slot : n->sym->name);
    if (n->op != AD_ELEM) return 1;
    ad_puts(o, "[");
    ad_put_expr(o, n->index, AD_LEVEL_NONE, style);
    ad_puts(o, "]");
    return 1;
}

const char *held_key(ad_arena *m, const ad_fn *fn, const ad_node *a, const ad_node *b)
{
    const ad_style style = {.leaf = put_plain, .context = fn};
    ad_out o = {.m = m};
    ad_put_expr(&o, a, AD_LEVEL_NONE, &style);
    ad_puts(&o, " > ");
    ad_put_expr(&o, b, AD_LEVEL_NONE, &style);
    return ad_text(m, "%s", ad_out_text(&o));
}

/* ---- times ----------------------------------------------------------------------------------------------------------------- */

/* Number i of a table "static const double k[3] = {1, 2.5, 3};". */
static int table_number(const ad_sym *s, int64_t i, double *value)
{
    const char *at = s->text && s->type == AD_DOUBLE ? strchr(s->text, '{') : NULL;
    if (!at || i < 0) return 0;
    for (at++;; at++) {
        char *end;
        *value = strtod(at, &end);
        if (end == at) return 0;
        end += strspn(end, " \n");
        if (*end != ',' && *end != '}') return 0;
        if (i-- == 0) return 1;
        if (*end == '}') return 0;
        at = end;
    }
}

int held_number(const ad_node *n, double *value)
{
    double a, b;
    int64_t whole;
    switch (n->op) {
    case AD_NUM: *value = n->real; return 1;
    case AD_WHOLE: *value = (double)n->whole; return 1;
    case AD_TO_DOUBLE: return held_number(n->a, value);
    case AD_NEG:
        if (!held_number(n->a, value)) return 0;
        *value = -*value;
        return 1;
    case AD_ADD:
    case AD_SUB:
    case AD_MUL:
    case AD_DIV:
        if (!held_number(n->a, &a) || !held_number(n->b, &b)) return 0;
        if (n->type == AD_INT && n->op == AD_DIV) return 0;
        *value = n->op == AD_ADD ? a + b : n->op == AD_SUB ? a - b : n->op == AD_MUL ? a * b : a / b;
        return 1;
    case AD_ELEM: return n->sym->role == AD_CONST && ad_constant(n->index, &whole) && table_number(n->sym, whole, value);
    default: return 0;
    }
}

/* 1: n = slope t + rest, slope being 0, 1 or -1, and rest of constants and parameters. */
static int linear(ad_arena *m, const ad_fn *fn, const ad_node *n, int *slope, ad_node **rest)
{
    int a = 0, b = 0;
    ad_node *first = NULL, *second = NULL;
    *slope = 0;
    if (n->op == AD_NAME && n->sym == fn->t) {
        *slope = 1;
        *rest = ad_num(m, 0);
        return 1;
    }
    if (!ad_uses(n, fn->t) && !ad_uses(n, fn->y) && !(fn->mode && ad_uses(n, fn->mode))) {
        *rest = ad_copy(m, n, NULL);
        return n->type == AD_DOUBLE;
    }
    if ((n->op != AD_ADD && n->op != AD_SUB && n->op != AD_NEG) || !linear(m, fn, n->a, &a, &first)) return 0;
    if (n->op == AD_NEG) {
        *slope = -a;
        *rest = ad_neg(m, first);
        return 1;
    }
    if (!linear(m, fn, n->b, &b, &second)) return 0;
    *slope = n->op == AD_ADD ? a + b : a - b;
    *rest = n->op == AD_ADD ? ad_add(m, first, second) : ad_sub(m, first, second);
    return *slope >= -1 && *slope <= 1;
}

ad_node *held_time(ad_arena *m, const ad_fn *fn, const ad_node *a, const ad_node *b)
{
    int slope[2];
    ad_node *rest[2];
    if (!fn->t || !linear(m, fn, a, &slope[0], &rest[0]) || !linear(m, fn, b, &slope[1], &rest[1])) return NULL;
    return slope[0] - slope[1] == 1 ? ad_sub(m, rest[1], rest[0]) : NULL;
}
