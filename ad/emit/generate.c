/* generate.c - the order of things in an emitted file:
 *
 *   flags for the compiler, headers, what the user's file defines, const tables, macros,
 *   for each function of the model: itself and its products; pattern and Jacobian of the right-hand side,
 *   the table costate_generated. */
#include "emit/generate.h"

#include "base/arena.h"
#include "emit/emit.h"
#include "derive/sparse_jacobian.h"
#include "tree/loops.h"
#include "emit/pattern.h"
#include "emit/emit_products.h"

#include <string.h>

enum { FUNCTIONS = 5 };

typedef struct file {
    ad_arena *m;
    const ad_model *model;
    const ad_generate_options *options;
    ad_out *o;
    ad_subject subject[FUNCTIONS]; /* rhs, init, terminal, running, observe; fn NULL: not there */
    int most; /* statements of the largest body */
    ad_entries entries;
    int jacobian, points; /* 1: there is a Jacobian, a vjp_points */
} file;

static const char *const member[FUNCTIONS] = {"rhs", "init", "terminal", "running", "observe"};

static ad_subject subject(file *g, int which)
{
    const ad_model *model = g->model;
    const ad_fn *const fns[FUNCTIONS] = {model->rhs, model->init, model->terminal, model->running, model->observe};
    const int outputs = which < 2 ? model->states : model->objectives;
    ad_subject s = {.model = model, .objective = which > 0, .frequent = which == 0 || which == 3, .nan_check = g->options->nan_check, .most = &g->most,
                    .rows = {model->states, model->params, outputs, 1}};
    s.name = which ? ad_text(g->m, "%s_%s", model->name, member[which]) : model->name;
    if (!fns[which]) return s;
    ad_fn *fn = ad_fn_copy(g->m, fns[which], NULL);
    if (fn->y) fn->y->extent = ad_whole(g->m, model->states);
    if (fn->p) fn->p->extent = ad_whole(g->m, model->params);
    if (fn->out) fn->out->extent = ad_whole(g->m, outputs);
    fn->cut = g->options->cut;
    s.fn = fn;
    return s;
}

/* ---- the head --------------------------------------------------------------------------------------------------------------------- */

static void put_head(file *g)
{
    ad_out *o = g->o;
    if (g->most > AD_MANY) ad_put(o, "/* costate-flags: %s-fno-tree-slp-vectorize */\n", g->most > AD_LONG ? "-O1 " : "");
    ad_put(o, "/* Derivatives of %s, written by costate diff. Changes belong into that file. */\n", g->model->file ? g->model->file : g->model->name);
    ad_puts(o, "#include <math.h>\n");
    if (g->options->nan_check) ad_puts(o, "#include <stdio.h>\n");
    ad_puts(o, "#include <costate/runtime.h>\n\n");
    if (g->model->prelude && *g->model->prelude) ad_put(o, "%s\n\n", g->model->prelude);
    ad_puts(o, "/* Block l_ of row i of x: four lanes. */\n#define LANES(x, i) (*(costate_v4 *)((x) + (ptrdiff_t)(i) * ld + 4 * l_))\n\n");
    if (g->options->nan_check)
        ad_puts(o, "static int not_a_number(const char *file, int line, const char *what)\n{\n"
                   "    static _Thread_local int told;\n"
                   "    if (!told++) fprintf(stderr, \"%s:%d: %s is not a number\\n\", file, line, what);\n    return -1;\n}\n\n");
}

/* 1: a function before `last` has this very table, or, with the same name, another one. */
static int told(const file *g, int last, const ad_sym *table, int *other)
{
    *other = 0;
    for (int i = 0; i <= last; i++) {
        const ad_fn *fn = g->subject[i].fn;
        for (int k = 0; fn && k < fn->syms; k++) {
            const ad_sym *s = fn->sym[k];
            if (s == table) return 0;
            if (s->role != AD_CONST || !s->text || strcmp(s->name, table->name) != 0) continue;
            if (strcmp(s->text, table->text) == 0) return 1;
            *other = 1;
        }
    }
    return 0;
}

/* `text` with its first word `from` replaced. */
static const char *renamed(ad_arena *m, const char *text, const char *from, const char *to)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    for (const char *at = text; (at = strstr(at, from)) != NULL; at++) {
        const char *end = at + strlen(from);
        if ((at == text || !strchr(letters, at[-1])) && (!*end || !strchr(letters, *end)))
            return ad_text(m, "%.*s%s%s", (int)(at - text), text, to, end);
    }
    return text;
}

/* The const tables of all functions. At the level of the file they are called model_table, so that no local hides them. */
static void put_tables(file *g)
{
    for (int i = 0; i < FUNCTIONS; i++) {
        const ad_fn *fn = g->subject[i].fn;
        for (int k = 0; fn && k < fn->syms; k++) {
            ad_sym *s = fn->sym[k];
            if (s->role != AD_CONST || !s->text) continue;
            const char *old = s->name, *plain = s->text;
            int other = 1;
            for (int number = 1; other; number++) {
                s->name = number == 1 ? ad_text(g->m, "%s_%s", g->model->name, old) : ad_text(g->m, "%s_%s_%d", g->model->name, old, number);
                s->text = renamed(g->m, plain, old, s->name);
                if (told(g, i, s, &other)) break;
                if (!other) ad_put(g->o, "__attribute__((unused)) %s\n", s->text);
            }
        }
    }
    ad_puts(g->o, "\n");
}

/* ---- the Jacobian ------------------------------------------------------------------------------------------------------------------ */

static void put_ints(ad_out *o, const char *name, const int *value, int count)
{
    ad_put(o, "static const int %s[] = {", name);
    for (int i = 0; i < count; i++) ad_put(o, "%s%d", i == 0 ? "" : i % 24 ? ", " : ",\n    ", value[i]);
    ad_puts(o, "};\n");
}

static void put_jacobian(file *g)
{
    const ad_subject *s = &g->subject[0];
    ad_fn *jac = ad_sparse_jacobian(g->m, s->fn, g->model->states, &g->entries);
    if (!jac) return;
    g->jacobian = 1;
    if (g->entries.colptr) {
        put_ints(g->o, ad_text(g->m, "%s_colptr", s->name), g->entries.colptr, g->entries.n + 1);
        put_ints(g->o, ad_text(g->m, "%s_rowind", s->name), g->entries.rowind, g->entries.count);
        ad_puts(g->o, "\n");
    }
    ad_subject of = *s;
    of.fn = jac;
    ad_put_named(g->o, &of, "jac");
}

/* ---- the table --------------------------------------------------------------------------------------------------------------------- */

static void put_entry(file *g, int piece, const char *entry, const char *function, const char *product)
{
    if (g->options->pieces & piece) ad_put(g->o, " .%s = %s_%s,", entry, function, product);
}

static void put_members(file *g, int which)
{
    const ad_subject *s = &g->subject[which];
    if (!s->fn || !(g->options->pieces & (AD_FIRST | AD_VJP_DOT))) return;
    ad_put(g->o, "    .%s = {", member[which]);
    put_entry(g, AD_FORWARD, "eval", s->name, "eval");
    put_entry(g, AD_FORWARD, "jvp", s->name, "jvp");
    put_entry(g, AD_REVERSE, "vjp", s->name, "vjp");
    put_entry(g, AD_VJP_DOT, "vjp_dot", s->name, "vjp_dot");
    ad_puts(g->o, "},\n");
}

const char *ad_table_name(ad_arena *m, const char *model, int pieces)
{
    static const char *const ending[AD_PIECES] = {"", "_vjp", "_jvp2", "_vjp_dot", "_vjp_dot2"};
    int first = 0;
    while (!(pieces >> first & 1)) first++;
    return ad_text(m, "%s_generated%s", model, ending[first]);
}

static void put_table(file *g)
{
    const ad_model *model = g->model;
    const char *name = model->name, *table = ad_table_name(g->m, name, g->options->pieces);
    const int forward = g->options->pieces & AD_FORWARD;
    ad_put(g->o, "COSTATE_API extern const costate_generated %s;\n", table);
    ad_put(g->o, "COSTATE_API const costate_generated %s = {\n", table);
    ad_put(g->o, "    .layout = COSTATE_GENERATED, .model = \"%s\", .states = %d, .params = %d, .objectives = %d, .observations = %d,\n", name,
           model->states, model->params, model->objectives, model->observations);
    ad_put(g->o, "    .autonomous = %d,", !(model->rhs->t && ad_uses(model->rhs->body, model->rhs->t)));
    put_entry(g, AD_FORWARD, "rhs", name, "rhs");
    put_entry(g, AD_FORWARD, "jvp", name, "jvp");
    put_entry(g, AD_REVERSE, "vjp", name, "vjp");
    put_entry(g, AD_FORWARD, "pattern", name, "pattern");
    if (g->points) put_entry(g, AD_REVERSE, "vjp_points", name, "vjp_points");
    if (g->jacobian) put_entry(g, AD_FORWARD, "jac", name, "jac");
    put_entry(g, AD_JVP2, "jvp2", name, "jvp2");
    put_entry(g, AD_VJP_DOT, "vjp_dot", name, "vjp_dot");
    put_entry(g, AD_VJP_DOT2, "vjp_dot2", name, "vjp_dot2");
    if (g->subject[3].fn) put_entry(g, AD_VJP_DOT2, "running_vjp_dot2", g->subject[3].name, "vjp_dot2");
    ad_puts(g->o, "\n");
    if (forward && g->jacobian && g->entries.colptr)
        ad_put(g->o, "    .jac_pattern = {.format = COSTATE_CSC, .colptr = %s_colptr, .rowind = %s_rowind},\n", name, name);
    for (int i = 1; i < FUNCTIONS; i++) put_members(g, i);
    ad_puts(g->o, "};\n");
}

/* ---- all of it ----------------------------------------------------------------------------------------------------------------------- */

static int put_function(file *g, int which)
{
    const ad_subject *s = &g->subject[which];
    const int pieces = g->options->pieces, running = which == 3;
    if (!s->fn) return 0;
    if (pieces & AD_FORWARD) {
        ad_put_eval(g->o, s);
        if (ad_put_product(g->o, s, "jvp")) return -1;
    }
    if (pieces & AD_REVERSE) {
        if (ad_put_product(g->o, s, "vjp")) return -1;
        if (which == 0) g->points = ad_put_points(g->o, s);
    }
    if (pieces & AD_JVP2 && which == 0 && ad_put_product(g->o, s, "jvp2")) return -1;
    if (pieces & AD_VJP_DOT && ad_put_product(g->o, s, "vjp_dot")) return -1;
    return pieces & AD_VJP_DOT2 && (which == 0 || running) ? ad_put_product(g->o, s, "vjp_dot2") : 0;
}

int ad_generate(ad_arena *m, const ad_model *model, const ad_generate_options *options, ad_out *out)
{
    ad_out rest = {.m = m};
    file g = {.m = m, .model = model, .options = options, .o = &rest};
    for (int i = 0; i < FUNCTIONS; i++) g.subject[i] = subject(&g, i);
    put_tables(&g);
    for (int i = 0; i < FUNCTIONS; i++)
        if (put_function(&g, i)) return -1;
    if (options->pieces & AD_FORWARD) {
        put_jacobian(&g);
        ad_put_pattern(&rest, g.subject[0].fn, ad_text(m, "%s_pattern", model->name), model->states, model->params);
    }
    put_table(&g);
    g.o = out; /* the head last: the flags depend on what is in the file */
    put_head(&g);
    ad_puts(out, ad_out_text(&rest));
    return 0;
}
