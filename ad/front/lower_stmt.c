/* lower_stmt.c - statements, and the ways to leave them early.
 *
 * return, break and continue set a flag, and what would have been skipped is put under if (!flag). Where a branch of an if
 * always leaves, what follows the if goes into the other branch instead and the flag is not needed; flags that nobody reads
 * are dropped by tidy.c:
 *
 *     if (c) return a;  x = 1;  return x;      ->      if (c) r = a; else { x = 1; r = x; } */
#include "front/lower.h"

#include <string.h>

static void set_flag(ac_lower *cx, ad_sym *flag)
{
    if (flag) ac_emit(cx, ad_set(cx->m, ad_use(cx->m, flag), ad_whole(cx->m, 1)));
}

ad_node *ac_guard(ac_lower *cx, int exits)
{
    ad_sym *flag[3] = {exits & EXIT_RETURN ? cx->frame->done : NULL, exits & EXIT_BREAK && cx->loop ? cx->loop->stop : NULL,
                       exits & EXIT_CONTINUE && cx->loop ? cx->loop->skip : NULL};
    ad_node *n = NULL;
    for (int i = 0; i < 3; i++) {
        if (!flag[i]) continue;
        ac_mark(cx, flag[i], M_NEEDED);
        ad_node *clear = ad_new(cx->m, AD_NOT, AD_INT, 1, ad_use(cx->m, flag[i]));
        n = n ? ad_new(cx->m, AD_AND, AD_INT, 2, n, clear) : clear;
    }
    return n;
}

void ac_lower_block(ac_lower *cx, ad_node *block, ac_stmt *first)
{
    ad_node *outer = cx->block;
    cx->block = block;
    if (++cx->depth > AC_DEEP)
        ad_error(cx->d, cx->place, "splitting it into several functions", "statements are nested more than %d deep here",
                 AC_DEEP);
    else ac_statements(cx, first);
    cx->depth--;
    cx->block = outer;
    if (block != outer) block->closed = 1;
}

static void lower_return(ac_lower *cx, ac_stmt *s)
{
    ac_frame *f = cx->frame;
    ac_type *type = f->function->type->of;
    if (s->expr && type->class == T_VOID) {
        const ac_value v = ac_full(cx, s->expr);
        if (v.type && v.type->class != T_VOID)
            ad_error(cx->d, s->place, NULL, "'%s' returns nothing, but a value is given", f->function->name->text);
    } else if (s->expr) {
        ac_value v = ac_full(cx, s->expr);
        if (v.type && ac_is_number(type) && (f->value || f->result)) v = ac_of(type, ac_converted(cx, v, type, s->expr->place));
        if (v.type && type->class == T_POINTER && v.type->class == T_POINTER) v = ac_point(cx, v, type, s->expr->place);
        if (f->value) *f->value = v;
        else if (f->result) ac_assign(cx, f->result, &v, s->place);
    } else if (type->class != T_VOID) {
        ad_error(cx->d, s->place, NULL, "'%s' returns a value, but none is given", f->function->name->text);
    }
    set_flag(cx, f->done);
}

/* A branch and what follows the if: one list, so that the rest is skipped where the branch leaves. */
static void lower_with_rest(ac_lower *cx, ad_node *block, ac_stmt *branch, ac_stmt *rest)
{
    ac_stmt *only = branch->first && !branch->first->next ? branch->first : branch, *copy = ad_take(cx->m, sizeof *copy);
    *copy = *only;
    copy->next = rest;
    ac_lower_block(cx, block, copy);
}

/* The branches of an if, with what follows the if behind the branch that does not always leave. */
static void lower_if(ac_lower *cx, ac_stmt *s, ac_stmt *rest)
{
    int64_t k;
    ad_node *test = ac_full_truth(cx, s->expr), *yes = ad_block(cx->m), *no = ad_block(cx->m);
    if (ac_whole_of(test, &k)) { /* the branch that is never taken is not looked at */
        ac_stmt *taken = k ? s->body : s->otherwise;
        if (taken && rest) lower_with_rest(cx, cx->block, taken, rest);
        else if (taken || rest) ac_lower_block(cx, cx->block, taken ? taken->first : rest);
        return;
    }
    ad_node *choice = ad_if(cx->m, test, yes, no);
    ac_emit(cx, choice);
    if (rest && !s->body->always) lower_with_rest(cx, yes, s->body, rest);
    else ac_lower_block(cx, yes, s->body->first);
    if (rest && s->body->always && s->otherwise) lower_with_rest(cx, no, s->otherwise, rest);
    else if (s->otherwise) ac_lower_block(cx, no, s->otherwise->first);
    else if (rest) ac_lower_block(cx, no, rest);
    if (!no->kids) choice->no = NULL;
}

static void lower_one(ac_lower *cx, ac_stmt *s)
{
    cx->place = s->place;
    switch (s->op) {
    case S_EMPTY: return;
    case S_EXPR: ac_effect(cx, s->expr); return;
    case S_DECLARE: ac_declare_local(cx, s->entity, s->place); return;
    case S_IF: lower_if(cx, s, NULL); return;
    case S_FOR: ac_lower_for(cx, s); return;
    case S_BLOCK: ac_lower_block(cx, cx->block, s->first); return;
    case S_RETURN: lower_return(cx, s); return;
    case S_BREAK: set_flag(cx, cx->loop ? cx->loop->stop : NULL); return;
    case S_CONTINUE: set_flag(cx, cx->loop ? cx->loop->skip : NULL); return;
    }
}

void ac_statements(ac_lower *cx, ac_stmt *first)
{
    for (ac_stmt *s = first; s; s = s->next) {
        if (ad_diag_full(cx->d)) return;
        if (s->always || !s->exits || !s->next) {
            lower_one(cx, s);
            if (s->always) return; /* what follows is never reached */
            continue;
        }
        if (s->op == S_IF && (s->body->always || (s->otherwise && s->otherwise->always))) {
            cx->place = s->place;
            lower_if(cx, s, s->next);
            return;
        }
        lower_one(cx, s);
        ad_node *guard = ac_guard(cx, s->exits);
        if (!guard) continue;
        ad_node *rest = ad_block(cx->m);
        ac_emit(cx, ad_if(cx->m, guard, rest, NULL));
        ac_lower_block(cx, rest, s->next);
        return;
    }
}
