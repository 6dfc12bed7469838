/* held_events.c - the guards of conditions behind those of the model, in its `event`, and their times behind its own. The numbers
 * of conditions are those of guards first, then those at known times. */
#include "derive/held_in.h"

#include "base/out.h"
#include "tree/flow.h"
#include "tree/loops.h"

#include <costate/costate.h>
#include <string.h>

void held_parameter(ad_arena *m, ad_fn *fn)
{
    fn->held = ad_sym_new(m, fn, "modal_", AD_INT, AD_INPUT);
    fn->held->ctype = "const costate_modal *";
    fn->param[fn->params++] = fn->held;
}

/* ---- numbers --------------------------------------------------------------------------------------------------------------- */

static void number_sites(held_list *l)
{
    int next[2] = {0, l->held};
    for (int i = 0; i < l->sites; i++) {
        held_site *s = &l->site[i];
        s->base->whole = s->first = next[s->timed];
        next[s->timed] += s->count;
    }
}

/* ---- a function that takes in others --------------------------------------------------------------------------------------- */

static ad_sym *parameter(ad_arena *m, ad_fn *fn, const char *name, ad_role role, ad_sym **member)
{
    ad_sym *s = ad_sym_new(m, fn, name, AD_DOUBLE, role);
    s->array = 1;
    *member = fn->param[fn->params++] = s;
    return s;
}

/* void event(t, y, p, e), or void event_times(p, tau), with nothing in it. */
static ad_fn *empty(const held_list *l, const char *name, int of_states, int rows)
{
    ad_arena *m = l->m;
    ad_fn *fn = ad_take(m, sizeof *fn);
    fn->name = name;
    fn->body = ad_block(m);
    if (of_states) parameter(m, fn, "t", AD_INPUT, &fn->t)->array = 0;
    if (of_states) parameter(m, fn, "y", AD_INPUT, &fn->y)->extent = ad_whole(m, l->model->states);
    parameter(m, fn, "p", AD_INPUT, &fn->p)->extent = ad_whole(m, l->model->params);
    parameter(m, fn, of_states ? "e" : "tau", AD_OUTPUT, &fn->out)->extent = ad_whole(m, rows);
    return fn;
}

/* The parameter of `to` for one of `from`; a mode, the user's data or what is held, it gets where it has none. */
static ad_sym *counterpart(ad_arena *m, ad_fn *to, const ad_sym *s, const char *slot)
{
    ad_sym *found = ad_at_slot(to, slot);
    if (found) return found;
    if (strcmp(slot, "held") == 0) return held_parameter(m, to), to->held;
    found = ad_sym_new(m, to, s->name, s->type, s->role);
    found->ctype = s->ctype;
    to->param[to->params++] = found;
    *(strcmp(slot, "mode") == 0 ? &to->mode : &to->data) = found;
    return found;
}

/* Symbols of `from` as those of `to`. */
static ad_sym **taken_in(ad_arena *m, ad_fn *to, const ad_fn *from, const ad_sym *output)
{
    ad_sym **map = ad_take(m, ((size_t)from->syms + 1) * sizeof *map);
    for (int i = 0; i < from->syms; i++) {
        ad_sym *s = from->sym[i];
        const char *slot = s->role == AD_INPUT ? ad_slot(from, s) : NULL;
        if (s == output) map[i] = to->out;
        else if (slot) map[i] = counterpart(m, to, s, slot);
        else {
            ad_sym *own = map[i] = ad_sym_new(m, to, s->name, s->type, s->role);
            own->array = s->array;
            own->ctype = s->ctype;
            own->text = s->text;
            own->user = s->user;
            own->place = s->place;
            if (s->role == AD_CONST) own->name = s->name;
        }
    }
    for (int i = 0; i < from->syms; i++)
        if (map[i] != to->out && from->sym[i]->role != AD_INPUT) map[i]->extent = ad_copy(m, from->sym[i]->extent, map);
    return map;
}

/* ---- guards ---------------------------------------------------------------------------------------------------------------- */

typedef struct guarding {
    const held_list *list;
    ad_arena *m;
    ad_fn *fn;    /* a copy of the function */
    ad_sym **map; /* from the function's symbols to those of the copy */
    ad_sym *e;    /* what its guards go to */
    int behind;   /* guards of the user */
    ad_node *block;
    ad_place place;
} guarding;

static void put(guarding *k, ad_node *block, ad_node *statement)
{
    statement->place = k->place;
    ad_append(k->m, block, statement);
}

/* What is positive where condition n holds. */
static ad_node *value_of(guarding *k, const ad_node *n)
{
    ad_arena *m = k->m;
    const ad_node *now = n->kid[1];
    const int greater = now->op == AD_GT || now->op == AD_GE, number = ad_held_number(n) - 1;
    for (int i = 0; i < k->list->sites; i++) {
        const held_site *s = &k->list->site[i];
        if (s->guard && !s->timed && s->first == number) return ad_copy(m, s->guard, k->map);
    }
    return ad_sub(m, ad_copy(m, greater ? now->a : now->b, NULL), ad_copy(m, greater ? now->b : now->a, NULL));
}

/* It, where the condition is come by. */
static void put_guard(guarding *k, const ad_node *n, const ad_node *path)
{
    ad_arena *m = k->m;
    ad_node *value = value_of(k, n);
    ad_node *index = ad_add(m, ad_copy(m, n->kid[0], NULL), ad_whole(m, k->behind));
    ad_node *set = ad_set(m, ad_elem(m, k->e, index), value);
    if (!path) {
        put(k, k->block, set);
        return;
    }
    ad_node *block = ad_block(m);
    put(k, block, set);
    put(k, k->block, ad_if(m, ad_copy(m, path, NULL), block, NULL));
}

static ad_node *both(guarding *k, const ad_node *path, ad_node *e)
{
    return path ? ad_new(k->m, AD_AND, AD_INT, 2, ad_copy(k->m, path, NULL), e) : e;
}

static void look(guarding *k, const ad_node *n, const ad_node *path)
{
    if (!n) return;
    if (n->op == AD_AND || n->op == AD_OR || n->op == AD_COND) {
        ad_node *yes = ad_copy(k->m, n->kid[0], NULL), *no = ad_new(k->m, AD_NOT, AD_INT, 1, ad_copy(k->m, yes, NULL));
        look(k, n->kid[0], path);
        look(k, n->kid[1], both(k, path, n->op == AD_OR ? no : yes));
        if (n->op == AD_COND) look(k, n->no, both(k, path, no));
        return;
    }
    for (int i = 0; i < n->kids; i++) look(k, n->kid[i], path);
    if (ad_held_number(n) && n->whole) put_guard(k, n, path);
}

static void walk(guarding *k, ad_node *block)
{
    const ad_node old = ad_emptied(block);
    for (int i = 0; i < old.kids; i++) {
        ad_node *s = old.kid[i];
        k->block = block;
        k->place = s->place;
        for (int j = 0; j < ad_inner(s) && s->op != AD_DECL; j++) look(k, s->kid[j], NULL);
        if (s->op == AD_BLOCK) walk(k, s);
        else
            for (int j = ad_inner(s); j < s->kids; j++)
                if (s->kid[j]) walk(k, s->kid[j]);
        ad_append(k->m, block, s);
    }
}

/* Behind what `event` does: all of the function that its guards need. */
static void add_guards(const held_list *l, ad_fn *event, int which)
{
    ad_arena *m = l->m;
    if (!l->model->fn[which] || !l->model->fn[which]->held) return;
    guarding k = {.list = l, .m = m, .behind = l->model->events};
    k.fn = ad_fn_copy(m, l->model->fn[which], &k.map);
    k.e = ad_sym_new(m, k.fn, "guards", AD_DOUBLE, AD_OUTPUT);
    k.e->array = 1;
    walk(&k, k.fn->body);
    ad_sym *const *map = taken_in(m, event, k.fn, k.e);
    ad_sym *output = map[k.fn->out->number];
    output->role = AD_LOCAL;
    output->slot = NULL;
    ad_append(m, event->body, ad_decl(m, output));
    ad_append_all(m, event->body, ad_copy(m, k.fn->body, map));
}

static void make_guards(held_list *l)
{
    ad_arena *m = l->m;
    ad_model *model = l->model;
    ad_fn **event = &model->fn[AD_FN_event];
    if (!*event) *event = empty(l, "event", 1, 0);
    (*event)->out->extent = ad_whole(m, model->events + l->held);
    for (int i = 0; i < l->held; i++) /* where it is not come by */
        ad_append(m, (*event)->body, ad_set(m, ad_elem(m, (*event)->out, ad_whole(m, model->events + i)), ad_num(m, 1)));
    add_guards(l, *event, AD_FN_rhs);
    add_guards(l, *event, AD_FN_running);
    ad_dead(m, *event);
}

/* ---- times ----------------------------------------------------------------------------------------------------------------- */

static const char *joined(ad_arena *m, const char *list, const char *more)
{
    return list && *list ? ad_text(m, "%s, %s", list, more) : more;
}

/* As constants behind those of the model. 0: some depend on parameters, or the model has a function for its own. */
static int constant_times(held_list *l)
{
    const char *list = l->model->event_at;
    if (l->model->fn[AD_FN_event_times]) return 0;
    for (int i = 0; i < l->sites; i++)
        for (int j = 0; l->site[i].timed && j < l->site[i].count; j++) {
            double value;
            if (!held_number(l->site[i].time[j], &value)) return 0;
            list = joined(l->m, list, ad_text(l->m, "%.17g", value));
        }
    l->model->event_at = list;
    return 1;
}

static void add_time(ad_arena *m, ad_fn *fn, int i, ad_node *value)
{
    ad_append(m, fn->body, ad_set(m, ad_elem(m, fn->out, ad_whole(m, i)), value));
}

/* Constants of the model's list, then the conditions' times, which have symbols of the functions they are from. */
static void make_times(held_list *l)
{
    ad_arena *m = l->m;
    ad_model *model = l->model;
    ad_fn **times = &model->fn[AD_FN_event_times];
    if (constant_times(l)) return;
    if (!*times) {
        *times = empty(l, "event_times", 0, 0);
        const char *at = model->event_at;
        for (int i = 0; i < model->timed_events; i++) {
            ad_node *n = ad_num(m, 0);
            const size_t length = strcspn(at, ",");
            n->text = ad_text_n(m, at, length);
            add_time(m, *times, i, n);
            at += length + strspn(at + length, ", ");
        }
        model->event_at = NULL;
    }
    (*times)->out->extent = ad_whole(m, model->timed_events + l->timed);
    for (int i = 0, at = model->timed_events; i < l->sites; i++) {
        const held_site *s = &l->site[i];
        if (!s->timed) continue;
        const ad_fn *from = model->fn[s->function];
        ad_sym **map = ad_take(m, ((size_t)from->syms + 1) * sizeof *map);
        for (int j = 0; j < from->syms; j++) {
            ad_sym *x = from->sym[j];
            if (x == from->p) map[j] = (*times)->p;
            if (x->role != AD_CONST) continue;
            map[j] = ad_sym_new(m, *times, x->name, x->type, AD_CONST);
            map[j]->name = x->name, map[j]->text = x->text, map[j]->array = x->array;
            map[j]->extent = x->extent;
        }
        for (int j = 0; j < s->count; j++) add_time(m, *times, at++, ad_copy(m, s->time[j], map));
    }
}

/* ---- lists ----------------------------------------------------------------------------------------------------------------- */

/* A text as C has it between quotes. */
static const char *quoted(ad_arena *m, const char *text)
{
    ad_out o = {.m = m};
    ad_puts(&o, "\"");
    for (; *text; text++) ad_put(&o, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    ad_puts(&o, "\"");
    return ad_text(m, "%s", ad_out_text(&o));
}

/* The first `count` names of a list, or event 0, event 1, ...; *list moves behind them. */
static const char *own_names(ad_arena *m, const char **list, int first, int count)
{
    const char *names = NULL;
    for (int i = 0; i < count; i++) {
        const char *name = ad_text(m, "\"event %d\"", first + i);
        if (*list) {
            const char *end = *list + 1;
            while (*end && *end != '"') end += 1 + (*end == '\\');
            name = ad_text_n(m, *list, (size_t)(end + 1 - *list));
            *list = end + 1 + strspn(end + 1, ", ");
        }
        names = joined(m, names, name);
    }
    return names;
}

static const char *site_names(const held_list *l, const char *names, int timed)
{
    for (int i = 0; i < l->sites; i++)
        for (int j = 0; l->site[i].timed == timed && j < l->site[i].count; j++)
            names = joined(l->m, names, quoted(l->m, l->site[i].text));
    return names;
}

/* Behind those of the model, if there is any. */
static void make_periods(held_list *l)
{
    ad_model *model = l->model;
    const char *list = model->event_period;
    int any = list != NULL;
    for (int i = 0; !model->event_period && i < model->events; i++) list = joined(l->m, list, "0");
    for (int i = 0; i < l->sites; i++)
        for (int j = 0; !l->site[i].timed && j < l->site[i].count; j++) {
            any |= l->site[i].period > 0;
            list = joined(l->m, list, ad_text(l->m, "%.17g", l->site[i].period));
        }
    if (any) model->event_period = list;
}

static void make_lists(held_list *l)
{
    ad_model *model = l->model;
    const char *given = model->event_names;
    const char *names = site_names(l, own_names(l->m, &given, 0, model->events), 0);
    const char *timed = own_names(l->m, &given, model->events, model->timed_events);
    names = timed ? joined(l->m, names, timed) : names;
    model->event_names = site_names(l, names, 1);
    make_periods(l);
    for (int i = 0; model->direction && i < l->held; i++) model->direction = joined(l->m, model->direction, "0");
}

void held_make_events(held_list *l)
{
    ad_model *model = l->model;
    number_sites(l);
    if (l->held) make_guards(l);
    if (l->timed) make_times(l);
    make_lists(l);
    model->held = l->held;
    model->timed_held = l->timed;
    model->events += l->held;
    model->timed_events += l->timed;
    model->all_events = model->events + model->timed_events;
}
