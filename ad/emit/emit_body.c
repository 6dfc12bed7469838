/* emit_body.c - statements. */
#include "base/arena.h"
#include "emit/emit_in.h"
#include "tree/rules.h"

#include <string.h>

static void expr(ad_printer *q, const ad_node *e)
{
    ad_put_expr(q->o, e, AD_LEVEL_NONE, &q->style);
}

static int on_lanes(const ad_printer *q, const ad_node *s)
{
    return q->how->lanes && (s->op == AD_SET || s->op == AD_INC) && s->target->sym->lane;
}

/* Where the statements that follow come from, once for each line of the user's file. */
static void comment(ad_printer *q, const ad_node *s)
{
    if (s->place.line <= 0 || s->place.line == q->line || s->op == AD_DECL || s->op == AD_BLOCK) return;
    q->line = s->place.line;
    const char *slash = s->place.file ? strrchr(s->place.file, '/') : NULL;
    ad_line(q, "/* %.200s:%d */", slash ? slash + 1 : s->place.file ? s->place.file : "line", s->place.line);
}

/* ---- assignments --------------------------------------------------------------------------------------------------------------- */

/* The value of an assignment: converted where the integer types differ, made a vector where the target is one and the value is not. */
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
    if (q->first[target->number] == -3) { /* declared here */
        ad_put(q->o, "%s%s ", q->writes[target->number] == 1 ? "const " : "", ad_c_type(q, target));
        q->first[target->number] = -2;
    }
    assign(q, s);
    check(q, s);
}

static int lane_scalar(const ad_node *s)
{
    return s->op == AD_DECL && s->sym->lane && !s->sym->array;
}

/* Statements i, i+1, ... on lanes share a loop; declarations among them come first. Returns the number of statements taken. */
static int lanes(ad_printer *q, const ad_node *b, int i)
{
    int end = i, last = i, count = 0;
    while (end < b->kids && (on_lanes(q, b->kid[end]) || lane_scalar(b->kid[end]))) {
        if (on_lanes(q, b->kid[end])) last = end, count++;
        end++;
    }
    for (int j = i; j < last; j++) {
        const ad_sym *s = b->kid[j]->sym;
        if (b->kid[j]->op == AD_DECL && q->home[s->number] <= 0 && !(q->shared && q->shared[s->number]))
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

/* ---- declarations ------------------------------------------------------------------------------------------------------------------ */

static void mention(ad_printer *q, const ad_node *n, int statement)
{
    if (!n) return;
    if (n->sym && n->op != AD_DECL && q->first[n->sym->number] == -1) q->first[n->sym->number] = statement;
    for (int i = 0; i < n->kids; i++) mention(q, n->kid[i], statement);
}

/* first[s] for the scalars that the block declares. */
static void find_first(ad_printer *q, const ad_node *b)
{
    int any = 0;
    for (int i = 0; i < b->kids; i++)
        if (b->kid[i]->op == AD_DECL && !b->kid[i]->sym->array) any = 1, q->first[b->kid[i]->sym->number] = -1;
    for (int i = 0; any && i < b->kids; i++) mention(q, b->kid[i], i);
}

static void visit(ad_printer *q, const ad_node *n, int home)
{
    if (!n) return;
    if (n->sym && n->op != AD_DECL) {
        int *at = &q->home[n->sym->number];
        *at = *at == 0 || *at == home ? home : -1;
    }
    for (int i = 0; i < n->kids; i++) visit(q, n->kid[i], home);
}

/* 1: the statement gives s its first value, whatever it was. */
static int sets(const ad_node *f, const ad_sym *s)
{
    return f->op == AD_SET && f->target->op == AD_NAME && f->target->sym == s && !ad_uses(f->value, s);
}

/* home[s] for the scalars with lanes that the block declares. */
static void find_homes(ad_printer *q, const ad_node *b)
{
    int loop = 1;
    for (int i = 0; i < b->kids; i++)
        if (lane_scalar(b->kid[i])) q->home[b->kid[i]->sym->number] = 0;
    for (int i = 0; i < b->kids; i++) {
        if (!on_lanes(q, b->kid[i]) && !lane_scalar(b->kid[i])) loop++;
        visit(q, b->kid[i], on_lanes(q, b->kid[i]) ? loop : -1);
    }
    for (int i = 0; i < b->kids; i++) {
        const ad_sym *s = b->kid[i]->sym;
        if (!lane_scalar(b->kid[i])) continue;
        const int first = q->first[s->number];
        if (first < 0 || !sets(b->kid[first], s) || (q->shared && q->shared[s->number])) q->home[s->number] = -1;
    }
}

/* A scalar whose first mention is an assignment of this block is declared there; another one here, with 0, so that no compiler wonders. */
static void declare(ad_printer *q, const ad_node *b, const ad_sym *s)
{
    if (q->shared && q->shared[s->number]) return;
    if (s->array) {
        ad_put_array(q, s);
        return;
    }
    const int first = q->first[s->number];
    const ad_node *f = first >= 0 ? b->kid[first] : NULL;
    const int set = f && sets(f, s);
    if (q->home[s->number] > 0) return;
    q->first[s->number] = -2;
    if (s->lane && q->how->lanes) {
        ad_line(q, "costate_v4 %s[%s]%s;", s->name, *q->blocks == '1' ? "1" : "2", set ? "" : " = {{0}}");
        return;
    }
    if (set) {
        q->first[s->number] = -3;
        return;
    }
    ad_line(q, "%s %s = 0;", ad_c_type(q, s), s->name);
}

/* ---- loops ----------------------------------------------------------------------------------------------------------------------------- */

static int has_lane_statement(const ad_printer *q, const ad_node *n)
{
    if (!n || n->op < AD_DECL) return 0;
    if (on_lanes(q, n)) return 1;
    for (int i = 0; i < n->kids; i++)
        if (has_lane_statement(q, n->kid[i])) return 1;
    return 0;
}

/* Scalars that the loop adds to and that it does not declare: each once, with a comma before all but the first. */
static void reductions(ad_printer *q, const ad_node *loop, const ad_node *n, int *count)
{
    if (!n || n->op < AD_DECL) return;
    if (n->op == AD_INC && n->target->op == AD_NAME) {
        const ad_sym *s = n->target->sym;
        if (q->first[s->number] == -4) return;
        q->first[s->number] = -4;
        ad_put(q->o, "%s%s", (*count)++ ? ", " : " reduction(+:", s->name);
        return;
    }
    for (int i = n->op == AD_FOR ? 2 : 0; i < n->kids; i++) reductions(q, loop, n->kid[i], count);
}

static int adds_to_shared(const ad_printer *q, const ad_node *n)
{
    if (!n || n->op < AD_DECL) return 0;
    if (n->op == AD_INC) return q->shared && q->shared[n->target->sym->number];
    for (int i = n->op == AD_FOR ? 2 : 0; i < n->kids; i++)
        if (adds_to_shared(q, n->kid[i])) return 1;
    return 0;
}

static void set_first(ad_printer *q, const ad_node *n, ad_op op, int from, int to)
{
    if (!n || n->op < AD_DECL) return;
    const ad_sym *s = op == AD_DECL && n->op == AD_DECL ? n->sym : op == AD_INC && n->op == AD_INC ? n->target->sym : NULL;
    if (s && q->first[s->number] == from) q->first[s->number] = to;
    for (int i = n->op == AD_FOR ? 2 : 0; i < n->kids; i++) set_first(q, n->kid[i], op, from, to);
}

static void simd(ad_printer *q, const ad_node *loop)
{
    int count = 0;
    set_first(q, loop->body, AD_DECL, -2, -4); /* the loop's own are not listed */
    ad_puts(q->o, "#pragma omp simd");
    reductions(q, loop, loop->body, &count);
    ad_puts(q->o, count ? ")\n" : "\n");
    set_first(q, loop->body, AD_DECL, -4, -2);
    set_first(q, loop->body, AD_INC, -4, -2);
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

static int written_in(const ad_printer *q, const ad_node *e, const ad_node *n)
{
    if (!n || n->op < AD_DECL) return 0;
    if (n->op == AD_SET || n->op == AD_INC || n->op == AD_POP) return ad_uses(e, n->target->sym);
    for (int i = n->op == AD_FOR ? 2 : 0; i < n->kids; i++)
        if (written_in(q, e, n->kid[i])) return 1;
    return 0;
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
static void loop(ad_printer *q, const ad_node *n)
{
    const char *own = n->sym->ctype ? n->sym->ctype : "int", *name = n->sym->name;
    const int stand_in = n->step < 0 && ad_is_unsigned(own), keep = written_in(q, n->end, n->body);
    const char *type = stand_in ? "ptrdiff_t" : own;
    if (keep) {
        ad_indent(q);
        ad_put(q->o, "const %s %s_end = ", type, name);
        bound(q, type, n->end, AD_LEVEL_NONE);
        ad_puts(q->o, ";\n");
    }
    declare_rows(q, n);
    if (n->simd && !q->how->check && !has_lane_statement(q, n->body) && !adds_to_shared(q, n->body)) simd(q, n);
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

/* ---- everything else ---------------------------------------------------------------------------------------------------------------------- */

static void tape(ad_printer *q, const ad_node *s)
{
    const ad_node *a = s->target;
    const int push = s->op == AD_PUSH;
    ad_indent(q);
    if (a->sym->lane && q->how->lanes) { /* all blocks at once, from the first */
        ad_put(q->o, "costate_%s_lanes(work, &%s%s[", push ? "push" : "pop", q->shared && q->shared[a->sym->number] ? "locals->" : "", a->sym->name);
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
    case AD_DECL: declare(q, b, s->sym); break;
    case AD_SET:
    case AD_INC: plain(q, s); break;
    case AD_IF: choice(q, s); break;
    case AD_FOR: loop(q, s); break;
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
    find_first(q, b);
    if (q->how->lanes) find_homes(q, b);
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
        if (on_lanes(q, s)) i += lanes(q, b, i) - 1;
        else statement(q, b, s);
    }
    if (mark) ad_line(q, "costate_scratch_back(work, mark_%d, 0);", mark);
    q->stack = stack;
}
