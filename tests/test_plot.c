/* test_plot.c - figures: ticks are where people expect them, labels do not touch, whatever the numbers are the SVG is well formed
 * and holds no NaN, what is left out is said, and a figure that cannot be made leaves a reason and no file. */
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

/* The SVG that a figure was written to, checked, and its file removed. */
static char *taken(const plot *f, int status)
{
    if (status) fail_msg("%s", f->message);
    char *svg = content(f->path);
    well_formed(svg);
    assert_int_equal(unlink(f->path), 0);
    return svg;
}

/* ---- axes ----------------------------------------------------------------------------------------------------------- */

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
        if (loose) assert_true(a.lo <= lo + 1e-6 * a.step && a.hi >= hi - 1e-6 * a.step && a.hi - a.lo < hi - lo + 2.01 * a.step);
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
    for (int i = 0; i < lines; i++) series[i] = (plot_series){name, group, ROWS, lines, t, y + i};
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
    assert_int_equal(count(svg, ">wave<"), 3);
    free(svg);
    svg = waves(3, (double[]){1, 1e-5, 0.7}, "wave", "GROUP");
    assert_int_equal(count(svg, ">GROUP<"), 2);
    assert_int_equal(count(svg, ">wave<"), 3);
    free(svg);
    svg = waves(6, (double[]){1, 1, 1, 1, 1, 1}, "wave", "GROUP"); /* as many, but three and three */
    assert_int_equal(count(svg, ">GROUP<"), 2);
    free(svg);
    svg = waves(3, (double[]){1, 0, 1}, "wave", "GROUP");
    assert_int_equal(count(svg, ">wave<"), 2);
    assert_int_equal(count(svg, "Zero throughout: wave."), 1);
    free(svg);
}

static void many_lines_are_a_thicket(void **unused)
{
    (void)unused;
    double size[300];
    for (int i = 0; i < 300; i++) size[i] = 1 + 0.001 * i;
    char *svg = waves(300, size, "wave", NULL);
    assert_int_equal(count(svg, ">wave<"), 5);
    assert_int_equal(count(svg, "200 of 300 lines"), 1);
    free(svg);
}

static void time_is_logarithmic_when_it_happens_early(void **unused)
{
    (void)unused;
    double t[PLOT_TIMES], y[PLOT_TIMES];
    const int rows = plot_times(0, 1e6, t);
    const plot_series s = {"decay", NULL, rows, 1, t, y};
    for (int early = 0; early < 2; early++) {
        for (int k = 0; k < rows; k++) y[k] = exp(-t[k] / (early ? 1 : 3e5));
        plot f = {.path = at("time.svg"), .x = "t"};
        char *svg = taken(&f, plot_lines(&f, 1, &s));
        /* 10^2 is a label of the logarithmic axis; the linear one has a factor 10^6 or 10^5 */
        assert_int_equal(count(svg, ">10<tspan dy=\"-2.6\" font-size=\"5\">2<") == 1, early);
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
                {"a", NULL, 4, 2, x, y}, {"b", NULL, 4, 2, x, y + 1}, {"c", "g", 1, 1, x, y}, {"d", "g", 0, 1, x, y}};
            plot f = {.path = at("odd.svg"), .x = "t"};
            free(taken(&f, plot_lines(&f, 4, s)));
            const char *const name[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
            f = (plot){.path = at("odd.svg")};
            free(taken(&f, plot_bars(&f, 1, &(plot_bar_chart){NULL, 8, 1, name, y})));
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
    char *svg = taken(&f, plot_bars(&f, 1, &(plot_bar_chart){NULL, BARS, 1, name, size}));
    assert_int_equal(count(svg, "<rect x="), 30 + 1); /* and the paper */
    assert_int_equal(count(svg, "51 smaller ones, of absolute"), 1);
    assert_int_equal(count(svg, "up to 51."), 1);
    double before = BARS + 1;
    for (const char *s = svg; (s = strstr(s, "text-anchor=\"end\" >k"));) {
        s += strlen("text-anchor=\"end\" >k");
        const double now = fabs(size[atoi(s)]);
        assert_true(now < before);
        before = now;
    }
    assert_true(before == BARS - 29);
    free(svg);
    plot_bar_chart many[8];
    for (int i = 0; i < 8; i++) many[i] = (plot_bar_chart){"OBJECTIVE", BARS, 1, name, size};
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
    char *svg = taken(&f, plot_bars(&f, 1, &(plot_bar_chart){"\x01", 7, 1, name, size}));
    assert_int_equal(count(svg, "a&lt;b&gt;&amp;&quot;c&quot;"), 1);
    assert_int_equal(count(svg, ">?" "?<"), 1);
    assert_int_equal(count(svg, "bell?"), 1);
    assert_int_equal(count(svg, "\xc3\xbc"), 1);
    assert_int_equal(count(svg, "\xed\xa0"), 0);
    assert_int_equal(count(svg, "does not fit"), 0);
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
    assert_int_equal(count(svg, "fill=\"#282828\""), 5);
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
    const plot_series s[] = {{"dopri5", NULL, 6, 1, error, work}, {"one", NULL, 1, 1, error, work}};
    plot f = {.path = at("work.svg"), .x = "error", .y = "seconds"};
    char *svg = taken(&f, plot_loglog(&f, 2, s));
    assert_int_equal(count(svg, "stroke-width=\"0.7\""), 4); /* marks */
    assert_int_equal(count(svg, "Not drawn: 3 points"), 1);
    free(svg);
    assert_int_equal(plot_loglog(&f, 1, &(plot_series){"none", NULL, 1, 1, error + 2, work}), -1);
    assert_non_null(strstr(f.message, "nothing to draw"));
}

/* ---- files ---------------------------------------------------------------------------------------------------------- */

static int draw(plot *f)
{
    const double t[] = {0, 1}, y[] = {1, 2};
    return plot_lines(f, 1, &(plot_series){"y", NULL, 2, 1, t, y});
}

static void files_that_cannot_be_made_are_refused(void **unused)
{
    (void)unused;
    const char *const names[] = {"a.gif", "a", ".svg", "svg", "no/such/folder/a.svg"};
    for (int i = 0; i < 5; i++) {
        plot f = {.path = at(names[i])};
        assert_int_equal(plot_check(&f), -1);
        assert_non_null(strstr(f.message, i < 4 ? "ends in .svg, .png or .pdf" : "cannot be written"));
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
        cmocka_unit_test(files_that_cannot_be_made_are_refused),
        cmocka_unit_test(without_a_converter_its_package_is_named),
        cmocka_unit_test(converters_are_run),
        cmocka_unit_test(png_and_pdf),
        cmocka_unit_test(a_figure_replaces_the_one_before),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
