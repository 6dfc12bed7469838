/* guards.c - the function that evaluates the guards of another one: its statements, and before each of them what its expressions
 * decide by,
 *
 *     if (y[0] < p[1]) f[0] = a;          g[0] = y[0] < p[1];  g[1] = p[1] - y[0];
 *     else f[0] = b;                      if (y[0] < p[1]) f[0] = a; else f[0] = b;
 *
 * of which only what g needs is left in the end. Inside of loops a site is there once for each iteration, so its outcomes are
 * added up, each with a weight of its own:
 *
 *     for (i ...) f[i] = fmax(y[i], 0);   for (i ...) g[0] += y[i] >= 0 ? 1 + i : 0; */
#include "derive/guards.h"

#include "derive/depends.h"
#include "derive/held.h"
#include "tree/flow.h"
#include "tree/print.h"
#include "tree/rules.h"

#include <costate/costate.h>
#include <ctype.h>
#include <string.h>

enum { DEEPEST = 64, LONGEST = 60 }; /* lazy operands inside each other that are looked into; characters of a text */

typedef struct finder {
    ad_arena *m;
    ad_fn *fn;
    const unsigned char *on; /* what symbols depend on */
    ad_guards found;
    ad_sym *g;         /* the output */
    ad_node *block;    /* statements go here */
    const ad_node *statement, *loop; /* those at hand; loop NULL: none */
    int held;          /* the expression at hand is in place of this condition, counted from 1; 0: of none */
} finder;

/* ---- sites ----------------------------------------------------------------------------------------------------------------- */

/* What a site is: its outcome, and a value that passes 0 where the outcome changes; NULL: there is none. */
typedef struct site {
    ad_node *outcome, *value;
    unsigned is;
} site;

static ad_node *difference(finder *k, const ad_node *a, const ad_node *b)
{
    return ad_sub(k->m, ad_copy(k->m, a, NULL), ad_copy(k->m, b, NULL));
}

static ad_node *at_least(finder *k, const ad_node *a, ad_node *b)
{
    return ad_new(k->m, AD_GE, AD_INT, 2, ad_copy(k->m, a, NULL), ad_copy(k->m, b, NULL));
}

static int site_of_call(finder *k, const ad_node *n, site *s)
{
    ad_node *zero = ad_num(k->m, 0);
    switch (n->rule) {
    case AD_RULE_fabs: *s = (site){at_least(k, n->a, zero), ad_copy(k->m, n->a, NULL), COSTATE_GUARD_CONTINUOUS}; return 1;
    case AD_RULE_fmin:
    case AD_RULE_fmax:
    case AD_RULE_fdim: *s = (site){at_least(k, n->a, n->b), difference(k, n->a, n->b), COSTATE_GUARD_CONTINUOUS}; return 1;
    case AD_RULE_copysign: *s = (site){at_least(k, n->b, zero), ad_copy(k->m, n->b, NULL), 0}; return 1;
    case AD_RULE_floor:
    case AD_RULE_ceil:
    case AD_RULE_trunc:
    case AD_RULE_round: *s = (site){ad_copy(k->m, n, NULL), NULL, 0}; return 1;
    case AD_RULE_fmod:
        *s = (site){ad_call(k->m, AD_RULE_trunc, ad_div(k->m, ad_copy(k->m, n->a, NULL), ad_copy(k->m, n->b, NULL)), NULL),
                    NULL, 0};
        return 1;
    default: return 0;
    }
}

static int is_step(const ad_node *n)
{
    return n->op == AD_CALL && (n->rule == AD_RULE_floor || n->rule == AD_RULE_ceil || n->rule == AD_RULE_trunc ||
                                n->rule == AD_RULE_round);
}

static int site_of(finder *k, const ad_node *n, site *s)
{
    switch (n->op) {
    case AD_LT:
    case AD_LE:
    case AD_GT:
    case AD_GE:
        if (n->a->type != AD_DOUBLE) return 0;
        *s = (site){ad_copy(k->m, n, NULL), NULL, 0};
        s->value = n->op == AD_LT || n->op == AD_LE ? difference(k, n->b, n->a) : difference(k, n->a, n->b);
        return 1;
    case AD_TO_INT:
        if (n->a->type != AD_DOUBLE || is_step(n->a)) return 0; /* floor is one itself */
        *s = (site){ad_call(k->m, AD_RULE_trunc, ad_copy(k->m, n->a, NULL), NULL), NULL, 0};
        return 1;
    case AD_CALL: return site_of_call(k, n, s);
    default: return 0;
    }
}

static int put_user_name(ad_out *o, const ad_node *n, const ad_style *style)
{
    ad_puts(o, n->sym->user ? n->sym->user : n->sym->name);
    if (n->op != AD_ELEM) return 1;
    ad_puts(o, "[");
    ad_put_expr(o, n->index, AD_LEVEL_NONE, style);
    ad_puts(o, "]");
    return 1;
}

/* Without the ".0" of a whole number, which the user did not write. */
static void drop_points(char *text)
{
    char *to = text;
    for (const char *c = text; *c; c++) {
        if (c[0] == '.' && c[1] == '0' && !isalnum((unsigned char)c[2])) c++;
        else *to++ = *c;
    }
    *to = 0;
}

const char *ad_guard_text(ad_arena *m, const ad_node *n)
{
    ad_out o = {.m = m};
    ad_put_expr(&o, n, AD_LEVEL_NONE, &(ad_style){.leaf = put_user_name});
    char *text = ad_text(m, "%s", ad_out_text(&o));
    drop_points(text);
    return strlen(text) <= LONGEST ? text : ad_text(m, "%.*s...", LONGEST - 3, text);
}

/* The number of a new site. */
static int enter(finder *k, const ad_node *n, unsigned is)
{
    ad_guards *f = &k->found;
    const ad_guard new = {n->place.line > 0 ? n->place : k->statement->place, ad_guard_text(k->m, n), ad_depends(k->on, n),
                          is | (k->loop ? COSTATE_GUARD_MANY : 0), k->held, ad_why_not_held(n)};
    if (f->count == AD_MOST_GUARDS) {
        ad_guard *last = &f->guard[f->count - 1];
        *last = (ad_guard){last->place, "one of many", last->on | new.on, (last->is & new.is) | COSTATE_GUARD_MANY, 0, NULL};
        return f->count - 1;
    }
    if (!f->guard) f->guard = ad_take(k->m, AD_MOST_GUARDS * sizeof *f->guard);
    f->guard[f->count] = new;
    return f->count++;
}

static ad_node *output(finder *k, int i)
{
    return ad_elem(k->m, k->g, ad_whole(k->m, i));
}

static ad_node *both(finder *k, ad_node *path, ad_node *e)
{
    return path ? ad_new(k->m, AD_AND, AD_INT, 2, ad_copy(k->m, path, NULL), e) : e;
}

static ad_node *as_double(finder *k, ad_node *n)
{
    return n->type == AD_DOUBLE ? n : ad_new(k->m, AD_TO_DOUBLE, AD_DOUBLE, 1, n);
}

static void append(finder *k, ad_node *block, ad_node *statement)
{
    statement->place = k->statement->place;
    ad_append(k->m, block, statement);
}

/* Outcomes of a site in a loop, or of several. */
static void put_sum(finder *k, int i, const site *s, ad_node *path)
{
    ad_node *weight = ad_num(k->m, i + 1), *zero = ad_num(k->m, 0);
    if (k->loop) weight = ad_add(k->m, ad_num(k->m, 1), as_double(k, ad_use(k->m, k->loop->sym)));
    ad_node *value = s->outcome->type == AD_INT
                         ? ad_new(k->m, AD_COND, AD_DOUBLE, 3, both(k, path, s->outcome), weight, zero)
                         : ad_mul(k->m, s->outcome, weight);
    if (s->outcome->type != AD_INT && path)
        value = ad_new(k->m, AD_COND, AD_DOUBLE, 3, ad_copy(k->m, path, NULL), value, zero);
    append(k, k->block, ad_inc(k->m, output(k, 2 * i), value));
}

static void put_site(finder *k, const ad_node *n, ad_node *path)
{
    site s;
    if (!ad_depends(k->on, n) || !site_of(k, n, &s)) return;
    const int full = k->found.count == AD_MOST_GUARDS, i = enter(k, n, s.is);
    if (full || k->loop) {
        put_sum(k, i, &s, path);
        return;
    }
    ad_node *block = path ? ad_block(k->m) : k->block;
    append(k, block, ad_set(k->m, output(k, 2 * i), as_double(k, s.outcome)));
    if (s.value) append(k, block, ad_set(k->m, output(k, 2 * i + 1), s.value));
    if (path) append(k, k->block, ad_if(k->m, ad_copy(k->m, path, NULL), block, NULL));
}

/* The sites of an expression; path: where it is evaluated, NULL: always. */
static void look(finder *k, const ad_node *n, ad_node *path, int depth)
{
    if (!n || depth > DEEPEST) return;
    const int lazy = n->op == AD_AND || n->op == AD_OR || n->op == AD_COND;
    if (lazy) {
        look(k, n->kid[0], path, depth);
        ad_node *yes = ad_copy(k->m, n->kid[0], NULL), *no = ad_new(k->m, AD_NOT, AD_INT, 1, ad_copy(k->m, yes, NULL));
        look(k, n->kid[1], both(k, path, n->op == AD_OR ? no : yes), depth + 1);
        if (n->op == AD_COND) look(k, n->no, both(k, path, no), depth + 1);
        return;
    }
    const int outer = k->held, held = ad_held_number(n);
    if (held) k->held = held;
    for (int i = 0; i < n->kids; i++) look(k, n->kid[i], path, depth);
    k->held = outer;
    put_site(k, n, path);
}

/* ---- the function ---------------------------------------------------------------------------------------------------------- */

static void walk(finder *k, ad_node *block)
{
    const ad_node old = ad_emptied(block);
    for (int i = 0; i < old.kids; i++) {
        ad_node *s = old.kid[i];
        const ad_node *outer = k->loop;
        k->block = block;
        if (s->op != AD_BLOCK) k->statement = s;
        for (int j = 0; j < ad_inner(s) && s->op != AD_DECL; j++) look(k, s->kid[j], NULL, 0);
        if (s->op == AD_FOR) k->loop = s;
        if (s->op == AD_BLOCK) walk(k, s);
        else
            for (int j = ad_inner(s); j < s->kids; j++)
                if (s->kid[j]) walk(k, s->kid[j]);
        k->loop = outer;
        ad_append(k->m, block, s);
    }
}

/* g in the place of the function's own output, which becomes a local. */
static void exchange_output(finder *k)
{
    ad_fn *fn = k->fn;
    ad_sym *out = fn->out;
    k->g = ad_sym_new(k->m, fn, "guards", AD_DOUBLE, AD_OUTPUT);
    k->g->array = 1;
    for (int i = 0; i < fn->params; i++)
        if (fn->param[i] == out) fn->param[i] = k->g;
    fn->out = k->g;
    fn->returns = 0;
    fn->status = NULL;
    out->role = AD_LOCAL;
    out->slot = NULL;
}

/* Nothing was met so far. */
static ad_node *beginning(finder *k, ad_sym *out)
{
    ad_node *body = ad_block(k->m);
    ad_append(k->m, body, ad_decl(k->m, out));
    for (int i = 0; i < 2 * k->found.count; i++) {
        const int sum = i % 2 == 0 && k->found.guard[i / 2].is & COSTATE_GUARD_MANY;
        ad_append(k->m, body, ad_set(k->m, output(k, i), ad_num(k->m, sum ? 0 : COSTATE_UNMET)));
    }
    return body;
}

ad_guards ad_guards_of(ad_arena *m, const ad_fn *fn)
{
    finder k = {.m = m, .fn = ad_fn_copy(m, fn, NULL), .statement = fn->body};
    ad_sym *out = k.fn->out;
    k.on = ad_depends_of(m, k.fn);
    exchange_output(&k);
    walk(&k, k.fn->body);
    if (!k.found.count) return k.found;
    ad_node *body = beginning(&k, out);
    ad_append_all(m, body, k.fn->body);
    k.fn->body = body;
    k.g->extent = ad_whole(m, 2 * k.found.count);
    k.found.fn = k.fn;
    ad_dead(m, k.fn);
    return k.found;
}
