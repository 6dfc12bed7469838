/* parse_decl.c - declarations: specifiers, declarators, initializers. All of C is parsed; what is not differentiated becomes a
 * T_REFUSED type, and the message is given where such a variable is used.
 *
 *   specifiers  = { storage | qualifier | type }
 *   declarator  = { "*" qualifiers } ( name | "(" declarator ")" | nothing ) { "[" [ size ] "]" | "(" parameters ")" }
 *   initializer = assignment | "{" [ { designator } initializer { "," ... } ] "}" */
#include "front/parse.h"

#include <string.h>

void ac_skip_attributes(ac_parser *p)
{
    for (;;) {
        if (ac_is_word(p, KW_ATTRIBUTE) || ac_is_word(p, KW_ALIGNAS) || ac_is_word(p, KW_ASM)) {
            p->at++;
            if (ac_is_word(p, KW_VOLATILE)) p->at++;
            if (!ac_is(p, '(')) ac_fail(p, ac_peek(p, 0), NULL, "'(' is expected here, not %s", ac_token_text(p, ac_peek(p, 0)));
            p->at = ac_peek(p, 0)->match + 1;
        } else if (ac_is(p, '[') && ac_peek(p, 1)->kind == AC_PUNCT && ac_peek(p, 1)->punct == '[') {
            p->at = ac_peek(p, 0)->match + 1;
        } else if (ac_is_word(p, KW_EXTENSION)) {
            p->at++;
        } else {
            return;
        }
    }
}

void ac_skip_assertion(ac_parser *p)
{
    p->at++;
    if (!ac_is(p, '(')) ac_fail(p, ac_peek(p, 0), NULL, "'(' is expected here, not %s", ac_token_text(p, ac_peek(p, 0)));
    p->at = ac_peek(p, 0)->match + 1;
    ac_expect(p, ';', "here");
}

int ac_starts_type(ac_parser *p, const ac_token *t)
{
    (void)p;
    if (t->kind == AC_IDENT) return t->name->entity ? t->name->entity->sort == N_TYPEDEF : ac_system_type(t->name->text) != NULL;
    if (t->kind != AC_KEYWORD) return 0;
    switch (t->name->word) {
    case KW_AUTO: case KW_CHAR: case KW_CONST: case KW_DOUBLE: case KW_ENUM: case KW_EXTERN: case KW_FLOAT: case KW_INLINE:
    case KW_INT: case KW_LONG: case KW_REGISTER: case KW_RESTRICT: case KW_SHORT: case KW_SIGNED: case KW_STATIC:
    case KW_STRUCT: case KW_TYPEDEF: case KW_UNION: case KW_UNSIGNED: case KW_VOID: case KW_VOLATILE: case KW_BOOL:
    case KW_COMPLEX: case KW_IMAGINARY: case KW_ALIGNAS: case KW_ATOMIC: case KW_NORETURN: case KW_THREAD_LOCAL:
    case KW_ATTRIBUTE: case KW_TYPEOF: case KW_INT128: case KW_FLOAT128: return 1;
    default: return 0;
    }
}

/* ---- struct, union, enum -------------------------------------------------------------------------------------------------- */

static int64_t round_up(int64_t n, int64_t to)
{
    return to > 1 ? (n + to - 1) / to * to : n;
}

static void members(ac_parser *p, ac_type *t, int is_union)
{
    ac_member **last = &t->member;
    int64_t at = 0, largest = 0;
    t->align = 1;
    while (!ac_accept(p, '}')) {
        ac_storage none = {0};
        if (ac_accept(p, ';')) continue;
        ac_type *base = ac_specifiers(p, &none);
        do {
            ac_token *name = NULL;
            ac_type *type = ac_is(p, ';') || ac_is(p, ':') ? base : ac_declarator(p, base, &name);
            if (ac_accept(p, ':')) {
                ac_condition(p);
                type = ac_refused(p->m, "bit-field", 4);
            }
            ac_skip_attributes(p);
            ac_member *k = ad_take(p->m, sizeof *k);
            const int64_t align = type->align > 0 ? type->align : 1, size = type->size > 0 ? type->size : 0;
            at = round_up(at, align);
            *k = (ac_member){.name = name ? name->name : NULL, .type = type, .offset = is_union ? 0 : at};
            if (size > INT64_MAX / 4 - at) ac_fail(p, ac_peek(p, 0), NULL, "this struct is too large");
            at += size;
            if (size > largest) largest = size;
            if (align > t->align) t->align = align;
            *last = k;
            last = &k->next;
        } while (ac_accept(p, ','));
        ac_expect(p, ';', "after a member");
    }
    t->size = round_up(is_union ? largest : at, t->align);
    t->complete = 1;
}

static ac_type *structure(ac_parser *p, int is_union)
{
    ac_deeper(p);
    ac_skip_attributes(p);
    ac_token *tag = ac_peek(p, 0)->kind == AC_IDENT ? ac_peek(p, 0) : NULL;
    if (tag) p->at++;
    ac_skip_attributes(p);
    ac_entity *known = tag ? tag->name->tag : NULL;
    ac_type *t = known && (!known->type->complete || !ac_is(p, '{')) ? known->type : NULL;
    if (!t) {
        t = ad_take(p->m, sizeof *t);
        *t = (ac_type){.class = is_union ? T_REFUSED : T_STRUCT, .size = -1, .align = 1};
        if (is_union) t->text = "union";
        else if (tag) t->text = ad_text(p->m, "struct %s", tag->name->text);
        if (tag) ac_declare(p, N_TAG, tag->name, t, tag->place);
    }
    if (ac_accept(p, '{')) members(p, t, is_union);
    else if (!tag) ac_fail(p, ac_peek(p, 0), NULL, "a struct needs a name or members");
    p->depth--;
    return t;
}

static ac_type *enumeration(ac_parser *p)
{
    ac_skip_attributes(p);
    if (ac_peek(p, 0)->kind == AC_IDENT) p->at++;
    if (!ac_accept(p, '{')) return ac_int(AC_INT);
    int64_t value = 0;
    while (!ac_accept(p, '}')) {
        const ac_token *name = ac_peek(p, 0);
        if (name->kind != AC_IDENT) ac_fail(p, name, NULL, "a name is expected in an enum, not %s", ac_token_text(p, name));
        p->at++;
        ac_skip_attributes(p);
        if (ac_accept(p, '=')) value = ac_constant_value(p, "this enumerator");
        ac_declare(p, N_ENUMERATOR, name->name, ac_int(AC_INT), name->place)->value = value;
        if (value == INT64_MAX) ac_fail(p, name, NULL, "this enumerator is too large");
        value++;
        if (!ac_accept(p, ',') && !ac_is(p, '}'))
            ac_fail(p, ac_peek(p, 0), NULL, "',' is expected in an enum, not %s", ac_token_text(p, ac_peek(p, 0)));
    }
    return ac_int(AC_INT);
}

/* ---- specifiers ------------------------------------------------------------------------------------------------------------ */

typedef struct counts {
    int ints, longs, shorts, chars, doubles, floats, is_signed, is_unsigned, bools, voids, complexes, others;
} counts;

static ac_type *basic(ac_parser *p, const counts *c)
{
    if (c->others) return ac_refused(p->m, "128-bit number", 16);
    if (c->complexes) return ac_refused(p->m, "complex", 16);
    if (c->floats) return ac_float();
    if (c->doubles) return c->longs ? ac_refused(p->m, "long double", 16) : ac_double();
    if (c->voids) return ac_void();
    if (c->bools) return ac_int(AC_BOOL);
    if (c->chars) return ac_int(c->is_unsigned ? AC_UCHAR : c->is_signed ? AC_SCHAR : AC_CHAR);
    if (c->shorts) return ac_int(c->is_unsigned ? AC_USHORT : AC_SHORT);
    if (c->longs > 1) return ac_int(c->is_unsigned ? AC_ULLONG : AC_LLONG);
    if (c->longs) return ac_int(c->is_unsigned ? AC_ULONG : AC_LONG);
    return ac_int(c->is_unsigned ? AC_UINT : AC_INT);
}

/* 1: the word was counted as part of a basic type. */
static int basic_word(counts *c, ac_word word)
{
    switch (word) {
    case KW_VOID: c->voids++; return 1;
    case KW_CHAR: c->chars++; return 1;
    case KW_SHORT: c->shorts++; return 1;
    case KW_INT: c->ints++; return 1;
    case KW_LONG: c->longs++; return 1;
    case KW_FLOAT: c->floats++; return 1;
    case KW_DOUBLE: c->doubles++; return 1;
    case KW_SIGNED: c->is_signed++; return 1;
    case KW_UNSIGNED: c->is_unsigned++; return 1;
    case KW_BOOL: c->bools++; return 1;
    case KW_COMPLEX:
    case KW_IMAGINARY: c->complexes++; return 1;
    case KW_INT128:
    case KW_FLOAT128: c->others++; return 1;
    default: return 0;
    }
}

static ac_type *constant(ac_parser *p, ac_type *t)
{
    if (t->is_const || t->class == T_FUNCTION) return t;
    ac_type *copy = ad_take(p->m, sizeof *copy);
    *copy = *t;
    copy->is_const = 1;
    return copy;
}

/* A typedef name, or at file scope a name that a system header must have declared. */
static ac_type *named_type(ac_parser *p, const ac_token *t)
{
    if (t->name->entity) return t->name->entity->sort == N_TYPEDEF ? t->name->entity->type : NULL;
    ac_type *known = ac_system_type(t->name->text);
    if (known) return known;
    const ac_token *next = ac_peek(p, 1);
    const int reads_as_type = next->kind == AC_IDENT || next->kind == AC_KEYWORD ||
                              (next->kind == AC_PUNCT && (next->punct == '*' || next->punct == ')' || next->punct == ','));
    return reads_as_type ? ac_refused(p->m, t->name->text, -1) : NULL;
}

ac_type *ac_specifiers(ac_parser *p, ac_storage *storage)
{
    counts c = {0};
    ac_type *t = NULL;
    int is_const = 0, words = 0;
    ac_token *first = ac_peek(p, 0);
    for (;;) {
        ac_skip_attributes(p);
        ac_token *k = ac_peek(p, 0);
        if (k->kind == AC_IDENT) {
            ac_type *named = t || words ? NULL : named_type(p, k);
            if (!named) break;
            t = named;
            p->at++;
            continue;
        }
        if (k->kind != AC_KEYWORD) break;
        const ac_word word = k->name->word;
        p->at++;
        if (basic_word(&c, word)) {
            words++;
            continue;
        }
        switch (word) {
        case KW_CONST: is_const = 1; continue;
        case KW_TYPEDEF: storage->is_typedef = 1; continue;
        case KW_STATIC: storage->is_static = 1; continue;
        case KW_EXTERN: storage->is_extern = 1; continue;
        case KW_AUTO: case KW_REGISTER: case KW_INLINE: case KW_VOLATILE: case KW_RESTRICT: case KW_NORETURN:
        case KW_THREAD_LOCAL: continue;
        case KW_ATOMIC:
            if (ac_is(p, '(')) p->at = ac_peek(p, 0)->match + 1;
            t = ac_refused(p->m, "atomic", -1);
            continue;
        case KW_STRUCT: t = structure(p, 0); continue;
        case KW_UNION: t = structure(p, 1); continue;
        case KW_ENUM: t = enumeration(p); continue;
        case KW_TYPEOF:
            if (ac_is(p, '(')) p->at = ac_peek(p, 0)->match + 1;
            t = ac_refused(p->m, "typeof", -1);
            continue;
        default: break;
        }
        p->at--;
        break;
    }
    if (!t && !words) {
        const char *advice = first->kind == AC_IDENT ? "a declaration of C: double x;  static void rhs(...) { ... }" : NULL;
        ac_fail(p, first, advice, "a declaration is expected here, not %s", ac_token_text(p, first));
    }
    if (!t) t = basic(p, &c);
    return is_const ? constant(p, t) : t;
}

/* ---- declarators ----------------------------------------------------------------------------------------------------------- */

static ac_type *parameters(ac_parser *p, ac_type *result)
{
    ac_type *f = ad_take(p->m, sizeof *f);
    *f = (ac_type){.class = T_FUNCTION, .of = result, .size = 1, .align = 1};
    ac_entity **last = &f->param;
    if (ac_accept(p, ')')) return f;
    if (ac_is_word(p, KW_VOID) && ac_peek(p, 1)->kind == AC_PUNCT && ac_peek(p, 1)->punct == ')') {
        p->at += 2;
        return f;
    }
    ac_entity *outer = ac_open_scope(p); /* double a[n] may refer to the parameter n */
    const int global = p->global;
    p->global = 0;
    do {
        if (ac_accept(p, AC_P('.', '.', '.'))) {
            f->variadic = 1;
            break;
        }
        ac_storage none = {0};
        ac_token *name = NULL;
        ac_type *t = ac_declarator(p, ac_specifiers(p, &none), &name);
        ac_skip_attributes(p);
        if (t->class == T_ARRAY) {
            ac_type *to = t->of;
            const int is_const = t->is_const;
            t = ac_pointer(p->m, is_const ? constant(p, to) : to);
        } else if (t->class == T_FUNCTION) {
            t = ac_pointer(p->m, t);
        }
        ac_entity *e;
        if (name) {
            e = ac_declare(p, N_VARIABLE, name->name, t, name->place);
        } else {
            e = ad_take(p->m, sizeof *e);
            *e = (ac_entity){.sort = N_VARIABLE, .type = t, .place = ac_peek(p, 0)->place};
        }
        e->is_param = 1;
        e->writes = 1;
        *last = e;
        last = &e->next;
        f->params++;
    } while (ac_accept(p, ','));
    ac_close_scope(p, outer);
    p->global = global;
    ac_expect(p, ')', "after the parameters");
    return f;
}

static ac_type *suffixes(ac_parser *p, ac_type *base)
{
    ac_deeper(p);
    ac_token *t = ac_peek(p, 0);
    if (ac_accept(p, '(')) {
        base = parameters(p, base);
    } else if (ac_is(p, '[') && !(ac_peek(p, 1)->kind == AC_PUNCT && ac_peek(p, 1)->punct == '[')) {
        p->at++;
        while (ac_is_word(p, KW_STATIC) || ac_is_word(p, KW_CONST) || ac_is_word(p, KW_RESTRICT) || ac_is_word(p, KW_VOLATILE))
            p->at++;
        ac_expr *extent = NULL;
        int64_t count = -1;
        if (ac_is(p, '*') && ac_peek(p, 1)->kind == AC_PUNCT && ac_peek(p, 1)->punct == ']') p->at++;
        if (!ac_is(p, ']')) {
            extent = ac_assignment(p);
            ac_constant k;
            if (ac_evaluate(p->m, extent, &k) && !k.is_double) {
                if (k.whole < 0) ac_fail(p, t, NULL, "an array of %lld elements", (long long)k.whole);
                count = k.whole;
                extent = NULL;
            }
        }
        ac_expect(p, ']', "after the size");
        base = suffixes(p, base);
        base = ac_array(p->m, base, count, extent);
        if (count >= 0 && base->of->size > 0 && base->size < 0) ac_fail(p, t, NULL, "this array is too large");
    }
    p->depth--;
    return base;
}

ac_type *ac_declarator(ac_parser *p, ac_type *base, ac_token **name)
{
    ac_deeper(p);
    int pointers = 0;
    while (ac_accept(p, '*')) {
        if (++pointers > 100) ac_fail(p, ac_peek(p, 0), NULL, "more than 100 times '*'");
        base = ac_pointer(p->m, base);
        for (;;) {
            ac_skip_attributes(p);
            if (ac_accept_word(p, KW_CONST)) base = constant(p, base);
            else if (!ac_accept_word(p, KW_RESTRICT) && !ac_accept_word(p, KW_VOLATILE)) break;
        }
    }
    ac_skip_attributes(p);
    ac_token *t = ac_peek(p, 0), *inner = ac_peek(p, 1);
    ac_type *type;
    if (ac_is(p, '(') && !ac_starts_type(p, inner) && !(inner->kind == AC_PUNCT && inner->punct == ')') &&
        (inner->kind == AC_IDENT || inner->kind == AC_PUNCT || inner->kind == AC_KEYWORD) &&
        !(inner->kind == AC_IDENT && !*name && !inner->name->entity && ac_peek(p, 2)->kind == AC_IDENT)) {
        const int inside = p->at + 1;
        p->at = t->match + 1;
        type = suffixes(p, base);
        const int after = p->at;
        p->at = inside;
        type = ac_declarator(p, type, name);
        if (p->at != t->match) ac_fail(p, ac_peek(p, 0), NULL, "%s is not expected here", ac_token_text(p, ac_peek(p, 0)));
        p->at = after;
    } else {
        if (t->kind == AC_IDENT) {
            *name = t;
            p->at++;
        }
        type = suffixes(p, base);
    }
    p->depth--;
    return type;
}

ac_type *ac_type_name(ac_parser *p)
{
    ac_storage none = {0};
    ac_token *name = NULL;
    ac_token *t = ac_peek(p, 0);
    ac_type *type = ac_declarator(p, ac_specifiers(p, &none), &name);
    if (name) ac_fail(p, t, NULL, "a type is expected here");
    return type;
}

/* ---- initializers ---------------------------------------------------------------------------------------------------------- */

static void designators(ac_parser *p, ac_init *item)
{
    ac_init *k = item;
    for (int first = 1; ac_is(p, '.') || ac_is(p, '['); first = 0) {
        if (!first) {
            k->deeper = ad_take(p->m, sizeof *k);
            k = k->deeper;
        }
        if (ac_accept(p, '.')) {
            const ac_token *name = ac_peek(p, 0);
            if (name->kind != AC_IDENT)
                ac_fail(p, name, NULL, "the name of a member is expected here, not %s", ac_token_text(p, name));
            k->member = name->name;
            p->at++;
        } else {
            p->at++;
            k->index = ac_condition(p);
            if (ac_is(p, AC_P('.', '.', '.')))
                ac_fail(p, ac_peek(p, 0), "one entry for each index", "ranges of indices are not known here");
            ac_expect(p, ']', "after the index");
        }
    }
    ac_expect(p, '=', "after the designator");
}

ac_init *ac_initializer(ac_parser *p)
{
    ac_deeper(p);
    ac_init *i = ad_take(p->m, sizeof *i);
    i->place = ac_peek(p, 0)->place;
    if (ac_accept(p, '{')) {
        ac_init **last = &i->item;
        while (!ac_accept(p, '}')) {
            ac_init named = {0};
            const int has_designator = ac_is(p, '.') || ac_is(p, '[');
            if (has_designator) designators(p, &named);
            ac_init *item = ac_initializer(p);
            item->member = named.member;
            item->index = named.index;
            item->deeper = named.deeper;
            *last = item;
            last = &item->next;
            if (!ac_accept(p, ',') && !ac_is(p, '}'))
                ac_fail(p, ac_peek(p, 0), NULL, "',' or '}' is expected in the list of values, not %s",
                        ac_token_text(p, ac_peek(p, 0)));
        }
    } else {
        i->expr = ac_assignment(p);
    }
    p->depth--;
    return i;
}

void ac_complete_array(ac_parser *p, ac_entity *v)
{
    if (v->type->class != T_ARRAY || v->type->count >= 0 || v->type->extent) return;
    if (v->init->expr && v->init->expr->op == E_STRING) {
        v->type = ac_array(p->m, v->type->of, v->init->expr->number, NULL);
        return;
    }
    int64_t scalars = 0, at = 0, most = 0, per = 1;
    for (const ac_type *t = v->type->of; t->class == T_ARRAY; t = t->of) per *= t->count > 0 ? t->count : 1;
    int braces = 0;
    for (const ac_init *i = v->init->item; i; i = i->next) {
        ac_constant k;
        if (i->index) {
            if (!ac_evaluate(p->m, i->index, &k) || k.is_double || k.whole < 0 || k.whole > 1000000000)
                ac_fail(p, ac_peek(p, 0), NULL, "an index in a list of values is not a constant");
            at = k.whole;
            braces = 1;
        }
        braces |= !i->expr;
        at++;
        scalars++;
        if (at > most) most = at;
    }
    const int flat = !braces && v->type->of->class == T_ARRAY; /* {1, 2, 3, 4} for a[][2] */
    ac_type *t = ac_array(p->m, v->type->of, flat ? (scalars + per - 1) / per : most, NULL);
    t->is_const = v->type->is_const;
    v->type = t;
}
