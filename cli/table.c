/* table.c - tables for people: numbers to the right, names to the left, within the width of the terminal. */
#include "cli.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_LEAST = 24 }; /* columns that are left of a name that is shortened */

void table_open(cli_table *t, int columns, int fixed)
{
    *t = (cli_table){.columns = columns, .fixed = fixed, .group = 1};
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

void table_bar(cli_table *t, double x, double bar)
{
    const char *open = bar == 0 || costate_resolved(x, bar) ? "" : ", not resolved";
    if (isinf(bar)) put(t, cli_text("\xC2\xB1 unknown"));
    else put(t, cli_text(bar >= 100 && bar < 1e6 ? "\xC2\xB1 %.0f%s" : "\xC2\xB1 %.2g%s", bar, open));
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

/* The byte where column `at` of the text begins. */
static size_t byte_at(const char *text, int at)
{
    const char *s = text;
    for (; *s && (at > 0 || ((unsigned char)*s & 0xC0) == 0x80); s++) at -= ((unsigned char)s[1] & 0xC0) != 0x80;
    return (size_t)(s - text);
}

/* A text that is wider than `most` loses its middle: long names differ at their ends. */
static char *shortened(const char *text, int most)
{
    const int wide = shown(text), head = (most - 2) / 2;
    if (wide <= most) return cli_text("%s", text);
    return cli_text("%.*s..%s", (int)byte_at(text, head), text, text + byte_at(text, wide - (most - 2 - head)));
}

/* Whether two different texts become one. */
static int confused(const char *one, const char *other, int most)
{
    char *a = shortened(one, most), *b = shortened(other, most);
    const int same = !strcmp(a, b) && strcmp(one, other);
    free(a);
    free(b);
    return same;
}

/* Shortens `count` cells, a stride apart, to `most` columns, or what more it takes to tell them apart, of very many the first. */
static void shorten(char **cell, int count, int stride, int most)
{
    for (int k = 0; k < count && k < 200; k++)
        for (int l = 0; l < k; l++)
            while (confused(cell[k * stride], cell[l * stride], most)) most += 4;
    for (int k = 0; k < count; k++) {
        char *whole = cell[k * stride];
        cell[k * stride] = shortened(whole, most);
        free(whole);
    }
}

static int widest(const cli_table *t, int column)
{
    int most = 0;
    for (int k = column; k < t->count; k += t->columns)
        if (shown(t->cell[k]) > most) most = shown(t->cell[k]);
    return most;
}

/* What the columns from `from` on take that stay together, with blanks before each. */
static int together(const cli_table *t, int from, const int *width)
{
    int sum = 0;
    for (int k = from; k < from + t->group && k < t->columns; k++) sum += 2 + width[k];
    return sum;
}

/* The first column and one group of the others fit into the line, if necessary by shortening both. */
static void fit(cli_table *t, int line, int *width)
{
    int need = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < t->columns; k++) width[k] = widest(t, k);
        need = 0;
        for (int k = t->fixed; k < t->columns; k += t->group) need = together(t, k, width) > need ? together(t, k, width) : need;
        for (int k = 1; k < t->fixed; k++) need += 2 + width[k];
        if (need + width[0] <= line) return;
        if (!pass) shorten(t->cell + t->fixed, t->columns - t->fixed, 1, NAME_LEAST);
    }
    shorten(t->cell, t->count / t->columns, t->columns, line - need > NAME_LEAST ? line - need : NAME_LEAST);
    width[0] = widest(t, 0);
}

void table_print(cli_table *t, cli_out *o)
{
    int *width = cli_take((size_t)t->columns, sizeof *width), *right = cli_take((size_t)t->columns, sizeof *right), left = 0;
    fit(t, o->width, width);
    for (int k = 0; k < t->columns; k++) right[k] = numeric(t, k);
    for (int k = 0; k < t->fixed; k++) left += width[k] + (k > 0) * 2;
    for (int from = t->fixed, first = 1; first || from < t->columns; first = 0) {
        int to = from, sum = left;
        while (to < t->columns && (to == from || sum + together(t, to, width) <= o->width)) {
            sum += together(t, to, width);
            to = to + t->group < t->columns ? to + t->group : t->columns;
        }
        if (!first) putc('\n', o->to);
        print_block(t, o, width, right, from, to);
        from = to;
    }
    for (int k = 0; k < t->count; k++) free(t->cell[k]);
    free(t->cell);
    free(width);
    free(right);
}
