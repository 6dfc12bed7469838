/* lower_call.c - calls. A helper is inlined: its parameters become symbols (or stand for the argument, when that is a constant
 * or an index), its pointers references into the caller's arrays, its return value an expression or a symbol. */
#include "front/lower.h"

#include <string.h>

enum {
    SMALL = 12,         /* nodes of an index that a parameter may stand for */
    CALLS_MAX = 200000, /* calls that are inlined into one function */
    HIGH = 100
}; /* an expression that is nested deeper is kept in a symbol when it is returned */

static int nodes(const ad_node *n)
{
    int count = 1;
    for (int i = 0; i < n->kids && count <= SMALL; i++) count += nodes(n->kid[i]);
    return count;
}

static int height(const ad_node *n, int most)
{
    int h = 0;
    for (int i = 0; i < n->kids && h < most; i++) {
        const int k = 1 + height(n->kid[i], most - 1);
        if (k > h) h = k;
    }
    return h;
}

/* An argument that the parameter can stand for, because neither changes. */
static int can_stand_for(const ac_lower *cx, const ac_entity *param, const ad_node *n, int is_pure)
{
    if (param->writes > 1) return 0;
    if (n->op == AD_WHOLE || n->op == AD_NUM || (is_pure && n->op == AD_NAME)) return 1;
    if (n->type == AD_DOUBLE && n->op != AD_NAME && n->op != AD_ELEM) return 0;
    return ac_stable(cx, n) && nodes(n) <= SMALL;
}

static int bind_number(ac_lower *cx, ac_entity *param, ac_value v, int is_pure, ad_place place)
{
    if (!ac_is_number(v.type)) {
        ad_error(cx->d, place, NULL, "the parameter '%s' is a number, the argument is %s", param->name ? param->name->text : "?",
                 ac_a_type(cx->m, v.type));
        return 0;
    }
    ad_node *n = ac_convert(cx, v, param->type, 0);
    ac_ref *r = ad_take(cx->m, sizeof *r);
    *r = (ac_ref){.type = param->type, .entity = param};
    if (can_stand_for(cx, param, n, is_pure)) {
        r->where = R_VALUE;
        r->value = n;
    } else {
        ad_sym *s = ac_temporary(cx, param->name ? param->name->text : "unused", param->type, n);
        s->user = param->name ? param->name->text : NULL;
        if (param->writes <= 1) ac_mark(cx, s, M_STABLE);
        r->leaf = ad_take(cx->m, sizeof *r->leaf);
        r->leaf[0] = s;
    }
    param->bound = r;
    return 1;
}

static int bind_struct(ac_lower *cx, ac_entity *param, ac_value v, ad_place place)
{
    ac_ref *r = ad_take(cx->m, sizeof *r);
    if (!ac_same_type(param->type, v.type)) {
        ad_error(cx->d, place, NULL, "the parameter '%s' is %s, the argument is %s", param->name ? param->name->text : "?",
                 ac_a_type(cx->m, param->type), ac_a_type(cx->m, v.type));
        return 0;
    }
    if (!ac_local_object(cx, param, r)) return 0;
    param->bound = r;
    return ac_copy_object(cx, r, &v.ref, place);
}

static int bind(ac_lower *cx, ac_entity *param, ac_value v, int is_pure, ad_place place)
{
    if (!v.type) return 0;
    if (param->type->class == T_REFUSED || (param->type->class == T_POINTER && param->type->of->class == T_FUNCTION)) {
        ad_error(cx->d, param->place, "double, or an integer", "a parameter of this type is not differentiated: %s",
                 param->type->class == T_POINTER ? "pointer to a function" : param->type->text);
        return 0;
    }
    if (ac_is_number(param->type)) return bind_number(cx, param, v, is_pure, place);
    if (param->type->class == T_STRUCT) return bind_struct(cx, param, v, place);
    if (v.type->class != T_POINTER) {
        ad_error(cx->d, place, NULL, "the parameter '%s' is a pointer, the argument is %s", param->name ? param->name->text : "?",
                 ac_a_type(cx->m, v.type));
        return 0;
    }
    if (!ac_fix_type(cx, param->type, place)) return 0;
    v = ac_point(cx, v, param->type, place);
    if (!v.type) return 0;
    v.ref.index = ac_frozen(cx, v.ref.index, param->name ? param->name->text : "from");
    v.ref.base = ac_frozen(cx, v.ref.base, param->name ? param->name->text : "from");
    param->bound = ad_take(cx->m, sizeof *param->bound);
    *param->bound = v.ref;
    return 1;
}

/* 1: the function's only return is its last statement. */
static int returns_at_end(const ac_stmt *body)
{
    for (const ac_stmt *s = body->first; s; s = s->next) {
        if (s->op == S_RETURN) return 1;
        if (s->exits & EXIT_RETURN) return 0;
    }
    return 1;
}

static ac_value run_body(ac_lower *cx, ac_entity *f, ad_place place)
{
    ac_type *type = f->type->of;
    ac_frame frame = {.function = f, .outer = cx->frame};
    ac_value value = {.type = ac_void()};
    ac_ref result = {0};
    ac_loop *loop = cx->loop;
    if (returns_at_end(f->body)) {
        frame.value = &value;
    } else {
        frame.done = ac_symbol(cx, ad_text(cx->m, "%s_done", f->name->text), ac_int(AC_INT), AD_LOCAL);
        ac_mark(cx, frame.done, M_FLAG);
        ac_emit(cx, ad_decl(cx->m, frame.done));
        ac_emit(cx, ad_set(cx->m, ad_use(cx->m, frame.done), ad_whole(cx->m, 0)));
        if (type->class != T_VOID) {
            ac_entity *v = ad_take(cx->m, sizeof *v);
            *v = (ac_entity){.sort = N_VARIABLE, .type = type, .place = place, .name = f->name};
            if (type->class == T_POINTER) {
                ad_error(cx->d, f->place, "one return at the end", "'%s' returns a pointer in several places", f->name->text);
                return ac_bad();
            }
            if (!ac_local_object(cx, v, &result)) return ac_bad();
            frame.result = &result;
        }
    }
    const ad_place outer_place = cx->place;
    const int outer_lazy = cx->lazy;
    ac_expr *outer_whole = cx->whole;
    ad_node *outer_after = cx->after;
    cx->after = NULL;
    cx->lazy = 0;
    cx->frame = &frame;
    cx->loop = NULL;
    ac_statements(cx, f->body->first);
    cx->frame = frame.outer;
    cx->loop = loop;
    cx->place = outer_place;
    cx->lazy = outer_lazy;
    cx->whole = outer_whole;
    cx->after = outer_after;
    if (type->class == T_VOID) return ac_of(ac_void(), NULL);
    if (frame.value) {
        if (value.node && value.type && ac_is_number(value.type) && height(value.node, HIGH) >= HIGH)
            value.node = ad_use(cx->m, ac_temporary(cx, f->name->text, type, value.node));
        if (!value.type || value.type->class != T_VOID) return value;
        ad_error(cx->d, f->place, "a return statement", "'%s' ends without returning a value", f->name->text);
        return ac_bad();
    }
    return ac_load(cx, &result, place);
}

static ac_value inlined(ac_lower *cx, ac_expr *e, ac_entity *f)
{
    if (f->active) {
        ad_error(cx->d, e->place, "a for loop", "'%s' calls itself: recursion is not differentiated", f->name->text);
        return ac_bad();
    }
    if (f->type->variadic) {
        ad_error(cx->d, e->place, "an array", "'%s' takes a variable number of arguments", f->name->text);
        return ac_bad();
    }
    if (e->args != f->type->params) {
        ad_error(cx->d, e->place, NULL, "'%s' takes %d argument%s, not %d", f->name->text, f->type->params,
                 f->type->params == 1 ? "" : "s", e->args);
        return ac_bad();
    }
    if (f->type->of->class == T_REFUSED) {
        ad_error(cx->d, f->place, "double", "'%s' returns a type that is not differentiated: %s", f->name->text,
                 f->type->of->text);
        return ac_bad();
    }
    if (!ac_body(cx->u, f)) return ac_bad();
    ac_value *v = ad_take(cx->m, ((size_t)e->args + 1) * sizeof *v);
    int i = 0, good = 1;
    for (ac_expr *k = e->arg; k; k = k->next, i++) v[i] = ac_rvalue(cx, k);
    int is_pure = 1; /* the helper changes none of the caller's variables */
    for (const ac_entity *k = f->type->param; k; k = k->next) is_pure &= k->type->class != T_POINTER || k->type->of->is_const;
    i = 0;
    ac_entity *param = f->type->param;
    for (ac_expr *k = e->arg; k; k = k->next, param = param->next, i++) good &= bind(cx, param, v[i], is_pure, k->place);
    if (!good) return ac_bad();
    if (++cx->calls > CALLS_MAX) {
        ad_error(cx->d, e->place, "loops instead of repeated calls", "more than %d calls are to be inlined", CALLS_MAX);
        longjmp(*cx->give_up, 1);
    }
    if (++cx->depth > AC_DEEP / 4) {
        ad_error(cx->d, e->place, NULL, "calls are nested more than %d deep", AC_DEEP / 4);
        cx->depth--;
        return ac_bad();
    }
    f->active = 1;
    const ac_value result = run_body(cx, f, e->place);
    f->active = 0;
    cx->depth--;
    return result;
}

ac_value ac_call(ac_lower *cx, ac_expr *e, int as_statement)
{
    ac_value v = ac_bad();
    while (e->a->op == E_DEREF) e->a = e->a->a;
    if (e->a->op != E_NAME && e->a->op != E_UNKNOWN) {
        ad_error(cx->d, e->place, "a call of the function by its name", "a function is called through a pointer");
        return v;
    }
    const char *name = e->name->text;
    ac_entity *f = e->a->op == E_NAME ? e->a->entity : NULL;
    if (f && f->sort != N_FUNCTION) {
        if (!f->reported)
            ad_error(cx->d, e->place, "a call of the function by its name",
                     f->type->class == T_POINTER && f->type->of->class == T_FUNCTION ? "'%s' is a pointer to a function"
                                                                                     : "'%s' is not a function",
                     name);
        return v;
    }
    if (f && f->body_from) return inlined(cx, e, f);
    if (ac_library(cx, e, name, as_statement, &v)) return v;
    const char *near = ac_nearest(cx, name);
    const char *advice = near ? ad_text(cx->m, "'%s', or a definition of '%s' in this file", near, name)
                              : ad_text(cx->m, "a definition of '%s' in this file", name);
    ad_error(cx->d, e->place, advice, "'%s' has neither a definition in this file nor a derivative", name);
    return v;
}
