/* pattern.c - the same control flow with every double replaced by the set of states and parameters it depends on:
 *
 *   x = e    x := union of the sets of e's leaves         y[i]   {i}
 *   x += e   x := x + that union                           p[k]   {states + k}
 *
 * An integer or a condition is sure if neither t nor y nor p has a say in it; it is then evaluated as it is. Where a condition
 * is not sure both branches are taken, and what is assigned there is added to what was there before. An element with an index
 * that is not sure is any element of its array. The bound of a loop that is not sure makes the pattern full. Straight-line
 * code is evaluated here already (pattern_known.c). Indices are checked, for a branch that is taken unasked may leave an
 * array. */
#include "emit/pattern.h"

#include "base/arena.h"
#include "emit/emit.h"
#include "emit/pattern_in.h"
#include "tree/rules.h"

#include <string.h>

typedef struct pattern {
    ad_arena *m;
    const ad_fn *f;   /* the function */
    ad_fn *fn;        /* the skeleton that is made of it; its symbols have the same numbers */
    int states, params;
    unsigned char *varied; /* by symbol: has a set */
    unsigned char *unsure;
    unsigned char *needed; /* sure, and the skeleton uses it */
    int *home;             /* by symbol: branches taken unasked around its declaration */
    int full;              /* 1: the bound of a loop is not sure */
    int weak;              /* within branches that are taken unasked */
    int jumps;             /* gotos to done_ */
} pattern;

/* ---- what depends on what ------------------------------------------------------------------------------------------------ */

static int is_varied(pattern *w, const ad_node *e)
{
    if (e->type != AD_DOUBLE || e->op == AD_RAW || e->op == AD_TO_DOUBLE) return 0;
    if (e->op == AD_NAME || e->op == AD_ELEM) return w->varied[e->sym->number];
    for (int i = e->op == AD_COND; i < e->kids; i++)
        if (is_varied(w, e->kid[i]) && (e->op != AD_CALL || ad_rule_passes(w->m, e, i))) return 1;
    return 0;
}

static int is_unsure(const pattern *w, const ad_node *e)
{
    if (e->sym && w->unsure[e->sym->number]) return 1;
    for (int i = 0; i < e->kids; i++)
        if (is_unsure(w, e->kid[i])) return 1;
    return 0;
}

static int mark(unsigned char *set, const ad_sym *s)
{
    if (set[s->number]) return 0;
    return set[s->number] = 1;
}

/* unasked: branches around n that are taken without knowing. What lives inside one and is assigned there has the value it
 * would have if the branch were taken. 1: something was marked. */
static int spread(pattern *w, const ad_node *n, int unasked)
{
    int more = 0;
    if (!n) return 0;
    switch (n->op) {
    case AD_DECL: w->home[n->sym->number] = unasked; return 0;
    case AD_SET:
    case AD_INC:
        if (is_varied(w, n->value)) more |= mark(w->varied, n->target->sym);
        if (unasked > w->home[n->target->sym->number] || is_unsure(w, n->value) ||
            (n->target->op == AD_ELEM && is_unsure(w, n->target->index)))
            more |= mark(w->unsure, n->target->sym);
        return more;
    case AD_IF: unasked += is_unsure(w, n->condition); break;
    case AD_FOR: w->full |= is_unsure(w, n->first) || is_unsure(w, n->end); break;
    default: break;
    }
    for (int i = ad_inner(n); i < n->kids; i++) more |= spread(w, n->kid[i], unasked);
    return more;
}

/* ---- sets ---------------------------------------------------------------------------------------------------------------- */

static ad_node *raw(pattern *w, const char *text, const ad_node *kid, const ad_node *second)
{
    ad_node *n = ad_new(w->m, AD_RAW, AD_INT, (kid != NULL) + (second != NULL), ad_copy(w->m, kid ? kid : second, NULL),
                        ad_copy(w->m, second, NULL));
    n->text = text;
    return n;
}

/* C text of the number of elements of an array that has sets, or is y or p. */
static const char *extent(const pattern *w, const ad_sym *s)
{
    if (s == w->f->y) return ad_text(w->m, "%d", w->states);
    if (s == w->f->p) return ad_text(w->m, "%d", w->params);
    if (s == w->f->out) return "sink_->rows";
    return ad_text(w->m, "(ptrdiff_t)%s_count", s->name);
}

static const char *set_of(const pattern *w, const ad_sym *s)
{
    return s == w->f->out ? "sink_->row" : s->name;
}

/* `what` for the element with this index, if there is one; index NULL: for each. */
static ad_node *for_element(pattern *w, const char *size, const char *what, const ad_node *index)
{
    if (!index) return raw(w, ad_text(w->m, "for (ptrdiff_t i_ = 0; i_ < %s; i_++) %s", size, what), NULL, NULL);
    if (ad_literal(index, NULL)) return raw(w, what, index, NULL);
    return raw(w, ad_text(w->m, "if (costate_within((ptrdiff_t)(%%), %s)) %s", size, what), index, index);
}

/* to gets what the leaf depends on. */
static void add_leaf(pattern *w, ad_node *out, const char *to, const ad_node *leaf)
{
    const ad_sym *s = leaf->sym;
    const int state = s == w->f->y, given = state || s == w->f->p;
    if (leaf->op == AD_NAME) {
        ad_append(w->m, out, raw(w, ad_text(w->m, "costate_set_join(sink_, %s, &%s);", to, s->name), NULL, NULL));
        return;
    }
    const ad_node *index = leaf->index;
    const int any = is_unsure(w, index);
    const char *size = extent(w, s);
    const char *at = any ? "i_" : "%";
    const char *what = given ? ad_text(w->m, "costate_set_add_%s(sink_, %s, (int)(%s));", state ? "state" : "param", to, at)
                             : ad_text(w->m, "costate_set_join(sink_, %s, &%s[%s]);", to, set_of(w, s), at);
    ad_append(w->m, out, for_element(w, size, what, any ? NULL : index));
}

static void add_leaves(pattern *w, ad_node *out, const char *to, const ad_node *e)
{
    if (!is_varied(w, e)) return;
    if (e->op == AD_NAME || e->op == AD_ELEM) {
        if (e->sym->role != AD_INPUT || e->sym == w->f->y || e->sym == w->f->p) add_leaf(w, out, to, e);
        return;
    }
    if (e->op == AD_COND && !is_unsure(w, e->condition)) {
        ad_node *arm[2] = {ad_block(w->m), ad_block(w->m)};
        for (int i = 0; i < 2; i++) add_leaves(w, arm[i], to, e->kid[1 + i]);
        ad_append(w->m, out, ad_if(w->m, ad_copy(w->m, e->condition, NULL), arm[0], arm[1]));
        return;
    }
    for (int i = e->op == AD_COND; i < e->kids; i++)
        if (e->op != AD_CALL || ad_rule_passes(w->m, e, i)) add_leaves(w, out, to, e->kid[i]);
}

/* The sets are made in value_ first: a[i] = a[j] + 1 reads and writes one array. */
static void assign(pattern *w, ad_node *out, const ad_node *s)
{
    const ad_node *target = s->target;
    const int add = s->op == AD_INC || w->weak > w->home[target->sym->number];
    if (target->op == AD_NAME && (add || !ad_uses(s->value, target->sym))) {
        const char *to = ad_text(w->m, "&%s", target->sym->name);
        if (!add) ad_append(w->m, out, raw(w, ad_text(w->m, "costate_set_clear(%s);", to), NULL, NULL));
        add_leaves(w, out, to, s->value);
        return;
    }
    ad_append(w->m, out, raw(w, "costate_set_clear(&value_);", NULL, NULL));
    add_leaves(w, out, "&value_", s->value);
    if (target->op == AD_NAME) {
        ad_append(w->m, out, raw(w, ad_text(w->m, "costate_set_copy(sink_, &%s, &value_);", target->sym->name), NULL, NULL));
        return;
    }
    const int any = is_unsure(w, target->index);
    const char *size = extent(w, target->sym);
    const char *what = ad_text(w->m, "costate_set_%s(sink_, &%s[%s], &value_);", add || any ? "join" : "copy",
                               set_of(w, target->sym), any ? "i_" : "%");
    ad_append(w->m, out, for_element(w, size, what, any ? NULL : target->index));
}

/* ---- the skeleton -------------------------------------------------------------------------------------------------------- */

static ad_node *block(pattern *w, const ad_node *b);

static void declare(pattern *w, ad_node *out, const ad_sym *s)
{
    if (!w->varied[s->number]) {
        if (!w->unsure[s->number]) ad_append(w->m, out, ad_decl(w->m, w->fn->sym[s->number]));
    } else if (!s->array) {
        ad_append(w->m, out, raw(w, ad_text(w->m, "costate_set_clear(&%s);", s->name), NULL, NULL));
    } else {
        w->jumps++;
        ad_append(w->m, out, raw(w, ad_text(w->m, "costate_sets_free(%s, %s_count);", s->name, s->name), NULL, NULL));
        ad_append(w->m, out, raw(w, ad_text(w->m, "%s_count = (size_t)(%%);", s->name), s->extent, NULL));
        ad_append(w->m, out, raw(w, ad_text(w->m, "%s = costate_sets_new(sink_, %s_count);", s->name, s->name), NULL, NULL));
        ad_append(w->m, out, raw(w, ad_text(w->m, "if (!%s) goto done_;", s->name), NULL, NULL));
    }
}

static void statement(pattern *w, ad_node *out, const ad_node *s)
{
    ad_arena *m = w->m;
    switch (s->op) {
    case AD_DECL: declare(w, out, s->sym); return;
    case AD_SET:
    case AD_INC:
        if (w->varied[s->target->sym->number]) assign(w, out, s);
        else if (!w->unsure[s->target->sym->number]) ad_append(m, out, ad_copy(m, s, NULL));
        return;
    case AD_IF: {
        const int unasked = is_unsure(w, s->condition);
        w->weak += unasked;
        ad_node *yes = block(w, s->yes), *no = s->no ? block(w, s->no) : NULL;
        w->weak -= unasked;
        if (unasked) {
            ad_append(m, out, yes->kids ? yes : NULL);
            ad_append(m, out, no && no->kids ? no : NULL);
        } else if (yes->kids || (no && no->kids)) {
            ad_append(m, out, ad_if(m, ad_copy(m, s->condition, NULL), yes, no));
        }
        return;
    }
    case AD_FOR: {
        ad_node *body = block(w, s->body);
        if (body->kids == 0) return;
        ad_append(m, out, ad_for(m, s->sym, ad_copy(m, s->first, NULL), ad_copy(m, s->end, NULL), s->step, body));
        return;
    }
    case AD_BLOCK: ad_append(m, out, block(w, s)); return;
    default: return;
    }
}

static ad_node *block(pattern *w, const ad_node *b)
{
    ad_node *out = ad_block(w->m);
    for (int i = 0; i < b->kids; i++) {
        int first = out->kids;
        statement(w, out, b->kid[i]);
        for (int j = first; j < out->kids; j++) out->kid[j]->place = b->kid[i]->place;
    }
    return out;
}

/* ---- what the skeleton does not need ------------------------------------------------------------------------------------- */

static int need_expr(pattern *w, const ad_node *e)
{
    int more = 0;
    if (!e) return 0;
    if (e->sym && e->sym->role == AD_LOCAL) more = mark(w->needed, e->sym);
    for (int i = 0; i < e->kids; i++) more |= need_expr(w, e->kid[i]);
    return more;
}

/* 1: something of n is left when what nobody needs is gone. */
static int left(const pattern *w, const ad_node *n)
{
    if (!n) return 0;
    if (n->op == AD_DECL) return w->needed[n->sym->number];
    if (n->op == AD_SET || n->op == AD_INC) return w->needed[n->target->sym->number];
    for (int i = ad_inner(n); i < n->kids; i++)
        if (left(w, n->kid[i])) return 1;
    return n->op != AD_BLOCK && n->op != AD_IF && n->op != AD_FOR;
}

static int need(pattern *w, const ad_node *n)
{
    if (!n || !left(w, n)) return 0;
    if (n->op == AD_DECL) return need_expr(w, n->sym->extent);
    int more = 0;
    for (int i = 0; i < ad_inner(n); i++) more |= need_expr(w, n->kid[i]);
    for (int i = ad_inner(n); i < n->kids; i++) more |= need(w, n->kid[i]);
    return more;
}

static void prune(const pattern *w, ad_node *n)
{
    if (!n) return;
    int kept = 0;
    for (int i = ad_inner(n); i < n->kids; i++) prune(w, n->kid[i]);
    for (int i = 0; n->op == AD_BLOCK && i < n->kids; i++)
        if (left(w, n->kid[i])) n->kid[kept++] = n->kid[i];
    if (n->op == AD_BLOCK) n->kids = kept;
}

/* ---- the function -------------------------------------------------------------------------------------------------------- */

static void put_sets(pattern *w, ad_out *o, int end)
{
    for (int i = 0; i < w->f->syms; i++) {
        const ad_sym *s = w->f->sym[i];
        if (!w->varied[i] || s->role != AD_LOCAL) continue;
        const char *const text[2][2] = {{"    costate_index_set %s = {0};\n", "    costate_set_free(&%s);\n"},
                                        {"    costate_index_set *%s = NULL;\n    size_t %s_count = 0;\n",
                                         "    costate_sets_free(%s, %s_count);\n"}};
        ad_put(o, text[s->array][end], s->name, s->name);
    }
    if (end) ad_puts(o, "    costate_set_free(&value_);\n    return sink_->failed ? -1 : 0;\n}\n\n");
    else ad_puts(o, "    costate_index_set value_ = {0};\n");
}

static void put_ints(ad_out *o, const char *name, const char *what, const int *value, int count)
{
    ad_put(o, "static const int %s_%s[] = {", name, what);
    for (int i = 0; i < count; i++) ad_put(o, "%s%d", i == 0 ? "" : i % 24 ? ", " : ",\n    ", value[i]);
    ad_puts(o, count ? "};\n" : "0};\n");
}

static void put_known(ad_out *o, const char *name)
{
    ad_puts(o, "    for (int i = 0; i < sink_->rows; i++)\n");
    ad_put(o, "        for (int k = %s_start[i]; k < %s_start[i + 1]; k++) {\n", name, name);
    ad_put(o, "            const int j = %s_item[k];\n", name);
    ad_puts(o, "            if (j < sink_->states) costate_set_add_state(sink_, &sink_->row[i], j);\n"
               "            else costate_set_add_param(sink_, &sink_->row[i], j - sink_->states);\n        }\n"
               "    return sink_->failed ? -1 : 0;\n}\n\n");
}

static void put_full(pattern *w, ad_out *o)
{
    ad_puts(o, "    for (int i_ = 0; i_ < sink_->rows; i_++) {\n");
    ad_put(o, "        for (int j_ = 0; j_ < %d; j_++) costate_set_add_state(sink_, &sink_->row[i_], j_);\n", w->states);
    if (w->params)
        ad_put(o, "        for (int j_ = 0; j_ < %d; j_++) costate_set_add_param(sink_, &sink_->row[i_], j_);\n", w->params);
    ad_puts(o, "    }\n    return sink_->failed ? -1 : 0;\n}\n\n");
}

void ad_put_pattern(ad_out *o, const ad_fn *fn, const char *name, int states, int params, int modal)
{
    ad_arena *m = o->m;
    pattern w = {.m = m, .f = fn, .fn = ad_take(m, sizeof *w.fn), .states = states, .params = params};
    const size_t syms = (size_t)fn->syms + 1;
    w.varied = ad_take(m, syms), w.unsure = ad_take(m, syms), w.needed = ad_take(m, syms);
    w.home = ad_take(m, syms * sizeof *w.home);
    *w.fn = *fn;
    w.fn->names = NULL;
    const ad_sym *const given[] = {fn->mode, fn->held, fn->t, fn->y, fn->p};
    for (int i = 0; i < 5; i++) {
        if (!given[i]) continue;
        mark(w.unsure, given[i]);
        if (i > 2) mark(w.varied, given[i]);
    }
    if (fn->out) mark(w.unsure, fn->out); /* the skeleton has its sets, not its values */
    while (spread(&w, fn->body, 0)) continue;

    int *start, *item;
    const int known = ad_pattern_known(m, fn, states, params, states, &start, &item);
    if (known) {
        put_ints(o, name, "start", start, states + 1);
        put_ints(o, name, "item", item, start[states]);
    }
    const char *end[] = {";\n", "\n{\n"};
    for (int i = 0; i < 2; i++)
        ad_put(o, "int %s(double t_, const double *y_, const double *p_, costate_pattern_sink *sink_, void *%s)%s", name,
               fn->data && !modal ? fn->data->name : "data_", end[i]);
    if (known) {
        put_known(o, name);
        return;
    }
    if (w.full) {
        put_full(&w, o);
        return;
    }
    if (fn->out) mark(w.varied, fn->out);
    w.fn->body = block(&w, fn->body);
    while (need(&w, w.fn->body)) continue;
    prune(&w, w.fn->body);
    put_sets(&w, o, 0);
    if (fn->data && modal) ad_put(o, "    __attribute__((unused)) void *%s = costate_data(data_);\n", fn->data->name);
    ad_emit_body(o, w.fn);
    if (w.jumps) ad_puts(o, "done_:\n");
    put_sets(&w, o, 1);
}
