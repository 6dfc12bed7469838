/* scalar_arrays.c - arrays of which every index is a constant become scalars, of which reverse mode knows more. */
#include "base/arena.h"
#include "derive/reverse.h"
#include "tree/loops.h"

typedef struct parting {
    ad_arena *m;
    ad_fn *fn;
    unsigned char *whole; /* by number: has an index that is not constant */
    ad_sym ***part;       /* by number, by element */
} parting;

static int splits(const parting *w, const ad_sym *s, int64_t *extent)
{
    return s->role == AD_LOCAL && s->array && !w->whole[s->number] && ad_constant(s->extent, extent) && *extent > 0 &&
           *extent <= 4096;
}

static void find_whole(parting *w, const ad_node *n)
{
    int64_t i, extent;
    if (!n) return;
    if (n->op == AD_ELEM && !(ad_constant(n->index, &i) && ad_constant(n->sym->extent, &extent) && i >= 0 && i < extent))
        w->whole[n->sym->number] = 1;
    for (int k = 0; k < n->kids; k++) find_whole(w, n->kid[k]);
}

static ad_sym *part_of(parting *w, ad_sym *s, int64_t i, int64_t extent)
{
    if (!w->part[s->number]) w->part[s->number] = ad_take(w->m, (size_t)extent * sizeof **w->part);
    ad_sym **part = &w->part[s->number][i];
    if (!*part) {
        *part = ad_sym_new(w->m, w->fn, ad_text(w->m, "%s_%d", s->name, (int)i), s->type, AD_LOCAL);
        (*part)->ctype = s->ctype;
        (*part)->user = s->user ? ad_text(w->m, "%s[%d]", s->user, (int)i) : NULL;
        (*part)->place = s->place;
    }
    return *part;
}

static void replace_elements(parting *w, ad_node **at)
{
    ad_node *n = *at;
    int64_t i, extent;
    if (!n) return;
    if (n->op == AD_ELEM && splits(w, n->sym, &extent) && ad_constant(n->index, &i)) {
        *at = ad_use(w->m, part_of(w, n->sym, i, extent));
        (*at)->place = n->place;
        return;
    }
    for (int k = 0; k < n->kids; k++) replace_elements(w, &n->kid[k]);
}

/* After every declaration of a scalar a zero, which is dead code wherever the scalar is set before it is read; so nothing is
 * ever read unset. */
static void declare_parts(parting *w, ad_node *n)
{
    int64_t extent;
    if (!n) return;
    for (int i = ad_inner(n); i < n->kids; i++) declare_parts(w, n->kid[i]);
    if (n->op != AD_BLOCK) return;
    const ad_node old = ad_emptied(n);
    for (int k = 0; k < old.kids; k++) {
        ad_node *s = old.kid[k];
        int several = s->op == AD_DECL && s->sym->number < w->fn->syms && w->part[s->sym->number] && splits(w, s->sym, &extent);
        if (!several) ad_append(w->m, n, s);
        for (int64_t i = 0; s->op == AD_DECL && i < (several ? extent : 1); i++) {
            ad_sym *v = several ? w->part[s->sym->number][i] : s->sym;
            if (!v || v->array) continue;
            if (several) ad_append(w->m, n, ad_decl(w->m, v));
            ad_append(w->m, n, ad_set(w->m, ad_use(w->m, v), ad_zero(w->m, v)));
        }
    }
}

void ad_scalar_arrays(ad_arena *m, ad_fn *fn)
{
    size_t n = (size_t)fn->syms + 1;
    parting w = {m, fn, ad_take(m, n), ad_take(m, n * sizeof *w.part)};
    find_whole(&w, fn->body);
    replace_elements(&w, &fn->body);
    declare_parts(&w, fn->body);
}
