/* linearize.c - d expr = sum of factor_i * d leaf_i, built from the leaves up.
 *
 *   d(a + b) = da + db      d(a b) = b da + a db      d(a / b) = inv da - (r inv) db,  r = a / b, inv = 1 / b
 *   d g(a)   = g'(a) da     d(c ? a : b) = (c ? 1 : 0) da + (c ? 0 : 1) db
 *
 * What is dear (calls, quotients) and large goes into temporaries before the statement, and stays under the names they have
 * there. */
#include "base/arena.h"
#include "derive/linearize.h"
#include "tree/rules.h"

typedef struct work {
    ad_arena *m;
    ad_fn *fn;
    int (*active)(const ad_node *leaf, void *context);
    void *context;
    ad_node *pre;
} work;

typedef struct list {
    ad_term *term;
    int count, room;
} list;

/* 1: the expression depends on an active leaf through doubles. */
static int varies(const work *w, const ad_node *e)
{
    if (e->type != AD_DOUBLE) return 0;
    if (e->op == AD_NAME || e->op == AD_ELEM) return w->active(e, w->context);
    if (e->op == AD_RAW || e->op == AD_TO_DOUBLE) return 0;
    for (int i = e->op == AD_COND; i < e->kids; i++)
        if (varies(w, e->kid[i])) return 1;
    return 0;
}

static int size(const ad_node *e)
{
    int n = 1;
    if (e->op == AD_NAME || e->op == AD_ELEM) return n;
    for (int i = 0; i < e->kids; i++) n += size(e->kid[i]);
    return n;
}

/* 1: no symbol occurs, so that compilers know its value. */
static int known(const ad_node *e)
{
    if (e->sym || e->op == AD_RAW) return 0;
    for (int i = 0; i < e->kids; i++)
        if (!known(e->kid[i])) return 0;
    return 1;
}

static int dear(const ad_node *e)
{
    if (known(e)) return 0;
    if (e->op == AD_CALL || (e->op == AD_DIV && e->type == AD_DOUBLE)) return 1;
    if (e->op == AD_NAME || e->op == AD_ELEM) return 0;
    for (int i = 0; i < e->kids; i++)
        if (dear(e->kid[i])) return 1;
    return 0;
}

static int plain(const ad_node *e)
{
    return e->op == AD_NAME || e->op == AD_ELEM || known(e);
}

static ad_node *hoist(work *w, ad_node *e, const char *name)
{
    ad_sym *s = ad_sym_new(w->m, w->fn, name, e->type, AD_LOCAL);
    s->lane = ad_has_lanes(e);
    if (e->type == AD_INT) s->ctype = "int";
    ad_append(w->m, w->pre, ad_decl(w->m, s));
    ad_append(w->m, w->pre, ad_set(w->m, ad_use(w->m, s), e));
    return ad_use(w->m, s);
}

/* ---- lists of terms -------------------------------------------------------------------------------------------------------- */

static void join(work *w, list *l, ad_node *leaf, ad_node *factor)
{
    if (ad_literal(factor, NULL) && factor->op == AD_NUM && factor->real == 0) return;
    for (int i = 0; i < l->count; i++)
        if (ad_same(l->term[i].leaf, leaf)) {
            l->term[i].factor = ad_add(w->m, l->term[i].factor, factor);
            return;
        }
    if (l->count == l->room) {
        l->room = l->room ? 2 * l->room : 4;
        l->term = ad_grow(w->m, l->term, (size_t)l->count * sizeof *l->term, (size_t)l->room * sizeof *l->term);
    }
    l->term[l->count++] = (ad_term){leaf, factor};
}

/* l += sign * b */
static void merge(work *w, list *l, const list *b, int sign)
{
    for (int i = 0; i < b->count; i++)
        join(w, l, b->term[i].leaf, sign < 0 ? ad_neg(w->m, b->term[i].factor) : b->term[i].factor);
}

/* l = factor * l; the factor is made a temporary if that saves work. */
static void scale(work *w, list *l, ad_node *factor, const char *name)
{
    if (l->count == 0) return;
    if (dear(factor) || (l->count > 1 && size(factor) > 3)) factor = hoist(w, factor, name);
    list scaled = {0};
    for (int i = 0; i < l->count; i++)
        join(w, &scaled, l->term[i].leaf, ad_mul(w->m, i ? ad_copy(w->m, factor, NULL) : factor, l->term[i].factor));
    *l = scaled;
}

/* ---- expressions --------------------------------------------------------------------------------------------------------- */

static list linear(work *w, ad_node **e);

static list product(work *w, ad_node *e)
{
    list a = linear(w, &e->a), b = linear(w, &e->b);
    scale(w, &a, ad_copy(w->m, e->b, NULL), "factor");
    scale(w, &b, ad_copy(w->m, e->a, NULL), "factor");
    merge(w, &a, &b, 1);
    return a;
}

static list quotient(work *w, ad_node **e)
{
    ad_node *n = *e;
    if (known(n)) return (list){0};
    list a = linear(w, &n->a), b = linear(w, &n->b);
    double divisor;
    if (known(n->b)) {
        const int literal = ad_literal(n->b, &divisor) && divisor != 0;
        scale(w, &a, literal ? ad_num(w->m, 1 / divisor) : ad_div(w->m, ad_num(w->m, 1), ad_copy(w->m, n->b, NULL)), "factor");
        return a;
    }
    if (!plain(n->b)) n->b = hoist(w, n->b, "divisor");
    double dividend = 0;
    const int is_inverse = ad_literal(n->a, &dividend) && dividend == 1;
    *e = hoist(w, n, is_inverse ? "inverse" : "quotient");
    if (a.count == 0 && b.count == 0) return a;
    ad_node *inverse = is_inverse ? ad_copy(w->m, *e, NULL)
                                  : hoist(w, ad_div(w->m, ad_num(w->m, 1), ad_copy(w->m, n->b, NULL)), "inverse");
    scale(w, &a, inverse, "factor");
    scale(w, &b, ad_mul(w->m, ad_copy(w->m, *e, NULL), ad_copy(w->m, inverse, NULL)), "factor");
    merge(w, &a, &b, -1);
    return a;
}

static list call(work *w, ad_node **e)
{
    ad_node *n = *e;
    list arg[2] = {{0}, {0}}, sum = {0};
    if (known(n)) return sum;
    for (int i = 0; i < n->kids; i++) {
        arg[i] = linear(w, &n->kid[i]);
        if (!plain(n->kid[i]) && (arg[0].count || arg[1].count) && ad_rule_needs(n->rule, (char)('a' + i)))
            n->kid[i] = hoist(w, n->kid[i], ad_text(w->m, "%s_%c", ad_rule_name(n->rule), 'a' + i));
    }
    *e = hoist(w, n, ad_text(w->m, "%s_r", ad_rule_name(n->rule)));
    for (int i = 0; i < n->kids; i++) {
        if (arg[i].count == 0) continue;
        scale(w, &arg[i], ad_rule_derivative(w->m, n, i, *e), ad_text(w->m, "%s_d%c", ad_rule_name(n->rule), 'a' + i));
        merge(w, &sum, &arg[i], 1);
    }
    return sum;
}

/* Factors of leaves that occur in both branches are chosen among; the others are 0 in the branch that lacks them. */
static list choice(work *w, ad_node *e)
{
    list a = linear(w, &e->yes), b = linear(w, &e->no), sum = {0};
    if (a.count + b.count > 0 && size(e->condition) > 1) e->condition = hoist(w, e->condition, "chosen");
    for (int i = 0; i < a.count + b.count; i++) {
        const ad_term *t = i < a.count ? &a.term[i] : &b.term[i - a.count];
        ad_node *yes = i < a.count ? t->factor : ad_num(w->m, 0), *no = i < a.count ? ad_num(w->m, 0) : t->factor;
        int j = 0;
        if (i < a.count) {
            while (j < b.count && !ad_same(b.term[j].leaf, t->leaf)) j++;
            if (j < b.count) no = b.term[j].factor;
        } else {
            while (j < a.count && !ad_same(a.term[j].leaf, t->leaf)) j++;
            if (j < a.count) continue;
        }
        join(w, &sum, t->leaf, ad_choose(w->m, ad_copy(w->m, e->condition, NULL), yes, no));
    }
    return sum;
}

static list linear(work *w, ad_node **e)
{
    ad_node *n = *e;
    list a = {0}, b;
    if (n->type != AD_DOUBLE) return a;
    switch (n->op) {
    case AD_NAME:
    case AD_ELEM:
        if (w->active(n, w->context)) join(w, &a, ad_copy(w->m, n, NULL), ad_num(w->m, 1));
        return a;
    case AD_NEG:
        b = linear(w, &n->a);
        merge(w, &a, &b, -1);
        return a;
    case AD_ADD:
    case AD_SUB:
        a = linear(w, &n->a);
        b = linear(w, &n->b);
        merge(w, &a, &b, n->op == AD_ADD ? 1 : -1);
        return a;
    case AD_MUL: return product(w, n);
    case AD_DIV: return quotient(w, e);
    case AD_CALL: return call(w, e);
    case AD_COND: return choice(w, n);
    default: return a;
    }
}

int ad_linearize(ad_arena *m, ad_fn *fn, ad_node **expr, int (*active)(const ad_node *leaf, void *context), void *context,
                 ad_node *pre, ad_term **terms)
{
    work w = {m, fn, active, context, pre};
    *terms = NULL;
    if (!varies(&w, *expr)) return 0;
    list l = linear(&w, expr);
    *terms = l.term;
    return l.count;
}
