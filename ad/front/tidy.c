/* tidy.c - the last step of lowering: flags that nobody reads and branches that are empty go, declarations move into the
 * innermost block that holds all uses, symbols that are left without use are forgotten.
 *
 * A scalar that is declared outside a loop and used only inside may move into the loop's body when each pass sets it before it
 * reads it: then no value is carried from one pass to the next, which is what makes reverse mode cheap. */
#include "front/lower.h"

#include <string.h>

/* ---- cleaning -------------------------------------------------------------------------------------------------------------- */

static int is_idle(const ac_lower *cx, const ad_node *n)
{
    if (n->op == AD_SET && n->target->op == AD_NAME) n = n->target;
    else if (n->op != AD_DECL) return 0;
    return ac_marked(cx, n->sym, M_FLAG) && !ac_marked(cx, n->sym, M_NEEDED);
}

static void clean(ac_lower *cx, ad_node *block)
{
    int kept = 0;
    block->closed = 0;
    for (int i = 0; i < block->kids; i++) {
        ad_node *n = block->kid[i];
        if (is_idle(cx, n)) continue;
        if (n->op == AD_FOR) clean(cx, n->body);
        if (n->op == AD_FOR && !n->body->kids) continue;
        if (n->op == AD_IF) {
            int64_t k;
            clean(cx, n->yes);
            if (n->no) clean(cx, n->no);
            if (n->no && !n->no->kids) n->no = NULL;
            if (!n->yes->kids && !n->no) continue;
            if (!n->yes->kids) {
                ad_node *test = n->condition;
                n->condition = test->op == AD_NOT ? test->a : ad_new(cx->m, AD_NOT, AD_INT, 1, test);
                n->yes = n->no;
                n->no = NULL;
            }
            if (ac_whole_of(n->condition, &k)) { /* if (1): the branch itself, as a block */
                n = k ? n->yes : n->no;
                if (!n) continue;
            }
        }
        block->kid[kept++] = n;
    }
    block->kids = kept;
}

/* ---- where symbols are used ------------------------------------------------------------------------------------------------ */

typedef struct region { /* a block */
    ad_node *block;
    struct region *outer;
    int level, is_pass; /* is_pass: the body of a loop */
} region;

typedef struct usage {
    region *declared, *used; /* used: the innermost block that holds all uses */
    int count;
} usage;

typedef struct survey {
    ac_lower *cx;
    usage *of; /* by number of symbol */
} survey;

static region *common(region *a, region *b)
{
    while (a != b) {
        if (a->level >= b->level) a = a->outer;
        else b = b->outer;
    }
    return a;
}

static void note(survey *s, const ad_sym *sym, region *r)
{
    usage *u = &s->of[sym->number];
    u->used = u->used ? common(u->used, r) : r;
    u->count++;
}

static void look(survey *s, const ad_node *n, region *r)
{
    if (!n) return;
    if (n->sym) note(s, n->sym, r);
    if (n->sym && n->sym->extent && n->op == AD_DECL) look(s, n->sym->extent, r);
    for (int i = 0; i < n->kids; i++) look(s, n->kid[i], r);
}

static void walk(survey *s, ad_node *block, region *outer, int is_pass)
{
    region *r = ad_take(s->cx->m, sizeof *r);
    *r = (region){.block = block, .outer = outer, .level = outer ? outer->level + 1 : 0, .is_pass = is_pass};
    for (int i = 0; i < block->kids; i++) {
        ad_node *n = block->kid[i];
        if (n->op == AD_DECL) {
            s->of[n->sym->number].declared = r;
            look(s, n->sym->extent, r);
        } else if (n->op == AD_BLOCK) {
            walk(s, n, r, 0);
        } else {
            if (n->sym) note(s, n->sym, r);
            for (int k = 0; k < ad_inner(n); k++) look(s, n->kid[k], r);
            for (int k = ad_inner(n); k < n->kids; k++)
                if (n->kid[k]) walk(s, n->kid[k], r, n->op == AD_FOR);
        }
    }
}

/* ---- moving declarations --------------------------------------------------------------------------------------------------- */

/* The first statement of a block that mentions s; -1: none does. */
static int first_mention(const ad_node *block, const ad_sym *s)
{
    for (int i = 0; i < block->kids; i++) {
        const ad_node *n = block->kid[i];
        if (n->op == AD_DECL ? n->sym != s && n->sym->extent && ad_uses(n->sym->extent, s) : ad_uses(n, s)) return i;
    }
    return -1;
}

/* 1: the block sets s before anything in it reads s. */
static int sets_first(const ad_node *block, const ad_sym *s)
{
    const int i = first_mention(block, s);
    if (i < 0) return 0;
    const ad_node *n = block->kid[i];
    return n->op == AD_SET && n->target->op == AD_NAME && n->target->sym == s && !ad_uses(n->value, s);
}

static region *home(const usage *u, const ad_sym *s)
{
    region *best = u->used;
    int crosses = 0;
    for (region *r = u->used; r != u->declared; r = r->outer) crosses |= r->is_pass;
    if (!crosses || (!s->array && sets_first(u->used->block, s))) return best;
    for (region *r = u->used; r != u->declared; r = r->outer) { /* not into any loop */
        if (r->is_pass) best = r->outer;
    }
    return best;
}

static void insert(ad_arena *m, ad_node *block, int at, ad_node *n)
{
    ad_append(m, block, n);
    memmove(&block->kid[at + 1], &block->kid[at], (size_t)(block->kids - 1 - at) * sizeof *block->kid);
    block->kid[at] = n;
}

typedef struct move {
    ad_node *decl, *to;
} move;

/* Takes out the declarations that move or are not needed. */
static int take_out(survey *s, ad_node *n, move *moves, int count)
{
    int kept = 0;
    if (!n) return count;
    for (int i = 0; n->op == AD_BLOCK && i < n->kids; i++) {
        ad_node *k = n->kid[i];
        const usage *u = k->op == AD_DECL ? &s->of[k->sym->number] : NULL;
        const region *to = u && u->count ? home(u, k->sym) : NULL;
        if (to && to != u->declared) moves[count++] = (move){k, to->block};
        else if (!u || to) n->kid[kept++] = k;
    }
    if (n->op == AD_BLOCK) n->kids = kept;
    for (int i = ad_inner(n); i < n->kids; i++) count = take_out(s, n->kid[i], moves, count);
    return count;
}

/* Symbols without use are taken from the list. */
static void renumber(ac_lower *cx, const survey *s)
{
    ad_fn *fn = cx->fn;
    int kept = 0;
    for (int i = 0; i < fn->syms; i++) {
        ad_sym *sym = fn->sym[i];
        int is_param = sym == fn->status;
        for (int k = 0; k < fn->params; k++) is_param |= fn->param[k] == sym;
        if (is_param || s->of[i].count) fn->sym[kept++] = sym;
    }
    for (int i = 0; i < kept; i++) fn->sym[i]->number = i;
    fn->syms = kept;
    fn->names = NULL;
}

void ac_tidy(ac_lower *cx)
{
    ad_fn *fn = cx->fn;
    clean(cx, fn->body);
    survey s = {.cx = cx, .of = ad_take(cx->m, ((size_t)fn->syms + 1) * sizeof *s.of)};
    walk(&s, fn->body, NULL, 0);
    move *moves = ad_take(cx->m, ((size_t)fn->syms + 1) * sizeof *moves);
    const int count = take_out(&s, fn->body, moves, 0);
    for (int i = 0; i < count; i++) {
        const int at = first_mention(moves[i].to, moves[i].decl->sym);
        insert(cx->m, moves[i].to, at < 0 ? 0 : at, moves[i].decl);
    }
    renumber(cx, &s);
}
