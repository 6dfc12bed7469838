/* test_plot.c - figures of bars, of patterns, and of error against work; whatever the names and numbers are, nothing is cut
 * off. */
#include "drawn.h"


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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bars_are_sorted_and_the_rest_is_summed_up),
        cmocka_unit_test(names_of_any_kind_are_escaped),
        cmocka_unit_test(patterns_show_every_entry),
        cmocka_unit_test(work_and_precision),
        cmocka_unit_test(many_methods_have_panels),
        cmocka_unit_test(nothing_is_cut_off),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
