/* plot_time.c - lines over time: the points that are worth computing, values between them, and the axis they have in common. */
#include "plot_draw.h"

#include <math.h>

enum { SAMPLE = 200 }; /* lines that are looked at */

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

double series_value(const plot_series *s, int k)
{
    return s->y[(ptrdiff_t)k * s->stride];
}

double series_between(const plot_series *s, double x)
{
    const int falls = s->count > 1 && s->x[0] > s->x[s->count - 1];
    int low = 0, high = s->count - 1;
    if (high < 0 || (falls ? x > s->x[0] || x < s->x[high] : x < s->x[0] || x > s->x[high])) return NAN;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (falls ? s->x[middle] >= x : s->x[middle] <= x) low = middle;
        else high = middle;
    }
    const double part = s->x[high] != s->x[low] ? (x - s->x[low]) / (s->x[high] - s->x[low]) : 0;
    if (part == 0 || part == 1) return series_value(s, part == 1 ? high : low); /* the other may not be finite */
    return (1 - part) * series_value(s, low) + part * series_value(s, high);
}

/* The part of what a line goes up and down in all that it does until time x. */
static double moved_until(const plot_series *s, double x)
{
    double before = 0, all = 0;
    for (int k = 1; k < s->count; k++) {
        const double change = fabs(series_value(s, k) - series_value(s, k - 1));
        if (!drawable(change)) continue;
        all += change;
        if (s->x[k] <= x) before += change;
    }
    return all > 0 ? before / all : NAN;
}

/* How many of the lines that move at all have made the given part of their way until x, as a fraction. */
static double moved_lines(int count, const plot_series *series, double x, double part)
{
    int moved = 0, all = 0;
    for (int i = 0; i < count; i += 1 + count / SAMPLE) {
        const double until = moved_until(&series[i], x);
        if (isnan(until)) continue;
        all++;
        moved += until >= part;
    }
    return all ? (double)moved / all : 0;
}

axis time_axis(int count, const plot_series *series, int wanted)
{
    double lo = HUGE_VAL, hi = -HUGE_VAL, positive = HUGE_VAL;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < series[i].count; k++) {
            const double x = series[i].x[k];
            if (!drawable(x)) continue;
            lo = fmin(lo, x);
            hi = fmax(hi, x);
            if (x > 0) positive = fmin(positive, x);
        }
    if (lo > hi) lo = hi = 0;
    /* Logarithmic if most lines go most of their way in the first hundredth of the time. */
    const int early = lo >= 0 && hi > 1000 * positive && moved_lines(count, series, hi / 100, 0.7) > 0.5;
    if (!early) return axis_linear(lo, hi, wanted, 0);
    double start = pow(10, floor(log10(positive) + 1e-9));
    while (start * 1000 < hi && moved_lines(count, series, start * 10, 0.005) == 0) start *= 10;
    return axis_log(fmax(start, positive), hi, wanted + 2);
}
