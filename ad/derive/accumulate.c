/* accumulate.c - x_b = a; ... x_b += b; ... x_b -= c; ... use of x_b     becomes     ... x_b = a + b - c; use of x_b
 *
 * in straight code, where nothing that a, b and c read changes in between. Reverse mode adds to the adjoints of many variables
 * in turn; brought together, each sum stays in a register, and there are far fewer statements. Seeds with a constant index are
 * named directly. */
#include "derive/accumulate.h"

#include "base/arena.h"
#include "tree/flow.h"

typedef struct mention {
    int at;          /* statement */
    int kind;        /* 0: read, or within a loop or branch; 1: x = e; 2: x += e; 3: declared */
    int next;        /* 1 + index of the symbol's next mention; 0: none */
} mention;

typedef struct accumulation {
    ad_arena *m;
    const ad_fn *fn;
    ad_node *block;
    mention *list;
    int count, room;
    int *first, *last; /* 1 + index of a symbol's first and last mention */
    int *place;        /* by statement: where it ends up */
    unsigned char *gone;
} accumulation;

static void add_mention(accumulation *g, const ad_sym *s, int at, int kind)
{
    int last = g->last[s->number];
    if (last && g->list[last - 1].at == at) { /* twice in one statement: it is more than an addition to x */
        g->list[last - 1].kind = 0;
        return;
    }
    if (g->count == g->room) {
        int room = 2 * g->room + 64;
        g->list = ad_grow(g->m, g->list, (size_t)g->count * sizeof *g->list, (size_t)room * sizeof *g->list);
        g->room = room;
    }
    g->list[g->count++] = (mention){at, kind, 0};
    if (last) g->list[last - 1].next = g->count;
    else g->first[s->number] = g->count;
    g->last[s->number] = g->count;
}

static void mention_all(accumulation *g, const ad_node *n, int at)
{
    if (!n) return;
    if (n->sym) add_mention(g, n->sym, at, 0);
    for (int i = 0; i < n->kids; i++) mention_all(g, n->kid[i], at);
}

static void survey(accumulation *g)
{
    for (int i = 0; i < g->block->kids; i++) {
        const ad_node *s = g->block->kid[i];
        g->place[i] = i;
        if (s->op == AD_DECL) {
            add_mention(g, s->sym, i, 3);
            mention_all(g, s->sym->extent, i);
        } else if ((s->op == AD_SET || s->op == AD_INC) && s->target->op == AD_NAME) {
            add_mention(g, s->target->sym, i, s->op == AD_SET ? 1 : 2);
            mention_all(g, s->value, i);
        } else {
            mention_all(g, s, i);
        }
    }
}

/* 1: the statement, anything in it, assigns to s. */
static int assigns(const ad_node *n, const ad_sym *s)
{
    if (!n) return 0;
    if (n->op == AD_SET || n->op == AD_INC || n->op == AD_POP) return n->target->sym == s;
    if (n->op == AD_FOR && n->sym == s) return 1;
    for (int i = ad_inner(n); i < n->kids; i++)
        if (assigns(n->kid[i], s)) return 1;
    return 0;
}

/* 1: what e reads does not change after statement `from` and before place `to`. */
static int steady(const accumulation *g, const ad_node *e, int from, int to)
{
    if (e->sym && e->sym->role != AD_INPUT && e->sym->role != AD_CONST)
        for (int k = g->first[e->sym->number]; k; k = g->list[k - 1].next) {
            const mention *q = &g->list[k - 1];
            if (q->at > from && q->at < to && assigns(g->block->kid[q->at], e->sym)) return 0;
        }
    for (int i = 0; i < e->kids; i++)
        if (!steady(g, e->kid[i], from, to)) return 0;
    return 1;
}

/* Where the sum of x goes: before its first use. -1: it stays as it is. */
static int destination(const accumulation *g, const ad_sym *x)
{
    int to = g->block->kids, k = g->first[x->number], sums = 0;
    if (!k || g->list[k - 1].kind != 3) return -1;
    for (k = g->list[k - 1].next; k; k = g->list[k - 1].next) {
        const mention *q = &g->list[k - 1];
        if (q->kind == (sums ? 2 : 1) && to == g->block->kids) sums++;
        else if (q->kind != 0) return -1; /* assigned to again */
        else if (g->place[q->at] < to) to = g->place[q->at];
        if (q->kind == 0 && assigns(g->block->kid[q->at], x)) return -1;
    }
    if (!sums || to == g->block->kids) return -1;
    for (k = g->list[g->first[x->number] - 1].next; k && g->list[k - 1].kind; k = g->list[k - 1].next) {
        int at = g->list[k - 1].at;
        if (!steady(g, g->block->kid[at]->value, at, to)) return -1;
    }
    return to;
}

/* The statement that sets x to its whole sum, at the place of the last addition. */
static void bring_together(accumulation *g, const ad_sym *x, int to)
{
    ad_node *sum = NULL, *s = NULL;
    int last = 0;
    for (int k = g->list[g->first[x->number] - 1].next; k && g->list[k - 1].kind; k = g->list[k - 1].next) {
        s = g->block->kid[last = g->list[k - 1].at];
        sum = sum ? ad_add(g->m, sum, s->value) : s->value;
        g->gone[last] = 1;
        g->place[last] = to;
    }
    ad_node *set = ad_set(g->m, s->target, sum);
    set->place = s->place;
    g->block->kid[last] = set;
    g->gone[last] = 2; /* moved */
}

static void accumulate(ad_arena *m, const ad_fn *fn, ad_node *block)
{
    int kids = block->kids;
    for (int i = 0; i < kids; i++) {
        const ad_node *s = block->kid[i];
        for (int k = ad_inner(s); s->op != AD_BLOCK && k < s->kids; k++)
            if (s->kid[k]) accumulate(m, fn, s->kid[k]);
    }
    size_t n = (size_t)fn->syms + 1;
    accumulation g = {.m = m, .fn = fn, .block = block, .first = ad_take(m, n * sizeof(int)), .last = ad_take(m, n * sizeof(int)),
                  .place = ad_take(m, ((size_t)kids + 1) * sizeof(int)), .gone = ad_take(m, (size_t)kids + 1)};
    survey(&g);
    int moved = 0;
    for (int i = kids - 1; i >= 0; i--) { /* by the last addition, from the end, so that what a sum reads follows it */
        const ad_node *s = block->kid[i];
        if ((s->op != AD_SET && s->op != AD_INC) || s->target->op != AD_NAME || g.gone[i]) continue;
        if (!s->target->sym->lane || s->target->sym->role != AD_LOCAL) continue;
        int to = destination(&g, s->target->sym);
        if (to < 0) continue;
        bring_together(&g, s->target->sym, to);
        moved = 1;
    }
    if (!moved) return;
    /* Statements in the order of their places; those that moved to one place in their old order, before what is there. */
    int *head = ad_take(m, ((size_t)kids + 1) * sizeof *head), *next = ad_take(m, ((size_t)kids + 1) * sizeof *next);
    for (int i = kids - 1; i >= 0; i--)
        if (g.gone[i] == 2) {
            next[i] = head[g.place[i]];
            head[g.place[i]] = i + 1;
        }
    const ad_node old = ad_emptied(block);
    for (int i = 0; i < kids; i++) {
        for (int k = head[i]; k; k = next[k - 1]) ad_append(m, block, old.kid[k - 1]);
        if (!g.gone[i]) ad_append(m, block, old.kid[i]);
    }
}

/* ---- seeds --------------------------------------------------------------------------------------------------------------- */

static void name_seeds(ad_arena *m, ad_node **n, ad_node *const *seed)
{
    if (!*n) return;
    if ((*n)->op == AD_NAME && seed[(*n)->sym->number]) *n = ad_copy(m, seed[(*n)->sym->number], NULL);
    for (int i = 0; i < (*n)->kids; i++) name_seeds(m, &(*n)->kid[i], seed);
}

/* f_b = u[3] at the top, and nothing else is assigned to f_b. */
static void find_seeds(ad_arena *m, const ad_fn *fn, ad_node *body)
{
    ad_node **seed = ad_take(m, ((size_t)fn->syms + 1) * sizeof *seed);
    int *writes = ad_take(m, ((size_t)fn->syms + 1) * sizeof *writes), kept = 0;
    for (int i = 0; i < body->kids; i++) {
        const ad_node *s = body->kid[i];
        if (s->op != AD_SET || s->target->op != AD_NAME || s->value->op != AD_ELEM) continue;
        if (s->value->sym == fn->u && s->value->index->op == AD_WHOLE && s->target->sym->role == AD_LOCAL)
            seed[s->target->sym->number] = s->value;
    }
    ad_count_writes(body, writes);
    for (int k = 0; k < fn->syms; k++)
        if (writes[k] > 1) seed[k] = NULL;
    for (int i = 0; i < body->kids; i++) {
        ad_node *s = body->kid[i];
        const ad_sym *named = s->op == AD_DECL ? s->sym : s->op == AD_SET && s->target->op == AD_NAME ? s->target->sym : NULL;
        if (named && seed[named->number]) continue;
        name_seeds(m, &s, seed);
        body->kid[kept++] = s;
    }
    body->kids = kept;
}

void ad_accumulate(ad_arena *m, ad_fn *fn)
{
    if (fn->u) find_seeds(m, fn, fn->body);
    accumulate(m, fn, fn->body);
}
