/* loop_header.c - what stands in the parentheses of a for loop: its counter, where that starts and ends, its step.
 *
 *     for (int i = 0, j = n; i <= m && ok; i++, j -= 2)
 *
 * The condition compares the counter, which the step moves, with a bound; a condition behind && ends the loop as break does. */
#include "front/lower_loop.h"

static int refuse(ac_lower *cx, ad_place place, const char *why)
{
    ad_error(cx->d, place, "for (int i = from; i < to; i++)", "%s", why);
    return 0;
}

int ac_constant_step(ac_lower *cx, const ac_expr *e, int64_t *step)
{
    ac_constant k;
    if (e->op == E_INCREMENT) {
        *step = e->number;
        return 1;
    }
    if (e->op != E_ASSIGN || e->a->op != E_NAME) return 0;
    const ac_expr *by = e->b;
    ad_op op = e->arith;
    if (op == AD_SET) {
        if (by->op != E_BINARY) return 0;
        op = by->arith;
        if (by->a->op == E_NAME && by->a->entity == e->a->entity) by = by->b;
        else if (op == AD_ADD && by->b->op == E_NAME && by->b->entity == e->a->entity) by = by->a;
        else return 0;
    }
    if ((op != AD_ADD && op != AD_SUB) || !ac_evaluate(cx->m, by, &k) || k.is_double) return 0;
    if (k.whole > 1000000000 || k.whole < -1000000000) return 0;
    *step = op == AD_ADD ? k.whole : -k.whole;
    return 1;
}

/* The part of the step that assigns v. */
static ac_expr *advance_of(ac_expr *step, const ac_entity *v)
{
    for (; step; step = step->op == E_COMMA ? step->a : NULL) {
        ac_expr *k = step->op == E_COMMA ? step->b : step;
        if ((k->op == E_INCREMENT || k->op == E_ASSIGN) && k->a->op == E_NAME && k->a->entity == v) return k;
    }
    return NULL;
}

static ad_op mirrored(ad_op op)
{
    return op == AD_LT ? AD_GT : op == AD_LE ? AD_GE : op == AD_GT ? AD_LT : op == AD_GE ? AD_LE : op;
}

/* Takes e as the condition of the counter, if it compares a variable that the step moves. */
static int takes(ac_for *h, ac_expr *e)
{
    if (e->op != E_BINARY || e->arith < AD_LT || e->arith > AD_NE || e->arith == AD_EQ) return 0;
    for (int side = 0; side < 2; side++) {
        ac_expr *mine = side ? e->b : e->a, *other = side ? e->a : e->b;
        while (mine->op == E_CAST && mine->type->class == T_INT) mine = mine->a;
        const int in_condition =
            mine->op == E_INCREMENT && mine->postfix && mine->number == -1 && mine->a->op == E_NAME && !h->s->step;
        if (in_condition) mine = mine->a;
        if (mine->op != E_NAME || mine->entity->sort != N_VARIABLE || mine->entity->type->class != T_INT) continue;
        ac_expr *advance = in_condition ? NULL : advance_of(h->s->step, mine->entity);
        if (!advance && !in_condition) continue;
        h->v = mine->entity;
        h->compare = e;
        h->limit = other;
        h->op = side ? mirrored(e->arith) : e->arith;
        h->advance = advance;
        if (in_condition) h->step = -1;
        return 1;
    }
    return 0;
}

static int find_counter(ac_lower *cx, ac_for *h)
{
    ac_stmt *s = h->s;
    if (!s->expr) return refuse(cx, s->place, "this loop has no bound: how often it runs is not known beforehand");
    if (takes(h, s->expr)) return 1;
    if (s->expr->op == E_AND && takes(h, s->expr->a)) {
        h->rest = s->expr->b;
        return 1;
    }
    if (s->expr->op == E_AND && takes(h, s->expr->b)) {
        h->rest = s->expr->a;
        return 1;
    }
    if (s->step && s->step->op != E_COMMA && s->step->a && s->step->a->op == E_NAME &&
        s->step->a->entity->type->class == T_DOUBLE)
        return refuse(cx, s->step->a->place, "the counter of a loop is an integer");
    return refuse(cx, s->expr->place, "the condition does not compare an integer counter that the loop moves with a bound");
}

/* ---- initialisation -------------------------------------------------------------------------------------------------------- */

/* Runs the part before the first ; and finds where the counter starts. */
static void start_expression(ac_lower *cx, ac_for *h, ac_expr *e)
{
    if (e->op == E_COMMA) {
        start_expression(cx, h, e->a);
        start_expression(cx, h, e->b);
    } else if (e->op == E_ASSIGN && e->arith == AD_SET && e->a->op == E_NAME && e->a->entity == h->v && e->b->op != E_ASSIGN) {
        h->from = ac_converted(cx, ac_full(cx, e->b), h->v->type, e->place);
    } else {
        ac_effect(cx, e);
    }
}

static int start(ac_lower *cx, ac_for *h)
{
    ac_entity *v = h->v;
    int declared = 0;
    if (v->counter) {
        ad_error(cx->d, h->s->place, "another variable", "'%s' counts this loop and one around it", v->name->text);
        return 0;
    }
    for (ac_stmt *k = h->s->first; k; k = k->next) {
        if (k->op == S_DECLARE && k->entity == v) {
            declared = 1;
            if (!v->init || !v->init->expr) return refuse(cx, k->place, "the counter has no value to start from");
            h->from = ac_converted(cx, ac_full(cx, v->init->expr), v->type, k->place);
        } else if (k->op == S_DECLARE) {
            ac_declare_local(cx, k->entity, k->place);
        } else if (k->op == S_EXPR) {
            start_expression(cx, h, k->expr);
        }
    }
    h->keep = !declared && v->reads > v->counted_reads;
    if (!declared && !v->bound) {
        if (!v->reported) ad_error(cx->d, h->s->place, "int i inside the for", "'%s' is not a local variable", v->name->text);
        return 0;
    }
    if (!h->from) {
        const ac_value now = ac_load(cx, v->bound, h->s->place);
        if (!now.type) return 0;
        h->from = ac_frozen(cx, now.node, "from");
    }
    return 1;
}

/* ---- bounds ---------------------------------------------------------------------------------------------------------------- */

static ad_node *plus(ac_lower *cx, const ac_type *t, ad_node *n, int64_t k)
{
    int64_t value;
    if (ac_whole_of(n, &value) && value + k >= (t->is_unsigned ? 0 : INT32_MIN) && value + k <= INT32_MAX)
        return ad_whole(cx->m, value + k);
    return ac_int_op(cx, k > 0 ? AD_ADD : AD_SUB, n, ad_whole(cx->m, k > 0 ? k : -k));
}

/* 1: the expression mentions a variable that the loop moves. */
static int moves(const ac_for *h, const ac_expr *e)
{
    if (!e) return 0;
    if (e->op == E_NAME && (e->entity == h->v || advance_of(h->s->step, e->entity))) return 1;
    for (const ac_expr *k = e->arg; k; k = k->next) {
        if (moves(h, k)) return 1;
    }
    for (; e->op == E_BINARY && e->a->op == E_BINARY; e = e->a) {
        if (moves(h, e->b)) return 1;
    }
    return moves(h, e->a) || moves(h, e->b) || moves(h, e->c);
}

/* i < j, i++, j--: the two meet after (j - i) / 2 passes, rounded up. */
static int meet(ac_lower *cx, ac_for *h)
{
    const ac_expr *other = h->limit->op == E_NAME ? advance_of(h->s->step, h->limit->entity) : NULL;
    int64_t step = 0;
    const int apart = other && h->advance && h->limit->entity != h->v && !other->body_writes &&
                      ac_constant_step(cx, other, &step) && (h->step > 0) == (step < 0) && h->op != AD_NE &&
                      !h->v->type->is_unsigned;
    if (!apart) return refuse(cx, h->limit->place, "the bound of this loop moves with it");
    const int64_t size = h->step > 0 ? h->step : -h->step, closer = size + (step > 0 ? step : -step);
    h->from = ac_frozen(cx, h->from, "from");
    ad_node *gap = h->step > 0 ? ac_int_op(cx, AD_SUB, h->to, h->from) : ac_int_op(cx, AD_SUB, h->from, h->to);
    ad_node *count = ac_int_op(cx, AD_DIV, ac_int_op(cx, AD_ADD, gap, ad_whole(cx->m, closer - 1)), ad_whole(cx->m, closer));
    ad_node *way = ac_int_op(cx, AD_MUL, count, ad_whole(cx->m, size));
    h->to = ac_int_op(cx, h->step > 0 ? AD_ADD : AD_SUB, h->from, way);
    return 1;
}

static int bounds(ac_lower *cx, ac_for *h)
{
    ac_type *t = h->v->type;
    if (h->advance && !ac_constant_step(cx, h->advance, &h->step))
        return refuse(cx, h->advance->a->place, "the step of a loop is a constant");
    if (h->step == 0) return refuse(cx, h->advance->place, "the counter does not move");
    const int up = h->step > 0;
    if (h->op == AD_NE && h->step != 1 && h->step != -1)
        return refuse(cx, h->compare->place, "'!=' as a bound needs a step of 1 or -1");
    if (h->op != AD_NE && up != (h->op == AD_LT || h->op == AD_LE))
        return refuse(cx, h->compare->place, "the counter moves away from its bound");
    ac_value limit = ac_full(cx, h->limit);
    if (limit.type && limit.type->class != T_INT) return refuse(cx, h->limit->place, "the bound of a loop is an integer");
    if (!limit.type) return 0;
    int64_t k;
    if (t->is_unsigned && h->op == AD_GE && ac_whole_of(limit.node, &k) && k == 0)
        return refuse(cx, h->compare->place, ad_text(cx->m, "'%s' is unsigned: it is never below 0", h->v->name->text));
    if (!h->advance && t->is_unsigned) { /* i-- > 0: -1 must fit */
        h->from = ac_convert(cx, ac_of(t, h->from), ac_int(AC_LONG), 1);
        limit.node = ac_convert(cx, limit, ac_int(AC_LONG), 0);
        limit.type = t = ac_int(AC_LONG);
    }
    h->to = ac_convert(cx, limit, t, 0);
    if (h->op == AD_LE) h->to = plus(cx, t, h->to, 1);
    if (h->op == AD_GE) h->to = plus(cx, t, h->to, -1);
    if (!h->advance) {
        h->to = plus(cx, t, h->to, -1);
        h->from = plus(cx, t, h->from, -1);
    }
    if (moves(h, h->limit) && !meet(cx, h)) return 0;
    h->counter = ac_symbol(cx, h->v->name->text, t, AD_COUNTER);
    h->counter->user = h->v->name->text;
    h->counter->place = h->v->place;
    return 1;
}

int ac_for_header(ac_lower *cx, ac_for *h)
{
    return find_counter(cx, h) && start(cx, h) && bounds(cx, h);
}
