/* lower_loop.c - for loops. AD_FOR has one counter, bounds that are evaluated once, and a constant step; loop_header.c finds them
 * in what C allows:
 *
 *     for (int i = 0, j = n; i <= m && ok; i++, j -= 2)
 *
 * i counts. A further variable that changes by a constant, a follower, is an expression in i; any other is carried along. A
 * counter that is read behind the loop gets the value C would leave in it. */
#include "front/lower_loop.h"
#include "tree/flow.h"

/* ---- values ---------------------------------------------------------------------------------------------------------------- */

/* Passes that were made when the counter is at n: (n - from) / step. */
static ad_node *passes(ac_lower *cx, const ac_for *h, ad_node *n)
{
    ad_node *d = ac_int_op(cx, AD_SUB, n, h->from);
    return h->step == 1 ? d : ac_int_op(cx, AD_DIV, d, ad_whole(cx->m, h->step));
}

/* The counter's value behind the loop. */
static ad_node *final_value(ac_lower *cx, const ac_for *h)
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

/* ---- followers --------------------------------------------------------------------------------------------------------- */

static int is_follower(ac_lower *cx, const ac_expr *e, int64_t *step)
{
    if ((e->op != E_INCREMENT && e->op != E_ASSIGN) || e->a->op != E_NAME) return 0;
    const ac_entity *v = e->a->entity;
    return v->sort == N_VARIABLE && v->bound && v->bound->where == R_LEAVES && v->type->class == T_INT && v->type->rank >= 3 &&
           !e->body_writes && ac_constant_step(cx, e, step);
}

/* Where the variable of a part of the step starts from: what it was just set to, or a copy of what it is. */
static ad_node *start_of(ac_lower *cx, const ac_entity *v, ad_node *now)
{
    const ad_node *last = cx->block->kids ? cx->block->kid[cx->block->kids - 1] : NULL;
    const int just_set = last && last->op == AD_SET && ad_same(last->target, now) && ac_stable(cx, last->value);
    return just_set ? last->value : ac_frozen(cx, now, ad_text(cx->m, "%s_from", v->name->text));
}

/* Divides the parts of the step, from the first on, into the counter's, followers and others. */
static void read_step(ac_lower *cx, ac_for *h)
{
    ac_expr *list[AC_STEP_PARTS], *e = h->s->step;
    int parts = 0;
    for (; e && e->op == E_COMMA && parts < AC_STEP_PARTS - 1; e = e->a) list[parts++] = e->b;
    if (e) list[parts++] = e;
    while (parts-- > 0) {
        int64_t step;
        if (list[parts] == h->advance) continue;
        if (!is_follower(cx, list[parts], &step)) {
            h->other[h->others++] = list[parts];
            continue;
        }
        ac_entity *v = list[parts]->a->entity;
        const ac_value now = ac_load(cx, v->bound, h->s->place);
        if (!now.type) continue;
        h->follower[h->followers++] = (ac_follower){.v = v, .own = v->bound, .step = step, .from = start_of(cx, v, now.node)};
    }
}

static ad_node *follow(ac_lower *cx, const ac_for *h, const ac_follower *f, ad_node *counter)
{
    const ac_type *t = f->v->type;
    ad_node *moved = ac_int_op(cx, AD_MUL, passes(cx, h, counter), ad_whole(cx->m, f->step));
    if (f->step < 0) moved = ac_int_op(cx, AD_MUL, passes(cx, h, counter), ad_whole(cx->m, -f->step));
    if (!(t->rank == 3 && !t->is_unsigned)) moved = ac_convert(cx, ac_of(h->v->type, moved), f->v->type, 0);
    return ac_int_op(cx, f->step < 0 ? AD_SUB : AD_ADD, f->from, moved);
}

/* ---- body ------------------------------------------------------------------------------------------------------------------ */

static ad_sym *flag(ac_lower *cx, const char *name)
{
    ad_sym *s = ac_symbol(cx, name, ac_int(AC_INT), AD_LOCAL);
    ac_mark(cx, s, M_FLAG);
    ac_emit(cx, ad_decl(cx->m, s));
    ac_emit(cx, ad_set(cx->m, ad_use(cx->m, s), ad_zero(cx->m, s)));
    return s;
}

static void assign_int(ac_lower *cx, const ac_ref *to, ac_type *t, ad_node *n)
{
    const ac_value v = ac_of(t, n);
    ac_assign(cx, to, &v, cx->place);
}

/* What follows is executed only if the condition holds; NULL: always. */
static void only_if(ac_lower *cx, ad_node *condition)
{
    if (!condition) return;
    ad_node *inner = ad_block(cx->m);
    ac_emit(cx, ad_if(cx->m, condition, inner, NULL));
    cx->block = inner;
}

/* A condition behind &&: where it fails, the loop stops. */
static void further_condition(ac_lower *cx, const ac_for *h, const ac_loop *loop)
{
    ad_node *go = ac_full_truth(cx, h->rest), *inner = ad_block(cx->m), *stop = ad_block(cx->m);
    ac_emit(cx, ad_if(cx->m, go, inner, stop));
    cx->block = stop;
    ac_emit(cx, ad_set(cx->m, ad_use(cx->m, loop->stop), ad_whole(cx->m, 1)));
    cx->block = inner;
}

/* One pass: guarded by the flags, then the further condition, the user's body, and the steps that are carried along. */
static void pass(ac_lower *cx, const ac_for *h, ac_loop *loop)
{
    const ac_stmt *s = h->s;
    const int leaves = (s->body->exits & EXIT_RETURN) | (loop->stop ? EXIT_BREAK : 0);
    const int exits = s->body->exits & (EXIT_RETURN | EXIT_BREAK);
    ad_node *outer = cx->block;
    if (leaves) only_if(cx, ac_guard(cx, leaves));
    if (h->keep && loop->stop) {
        h->v->counter = NULL;
        assign_int(cx, h->v->bound, h->v->type, ad_use(cx->m, h->counter));
        h->v->counter = h->counter;
    }
    if (h->rest) further_condition(cx, h, loop);
    if (s->body->exits & EXIT_CONTINUE) loop->skip = flag(cx, "skip");
    ac_lower_block(cx, cx->block, s->body->first);
    if (h->others && exits) only_if(cx, ac_guard(cx, exits));
    for (int i = 0; i < h->others; i++) ac_effect(cx, h->other[i]);
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

/* ---- the loop -------------------------------------------------------------------------------------------------------------- */

/* Inside the loop followers stand for their expressions. */
static void bind_followers(ac_lower *cx, ac_for *h)
{
    for (int i = 0; i < h->followers; i++) {
        ac_follower *f = &h->follower[i];
        ac_ref *r = ad_take(cx->m, sizeof *r);
        *r = (ac_ref){.where = R_VALUE, .type = f->v->type, .entity = f->v};
        r->value = follow(cx, h, f, ad_use(cx->m, h->counter));
        f->v->bound = r;
    }
}

/* Gives the counter and what moved along with it the values that C leaves in them. */
static void leave(ac_lower *cx, const ac_for *h, const ac_loop *loop)
{
    ad_node *outer = cx->block;
    if (h->keep) {
        ad_node *end = final_value(cx, h);
        if (loop->stop) {
            ac_mark(cx, loop->stop, M_NEEDED);
            only_if(cx, ad_new(cx->m, AD_NOT, AD_INT, 1, ad_use(cx->m, loop->stop)));
        }
        assign_int(cx, h->v->bound, h->v->type, end);
        cx->block = outer;
    }
    for (int i = 0; i < h->followers; i++) {
        const ac_follower *f = &h->follower[i];
        f->v->bound = f->own;
        if (f->v->reads <= f->v->counted_reads) continue;
        if (loop->stop)
            ad_error(cx->d, h->s->place, "a variable of its own, assigned before break",
                     "'%s' moves along a loop that is left by break and is used behind it", f->v->name->text);
        else assign_int(cx, f->own, f->v->type, follow(cx, h, f, final_value(cx, h)));
    }
}

void ac_lower_for(ac_lower *cx, ac_stmt *s)
{
    ac_for h = {.s = s};
    ac_loop loop = {.outer = cx->loop}, *outer_loop = cx->loop;
    if (!ac_for_header(cx, &h)) return;
    read_step(cx, &h);
    if (h.keep || h.followers) {
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
    bind_followers(cx, &h);
    pass(cx, &h, &loop);
    h.v->counter = NULL;
    body->closed = 1;
    cx->block = outer;
    cx->loop = outer_loop;
    cx->place = s->place;
    const char *changed = changed_in(cx, h.limit, body);
    if (changed)
        ad_error(cx->d, h.limit->place, "a copy of it made before the loop",
                 "the bound of this loop changes inside it: '%s' is assigned there", changed);
    leave(cx, &h, &loop);
}
