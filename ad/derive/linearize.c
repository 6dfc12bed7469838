/* linearize.c - d expr = sum of factor_i * d leaf_i, built from the leaves up.
 *
 *   d(a + b) = da + db      d(a b) = b da + a db      d(a / b) = inv da - (r inv) db,  r = a / b, inv = 1 / b
 *   d g(a)   = g'(a) da     d(c ? a : b) = (c ? 1 : 0) da + (c ? 0 : 1) db
 *
 * The product r inv is never computed: where b is large it is 0, though b's derivative may be as large again, as in
 * log(1 + exp(y)). r (inv db) is neither 0 nor infinite where the derivative is not, so db comes first, with the direction that
 * goes with it.
 *
 * What is dear (calls, quotients) and large goes into temporaries before the statement, and stays under the names they have
 * there. */
#include "base/arena.h"
#include "derive/grows.h"
#include "derive/linearize.h"
#include "derive/trust.h"
#include "tree/rules.h"

typedef struct work {
    ad_arena *m;
    ad_fn *fn;
    int (*active)(const ad_node *leaf, void *context);
    void *context;
    ad_node *pre;
    int within; /* divisors and arguments of calls that the expression at hand is in */
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

/* Where a slope of the function is infinite: 2: e may be so, too; 1: e is 0, as the result of sqrt, so that quotients are. */
static int steepness(const ad_node *e)
{
    int most = 0;
    if (e->op == AD_NAME || e->op == AD_ELEM) return e->sym->steep;
    if (e->type != AD_DOUBLE) return 0;
    for (int i = e->op == AD_COND; i < e->kids; i++) {
        const int k = steepness(e->kid[i]);
        if (k > most) most = k;
    }
    if (e->op == AD_DIV && steepness(e->b)) return 2;
    if (e->op != AD_CALL || e->rule == AD_RULE_costate_along || most == 2) return most;
    if (e->rule == AD_RULE_costate_pow || e->rule == AD_RULE_costate_powlog) return 2;
    return ad_rule_steep(e);
}

static ad_node *hoist(work *w, ad_node *e, const char *name)
{
    ad_sym *s = ad_sym_new(w->m, w->fn, name, e->type, AD_LOCAL);
    s->steep = steepness(e);
    s->from = ad_from(e);
    s->grows = ad_grows(e);
    s->lane = ad_has_lanes(e);
    if (e->type == AD_INT) s->ctype = "int";
    ad_append(w->m, w->pre, ad_decl(w->m, s));
    ad_append(w->m, w->pre, ad_set(w->m, ad_use(w->m, s), e));
    return ad_use(w->m, s);
}

/* ---- lists of terms -------------------------------------------------------------------------------------------------------- */

static void join(work *w, list *l, ad_node *leaf, ad_node *factor, ad_wins wins)
{
    if (ad_literal(factor, NULL) && factor->op == AD_NUM && factor->real == 0) return;
    for (int i = 0; i < l->count; i++)
        if (ad_same(l->term[i].leaf, leaf)) {
            const int one = wins == AD_DIRECTION_WINS || l->term[i].wins == AD_DIRECTION_WINS;
            l->term[i].factor = ad_add(w->m, l->term[i].factor, factor);
            l->term[i].wins = one ? AD_DIRECTION_WINS : wins == l->term[i].wins ? wins : AD_NONE_WINS;
            return;
        }
    if (l->count == l->room) {
        l->room = l->room ? 2 * l->room : 4;
        l->term = ad_grow(w->m, l->term, (size_t)l->count * sizeof *l->term, (size_t)l->room * sizeof *l->term);
    }
    l->term[l->count++] = (ad_term){leaf, factor, wins};
}

/* l += sign * b */
static void merge(work *w, list *l, const list *b, int sign)
{
    for (int i = 0; i < b->count; i++)
        join(w, l, b->term[i].leaf, sign < 0 ? ad_neg(w->m, b->term[i].factor) : b->term[i].factor, b->term[i].wins);
}

/* l = factor * l; the factor is made a temporary if that saves work. `of` is the expression that l is the derivative of: where a
 * factor is infinite, a term of l that is 0 for good stays so. */
static void scale(work *w, list *l, ad_node *factor, const char *name, const ad_node *of)
{
    if (l->count == 0) return;
    if (dear(factor) || (l->count > 1 && size(factor) > 3)) factor = hoist(w, factor, name);
    const int steep = steepness(factor) == 2;
    list scaled = {0};
    for (int i = 0; i < l->count; i++) {
        const ad_term *t = &l->term[i];
        ad_node *outer = i ? ad_copy(w->m, factor, NULL) : factor;
        ad_node *both = steep && ad_is_flat(of, t->leaf) ? ad_along(w->m, outer, t->factor) : ad_mul(w->m, outer, t->factor);
        join(w, &scaled, t->leaf, both, steep ? AD_DIRECTION_WINS : t->wins);
    }
    *l = scaled;
}

/* ---- expressions --------------------------------------------------------------------------------------------------------- */

static list linear(work *w, ad_node **e);

/* A partial derivative, which is 0 where the value has overflowed (grows.h); value NULL: it cannot. */
static ad_node *tamed(work *w, const ad_node *d, const ad_node *value)
{
    ad_node *own = ad_copy(w->m, d, NULL);
    return value ? ad_call(w->m, AD_RULE_costate_tamed, own, ad_copy(w->m, value, NULL)) : own;
}

/* Temporaries are statements of their own, and remember where they were for the next order. */
static int is_within(const work *w, ad_node *n)
{
    return n->within |= w->within > 0;
}

static list product(work *w, ad_node **e)
{
    ad_node *n = *e;
    const int overflows = is_within(w, n) && ad_overflows(n);
    list a = linear(w, &n->a), b = linear(w, &n->b);
    const ad_node *value = overflows && a.count + b.count > 0 ? *e = hoist(w, n, "product") : NULL;
    scale(w, &a, tamed(w, n->b, value), "factor", n->a);
    scale(w, &b, tamed(w, n->a, value), "factor", n->b);
    merge(w, &a, &b, 1);
    return a;
}

/* costate_along(a, b): where b is 0 the derivative of a is without effect, infinite or not. */
static list along(work *w, ad_node *e)
{
    list a = linear(w, &e->a), b = linear(w, &e->b), sum = {0};
    if (a.count && !plain(e->b)) e->b = hoist(w, e->b, "direction");
    for (int i = 0; i < a.count; i++) {
        const ad_term *t = &a.term[i];
        const int steep = t->wins == AD_DIRECTION_WINS;
        ad_node *direction = ad_copy(w->m, e->b, NULL);
        ad_node *factor = steep ? ad_along(w->m, t->factor, direction) : ad_mul(w->m, t->factor, direction);
        join(w, &sum, t->leaf, factor, steep ? AD_DIRECTION_WINS : AD_FACTOR_WINS);
    }
    scale(w, &b, ad_copy(w->m, e->a, NULL), "factor", e->b);
    for (int i = 0; i < b.count; i++) b.term[i].wins = AD_DIRECTION_WINS;
    merge(w, &sum, &b, 1);
    return sum;
}

static list quotient(work *w, ad_node **e)
{
    ad_node *n = *e;
    if (known(n)) return (list){0};
    const int overflows = is_within(w, n) && ad_grows(n->a) && ad_overflows(n);
    list a = linear(w, &n->a);
    w->within++;
    list b = linear(w, &n->b);
    w->within--;
    double divisor;
    if (known(n->b)) {
        const int literal = ad_literal(n->b, &divisor) && divisor != 0;
        scale(w, &a, literal ? ad_num(w->m, 1 / divisor) : ad_div(w->m, ad_num(w->m, 1), ad_copy(w->m, n->b, NULL)), "factor",
              n->a);
        return a;
    }
    const ad_node *of_a = ad_copy(w->m, n->a, NULL), *of_b = n->b;
    if (!plain(n->b)) n->b = hoist(w, n->b, "divisor");
    double dividend = 0;
    const int is_inverse = ad_literal(n->a, &dividend) && dividend == 1;
    *e = hoist(w, n, is_inverse ? "inverse" : "quotient");
    if (a.count == 0 && b.count == 0) return a;
    ad_node *inverse = is_inverse ? ad_copy(w->m, *e, NULL)
                                  : hoist(w, ad_div(w->m, ad_num(w->m, 1), ad_copy(w->m, n->b, NULL)), "inverse");
    const ad_node *value = *e;
    if (overflows) {
        inverse = hoist(w, tamed(w, inverse, value), "inverse");
        value = hoist(w, tamed(w, value, value), "quotient");
    }
    value->sym->divides = inverse->sym->divides = 1;
    scale(w, &a, inverse, "factor", of_a);
    scale(w, &b, ad_copy(w->m, inverse, NULL), "factor", of_b);
    scale(w, &b, ad_copy(w->m, value, NULL), "factor", of_b);
    merge(w, &a, &b, -1);
    return a;
}

/* l = the derivative of a call by its argument i, times l. */
static void slope(work *w, list *l, const ad_node *call, int i, const ad_node *result, const ad_node *of)
{
    const char *name = ad_text(w->m, "%s_d%c", ad_rule_name(call->rule), 'a' + i);
    ad_node *d = ad_rule_derivative(w->m, call, i, result);
    const int power = call->rule == AD_RULE_pow && call->within && ad_grows(call->a) && !ad_has_lanes(call);
    if (power && !plain(d)) d = tamed(w, d, result);
    if (ad_rule_steep(call) && !plain(d)) {
        d = hoist(w, d, name);
        d->sym->steep = 2;
    }
    scale(w, l, d, name, of);
}

static list call(work *w, ad_node **e)
{
    ad_node *n = *e;
    list arg[2] = {{0}, {0}}, sum = {0};
    const ad_node *of[2] = {0};
    if (known(n)) return sum;
    if (n->rule == AD_RULE_costate_along) return along(w, n);
    is_within(w, n);
    for (int i = 0; i < n->kids; i++) {
        of[i] = ad_copy(w->m, n->kid[i], NULL);
        w->within++;
        arg[i] = linear(w, &n->kid[i]);
        w->within--;
        if (!plain(n->kid[i]) && (arg[0].count || arg[1].count) && ad_rule_needs(n->rule, (char)('a' + i)))
            n->kid[i] = hoist(w, n->kid[i], ad_text(w->m, "%s_%c", ad_rule_name(n->rule), 'a' + i));
    }
    *e = hoist(w, n, ad_text(w->m, "%s_r", ad_rule_name(n->rule)));
    for (int i = 0; i < n->kids; i++) {
        if (arg[i].count == 0) continue;
        slope(w, &arg[i], n, i, *e, of[i]);
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
        ad_wins wins = t->wins;
        ad_node *yes = i < a.count ? t->factor : ad_num(w->m, 0), *no = i < a.count ? ad_num(w->m, 0) : t->factor;
        int j = 0;
        if (i < a.count) {
            while (j < b.count && !ad_same(b.term[j].leaf, t->leaf)) j++;
            if (j < b.count) no = b.term[j].factor;
            if (j < b.count && wins != AD_DIRECTION_WINS) wins = b.term[j].wins;
        } else {
            while (j < a.count && !ad_same(a.term[j].leaf, t->leaf)) j++;
            if (j < a.count) continue;
        }
        join(w, &sum, t->leaf, ad_choose(w->m, ad_copy(w->m, e->condition, NULL), yes, no), wins);
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
        if (w->active(n, w->context)) join(w, &a, ad_copy(w->m, n, NULL), ad_num(w->m, 1), AD_NONE_WINS);
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
    case AD_MUL: return product(w, e);
    case AD_DIV: return quotient(w, e);
    case AD_CALL: return call(w, e);
    case AD_COND: return choice(w, n);
    default: return a;
    }
}

int ad_linearize(ad_arena *m, ad_fn *fn, ad_node **expr, int (*active)(const ad_node *leaf, void *context), void *context,
                 ad_node *pre, ad_term **terms)
{
    work w = {m, fn, active, context, pre, 0};
    *terms = NULL;
    if (!varies(&w, *expr)) return 0;
    list l = linear(&w, expr);
    *terms = l.term;
    return l.count;
}

static int is_product(const ad_node *e)
{
    return e->op == AD_MUL || (e->op == AD_CALL && e->rule == AD_RULE_costate_along);
}

static int begins_with_quotient(const ad_node *e)
{
    const ad_node *first = is_product(e) ? e->a : e;
    return first->op == AD_NAME && first->sym->divides;
}

/* factor * direction; of quotients in the factor all but the last are multiplied by at last. */
static ad_node *times(ad_arena *m, int along, ad_node *factor, ad_node *direction)
{
    if (factor->op == AD_NEG) return ad_neg(m, times(m, along, factor->a, direction));
    const int apart = is_product(factor) && begins_with_quotient(factor) && begins_with_quotient(factor->b);
    if (!apart) return along ? ad_along(m, factor, direction) : ad_mul(m, factor, direction);
    const int outer = along || factor->op == AD_CALL;
    direction = times(m, along, factor->b, direction);
    return outer ? ad_along(m, factor->a, direction) : ad_mul(m, factor->a, direction);
}

ad_node *ad_term_along(ad_arena *m, ad_wins wins, ad_node *factor, ad_node *direction)
{
    if (wins == AD_FACTOR_WINS) return ad_along(m, direction, factor);
    return times(m, wins == AD_DIRECTION_WINS, factor, direction);
}
