/* emit_body.c - statements. */
#include "base/arena.h"
#include "emit/emit_in.h"

#include <string.h>

static void expr(ad_printer *q, const ad_node *e)
{
    ad_put_expr(q->o, e, AD_LEVEL_NONE, &q->style);
}

/* Where the statements that follow come from, once for each line of the user's file. */
static void comment(ad_printer *q, const ad_node *s)
{
    if (s->place.line <= 0 || s->place.line == q->line || s->op == AD_DECL || s->op == AD_BLOCK) return;
    q->line = s->place.line;
    const char *slash = s->place.file ? strrchr(s->place.file, '/') : NULL;
    ad_line(q, "/* %.200s:%d */", slash ? slash + 1 : s->place.file ? s->place.file : "line", s->place.line);
}

/* ---- assignments --------------------------------------------------------------------------------------------------------- */

/* The value of an assignment: converted where the integer types differ, made a vector where the target is one and the value is
 * not. */
static void value(ad_printer *q, const ad_sym *target, const ad_node *e, int set)
{
    if (target->type == AD_INT) {
        const char *type = target->ctype ? target->ctype : "int";
        if (e->type == AD_INT && (e->op == AD_WHOLE || strcmp(type, ad_ctype(e)) == 0)) {
            expr(q, e);
            return;
        }
        ad_put(q->o, "(%s)", type);
        ad_put_expr(q->o, e, AD_LEVEL_UNARY, &q->style);
        return;
    }
    if (q->style.splat && target->lane && set && !ad_has_lanes(e)) {
        double v;
        if (ad_literal(e, &v) && v == 0) {
            ad_puts(q->o, "(costate_v4){0}");
            return;
        }
        ad_puts(q->o, q->style.splat);
        ad_put_expr(q->o, e, AD_LEVEL_PRODUCT, &q->style);
        return;
    }
    expr(q, e);
}

static void assign(ad_printer *q, const ad_node *s)
{
    const ad_node *target = s->target, *e = s->value;
    expr(q, target);
    if (s->op == AD_INC && e->op == AD_NEG) {
        ad_puts(q->o, " -= ");
        value(q, target->sym, e->a, 0);
    } else {
        ad_puts(q->o, s->op == AD_SET ? " = " : " += ");
        value(q, target->sym, e, s->op == AD_SET);
    }
    ad_puts(q->o, ";\n");
}

/* In the version that looks for NaN. */
static void check(ad_printer *q, const ad_node *s)
{
    if (!q->how->check || s->target->sym->type != AD_DOUBLE || q->how->lanes) return;
    ad_indent(q);
    ad_puts(q->o, "if (isnan(");
    expr(q, s->target);
    ad_put(q->o, ")) return not_a_number(\"%s\", %d, \"", s->place.file ? s->place.file : "", s->place.line);
    expr(q, s->target);
    ad_puts(q->o, "\");\n");
}

static void plain(ad_printer *q, const ad_node *s)
{
    const ad_sym *target = s->target->sym;
    comment(q, s);
    ad_indent(q);
    if (q->first[target->number] == AD_AT_FIRST_SET) {
        ad_put(q->o, "%s%s ", q->writes[target->number] == 1 ? "const " : "", ad_c_type(q, target));
        q->first[target->number] = AD_DECLARED;
    }
    assign(q, s);
    check(q, s);
}

/* Statements i, i+1, ... on lanes share a loop; declarations among them come first. Returns the number of statements taken. */
static int lanes(ad_printer *q, const ad_node *b, int i)
{
    int end = i, last = i, count = 0;
    while (end < b->kids && (ad_takes_lanes(q, b->kid[end]) || ad_declares_lane_scalar(b->kid[end]))) {
        if (ad_takes_lanes(q, b->kid[end])) last = end, count++;
        end++;
    }
    for (int j = i; j < last; j++) {
        const ad_sym *s = b->kid[j]->sym;
        if (b->kid[j]->op == AD_DECL && q->home[s->number] <= 0 && !ad_is_shared(q, s))
            ad_line(q, "costate_v4 %s[%s];", s->name, *q->blocks == '1' ? "1" : "2");
    }
    comment(q, b->kid[i]);
    ad_line(q, "for (int l_ = 0; l_ < %s; l_++)%s", q->blocks, count > 1 ? " {" : "");
    q->depth++;
    for (int j = i; j <= last; j++) {
        if (b->kid[j]->op == AD_DECL) continue;
        comment(q, b->kid[j]);
        ad_indent(q);
        const ad_sym *target = b->kid[j]->target->sym;
        if (q->home[target->number] > 0 && q->first[target->number] == j)
            ad_put(q->o, "%scostate_v4 ", q->writes[target->number] == 1 ? "const " : "");
        assign(q, b->kid[j]);
    }
    q->depth--;
    if (count > 1) ad_line(q, "}");
    return last + 1 - i;
}

/* ---- everything else ----------------------------------------------------------------------------------------------------- */

static void tape(ad_printer *q, const ad_node *s)
{
    const ad_node *a = s->target;
    const int push = s->op == AD_PUSH;
    ad_indent(q);
    if (a->sym->lane && q->how->lanes) { /* all blocks at once, from the first */
        const char *owner = ad_is_shared(q, a->sym) ? "locals->" : "";
        ad_put(q->o, "costate_%s_lanes(work, &%s%s[", push ? "push" : "pop", owner, a->sym->name);
        if (a->op == AD_NAME) ad_puts(q->o, "0");
        else ad_put_expr(q->o, a->index, AD_LEVEL_UNARY, &q->style);
        ad_put(q->o, "%s%s], %s);\n", a->op == AD_ELEM ? " * " : "", a->op == AD_ELEM ? q->blocks : "", q->blocks);
        return;
    }
    if (push) ad_puts(q->o, a->sym->type == AD_INT ? "costate_push_int(work, (int64_t)" : "costate_push(work, ");
    ad_put_expr(q->o, a, push && a->sym->type == AD_INT ? AD_LEVEL_UNARY : AD_LEVEL_NONE, &q->style);
    if (push) ad_puts(q->o, ");\n");
    else if (a->sym->type == AD_INT) ad_put(q->o, " = (%s)costate_pop_int(work);\n", ad_c_type(q, a->sym));
    else ad_puts(q->o, " = costate_pop(work);\n");
}

static void braces(ad_printer *q, const ad_node *b)
{
    q->depth++;
    ad_put_body(q, b);
    q->depth--;
}

static void choice(ad_printer *q, const ad_node *s)
{
    ad_indent(q);
    ad_puts(q->o, "if (");
    expr(q, s->condition);
    ad_puts(q->o, ") {\n");
    braces(q, s->yes);
    if (s->no && s->no->kids) {
        ad_line(q, "} else {");
        braces(q, s->no);
    }
    ad_line(q, "}");
}

static void statement(ad_printer *q, const ad_node *b, const ad_node *s)
{
    comment(q, s);
    switch (s->op) {
    case AD_DECL: ad_declare(q, b, s->sym); break;
    case AD_SET:
    case AD_INC: plain(q, s); break;
    case AD_IF: choice(q, s); break;
    case AD_FOR: ad_put_loop(q, s); break;
    case AD_BLOCK:
        ad_line(q, "{");
        braces(q, s);
        ad_line(q, "}");
        break;
    case AD_PUSH:
    case AD_POP: tape(q, s); break;
    case AD_NOTE: ad_line(q, "/* %.900s */", s->text); break;
    case AD_RAW:
        ad_indent(q);
        expr(q, s);
        ad_puts(q->o, "\n");
        break;
    default: break;
    }
}

/* The tape may have failed by the time of the first pop after a push. Scratch that a block takes is given back at its end. */
void ad_put_body(ad_printer *q, const ad_node *b)
{
    const size_t stack = q->stack;
    int pushed = 0, mark = 0;
    ad_find_declarations(q, b);
    for (int i = 0; i < b->kids; i++) {
        const ad_node *s = b->kid[i];
        if (pushed && ad_contains(s, AD_POP)) {
            ad_line(q, "if (work->failed) return costate_scratch_back(work, mark, -1);");
            pushed = 0;
        }
        if (s->op != AD_POP && ad_contains(s, AD_PUSH)) pushed = 1;
        if (s->op == AD_DECL && s->sym->array && !mark && q->depth > 1 && ad_on_scratch(q, s->sym)) {
            mark = ++q->marks;
            ad_line(q, "const costate_mark mark_%d = costate_scratch_mark(work);", mark);
        }
        if (ad_takes_lanes(q, s)) i += lanes(q, b, i) - 1;
        else statement(q, b, s);
    }
    if (mark) ad_line(q, "costate_scratch_back(work, mark_%d, 0);", mark);
    q->stack = stack;
}
