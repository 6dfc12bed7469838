/* held.c - which conditions are held, and what the function is then. See held.h. */
#include "derive/held.h"

#include "derive/depends.h"
#include "derive/guards.h"
#include "derive/held_in.h"
#include "tree/flow.h"
#include "tree/loops.h"
#include "tree/rules.h"

#include <costate/costate.h>
#include <string.h>

typedef struct holder {
    held_list *list;
    ad_arena *m;
    ad_fn *fn;
    int function;
    unsigned char *on;    /* what symbols depend on */
    unsigned char *jumps; /* by number of symbol: 1: it may jump where no condition says so */
    held_defs defs;
    ad_loops loops;       /* around the statement at hand */
    ad_place place;       /* of it */
} holder;

/* ---- what is known of a node ----------------------------------------------------------------------------------------------- */

/* The smallest number in an index: base + (i - first) / step + ... */
static int64_t base_of(const ad_node *index)
{
    while (index->op == AD_ADD) index = index->a;
    return index->whole;
}

int ad_held_number(const ad_node *n)
{
    return ad_is_held(n) ? 1 + (int)base_of(n->kid[0]) : 0;
}

static int is_comparison(const ad_node *n)
{
    return (n->op == AD_LT || n->op == AD_LE || n->op == AD_GT || n->op == AD_GE) && n->a->type == AD_DOUBLE;
}

static int jumps_itself(const ad_node *n)
{
    if (n->op == AD_TO_INT) return n->a->type == AD_DOUBLE;
    if (n->op != AD_CALL) return 0;
    switch (n->rule) {
    case AD_RULE_floor:
    case AD_RULE_ceil:
    case AD_RULE_trunc:
    case AD_RULE_round:
    case AD_RULE_fmod:
    case AD_RULE_copysign: return 1;
    default: return 0;
    }
}

const char *ad_why_not_held(const ad_node *n)
{
    static const char steps[] = "steps of floor and its like are not held";
    if (is_comparison(n)) return n->text;
    return jumps_itself(n) ? steps : NULL;
}

/* ---- what jumps by itself -------------------------------------------------------------------------------------------------- */

static int may_jump(const holder *k, const ad_node *n)
{
    if (!n) return 0;
    if (n->sym && k->jumps[n->sym->number]) return 1;
    if (jumps_itself(n) && ad_depends(k->on, n)) return 1;
    for (int i = 0; i < n->kids; i++)
        if (may_jump(k, n->kid[i])) return 1;
    return 0;
}

static int spread_jumps(holder *k, const ad_node *n)
{
    int more = 0;
    if (!n) return 0;
    if ((n->op == AD_SET || n->op == AD_INC) && !k->jumps[n->target->sym->number] && n->target->sym != k->fn->out &&
        (may_jump(k, n->value) || may_jump(k, n->target->index)))
        more = k->jumps[n->target->sym->number] = 1;
    for (int i = ad_inner(n); i < n->kids; i++) more |= spread_jumps(k, n->kid[i]);
    return more;
}

/* ---- what says where a function is defined --------------------------------------------------------------------------------- */

/* 1: a and b read the same local, state or parameter. */
static int share(const ad_node *a, const ad_node *b)
{
    const int variable = (b->op == AD_NAME || b->op == AD_ELEM) && b->sym->type == AD_DOUBLE && b->sym->role != AD_CONST;
    if (variable && ad_same(a, b)) return 1;
    for (int i = 0; i < a->kids; i++)
        if (share(a->kid[i], b)) return 1;
    for (int i = 0; i < b->kids; i++)
        if (share(a, b->kid[i])) return 1;
    return 0;
}

static int is_narrow(const ad_node *call)
{
    double power;
    switch (call->rule) {
    case AD_RULE_sqrt:
    case AD_RULE_log:
    case AD_RULE_log2:
    case AD_RULE_log10:
    case AD_RULE_log1p:
    case AD_RULE_acos:
    case AD_RULE_asin:
    case AD_RULE_acosh:
    case AD_RULE_atanh: return 1;
    case AD_RULE_pow: return !(ad_literal(call->b, &power) && power == (double)(int)power);
    default: return 0;
    }
}

/* 1: n computes what is not defined for all values of what the comparison compares. */
static int leaves_domain(const ad_node *n, const ad_node *comparison)
{
    double number;
    if (!n) return 0;
    if (n->op == AD_CALL && is_narrow(n) && share(n->a, comparison)) return 1;
    if (n->op == AD_DIV && n->type == AD_DOUBLE && !ad_literal(n->b, &number) &&
        (ad_same(n->b, comparison->a) || ad_same(n->b, comparison->b)))
        return 1;
    for (int i = 0; i < n->kids; i++)
        if (leaves_domain(n->kid[i], comparison)) return 1;
    return 0;
}

static int sets_status(const holder *k, const ad_node *n)
{
    if (!n || !k->fn->status) return 0;
    if (n->op == AD_SET && n->target->sym == k->fn->status) return 1;
    for (int i = ad_inner(n); i < n->kids; i++)
        if (sets_status(k, n->kid[i])) return 1;
    return 0;
}

/* ---- sites ----------------------------------------------------------------------------------------------------------------- */

static int trips(const holder *k)
{
    int64_t all = 1;
    for (int i = 0; i < k->loops.depth && i < AD_DEPTH; i++) {
        const int64_t own = ad_trips(k->loops.loop[i]);
        if (own < 0 || own > HELD_TRIPS) return -1;
        all *= own;
        if (all > HELD_TRIPS) return -1;
    }
    return k->loops.depth > AD_DEPTH ? -1 : (int)all;
}

typedef struct smooth {
    ad_node *guard;
    double period;
} smooth;

/* What the comparison compares jumps; s: if it is the phase of a cycle, and nothing else in it does, its guard. */
static int jumps(const holder *k, const ad_node *n, smooth *s)
{
    held_phase f;
    if (!may_jump(k, n->a) && !may_jump(k, n->b)) return 0;
    int found = held_phase_of(k->m, n, &f);
    if (!found && !k->loops.depth) {
        const ad_node *whole = held_expanded(k->m, &k->defs, n, 0);
        found = whole && held_phase_of(k->m, whole, &f);
    }
    if (found && !may_jump(k, f.x) && !may_jump(k, f.period) && !may_jump(k, f.bound))
        *s = (smooth){held_phase_guard(k->m, &f), held_phase_time(k->fn, &f)};
    return 1;
}

/* Why the comparison cannot be held; NULL: it can. arms: what it decides on. */
static const char *obstacle(const holder *k, const ad_node *n, const ad_node *yes, const ad_node *no, smooth *s)
{
    const int count = trips(k);
    if (k->list->none) return k->list->none;
    if (count < 0) return "it is in a loop";
    if (jumps(k, n, s) && !s->guard) return "it compares what jumps itself, as floor does";
    if (sets_status(k, yes) || sets_status(k, no)) return "it says where the function is defined";
    if (leaves_domain(yes, n) || leaves_domain(no, n)) return "what it guards is not defined beyond it";
    if (k->list->held + k->list->timed + count > HELD_MOST) return "there are more than 64 conditions";
    return NULL;
}

/* (i - first) / step of each loop around, as digits of one number, added to base. */
static ad_node *index_of(holder *k, ad_node *base)
{
    ad_arena *m = k->m;
    ad_node *index = NULL;
    for (int i = 0; i < k->loops.depth; i++) {
        const ad_node *loop = k->loops.loop[i];
        int64_t first = 0;
        ad_constant(loop->first, &first);
        ad_node *own = ad_sub(m, ad_use(m, loop->sym), ad_whole(m, first));
        if (loop->step != 1) own = ad_new(m, AD_DIV, AD_INT, 2, own, ad_whole(m, loop->step));
        index = index ? ad_add(m, ad_mul(m, index, ad_whole(m, ad_trips(loop))), own) : own;
    }
    return index ? ad_new(m, AD_ADD, AD_INT, 2, base, index) : base;
}

/* The times of a condition of time alone, one for each iteration. 0: it is not one. */
static int find_times(holder *k, held_site *s, const ad_node *high, const ad_node *low)
{
    s->time = ad_take(k->m, (size_t)s->count * sizeof *s->time);
    for (int i = 0; i < s->count; i++) {
        for (int j = k->loops.depth - 1, rest = i; j >= 0; j--) {
            const ad_node *loop = k->loops.loop[j];
            const int own = (int)ad_trips(loop);
            int64_t first = 0;
            ad_constant(loop->first, &first);
            k->defs.known[loop->sym->number] = 1;
            k->defs.counter[loop->sym->number] = first + loop->step * (rest % own);
            rest /= own;
        }
        const ad_node *a = held_expanded(k->m, &k->defs, high, 0), *b = held_expanded(k->m, &k->defs, low, 0);
        s->time[i] = a && b ? held_time(k->m, k->fn, a, b) : NULL;
        if (!s->time[i]) break;
    }
    for (int j = 0; j < k->loops.depth; j++) k->defs.known[k->loops.loop[j]->sym->number] = 0;
    return s->count > 0 && s->time[s->count - 1] != NULL;
}

static held_site *same_site(held_list *l, const char *key)
{
    for (int i = 0; key && i < l->sites; i++)
        if (l->site[i].key && strcmp(l->site[i].key, key) == 0) return &l->site[i];
    return NULL;
}

static held_site *new_site(holder *k, const ad_node *n, const char *key, const ad_node *high, const ad_node *low)
{
    held_list *l = k->list;
    held_site *s = &l->site[l->sites++];
    *s = (held_site){.key = key, .text = ad_guard_text(k->m, n), .place = n->place.line > 0 ? n->place : k->place,
                     .count = trips(k), .function = k->function, .base = ad_whole(k->m, 0)};
    s->timed = find_times(k, s, high, low);
    *(s->timed ? &l->timed : &l->held) += s->count;
    return s;
}

/* The comparison as one that is held. */
static ad_node *held(holder *k, ad_node *n, const smooth *of)
{
    ad_arena *m = k->m;
    if (!k->fn->held) held_parameter(m, k->fn);
    const int greater = n->op == AD_GT || n->op == AD_GE;
    ad_node *high = greater ? n->a : n->b, *low = greater ? n->b : n->a;
    const ad_node *a = k->loops.depth ? NULL : held_expanded(m, &k->defs, high, 0),
                  *b = a ? held_expanded(m, &k->defs, low, 0) : NULL;
    const char *key = b ? held_key(m, k->fn, a, b) : NULL;
    held_site *s = same_site(k->list, key), *other = s || !b ? NULL : same_site(k->list, held_key(m, k->fn, b, a));
    const int owner = !s && !other, negated = other != NULL;
    int backwards = 0; /* of time: the bit is 1 from the time on */
    if (owner) {
        s = new_site(k, n, key, high, low);
        s->guard = of->guard;
        s->period = of->period;
        if (!s->timed && find_times(k, s, low, high)) { /* t < 30 */
            k->list->held -= s->count, k->list->timed += s->count;
            s->timed = backwards = 1;
            s->text = ad_text(m, "!(%s)", s->text);
            s->key = b ? held_key(m, k->fn, b, a) : NULL;
        }
    }
    if (negated) s = other;
    ad_node *raw = ad_new(m, AD_RAW, AD_INT, 2, index_of(k, s->base), n);
    raw->text = ad_text(m, negated || backwards ? "!costate_holds(%s, %%, !(%%))" : "costate_holds(%s, %%, %%)",
                        k->fn->held->name);
    raw->whole = owner && !s->timed;
    raw->place = n->place;
    return raw;
}

static ad_node *replaced(holder *k, ad_node *n, const ad_node *yes, const ad_node *no)
{
    if (!n) return NULL;
    for (int i = 0; i < n->kids; i++) {
        const int lazy = n->op == AD_COND && i == 0;
        n->kid[i] = replaced(k, n->kid[i], lazy ? n->yes : yes, lazy ? n->no : no);
    }
    if (!is_comparison(n) || !(ad_depends(k->on, n) & (COSTATE_ON_TIME | COSTATE_ON_STATE))) return n;
    smooth of = {0};
    n->text = obstacle(k, n, yes, no, &of);
    return n->text ? n : held(k, n, &of);
}

static void walk(holder *k, ad_node *n)
{
    if (!n) return;
    if (n->op != AD_BLOCK) k->place = n->place;
    const ad_node *yes = n->op == AD_IF ? n->yes : NULL, *no = n->op == AD_IF ? n->no : NULL;
    for (int i = 0; i < ad_inner(n) && n->op != AD_DECL; i++)
        if (!(i == 0 && (n->op == AD_SET || n->op == AD_INC))) n->kid[i] = replaced(k, n->kid[i], yes, no);
    const ad_loops outer = k->loops;
    if (n->op == AD_FOR) ad_loops_enter(&k->loops, n);
    for (int i = ad_inner(n); i < n->kids; i++) walk(k, n->kid[i]);
    k->loops = outer;
}

/* ---- the model ------------------------------------------------------------------------------------------------------------- */

static void hold_function(held_list *l, int which)
{
    ad_fn *fn = l->model->fn[which];
    holder k = {.list = l, .m = l->m, .fn = fn, .function = which};
    if (!fn || !fn->t || !fn->y || fn->params + 1 > AD_PARAMS) return;
    k.on = ad_depends_of(l->m, fn);
    k.jumps = ad_take(l->m, (size_t)fn->syms + 1);
    while (spread_jumps(&k, fn->body)) continue;
    k.defs = held_defs_of(l->m, fn);
    walk(&k, fn->body);
}

/* Why no condition of a model can be held; NULL. */
static const char *none_of(const ad_model *model)
{
    if (model->unknown_events) return "its events are not known from the text";
    if (model->mass_given) return "the model has a mass matrix";
    if (model->slopes) return "the model is a residual";
    if (model->steady) return "the model starts from a steady state";
    return NULL;
}

void ad_hold(ad_arena *m, ad_model *model)
{
    held_list l = {.m = m, .model = model, .none = none_of(model)};
    hold_function(&l, AD_FN_rhs);
    hold_function(&l, AD_FN_running);
    if (l.sites) held_make_events(&l);
}
