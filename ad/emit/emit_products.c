/* emit_products.c - which trees make a product, and the C functions around them.
 *
 *   jvp      tangent(f)                       out1
 *   jvp2     tangent(tangent(f))              out12
 *   vjp      reverse(f)                       yb, pb
 *   vjp_dot  tangent(reverse(f))              yb, yb1, pb, pb1
 *   vjp_dot2 tangent(tangent(reverse(f)))     yb12, pb12
 *
 * A product has variants for what callers leave out. Each variant is a tree of its own (emit_instances.c). The outermost function
 * takes the first variant that has all that it was given; zeros stand in for what is missing. */
#include "emit/emit_instances.h"

#include "base/arena.h"
#include "emit/emit.h"
#include "tree/flow.h"

#include <stdlib.h>
#include <string.h>

enum { ARGS = 10, VARIANTS = 5, ZEROS = 64 };

enum { USUAL = 1, LOADED = 2 }; /* LOADED: in pieces of long functions only, where it costs nothing until it is called */

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
    int usual;           /* USUAL: what the methods ask for at every stage, so made for large functions too */
} variant;

/* Letters for slots that the function does not use are dropped, and variants that then repeat an earlier one. */
static const struct product {
    const char *name;
    arg arg[ARGS];
    variant variant[VARIANTS];
} products[] = {
    {"jvp",
     {{"t1", "tdot", 0}, {"y1", "ydot", 0}, {"p1", "pdot", 0}, {"out1", "fdot", 1}},
     {{"t", "", {"t", ""}, 0, LOADED}, {"y", "", {"y", ""}, 0, USUAL}, {"p", "", {"p", ""}, 0, 0}, {"yp", "", {"yp", ""}, 0, 0},
      {"typ", "", {"typ", ""}, 0, USUAL}}},
    {"vjp",
     {{"u", "u", 0}, {"yb", "yb", 1}, {"pb", "pb", 1}},
     {{"y", "y", {"", ""}, 0, USUAL}, {"p", "p", {"", ""}, 0, 0}, {"yp", "yp", {"", ""}, 0, USUAL}}},
    {"jvp2",
     {{"t1", "tdot1", 0}, {"y1", "ydot1", 0}, {"p1", "pdot1", 0}, {"t2", "tdot2", 0}, {"y2", "ydot2", 0}, {"p2", "pdot2", 0},
      {"out12", "fdd", 1}},
     {{"y_ty", "", {"y", "ty"}, 0, USUAL}, {"yp_ty", "", {"yp", "ty"}, 0, USUAL}, {"typ_typ", "", {"typ", "typ"}, 0, USUAL}}},
    {"vjp_dot",
     {{"t1", "tdot", 0}, {"y1", "ydot", 0}, {"p1", "pdot", 0}, {"u", "u", 0}, {"u1", "udot", 0},
      {"yb", "yb", 1}, {"yb1", "ybdot", 1}, {"pb", "pb", 1}, {"pb1", "pbdot", 1}},
     {{"yp", "y", {"yp", ""}, AD_KEEP_NONE, USUAL},
      {"ty", "yp", {"ty", ""}, AD_KEEP_NONE, USUAL},
      {"second", "yp", {"ypu", ""}, AD_KEEP_BUT_PB, USUAL},
      {"full", "yp", {"typu", ""}, AD_KEEP_ALL, USUAL}}},
    {"vjp_dot2",
     {{"t1", "tdot1", 0}, {"y1", "ydot1", 0}, {"p1", "pdot1", 0}, {"t2", "tdot2", 0}, {"y2", "ydot2", 0}, {"p2", "pdot2", 0},
      {"u", "u", 0}, {"yb12", "yb", 1}, {"pb12", "pb", 1}},
     {{"yp_ty", "yp", {"yp", "ty"}, 0, USUAL}, {"typ_typ", "yp", {"typ", "typ"}, 0, USUAL}}},
};

/* ---- trees ------------------------------------------------------------------------------------------------------------ */

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

/* The plan for several lanes. */
static ad_plan plan_for(const ad_subject *s, const struct product *product, const variant *v)
{
    const int levels = (*product->variant[0].move[0] != 0) + (*product->variant[0].move[1] != 0); /* though nothing may move */
    const unsigned by = (strchr(v->by, 'y') ? AD_BY_Y : 0u) | (strchr(v->by, 'p') ? AD_BY_P : 0u);
    return (ad_plan){.lanes = 1, .by = by, .levels = levels, .move = {v->move[0], v->move[1]}, .keep = v->keep,
                     .checked = s->nan_check, .watch = s->watch};
}

/* ---- the outermost functions ------------------------------------------------------------------------------------------ */

/* What a parameter of the user's function is in one that has data and k. */
static const char *given(const ad_subject *s, const char *slot)
{
    if (strcmp(slot, "k") == 0 && s->number) return s->number;
    if (strcmp(slot, "i") == 0) return s->nth;
    if (!s->modal) return slot;
    return strcmp(slot, "mode") == 0 ? "costate_mode(data)" : strcmp(slot, "data") == 0 ? "costate_data(data)"
           : strcmp(slot, "held") == 0 ? "(const costate_modal *)data" : slot;
}

/* The name that the outermost function has for a parameter of fn. */
static const char *outer_name(const ad_subject *s, const ad_fn *fn, const ad_sym *x, const struct product *product)
{
    const char *slot = ad_slot(fn, x);
    for (const arg *a = product->arg; a->slot; a++)
        if (strcmp(a->slot, slot) == 0) return a->name;
    return given(s, slot);
}

/* zeros 1: they stand in for a direction's time that is missing. */
static void put_call(ad_out *o, const ad_subject *s, const ad_fn *fn, const char *name, const struct product *product, int zeros)
{
    ad_put(o, "%s(w", name);
    for (int i = 0; i < fn->params; i++) {
        const char *outer = outer_name(s, fn, fn->param[i], product);
        if (zeros && fn->param[i]->lane && ad_slot(fn, fn->param[i])[0] == 't') ad_put(o, ", %s ? %s : zeros", outer, outer);
        else ad_put(o, ", %s", outer);
    }
    ad_puts(o, ")");
}

static void put_params(ad_out *o, const ad_subject *s, const struct product *product)
{
    ad_put(o, "%sdouble t, const double *y, const double *p, int w", s->objective ? "int k, " : "");
    for (const arg *a = product->arg; a->slot; a++) ad_put(o, ", %sdouble *%s", a->out ? "" : "const ", a->name);
    ad_puts(o, ", void *data");
}

/* The prototype, and the head. */
static void put_signature(ad_out *o, const ad_subject *s, const struct product *product)
{
    for (int pass = 0; pass < 2; pass++) {
        ad_put(o, "%sint %s_%s(", !pass && s->piece ? "COSTATE_API " : "", s->name, product->name);
        put_params(o, s, product);
        ad_puts(o, pass ? ")\n" : ");\n");
    }
}

/* 1: the function itself does not depend on what the argument moves, or adds to, so that it is not looked at. */
static int ignored(const ad_subject *s, const char *slot)
{
    return strchr("typ", slot[0]) && !uses_slot(s->fn, slot[0]);
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
static void put_choice(ad_out *o, const ad_subject *s, const struct product *product, int variants, const ad_fn *const *fn)
{
    ad_puts(o, "    const int chosen = ");
    for (int v = 0; v + 1 < variants; v++) {
        int count = 0;
        for (const arg *a = product->arg; a->slot; a++)
            if (!ignored(s, a->slot) && !always_given(a->slot) && !ad_at_slot(fn[v], a->slot))
                ad_put(o, "%s!%s", count++ ? " && " : "", a->name);
        ad_put(o, "%s ? %d : ", count ? "" : "1", v);
    }
    ad_put(o, "%d;\n", variants - 1);
}

/* Zeros for what is missing of an argument that some of the variants have. */
static void put_missing(ad_out *o, const ad_subject *s, const arg *a, int variants, const ad_fn *const *fn)
{
    int has = 0;
    for (int v = 0; v < variants; v++) has += ad_at_slot(fn[v], a->slot) != NULL;
    if (!has || always_given(a->slot)) return;
    ad_put(o, "    if (!%s", a->name);
    for (int v = 0; v < variants; v++) /* not where the variant that was chosen does without it */
        if (!ad_at_slot(fn[v], a->slot)) ad_put(o, " && chosen != %d", v);
    ad_put(o, ") {\n        %s = costate_scratch_zero(work, (size_t)w * %d);\n", a->name, ad_rows_of(s, a->slot));
    ad_put(o, "        if (!%s) return costate_scratch_back(work, mark, -1);\n    }\n", a->name);
}

static void put_outer(ad_out *o, const ad_subject *s, const struct product *product, int variants, const ad_fn *const *fn,
                      const char *const *name)
{
    put_signature(o, s, product);
    ad_puts(o, "{\n");
    if (!variants) {
        ad_puts(o, "    return 0; /* it depends on nothing */\n}\n\n");
        return;
    }
    if (uses_slot(s->fn, 't') && strcmp(product->name, "vjp") != 0)
        ad_put(o, "    static const double zeros[%d] = {0};\n", ZEROS);
    for (int v = 0; v < variants; v++) {
        const int zeros = put_condition(o, s, product, fn[v]);
        put_call(o, s, fn[v], name[v], product, zeros);
        ad_puts(o, ";\n");
    }
    ad_puts(o, "    costate_work *work = costate_work_open(); /* what is missing is zero, or not wanted */\n"
               "    if (!work) return -1;\n"
               "    const costate_mark mark = costate_scratch_mark(work);\n");
    if (variants > 1) put_choice(o, s, product, variants, fn);
    for (const arg *a = product->arg; a->slot; a++) put_missing(o, s, a, variants, fn);
    ad_puts(o, "    return costate_scratch_back(work, mark, ");
    for (int v = 0; v < variants; v++) {
        if (v + 1 < variants) ad_put(o, "chosen == %d ? ", v);
        put_call(o, s, fn[v], name[v], product, 0);
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
        if (!last && (!s->frequent || (!s->piece && ad_emit_is_long(s->fn)) || (moves && !*v.move[0]))) continue;
        if (v.usual == LOADED && !(s->piece && ad_emit_is_long(s->fn))) continue;
        if (!last && !v.usual && ad_size(s->fn->body) > AD_LARGE) continue;
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

static const struct product *find(const char *name)
{
    const struct product *product = products;
    while (strcmp(product->name, name) != 0) product++;
    return product;
}

/* The instances of a variant. 0: cannot be reversed. */
static int instances(ad_arena *m, const ad_subject *s, const struct product *product, const variant *v, ad_instances *x)
{
    ad_plan plan = plan_for(s, product, v);
    plan.product = product->name;
    plan.name = ad_text(m, "%s_%s_%s", s->name, product->name, v->name);
    return ad_instances_of(m, s, &plan, x);
}

int ad_put_product(ad_out *o, const ad_subject *s, const char *product_name)
{
    const struct product *product = find(product_name);
    const ad_fn *fn[VARIANTS];
    const char *name[VARIANTS];
    variant kept[VARIANTS];
    const int variants = choose(o->m, s, product, kept), whole = !s->piece || strcmp(s->piece, product_name) == 0;
    if (!whole && !ad_wants_alone(s, ad_text(o->m, "%s_%s", s->name, product_name))) return 0;
    for (int i = 0; i < variants; i++) {
        ad_instances x;
        name[i] = ad_text(o->m, "%s_%s_%s", s->name, product->name, kept[i].name);
        if (!whole && !ad_wants_alone(s, name[i])) continue;
        if (!instances(o->m, s, product, &kept[i], &x)) return -1;
        fn[i] = x.fn;
        if ((whole ? ad_put_variant : ad_put_alone)(o, s, &x)) return -1;
    }
    if (whole) put_outer(o, s, product, variants, fn, name);
    return 0;
}

void ad_put_product_stub(ad_out *o, const ad_subject *s, const char *product_name)
{
    const struct product *product = find(product_name);
    ad_out params = {.m = o->m}, args = {.m = o->m};
    put_params(&params, s, product);
    ad_put(&args, "%st, y, p, w", s->objective ? "k, " : "");
    for (const arg *a = product->arg; a->slot; a++) ad_put(&args, ", %s", a->name);
    ad_puts(&args, ", data");
    ad_put_stub(o, "", ad_text(o->m, "%s_%s", s->name, product_name), params.text, args.text, product_name);
}

void ad_count_statements(ad_arena *m, const ad_subject *s)
{
    const struct product *vjp = find("vjp");
    variant kept[VARIANTS];
    const int variants = ad_is_apart(s) ? choose(m, s, vjp, kept) : 0;
    ad_instances x;
    if (!variants || !instances(m, s, vjp, &kept[variants - 1], &x)) return;
    const int statements = ad_emit_statements(x.wide);
    if (statements > *s->most) *s->most = statements;
}

int ad_list_instances(ad_arena *m, const ad_subject *s, const char *name, void (*add)(void *, const char *), void *context)
{
    const struct product *product = find(name);
    variant kept[VARIANTS];
    const int variants = ad_is_apart(s) ? choose(m, s, product, kept) : 0;
    for (int i = 0; i < variants; i++) {
        ad_instances x;
        if (!instances(m, s, product, &kept[i], &x)) return -1;
        for (int k = 0; k < AD_WIDTHS; k++)
            if (x.has[k]) add(context, ad_instance_name(m, &x, k));
    }
    return 0;
}

/* ---- the function itself ---------------------------------------------------------------------------------------------- */

static void put_named_params(ad_out *o, const ad_subject *s)
{
    ad_put(o, "%sdouble t, const double *y, const double *p, double *out, void *data", s->objective ? "int k, " : "");
}

static void put_body(ad_out *o, const ad_subject *s, const char *ending, const char *name)
{
    const ad_plan plan = {.product = ending, .name = name, .checked = s->nan_check, .watch = s->watch};
    ad_fn *one = ad_derive(o->m, s->fn, &plan);
    ad_shape(o->m, one, &plan);
    ad_emit_fn(o, one, &(ad_emit){.name = ad_text(o->m, "%s_1", name), .check = s->nan_check});
}

static void put_body_call(ad_out *o, const ad_subject *s, const char *name)
{
    const ad_fn *fn = s->fn;
    ad_put(o, "{\n    return %s_1(", name);
    for (int i = 0; i < fn->params; i++) ad_put(o, "%s%s", i ? ", " : "", given(s, ad_slot(fn, fn->param[i])));
    ad_puts(o, ");\n}\n\n");
}

void ad_put_choice(ad_out *o, const ad_subject *s, const char *name)
{
    put_body(o, s, "next_mode", name);
    ad_put(o, "static int %s(int k, double t, const double *y, const double *p, void *data)\n", name);
    put_body_call(o, s, name);
}

void ad_put_named(ad_out *o, const ad_subject *s, const char *ending)
{
    const char *name = ad_text(o->m, "%s_%s", s->name, ending);
    put_body(o, s, ending, name);
    for (int pass = 0; pass < 2; pass++) {
        ad_put(o, "%sint %s(", !pass && s->piece ? "COSTATE_API " : "", name);
        put_named_params(o, s);
        ad_puts(o, pass ? ")\n" : ");\n");
    }
    put_body_call(o, s, name);
}

void ad_put_named_stub(ad_out *o, const ad_subject *s, const char *ending)
{
    ad_out params = {.m = o->m};
    put_named_params(&params, s);
    const char *args = s->objective ? "k, t, y, p, out, data" : "t, y, p, out, data";
    ad_put_stub(o, "", ad_text(o->m, "%s_%s", s->name, ending), params.text, args, ending);
}

void ad_put_eval(ad_out *o, const ad_subject *s)
{
    ad_put_named(o, s, s->objective ? "eval" : "rhs");
}

/* ---- sums over points ------------------------------------------------------------------------------------------------- */

static const char points_params[] = "int points, const double *t, const double *const *y, const double *p, int w, "
                                    "const double *const *u, double *pb, void *data";

/* 0: there are none. */
static int points_instances(ad_arena *m, const ad_subject *s, ad_instances *x)
{
    const ad_plan plan = {.product = "vjp_points", .name = ad_text(m, "%s_vjp_points", s->name), .lanes = 1, .by = AD_BY_P,
                          .points = 1, .checked = s->nan_check, .watch = s->watch};
    return uses_slot(s->fn, 'p') && !ad_emit_is_long(s->fn) && ad_instances_of(m, s, &plan, x) && !ad_emit_is_long(x->fn);
}

static void put_points_args(ad_out *o, const ad_subject *s, const ad_fn *fn)
{
    for (int i = 0; i < fn->params; i++)
        ad_put(o, "%s%s", i ? ", " : "", fn->param[i] == fn->points ? "points" : given(s, ad_slot(fn, fn->param[i])));
}

int ad_put_points(ad_out *o, const ad_subject *s)
{
    ad_instances x;
    const int whole = !s->piece || strcmp(s->piece, "vjp") == 0;
    if ((!whole && !ad_wants_alone(s, ad_text(o->m, "%s_vjp_points", s->name))) || !points_instances(o->m, s, &x)) return 0;
    if (!whole) return !ad_put_alone(o, s, &x);
    if (ad_put_widths(o, s, &x)) return 0;
    for (int pass = 0; pass < 2; pass++)
        ad_put(o, "%sint %s(%s)%s", !pass && s->piece ? "COSTATE_API " : "", x.name, points_params, pass ? "\n{\n" : ";\n");
    ad_put_by_width(o, s, &x, "w", put_points_args);
    ad_puts(o, "    for (int i = 0; i < points; i++) {\n");
    ad_put(o, "        const int status = %s_vjp(t[i], y[i], p, w, u[i], NULL, pb, data);\n", s->name);
    ad_puts(o, "        if (status) return status;\n    }\n    return 0;\n}\n\n");
    return 1;
}

int ad_put_points_stub(ad_out *o, const ad_subject *s)
{
    ad_instances x;
    if (!points_instances(o->m, s, &x)) return 0;
    ad_put_stub(o, "", x.name, points_params, "points, t, y, p, w, u, pb, data", "vjp");
    return 1;
}

void ad_list_points(ad_arena *m, const ad_subject *s, void (*add)(void *, const char *), void *context)
{
    ad_instances x;
    if (!ad_is_apart(s) || !points_instances(m, s, &x)) return;
    for (int k = 0; k < AD_WIDTHS; k++)
        if (x.has[k]) add(context, ad_instance_name(m, &x, k));
}
