/* lower_expr.c - expressions. */
#include "front/lower.h"

#include <math.h>
#include <string.h>

enum {
    LONG_CHAIN = 400
}; /* operands of a + b + c ... in one tree; a longer sum is cut by a temporary, so that no pass recurses deeper */

/* ---- numbers --------------------------------------------------------------------------------------------------------------- */

ad_node *ac_converted(ac_lower *cx, ac_value v, ac_type *to, ad_place place)
{
    if (v.type && !ac_is_number(v.type)) {
        ad_error(cx->d, place, NULL, "a number is expected here, not %s", ac_a_type(cx->m, v.type));
        v.type = NULL;
    }
    if (!v.type) return to->class == T_DOUBLE ? ad_num(cx->m, 0) : ad_whole(cx->m, 0);
    return ac_convert(cx, v, to, 0);
}

static ad_node *truth_of(ac_lower *cx, ac_value v, ad_place place)
{
    if (v.type && !ac_is_number(v.type)) {
        ad_error(cx->d, place, NULL, "a condition is a number, not %s", ac_a_type(cx->m, v.type));
        v.type = NULL;
    }
    if (!v.type) return ad_whole(cx->m, 0);
    return v.type->class == T_DOUBLE ? ad_new(cx->m, AD_NE, AD_INT, 2, v.node, ad_num(cx->m, 0)) : v.node;
}

ad_node *ac_truth(ac_lower *cx, ac_expr *e)
{
    ac_constant k;
    if (ac_evaluate(cx->m, e, &k)) return ad_whole(cx->m, k.is_double ? k.real != 0 : k.whole != 0);
    return truth_of(cx, ac_rvalue(cx, e), e->place);
}

static ac_value whole(ac_lower *cx, int64_t value, ac_type *t)
{
    ad_node *n = ad_whole(cx->m, value);
    const int plain = t->rank == 3 && !t->is_unsigned;
    if (!plain)
        n->text = ad_text(cx->m, t->is_unsigned ? "%llu%s" : "%lld%s", (long long)value,
                          t->is_unsigned ? (t->rank > 3 ? "UL" : "U") : "L");
    return ac_of(t, n);
}

/* ---- names ----------------------------------------------------------------------------------------------------------------- */

static ac_value unknown(ac_lower *cx, ac_expr *e)
{
    const char *name = e->name->text;
    if (strcmp(name, "true") == 0 || strcmp(name, "false") == 0) return ac_of(ac_int(AC_INT), ad_whole(cx->m, name[0] == 't'));
    const char *near = e->text ? e->text : ac_nearest(cx, name);
    ad_error(cx->d, e->place, near ? ad_text(cx->m, "'%s'", near) : NULL, "'%s' is not declared", name);
    return ac_bad();
}

static ac_value name(ac_lower *cx, ac_expr *e)
{
    ac_entity *v = e->entity;
    ac_constant k;
    if (v->sort == N_ENUMERATOR) return whole(cx, v->value, v->value == (int)v->value ? ac_int(AC_INT) : ac_int(AC_LONG));
    if (v->sort == N_FUNCTION) {
        ad_error(cx->d, e->place, "a call of the function itself", "'%s' is used as a pointer to a function", e->name->text);
        return ac_bad();
    }
    if (v->type->class == T_INT && v->type->is_const && !v->is_param && ac_evaluate(cx->m, e, &k) && !k.is_double)
        return whole(cx, k.whole, v->type);
    if (v->counter) {
        const int other = strcmp(v->counter->ctype, v->type->text) != 0; /* a signed counter for an unsigned variable */
        const ac_value c = ac_of(other ? ac_int(AC_LONG) : v->type, ad_use(cx->m, v->counter));
        return ac_of(v->type, ac_convert(cx, c, v->type, 1));
    }
    ac_ref r;
    if (!ac_lvalue(cx, e, &r)) return ac_bad();
    if (v->type->class == T_POINTER) return (ac_value){.type = v->type, .ref = r};
    return ac_load(cx, &r, e->place);
}

/* ---- assignment ------------------------------------------------------------------------------------------------------------ */

/* 1: an assignment inside an expression may be done before the rest: the variable occurs nowhere else in it. */
static int occurs(const ac_expr *e, const ac_entity *v)
{
    if (!e) return 0;
    int n = e->op == E_NAME && e->entity == v;
    for (const ac_expr *k = e->arg; k; k = k->next) n += occurs(k, v);
    while (e->op == E_BINARY && e->a->op == E_BINARY) {
        n += occurs(e->b, v);
        e = e->a;
    }
    return n + occurs(e->a, v) + occurs(e->b, v) + occurs(e->c, v);
}

static int harmless(ac_lower *cx, ac_expr *e, const char *what)
{
    const ac_expr *root = e->a;
    while (root->op == E_INDEX || root->op == E_MEMBER || root->op == E_DEREF || root->op == E_ARROW) root = root->a;
    const int alone = root->op == E_NAME && occurs(cx->whole, root->entity) == 1;
    if (alone && !cx->lazy) return 1;
    ad_error(cx->d, e->place, "a statement of its own",
             alone ? "%s inside an expression that may not be evaluated"
                   : "%s inside an expression that uses the variable elsewhere",
             what);
    return 0;
}

int ac_assign(ac_lower *cx, const ac_ref *to, const ac_value *v, ad_place place)
{
    if (!v->type) return 0;
    if (to->type->class == T_STRUCT) {
        if (v->type->class != T_STRUCT || !ac_same_type(to->type, v->type)) {
            ad_error(cx->d, place, NULL, "%s is assigned to %s", ac_a_type(cx->m, v->type), ac_a_type(cx->m, to->type));
            return 0;
        }
        return ac_copy_object(cx, to, &v->ref, place);
    }
    ad_node *target = ac_target(cx, to, place);
    if (!target) return 0;
    if (!ac_is_number(to->type)) {
        ad_error(cx->d, place, NULL, "%s cannot be assigned", ac_a_type(cx->m, to->type));
        return 0;
    }
    ac_emit(cx, ad_set(cx->m, target, ac_converted(cx, *v, to->type, place)));
    return 1;
}

static ac_value assign_pointer(ac_lower *cx, ac_expr *e)
{
    ac_entity *v = e->a->op == E_NAME ? e->a->entity : NULL;
    if (!v) {
        ad_error(cx->d, e->place, "an array and indices", "pointers inside arrays and structs are not followed");
        return ac_bad();
    }
    if (v->writes > 1 || e->op == E_INCREMENT || e->arith != AD_SET) {
        ad_error(cx->d, e->a->place, "a second pointer, or an index",
                 v->is_param ? "the pointer '%s' is a parameter and is changed" : "the pointer '%s' is assigned more than once",
                 v->name->text);
        return ac_bad();
    }
    if (cx->lazy) {
        ad_error(cx->d, e->a->place, "a statement of its own", "an assignment inside an expression that may not be evaluated");
        return ac_bad();
    }
    ac_value value = ac_rvalue(cx, e->b);
    if (!value.type) return ac_bad();
    if (value.type->class != T_POINTER) {
        ad_error(cx->d, e->place, NULL, "%s is assigned to a pointer", ac_a_type(cx->m, value.type));
        return ac_bad();
    }
    value = ac_point(cx, value, v->type, e->place);
    if (!value.type) return ac_bad();
    value.ref.index = ac_frozen(cx, value.ref.index, v->name->text);
    value.ref.base = ac_frozen(cx, value.ref.base, v->name->text);
    v->bound = ad_take(cx->m, sizeof *v->bound);
    *v->bound = value.ref;
    v->assigned_in = cx->block;
    return value;
}

/* The type of a target that is known to be a pointer without lowering it. */
static int is_pointer(ac_lower *cx, const ac_expr *e)
{
    const ac_type *t = ac_type_of(cx->m, e);
    return t && t->class == T_POINTER;
}

/* The value that was just assigned to an element, so that it need not be read back: f[0] = f[1] = e becomes value = e; f[1] =
 * value; f[0] = value. */
static ad_node *shared(ac_lower *cx, ac_type *t)
{
    ad_node *last = cx->block->kid[cx->block->kids - 1];
    if (last->value->op == AD_NUM || last->value->op == AD_NAME) return last->value;
    ad_node *e = last->value;
    cx->block->kids--;
    ad_node *value = ad_use(cx->m, ac_temporary(cx, "value", t, e));
    last->value = value;
    ad_append(cx->m, cx->block, last);
    return value;
}

/* a op= b as a statement; the reference is what was assigned. */
static int assignment(ac_lower *cx, ac_expr *e, ac_ref *to)
{
    if (e->arith == AD_SET) {
        if (e->b->op == E_ASSIGN && !is_pointer(cx, e->b->a)) { /* a = b = c */
            ac_ref from;
            if (!assignment(cx, e->b, &from)) return 0;
            const ad_node *last = cx->block->kids ? cx->block->kid[cx->block->kids - 1] : NULL;
            ac_value v = ac_load(cx, &from, e->place);
            if (v.type && v.type->class == T_DOUBLE && v.node->op == AD_ELEM && last && last->op == AD_SET &&
                last->target->sym == v.node->sym)
                v.node = shared(cx, v.type);
            if (!ac_lvalue(cx, e->a, to)) return 0;
            return ac_assign(cx, to, &v, e->a->place);
        }
        const ac_value v = ac_rvalue(cx, e->b);
        if (!ac_lvalue(cx, e->a, to)) return 0;
        return ac_assign(cx, to, &v, e->a->place);
    }
    const ac_value b = ac_rvalue(cx, e->b);
    if (!ac_lvalue(cx, e->a, to)) return 0;
    const ac_value a = ac_load(cx, to, e->a->place);
    if (!a.type || !b.type) return 0;
    ad_node *target = ac_target(cx, to, e->a->place);
    if (!target) return 0;
    if (ac_same_type(to->type, ac_double()) && ac_is_number(b.type) && (e->arith == AD_ADD || e->arith == AD_SUB)) {
        ad_node *by = ac_convert(cx, b, to->type, 0);
        if (!ad_uses(by, target->sym)) {
            if (e->arith == AD_SUB) by = ad_new(cx->m, AD_NEG, AD_DOUBLE, 1, by);
            ac_emit(cx, ad_inc(cx->m, target, by));
            return 1;
        }
    }
    const ac_value r = ac_binary(cx, e->arith, a, b, e->place);
    return ac_assign(cx, to, &r, e->place);
}

static int increment(ac_lower *cx, ac_expr *e, ac_ref *to)
{
    if (!ac_lvalue(cx, e->a, to)) return 0;
    const ac_value old = ac_load(cx, to, e->place);
    if (!old.type) return 0;
    const ac_value one = ac_of(ac_int(AC_INT), ad_whole(cx->m, 1));
    if (ac_same_type(to->type, ac_double())) {
        ad_node *target = ac_target(cx, to, e->place);
        if (target) ac_emit(cx, ad_inc(cx->m, target, ad_num(cx->m, (double)e->number)));
        return target != NULL;
    }
    const ac_value v = ac_binary(cx, e->number > 0 ? AD_ADD : AD_SUB, old, one, e->place);
    return ac_assign(cx, to, &v, e->place);
}

/* An assignment, ++ or -- whose value is used. */
static ac_value nested(ac_lower *cx, ac_expr *e)
{
    ac_ref to;
    if (is_pointer(cx, e->a)) return assign_pointer(cx, e);
    if (!harmless(cx, e, e->op == E_ASSIGN ? "an assignment" : e->number > 0 ? "'++'" : "'--'")) return ac_bad();
    if (e->op == E_INCREMENT && e->postfix) {
        if (!ac_lvalue(cx, e->a, &to)) return ac_bad();
        const ac_value old = ac_load(cx, &to, e->place);
        ad_node *block = cx->block;
        if (!cx->after) cx->after = ad_block(cx->m);
        cx->block = cx->after;
        increment(cx, e, &to);
        cx->block = block;
        return old;
    }
    const int good = e->op == E_ASSIGN ? assignment(cx, e, &to) : increment(cx, e, &to);
    return good ? ac_load(cx, &to, e->place) : ac_bad();
}

static void run_after(ac_lower *cx)
{
    for (int i = 0; cx->after && i < cx->after->kids; i++) ac_emit(cx, cx->after->kid[i]);
}

ac_value ac_full(ac_lower *cx, ac_expr *e)
{
    ac_expr *outer = cx->whole;
    ad_node *outer_after = cx->after;
    cx->whole = e;
    cx->after = NULL;
    ac_value v = ac_rvalue(cx, e);
    if (cx->after && v.type && ac_is_number(v.type)) v.node = ad_use(cx->m, ac_temporary(cx, "before", v.type, v.node));
    run_after(cx);
    cx->after = outer_after;
    cx->whole = outer;
    return v;
}

ad_node *ac_full_truth(ac_lower *cx, ac_expr *e)
{
    ac_constant k;
    if (ac_evaluate(cx->m, e, &k)) return ad_whole(cx->m, k.is_double ? k.real != 0 : k.whole != 0);
    return truth_of(cx, ac_full(cx, e), e->place);
}

void ac_effect(ac_lower *cx, ac_expr *e)
{
    ac_ref to;
    ac_expr *outer = cx->whole;
    ad_node *outer_after = cx->after;
    if (e->op == E_COMMA) {
        ac_effect(cx, e->a);
        ac_effect(cx, e->b);
        return;
    }
    cx->whole = e;
    cx->after = NULL;
    if (e->op == E_CAST && e->type->class == T_VOID) e = e->a;
    if ((e->op == E_ASSIGN || e->op == E_INCREMENT) && is_pointer(cx, e->a)) assign_pointer(cx, e);
    else if (e->op == E_ASSIGN) assignment(cx, e, &to);
    else if (e->op == E_INCREMENT) increment(cx, e, &to);
    else if (e->op == E_CALL) ac_call(cx, e, 1);
    else if (e->op == E_NAME && e->entity->sort == N_VARIABLE) (void)0; /* (void)x; */
    else ac_rvalue(cx, e);
    run_after(cx);
    cx->after = outer_after;
    cx->whole = outer;
}

/* ---- operators ------------------------------------------------------------------------------------------------------------- */

static ac_value unary(ac_lower *cx, ac_expr *e)
{
    if (e->op == E_NOT) {
        ad_node *n = ac_truth(cx, e->a);
        return ac_of(ac_int(AC_INT), ad_new(cx->m, AD_NOT, AD_INT, 1, n));
    }
    ac_value v = ac_rvalue(cx, e->a);
    if (!v.type) return v;
    if (!ac_is_number(v.type) || (e->op == E_BITNOT && v.type->class != T_INT)) {
        ad_error(cx->d, e->place, NULL, "'%s' is applied to %s",
                 e->op == E_NEGATE ? "-"
                 : e->op == E_PLUS ? "+"
                                   : "~",
                 ac_a_type(cx->m, v.type));
        return ac_bad();
    }
    ac_type *t = ac_promote(v.type);
    if (e->op == E_PLUS) return ac_of(t, v.node);
    int64_t k;
    if (e->op == E_NEGATE && ac_whole_of(v.node, &k) && !v.node->text && k > INT32_MIN) return ac_of(t, ad_whole(cx->m, -k));
    return ac_of(t, ad_new(cx->m, e->op == E_NEGATE ? AD_NEG : AD_BITNOT, t->class == T_DOUBLE ? AD_DOUBLE : AD_INT, 1, v.node));
}

/* a + b + c ...: the chain is walked from its left end. */
static ac_value chain(ac_lower *cx, ac_expr *e)
{
    int n = 0;
    for (ac_expr *k = e; k->op == E_BINARY; k = k->a) n++;
    ac_expr **link = ad_take(cx->m, (size_t)n * sizeof *link), *left = e;
    for (int i = n - 1; i >= 0; i--, left = left->a) link[i] = left;
    ac_value v = ac_rvalue(cx, left);
    for (int i = 0; i < n; i++) {
        const ac_value b = ac_rvalue(cx, link[i]->b);
        v = ac_binary(cx, link[i]->arith, v, b, link[i]->place);
        if (!v.type) { /* the rest is still looked at for errors */
            for (i++; i < n; i++) ac_rvalue(cx, link[i]->b);
            break;
        }
        if (i % LONG_CHAIN == LONG_CHAIN - 1 && i + 1 < n && ac_is_number(v.type))
            v.node = ad_use(cx->m, ac_temporary(cx, "part", v.type, v.node));
    }
    return v;
}

/* An operand that C may not evaluate: its statements, if it needs any, go to a block of its own. */
static ac_value lazily(ac_lower *cx, ac_expr *e, ad_node **block)
{
    ad_node *outer = cx->block;
    cx->block = *block = ad_block(cx->m);
    cx->lazy++;
    const ac_value v = ac_rvalue(cx, e);
    cx->lazy--;
    cx->block = outer;
    return v;
}

static void set_in(ac_lower *cx, ad_node *block, ad_sym *s, ad_node *value)
{
    ad_node *outer = cx->block;
    cx->block = block;
    ac_emit(cx, ad_set(cx->m, ad_use(cx->m, s), value));
    cx->block = outer;
}

static ac_value logical(ac_lower *cx, ac_expr *e)
{
    int64_t k;
    ad_node *block, *a = ac_truth(cx, e->a);
    if (ac_whole_of(a, &k) && !k == (e->op == E_AND)) return ac_of(ac_int(AC_INT), ad_whole(cx->m, e->op == E_OR));
    const ac_value v = lazily(cx, e->b, &block);
    ad_node *b = truth_of(cx, v, e->b->place);
    ac_type *t = ac_int(AC_INT);
    if (ac_whole_of(a, &k) && !block->kids) return ac_of(t, ac_convert(cx, ac_of(t, b), ac_int(AC_BOOL), 0));
    if (!block->kids) return ac_of(t, ad_new(cx->m, e->op == E_AND ? AD_AND : AD_OR, AD_INT, 2, a, b));
    ad_sym *s = ac_temporary(cx, e->op == E_AND ? "both" : "either", t, ac_convert(cx, ac_of(t, a), ac_int(AC_BOOL), 0));
    set_in(cx, block, s, ac_convert(cx, ac_of(t, b), ac_int(AC_BOOL), 0));
    ad_node *test = e->op == E_AND ? ad_use(cx->m, s) : ad_new(cx->m, AD_NOT, AD_INT, 1, ad_use(cx->m, s));
    ac_emit(cx, ad_if(cx->m, test, block, NULL));
    return ac_of(t, ad_use(cx->m, s));
}

static ac_value condition(ac_lower *cx, ac_expr *e)
{
    int64_t k;
    ad_node *yes, *no, *test = ac_truth(cx, e->a);
    if (ac_whole_of(test, &k)) { /* the other choice is not looked at: i > 0 ? y[i - 1] : 0 */
        const ac_value v = ac_rvalue(cx, k ? e->b : e->c);
        ac_type *t = ac_type_of(cx->m, e);
        return v.type && t && ac_is_number(v.type) && ac_is_number(t) ? ac_of(t, ac_convert(cx, v, t, 0)) : v;
    }
    ac_value b = lazily(cx, e->b, &yes), c = lazily(cx, e->c, &no);
    if (!b.type || !c.type) return ac_bad();
    if (b.type->class == T_VOID && c.type->class == T_VOID) {
        if (yes->kids || no->kids) ac_emit(cx, ad_if(cx->m, test, yes, no->kids ? no : NULL));
        return b;
    }
    if (!ac_is_number(b.type) || !ac_is_number(c.type)) {
        ad_error(cx->d, e->place, "if/else around the statements that use it",
                 "'?:' chooses between %s and %s: only numbers can be chosen", ac_a_type(cx->m, b.type),
                 ac_a_type(cx->m, c.type));
        return ac_bad();
    }
    ac_type *t = ac_arith_types(cx, &b, &c);
    const ad_type type = t->class == T_DOUBLE ? AD_DOUBLE : AD_INT;
    if (!yes->kids && !no->kids) {
        ad_node *n = ad_new(cx->m, AD_COND, type, 3, test, b.node, c.node);
        n->place = e->place;
        return ac_of(t, n);
    }
    ad_sym *s = ac_symbol(cx, "chosen", t, AD_LOCAL);
    ac_emit(cx, ad_decl(cx->m, s));
    set_in(cx, yes, s, b.node);
    set_in(cx, no, s, c.node);
    ac_emit(cx, ad_if(cx->m, test, yes, no));
    return ac_of(t, ad_use(cx->m, s));
}

static ac_value cast(ac_lower *cx, ac_expr *e)
{
    ac_value v = ac_rvalue(cx, e->a);
    ac_type *to = e->type;
    if (!v.type) return v;
    if (to->class == T_VOID) return ac_of(to, NULL);
    if (to->class == T_POINTER && v.type->class == T_POINTER) return ac_point(cx, v, to, e->place);
    if (to->class == T_REFUSED) {
        ad_error(cx->d, e->place, "double", "a conversion to %s is not differentiated", to->text);
        return ac_bad();
    }
    if (to->class == T_POINTER && v.type->class == T_INT) {
        ad_error(cx->d, e->place, "an array", "a pointer is made of a number");
        return ac_bad();
    }
    if (!ac_is_number(to) || !ac_is_number(v.type)) {
        ad_error(cx->d, e->place, NULL, "%s cannot be made of %s here", ac_a_type(cx->m, to), ac_a_type(cx->m, v.type));
        return ac_bad();
    }
    return ac_of(to, ac_convert(cx, v, to, 1));
}

static ac_value address(ac_lower *cx, ac_expr *e)
{
    ac_ref r;
    if (e->a->op == E_NAME && e->a->entity->sort == N_VARIABLE && e->a->entity->type->class == T_POINTER) {
        ad_error(cx->d, e->place, "the pointer itself", "the address of a pointer is taken");
        return ac_bad();
    }
    if (e->a->op == E_NAME && e->a->entity->counter) {
        ad_error(cx->d, e->place, "a copy of it", "the address of '%s' is taken, which counts a loop", e->a->name->text);
        return ac_bad();
    }
    if (!ac_lvalue(cx, e->a, &r)) return ac_bad();
    return (ac_value){.type = ac_pointer(cx->m, r.type), .ref = r};
}

static ac_value size_of(ac_lower *cx, ac_expr *e)
{
    ac_constant k;
    if (ac_evaluate(cx->m, e, &k)) return whole(cx, k.whole, ac_int(AC_SIZE));
    ad_error(cx->d, e->place, NULL, "this size is not a constant");
    return ac_bad();
}

static ac_value floating(ac_lower *cx, ac_expr *e)
{
    ad_node *n = ad_num(cx->m, e->value);
    n->text = e->text;
    return ac_of(e->type, n);
}

ac_value ac_rvalue(ac_lower *cx, ac_expr *e)
{
    ac_ref r;
    switch (e->op) {
    case E_INTEGER: return whole(cx, e->number, e->type);
    case E_FLOATING: return floating(cx, e);
    case E_STRING: ad_error(cx->d, e->place, NULL, "strings are not differentiated"); return ac_bad();
    case E_NAME: return name(cx, e);
    case E_UNKNOWN: return unknown(cx, e);
    case E_CALL: return ac_call(cx, e, 0);
    case E_INDEX:
    case E_MEMBER:
    case E_ARROW:
    case E_DEREF:
    case E_LITERAL: return ac_lvalue(cx, e, &r) ? ac_load(cx, &r, e->place) : ac_bad();
    case E_ADDRESS: return address(cx, e);
    case E_NEGATE:
    case E_PLUS:
    case E_NOT:
    case E_BITNOT: return unary(cx, e);
    case E_INCREMENT:
    case E_ASSIGN: return nested(cx, e);
    case E_CAST: return cast(cx, e);
    case E_SIZEOF: return size_of(cx, e);
    case E_BINARY: return chain(cx, e);
    case E_AND:
    case E_OR: return logical(cx, e);
    case E_CONDITION: return condition(cx, e);
    case E_COMMA: ac_effect(cx, e->a); return ac_rvalue(cx, e->b);
    }
    return ac_bad();
}
