/* diag.c - messages: kept in the arena, rendered when they are made. */
#include "base/diag.h"
#include "base/arena.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { INDENT = 4, SHOWN = 150, LEAD = 60 }; /* of a longer line, SHOWN characters around the caret are quoted */

typedef struct message {
    ad_place place;
    const char *reason;
    struct message *next;
} message;

typedef struct source {
    const char *file, *text;
    size_t length;
    struct source *next;
} source;

struct ad_diag {
    ad_arena *m;
    message *first;
    source *sources;
    int errors, others;
    char *text;
    size_t length, room;
};

ad_diag *ad_diag_open(ad_arena *m)
{
    ad_diag *d = ad_take(m, sizeof *d);
    d->m = m;
    return d;
}

void ad_diag_source(ad_diag *d, const char *file, const char *text, size_t length)
{
    source *s = ad_take(d->m, sizeof *s);
    *s = (source){.file = file, .text = text, .length = length, .next = d->sources};
    d->sources = s;
}

/* Reads a line marker `# 12 "file"` or `#line 12 "file"`; 1 if it was one. *file stays as it is when the marker names none. */
static int marker(const char *at, const char *end, int *line, const char **file, size_t *length)
{
    if (at >= end || *at != '#') return 0;
    at++;
    while (at < end && (*at == ' ' || *at == '\t')) at++;
    if (end - at > 4 && memcmp(at, "line", 4) == 0) at += 4;
    while (at < end && (*at == ' ' || *at == '\t')) at++;
    if (at >= end || !isdigit((unsigned char)*at)) return 0;
    long n = 0;
    for (; at < end && isdigit((unsigned char)*at); at++) n = n < 100000000 ? 10 * n + (*at - '0') : n;
    *line = (int)n;
    while (at < end && (*at == ' ' || *at == '\t')) at++;
    if (at < end && *at == '"') {
        const char *close = end; /* the last quotation mark: there may be some in the name */
        while (*--close != '"') {}
        if (close > at) *file = at + 1, *length = (size_t)(close - at - 1);
    }
    return 1;
}

/* The text of a line of a file, or NULL. */
static const char *find_line(const ad_diag *d, ad_place place, size_t *length)
{
    const size_t name_length = strlen(place.file);
    for (const source *s = d->sources; s; s = s->next) {
        const char *file = s->file, *end = s->text + s->length;
        size_t file_length = strlen(file);
        int line = 1;
        for (const char *at = s->text; at < end;) {
            const char *stop = memchr(at, '\n', (size_t)(end - at));
            if (!stop) stop = end;
            if (!marker(at, stop, &line, &file, &file_length)) {
                if (line == place.line && file_length == name_length && memcmp(file, place.file, name_length) == 0) {
                    *length = (size_t)(stop - at);
                    return at;
                }
                line++;
            }
            at = stop + 1;
        }
    }
    return NULL;
}

static void put(ad_diag *d, const char *s, size_t n)
{
    if (d->length + n + 1 > d->room) {
        const size_t room = 2 * (d->length + n + 256);
        d->text = ad_grow(d->m, d->text, d->length, room);
        d->room = room;
    }
    memcpy(d->text + d->length, s, n);
    d->length += n;
    d->text[d->length] = 0;
}

static void put_text(ad_diag *d, const char *s)
{
    put(d, s, strlen(s));
}

/* The user's line and a caret under column col. */
static void quote(ad_diag *d, ad_place place)
{
    size_t length = 0;
    const char *line = find_line(d, place, &length);
    if (!line) return;
    while (length > 0 && isspace((unsigned char)line[length - 1])) length--;
    size_t at = place.col > 0 ? (size_t)place.col - 1 : 0;
    if (at > length) at = length;
    size_t from = 0;
    if (length > SHOWN && at > LEAD) from = at - LEAD;
    const size_t shown = length - from > SHOWN ? SHOWN : length - from;
    char *copy = ad_text_n(d->m, line + from, shown);
    for (size_t i = 0; i < shown; i++) {
        if ((unsigned char)copy[i] < ' ' || copy[i] == 127) copy[i] = ' ';
    }
    put_text(d, ad_text(d->m, "%*s%s\n%*s^\n", INDENT, "", copy, INDENT + (int)(at - from), ""));
}

/* 1: the message is there already. */
static int known(ad_diag *d, ad_place place, const char *reason)
{
    for (const message *k = d->first; k; k = k->next) {
        if (k->place.line == place.line && k->place.col == place.col && strcmp(k->place.file, place.file) == 0 &&
            strcmp(k->reason, reason) == 0)
            return 1;
    }
    message *k = ad_take(d->m, sizeof *k);
    *k = (message){.place = place, .reason = reason, .next = d->first};
    d->first = k;
    return 0;
}

__attribute__((format(printf, 5, 0))) static void say(ad_diag *d, ad_place place, const char *advice, const char *kind,
                                                      const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    const int n = vsnprintf(NULL, 0, format, args);
    char *reason = ad_take(d->m, (size_t)(n > 0 ? n : 0) + 1);
    if (n > 0) vsnprintf(reason, (size_t)n + 1, format, again);
    va_end(again);
    if (!place.file) place.file = "";
    const int is_error = kind[0] == 'e';
    if (d->errors + d->others >= 20 * AD_ERRORS_MAX || (is_error && d->errors >= AD_ERRORS_MAX) || known(d, place, reason))
        return;
    if (is_error) d->errors++;
    else d->others++;
    if (place.line > 0) put_text(d, ad_text(d->m, "%s:%d:%d: ", place.file, place.line, place.col));
    else if (place.file[0]) put_text(d, ad_text(d->m, "%s: ", place.file));
    put_text(d, kind);
    put_text(d, ": ");
    put_text(d, reason);
    put_text(d, "\n");
    if (place.line > 0) quote(d, place);
    if (advice) put_text(d, ad_text(d->m, "  try: %s\n", advice));
    if (is_error && d->errors == AD_ERRORS_MAX) put_text(d, "more errors follow; these were the first\n");
}

void ad_error(ad_diag *d, ad_place place, const char *advice, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(d, place, advice, "error", format, args);
    va_end(args);
}

void ad_warn(ad_diag *d, ad_place place, const char *advice, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(d, place, advice, "warning", format, args);
    va_end(args);
}

void ad_remark(ad_diag *d, ad_place place, const char *advice, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(d, place, advice, "note", format, args);
    va_end(args);
}

int ad_diag_count(const ad_diag *d)
{
    return d->errors;
}

int ad_diag_warnings(const ad_diag *d)
{
    return d->others;
}

int ad_diag_full(const ad_diag *d)
{
    return d->errors >= AD_ERRORS_MAX;
}

const char *ad_diag_text(const ad_diag *d)
{
    return d->text ? d->text : "";
}
