/* record.c - keeping values for the way back. A value is kept when it is overwritten and a reverse piece further back reads
 * it: in a local of the region, which the compiler mostly keeps in a register or recognizes as the old value itself. */
#include "derive/record.h"

#include "base/arena.h"

static void declare(ad_reversal *r, ad_region *g, ad_track *k, ad_sym *s)
{
    ad_append(r->m, k->branch ? g->decl : k->fwd, ad_decl(r->m, s));
    if (k->branch && !s->array) { /* not assigned on the other way */
        ad_node *zero = s->type == AD_INT ? ad_whole(r->m, 0) : ad_num(r->m, 0);
        ad_append(r->m, g->decl, ad_set(r->m, ad_use(r->m, s), zero));
    }
}

static ad_sym *kept_symbol(ad_reversal *r, ad_sym *s)
{
    ad_sym *was = ad_sym_new(r->m, r->fn, ad_text(r->m, "%s_was", s->name), s->type, AD_LOCAL);
    was->ctype = s->ctype;
    was->user = s->user;
    return was;
}

ad_node *ad_fill(ad_reversal *r, ad_sym *to, ad_sym *from)
{
    ad_arena *m = r->m;
    ad_sym *i = ad_sym_new(m, r->fn, "e", AD_INT, AD_COUNTER);
    ad_node *body = ad_block(m);
    ad_append(m, body, ad_set(m, ad_elem(m, to, ad_use(m, i)), from ? ad_elem(m, from, ad_use(m, i)) : ad_zero(m, to)));
    int64_t extent;
    i->ctype = ad_constant(to->extent, &extent) && extent < 1 << 30 ? "int" : "long";
    return ad_for(m, i, ad_whole(m, 0), ad_copy(m, to->extent, NULL), 1, body);
}

void ad_keep(ad_reversal *r, ad_region *g, ad_track *k, const ad_syms *written, const ad_syms *also, ad_node *piece)
{
    ad_arena *m = r->m;
    int syms = r->fn->syms;
    for (int i = 0; i < syms; i++) {
        ad_sym *s = r->fn->sym[i];
        if (s->role != AD_LOCAL || !ad_has(written, s) || !(ad_has(&g->needed, s) || (also && ad_has(also, s)))) continue;
        ad_sym *was = kept_symbol(r, s);
        was->array = s->array;
        was->extent = ad_copy(m, s->extent, NULL);
        declare(r, g, k, was);
        if (s->array) {
            ad_append(m, k->fwd, ad_fill(r, was, s));
            ad_append(m, piece, ad_fill(r, s, was));
        } else {
            ad_append(m, k->fwd, ad_set(m, ad_use(m, was), ad_use(m, s)));
            ad_append(m, piece, ad_set(m, ad_use(m, s), ad_use(m, was)));
        }
    }
}

int ad_keep_target(ad_reversal *r, ad_region *g, ad_track *k, const ad_node *target, const ad_syms *reads, ad_node *piece)
{
    ad_arena *m = r->m;
    ad_sym *s = target->sym;
    if (s->role != AD_LOCAL || !(ad_has(&g->needed, s) || ad_has(reads, s))) return 0;
    ad_sym *was = kept_symbol(r, s);
    declare(r, g, k, was);
    ad_node *back = ad_copy(m, target, NULL);
    if (target->op == AD_ELEM) {
        ad_syms self = {0};
        ad_include(m, &self, s);
        back->target = ad_keep_value(r, g, k, target->index, &self, "at");
    }
    ad_append(m, k->fwd, ad_set(m, ad_use(m, was), ad_copy(m, target, NULL)));
    ad_append(m, piece, ad_set(m, back, ad_use(m, was)));
    return 1;
}

ad_node *ad_keep_value(ad_reversal *r, ad_region *g, ad_track *k, const ad_node *e, const ad_syms *written, const char *name)
{
    ad_arena *m = r->m;
    ad_syms reads = {0};
    ad_reads(m, e, &reads);
    if (!ad_meets(&reads, written)) return ad_copy(m, e, NULL);
    ad_sym *v = ad_sym_new(m, r->fn, name, AD_INT, AD_LOCAL);
    declare(r, g, k, v);
    ad_append(m, k->fwd, ad_set(m, ad_use(m, v), ad_copy(m, e, NULL)));
    return ad_use(m, v);
}

ad_sym *ad_adjoint(ad_reversal *r, ad_sym *s)
{
    if (!r->adjoint[s->number]) {
        ad_sym *b = ad_sym_new(r->m, r->fn, ad_text(r->m, "%s_b", s->name), AD_DOUBLE, AD_LOCAL);
        b->array = s->array;
        b->extent = ad_copy(r->m, s->extent, NULL);
        b->lane = 1;
        b->user = s->user;
        r->adjoint[s->number] = b;
        ad_include(r->m, &r->adjoints, b);
    }
    return r->adjoint[s->number];
}

void ad_adjoint_decl(ad_reversal *r, ad_sym *s, ad_node *block)
{
    ad_sym *b = ad_adjoint(r, s);
    ad_append(r->m, block, ad_decl(r->m, b));
    ad_append(r->m, block, b->array ? ad_fill(r, b, NULL) : ad_set(r->m, ad_use(r->m, b), ad_num(r->m, 0)));
}

void ad_unwind(ad_reversal *r, const ad_track *k, ad_node *block)
{
    for (int i = k->rev->kids - 1; i >= 0; i--)
        for (int j = 0; j < k->rev->kid[i]->kids; j++) ad_append(r->m, block, k->rev->kid[i]->kid[j]);
}
