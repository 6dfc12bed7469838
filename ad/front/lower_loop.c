/* lower_loop.c - for loops. AD_FOR has one counter, bounds that are evaluated once, and a constant step; this file finds them
 * in what C allows:
 *
 *     for (int i = 0, j = n; i <= m && ok; i++, j -= 2)
 *
 * i counts. A further variable that changes by a constant is an expression in i; any other is carried along. A condition
 * behind && ends the loop as break does. A counter that is read behind the loop gets the value C would leave in it. */
#include "front/lower.h"
#include "tree/flow.h"

#include <string.h>

typedef struct header {
    ac_stmt *s;
    ac_entity *v;     /* the counter */
    ac_expr *compare; /* its condition */
    ac_expr *rest;    /* further conditions, or NULL */
    ac_expr *limit;   /* the other side */
    ad_op op;         /* of the comparison, with the counter on the left */
    ac_expr *advance; /* the part of the step that moves the counter; NULL: it is in the condition, i-- > 0 */
    int64_t step;
    ad_node *from, *to; /* of AD_FOR */
    ad_sym *counter;
    int keep; /* the value behind the loop is wanted */
} header;

static int refuse(ac_lower *cx, ad_place place, const char *why)
{
    ad_error(cx->d, place, "for (int i = from; i < to; i++)", "%s", why);
    return 0;
}

/* 1: e moves a variable by a constant: x++, x += 2, x = x - 1. */
static int constant_step(ac_lower *cx, const ac_expr *e, int64_t *step)
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
static int takes(header *h, ac_expr *e)
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

static int find_counter(ac_lower *cx, header *h)
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
static void start_expression(ac_lower *cx, header *h, ac_expr *e)
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

static int start(ac_lower *cx, header *h)
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
static int moves(const header *h, const ac_expr *e)
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
static int meet(ac_lower *cx, header *h)
{
    const ac_expr *other = h->limit->op == E_NAME ? advance_of(h->s->step, h->limit->entity) : NULL;
    int64_t step = 0;
    const int apart = other && h->advance && h->limit->entity != h->v && !other->body_writes && constant_step(cx, other, &step) &&
                      (h->step > 0) == (step < 0) && h->op != AD_NE && !h->v->type->is_unsigned;
    if (!apart) return refuse(cx, h->limit->place, "the bound of this loop moves with it");
    const int64_t size = h->step > 0 ? h->step : -h->step, closer = size + (step > 0 ? step : -step);
    h->from = ac_frozen(cx, h->from, "from");
    ad_node *gap = h->step > 0 ? ac_int_op(cx, AD_SUB, h->to, h->from) : ac_int_op(cx, AD_SUB, h->from, h->to);
    ad_node *count = ac_int_op(cx, AD_DIV, ac_int_op(cx, AD_ADD, gap, ad_whole(cx->m, closer - 1)), ad_whole(cx->m, closer));
    ad_node *way = ac_int_op(cx, AD_MUL, count, ad_whole(cx->m, size));
    h->to = ac_int_op(cx, h->step > 0 ? AD_ADD : AD_SUB, h->from, way);
    return 1;
}

static int bounds(ac_lower *cx, header *h)
{
    ac_type *t = h->v->type;
    if (h->advance && !constant_step(cx, h->advance, &h->step))
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

/* ---- body ------------------------------------------------------------------------------------------------------------------ */

/* Passes that were made when the counter is at n: (n - from) / step. */
static ad_node *passes(ac_lower *cx, const header *h, ad_node *n)
{
    ad_node *d = ac_int_op(cx, AD_SUB, n, h->from);
    return h->step == 1 ? d : ac_int_op(cx, AD_DIV, d, ad_whole(cx->m, h->step));
}

/* The counter's value behind the loop. */
static ad_node *final_value(ac_lower *cx, const header *h)
{
    int64_t a, b;
    if (ac_whole_of(h->from, &a) && ac_whole_of(h->to, &b)) {
        const int64_t over = h->step > 0 ? b - a : a - b, size = h->step > 0 ? h->step : -h->step;
        return ad_whole(cx->m, over > 0 ? a + (over + size - 1) / size * h->step : a);
    }
    ad_node *runs = ad_new(cx->m, h->step > 0 ? AD_LT : AD_GT, AD_INT, 2, h->from, h->to), *end = h->to;
    if (h->step != 1 && h->step != -1) {
        ad_node *d = ac_int_op(cx, AD_SUB, h->to, h->from);
        d = ac_int_op(cx, h->step > 0 ? AD_ADD : AD_SUB, d, ad_whole(cx->m, (h->step > 0 ? h->step : -h->step) - 1));
        end = ac_int_op(cx, AD_ADD, h->from,
                        ac_int_op(cx, AD_MUL, ac_int_op(cx, AD_DIV, d, ad_whole(cx->m, h->step)), ad_whole(cx->m, h->step)));
    }
    return ad_new(cx->m, AD_COND, AD_INT, 3, runs, end, h->from);
}

enum { FOLLOWERS = 16 };

/* Variables besides the counter that move by a constant: inside the loop they stand for an expression. */
typedef struct follower {
    ac_entity *v;
    ac_ref *own;
    ad_node *from;
    int64_t step;
} follower;

static int is_follower(ac_lower *cx, const ac_expr *e, int64_t *step)
{
    if ((e->op != E_INCREMENT && e->op != E_ASSIGN) || e->a->op != E_NAME) return 0;
    const ac_entity *v = e->a->entity;
    return v->sort == N_VARIABLE && v->bound && v->bound->where == R_LEAVES && v->type->class == T_INT && v->type->rank >= 3 &&
           !e->body_writes && constant_step(cx, e, step);
}

static int followers(ac_lower *cx, header *h, follower *f, ac_expr **others, int *other_count)
{
    int n = 0;
    ac_expr *list[FOLLOWERS];
    int parts = 0;
    ac_expr *e = h->s->step;
    for (; e && e->op == E_COMMA && parts < FOLLOWERS - 1; e = e->a) list[parts++] = e->b;
    if (e) list[parts++] = e;
    *other_count = 0;
    while (parts-- > 0) {
        int64_t step;
        if (list[parts] == h->advance) continue;
        if (!is_follower(cx, list[parts], &step)) {
            others[(*other_count)++] = list[parts];
            continue;
        }
        ac_entity *v = list[parts]->a->entity;
        const ac_value now = ac_load(cx, v->bound, h->s->place);
        if (!now.type) continue;
        f[n] = (follower){.v = v, .own = v->bound, .step = step};
        const ad_node *last = cx->block->kids ? cx->block->kid[cx->block->kids - 1] : NULL;
        const int just_set = last && last->op == AD_SET && ad_same(last->target, now.node) && ac_stable(cx, last->value);
        f[n].from = just_set ? last->value : ac_frozen(cx, now.node, ad_text(cx->m, "%s_from", v->name->text));
        n++;
    }
    return n;
}

static ad_node *follow(ac_lower *cx, const header *h, const follower *f, ad_node *counter)
{
    const ac_type *t = f->v->type;
    ad_node *moved = ac_int_op(cx, AD_MUL, passes(cx, h, counter), ad_whole(cx->m, f->step));
    if (f->step < 0) moved = ac_int_op(cx, AD_MUL, passes(cx, h, counter), ad_whole(cx->m, -f->step));
    if (!(t->rank == 3 && !t->is_unsigned)) moved = ac_convert(cx, ac_of(h->v->type, moved), f->v->type, 0);
    return ac_int_op(cx, f->step < 0 ? AD_SUB : AD_ADD, f->from, moved);
}

static ad_sym *flag(ac_lower *cx, const char *name)
{
    ad_sym *s = ac_symbol(cx, name, ac_int(AC_INT), AD_LOCAL);
    ac_mark(cx, s, M_FLAG);
    ac_emit(cx, ad_decl(cx->m, s));
    ac_emit(cx, ad_set(cx->m, ad_use(cx->m, s), ad_whole(cx->m, 0)));
    return s;
}

static void assign_int(ac_lower *cx, const ac_ref *to, ac_type *t, ad_node *n)
{
    const ac_value v = ac_of(t, n);
    ac_assign(cx, to, &v, cx->place);
}

/* One pass: guarded by the flags, then the further condition, the user's body, and the steps that are carried along. */
static void pass(ac_lower *cx, header *h, ac_loop *loop, ac_expr **others, int other_count)
{
    ac_stmt *s = h->s;
    const int leaves = (s->body->exits & EXIT_RETURN) | (loop->stop ? EXIT_BREAK : 0);
    ad_node *outer = cx->block;
    if (leaves) {
        ad_node *guard = ac_guard(cx, leaves), *inner = ad_block(cx->m);
        ac_emit(cx, ad_if(cx->m, guard, inner, NULL));
        cx->block = inner;
    }
    if (h->keep && loop->stop) {
        ac_entity *v = h->v;
        v->counter = NULL;
        assign_int(cx, v->bound, v->type, ad_use(cx->m, h->counter));
        v->counter = h->counter;
    }
    if (h->rest) {
        ad_node *go = ac_full_truth(cx, h->rest), *inner = ad_block(cx->m), *stop = ad_block(cx->m);
        ac_emit(cx, ad_if(cx->m, go, inner, stop));
        cx->block = stop;
        ac_emit(cx, ad_set(cx->m, ad_use(cx->m, loop->stop), ad_whole(cx->m, 1)));
        cx->block = inner;
    }
    if (s->body->exits & EXIT_CONTINUE) loop->skip = flag(cx, "skip");
    ac_lower_block(cx, cx->block, s->body->first);
    if (other_count) {
        const int exits = s->body->exits & (EXIT_RETURN | EXIT_BREAK);
        ad_node *guard = exits ? ac_guard(cx, exits) : NULL;
        if (guard) {
            ad_node *inner = ad_block(cx->m);
            ac_emit(cx, ad_if(cx->m, guard, inner, NULL));
            cx->block = inner;
        }
        for (int i = 0; i < other_count; i++) ac_effect(cx, others[i]);
    }
    cx->block = outer;
}

/* The name of a variable in the bound that the body assigns, or NULL. */
static const char *changed_in(ac_lower *cx, const ac_expr *e, const ad_node *body)
{
    if (!e) return NULL;
    if (e->op == E_NAME && e->entity->sort == N_VARIABLE && e->entity->bound && e->entity->bound->where == R_LEAVES) {
        const ad_node *used = ad_use(cx->m, e->entity->bound->leaf[0]);
        if (ad_assigned(body, used)) return e->name->text;
    }
    for (const ac_expr *k = e->arg; k; k = k->next) {
        const char *name = changed_in(cx, k, body);
        if (name) return name;
    }
    while (e->op == E_BINARY && e->a->op == E_BINARY) {
        const char *name = changed_in(cx, e->b, body);
        if (name) return name;
        e = e->a;
    }
    const ac_expr *const kid[] = {e->a, e->b, e->c};
    for (int i = 0; i < 3; i++) {
        const char *name = changed_in(cx, kid[i], body);
        if (name) return name;
    }
    return NULL;
}

/* Gives the counter and what moved along with it the values that C leaves in them. */
static void leave(ac_lower *cx, const header *h, const ac_loop *loop, const follower *f, int count)
{
    ad_node *outer = cx->block;
    if (h->keep) {
        ad_node *end = final_value(cx, h);
        if (loop->stop) {
            ad_node *over = ad_block(cx->m), *ran = ad_new(cx->m, AD_NOT, AD_INT, 1, ad_use(cx->m, loop->stop));
            ac_mark(cx, loop->stop, M_NEEDED);
            ac_emit(cx, ad_if(cx->m, ran, over, NULL));
            cx->block = over;
        }
        assign_int(cx, h->v->bound, h->v->type, end);
        cx->block = outer;
    }
    for (int i = 0; i < count; i++) {
        f[i].v->bound = f[i].own;
        if (f[i].v->reads <= f[i].v->counted_reads) continue;
        if (loop->stop)
            ad_error(cx->d, h->s->place, "a variable of its own, assigned before break",
                     "'%s' moves along a loop that is left by break and is used behind it", f[i].v->name->text);
        else assign_int(cx, f[i].own, f[i].v->type, follow(cx, h, &f[i], final_value(cx, h)));
    }
}

void ac_lower_for(ac_lower *cx, ac_stmt *s)
{
    header h = {.s = s};
    ac_loop loop = {.outer = cx->loop}, *outer_loop = cx->loop;
    follower f[FOLLOWERS];
    ac_expr *others[FOLLOWERS];
    int other_count;
    if (!find_counter(cx, &h) || !start(cx, &h) || !bounds(cx, &h)) return;
    const int count = followers(cx, &h, f, others, &other_count);
    if (h.keep || count) {
        h.from = ac_frozen(cx, h.from, "from");
        h.to = ac_frozen(cx, h.to, "to");
    }
    if ((s->body->exits & EXIT_BREAK) || h.rest) {
        loop.stop = flag(cx, "stop");
        if (h.rest) ac_mark(cx, loop.stop, M_NEEDED);
    }
    ad_node *body = ad_block(cx->m), *outer = cx->block;
    ac_emit(cx, ad_for(cx->m, h.counter, h.from, h.to, h.step, body));
    cx->loop = &loop;
    cx->block = body;
    h.v->counter = h.counter;
    for (int i = 0; i < count; i++) {
        ac_ref *r = ad_take(cx->m, sizeof *r);
        *r = (ac_ref){.where = R_VALUE, .type = f[i].v->type, .entity = f[i].v};
        r->value = follow(cx, &h, &f[i], ad_use(cx->m, h.counter));
        f[i].v->bound = r;
    }
    pass(cx, &h, &loop, others, other_count);
    h.v->counter = NULL;
    body->closed = 1;
    cx->block = outer;
    cx->loop = outer_loop;
    cx->place = s->place;
    const char *changed = changed_in(cx, h.limit, body);
    if (changed)
        ad_error(cx->d, h.limit->place, "a copy of it made before the loop",
                 "the bound of this loop changes inside it: '%s' is assigned there", changed);
    leave(cx, &h, &loop, f, count);
}
