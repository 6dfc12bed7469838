/* model.c - the descriptor COSTATE_MODEL: sizes, which function is what, and whether all of it fits together. */
#include "front/lower.h"
#include "front/residual.h"
#include "front/unused.h"

#include <stdlib.h>
#include <string.h>

typedef struct reading {
    ac_unit *u;
    ad_model *model;
    int raw;
} reading;

static const ac_field *field(const ac_unit *u, const char *name)
{
    for (const ac_field *f = u->field; f; f = f->next) {
        if (strcmp(f->name->text, name) == 0) return f;
    }
    return NULL;
}

static int size(const ac_unit *u, const char *name, int otherwise)
{
    const ac_field *f = field(u, name);
    int64_t value = otherwise;
    if (f && !ac_field_value((ac_unit *)u, f, &value)) return -1;
    return (int)value;
}

static void unknown_members(ac_unit *u)
{
    static const char *const known[] = {
#define COSTATE_SIZE(name, ...) #name,
#define COSTATE_NUMBER(name, ...) #name,
#define COSTATE_WORD(name, ...) #name,
#define COSTATE_LIST(name, ...) #name,
#define COSTATE_FUNCTION(name, ...) #name,
#define COSTATE_FORM(name, ...) #name,
#define COSTATE_CHOICE(name, ...) #name,
#include <costate/model.def>
        "defaults"};
    for (const ac_field *f = u->field; f; f = f->next) {
        size_t i = 0;
        while (i < sizeof known / sizeof *known && strcmp(known[i], f->name->text) != 0) i++;
        if (i == sizeof known / sizeof *known) {
            const char *near = NULL;
            for (size_t k = 0; k < sizeof known / sizeof *known && !near; k++)
                near = ac_distance(f->name->text, known[k]) < 3 && known[k][1] ? known[k] : NULL;
            ad_error(u->d, f->place, near ? ad_text(u->m, ".%s", near) : NULL, "a model has no member '%s'", f->name->text);
        }
        for (const ac_field *k = u->field; k != f; k = k->next) {
            if (k->name == f->name) ad_error(u->d, f->place, NULL, "'.%s' is given twice", f->name->text);
        }
    }
}

/* Values between braces; -1: there are none, so that nothing can be said. */
static int values(const ac_unit *u, const ac_field *f)
{
    int i = f->from, n = 0;
    while (i < f->to && !(u->tokens.at[i].kind == AC_PUNCT && u->tokens.at[i].punct == '{')) i++;
    if (i == f->to) return -1;
    const int close = u->tokens.at[i].match;
    for (i++; i < close;) {
        n++;
        while (i < close && !(u->tokens.at[i].kind == AC_PUNCT && u->tokens.at[i].punct == ','))
            i = u->tokens.at[i].match ? u->tokens.at[i].match + 1 : i + 1;
        if (i < close) i++;
    }
    return n;
}

static void same_length(ac_unit *u, const char *list, const char *count, int wanted)
{
    const ac_field *f = field(u, list);
    const int n = f ? values(u, f) : -1;
    if (n < 0 || wanted < 0 || n == wanted) return;
    int lone_name = 0; /* .y0 = { table }: a name stands for an array */
    if (n == 1) {
        const ac_token *t = &u->tokens.at[f->from];
        for (int i = f->from; i < f->to; i++)
            lone_name |= u->tokens.at[i].kind == AC_IDENT && u->tokens.at[i].name->entity &&
                         u->tokens.at[i].name->entity->type->class == T_ARRAY;
        (void)t;
    }
    if (!lone_name)
        ad_error(u->d, f->place, NULL, ".%s has %d value%s, but .%s is %d", list, n, n == 1 ? "" : "s",
                 strcmp(count, "all_events") == 0 ? "events + .timed_events" : count, wanted);
}

/* The function that a member names; NULL: the member is not there, or there was an error. */
static ac_entity *named_function(ac_unit *u, const char *member)
{
    const ac_field *f = field(u, member);
    if (!f) return NULL;
    const ac_token *name = NULL;
    for (int i = f->from; i < f->to; i++) {
        if (u->tokens.at[i].kind == AC_IDENT) name = &u->tokens.at[i];
    }
    if (!name || strcmp(name->name->text, "NULL") == 0) {
        if (!name) ad_error(u->d, f->place, NULL, ".%s is the name of a function", member);
        return NULL;
    }
    ac_entity *e = name->name->entity;
    if (e && e->sort == N_FUNCTION && e->body_from) return e;
    ad_error(u->d, name->place, NULL, "there is no function '%s' in this file", name->name->text);
    return NULL;
}

/* The function of a member with such arguments and so many values. */
static ad_fn *lower(reading *r, const char *member, const char *arguments, int outputs)
{
    ac_entity *f = named_function(r->u, member);
    if (!f) return NULL;
    const long states = r->model->states > 0 ? r->model->states : -1; /* -1: not known, after an error */
    const int observes = strcmp(member, "observe") == 0;
    const ac_signature s = {.member = member, .arguments = arguments, .states = states, .params = r->model->params,
                            .outputs = outputs > 0 ? outputs : -1,
                            .observations = observes ? r->model->observations : r->model->all_events,
                            .starts_from_states = strcmp(member, "reset") == 0};
    return ac_lower_function(r->u, f, &s, &r->raw);
}

static void lower_all(reading *r)
{
    ad_model *m = r->model;
    for (int i = 0; i < AD_FUNCTIONS; i++)
        m->fn[i] = lower(r, ad_functions[i].name, ad_functions[i].arguments, ad_output_rows(m, (ad_function)i));
#define COSTATE_FORM(name, arguments, rows, ...) \
    if (!m->fn[AD_FN_rhs]) m->fn[AD_FN_rhs] = lower(r, #name, arguments, m->rows);
#define COSTATE_CHOICE(name, arguments, ...) m->name = lower(r, #name, arguments ",", 0);
#include <costate/model.def>
}

/* Definitions of types, in the user's own words: what AD_RAW texts refer to. */
static const char *prelude(const ac_unit *u)
{
    size_t room = 1;
    for (const ac_piece *k = u->piece; k; k = k->next) {
        for (int i = k->from; i < k->to; i++) room += (size_t)u->tokens.at[i].length + 2;
    }
    char *text = ad_take(u->m, room), *at = text;
    for (const ac_piece *k = u->piece; k; k = k->next) {
        int line = u->tokens.at[k->from].place.line;
        for (int i = k->from; i < k->to; i++) {
            const ac_token *t = &u->tokens.at[i];
            if (i > k->from) *at++ = t->place.line != line ? '\n' : ' ';
            line = t->place.line;
            memcpy(at, t->text, (size_t)t->length);
            at += t->length;
        }
        *at++ = '\n';
    }
    *at = 0;
    return text;
}

static void no_model(ac_unit *u)
{
    if (ad_diag_count(u->d) == 0)
        ad_error(u->d, (ad_place){.file = u->file},
                 "COSTATE_MODEL(name, .states = ..., .params = ..., .rhs = rhs) at the end of the file",
                 "there is no model in this file");
}

static void sizes(ac_unit *u, ad_model *m)
{
    int has_objective = 0; /* a function that writes objectives */
#define COSTATE_FUNCTION(name, arguments, rows, ...) has_objective |= strcmp(#rows, "objectives") == 0 && field(u, #name);
#include <costate/model.def>
    const ac_field *times = field(u, "observe_at");
#define COSTATE_SIZE(name, ...) m->name = size(u, #name, 0);
#include <costate/model.def>
    if (m->objectives == 0 && has_objective) m->objectives = 1;
    if (!field(u, "observations") && times && values(u, times) > 0) m->observations = values(u, times);
    const ac_field *at = field(u, "event_at");
    if (!field(u, "timed_events") && at && values(u, at) > 0) m->timed_events = values(u, at);
    m->all_events = m->events + m->timed_events;
#define COSTATE_LIST(name, kind, count, ...) same_length(u, #name, #count, m->count);
#include <costate/model.def>
#define COSTATE_LIST(name, ...) ac_names_check(u, #name, field(u, #name));
#include <costate/model.def>
}

/* What must be given with the events, and what goes with nothing else. */
static void events_fit(ac_unit *u, const ad_model *m)
{
    static const char *const of_events[] = {"reset", "next_mode", "on_event", "event_names"};
    static const char *const of_timed[] = {"event_times", "event_at"}, *const of_guards[] = {"direction", "event_period"};
    if (field(u, "event") && m->events == 0)
        ad_error(u->d, field(u, "event")->place, ".events = how many values it writes", "the model has .event but no .events");
    if (field(u, "events") && m->events > 0 && !field(u, "event"))
        ad_error(u->d, field(u, "events")->place, ".event = the function that computes the guards",
                 "the model has .events but no .event");
    if (m->events < 0) ad_error(u->d, field(u, "events")->place, NULL, ".events is %d", m->events);
    if (m->timed_events < 0) ad_error(u->d, field(u, "timed_events")->place, NULL, ".timed_events is %d", m->timed_events);
    if (m->first_mode < 0)
        ad_error(u->d, field(u, "first_mode")->place, NULL, ".first_mode is %d, and a mode is at least 0", m->first_mode);
    for (size_t i = 0; i < sizeof of_guards / sizeof *of_guards; i++)
        if (field(u, of_guards[i]) && m->events == 0)
            ad_error(u->d, field(u, of_guards[i])->place, ".events, .event", ".%s is one of guards, and the model has none",
                     of_guards[i]);
    for (size_t i = 0; i < sizeof of_timed / sizeof *of_timed; i++)
        if (field(u, of_timed[i]) && m->timed_events == 0)
            ad_error(u->d, field(u, of_timed[i])->place, ".timed_events = how many times there are",
                     "the model has .%s but no .timed_events", of_timed[i]);
    if (field(u, "timed_events") && m->timed_events > 0 && !field(u, "event_times") && !field(u, "event_at"))
        ad_error(u->d, field(u, "timed_events")->place, ".event_at = COSTATE_VALUES(...), or .event_times = a function of p",
                 "the model has .timed_events but not their times");
    if (field(u, "event_times") && field(u, "event_at"))
        ad_error(u->d, field(u, "event_at")->place, "one of them",
                 "the times of events are given twice: .event_times and .event_at");
    for (size_t i = 0; i < sizeof of_events / sizeof *of_events; i++)
        if (field(u, of_events[i]) && m->events == 0 && m->timed_events == 0)
            ad_error(u->d, field(u, of_events[i])->place, ".events and .event, or .timed_events and .event_times",
                     "the model has .%s but no events", of_events[i]);
}

/* A mode that nothing sets: a function has one, and there are no events. */
static void modes_fit(ac_unit *u, const ad_model *m)
{
    for (int i = 0; i < AD_FUNCTIONS; i++)
        if (m->fn[i] && m->fn[i]->mode && m->all_events == 0)
            ad_error(u->d, m->fn[i]->place, ".events, .event, .next_mode",
                     "'%s' has a mode, and a model without events has none", m->fn[i]->name);
}

static void missing_or_twice(ac_unit *u, const ad_model *m)
{
    if (m->states == 0 && !field(u, "states"))
        ad_error(u->d, u->model_place, ".states = the number of components of y", "the model has no states");
    if (m->states == 0 && field(u, "states")) ad_error(u->d, field(u, "states")->place, NULL, "the model has no states");
    if (!field(u, "rhs") && !field(u, "residual"))
        ad_error(u->d, u->model_place, ".rhs = the function that computes y'", "the model has no right-hand side");
    if (field(u, "rhs") && field(u, "residual"))
        ad_error(u->d, field(u, "residual")->place, "one of them", "the equations are given twice: .rhs and .residual");
    if (field(u, "mass") && field(u, "residual"))
        ad_error(u->d, field(u, "mass")->place, ".rhs with .mass, or .residual",
                 ".mass goes with .rhs: in a residual y' stands where it belongs");
    if (field(u, "yp0") && !field(u, "residual"))
        ad_error(u->d, field(u, "yp0")->place, NULL, ".yp0 goes with .residual: otherwise y' follows from the rest");
    if (field(u, "observe") && m->observations == 0)
        ad_error(u->d, field(u, "observe")->place, ".observe_at = COSTATE_VALUES(...), .observations = their number",
                 "the model has .observe but no observations");
    if (field(u, "y0") && field(u, "init"))
        ad_error(u->d, field(u, "init")->place, "one of them", "the initial state is given twice: .y0 and .init");
    events_fit(u, m);
}

/* .method is the name of one, as text or in a macro. */
static void known_method(ac_unit *u, const ac_field *f, const char *text)
{
    static const char *const known[] = {
#define AC_METHOD(name) #name,
#include "front/methods.def"
    };
    enum { KNOWN = sizeof known / sizeof *known };
    const int length = text && *text == '"' ? (int)strlen(text) - 2 : -1;
    if (length < 0) {
        ad_error(u->d, f->place, ".method = \"rodas4\"", "the name of a method is a text");
        return;
    }
    const char *name = ad_text(u->m, "%.*s", length, text + 1), *near = NULL;
    for (int i = 0; i < KNOWN; i++) {
        if (strcmp(known[i], name) == 0) return;
        if (ac_distance(name, known[i]) < 3) near = known[i];
    }
    ad_error(u->d, f->place, near ? ad_text(u->m, ".method = \"%s\"", near) : "`costate methods` lists them",
             "there is no method \"%s\"", name);
}

static void within(ac_unit *u, const char *member, const char *text, double most)
{
    const ac_field *f = field(u, member);
    const double value = f && text ? strtod(text, NULL) : 1e-6;
    if (value > 0 && value <= most) return;
    if (most < 1) ad_error(u->d, f->place, NULL, ".%s = %s is not between 0 and %g", member, text, most);
    else ad_error(u->d, f->place, NULL, ".%s = %s is not above 0", member, text);
}

/* What the model says of method and tolerances. */
static void suits(ac_unit *u, const ad_model *m)
{
    if (field(u, "method")) known_method(u, field(u, "method"), m->method);
    within(u, "rtol", m->rtol, 0.5);
    within(u, "atol", m->atol, 1e300);
}

/* Slopes are states from here on. */
static void slopes_too(ac_unit *u, ad_model *m)
{
    if (m->fn[AD_FN_init] && field(u, "yp0") && !m->yp0)
        ad_error(u->d, field(u, "yp0")->place, ".yp0 = COSTATE_VALUES(0, 1)", "next to .init, .yp0 is a list of constants");
    if (m->fn[AD_FN_init]) ac_residual_init(u->m, m->fn[AD_FN_init], m->states, m->yp0);
    if (m->fn[AD_FN_reset]) ac_residual_reset(u->m, m->fn[AD_FN_reset], m->states);
    m->slopes = m->states;
    m->states *= 2;
}

ad_model *ac_model(ac_unit *u)
{
    reading r = {.u = u, .model = ad_take(u->m, sizeof *r.model)};
    ad_model *m = r.model;
    m->file = u->file;
    m->prelude = "";
    if (!u->model) {
        no_model(u);
        return NULL;
    }
    m->name = u->model->text;
    unknown_members(u);
    sizes(u, m);
    missing_or_twice(u, m);
    lower_all(&r);
    modes_fit(u, m);
    if (r.raw) m->prelude = prelude(u);
#define COSTATE_NUMBER(name, ...) m->name = field(u, #name) ? ac_number_text(u, field(u, #name)) : "0";
#define COSTATE_WORD(name, ...) m->name = field(u, #name) ? ac_number_text(u, field(u, #name)) : NULL;
#define COSTATE_LIST(name, ...) m->name = field(u, #name) ? ac_list_text(u, field(u, #name)) : NULL;
#include <costate/model.def>
    m->mass_given = field(u, "mass") != NULL;
    m->unknown_events = (field(u, "direction") && !m->direction) || (field(u, "event_at") && !m->event_at) ||
                        (field(u, "event_names") && !m->event_names) || (field(u, "event_period") && !m->event_period);
    suits(u, m);
    if (ad_diag_count(u->d) > 0) return NULL;
    const ac_unused_names names = {field(u, "state_names"), field(u, "param_names"), field(u, "objective_names")};
    ac_names_shared(u, names);
    ac_unused(u, m, names, field(u, "residual") != NULL);
    if (field(u, "residual")) slopes_too(u, m);
    return ad_diag_count(u->d) > 0 ? NULL : m;
}
