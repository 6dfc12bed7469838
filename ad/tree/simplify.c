/* simplify.c - arithmetic on trees that leaves out what does nothing.
 *
 *   a + 0 = a    0 * a = 0    1 * a = a    a / 1 = a    -(-a) = a    a + (-b) = a - b    (-a) * b = -(a * b)
 *
 * and operations on two literals, which round here as they would in the running program. A result that is not finite stays an
 * operation. */
#include "tree/tree.h"

#include <math.h>

int ad_literal(const ad_node *a, double *value)
{
    double x, *v = value ? value : &x;
    if (a->op == AD_TO_DOUBLE) a = a->a;
    if (a->op == AD_NUM) *v = a->real;
    else if (a->op == AD_WHOLE && a->whole > -(1LL << 53) && a->whole < 1LL << 53) *v = (double)a->whole;
    else if (a->op == AD_NEG && ad_literal(a->a, v)) *v = -*v;
    else return 0;
    return 1;
}

static int is(const ad_node *a, double v)
{
    double x;
    return ad_literal(a, &x) && x == v;
}

/* Operands of an operation on doubles are doubles. */
static ad_type meet(ad_arena *m, ad_node **a, ad_node **b)
{
    if ((*a)->type == (*b)->type) return (*a)->type;
    ad_node **whole = (*a)->type == AD_INT ? a : b;
    double v;
    *whole = ad_literal(*whole, &v) ? ad_num(m, v) : ad_new(m, AD_TO_DOUBLE, AD_DOUBLE, 1, *whole);
    return AD_DOUBLE;
}

/* The folded operation of two literals, or NULL. Integers fold where int holds the result, doubles where it is finite. */
static ad_node *fold(ad_arena *m, ad_op op, ad_type type, const ad_node *a, const ad_node *b)
{
    double x, y;
    if (!ad_literal(a, &x) || !ad_literal(b, &y)) return NULL;
    if (type == AD_INT && op == AD_DIV) return NULL;
    if ((a->op == AD_WHOLE && a->text) || (b->op == AD_WHOLE && b->text)) return NULL; /* an enumerator keeps its name */
    double v = op == AD_ADD ? x + y : op == AD_SUB ? x - y : op == AD_MUL ? x * y : x / y;
    if (type == AD_INT) return v >= INT32_MIN && v <= INT32_MAX ? ad_whole(m, (int64_t)v) : NULL;
    return isfinite(v) ? ad_num(m, v) : NULL;
}

static ad_node *zero(ad_arena *m, ad_type type)
{
    return type == AD_INT ? ad_whole(m, 0) : ad_num(m, 0);
}

ad_node *ad_neg(ad_arena *m, ad_node *a)
{
    if (a->op == AD_NEG) return a->a;
    if (a->op == AD_NUM) return ad_num(m, a->real == 0 ? 0 : -a->real);
    if (a->op == AD_WHOLE && !a->text) return ad_whole(m, -a->whole);
    return ad_new(m, AD_NEG, a->type, 1, a);
}

ad_node *ad_add(ad_arena *m, ad_node *a, ad_node *b)
{
    ad_type type = meet(m, &a, &b);
    ad_node *f = fold(m, AD_ADD, type, a, b);
    if (f) return f;
    if (is(a, 0)) return b;
    if (is(b, 0)) return a;
    if (b->op == AD_NEG) return ad_sub(m, a, b->a);
    if (a->op == AD_NEG) return ad_sub(m, b, a->a);
    if (type == AD_DOUBLE && ad_same(a, b)) return ad_mul(m, ad_num(m, 2), a);
    return ad_new(m, AD_ADD, type, 2, a, b);
}

ad_node *ad_sub(ad_arena *m, ad_node *a, ad_node *b)
{
    ad_type type = meet(m, &a, &b);
    ad_node *f = fold(m, AD_SUB, type, a, b);
    if (f) return f;
    if (is(b, 0)) return a;
    if (is(a, 0)) return ad_neg(m, b);
    if (b->op == AD_NEG) return ad_add(m, a, b->a);
    if (a->op == AD_NEG) return ad_neg(m, ad_add(m, a->a, b));
    return ad_new(m, AD_SUB, type, 2, a, b);
}

ad_node *ad_mul(ad_arena *m, ad_node *a, ad_node *b)
{
    ad_type type = meet(m, &a, &b);
    if (is(a, 0) || is(b, 0)) return zero(m, type);
    ad_node *f = fold(m, AD_MUL, type, a, b);
    if (f) return f;
    if (is(a, 1)) return b;
    if (is(b, 1)) return a;
    if (is(a, -1)) return ad_neg(m, b);
    if (is(b, -1)) return ad_neg(m, a);
    if (a->op == AD_NEG) return ad_neg(m, ad_mul(m, a->a, b));
    if (b->op == AD_NEG) return ad_neg(m, ad_mul(m, a, b->a));
    return ad_new(m, AD_MUL, type, 2, a, b);
}

ad_node *ad_div(ad_arena *m, ad_node *a, ad_node *b)
{
    ad_type type = meet(m, &a, &b);
    if (type == AD_DOUBLE && is(a, 0)) return zero(m, type);
    ad_node *f = is(b, 0) ? NULL : fold(m, AD_DIV, type, a, b);
    if (f) return f;
    if (is(b, 1)) return a;
    if (type == AD_DOUBLE && is(b, -1)) return ad_neg(m, a);
    if (type == AD_DOUBLE && a->op == AD_NEG) return ad_neg(m, ad_div(m, a->a, b));
    if (type == AD_DOUBLE && b->op == AD_NEG) return ad_neg(m, ad_div(m, a, b->a));
    return ad_new(m, AD_DIV, type, 2, a, b);
}

ad_node *ad_choose(ad_arena *m, ad_node *condition, ad_node *yes, ad_node *no)
{
    double a, b;
    if (condition->kids == 2 && ad_literal(condition->a, &a) && ad_literal(condition->b, &b)) {
        switch (condition->op) {
        case AD_LT: return a < b ? yes : no;
        case AD_LE: return a <= b ? yes : no;
        case AD_GT: return a > b ? yes : no;
        case AD_GE: return a >= b ? yes : no;
        case AD_EQ: return a == b ? yes : no;
        case AD_NE: return a != b ? yes : no;
        default: break;
        }
    }
    if (ad_same(yes, no)) return yes;
    ad_type type = meet(m, &yes, &no);
    return ad_new(m, AD_COND, type, 3, condition, yes, no);
}
