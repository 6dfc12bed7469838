/* tangent.c - x = e becomes x_d = sum of (de/dleaf) leaf_d; x = e, statement by statement; control flow stays as it is.
 *
 * The tangent comes first: x = f(x) needs the old x. Which symbols have tangents is found by going over the function until
 * nothing changes: those that an active value is ever assigned to. Where such a symbol gets a passive value its tangent is set
 * to 0. */
#include "derive/tangent.h"

#include "base/arena.h"
#include "derive/linearize.h"
#include "derive/trust.h"
#include "tree/rules.h"

#include <string.h>

typedef struct tangent {
    ad_arena *m;
    ad_fn *fn;
    const ad_wrt *wrt;
    unsigned char *active; /* by symbol number, of the symbols that the function had */
    ad_sym **dot;          /* likewise */
    int syms;
    const ad_sym *pb;      /* of the function, before it may be left out */
    ad_trust trust;        /* likewise */
    int taped;             /* 1: an active value is on the tape, so all doubles there are treated as active */
} tangent;

static int keeps(const tangent *t, const ad_sym *s)
{
    return t->wrt->keep == AD_KEEP_ALL || (t->wrt->keep == AD_KEEP_BUT_PB && s != t->pb);
}

/* ---- activity ------------------------------------------------------------------------------------------------------------- */

static int is_active(const ad_node *leaf, void *context)
{
    const tangent *t = context;
    return leaf->sym->type == AD_DOUBLE && leaf->sym->number < t->syms && t->active[leaf->sym->number];
}

static int varies(const tangent *t, const ad_node *e)
{
    if (e->type != AD_DOUBLE || e->op == AD_RAW || e->op == AD_TO_DOUBLE) return 0;
    if (e->op == AD_NAME || e->op == AD_ELEM) return t->active[e->sym->number];
    for (int i = e->op == AD_COND; i < e->kids; i++)
        if (varies(t, e->kid[i])) return 1;
    return 0;
}

static int mark(tangent *t, const ad_sym *s)
{
    if (s->type != AD_DOUBLE || t->active[s->number]) return 0;
    return t->active[s->number] = 1;
}

/* 1: something was marked. */
static int spread(tangent *t, const ad_node *n)
{
    int more = 0;
    if (!n) return 0;
    switch (n->op) {
    case AD_SET:
    case AD_INC: return varies(t, n->value) && mark(t, n->target->sym);
    case AD_PUSH:
    case AD_POP:
        if (n->op == AD_PUSH && !t->taped && varies(t, n->target)) more = t->taped = 1;
        return (t->taped && mark(t, n->target->sym)) || more;
    default: break;
    }
    for (int i = ad_inner(n); i < n->kids; i++) more |= spread(t, n->kid[i]);
    return more;
}

/* ---- statements ---------------------------------------------------------------------------------------------------------- */

static ad_node *dot_of(tangent *t, const ad_node *leaf)
{
    ad_sym *s = t->dot[leaf->sym->number];
    return leaf->op == AD_NAME ? ad_use(t->m, s) : ad_elem(t->m, s, ad_copy(t->m, leaf->index, NULL));
}

/* The part of a term in a tangent. */
static ad_node *part(tangent *t, const ad_term *term)
{
    const ad_sym *s = term->leaf->sym;
    const int calm = t->trust.any && s->number < t->syms && t->trust.calm[s->number];
    const ad_wins wins = term->wins == AD_DIRECTION_WINS && !calm ? AD_NONE_WINS : term->wins;
    return ad_term_along(t->m, wins, term->factor, dot_of(t, term->leaf));
}

static void assign(tangent *t, ad_node *out, ad_node *s)
{
    ad_node *pre = ad_block(t->m), *target = s->target;
    ad_term *term;
    int moves = target->sym->type == AD_DOUBLE && t->dot[target->sym->number];
    if (moves) {
        int terms = ad_linearize(t->m, t->fn, &s->value, is_active, t, pre, &term);
        ad_node *sum = ad_num(t->m, 0);
        for (int i = 0; i < terms; i++) sum = ad_add(t->m, sum, part(t, &term[i]));
        if (terms || s->op == AD_SET) {
            ad_append(t->m, pre, ad_new(t->m, s->op, AD_DOUBLE, 2, dot_of(t, target), sum));
        }
    }
    for (int i = 0; i < pre->kids; i++) {
        pre->kid[i]->place = s->place;
        ad_append(t->m, out, pre->kid[i]);
    }
    if (target->sym->role == AD_SUM && !keeps(t, target->sym)) return;
    ad_append(t->m, out, s);
}

static void rewrite(tangent *t, ad_node *n);

/* The push or pop of the tangent beside that of the value: of the same pair. */
static ad_node *tape_dot(tangent *t, const ad_node *s)
{
    ad_node *n = ad_new(t->m, s->op, AD_DOUBLE, 1, dot_of(t, s->target));
    n->pair = s->pair;
    return n;
}

static void statement(tangent *t, ad_node *out, ad_node *s)
{
    ad_arena *m = t->m;
    ad_sym *dot = NULL;
    switch (s->op) {
    case AD_SET:
    case AD_INC: assign(t, out, s); return;
    case AD_DECL:
        ad_append(m, out, s);
        dot = t->dot[s->sym->number];
        if (dot) ad_append(m, out, ad_decl(m, dot));
        return;
    case AD_PUSH:
        ad_append(m, out, s);
        if (t->dot[s->target->sym->number]) ad_append(m, out, tape_dot(t, s));
        return;
    case AD_POP:
        if (t->dot[s->target->sym->number]) ad_append(m, out, tape_dot(t, s));
        break;
    default: rewrite(t, s); break;
    }
    ad_append(m, out, s);
}

static void rewrite(tangent *t, ad_node *n)
{
    if (!n) return;
    if (n->op == AD_BLOCK) {
        const ad_node old = ad_emptied(n);
        for (int i = 0; i < old.kids; i++) statement(t, n, old.kid[i]);
        return;
    }
    for (int i = ad_inner(n); i < n->kids; i++) rewrite(t, n->kid[i]);
}

/* ---- parameters and locals ----------------------------------------------------------------------------------------------- */

static ad_sym *dot_new(tangent *t, const ad_sym *s)
{
    size_t n = strlen(s->name);
    int parameter = s->role != AD_LOCAL, second = t->wrt->level == 2;
    const int again = n > 2 && strcmp(s->name + n - 2, "_d") == 0;
    const char *ending = parameter ? (second ? "dot2" : "dot") : !second ? "_d" : again ? "d" : "_d2";
    ad_sym *dot = ad_sym_new(t->m, t->fn, ad_text(t->m, "%s%s", s->name, ending), AD_DOUBLE, s->role);
    dot->array = s->array;
    dot->extent = s->extent;
    dot->lane = 1;
    dot->calm = t->trust.any && t->trust.calm[s->number];
    dot->user = s->user;
    dot->place = s->place;
    const char *slot = parameter ? ad_slot(t->fn, s) : NULL;
    if (slot) dot->slot = ad_text(t->m, "%s%d", slot, t->wrt->level);
    return dot;
}

static int moves(const tangent *t, const ad_sym *s)
{
    const char *slot = ad_slot(t->fn, s);
    for (const char *const *w = t->wrt->slot; slot && *w; w++)
        if (strcmp(*w, slot) == 0) return 1;
    return 0;
}

/* Every parameter is followed by its tangent; an output that is not kept becomes a local array, so that it can still be read
 * back. */
static void parameters(tangent *t)
{
    ad_fn *fn = t->fn;
    const int params = fn->params;
    ad_sym *old[AD_PARAMS];
    memcpy(old, fn->param, sizeof old);
    fn->params = 0;
    for (int i = 0; i < params; i++) {
        ad_sym *s = old[i], *dot = s->role == AD_INPUT ? (t->active[s->number] ? dot_new(t, s) : NULL) : dot_new(t, s);
        t->dot[s->number] = dot;
        int kept = s->role == AD_INPUT || keeps(t, s) || (s->role == AD_OUTPUT && !s->extent);
        if (kept) fn->param[fn->params++] = s;
        else if (s->role == AD_OUTPUT) s->slot = NULL, s->role = AD_LOCAL;
        if (dot) fn->param[fn->params++] = dot;
        if (!kept && s == fn->out) fn->out = NULL;
        if (!kept && s == fn->yb) fn->yb = NULL;
        if (!kept && s == fn->pb) fn->pb = NULL;
    }
}

ad_fn *ad_tangent(ad_arena *m, const ad_fn *f, const ad_wrt *wrt)
{
    tangent t = {.m = m, .fn = ad_fn_copy(m, f, NULL), .wrt = wrt};
    ad_unfold(m, t.fn);
    t.syms = t.fn->syms;
    t.trust = ad_trust_of(m, t.fn);
    t.active = ad_take(m, (size_t)t.syms + 1);
    t.pb = t.fn->pb;
    t.fn->name = ad_text(m, "%s_%s", f->name, wrt->level == 2 ? "d2" : "d");
    for (int i = 0; i < t.fn->params; i++)
        if (t.fn->param[i]->role == AD_INPUT && moves(&t, t.fn->param[i])) mark(&t, t.fn->param[i]);
    while (spread(&t, t.fn->body)) continue;

    const int syms = t.syms;
    t.dot = ad_take(m, ((size_t)syms + 1) * sizeof *t.dot);
    parameters(&t);
    for (int i = 0; i < syms; i++) {
        ad_sym *s = t.fn->sym[i];
        if (s->role == AD_LOCAL && t.active[i] && !t.dot[i]) t.dot[i] = dot_new(&t, s);
    }
    rewrite(&t, t.fn->body);
    ad_node *body = ad_block(m);
    for (int i = 0; i < f->syms; i++)
        if (f->sym[i]->role == AD_OUTPUT && t.fn->sym[i]->role == AD_LOCAL) ad_append(m, body, ad_decl(m, t.fn->sym[i]));
    ad_append_all(m, body, t.fn->body);
    t.fn->body = body;
    return t.fn;
}
