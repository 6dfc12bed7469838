/* events.c - what happened in a run: events of the model, and conditions of its text that changed (costate_events). */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

enum { SHOWN = 12, STATES = 3 }; /* events in a table, states in a row, unless all are asked for */

/* ---- taking ----------------------------------------------------------------------------------------------------------- */

/* The condition of the text that event k is, counted from 0; -1: none. */
static int condition(const costate_problem *q, int k)
{
    const int guards = q->events - q->held, times = q->timed_events - q->timed_held;
    if (k < q->events) return k < guards ? -1 : k - guards;
    return k - q->events < times ? -1 : q->held + k - q->events - times;
}

static void take_changes(const cli_session *s, const costate_event *x, cli_event *e)
{
    for (int i = 0; x->before && i < s->n; i++) e->changes += x->before[i] != x->after[i];
    e->change = cli_take((size_t)e->changes + 1, sizeof *e->change);
    for (int i = 0, at = 0; at < e->changes; i++)
        if (x->before[i] != x->after[i]) e->change[at++] = (cli_change){i, x->before[i], x->after[i]};
}

static cli_event *add(cli_events *e)
{
    if (e->count == e->room) {
        const int room = 2 * e->room + 64;
        cli_event *more = cli_take((size_t)room, sizeof *more);
        if (e->count) memcpy(more, e->event, (size_t)e->count * sizeof *more);
        free(e->event);
        e->event = more;
        e->room = room;
    }
    return &e->event[e->count++];
}

void events_take(const cli_session *s, costate_solver *solver, cli_events *e)
{
    costate_event x;
    int mode = s->problem.first_mode;
    for (int64_t i = 0; costate_events(solver, i, &x) == 0; i++) {
        const int bit = condition(&s->problem, x.k);
        cli_event *one = add(e);
        *one = (cli_event){.t = x.t, .number = x.k, .mode = x.mode, .moded = x.mode != mode, .count = x.count,
                           .holds = bit < 0 ? -1 : (int)(x.held >> bit & 1)};
        take_changes(s, &x, one);
        mode = x.mode;
    }
}

void events_free(cli_events *e)
{
    for (int i = 0; i < e->count; i++) free(e->event[i].change);
    free(e->event);
}

/* ---- telling ---------------------------------------------------------------------------------------------------------- */

/* The name of event k; by malloc. */
static char *name(const cli_session *s, int k)
{
    const char *const *names = s->problem.event_names;
    return names ? cli_text("%s", names[k]) : cli_text("event %d", k);
}

static char *joined(char *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static char *joined(char *text, const char *format, ...)
{
    char more[200];
    va_list args;
    va_start(args, format);
    vsnprintf(more, sizeof more, format, args);
    va_end(args);
    char *all = *text ? cli_text("%s, %s", text, more) : cli_text("%s", more);
    free(text);
    return all;
}

/* What changed, in words; by malloc. */
static char *what(const cli_session *s, const cli_event *e, int all)
{
    char *text = cli_text("%s", "");
    if (e->holds >= 0) text = joined(text, "%s", e->holds ? "holds from here on" : "holds no longer");
    for (int i = 0; i < e->changes && (all || i < STATES); i++)
        text = joined(text, "%.100s %.6g to %.6g", s->state[e->change[i].state], e->change[i].from, e->change[i].to);
    if (!all && e->changes > STATES) text = joined(text, "%d more", e->changes - STATES);
    if (e->moded) text = e->mode == COSTATE_STOP ? joined(text, "the run ends") : joined(text, "mode %d", e->mode);
    return text;
}

void events_table(cli_session *s, const cli_events *e, int all)
{
    const int shown = all || e->count <= SHOWN ? e->count : SHOWN;
    cli_table t;
    if (!e->count) return;
    fputs("\n", s->out.to);
    table_open(&t, 3, 1);
    table_text(&t, "t");
    table_text(&t, "event");
    table_text(&t, "what changed");
    for (int i = 0; i < shown; i++) {
        char *own = name(s, e->event[i].number), *words = what(s, &e->event[i], all);
        table_number(&t, e->event[i].t);
        table_text(&t, "%s", own);
        table_text(&t, "%s", words);
        free(own);
        free(words);
    }
    table_print(&t, &s->out);
    if (shown < e->count) fprintf(s->out.to, "and %d more events: --events lists all\n", e->count - shown);
}

void events_csv(cli_session *s, const cli_events *e)
{
    static const char *const head[] = {"t", "event", "number", "count", "mode", "changed"};
    for (int i = 0; i < 6; i++) csv_text(s->out.to, head[i], i == 5);
    for (int i = 0; i < e->count; i++) {
        const cli_event *x = &e->event[i];
        char *own = name(s, x->number), *words = what(s, x, 1), number[3][24];
        snprintf(number[0], sizeof number[0], "%d", x->number);
        snprintf(number[1], sizeof number[1], "%lld", (long long)x->count);
        snprintf(number[2], sizeof number[2], "%d", x->mode);
        csv_number(&s->out, "t", x->t, 0);
        csv_text(s->out.to, own, 0);
        for (int k = 0; k < 3; k++) csv_text(s->out.to, number[k], 0);
        csv_text(s->out.to, words, 1);
        free(own);
        free(words);
    }
}

void events_json(cli_session *s, const cli_events *e, cli_json *j)
{
    if (s->problem.events + s->problem.timed_events == 0) return;
    json_open(j, "events", '[');
    for (int i = 0; i < e->count; i++) {
        const cli_event *x = &e->event[i];
        char *own = name(s, x->number);
        json_line(j, NULL, '{');
        json_number(j, "t", x->t);
        json_text(j, "event", own);
        json_whole(j, "number", x->number);
        json_whole(j, "count", x->count);
        if (x->moded) json_whole(j, "mode", x->mode);
        if (x->holds >= 0) json_truth(j, "holds", x->holds);
        json_line(j, "changes", '{');
        for (int k = 0; k < x->changes; k++) {
            json_line(j, s->state[x->change[k].state], '[');
            json_number(j, NULL, x->change[k].from);
            json_number(j, NULL, x->change[k].to);
            json_close(j, ']');
        }
        json_close(j, '}');
        json_close(j, '}');
        free(own);
    }
    json_close(j, ']');
}
