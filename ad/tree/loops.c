/* loops.c - affine indices. */
#include "tree/loops.h"

#include "base/arena.h"

#include <stdlib.h>

enum { COVER = 32 }; /* assignments that are looked at to find arrays written completely */

static const int64_t far = (int64_t)1 << 40; /* beyond it nothing is claimed, so that no sum overflows */

static int small(int64_t v)
{
    return v > -far && v < far;
}

int64_t ad_floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

int ad_constant(const ad_node *n, int64_t *v)
{
    int64_t a, b;
    if (!n) return 0;
    switch (n->op) {
    case AD_WHOLE:
        *v = n->whole;
        return small(*v);
    case AD_NEG:
        if (!ad_constant(n->a, &a)) return 0;
        *v = -a;
        return 1;
    case AD_TO_INT:
        return n->a->type == AD_INT && ad_constant(n->a, v);
    case AD_ADD:
    case AD_SUB:
    case AD_MUL:
    case AD_DIV:
    case AD_MOD:
        if (!ad_constant(n->a, &a) || !ad_constant(n->b, &b)) return 0;
        if (n->op == AD_MUL && (llabs(a) > 1 << 20 && llabs(b) > 1 << 18)) return 0;
        if ((n->op == AD_DIV || n->op == AD_MOD) && b == 0) return 0;
        *v = n->op == AD_ADD ? a + b : n->op == AD_SUB ? a - b : n->op == AD_MUL ? a * b : n->op == AD_DIV ? a / b : a % b;
        return small(*v);
    default:
        return 0;
    }
}

int64_t ad_trips(const ad_node *loop)
{
    int64_t a, b, step = loop->step;
    if (!ad_constant(loop->first, &a) || !ad_constant(loop->end, &b) || step == 0) return -1;
    if (step > 0) return b > a ? (b - a + step - 1) / step : 0;
    return a > b ? (a - b - step - 1) / -step : 0;
}

void ad_loops_enter(ad_loops *l, const ad_node *loop)
{
    if (l->depth < AD_DEPTH) l->loop[l->depth] = loop;
    l->depth++; /* deeper than that: nothing is claimed about the innermost ones */
}

/* ---- integers that stand for an expression ----------------------------------------------------------------------------- */

static const ad_node several = {.op = AD_NOTE}; /* set to different expressions */

/* The expression each integer is set to, and the loops inside which it is declared: what it stands for holds as long as their
 * counters stand still. */
typedef struct search {
    ad_arena *m;
    ad_defs d;
    ad_loops **scope; /* NULL: not declared */
} search;

static void declare(search *q, const ad_sym *s, const ad_loops *around)
{
    ad_loops *scope = q->scope[s->number];
    int same = 0;
    if (!scope) {
        scope = q->scope[s->number] = ad_take(q->m, sizeof *scope);
        *scope = *around;
    }
    while (same < scope->depth && same < around->depth && same < AD_DEPTH &&
           scope->loop[same]->sym == around->loop[same]->sym)
        same++;
    scope->depth = same;
}

static void collect(const ad_node *n, search *q, const ad_loops *around)
{
    if (!n) return;
    if (n->op == AD_DECL && n->sym->type == AD_INT && !n->sym->array && n->sym->number < q->d.syms) declare(q, n->sym, around);
    if (n->op == AD_SET || n->op == AD_POP) {
        const ad_sym *s = n->target->sym;
        if (s->type == AD_INT && n->target->op == AD_NAME && s->number < q->d.syms) {
            const ad_node **def = &q->d.def[s->number];
            if (n->op == AD_POP) *def = &several;
            else if (!*def) *def = n->value;
            else if (*def != &several && !ad_same(*def, n->value)) *def = &several;
        }
    }
    if (n->op == AD_FOR) {
        ad_loops inside = *around;
        ad_loops_enter(&inside, n);
        collect(n->body, q, &inside);
        return;
    }
    for (int i = ad_inner(n); i < n->kids; i++) collect(n->kid[i], q, around);
}

static int within(const ad_loops *scope, const ad_sym *counter)
{
    for (int i = 0; i < scope->depth && i < AD_DEPTH; i++)
        if (scope->loop[i]->sym == counter) return 1;
    return 0;
}

/* 1: the expression depends on counters of the scope, constants and integers that do so, alone. */
static int stands(const search *q, const ad_node *n, const ad_loops *scope, int depth)
{
    if (depth > 12) return 0;
    if (n->op == AD_NAME && n->sym->role == AD_LOCAL) {
        const ad_node *def = n->sym->number < q->d.syms ? q->d.def[n->sym->number] : NULL;
        return n->sym->type == AD_INT && def && def != &several && stands(q, def, scope, depth + 1);
    }
    if (n->op == AD_ELEM || n->op == AD_RAW || n->op == AD_CALL) return 0;
    if (n->op == AD_NAME && n->sym->role == AD_COUNTER && !within(scope, n->sym)) return 0;
    if (n->op == AD_NAME && (n->sym->role == AD_OUTPUT || n->sym->role == AD_SUM || n->sym->type != AD_INT)) return 0;
    for (int i = 0; i < n->kids; i++)
        if (!stands(q, n->kid[i], scope, depth + 1)) return 0;
    return 1;
}

ad_defs ad_defs_of(ad_arena *m, const ad_fn *fn, const ad_node *body)
{
    size_t n = (size_t)fn->syms + 1;
    search q = {m, {ad_take(m, n * sizeof *q.d.def), fn->syms}, ad_take(m, n * sizeof *q.scope)};
    ad_defs clean = {ad_take(m, n * sizeof *clean.def), fn->syms};
    collect(body, &q, &(ad_loops){0});
    for (int i = 0; i < fn->syms; i++)
        if (q.scope[i] && q.d.def[i] && q.d.def[i] != &several && stands(&q, q.d.def[i], q.scope[i], 0))
            clean.def[i] = q.d.def[i];
    return clean;
}

/* ---- affine forms --------------------------------------------------------------------------------------------------------- */

static void plus(ad_affine *a, const ad_sym *s, int64_t c)
{
    for (int i = 0; i < a->terms; i++)
        if (a->term[i].sym == s) {
            a->term[i].c += c;
            if (a->term[i].c == 0) a->term[i] = a->term[--a->terms];
            return;
        }
    if (c == 0) return;
    if (a->terms == AD_TERMS) {
        a->ok = 0;
        return;
    }
    a->term[a->terms].sym = s;
    a->term[a->terms++].c = c;
}

static void plus_form(ad_affine *a, const ad_affine *b, int64_t c)
{
    a->ok &= b->ok && small(c) && small(b->c) && llabs(c) < 1 << 20 && llabs(b->c) < far >> 20;
    if (!a->ok) return;
    a->c += c * b->c;
    for (int i = 0; i < b->terms && a->ok; i++) {
        if (llabs(b->term[i].c) > 1 << 20) a->ok = 0;
        else plus(a, b->term[i].sym, c * b->term[i].c);
    }
    a->ok &= small(a->c);
}

static ad_affine affine(const ad_defs *d, const ad_node *n, int depth)
{
    ad_affine a = {.ok = 1}, none = {0}, x, y;
    int64_t v;
    if (depth > 64) return none;
    if (ad_constant(n, &v)) {
        a.c = v;
        return a;
    }
    switch (n->op) {
    case AD_NAME:
        if (d && n->sym->number < d->syms && d->def[n->sym->number]) return affine(d, d->def[n->sym->number], depth + 1);
        plus(&a, n->sym, 1);
        return a;
    case AD_TO_INT:
        return n->a->type == AD_INT ? affine(d, n->a, depth + 1) : none;
    case AD_NEG:
        x = affine(d, n->a, depth + 1);
        plus_form(&a, &x, -1);
        return a;
    case AD_ADD:
    case AD_SUB:
        x = affine(d, n->a, depth + 1);
        y = affine(d, n->b, depth + 1);
        plus_form(&a, &x, 1);
        plus_form(&a, &y, n->op == AD_ADD ? 1 : -1);
        return a;
    case AD_MUL:
        x = affine(d, n->a, depth + 1);
        y = affine(d, n->b, depth + 1);
        if (x.ok && x.terms == 0) plus_form(&a, &y, x.c);
        else if (y.ok && y.terms == 0) plus_form(&a, &x, y.c);
        else return none;
        return a;
    default:
        return none;
    }
}

ad_affine ad_affine_of(const ad_defs *d, const ad_node *index)
{
    return affine(d, index, 0);
}

ad_node *ad_from_affine(ad_arena *m, const ad_affine *a)
{
    ad_node *sum = NULL;
    for (int i = 0; i < a->terms; i++) {
        ad_node *s = ad_use(m, (ad_sym *)a->term[i].sym);
        ad_node *term = ad_mul(m, s, ad_whole(m, a->term[i].c));
        sum = sum ? ad_add(m, sum, term) : term;
    }
    if (!sum) return ad_whole(m, a->c);
    return a->c < 0 ? ad_sub(m, sum, ad_whole(m, -a->c)) : ad_add(m, sum, ad_whole(m, a->c));
}

int64_t ad_coefficient(const ad_affine *a, const ad_sym *s)
{
    for (int i = 0; i < a->terms; i++)
        if (a->term[i].sym == s) return a->term[i].c;
    return 0;
}

ad_affine ad_affine_difference(const ad_affine *a, const ad_affine *b)
{
    ad_affine x = {.ok = 1};
    plus_form(&x, a, 1);
    plus_form(&x, b, -1);
    return x;
}

int ad_steady(const ad_affine *a, const ad_loops *loops, const ad_syms *changing)
{
    for (int i = 0; i < a->terms; i++)
        if (!within(loops, a->term[i].sym) && ad_has(changing, a->term[i].sym)) return 0;
    return a->ok;
}

/* ---- ranges -------------------------------------------------------------------------------------------------------------- */

static int known_loops(const ad_loops *loops)
{
    return loops->depth < AD_DEPTH ? loops->depth : AD_DEPTH;
}

static int interval(const ad_defs *d, const ad_loops *loops, const ad_affine *a, int level, int64_t *lo, int64_t *hi);

/* The values of a counter. */
static int counter_range(const ad_defs *d, const ad_loops *loops, const ad_sym *s, int level, int64_t *lo, int64_t *hi)
{
    for (int i = known_loops(loops) - 1; i >= 0; i--) {
        const ad_node *loop = loops->loop[i];
        if (loop->sym != s) continue;
        ad_loops outer = {.depth = i};
        for (int j = 0; j < i; j++) outer.loop[j] = loops->loop[j];
        ad_affine from = ad_affine_of(d, loop->first), to = ad_affine_of(d, loop->end);
        int64_t a0, a1, b0, b1;
        if (!interval(d, &outer, &from, level + 1, &a0, &a1) || !interval(d, &outer, &to, level + 1, &b0, &b1)) return 0;
        *lo = loop->step > 0 ? a0 : b0 + 1;
        *hi = loop->step > 0 ? b1 - 1 : a1;
        return 1;
    }
    return 0;
}

static int interval(const ad_defs *d, const ad_loops *loops, const ad_affine *a, int level, int64_t *lo, int64_t *hi)
{
    if (!a->ok || level > 8) return 0;
    *lo = *hi = a->c;
    for (int i = 0; i < a->terms; i++) {
        int64_t l, h, c = a->term[i].c;
        if (!counter_range(d, loops, a->term[i].sym, level, &l, &h) || h < l) return 0;
        if (llabs(l) > 1 << 30 || llabs(h) > 1 << 30 || llabs(c) > 1 << 30) return 0;
        *lo += c > 0 ? c * l : c * h;
        *hi += c > 0 ? c * h : c * l;
    }
    return small(*lo) && small(*hi);
}

int ad_interval(const ad_defs *d, const ad_loops *loops, const ad_affine *a, int64_t *lo, int64_t *hi)
{
    return interval(d, loops, a, 0, lo, hi);
}

int ad_injective(const ad_defs *d, const ad_loops *loops, int at, const ad_affine *a)
{
    if (!a->ok || at >= known_loops(loops) || loops->depth > AD_DEPTH) return 0;
    const ad_node *loop = loops->loop[at];
    int64_t c = ad_coefficient(a, loop->sym), lo, hi;
    if (c == 0) return 0;
    ad_affine inner = {.ok = 1};
    for (int i = 0; i < a->terms; i++)
        for (int j = at + 1; j < known_loops(loops); j++)
            if (loops->loop[j]->sym == a->term[i].sym) {
                plus(&inner, a->term[i].sym, a->term[i].c);
                break;
            }
    return interval(d, loops, &inner, 0, &lo, &hi) && llabs(c * loop->step) > hi - lo;
}

/* c x with c > 0 and an integer x within [lo, hi] */
typedef struct unknown {
    int64_t c, lo, hi;
} unknown;

typedef struct equation {
    int count;
    unknown term[2 * AD_TERMS]; /* the largest c first, each once */
} equation;

/* Adds sign times the form's terms. */
static int enter(const ad_defs *d, const ad_loops *loops, const ad_affine *a, int64_t sign, equation *e)
{
    for (int i = 0; i < a->terms; i++) {
        int64_t c = sign * a->term[i].c, lo, hi;
        int at = 0;
        if (!counter_range(d, loops, a->term[i].sym, 0, &lo, &hi) || hi < lo) return 0;
        unknown x = c > 0 ? (unknown){c, lo, hi} : (unknown){-c, -hi, -lo};
        while (at < e->count && e->term[at].c > x.c) at++;
        if (at < e->count && e->term[at].c == x.c) {
            e->term[at].lo += x.lo;
            e->term[at].hi += x.hi;
            continue;
        }
        for (int k = e->count++; k > at; k--) e->term[k] = e->term[k - 1];
        e->term[at] = x;
    }
    return 1;
}

static int64_t common_divisor(int64_t a, int64_t b)
{
    return b ? common_divisor(b, a % b) : a;
}

/* 1: constant + the terms from `at` on may come to zero. Where the rest does not outweigh the largest c, few values of its x come
 * into question. */
static int may_vanish(const equation *e, int at, int64_t constant)
{
    if (at == e->count) return constant == 0;
    const unknown x = e->term[at];
    int64_t lo = constant, hi = constant, divisor = x.c;
    for (int k = at + 1; k < e->count; k++) {
        lo += e->term[k].c * e->term[k].lo;
        hi += e->term[k].c * e->term[k].hi;
        divisor = common_divisor(divisor, e->term[k].c);
    }
    if (constant % divisor != 0) return 0;
    int64_t first = -ad_floor_div(hi, x.c), last = ad_floor_div(-lo, x.c); /* lo <= -c x <= hi */
    if (first < x.lo) first = x.lo;
    if (last > x.hi) last = x.hi;
    if (last - first > 1) return 1;
    for (int64_t v = first; v <= last; v++)
        if (may_vanish(e, at + 1, constant + x.c * v)) return 1;
    return 0;
}

int ad_disjoint(const ad_defs *d, const ad_loops *la, const ad_affine *a, const ad_loops *lb, const ad_affine *b)
{
    equation e = {0};
    int64_t a0, a1, b0, b1;
    if (!interval(d, la, a, 0, &a0, &a1) || !interval(d, lb, b, 0, &b0, &b1)) return 0;
    return a1 < b0 || b1 < a0 || (enter(d, la, a, 1, &e) && enter(d, lb, b, -1, &e) && !may_vanish(&e, 0, a->c - b->c));
}

/* ---- arrays written completely ------------------------------------------------------------------------------------------- */

/* Assignments to elements that run for sure, in loops with constant bounds, each to other elements than all the rest. */
typedef struct cover {
    ad_arena *m;
    ad_syms *all; /* arrays of which every element is written */
    int count;
    struct {
        const ad_sym *array;
        ad_loops loops;
        ad_affine form;
        int64_t elements;
    } part[COVER];
} cover;

/* How many elements the form names in the loops; 0: not known, or some of them several times or outside of the array. */
static int64_t elements(const ad_loops *loops, const ad_affine *a, int64_t extent)
{
    int64_t lo, hi, count = 1;
    if (!interval(NULL, loops, a, 0, &lo, &hi) || lo < 0 || hi >= extent) return 0;
    for (int i = 0; i < loops->depth; i++) {
        const int64_t trips = ad_trips(loops->loop[i]);
        if (trips <= 0) return 0;
        if (ad_coefficient(a, loops->loop[i]->sym) == 0) continue;
        count *= trips;
        if (count > extent || !ad_injective(NULL, loops, i, a)) return 0;
    }
    return count;
}

/* An array of n elements is covered when n different ones have been written. */
static void cover_element(cover *c, const ad_node *target, const ad_loops *loops)
{
    const ad_sym *s = target->sym;
    int64_t extent, written;
    ad_affine form = ad_affine_of(NULL, target->index);
    if (!ad_constant(s->extent, &extent) || ad_has(c->all, s) || c->count == COVER) return;
    written = elements(loops, &form, extent);
    if (written == 0) return;
    int64_t sum = written;
    for (int i = 0; i < c->count; i++) {
        if (c->part[i].array != s) continue;
        if (!ad_disjoint(NULL, &c->part[i].loops, &c->part[i].form, loops, &form)) return;
        sum += c->part[i].elements;
    }
    c->part[c->count].array = s;
    c->part[c->count].loops = *loops;
    c->part[c->count].form = form;
    c->part[c->count++].elements = written;
    if (sum == extent) ad_include(c->m, c->all, s);
}

/* for (i = 0; i < n; i++) a[i] with a[n]: symbolic, one loop */
static void cover_symbolic(cover *c, const ad_node *target, const ad_loops *loops)
{
    const ad_sym *s = target->sym;
    const ad_node *loop = loops->depth == 1 ? loops->loop[0] : NULL, *index = target->index;
    int64_t first;
    if (!loop || index->op != AD_NAME || index->sym != loop->sym || loop->step != 1 || !s->extent) return;
    if (s->extent->op == AD_NAME && s->extent->sym->role == AD_INPUT && ad_same(loop->end, s->extent) &&
        ad_constant(loop->first, &first) && first == 0)
        ad_include(c->m, c->all, s);
}

static void cover_by(cover *c, const ad_node *n, ad_loops loops)
{
    if (n->op == AD_FOR) {
        if (loops.depth == AD_DEPTH) return;
        ad_loops_enter(&loops, n);
        cover_by(c, n->body, loops);
    } else if (n->op == AD_BLOCK) {
        for (int i = 0; i < n->kids; i++) cover_by(c, n->kid[i], loops);
    } else if (n->op == AD_SET && n->target->op == AD_ELEM) {
        cover_element(c, n->target, &loops);
        cover_symbolic(c, n->target, &loops);
    }
}

void ad_covered(ad_arena *m, ad_node *const *loop, int loops, ad_syms *a)
{
    cover c;
    c.m = m;
    c.all = a;
    c.count = 0;
    for (int i = 0; i < loops; i++) cover_by(&c, loop[i], (ad_loops){0});
}
