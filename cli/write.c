/* write.c - JSON, CSV and tables. */
#include "cli.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- JSON ------------------------------------------------------------------------------------------------------------- */

enum { BROKEN = 3 }; /* brackets deeper than this stay on one line */

/* Length of the UTF-8 sequence at s; 0: it is none. */
static int sequence(const unsigned char *s)
{
    const int length = *s < 0x80                 ? 1
                       : *s >= 0xC2 && *s < 0xE0 ? 2
                       : *s >= 0xE0 && *s < 0xF0 ? 3
                       : *s >= 0xF0 && *s < 0xF5 ? 4
                                                 : 0;
    for (int i = 1; i < length; i++)
        if ((s[i] & 0xC0) != 0x80) return 0;
    if (length == 3 && ((s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xED && s[1] > 0x9F))) return 0;
    if (length == 4 && ((s[0] == 0xF0 && s[1] < 0x90) || (s[0] == 0xF4 && s[1] > 0x8F))) return 0;
    return length;
}

static void quoted(FILE *to, const char *text)
{
    putc('"', to);
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        const int length = sequence(s);
        if (*s == '"' || *s == '\\') fprintf(to, "\\%c", *s);
        else if (*s == '\n') fputs("\\n", to);
        else if (*s < 0x20 || *s == 0x7F) fprintf(to, "\\u%04x", *s);
        else if (!length) fputs("\\ufffd", to);
        else fwrite(s, 1, (size_t)length, to);
        s += length ? length : 1;
    }
    putc('"', to);
}

static void before(cli_json *j, const char *key)
{
    FILE *to = j->out->to;
    if (!j->fresh) putc(',', to);
    if (j->depth && j->depth <= BROKEN && !j->line) fprintf(to, "\n%*s", 2 * j->depth, "");
    else if (!j->fresh) putc(' ', to);
    j->fresh = 0;
    if (!key) return;
    quoted(to, key);
    fputs(": ", to);
}

void json_open(cli_json *j, const char *key, char bracket)
{
    before(j, key);
    putc(bracket, j->out->to);
    j->depth++;
    j->fresh = 1;
}

void json_line(cli_json *j, const char *key, char bracket)
{
    json_open(j, key, bracket);
    if (!j->line) j->line = j->depth;
}

void json_close(cli_json *j, char bracket)
{
    if (!j->fresh && j->depth <= BROKEN && !j->line) fprintf(j->out->to, "\n%*s", 2 * j->depth - 2, "");
    putc(bracket, j->out->to);
    if (j->line == j->depth) j->line = 0;
    j->depth--;
    j->fresh = 0;
    if (!j->depth) putc('\n', j->out->to);
}

void json_number(cli_json *j, const char *key, double x)
{
    before(j, key);
    if (isfinite(x)) {
        fprintf(j->out->to, "%.17g", x);
        return;
    }
    fputs("null", j->out->to);
    cli_warn(j->out, "%s is %g, which is null in JSON", key ? key : "an element", x);
}

void json_whole(cli_json *j, const char *key, int64_t x)
{
    before(j, key);
    fprintf(j->out->to, "%lld", (long long)x);
}

void json_truth(cli_json *j, const char *key, int yes)
{
    before(j, key);
    fputs(yes ? "true" : "false", j->out->to);
}

void json_text(cli_json *j, const char *key, const char *text)
{
    before(j, key);
    quoted(j->out->to, text);
}

/* ---- CSV -------------------------------------------------------------------------------------------------------------- */

void csv_text(FILE *to, const char *text, int last)
{
    if (strpbrk(text, ",\"\n\r")) {
        putc('"', to);
        for (; *text; text++) fputs(*text == '"' ? "\"\"" : (const char[]){*text, 0}, to);
        putc('"', to);
    } else fputs(text, to);
    putc(last ? '\n' : ',', to);
}

void csv_number(cli_out *o, const char *what, double x, int last)
{
    if (!isfinite(x)) cli_warn(o, "%s is %g", what, x);
    fprintf(o->to, "%.17g%c", x, last ? '\n' : ',');
}

/* ---- tables ----------------------------------------------------------------------------------------------------------- */

void table_open(cli_table *t, int columns, int fixed)
{
    *t = (cli_table){.columns = columns, .fixed = fixed};
}

static void put(cli_table *t, char *cell)
{
    if (t->count == t->room) {
        t->room = t->room ? 2 * t->room : 64;
        char **more = cli_take((size_t)t->room, sizeof *more);
        if (t->count) memcpy(more, t->cell, (size_t)t->count * sizeof *more);
        free(t->cell);
        t->cell = more;
    }
    t->cell[t->count++] = cell;
}

void table_text(cli_table *t, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    put(t, cli_text("%s", text));
}

void table_number(cli_table *t, double x)
{
    put(t, cli_text("%.7g", x));
}

/* Columns on the screen: continuation bytes of UTF-8 take none. */
static int shown(const char *text)
{
    int width = 0;
    for (; *text; text++) width += ((unsigned char)*text & 0xC0) != 0x80;
    return width;
}

/* Numbers and what stands above them to the right, other text to the left. */
static int numeric(const cli_table *t, int column)
{
    char *end;
    for (int k = t->columns + column; k < t->count; k += t->columns)
        if (*t->cell[k] && (strtod(t->cell[k], &end), *end)) return 0;
    return 1;
}

static void print_block(const cli_table *t, cli_out *o, const int *width, const int *right, int from, int to)
{
    for (int row = 0; row < t->count / t->columns; row++) {
        int blank = 0; /* owed: a line does not end with blanks */
        if (!row) cli_bold(o, 1);
        for (int k = 0; k < to; k = k + 1 == t->fixed && k + 1 < from ? from : k + 1) {
            const char *cell = t->cell[row * t->columns + k];
            const int pad = width[k] - shown(cell);
            if (*cell) {
                fprintf(o->to, "%*s%s", blank + (right[k] ? pad : 0), "", cell);
                blank = right[k] ? 2 : pad + 2;
            } else blank += width[k] + 2;
        }
        if (!row) cli_bold(o, 0);
        putc('\n', o->to);
    }
}

void table_print(cli_table *t, cli_out *o)
{
    int *width = cli_take((size_t)t->columns, sizeof *width), *right = cli_take((size_t)t->columns, sizeof *right), left = 0;
    for (int k = 0; k < t->count; k++)
        if (shown(t->cell[k]) > width[k % t->columns]) width[k % t->columns] = shown(t->cell[k]);
    for (int k = 0; k < t->columns; k++) right[k] = numeric(t, k);
    for (int k = 0; k < t->fixed; k++) left += width[k] + 2;
    for (int from = t->fixed, first = 1; first || from < t->columns; first = 0) {
        int to = from, sum = left;
        while (to < t->columns && (to == from || sum + width[to] <= o->width)) sum += width[to++] + 2;
        if (!first) putc('\n', o->to);
        print_block(t, o, width, right, from, to);
        from = to;
    }
    for (int k = 0; k < t->count; k++) free(t->cell[k]);
    free(t->cell);
    free(width);
    free(right);
}
