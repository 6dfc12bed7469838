/* plot_loglog.c - curves over two logarithmic axes, each with marks of its own shape and a label at its end. */
#include "plot_draw.h"

#include <math.h>
#include <stdlib.h>

typedef struct loglog {
    figure g;
    axis x, y;
    int count;
    const plot_series *series;
} loglog;

static double value(const plot_series *s, int k)
{
    return s->y[(ptrdiff_t)k * s->stride];
}

static int good(const plot_series *s, int k)
{
    return drawable(s->x[k]) && drawable(value(s, k)) && s->x[k] > 1e-290 && value(s, k) > 1e-290;
}

/* A mark at (x, y): circle, square, triangle, diamond, cross; filled first, then open. */
static void mark(figure *g, int i, double x, double y)
{
    const char *colour = line_styles[i % PLOT_STYLES].colour, *inside = i / PLOT_STYLES % 2 ? "#fff" : colour;
    const double r = 1.9, q = 2.5; /* half the width */
    fprintf(g->to, "<path fill=\"%s\" stroke=\"%s\" stroke-width=\"0.7\" d=\"", inside, colour);
    switch (i % PLOT_STYLES) {
    case 0: fprintf(g->to, "M%.2f %.2fa%g %g 0 1 0 %g 0a%g %g 0 1 0 %g 0Z", x - r, y, r, r, 2 * r, r, r, -2 * r); break;
    case 1: fprintf(g->to, "M%.2f %.2fh%gv%gh%gZ", x - r, y - r, 2 * r, 2 * r, -2 * r); break;
    case 2: fprintf(g->to, "M%.2f %.2fl%g %gh%gZ", x, y - r - 0.4, r + 0.4, 2 * r, -2 * r - 0.8); break;
    case 3: fprintf(g->to, "M%.2f %.2fl%g %gl%g %gl%g %gZ", x, y - q, q, q, -q, q, -q, -q); break;
    default: fprintf(g->to, "M%.2f %.2fl%g %gm0 %gl%g %g", x - r, y - r, 2 * r, 2 * r, -2 * r, -2 * r, 2 * r); break;
    }
    fputs("\"/>\n", g->to);
}

static int ranges(loglog *l)
{
    double lo[2] = {HUGE_VAL, HUGE_VAL}, hi[2] = {0, 0};
    for (int i = 0; i < l->count; i++)
        for (int k = 0; k < l->series[i].count; k++) {
            if (!good(&l->series[i], k)) continue;
            const double at[2] = {l->series[i].x[k], value(&l->series[i], k)};
            for (int j = 0; j < 2; j++) {
                lo[j] = fmin(lo[j], at[j]);
                hi[j] = fmax(hi[j], at[j]);
            }
        }
    if (hi[0] == 0) return plot_fail(l->g.f, "there is nothing to draw: no point is positive");
    /* A little room around the marks. */
    l->x = axis_log(lo[0] / pow(hi[0] / lo[0], 0.02) / 1.05, hi[0] * pow(hi[0] / lo[0], 0.02) * 1.05, 6);
    l->y = axis_log(lo[1] / pow(hi[1] / lo[1], 0.02) / 1.05, hi[1] * pow(hi[1] / lo[1], 0.02) * 1.05, 5);
    return 0;
}

/* Where a label goes: next to the last point of its curve. */
typedef struct label {
    double y, end_x, end_y;
    int i;
} label;

static int by_place(const void *a, const void *b)
{
    const label *x = a, *y = b;
    return (x->y > y->y) - (x->y < y->y);
}

static void draw_labels(loglog *l, label *all, double *at)
{
    int count = 0;
    for (int i = 0; i < l->count; i++) {
        int best = -1;
        for (int k = 0; k < l->series[i].count; k++) /* the point furthest to the right */
            if (good(&l->series[i], k) && (best < 0 || l->series[i].x[k] >= l->series[i].x[best])) best = k;
        if (best < 0) continue;
        const double y = axis_at(&l->y, value(&l->series[i], best));
        all[count++] = (label){y, axis_at(&l->x, l->series[i].x[best]), y, i};
    }
    qsort(all, (size_t)count, sizeof *all, by_place);
    for (int i = 0; i < count; i++) at[i] = all[i].y;
    spread(count, at, 7.5, l->y.to, l->y.from);
    for (int i = 0; i < count; i++) {
        char style[64];
        const char *colour = line_styles[all[i].i % PLOT_STYLES].colour;
        snprintf(style, sizeof style, "stroke=\"%s\" stroke-width=\"0.3\"", colour);
        if (l->x.to - all[i].end_x > 5 || fabs(at[i] - all[i].end_y) > 1)
            pen_line(&l->g, all[i].end_x + 3, all[i].end_y, l->x.to + 4, at[i], style);
        snprintf(style, sizeof style, "fill=\"%s\"", colour);
        pen_fitted(&l->g, l->x.to + 6, at[i] + 2.4, PEN_START, style, l->series[all[i].i].name, l->g.width - l->x.to - 6);
    }
}

static void draw(loglog *l, label *all, double *at)
{
    double right = 0;
    int left_out = 0;
    for (int i = 0; i < l->count; i++) right = fmax(right, text_width(l->series[i].name) + 8);
    const double top = l->g.y + (l->g.f->y ? 14 : 4), least = 7.5 * l->count;
    if (l->g.f->y) pen_text(&l->g, 4, l->g.y + 6, PEN_START, "", l->g.f->y);
    l->y.to = top;
    l->y.from = top + fmax(130, least);
    l->x.from = axis_width(&l->y) + 13;
    l->x.to = l->g.width - fmin(right, 90);
    axis_left(&l->g, &l->y, l->x.from - 3);
    axis_bottom(&l->g, &l->x, l->y.from + 3, 1, l->g.f->x);
    draw_labels(l, all, at);
    for (int i = 0; i < l->count; i++) {
        const plot_series *s = &l->series[i];
        polyline pen = polyline_open(&l->g, &line_styles[i % PLOT_STYLES], 0.8);
        for (int k = 0; k < s->count; k++)
            if (good(s, k)) polyline_to(&pen, axis_at(&l->x, s->x[k]), axis_at(&l->y, value(s, k)));
            else left_out++;
        polyline_close(&pen);
        for (int k = 0; k < s->count; k++)
            if (good(s, k)) mark(&l->g, i, axis_at(&l->x, s->x[k]), axis_at(&l->y, value(s, k)));
    }
    l->g.y = l->y.from + (l->g.f->x ? 23 : 14);
    if (left_out) figure_note(&l->g, "Not drawn: %d points that are not positive and finite.", left_out);
}

int plot_loglog(plot *f, int count, const plot_series *series)
{
    loglog l = {.count = count, .series = series, .g.f = f};
    f->message[0] = 0;
    int status = ranges(&l);
    if (status) return status;
    label *all = malloc((size_t)count * sizeof *all);
    double *at = malloc((size_t)count * sizeof *at);
    status = all && at ? figure_open(&l.g, f, PLOT_COLUMN) : plot_fail(f, "out of memory");
    if (!status) {
        draw(&l, all, at);
        status = figure_close(&l.g);
    }
    free(all);
    free(at);
    return status;
}
