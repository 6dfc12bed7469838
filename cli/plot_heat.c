/* plot_heat.c - numbers as colours, with the scale next to them: lines over their index and time, and matrices.
 *
 * Numbers of one sign go from dark blue to yellow, light as they are large, and those of both signs from blue over white to red,
 * white being zero. Where they differ by decades the colours follow the logarithm, on both sides of zero if need be. */
#include "plot_draw.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 300, MOST_CELLS = 40 }; /* pixels of time; rows of a matrix that are drawn cell by cell */
static const double bar_gap = 6, bar_wide = 7, cut = 1e-12; /* the scale's bar; the smallest that a logarithm shows */

/* ---- scales --------------------------------------------------------------------------------------------------------- */

/* Colours at equal distances: viridis, of matplotlib, and RdBu, of ColorBrewer. */
enum { STOPS = 9 };
static const unsigned char stops[2][STOPS][3] = {
    {{68, 1, 84}, {71, 44, 122}, {59, 81, 139}, {44, 113, 142}, {33, 144, 141}, {39, 173, 129}, {92, 200, 99}, {170, 220, 50},
     {253, 231, 37}},
    {{33, 102, 172}, {67, 147, 195}, {146, 197, 222}, {209, 229, 240}, {247, 247, 247}, {253, 219, 199}, {244, 165, 130},
     {214, 96, 77}, {178, 24, 43}}};

typedef struct scale {
    int log, both; /* both: signs */
    double lo, hi; /* the ends; both: of the absolute value, lo being what is as white as zero */
} scale;

/* What a scale has to show; values up to `least` in size count as zero. */
typedef struct range {
    double lo, hi, least, small; /* small: the least size above that */
    int count, below;            /* below: those under a thousandth of the size of the largest; second pass */
} range;

static void range_add(range *r, double v, double largest)
{
    if (!drawable(v)) return;
    r->lo = fmin(r->lo, v);
    r->hi = fmax(r->hi, v);
    if (fabs(v) > r->least) r->small = fmin(r->small, fabs(v));
    r->count++;
    r->below += fabs(v) > r->least && fabs(v) < largest / 1000;
}

static scale scale_of(const range *r, plot_scale wanted)
{
    const double largest = fmax(fabs(r->lo), fabs(r->hi)), slack = fmax(r->least, 1e-3 * largest);
    scale s = {.both = r->lo < -slack && r->hi > slack, .lo = r->lo, .hi = r->hi};
    if (!r->count) return (scale){.lo = 0, .hi = 1};
    const int can = r->small < largest && (s.both || r->lo >= -r->least);
    s.log = can && (wanted == PLOT_LOG || (wanted == PLOT_AUTO && r->below >= 0.1 * r->count));
    if (s.log) s.lo = fmax(r->small, cut * largest);
    else if (s.both) s.lo = 0;
    if (s.both || s.log) s.hi = largest;
    return s;
}

/* Where a number is on the scale, from 0 to 1. */
static double place(const scale *s, double v)
{
    if (!s->both && !s->log) return s->hi > s->lo ? (v - s->lo) / (s->hi - s->lo) : 0.5;
    const double size = fabs(v);
    double part = size / s->hi;
    if (s->log) part = size > s->lo ? log(size / s->lo) / log(s->hi / s->lo) : 0;
    return s->both ? 0.5 + copysign(0.5 * part, v) : v > 0 ? part : 0;
}

static unsigned char shade(const scale *s, double v)
{
    return (unsigned char)lround(255 * fmin(1, fmax(0, place(s, v))));
}

static void make_palette(const scale *s, unsigned char palette[256][3])
{
    for (int i = 0; i < 256; i++) {
        const double at = i * (STOPS - 1) / 255.0;
        const int k = at < STOPS - 1 ? (int)at : STOPS - 2;
        for (int c = 0; c < 3; c++)
            palette[i][c] = (unsigned char)lround((k + 1 - at) * stops[s->both][k][c] + (at - k) * stops[s->both][k + 1][c]);
    }
}

/* ---- the scale's own picture ---------------------------------------------------------------------------------------- */

static axis legend_axis(const scale *s)
{
    return s->log ? axis_log(s->lo, s->hi, s->both ? 2 : 4) : axis_linear(s->both ? -s->hi : s->lo, s->hi, 4, 0);
}

static double legend_width(const scale *s)
{
    const axis a = legend_axis(s);
    const double sign = s->both && s->log ? text_width(&font_plain, PLOT_MINUS) : 0;
    return bar_gap + fmax(bar_wide + 4 + axis_width(&a) + sign, axis_factor(&a));
}

/* Both directions from zero, which is in the middle. */
static void signed_ticks(figure *g, const scale *s, double x, double top, double bottom)
{
    const double middle = (top + bottom) / 2;
    double value;
    char number[32], text[40];
    pen_text(g, x + 4, middle + 2.5, PEN_START, &font_plain, "0");
    for (int minus = 0; minus < 2; minus++) {
        axis a = legend_axis(s);
        a.from = middle;
        a.to = minus ? bottom : top;
        for (int i = 0, power; !axis_tick(&a, i, &value, number, &power); i++) {
            if (isnan(value)) continue;
            const double y = axis_at(&a, value);
            pen_line(g, x, y, x + 2.5, y, "stroke=\"" PLOT_GREY "\" stroke-width=\"0.5\"");
            if (fabs(y - middle) < 7 || (power == INT_MIN && !*number)) continue;
            snprintf(text, sizeof text, "%s%s", minus ? PLOT_MINUS : "", power == INT_MIN ? number : "10");
            pen_power(g, x + 4, y + 2.5, PEN_START, &font_plain, text, power);
        }
    }
}

/* The bar to the right of x. Returns where what is written above it begins, or the right edge. */
static double draw_legend(figure *g, const scale *s, double x, double top, double bottom)
{
    const int name = ++g->names;
    fprintf(g->to, "<linearGradient id=\"scale%d\" x1=\"0\" y1=\"1\" x2=\"0\" y2=\"0\">", name);
    for (int k = 0; k < STOPS; k++)
        fprintf(g->to, "<stop offset=\"%g\" stop-color=\"#%02x%02x%02x\"/>", k / (STOPS - 1.0), stops[s->both][k][0],
                stops[s->both][k][1], stops[s->both][k][2]);
    fputs("</linearGradient>\n", g->to);
    char style[64];
    snprintf(style, sizeof style, "class=\"legend\" fill=\"url(#scale%d)\"", name);
    pen_box(g, x + bar_gap, top, bar_wide, bottom - top, style, NULL);
    if (s->both && s->log) {
        signed_ticks(g, s, x + bar_gap + bar_wide, top, bottom);
        return g->width;
    }
    axis a = legend_axis(s);
    a.from = bottom;
    a.to = top;
    return axis_side(g, &a, x + bar_gap + bar_wide, 1, x + bar_gap);
}

/* ---- lines over their index ----------------------------------------------------------------------------------------- */

static scale lines_scale(const heat_map *m, const plot_series *series, plot_scale wanted)
{
    range r = {.lo = HUGE_VAL, .hi = -HUGE_VAL, .small = HUGE_VAL, .least = HUGE_VAL};
    for (int i = 0; i < m->count; i++) r.least = fmin(r.least, series[m->line[i]].least);
    double largest = 0;
    for (int pass = 0; pass < 2; pass++) {
        r.count = r.below = 0;
        for (int i = 0; i < m->count; i++)
            for (int k = 0; k < series[m->line[i]].count; k++) range_add(&r, series_value(&series[m->line[i]], k), largest);
        largest = fmax(fabs(r.lo), fabs(r.hi));
    }
    return scale_of(&r, wanted);
}

double heat_room(const heat_map *m, const plot_series *series, plot_scale wanted)
{
    const scale s = lines_scale(m, series, wanted);
    return legend_width(&s);
}

/* The number at column j of the image; of the lines from `first` to before `end` the one that is largest in size. */
static double sample(const heat_map *m, const plot_series *series, const axis *x, int first, int end, int j)
{
    const double part = (j + 0.5) / COLUMNS;
    const double t = x->log ? x->lo * pow(x->hi / x->lo, part) : x->lo + part * (x->hi - x->lo);
    double most = NAN;
    for (int i = first; i < end; i++) {
        const double v = series_between(&series[m->line[i]], t);
        if (drawable(v) && !(fabs(v) <= fabs(most))) most = v;
    }
    return most;
}

static int draw_image(figure *g, const heat_map *m, const plot_series *series, const axis *x, const axis *y, const scale *s)
{
    const int high = m->count < HEAT_PIXELS ? m->count : HEAT_PIXELS;
    unsigned char palette[256][3], *pixel = malloc((size_t)high * COLUMNS);
    char style[200];
    if (!pixel) return plot_fail(g->f, "out of memory");
    for (int i = 0; i < high; i++) /* the lowest index is at the bottom */
        for (int j = 0; j < COLUMNS; j++) {
            const double v = sample(m, series, x, (int)((long)m->count * i / high), (int)((long)m->count * (i + 1) / high), j);
            pixel[(high - 1 - i) * COLUMNS + j] = drawable(v) ? shade(s, v) : 0;
        }
    make_palette(s, palette);
    snprintf(style, sizeof style, "image-rendering=\"pixelated\" data-pixels=\"%d %d\" data-scale=\"%.9g %.9g %d %d\"", COLUMNS,
             high, s->lo, s->hi, s->log, s->both);
    const int status = pen_image(g, x->from, y->to, x->to - x->from, y->from - y->to, COLUMNS, high, pixel, palette, style);
    free(pixel);
    return status ? plot_fail(g->f, "out of memory") : 0;
}

int heat_lines(figure *g, const axis *x, const heat_map *m, const plot_series *series, double high, int numbers)
{
    const scale s = lines_scale(m, series, g->f->scale);
    axis y = axis_linear(m->first - 0.5, m->first + m->count - 0.5, 4, 0);
    y.to = g->y + 12;
    y.from = y.to + high;
    panel_open(g, x, &y);
    axis_side(g, &y, x->from - 3, 0, PLOT_EDGE);
    axis_bottom(g, x, y.from + 3, numbers, g->f->x);
    const double end = draw_legend(g, &s, x->to, y.to, y.from);
    pen_fitted(g, x->from, y.to - 4, PEN_START, &font_bold, m->title, end - x->from - 4);
    panel_curves(g, x, &y);
    const int status = draw_image(g, m, series, x, &y, &s);
    panel_close(g);
    g->y = y.from + (numbers ? 24 : 8);
    return status;
}

/* ---- matrices ------------------------------------------------------------------------------------------------------- */

static const pen_font cell_font = {5.5, 0, "#111"}, light_font = {5.5, 0, "#fefefe"}; /* on the colours of the cells */

static scale entries_scale(const plot_entries *m)
{
    range r = {.lo = HUGE_VAL, .hi = -HUGE_VAL, .small = HUGE_VAL};
    double largest = 0;
    for (int pass = 0; pass < 2; pass++) {
        r.count = r.below = 0;
        for (int k = 0; k < m->size * m->size; k++) range_add(&r, m->value[k], largest);
        largest = fmax(fabs(r.lo), fabs(r.hi));
    }
    /* A Hessian's sign means something: white is zero, whichever signs there are. */
    scale s = scale_of(&r, PLOT_AUTO);
    s.both = 1;
    s.log |= r.below > 0 && r.below >= 0.1 * r.count;
    s.lo = s.log ? fmax(r.small, 1e-9 * largest) : 0;
    s.hi = largest > 0 ? largest : 1;
    return s;
}

/* How wide a cell has to be for all numbers to fit. */
static double number_room(const plot_entries *m)
{
    double room = 0;
    char text[32];
    for (int k = 0; k < m->size * m->size; k++) {
        const int exponent = number_parts(m->value[k], 2, text);
        room = fmax(room, power_width(&cell_font, text, exponent));
    }
    return room + 3;
}

static void draw_cells(figure *g, const grid *d, const plot_entries *m, const scale *s)
{
    const int numbers = number_room(m) <= d->side;
    unsigned char palette[256][3];
    char style[32], tip[256], text[32];
    make_palette(s, palette);
    for (int k = 0; k < m->size * m->size; k++) {
        const int i = k / m->size, j = k % m->size;
        const double v = m->value[k], x = d->x + j * d->side, y = d->y + i * d->side;
        const unsigned char *c = palette[shade(s, drawable(v) ? v : 0)];
        snprintf(style, sizeof style, "fill=\"#%02x%02x%02x\"", c[0], c[1], c[2]);
        snprintf(tip, sizeof tip, "%.80s, %.80s: %.7g", m->name[i], m->name[j], v);
        pen_box(g, x, y, d->side + 0.1, d->side + 0.1, style, tip);
        if (!numbers) continue;
        const int exponent = number_parts(v, 2, text), dark = 3 * c[0] + 6 * c[1] + c[2] < 1200;
        pen_power(g, x + d->side / 2, y + d->side / 2 + 2, PEN_MIDDLE, dark ? &light_font : &cell_font, text, exponent);
    }
}

static int draw_large(figure *g, const grid *d, const plot_entries *m, const scale *s)
{
    unsigned char palette[256][3], *pixel = malloc((size_t)m->size * (size_t)m->size);
    if (!pixel) return plot_fail(g->f, "out of memory");
    for (int k = 0; k < m->size * m->size; k++) pixel[k] = shade(s, drawable(m->value[k]) ? m->value[k] : 0);
    make_palette(s, palette);
    const double side = m->size * d->side;
    const int status = pen_image(g, d->x, d->y, side, side, m->size, m->size, pixel, palette, "image-rendering=\"pixelated\"");
    free(pixel);
    return status ? plot_fail(g->f, "out of memory") : 0;
}

static int draw_entries(figure *g, const plot_entries *m)
{
    const scale s = entries_scale(m);
    grid d = {.high = m->size, .wide = m->size, .row_name = m->name, .column_name = m->name};
    int status = 0;
    pen_fitted(g, PLOT_EDGE, g->y + 7, PEN_START, &font_plain, m->title, g->width - 2 * PLOT_EDGE);
    g->y += 11;
    const axis a = legend_axis(&s);
    if (axis_factor(&a) > 0) g->y += 8;
    grid_place(g, &d, fmax(26, fmin(number_room(m), 48)), 400, legend_width(&s) + 2);
    grid_names(g, &d);
    const double right = d.x + m->size * d.side, bottom = d.y + m->size * d.side;
    if (m->size > MOST_CELLS) status = draw_large(g, &d, m, &s);
    else draw_cells(g, &d, m, &s);
    grid_frame(g, &d, 0);
    draw_legend(g, &s, right, d.y, fmax(bottom, d.y + 40));
    g->y = fmax(bottom, d.y + 40) + 8;
    return status;
}

int plot_heat(plot *f, int matrices, const plot_entries *matrix)
{
    enum { MOST = 6 };
    const double around = 100; /* names and scale */
    figure g;
    const int shown = matrices < MOST ? matrices : MOST;
    double wide = 0; /* of a matrix with numbers, or of one that cannot have them */
    for (int i = 0; i < shown; i++) {
        const double with = matrix[i].size * number_room(&matrix[i]);
        wide = fmax(wide, with < PLOT_PAGE - around ? with : 6 * matrix[i].size);
    }
    int status = figure_open(&g, f, wide > PLOT_COLUMN - around ? PLOT_PAGE : PLOT_COLUMN);
    if (status) return status;
    for (int i = 0; !status && i < shown; i++) status = draw_entries(&g, &matrix[i]);
    if (matrices > shown) figure_note(&g, "%d more objectives have no place here; --objective chooses some.", matrices - shown);
    const int saved = figure_close(&g);
    return status ? status : saved;
}
