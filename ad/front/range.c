/* range.c - indices that leave their array while a loop with constant bounds runs: for (i = 0; i <= n; i++) f[i] = ...
 *
 * An index c + a1 i1 + a2 i2 + ... over counters with constant bounds takes its extreme values at the ends of the counters.
 * Where no condition stands between the loops and the access those values are taken indeed, so that one outside the array is
 * an error. */
#include "front/lower.h"

enum { TERMS = 8, LARGE = 1 << 30 };

typedef struct span {
    const ad_sym *counter;
    int64_t first, last; /* smallest and largest value */
    struct span *outer;
} span;

typedef struct affine {
    int64_t constant;
    int terms;
    const ad_sym *counter[TERMS];
    int64_t factor[TERMS];
} affine;

static int add_term(affine *a, const ad_sym *counter, int64_t factor)
{
    for (int i = 0; i < a->terms; i++) {
        if (a->counter[i] == counter) return !__builtin_add_overflow(a->factor[i], factor, &a->factor[i]);
    }
    if (a->terms == TERMS) return 0;
    a->counter[a->terms] = counter;
    a->factor[a->terms++] = factor;
    return 1;
}

/* Adds scale * n to a; 0: n is not affine in counters. */
static int add_scaled(const ad_node *n, int64_t scale, affine *a)
{
    int64_t k;
    switch (n->op) {
    case AD_WHOLE: return !__builtin_mul_overflow(n->whole, scale, &k) && !__builtin_add_overflow(a->constant, k, &a->constant);
    case AD_NAME: return n->sym->role == AD_COUNTER && add_term(a, n->sym, scale);
    case AD_ADD: return add_scaled(n->a, scale, a) && add_scaled(n->b, scale, a);
    case AD_SUB: return scale != INT64_MIN && add_scaled(n->a, scale, a) && add_scaled(n->b, -scale, a);
    case AD_MUL:
        for (int i = 0; i < 2; i++) {
            if (n->kid[i]->op != AD_WHOLE) continue;
            return !__builtin_mul_overflow(n->kid[i]->whole, scale, &k) && add_scaled(n->kid[1 - i], k, a);
        }
        return 0;
    default: return 0;
    }
}

/* The smallest and largest value; 0: they are not known to be taken. */
static int extremes(const affine *a, const span *s, int64_t *low, int64_t *high)
{
    *low = *high = a->constant;
    for (int i = 0; i < a->terms; i++) {
        const span *k = s;
        int64_t x, y;
        while (k && k->counter != a->counter[i]) k = k->outer;
        if (!k || __builtin_mul_overflow(a->factor[i], k->first, &x)) return 0;
        if (__builtin_mul_overflow(a->factor[i], k->last, &y)) return 0;
        if (__builtin_add_overflow(*low, x < y ? x : y, low) || __builtin_add_overflow(*high, x < y ? y : x, high)) return 0;
    }
    return 1;
}

static void check(ac_lower *cx, const ad_node *n, const span *s)
{
    affine a = {0};
    int64_t low, high, count;
    if (!n->sym->extent || !ac_whole_of(n->sym->extent, &count) || n->index->op == AD_WHOLE) return;
    if (!add_scaled(n->index, 1, &a) || !extremes(&a, s, &low, &high) || (low >= 0 && high < count)) return;
    const char *name = n->sym->user ? n->sym->user : n->sym->name;
    ad_error(cx->d, n->place, "the bounds of the loop", "the index of '%s' reaches %lld, but it has %lld element%s", name,
             (long long)(low < 0 ? low : high), (long long)count, count == 1 ? "" : "s");
}

/* Everything that is evaluated for sure. */
static void look(ac_lower *cx, const ad_node *n, const span *s)
{
    if (!n) return;
    if (n->op == AD_ELEM) check(cx, n, s);
    const int sure = n->op == AD_COND || n->op == AD_AND || n->op == AD_OR ? 1 : n->kids;
    for (int i = 0; i < sure; i++) look(cx, n->kid[i], s);
}

static void walk(ac_lower *cx, const ad_node *n, span *outer)
{
    int64_t from, to;
    switch (n->op) {
    case AD_BLOCK:
        for (int i = 0; i < n->kids; i++) walk(cx, n->kid[i], outer);
        return;
    case AD_FOR:
        if (!ac_whole_of(n->first, &from) || !ac_whole_of(n->end, &to)) return;
        if (n->step > 0 ? from >= to : from <= to) return;
        if (from < -LARGE || from > LARGE || to < -LARGE || to > LARGE) return;
        const int64_t last = from + (n->step > 0 ? to - from - 1 : to - from + 1) / n->step * n->step;
        span s = {.counter = n->sym, .first = from < last ? from : last, .last = from < last ? last : from, .outer = outer};
        walk(cx, n->body, &s);
        return;
    case AD_SET:
    case AD_INC: look(cx, n, outer); return;
    default: return; /* what is inside an if may be guarded by it */
    }
}

void ac_ranges(ac_lower *cx)
{
    walk(cx, cx->fn->body, NULL);
}
