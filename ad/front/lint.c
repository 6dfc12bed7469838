/* lint.c - kinks. A derivative is that of the branch, the table entry or the side that the value at hand chooses; an
 * integrator that steps across the place where another one would be chosen sees a gradient that is right on both sides and
 * says nothing of the jump between. */
#include "front/lint.h"

#include "base/arena.h"
#include "tree/flow.h"
#include "tree/rules.h"

typedef struct linter {
    ad_arena *m;
    ad_diag *d;
    ad_syms moved; /* symbols whose value depends on y or p, integers included */
    int changed;
    ad_place statement;
} linter;

static int depends(const linter *k, const ad_node *n)
{
    if (!n || ad_is_held(n)) return 0;
    if (n->sym && ad_has(&k->moved, n->sym)) return 1;
    for (int i = 0; i < n->kids; i++) {
        if (depends(k, n->kid[i])) return 1;
    }
    return 0;
}

/* Adds what is computed from symbols that depend. */
static void spread(linter *k, const ad_node *n)
{
    if (!n) return;
    if (n->op == AD_SET || n->op == AD_INC) {
        ad_sym *s = n->target->sym;
        if (ad_has(&k->moved, s) || !(depends(k, n->value) || depends(k, n->target))) return;
        ad_include(k->m, &k->moved, s);
        k->changed = 1;
    } else if (n->op == AD_FOR && !ad_has(&k->moved, n->sym) && depends(k, n->first)) {
        ad_include(k->m, &k->moved, n->sym);
        k->changed = 1;
    }
    for (int i = ad_inner(n); i < n->kids; i++) spread(k, n->kid[i]);
}

static ad_place place_of(const linter *k, const ad_node *n)
{
    return n->place.line > 0 ? n->place : k->statement;
}

static void look(linter *k, const ad_node *n)
{
    if (!n) return;
    switch (n->op) {
    case AD_CALL: {
        const char *where = ad_rule_kink(n->rule);
        int any = 0;
        for (int i = 0; i < n->kids; i++) any |= depends(k, n->kid[i]);
        if (where && any)
            ad_remark(k->d, place_of(k, n), NULL, "'%s' is not smooth where %s: the derivative taken there is %s",
                      ad_rule_name(n->rule), where, ad_rule_taken(n->rule));
        break;
    }
    case AD_COND:
        if (depends(k, n->condition))
            ad_remark(k->d, place_of(k, n), NULL, "'?:' depends on y or p: the derivative is that of the value chosen");
        break;
    case AD_TO_INT:
        if (n->a->type == AD_DOUBLE && depends(k, n->a))
            ad_remark(k->d, place_of(k, n), NULL,
                      "a number that depends on y or p becomes an integer: its derivative is taken as 0");
        break;
    case AD_ELEM:
        if (depends(k, n->index)) {
            const char *name = n->sym->user ? n->sym->user : n->sym->name;
            ad_remark(k->d, place_of(k, n), NULL,
                      "the index of '%s' depends on y or p: the derivative is that of the element chosen", name);
        }
        break;
    default: break;
    }
    for (int i = 0; i < n->kids; i++) look(k, n->kid[i]);
}

static void walk(linter *k, const ad_node *n)
{
    if (!n) return;
    if (n->op != AD_BLOCK) k->statement = n->place;
    for (int i = 0; i < ad_inner(n); i++) look(k, n->kid[i]);
    if (n->op == AD_IF && depends(k, n->condition))
        ad_remark(k->d, n->place, NULL, "this choice depends on y or p: the derivative is that of the branch taken");
    if (n->op == AD_FOR && (depends(k, n->first) || depends(k, n->end)))
        ad_remark(k->d, n->place, NULL, "how often this loop runs depends on y or p: the derivative is that of the passes made");
    for (int i = ad_inner(n); i < n->kids; i++) walk(k, n->kid[i]);
}

int ad_lint_function(ad_arena *m, ad_diag *d, const ad_fn *fn)
{
    const int before = ad_diag_warnings(d);
    linter k = {.m = m, .d = d, .statement = fn->place};
    if (fn->y) ad_include(m, &k.moved, fn->y);
    if (fn->p) ad_include(m, &k.moved, fn->p);
    do {
        k.changed = 0;
        spread(&k, fn->body);
    } while (k.changed);
    walk(&k, fn->body);
    return ad_diag_warnings(d) - before;
}

int ad_lint(ad_arena *m, ad_diag *d, const ad_model *model)
{
    int count = 0;
    for (int i = 0; i < AD_FUNCTIONS; i++)
        if (model->fn[i]) count += ad_lint_function(m, d, model->fn[i]);
    return count;
}
