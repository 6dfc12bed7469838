/* emit.c - the frame of an emitted function: signature, scratch and tape, status; and how names are written with lanes.
 *
 *   symbol with lanes     one lane      lanes
 *   local scalar s        s             s[l_]                        costate_v4 s[2]; s, if only one loop over lanes mentions it
 *   local array a         a[i]          a[(i) * blocks + l_]         costate_v4 a[...]
 *   parameter x           x[i]          LANES(x, i)                  four doubles at x + i ld + 4 l_ */
#include "emit/emit_in.h"

#include "base/arena.h"
#include "tree/rules.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { STACK_ARRAY = 32 << 10, STACK_TOTAL = 128 << 10 };

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

int ad_contains(const ad_node *n, ad_op op)
{
    if (!n) return 0;
    if (n->op == op) return 1;
    if (n->op < AD_DECL) return 0;
    for (int i = 0; i < n->kids; i++)
        if (ad_contains(n->kid[i], op)) return 1;
    return 0;
}

/* ---- names ---------------------------------------------------------------------------------------------------------------- */

static int leaf(ad_out *o, const ad_node *n, const ad_style *style)
{
    const ad_printer *q = style->context;
    const ad_sym *s = n->sym;
    const char *owner = q->shared && q->shared[s->number] ? "locals->" : "";
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

/* ---- arrays ------------------------------------------------------------------------------------------------------------------- */

/* Of a local array on the stack; lanes may have two blocks. SIZE_MAX: not known. */
static size_t array_bytes(const ad_printer *q, const ad_sym *s)
{
    double extent;
    if (!s->extent || !ad_literal(s->extent, &extent) || extent < 0 || extent > 1e15) return SIZE_MAX;
    return (size_t)extent * (s->lane && q->how->lanes ? 64 : 8);
}

int ad_on_scratch(ad_printer *q, const ad_sym *s)
{
    const size_t bytes = array_bytes(q, s);
    return bytes > STACK_ARRAY || q->stack + bytes > STACK_TOTAL;
}

void ad_put_array(ad_printer *q, const ad_sym *s)
{
    const char *type = ad_c_type(q, s);
    int wide = s->lane && q->how->lanes;
    const char *owner = q->shared && q->shared[s->number] ? "locals->" : "";
    ad_indent(q);
    if (!ad_on_scratch(q, s)) {
        q->stack += array_bytes(q, s);
        ad_put(q->o, "%s %s[", type, s->name);
        if (wide && strcmp(q->blocks, "1") != 0) ad_puts(q->o, "2 * ");
        ad_put_expr(q->o, s->extent, AD_LEVEL_UNARY, &q->style);
        ad_puts(q->o, "];\n");
        return;
    }
    if (*owner) ad_put(q->o, "%s%s = (%s *)costate_scratch(work, ", owner, s->name, type);
    else ad_put(q->o, "%s *restrict %s = (%s *)costate_scratch(work, ", type, s->name, type);
    if (wide) ad_put(q->o, "4 * (size_t)%s * ", q->blocks);
    ad_puts(q->o, "(size_t)(");
    ad_put_expr(q->o, s->extent, AD_LEVEL_NONE, &q->style);
    ad_puts(q->o, "));\n");
    ad_line(q, "if (!%s%s) return costate_scratch_back(work, mark, -1);", owner, s->name);
}

/* ---- the function ------------------------------------------------------------------------------------------------------------- */

/* As if no array ever left the stack again, which errs on the safe side. */
static int needs_work(ad_printer *q, const ad_node *n)
{
    if (!n || n->op < AD_DECL) return 0;
    if (n->op == AD_PUSH || n->op == AD_POP) return 1;
    if (n->op == AD_DECL && n->sym->array) {
        if (ad_on_scratch(q, n->sym)) return 1;
        q->stack += array_bytes(q, n->sym);
    }
    for (int i = n->op == AD_FOR ? 2 : 0; n->op != AD_SET && n->op != AD_INC && i < n->kids; i++)
        if (needs_work(q, n->kid[i])) return 1;
    return 0;
}

int ad_needs_work(ad_printer *q, const ad_node *n)
{
    const size_t stack = q->stack;
    const int needs = needs_work(q, n);
    q->stack = stack;
    return needs;
}

static void count_writes(ad_printer *q, const ad_node *n)
{
    if (!n || n->op < AD_DECL) return;
    if (n->op == AD_SET || n->op == AD_INC || n->op == AD_POP) q->writes[n->target->sym->number]++;
    if (n->op == AD_SET || n->op == AD_INC || n->op == AD_PUSH || n->op == AD_POP) return;
    for (int i = n->op == AD_IF ? 1 : n->op == AD_FOR ? 2 : 0; i < n->kids; i++) count_writes(q, n->kid[i]);
}

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

/* Extents of parameters are known by the caller; a function that is never given lanes still takes them, so that all instances are called alike. */
static void signature(ad_printer *q, int cut)
{
    const char *attribute = q->how->lanes && !cut ? "inline __attribute__((always_inline)) " : "";
    ad_put(q->o, "static %sint %s(", attribute, q->how->name);
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
    for (int i = 0; i < fn->syms; i++) q->first[i] = -2, q->home[i] = -1;
    count_writes(q, fn->body);
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
    const char *owner = q.shared && fn->status && q.shared[fn->status->number] ? "locals->" : "";
    const char *status = fn->returns && fn->status ? ad_text(o->m, "%s%s", owner, fn->status->name) : "0";
    if (work) ad_line(&q, "return costate_scratch_back(work, mark, %s);", status);
    else ad_line(&q, "return %s;", status);
    ad_puts(o, "}\n\n");
}
