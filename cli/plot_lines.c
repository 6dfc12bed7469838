/* plot_lines.c - lines over time, in panels of like scale.
 *
 * Lines of a group are sorted into classes by their largest absolute value: a class goes down to 1/8 of its largest, so that
 * nothing in a panel is flat only because of its neighbours. Classes of more than five lines are shared out to several panels, in
 * their order; those of more than 15 are a thicket in one. All panels have one time axis. */
#include "plot_draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MANY = 15, MOST_PANELS = 24, MOST_LINES = 200 };
static const double one_scale = 8, label_gap = 7.5, least = 1e-290; /* least: what is below counts as zero */

typedef struct panel {
    const char *group;
    int count, thicket; /* thicket: too many to tell apart */
    int *line;
    char *label[PLOT_STYLES];
    axis y;
} panel;

typedef struct lines {
    figure g;
    int count;
    const plot_series *series;
    double *most; /* largest absolute value of each */
    int panels, room;
    panel *panel;
    axis x;
} lines;

static double value(const plot_series *s, int k)
{
    return s->y[(ptrdiff_t)k * s->stride];
}

/* ---- panels --------------------------------------------------------------------------------------------------------- */

static int panel_add(lines *l, const char *group, int count, const int *line, int thicket)
{
    if (l->panels == l->room) {
        const int room = l->room ? 2 * l->room : 8;
        panel *more = realloc(l->panel, (size_t)room * sizeof *more);
        if (!more) return plot_fail(l->g.f, "out of memory");
        l->panel = more;
        l->room = room;
    }
    int *copy = malloc((size_t)count * sizeof *copy);
    if (!copy) return plot_fail(l->g.f, "out of memory");
    memcpy(copy, line, (size_t)count * sizeof *copy);
    l->panel[l->panels++] = (panel){.group = group, .count = count, .line = copy, .thicket = thicket};
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

static int same_group(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

/* The panels of the group that starts with line `first`. done marks the lines that have been given a class. */
static int group_panels(lines *l, int first, char *done, int *member)
{
    const char *group = l->series[first].group;
    int status = 0;
    while (!status) {
        double top = 0;
        for (int i = first; i < l->count; i++)
            if (!done[i] && same_group(group, l->series[i].group)) top = fmax(top, l->most[i]);
        if (top < least) break; /* what is left is zero, and is said in the note */
        int count = 0;
        for (int i = first; i < l->count; i++)
            if (!done[i] && same_group(group, l->series[i].group) && l->most[i] >= top / one_scale) {
                done[i] = 1;
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

static int make_panels(lines *l)
{
    char *done = calloc((size_t)l->count + 1, 1);
    int *member = malloc(((size_t)l->count + 1) * sizeof *member);
    l->most = calloc((size_t)l->count + 1, sizeof *l->most);
    int status = done && member && l->most ? 0 : plot_fail(l->g.f, "out of memory");
    for (int i = 0; !status && i < l->count; i++)
        for (int k = 0; k < l->series[i].count; k++)
            if (drawable(value(&l->series[i], k))) l->most[i] = fmax(l->most[i], fabs(value(&l->series[i], k)));
    for (int i = 0; !status && i < l->count; i++)
        if (!done[i] && l->most[i] >= least) status = group_panels(l, i, done, member);
    /* A panel that is all zero is better than none. */
    if (!status && !l->panels && l->count) {
        for (int i = 0; i < l->count; i++) member[i] = i;
        status = class_panels(l, NULL, l->count, member, l->count > MANY);
    }
    free(done);
    free(member);
    if (!status && !l->panels) status = plot_fail(l->g.f, "there is nothing to draw");
    if (!status) qsort(l->panel, (size_t)l->panels, sizeof *l->panel, by_first);
    return status;
}

/* ---- the time axis -------------------------------------------------------------------------------------------------- */

int plot_times(double t0, double t1, double times[PLOT_TIMES])
{
    enum { EVEN = 300, DECADES = 16, EACH = 16 };
    int count = 0;
    for (int i = -DECADES * EACH; i < EVEN; i++) {
        const double part = i < 0 ? pow(10, (double)i / EACH) : (i + 1.0) / EVEN;
        if (i < 0 && part >= 1.0 / EVEN) continue;
        const double t = i + 1 < EVEN ? t0 + (t1 - t0) * part : t1;
        if (!count) times[count++] = t0;
        if (t != times[count - 1]) times[count++] = t; /* equal by round-off, when t0 is large */
    }
    return count;
}

/* The part of what a line goes up and down in all that it does until time x. */
static double moved_until(const plot_series *s, double x)
{
    double before = 0, all = 0;
    for (int k = 1; k < s->count; k++) {
        const double change = fabs(value(s, k) - value(s, k - 1));
        if (!drawable(change)) continue;
        all += change;
        if (s->x[k] <= x) before += change;
    }
    return all > 0 ? before / all : NAN;
}

/* How many of the lines that move at all have made the given part of their way until x, as a fraction. */
static double moved_lines(const lines *l, double x, double part)
{
    int moved = 0, all = 0;
    const int stride = 1 + l->count / MOST_LINES; /* a sample will do */
    for (int i = 0; i < l->count; i += stride) {
        const double until = moved_until(&l->series[i], x);
        if (isnan(until)) continue;
        all++;
        moved += until >= part;
    }
    return all ? (double)moved / all : 0;
}

static void time_axis(lines *l, int wanted)
{
    double lo = HUGE_VAL, hi = -HUGE_VAL, positive = HUGE_VAL;
    for (int i = 0; i < l->count; i++)
        for (int k = 0; k < l->series[i].count; k++) {
            const double x = l->series[i].x[k];
            if (!drawable(x)) continue;
            lo = fmin(lo, x);
            hi = fmax(hi, x);
            if (x > 0) positive = fmin(positive, x);
        }
    /* Logarithmic if most lines go most of their way in the first hundredth of the time. */
    if (lo >= 0 && hi > 1000 * positive && moved_lines(l, hi / 100, 0.7) > 0.5) {
        double start = pow(10, floor(log10(positive) + 1e-9));
        while (start * 1000 < hi && moved_lines(l, start * 10, 0.005) == 0) start *= 10;
        l->x = axis_log(fmax(start, positive), hi, wanted + 2);
    } else l->x = axis_linear(lo, hi, wanted, 0);
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
    double lo = HUGE_VAL, hi = -HUGE_VAL;
    for (int i = 0; i < p->count; i++) {
        const plot_series *s = &l->series[p->line[i]];
        for (int k = 0; k < s->count; k++)
            if (drawable(value(s, k))) {
                lo = fmin(lo, value(s, k));
                hi = fmax(hi, value(s, k));
            }
    }
    if (lo > hi) lo = hi = 0;
    if (lo > 0 && lo < 0.5 * hi) lo = 0; /* zero belongs to the picture if it is near */
    if (hi < 0 && hi > 0.5 * lo) hi = 0;
    p->y = axis_linear(lo, hi, wanted, 1);
}

static void draw_line(lines *l, const panel *p, int line, const line_style *style, double width)
{
    const plot_series *s = &l->series[line];
    polyline pen = polyline_open(&l->g, style, width);
    for (int k = 0; k < s->count; k++)
        if (s->x[k] >= l->x.lo || !l->x.log) polyline_to(&pen, axis_at(&l->x, s->x[k]), axis_at(&p->y, value(s, k)));
    polyline_close(&pen);
}

/* Where a line ends, on the page: its last finite point. */
static double end_of(const panel *p, const plot_series *s)
{
    for (int k = s->count - 1; k >= 0; k--)
        if (drawable(value(s, k))) return axis_at(&p->y, value(s, k));
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
        const line_style *style = &line_styles[order[i]];
        char text[64];
        snprintf(text, sizeof text, "stroke=\"%s\" stroke-width=\"0.4\"", style->colour);
        if (fabs(at[i] - end[i]) > 1) pen_line(&l->g, l->x.to + 1, end[i], l->x.to + 6, at[i], text);
        snprintf(text, sizeof text, "fill=\"%s\"", style->colour);
        if (p->label[order[i]]) pen_text(&l->g, l->x.to + 7, at[i] + 2.4, PEN_START, text, p->label[order[i]]);
    }
}

static void draw_panel(lines *l, const panel *p, int numbers)
{
    static const line_style thin = {"#b0b0b0", ""};
    axis_left(&l->g, &p->y, l->x.from - 3);
    axis_bottom(&l->g, &l->x, p->y.from + 3, numbers, numbers ? l->g.f->x : NULL);
    if (p->group) pen_fitted(&l->g, l->x.from + 6, p->y.to - 4, PEN_START, "font-weight=\"bold\"", p->group, l->x.to - l->x.from);
    if (p->y.lo < 0 && p->y.hi > 0) { /* where zero is */
        const double zero = axis_at(&p->y, 0);
        pen_line(&l->g, l->x.from, zero, l->x.to, zero, "stroke=\"#ccc\" stroke-width=\"0.4\"");
    }
    if (p->thicket) {
        const int drawn = p->count < MOST_LINES ? p->count : MOST_LINES;
        for (int i = 0; i < drawn; i++) draw_line(l, p, p->line[(long)p->count * i / drawn], &thin, 0.35);
    }
    for (int k = 0; k < labels(p); k++) draw_line(l, p, labelled(p, k), &line_styles[k], 1);
    draw_labels(l, p);
}

/* Panels in rows, as many in each as there are columns. */
static void draw_panels(lines *l, int shown)
{
    const int columns = shown < 4 ? 1 : shown == 4 ? 2 : 3, rows = (shown + columns - 1) / columns;
    const double high = shown == 1 ? 110 : columns == 1 ? 75 : 58, apart = 19, cell = l->g.width / columns;
    double left = 20, right = 0;
    time_axis(l, columns == 1 ? 5 : 4);
    for (int i = 0; i < shown; i++) {
        panel *p = &l->panel[i];
        value_axis(l, p, shown == 1 ? 5 : 3);
        left = fmax(left, axis_width(&p->y) + 13);
        for (int k = 0; k < labels(p); k++) {
            const char *name = l->series[labelled(p, k)].name;
            p->label[k] = text_fit(name ? name : "", cell / 3.2);
            if (p->label[k]) right = fmax(right, text_width(p->label[k]) + 9);
        }
    }
    int crowned = 0; /* something is written above a panel of the first row */
    for (int i = 0; i < columns && i < shown; i++)
        crowned |= l->panel[i].group || l->panel[i].y.exponent || l->panel[i].y.base != 0;
    const double top = l->g.y + (l->g.f->y ? 8 : 0) + (crowned ? 12 : 6);
    if (l->g.f->y) pen_text(&l->g, 4, l->g.y + 6, PEN_START, "", l->g.f->y);
    for (int i = 0; i < shown; i++) {
        panel *p = &l->panel[i];
        l->x.from = cell * (i % columns) + left;
        l->x.to = cell * (i % columns + 1) - right;
        p->y.to = top + (high + apart) * (i / columns);
        p->y.from = p->y.to + high;
        draw_panel(l, p, i + columns >= shown);
    }
    l->g.y = top + rows * (high + apart) + (l->g.f->x || l->x.exponent ? 6 : -3);
}

/* ---- notes ---------------------------------------------------------------------------------------------------------- */

/* Names what is not drawn because it is zero, unless nothing else is there and it is drawn. */
static void note_zero(lines *l)
{
    int count = 0, named = 0;
    char names[200] = "";
    for (int i = 0; i < l->count; i++) {
        if (l->most[i] >= least) continue;
        const char *name = l->series[i].name ? l->series[i].name : "?";
        const size_t used = strlen(names);
        if (used + strlen(name) + 3 < sizeof names) {
            sprintf(names + used, "%s%s", named ? ", " : "", name);
            named++;
        }
        count++;
    }
    if (!count || l->most[l->panel[0].line[0]] < least) return;
    if (named == count) figure_note(&l->g, "Zero throughout: %s.", names);
    else figure_note(&l->g, "Zero throughout: %s and %d more.", names, count - named);
}

static void notes(lines *l, int shown)
{
    int left_out = 0, thicket = 0, drawn = 0, all = 0;
    for (int i = shown; i < l->panels; i++) left_out += l->panel[i].count;
    for (int i = 0; i < shown; i++)
        if (l->panel[i].thicket) {
            thicket = 1;
            all += l->panel[i].count;
            drawn += l->panel[i].count < MOST_LINES ? l->panel[i].count : MOST_LINES;
        }
    note_zero(l);
    if (thicket && drawn < all) figure_note(&l->g, "%d of %d lines are drawn, evenly chosen.", drawn, all);
    if (left_out) figure_note(&l->g, "%d more lines have no place here.", left_out);
    int broken = 0;
    for (int i = 0; i < l->count; i++)
        for (int k = 0; k < l->series[i].count; k++) broken += !drawable(value(&l->series[i], k));
    if (broken) figure_note(&l->g, "Not finite: %d values.", broken);
}

int plot_lines(plot *f, int count, const plot_series *series)
{
    lines l = {.count = count, .series = series, .g.f = f};
    f->message[0] = 0;
    int status = make_panels(&l);
    if (!status) {
        const int shown = l.panels < MOST_PANELS ? l.panels : MOST_PANELS;
        status = figure_open(&l.g, f, shown < 4 ? PLOT_COLUMN : PLOT_PAGE);
        if (!status) {
            draw_panels(&l, shown);
            notes(&l, shown);
            status = figure_close(&l.g);
        }
    }
    for (int i = 0; i < l.panels; i++) {
        for (int k = 0; k < PLOT_STYLES; k++) free(l.panel[i].label[k]);
        free(l.panel[i].line);
    }
    free(l.panel);
    free(l.most);
    return status;
}
