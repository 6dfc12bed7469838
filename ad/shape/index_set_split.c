/* index_set_split.c - loops over indices that wrap around or stop at the ends, cut into pieces in which they are affine:
 *
 *     for (i = 0; i < n; i++) { west = (i + n - 1) % n;  left = i > 0 ? i - 1 : i; ... }
 *
 *     i = 0: west = i + n - 1, left = i      i = 1 .. n-1: west = i - 1, left = i - 1
 *
 * so that what comes after sees where iterations meet, and needs neither remainders nor gathers. On the iterations from `from`
 * on an integer expression is
 *
 *     c + k i   up to an end,
 *
 * which follows from its operands: x % n = x - q n and x / n = q as long as x has the quotient q; a comparison stays as it is
 * as long as the difference keeps its sign. The smallest of the ends is where the next piece begins. Iterations run in the
 * order they had; each does what it did. */
#include "tree/loops.h"

#include "base/arena.h"

#include <string.h>

enum {
    CUTS = 12,       /* more changes than that: the loop stays as it is */
    PIECES = 4,      /* the most there may be, short ones next to each other counted as one */
    SHORT = 8,       /* iterations */
    STATEMENTS = 120 /* of all pieces together */
};

static const int64_t large = (int64_t)1 << 30; /* values beyond are left alone: int might not hold them */

/* An integer: c + k i for the iterations before `end`. */
typedef struct form {
    int known;
    int64_t c, k, end;
} form;

typedef struct piece {
    int64_t from, to;
    ad_node *body; /* NULL: of several short ones, in which it is not the same */
} piece;

typedef struct splitter {
    ad_arena *m;
    ad_fn *fn;
    form *value;        /* of the integers that are known, by number */
    int room;           /* of value */
    const ad_sym *i;    /* the counter of the loop at hand; NULL: none */
    int64_t from, to;   /* decisions are wanted that hold for these iterations */
    int64_t last;       /* where the loop ends */
    int64_t end;        /* up to here all decisions hold that were made */
    int changed;        /* 1: some loop is not what it was */
} splitter;

/* ---- what an integer is ---------------------------------------------------------------------------------------------------- */

static const form unknown = {0};

/* The form as long as it stays within [lo, hi], where it is at `from`. */
static form within(const splitter *w, form x, int64_t lo, int64_t hi)
{
    const int64_t leaves = x.k > 0 ? ad_floor_div(hi - x.c, x.k) + 1 : x.k < 0 ? ad_floor_div(x.c - lo, -x.k) + 1 : w->last;
    if (leaves < x.end) x.end = leaves;
    return x;
}

static form sum(form a, form b, int64_t factor)
{
    return (form){a.known && b.known, a.c + factor * b.c, a.k + factor * b.k, a.end < b.end ? a.end : b.end};
}

static form product(form a, form b)
{
    if (a.k != 0) return b.k != 0 ? unknown : product(b, a);
    return (form){a.known && b.known, a.c * b.c, a.c * b.k, a.end < b.end ? a.end : b.end};
}

/* As C divides: towards zero. */
static form quotient(const splitter *w, form x, form n, ad_op op)
{
    if (!x.known || !n.known || n.k != 0 || n.c <= 0) return unknown;
    const int64_t q = (x.c + x.k * w->from) / n.c;
    form r = within(w, sum(x, n, 0), (q > 0 ? q : q - 1) * n.c + (q <= 0), (q < 0 ? q : q + 1) * n.c - (q >= 0));
    r.c = op == AD_MOD ? x.c - q * n.c : q;
    r.k = op == AD_MOD ? x.k : 0;
    return r;
}

/* d op 0, as 0 or 1 */
static form comparison(const splitter *w, form d, ad_op op)
{
    if (!d.known) return unknown;
    const int64_t now = d.c + d.k * w->from;
    int64_t lo = -4 * large, hi = 4 * large;
    if (now < 0) hi = op == AD_LE || op == AD_GT ? 0 : -1;
    else if (now > 0) lo = op == AD_LT || op == AD_GE ? 0 : 1;
    else {
        if (op != AD_LE && op != AD_GT) lo = 0;
        if (op != AD_LT && op != AD_GE) hi = 0;
    }
    form r = within(w, d, lo, hi);
    r.c = now < 0 ? op == AD_LT || op == AD_LE || op == AD_NE : now > 0 ? op == AD_GT || op == AD_GE || op == AD_NE
                                                                    : op == AD_LE || op == AD_GE || op == AD_EQ;
    r.k = 0;
    return r;
}

static form form_of(const splitter *w, const ad_node *n, int natural);

static form truth(const splitter *w, const ad_node *n, int natural)
{
    return n->type == AD_INT ? comparison(w, form_of(w, n, natural), AD_NE) : unknown;
}

static form operation(const splitter *w, const ad_node *n, int natural)
{
    form a, b;
    int64_t v;
    if (ad_constant(n, &v)) return (form){1, v, 0, w->last};
    switch (n->op) {
    case AD_NAME:
        if (n->sym == w->i) return (form){1, 0, 1, w->last};
        return n->sym->number < w->room && n->sym->role == AD_LOCAL ? w->value[n->sym->number] : unknown;
    case AD_TO_INT: return n->a->type == AD_INT ? form_of(w, n->a, natural) : unknown;
    case AD_NEG: return sum((form){1, 0, 0, w->last}, form_of(w, n->a, natural), -1);
    case AD_NOT: return comparison(w, truth(w, n->a, natural), AD_EQ);
    case AD_AND:
    case AD_OR:
        a = truth(w, n->a, natural);
        if (!a.known || a.c == (n->op == AD_OR)) return a;
        b = truth(w, n->b, natural);
        return sum(b, a, 0);
    case AD_COND:
        a = truth(w, n->a, natural);
        return a.known ? sum(form_of(w, n->kid[a.c ? 1 : 2], natural), a, 0) : unknown;
    default: break;
    }
    if (n->kids != 2 || n->a->type != AD_INT || n->b->type != AD_INT) return unknown;
    a = form_of(w, n->a, natural);
    b = form_of(w, n->b, natural);
    switch (n->op) {
    case AD_ADD: return sum(a, b, 1);
    case AD_SUB: return sum(a, b, -1);
    case AD_MUL: return product(a, b);
    case AD_DIV:
    case AD_MOD: return quotient(w, a, b, n->op);
    case AD_LT:
    case AD_LE:
    case AD_GT:
    case AD_GE:
    case AD_EQ:
    case AD_NE: return comparison(w, sum(a, b, -1), n->op);
    default: return unknown;
    }
}

/* natural 1: something in the expression is unsigned, so that numbers below zero are not what they seem. */
static form form_of(const splitter *w, const ad_node *n, int natural)
{
    const form f = operation(w, n, natural);
    if (!f.known || f.c >= large || f.c <= -large || f.k >= large || f.k <= -large) return unknown;
    const int64_t first = f.c + f.k * w->from, last = f.c + f.k * (f.end - 1), least = natural ? 0 : -large;
    return first >= least && first < large && last >= least && last < large ? f : unknown;
}

/* What the integers of an expression are: 0: signed, 1: unsigned, some of them, 2: narrower than int: a value might not fit. */
static int kind(const ad_node *n)
{
    static const char *const type[2][4] = {{"int", "long", "long long"},
                                           {"unsigned", "unsigned long", "unsigned long long", "size_t"}};
    const char *own = n->op == AD_TO_INT ? n->text : n->sym ? n->sym->ctype : NULL;
    int most = own ? 2 : n->op == AD_WHOLE && n->text && strchr(n->text, 'U');
    for (int k = 0; own && k < 8; k++)
        if (type[k / 4][k % 4] && strcmp(type[k / 4][k % 4], own) == 0) most = k / 4;
    for (int k = 0; k < n->kids; k++) {
        const int other = kind(n->kid[k]);
        if (other > most) most = other;
    }
    return most;
}

static form integer(const splitter *w, const ad_node *n)
{
    const int k = n->type == AD_INT ? kind(n) : 2;
    return k < 2 ? form_of(w, n, k) : unknown;
}

/* ---- a body, for some of the iterations ------------------------------------------------------------------------------------ */

static void remember(splitter *w, const ad_sym *s, form f)
{
    if (s->number >= w->room) {
        const int room = s->number + s->number / 2 + 16;
        w->value = ad_grow(w->m, w->value, (size_t)w->room * sizeof *w->value, (size_t)room * sizeof *w->value);
        w->room = room;
    }
    w->value[s->number] = f;
}

/* Integers that n assigns to are no longer known. */
static void forget(splitter *w, const ad_node *n)
{
    ad_syms written = {0};
    ad_writes(w->m, n, &written);
    for (int k = 0; k < w->room && k < written.room; k++)
        if (written.has[k]) w->value[k] = unknown;
}

/* 1: f holds for the iterations at hand. The decision counts from now on. */
static int decides(splitter *w, form f)
{
    if (!f.known || f.end < w->to) return 0;
    if (f.end < w->end) w->end = f.end;
    return 1;
}

static int is_truth(const ad_node *n)
{
    return (n->op >= AD_LT && n->op <= AD_OR) || n->op == AD_NOT;
}

static void expression(splitter *w, ad_node **at);

static form truth_of(const splitter *w, const ad_node *n)
{
    return comparison(w, integer(w, n), AD_NE);
}

/* a && b and a || b with one side decided: the other side is left, or nothing. */
static int one_side(splitter *w, ad_node **at)
{
    ad_node *n = *at;
    for (int side = 0; side < 2; side++) {
        const form f = truth_of(w, n->kid[side]);
        if (!decides(w, f)) continue;
        ad_node *rest = n->kid[1 - side];
        if (f.c == (n->op == AD_OR)) *at = ad_whole(w->m, f.c);
        else *at = is_truth(rest) ? rest : ad_new(w->m, AD_NE, AD_INT, 2, rest, ad_whole(w->m, 0));
        return 1;
    }
    return 0;
}

/* Remainders, quotients and conditions that are decided give way to what they come to. */
static void expression(splitter *w, ad_node **at)
{
    ad_node *n = *at;
    if (n->op == AD_MOD || n->op == AD_DIV || n->op == AD_COND || is_truth(n)) {
        const form f = integer(w, n), taken = n->op == AD_COND ? truth_of(w, n->condition) : unknown;
        if (decides(w, f)) {
            *at = ad_from_affine(w->m, &(ad_affine){.ok = 1, .terms = f.k != 0, .term = {{w->i, f.k}}, .c = f.c});
            return;
        }
        if (decides(w, taken)) *at = n->kid[taken.c ? 1 : 2];
        if (*at != n || ((n->op == AD_AND || n->op == AD_OR) && one_side(w, at))) {
            expression(w, at);
            return;
        }
    }
    for (int k = 0; k < n->kids; k++) expression(w, &n->kid[k]);
}

static void block(splitter *w, ad_node *b);

/* A part that may be executed or not, or several times: what it assigns to is not known in it nor after it. */
static void part(splitter *w, const ad_node *whole, ad_node *b)
{
    forget(w, whole);
    if (b) block(w, b);
    forget(w, whole);
}

static void statement(splitter *w, ad_node *s, ad_node *out)
{
    form f = unknown;
    switch (s->op) {
    case AD_SET:
    case AD_INC:
        f = integer(w, s->value);
        expression(w, &s->value);
        if (s->target->op == AD_ELEM) expression(w, &s->target->index);
        else if (s->target->type == AD_INT) remember(w, s->target->sym, f);
        break;
    case AD_IF:
        f = truth_of(w, s->condition);
        if (decides(w, f)) {
            ad_node *arm = f.c ? s->yes : s->no;
            for (int k = 0; arm && k < arm->kids; k++) statement(w, arm->kid[k], out);
            return;
        }
        expression(w, &s->condition);
        part(w, s, s->yes);
        part(w, s, s->no);
        break;
    case AD_FOR:
        expression(w, &s->first);
        expression(w, &s->end);
        part(w, s, s->body);
        break;
    case AD_BLOCK: block(w, s); break;
    default: break;
    }
    ad_append(w->m, out, s);
}

static void block(splitter *w, ad_node *b)
{
    const ad_node old = ad_emptied(b);
    for (int k = 0; k < old.kids; k++) statement(w, old.kid[k], b);
}

/* The body as it is in the iterations from `from` to `to`; *end: up to there it is the same. */
static ad_node *body_for(const splitter *w, const ad_node *loop, int64_t from, int64_t to, int64_t *end)
{
    splitter own = *w;
    own.i = loop->sym;
    own.from = from;
    own.to = to;
    own.last = own.end = *end;
    own.value = ad_take(w->m, ((size_t)w->room + 1) * sizeof *own.value);
    for (int k = 0; k < w->room; k++) {
        own.value[k] = w->value[k];
        own.value[k].end = *end;
    }
    ad_node *body = ad_copy(w->m, loop->body, NULL);
    part(&own, loop, body);
    *end = own.end;
    return body;
}

/* ---- loops ----------------------------------------------------------------------------------------------------------------- */

static int is_short(const piece *p)
{
    return p->to - p->from < SHORT || !p->body;
}

/* The pieces of a loop; 0: too many. Short ones next to each other become one, in which what changes is left as it was. */
static int cut(const splitter *w, const ad_node *loop, int64_t from, int64_t to, piece *list)
{
    int cuts = 0, count = 0;
    for (int64_t at = from; at < to; cuts++) {
        piece next = {at, to, NULL};
        if (cuts == CUTS) return 0;
        next.body = body_for(w, loop, at, at + 1, &next.to);
        at = next.to;
        if (count && is_short(&next) && is_short(&list[count - 1])) {
            list[count - 1].to = next.to;
            list[count - 1].body = NULL;
        } else if (count == PIECES) {
            return 0;
        } else {
            list[count++] = next;
        }
    }
    for (int k = 0; k < count; k++) {
        int64_t end = to;
        if (!list[k].body) list[k].body = body_for(w, loop, list[k].from, list[k].to, &end);
    }
    return count;
}

static int longest_of(const piece *list, int count)
{
    int longest = 0;
    for (int k = 1; k < count; k++)
        if (list[k].to - list[k].from > list[longest].to - list[longest].from) longest = k;
    return longest;
}

/* 1: a remainder or quotient of the counter is left, one that depends on something else as well. */
static int has_remainder(const ad_node *n, const ad_sym *counter)
{
    if (!n) return 0;
    if (n->type == AD_INT && (n->op == AD_MOD || n->op == AD_DIV) && ad_uses(n, counter)) return 1;
    for (int k = 0; k < n->kids; k++)
        if (has_remainder(n->kid[k], counter)) return 1;
    return 0;
}

/* 1: the pieces are better than the loop: something is gone, and in the longest of several all that stood in the way. */
static int worth_it(const ad_node *loop, const piece *list, int count)
{
    if (count == 0) return 0;
    if (count == 1) return !ad_same(list[0].body, loop->body);
    return count * ad_size(loop->body) <= STATEMENTS && !has_remainder(list[longest_of(list, count)].body, loop->sym);
}

/* The loop, or what it becomes, is appended to out. The longest piece keeps the names. */
static void split_loop(splitter *w, ad_node *loop, ad_node *out)
{
    int64_t from, to;
    piece list[PIECES];
    const int fixed = loop->step == 1 && ad_constant(loop->first, &from) && ad_constant(loop->end, &to);
    const int count = fixed && from > -large && to < large ? cut(w, loop, from, to, list) : 0, longest = longest_of(list, count);
    if (!worth_it(loop, list, count)) {
        ad_append(w->m, out, loop);
        return;
    }
    w->changed = 1;
    ad_syms own = {0};
    ad_declared(w->m, loop, &own);
    for (int k = 0; k < count; k++) {
        ad_node *n = ad_for_like(w->m, loop, ad_whole(w->m, list[k].from), ad_whole(w->m, list[k].to), 1, list[k].body);
        ad_append(w->m, out, k == longest ? n : ad_copy(w->m, n, ad_new_symbols(w->m, w->fn, &own)));
    }
}

/* Inner loops first. */
static void split_block(splitter *w, ad_node *b)
{
    const ad_node old = ad_emptied(b);
    for (int k = 0; k < old.kids; k++) {
        ad_node *s = old.kid[k];
        if (s->op == AD_BLOCK) split_block(w, s);
        else if (s->op == AD_SET && s->target->op == AD_NAME) remember(w, s->target->sym, integer(w, s->value));
        for (int i = ad_inner(s); s->op != AD_BLOCK && i < s->kids; i++) {
            forget(w, s);
            if (s->kid[i]) split_block(w, s->kid[i]);
            forget(w, s);
        }
        if (s->op == AD_FOR) split_loop(w, s, b);
        else ad_append(w->m, b, s);
    }
}

ad_fn *ad_split_index_sets(ad_arena *m, const ad_fn *fn)
{
    if (!ad_contains(fn->body, AD_FOR)) return NULL;
    splitter w = {.m = m, .fn = ad_fn_copy(m, fn, NULL), .to = 1, .last = 1, .end = 1};
    split_block(&w, w.fn->body);
    return w.changed ? w.fn : NULL;
}
