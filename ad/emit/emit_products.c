/* emit_products.c - which trees make a product, and the C functions around them.
 *
 *   jvp      tangent(f)                       out1
 *   jvp2     tangent(tangent(f))              out12
 *   vjp      reverse(f)                       yb, pb
 *   vjp_dot  tangent(reverse(f))              yb, yb1, pb, pb1
 *   vjp_dot2 tangent(tangent(reverse(f)))     yb12, pb12
 *
 * A product has variants for what callers leave out. Each variant is a tree of its own, emitted for one lane, four, eight, and any number (in
 * chunks of four). The outermost function takes the first variant that has all that it was given; zeros stand in for what is missing. */
#include "emit/emit_products.h"

#include "base/arena.h"
#include "emit/emit.h"
#include "tree/flow.h"
#include "shape/passes.h"

#include <stdlib.h>
#include <string.h>

enum { ARGS = 10, VARIANTS = 5, ZEROS = 64, LARGE = 60 };

/* An argument with lanes, in the order of the C signature. */
typedef struct arg {
    const char *slot, *name;
    int out; /* 1: written or added to */
} arg;

typedef struct variant {
    const char *name;    /* appended to the product's */
    const char *by;      /* reverse: "y", "p", "yp"; "": forward only */
    const char *move[2]; /* slots that move at level 1 and 2, as letters t y p u; "": no tangent */
    int keep;            /* enum ad_keep */
    int usual;           /* 1: what the methods ask for at every stage, so made for large functions too, where compiling takes time */
} variant;

/* Letters for slots that the function does not use are dropped, and variants that then repeat an earlier one. */
static const struct product {
    const char *name;
    arg arg[ARGS];
    variant variant[VARIANTS];
} products[] = {
    {"jvp",
     {{"t1", "tdot", 0}, {"y1", "ydot", 0}, {"p1", "pdot", 0}, {"out1", "fdot", 1}},
     {{"y", "", {"y", ""}, 0, 1}, {"p", "", {"p", ""}, 0, 0}, {"yp", "", {"yp", ""}, 0, 0}, {"typ", "", {"typ", ""}, 0, 1}}},
    {"vjp",
     {{"u", "u", 0}, {"yb", "yb", 1}, {"pb", "pb", 1}},
     {{"y", "y", {"", ""}, 0, 1}, {"p", "p", {"", ""}, 0, 0}, {"yp", "yp", {"", ""}, 0, 1}}},
    {"jvp2",
     {{"t1", "tdot1", 0}, {"y1", "ydot1", 0}, {"p1", "pdot1", 0}, {"t2", "tdot2", 0}, {"y2", "ydot2", 0}, {"p2", "pdot2", 0}, {"out12", "fdd", 1}},
     {{"y_ty", "", {"y", "ty"}, 0, 1}, {"yp_ty", "", {"yp", "ty"}, 0, 1}, {"typ_typ", "", {"typ", "typ"}, 0, 1}}},
    {"vjp_dot",
     {{"t1", "tdot", 0}, {"y1", "ydot", 0}, {"p1", "pdot", 0}, {"u", "u", 0}, {"u1", "udot", 0}, {"yb", "yb", 1}, {"yb1", "ybdot", 1},
      {"pb", "pb", 1}, {"pb1", "pbdot", 1}},
     {{"yp", "y", {"yp", ""}, AD_KEEP_NONE, 1},
      {"ty", "yp", {"ty", ""}, AD_KEEP_NONE, 1},
      {"second", "yp", {"ypu", ""}, AD_KEEP_BUT_PB, 1},
      {"full", "yp", {"typu", ""}, AD_KEEP_ALL, 1}}},
    {"vjp_dot2",
     {{"t1", "tdot1", 0}, {"y1", "ydot1", 0}, {"p1", "pdot1", 0}, {"t2", "tdot2", 0}, {"y2", "ydot2", 0}, {"p2", "pdot2", 0}, {"u", "u", 0},
      {"yb12", "yb", 1}, {"pb12", "pb", 1}},
     {{"yp_ty", "yp", {"yp", "ty"}, 0, 1}, {"typ_typ", "yp", {"typ", "typ"}, 0, 1}}},
};

/* ---- trees -------------------------------------------------------------------------------------------------------------------- */

static int uses_slot(const ad_fn *fn, char letter)
{
    const ad_sym *s = ad_at_slot(fn, letter == 't' ? "t" : letter == 'y' ? "y" : letter == 'p' ? "p" : "u");
    return s && ad_uses(fn->body, s);
}

/* The letters whose slots are there; u always is, after reverse. */
static const char *present(ad_arena *m, const ad_fn *fn, const char *letters)
{
    char *kept = ad_text(m, "%s", letters), *to = kept;
    for (const char *c = letters; *c; c++)
        if (*c == 'u' || uses_slot(fn, *c)) *to++ = *c;
    *to = 0;
    return kept;
}

/* The plan for several lanes. levels: tangents to take, though nothing may move. */
static ad_plan plan_for(const ad_subject *s, const variant *v, int levels)
{
    return (ad_plan){.lanes = 1, .by = (strchr(v->by, 'y') ? AD_BY_Y : 0u) | (strchr(v->by, 'p') ? AD_BY_P : 0u), .levels = levels,
                     .move = {v->move[0], v->move[1]}, .keep = v->keep, .checked = s->nan_check, .watch = s->watch};
}

/* ---- C functions ---------------------------------------------------------------------------------------------------------------- */

static int rows_of(const ad_subject *s, const char *slot)
{
    return slot[0] == 't' ? 1 : slot[0] == 'y' ? s->rows[0] : slot[0] == 'p' ? s->rows[1] : s->rows[2];
}

static int has_lanes(const ad_sym *s)
{
    return s->lane;
}

/* Arguments of a call: those with lanes get an ending. */
static void put_args(ad_out *o, const ad_fn *fn, const char *ending)
{
    for (int i = 0; i < fn->params; i++) {
        const ad_sym *s = fn->param[i];
        ad_put(o, "%s%s%s", i ? ", " : "", s->name, s->points ? "_at" : has_lanes(s) ? ending : "");
    }
}

/* The last one to three lanes, copied into a block of four. */
static void put_rest(ad_out *o, const ad_subject *s, const ad_fn *fn, const char *name, int cut)
{
    ad_puts(o, "    if (done == lanes) return 0;\n"
               "    const int rest = lanes - done, width = rest == 1 ? 1 : 4;\n"
               "    costate_work *work = costate_work_open();\n"
               "    if (!work) return -1;\n"
               "    const costate_mark mark = costate_scratch_mark(work);\n");
    for (int i = 0; i < fn->params; i++) {
        const ad_sym *x = fn->param[i];
        if (!has_lanes(x)) continue;
        int rows = rows_of(s, ad_slot(fn, x));
        if (x->role == AD_INPUT) ad_put(o, "    double *%s_rest = costate_lanes_in(work, %s + done, %d, lanes, rest, width);\n", x->name, x->name, rows);
        else ad_put(o, "    double *%s_rest = costate_scratch_zero(work, (size_t)width * %d);\n", x->name, rows);
        ad_put(o, "    if (!%s_rest) return costate_scratch_back(work, mark, -1);\n", x->name);
    }
    ad_put(o, "    const int status = width == 1 ? %s_1(", name);
    put_args(o, fn, "_rest");
    ad_put(o, ") : %s%s", name, cut ? "_any(4, " : "_4(");
    put_args(o, fn, "_rest");
    ad_puts(o, ");\n");
    for (int i = 0; i < fn->params; i++) {
        const ad_sym *x = fn->param[i];
        if (!has_lanes(x) || x->role == AD_INPUT) continue;
        ad_put(o, "    costate_lanes_out(%s + done, %s_rest, %d, lanes, rest, width, %d);\n", x->name, x->name, rows_of(s, ad_slot(fn, x)),
               x->role == AD_SUM);
    }
    ad_puts(o, "    return costate_scratch_back(work, mark, status);\n");
}

static void put_instance(ad_out *o, const ad_fn *fn, const char *name, const char *ending, const char *first, const char *sizes)
{
    ad_put(o, "static int %s_%s(%s", name, ending, first);
    ad_emit_params(o, fn, 1);
    ad_put(o, ")\n{\n    return %s_lanes(%s, ", name, sizes);
    put_args(o, fn, "");
    ad_puts(o, ");\n}\n\n");
}

/* name_1 and name_any; name_4 and, unless the function is large, name_8 if the body is not cut. fn: as derived by the plan, which
 * is for several lanes. Returns the widest with a function of its own; 0: cannot be had for one lane. */
static int put_widths(ad_out *o, const ad_subject *s, const ad_plan *plan, const ad_fn *fn, const char *name)
{
    ad_plan single = *plan;
    single.lanes = 0;
    ad_fn *one = ad_derive(o->m, s->fn, &single), *wide = ad_fn_copy(o->m, fn, NULL);
    if (!one) return 0;
    ad_shape(o->m, one, &single);
    ad_emit_fn(o, one, &(ad_emit){.name = ad_text(o->m, "%s_1", name), .check = s->nan_check});
    ad_shape(o->m, wide, plan);
    const int cut = ad_emit_is_long(wide), statements = ad_emit_statements(wide);
    if (statements > *s->most) *s->most = statements;
    ad_emit_fn(o, wide, &(ad_emit){.name = ad_text(o->m, cut ? "%s_any" : "%s_lanes", name), .lanes = 1});
    if (cut) return 1;
    const int eight = ad_size(s->fn->body) <= LARGE;
    put_instance(o, fn, name, "4", "", "1, 4");
    if (eight) put_instance(o, fn, name, "8", "", "2, 8");
    if (!fn->points) put_instance(o, fn, name, "any", "const ptrdiff_t ld, ", "1, ld");
    return eight ? 8 : 4;
}

/* name(lanes, ...) for every number of lanes. -1: cannot be had. */
static int put_variant(ad_out *o, const ad_subject *s, const ad_plan *plan, const ad_fn *fn, const char *name)
{
    const int widest = put_widths(o, s, plan, fn, name);
    if (!widest) return -1;
    ad_put(o, "static int %s(int lanes, ", name);
    ad_emit_params(o, fn, 1);
    ad_puts(o, ")\n{\n");
    for (int width = 1; width <= widest; width = width == 1 ? 4 : 2 * width) {
        ad_put(o, "    if (lanes == %d) return %s_%d(", width, name, width);
        put_args(o, fn, "");
        ad_puts(o, ");\n");
    }
    ad_puts(o, "    int done = 0;\n    for (; done + 4 <= lanes; done += 4) {\n");
    ad_put(o, "        const int status = %s_any(lanes, ", name);
    put_args(o, fn, " + done");
    ad_puts(o, ");\n        if (status) return status;\n    }\n");
    put_rest(o, s, fn, name, widest == 1);
    ad_puts(o, "}\n\n");
    return 0;
}

/* ---- the outermost functions ------------------------------------------------------------------------------------------------------- */

/* The name that the outermost function has for a parameter of fn. */
static const char *outer_name(const ad_fn *fn, const ad_sym *x, const struct product *product)
{
    const char *slot = ad_slot(fn, x);
    for (const arg *a = product->arg; a->slot; a++)
        if (strcmp(a->slot, slot) == 0) return a->name;
    return slot;
}

/* zeros 1: they stand in for a direction's time that is missing. */
static void put_call(ad_out *o, const ad_fn *fn, const char *name, const struct product *product, int zeros)
{
    ad_put(o, "%s(w", name);
    for (int i = 0; i < fn->params; i++) {
        const char *outer = outer_name(fn, fn->param[i], product);
        if (zeros && has_lanes(fn->param[i]) && ad_slot(fn, fn->param[i])[0] == 't') ad_put(o, ", %s ? %s : zeros", outer, outer);
        else ad_put(o, ", %s", outer);
    }
    ad_puts(o, ")");
}

static void put_signature(ad_out *o, const ad_subject *s, const struct product *product)
{
    ad_put(o, "int %s_%s(%sdouble t, const double *y, const double *p, int w", s->name, product->name, s->objective ? "int k, " : "");
    for (const arg *a = product->arg; a->slot; a++) ad_put(o, ", %sdouble *%s", a->out ? "" : "const ", a->name);
    ad_puts(o, ", void *data)");
}

/* 1: the function itself does not depend on what the argument moves, or adds to, so that it is not looked at. */
static int ignored(const ad_subject *s, const char *slot)
{
    return (slot[0] == 't' && !uses_slot(s->fn, 't')) || (slot[0] == 'y' && !uses_slot(s->fn, 'y')) || (slot[0] == 'p' && !uses_slot(s->fn, 'p'));
}

static int always_given(const char *slot)
{
    return strncmp(slot, "out", 3) == 0 || strcmp(slot, "u") == 0;
}

/* The condition under which a variant has exactly what is given. A direction's time is small: zeros stand in for it. */
static int put_condition(ad_out *o, const ad_subject *s, const struct product *product, const ad_fn *fn)
{
    int count = 0, zeros = 0;
    for (const arg *a = product->arg; a->slot; a++) {
        if (ignored(s, a->slot) || always_given(a->slot)) continue;
        const int there = ad_at_slot(fn, a->slot) != NULL;
        ad_puts(o, count++ ? " && " : "    if (");
        if (there && a->slot[0] == 't') zeros = 1, ad_put(o, "(%s || w <= %d)", a->name, ZEROS);
        else ad_put(o, "%s%s", there ? "" : "!", a->name);
    }
    ad_puts(o, count ? ") return " : "    return ");
    return zeros;
}

/* The number of the first variant that has all that is given. */
static void put_choice(ad_out *o, const ad_subject *s, const struct product *product, int variants, ad_fn *const *fn)
{
    ad_puts(o, "    const int chosen = ");
    for (int v = 0; v + 1 < variants; v++) {
        int count = 0;
        for (const arg *a = product->arg; a->slot; a++)
            if (!ignored(s, a->slot) && !always_given(a->slot) && !ad_at_slot(fn[v], a->slot)) ad_put(o, "%s!%s", count++ ? " && " : "", a->name);
        ad_put(o, "%s ? %d : ", count ? "" : "1", v);
    }
    ad_put(o, "%d;\n", variants - 1);
}

/* Zeros for what is missing of an argument that some of the variants have. */
static void put_missing(ad_out *o, const ad_subject *s, const arg *a, int variants, ad_fn *const *fn)
{
    int has = 0;
    for (int v = 0; v < variants; v++) has += ad_at_slot(fn[v], a->slot) != NULL;
    if (!has || always_given(a->slot)) return;
    ad_put(o, "    if (!%s", a->name);
    for (int v = 0; v < variants; v++) /* not where the variant that was chosen does without it */
        if (!ad_at_slot(fn[v], a->slot)) ad_put(o, " && chosen != %d", v);
    ad_put(o, ") {\n        %s = costate_scratch_zero(work, (size_t)w * %d);\n", a->name, rows_of(s, a->slot));
    ad_put(o, "        if (!%s) return costate_scratch_back(work, mark, -1);\n    }\n", a->name);
}

static void put_outer(ad_out *o, const ad_subject *s, const struct product *product, int variants, ad_fn *const *fn, const char *const *name)
{
    put_signature(o, s, product);
    ad_puts(o, ";\n");
    put_signature(o, s, product);
    ad_puts(o, "\n{\n");
    if (!variants) {
        ad_puts(o, "    return 0; /* it depends on nothing */\n}\n\n");
        return;
    }
    if (uses_slot(s->fn, 't') && strcmp(product->name, "vjp") != 0) ad_put(o, "    static const double zeros[%d] = {0};\n", ZEROS);
    for (int v = 0; v < variants; v++) {
        const int zeros = put_condition(o, s, product, fn[v]);
        put_call(o, fn[v], name[v], product, zeros);
        ad_puts(o, ";\n");
    }
    ad_puts(o, "    costate_work *work = costate_work_open(); /* what is missing is zero, or not wanted */\n    if (!work) return -1;\n"
               "    const costate_mark mark = costate_scratch_mark(work);\n");
    if (variants > 1) put_choice(o, s, product, variants, fn);
    for (const arg *a = product->arg; a->slot; a++) put_missing(o, s, a, variants, fn);
    ad_puts(o, "    return costate_scratch_back(work, mark, ");
    for (int v = 0; v < variants; v++) {
        if (v + 1 < variants) ad_put(o, "chosen == %d ? ", v);
        put_call(o, fn[v], name[v], product, 0);
        if (v + 1 < variants) ad_puts(o, " : ");
    }
    ad_puts(o, ");\n}\n\n");
}

/* The variants that this function has a use for; returns their number. */
static int choose(ad_arena *m, const ad_subject *s, const struct product *product, variant *kept)
{
    int variants = 0;
    for (int i = 0; i < VARIANTS && product->variant[i].name; i++) {
        variant v = product->variant[i];
        const int reverse = *v.by != 0, moves = *v.move[0] != 0, last = i + 1 == VARIANTS || !product->variant[i + 1].name;
        v.by = present(m, s->fn, v.by);
        for (int j = 0; j < 2; j++) v.move[j] = present(m, s->fn, v.move[j]);
        if (reverse && !*v.by) continue;
        if (!last && (!s->frequent || ad_emit_is_long(s->fn) || (moves && !*v.move[0]))) continue;
        if (!last && !v.usual && ad_size(s->fn->body) > LARGE) continue;
        int same = 0;
        while (same < variants && (strcmp(kept[same].by, v.by) != 0 || strcmp(kept[same].move[0], v.move[0]) != 0 ||
                                   strcmp(kept[same].move[1], v.move[1]) != 0 || kept[same].keep != v.keep))
            same++;
        if (same < variants) {
            v.name = kept[same].name;
            variants--;
            for (int j = same; j < variants; j++) kept[j] = kept[j + 1];
        }
        kept[variants++] = v;
    }
    return variants;
}

int ad_put_product(ad_out *o, const ad_subject *s, const char *product_name)
{
    const struct product *product = products;
    while (strcmp(product->name, product_name) != 0) product++;
    ad_fn *fn[VARIANTS];
    const char *name[VARIANTS];
    variant kept[VARIANTS];
    const int levels = (*product->variant[0].move[0] != 0) + (*product->variant[0].move[1] != 0), variants = choose(o->m, s, product, kept);
    for (int i = 0; i < variants; i++) {
        ad_plan plan = plan_for(s, &kept[i], levels);
        name[i] = ad_text(o->m, "%s_%s_%s", s->name, product->name, kept[i].name);
        plan.product = product->name;
        plan.name = name[i];
        fn[i] = ad_derive(o->m, s->fn, &plan);
        if (!fn[i]) return -1;
        if (put_variant(o, s, &plan, fn[i], name[i])) return -1;
    }
    put_outer(o, s, product, variants, fn, name);
    return 0;
}

void ad_put_eval(ad_out *o, const ad_subject *s)
{
    ad_put_named(o, s, s->objective ? "eval" : "rhs");
}

void ad_put_named(ad_out *o, const ad_subject *s, const char *ending)
{
    const ad_fn *fn = s->fn;
    const char *name = ad_text(o->m, "%s_%s", s->name, ending);
    const ad_plan plan = {.product = ending, .name = name, .checked = s->nan_check, .watch = s->watch};
    ad_fn *one = ad_derive(o->m, fn, &plan);
    ad_shape(o->m, one, &plan);
    ad_emit_fn(o, one, &(ad_emit){.name = ad_text(o->m, "%s_1", name), .check = s->nan_check});
    for (int pass = 0; pass < 2; pass++)
        ad_put(o, "int %s(%sdouble t, const double *y, const double *p, double *out, void *data)%s", name, s->objective ? "int k, " : "",
               pass ? "\n" : ";\n");
    ad_put(o, "{\n    return %s_1(", name);
    for (int i = 0; i < fn->params; i++) ad_put(o, "%s%s", i ? ", " : "", ad_slot(fn, fn->param[i]));
    ad_puts(o, ");\n}\n\n");
}

int ad_put_points(ad_out *o, const ad_subject *s)
{
    const char *name = ad_text(o->m, "%s_vjp_points", s->name);
    const ad_plan plan = {.product = "vjp_points", .name = name, .lanes = 1, .by = AD_BY_P, .points = 1, .checked = s->nan_check,
                          .watch = s->watch};
    const ad_fn *fn = uses_slot(s->fn, 'p') && !ad_emit_is_long(s->fn) ? ad_derive(o->m, s->fn, &plan) : NULL;
    if (!fn || ad_emit_is_long(fn)) return 0;
    const int widest = put_widths(o, s, &plan, fn, name);
    if (!widest) return 0;
    for (int pass = 0; pass < 2; pass++)
        ad_put(o, "int %s(int points, const double *t, const double *const *y, const double *p, int w, const double *const *u, double *pb, void *data)%s", name,
               pass ? "\n{\n" : ";\n");
    for (int width = 1; width <= widest; width = width == 1 ? 4 : 2 * width) {
        ad_put(o, "    if (w == %d) return %s_%d(", width, name, width);
        for (int i = 0; i < fn->params; i++) ad_put(o, "%s%s", i ? ", " : "", fn->param[i] == fn->points ? "points" : ad_slot(fn, fn->param[i]));
        ad_puts(o, ");\n");
    }
    ad_puts(o, "    for (int i = 0; i < points; i++) {\n");
    ad_put(o, "        const int status = %s_vjp(t[i], y[i], p, w, u[i], NULL, pb, data);\n", s->name);
    ad_puts(o, "        if (status) return status;\n    }\n    return 0;\n}\n\n");
    return 1;
}
