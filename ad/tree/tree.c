/* tree.c - building, copying and comparing trees. */
#include "tree/tree.h"

#include "base/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- nodes ----------------------------------------------------------------------------------------------------------- */

static ad_node *node(ad_arena *m, ad_op op, ad_type type, int kids)
{
    ad_node *n = ad_take(m, sizeof *n);
    n->op = op;
    n->type = type;
    n->kids = n->room = kids;
    const int named = op != AD_BLOCK && kids <= 3;
    if (kids) n->kid = named ? n->named : ad_take(m, (size_t)kids * sizeof *n->kid);
    return n;
}

ad_node *ad_new(ad_arena *m, ad_op op, ad_type type, int kids, ...)
{
    ad_node *n = node(m, op, type, kids);
    va_list args;
    va_start(args, kids);
    for (int i = 0; i < kids; i++) n->kid[i] = va_arg(args, ad_node *);
    va_end(args);
    return n;
}

ad_node *ad_num(ad_arena *m, double real)
{
    ad_node *n = node(m, AD_NUM, AD_DOUBLE, 0);
    n->real = real;
    return n;
}

ad_node *ad_whole(ad_arena *m, int64_t whole)
{
    ad_node *n = node(m, AD_WHOLE, AD_INT, 0);
    n->whole = whole;
    return n;
}

ad_node *ad_zero(ad_arena *m, const ad_sym *s)
{
    return s->type == AD_INT ? ad_whole(m, 0) : ad_num(m, 0);
}

ad_node *ad_use(ad_arena *m, ad_sym *s)
{
    ad_node *n = node(m, AD_NAME, s->type, 0);
    n->sym = s;
    return n;
}

ad_node *ad_elem(ad_arena *m, ad_sym *s, ad_node *index)
{
    ad_node *n = node(m, AD_ELEM, s->type, 1);
    n->sym = s;
    n->index = index;
    return n;
}

ad_node *ad_decl(ad_arena *m, ad_sym *s)
{
    ad_node *n = node(m, AD_DECL, s->type, 0);
    n->sym = s;
    n->place = s->place;
    return n;
}

static ad_node *assignment(ad_arena *m, ad_op op, ad_node *target, ad_node *value)
{
    ad_node *n = node(m, op, target->type, 2);
    n->target = target;
    n->value = value;
    n->place = value->place;
    return n;
}

ad_node *ad_set(ad_arena *m, ad_node *target, ad_node *value)
{
    return assignment(m, AD_SET, target, value);
}

ad_node *ad_inc(ad_arena *m, ad_node *target, ad_node *value)
{
    return assignment(m, AD_INC, target, value);
}

ad_node *ad_if(ad_arena *m, ad_node *condition, ad_node *yes, ad_node *no)
{
    ad_node *n = node(m, AD_IF, AD_INT, 3);
    n->condition = condition;
    n->yes = yes;
    n->no = no;
    return n;
}

ad_node *ad_for(ad_arena *m, ad_sym *counter, ad_node *first, ad_node *end, int64_t step, ad_node *body)
{
    ad_node *n = node(m, AD_FOR, AD_INT, 3);
    n->sym = counter;
    n->first = first;
    n->end = end;
    n->step = step;
    n->body = body;
    return n;
}

ad_node *ad_for_like(ad_arena *m, const ad_node *loop, ad_node *first, ad_node *end, int64_t step, ad_node *body)
{
    ad_node *n = ad_for(m, loop->sym, first, end, step, body);
    n->place = loop->place;
    return n;
}

ad_node *ad_block(ad_arena *m)
{
    return node(m, AD_BLOCK, AD_INT, 0);
}

void ad_append(ad_arena *m, ad_node *block, ad_node *statement)
{
    if (!statement) return;
    if (block->kids >= block->room) {
        int room = block->kids < 2 ? 4 : 2 * block->kids;
        block->kid = ad_grow(m, block->kid, (size_t)block->kids * sizeof *block->kid, (size_t)room * sizeof *block->kid);
        block->room = room;
    }
    block->kid[block->kids++] = statement;
}

void ad_append_all(ad_arena *m, ad_node *block, const ad_node *from)
{
    for (int i = 0; i < from->kids; i++) ad_append(m, block, from->kid[i]);
}

void ad_declare_zero(ad_arena *m, ad_node *block, ad_sym *s)
{
    ad_append(m, block, ad_decl(m, s));
    ad_append(m, block, ad_set(m, ad_use(m, s), ad_zero(m, s)));
}

ad_node ad_emptied(ad_node *block)
{
    const ad_node old = *block;
    block->kid = NULL;
    block->kids = block->room = 0;
    return old;
}

ad_node *ad_copy(ad_arena *m, const ad_node *n, ad_sym *const *map)
{
    if (!n) return NULL;
    ad_node *c = node(m, n->op, n->type, n->kids);
    ad_node **kid = c->kid;
    *c = *n;
    c->kid = kid;
    c->room = n->kids;
    if (n->sym && map && map[n->sym->number]) c->sym = map[n->sym->number];
    for (int i = 0; i < n->kids; i++) c->kid[i] = ad_copy(m, n->kid[i], map);
    return c;
}

int ad_same(const ad_node *a, const ad_node *b)
{
    if (a == b) return 1;
    if (!a || !b || a->op != b->op || a->type != b->type || a->sym != b->sym || a->kids != b->kids) return 0;
    if (a->op == AD_NUM && memcmp(&a->real, &b->real, sizeof a->real) != 0) return 0;
    if (a->op == AD_WHOLE && a->whole != b->whole) return 0;
    if (a->op == AD_FOR && a->step != b->step) return 0;
    if (a->op == AD_CALL && a->rule != b->rule) return 0;
    const int worded = a->op == AD_RAW || a->op == AD_TO_INT || a->op == AD_TO_DOUBLE || a->op == AD_CALL;
    if (worded && strcmp(a->text ? a->text : "", b->text ? b->text : "") != 0) return 0;
    for (int i = 0; i < a->kids; i++)
        if (!ad_same(a->kid[i], b->kid[i])) return 0;
    return 1;
}

int ad_uses(const ad_node *n, const ad_sym *s)
{
    if (!n) return 0;
    if (n->sym == s) return 1;
    for (int i = 0; i < n->kids; i++)
        if (ad_uses(n->kid[i], s)) return 1;
    return 0;
}

int ad_size(const ad_node *n)
{
    if (!n) return 0;
    int count = n->op != AD_DECL && n->op != AD_NOTE && n->op != AD_BLOCK;
    for (int i = ad_inner(n); i < n->kids; i++) count += ad_size(n->kid[i]);
    return count;
}

int ad_contains(const ad_node *n, ad_op op)
{
    if (!n) return 0;
    if (n->op == op) return 1;
    for (int i = ad_inner(n); i < n->kids; i++)
        if (ad_contains(n->kid[i], op)) return 1;
    return 0;
}

int ad_has_lanes(const ad_node *e)
{
    if (e->op == AD_NAME || e->op == AD_ELEM) return e->sym->lane;
    for (int i = 0; i < e->kids; i++)
        if (ad_has_lanes(e->kid[i])) return 1;
    return 0;
}

int ad_is_held(const ad_node *n)
{
    static const char holds[] = "costate_holds(";
    return n->op == AD_RAW && n->text && strncmp(n->text + (*n->text == '!'), holds, sizeof holds - 1) == 0;
}

int ad_on_lanes(const ad_node *n)
{
    if (!n) return 0;
    if ((n->op == AD_SET || n->op == AD_INC) && n->target->sym->lane) return 1;
    for (int i = ad_inner(n); i < n->kids; i++)
        if (ad_on_lanes(n->kid[i])) return 1;
    return 0;
}

/* ---- symbols ----------------------------------------------------------------------------------------------------------- */

/* The names in use: a hash table with open addressing. It belongs to one ad_fn; a copy of the struct gets its own at the next
 * new symbol. */
typedef struct entry {
    const char *name;
    int next; /* number that the next copy of this name tries */
} entry;
typedef struct names {
    const ad_fn *owner;
    int known;          /* symbols of the owner that are entered */
    size_t size, used;  /* size is a power of 2 */
    entry *slot;
} names;

/* Words that a symbol cannot be called: C's, macros, the functions of rules.def, whose calls a symbol of that name would hide,
 * and what the emitted code itself uses. */
static const char *const taken[] = {
    "auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum", "extern", "float", "for",
    "goto", "if", "inline", "int", "long", "register", "restrict", "return", "short", "signed", "sizeof", "static", "struct",
    "switch", "typedef", "union", "unsigned", "void", "volatile", "while", "bool", "true", "false", "NULL", "INFINITY", "NAN",
    "linux", "unix", "asm", "typeof", "errno", "isnan", "l_", "blocks", "ld", "lanes", "work", "mark", "locals", "zeros", "LANES",
    "t_", "y_", "p_", "sink_", "value_", "i_", "done_",
#define AD_RULE1(name, da) #name,
#define AD_RULE2(name, da, db) #name,
#define AD_KINK1(name, da, where, taken) #name,
#define AD_KINK2(name, da, db, where, taken) #name,
#include "tree/rules.def"
#undef AD_RULE1
#undef AD_RULE2
#undef AD_KINK1
#undef AD_KINK2
};

static entry *find(const names *t, const char *name)
{
    uint64_t h = 1469598103934665603u;
    for (const char *c = name; *c; c++) h = (h ^ (unsigned char)*c) * 1099511628211u;
    size_t i = (size_t)(h ^ h >> 32) & (t->size - 1);
    while (t->slot[i].name && strcmp(t->slot[i].name, name) != 0) i = (i + 1) & (t->size - 1);
    return &t->slot[i];
}

static void enter(ad_arena *m, names *t, const char *name)
{
    if (2 * (t->used + 1) > t->size) {
        names larger = *t;
        larger.size = t->size ? 2 * t->size : 512;
        larger.slot = ad_take(m, larger.size * sizeof *larger.slot);
        for (size_t i = 0; i < t->size; i++)
            if (t->slot[i].name) *find(&larger, t->slot[i].name) = t->slot[i];
        *t = larger;
    }
    entry *e = find(t, name);
    if (!e->name) {
        *e = (entry){name, 2};
        t->used++;
    }
}

static names *names_of(ad_arena *m, ad_fn *fn)
{
    names *t = fn->names;
    if (!t || t->owner != fn) {
        t = fn->names = ad_take(m, sizeof *t);
        t->owner = fn;
        for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) enter(m, t, taken[i]);
    }
    while (t->known < fn->syms) enter(m, t, fn->sym[t->known++]->name);
    return t;
}

static const char *unique(ad_arena *m, names *t, const char *name)
{
    entry *e = find(t, name);
    if (!e->name) return name;
    for (;;) {
        const char *numbered = ad_text(m, "%s_%d", name, e->next++);
        if (!find(t, numbered)->name) return numbered;
    }
}

static void add(ad_arena *m, ad_fn *fn, ad_sym *s)
{
    if (fn->syms >= fn->room) {
        int room = fn->room < 16 ? 32 : 2 * fn->room;
        fn->sym = ad_grow(m, fn->sym, (size_t)fn->syms * sizeof *fn->sym, (size_t)room * sizeof *fn->sym);
        fn->room = room;
    }
    s->number = fn->syms;
    fn->sym[fn->syms++] = s;
}

ad_sym *ad_sym_new(ad_arena *m, ad_fn *fn, const char *name, ad_type type, ad_role role)
{
    ad_sym *s = ad_take(m, sizeof *s);
    s->name = unique(m, names_of(m, fn), name);
    s->type = type;
    s->ctype = type == AD_INT ? "int" : "double";
    s->role = role;
    add(m, fn, s);
    return s;
}

ad_fn *ad_fn_copy(ad_arena *m, const ad_fn *f, ad_sym ***map)
{
    ad_fn *c = ad_take(m, sizeof *c);
    ad_sym **to = ad_take(m, ((size_t)f->syms + 1) * sizeof *to);
    *c = *f;
    c->sym = NULL;
    c->syms = c->room = 0;
    c->names = NULL;
    for (int i = 0; i < f->syms; i++) {
        to[i] = ad_take(m, sizeof *to[i]);
        *to[i] = *f->sym[i];
        add(m, c, to[i]);
    }
    for (int i = 0; i < f->syms; i++) to[i]->extent = ad_copy(m, f->sym[i]->extent, to);
    for (int i = 0; i < f->params; i++) c->param[i] = to[f->param[i]->number];
    ad_sym **const role[] = {&c->t,      &c->y, &c->p,  &c->out, &c->k,      &c->data,
                             &c->mode,   &c->nth, &c->held,
                             &c->status, &c->u, &c->yb, &c->pb,  &c->points, &c->point};
    for (size_t i = 0; i < sizeof role / sizeof *role; i++)
        if (*role[i]) *role[i] = to[(*role[i])->number];
    c->body = ad_copy(m, f->body, to);
    if (map) *map = to;
    return c;
}

/* ---- slots ------------------------------------------------------------------------------------------------------------- */

const char *ad_slot(const ad_fn *fn, const ad_sym *s)
{
    if (s->slot) return s->slot;
    const ad_sym *const known[] = {fn->t, fn->y, fn->p, fn->out, fn->k, fn->data, fn->u,
                                   fn->yb, fn->pb, fn->mode, fn->nth, fn->held};
    static const char *const slot[] = {"t", "y", "p", "out", "k", "data", "u", "yb", "pb", "mode", "i", "held"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (s == known[i]) return slot[i];
    return NULL;
}

ad_sym *ad_at_slot(const ad_fn *fn, const char *slot)
{
    for (int i = 0; i < fn->params; i++) {
        const char *own = ad_slot(fn, fn->param[i]);
        if (own && strcmp(own, slot) == 0) return fn->param[i];
    }
    return NULL;
}
