/* plot_bars.c - bars by falling size. Positive ones are filled and negative ones are outlined, so that the sign is seen without
 * colour; every bar has its number. */
#include "plot_draw.h"

#include <math.h>
#include <stdlib.h>

#define WHISKER "stroke=\"" PLOT_INK "\" stroke-width=\"0.6\""
#define OUTLINED "fill=\"" PLOT_PAPER "\" stroke=\"#b5471b\" stroke-width=\"0.5\""

enum { MOST_BARS = 30, FEW_BARS = 12, MOST_CHARTS = 6 };               /* few: of each of more than two charts */
static const double bar_gap = 9, bar_high = 5.5, most_of_names = 0.45; /* of the width */

static double value(const plot_bar_chart *c, int k)
{
    return c->value[(ptrdiff_t)k * c->stride];
}

/* 0: there is none. */
static double error(const plot_bar_chart *c, int k)
{
    const double e = c->error ? c->error[(ptrdiff_t)k * c->stride] : 0;
    return isfinite(e) ? e : 0;
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

static double number_width(double v)
{
    char before[32];
    const int exponent = number_parts(v, 3, before);
    return power_width(&font_small, before, exponent);
}

/* The axis of the bars, between the names and the right edge: bars and the numbers behind them have place in it. */
static axis bar_axis(const plot_bar_chart *c, const sorted *s, double from, double to)
{
    double lo = 0, hi = 0, before = 0, behind = 0; /* numbers */
    for (int i = 0; i < s->shown; i++) {
        const double v = value(c, s->bars[i].k);
        const double e = fmin(error(c, s->bars[i].k), s->bars[0].size); /* a whisker that goes further is cut */
        lo = fmin(lo, v - (v < 0 || e > v ? e : 0));
        hi = fmax(hi, v + (v > 0 || e > -v ? e : 0));
        double *room = v < 0 ? &before : &behind;
        *room = fmax(*room, number_width(v) + 3);
    }
    axis a = axis_linear(lo, hi, 4, 0);
    const double half = axis_width(&a) / 2;
    a.from = from + fmax(before, half);
    a.to = to - fmax(behind, half);
    return a;
}

/* A whisker around the end of a bar, as far as there is place. */
static void draw_whisker(figure *g, const axis *a, double y, double v, double e)
{
    const double stroke_high = 1.4, middle = y + bar_high / 2;
    const double lo = fmax(axis_at(a, v - e), a->from), hi = fmin(axis_at(a, v + e), a->to);
    if (!(e > 0)) return;
    pen_line(g, lo, middle, hi, middle, WHISKER);
    for (int k = 0; k < 2; k++) pen_line(g, k ? hi : lo, middle - stroke_high, k ? hi : lo, middle + stroke_high, WHISKER);
}

static void draw_bar(figure *g, const axis *a, double y, const char *name, double v, double e)
{
    const double zero = axis_at(a, 0), end = axis_at(a, v);
    char tip[200], before[32];
    const int length = snprintf(tip, sizeof tip, "%.120s: %.7g", name, v);
    if (e > 0) snprintf(tip + length, sizeof tip - (size_t)length, " \xC2\xB1 %.2g", e);
    if (v > 0) pen_box(g, zero, y, end - zero, bar_high, "fill=\"" PLOT_BAR "\"", tip);
    else pen_box(g, end + 0.25, y + 0.25, zero - end - 0.25, bar_high - 0.5, OUTLINED, tip);
    draw_whisker(g, a, y, v, e);
    const int exponent = number_parts(v, 3, before);
    const double reach = e > 0 ? fmin(fmax(axis_at(a, v + e), end), a->to) - end : 0,
                 back = e > 0 ? end - fmax(axis_at(a, v - e), a->from) : 0;
    pen_power(g, end + (v > 0 ? 2.5 + reach : -2.5 - back), y + bar_high, v > 0 ? PEN_START : PEN_END, &font_small, before,
              exponent);
}

/* Returns where the chart ends. */
static double draw_bars(figure *g, const plot_bar_chart *c, const sorted *s, double left, double right, double top)
{
    if (c->title) pen_fitted(g, left, top + 6, PEN_START, &font_bold, c->title, right - left);
    const double first = top + (c->title ? 10 : 2), longest = most_of_names * (right - left), end = first + bar_gap * s->shown;
    const pen_font grey = {font_plain.size, 0, PLOT_GREY};
    if (!s->shown) {
        pen_text(g, left, first + 6, PEN_START, &grey, s->broken ? "nothing to draw" : "nothing but zeros");
        return first + 10;
    }
    double names = 0;
    for (int i = 0; i < s->shown; i++) names = fmax(names, fmin(text_width(&font_plain, c->name[s->bars[i].k]), longest));
    const axis a = bar_axis(c, s, left + names + 4, right);
    for (int i = 0; i < s->shown; i++) {
        const char *name = c->name[s->bars[i].k];
        const double y = first + bar_gap * i;
        pen_fitted(g, left + names, y + bar_high, PEN_END, &font_plain, name, longest);
        draw_bar(g, &a, y, name, value(c, s->bars[i].k), error(c, s->bars[i].k));
    }
    const double zero = axis_at(&a, 0);
    pen_line(g, zero, first - 2, zero, end, "stroke=\"" PLOT_INK "\" stroke-width=\"0.5\"");
    axis_bottom(g, &a, end, 1, NULL);
    const double below = axis_factor(&a) > 0 ? end + 18.5 : end + 10;
    if (!c->x) return below + 2;
    const double half = fmin(text_width(&font_plain, c->x), right - left) / 2; /* under the axis, or as near as it can be */
    const double middle = fmin(fmax((a.from + a.to) / 2, left + half), right - half);
    pen_fitted(g, middle, below + 8.5, PEN_MIDDLE, &font_plain, c->x, right - left);
    return below + 10.5;
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
    for (int i = 0; i < charts; i += columns) {
        double end = g->y;
        for (int j = i; j < i + columns && j < charts; j++) {
            const double left = cell * (j - i) + PLOT_EDGE, right = cell * (j - i + 1) - PLOT_EDGE;
            end = fmax(end, draw_bars(g, &chart[j], &s[j], left, right, g->y));
        }
        g->y = end + 4;
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
