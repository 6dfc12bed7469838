/* parse_expr.c - expressions, by precedence climbing. Left-leaning chains (a + b + c ...) are built in a loop, so that their
 * length is not limited by the stack; everything that nests is counted by ac_deeper.
 *
 *   expression = assignment { "," assignment }
 *   assignment = condition [ ( "=" | "+=" | ... ) assignment ]
 *   condition  = binary [ "?" expression ":" condition ]
 *   binary     = cast { operator cast }                      by precedence
 *   cast       = "(" type ")" cast | unary
 *   unary      = ( "-" | "+" | "!" | "~" | "*" | "&" | "++" | "--" ) cast | "sizeof" ... | postfix
 *   postfix    = primary { "[" expression "]" | "(" arguments ")" | "." name | "->" name | "++" | "--" } */
#include "front/parse.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static ac_expr *cast(ac_parser *p);

ac_expr *ac_expr_new(ac_parser *p, ac_eop op, const ac_token *t, ac_expr *a, ac_expr *b, ac_expr *c)
{
    ac_expr *e = ad_take(p->m, sizeof *e);
    *e = (ac_expr){.op = op, .place = t->place, .a = a, .b = b, .c = c};
    ac_expr *const kid[] = {a, b, c};
    for (int i = 0; i < 3; i++) {
        if (!kid[i]) continue;
        const int level =
            kid[i]->depth + !(i == 0 && op == E_BINARY && a->op == E_BINARY); /* a chain is walked, not descended into */
        if (level > e->depth) e->depth = level;
    }
    return e;
}

/* ---- who writes what ------------------------------------------------------------------------------------------------------ */

/* Notes that e is assigned. */
static void written(ac_expr *e, int also_read)
{
    if (e->op == E_NAME) {
        e->entity->writes++;
        if (!also_read) e->entity->reads--;
        return;
    }
    while (e->op == E_INDEX || e->op == E_DEREF || e->op == E_MEMBER || e->op == E_ARROW || e->op == E_CAST || e->op == E_BINARY)
        e = e->a;
    if (e->op == E_NAME) e->entity->stores++;
}

/* ---- literals ------------------------------------------------------------------------------------------------------------- */

static ac_expr *integer(ac_parser *p, const ac_token *t)
{
    const char *digits = ad_text_n(p->m, t->text, (size_t)t->length);
    char *end;
    errno = 0;
    int base = 0;
    if (digits[0] == '0' && (digits[1] == 'b' || digits[1] == 'B')) base = 2;
    const unsigned long long v = strtoull(digits + (base ? 2 : 0), &end, base);
    int is_unsigned = 0, longs = 0;
    for (; *end; end++) {
        if (*end == 'u' || *end == 'U') is_unsigned++;
        else if (*end == 'l' || *end == 'L') longs++;
        else ac_fail(p, t, NULL, "'%s' is not a number", digits);
    }
    if (errno || is_unsigned > 1 || longs > 2) ac_fail(p, t, NULL, "'%s' is not a number that fits an integer", digits);
    ac_expr *e = ac_expr_new(p, E_INTEGER, t, NULL, NULL, NULL);
    const int decimal = digits[0] != '0';
    int which = longs ? AC_LONG : AC_INT;
    if (which == AC_INT && v > 0x7fffffff) which = v > 0xffffffffu || (decimal && !is_unsigned) ? AC_LONG : AC_UINT;
    if (which == AC_LONG && v > 0x7fffffffffffffffu) which = AC_ULONG;
    if (is_unsigned) which = which == AC_INT ? AC_UINT : which == AC_LONG ? AC_ULONG : which;
    e->type = ac_int(which);
    e->number = (int64_t)v;
    return e;
}

static ac_expr *floating(ac_parser *p, const ac_token *t)
{
    char *text = ad_text_n(p->m, t->text, (size_t)t->length), *end;
    ac_expr *e = ac_expr_new(p, E_FLOATING, t, NULL, NULL, NULL);
    e->value = strtod(text, &end);
    e->type = ac_double();
    if ((*end == 'f' || *end == 'F') && !end[1]) {
        e->type = ac_float();
        e->value = (double)strtof(text, NULL);
    } else if ((*end == 'l' || *end == 'L') && !end[1]) {
        ac_fail(p, t, "the number without the L", "long double is not differentiated");
    } else if (*end) {
        ac_fail(p, t, NULL, strchr("ijIJ", *end) ? "complex numbers are not differentiated" : "'%s' is not a number", text);
    } else {
        e->text = text;
    }
    return e;
}

static ac_expr *character(ac_parser *p, const ac_token *t)
{
    static const char escape[] = "abfnrtv\\'\"?", value[] = "\a\b\f\n\r\t\v\\'\"?";
    ac_expr *e = ac_expr_new(p, E_INTEGER, t, NULL, NULL, NULL);
    e->type = ac_int(AC_INT);
    const char *s = t->text + 1;
    if (t->length == 3 && s[0] != '\\') {
        e->number = (signed char)s[0];
    } else if (t->length >= 4 && s[0] == '\\' && s[1] >= '0' && s[1] <= '7') {
        e->number = strtol(s + 1, NULL, 8);
    } else if (t->length == 4 && s[0] == '\\' && s[1] && strchr(escape, s[1])) {
        e->number = value[strchr(escape, s[1]) - escape];
    } else {
        ac_fail(p, t, NULL, "this character constant is not known");
    }
    return e;
}

/* A variable in scope that is spelled nearly like that. */
static const char *nearest_variable(ac_parser *p, const char *name)
{
    const char *best = NULL;
    int least = strlen(name) > 3 ? 3 : 2;
    if (strlen(name) < 2) return NULL;
    for (const ac_entity *e = p->scope; e; e = e->in_scope) {
        const int k = e->name && e->sort == N_VARIABLE ? ac_distance(name, e->name->text) : least;
        if (k < least) least = k, best = e->name->text;
    }
    return best;
}

/* ---- primary and postfix --------------------------------------------------------------------------------------------------- */

static ac_expr *primary(ac_parser *p)
{
    ac_token *t = ac_peek(p, 0);
    p->at++;
    switch (t->kind) {
    case AC_INTEGER: return integer(p, t);
    case AC_FLOATING: return floating(p, t);
    case AC_CHARACTER: return character(p, t);
    case AC_STRING: {
        ac_expr *e = ac_expr_new(p, E_STRING, t, NULL, NULL, NULL);
        e->number = t->length - 1;
        e->text = ad_text_n(p->m, t->text, (size_t)t->length);
        for (ac_token *more; (more = ac_peek(p, 0))->kind == AC_STRING; p->at++) {
            e->number += more->length - 2;
            e->text = ad_text(p->m, "%s %.*s", e->text, more->length, more->text);
        }
        return e;
    }
    case AC_IDENT: {
        ac_entity *entity = t->name->entity;
        ac_expr *e = ac_expr_new(p, entity && entity->sort != N_TYPEDEF ? E_NAME : E_UNKNOWN, t, NULL, NULL, NULL);
        e->name = t->name;
        e->entity = e->op == E_NAME ? entity : NULL;
        if (e->op == E_NAME) entity->reads++;
        else if (!ac_is(p, '(')) e->text = nearest_variable(p, t->name->text);
        return e;
    }
    case AC_PUNCT:
        if (t->punct != '(') break;
        if (ac_is(p, '{')) ac_fail(p, t, "a helper function", "statements inside an expression are not differentiated");
        ac_expr *e = ac_expression(p);
        ac_expect(p, ')', "here");
        return e;
    case AC_KEYWORD:
        if (t->name->word == KW_EXTENSION) return cast(p);
        if (t->name->word == KW_GENERIC) ac_fail(p, t, "the function for double itself", "_Generic is not differentiated");
        break;
    default: break;
    }
    p->at--;
    ac_fail(p, t, NULL, "a value is expected here, not %s", ac_token_text(p, t));
}

static ac_expr *call(ac_parser *p, ac_expr *function, const ac_token *t)
{
    ac_expr *e = ac_expr_new(p, E_CALL, t, function, NULL, NULL), **last = &e->arg;
    e->place = function->place;
    e->name = function->name;
    if (ac_accept(p, ')')) return e;
    do {
        if (ac_starts_type(p, ac_peek(p, 0))) { /* va_arg, offsetof: refused by name when the call is lowered */
            ac_type *type = ac_type_name(p);
            *last = ac_expr_new(p, E_SIZEOF, t, NULL, NULL, NULL);
            (*last)->type = type;
        } else {
            *last = ac_assignment(p);
        }
        if ((*last)->depth >= e->depth) e->depth = (*last)->depth + 1;
        last = &(*last)->next;
        e->args++;
    } while (ac_accept(p, ','));
    ac_expect(p, ')', "after the arguments");
    return e;
}

static ac_expr *increment(ac_parser *p, const ac_token *t, ac_expr *target, int64_t by, int is_postfix)
{
    ac_expr *e = ac_expr_new(p, E_INCREMENT, t, target, NULL, NULL);
    e->number = by;
    e->postfix = is_postfix;
    e->place = target->place;
    written(target, 1);
    return e;
}

static ac_expr *postfix_of(ac_parser *p, ac_expr *e)
{
    for (;;) {
        const ac_token *t = ac_peek(p, 0);
        if (e->depth > AC_DEEP) ac_fail(p, t, NULL, "this is nested more than %d deep", AC_DEEP);
        if (ac_accept(p, '[')) {
            e = ac_expr_new(p, E_INDEX, t, e, ac_expression(p), NULL);
            e->place = e->a->place;
            ac_expect(p, ']', "after the index");
        } else if (ac_accept(p, '(')) {
            e = call(p, e, t);
        } else if (ac_is(p, '.') || ac_is(p, AC_P('-', '>', 0))) {
            e = ac_expr_new(p, ac_is(p, '.') ? E_MEMBER : E_ARROW, t, e, NULL, NULL);
            e->place = e->a->place;
            p->at++;
            const ac_token *name = ac_peek(p, 0);
            if (name->kind != AC_IDENT)
                ac_fail(p, name, NULL, "the name of a member is expected here, not %s", ac_token_text(p, name));
            e->name = name->name;
            p->at++;
        } else if (ac_accept(p, AC_P('+', '+', 0))) {
            e = increment(p, t, e, 1, 1);
        } else if (ac_accept(p, AC_P('-', '-', 0))) {
            e = increment(p, t, e, -1, 1);
        } else {
            return e;
        }
    }
}

/* ---- unary and cast -------------------------------------------------------------------------------------------------------- */

static ac_expr *size_of(ac_parser *p, const ac_token *t)
{
    ac_expr *e = ac_expr_new(p, E_SIZEOF, t, NULL, NULL, NULL);
    if (ac_is(p, '(') && ac_starts_type(p, ac_peek(p, 1))) {
        p->at++;
        e->type = ac_type_name(p);
        ac_expect(p, ')', "after the type");
    } else {
        e->a = cast(p);
        e->depth = e->a->depth + 1;
    }
    return e;
}

static ac_expr *address(ac_parser *p, const ac_token *t)
{
    ac_expr *e = ac_expr_new(p, E_ADDRESS, t, cast(p), NULL, NULL);
    written(e->a, 1);
    return e;
}

static ac_expr *unary(ac_parser *p)
{
    const ac_token *t = ac_peek(p, 0);
    if (ac_accept_word(p, KW_SIZEOF)) return size_of(p, t);
    if (ac_accept(p, '-')) return ac_expr_new(p, E_NEGATE, t, cast(p), NULL, NULL);
    if (ac_accept(p, '+')) return ac_expr_new(p, E_PLUS, t, cast(p), NULL, NULL);
    if (ac_accept(p, '!')) return ac_expr_new(p, E_NOT, t, cast(p), NULL, NULL);
    if (ac_accept(p, '~')) return ac_expr_new(p, E_BITNOT, t, cast(p), NULL, NULL);
    if (ac_accept(p, '*')) return ac_expr_new(p, E_DEREF, t, cast(p), NULL, NULL);
    if (ac_accept(p, '&')) return address(p, t);
    if (ac_accept(p, AC_P('+', '+', 0))) return increment(p, t, cast(p), 1, 0);
    if (ac_accept(p, AC_P('-', '-', 0))) return increment(p, t, cast(p), -1, 0);
    return postfix_of(p, primary(p));
}

static ac_expr *cast(ac_parser *p)
{
    ac_deeper(p);
    ac_expr *e;
    const ac_token *t = ac_peek(p, 0);
    if (ac_is(p, '(') && ac_starts_type(p, ac_peek(p, 1))) {
        p->at++;
        ac_type *type = ac_type_name(p);
        ac_expect(p, ')', "after the type");
        if (ac_is(p, '{')) {
            e = ac_expr_new(p, E_LITERAL, t, NULL, NULL, NULL);
            e->init = ac_initializer(p);
            e->type = type;
            e = postfix_of(p, e);
        } else {
            e = ac_expr_new(p, E_CAST, t, cast(p), NULL, NULL);
            e->type = type;
        }
    } else {
        e = unary(p);
    }
    p->depth--;
    return e;
}

/* ---- binary ---------------------------------------------------------------------------------------------------------------- */

enum { LOGICAL_OR = 1, LOGICAL_AND = 2 };

/* Precedence of the operator at hand; 0: none. *op gets the arithmetic. */
static int precedence(const ac_token *t, ad_op *op)
{
    static const struct {
        int punct, level;
        ad_op op;
    } table[] = {
        {AC_P('|', '|', 0), LOGICAL_OR, AD_OR},
        {AC_P('&', '&', 0), LOGICAL_AND, AD_AND},
        {'|', 3, AD_BITOR},
        {'^', 4, AD_XOR},
        {'&', 5, AD_BITAND},
        {AC_P('=', '=', 0), 6, AD_EQ},
        {AC_P('!', '=', 0), 6, AD_NE},
        {'<', 7, AD_LT},
        {'>', 7, AD_GT},
        {AC_P('<', '=', 0), 7, AD_LE},
        {AC_P('>', '=', 0), 7, AD_GE},
        {AC_P('<', '<', 0), 8, AD_SHL},
        {AC_P('>', '>', 0), 8, AD_SHR},
        {'+', 9, AD_ADD},
        {'-', 9, AD_SUB},
        {'*', 10, AD_MUL},
        {'/', 10, AD_DIV},
        {'%', 10, AD_MOD},
    };
    if (t->kind != AC_PUNCT) return 0;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (table[i].punct == t->punct) {
            *op = table[i].op;
            return table[i].level;
        }
    }
    return 0;
}

static ac_expr *binary(ac_parser *p, int lowest)
{
    ac_expr *left = cast(p);
    for (;;) {
        ad_op op = AD_ADD;
        const ac_token *t = ac_peek(p, 0);
        const int level = precedence(t, &op);
        if (level == 0 || level < lowest) return left;
        p->at++;
        ac_expr *right = binary(p, level + 1);
        const ac_eop kind = level == LOGICAL_OR ? E_OR : level == LOGICAL_AND ? E_AND : E_BINARY;
        if (kind != E_BINARY && left->depth > AC_DEEP) ac_fail(p, t, NULL, "more than %d conditions in one expression", AC_DEEP);
        left = ac_expr_new(p, kind, t, left, right, NULL);
        left->arith = op;
    }
}

ac_expr *ac_condition(ac_parser *p)
{
    ac_expr *e = binary(p, 1);
    const ac_token *t = ac_peek(p, 0);
    if (ac_accept(p, '?')) {
        ac_deeper(p);
        ac_expr *yes = ac_expression(p);
        ac_expect(p, ':', "after the first choice of '?'");
        e = ac_expr_new(p, E_CONDITION, t, e, yes, ac_condition(p));
        p->depth--;
    }
    return e;
}

/* ---- assignment and comma -------------------------------------------------------------------------------------------------- */

static int assigns(const ac_token *t, ad_op *op)
{
    static const struct {
        int punct;
        ad_op op;
    } table[] = {
        {'=', AD_SET},
        {AC_P('+', '=', 0), AD_ADD},
        {AC_P('-', '=', 0), AD_SUB},
        {AC_P('*', '=', 0), AD_MUL},
        {AC_P('/', '=', 0), AD_DIV},
        {AC_P('%', '=', 0), AD_MOD},
        {AC_P('&', '=', 0), AD_BITAND},
        {AC_P('|', '=', 0), AD_BITOR},
        {AC_P('^', '=', 0), AD_XOR},
        {AC_P('<', '<', '='), AD_SHL},
        {AC_P('>', '>', '='), AD_SHR},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table && t->kind == AC_PUNCT; i++) {
        if (table[i].punct == t->punct) {
            *op = table[i].op;
            return 1;
        }
    }
    return 0;
}

ac_expr *ac_assignment(ac_parser *p)
{
    ac_expr *e = ac_condition(p);
    const ac_token *t = ac_peek(p, 0);
    ad_op op = AD_SET;
    if (assigns(t, &op)) {
        ac_deeper(p);
        p->at++;
        written(e, op != AD_SET);
        e = ac_expr_new(p, E_ASSIGN, t, e, ac_assignment(p), NULL);
        e->arith = op;
        p->depth--;
    }
    return e;
}

ac_expr *ac_expression(ac_parser *p)
{
    ac_expr *e = ac_assignment(p);
    for (;;) {
        const ac_token *t = ac_peek(p, 0);
        if (!ac_accept(p, ',')) return e;
        if (e->depth > AC_DEEP) ac_fail(p, t, NULL, "more than %d expressions between commas", AC_DEEP);
        e = ac_expr_new(p, E_COMMA, t, e, ac_assignment(p), NULL);
    }
}

int64_t ac_constant_value(ac_parser *p, const char *what)
{
    const ac_token *t = ac_peek(p, 0);
    ac_expr *e = ac_condition(p);
    ac_constant k;
    if (!ac_evaluate(p->m, e, &k) || k.is_double) ac_fail(p, t, NULL, "%s is not a constant integer", what);
    return k.whole;
}
