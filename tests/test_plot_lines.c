/* test_plot_lines.c - figures of lines over time: which get a panel, what is chosen among many, how values and times are
 * scaled; odd numbers are drawn or left out. */
#include "drawn.h"

#include <float.h>

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scales_that_differ_get_panels),
        cmocka_unit_test(many_lines_are_a_thicket),
        cmocka_unit_test(time_is_logarithmic_when_it_happens_early),
        cmocka_unit_test(odd_numbers_are_drawn_or_left_out),
        cmocka_unit_test(the_largest_panels_are_drawn),
        cmocka_unit_test(what_never_leaves_its_tolerance_is_said_not_drawn),
        cmocka_unit_test(values_are_logarithmic_where_that_helps),
        cmocka_unit_test(marked_times_are_on_axis_and_lines),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
