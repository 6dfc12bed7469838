/* trust.c - which zeros of derivatives stay zero beside an infinite slope; see trust.h. Each set starts with all symbols; those
 * with an assignment that breaks the rule are taken out until nothing changes. */
#include "derive/trust.h"

#include "base/arena.h"
#include "derive/grows.h"
#include "tree/rules.h"

#include <string.h>

/* ---- expressions ----------------------------------------------------------------------------------------------------------- */

static int has_leaf(const ad_node *e, const ad_node *leaf)
{
    if (e->type != AD_DOUBLE) return 0;
    if (e->op == AD_NAME || e->op == AD_ELEM) return ad_same(e, leaf);
    for (int i = e->op == AD_COND; i < e->kids; i++)
        if (has_leaf(e->kid[i], leaf)) return 1;
    return 0;
}

static int is_steady(const ad_node *e); /* no double is read but constants */

/* 1: the function never stands still. */
static int is_monotone(const ad_node *call)
{
    switch (call->rule) {
    case AD_RULE_exp: case AD_RULE_exp2: case AD_RULE_expm1: case AD_RULE_log: case AD_RULE_log2: case AD_RULE_log10:
    case AD_RULE_log1p: case AD_RULE_sqrt: case AD_RULE_cbrt: case AD_RULE_asin: case AD_RULE_acos: case AD_RULE_atan:
    case AD_RULE_sinh: case AD_RULE_asinh: case AD_RULE_acosh: case AD_RULE_atanh: case AD_RULE_costate_bounded:
    case AD_RULE_costate_float: return 1;
    case AD_RULE_pow: return is_steady(call->b);
    default: return 0;
    }
}

uint32_t ad_from(const ad_node *e)
{
    uint32_t from = e->op == AD_NAME || e->op == AD_ELEM ? e->sym->from : 0;
    if (e->type != AD_DOUBLE) return 0;
    for (int i = e->op == AD_COND; e->op != AD_ELEM && i < e->kids; i++) from |= ad_from(e->kid[i]);
    return from;
}

static int is_steady(const ad_node *e)
{
    if (e->type != AD_DOUBLE || e->op == AD_RAW || e->op == AD_TO_DOUBLE) return 1;
    if (e->op == AD_NAME || e->op == AD_ELEM) return e->sym->role == AD_CONST;
    for (int i = e->op == AD_COND; i < e->kids; i++)
        if (!is_steady(e->kid[i])) return 0;
    return 1;
}

static int are_apart(const ad_node *a, const ad_node *b)
{
    if (a->type != AD_DOUBLE || b->type != AD_DOUBLE) return 1;
    const int leaf_a = a->op == AD_NAME || a->op == AD_ELEM, leaf_b = b->op == AD_NAME || b->op == AD_ELEM;
    if (leaf_a && leaf_b) {
        if (!(a->sym->from & b->sym->from)) return 1;
        if (a->sym != b->sym || a->sym->role != AD_INPUT || a->op != AD_ELEM) return 0;
        return a->index->op == AD_WHOLE && b->index->op == AD_WHOLE && a->index->whole != b->index->whole;
    }
    const ad_node *inner = leaf_a ? b : a, *other = leaf_a ? a : b;
    for (int i = inner->op == AD_COND; i < inner->kids; i++)
        if (!are_apart(inner->kid[i], other)) return 0;
    return 1;
}

int ad_is_flat(const ad_node *e, const ad_node *leaf)
{
    if (!has_leaf(e, leaf)) return 1;
    switch (e->op) {
    case AD_NAME:
    case AD_ELEM: return 1;
    case AD_COND: return ad_is_flat(e->yes, leaf) && ad_is_flat(e->no, leaf);
    case AD_NEG: return ad_is_flat(e->a, leaf);
    case AD_ADD: case AD_SUB: /* in one operand only */
        return !(has_leaf(e->a, leaf) && has_leaf(e->b, leaf)) && ad_is_flat(e->a, leaf) && ad_is_flat(e->b, leaf);
    case AD_MUL: case AD_DIV:
        if (has_leaf(e->a, leaf)) return are_apart(e->b, leaf) && ad_is_flat(e->a, leaf);
        return are_apart(e->a, leaf) && ad_is_flat(e->b, leaf);
    case AD_CALL: return is_monotone(e) && ad_is_flat(e->a, leaf);
    default: return 0;
    }
}

static int is_calm(const ad_trust *t, const ad_node *e)
{
    if (is_steady(e)) return 1;
    switch (e->op) {
    case AD_NAME:
    case AD_ELEM: return t->calm[e->sym->number];
    case AD_NEG: return is_calm(t, e->a);
    case AD_COND: return is_calm(t, e->yes) && is_calm(t, e->no);
    case AD_ADD:
    case AD_SUB: return is_calm(t, e->a) && is_calm(t, e->b);
    case AD_MUL:
    case AD_DIV:
        if (!is_calm(t, e->a) || !is_calm(t, e->b)) return 0;
        return are_apart(e->a, e->b);
    case AD_CALL: return is_monotone(e) && is_calm(t, e->a);
    default: return 0;
    }
}

/* 1: wherever x occurs in e, e is c x + d, and c is independent of x. */
static int is_linear(const ad_node *e, const ad_node *x)
{
    if (!has_leaf(e, x)) return 1;
    switch (e->op) {
    case AD_NAME:
    case AD_ELEM: return 1;
    case AD_NEG: return is_linear(e->a, x);
    case AD_COND: return is_linear(e->yes, x) && is_linear(e->no, x);
    case AD_ADD:
    case AD_SUB: return is_linear(e->a, x) && is_linear(e->b, x);
    case AD_MUL:
        if (has_leaf(e->a, x)) return is_linear(e->a, x) && are_apart(e->b, x);
        return is_linear(e->b, x) && are_apart(e->a, x);
    case AD_DIV: return is_linear(e->a, x) && are_apart(e->b, x);
    default: return 0;
    }
}

/* ---- statements ------------------------------------------------------------------------------------------------------------ */

typedef struct search {
    ad_trust *t;
    const ad_fn *fn;
    const ad_node *value; /* of the assignment at hand */
    const ad_sym *target;
    int changed;
} search;

static void set(search *k, unsigned char *of, const ad_sym *s, unsigned char to)
{
    if (of[s->number] == to) return;
    of[s->number] = to;
    k->changed = 1;
}

/* The leaves of e, a part of the value: those that do not go on in a plain way; those in arguments of steep calls. */
static void leaves(search *k, const ad_node *e, int steep)
{
    if (e->type != AD_DOUBLE) return;
    if (e->op == AD_NAME || e->op == AD_ELEM) {
        const int on = k->target == k->fn->out || k->t->plain[k->target->number];
        if (!on || !is_linear(k->value, e)) set(k, k->t->plain, e->sym, 0);
        if (steep || k->t->prone[k->target->number]) set(k, k->t->prone, e->sym, 1);
        return;
    }
    steep |= e->op == AD_CALL && ad_rule_steep(e);
    for (int i = e->op == AD_COND; i < e->kids; i++) leaves(k, e->kid[i], steep);
}

static void look(search *k, const ad_node *n)
{
    if (!n) return;
    if ((n->op == AD_SET || n->op == AD_INC) && n->value->type == AD_DOUBLE) {
        k->value = n->value, k->target = n->target->sym;
        leaves(k, n->value, 0);
        const uint32_t from = k->target->from | ad_from(n->value);
        if (from != k->target->from) n->target->sym->from = from, k->changed = 1;
        if (!k->target->calm && !is_calm(k->t, n->value)) set(k, k->t->calm, k->target, 0);
    }
    for (int i = ad_inner(n); i < n->kids; i++) look(k, n->kid[i]);
}

static int has_steep(const ad_node *n)
{
    if (!n) return 0;
    if (n->op == AD_CALL && (ad_rule_steep(n) || n->rule == AD_RULE_costate_along)) return 1;
    if (n->sym && n->sym->steep) return 1;
    for (int i = 0; i < n->kids; i++)
        if (has_steep(n->kid[i])) return 1;
    return 0;
}

ad_trust ad_trust_of(ad_arena *m, const ad_fn *fn)
{
    ad_trust t = {.any = has_steep(fn->body)};
    const size_t n = (size_t)fn->syms + 1;
    ad_grows_mark(fn);
    if (!t.any) return t;
    t.calm = ad_take(m, n);
    t.plain = ad_take(m, n);
    t.prone = ad_take(m, n);
    memset(t.calm, 1, n);
    memset(t.plain, 1, n);
    for (int i = 0; i < fn->syms; i++) fn->sym[i]->from = 0;
    for (int i = 0; i < fn->params; i++) fn->param[i]->from = fn->param[i]->role == AD_INPUT ? UINT32_C(1) << i : 0;
    search k = {.t = &t, .fn = fn};
    do {
        k.changed = 0;
        look(&k, fn->body);
    } while (k.changed);
    return t;
}
