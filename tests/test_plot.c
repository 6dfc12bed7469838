/* test_plot.c - figures: ticks are where people expect them, labels do not touch, whatever the numbers are the SVG is well
 * formed, holds no NaN and writes nothing beyond its edges, what is left out is said, and a figure that cannot be made leaves a
 * reason and no file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "plot_draw.h"

#include <ctype.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/costate-plot-XXXXXX";

static int make_folder(void **unused)
{
    (void)unused;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **unused)
{
    (void)unused;
    return rmdir(folder); /* fails if a test left a file */
}

/* A path in the folder; one at a time. */
static const char *at(const char *name)
{
    static char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static char *content(const char *path)
{
    FILE *from = fopen(path, "rb");
    assert_non_null(from);
    assert_int_equal(fseek(from, 0, SEEK_END), 0);
    const long length = ftell(from);
    rewind(from);
    char *text = calloc((size_t)length + 1, 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)length, from), length);
    fclose(from);
    return text;
}

static int count(const char *text, const char *what)
{
    int found = 0;
    for (const char *s = text; (s = strstr(s, what)); s += strlen(what)) found++;
    return found;
}

/* Tags are closed in order, every & begins an entity, there are no control characters, and no number is NaN or infinite. */
static void well_formed(const char *svg)
{
    char open[16][16];
    int depth = 0;
    assert_int_equal(strncmp(svg, "<?xml", 5), 0);
    for (const char *s = strchr(svg, '\n'); *s; s++) {
        if (*s == '&')
            assert_true(!strncmp(s, "&lt;", 4) || !strncmp(s, "&gt;", 4) || !strncmp(s, "&amp;", 5) || !strncmp(s, "&quot;", 6));
        assert_true((unsigned char)*s >= 0x20 || *s == '\n' || *s == '\t');
        if (*s != '<') continue;
        const char *end = strchr(s, '>');
        assert_non_null(end);
        char name[16] = "";
        const int closing = s[1] == '/';
        sscanf(s + 1 + closing, "%15[a-z]", name);
        if (closing) {
            assert_true(depth > 0);
            assert_string_equal(open[--depth], name);
        } else if (end[-1] != '/') {
            assert_true(depth < 16);
            strcpy(open[depth++], name);
        }
        for (const char *a = s; !closing && a < end; a++) /* numbers in attributes */
            assert_false(!strncmp(a, "nan", 3) || (!strncmp(a, "inf", 3)));
        s = end;
    }
    assert_int_equal(depth, 0);
}

static double attribute(const char *tag, const char *name, double preset)
{
    char key[32];
    snprintf(key, sizeof key, " %s=\"", name);
    const char *found = strstr(tag, key);
    return found ? strtod(found + strlen(key), NULL) : preset;
}

/* The text of an element up to its end, without tags and with entities as one character. */
static void plain_text(const char *from, const char *end, char text[1000])
{
    size_t length = 0;
    for (const char *s = from; s < end && length < 998; s++) {
        if (*s == '<') s = strchr(s, '>');
        else {
            text[length++] = *s == '&' ? 'm' : *s;
            if (*s == '&') s = strchr(s, ';');
        }
    }
    text[length] = 0;
}

/* How wide it is, with what stands higher being smaller. */
static double measured(const pen_font *font, const char *from, const char *end)
{
    char text[1000];
    const char *raised = strstr(from, "<tspan");
    const pen_font small = {font->size * 5 / 7, font->bold, NULL};
    if (!raised || raised > end) raised = end;
    plain_text(from, raised, text);
    const double width = text_width(font, text);
    plain_text(raised, end, text);
    return width + text_width(&small, text);
}

/* No text crosses an edge of the page, by its own measure, be it level or upwards. */
static void inside_the_page(const char *svg)
{
    double wide = 0, high = 0;
    assert_int_equal(sscanf(strstr(svg, "viewBox="), "viewBox=\"0 0 %lf %lf\"", &wide, &high), 2);
    for (const char *s = svg; (s = strstr(s, "<text"));) {
        const char *end = strstr(s, "</text>"), *close = strchr(s, '>');
        char tag[400];
        snprintf(tag, sizeof tag, "%.*s", (int)(close - s), s);
        const pen_font font = {attribute(tag, "font-size", font_plain.size), strstr(tag, "bold") != NULL, NULL};
        const double x = attribute(tag, "x", NAN), y = attribute(tag, "y", NAN), length = measured(&font, close + 1, end);
        const double left = strstr(tag, "\"middle\"") ? length / 2 : strstr(tag, "\"end\"") ? length : 0;
        const int turned = strstr(tag, "rotate(-90") != NULL;
        const double from = turned ? y - length : x - left, to = turned ? y : x + length - left;
        if (!(from >= 0 && to <= (turned ? high : wide) + 0.01))
            fail_msg("beyond the edge, %g .. %g: %.*s", from, to, (int)(end - close), close);
        assert_true(turned ? x > 0 && x < wide : y > 3 && y < high);
        s = end;
    }
}

/* The SVG that a figure was written to, checked, and its file removed. */
static char *taken(const plot *f, int status)
{
    if (status) fail_msg("%s", f->message);
    char *svg = content(f->path);
    well_formed(svg);
    inside_the_page(svg);
    assert_int_equal(unlink(f->path), 0);
    return svg;
}

/* ---- axes ----------------------------------------------------------------------------------------------------------- */

static plot_series line(const char *name, const char *group, int rows, int stride, const double *x, const double *y)
{
    return (plot_series){.name = name, .group = group, .count = rows, .stride = stride, .x = x, .y = y};
}

static double uniform(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed / 4294967296.0;
}

static int is_nice(double step)
{
    const double mantissa = step / pow(10, floor(log10(step) + 1e-9));
    return fabs(mantissa - 1) < 1e-9 || fabs(mantissa - 2) < 1e-9 || fabs(mantissa - 5) < 1e-9;
}

static void linear_axes_have_few_round_and_distinct_numbers(void **unused)
{
    (void)unused;
    unsigned seed = 7;
    for (int trial = 0; trial < 20000; trial++) {
        const double size = pow(10, 40 * uniform(&seed) - 20), lo = size * (2 * uniform(&seed) - 1);
        const double hi = lo + size * pow(10, -8 * uniform(&seed));
        const int wanted = 3 + trial % 4, loose = trial % 2;
        const axis a = axis_linear(lo, hi, wanted, loose);
        assert_true(is_nice(a.step));
        if (loose) assert_true(a.lo <= lo + 2e-3 * a.step && a.hi >= hi - 2e-3 * a.step && a.hi - a.lo < hi - lo + 2.01 * a.step);
        char number[32], before[32] = "";
        double value;
        int ticks = 0, power;
        for (; !axis_tick(&a, ticks, &value, number, &power); ticks++) {
            assert_true(value >= a.lo - 1e-6 * a.step && value <= a.hi + 1e-6 * a.step);
            assert_true(strcmp(number, before) != 0 && *number && strlen(number) < 12);
            strcpy(before, number);
        }
        /* Within a factor sqrt(2.5) of what was wanted, give or take the ends. */
        assert_true(ticks >= (int)(wanted / 1.6) - 1 && ticks <= (int)(wanted * 1.6) + 3);
    }
}

static void numbers_say_what_they_stand_for(void **unused)
{
    (void)unused;
    unsigned seed = 11;
    for (int trial = 0; trial < 5000; trial++) {
        const double size = pow(10, 30 * uniform(&seed) - 15), lo = size * (2 * uniform(&seed) - 1);
        const axis a = axis_linear(lo, lo + size * pow(10, -7 * uniform(&seed)), 5, 1);
        char number[32];
        double value;
        for (int i = 0, power; !axis_tick(&a, i, &value, number, &power); i++) {
            const int minus = !strncmp(number, PLOT_MINUS, strlen(PLOT_MINUS));
            const double read = strtod(number + (minus ? strlen(PLOT_MINUS) : 0), NULL) * (minus ? -1 : 1);
            assert_true(fabs(a.base + read * pow(10, a.exponent) - value) < 1e-3 * a.step + 1e-12 * fabs(value));
        }
    }
}

/* What decays to zero may end below it by an error of the run. */
static void no_room_is_made_for_what_nobody_sees(void **unused)
{
    (void)unused;
    const axis below = axis_linear(-1e-9, 1, 5, 1), seen = axis_linear(-0.01, 1, 5, 1);
    assert_true(below.lo == 0 && below.hi == 1);
    assert_true(seen.lo < -0.01 && seen.hi == 1);
}

static void a_constant_is_drawn_in_the_middle(void **unused)
{
    (void)unused;
    const double constants[] = {0, 1, -3e-7, 1e299, -DBL_MIN, 4e-320};
    for (int i = 0; i < 6; i++) {
        axis a = axis_linear(constants[i], constants[i], 5, 0);
        a.from = 0;
        a.to = 1;
        assert_true(fabs(axis_at(&a, constants[i]) - 0.5) < 1e-9);
    }
}

static void logarithmic_axes_label_decades(void **unused)
{
    (void)unused;
    for (int from = -20; from < 10; from++)
        for (double decades = 0.5; decades < 30; decades += 1.3) {
            const axis a = axis_log(pow(10, from + 0.3), pow(10, from + 0.3 + decades), 6);
            char number[32];
            double value;
            int labels = 0, power;
            for (int i = 0; !axis_tick(&a, i, &value, number, &power); i++) {
                if (isnan(value)) continue;
                assert_true(value >= a.lo * (1 - 1e-6) && value <= a.hi * (1 + 1e-6));
                if (power != INT_MIN) assert_true(fabs(value / pow(10, power) - 1) < 1e-9);
                labels += power != INT_MIN || *number;
            }
            assert_true(labels >= 1 && labels <= 10);
        }
}

static void labels_are_spread_as_little_as_possible(void **unused)
{
    (void)unused;
    double apart[] = {10, 20, 40};
    spread(3, apart, 8, 0, 100);
    assert_true(apart[0] == 10 && apart[1] == 20 && apart[2] == 40);
    double together[] = {50, 50, 51};
    spread(3, together, 8, 0, 100);
    assert_true(fabs(together[1] - 151.0 / 3) < 1e-12); /* the mean stays */
    unsigned seed = 3;
    for (int trial = 0; trial < 2000; trial++) {
        double place[10];
        for (int i = 0; i < 10; i++) place[i] = (i ? place[i - 1] : 0) + 12 * uniform(&seed) * uniform(&seed);
        spread(10, place, 7, 0, 80);
        for (int i = 0; i < 10; i++) assert_true(place[i] > -1e-9 && place[i] < 80 + 1e-9);
        for (int i = 1; i < 10; i++) assert_true(place[i] - place[i - 1] > 7 - 1e-9);
    }
}

static void points_of_time_are_in_order(void **unused)
{
    (void)unused;
    const double runs[][2] = {{0, 10}, {10, 0}, {0, 1e11}, {-5, 3}, {1e9, 1e9 + 1}, {1e9, 1e9 + 1e-6}, {0, 1e-12}};
    for (int r = 0; r < 7; r++) {
        double times[PLOT_TIMES];
        const int rows = plot_times(runs[r][0], runs[r][1], times), sign = runs[r][1] > runs[r][0] ? 1 : -1;
        assert_true(rows >= 2 && rows <= PLOT_TIMES);
        assert_true(times[0] == runs[r][0] && times[rows - 1] == runs[r][1]);
        for (int k = 1; k < rows; k++) assert_true(sign * (times[k] - times[k - 1]) > 0);
    }
    double times[PLOT_TIMES];
    assert_int_equal(plot_times(2, 2, times), 1);
}

/* ---- lines ---------------------------------------------------------------------------------------------------------- */

enum { ROWS = 50 };

/* The figure of lines y_i(t) = size_i sin(t + i), t = 0 .. 10. */
static char *waves(int lines, const double *size, const char *name, const char *group)
{
    double *t = calloc(ROWS, sizeof *t), *y = calloc((size_t)(ROWS * lines), sizeof *y);
    plot_series *series = calloc((size_t)lines, sizeof *series);
    assert_true(t && y && series);
    for (int k = 0; k < ROWS; k++) {
        t[k] = 10.0 * k / (ROWS - 1);
        for (int i = 0; i < lines; i++) y[k * lines + i] = size[i] * sin(t[k] + i);
    }
    for (int i = 0; i < lines; i++) series[i] = line(name, group, ROWS, lines, t, y + i);
    plot f = {.path = at("waves.svg"), .title = "waves", .x = "t"};
    char *svg = taken(&f, plot_lines(&f, lines, series));
    free(series);
    free(y);
    free(t);
    return svg;
}

/* A group's name is written above each of its panels. */
static void scales_that_differ_get_panels(void **unused)
{
    (void)unused;
    char *svg = waves(3, (double[]){1, 1.5, 0.7}, "wave", "GROUP");
    assert_int_equal(count(svg, ">GROUP<"), 1);
    assert_int_equal(count(svg, ">wave</text>"), 3);
    free(svg);
    svg = waves(3, (double[]){1, 1e-5, 0.7}, "wave", "GROUP");
    assert_int_equal(count(svg, ">GROUP<"), 2);
    assert_int_equal(count(svg, ">wave</text>"), 3);
    free(svg);
    svg = waves(6, (double[]){1, 1, 1, 1, 1, 1}, "wave", "GROUP"); /* as many, but three and three */
    assert_int_equal(count(svg, ">GROUP<"), 2);
    free(svg);
    svg = waves(3, (double[]){1, 0, 1}, "wave", "GROUP");
    assert_int_equal(count(svg, ">wave</text>"), 2);
    assert_int_equal(count(svg, "Zero throughout: GROUP wave."), 1);
    free(svg);
}

static void many_lines_are_a_thicket(void **unused)
{
    (void)unused;
    double size[300];
    for (int i = 0; i < 300; i++) size[i] = 1 + 0.001 * i;
    char *svg = waves(100, size, "wave", NULL);
    assert_int_equal(count(svg, ">wave</text>"), 5);
    assert_int_equal(count(svg, "<title>wave</title>"), 105);
    free(svg);
    svg = waves(300, size, "wave", NULL);
    assert_int_equal(count(svg, "300 lines by index"), 1);
    free(svg);
}

static void time_is_logarithmic_when_it_happens_early(void **unused)
{
    (void)unused;
    double t[PLOT_TIMES], y[PLOT_TIMES];
    const int rows = plot_times(0, 1e6, t);
    const plot_series s = line("decay", NULL, rows, 1, t, y);
    for (int early = 0; early < 2; early++) {
        for (int k = 0; k < rows; k++) y[k] = exp(-t[k] / (early ? 1 : 3e5));
        plot f = {.path = at("time.svg"), .x = "t"};
        char *svg = taken(&f, plot_lines(&f, 1, &s));
        /* 10^2 is a label of the logarithmic axis; the linear one has a factor 10^6 or 10^5 */
        assert_int_equal(count(svg, ">10<tspan dy=\"-2.6\" font-size=\"5\">2<") >= 1, early);
        free(svg);
    }
}

static void odd_numbers_are_drawn_or_left_out(void **unused)
{
    (void)unused;
    const double odd[] = {0,       -0.0,   1,      NAN,   INFINITY, -INFINITY,      DBL_MAX, -DBL_MAX,
                          DBL_MIN, 4e-320, 1e-300, 1e300, -1e300,   1 + DBL_EPSILON};
    enum { ODD = sizeof odd / sizeof *odd };
    double x[4] = {0, 1, 2, 3};
    for (int i = 0; i < ODD; i++)
        for (int j = 0; j < ODD; j++) {
            const double y[8] = {odd[i], 1, odd[j], odd[i], odd[j], odd[i], odd[i], odd[j]};
            const plot_series s[] = {
                line("a", NULL, 4, 2, x, y), line("b", NULL, 4, 2, x, y + 1), line("c", "g", 1, 1, x, y),
                line("d", "g", 0, 1, x, y)};
            plot f = {.path = at("odd.svg"), .x = "t"};
            free(taken(&f, plot_lines(&f, 4, s)));
            const char *const name[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
            f = (plot){.path = at("odd.svg")};
            free(taken(&f, plot_bars(&f, 1, &(plot_bar_chart){NULL, NULL, 8, 1, name, y, NULL})));
        }
}

/* ---- bars, patterns, two logarithmic axes --------------------------------------------------------------------------- */

static void bars_are_sorted_and_the_rest_is_summed_up(void **unused)
{
    (void)unused;
    enum { BARS = 81 };
    static char text[BARS][16];
    const char *name[BARS];
    double size[BARS];
    for (int k = 0; k < BARS; k++) {
        snprintf(text[k], sizeof text[k], "k%d", k);
        name[k] = text[k];
        size[k] = (k % 2 ? -1.0 : 1.0) * ((k * 37) % BARS + 1); /* 1 .. 81 in some order */
    }
    plot f = {.path = at("bars.svg"), .title = "bars"};
    char *svg = taken(&f, plot_bars(&f, 1, &(plot_bar_chart){NULL, "d psi / d name", BARS, 1, name, size, NULL}));
    assert_int_equal(count(svg, "<rect x="), 30 + 1); /* and the paper */
    assert_int_equal(count(svg, ">d psi / d name<"), 1);
    assert_int_equal(count(svg, "51 smaller ones, of absolute"), 1);
    assert_int_equal(count(svg, "up to 51."), 1);
    double before = BARS + 1;
    for (const char *s = svg; (s = strstr(s, "text-anchor=\"end\">k"));) {
        s += strlen("text-anchor=\"end\">k");
        const double now = fabs(size[atoi(s)]);
        assert_true(now < before);
        before = now;
    }
    assert_true(before == BARS - 29);
    free(svg);
    plot_bar_chart many[8];
    for (int i = 0; i < 8; i++) many[i] = (plot_bar_chart){"OBJECTIVE", NULL, BARS, 1, name, size, NULL};
    svg = taken(&f, plot_bars(&f, 8, many));
    assert_int_equal(count(svg, ">OBJECTIVE<"), 6);
    assert_int_equal(count(svg, "<rect x="), 6 * 12 + 1);
    assert_int_equal(count(svg, "2 more objectives"), 1);
    free(svg);
}

static void names_of_any_kind_are_escaped(void **unused)
{
    (void)unused;
    const char *const name[] = {"a<b>&\"c\"",    "\xff\xfe", "bell\a", "\xc3\xbc",
                                "\xed\xa0\x80", "",         "a very long name that does not fit next to anything at all"};
    const double size[] = {7, 6, 5, 4, 3, 2, 1};
    plot f = {.path = at("names.svg"), .title = "<&>", .x = "]]>"};
    char *svg = taken(&f, plot_bars(&f, 1, &(plot_bar_chart){"\x01", "]]>", 7, 1, name, size, NULL}));
    assert_int_equal(count(svg, ">a&lt;b&gt;&amp;&quot;c&quot;</text>"), 1);
    assert_int_equal(count(svg, ">?" "?</text>"), 1);
    assert_int_equal(count(svg, ">bell?</text>"), 1);
    assert_int_equal(count(svg, "\xc3\xbc</text>"), 1);
    assert_int_equal(count(svg, "\xed\xa0"), 0);
    assert_int_equal(count(svg, "does not fit"), 1); /* for those who point at it */
    assert_int_equal(count(svg, "at all<"), 1); /* the middle is what is left out */
    free(svg);
}

static void patterns_show_every_entry(void **unused)
{
    (void)unused;
    const int colptr[] = {0, 2, 3, 5}, rowind[] = {0, 2, 1, 0, 2};
    const char *const name[] = {"x", "y", "z"};
    const plot_matrix m[] = {{"f_y", 3, 3, colptr, rowind, name, name}, {"f_p", 3, 0, colptr, rowind, name, NULL}};
    plot f = {.path = at("pattern.svg")};
    char *svg = taken(&f, plot_pattern(&f, 2, m));
    assert_int_equal(count(svg, "fill-opacity=\"1.00\""), 5);
    assert_int_equal(count(svg, ">y<"), 2);
    assert_int_equal(count(svg, "f_p"), 0);
    free(svg);
    enum { N = 1000 };
    static int ptr[N + 1], ind[3 * N];
    int entries = 0;
    for (int j = 0; j < N; j++) {
        ptr[j] = entries;
        for (int i = j - 1; i <= j + 1; i++)
            if (i >= 0 && i < N) ind[entries++] = i;
    }
    ptr[N] = entries;
    f = (plot){.path = at("large.svg")};
    svg = taken(&f, plot_pattern(&f, 1, &(plot_matrix){"f_y", N, N, ptr, ind, NULL, NULL}));
    assert_int_equal(count(svg, "2998 entries"), 1);
    assert_int_equal(count(svg, "as dark as"), 1);
    free(svg);
}

static void work_and_precision(void **unused)
{
    (void)unused;
    const double error[] = {1e-3, 1e-6, 0, -1, NAN, 1e-9}, work[] = {1, 10, 20, 30, 40, 100};
    const plot_series s[] = {line("dopri5", NULL, 6, 1, error, work), line("one", NULL, 1, 1, error, work)};
    plot f = {.path = at("work.svg"), .x = "error", .y = "seconds"};
    char *svg = taken(&f, plot_loglog(&f, 2, s));
    assert_int_equal(count(svg, "stroke-width=\"0.7\""), 4 + 2); /* marks, also at the names */
    assert_int_equal(count(svg, "Not drawn: 3 points"), 1);
    free(svg);
    assert_int_equal(plot_loglog(&f, 1, (plot_series[]){line("none", NULL, 1, 1, error + 2, work)}), -1);
    assert_non_null(strstr(f.message, "nothing to draw"));
}

/* ---- what is chosen ------------------------------------------------------------------------------------------------- */

enum { GROUPS = 40 };

/* A line in each of GROUPS groups, g10 .. g49, the i-th of size 1 + i. */
static char *groups(double least, int falling_weights, int ranked)
{
    static char name[GROUPS][16];
    double t[ROWS], y[ROWS * GROUPS];
    plot_series s[GROUPS];
    for (int k = 0; k < ROWS; k++) {
        t[k] = k;
        for (int i = 0; i < GROUPS; i++) y[k * GROUPS + i] = (1 + i) * sin(0.2 * k);
    }
    for (int i = 0; i < GROUPS; i++) {
        snprintf(name[i], sizeof name[i], "g%d", 10 + i);
        s[i] = line("wave", name[i], ROWS, GROUPS, t, y + i);
        s[i].least = least;
        s[i].weight = falling_weights ? pow(10, -i) : 1;
    }
    plot f = {.path = at("groups.svg"), .things = "waves", .measure = "height", .ranked = ranked};
    return taken(&f, plot_lines(&f, GROUPS, s));
}

static void the_largest_panels_are_drawn(void **unused)
{
    (void)unused;
    char *svg = groups(0, 0, 0);
    assert_int_equal(count(svg, "class=\"panel\""), 24);
    assert_null(strstr(svg, ">g10<"));
    assert_true(strstr(svg, ">g26<") && strstr(svg, ">g26<") < strstr(svg, ">g49<")); /* in their order */
    assert_non_null(strstr(svg, "Drawn are 24 of 40 waves, in the 24 panels with the largest by height."));
    free(svg);
    svg = groups(0, 1, 1);
    assert_true(strstr(svg, ">g10<") < strstr(svg, ">g11<"));
    assert_null(strstr(svg, ">g49<"));
    free(svg);
    svg = groups(0, 0, 1);
    assert_true(strstr(svg, ">g49<") < strstr(svg, ">g48<")); /* by size */
    free(svg);
}

static void what_never_leaves_its_tolerance_is_said_not_drawn(void **unused)
{
    (void)unused;
    char *svg = groups(37.5, 0, 0);
    assert_int_equal(count(svg, "class=\"panel\""), 3);
    assert_non_null(strstr(svg, "Never above the tolerance: g10 wave, g11 wave"));
    free(svg);
    svg = groups(100, 0, 0); /* all of them: drawn nevertheless */
    assert_int_equal(count(svg, "class=\"panel\""), 24);
    free(svg);
}

static void values_are_logarithmic_where_that_helps(void **unused)
{
    (void)unused;
    double t[ROWS], y[ROWS], z[ROWS];
    for (int k = 0; k < ROWS; k++) {
        t[k] = 20.0 * k / (ROWS - 1);
        y[k] = exp(-t[k]);
        z[k] = y[k] - 1e-8;
    }
    const char *decade = ">10<tspan dy=\"-2.6\" font-size=\"5\">" PLOT_MINUS "6<";
    for (int kind = 0; kind < 4; kind++) {
        plot f = {.path = at("log.svg"), .scale = kind == 1 ? PLOT_LINEAR : PLOT_AUTO};
        plot_series s = line("decay", NULL, ROWS, 1, t, kind == 2 ? z : y);
        if (kind == 3) s.least = 1e-4;
        char *svg = taken(&f, plot_lines(&f, 1, &s));
        assert_int_equal(count(svg, decade), kind == 0); /* linear, not positive, and noise below the tolerance have none */
        free(svg);
    }
    plot f = {.path = at("log.svg"), .scale = PLOT_LOG};
    for (int k = 0; k < ROWS; k++) y[k] = 1 + 10 * t[k];
    char *svg = taken(&f, plot_lines(&f, 1, (plot_series[]){line("rise", NULL, ROWS, 1, t, y)}));
    assert_non_null(strstr(svg, ">100</text>"));
    assert_null(strstr(svg, ">150</text>"));
    free(svg);
}

static void marked_times_are_on_axis_and_lines(void **unused)
{
    (void)unused;
    const double t[] = {0, 1, 2, 3}, y[] = {0, 1, 4, 9}, mark[] = {0.5, 2, 2.5, 7};
    plot f = {.path = at("marks.svg"), .marks = 4, .mark = mark, .mark_name = "observations"};
    char *svg = taken(&f, plot_lines(&f, 1, (plot_series[]){line("y", NULL, 4, 1, t, y)}));
    assert_int_equal(count(svg, "data-p="), 3 + 3); /* ticks and circles of those within the run */
    assert_non_null(strstr(svg, "Circles: 4 observations."));
    free(svg);
    const plot_series s = line("y", NULL, 4, 1, t, y), back = line("y", NULL, 2, 1, (double[]){3, 1}, (double[]){8, 4});
    assert_true(series_between(&s, 2.5) == 6.5 && series_between(&s, 3) == 9 && isnan(series_between(&s, 3.1)));
    assert_true(series_between(&back, 2) == 6 && isnan(series_between(&back, 0.5)));
}

/* ---- maps of colours ------------------------------------------------------------------------------------------------ */

static int digit(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    return (int)(strchr(digits, c) - digits);
}

/* The byte at a place of the first image. */
static int image_byte(const char *svg, size_t place)
{
    const char *s = strstr(svg, "base64,") + 7 + place / 3 * 4;
    const int x = digit(s[0]) << 18 | digit(s[1]) << 12 | (s[2] == '=' ? 0 : digit(s[2])) << 6 | (s[3] == '=' ? 0 : digit(s[3]));
    return x >> (16 - 8 * (int)(place % 3)) & 255;
}

typedef void naming(char name[24], int i);

static void one_field(char name[24], int i)
{
    snprintf(name, 24, "y[%d]", i);
}

static void two_fields(char name[24], int i)
{
    snprintf(name, 24, "%c[%d]", i % 2 ? 'v' : 'u', i / 2);
}

static void no_field(char name[24], int i)
{
    snprintf(name, 24, "%d<&\"", i);
}

/* Lines over time with such names and values. */
static char *field(int lines, naming *named, double (*value)(int i, double t))
{
    char(*name)[24] = calloc((size_t)lines, sizeof *name);
    double t[ROWS], *y = calloc((size_t)lines * ROWS, sizeof *y);
    plot_series *s = calloc((size_t)lines, sizeof *s);
    assert_true(name && y && s);
    for (int k = 0; k < ROWS; k++) {
        t[k] = k;
        for (int i = 0; i < lines; i++) y[k * lines + i] = value(i, t[k]);
    }
    for (int i = 0; i < lines; i++) {
        named(name[i], i);
        s[i] = line(name[i], NULL, ROWS, lines, t, y + i);
    }
    plot f = {.path = at("field.svg"), .x = "t", .things = "states"};
    char *svg = taken(&f, plot_lines(&f, lines, s));
    free(name);
    free(y);
    free(s);
    return svg;
}

static double ramp(int i, double t)
{
    (void)t;
    return i;
}

static double ripple(int i, double t)
{
    return sin(0.1 * i + t);
}

static double spectrum(int i, double t)
{
    return pow(10, -0.05 * i) * (1 + t);
}

/* Behind the heads, each row of the image begins with a byte of its own, and every 65535 bytes with five. */
static int pixel(const char *svg, int row, int column)
{
    const size_t k = (size_t)row * 301 + 1 + (size_t)column;
    return image_byte(svg, 823 + k + 5 * (k / 65535 + 1));
}

static void many_states_are_a_map(void **unused)
{
    (void)unused;
    char *svg = field(1000, one_field, ramp);
    assert_int_equal(count(svg, "<image "), 1);
    assert_int_equal(count(svg, ">y[i]<"), 1);
    assert_int_equal(image_byte(svg, 1), 'P');
    assert_int_equal(image_byte(svg, 33 + 4), 'P'); /* the palette */
    assert_true(pixel(svg, 0, 0) == 255 && pixel(svg, 0, 299) == 255); /* the highest index is at the top */
    assert_true(pixel(svg, 128, 150) == 127 && pixel(svg, 255, 299) < 2);
    assert_non_null(strstr(svg, "A row of pixels stands for up to 4 states"));
    assert_true(strlen(svg) < 150000);
    free(svg);
    svg = field(20000, no_field, ripple);
    assert_int_equal(count(svg, ">20000 states by index<"), 1);
    assert_true(strlen(svg) < 150000);
    assert_non_null(strstr(svg, " 0 1\" ")); /* linear, of both signs */
    free(svg);
    svg = field(100, one_field, spectrum);
    assert_non_null(strstr(svg, " 1 0\" ")); /* logarithmic, of one sign */
    free(svg);
    svg = field(40, one_field, ripple); /* few enough for lines */
    assert_int_equal(count(svg, "<image "), 0);
    free(svg);
}

static void fields_are_told_by_their_names(void **unused)
{
    (void)unused;
    char *svg = field(1000, two_fields, ripple);
    assert_int_equal(count(svg, "<image "), 2);
    assert_int_equal(count(svg, "class=\"panel\""), 2);
    assert_true(strstr(svg, ">u[i]<") && strstr(svg, ">v[i]<"));
    assert_non_null(strstr(svg, "A row of pixels stands for up to 2 states"));
    assert_true(strlen(svg) < 250000);
    free(svg);
}

static void matrices_are_labelled_maps(void **unused)
{
    (void)unused;
    const char *const name[] = {"alpha", "a<b>&\"c\"", "a name that is longer than there is place for it"};
    const double few[] = {1e5, -2.5, 0, -2.5, 3e-300, 1e-3, 0, 1e-3, 1e300};
    plot f = {.path = at("heat.svg"), .title = "model"};
    char *svg = taken(&f, plot_heat(&f, 1, &(plot_entries){"Hessian of psi", 3, few, name}));
    assert_int_equal(count(svg, ">alpha</text>"), 2);
    assert_int_equal(count(svg, ">a&lt;b&gt;&amp;&quot;c&quot;</text>"), 2);
    assert_int_equal(count(svg, "<title>"), 9);
    assert_int_equal(count(svg, ">" PLOT_MINUS "2.5</text>"), 2); /* numbers in the cells */
    free(svg);
    enum { N = 100 };
    static double many[N * N];
    static const char *names[N];
    for (int k = 0; k < N; k++) names[k] = "k";
    for (int k = 0; k < N * N; k++) many[k] = k / N == k % N ? 2 : -1;
    svg = taken(&f, plot_heat(&f, 8, (plot_entries[]){{"H", N, many, names}, {"H", N, many, names}, {"H", 3, few, name},
                                                      {"H", 3, few, name}, {"H", 3, few, name}, {"H", 1, few, name},
                                                      {"H", 1, few + 2, name}, {"H", 1, few, name}}));
    assert_int_equal(count(svg, "<image "), 2);
    assert_int_equal(count(svg, "2 more objectives"), 1);
    free(svg);
}

static void many_methods_have_panels(void **unused)
{
    (void)unused;
    static char name[21][16];
    plot_series s[21];
    const double error[] = {1e-3, 1e-6, 1e-9}, work[] = {1, 10, 100};
    for (int i = 0; i < 21; i++) {
        snprintf(name[i], sizeof name[i], "m%d", 10 + i);
        s[i] = line(name[i], i < 8 ? "explicit" : i < 14 ? "implicit" : "other", 3, 1, error, work);
    }
    plot f = {.path = at("methods.svg"), .x = "error", .y = "seconds"};
    char *svg = taken(&f, plot_loglog(&f, 21, s));
    assert_int_equal(count(svg, "class=\"panel\""), 3);
    for (int i = 0; i < 21; i++) {
        char text[24];
        snprintf(text, sizeof text, ">m%d</text>", 10 + i);
        assert_int_equal(count(svg, text), 1);
    }
    assert_int_equal(count(svg, ">implicit<"), 1);
    free(svg);
    svg = taken(&f, plot_loglog(&f, 7, s + 4)); /* few enough for one */
    assert_int_equal(count(svg, "class=\"panel\""), 1);
    free(svg);
    for (int i = 0; i < 9; i++) s[i].count = 0; /* those without a point are named, and take no room */
    svg = taken(&f, plot_loglog(&f, 21, s));
    assert_int_equal(count(svg, "class=\"panel\""), 2);
    assert_int_equal(count(svg, ">explicit<"), 0);
    assert_int_equal(count(svg, "Nothing to draw of m10, m11, m12, m13, m14, m15, m16, m17, m18."), 1);
    free(svg);
}

/* ---- edges ---------------------------------------------------------------------------------------------------------- */

/* Numbers and names of any length keep within the page, which is what `taken` asserts. */
static void nothing_is_cut_off(void **unused)
{
    (void)unused;
    static const double start[] = {0, 1.7e9, -1.7e9, 1e14, 1e-300, -123456.789}, span[] = {1, 1e-3, 1e6, 3, 1e-290, 1e-4};
    static const double size[] = {1, 1e-300, 1e300, -1e-12, 1e299, 123456789};
    static const char *const name[] = {"x",   "W",       "a_rather_long_name_of_a_state_that_goes_on", "\xce\xb1\xce\xb2",
                                       "<&>", "mmmmmmmm"};
    for (int a = 0; a < 6; a++)
        for (int b = 0; b < 6; b++)
            for (int c = 0; c < 2; c++) {
                double t[ROWS], y[3 * ROWS];
                for (int k = 0; k < ROWS; k++) {
                    t[k] = start[a] + span[a] * k / (ROWS - 1);
                    y[3 * k] = size[b] * (c ? 1 : sin(k));
                    y[3 * k + 1] = size[b] * (1 + 1e-7 * k); /* numbers that differ far behind the point */
                    y[3 * k + 2] = size[b] * 1e-5 * k;
                }
                plot_series s[3];
                for (int i = 0; i < 3; i++) s[i] = line(name[(a + b + i) % 6], c ? name[(a + i) % 6] : NULL, ROWS, 3, t, y + i);
                plot f = {.path = at("edges.svg"), .title = name[(a + b) % 6], .x = name[b], .scale = c ? PLOT_LOG : PLOT_AUTO};
                free(taken(&f, plot_lines(&f, 3, s)));
                free(taken(&f, plot_lines(&f, 1, s + 1)));
                f.path = at("edges.svg");
                s[0] = line(name[a], NULL, 2, 1, y + 1, y + 4);
                if (size[b] > 1e-200 && size[b] < 1e300) free(taken(&f, plot_loglog(&f, 3, s)));
                const double bars[] = {size[b], -size[b], size[b] / 3};
                free(taken(&f, plot_bars(&f, 1, &(plot_bar_chart){name[a], name[b], 3, 1, name + a % 3, bars, NULL})));
            }
}

/* ---- pages ---------------------------------------------------------------------------------------------------------- */

static void pages_stand_alone(void **unused)
{
    (void)unused;
    double t[ROWS], y[ROWS];
    for (int k = 0; k < ROWS; k++) t[k] = k, y[k] = sin(k);
    plot f = {.path = at("page.html"), .title = "</title><b>&"};
    assert_int_equal(plot_lines(&f, 1, (plot_series[]){line("wave", NULL, ROWS, 1, t, y)}), 0);
    char *page = content(f.path);
    assert_int_equal(unlink(f.path), 0);
    assert_int_equal(strncmp(page, "<!DOCTYPE html>", 15), 0);
    assert_int_equal(count(page, "<title>&lt;/title&gt;&lt;b&gt;&amp;</title>"), 1);
    assert_int_equal(count(page, "<svg "), 1);
    assert_int_equal(count(page, "<script>"), 1);
    assert_int_equal(count(page, "</html>"), 1);
    assert_int_equal(count(page, "://"), 2); /* names of languages: SVG and its links */
    assert_int_equal(count(page, "xmlns"), 2);
    assert_int_equal(count(page, " src="), 0);
    assert_int_equal(count(page, "@import"), 0);
    assert_true(count(page, "prefers-color-scheme:dark") == 2);
    free(page);
}

/* ---- files ---------------------------------------------------------------------------------------------------------- */

static int draw(plot *f)
{
    const double t[] = {0, 1}, y[] = {1, 2};
    return plot_lines(f, 1, (plot_series[]){line("y", NULL, 2, 1, t, y)});
}

static void files_that_cannot_be_made_are_refused(void **unused)
{
    (void)unused;
    const char *const names[] = {"a.gif", "a", ".svg", "svg", "no/such/folder/a.svg"};
    for (int i = 0; i < 5; i++) {
        plot f = {.path = at(names[i])};
        assert_int_equal(plot_check(&f), -1);
        assert_non_null(strstr(f.message, i < 4 ? "ends in .svg, .html, .png or .pdf" : "cannot be written"));
        assert_int_equal(draw(&f), -1);
        assert_true(*f.message && access(f.path, F_OK) != 0);
    }
    plot f = {.path = at("taken.svg")}; /* a folder of that name: found out only at the end */
    assert_int_equal(mkdir(f.path, 0777), 0);
    assert_int_equal(draw(&f), -1);
    assert_non_null(strstr(f.message, "cannot be written"));
    assert_int_equal(rmdir(f.path), 0);
}

static void without_a_converter_its_package_is_named(void **unused)
{
    (void)unused;
    char *path = strdup(getenv("PATH"));
    assert_non_null(path);
    assert_int_equal(setenv("PATH", folder, 1), 0);
    plot f = {.path = at("a.png")};
    const int checked = plot_check(&f);
    assert_int_equal(setenv("PATH", path, 1), 0);
    free(path);
    assert_int_equal(checked, -1);
    assert_non_null(strstr(f.message, "librsvg2-bin"));
    assert_non_null(strstr(f.message, "a.svg"));
}

/* Programs that stand for rsvg-convert: one that copies, one that fails. */
static void converters_are_run(void **unused)
{
    (void)unused;
    char *path = strdup(getenv("PATH")), longer[8192];
    assert_non_null(path);
    assert_true(snprintf(longer, sizeof longer, "%s:%s", folder, path) < (int)sizeof longer);
    assert_int_equal(setenv("PATH", longer, 1), 0);
    for (int fails = 0; fails < 2; fails++) {
        FILE *program = fopen(at("rsvg-convert"), "w");
        assert_non_null(program);
        fputs(fails ? "#!/bin/sh\nexit 3\n" : "#!/bin/sh\necho \"$1\"\nexec cat\n", program);
        assert_int_equal(fclose(program), 0);
        assert_int_equal(chmod(at("rsvg-convert"), 0755), 0);
        plot f = {.path = at("a.pdf")};
        const int status = draw(&f);
        if (fails) {
            assert_int_equal(status, -1);
            assert_non_null(strstr(f.message, "rsvg-convert could not make"));
            assert_true(access(f.path, F_OK) != 0);
        } else {
            assert_int_equal(status, 0);
            char *made = content(f.path);
            assert_int_equal(strncmp(made, "--format=pdf\n<?xml", 18), 0);
            free(made);
            assert_int_equal(unlink(f.path), 0);
        }
        assert_int_equal(unlink(at("rsvg-convert")), 0);
    }
    assert_int_equal(setenv("PATH", path, 1), 0);
    free(path);
}

/* What is installed, if anything is, makes PNG and PDF that begin as they have to. */
static void png_and_pdf(void **unused)
{
    (void)unused;
    for (int pdf = 0; pdf < 2; pdf++) {
        plot f = {.path = at(pdf ? "a.pdf" : "a.png")};
        if (plot_check(&f)) {
            assert_non_null(strstr(f.message, "librsvg2-bin"));
            continue;
        }
        assert_int_equal(draw(&f), 0);
        char *made = content(f.path);
        assert_int_equal(memcmp(made, pdf ? "%PDF" : "\x89PNG", 4), 0);
        free(made);
        assert_int_equal(unlink(f.path), 0);
    }
}

static void a_figure_replaces_the_one_before(void **unused)
{
    (void)unused;
    plot f = {.path = at("again.svg"), .title = "first"};
    assert_int_equal(draw(&f), 0);
    f.title = "second";
    char *svg = taken(&f, draw(&f));
    assert_int_equal(count(svg, ">second<"), 1);
    free(svg);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_axes_have_few_round_and_distinct_numbers),
        cmocka_unit_test(numbers_say_what_they_stand_for),
        cmocka_unit_test(no_room_is_made_for_what_nobody_sees),
        cmocka_unit_test(a_constant_is_drawn_in_the_middle),
        cmocka_unit_test(logarithmic_axes_label_decades),
        cmocka_unit_test(labels_are_spread_as_little_as_possible),
        cmocka_unit_test(points_of_time_are_in_order),
        cmocka_unit_test(scales_that_differ_get_panels),
        cmocka_unit_test(many_lines_are_a_thicket),
        cmocka_unit_test(time_is_logarithmic_when_it_happens_early),
        cmocka_unit_test(odd_numbers_are_drawn_or_left_out),
        cmocka_unit_test(bars_are_sorted_and_the_rest_is_summed_up),
        cmocka_unit_test(names_of_any_kind_are_escaped),
        cmocka_unit_test(patterns_show_every_entry),
        cmocka_unit_test(work_and_precision),
        cmocka_unit_test(the_largest_panels_are_drawn),
        cmocka_unit_test(what_never_leaves_its_tolerance_is_said_not_drawn),
        cmocka_unit_test(values_are_logarithmic_where_that_helps),
        cmocka_unit_test(marked_times_are_on_axis_and_lines),
        cmocka_unit_test(many_states_are_a_map),
        cmocka_unit_test(fields_are_told_by_their_names),
        cmocka_unit_test(matrices_are_labelled_maps),
        cmocka_unit_test(many_methods_have_panels),
        cmocka_unit_test(nothing_is_cut_off),
        cmocka_unit_test(pages_stand_alone),
        cmocka_unit_test(files_that_cannot_be_made_are_refused),
        cmocka_unit_test(without_a_converter_its_package_is_named),
        cmocka_unit_test(converters_are_run),
        cmocka_unit_test(png_and_pdf),
        cmocka_unit_test(a_figure_replaces_the_one_before),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
