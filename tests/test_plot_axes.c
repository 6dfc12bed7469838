/* test_plot_axes.c - axes of figures: ticks are where people expect them, numbers say what they stand for, labels do not
 * touch. */
#include "drawn.h"

#include <float.h>
#include <limits.h>

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
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
