/* lower_ref.c - objects: which symbol, which element. See lower.h for what a reference is. */
#include "front/lower.h"

#include <string.h>

/* ---- shapes ---------------------------------------------------------------------------------------------------------------- */

int ac_leaves(const ac_type *t)
{
    while (t->class == T_ARRAY) t = t->of;
    if (t->class != T_STRUCT) return 1;
    int n = 0;
    for (const ac_member *k = t->member; k && n < 100000; k = k->next) n += ac_leaves(k->type);
    return n;
}

ad_node *ac_length(ac_lower *cx, const ac_type *t)
{
    if (t->count >= 0) return ad_whole(cx->m, t->count);
    return t->length ? t->length : ad_whole(cx->m, 1);
}

ad_node *ac_scalars(ac_lower *cx, const ac_type *t)
{
    ad_node *n = ad_whole(cx->m, 1);
    for (; t->class == T_ARRAY; t = t->of) n = ac_int_op(cx, AD_MUL, n, ac_length(cx, t));
    return t->class == T_STRUCT ? ac_int_op(cx, AD_MUL, n, ad_whole(cx->m, t->size / ac_double()->size)) : n;
}

const char *ac_ref_name(ac_lower *cx, const ac_ref *r)
{
    if (r->entity && r->entity->name) return r->entity->name->text;
    if (r->where == R_LEAVES && r->leaf && r->leaf[0]->user) return r->leaf[0]->user; /* no leaf: the value of an expression */
    return r->where == R_RAW ? ad_text(cx->m, "%s", "the user's data") : "this";
}

/* ---- moving about ---------------------------------------------------------------------------------------------------------- */

/* An index with a sign, next to one without: C would convert it silently. */
static ad_node *with_sign(ac_lower *cx, ad_node *n, const ad_node *other)
{
    if (n->op == AD_WHOLE || other->op == AD_WHOLE || !ac_node_type(n)->is_unsigned || ac_node_type(other)->is_unsigned) return n;
    ad_node *c = ad_new(cx->m, AD_TO_INT, AD_INT, 1, n);
    c->text = "long";
    return c;
}

static ad_node *sum(ac_lower *cx, ad_node *a, ad_node *b)
{
    if (!a || !b) return a ? a : b;
    ad_node *first = a;
    a = with_sign(cx, a, b);
    b = with_sign(cx, b, first);
    if (b->op == AD_NEG) return ac_int_op(cx, AD_SUB, a, b->a);
    return ac_int_op(cx, AD_ADD, a, b);
}

static ac_ref raw_text(ac_lower *cx, const ac_ref *r, const char *text, ad_node *extra)
{
    ac_ref out = *r;
    out.text = text;
    out.index = NULL;
    if (extra) {
        out.kid = ad_take(cx->m, ((size_t)r->kids + 1) * sizeof *out.kid);
        if (r->kids) memcpy(out.kid, r->kid, (size_t)r->kids * sizeof *out.kid);
        out.kid[out.kids++] = extra;
    }
    return out;
}

/* The same object, as text that names it. */
static ac_ref raw_object(ac_lower *cx, const ac_ref *r)
{
    if (r->is_object) return *r;
    ac_ref out = raw_text(cx, r, ad_text(cx->m, r->index ? "%s[%%]" : "(*%s)", r->text), r->index);
    out.is_object = 1;
    return out;
}

ac_ref ac_move(ac_lower *cx, const ac_ref *r, ad_node *by)
{
    ac_ref out = *r;
    if (r->where == R_RAW && r->is_object) {
        out = raw_text(cx, r, ad_text(cx->m, "(&%s)", r->text), NULL);
        out.is_object = 0;
    }
    out.index = sum(cx, out.index, by);
    return out;
}

ac_ref ac_decay(ac_lower *cx, const ac_ref *r)
{
    ac_ref out = *r;
    if (r->where == R_RAW) {
        out = raw_object(cx, r);
        out.is_object = 0;
    } else if (r->index) {
        out.index = ac_int_op(cx, AD_MUL, r->index, ac_length(cx, r->type));
    }
    out.type = r->type->of;
    if (r->type->is_const && !out.type->is_const) {
        ac_type *t = ad_take(cx->m, sizeof *t);
        *t = *out.type;
        t->is_const = 1;
        out.type = t;
    }
    return out;
}

ac_ref ac_element(ac_lower *cx, const ac_ref *array, ad_node *index, ad_place place)
{
    int64_t k;
    if (ac_whole_of(index, &k) && array->type->count >= 0 && (k < 0 || k >= array->type->count)) {
        ad_error(cx->d, place, NULL, "index %lld is out of range: '%s' has %lld element%s here", (long long)k,
                 ac_ref_name(cx, array), (long long)array->type->count, array->type->count == 1 ? "" : "s");
    }
    const ac_ref first = ac_decay(cx, array);
    return ac_move(cx, &first, index);
}

int ac_member_ref(ac_lower *cx, const ac_ref *object, ac_name *name, ad_place place, ac_ref *out)
{
    ac_type *t = object->type;
    if (t->class != T_STRUCT) {
        ad_error(cx->d, place, NULL, "'%s' is not a member: '%s' is not a struct", name->text, ac_ref_name(cx, object));
        return 0;
    }
    int skipped = 0;
    const ac_member *k = t->member;
    for (; k && k->name != name; k = k->next) skipped += ac_leaves(k->type);
    if (!k) {
        ad_error(cx->d, place, NULL, "the struct has no member '%s'", name->text);
        return 0;
    }
    *out = *object;
    if (object->where == R_RAW) {
        if (object->is_object) *out = raw_text(cx, object, ad_text(cx->m, "%s.%s", object->text, name->text), NULL);
        else
            *out = raw_text(cx, object, ad_text(cx->m, object->index ? "%s[%%].%s" : "%s->%s", object->text, name->text),
                            object->index);
        out->is_object = 1;
    } else if (object->is_flat) {
        out->base = sum(cx, out->base, object->index ? ac_int_op(cx, AD_MUL, object->index, ac_scalars(cx, t)) : NULL);
        if (k->offset) out->base = sum(cx, out->base, ad_whole(cx->m, k->offset / ac_double()->size));
        out->index = NULL;
    } else {
        out->leaf += skipped;
    }
    out->type = k->type;
    return 1;
}

/* ---- lvalues --------------------------------------------------------------------------------------------------------------- */

static int variable(ac_lower *cx, ac_expr *e, ac_ref *out)
{
    ac_entity *v = e->entity;
    if (v->sort != N_VARIABLE) {
        ad_error(cx->d, e->place, NULL, "'%s' is not a variable", e->name->text);
        return 0;
    }
    if (v->counter) {
        ad_error(cx->d, e->place, "another variable, or `continue` to skip a pass", "'%s' counts a loop and is changed inside it",
                 e->name->text);
        return 0;
    }
    if (!v->bound && v->is_global && !ac_constant_object(cx, v, out)) return 0;
    if (!v->bound) {
        if (!v->reported && ad_diag_count(cx->d) == 0)
            ad_error(cx->d, e->place, NULL, "'%s' is used before it has a value", e->name->text);
        return 0;
    }
    if (v->assigned_in && v->assigned_in->closed) {
        ad_error(cx->d, e->place, "a pointer that is declared where it is assigned",
                 "the pointer '%s' is used outside the block it was assigned in", e->name->text);
        return 0;
    }
    *out = *v->bound;
    return 1;
}

static int indexed(ac_lower *cx, ac_expr *e, ac_ref *out)
{
    ac_value base = ac_rvalue(cx, e->a), index = ac_rvalue(cx, e->b);
    if (!base.type || !index.type) return 0;
    if (base.type->class == T_INT && index.type->class == T_POINTER) { /* 3[a] */
        const ac_value other = base;
        base = index;
        index = other;
    }
    if (base.type->class != T_POINTER) {
        ad_error(cx->d, e->place, NULL, "%s has no elements", ac_a_type(cx->m, base.type));
        return 0;
    }
    if (index.type->class != T_INT) {
        ad_error(cx->d, e->b->place, "(int) in front of it", "an index is an integer, not %s", ac_a_type(cx->m, index.type));
        return 0;
    }
    int64_t k;
    ac_ref array;
    const int direct = e->a->op == E_NAME || e->a->op == E_INDEX || e->a->op == E_MEMBER || e->a->op == E_ARROW;
    const ac_type *written = direct ? ac_type_of(cx->m, e->a) : NULL;
    if (written && written->class == T_ARRAY && written->count >= 0 && ac_whole_of(index.node, &k) &&
        (k < 0 || k >= written->count)) {
        array = base.ref;
        ad_error(cx->d, e->place, NULL, "index %lld is out of range: '%s' has %lld element%s here", (long long)k,
                 ac_ref_name(cx, &array), (long long)written->count, written->count == 1 ? "" : "s");
        return 0;
    }
    *out = ac_move(cx, &base.ref, index.node);
    return 1;
}

static int literal(ac_lower *cx, ac_expr *e, ac_ref *out)
{
    ac_entity *v = ad_take(cx->m, sizeof *v);
    *v = (ac_entity){.sort = N_VARIABLE, .type = e->type, .place = e->place};
    v->init = e->init;
    if (!ac_fix_type(cx, e->type, e->place) || !ac_local_object(cx, v, out)) return 0;
    ac_initialize(cx, out, e->init);
    return 1;
}

int ac_lvalue(ac_lower *cx, ac_expr *e, ac_ref *out)
{
    switch (e->op) {
    case E_NAME: return variable(cx, e, out);
    case E_INDEX: return indexed(cx, e, out);
    case E_LITERAL: return literal(cx, e, out);
    case E_DEREF: {
        const ac_value v = ac_rvalue(cx, e->a);
        if (!v.type) return 0;
        if (v.type->class != T_POINTER) {
            ad_error(cx->d, e->place, NULL, "'*' is applied to %s, not to a pointer", ac_a_type(cx->m, v.type));
            return 0;
        }
        *out = v.ref;
        return 1;
    }
    case E_MEMBER: {
        ac_ref object;
        if (e->a->op == E_CALL) {
            const ac_value v = ac_rvalue(cx, e->a);
            if (!v.type) return 0;
            object = v.ref;
            object.type = v.type;
        } else if (!ac_lvalue(cx, e->a, &object)) {
            return 0;
        }
        return ac_member_ref(cx, &object, e->name, e->place, out);
    }
    case E_ARROW: {
        const ac_value v = ac_rvalue(cx, e->a);
        if (!v.type) return 0;
        if (v.type->class != T_POINTER) {
            ad_error(cx->d, e->place, NULL, "'->' is applied to %s, not to a pointer", ac_a_type(cx->m, v.type));
            return 0;
        }
        return ac_member_ref(cx, &v.ref, e->name, e->place, out);
    }
    case E_UNKNOWN: ac_rvalue(cx, e); return 0;
    default: ad_error(cx->d, e->place, NULL, "a variable is expected here"); return 0;
    }
}

/* ---- reading and writing --------------------------------------------------------------------------------------------------- */

/* The number of the element of the leaf's array that r stands for. */
static ad_node *element_number(ac_lower *cx, const ac_ref *r)
{
    ad_node *n = sum(cx, r->base, r->index);
    return n ? n : ad_whole(cx->m, 0);
}

static ad_node *symbol_node(ac_lower *cx, const ac_ref *r, ad_place place)
{
    ad_sym *s = r->leaf[0];
    ad_node *n = element_number(cx, r);
    int64_t k, most;
    const int constant = ac_whole_of(n, &k);
    if (!s->array) {
        ad_node *name = ad_use(cx->m, s);
        name->place = place;
        if (constant && k == 0) return name;
        ad_error(cx->d, place, NULL, "'%s' is one number: it has no other elements", ac_ref_name(cx, r));
        return NULL;
    }
    if (constant && (k < 0 || (s->extent && ac_whole_of(s->extent, &most) && k >= most))) {
        if (k < 0) ad_error(cx->d, place, NULL, "index %lld of '%s' is negative", (long long)k, s->user ? s->user : s->name);
        else
            ad_error(cx->d, place, NULL, "index %lld is out of range: '%s' has %lld element%s", (long long)k,
                     s->user ? s->user : s->name, (long long)most, most == 1 ? "" : "s");
        return NULL;
    }
    ad_node *element = ad_elem(cx->m, s, n);
    element->place = place;
    return element;
}

static int usable(ac_lower *cx, const ac_type *t, ad_place place, const char *name)
{
    if (t->class != T_REFUSED) return 1;
    if (strcmp(t->text, "long double") == 0)
        ad_error(cx->d, place, "double", "'%s' is %s: only double is differentiated", name, t->text);
    else ad_error(cx->d, place, NULL, "'%s' is of a type that is not differentiated: %s", name, t->text);
    return 0;
}

ac_value ac_load(ac_lower *cx, const ac_ref *r, ad_place place)
{
    ac_type *t = r->type;
    if (!usable(cx, t, place, ac_ref_name(cx, r))) return ac_bad();
    if (r->where == R_VALUE) return ac_of(t, r->value);
    if (t->class == T_ARRAY) {
        const ac_ref first = ac_decay(cx, r);
        return (ac_value){.type = ac_pointer(cx->m, first.type), .ref = first};
    }
    if (t->class == T_STRUCT) return (ac_value){.type = t, .ref = *r};
    if (r->where == R_RAW) {
        ac_ref object = raw_object(cx, r);
        if (t->class == T_POINTER) {
            object.is_object = 0;
            object.type = t->of;
            return (ac_value){.type = t, .ref = object};
        }
        if (!ac_is_number(t)) {
            ad_error(cx->d, place, "a pointer to the struct that it is", "what '%s' points to is not known", ac_ref_name(cx, r));
            return ac_bad();
        }
        ad_node *n = ad_take(cx->m, sizeof *n);
        *n = (ad_node){.op = AD_RAW,
                       .type = t->class == T_DOUBLE ? AD_DOUBLE : AD_INT,
                       .text = ac_is_float(t) ? ad_text(cx->m, "((double)%s)", object.text) : object.text,
                       .kids = object.kids,
                       .kid = object.kid,
                       .place = place};
        cx->raw = 1;
        return ac_of(t, n);
    }
    if (!ac_is_number(t)) {
        ad_error(cx->d, place, NULL, "%s cannot be read here", ac_a_type(cx->m, t));
        return ac_bad();
    }
    ad_node *n = symbol_node(cx, r, place);
    return n ? ac_of(t, n) : ac_bad();
}

static int may_write(ac_lower *cx, const ac_ref *r, ad_place place)
{
    const char *name = ac_ref_name(cx, r);
    if (r->where == R_RAW) {
        ad_error(cx->d, place, "a local variable", "the user's data are written to: they may only be read");
        return 0;
    }
    const ad_sym *s = r->leaf[0];
    if (s->role == AD_CONST || r->type->is_const) {
        ad_error(cx->d, place, "a local variable", "'%s' is const and is written to", name);
        return 0;
    }
    if (s->role == AD_INPUT || s->role == AD_COUNTER) {
        ad_error(cx->d, place, "a local copy", "'%s' is an input of the function and is written to", s->user ? s->user : name);
        return 0;
    }
    return 1;
}

ad_node *ac_target(ac_lower *cx, const ac_ref *r, ad_place place)
{
    if (r->where == R_VALUE) {
        ad_error(cx->d, place, NULL, "a value is written to");
        return NULL;
    }
    if (!usable(cx, r->type, place, ac_ref_name(cx, r)) || !may_write(cx, r, place)) return NULL;
    return symbol_node(cx, r, place);
}

/* ---- pointers -------------------------------------------------------------------------------------------------------------- */

static const ac_type *element_of(const ac_type *t)
{
    while (t->class == T_ARRAY) t = t->of;
    return t;
}

/* 1: every scalar in the type is a double, so that the object is a stretch of an array of doubles. */
static int all_double(const ac_type *t)
{
    t = element_of(t);
    if (t->class != T_STRUCT) return t->class == T_DOUBLE && !ac_is_float(t);
    for (const ac_member *k = t->member; k; k = k->next) {
        if (!all_double(k->type)) return 0;
    }
    return t->complete && t->member;
}

/* 1: what r refers to can be seen as objects of another type: numbers in other groups. */
static int fits(const ac_ref *r, const ac_type *aim)
{
    if (!r->is_flat && element_of(r->type)->class == T_STRUCT) return 0; /* its members are kept apart */
    if (element_of(aim)->class == T_STRUCT) return all_double(aim) && all_double(r->type);
    return r->is_flat ? ac_same_type(element_of(aim), ac_double()) : ac_same_type(element_of(r->type), element_of(aim));
}

ac_value ac_point(ac_lower *cx, ac_value v, ac_type *to, ad_place place)
{
    ac_type *from = v.ref.type, *aim = to->of;
    if (v.ref.where == R_RAW) {
        if (!ac_same_type(from, aim)) {
            if (aim->class == T_STRUCT && !aim->text) {
                ad_error(cx->d, place, "a typedef for the struct", "the struct has no name that the generated code could use");
                return ac_bad();
            }
            if (aim->class != T_STRUCT && aim->class != T_DOUBLE && aim->class != T_INT && aim->class != T_VOID) {
                ad_error(cx->d, place, "a pointer to a struct, to double or to int", "the user's data are read through %s",
                         ac_a_type(cx->m, to));
                return ac_bad();
            }
            const ac_ref first = ac_move(cx, &v.ref, NULL);
            if (aim->class != T_VOID) {
                v.ref =
                    raw_text(cx, &first,
                             ad_text(cx->m, first.index ? "((const %s *)(%s + %%))" : "((const %s *)%s)", aim->text, first.text),
                             first.index);
                v.ref.is_object = 0;
            }
        }
    } else if (!ac_same_type(from, aim) && aim->class != T_VOID) {
        if (!fits(&v.ref, aim)) {
            ad_error(cx->d, place, "a pointer of the same type", "%s is used as %s", ac_a_type(cx->m, v.type),
                     ac_a_type(cx->m, to));
            return ac_bad();
        }
        if (!ac_fix_type(cx, aim, place)) return ac_bad();
        if (v.ref.index) v.ref.base = sum(cx, v.ref.base, ac_int_op(cx, AD_MUL, v.ref.index, ac_scalars(cx, from)));
        v.ref.index = NULL;
        v.ref.is_flat = element_of(aim)->class == T_STRUCT;
    }
    if (aim->class != T_VOID || v.ref.where == R_RAW) v.ref.type = aim;
    v.type = to;
    return v;
}
