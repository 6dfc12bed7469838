/* types.c - the types of C that the front end knows, with the sizes of an LP64 machine. */
#include "front/ast.h"

#include <stdio.h>
#include <string.h>

static const ac_type ints[AC_INTS] = {
    [AC_BOOL] = {.class = T_INT, .text = "_Bool", .size = 1, .align = 1, .rank = 0, .is_unsigned = 1},
    [AC_CHAR] = {.class = T_INT, .text = "char", .size = 1, .align = 1, .rank = 1},
    [AC_SCHAR] = {.class = T_INT, .text = "signed char", .size = 1, .align = 1, .rank = 1},
    [AC_UCHAR] = {.class = T_INT, .text = "unsigned char", .size = 1, .align = 1, .rank = 1, .is_unsigned = 1},
    [AC_SHORT] = {.class = T_INT, .text = "short", .size = 2, .align = 2, .rank = 2},
    [AC_USHORT] = {.class = T_INT, .text = "unsigned short", .size = 2, .align = 2, .rank = 2, .is_unsigned = 1},
    [AC_INT] = {.class = T_INT, .text = "int", .size = 4, .align = 4, .rank = 3},
    [AC_UINT] = {.class = T_INT, .text = "unsigned", .size = 4, .align = 4, .rank = 3, .is_unsigned = 1},
    [AC_LONG] = {.class = T_INT, .text = "long", .size = 8, .align = 8, .rank = 4},
    [AC_ULONG] = {.class = T_INT, .text = "unsigned long", .size = 8, .align = 8, .rank = 4, .is_unsigned = 1},
    [AC_LLONG] = {.class = T_INT, .text = "long long", .size = 8, .align = 8, .rank = 5},
    [AC_ULLONG] = {.class = T_INT, .text = "unsigned long long", .size = 8, .align = 8, .rank = 5, .is_unsigned = 1},
    [AC_SIZE] = {.class = T_INT, .text = "size_t", .size = 8, .align = 8, .rank = 4, .is_unsigned = 1},
};
static const ac_type the_double = {.class = T_DOUBLE, .text = "double", .size = 8, .align = 8};
static const ac_type the_float = {.class = T_DOUBLE, .text = "float", .size = 4, .align = 4};
static const ac_type the_void = {.class = T_VOID, .text = "void", .size = 1, .align = 1};

/* These are shared and never written to; they are not const because types that are built from them are not. */
ac_type *ac_int(int which)
{
    return (ac_type *)&ints[which];
}

ac_type *ac_double(void)
{
    return (ac_type *)&the_double;
}

ac_type *ac_float(void)
{
    return (ac_type *)&the_float;
}

int ac_is_float(const ac_type *t)
{
    return t->class == T_DOUBLE && t->size < the_double.size;
}

ac_type *ac_void(void)
{
    return (ac_type *)&the_void;
}

ac_type *ac_pointer(ad_arena *m, ac_type *to)
{
    ac_type *t = ad_take(m, sizeof *t);
    *t = (ac_type){.class = T_POINTER, .of = to, .size = 8, .align = 8};
    return t;
}

ac_type *ac_array(ad_arena *m, ac_type *of, int64_t count, ac_expr *extent)
{
    ac_type *t = ad_take(m, sizeof *t);
    *t = (ac_type){.class = T_ARRAY, .of = of, .count = count, .extent = extent, .align = of->align};
    t->size = count >= 0 && of->size >= 0 && (of->size == 0 || count <= INT64_MAX / of->size) ? count * of->size : -1;
    return t;
}

ac_type *ac_refused(ad_arena *m, const char *what, int64_t size)
{
    ac_type *t = ad_take(m, sizeof *t);
    *t = (ac_type){.class = T_REFUSED, .text = what, .size = size, .align = size > 0 ? size : 1};
    return t;
}

ac_type *ac_system_type(const char *name)
{
    static const struct {
        const char *name;
        int which;
    } known[] = {
        {"size_t", AC_SIZE}, {"ssize_t", AC_LONG}, {"ptrdiff_t", AC_LONG}, {"intptr_t", AC_LONG}, {"uintptr_t", AC_ULONG},
        {"int8_t", AC_SCHAR}, {"uint8_t", AC_UCHAR}, {"int16_t", AC_SHORT}, {"uint16_t", AC_USHORT}, {"int32_t", AC_INT},
        {"uint32_t", AC_UINT}, {"int64_t", AC_LONG}, {"uint64_t", AC_ULONG}, {"int_fast8_t", AC_SCHAR}, {"int_fast16_t", AC_LONG},
        {"int_fast32_t", AC_LONG}, {"int_fast64_t", AC_LONG}, {"int_least8_t", AC_SCHAR}, {"int_least16_t", AC_SHORT},
        {"int_least32_t", AC_INT}, {"int_least64_t", AC_LONG}, {"intmax_t", AC_LONG}, {"uintmax_t", AC_ULONG}, {"uint", AC_UINT},
        {"ulong", AC_ULONG}, {"bool", AC_BOOL},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(known[i].name, name) == 0) return ac_int(known[i].which);
    }
    return strcmp(name, "double_t") == 0 ? ac_double() : strcmp(name, "float_t") == 0 ? ac_float() : NULL;
}

int ac_same_type(const ac_type *a, const ac_type *b)
{
    for (int depth = 0; depth < 1000; depth++) {
        if (a == b) return 1;
        if (!a || !b || a->class != b->class) return 0;
        switch (a->class) {
        case T_VOID: return 1;
        case T_DOUBLE: return a->size == b->size;
        case T_INT: return a->rank == b->rank && a->is_unsigned == b->is_unsigned;
        case T_STRUCT: return a->member == b->member && a->member != NULL;
        case T_ARRAY:
            if (a->count >= 0 && b->count >= 0 && a->count != b->count) return 0;
            break;
        case T_POINTER: break;
        default: return 0;
        }
        a = a->of;
        b = b->of;
    }
    return 0;
}

int ac_is_number(const ac_type *t)
{
    return t->class == T_INT || t->class == T_DOUBLE;
}

/* A member, also of an anonymous struct inside; *offset gets its bytes from the start. */
ac_member *ac_find_member(ac_type *t, const ac_name *name, int64_t *offset)
{
    for (ac_member *k = t->member; k; k = k->next) {
        if (k->name == name) {
            *offset = k->offset;
            return k;
        }
    }
    return NULL;
}

const char *ac_type_text(ad_arena *m, const ac_type *t)
{
    switch (t->class) {
    case T_POINTER: return ad_text(m, "pointer to %s", ac_type_text(m, t->of));
    case T_ARRAY: return t->count >= 0 ? ad_text(m, "array of %lld %s", (long long)t->count, ac_type_text(m, t->of))
                                       : ad_text(m, "array of %s", ac_type_text(m, t->of));
    case T_FUNCTION: return "function";
    default: return t->text ? t->text : "struct";
    }
}

const char *ac_a_type(ad_arena *m, const ac_type *t)
{
    const char *text = ac_type_text(m, t);
    if (t->class == T_VOID) return "nothing";
    return ad_text(m, "%s %s", text[0] && strchr("aeiou", text[0]) && strncmp(text, "un", 2) != 0 ? "an" : "a", text);
}

ac_type *ac_promote(ac_type *t)
{
    return t->class == T_INT && t->rank < 3 ? ac_int(AC_INT) : t;
}

ac_type *ac_common(ac_type *a, ac_type *b)
{
    if (ac_same_type(a, ac_double()) || ac_same_type(b, ac_double())) return ac_double();
    if (ac_is_float(a) || ac_is_float(b)) return ac_float();
    a = ac_promote(a);
    b = ac_promote(b);
    if (a->rank == b->rank) return b->is_unsigned && !a->is_unsigned ? b : a;
    if (a->rank < b->rank) {
        ac_type *other = a;
        a = b;
        b = other;
    }
    if (!a->is_unsigned && b->is_unsigned && a->size == b->size) return ac_int(a->rank == 4 ? AC_ULONG : AC_ULLONG);
    return a;
}

static ac_type *type_of(ad_arena *m, const ac_expr *e, int depth);

static ac_type *type_of_binary(ad_arena *m, const ac_expr *e, int depth)
{
    ac_type *a = type_of(m, e->a, depth), *b = type_of(m, e->b, depth);
    if (!a || !b) return NULL;
    if (e->arith >= AD_LT && e->arith <= AD_NE) return ac_int(AC_INT);
    if (a->class == T_ARRAY) a = ac_pointer(m, a->of);
    if (b->class == T_ARRAY) b = ac_pointer(m, b->of);
    if (a->class == T_POINTER) return b->class == T_POINTER ? ac_int(AC_LONG) : a;
    if (b->class == T_POINTER) return b;
    if (!ac_is_number(a) || !ac_is_number(b)) return NULL;
    if (e->arith == AD_SHL || e->arith == AD_SHR) return ac_promote(a);
    return ac_common(a, b);
}

static ac_type *type_of(ad_arena *m, const ac_expr *e, int depth)
{
    ac_type *t;
    int64_t offset;
    ac_member *member;
    if (depth++ > AC_DEEP) return NULL;
    switch (e->op) {
    case E_INTEGER: return e->type;
    case E_FLOATING: return e->type;
    case E_STRING: return ac_array(m, ac_int(AC_CHAR), e->number, NULL);
    case E_NAME: return e->entity->sort == N_ENUMERATOR ? ac_int(AC_INT) : e->entity->type;
    case E_INDEX:
    case E_DEREF:
        t = type_of(m, e->a, depth);
        return t && (t->class == T_ARRAY || t->class == T_POINTER) ? t->of : NULL;
    case E_MEMBER:
    case E_ARROW:
        t = type_of(m, e->a, depth);
        if (t && e->op == E_ARROW) t = t->class == T_POINTER || t->class == T_ARRAY ? t->of : NULL;
        member = t && t->class == T_STRUCT ? ac_find_member(t, e->name, &offset) : NULL;
        return member ? member->type : NULL;
    case E_ADDRESS:
        t = type_of(m, e->a, depth);
        return t ? ac_pointer(m, t) : NULL;
    case E_NEGATE:
    case E_PLUS:
    case E_BITNOT:
        t = type_of(m, e->a, depth);
        return t && ac_is_number(t) ? ac_promote(t) : NULL;
    case E_NOT:
    case E_AND:
    case E_OR: return ac_int(AC_INT);
    case E_INCREMENT:
    case E_ASSIGN: return type_of(m, e->a, depth);
    case E_CAST:
    case E_LITERAL: return e->type;
    case E_SIZEOF: return ac_int(AC_SIZE);
    case E_BINARY: return type_of_binary(m, e, depth);
    case E_CONDITION: {
        ac_type *b = type_of(m, e->b, depth), *c = type_of(m, e->c, depth);
        return b && c && ac_is_number(b) && ac_is_number(c) ? ac_common(b, c) : b;
    }
    case E_COMMA: return type_of(m, e->b, depth);
    case E_CALL:
        if (e->a->op == E_NAME && e->a->entity->type->class == T_FUNCTION) return e->a->entity->type->of;
        return ac_double();
    default: return NULL;
    }
}

ac_type *ac_type_of(ad_arena *m, const ac_expr *e)
{
    return type_of(m, e, 0);
}

/* How many letters must be inserted, deleted or changed; counting stops above 2. */
int ac_distance(const char *a, const char *b)
{
    const int n = (int)strlen(a), m = (int)strlen(b);
    int row[64], old[64];
    if (n > 40 || m > 40 || n - m > 2 || m - n > 2) return 3;
    for (int j = 0; j <= m; j++) old[j] = j;
    for (int i = 1; i <= n; i++) {
        row[0] = i;
        for (int j = 1; j <= m; j++) {
            const int change = old[j - 1] + (a[i - 1] != b[j - 1]), insert = row[j - 1] + 1, drop = old[j] + 1;
            row[j] = change < insert ? change : insert;
            if (drop < row[j]) row[j] = drop;
        }
        memcpy(old, row, sizeof old);
    }
    return old[m];
}
