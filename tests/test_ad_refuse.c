/* What costate diff says about models that it does not take, word for word. The texts are those of docs/language.md and
 * tests/ad_refused.md and ad_assigned.md: a block of C, then the messages; a block without messages is accepted. Then texts
 * that are hostile: they are refused, too, without a crash. */
#define _GNU_SOURCE /* memmem */
#include "ad_read.h"
#include "front/lint.h"

#include <cmocka.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/costate-refuse-XXXXXX", source[PATH_MAX];

static int enter_folder(void **state)
{
    (void)state;
    const char *slash = strrchr(__FILE__, '/');
    char here[PATH_MAX];
    snprintf(here, sizeof here, "%.*s", slash ? (int)(slash - __FILE__) : 1, slash ? __FILE__ : ".");
    if (!realpath(here, source)) return -1;
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int leave_folder(void **state)
{
    (void)state;
    unlink("model.c");
    return chdir("/") == 0 && rmdir(folder) == 0 ? 0 : -1;
}

/* ---- pages ----------------------------------------------------------------------------------------------------------------- */

static void write_model(const char *text, size_t length)
{
    FILE *file = fopen("model.c", "wb");
    assert_non_null(file);
    fwrite(text, 1, length, file);
    if (!memmem(text, length, "COSTATE_MODEL", 13))
        fputs("\n#include <costate/model.h>\n" /* an objective of everything, so that there is no word of what is unused */
              "static void everything_used(double t, const double *y, const double *p, double *g)\n"
              "{\n    g[0] = 0;\n    for (int i = 0; i < 4; i++) g[0] += y[i] * p[i % 3];\n}\n"
              "COSTATE_MODEL(example, .states = 4, .params = 3, .rhs = rhs, .terminal = everything_used)\n",
              file);
    fclose(file);
}

/* 1: the model in the file gets the messages. */
static int says(const char *wanted, size_t length)
{
    jmp_buf out;
    if (setjmp(out)) fail_msg("%s", "no memory");
    ad_arena *m = ad_arena_open(&out, 0);
    assert_non_null(m);
    ad_diag *d = ad_diag_open(m);
    const ad_model *model = ad_read(m, d, "model.c");
    const char *said = ad_diag_text(d);
    int good = strlen(said) == length && memcmp(said, wanted, length) == 0;
    good &= (model != NULL) == (memmem(wanted, length, ": error: ", 9) == NULL);
    if (!good) print_error("said:\n%s\nwanted:\n%.*s\n", said, (int)length, wanted);
    ad_arena_close(m);
    return good;
}

static int check_page(const char *name)
{
    char path[PATH_MAX + 100];
    snprintf(path, sizeof path, "%s/%s", source, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *page = calloc(1, 1 << 20);
    assert_non_null(page);
    assert_true(fread(page, 1, (1 << 20) - 1, file) > 0);
    fclose(file);
    int wrong = 0, count = 0;
    for (const char *at = strstr(page, "```c\n"); at; at = strstr(at, "```c\n")) {
        const char *text = at + 5, *end = strstr(text, "```"), *wanted = "";
        assert_non_null(end);
        size_t length = 0;
        at = end + 3;
        if (strncmp(at, "\n\n```text\n", 10) == 0) {
            wanted = at + 10;
            at = strstr(wanted, "```");
            assert_non_null(at);
            length = (size_t)(at - wanted);
            at += 3;
        }
        write_model(text, (size_t)(end - text));
        const int good = says(wanted, length);
        if (!good) print_error("of:\n%.*s\n", (int)(end - text), text);
        wrong += !good;
        count++;
    }
    free(page);
    assert_true(count > 30);
    return wrong;
}

static void documented(void **state)
{
    (void)state;
    assert_int_equal(check_page("../docs/language.md"), 0);
}

static void others(void **state)
{
    (void)state;
    assert_int_equal(check_page("ad_refused.md"), 0);
}

static void assigned(void **state)
{
    (void)state;
    assert_int_equal(check_page("ad_assigned.md"), 0);
}

/* ---- text without a preprocessor ------------------------------------------------------------------------------------------- */

/* What ad_front_text says, in a buffer that the next call reuses. */
static const char *said(const char *text, size_t length)
{
    static char copy[4000];
    jmp_buf out;
    if (setjmp(out)) return "no memory";
    ad_arena *m = ad_arena_open(&out, 0);
    assert_non_null(m);
    ad_diag *d = ad_diag_open(m);
    const ad_model *model = ad_front_text(m, d, "model.c", text, length);
    snprintf(copy, sizeof copy, "%s", model ? "accepted" : ad_diag_text(d));
    ad_arena_close(m);
    return copy;
}

static void no_models(void **state)
{
    (void)state;
    static const struct {
        const char *text, *wanted;
    } texts[] = {
        {"", "model.c: error: there is nothing in this file\n"},
        {" \n\n /* nothing */\n", "model.c: error: there is nothing in this file\n"},
        {"int x;\n", "model.c: error: there is no model in this file\n  try: COSTATE_MODEL(name, .states = ..., .params = ..., "
                     ".rhs = rhs) at the end of the file\n"},
        {"import numpy as np\n",
         "model.c:1:14: error: ';' is expected after a declaration, not 'as'\n    import numpy as np\n                 ^\n"},
        {"#define N 3\nint x;\n", "model.c:1:1: error: a line for the preprocessor in preprocessed text\n    #define N 3\n    "
                                  "^\n  try: the text that `cc -E` makes of the file\n"},
        {"int x = 'a;\n", "model.c:1:9: error: the closing ' is missing on this line\n    int x = 'a;\n            ^\n"},
        {"int x; /* no end", "model.c:1:8: error: this comment is not closed\n    int x; /* no end\n           ^\n"},
        {"int x = (3;\n", "model.c:1:9: error: this '(' is not closed\n    int x = (3;\n            ^\n"},
        {"int x = 3);\n", "model.c:1:10: error: ')' closes nothing\n    int x = 3);\n             ^\n"},
        {"# 7 \"user.h\"\nint x = ;\n", "user.h:7:9: error: a value is expected here, not ';'\n    int x = ;\n            ^\n"},
        {"# 1 \"/usr/include/x.h\" 1 3\nint x = ;\n", "model.c: error: there is nothing in this file\n"},
        {"int \x01;\n", "model.c:1:5: error: a name is expected here, not a character that is not C\n    int  ;\n        ^\n"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const char *got = said(texts[i].text, strlen(texts[i].text));
        if (strncmp(got, texts[i].wanted, strlen(texts[i].wanted)) != 0)
            fail_msg("%s\nsaid:\n%s\nwanted:\n%s", texts[i].text, got, texts[i].wanted);
    }
    assert_string_equal(said("int x;\0\0\x7f", 9), "model.c: error: this is not a text file\n");
}

static void no_file(void **state)
{
    (void)state;
    jmp_buf out;
    if (setjmp(out)) fail_msg("%s", "no memory");
    ad_arena *m = ad_arena_open(&out, 0);
    assert_non_null(m);
    ad_diag *d = ad_diag_open(m);
    assert_null(ad_front(m, d, "absent.c", "", 0));
    assert_string_equal(ad_diag_text(d), "absent.c: error: the file cannot be read: No such file or directory\n");
    ad_arena_close(m);
}

/* ---- hostile texts --------------------------------------------------------------------------------------------------------- */

static const char head[] = "static void rhs(double t, const double *y, const double *p, double *f) { f[0] = f[1] = 0; ";
static const char tail[] = " }\n__costate_model__ deep { .states = 2, .params = 1, .rhs = rhs };\n";

static char *repeated(const char *before, const char *piece, const char *middle, const char *other, int times, const char *after)
{
    const size_t room = strlen(before) + strlen(middle) + strlen(after) + (size_t)times * (strlen(piece) + strlen(other)) + 1;
    char *text = malloc(room), *at = text;
    assert_non_null(text);
    at = stpcpy(at, before);
    for (int i = 0; i < times; i++) at = stpcpy(at, piece);
    at = stpcpy(at, middle);
    for (int i = 0; i < times; i++) at = stpcpy(at, other);
    stpcpy(at, after);
    return text;
}

static void deep_nesting(void **state)
{
    (void)state;
    static const struct {
        const char *open, *middle, *close;
    } nests[] = {{"(", "y[0]", ")"},
                 {"- ", "y[0]", ""},
                 {"sin(", "y[0]", ")"},
                 {"y[", "0", "]"},
                 {"1 ? 2 : ", "3", ""},
                 {"(double)", "y[0]", ""},
                 {"f[0] = ", "1", ""},
                 {"!", "1", ""},
                 {"*", "y", ""},
                 {"& ", "y", ""},
                 {"(1 + ", "y[0]", ")"},
                 {"sizeof ", "y", ""},
                 {"(y[0] + y[1]) * (", "1", ")"}};
    for (size_t i = 0; i < sizeof nests / sizeof *nests; i++) {
        for (int times = 100; times <= 20000; times *= 200) {
            char *e = repeated("f[0] = ", nests[i].open, nests[i].middle, nests[i].close, times, ";"),
                 *text = repeated(head, e, "", "", 1, tail);
            const char *got = said(text, strlen(text));
            if (times > 1000) assert_non_null(strstr(got, "error: this is nested more than 1000 deep"));
            free(e);
            free(text);
        }
    }
    static const char *const blocks[][2] = {
        {"{", "}"}, {"if (y[0] > 1) ", ""}, {"for (int i = 0; i < 2; i++) ", ""}, {"if (y[0] > 1) f[0] = 1; else ", ""}};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        char *text = repeated(head, blocks[i][0], "f[0] = 1;", blocks[i][1], 20000, tail);
        assert_non_null(strstr(said(text, strlen(text)), "error: this is nested more than 1000 deep"));
        free(text);
    }
}

static void long_texts(void **state)
{
    (void)state;
    static const char *const pieces[] = {"f[0] = y[0] * p[0]; ", "if (y[0] > 2) f[1] = 1; ",
                                         "{ double a[2] = {0}; f[0] = a[1]; }"};
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        char *text = repeated(head, pieces[i], "", "", 20000, tail);
        assert_string_equal(said(text, strlen(text)), "accepted");
        free(text);
    }
    char *sum = repeated("f[0] = y[0]", " + y[1] * 2", ";", "", 20000, ""), *text = repeated(head, sum, "", "", 1, tail);
    assert_string_equal(said(text, strlen(text)), "accepted");
    free(sum);
    free(text);
    text = repeated(head, "if (y[0] > 1) return; ", "f[0] = 1;", "", 20000, tail);
    assert_non_null(strstr(said(text, strlen(text)), "error: statements are nested more than 1000 deep here"));
    free(text);
}

/* Each helper calls the next one twice. */
static void exploding_calls(void **state)
{
    (void)state;
    char *text = calloc(1, 10000), *at = text;
    assert_non_null(text);
    at += sprintf(at, "static double g40(double x) { return x; }\n");
    for (int i = 39; i >= 0; i--) at += sprintf(at, "static double g%d(double x) { return g%d(x) + g%d(x); }\n", i, i + 1, i + 1);
    sprintf(at, "%sf[0] = g0(y[0]);%s", head, tail);
    assert_non_null(strstr(said(text, strlen(text)), "error: more than 200000 calls are to be inlined"));
    free(text);
}

static void little_memory(void **state)
{
    (void)state;
    char *text = repeated(head, "f[0] = y[0] * y[1]; ", "", "", 1000, tail);
    for (size_t limit = 1000; limit < 1000000; limit += limit / 3) {
        jmp_buf out;
        ad_arena *volatile m = NULL;
        if (setjmp(out) == 0) {
            m = ad_arena_open(&out, limit);
            if (m) ad_front_text(m, ad_diag_open(m), "model.c", text, strlen(text));
        }
        ad_arena_close(m);
    }
    free(text);
}

/* ---- lint ------------------------------------------------------------------------------------------------------------------ */

static void kinks(void **state)
{
    (void)state;
    static const char text[] = "static const double tab[3] = {1, 2, 3};\n"
                               "static void rhs(double t, const double *y, const double *p, double *f)\n{\n"
                               "    f[0] = fabs(y[0]) + fabs(t);\n"
                               "    if (p[0] > 0) f[1] = y[1];\n"
                               "    int i = (int)y[2], n = 2;\n"
                               "    f[2] = tab[i] + tab[n];\n"
                               "    f[3] = y[3] > 1 ? y[3] : t > 1 ? 2 : 3;\n"
                               "    for (int k = 0; k < i; k++) f[4] += y[k];\n"
                               "}\n";
    static const char *const wanted[] = {
        ("model.c:4:12: note: 'fabs' is not smooth where its argument passes 0: the derivative taken there is the slope to the "
         "right, 1, at +0\n"),
        "model.c:5:5: note: this choice depends on y or p: the derivative is that of the branch taken\n",
        "model.c:6:9: note: a number that depends on y or p becomes an integer: its derivative is taken as 0\n",
        "model.c:7:12: note: the index of 'tab' depends on y or p: the derivative is that of the element chosen\n",
        "model.c:8:21: note: '?:' depends on y or p: the derivative is that of the value chosen\n",
        "model.c:9:5: note: how often this loop runs depends on y or p: the derivative is that of the passes made\n"};
    jmp_buf out;
    if (setjmp(out)) fail_msg("%s", "no memory");
    ad_arena *m = ad_arena_open(&out, 0);
    assert_non_null(m);
    ad_diag *d = ad_diag_open(m);
    const ad_fn *fn = ad_front_function(m, d, "model.c", text, "rhs");
    assert_non_null(fn);
    const int count = ad_lint_function(m, d, fn);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        if (!strstr(ad_diag_text(d), wanted[i])) fail_msg("missing: %s in\n%s", wanted[i], ad_diag_text(d));
    }
    assert_int_equal(count, (int)(sizeof wanted / sizeof *wanted));
    ad_arena_close(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(documented),      cmocka_unit_test(others),        cmocka_unit_test(assigned),
        cmocka_unit_test(no_models),
        cmocka_unit_test(no_file),         cmocka_unit_test(deep_nesting),  cmocka_unit_test(long_texts),
        cmocka_unit_test(exploding_calls), cmocka_unit_test(little_memory), cmocka_unit_test(kinks),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
