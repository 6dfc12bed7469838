/* test_ad_random.c - random programs: for the emitted tangent and reverse of each,
 *
 *     w . (J v) = v . (J^T w)
 *
 * what forward over reverse adds is symmetric, d1 . (H_u d2) = d2 . (H_u d1), and every nonzero of J is in the pattern. The
 * programs have overwritten scalars, accumulators, local arrays, carried recurrences in scalars and arrays, nested loops in both
 * directions with indices that wrap around or stop at the ends, branches, early exits by flags, outputs that are read back or
 * assigned again. The reverse of every other program is made of its loops cut into pieces. COSTATE_SEED chooses other programs,
 * COSTATE_PROGRAMS their number. */
#include "tree/activity.h"
#include "base/arena.h"
#include "emit/emit.h"
#include "tree/flow.h"
#include "tree/loops.h"
#include "emit/pattern.h"
#include "tree/rules.h"
#include "tree/tree.h"
#include "shape/passes.h"

#include <costate/runtime.h>

#include <dlfcn.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { NY = 12, NP = 11, NF = 12, EXTENT = 12, BATCH = 400 };

/* ---- chance ------------------------------------------------------------------------------------------------------------ */

static uint64_t chance_next(uint64_t *s)
{
    uint64_t z = (*s += 0x9e3779b97f4a7c15u);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* ---- programs ---------------------------------------------------------------------------------------------------------- */

enum { DEPTH = 4, SCALARS = 5, ARRAYS = 3, WHOLES = 3 };

typedef struct maker {
    ad_arena *m;
    ad_fn *fn;
    uint64_t seed;
    int loops;
    struct {
        ad_sym *sym;
        int lo, hi; /* values it takes */
    } counter[DEPTH];
    ad_sym *scalar[64], *array[16], *whole[16]; /* in scope */
    int scalars, arrays, wholes;
    int written; /* 1: the outputs have values */
    int budget;  /* statements left */
} maker;

static int pick(maker *k, int n)
{
    return (int)(chance_next(&k->seed) % (uint64_t)n);
}

static int one_in(maker *k, int n)
{
    return pick(k, n) == 0;
}

static ad_node *modulo(maker *k, ad_node *e, int n)
{
    ad_arena *m = k->m;
    ad_node *r = ad_new(m, AD_MOD, AD_INT, 2, e, ad_whole(m, n));
    return ad_new(m, AD_MOD, AD_INT, 2, ad_new(m, AD_ADD, AD_INT, 2, r, ad_whole(m, n)), ad_whole(m, n));
}

/* e where it is within 0 .. n-1, else the nearer end. */
static ad_node *clamped(maker *k, ad_node *e, int n)
{
    ad_arena *m = k->m;
    ad_node *below = ad_new(m, AD_LT, AD_INT, 2, e, ad_whole(m, 0));
    ad_node *above = ad_new(m, AD_GE, AD_INT, 2, ad_copy(m, e, NULL), ad_whole(m, n));
    ad_node *upper = ad_new(m, AD_COND, AD_INT, 3, above, ad_whole(m, n - 1), ad_copy(m, e, NULL));
    return ad_new(m, AD_COND, AD_INT, 3, below, ad_whole(m, 0), upper);
}

/* An index within 0 .. n-1: a constant, a counter and an offset, wrapped or clamped where it leaves, or anything modulo n. */
static ad_node *index_of(maker *k, int n)
{
    ad_arena *m = k->m;
    int kind = pick(k, 8);
    if (k->loops > 0 && kind < 5) {
        int c = pick(k, k->loops);
        int lo = k->counter[c].lo, hi = k->counter[c].hi, shift = pick(k, 3) - 1;
        if (one_in(k, 3)) shift = 0;
        if (lo + shift >= 0 && hi + shift < n) return ad_add(m, ad_use(m, k->counter[c].sym), ad_whole(m, shift));
        ad_node *e = ad_add(m, ad_use(m, k->counter[c].sym), ad_whole(m, shift));
        return one_in(k, 2) ? clamped(k, e, n) : modulo(k, e, n);
    }
    if (k->wholes > 0 && kind < 7) return modulo(k, ad_use(m, k->whole[pick(k, k->wholes)]), n);
    return ad_whole(m, pick(k, n));
}

static ad_node *leaf(maker *k)
{
    ad_arena *m = k->m;
    switch (pick(k, 10)) {
    case 0: return ad_num(m, (double)(pick(k, 19) - 9) / 4);
    case 1:
    case 2: return ad_elem(m, k->fn->y, index_of(k, NY));
    case 3: return ad_elem(m, k->fn->p, index_of(k, NP));
    case 4:
    case 5:
        if (k->arrays > 0) return ad_elem(m, k->array[pick(k, k->arrays)], index_of(k, EXTENT));
        break;
    case 6:
        if (k->written && one_in(k, 6)) return ad_elem(m, k->fn->out, index_of(k, NF));
        break;
    default: break;
    }
    if (k->scalars > 0) return ad_use(m, k->scalar[pick(k, k->scalars)]);
    return ad_elem(m, k->fn->y, index_of(k, NY));
}

static ad_node *square_plus_one(maker *k, ad_node *e)
{
    ad_arena *m = k->m;
    return ad_new(m, AD_ADD, AD_DOUBLE, 2, ad_new(m, AD_MUL, AD_DOUBLE, 2, e, ad_copy(m, e, NULL)), ad_num(m, 1));
}

static ad_node *compare(maker *k);

static ad_node *expression(maker *k, int depth)
{
    ad_arena *m = k->m;
    if (depth <= 0 || one_in(k, 6)) return leaf(k);
    ad_node *a = expression(k, depth - 1);
    switch (pick(k, 13)) {
    case 0:
    case 1: return ad_new(m, AD_ADD, AD_DOUBLE, 2, a, expression(k, depth - 1));
    case 2:
    case 3: return ad_new(m, AD_SUB, AD_DOUBLE, 2, a, expression(k, depth - 1));
    case 4:
    case 5:
    case 6: return ad_new(m, AD_MUL, AD_DOUBLE, 2, a, expression(k, depth - 1));
    case 7: return ad_new(m, AD_DIV, AD_DOUBLE, 2, a, square_plus_one(k, expression(k, depth - 2)));
    case 8: return ad_call(m, ad_rule_find("sin"), a, NULL);
    case 9: return ad_call(m, ad_rule_find("sqrt"), square_plus_one(k, a), NULL);
    case 10: return ad_call(m, ad_rule_find("tanh"), a, NULL);
    case 11: return ad_new(m, AD_COND, AD_DOUBLE, 3, compare(k), a, expression(k, depth - 1));
    default: return ad_new(m, AD_NEG, AD_DOUBLE, 1, a);
    }
}

/* Values stay within reach of the rounding that the test allows. */
static ad_node *tame(maker *k, int depth)
{
    ad_node *bounded = ad_call(k->m, ad_rule_find(one_in(k, 2) ? "sin" : "tanh"), expression(k, depth), NULL);
    return ad_new(k->m, AD_MUL, AD_DOUBLE, 2, ad_num(k->m, 0.4), bounded);
}

static ad_node *compare(maker *k)
{
    ad_arena *m = k->m;
    static const ad_op op[] = {AD_LT, AD_LE, AD_GT, AD_GE};
    if (k->loops > 0 && one_in(k, 4))
        return ad_new(m, op[pick(k, 4)], AD_INT, 2, ad_use(m, k->counter[pick(k, k->loops)].sym), ad_whole(m, pick(k, 9)));
    if (k->loops > 0 && one_in(k, 2))
        return ad_new(m, AD_EQ, AD_INT, 2, modulo(k, ad_use(m, k->counter[pick(k, k->loops)].sym), 2 + pick(k, 2)),
                      ad_whole(m, 0));
    if (k->wholes > 0 && one_in(k, 3))
        return ad_new(m, op[pick(k, 4)], AD_INT, 2, modulo(k, ad_use(m, k->whole[pick(k, k->wholes)]), 4), ad_whole(m, 2));
    return ad_new(m, op[pick(k, 4)], AD_INT, 2, leaf(k), ad_num(m, (double)(pick(k, 9) - 4) / 3));
}

static ad_node *whole_expression(maker *k)
{
    ad_arena *m = k->m;
    ad_node *e = k->loops > 0 ? ad_use(m, k->counter[pick(k, k->loops)].sym) : ad_whole(m, pick(k, 7));
    if (k->wholes > 0 && one_in(k, 2)) e = ad_new(m, AD_ADD, AD_INT, 2, e, modulo(k, ad_use(m, k->whole[pick(k, k->wholes)]), 5));
    if (one_in(k, 2))
        e = ad_new(m, AD_ADD, AD_INT, 2, ad_new(m, AD_MUL, AD_INT, 2, e, ad_whole(m, 1 + pick(k, 3))), ad_whole(m, pick(k, 3)));
    return e;
}

static ad_sym *local(maker *k, const char *name, ad_type type)
{
    return ad_sym_new(k->m, k->fn, name, type, AD_LOCAL);
}

static ad_node *counted(maker *k, ad_sym *i, int from, int to, int step, ad_node *body)
{
    ad_node *n = ad_new(k->m, AD_FOR, AD_INT, 3, ad_whole(k->m, from), ad_whole(k->m, to), body);
    n->sym = i;
    n->whole = step;
    return n;
}

static void statements(maker *k, ad_node *block, int count);

static void declare_scalar(maker *k, ad_node *block)
{
    if (k->scalars >= 60) return;
    ad_sym *s = local(k, "x", AD_DOUBLE);
    ad_append(k->m, block, ad_decl(k->m, s));
    if (!one_in(k, 4)) ad_append(k->m, block, ad_set(k->m, ad_use(k->m, s), one_in(k, 4) ? ad_num(k->m, 0) : tame(k, 2)));
    else ad_append(k->m, block, ad_set(k->m, ad_use(k->m, s), ad_num(k->m, 0.5)));
    k->scalar[k->scalars++] = s;
}

static void declare_array(maker *k, ad_node *block)
{
    if (k->arrays >= 14) return;
    ad_arena *m = k->m;
    ad_sym *a = local(k, "a", AD_DOUBLE);
    a->array = 1;
    a->extent = ad_whole(m, EXTENT);
    ad_append(m, block, ad_decl(m, a));
    ad_sym *i = ad_sym_new(m, k->fn, "i", AD_INT, AD_COUNTER);
    ad_node *body = ad_block(m);
    if (k->loops < DEPTH) {
        k->counter[k->loops].sym = i;
        k->counter[k->loops].lo = 0;
        k->counter[k->loops++].hi = EXTENT - 1;
        ad_append(m, body, ad_set(m, ad_elem(m, a, ad_use(m, i)), one_in(k, 3) ? ad_num(m, 0) : tame(k, 2)));
        k->loops--;
    } else {
        ad_append(m, body, ad_set(m, ad_elem(m, a, ad_use(m, i)), ad_num(m, 0.25)));
    }
    ad_append(m, block, counted(k, i, 0, EXTENT, 1, body));
    k->array[k->arrays++] = a;
}

static void declare_whole(maker *k, ad_node *block)
{
    if (k->wholes >= 14) return;
    ad_sym *s = local(k, "n", AD_INT);
    ad_append(k->m, block, ad_decl(k->m, s));
    ad_append(k->m, block, ad_set(k->m, ad_use(k->m, s), whole_expression(k)));
    k->whole[k->wholes++] = s;
}

static void loop(maker *k, ad_node *block)
{
    ad_arena *m = k->m;
    if (k->loops >= 3) return;
    ad_sym *i = ad_sym_new(m, k->fn, "i", AD_INT, AD_COUNTER);
    if (one_in(k, 6)) i->ctype = "size_t";
    int lo = pick(k, 3), hi = lo + (one_in(k, 3) ? 8 : pick(k, 5)), step = one_in(k, 4) ? 2 : 1,
        down = strcmp(i->ctype, "int") == 0 && one_in(k, 4);
    maker outer = *k;
    k->counter[k->loops].sym = i;
    k->counter[k->loops].lo = lo;
    k->counter[k->loops++].hi = hi;
    ad_node *body = ad_block(m);
    ad_sym *stop = NULL;
    if (one_in(k, 6)) { /* break by a flag */
        stop = local(k, "stop", AD_INT);
        ad_append(m, block, ad_decl(m, stop));
        ad_append(m, block, ad_set(m, ad_use(m, stop), ad_whole(m, 0)));
        ad_node *rest = ad_block(m), *leave = ad_block(m);
        statements(k, rest, 1 + pick(k, 3));
        ad_append(m, leave, ad_set(m, ad_use(m, stop), ad_whole(m, 1)));
        ad_append(m, rest, ad_new(m, AD_IF, AD_INT, 3, compare(k), leave, NULL));
        ad_append(m, body, ad_new(m, AD_IF, AD_INT, 3, ad_new(m, AD_NOT, AD_INT, 1, ad_use(m, stop)), rest, NULL));
    } else {
        statements(k, body, 1 + pick(k, 4));
    }
    ad_append(m, block, down ? counted(k, i, hi, lo - 1, -step, body) : counted(k, i, lo, hi + 1, step, body));
    k->loops = outer.loops;
    k->scalars = outer.scalars;
    k->arrays = outer.arrays;
    k->wholes = outer.wholes;
}

static void branch(maker *k, ad_node *block)
{
    ad_arena *m = k->m;
    ad_node *condition = compare(k), *arm[2] = {ad_block(m), NULL};
    if (one_in(k, 2)) arm[1] = ad_block(m);
    for (int i = 0; i < 2; i++) {
        maker outer = *k;
        if (arm[i]) statements(k, arm[i], 1 + pick(k, 3));
        k->scalars = outer.scalars;
        k->arrays = outer.arrays;
        k->wholes = outer.wholes;
    }
    ad_append(m, block, ad_new(m, AD_IF, AD_INT, 3, condition, arm[0], arm[1]));
}

static void assign(maker *k, ad_node *block, ad_node *target)
{
    ad_arena *m = k->m;
    int kind = pick(k, 5);
    if (kind < 2) ad_append(m, block, ad_inc(m, target, tame(k, 2)));
    else if (kind == 2)
        ad_append(
            m, block,
            ad_set(m, target,
                   ad_call(m, ad_rule_find("sin"), ad_new(m, AD_MUL, AD_DOUBLE, 2, ad_copy(m, target, NULL), leaf(k)), NULL)));
    else if (kind == 3 && one_in(k, 4)) ad_append(m, block, ad_set(m, target, ad_num(m, 0)));
    else ad_append(m, block, ad_set(m, target, tame(k, 3)));
}

static void statement(maker *k, ad_node *block)
{
    ad_arena *m = k->m;
    if (k->budget-- <= 0) return;
    switch (pick(k, 16)) {
    case 0: declare_scalar(k, block); break;
    case 1: declare_array(k, block); break;
    case 2: declare_whole(k, block); break;
    case 3:
    case 4:
    case 5: loop(k, block); break;
    case 6:
    case 7: branch(k, block); break;
    case 8:
        if (k->wholes > 0) {
            ad_sym *s = k->whole[pick(k, k->wholes)];
            ad_node *e = one_in(k, 2) ? ad_new(m, AD_ADD, AD_INT, 2, ad_use(m, s), ad_whole(m, 1)) : whole_expression(k);
            ad_append(m, block, ad_set(m, ad_use(m, s), modulo(k, e, 11)));
        }
        break;
    case 9:
    case 10:
    case 11:
        if (k->arrays > 0) assign(k, block, ad_elem(m, k->array[pick(k, k->arrays)], index_of(k, EXTENT)));
        break;
    case 12:
        ad_append(m, block, ad_inc(m, ad_elem(m, k->fn->out, index_of(k, NF)), tame(k, 2)));
        break;
    case 13:
        if (one_in(k, 4)) assign(k, block, ad_elem(m, k->fn->out, index_of(k, NF)));
        break;
    default:
        if (k->scalars > 0) assign(k, block, ad_use(m, k->scalar[pick(k, k->scalars)]));
        break;
    }
}

static void statements(maker *k, ad_node *block, int count)
{
    for (int i = 0; i < count; i++) statement(k, block);
}

static ad_sym *parameter(maker *k, const char *name, ad_role role, int array)
{
    ad_sym *s = ad_sym_new(k->m, k->fn, name, AD_DOUBLE, role);
    s->array = array;
    k->fn->param[k->fn->params++] = s;
    return s;
}

static ad_fn *program(ad_arena *m, uint64_t seed)
{
    ad_fn *fn = ad_take(m, sizeof *fn);
    maker k = {.m = m, .fn = fn, .seed = seed * 7919 + 13, .budget = 12};
    fn->name = "f";
    fn->t = parameter(&k, "t", AD_INPUT, 0);
    fn->y = parameter(&k, "y", AD_INPUT, 1);
    fn->p = parameter(&k, "p", AD_INPUT, 1);
    fn->out = parameter(&k, "f", AD_OUTPUT, 1);
    fn->out->extent = ad_whole(m, NF);
    fn->body = ad_block(m);
    ad_sym *i = ad_sym_new(m, fn, "i", AD_INT, AD_COUNTER);
    ad_node *body = ad_block(m);
    ad_append(m, body, ad_set(m, ad_elem(m, fn->out, ad_use(m, i)), one_in(&k, 2) ? ad_num(m, 0) : expression(&k, 1)));
    ad_append(m, fn->body, counted(&k, i, 0, NF, 1, body));
    k.written = 1;
    declare_scalar(&k, fn->body);
    declare_scalar(&k, fn->body);
    if (one_in(&k, 2)) declare_array(&k, fn->body);
    statements(&k, fn->body, 3 + pick(&k, 6));
    for (int e = 0; e < NF; e++) { /* everything reaches an output */
        ad_node *sum = ad_num(m, 0);
        for (int s = e; s < k.scalars; s += NF) sum = ad_add(m, sum, ad_use(m, k.scalar[s]));
        for (int s = 0; s < k.arrays; s++) sum = ad_add(m, sum, ad_elem(m, k.array[s], ad_whole(m, e % EXTENT)));
        ad_append(m, fn->body, ad_inc(m, ad_elem(m, fn->out, ad_whole(m, e)), sum));
    }
    return fn;
}

/* ---- emitted, compiled, called ----------------------------------------------------------------------------------------- */

/* The arguments of every function, by slot. */
typedef struct numbers {
    double t, y[NY], p[NP], f[NF], y1[NY], p1[NP], f1[NF], u[NF], yb[NY], pb[NP], y2[NY], p2[NP], yb2[NY], pb2[NP];
} numbers;

static const struct {
    const char *slot, *text;
} slots[] = {{"t", "z->t"},     {"y", "z->y"}, {"p", "z->p"},   {"out", "z->f"}, {"y1", "z->y1"},   {"p1", "z->p1"},
             {"out1", "z->f1"}, {"u", "z->u"}, {"yb", "z->yb"}, {"pb", "z->pb"}, {"yb1", "z->yb2"}, {"pb1", "z->pb2"}};

static void emit(ad_out *o, ad_fn *fn, const char *name)
{
    ad_emit how = {.name = ad_text(o->m, "%s_", name)};
    ad_emit_fn(o, fn, &how);
    ad_put(o, "int %s(numbers *z);\nint %s(numbers *z)\n{\n    return %s_(", name, name, name);
    for (int i = 0; i < fn->params; i++) {
        const char *slot = ad_slot(fn, fn->param[i]), *text = NULL;
        for (size_t s = 0; s < sizeof slots / sizeof *slots; s++)
            if (slot && strcmp(slots[s].slot, slot) == 0) text = slots[s].text;
        assert_non_null(text);
        ad_put(o, "%s%s", i ? ", " : "", text);
    }
    ad_put(o, ");\n}\n\n");
}

static void emit_program(ad_out *o, ad_arena *m, uint64_t seed)
{
    ad_fn *f = program(m, seed);
    /* cut into pieces or not, which plans for several lanes are not; shaped or not */
    const int lanes = seed % 2 == 0;
    const ad_plan jvp = {.lanes = 1, .levels = 1, .move = {"yp"}}, vjp = {.lanes = lanes, .by = AD_BY_Y | AD_BY_P},
                  dot = {.lanes = lanes, .by = AD_BY_Y | AD_BY_P, .levels = 1, .move = {"yp"}}, shape = {.checked = 1};
    ad_fn *tangent = ad_derive(m, f, &jvp), *reverse = ad_derive(m, f, &vjp), *second = ad_derive(m, f, &dot);
    assert_non_null(reverse);
    assert_non_null(second);
    if (seed % 3) ad_shape(m, reverse, &shape);
    if (seed % 3) ad_shape(m, second, &shape);
    emit(o, tangent, ad_text(m, "jvp_%llu", (unsigned long long)seed));
    emit(o, reverse, ad_text(m, "vjp_%llu", (unsigned long long)seed));
    emit(o, second, ad_text(m, "dot_%llu", (unsigned long long)seed));
    ad_put_pattern(o, f, ad_text(m, "pattern_%llu", (unsigned long long)seed), NY, NP, 0);
}

typedef struct batch {
    char folder[64], source[96], library[96];
    void *handle;
} batch;

static void compile(batch *b, const ad_out *o, const char *optimize)
{
    snprintf(b->folder, sizeof b->folder, "/tmp/costate-random-XXXXXX");
    assert_non_null(mkdtemp(b->folder));
    snprintf(b->source, sizeof b->source, "%s/programs.c", b->folder);
    snprintf(b->library, sizeof b->library, "%s/programs.so", b->folder);
    FILE *file = fopen(b->source, "w");
    assert_non_null(file);
    fputs(ad_out_text(o), file);
    assert_int_equal(fclose(file), 0);
    const char *cc = getenv("CC") && *getenv("CC") ? getenv("CC") : "cc";
    pid_t child = fork();
    if (child == 0) {
        execlp(cc, cc, "-std=gnu11", optimize, "-Wall", "-Wextra", "-Werror", "-Wno-unused-function",
               "-Wno-misleading-indentation", "-Wno-type-limits", "-fopenmp-simd", "-shared", "-fPIC", "-I" SOURCE_DIR "/include",
               b->source, "-o", b->library, "-lm", (char *)NULL);
        _exit(127);
    }
    int status = 1;
    assert_true(child > 0 && waitpid(child, &status, 0) == child);
    assert_int_equal(status, 0);
    b->handle = dlopen(b->library, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(b->handle);
}

static void throw_away(batch *b)
{
    dlclose(b->handle);
    remove(b->source);
    remove(b->library);
    rmdir(b->folder);
}

/* A function of the batch. */
typedef union symbol {
    void *object;
    int (*code)(numbers *z);
    int (*pattern)(double t, const double *y, const double *p, costate_pattern_sink *sink, void *data);
} symbol;

static symbol find(const batch *b, const char *name, unsigned long long seed)
{
    char text[64];
    snprintf(text, sizeof text, "%s_%llu", name, seed);
    const symbol f = {dlsym(b->handle, text)};
    assert_non_null(f.object);
    return f;
}

static void call(const batch *b, const char *name, unsigned long long seed, numbers *z)
{
    assert_int_equal(find(b, name, seed).code(z), 0);
}

/* sum of a_i b_i, and of |a_i b_i| */
static double dot(int n, const double *a, const double *b, double *size)
{
    double s = 0;
    for (int i = 0; i < n; i++) {
        s += a[i] * b[i];
        *size += fabs(a[i] * b[i]);
    }
    return s;
}

static void fill(double *a, size_t n, uint64_t *seed)
{
    for (size_t i = 0; i < n; i++) a[i] = 2 * (double)(chance_next(seed) >> 11) / 9007199254740992.0 - 1;
}

/* The defects of both identities, relative to the size of the sums. */
static int holds(const batch *b, unsigned long long seed)
{
    uint64_t s = seed;
    numbers z = {.t = 0.5};
    fill(z.y, NY, &s);
    fill(z.p, NP, &s);
    fill(z.y1, NY, &s);
    fill(z.p1, NP, &s);
    fill(z.u, NF, &s);
    fill(z.y2, NY, &s);
    fill(z.p2, NP, &s);
    call(b, "jvp", seed, &z);
    call(b, "vjp", seed, &z);
    double size = 1e-3, left = dot(NF, z.u, z.f1, &size), right = dot(NY, z.y1, z.yb, &size) + dot(NP, z.p1, z.pb, &size);
    double size2 = 1e-3;
    numbers one = z, two = z;
    memcpy(two.y1, z.y2, sizeof z.y2);
    memcpy(two.p1, z.p2, sizeof z.p2);
    call(b, "dot", seed, &one);
    call(b, "dot", seed, &two);
    double ab = dot(NY, z.y2, one.yb2, &size2) + dot(NP, z.p2, one.pb2, &size2);
    double ba = dot(NY, z.y1, two.yb2, &size2) + dot(NP, z.p1, two.pb2, &size2);
    if (fabs(left - right) <= 1e-11 * size && fabs(ab - ba) <= 1e-11 * size2) return 1;
    print_error("program %llu: w.Jv = %.17g, v.J'w = %.17g; d1.H d2 = %.17g, d2.H d1 = %.17g\n", seed, left, right, ba, ab);
    return 0;
}

/* 1: what J has outside of the pattern is zero. */
static int covered(const batch *b, unsigned long long seed)
{
    uint64_t s = seed;
    numbers z = {.t = 0.5};
    fill(z.y, NY, &s);
    fill(z.p, NP, &s);
    costate_index_set row[NF] = {{0}};
    costate_pattern_sink sink = {.rows = NF, .states = NY, .params = 1, .row = row};
    assert_int_equal(find(b, "pattern", seed).pattern(z.t, z.y, z.p, &sink, NULL), 0);
    unsigned char may[NF][NY + NP] = {{0}};
    for (int i = 0; i < NF; i++) {
        for (int k = 0; k < row[i].count; k++) may[i][row[i].item[k]] = 1;
        costate_set_free(&row[i]);
    }
    int outside = 0;
    for (int j = 0; j < NY + NP; j++) {
        memset(z.y1, 0, sizeof z.y1);
        memset(z.p1, 0, sizeof z.p1);
        *(j < NY ? &z.y1[j] : &z.p1[j - NY]) = 1;
        call(b, "jvp", seed, &z);
        for (int i = 0; i < NF; i++) outside += z.f1[i] != 0 && !may[i][j];
    }
    if (outside) print_error("program %llu: %d nonzeros outside of the pattern\n", seed, outside);
    return !outside;
}

static void check(unsigned long long first, unsigned long long programs, const char *optimize)
{
    volatile unsigned long long failed = 0;
    print_message("programs %llu to %llu\n", first, first + programs - 1);
    for (unsigned long long at = 0; at < programs; at += BATCH) {
        jmp_buf full;
        ad_arena *m = ad_arena_open(&full, 0);
        assert_non_null(m);
        if (setjmp(full)) fail_msg("out of memory");
        ad_out o = {.m = m};
        ad_puts(&o, "#include <math.h>\n#include <costate/runtime.h>\n");
        ad_put(&o,
               "typedef struct numbers {\n    double t, y[%d], p[%d], f[%d], y1[%d], p1[%d], f1[%d], u[%d], yb[%d], pb[%d], "
               "y2[%d], p2[%d], yb2[%d], pb2[%d];\n} numbers;\n",
               NY, NP, NF, NY, NP, NF, NF, NY, NP, NY, NP, NY, NP);
        for (unsigned long long i = at; i < at + BATCH && i < programs; i++) emit_program(&o, m, first + i);
        batch b;
        compile(&b, &o, optimize);
        for (unsigned long long i = at; i < at + BATCH && i < programs; i++)
            failed += !holds(&b, first + i) || !covered(&b, first + i);
        throw_away(&b);
        ad_arena_close(m);
    }
    assert_int_equal(failed, 0);
}

static unsigned long long setting(const char *name, unsigned long long otherwise)
{
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : otherwise;
}

static void identities(void **state)
{
    (void)state;
    check(setting("COSTATE_SEED", 1), setting("COSTATE_PROGRAMS", 2000), "-O0");
}

/* Compiled so that loops that are marked run as vectors. */
static void vectors(void **state)
{
    (void)state;
    check(setting("COSTATE_SEED", 1) + 1000000, setting("COSTATE_PROGRAMS", 2000) / 40, "-O2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(identities), cmocka_unit_test(vectors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
