/* test_plot_maps.c - maps of colours, for fields and matrices. */
#include "drawn.h"


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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_states_are_a_map),
        cmocka_unit_test(fields_are_told_by_their_names),
        cmocka_unit_test(matrices_are_labelled_maps),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
