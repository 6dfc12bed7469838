/* residual.c - F(t, y, v, p) = 0, v = y', as equations of twice as many states, x = (y, v):
 *
 *     y' = v          out[i] = x[i + n]
 *     0 = F(t, x, p)  r[i] becomes out[n + i], v[i] becomes x[n + i]
 *
 * Where F does not depend on v_k the first is 0 = v_k, for mass is 0 there (costate_generated_mass). */
#include "front/residual.h"

#include "tree/tree.h"

typedef struct embedding {
    ad_arena *m;
    ad_fn *fn;
    ad_sym *slopes;
    int64_t states;
} embedding;

/* index + n, folded where it is a number. */
static ad_node *behind(const embedding *k, ad_node *index)
{
    if (index->op == AD_WHOLE) return ad_whole(k->m, index->whole + k->states);
    return ad_new(k->m, AD_ADD, AD_INT, 2, index, ad_whole(k->m, k->states));
}

static void move(const embedding *k, ad_node *n)
{
    if (!n) return;
    for (int i = 0; i < n->kids; i++) move(k, n->kid[i]);
    if (n->op != AD_ELEM || (n->sym != k->slopes && n->sym != k->fn->out)) return;
    if (n->sym == k->slopes) n->sym = k->fn->y;
    n->index = behind(k, n->index);
}

static void drop_param(ad_fn *fn, const ad_sym *s)
{
    int n = 0;
    for (int i = 0; i < fn->params; i++)
        if (fn->param[i] != s) fn->param[n++] = fn->param[i];
    fn->params = n;
}

/* for (i = 0; i < count; i++) target = value; */
static ad_node *loop(ad_arena *m, ad_sym *i, int64_t count, ad_node *target, ad_node *value)
{
    ad_node *block = ad_block(m);
    ad_append(m, block, ad_set(m, target, value));
    return ad_for(m, i, ad_whole(m, 0), ad_whole(m, count), 1, block);
}

static ad_sym *counter(ad_arena *m, ad_fn *fn)
{
    return ad_sym_new(m, fn, "i", AD_INT, AD_COUNTER);
}

void ac_residual(ad_arena *m, ad_fn *fn, long states)
{
    const embedding k = {.m = m, .fn = fn, .slopes = fn->yp, .states = states};
    const ad_node old = ad_emptied(fn->body);
    ad_sym *i = counter(m, fn);
    ad_append(m, fn->body,
              loop(m, i, states, ad_elem(m, fn->out, ad_use(m, i)), ad_elem(m, fn->y, behind(&k, ad_use(m, i)))));
    for (int s = 0; s < old.kids; s++) {
        move(&k, old.kid[s]);
        ad_append(m, fn->body, old.kid[s]);
    }
    drop_param(fn, fn->yp);
    fn->yp = NULL;
    fn->y->extent = fn->out->extent = ad_whole(m, 2 * states);
}

void ac_residual_init(ad_arena *m, ad_fn *fn, long states, const char *guess)
{
    ad_sym *i = counter(m, fn), *table = NULL;
    if (guess) {
        table = ad_sym_new(m, fn, "yp0", AD_DOUBLE, AD_CONST);
        table->array = 1;
        table->extent = ad_whole(m, states);
        table->text = ad_text(m, "static const double %s[%ld] = {%s};", table->name, states, guess);
    }
    const embedding k = {.m = m, .fn = fn, .states = states};
    ad_node *value = table ? ad_elem(m, table, ad_use(m, i)) : ad_num(m, 0);
    ad_append(m, fn->body, loop(m, i, states, ad_elem(m, fn->out, behind(&k, ad_use(m, i))), value));
    fn->out->extent = ad_whole(m, 2 * states);
}

void ac_residual_reset(ad_arena *m, ad_fn *fn, long states)
{
    ad_sym *i = counter(m, fn);
    const embedding k = {.m = m, .fn = fn, .states = states};
    ad_node *value = ad_elem(m, fn->y, behind(&k, ad_use(m, i)));
    ad_append(m, fn->body, loop(m, i, states, ad_elem(m, fn->out, behind(&k, ad_use(m, i))), value));
    fn->y->extent = fn->out->extent = ad_whole(m, 2 * states);
}
