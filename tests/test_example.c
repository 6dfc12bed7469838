/* test_example.c - examples/lotka_volterra exits with 0 and prints the right state and gradient, to 6 digits.
 *
 * The expected values are those of Lotka-Volterra together with its variational equations, by a Taylor series method with 40
 * digits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *label;
    double value;
} expected[] = {
    {"prey", 13.633639243921721},        {"predator", 2.551950971187361},        {"d/d alpha", -1.619875594429667},
    {"d/d beta", 26.05599490984510},     {"d/d gamma", 25.11353127186165},       {"d/d delta", -78.85431273047732},
    {"d/d prey(0)", 0.5748207970873989}, {"d/d predator(0)", 2.084479592787608},
};
enum { EXPECTED = sizeof expected / sizeof expected[0] };

/* "    label   number": 1 and the number if the line is that of the label. */
static int number_after(const char *line, const char *label, double *value)
{
    line += strspn(line, " ");
    size_t length = strlen(label);
    return strncmp(line, label, length) == 0 && line[length] == ' ' && sscanf(line + length, "%lf", value) == 1;
}

static void example_prints_state_gradient_and_certificate(void **unused)
{
    (void)unused;
    double seen[EXPECTED];
    int times[EXPECTED] = {0}, certificate = 0;
    FILE *out = popen("'" EXAMPLE "'", "r");
    assert_non_null(out);
    char line[1024];
    while (fgets(line, sizeof line, out)) {
        for (int i = 0; i < EXPECTED; i++) times[i] += number_after(line, expected[i].label, &seen[i]);
        if (strstr(line, "certificate")) certificate = 1;
    }
    assert_int_equal(pclose(out), 0);
    for (int i = 0; i < EXPECTED; i++) {
        assert_int_equal(times[i], 1);
        if (!(fabs(seen[i] - expected[i].value) <= 5e-7 * fabs(expected[i].value)))
            fail_msg("%s is %.12g, expected %.12g", expected[i].label, seen[i], expected[i].value);
    }
    assert_true(certificate);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(example_prints_state_gradient_and_certificate)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
