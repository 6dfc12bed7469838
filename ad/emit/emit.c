/* emit.c - the frame of an emitted function: signature, scratch and tape, status; and how names are written with lanes.
 *
 *   symbol with lanes     one lane      lanes
 *   local scalar s        s             s[l_]                        costate_v4 s[2]; s, if only one loop over lanes mentions it
 *   local array a         a[i]          a[(i) * blocks + l_]         costate_v4 a[...]
 *   parameter x           x[i]          LANES(x, i)                  four doubles at x + i ld + 4 l_ */
#include "emit/emit_in.h"

#include "base/arena.h"
#include "tree/flow.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void ad_indent(ad_printer *q)
{
    for (int i = 0; i < q->depth; i++) ad_puts(q->o, "    ");
}

void ad_line(ad_printer *q, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    ad_indent(q);
    ad_put(q->o, "%s\n", text);
}

/* ---- names ---------------------------------------------------------------------------------------------------------------- */

static int leaf(ad_out *o, const ad_node *n, const ad_style *style)
{
    const ad_printer *q = style->context;
    const ad_sym *s = n->sym;
    const char *owner = ad_is_shared(q, s) ? "locals->" : "";
    int local = s->role == AD_LOCAL;
    if (!s->lane || !q->how->lanes) {
        if (!*owner && !(s->lane && n->op == AD_NAME && !local)) return 0;
        ad_put(o, "%s%s", owner, s->name);
        if (n->op == AD_NAME) {
            if (!local) ad_puts(o, "[0]"); /* the one entry of a direction's time */
            return 1;
        }
        ad_puts(o, "[");
        ad_put_expr(o, n->index, AD_LEVEL_NONE, style);
        ad_puts(o, "]");
        return 1;
    }
    if (!local) {
        ad_put(o, "LANES(%s, ", s->name);
        if (n->op == AD_NAME) ad_puts(o, "0");
        else ad_put_expr(o, n->index, AD_LEVEL_NONE, style);
        ad_puts(o, ")");
    } else if (n->op == AD_NAME) {
        ad_put(o, q->home[s->number] > 0 ? "%s%s" : "%s%s[l_]", owner, s->name);
    } else if (strcmp(q->blocks, "1") == 0) {
        ad_put(o, "%s%s[", owner, s->name);
        ad_put_expr(o, n->index, AD_LEVEL_NONE, style);
        ad_puts(o, "]");
    } else {
        ad_put(o, "%s%s[%s", owner, s->name, strcmp(ad_ctype(n->index), "int") == 0 ? "" : "(ptrdiff_t)");
        ad_put_expr(o, n->index, AD_LEVEL_UNARY, style);
        ad_puts(o, " * blocks + l_]");
    }
    return 1;
}

const char *ad_c_type(const ad_printer *q, const ad_sym *s)
{
    if (s->type == AD_INT) return s->ctype ? s->ctype : "int";
    return s->lane && q->how->lanes ? "costate_v4" : "double";
}

/* ---- the function -------------------------------------------------------------------------------------------------------- */

void ad_emit_params(ad_out *o, const ad_fn *fn, int declare)
{
    for (int i = 0; i < fn->params; i++) {
        const ad_sym *s = fn->param[i];
        if (i) ad_puts(o, ", ");
        if (!declare) ad_put(o, "%s%s", s->name, s->points ? "_at" : "");
        else if (s->points) ad_put(o, "const double *%srestrict %s_at", s->array ? "const *" : "", s->name);
        else if (s == fn->data) ad_put(o, "void *%s", s->name);
        else if (!s->array && !s->lane) ad_put(o, "%s %s", s->type == AD_INT ? s->ctype : "double", s->name);
        else ad_put(o, "%sdouble *restrict %s", s->role == AD_INPUT ? "const " : "", s->name);
    }
}

int ad_emit_statements(const ad_fn *fn)
{
    int statements = 0;
    for (int i = 0; i < fn->body->kids; i++) statements += fn->body->kid[i]->op != AD_DECL && fn->body->kid[i]->op != AD_NOTE;
    return statements;
}

int ad_emit_is_long(const ad_fn *fn)
{
    return ad_emit_statements(fn) > (fn->cut ? fn->cut : AD_LONG);
}

/* Extents of parameters are known by the caller; a function that is never given lanes still takes them, so that all instances
 * are called alike. */
static void signature(ad_printer *q, int cut)
{
    const char *attribute = q->how->lanes && !cut ? "inline __attribute__((always_inline)) " : "";
    ad_put(q->o, "%s %sint %s(", q->how->linkage ? q->how->linkage : "static", attribute, q->how->name);
    if (q->how->lanes) ad_put(q->o, "%sconst ptrdiff_t ld%s", cut ? "" : "const int blocks, ", q->fn->params ? ", " : "");
    ad_emit_params(q->o, q->fn, 1);
    ad_puts(q->o, ")\n{\n");
}

static void printer(ad_printer *q, ad_out *o, const ad_fn *fn, const ad_emit *how)
{
    *q = (ad_printer){.m = o->m, .o = o, .fn = fn, .how = how, .blocks = ad_emit_is_long(fn) ? "1" : "blocks"};
    q->style = (ad_style){leaf, q, how->lanes ? "(costate_v4){0} + " : NULL};
    q->first = ad_take(o->m, ((size_t)fn->syms + 1) * sizeof *q->first);
    q->writes = ad_take(o->m, ((size_t)fn->syms + 1) * sizeof *q->writes);
    q->home = ad_take(o->m, ((size_t)fn->syms + 1) * sizeof *q->home);
    for (int i = 0; i < fn->syms; i++) q->first[i] = AD_DECLARED, q->home[i] = -1;
    ad_count_writes(fn->body, q->writes);
}

void ad_emit_body(ad_out *o, const ad_fn *fn)
{
    ad_printer q;
    printer(&q, o, fn, &(ad_emit){.name = fn->name});
    q.depth = 1;
    ad_put_body(&q, fn->body);
}

void ad_emit_fn(ad_out *o, const ad_fn *fn, const ad_emit *how)
{
    const int cut = ad_emit_is_long(fn);
    ad_printer q;
    printer(&q, o, fn, how);
    if (cut) ad_put_parts(&q);

    signature(&q, cut);
    q.depth = 1;
    q.line = 0;
    const int work = cut || ad_needs_work(&q, fn->body);
    if (work) {
        ad_line(&q, "costate_work *work = costate_work_open();");
        ad_line(&q, "if (!work) return -1;");
        ad_line(&q, "const costate_mark mark = costate_scratch_mark(work);");
    }
    if (cut) ad_put_calls(&q);
    else ad_put_body(&q, fn->body);
    const char *owner = fn->status && ad_is_shared(&q, fn->status) ? "locals->" : "";
    const char *status = fn->returns && fn->status ? ad_text(o->m, "%s%s", owner, fn->status->name) : "0";
    if (work) ad_line(&q, "return costate_scratch_back(work, mark, %s);", status);
    else ad_line(&q, "return %s;", status);
    ad_puts(o, "}\n\n");
}
