/* members.c - the members of an ensemble from a CSV file: a line of names, then a line of numbers for each. What separates them,
 * commas, semicolons or tabs, is seen in the line of names. Fields may be in double quotes and have blanks around them; lines
 * end as any system ends them, and those that are empty are none; a byte-order mark is passed over. Mistakes are told by
 * FILE:LINE:COLUMN. */
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
    char separator;
} reader;

__attribute__((format(printf, 3, 4))) static int wrong(const reader *r, const char *at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "costate %s: %s:%d:%d: ", r->s->request->command->name, r->path, r->line, (int)(at - r->start) + 1);
    cli_say(format, args);
    fputc('\n', stderr);
    va_end(args);
    return EXIT_USAGE;
}

static char *read_all(const char *path)
{
    size_t length = 0, room = 1 << 16;
    FILE *file = fopen(path, "rb");
    char *text = file ? cli_take(room, 1) : NULL;
    for (size_t got, plain = 1; text && plain && (got = fread(text + length, 1, room - length, file)) > 0;) {
        plain = !memchr(text + length, 0, got); /* what is no text may have no end */
        length += got;
        if (length < room) continue;
        char *more = realloc(text, 2 * room + 1);
        if (!more) break;
        text = more;
        room *= 2;
    }
    if (text) text[length] = 0;
    if (file && (ferror(file) || (text && strlen(text) != length))) { /* a NUL is no text, or one of 16 bits a letter */
        if (!errno) errno = EILSEQ;
        free(text);
        text = NULL;
    }
    if (file) fclose(file);
    return text;
}

/* The first c in the text that is not in quotes; NULL: none. */
static const char *outside(const char *text, char c)
{
    for (int quoted = 0; *text; text++) {
        if (*text == '"') quoted = !quoted;
        else if (*text == c && !quoted) return text;
    }
    return NULL;
}

static int blank(const reader *r, char c)
{
    return c == ' ' || (c == '\t' && r->separator != c);
}

/* The next field of a line, blanks and quotes left out. Returns its length; -1: no more. */
static int field(const reader *r, const char **at, const char **item)
{
    if (!*at) return -1;
    const char *begin = *at, *next = outside(begin, r->separator), *end = next ? next : begin + strlen(begin);
    *at = next ? next + 1 : NULL;
    while (begin < end && blank(r, *begin)) begin++;
    while (begin < end && blank(r, end[-1])) end--;
    if (end - begin > 1 && *begin == '"' && end[-1] == '"') begin++, end--;
    *item = begin;
    return (int)(end - begin);
}

static int read_header(reader *r, char *line, cli_members *m)
{
    char why[512];
    const char *at = line, *item;
    char *taken = cli_take((size_t)cli_variables(r->s), 1);
    int length, code = EXIT_GOOD;
    m->variable = cli_take(strlen(line) + 1, sizeof *m->variable);
    r->separator = outside(line, ';') ? ';' : outside(line, '\t') ? '\t' : ',';
    while (!code && (length = field(r, &at, &item)) >= 0) {
        const int v = length ? cli_find_variable(r->s, item, length, why) : -1;
        if (!length) code = wrong(r, item, "column %d has no name: if it counts the rows, leave it out", m->columns + 1);
        else if (v < 0) code = wrong(r, item, "%s", why);
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
    while ((length = field(r, &at, &item)) >= 0) {
        double x;
        if (column == m->columns) return wrong(r, item, "more than the %d values that the first line names", m->columns);
        if (cli_number(item, length, &x))
            return wrong(r, item, "'%.*s' is not a finite number%s", length, item,
                         r->separator != ',' && memchr(item, ',', (size_t)length) ? "; decimals have a point" : "");
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
    for (const char *c = text; *c; c++) most += *c == '\n' || *c == '\r';
    m->p = cli_take(most * (size_t)r->s->np, sizeof *m->p);
    m->y = cli_take(most * (size_t)r->s->n, sizeof *m->y);
    m->line = cli_take(most, sizeof *m->line);
    for (char *c = text; *c; c++)
        if (*c == '\r' && c[1] != '\n') *c = '\n';
    for (char *line = text + (strncmp(text, "\xEF\xBB\xBF", 3) ? 0 : 3), *next; line && !code; line = next) {
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
    if (!text) {
        const int missing = errno == ENOENT;
        fprintf(stderr, "costate %s: --ensemble: %s cannot be read: %s\n", s->request->command->name, path,
                errno == EILSEQ ? "it is no plain text (UTF-8)" : strerror(errno));
        if (missing) suggest_file(path, ".csv");
        return EXIT_USAGE;
    }
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
