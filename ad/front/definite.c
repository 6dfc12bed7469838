/* definite.c - scalars that are set before they are read whatever the conditions are: the usual rule, branch by branch. It takes
 * one walk, and leaves little for assigned.c to follow. */
#include "front/worlds.h"

typedef struct walk {
    ac_lower *cx;
    unsigned char *set, *open; /* by number of symbol; open: read where it may not be set */
    int *log, *stamp;          /* symbols in the order in which they were set */
    int logged, stamps;
} walk;

static void read(walk *w, const ad_node *e)
{
    if (!e) return;
    if (e->op == AD_NAME && e->sym->role == AD_LOCAL && !w->set[e->sym->number]) w->open[e->sym->number] = 1;
    for (int i = 0; i < e->kids; i++) read(w, e->kid[i]);
}

static void take_back(walk *w, int from)
{
    while (w->logged > from) w->set[w->log[--w->logged]] = 0;
}

static void put(walk *w, int s)
{
    if (w->set[s]) return;
    w->set[s] = 1;
    w->log[w->logged++] = s;
}

static void statement(walk *w, const ad_node *n);

static void branches(walk *w, const ad_node *n)
{
    const int from = w->logged, stamp = ++w->stamps;
    statement(w, n->yes);
    const int count = w->logged - from;
    int *first = ad_take(w->cx->m, ((size_t)count + 1) * sizeof *first);
    for (int i = 0; i < count; i++) first[i] = w->log[from + i];
    take_back(w, from);
    if (!n->no) return;
    statement(w, n->no);
    for (int i = from; i < w->logged; i++) w->stamp[w->log[i]] = stamp;
    take_back(w, from);
    for (int i = 0; i < count; i++)
        if (w->stamp[first[i]] == stamp) put(w, first[i]);
}

static void statement(walk *w, const ad_node *n)
{
    int64_t from, to;
    if (!n) return;
    switch (n->op) {
    case AD_DECL: return; /* once for each symbol; in a loop the log has taken it back */
    case AD_SET:
    case AD_INC:
        read(w, n->value);
        if (n->target->op == AD_ELEM) read(w, n->target->index);
        else if (n->op == AD_INC) read(w, n->target);
        if (n->target->op == AD_NAME) put(w, n->target->sym->number);
        return;
    case AD_IF:
        read(w, n->condition);
        branches(w, n);
        return;
    case AD_FOR: {
        const int before = w->logged;
        read(w, n->first);
        read(w, n->end);
        statement(w, n->body);
        const int runs = ac_whole_of(n->first, &from) && ac_whole_of(n->end, &to) && (n->step > 0 ? from < to : from > to);
        if (!runs) take_back(w, before);
        return;
    }
    default:
        for (int i = ad_inner(n); i < n->kids; i++) statement(w, n->kid[i]);
    }
}

unsigned char *ac_open_scalars(ac_lower *cx)
{
    const size_t n = (size_t)cx->fn->syms + 1;
    walk w = {.cx = cx, .set = ad_take(cx->m, n), .open = ad_take(cx->m, n), .log = ad_take(cx->m, n * sizeof(int)),
              .stamp = ad_take(cx->m, n * sizeof(int))};
    statement(&w, cx->fn->body);
    return w.open;
}
