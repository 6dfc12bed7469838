/* descend.c - a loop with its iterations in the opposite order. */
#include "base/arena.h"
#include "derive/record.h"

#include <string.h>

static int is_signed(const ad_sym *counter)
{
    const char *t = counter->ctype ? counter->ctype : "int";
    return !strcmp(t, "int") || !strcmp(t, "long") || !strcmp(t, "long long");
}

ad_node *ad_descending(ad_reversal *r, const ad_node *loop, ad_node *from, ad_node *to, ad_node *body)
{
    ad_arena *m = r->m;
    int64_t step = loop->step;
    if ((step == 1 || step == -1) && is_signed(loop->sym)) {
        ad_node *one = ad_whole(m, step);
        return ad_for_like(m, loop, ad_sub(m, to, one), ad_sub(m, from, ad_copy(m, one, NULL)), -step, body);
    }
    ad_sym *q = ad_sym_new(m, r->fn, "turn", AD_INT, AD_COUNTER);
    q->ctype = "long";
    ad_sym *i = ad_sym_new(m, r->fn, loop->sym->name, AD_INT, AD_LOCAL);
    i->ctype = loop->sym->ctype;
    ad_sym **map = ad_take(m, ((size_t)r->fn->syms + 1) * sizeof *map);
    map[loop->sym->number] = i;
    /* (hi - lo + step - 1) / step iterations, counted in long */
    ad_node *lo = ad_new(m, AD_TO_INT, AD_INT, 1, from), *hi = ad_new(m, AD_TO_INT, AD_INT, 1, to);
    lo->text = hi->text = "long";
    ad_node *width = step > 0 ? ad_sub(m, hi, lo) : ad_sub(m, lo, hi);
    int64_t size = step > 0 ? step : -step;
    ad_node *turns = size == 1 ? width : ad_new(m, AD_DIV, AD_INT, 2, ad_add(m, width, ad_whole(m, size - 1)), ad_whole(m, size));
    ad_node *value = ad_add(m, ad_copy(m, lo, NULL), ad_mul(m, ad_use(m, q), ad_whole(m, step)));
    ad_node *cast = ad_new(m, AD_TO_INT, AD_INT, 1, value);
    cast->text = i->ctype ? i->ctype : "int";
    ad_node *inner = ad_block(m), *copy = ad_copy(m, body, map);
    ad_append(m, inner, ad_decl(m, i));
    ad_append(m, inner, ad_set(m, ad_use(m, i), cast));
    ad_append_all(m, inner, copy);
    ad_node *n = ad_for_like(m, loop, ad_sub(m, turns, ad_whole(m, 1)), ad_whole(m, -1), -1, inner);
    n->sym = q;
    return n;
}
