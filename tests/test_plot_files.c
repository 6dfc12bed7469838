/* test_plot_files.c - files of figures: a figure that cannot be made leaves a reason and no file, pages stand alone,
 * converters are run. */
#include "drawn.h"

#include <sys/stat.h>

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
        cmocka_unit_test(pages_stand_alone),
        cmocka_unit_test(files_that_cannot_be_made_are_refused),
        cmocka_unit_test(without_a_converter_its_package_is_named),
        cmocka_unit_test(converters_are_run),
        cmocka_unit_test(png_and_pdf),
        cmocka_unit_test(a_figure_replaces_the_one_before),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
