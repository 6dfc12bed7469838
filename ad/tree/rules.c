/* rules.c - the table of rules.def, and the parser of its derivative texts:
 *
 *   choice  = test [ "?" choice ":" choice ]
 *   test    = sum [ ("<=" | ">=" | "==" | ">") sum ]
 *   sum     = product { ("+" | "-") product }
 *   product = sign { ("*" | "/") sign }
 *   sign    = [ "-" ] ( number | "a" | "b" | "r" | name "(" choice [ "," choice ] ")" | "(" choice ")" ) */
#include "tree/rules.h"

#include "base/arena.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    int arity;
    const char *derivative[2];
    const char *kink, *taken;
    int steep, inner;
} table[] = {
#define AD_RULE1(name, da) {#name, 1, {da, NULL}, NULL, NULL, 0, 0},
#define AD_RULE2(name, da, db) {#name, 2, {da, db}, NULL, NULL, 0, 0},
#define AD_KINK1(name, da, where, taken) {#name, 1, {da, NULL}, where, taken, 0, 0},
#define AD_KINK2(name, da, db, where, taken) {#name, 2, {da, db}, where, taken, 0, 0},
#define AD_STEEP1(name, da) {#name, 1, {da, NULL}, NULL, NULL, 1, 0},
#define AD_STEEP2(name, da, db) {#name, 2, {da, db}, NULL, NULL, 1, 0},
#define AD_INNER1(name, da) {#name, 1, {da, NULL}, NULL, NULL, 0, 1},
#define AD_INNER2(name, da, db) {#name, 2, {da, db}, NULL, NULL, 0, 1},
#include "tree/rules.def"
#undef AD_RULE1
#undef AD_RULE2
#undef AD_KINK1
#undef AD_KINK2
};

int ad_rule_find(const char *name)
{
    for (int i = 0; i < AD_RULES; i++)
        if (strcmp(table[i].name, name) == 0) return i;
    return -1;
}

const char *ad_rule_name(int rule)
{
    return table[rule].name;
}

int ad_rule_arity(int rule)
{
    return table[rule].arity;
}

const char *ad_rule_kink(int rule)
{
    return table[rule].kink;
}

const char *ad_rule_taken(int rule)
{
    return table[rule].taken;
}

int ad_rule_inner(int rule)
{
    return table[rule].inner;
}

int ad_rule_steep(const ad_node *call)
{
    double e;
    if (call->rule == AD_RULE_costate_pow || call->rule == AD_RULE_costate_powlog) return 1;
    if (call->rule == AD_RULE_pow && ad_literal(call->b, &e)) return e > 0 && e < 3 && e != (double)(int)e; /* to third order */
    return table[call->rule].steep;
}

ad_node *ad_along(ad_arena *m, ad_node *a, ad_node *b)
{
    if (ad_literal(a, NULL) || ad_literal(b, NULL)) return ad_mul(m, a, b);
    if (b->op == AD_NEG) return ad_neg(m, ad_along(m, a, b->a));
    if (a->op == AD_NEG) return ad_neg(m, ad_along(m, a->a, b));
    return ad_call(m, AD_RULE_costate_along, a, b);
}

ad_node *ad_call(ad_arena *m, int rule, ad_node *a, ad_node *b)
{
    ad_node *n = ad_new(m, AD_CALL, AD_DOUBLE, ad_rule_arity(rule), a, b);
    n->rule = rule;
    return n;
}

/* ---- the parser ------------------------------------------------------------------------------------------------------------ */

typedef struct reader {
    ad_arena *m;
    const char *at;
    const ad_node *a, *b, *r;
} reader;

static ad_node *choice(reader *t);

static int accept(reader *t, const char *sign)
{
    while (*t->at == ' ') t->at++;
    size_t n = strlen(sign);
    if (strncmp(t->at, sign, n) != 0) return 0;
    t->at += n;
    return 1;
}

/* x to a power that is a literal, as few operations as it takes. */
static ad_node *power(ad_arena *m, int rule, ad_node *x, ad_node *exponent)
{
    if (exponent->op == AD_NUM) {
        double e = exponent->real;
        if (e == 0) return ad_num(m, 1);
        if (e == 1) return x;
        if (e == 2) return ad_mul(m, x, ad_copy(m, x, NULL));
        if (e == 0.5) return ad_call(m, AD_RULE_sqrt, x, NULL);
    }
    return ad_call(m, rule, x, exponent);
}

static ad_node *name(reader *t)
{
    const char *start = t->at;
    while (isalnum((unsigned char)*t->at) || *t->at == '_') t->at++;
    const char *word = ad_text_n(t->m, start, (size_t)(t->at - start));
    if (!accept(t, "(")) return ad_copy(t->m, *word == 'a' ? t->a : *word == 'b' ? t->b : t->r, NULL);
    int rule = ad_rule_find(word);
    ad_node *a = choice(t), *b = accept(t, ",") ? choice(t) : NULL;
    accept(t, ")");
    if (rule == AD_RULE_costate_along) return ad_literal(b, NULL) ? ad_mul(t->m, b, a) : ad_along(t->m, a, b);
    return rule == AD_RULE_costate_pow ? power(t->m, rule, a, b) : ad_call(t->m, rule, a, b);
}

static ad_node *sign(reader *t)
{
    if (accept(t, "-")) return ad_neg(t->m, sign(t));
    if (accept(t, "(")) {
        ad_node *inner = choice(t);
        accept(t, ")");
        return inner;
    }
    if (!isdigit((unsigned char)*t->at)) return name(t);
    char *end;
    ad_node *number = ad_num(t->m, strtod(t->at, &end));
    t->at = end;
    return number;
}

static ad_node *product(reader *t)
{
    ad_node *n = sign(t);
    for (;;) {
        if (accept(t, "*")) n = ad_mul(t->m, n, sign(t));
        else if (accept(t, "/")) n = ad_div(t->m, n, sign(t));
        else return n;
    }
}

static ad_node *sum(reader *t)
{
    ad_node *n = product(t);
    for (;;) {
        if (accept(t, "+")) n = ad_add(t->m, n, product(t));
        else if (accept(t, "-")) n = ad_sub(t->m, n, product(t));
        else return n;
    }
}

static ad_node *choice(reader *t)
{
    ad_node *n = sum(t);
    ad_op test = accept(t, "<=") ? AD_LE : accept(t, ">=") ? AD_GE : accept(t, "==") ? AD_EQ : accept(t, ">") ? AD_GT : AD_NUM;
    if (test != AD_NUM) n = ad_new(t->m, test, AD_INT, 2, n, sum(t));
    if (!accept(t, "?")) return n;
    ad_node *yes = choice(t);
    accept(t, ":");
    return ad_choose(t->m, n, yes, choice(t));
}

int ad_rule_needs(int rule, char what)
{
    for (int i = 0; i < table[rule].arity; i++)
        for (const char *c = table[rule].derivative[i]; *c; c++) {
            int alone = !isalnum((unsigned char)c[1]) && (c == table[rule].derivative[i] || !isalnum((unsigned char)c[-1]));
            if (*c == what && alone) return 1;
        }
    return 0;
}

ad_node *ad_rule_derivative(ad_arena *m, const ad_node *call, int which, const ad_node *r)
{
    ad_node *a = call->a, *b = call->kids > 1 ? call->b : NULL;
    double e;
    if (b && b->op != AD_NUM && ad_literal(b, &e)) b = ad_num(m, e);
    if (call->rule == AD_RULE_pow && which == 0 && b->op == AD_NUM) { /* from the result, which is there already */
        if (b->real == 0.5) return ad_div(m, b, ad_copy(m, r, NULL));
        if (b->real == -1) return ad_neg(m, ad_mul(m, ad_copy(m, r, NULL), ad_copy(m, r, NULL)));
    }
    reader t = {m, table[call->rule].derivative[which], a, b, r};
    return choice(&t);
}

int ad_rule_passes(ad_arena *m, const ad_node *call, int which)
{
    const ad_node *d = ad_rule_derivative(m, call, which, call);
    double v;
    return !(ad_literal(d, &v) && v == 0);
}
