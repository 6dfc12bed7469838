/* constant.c - constant expressions: sizes of arrays, enumerators, entries of tables, members of the descriptor.
 *
 * Integers are computed as C does, modulo 2^64 where they are unsigned; an overflow of a signed one is not a constant. const
 * variables of the file with a constant initializer count as constants, more than C allows, because compilers fold them too. */
#include "front/ast.h"

#include <string.h>

static int evaluate(ad_arena *m, const ac_expr *e, ac_constant *out, int depth);

/* Brings a constant to the type t. */
static int convert(ac_constant *k, ac_type *t)
{
    if (t->class == T_DOUBLE) {
        const uint64_t natural = (uint64_t)k->whole;
        if (!k->is_double && ac_is_float(t)) k->real = k->type->is_unsigned ? (double)(float)natural : (double)(float)k->whole;
        else if (!k->is_double) k->real = k->type->is_unsigned ? (double)natural : (double)k->whole;
        else if (ac_is_float(t)) k->real = (double)(float)k->real;
        k->is_double = 1;
    } else if (t->class == T_INT) {
        if (k->is_double) {
            if (t->rank == 0) k->whole = k->real != 0;
            else if (!(k->real > -9.2e18 && k->real < 9.2e18)) return 0;
            else k->whole = (int64_t)k->real;
        } else if (t->rank == 0) {
            k->whole = k->whole != 0;
        }
        k->is_double = 0;
        if (t->rank > 0 && t->size < 8) {
            const int bits = 8 * (int)t->size;
            const uint64_t low = (uint64_t)k->whole & (((uint64_t)1 << bits) - 1);
            const uint64_t sign = (uint64_t)1 << (bits - 1);
            k->whole = t->is_unsigned ? (int64_t)low : (int64_t)((low ^ sign) - sign);
        }
    } else {
        return 0;
    }
    k->type = t;
    return 1;
}

/* In float, too: what a double has computed of two floats and is then rounded is what float arithmetic gives. */
static int real_binary(ad_op op, ac_type *t, double a, double b, ac_constant *out)
{
    *out = (ac_constant){.is_double = 1, .type = t};
    switch (op) {
    case AD_ADD: out->real = a + b; return convert(out, t);
    case AD_SUB: out->real = a - b; return convert(out, t);
    case AD_MUL: out->real = a * b; return convert(out, t);
    case AD_DIV: out->real = a / b; return convert(out, t);
    default: break;
    }
    *out = (ac_constant){.type = ac_int(AC_INT)};
    switch (op) {
    case AD_LT: out->whole = a < b; return 1;
    case AD_LE: out->whole = a <= b; return 1;
    case AD_GT: out->whole = a > b; return 1;
    case AD_GE: out->whole = a >= b; return 1;
    case AD_EQ: out->whole = a == b; return 1;
    case AD_NE: out->whole = a != b; return 1;
    default: return 0;
    }
}

static int compare(ad_op op, const ac_type *t, int64_t a, int64_t b, ac_constant *out)
{
    const int less = t->is_unsigned ? (uint64_t)a < (uint64_t)b : a < b;
    out->type = ac_int(AC_INT);
    switch (op) {
    case AD_LT: out->whole = less; return 1;
    case AD_LE: out->whole = less || a == b; return 1;
    case AD_GT: out->whole = !less && a != b; return 1;
    case AD_GE: out->whole = !less; return 1;
    case AD_EQ: out->whole = a == b; return 1;
    case AD_NE: out->whole = a != b; return 1;
    default: return 0;
    }
}

static int whole_binary(ad_op op, ac_type *t, int64_t a, int64_t b, ac_constant *out)
{
    *out = (ac_constant){.type = t};
    if (op >= AD_LT && op <= AD_NE) return compare(op, t, a, b, out);
    const int modular = t->is_unsigned;
    int64_t r = 0;
    switch (op) {
    case AD_ADD:
        if (__builtin_add_overflow(a, b, &r) && !modular) return 0;
        break;
    case AD_SUB:
        if (__builtin_sub_overflow(a, b, &r) && !modular) return 0;
        break;
    case AD_MUL:
        if (__builtin_mul_overflow(a, b, &r) && !modular) return 0;
        break;
    case AD_DIV:
    case AD_MOD:
        if (b == 0 || (!modular && a == INT64_MIN && b == -1)) return 0;
        if (modular) r = (int64_t)(op == AD_DIV ? (uint64_t)a / (uint64_t)b : (uint64_t)a % (uint64_t)b);
        else r = op == AD_DIV ? a / b : a % b;
        break;
    case AD_BITAND: r = a & b; break;
    case AD_BITOR: r = a | b; break;
    case AD_XOR: r = a ^ b; break;
    case AD_SHL:
    case AD_SHR:
        if (b < 0 || b >= 8 * t->size || (a < 0 && !modular)) return 0;
        r = op == AD_SHL ? (int64_t)((uint64_t)a << b) : (int64_t)((uint64_t)a >> b);
        if (!modular && op == AD_SHL && (r < 0 || r >> b != a)) return 0;
        break;
    default: return 0;
    }
    ac_constant exact = {.whole = r, .type = t};
    out->whole = r;
    if (!convert(out, t)) return 0;
    return modular || out->whole == exact.whole;
}

static int binary(ad_arena *m, const ac_expr *e, ac_constant *out, int depth)
{
    ac_constant a, b;
    if (!evaluate(m, e->a, &a, depth) || !evaluate(m, e->b, &b, depth)) return 0;
    ac_type *t = e->arith == AD_SHL || e->arith == AD_SHR ? ac_promote(a.type) : ac_common(a.type, b.type);
    if (t->class == T_DOUBLE) return convert(&a, t) && convert(&b, t) && real_binary(e->arith, t, a.real, b.real, out);
    if (a.is_double || b.is_double || !convert(&a, t)) return 0;
    if (e->arith != AD_SHL && e->arith != AD_SHR && !convert(&b, t)) return 0;
    return whole_binary(e->arith, t, a.whole, b.whole, out);
}

static int unary(ac_eop op, ac_constant *k)
{
    if (op == E_NOT) {
        *k = (ac_constant){.whole = k->is_double ? k->real == 0 : k->whole == 0, .type = ac_int(AC_INT)};
        return 1;
    }
    if (k->is_double) {
        if (op == E_NEGATE) k->real = -k->real;
        return op != E_BITNOT;
    }
    if (!convert(k, ac_promote(k->type))) return 0;
    if (op == E_NEGATE) {
        if (k->whole == INT64_MIN && !k->type->is_unsigned) return 0;
        k->whole = (int64_t)(0 - (uint64_t)k->whole);
    } else if (op == E_BITNOT) {
        k->whole = ~k->whole;
    }
    return convert(k, k->type);
}

static int truth(const ac_constant *k)
{
    return k->is_double ? k->real != 0 : k->whole != 0;
}

static int size_of(ad_arena *m, const ac_expr *e, ac_constant *out)
{
    const ac_type *t = e->type ? e->type : ac_type_of(m, e->a);
    if (!t || t->size < 0) return 0;
    *out = (ac_constant){.whole = t->size, .type = ac_int(AC_SIZE)};
    return 1;
}

static int named(ad_arena *m, const ac_entity *v, ac_constant *out, int depth)
{
    if (v->sort == N_ENUMERATOR) {
        *out = (ac_constant){.whole = v->value, .type = v->value == (int)v->value ? ac_int(AC_INT) : ac_int(AC_LONG)};
        return 1;
    }
    if (v->sort != N_VARIABLE || !v->type->is_const || !ac_is_number(v->type) || !v->init || v->is_param || v->writes > 1)
        return 0;
    const ac_init *i = v->init->expr ? v->init : v->init->item;
    return i && i->expr && evaluate(m, i->expr, out, depth) && convert(out, v->type);
}

static int evaluate(ad_arena *m, const ac_expr *e, ac_constant *out, int depth)
{
    if (depth++ > AC_DEEP) return 0;
    switch (e->op) {
    case E_INTEGER: *out = (ac_constant){.whole = e->number, .type = e->type}; return 1;
    case E_FLOATING: *out = (ac_constant){.is_double = 1, .real = e->value, .type = e->type}; return 1;
    case E_NAME: return named(m, e->entity, out, depth);
    case E_NEGATE:
    case E_PLUS:
    case E_NOT:
    case E_BITNOT: return evaluate(m, e->a, out, depth) && unary(e->op, out);
    case E_CAST: return ac_is_number(e->type) && evaluate(m, e->a, out, depth) && convert(out, e->type);
    case E_SIZEOF: return size_of(m, e, out);
    case E_BINARY: return binary(m, e, out, depth);
    case E_AND:
    case E_OR: {
        ac_constant a, b;
        if (!evaluate(m, e->a, &a, depth)) return 0;
        int result = truth(&a);
        if (result == (e->op == E_AND)) {
            if (!evaluate(m, e->b, &b, depth)) return 0;
            result = truth(&b);
        }
        *out = (ac_constant){.whole = result, .type = ac_int(AC_INT)};
        return 1;
    }
    case E_CONDITION: {
        ac_constant a;
        if (!evaluate(m, e->a, &a, depth) || !evaluate(m, truth(&a) ? e->b : e->c, out, depth)) return 0;
        ac_type *t = ac_type_of(m, e);
        return t && ac_is_number(t) && convert(out, t);
    }
    default: return 0;
    }
}

int ac_evaluate(ad_arena *m, const ac_expr *e, ac_constant *out)
{
    return evaluate(m, e, out, 0);
}
