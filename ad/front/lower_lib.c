/* lower_lib.c - functions of the C library: those with a rule (rules.def), those that can be written with others, those that
 * are dropped, and those that are refused with the way out. */
#include "front/lower.h"
#include "tree/rules.h"

#include <string.h>

/* ---- nearest name ---------------------------------------------------------------------------------------------------------- */

const char *ac_nearest(ac_lower *cx, const char *name)
{
    const char *best = NULL;
    int least = strlen(name) > 3 ? 3 : 2;
    if (strlen(name) < 2) return NULL;
    for (int i = 0; i < AD_RULES && !ad_rule_inner(i); i++) {
        const int k = ac_distance(name, ad_rule_name(i));
        if (k < least) least = k, best = ad_rule_name(i);
    }
    for (int i = 0; i < cx->u->tokens.count; i++) {
        const ac_token *t = &cx->u->tokens.at[i];
        if (t->kind != AC_IDENT || !t->name->entity || t->name->entity->sort == N_TYPEDEF || strcmp(t->name->text, name) == 0)
            continue;
        const int k = ac_distance(name, t->name->text);
        if (k < least) least = k, best = t->name->text;
    }
    return best;
}

/* ---- arguments ------------------------------------------------------------------------------------------------------------- */

static int arguments(ac_lower *cx, const ac_expr *e, const char *name, int wanted)
{
    if (e->args == wanted) return 1;
    ad_error(cx->d, e->place, NULL, "'%s' takes %d argument%s, not %d", name, wanted, wanted == 1 ? "" : "s", e->args);
    return 0;
}

/* 1: every argument is a number; they are then in x, as doubles or floats. */
static int reals(ac_lower *cx, const ac_expr *e, const char *name, int wanted, ac_type *as, ad_node **x)
{
    int i = 0, good = 1;
    if (!arguments(cx, e, name, wanted)) return 0;
    for (ac_expr *k = e->arg; k; k = k->next) {
        const ac_value v = ac_rvalue(cx, k);
        good &= v.type != NULL;
        x[i++] = ac_converted(cx, v, as, k->place);
    }
    return good;
}

static int is_one_of(const char *name, const char *const *list)
{
    for (; *list; list++) {
        if (strcmp(name, *list) == 0) return 1;
    }
    return 0;
}

/* ---- memset and memcpy ----------------------------------------------------------------------------------------------------- */

/* The number of scalars of `size` bytes in an expression for bytes: a constant, or n * sizeof(double). */
static ad_node *scalars_of(ac_lower *cx, ac_expr *bytes, int64_t size)
{
    ac_constant k;
    while (bytes->op == E_CAST) bytes = bytes->a;
    if (ac_evaluate(cx->m, bytes, &k) && !k.is_double && k.whole % size == 0) return ad_whole(cx->m, k.whole / size);
    if (bytes->op != E_BINARY || bytes->arith != AD_MUL) return NULL;
    for (int side = 0; side < 2; side++) {
        ac_expr *one = side ? bytes->b : bytes->a, *other = side ? bytes->a : bytes->b;
        if (ac_evaluate(cx->m, one, &k) && !k.is_double && k.whole == size) {
            const ac_value n = ac_rvalue(cx, other);
            return n.type && n.type->class == T_INT ? n.node : NULL;
        }
        ad_node *n = ac_evaluate(cx->m, one, &k) && !k.is_double ? scalars_of(cx, other, size) : NULL;
        if (n) return ac_int_op(cx, AD_MUL, ad_whole(cx->m, k.whole), n);
    }
    return NULL;
}

/* The scalars that a pointer points to, as a flat array. */
static int flat(ac_lower *cx, ac_value *v, ad_place place)
{
    ac_type *t = v->ref.type;
    while (t->class == T_ARRAY) t = t->of;
    if (!ac_is_number(t)) {
        ad_error(cx->d, place, "a loop, or an assignment", "only arrays of numbers are copied or set by bytes");
        return 0;
    }
    *v = ac_point(cx, *v, ac_pointer(cx->m, t), place);
    return v->type != NULL;
}

static ac_value move_bytes(ac_lower *cx, ac_expr *e, const char *name)
{
    const int copies = strcmp(name, "memset") != 0;
    if (!arguments(cx, e, name, 3)) return ac_bad();
    ac_expr *size = e->arg->next->next;
    ac_value to = ac_rvalue(cx, e->arg), from = ac_rvalue(cx, e->arg->next);
    int64_t k;
    if (!to.type || !from.type) return ac_bad();
    if (to.type->class != T_POINTER || (copies && from.type->class != T_POINTER) || !flat(cx, &to, e->place) ||
        (copies && !flat(cx, &from, e->place)))
        return ac_bad();
    if (!copies && !(ac_whole_of(from.node, &k) && k == 0)) {
        ad_error(cx->d, e->place, "a loop", "'memset' with a value other than 0 does not make numbers");
        return ac_bad();
    }
    if (copies && !ac_same_type(to.ref.type, from.ref.type)) {
        ad_error(cx->d, e->place, "a loop", "'%s' between arrays of different types", name);
        return ac_bad();
    }
    const int in_arrays = copies && to.ref.where == R_LEAVES && from.ref.where == R_LEAVES;
    if (strcmp(name, "memmove") == 0 && in_arrays && to.ref.leaf[0] == from.ref.leaf[0]) {
        ad_error(cx->d, e->place, "a loop", "'memmove' within one array");
        return ac_bad();
    }
    ad_node *n = scalars_of(cx, size, to.ref.type->size);
    if (!n) {
        ad_error(cx->d, size->place, "n * sizeof(double)", "how many elements '%s' is meant for is not clear", name);
        return ac_bad();
    }
    ad_node *outer;
    to.ref.index = ac_frozen(cx, to.ref.index, "from");
    from.ref.index = ac_frozen(cx, from.ref.index, "from");
    ad_sym *i = ac_begin_each(cx, n, &outer);
    const ac_ref a = ac_move(cx, &to.ref, ad_use(cx->m, i));
    if (copies) {
        const ac_ref b = ac_move(cx, &from.ref, ad_use(cx->m, i));
        ac_copy_object(cx, &a, &b, e->place);
    } else {
        ac_zero_object(cx, &a, e->place);
    }
    ac_end_each(cx, outer);
    return ac_of(ac_void(), NULL);
}

/* ---- functions that are written with others -------------------------------------------------------------------------------- */

static ad_node *call1(ac_lower *cx, int rule, ad_node *a, ad_place place)
{
    ad_node *n = ad_call(cx->m, rule, a, NULL);
    n->place = place;
    return n;
}

static ac_value named_constant(ac_lower *cx, const char *text, double value)
{
    ad_node *n = ad_num(cx->m, value);
    n->text = text;
    return ac_of(ac_double(), n);
}

/* isnan, isfinite, ...: comparisons. */
static int classified(ac_lower *cx, ac_expr *e, const char *name, ac_value *out)
{
    static const char *const known[] = {"isnan",  "__isnan",  "isinf",   "__isinf",   "isinf_sign", "isfinite",
                                        "finite", "__finite", "signbit", "__signbit", NULL};
    ad_node *x[1], *n;
    if (!is_one_of(name, known)) return 0;
    *out = ac_bad();
    if (!reals(cx, e, name, 1, ac_double(), x)) return 1;
    ad_node *most = ad_num(cx->m, 1.7976931348623157e308);
    most->text = "1.7976931348623157e308";
    if (strstr(name, "isnan")) n = ad_new(cx->m, AD_NE, AD_INT, 2, x[0], x[0]);
    else if (strstr(name, "isinf")) n = ad_new(cx->m, AD_GT, AD_INT, 2, call1(cx, AD_RULE_fabs, x[0], e->place), most);
    else if (strstr(name, "finite")) n = ad_new(cx->m, AD_LE, AD_INT, 2, call1(cx, AD_RULE_fabs, x[0], e->place), most);
    else n = ad_new(cx->m, AD_LT, AD_INT, 2, ad_call(cx->m, AD_RULE_copysign, ad_num(cx->m, 1), x[0]), ad_num(cx->m, 0));
    *out = ac_of(ac_int(AC_INT), n);
    return 1;
}

static int compared(ac_lower *cx, ac_expr *e, const char *name, ac_value *out)
{
    static const struct {
        const char *name;
        ad_op op;
    } known[] = {{"isgreater", AD_GT}, {"isgreaterequal", AD_GE}, {"isless", AD_LT}, {"islessequal", AD_LE}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        ad_node *x[2];
        if (strcmp(name, known[i].name) != 0) continue;
        *out = ac_bad();
        if (reals(cx, e, name, 2, ac_double(), x))
            *out = ac_of(ac_int(AC_INT), ad_new(cx->m, known[i].op, AD_INT, 2, x[0], x[1]));
        return 1;
    }
    return 0;
}

static ac_value absolute(ac_lower *cx, ac_expr *e, const char *name)
{
    if (!arguments(cx, e, name, 1)) return ac_bad();
    ac_type *t = ac_int(strcmp(name, "abs") == 0 ? AC_INT : AC_LONG);
    const ac_value v = ac_rvalue(cx, e->arg);
    if (v.type && v.type->class == T_DOUBLE) {
        ad_error(cx->d, e->place, "'fabs'", "'%s' makes an integer of its argument", name);
        return ac_bad();
    }
    ad_node *a = ac_converted(cx, v, t, e->place);
    ad_node *test = ad_new(cx->m, AD_LT, AD_INT, 2, a, ad_whole(cx->m, 0));
    return ac_of(t, ad_new(cx->m, AD_COND, AD_INT, 3, test, ad_new(cx->m, AD_NEG, AD_INT, 1, a), a));
}

static int rewritten(ac_lower *cx, ac_expr *e, const char *name, ac_value *out)
{
    ad_node *x[3];
    if (classified(cx, e, name, out) || compared(cx, e, name, out)) return 1;
    if (strcmp(name, "inf") == 0 || strcmp(name, "inff") == 0 || strcmp(name, "huge_val") == 0 ||
        strcmp(name, "huge_valf") == 0) {
        *out = named_constant(cx, "INFINITY", __builtin_inf());
    } else if (strcmp(name, "nan") == 0 || strcmp(name, "nanf") == 0) {
        *out = named_constant(cx, "NAN", __builtin_nan(""));
    } else if (strcmp(name, "abs") == 0 || strcmp(name, "labs") == 0 || strcmp(name, "llabs") == 0) {
        *out = absolute(cx, e, name);
    } else if (strcmp(name, "fma") == 0) {
        *out = ac_bad();
        if (reals(cx, e, name, 3, ac_double(), x))
            *out = ac_of(ac_double(), ad_new(cx->m, AD_ADD, AD_DOUBLE, 2, ad_new(cx->m, AD_MUL, AD_DOUBLE, 2, x[0], x[1]), x[2]));
    } else if (strcmp(name, "lround") == 0 || strcmp(name, "llround") == 0) {
        *out = ac_bad();
        if (!reals(cx, e, name, 1, ac_double(), x)) return 1;
        *out = ac_of(ac_int(AC_LONG), ad_new(cx->m, AD_TO_INT, AD_INT, 1, call1(cx, AD_RULE_round, x[0], e->place)));
        out->node->text = "long";
    } else if (strcmp(name, "expect") == 0 && e->args == 2) {
        *out = ac_rvalue(cx, e->arg);
    } else {
        return 0;
    }
    return 1;
}

/* ---- refused --------------------------------------------------------------------------------------------------------------- */

static int refused(ac_lower *cx, ac_expr *e, const char *name)
{
    static const char *const memory[] = {"malloc", "calloc",        "realloc",        "free",
                                         "alloca", "aligned_alloc", "posix_memalign", NULL};
    static const char *const ends[] = {"exit", "abort", "_Exit", "quick_exit", "longjmp", "setjmp", "raise", NULL};
    static const char *const chance[] = {"rand",  "srand",  "random",       "drand48",       "time",
                                         "clock", "getenv", "gettimeofday", "clock_gettime", NULL};
    static const char *const strings[] = {"strcmp", "strncmp", "strlen", "strcpy", "strcat",
                                          "atof",   "atoi",    "strtod", "sscanf", NULL};
    static const char *const arguments_[] = {"va_start", "va_arg", "va_end", "va_copy", NULL};
    if (is_one_of(name, memory)) {
        ad_error(cx->d, e->place, "a local array; its size may be a variable",
                 "'%s': memory is not managed in functions that are differentiated", name);
    } else if (is_one_of(name, ends)) {
        ad_error(cx->d, e->place, "int rhs(...) and `return 1;`, which asks for a smaller step, or `return -1;`, which stops",
                 "'%s' leaves the function in a way that is not differentiated", name);
    } else if (is_one_of(name, chance)) {
        ad_error(cx->d, e->place, "a value computed before, in p or in the user's data",
                 "'%s' gives another value at each call: a model is a function of t, y and p", name);
    } else if (is_one_of(name, strings)) {
        ad_error(cx->d, e->place, "an enum, or a number computed before", "'%s': strings are not differentiated", name);
    } else if (is_one_of(name, arguments_)) {
        ad_error(cx->d, e->place, "an array", "a variable number of arguments is not differentiated");
    } else {
        const size_t n = strlen(name);
        char *base = ad_text_n(cx->m, name, n ? n - 1 : 0);
        if (n < 4 || name[n - 1] != 'l' || ad_rule_find(base) < 0) return 0;
        ad_error(cx->d, e->place, ad_text(cx->m, "'%s'", base), "'%s' computes in long double: that is not differentiated", name);
    }
    return 1;
}

/* sqrt, or sqrtf: the same rule for floats, with the derivative of the exact function where its value is. */
static int with_rule(ac_lower *cx, ac_expr *e, const char *name, ac_value *out)
{
    ad_node *x[3] = {0};
    const size_t length = strlen(name);
    int rule = ad_rule_find(name), is_float = 0;
    if (rule < 0 && length > 3 && name[length - 1] == 'f') {
        rule = ad_rule_find(ad_text_n(cx->m, name, length - 1));
        is_float = 1;
    }
    if (rule < 0 || ad_rule_inner(rule)) return 0;
    if (!reals(cx, e, name, ad_rule_arity(rule), is_float ? ac_float() : ac_double(), x)) return 1;
    ad_node *n = ad_call(cx->m, rule, x[0], x[1]);
    n->place = e->place;
    if (is_float) n->text = "f";
    *out = ac_of(is_float ? ac_float() : ac_double(), n);
    return 1;
}

static int dropped(ac_lower *cx, ac_expr *e, const char *name, int as_statement, ac_value *out)
{
    static const char *const prints[] = {"printf", "fprintf", "puts",    "putchar",  "fputs",  "fputc", "putc",
                                         "fflush", "perror",  "vprintf", "vfprintf", "fwrite", "write", NULL};
    static const char *const checks[] = {"assert", "__assert_fail", "__assert", "unreachable", NULL};
    *out = ac_of(ac_void(), NULL);
    if (is_one_of(name, checks)) return 1;
    if (!is_one_of(name, prints)) return 0;
    if (as_statement) {
        ad_warn(cx->d, e->place, NULL, "'%s' is left out of the generated code", name);
    } else {
        ad_error(cx->d, e->place, "a statement of its own", "the value of '%s' is used", name);
        *out = ac_bad();
    }
    return 1;
}

int ac_library(ac_lower *cx, ac_expr *e, const char *name, int as_statement, ac_value *out)
{
    static const char builtin[] = "__builtin_";
    if (strncmp(name, builtin, sizeof builtin - 1) == 0) name += sizeof builtin - 1;
    *out = ac_bad();
    if (with_rule(cx, e, name, out)) return 1;
    if (strcmp(name, "memset") == 0 || strcmp(name, "memcpy") == 0 || strcmp(name, "memmove") == 0) {
        *out = move_bytes(cx, e, name);
        return 1;
    }
    if (rewritten(cx, e, name, out) || dropped(cx, e, name, as_statement, out)) return 1;
    *out = ac_bad();
    return refused(cx, e, name);
}
