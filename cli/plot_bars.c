/* plot_bars.c - bars by falling size. Positive ones are filled and negative ones are outlined, so that the sign is seen without
 * colour; every bar has its number. */
#include "plot_draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define OUTLINED "fill=\"#fff\" stroke=\"#b5471b\" stroke-width=\"0.5\""
#define SMALL "font-size=\"6\" fill=\"" PLOT_GREY "\""

enum { MOST_BARS = 30, FEW_BARS = 12, MOST_CHARTS = 6 }; /* few: of each of more than two charts */
static const double bar_gap = 9, bar_high = 5.5, most_of_names = 0.45; /* of the width */

static double value(const plot_bar_chart *c, int k)
{
    return c->value[(ptrdiff_t)k * c->stride];
}

typedef struct bar {
    double size;
    int k;
} bar;

static int by_size(const void *a, const void *b)
{
    const bar *x = a, *y = b;
    return x->size != y->size ? (x->size < y->size) - (x->size > y->size) : (x->k > y->k) - (x->k < y->k);
}

/* A chart with its bars sorted, zeros and what is not finite left out. */
typedef struct sorted {
    int count, shown, zero, broken;
    bar *bars;
} sorted;

static int sort_bars(sorted *s, const plot_bar_chart *c, int most, plot *f)
{
    s->bars = malloc(((size_t)c->count + 1) * sizeof *s->bars);
    if (!s->bars) return plot_fail(f, "out of memory");
    for (int k = 0; k < c->count; k++) {
        const double v = value(c, k);
        if (!drawable(v)) s->broken++;
        else if (fabs(v) < 1e-290) s->zero++;
        else s->bars[s->count++] = (bar){fabs(v), k};
    }
    qsort(s->bars, (size_t)s->count, sizeof *s->bars, by_size);
    s->shown = s->count < most ? s->count : most;
    return 0;
}

/* Three digits, and an exponent without leading zeros. */
static void short_number(char text[32], double v)
{
    const int length = snprintf(text, 32, "%s%.3g", v < 0 ? PLOT_MINUS : "", fabs(v));
    char *zero = strchr(text, 'e');
    if (zero && zero[2] == '0') memmove(zero + 2, zero + 3, (size_t)(text + length - zero) - 2);
}

static void draw_bars(figure *g, const plot_bar_chart *c, const sorted *s, double left, double right, double top)
{
    if (c->title) pen_fitted(g, left + 4, top + 6, PEN_START, "font-weight=\"bold\"", c->title, (right - left) / 1.1);
    if (!s->shown) {
        pen_text(g, left + 4, top + 16, PEN_START, "fill=\"" PLOT_GREY "\"", s->broken ? "nothing to draw" : "nothing but zeros");
        return;
    }
    double names = 0, lo = 0, hi = 0;
    for (int i = 0; i < s->shown; i++) {
        names = fmax(names, fmin(text_width(c->name[s->bars[i].k]), most_of_names * (right - left)));
        lo = fmin(lo, value(c, s->bars[i].k));
        hi = fmax(hi, value(c, s->bars[i].k));
    }
    const double number = text_width("0.00e-00") + 4; /* behind the bar, outside */
    axis a = axis_linear(lo, hi, 4, 0);
    a.from = left + 4 + names + (lo < 0 ? number : 4);
    a.to = right - (hi > 0 ? number : 4);
    const double zero = axis_at(&a, 0), first = top + (c->title ? 10 : 2);
    for (int i = 0; i < s->shown; i++) {
        const double v = value(c, s->bars[i].k), y = first + bar_gap * i, end = axis_at(&a, v);
        char text[32];
        pen_fitted(g, left + 4 + names, y + bar_high, PEN_END, "", c->name[s->bars[i].k], most_of_names * (right - left));
        if (v > 0) pen_box(g, zero, y, end - zero, bar_high, "fill=\"#4a6a8a\"");
        else pen_box(g, end + 0.25, y + 0.25, zero - end - 0.25, bar_high - 0.5, OUTLINED);
        short_number(text, v);
        pen_text(g, end + (v > 0 ? 2.5 : -2.5), y + bar_high, v > 0 ? PEN_START : PEN_END, SMALL, text);
    }
    pen_line(g, zero, first - 2, zero, first + bar_gap * s->shown, "stroke=\"" PLOT_INK "\" stroke-width=\"0.5\"");
}

/* Says what is not drawn, of all charts together. */
static void note(figure *g, int charts, const sorted *s)
{
    int smaller = 0, zero = 0, broken = 0;
    double most = 0;
    char text[3][80] = {""};
    for (int i = 0; i < charts; i++) {
        smaller += s[i].count - s[i].shown;
        if (s[i].count > s[i].shown) most = fmax(most, s[i].bars[s[i].shown].size);
        if (s[i].shown) zero += s[i].zero;
        broken += s[i].broken;
    }
    if (smaller) snprintf(text[0], sizeof text[0], " %d smaller ones, of absolute values up to %.3g;", smaller, most);
    if (zero) snprintf(text[1], sizeof text[1], " %d zero%s;", zero, zero == 1 ? "" : "s");
    if (broken) snprintf(text[2], sizeof text[2], " %d not finite;", broken);
    char all[240];
    const int length = snprintf(all, sizeof all, "%s%s%s", text[0], text[1], text[2]);
    if (length > 0) figure_note(g, "Not drawn:%.*s.", length - 1, all);
}

/* Charts in one column, or two next to each other. */
static void draw_charts(figure *g, int charts, const plot_bar_chart *chart, const sorted *s)
{
    const int columns = charts > 1 ? 2 : 1;
    const double cell = g->width / columns;
    if (g->f->x) pen_text(g, 4, g->y + 7, PEN_START, "", g->f->x);
    if (g->f->x) g->y += 12;
    for (int i = 0; i < charts; i += columns) {
        double high = 0;
        for (int j = i; j < i + columns && j < charts; j++) {
            draw_bars(g, &chart[j], &s[j], cell * (j - i), cell * (j - i + 1) - 4, g->y);
            high = fmax(high, (chart[j].title ? 10 : 2) + (s[j].shown ? bar_gap * s[j].shown : 10));
        }
        g->y += high + 6;
    }
}

int plot_bars(plot *f, int charts, const plot_bar_chart *chart)
{
    figure g;
    sorted s[MOST_CHARTS] = {0};
    const int shown = charts < MOST_CHARTS ? charts : MOST_CHARTS;
    f->message[0] = 0;
    int status = shown > 0 ? 0 : plot_fail(f, "there is nothing to draw");
    for (int i = 0; !status && i < shown; i++) status = sort_bars(&s[i], &chart[i], shown > 2 ? FEW_BARS : MOST_BARS, f);
    if (!status) status = figure_open(&g, f, shown > 1 ? PLOT_PAGE : PLOT_COLUMN);
    if (!status) {
        draw_charts(&g, shown, chart, s);
        note(&g, shown, s);
        if (charts > shown) figure_note(&g, "%d more objectives have no place here; --objective chooses some.", charts - shown);
        status = figure_close(&g);
    }
    for (int i = 0; i < shown; i++) free(s[i].bars);
    return status;
}
