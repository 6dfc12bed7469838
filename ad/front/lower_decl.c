/* lower_decl.c - variables: their symbols, copies of whole objects, tables of constants. */
#include "front/lower.h"

#include <string.h>

enum { FEW = 4, LEAVES_MAX = 10000 }; /* so many elements are copied one by one, more of them in a loop */

/* ---- sizes ----------------------------------------------------------------------------------------------------------------- */

int ac_fix_type(ac_lower *cx, ac_type *t, ad_place place)
{
    for (; t->class == T_ARRAY || t->class == T_POINTER; t = t->of) {
        if (t->class == T_POINTER || t->count >= 0 || !t->extent) continue;
        const ac_value v = ac_rvalue(cx, t->extent);
        if (!v.type) return 0;
        if (v.type->class != T_INT) {
            ad_error(cx->d, t->extent->place, NULL, "the size of an array is an integer");
            return 0;
        }
        t->length = ac_frozen(cx, v.node, "size");
    }
    (void)place;
    return 1;
}

/* ---- symbols of an object -------------------------------------------------------------------------------------------------- */

typedef struct making {
    ac_lower *cx;
    ad_sym **leaf;
    int count;
    ad_role role;
    ac_entity *entity;
} making;

static int make_leaves(making *k, ac_type *t, const char *name, ad_node *extent)
{
    ac_lower *cx = k->cx;
    for (; t->class == T_ARRAY; t = t->of) {
        if (t->count < 0 && !t->length) {
            ad_error(cx->d, k->entity->place, NULL, "the size of '%s' is not known", name);
            return 0;
        }
        extent = extent ? ac_int_op(cx, AD_MUL, extent, ac_length(cx, t)) : ac_length(cx, t);
    }
    if (t->class == T_STRUCT) {
        if (!t->complete) {
            ad_error(cx->d, k->entity->place, NULL, "the members of '%s' are not known", name);
            return 0;
        }
        for (const ac_member *m = t->member; m; m = m->next) {
            if (!m->name) {
                ad_error(cx->d, k->entity->place, "a name for the inner struct", "a struct inside the struct has no name");
                return 0;
            }
            if (!make_leaves(k, m->type, ad_text(cx->m, "%s_%s", name, m->name->text), extent)) return 0;
        }
        return 1;
    }
    if (!ac_is_number(t)) {
        const int pointer = t->class == T_POINTER;
        if (pointer && t->of->class == T_FUNCTION) {
            ad_error(cx->d, k->entity->place, "a call of the function by its name", "'%s' is a pointer to a function", name);
        } else if (pointer) {
            ad_error(cx->d, k->entity->place, "an array and indices", "'%s' holds pointers: they are not followed", name);
        } else {
            const char *const is = ac_type_text(cx->m, t);
            const char *advice = strcmp(is, "union") == 0       ? "a struct"
                                 : strcmp(is, "bit-field") == 0 ? "int"
                                 : t->class == T_REFUSED        ? "double"
                                                                : NULL;
            ad_error(cx->d, k->entity->place, advice, "'%s' is of a type that is not differentiated: %s", name, is);
        }
        return 0;
    }
    ad_sym *s = ac_symbol(cx, name, t, k->role);
    s->array = extent != NULL;
    s->extent = extent;
    s->user = name;
    s->place = k->entity->place;
    k->leaf[k->count++] = s;
    return 1;
}

static int make_object(ac_lower *cx, ac_entity *v, ad_role role, ac_ref *out)
{
    const int n = ac_leaves(v->type);
    if (n > LEAVES_MAX) {
        ad_error(cx->d, v->place, NULL, "this struct has more than %d members", LEAVES_MAX);
        return 0;
    }
    making k = {.cx = cx, .leaf = ad_take(cx->m, ((size_t)n + 1) * sizeof *k.leaf), .role = role, .entity = v};
    if (!make_leaves(&k, v->type, v->name ? v->name->text : "literal", NULL) || k.count == 0) {
        v->reported = 1;
        return 0;
    }
    *out = (ac_ref){.where = R_LEAVES, .type = v->type, .leaf = k.leaf, .entity = v->name ? v : NULL};
    return 1;
}

int ac_local_object(ac_lower *cx, ac_entity *v, ac_ref *out)
{
    if (!make_object(cx, v, AD_LOCAL, out)) return 0;
    const int n = ac_leaves(v->type);
    for (int i = 0; i < n; i++) {
        ac_emit(cx, ad_decl(cx->m, out->leaf[i]));
        if (v->writes <= 1 && v->stores == 0 && v->init && !out->leaf[i]->array) ac_mark(cx, out->leaf[i], M_STABLE);
    }
    if (v->type->is_const) {
        out->type = ad_take(cx->m, sizeof *out->type);
        *out->type = *v->type;
        out->type->is_const = 0;
    }
    return 1;
}

/* ---- whole objects --------------------------------------------------------------------------------------------------------- */

ad_sym *ac_begin_each(ac_lower *cx, ad_node *count, ad_node **outer)
{
    ad_sym *s = ac_symbol(cx, "i", ac_int(AC_INT), AD_COUNTER);
    ad_node *body = ad_block(cx->m);
    ac_emit(cx, ad_for(cx->m, s, ad_whole(cx->m, 0), count, 1, body));
    *outer = cx->block;
    cx->block = body;
    return s;
}

void ac_end_each(ac_lower *cx, ad_node *outer)
{
    cx->block = outer;
}

/* Does `one` for an object or for the elements of an array, in a loop if they are many. from is NULL for zeroing. */
static int every(ac_lower *cx, const ac_ref *to, const ac_ref *from, ad_place place)
{
    if (to->type->class == T_STRUCT) {
        for (const ac_member *k = to->type->member; k; k = k->next) {
            ac_ref a, b;
            if (!k->name || !ac_member_ref(cx, to, k->name, place, &a)) return 0;
            if (from && !ac_member_ref(cx, from, k->name, place, &b)) return 0;
            if (!every(cx, &a, from ? &b : NULL, place)) return 0;
        }
        return 1;
    }
    if (to->type->class != T_ARRAY) {
        ad_node *zero = to->type->class == T_DOUBLE ? ad_num(cx->m, 0) : ad_whole(cx->m, 0);
        const ac_value v = from ? ac_load(cx, from, place) : ac_of(to->type, zero);
        return ac_assign(cx, to, &v, place);
    }
    ad_node *outer = NULL, *length = ac_length(cx, to->type);
    const int few = to->type->count >= 0 && to->type->count <= FEW;
    ad_sym *s = few ? NULL : ac_begin_each(cx, length, &outer);
    int good = 1;
    for (int64_t i = 0; good && (few ? i < to->type->count : i < 1); i++) {
        ad_node *index = few ? ad_whole(cx->m, i) : ad_use(cx->m, s);
        const ac_ref a = ac_element(cx, to, index, place);
        const ac_ref b = from ? ac_element(cx, from, index, place) : a;
        good = every(cx, &a, from ? &b : NULL, place);
    }
    if (!few) ac_end_each(cx, outer);
    return good;
}

int ac_copy_object(ac_lower *cx, const ac_ref *to, const ac_ref *from, ad_place place)
{
    return every(cx, to, from, place);
}

void ac_zero_object(ac_lower *cx, const ac_ref *to, ad_place place)
{
    every(cx, to, NULL, place);
}

/* ---- tables ---------------------------------------------------------------------------------------------------------------- */

/* "static const double k[3] = {1, 2, 3};" */
static const char *definition(ac_lower *cx, const ad_sym *s, const char *const *value, int64_t count)
{
    const char *type = s->type == AD_DOUBLE ? "double" : s->ctype;
    if (!s->array) return ad_text(cx->m, "static const %s %s = %s;", type, s->name, value[0]);
    const char *head = ad_text(cx->m, "static const %s %s[%lld] = {", type, s->name, (long long)count);
    size_t room = strlen(head) + 4, column = strlen(head);
    for (int64_t i = 0; i < count; i++) room += strlen(value[i]) + 8;
    char *text = ad_take(cx->m, room), *at = text;
    at = stpcpy(at, head);
    for (int64_t i = 0; i < count; i++) {
        if (column > 110) {
            at = stpcpy(at, "\n    ");
            column = 4;
        }
        char *from = at;
        at = stpcpy(at, value[i]);
        if (i + 1 < count) at = stpcpy(at, ", ");
        column += (size_t)(at - from);
    }
    stpcpy(at, "};");
    return text;
}

static int scalar_count(const ad_sym *s, int64_t *n)
{
    *n = 1;
    return !s->array || ac_whole_of(s->extent, n);
}

int ac_constant_object(ac_lower *cx, ac_entity *v, ac_ref *out)
{
    const ac_type *element = v->type;
    while (element->class == T_ARRAY) element = element->of;
    const char *name = v->name->text;
    const int is_const = v->type->is_const || element->is_const;
    if (v->reported) return 0;
    v->reported = 1;
    if (!is_const && (v->is_global || v->writes > 1 || v->stores > 0)) {
        ad_error(cx->d, v->place,
                 v->is_global ? "const if it does not change; a parameter p[...] or the user's data if it does"
                              : "a local variable without static",
                 v->is_global ? "'%s' is a global variable that is not const: its value is not known here"
                              : "'%s' is static and is written to: it keeps state between calls",
                 name);
        return 0;
    }
    if (!v->init && v->is_global) {
        ad_error(cx->d, v->place, "its definition in this file", "the value of '%s' is not known here", name);
        return 0;
    }
    if (!make_object(cx, v, AD_CONST, out)) return 0;
    ac_table t = {.leaf = out->leaf, .leaves = ac_leaves(v->type)};
    t.value = ad_take(cx->m, (size_t)t.leaves * sizeof *t.value);
    t.count = ad_take(cx->m, (size_t)t.leaves * sizeof *t.count);
    for (int i = 0; i < t.leaves; i++) {
        if (!scalar_count(t.leaf[i], &t.count[i]) || t.count[i] > 100000000) {
            ad_error(cx->d, v->place, NULL, "the size of '%s' is not a constant that is possible", name);
            return 0;
        }
        t.value[i] = ad_take(cx->m, ((size_t)t.count[i] + 1) * sizeof **t.value);
        for (int64_t k = 0; k < t.count[i]; k++) t.value[i][k] = "0";
    }
    if (v->init) ac_fill(cx, out, v->init, &t);
    if (t.failed) {
        ad_error(cx->d, t.place, "a constant expression", "the value of '%s' is not known before the model runs", name);
        return 0;
    }
    for (int i = 0; i < t.leaves; i++) t.leaf[i]->text = definition(cx, t.leaf[i], t.value[i], t.count[i]);
    v->reported = 0;
    ac_ref *r = ad_take(cx->m, sizeof *r);
    *r = *out;
    ac_bind_global(cx, v, r);
    return 1;
}

/* ---- local variables ------------------------------------------------------------------------------------------------------- */

static int all_constant(ad_arena *m, const ac_init *i)
{
    ac_constant k;
    if (i->expr) return ac_evaluate(m, i->expr, &k);
    for (const ac_init *item = i->item; item; item = item->next) {
        if (!all_constant(m, item)) return 0;
    }
    return 1;
}

static void declare_pointer(ac_lower *cx, ac_entity *v)
{
    v->bound = NULL;
    v->assigned_in = NULL;
    if (!ac_fix_type(cx, v->type, v->place)) {
        v->reported = 1;
        return;
    }
    if (!v->init) return;
    ac_value value = v->init->expr ? ac_rvalue(cx, v->init->expr) : ac_bad();
    if (value.type && value.type->class != T_POINTER) {
        ad_error(cx->d, v->init->place, NULL, "%s is assigned to a pointer", ac_a_type(cx->m, value.type));
        value.type = NULL;
    }
    if (value.type) value = ac_point(cx, value, v->type, v->init->place);
    v->reported = !value.type;
    if (!value.type) return;
    value.ref.index = ac_stable(cx, value.ref.index) ? value.ref.index : ac_frozen(cx, value.ref.index, v->name->text);
    value.ref.base = ac_stable(cx, value.ref.base) ? value.ref.base : ac_frozen(cx, value.ref.base, v->name->text);
    v->bound = ad_take(cx->m, sizeof *v->bound);
    *v->bound = value.ref;
}

static int is_const_type(const ac_type *t)
{
    while (t->class == T_ARRAY && !t->is_const) t = t->of;
    return t->is_const;
}

void ac_declare_local(ac_lower *cx, ac_entity *v, ad_place place)
{
    const int wanted = is_const_type(v->type) && !ac_is_number(v->type) && v->type->class != T_POINTER;
    ac_ref r;
    v->counter = NULL;
    if (v->type->class == T_POINTER && v->type->of->class != T_FUNCTION) {
        declare_pointer(cx, v);
        return;
    }
    if (v->is_extern) {
        ad_error(cx->d, place, "its definition in this file", "the value of '%s' is not known here", v->name->text);
        v->reported = 1;
        return;
    }
    if (v->is_static || (wanted && v->init && all_constant(cx->m, v->init))) {
        if (!v->bound) ac_constant_object(cx, v, &r);
        return;
    }
    if (!ac_fix_type(cx, v->type, place) || !ac_local_object(cx, v, &r)) {
        v->reported = 1;
        v->bound = NULL;
        return;
    }
    if (v->init) ac_initialize(cx, &r, v->init);
    r.type = v->type;
    v->bound = ad_take(cx->m, sizeof *v->bound);
    *v->bound = r;
}
