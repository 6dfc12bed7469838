/* print.c - trees as C text: expressions for the emitter, whole functions for people and tests. */
#include "tree/print.h"

#include "base/arena.h"
#include "tree/rules.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- expressions --------------------------------------------------------------------------------------------------------- */

/* Binary operators: sign and binding. The bit operators are printed in parentheses wherever C's own ranking surprises people
 * (and compilers warn). */
static const struct {
    const char *sign;
    int level;
} binary[] = {
    [AD_ADD] = {" + ", AD_LEVEL_SUM},     [AD_SUB] = {" - ", AD_LEVEL_SUM},     [AD_MUL] = {" * ", AD_LEVEL_PRODUCT},
    [AD_DIV] = {" / ", AD_LEVEL_PRODUCT}, [AD_MOD] = {" % ", AD_LEVEL_PRODUCT}, [AD_SHL] = {" << ", 10},
    [AD_SHR] = {" >> ", 10},              [AD_BITAND] = {" & ", 7},             [AD_BITOR] = {" | ", 5},
    [AD_XOR] = {" ^ ", 6},                [AD_LT] = {" < ", 9},                 [AD_LE] = {" <= ", 9},
    [AD_GT] = {" > ", 9},                 [AD_GE] = {" >= ", 9},                [AD_EQ] = {" == ", 8},
    [AD_NE] = {" != ", 8},                [AD_AND] = {" && ", 4},               [AD_OR] = {" || ", 3},
};
enum { LEVEL_COND = 2 };

/* A double so that it reads back as itself and as a double. */
static void put_number(ad_out *o, double v)
{
    char s[40];
    if (isnan(v) || isinf(v)) {
        ad_puts(o, isnan(v) ? "NAN" : v > 0 ? "INFINITY" : "-INFINITY");
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(s, sizeof s, "%.*g", digits, v);
        if (strtod(s, NULL) == v) break;
    }
    ad_puts(o, s);
    if (!strpbrk(s, ".en")) ad_puts(o, ".0");
}

static void put_raw(ad_out *o, const ad_node *n, const ad_style *style)
{
    int kid = 0;
    for (const char *c = n->text; *c; c++) {
        if (*c == '%' && kid < n->kids) ad_put_expr(o, n->kid[kid++], AD_LEVEL_NONE, style);
        else ad_put(o, "%c", *c);
    }
}

static void put_binary(ad_out *o, const ad_node *n, const ad_style *style)
{
    int own = binary[n->op].level, kid = own;
    if (own == 9) kid = 10;
    else if (own < 9 || own == 10) /* bits and shifts: parentheses around sums, too */
        kid = own < 5 ? 5 : own == 8 ? AD_LEVEL_SUM : AD_LEVEL_PRODUCT;
    ad_put_expr(o, n->a, kid, style);
    ad_puts(o, binary[n->op].sign);
    ad_put_expr(o, n->b, kid > own ? kid : own + 1, style);
}

static int level_of(const ad_node *n)
{
    switch (n->op) {
    case AD_NUM: return (n->text ? n->text[0] == '-' : signbit(n->real)) ? AD_LEVEL_UNARY : AD_LEVEL_PRIMARY;
    case AD_WHOLE: return !n->text && n->whole < 0 ? AD_LEVEL_UNARY : AD_LEVEL_PRIMARY;
    case AD_NEG: case AD_NOT: case AD_BITNOT: case AD_TO_DOUBLE: case AD_TO_INT: return AD_LEVEL_UNARY;
    case AD_COND: return LEVEL_COND;
    case AD_CALL: return n->text ? AD_LEVEL_UNARY : AD_LEVEL_PRIMARY;
    case AD_NAME: case AD_ELEM: case AD_RAW: return AD_LEVEL_PRIMARY;
    default: return binary[n->op].level;
    }
}

static void put_whole(ad_out *o, const ad_node *n)
{
    if (n->text) ad_puts(o, n->text);
    else if (n->whole == INT64_MIN) ad_puts(o, "(-9223372036854775807LL - 1)");
    else ad_put(o, n->whole > INT32_MAX || n->whole < -INT32_MAX ? "%lldLL" : "%lld", (long long)n->whole);
}

static void put_unary(ad_out *o, const char *sign, const ad_node *a, const ad_style *style)
{
    ad_puts(o, sign);
    int signs = a->op == AD_NEG || a->op == AD_NUM || a->op == AD_WHOLE; /* no "--" */
    ad_put_expr(o, a, signs ? AD_LEVEL_PRIMARY : AD_LEVEL_UNARY, style);
}

/* With lanes (costate_along only) all arguments are vectors. */
static void put_call(ad_out *o, const ad_node *n, const ad_style *style)
{
    const int lanes = style && style->splat && ad_has_lanes(n);
    if (n->text) ad_puts(o, "(double)"); /* expf: takes and returns a float */
    ad_put(o, "%s%s(", ad_rule_name(n->rule), n->text ? n->text : lanes ? "_lanes" : "");
    for (int i = 0; i < n->kids; i++) {
        const int splat = lanes && !ad_has_lanes(n->kid[i]);
        if (i) ad_puts(o, ", ");
        if (splat) ad_puts(o, style->splat);
        if (n->text) ad_puts(o, "(float)");
        ad_put_expr(o, n->kid[i], n->text ? AD_LEVEL_UNARY : splat ? AD_LEVEL_PRODUCT : AD_LEVEL_NONE, style);
    }
    ad_puts(o, ")");
}

static void put_arm(ad_out *o, const ad_node *n, int arm, const ad_style *style)
{
    ad_puts(o, arm == 1 ? " ? " : " : ");
    int splat = style && style->splat && ad_has_lanes(n->kid[3 - arm]) && !ad_has_lanes(n->kid[arm]);
    if (splat) ad_puts(o, style->splat);
    ad_put_expr(o, n->kid[arm], splat ? AD_LEVEL_PRODUCT : arm == 1 ? LEVEL_COND + 1 : LEVEL_COND, style);
}

void ad_put_expr(ad_out *o, const ad_node *n, int level, const ad_style *style)
{
    int wrap = level_of(n) < level;
    if (wrap) ad_puts(o, "(");
    switch (n->op) {
    case AD_NUM:
        if (n->text) ad_puts(o, n->text);
        else put_number(o, n->real);
        break;
    case AD_WHOLE: put_whole(o, n); break;
    case AD_NAME:
    case AD_ELEM:
        if (style && style->leaf && style->leaf(o, n, style)) break;
        ad_puts(o, n->sym->name);
        if (n->op == AD_NAME) break;
        ad_puts(o, "[");
        ad_put_expr(o, n->index, AD_LEVEL_NONE, style);
        ad_puts(o, "]");
        break;
    case AD_RAW: put_raw(o, n, style); break;
    case AD_NEG: put_unary(o, "-", n->a, style); break;
    case AD_NOT: put_unary(o, "!", n->a, style); break;
    case AD_BITNOT: put_unary(o, "~", n->a, style); break;
    case AD_TO_DOUBLE: put_unary(o, n->text ? n->text : "(double)", n->a, style); break;
    case AD_TO_INT:
        ad_put(o, "(%s)", n->text ? n->text : "int");
        ad_put_expr(o, n->a, AD_LEVEL_UNARY, style);
        break;
    case AD_COND:
        ad_put_expr(o, n->condition, LEVEL_COND + 1, style);
        put_arm(o, n, 1, style);
        put_arm(o, n, 2, style);
        break;
    case AD_CALL: put_call(o, n, style); break;
    default: put_binary(o, n, style);
    }
    if (wrap) ad_puts(o, ")");
}

/* The wider of two integer types, in C's order; types the order does not know count as the widest. */
static const char *wider(const char *a, const char *b)
{
    static const char *const order[] = {"int",           "unsigned", "unsigned int", "long",
                                        "unsigned long", "size_t",   "long long",    "unsigned long long"};
    const int known = (int)(sizeof order / sizeof *order);
    int i = 0, j = 0;
    while (i < known && strcmp(order[i], a) != 0) i++;
    while (j < known && strcmp(order[j], b) != 0) j++;
    return i >= j ? a : b;
}

/* After C's promotion: what is narrower than int becomes int. */
static const char *promoted(const char *type)
{
    static const char *const narrow[] = {"char", "signed char", "unsigned char", "short", "short int", "unsigned short",
                                         "bool", "_Bool", "int8_t", "uint8_t", "int16_t", "uint16_t"};
    for (size_t i = 0; i < sizeof narrow / sizeof *narrow; i++)
        if (strcmp(narrow[i], type) == 0) return "int";
    return type;
}

const char *ad_ctype(const ad_node *n)
{
    switch (n->op) {
    case AD_WHOLE: return !n->text && (n->whole > INT32_MAX || n->whole < -INT32_MAX) ? "long long" : "int";
    case AD_NAME: case AD_ELEM: return n->sym->ctype ? n->sym->ctype : "int";
    case AD_TO_INT: return n->text ? n->text : "int";
    case AD_RAW: return n->ctype ? n->ctype : "int";
    case AD_NEG: case AD_BITNOT: case AD_SHL: case AD_SHR: return promoted(ad_ctype(n->a));
    case AD_ADD: case AD_SUB: case AD_MUL: case AD_DIV: case AD_MOD: case AD_BITAND: case AD_BITOR: case AD_XOR:
        return wider(promoted(ad_ctype(n->a)), promoted(ad_ctype(n->b)));
    case AD_COND: return wider(promoted(ad_ctype(n->yes)), promoted(ad_ctype(n->no)));
    default: return "int";
    }
}

/* ---- statements ---------------------------------------------------------------------------------------------------------- */

int ad_is_unsigned(const char *type)
{
    return strstr(type, "unsigned") || strncmp(type, "uint", 4) == 0 || strcmp(type, "size_t") == 0;
}

static void indent(ad_out *o, int depth)
{
    for (int i = 0; i < depth; i++) ad_puts(o, "    ");
}

static void put_statement(ad_out *o, const ad_node *n, int depth);

static void put_body(ad_out *o, const ad_node *block, int depth)
{
    ad_puts(o, "{\n");
    for (int i = 0; i < block->kids; i++) put_statement(o, block->kid[i], depth + 1);
    indent(o, depth);
    ad_puts(o, "}");
}

static void put_decl(ad_out *o, const ad_sym *s)
{
    ad_put(o, "%s%s %s", s->lane ? "lane " : "", s->type == AD_INT ? s->ctype : "double", s->name);
    if (!s->array) return;
    ad_puts(o, "[");
    if (s->extent) ad_put_expr(o, s->extent, AD_LEVEL_NONE, NULL);
    ad_puts(o, "]");
}

static void put_for(ad_out *o, const ad_node *n, int depth)
{
    const char *name = n->sym->name;
    if (n->simd) {
        ad_puts(o, "/* simd */\n");
        indent(o, depth);
    }
    ad_put(o, "for (%s = ", name);
    ad_put_expr(o, n->first, AD_LEVEL_NONE, NULL);
    ad_put(o, "; %s %s ", name, n->step > 0 ? "<" : ">");
    ad_put_expr(o, n->end, 10, NULL);
    if (n->step == 1 || n->step == -1) ad_put(o, "; %s%s) ", name, n->step > 0 ? "++" : "--");
    else ad_put(o, "; %s += %lld) ", name, (long long)n->step);
    put_body(o, n->body, depth);
}

static void put_statement(ad_out *o, const ad_node *n, int depth)
{
    indent(o, depth);
    switch (n->op) {
    case AD_DECL:
        put_decl(o, n->sym);
        ad_puts(o, ";");
        break;
    case AD_SET:
    case AD_INC:
        ad_put_expr(o, n->target, AD_LEVEL_NONE, NULL);
        ad_puts(o, n->op == AD_SET ? " = " : " += ");
        ad_put_expr(o, n->value, AD_LEVEL_NONE, NULL);
        ad_puts(o, ";");
        break;
    case AD_IF:
        ad_puts(o, "if (");
        ad_put_expr(o, n->condition, AD_LEVEL_NONE, NULL);
        ad_puts(o, ") ");
        put_body(o, n->yes, depth);
        if (n->no) {
            ad_puts(o, " else ");
            put_body(o, n->no, depth);
        }
        break;
    case AD_FOR: put_for(o, n, depth); break;
    case AD_BLOCK: put_body(o, n, depth); break;
    case AD_PUSH:
    case AD_POP:
        ad_puts(o, n->op == AD_PUSH ? "push(" : "pop(");
        ad_put_expr(o, n->target, AD_LEVEL_NONE, NULL);
        ad_puts(o, ");");
        break;
    case AD_NOTE: ad_put(o, "/* %s */", n->text); break;
    default: ad_put_expr(o, n, AD_LEVEL_NONE, NULL);
    }
    ad_puts(o, "\n");
}

char *ad_print_fn(ad_arena *m, const ad_fn *fn)
{
    static const char *const role[] = {"", "", "in ", "out ", "sum ", "const "};
    ad_out o = {.m = m};
    ad_put(&o, "%s(", fn->name);
    for (int i = 0; i < fn->params; i++) {
        ad_put(&o, "%s%s", i ? ", " : "", role[fn->param[i]->role]);
        put_decl(&o, fn->param[i]);
    }
    ad_puts(&o, ")\n");
    put_statement(&o, fn->body, 0);
    return o.text;
}
