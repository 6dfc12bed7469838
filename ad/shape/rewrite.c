/* rewrite.c - statement by statement through a function. */
#include "shape/passes_in.h"

static void rewrite_block(ad_run *r, ad_node *block, const ad_loops *around, ad_rewriter *rewrite)
{
    const ad_node old = ad_emptied(block);
    for (int i = 0; i < old.kids; i++) {
        ad_node *s = old.kid[i];
        if (s->op == AD_BLOCK) rewrite_block(r, s, around, rewrite);
        for (int k = ad_inner(s); s->op == AD_IF && k < s->kids; k++)
            if (s->kid[k]) rewrite_block(r, s->kid[k], around, rewrite);
        if (s->op == AD_BLOCK || s->op == AD_IF) ad_append(r->m, block, s);
        else rewrite(r, s, around, block);
    }
}

void ad_rewrite_inside(ad_run *r, ad_node *loop, const ad_loops *around, ad_rewriter *rewrite)
{
    ad_loops inside = *around;
    ad_loops_enter(&inside, loop);
    rewrite_block(r, loop->body, &inside, rewrite);
}

void ad_rewrite(ad_run *r, ad_rewriter *rewrite)
{
    rewrite_block(r, r->fn->body, &(ad_loops){0}, rewrite);
}
