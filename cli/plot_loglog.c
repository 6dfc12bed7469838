/* plot_loglog.c - curves over two logarithmic axes, each with marks of its own shape and a label at its end. Many curves of
 * several groups have a panel for each group, with the same axes in all and the curves of the others in grey. Curves without a
 * point are named below. */
#include "plot_draw.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FEW = 7 }; /* curves that one panel can hold */

typedef struct loglog {
    figure g;
    axis x, y;
    int count; /* of curves that have a point */
    const plot_series *series;
} loglog;

static int good(const plot_series *s, int k)
{
    const double y = series_value(s, k);
    return drawable(s->x[k]) && drawable(y) && s->x[k] > 1e-290 && y > 1e-290;
}

static int ranges(loglog *l)
{
    double lo[2] = {HUGE_VAL, HUGE_VAL}, hi[2] = {0, 0};
    for (int i = 0; i < l->count; i++)
        for (int k = 0; k < l->series[i].count; k++) {
            if (!good(&l->series[i], k)) continue;
            const double at[2] = {l->series[i].x[k], series_value(&l->series[i], k)};
            for (int j = 0; j < 2; j++) {
                lo[j] = fmin(lo[j], at[j]);
                hi[j] = fmax(hi[j], at[j]);
            }
        }
    if (hi[0] == 0) return plot_fail(l->g.f, "there is nothing to draw: no point is positive");
    /* A little room around the marks. */
    for (int j = 0; j < 2; j++) {
        const double room = 1.05 * pow(10, 0.02 * (log10(hi[j]) - log10(lo[j])));
        *(j ? &l->y : &l->x) = axis_log(lo[j] / room, hi[j] * room, j ? 5 : 6);
    }
    return 0;
}

/* ---- groups --------------------------------------------------------------------------------------------------------- */

static int in_group(const loglog *l, const char *group, int i)
{
    return !group || (l->series[i].group && !strcmp(group, l->series[i].group));
}

static int group_size(const loglog *l, const char *group)
{
    int size = 0;
    for (int i = 0; i < l->count; i++) size += in_group(l, group, i);
    return size;
}

/* The groups in their order, or one that has all, NULL, if those are few. */
static int groups(const loglog *l, const char **group)
{
    int count = 0;
    for (int i = 0; l->count > FEW && i < l->count; i++) {
        int known = !l->series[i].group;
        for (int k = 0; k < count; k++) known |= in_group(l, group[k], i);
        if (!known) group[count++] = l->series[i].group;
    }
    if (count > 1) return count;
    group[0] = NULL;
    return 1;
}

/* ---- drawing -------------------------------------------------------------------------------------------------------- */

/* Where a label goes: next to the last point of its curve. */
typedef struct label {
    double y, end_x;
    int i, style;
} label;

static int by_place(const void *a, const void *b)
{
    const label *x = a, *y = b;
    return (x->y > y->y) - (x->y < y->y);
}

static void draw_labels(loglog *l, const char *group, double right, label *all, double *at)
{
    int count = 0, style = 0;
    for (int i = 0; i < l->count; i++) {
        const plot_series *s = &l->series[i];
        int best = -1;
        if (!in_group(l, group, i)) continue;
        for (int k = 0; k < s->count; k++) /* the point furthest to the right */
            if (good(s, k) && (best < 0 || s->x[k] >= s->x[best])) best = k;
        if (best >= 0) all[count++] = (label){axis_at(&l->y, series_value(s, best)), axis_at(&l->x, s->x[best]), i, style};
        style++;
    }
    qsort(all, (size_t)count, sizeof *all, by_place);
    for (int i = 0; i < count; i++) at[i] = all[i].y;
    spread(count, at, 7.5, l->y.to, l->y.from);
    for (int i = 0; i < count; i++) {
        char style_text[64];
        const pen_font font = {font_plain.size, 0, line_styles[all[i].style % PLOT_STYLES].colour};
        snprintf(style_text, sizeof style_text, "stroke=\"%s\" stroke-width=\"0.3\"", font.colour);
        if (l->x.to - all[i].end_x > 5 || fabs(at[i] - all[i].y) > 1)
            pen_line(&l->g, all[i].end_x + 3, all[i].y, l->x.to + 4, at[i], style_text);
        pen_mark(&l->g, all[i].style % PLOT_STYLES, all[i].style / PLOT_STYLES % 2, font.colour, l->x.to + 7, at[i]);
        pen_fitted(&l->g, l->x.to + 11, at[i] + 2.4, PEN_START, &font, l->series[all[i].i].name, right - l->x.to - 11);
    }
}

static void draw_curve(loglog *l, const plot_series *s, const line_style *style, double width)
{
    polyline pen = polyline_open(&l->g, style, width, s->name);
    for (int k = 0; k < s->count; k++)
        if (good(s, k)) polyline_to(&pen, axis_at(&l->x, s->x[k]), axis_at(&l->y, series_value(s, k)));
    polyline_close(&pen);
}

static void draw_curves(loglog *l, const char *group)
{
    static const line_style faint = {PLOT_RULE, ""};
    for (int i = 0; i < l->count; i++)
        if (!in_group(l, group, i)) draw_curve(l, &l->series[i], &faint, 0.4);
    for (int i = 0, style = 0; i < l->count; i++) {
        const plot_series *s = &l->series[i];
        if (!in_group(l, group, i)) continue;
        const line_style *look = &line_styles[style % PLOT_STYLES];
        draw_curve(l, s, look, 0.8);
        for (int k = 0; k < s->count; k++)
            if (good(s, k))
                pen_mark(&l->g, style % PLOT_STYLES, style / PLOT_STYLES % 2, look->colour, axis_at(&l->x, s->x[k]),
                         axis_at(&l->y, series_value(s, k)));
        style++;
    }
}

static void draw_panel(loglog *l, const char *group, double right, int numbers, label *all, double *at)
{
    panel_open(&l->g, &l->x, &l->y);
    axis_side(&l->g, &l->y, l->x.from - 3, 0, PLOT_EDGE);
    axis_bottom(&l->g, &l->x, l->y.from + 3, numbers, numbers ? l->g.f->x : NULL);
    if (group) pen_fitted(&l->g, l->x.from + 2, l->y.to - 3, PEN_START, &font_bold, group, l->x.to - l->x.from);
    draw_labels(l, group, right, all, at);
    panel_curves(&l->g, &l->x, &l->y);
    draw_curves(l, group);
    panel_close(&l->g);
}

static void draw_panels(loglog *l, int panels, const char **group, label *all, double *at)
{
    const int columns = panels > 1 ? 2 : 1;
    const double cell = l->g.width / columns, half = axis_width(&l->x) / 2 + PLOT_EDGE, apart = panels > 1 ? 20 : 0;
    const double left = fmax(axis_width(&l->y) + 7 + PLOT_EDGE, half);
    double names = 0, high = 130;
    int left_out = 0;
    for (int i = 0; i < l->count; i++) names = fmax(names, text_width(&font_plain, l->series[i].name) + 11 + PLOT_EDGE);
    for (int i = 0; i < panels; i++) high = fmax(high, 7.5 * group_size(l, group[i]));
    if (l->g.f->y) pen_fitted(&l->g, PLOT_EDGE, l->g.y + 6, PEN_START, &font_plain, l->g.f->y, l->g.width - 2 * PLOT_EDGE);
    const double top = l->g.y + (l->g.f->y ? 14 : 4) + (panels > 1 ? 6 : 0);
    for (int i = 0; i < panels; i++) {
        const double edge = cell * (i % columns);
        l->x.from = edge + left;
        l->x.to = edge + cell - fmax(half, fmin(names, 0.45 * cell));
        l->y.to = top + (high + apart) * (i / columns);
        l->y.from = l->y.to + high;
        draw_panel(l, group[i], edge + cell - PLOT_EDGE, i + columns >= panels, all, at);
    }
    l->g.y = l->y.from + (l->g.f->x ? 23 : 14);
    for (int i = 0; i < l->count; i++)
        for (int k = 0; k < l->series[i].count; k++) left_out += !good(&l->series[i], k);
    if (panels > 1) figure_note(&l->g, "The curves of the other panels are in grey.");
    if (left_out) figure_note(&l->g, "Not drawn: %d points that are not positive and finite.", left_out);
}

/* Curves that have a point to `drawn`, the names of the others to `names`. Returns how many have. */
static int sort_out(int count, const plot_series *series, plot_series *drawn, char *names, size_t room)
{
    int shown = 0;
    size_t length = 0;
    *names = 0;
    for (int i = 0; i < count; i++) {
        int k = 0;
        while (k < series[i].count && !good(&series[i], k)) k++;
        if (k < series[i].count) drawn[shown++] = series[i];
        else if (length < room)
            length += (size_t)snprintf(names + length, room - length, "%s%s", length ? ", " : "", series[i].name);
    }
    return shown;
}

static int draw_all(plot *f, int count, const plot_series *series, const char *absent)
{
    loglog l = {.count = count, .series = series, .g.f = f};
    int status = ranges(&l);
    if (status) return status;
    label *all = malloc((size_t)count * sizeof *all);
    double *at = malloc((size_t)count * sizeof *at);
    const char **group = malloc((size_t)count * sizeof *group);
    if (!all || !at || !group) status = plot_fail(f, "out of memory");
    if (!status) {
        const int panels = groups(&l, group);
        status = figure_open(&l.g, f, panels > 1 ? PLOT_PAGE : PLOT_COLUMN);
        if (!status) draw_panels(&l, panels, group, all, at);
        if (!status && *absent) figure_note(&l.g, "Nothing to draw of %s.", absent);
        if (!status) status = figure_close(&l.g);
    }
    free(all);
    free(at);
    free(group);
    return status;
}

int plot_loglog(plot *f, int count, const plot_series *series)
{
    char absent[1000];
    plot_series *drawn = malloc((size_t)count * sizeof *drawn);
    f->message[0] = 0;
    if (!drawn) return plot_fail(f, "out of memory");
    const int shown = sort_out(count, series, drawn, absent, sizeof absent);
    const int status = draw_all(f, shown, drawn, absent);
    free(drawn);
    return status;
}
