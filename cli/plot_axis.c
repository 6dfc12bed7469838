/* plot_axis.c - axes: which numbers to write, and how.
 *
 * A linear axis has ticks at whole multiples of step = m 10^k, m = 1, 2 or 5, with the step whose number of intervals is nearest
 * to the wanted one in ratio. Numbers of very large or small size share a power of ten; numbers that differ only far behind
 * the point are written as differences from the first. */
#include "plot_draw.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double nice_step(double range, int wanted)
{
    static const double factors[] = {1, 2, 5};
    const double ideal = range / wanted, power = pow(10, floor(log10(ideal)));
    double best = 10 * power;
    for (int i = 0; i < 3; i++)
        if (fabs(log(factors[i] * power / ideal)) < fabs(log(best / ideal))) best = factors[i] * power;
    return best;
}

/* How the numbers of the ticks from lo to hi are written. */
static void numbers(axis *a, double lo, double hi)
{
    const double most = fmax(fmax(fabs(lo), fabs(hi)), a->step);
    if (a->step < 2e-5 * most) {
        a->base = lo;
        a->exponent = (int)floor(log10(fmax(hi - lo, a->step)) + 1e-9);
    } else a->exponent = (int)floor(log10(most) + 1e-9);
    const int last = (int)floor(log10(a->step) + 1e-9); /* the place of the last digit */
    if (a->exponent >= -3 && a->exponent < 5 && last >= -5) a->exponent = 0;
    a->decimals = last < a->exponent ? a->exponent - last : 0;
}

axis axis_linear(double lo, double hi, int wanted, int loose)
{
    if (!(hi - lo >= fmax(1e-12 * fmax(fabs(lo), fabs(hi)), 1e-290))) { /* a constant in the middle */
        const double middle = lo + (hi - lo) / 2, half = fabs(middle) > 1e-289 ? fabs(middle) / 10 : 1;
        lo = middle - half;
        hi = middle + half;
    }
    axis a = {.lo = lo, .hi = hi, .step = nice_step(hi - lo, wanted)};
    const double slack = 1e-9, unseen = 1e-3; /* in steps */
    if (loose) {
        a.lo = floor(lo / a.step + unseen) * a.step;
        a.hi = ceil(hi / a.step - unseen) * a.step;
    }
    numbers(&a, ceil(a.lo / a.step - slack) * a.step, floor(a.hi / a.step + slack) * a.step);
    return a;
}

axis axis_log(double lo, double hi, int wanted)
{
    lo = fmin(fmax(lo, 1e-300), 1e300);
    hi = fmin(fmax(hi, 1e-300), 1e300);
    if (!(lo < hi)) {
        lo /= 2;
        hi *= 2;
    }
    axis a = {.lo = lo, .hi = hi, .log = 1};
    const double decades = log10(hi) - log10(lo);
    const int whole = (int)(floor(log10(hi) + 1e-9) - ceil(log10(lo) - 1e-9));
    a.step = whole < 2 ? 0 : fmax(1, ceil(decades / wanted - 0.25));
    return a;
}

double axis_at(const axis *a, double value)
{
    const double part = a->log ? (log10(value) - log10(a->lo)) / (log10(a->hi) - log10(a->lo))
                               : (value - a->lo) / (a->hi - a->lo);
    return a->from + part * (a->to - a->from);
}

static void write_number(char number[32], double value, int decimals)
{
    const char *sign = value < 0 && -value >= 0.5 * pow(10, -decimals) ? PLOT_MINUS : "";
    const size_t length = strlen(sign);
    memcpy(number, sign, length);
    snprintf(number + length, 32 - length, "%.*f", decimals, fabs(value));
}

static int linear_tick(const axis *a, int i, double *value, char number[32])
{
    const double first = ceil(a->lo / a->step - 1e-9);
    *value = (first + i) * a->step;
    if (*value > a->hi + 1e-9 * a->step) return -1;
    /* The base is a tick itself, so a difference is a multiple of the step. */
    const double shown = a->base != 0 ? i * a->step : *value;
    write_number(number, shown / pow(10, a->exponent), a->decimals);
    return 0;
}

static int log_tick(const axis *a, int i, double *value, char number[32], int *power)
{
    static const int fine[] = {1, 2, 5};
    const int start = (int)floor(log10(a->lo) + 1e-9), last = (int)floor(log10(a->hi) + 1e-9);
    const int exponent = a->step > 0 ? start + i : start + i / 3, factor = a->step > 0 ? 1 : fine[i % 3];
    const int plain = start >= -3 && last <= 4;
    *value = factor * pow(10, exponent);
    *number = 0;
    if (*value > a->hi * (1 + 1e-9)) return -1;
    if (*value < a->lo * (1 - 1e-9)) {
        *value = NAN; /* before the first */
        return 0;
    }
    if (a->step > 0 && exponent % (int)a->step) return 0;
    if (plain) snprintf(number, 32, "%g", *value);
    else if (factor == 1) *power = exponent;
    else snprintf(number, 32, "%d", factor);
    return 0;
}

int axis_tick(const axis *a, int i, double *value, char number[32], int *power)
{
    *power = INT_MIN;
    return a->log ? log_tick(a, i, value, number, power) : linear_tick(a, i, value, number);
}

/* ---- drawing -------------------------------------------------------------------------------------------------------- */

#define AXIS_STYLE "stroke=\"" PLOT_GREY "\" stroke-width=\"0.5\""

static double tick_width(const char *number, int power)
{
    return power != INT_MIN ? power_width(&font_plain, "10", power) : text_width(&font_plain, number);
}

static void tick_number(figure *g, double x, double y, pen_anchor anchor, const char *number, int power)
{
    if (power != INT_MIN) pen_power(g, x, y, anchor, &font_plain, "10", power);
    else if (*number) pen_text(g, x, y, anchor, &font_plain, number);
}

double axis_width(const axis *a)
{
    double widest = 0, value;
    char number[32];
    for (int i = 0, power; !axis_tick(a, i, &value, number, &power); i++) widest = fmax(widest, tick_width(number, power));
    return widest;
}

/* What the numbers share, as number x 10^exponent + base, in up to three pieces: before[], the exponent, after[]. */
static void shared(const axis *a, char before[8], char after[40])
{
    strcpy(before, a->exponent ? PLOT_TIMES_TEN : "");
    *after = 0;
    if (a->base != 0) snprintf(after, 40, "%s %.15g", a->base < 0 ? " " PLOT_MINUS : " +", fabs(a->base));
}

double axis_factor(const axis *a)
{
    char before[8], after[40];
    if (a->log) return 0;
    shared(a, before, after);
    return power_width(&font_plain, before, a->exponent ? a->exponent : INT_MIN) + text_width(&font_plain, after);
}

/* Writes it from x on. */
static void factor(figure *g, const axis *a, double x, double y)
{
    char before[8], after[40];
    if (axis_factor(a) == 0) return;
    shared(a, before, after);
    const int exponent = a->exponent ? a->exponent : INT_MIN;
    if (*before) pen_power(g, x, y, PEN_START, &font_plain, before, exponent);
    if (*after) pen_text(g, x + power_width(&font_plain, before, exponent), y, PEN_START, &font_plain, after + !*before);
}

/* What a script needs to write the numbers anew: what the axis shows, and where. */
static void axis_data(figure *g, char which, const axis *a)
{
    fprintf(g->to, " data-%c=\"%.2f %.2f %.17g %.17g %d\"", which, a->from, a->to, a->lo, a->hi, a->log);
}

void axis_bottom(figure *g, const axis *a, double y, int with_numbers, const char *label)
{
    double value, last = -1e9;
    char number[32];
    /* Where numbers would touch, every second tick has one, or every third. */
    const double apart = a->log ? HUGE_VAL : a->step / (a->hi - a->lo) * (a->to - a->from);
    const int every = (int)ceil((axis_width(a) + 3) / apart);
    pen_line(g, a->from, y, a->to, y, AXIS_STYLE);
    fprintf(g->to, "<g class=\"ticks-x\" data-at=\"%.2f\" data-numbers=\"%d\">\n", y, with_numbers);
    for (int i = 0, power; !axis_tick(a, i, &value, number, &power); i++) {
        if (!(fabs(value) < HUGE_VAL)) continue;
        const double x = axis_at(a, value), wide = tick_width(number, power);
        pen_line(g, x, y, x, y + (*number || power != INT_MIN || !a->log ? 2.5 : 1.5), AXIS_STYLE);
        if (!with_numbers || wide == 0 || (every > 1 && i % every) || x - wide / 2 < last + 3) continue;
        tick_number(g, x, y + 10, PEN_MIDDLE, number, power);
        last = x + wide / 2;
    }
    const double behind = axis_factor(a);
    if (with_numbers) factor(g, a, a->to - behind, y + 18.5);
    fputs("</g>\n", g->to);
    if (!with_numbers || !label) return;
    /* In the middle, unless what the numbers share needs the place. */
    const double beyond = 0.4 * (a->to - a->from), free_from = fmax(PLOT_EDGE, a->from - beyond);
    const double free_to = behind > 0 ? a->to - behind - 6 : fmin(g->width - PLOT_EDGE, a->to + beyond);
    const double wide = fmin(text_width(&font_plain, label), free_to - free_from);
    const double middle = fmax(fmin((a->from + a->to) / 2, free_to - wide / 2), free_from + wide / 2);
    pen_fitted(g, middle, y + 18.5, PEN_MIDDLE, &font_plain, label, wide + 0.01);
}

double axis_side(figure *g, const axis *a, double x, int right, double edge)
{
    double value;
    char number[32];
    const int way = right ? 1 : -1;
    pen_line(g, x, a->from, x, a->to, AXIS_STYLE);
    fprintf(g->to, "<g class=\"ticks-%s\" data-at=\"%.2f\">\n", right ? "legend" : "y", x);
    for (int i = 0, power; !axis_tick(a, i, &value, number, &power); i++) {
        if (!(fabs(value) < HUGE_VAL)) continue;
        const double y = axis_at(a, value);
        pen_line(g, x, y, x + way * (*number || power != INT_MIN || !a->log ? 2.5 : 1.5), y, AXIS_STYLE);
        tick_number(g, x + way * 4, y + 2.5, right ? PEN_START : PEN_END, number, power);
    }
    const double wide = axis_factor(a);
    const double start = right ? fmin(edge, g->width - PLOT_EDGE - wide) : fmax(edge, x - 2 - wide);
    factor(g, a, start, a->to - 4);
    fputs("</g>\n", g->to);
    if (wide == 0) return right ? g->width : x;
    return right ? start : start + wide;
}

void panel_open(figure *g, const axis *x, const axis *y)
{
    fputs("<g class=\"panel\"", g->to);
    axis_data(g, 'x', x);
    axis_data(g, 'y', y);
    fputs(">\n", g->to);
}

void panel_curves(figure *g, const axis *x, const axis *y)
{
    const double room = 3; /* marks and the width of lines */
    const int name = ++g->names;
    fprintf(g->to, "<clipPath id=\"clip%d\">", name);
    pen_box(g, x->from - room, y->to - room, x->to - x->from + 2 * room, y->from - y->to + 2 * room, "", NULL);
    fprintf(g->to, "</clipPath>\n<g class=\"curves\" clip-path=\"url(#clip%d)\">\n", name);
}

void panel_close(figure *g)
{
    fputs("</g></g>\n", g->to);
}
