/* assigned.c - outputs that are not written on every path, variables that are read before they are set.
 *
 * The function is gone through with its integers as far as they are known and its doubles left open: loops with known bounds pass
 * by pass, a condition on data both ways, each in a world of its own (worlds.h) while they differ. What nobody has set there and
 * is read, or is an output at the end, is an error. Where the text does not tell, because an index or the passes of a loop depend
 * on data, the variable starts as NaN (an integer as 0): then a value that was not set ends the run instead of changing with
 * what the memory held. */
#include "front/worlds.h"

#include <string.h>

enum { WORLDS = 8, MANY_OBSERVATIONS = 200 };
static const long work_allowed = 30000000;

typedef struct step { /* a statement, without those parts that matter to nobody */
    const ad_node *node;
    int reads; /* 1: reads something that is followed, or a condition to be looked at */
    int kids;
    struct step **kid;
} step;

typedef struct list {
    ac_world *item;
    int count, room;
} list;

typedef struct survey {
    ac_lower *cx;
    ac_atlas a;
    int unsure;             /* depth of conditions and loops on data */
    unsigned char *open;    /* definite.c */
    unsigned char *poison;  /* by number of symbol: it starts as NaN */
    const ad_node **writer; /* of the output's elements: a statement */
    const ad_node **told;   /* by number of symbol: the last place that was complained of */
} survey;

/* ---- what is followed --------------------------------------------------------------------------------------------------- */

static int is_followed(const survey *k, const ad_sym *s)
{
    return k->a.count[s->number] > 0;
}

static void follow(survey *k)
{
    const ad_fn *fn = k->cx->fn;
    const size_t n = (size_t)fn->syms + 1;
    ac_atlas *a = &k->a;
    a->at = ad_take(k->cx->m, n * sizeof *a->at);
    a->count = ad_take(k->cx->m, n * sizeof *a->count);
    a->whole = ad_take(k->cx->m, n * sizeof *a->whole);
    for (int i = 0; i < fn->syms; i++) {
        const ad_sym *s = fn->sym[i];
        int64_t count = 1;
        a->whole[i] = -1;
        if (s->role != AD_LOCAL && s->role != AD_COUNTER && s != fn->out) continue;
        if (s->array && (!s->extent || !ac_whole_of(s->extent, &count))) {
            k->poison[i] = s->role == AD_LOCAL;
            continue;
        }
        if (!s->array && s->type == AD_DOUBLE && !k->open[i]) continue;
        a->at[i] = a->elements;
        a->count[i] = count;
        a->elements += count;
        if (s->type == AD_INT) a->whole[i] = a->integers, a->integers += count;
        if (a->elements > work_allowed) a->budget = -1;
    }
}

static int mentions(const survey *k, const ad_node *e)
{
    if (!e) return 0;
    if ((e->op == AD_NAME || e->op == AD_ELEM) && is_followed(k, e->sym)) return 1;
    for (int i = 0; i < e->kids; i++)
        if (mentions(k, e->kid[i])) return 1;
    return 0;
}

static step *prepare(survey *k, const ad_node *n)
{
    ad_arena *m = k->cx->m;
    step *s = ad_take(m, sizeof *s);
    *s = (step){.node = n};
    if (n->op == AD_DECL) return is_followed(k, n->sym) ? s : NULL;
    if (n->op == AD_SET || n->op == AD_INC) {
        s->reads = mentions(k, n->value) || n->op == AD_INC || (n->target->op == AD_ELEM && mentions(k, n->target->index));
        return is_followed(k, n->target->sym) || mentions(k, n->value) || (n->target->op == AD_ELEM && s->reads) ? s : NULL;
    }
    const int inner = ad_inner(n);
    for (int i = 0; i < inner; i++) s->reads |= mentions(k, n->kid[i]);
    s->kid = ad_take(m, ((size_t)(n->kids - inner) + 1) * sizeof *s->kid);
    int any = s->reads && n->op == AD_IF;
    for (int i = inner; i < n->kids; i++) {
        step *part = n->kid[i] ? prepare(k, n->kid[i]) : NULL;
        any |= part != NULL;
        if (part || n->op != AD_BLOCK) s->kid[s->kids++] = part;
    }
    return any ? s : NULL;
}

/* ---- reading ------------------------------------------------------------------------------------------------------------ */

static const char *name_of(survey *k, const ad_node *e, const ac_world *w)
{
    const char *name = e->sym->user ? e->sym->user : e->sym->name;
    int64_t i;
    if (e->op != AD_ELEM) return name;
    return ac_world_value(&k->a, w, e->index, &i) ? ad_text(k->cx->m, "%s[%lld]", name, (long long)i) : name;
}

static void no_value(survey *k, const ad_node *e, const ad_node *statement, const ac_world *w)
{
    const ad_place place = e->place.line > 0 ? e->place : statement->place;
    const int adds = statement->op == AD_INC && statement->target == e;
    const char *name = name_of(k, e, w);
    if (k->told[e->sym->number] == e) return;
    k->told[e->sym->number] = e;
    if (e->sym->user)
        ad_error(k->cx->d, place, ad_text(k->cx->m, "%s = 0; before it, or a value for every case", name),
                 adds ? "'%s' is added to before it has a value"
                      : "'%s' is used before it has a value, here or on some path to it",
                 name);
    else ad_error(k->cx->d, place, "return with a value in every case", "on some path '%s' has no value", name);
}

/* A followed variable is read. */
static void read_leaf(survey *k, const ad_node *e, const ad_node *statement, ac_world *w)
{
    const int s = e->sym->number;
    const unsigned char *state = &w->state[k->a.at[s]];
    int64_t i = 0, missing = 0;
    if (e->op == AD_ELEM && !ac_world_value(&k->a, w, e->index, &i)) {
        k->a.budget -= k->a.count[s] / 16;
        for (int64_t j = 0; j < k->a.count[s]; j++) missing += state[j] != GIVEN && state[j] != KNOWN;
        if (missing == k->a.count[s] && !memchr(state, PERHAPS, (size_t)missing)) no_value(k, e, statement, w);
        else if (missing) k->poison[s] = 1;
        return;
    }
    if (i < 0 || i >= k->a.count[s] || state[i] == GIVEN || state[i] == KNOWN) return;
    if (state[i] == UNSET || (state[i] == MISSED && !k->unsure)) no_value(k, e, statement, w);
    else k->poison[s] = 1;
}

static void read(survey *k, const ad_node *e, const ad_node *statement, ac_world *w)
{
    int truth;
    if (!e) return;
    k->a.budget--;
    if ((e->op == AD_NAME || e->op == AD_ELEM) && is_followed(k, e->sym)) read_leaf(k, e, statement, w);
    if (e->op == AD_COND || e->op == AD_AND || e->op == AD_OR) {
        read(k, e->kid[0], statement, w);
        truth = ac_world_truth(&k->a, w, e->kid[0]);
        k->unsure += truth < 0;
        for (int i = 1; i < e->kids; i++) {
            const int taken = e->op == AD_COND ? i == 1 : e->op == AD_AND; /* where the condition holds */
            if (truth >= 0 && truth != taken) continue;
            ac_world inside = *w;
            if (truth >= 0 || ac_world_assume(&k->a, &inside, e->kid[0], taken)) read(k, e->kid[i], statement, &inside);
        }
        k->unsure -= truth < 0;
        return;
    }
    for (int i = 0; i < e->kids; i++) read(k, e->kid[i], statement, w);
}

/* ---- writing ------------------------------------------------------------------------------------------------------------ */

static void mark_all(survey *k, const ad_sym *s, ac_world *w, ac_state state)
{
    k->a.budget -= k->a.count[s->number] / 16;
    memset(&w->state[k->a.at[s->number]], (int)state, (size_t)k->a.count[s->number]);
}

/* An element that is not known which. */
static void write_any(survey *k, const ad_sym *s, ac_world *w)
{
    unsigned char *state = &w->state[k->a.at[s->number]];
    k->a.budget -= k->a.count[s->number] / 4;
    for (int64_t j = 0; j < k->a.count[s->number]; j++)
        state[j] = state[j] == GIVEN || state[j] == KNOWN ? GIVEN : PERHAPS;
}

static void assign(survey *k, const step *st, ac_world *w)
{
    const ad_node *n = st->node, *target = n->target;
    const ad_sym *s = target->sym;
    int64_t i = 0, v = 0;
    if (st->reads) read(k, n->value, n, w);
    if (st->reads && target->op == AD_ELEM) read(k, target->index, n, w);
    const int place_known = target->op != AD_ELEM || ac_world_value(&k->a, w, target->index, &i);
    if (n->op == AD_INC && is_followed(k, s)) read_leaf(k, target, n, w);
    const int value_known = s->type == AD_INT && n->op == AD_SET && ac_world_value(&k->a, w, n->value, &v);
    if (w->fact) ac_world_forget(&k->a, w, s);
    if (!is_followed(k, s)) return;
    if (!place_known) {
        write_any(k, s, w);
        return;
    }
    if (i < 0 || i >= k->a.count[s->number]) return;
    w->state[k->a.at[s->number] + i] = value_known ? KNOWN : GIVEN;
    if (value_known) w->value[k->a.whole[s->number] + i] = v;
    if (s == k->cx->fn->out) k->writer[i] = n;
}

/* ---- worlds side by side ------------------------------------------------------------------------------------------------ */

static void run(survey *k, const step *s, list *l);

static void add(survey *k, list *l, const ac_world *w)
{
    if (l->count == l->room) {
        const int room = 2 * l->room + WORLDS;
        l->item = ad_grow(k->cx->m, l->item, (size_t)l->room * sizeof *l->item, (size_t)room * sizeof *l->item);
        l->room = room;
    }
    l->item[l->count++] = *w;
}

static void merge(survey *k, list *l, int i, int j)
{
    ac_world_join(&k->a, &l->item[i], &l->item[j], MISSED);
    ac_world_drop(&k->a, &l->item[j]);
    l->item[j] = l->item[--l->count];
}

/* Worlds that do not differ become one; where there are too many of them, so do those with the same flags. */
static void gather(survey *k, list *l)
{
    for (int strict = 1; strict >= 0; strict--) {
        if (!strict && l->count <= WORLDS) return;
        for (int i = 0; i < l->count; i++)
            for (int j = i + 1; j < l->count;) {
                if (ac_world_same(&k->a, &l->item[i], &l->item[j], strict)) merge(k, l, i, j);
                else j++;
            }
    }
    while (l->count > WORLDS) merge(k, l, 0, l->count - 1);
}

/* Runs a step, or none, from a world; adds those after it to `out`. */
static void run_from(survey *k, const step *s, const ac_world *w, list *out)
{
    list one = {0};
    add(k, &one, w);
    if (s) run(k, s, &one);
    for (int i = 0; i < one.count; i++) add(k, out, &one.item[i]);
}

static void choose(survey *k, const step *s, ac_world *w, list *out)
{
    const ad_node *n = s->node;
    const step *branch[2] = {s->kid[0], s->kids > 1 ? s->kid[1] : NULL};
    if (s->reads) read(k, n->condition, n, w);
    const int truth = ac_world_truth(&k->a, w, n->condition);
    if (truth >= 0 || (!branch[0] && !branch[1])) {
        run_from(k, truth >= 0 ? branch[!truth] : NULL, w, out);
        return;
    }
    ac_world other = ac_world_copy(&k->a, w);
    k->unsure++;
    if (ac_world_assume(&k->a, w, n->condition, 1)) run_from(k, branch[0], w, out);
    if (ac_world_assume(&k->a, &other, n->condition, 0)) run_from(k, branch[1], &other, out);
    k->unsure--;
}

/* Integers that a loop changes are not known in its passes. */
static void unsettle(survey *k, const ad_node *n, ac_world *w)
{
    if (!n) return;
    if (n->op == AD_SET && is_followed(k, n->target->sym)) {
        const int s = n->target->sym->number;
        unsigned char *state = &w->state[k->a.at[s]];
        for (int64_t i = 0; n->target->sym->type == AD_INT && i < k->a.count[s]; i++)
            if (state[i] == KNOWN) state[i] = GIVEN;
    }
    if (n->op == AD_SET || n->op == AD_INC) ac_world_forget(&k->a, w, n->target->sym);
    for (int i = ad_inner(n); i < n->kids; i++) unsettle(k, n->kid[i], w);
}

/* A loop whose passes are not known: none, or some; the first of them has the least. */
static void loop_on_data(survey *k, const step *s, ac_world *w, list *out)
{
    list passes = {0};
    ac_world inside = ac_world_copy(&k->a, w);
    unsettle(k, s->node, &inside);
    mark_all(k, s->node->sym, &inside, GIVEN);
    k->unsure++;
    run_from(k, s->kid[0], &inside, &passes);
    k->unsure--;
    for (int i = 0; i < passes.count; i++) {
        ac_world after = ac_world_copy(&k->a, w);
        ac_world_join(&k->a, &after, &passes.item[i], PERHAPS);
        ac_world_drop(&k->a, &passes.item[i]);
        add(k, out, &after);
    }
    if (!passes.count) add(k, out, w);
}

static void loop(survey *k, const step *s, ac_world *w, list *out)
{
    const ad_node *n = s->node;
    const int counter = n->sym->number;
    int64_t from, to;
    if (s->reads) read(k, n->first, n, w), read(k, n->end, n, w);
    if (!ac_world_value(&k->a, w, n->first, &from) || !ac_world_value(&k->a, w, n->end, &to)) {
        loop_on_data(k, s, w, out);
        return;
    }
    list l = {0};
    add(k, &l, w);
    for (int64_t i = from; (n->step > 0 ? i < to : i > to) && k->a.budget > 0; i += n->step) {
        for (int j = 0; j < l.count; j++) {
            l.item[j].state[k->a.at[counter]] = KNOWN;
            l.item[j].value[k->a.whole[counter]] = i;
        }
        run(k, s->kid[0], &l);
    }
    for (int j = 0; j < l.count; j++) add(k, out, &l.item[j]);
}

static void run(survey *k, const step *s, list *l)
{
    const ad_op op = s->node->op;
    k->a.budget -= 4;
    if (k->a.budget < 0) return;
    if (op == AD_IF || op == AD_FOR) {
        list out = {0};
        for (int i = 0; i < l->count; i++) (op == AD_IF ? choose : loop)(k, s, &l->item[i], &out);
        gather(k, &out);
        *l = out;
        return;
    }
    for (int i = 0; op == AD_DECL && i < l->count; i++) mark_all(k, s->node->sym, &l->item[i], UNSET);
    for (int i = 0; (op == AD_SET || op == AD_INC) && i < l->count; i++) assign(k, s, &l->item[i]);
    for (int i = 0; i < s->kids; i++) run(k, s->kid[i], l);
}

/* ---- at the end --------------------------------------------------------------------------------------------------------- */

static void not_written(survey *k, int64_t first, int64_t count)
{
    const ad_fn *fn = k->cx->fn;
    const ad_node *writer = k->writer[first];
    const char *name = ad_text(k->cx->m, "%s[%lld]", fn->out->user, (long long)first);
    const char *others = ad_text(k->cx->m, " and %lld others", (long long)count - 1);
    const char *more = count > 2 ? others : count > 1 ? " and one other" : "";
    const char *keeps = count > 1 ? "they would keep" : "it would keep";
    if (writer)
        ad_error(k->cx->d, writer->target->place.line > 0 ? writer->target->place : writer->place,
                 ad_text(k->cx->m, "%s = 0; before it, or a value for every case", name),
                 "%s%s %s not written on every path through '%s': %s what was there before", name, more, count > 1 ? "are" : "is",
                 fn->name, keeps);
    else
        ad_error(k->cx->d, fn->place, ad_text(k->cx->m, "%s = 0; if that is meant", name), "'%s' does not write %s%s", fn->name,
                 name, more);
}

/* All of the output must be written unless the function returns a status that says that it is not. */
static void check_output(survey *k, const ac_world *w)
{
    const ad_fn *fn = k->cx->fn;
    int64_t first = -1, missing = 0, status = 0;
    int open = 0;
    if (!fn->out || !is_followed(k, fn->out)) return;
    if (fn->status) {
        open = !ac_world_value(&k->a, w, ad_use(k->cx->m, fn->status), &status);
        if (!open && status != 0) return;
    }
    const unsigned char *state = &w->state[k->a.at[fn->out->number]];
    for (int64_t i = 0; i < k->a.count[fn->out->number]; i++) {
        if (state[i] == GIVEN) continue;
        if (state[i] == PERHAPS || open) {
            k->poison[fn->out->number] = 1;
            continue;
        }
        if (!missing++) first = i;
    }
    if (missing) not_written(k, first, missing);
}

/* ---- NaN to begin with -------------------------------------------------------------------------------------------------- */

static ad_node *nothing(ad_arena *m, const ad_sym *s)
{
    ad_node *n = s->type == AD_INT ? ad_whole(m, 0) : ad_num(m, __builtin_nan(""));
    if (s->type == AD_DOUBLE) n->text = "NAN";
    return n;
}

static void begin(ac_lower *cx, ad_node *block, ad_sym *s)
{
    ad_node *n;
    if (s->array) {
        ad_sym *i = ac_symbol(cx, "i", ac_int(AC_INT), AD_COUNTER);
        ad_node *body = ad_block(cx->m);
        ad_append(cx->m, body, ad_set(cx->m, ad_elem(cx->m, s, ad_use(cx->m, i)), nothing(cx->m, s)));
        body->kid[0]->place = s->place;
        n = ad_for(cx->m, i, ad_whole(cx->m, 0), ad_copy(cx->m, s->extent, NULL), 1, body);
    } else {
        n = ad_set(cx->m, ad_use(cx->m, s), nothing(cx->m, s));
    }
    n->place = s->place;
    ad_append(cx->m, block, n);
}

static void insert(survey *k, ad_node *n)
{
    if (!n) return;
    if (n->op == AD_BLOCK) {
        const ad_node old = ad_emptied(n);
        for (int i = 0; i < old.kids; i++) {
            ad_append(k->cx->m, n, old.kid[i]);
            if (old.kid[i]->op == AD_DECL && k->poison[old.kid[i]->sym->number]) begin(k->cx, n, old.kid[i]->sym);
        }
    }
    for (int i = ad_inner(n); i < n->kids; i++) insert(k, n->kid[i]);
}

static void poison(survey *k)
{
    ad_fn *fn = k->cx->fn;
    const int syms = fn->syms;
    int any = 0;
    for (int i = 0; i < syms; i++) any |= k->poison[i];
    if (!any) return;
    ad_node *body = ad_block(k->cx->m);
    if (fn->out && k->poison[fn->out->number]) begin(k->cx, body, fn->out);
    unsigned char *grown = ad_take(k->cx->m, (size_t)syms * 2 + 64);
    memcpy(grown, k->poison, (size_t)syms);
    k->poison = grown;
    insert(k, fn->body);
    ad_append_all(k->cx->m, body, fn->body);
    fn->body = body;
}

void ac_assigned(ac_lower *cx, long observations)
{
    const ad_fn *fn = cx->fn;
    const size_t n = (size_t)fn->syms + 1;
    survey k = {.cx = cx, .open = ac_open_scalars(cx), .poison = ad_take(cx->m, n), .a = {.cx = cx, .budget = work_allowed}};
    follow(&k);
    k.told = ad_take(cx->m, n * sizeof *k.told);
    k.writer = ad_take(cx->m, ((size_t)(fn->out ? k.a.count[fn->out->number] : 0) + 1) * sizeof *k.writer);
    const step *body = k.a.budget > 0 ? prepare(&k, fn->body) : NULL;
    const int64_t runs = fn->k && observations > 0 && observations <= MANY_OBSERVATIONS ? observations : 1;
    const ac_world start = {.state = ad_take(cx->m, (size_t)k.a.elements + 1),
                            .value = ad_take(cx->m, ((size_t)k.a.integers + 1) * sizeof *start.value)};
    for (int64_t i = 0; i < runs && k.a.budget > 0; i++) {
        const ac_world fresh = ac_world_copy(&k.a, &start);
        list l = {0};
        k.a.k = runs > 1 || observations == 1 ? &i : NULL;
        add(&k, &l, &fresh);
        if (body) run(&k, body, &l);
        for (int j = 0; j < l.count && k.a.budget > 0; j++) check_output(&k, &l.item[j]);
    }
    if (k.a.budget <= 0) /* too much to go through */
        for (int i = 0; i < fn->syms; i++)
            k.poison[i] |= is_followed(&k, fn->sym[i]) && fn->sym[i]->role != AD_COUNTER && fn->sym[i]->type == AD_DOUBLE;
    poison(&k);
}
