/* emit_cut.c - a long straight-line body as a chain of functions.
 *
 * Compilers take time that grows faster than the length of a function. So the body is cut into parts of PART statements;
 * locals that several parts mention become members of a struct that all parts get, the others are declared in their part. */
#include "base/arena.h"
#include "emit/emit_in.h"

#include <string.h>

enum { PART = 100, SEVERAL = -1 };

typedef struct cut {
    ad_printer *q;
    int *part; /* by symbol: the part that mentions it, counted from 1; 0: none */
    int parts;
} cut;

static void mention(cut *c, const ad_node *n, int part)
{
    if (!n) return;
    if (n->sym && n->op != AD_DECL) {
        int *own = &c->part[n->sym->number];
        *own = *own == 0 || *own == part ? part : SEVERAL;
    }
    for (int i = 0; i < n->kids; i++) mention(c, n->kid[i], part);
}

/* The part of each statement follows from its position alone, so that ad_put_calls counts as ad_put_parts did. */
static int count_parts(const ad_node *body)
{
    int statements = 0;
    for (int i = 0; i < body->kids; i++) statements += body->kid[i]->op != AD_DECL;
    return (statements + PART - 1) / PART;
}

static void put_struct(ad_printer *q)
{
    ad_put(q->o, "struct %s_locals {\n", q->how->name);
    q->depth = 1;
    for (int i = 0; i < q->fn->syms; i++) {
        const ad_sym *s = q->fn->sym[i];
        if (!q->shared[i]) continue;
        ad_indent(q);
        ad_put(q->o, "%s ", ad_c_type(q, s));
        if (s->array && ad_on_scratch(q, s)) ad_put(q->o, "*");
        ad_puts(q->o, s->name);
        if (s->array && !ad_on_scratch(q, s)) {
            ad_puts(q->o, "[");
            ad_put_expr(q->o, s->extent, AD_LEVEL_NONE, &q->style);
            ad_puts(q->o, "]");
        } else if (s->lane && q->how->lanes && !s->array) ad_puts(q->o, "[1]");
        ad_puts(q->o, ";\n");
    }
    ad_puts(q->o, "};\n\n");
}

static void put_part(ad_printer *q, const ad_node *statements, int part)
{
    ad_put(q->o, "static __attribute__((noinline)) int %s_%d(costate_work *work, struct %s_locals *restrict locals, ",
           q->how->name, part, q->how->name);
    if (q->how->lanes) ad_puts(q->o, "const ptrdiff_t ld, ");
    ad_emit_params(q->o, q->fn, 1);
    ad_puts(q->o, ")\n{\n");
    q->depth = 1;
    q->line = 0;
    if (ad_needs_work(q, statements)) ad_line(q, "const costate_mark mark = costate_scratch_mark(work);");
    ad_put_body(q, statements);
    ad_line(q, ad_needs_work(q, statements) ? "return costate_scratch_back(work, mark, 0);" : "return 0;");
    ad_puts(q->o, "}\n\n");
}

void ad_put_parts(ad_printer *q)
{
    const ad_fn *fn = q->fn;
    cut c = {q, ad_take(q->m, ((size_t)fn->syms + 1) * sizeof *c.part), count_parts(fn->body)};
    ad_node **block = ad_take(q->m, (size_t)c.parts * sizeof *block);
    q->shared = ad_take(q->m, (size_t)fn->syms + 1);
    for (int i = 0; i < c.parts; i++) block[i] = ad_block(q->m);
    for (int i = 0, at = 0; i < fn->body->kids; i++)
        if (fn->body->kid[i]->op != AD_DECL) mention(&c, fn->body->kid[i], 1 + at++ / PART);
    for (int i = 0; i < fn->body->kids; i++) {
        const ad_node *s = fn->body->kid[i];
        if (s->op != AD_DECL) continue;
        int part = c.part[s->sym->number];
        if (part == SEVERAL || s->sym == fn->status) q->shared[s->sym->number] = 1;
        else if (part) ad_append(q->m, block[part - 1], fn->body->kid[i]);
    }
    for (int i = 0, at = 0; i < fn->body->kids; i++)
        if (fn->body->kid[i]->op != AD_DECL) ad_append(q->m, block[at++ / PART], fn->body->kid[i]);
    put_struct(q);
    for (int i = 0; i < c.parts; i++) put_part(q, block[i], i + 1);
}

void ad_put_calls(ad_printer *q)
{
    const int parts = count_parts(q->fn->body);
    ad_line(q, "struct %s_locals *locals = (struct %s_locals *)costate_scratch(work, (sizeof *locals + 7) / 8);", q->how->name,
            q->how->name);
    ad_line(q, "if (!locals) return costate_scratch_back(work, mark, -1);");
    for (int i = 0; i < q->fn->syms; i++)
        if (q->shared[i] && q->fn->sym[i]->array && ad_on_scratch(q, q->fn->sym[i])) ad_put_array(q, q->fn->sym[i]);
    for (int i = 1; i <= parts; i++) {
        ad_indent(q);
        ad_put(q->o, "if (%s_%d(work, locals, %s", q->how->name, i, q->how->lanes ? "ld, " : "");
        ad_emit_params(q->o, q->fn, 0);
        ad_puts(q->o, ")) return costate_scratch_back(work, mark, -1);\n");
    }
}
