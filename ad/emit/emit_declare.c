/* emit_declare.c - where locals live and where they are declared.
 *
 * A scalar is declared by its first assignment, where that is in the block of its declaration, and with 0 otherwise. A scalar
 * with lanes that one loop over lanes alone mentions is a value of that loop. Arrays are on the stack while there is room,
 * else on scratch. */
#include "base/arena.h"
#include "emit/emit_in.h"

#include <stdint.h>
#include <string.h>

enum { STACK_ARRAY = 32 << 10, STACK_TOTAL = 128 << 10 };

enum { UNMENTIONED = -1 }; /* ad_printer.first: no statement yet */

/* ---- arrays -------------------------------------------------------------------------------------------------------------- */

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
    const char *owner = ad_is_shared(q, s) ? "locals->" : "";
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

/* As if no array ever left the stack again, which errs on the safe side. */
static int needs_work(ad_printer *q, const ad_node *n)
{
    if (!n) return 0;
    if (n->op == AD_PUSH || n->op == AD_POP) return 1;
    if (n->op == AD_DECL && n->sym->array) {
        if (ad_on_scratch(q, n->sym)) return 1;
        q->stack += array_bytes(q, n->sym);
    }
    for (int i = ad_inner(n); i < n->kids; i++)
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

/* ---- scalars ------------------------------------------------------------------------------------------------------------- */

int ad_takes_lanes(const ad_printer *q, const ad_node *s)
{
    return q->how->lanes && (s->op == AD_SET || s->op == AD_INC) && s->target->sym->lane;
}

int ad_declares_lane_scalar(const ad_node *s)
{
    return s->op == AD_DECL && s->sym->lane && !s->sym->array;
}

static void mention(ad_printer *q, const ad_node *n, int statement)
{
    if (!n) return;
    if (n->sym && n->op != AD_DECL && q->first[n->sym->number] == UNMENTIONED) q->first[n->sym->number] = statement;
    for (int i = 0; i < n->kids; i++) mention(q, n->kid[i], statement);
}

/* first[s] for the scalars that the block declares. */
static void find_first(ad_printer *q, const ad_node *b)
{
    int any = 0;
    for (int i = 0; i < b->kids; i++)
        if (b->kid[i]->op == AD_DECL && !b->kid[i]->sym->array) any = 1, q->first[b->kid[i]->sym->number] = UNMENTIONED;
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
        if (ad_declares_lane_scalar(b->kid[i])) q->home[b->kid[i]->sym->number] = 0;
    for (int i = 0; i < b->kids; i++) {
        if (!ad_takes_lanes(q, b->kid[i]) && !ad_declares_lane_scalar(b->kid[i])) loop++;
        visit(q, b->kid[i], ad_takes_lanes(q, b->kid[i]) ? loop : -1);
    }
    for (int i = 0; i < b->kids; i++) {
        const ad_sym *s = b->kid[i]->sym;
        if (!ad_declares_lane_scalar(b->kid[i])) continue;
        const int first = q->first[s->number];
        if (first < 0 || !sets(b->kid[first], s) || ad_is_shared(q, s)) q->home[s->number] = -1;
    }
}

/* A scalar whose first mention is an assignment of this block is declared there; another one here, with 0, so that no compiler
 * wonders. */
void ad_declare(ad_printer *q, const ad_node *b, const ad_sym *s)
{
    if (ad_is_shared(q, s)) return;
    if (s->array) {
        ad_put_array(q, s);
        return;
    }
    const int first = q->first[s->number];
    const ad_node *f = first >= 0 ? b->kid[first] : NULL;
    const int set = f && sets(f, s);
    if (q->home[s->number] > 0) return;
    q->first[s->number] = AD_DECLARED;
    if (s->lane && q->how->lanes) {
        ad_line(q, "costate_v4 %s[%s]%s;", s->name, *q->blocks == '1' ? "1" : "2", set ? "" : " = {{0}}");
        return;
    }
    if (set) {
        q->first[s->number] = AD_AT_FIRST_SET;
        return;
    }
    ad_line(q, "%s %s = 0;", ad_c_type(q, s), s->name);
}

void ad_find_declarations(ad_printer *q, const ad_node *b)
{
    find_first(q, b);
    if (q->how->lanes) find_homes(q, b);
}
