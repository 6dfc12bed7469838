/* emit_loop.c - for loops: bounds that do not change, reductions, pointers that go along, what each point has of its own. */
#include "base/arena.h"
#include "emit/emit_in.h"
#include "tree/flow.h"

#include <string.h>

/* Scalars that the loop adds to: each once, with a comma before all but the first. known: those that are not to be listed. */
static void reductions(ad_printer *q, const ad_node *n, ad_syms *known, int *listed)
{
    if (!n) return;
    if (n->op == AD_INC && n->target->op == AD_NAME && !ad_has(known, n->target->sym)) {
        ad_put(q->o, "%s%s", (*listed)++ ? ", " : " reduction(+:", n->target->sym->name);
        ad_include(q->m, known, n->target->sym);
    }
    for (int i = ad_inner(n); i < n->kids; i++) reductions(q, n->kid[i], known, listed);
}

static int adds_to_shared(const ad_printer *q, const ad_node *n)
{
    if (!n) return 0;
    if (n->op == AD_INC) return ad_is_shared(q, n->target->sym);
    for (int i = ad_inner(n); i < n->kids; i++)
        if (adds_to_shared(q, n->kid[i])) return 1;
    return 0;
}

static void simd(ad_printer *q, const ad_node *loop)
{
    ad_syms own = {0};
    int listed = 0;
    ad_declared(q->m, loop->body, &own);
    ad_puts(q->o, "#pragma omp simd");
    reductions(q, loop->body, &own, &listed);
    ad_puts(q->o, listed ? ")\n" : "\n");
}

/* A bound in the counter's type; its value does not change while the loop runs. */
static void bound(ad_printer *q, const char *type, const ad_node *e, int level)
{
    if (e->op != AD_WHOLE && strcmp(type, ad_ctype(e)) != 0) {
        ad_put(q->o, "(%s)", type);
        level = AD_LEVEL_UNARY;
    }
    ad_put_expr(q->o, e, level, &q->style);
}

/* What a loop over points has one of for each of them. */
static void point(ad_printer *q, const ad_node *loop)
{
    for (int i = 0; i < q->fn->params; i++) {
        const ad_sym *s = q->fn->param[i];
        if (!s->points || !ad_uses(loop->body, s)) continue;
        ad_line(q, "const double %s%s = %s_at[%s];", s->array ? "*restrict " : "", s->name, s->name, loop->sym->name);
    }
}

static int wide_row(const ad_printer *q, const ad_row *r)
{
    return q->how->lanes && r->sym->lane;
}

static void declare_rows(ad_printer *q, const ad_node *loop)
{
    for (int i = 0; loop->rows && i < loop->rows->count; i++) {
        const ad_row *r = &loop->rows->row[i];
        ad_indent(q);
        ad_put(q->o, "%sdouble *%s = %s", r->array->role == AD_INPUT ? "const " : "", r->sym->name, r->array->name);
        if (r->start->op != AD_WHOLE || r->start->whole) {
            ad_puts(q->o, " + ");
            ad_put_expr(q->o, r->start, wide_row(q, r) ? AD_LEVEL_PRODUCT : AD_LEVEL_NONE, &q->style);
            if (wide_row(q, r)) ad_puts(q->o, " * ld");
        }
        ad_puts(q->o, ";\n");
    }
}

static void move_rows(ad_printer *q, const ad_node *loop)
{
    for (int i = 0; loop->rows && i < loop->rows->count; i++) {
        const ad_row *r = &loop->rows->row[i];
        ad_put(q->o, ", %s %s= %lld%s", r->sym->name, r->step > 0 ? "+" : "-", (long long)(r->step > 0 ? r->step : -r->step),
               wide_row(q, r) ? " * ld" : "");
    }
}

static void fetch_rows(ad_printer *q, const ad_node *loop)
{
    for (int i = 0; loop->rows && i < loop->rows->count; i++) {
        const ad_row *r = &loop->rows->row[i];
        for (int k = 0; k < r->fetches; k++)
            ad_line(q, "costate_fetch(%s + %lld, %lld);", r->sym->name, (long long)r->fetch[k], (long long)r->step);
    }
}

/* An unsigned counter that runs downwards would never pass 0, so a signed one runs for it. */
void ad_put_loop(ad_printer *q, const ad_node *n)
{
    const char *own = n->sym->ctype ? n->sym->ctype : "int", *name = n->sym->name;
    const int stand_in = n->step < 0 && ad_is_unsigned(own), keep = ad_assigned(n->body, n->end) != NULL;
    const char *type = stand_in ? "ptrdiff_t" : own;
    if (keep) {
        ad_indent(q);
        ad_put(q->o, "const %s %s_end = ", type, name);
        bound(q, type, n->end, AD_LEVEL_NONE);
        ad_puts(q->o, ";\n");
    }
    declare_rows(q, n);
    if (n->simd && !q->how->check && !(q->how->lanes && ad_on_lanes(n->body)) && !adds_to_shared(q, n->body)) simd(q, n);
    if (stand_in) name = ad_text(q->m, "%s_down", n->sym->name);
    ad_indent(q);
    ad_put(q->o, "for (%s %s = ", type, name);
    bound(q, type, n->first, AD_LEVEL_NONE);
    ad_put(q->o, "; %s %c ", name, n->step > 0 ? '<' : '>');
    if (keep) ad_put(q->o, "%s_end", n->sym->name);
    else bound(q, type, n->end, AD_LEVEL_SUM);
    if (n->step == 1 || n->step == -1) ad_put(q->o, "; %s%s", name, n->step > 0 ? "++" : "--");
    else ad_put(q->o, "; %s %s= %lld", name, n->step > 0 ? "+" : "-", (long long)(n->step > 0 ? n->step : -n->step));
    move_rows(q, n);
    ad_puts(q->o, ") {\n");
    q->depth++;
    if (stand_in) ad_line(q, "const %s %s = (%s)%s;", own, n->sym->name, own, name);
    fetch_rows(q, n);
    if (q->fn->point && n->sym == q->fn->point) point(q, n);
    ad_put_body(q, n->body);
    q->depth--;
    ad_line(q, "}");
}
