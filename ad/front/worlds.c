/* worlds.c - integers, conditions and states of a world; see worlds.h. */
#include "front/worlds.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- integers -------------------------------------------------------------------------------------------------------------- */

/* Element i of a table "static const int k[3] = {0, 2, 1};" of plain numbers. */
static int table_value(const ad_sym *s, int64_t i, int64_t *value)
{
    const char *at = s->text ? strchr(s->text, '=') : NULL;
    if (!at) return 0;
    at += 1 + strspn(at + 1, " {");
    for (; i >= 0; i--) {
        char *end;
        *value = strtoll(at, &end, 0);
        if (end == at) return 0;
        end += strspn(end, "uUlL");
        end += strspn(end, " ");
        if (*end != ',' && *end != '}' && *end != ';') return 0;
        if (*end != ',' && i > 0) return 0;
        at = end + 1 + strspn(end + 1, " \n");
    }
    return 1;
}

static int leaf_value(ac_atlas *a, const ac_world *w, const ad_node *e, int64_t *value)
{
    int64_t i = 0;
    const ad_sym *s = e->sym;
    if (e->op == AD_ELEM && !ac_world_value(a, w, e->index, &i)) return 0;
    if (s == a->cx->fn->k && a->k) return *value = *a->k, 1;
    if (s->role == AD_CONST) return table_value(s, i, value);
    if (a->whole[s->number] < 0 || i < 0 || i >= a->count[s->number] || w->state[a->at[s->number] + i] != KNOWN) return 0;
    *value = w->value[a->whole[s->number] + i];
    return 1;
}

/* A value that its type holds: others are left open, for C's conversions are. */
static int within(const ad_node *e, int64_t v)
{
    const ac_type *t = ac_node_type(e);
    if (t->is_unsigned && v < 0) return 0;
    return t->size >= 8 || (v >= -2147483647 - 1LL && v <= (t->is_unsigned ? 4294967295LL : 2147483647LL));
}

static int converted(const ad_node *e, int64_t v)
{
    const int narrow = e->text && (strstr(e->text, "char") || strstr(e->text, "short") || strstr(e->text, "Bool"));
    return narrow ? v >= 0 && v < 128 && !strstr(e->text, "Bool") : within(e, v);
}

static int operation(ad_op op, int64_t x, int64_t y, int64_t *r)
{
    switch (op) {
    case AD_ADD: return !__builtin_add_overflow(x, y, r);
    case AD_SUB: return !__builtin_sub_overflow(x, y, r);
    case AD_MUL: return !__builtin_mul_overflow(x, y, r);
    case AD_DIV: return y != 0 && y != -1 ? (*r = x / y, 1) : 0;
    case AD_MOD: return y != 0 && y != -1 ? (*r = x % y, 1) : 0;
    case AD_SHL: return x >= 0 && x < 1 << 30 && y >= 0 && y < 30 ? (*r = x << y, 1) : 0;
    case AD_SHR: return x >= 0 && y >= 0 && y < 63 ? (*r = x >> y, 1) : 0;
    case AD_BITAND: return *r = x & y, 1;
    case AD_BITOR: return *r = x | y, 1;
    case AD_XOR: return *r = x ^ y, 1;
    case AD_LT: return *r = x < y, 1;
    case AD_LE: return *r = x <= y, 1;
    case AD_GT: return *r = x > y, 1;
    case AD_GE: return *r = x >= y, 1;
    case AD_EQ: return *r = x == y, 1;
    case AD_NE: return *r = x != y, 1;
    default: return 0;
    }
}

int ac_world_value(ac_atlas *a, const ac_world *w, const ad_node *e, int64_t *value)
{
    int64_t x, y;
    int truth;
    a->budget--;
    if (e->type != AD_INT) return 0;
    switch (e->op) {
    case AD_WHOLE: return *value = e->whole, 1;
    case AD_NAME:
    case AD_ELEM: return leaf_value(a, w, e, value);
    case AD_NEG: return ac_world_value(a, w, e->a, &x) && x > INT64_MIN && within(e, *value = -x);
    case AD_BITNOT: return ac_world_value(a, w, e->a, &x) && within(e, *value = ~x);
    case AD_TO_INT: return e->a->type == AD_INT && ac_world_value(a, w, e->a, &x) && converted(e, *value = x);
    case AD_NOT:
    case AD_AND:
    case AD_OR:
        truth = ac_world_truth(a, w, e);
        return *value = truth, truth >= 0;
    case AD_COND:
        truth = ac_world_truth(a, w, e->condition);
        return truth >= 0 && ac_world_value(a, w, truth ? e->yes : e->no, value);
    case AD_RAW:
    case AD_CALL: return 0;
    default:
        return e->kids == 2 && ac_world_value(a, w, e->a, &x) && ac_world_value(a, w, e->b, &y) &&
               operation(e->op, x, y, value) && within(e, *value);
    }
}

/* ---- conditions ------------------------------------------------------------------------------------------------------------ */

enum { LESS = 1, EQUAL = 2, GREATER = 4, ANY = 7 };

/* What a comparison says of its operands. NaN is left out: with it the run ends anyway. */
static int relation(ad_op op)
{
    switch (op) {
    case AD_LT: return LESS;
    case AD_LE: return LESS | EQUAL;
    case AD_GT: return GREATER;
    case AD_GE: return GREATER | EQUAL;
    case AD_EQ: return EQUAL;
    case AD_NE: return LESS | GREATER;
    default: return 0;
    }
}

static int mirrored(int mask)
{
    return (mask & EQUAL) | (mask & LESS ? GREATER : 0) | (mask & GREATER ? LESS : 0);
}

/* How e and other, an operand of a fact, are related for sure, given how e is to `to`: x < 1 says x < 2. */
static int implied(int mask, const ad_node *to, const ad_node *other)
{
    double c, d;
    if (ad_same(to, other)) return mask;
    if (!ad_literal(to, &c) || !ad_literal(other, &d)) return ANY;
    if (c < d && !(mask & GREATER)) return LESS;
    if (c > d && !(mask & LESS)) return GREATER;
    return ANY;
}

static int facts_say(const ac_world *w, const ad_node *e)
{
    const int asked = relation(e->op);
    int left = ANY;
    for (const ac_fact *f = w->fact; f; f = f->next) {
        const ad_node *c = f->condition;
        if (ad_same(c, e)) return f->truth;
        const int told = relation(c->op), mask = f->truth ? told : ANY & ~told;
        if (!asked || !told) continue;
        if (ad_same(c->a, e->a)) left &= implied(mask, c->b, e->b);
        else if (ad_same(c->a, e->b)) left &= mirrored(implied(mask, c->b, e->a));
        else if (ad_same(c->b, e->a)) left &= implied(mirrored(mask), c->a, e->b);
        else if (ad_same(c->b, e->b)) left &= mirrored(implied(mirrored(mask), c->a, e->a));
    }
    if (!asked) return -1;
    return !(left & ~asked) ? 1 : !(left & asked) ? 0 : -1;
}

/* e with what is known in place of its integers, so that it means the same later. */
static ad_node *settled(ac_atlas *a, const ac_world *w, const ad_node *e)
{
    int64_t v;
    const int logical = e->op == AD_NOT || e->op == AD_AND || e->op == AD_OR || e->op == AD_COND; /* they would ask back */
    if (!logical && ac_world_value(a, w, e, &v)) return ad_whole(a->cx->m, v);
    ad_node *c = ad_copy(a->cx->m, e, NULL);
    for (int i = 0; i < c->kids; i++)
        if (c->kid[i]) c->kid[i] = settled(a, w, e->kid[i]);
    return c;
}

int ac_world_truth(ac_atlas *a, const ac_world *w, const ad_node *e)
{
    int64_t v;
    if (e->op == AD_NOT) {
        const int k = ac_world_truth(a, w, e->a);
        return k < 0 ? k : !k;
    }
    if (e->op == AD_AND || e->op == AD_OR) {
        const int ends = e->op == AD_OR, x = ac_world_truth(a, w, e->a);
        if (x == ends) return ends;
        const int y = ac_world_truth(a, w, e->b);
        if (y == ends || x >= 0) return y;
    } else if (ac_world_value(a, w, e, &v)) {
        return v != 0;
    }
    return w->fact ? facts_say(w, settled(a, w, e)) : -1;
}

int ac_world_assume(ac_atlas *a, ac_world *w, const ad_node *e, int truth)
{
    if (e->op == AD_NOT) return ac_world_assume(a, w, e->a, !truth);
    const int now = ac_world_truth(a, w, e);
    if (now >= 0) return now == truth;
    if (e->op == AD_AND || e->op == AD_OR) {
        if (truth == (e->op == AD_AND)) return ac_world_assume(a, w, e->a, truth) && ac_world_assume(a, w, e->b, truth);
        if (ac_world_truth(a, w, e->a) == !truth) return ac_world_assume(a, w, e->b, truth);
        if (ac_world_truth(a, w, e->b) == !truth) return ac_world_assume(a, w, e->a, truth);
    }
    a->budget -= 200;
    ac_fact *f = ad_take(a->cx->m, sizeof *f);
    *f = (ac_fact){settled(a, w, e), truth, w->fact};
    w->fact = f;
    return 1;
}

void ac_world_forget(ac_atlas *a, ac_world *w, const ad_sym *s)
{
    ac_fact *kept = NULL;
    int any = 0;
    for (const ac_fact *f = w->fact; f; f = f->next) any |= ad_uses(f->condition, s);
    for (const ac_fact *f = w->fact; any && f; f = f->next) {
        if (ad_uses(f->condition, s)) continue;
        ac_fact *copy = ad_take(a->cx->m, sizeof *copy);
        *copy = (ac_fact){f->condition, f->truth, kept};
        kept = copy;
    }
    if (any) w->fact = kept;
}

/* ---- worlds ---------------------------------------------------------------------------------------------------------------- */

ac_world ac_world_copy(ac_atlas *a, const ac_world *w)
{
    const size_t n = (size_t)a->elements, k = (size_t)a->integers * sizeof *w->value;
    ac_world c = a->spares ? a->spare[--a->spares]
                           : (ac_world){.state = ad_take(a->cx->m, n + 1), .value = ad_take(a->cx->m, k + sizeof *w->value)};
    c.fact = w->fact;
    memcpy(c.state, w->state, n);
    memcpy(c.value, w->value, k);
    a->budget -= (long)(n + k) / 16;
    return c;
}

void ac_world_drop(ac_atlas *a, ac_world *w)
{
    if (a->spares < (int)(sizeof a->spare / sizeof *a->spare)) a->spare[a->spares++] = *w;
}

static unsigned char joined(unsigned char x, unsigned char y, ac_state missed)
{
    if (x == KNOWN) x = GIVEN;
    if (y == KNOWN) y = GIVEN;
    if (x == y) return x;
    if (x == PERHAPS || y == PERHAPS) return x == GIVEN || y == GIVEN ? PERHAPS : (unsigned char)missed;
    return (unsigned char)missed;
}

void ac_world_join(ac_atlas *a, ac_world *w, const ac_world *other, ac_state missed)
{
    const ad_fn *fn = a->cx->fn;
    a->budget -= a->elements / 16;
    for (int s = 0; s < fn->syms; s++)
        for (int64_t i = 0; i < a->count[s]; i++) {
            unsigned char *x = &w->state[a->at[s] + i];
            const unsigned char y = other->state[a->at[s] + i];
            const int same = *x == KNOWN && y == KNOWN && w->value[a->whole[s] + i] == other->value[a->whole[s] + i];
            if (!same && (*x != y || *x == KNOWN)) *x = joined(*x, y, missed);
        }
    ac_fact *both = NULL;
    for (const ac_fact *f = w->fact; f; f = f->next) {
        const ac_fact *g = other->fact;
        while (g && !(g->truth == f->truth && ad_same(g->condition, f->condition))) g = g->next;
        if (!g) continue;
        ac_fact *copy = ad_take(a->cx->m, sizeof *copy);
        *copy = (ac_fact){f->condition, f->truth, both};
        both = copy;
    }
    w->fact = both;
}

int ac_world_same(ac_atlas *a, const ac_world *w, const ac_world *other, int strict)
{
    const ad_fn *fn = a->cx->fn;
    a->budget -= a->elements / 16;
    for (int s = 0; s < fn->syms; s++) {
        const int flag = fn->sym[s] == fn->status || ac_marked(a->cx, fn->sym[s], M_FLAG);
        if (!flag && !strict) continue;
        for (int64_t i = 0; i < a->count[s]; i++) {
            const unsigned char x = w->state[a->at[s] + i], y = other->state[a->at[s] + i];
            if (x == y && (x != KNOWN || !flag || w->value[a->whole[s] + i] == other->value[a->whole[s] + i])) continue;
            if (flag || (x != KNOWN && x != GIVEN) || (y != KNOWN && y != GIVEN)) return 0;
        }
    }
    return 1;
}
