/* plot_lines.c - lines over time, in panels of like scale and maps of colours.
 *
 * Lines of a group are sorted into classes by their largest absolute value: a class goes down to 1/8 of its largest, so that
 * nothing in a panel is flat only because of its neighbours. Classes of more than five lines are shared out to several panels, in
 * their order; those of more than 15 are a thicket in one. Lines for which a logarithmic axis is the better one have classes of
 * their own, of three decades. All panels and maps have one time axis. */
#include "plot_lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MANY = 15, MOST_PANELS = 24, MOST_DRAWN = 200, MOST_MARKS = 40 };
static const double one_scale[2] = {8, 1e3}, label_gap = 7.5; /* linear, logarithmic */

/* ---- lines ---------------------------------------------------------------------------------------------------------- */

static int shown_at(const lines *l, double x)
{
    return drawable(x) && (!l->x.log || x >= l->x.lo);
}

/* Whether a logarithmic axis helps: the line is positive, and a tenth of its way on the page it is below a thousandth of its
 * largest value. The first hundredth of the page does not count, where a line may come from zero. */
static int suits_log(const lines *l, int i)
{
    const plot_series *s = &l->series[i];
    axis page = l->x;
    page.from = 0;
    page.to = 1;
    double low = 0, before = NAN;
    int positive = 0;
    for (int k = 0; k < s->count; k++) {
        const double at = shown_at(l, s->x[k]) ? axis_at(&page, s->x[k]) : 0, v = series_value(s, k);
        if (at < 0.01) continue;
        if (!(v > 1e-290) || !drawable(v)) return 0;
        positive++;
        if (!isnan(before) && v < l->most[i] / 1000 && v > s->least) low += fabs(at - before);
        before = at;
    }
    return positive > 1 && (l->g->f->scale == PLOT_LOG || low >= 0.1);
}

int lines_open(lines *l, figure *g, int count, const plot_series *series)
{
    *l = (lines){.g = g, .count = count, .series = series, .x = time_axis(count, series, 5)};
    l->most = calloc((size_t)count + 1, sizeof *l->most);
    l->done = calloc((size_t)count + 1, 1);
    l->log = calloc((size_t)count + 1, 1);
    if (!l->most || !l->done || !l->log) return plot_fail(g->f, "out of memory");
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < series[i].count; k++)
            if (drawable(series_value(&series[i], k))) l->most[i] = fmax(l->most[i], fabs(series_value(&series[i], k)));
        l->log[i] = g->f->scale != PLOT_LINEAR && suits_log(l, i);
    }
    return 0;
}

int line_counts(const lines *l, int i)
{
    return l->most[i] > (l->any ? 1e-290 : fmax(l->series[i].least, 1e-290));
}

double line_size(const lines *l, int i)
{
    return l->most[i] * (l->series[i].weight > 0 ? l->series[i].weight : 1);
}

int same_group(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

/* ---- panels --------------------------------------------------------------------------------------------------------- */

static int panel_add(lines *l, const char *group, int count, const int *line, int thicket)
{
    if (l->panels == l->room) {
        const int room = l->room ? 2 * l->room : 8;
        panel *more = realloc(l->panel, (size_t)room * sizeof *more);
        if (!more) return plot_fail(l->g->f, "out of memory");
        l->panel = more;
        l->room = room;
    }
    int *copy = malloc((size_t)count * sizeof *copy);
    if (!copy) return plot_fail(l->g->f, "out of memory");
    memcpy(copy, line, (size_t)count * sizeof *copy);
    panel *p = &l->panel[l->panels++];
    *p = (panel){.group = group, .count = count, .line = copy, .thicket = thicket};
    for (int i = 0; i < count; i++) p->size = fmax(p->size, line_size(l, line[i]));
    return 0;
}

/* Shares the lines of a class, which are in order, out to panels of nearly the same number. */
static int class_panels(lines *l, const char *group, int count, const int *line, int thicket)
{
    const int parts = thicket ? 1 : (count + PLOT_STYLES - 1) / PLOT_STYLES;
    int status = 0;
    for (int i = 0; !status && i < parts; i++) {
        const int from = (int)((long)count * i / parts), to = (int)((long)count * (i + 1) / parts);
        status = panel_add(l, group, to - from, line + from, thicket);
    }
    return status;
}

/* The panels of the group that starts with line `first`, of lines that want a logarithmic axis or of the others. */
static int group_panels(lines *l, int first, int log, int *member)
{
    const char *group = l->series[first].group;
    int status = 0;
    while (!status) {
        double top = 0;
        int count = 0;
        for (int i = first; i < l->count; i++)
            if (!l->done[i] && l->log[i] == log && same_group(group, l->series[i].group) && line_counts(l, i))
                top = fmax(top, l->most[i]);
        if (top == 0) break; /* what is left does not count, and is said in the note */
        for (int i = first; i < l->count; i++)
            if (!l->done[i] && l->log[i] == log && same_group(group, l->series[i].group) && line_counts(l, i) &&
                l->most[i] >= top / one_scale[log]) {
                l->done[i] = 1;
                member[count++] = i;
            }
        status = class_panels(l, group, count, member, count > MANY);
    }
    return status;
}

static int by_first(const void *a, const void *b)
{
    const int i = ((const panel *)a)->line[0], j = ((const panel *)b)->line[0];
    return (i > j) - (i < j);
}

static int by_size(const void *a, const void *b)
{
    const double x = ((const panel *)a)->size, y = ((const panel *)b)->size;
    return x != y ? (x < y) - (x > y) : by_first(a, b);
}

static int make_panels(lines *l)
{
    int *member = malloc(((size_t)l->count + 1) * sizeof *member);
    int status = member ? 0 : plot_fail(l->g->f, "out of memory");
    for (l->any = 0; l->any < 2 && !status && (!l->any || !(l->panels || l->maps)); l->any++)
        for (int i = 0; !status && i < l->count; i++)
            for (int log = 0; log < 2 && !status; log++)
                if (!l->done[i] && line_counts(l, i)) status = group_panels(l, i, log, member);
    l->any--;
    /* A panel that is all zero is better than none. */
    if (!status && !l->panels && !l->maps && l->count) {
        for (int i = 0; i < l->count; i++) member[i] = i;
        status = class_panels(l, NULL, l->count, member, l->count > MANY);
    }
    free(member);
    if (!status && !l->panels && !l->maps) status = plot_fail(l->g->f, "there is nothing to draw");
    if (status || !l->panels) return status;
    qsort(l->panel, (size_t)l->panels, sizeof *l->panel, by_size);
    l->shown = l->panels < MOST_PANELS ? l->panels : MOST_PANELS;
    if (!l->g->f->ranked) qsort(l->panel, (size_t)l->shown, sizeof *l->panel, by_first);
    return 0;
}

/* ---- drawing -------------------------------------------------------------------------------------------------------- */

/* Which line of the panel is the k-th with a label. */
static int labelled(const panel *p, int k)
{
    return p->thicket ? p->line[(long)(p->count - 1) * k / (PLOT_STYLES - 1)] : p->line[k];
}

static int labels(const panel *p)
{
    return p->count < PLOT_STYLES ? p->count : PLOT_STYLES;
}

static void value_axis(const lines *l, panel *p, int wanted)
{
    int log = l->log[p->line[0]];
    double lo = HUGE_VAL, hi = -HUGE_VAL;
    for (int i = 0; i < p->count; i++) {
        const plot_series *s = &l->series[p->line[i]];
        for (int k = 0; k < s->count; k++) {
            const double v = series_value(s, k);
            if (!drawable(v) || !shown_at(l, s->x[k]) || (log && !(v > fmax(s->least, 1e-12 * l->most[p->line[i]])))) continue;
            lo = fmin(lo, v);
            hi = fmax(hi, v);
        }
    }
    if (lo > hi) lo = hi = log = 0;
    if (log) {
        p->y = axis_log(lo / 1.2, hi * 1.2, wanted);
        return;
    }
    if (lo > 0 && lo < 0.5 * hi) lo = 0; /* zero belongs to the picture if it is near */
    if (hi < 0 && hi > 0.5 * lo) hi = 0;
    p->y = axis_linear(lo, hi, wanted, 1);
}

/* Whether a number has a place on the panel's axis. */
static int seen(const panel *p, double v)
{
    return drawable(v) && (!p->y.log || v >= p->y.lo);
}

static void draw_line(lines *l, const panel *p, int line, const line_style *style, double width)
{
    const plot_series *s = &l->series[line];
    polyline pen = polyline_open(l->g, style, width, s->name);
    for (int k = 0; k < s->count; k++) {
        const double v = series_value(s, k);
        if (!shown_at(l, s->x[k])) continue;
        polyline_to(&pen, axis_at(&l->x, s->x[k]), seen(p, v) ? axis_at(&p->y, v) : NAN);
    }
    polyline_close(&pen);
}

/* Error bars of a line, at places as far apart, where they are long enough to be seen. */
static void draw_whiskers(lines *l, const panel *p, int line)
{
    enum { PLACES = 12 };
    const double step = (l->x.to - l->x.from) / PLACES, seen_from = 0.4;
    const plot_series *s = &l->series[line];
    const line_style style = {PLOT_INK, ""};
    double next = l->x.from + step / 2;
    for (int k = 0; s->bar && k < s->count; k++) {
        const double v = series_value(s, k), e = s->bar[(ptrdiff_t)k * s->stride], x = axis_at(&l->x, s->x[k]);
        if (!shown_at(l, s->x[k]) || !seen(p, v) || !(e > 0) || x < next) continue;
        const double lo = axis_at(&p->y, fmax(v - e, p->y.lo)), hi = axis_at(&p->y, fmin(v + e, p->y.hi));
        next = x + step;
        if (!(fabs(hi - lo) >= seen_from)) continue;
        polyline pen = polyline_open(l->g, &style, 0.6, s->name);
        polyline_to(&pen, x, lo);
        polyline_to(&pen, x, hi);
        polyline_close(&pen);
    }
}

/* Where the marked points of time are: ticks that stand on the axis, and circles on the labelled lines. */
static void draw_marks(lines *l, const panel *p)
{
    const plot *f = l->g->f;
    for (int m = 0; m < f->marks; m++) {
        if (!shown_at(l, f->mark[m]) || f->mark[m] < l->x.lo || f->mark[m] > l->x.hi) continue;
        const double x = axis_at(&l->x, f->mark[m]);
        fprintf(l->g->to, "<path stroke=\"" PLOT_INK "\" stroke-width=\"0.5\" data-p=\"%.2f\" d=\"M%.2f %.2fv-3\"/>\n", x, x,
                p->y.from + 3);
        for (int k = 0; k < labels(p) && f->marks <= MOST_MARKS; k++) {
            const double v = series_between(&l->series[labelled(p, k)], f->mark[m]);
            if (seen(p, v)) pen_mark(l->g, 0, 1, line_styles[k].colour, x, axis_at(&p->y, v));
        }
    }
}

/* Where a line ends, on the page: its last point that can be seen. */
static double end_of(const panel *p, const plot_series *s)
{
    for (int k = s->count - 1; k >= 0; k--)
        if (seen(p, series_value(s, k))) return axis_at(&p->y, series_value(s, k));
    return p->y.from;
}

static void draw_labels(lines *l, const panel *p)
{
    const int count = labels(p);
    int order[PLOT_STYLES];
    double end[PLOT_STYLES], at[PLOT_STYLES];
    for (int k = 0; k < count; k++) {
        const double y = end_of(p, &l->series[labelled(p, k)]);
        int i = k;
        for (; i > 0 && end[i - 1] > y; i--) end[i] = end[i - 1], order[i] = order[i - 1];
        end[i] = y;
        order[i] = k;
    }
    for (int i = 0; i < count; i++) at[i] = end[i];
    spread(count, at, label_gap, p->y.to, p->y.from + 2);
    for (int i = 0; i < count; i++) {
        const char *colour = line_styles[order[i]].colour;
        char style[64];
        snprintf(style, sizeof style, "stroke=\"%s\" stroke-width=\"0.4\"", colour);
        if (fabs(at[i] - end[i]) > 1) pen_line(l->g, l->x.to + 1, end[i], l->x.to + 6, at[i], style);
        const pen_font font = {font_plain.size, 0, colour};
        if (p->label[order[i]]) pen_text(l->g, l->x.to + 7, at[i] + 2.4, PEN_START, &font, p->label[order[i]]);
    }
}

/* In a cell of the page that begins at `edge`. */
static void draw_panel(lines *l, const panel *p, double edge, int numbers)
{
    static const line_style thin = {PLOT_FAINT, ""};
    panel_open(l->g, &l->x, &p->y);
    const double above = axis_side(l->g, &p->y, l->x.from - 3, 0, edge), title = fmax(l->x.from + 6, above + 5);
    axis_bottom(l->g, &l->x, p->y.from + 3, numbers, numbers ? l->g->f->x : NULL);
    if (p->group) pen_fitted(l->g, title, p->y.to - 4, PEN_START, &font_bold, p->group, l->x.to - title);
    if (!p->y.log && p->y.lo < 0 && p->y.hi > 0) { /* where zero is */
        const double zero = axis_at(&p->y, 0);
        pen_line(l->g, l->x.from, zero, l->x.to, zero, "class=\"zero\" stroke=\"" PLOT_RULE "\" stroke-width=\"0.4\"");
    }
    draw_labels(l, p);
    panel_curves(l->g, &l->x, &p->y);
    if (p->thicket) {
        const int drawn = p->count < MOST_DRAWN ? p->count : MOST_DRAWN;
        for (int i = 0; i < drawn; i++) draw_line(l, p, p->line[(long)p->count * i / drawn], &thin, 0.35);
    }
    for (int k = 0; k < labels(p); k++) draw_line(l, p, labelled(p, k), &line_styles[k], 1);
    for (int k = 0; k < labels(p); k++) draw_whiskers(l, p, labelled(p, k));
    draw_marks(l, p);
    panel_close(l->g);
}

/* What is left and right of the panels: the widest numbers and labels. */
static void margins(lines *l, double cell, double *left, double *right)
{
    for (int i = 0; i < l->shown; i++) {
        panel *p = &l->panel[i];
        *left = fmax(*left, axis_width(&p->y) + 7 + PLOT_EDGE);
        for (int k = 0; k < labels(p); k++) {
            const char *name = l->series[labelled(p, k)].name;
            p->label[k] = text_fit(&font_plain, name ? name : "", cell / 3.2);
            if (p->label[k]) *right = fmax(*right, text_width(&font_plain, p->label[k]) + 7 + PLOT_EDGE);
        }
    }
}

/* Panels in rows, as many in each as there are columns. */
static void draw_panels(lines *l)
{
    const int shown = l->shown, columns = shown < 4 ? 1 : shown == 4 ? 2 : 3, rows = (shown + columns - 1) / columns;
    const double high = shown == 1 ? 110 : columns == 1 ? 75 : 58, apart = 19, cell = l->g->width / columns;
    const int wanted = columns == 1 ? 5 : 4;
    l->x = l->x.log ? axis_log(l->x.lo, l->x.hi, wanted + 2) : axis_linear(l->x.lo, l->x.hi, wanted, 0);
    for (int i = 0; i < shown; i++) value_axis(l, &l->panel[i], shown == 1 ? 5 : 3);
    const double half = axis_width(&l->x) / 2 + PLOT_EDGE; /* of a number at the end of the axis */
    double left = fmax(20, half), right = half;
    margins(l, cell, &left, &right);
    int crowned = 0; /* something is written above a panel of the first row */
    for (int i = 0; i < columns && i < shown; i++) crowned |= l->panel[i].group || axis_factor(&l->panel[i].y) > 0;
    const double top = l->g->y + (crowned ? 12 : 6);
    for (int i = 0; i < shown; i++) {
        panel *p = &l->panel[i];
        const double edge = cell * (i % columns);
        l->x.from = edge + left;
        l->x.to = edge + cell - right;
        p->y.to = top + (high + apart) * (i / columns);
        p->y.from = p->y.to + high;
        draw_panel(l, p, edge + PLOT_EDGE, i + columns >= shown);
    }
    l->g->y = top + rows * (high + apart) + (l->g->f->x || axis_factor(&l->x) > 0 ? 6 : -3);
}

/* ---- notes ---------------------------------------------------------------------------------------------------------- */

/* Names what is not drawn because it is zero, or nearly so. */
static void note_small(lines *l, int zero)
{
    int count = 0, named = 0;
    char names[200] = "";
    for (int i = 0; i < l->count; i++) {
        if (l->done[i] || line_counts(l, i) || (l->most[i] == 0) != zero) continue;
        const char *name = l->series[i].name ? l->series[i].name : "?", *group = l->series[i].group;
        const size_t used = strlen(names), more = strlen(name) + (group ? strlen(group) + 1 : 0);
        if (used + more + 3 < sizeof names && named == count) {
            sprintf(names + used, "%s%s%s%s", named ? ", " : "", group ? group : "", group ? " " : "", name);
            named++;
        }
        count++;
    }
    const char *what = zero ? "Zero throughout" : "Never above the tolerance";
    if (!count || (!l->panels && !l->maps)) return;
    if (named == count) figure_note(l->g, "%s: %s.", what, names);
    else if (named) figure_note(l->g, "%s: %s and %d more.", what, names, count - named);
    else figure_note(l->g, "%s: %d %s.", what, count, l->g->f->things ? l->g->f->things : "lines");
}

/* How many lines of the panels there are, and are drawn. */
static void note_panels(const lines *l)
{
    const plot *f = l->g->f;
    const char *things = f->things ? f->things : "lines";
    int all = 0, drawn = 0, thicket = 0, of_thicket = 0;
    for (int i = 0; i < l->panels; i++) {
        const panel *p = &l->panel[i];
        all += p->count;
        if (i >= l->shown) continue;
        drawn += p->count;
        if (!p->thicket || p->count <= MOST_DRAWN) continue;
        thicket += p->count;
        of_thicket += MOST_DRAWN;
    }
    if (drawn < all)
        figure_note(l->g, "Drawn are %d of %d %s, in the %d panels with the largest by %s.", drawn, all, things, l->shown,
                    f->measure ? f->measure : "absolute value");
    if (thicket) figure_note(l->g, "%d of %d %s of like scale are drawn in grey, evenly chosen.", of_thicket, thicket, things);
}

static void notes(lines *l)
{
    const plot *f = l->g->f;
    int broken = 0;
    note_small(l, 1);
    note_small(l, 0);
    note_panels(l);
    if (f->marks && l->panels)
        figure_note(l->g, "%s: %d %s.", f->marks > MOST_MARKS ? "Ticks on the time axis" : "Circles", f->marks, f->mark_name);
    for (int i = 0; i < l->count; i++)
        for (int k = 0; k < l->series[i].count; k++) broken += !drawable(series_value(&l->series[i], k));
    if (broken) figure_note(l->g, "Not finite: %d values.", broken);
}

/* ---- all of it ------------------------------------------------------------------------------------------------------ */

static void lines_close(lines *l)
{
    for (int i = 0; i < l->panels; i++) {
        for (int k = 0; k < PLOT_STYLES; k++) free(l->panel[i].label[k]);
        free(l->panel[i].line);
    }
    maps_free(l);
    free(l->panel);
    free(l->most);
    free(l->done);
    free(l->log);
}

int plot_lines(plot *f, int count, const plot_series *series)
{
    figure g = {.f = f};
    lines l;
    f->message[0] = 0;
    int status = lines_open(&l, &g, count, series);
    if (!status) status = maps_make(&l);
    if (!status) status = make_panels(&l);
    if (!status) status = figure_open(&g, f, l.shown < 4 && l.maps < 4 ? PLOT_COLUMN : PLOT_PAGE);
    if (!status) {
        if (f->y) pen_fitted(&g, PLOT_EDGE, g.y + 6, PEN_START, &font_plain, f->y, g.width - 2 * PLOT_EDGE);
        if (f->y) g.y += 8;
        status = maps_draw(&l);
        if (l.shown) draw_panels(&l);
        maps_note(&l);
        notes(&l);
        const int saved = figure_close(&g);
        if (!status) status = saved;
    }
    lines_close(&l);
    return status;
}
