/* members.c - the members of an ensemble from a CSV file: a line of names, then a line of numbers for each. Fields may be in
 * double quotes and have blanks around them; lines that are empty are none. Mistakes are told by FILE:LINE:COLUMN. */
#include "cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

typedef struct reader {
    const cli_session *s;
    const char *path;
    int line;
    const char *start; /* of the line */
} reader;

__attribute__((format(printf, 3, 4))) static int wrong(const reader *r, const char *at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "costate %s: %s:%d:%d: ", r->s->request->command->name, r->path, r->line, (int)(at - r->start) + 1);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    return EXIT_USAGE;
}

static char *read_all(const char *path)
{
    size_t length = 0, room = 1 << 16;
    FILE *file = fopen(path, "rb");
    char *text = file ? cli_take(room, 1) : NULL;
    for (size_t got; text && (got = fread(text + length, 1, room - length, file)) > 0;) {
        length += got;
        if (length < room) continue;
        char *more = realloc(text, 2 * room + 1);
        if (!more) break;
        text = more;
        room *= 2;
    }
    if (text) text[length] = 0;
    if (file && (ferror(file) || (text && strlen(text) != length))) { /* a NUL is no text */
        if (!errno) errno = EILSEQ;
        free(text);
        text = NULL;
    }
    if (file) fclose(file);
    return text;
}

/* The next field of a line, blanks and quotes left out. Returns its length; -1: no more. */
static int field(const char **at, const char **item)
{
    int length = cli_item(at, item);
    while (length > 0 && strchr(" \t", **item)) ++*item, length--;
    while (length > 0 && strchr(" \t", (*item)[length - 1])) length--;
    if (length > 1 && **item == '"' && (*item)[length - 1] == '"') ++*item, length -= 2;
    return length;
}

static int read_header(reader *r, char *line, cli_members *m)
{
    char why[512];
    const char *at = line, *item;
    char *taken = cli_take((size_t)cli_variables(r->s), 1);
    int length, code = EXIT_GOOD;
    m->variable = cli_take(strlen(line) + 1, sizeof *m->variable);
    while (!code && (length = field(&at, &item)) >= 0) {
        const int v = cli_find_variable(r->s, item, length, why);
        if (v < 0) code = wrong(r, item, "%s", why);
        else if (taken[v]) code = wrong(r, item, "%.*s has a column already", length, item);
        else taken[m->variable[m->columns++] = v] = 1;
    }
    free(taken);
    return code;
}

/* Member k: the session's values, and those of the line in place of some. */
static int read_member(reader *r, char *line, cli_members *m, int k)
{
    const cli_session *s = r->s;
    const char *at = line, *item;
    double *p = m->p + (size_t)k * (size_t)s->np, *y = m->y + (size_t)k * (size_t)s->n;
    int length, column = 0;
    memcpy(p, s->p, (size_t)s->np * sizeof *p);
    memcpy(y, s->y0, (size_t)s->n * sizeof *y);
    while ((length = field(&at, &item)) >= 0) {
        double x;
        if (column == m->columns) return wrong(r, item, "more than the %d values that the first line names", m->columns);
        if (cli_number(item, length, &x)) return wrong(r, item, "'%.*s' is not a finite number", length, item);
        const int v = m->variable[column++];
        *(v < s->np ? &p[v] : &y[v - s->np]) = x;
    }
    if (column == m->columns) return EXIT_GOOD;
    return wrong(r, line + strlen(line), "%d values, but the first line names %d", column, m->columns);
}

static int read_lines(reader *r, char *text, cli_members *m)
{
    size_t most = 1;
    int code = EXIT_GOOD, named = 0;
    for (const char *c = text; *c; c++) most += *c == '\n';
    m->p = cli_take(most * (size_t)r->s->np, sizeof *m->p);
    m->y = cli_take(most * (size_t)r->s->n, sizeof *m->y);
    m->line = cli_take(most, sizeof *m->line);
    for (char *line = text, *next; line && !code; line = next) {
        next = strchr(line, '\n');
        if (next) *next++ = 0;
        line[strcspn(line, "\r")] = 0;
        r->line++;
        r->start = line;
        if (!line[strspn(line, " \t")]) continue;
        if (!named) code = read_header(r, line, m);
        else if (!(code = read_member(r, line, m, m->count))) m->line[m->count++] = r->line;
        named = 1;
    }
    if (!code && !m->count) code = wrong(r, r->start, "%s", named ? "there is no line of values" : "there is no line of names");
    return code;
}

int cli_members_read(const cli_session *s, const char *path, cli_members *m)
{
    *m = (cli_members){0};
    errno = 0;
    char *text = read_all(path);
    if (!text) return cli_usage(s->request->command->name, "--ensemble: %s cannot be read: %s", path, strerror(errno));
    const int code = read_lines(&(reader){.s = s, .path = path}, text, m);
    free(text);
    return code;
}

void cli_members_free(cli_members *m)
{
    free(m->variable);
    free(m->line);
    free(m->p);
    free(m->y);
}
