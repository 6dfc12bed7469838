/* lower_arith.c - arithmetic with C's conversions made visible: mixed operands get an AD_TO_DOUBLE or AD_TO_INT between, so
 * that later passes need not know the rules and the emitted C converts nothing silently. Integer constants are folded. */
#include "front/lower.h"
#include "tree/rules.h"

#include <math.h>
#include <string.h>

ac_value ac_bad(void)
{
    return (ac_value){0};
}

ac_value ac_of(ac_type *t, ad_node *n)
{
    return (ac_value){.type = t, .node = n};
}

int ac_whole_of(const ad_node *n, int64_t *value)
{
    if (n && n->op == AD_WHOLE) *value = n->whole;
    return n && n->op == AD_WHOLE;
}

/* Both constants of type int (their text is theirs alone otherwise): a op b, if it fits. */
static int fold(ad_op op, int64_t a, int64_t b, int64_t *r)
{
    switch (op) {
    case AD_ADD: *r = a + b; break;
    case AD_SUB: *r = a - b; break;
    case AD_MUL: *r = a * b; break;
    case AD_DIV:
        if (b == 0) return 0;
        *r = a / b;
        break;
    case AD_MOD:
        if (b == 0) return 0;
        *r = a % b;
        break;
    case AD_LT: *r = a < b; break;
    case AD_LE: *r = a <= b; break;
    case AD_GT: *r = a > b; break;
    case AD_GE: *r = a >= b; break;
    case AD_EQ: *r = a == b; break;
    case AD_NE: *r = a != b; break;
    default: return 0;
    }
    return *r >= INT32_MIN && *r <= INT32_MAX;
}

ad_node *ac_int_op(ac_lower *cx, ad_op op, ad_node *a, ad_node *b)
{
    int64_t x = 0, y = 0, r = 0;
    const int ca = ac_whole_of(a, &x) && !a->text, cb = ac_whole_of(b, &y) && !b->text;
    const int small = x >= INT32_MIN && x <= INT32_MAX && y >= INT32_MIN && y <= INT32_MAX;
    if (ca && cb && small && fold(op, x, y, &r)) return ad_whole(cx->m, r);
    if (cb && y == 0 && (op == AD_ADD || op == AD_SUB)) return a;
    if (ca && x == 0 && op == AD_ADD) return b;
    if (cb && y == 1 && (op == AD_MUL || op == AD_DIV)) return a;
    if (ca && x == 1 && op == AD_MUL) return b;
    return ad_new(cx->m, op, AD_INT, 2, a, b);
}

static ac_type *type_called(const char *text)
{
    for (int i = 0; i < AC_INTS; i++) {
        if (strcmp(ac_int(i)->text, text) == 0) return ac_int(i);
    }
    return ac_int(AC_INT);
}

ac_type *ac_node_type(const ad_node *n)
{
    switch (n->op) {
    case AD_WHOLE:
        if (n->text && strstr(n->text, "UL")) return ac_int(AC_ULONG);
        if (n->text && strchr(n->text, 'U')) return ac_int(AC_UINT);
        return ac_int((n->text && strchr(n->text, 'L')) || n->whole != (int)n->whole ? AC_LONG : AC_INT);
    case AD_NAME:
    case AD_ELEM: return ac_promote(type_called(n->sym->ctype));
    case AD_TO_INT: return ac_promote(type_called(n->text));
    case AD_NEG:
    case AD_BITNOT: return ac_node_type(n->a);
    case AD_SHL:
    case AD_SHR: return ac_node_type(n->a);
    case AD_ADD:
    case AD_SUB:
    case AD_MUL:
    case AD_DIV:
    case AD_MOD:
    case AD_BITAND:
    case AD_BITOR:
    case AD_XOR: return ac_common(ac_node_type(n->a), ac_node_type(n->b));
    case AD_COND: return ac_common(ac_node_type(n->yes), ac_node_type(n->no));
    case AD_RAW: return ac_int(AC_LONG);
    default: return ac_int(AC_INT);
    }
}

/* A literal that the type holds needs no cast: C converts it without a word. */
static int fits(const ad_node *n, const ac_type *to)
{
    if (n->op != AD_WHOLE || to->rank == 0) return 0;
    if (to->is_unsigned) return n->whole >= 0 && (to->size >= 8 || n->whole < (int64_t)1 << (8 * to->size));
    return to->size >= 8 || (n->whole >= -((int64_t)1 << (8 * to->size - 1)) && n->whole < (int64_t)1 << (8 * to->size - 1));
}

/* A double as the float next to it. */
ad_node *ac_rounded(ac_lower *cx, ad_node *n)
{
    if (n->op == AD_NUM && !n->text) return ad_num(cx->m, (double)(float)n->real);
    return ad_call(cx->m, AD_RULE_costate_float, n, NULL);
}

/* How a variable of an integer type is declared in the tree: a truth value is an int that is 0 or 1. */
ad_node *ac_convert(ac_lower *cx, ac_value v, ac_type *to, int is_explicit)
{
    ad_node *n = v.node;
    if (to->class == T_DOUBLE) {
        if (v.type->class == T_DOUBLE) return ac_is_float(to) && !ac_is_float(v.type) ? ac_rounded(cx, n) : n;
        const int small = n->op == AD_WHOLE && !n->text && n->whole > -(1LL << 24) && n->whole < 1LL << 24;
        if (small || (!ac_is_float(to) && n->op == AD_WHOLE && !n->text && n->whole > -(1LL << 53) && n->whole < 1LL << 53))
            return ad_num(cx->m, (double)n->whole);
        ad_node *real = ad_new(cx->m, AD_TO_DOUBLE, AD_DOUBLE, 1, n);
        if (ac_is_float(to)) real->text = "(double)(float)"; /* at once: a long would be rounded twice */
        return real;
    }
    if (to->rank == 0) {
        if (v.type->class == T_INT && v.type->rank == 0) return n;
        if (v.type->class == T_DOUBLE) return ad_new(cx->m, AD_NE, AD_INT, 2, n, ad_num(cx->m, 0));
        if (n->op >= AD_LT && n->op <= AD_OR) return n;
        return ac_int_op(cx, AD_NE, n, ad_whole(cx->m, 0));
    }
    if (v.type->class == T_INT) {
        const int same = v.type->rank == to->rank && v.type->is_unsigned == to->is_unsigned;
        if (same || (v.type->rank == 0 && to->rank == 3 && !to->is_unsigned)) return n;
        if (!is_explicit && fits(n, to)) {
            if (!n->text) return n;
            return ad_whole(cx->m, n->whole);
        }
        if (!is_explicit && v.type->size < to->size && !v.type->is_unsigned == !to->is_unsigned)
            return n; /* widening is silent */
    }
    ad_node *c = ad_new(cx->m, AD_TO_INT, AD_INT, 1, n);
    c->text = to->text;
    return c;
}

ac_type *ac_arith_types(ac_lower *cx, ac_value *a, ac_value *b)
{
    ac_type *t = ac_common(a->type, b->type);
    a->node = ac_convert(cx, *a, t, 0);
    b->node = ac_convert(cx, *b, t, 0);
    a->type = b->type = t;
    return t;
}

static const char *op_text(ad_op op)
{
    static const char *const text[] = {
        [AD_ADD] = "+",  [AD_SUB] = "-",    [AD_MUL] = "*",   [AD_DIV] = "/", [AD_MOD] = "%", [AD_SHL] = "<<",
        [AD_SHR] = ">>", [AD_BITAND] = "&", [AD_BITOR] = "|", [AD_XOR] = "^", [AD_LT] = "<",  [AD_LE] = "<=",
        [AD_GT] = ">",   [AD_GE] = ">=",    [AD_EQ] = "==",   [AD_NE] = "!="};
    return text[op];
}

static ac_value pointer_sum(ac_lower *cx, ad_op op, ac_value pointer, ac_value number, ad_place place)
{
    if (number.type->class != T_INT) {
        ad_error(cx->d, place, NULL, "a pointer moves by an integer, not by %s", ac_a_type(cx->m, number.type));
        return ac_bad();
    }
    ad_node *by = number.node;
    if (op == AD_SUB) {
        int64_t k;
        by = ac_whole_of(by, &k) && k > INT32_MIN && k <= INT32_MAX ? ad_whole(cx->m, -k) : ad_new(cx->m, AD_NEG, AD_INT, 1, by);
    }
    pointer.ref = ac_move(cx, &pointer.ref, by);
    return pointer;
}

static ac_value no_operands(ac_lower *cx, ad_op op, const ac_value *a, const ac_value *b, ad_place place)
{
    ad_error(cx->d, place, NULL, "'%s' of %s and %s is not differentiated", op_text(op), ac_type_text(cx->m, a->type),
             ac_type_text(cx->m, b->type));
    return ac_bad();
}

/* Between pointers to numbers of one array. */
static ac_value pointer_difference(ac_lower *cx, const ac_value *a, const ac_value *b, ad_place place)
{
    const ac_ref *x = &a->ref, *y = &b->ref;
    if (x->where != R_LEAVES || y->where != R_LEAVES || x->leaf[0] != y->leaf[0] || !ac_is_number(x->type))
        return no_operands(cx, AD_SUB, a, b, place);
    ad_node *part[4] = {x->base, x->index, y->base, y->index}, *n = ad_whole(cx->m, 0);
    for (int i = 0; i < 4; i++) {
        if (part[i]) n = ac_int_op(cx, i < 2 ? AD_ADD : AD_SUB, n, part[i]);
    }
    return ac_of(ac_int(AC_LONG), n);
}

ac_value ac_binary(ac_lower *cx, ad_op op, ac_value a, ac_value b, ad_place place)
{
    if (!a.type || !b.type) return ac_bad();
    if (a.type->class == T_POINTER && ac_is_number(b.type) && (op == AD_ADD || op == AD_SUB))
        return pointer_sum(cx, op, a, b, place);
    if (b.type->class == T_POINTER && ac_is_number(a.type) && op == AD_ADD) return pointer_sum(cx, op, b, a, place);
    if (op == AD_SUB && a.type->class == T_POINTER && b.type->class == T_POINTER) return pointer_difference(cx, &a, &b, place);
    if (!ac_is_number(a.type) || !ac_is_number(b.type)) return no_operands(cx, op, &a, &b, place);
    if (op == AD_SHL || op == AD_SHR) {
        if (a.type->class != T_INT || b.type->class != T_INT) return no_operands(cx, op, &a, &b, place);
        return ac_of(ac_promote(a.type), ad_new(cx->m, op, AD_INT, 2, a.node, b.node));
    }
    ac_type *t = ac_arith_types(cx, &a, &b);
    const int compares = op >= AD_LT && op <= AD_NE;
    if (t->class == T_DOUBLE) {
        if (compares) {
            ad_node *test = ad_new(cx->m, op, AD_INT, 2, a.node, b.node);
            test->place = place;
            return ac_of(ac_int(AC_INT), test);
        }
        if (op > AD_DIV) return no_operands(cx, op, &a, &b, place);
        ad_node *n = ad_new(cx->m, op, AD_DOUBLE, 2, a.node, b.node);
        return ac_of(t, ac_is_float(t) ? ac_rounded(cx, n) : n);
    }
    int64_t k;
    if ((op == AD_DIV || op == AD_MOD) && ac_whole_of(b.node, &k) && k == 0) {
        ad_error(cx->d, place, NULL, "an integer is divided by 0");
        return ac_bad();
    }
    const int plain = t->rank == 3 && !t->is_unsigned;
    ad_node *n = plain ? ac_int_op(cx, op, a.node, b.node) : ad_new(cx->m, op, AD_INT, 2, a.node, b.node);
    return ac_of(compares ? ac_int(AC_INT) : t, n);
}
